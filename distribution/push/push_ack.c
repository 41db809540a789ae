#include <stdio.h>
#include <string.h>

#include "distribution/device/device_request.h"
#include "distribution/device/device_write.h"
#include "distribution/push/push_priv.h"
#include "distribution/tables/switch_settings.h"
#include "sm/base/be.h"
#include "sm/base/mem.h"
#include "sm/mad/mad.h"

enum { REWRITES = 3, POLL_MS = 10 };

static const char *
outcome_text(const struct xact_result *res)
{
	if (res->outcome == XACT_STATUS)
		return mad_status_name(res->status);
	return res->outcome == XACT_TIMEOUT ? "no answer" : "cancelled";
}

/*
 * Whether this failure condemns the whole switch. Silence does, and so does a
 * refused table or port 0; one external port that will not come up does not,
 * nor does a switch that cannot map SLs to VLs.
 */
static bool
condemns_switch(
	const struct topo *t, const struct plan_step *s, enum push_cause cause)
{
	const struct topo_port *p = &t->port[s->port];

	if (t->node[p->node].type != TOPO_SWITCH || cause == PUSH_NO_SL2VL ||
		cause == PUSH_NO_KEYS || cause == PUSH_NO_WEIGHTS ||
		cause == PUSH_NO_GUIDS || cause == PUSH_NO_ADAPTIVE ||
		cause == PUSH_GONE)
		return false;
	return cause == PUSH_SILENT || cause == PUSH_CUT ||
	       s->attr != DEVICE_PORT_INFO || p->num == 0;
}

bool
push_ack_is_needed(const struct push *p, const struct plan_step *s)
{
	const struct topo *t = push_topo(p);
	const struct topo_node *n = &t->node[t->port[s->port].node];

	switch ((enum plan_kind)s->kind) {
	case PLAN_QUENCH:
	case PLAN_LFT:
	case PLAN_LOWER:
		return (n->flags & TN_FRESH) == 0;
	case PLAN_LEARN:
	case PLAN_SLVL:
		return n->type == TOPO_SWITCH && s->attr == DEVICE_SL2VL;
	case PLAN_BLOCK:
	case PLAN_DOWN:
	case PLAN_SETTLE:
	case PLAN_VERIFY:
	case PLAN_ADAPTIVE_SHRINK:
	case PLAN_MCAST_BREAK:
		return true;
	case PLAN_ARBS:
	case PLAN_UNBLOCK:
	case PLAN_PARAMS:
	case PLAN_TOP:
	case PLAN_PREPARE:
	case PLAN_ARM:
	case PLAN_ACTIVATE:
	case PLAN_RAISE:
	case PLAN_CLEAR:
	case PLAN_TABLES:
	case PLAN_KEYS:
	case PLAN_UNKEY:
	case PLAN_GUARD:
	case PLAN_ADAPTIVE_OFF:
	case PLAN_ADAPTIVE_FILL:
	case PLAN_ADAPTIVE_TOP:
	case PLAN_ADAPTIVE_MOVE:
	case PLAN_ADAPTIVE_GROW:
	case PLAN_ADAPTIVE_READ:
	case PLAN_ADAPTIVE_ON:
	case PLAN_MCAST_TOP:
	case PLAN_MCAST_MAKE:
	case PLAN_KINDS:
		break;
	}
	return false;
}

/*
 * All further steps of a condemned switch are void; a port that cannot be set
 * up stays down together with its peer.
 */
void
push_ack_fail(struct push *p, const struct plan_step *s, enum push_cause cause,
	const char *how)
{
	const struct topo *t = push_topo(p);
	port_ix port = device_request_sma(t, s->port, s->attr);
	node_ix node = t->port[port].node;
	struct push_failure *f;
	char step[96];

	p->counts.failed++;
	p->port_failed[port] = true;
	p->broken |= push_ack_is_needed(p, s);
	if (p->node_failed[node])
		return;
	p->node_failed[node] = condemns_switch(t, s, cause);
	p->failure =
		mem_grow(p->failure, p->nfailures, &p->capfailures, sizeof(*f));
	f = &p->failure[p->nfailures++];
	f->node = node;
	f->port = port;
	f->cause = cause;
	f->condemned = p->node_failed[node];
	plan_step_text(p->plan, s, step, sizeof(step));
	(void)snprintf(f->why, sizeof(f->why), "%.80s: %.45s", step, how);
}

