/*
 * PathRecord, MultiPathRecord and TraceRecord (IBA 15.2.5.16, .19, .20).
 *
 * The candidates of a query are pairs of ends, each with a destination LID;
 * those that meet the request become PathRecords. Selectors: a path can be used
 * with any MTU and rate up to its own, so "exactly" and "less than" are
 * answered with a value that the path supports; its packet lifetime is fixed.
 */
#include <string.h>

#include "sm/base/be.h"
#include "sm/base/mem.h"
#include "sm/sa/sa_priv.h"
#include "sm/view/view_slvl.h"

enum { MTU_MAX = 5, ALL_PATHS = 128, HOPS_ROUTER = 0xff };

static bool
asks_for(const struct sa_ends *e, uint64_t component)
{
	return (e->mask & component) == component;
}

/* True if the request has both a selector and a value. */
static bool
selects_by(const struct sa_ends *e, uint64_t sel, uint64_t value)
{
	return asks_for(e, sel | value);
}

/* False for values that no path can have. */
static bool
is_sensible(const struct sa_ends *e)
{
	const struct mad_sa_path *w = &e->want;

	if (selects_by(e, MAD_SA_PATH_MTU_SEL, MAD_SA_PATH_MTU) &&
		w->mtu_sel != MAD_SA_BEST && (w->mtu < 1 || w->mtu > MTU_MAX))
		return false;
	if (selects_by(e, MAD_SA_PATH_RATE_SEL, MAD_SA_PATH_RATE) &&
		w->rate_sel != MAD_SA_BEST && !sa_path_rate_valid(w->rate))
		return false;
	if (asks_for(e, MAD_SA_PATH_NPATHS) && w->npaths == 0)
		return false;
	return !asks_for(e, MAD_SA_PATH_RAW) || !w->raw;
}

/* Lower *have to the value to promise; false: the path does not meet the
 * request. */
static bool
select_mtu(const struct sa_ends *e, uint8_t *have)
{
	const struct mad_sa_path *w = &e->want;

	if (!selects_by(e, MAD_SA_PATH_MTU_SEL, MAD_SA_PATH_MTU) ||
		w->mtu_sel == MAD_SA_BEST)
		return true;
	*have = sa_path_select_mtu(w->mtu_sel, w->mtu, *have);
	return *have > 0;
}

static bool
select_rate(const struct sa_ends *e, uint8_t *have)
{
	const struct mad_sa_path *w = &e->want;

	if (selects_by(e, MAD_SA_PATH_RATE_SEL, MAD_SA_PATH_RATE))
		*have = sa_path_select_rate(w->rate_sel, w->rate, *have);
	return *have > 0;
}

static bool
select_life(const struct sa_ends *e, uint8_t have)
{
	return !selects_by(e, MAD_SA_PATH_LIFE_SEL, MAD_SA_PATH_LIFE) ||
	       sa_path_fits(e->want.life_sel, (int)have - (int)e->want.life);
}

/* The partition: the one asked for, or the first that both ports share; 0:
 * none. */
static uint16_t
select_pkey(const struct sa_query *q, port_ix from, port_ix to)
{
	const struct sa_ends *e = q->ends;

	return asks_for(e, MAD_SA_PATH_PKEY)
		       ? view_partition_has(q->view, from, to, e->want.pkey)
		       : view_partition_shared(q->view, from, to);
}

/* Set the SL and the limits of its QoS level; w->sl holds the routing layer
 * before. */
static void
grant_service_level(
	const struct sa_query *q, port_ix from, port_ix to, struct sa_path *w)
{
	const struct mad_sa_path *want = &q->ends->want;
	const struct qos_ask ask = {
		.from = from,
		.to = to,
		.pkey = w->pkey,
		.by_service = asks_for(q->ends, MAD_SA_PATH_SERVICE),
		.service = want->service,
		.by_class = asks_for(q->ends, MAD_SA_PATH_QOS),
		.class = want->qos_class,
	};
	const struct view_slvl_grant g = view_slvl_grant(q->view, &ask, w->sl);

	w->sl = g.sl;
	w->by_lid = g.by_lid;
	w->adaptive = g.adaptive;
	if (g.mtu != 0 && g.mtu < w->mtu)
		w->mtu = g.mtu;
	if (g.rate != 0 && sa_path_rate_compare(g.rate, w->rate) < 0)
		w->rate = g.rate;
	if (g.life != 0 && w->life != 0)
		w->life = g.life;
}

