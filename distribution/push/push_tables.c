/*
 * push_tables: tables that are written block by block: arbitration, P_Keys,
 * alias GUIDs, multicast. What a port does not take it is not failed for as a
 * whole: a host without its keys is not made Active, a port without weights
 * keeps its own. A switch that refuses a multicast block gets no more of them;
 * what it acknowledges instead is what it holds.
 */
#include <string.h>

#include "distribution/device/adaptive_can.h"
#include "distribution/device/adaptive_seen.h"
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
	[DEVICE_AR_INFO] = {PUSH_NO_ADAPTIVE, false,
		"acknowledged other adaptive settings"},
	[DEVICE_AR_GROUP] = {PUSH_NO_ADAPTIVE, false,
		"acknowledged another adaptive group"},
	[DEVICE_AR_LFT] = {PUSH_NO_ADAPTIVE, false,
		"acknowledged other adaptive entries"},
};

static bool
is_adaptive(const struct plan_step *s)
{
	return refusals[s->attr].cause == PUSH_NO_ADAPTIVE;
}

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

/*
 * The switch forwards by its table alone from now on, and gets no more of this.
 * Where it may be on although it should not, it is one more that does not obey:
 * foreign_adaptive.h has it asked again, and named.
 */
static void
note_not_adaptive(
	struct push *p, const struct plan_step *s, enum adaptive_state state)
{
	const uint8_t *sent = p->plan->payload[s->payload];
	uint64_t guid = push_guid(p, s);
	bool off = s->kind == PLAN_ADAPTIVE_OFF;

	adaptive_can_not(p->job.hw, guid);
	if (s->attr == DEVICE_AR_INFO && !plan_reads(s) &&
		(off || mad_ar_info_on(sent) != 0))
		adaptive_seen_put(p->job.hw, guid,
			(struct adaptive_seen){off ? state : ADAPTIVE_UNTOLD,
				MAD_AR_ON_GROUPS, ADAPTIVE_REV1});
}

bool
push_tables_are_void(const struct push *p, const struct plan_step *s)
{
	return is_adaptive(s) && s->kind != PLAN_ADAPTIVE_OFF &&
	       device_marked(p->job.hw,
		       device_at_switch(push_guid(p, s), DEVICE_AR_INFO),
		       DEVICE_REFUSES);
}

static void
fail_step(struct push *p, const struct plan_step *s, enum adaptive_state state,
	const char *how)
{
	struct device_at at = push_at(p, s);

	if (device_attribute[s->attr].by_port0)
		at.port = 0;
	if (is_adaptive(s))
		note_not_adaptive(p, s, state);
	if (refusals[s->attr].marked)
		device_mark(p->job.hw, at, DEVICE_REFUSES);
	push_ack_fail(p, s, refusals[s->attr].cause, how);
}

void
push_tables_lose_choice(struct push *p, const struct plan_step *s)
{
	struct device_at at = device_at_switch(push_guid(p, s), DEVICE_AR_INFO);
	const uint8_t *is = device_bytes(p->job.hw, at);

	if (is != NULL && mad_ar_info_on(is) != 0 &&
		!device_marked(p->job.hw, at, DEVICE_STAYS_ON))
		device_lose(p->job.hw, at);
}

/* A switch that answers everything else may be silent about adaptive groups. */
static void
lose_answer(struct push *p, const struct plan_step *s,
	const struct xact_result *res)
{
	if (is_adaptive(s) && !res->cut)
		fail_step(p, s, ADAPTIVE_SILENT, "no answer");
	else
		push_ack_fail(p, s, push_silence(res), "no answer");
}

/* The answer to a Get. */
static void
take_read(struct push *p, const struct plan_step *s,
	const struct xact_result *res)
{
	if (res->outcome == XACT_TIMEOUT) {
		lose_answer(p, s, res);
	} else if (res->outcome == XACT_STATUS) {
		fail_step(p, s, ADAPTIVE_REFUSED, mad_status_name(res->status));
	} else {
		device_record(p->job.hw, push_topo(p), s->port, push_at(p, s),
			res->data);
		if (s->kind == PLAN_ADAPTIVE_READ &&
			mad_ar_info_on(res->data) != 0)
			device_mark(p->job.hw,
				device_at_switch(
					push_guid(p, s), DEVICE_AR_INFO),
				DEVICE_STAYS_ON);
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
			fail_step(p, s, ADAPTIVE_KEPT, refusals[s->attr].other);
		break;
	case DEVICE_REFUSED:
		fail_step(p, s, ADAPTIVE_REFUSED, mad_status_name(res->status));
		break;
	case DEVICE_LOST:
		lose_answer(p, s, res);
		break;
	}
}
