/* OpenSM's files imported: what is carried over, what is reported, and hostile
 * input. */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "config/config.h"
#include "config/import/import.h"
#include "routing/driver/registry.h"
#include "sm/base/mem.h"
#include "sm/base/rng.h"
#include "tests/unit/suite.h"

/* What a test reads is in a directory of its own. */
static void
enter_directory(void)
{
	char name[] = "/tmp/import_test.XXXXXX";

	ck_assert_ptr_nonnull(mkdtemp(name));
	ck_assert_int_eq(chdir(name), 0);
}

static int
remove_entry(const char *name, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(name);
}

static void
leave_directory(void)
{
	char name[256];

	ck_assert_ptr_nonnull(getcwd(name, sizeof(name)));
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(strncmp(name, "/tmp/import_test.", 17), 0);
	ck_assert_int_eq(nftw(name, remove_entry, 8, FTW_DEPTH | FTW_PHYS), 0);
}

static void
write_bytes(const char *name, const void *text, size_t n)
{
	FILE *f = fopen(name, "w");

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(text, 1, n, f), n);
	ck_assert_int_eq(fclose(f), 0);
}

static void
write_text(const char *name, const char *text)
{
	write_bytes(name, text, strlen(text));
}

/* Import these texts as the files o and p, which name all others. */
static int
import_texts(const char *opts, const char *parts, struct import_result *out,
	struct reason *why)
{
	if (opts != NULL)
		write_text("o", opts);
	if (parts != NULL)
		write_text("p", parts);
	return import_files(opts != NULL ? "o" : NULL,
		parts != NULL ? "p" : NULL, NULL, registry_modules(), out, why);
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
	{"m_key 0x5\nm_key_protection_level 2\nm_key_lease_period 90\n", NULL,
		"fabric:\n  m_key: 0x5\n  m_key_protection: 2\n"
		"  m_key_lease: 90s\n"},
	{"m_key_protection_level 0\nm_key_lease_period 0\n", NULL,
		"# Notes:\n"
		"#   o:1: m_key_protection_level 0: OpenSM's default is not "
		"carried over; fabric.m_key_protection stays at that of "
		"Heddle\n"
		"#   o:2: m_key_lease_period 0: OpenSM's default is not "
		"carried over; fabric.m_key_lease stays at that of Heddle\n"
		"{}\n"},
	{"routing_engine torus-2QoS,dfsssp,lash,dor\n", NULL,
		"routing:\n  engines: [torus, nue, dor]\n"},
	{"routing_engine ftree,no_fallback\n", NULL,
		"# Notes:\n"
		"#   o:1: routing_engine no_fallback: behind these engines "
		"there is always up/down, which cannot deadlock\n"
		"routing:\n  engines: [ftree]\n"},
	{"routing_engine minhop,ftree, updn\n", NULL,
		"# Not carried over:\n"
		"#   o:1: routing_engine minhop: not available in Heddle, "
		"whose engines are all deadlock-free\n"
		"routing:\n"
		"  engines: [ftree, updn]\n"},
	{"sm_priority 99\nqos FALSE\nqos_policy_file /x\nm_key 12345\n"
	 "sm_key zz\nhop_weights_file /x\nlog_file /x\n",
		NULL,
		"# Not carried over:\n"
		"#   o:1: sm_priority 99: fabric.priority: 99 is out of range: "
		"0 to 15\n"
		"#   o:4: m_key (secret): not a hexadecimal number\n"
		"#   o:5: sm_key (secret): not a hexadecimal number\n"
		"#   o:6: hop_weights_file /x: no counterpart: weights of "
		"links are not configured\n"
		"# Notes:\n"
		"#   o:7: log_file /x: Heddle logs to the journal or standard "
		"error\n"
		"{}\n"},
	/* the key that everybody knows; packets under way */
	{"sa_key 0x0000000000000001\nmax_wire_smps 16\n", NULL,
		"# Notes:\n"
		"#   o:1: sa_key: OpenSM's default, publicly known, is not "
		"trusted; sa.trust_key takes a key of your own\n"
		"smp:\n  window_max: 16\n"},
	{"sa_key 0x2\nmax_wire_smps 4\n", NULL,
		"# Notes:\n"
		"#   o:2: max_wire_smps 4: OpenSM's default is not carried "
		"over; smp.window_max stays at that of Heddle\n"
		"sa:\n  trust_key: 0x2\n"},
	{"max_wire_smps 0\n", NULL, "smp:\n  window_max: 4096\n"},
	{"local_phy_errors_threshold 0x0a\noverrun_errors_threshold 8\n", NULL,
		"link:\n  phy_errors_threshold: 0x0a\n"
		"  overrun_errors_threshold: 8\n"},
	{"nue_max_num_vls 0\n", NULL, "routing:\n  nue:\n    layers: 8\n"},
	{"nue_max_num_vls 2\nnue_include_switches TRUE\n", NULL,
		"# Notes:\n"
		"#   o:2: nue_include_switches TRUE: always so in Heddle\n"
		"routing:\n  nue:\n    layers: 2\n"},
	{"nue_max_num_vls 1\n", NULL,
		"# Notes:\n"
		"#   o:1: nue_max_num_vls 1: OpenSM's default is not carried "
		"over; routing.nue.layers stays at that of Heddle\n"
		"{}\n"},
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
		"# Not carried over:\n"
		"#   p:3: partition a: 0x0000000000000012 is full here and "
		"limited in line 1: the last counts\n"
		"# Notes:\n"
		"#   p:2: partition a: 'both' means full, as allow_both_pkeys "
		"is not TRUE\n"
		"#   p:3: partition 'a' has P_Key 0x0006, and 0x0005 in line "
		"1: two partitions\n"
		"partitions:\n  \"a\":\n    pkey: 0x0005\n"
		"    members:\n      all: limited\n"
		"      0x0000000000000012: full\n  \"a_pkey_0006\":\n"
		"    pkey: 0x0006\n    members:\n      sm: full\n"},
	{NULL, "Default,ipoib,mtu=5,rate=16,sl=3,scope=5:ALL=full;",
		"# Notes:\n"
		"#   p:1: sl: OpenSM ignores it without qos TRUE\n"
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
		"# Not carried over:\n"
		"#   o:5: qos_rtr_vlarb_low 0:400: not understood\n"
		"#   o: SL 1 is on the VL of SL 0: programs configured with it "
		"must use SL 0\n"
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
		"  unknown_sl: drop\n"},
	{NULL,
		"a=5,rate=99:bogus,0x12=boss;\nb:ALL;\nc=0x8000:ALL;"
		"d=x:ALL;",
		"# Not carried over:\n"
		"#   p:1: rate=99: not understood\n"
		"#   p:1: partition a: member 'bogus': neither a GUID nor a "
		"keyword\n"
		"#   p:3: partition 'd': 'x' is not a P_Key; the partition is "
		"left out\n"
		"# Notes:\n"
		"#   p:1: partition a: 'boss' is not a membership; limited is "
		"assumed\n"
		"#   p:2: partition 'b' has no P_Key: OpenSM would give it "
		"0x0001\n"
		"#   p:3: partition 'c' has no P_Key: OpenSM would give it "
		"0x0002\n"
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
	/* a file that contradicts itself */
	{"qos TRUE\nqos_vlarb_low 0:16,1:4\nqos_vlarb_high 0:64\n"
	 "qos_sl2vl 0,0,1,15,15,15,15,15,15,15,15,15,15,15,15,15\n",
		"a=5,ipoib,mtu=5,sl=2:0x12=full,ALL;\nb=5,ipoib:0x12,0x13;\n"
		"5:ALL=full,0x13;",
		"# Not carried over:\n"
		"#   p:2: partition a: SL 2 before is SL 0 from here on: the "
		"last statement counts\n"
		"#   p:2: partition a: the IPoIB group has other parameters in "
		"line 1: the first ones count\n"
		"#   p:2: partition a: 0x0000000000000012 is limited here and "
		"full in line 1: the last counts\n"
		"#   p:3: partition a: ALL is full here and limited in line 1: "
		"the last counts\n"
		"#   o: SL 1 is on the VL of SL 0: programs configured with it "
		"must use SL 0\n"
		"#   o: VL 0 is in qos_vlarb_high and in qos_vlarb_low: its "
		"weight of 16 in the latter is not carried over\n"
		"# Notes:\n"
		"#   p:2: partition 'b' has the P_Key of 'a' in line 1, "
		"0x0005: its members are in that one\n"
		"partitions:\n"
		"  \"a\":\n"
		"    pkey: 0x0005\n"
		"    members:\n"
		"      0x0000000000000012: limited\n"
		"      all: full\n"
		"      0x0000000000000013: limited\n"
		"    ipoib:\n"
		"      enabled: true\n"
		"      mtu: 4096\n"
		"qos:\n"
		"  levels:\n"
		"    default:\n"
		"      sl: 0\n"
		"      weight: 64\n"
		"      priority: high\n"
		"    sl2:\n"
		"      sl: 2\n"
		"      weight: 4\n"
		"  high_limit:\n"
		"    hosts: 0\n"
		"    port0: 0\n"
		"    switches: 0\n"
		"    routers: 0\n"
		"  unknown_sl: drop\n"},
	/* groups, lines, words cut short; the default partition has
	 * members of its own */
	{"allow_both_pkeys TRUE\nconsole off\nconsole local\n",
		"Default=0x7fff,ipoib:\n mgid=ff12::1,sl=1 # one\n"
		" 0x12=b, ALL_C=f\n;\n5: SE=full,NONE;",
		"# Not carried over:\n"
		"#   o:3: console local: no counterpart: use heddlectl\n"
		"#   p:2: partition Default: group mgid=ff12::1: groups by "
		"mgid are not carried over\n"
		"# No counterpart, but set to OpenSM's defaults:\n"
		"#   console\n"
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

TEST(golden)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct import_result out = {0};
		struct reason why = {""};

		ck_assert_msg(import_texts(cases[i].opts, cases[i].parts, &out,
				      &why) == 0,
			"case %zu: %s", i, why.text);
		ck_assert_msg(strcmp(out.yaml.text, cases[i].yaml) == 0,
			"case %zu:\n%s", i, out.yaml.text);
		ck_assert_msg((strstr(cases[i].yaml, "Not carried") != NULL) ==
				      (out.nlost > 0),
			"case %zu: %zu lost", i, out.nlost);
		import_free(&out);
	}
}

