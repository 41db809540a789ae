/*
 * push_slvl: rows of SL2VL, one by one or many in one Set. A switch that cannot
 * map SLs to VLs, or does not take a row for many in one Set, is recorded as
 * such; later phases rely on rows, and the next plan does without.
 */
#include <string.h>

#include "distribution/device/device_write.h"
#include "distribution/push/push_priv.h"

static unsigned
port_number(const struct push *p, const struct plan_step *s)
{
	return push_topo(p)->port[s->port].num;
}

static bool
sets_many_rows(const struct plan_step *s)
{
	return (s->block & (PLAN_ALL_IN | PLAN_ALL_OUT)) != 0;
}

/* The (in-port, out-port) of an SL2VL step; an end port has one row, from 0. */
static void
step_dependency(const struct push *p, const struct plan_step *s, unsigned *in,
	unsigned *out)
{
	*in = s->block & 0xff;
	*out = port_number(p, s);
}

/* Rows from a range of in-ports to a range of out-ports. */
struct span {
	uint8_t in, last_in, out, last_out;
};

/* The rows that a step is for: "all" has port 0 where that is enhanced. */
static struct span
step_span(const struct push *p, const struct plan_step *s)
{
	const struct topo *t = push_topo(p);
	const struct topo_node *n = &t->node[t->port[s->port].node];
	uint8_t first = (n->flags & TN_ENHANCED_P0) != 0 ? 0 : 1;
	unsigned in, out;

	step_dependency(p, s, &in, &out);
	return (struct span){
		.in = (s->block & PLAN_ALL_IN) != 0 ? first : (uint8_t)in,
		.last_in =
			(s->block & PLAN_ALL_IN) != 0 ? n->nports : (uint8_t)in,
		.out = (s->block & PLAN_ALL_OUT) != 0 ? first : (uint8_t)out,
		.last_out = (s->block & PLAN_ALL_OUT) != 0 ? n->nports
							   : (uint8_t)out,
	};
}

/* The switch holds one row in the whole span; NULL: what it holds is unknown.
 */
static void
record_span(struct push *p, const struct plan_step *s, const uint8_t *row)
{
	struct span all = step_span(p, s);

	for (unsigned out = all.out; out <= all.last_out; out++)
		for (unsigned in = all.in; in <= all.last_in; in++) {
			struct device_at at =
				device_at_row(push_guid(p, s), in, out);

			if (row == NULL)
				device_lose(p->job.hw, at);
			else
				device_put(p->job.hw, at, row);
		}
}

/* The row that a step writes. */
static void
step_row(
	const struct push *p, const struct plan_step *s, uint8_t row[SL2VL_ROW])
{
	const struct blocked_row *h;
	unsigned in, out;

	step_dependency(p, s, &in, &out);
	h = blocked_rows_find(
		device_blocked(p->job.hw), push_guid(p, s), in, out);
	if (s->kind != PLAN_BLOCK && s->payload != PLAN_BEFORE)
		memcpy(row, p->plan->payload[s->payload], SL2VL_ROW);
	else if (h != NULL)
		memcpy(row, h->before, SL2VL_ROW);
	else
		sl2vl_row_default(16, row);
	if (s->kind == PLAN_BLOCK)
		sl2vl_row_block(row, (uint16_t)s->payload);
}

bool
push_slvl_in_place(const struct push *p, const struct plan_step *s)
{
	uint8_t want[SL2VL_ROW];
	const uint8_t *is;
	unsigned in, out;

	if (plan_reads(s))
		return false;
	if (s->attr != DEVICE_SL2VL || s->kind == PLAN_UNBLOCK ||
		sets_many_rows(s))
		return false;
	step_row(p, s, want);
	step_dependency(p, s, &in, &out);
	is = device_bytes(p->job.hw, device_at_row(push_guid(p, s), in, out));
	return is != NULL && memcmp(is, want, SL2VL_ROW) == 0;
}

void
push_slvl_load(
	struct push *p, const struct plan_step *s, uint8_t data[MAD_DATA])
{
	step_row(p, s, data);
	record_span(p, s, NULL);
	device_mark_undrained(p->job.hw);
}

/* Record that the switch does not do what its capabilities promise. */
static void
record_refusal(struct push *p, const struct plan_step *s, const char *how)
{
	uint64_t guid = push_guid(p, s);
	unsigned in, out;

	step_dependency(p, s, &in, &out);
	device_mark(p->job.hw, device_at_switch(guid, DEVICE_SL2VL),
		sets_many_rows(s) ? DEVICE_REFUSES_SPAN : DEVICE_REFUSES);
	if (s->kind == PLAN_BLOCK) /* it never was blocked */
		blocked_rows_remove(device_blocked(p->job.hw), guid, in, out);
	push_ack_fail(p, s, PUSH_NO_SL2VL, how);
}

static xact_done take_row_read;

/* A row was written, or read (asked) to see that a dependency is blocked. */
static void
take_row(struct push *p, size_t ix, const struct xact_result *res, bool asked)
{
	const struct plan_step *s = &p->plan->step[ix];
	uint64_t guid = push_guid(p, s);
	uint8_t want[SL2VL_ROW];
	unsigned in, out;

	if (res->outcome == XACT_STATUS) {
		record_refusal(p, s, mad_status_name(res->status));
		return;
	}
	if (res->outcome != XACT_OK) {
		push_ack_fail(p, s, push_silence(res), "no answer");
		return;
	}
	if (s->kind == PLAN_LEARN) {
		record_span(p, s, res->data);
		p->counts.reads++;
		return;
	}
	step_row(p, s, want);
	if (!sets_many_rows(s))
		record_span(p, s, res->data);
	if (memcmp(res->data, want, SL2VL_ROW) != 0) {
		record_refusal(p, s,
			asked ? "does not hold the row that it acknowledged"
			      : "acknowledged another row");
		return;
	}
	if (s->kind == PLAN_BLOCK && !asked) {
		/* the transition relies on it: read it back */
		record_span(p, s, NULL);
		(void)push_ask(p, ix, res->now, take_row_read);
		return;
	}
	record_span(p, s, want);
	if (s->kind == PLAN_SLVL)
		device_mark(p->job.hw, device_at_switch(guid, DEVICE_SL2VL),
			DEVICE_ASSIGNED);
	step_dependency(p, s, &in, &out);
	if (s->kind == PLAN_UNBLOCK)
		blocked_rows_settle(
			device_blocked(p->job.hw), guid, in, out, s->stays);
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

/* Copies of a Set may write the whole span once more. */
static void
doubt_span(struct push *p, const struct plan_step *s,
	const struct xact_result *res)
{
	struct span all = step_span(p, s);
	uint8_t row[SL2VL_ROW];

	step_row(p, s, row);
	for (unsigned out = all.out; out <= all.last_out; out++)
		for (unsigned in = all.in; in <= all.last_in; in++)
			device_doubt_copies(p->job.hw,
				device_at_row(push_guid(p, s), in, out), row,
				res, p->job.stray);
}

void
push_slvl_row_done(struct push *p, size_t ix, const struct xact_result *res)
{
	const struct plan_step *s = &p->plan->step[ix];

	if (!plan_reads(s) && (res->outcome == XACT_TIMEOUT || res->tries > 1))
		doubt_span(p, s, res);
	take_row(p, ix, res, false);
}
