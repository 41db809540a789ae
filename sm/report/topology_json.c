#include "sm/report/topology_json.h"

#include <string.h>

#include "discovery/text/topo_text.h"
#include "sm/report/fabric_dot.h"
#include "sm/report/fabric_slurm.h"
#include "sm/report/fabric_svg.h"
#include "sm/report/json_util.h"
#include "sm/report/names.h"
#include "sm/report/standby_json.h"

static json_t *
port_json(const struct topo *t, port_ix ix)
{
	const struct topo_port *p = &t->port[ix];
	json_t *o = json_object();

	json_util_put(o, M("port", p->num));
	if (p->guid != 0)
		json_util_put(o, M("guid", names_guid(p->guid)));
	if (p->lid != 0) {
		json_util_put(o, M("lid", p->lid), M("lmc", p->lmc));
	}
	if (p->num == 0)
		return o;
	json_util_put(o, M("state", names_state(p->state)));
	if (p->peer == TOPO_NONE)
		return o;
	json_util_put(o, M("width", names_width(p->width)),
		M("speed", names_speed(p)), M("peer", names_port(t, p->peer)));
	return o;
}

static json_t *
ports_json(const struct topo *t, node_ix n)
{
	json_t *list = json_array();

	for (unsigned i = 0; i <= t->node[n].nports; i++) {
		port_ix p = topo_port_of(t, n, i);

		if ((t->port[p].flags & TP_ABSENT) != 0)
			continue;
		if (t->port[p].peer == TOPO_NONE && t->port[p].lid == 0)
			continue;
		json_util_add(list, port_json(t, p));
	}
	return list;
}

static json_t *
flags_json(const struct topo *t, node_ix i)
{
	const struct topo_node *n = &t->node[i];
	static const struct {
		unsigned bit;
		const char *name;
	} flags[] = {
		{TN_DUPLICATE, "duplicate"},
		{TN_PARTIAL, "partial"},
		{TN_QUARANTINED, "quarantined"},
		{TN_SM, "self"},
	};
	json_t *list = json_array();

	for (size_t k = 0; k < sizeof(flags) / sizeof(flags[0]); k++)
		if ((n->flags & flags[k].bit) != 0)
			json_util_add(list, json_string(flags[k].name));
	if ((t->port[n->first_port].flags & TP_DRAINED) != 0)
		json_util_add(list, json_string("drained"));
	return list;
}

static json_t *
node_json(const struct view *v, size_t i, const void *param)
{
	const struct topo *t = v->topo;
	const struct topo_node *n = &t->node[i];

	(void)param;
	return json_util_object(M("guid", names_guid(n->guid)),
		M("name", names_node_desc(t, (node_ix)i)),
		M("type", names_type(n)), M("system", names_guid(n->sysimg)),
		M("vendor", n->vendor), M("device", n->device),
		M("nports", n->nports), M("hops", n->hops),
		M("flags", flags_json(t, (node_ix)i)),
		M("ports", ports_json(t, (node_ix)i)));
}

static json_t *
head_json(const struct view *v, const char *format)
{
	json_t *o = json_util_object(
		M("generation", v->generation), M("format", format));

	standby_json_put(o, v);
	return o;
}

/* ---- texts ---- */

enum kind { IBNETDISCOVER, DOT, SVG, SLURM, SLURM_YAML };

static const struct text {
	const char *format;
	enum kind kind;
	bool hosts; /* it can have some of them */
	bool names; /* it is wrong without their names */
} texts[] = {
	{"ibnetdiscover", IBNETDISCOVER, false, false},
	{"dot", DOT, true, false},
	{"svg", SVG, false, false},
	{"slurm", SLURM, true, true},
	{"slurm-yaml", SLURM_YAML, true, true},
};

static const struct text *
find_text(const char *format)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (strcmp(texts[i].format, format) == 0)
			return &texts[i];
	return NULL;
}

bool
topology_is_text(const char *format)
{
	return find_text(format) != NULL;
}

/* Whether hosts that are there have no names yet. */
static bool
lacks_names(const struct fabric_graph *g)
{
	for (uint32_t i = 0; i < g->nhosts; i++)
		if (!g->host[i].missing && g->host[i].name[0] == '\0')
			return true;
	return false;
}

static struct answer *
text_answer(struct view *v, const struct text *x, const char *hosts,
	const struct links_facts *f)
{
	struct arena *a = arena_new();
	const struct fabric_graph *g = fabric_graph_make(v, f->log, a);
	bool wait = x->names && f->reads_names && lacks_names(g);
	struct buf text = {0};

	if (x->kind == IBNETDISCOVER)
		topo_text_print_ibnetdiscover(v->topo, &text);
	else if (x->kind == DOT)
		fabric_dot_print(g, hosts, &text);
	else if (x->kind == SVG)
		fabric_svg_print(fabric_map_make(g, a), &text);
	else if (!wait)
		fabric_slurm_print(g, x->kind == SLURM_YAML, hosts, &text);
	arena_free(a);
	if (wait)
		return answer_error("busy",
			"the names of hosts are still being read: try again");
	return answer_text(head_json(v, x->format), v, &text);
}

static struct answer *
map_answer(struct view *v, const struct links_facts *f)
{
	struct arena *a = arena_new();
	json_t *o = head_json(v, "map");
	const struct fabric_map *m =
		fabric_map_make(fabric_graph_make(v, f->log, a), a);

	json_util_put(o, M("map", fabric_map_json(m)));
	arena_free(a);
	return answer_result(o);
}

struct answer *
topology_answer(json_t *request, struct view *v, const struct links_facts *f)
{
	const struct answer_list nodes = {
		.key = "nodes",
		.n = v->topo->nnodes,
		.item = node_json,
	};
	const char *cmd, *format = "json", *hosts = NULL;
	const struct text *text;
	json_error_t err;

	if (json_unpack_ex(request, &err, 0, "{s:s, s?s, s?s !}", "cmd", &cmd,
		    "format", &format, "hosts", &hosts) != 0)
		return answer_error("bad-argument", err.text);
	text = find_text(format);
	if (hosts != NULL && (text == NULL || !text->hosts))
		return answer_error("bad-argument",
			"'hosts' is for the formats dot, slurm and slurm-yaml");
	if (text != NULL)
		return text_answer(v, text, hosts, f);
	if (strcmp(format, "map") == 0)
		return map_answer(v, f);
	if (strcmp(format, "json") != 0)
		return answer_error("bad-argument", "'format' is not known");
	return answer_list(head_json(v, format), v, &nodes, NULL, 0);
}
