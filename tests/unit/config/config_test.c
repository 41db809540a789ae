/*
 * The configuration as a whole: defaults, reading, exact complaints, fixpoint
 * of the print, differences, and the documents made from the tables. With
 * HEDDLE_UPDATE=1 the manual page is rewritten instead of compared.
 */
#include "config/config.h"
#include "config/config_describe.h"

#include <check.h>
#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/option_table.h"
#include "config/partition_options.h"
#include "config/qos_options.h"
#include "config/yaml.h"
#include "routing/driver/registry.h"
#include "routing/engines/ftree/ftree.h"
#include "routing/engines/updn/updn.h"
#include "sm/base/log.h"
#include "sm/base/mem.h"
#include "sm/base/rng.h"
#include "tests/unit/manual.h"
#include "tests/unit/suite.h"

enum { SEED = 20262, ROUNDS = 3000 };

static const struct schema_module minhop = {.name = "minhop"};
static const struct schema_module *const engines[] = {
	&engine_ftree.module, &minhop, &engine_updn.module, NULL};

static const struct updn_options *
updn_of(const struct config *c)
{
	for (size_t i = 0; i < c->nown; i++)
		if (c->own[i].schema == engine_updn.module.options)
			return c->own[i].value;
	return NULL;
}

static struct config *
parse_config(const char *text)
{
	AUTO(diag_list) struct diag_list d;
	AUTO(buf) struct buf says = {0};
	struct config *c =
		config_parse("t.yaml", text, strlen(text), engines, &d);

	diag_text(&d, &says);
	ck_assert_msg(c != NULL, "%s", says.n > 0 ? says.text : "");
	return c;
}

static char *
print_config(const struct config *c)
{
	struct buf b = {0};

	config_print(c, &b);
	return b.text;
}

/* The print of c reads back and prints the same. */
static void
must_be_fixpoint(const struct config *c)
{
	AUTO(mem) char *first = print_config(c), *second = NULL;
	AUTO(config) struct config *again = parse_config(first);
	struct config_changes ch;

	second = print_config(again);
	ck_assert_str_eq(first, second);
	config_diff(c, again, &ch);
	ck_assert_uint_eq(ch.n, 0);
	config_changes_free(&ch);
}

TEST(test_defaults)
{
	struct config *c = config_default(engines), *empty = parse_config("");
	AUTO(mem) char *a = print_config(c), *b = print_config(empty);

	ck_assert_str_eq(a, b);
	ck_assert_str_eq(c->fabric.port, "auto");
	ck_assert_uint_eq(c->fabric.subnet_prefix, 0xfe80000000000000);
	ck_assert_uint_eq(c->fabric.lmc.hosts, 0);
	ck_assert_uint_eq(c->fabric.lmc_override.n, 0);
	ck_assert_uint_eq(c->fabric.lids.first, 1);
	ck_assert_uint_eq(c->fabric.lids.last, 0xbfff);
	ck_assert_uint_eq(c->fabric.priority, 0);
	ck_assert_uint_eq(c->fabric.m_key, 0);
	ck_assert_uint_eq(c->fabric.sm_key, 1);
	ck_assert_uint_eq(c->routing.engines.n, 2);
	ck_assert_str_eq(c->routing.engines.name[0], "ftree");
	ck_assert_uint_eq(c->routing.load_limit, 1250);
	ck_assert_uint_eq(updn_of(c)->roots.n, 0);
	ck_assert_int_eq(c->sweep.interval.ns, mono_ms(10000).ns);
	ck_assert_int_eq(c->sweep.hold_down.ns, mono_ms(50).ns);
	ck_assert_int_eq(c->smp.timeout.ns, mono_ms(200).ns);
	ck_assert_uint_eq(c->smp.retries, 3);
	ck_assert_uint_eq(c->smp.window_max, 64);
	ck_assert_uint_eq(c->smp.target_max, 4);
	ck_assert(c->smp.lid_routed);
	ck_assert_int_eq(c->standby.poll_interval.ns, mono_ms(1000).ns);
	ck_assert_uint_eq(c->standby.missed_polls, 3);
	ck_assert_int_eq(c->standby.refresh.ns, mono_ms(60000).ns);
	ck_assert_uint_eq(c->link.subnet_timeout, 18);
	ck_assert_uint_eq(c->link.packet_lifetime, 18);
	ck_assert_uint_eq(c->link.hoq_lifetime, 18);
	ck_assert_uint_eq(c->link.leaf_hoq_lifetime, 16);
	ck_assert_uint_eq(c->link.vl_stall_count, 7);
	ck_assert_uint_eq(c->link.phy_errors_threshold, 8);
	ck_assert_uint_eq(c->link.overrun_errors_threshold, 8);
	ck_assert_uint_eq(c->link.max_vls, 15);
	ck_assert_str_eq(c->state.dir, "/var/lib/heddle");
	ck_assert_uint_eq(c->state.events_size, 64);
	ck_assert_str_eq(c->record.dir, "");
	ck_assert_uint_eq(c->record.size, 256);
	ck_assert_str_eq(c->control.socket, "/run/heddle/heddle.sock");
	ck_assert_uint_eq(c->log.level, LOG_LEVEL_INFO);
	must_be_fixpoint(c);
	config_unref(c);
	config_unref(empty);
}

