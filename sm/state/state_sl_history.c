#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/map.h"
#include "sm/base/mem.h"
#include "sm/state/state_file_priv.h"

enum { LANES_MAX = 8 }; /* sl_history.h */

int
state_sl_history_layers(struct state_file_reader *r, char *s)
{
	uint64_t n;

	if (r->s->lanes != 0 ||
		!state_file_number(state_file_word(&s), 10, LANES_MAX, &n) ||
		n == 0 || s != NULL)
		return state_file_complain(r, r->line, "lanes",
			r->s->lanes != 0 ? "given twice"
					 : "not a number from 1 to 8");
	r->s->lanes = (unsigned)n;
	return 0;
}

/* Pairs of hexadecimal digits into the arena; 0: they are not that. */
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
		if (!state_file_number(text, 16, UINT8_MAX, &v))
			return 0;
		mask[i] = (uint8_t)v;
	}
	*out = mask;
	return n;
}

int
state_sl_history_read(struct state_file_reader *r, char *s)
{
	struct state_sl_history_line l = {.line = r->line};
	const char *w;

	if (state_file_guid(r, &s, &l.rec.guid) < 0)
		return -1;
	w = state_file_word(&s);
	l.rec.any = w != NULL && strcmp(w, "any") == 0;
	if (w != NULL && !l.rec.any && strcmp(w, "-") != 0)
		l.n = read_masks(r, w, &l.rec.mask);
	if (w == NULL || s != NULL ||
		(!l.rec.any && *w != '-' && l.rec.mask == NULL))
		return state_file_complain(r, r->line, "leaf",
			"neither -, any, nor pairs of hexadecimal digits");
	r->leaf = mem_grow(r->leaf, r->nleaf, &r->leaf_cap, sizeof(*r->leaf));
	r->leaf[r->nleaf++] = l;
	return 0;
}

/* Every row of masks has one for each leaf, and no leaf is there twice. */
int
state_sl_history_check(struct state_file_reader *r)
{
	struct map seen = {0};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < r->nleaf; i++) {
		const struct state_sl_history_line *l = &r->leaf[i];

		if (map_get(&seen, l->rec.guid, NULL))
			rc = state_file_complain(
				r, l->line, "leaf", "given twice");
		else if (l->rec.mask != NULL && l->n != r->nleaf)
			rc = state_file_complain(r, l->line, "leaf",
				"not two digits for each leaf");
		map_put(&seen, l->rec.guid, 0);
	}
	map_free(&seen);
	return rc;
}

void
state_sl_history_keep(struct state_file_reader *r)
{
	struct state_file_sl_history *l =
		arena_array(r->s->arena, r->nleaf, sizeof(*l));

	for (size_t i = 0; i < r->nleaf; i++)
		l[i] = r->leaf[i].rec;
	r->s->leaf = l;
	r->s->nleaf = r->nleaf;
}

void
state_sl_history_print(const struct state_file *s, struct buf *out)
{
	static const char digit[] = "0123456789abcdef";

	if (s->lanes != 0)
		buf_printf(out, "lanes %u\n", s->lanes);
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
