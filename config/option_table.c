#include "config/option_table.h"

#include "config/config.h"
#include "config/partition_options.h"
#include "config/qos_options.h"
#include "config/sa_options.h"
#include "sm/mad/port_values.h"

#define MS UINT64_C(1000000)
#define SECOND (1000 * MS)
#define MINUTE (60 * SECOND)
#define HOUR (60 * MINUTE)

static const char *const vl_counts[] = {"1", "2", "4", "8", "15", NULL};
static const char *const methods[] = {
	"auto", "static", "break-ports", "break-dependencies", "dynamic", NULL};
static const char *const foreign[] = {"off", "alarm", NULL};
static const char *const prefers[] = {"default", "flat", NULL};
static const char *const bys[] = {"sl", "lid", NULL};
static const char *const names[] = {"pinned", "trusted", NULL};
static const char *const actions[] = {"none", "tell", "drain", NULL};
static const char *const levels[] = {"error", "warn", "info", "debug", NULL};

static const struct schema_option fabric[] = {
	{SCHEMA_ROW(config_fabric, port, PORT), .def = "auto",
		.reload = SCHEMA_RESTART, .opensm = "guid",
		.help = "The local port to manage the fabric from. "
			"auto takes the first InfiniBand port whose link is "
			"up; DEVICE/PORT, such as mlx5_0/1, or a port GUID "
			"names one. The port of a planarized adapter is in two "
			"devices, with QP0 and with QP1: either names both."},
	{SCHEMA_ROW(config_fabric, subnet_prefix, HEX),
		.def = "0xfe80000000000000", .opensm = "subnet_prefix",
		.help = "The upper half of every GID. Fabrics joined by "
			"routers need different ones. Changing it ends all "
			"connections: see fabric.accept_loss."},
	{SCHEMA_ROW(config_fabric, lmc.hosts, INT), .max = 7, .def = "0",
		.unit = "2^n LIDs", .opensm = "lmc",
		.help = "LMC of host ports: each has 2^n LIDs, and as many "
			"paths lead to it. Changing this or another LMC "
			"gives ports other LIDs: see fabric.accept_loss."},
	{SCHEMA_ROW(config_fabric, lmc.switches, INT), .max = 7, .def = "0",
		.unit = "2^n LIDs", .opensm = "lmc_esp0",
		.help = "LMC of enhanced switch ports 0. "
			"Base ports 0 always have one LID."},
	{SCHEMA_ROW(config_fabric, lmc.routers, INT), .max = 7, .def = "0",
		.unit = "2^n LIDs", .help = "LMC of router ports."},
	{SCHEMA_ROW(config_fabric, lmc.aggregation, INT), .max = 7, .def = "0",
		.unit = "2^n LIDs",
		.help = "LMC of the aggregation nodes inside switches."},
	{SCHEMA_ROW(config_fabric, lmc_override, GUID_INTS), .max = 7,
		.def = "{}", .unit = "2^n LIDs",
		.help = "LMC of single ports, by port GUID, instead of that "
			"of their class."},
	{SCHEMA_ROW(config_fabric, lids.first, INT), .min = 1,
		.max = LID_UNICAST_MAX, .def = "1",
		.help = "The lowest LID to give out. Ports below it get "
			"another LID: see fabric.accept_loss."},
	{SCHEMA_ROW(config_fabric, lids.last, INT), .min = 1,
		.max = LID_UNICAST_MAX, .def = "0xbfff",
		.help = "The highest LID to give out, not below lids.first."},
	{SCHEMA_ROW(config_fabric, priority, INT), .max = 15, .def = "0",
		.reload = SCHEMA_LIVE, .opensm = "sm_priority",
		.help = "Priority among subnet managers. The highest becomes "
			"master, at equal priority the lowest port GUID, "
			"also if it starts last: the master hands over to "
			"it."},
	{SCHEMA_ROW(config_fabric, m_key, HEX), .def = "0x0", .secret = true,
		.reload = SCHEMA_RESWEEP, .opensm = "m_key",
		.help = "The M_Key that is written to ports and sent with "
			"requests. 0 means none. Make a file that contains a "
			"key unreadable to other users."},
	{SCHEMA_ROW(config_fabric, m_keys_known, KEYS), .max = 7, .def = "[]",
		.secret = true, .reload = SCHEMA_RESWEEP,
		.help = "M_Keys that ports may have besides m_key: of another "
			"manager, or from before a restart. They are tried, in "
			"this order, on ports that do not take m_key, which is "
			"then written to them."},
	{SCHEMA_ROW(config_fabric, m_key_protection, INT), .max = 3, .def = "1",
		.reload = SCHEMA_RESWEEP, .opensm = "m_key_protection_level",
		.help = "M_KeyProtectBits of ports, where m_key is not 0. "
			"0: every host can read the key. 1: it is hidden. 2 "
			"and 3: the port answers no request without it, and "
			"diagnostic tools need it."},
	{SCHEMA_ROW(config_fabric, m_key_lease, DURATION), .min = 3 * SECOND,
		.max = 65535 * SECOND, .zero_off = true, .def = "60s",
		.reload = SCHEMA_RESWEEP, .opensm = "m_key_lease_period",
		.help = "M_KeyLeasePeriod of ports: this long after a request "
			"with a wrong key a port drops its protection, unless "
			"one with the right key comes. heddled sends one to "
			"each port three times in that time. 0: the "
			"protection stays when all managers are lost."},
	{SCHEMA_ROW(config_fabric, sm_key, HEX), .def = "0x1", .secret = true,
		.reload = SCHEMA_LIVE, .opensm = "sm_key",
		.help = "The SM_Key that all subnet managers of a fabric "
			"share. A manager with another key is not obeyed, nor "
			"handed over to, and nothing is written where it is "
			"master. The default is that of OpenSM; it and 0 are "
			"no secrets and are shown to all. Any other key is "
			"shown only to managers that have shown it, and by a "
			"standby to its master. OpenSM shows a key only when "
			"it is asked, so that beside OpenSM the default is the "
			"key to use."},
	{SCHEMA_ROW(config_fabric, partition_enforcement, BOOL), .def = "true",
		.opensm = "part_enforce no_partition_enforcement",
		.help = "Where partitions are configured, have switches "
			"discard packets from or to a host with a P_Key that "
			"the host does not have."},
	{SCHEMA_ROW(config_fabric, accept_loss, INT), .min = 0, .max = 1000000,
		.def = "0", .unit = "ports", .reload = SCHEMA_LIVE,
		.help = "How many ports a reload may take something from: "
			"another port that they may talk to, by a change of "
			"partitions; a LID, by a change of LMCs or of "
			"fabric.lids; their GIDs, by another "
			"fabric.subnet_prefix. A reload that takes from more "
			"is refused, and the log says who loses what; a "
			"daemon that is started with such a file keeps what "
			"was in force before. --check-config and heddlectl "
			"plan --config tell it before. A change of routing "
			"takes nothing: tables are written only if they "
			"reach every port that has a path."},
	{SCHEMA_ROW(config_fabric, names, ENUM),
		.choices = names, /* as enum config_names */
		.def = "pinned",
		.help = "What a name or pattern means as a member of a "
			"partition or in a QoS rule. A node names itself, and "
			"root on any host can change its name. pinned resolves "
			"names to node GUIDs when a configuration that has "
			"them is loaded, and keeps the result over restarts; a "
			"node that matches later, or no longer, changes "
			"nothing: it is an alarm, until heddlectl partitions "
			"accept takes it over. trusted follows the names at "
			"once: any host can join any partition that names its "
			"members."},
	{SCHEMA_ROW(config_fabric, expected, STRING), .max = 4000,
		.def = "none", .reload = SCHEMA_LIVE,
		.help = "A file with the cabling as it was planned, with which "
			"each view of the fabric is compared; none: there is "
			"no such file. A path that does not begin with / "
			"starts at the directory of the configuration. The "
			"file is what ibnetdiscover prints, or an NDT file "
			"(CSV) as UFM takes it; heddlectl verify --write "
			"makes one of the fabric as it is. What differs is "
			"told by heddlectl verify, by events and by "
			"heddle_deviations. A reload reads the file again, "
			"and is refused if it cannot be used. A daemon that "
			"is started with such a file manages the fabric all "
			"the same, and raises an alarm."},
};

