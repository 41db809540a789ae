/*
 * Records of the state file: what routing needs of the previous run to make the
 * same choices. Which topology was routed, by which root and switch order; the
 * rank of each switch, and what the fabric was read as; and the layers that
 * connections may still use, which the first transition must not close.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/map.h"
#include "sm/base/mem.h"
#include "sm/state/state_file_priv.h"

/* ---- what was routed last ---- */

static int
read_routed(struct state_file_reader *r, char *s)
{
	if (r->has_routed ||
		!state_words_number(
			state_words_next(&s), 16, UINT64_MAX, &r->s->routed) ||
		!state_words_number(s, 10, UINT64_MAX, &r->s->load))
		return state_words_complain(r, r->line, "routed",
			r->has_routed ? "given twice"
				      : "not a hash such as "
					"0x9f3b52d10c77a4e8 and a number");
	r->has_routed = true;
	return 0;
}

static void
print_routed(const struct state_file *s, struct buf *out)
{
	if (s->routed != 0)
		buf_printf(out, "routed 0x%016" PRIx64 " %" PRIu64 "\n",
			s->routed, s->load);
}

/* ---- switches: ranks, order, and what they were read as ---- */

static const char *const as_word[] = {
	[ROUTE_READ_TREE] = "tree", [ROUTE_READ_MESH] = "mesh"};

enum { READINGS = sizeof(as_word) / sizeof(as_word[0]) };

/* Skip the next word if it is this one. */
static bool
next_is(const char *word, char **s)
{
	const char *const words[] = {NULL, word};

	return state_words_one_of(words, 2, s) != 0;
}

static int
read_place(struct state_file_reader *r, char **s, struct route_rank *rec)
{
	uint64_t n;

	if (!next_is("place", s))
		return 0;
	if (!state_words_number(state_words_next(s), 10, UINT32_MAX - 1, &n))
		return state_words_complain(
			r, r->line, "place", "not one from 0 to 4294967294");
	rec->place = (uint32_t)(n + 1);
	return 0;
}

static int
read_former_number(
	struct state_file_reader *r, char **s, struct state_file_rank_line *l)
{
	uint64_t n;

	if (!next_is("number", s))
		return 0;
	if (!state_words_number(state_words_next(s), 10, UINT16_MAX - 1, &n))
		return state_words_complain(
			r, r->line, "number", "not one from 0 to 65534");
	l->number = (uint32_t)(n + 1);
	return 0;
}

static int
read_former_plane(
	struct state_file_reader *r, char **s, struct state_file_rank_line *l)
{
	uint64_t n;

	if (!next_is("plane", s))
		return 0;
	if (!state_words_number(state_words_next(s), 10, ROUTE_PART, &n))
		return state_words_complain(
			r, r->line, "plane", "not a number from 0 to 7");
	l->plane = (uint32_t)(n + 1);
	l->mark = next_is("apex", s)   ? " apex"
		  : next_is("leaf", s) ? " leaf"
				       : "";
	return 0;
}

static int
read_rank(struct state_file_reader *r, char *s)
{
	struct state_file_rank_line l = {.line = r->line};
	struct route_rank rec = {0};
	uint64_t rank;

	if (state_words_guid(r, &s, &rec.guid) < 0)
		return -1;
	if (!state_words_number(state_words_next(&s), 10, UINT32_MAX, &rank))
		return state_words_complain(
			r, r->line, "rank", "not a 32-bit number");
	rec.read = state_words_one_of(as_word, READINGS, &s);
	if (read_place(r, &s, &rec) < 0 || read_former_number(r, &s, &l) < 0 ||
		read_former_plane(r, &s, &l) < 0)
		return -1;
	if (s != NULL)
		return state_words_complain(r, r->line, "read as",
			"none of tree, mesh, place, number and plane in that "
			"order");
	rec.rank = (uint32_t)rank;
	l.rec = rec;
	state_rows_add(r, &l);
	return 0;
}

static bool
is_order_word(const char *s, size_t max)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
	size_t n = strnlen(s, max);

	return n > 0 && n < max && strspn(s, letters) == n;
}

static int
read_order(struct state_file_reader *r, char *s)
{
	if (r->has_order || s == NULL || !is_order_word(s, sizeof(r->s->order)))
		return state_words_complain(r, r->line, "order",
			r->has_order ? "given twice"
				     : "not a word of at most 15 letters");
	r->has_order = true;
	(void)snprintf(r->s->order, sizeof(r->s->order), "%s", s);
	return 0;
}

