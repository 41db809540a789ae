#include <stdio.h>
#include <string.h>

#include "discovery/sweep/sweep_priv.h"
#include "sm/base/mem.h"
#include "sm/mad/mad_role.h"

enum {
	MISSES_MAX = 2, /* attributes timed out in a row: it hangs */
	VIAS_MAX = 2,	/* other paths to try before it is given up */
	ROUNDS_MAX = 8, /* of a probe while PortStateChange keeps coming */
};

/* Why there is no usable answer. */
static const char *
no_answer(const struct xact_result *res)
{
	return res->outcome == XACT_STATUS ? mad_status_name(res->status)
					   : "timed out";
}

static void
mark_partial(struct sweep *s, builder_id n, const char *what, const char *why)
{
	char name[96];

	s->d->node[n]->flags |= TN_PARTIAL;
	builder_add_oddity(
		s->d, "%s: %s: %s", builder_name(s->d, n, name), what, why);
}

/*
 * Give a switch up: quarantine it, and ask it nothing more. One that was silent
 * to the last passes nothing on, either.
 */
void
sweep_give_up(struct sweep *s, builder_id n, const char *why)
{
	struct sweep_node *w = sweep_node(s, n);
	char name[96];

	w->state = SN_DEAD;
	s->d->node[n]->flags |= TN_PARTIAL;
	if (s->d->node[n]->quarantine == NULL)
		builder_add_oddity(s->d, "%s is quarantined: %s",
			builder_name(s->d, n, name), why);
	if (w->misses > 0)
		builder_node_silence(s->d, n, why);
	else
		builder_node_quarantine(s->d, n, why);
	s->rewired = true;
}

void
sweep_read(struct sweep *s, builder_id n, bool full)
{
	struct sweep_node *w = sweep_node(s, n);

	w->state = SN_HEAD;
	w->full = w->full || full;
	w->fault = false;
	w->misses = 0;
	w->head = 1;
	w->rounds = 1;
	s->d->node[n]->was_cut = false;
	w->whole = s->d->node[n]->quarantine == NULL &&
		   (s->d->node[n]->flags & TN_PARTIAL) == 0;
	s->d->node[n]->flags &= (uint8_t)~TN_PARTIAL;
	sweep_queue(s, JOB_SWITCH, n, 0);
}

static bool
any_bit(const uint32_t mask[8])
{
	uint32_t all = 0;

	for (int i = 0; i < 8; i++)
		all |= mask[i];
	return all != 0;
}

static void
start_ports(struct sweep *s, builder_id n)
{
	struct sweep_node *w = sweep_node(s, n);

	w->state = SN_PORTS;
	w->next_port = 1;
	s->ring = mem_grow(s->ring, s->nring, &s->ring_cap, sizeof(*s->ring));
	s->ring[s->nring++] = n;
}

/*
 * The path to a switch may be what fails, not the switch: read its links from
 * their other ends; if that leads to another path it is tried again. False:
 * that was done, or this is no probe.
 */
static bool
try_around(struct sweep *s, builder_id n)
{
	struct sweep_node *w = sweep_node(s, n);
	const struct builder_node *node = s->d->node[n];

	if (s->kind != SWEEP_PROBE || w->vias >= VIAS_MAX)
		return false;
	w->vias++;
	w->failed = sweep_path_hash(s, n);
	w->state = SN_WAIT;
	for (unsigned p = 1; p <= node->nports; p++) {
		const struct builder_port *port = &node->port[p];

		if (port->peer != BUILDER_NONE && port->peer != n &&
			s->d->node[port->peer]->type == TOPO_SWITCH)
			sweep_refresh(s, port->peer, port->peer_port);
	}
	return true;
}

/*
 * Ask switch n, which was read, for its role if it is of a kind that has one.
 */
static void
ask_role(struct sweep *s, builder_id n)
{
	struct sweep_node *w = sweep_node(s, n);

	if (w->role || !builder_wants_role(s->d, n, s->kind == SWEEP_FULL))
		return;
	w->role = true;
	sweep_queue(s, JOB_ROLE, n, 0);
}