static const struct schema_option routing[] = {
	{SCHEMA_ROW(config_routing, engines, NAMES), .opensm = "routing_engine",
		.help = "Routing engines in order of preference. If one "
			"cannot route the fabric, or its tables fail "
			"verification, the next one is tried; after the last "
			"one comes updn, which routes any connected fabric. "
			"heddle-routing(7) says what each of them is for, "
			"and which OpenSM's are."},
	{SCHEMA_ROW(config_routing, load_limit, FACTOR), .min = 1000,
		.max = 100000, .def = "1.25",
		.unit = "times the load of fresh tables", .reload = SCHEMA_LIVE,
		.help = "When the fabric changes, table entries are kept "
			"while the busiest link carries at most this many "
			"times what it would carry with tables computed "
			"afresh. Links of hosts count, too. A pair of hosts "
			"counts more on a link that is slower than the "
			"fastest, by their rates. heddlectl rebalance asks "
			"for fresh tables."},
	{SCHEMA_ROW(config_routing, threads, INT), .max = 64, .def = "0",
		.unit = "threads", .reload = SCHEMA_LIVE,
		.help = "Threads that compute and verify routes; the routes "
			"are the same with any number. 0: as many as there "
			"are processor cores, but no more than 4."},
	{SCHEMA_ROW(config_routing, foreign_adaptive, ENUM),
		.choices = foreign, /* as enum config_adaptive */
		.def = "off",
		.help = "What to do about switches that another subnet "
			"manager left with adaptive routing, hash-based "
			"forwarding, fast recovery or private forwarding "
			"tables: they do not forward by the verified routes. "
			"off switches it off when this daemon becomes master, "
			"and whenever such a switch appears, before any "
			"forwarding table is written; a switch that does not "
			"obey is an alarm. alarm writes nothing and raises the "
			"alarm. Only NVIDIA's switches from SwitchX on are "
			"asked."},
};

