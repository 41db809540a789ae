/*
 * push_pkeys: what is recorded of P_Key tables, and of ports that enforce
 * partitions. A host that does not take its keys is not made Active; no other
 * step relies on them.
 */
#include <string.h>

#include "distribution/push/push_priv.h"

static unsigned
port_number(const struct push *p, const struct plan_step *s)
{
	return push_topo(p)->port[s->port].num;
}

static struct device_at
step_block(const struct push *p, const struct plan_step *s)
{
	return device_at_keys(
		push_guid(p, s), port_number(p, s), s->mod & 0xffff);
}

void
push_pkeys_sending(struct push *p, const struct plan_step *s)
{
	device_lose(p->job.hw, step_block(p, s));
}

void
push_pkeys_done(struct push *p, const struct plan_step *s,
	const struct xact_result *res)
{
	unsigned cap = pkey_table_cap(push_topo(p), s->port);
	unsigned at = (s->mod & 0xffff) * PKEY_TABLE_BLOCK;
	unsigned n = cap - at < PKEY_TABLE_BLOCK ? cap - at : PKEY_TABLE_BLOCK;
	uint8_t key[MAD_DATA] = {0};

	if (res->outcome == XACT_TIMEOUT || res->tries > 1)
		device_doubt(p->job.hw,
			device_at_keys(push_guid(p, s), port_number(p, s), 0),
			mono_add(res->now, p->job.stray));
	if (res->outcome == XACT_TIMEOUT) {
		push_ack_fail(p, s, push_silence(res), "no answer");
		return;
	}
	if (res->outcome != XACT_OK) {
		push_ack_fail(p, s, PUSH_NO_KEYS, mad_status_name(res->status));
		return;
	}
	memcpy(key, res->data, (size_t)2 * n);
	if (memcmp(key, p->plan->payload[s->payload], (size_t)2 * n) != 0) {
		push_ack_fail(p, s, PUSH_NO_KEYS, "acknowledged other keys");
		return;
	}
	device_put(p->job.hw, step_block(p, s), key);
	p->counts.other_sets++;
}

void
push_pkeys_seen(struct push *p, const struct plan_step *s,
	const struct mad_port_info *is, const struct mad_port_info *want)
{
	if ((want->enf_in && !is->enf_in) || (want->enf_out && !is->enf_out))
		device_mark(p->job.hw, step_block(p, s), DEVICE_REFUSES);
}
