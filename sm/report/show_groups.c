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
	buf_printf(out, "%-40s %-6s %-6s %7lld %9lld %8lld  %s\n",
		json_util_text(g, "mgid"), json_util_text(g, "mlid"),
		json_util_text(g, "pkey"), json_util_num(g, "members"),
		json_util_num(g, "receivers"), json_util_num(g, "switches"),
		page_text(json_object_get(g, "root"), "name"));
}

static void
put_members(const json_t *g, struct buf *out)
{
	const json_t *m, *s;
	size_t i, k;

	json_array_foreach(json_object_get(g, "member"), i, m)
	{
		buf_printf(out, "  member  %s \"%s\"",
			json_util_text(m, "port_guid"), page_text(m, "name"));
		json_array_foreach(json_object_get(m, "states"), k, s)
			buf_printf(out, "%s %s", k > 0 ? "," : "",
				json_string_value(s));
		buf_printf(out, "%s\n",
			json_util_yes(m, "proxy") ? " (joined by a proxy)"
						  : "");
	}
}

static void
put_tree(const json_t *g, struct buf *out)
{
	const json_t *b, *p;
	size_t i, k;

	json_array_foreach(json_object_get(g, "tree"), i, b)
	{
		const json_t *up = json_object_get(b, "parent");

		buf_printf(out, "  switch  %s \"%s\" ports",
			json_util_text(b, "guid"), page_text(b, "name"));
		json_array_foreach(json_object_get(b, "ports"), k, p)
			buf_printf(
				out, " %lld", (long long)json_integer_value(p));
		if (json_is_object(up))
			buf_printf(out, "; uplink port %lld to \"%s\"\n",
				json_util_num(b, "up"), page_text(up, "name"));
		else
			buf_printf(out, "; root\n");
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