static const struct schema_option adaptive[] = {
	{SCHEMA_ROW(config_adaptive_use, enabled, BOOL), .def = "false",
		.help = "Let switches that can do so choose, packet by packet, "
			"among all ports from which routes lead to a "
			"destination (adaptive routing). Packets of one flow "
			"may overtake each other then, which hosts have to "
			"bear. Tables are written and verified as without; "
			"groups of ports follow when the fabric is up. A "
			"switch without adaptive routing that is known here "
			"forwards by its table, and is named in the status. "
			"Only NVIDIA's switches from SwitchX on are asked; "
			"what another subnet manager left on is switched off "
			"first, whatever routing.foreign_adaptive says. After "
			"a restart groups that are still those wanted are read "
			"back, and stay."},
	{SCHEMA_ROW(config_adaptive_use, by, ENUM),
		.choices = bys, /* as enum config_adaptive_by */
		.def = "sl",
		.help = "What tells packets that may choose from those that "
			"stay in order. sl: their service level. lid: the LID "
			"that they are sent to, whatever their QoS level: the "
			"base LID of a host plus an odd number may choose, the "
			"base LID and every second one after it do not. Needs "
			"fabric.lmc.hosts of 1 or more; a host with LMC 0 "
			"(fabric.lmc_override) is reached in order alone. A "
			"path query gets LIDs of the first kind where its QoS "
			"level is adaptive, and else of the second, unless it "
			"names a LID."},
	{SCHEMA_ROW(config_adaptive_use, prefer, ENUM),
		.choices = prefers, /* as enum config_prefer */
		.def = "default",
		.help = "default: a packet takes the port of the forwarding "
			"table until that is congested, so that traffic for "
			"which the tables are free of contention stays so. "
			"flat: all ports are alike, as with switches whose "
			"groups have no sub-groups."},
	{SCHEMA_ROW_AS("ageing", config_adaptive_use, ageing_us, INT),
		.max = 1000000, .def = "0", .unit = "microseconds",
		.help = "A flow keeps its port until it has paused this long, "
			"so that packets which follow each other closely stay "
			"in order. 0: every packet may take another port."},
	{SCHEMA_ROW(config_adaptive_use, sls, INT), .max = 0xffff,
		.def = "0xffff",
		.help = "Service levels whose packets may choose; SL n is "
			"bit n: 0x6 is SLs 1 and 2. With QoS levels only "
			"those of adaptive levels do. Where not all may "
			"choose, a switch that cannot tell service levels "
			"apart forwards by its table."},
	{SCHEMA_ROW(config_adaptive_use, escapes, DEVICES), .def = "[]",
		.help = "Switches, as VENDOR or VENDOR:DEVICE in hexadecimal, "
			"whose maker says that a packet chooses its port when "
			"it leaves, and that half of each input buffer is kept "
			"for packets that came by the forwarding table. No "
			"switch tells that it does. Among such switches "
			"packets may take every shortest path. A switch that "
			"is listed and does not lets packets wait for each "
			"other for ever. Where the proof of these paths fails, "
			"the status says why, and the switches choose as all "
			"others do."},
};

