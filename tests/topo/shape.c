#include "tests/topo/shape.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "tests/topo/gen.h"
#include "tests/topo/ibnet.h"

enum { MELLANOX = 0x2c9, SHARP_NODE = 0xcf09, NAME_MAX_LENGTH = 200 };

/* The numbers of a name: those joined by x are dimensions. */
struct numbers {
	unsigned dim[GEN_MAX_DIMS], ndims;
	unsigned v[5], n;
};

static struct fabric *
make_two(const struct numbers *a, struct reason *why)
{
	const struct gen_fattree2 p = {a->v[0], a->v[1], a->n > 4 ? a->v[4] : 1,
		a->v[2], a->n > 3 ? a->v[3] : a->v[2]};

	return gen_tree_two(&p, why);
}

static struct fabric *
make_648(const struct numbers *a, struct reason *why)
{
	return gen_tree_two(
		&(struct gen_fattree2){18, 36, 1, a->v[0], a->v[1]}, why);
}

static struct fabric *
make_three(const struct numbers *a, struct reason *why)
{
	struct fabric *f = gen_tree_three(a->v[0], why);

	return f == NULL || a->n == 1 ? f
				      : gen_edit_populate(f, a->v[1], a->v[2]);
}

static struct fabric *
make_3456(const struct numbers *a, struct reason *why)
{
	return gen_edit_populate(gen_tree_three(24, why), a->v[0], a->v[1]);
}

static struct fabric *
make_kary(const struct numbers *a, struct reason *why)
{
	return gen_tree_kary(a->v[0], a->v[1], why);
}

static struct fabric *
make_racks(const struct numbers *a, struct reason *why)
{
	return gen_paper_racks(1, a->v[0], a->v[1], why);
}

static struct fabric *
make_juropa(const struct numbers *a, struct reason *why)
{
	return gen_paper_racks(8, a->v[0], a->v[1], why);
}

static struct fabric *
make_thirds(const struct numbers *a, struct reason *why)
{
	return gen_paper_thirds(a->v[0], a->v[1], why);
}

static struct fabric *
make_ranger(const struct numbers *a, struct reason *why)
{
	return gen_paper_dual(a->v[0], a->v[1], why);
}

static struct fabric *
make_planes(const struct numbers *a, struct reason *why)
{
	(void)why;
	return gen_paper_planes(&(struct gen_planes){
		a->v[0], a->v[1], a->v[2], a->v[3], a->v[4]});
}

static unsigned
hosts_of(const struct numbers *a)
{
	return a->n > 0 ? a->v[0] : 1;
}

static struct fabric *
make_mesh(const struct numbers *a, struct reason *why)
{
	return gen_grid(a->dim, a->ndims, false, hosts_of(a), why);
}

static struct fabric *
make_torus(const struct numbers *a, struct reason *why)
{
	return gen_grid(a->dim, a->ndims, true, hosts_of(a), why);
}

static struct fabric *
make_hyperx(const struct numbers *a, struct reason *why)
{
	return gen_hyperx(a->dim, a->ndims, hosts_of(a), why);
}

static struct fabric *
make_dragonfly(const struct numbers *a, struct reason *why)
{
	return gen_dragonfly(a->v[0], a->v[1], a->v[2], why);
}

static struct fabric *
make_slimfly(const struct numbers *a, struct reason *why)
{
	return gen_slimfly(a->v[0], a->v[1], why);
}

static struct fabric *
make_petersen(const struct numbers *a, struct reason *why)
{
	return gen_petersen(a->v[0], a->v[1], a->v[2], why);
}

static struct fabric *
make_random(const struct numbers *a, struct reason *why)
{
	return gen_random(
		a->v[0], a->v[1], a->v[2], a->n > 3 ? a->v[3] : 1, why);
}

static const struct kind {
	const char *name;
	bool dims; /* the first numbers are dimensions */
	unsigned least, most;
	struct fabric *(*make)(const struct numbers *a, struct reason *why);
} kinds[] = {
	{"two", false, 3, 5, make_two},
	{"648", false, 2, 2, make_648},
	{"three", false, 1, 3, make_three},
	{"3456", false, 2, 2, make_3456},
	{"kary", false, 2, 2, make_kary},
	{"racks", false, 2, 2, make_racks},
	{"juropa", false, 2, 2, make_juropa},
	{"thirds", false, 2, 2, make_thirds},
	{"ranger", false, 2, 2, make_ranger},
	{"planes", false, 5, 5, make_planes},
	{"mesh", true, 0, 1, make_mesh},
	{"torus", true, 0, 1, make_torus},
	{"hyperx", true, 0, 1, make_hyperx},
	{"dragonfly", false, 3, 3, make_dragonfly},
	{"slimfly", false, 2, 2, make_slimfly},
	{"petersen", false, 3, 3, make_petersen},
	{"random", false, 3, 4, make_random},
};

/* The kind that a name begins with; NULL: none. */
static const struct kind *
find_kind(const char *name)
{
	size_t n = strcspn(name, ":,");

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strlen(kinds[i].name) == n &&
			strncmp(name, kinds[i].name, n) == 0)
			return &kinds[i];
	return NULL;
}