static int
read_reading(struct state_file_reader *r, char *s)
{
	const char *engine = state_words_next(&s);

	if (r->has_read || engine == NULL ||
		!is_order_word(engine, sizeof(r->s->engine)))
		return state_words_complain(r, r->line, "read",
			r->has_read ? "given twice"
				    : "no engine of at most 15 letters");
	if (!state_words_number(
		    state_words_next(&s), 16, UINT64_MAX, &r->s->options))
		return state_words_complain(r, r->line, "options",
			"not a hash such as 0x9f3b52d10c77a4e8");
	if (!state_words_number(s, 10, UINT32_MAX, &r->s->read))
		return state_words_complain(
			r, r->line, "time", "not seconds since 1970");
	r->has_read = true;
	(void)snprintf(r->s->engine, sizeof(r->s->engine), "%s", engine);
	return 0;
}

static int
rank_by_guid(const void *a, const void *b)
{
	const struct state_file_rank_line *x = a, *y = b;

	if (x->rec.guid != y->rec.guid)
		return x->rec.guid < y->rec.guid ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

static int
check_ranks(struct state_file_reader *r)
{
	size_t i, n;
	struct state_file_rank_line *rank = state_rows_of(r, NULL, &n);

	if (n == 0)
		return 0;
	if (r->s->order[0] == '\0')
		return reason_set(
			r->why, "%s: order: missing, with ranks", r->path);
	qsort(rank, n, sizeof(*rank), rank_by_guid);
	for (i = 1; i < n; i++)
		if (rank[i].rec.guid == rank[i - 1].rec.guid)
			return reason_set(r->why,
				"%s:%u: GUID: has a rank in line %u already",
				r->path, rank[i].line, rank[i - 1].line);
	return 0;
}

static void
print_order(const struct state_file *s, struct buf *out)
{
	if (s->order[0] != '\0')
		buf_printf(
			out, "order %.*s\n", (int)sizeof(s->order), s->order);
}

static void
print_ranks(const struct state_file *s, struct buf *out)
{
	for (size_t i = 0; i < s->nrank; i++) {
		const struct route_rank *r = &s->rank[i];

		buf_printf(out, "rank 0x%016" PRIx64 " %" PRIu32, r->guid,
			r->rank);
		if (r->read == ROUTE_READ_TREE || r->read == ROUTE_READ_MESH)
			buf_printf(out, " %s", as_word[r->read]);
		if (r->place != 0)
			buf_printf(out, " place %" PRIu32, r->place - 1);
		buf_put(out, "\n", 1);
	}
}

static void
print_reading(const struct state_file *s, struct buf *out)
{
	if (s->engine[0] != '\0')
		buf_printf(out, "read %.*s 0x%016" PRIx64 " %" PRIu64 "\n",
			(int)sizeof(s->engine), s->engine, s->options, s->read);
}

/* ---- what engines remember ---- */

/* An engine judges its lines itself. */
static int
read_engine(struct state_file_reader *r, char *s)
{
	if (s == NULL || *s < 'a' || *s > 'z' || strchr(s, ' ') == NULL)
		return state_words_complain(
			r, r->line, "engine", "not a name and a text");
	buf_printf(&r->rows[r->now].text, "%s\n", s);
	return 0;
}

static int
read_former_root(struct state_file_reader *r, char *s)
{
	if (r->former_root != 0)
		return state_words_complain(r, r->line, "turn", "given twice");
	if (state_words_guid(r, &s, &r->former_root) < 0)
		return -1;
	return s == NULL ? 0
			 : state_words_complain(
				   r, r->line, "turn", "not one GUID");
}

/* What former versions recorded, as lines of the engine in force. */
static int
append_former(struct state_file_reader *r)
{
	const struct state_file *s = r->s;
	struct buf *out = &r->rows[r->now].text;
	const struct state_file_rank_line *l;
	size_t n;

	if (s->engine[0] == '\0')
		return 0;
	if (r->former_root != 0)
		buf_printf(out, "%s turn 0x%016" PRIx64 "\n", s->engine,
			r->former_root);
	l = state_rows_of(r, &state_routing_rank, &n);
	for (size_t i = 0; i < n; i++, l++) {
		if (l->number != 0)
			buf_printf(out, "%s number 0x%016" PRIx64 " %u\n",
				s->engine, l->rec.guid, l->number - 1);
		if (l->plane != 0)
			buf_printf(out, "%s plane 0x%016" PRIx64 " %u%s\n",
				s->engine, l->rec.guid, l->plane - 1, l->mark);
	}
	return 0;
}

/* ---- layers that connections may still use ---- */

enum { LAYERS_MAX = 16 }; /* sl_history.h; and as many SLs */

static int
read_layers(struct state_file_reader *r, char *s)
{
	uint64_t n;

	if (r->s->layers != 0 ||
		!state_words_number(state_words_next(&s), 10, LAYERS_MAX, &n) ||
		n == 0)
		return state_words_complain(r, r->line, "lanes",
			r->s->layers != 0 ? "given twice"
					  : "not a number from 1 to 16");
	if (s != NULL && (strlen(s) != LAYERS_MAX ||
				 strspn(s, "0123456789abcdef.") != LAYERS_MAX))
		return state_words_complain(
			r, r->line, "SLs", "not 16 hexadecimal digits or dots");
	r->s->layers = (unsigned)n;
	(void)snprintf(r->s->sls, sizeof(r->s->sls), "%s", s != NULL ? s : "");
	return 0;
}

/* Hexadecimal digits, two for each mask or behind a "w" four, into the arena;
 * 0: the text is not that. */
static size_t
read_masks(struct state_file_reader *r, const char *s, const uint16_t **out)
{
	unsigned digits = *s == 'w' ? 4 : 2;
	char text[7] = "0x";
	uint16_t *mask;
	size_t n;

	s += *s == 'w';
	n = strlen(s) / digits;
	mask = arena_array(r->s->arena, n, sizeof(*mask));
	if (strlen(s) % digits != 0)
		return 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t v;

		memcpy(text + 2, s + digits * i, digits);
		if (!state_words_number(text, 16, UINT16_MAX, &v))
			return 0;
		mask[i] = (uint16_t)v;
	}
	*out = mask;
	return n;
}