static const char full[] =
	"fabric:\n"
	"  expected: plan.ndt\n"
	"  port: '0002:c903:00a1:b2c3'\n"
	"  subnet_prefix: \"0xFE80000000000001\"\n"
	"  lmc: {hosts: 1, switches: 2, routers: 3, aggregation: 7}\n"
	"  lmc_override:\n"
	"    0x0002c90300a1b2c4: 3\n"
	"    0002c90300a1b2c3: 1\n"
	"  lids: {first: 0x10, last: 4096}\n"
	"  priority: 15\n"
	"  partition_enforcement: false\n"
	"  names: trusted\n"
	"  accept_loss: 9\n"
	"  m_key: 0xabc\n"
	"  m_keys_known: [0xabd, 0x3]\n"
	"  m_key_protection: 2\n"
	"  m_key_lease: 90s\n"
	"  sm_key: 0xdef\n"
	"routing:\n"
	"  engines: [minhop, updn]\n"
	"  load_limit: 1.5\n"
	"  ftree: {layers: 4}\n"
	"  multi_port:\n"
	"    groups: {0x2: 7, 0x1: 7}\n"
	"    passive: [0x2]\n"
	"  threads: 3\n"
	"  foreign_adaptive: alarm\n"
	"  adaptive: {escapes: [0x2c9], enabled: true, prefer: flat, ageing: "
	"30, "
	"sls: 0x3, by: lid}\n"
	"  updn:\n"
	"    roots: [0x2, 0x1]\n"
	"  roles:\n"
	"    leaf: [\"SW-L*\", 0002:c903:00a1:b2c3, two words]\n"
	"    spine: [SW-S1]\n"
	"    root: ['[RT]?']\n"
	"discovery: {role_attribute: [0x2c9:0xd2f0, 0x000123]}\n"
	"distribution: {method: break-ports, allow_unsafe: true,\n"
	"  max_stages: 3, drain: 0, strict_drain: true, block_limit: 5s}\n"
	"sweep: {interval: 0, hold_down: 1s}\n"
	"health: {enabled: true, interval: 5m, ber_limit: 14, raw_ber_limit: 6,"
	"  flap_limit: 0,"
	"  recovery_limit: 1, action: drain, quiet_time: 5m,"
	"  quiet_time_max: 2h, port_metrics: true}\n"
	"smp: {timeout: 1ms, retries: 0, window_max: 1, target_max: 1,"
	" lid_routed: false}\n"
	"standby: {poll_interval: 100ms, missed_polls: 1,\n"
	"  refresh: 10s}\n"
	"link: {subnet_timeout: 0, packet_lifetime: 31, hoq_lifetime: 20,\n"
	"  leaf_hoq_lifetime: 19, vl_stall_count: 0, max_vls: 8,\n"
	"  phy_errors_threshold: 0, overrun_errors_threshold: 15}\n"
	"sa: {trust_key: 0x7, requests_per_second: 0, request_burst: 1,\n"
	"  services_per_port: 0, subscriptions_per_port: 1,\n"
	"  groups_per_port: 1, table_mib: 1, prefix_routes: {\n"
	"    b: {prefix: 0x1, routers: [0x3, 0x2]}, rest: {routers: [0x2]}}}\n"
	"partitions:\n"
	"  storage:\n"
	"    pkey: 0x11\n"
	"    members: {sm: full, \"gpu-*\": limited, 0x1: both}\n"
	"    ipoib: {enabled: true, mtu: 4096, rate: 2.5, sl: 0, scope: 5,\n"
	"      qkey: 0xffffffff}\n"
	"  empty: {pkey: 0x7fff}\n"
	"qos:\n"
	"  levels:\n"
	"    gold: {sl: 3, weight: 8, weight_at: {hosts: 1, switches: 255},\n"
	"      priority: high, shares_with: bulk, mtu_limit: 2048,\n"
	"      rate_limit: 2.5, packet_lifetime: 12, adaptive: true}\n"
	"    bulk: {}\n"
	"  rules:\n"
	"    disks: {level: gold, services: [iser, 'tcp:1-7', 0x10], \n"
	"      partitions: [storage], with: [0x1, 'nas-*'], classes: [8-15]}\n"
	"    rest: {level: bulk, among: [hosts]}\n"
	"  high_limit: {hosts: 0, switches: 255, port0: 1, routers: 2}\n"
	"  shortage: refuse\n"
	"  unknown_sl: drop\n"
	"state: {dir: \"/tmp/a \\\"b\\\" \\\\ \\u00e9\", events_size: 3}\n"
	"record: {dir: /tmp/record, size: 7}\n"
	"control: {socket: /tmp/s}\n"
	"log: {level: debug}\n";

/* What `full` says of routing and distribution. */
static void
must_route_as_told(const struct config *c)
{
	ck_assert_uint_eq(c->routing.engines.n, 2);
	ck_assert_str_eq(c->routing.engines.name[0], "minhop");
	ck_assert_uint_eq(c->routing.load_limit, 1500);
	ck_assert_uint_eq(c->routing.threads, 3);
	ck_assert_uint_eq(c->routing.foreign_adaptive, CONFIG_ADAPTIVE_ALARM);
	ck_assert(c->routing.adaptive.enabled);
	ck_assert_uint_eq(c->routing.adaptive.prefer, CONFIG_PREFER_FLAT);
	ck_assert_uint_eq(c->routing.adaptive.ageing_us, 30);
	ck_assert_uint_eq(c->routing.adaptive.escapes.entry[0].vendor, 0x2c9);
	ck_assert_uint_eq(c->routing.adaptive.by, CONFIG_BY_LID);
	ck_assert_uint_eq(updn_of(c)->roots.n, 2);
	ck_assert_uint_eq(updn_of(c)->roots.guid[0], 1);
	ck_assert_uint_eq(qos_layers(c), 4);
	ck_assert_uint_eq(c->routing.multi_port.groups.n, 2);
	ck_assert_uint_eq(c->routing.multi_port.groups.entry[0].guid, 1);
	ck_assert_uint_eq(c->routing.multi_port.passive.guid[0], 2);
	ck_assert_uint_eq(c->distribution.method, 2);
	ck_assert_uint_eq(c->distribution.max_stages, 3);
	ck_assert(c->distribution.allow_unsafe);
}

