/*
 * The quality of routes of trees, ours and those of other managers, by one
 * measure.
 *
 * usage: trees net FABRIC            the fabric as ibnetdiscover prints it
 *        trees ours FABRIC ENGINE    our routes, a line of the table; why not
 *                                    that engine, on stderr
 *        trees theirs FABRIC FILE LABEL   tables as dump_fts prints them
 *        trees homes FABRIC [FILE LABEL]  nodes with a single point of failure
 *        trees falls FABRIC N SEED   the same while N cables fail, one after
 *                                    the other: kept entries and fresh ones
 *        trees head                  the head of the table
 *
 * FABRIC: see shape.h; fixtures come from HEDDLE_FIXTURES. For shifts, hosts
 * are in the order of their switches, whatever LIDs the tables use. eBB is over
 * the pairs that reach each other: a "*" behind it if some do not, which leaves
 * the others more bandwidth. Shift: flows on the busiest link of the worst one
 * / the bound of treecut.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/core/engine.h"
#include "routing/driver/compute.h"
#include "routing/improve/redundancy.h"
#include "routing/measure/bandwidth.h"
#include "routing/text/fts.h"
#include "routing/verify/verify.h"
#include "sm/base/mem.h"
#include "tests/bench/bench_clock.h"
#include "tests/bench/treecut.h"
#include "tests/topo/frozen.h"
#include "tests/topo/gen.h"
#include "tests/topo/ibnet.h"
#include "tests/topo/shape.h"

enum { TRIALS = 200, FLOWS = 3000000 };

struct net {
	struct fabric *f;
	struct topo *t;
	struct lft_pool *pool;
};

static struct net
open_net(const char *name)
{
	const char *at = getenv("HEDDLE_FIXTURES");
	struct reason why = {""};
	struct net n = {.pool = lft_pool_new()};

	n.f = shape_load(name, at != NULL ? at : "../shared/fixtures", &why);
	if (n.f == NULL) {
		(void)fprintf(stderr, "trees: %s: %s\n", name, why.text);
		exit(77);
	}
	n.t = frozen_topo(n.f, NULL);
	return n;
}

static void
close_net(struct net *n)
{
	topo_unref(n->t);
	lft_pool_free(n->pool);
	fabric_free(n->f);
}

static struct verify_tables
tables_of(const struct routes *r)
{
	return (struct verify_tables){
		r->topo, r->pool, r->row, r->nblocks, &r->layers, NULL};
}

/* ---- the table ---- */

static void
print_head(void)
{
	(void)printf("%-28s %-17s %7s %6s %6s %5s %5s %-5s %5s %4s %3s %3s "
		     "%7s\n",
		"fabric", "engine", "unreach", "cyclic", "high", "low", "sat",
		" eBB", "shift", "hops", "SLs", "VLs", "CPU ms");
}

/* eBB over the flows that arrive. */
static void
put_ebb(const struct verify_tables *in, unsigned samples, char out[16],
	uint32_t *hosts)
{
	struct bandwidth_ebb ebb;
	uint64_t flows;
	double all, mean;

	bandwidth_ebb(in, samples, 1, &ebb);
	*hosts = ebb.hosts;
	flows = (uint64_t)(ebb.hosts / 2) * ebb.trials;
	all = (double)flows;
	mean = all > (double)ebb.lost
		       ? ebb.mean * all / (all - (double)ebb.lost)
		       : 0;
	(void)snprintf(out, 16, "%.3f%s", mean, ebb.lost > 0 ? "*" : "");
}

static void
print_line(
	const char *name, const char *label, const struct routes *r, double ms)
{
	struct verify_tables in = tables_of(r);
	struct treecut bound = treecut_find(r->topo);
	struct verify_report q;
	struct bandwidth_shift shift;
	char ebb[16], text[32];
	unsigned samples;
	uint32_t hosts;
	uint64_t lost;

	(void)verify_tables(&in, &q, NULL);
	lost = q.unreachable + q.loops;
	samples = FLOWS / (r->topo->nend + 1) + 1;
	samples = samples > TRIALS ? samples : TRIALS;
	put_ebb(&in, samples, ebb, &hosts);
	bandwidth_shift(&in, samples, 1, &shift);
	(void)snprintf(text, sizeof(text), "%u/%u", shift.worst, bound.shift);
	(void)printf("%-28s %-17s %7llu %6u %6llu %5llu %5.3f %5s %5s %4.2f",
		name, label, (unsigned long long)lost, q.cyclic_channels,
		(unsigned long long)q.load_max, (unsigned long long)q.load_min,
		bandwidth_saturation(&q, r->topo, hosts), ebb, text,
		q.hops_mean);
	if (ms > 0)
		(void)printf(" %3u %3u %7.1f", r->layers.n,
			route_layers_groups(&r->layers), ms);
	(void)printf("\n");
}

