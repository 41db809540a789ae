#include "sm/what_if/snapshot_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "discovery/builder/builder.h"
#include "routing/core/engine.h"
#include "routing/driver/registry.h"
#include "routing/tiers/topo_class.h"
#include "sm/base/mem.h"
#include "sm/base/utf8.h"
#include "sm/base/version.h"
#include "sm/policy/jobs.h"
#include "sm/report/json_util.h"
#include "sm/report/names.h"
#include "sm/report/snapshot_json.h"

enum { INFO = 64, NODES_MAX = 1 << 17, NAME_MAX = 64, PORTS_MAX = 255 };

/* ---- values ---- */

static int
reject_node(struct reason *why, const char *what, long long of)
{
	return reason_set(why, "heddled's snapshot is invalid: %s of node %lld",
		what, of);
}

/* A number from 0 to max, 0 when it is missing; false: it is invalid. */
static bool
read_number(const json_t *o, const char *key, uint64_t max, uint64_t *out)
{
	const json_t *j = json_object_get(o, key);
	json_int_t v = json_integer_value(j);

	*out = (uint64_t)v;
	return j == NULL || (json_is_integer(j) && v >= 0 && *out <= max);
}

/* A GUID: 0x and digits; 0 when it is missing. */
static uint64_t
read_guid(const json_t *o, const char *key)
{
	return strtoull(json_util_text(o, key), NULL, 16);
}

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Exactly n bytes; false: there are more, fewer or invalid ones. */
static bool
read_bytes(const json_t *j, uint8_t *out, size_t n)
{
	const char *s = json_string_value(j);

	if (s == NULL || json_string_length(j) != 2 * n)
		return false;
	for (size_t i = 0; i < n; i++) {
		int hi = hex_digit(s[2 * i]), lo = hex_digit(s[2 * i + 1]);

		if (hi < 0 || lo < 0)
			return false;
		out[i] = (uint8_t)(hi << 4 | lo);
	}
	return true;
}

/* ---- nodes ---- */

/* Read the numbers of a node. */
static bool
node_of(const json_t *o, struct topo_node *out)
{
	const struct {
		const char *key;
		uint64_t max;
	} field[] = {{"type", TOPO_ROUTER}, {"vendor", 0xffffff},
		{"device", UINT16_MAX}, {"revision", UINT32_MAX},
		{"partition_cap", UINT16_MAX}, {"flags", UINT8_MAX},
		{"role", UINT8_MAX}};
	enum { N = sizeof(field) / sizeof(field[0]) };
	size_t ports = json_array_size(json_object_get(o, "ports"));
	uint64_t v[N];

	for (size_t i = 0; i < N; i++)
		if (!read_number(o, field[i].key, field[i].max, &v[i]))
			return false;
	*out = (struct topo_node){.guid = read_guid(o, "guid"),
		.sysimg = read_guid(o, "system"),
		.type = (uint8_t)v[0],
		.vendor = (uint32_t)v[1],
		.device = (uint16_t)v[2],
		.revision = (uint32_t)v[3],
		.partition_cap = (uint16_t)v[4],
		.flags = (uint8_t)v[5],
		.role = (uint8_t)v[6],
		.nports = (uint8_t)(ports - 1)};
	return ports > 1 && ports <= PORTS_MAX + 1 && out->type >= TOPO_CA &&
	       out->guid != 0;
}

static int
take_port(struct builder *d, builder_id n, unsigned i, const json_t *o,
	struct reason *why)
{
	const json_t *info = json_object_get(o, "info");
	struct topo_port p = {.guid = read_guid(o, "guid"), .num = (uint8_t)i};
	uint8_t wire[INFO];
	uint64_t flags, found;

	if (!read_number(o, "flags", UINT8_MAX, &flags) ||
		!read_number(o, "found", UINT16_MAX, &found) ||
		(info != NULL && !read_bytes(info, wire, INFO)))
		return reject_node(why, "a port", n);
	p.flags = (uint8_t)flags;
	p.found_lid = (uint16_t)found;
	return builder_put_port(d, n, &p, info != NULL ? wire : NULL, why);
}