/* True if the path meets the request; *w is lowered to the values to
 * promise. */
static bool
suits_request(const struct sa_query *q, const struct sa_end *from,
	const struct sa_end *to, struct sa_path *w)
{
	const struct sa_ends *e = q->ends;
	const struct topo *t = q->view->topo;

	if (!sa_path_find(q->sa, q->view, from, to, w))
		return false;
	if (asks_for(e, MAD_SA_PATH_REVERSIBLE) && e->want.reversible &&
		!w->reversible)
		return false;
	w->pkey = select_pkey(q, from->port, to->port);
	if (w->pkey == 0)
		return false;
	grant_service_level(q, from->port, to->port, w);
	if (asks_for(e, MAD_SA_PATH_SL) && e->want.sl != w->sl)
		return false;
	w->rate = sa_path_rate_known(&t->port[q->from], w->rate);
	return select_mtu(e, &w->mtu) && select_rate(e, &w->rate) &&
	       select_life(e, w->life);
}

/* The GID of an end, with the prefix of the request. */
static struct mad_gid
gid_of(const struct sa *sa, const struct sa_end *e)
{
	return (struct mad_gid){
		e->prefix != 0 ? e->prefix : sa->par.prefix, e->guid};
}

static void
encode_path(const struct sa_query *q, const struct sa_end *from,
	const struct sa_end *to, const struct sa_path *w, uint8_t *rec)
{
	const struct sa_ends *e = q->ends;
	const struct mad_gid dgid = gid_of(q->sa, to);
	struct mad_sa_path p = {
		.dgid = dgid,
		.sgid = gid_of(q->sa, from),
		.hop_limit = sa_ends_local(q->sa, &dgid) ? 0 : HOPS_ROUTER,
		.dlid = to->lid,
		.slid = from->lid,
		.reversible = w->reversible,
		.pkey = w->pkey,
		.sl = w->sl,
		.mtu_sel = MAD_SA_EXACTLY,
		.mtu = w->mtu,
		.rate_sel = MAD_SA_EXACTLY,
		.rate = w->rate,
		.life_sel = MAD_SA_EXACTLY,
		.life = w->life,
	};

	/* fields that only the client uses are returned unchanged */
	if (asks_for(e, MAD_SA_PATH_SERVICE))
		p.service = e->want.service;
	if (asks_for(e, MAD_SA_PATH_FLOW))
		p.flow_label = e->want.flow_label;
	if (asks_for(e, MAD_SA_PATH_TCLASS))
		p.tclass = e->want.tclass;
	if (asks_for(e, MAD_SA_PATH_QOS))
		p.qos_class = e->want.qos_class;
	mad_sa_path_encode(&p, rec);
}

/*
 * Whether the destination LID is one that the answer may have. Where LIDs say
 * which packets may choose among ports, odd offsets are those of adaptive QoS
 * levels. A LID that the request names is answered: who names it knows which it
 * is; that of the source is where answers go, and the destination's is alike.
 * npaths counts LIDs of the kind.
 */
static bool
suits_offset(const struct sa_query *q, const struct sa_end *to, bool odd_source,
	bool named, const struct sa_path *w)
{
	const struct sa_ends *e = q->ends;
	const struct topo_port *p = &q->view->topo->port[to->port];
	unsigned offset = (unsigned)(to->lid - p->lid);
	bool odd = named ? odd_source : w->adaptive;

	if (e->dlid)
		return true;
	if (!w->by_lid || p->lmc == 0)
		return offset < e->npaths;
	return offset % 2 == odd && offset / 2 < e->npaths;
}

/*
 * A candidate is a source and a destination LID. The LIDs of a pair have the
 * same offset at both ends.
 */
static bool
find_candidate(const struct sa_query *q, uint64_t ix, struct sa_end *from,
	struct sa_end *to, struct sa_path *w)
{
	const struct sa_ends *e = q->ends;
	const struct topo *t = q->view->topo;
	const struct topo_port *p;
	unsigned offset;
	bool named;

	*from = e->src.end[ix / e->dst.n];
	*to = e->dst.end[ix % e->dst.n];
	named = from->lid != 0;
	offset = (unsigned)(to->lid - t->port[to->port].lid);
	p = &t->port[from->port];
	if (!e->dlid && offset / 2 >= e->npaths)
		return false;
	if (!named)
		from->lid = (uint16_t)(p->lid + offset % (1U << p->lmc));
	return suits_request(q, from, to, w) &&
	       suits_offset(q, to, (from->lid - p->lid) % 2 != 0, named, w);
}

