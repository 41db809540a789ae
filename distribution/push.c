#include "distribution/push.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "sm/mad/mad.h"

struct push {
	const struct plan *plan;
	struct hwstate *hw;
	struct draft *draft;
	struct xact *x;
	uint64_t mkey;
	size_t next; /* next step to submit */
	unsigned phase;
	unsigned inflight; /* of this phase */
	bool *node_failed; /* [nnodes]: no further steps */
	bool *port_failed; /* [nports]: not to be made Active */
	struct push_failure *failure;
	size_t nfailures, capfailures;
	struct push_counts counts;
};

static const struct topo *
topo_of(const struct push *p)
{
	return p->plan->routes->topo;
}

struct push *
push_new(const struct plan *plan, struct hwstate *hw, struct draft *d,
	struct xact *x, uint64_t mkey)
{
	struct push *p = mem_zalloc(1, sizeof(*p));

	p->plan = plan;
	p->hw = hw;
	p->draft = d;
	p->x = x;
	p->mkey = mkey;
	p->node_failed = mem_zalloc(topo_of(p)->nnodes, sizeof(bool));
	p->port_failed = mem_zalloc(topo_of(p)->nports, sizeof(bool));
	return p;
}

void
push_free(struct push *p)
{
	if (p == NULL)
		return;
	assert(p->inflight == 0);
	free(p->node_failed);
	free(p->port_failed);
	free(p->failure);
	free(p);
}

bool
push_done(const struct push *p)
{
	return p->inflight == 0 && p->next == p->plan->nsteps;
}

const struct push_counts *
push_counts(const struct push *p)
{
	return &p->counts;
}

const struct push_failure *
push_failures(const struct push *p, size_t *n)
{
	*n = p->nfailures;
	return p->failure;
}

static const char *
outcome_text(const struct xact_result *res)
{
	if (res->outcome == XACT_STATUS)
		return mad_status_name(res->status);
	return res->outcome == XACT_TIMEOUT ? "no answer" : "cancelled";
}

/*
 * Does this failure condemn the whole switch? Silence does, and so does a
 * table or its own port 0; one external port that will not come up does not.
 */
static bool
condemns(const struct topo *t, const struct plan_step *s, enum push_cause cause)
{
	const struct topo_port *p = &t->port[s->port];

	if (t->node[p->node].type != TOPO_SWITCH)
		return false;
	return cause == PUSH_SILENT || s->attr != MAD_PORT_INFO || p->num == 0;
}

/*
 * A step failed. For a condemned switch all its further steps are void; a port
 * that cannot be set up stays down together with its peer.
 */
static void
fail(struct push *p, const struct plan_step *s, enum push_cause cause,
	const char *how)
{
	const struct topo *t = topo_of(p);
	node_ix node = t->port[s->port].node;
	struct push_failure *f;
	char step[96];

	p->counts.failed++;
	p->port_failed[s->port] = true;
	if (p->node_failed[node])
		return;
	p->node_failed[node] = condemns(t, s, cause);
	p->failure =
		mem_grow(p->failure, p->nfailures, &p->capfailures, sizeof(*f));
	f = &p->failure[p->nfailures++];
	f->node = node;
	f->port = s->port;
	f->cause = cause;
	f->condemned = p->node_failed[node];
	plan_step_text(p->plan, s, step, sizeof(step));
	(void)snprintf(f->why, sizeof(f->why), "%.90s: %.30s", step, how);
}

static void
acked_lft(struct push *p, const struct plan_step *s, const uint8_t *data)
{
	const struct topo *t = topo_of(p);
	uint64_t guid = t->node[t->port[s->port].node].guid;
	const uint8_t *want = lft_bytes(p->plan->routes->pool, s->payload);

	if (memcmp(data, want, LFT_BLOCK) != 0) {
		hw_unknown_block(p->hw, guid, s->mod);
		fail(p, s, PUSH_LIED, "acknowledged another block");
		return;
	}
	hw_set_block(p->hw, guid, s->mod, s->payload);
	p->counts.lft_blocks++;
}

/*
 * A port says what it made of a Set. Another LID than asked is a lie; other
 * time-outs are its own business, and remembered as such.
 */
static void
acked_port(struct push *p, const struct plan_step *s, const uint8_t *data)
{
	const struct topo_port *port = &topo_of(p)->port[s->port];
	uint64_t guid = topo_of(p)->node[port->node].guid;
	struct mad_port_info is, want;

	if (mad_port_info_decode(data, &is, NULL) != 0 ||
		mad_port_info_decode(
			p->plan->payload[s->payload], &want, NULL) != 0 ||
		is.lid != want.lid) {
		fail(p, s, PUSH_LIED, "acknowledged another LID");
		return;
	}
	if (plan_tunables(&is) != plan_tunables(&want))
		hw_set_stubborn(p->hw, guid, port->num, plan_tunables(&want));
	draft_port_written(p->draft, guid, port->num, data);
	p->counts.other_sets++;
}