static int
take_node(struct builder *d, const json_t *o, long long i, struct reason *why)
{
	const json_t *name = json_object_get(o, "name"), *port;
	size_t len = json_string_length(name) / 2, k;
	char desc[NAME_MAX + 1] = "";
	struct topo_node node;
	uint8_t wire[INFO];
	builder_id n;

	if (!node_of(o, &node) || len > NAME_MAX ||
		(name != NULL && !read_bytes(name, (uint8_t *)desc, len)))
		return reject_node(why, "the numbers", i);
	utf8_tame(desc);
	n = builder_add_node(d, (enum topo_type)node.type, node.guid,
		node.nports, name != NULL ? desc : NULL);
	builder_put_node(d, n, &node);
	if (node.type == TOPO_SWITCH) {
		if (!read_bytes(json_object_get(o, "info"), wire, INFO))
			return reject_node(why, "SwitchInfo", i);
		if (builder_put_switch(d, n, wire, why) != 0)
			return -1;
	}
	json_array_foreach(json_object_get(o, "ports"), k,
		port) if (take_port(d, n, (unsigned)k, port, why) !=
			  0) return -1;
	return 0;
}

/* Read [node, port]; false: there is no such node or port. */
static bool
end_of(const json_t *nodes, const json_t *pair, size_t *n, size_t *port)
{
	*n = (size_t)json_integer_value(json_array_get(pair, 0));
	*port = (size_t)json_integer_value(json_array_get(pair, 1));
	return json_array_size(pair) == 2 &&
	       *port < json_array_size(json_object_get(
			       json_array_get(nodes, *n), "ports"));
}

static int
take_links(struct builder *d, const json_t *nodes, size_t i, struct reason *why)
{
	const json_t *ports =
		json_object_get(json_array_get(nodes, i), "ports");
	size_t k, to, at;
	const json_t *o;

	json_array_foreach(ports, k, o)
	{
		const json_t *peer = json_object_get(o, "peer");

		if (peer == NULL)
			continue;
		if (!end_of(nodes, peer, &to, &at) || k == 0 || at == 0)
			return reject_node(why, "a link", (long long)i);
		if (to > i || (to == i && at >= k))
			builder_put_link(d, (builder_id)i, (unsigned)k,
				(builder_id)to, (unsigned)at);
	}
	return 0;
}

/* Add the assigned LIDs to a topology that has the numbering of nodes. */
static struct topo *
with_lids(const struct topo *bare, const json_t *nodes, struct reason *why)
{
	uint16_t *lid = mem_zalloc(bare->nports, sizeof(*lid));
	uint8_t *lmc = mem_zalloc(bare->nports, sizeof(*lmc));
	bool *taken = mem_zalloc(TOPO_LID_MAX + 1, sizeof(*taken));
	struct topo *t = NULL;
	int rc = 0;

	for (port_ix p = 0; p < bare->nports && rc == 0; p++) {
		const struct topo_port *port = &bare->port[p];
		const json_t *o = json_array_get(
			json_object_get(
				json_array_get(nodes, port->node), "ports"),
			port->num);
		uint64_t l = 0, m = 0;

		if (!read_number(o, "lid", TOPO_LID_MAX, &l) ||
			!read_number(o, "lmc", 7, &m) ||
			l + (1U << m) > TOPO_LID_MAX + 1U)
			rc = reject_node(why, "a LID", port->node);
		lid[p] = (uint16_t)l;
		lmc[p] = (uint8_t)m;
		for (unsigned k = 0; rc == 0 && l != 0 && k < 1U << m; k++) {
			if (taken[l + k])
				rc = reject_node(
					why, "a LID given twice", port->node);
			taken[l + k] = true;
		}
	}
	if (rc == 0)
		t = topo_with_lids(bare, &(struct topo_lids){lid, lmc});
	free(taken);
	free(lid);
	free(lmc);
	return t;
}

/* Freeze the topology; its numbering must be that of the daemon, and with
 * tables its hash. */
static struct topo *
freeze_topology(struct builder *d, const json_t *snapshot, const json_t *nodes,
	struct reason *why)
{
	bool tables = json_is_true(json_object_get(snapshot, "tables"));
	uint32_t generation = (uint32_t)json_util_num(snapshot, "generation");
	struct topo *t, *bare = builder_freeze(d, generation, why);
	bool same;

