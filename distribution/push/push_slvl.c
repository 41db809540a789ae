/*
 * push_slvl: rows of SL2VL, one by one or many in one Set, and arbitration
 * tables. A switch that cannot map SLs to VLs, or does not take a row for many
 * in one Set, is recorded as such; later phases rely on rows, and the next plan
 * does without. A port that takes no weights keeps its own.
 */
#include <string.h>

#include "distribution/push/push_priv.h"

static struct sl2vl_cache *
sl2vl_of(const struct push *p)
{
	return device_sl2vl(p->job.hw);
}

static unsigned
port_number(const struct push *p, const struct plan_step *s)
{
	return push_topo(p)->port[s->port].num;
}

static bool
sets_many_rows(const struct plan_step *s)
{
	return (s->mod & (PLAN_ALL_IN | PLAN_ALL_OUT)) != 0;
}

/* The (in-port, out-port) of an SL2VL step; an end port has one row. */
static void
step_dependency(const struct push *p, const struct plan_step *s, unsigned *in,
	unsigned *out)
{
	*in = s->mod >> 8 & 0xff;
	*out = port_number(p, s) != 0 ? port_number(p, s) : s->mod & 0xff;
}

/* The rows that a step is for: "all" has port 0 where that is enhanced. */
static struct sl2vl_span
step_span(const struct push *p, const struct plan_step *s)
{
	const struct topo *t = push_topo(p);
	const struct topo_node *n = &t->node[t->port[s->port].node];
	uint8_t first = (n->flags & TN_ENHANCED_P0) != 0 ? 0 : 1;
	unsigned in, out;

	step_dependency(p, s, &in, &out);
	return (struct sl2vl_span){
		.in = (s->mod & PLAN_ALL_IN) != 0 ? first : (uint8_t)in,
		.last_in =
			(s->mod & PLAN_ALL_IN) != 0 ? n->nports : (uint8_t)in,
		.out = (s->mod & PLAN_ALL_OUT) != 0 ? first : (uint8_t)out,
		.last_out =
			(s->mod & PLAN_ALL_OUT) != 0 ? n->nports : (uint8_t)out,
	};
}

/* The row that a step writes. */
static void
step_row(
	const struct push *p, const struct plan_step *s, uint8_t row[SL2VL_ROW])
{
	const struct sl2vl_block *h;
	unsigned in, out;

	step_dependency(p, s, &in, &out);
	h = sl2vl_is_blocked(sl2vl_of(p), push_guid(p, s), in, out);
	if (s->kind != PLAN_BLOCK && s->payload != PLAN_BEFORE)
		memcpy(row, p->plan->payload[s->payload], SL2VL_ROW);
	else if (h != NULL)
		memcpy(row, h->before, SL2VL_ROW);
	else
		sl2vl_make_default(16, row);
	if (s->kind == PLAN_BLOCK)
		sl2vl_block_sls(row, (uint16_t)s->payload);
}

static unsigned
step_part(const struct plan_step *s)
{
	return s->mod >> 16;
}

static bool
is_arb_in_place(const struct push *p, const struct plan_step *s)
{
	unsigned bytes = vlarb_bytes(push_topo(p), s->port, step_part(s));
	uint8_t is[VLARB_PART];

	return vlarb_cache_part(device_vlarbs(p->job.hw), push_guid(p, s),
		       port_number(p, s), step_part(s), is) &&
	       memcmp(is, p->plan->payload[s->payload], bytes) == 0;
}

bool
push_slvl_in_place(const struct push *p, const struct plan_step *s)
{
	uint8_t want[SL2VL_ROW], is[SL2VL_ROW];
	unsigned in, out;

	if (plan_reads(s))
		return false;
	if (s->attr == MAD_VLARB)
		return is_arb_in_place(p, s);
	if (s->attr != MAD_SL2VL || s->kind == PLAN_UNBLOCK ||
		sets_many_rows(s))
		return false;
	step_row(p, s, want);
	step_dependency(p, s, &in, &out);
	return sl2vl_get_row(sl2vl_of(p), push_guid(p, s), in, out, is) &&
	       memcmp(is, want, SL2VL_ROW) == 0;
}

void
push_slvl_load(
	struct push *p, const struct plan_step *s, uint8_t data[MAD_DATA])
{
	struct sl2vl_span all;

