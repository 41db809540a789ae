/*
 * GIDs of ports, and what becomes of a GRH on its way: a port takes a packet
 * with a GRH only if the destination's GID is one of its own.
 */
#include <string.h>

#include "sm/base/be.h"
#include "tests/sim/model/sim_int.h"

enum { SELF_AT = 8, NO_GID = -1 };

/* The GUID by which every port of a subnet manager takes requests to the SA
 * (IBA 4.1.1). */
#define SA_GUID 0x0200000000000002U

static unsigned
own_port(const struct sim *s, uint32_t node, unsigned port)
{
	return s->node[node].type == FABRIC_SWITCH ? 0 : port;
}

/* The GUID at an index of a port's GUID table; 0: none. */
static uint64_t
guid_at(const struct sim *s, uint32_t node, unsigned port, unsigned index)
{
	const struct sim_port *p = sim_int_port(s, node, port);

	if (index == 0)
		return p->guid;
	return p->guids && index < p->pi.guid_cap
		       ? be_get64(p->guids + (size_t)8 * index)
		       : 0;
}

/* The index of a GID among those of a port, or NO_GID. */
static int
index_of(const struct sim *s, uint32_t node, unsigned port,
	const uint8_t gid[16])
{
	const struct mad_port_info *pi = &sim_int_port(s, node, port)->pi;
	uint64_t guid = be_get64(gid + SELF_AT);

	if (be_get64(gid) != pi->gid_prefix || guid == 0)
		return NO_GID;
	if (guid == SA_GUID && pi->capmask & MAD_CAP_IS_SM)
		return 0;
	for (unsigned i = 0; i == 0 || i < pi->guid_cap; i++)
		if (guid_at(s, node, port, i) == guid)
			return (int)i;
	return NO_GID;
}

bool
sim_gid_pass(const struct sim *s, uint32_t from, unsigned from_port,
	const struct sim_way *to, struct transport_addr *a)
{
	unsigned out = own_port(s, from, from_port);
	uint64_t guid = guid_at(s, from, out, a->grh.gid_index);
	int index;

	if (!a->grh.present)
		return true;
	index = index_of(
		s, to->node, own_port(s, to->node, to->port), a->grh.gid);
	if (guid == 0 || index == NO_GID)
		return false;
	be_put64(a->grh.gid, sim_int_port(s, from, out)->pi.gid_prefix);
	be_put64(a->grh.gid + SELF_AT, guid);
	a->grh.gid_index = (uint8_t)index;
	return true;
}