/* A number behind the character `before`, and whether there is one. */
static bool
take_number(const char **s, char before, unsigned *v)
{
	char *end;

	if (**s != before)
		return false;
	*v = (unsigned)strtoul(*s + 1, &end, 10);
	if (end == *s + 1)
		return false;
	*s = end;
	return true;
}

static int
read_numbers(const struct kind *k, const char *s, struct numbers *a,
	const char **rest)
{
	*a = (struct numbers){0};
	if (k->dims && take_number(&s, ':', &a->dim[0]))
		for (a->ndims = 1; a->ndims < GEN_MAX_DIMS &&
				   take_number(&s, 'x', &a->dim[a->ndims]);)
			a->ndims++;
	while (a->n < k->most && take_number(&s, ':', &a->v[a->n]))
		a->n++;
	*rest = s;
	return a->n < k->least || k->dims != (a->ndims > 0) ? -1 : 0;
}

/*
 * The n-th hosts of every second leaf and of the next are one node, as in Paper
 * VI of Bogdanski's thesis: port A on the first switch, port B on the second.
 */
static struct fabric *
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
	return f;
}

/* Remove the aggregation nodes. */
static struct fabric *
drop_sharp_nodes(struct fabric *f)
{
	AUTO(mem) bool *drop = mem_zalloc(f->nnodes, sizeof(*drop));
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
	return g;
}

/* What is wished beside the shape. */
struct wish {
	bool rails, pairs, sharp, bare;
	unsigned fail, cut;
	uint64_t seed;
};

static int
read_wishes(const char *s, struct wish *w, struct reason *why)
{
	const struct {
		const char *word;
		bool *flag;
	} flags[] = {{"rails", &w->rails}, {"pairs", &w->pairs},
		{"sharp", &w->sharp}, {"bare", &w->bare}};

	*w = (struct wish){.seed = 1};
	while (*s == ',') {
		size_t n = strcspn(++s, ","), i = 0;

		while (i < 4 && (strlen(flags[i].word) != n ||
					strncmp(s, flags[i].word, n) != 0))
			i++;
		if (i < 4)
			*flags[i].flag = true;
		else if (strncmp(s, "fail=", 5) == 0)
			w->fail = (unsigned)strtoul(s + 5, NULL, 10);
		else if (strncmp(s, "cut=", 4) == 0)
			w->cut = (unsigned)strtoul(s + 4, NULL, 10);
		else if (strncmp(s, "seed=", 5) == 0)
			w->seed = strtoull(s + 5, NULL, 10);
		else
			return reason_set(why, "no such wish: \"%s\"", s);
		s += n;
	}
	return *s == '\0' ? 0 : reason_set(why, "what is \"%s\"?", s);
}

static struct fabric *
apply_wishes(struct fabric *f, const struct wish *w, struct reason *why)
{
	if (f != NULL && w->rails)
		f = gen_edit_rails(f, 2, true, why);
	if (f != NULL && w->pairs)
		f = pair_hosts(f);
	if (f != NULL && w->sharp)
		f = gen_edit_aggregation(f, why);
	if (f != NULL && w->bare)
		f = drop_sharp_nodes(f);
	if (f != NULL && w->fail > 0)
		f = gen_edit_fail_links(f, w->fail, w->seed, true, why);
	if (f != NULL && w->cut > 0)
		f = gen_edit_fail_links(f, w->cut, w->seed, false, why);
	return f;
}

struct fabric *
shape_make(const char *name, struct reason *why)
{
	const struct kind *k = find_kind(name);
	const char *rest = NULL;
	struct numbers a;
	struct wish w;

	if (k == NULL ||
		read_numbers(k, name + strlen(k->name), &a, &rest) != 0) {
		(void)reason_set(why, "no such shape: \"%s\"", name);
		return NULL;
	}
	return read_wishes(rest, &w, why) != 0
		       ? NULL
		       : apply_wishes(k->make(&a, why), &w, why);
}

struct fabric *
shape_load(const char *name, const char *folder, struct reason *why)
{
	size_t n = strcspn(name, ",");
	struct wish w;
	char path[512];

	if (find_kind(name) != NULL)
		return shape_make(name, why);
	if (read_wishes(name + n, &w, why) != 0)
		return NULL;
	(void)snprintf(
		path, sizeof(path), "%s/%.*s.ibnet", folder, (int)n, name);
	return apply_wishes(ibnet_load(path, NULL, why), &w, why);
}

struct fabric *
shape_of(const char *format, ...)
{
	char name[NAME_MAX_LENGTH];
	struct reason why = {""};
	struct fabric *f;
	va_list ap;

	va_start(ap, format);
	(void)vsnprintf(name, sizeof(name), format, ap);
	va_end(ap);
	f = shape_make(name, &why);
	if (f == NULL) {
		(void)fprintf(stderr, "%s: %s\n", name, why.text);
		abort();
	}
	return f;
}
