/* Which events a user wants to see. */
#include <stdlib.h>
#include <time.h>

#include "sm/report/events_select.h"
#include "tests/unit/suite.h"

/* 2026-11-26 14:40:19 UTC */
#define NOW 1795704019.0

TEST(since_when)
{
	static const struct {
		const char *text;
		uint64_t after;
		double since; /* before now */
	} good[] = {{"0", 0, NOW}, {"17", 17, NOW},
		{"99999999999999999999", INT64_MAX, NOW}, {"90s", 0, 90},
		{"30min", 0, 1800}, {"5m", 0, 300}, {"2h", 0, 7200},
		{"3d", 0, 259200}, {"1w", 0, 604800},
		{"2026-11-26 14:40:00", 0, 19}, {"2026-11-26T14:39", 0, 79},
		{"2026-11-26", 0, 52819}, {"today", 0, 52819},
		{"yesterday", 0, 139219}, {"14:00", 0, 2419}};
	static const char *const bad[] = {"", "soon", "2x", "-5", "2 h",
		"2026-11-26 14:40 x", "26.11.2026", "h"};

	(void)setenv("TZ", "UTC", 1);
	tzset();
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct events_select s = {0};
		struct reason why = {""};

		ck_assert_msg(
			events_select_since(&s, good[i].text, NOW, &why) == 0,
			"%s: %s", good[i].text, why.text);
		ck_assert_msg(s.after == good[i].after &&
				      s.since == NOW - good[i].since,
			"%s: %llu %f", good[i].text,
			(unsigned long long)s.after, s.since);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct events_select s = {0};
		struct reason why = {""};

		ck_assert_msg(events_select_since(&s, bad[i], NOW, &why) != 0,
			"%s", bad[i]);
	}
}

TEST(what)
{
	static const struct {
		const char *port;
		bool takes;
	} rows[] = {{"leaf1", true}, {"LEAF1", true}, {"leaf1/5", true},
		{"leaf1/6", false}, {"leaf", false}, {"spine/1", true},
		{"spine/1/3", true}, {"spine/1/4", false},
		{"0x00000000000000a1", true}, {"0xA1", true}, {"0xa1/5", true},
		{"0xa", false}, {"0xa1/", false}, {"", false}};
	AUTO(json)
	json_t *e = json_pack(
		"{s:i, s:s, s:s, s:[{s:s, s:s, s:i}, {s:s, s:s, s:i}]}", "seq",
		4, "time", "2026-11-26T14:40:19.000000Z", "kind", "link-down",
		"ends", "guid", "0x00000000000000a1", "name", "leaf1", "port",
		5, "guid", "0x00000000000000b2", "name", "spine/1", "port", 3);
	struct events_select s = {0};
	struct reason why;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		s.port = rows[i].port;
		ck_assert_msg(events_select_takes(&s, e) == rows[i].takes, "%s",
			rows[i].port);
	}
	s.port = NULL;
	ck_assert_int_eq(events_select_kind(&s, "link-down", &why), 0);
	ck_assert(events_select_takes(&s, e));
	ck_assert_int_eq(events_select_kind(&s, "link-up", &why), 0);
	ck_assert(!events_select_takes(&s, e));
	ck_assert_int_eq(events_select_kind(&s, "ling-up", &why), -1);
	s = (struct events_select){.after = 4};
	ck_assert(!events_select_takes(&s, e));
	s = (struct events_select){.after = 3, .since = NOW};
	ck_assert(events_select_takes(&s, e));
	s.since = NOW + 1;
	ck_assert(!events_select_takes(&s, e));
}
