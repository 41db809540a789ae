#include "sm/event/event_kind.h"

#include <string.h>

/* How an event of the fabric was answered: the fields, and their text. The
 * first event of a run has them, the others name it. */
#define ANSWER_FIELDS                                                          \
	{"took", EVENT_SECONDS,                                                \
		"seconds from the first sign of it to the end of the run "     \
		"that answered it, sweep.hold_down included"},                 \
		WRITTEN_FIELDS
#define WRITTEN_FIELDS                                                         \
	{"transition", EVENT_TEXT,                                             \
		"how the tables were written, see heddlectl change"},          \
		{"blocks", EVENT_NUMBER,                                       \
			"blocks of 64 routes that were written"},              \
		{"interrupted", EVENT_NUMBER,                                  \
			"pairs of a switch and a LID that lost packets while " \
			"the tables were written"},                            \
		{"cut_off", EVENT_NUMBER,                                      \
			"pairs of a switch and a LID without a path now"},     \
		{"generation", EVENT_NUMBER, "the view that the run led to"},  \
	{                                                                      \
		"with", EVENT_NUMBER,                                          \
			"the number of another event, which the same run "     \
			"answered"                                             \
	}
#define ANSWER_TEXT                                                            \
	"[; rerouted in {took}: [{transition}, ]blocks {blocks}"               \
	"[, pairs interrupted {interrupted}][, cut off {cut_off}]]"            \
	"[; see event {with}]"

#define LINK_ENDS                                                              \
	{"a", EVENT_END, "one end of the link"},                               \
	{                                                                      \
		"b", EVENT_END, "its other end"                                \
	}

