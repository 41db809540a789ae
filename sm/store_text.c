#include "sm/store_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/buf.h"
#include "sm/base/map.h"
#include "sm/base/mem.h"

enum {
	VERSION = 1,
	LID_MAX = 0xbfff, /* the last unicast LID (IBA 4.1.3) */
	LMC_MAX = 7,
	LANES_MAX = 8,	     /* past.h */
	NAME_MAX_BYTES = 64, /* NodeDescription (IBA 14.2.5.2) */
};

#define HEADER "heddle-state "

/* A file being read; records keep their line until they are believed. */
struct lid_line {
	struct store_lid rec;
	unsigned line;
};

struct rank_line {
	struct store_rank rec;
	unsigned line;
};

struct leaf_line {
	struct store_leaf rec;
	size_t n; /* of masks */
	unsigned line;
};

struct reader {
	const char *path;
	struct store_state *s;
	struct reason *why;
	struct lid_line *lid;
	struct rank_line *rank;
	size_t nlid, lid_cap;
	size_t nrank, rank_cap;
	struct store_block *block;
	size_t nblock, block_cap;
	struct leaf_line *leaf;
	size_t nleaf, leaf_cap;
	unsigned line;
	bool has_prefix, has_order, has_routed;
};

static uint64_t
checksum(const char *p, size_t n)
{
	uint64_t h = 0xcbf29ce484222325U; /* FNV-1a, 64 bits */
	size_t i;

	for (i = 0; i < n; i++)
		h = (h ^ (unsigned char)p[i]) * 0x100000001b3U;
	return h;
}

static int
complain(struct reader *r, unsigned line, const char *field, const char *what)
{
	return reason_set(r->why, "%s:%u: %s: %s", r->path, line, field, what);
}

/* Cut the next word off *s at a space; NULL when there is none. */
static char *
word(char **s)
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

/* A number of digits only (0x for base 16) and at most max. */
static bool
number(const char *s, int base, uint64_t max, uint64_t *v)
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

static int
read_guid(struct reader *r, char **s, uint64_t *guid)
{
	if (!number(word(s), 16, UINT64_MAX, guid) || *guid == 0)
		return complain(r, r->line, "GUID",
			"not 0x and hexadecimal digits, or 0");
	return 0;
}

/* The rest of a lid line: nothing, or a name in quotes. */
static int
read_name(struct reader *r, char *s, const char **name)
{
	size_t n = s == NULL ? 0 : strlen(s);

	*name = NULL;
	if (n == 0)
		return 0;
	if (n < 2 || n > NAME_MAX_BYTES + 2 || s[0] != '"' || s[n - 1] != '"')
		return complain(r, r->line, "name",
			"not a text in quotes of at most 64 bytes");
	s[n - 1] = '\0';
	*name = arena_strdup(r->s->arena, s + 1);
	return 0;
}

static int
read_lid(struct reader *r, char *s)
{
	struct store_lid rec = {0};
	uint64_t lid, lmc;

	if (read_guid(r, &s, &rec.guid) < 0)
		return -1;
	if (!number(word(&s), 10, LID_MAX, &lid) || lid == 0)
		return complain(
			r, r->line, "LID", "not a number from 1 to 49151");
	if (!number(word(&s), 10, LMC_MAX, &lmc))
		return complain(r, r->line, "LMC", "not a number from 0 to 7");
	if (read_name(r, s, &rec.name) < 0)
		return -1;
	rec.lid = (uint16_t)lid;
	rec.lmc = (uint8_t)lmc;
	r->lid = mem_grow(r->lid, r->nlid, &r->lid_cap, sizeof(*r->lid));
	r->lid[r->nlid++] = (struct lid_line){rec, r->line};
	return 0;
}

static int
read_rank(struct reader *r, char *s)
{
	struct store_rank rec = {0};
	uint64_t rank;

	if (read_guid(r, &s, &rec.guid) < 0)
		return -1;
	if (!number(word(&s), 10, UINT32_MAX, &rank) || s != NULL)
		return complain(r, r->line, "rank", "not a 32-bit number");
	rec.rank = (uint32_t)rank;
	r->rank = mem_grow(r->rank, r->nrank, &r->rank_cap, sizeof(*r->rank));
	r->rank[r->nrank++] = (struct rank_line){rec, r->line};
	return 0;
}

