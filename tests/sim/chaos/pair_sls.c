#include "tests/sim/chaos/pair_sls.h"

#include "sm/policy/qos.h"

static uint16_t
sls_between(const struct view *v, port_ix from, port_ix to)
{
	const struct slvl *l = &v->qos->want.levels;
	uint16_t sls = 0;
	sw_ix a, b;

	if (from == TOPO_NONE || to == TOPO_NONE)
		return 0;
	a = topo_switch_of(v->topo, from);
	b = topo_switch_of(v->topo, to);
	/* no path record is given where no path is known, as in quarantine */
	if (a == TOPO_NONE || b == TOPO_NONE ||
		routes_port(v->routes, a, v->topo->port[to].lid) == LFT_DROP)
		return 0;
	for (unsigned i = 0; i < l->n; i++)
		sls |= (uint16_t)(1U << l->sl[i][routes_layer(
					  &v->routes->layers, a, b)]);
	return sls;
}

uint16_t
pair_sls_guids(const struct view *v, uint64_t from, uint64_t to)
{
	return sls_between(v, topo_by_port_guid(v->topo, from),
		topo_by_port_guid(v->topo, to));
}

uint16_t
pair_sls_lids(const struct view *v, uint16_t from, uint16_t to)
{
	unsigned path;

	return sls_between(v, topo_by_lid(v->topo, from, &path),
		topo_by_lid(v->topo, to, &path));
}
