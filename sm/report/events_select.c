#include "sm/report/events_select.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "sm/base/suggest.h"
#include "sm/event/event_kind.h"
#include "sm/event/event_time.h"
#include "sm/report/json_util.h"

/* ---- since when ---- */

static double
unit_seconds(const char *unit)
{
	static const struct {
		const char *word;
		double seconds;
	} units[] = {{"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600},
		{"d", 86400}, {"w", 604800}};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(units[i].word, unit) == 0)
			return units[i].seconds;
	return 0;
}

/* A number, or a number and a unit. */
static bool
take_count(struct events_select *s, const char *text, double now)
{
	char *end;
	unsigned long long n = strtoull(text, &end, 10);
	double unit;

	if (!isdigit((unsigned char)*text))
		return false;
	if (*end == '\0') {
		s->after = n < INT64_MAX ? n : INT64_MAX;
		return true;
	}
	unit = unit_seconds(end);
	if (unit == 0)
		return false;
	s->since = now - (double)n * unit;
	return true;
}

/* A local time; a missing date is today, and a missing time midnight. */
static bool
take_clock(struct events_select *s, const char *text, double now)
{
	static const char *const formats[] = {"%Y-%m-%d %H:%M:%S",
		"%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M",
		"%Y-%m-%d", "%H:%M:%S", "%H:%M"};
	const time_t seconds = (time_t)now;
	struct tm today, tm;

	if (localtime_r(&seconds, &today) == NULL)
		return false;
	today.tm_sec = today.tm_min = today.tm_hour = 0;
	today.tm_isdst = -1;
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		const char *end;

		tm = today;
		end = strptime(text, formats[i], &tm);
		if (end == NULL || *end != '\0')
			continue;
		s->since = (double)mktime(&tm);
		return true;
	}
	if (strcmp(text, "yesterday") == 0)
		today.tm_mday--;
	else if (strcmp(text, "today") != 0)
		return false;
	s->since = (double)mktime(&today);
	return true;
}

int
events_select_since(struct events_select *s, const char *text, double now,
	struct reason *why)
{
	if (take_count(s, text, now) || take_clock(s, text, now))
		return 0;
	return reason_set(why,
		"'%s' is neither the number of an event nor a time, such as "
		"2h or \"2026-11-26 14:40\"",
		text);
}

/* ---- what ---- */

int
events_select_kind(
	struct events_select *s, const char *kind, struct reason *why)
{
	struct suggest nearest = suggest_for(kind);

	s->kind = kind;
	if (event_kind_find(kind) != EVENT_KINDS)
		return 0;
	for (unsigned k = 0; k < EVENT_KINDS; k++)
		suggest_offer(
			&nearest, event_kind_row((enum event_kind)k)->name);
	(void)reason_set(why, "no kind of event is called '%s'", kind);
	if (nearest.best != NULL)
		(void)reason_add(why, "; did you mean '%s'?", nearest.best);
	else
		(void)reason_add(why, "; heddle-events(7) lists them");
	return -1;
}

/* Whether n bytes of a user's text name this end: its GUID, or its name. */
static bool
names_node(const json_t *end, const char *text, size_t n)
{
	const char *name = json_util_text(end, "name");
	uint64_t guid = strtoull(json_util_text(end, "guid"), NULL, 16);
	char *rest;

	if (strlen(name) == n && strncasecmp(name, text, n) == 0)
		return true;
	return strncasecmp(text, "0x", 2) == 0 &&
	       strtoull(text, &rest, 16) == guid && rest == text + n;
}

/* "leaf1", or "leaf1/5"; a name may have a slash of its own. */
static bool
names_end(const json_t *end, const char *text)
{
	const char *slash = strrchr(text, '/');
	char *rest;

	if (names_node(end, text, strlen(text)))
		return true;
	return slash != NULL && isdigit((unsigned char)slash[1]) &&
	       strtoll(slash + 1, &rest, 10) == json_util_num(end, "port") &&
	       *rest == '\0' && names_node(end, text, (size_t)(slash - text));
}

static bool
is_about(const json_t *event, const char *port)
{
	const json_t *end;
	size_t i;

	json_array_foreach(json_object_get(event, "ends"), i, end)
	{
		if (names_end(end, port))
			return true;
	}
	return false;
}

bool
events_select_takes(const struct events_select *s, const json_t *event)
{
	const char *when = json_util_text(event, "time");
	double seconds = 0;

	(void)event_time_read(when, strlen(when), &seconds);
	if ((uint64_t)json_util_num(event, "seq") <= s->after ||
		seconds < s->since)
		return false;
	if (s->kind != NULL &&
		strcmp(json_util_text(event, "kind"), s->kind) != 0)
		return false;
	return s->port == NULL || is_about(event, s->port);
}
