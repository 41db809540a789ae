/* The ends of paths: the ports that a GID, a LID or a service names. */
#include <stdlib.h>

#include "sm/base/mem.h"
#include "sm/sa/sa_priv.h"

struct sa_ends *
sa_ends_new(struct sa_query *q)
{
	q->ends = mem_zalloc(1, sizeof(*q->ends));
	return q->ends;
}

void
sa_ends_free(struct sa_ends *e)
{
	if (e == NULL)
		return;
	free(e->src.end);
	free(e->dst.end);
	free(e->step);
	free(e->pick);
	free(e);
}

void
sa_ends_add(struct sa_end_list *l, const struct sa_end *e)
{
	l->end = mem_grow(l->end, l->n, &l->cap, sizeof(*l->end));
	l->end[l->n++] = *e;
}

bool
sa_ends_local(const struct sa *sa, const struct mad_gid *g)
{
	return g->prefix == sa->par.prefix || g->prefix == MAD_GID_LINK_LOCAL;
}

/* A port of the query's view by its GUID; by hash if the view is the current
 * one. */
static port_ix
port_find(const struct sa_query *q, uint64_t guid)
{
	uint32_t p;

	if (q->view != q->sa->view)
		return topo_by_port_guid(q->view->topo, guid);
	return map_get(&q->sa->by_guid, guid, &p) ? p : TOPO_NONE;
}

uint16_t
sa_ends_by_gid(
	const struct sa_query *q, const struct mad_gid *g, struct sa_end *out)
{
	const struct topo *t = q->view->topo;
	port_ix p;

	if (!sa_ends_local(q->sa, g) || g->guid == 0)
		return MAD_SA_INVALID_GID;
	p = port_find(q, g->guid);
	if (p == TOPO_NONE)
		p = sa_guids_port(q->sa, q->view, g->guid);
	if (p == TOPO_NONE || t->port[p].lid == 0 || !sa_scope_sees(q, p))
		return MAD_SA_INVALID_GID;
	*out = (struct sa_end){p, 0, g->guid, g->prefix};
	return 0;
}

/* A destination's preference for a router: two GUIDs well mixed (the finalizer
 * of MurmurHash3). Not a hash of sm/base/hash.h: which router hosts are told is
 * seen outside, and stays when tables in memory are mixed otherwise. */
static uint64_t
router_weight(uint64_t guid, uint64_t router)
{
	uint64_t h = guid ^ router * UINT64_C(0x9e3779b97f4a7c15);

	h = (h ^ h >> 33) * UINT64_C(0xff51afd7ed558ccd);
	h = (h ^ h >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
	return h ^ h >> 33;
}

/*
 * The router to destination g: of those of its prefix, or of those that serve
 * any prefix where it has none, the usable one that the destination prefers
 * (rendezvous hashing, Thaler and Ravishankar 1998). So destinations are spread
 * over the routers, each always over the same, and a router that fails or
 * returns moves none but its own. TOPO_NONE: no router is usable.
 */
static port_ix
router_for(const struct sa_query *q, const struct mad_gid *g)
{
	const struct sa *sa = q->sa;
	uint64_t prefix = g->prefix, most = 0;
	port_ix best = TOPO_NONE;
	size_t i = 0;

	while (i < sa->nfar && sa->far[i].prefix != prefix)
		i++;
	if (i == sa->nfar)
		prefix = 0;
	for (i = 0; i < sa->nfar; i++) {
		uint64_t weight = router_weight(g->guid, sa->far[i].router);
		port_ix p;

		if (sa->far[i].prefix != prefix ||
			(best != TOPO_NONE && weight <= most))
			continue;
		p = port_find(q, sa->far[i].router);
		if (p == TOPO_NONE || q->view->topo->port[p].lid == 0 ||
			!sa_scope_sees(q, p))
			continue;
		best = p;
		most = weight;
	}
	return best;
}

uint16_t
sa_ends_by_far_gid(
	const struct sa_query *q, const struct mad_gid *g, struct sa_end *out)
{
	port_ix p = TOPO_NONE;

	if (g->prefix != 0 && g->guid != 0)
		p = router_for(q, g);
	if (p == TOPO_NONE)
		return MAD_SA_INVALID_GID;
	*out = (struct sa_end){p, 0, g->guid, g->prefix};
	return 0;
}

void
sa_ends_all(const struct sa_query *q, struct sa_end_list *l)
{
	const struct topo *t = q->view->topo;

	for (port_ix p = 0; p < t->nports; p++)
		if (topo_has_lid(t, p) && t->port[p].lid != 0 &&
			sa_scope_sees(q, p))
			sa_ends_add(
				l, &(struct sa_end){p, 0, t->port[p].guid, 0});
}

void
sa_ends_spread(const struct sa_query *q, struct sa_end_list *l)
{
	const struct topo *t = q->view->topo;
	struct sa_end_list all = {0};

	for (size_t i = 0; i < l->n; i++) {
		struct sa_end e = l->end[i];
		uint16_t base = t->port[e.port].lid;

		if (e.lid != 0) {
			sa_ends_add(&all, &e);
			continue;
		}
		for (unsigned k = 0; k < 1U << t->port[e.port].lmc; k++) {
			e.lid = (uint16_t)(base + k);
			sa_ends_add(&all, &e);
		}
	}
	free(l->end);
	*l = all;
}
