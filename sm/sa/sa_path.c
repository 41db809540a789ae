/*
 * The properties of the path between two ports, from the tables of the view:
 * the smallest MTU, the slowest link, the routing layer in both directions.
 * O(hops). A link has the smaller of the MTUs that its ends hold, which are the
 * same unless one of them did not take its own.
 *
 * The codes of rates are in the order of their invention, so rates are compared
 * by speed (IBA 15.2.5.16, table of rates; later codes as the drivers define
 * them).
 */
#include "discovery/link_rate.h"
#include "sm/mad/mad.h"
#include "sm/sa/sa_priv.h"

enum { SLOWEST = 2, DEFAULT_RATE = 3 };

/* The capability that a port needs to know a rate. */
enum rate_needs { RATE_OLD, RATE_EXT, RATE_2X, RATE_HDR, RATE_NDR, RATE_XDR };

/* Slowest first; 100 Mb/s. */
static const struct {
	uint16_t speed;
	uint8_t code, needs;
} rates[] = {
	{25, 2, RATE_OLD},
	{50, 5, RATE_OLD},
	{100, 3, RATE_OLD},
	{140, 11, RATE_EXT},
	{200, 6, RATE_OLD},
	{250, 15, RATE_EXT},
	{280, 19, RATE_2X},
	{300, 4, RATE_OLD},
	{400, 7, RATE_OLD},
	{500, 20, RATE_2X},
	{560, 12, RATE_EXT},
	{600, 8, RATE_OLD},
	{800, 9, RATE_OLD},
	{1000, 16, RATE_EXT},
	{1120, 13, RATE_EXT},
	{1200, 10, RATE_OLD},
	{1680, 14, RATE_EXT},
	{2000, 17, RATE_EXT},
	{3000, 18, RATE_EXT},
	{4000, 21, RATE_HDR},
	{6000, 22, RATE_HDR},
	{8000, 23, RATE_NDR},
	{12000, 24, RATE_NDR},
	{16000, 25, RATE_XDR},
};
enum { RATES = sizeof(rates) / sizeof(rates[0]) };

/* Index in rates[], or -1. */
static int
rate_index(uint8_t code)
{
	for (int i = 0; i < RATES; i++)
		if (rates[i].code == code)
			return i;
	return -1;
}

bool
sa_path_rate_valid(uint8_t code)
{
	return rate_index(code) >= 0;
}

int
sa_path_rate_compare(uint8_t a, uint8_t b)
{
	int x = rate_index(a), y = rate_index(b);

	return x < y ? -1 : x > y;
}

/* The next slower rate, 0 when there is none. */
static uint8_t
rate_below(uint8_t code)
{
	int i = rate_index(code);

	return i > 0 ? rates[i - 1].code : 0;
}

bool
sa_path_fits(uint8_t sel, int compared)
{
	switch (sel) {
	case MAD_SA_GREATER:
		return compared > 0;
	case MAD_SA_LESS:
		return compared < 0;
	case MAD_SA_EXACTLY:
		return compared == 0;
	default:
		return true; /* the best available */
	}
}

/* What to promise where have is the most: below is the next lower value. */
static uint8_t
select_value(
	uint8_t sel, uint8_t want, uint8_t have, int compared, uint8_t below)
{
	switch (sel) {
	case MAD_SA_GREATER:
		return compared > 0 ? have : 0;
	case MAD_SA_LESS:
		return compared < 0 ? have : below;
	case MAD_SA_EXACTLY:
		return compared >= 0 ? want : 0;
	default:
		return have;
	}
}

uint8_t
sa_path_select_mtu(uint8_t sel, uint8_t want, uint8_t have)
{
	return select_value(
		sel, want, have, (int)have - (int)want, (uint8_t)(want - 1));
}

uint8_t
sa_path_select_rate(uint8_t sel, uint8_t want, uint8_t have)
{
	return select_value(sel, want, have, sa_path_rate_compare(have, want),
		rate_below(want));
}

uint8_t
sa_path_rate_of(const struct topo_port *p)
{
	uint32_t speed = link_rate_active(p);
	uint8_t code = SLOWEST;

	for (int i = 0; i < RATES; i++)
		if (rates[i].speed <= speed)
			code = rates[i].code;
	return code;
}