/*
 * Whether the port hides its M_Key: its silence means, most
 * likely, that none of the keys that are known is right.
 */
static bool
hides_key(const struct push *p, const struct plan_step *s)
{
	return keyring_is_hidden(
		xact_keys(p->job.x), topo_sma_guid(push_topo(p), s->port));
}

static void
fail_unacked(struct push *p, const struct plan_step *s,
	const struct xact_result *res)
{
	const struct topo *t = push_topo(p);
	const struct topo_node *n = &t->node[t->port[s->port].node];
	enum push_cause cause = push_silence(res);

	if (res->outcome == XACT_STATUS)
		cause = PUSH_REFUSED;
	if (s->attr == DEVICE_LFT) {
		device_unknown_block(p->job.hw, n->guid, s->block);
		if (cause == PUSH_REFUSED &&
			s->block > t->sw[n->sw].lft_top / LFT_BLOCK) {
			cause = PUSH_ABOVE_TOP;
			device_mark(p->job.hw,
				device_at_switch(n->guid, DEVICE_LFT),
				DEVICE_REFUSES);
		}
	}
	push_ack_fail(p, s, cause,
		res->outcome == XACT_TIMEOUT && hides_key(p, s)
			? "no answer: its M_Key is not known"
			: outcome_text(res));
}

/* ---- tables ---- */

static const uint8_t *
step_image(const struct push *p, const struct plan_step *s)
{
	return lft_bytes(p->plan->routes->pool, s->payload);
}

static void
record_lft_block(struct push *p, const struct plan_step *s)
{
	const struct topo *t = push_topo(p);
	const struct topo_node *n = &t->node[t->port[s->port].node];

	device_set_block(p->job.hw, n->guid, s->block, s->payload);
	if ((n->flags & TN_FRESH) != 0)
		device_set_never_used(p->job.hw, n->guid, s->block);
	p->sample[n->sw] = s->block + 1;
	p->counts.lft_blocks++;
}

/*
 * Send the block once more; the switch holds something else than it
 * acknowledged.
 */
static void
rewrite_block(struct push *p, size_t ix, struct mono now)
{
	const struct plan_step *s = &p->plan->step[ix];
	uint32_t n = 0;

	(void)map_get(&p->rewrites, ix, &n);
	map_put(&p->rewrites, ix, n + 1);
	if (n + 1 > REWRITES)
		push_ack_fail(
			p, s, PUSH_LIED, "does not hold what it acknowledged");
	else
		push_send(p, ix, now);
}

static void
take_block_read(void *cookie, uint64_t tag, const struct xact_result *res)
{
	struct push *p = cookie;
	const struct plan_step *s = &p->plan->step[tag];
	struct lft_pool *pool = p->plan->routes->pool;
	lft_ref is;

	p->inflight--;
	if (res->outcome == XACT_CANCELLED)
		return;
	if (res->outcome != XACT_OK) {
		fail_unacked(p, s, res);
		return;
	}
	p->counts.reads++;
	if (memcmp(res->data, step_image(p, s), LFT_BLOCK) == 0) {
		record_lft_block(p, s);
		return;
	}
	is = lft_add(pool, res->data);
	device_set_block(p->job.hw, push_guid(p, s), s->block, is);
	lft_drop(pool, is);
	rewrite_block(p, tag, res->now);
}

