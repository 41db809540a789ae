/* OpenSM's files imported: what is carried over, what is reported, and hostile
 * input. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "config/import/import.h"
#include "sm/base/rng.h"
#include "tests/unit/suite.h"

static int
import_texts(const char *opts, const char *parts, struct buf *out,
	struct reason *why)
{
	const struct import_file o = {
		"o", opts, opts != NULL ? strlen(opts) : 0};
	const struct import_file p = {
		"p", parts, parts != NULL ? strlen(parts) : 0};

	return import_text(&o, &p, out, why);
}

static const struct {
	const char *opts, *parts, *yaml;
} cases[] = {
	{"", NULL, "{}\n"},
	{"# a comment\nguid 0x0000000000000000\nm_key 0x5\n"
	 "lmc\t2 # all\nsweep_interval 30\n",
		NULL,
		"fabric:\n  lmc:\n    hosts: 2\n    routers: 2\n"
		"    aggregation: 2\n  m_key: 0x5\n"
		"sweep:\n  interval: 30s\n"},
	{"routing_engine minhop,ftree, updn\n", NULL,
		"# o:1: routing_engine minhop: not available in Heddle, whose "
		"engines are all deadlock-free\n"
		"routing:\n"
		"  engines: [ftree, updn]\n"},
	{"sm_priority 99\nqos FALSE\nqos_policy_file /x\n", NULL,
		"# o:1: sm_priority 99: cannot be carried over: "
		"fabric.priority: 99 is out of range: 0 to 15\n"
		"# o:3: qos_policy_file /x: no counterpart\n"
		"{}\n"},
	{"local_phy_errors_threshold 0x0a\noverrun_errors_threshold 8\n", NULL,
		"link:\n  phy_errors_threshold: 0x0a\n"
		"  overrun_errors_threshold: 8\n"},
	{"part_enforce off\nmax_op_vls 3\n", NULL,
		"fabric:\n  partition_enforcement: false\n"
		"link:\n  max_vls: 4\n"},
	{NULL, "a=5:0x12=full;",
		"partitions:\n  \"a\":\n    pkey: 0x0005\n"
		"    members:\n      0x0000000000000012: full\n"},
	{NULL, "# nothing\n",
		"partitions:\n  \"Default\":\n    pkey: 0x7fff\n"
		"    members:\n      all: limited\n      sm: full\n"},
	/* one partition twice, one member twice, two of one name */
	{NULL,
		"a=5:0x12,ALL;\na=0x8005,defmember=both:\n0x12;"
		"a=6:SELF=full;",
		"partitions:\n  \"a\":\n    pkey: 0x0005\n"
		"    members:\n      all: limited\n"
		"      0x0000000000000012: full\n  \"a_pkey_0006\":\n"
		"    pkey: 0x0006\n    members:\n      sm: full\n"},
	{NULL, "Default,ipoib,mtu=5,rate=16,sl=3,scope=5:ALL=full;",
		"# p:1: sl: OpenSM ignores it without qos TRUE\n"
		"partitions:\n  \"Default\":\n    pkey: 0x7fff\n"
		"    members:\n      sm: full\n      all: full\n"
		"    ipoib:\n      enabled: true\n      mtu: 4096\n"
		"      rate: 100\n      scope: 5\n"},
	{"qos TRUE\nqos_sl2vl 0,0,1,2,15,15,15,15,15,15,15,15,15,15,"
	 "15,15\nqos_vlarb_low 0:10,1:200\nqos_vlarb_high 2:1\n"
	 "qos_rtr_vlarb_low 0:400\n"
	 "qos_high_limit 7\nqos_ca_high_limit 9\n"
	 "qos_swe_high_limit -1\nqos_swe_vlarb_low 0:1,1:2\n",
		"a=5,ipoib,sl=3:ALL;\nb=6,sl=1:ALL;",
		"# o:5: qos_rtr_vlarb_low 0:400: no counterpart\n"
		"partitions:\n"
		"  \"a\":\n"
		"    pkey: 0x0005\n"
		"    members:\n"
		"      all: limited\n"
		"    ipoib:\n"
		"      enabled: true\n"
		"  \"b\":\n"
		"    pkey: 0x0006\n"
		"    members:\n"
		"      all: limited\n"
		"qos:\n"
		"  levels:\n"
		"    default:\n"
		"      sl: 0\n"
		"      weight: 10\n"
		"      weight_at:\n"
		"        switches: 1\n"
		"    sl2:\n"
		"      sl: 2\n"
		"      weight: 200\n"
		"      weight_at:\n"
		"        switches: 2\n"
		"    sl3:\n"
		"      sl: 3\n"
		"      weight: 1\n"
		"      priority: high\n"
		"  rules:\n"
		"    \"a\":\n"
		"      level: sl3\n"
		"      partitions: [\"a\"]\n"
		"  high_limit:\n"
		"    hosts: 9\n"
		"    port0: 7\n"
		"    switches: 7\n"
		"    routers: 7\n"
		"# o: SL 1 is on the VL of SL 0: programs configured with SL 1 "
		"must use SL 0\n"
		"  unknown_sl: drop\n"},
	{NULL,
		"a=5,rate=99:bogus,0x12=boss;\nb:ALL;\nc=0x8000:ALL;"
		"d=x:ALL;",
		"# p:1: rate=99: not carried over\n"
		"# p:1: partition a: member 'bogus': not carried over\n"
		"# p:1: partition a: 'boss' is not a membership; limited is "
		"assumed\n"
		"# p:2: partition 'b' has no P_Key: OpenSM would give it "
		"0x0001\n"
		"# p:3: partition 'c' has no P_Key: OpenSM would give it "
		"0x0002\n"
		"# p:3: partition 'd': 'x' is not a P_Key; the partition is "
		"left out\n"
		"partitions:\n"
		"  \"a\":\n"
		"    pkey: 0x0005\n"
		"    members:\n"
		"      0x0000000000000012: limited\n"
		"  \"b\":\n"
		"    pkey: 0x0001\n"
		"    members:\n"
		"      all: limited\n"
		"  \"c\":\n"
		"    pkey: 0x0002\n"
		"    members:\n"
		"      all: limited\n"},
	/* groups, lines, words cut short; the default partition has
	 * members of its own */
	{"allow_both_pkeys TRUE\nconsole off\nconsole local\n",
		"Default=0x7fff,ipoib:\n mgid=ff12::1,sl=1 # one\n"
		" 0x12=b, ALL_C=f\n;\n5: SE=full,NONE;",
		"# o:3: console local: no counterpart\n"
		"# o: no counterpart, but set to OpenSM's defaults:\n"
		"#   console\n"
		"# p:2: partition Default: group mgid=ff12::1: groups by mgid "
		"are not carried over\n"
		"partitions:\n"
		"  \"Default\":\n"
		"    pkey: 0x7fff\n"
		"    members:\n"
		"      all: limited\n"
		"      sm: full\n"
		"      0x0000000000000012: both\n"
		"      hosts: full\n"
		"    ipoib:\n"
		"      enabled: true\n"
		"  \"pkey_0005\":\n"
		"    pkey: 0x0005\n"
		"    members:\n"
		"      sm: full\n"},
};