/* ---- files that opensm.conf names ---- */

/* The import has each of these texts; OpenSM's directory is d. */
static void
expect_texts(const char *opts, size_t nlost, const char *const *text)
{
	struct import_result out = {0};
	struct reason why = {""};

	write_text("o", opts);
	ck_assert_msg(import_files("o", NULL, "d", registry_modules(), &out,
			      &why) == 0,
		"%s: %s", opts, why.text);
	for (; *text != NULL; text++)
		ck_assert_msg(strstr(out.yaml.text, *text) != NULL,
			"'%s' is not in:\n%s", *text, out.yaml.text);
	ck_assert_msg(
		out.nlost == nlost, "%zu lost:\n%s", out.nlost, out.yaml.text);
	import_free(&out);
}

#define EXPECT(opts, nlost, ...)                                               \
	expect_texts(opts, nlost, (const char *const[]){__VA_ARGS__, NULL})

TEST(files_that_are_named)
{
	write_text("roots", "0x12 spine 1\n# none\n0x13\n0x12\nspine\n");
	write_text("parts", "blue=5:0x12=full;");
	write_text("routes", "fec0000000000001 12 # one\n* 13\n");
	EXPECT("routing_engine updn\nroot_guid_file roots\n"
	       "partition_config_file parts\nprefix_routes_file routes\n",
		1, "root_guid_file: roots was read",
		"roots:5: 'spine' is not a GUID",
		"routing:\n  engines: [updn]\n  updn:\n    roots:\n"
		"      - 0x0000000000000012\n      - 0x0000000000000013\n",
		"sa:\n  prefix_routes:\n    route1:\n"
		"      prefix: 0xfec0000000000001\n"
		"      routers: [0x0000000000000012]\n"
		"    route2:\n      prefix: 0x0000000000000000\n"
		"      routers: [0x0000000000000013]\n",
		"  \"blue\":\n    pkey: 0x0005\n");
	EXPECT("sa_key 0x77\nrouting_engine ftree,updn\nroot_guid_file roots\n"
	       "prefix_routes_file routes\n",
		1, "  roles:\n    root:\n      - 0x0000000000000012\n",
		"  updn:\n    roots:\n      - 0x0000000000000012\n",
		"sa:\n  trust_key: 0x77\n  prefix_routes:\n");
	/* OpenSM's minhop takes no roots */
	EXPECT("root_guid_file roots\n", 0,
		"o:1: root_guid_file: OpenSM uses it with updn and ftree only");
	EXPECT("partition_config_file nowhere\n", 1,
		"Not carried over:\n#   o:1: partition_config_file: nowhere: "
		"No such file or directory\n");
}

