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
push_pkeys_request(
	const struct push *p, const struct plan_step *s, struct xact_request *r)
{
	return pkey_read_request(push_topo(p), s->port, s->mod & 0xffff, r);
}

void
push_pkeys_sending(struct push *p, const struct plan_step *s)
{
	pkey_tables_unknown(device_ptables(p->job.hw), push_guid(p, s),
		number(p, s), s->mod & 0xffff);
}

void
push_pkeys_done(struct push *p, const struct plan_step *s,
	const struct xact_result *res)
{
	unsigned cap = pkey_table_cap(push_topo(p), s->port);
	unsigned at = (s->mod & 0xffff) * PKEY_TABLE_BLOCK, i;
	uint16_t key[PKEY_TABLE_BLOCK] = {0};

	if (res->outcome == XACT_TIMEOUT || res->tries > 1)
		pkey_tables_doubt(device_ptables(p->job.hw), push_guid(p, s),
			number(p, s), mono_add(res->now, p->job.stray));
	if (res->outcome == XACT_TIMEOUT) {
		push_ack_fail(p, s, push_silence(res), "no answer");
		return;
	}
	if (res->outcome != XACT_OK) {
		push_ack_fail(p, s, PUSH_NO_KEYS, mad_status_name(res->status));
		return;
	}
	for (i = 0; i < PKEY_TABLE_BLOCK && at + i < cap; i++)
		key[i] = be_get16(res->data + (size_t)2 * i);
	if (memcmp(res->data, p->plan->payload[s->payload], (size_t)2 * i) !=
		0) {
		push_ack_fail(p, s, PUSH_NO_KEYS, "acknowledged other keys");
		return;
	}
	pkey_tables_set_block(device_ptables(p->job.hw), push_guid(p, s),
		number(p, s), s->mod & 0xffff, key);
	p->counts.other_sets++;
}

void
push_pkeys_seen(struct push *p, const struct plan_step *s,
	const struct mad_port_info *is, const struct mad_port_info *want)
{
	if ((want->enf_in && !is->enf_in) || (want->enf_out && !is->enf_out))
		pkey_tables_refuse(device_ptables(p->job.hw), push_guid(p, s),
			number(p, s));
}
