#include "sm/core/trap_fault.h"

#include <stdio.h>
#include <string.h>

#include "sm/core/sm_priv.h"
#include "sm/mad/mad_violation.h"

static int
kind_of(unsigned trap)
{
	switch (trap) {
	case MAD_TRAP_LINK_ERRORS:
		return SM_FAULT_LINK_ERRORS;
	case MAD_TRAP_OVERRUNS:
		return SM_FAULT_OVERRUNS;
	case MAD_TRAP_FLOW_CONTROL:
		return SM_FAULT_FLOW_CONTROL;
	case MAD_VIOLATION_M_KEY:
		return SM_FAULT_M_KEY;
	case MAD_VIOLATION_P_KEY:
		return SM_FAULT_P_KEY;
	case MAD_VIOLATION_Q_KEY:
		return SM_FAULT_Q_KEY;
	case MAD_VIOLATION_SWITCH_P_KEY:
		return SM_FAULT_SWITCH_P_KEY;
	default:
		return -1;
	}
}

struct port_text {
	char s[112];
};

/* The port with a LID, by name or GUID; of a switch port num. */
static struct port_text
name_port(const struct sm *sm, uint16_t lid, unsigned num)
{
	const struct topo *t = sm->view != NULL ? sm->view->topo : NULL;
	port_ix p =
		t != NULL && lid != 0 ? topo_by_lid(t, lid, NULL) : TOPO_NONE;
	struct port_text out;
	const struct topo_node *n;
	const char *name;

	if (p == TOPO_NONE) {
		(void)snprintf(
			out.s, sizeof(out.s), "lid %u (of no port here)", lid);
		return out;
	}
	n = &t->node[t->port[p].node];
	name = topo_desc(t, t->port[p].node);
	if (n->type != TOPO_SWITCH)
		num = t->port[p].num;
	if (*name != '\0')
		(void)snprintf(out.s, sizeof(out.s), "\"%.64s\" port %u lid %u",
			name, num, lid);
	else
		(void)snprintf(out.s, sizeof(out.s), "0x%016llx port %u lid %u",
			(unsigned long long)n->guid, num, lid);
	return out;
}

/* What a trap about a fault says: the port that it is about, and the fault. */
struct fault {
	struct port_text port;
	char what[304];
};

static void
describe_violation(struct sm *sm, uint16_t from, const struct mad_notice *n,
	const uint8_t data[MAD_DATA], struct fault *out)
{
	bool in_switch = n->trap == MAD_VIOLATION_SWITCH_P_KEY;
	struct mad_violation v;

	mad_violation_decode(data, n->trap, &v);
	out->port = name_port(sm, in_switch ? v.switch_lid : from, v.port);
	(void)snprintf(out->what, sizeof(out->what),
		"a packet from %s to %s has a wrong %s 0x%x",
		name_port(sm, v.lid, 0).s, name_port(sm, v.lid2, 0).s,
		n->trap == MAD_VIOLATION_Q_KEY ? "Q_Key" : "P_Key", v.key);
}

/* The LID of a request by directed route alone is the permissive one: the port
 * that sent it is not known. */
static void
describe_m_key(struct sm *sm, uint16_t from, const uint8_t data[MAD_DATA],
	struct fault *out)
{
	struct mad_violation v;

	mad_violation_decode(data, MAD_VIOLATION_M_KEY, &v);
	out->port = name_port(sm, from, 0);
	(void)snprintf(out->what, sizeof(out->what),
		"a %s of attribute 0x%04x by %s has a wrong M_Key",
		v.method == MAD_SET ? "Set" : "Get", v.attr,
		v.directed && v.lid == MAD_LID_PERMISSIVE
			? "a directed route"
			: name_port(sm, v.lid, 0).s);
}

static void
describe_link(struct sm *sm, uint16_t from, const struct mad_notice *n,
	int kind, struct fault *out)
{
	static const char *const words[] = {
		[SM_FAULT_LINK_ERRORS] = "errors of the link reached the "
					 "threshold",
		[SM_FAULT_OVERRUNS] = "buffer overruns reached the threshold",
		[SM_FAULT_FLOW_CONTROL] = "flow control updates of the link "
					  "are missing",
	};

	out->port = name_port(
		sm, n->data_lid != 0 ? n->data_lid : from, n->data_port);
	(void)snprintf(out->what, sizeof(out->what), "%s", words[kind]);
}

void
trap_fault_report(struct sm *sm, uint16_t lid, const struct mad_notice *n,
	const uint8_t data[MAD_DATA], bool told, struct mono now)
{
	int kind = kind_of(n->trap);
	bool of_link = kind <= SM_FAULT_FLOW_CONTROL;
	struct event e = {.kind = of_link ? EVENT_LINK_FAULT : EVENT_VIOLATION};
	struct fault f;

	if (kind < 0)
		return;
	sm->stat.faults[kind]++;
	if (of_link)
		describe_link(sm, lid, n, kind, &f);
	else if (kind == SM_FAULT_M_KEY)
		describe_m_key(sm, lid, data, &f);
	else
		describe_violation(sm, lid, n, data, &f);
	(void)snprintf(sm->stat.fault, sizeof(sm->stat.fault),
		"trap %u from %s: %s", n->trap, f.port.s, f.what);
	event_text(&e, "port", f.port.s);
	event_number(&e, "trap", n->trap);
	event_text(&e, "what", f.what);
	if (told)
		events_tell(sm, &e, now);
}
