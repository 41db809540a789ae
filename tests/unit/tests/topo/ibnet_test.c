/* Fabric files: round trips, real captures, and every refusal. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/topo/gen.h"
#include "tests/topo/ibnet.h"
#include "tests/topo/note.h"
#include "tests/topo/shape.h"
#include "tests/unit/suite.h"

static void
check_round_trip(struct fabric *f, const char *what)
{
	struct buf b = {0}, warn = {0};
	struct reason why = {{0}};
	AUTO(fabric) struct fabric *g = NULL;

	ck_assert_msg(f != NULL, "%s: not made", what);
	ibnet_print(f, &b);
	g = ibnet_parse(b.text, b.n, what, &warn, &why);
	ck_assert_msg(g != NULL, "%s", why.text);
	ck_assert_msg(warn.n == 0, "%s", warn.text);
	ck_assert_msg(fabric_equal(f, g, &why), "%s: %s", what, why.text);
	ck_assert_msg(fabric_equal(g, f, &why), "%s: %s", what, why.text);
	fabric_free(f);
	buf_free(&b);
}

TEST(what_is_written_is_read)
{
	struct fabric *f;

	check_round_trip(gen_pair(), "pair");
	check_round_trip(shape_of("two:4:6:3:1:2"), "fattree2");
	check_round_trip(shape_of("torus:3x3"), "torus");
	f = gen_edit_rails(shape_of("two:4:6:3:1:2"), 3, false, NULL);
	f = gen_edit_aggregation(f, NULL);
	f = gen_edit_self_loops(f, 3, NULL);
	check_round_trip(gen_edit_ports(f, 254, true, NULL), "everything");

	f = shape_of("two:4:6:3:1:2");
	f->node[0].enhanced_p0 = true;
	fabric_port(f, 0, 0)->lid = 0xbffe;
	fabric_port(f, fabric_find(f, "h1"), 1)->lid = 77;
	fabric_port(f, fabric_find(f, "h1"), 1)->lmc = 3;
	f->cable[0].rate = (struct fabric_rate){8, 4, 16, false};
	f->cable[1].rate = (struct fabric_rate){2, 4, 0, true};
	check_round_trip(f, "fields");

	f = shape_of("two:4:6:3:1:2");
	f->node[0].attrs = (struct fabric_attrs){
		.has_role = true,
		.role = 4,
		.level = 0xff,
		.plane = 3,
		.tree = 17,
		.pod = UINT32_MAX,
		.index = 5,
		.role_fixed = true,
		.ar = true,
		.groups = 100,
		.sub_groups = 3,
		.service_ns = 5000,
		.hop_ns = 1234,
		.queue = 8,
	};
	f->node[1].attrs.service_ns = 1000000000;
	f->node[fabric_find(f, "h1")].attrs.hop_ns = 7000000;
	check_round_trip(f, "notes");

	f = fabric_new();
	fabric_add(f, FABRIC_SWITCH, 4, "a # heddle: b");
	fabric_add(f, FABRIC_SWITCH, 4, "lid 5 \\ # odd; name");
	fabric_add(f, FABRIC_ROUTER, 2, "router");
	fabric_connect(f, 0, 4, 2, 2, NULL);
	check_round_trip(f, "router");
}

TEST(equal_sees_differences)
{
	AUTO(fabric) struct fabric *f = shape_of("two:2:2:1");
	struct fabric *g = shape_of("two:2:2:1");

	ck_assert(fabric_equal(f, g, NULL));
	g->cable[0].rate.speed_ext = 8;
	ck_assert(!fabric_equal(f, g, NULL));
	fabric_free(g);
	g = shape_of("two:2:2:1");
	g->node[1].guid++;
	ck_assert(!fabric_equal(f, g, NULL));
	fabric_free(g);
	g = gen_edit_ports(shape_of("two:2:2:1"), 4, true, NULL);
	ck_assert(!fabric_equal(f, g, NULL));
	fabric_free(g);
	g = shape_of("two:2:2:1,fail=1");
	ck_assert(!fabric_equal(f, g, NULL));
	fabric_free(g);
	g = shape_of("two:2:2:1");
	g->node[0].attrs.queue = 1;
	ck_assert(!fabric_equal(f, g, NULL));
	fabric_free(g);
}

/* Real captures, and what they must contain. */
static const struct {
	const char *file;
	unsigned switches, hosts, cables, warnings;
} captures[] = {
	{"ufm-sdk-selene-compute.ibnet", 666, 4341, 12852, 0},
	{"topograph-ndr-gb200.ibnet", 40, 582, 1114, 0},
	{"ufm-sdk-small.ibnet", 2, 13, 16, 0},
	{"ibtopotool-3-mixed-selfloop.ibnet", 2, 6, 10, 1},
	{"ibtopotool-4-sun-dcs36.ibnet", 1, 1, 1, 0},
};

