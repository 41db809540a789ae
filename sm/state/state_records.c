/*
 * The records of the state file, a table of codecs: how a line of a record is
 * read, which rules its lines keep together, how they go into the state, and
 * how they are printed. The table is at the end.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/map.h"
#include "sm/base/mem.h"
#include "sm/state/state_file_priv.h"

int
state_records_complain(struct state_file_reader *r, unsigned line,
	const char *field, const char *what)
{
	return reason_set(r->why, "%s:%u: %s: %s", r->path, line, field, what);
}

/* Cut the next word off *s at a space; NULL when there is none. */
static char *
next_word(char **s)
{
	char *w = *s, *end;

	if (w == NULL || *w == '\0')
		return NULL;
	end = strchr(w, ' ');
	if (end != NULL)
		*end++ = '\0';
	*s = end;
	return w;
}

bool
state_records_number(const char *s, int base, uint64_t max, uint64_t *v)
{
	static const char digits[] = "0123456789abcdef";
	size_t n;

	if (s == NULL)
		return false;
	if (base == 16 && strncmp(s, "0x", 2) != 0)
		return false;
	s += base == 16 ? 2 : 0;
	n = strlen(s);
	if (n == 0 || n > 20 || strspn(s, digits) != n ||
		(base == 10 && strspn(s, "0123456789") != n) ||
		(base == 16 && n > 16))
		return false;
	errno = 0;
	*v = strtoull(s, NULL, base);
	return errno == 0 && *v <= max;
}

int
state_records_guid(struct state_file_reader *r, char **s, uint64_t *guid)
{
	if (!state_records_number(next_word(s), 16, UINT64_MAX, guid) ||
		*guid == 0)
		return state_records_complain(r, r->line, "GUID",
			"not 0x and hexadecimal digits, or 0");
	return 0;
}

/* The next word as its index in word[1..n - 1]; 0: none of them. */
static uint8_t
read_one_of(const char *const *word, uint8_t n, char **s)
{
	for (uint8_t i = 1; *s != NULL && i < n; i++) {
		size_t len = strlen(word[i]);

		if (strncmp(*s, word[i], len) == 0 &&
			((*s)[len] == ' ' || (*s)[len] == '\0')) {
			(void)next_word(s);
			return i;
		}
	}
	return 0;
}

/* ---- the fabric ---- */

static int
read_prefix(struct state_file_reader *r, char *s)
{
	char *w = next_word(&s);

	if (r->has_prefix || s != NULL ||
		!state_records_number(w, 16, UINT64_MAX, &r->s->prefix))
		return state_records_complain(r, r->line, "fabric",
			r->has_prefix ? "given twice"
				      : "not a subnet prefix such as "
					"0xfe80000000000000");
	r->has_prefix = true;
	return 0;
}

static void
print_prefix(const struct state_file *s, struct buf *out)
{
	if (s->prefix != 0)
		buf_printf(out, "fabric 0x%016" PRIx64 "\n", s->prefix);
}

/* ---- ports and their LIDs ---- */

static const char *const held_word[STATE_FILE_HELD] = {
	[STATE_FILE_PLAIN] = "plain", [STATE_FILE_KEYS] = "keys"};
enum {
	LID_MAX = 0xbfff, /* the last unicast LID (IBA 4.1.3) */
	LMC_MAX = 7,
	NAME_MAX_BYTES = 64, /* NodeDescription (IBA 14.2.5.2) */
};

/* The rest of a lid line: nothing, or a name in quotes. */
static int
read_name(struct state_file_reader *r, char *s, const char **name)
{
	size_t n = s == NULL ? 0 : strlen(s);

	*name = NULL;
	if (n == 0)
		return 0;
	if (n < 2 || n > NAME_MAX_BYTES + 2 || s[0] != '"' || s[n - 1] != '"')
		return state_records_complain(r, r->line, "name",
			"not a text in quotes of at most 64 bytes");
	s[n - 1] = '\0';
	*name = arena_strdup(r->s->arena, s + 1);
	return 0;
}

