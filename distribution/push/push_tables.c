/*
 * push_tables: tables that are written block by block: arbitration, P_Keys,
 * alias GUIDs, multicast. What a port does not take it is not failed for as a
 * whole: a host without its keys is not made Active, a port without weights
 * keeps its own. A switch that refuses a multicast block gets no more of them;
 * what it acknowledges instead is what it holds.
 */
#include <string.h>

#include "distribution/device/device_write.h"
#include "distribution/push/push_priv.h"

/* What it means that a device does not take a block. */
static const struct {
	enum push_cause cause;
	bool marked;	   /* as what its port refuses, or the switch */
	const char *other; /* or NULL: it may acknowledge another value */
} refusals[DEVICE_ATTRS] = {
	[DEVICE_VLARB] = {PUSH_NO_WEIGHTS, true, "acknowledged another table"},
	[DEVICE_PKEY] = {PUSH_NO_KEYS, false, "acknowledged other keys"},
	[DEVICE_GUIDS] = {PUSH_NO_GUIDS, true, "acknowledged other GUIDs"},
	[DEVICE_MFT] = {PUSH_REFUSED, true, NULL},
};

static struct device_set
set_of(const struct push *p, const struct plan_step *s)
{
	return (struct device_set){.topo = push_topo(p),
		.port = s->port,
		.attr = (enum device_attr)s->attr,
		.block = s->block,
		.data = p->plan->payload[s->payload]};
}

bool
push_tables_in_place(const struct push *p, const struct plan_step *s)
{
	struct device_set set;

	if (device_attribute[s->attr].bytes == 0 || s->attr == DEVICE_LFT ||
		s->attr == DEVICE_SL2VL || plan_reads(s))
		return false;
	set = set_of(p, s);
	return device_has_taken(p->job.hw, &set);
}

void
push_tables_load(
	struct push *p, const struct plan_step *s, uint8_t data[MAD_DATA])
{
	const struct device_set set = set_of(p, s);

	memcpy(data, set.data, MAD_DATA);
	device_set_leaves(p->job.hw, &set);
}

static void
fail_step(struct push *p, const struct plan_step *s, const char *how)
{
	struct device_at at = push_at(p, s);

	if (device_attribute[s->attr].by_port0)
		at.port = 0;
	if (refusals[s->attr].marked)
		device_mark(p->job.hw, at, DEVICE_REFUSES);
	push_ack_fail(p, s, refusals[s->attr].cause, how);
}

/* The answer to a Get. */
static void
take_read(struct push *p, const struct plan_step *s,
	const struct xact_result *res)
{
	if (res->outcome == XACT_TIMEOUT) {
		push_ack_fail(p, s, push_silence(res), "no answer");
	} else if (res->outcome == XACT_STATUS) {
		fail_step(p, s, mad_status_name(res->status));
	} else {
		device_record(p->job.hw, push_topo(p), s->port, push_at(p, s),
			res->data);
		p->counts.reads++;
	}
}

void
push_tables_done(struct push *p, const struct plan_step *s,
	const struct xact_result *res)
{
	struct device_set set;

	if (plan_reads(s)) {
		take_read(p, s, res);
		return;
	}
	set = set_of(p, s);
	switch (device_set_answered(p->job.hw, &set, res, p->job.stray)) {
	case DEVICE_TOOK:
		p->counts.other_sets++;
		break;
	case DEVICE_TOOK_OTHER:
		if (refusals[s->attr].other == NULL)
			p->counts.other_sets++;
		else
			fail_step(p, s, refusals[s->attr].other);
		break;
	case DEVICE_REFUSED:
		fail_step(p, s, mad_status_name(res->status));
		break;
	case DEVICE_LOST:
		push_ack_fail(p, s, push_silence(res), "no answer");
		break;
	}
}
