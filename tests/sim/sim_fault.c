#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "tests/sim/sim_int.h"

/* Trap 144, what else changed: the NodeDescription. */
enum { CHANGED_DESC = 1 };

void
sim_fault_behave(struct sim *s, uint32_t node, const struct sim_behaviour *b)
{
	s->node[node].how = *b;
}

void
sim_fault_chances(struct sim *s, const struct sim_faults *f)
{
	s->o.faults = *f;
}

void
sim_fault_link(struct sim *s, uint32_t node, unsigned port, bool up)
{
	struct sim_port *p = sim_int_port(s, node, port);

	if (p->peer == FABRIC_NONE)
		return;
	p->cut = !up;
	sim_int_port(s, p->peer, p->peer_port)->cut = !up;
	sim_port_refresh(s, node, port);
}

/* Forget everything that an SM has written. */
static void
wipe(struct sim *s, uint32_t node)
{
	struct sim_node *n = &s->node[node];

	sim_table_boot(s, node);
	sim_vendor_boot(s, node);
	for (unsigned i = 0; i < NTRAPS; i++) {
		n->trap[i].pending = false;
		n->trap[i].generation++;
	}
	for (unsigned p = 0; p <= n->nports; p++)
		sim_port_boot(s, node, p);
}

static void
refresh_all(struct sim *s, uint32_t node)
{
	for (unsigned p = 1; p <= s->node[node].nports; p++)
		sim_port_refresh(s, node, p);
}

void
sim_fault_node(struct sim *s, uint32_t node, bool present)
{
	struct sim_node *n = &s->node[node];

	if (n->present == present)
		return;
	n->present = present;
	if (present)
		wipe(s, node);
	refresh_all(s, node);
}

void
sim_fault_reboot(struct sim *s, uint32_t node)
{
	if (!s->node[node].present)
		return;
	sim_fault_node(s, node, false);
	sim_fault_node(s, node, true);
}

void
sim_fault_guid(struct sim *s, uint32_t node, uint64_t guid)
{
	struct sim_node *n = &s->node[node];

	for (unsigned p = 0; p <= n->nports; p++) {
		struct sim_port *q = sim_int_port(s, node, p);

		if (q->guid)
			q->guid = q->guid - n->guid + guid;
	}
	n->guid = guid;
}

void
sim_fault_cross(struct sim *s, uint32_t node, unsigned port, uint32_t to_node,
	unsigned to_port)
{
	struct sim_port *p = sim_int_port(s, node, port);

	p->to = to_node;
	p->to_port = (uint8_t)to_port;
}

/* The port that traps of a node are sent from. */
static unsigned
first_end_port(const struct sim *s, uint32_t node)
{
	const struct sim_node *n = &s->node[node];

	if (n->type == FABRIC_SWITCH)
		return 0;
	for (unsigned p = 1; p <= n->nports; p++) {
		if (sim_int_port(s, node, p)->up)
			return p;
	}
	return 1;
}

void
sim_fault_rename(struct sim *s, uint32_t node, const char *name)
{
	struct sim_node *n = &s->node[node];

	memset(n->desc, 0, sizeof(n->desc));
	memcpy(n->desc, name, strnlen(name, sizeof(n->desc)));
	sim_trap_local(s, node, first_end_port(s, node), CHANGED_DESC);
}

void
sim_fault_capmask(struct sim *s, uint32_t node, unsigned port, uint32_t capmask)
{
	sim_int_port(s, node, port)->pi.capmask = capmask;
	sim_trap_local(s, node, port, 0);
}

/* Index of the mindless SM at a node, or -1. */
static int
find_other(const struct sim *s, uint32_t node)
{
	for (int i = 0; i < s->nothers; i++) {
		if (s->other[i].node == node)
			return i;
	}
	return -1;
}

void
sim_fault_other_sm(struct sim *s, uint32_t node, unsigned port,
	const struct mad_sm_info *says)
{
	int i = find_other(s, node);

	if (i < 0) {
		assert(s->nothers < SIM_MAX_OTHER_SMS);
		i = s->nothers++;
		s->other[i].node = node;
		s->other[i].port = (uint8_t)port;
		sim_fault_capmask(s, node, port,
			sim_int_port(s, node, port)->pi.capmask |
				MAD_CAP_IS_SM);
	}
	s->other[i].says = *says;
}

bool
sim_fault_other_sm_last(const struct sim *s, uint32_t node, uint32_t *modifier,
	struct mad_sm_info *sent)
{
	int i = find_other(s, node);

	if (i < 0 || !s->other[i].was_set)
		return false;
	*modifier = s->other[i].modifier;
	*sent = s->other[i].sent;
	return true;
}