/* Files that were copied together: not those of this host are read. */
TEST(files_beside)
{
	struct import_result out = {0};
	struct reason why = {""};

	ck_assert_int_eq(mkdir("copy", 0700), 0);
	ck_assert_int_eq(mkdir("d", 0700), 0);
	write_text("d/parts.conf", "green=6:0x12=full;");
	write_text("d/prefix-routes.conf", "* 13\n");
	write_text("copy/o", "partition_config_file d/parts.conf\nqos TRUE\n"
			     "qos_policy_file d/qos-policy.conf\n");
	write_text("copy/parts.conf", "blue=5:0x12=full;");
	write_text("copy/qos-policy.conf", "qos-ulps\nend-qos-ulps\n");
	ck_assert_int_eq(import_files("copy/o", NULL, "d", registry_modules(),
				 &out, &why),
		0);
	ck_assert_ptr_nonnull(strstr(out.yaml.text, "  \"blue\":\n"));
	ck_assert_ptr_null(strstr(out.yaml.text, "green"));
	ck_assert_ptr_nonnull(strstr(out.yaml.text,
		"qos_policy_file: copy/qos-policy.conf was read"));
	ck_assert_ptr_nonnull(strstr(out.yaml.text,
		"prefix_routes_file: d/prefix-routes.conf was read"));
	import_free(&out);
}

