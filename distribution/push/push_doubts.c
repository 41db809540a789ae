/*
 * push_doubts: forwarding blocks that a copy of a Set may have overwritten. A
 * stage counts, of what was written before it, only what is in place: so before
 * it the blocks in doubt whose copy would change them are read, when none can
 * arrive any more. Where one did, or a switch does not say, the push is broken,
 * and the next plan starts from what is known then.
 */
#include <string.h>

#include "distribution/device/device_request.h"
#include "distribution/push/push_priv.h"

/*
 * The switch's port 0 for a block in doubt that may hold another value than
 * known, or TOPO_NONE. A block that is unknown counts with all its values in
 * every stage.
 */
static port_ix
find_open(const struct push *p, const struct device_doubt *d)
{
	const struct device_store *hw = p->job.hw;
	const struct topo *t = push_topo(p);
	node_ix n;

	if (d->at.attr != DEVICE_LFT ||
		device_block(hw, d->at.guid, d->at.block) == DEVICE_UNKNOWN ||
		device_values(hw, d->at.guid, d->at.block, NULL, 0) == 1)
		return TOPO_NONE;
	n = topo_by_node_guid(t, d->at.guid);
	return n == TOPO_NONE ? TOPO_NONE : t->node[n].first_port;
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

static void
fail_unread(struct push *p, const struct plan_step *s,
	const struct xact_result *res)
{
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
		.attr = DEVICE_LFT,
		.kind = PLAN_LFT,
		.block = (uint32_t)tag};
	struct lft_pool *pool = p->plan->routes->pool;
	struct device_at at = push_at(p, &s);
	lft_ref is;

	p->inflight--;
	if (res->outcome == XACT_CANCELLED)
		return;
	if (res->outcome != XACT_OK) {
		fail_unread(p, &s, res);
		return;
	}
	p->counts.reads++;
	device_settle(p->job.hw, at);
	if (memcmp(res->data, device_bytes(p->job.hw, at), LFT_BLOCK) == 0)
		return;
	is = lft_add(pool, res->data);
	device_set_block(p->job.hw, at.guid, at.block, is);
	lft_drop(pool, is);
	p->overwritten = p->broken = true;
}

static void
ask_for_block(struct push *p, port_ix port, uint32_t block, struct mono now)
{
	struct xact_request r;

	if (device_request_block(push_topo(p), port, DEVICE_LFT, block, &r) !=
		0) {
		p->broken = true; /* no path to it: the next plan knows that */
		return;
	}
	r.method = MAD_GET;
	p->inflight++;
	xact_submit(
		p->job.x, &r, now, take_block, p, (uint64_t)port << 32 | block);
}

bool
push_doubts_settled(struct push *p, struct mono now)
{
	size_t n;
	const struct device_doubt *d = device_doubts(p->job.hw, &n);

	for (size_t i = 0; !p->reading && i < n; i++) {
		port_ix port = find_open(p, &d[i]);

		if (port != TOPO_NONE)
			ask_for_block(p, port, d[i].at.block, now);
	}
	p->reading = p->inflight > 0;
	return !p->reading && !p->broken;
}