	if (s->attr == MAD_VLARB) {
		memcpy(data, p->plan->payload[s->payload], VLARB_PART);
		vlarb_cache_unknown(device_vlarbs(p->job.hw), push_guid(p, s),
			port_number(p, s), step_part(s));
		return;
	}
	step_row(p, s, data);
	all = step_span(p, s);
	sl2vl_unknown_span(sl2vl_of(p), push_guid(p, s), &all);
	sl2vl_mark_undrained(sl2vl_of(p));
}

/* Record that the switch does not do what its capabilities promise. */
static void
record_refusal(struct push *p, const struct plan_step *s, const char *how)
{
	uint64_t guid = push_guid(p, s);
	unsigned in, out;

	step_dependency(p, s, &in, &out);
	if (sets_many_rows(s)) {
		sl2vl_refuse_span(sl2vl_of(p), guid);
	} else {
		sl2vl_refuse(sl2vl_of(p), guid);
		if (s->kind == PLAN_BLOCK) /* it never was blocked */
			sl2vl_unblock(sl2vl_of(p), guid, in, out);
	}
	push_ack_fail(p, s, PUSH_NO_SL2VL, how);
}

static xact_done take_row_read;

/* A row was written, or read (asked) to see that a dependency is blocked. */
static void
take_row(struct push *p, size_t ix, const struct xact_result *res, bool asked)
{
	const struct plan_step *s = &p->plan->step[ix];
	uint64_t guid = push_guid(p, s);
	struct sl2vl_span all = step_span(p, s);
	uint8_t want[SL2VL_ROW];

	if (res->outcome == XACT_STATUS) {
		record_refusal(p, s, mad_status_name(res->status));
		return;
	}
	if (res->outcome != XACT_OK) {
		push_ack_fail(p, s, push_silence(res), "no answer");
		return;
	}
	if (s->kind == PLAN_LEARN) {
		sl2vl_set_span(sl2vl_of(p), guid, &all, res->data);
		p->counts.reads++;
		return;
	}
	step_row(p, s, want);
	if (!sets_many_rows(s))
		sl2vl_set_span(sl2vl_of(p), guid, &all, res->data);
	if (memcmp(res->data, want, SL2VL_ROW) != 0) {
		record_refusal(p, s,
			asked ? "does not hold the row that it acknowledged"
			      : "acknowledged another row");
		return;
	}
	if (s->kind == PLAN_BLOCK && !asked) {
		/* the transition relies on it: read it back */
		sl2vl_unknown_span(sl2vl_of(p), guid, &all);
		(void)push_ask(p, ix, res->now, take_row_read);
		return;
	}
	sl2vl_set_span(sl2vl_of(p), guid, &all, want);
	if (s->kind == PLAN_SLVL)
		sl2vl_mark_assigned(sl2vl_of(p), guid);
	if (s->kind == PLAN_UNBLOCK)
		sl2vl_unblock(sl2vl_of(p), guid, all.in, all.out);
	p->counts.other_sets++;
}

static void
take_row_read(void *cookie, uint64_t tag, const struct xact_result *res)
{
	struct push *p = cookie;

	p->inflight--;
	if (res->outcome == XACT_CANCELLED)
		return;
	p->counts.reads++;
	take_row(p, tag, res, true);
}

void
push_slvl_row_done(struct push *p, size_t ix, const struct xact_result *res)
{
	take_row(p, ix, res, false);
}

void
push_slvl_arb_done(struct push *p, const struct plan_step *s,
	const struct xact_result *res)
{
	struct vlarb_cache *v = device_vlarbs(p->job.hw);
	uint64_t guid = push_guid(p, s);
	unsigned num = port_number(p, s), part = step_part(s);
	unsigned bytes = vlarb_bytes(push_topo(p), s->port, part);
	uint8_t is[VLARB_PART] = {0};

	if (res->outcome == XACT_TIMEOUT) {
		push_ack_fail(p, s, push_silence(res), "no answer");
		return;
	}
	if (res->outcome != XACT_OK) {
		vlarb_cache_refuse(v, guid, num);
		push_ack_fail(
			p, s, PUSH_NO_WEIGHTS, mad_status_name(res->status));
		return;
	}
	memcpy(is, res->data, bytes);
	vlarb_cache_set_part(v, guid, num, part, is);
	if (s->kind == PLAN_LEARN) {
		p->counts.reads++;
	} else if (memcmp(is, p->plan->payload[s->payload], bytes) != 0) {
		vlarb_cache_refuse(v, guid, num);
		push_ack_fail(
			p, s, PUSH_NO_WEIGHTS, "acknowledged another table");
	} else {
		p->counts.other_sets++;
	}
}