static const struct event_row rows[EVENT_KINDS] = {
	[EVENT_NODE_GONE] = {"node-gone", "97be72ec48a4412b92b71d7dc00fc9bf",
		LOG_LEVEL_WARN, "nodes", "gone",
		"node: gone {node}[, was linked to {linked_to}]"
		"[ and by {more} more]" ANSWER_TEXT,
		"A node left the fabric. "
		"Its links went with it and have no events of their own.",
		{{"node", EVENT_END, "the node"},
			{"linked_to", EVENT_END,
				"the port that it was linked to"},
			{"more", EVENT_NUMBER,
				"its other links, if there were any"},
			ANSWER_FIELDS}},
	[EVENT_LINK_DOWN] = {"link-down", "6d3dc8d97b0e498eb4c36c2ff19cb87f",
		LOG_LEVEL_WARN, "links", "down",
		"link: down {a} - {b}[, was up for {lasted}]" ANSWER_TEXT,
		"A link went down.",
		{LINK_ENDS,
			{"lasted", EVENT_SECONDS,
				"for how long it had been up, if it came up "
				"since the daemon was started"},
			ANSWER_FIELDS}},
	[EVENT_QUARANTINED] = {"quarantined",
		"439f30f8433445e292b93807c8da58f0", LOG_LEVEL_WARN,
		"quarantine", "entered",
		"node: quarantined {node}[: {why}]" ANSWER_TEXT,
		"A node does not answer or does not obey, and no paths of "
		"others lead through it.",
		{{"node", EVENT_END, "the node"},
			{"why", EVENT_TEXT, "the reason"}, ANSWER_FIELDS}},
	[EVENT_RELEASED] = {"released", "3cdb4e1759734dcb9da9212eaa7cdbc7",
		LOG_LEVEL_INFO, "quarantine", "left",
		"node: left quarantine {node}" ANSWER_TEXT,
		"A node has left quarantine.",
		{{"node", EVENT_END, "the node"}, ANSWER_FIELDS}},
	[EVENT_NODE_NEW] = {"node-new", "267f52e5352647fd91a2aae13a3e1cdb",
		LOG_LEVEL_INFO, "nodes", "new",
		"node: new {node}[, linked to {linked_to}]"
		"[ and by {more} more][, was gone for {lasted}]" ANSWER_TEXT,
		"A node came to the fabric. "
		"Its links came with it and have no events of their own.",
		{{"node", EVENT_END, "the node"},
			{"linked_to", EVENT_END,
				"the port that it is linked to"},
			{"more", EVENT_NUMBER,
				"its other links, if there are any"},
			{"lasted", EVENT_SECONDS,
				"for how long it had been missing"},
			ANSWER_FIELDS}},
	[EVENT_LINK_UP] = {"link-up", "899b714d6ef04243813805ae5b2ed2fb",
		LOG_LEVEL_INFO, "links", "up",
		"link: up {a} - {b}[, was down for {lasted}]" ANSWER_TEXT,
		"A link came up.",
		{LINK_ENDS,
			{"lasted", EVENT_SECONDS,
				"for how long it had been missing"},
			ANSWER_FIELDS}},
	[EVENT_LINK_RESET] = {"link-reset", "e22da8246bcf4703bfc2bee59e3a4d1f",
		LOG_LEVEL_WARN, "links", "reset",
		"link: reset {a} - {b}[, was up for {lasted}]" ANSWER_TEXT,
		"A link went down and came up again before it was looked at.",
		{LINK_ENDS,
			{"lasted", EVENT_SECONDS,
				"for how long it had been up, if it came up "
				"since the daemon was started"},
			ANSWER_FIELDS}},
	[EVENT_LINK_RATE] = {"link-rate", "2dcececc1708427981bdd0c24ba8dd68",
		LOG_LEVEL_WARN, "links", "rate",
		"link: rate changed {a} - {b}: {rate}, was {was}" ANSWER_TEXT,
		"A link has another width or speed.",
		{LINK_ENDS, {"rate", EVENT_RATE, "its rate, in Gb/s"},
			{"was", EVENT_RATE, "the rate that it had, in Gb/s"},
			ANSWER_FIELDS}},
	[EVENT_LID_MOVED] = {"lid-moved", "03b21ebbe76e4d64860f228ad2db1c8a",
		LOG_LEVEL_WARN, "lids", "moved",
		"lid: {port} has {lid}, had {was}" ANSWER_TEXT,
		"A port has another LID: jobs that use the old one fail.",
		{{"port", EVENT_END, "the port"},
			{"lid", EVENT_NUMBER, "its LID"},
			{"was", EVENT_NUMBER, "the LID that it had"},
			ANSWER_FIELDS}},
	[EVENT_ODDITY] = {"oddity", "62c9505fe1e94cd0a034f3d6a2d71371",
		LOG_LEVEL_WARN, NULL, NULL, "discovery: {what}",
		"What was read of the fabric contradicts itself, or is not "
		"all of it: two nodes with one GUID, a link whose ends "
		"disagree, a port that is up and leads to a node that cannot "
		"be read.",
		{{"what", EVENT_TEXT, "what, and where"}}},
	[EVENT_LINK_FAULT] = {"link-fault", "259bb2c261184196aa704e3aed8114f6",
		LOG_LEVEL_WARN, NULL, NULL, "trap {trap} from {port}: {what}",
		"A port reports errors of its link (129), overruns (130) or "
		"missing flow control (131).",
		{{"port", EVENT_TEXT, "the port, by name or GUID, and LID"},
			{"trap", EVENT_NUMBER, "the trap"},
			{"what", EVENT_TEXT, "what it reports"}}},
	[EVENT_VIOLATION] = {"violation", "51e8414507e241d4a8695d903ddb57ec",
		LOG_LEVEL_WARN, NULL, NULL, "trap {trap} from {port}: {what}",
		"A port got a request with a wrong M_Key (256) or a packet "
		"with a wrong P_Key (257, in a switch 259) or Q_Key (258).",
		{{"port", EVENT_TEXT,
			 "the port that reports it, by name or GUID, and LID"},
			{"trap", EVENT_NUMBER, "the trap"},
			{"what", EVENT_TEXT,
				"between which ports, and the wrong key"}}},
	[EVENT_PORT_CHANGE] = {"port-change",
		"da61a276e7d041d6a4349840ae254737", LOG_LEVEL_INFO, NULL, NULL,
		"{what}: {change}",
		"A port reports a change of its capabilities, name or link "
		"settings (144), or of its system image GUID (145).",
		{{"trap", EVENT_NUMBER, "the trap"},
			{"what", EVENT_TEXT, "the trap and where it is from"},
			{"change", EVENT_TEXT, "what may have changed"}}},
	[EVENT_DEVIATION] = {"deviation", "487662cb85304088b56d51ab14866d0a",
		LOG_LEVEL_WARN, NULL, NULL, "cabling: {what}[; {drained}]",
		"The fabric does not look as planned any more: what differs "
		"from the file of fabric.expected, and did not before.",
		{{"what", EVENT_TEXT, "what differs"},
			{"of", EVENT_TEXT,
				"the kind of deviation, see heddlectl verify"},
			{"a", EVENT_END, "the node, or an end of the link"},
			{"b", EVENT_END,
				"what it is linked to, or the other end"},
			{"drained", EVENT_TEXT,
				"\"drained\", if it was drained before"}}},
	[EVENT_DEVIATION_OVER] = {"deviation-over",
		"11efc7c05e9f4540bd3965ffc5dba035", LOG_LEVEL_INFO, NULL, NULL,
		"cabling: over: {what}[, lasted {lasted}]",
		"What differed from the plan of the fabric does not any more.",
		{{"what", EVENT_TEXT, "what differed"},
			{"of", EVENT_TEXT, "the kind of deviation"},
			{"a", EVENT_END, "the node, or an end of the link"},
			{"b", EVENT_END,
				"what it was linked to, or the other end"},
			{"lasted", EVENT_SECONDS,
				"for how long it was known"}}},
	[EVENT_CABLING] = {"cabling", "92e0ca7091d545f3be2a1739a1e86e53",
		LOG_LEVEL_INFO, NULL, NULL,
		"cabling: {result}, by {plan}[; {untold} of them are not "
		"told one by one]",
		"The fabric was compared with the file of fabric.expected for "
		"the first time since that was read; or so much has changed "
		"at once that it is not told one by one.",
		{{"result", EVENT_TEXT,
			 "\"as planned\", or the deviations by kind"},
			{"plan", EVENT_TEXT, "the file"},
			{"deviations", EVENT_NUMBER, "how many there are"},
			{"untold", EVENT_NUMBER,
				"changes that have no event of their own"}}},
	[EVENT_CHANGE] = {"change", "6c2371e6164f45c497cba2a0a595f25b",
		LOG_LEVEL_INFO, NULL, NULL,
		"change: {cause}: written in {took}: [{transition}, ]blocks "
		"{blocks}, settings {settings}[, pairs interrupted "
		"{interrupted}][, cut off {cut_off}], engine {engine}",
		"Tables or settings were written, for a reason that is no "
		"event of the fabric, or for the first time.",
		{{"cause", EVENT_TEXT, "why"},
			{"settings", EVENT_NUMBER,
				"settings of ports and switches that were "
				"written"},
			{"engine", EVENT_TEXT, "the engine of the routes"},
			{"took", EVENT_SECONDS,
				"seconds from the begin of the run to its end"},
			WRITTEN_FIELDS}},
	[EVENT_SWEEP] = {"sweep", "e3e8aa48326345a8831f85d55f60f306",
		LOG_LEVEL_INFO, NULL, NULL,
		"sweep: {cause}: read in {took}, nothing had to be written, "
		"nodes {nodes}, SMPs {smps}",
		"The whole fabric was read, and is as it should be.",
		{{"cause", EVENT_TEXT, "why"},
			{"nodes", EVENT_NUMBER, "nodes of the fabric"},
			{"smps", EVENT_NUMBER, "SMPs that were sent"},
			{"took", EVENT_SECONDS, "how long it took"}}},
	[EVENT_ENGINE] = {"engine", "ef4f6ba159c84a8a96843f50de58ac2d",
		LOG_LEVEL_INFO, NULL, NULL,
		"routing: engine {engine}, was {was}",
		"Routes are computed by another engine than before.",
		{{"engine", EVENT_TEXT, "the engine"},
			{"was", EVENT_TEXT, "the one before"}}},
	[EVENT_FALLBACK] = {"fallback", "19fe07dcc2f3454b9fd33aab1b1b4c23",
		LOG_LEVEL_WARN, NULL, NULL,
		"routing: fallback to engine {engine}, tried: {tried}",
		"No engine that is preferred could route the fabric.",
		{{"engine", EVENT_TEXT, "the engine that could"},
			{"tried", EVENT_TEXT,
				"the engines before it, and why they could "
				"not"}}},
	[EVENT_DRIFT] = {"drift", "19590733df93420fb87d2ca4d75ead3d",
		LOG_LEVEL_WARN, NULL, NULL,
		"sm: modified by something other than this daemon: {what} of "
		"{node}; other managers: {managers}",
		"A device holds something that this daemon did not write.",
		{{"node", EVENT_END, "the switch or host"},
			{"what", EVENT_TEXT, "what differs"},
			{"managers", EVENT_TEXT,
				"the other subnet managers that are known"}}},
	[EVENT_ALARM_ON] = {"alarm-on", "75f8bdc7d8de479ab1d9d2aafc39273b",
		LOG_LEVEL_WARN, NULL, NULL, "alarm: on {alarm}: {text}",
		"Something is wrong that an administrator should act on: see "
		"ALARMS.",
		{{"alarm", EVENT_TEXT, "its name"},
			{"text", EVENT_TEXT, "what is wrong"}}},
	[EVENT_ALARM_OFF] = {"alarm-off", "c6bf79df41f74637ba5c54896ebc74bb",
		LOG_LEVEL_INFO, NULL, NULL,
		"alarm: off {alarm}, was on for {lasted}",
		"What an alarm was about is over.",
		{{"alarm", EVENT_TEXT, "its name"},
			{"lasted", EVENT_SECONDS, "for how long it was on"}}},
	[EVENT_MANAGER_SEEN] = {"manager-seen",
		"6135aef8360840e89915516a2f6c319d", LOG_LEVEL_INFO, "managers",
		"seen", "sm: another manager at {node}",
		"Another subnet manager was found on a port.",
		{{"node", EVENT_END, "the node of that port"}}},
	[EVENT_MANAGER_GONE] = {"manager-gone",
		"f90f3998f6184694a78278f9612e2ef4", LOG_LEVEL_INFO, "managers",
		"gone", "sm: no manager any more at {node}",
		"A subnet manager is not there any more.",
		{{"node", EVENT_END, "the node of its port"}}},
	[EVENT_MASTER] = {"master", "87ddcc9412e143a2b55ad61153c879a8",
		LOG_LEVEL_INFO, NULL, NULL,
		"sm: master of the fabric nodes={nodes} switches={switches}",
		"This daemon has become the master of the fabric.",
		{{"nodes", EVENT_NUMBER, "nodes of the fabric"},
			{"switches", EVENT_NUMBER, "switches among them"}}},
	[EVENT_STANDBY] = {"standby", "50f2472088e74618aa9851de0a7ac630",
		LOG_LEVEL_WARN, NULL, NULL, "sm: {why}",
		"This daemon stands by for another master.",
		{{"master", EVENT_END, "the node of the master's port"},
			{"why", EVENT_TEXT, "the master, and why it is that"}}},
	[EVENT_START] = {"start", "ddfd86bc7c074cc59967571345af5ce3",
		LOG_LEVEL_INFO, NULL, NULL,
		"start: heddled {version}[, after {after}]",
		"The daemon was started.",
		{{"version", EVENT_TEXT, "its version"},
			{"after", EVENT_TEXT,
				"that the previous run did not end in order: "
				"it was killed, or the machine lost power"}}},
	[EVENT_STOP] = {"stop", "97d0e656268e4faa8882a74d584adc53",
		LOG_LEVEL_INFO, NULL, NULL, "stop: heddled ends",
		"The daemon was asked to end.", {{NULL, EVENT_TEXT, NULL}}},
	[EVENT_RELOAD] = {"reload", "f9f371d567264f9d8664ae44e3d130fc",
		LOG_LEVEL_INFO, NULL, NULL,
		"config: read again[, options changed {changed}: {what}]",
		"The configuration was read again and is in force.",
		{{"changed", EVENT_NUMBER, "options that have changed"},
			{"what", EVENT_TEXT, "these options"}}},
	[EVENT_RELOAD_REFUSED] = {"reload-refused",
		"78113ab5237c45e287759ba85a5a3b6f", LOG_LEVEL_WARN, NULL, NULL,
		"config: reload failed, the old configuration stays in force: "
		"{why}",
		"The configuration was read again and has mistakes.",
		{{"why", EVENT_TEXT, "the first of them"}}},
	[EVENT_COMMAND] = {"command", "3916381e24234beca9b0bcbc80177fa6",
		LOG_LEVEL_INFO, NULL, NULL,
		"command: {command} by {user}[, refused: {refused}]",
		"A user asked for something by heddlectl(8) that may change "
		"the fabric.",
		{{"command", EVENT_TEXT, "what was asked for"},
			{"user", EVENT_TEXT, "the user at the socket"},
			{"uid", EVENT_NUMBER, "the number of that user"},
			{"refused", EVENT_TEXT,
				"why it was not done, if it was not"}}},
	[EVENT_OWN_LINK] = {"own-link", "5adb5000defc473bac3f392993978e4e",
		LOG_LEVEL_WARN, NULL, NULL, "port: our own link {state}",
		"The link of the port that the daemon uses changed. "
		"While it is down nothing is known of the fabric.",
		{{"state", EVENT_TEXT, "came up, or went down"}}},
	[EVENT_PORT_LOST] = {"port-lost", "0d49801f55ce4b27b0d157937acbf5b8",
		LOG_LEVEL_ERROR, NULL, NULL, "port: lost: {why}",
		"The port that the daemon uses is not there any more.",
		{{"why", EVENT_TEXT, "what its driver says"}}},
	[EVENT_LINK_BAD] = {"link-bad", "24bd2ef1319446cf91c8c22508042823",
		LOG_LEVEL_WARN, "health", "bad", "link: bad {a} - {b}: {why}",
		"The counters of a link, or how often it went down, passed a "
		"limit.",
		{LINK_ENDS, {"why", EVENT_TEXT, "what passed which limit"}}},
	[EVENT_LINK_GOOD] = {"link-good", "c887bc773814454f8a313837cb068c4d",
		LOG_LEVEL_INFO, "health", "good", "link: good again {a} - {b}",
		"A link that was bad is within the limits again.", {LINK_ENDS}},
	[EVENT_LINK_KEPT] = {"link-kept", "8d1b6600b50647298048e18100f3be25",
		LOG_LEVEL_WARN, "health", "kept",
		"link: bad but not drained {a} - {b}: {why}",
		"A link is bad and carries routes all the same, since draining "
		"it would cost more than bandwidth.",
		{LINK_ENDS, {"why", EVENT_TEXT, "which limit forbids it"}}},
	[EVENT_DRAINED] = {"drained", "bce932f29e754dcf98c34af6b76a42f0",
		LOG_LEVEL_INFO, "drains", "begun",
		"maintenance: drained {a}[ - {b}][, for {for}] by {by}"
		"[, {forced}][: {reason}]",
		"A switch or a link is to be left by all routes, for "
		"maintenance.",
		{{"a", EVENT_END, "the switch, or an end of the link"},
			{"b", EVENT_END, "the other end of the link"},
			{"by", EVENT_TEXT, "who asked for it"},
			{"for", EVENT_SECONDS,
				"for how long, if it ends by itself"},
			{"forced", EVENT_TEXT,
				"set where it cuts hosts off when it is "
				"pulled"},
			{"reason", EVENT_TEXT, "as it was given"}}},
	[EVENT_UNDRAINED] = {"undrained", "573eb0629b88408d9437919518174225",
		LOG_LEVEL_INFO, "drains", "ended",
		"maintenance: undrained {a}[ - {b}]: {why}",
		"Routes may use a switch or a link again.",
		{{"a", EVENT_END, "the switch, or an end of the link"},
			{"b", EVENT_END, "the other end of the link"},
			{"why", EVENT_TEXT,
				"who asked for it, or that its time is over"}}},
	[EVENT_NAME_WAITS] = {"name-waits", "de425fd1f0f847449a2cf96a289377d7",
		LOG_LEVEL_WARN, NULL, NULL,
		"partitions: not accepted yet: {node}: {why}",
		"The name of a node matches a member of a partition or of a "
		"QoS rule, and an administrator has not accepted it.",
		{{"node", EVENT_END, "the node"},
			{"why", EVENT_TEXT, "what accepting it would do"}}},
	[EVENT_SUPPRESSED] = {"suppressed", "e7251cd0405743689b8740d9a3a077d6",
		LOG_LEVEL_WARN, NULL, NULL, "events: {more} more of kind {of}",
		"So many events of a kind happened at once that some were not "
		"told one by one.",
		{{"of", EVENT_TEXT, "the kind"},
			{"more", EVENT_NUMBER, "how many were not told"}}},
};

const struct event_row *
event_kind_row(enum event_kind kind)
{
	return &rows[kind];
}

enum event_kind
event_kind_find(const char *name)
{
	unsigned k = 0;

	while (k < EVENT_KINDS && strcmp(rows[k].name, name) != 0)
		k++;
	return (enum event_kind)k;
}