	if (bare == NULL)
		return NULL;
	same = bare->nnodes == json_array_size(nodes);
	for (node_ix n = 0; same && n < bare->nnodes; n++) {
		const json_t *o = json_array_get(nodes, n);

		same = bare->node[n].guid == read_guid(o, "guid") &&
		       bare->node[n].nports + 1U ==
			       json_array_size(json_object_get(o, "ports"));
	}
	t = same ? with_lids(bare, nodes, why) : NULL;
	topo_unref(bare);
	if (same && t == NULL)
		return NULL;
	if (same && (!tables || t->hash == read_guid(snapshot, "hash")))
		return t;
	topo_unref(t);
	(void)reason_set(why,
		"the topology read differs from that of heddled, which is "
		"version %s; this is %s",
		json_util_text(snapshot, "version"), VERSION_TEXT);
	return NULL;
}

static struct topo *
take_topology(const json_t *snapshot, struct reason *why)
{
	const json_t *nodes = json_object_get(snapshot, "nodes");
	size_t n = json_array_size(nodes), self = 0, port = 0;
	struct builder *d = builder_new();
	struct topo *t = NULL;
	int rc = 0;

	if (n == 0 || n > NODES_MAX ||
		!end_of(nodes, json_object_get(snapshot, "sm"), &self, &port))
		rc = reason_set(why, "heddled's snapshot contains no fabric");
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = take_node(d, json_array_get(nodes, i), (long long)i, why);
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = take_links(d, nodes, i, why);
	if (rc == 0) {
		builder_put_self(d, (builder_id)self, (unsigned)port);
		t = freeze_topology(d, snapshot, nodes, why);
	}
	builder_free(d);
	return t;
}

/* ---- routes ---- */

static enum route_order
order_of(const struct state_file *s)
{
	for (enum route_order o = ROUTE_TIERS; o <= ROUTE_NO_ORDER; o++)
		if (strcmp(s->order, names_order(o)) == 0)
			return o;
	return ROUTE_TIERS;
}

static struct topo_class
class_on_record(const struct state_file *s)
{
	return (struct topo_class){
		registry_name_of(s->engine), s->options, s->read};
}

static int
take_rows(struct routes *r, const json_t *nodes, struct reason *why)
{
	const struct topo *t = r->topo;
	size_t n = (size_t)r->nblocks * LFT_BLOCK;
	uint8_t *row = mem_alloc(n);
	int rc = 0;

	for (sw_ix s = 0; s < t->nsw && rc == 0; s++) {
		const json_t *o = json_array_get(nodes, t->sw[s].node);

		if (read_bytes(json_object_get(o, "row"), row, n))
			routes_put_like(
				r, s, row, NULL, TOPO_NONE, s > 0 ? s - 1 : 0);
		else
			rc = reject_node(why, "the table", t->sw[s].node);
	}
	free(row);
	return rc;
}

/* The layers of the packets to switch s: a byte for two sources. */
static int
take_layer_row(struct routes *r, const json_t *hex, sw_ix s, struct reason *why)
{
	struct layer_row *row = layer_row_new(r->topo->nsw);
	bool ok = read_bytes(hex, row->of, layer_row_bytes(row->n));

	for (sw_ix from = 0; ok && from < row->n; from++)
		ok = layer_row_get(row, from) < r->layers.n;
	if (!ok) {
		layer_row_drop(row);
		return reject_node(why, "layers", r->topo->sw[s].node);
	}
	route_layers_put(&r->layers, s, row, NULL);
	return 0;
}

/* The map of VLs, o, with the classes of each node's ports. */
static int
take_vl_map(struct routes *r, const json_t *o, const json_t *nodes,
	struct reason *why)
{
	const struct topo *t = r->topo;
	struct vl_map *m = vl_map_new(t);
	uint64_t groups, in, out;

	r->layers.map = m;
	if (!read_number(o, "groups", UINT8_MAX, &groups) ||
		!read_number(o, "in", VL_MAP_IN, &in) ||
		!read_number(o, "out", VL_MAP_OUT, &out) ||
		!read_bytes(json_object_get(o, "group"), m->group[0][0],
			sizeof(m->group)))
		return reason_set(why, "what the daemon says of the VLs of "
				       "layers makes no sense");
	m->groups = (uint8_t)groups;
	m->in = (uint8_t)in;
	m->out = (uint8_t)out;
	for (sw_ix s = 0; s < t->nsw; s++) {
		const struct topo_node *n = &t->node[t->sw[s].node];

		if (!read_bytes(json_object_get(
					json_array_get(nodes, t->sw[s].node),
					"vl_classes"),
			    m->port + n->first_port, n->nports + 1U))
			return reject_node(
				why, "classes of VLs", t->sw[s].node);
	}
	return vl_map_check(m, t, r->layers.n, why);
}

