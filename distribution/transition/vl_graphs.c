/*
 * vl_graphs: how many graphs there are. A dependency stays in its layer where
 * no two layers share a VL of a link between switches, and where every row of
 * SL2VL there is known to be what it shall be, and has been for a drain: then
 * each layer has a graph of its own. Otherwise a packet may travel by one row
 * here and by another one there, and the VLs of one layer are also another's:
 * then all layers are one.
 *
 * Tables that need their layers have a cycle as one. For them the rows are
 * written first, while what the switches hold has none even as one, and have
 * drained when the tables follow. Where the old tables need layers, but the new
 * ones have them by other rows or not at all, or where the SLs of connections
 * would mean other layers than these were given, no order of writes is safe
 * while packets travel: all ports go down for the change.
 *
 * A row that is unknown may be what it shall be. Where no row that is known is
 * another one, and the old tables need their layers, reading the unknown ones
 * decides (rows_unknown): until then all ports would go down.
 *
 * Links that are not up carry nothing, and have their rows when they come up. A
 * packet that would take a blocked dependency is discarded; the final row is
 * written before the dependency is unblocked.
 *
 * All this holds with a map of VLs (routing/core/vl_map.h) too: then no two
 * groups share a VL, and a row shall be what the new map says for its in-port
 * and out-port. The VL of a packet follows from its SL and these two ports, not
 * from the tables that sent it or the map that the row was made by. So where
 * the rows known to be in place keep the groups of the new map, packets that
 * old tables sent are where the new map says as well, and old and new entries
 * are judged by it alone; the old map is not asked. Classes of links that are
 * not up any more, or not yet, have no packets.
 */
#include <stdlib.h>
#include <string.h>

#include "distribution/tables/vlarb.h"
#include "distribution/transition/transition_priv.h"
#include "sm/base/mem.h"

/* Whether any switch carries data. */
static bool
carries_data(const struct topo *t)
{
	for (sw_ix s = 0; s < t->nsw; s++)
		if (!(t->node[t->sw[s].node].flags & TN_FRESH))
			return true;
	return false;
}

/* Ports by which packets enter a switch, a bit each. */
static struct transition_ports
arrival_ports(const struct topo *t, sw_ix s)
{
	const struct topo_node *n = &t->node[t->sw[s].node];
	struct transition_ports in = {{1}};

	for (unsigned p = 1; p <= n->nports; p++) {
		const struct topo_port *port = &t->port[n->first_port + p];

		if (port->peer != TOPO_NONE && port->state >= PORT_ARMED)
			in.bit[p / 64] |= UINT64_C(1) << p % 64;
	}
	return in;
}

/* The in-ports from which packets may leave by port out. */
static struct transition_ports
unblocked_in_ports(const struct transition_ports *all,
	const struct blocked_rows *blocked, uint64_t guid, unsigned out)
{
	struct transition_ports in = *all;

	in.bit[out / 64] &= ~(UINT64_C(1) << out % 64);
	for (size_t i = 0; i < blocked->n; i++) {
		const struct blocked_row *r = &blocked->row[i];

		if (r->guid == guid && r->out == out)
			in.bit[r->in / 64] &= ~(UINT64_C(1) << r->in % 64);
	}
	return in;
}

enum own_vls { SHARED, UNKNOWN, OWN };

/*
 * Whether layers have VLs of their own on the live link out of port p of a
 * switch.
 */
static enum own_vls
own_vls_at(const struct transition_job *job, const struct vlarb_want *w,
	const struct transition_ports *in, port_ix p)
{
	const struct topo *t = job->to->topo;
	const struct topo_port *port = &t->port[p];
	uint64_t guid = t->node[port->node].guid;
	unsigned vls = vlarb_vls(w, t, p), from, was = 0;
	struct transition_ports may = unblocked_in_ports(
		in, device_blocked(job->hw), guid, port->num);
	const uint8_t *row, *same = NULL;
	enum own_vls all = OWN;

	if (slvl_separate_groups(&w->levels, vls) < slvl_groups(&w->levels))
		return SHARED;
	for (unsigned i = 0; i < 256; i++) {
		if ((may.bit[i / 64] >> i % 64 & 1) == 0)
			continue;
		row = device_bytes(job->hw, device_at_row(guid, i, port->num));
		from = vl_map_in(
			w->levels.map, t->node[port->node].first_port + i);
		if (row == NULL)
			all = UNKNOWN;
		if (row == NULL || (row == same && from == was))
			continue;
		if (!slvl_keeps_layers(&w->levels,
			    slvl_hop_at(&w->levels, t, from, p, vls), row))
			return SHARED;
		same = row;
		was = from;
	}
	return all;
}