TEST(test_every_key)
{
	struct config *c = parse_config(full), *def = config_default(engines);
	struct config_changes ch;
	const struct options_section *s;
	size_t i, n, rows = 0;

	ck_assert_str_eq(c->fabric.port, "0x0002c90300a1b2c3");
	ck_assert_uint_eq(c->fabric.subnet_prefix, 0xfe80000000000001);
	ck_assert_uint_eq(c->fabric.lmc.hosts, 1);
	ck_assert_uint_eq(c->fabric.lmc.switches, 2);
	ck_assert_uint_eq(c->fabric.lmc.routers, 3);
	ck_assert_uint_eq(c->fabric.lmc.aggregation, 7);
	ck_assert_uint_eq(c->fabric.lmc_override.n, 2);
	ck_assert_uint_eq(
		c->fabric.lmc_override.entry[0].guid, 0x0002c90300a1b2c3);
	ck_assert_uint_eq(c->fabric.lmc_override.entry[0].value, 1);
	ck_assert_uint_eq(c->fabric.lmc_override.entry[1].value, 3);
	ck_assert_uint_eq(c->fabric.lids.first, 16);
	ck_assert_uint_eq(c->fabric.lids.last, 4096);
	ck_assert_uint_eq(c->fabric.priority, 15);
	ck_assert_uint_eq(c->fabric.m_key, 0xabc);
	ck_assert_uint_eq(c->fabric.m_keys_known.n, 2);
	ck_assert_uint_eq(c->fabric.m_keys_known.guid[0], 0xabd);
	ck_assert_uint_eq(c->fabric.m_keys_known.guid[1], 0x3);
	ck_assert_uint_eq(c->fabric.m_key_protection, 2);
	ck_assert_int_eq(c->fabric.m_key_lease.ns, 90000000000);
	ck_assert_uint_eq(c->fabric.sm_key, 0xdef);
	must_route_as_told(c);
	ck_assert_uint_eq(c->routing.roles.leaf.n, 3);
	ck_assert_str_eq(c->routing.roles.leaf.name[0], "SW-L*");
	ck_assert_str_eq(c->routing.roles.leaf.name[1], "0x0002c90300a1b2c3");
	ck_assert_str_eq(c->routing.roles.root.name[0], "[RT]?");
	ck_assert_uint_eq(c->discovery.role_attribute.n, 2);
	ck_assert_uint_eq(c->discovery.role_attribute.entry[0].device, 0xd2f0);
	ck_assert_uint_eq(c->discovery.role_attribute.entry[1].vendor, 0x123);
	ck_assert_uint_eq(
		c->discovery.role_attribute.entry[1].device, UINT32_MAX);
	ck_assert_str_eq(c->fabric.expected, "plan.ndt");
	ck_assert_int_eq(c->sweep.interval.ns, 0);
	ck_assert(c->health.enabled);
	ck_assert_int_eq(c->health.interval.ns, mono_ms(300000).ns);
	ck_assert_uint_eq(c->health.action, CONFIG_HEALTH_DRAIN);
	ck_assert_int_eq(c->health.quiet_time.ns, mono_ms(300000).ns);
	ck_assert_int_eq(c->health.quiet_time_max.ns, mono_ms(7200000).ns);
	ck_assert_int_eq(c->smp.timeout.ns, mono_ms(1).ns);
	ck_assert(!c->smp.lid_routed);
	ck_assert_uint_eq(c->link.max_vls, 8);
	ck_assert_uint_eq(c->sa.key, 7);
	ck_assert_str_eq(c->state.dir, "/tmp/a \"b\" \\ \xc3\xa9");
	ck_assert_uint_eq(c->log.level, LOG_LEVEL_DEBUG);
	must_be_fixpoint(c);

	/* the text above changes every key there is */
	s = options_all(&n);
	for (i = 0; i < n; i++)
		rows += s[i].schema->n;
	rows += ftree_schema.n + engine_updn.module.options->n;
	config_diff(def, c, &ch);
	ck_assert_uint_eq(ch.n, rows);
	ck_assert_uint_eq(ch.of[SCHEMA_RESTART], 6);
	ck_assert_uint_eq(ch.of[SCHEMA_LIVE] + ch.of[SCHEMA_REROUTE] +
				  ch.of[SCHEMA_RESWEEP] + ch.of[SCHEMA_RESTART],
		ch.n);
	config_changes_free(&ch);
	config_unref(c);
	config_unref(def);
}