/* ---- paths to a multicast group: with its properties ---- */

/* True if the group meets the request. */
static bool
group_suits(const struct sa_ends *e)
{
	const struct mad_sa_path *w = &e->want;
	const struct mad_sa_member *g = &e->group;

	return (!selects_by(e, MAD_SA_PATH_MTU_SEL, MAD_SA_PATH_MTU) ||
		       sa_path_fits(w->mtu_sel, (int)g->mtu - (int)w->mtu)) &&
	       (!selects_by(e, MAD_SA_PATH_RATE_SEL, MAD_SA_PATH_RATE) ||
		       sa_path_fits(w->rate_sel,
			       sa_path_rate_compare(g->rate, w->rate))) &&
	       (!selects_by(e, MAD_SA_PATH_LIFE_SEL, MAD_SA_PATH_LIFE) ||
		       sa_path_fits(
			       w->life_sel, (int)g->life - (int)w->life)) &&
	       (!asks_for(e, MAD_SA_PATH_SL) || w->sl == g->sl) &&
	       (!asks_for(e, MAD_SA_PATH_DLID) || w->dlid == g->mlid) &&
	       (!asks_for(e, MAD_SA_PATH_PKEY) ||
		       ((w->pkey ^ g->pkey) & PKEY_NUMBER) == 0);
}

static bool
group_record(const struct sa_query *q, uint64_t ix, uint8_t *rec)
{
	const struct sa_ends *e = q->ends;
	const struct sa_end *from = &e->src.end[ix];
	const struct mad_sa_member *g = &e->group;
	const struct mad_sa_path p = {
		.dgid = g->mgid,
		.sgid = gid_of(q->sa, from),
		.dlid = g->mlid,
		.slid = from->lid != 0 ? from->lid
				       : q->view->topo->port[from->port].lid,
		.hop_limit = g->hop_limit,
		.flow_label = g->flow_label,
		.tclass = g->tclass,
		.reversible = true,
		.pkey = view_partition_has(
			q->view, from->port, from->port, g->pkey),
		.sl = g->sl,
		.mtu_sel = MAD_SA_EXACTLY,
		.mtu = g->mtu,
		.rate_sel = MAD_SA_EXACTLY,
		.rate = g->rate,
		.life_sel = MAD_SA_EXACTLY,
		.life = g->life,
	};

	if (p.pkey == 0 || !group_suits(e))
		return false;
	mad_sa_path_encode(&p, rec);
	return true;
}

static bool
path_record(const struct sa_query *q, uint64_t ix, uint8_t *rec)
{
	const struct sa_ends *e = q->ends;
	struct sa_end from, to;
	struct sa_path w;

	if (e->multicast)
		return group_record(q, ix, rec);
	if (e->pick != NULL)
		ix = e->pick[ix];
	if (!find_candidate(q, ix, &from, &to, &w))
		return false;
	encode_path(q, &from, &to, &w, rec);
	return true;
}

static void
set_candidates(struct sa_query *q)
{
	struct sa_ends *e = q->ends;

	e->npaths = asks_for(e, MAD_SA_PATH_NPATHS) && q->h.method != MAD_GET
			    ? e->want.npaths
			    : ALL_PATHS;
	sa_ends_spread(q, &e->dst);
	q->at = 0;
	q->end = e->multicast ? e->src.n : (uint64_t)e->src.n * e->dst.n;
}

/* One end as the request names it: by GID, by LID, both or not at all. */
struct named {
	const struct mad_gid *gid; /* or NULL */
	uint16_t lid;
	bool by_lid, far; /* far: may be beyond a router */
};

/* Add the end that a request names to l; 0, or a status. An unused LID adds
 * none. */
static uint16_t
find_end(struct sa_query *q, const struct named *n, struct sa_end_list *l)
{
	struct sa_end by_gid, by_lid;
	uint16_t status;

	if (n->gid != NULL) {
		status = n->far && !sa_ends_local(q->sa, n->gid)
				 ? sa_ends_by_far_gid(q, n->gid, &by_gid)
				 : sa_ends_by_gid(q, n->gid, &by_gid);
		if (status != 0)
			return status;
		if (!n->by_lid)
			sa_ends_add(l, &by_gid);
	}
	if (!n->by_lid || !sa_scope_by_lid(q, n->lid, &by_lid))
		return 0;
	if (n->gid != NULL && by_gid.port != by_lid.port)
		return 0;
	if (n->gid != NULL) {
		by_lid.guid = by_gid.guid;
		by_lid.prefix = by_gid.prefix;
	}
	sa_ends_add(l, &by_lid);
	return 0;
}

