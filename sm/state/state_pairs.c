/*
 * Records of the state file: the layer of each pair of switches, the same both
 * ways, by the routes in force; where there are several layers. Line n has n
 * digits.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/map.h"
#include "sm/base/mem.h"
#include "sm/state/state_file_priv.h"

static int
read_pairs(struct state_file_reader *r, char *s)
{
	struct state_file_pairs_line l = {.line = r->line};
	size_t n;

	(void)state_rows_of(r, NULL, &n);
	n++;
	if (state_words_guid(r, &s, &l.rec.guid) < 0)
		return -1;
	if (s == NULL || strlen(s) != n || strspn(s, "0123456789abcdef") != n)
		return state_words_complain(r, r->line, "pairs",
			"not a hexadecimal digit for each switch so far");
	l.rec.layer = arena_strdup(r->s->arena, s);
	state_rows_add(r, &l);
	return 0;
}

/* Whether all digits are layers that there are. */
static bool
are_layers(const char *digits, unsigned layers)
{
	static const char all[] = "0123456789abcdef";
	char below[sizeof(all)] = "";

	memcpy(below, all, layers);
	return digits[strspn(digits, below)] == '\0';
}

/* No switch is listed twice. */
static int
check_pairs(struct state_file_reader *r)
{
	size_t n;
	const struct state_file_pairs_line *l = state_rows_of(r, NULL, &n);
	struct map seen = {0};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++, l++) {
		if (map_get(&seen, l->rec.guid, NULL))
			rc = state_words_complain(
				r, l->line, "pairs", "given twice");
		else if (!are_layers(l->rec.layer, r->s->layers))
			rc = state_words_complain(r, l->line, "pairs",
				"a layer beyond those of record lanes");
		map_put(&seen, l->rec.guid, 0);
	}
	map_free(&seen);
	return rc;
}

static void
print_pairs(const struct state_file *s, struct buf *out)
{
	for (size_t i = 0; i < s->npairs; i++)
		buf_printf(out, "pairs 0x%016" PRIx64 " %s\n", s->pairs[i].guid,
			s->pairs[i].layer);
}

const struct state_codec state_pairs_codec = {.name = "pairs",
	.read = read_pairs,
	.check = check_pairs,
	.print = print_pairs,
	STATE_ROWS(state_file_pairs_line, state_file_pairs, pairs, npairs)};