TEST(files_in_their_default_places)
{
	EXPECT("lmc 1\n", 0,
		"o: partition_config_file: there is no "
		"d/partitions.conf here\n");
	ck_assert_int_eq(mkdir("d", 0700), 0);
	write_text("d/partitions.conf", "blue=5:0x12=full;");
	write_text("d/prefix-routes.conf",
		"fec0 12\nfec0 13\n* *\nzz 14\nfec1\nfec2 x\n* 15\nfec3 16\n");
	write_text("d/qos-policy.conf", "qos-ulps\nend-qos-ulps\n");
	EXPECT("lmc 1\n", 6, "o: partition_config_file: d/partitions.conf was",
		"  \"blue\":\n    pkey: 0x0005\n",
		"d/prefix-routes.conf:2: fec0: an earlier line has this prefix",
		"d/prefix-routes.conf:3: * by any router",
		"d/prefix-routes.conf:4: 'zz' is not a GID prefix",
		"d/prefix-routes.conf:5: fec1: without a router",
		"d/prefix-routes.conf:6: 'x' is not a GUID",
		"d/prefix-routes.conf:8: fec3: an earlier line",
		"routers: [0x0000000000000012]",
		"routers: [0x0000000000000015]");
	EXPECT("partition_config_file d/partitions.conf\nqos TRUE\n"
	       "prefix_routes_file nowhere\n",
		1, "o: qos_policy_file: d/qos-policy.conf was read");
}

/* ---- torus-2QoS ---- */

#define TORUS "routing_engine torus-2QoS,nue\ntorus_config t\n"

/* The text of the file that torus_config names, with each of these results. */
#define EXPECT_TORUS(text, nlost, ...)                                         \
	do {                                                                   \
		write_text("t", text);                                         \
		EXPECT(TORUS, nlost, __VA_ARGS__);                             \
	} while (0)

TEST(torus_sizes)
{
	EXPECT_TORUS("# three rings\ntorus 8 8 6 # as cabled\n"
		     "xp_link 0x1 0x2\nyp_link 0x1 0x3\nx_dateline -2\n"
		     "next_seed\nportgroup_max_ports 20\nmax_changes 9\n",
		0, "o:2: torus_config: t was read\n",
		"t:3: seeds and datelines are not needed",
		"t:7: portgroup_max_ports: Heddle has no such limit",
		"  engines: [torus, nue]\n  torus:\n"
		"    dimensions: [ring 8, ring 8, ring 6]\n");
	EXPECT_TORUS("mesh 3T 12t 1\nport_order 7 10\nzlink 1\n", 2,
		"t:2: port_order: no counterpart",
		"t:3: zlink: not known as a keyword of torus-2QoS.conf",
		"    dimensions: [ring 3, ring 12]\n");
	EXPECT_TORUS("mesh 3 4 5\n", 0,
		"    dimensions: [line 3, line 4, line 5]\n");
	EXPECT_TORUS("torus 6 5M 2\n", 0,
		"    dimensions: [ring 6, line 5, ring 2]\n");
}

TEST(torus_sizes_that_are_none)
{
	static const char *const wrong[] = {"torus 8 8\n", "torus 8 8 x\n",
		"torus 8 8 0\n", "torus 8X 8 8\n", "torus 8 8 -8\n",
		"mesh 1 1 1\n", "torus\n", "torus 99999999999 2 2\n"};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		EXPECT_TORUS(wrong[i], 1,
			": not three sizes; dimensions are read from the "
			"links\n",
			"  engines: [torus, nue]\n");
	EXPECT_TORUS("torus 8 8 5000\n", 1,
		"o:2: torus_config t: routing.torus.dimensions: ",
		"  engines: [torus, nue]\n");
	EXPECT("routing_engine torus-2QoS\ntorus_config nowhere\n", 1,
		"o:2: torus_config: nowhere: No such file or directory\n");
	/* the default place, and another engine */
	EXPECT("routing_engine torus-2QoS\n", 0,
		"o: torus_config: there is no d/torus-2QoS.conf here\n");
	EXPECT("torus_config nowhere\n", 0, "{}\n");
}

