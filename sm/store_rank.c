#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "sm/store_priv.h"

static const char *const as_word[STORE_READ] = {
	[STORE_TREE] = "tree", [STORE_MESH] = "mesh"};

int
store_rank_read(struct store_reader *r, char *s)
{
	struct store_rank rec = {0};
	uint64_t rank;

	if (store_guid(r, &s, &rec.guid) < 0)
		return -1;
	if (!store_number(store_word(&s), 10, UINT32_MAX, &rank))
		return store_complain(
			r, r->line, "rank", "not a 32-bit number");
	rec.read = store_one_of(as_word, STORE_READ, &s);
	if (s != NULL)
		return store_complain(r, r->line, "read as",
			"neither tree nor mesh, or more than one word");
	rec.rank = (uint32_t)rank;
	r->rank = mem_grow(r->rank, r->nrank, &r->rank_cap, sizeof(*r->rank));
	r->rank[r->nrank++] = (struct store_rank_line){rec, r->line};
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
store_rank_order(struct store_reader *r, char *s)
{
	if (r->has_order || s == NULL || !order_ok(s, sizeof(r->s->order)))
		return store_complain(r, r->line, "order",
			r->has_order ? "given twice"
				     : "not a word of at most 15 letters");
	r->has_order = true;
	(void)snprintf(r->s->order, sizeof(r->s->order), "%s", s);
	return 0;
}

int
store_rank_reading(struct store_reader *r, char *s)
{
	const char *engine = store_word(&s);

	if (r->has_read || engine == NULL ||
		!order_ok(engine, sizeof(r->s->engine)))
		return store_complain(r, r->line, "read",
			r->has_read ? "given twice"
				    : "no engine of at most 15 letters");
	if (!store_number(store_word(&s), 16, UINT64_MAX, &r->s->options))
		return store_complain(r, r->line, "options",
			"not a hash such as 0x9f3b52d10c77a4e8");
	if (!store_number(s, 10, UINT32_MAX, &r->s->read))
		return store_complain(
			r, r->line, "time", "not seconds since 1970");
	r->has_read = true;
	(void)snprintf(r->s->engine, sizeof(r->s->engine), "%s", engine);
	return 0;
}

static int
rank_by_guid(const void *a, const void *b)
{
	const struct store_rank_line *x = a, *y = b;

	if (x->rec.guid != y->rec.guid)
		return x->rec.guid < y->rec.guid ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

int
store_rank_check(struct store_reader *r)
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
store_rank_keep(struct store_reader *r)
{
	struct store_rank *rank =
		arena_array(r->s->arena, r->nrank, sizeof(*rank));

	for (size_t i = 0; i < r->nrank; i++)
		rank[i] = r->rank[i].rec;
	r->s->rank = rank;
	r->s->nrank = r->nrank;
}

void
store_rank_print(const struct store_state *s, struct buf *out)
{
	if (s->order[0] != '\0')
		buf_printf(
			out, "order %.*s\n", (int)sizeof(s->order), s->order);
	for (size_t i = 0; i < s->nrank; i++) {
		const struct store_rank *r = &s->rank[i];

		buf_printf(out, "rank 0x%016" PRIx64 " %" PRIu32, r->guid,
			r->rank);
		if (r->read == STORE_TREE || r->read == STORE_MESH)
			buf_printf(out, " %s", as_word[r->read]);
		buf_put(out, "\n", 1);
	}
	if (s->engine[0] != '\0')
		buf_printf(out, "read %.*s 0x%016" PRIx64 " %" PRIu64 "\n",
			(int)sizeof(s->engine), s->engine, s->options, s->read);
}