static void
take_block_ack(struct push *p, size_t ix, const struct xact_result *res)
{
	const struct plan_step *s = &p->plan->step[ix];
	uint64_t guid = push_guid(p, s);

	if (res->outcome == XACT_STATUS) {
		fail_unacked(p, s, res);
		return;
	}
	if (res->outcome == XACT_TIMEOUT)
		device_unknown_block(p->job.hw, guid, s->block);
	if (res->outcome == XACT_TIMEOUT || res->tries > 1) {
		device_doubt_copies(p->job.hw, push_at(p, s), step_image(p, s),
			res, p->job.stray);
		if (res->cut)
			fail_unacked(p, s, res);
		else
			(void)push_ask(p, ix, res->now, take_block_read);
		return;
	}
	if (memcmp(res->data, step_image(p, s), LFT_BLOCK) != 0) {
		device_unknown_block(p->job.hw, guid, s->block);
		push_ack_fail(p, s, PUSH_LIED, "acknowledged another block");
		return;
	}
	record_lft_block(p, s);
}

/* ---- ports ---- */

/*
 * Whether a port has the LID that it shall have. An external port of a switch
 * has none: what its PortInfo says, such as the switch's own, means nothing.
 */
static bool
lid_matches(const struct push *p, const struct plan_step *s,
	const struct mad_port_info *is, const struct mad_port_info *want)
{
	return !topo_has_lid(push_topo(p), s->port) || is->lid == want->lid;
}

/* Whether the port enforces partitions as it was set to. */
static void
note_enforcement(struct push *p, const struct plan_step *s,
	const struct mad_port_info *is, const struct mad_port_info *want)
{
	struct device_at at = push_at(p, s);

	at.attr = DEVICE_PKEY;
	if ((want->enf_in && !is->enf_in) || (want->enf_out && !is->enf_out))
		device_mark(p->job.hw, at, DEVICE_REFUSES);
}

/* A port answers with what it made of a Set. */
static void
record_port(struct push *p, size_t ix, const uint8_t *data, struct mono now)
{
	const struct plan_step *s = &p->plan->step[ix];
	const struct topo_port *port = &push_topo(p)->port[s->port];
	struct mad_port_info is, want;

	if (mad_port_info_decode(data, &is, NULL) != 0) {
		push_ack_fail(p, s, PUSH_LIED, "acknowledged an unknown state");
		return;
	}
	if (!push_settings_taken(p, ix, data, now) ||
		mad_port_info_decode(
			p->plan->payload[s->payload], &want, NULL) != 0)
		return;
	note_enforcement(p, s, &is, &want);
	p->job.port_written(p->job.cookie, push_guid(p, s), port->num, data);
	p->counts.other_sets++;
}

/* Whether the port is in the state that it was to go to, or beyond. */
static bool
has_state(const struct push *p, const struct plan_step *s, const uint8_t *data)
{
	return mad_port_info_state(data) >=
	       mad_port_info_state(p->plan->payload[s->payload]);
}

/*
 * Whether a link came up anew, with other capabilities than the plan knew: the
 * port is not raised with the MTU and VLs that it booted with, which it would
 * keep, but by the next plan.
 */
static bool
has_other_caps(const struct topo_port *p, const struct mad_port_info *is)
{
	return is->vl_cap != p->vl_cap || is->mtu_cap != p->mtu_cap;
}

/*
 * A Set(PortInfo) was taken. A port that was given another M_Key may hide it
 * from this request, which bore the one before.
 */
static void
take_port_set(struct push *p, size_t ix, const struct xact_result *res)
{
	const struct plan_step *s = &p->plan->step[ix];
	uint8_t taken[MAD_DATA];

	memcpy(taken, res->data, sizeof(taken));
	if (be_get64(taken) == 0)
		memcpy(taken, p->plan->payload[s->payload], sizeof(uint64_t));
	record_port(p, ix, taken, res->now);
}

/*
 * A Set(PortInfo) was refused, or acknowledged in a state below. When an answer
 * was lost and the Set repeated, or when data from the peer made an Armed port
 * Active, the port is as wanted: read it before calling it a failure.
 */