/* Two levels, by the highest bit of an SL. */
TEST(torus_levels)
{
	write_text("t", "torus 8 8 8\n");
	EXPECT(TORUS "qos TRUE\npartition_config_file p\n"
		     "qos_sl2vl 0,1,2,3,4,5,6,7,0,1,2,3,4,5,6,7\n"
		     "qos_ca_vlarb_low 0:10,1:30\nqos_ca_vlarb_high 14:1\n"
		     "qos_swe_vlarb_low 0:7,1:7,2:7,3:7,4:9,5:9,6:9,7:9\n"
		     "qos_swe_vlarb_high 14:1\nqos_vlarb_low 0:1,1:2\n",
		1, "o:4: partition_config_file: p: No such file",
		"#   o: torus-2QoS has two QoS levels: SL 0 to 7, and SL 8 to "
		"15; it ignores qos_sl2vl\n",
		"  levels:\n    default:\n      sl: 0\n      weight: 1\n"
		"      weight_at:\n        hosts: 10\n        switches: 7\n"
		"    sl8:\n      sl: 8\n      weight: 2\n"
		"      weight_at:\n        hosts: 30\n        switches: 9\n"
		"  high_limit:\n");
	write_text("p", "a=5,ipoib,sl=3:ALL;\nb=6,sl=9:ALL;");
	EXPECT(TORUS "qos TRUE\npartition_config_file p\n", 0,
		"  rules:\n    \"b\":\n      level: sl8\n"
		"      partitions: [\"b\"]\n  high_limit:\n");
}

/* ---- the QoS policy ---- */

/* The part of the YAML between two texts. */
static void
expect_rules(const char *opts, const char *policy, const char *lost,
	const char *rules)
{
	static const char begin[] = "  rules:\n", end[] = "  high_limit:";
	struct import_result out = {0};
	struct reason why = {""};
	char *from, *to;

	write_text("o", opts);
	write_text("pol", policy);
	ck_assert_msg(import_files("o", NULL, "d", registry_modules(), &out,
			      &why) == 0,
		"%s", why.text);
	ck_assert_msg(
		strcmp(out.lost.text != NULL ? out.lost.text : "", lost) == 0,
		"lost:\n%s", out.lost.text);
	from = strstr(out.yaml.text, begin);
	to = strstr(out.yaml.text, end);
	ck_assert_ptr_nonnull(to);
	*to = '\0';
	from = from != NULL ? from + strlen(begin) : to;
	ck_assert_msg(strcmp(from, rules) == 0, "rules:\n%s", from);
	import_free(&out);
}

#define POLICY "qos TRUE\nqos_policy_file pol\n"

/* Each kind of line in qos-ulps; what is specific comes before what is not. */
TEST(policy_of_programs)
{
	expect_rules(POLICY,
		"qos-ulps\n"
		"  default : 0 # SL\n"
		"  sdp, port-num 30000 : 2\n"
		"  sdp, port-num 10000-20000 : 2\n"
		"  sdp : 1\n"
		"  rds : 2\n"
		"  iser, port-num 900 : 0\n"
		"  iser : 3\n"
		"  ipoib, pkey 0x0001 : 5\n"
		"  ipoib : 4\n"
		"  any, service-id 0x6234 : 6\n"
		"  any, pkey 0x0ABC : 6\n"
		"  any, pkey 0x7fff : 2\n"
		"  srp, target-port-guid 0x1234,0x1236-0x1237 : 5\n"
		"  any, target-port-guid 0x0ABC-0xFFFFF : 6\n"
		"  any, source-port-guid 0x5678 : 7\n"
		"  mpi : 1\n"
		"  sdp 7\n"
		"end-qos-ulps\n",
		"pol:15: port GUIDs 0xabc-0xfffff: a range has no counterpart, "
		"only GUIDs have\n"
		"pol:17: 'mpi ': not understood\n"
		"pol:18: 'sdp 7': no SL from 0 to 15 at its end\n"
		"pol:15: a rule that matches nothing in particular\n",
		"    policy-3:\n      level: sl2\n"
		"      services: [\"0x17530\"]\n"
		"    policy-4:\n      level: sl2\n"
		"      services: [\"0x12710-0x14e20\"]\n"
		"    policy-5:\n      level: sl1\n"
		"      services: [\"0x10000-0x1270f\", \"0x14e21-0x1752f\", "
		"\"0x17531-0x1ffff\"]\n"
		"    policy-6:\n      level: sl2\n"
		"      services: [\"0x10648ca\"]\n"
		"    policy-7:\n      level: default\n"
		"      services: [\"0x1060384\"]\n"
		"    policy-8:\n      level: sl3\n"
		"      services: [\"0x1060cbc\"]\n"
		"    policy-9:\n      level: sl5\n"
		"      partitions: [\"0x1\"]\n"
		"    policy-10:\n      level: sl4\n"
		"      partitions: [\"0x7fff\"]\n"
		"    policy-11:\n      level: sl6\n"
		"      services: [\"0x6234\"]\n"
		"    policy-12:\n      level: sl6\n"
		"      partitions: [\"0xabc\"]\n"
		"    policy-14:\n      level: sl5\n"
		"      with: [\"0x0000000000001234\", "
		"\"0x0000000000001236\", \"0x0000000000001237\"]\n"
		"    policy-16:\n      level: sl7\n"
		"      with: [\"0x0000000000005678\"]\n");
}

