#include "sm/view/view_slvl.h"

#include <string.h>

#include "config/partition_options.h"
#include "config/qos_options.h"
#include "routing/driver/registry.h"

bool
view_slvl_sl2vl(const struct view *v, node_ix n, unsigned in, unsigned out,
	uint8_t row[8])
{
	port_ix p = v->topo->node[n].first_port + out;
	const struct qos *q = v->qos;
	const struct slvl *l;
	unsigned from;

	if (q == NULL || !q->mapped[p])
		return false;
	l = &q->want.levels;
	from = vl_map_in(l->map, q->topo->node[n].first_port + in);
	slvl_row(l,
		slvl_hop_at(
			l, q->topo, from, p, vlarb_vls(&q->want, q->topo, p)),
		row);
	return true;
}

bool
view_slvl_vlarb(
	const struct view *v, port_ix p, unsigned block, uint8_t table[64])
{
	const struct qos *q = v->qos;
	struct vlarb_table t;

	if (q == NULL || !q->shared[p] || block < 1 || block > VLARB_PARTS ||
		vlarb_bytes(q->topo, p, block) == 0 ||
		!vlarb_make(&q->want, q->topo, p, &t))
		return false;
	memcpy(table, t.part[block - 1], VLARB_PART);
	return true;
}

const char *
view_slvl_sl(const struct view *v, unsigned i, unsigned layer, uint8_t *sl)
{
	const struct slvl *l = v->qos != NULL ? &v->qos->want.levels : NULL;

	if (l == NULL || i >= l->n || layer >= l->layers)
		return NULL;
	*sl = l->sl[i][layer];
	return qos_level_name(v->qos->cfg, i);
}

bool
view_slvl_has_trees(const struct view *v, uint8_t sl)
{
	return v->qos == NULL || qos_has_trees(v->qos, &v->routes->layers, sl);
}

bool
view_slvl_levels(const struct view *v)
{
	return v->qos != NULL && v->qos->want.levels.wanted;
}

/* The options of the engines that concern layers. */
static struct engine_options
options_of(const struct config *c)
{
	return (struct engine_options){.own = c->own,
		.nown = c->nown,
		.levels = (uint8_t)qos_levels(c),
		.max_vls = qos_vls_code(c),
		.lists = (uint8_t)qos_lists(c)};
}

void
view_slvl_why_few(
	const struct config *c, const struct routes *r, char *out, size_t size)
{
	const struct engine_options o = options_of(c);

	registry_layers_short(r, &o, out, size);
}

uint32_t
view_slvl_why_shared(
	const struct config *c, const struct routes *r, char *out, size_t size)
{
	const struct engine_options o = options_of(c);

	return registry_layers_shared(r, &o, out, size);
}

struct view_slvl_grant
view_slvl_grant(const struct view *v, const struct qos_ask *ask, unsigned layer)
{
	const struct qos *q = v->qos;
	struct view_slvl_grant g = {.sl = (uint8_t)layer};
	const struct qos_level_options *o;
	unsigned level;

	if (q == NULL)
		return g;
	level = qos_level_of(q, ask);
	if (layer < q->want.levels.layers)
		g.sl = q->want.levels.sl[level][layer];
	o = qos_level(q->cfg, level);
	g.mtu = (uint8_t)o->mtu;
	g.rate = o->rate > 0 ? partition_rate_code(o->rate - 1) : 0;
	g.life = (uint8_t)o->lifetime;
	g.by_lid = qos_adaptive_by_lid(q->cfg);
	g.adaptive = o->adaptive;
	return g;
}