LOOP_TEST(captures_are_read, 0, 5)
{
	const char *dir = getenv("HEDDLE_FIXTURES");
	char path[512];
	struct buf warn = {0};
	struct reason why = {{0}};
	struct fabric *f;
	unsigned lines = 0;

	(void)snprintf(path, sizeof(path), "%s/%s",
		dir ? dir : "../shared/fixtures", captures[_i].file);
	if (access(path, R_OK) != 0) {
		printf("SKIPPED: no %s (set HEDDLE_FIXTURES)\n", path);
		return;
	}
	f = ibnet_load(path, &warn, &why);
	ck_assert_msg(f != NULL, "%s", why.text);
	for (size_t i = 0; i < warn.n; i++)
		lines += warn.text[i] == '\n';
	ck_assert_msg(lines == captures[_i].warnings, "%s", warn.text);
	ck_assert_uint_eq(f->nswitches, captures[_i].switches);
	ck_assert_uint_eq(f->nhosts, captures[_i].hosts);
	ck_assert_uint_eq(f->ncables, captures[_i].cables);
	buf_free(&warn);
	check_round_trip(f, path);
}

/* Two switches and two hosts, in the format of ibsim's example nets. */
#define NET                                                                    \
	"# a comment\n"                                                        \
	"Switch\t8 \"Switch1\"\n[1]\t\"Hca1\"[1]\n[3]\t\"Switch2\"[3]\n\n"     \
	"Switch 8 \"Switch2\"\n[1]\t\"Hca2\"\n[3]\t\"Switch1\"[3] w=12\n\n"    \
	"Hca\t1 \"Hca1\"\n[1]\t\"Switch1\"[1]\n\n"                             \
	"Hca\t1 \"Hca2\"\n[1]\t\"Switch2\"[1]\n"

TEST(ibsim_nets_are_read)
{
	struct reason why = {{0}};
	AUTO(buf) struct buf warn = {0};
	struct fabric *f = ibnet_parse(NET, strlen(NET), "net", &warn, &why);

	ck_assert_msg(f != NULL, "%s", why.text);
	ck_assert_uint_eq(f->nswitches, 2);
	ck_assert_uint_eq(f->nhosts, 2);
	ck_assert_uint_eq(f->ncables, 3);
	ck_assert_str_eq(f->node[0].name, "Switch1");
	ck_assert_uint_ne(f->node[0].guid, f->node[1].guid);
	ck_assert_uint_eq(f->cable[1].rate.width, 8);
	fabric_free(f);
}

#define SW "Switch 36 \"S-0000000000000001\" # \"a\" base port 0 lid 1 lmc 0\n"
#define CA "Ca 1 \"H-0000000000000002\" # \"b\"\n"
#define TO_CA "[1] \"H-0000000000000002\"[1](3) # \"b\" lid 2 4xHDR\n"
#define TO_SW                                                                  \
	"[1](3) \"S-0000000000000001\"[1] # lid 2 lmc 0 \"a\" lid 1 4xHDR\n"
#define GOOD SW TO_CA "\n" CA TO_SW