/* ---- ours ---- */

static struct routes *
compute_tables(
	const struct net *n, const char *engine, const char **used, double *ms)
{
	static const struct engine_options plain = {0};
	static char said[64];
	struct route_job job = {
		.topo = n->t, .pool = n->pool, .options = &plain, .seed = 1};
	struct route_account story = {0};
	struct reason why = {""};
	double begin = clock_cpu_ms();
	struct routes *r = compute_routes(&job, &engine, 1, &story, &why);

	*ms = clock_cpu_ms() - begin;
	if (r == NULL) {
		(void)fprintf(stderr, "trees: %s\n", why.text);
		exit(1);
	}
	(void)snprintf(said, sizeof(said), "%s%s%s", engine,
		story.fallback ? ">" : "", story.fallback ? story.engine : "");
	if (story.fallback)
		(void)fprintf(stderr, "%s\n", story.tried);
	*used = said;
	return r;
}

static int
print_ours(const char *name, const char *engine)
{
	struct net n = open_net(name);
	const char *used;
	double ms;
	struct routes *r = compute_tables(&n, engine, &used, &ms);

	print_line(name, used, r, ms);
	routes_unref(r);
	close_net(&n);
	return 0;
}

/* ---- theirs ---- */

static char *
read_file(const char *path, size_t *n)
{
	FILE *f = fopen(path, "re");
	struct buf b = {0};
	char part[65536];
	size_t got;

	while (f != NULL && (got = fread(part, 1, sizeof(part), f)) > 0)
		buf_put(&b, part, got);
	if (f != NULL)
		(void)fclose(f);
	*n = b.n;
	return b.text;
}

/*
 * The port with a GUID. ibsim gives port k of a node the GUID of the node plus
 * k, whatever the file says.
 */
static port_ix
port_called(const struct topo *t, uint64_t guid)
{
	for (unsigned k = 0; k <= 2; k++) {
		node_ix n = topo_by_node_guid(t, guid - k);

		if (n != TOPO_NONE && k <= t->node[n].nports &&
			(k == 0) == (t->node[n].type == TOPO_SWITCH))
			return topo_port_of(t, n, k);
	}
	return topo_by_port_guid(t, guid);
}

/* Translate tables to our LIDs: row[our LID] = their entry for that port. */
static struct routes *
translate_lids(const struct net *n, const struct fts *f)
{
	struct routes *r = routes_new(n->t, n->pool);
	size_t bytes = (size_t)r->nblocks * LFT_BLOCK;
	uint8_t *row = mem_alloc(bytes);

	r->engine = "found";
	for (size_t i = 0; i < f->ntables; i++) {
		const struct fts_table *tab = &f->table[i];
		node_ix s = topo_by_node_guid(n->t, tab->guid);

		if (s == TOPO_NONE || n->t->node[s].sw == TOPO_NONE)
			continue;
		memset(row, LFT_DROP, bytes);
		for (size_t k = 0; k < f->nowners; k++) {
			port_ix p = port_called(n->t, f->owner[k].port_guid);

			if (p != TOPO_NONE && f->owner[k].lid < tab->nlid)
				row[n->t->port[p].lid] =
					tab->entry[f->owner[k].lid];
		}
		routes_put_row(r, n->t->node[s].sw, row, NULL, TOPO_NONE);
	}
	free(row);
	return r;
}

/* Tables from a file; NULL: the reason was printed. */
static struct routes *
load_tables(const struct net *n, const char *path)
{
	struct reason why = {""};
	size_t len;
	char *text = read_file(path, &len);
	struct fts *f = text != NULL ? fts_parse(text, len, path, &why) : NULL;
	struct routes *r;

	free(text);
	if (f == NULL) {
		(void)fprintf(stderr, "trees: %s: %s\n", path, why.text);
		return NULL;
	}
	r = translate_lids(n, f);
	fts_free(f);
	return r;
}

/* ---- single points of failure ---- */

static void
print_homed(const char *name, const char *label, const struct routes *r)
{
	struct verify_tables in = tables_of(r);
	struct redundancy_report h;

	redundancy_find(&in, NULL, &h);
	(void)printf("%-28s %-17s %zu of %zu nodes with a single point of "
		     "failure\n",
		name, label, h.single, h.n);
	redundancy_free(&h);
}

static int
print_theirs(const char *name, const char *path, const char *label, bool homes)
{
	struct net n = open_net(name);
	struct routes *r = load_tables(&n, path);

	if (r != NULL && homes)
		print_homed(name, label, r);
	if (r != NULL)
		print_line(name, label, r, 0);
	routes_unref(r);
	close_net(&n);
	return r == NULL;
}

