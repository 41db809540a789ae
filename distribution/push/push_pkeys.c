/*
 * P_Keys on their way: what is believed of tables, and of ports that enforce
 * partitions. A host that does not take its keys is not made Active; what else
 * is on its way does not rely on it.
 */
#include <string.h>

#include "distribution/device/pkey_read.h"
#include "distribution/push/push_priv.h"
#include "sm/base/be.h"

static unsigned
number(const struct push *p, const struct plan_step *s)
{
	return push_topo(p)->port[s->port].num;
}

int
push_keys_request(
	const struct push *p, const struct plan_step *s, struct xact_request *r)
{
	return ptable_read_request(push_topo(p), s->port, s->mod & 0xffff, r);
}

void
push_keys_sending(struct push *p, const struct plan_step *s)
{
	ptables_unknown(hw_ptables(p->job.hw), push_guid(p, s), number(p, s),
		s->mod & 0xffff);
}

void
push_keys_done(struct push *p, const struct plan_step *s,
	const struct xact_result *res)
{
	unsigned cap = ptable_cap(push_topo(p), s->port);
	unsigned at = (s->mod & 0xffff) * PTABLE_BLOCK, i;
	uint16_t key[PTABLE_BLOCK] = {0};

	if (res->outcome == XACT_TIMEOUT || res->tries > 1)
		ptables_doubt(hw_ptables(p->job.hw), push_guid(p, s),
			number(p, s), mono_add(res->now, p->job.stray));
	if (res->outcome == XACT_TIMEOUT) {
		push_ack_fail(p, s, push_silence(res), "no answer");
		return;
	}
	if (res->outcome != XACT_OK) {
		push_ack_fail(p, s, PUSH_NO_KEYS, mad_status_name(res->status));
		return;
	}
	for (i = 0; i < PTABLE_BLOCK && at + i < cap; i++)
		key[i] = be_get16(res->data + (size_t)2 * i);
	if (memcmp(res->data, p->plan->payload[s->payload], (size_t)2 * i) !=
		0) {
		push_ack_fail(p, s, PUSH_NO_KEYS, "took other keys");
		return;
	}
	ptables_set_block(hw_ptables(p->job.hw), push_guid(p, s), number(p, s),
		s->mod & 0xffff, key);
	p->counts.other_sets++;
}

void
push_keys_seen(struct push *p, const struct plan_step *s,
	const struct mad_port_info *is, const struct mad_port_info *want)
{
	if ((want->enf_in && !is->enf_in) || (want->enf_out && !is->enf_out))
		ptables_refuse(
			hw_ptables(p->job.hw), push_guid(p, s), number(p, s));
}