static const struct complaint {
	const char *text;
	const char *says;
} complaints[] = {
	{"routeing:\n  engines: [updn]\n",
		"t.yaml:1:1: error: unknown key 'routeing'; did you mean "
		"'routing'?\n"
		"  routeing:\n"
		"  ^\n"},
	{"fabric:\n  lmc:\n    hots: 1\n",
		"t.yaml:3:5: error: unknown key 'hots'; did you mean 'hosts'?\n"
		"      hots: 1\n"
		"      ^\n"},
	{"interval: 10s\n",
		"t.yaml:1:1: error: unknown key 'interval'; did you mean "
		"'sweep.interval'?\n"
		"  interval: 10s\n"
		"  ^\n"},
	{"max_wire_smps: 4\n",
		"t.yaml:1:1: error: unknown key 'max_wire_smps'; did you mean "
		"'smp.window_max'?\n"
		"  max_wire_smps: 4\n"
		"  ^\n"},
	{"no_partition_enforcement: true\n",
		"t.yaml:1:1: error: unknown key 'no_partition_enforcement'; "
		"did you mean 'fabric.partition_enforcement'?\n"
		"  no_partition_enforcement: true\n"
		"  ^\n"},
	{"wholly_other: 1\n", "t.yaml:1:1: error: unknown key 'wholly_other'\n"
			      "  wholly_other: 1\n"
			      "  ^\n"},
	{"sweep.interval: 10s\n",
		"t.yaml:1:1: error: 'sweep.interval' is not one key; write "
		"each word between the dots on a line of its own, indented\n"
		"  sweep.interval: 10s\n"
		"  ^\n"},
	{"standby:\n  poll_interval: 100ms\n",
		"t.yaml:2:18: error: standby.poll_interval (100 ms) is below "
		"smp.timeout (200 ms): a poll would be over before its answer "
		"is\n"
		"    poll_interval: 100ms\n"
		"                   ^\n"},
	{"standby:\n  missed_polls: 0\n",
		"t.yaml:2:17: error: standby.missed_polls: 0 is out of range: "
		"1 "
		"to 100\n"
		"    missed_polls: 0\n"
		"                  ^\n"},
	{"fabric:\n  lids:\n    first: 100\n    last: 99\n",
		"t.yaml:3:12: error: fabric.lids.first (100) is above "
		"fabric.lids.last (99)\n"
		"      first: 100\n"
		"             ^\n"
		"t.yaml:4:11: note: fabric.lids.last is given here\n"
		"      last: 99\n"
		"            ^\n"},
	{"fabric: {lids: {first: 0xc000}}\n",
		"t.yaml:1:24: error: fabric.lids.first: 0xc000 is out of "
		"range: 1 to 49151\n"
		"  fabric: {lids: {first: 0xc000}}\n"
		"                         ^\n"},
	{"smp:\n  timeout: 200\n",
		"t.yaml:2:12: error: smp.timeout: '200' needs a unit: ms, s, m "
		"or h\n"
		"    timeout: 200\n"
		"             ^\n"},
	{"smp:\n  timeout: 2m\n",
		"t.yaml:2:12: error: smp.timeout: 2m is out of range: 1ms to "
		"1m\n"
		"    timeout: 2m\n"
		"             ^\n"},
	{"smp:\n  timeout:\n",
		"t.yaml:2:11: error: smp.timeout: no value; leave the key out "
		"for its default, 200ms\n"
		"    timeout:\n"
		"            ^\n"},
	{"smp: [1]\n", "t.yaml:1:6: error: smp: expected keys and their "
		       "values\n"
		       "  smp: [1]\n"
		       "       ^\n"},
	{"- a\n", "t.yaml:1:1: error: expected keys and their values, such as "
		  "'fabric:'\n"
		  "  - a\n"
		  "  ^\n"},
	{"smp: {retries: [3]}\n",
		"t.yaml:1:16: error: smp.retries: expected a single value "
		"(integer), found a list\n"
		"  smp: {retries: [3]}\n"
		"                 ^\n"},
	{"routing: {engines: updn}\n",
		"t.yaml:1:20: error: routing.engines: expected a list (list of "
		"names), found a single value\n"
		"  routing: {engines: updn}\n"
		"                     ^\n"},
	{"routing: {engines: [updm]}\n",
		"t.yaml:1:21: error: routing.engines: 'updm' is unknown; did "
		"you mean 'updn'?\n"
		"  routing: {engines: [updm]}\n"
		"                      ^\n"},
	{"routing: {engines: [updn, minhop, updn]}\n",
		"t.yaml:1:35: error: routing.engines: updn is listed twice\n"
		"  routing: {engines: [updn, minhop, updn]}\n"
		"                                    ^\n"
		"t.yaml:1:21: note: listed here before\n"
		"  routing: {engines: [updn, minhop, updn]}\n"
		"                      ^\n"},
	{"fabric:\n  lmc_override:\n    0x1: 1\n    \"0x01\": 2\n    x: 3\n",
		"t.yaml:4:5: error: fabric.lmc_override: 0x0000000000000001 is "
		"listed twice\n"
		"      \"0x01\": 2\n"
		"      ^\n"
		"t.yaml:3:5: note: listed here before\n"
		"      0x1: 1\n"
		"      ^\n"
		"t.yaml:5:5: error: fabric.lmc_override: 'x' is not a GUID "
		"such as 0x0002c90300a1b2c3\n"
		"      x: 3\n"
		"      ^\n"},
	{"distribution: {method: dynamic}\n",
		"t.yaml:1:24: error: distribution.method: dynamic can deadlock "
		"the fabric while tables are written; it needs "
		"distribution.allow_unsafe: true\n"
		"  distribution: {method: dynamic}\n"
		"                         ^\n"},
	{"partitions: {a: {members: {all: full}}}\n",
		"t.yaml:1:14: error: partitions.a: its pkey must be given, "
		"0x0001 to 0x7fff\n"
		"  partitions: {a: {members: {all: full}}}\n"
		"               ^\n"},
	{"partitions:\n  a: {pkey: 0x5}\n  b: {pkey: 0x5}\n",
		"t.yaml:3:3: error: partitions.b: pkey 0x0005 is already that "
		"of partitions.a\n"
		"    b: {pkey: 0x5}\n"
		"    ^\n"
		"t.yaml:2:3: note: given here before\n"
		"    a: {pkey: 0x5}\n"
		"    ^\n"},
	{"partitions: {a: {pkey: 0x5, members: {0x1g: full}}}\n",
		"t.yaml:1:39: error: partitions.a.members: '0x1g' is not a "
		"GUID such as 0x0002c90300a1b2c3\n"
		"  partitions: {a: {pkey: 0x5, members: {0x1g: full}}}\n"
		"                                        ^\n"},
	{"partitions: {a: {pkey: 0x5, ipoib: {mtuu: 1}}}\n",
		"t.yaml:1:37: error: unknown key 'mtuu'; did you mean 'mtu'?\n"
		"  partitions: {a: {pkey: 0x5, ipoib: {mtuu: 1}}}\n"
		"                                      ^\n"},
	{"sa:\n  prefix_routes:\n    a: {routers: [0x1]}\n"
	 "    b: {routers: [0x2]}\n",
		"t.yaml:4:5: error: sa.prefix_routes.b: prefix "
		"0x0000000000000000 is already given by sa.prefix_routes.a\n"
		"      b: {routers: [0x2]}\n"
		"      ^\n"},
	{"fabric: {lmc_override: {0x1: 8}}\n",
		"t.yaml:1:30: error: fabric.lmc_override: 8 is out of range: "
		"0 to 7\n"
		"  fabric: {lmc_override: {0x1: 8}}\n"
		"                               ^\n"},
	/* one switch, two roles: its GUID counts once however it is written */
	{"routing: {multi_port: {groups: {0x1: 1, 0x01: 2}}}\n",
		"t.yaml:1:41: error: routing.multi_port.groups: "
		"0x0000000000000001 "
		"is listed twice\n"
		"  routing: {multi_port: {groups: {0x1: 1, 0x01: 2}}}\n"
		"                                          ^\n"
		"t.yaml:1:33: note: listed here before\n"
		"  routing: {multi_port: {groups: {0x1: 1, 0x01: 2}}}\n"
		"                                  ^\n"},
	{"routing:\n  roles:\n    leaf: [a, 0x1, b]\n    root: ['0x01', c]\n",
		"t.yaml:4:12: error: routing.roles.root: '0x01' has another "
		"role already\n"
		"      root: ['0x01', c]\n"
		"             ^\n"
		"t.yaml:3:15: note: it is given here\n"
		"      leaf: [a, 0x1, b]\n"
		"                ^\n"},
	{"routing: {roles: {leaf: [SW*, SW*]}}\n",
		"t.yaml:1:31: error: routing.roles.leaf: SW* is listed twice\n"
		"  routing: {roles: {leaf: [SW*, SW*]}}\n"
		"                                ^\n"
		"t.yaml:1:26: note: listed here before\n"
		"  routing: {roles: {leaf: [SW*, SW*]}}\n"
		"                           ^\n"},
	{"routing: {roles: {leaf: SW1}}\n",
		"t.yaml:1:25: error: routing.roles.leaf: expected a list (list "
		"of switches), found a single value\n"
		"  routing: {roles: {leaf: SW1}}\n"
		"                          ^\n"},
	{"discovery: {role_attribute: [0x2c9:54]}\n",
		"t.yaml:1:30: error: discovery.role_attribute: '0x2c9:54' is "
		"not VENDOR or VENDOR:DEVICE such as 0x2c9:0xd2f0\n"
		"  discovery: {role_attribute: [0x2c9:54]}\n"
		"                               ^\n"},
	{"fabric: {m_keys_known: [0x1, 0x1]}\n",
		"t.yaml:1:30: error: fabric.m_keys_known: a key is listed "
		"twice\n"
		"t.yaml:1:25: note: listed here before\n"},
	{"fabric:\n  m_keys_known: [0x1, x]\n",
		"t.yaml:2:23: error: fabric.m_keys_known: the value is not 0x "
		"and 1 to 16 hexadecimal digits\n"},
	{"fabric: {m_keys_known: [0x1, 0x2, 0x3, 0x4, 0x5, 0x6, 0x7, 0x8]}\n",
		"t.yaml:1:24: error: fabric.m_keys_known: at most 7 keys\n"},
	{"fabric: {m_key_protection: 4, m_key_lease: 1s}\n",
		"t.yaml:1:28: error: fabric.m_key_protection: 4 is out of "
		"range: 0 to 3\n"
		"  fabric: {m_key_protection: 4, m_key_lease: 1s}\n"
		"                             ^\n"
		"t.yaml:1:44: error: fabric.m_key_lease: 1s is out of range: "
		"0 (off) or 3s to 65535s\n"
		"  fabric: {m_key_protection: 4, m_key_lease: 1s}\n"
		"                                             ^\n"},
	{"fabric:\n  m_key: secret\n",
		"t.yaml:2:10: error: fabric.m_key: the value is not 0x and 1 "
		"to 16 hexadecimal digits\n"},
	/* nothing on a key's line is shown, whatever is wrong there */
	{"fabric: {m_key: 0x123, prio: 1}\n",
		"t.yaml:1:24: error: unknown key 'prio'; did you mean "
		"'priority'?\n"},
	/* a bad alias is one mistake, not two; the others are still found */
	{"sweep: *x\nlog: {level: loud}\n",
		"t.yaml:1:8: error: aliases are not allowed; quote values that "
		"begin with *\n"
		"  sweep: *x\n"
		"         ^\n"
		"t.yaml:2:14: error: log.level: 'loud' is not error, warn, "
		"info or debug\n"
		"  log: {level: loud}\n"
		"               ^\n"},
	{"state: {dir: \"/a\\x1b[2J\"}\n",
		"t.yaml:1:14: error: state.dir: '/a?[2J' has characters that "
		"cannot be printed\n"
		"  state: {dir: \"/a\\x1b[2J\"}\n"
		"               ^\n"},
};