static bool
knows_rate(const struct topo_port *p, uint8_t needs)
{
	enum {
		SINCE_XDR = MAD_CAP2_XDR,
		SINCE_NDR = MAD_CAP2_NDR | SINCE_XDR,
		SINCE_HDR = MAD_CAP2_HDR | SINCE_NDR,
	};
	uint16_t cap2 = (p->capmask & MAD_CAP_CAPMASK2) != 0 ? p->capmask2 : 0;

	switch (needs) {
	case RATE_OLD:
		return true;
	case RATE_EXT:
		return (p->capmask & MAD_CAP_EXT_SPEEDS) != 0;
	case RATE_2X:
		return (cap2 & (MAD_CAP2_2X | SINCE_HDR)) != 0 ||
		       p->width == PORT_WIDTH_2X;
	case RATE_HDR:
		return (cap2 & SINCE_HDR) != 0 || p->speed_ext >= PORT_HDR;
	case RATE_NDR:
		return (cap2 & SINCE_NDR) != 0 || p->speed_ext >= PORT_NDR;
	default:
		return (cap2 & SINCE_XDR) != 0 || p->speed_ext >= PORT_XDR;
	}
}

uint8_t
sa_path_rate_known(const struct topo_port *client, uint8_t rate)
{
	int i = rate_index(rate);

	while (i > 0 && !knows_rate(client, rates[i].needs))
		i--;
	return i < 0 ? rate : rates[i].code;
}

static uint8_t
mtu_held(const struct topo_port *p)
{
	return p->mtu != 0 ? p->mtu : p->mtu_cap;
}

uint8_t
sa_path_mtu_of(const struct topo *t, const struct topo_port *p)
{
	uint8_t here = mtu_held(p), there;

	if (t->node[p->node].type == TOPO_SWITCH && p->num == 0) {
		bool enhanced = (t->node[p->node].flags & TN_ENHANCED_P0) != 0;

		return enhanced ? here : p->mtu_cap;
	}
	there = p->peer != TOPO_NONE ? mtu_held(&t->port[p->peer]) : 0;
	return there != 0 && there < here ? there : here;
}

/* The path uses the link of port p: lower the limits to those of the link. */
static void
pass_link(const struct topo *t, const struct topo_port *p, struct sa_path *w)
{
	uint8_t mtu = sa_path_mtu_of(t, p);
	uint8_t rate = sa_path_rate_of(p);

	if (w->mtu == 0 || mtu < w->mtu)
		w->mtu = mtu;
	if (w->rate == 0 || sa_path_rate_compare(rate, w->rate) < 0)
		w->rate = rate;
}

/* Port 0 of a switch has no link: its MTU alone counts. */
static void
pass_end(const struct topo *t, port_ix p, struct sa_path *w)
{
	const struct topo_port *port = &t->port[p];
	uint8_t mtu = sa_path_mtu_of(t, port);

	if (t->node[port->node].type != TOPO_SWITCH)
		pass_link(t, port, w);
	else if (mtu != 0 && (w->mtu == 0 || mtu < w->mtu))
		w->mtu = mtu;
}

/* The routing layer, in w->sl, and whether answers can use the same layer;
 * false: no path. */
static bool
find_layer(const struct view *v, const struct sa_end *from,
	const struct sa_end *to, struct sa_path *w)
{
	const struct route_layers *l = &v->routes->layers;
	sw_ix a = topo_switch_of(v->topo, from->port);
	sw_ix b = topo_switch_of(v->topo, to->port);

	if (a == TOPO_NONE || b == TOPO_NONE) {
		w->sl = 0; /* a link without a switch */
		w->reversible = true;
		return from->port == to->port ||
		       v->topo->port[from->port].peer == to->port;
	}
	w->sl = routes_layer(l, a, b);
	w->reversible = routes_layer(l, b, a) == w->sl &&
			routes_port(v->routes, b, from->lid) != LFT_DROP;
	return true;
}

bool
sa_path_find(const struct sa *sa, const struct view *v,
	const struct sa_end *from, const struct sa_end *to, struct sa_path *out)
{
	const struct topo *t = v->topo;
	struct route_step step[SA_STEPS];
	int n = 0;

	*out = (struct sa_path){.reversible = true};
	if (from->port != to->port) {
		n = routes_trace(
			v->routes, from->port, to->lid, step, SA_STEPS, NULL);
		if (n < 0 || n > SA_STEPS || !find_layer(v, from, to, out))
			return false;
		out->life = sa->par.packet_life;
	} else if (!find_layer(v, from, to, out)) {
		return false;
	}
	pass_end(t, from->port, out);
	for (int i = 0; i < n; i++) {
		/* cppcheck-suppress uninitvar */
		const struct topo_node *s = &t->node[t->sw[step[i].sw].node];

		if (step[i].out != 0)
			pass_link(
				t, &t->port[s->first_port + step[i].out], out);
	}
	pass_end(t, to->port, out);
	if (out->rate == 0)
		out->rate = DEFAULT_RATE;
	return true;
}
