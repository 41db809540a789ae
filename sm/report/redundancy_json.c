#include "sm/report/redundancy_json.h"

#include "sm/report/json_util.h"
#include "sm/report/names.h"
#include "sm/view/view_redundancy.h"

json_t *
redundancy_json_list(
	const struct topo *t, const struct redundancy_point *p, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n && i < REDUNDANCY_JSON_FIRST; i++) {
		node_ix x = t->sw[p[i].sw].node;

		json_util_append(list, M("switch", names_guid(t->node[x].guid)),
			M("name", names_node_desc(t, x)), M("port", p[i].out),
			M("nodes", p[i].nodes));
	}
	return list;
}

json_t *
redundancy_json_all(const struct view *v)
{
	static const struct view_redundancy none = {0};
	const struct view_redundancy *h = v->redundancy;

	if (h == NULL && v->routes->multi_port)
		return json_null();
	if (h == NULL) /* there are no multi-port nodes */
		h = &none;
	return json_util_object(M("nodes", h->nodes),
		M("single_points", h->nsingle), M("points_all", h->npoints),
		M("points",
			redundancy_json_list(v->topo, h->point, h->npoints)));
}

json_t *
redundancy_json_node(const struct view *v, size_t i, const void *param)
{
	const struct redundancy_node *h = &v->redundancy->node[i];
	const struct topo *t = v->topo;
	node_ix n = t->port[h->port].node, x = t->sw[h->sw].node;
	char text[400];

	(void)param;
	redundancy_text(t, h, text, sizeof(text));
	return json_util_object(M("guid", names_guid(t->node[n].guid)),
		M("name", names_node_desc(t, n)), M("ports", h->nports),
		M("leaves", h->leaves), M("cut_from", h->worst),
		M("point", json_util_object(
				   M("switch", names_guid(t->node[x].guid)),
				   M("name", names_node_desc(t, x)),
				   M("port", h->out))),
		M("text", names_text(text)));
}