/* Groups, levels and match rules, which come before qos-ulps. */
TEST(policy_of_rules)
{
	expect_rules(POLICY,
		"port-groups\n"
		" port-group\n  name: Storage\n  use: SRP targets\n"
		"  port-guid: 0x11, 0x13-0x14\n  pkey: 0x1234\n"
		" end-port-group\n"
		" port-group\n  name: Servers\n"
		"  port-name: vs1 HCA-1/P1, vs2 HCA-1/P2\n end-port-group\n"
		" port-group\n  name: any\n  node-type: ALL\n end-port-group\n"
		" port-group\n  name: Part\n  partition: Part1\n"
		" end-port-group\n"
		"end-port-groups\n"
		"qos-setup\n sl2vl-tables\nend-qos-setup\n"
		"qos-levels\n qos-level\n  name: DEFAULT\n  sl: 1\n"
		" end-qos-level\n"
		" qos-level\n  name: Fast\n  sl: 2\n  mtu-limit: 4\n"
		" end-qos-level\n"
		" qos-level\n  name: none\n end-qos-level\n"
		"end-qos-levels\n"
		"qos-ulps\n sdp : 3\nend-qos-ulps\n"
		"qos-match-rules\n"
		" qos-match-rule\n  qos-class: 7-9,11\n"
		"  qos-level-name: fast\n end-qos-match-rule\n"
		" qos-match-rule\n  destination: storage\n  source: any\n"
		"  service-id: 0x100-0x1ff\n  qos-level-name: Fast\n"
		" end-qos-match-rule\n"
		" qos-match-rule\n  source: Servers\n  destination: Servers\n"
		"  pkey: 0x10-0x11\n  qos-level-name: Fast\n"
		" end-qos-match-rule\n"
		" qos-match-rule\n  source: Servers\n  destination: Storage\n"
		"  qos-level-name: Fast\n end-qos-match-rule\n"
		" qos-match-rule\n  source: Part\n  qos-level-name: Fast\n"
		" end-qos-match-rule\n"
		" qos-match-rule\n  pkey: 0x10-0x1ff\n  qos-level-name: Fast\n"
		" end-qos-match-rule\n"
		" qos-match-rule\n  qos-class: 3\n  qos-level-name: none\n"
		" end-qos-match-rule\n"
		" qos-match-rule\n  qos-class: 7\n  qos-level-name: Fast\n"
		" end-qos-match-rule\n"
		"end-qos-match-rules\n",
		"pol:6: pkey 0x1234: a rule names ports, not partitions of "
		"ports\n"
		"pol:10: port-name 'vs2 HCA-1': port P2 alone has no "
		"counterpart, a name means all ports of its node\n"
		"pol:18: partition Part1: a rule names ports, not partitions "
		"of ports\n"
		"pol:32: mtu-limit 4: not carried over; qos.levels has "
		"mtu_limit, rate_limit and packet_lifetime\n"
		"pol:64: group 'Part': none of its ports was carried over; the "
		"rule is left out\n"
		"pol:58: from one group to another: Heddle's rules have one "
		"group; the rule is left out\n"
		"pol:67: a range of more than 16 P_Keys has no counterpart; "
		"the rule is left out\n"
		"pol:71: level 'none' gives no SL; the rule is left out\n",
		"    policy-42:\n      level: sl2\n"
		"      classes: [\"7-9\", \"11\"]\n"
		"    policy-46:\n      level: sl2\n"
		"      with: [\"0x0000000000000011\", "
		"\"0x0000000000000013\", \"0x0000000000000014\"]\n"
		"      services: [\"0x100-0x1ff\"]\n"
		"    policy-52:\n      level: sl2\n"
		"      among: [\"vs1 HCA-1\", \"vs2 HCA-1\"]\n"
		"      partitions: [\"0x10\", \"0x11\"]\n"
		"    policy-39:\n      level: sl3\n"
		"      services: [\"0x10000-0x1ffff\"]\n"
		"    policy-default:\n      level: sl1\n");
}