static int
read_leaf(struct state_file_reader *r, char *s)
{
	struct state_file_leaf_line l = {.line = r->line};
	const char *w;

	if (state_words_guid(r, &s, &l.rec.guid) < 0)
		return -1;
	w = state_words_next(&s);
	l.rec.any = w != NULL && strcmp(w, "any") == 0;
	if (w != NULL && !l.rec.any && strcmp(w, "-") != 0)
		l.n = read_masks(r, w, &l.rec.mask);
	if (w == NULL || s != NULL ||
		(!l.rec.any && *w != '-' && l.rec.mask == NULL))
		return state_words_complain(r, r->line, "leaf",
			"neither -, any, nor hexadecimal digits, two or four "
			"for each leaf");
	state_rows_add(r, &l);
	return 0;
}

/* Every row of masks has one for each leaf, and no leaf is listed twice. */
static int
check_leaves(struct state_file_reader *r)
{
	size_t n;
	const struct state_file_leaf_line *l = state_rows_of(r, NULL, &n);
	struct map seen = {0};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++, l++) {
		if (map_get(&seen, l->rec.guid, NULL))
			rc = state_words_complain(
				r, l->line, "leaf", "given twice");
		else if (l->rec.mask != NULL && l->n != n)
			rc = state_words_complain(
				r, l->line, "leaf", "not a mask for each leaf");
		map_put(&seen, l->rec.guid, 0);
	}
	map_free(&seen);
	return rc;
}

static void
print_layers(const struct state_file *s, struct buf *out)
{
	if (s->layers != 0)
		buf_printf(out, "lanes %u%s%s\n", s->layers,
			s->sls[0] != '\0' ? " " : "", s->sls);
}

static void
print_masks(const uint16_t *mask, size_t n, struct buf *out)
{
	bool wide = false;

	for (size_t k = 0; k < n; k++)
		wide |= mask[k] > UINT8_MAX;
	if (wide)
		buf_printf(out, "w");
	for (size_t k = 0; k < n; k++)
		buf_printf(out, wide ? "%04x" : "%02x", mask[k]);
}

static void
print_leaves(const struct state_file *s, struct buf *out)
{

	for (size_t i = 0; i < s->nleaf; i++) {
		const struct state_file_sl_history *l = &s->leaf[i];

		buf_printf(out, "leaf 0x%016" PRIx64 " ", l->guid);
		if (l->any || l->mask == NULL)
			buf_printf(out, "%s", l->any ? "any" : "-");
		else
			print_masks(l->mask, s->nleaf, out);
		buf_put(out, "\n", 1);
	}
}

const struct state_codec state_routing_routed = {
	.name = "routed", .read = read_routed, .print = print_routed};
const struct state_codec state_routing_former_root = {
	.name = "turn", .read = read_former_root};
const struct state_codec state_routing_order = {
	.name = "order", .read = read_order, .print = print_order};
const struct state_codec state_routing_rank = {.name = "rank",
	.read = read_rank,
	.check = check_ranks,
	.print = print_ranks,
	STATE_ROWS(state_file_rank_line, route_rank, rank, nrank)};
const struct state_codec state_routing_read = {
	.name = "read", .read = read_reading, .print = print_reading};
const struct state_codec state_routing_engine = {.name = "engine",
	.read = read_engine,
	.check = append_former,
	.text = offsetof(struct state_file, remembered)};
const struct state_codec state_routing_layers = {
	.name = "lanes", .read = read_layers, .print = print_layers};
const struct state_codec state_routing_leaf = {.name = "leaf",
	.read = read_leaf,
	.check = check_leaves,
	.print = print_leaves,
	STATE_ROWS(state_file_leaf_line, state_file_sl_history, leaf, nleaf)};