LOOP_TEST(test_complaints, 0, LEN(complaints))
{
	const struct complaint *t = &complaints[_i];
	AUTO(diag_list) struct diag_list d;
	AUTO(buf) struct buf says = {0};

	ck_assert_ptr_null(
		config_parse("t.yaml", t->text, strlen(t->text), engines, &d));
	diag_text(&d, &says);
	ck_assert_str_eq(says.n > 0 ? says.text : "", t->says);
}

/* One end of the range given, the other by default. */
TEST(test_reversed_default)
{
	static const char text[] = "fabric: {lids: {last: 1}}";
	AUTO(config) struct config *c = parse_config(text);

	ck_assert_uint_eq(c->fabric.lids.last, 1);
}

/* A poll's default interval may be below the time-out: the daemon waits less
 * for answers to polls then. What is printed of that is no mistake either. */
TEST(test_default_poll)
{
	AUTO(config)
	struct config *c = parse_config("smp:\n  timeout: 5s\n");

	must_be_fixpoint(c);
}

TEST(test_json_errors)
{
	static const char text[] = "sweep: {interval: 1}\nsweep: {}\n";
	AUTO(diag_list) struct diag_list d;
	struct buf out = {0};
	json_t *j, *e;

	ck_assert_ptr_null(
		config_parse("t.yaml", text, sizeof(text) - 1, engines, &d));
	diag_text(&d, &out);
	ck_assert_ptr_nonnull(
		strstr(out.text, "t.yaml:1:19: error: sweep.interval: '1' "
				 "needs a unit: ms, s, m "
				 "or h"));
	buf_free(&out);
	diag_json(&d, &out);
	j = json_loads(out.text, 0, NULL);
	ck_assert_ptr_nonnull(j);
	ck_assert_str_eq(
		json_string_value(json_object_get(j, "file")), "t.yaml");
	ck_assert(json_is_false(json_object_get(j, "ok")));
	e = json_object_get(j, "errors");
	ck_assert_uint_eq(json_array_size(e), 2);
	e = json_array_get(e, 1);
	ck_assert_int_eq(json_integer_value(json_object_get(e, "line")), 2);
	ck_assert_int_eq(json_integer_value(json_object_get(e, "col")), 1);
	ck_assert_str_eq(
		json_string_value(json_object_get(e, "code")), "duplicate-key");
	ck_assert_str_eq(
		json_string_value(json_object_get(e, "path")), "sweep");
	ck_assert_int_eq(
		json_integer_value(json_object_get(e, "note_line")), 1);
	json_decref(j);
	buf_free(&out);
}

