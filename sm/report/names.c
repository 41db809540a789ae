#include "sm/report/names.h"

#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "sm/base/utf8.h"
#include "sm/report/json_util.h"
#include "sm/report/terminal.h"

const char *
names_plural(long long n)
{
	return n == 1 ? "" : "s";
}

const char *
names_plural_es(long long n)
{
	return n == 1 ? "" : "es";
}

json_t *
names_guid(uint64_t guid)
{
	return json_sprintf("0x%016llx", (unsigned long long)guid);
}

json_t *
names_text(const char *s)
{
	char *clean = mem_strdup(s);
	json_t *j;

	utf8_tame(clean);
	j = json_string(clean);
	free(clean);
	return j;
}

json_t *
names_node_desc(const struct topo *t, node_ix n)
{
	return names_text(topo_desc(t, n));
}

json_t *
names_node(const struct topo *t, node_ix n)
{
	return json_util_object(M("guid", names_guid(t->node[n].guid)),
		M("name", names_node_desc(t, n)));
}

json_t *
names_port(const struct topo *t, port_ix p)
{
	node_ix n = p != TOPO_NONE ? t->port[p].node : TOPO_NONE;

	if (p == TOPO_NONE)
		return json_null();
	return json_util_object(M("guid", names_guid(t->node[n].guid)),
		M("port", t->port[p].num), M("name", names_node_desc(t, n)));
}

const char *
names_type(const struct topo_node *n)
{
	if ((n->flags & TN_AGGREGATION) != 0)
		return "aggregation";
	switch (n->type) {
	case TOPO_CA:
		return "host";
	case TOPO_SWITCH:
		return "switch";
	case TOPO_ROUTER:
		return "router";
	default:
		return "unknown";
	}
}

const char *
names_state(uint8_t state)
{
	static const char *const name[] = {
		"NoChange", "Down", "Init", "Armed", "Active"};

	return state < sizeof(name) / sizeof(name[0]) ? name[state] : "unknown";
}

const char *
names_width(uint8_t width)
{
	const char *name = port_width_name(width);

	return name != NULL ? name : "unknown";
}

const char *
names_speed(const struct topo_port *p)
{
	const char *name = port_speed_name(p->speed, p->speed_ext);

	return name != NULL ? name : "unknown";
}

const char *
names_order(enum route_order order)
{
	static const char *const name[] = {[ROUTE_TIERS] = "tiers",
		[ROUTE_SINGLE] = "single",
		[ROUTE_ROOTS] = "roots",
		[ROUTE_NO_ORDER] = "none"};

	return name[order];
}

const char *
names_topo_class(enum route_read read)
{
	return read == ROUTE_READ_TREE	 ? "tree"
	       : read == ROUTE_READ_MESH ? "mesh"
					 : "unknown";
}

size_t
names_column(const json_t *list)
{
	size_t width = strlen("OWNER"), n, i;
	const json_t *e;

	json_array_foreach(list, i, e)
	{
		const char *name = json_util_text(e, "name");

		n = *name != '\0' ? terminal_columns(name) : 1;
		width = n > width ? n : width;
	}
	return width;
}
