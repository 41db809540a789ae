#include "sm/transport/umad_choose.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *
state_name(unsigned state)
{
	static const char *const name[] = {
		"no state", "down", "init", "armed", "active"};

	return state < sizeof(name) / sizeof(name[0]) ? name[state] : "?";
}

static int
list_ports(const struct umad_choose_port *p, size_t n, struct reason *why)
{
	(void)reason_add(why, "; ports here:");
	for (size_t i = 0; i < n; i++)
		(void)reason_add(why, "%s %s/%d (%s, 0x%016" PRIx64 ", %s)",
			i > 0 ? "," : "", p[i].device, p[i].port,
			p[i].infiniband ? "InfiniBand" : "Ethernet", p[i].guid,
			state_name(p[i].state));
	return n > 0 ? -1 : reason_add(why, " none");
}

static bool
is_usable(const struct umad_choose_port *p)
{
	return p->infiniband && p->guid != 0;
}

static int
choose_auto(const struct umad_choose_port *p, size_t n, struct reason *why)
{
	for (size_t i = 0; i < n; i++)
		if (is_usable(&p[i]) && p[i].state > 1)
			return (int)i;
	for (size_t i = 0; i < n; i++)
		if (is_usable(&p[i]))
			return (int)i;
	(void)reason_set(why, "no InfiniBand port with a GUID");
	return list_ports(p, n, why);
}

/* True if spec names port p, as DEVICE/PORT or, if is_guid, as this GUID. */
static bool
names_port(const char *spec, bool is_guid, uint64_t guid,
	const struct umad_choose_port *p)
{
	char name[48];

	if (is_guid)
		return p->guid == guid;
	(void)snprintf(name, sizeof(name), "%s/%d", p->device, p->port);
	return strcmp(name, spec) == 0;
}

int
umad_choose(const struct umad_choose_port *p, size_t n, const char *spec,
	struct reason *why)
{
	bool is_guid = strncmp(spec, "0x", 2) == 0;
	uint64_t guid = 0;
	char *end;

	if (strcmp(spec, "auto") == 0)
		return choose_auto(p, n, why);
	if (is_guid) {
		errno = 0;
		guid = strtoull(spec, &end, 16);
		if (*end != '\0' || end == spec + 2 || errno != 0 || guid == 0)
			return reason_set(why, "%s: not a port GUID", spec);
	}
	for (size_t i = 0; i < n; i++) {
		if (!names_port(spec, is_guid, guid, &p[i]))
			continue;
		if (is_usable(&p[i]))
			return (int)i;
		(void)reason_set(why, "%s: %s", spec,
			p[i].infiniband ? "the port has no GUID"
					: "an Ethernet port");
		return list_ports(p, n, why);
	}
	(void)reason_set(why, "%s: no such port", spec);
	return list_ports(p, n, why);
}
