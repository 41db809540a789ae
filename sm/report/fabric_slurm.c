#include "sm/report/fabric_slurm.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/utf8.h"
#include "sm/report/fabric_areas.h"
#include "sm/report/hostlist.h"
#include "sm/report/names.h"

enum { LEFT_OUT = 20 }; /* so many are named */

#define TOP_NAME "fabric"

/* An adapter's port of a host with a name that Slurm can have. */
struct adapter {
	const char *host; /* first word */
	const char *rest; /* what follows it: "mlx5_0" */
	const struct fabric_graph_host *port;
};

struct work {
	const struct fabric_graph *g;
	struct arena *a;
	bool yaml;
	struct buf *out;
	const char **name; /* [nsw] of switches, for Slurm */

	struct adapter *adapter; /* sorted by host, rest */
	uint32_t nadapters;
	const struct fabric_graph_host **left; /* hosts that are left out */
	uint32_t nleft;

	uint32_t *first;   /* [nsw + 1] hosts at switch s: list[first[s]] .. */
	const char **list; /* names, sorted at each switch */
	uint32_t spread;   /* hosts with adapters at several switches */
	uint32_t nlevels;
	uint32_t **level; /* [nlevels][nsw] sets, from small to large */
};

/* ---- names of switches ---- */

/* A name without what cannot stand in a file; one that no administrator gave
 * gets the GUID. */
static const char *
clean_name(struct work *w, uint32_t s, bool with_guid)
{
	struct fabric_short_name name = fabric_short_name(&w->g->sw[s]);
	char text[sizeof(name.s) + 32];

	for (char *c = name.s; *c != '\0'; c++)
		if (!hostlist_is_name((char[]){'a', *c, '\0'}))
			*c = '-';
	if (!hostlist_is_name(name.s))
		name.s[0] = 'S';
	if (with_guid || strchr(w->g->sw[s].name, ' ') != NULL)
		(void)snprintf(text, sizeof(text), "%s-%016" PRIx64, name.s,
			w->g->sw[s].guid);
	else
		(void)snprintf(text, sizeof(text), "%s", name.s);
	return arena_strdup(w->a, text);
}

static int
compare_names(const void *pa, const void *pb)
{
	const char *const *a = pa, *const *b = pb;

	return strverscmp(*a, *b);
}

/* No two switches may have one name. */
static void
name_switches(struct work *w)
{
	uint32_t n = w->g->nsw;
	const char **sorted = arena_array(w->a, n, sizeof(*sorted));
	bool twice;

	w->name = arena_array(w->a, n, sizeof(*w->name));
	for (uint32_t s = 0; s < n; s++)
		sorted[s] = w->name[s] = clean_name(w, s, false);
	if (n > 0)
		qsort(sorted, n, sizeof(*sorted), compare_names);
	for (uint32_t s = 0; s < n; s++) {
		const char **at = bsearch(
			&w->name[s], sorted, n, sizeof(*sorted), compare_names);

		twice = (at > sorted && strcmp(at[-1], *at) == 0) ||
			(at + 1 < sorted + n && strcmp(at[1], *at) == 0);
		/* groups of switches have names that begin so */
		if (twice || strcmp(w->name[s], TOP_NAME) == 0 ||
			strncmp(w->name[s], "group", 5) == 0)
			w->name[s] = clean_name(w, s, true);
	}
}

/* ---- hosts ---- */

static int
compare_adapters(const void *pa, const void *pb)
{
	const struct adapter *a = pa, *b = pb;
	int order = strverscmp(a->host, b->host);

	if (order == 0)
		order = strverscmp(a->rest, b->rest);
	if (order != 0)
		return order;
	if (a->port->guid != b->port->guid)
		return a->port->guid < b->port->guid ? -1 : 1;
	if (a->port->port != b->port->port)
		return a->port->port < b->port->port ? -1 : 1;
	return 0;
}

/* Descriptions that adapters have before a host gives them its name: "MT4123
 * ConnectX6 Mellanox Technologies", and what a host without a name gives. */
