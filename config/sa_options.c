#include "config/sa_options.h"

#include "config/config.h"

#define ROUTE(member) .offset = offsetof(struct config_prefix_route, member)

static const struct schema_option prefix_route[] = {
	{.key = "prefix",
		.type = SCHEMA_HEX,
		ROUTE(prefix),
		.max = UINT64_MAX,
		.def = "0x0",
		.reload = SCHEMA_LIVE,
		.help = "The subnet's GID prefix. 0: all subnets that no "
			"other entry names."},
	{.key = "routers",
		.type = SCHEMA_GUIDS,
		ROUTE(routers),
		.def = "[]",
		.reload = SCHEMA_LIVE,
		.help = "Port GUIDs, on this subnet, of the routers that lead "
			"there. Destinations are spread over those that are "
			"up; one that fails or returns moves only its own."},
};

static const struct schema prefix_routes = {"", prefix_route,
	sizeof(prefix_route) / sizeof(prefix_route[0]),
	sizeof(struct config_prefix_route)};

#define FIELD(member) .offset = offsetof(struct config_sa, member)

static const struct schema_option rows[] = {
	{.key = "trust_key",
		.type = SCHEMA_HEX,
		FIELD(key),
		.def = "0x0",
		.secret = true,
		.reload = SCHEMA_LIVE,
		.help = "The key with which a request to subnet administration "
			"is trusted: it sees all partitions, P_Key tables and "
			"M_Keys. 0: no request is trusted."},
	{.key = "requests_per_second",
		.type = SCHEMA_INT,
		FIELD(requests_per_second),
		.max = 10000000,
		.def = "2000",
		.reload = SCHEMA_LIVE,
		.help = "How many requests per second one port may make "
			"continuously; further requests are answered busy. 0: "
			"any number."},
	{.key = "request_burst",
		.type = SCHEMA_INT,
		FIELD(request_burst),
		.min = 1,
		.max = 10000000,
		.def = "8192",
		.unit = "requests",
		.reload = SCHEMA_LIVE,
		.help = "How many requests one port may make at once."},
	{.key = "services_per_port",
		.type = SCHEMA_INT,
		FIELD(services_per_port),
		.max = 65536,
		.def = "256",
		.reload = SCHEMA_LIVE,
		.help = "The most services that one port may register."},
	{.key = "subscriptions_per_port",
		.type = SCHEMA_INT,
		FIELD(subscriptions_per_port),
		.max = 65536,
		.def = "64",
		.reload = SCHEMA_LIVE,
		.help = "The most event subscriptions of one port."},
	{.key = "groups_per_port",
		.type = SCHEMA_INT,
		FIELD(groups_per_port),
		.max = 65536,
		.def = "1024",
		.reload = SCHEMA_LIVE,
		.help = "The most multicast groups that one port may join."},
	{.key = "table_mib",
		.type = SCHEMA_INT,
		FIELD(table_mib),
		.min = 1,
		.max = 1000,
		.def = "256",
		.unit = "MiB",
		.reload = SCHEMA_LIVE,
		.help = "The largest table that is sent as one answer. A "
			"PathRecord is 64 bytes."},
	{.key = "prefix_routes",
		.type = SCHEMA_RECORDS,
		FIELD(prefix_routes),
		.record = &prefix_routes,
		.def = "{}",
		.reload = SCHEMA_LIVE,
		.help = "Other subnets by name, and the routers that lead to "
			"them. A path to a GID of another subnet is a path to "
			"such a router, with a hop limit of 255; without an "
			"entry there is no path."},
};

const struct schema sa_schema = {
	"sa", rows, sizeof(rows) / sizeof(rows[0]), sizeof(struct config_sa)};