/* Keys that every user can read are refused; 1 is no secret. */
static void
open_secrets(const char *path)
{
	static const struct {
		const char *text;
		mode_t mode;
		const char *says;
	} with[] = {
		{"fabric: {m_key: 0x5}\n", 0640, NULL},
		{"fabric: {sm_key: 0x1, priority: 3}\n", 0644, NULL},
		{"sa: {trust_key: 0x1}\n", 0644, NULL},
		{"fabric: {m_keys_known: [0x1, 0x0]}\n", 0644, NULL},
		{"fabric: {m_key: 0x5}\n", 0644, "fabric.m_key is secret"},
		{"fabric: {m_keys_known: [0x5]}\n", 0604,
			"fabric.m_keys_known is secret"},
		{"fabric: {sm_key: 0x5}\n", 0666, "fabric.sm_key is secret"},
		{"sa: {trust_key: 0x5}\n", 0644, "sa.trust_key is secret"},
	};

	for (size_t i = 0; i < sizeof(with) / sizeof(with[0]); i++) {
		FILE *f = fopen(path, "w");
		struct buf says = {0};
		struct diag_list d;
		struct config *c;

		(void)fputs(with[i].text, f);
		ck_assert_int_eq(fclose(f), 0);
		ck_assert_int_eq(chmod(path, with[i].mode), 0);
		c = config_load(path, true, engines, &d);
		ck_assert_int_eq(c == NULL, with[i].says != NULL);
		diag_text(&d, &says);
		if (with[i].says != NULL) {
			ck_assert_ptr_nonnull(strstr(says.text, with[i].says));
			ck_assert_ptr_nonnull(strstr(says.text, "chmod o= "));
			ck_assert_ptr_nonnull(strstr(says.text, path));
		}
		buf_free(&says);
		diag_free(&d);
		config_unref(c);
		ck_assert_int_eq(unlink(path), 0);
	}
}