static const struct schema_option multi_port[] = {
	{SCHEMA_ROW(config_multi_port, groups, GUID_INTS), .max = 65535,
		.def = "{}",
		.help = "Ports that stand in for each other, by port GUID: "
			"ports with the same number get paths over different "
			"switches, as the ports of one node always do. A port "
			"is in one group; a port that is not in the fabric, or "
			"is alone in its group, is named in the log and in the "
			"status."},
	{SCHEMA_ROW(config_multi_port, passive, GUIDS), .def = "[]",
		.help = "GUIDs of ports that are idle until the other ports of "
			"their group or node have failed: their paths are "
			"balanced last. When all the others are gone they "
			"count as active."},
};

static const struct schema_option distribution[] = {
	{SCHEMA_ROW(config_distribution, method, ENUM),
		.choices = methods, /* as enum transition_method_kind */
		.def = "auto",
		.help = "How new tables are written to the switches while "
			"traffic flows. auto writes directly where no mixture "
			"of old and new tables can deadlock, else in stages, "
			"else with the fewest dependencies (from one port of a "
			"switch to another) blocked meanwhile. static takes "
			"all ports to Init, break-ports some, "
			"break-dependencies blocks every dependency that the "
			"new switch order forbids; tables that obey no order "
			"of switches, such as those of dor, are written as by "
			"auto then. dynamic writes in any order and can "
			"deadlock."},
	{SCHEMA_ROW(config_distribution, allow_unsafe, BOOL), .def = "false",
		.help = "Permit distribution.method dynamic, which is an error "
			"without this."},
	{SCHEMA_ROW(config_distribution, max_stages, INT), .min = 1, .max = 64,
		.def = "8", .unit = "stages",
		.help = "Dependencies are blocked only where more stages than "
			"this would be needed, or, while the switch order "
			"changes, where stages would send more packets back "
			"and forth than blocked dependencies would discard."},
	{SCHEMA_ROW(config_distribution, drain, DURATION), .min = MS,
		.max = MINUTE, .zero_off = true, .def = "50ms",
		.help = "How long packets sent by older tables may be under "
			"way. This time is waited between stages, before and "
			"after dependencies are blocked, and after entries "
			"were set to discard because they are in a table with "
			"unknown content or lead to one, or to a switch that "
			"cannot be written."},
	{SCHEMA_ROW(config_distribution, strict_drain, BOOL), .def = "false",
		.help = "Instead of distribution.drain, wait as long as the "
			"lifetimes of packets in queues and switches allow on "
			"the longest path."},
	{SCHEMA_ROW(config_distribution, block_limit, DURATION), .min = SECOND,
		.max = HOUR, .def = "60s",
		.help = "A dependency that is still blocked after this time "
			"raises an alarm."},
};

static const struct schema_option roles[] = {
	{SCHEMA_ROW(config_roles, leaf, SWITCHES), .max = 64, .def = "[]",
		.help = "The leaf switches, by GUID, by name "
			"(NodeDescription), or by a pattern of names such as "
			"\"SW-L*\". A GUID takes precedence over a name, a "
			"name over a pattern, a longer pattern over a shorter "
			"one. A switch in no list is placed by the role that "
			"it reports (discovery.role_attribute), by the order "
			"in force, and by its hosts and links."},
	{SCHEMA_ROW(config_roles, spine, SWITCHES), .max = 64, .def = "[]",
		.help = "The switches between the leaves and the top of the "
			"tree, given as in routing.roles.leaf."},
	{SCHEMA_ROW(config_roles, root, SWITCHES), .max = 64, .def = "[]",
		.help = "The switches at the top of the tree, given as in "
			"routing.roles.leaf."},
};

static const struct schema_option discovery[] = {
	{SCHEMA_ROW(config_discovery, role_attribute, DEVICES), .def = "[]",
		.help = "The switches that are asked for their role in the "
			"tree, a vendor attribute (0xFFE0), as VENDOR or "
			"VENDOR:DEVICE. No other switch is asked. An answer "
			"without the attribute's signature is ignored, and "
			"shown in the status."},
};