static bool
is_multicast(const struct mad_gid *g)
{
	return g != NULL && g->prefix >> 56 == 0xff;
}

/* Find the group as destination, if the requester may see it; 0 or a status. */
static uint16_t
find_group(struct sa_query *q, const struct mad_gid *mgid)
{
	const struct sa_group *g = sa_groups_find(q->sa, mgid);

	if (g == NULL || (!q->trusted && view_partition_has(q->view, q->from,
						 q->from, g->is.pkey) == 0))
		return MAD_SA_INVALID_GID;
	q->ends->multicast = true;
	q->ends->group = g->is;
	return 0;
}

static uint16_t
find_ends(struct sa_query *q)
{
	struct sa_ends *e = q->ends;
	const struct mad_sa_path *w = &e->want;
	const struct named from = {
		asks_for(e, MAD_SA_PATH_SGID) ? &w->sgid : NULL, w->slid,
		asks_for(e, MAD_SA_PATH_SLID), false};
	const struct named to = {
		asks_for(e, MAD_SA_PATH_DGID) ? &w->dgid : NULL, w->dlid,
		asks_for(e, MAD_SA_PATH_DLID), true};
	uint16_t status;

	e->dlid = to.by_lid;
	status = find_end(q, &from, &e->src);
	if (status == 0)
		status = is_multicast(to.gid) ? find_group(q, to.gid)
					      : find_end(q, &to, &e->dst);
	if (status != 0)
		return status;
	if (from.gid == NULL && !from.by_lid) {
		if (q->h.method == MAD_GET)
			sa_ends_add(&e->src,
				&(struct sa_end){q->from, 0,
					q->view->topo->port[q->from].guid, 0});
		else
			sa_ends_all(q, &e->src);
	}
	if (to.gid != NULL || to.by_lid)
		return 0;
	if (asks_for(e, MAD_SA_PATH_SERVICE))
		sa_services_ends(q, w->service, &e->dst);
	else
		sa_ends_all(q, &e->dst);
	return 0;
}

static uint16_t
path_begin(struct sa_query *q)
{
	struct sa_ends *e = sa_ends_new(q);
	uint16_t status;

	mad_sa_path_decode(q->want, &e->want);
	e->mask = q->h.mask;
	if (!is_sensible(e))
		return MAD_SA_REQ_INVALID;
	/* Get answers one path; the default source is the requester */
	if (q->h.method == MAD_GET && !asks_for(e, MAD_SA_PATH_DGID) &&
		!asks_for(e, MAD_SA_PATH_DLID) &&
		!asks_for(e, MAD_SA_PATH_SERVICE))
		return MAD_SA_INSUF_COMPS;
	status = find_ends(q);
	if (status == 0)
		set_candidates(q);
	return status;
}

const struct sa_kind sa_path = {
	.attr = MAD_SA_PATH_REC,
	.size = MAD_SA_PATH,
	.begin = path_begin,
	.record = path_record,
	.any = true,
};

/* ---- MultiPathRecord: paths between two sets of GIDs ---- */

enum { MULTI_PATHS = 127, GID = 16 };

static uint16_t
add_gids(
	struct sa_query *q, const uint8_t *gid, size_t n, struct sa_end_list *l)
{
	for (size_t i = 0; i < n; i++) {
		struct mad_gid g = mad_sa_gid_decode(gid + i * GID);
		const struct named one = {&g, 0, false, l == &q->ends->dst};
		uint16_t status = find_end(q, &one, l);

		if (status != 0)
			return status;
	}
	return 0;
}

