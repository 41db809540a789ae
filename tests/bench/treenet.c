#include "tests/bench/treenet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "tests/topo/gen.h"
#include "tests/topo/ibnet.h"

enum { MELLANOX = 0x2c9, SHARP_NODE = 0xcf09 };

struct wish {
	char base[200];
	bool rails, pairs, sharp, bare;
	unsigned fail;
	uint64_t seed;
};

static bool
parse_word(struct wish *w, const char *s)
{
	if (strcmp(s, "rails") == 0)
		w->rails = true;
	else if (strcmp(s, "pairs") == 0)
		w->pairs = true;
	else if (strcmp(s, "sharp") == 0)
		w->sharp = true;
	else if (strcmp(s, "bare") == 0)
		w->bare = true;
	else if (strncmp(s, "fail=", 5) == 0)
		w->fail = (unsigned)strtoul(s + 5, NULL, 10);
	else if (strncmp(s, "seed=", 5) == 0)
		w->seed = strtoull(s + 5, NULL, 10);
	else
		return false;
	return true;
}

static int
parse_name(const char *name, struct wish *w, struct reason *why)
{
	char text[200], *save = NULL, *s;

	*w = (struct wish){.seed = 1};
	(void)snprintf(text, sizeof(text), "%s", name);
	s = strtok_r(text, ",", &save);
	(void)snprintf(w->base, sizeof(w->base), "%s", s != NULL ? s : "");
	while ((s = strtok_r(NULL, ",", &save)) != NULL)
		if (!parse_word(w, s))
			return reason_set(why, "\"%s\" in \"%s\"", s, name);
	return 0;
}

/* Up to three numbers behind colons. */
static unsigned
parse_numbers(const char *s, unsigned out[3])
{
	unsigned n = 0;

	while (n < 3 && (s = strchr(s, ':')) != NULL)
		out[n++] = (unsigned)strtoul(++s, NULL, 10);
	return n;
}

static bool
is_kind(const char *s, const char *kind)
{
	size_t n = strlen(kind);

	return strncmp(s, kind, n) == 0 && (s[n] == '\0' || s[n] == ':');
}

/* Meshes and the like; the usual sizes where none are given. */
static struct fabric *
make_mesh(const char *s, const unsigned v[3], bool usual, struct reason *why)
{
	unsigned dim[GEN_MAX_DIMS], ndims = usual ? 3 : v[1];

	for (unsigned i = 0; i < ndims && i < GEN_MAX_DIMS; i++)
		dim[i] = usual ? 8 : v[0];
	if (is_kind(s, "dfly"))
		return usual ? gen_dragonfly(8, 4, 4, why)
			     : gen_dragonfly(v[0], v[1], v[2], why);
	if (is_kind(s, "torus") && ndims <= GEN_MAX_DIMS)
		return gen_grid(dim, ndims, true, usual ? 1 : v[2], why);
	if (is_kind(s, "hyperx") && !usual)
		return gen_hyperx(v, 2, v[2], why);
	if (is_kind(s, "petersen") && !usual)
		return gen_petersen(v[0], v[1], v[2], why);
	if (is_kind(s, "irr") && !usual)
		return gen_random(v[0], v[1], v[2], 1, why);
	return NULL;
}

static struct fabric *
make_base(const char *s, const char *fixtures, struct reason *why)
{
	unsigned v[3] = {0, 0, 0};
	unsigned n = parse_numbers(s, v);
	struct fabric *f = NULL;
	char path[512];

	if (is_kind(s, "648") && n == 2)
		return gen_tree_two(
			&(struct gen_fattree2){18, 36, 1, v[0], v[1]}, why);
	if (is_kind(s, "3456") && n == 2)
		return gen_edit_populate(gen_tree_three(24, why), v[0], v[1]);
	if ((is_kind(s, "racks") || is_kind(s, "juropa")) && n == 2)
		return gen_paper_racks(*s == 'r' ? 1 : 8, v[0], v[1], why);
	if (is_kind(s, "thirds") && n == 2)
		return gen_paper_thirds(v[0], v[1], why);
	if (is_kind(s, "ranger") && n == 2)
		return gen_paper_dual(v[0], v[1], why);
	if (is_kind(s, "two") && n == 3)
		return gen_tree_two(
			&(struct gen_fattree2){v[0], v[1], 1, v[2], v[2]}, why);
	if (is_kind(s, "three") && n == 3)
		return gen_edit_populate(gen_tree_three(v[0], why), v[1], v[2]);
	if (is_kind(s, "three") && n == 1)
		return gen_tree_three(v[0], why);
	if (strcmp(s, "irr64") == 0)
		return gen_random(64, 6, 4, 1, why);
	if (n == 0 || n == 3)
		f = make_mesh(s, v, n == 0, why);
	if (f != NULL)
		return f;
	(void)snprintf(path, sizeof(path), "%s/%s.ibnet", fixtures, s);
	return ibnet_load(path, NULL, why);
}

/*
 * The n-th hosts of every second leaf and of the next are one node, as in Paper
 * VI of Bogdanski's thesis: port A on the first switch, port B on the second.
 */
static void
pair_hosts(struct fabric *f)
{
	uint32_t leaf[2] = {FABRIC_NONE, FABRIC_NONE}, n = 0;

	for (uint32_t i = 0; i < f->nnodes; i++) {
		uint32_t at, mate;
		unsigned port;

		if (f->node[i].type != FABRIC_CA ||
			!fabric_peer(f, i, 1, &at, &port))
			continue;
		if (at != leaf[1]) {
			leaf[0] = leaf[1];
			leaf[1] = at;
			n++;
		}
		if (n % 2 == 0 && fabric_peer(f, leaf[0], port, &mate, &port) &&
			f->node[mate].type == FABRIC_CA)
			f->node[i].sysimg = f->node[mate].sysimg;
	}
}

/* Remove the aggregation nodes. */
static struct fabric *
drop_sharp_nodes(struct fabric *f)
{
	bool *drop = mem_zalloc(f->nnodes, sizeof(*drop));
	struct fabric_edit edit = {.drop_node = drop};
	struct fabric *g;

	for (uint32_t i = 0; i < f->nnodes; i++)
		drop[i] = f->node[i].type == FABRIC_CA &&
			  ((f->node[i].vendor == MELLANOX &&
				   f->node[i].device == SHARP_NODE) ||
				  strstr(f->node[i].name, "Aggregation Node") !=
					  NULL);
	g = fabric_rebuild(f, &edit);
	fabric_free(f);
	free(drop);
	return g;
}

struct fabric *
treenet_make(const char *name, const char *fixtures, struct reason *why)
{
	struct wish w;
	struct fabric *f;

	if (parse_name(name, &w, why) != 0)
		return NULL;
	f = make_base(w.base, fixtures, why);
	if (f != NULL && w.rails)
		f = gen_edit_rails(f, 2, true, why);
	if (f != NULL && w.pairs)
		pair_hosts(f);
	if (f != NULL && w.sharp)
		f = gen_edit_aggregation(f, why);
	if (f != NULL && w.bare)
		f = drop_sharp_nodes(f);
	if (f != NULL && w.fail > 0)
		f = gen_edit_fail_links(f, w.fail, w.seed, true, why);
	return f;
}