static int
read_block(struct reader *r, char *s)
{
	struct store_block rec = {0};
	uint64_t in, out;
	const char *row;
	size_t i;
	char text[24];

	if (read_guid(r, &s, &rec.guid) < 0)
		return -1;
	if (!number(word(&s), 10, 254, &in) || !number(word(&s), 10, 254, &out))
		return complain(
			r, r->line, "port", "not a number from 0 to 254");
	row = word(&s);
	(void)snprintf(text, sizeof(text), "0x%s", row != NULL ? row : "");
	if (row == NULL || strlen(row) != 16 ||
		!number(text, 16, UINT64_MAX, &rec.row))
		return complain(r, r->line, "row",
			"not 16 hexadecimal digits, one for each SL");
	if (!number(word(&s), 10, UINT64_MAX, &rec.pairs) || s != NULL)
		return complain(r, r->line, "pairs", "not a number");
	rec.in = (uint8_t)in;
	rec.out = (uint8_t)out;
	for (i = 0; i < r->nblock; i++)
		if (r->block[i].guid == rec.guid && r->block[i].in == rec.in &&
			r->block[i].out == rec.out)
			return complain(r, r->line, "block", "given twice");
	r->block =
		mem_grow(r->block, r->nblock, &r->block_cap, sizeof(*r->block));
	r->block[r->nblock++] = rec;
	return 0;
}

static int
read_lanes(struct reader *r, char *s)
{
	uint64_t n;

	if (r->s->lanes != 0 || !number(word(&s), 10, LANES_MAX, &n) ||
		n == 0 || s != NULL)
		return complain(r, r->line, "lanes",
			r->s->lanes != 0 ? "given twice"
					 : "not a number from 1 to 8");
	r->s->lanes = (unsigned)n;
	return 0;
}

/* Pairs of hexadecimal digits into the arena; 0: they are not that. */
static size_t
read_masks(struct reader *r, const char *s, const uint8_t **out)
{
	size_t n = strlen(s) / 2;
	uint8_t *mask = arena_array(r->s->arena, n, 1);
	char text[5] = "0x";

	if (strlen(s) % 2 != 0)
		return 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t v;

		memcpy(text + 2, s + 2 * i, 2);
		if (!number(text, 16, UINT8_MAX, &v))
			return 0;
		mask[i] = (uint8_t)v;
	}
	*out = mask;
	return n;
}

static int
read_leaf(struct reader *r, char *s)
{
	struct leaf_line l = {.line = r->line};
	const char *w;

	if (read_guid(r, &s, &l.rec.guid) < 0)
		return -1;
	w = word(&s);
	l.rec.any = w != NULL && strcmp(w, "any") == 0;
	if (w != NULL && !l.rec.any && strcmp(w, "-") != 0)
		l.n = read_masks(r, w, &l.rec.mask);
	if (w == NULL || s != NULL ||
		(!l.rec.any && *w != '-' && l.rec.mask == NULL))
		return complain(r, r->line, "leaf",
			"neither -, any, nor pairs of hexadecimal digits");
	r->leaf = mem_grow(r->leaf, r->nleaf, &r->leaf_cap, sizeof(*r->leaf));
	r->leaf[r->nleaf++] = l;
	return 0;
}

static bool
order_ok(const char *s, size_t max)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
	size_t n = strnlen(s, max);

	return n > 0 && n < max && strspn(s, letters) == n;
}

static int
read_order(struct reader *r, char *s)
{
	if (r->has_order || s == NULL || !order_ok(s, sizeof(r->s->order)))
		return complain(r, r->line, "order",
			r->has_order ? "given twice"
				     : "not a word of at most 15 letters");
	r->has_order = true;
	(void)snprintf(r->s->order, sizeof(r->s->order), "%s", s);
	return 0;
}

static int
read_routed(struct reader *r, char *s)
{
	if (r->has_routed || !number(word(&s), 16, UINT64_MAX, &r->s->routed) ||
		!number(s, 10, UINT64_MAX, &r->s->load))
		return complain(r, r->line, "routed",
			r->has_routed ? "given twice"
				      : "not a hash such as "
					"0x9f3b52d10c77a4e8 and a number");
	r->has_routed = true;
	return 0;
}

static int
read_turn(struct reader *r, char *s)
{
	if (r->s->turn != 0)
		return complain(r, r->line, "turn", "given twice");
	if (read_guid(r, &s, &r->s->turn) < 0)
		return -1;
	return s == NULL ? 0 : complain(r, r->line, "turn", "not one GUID");
}

