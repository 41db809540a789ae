/*
 * The page of a report: its lists and tables are those of the view, and no name
 * of the fabric is more than text in it.
 */
#include "sm/report/fabric_report.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "sm/report/json_util.h"
#include "sm/report/packed_json.h"
#include "sm/report/report_faults.h"
#include "tests/unit/core_fixture.h"

static const char hostile[] = "</script><script>alert(1)</script><!--";

/* ---- unpacking, as the browser does it ---- */

static int
digit_of(char c)
{
	static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "abcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = strchr(digit, c);

	ck_assert_ptr_nonnull(at);
	return (int)(at - digit);
}

/* The bytes of packed_json, to be freed; *n: how many. */
static uint8_t *
unpack_bytes(const json_t *o, size_t *n)
{
	const char *text = json_util_text(o, "base64");
	size_t size = 0;
	uint8_t *small = malloc(strlen(text) + 1), *bytes;
	uLongf room = (uLongf)json_util_num(o, "bytes");

	ck_assert_str_eq(json_util_text(o, "coding"), "deflate");
	ck_assert_uint_eq(strlen(text) % 4, 0);
	for (size_t i = 0; text[i] != '\0'; i += 4) {
		int value = 0, pads = 0;

		for (size_t k = 0; k < 4; k++) {
			pads += text[i + k] == '=';
			value = value << 6 |
				(text[i + k] == '=' ? 0
						    : digit_of(text[i + k]));
		}
		for (int k = 0; k < 3 - pads; k++)
			small[size++] = (uint8_t)(value >> (16 - 8 * k));
	}
	bytes = malloc(room + 1);
	ck_assert_int_eq(uncompress(bytes, &room, small, size), Z_OK);
	ck_assert_int_eq((json_int_t)room, json_util_num(o, "bytes"));
	*n = room;
	free(small);
	return bytes;
}

TEST(pack)
{
	uint8_t bytes[1000];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * i % 251);
	for (size_t size = 0; size < sizeof(bytes);
		size += size < 8 ? 1 : 331) {
		json_t *o = packed_json(bytes, size);
		size_t n;
		uint8_t *again = unpack_bytes(o, &n);

		ck_assert_uint_eq(n, size);
		ck_assert_mem_eq(again, bytes, size);
		free(again);
		json_decref(o);
	}
}

/* ---- lists and tables ---- */

static json_int_t
field_of(const json_t *list, size_t row, size_t at)
{
	return json_integer_value(
		json_array_get(json_array_get(list, row), at));
}

/* The page of the view, verified here as the command does. */
static json_t *
report_of(const struct world *w, const struct fabric_report_facts *more)
{
	struct fabric_report_facts facts = *more;

	facts.routes = sm_view(w->sm)->routes;
	ck_assert_ptr_nonnull(facts.routes->verified);
	return fabric_report_json(&facts);
}

/* Each path by the page's tables, from each switch to each host: how many end
 * at their host. */
static size_t
count_arrivals(const struct topo *t, const json_t *o, const uint8_t *out)
{
	const json_t *hosts = json_object_get(o, "hosts");
	size_t n = json_array_size(hosts), arrived = 0;

	for (sw_ix s = 0; s < t->nsw; s++)
		for (size_t h = 0; h < n; h++) {
			sw_ix at = s;
			port_ix p = TOPO_NONE;

			for (unsigned hop = 0; at != TOPO_NONE && hop < 8;
				hop++) {
				p = topo_port_behind(t, at, out[at * n + h]);
				at = topo_port_switch(t, p);
			}
			arrived += p != TOPO_NONE &&
				   t->port[p].lid == field_of(hosts, h, 2);
		}
	return arrived;
}