/* A partition's SL, and a rule for all of it; files cut short, and of noise. */
TEST(policy_of_partitions)
{
	write_text("parts", "a=5,sl=3:ALL;\nb=6,sl=2:ALL;");
	expect_rules(POLICY "partition_config_file parts\n",
		"qos-ulps\n any, pkey 0x8005 : 1\nend-qos-ulps\n", "",
		"    policy-2:\n      level: sl1\n"
		"      partitions: [\"0x5\"]\n"
		"    \"b\":\n      level: sl2\n      partitions: [\"b\"]\n");
	expect_rules(POLICY, "qos-match-rules\n qos-match-rule\n pkey: 5\n",
		"pol:3: the file ends within a section\n", "");
	expect_rules(POLICY, "\"]: }\n: : :\nname: x\nend-port-group\n",
		"pol:1: '\"]: }': not understood\n"
		"pol:2: ': : :': not understood\n"
		"pol:3: 'name: x': not understood\n"
		"pol:4: 'end-port-group': not understood\n",
		"");
}

/* What OpenSM writes into its file by itself does not replace better values. */
TEST(stock_values)
{
	EXPECT("sminfo_polling_timeout 10000\npolling_retry_number 0x4\n"
	       "max_wire_smps 4\n",
		0,
		"o:1: sminfo_polling_timeout 10000: OpenSM's default is not "
		"carried over; standby.poll_interval stays at that of Heddle\n",
		"o:2: polling_retry_number 0x4: OpenSM's default",
		"o:3: max_wire_smps 4: OpenSM's default", "here\n{}\n");
	EXPECT("sminfo_polling_timeout 5000\npolling_retry_number 2\n", 0,
		"  poll_interval: 5000ms\n  missed_polls: 2\n");
}

/* ---- files that are no configuration ---- */

static void
expect_refusal(const char *opts, const char *parts, const char *text)
{
	struct import_result out = {0};
	struct reason why = {""};

	ck_assert_int_ne(
		import_files(opts, parts, "d", registry_modules(), &out, &why),
		0);
	ck_assert_msg(strstr(why.text, text) != NULL, "%s", why.text);
	ck_assert_ptr_null(out.yaml.text);
}

TEST(not_understood)
{
	static const char noise[] = "lmc 1\nx\0y\n";
	AUTO(mem) char *text = mem_alloc(200001);

	expect_refusal("nowhere", NULL, "nowhere: No such file or directory");
	expect_refusal("/", NULL, "/: not a regular file");
	write_bytes("o", noise, sizeof(noise) - 1);
	expect_refusal("o", NULL, "o:2: a NUL byte: this is no text file");
	expect_refusal(NULL, "o", "o:2: a NUL byte: this is no text file");
	/* read in several pieces, from a file without a size */
	expect_refusal("/proc/self/maps", NULL,
		"/proc/self/maps: nothing in it is an option of OpenSM");
	write_text("o", "root:x:0:0:root:/root:/bin/sh\n");
	expect_refusal("o", NULL, "o: nothing in it is an option");
	expect_refusal(NULL, "o", "o: no partition in it is understood");
	memset(text, 'x', 200000);
	text[200000] = '\0';
	write_text("o", text);
	expect_refusal(NULL, "o", "o: no partition in it is understood");
	/* an empty file is one of OpenSM's */
	EXPECT("# nothing\n\n", 0, "here\n{}\n");
	EXPECT("lmc 1\nlmc\nxyzzy 1\n", 2, "o:2: 'lmc': not understood",
		"o:3: xyzzy 1: not known as an option of OpenSM");
	write_text("o2", "lmc 1\n");
	(void)strcpy(text + 2000, "\nlmc 1\n");
	EXPECT(text, 1, "o:1: line too long", "hosts: 1");
}