static int
read_prefix(struct reader *r, char *s)
{
	char *w = word(&s);

	if (r->has_prefix || s != NULL ||
		!number(w, 16, UINT64_MAX, &r->s->prefix))
		return complain(r, r->line, "fabric",
			r->has_prefix ? "given twice"
				      : "not a subnet prefix such as "
					"0xfe80000000000000");
	r->has_prefix = true;
	return 0;
}

static int
read_line(struct reader *r, char *s)
{
	static const struct {
		const char *name;
		int (*read)(struct reader *r, char *s);
	} kind[] = {
		{"lid", read_lid},
		{"rank", read_rank},
		{"order", read_order},
		{"routed", read_routed},
		{"turn", read_turn},
		{"fabric", read_prefix},
		{"block", read_block},
		{"lanes", read_lanes},
		{"leaf", read_leaf},
	};
	char *w = word(&s);
	size_t i;

	for (i = 0; i < sizeof(kind) / sizeof(kind[0]); i++)
		if (w != NULL && strcmp(w, kind[i].name) == 0)
			return kind[i].read(r, s);
	return complain(r, r->line, "record",
		"none of lid, rank, order, routed, turn, fabric, block, lanes, "
		"leaf");
}

/*
 * Judge header and checksum: both must hold before a record is looked at.
 * *body is what lies between them.
 */
static int
read_frame(struct reader *r, char *text, size_t n, char **body, char **end)
{
	const char *eol = memchr(text, '\n', n);
	uint64_t version, sum;
	char *s, *last;

	r->line = 1;
	if (eol == NULL || strncmp(text, HEADER, strlen(HEADER)) != 0)
		return complain(r, 1, "header", "not a heddle-state file");
	*body = text + (eol - text) + 1;
	(*body)[-1] = '\0';
	if (!number(text + strlen(HEADER), 10, UINT32_MAX, &version))
		return complain(r, 1, "header", "no version");
	if (version != VERSION)
		return reason_set(r->why,
			"%s:1: header: version %" PRIu64
			" is not one this program reads (%d)",
			r->path, version, VERSION);
	(*body)[-1] = '\n';
	if (memchr(text, '\0', n) != NULL)
		return complain(r, 1, "file", "has bytes of zero");
	last = memrchr(text, '\n', n - 1);
	s = last == NULL ? text : last + 1;
	if (text[n - 1] != '\n' || strncmp(s, "checksum ", 9) != 0 || s < *body)
		return reason_set(r->why,
			"%s: checksum: not at the end; the file is cut short",
			r->path);
	text[n - 1] = '\0';
	if (!number(s + 9, 16, UINT64_MAX, &sum) ||
		sum != checksum(text, (size_t)(s - text)))
		return reason_set(r->why,
			"%s: checksum: does not match the content", r->path);
	*end = s;
	return 0;
}

