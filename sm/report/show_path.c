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
	page_print(out, l, ", load %(load)d, %(times_mean).1f times the mean");
	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++)
		if (strcmp(choices[i].key, key) == 0)
			buf_printf(out, "; %s", choices[i].words);
	page_print(out, l, "%(drained)?{, %(drained)d more drained}");
	if (json_util_num(l, "choices") > 1)
		page_print(out, l,
			", one of %(choices)d, others would carry %(least)d");
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
	if (list.n > 0) {
		page_print(out, end,
			"        \"%(name)s\" port %(port)d in an hour:");
		buf_printf(out, "%s\n", list.text);
	}
	buf_free(&list);
}

static void
show_hop(const json_t *l, size_t i, struct buf *out)
{
	const json_t *ends = json_object_get(l, "ends");
	const json_t *counters = json_object_get(l, "counters");

	buf_printf(out, "%5zu", i);
	page_print(out, l,
		"   \"%(ends.0.name)s\" port %(ends.0.port)d - "
		"\"%(ends.1.name)s\" port %(ends.1.port)d: %(width)s %(speed)s "
		"%(gbps)g");
	if (json_util_real(l, "best") > json_util_real(l, "gbps"))
		page_print(out, l, " of %(best)g");
	page_print(out, l, " Gb/s, MTU %(mtu)d%(vl)&{, VL %(vl)d}");
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

void
show_path(const json_t *r, struct buf *out)
{
	page_print(out, r,
		"from    %(from.guid)s port %(from.port)d LID %(from.lid)d "
		"\"%(from.name)s\"\n"
		"to      %(to.guid)s port %(to.port)d LID %(to.lid)d "
		"\"%(to.name)s\"\n");
	show_direction("there", json_object_get(r, "there"), out);
	show_direction("back", json_object_get(r, "back"), out);
	page_print(out, r, "verdict %(verdict)s\n");
}