/* A request to switch n was answered, or failed: start what is next for it. */
static void
advance_switch(struct sweep *s, builder_id n)
{
	struct sweep_node *w = sweep_node(s, n);

	if (w->state == SN_HEAD && w->head == 0) {
		if (!w->fault)
			start_ports(s, n);
		else if (!try_around(s, n))
			sweep_give_up(
				s, n, "SwitchInfo or port 0 not answered");
		return;
	}
	if (w->state != SN_PORTS || w->open > 0 ||
		w->next_port <= s->d->node[n]->nports)
		return;
	w->state = SN_READ;
	if (w->rounds > s->stats.rounds)
		s->stats.rounds = w->rounds;
	if (s->d->node[n]->quarantine != NULL) {
		builder_node_quarantine(s->d, n, NULL);
		s->rewired = true;
	}
	ask_role(s, n);
	if (!any_bit(w->ask))
		return;
	s->ready =
		mem_grow(s->ready, s->nready, &s->ready_cap, sizeof(*s->ready));
	s->ready[s->nready++] = n;
}

/*
 * True if PortStateChange of switch n is to be cleared. A switch with an M_Key
 * that is not known would not answer that Set.
 */
static bool
is_clear_due(const struct sweep *s, builder_id n)
{
	const struct builder_node *node = s->d->node[n];

	return node->changed && !s->read_only &&
	       !keyring_is_locked(xact_keys(s->x), node->guid);
}

/*
 * SwitchInfo after the ports were read: PortStateChange set anew means another
 * round.
 */
static void
got_again(struct sweep *s, builder_id n)
{
	struct sweep_node *w = sweep_node(s, n);

	if (w->rounds >= ROUNDS_MAX || !is_clear_due(s, n))
		return;
	w->rounds++;
	w->state = SN_HEAD;
	w->head = 1;
	s->stage = STAGE_RUN;
	sweep_queue(s, JOB_CLEAR, n, 0);
}

/*
 * PortStateChange is clear: now port 0 is read, and not before. An earlier
 * answer of it may be from before a reboot that the bit reports.
 */
static void
read_port_zero(struct sweep *s, builder_id n)
{
	sweep_node(s, n)->head++;
	sweep_queue(s, JOB_PORT, n, 0);
}

/*
 * Store a SwitchInfo; false: it makes no sense. Another LinearFDBTop than the
 * one that was read or acknowledged shows that the switch was restarted: each
 * of its links was down, including links that are Active again because of what
 * was written meanwhile, and their other ends did not report it.
 */
static bool
take_switch(struct sweep *s, builder_id n, const uint8_t info[MAD_DATA])
{
	struct sweep_node *w = sweep_node(s, n);
	uint16_t top = s->d->node[n]->lft_top;
	struct reason why;

	w->misses = 0;
	if (builder_switch_info(s->d, n, info, &why) != 0) {
		mark_partial(s, n, "SwitchInfo", why.text);
		return false;
	}
	if (top > 0 && s->d->node[n]->lft_top != top)
		w->full = true;
	return true;
}

/*
 * True if SwitchInfo says that nothing happened since its ports were read: the
 * switch is not asked anything more, now or at the end.
 */
static bool
skip_unchanged(struct sweep *s, builder_id n)
{
	const struct builder_node *node = s->d->node[n];
	struct sweep_node *w = sweep_node(s, n);

	if (!w->told || !w->whole || w->full || node->changed)
		return false;
	for (unsigned p = 0; p <= node->nports; p++)
		if ((node->port[p].marks & DP_READ) == 0)
			return false;
	w->state = SN_READ;
	w->again = w->rounds;
	s->unchanged++;
	return true;
}

void
sweep_got_switch(struct sweep *s, const struct sweep_job *job,
	const struct xact_result *res)
{
	struct sweep_node *w = sweep_node(s, job->node);
	bool taken = false;

	if (res->outcome == XACT_OK)
		taken = take_switch(s, job->node, res->data);
	if (job->kind == JOB_AGAIN) {
		if (taken)
			got_again(s, job->node);
		return;
	}
	w->head--;
	if (job->kind == JOB_CLEAR && res->tries > 1) {
		s->cleared = mem_grow(s->cleared, s->ncleared, &s->cleared_cap,
			sizeof(*s->cleared));
		s->cleared[s->ncleared++] = s->d->node[job->node]->guid;
	}
	if (job->kind == JOB_CLEAR) {
		if (!taken)
			mark_partial(s, job->node, "Set(SwitchInfo)",
				no_answer(res));
		/*
		 * A change that came in between leaves the bit set for the next
		 * SwitchInfo.
		 */
		s->d->node[job->node]->changed = false;
		read_port_zero(s, job->node);
	} else if (!taken) {
		if (res->outcome == XACT_TIMEOUT)
			w->misses++;
		w->fault = true;
	} else if (skip_unchanged(s, job->node)) {
		return;
	} else if (is_clear_due(s, job->node)) {
		w->head++;
		sweep_queue(s, JOB_CLEAR, job->node, 0);
	} else {
		read_port_zero(s, job->node);
	}
	advance_switch(s, job->node);
}

