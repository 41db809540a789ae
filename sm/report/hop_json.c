#include "sm/report/hop_json.h"

#include "discovery/link_rate.h"
#include "routing/verify/verify.h"
#include "sm/report/json_util.h"
#include "sm/report/names.h"
#include "sm/view/view_slvl.h"

void
hop_json_switch(json_t *o, const struct topo *t, sw_ix s)
{
	json_util_put(o, M("switch", names_guid(t->node[t->sw[s].node].guid)),
		M("name", names_node_desc(t, t->sw[s].node)));
}

json_t *
hop_json_port(const struct topo *t, port_ix p, uint16_t lid)
{
	return json_util_object(M("guid", names_guid(t->port[p].guid)),
		M("port", t->port[p].num), M("lid", lid),
		M("name", names_node_desc(t, t->port[p].node)));
}

void
hop_json_link(json_t *o, const struct routes *r, const struct route_step *step)
{
	const struct topo *t = r->topo;
	node_ix n = t->sw[step->sw].node;
	const struct topo_port *p;

	if (step->out == 0 || step->out > t->node[n].nports)
		return;
	p = &t->port[topo_port_of(t, n, step->out)];
	json_util_put(o, M("width", names_width(p->width)),
		M("speed", names_speed(p)),
		M("gbps", link_rate_active(p) / 10.0));
	if (r->verified != NULL && p->peer != TOPO_NONE &&
		t->node[t->port[p->peer].node].type == TOPO_SWITCH)
		json_util_put(o, M("load", verify_state_load(r->verified,
						   step->sw, step->out)));
}

bool
hop_json_vl(const struct view *v, node_ix n, unsigned in, unsigned out,
	uint8_t sl, uint8_t *vl)
{
	uint8_t row[8];

	if (out == 0 || !view_slvl_sl2vl(v, n, in, out, row))
		return false;
	*vl = row[sl / 2] >> (sl % 2 != 0 ? 0 : 4) & 15;
	return true;
}