/* The same on all links: the least of them. */
static enum own_vls
own_vls(const struct transition_job *job)
{
	const struct route_layers *to = &job->to->layers;
	const struct topo *t = job->to->topo;
	struct vlarb_want w = {
		.max_vls = job->max_vls, .high = job->lists == SLVL_BOTH_LISTS};
	enum own_vls all = OWN;

	slvl_of_layers(&job->levels, to, &w.levels);
	for (sw_ix s = 0; s < t->nsw; s++) {
		const struct topo_node *n = &t->node[t->sw[s].node];
		struct transition_ports in = arrival_ports(t, s);

		for (unsigned out = 1; out <= n->nports; out++) {
			enum own_vls here = OWN;

			if ((in.bit[out / 64] >> out % 64 & 1) != 0 &&
				!slvl_end(t, n->first_port + out))
				here = own_vls_at(
					job, &w, &in, n->first_port + out);
			if (here == SHARED)
				return SHARED;
			if (here == UNKNOWN)
				all = UNKNOWN;
		}
	}
	return all;
}

static bool
are_sls_renumbered(const struct transition_job *job)
{
	const struct route_layers *to = &job->to->layers;
	struct slvl l;

	slvl_of_layers(&job->levels, to, &l);
	return sl_history_renumbers(job->history, &l);
}

/*
 * Whether what switches hold, packets in flight included, and multicast trees
 * with `guests`, has no cycle by any rows. Unknown tables are emptied before
 * rows are written.
 */
static bool
is_plain_now(const struct transition_job *job, bool guests)
{
	static const struct transition_when held = {TRANSITION_OLD, 0};
	struct chan_graph net;
	struct lft_values val;
	uint64_t *dep;
	uint32_t *comp;
	bool plain;

	chan_graph_new(&net, job->to->topo, job->hw, NULL);
	lft_values_new(&val, &net, job);
	unknown_lft_quench(&val, false);
	dep = mem_alloc(dep_graph_words(&net.frame) * sizeof(*dep));
	comp = mem_alloc(net.nv * sizeof(*comp));
	cdg_mixed_build(&val, held, held, dep);
	plain = cdg_cycle_find(&net, dep, comp) == 0 &&
		!(guests && transition_mcast_is_broken(&net, job, dep));
	free(dep);
	free(comp);
	lft_values_free(&val);
	chan_graph_free(&net);
	return plain;
}

/* For tables that may share VLs: one graph where the rows say so, if the old
 * tables may share them too. Multicast trees have to ask for their place in
 * it. */
static void
find_plain(const struct transition_job *job, struct vl_graphs *g)
{
	bool known = sl_history_layers(job->history) > 0;

	if (g->n > 1 &&
		(g->renumbers || !known || device_is_undrained(job->hw) ||
			own_vls(job) != OWN))
		g->n = 1;
	if (g->n == 1 && sl_history_layers(job->history) > 1 &&
		!is_plain_now(job, false))
		g->ports_down = "the old tables need layers, the new ones have "
				"other VLs";
}

static void
find_separate(const struct transition_job *job, struct vl_graphs *g)
{
	enum own_vls own = SHARED;

	if (g->renumbers)
		g->ports_down = "connections have SLs that mean other layers "
				"from now on";
	else if ((own = own_vls(job)) == OWN)
		g->rows_first = device_is_undrained(job->hw);
	else if (is_plain_now(job, job->guests))
		g->rows_first = true;
	else
		g->ports_down = "the old tables need layers on other VLs";
	g->rows_unknown = g->ports_down != NULL && own == UNKNOWN;
}

void
vl_graphs_find(const struct transition_job *job, struct vl_graphs *g)
{
	const struct route_layers *to = &job->to->layers;

	*g = (struct vl_graphs){.n = to->n};
	if (!carries_data(job->to->topo))
		return;
	g->renumbers = are_sls_renumbered(job);
	if (to->n < 2 || to->plain)
		find_plain(job, g);
	else
		find_separate(job, g);
}
