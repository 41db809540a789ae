#include "sm/report/show.h"

#include "config/partition_options.h"
#include "sm/report/json_util.h"
#include "sm/report/page.h"

/* The rate in Gb/s of IBA's rate code. */
static const char *
rate_name(long long code)
{
	for (uint32_t i = 0; partition_rates[i] != NULL; i++)
		if (partition_rate_code(i) == code)
			return partition_rates[i];
	return "unknown";
}

void
show_groups(const json_t *r, struct buf *out)
{
	const json_t *g;
	size_t i;

	buf_printf(out, "%-40s %-6s %-6s %7s %9s %8s  %s\n", "MGID", "MLID",
		"P_Key", "members", "receivers", "switches", "root");
	json_array_foreach(json_object_get(r, "groups"), i, g)
	{
		page_print(out, g,
			"%(mgid)-40s %(mlid)-6s %(pkey)-6s %(members)7d "
			"%(receivers)9d %(switches)8d  %(root.name)s\n");
		if (!json_util_yes(r, "one"))
			continue;
		buf_printf(out, "  Q_Key %s, MTU %lld, rate %s Gb/s, SL %lld\n",
			json_util_text(g, "qkey"), json_util_num(g, "mtu"),
			rate_name(json_util_num(g, "rate_code")),
			json_util_num(g, "sl"));
		page_print(out, g,
			"%(member)*{  member  %(port_guid)s \"%(name)s\""
			"%(states)*{%(#)?{,} %()s}"
			"%(proxy)[ (joined by a proxy)|]\n}"
			"%(tree)*{  switch  %(guid)s \"%(name)s\" ports"
			"%(ports)*{ %()d}%(parent)?{; uplink port %(up)d to "
			"\"%(parent.name)s\"}%(parent)!{; root}\n}");
	}
}