static const struct {
	const char *text;
	const char *says; /* in the reason, or NULL: accepted */
} texts[] = {
	{GOOD, NULL},
	{"umad (DR path 0,1) bad status 110\n" GOOD, NULL},
	{"PuTTYPuTTYPuTTY\n" GOOD, NULL},
	{"\033[?1;2c\n" GOOD, NULL},
	{SW "\n\n" TO_CA CA "# x\n" TO_SW, NULL},
	{"", "no node"},
	{"# nothing\n\n", "no node"},
	{"just some text\n", "no node"},
	{SW TO_CA TO_CA CA TO_SW, "f:3:5: port 1 of \"a\": the port is used"},
	{SW TO_CA "[2] \"H-0000000000000002\"[1]\n" CA TO_SW,
		"f:3:5: port 2 of \"a\": the other end names another port"},
	{SW TO_CA CA, "f:2:5: port 1 of \"a\": the other end has no line"},
	{SW CA TO_SW, "f:3:8: port 1 of \"b\": the other end has no line"},
	{SW TO_CA, "no node has the id"},
	{SW "[1] \"H-0000000000000002\"[9]\n" CA TO_SW, "no such port"},
	{SW "[1] \"S-0000000000000001\"[1]\n", "cabled to itself"},
	{"Switch 300 \"x\"\n", "f:1:8: a number of ports"},
	{"Switch 0 \"x\"\n", "f:1:8: a number of ports"},
	{"Switch -1 \"x\"\n", "f:1:8: a number of ports"},
	{"Switch \"x\"\n", "f:1:8: a number of ports"},
	{"Switch 8\n", "f:1:9: a node id"},
	{"Switch 8 \"\"\n", "a node id"},
	{"Switch 8 \"S-00000000000", "a node id"},
	{SW "[37] \"x\"[1]\n", "f:2:5: a port number beyond"},
	{SW "[256] \"x\"[1]\n", "a port number should"},
	{SW "[0] \"x\"[1]\n", "a port number should"},
	{SW "[99999999999999999999999] \"x\"[1]\n", "a port number should"},
	{SW "[1", "f:2:3: a port number should"},
	{SW "[1]", "f:2:4: a node id"},
	{SW "[1] \"H-000000000", "a node id"},
	{SW "[1] \"H-0000000000000002\"[", "a port number should"},
	{SW "[1] \"H-0000000000000002\"[1](zz) #\n", "a port GUID"},
	{"[1] \"x\"[1]\n", "f:1:1: a port without a node"},
	{SW SW, "f:2:12: GUID 0x1 or its id was already used in line 1"},
	{"switchguid=0x7\nSwitch 4 \"a\"\n\nswitchguid=0x7\nSwitch 4 \"b\"\n",
		"f:5:1"},
	{"switchguid\n" SW, "a '='"},
	{"switchguid=zebra\n" SW, "a hexadecimal number"},
	{"switchguid=0x11112222333344445\n" SW, "a hexadecimal number"},
	{"include \"other\"\n" GOOD, "f:1:1: ibsim's include"},
	{SW "[1] \"H-0000\00100000000002\"[1]\n",
		"f:2:12: a control character"},
};

enum { NTEXTS = sizeof(texts) / sizeof(texts[0]) };

LOOP_TEST(texts_are_judged, 0, NTEXTS)
{
	struct reason why = {{0}};
	AUTO(buf) struct buf warn = {0};
	const char *t = texts[_i].text, *says = texts[_i].says;
	struct fabric *f = ibnet_parse(t, strlen(t), "f", &warn, &why);

	if (!says)
		ck_assert_msg(f != NULL, "text %d: %s", _i, why.text);
	else
		ck_assert_msg(!f && strstr(why.text, says),
			"text %d: \"%s\" does not say \"%s\"", _i, why.text,
			says);
	fabric_free(f);
}

#define NOTE(text) "Switch 8 \"S-1\" # \"a\" base port 0 # heddle: " text "\n"