/* The port at the other end of a link changed, so this one did. */
void
sweep_refresh(struct sweep *s, builder_id n, uint8_t port)
{
	if (s->kind == SWEEP_PROBE && port > 0)
		sweep_ends_add(&s->stale, n, port);
}

void
sweep_unplug(struct sweep *s, builder_id n, uint8_t port)
{
	const struct builder_port *p = &s->d->node[n]->port[port];
	struct sweep_end far = {p->peer, p->peer_port};

	if (far.node == BUILDER_NONE)
		return;
	(void)builder_unlink(s->d, n, port);
	s->stats.gone_links++;
	s->rewired = true;
	if (far.node != n)
		sweep_refresh(s, far.node, far.port);
}

/* A switch port was read: check that its link is the one that is known. */
static void
judge_port(struct sweep *s, builder_id n, uint8_t port,
	const struct builder_port *old)
{
	const struct builder_port *p = &s->d->node[n]->port[port];
	struct sweep_node *w = sweep_node(s, n);
	bool ask;

	if (!builder_up(p)) {
		struct sweep_end far = {p->peer, p->peer_port};
		bool confirmed = p->seen == s->sweep;

		if (far.node == BUILDER_NONE)
			return;
		sweep_unplug(s, n, port);
		/*
		 * The other end says it is up and leads here: there may be a
		 * duplicate.
		 */
		if (confirmed && s->d->node[far.node]->type == TOPO_SWITCH)
			sweep_ask_later(s, far.node, far.port);
		return;
	}
	ask = w->full || p->peer == BUILDER_NONE || !builder_up(old) ||
	      (old->marks & DP_READ) == 0 || p->state == PORT_INIT;
	if (!ask) {
		if (p->state != old->state || p->state != PORT_ACTIVE)
			sweep_refresh(s, p->peer, p->peer_port);
		return;
	}
	if (w->state == SN_PORTS)
		sweep_bit_set(w->ask, port);
	else
		sweep_queue(s, JOB_ASK, n, port);
}

/* A port of a CA or router, ours among them, was read: start what follows. */
static void
judge_ca(struct sweep *s, builder_id n, uint8_t port)
{
	struct builder_node *node = s->d->node[n];
	const struct builder_port *p = &node->port[port];
	bool unread = false;

	for (unsigned i = 1; i <= node->nports; i++)
		unread |= node->port[i].peer != BUILDER_NONE &&
			  (node->port[i].marks & DP_READ) == 0;
	if (!unread)
		node->flags &= (uint8_t)~TN_PARTIAL;
	/* it has recovered: what its other ports said is old */
	for (unsigned i = 1; node->quarantine != NULL && i <= node->nports; i++)
		if (i != port && node->port[i].peer != BUILDER_NONE &&
			node->port[i].read != s->sweep)
			sweep_queue(s, JOB_PORT, n, (uint8_t)i);
	builder_node_quarantine(s->d, n, NULL);
	if (n == s->d->self && port == s->d->self_port && builder_up(p))
		sweep_queue(s, JOB_ASK, n, port);
}

/* PortInfo was not answered: what was known before is not kept. */
static void
port_unread(struct sweep *s, builder_id n, uint8_t port,
	const struct xact_result *res)
{
	struct builder_port *p = &s->d->node[n]->port[port];
	char what[32];

	if (n == s->d->self && port == s->d->self_port)
		reason_set(&s->failure, "our own port: PortInfo: %s",
			no_answer(res));
	p->marks &= (uint8_t)~DP_READ;
	p->flags &= (uint8_t)~TP_EXT_SPEED;
	p->state = 0;
	p->phys = 0;
	(void)snprintf(what, sizeof(what), "PortInfo of port %u", port);
	if (res->cut) /* not its fault: a link of the path is down, and another
			 is looked for */
		s->d->node[n]->flags |= TN_PARTIAL;
	else
		mark_partial(s, n, what, no_answer(res));
}

