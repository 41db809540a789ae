#include <string.h>

#include "sm/report/adaptive_json.h"
#include "sm/report/json_util.h"
#include "sm/report/page.h"
#include "sm/report/show.h"

/* Reasons of a choice, in words. */
static const struct {
	const char *key, *words;
} choices[] = {
	{"only-one", "no other link"},
	{"drained", "no other link that is not drained"},
	{"redundancy", "keeps clear of the other ports of the node"},
	{"kept", "kept from earlier tables"},
	{"balance", "balance"},
};

static void
show_choice(const json_t *l, struct buf *out)
{
	const char *key = json_util_text(l, "reason");

	if (json_object_get(l, "load") == NULL)
		return;
	buf_printf(out, ", load %lld, %.1f times the mean",
		json_util_num(l, "load"), json_util_real(l, "times_mean"));
	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++)
		if (strcmp(choices[i].key, key) == 0)
			buf_printf(out, "; %s", choices[i].words);
	if (json_util_num(l, "drained") > 0)
		buf_printf(out, ", %lld more drained",
			json_util_num(l, "drained"));
	if (json_util_num(l, "choices") > 1)
		buf_printf(out, ", one of %lld, others would carry %lld",
			json_util_num(l, "choices"), json_util_num(l, "least"));
}

/* Members of counters, and what they count in words. */
static const struct {
	const char *key, *words;
} counted[] = {
	{"symbol_errors", "symbol errors"},
	{"receive_errors", "receive errors"},
	{"recovered", "recoveries"},
	{"downed", "times down"},
	{"discards", "packets discarded"},
};

/* What an end counted in the last hour, if it is anything. */
static void
show_counted(const json_t *end, const json_t *counters, struct buf *out)
{
	const json_t *hour = json_object_get(counters, "hour");
	struct buf list = {0};

	for (size_t i = 0; i < sizeof(counted) / sizeof(counted[0]); i++) {
		long long n = json_util_num(hour, counted[i].key);

		if (n > 0)
			buf_printf(&list, "%s %lld %s", list.n > 0 ? "," : "",
				n, counted[i].words);
	}
	if (list.n > 0)
		buf_printf(out, "        \"%s\" port %lld in an hour:%s\n",
			page_text(end, "name"), json_util_num(end, "port"),
			list.text);
	buf_free(&list);
}

static void
show_hop(const json_t *l, size_t i, struct buf *out)
{
	const json_t *ends = json_object_get(l, "ends");
	const json_t *counters = json_object_get(l, "counters");
	const json_t *a = json_array_get(ends, 0), *b = json_array_get(ends, 1);

	buf_printf(out, "%5zu   \"%s\" port %lld - \"%s\" port %lld: %s %s %g",
		i, page_text(a, "name"), json_util_num(a, "port"),
		page_text(b, "name"), json_util_num(b, "port"),
		page_text(l, "width"), page_text(l, "speed"),
		json_util_real(l, "gbps"));
	if (json_util_real(l, "best") > json_util_real(l, "gbps"))
		buf_printf(out, " of %g", json_util_real(l, "best"));
	buf_printf(out, " Gb/s, MTU %lld", json_util_num(l, "mtu"));
	if (json_object_get(l, "vl") != NULL)
		buf_printf(out, ", VL %lld", json_util_num(l, "vl"));
	show_choice(l, out);
	buf_printf(out, "\n");
	for (size_t k = 0; k < json_array_size(ends); k++)
		show_counted(json_array_get(ends, k),
			json_array_get(counters, k), out);
}

static void
show_direction(const char *name, const json_t *d, struct buf *out)
{
	const json_t *l;
	size_t i;

	buf_printf(out, "%-7s SL %lld\n", name, json_util_num(d, "sl"));
	adaptive_json_show_path(d, out);
	json_array_foreach(json_object_get(d, "links"), i, l)
		show_hop(l, i + 1, out);
}

static void
show_end(const char *name, const json_t *p, struct buf *out)
{
	buf_printf(out, "%-7s %s port %lld LID %lld \"%s\"\n", name,
		page_text(p, "guid"), json_util_num(p, "port"),
		json_util_num(p, "lid"), page_text(p, "name"));
}

void
show_path(const json_t *r, struct buf *out)
{
	show_end("from", json_object_get(r, "from"), out);
	show_end("to", json_object_get(r, "to"), out);
	show_direction("there", json_object_get(r, "there"), out);
	show_direction("back", json_object_get(r, "back"), out);
	buf_printf(out, "verdict %s\n", json_util_text(r, "verdict"));
}