static bool
is_no_host(const char *name, const char *description)
{
	return (strncmp(name, "MT", 2) == 0 && name[2] != '\0' &&
		       name[2 + strspn(name + 2, "0123456789")] == '\0') ||
	       strstr(description, "Mellanox Technologies") != NULL ||
	       strcmp(name, "localhost") == 0 ||
	       strncmp(name, "localhost.", 10) == 0;
}

/* By GUID: the numbers of switches differ when one of them is missing. */
static int
compare_left(const void *pa, const void *pb)
{
	const struct fabric_graph_host *a = *(const void *const *)pa;
	const struct fabric_graph_host *b = *(const void *const *)pb;

	if (a->guid != b->guid)
		return a->guid < b->guid ? -1 : 1;
	return (int)a->port - (int)b->port;
}

static void
take_hosts(struct work *w, const char *hosts)
{
	const struct fabric_graph *g = w->g;

	w->adapter = arena_array(w->a, g->nhosts, sizeof(*w->adapter));
	w->left = arena_array(w->a, g->nhosts, sizeof(const void *));
	for (uint32_t i = 0; i < g->nhosts; i++) {
		const struct fabric_graph_host *h = &g->host[i];
		size_t n = strcspn(h->name, " ");
		char *name = arena_strdup(w->a, h->name);

		name[n] = '\0';
		if (hosts != NULL && !fabric_graph_matches(h, hosts))
			continue;
		if (is_no_host(name, h->name) || !hostlist_is_name(name))
			w->left[w->nleft++] = h;
		else
			w->adapter[w->nadapters++] = (struct adapter){
				name, h->name + n + (h->name[n] == ' '), h};
	}
	if (w->nleft > 0)
		qsort(w->left, w->nleft, sizeof(const void *), compare_left);
	if (w->nadapters > 0)
		qsort(w->adapter, w->nadapters, sizeof(*w->adapter),
			compare_adapters);
}

/* The first adapter of a host says where it is: the switch of each that is a
 * first one, else FABRIC_GRAPH_NONE. */
static uint32_t *
find_switches(struct work *w)
{
	uint32_t *at = arena_array(w->a, w->nadapters, sizeof(*at));
	uint32_t first = 0;
	bool spread = false;

	for (uint32_t i = 0; i < w->nadapters; i++) {
		const struct adapter *x = &w->adapter[i];

		at[i] = FABRIC_GRAPH_NONE;
		if (i == 0 || strcmp(x->host, w->adapter[first].host) != 0) {
			first = i;
			spread = false;
			at[i] = x->port->sw;
		} else if (x->port->sw != at[first] && !spread) {
			spread = true;
			w->spread++;
		}
	}
	return at;
}

static void
list_hosts(struct work *w, const uint32_t *sw)
{
	uint32_t nsw = w->g->nsw, *at = arena_array(w->a, nsw, sizeof(*at));

	w->first = arena_array(w->a, nsw + 1, sizeof(*w->first));
	w->list = arena_array(w->a, w->nadapters, sizeof(*w->list));
	for (uint32_t i = 0; i < w->nadapters; i++)
		if (sw[i] != FABRIC_GRAPH_NONE)
			w->first[sw[i] + 1]++;
	for (uint32_t s = 0; s < nsw; s++) {
		w->first[s + 1] += w->first[s];
		at[s] = w->first[s];
	}
	for (uint32_t i = 0; i < w->nadapters; i++)
		if (sw[i] != FABRIC_GRAPH_NONE)
			w->list[at[sw[i]]++] = w->adapter[i].host;
}

/* ---- levels ---- */

static uint32_t *
add_level(struct work *w)
{
	uint32_t *set = arena_array(w->a, w->g->nsw, sizeof(*set));

	w->level[w->nlevels++] = set;
	return set;
}

/* Switches that differ in the dimensions before this one alone. */
static void
add_places(struct work *w, unsigned from)
{
	const struct fabric_graph *g = w->g;
	uint32_t *set = add_level(w);

	for (uint32_t s = 0; s < g->nsw; s++) {
		uint64_t n = 0;

		for (unsigned i = g->ndim; i-- > from && g->sw[s].at != NULL;)
			n = n * g->dim[i].size + g->sw[s].at[i];
		set[s] = g->sw[s].at != NULL ? (uint32_t)n : FABRIC_GRAPH_NONE;
	}
}