static int
lid_by_guid(const void *a, const void *b)
{
	const struct lid_line *x = a, *y = b;

	if (x->rec.guid != y->rec.guid)
		return x->rec.guid < y->rec.guid ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

static int
lid_by_lid(const void *a, const void *b)
{
	const struct lid_line *x = a, *y = b;

	if (x->rec.lid != y->rec.lid)
		return x->rec.lid < y->rec.lid ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

static int
rank_by_guid(const void *a, const void *b)
{
	const struct rank_line *x = a, *y = b;

	if (x->rec.guid != y->rec.guid)
		return x->rec.guid < y->rec.guid ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

/* The rules between LID records; leaves them sorted by GUID. */
static int
check_lids(struct reader *r)
{
	const struct lid_line *p;
	size_t i;

	if (r->nlid == 0)
		return 0;
	qsort(r->lid, r->nlid, sizeof(*r->lid), lid_by_lid);
	for (i = 0; i < r->nlid; i++) {
		uint32_t size = 1u << r->lid[i].rec.lmc;

		p = &r->lid[i];
		if (p->rec.lid % size != 0)
			return complain(r, p->line, "LID",
				"not a multiple of 2 to the power of its LMC");
		if (p->rec.lid + size - 1 > LID_MAX)
			return complain(r, p->line, "LID",
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

static int
check_ranks(struct reader *r)
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

/* Every row of masks has one for each leaf, and no leaf is there twice. */
static int
check_leaves(struct reader *r)
{
	struct map seen = {0};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < r->nleaf; i++) {
		const struct leaf_line *l = &r->leaf[i];

		if (map_get(&seen, l->rec.guid, NULL))
			rc = complain(r, l->line, "leaf", "given twice");
		else if (l->rec.mask != NULL && l->n != r->nleaf)
			rc = complain(r, l->line, "leaf",
				"not two digits for each leaf");
		map_put(&seen, l->rec.guid, 0);
	}
	map_free(&seen);
	return rc;
}

static void
keep_leaves(struct reader *r)
{
	struct store_leaf *l = arena_array(r->s->arena, r->nleaf, sizeof(*l));

	for (size_t i = 0; i < r->nleaf; i++)
		l[i] = r->leaf[i].rec;
	r->s->leaf = l;
	r->s->nleaf = r->nleaf;
}

static const struct store_block *
keep_blocks(struct reader *r)
{
	struct store_block *b = arena_array(r->s->arena, r->nblock, sizeof(*b));
	size_t i;

	for (i = 0; i < r->nblock; i++)
		b[i] = r->block[i];
	return b;
}

/* Move what was read and judged into the state's arena. */
static void
keep(struct reader *r)
{
	struct store_lid *lid = arena_array(r->s->arena, r->nlid, sizeof(*lid));
	struct store_rank *rank =
		arena_array(r->s->arena, r->nrank, sizeof(*rank));
	size_t i;

	for (i = 0; i < r->nlid; i++)
		lid[i] = r->lid[i].rec;
	for (i = 0; i < r->nrank; i++)
		rank[i] = r->rank[i].rec;
	keep_leaves(r);
	r->s->block = keep_blocks(r);
	r->s->nblock = r->nblock;
	r->s->lid = lid;
	r->s->nlid = r->nlid;
	r->s->rank = rank;
	r->s->nrank = r->nrank;
}

int
store_text_read(const char *path, char *text, size_t n, struct store_state *st,
	struct reason *why)
{
	struct reader reader = {.path = path, .s = st, .why = why};
	struct reader *r = &reader;
	char *s = text, *end = text, *eol;
	int rc = read_frame(r, text, n, &s, &end);

	for (r->line = 2; rc == 0 && s < end; s = eol + 1, r->line++) {
		eol = memchr(s, '\n', (size_t)(end - s));
		*eol = '\0'; /* end follows a newline */
		rc = read_line(r, s);
	}
	if (rc == 0)
		rc = check_lids(r);
	if (rc == 0)
		rc = check_ranks(r);
	if (rc == 0)
		rc = check_leaves(r);
	if (rc == 0)
		keep(r);
	free(r->lid);
	free(r->rank);
	free(r->block);
	free(r->leaf);
	return rc;
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
print_leaves(const struct store_state *s, struct buf *out)
{
	static const char digit[] = "0123456789abcdef";

	if (s->lanes != 0)
		buf_printf(out, "lanes %u\n", s->lanes);
	for (size_t i = 0; i < s->nleaf; i++) {
		const struct store_leaf *l = &s->leaf[i];

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

void
store_text_print(const struct store_state *s, struct buf *out)
{
	size_t i;

	buf_printf(out, HEADER "%d\n", VERSION);
	if (s->prefix != 0)
		buf_printf(out, "fabric 0x%016" PRIx64 "\n", s->prefix);
	for (i = 0; i < s->nlid; i++) {
		buf_printf(out, "lid 0x%016" PRIx64 " %u %u", s->lid[i].guid,
			s->lid[i].lid, s->lid[i].lmc);
		if (s->lid[i].name != NULL)
			print_name(s->lid[i].name, out);
		buf_put(out, "\n", 1);
	}
	if (s->routed != 0)
		buf_printf(out, "routed 0x%016" PRIx64 " %" PRIu64 "\n",
			s->routed, s->load);
	if (s->turn != 0)
		buf_printf(out, "turn 0x%016" PRIx64 "\n", s->turn);
	if (s->order[0] != '\0')
		buf_printf(
			out, "order %.*s\n", (int)sizeof(s->order), s->order);
	for (i = 0; i < s->nrank; i++)
		buf_printf(out, "rank 0x%016" PRIx64 " %" PRIu32 "\n",
			s->rank[i].guid, s->rank[i].rank);
	for (i = 0; i < s->nblock; i++)
		buf_printf(out,
			"block 0x%016" PRIx64 " %u %u %016" PRIx64 " %" PRIu64
			"\n",
			s->block[i].guid, s->block[i].in, s->block[i].out,
			s->block[i].row, s->block[i].pairs);
	print_leaves(s, out);
	buf_printf(out, "checksum 0x%016" PRIx64 "\n",
		checksum(out->text, out->n));
}
