/* What differs from a plan, as JSON and as a page. */
#include <stdlib.h>
#include <string.h>

#include "sm/cabling/cabling_read.h"
#include "sm/report/json_util.h"
#include "sm/report/verify_json.h"
#include "tests/unit/suite.h"

/* Two switches, a host at each, by their names alone. */
#define NODES                                                                  \
	"Switch 4 \"l1\"\n[1] \"h1\"[1]\n%s\nSwitch 4 \"s1\"\n[1] \"h2\"[1]\n" \
	"Ca 1 \"h1\"\nCa 1 \"h2\"\n"

static struct cabling *
read_with(const char *links)
{
	AUTO(buf) struct buf text = {0};
	struct reason why = {""};
	struct cabling *c;

	buf_printf(&text, NODES, links);
	c = cabling_read(text.text, text.n, "plan", &why);
	ck_assert_msg(c != NULL, "%s", why.text);
	return c;
}

/* The result of comparing two fabrics of these nodes. */
static json_t *
compare_links(const char *planned, const char *is, size_t most)
{
	struct cabling *plan = read_with(planned), *fabric = read_with(is);
	struct reason why;
	struct deviations *d;
	json_t *j;

	for (size_t i = 0; i < fabric->nnodes; i++)
		fabric->node[i].guid = 0xa0 + i; /* as a fabric has */
	d = deviations_find(plan, fabric, &why);
	ck_assert_ptr_nonnull(d);
	j = verify_json(d, most);
	deviations_free(d);
	cabling_free(plan);
	cabling_free(fabric);
	return j;
}

static void
must_show(const json_t *j, const char *page)
{
	AUTO(buf) struct buf out = {0};

	show_verify(j, &out);
	ck_assert_str_eq(out.text, page);
}

TEST(as_planned)
{
	static const char links[] = "[2] \"s1\"[2] 4xHDR\n[3] \"s1\"[3] 4xHDR";
	AUTO(json) json_t *j = compare_links(links, links, 10);

	ck_assert(json_util_yes(j, "as_planned"));
	ck_assert_int_eq(json_util_num(j, "deviations"), 0);
	must_show(j, "plan        plan\n"
		     "as planned  4 of 4 planned nodes, 4 of 4 planned "
		     "links\n");
}

TEST(deviations)
{
	json_t *j = compare_links("[2] \"s1\"[2] 4xHDR\n[3] \"s1\"[3] 4xHDR",
		"[2] \"s1\"[2] 4xEDR\n[4] \"s1\"[4]", 2);
	const json_t *list = json_object_get(j, "list"), *x;
	char *text;

	ck_assert(!json_util_yes(j, "as_planned"));
	ck_assert_int_eq(json_util_num(j, "deviations"), 3);
	ck_assert_uint_eq(json_array_size(list), 2);
	x = json_array_get(list, 0);
	ck_assert_str_eq(json_util_text(x, "kind"), "missing");
	text = json_dumps(json_object_get(x, "planned"), JSON_COMPACT);
	ck_assert_str_eq(text,
		"[[{\"guid\":\"0x00000000000000a1\",\"name\":\"l1\",\"port\":3}"
		",{\"guid\":\"0x00000000000000a2\",\"name\":\"s1\",\"port\":3}]"
		"]");
	free(text);
	ck_assert_uint_eq(json_array_size(json_object_get(x, "there")), 0);
	must_show(j, "plan        plan\n"
		     "there       4 of 4 planned nodes, 3 of 4 planned links\n"
		     "deviations  3: 1 missing, 1 extra, 1 slow\n"
		     "  missing link \"l1\" port 3 - \"s1\" port 3\n"
		     "  extra link \"l1\" port 4 - \"s1\" port 4\n"
		     "  and 1 more: heddlectl verify plan\n");
	json_decref(j);
}

/* The line of a status. */
TEST(a_status)
{
	static const struct {
		const char *json, *line;
	} cases[] = {
		{"null", ""},
		{"{\"file\":\"F\",\"unused\":\"\",\"compared\":false}",
			"cabling     not compared yet with F\n"},
		{"{\"file\":\"F\",\"unused\":\"F:1:1: no\"}",
			"cabling     NOT COMPARED with its plan: F:1:1: no\n"},
		{"{\"file\":\"F\",\"unused\":\"\",\"compared\":true,"
		 "\"deviations\":0}",
			"cabling     as planned, by F\n"},
		{"{\"file\":\"F\",\"unused\":\"\",\"compared\":true,"
		 "\"deviations\":3,\"drained\":1,\"kinds\":{\"moved\":2,"
		 "\"slow\":0,\"extra\":1}}",
			"cabling     3 deviations: 2 moved, 1 extra; 1 of them "
			"drained; list: heddlectl verify\n"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		json_t *j = json_loads(cases[i].json, JSON_DECODE_ANY, NULL);
		AUTO(buf) struct buf out = {0};

		show_verify_status(j, &out);
		buf_put(&out, "", 0);
		ck_assert_str_eq(out.text, cases[i].line);
		json_decref(j);
	}
}
