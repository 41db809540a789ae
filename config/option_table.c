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

#define FIELD(section, member) .offset = offsetof(struct section, member)

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
	{.key = "port",
		.type = SCHEMA_PORT,
		FIELD(config_fabric, port),
		.def = "auto",
		.reload = SCHEMA_RESTART,
		.help = "The local port to manage the fabric from. "
			"auto takes the first InfiniBand port whose link is "
			"up; DEVICE/PORT, such as mlx5_0/1, or a port GUID "
			"names one. The port of a planarized adapter is in two "
			"devices, with QP0 and with QP1: either names both."},
	{.key = "subnet_prefix",
		.type = SCHEMA_HEX,
		FIELD(config_fabric, subnet_prefix),
		.def = "0xfe80000000000000",
		.reload = SCHEMA_REROUTE,
		.help = "The upper half of every GID. "
			"Fabrics joined by routers need different ones."},
	{.key = "lmc.hosts",
		.type = SCHEMA_INT,
		FIELD(config_fabric, lmc.hosts),
		.max = 7,
		.def = "0",
		.unit = "2^n LIDs",
		.reload = SCHEMA_REROUTE,
		.help = "LMC of channel adapter ports: how many LIDs, and so "
			"paths, each one gets."},
	{.key = "lmc.switches",
		.type = SCHEMA_INT,
		FIELD(config_fabric, lmc.switches),
		.max = 7,
		.def = "0",
		.unit = "2^n LIDs",
		.reload = SCHEMA_REROUTE,
		.help = "LMC of enhanced switch ports 0. "
			"Base ports 0 always have one LID."},
	{.key = "lmc.routers",
		.type = SCHEMA_INT,
		FIELD(config_fabric, lmc.routers),
		.max = 7,
		.def = "0",
		.unit = "2^n LIDs",
		.reload = SCHEMA_REROUTE,
		.help = "LMC of router ports."},
	{.key = "lmc.aggregation",
		.type = SCHEMA_INT,
		FIELD(config_fabric, lmc.aggregation),
		.max = 7,
		.def = "0",
		.unit = "2^n LIDs",
		.reload = SCHEMA_REROUTE,
		.help = "LMC of the aggregation nodes inside switches."},
	{.key = "lmc_override",
		.type = SCHEMA_GUID_INTS,
		FIELD(config_fabric, lmc_override),
		.max = 7,
		.def = "{}",
		.unit = "2^n LIDs",
		.reload = SCHEMA_REROUTE,
		.help = "LMC of single ports, by port GUID, instead of that "
			"of their class."},
	{.key = "lids.first",
		.type = SCHEMA_INT,
		FIELD(config_fabric, lids.first),
		.min = 1,
		.max = LID_UNICAST_MAX,
		.def = "1",
		.reload = SCHEMA_REROUTE,
		.help = "The lowest LID to give out."},
	{.key = "lids.last",
		.type = SCHEMA_INT,
		FIELD(config_fabric, lids.last),
		.min = 1,
		.max = LID_UNICAST_MAX,
		.def = "0xbfff",
		.reload = SCHEMA_REROUTE,
		.help = "The highest LID to give out, not below lids.first."},
	{.key = "priority",
		.type = SCHEMA_INT,
		FIELD(config_fabric, priority),
		.max = 15,
		.def = "0",
		.reload = SCHEMA_LIVE,
		.help = "Priority among subnet managers. "
			"The highest becomes master; among equals the lowest "
			"GUID. A manager that starts later gets the fabric "
			"handed over."},
	{.key = "m_key",
		.type = SCHEMA_HEX,
		FIELD(config_fabric, m_key),
		.def = "0x0",
		.secret = true,
		.reload = SCHEMA_RESWEEP,
		.help = "The M_Key that is written to ports and sent with "
			"requests. 0 means none. Make a file that contains a "
			"key unreadable to other users."},
	{.key = "m_keys_known",
		.type = SCHEMA_KEYS,
		FIELD(config_fabric, m_keys_known),
		.max = 7,
		.def = "[]",
		.secret = true,
		.reload = SCHEMA_RESWEEP,
		.help = "M_Keys that ports may have besides m_key: of another "
			"manager, or from before a restart. They are tried, in "
			"this order, on ports that do not take m_key, which is "
			"then written to them."},
	{.key = "m_key_protection",
		.type = SCHEMA_INT,
		FIELD(config_fabric, m_key_protection),
		.max = 3,
		.def = "1",
		.reload = SCHEMA_RESWEEP,
		.help = "M_KeyProtectBits of ports, where m_key is not 0. "
			"0: every host can read the key. 1: it is hidden. 2 "
			"and 3: the port answers no request without it, and "
			"diagnostic tools need it."},
	{.key = "m_key_lease",
		.type = SCHEMA_DURATION,
		FIELD(config_fabric, m_key_lease),
		.min = 3 * SECOND,
		.max = 65535 * SECOND,
		.zero_off = true,
		.def = "60s",
		.reload = SCHEMA_RESWEEP,
		.help = "M_KeyLeasePeriod of ports: this long after a request "
			"with a wrong key a port drops its protection, unless "
			"one with the right key comes. heddled sends one to "
			"each port three times in that time. 0: the "
			"protection stays when all managers are lost."},
	{.key = "sm_key",
		.type = SCHEMA_HEX,
		FIELD(config_fabric, sm_key),
		.def = "0x1",
		.secret = true,
		.reload = SCHEMA_LIVE,
		.help = "The SM_Key that all subnet managers of a fabric "
			"share. A manager with another key is not obeyed, nor "
			"handed over to, and nothing is written where it is "
			"master. The default is that of OpenSM; it and 0 are "
			"no secrets and are shown to all. Any other key is "
			"shown only to managers that have shown it, and by a "
			"standby to its master. OpenSM shows a key only when "
			"it is asked, so that beside OpenSM the default is the "
			"key to use."},
	{.key = "partition_enforcement",
		.type = SCHEMA_BOOL,
		FIELD(config_fabric, partition_enforcement),
		.def = "true",
		.reload = SCHEMA_REROUTE,
		.help = "Where partitions are configured, have switches "
			"discard packets from or to a host with a P_Key that "
			"the host does not have."},
	{.key = "accept_loss",
		.type = SCHEMA_INT,
		FIELD(config_fabric, accept_loss),
		.min = 0,
		.max = 1000000,
		.def = "0",
		.unit = "ports",
		.reload = SCHEMA_LIVE,
		.help = "How many ports may lose something when this file is "
			"loaded into a running daemon: another port that they "
			"may talk to now, by a change of partitions, or a LID, "
			"by a change of LMCs. A reload that takes more is "
			"refused, and the log says who loses what; a daemon "
			"that is started with such a file keeps what was in "
			"force before. --check-config and heddlectl plan "
			"--config tell it before. Other options, the routing "
			"engines among them, take nothing: tables are written "
			"only if they reach every port that has a path."},
	{.key = "names",
		.type = SCHEMA_ENUM,
		FIELD(config_fabric, names),
		.choices = names, /* as enum config_names */
		.def = "pinned",
		.reload = SCHEMA_REROUTE,
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
	{.key = "expected",
		.type = SCHEMA_STRING,
		FIELD(config_fabric, expected),
		.max = 4000,
		.def = "none",
		.reload = SCHEMA_LIVE,
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
	{.key = "engines",
		.type = SCHEMA_NAMES,
		FIELD(config_routing, engines),
		.reload = SCHEMA_REROUTE,
		.help = "Routing engines in order of preference. If one cannot "
			"route the fabric, or its tables fail verification, "
			"the next one is tried; up*/down* over the kept switch "
			"order always comes last. heddle-routing(7) says what "
			"each of them is for."},
	{.key = "load_limit",
		.type = SCHEMA_FACTOR,
		FIELD(config_routing, load_limit),
		.min = 1000,
		.max = 100000,
		.def = "1.25",
		.unit = "times the load of fresh tables",
		.reload = SCHEMA_LIVE,
		.help = "Table entries are kept when the fabric changes while "
			"the most loaded link carries at most this many times "
			"what freshly computed tables would give it. Links of "
			"hosts count, too. A pair of hosts counts more on a "
			"link that is slower than the fastest, by their "
			"rates."},
	{.key = "threads",
		.type = SCHEMA_INT,
		FIELD(config_routing, threads),
		.max = 64,
		.def = "0",
		.unit = "threads",
		.reload = SCHEMA_LIVE,
		.help = "Threads that compute and verify routes; the routes "
			"are the same with any number. 0: as many as there "
			"are processor cores, but no more than 4."},
	{.key = "foreign_adaptive",
		.type = SCHEMA_ENUM,
		FIELD(config_routing, foreign_adaptive),
		.choices = foreign, /* as enum config_adaptive */
		.def = "off",
		.reload = SCHEMA_REROUTE,
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
	{.key = "enabled",
		.type = SCHEMA_BOOL,
		FIELD(config_adaptive_use, enabled),
		.def = "false",
		.reload = SCHEMA_REROUTE,
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
	{.key = "by",
		.type = SCHEMA_ENUM,
		FIELD(config_adaptive_use, by),
		.choices = bys, /* as enum config_adaptive_by */
		.def = "sl",
		.reload = SCHEMA_REROUTE,
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
	{.key = "prefer",
		.type = SCHEMA_ENUM,
		FIELD(config_adaptive_use, prefer),
		.choices = prefers, /* as enum config_prefer */
		.def = "default",
		.reload = SCHEMA_REROUTE,
		.help = "default: a packet takes the port of the forwarding "
			"table until that is congested, so that traffic for "
			"which the tables are free of contention stays so. "
			"flat: all ports are alike, as with switches whose "
			"groups have no sub-groups."},
	{.key = "ageing",
		.type = SCHEMA_INT,
		FIELD(config_adaptive_use, ageing_us),
		.max = 1000000,
		.def = "0",
		.unit = "microseconds",
		.reload = SCHEMA_REROUTE,
		.help = "A flow keeps its port until it has paused this long, "
			"so that packets which follow each other closely stay "
			"in order. 0: every packet may take another port."},
	{.key = "sls",
		.type = SCHEMA_INT,
		FIELD(config_adaptive_use, sls),
		.max = 0xffff,
		.def = "0xffff",
		.reload = SCHEMA_REROUTE,
		.help = "Service levels whose packets may choose; SL n is bit "
			"n. With QoS levels only those of adaptive levels "
			"do. Where not all may choose, a switch that "
			"cannot tell service levels apart forwards by its "
			"table."},
};

static const struct schema_option multi_port[] = {
	{.key = "groups",
		.type = SCHEMA_GUID_INTS,
		FIELD(config_multi_port, groups),
		.max = 65535,
		.def = "{}",
		.reload = SCHEMA_REROUTE,
		.help = "Ports that stand in for each other, by port GUID: "
			"ports with the same number get paths over different "
			"switches, as the ports of one node always do. A port "
			"is in one group; a port that is not in the fabric, or "
			"is alone in its group, is named in the log and in the "
			"status."},
	{.key = "passive",
		.type = SCHEMA_GUIDS,
		FIELD(config_multi_port, passive),
		.def = "[]",
		.reload = SCHEMA_REROUTE,
		.help = "GUIDs of ports that are idle until the other ports of "
			"their group or node have failed: their paths are "
			"balanced last. When all the others are gone they "
			"count as active."},
};

static const struct schema_option distribution[] = {
	{.key = "method",
		.type = SCHEMA_ENUM,
		FIELD(config_distribution, method),
		.choices = methods, /* as enum transition_method_kind */
		.def = "auto",
		.reload = SCHEMA_LIVE,
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
	{.key = "allow_unsafe",
		.type = SCHEMA_BOOL,
		FIELD(config_distribution, allow_unsafe),
		.def = "false",
		.reload = SCHEMA_LIVE,
		.help = "Permit distribution.method dynamic, which is an error "
			"without this."},
	{.key = "max_stages",
		.type = SCHEMA_INT,
		FIELD(config_distribution, max_stages),
		.min = 1,
		.max = 64,
		.def = "8",
		.unit = "stages",
		.reload = SCHEMA_LIVE,
		.help = "Dependencies are blocked only where more stages than "
			"this would be needed, or, while the switch order "
			"changes, where stages would send more packets back "
			"and forth than blocked dependencies would discard."},
	{.key = "drain",
		.type = SCHEMA_DURATION,
		FIELD(config_distribution, drain),
		.min = MS,
		.max = MINUTE,
		.zero_off = true,
		.def = "50ms",
		.reload = SCHEMA_LIVE,
		.help = "How long packets sent by older tables may be under "
			"way. This time is waited between stages, before and "
			"after dependencies are blocked, and after entries "
			"were set to discard because they are in a table with "
			"unknown content or lead to one, or to a switch that "
			"cannot be written."},
	{.key = "strict_drain",
		.type = SCHEMA_BOOL,
		FIELD(config_distribution, strict_drain),
		.def = "false",
		.reload = SCHEMA_LIVE,
		.help = "Instead of distribution.drain, wait as long as the "
			"lifetimes of packets in queues and switches allow on "
			"the longest path."},
	{.key = "block_limit",
		.type = SCHEMA_DURATION,
		FIELD(config_distribution, block_limit),
		.min = SECOND,
		.max = HOUR,
		.def = "60s",
		.reload = SCHEMA_LIVE,
		.help = "A dependency that is still blocked after this time "
			"raises an alarm."},
};

static const struct schema_option roles[] = {
	{.key = "leaf",
		.type = SCHEMA_SWITCHES,
		FIELD(config_roles, leaf),
		.max = 64,
		.def = "[]",
		.reload = SCHEMA_REROUTE,
		.help = "The leaf switches, by GUID, by name "
			"(NodeDescription), or by a pattern of names such as "
			"\"SW-L*\". A GUID takes precedence over a name, a "
			"name over a pattern, a longer pattern over a shorter "
			"one. A switch in no list is placed by the role that "
			"it reports (discovery.role_attribute), by the order "
			"in force, and by its hosts and links."},
	{.key = "spine",
		.type = SCHEMA_SWITCHES,
		FIELD(config_roles, spine),
		.max = 64,
		.def = "[]",
		.reload = SCHEMA_REROUTE,
		.help = "The switches between the leaves and the top of the "
			"tree, given as in routing.roles.leaf."},
	{.key = "root",
		.type = SCHEMA_SWITCHES,
		FIELD(config_roles, root),
		.max = 64,
		.def = "[]",
		.reload = SCHEMA_REROUTE,
		.help = "The switches at the top of the tree, given as in "
			"routing.roles.leaf."},
};

static const struct schema_option discovery[] = {
	{.key = "role_attribute",
		.type = SCHEMA_DEVICES,
		FIELD(config_discovery, role_attribute),
		.def = "[]",
		.reload = SCHEMA_RESWEEP,
		.help = "The switches that are asked for their role in the "
			"tree, a vendor attribute (0xFFE0), as VENDOR or "
			"VENDOR:DEVICE. No other switch is asked. An answer "
			"without the attribute's signature is ignored, and "
			"shown in the status."},
};

static const struct schema_option sweep[] = {
	{.key = "interval",
		.type = SCHEMA_DURATION,
		FIELD(config_sweep, interval),
		.min = SECOND,
		.max = 24 * HOUR,
		.zero_off = true,
		.def = "10s",
		.reload = SCHEMA_LIVE,
		.help = "How often all switches are asked whether a port "
			"changed, in case a trap was lost. "
			"0 turns this off."},
	{.key = "hold_down",
		.type = SCHEMA_DURATION,
		FIELD(config_sweep, hold_down),
		.max = MINUTE,
		.def = "50ms",
		.reload = SCHEMA_LIVE,
		.help = "How long to wait after a trap for others that belong "
			"to the same event before probing."},
};

static const struct schema_option health[] = {
	{.key = "enabled",
		.type = SCHEMA_BOOL,
		FIELD(config_health, enabled),
		.def = "false",
		.reload = SCHEMA_LIVE,
		.help = "Read the performance counters of all cabled ports "
			"and say which links are bad: heddlectl links. The "
			"counters are read as data, while nothing else is "
			"going on, at most 2500 requests a second, and are "
			"never cleared."},
	{.key = "interval",
		.type = SCHEMA_DURATION,
		FIELD(config_health, interval),
		.min = SECOND,
		.max = HOUR,
		.def = "30s",
		.reload = SCHEMA_LIVE,
		.help = "How often every port is asked. Where one pass takes "
			"longer, the next one follows at once."},
	{.key = "ber_limit",
		.type = SCHEMA_INT,
		FIELD(config_health, ber_limit),
		.min = 6,
		.max = 18,
		.def = "12",
		.unit = "10^-n errors per bit",
		.reload = SCHEMA_LIVE,
		.help = "A link is bad if one of its ports counted more symbol "
			"errors in an hour than this part of the bits that it "
			"carries in an hour. Symbol errors are what the error "
			"correction of the link left: this is the effective "
			"bit error ratio."},
	{.key = "raw_ber_limit",
		.type = SCHEMA_INT,
		FIELD(config_health, raw_ber_limit),
		.max = 18,
		.def = "0",
		.unit = "10^-n errors per bit",
		.reload = SCHEMA_LIVE,
		.help = "The same for the errors before correction, where they "
			"are known: of links of FDR and faster what their "
			"devices say that they corrected or detected, and "
			"symbol errors of links up to QDR. Links work with "
			"many of them: 5 or 6 finds "
			"cables that will fail. 0: any number is allowed."},
	{.key = "flap_limit",
		.type = SCHEMA_INT,
		FIELD(config_health, flap_limit),
		.max = 100,
		.def = "3",
		.unit = "times in 10 minutes",
		.reload = SCHEMA_LIVE,
		.help = "A link that went down so many times in 10 minutes is "
			"bad. 0: any number is allowed."},
	{.key = "recovery_limit",
		.type = SCHEMA_INT,
		FIELD(config_health, recovery_limit),
		.max = 100,
		.def = "10",
		.unit = "times an hour",
		.reload = SCHEMA_LIVE,
		.help = "A link that retrained so many times in an hour, "
			"without going down, is bad. 0: any number is "
			"allowed."},
	{.key = "action",
		.type = SCHEMA_ENUM,
		FIELD(config_health, action),
		.choices = actions, /* as enum config_health_action */
		.def = "tell",
		.reload = SCHEMA_LIVE,
		.help = "What to do about a link that turns bad, or good "
			"again. "
			"none: it is only listed as bad. tell: it is an event, "
			"and logged, too. drain: no route leads over it, "
			"either, until nothing was wrong with it for "
			"health.quiet_time; but never over the last link to "
			"anything, nor where a node with several ports would "
			"get a single point of failure, nor over more than "
			"2 % of the links of a tier: what is not drained for "
			"such a reason is an event, too."},
	{.key = "quiet_time",
		.type = SCHEMA_DURATION,
		FIELD(config_health, quiet_time),
		.min = SECOND,
		.max = 24 * HOUR,
		.def = "1h",
		.reload = SCHEMA_LIVE,
		.help = "For how long nothing must have been wrong with a link "
			"that was drained for its health before it is used "
			"again. It doubles each time that the link turns bad "
			"again. Where an administrator has taken the drain "
			"back, the link is not drained again for that time."},
	{.key = "quiet_time_max",
		.type = SCHEMA_DURATION,
		FIELD(config_health, quiet_time_max),
		.min = SECOND,
		.max = 240 * HOUR,
		.def = "24h",
		.reload = SCHEMA_LIVE,
		.help = "The most that health.quiet_time becomes by doubling. "
			"A link that was in use for so long, and nothing was "
			"wrong with it, begins with health.quiet_time again. "
			"Less than that counts as that."},
	{.key = "port_metrics",
		.type = SCHEMA_BOOL,
		FIELD(config_health, port_metrics),
		.def = "false",
		.reload = SCHEMA_LIVE,
		.help = "Have heddlectl metrics tell the counters of every "
			"port, too, under the names of infiniband_exporter. "
			"Data and packets are read in 64 bits then, which "
			"takes a second request per port of most devices."},
};

static const struct schema_option smp[] = {
	{.key = "timeout",
		.type = SCHEMA_DURATION,
		FIELD(config_smp, timeout),
		.min = MS,
		.max = MINUTE,
		.def = "200ms",
		.reload = SCHEMA_LIVE,
		.help = "How long to wait for the answer to a management "
			"packet before it is sent again."},
	{.key = "retries",
		.type = SCHEMA_INT,
		FIELD(config_smp, retries),
		.max = 15,
		.def = "3",
		.reload = SCHEMA_LIVE,
		.help = "How many times a packet without answer is sent "
			"again."},
	{.key = "window_max",
		.type = SCHEMA_INT,
		FIELD(config_smp, window_max),
		.min = 1,
		.max = 4096,
		.def = "64",
		.unit = "packets",
		.reload = SCHEMA_LIVE,
		.help = "The most packets in flight at once. "
			"The window below this adapts to losses."},
	{.key = "target_max",
		.type = SCHEMA_INT,
		FIELD(config_smp, target_max),
		.min = 1,
		.max = 256,
		.def = "4",
		.unit = "packets",
		.reload = SCHEMA_LIVE,
		.help = "The most packets in flight to one node."},
	{.key = "lid_routed",
		.type = SCHEMA_BOOL,
		FIELD(config_smp, lid_routed),
		.def = "true",
		.reload = SCHEMA_LIVE,
		.help = "Send packets that write tables by LID where tables "
			"and ports are proven to carry the packet there and "
			"its answer back; a packet without answer is sent "
			"again by directed route. With false, and where "
			"LID-routed packets are never answered, all packets "
			"use directed routes."},
};

static const struct schema_option standby[] = {
	{.key = "poll_interval",
		.type = SCHEMA_DURATION,
		FIELD(config_standby, poll_interval),
		.min = 100 * MS,
		.max = HOUR,
		.def = "1s",
		.reload = SCHEMA_LIVE,
		.help = "How often a standby asks the master whether it is "
			"alive, with one packet each time. Not below "
			"smp.timeout, for which an answer is waited for."},
	{.key = "missed_polls",
		.type = SCHEMA_INT,
		FIELD(config_standby, missed_polls),
		.min = 1,
		.max = 100,
		.def = "3",
		.reload = SCHEMA_LIVE,
		.help = "After how many polls without answer in a row a "
			"standby looks for a new master."},
	{.key = "refresh",
		.type = SCHEMA_DURATION,
		FIELD(config_standby, refresh),
		.min = SECOND,
		.max = 24 * HOUR,
		.zero_off = true,
		.def = "60s",
		.reload = SCHEMA_LIVE,
		.help = "How often a standby reads the fabric, so that it can "
			"tell about topology and routes and serve hosts as "
			"soon as it takes over: topology, LIDs and P_Keys each "
			"time, forwarding tables in turns. It writes nothing. "
			"0: never."},
};

static const struct schema_option link[] = {
	{.key = "subnet_timeout",
		.type = SCHEMA_INT,
		FIELD(config_link, subnet_timeout),
		.max = 31,
		.def = "18",
		.unit = "4.096us x 2^n",
		.reload = SCHEMA_REROUTE,
		.help = "The longest time that a packet may need through the "
			"fabric, written to every port."},
	{.key = "packet_lifetime",
		.type = SCHEMA_INT,
		FIELD(config_link, packet_lifetime),
		.max = 31,
		.def = "18",
		.unit = "4.096us x 2^n",
		.reload = SCHEMA_REROUTE,
		.help = "How long a packet may stay in a switch before it is "
			"dropped, written to every switch. 20 or more: no "
			"limit."},
	{.key = "hoq_lifetime",
		.type = SCHEMA_INT,
		FIELD(config_link, hoq_lifetime),
		.max = 31,
		.def = "18",
		.unit = "4.096us x 2^n",
		.reload = SCHEMA_REROUTE,
		.help = "How long a packet may wait at the head of a queue "
			"towards another switch. 20 or more: no limit."},
	{.key = "leaf_hoq_lifetime",
		.type = SCHEMA_INT,
		FIELD(config_link, leaf_hoq_lifetime),
		.max = 31,
		.def = "16",
		.unit = "4.096us x 2^n",
		.reload = SCHEMA_REROUTE,
		.help = "The same as link.hoq_lifetime, towards a host, router "
			"or aggregation node. Shorter, so that one slow host "
			"does not hold up a switch."},
	{.key = "vl_stall_count",
		.type = SCHEMA_INT,
		FIELD(config_link, vl_stall_count),
		.max = 7,
		.def = "7",
		.unit = "packets",
		.reload = SCHEMA_REROUTE,
		.help = "How many packets in a row may be dropped because of "
			"the head-of-queue lifetime before the VL counts as "
			"stalled."},
	{.key = "phy_errors_threshold",
		.type = SCHEMA_INT,
		FIELD(config_link, phy_errors_threshold),
		.max = 15,
		.def = "8",
		.unit = "errors",
		.reload = SCHEMA_REROUTE,
		.help = "After how many errors of the physical layer a port "
			"reports trap 129 (LocalPhyErrors), written to every "
			"port. 0: as the device means it, never or "
			"always."},
	{.key = "overrun_errors_threshold",
		.type = SCHEMA_INT,
		FIELD(config_link, overrun_errors_threshold),
		.max = 15,
		.def = "8",
		.unit = "flow control periods",
		.reload = SCHEMA_REROUTE,
		.help = "After how many flow control periods in a row with "
			"buffer overruns a port reports trap 130 "
			"(OverrunErrors), written to every port. 0 as for "
			"link.phy_errors_threshold."},
	{.key = "max_vls",
		.type = SCHEMA_INT,
		FIELD(config_link, max_vls),
		.choices = vl_counts,
		.def = "15",
		.unit = "data VLs",
		.reload = SCHEMA_REROUTE,
		.help = "The most virtual lanes to make operational on a "
			"link."},
};

static const struct schema_option state[] = {
	{.key = "dir",
		.type = SCHEMA_PATH,
		FIELD(config_state, dir),
		.max = 4000,
		.def = "/var/lib/heddle",
		.reload = SCHEMA_RESTART,
		.help = "The directory of the data that must survive a "
			"restart: LIDs, the switch order, and what hosts "
			"registered (services, subscriptions, alias GUIDs)."},
	{.key = "events_size",
		.type = SCHEMA_INT,
		FIELD(config_state, events_size),
		.max = 65536,
		.def = "64",
		.unit = "MiB",
		.reload = SCHEMA_RESTART,
		.help = "The room for events in the files events and events.1 "
			"of state.dir, see heddle-events(7). "
			"The oldest ones make room for new ones; 0: events are "
			"not written to files."},
};

static const struct schema_option record[] = {
	{.key = "dir",
		.type = SCHEMA_PATH,
		FIELD(config_record, dir),
		.max = 4000,
		.zero_off = true,
		.def = "",
		.reload = SCHEMA_RESTART,
		.help = "The directory in which everything is recorded that "
			"comes into the subnet manager, so that heddle-sim(8) "
			"can replay it, such as /var/lib/heddle/record; no "
			"other daemon's, since the oldest recordings in it are "
			"removed. Keys are masked. While a fabric of 5000 "
			"ports comes up at full speed, this costs about 3 % "
			"of the CPU time, half of it in a thread of its own, "
			"up to 6 % on processors that are busy otherwise, and "
			"less at rest; the manager waits for nothing. Empty: "
			"nothing is recorded."},
	{.key = "size",
		.type = SCHEMA_INT,
		FIELD(config_record, size),
		.min = 1,
		.max = 1048576,
		.def = "256",
		.unit = "MiB",
		.reload = SCHEMA_RESTART,
		.help = "The room for recordings. The oldest ones make room "
			"for new ones. What was recorded since the daemon "
			"started can be replayed as long as all of it has "
			"room."},
};

static const struct schema_option control[] = {
	{.key = "socket",
		.type = SCHEMA_PATH,
		FIELD(config_control, socket),
		.max = 107, /* sun_path, terminated */
		.def = "/run/heddle/heddle.sock",
		.reload = SCHEMA_RESTART,
		.help = "The socket that heddlectl(8) connects to."},
};

static const struct schema_option log_rows[] = {
	{.key = "level",
		.type = SCHEMA_ENUM,
		FIELD(config_log, level),
		.choices = levels, /* as enum log_level */
		.def = "info",
		.reload = SCHEMA_LIVE,
		.help = "Log verbosity."},
};

#define SECTION(path, rows, type, member)                                      \
	{                                                                      \
		&(const struct schema){path, rows,                             \
			sizeof(rows) / sizeof((rows)[0]),                      \
			sizeof(struct type)},                                  \
			offsetof(struct config, member)                        \
	}

static const struct options_section sections[] = {
	SECTION("fabric", fabric, config_fabric, fabric),
	SECTION("routing", routing, config_routing, routing),
	SECTION("routing.adaptive", adaptive, config_adaptive_use,
		routing.adaptive),
	SECTION("routing.multi_port", multi_port, config_multi_port,
		routing.multi_port),
	SECTION("routing.roles", roles, config_roles, routing.roles),
	SECTION("discovery", discovery, config_discovery, discovery),
	SECTION("distribution", distribution, config_distribution,
		distribution),
	SECTION("sweep", sweep, config_sweep, sweep),
	SECTION("health", health, config_health, health),
	SECTION("smp", smp, config_smp, smp),
	SECTION("standby", standby, config_standby, standby),
	SECTION("link", link, config_link, link),
	{&sa_schema, offsetof(struct config, sa)},
	{&partitions_schema, offsetof(struct config, partitions)},
	{&qos_schema, offsetof(struct config, qos)},
	SECTION("state", state, config_state, state),
	SECTION("record", record, config_record, record),
	SECTION("control", control, config_control, control),
	SECTION("log", log_rows, config_log, log),
};

const struct options_section *
options_all(size_t *n)
{
	*n = sizeof(sections) / sizeof(sections[0]);
	return sections;
}