static void
acked(struct push *p, const struct plan_step *s, const uint8_t *data)
{
	const struct topo *t = topo_of(p);
	uint64_t guid = t->node[t->port[s->port].node].guid;
	struct mad_switch_info i;

	if (s->attr == MAD_LFT) {
		acked_lft(p, s, data);
		return;
	}
	if (s->attr == MAD_PORT_INFO) {
		acked_port(p, s, data);
		return;
	}
	p->counts.other_sets++;
	if (mad_switch_info_decode(data, &i, NULL) == 0) {
		draft_switch_written(p->draft, guid, data);
		hw_set_top(p->hw, guid, i.lft_top);
	}
}

static void
not_acked(struct push *p, const struct plan_step *s,
	const struct xact_result *res)
{
	const struct topo *t = topo_of(p);
	const struct topo_node *n = &t->node[t->port[s->port].node];
	enum push_cause cause = PUSH_SILENT;

	if (res->outcome == XACT_STATUS)
		cause = PUSH_REFUSED;
	if (s->attr == MAD_LFT) {
		hw_unknown_block(p->hw, n->guid, s->mod);
		if (cause == PUSH_REFUSED &&
			s->mod > t->sw[n->sw].lft_top / LFT_BLOCK) {
			cause = PUSH_ABOVE_TOP;
			hw_set_top_first(p->hw, n->guid);
		}
	}
	fail(p, s, cause, outcome_text(res));
}

/*
 * A Set(PortInfo) was refused. When an answer was lost and the Set repeated,
 * or when data from the peer made an Armed port Active, the port is where we
 * want it and says so: ask before calling it a failure.
 */
static void ask_port(struct push *p, size_t ix, struct mono now);

static void
port_asked(void *cookie, uint64_t tag, const struct xact_result *res)
{
	struct push *p = cookie;
	const struct plan_step *s = &p->plan->step[tag];
	const struct topo_port *port = &topo_of(p)->port[s->port];
	struct mad_port_info is, want;

	p->inflight--;
	if (res->outcome == XACT_CANCELLED)
		return;
	if (res->outcome == XACT_OK) /* what it says is what it is */
		draft_port_written(p->draft, topo_of(p)->node[port->node].guid,
			port->num, res->data);
	if (res->outcome == XACT_OK &&
		mad_port_info_decode(res->data, &is, NULL) == 0 &&
		mad_port_info_decode(
			p->plan->payload[s->payload], &want, NULL) == 0 &&
		is.state >= want.state && is.lid == want.lid)
		acked(p, s, res->data);
	else
		fail(p, s, PUSH_REFUSED, "refused");
}

static void
step_done(void *cookie, uint64_t tag, const struct xact_result *res)
{
	struct push *p = cookie;
	const struct plan_step *s = &p->plan->step[tag];

	p->inflight--;
	if (res->outcome == XACT_OK)
		acked(p, s, res->data);
	else if (res->outcome == XACT_STATUS && s->attr == MAD_PORT_INFO)
		ask_port(p, tag, res->now);
	else if (res->outcome != XACT_CANCELLED)
		not_acked(p, s, res);
}

static bool
void_step(const struct push *p, const struct plan_step *s)
{
	const struct topo_port *port = &topo_of(p)->port[s->port];

	if (p->node_failed[port->node])
		return true;
	if (s->phase != PLAN_ACTIVATE)
		return false;
	return p->port_failed[s->port] || p->port_failed[port->peer] ||
	       p->node_failed[topo_of(p)->port[port->peer].node];
}

/* The request of a step, without its data. -1: too far away. */
static int
request(const struct push *p, const struct plan_step *s, uint8_t method,
	struct xact_request *r)
{
	const struct topo *t = topo_of(p);
	const struct topo_port *port = &t->port[s->port];
	int hops;

	memset(r, 0, sizeof(*r));
	hops = topo_route(t, port->node, r->path);
	if (hops < 0)
		return -1;
	r->hops = (uint8_t)hops;
	r->method = method;
	r->attr = s->attr;
	r->mod = s->mod;
	r->mkey = p->mkey;
	r->target = t->node[port->node].guid;
	return 0;
}

static void
ask_port(struct push *p, size_t ix, struct mono now)
{
	struct xact_request r;

	if (request(p, &p->plan->step[ix], MAD_GET, &r) != 0)
		return;
	p->inflight++;
	xact_submit(p->x, &r, now, port_asked, p, ix);
}

static void
submit(struct push *p, size_t ix, struct mono now)
{
	const struct plan_step *s = &p->plan->step[ix];
	struct xact_request r;

	if (request(p, s, MAD_SET, &r) != 0) {
		fail(p, s, PUSH_SILENT, "more than 63 hops away");
		return;
	}
	if (s->attr == MAD_LFT)
		memcpy(r.data, lft_bytes(p->plan->routes->pool, s->payload),
			MAD_DATA);
	else
		memcpy(r.data, p->plan->payload[s->payload], MAD_DATA);
	p->inflight++;
	xact_submit(p->x, &r, now, step_done, p, ix);
}

void
push_feed(struct push *p, struct mono now)
{
	const struct plan *plan = p->plan;

	for (;;) {
		while (p->next < plan->first[p->phase + 1] && xact_room(p->x)) {
			if (void_step(p, &plan->step[p->next]))
				p->counts.skipped++;
			else
				submit(p, p->next, now);
			p->next++;
		}
		if (p->inflight > 0 || p->next < plan->first[p->phase + 1] ||
			p->phase + 1 >= PLAN_PHASES)
			return;
		p->phase++;
	}
}