static const struct schema_option sweep[] = {
	{SCHEMA_ROW(config_sweep, interval, DURATION), .min = SECOND,
		.max = 24 * HOUR, .zero_off = true, .def = "10s",
		.opensm = "sweep_interval",
		.help = "How often all switches are asked whether a port "
			"changed, in case a trap was lost. 0: never; then "
			"links that fail without a trap go unnoticed, and so "
			"do tables that something else modified."},
	{SCHEMA_ROW(config_sweep, hold_down, DURATION), .max = MINUTE,
		.def = "50ms",
		.help = "How long to wait after a trap for others that belong "
			"to the same event before probing."},
};

static const struct schema_option health[] = {
	{SCHEMA_ROW(config_health, enabled, BOOL), .def = "false",
		.help = "Read the performance counters of all cabled ports "
			"and say which links are bad: heddlectl links. This "
			"takes at most 2500 requests a second to the "
			"performance agents, and none while anything else is "
			"going on. Counters are never cleared."},
	{SCHEMA_ROW(config_health, interval, DURATION), .min = SECOND,
		.max = HOUR, .def = "30s",
		.help = "How often every port is asked. Where one pass takes "
			"longer, the next one follows at once."},
	{SCHEMA_ROW(config_health, ber_limit, INT), .min = 6, .max = 18,
		.def = "12", .unit = "10^-n errors per bit",
		.help = "A link is bad if one of its ports counted more symbol "
			"errors in an hour than this part of the bits that it "
			"carries in an hour. Symbol errors are what the error "
			"correction of the link left: this is the effective "
			"bit error ratio."},
	{SCHEMA_ROW(config_health, raw_ber_limit, INT), .max = 18, .def = "0",
		.unit = "10^-n errors per bit",
		.help = "The same for the errors before correction, where they "
			"are known: of links of FDR and faster what their "
			"devices say that they corrected or detected, and "
			"symbol errors of links up to QDR. Links work with "
			"many of them: 5 or 6 finds "
			"cables that will fail. 0: any number is allowed."},
	{SCHEMA_ROW(config_health, flap_limit, INT), .max = 100, .def = "3",
		.unit = "times in 10 minutes",
		.help = "A link that went down so many times in 10 minutes is "
			"bad. 0: any number is allowed."},
	{SCHEMA_ROW(config_health, recovery_limit, INT), .max = 100,
		.def = "10", .unit = "times an hour",
		.help = "A link that retrained so many times in an hour, "
			"without going down, is bad. 0: any number is "
			"allowed."},
	{SCHEMA_ROW(config_health, action, ENUM),
		.choices = actions, /* as enum config_health_action */
		.def = "tell",
		.help = "What to do about a link that turns bad, or good "
			"again. "
			"none: it is only listed as bad. tell: it is an event, "
			"and logged, too. drain: no route leads over it, "
			"either, until nothing was wrong with it for "
			"health.quiet_time; but never over the last link to "
			"anything, nor where a node with several ports would "
			"get a single point of failure, nor over more than "
			"2 % of the links between switches of a tier, that of "
			"their lower end, rounded down, but at least one; a "
			"drained link counts while it is down, too. What is "
			"not drained for such a reason is an event, too."},
	{SCHEMA_ROW(config_health, quiet_time, DURATION), .min = SECOND,
		.max = 24 * HOUR, .def = "1h",
		.help = "For how long nothing must have been wrong with a link "
			"that was drained for its health before it is used "
			"again. It doubles each time that the link turns bad "
			"again. Where an administrator has taken the drain "
			"back, the link is not drained again for that time."},
	{SCHEMA_ROW(config_health, quiet_time_max, DURATION), .min = SECOND,
		.max = 240 * HOUR, .def = "24h",
		.help = "The longest that health.quiet_time becomes by "
			"doubling; if it is the shorter of the two, nothing "
			"is doubled. A link that has been in use for this "
			"time, and nothing was wrong with it, begins with "
			"health.quiet_time again."},
	{SCHEMA_ROW(config_health, port_metrics, BOOL), .def = "false",
		.help = "Have heddlectl metrics tell the counters of every "
			"port, too, under the names of infiniband_exporter. "
			"Data and packets are read in 64 bits then, which "
			"takes a second request per port of most devices."},
};