/* What comes out is a configuration, whatever goes in. */
LOOP_TEST(hostile, 1, 6)
{
	static const char *const bits[] = {"Default", "=", "0x7fff", ",", ":",
		";", "\n", "#", "\"", "ALL", "=full", "ipoib", "mtu=4",
		"rate=3", "\x1b[2J", "\xff", "{", "0x12", "SELF", "lmc 3\n",
		"m_key 0x", "routing_engine ", "updn,", "ftree", " ", "a",
		"99999999999999999999", "sl=15", "scope=", "\\", "]", "'",
		"mgid=1", "part_enforce off\n", "lmc_esp0 TRUE\n", "qos TRUE\n",
		"root_guid_file p\n", "prefix_routes_file p\n",
		"routing_engine torus-2QoS\n", "torus_config p\n", "torus ",
		"mesh 3T "};
	struct rng rng = {(uint64_t)_i};

	for (unsigned round = 0; round < 100; round++) {
		char text[2][2048] = {"lmc 1\n", "a=5:ALL;"};
		struct import_result out = {0};
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
		for (const char *c = out.yaml.text; *c != '\0'; c++)
			ck_assert(*c == '\n' || (*c >= 0x20 && *c < 0x7f));
		import_free(&out);
	}
}

/* The same of a policy, whose lines are in any order. */
LOOP_TEST(hostile_policy, 1, 6)
{
	static const char *const bits[] = {"qos-ulps\n", "end-qos-ulps\n",
		"port-groups\n", "end-port-groups\n", "port-group\n",
		"end-port-group\n", "qos-levels\n", "end-qos-levels\n",
		"qos-level\n", "end-qos-level\n", "qos-match-rules\n",
		"end-qos-match-rules\n", "qos-match-rule\n",
		"end-qos-match-rule\n", "name: a\n", "name: DEFAULT\n",
		"sl: 3\n", "sl: 99999999999999999999\n", "qos-level-name: a\n",
		"source: a\n", "destination: A\n",
		"port-guid: 0x5,0x6-0xffffffffffffffff\n",
		"port-name: \xff\xe2\x80\xae\"]/P1, sm, h1/P1\n",
		"node-type: ALL, SELF,x\n", "pkey: 0x0-0xffff\n",
		"pkey: 5,0x8005\n", "service-id: 5-1\n", "service-id: 0-1,1\n",
		"qos-class: 0-4095\n", "qos-class: 4096\n", "sdp : 3\n",
		"sdp, port-num 1-2,3 : 4\n", "default : 5\n", "default : 16\n",
		"any, target-port-guid 0 : 1\n", "any, pkey 0 : 2\n", ":", "\n",
		"#", "\"", "\\", "rds, : 1\n", "use: x\n"};
	struct rng rng = {(uint64_t)_i};

	for (unsigned round = 0; round < 100; round++) {
		char text[4096] = "";
		struct import_result out = {0};
		struct reason why = {""};

		for (unsigned k = 0; k < 100; k++)
			(void)strncat(text,
				bits[rng_below(
					&rng, sizeof(bits) / sizeof(bits[0]))],
				sizeof(text) - strlen(text) - 1);
		write_text("pol", text);
		write_text("o", POLICY);
		ck_assert_msg(import_files("o", NULL, "d", registry_modules(),
				      &out, &why) == 0,
			"seed %d round %u: %s\n%s", _i, round, why.text, text);
		for (const char *c = out.yaml.text; *c != '\0'; c++)
			ck_assert(*c == '\n' || (*c >= 0x20 && *c < 0x7f));
		import_free(&out);
	}
}

/* A name of a file is no text of the result. */
TEST(hostile_name)
{
	static const char name[] = "a\nqos: {}\n";
	struct import_result out = {0};
	struct reason why;

	write_text(name, "xyzzy 1\nlmc 1\n");
	ck_assert_int_eq(
		import_files(name, NULL, "d", registry_modules(), &out, &why),
		0);
	ck_assert_ptr_nonnull(strstr(out.yaml.text, "#   a?qos: {}?:1: xyzzy"));
	import_free(&out);
}

TEST(a_hundred_thousand_members)
{
	AUTO(buf) struct buf text = {0};
	struct import_result out = {0};
	struct reason why = {""};
	clock_t before;

	buf_printf(&text, "a=5:SELF=full");
	for (unsigned i = 0; i < 100000; i++)
		buf_printf(&text, ",\n0x%x", 0x10000 + i);
	buf_printf(&text, ";\n");
	write_text("p", text.text);
	before = clock();
	ck_assert_msg(import_files(NULL, "p", "d", registry_modules(), &out,
			      &why) == 0,
		"%s", why.text);
	/* a quarter of a second; 22 if each is compared with all before */
	ck_assert_int_lt((clock() - before) / CLOCKS_PER_SEC, 5);
	ck_assert_uint_gt(out.yaml.n, (size_t)3 << 20);
	import_free(&out);
}

const struct suite_around suite_around = {
	.before = enter_directory, .after = leave_directory};
