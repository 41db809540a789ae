#include "routing/core/slvl.h"

#include <string.h>

static unsigned
smaller_of(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* SLs while they are given out. */
struct giving {
	struct slvl *l;
	bool taken[SLVL_SLS];
	unsigned band; /* SLs that each layer has for itself; 0: no bands */
};

/* The lowest SL for this layer that is not taken yet. */
static unsigned
next_free(const struct giving *g, unsigned layer)
{
	unsigned sl = layer * g->band;

	while (sl < SLVL_SLS && g->taken[sl])
		sl++;
	return sl;
}

static void
assign_sl(struct giving *g, unsigned level, unsigned layer, unsigned sl)
{
	g->taken[sl] = true;
	g->l->sl[level][layer] = (uint8_t)sl;
	g->l->level[sl] = (uint8_t)level;
	g->l->layer[sl] = (uint8_t)layer;
}

/* True if level i can have the number that it wants. */
static bool
has_wanted_sl(const struct slvl_want *w, const struct giving *g, unsigned i)
{
	unsigned end = g->band > 0 ? g->band : SLVL_SLS;

	return w->n > 0 && w->level[i].sl < end;
}

/* The SLs of the first layer: those asked for, then those of other levels. */
static void
assign_first_layer(const struct slvl_want *w, struct giving *g)
{
	for (unsigned i = 0; i < g->l->separate; i++)
		if (has_wanted_sl(w, g, i))
			assign_sl(g, i, 0, w->level[i].sl);
	for (unsigned i = 0; i < g->l->separate; i++)
		if (!has_wanted_sl(w, g, i))
			assign_sl(g, i, 0, next_free(g, 0));
}

/* A level with its own SLs: this one, or the one that it shares with. */
static unsigned
level_with_own(const struct slvl *l, unsigned level, unsigned owners)
{
	for (unsigned i = 0; level >= owners && i < l->n; i++)
		level = l->with[level];
	return level < owners ? level : 0;
}

void
slvl_allocate(const struct slvl_want *w, unsigned layers, bool plain,
	struct slvl *out)
{
	struct giving g = {.l = out};
	unsigned i, k;

	*out = (struct slvl){
		.n = w->n > 0 ? w->n : 1,
		.layers = layers > 1 ? smaller_of(layers, SLVL_LAYERS) : 1,
		.wanted = w->n > 0,
		.plain = plain || layers < 2,
	};
	for (i = 1; i < w->n; i++)
		out->with[i] = w->level[i].with;
	out->separate = smaller_of(out->n, SLVL_SLS / out->layers);
	if (!out->plain)
		g.band = SLVL_SLS / out->layers;
	for (i = 0; g.band > 0 && i < SLVL_SLS; i++)
		out->layer[i] =
			(uint8_t)smaller_of(i / g.band, out->layers - 1);
	assign_first_layer(w, &g);
	for (k = 1; k < out->layers; k++)
		for (i = 0; i < out->separate; i++)
			assign_sl(&g, i, k, next_free(&g, k));
	for (i = out->separate; i < out->n; i++)
		memcpy(out->sl[i],
			out->sl[level_with_own(out, i, out->separate)],
			sizeof(out->sl[i]));
	/* SL 0 stays: traffic that asks for no level uses it */
	for (i = 1; i < SLVL_SLS; i++)
		out->drop[i] = !g.taken[i] && w->n > 0 && w->drop;
}

void
slvl_of_layers(const struct slvl_want *w, const struct route_layers *layers,
	struct slvl *out)
{
	slvl_allocate(w, layers->n, layers->plain, out);
	out->map = out->plain ? NULL : layers->map;
}

unsigned
slvl_groups(const struct slvl *l)
{
	return l->map != NULL ? l->map->groups : l->layers;
}

/*
 * Groups that such a link separates: all where they must be separate, else as
 * many as levels leave room for.
 */
static unsigned
groups_on_link(const struct slvl *l, unsigned vls, bool end)
{
	unsigned room = vls / (l->together ? 1 : l->n);

	if (!end && !l->plain)
		return slvl_groups(l);
	return room > 1 ? smaller_of(l->layers, room) : 1;
}

unsigned
slvl_separate_groups(const struct slvl *l, unsigned vls)
{
	return groups_on_link(l, vls, false);
}

unsigned
slvl_slots(const struct slvl *l, unsigned vls, bool end)
{
	unsigned slots = vls / groups_on_link(l, vls, end);

	if (l->together || slots < 1)
		return 1;
	return smaller_of(slots, l->n);
}

struct slvl_hop
slvl_hop_at(const struct slvl *l, const struct topo *t, unsigned in,
	port_ix out, unsigned vls)
{
	return (struct slvl_hop){.vls = vls,
		.end = slvl_end(t, out),
		.in = (uint8_t)in,
		.out = (uint8_t)vl_map_out(l->map, out)};
}

unsigned
slvl_ins(const struct slvl *l)
{
	return vl_map_ins(l->map);
}

void
slvl_in_ports(const struct slvl *l, const struct topo *t, node_ix n,
	unsigned in, const uint64_t all[4], uint64_t of[4])
{
	memset(of, 0, 4 * sizeof(*of));
	for (unsigned i = 0; i <= t->node[n].nports; i++) {
		port_ix p = t->node[n].first_port + i;

		if (vl_map_in(l->map, p) == in)
			of[i / 64] |= all[i / 64] & UINT64_C(1) << i % 64;
	}
}

/* The slot of a level among `slots` of them. */
static unsigned
slot_of_level(const struct slvl *l, unsigned level, unsigned slots)
{
	return level_with_own(l, level, slots);
}

/*
 * VLs of a group on a link: the same for any number of levels, or a change of
 * levels would move one layer to the VLs of another.
 */
static unsigned
vls_of_group(const struct slvl *l, unsigned vls, unsigned groups)
{
	return l->wanted || !l->plain ? vls / groups : 1;
}

uint8_t
slvl_group_vl(const struct slvl *l, unsigned level, unsigned group,
	unsigned vls, bool end)
{
	unsigned groups = groups_on_link(l, vls, end);

	if (vls < groups)
		return SLVL_DROP;
	return (uint8_t)(group % groups * vls_of_group(l, vls, groups) +
			 slot_of_level(l, level, slvl_slots(l, vls, end)));
}

/* The group that the layer of an SL has on a hop. */
static unsigned
group_of_sl(const struct slvl *l, unsigned sl, const struct slvl_hop *hop)
{
	return hop->end ? l->layer[sl]
			: vl_map_group(l->map, l->layer[sl], hop->in, hop->out);
}

uint8_t
slvl_vl(const struct slvl *l, unsigned sl, struct slvl_hop hop)
{
	if (l->drop[sl])
		return SLVL_DROP;
	return slvl_group_vl(
		l, l->level[sl], group_of_sl(l, sl, &hop), hop.vls, hop.end);
}

void
slvl_row(const struct slvl *l, struct slvl_hop hop, uint8_t row[SLVL_ROW])
{
	memset(row, 0, SLVL_ROW);
	for (unsigned sl = 0; sl < SLVL_SLS; sl++)
		row[sl / 2] |=
			(uint8_t)(slvl_vl(l, sl, hop) << (sl % 2 != 0 ? 0 : 4));
}

bool
slvl_keeps_layers(
	const struct slvl *l, struct slvl_hop hop, const uint8_t row[SLVL_ROW])
{
	unsigned groups = groups_on_link(l, hop.vls, false);

	for (unsigned sl = 0; sl < SLVL_SLS && hop.vls >= groups; sl++) {
		unsigned vl = row[sl / 2] >> (sl % 2 != 0 ? 0 : 4) & 15;

		if (vl < hop.vls && vl / vls_of_group(l, hop.vls, groups) !=
					    group_of_sl(l, sl, &hop) % groups)
			return false;
	}
	return hop.vls >= groups;
}

uint16_t
slvl_sls(const struct slvl *l, uint16_t layers)
{
	uint16_t sls = 0;

	for (unsigned sl = 0; sl < SLVL_SLS; sl++)
		if ((layers >> l->layer[sl] & 1) != 0)
			sls |= (uint16_t)(1U << sl);
	return sls;
}

/* An enhanced port 0: its link is inside the switch. */
static bool
is_enhanced_port0(const struct topo *t, port_ix p)
{
	const struct topo_node *n = &t->node[t->port[p].node];

	return n->type == TOPO_SWITCH && t->port[p].num == 0 &&
	       (n->flags & TN_ENHANCED_P0) != 0;
}

/* True if the port is up and its OperationalVLs count. */
static bool
is_operational(const struct topo_port *p)
{
	return p->state >= PORT_ARMED && p->op_vls > 0;
}

/* What one end of a link allows, as a code; 0: it was not read. */
static unsigned
end_code(const struct topo_port *p)
{
	return is_operational(p) ? p->op_vls : p->vl_cap;
}

uint8_t
slvl_link_code(const struct topo *t, port_ix p, uint8_t max)
{
	const struct topo_port *a = &t->port[p], *b = &t->port[a->peer];
	unsigned here = end_code(a), there = end_code(b);
	unsigned code =
		here > 0 && there > 0 ? smaller_of(here, there) : here + there;

	if (max == 0 || is_operational(a) || is_operational(b))
		return (uint8_t)code;
	return (uint8_t)smaller_of(code, max);
}

unsigned
slvl_vls(uint8_t code)
{
	static const uint8_t count[] = {1, 1, 2, 4, 8, 15};

	return count[code < sizeof(count) ? code : sizeof(count) - 1];
}

unsigned
slvl_link(const struct topo *t, port_ix p, uint8_t max)
{
	const struct topo_port *a = &t->port[p];

	if ((a->flags & (TP_ABSENT | TP_UNREAD)) != 0)
		return 0;
	if (is_enhanced_port0(t, p))
		return slvl_vls(a->vl_cap);
	if (a->peer == TOPO_NONE)
		return 0;
	return slvl_vls(slvl_link_code(t, p, max));
}

unsigned
slvl_weighted(
	const struct topo *t, port_ix p, uint8_t max, enum slvl_lists lists)
{
	unsigned vls = slvl_link(t, p, max);
	unsigned low = lists != SLVL_NO_LIST ? topo_vl_list(t, p, false) : 0;
	unsigned high = lists == SLVL_BOTH_LISTS ? topo_vl_list(t, p, true) : 0;

	if (low > 0 && low < vls)
		vls = low;
	if (high > 0 && high < vls)
		vls = high;
	return vls;
}

bool
slvl_maps(const struct topo *t, port_ix p)
{
	const struct topo_node *n = &t->node[t->port[p].node];

	/* a switch says so at its port 0, for all of them */
	if (n->type == TOPO_SWITCH)
		p = n->first_port;
	return (t->port[p].capmask & MAD_CAP_SL_MAPPING) != 0;
}

bool
slvl_end(const struct topo *t, port_ix p)
{
	port_ix peer = t->port[p].peer;

	return t->node[t->port[p].node].type != TOPO_SWITCH ||
	       peer == TOPO_NONE ||
	       t->node[t->port[peer].node].type != TOPO_SWITCH;
}