static void
take_port_read(void *cookie, uint64_t tag, const struct xact_result *res)
{
	struct push *p = cookie;
	const struct plan_step *s = &p->plan->step[tag];
	const struct topo_port *port = &push_topo(p)->port[s->port];
	struct mad_port_info is, want;

	p->inflight--;
	if (res->outcome == XACT_CANCELLED)
		return;
	if (res->outcome == XACT_OK) { /* the answer is what the port holds */
		p->counts.reads++;
		p->job.port_written(
			p->job.cookie, push_guid(p, s), port->num, res->data);
	}
	if (res->outcome != XACT_OK ||
		mad_port_info_decode(res->data, &is, NULL) != 0 ||
		mad_port_info_decode(
			p->plan->payload[s->payload], &want, NULL) != 0 ||
		is.state < want.state || !lid_matches(p, s, &is, &want))
		push_ack_fail(p, s, PUSH_REFUSED, "refused");
	else if (s->kind == PLAN_PREPARE && has_other_caps(port, &is))
		push_ack_fail(
			p, s, PUSH_GONE, "another MTU or VLs are possible now");
	else
		record_port(p, tag, res->data, res->now);
}

/* Whether an end port that was up has lost its LID, and with it its tables. */
static bool
has_restarted(const struct push *p, const struct plan_step *s,
	const struct mad_port_info *is)
{
	const struct topo_port *port = &push_topo(p)->port[s->port];

	return topo_has_lid(push_topo(p), s->port) && port->found_lid != 0 &&
	       port->state > PORT_INIT && is->lid == 0;
}

/*
 * A port that went down has to come back to Init by itself. One that has
 * restarted before it did so shows that now alone: the plan brings it up with
 * the tables that it had.
 */
static void
take_settle_answer(struct push *p, size_t ix, const struct xact_result *res)
{
	const struct plan_step *s = &p->plan->step[ix];
	const struct topo_port *port = &push_topo(p)->port[s->port];
	struct mad_port_info is;

	p->counts.reads++;
	if (mad_port_info_decode(res->data, &is, NULL) == 0 &&
		is.state >= PORT_INIT) {
		p->job.port_written(
			p->job.cookie, push_guid(p, s), port->num, res->data);
		if (has_restarted(p, s, &is))
			push_ack_fail(p, s, PUSH_GONE, "has restarted");
	} else if (mono_before(p->settle_by, res->now)) {
		push_ack_fail(p, s, PUSH_GONE, "does not come back up");
	} else {
		p->again = mem_grow(
			p->again, p->nagain, &p->capagain, sizeof(*p->again));
		p->again[p->nagain++] = ix;
		p->wake = mono_add(res->now, mono_ms(POLL_MS));
	}
}

/* Check that nothing happened to the port but what the plan did. */
static void
take_verify_answer(
	struct push *p, const struct plan_step *s, const uint8_t *data)
{
	const struct topo_port *port = &push_topo(p)->port[s->port];
	struct mad_port_info is;
	bool linked = port->peer != TOPO_NONE;
	uint8_t least = !linked ? PORT_DOWN
			: p->plan->downed[s->port] || port->state < PORT_INIT
				? PORT_INIT
				: port->state;

	p->counts.reads++;
	if (mad_port_info_decode(data, &is, NULL) != 0 ||
		(port->num == 0 ? is.lid != port->lid : is.state < least) ||
		(port->num > 0 && !linked && port->state == PORT_DOWN &&
			is.state >= PORT_INIT))
		push_ack_fail(p, s, PUSH_GONE, "changed state meanwhile");
}