static int
take_layers(struct routes *r, const json_t *o, const json_t *nodes,
	struct reason *why)
{
	const struct topo *t = r->topo;
	uint64_t layers;

	if (!read_number(o, "n", ROUTE_LAYERS, &layers) || layers == 0)
		return reason_set(why, "what the daemon says of layers makes "
				       "no sense");
	r->layers.n = (uint8_t)layers;
	r->layers.plain = json_util_yes(o, "plain");
	for (sw_ix s = 0; s < t->nsw; s++) {
		const json_t *hex = json_object_get(
			json_array_get(nodes, t->sw[s].node), "layers");

		if (hex != NULL && take_layer_row(r, hex, s, why) != 0)
			return -1;
	}
	if (json_object_get(o, "map") != NULL)
		return take_vl_map(r, json_object_get(o, "map"), nodes, why);
	return 0;
}

/* The sets of switch s that lack ports: found, where all others are made. */
static int
take_narrow_row(
	struct routes *r, const json_t *list, sw_ix s, struct reason *why)
{
	struct route_set_row *row = route_set_row_new(r->sets->dest.n);
	const json_t *o;
	size_t i;

	r->sets->row[s] = row;
	json_array_foreach(list, i, o)
	{
		struct route_set set;
		uint64_t to;

		if (!read_number(o, "to", UINT32_MAX, &to) ||
			to >= row->ndest ||
			!read_bytes(json_object_get(o, "ports"),
				(uint8_t *)&set, sizeof(set)))
			return reject_node(
				why, "adaptive groups", r->topo->sw[s].node);
		row->of[to] = route_set_row_number(row, &set);
	}
	return 0;
}

static int
take_narrow(struct routes *r, const json_t *nodes, struct reason *why)
{
	const struct topo *t = r->topo;
	struct route_choice *can = mem_zalloc(t->nsw, sizeof(*can));
	int rc = 0;

	r->sets = route_sets_new(t, can, false);
	free(can);
	for (sw_ix s = 0; s < t->nsw && rc == 0; s++) {
		const json_t *list = json_object_get(
			json_array_get(nodes, t->sw[s].node), "narrow");

		if (list != NULL)
			rc = take_narrow_row(r, list, s, why);
	}
	return rc;
}

/* The routes in force, with everything that the next routes use of them. */
static struct routes *
take_routes(const json_t *snapshot, const struct snapshot *g,
	struct lft_pool *pool, struct reason *why)
{
	const struct topo_class class = class_on_record(&g->state);
	struct routes *r = routes_new(g->topo, pool);

	r->engine = class.engine != NULL ? class.engine : "in force";
	r->order = order_of(&g->state);
	r->fresh_load = g->state.load;
	(void)snprintf(r->note, sizeof(r->note), "%s",
		json_util_text(snapshot, "note"));
	routes_restore(r, g->state.rank, g->state.nrank);
	topo_class_restore(r, &class, g->state.rank, g->state.nrank);
	if (registry_parse_state(r, class.engine, g->state.remembered, why) ==
			0 &&
		take_layers(r, json_object_get(snapshot, "layers"),
			json_object_get(snapshot, "nodes"), why) == 0 &&
		take_rows(r, json_object_get(snapshot, "nodes"), why) == 0 &&
		take_narrow(r, json_object_get(snapshot, "nodes"), why) == 0)
		return r;
	routes_unref(r);
	return NULL;
}

static void
take_slots(struct snapshot_choice *c, const json_t *list)
{
	const unsigned words = MAD_AR_SUB_GROUPS * ROUTE_SET_WORDS;

	c->nslots = json_array_size(list) / words;
	c->slot = mem_zalloc(c->nslots, sizeof(*c->slot));
	for (size_t i = 0; i < c->nslots * words; i++)
		c->slot[i / words].port[i % words / ROUTE_SET_WORDS]
				       [i % ROUTE_SET_WORDS] =
			(uint64_t)json_integer_value(json_array_get(list, i));
}

