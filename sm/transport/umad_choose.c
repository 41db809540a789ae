#include "sm/transport/umad_choose.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/mad/port_values.h"

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
	return p->infiniband && p->guid != 0 && !p->no_smi;
}

/*
 * The port for QP0 that port k stands for: itself where it was named by its
 * device and has one, else the one of its GUID; of several planes the first
 * that is not Down. -1: there is none.
 */
static int
find_smi(const struct umad_choose_port *p, size_t n, size_t k, bool by_guid)
{
	int best = -1;

	if (p[k].guid == 0 || (!p[k].no_smi && !by_guid))
		return is_usable(&p[k]) ? (int)k : -1;
	for (size_t i = 0; i < n; i++)
		if (p[i].guid == p[k].guid && is_usable(&p[i]) &&
			(best < 0 || (p[best].state <= PORT_DOWN &&
					     p[i].state > PORT_DOWN)))
			best = (int)i;
	return best;
}

int
umad_choose_gsi(const struct umad_choose_port *p, size_t n, int smi)
{
	for (size_t i = 0; i < n; i++)
		if (p[i].no_smi && p[i].infiniband && p[i].guid == p[smi].guid)
			return (int)i;
	return smi;
}

static int
choose_auto(const struct umad_choose_port *p, size_t n, struct reason *why)
{
	for (size_t i = 0; i < n; i++)
		if (is_usable(&p[i]) && p[i].state > PORT_DOWN)
			return (int)i;
	for (size_t i = 0; i < n; i++)
		if (is_usable(&p[i]))
			return (int)i;
	(void)reason_set(why, "no InfiniBand port with a GUID and QP0");
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
	int smi;

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
		smi = find_smi(p, n, i, is_guid);
		if (smi >= 0)
			return smi;
		(void)reason_set(why, "%s: %s", spec,
			!p[i].infiniband ? "an Ethernet port"
			: p[i].guid == 0
				? "the port has no GUID"
				: "the port has no QP0 (IsSMDisabled), "
				  "and no other device has it");
		return list_ports(p, n, why);
	}
	(void)reason_set(why, "%s: no such port", spec);
	return list_ports(p, n, why);
}