/* Make every port a node of its own: then routes are only balanced. */
static struct fabric *
split_nodes(const struct fabric *f)
{
	struct fabric_edit none = {0};
	struct fabric *g = fabric_rebuild(f, &none);

	for (uint32_t i = 0; i < g->nnodes; i++)
		g->node[i].sysimg = g->node[i].guid;
	return g;
}

static int
print_homes(const char *name)
{
	struct net n = open_net(name), alone = {.pool = n.pool};
	const char *used;
	double ms;
	struct routes *r = compute_tables(&n, "ftree", &used, &ms);
	struct routes *was, *judged;

	alone.f = split_nodes(n.f);
	alone.t = frozen_topo(alone.f, NULL);
	was = compute_tables(&alone, "ftree", &used, &ms);
	/* the same tables, with the nodes known */
	judged = routes_new(n.t, n.pool);
	for (sw_ix s = 0; s < n.t->nsw; s++)
		routes_put_same(judged, s, was, s);
	print_homed(name, "classic order", judged);
	print_homed(name, "multi-homed", r);
	print_line(name, "classic order", judged, 0);
	print_line(name, "multi-homed", r, 0);
	routes_unref(judged);
	routes_unref(was);
	routes_unref(r);
	topo_unref(alone.t);
	fabric_free(alone.f);
	close_net(&n);
	return 0;
}

/* Compute routes after prev; print the nodes with a single point of failure. */
static struct routes *
compute_after(const struct net *n, const char *name, const struct routes *prev,
	bool rebalance)
{
	static const char *const engine = "ftree";
	static const struct engine_options plain = {0};
	const struct route_job job = {.topo = n->t,
		.pool = n->pool,
		.prev = prev,
		.options = &plain,
		.load_limit = 1250,
		.rebalance = rebalance,
		.seed = 1};
	struct route_account story = {0};
	struct reason why = {""};
	struct routes *r = compute_routes(&job, &engine, 1, &story, &why);
	char label[48];

	if (r == NULL) {
		(void)fprintf(stderr, "trees: %s\n", why.text);
		exit(1);
	}
	(void)snprintf(label, sizeof(label), "%s, %llu new",
		rebalance ? "fresh" : "kept",
		(unsigned long long)r->entries_changed);
	print_homed(name, label, r);
	return r;
}

static int
print_falls(const char *name, unsigned steps, uint64_t seed)
{
	struct net n = open_net(name);
	const char *used;
	double ms;
	struct routes *r = compute_tables(&n, "ftree", &used, &ms);

	print_homed(name, "all cables", r);
	for (unsigned i = 1; i <= steps; i++) {
		struct topo *was = n.t;
		struct reason why = {""};
		struct routes *kept, *fresh;

		n.f = gen_edit_fail_links(n.f, 1, seed + i, true, &why);
		if (n.f == NULL)
			break;
		n.t = frozen_again(n.f, was, 0);
		topo_unref(was);
		(void)printf("%u failed\n", i);
		kept = compute_after(&n, name, r, false);
		fresh = compute_after(&n, name, r, true);
		routes_unref(fresh);
		routes_unref(r);
		r = kept;
	}
	routes_unref(r);
	close_net(&n);
	return 0;
}

static int
print_net(const char *name)
{
	struct net n = open_net(name);
	struct buf b = {0};

	ibnet_print(n.f, &b);
	(void)fwrite(b.text, 1, b.n, stdout);
	buf_free(&b);
	close_net(&n);
	return 0;
}

int
main(int argc, char **argv)
{
	const char *verb = argc > 1 ? argv[1] : "";

	if (strcmp(verb, "head") == 0) {
		print_head();
		return 0;
	}
	if (strcmp(verb, "net") == 0 && argc == 3)
		return print_net(argv[2]);
	if (strcmp(verb, "ours") == 0 && argc == 4)
		return print_ours(argv[2], argv[3]);
	if (strcmp(verb, "theirs") == 0 && argc == 5)
		return print_theirs(argv[2], argv[3], argv[4], false);
	if (strcmp(verb, "homes") == 0 && argc == 3)
		return print_homes(argv[2]);
	if (strcmp(verb, "homes") == 0 && argc == 5)
		return print_theirs(argv[2], argv[3], argv[4], true);
	if (strcmp(verb, "falls") == 0 && argc == 5)
		return print_falls(argv[2], (unsigned)strtoul(argv[3], NULL, 0),
			strtoull(argv[4], NULL, 0));
	(void)fprintf(stderr,
		"usage: trees head | net FABRIC | ours FABRIC ENGINE |\n"
		"       theirs FABRIC FILE LABEL | homes FABRIC [FILE "
		"LABEL] |\n       falls FABRIC N SEED\n");
	return 2;
}