static int
read_lid(struct state_file_reader *r, char *s)
{
	struct state_file_lid rec = {0};
	uint64_t lid, lmc;

	if (state_records_guid(r, &s, &rec.guid) < 0)
		return -1;
	if (!state_records_number(next_word(&s), 10, LID_MAX, &lid) || lid == 0)
		return state_records_complain(
			r, r->line, "LID", "not a number from 1 to 49151");
	if (!state_records_number(next_word(&s), 10, LMC_MAX, &lmc))
		return state_records_complain(
			r, r->line, "LMC", "not a number from 0 to 7");
	rec.held = read_one_of(held_word, STATE_FILE_HELD, &s);
	if (read_name(r, s, &rec.name) < 0)
		return -1;
	rec.lid = (uint16_t)lid;
	rec.lmc = (uint8_t)lmc;
	r->lid = mem_grow(r->lid, r->nlid, &r->lid_cap, sizeof(*r->lid));
	r->lid[r->nlid++] = (struct state_file_lid_line){rec, r->line};
	return 0;
}

static int
lid_by_guid(const void *a, const void *b)
{
	const struct state_file_lid_line *x = a, *y = b;

	if (x->rec.guid != y->rec.guid)
		return x->rec.guid < y->rec.guid ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

static int
lid_by_lid(const void *a, const void *b)
{
	const struct state_file_lid_line *x = a, *y = b;

	if (x->rec.lid != y->rec.lid)
		return x->rec.lid < y->rec.lid ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

/* The rules between LID records; leaves them sorted by GUID. */
static int
check_lids(struct state_file_reader *r)
{
	const struct state_file_lid_line *p;
	size_t i;

	if (r->nlid == 0)
		return 0;
	qsort(r->lid, r->nlid, sizeof(*r->lid), lid_by_lid);
	for (i = 0; i < r->nlid; i++) {
		uint32_t size = 1u << r->lid[i].rec.lmc;

		p = &r->lid[i];
		if (p->rec.lid % size != 0)
			return state_records_complain(r, p->line, "LID",
				"not a multiple of 2 to the power of its LMC");
		if (p->rec.lid + size - 1 > LID_MAX)
			return state_records_complain(r, p->line, "LID",
				"its range ends above 49151");
		if (i + 1 < r->nlid && p->rec.lid + size > p[1].rec.lid)
			return reason_set(r->why,
				"%s:%u: LID: %u is also in the range of line "
				"%u",
				r->path, p[1].line, p[1].rec.lid, p->line);
	}
	qsort(r->lid, r->nlid, sizeof(*r->lid), lid_by_guid);
	for (i = 1; i < r->nlid; i++)
		if (r->lid[i].rec.guid == r->lid[i - 1].rec.guid)
			return reason_set(r->why,
				"%s:%u: GUID: has a LID in line %u already",
				r->path, r->lid[i].line, r->lid[i - 1].line);
	return 0;
}

static void
keep_lids(struct state_file_reader *r)
{
	struct state_file_lid *lid =
		arena_array(r->s->arena, r->nlid, sizeof(*lid));
	size_t i;

	for (i = 0; i < r->nlid; i++)
		lid[i] = r->lid[i].rec;
	r->s->lid = lid;
	r->s->nlid = r->nlid;
}

/* A node's own description, without what could break the line. */
static void
print_name(const char *name, struct buf *out)
{
	size_t i;

	buf_put(out, " \"", 2);
	for (i = 0; name[i] != '\0' && i < NAME_MAX_BYTES; i++) {
		char c = name[i];

		if (c < 0x20 || c > 0x7e || c == '"')
			c = '?';
		buf_put(out, &c, 1);
	}
	buf_put(out, "\"", 1);
}

static void
print_lids(const struct state_file *s, struct buf *out)
{
	size_t i;

	for (i = 0; i < s->nlid; i++) {
		buf_printf(out, "lid 0x%016" PRIx64 " %u %u", s->lid[i].guid,
			s->lid[i].lid, s->lid[i].lmc);
		if (s->lid[i].held == STATE_FILE_PLAIN ||
			s->lid[i].held == STATE_FILE_KEYS)
			buf_printf(out, " %s", held_word[s->lid[i].held]);
		if (s->lid[i].name != NULL)
			print_name(s->lid[i].name, out);
		buf_put(out, "\n", 1);
	}
}

/* ---- routes ---- */

static int
read_routed(struct state_file_reader *r, char *s)
{
	if (r->has_routed ||
		!state_records_number(
			next_word(&s), 16, UINT64_MAX, &r->s->routed) ||
		!state_records_number(s, 10, UINT64_MAX, &r->s->load))
		return state_records_complain(r, r->line, "routed",
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

static int
read_sftree_root(struct state_file_reader *r, char *s)
{
	if (r->s->sftree_root != 0)
		return state_records_complain(
			r, r->line, "turn", "given twice");
	if (state_records_guid(r, &s, &r->s->sftree_root) < 0)
		return -1;
	return s == NULL ? 0
			 : state_records_complain(
				   r, r->line, "turn", "not one GUID");
}

static void
print_sftree_root(const struct state_file *s, struct buf *out)
{
	if (s->sftree_root != 0)
		buf_printf(out, "turn 0x%016" PRIx64 "\n", s->sftree_root);
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

	return read_one_of(words, 2, s) != 0;
}

static int
read_place(struct state_file_reader *r, char **s, struct route_rank *rec)
{
	uint64_t n;

	if (!next_is("place", s))
		return 0;
	if (!state_records_number(next_word(s), 10, UINT32_MAX - 1, &n))
		return state_records_complain(
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
	if (!state_records_number(next_word(s), 10, UINT16_MAX - 1, &n))
		return state_records_complain(
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
	if (!state_records_number(next_word(s), 10, ROUTE_PLANE, &n))
		return state_records_complain(
			r, r->line, "plane", "not a number from 0 to 7");
	if (next_is("apex", s))
		n |= ROUTE_LEAF | ROUTE_CROSSING;
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
			plane & ROUTE_CROSSING ? " apex"
			: plane & ROUTE_LEAF   ? " leaf"
					       : "");
}

static int
read_rank(struct state_file_reader *r, char *s)
{
	struct route_rank rec = {0};
	uint64_t rank;

	if (state_records_guid(r, &s, &rec.guid) < 0)
		return -1;
	if (!state_records_number(next_word(&s), 10, UINT32_MAX, &rank))
		return state_records_complain(
			r, r->line, "rank", "not a 32-bit number");
	rec.read = read_one_of(as_word, READINGS, &s);
	if (read_place(r, &s, &rec) < 0 || read_number(r, &s, &rec) < 0 ||
		read_plane(r, &s, &rec) < 0)
		return -1;
	if (s != NULL)
		return state_records_complain(r, r->line, "read as",
			"none of tree, mesh, place, number and plane in that "
			"order");
	rec.rank = (uint32_t)rank;
	r->rank = mem_grow(r->rank, r->nrank, &r->rank_cap, sizeof(*r->rank));
	r->rank[r->nrank++] = (struct state_file_rank_line){rec, r->line};
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
		return state_records_complain(r, r->line, "order",
			r->has_order ? "given twice"
				     : "not a word of at most 15 letters");
	r->has_order = true;
	(void)snprintf(r->s->order, sizeof(r->s->order), "%s", s);
	return 0;
}

static int
read_reading(struct state_file_reader *r, char *s)
{
	const char *engine = next_word(&s);

	if (r->has_read || engine == NULL ||
		!is_order_word(engine, sizeof(r->s->engine)))
		return state_records_complain(r, r->line, "read",
			r->has_read ? "given twice"
				    : "no engine of at most 15 letters");
	if (!state_records_number(
		    next_word(&s), 16, UINT64_MAX, &r->s->options))
		return state_records_complain(r, r->line, "options",
			"not a hash such as 0x9f3b52d10c77a4e8");
	if (!state_records_number(s, 10, UINT32_MAX, &r->s->read))
		return state_records_complain(
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

static void
keep_ranks(struct state_file_reader *r)
{
	struct route_rank *rank =
		arena_array(r->s->arena, r->nrank, sizeof(*rank));

	for (size_t i = 0; i < r->nrank; i++)
		rank[i] = r->rank[i].rec;
	r->s->rank = rank;
	r->s->nrank = r->nrank;
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
		print_place(r, out);
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

/* ---- blocked pairs, and when the state was saved ---- */

/* A pair that has been blocked for too long raises an alarm although the daemon
 * that blocked it has ended. */
static int
read_block(struct state_file_reader *r, char *s)
{
	struct state_file_blocked rec = {0};
	uint64_t in, out;
	const char *row;
	size_t i;
	char text[24];

	if (state_records_guid(r, &s, &rec.guid) < 0)
		return -1;
	if (!state_records_number(next_word(&s), 10, 254, &in) ||
		!state_records_number(next_word(&s), 10, 254, &out))
		return state_records_complain(
			r, r->line, "port", "not a number from 0 to 254");
	row = next_word(&s);
	(void)snprintf(text, sizeof(text), "0x%s", row != NULL ? row : "");
	if (row == NULL || strlen(row) != 16 ||
		!state_records_number(text, 16, UINT64_MAX, &rec.row))
		return state_records_complain(r, r->line, "row",
			"not 16 hexadecimal digits, one for each SL");
	if (!state_records_number(next_word(&s), 10, UINT64_MAX, &rec.pairs))
		return state_records_complain(
			r, r->line, "pairs", "not a number");
	if (s != NULL && !state_records_number(s, 10, UINT32_MAX, &rec.age))
		return state_records_complain(
			r, r->line, "age", "not a 32-bit number");
	rec.in = (uint8_t)in;
	rec.out = (uint8_t)out;
	for (i = 0; i < r->nblock; i++)
		if (r->block[i].guid == rec.guid && r->block[i].in == rec.in &&
			r->block[i].out == rec.out)
			return state_records_complain(
				r, r->line, "block", "given twice");
	r->block =
		mem_grow(r->block, r->nblock, &r->block_cap, sizeof(*r->block));
	r->block[r->nblock++] = rec;
	return 0;
}

static int
read_saved(struct state_file_reader *r, char *s)
{
	struct state_file_stamp *at = &r->s->saved;

	if (at->when != 0)
		return state_records_complain(
			r, r->line, "saved", "given twice");
	if (!state_records_number(next_word(&s), 10, UINT32_MAX, &at->when) ||
		at->when == 0)
		return state_records_complain(
			r, r->line, "saved", "not seconds since 1970");
	if (s != NULL &&
		(!state_records_number(
			 next_word(&s), 16, UINT64_MAX, &at->boot) ||
			!state_records_number(s, 10, UINT32_MAX, &at->up)))
		return state_records_complain(r, r->line, "boot",
			"not 0x and hexadecimal digits, and seconds");
	return 0;
}

static void
keep_blocks(struct state_file_reader *r)
{
	struct state_file_blocked *b =
		arena_array(r->s->arena, r->nblock, sizeof(*b));

	for (size_t i = 0; i < r->nblock; i++)
		b[i] = r->block[i];
	r->s->block = b;
	r->s->nblock = r->nblock;
}

static void
print_blocks(const struct state_file *s, struct buf *out)
{
	for (size_t i = 0; i < s->nblock; i++)
		buf_printf(out,
			"block 0x%016" PRIx64 " %u %u %016" PRIx64 " %" PRIu64
			" %" PRIu64 "\n",
			s->block[i].guid, s->block[i].in, s->block[i].out,
			s->block[i].row, s->block[i].pairs, s->block[i].age);
}

static void
print_saved(const struct state_file *s, struct buf *out)
{
	if (s->saved.when == 0)
		return;
	buf_printf(out, "saved %" PRIu64, s->saved.when);
	if (s->saved.boot != 0)
		buf_printf(out, " 0x%016" PRIx64 " %" PRIu64, s->saved.boot,
			s->saved.up);
	buf_printf(out, "\n");
}

/* ---- subnet administration ---- */

/* The SA judges the text itself. */
static int
read_sa(struct state_file_reader *r, char *s)
{
	if (s == NULL)
		return state_records_complain(r, r->line, "sa", "is empty");
	buf_printf(&r->sa, "%s\n", s);
	return 0;
}

static void
keep_sa(struct state_file_reader *r)
{
	if (r->sa.n > 0)
		r->s->sa = arena_strdup(r->s->arena, r->sa.text);
}

static void
print_sa(const struct state_file *s, struct buf *out)
{
	const char *line = s->sa;

	while (line != NULL && *line != '\0') {
		size_t n = strcspn(line, "\n");

		buf_put(out, "sa ", 3);
		buf_put(out, line, n);
		buf_put(out, "\n", 1);
		line += n + (line[n] == '\n');
	}
}

/* ---- groups and members ---- */

/* Without these records a restart would take multicast away from every host
 * until the last of them has joined again. */
enum {
	MLID_FIRST = 0xc000,
	MLID_LAST = 0xfffd,
	STATE_MAX = 15,
	FLOW_MAX = 0xfffff,
	FIELDS = 12,
};

/* A field of a group: its base and highest value. */
struct field {
	const char *name;
	int base;
	uint64_t max;
};

static int
read_group(struct state_file_reader *r, char *s)
{
	static const struct field field[FIELDS] = {
		{"MGID", 16, UINT64_MAX},
		{"MGID", 16, UINT64_MAX},
		{"MLID", 16, MLID_LAST},
		{"P_Key", 16, UINT16_MAX},
		{"Q_Key", 16, UINT32_MAX},
		{"MTU", 10, 63},
		{"rate", 10, 63},
		{"lifetime", 10, 63},
		{"SL", 10, 15},
		{"traffic class", 10, UINT8_MAX},
		{"flow label", 16, FLOW_MAX},
		{"hop limit", 10, UINT8_MAX},
	};
	uint64_t v[FIELDS];

	for (unsigned i = 0; i < FIELDS; i++)
		if (!state_records_number(
			    next_word(&s), field[i].base, field[i].max, &v[i]))
			return state_records_complain(
				r, r->line, field[i].name, "no such number");
	if (s != NULL)
		return state_records_complain(r, r->line, "group", "too much");
	if (v[0] >> 56 != 0xff || v[2] < MLID_FIRST)
		return state_records_complain(
			r, r->line, "group", "not a multicast address");
	r->group =
		mem_grow(r->group, r->ngroup, &r->group_cap, sizeof(*r->group));
	r->group[r->ngroup++] = (struct state_file_group){
		.mgid = {v[0], v[1]},
		.mlid = (uint16_t)v[2],
		.pkey = (uint16_t)v[3],
		.qkey = (uint32_t)v[4],
		.mtu = (uint8_t)v[5],
		.rate = (uint8_t)v[6],
		.life = (uint8_t)v[7],
		.sl = (uint8_t)v[8],
		.tclass = (uint8_t)v[9],
		.flow = (uint32_t)v[10],
		.hops = (uint8_t)v[11],
		.first = r->nmember,
	};
	return 0;
}

static int
read_member(struct state_file_reader *r, char *s)
{
	struct state_file_member rec = {0};
	const char *proxy;
	uint64_t state;

	if (r->ngroup == 0)
		return state_records_complain(
			r, r->line, "member", "of no group");
	if (state_records_guid(r, &s, &rec.guid) < 0 ||
		state_records_guid(r, &s, &rec.owner) < 0)
		return -1;
	if (!state_records_number(next_word(&s), 10, STATE_MAX, &state) ||
		state == 0)
		return state_records_complain(
			r, r->line, "state", "not a number from 1 to 15");
	proxy = next_word(&s);
	if (s != NULL || (proxy != NULL && strcmp(proxy, "proxy") != 0))
		return state_records_complain(r, r->line, "member", "too much");
	rec.state = (uint8_t)state;
	rec.proxy = proxy != NULL;
	r->member = mem_grow(
		r->member, r->nmember, &r->member_cap, sizeof(*r->member));
	r->member[r->nmember++] = rec;
	r->group[r->ngroup - 1].n++;
	return 0;
}

static void
print_groups(const struct state_file *s, struct buf *out)
{
	for (size_t i = 0; i < s->ngroup; i++) {
		const struct state_file_group *g = &s->group[i];

		buf_printf(out,
			"group 0x%016" PRIx64 " 0x%016" PRIx64
			" 0x%04x 0x%04x 0x%08" PRIx32
			" %u %u %u %u %u 0x%" PRIx32 " %u\n",
			g->mgid[0], g->mgid[1], g->mlid, g->pkey, g->qkey,
			g->mtu, g->rate, g->life, g->sl, g->tclass, g->flow,
			g->hops);
		for (size_t k = g->first; k < g->first + g->n; k++) {
			const struct state_file_member *m = &s->member[k];

			buf_printf(out,
				"member 0x%016" PRIx64 " 0x%016" PRIx64
				" %u%s\n",
				m->guid, m->owner, m->state,
				m->proxy ? " proxy" : "");
		}
	}
}

static void
keep_groups(struct state_file_reader *r)
{
	struct state_file *s = r->s;
	struct state_file_group *g =
		arena_array(s->arena, r->ngroup, sizeof(*g));
	struct state_file_member *m =
		arena_array(s->arena, r->nmember, sizeof(*m));

	for (size_t i = 0; i < r->ngroup; i++)
		g[i] = r->group[i];
	for (size_t i = 0; i < r->nmember; i++)
		m[i] = r->member[i];
	s->group = g;
	s->ngroup = r->ngroup;
	s->member = m;
	s->nmember = r->nmember;
}

/* ---- layers that connections may still use ---- */

enum { LAYERS_MAX = 8 }; /* sl_history.h */

static int
read_layers(struct state_file_reader *r, char *s)
{
	uint64_t n;

	if (r->s->layers != 0 ||
		!state_records_number(next_word(&s), 10, LAYERS_MAX, &n) ||
		n == 0 || s != NULL)
		return state_records_complain(r, r->line, "lanes",
			r->s->layers != 0 ? "given twice"
					  : "not a number from 1 to 8");
	r->s->layers = (unsigned)n;
	return 0;
}

/* Pairs of hexadecimal digits into the arena; 0: the text is not that. */
static size_t
read_masks(struct state_file_reader *r, const char *s, const uint8_t **out)
{
	size_t n = strlen(s) / 2;
	uint8_t *mask = arena_array(r->s->arena, n, 1);
	char text[5] = "0x";

	if (strlen(s) % 2 != 0)
		return 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t v;

		memcpy(text + 2, s + 2 * i, 2);
		if (!state_records_number(text, 16, UINT8_MAX, &v))
			return 0;
		mask[i] = (uint8_t)v;
	}
	*out = mask;
	return n;
}

static int
read_leaf(struct state_file_reader *r, char *s)
{
	struct state_file_leaf_line l = {.line = r->line};
	const char *w;

	if (state_records_guid(r, &s, &l.rec.guid) < 0)
		return -1;
	w = next_word(&s);
	l.rec.any = w != NULL && strcmp(w, "any") == 0;
	if (w != NULL && !l.rec.any && strcmp(w, "-") != 0)
		l.n = read_masks(r, w, &l.rec.mask);
	if (w == NULL || s != NULL ||
		(!l.rec.any && *w != '-' && l.rec.mask == NULL))
		return state_records_complain(r, r->line, "leaf",
			"neither -, any, nor pairs of hexadecimal digits");
	r->leaf = mem_grow(r->leaf, r->nleaf, &r->leaf_cap, sizeof(*r->leaf));
	r->leaf[r->nleaf++] = l;
	return 0;
}

/* Every row of masks has one for each leaf, and no leaf is listed twice. */
static int
check_leaves(struct state_file_reader *r)
{
	struct map seen = {0};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < r->nleaf; i++) {
		const struct state_file_leaf_line *l = &r->leaf[i];

		if (map_get(&seen, l->rec.guid, NULL))
			rc = state_records_complain(
				r, l->line, "leaf", "given twice");
		else if (l->rec.mask != NULL && l->n != r->nleaf)
			rc = state_records_complain(r, l->line, "leaf",
				"not two digits for each leaf");
		map_put(&seen, l->rec.guid, 0);
	}
	map_free(&seen);
	return rc;
}

static void
keep_leaves(struct state_file_reader *r)
{
	struct state_file_sl_history *l =
		arena_array(r->s->arena, r->nleaf, sizeof(*l));

	for (size_t i = 0; i < r->nleaf; i++)
		l[i] = r->leaf[i].rec;
	r->s->leaf = l;
	r->s->nleaf = r->nleaf;
}

static void
print_layers(const struct state_file *s, struct buf *out)
{
	if (s->layers != 0)
		buf_printf(out, "lanes %u\n", s->layers);
}

static void
print_leaves(const struct state_file *s, struct buf *out)
{
	static const char digit[] = "0123456789abcdef";

	for (size_t i = 0; i < s->nleaf; i++) {
		const struct state_file_sl_history *l = &s->leaf[i];

		buf_printf(out, "leaf 0x%016" PRIx64 " ", l->guid);
		if (l->any || l->mask == NULL)
			buf_printf(out, "%s", l->any ? "any" : "-");
		for (size_t k = 0; !l->any && l->mask && k < s->nleaf; k++) {
			const char c[2] = {
				digit[l->mask[k] >> 4], digit[l->mask[k] & 15]};

			buf_put(out, c, 2);
		}
		buf_put(out, "\n", 1);
	}
}

/* ---- the table ---- */

/* In the order of the file. NULL: nothing to be done, or done with another
 * record. */
static const struct codec {
	const char *name;
	int (*read)(struct state_file_reader *r, char *s);
	int (*check)(struct state_file_reader *r);
	void (*keep)(struct state_file_reader *r);
	void (*print)(const struct state_file *s, struct buf *out);
} codecs[] = {
	{"fabric", read_prefix, NULL, NULL, print_prefix},
	{"lid", read_lid, check_lids, keep_lids, print_lids},
	{"routed", read_routed, NULL, NULL, print_routed},
	{"turn", read_sftree_root, NULL, NULL, print_sftree_root},
	{"order", read_order, NULL, NULL, print_order},
	{"rank", read_rank, check_ranks, keep_ranks, print_ranks},
	{"read", read_reading, NULL, NULL, print_reading},
	{"block", read_block, NULL, keep_blocks, print_blocks},
	{"saved", read_saved, NULL, NULL, print_saved},
	{"sa", read_sa, NULL, keep_sa, print_sa},
	{"group", read_group, NULL, keep_groups, print_groups},
	{"member", read_member, NULL, NULL, NULL},
	{"lanes", read_layers, NULL, NULL, print_layers},
	{"leaf", read_leaf, check_leaves, keep_leaves, print_leaves},
	{"pin", state_pins_read, NULL, state_pins_keep, state_pins_print},
	{"unnamed", state_pins_read_unnamed, NULL, NULL, NULL},
};

enum { CODECS = sizeof(codecs) / sizeof(codecs[0]) };

int
state_records_read(struct state_file_reader *r, char *s)
{
	char *w = next_word(&s);
	size_t i;

	for (i = 0; i < CODECS; i++)
		if (w != NULL && strcmp(w, codecs[i].name) == 0)
			return codecs[i].read(r, s);
	return state_records_complain(r, r->line, "record",
		"none of lid, rank, order, read, routed, turn, fabric, block, "
		"saved, sa, group, member, lanes, leaf, pin, unnamed");
}

int
state_records_check(struct state_file_reader *r)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < CODECS; i++)
		if (codecs[i].check != NULL)
			rc = codecs[i].check(r);
	return rc;
}

void
state_records_keep(struct state_file_reader *r)
{
	for (size_t i = 0; i < CODECS; i++)
		if (codecs[i].keep != NULL)
			codecs[i].keep(r);
}

void
state_records_print(const struct state_file *s, struct buf *out)
{
	for (size_t i = 0; i < CODECS; i++)
		if (codecs[i].print != NULL)
			codecs[i].print(s, out);
}

void
state_records_free(struct state_file_reader *r)
{
	free(r->lid);
	free(r->rank);
	free(r->block);
	buf_free(&r->sa);
	free(r->group);
	free(r->leaf);
	free(r->member);
	free(r->pin);
	free(r->unnamed);
}
