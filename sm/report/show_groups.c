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

static void
put_summary(const json_t *g, struct buf *out)
{
	page_print(out, g,
		"%(mgid)-40s %(mlid)-6s %(pkey)-6s %(members)7d %(receivers)9d "
		"%(switches)8d  %(root.name)s\n");
}

static void
put_members(const json_t *g, struct buf *out)
{
	const json_t *m, *s;
	size_t i, k;

	json_array_foreach(json_object_get(g, "member"), i, m)
	{
		page_print(out, m, "  member  %(port_guid)s \"%(name)s\"");
		json_array_foreach(json_object_get(m, "states"), k, s)
			buf_printf(out, "%s %s", k > 0 ? "," : "",
				json_string_value(s));
		page_print(out, m, "%(proxy)[ (joined by a proxy)|]\n");
	}
}

static void
put_tree(const json_t *g, struct buf *out)
{
	const json_t *b;
	size_t i;

	json_array_foreach(json_object_get(g, "tree"), i, b)
	{
		page_print(out, b, "  switch  %(guid)s \"%(name)s\" ports");
		page_each(out, json_object_get(b, "ports"), " %()d");
		page_print(out, b,
			json_is_object(json_object_get(b, "parent"))
				? "; uplink port %(up)d to "
				  "\"%(parent.name)s\"\n"
				: "; root\n");
	}
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
		put_summary(g, out);
		if (!json_util_yes(r, "one"))
			continue;
		buf_printf(out, "  Q_Key %s, MTU %lld, rate %s Gb/s, SL %lld\n",
			json_util_text(g, "qkey"), json_util_num(g, "mtu"),
			rate_name(json_util_num(g, "rate_code")),
			json_util_num(g, "sl"));
		put_members(g, out);
		put_tree(g, out);
	}
}
