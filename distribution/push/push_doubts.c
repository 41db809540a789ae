/*
 * push_doubts: blocks by which switches forward that a copy of a Set may have
 * overwritten. A stage counts, of what was written before it, only what is in
 * place: so before it the blocks in doubt whose copy would change them are
 * read, when none can arrive any more. Where one did, or a switch does not say,
 * the push is broken, and the next plan starts from what is known then.
 */
#include "distribution/device/device_request.h"
#include "distribution/device/device_write.h"
#include "distribution/push/push_priv.h"
#include "distribution/tables/mft_cell.h"
#include "sm/mad/mad_ar.h"

/* Groups and entries count where the switch may choose by them. */
static bool
is_in_use(const struct device_store *hw, const struct device_at *at)
{
	const uint8_t *info =
		device_bytes(hw, device_at_switch(at->guid, DEVICE_AR_INFO));

	return (at->attr != DEVICE_AR_LFT && at->attr != DEVICE_AR_GROUP) ||
	       info == NULL || mad_ar_info_on(info) != 0;
}

/* Cells of multicast tables count where a copy has links between switches that
 * the cell has not: where it lacks some, the tree is in pieces. */
static bool
does_harm(const struct push *p, const struct device_doubt *d, node_ix n)
{
	return d->at.attr != DEVICE_MFT || d->any ||
	       mft_cell_adds(device_bytes(p->job.hw, d->at), d->copy,
		       mft_cell_links(push_topo(p), n, d->at.port));
}

/*
 * The switch's port for such a block that a copy would change, or TOPO_NONE.
 * One that is unknown counts with all its values in every stage.
 */
static port_ix
find_open(const struct push *p, const struct device_doubt *d)
{
	const struct topo *t = push_topo(p);
	node_ix n;

	if (!device_attribute[d->at.attr].forwards ||
		!device_is_threatened(p->job.hw, d) ||
		!is_in_use(p->job.hw, &d->at))
		return TOPO_NONE;
	n = topo_by_node_guid(t, d->at.guid);
	return n != TOPO_NONE && t->node[n].type == TOPO_SWITCH &&
			       d->at.port <= t->node[n].nports &&
			       does_harm(p, d, n)
		       ? topo_port_of(t, n, d->at.port)
		       : TOPO_NONE;
}

struct mono
push_doubts_end(const struct push *p)
{
	struct mono end = {0};
	size_t n;
	const struct device_doubt *d = device_doubts(p->job.hw, &n);

	for (size_t i = 0; i < n; i++)
		if (find_open(p, &d[i]) != TOPO_NONE &&
			mono_before(end, d[i].until))
			end = d[i].until;
	return end;
}

/* The next plan reads a row that it needs. A switch may be silent about groups
 * alone: the next plan switches them off. */
static void
fail_unread(struct push *p, const struct plan_step *s,
	const struct xact_result *res)
{
	p->broken = true;
	if (s->attr != DEVICE_LFT) {
		device_lose(p->job.hw, push_at(p, s));
		return;
	}
	device_unknown_block(p->job.hw, push_guid(p, s), s->block);
	push_ack_fail(p, s,
		res->outcome == XACT_STATUS ? PUSH_REFUSED : push_silence(res),
		"a block in doubt cannot be read");
}

static void
take_block(void *cookie, uint64_t tag, const struct xact_result *res)
{
	struct push *p = cookie;
	const struct plan_step s = {.port = (port_ix)(tag >> 32),
		.attr = tag >> 24 & 0xff,
		.kind = PLAN_LFT,
		.block = tag & 0xffffff};
	struct device_at at = push_at(p, &s);

	p->inflight--;
	if (res->outcome == XACT_CANCELLED)
		return;
	if (res->outcome != XACT_OK) {
		fail_unread(p, &s, res);
		return;
	}
	p->counts.reads++;
	device_settle(p->job.hw, at);
	if (device_attribute_lacks(at.attr, push_topo(p), s.port, s.block,
		    res->data, device_bytes(p->job.hw, at)) == 0)
		return;
	device_record(p->job.hw, push_topo(p), s.port, at, res->data);
	if (at.attr == DEVICE_SL2VL) {
		device_mark_undrained(p->job.hw);
		blocked_rows_found(device_blocked(p->job.hw), at.guid, at.block,
			at.port, res->data, res->now);
	}
	p->overwritten = p->broken = true;
}

static void
ask_for_block(struct push *p, port_ix port, const struct device_at *at,
	struct mono now)
{
	struct xact_request r;

	if (device_request_block(push_topo(p), port, at->attr, at->block, &r) !=
		0) {
		p->broken = true; /* no path to it: the next plan knows that */
		return;
	}
	r.method = MAD_GET;
	p->inflight++;
	xact_submit(p->job.x, &r, now, take_block, p,
		(uint64_t)port << 32 | (uint64_t)at->attr << 24 | at->block);
}

bool
push_doubts_settled(struct push *p, struct mono now)
{
	size_t n;
	const struct device_doubt *d = device_doubts(p->job.hw, &n);

	for (size_t i = 0; !p->reading && i < n; i++) {
		port_ix port = find_open(p, &d[i]);

		if (port != TOPO_NONE)
			ask_for_block(p, port, &d[i].at, now);
	}
	p->reading = p->inflight > 0;
	return !p->reading && !p->broken;
}
