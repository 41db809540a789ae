#include "sm/report/fabric_counts.h"

#include "sm/report/json_util.h"
#include "sm/report/names.h"
#include "sm/report/page.h"

bool
fabric_counts_is_host(const struct topo *t, node_ix n)
{
	return topo_is_host_node(t, n) && t->node[n].type != TOPO_ROUTER;
}

struct fabric_counts
fabric_counts_of(const struct topo *t)
{
	struct fabric_counts c = {0};

	for (node_ix n = 0; n < t->nnodes; n++) {
		if ((t->node[n].flags & TN_AGGREGATION) != 0)
			c.aggregation++;
		else if (t->node[n].type == TOPO_SWITCH)
			c.switches++;
		else if (fabric_counts_is_host(t, n))
			c.hosts++;
		else
			c.routers++;
	}
	for (port_ix p = 0; p < t->nports; p++) {
		if (t->port[p].peer != TOPO_NONE && p <= t->port[p].peer)
			c.links++;
		if (t->port[p].lid == 0)
			continue;
		c.owners++;
		c.lids += 1U << t->port[p].lmc;
	}
	return c;
}

json_t *
fabric_counts_json(const struct topo *t)
{
	struct fabric_counts c = fabric_counts_of(t);

	return json_util_object(M("switches", c.switches), M("hosts", c.hosts),
		M("routers", c.routers), M("aggregation", c.aggregation),
		M("links", c.links),
		M("seen_from",
			t->sm_port != TOPO_NONE
				? names_node_desc(t, t->port[t->sm_port].node)
				: json_null()));
}

void
fabric_counts_line(const json_t *census, struct buf *out)
{
	static const struct {
		const char *key, *one, *many;
		bool always; /* shown even if 0 */
	} kinds[] = {
		{"switches", "switch", "switches", true},
		{"hosts", "host", "hosts", true},
		{"routers", "router", "routers", false},
		{"aggregation", "aggregation node", "aggregation nodes", false},
		{"links", "link", "links", true},
	};
	const char *sep = "fabric      ";

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		long long n = json_util_num(census, kinds[i].key);

		if (n == 0 && !kinds[i].always)
			continue;
		buf_printf(out, "%s%lld %s", sep, n,
			n == 1 ? kinds[i].one : kinds[i].many);
		sep = ", ";
	}
	page_print(out, census,
		"%(seen_from)?{, seen from %(seen_from)s}\n"
		"%(switches)!{            no switches: nothing to route\n}");
}
