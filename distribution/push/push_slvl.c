/*
 * Lanes on their way: rows of SL2VL, one by one or many at once, and tables of
 * arbitration. A switch that cannot map lanes, or takes no rows for many turns,
 * is remembered as such; what comes after relies on rows, and the next plan
 * does without. A port that takes no weights keeps its own.
 */
#include <string.h>

#include "distribution/push/push_priv.h"

static struct turns *
turns_of(const struct push *p)
{
	return hw_turns(p->job.hw);
}

static unsigned
port_num(const struct push *p, const struct plan_step *s)
{
	return push_topo(p)->port[s->port].num;
}

static bool
many(const struct plan_step *s)
{
	return (s->mod & (PLAN_ALL_IN | PLAN_ALL_OUT)) != 0;
}

/* The turn that a step about SL2VL is for; an end port has one row. */
static void
turn(const struct push *p, const struct plan_step *s, unsigned *in,
	unsigned *out)
{
	*in = s->mod >> 8 & 0xff;
	*out = port_num(p, s) != 0 ? port_num(p, s) : s->mod & 0xff;
}

/* Those that it is for: "all" has port 0 where that is enhanced. */
static struct turns_span
span(const struct push *p, const struct plan_step *s)
{
	const struct topo *t = push_topo(p);
	const struct topo_node *n = &t->node[t->port[s->port].node];
	uint8_t first = (n->flags & TN_ENHANCED_P0) != 0 ? 0 : 1;
	unsigned in, out;

	turn(p, s, &in, &out);
	return (struct turns_span){
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
row_of(const struct push *p, const struct plan_step *s, uint8_t row[TURNS_ROW])
{
	const struct turns_hold *h;
	unsigned in, out;

	turn(p, s, &in, &out);
	h = turns_held(turns_of(p), push_guid(p, s), in, out);
	if (s->kind != PLAN_BLOCK && s->payload != PLAN_BEFORE)
		memcpy(row, p->plan->payload[s->payload], TURNS_ROW);
	else if (h != NULL)
		memcpy(row, h->before, TURNS_ROW);
	else
		turns_straight(16, row);
	if (s->kind == PLAN_BLOCK)
		turns_close(row, (uint16_t)s->payload);
}

static unsigned
part_of(const struct plan_step *s)
{
	return s->mod >> 16;
}

static bool
arb_in_place(const struct push *p, const struct plan_step *s)
{
	unsigned bytes = vlarb_bytes(push_topo(p), s->port, part_of(s));
	uint8_t is[VLARB_PART];

	return vlarbs_part(hw_vlarbs(p->job.hw), push_guid(p, s),
		       port_num(p, s), part_of(s), is) &&
	       memcmp(is, p->plan->payload[s->payload], bytes) == 0;
}

bool
push_lanes_in_place(const struct push *p, const struct plan_step *s)
{
	uint8_t want[TURNS_ROW], is[TURNS_ROW];
	unsigned in, out;

	if (plan_reads(s))
		return false;
	if (s->attr == MAD_VLARB)
		return arb_in_place(p, s);
	if (s->attr != MAD_SL2VL || s->kind == PLAN_UNBLOCK || many(s))
		return false;
	row_of(p, s, want);
	turn(p, s, &in, &out);
	return turns_row(turns_of(p), push_guid(p, s), in, out, is) &&
	       memcmp(is, want, TURNS_ROW) == 0;
}

void
push_lanes_load(
	struct push *p, const struct plan_step *s, uint8_t data[MAD_DATA])
{
	struct turns_span all;

	if (s->attr == MAD_VLARB) {
		memcpy(data, p->plan->payload[s->payload], VLARB_PART);
		vlarbs_unknown(hw_vlarbs(p->job.hw), push_guid(p, s),
			port_num(p, s), part_of(s));
		return;
	}
	row_of(p, s, data);
	all = span(p, s);
	turns_unknown_span(turns_of(p), push_guid(p, s), &all);
	turns_move(turns_of(p));
}

/* It does not do what its capabilities promise. */
static void
refused(struct push *p, const struct plan_step *s, const char *how)
{
	uint64_t guid = push_guid(p, s);
	unsigned in, out;

	turn(p, s, &in, &out);
	if (many(s)) {
		turns_refuse_span(turns_of(p), guid);
	} else {
		turns_refuse(turns_of(p), guid);
		if (s->kind == PLAN_BLOCK) /* it never was closed */
			turns_lift(turns_of(p), guid, in, out);
	}
	push_ack_fail(p, s, PUSH_NO_LANES, how);
}

static xact_done row_asked;

/* A row was written, or read (asked) to see that a turn is closed. */
static void
row_said(struct push *p, size_t ix, const struct xact_result *res, bool asked)
{
	const struct plan_step *s = &p->plan->step[ix];
	uint64_t guid = push_guid(p, s);
	struct turns_span all = span(p, s);
	uint8_t want[TURNS_ROW];

	if (res->outcome == XACT_STATUS) {
		refused(p, s, mad_status_name(res->status));
		return;
	}
	if (res->outcome != XACT_OK) {
		push_ack_fail(p, s, push_silence(res), "no answer");
		return;
	}
	if (s->kind == PLAN_LEARN) {
		turns_set_span(turns_of(p), guid, &all, res->data);
		p->counts.reads++;
		return;
	}
	row_of(p, s, want);
	if (!many(s))
		turns_set_span(turns_of(p), guid, &all, res->data);
	if (memcmp(res->data, want, TURNS_ROW) != 0) {
		refused(p, s,
			asked ? "does not hold the row" : "took another row");
		return;
	}
	if (s->kind == PLAN_BLOCK && !asked) {
		/* lives hang on it: what does it hold? */
		turns_unknown_span(turns_of(p), guid, &all);
		(void)push_ask(p, ix, res->now, row_asked);
		return;
	}
	turns_set_span(turns_of(p), guid, &all, want);
	if (s->kind == PLAN_LANES)
		turns_lay(turns_of(p), guid);
	if (s->kind == PLAN_UNBLOCK)
		turns_lift(turns_of(p), guid, all.in, all.out);
	p->counts.other_sets++;
}

static void
row_asked(void *cookie, uint64_t tag, const struct xact_result *res)
{
	struct push *p = cookie;

	p->inflight--;
	if (res->outcome == XACT_CANCELLED)
		return;
	p->counts.reads++;
	row_said(p, tag, res, true);
}

void
push_lanes_row_done(struct push *p, size_t ix, const struct xact_result *res)
{
	row_said(p, ix, res, false);
}

void
push_lanes_arb_done(struct push *p, const struct plan_step *s,
	const struct xact_result *res)
{
	struct vlarbs *v = hw_vlarbs(p->job.hw);
	uint64_t guid = push_guid(p, s);
	unsigned num = port_num(p, s), part = part_of(s);
	unsigned bytes = vlarb_bytes(push_topo(p), s->port, part);
	uint8_t is[VLARB_PART] = {0};

	if (res->outcome == XACT_TIMEOUT) {
		push_ack_fail(p, s, push_silence(res), "no answer");
		return;
	}
	if (res->outcome != XACT_OK) {
		vlarbs_refuse(v, guid, num);
		push_ack_fail(
			p, s, PUSH_NO_WEIGHTS, mad_status_name(res->status));
		return;
	}
	memcpy(is, res->data, bytes);
	vlarbs_set_part(v, guid, num, part, is);
	if (s->kind == PLAN_LEARN) {
		p->counts.reads++;
	} else if (memcmp(is, p->plan->payload[s->payload], bytes) != 0) {
		vlarbs_refuse(v, guid, num);
		push_ack_fail(p, s, PUSH_NO_WEIGHTS, "took another table");
	} else {
		p->counts.other_sets++;
	}
}