static int
take_choices(struct snapshot *g, const json_t *list, struct reason *why)
{
	g->choice = mem_zalloc(g->topo->nsw, sizeof(*g->choice));
	for (sw_ix s = 0; s < g->topo->nsw; s++) {
		const json_t *o = json_array_get(list, s);
		struct snapshot_choice *c = &g->choice[s];
		uint64_t kind, groups;

		if (!json_is_object(o) ||
			!read_number(o, "kind", ROUTE_ESCAPES, &kind) ||
			!read_number(o, "groups", UINT16_MAX, &groups))
			return reject_node(
				why, "adaptive routing", g->topo->sw[s].node);
		c->can = (struct route_choice){(uint8_t)kind, (uint16_t)groups};
		c->by_sl = json_util_yes(o, "by_sl");
		(void)snprintf(
			c->why, sizeof(c->why), "%s", json_util_text(o, "why"));
		take_slots(c, json_object_get(o, "slots"));
	}
	return 0;
}

/* ---- all together ---- */

static struct config *
take_config(const json_t *snapshot, struct reason *why)
{
	const char *text = json_util_text(snapshot, "config");
	struct buf said = {0};
	struct diag_list bad;
	struct config *c = config_parse("heddled's configuration", text,
		strlen(text), registry_modules(), &bad);

	if (c == NULL) {
		diag_text(&bad, &said);
		(void)reason_set(why, "%s", said.text);
		buf_free(&said);
	}
	diag_free(&bad);
	return c;
}

static int
take_state(const json_t *snapshot, struct snapshot *g, struct reason *why)
{
	const char *text = json_util_text(snapshot, "state");

	if (state_file_parse(
		    text, strlen(text), "heddled's state", &g->state, why) != 0)
		return -1;
	g->lid = mem_zalloc(g->state.nlid, sizeof(*g->lid));
	for (size_t i = 0; i < g->state.nlid; i++)
		g->lid[i] = (struct lid_record){g->state.lid[i].guid,
			g->state.lid[i].lid, g->state.lid[i].lmc};
	return 0;
}

int
snapshot_read_fabric(
	const json_t *snapshot, struct snapshot *out, struct reason *why)
{
	long long format = json_util_num(snapshot, "format");

	*out = (struct snapshot){.answer = json_util_real(snapshot, "answer"),
		.standby = json_incref(json_object_get(snapshot, "standby"))};
	if (format != SNAPSHOT_FORMAT)
		return reason_set(why,
			"heddled %s sends snapshots in format %lld, and this "
			"heddlectl %s reads format %d: use the heddlectl of "
			"the same version",
			json_util_text(snapshot, "version"), format,
			VERSION_TEXT, SNAPSHOT_FORMAT);
	out->cfg = take_config(snapshot, why);
	if (out->cfg != NULL && take_state(snapshot, out, why) == 0)
		out->topo = take_topology(snapshot, why);
	if (out->topo != NULL)
		return 0;
	snapshot_read_free(out);
	return -1;
}

int
snapshot_read(const json_t *snapshot, struct lft_pool *pool,
	struct snapshot *out, struct reason *why)
{
	if (snapshot_read_fabric(snapshot, out, why) != 0)
		return -1;
	out->routes = take_routes(snapshot, out, pool, why);
	if (out->routes != NULL &&
		take_choices(out, json_object_get(snapshot, "choices"), why) ==
			0)
		return 0;
	snapshot_read_free(out);
	return -1;
}

void
snapshot_read_free(struct snapshot *g)
{
	for (sw_ix s = 0; g->choice != NULL && s < g->topo->nsw; s++)
		free(g->choice[s].slot);
	free(g->choice);
	routes_unref(g->routes);
	topo_unref(g->topo);
	free(g->lid);
	state_file_free(&g->state);
	config_unref(g->cfg);
	json_decref(g->standby);
	*g = (struct snapshot){0};
}

void
snapshot_routes(const struct snapshot *g, struct route_job *job)
{
	job->ranks = g->state.rank;
	job->nranks = g->state.nrank;
	job->ranks_order = order_of(&g->state);
	job->reading = class_on_record(&g->state);
	job->remembered = g->state.remembered;
}