static void
take_port_ack(struct push *p, size_t ix, const struct xact_result *res)
{
	const struct plan_step *s = &p->plan->step[ix];

	if (!plan_reads(s))
		device_doubt_copies(p->job.hw, push_at(p, s),
			p->plan->payload[s->payload], res, p->job.stray);
	if (res->outcome == XACT_TIMEOUT)
		fail_unacked(p, s, res);
	else if (s->kind == PLAN_SETTLE && res->outcome == XACT_OK)
		take_settle_answer(p, ix, res);
	else if (s->kind == PLAN_VERIFY && res->outcome == XACT_OK)
		take_verify_answer(p, s, res->data);
	else if (plan_reads(s))
		push_ack_fail(p, s, PUSH_REFUSED, outcome_text(res));
	else if (res->outcome == XACT_OK && has_state(p, s, res->data))
		take_port_set(p, ix, res);
	else
		(void)push_ask(p, ix, res->now, take_port_read);
}

/* ---- LinearFDBTop and LifeTimeValue ---- */

/* The switch refuses a LifeTimeValue, or keeps its own. */
static void
keep_life(struct push *p, const struct plan_step *s, uint8_t life)
{
	if (!device_keeps_life(p->job.hw, push_guid(p, s), life))
		push_settings_note(p, s->port, PLAN_KEEPS_LIFE);
	device_set_keeps_life(p->job.hw, push_guid(p, s), life);
}

/*
 * A switch without the LifeTimeValue that it shall have still forwards packets,
 * and is not asked for it again. With a LinearFDBTop below the one that it
 * shall have it drops those to the LIDs above.
 */
static void
take_switch_ack(struct push *p, size_t ix, const struct xact_result *res)
{
	const struct plan_step *s = &p->plan->step[ix];
	uint64_t guid = push_guid(p, s);
	const uint8_t *sent = p->plan->payload[s->payload];
	struct mad_switch_info is, want;
	uint32_t lacks;

	(void)mad_switch_info_decode(sent, &want, NULL);
	device_doubt_copies(p->job.hw, push_at(p, s), sent, res, p->job.stray);
	/* it has no MulticastFDBTop: not a fault */
	if (res->outcome == XACT_STATUS && s->kind == PLAN_MCAST_TOP)
		return;
	if (res->outcome == XACT_STATUS && s->kind == PLAN_PARAMS) {
		keep_life(p, s, want.life);
		return;
	}
	if (res->outcome != XACT_OK) {
		fail_unacked(p, s, res);
		return;
	}
	(void)mad_switch_info_decode(res->data, &is, NULL);
	lacks = device_attribute_lacks(
		s->attr, push_topo(p), s->port, s->block, res->data, sent);
	if ((lacks & SWITCH_LACKS_TOP) != 0 &&
		push_settings_resend(p, ix, res->now))
		return;
	p->job.switch_written(p->job.cookie, guid, res->data);
	device_set_top(p->job.hw, guid, is.lft_top);
	if ((lacks & SWITCH_LACKS_TOP) != 0) {
		push_ack_fail(
			p, s, PUSH_LIED, "acknowledged a lower LinearFDBTop");
		return;
	}
	p->counts.other_sets++;
	if ((lacks & SWITCH_LACKS_LIFE) != 0 && s->kind != PLAN_MCAST_TOP)
		keep_life(p, s, want.life);
}

void
push_ack_done(void *cookie, uint64_t tag, const struct xact_result *res)
{
	struct push *p = cookie;
	const struct plan_step *s;

	p->inflight--;
	s = &p->plan->step[tag];
	if (p->job.answered != NULL)
		p->job.answered(p->job.cookie, s, res);
	if (res->outcome == XACT_CANCELLED)
		return;
	if (res->by_lid || res->strayed)
		push_lid_routed_answered(
			p->by_lid, push_switch(p, s), res->strayed);
	switch (s->attr) {
	case DEVICE_LFT:
		take_block_ack(p, tag, res);
		break;
	case DEVICE_PORT_INFO:
		take_port_ack(p, tag, res);
		break;
	case DEVICE_SL2VL:
		push_slvl_row_done(p, tag, res);
		break;
	case DEVICE_SWITCH_INFO:
		take_switch_ack(p, tag, res);
		break;
	default:
		push_tables_done(p, s, res);
		break;
	}
}
