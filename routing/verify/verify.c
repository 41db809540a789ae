#include "routing/verify/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/core/link_ranks.h"
#include "routing/verify/cdg.h"
#include "routing/verify/certificate.h"
#include "routing/verify/certificate_layers.h"
#include "sm/base/mem.h"
#include "sm/base/thread.h"

enum { BLOCKS_MIN = 16 }; /* a thread's worth of work */

void
verify_sum(const struct cdg *g, struct verify_report *out)
{
	uint64_t links = 0, sum = 0, loads = 0, pairs = 0;

	/* in the order of the topology: the graph's numbers may be taken over
	 * from a previous judgement */
	for (sw_ix sw = 0; sw < g->t->nsw; sw++) {
		uint32_t s = g->ix[sw];

		if (s == TOPO_NONE)
			continue;
		for (uint32_t c = g->off[s]; c < g->off[s + 1]; c++) {
			uint64_t load = cdg_load(g, c);

			if (g->peer[c] >> 8 == g->n)
				continue;
			links++;
			sum += g->load[c];
			loads += load;
			if (links == 1 || load < out->load_min)
				out->load_min = load;
			if (load <= out->load_max)
				continue;
			out->load_max = load;
			out->load_sw = sw;
			out->load_port = (uint8_t)(c - g->off[s]);
		}
	}
	for (uint32_t h = 0; h <= g->n; h++) {
		pairs += g->hops[h];
		if (g->hops[h] > 0)
			out->hops_max = h;
	}
	if (links > 0)
		out->load_mean = (double)loads / (double)links;
	if (pairs > 0)
		out->hops_mean = (double)sum / (double)pairs;
}

/* A range of blocks, walked by one thread. */
struct part {
	struct cdg *g;
	const struct verify_tables *in;
	uint32_t from, to;
	struct verify_report out;
};

static void
walk_part(void *arg)
{
	struct part *p = arg;

	verify_walk(p->g, p->in, p->from, p->to, &p->out);
}

/* The parts' findings are sums; the first fault is the first part's. */
static void
join_part(struct cdg *g, const struct part *p, struct verify_report *out)
{
	if (p->g != g)
		cdg_join(g, p->g);
	out->pairs += p->out.pairs;
	out->unreachable += p->out.unreachable;
	out->loops += p->out.loops;
	out->cut_off += p->out.cut_off;
	if (out->first[0] == '\0')
		memcpy(out->first, p->out.first, sizeof(out->first));
}

static void
walk_all(struct cdg *g, const struct verify_tables *in, unsigned threads,
	struct verify_report *out)
{
	uint32_t n = verify_walk_blocks(in);
	struct part *part;

	if (threads > THREAD_SHARES)
		threads = THREAD_SHARES;
	if (threads > n / BLOCKS_MIN)
		threads = n / BLOCKS_MIN;
	threads += threads == 0;
	part = mem_zalloc(threads, sizeof(*part));
	for (unsigned i = 0; i < threads; i++)
		part[i] = (struct part){.g = i > 0 ? cdg_copy(g) : g,
			.in = in,
			.from = n * i / threads,
			.to = n * (i + 1) / threads};
	thread_share(threads, walk_part, part, sizeof(*part));
	for (unsigned i = 0; i < threads; i++)
		join_part(g, &part[i], out);
	free(part);
}

/* Pairs, as the walk counts them, where all that should arrive does. */
static void
count_pairs(const struct cdg *g, const struct verify_dest *dest, uint32_t nlid,
	struct verify_report *out)
{
	for (uint32_t lid = 0; lid < nlid; lid++) {
		const struct verify_dest *d = &dest[lid];
		uint32_t in = 0;

		if (!d->owned)
			continue;
		if (d->root != g->n)
			in = g->comp_lo[g->comp[d->root] + 1] -
			     g->comp_lo[g->comp[d->root]];
		out->pairs += in;
		out->cut_off += g->n - in;
	}
}

/*
 * Judge by the certificate: all that a walk finds is found without it. False:
 * nothing is proven and nothing has been done.
 */
static bool
judge_by_ranks(struct cdg *g, const struct verify_tables *in, unsigned threads,
	struct verify_report *out)
{
	struct certificate *c = certificate_new(g, in);
	bool proven = c != NULL && certificate_proves(c, threads);

	if (proven) {
		certificate_add_loads(c, g, threads);
		certificate_add_dependencies(c, g, threads);
		count_pairs(g, c->dest, c->nblocks * LFT_BLOCK, out);
		out->plain = out->by_rank = true;
	}
	certificate_free(c);
	return proven;
}

/* A pair of switches whose packets come back in another layer. */
static void
report_asymmetric(const struct cdg *g, const struct route_layers *l, sw_ix a,
	sw_ix b, struct verify_report *out)
{
	const struct topo *t = g->t;

	if (out->asymmetric++ > 0 || out->first[0] != '\0')
		return;
	(void)snprintf(out->first, sizeof(out->first),
		"packets from %s to %s travel in layer %u, those back in layer "
		"%u",
		topo_name(t, t->sw[a].node).s, topo_name(t, t->sw[b].node).s,
		routes_layer(l, a, b), routes_layer(l, b, a));
}