/* What others may see: that a key is set, and still a configuration. */
TEST(test_show)
{
	AUTO(config)
	struct config *c =
		parse_config("fabric: {m_key: 0x5eed, m_keys_known: [0xfeed], "
			     "sm_key: 0x1}\n");
	AUTO(buf) struct buf out = {0};
	AUTO(diag_list) struct diag_list d;
	AUTO(config) struct config *back = NULL;

	config_show(c, &out);
	ck_assert_ptr_null(strstr(out.text, "5eed"));
	ck_assert_ptr_null(strstr(out.text, "feed"));
	ck_assert_ptr_nonnull(
		strstr(out.text, "# fabric.m_key is set, and not shown\n"));
	ck_assert_ptr_null(strstr(out.text, "sm_key is set"));
	back = config_parse("show", out.text, out.n, engines, &d);
	ck_assert_ptr_nonnull(back);
}

/* Files that cannot be read are mistakes like others, never a crash. */
TEST(test_files)
{
	char dir[] = "/tmp/heddle-config-XXXXXX", path[64];
	struct buf says = {0};
	struct diag_list d;
	FILE *f;
	size_t i;

	ck_assert_ptr_nonnull(mkdtemp(dir));
	(void)snprintf(path, sizeof(path), "%s/f", dir);
	ck_assert_ptr_null(config_load(path, true, engines, &d));
	diag_text(&d, &says);
	ck_assert_ptr_nonnull(
		strstr(says.text, "/f: error: cannot be read: No such file"));
	buf_free(&says);
	diag_free(&d);

	ck_assert_ptr_null(config_load(dir, true, engines, &d));
	diag_text(&d, &says);
	ck_assert_ptr_nonnull(strstr(says.text, "cannot be read: Is a dir"));
	buf_free(&says);
	diag_free(&d);

	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert_ptr_null(config_load(path, true, engines, &d));
	diag_text(&d, &says);
	ck_assert_ptr_nonnull(strstr(says.text, "not a regular file"));
	buf_free(&says);
	diag_free(&d);
	ck_assert_int_eq(unlink(path), 0);

	open_secrets(path);
	f = fopen(path, "w");
	for (i = 0; i < 10 * 1024; i++)
		(void)fprintf(f, "%1023s\n", "#");
	ck_assert_int_eq(fclose(f), 0);
	ck_assert_ptr_null(config_load(path, true, engines, &d));
	diag_text(&d, &says);
	ck_assert_ptr_nonnull(
		strstr(says.text, "/f: error: larger than 4 MiB"));
	buf_free(&says);
	diag_free(&d);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(rmdir(dir), 0);
}

TEST(test_diff)
{
	struct config *a = parse_config("fabric: {m_key: 0x1}");
	AUTO(config)
	struct config *b = parse_config("fabric: {m_key: 0x2}\n"
					"sweep: {interval: 20s}\n"
					"log: {level: info}\n"
					"state: {dir: /x}\n"
					"routing: {updn: {roots: [0x3]}}\n");
	static const struct {
		const char *key;
		enum schema_reload reload;
		const char *was, *is;
	} want[] = {
		{"fabric.m_key", SCHEMA_RESWEEP, "(secret)", "(secret)"},
		{"routing.updn.roots", SCHEMA_REROUTE, "[]",
			"[0x0000000000000003]"},
		{"sweep.interval", SCHEMA_LIVE, "10s", "20s"},
		{"state.dir", SCHEMA_RESTART, "/var/lib/heddle", "/x"},
	};
	struct config_changes ch;
	size_t i;

	config_diff(a, b, &ch);
	ck_assert_uint_eq(ch.n, sizeof(want) / sizeof(want[0]));
	for (i = 0; i < ch.n; i++) {
		ck_assert_str_eq(ch.item[i].key, want[i].key);
		ck_assert_int_eq((int)ch.item[i].reload, (int)want[i].reload);
		ck_assert_str_eq(ch.item[i].was, want[i].was);
		ck_assert_str_eq(ch.item[i].is, want[i].is);
	}
	ck_assert_uint_eq(ch.of[SCHEMA_LIVE], 1);
	ck_assert_uint_eq(ch.of[SCHEMA_REROUTE], 1);
	ck_assert_uint_eq(ch.of[SCHEMA_RESWEEP], 1);
	ck_assert_uint_eq(ch.of[SCHEMA_RESTART], 1);
	config_changes_free(&ch);
	ck_assert_ptr_eq(config_ref(a), a);
	config_unref(a);
	ck_assert_uint_eq(a->fabric.m_key, 1); /* still one reference */
	config_unref(a);
	config_unref(NULL);
}

/* 0 is the same in any base; 12 may be meant as either. */
TEST(test_zero_is_hexadecimal)
{
	AUTO(config)
	struct config *c = parse_config("fabric: {m_key: 0, sm_key: 0}\n"
					"sa: {trust_key: 0}\n");

	ck_assert_uint_eq(c->fabric.sm_key, 0);
	must_be_fixpoint(c);
}

