#include "sm/report/snapshot_json.h"

#include <stdlib.h>
#include <string.h>

#include "routing/core/routes.h"
#include "sm/base/bitset.h"
#include "sm/base/mem.h"
#include "sm/base/version.h"
#include "sm/report/json_util.h"
#include "sm/report/names.h"
#include "sm/report/standby_json.h"

enum { INFO = 64, MKEY = 8 };

static json_t *
take_text(struct buf *text)
{
	json_t *j =
		json_stringn_nocheck(text->n > 0 ? text->text : "", text->n);

	buf_free(text);
	return j;
}

static json_t *
hex_json(const uint8_t *bytes, size_t n)
{
	struct buf text = {0};

	buf_hex(&text, bytes, n);
	return take_text(&text);
}

/* PortInfo without the M_Key in its first bytes. */
static json_t *
port_info(const struct topo *t, port_ix p)
{
	uint8_t bytes[INFO];

	memcpy(bytes, topo_info(t, p), INFO);
	memset(bytes, 0, MKEY);
	return hex_json(bytes, INFO);
}

static json_t *
port_json(const struct topo *t, port_ix ix, bool info)
{
	const struct topo_port *p = &t->port[ix];
	json_t *o = json_util_object(M("flags", p->flags));

	if (p->guid != 0)
		json_util_put(o, M("guid", names_guid(p->guid)));
	if (p->found_lid != 0)
		json_util_put(o, M("found", p->found_lid));
	if (p->lid != 0) {
		json_util_put(o, M("lid", p->lid), M("lmc", p->lmc));
	}
	if (info && t->info_at[ix] != 0)
		json_util_put(o, M("info", port_info(t, ix)));
	if (p->peer != TOPO_NONE)
		json_util_put(
			o, M("peer", json_pack("[I, i]",
					     (json_int_t)t->port[p->peer].node,
					     t->port[p->peer].num)));
	return o;
}

/* The table of a switch, two digits an entry. */
static json_t *
row_json(const struct routes *r, sw_ix s)
{
	struct buf text = {0};

	for (uint32_t b = 0; b < r->nblocks; b++)
		buf_hex(&text, routes_block(r, s, b), LFT_BLOCK);
	return take_text(&text);
}

/* The sets of a switch that lack ports, by the numbers of their destination
 * switches; NULL: none does. */
static json_t *
narrow_json(const struct route_set_row *row)
{
	json_t *list;

	if (row == NULL || route_set_row_narrow(row) == 0)
		return NULL;
	list = json_array();
	for (uint32_t i = 0; i < row->ndest; i++)
		if (bitset_has(row->narrow, i))
			json_util_append(list, M("to", i),
				M("ports", hex_json((const uint8_t *)&row
							    ->set[row->of[i]],
						   sizeof(*row->set))));
	return list;
}

static json_t *
node_json(const struct view *v, size_t i, const void *param)
{
	const struct topo *t = v->topo;
	const struct topo_node *n = &t->node[i];
	const char *name = topo_desc(t, (node_ix)i);
	bool tables = *(const bool *)param;
	json_t *o, *narrow, *ports = json_array();

	for (unsigned k = 0; k <= n->nports; k++)
		json_util_add(ports,
			port_json(t, topo_port_of(t, (node_ix)i, k), tables));
	o = json_util_object(M("guid", names_guid(n->guid)),
		M("system", names_guid(n->sysimg)), M("type", n->type),
		M("vendor", n->vendor), M("device", n->device),
		M("revision", n->revision),
		M("partition_cap", n->partition_cap), M("flags", n->flags),
		M("role", n->role), M("ports", ports));
	if (n->desc != 0)
		json_util_put(o, M("name", hex_json((const uint8_t *)name,
						   strlen(name))));
	if (n->sw == TOPO_NONE)
		return o;
	json_util_put(o, M("info", hex_json(t->sinfo[n->sw], INFO)));
	if (tables)
		json_util_put(o, M("row", row_json(v->routes, n->sw)));
	narrow = tables && v->routes->sets != NULL
			 ? narrow_json(v->routes->sets->row[n->sw])
			 : NULL;
	if (narrow != NULL)
		json_util_put(o, M("narrow", narrow));
	if (tables && v->routes->layers.row != NULL &&
		v->routes->layers.row[n->sw] != NULL)
		json_util_put(o,
			M("layers", hex_json(v->routes->layers.row[n->sw]->of,
					    layer_row_bytes(t->nsw))));
	if (tables && v->routes->layers.map != NULL)
		json_util_put(o,
			M("vl_classes", hex_json(v->routes->layers.map->port +
							 n->first_port,
						n->nports + 1U)));
	return o;
}

static json_t *
layers_json(const struct route_layers *l)
{
	json_t *o = json_util_object(M("n", l->n), M("plain", l->plain));
	const struct vl_map *m = l->map;

	if (m != NULL)
		json_util_put(o,
			M("map", json_util_object(M("groups", m->groups),
					 M("in", m->in), M("out", m->out),
					 M("group",
						 hex_json(m->group[0][0],
							 sizeof(m->group))))));
	return o;
}

struct answer *
snapshot_answer(json_t *head, struct view *v, bool tables)
{
	const struct topo *t = v->topo;
	const struct answer_list nodes = {
		.key = "nodes",
		.n = t->nnodes,
		.item = node_json,
	};

	json_util_put(head, M("format", SNAPSHOT_FORMAT),
		M("version", VERSION_TEXT), M("generation", v->generation));
	standby_json_put(head, v);
	json_util_put(head, M("hash", names_guid(t->hash)),
		M("sm", json_pack("[I, i]",
				(json_int_t)t->port[t->sm_port].node,
				t->port[t->sm_port].num)),
		M("note", names_text(v->routes->note)),
		M("layers", layers_json(&v->routes->layers)));
	return answer_list(head, v, &nodes, &tables, sizeof(tables));
}