static const struct schema_option smp[] = {
	{SCHEMA_ROW(config_smp, timeout, DURATION), .min = MS, .max = MINUTE,
		.def = "200ms", .opensm = "transaction_timeout",
		.help = "How long to wait for the answer to a management "
			"packet before it is sent again."},
	{SCHEMA_ROW(config_smp, retries, INT), .max = 15, .def = "3",
		.opensm = "transaction_retries",
		.help = "How many times a packet without answer is sent "
			"again."},
	{SCHEMA_ROW(config_smp, window_max, INT), .min = 1, .max = 4096,
		.def = "64", .unit = "packets", .opensm = "max_wire_smps",
		.help = "The most packets in flight at once. "
			"The window below this adapts to losses."},
	{SCHEMA_ROW(config_smp, target_max, INT), .min = 1, .max = 256,
		.def = "4", .unit = "packets",
		.help = "The most packets in flight to one node."},
	{SCHEMA_ROW(config_smp, lid_routed, BOOL), .def = "true",
		.help = "Send packets that write tables by LID where tables "
			"and ports are proven to carry the packet there and "
			"its answer back; a packet without answer is sent "
			"again by directed route. With false, and where "
			"LID-routed packets are never answered, all packets "
			"use directed routes."},
};

static const struct schema_option standby[] = {
	{SCHEMA_ROW(config_standby, poll_interval, DURATION), .min = 100 * MS,
		.max = HOUR, .def = "1s", .opensm = "sminfo_polling_timeout",
		.help = "How often a standby asks the master whether it is "
			"alive, with one packet each time. An answer is "
			"waited for as long as smp.timeout says, but not "
			"longer than this; a value that is given must not be "
			"below smp.timeout."},
	{SCHEMA_ROW(config_standby, missed_polls, INT), .min = 1, .max = 100,
		.def = "3", .opensm = "polling_retry_number",
		.help = "After how many polls without answer in a row a "
			"standby looks for a new master."},
	{SCHEMA_ROW(config_standby, refresh, DURATION), .min = SECOND,
		.max = 24 * HOUR, .zero_off = true, .def = "60s",
		.help = "How often a standby reads the fabric, so that it can "
			"tell about topology and routes and serve hosts as "
			"soon as it takes over: topology, LIDs and P_Keys each "
			"time, forwarding tables in turns. It writes nothing. "
			"0: never."},
};

static const struct schema_option link[] = {
	{SCHEMA_ROW(config_link, subnet_timeout, INT), .max = 31, .def = "18",
		.unit = "4.096us x 2^n", .opensm = "subnet_timeout",
		.help = "The longest time that a packet may need through the "
			"fabric, written to every port with a LID; 18 is "
			"1.07 s."},
	{SCHEMA_ROW(config_link, packet_lifetime, INT), .max = 31, .def = "18",
		.unit = "4.096us x 2^n", .opensm = "packet_life_time",
		.help = "How long a packet may stay in a switch before it is "
			"dropped, written to every switch. 20 or more: no "
			"limit."},
	{SCHEMA_ROW(config_link, hoq_lifetime, INT), .max = 31, .def = "18",
		.unit = "4.096us x 2^n", .opensm = "head_of_queue_lifetime",
		.help = "How long a packet may wait at the head of a queue "
			"towards another switch. 20 or more: no limit."},
	{SCHEMA_ROW(config_link, leaf_hoq_lifetime, INT), .max = 31,
		.def = "16", .unit = "4.096us x 2^n",
		.opensm = "leaf_head_of_queue_lifetime",
		.help = "The same as link.hoq_lifetime, towards a host, "
			"router or aggregation node. Shorter (16 is 0.27 s), "
			"so that one slow host does not hold up a switch."},
	{SCHEMA_ROW(config_link, vl_stall_count, INT), .max = 7, .def = "7",
		.unit = "packets", .opensm = "vl_stall_count",
		.help = "How many packets in a row may be dropped because of "
			"the head-of-queue lifetime before the VL counts as "
			"stalled."},
	{SCHEMA_ROW(config_link, phy_errors_threshold, INT), .max = 15,
		.def = "8", .unit = "errors",
		.opensm = "local_phy_errors_threshold",
		.help = "After how many errors of the physical layer a port "
			"reports trap 129 (LocalPhyErrors), written to every "
			"port. 0: as the device means it, never or "
			"always."},
	{SCHEMA_ROW(config_link, overrun_errors_threshold, INT), .max = 15,
		.def = "8", .unit = "flow control periods",
		.opensm = "overrun_errors_threshold",
		.help = "After how many flow control periods in a row with "
			"buffer overruns a port reports trap 130 "
			"(OverrunErrors), written to every port. 0 as for "
			"link.phy_errors_threshold."},
	{SCHEMA_ROW(config_link, max_vls, INT), .choices = vl_counts,
		.def = "15", .unit = "data VLs", .opensm = "max_op_vls",
		.help = "The most virtual lanes (VLs) to make operational on "
			"a link. Links that are up keep theirs until they "
			"come up again."},
};