TEST(a_tree)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = core_start(f, "");
	const sw_ix cut_switch = 3;
	struct fabric_report_facts more = {
		.cut_switch = &cut_switch, .ncut_switches = 1};
	const struct topo *t;
	const json_t *links;
	AUTO(json) json_t *o = NULL;
	AUTO(mem) uint8_t *out = NULL;
	size_t n;

	core_expect_order(w, "start");
	t = sm_view(w->sm)->topo;
	o = report_of(w, &more);
	links = json_object_get(o, "links");
	ck_assert_uint_eq(json_array_size(json_object_get(o, "switches")), 12);
	ck_assert_uint_eq(json_array_size(json_object_get(o, "hosts")), 32);
	ck_assert_uint_eq(json_array_size(links), 32);
	ck_assert_uint_eq(json_array_size(json_object_get(o, "rates")), 1);
	ck_assert_int_eq(json_util_num(o, "unplaced"), 0);
	for (size_t i = 0; i < 32; i++) {
		sw_ix a = (sw_ix)field_of(links, i, 0),
		      b = (sw_ix)field_of(links, i, 2);
		port_ix p = topo_port_of(
			t, t->sw[a].node, (unsigned)field_of(links, i, 1));

		ck_assert_uint_eq(topo_port_switch(t, t->port[p].peer), b);
		ck_assert_int_eq(
			t->port[t->port[p].peer].num, field_of(links, i, 3));
		ck_assert_int_gt(field_of(links, i, 5), 0);
		ck_assert_int_eq(field_of(links, i, 7), 0);
	}
	out = unpack_bytes(json_object_get(o, "tables"), &n);
	ck_assert_uint_eq(n, 12 * 32);
	ck_assert_uint_eq(count_arrivals(t, o, out), 12 * 32);
	ck_assert_int_eq(
		json_integer_value(json_array_get(
			json_object_get(json_object_get(o, "cuts"), "switches"),
			0)),
		3);
}

/* ---- names ---- */

static size_t
count_of(const char *text, const char *what)
{
	size_t n = 0;

	for (const char *at = text; (at = strstr(at, what)) != NULL; at++)
		n++;
	return n;
}

/* The names come out of the page as they went in, and the page has no more
 * elements than its template. */
TEST(hostile_names)
{
	AUTO(fabric) struct fabric *f = core_tree();
	struct fabric_report_facts none = {0};
	const char *begin, *end;
	AUTO(buf) struct buf page = {0};
	AUTO(world) struct world *w = NULL;
	AUTO(json) json_t *o = NULL, *again = NULL;
	size_t found = 0;

	f->node[fabric_find(f, "leaf3")].name = hostile;
	f->node[fabric_find(f, "h7")].name = "\"';\\ <!--<script>";
	f->node[fabric_find(f, "h8")].name = "rack\n\xe2\x80\xae\xff";
	w = core_start(f, "");
	core_expect_order(w, "start");
	o = report_of(w, &none);
	fabric_report_page(o, &page);
	ck_assert_uint_eq(
		count_of(page.text, "<"), count_of(fabric_report_html, "<"));
	begin = strstr(page.text, "id=\"data\">");
	ck_assert_ptr_nonnull(begin);
	begin += strlen("id=\"data\">");
	end = strstr(begin, "</script>");
	again = json_loadb(begin, (size_t)(end - begin), 0, NULL);
	ck_assert_int_eq(json_equal(o, again), 1);
	for (size_t i = 0; i < 12; i++)
		found += strcmp(json_string_value(json_array_get(
					json_array_get(json_object_get(again,
							       "switches"),
						i),
					0)),
				 hostile) == 0;
	ck_assert_uint_eq(found, 1);
	ck_assert_ptr_null(strstr(page.text, "\xe2\x80\xae"));
}

/* ---- links that err ---- */

TEST(faults)
{
	AUTO(json)
	json_t *links = json_pack(
		"{s:i, s:{s:b}, s:[{s:[{s:s, s:i}, {s:s, s:i}], s:b, s:b, s:s, "
		"s:[{s:{s:i, s:i}, s:{s:i, s:i, s:i}}, n]}]}",
		"found", 7, "health", "enabled", 1, "links", "ends", "guid",
		"0x1", "port", 3, "guid", "0x2", "port", 4, "bad", 1, "slow", 0,
		"why", "flaps", "counters", "hour", "symbol_errors", 2, "wait",
		1000, "day", "symbol_errors", 5, "downed", 1, "discards", 1);
	AUTO(json) json_t *o = NULL, *row = NULL;

	ck_assert_ptr_nonnull(links);
	o = report_faults_json(links);
	row = json_pack("[s, i, s, i, b, b, s, i, i]", "0x1", 3, "0x2", 4, 1, 0,
		"flaps", 2, 7);
	ck_assert(json_util_yes(o, "read"));
	ck_assert_int_eq(json_util_num(o, "found"), 7);
	ck_assert_int_eq(
		json_equal(row, json_array_get(json_object_get(o, "list"), 0)),
		1);
}