START_TEST(golden)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf out = {0};
		struct reason why = {""};

		ck_assert_msg(import_texts(cases[i].opts, cases[i].parts, &out,
				      &why) == 0,
			"case %zu: %s", i, why.text);
		ck_assert_msg(strcmp(out.text, cases[i].yaml) == 0,
			"case %zu:\n%s", i, out.text);
		buf_free(&out);
	}
}
END_TEST

/* What comes out is a configuration, whatever goes in. */
START_TEST(hostile)
{
	static const char *const bits[] = {"Default", "=", "0x7fff", ",", ":",
		";", "\n", "#", "\"", "ALL", "=full", "ipoib", "mtu=4",
		"rate=3", "\x1b[2J", "\xff", "{", "0x12", "SELF", "lmc 3\n",
		"m_key 0x", "routing_engine ", "updn,", "ftree", " ", "a",
		"99999999999999999999", "sl=15", "scope=", "\\", "]", "'",
		"mgid=1", "part_enforce off\n", "lmc_esp0 TRUE\n"};
	struct rng rng = {(uint64_t)_i};

	for (unsigned round = 0; round < 100; round++) {
		char text[2][2048] = {"", ""};
		struct buf out = {0};
		struct reason why = {""};

		for (unsigned f = 0; f < 2; f++)
			for (unsigned k = 0; k < 60; k++)
				(void)strncat(text[f],
					bits[rng_below(
						&rng, sizeof(bits) /
							      sizeof(bits[0]))],
					sizeof(text[f]) - strlen(text[f]) - 1);
		ck_assert_msg(import_texts(text[0], text[1], &out, &why) == 0,
			"seed %d round %u: %s\n%s\n--\n%s", _i, round, why.text,
			text[0], text[1]);
		for (const char *c = out.text; *c != '\0'; c++)
			ck_assert(*c == '\n' || (*c >= 0x20 && *c < 0x7f));
		buf_free(&out);
	}
}
END_TEST

START_TEST(long_lines)
{
	char *text = malloc(200001);
	struct buf out = {0};
	struct reason why;

	memset(text, 'x', 200000);
	text[200000] = '\0';
	ck_assert_int_eq(import_texts(text, text, &out, &why), 0);
	ck_assert(strstr(out.text, "o:1: line too long") != NULL);
	buf_free(&out);
	ck_assert_int_ne(import_files("/nowhere", NULL, &out, &why), 0);
	ck_assert(strstr(why.text, "/nowhere") != NULL);
	free(text);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("import");
	TCase *t = tcase_create("core");

	tcase_set_timeout(t, 30);
	tcase_add_test(t, golden);
	tcase_add_loop_test(t, hostile, 1, 6);
	tcase_add_test(t, long_lines);
	suite_add_tcase(s, t);
	return suite_run(s);
}