static uint16_t
multi_begin(struct sa_query *q)
{
	const uint64_t counts = MAD_SA_MULTI_NSGID | MAD_SA_MULTI_NDGID;
	struct sa_ends *e = sa_ends_new(q);
	struct mad_sa_multi m;
	uint16_t status;

	if ((q->h.mask & counts) != counts)
		return MAD_SA_INSUF_COMPS;
	if (q->len < MAD_SA_MULTI)
		return MAD_SA_REQ_INVALID;
	mad_sa_multi_decode(q->data, q->h.mask, &m);
	if (m.nsgid == 0 || m.ndgid == 0 ||
		q->len < MAD_SA_MULTI + GID * ((size_t)m.nsgid + m.ndgid))
		return MAD_SA_REQ_INVALID;
	e->want = m.path;
	e->mask = m.mask;
	if (!is_sensible(e))
		return MAD_SA_REQ_INVALID;
	status = add_gids(q, q->data + MAD_SA_MULTI, m.nsgid, &e->src);
	if (status == 0)
		status = add_gids(q,
			q->data + MAD_SA_MULTI + GID * (size_t)m.nsgid, m.ndgid,
			&e->dst);
	if (status != 0)
		return status;
	/* NumbPath counts the paths of the whole answer */
	q->most =
		asks_for(e, MAD_SA_PATH_NPATHS) ? e->want.npaths : MULTI_PATHS;
	e->mask &= ~(uint64_t)MAD_SA_PATH_NPATHS;
	set_candidates(q);
	return m.disjoint ? sa_disjoint_pick(q, find_candidate) : 0;
}

const struct sa_kind sa_multi = {
	.attr = MAD_SA_MULTI_PATH,
	.size = MAD_SA_DATA,
	.method = MAD_SA_GET_MULTI,
	.as = &sa_path,
	.begin_method = multi_begin,
};

/* ---- TraceRecord: the nodes of a path, asked for by a PathRecord ---- */

static uint16_t
trace_begin(struct sa_query *q)
{
	struct sa_ends *e = sa_ends_new(q);
	struct sa_end from;
	uint16_t status;
	int n;

	mad_sa_path_decode(q->want, &e->want);
	e->mask = q->h.mask;
	if ((!asks_for(e, MAD_SA_PATH_SGID) &&
		    !asks_for(e, MAD_SA_PATH_SLID)) ||
		(!asks_for(e, MAD_SA_PATH_DGID) &&
			!asks_for(e, MAD_SA_PATH_DLID)))
		return MAD_SA_INSUF_COMPS;
	status = find_ends(q);
	if (status != 0 || e->src.n != 1 || e->dst.n != 1)
		return status;
	sa_ends_spread(q, &e->dst);
	e->step = mem_zalloc(SA_STEPS, sizeof(*e->step));
	from = e->src.end[0];
	if (select_pkey(q, from.port, e->dst.end[0].port) == 0)
		return 0;
	n = routes_trace(q->view->routes, from.port, e->dst.end[0].lid, e->step,
		SA_STEPS, NULL);
	if (n < 0 || n > SA_STEPS)
		return 0;
	e->nsteps = (unsigned)n;
	q->end = e->nsteps + 2;
	return 0;
}

/* Candidates: the source, the switches, the destination. */
static bool
trace_record(const struct sa_query *q, uint64_t ix, uint8_t *rec)
{
	const struct sa_ends *e = q->ends;
	const struct topo *t = q->view->topo;
	port_ix from = e->src.end[0].port, to = e->dst.end[0].port;
	struct mad_sa_trace r = {
		.prefix = q->sa->par.prefix,
		.generation = (uint16_t)q->view->generation,
	};
	const struct topo_node *n;

	if (ix >= 1 && ix <= e->nsteps) {
		const struct route_step *s = &e->step[ix - 1];

		n = &t->node[t->sw[s->sw].node];
		r.entry = s->in;
		r.exit = s->out;
		r.entry_id = r.exit_id = t->port[n->first_port].guid;
	} else {
		port_ix p = ix == 0 ? from : to;

		/* a switch at an end, or one port as both ends: one record */
		n = &t->node[t->port[p].node];
		if ((n->type == TOPO_SWITCH && e->nsteps > 0) ||
			(ix != 0 && from == to))
			return false;
		*(ix == 0 ? &r.exit : &r.entry) = t->port[p].num;
		*(ix == 0 ? &r.exit_id : &r.entry_id) = t->port[p].guid;
	}
	r.node_type = n->type;
	r.node = n->guid;
	r.chassis = n->sysimg;
	mad_sa_trace_encode(&r, rec);
	return true;
}

const struct sa_kind sa_trace = {
	.attr = MAD_SA_TRACE_REC,
	.size = MAD_SA_TRACE,
	.record = trace_record,
	.method = MAD_SA_GET_TRACE,
	.as = &sa_trace,
	.begin_method = trace_begin,
};