void
verify_compare_directions(const struct cdg *g, const struct route_layers *l,
	const struct route_layers *was, struct verify_report *out)
{
	for (uint32_t x = 0;
		l != NULL && l->n > 1 && l->row != NULL && x < g->n; x++) {
		sw_ix b = g->sw[x];

		if (was != NULL && was->row != NULL && was->row[b] == l->row[b])
			continue;
		for (uint32_t y = 0; y < (was != NULL ? g->n : x); y++)
			if (routes_layer(l, g->sw[y], b) !=
				routes_layer(l, b, g->sw[y]))
				report_asymmetric(g, l, g->sw[y], b, out);
	}
}

/* The graph of all layers as one, if that is what the ranks prove; else NULL,
 * and nothing has been done. */
static struct cdg *
judge_as_one(const struct verify_tables *in, unsigned threads,
	struct verify_report *out)
{
	struct verify_tables one = *in;
	struct cdg *g;

	one.layers = NULL;
	g = in->ranks != NULL && in->ranks->groups == 1
		    ? cdg_new(&one, NULL, NULL)
		    : NULL;
	if (g != NULL && judge_by_ranks(g, &one, threads, out))
		return g;
	cdg_free(g);
	return NULL;
}

/* The graph of all layers, if their ranks prove the tables; else NULL, and
 * nothing has been done. */
static struct cdg *
judge_by_layer(const struct verify_tables *in, unsigned threads,
	struct verify_report *out)
{
	struct verify_dest *dest;
	uint32_t nlid, *rank;
	struct cdg *g;
	bool proven;

	if (!certificate_layers_ranked(in))
		return NULL;
	g = cdg_new(in, NULL, NULL);
	if (g == NULL)
		return NULL;
	cdg_count(g);
	rank = cdg_ranks(g, in);
	dest = verify_walk_dests(g, in, &nlid);
	proven = certificate_layers_prove(g, in, dest, rank, threads);
	if (proven)
		count_pairs(g, dest, nlid, out);
	free(dest);
	free(rank);
	if (!proven) {
		cdg_free(g);
		return NULL;
	}
	out->plain = verify_cycle_is_plain(g);
	out->by_rank = true;
	return g;
}

/* Judge; NULL and why: there are too many switches or layers. */
static struct cdg *
judge_tables(const struct verify_tables *in, unsigned threads,
	struct verify_report *out, struct reason *why)
{
	struct cdg *g = NULL;

	if (in->layers != NULL && in->layers->n > ROUTE_LAYERS) {
		(void)reason_set(why, "%u layers are more than there are SLs",
			in->layers->n);
		return NULL;
	}
	g = judge_as_one(in, threads, out);
	if (g == NULL)
		g = judge_by_layer(in, threads, out);
	if (g == NULL) {
		g = cdg_new(in, NULL, why);
		if (g == NULL)
			return NULL;
		walk_all(g, in, threads, out);
		verify_cycle_find(g, in, out);
	}
	verify_compare_directions(g, in->layers, NULL, out);
	verify_sum(g, out);
	return g;
}

int
verify_keep(const struct verify_tables *in, unsigned threads,
	struct verify_report *out, struct verify_state **keep,
	struct reason *why)
{
	struct cdg *g;

	memset(out, 0, sizeof(*out));
	out->load_sw = TOPO_NONE;
	if (keep != NULL)
		*keep = NULL;
	out->layers = out->vls = 1;
	if (in->layers != NULL && in->layers->n > 1) {
		out->layers = in->layers->n;
		out->vls = route_layers_groups(in->layers);
	}
	out->exact = true;
	g = judge_tables(in, threads, out, why);
	if (g == NULL)
		return -1;
	out->ok = out->unreachable == 0 && out->loops == 0 &&
		  out->cyclic_channels == 0 && out->asymmetric == 0;
	if (keep != NULL) {
		*keep = verify_state_new(g, in, out, NULL);
	} else {
		cdg_free(g);
	}
	return out->ok ? 0 : reason_set(why, "%s", out->first);
}

bool
verify_load(const struct verify_tables *in, unsigned threads, uint64_t *load)
{
	struct verify_tables plain = *in;
	struct verify_report out = {0};
	struct certificate *c;
	struct cdg *g;

	plain.layers = NULL; /* loads do not depend on layers */
	g = cdg_new(&plain, NULL, NULL);
	if (g == NULL)
		return false;
	g->light = true;
	c = certificate_new(g, &plain);
	if (c != NULL && certificate_proves(c, threads))
		certificate_add_loads(c, g, threads);
	else
		walk_all(g, &plain, threads, &out);
	certificate_free(c);
	verify_sum(g, &out);
	cdg_free(g);
	*load = out.load_max;
	return out.unreachable == 0 && out.loops == 0;
}

int
verify_tables(const struct verify_tables *in, struct verify_report *out,
	struct reason *why)
{
	return verify_keep(in, 1, out, NULL, why);
}

int
verify_tables_dependencies(const struct verify_tables *in,
	struct verify_report *out, struct verify_dependencies **deps,
	struct reason *why)
{
	struct verify_state *v;
	int rc = verify_keep(in, 1, out, &v, why);

	*deps = v != NULL ? verify_state_dependencies(v, in->topo, UINT16_MAX)
			  : NULL;
	verify_state_unref(v);
	return rc;
}
