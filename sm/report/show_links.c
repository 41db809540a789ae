#include <string.h>

#include "sm/report/json_util.h"
#include "sm/report/names.h"
#include "sm/report/show.h"
#include "sm/report/watch_json.h"

/* "4x HDR, 50 of 200 Gb/s"; what the ends can do only if it is more. */
static void
show_pace(const json_t *l, struct buf *out)
{
	double is = json_util_real(l, "gbps");
	double best = json_util_real(l, "best");

	buf_printf(out, "%s %s, %g", json_util_text(l, "width"),
		json_util_text(l, "speed"), is);
	if (best > is)
		buf_printf(out, " of %g", best);
	buf_printf(out, " Gb/s");
	if (best > is && json_util_has_text(l, "best_width"))
		buf_printf(out, ": both ends can do %s %s",
			json_util_text(l, "best_width"),
			json_util_text(l, "best_speed"));
}

void
show_degraded(const json_t *degraded, struct buf *out)
{
	const json_t *l;
	size_t i;

	json_array_foreach(json_object_get(degraded, "list"), i, l)
	{
		buf_printf(out, "  link ");
		show_ends(l, " - ", out);
		buf_printf(out, ": ");
		show_pace(l, out);
		buf_printf(out, "\n");
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
		buf_printf(out, "    %s port %lld: %s %lld, %lld, %lld",
			json_util_text(end, "name"), json_util_num(end, "port"),
			counted[i].words, json_util_num(minute, key),
			json_util_num(hour, key), json_util_num(day, key));
		if (i == 0)
			buf_printf(out, "; %.1e per bit in an hour",
				json_util_real(hour, "ber"));
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
	buf_printf(out, "    %s port %lld: before error correction ",
		json_util_text(end, "name"), json_util_num(end, "port"));
	if (!json_is_real(raw))
		buf_printf(out, "not known");
	for (unsigned i = 0; i < 3 && json_is_real(raw); i++) {
		const json_t *in = json_object_get(counters, window[i]);

		buf_printf(out, "%s", i > 0 ? ", " : "");
		if (json_is_real(json_object_get(in, "raw_ber")))
			buf_printf(out, "%.1e", json_util_real(in, "raw_ber"));
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
	show_ends(l, " - ", out);
	buf_printf(out, ": ");
	show_pace(l, out);
	buf_printf(out, "\n");
	if (json_util_has_text(l, "why"))
		buf_printf(out, "    bad: %s\n", json_util_text(l, "why"));
	else if (json_util_yes(l, "bad"))
		buf_printf(out, "    bad until it has been well for 10 "
				"minutes\n");
	watch_json_show(json_object_get(l, "watch"), "    ", out);
	for (size_t i = 0; i < json_array_size(ends); i++)
		if (show_counters(json_array_get(ends, i),
			    json_array_get(counters, i), out))
			show_raw_ber(json_array_get(ends, i),
				json_array_get(counters, i), out);
}

/* ---- the command ---- */

void
show_acted(const json_t *health, struct buf *out)
{
	long long drained = json_util_num(health, "drained");
	long long kept = json_util_num(health, "kept");

	if (drained > 0)
		buf_printf(out, ", %lld drained for health", drained);
	if (kept > 0)
		buf_printf(out, ", %lld not drained because of a limit", kept);
}

static void
show_health(const json_t *health, struct buf *out)
{
	long long bad = json_util_num(health, "bad");

	if (!json_util_yes(health, "enabled")) {
		buf_printf(out, "counters are not read: health.enabled is "
				"false\n");
		return;
	}
	if (json_util_num(health, "passes") == 0) {
		buf_printf(out, "counters are not read yet; the master reads "
				"them\n");
		return;
	}
	buf_printf(out,
		"counters: %lld of %lld ports read in the last pass, which "
		"took %.1f s\n",
		json_util_num(health, "read"), json_util_num(health, "ports"),
		json_util_real(health, "pass_seconds"));
	buf_printf(out, "bad: %lld link%s", bad, names_plural(bad));
	show_acted(health, out);
	buf_printf(out, "%s\n", bad > 0 ? "; list: heddlectl links --bad" : "");
}

static void
show_missing_links(const json_t *r, struct buf *out)
{
	const json_t *missing = json_object_get(r, "missing");
	const json_t *degraded = json_object_get(r, "degraded");
	long long nodes = json_util_num(missing, "nodes");
	long long links = json_util_num(missing, "links");
	long long slow = json_util_num(degraded, "links");

	buf_printf(out, "missing: %lld node%s, %lld link%s\n", nodes,
		names_plural(nodes), links, names_plural(links));
	show_missing(missing, out);
	buf_printf(out, "below what both ends support: %lld link%s\n", slow,
		names_plural(slow));
	show_degraded(degraded, out);
}

static void
show_found(const json_t *r, struct buf *out)
{
	const json_t *list = json_object_get(r, "links"), *l;
	long long found = json_util_num(r, "found");
	size_t i;

	buf_printf(out, "found: %lld of %lld link%s", found,
		json_util_num(r, "of"), names_plural(json_util_num(r, "of")));
	if ((size_t)found > json_array_size(list))
		buf_printf(out, ", of which the worst %zu are here",
			json_array_size(list));
	if (json_array_size(list) > 0)
		buf_printf(out, "; counts are of the last minute, hour and "
				"day");
	buf_printf(out, "\n");
	json_array_foreach(list, i, l) show_link(l, out);
}

void
show_links(const json_t *r, struct buf *out)
{
	if (json_object_get(r, "links") != NULL)
		show_found(r, out);
	else
		show_missing_links(r, out);
	show_health(json_object_get(r, "health"), out);
}
