#include <string.h>

#include "sm/report/json_util.h"
#include "sm/report/page.h"
#include "sm/report/show.h"
#include "sm/report/watch_json.h"

/* "4x HDR, 50 of 200 Gb/s"; what the ends can do only if it is more. */
static void
show_pace(const json_t *l, struct buf *out)
{
	page_print(out, l, SHOW_ENDS(" - "));
	page_print(out, l,
		json_util_real(l, "best") > json_util_real(l, "gbps")
			? ": %(width)s %(speed)s, %(gbps)g of %(best)g Gb/s"
			  "%(best_width)?{: both ends can do %(best_width)s "
			  "%(best_speed)s}\n"
			: ": %(width)s %(speed)s, %(gbps)g Gb/s\n");
}

void
show_degraded(const json_t *degraded, struct buf *out)
{
	const json_t *l;
	size_t i;

	json_array_foreach(json_object_get(degraded, "list"), i, l)
	{
		buf_printf(out, "  link ");
		show_pace(l, out);
	}
}

/* ---- counters ---- */

/* Members of counters, and what they count in words. */
static const struct {
	const char *key, *words;
} counted[] = {
	{"symbol_errors", "symbol errors"},
	{"recovered", "recoveries"},
	{"downed", "times down"},
	{"receive_errors", "receive errors"},
	{"discards", "packets discarded"},
	{"wait", "ticks waited to send"},
};

enum { COUNTED = sizeof(counted) / sizeof(counted[0]) };

static bool
is_full(const json_t *counters, const char *key)
{
	const json_t *full = json_object_get(counters, "full"), *k;
	size_t i;

	json_array_foreach(full, i,
		k) if (strcmp(json_string_value(k), key) == 0) return true;
	return false;
}

/* What one end counted, a line each for what it counted in the last day;
 * whether there is any. */
static bool
show_counters(const json_t *end, const json_t *counters, struct buf *out)
{
	const json_t *minute = json_object_get(counters, "minute");
	const json_t *hour = json_object_get(counters, "hour");
	const json_t *day = json_object_get(counters, "day");
	bool any = false;

	for (unsigned i = 0; i < COUNTED; i++) {
		const char *key = counted[i].key;

		if (json_util_num(day, key) == 0 && !is_full(counters, key))
			continue;
		any = true;
		page_print(out, end, "    %(name)s port %(port)d: ");
		buf_printf(out, "%s %lld, %lld, %lld", counted[i].words,
			json_util_num(minute, key), json_util_num(hour, key),
			json_util_num(day, key));
		if (i == 0)
			page_print(out, hour, "; %(ber).1e per bit in an hour");
		if (is_full(counters, key))
			buf_printf(out, "; counts no further until it is "
					"cleared");
		buf_printf(out, "\n");
	}
	return any;
}

/* What is known of the link before error correction, if that is another number
 * than after it. */
static void
show_raw_ber(const json_t *end, const json_t *counters, struct buf *out)
{
	static const char *const window[] = {"minute", "hour", "day"};
	const json_t *hour = json_object_get(counters, "hour");
	const json_t *raw = json_object_get(hour, "raw_ber");

	if (json_is_real(raw) &&
		json_real_value(raw) == json_util_real(hour, "ber"))
		return;
	page_print(out, end,
		"    %(name)s port %(port)d: before error correction ");
	if (!json_is_real(raw))
		buf_printf(out, "not known");
	for (unsigned i = 0; i < 3 && json_is_real(raw); i++) {
		const json_t *in = json_object_get(counters, window[i]);

		buf_printf(out, "%s", i > 0 ? ", " : "");
		if (json_is_real(json_object_get(in, "raw_ber")))
			page_print(out, in, "%(raw_ber).1e");
		else
			buf_printf(out, "-");
	}
	buf_printf(out, "%s\n", json_is_real(raw) ? " errors per bit" : "");
}

static void
show_link(const json_t *l, struct buf *out)
{
	const json_t *ends = json_object_get(l, "ends");
	const json_t *counters = json_object_get(l, "counters");

	buf_printf(out, "  ");
	show_pace(l, out);
	page_print(out, l,
		"%(why)?{    bad: %(why)s\n}%(why)!{%(bad)?{    bad until it "
		"has been well for 10 minutes\n}}");
	watch_json_show(json_object_get(l, "watch"), "    ", out);
	for (size_t i = 0; i < json_array_size(ends); i++)
		if (show_counters(json_array_get(ends, i),
			    json_array_get(counters, i), out))
			show_raw_ber(json_array_get(ends, i),
				json_array_get(counters, i), out);
}

/* ---- the command ---- */

void
show_links(const json_t *r, struct buf *out)
{
	const json_t *list = json_object_get(r, "links"), *l;
	size_t i, n = json_array_size(list);

	if (list != NULL) {
		page_print(out, r, "found: %(found)d of %(of)d link%(of)[|s]");
		if ((size_t)json_util_num(r, "found") > n)
			buf_printf(out, ", of which the worst %zu are here", n);
		page_print(out, r,
			"%(links)?{%(health.enabled)?{; counts are of the last "
			"minute, hour and day}}\n");
		json_array_foreach(list, i, l) show_link(l, out);
	} else {
		page_print(out, r,
			"missing: %(missing.nodes)d node%(missing.nodes)[|s], "
			"%(missing.links)d link%(missing.links)[|s]\n");
		show_missing(json_object_get(r, "missing"), out);
		page_print(out, r,
			"below what both ends support: %(degraded.links)d "
			"link%(degraded.links)[|s]\n");
		show_degraded(json_object_get(r, "degraded"), out);
	}
	page_print(out, json_object_get(r, "health"),
		"%(enabled)!{counters are not read: health.enabled is false\n}"
		"%(enabled)?{%(passes)!{counters are not read yet; the master "
		"reads them\n}%(passes)?{counters: %(read)d of %(ports)d ports "
		"read in the last pass, which took %(pass_seconds).1f s\n"
		"bad: %(bad)d link%(bad)[|s]" SHOW_ACTED "}}");
}
