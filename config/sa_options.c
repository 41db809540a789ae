#include "config/sa_options.h"

#include "config/config.h"

static const struct schema_option prefix_route[] = {
	{SCHEMA_ROW(config_prefix_route, prefix, HEX), .max = UINT64_MAX,
		.def = "0x0",
		.help = "The subnet's GID prefix. 0: all subnets that no "
			"other entry names."},
	{SCHEMA_ROW(config_prefix_route, routers, GUIDS), .def = "[]",
		.help = "Port GUIDs, on this subnet, of the routers that lead "
			"there. Destinations are spread over those that are "
			"up; one that fails or returns moves only its own."},
};

static const struct schema prefix_routes = {"", prefix_route,
	sizeof(prefix_route) / sizeof(prefix_route[0]),
	sizeof(struct config_prefix_route)};

static const struct schema_option rows[] = {
	{SCHEMA_ROW_AS("trust_key", config_sa, key, HEX), .def = "0x0",
		.secret = true, .opensm = "sa_key",
		.help = "The key with which a request to subnet administration "
			"is trusted: it sees all partitions, P_Key tables and "
			"M_Keys. 0: no request is trusted."},
	{SCHEMA_ROW(config_sa, requests_per_second, INT), .max = 10000000,
		.def = "2000",
		.help = "How many requests per second one port may make "
			"continuously; further requests are answered busy. 0: "
			"any number."},
	{SCHEMA_ROW(config_sa, request_burst, INT), .min = 1, .max = 10000000,
		.def = "8192", .unit = "requests",
		.help = "How many requests one port may make at once."},
	{SCHEMA_ROW(config_sa, services_per_port, INT), .max = 65536,
		.def = "256",
		.help = "The most services that one port may register. "
			"Beyond this limit and the next three, requests are "
			"refused with status 0x0100 (no resources)."},
	{SCHEMA_ROW(config_sa, subscriptions_per_port, INT), .max = 65536,
		.def = "64",
		.help = "The most event subscriptions of one port."},
	{SCHEMA_ROW(config_sa, groups_per_port, INT), .max = 65536,
		.def = "1024",
		.help = "The most multicast groups that one port may join."},
	{SCHEMA_ROW(config_sa, table_mib, INT), .min = 1, .max = 1000,
		.def = "256", .unit = "MiB",
		.help = "The largest table that is sent as one answer. A "
			"PathRecord is 64 bytes: 256 MiB hold the paths "
			"between 2000 hosts."},
	{SCHEMA_ROW(config_sa, prefix_routes, RECORDS),
		.record = &prefix_routes, .def = "{}",
		.opensm = "prefix_routes_file",
		.help = "Other subnets by name, and the routers that lead to "
			"them. A path to a GID of another subnet is a path to "
			"such a router, with a hop limit of 255; without an "
			"entry there is no path."},
};

const struct schema sa_schema = {
	"sa", rows, sizeof(rows) / sizeof(rows[0]), sizeof(struct config_sa)};
