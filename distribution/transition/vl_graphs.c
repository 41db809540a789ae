/*
 * vl_graphs: how many graphs there are. A dependency stays in its layer where
 * no two layers share a VL of a link between switches, and where every row of
 * SL2VL there is known to be what it shall be, and has been for a drain: then
 * each layer has a graph of its own. Otherwise a packet may travel by one row
 * here and by another one there, and the VLs of one layer are also another's:
 * then all layers are one.
 *
 * Links that are not up carry nothing, and have their rows when they come up. A
 * packet that would take a blocked dependency is discarded; the final row is
 * written before the dependency is unblocked.
 */
#include <string.h>

#include "distribution/tables/vlarb.h"
#include "distribution/transition/transition_priv.h"

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

/*
 * Whether layers have VLs of their own on the live link out of port p of a
 * switch.
 */
static bool
has_own_vls_at(const struct transition_job *job, const struct vlarb_want *w,
	const struct transition_ports *in, port_ix p)
{
	const struct topo *t = job->to->topo;
	const struct topo_port *port = &t->port[p];
	uint64_t guid = t->node[port->node].guid;
	unsigned vls = vlarb_vls(w, t, p);
	struct transition_ports may = unblocked_in_ports(
		in, device_blocked(job->hw), guid, port->num);
	uint8_t row[SL2VL_ROW];

	if (slvl_separate_layers(&w->levels, vls) < w->levels.layers)
		return false;
	slvl_row(&w->levels, vls, false, row);
	return device_holds_rows(job->hw, guid, port->num, may.bit, row);
}

static bool
has_own_vls(const struct transition_job *job)
{
	const struct route_layers *to = &job->to->layers;
	const struct topo *t = job->to->topo;
	struct vlarb_want w = {.max_vls = job->max_vls};

	if (device_is_undrained(job->hw))
		return false;
	slvl_allocate(&job->levels, to->n, to->plain, &w.levels);
	for (sw_ix s = 0; s < t->nsw; s++) {
		const struct topo_node *n = &t->node[t->sw[s].node];
		struct transition_ports in = arrival_ports(t, s);

		for (unsigned out = 1; out <= n->nports; out++)
			if ((in.bit[out / 64] >> out % 64 & 1) != 0 &&
				!slvl_end(t, n->first_port + out) &&
				!has_own_vls_at(
					job, &w, &in, n->first_port + out))
				return false;
	}
	return true;
}

unsigned
vl_graphs_count(const struct transition_job *job)
{
	const struct route_layers *to = &job->to->layers;
	unsigned was = sl_history_layers(job->history);
	bool known = was > 0;

	if (to->n < 2)
		return 1;
	if (was == 0)
		was = job->from != NULL ? job->from->layers.n : to->n;
	if (was > to->n && carries_data(job->to->topo))
		return 1; /* the SLs of a layer that goes join another layer */
	return to->plain && (!known || !has_own_vls(job)) ? 1 : to->n;
}