static void
find_levels(struct work *w)
{
	const struct fabric_graph *g = w->g;

	w->level = arena_array(
		w->a, (size_t)g->ntiers + g->ndim + 1, sizeof(uint32_t *));
	if (g->shape == FABRIC_GRAPH_TREE) {
		for (uint32_t tier = g->ntiers; tier-- > 1;)
			fabric_graph_sets(g, tier, add_level(w));
	} else if (g->shape == FABRIC_GRAPH_GROUPS) {
		add_places(w, 0);
	} else if (g->shape == FABRIC_GRAPH_DIMENSIONS) {
		for (unsigned d = 1; d < g->ndim; d++)
			add_places(w, d);
	}
	(void)add_level(w); /* all of it: set 0 */
}

/* ---- text ---- */

static void
put_entry(struct work *w, const char *name, const char *key,
	const char *const *list, uint32_t n)
{
	bool hosts = *key == 'N';

	if (w->yaml)
		buf_printf(w->out, "      - switch: \"%s\"\n        %s: \"",
			name, hosts ? "nodes" : "children");
	else
		buf_printf(w->out, "SwitchName=%s %s=", name, key);
	hostlist_print(list, n, w->out);
	buf_printf(w->out, w->yaml ? "\"\n" : "\n");
}

static const char *
put_leaf(struct work *w, uint32_t s)
{
	put_entry(w, w->name[s], "Nodes", w->list + w->first[s],
		w->first[s + 1] - w->first[s]);
	return w->name[s];
}

/* Sets are named by their first switch, so that they keep their names when
 * others come and go; of a tree those that only the tiers above connect are at
 * level 1, else the smallest ones at level 0. */
static const char *
name_group(struct work *w, uint32_t level, const char *first)
{
	uint32_t plain = w->g->shape == FABRIC_GRAPH_TREE ? 1 : 0;
	char text[160];

	if (level + 1 == w->nlevels)
		return TOP_NAME;
	if (level == plain)
		(void)snprintf(text, sizeof(text), "group-%s", first);
	else
		(void)snprintf(text, sizeof(text), "group%" PRIu32 "-%s",
			level + 1 - plain, first);
	return arena_strdup(w->a, text);
}

/* The sets below a level, of which switches sw[n], sorted by name, are a set:
 * level 0 has switches below it. */
static uint32_t
next_set(const struct work *w, uint32_t level, const uint32_t *sw, uint32_t n,
	bool *taken, uint32_t *out)
{
	uint32_t first = 0, found = 0;

	while (first < n && taken[first])
		first++;
	for (uint32_t i = first; i < n; i++) {
		bool same = i == first ||
			    (level > 0 &&
				    w->level[level - 1][sw[first]] !=
					    FABRIC_GRAPH_NONE &&
				    w->level[level - 1][sw[i]] ==
					    w->level[level - 1][sw[first]]);

		if (taken[i] || !same)
			continue;
		taken[i] = true;
		out[found++] = sw[i];
	}
	return found;
}

/* Put what is below, and then the set itself, if there are several things below
 * it. Returns its name. */
/* NOLINTBEGIN(misc-no-recursion): as deep as there are tiers */
static const char *
put_set(struct work *w, uint32_t level, const uint32_t *sw, uint32_t n)
{
	bool *taken = arena_array(w->a, n, sizeof(*taken));
	uint32_t *part = arena_array(w->a, n, sizeof(*part)), found;
	const char **child = arena_array(w->a, n, sizeof(*child));
	uint32_t children = 0;
	const char *name;

	while ((found = next_set(w, level, sw, n, taken, part)) > 0)
		child[children++] = level > 0 && found > 1
					    ? put_set(w, level - 1, part, found)
					    : put_leaf(w, part[0]);
	if (children == 1)
		return child[0];
	name = name_group(w, level, w->name[sw[0]]);
	qsort(child, children, sizeof(*child), compare_names);
	put_entry(w, name, "Switches", child, children);
	return name;
}
/* NOLINTEND(misc-no-recursion) */

/* ---- comments ---- */

