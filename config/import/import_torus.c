/*
 * torus-2QoS.conf, which torus_config names: the sizes of a torus or mesh of up
 * to three dimensions, and seeds, from which OpenSM finds the place of each
 * switch. Heddle reads places from all links, so sizes are all that it takes.
 *
 * OpenSM's torus-2QoS.conf(5).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/import/import_priv.h"

enum { DIMENSIONS = 3 };

struct sizes {
	unsigned n; /* dimensions of more than one switch */
	struct {
		bool ring;
		uint32_t size;
	} of[DIMENSIONS];
};

/* One size, which may end with a letter of its own, at *s; false: it is none.
 */
static bool
take_size(struct sizes *x, char **s, bool ring)
{
	unsigned long n;
	char *end;

	*s += strspn(*s, " \t");
	if (**s < '0' || **s > '9')
		return false;
	n = strtoul(*s, &end, 0);
	if (*end != '\0' && strchr("mMtT", *end) != NULL)
		ring = strchr("tT", *end++) != NULL;
	if (n < 1 || n > UINT32_MAX || strchr(" \t", *end) == NULL)
		return false;
	*s = end;
	if (n == 1)
		return true;
	x->of[x->n].ring = ring;
	x->of[x->n++].size = (uint32_t)n;
	return true;
}

/* The line "torus" or "mesh". */
static void
take_sizes(const struct import_file *f, const struct import_line *line,
	struct sizes *x, struct import_notes *notes)
{
	bool ring = strcmp(line->key, "torus") == 0, ok = true;
	char *s = line->rest;

	*x = (struct sizes){0};
	for (unsigned i = 0; i < DIMENSIONS && ok; i++)
		ok = take_size(x, &s, ring);
	if (ok && x->n > 0)
		return;
	import_lost(notes, f, line->number,
		"%s %.60s: not three sizes; dimensions are read from the links",
		line->key, line->rest);
	x->n = 0;
}

/* One of the names in a list, which has a blank on either side of each. */
static bool
is_one_of(const char *list, const char *key)
{
	char word[64];

	(void)snprintf(word, sizeof(word), " %.60s ", key);
	return strstr(list, word) != NULL;
}

static void
take_line(const struct import_file *f, const struct import_line *line,
	struct sizes *x, unsigned *seed, struct import_notes *notes)
{
	if (is_one_of(" torus mesh ", line->key))
		take_sizes(f, line, x, notes);
	else if (is_one_of(" xp_link yp_link zp_link xm_link ym_link zm_link "
			   "x_dateline y_dateline z_dateline next_seed ",
			 line->key))
		*seed = *seed != 0 ? *seed : line->number;
	else if (is_one_of(" portgroup_max_ports max_changes ", line->key))
		import_note(notes, f, line->number,
			"%s: Heddle has no such limit", line->key);
	else if (strcmp(line->key, "port_order") == 0)
		import_lost(notes, f, line->number,
			"port_order: no counterpart: parallel links are "
			"chosen by their loads");
	else
		import_lost(notes, f, line->number,
			"%.60s: not known as a keyword of torus-2QoS.conf",
			line->key);
}

void
import_torus(const struct import_file *f, struct import_notes *notes,
	struct buf *out)
{
	struct import_line line;
	struct sizes x = {0};
	unsigned seed = 0;
	size_t at = 0;

	while (import_next_line(f, &at, &line, notes))
		take_line(f, &line, &x, &seed, notes);
	if (seed != 0)
		import_note(notes, f, seed,
			"seeds and datelines are not needed: the places of "
			"switches are read from the links, and remembered");
	for (unsigned i = 0; i < x.n; i++)
		buf_printf(out, "%s%s %" PRIu32, i == 0 ? "[" : ", ",
			x.of[i].ring ? "ring" : "line", x.of[i].size);
	if (x.n > 0)
		buf_printf(out, "]");
}
