#include "routing/verify/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/core/link_ranks.h"
#include "routing/verify/cdg.h"
#include "routing/verify/certificate.h"
#include "routing/verify/dep_count.h"
#include "sm/base/mem.h"

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

/* Pairs of a switch and a LID that must reach, and those that no path joins. */
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

/* True if ranks prove tables in which all that is to arrive does, and whose
 * dependencies were counted. */
static bool
climb_ranks(const struct cdg *g, const struct verify_tables *in)
{
	uint32_t *rank = cdg_ranks(g, in);
	bool climb = dep_count_all_climb(g->count, g, rank);

	free(rank);
	return climb;
}

/* The graph that a walk finds; NULL and why: there are too many switches. */
static struct cdg *
judge_by_walk(const struct verify_tables *in, unsigned threads,
	struct verify_report *out, struct reason *why)
{
	struct cdg *g = cdg_new(in, NULL, why);
	struct verify_dest *dest;
	uint32_t nlid;

	if (g == NULL)
		return NULL;
	if (cdg_layers_ranked(in))
		cdg_count(g);
	dest = verify_walk_dests(g, in, &nlid);
	verify_walk(g, in, dest, threads, out);
	count_pairs(g, dest, nlid, out);
	free(dest);
	out->by_rank = g->count != NULL && out->unreachable == 0 &&
		       out->loops == 0 && climb_ranks(g, in);
	if (out->by_rank) {
		out->plain = verify_cycle_is_plain(g);
		return g;
	}
	if (g->count != NULL)
		cdg_count_end(g);
	verify_cycle_find(g, in, out);
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
		g = judge_by_walk(in, threads, out, why);
	if (g == NULL)
		return NULL;
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
	struct verify_dest *dest;
	struct cdg *g;
	uint32_t nlid;

	plain.layers = NULL; /* loads do not depend on layers */
	g = cdg_new(&plain, NULL, NULL);
	if (g == NULL)
		return false;
	g->light = true;
	c = certificate_new(g, &plain);
	if (c != NULL && certificate_proves(c, threads)) {
		certificate_add_loads(c, g, threads);
	} else {
		dest = verify_walk_dests(g, &plain, &nlid);
		verify_walk(g, &plain, dest, threads, &out);
		free(dest);
	}
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