/* Input that must be named exactly, refused or skipped with a warning. */
static const struct {
	const char *text;
	const char *error; /* or NULL */
	const char *warning;
} bad_texts[] = {
	/* a port used twice */
	{SW TO_CA TO_CA CA TO_SW,
		"f:3:5: port 1 of \"a\": the port is used twice", NULL},
	/* a one-sided link, seen from either side */
	{SW TO_CA CA,
		"f:2:5: port 1 of \"a\": the other end has no line for it",
		NULL},
	{SW CA TO_SW,
		"f:3:8: port 1 of \"b\": the other end has no line for it",
		NULL},
	/* an unknown node type */
	{GOOD "Swich 36 \"S-2\"\n",
		"f:6:1: unknown node type: Switch, Ca or Rt", NULL},
	{"Hub\t8 \"x\" # \"x\"\n", "f:1:1: unknown node type: Switch, Ca or Rt",
		NULL},
	/* 300 ports, on a node and in a port line */
	{"Switch 300 \"x\"\n",
		"f:1:8: a number of ports, 1 to 255, should stand here", NULL},
	{SW "[300] \"x\"[1]\n", "f:2:2: a port number should stand here", NULL},
	{SW "[37] \"x\"[1]\n", "f:2:5: a port number beyond the node's ports",
		NULL},
	/* a GUID twice */
	{SW SW, "f:2:12: GUID 0x1 or its id was already used in line 1", NULL},
	{"switchguid=0x7\nSwitch 4 \"a\"\n\ncaguid=0x7\nCa 1 \"b\"\n",
		"f:5:7: GUID 0x7 or its id was already used in line 2", NULL},
	/* stray control characters: in a record, and around them */
	{SW "[1] \"H-0000\00100000000002\"[1]\n", "f:2:12: a control character",
		NULL},
	{"Switch 36 \"S-\0330000000001\"\n", "f:1:14: a control character",
		NULL},
	{"switchguid=0x1\177\n", "f:1:15: a control character", NULL},
	{"\033[?1;2c\n" GOOD, NULL, "f:1:1: not a line of a fabric, skipped\n"},
	/* PuTTY's answerback */
	{"PuTTYPuTTYPuTTY\n" GOOD, NULL,
		"f:1:1: not a line of a fabric, skipped\n"},
	{"# x\nPuTTYPuTTY[root@sw ~]# ibnetdiscover\n" GOOD, NULL,
		"f:2:1: not a line of a fabric, skipped\n"},
	/* half a line: cut anywhere */
	{SW TO_CA "\n" CA "[1](3) \"S-000000000",
		"f:5:9: a node id in quotes should stand here", NULL},
	{SW TO_CA "\n" CA "[1](3", "f:5:6: a port GUID should stand here",
		NULL},
	{"Switch", "f:1:7: a number of ports, 1 to 255, should stand here",
		NULL},
	{"Switch 36", "f:1:10: a node id in quotes should stand here", NULL},
	{"switchguid=", "f:1:12: a hexadecimal number should stand here", NULL},
	/* notes */
	{NOTE("role=spine"), "f:1:44: no such role", NULL},
	{NOTE("ar=rev1 groups=5000"), "f:1:52: groups is a number, 1 to 4095",
		NULL},
	{NOTE("groups=0 ar=rev1"), "f:1:44: groups is a number, 1 to 4095",
		NULL},
	{NOTE("groups=7"), "f:1:44: groups without ar=rev1", NULL},
	{NOTE("level=255"), "f:1:44: level is a number, 0 to 254", NULL},
	{NOTE("level=-1"), "f:1:44: level is a number, 0 to 254", NULL},
	{NOTE("level="), "f:1:44: level is a number, 0 to 254", NULL},
	{NOTE("pod=99999999999999999999999"),
		"f:1:44: pod is a number, 0 to 4294967294", NULL},
	{NOTE("service=5"), "f:1:44: service is a time, 1ns to 1000ms", NULL},
	{NOTE("hop=0us"), "f:1:44: hop is a time, 1ns to 1000ms", NULL},
	{NOTE("hop=2s"), "f:1:44: hop is a time, 1ns to 1000ms", NULL},
	{NOTE("hop=1001ms"), "f:1:44: hop is a time, 1ns to 1000ms", NULL},
	{NOTE("role-set=maybe"), "f:1:44: role-set is yes or no", NULL},
	{NOTE("ar=rev2"), "f:1:44: ar is rev1, escapes or none", NULL},
	{NOTE("interleave=4 ar=rev1"), "f:1:57: interleave without ar=escapes",
		NULL},
	{NOTE("ar=escapes interleave=6"), "f:1:55: interleave is a power of 2",
		NULL},
	{NOTE("ar=escapes groups=6 interleave=4"),
		"f:1:64: interleave with groups", NULL},
	{NOTE("ar=escapes ar-lft=stops"), "f:1:55: ar-lft without ar=rev1",
		NULL},
	{NOTE("ar-lft=no"), "f:1:44: ar-lft is stops or keeps", NULL},
	{NOTE("role=leaf  role=leaf"), "f:1:55: role is said twice", NULL},
	{NOTE("role=leaf colour=red"), "f:1:54: unknown key \"colour\"", NULL},
	{NOTE("role"), "f:1:44: key=value should stand here", NULL},
	{"Ca 1 \"x\" # \"h\" # heddle: role=leaf\n",
		"f:1:26: role is for switches", NULL},
	{"Ca 1 \"x\" # heddle: hop=2us queue=4 service=1ms\n", NULL, NULL},
};

enum { NEXACT = sizeof(bad_texts) / sizeof(bad_texts[0]) };

LOOP_TEST(bad_input_is_named, 0, NEXACT)
{
	struct reason why = {{0}};
	AUTO(buf) struct buf warn = {0};
	const char *t = bad_texts[_i].text;
	struct fabric *f = ibnet_parse(t, strlen(t), "f", &warn, &why);

	if (bad_texts[_i].error)
		ck_assert_msg(!f, "text %d was accepted", _i);
	else
		ck_assert_msg(f != NULL, "text %d: %s", _i, why.text);
	ck_assert_str_eq(
		why.text, bad_texts[_i].error ? bad_texts[_i].error : "");
	ck_assert_str_eq(warn.n ? warn.text : "",
		bad_texts[_i].warning ? bad_texts[_i].warning : "");
	fabric_free(f);
}

