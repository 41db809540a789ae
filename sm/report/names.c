#include "sm/report/names.h"

#include <stdlib.h>

#include "sm/base/mem.h"
#include "sm/base/utf8.h"

const char *
names_plural(long long n)
{
	return n == 1 ? "" : "s";
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

/* The name of the bit that is set: LinkWidthActive and the LinkSpeedActive
 * fields have one. */
static const char *
bit_name(const char *const *name, unsigned n, unsigned bits)
{
	for (unsigned i = 0; i < n; i++)
		if (bits == 1U << i)
			return name[i];
	return "unknown";
}

const char *
names_width(uint8_t width)
{
	static const char *const name[] = {"1x", "4x", "8x", "12x", "2x"};

	return bit_name(name, sizeof(name) / sizeof(name[0]), width);
}

const char *
names_speed(const struct topo_port *p)
{
	static const char *const ext[] = {"FDR", "EDR", "HDR", "NDR", "XDR"};
	static const char *const plain[] = {"SDR", "DDR", "QDR"};

	if (p->speed_ext != 0)
		return bit_name(
			ext, sizeof(ext) / sizeof(ext[0]), p->speed_ext);
	return bit_name(plain, sizeof(plain) / sizeof(plain[0]), p->speed);
}

const char *
names_order(enum route_order order)
{
	switch (order) {
	case ROUTE_TIERS:
		return "tiers";
	case ROUTE_SINGLE:
		return "single";
	case ROUTE_ROOTS:
		return "roots";
	default:
		return "unknown";
	}
}

const char *
names_topo_class(enum route_read read)
{
	switch (read) {
	case ROUTE_READ_TREE:
		return "tree";
	case ROUTE_READ_MESH:
		return "mesh";
	case ROUTE_READ_NEVER:
	default:
		return "unknown";
	}
}
