#include <string.h>

#include "sm/base/be.h"
#include "sm/mad/mad_violation.h"
#include "tests/sim/model/sim_int.h"

/* M_KeyProtectBits from which on a Get needs the key too. */
enum { PROTECT_GET = 2 };

/*
 * Trap 259: its valid fields: both LIDs, the P_Key, SL and QPs, the switch's
 * LID and port.
 */
enum { DATA_VALID = 0x0f };

enum { P_KEY_NUMBER = 0x7fff, P_KEY_FULL = 0x8000 };

static bool
is_switch(const struct sim *s, uint32_t node)
{
	return s->node[node].type == FABRIC_SWITCH;
}

/* ---- M_Key ---- */

/* The port with the M_Key that guards requests arriving by a port. */
static struct sim_port *
guard_of(const struct sim *s, uint32_t node, unsigned port)
{
	return sim_int_port(s, node, is_switch(s, node) ? 0 : port);
}

static void
report_violation(struct sim *s, const struct sim_msg *q, const struct smp *req)
{
	unsigned hops = req->hop_cnt;
	struct mad_violation v = {
		.lid = q->m.addr.lid,
		.directed = req->mgmt_class == MAD_SUBN_DR,
		.dr_slid = req->dr_slid,
		.method = req->method,
		.attr = req->attr,
		.mod = req->mod,
		.mkey = req->mkey,
	};

	if (v.directed) {
		v.truncated = hops >= MAD_VIOLATION_HOPS;
		v.hops = (uint8_t)(v.truncated ? MAD_VIOLATION_HOPS : hops);
		memcpy(v.ret_path, req->ret_path, v.hops);
	}
	sim_trap_violation(s, q->node, is_switch(s, q->node) ? 0 : q->port,
		MAD_VIOLATION_M_KEY, &v);
}

/* Whether the key permits the request at this port; also runs the lease. */
static bool
is_mkey_accepted(struct sim *s, struct sim_port *p, const struct smp *req)
{
	/* protection ends with a lease in which no request bore the key */
	if (p->lease.ns != 0 && !mono_before(s->now, p->lease)) {
		p->lease.ns = 0;
		p->pi.mkey_prot = 0;
	}
	if (p->pi.mkey == 0 || p->pi.mkey == req->mkey) {
		p->lease.ns = 0;
		return true;
	}
	if (req->method == MAD_GET && p->pi.mkey_prot < PROTECT_GET)
		return true;
	if (p->pi.mkey_viol < UINT16_MAX)
		p->pi.mkey_viol++;
	if (p->lease.ns == 0 && p->pi.mkey_lease > 0)
		p->lease = mono_add(
			s->now, mono_ms((int64_t)p->pi.mkey_lease * 1000));
	return false;
}

bool
sim_key_check(struct sim *s, const struct sim_msg *q, const struct smp *req)
{
	struct sim_port *here = guard_of(s, q->node, q->port), *there = here;
	unsigned num = req->mod & 0xff;

	if (req->attr == MAD_SM_INFO)
		return true;
	if (req->attr == MAD_PORT_INFO && !is_switch(s, q->node) && num > 0 &&
		num <= s->node[q->node].nports)
		there = sim_int_port(s, q->node, num);
	if (is_mkey_accepted(s, here, req) &&
		(there == here || is_mkey_accepted(s, there, req)))
		return true;
	report_violation(s, q, req);
	return false;
}

/* ---- P_Key and Q_Key ---- */

unsigned
sim_key_entries(const struct sim *s, uint32_t node, unsigned port)
{
	return is_switch(s, node) && port > 0 ? s->node[node].sw->si.enf_cap
					      : s->o.pkeys;
}

/* Whether a P_Key is in the table; switches compare the number alone. */
static bool
in_table(const struct sim *s, uint32_t node, unsigned port, uint16_t pkey)
{
	const struct sim_port *p = sim_int_port(s, node, port);
	unsigned n = sim_key_entries(s, node, port);
	bool external = is_switch(s, node) && port > 0;

	for (unsigned i = 0; i < n; i++) {
		uint16_t e = p->pkeys ? be_get16(p->pkeys + (size_t)2 * i)
			     : i      ? 0
				      : SIM_DEFAULT_PKEY;

		if ((e & P_KEY_NUMBER) != 0 &&
			(e & P_KEY_NUMBER) == (pkey & P_KEY_NUMBER) &&
			(external || (e | pkey) & P_KEY_FULL))
			return true;
	}
	return false;
}

bool
sim_pkey_passes(const struct sim *s, uint32_t node, unsigned port,
	uint16_t pkey, bool inbound)
{
	const struct mad_port_info *pi = &sim_int_port(s, node, port)->pi;

	if (is_switch(s, node) && port > 0 &&
		!(inbound ? pi->enf_in : pi->enf_out))
		return true;
	return in_table(s, node, port, pkey);
}

void
sim_bad_key(struct sim *s, uint32_t node, unsigned port,
	const struct sim_bad_key *k)
{
	struct sim_port *p = sim_int_port(s, node, port);
	bool external = is_switch(s, node) && port > 0;
	uint16_t trap = k->qkey ? MAD_VIOLATION_Q_KEY : MAD_VIOLATION_P_KEY;
	uint16_t *count = k->qkey ? &p->pi.qkey_viol : &p->pi.pkey_viol;
	struct mad_violation v = {
		.lid = k->slid,
		.lid2 = k->dlid,
		.key = k->key,
		.sl = k->sl,
		.qp1 = k->qp1,
		.qp2 = k->qp2,
		.gid2 = {p->pi.gid_prefix, p->guid},
	};

	if (external) {
		trap = MAD_VIOLATION_SWITCH_P_KEY;
		v.valid = DATA_VALID;
		v.switch_lid = sim_int_port(s, node, 0)->pi.lid;
		v.port = (uint8_t)port;
		v.gid2[0] = 0;
		sim_perf_count(p, k->inbound ? MAD_PERF_RCV_CONSTRAINT
					     : MAD_PERF_XMIT_CONSTRAINT);
		port = 0;
	}
	if (*count < UINT16_MAX)
		++*count;
	sim_trap_violation(s, node, port, trap, &v);
}
