#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "sm/state/state_file_priv.h"

static const char *const as_word[] = {
	[ROUTE_READ_TREE] = "tree", [ROUTE_READ_MESH] = "mesh"};

enum { READINGS = sizeof(as_word) / sizeof(as_word[0]) };

/* The next word is this one? */
static bool
next_is(const char *word, char **s)
{
	const char *const words[] = {NULL, word};

	return state_file_one_of(words, 2, s) != 0;
}

static int
read_place(struct state_file_reader *r, char **s, struct route_rank *rec)
{
	uint64_t n;

	if (!next_is("place", s))
		return 0;
	if (!state_file_number(state_file_word(s), 10, UINT32_MAX - 1, &n))
		return state_file_complain(
			r, r->line, "place", "not one from 0 to 4294967294");
	rec->place = (uint32_t)(n + 1);
	return 0;
}

static int
read_number(struct state_file_reader *r, char **s, struct route_rank *rec)
{
	uint64_t n;

	if (!next_is("number", s))
		return 0;
	if (!state_file_number(state_file_word(s), 10, UINT16_MAX - 1, &n))
		return state_file_complain(
			r, r->line, "number", "not one from 0 to 65534");
	rec->number = (uint16_t)(n + 1);
	return 0;
}

static int
read_plane(struct state_file_reader *r, char **s, struct route_rank *rec)
{
	uint64_t n;

	if (!next_is("plane", s))
		return 0;
	if (!state_file_number(state_file_word(s), 10, ROUTE_PLANE, &n))
		return state_file_complain(
			r, r->line, "plane", "not a number from 0 to 7");
	if (next_is("apex", s))
		n |= ROUTE_LEAF | ROUTE_APEX;
	else if (next_is("leaf", s))
		n |= ROUTE_LEAF;
	rec->plane = (uint8_t)(n + 1);
	return 0;
}

static void
print_place(const struct route_rank *r, struct buf *out)
{
	unsigned plane = r->plane - 1U;

	if (r->place != 0)
		buf_printf(out, " place %" PRIu32, r->place - 1);
	if (r->number != 0)
		buf_printf(out, " number %u", r->number - 1U);
	if (r->plane != 0)
		buf_printf(out, " plane %u%s", plane & ROUTE_PLANE,
			plane & ROUTE_APEX   ? " apex"
			: plane & ROUTE_LEAF ? " leaf"
					     : "");
}

int
state_ranks_read(struct state_file_reader *r, char *s)
{
	struct route_rank rec = {0};
	uint64_t rank;

	if (state_file_guid(r, &s, &rec.guid) < 0)
		return -1;
	if (!state_file_number(state_file_word(&s), 10, UINT32_MAX, &rank))
		return state_file_complain(
			r, r->line, "rank", "not a 32-bit number");
	rec.read = state_file_one_of(as_word, READINGS, &s);
	if (read_place(r, &s, &rec) < 0 || read_number(r, &s, &rec) < 0 ||
		read_plane(r, &s, &rec) < 0)
		return -1;
	if (s != NULL)
		return state_file_complain(r, r->line, "read as",
			"none of tree, mesh, place, number and plane in that "
			"order");
	rec.rank = (uint32_t)rank;
	r->rank = mem_grow(r->rank, r->nrank, &r->rank_cap, sizeof(*r->rank));
	r->rank[r->nrank++] = (struct state_ranks_line){rec, r->line};
	return 0;
}

static bool
order_ok(const char *s, size_t max)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
	size_t n = strnlen(s, max);

	return n > 0 && n < max && strspn(s, letters) == n;
}

int
state_ranks_order(struct state_file_reader *r, char *s)
{
	if (r->has_order || s == NULL || !order_ok(s, sizeof(r->s->order)))
		return state_file_complain(r, r->line, "order",
			r->has_order ? "given twice"
				     : "not a word of at most 15 letters");
	r->has_order = true;
	(void)snprintf(r->s->order, sizeof(r->s->order), "%s", s);
	return 0;
}

int
state_ranks_reading(struct state_file_reader *r, char *s)
{
	const char *engine = state_file_word(&s);

	if (r->has_read || engine == NULL ||
		!order_ok(engine, sizeof(r->s->engine)))
		return state_file_complain(r, r->line, "read",
			r->has_read ? "given twice"
				    : "no engine of at most 15 letters");
	if (!state_file_number(
		    state_file_word(&s), 16, UINT64_MAX, &r->s->options))
		return state_file_complain(r, r->line, "options",
			"not a hash such as 0x9f3b52d10c77a4e8");
	if (!state_file_number(s, 10, UINT32_MAX, &r->s->read))
		return state_file_complain(
			r, r->line, "time", "not seconds since 1970");
	r->has_read = true;
	(void)snprintf(r->s->engine, sizeof(r->s->engine), "%s", engine);
	return 0;
}

static int
rank_by_guid(const void *a, const void *b)
{
	const struct state_ranks_line *x = a, *y = b;

	if (x->rec.guid != y->rec.guid)
		return x->rec.guid < y->rec.guid ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

int
state_ranks_check(struct state_file_reader *r)
{
	size_t i;

	if (r->nrank == 0)
		return 0;
	if (r->s->order[0] == '\0')
		return reason_set(
			r->why, "%s: order: missing, with ranks", r->path);
	qsort(r->rank, r->nrank, sizeof(*r->rank), rank_by_guid);
	for (i = 1; i < r->nrank; i++)
		if (r->rank[i].rec.guid == r->rank[i - 1].rec.guid)
			return reason_set(r->why,
				"%s:%u: GUID: has a rank in line %u already",
				r->path, r->rank[i].line, r->rank[i - 1].line);
	return 0;
}

void
state_ranks_keep(struct state_file_reader *r)
{
	struct route_rank *rank =
		arena_array(r->s->arena, r->nrank, sizeof(*rank));

	for (size_t i = 0; i < r->nrank; i++)
		rank[i] = r->rank[i].rec;
	r->s->rank = rank;
	r->s->nrank = r->nrank;
}

void
state_ranks_print(const struct state_file *s, struct buf *out)
{
	if (s->order[0] != '\0')
		buf_printf(
			out, "order %.*s\n", (int)sizeof(s->order), s->order);
	for (size_t i = 0; i < s->nrank; i++) {
		const struct route_rank *r = &s->rank[i];

		buf_printf(out, "rank 0x%016" PRIx64 " %" PRIu32, r->guid,
			r->rank);
		if (r->read == ROUTE_READ_TREE || r->read == ROUTE_READ_MESH)
			buf_printf(out, " %s", as_word[r->read]);
		print_place(r, out);
		buf_put(out, "\n", 1);
	}
	if (s->engine[0] != '\0')
		buf_printf(out, "read %.*s 0x%016" PRIx64 " %" PRIu64 "\n",
			(int)sizeof(s->engine), s->engine, s->options, s->read);
}