/* Count a port of a switch being read as answered or not. */
static void
count_port(struct sweep *s, const struct sweep_job *job, bool taken,
	const struct xact_result *res)
{
	struct sweep_node *w = sweep_node(s, job->node);

	if (job->port == 0) {
		w->head--;
		w->fault = w->fault || !taken;
	} else {
		w->open--;
	}
	if (res->outcome == XACT_TIMEOUT && ++w->misses >= MISSES_MAX &&
		w->state == SN_PORTS && !try_around(s, job->node))
		sweep_give_up(
			s, job->node, "stopped answering while it was read");
	advance_switch(s, job->node);
}

/*
 * It does not know modifier bit 31 after all: ask without. False: it was not
 * asked with it.
 */
static bool
without_ext(struct sweep *s, const struct sweep_job *job)
{
	struct builder_node *node = s->d->node[job->node];
	bool sw = node->type == TOPO_SWITCH;

	if (!job->ext)
		return false;
	node->port[sw ? 0 : job->port].marks |= DP_NOEXT;
	if (job->kind != JOB_SECOND)
		sweep_queue_job(s, job);
	return true;
}

/*
 * A switch that is not being probed does not answer JOB_REFRESH: treat it as
 * one that failed in SN_HEAD. True if that is the case.
 */
static bool
refresh_failed(struct sweep *s, const struct sweep_job *job,
	const struct xact_result *res)
{
	struct sweep_node *w = sweep_node(s, job->node);

	if (job->kind != JOB_REFRESH || s->kind != SWEEP_PROBE ||
		res->outcome != XACT_TIMEOUT || w->state != SN_NONE)
		return false;
	w->state = SN_HEAD;
	w->head = 0;
	w->fault = true;
	w->misses = 1;
	advance_switch(s, job->node);
	return true;
}

void
sweep_got_port(struct sweep *s, const struct sweep_job *job,
	const struct xact_result *res)
{
	const struct builder_node *node = s->d->node[job->node];
	struct builder_port old = node->port[job->port];
	struct reason why;
	bool reading = job->kind == JOB_PORT && node->type == TOPO_SWITCH;
	int taken = -1;

	if (res->outcome == XACT_STATUS && without_ext(s, job))
		return;
	if (res->outcome == XACT_OK) {
		sweep_node(s, job->node)->misses = 0;
		taken = builder_port_info(
			s->d, job->node, job->port, res->data, job->ext, &why);
		if (taken < 0)
			mark_partial(s, job->node, "PortInfo", why.text);
	}
	if (taken > 0 && (old.marks & DP_READ))
		s->stats.changed_ports++;
	if (job->kind == JOB_SECOND)
		return;
	if (taken < 0 && refresh_failed(s, job, res))
		return;
	if (taken < 0)
		port_unread(s, job->node, job->port, res);
	else if (node->type != TOPO_SWITCH)
		judge_ca(s, job->node, job->port);
	else if (job->port > 0)
		judge_port(s, job->node, job->port, &old);
	if (reading)
		count_port(s, job, taken >= 0, res);
}

/* ---- the role of a switch ---- */

/*
 * Silence says nothing: a role reported before is kept. An answer of another
 * kind under this attribute is no role, and clears the one reported before.
 */
void
sweep_role_got(struct sweep *s, builder_id n, const struct xact_result *res)
{
	struct builder_node *node = s->d->node[n];
	struct mad_role role;
	struct reason why;
	char name[96];
	bool bad;

	if (res->outcome == XACT_TIMEOUT) {
		if (node->role_state == BUILDER_ROLE_UNASKED)
			node->role_state = BUILDER_ROLE_SILENT;
		return;
	}
	node->role = MAD_ROLE_NONE;
	node->flags &= (uint8_t)~TN_BAD_ROLE;
	if (res->outcome != XACT_OK) {
		node->role_state = BUILDER_ROLE_REFUSED;
		return;
	}
	bad = mad_role_decode(res->data, &role, &why) != 0;
	if (bad && node->role_state != BUILDER_ROLE_BAD)
		builder_add_oddity(
			s->d, "%s: %s", builder_name(s->d, n, name), why.text);
	node->role_state = bad ? BUILDER_ROLE_BAD : BUILDER_ROLE_TOLD;
	if (bad)
		node->flags |= TN_BAD_ROLE;
	else
		node->role = role.role;
}