static const struct schema_option state[] = {
	{SCHEMA_ROW(config_state, dir, PATH), .max = 4000,
		.def = "/var/lib/heddle",
		.help = "The directory of the data that must survive a "
			"restart: LIDs, the switch order, and what hosts "
			"registered (services, subscriptions, alias GUIDs)."},
	{SCHEMA_ROW(config_state, events_size, INT), .max = 65536, .def = "64",
		.unit = "MiB",
		.help = "The room for events in the files events and events.1 "
			"of state.dir, see heddle-events(7). "
			"The oldest ones make room for new ones; 0: events are "
			"not written to files."},
};

static const struct schema_option record[] = {
	{SCHEMA_ROW(config_record, dir, PATH), .max = 4000, .zero_off = true,
		.def = "",
		.help = "The directory in which everything is recorded that "
			"comes into the subnet manager, for heddlectl record "
			"and heddle-sim replay, such as "
			"/var/lib/heddle/record. No other daemon may use it, "
			"since the oldest recordings in it are removed. Keys "
			"are masked. It costs about 3 % of the CPU time "
			"while a large fabric comes up, and less at rest; "
			"the manager never waits for it. Empty: nothing is "
			"recorded."},
	{SCHEMA_ROW(config_record, size, INT), .min = 1, .max = 1048576,
		.def = "256", .unit = "MiB",
		.help = "The room for recordings. The oldest ones make room "
			"for new ones. What was recorded since the daemon "
			"started can be replayed as long as all of it has "
			"room."},
};

static const struct schema_option control[] = {
	{SCHEMA_ROW(config_control, socket, PATH),
		.max = 107, /* sun_path, terminated */
		.def = "/run/heddle/heddle.sock",
		.help = "The socket that heddlectl(8) connects to."},
};

static const struct schema_option log_rows[] = {
	{SCHEMA_ROW(config_log, level, ENUM),
		.choices = levels, /* as enum log_level */
		.def = "info",
		.help = "The least severe lines that are logged."},
};

/* The section that is called as the member of struct config that holds it. */
#define SECTION(member, rows, reload)                                          \
	{                                                                      \
		&(const struct schema){#member, rows,                          \
			sizeof(rows) / sizeof((rows)[0]),                      \
			sizeof(((struct config *)0)->member)},                 \
			offsetof(struct config, member), SCHEMA_##reload       \
	}

static const struct options_section sections[] = {
	SECTION(fabric, fabric, REROUTE),
	SECTION(routing, routing, REROUTE),
	SECTION(routing.adaptive, adaptive, REROUTE),
	SECTION(routing.multi_port, multi_port, REROUTE),
	SECTION(routing.roles, roles, REROUTE),
	SECTION(discovery, discovery, RESWEEP),
	SECTION(distribution, distribution, LIVE),
	SECTION(sweep, sweep, LIVE),
	SECTION(health, health, LIVE),
	SECTION(smp, smp, LIVE),
	SECTION(standby, standby, LIVE),
	SECTION(link, link, REROUTE),
	{&sa_schema, offsetof(struct config, sa), SCHEMA_LIVE},
	{&partitions_schema, offsetof(struct config, partitions),
		SCHEMA_REROUTE},
	{&qos_schema, offsetof(struct config, qos), SCHEMA_REROUTE},
	SECTION(state, state, RESTART),
	SECTION(record, record, RESTART),
	SECTION(control, control, RESTART),
	SECTION(log, log_rows, LIVE),
};

const struct options_section *
options_all(size_t *n)
{
	*n = sizeof(sections) / sizeof(sections[0]);
	return sections;
}
