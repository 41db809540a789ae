#include "sm/event/event_kind.h"

#include <string.h>

#define LINK_ENDS                                                              \
	{"a", EVENT_END, "one end of the link"},                               \
	{                                                                      \
		"b", EVENT_END, "its other end"                                \
	}

static const struct event_row rows[EVENT_KINDS] = {
	[EVENT_NODE_GONE] = {"node-gone", "97be72ec48a4412b92b71d7dc00fc9bf",
		LOG_LEVEL_WARN, "nodes", "gone",
		"node: gone {node}[, was linked to {linked_to}]"
		"[ and by {more} more]",
		"A node left the fabric, with all its links.",
		{{"node", EVENT_END, "the node"},
			{"linked_to", EVENT_END,
				"the port that it was linked to"},
			{"more", EVENT_NUMBER,
				"its other links, if there were any"}}},
	[EVENT_LINK_DOWN] = {"link-down", "6d3dc8d97b0e498eb4c36c2ff19cb87f",
		LOG_LEVEL_WARN, "links", "down", "link: down {a} - {b}",
		"A link went down.", {LINK_ENDS}},
	[EVENT_QUARANTINED] = {"quarantined",
		"439f30f8433445e292b93807c8da58f0", LOG_LEVEL_WARN,
		"quarantine", "entered", "node: quarantined {node}[: {why}]",
		"A node does not answer or does not obey, and is excluded from "
		"the paths of others.",
		{{"node", EVENT_END, "the node"},
			{"why", EVENT_TEXT, "the reason"}}},
	[EVENT_RELEASED] = {"released", "3cdb4e1759734dcb9da9212eaa7cdbc7",
		LOG_LEVEL_INFO, "quarantine", "left",
		"node: left quarantine {node}", "A node has left quarantine.",
		{{"node", EVENT_END, "the node"}}},
	[EVENT_NODE_NEW] = {"node-new", "267f52e5352647fd91a2aae13a3e1cdb",
		LOG_LEVEL_INFO, "nodes", "new",
		"node: new {node}[, linked to {linked_to}]"
		"[ and by {more} more]",
		"A node came to the fabric, with all its links.",
		{{"node", EVENT_END, "the node"},
			{"linked_to", EVENT_END,
				"the port that it is linked to"},
			{"more", EVENT_NUMBER,
				"its other links, if there are any"}}},
	[EVENT_LINK_UP] = {"link-up", "899b714d6ef04243813805ae5b2ed2fb",
		LOG_LEVEL_INFO, "links", "up", "link: up {a} - {b}",
		"A link came up.", {LINK_ENDS}},
	[EVENT_LINK_RESET] = {"link-reset", "e22da8246bcf4703bfc2bee59e3a4d1f",
		LOG_LEVEL_WARN, "links", "reset", "link: reset {a} - {b}",
		"A link went down and came up again before it was looked at.",
		{LINK_ENDS}},
	[EVENT_LINK_RATE] = {"link-rate", "2dcececc1708427981bdd0c24ba8dd68",
		LOG_LEVEL_WARN, "links", "rate",
		"link: rate changed {a} - {b}: {rate}, was {was}",
		"A link has another width or speed.",
		{LINK_ENDS, {"rate", EVENT_RATE, "its rate, in Gb/s"},
			{"was", EVENT_RATE, "the rate that it had, in Gb/s"}}},
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