TEST(test_budget)
{
	AUTO(config)
	struct config *c = parse_config(
		"fabric: {lmc: {hosts: 2}, lmc_override: {0x1: 3, 0x2: 0},"
		" lids: {first: 100, last: 199}}");
	AUTO(buf) struct buf out = {0};

	config_budget(c, &out);
	ck_assert_str_eq(out.text, "LIDs to give out: 100 (100 to 199)\n"
				   "each host port: 4 (lmc 2)\n"
				   "each enhanced switch port 0: 1 (lmc 0)\n"
				   "each router port: 1 (lmc 0)\n"
				   "each aggregation node port: 1 (lmc 0)\n"
				   "2 ports with an lmc of their own: 9\n");
}

/* Damaged files end in a configuration or in complaints, nothing else. */
TEST(test_damage)
{
	struct rng rng = {SEED};
	unsigned round;

	for (round = 0; round < ROUNDS; round++) {
		AUTO(mem) char *text = mem_dup(full, sizeof(full));
		size_t n = sizeof(full) - 1 - rng_below(&rng, 20) * 7;
		unsigned hits = 1 + rng_below(&rng, 4);
		AUTO(diag_list) struct diag_list d;
		AUTO(config) struct config *c = NULL;

		while (hits-- > 0)
			text[rng_below(&rng, (uint32_t)n)] =
				"\t \n:{}[]#&*'\"\\-x0\xc3"[rng_below(
					&rng, 19)];
		c = config_parse("t.yaml", text, n, engines, &d);
		ck_assert_msg((c == NULL) == (diag_count(&d) > 0),
			"seed %d round %u", SEED, round);
		if (c != NULL)
			must_be_fixpoint(c);
	}
}

TEST(test_examples)
{
	const char *dir = source_path("config/examples");
	DIR *d = opendir(dir);
	struct dirent *e;
	size_t n = 0;

	ck_assert_msg(d != NULL, "%s", dir);
	while ((e = readdir(d)) != NULL) {
		struct buf path = {0}, says = {0};
		struct diag_list list;
		struct config *c;

		if (strstr(e->d_name, ".yaml") == NULL)
			continue;
		buf_printf(&path, "%s/%s", dir, e->d_name);
		c = config_load(path.text, true, engines, &list);
		diag_text(&list, &says);
		ck_assert_msg(c != NULL, "%s", says.n > 0 ? says.text : "");
		must_be_fixpoint(c);
		config_unref(c);
		diag_free(&list);
		buf_free(&path);
		buf_free(&says);
		n++;
	}
	ck_assert_uint_ge(n, 1);
	ck_assert_int_eq(closedir(d), 0);
}

/* ---- options of modules ---- */

static const struct schema_option twice_rows[] = {
	{.key = "roots",
		.type = SCHEMA_INT,
		.max = 9,
		.def = "1",
		.help = "It has a name that another module's option has."},
};
static const struct schema twice_schema = {
	"routing.updn", twice_rows, 1, sizeof(uint32_t)};

TEST(test_declared_twice)
{
	static const struct schema_module twice = {
		.name = "other", .options = &twice_schema};
	static const struct schema_module *const all[] = {
		&engine_updn.module, &twice, NULL};
	AUTO(diag_list) struct diag_list d;

	ck_assert_ptr_null(config_parse("t.yaml", "", 0, all, &d));
	ck_assert_uint_eq(diag_count(&d), 1);
	ck_assert_str_eq(d.item[0].message,
		"routing.updn.roots is declared by two modules");
}

/* A configuration without modules knows neither their names nor sections. */
TEST(test_no_modules)
{
	static const char text[] = "routing: {engines: [some], updn: {}}\n";
	AUTO(diag_list) struct diag_list d;
	struct config *c = config_default(NULL);

	ck_assert_uint_eq(c->nown, 0);
	ck_assert_uint_eq(qos_layers(c), 1);
	config_unref(c);
	ck_assert_ptr_null(
		config_parse("t.yaml", text, sizeof(text) - 1, NULL, &d));
	ck_assert_uint_eq(diag_count(&d), 1);
	ck_assert_ptr_nonnull(strstr(d.item[0].message, "updn"));
}

/* The manual page holds exactly what the tables say. */
TEST(test_manual)
{
	AUTO(buf) struct buf want = {0};

	config_mdoc(registry_modules(), &want);
	ck_assert_ptr_null(strstr(want.text, ": \n")); /* a section's title */
	manual_expect("man/heddle.yaml.5", "OPTIONS", &want);
}

TEST(test_json_schema)
{
	AUTO(buf) struct buf out = {0};
	json_t *j, *p;
	const struct options_section *s;
	size_t n, i, k;

	config_json_schema(engines, &out);
	j = json_loads(out.text, 0, NULL);
	ck_assert_ptr_nonnull(j);
	s = options_all(&n);
	for (i = 0; i < n; i++) {
		for (k = 0; k < s[i].schema->n; k++) {
			char name[128], *save = NULL, *w;

			(void)snprintf(name, sizeof(name), "%s.%s",
				s[i].schema->path, s[i].schema->option[k].key);
			p = j;
			for (w = strtok_r(name, ".", &save); w != NULL;
				w = strtok_r(NULL, ".", &save)) {
				p = json_object_get(p, "properties");
				p = json_object_get(p, w);
			}
			ck_assert_msg(json_is_string(json_object_get(
					      p, "description")),
				"%s", s[i].schema->option[k].key);
			ck_assert(json_object_get(p, "type") != NULL ||
				  json_object_get(p, "enum") != NULL);
		}
	}
	json_decref(j);
}
