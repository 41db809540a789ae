#include "distribution/device/sl2vl_read.h"

#include "sm/mad/mad.h"

enum { MISSES = 2 }; /* then the switch is asked for no more rows */

static bool
carries_data(const struct topo *t, port_ix p)
{
	return t->port[p].peer != TOPO_NONE && t->port[p].state >= PORT_ARMED;
}

static bool
leads_to_switch(const struct topo *t, port_ix p)
{
	return carries_data(t, p) &&
	       t->node[t->port[t->port[p].peer].node].type == TOPO_SWITCH;
}

static bool
maps_sls(const struct topo *t, const struct device_store *hw,
	const struct topo_node *n)
{
	return (t->port[n->first_port].capmask & MAD_CAP_SL_MAPPING) != 0 &&
	       !device_marked(hw, device_at_switch(n->guid, DEVICE_SL2VL),
		       DEVICE_REFUSES);
}

/* The unknown rows from all ports of a switch to its port p. */
static void
add_rows_to(struct device_read *r, const struct device_store *hw,
	const struct topo *t, port_ix p)
{
	const struct topo_port *port = &t->port[p];
	const struct topo_node *n = &t->node[port->node];

	for (unsigned in = 0; in <= n->nports; in++)
		if (in != port->num &&
			(in == 0 || carries_data(t, n->first_port + in)) &&
			device_bytes(hw,
				device_at_row(n->guid, in, port->num)) == NULL)
			device_read_add(
				r, &(struct device_job){.port = p,
					   .attr = DEVICE_SL2VL,
					   .block = in,
					   .mode = DEVICE_READ_UNKNOWN});
}

struct device_read *
sl2vl_read_new(struct topo *t, struct device_store *hw, struct xact *x)
{
	struct device_read *r = device_read_new(&(struct device_reading){
		.topo = t, .hw = hw, .x = x, .misses = MISSES});

	for (sw_ix s = 0; s < t->nsw; s++) {
		const struct topo_node *n = &t->node[t->sw[s].node];

		if (!topo_sw_live(t, s) || (n->flags & TN_FRESH) != 0 ||
			!maps_sls(t, hw, n))
			continue;
		for (unsigned out = 1; out <= n->nports; out++)
			if (leads_to_switch(t, n->first_port + out) &&
				t->port[n->first_port + out].vl_cap > 1)
				add_rows_to(r, hw, t, n->first_port + out);
	}
	return r;
}