TEST(notes_are_read)
{
	static const char text[] =
		"Switch 8 \"S-1\" # \"a # heddle: x\" enhanced port 0 lid 7 "
		"lmc 2\t#\theddle: ar=rev1 role=leaf\tlevel=0 service=5us\n"
		"Switch 8 \"S-2\" # heddle: pod=3\nSwitch 4 \"S-3\"\n"
		"Switch 4 \"S-4\" # heddle: interleave=4 ar=escapes\n"
		"Switch 4 \"S-5\" # heddle: ar=rev1 ar-lft=stops groups=9\n";
	struct buf out = {0};
	struct reason why;
	struct fabric *f = ibnet_parse(text, sizeof(text) - 1, "f", NULL, &why);
	const struct fabric_attrs *a;

	ck_assert_msg(f != NULL, "%s", why.text);
	ck_assert_str_eq(f->node[0].name, "a # heddle: x");
	ck_assert(f->node[0].enhanced_p0);
	ck_assert_uint_eq(fabric_port(f, 0, 0)->lid, 7);
	ck_assert_uint_eq(fabric_port(f, 0, 0)->lmc, 2);
	a = &f->node[0].attrs;
	ck_assert(a->has_role && a->ar && !a->role_fixed);
	ck_assert_uint_eq(a->role, 1);
	ck_assert_uint_eq(a->level, 0);
	ck_assert_uint_eq(a->plane, 0xff);
	ck_assert_uint_eq(a->pod, UINT32_MAX);
	ck_assert_uint_eq(a->groups, 2048);
	ck_assert_uint_eq(a->sub_groups, 2);
	ck_assert_uint_eq(a->service_ns, 5000);
	ck_assert_str_eq(f->node[1].name, "S-2");
	ck_assert(f->node[1].attrs.has_role && !f->node[1].attrs.ar);
	ck_assert_uint_eq(f->node[1].attrs.pod, 3);
	ck_assert_uint_eq(f->node[1].attrs.role, 0);
	ck_assert(!f->node[2].attrs.has_role && !f->node[2].attrs.ar);
	ck_assert(f->node[3].attrs.ar);
	ck_assert_uint_eq(f->node[3].attrs.interleave, 4);
	ck_assert_uint_eq(f->node[3].attrs.groups, 0);
	note_print(&f->node[3].attrs, &out);
	ck_assert_str_eq(out.text, " # heddle: ar=escapes interleave=4");
	ck_assert(f->node[4].attrs.ar_lft_stops);
	ck_assert_uint_eq(f->node[4].attrs.interleave, 0);
	buf_free(&out);
	note_print(&f->node[4].attrs, &out);
	ck_assert_str_eq(out.text,
		" # heddle: ar=rev1 groups=9 subgroups=2 ar-lft=stops");
	buf_free(&out);
	fabric_free(f);
}

TEST(binary_is_refused)
{
	static const char zeros[64];
	struct reason why = {{0}};

	ck_assert(!ibnet_parse(zeros, sizeof(zeros), "z", NULL, &why));
	ck_assert(strstr(why.text, "z:1:1: a zero byte") != NULL);
	ck_assert(!ibnet_parse("#\n\x7f"
			       "ELF\0\n",
		8, "e", NULL, &why));
	ck_assert(strstr(why.text, "zero byte") != NULL);
	ck_assert(!ibnet_load("/nonexistent/x", NULL, &why));
}

/* Any prefix of a good text, and any byte of it changed: no crash, no leak. */
TEST(damage_is_survived)
{
	char copy[sizeof(GOOD)];
	size_t n = sizeof(GOOD) - 1;

	for (size_t cut = 0; cut < n; cut++) {
		char *exact = malloc(cut + 1); /* ASan sees an overrun */

		memcpy(exact, GOOD, cut);
		fabric_free(ibnet_parse(exact, cut, "cut", NULL, NULL));
		free(exact);
	}
	for (size_t i = 0; i < n; i++) {
		static const char with[] = "\0\xff\"[0 \n";

		for (size_t k = 0; k < sizeof(with) - 1; k++) {
			memcpy(copy, GOOD, sizeof(copy));
			copy[i] = with[k];
			fabric_free(ibnet_parse(copy, n, "bit", NULL, NULL));
		}
	}
}