static const char *
shape_text(const struct work *w, char *text, size_t size)
{
	const struct fabric_graph *g = w->g;

	if (g->shape == FABRIC_GRAPH_TREE)
		(void)snprintf(
			text, size, "a tree of %" PRIu32 " tiers", g->ntiers);
	else if (g->shape == FABRIC_GRAPH_GROUPS)
		(void)snprintf(text, size,
			"no tree, but %" PRIu32
			" groups: each is a switch above its switches",
			g->dim[0].size);
	else if (g->shape == FABRIC_GRAPH_DIMENSIONS)
		(void)snprintf(text, size,
			"no tree, but %u dimensions: lines of the first, "
			"planes of the first two, ... are switches",
			g->ndim);
	else
		(void)snprintf(text, size,
			"no tree: its switches are below one here, as if "
			"equally far from each other");
	return text;
}

static void
put_left_out(struct work *w)
{
	buf_printf(w->out,
		"# Left out: %" PRIu32 " port%s without a name of a host that "
		"Slurm can have:\n",
		w->nleft, names_plural(w->nleft));
	for (uint32_t i = 0; i < w->nleft && i < LEFT_OUT; i++)
		buf_printf(w->out,
			"#   0x%016" PRIx64 " port %u \"%s\" at %s\n",
			w->left[i]->guid, w->left[i]->port, w->left[i]->name,
			w->name[w->left[i]->sw]);
	if (w->nleft > LEFT_OUT)
		buf_printf(w->out, "#   and %" PRIu32 " more\n",
			w->nleft - LEFT_OUT);
}

/* Adapters of two nodes with one name: two hosts with one name, perhaps. */
static void
put_duplicates(struct work *w)
{
	uint32_t n = 0;

	for (uint32_t i = 1; i < w->nadapters; i++) {
		const struct adapter *a = &w->adapter[i - 1], *b = a + 1;

		if (a->port->guid == b->port->guid ||
			strcmp(a->port->name, b->port->name) != 0)
			continue;
		if (n++ < LEFT_OUT)
			buf_printf(w->out,
				"# Taken for one host: 0x%016" PRIx64
				" and 0x%016" PRIx64 ", both called \"%s\".\n",
				a->port->guid, b->port->guid, a->port->name);
	}
	if (n > LEFT_OUT)
		buf_printf(w->out, "# ... and %" PRIu32 " more such pairs\n",
			n - LEFT_OUT);
}

static void
put_head(struct work *w, const char *hosts)
{
	char text[160];

	buf_printf(w->out,
		"# %s of Slurm, by heddlectl topology --format %s\n"
		"# The fabric is %s.\n",
		w->yaml ? "topology.yaml" : "topology.conf",
		w->yaml ? "slurm-yaml" : "slurm",
		shape_text(w, text, sizeof(text)));
	if (hosts != NULL) {
		char *tame = arena_strdup(w->a, hosts);

		utf8_tame(tame);
		buf_printf(w->out, "# Only hosts that match \"%s\".\n", tame);
	}
	if (w->spread > 0)
		buf_printf(w->out,
			"# %" PRIu32
			" host%s adapters at several switches: listed at that "
			"of the first by name.\n",
			w->spread, w->spread == 1 ? " has" : "s have");
	put_duplicates(w);
	if (w->nleft > 0)
		put_left_out(w);
	if (w->yaml)
		buf_printf(w->out, "---\n- topology: \"infiniband\"\n"
				   "  cluster_default: true\n  tree:\n"
				   "    switches:\n");
}

void
fabric_slurm_print(const struct fabric_graph *g, bool yaml, const char *hosts,
	struct buf *out)
{
	struct work w = {.g = g, .a = arena_new(), .yaml = yaml, .out = out};
	const uint32_t *order = fabric_graph_by_name(g, w.a);
	uint32_t *sw = arena_array(w.a, g->nsw, sizeof(*sw)), n = 0;

	name_switches(&w);
	take_hosts(&w, hosts);
	list_hosts(&w, find_switches(&w));
	find_levels(&w);
	for (uint32_t i = 0; i < g->nsw; i++)
		if (w.first[order[i]] < w.first[order[i] + 1])
			sw[n++] = order[i];
	put_head(&w, hosts);
	if (n > 0)
		(void)put_set(&w, w.nlevels - 1, sw, n);
	else
		buf_printf(out, "# There are no hosts.\n");
	arena_free(w.a);
}
