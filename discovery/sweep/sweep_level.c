#include <stdlib.h>
#include <string.h>

#include "discovery/sweep/sweep_priv.h"
#include "sm/base/mem.h"

/*
 * A link inside a level can be asked from both ends. In a small level
 * LEVEL_GROUP switches are asked through at a time, so that this is rare; in a
 * large one the order alone prevents it, because only few of its switches are
 * ever open.
 */
enum { LEVEL_SMALL = 64, LEVEL_GROUP = 2, LEVEL_STREAM = 4 };

static bool
has_queued_jobs(const struct sweep *s)
{
	return s->odd.head < s->odd.n || s->ask.head < s->ask.n ||
	       s->nring > 0 || s->level_at < s->nlevel;
}

void
sweep_next_level(struct sweep *s)
{
	for (size_t i = 0; i < s->nready; i++) {
		s->level = mem_grow(
			s->level, s->nlevel, &s->level_cap, sizeof(*s->level));
		s->level[s->nlevel++] = s->ready[i];
	}
	s->nready = 0;
	s->retried = xact_stats(s->x)->retried;
}

/*
 * Queue the asks of n switches, one of each in turn: they go to different
 * nodes.
 */
static void
ask_through(struct sweep *s, const builder_id *id, size_t n)
{
	for (size_t i = 0; i < 256 * n; i++) {
		struct sweep_node *w = sweep_node(s, id[i % n]);
		uint8_t port = (uint8_t)(i / n);

		if (w->state == SN_READ && sweep_bit(w->ask, port))
			sweep_queue(s, JOB_ASK, id[i % n], port);
	}
	for (size_t i = 0; i < n; i++)
		memset(sweep_node(s, id[i])->ask, 0, sizeof(s->node->ask));
}

bool
sweep_ask_group(struct sweep *s)
{
	bool small = s->nlevel <= LEVEL_SMALL;
	size_t group = small ? LEVEL_GROUP : LEVEL_STREAM;

	if (s->level_at == s->nlevel)
		return false;
	do {
		size_t n = s->nlevel - s->level_at;

		n = n < group ? n : group;
		ask_through(s, s->level + s->level_at, n);
		s->level_at += n;
	} while (!small && s->level_at < s->nlevel);
	if (s->level_at == s->nlevel)
		s->level_at = s->nlevel = 0;
	return true;
}

/* True if a switch on the path to n is still to be read. */
static bool
is_path_unread(struct sweep *s, builder_id n)
{
	unsigned hops = 0;

	for (n = s->d->node[n]->via; n != BUILDER_NONE && ++hops < 256;
		n = s->d->node[n]->via) {
		uint8_t state = sweep_node(s, n)->state;

		if (state == SN_WAIT || state == SN_HEAD || state == SN_PORTS)
			return true;
	}
	return false;
}

/*
 * Probe: give up the switches that did not answer, and have no other path than
 * before.
 */
static void
give_up_waiting(struct sweep *s)
{
	struct sweep_ends lost = {0};

	for (builder_id n = 0; n < s->d->nnodes; n++) {
		const struct sweep_node *w = sweep_node(s, n);

		if (s->d->node[n] != NULL && w->state == SN_WAIT &&
			w->failed != 0 && !is_path_unread(s, n) &&
			w->failed == sweep_path_hash(s, n))
			sweep_ends_add(&lost, n, 0);
	}
	for (size_t i = 0; i < lost.n; i++)
		sweep_give_up(s, lost.end[i].node, "does not answer");
	free(lost.end);
	builder_route(s->d);
}

/* Probe: start the switches with a route that is sound by now. */
static void
start_waiting(struct sweep *s)
{
	give_up_waiting(s);
	for (builder_id n = 0; n < s->d->nnodes; n++) {
		const struct builder_node *node = s->d->node[n];
		struct sweep_node *w = sweep_node(s, n);

		if (node == NULL || w->state != SN_WAIT)
			continue;
		if (node->reach == BUILDER_UNREACHED) {
			w->state = SN_NONE; /* gone, unless met again */
			continue;
		}
		if (is_path_unread(s, n))
			continue;
		if (node->reach == BUILDER_CUT_OFF) {
			w->state = SN_DEAD;
			continue;
		}
		sweep_read(s, n,
			w->full || node->quarantine != NULL ||
				node->reach == BUILDER_BEHIND);
	}
}

/*
 * Read the ports with a changed other end, where a path to them is left. A port
 * behind a switch that is about to be read waits for it: when a switch is gone,
 * all its neighbours report it, and many paths lead through it.
 */
static void
read_stale(struct sweep *s)
{
	struct sweep_ends later = {0};

	for (size_t i = 0; i < s->stale.n; i++) {
		struct sweep_end e = s->stale.end[i];
		struct builder_node *node = s->d->node[e.node];
		struct sweep_job job = {.node = e.node, .port = e.port};
		struct builder_port *p;

		if (node == NULL || e.port > node->nports ||
			node->reach == BUILDER_UNREACHED ||
			node->reach == BUILDER_CUT_OFF)
			continue;
		if (is_path_unread(s, e.node)) {
			sweep_ends_add(&later, e.node, e.port);
			continue;
		}
		p = &node->port[e.port];
		if (p->read == s->sweep &&
			builder_up(p) == (p->peer != BUILDER_NONE))
			continue; /* consistent with its link */
		job.kind = node->type == TOPO_SWITCH ? JOB_REFRESH : JOB_PORT;
		if (node->type == TOPO_SWITCH
				? sweep_node(s, e.node)->state == SN_NONE
				: p->peer != BUILDER_NONE)
			sweep_queue_job(s, &job);
	}
	free(s->stale.end);
	s->stale = later;
}

/*
 * Ask again through the ports of sweep_ask_later: the other ends have answered.
 */
static void
ask_claims(struct sweep *s)
{
	for (size_t i = 0; i < s->claims.n; i++) {
		struct sweep_end e = s->claims.end[i];

		if (s->d->node[e.node] != NULL &&
			e.port <= s->d->node[e.node]->nports)
			sweep_ask_again(s, e.node, e.port);
	}
	s->claims.n = 0;
}

/* Ask through the links that waited for others to the same node: none is being
 * asked through now. */
static void
ask_others(struct sweep *s)
{
	for (size_t i = 0; i < s->others.n; i++) {
		struct sweep_end e = s->others.end[i];
		const struct builder_node *n = s->d->node[e.node];

		if (n == NULL || e.port > n->nports)
			continue;
		if (n->port[e.port].peer != BUILDER_NONE)
			sweep_node(s, n->port[e.port].peer)->asking = 0;
		sweep_queue(s, JOB_ASK, e.node, e.port);
	}
	s->others.n = 0;
	s->retried = xact_stats(s->x)->retried;
}

/*
 * Keep the link of a port of n that is silent, and quarantine the node behind
 * it.
 */
static void
keep_silent(struct sweep *s, builder_id n, uint8_t port)
{
	struct builder_port *p = &s->d->node[n]->port[port];
	struct builder_node *far = s->d->node[p->peer];
	char name[96];

	p->seen = s->sweep;
	far->port[p->peer_port].seen = s->sweep;
	far->seen = s->sweep;
	if (far->quarantine != NULL) {
		builder_node_silence(s->d, p->peer, far->quarantine);
		return;
	}
	builder_add_oddity(s->d, "%s is quarantined: does not answer",
		builder_name(s->d, p->peer, name));
	builder_node_silence(s->d, p->peer, "does not answer");
}

/*
 * A link that is up was silent: tell a node that hangs, which is quarantined,
 * from a link that carries nothing, which is removed. False: the node must be
 * asked first (probe), which was queued.
 */
static bool
judge_silent(struct sweep *s, builder_id n, uint8_t port)
{
	const struct builder_port *p = &s->d->node[n]->port[port];
	const struct builder_node *far;
	uint8_t state;
	char name[96];
	bool answers;

	if (p->peer == BUILDER_NONE || p->seen == s->sweep)
		return true;
	far = s->d->node[p->peer];
	state = sweep_node(s, p->peer)->state;
	if (s->kind == SWEEP_PROBE && far->type == TOPO_SWITCH &&
		state == SN_NONE && far->quarantine == NULL) {
		sweep_read(s, p->peer, false);
		return false;
	}
	answers = s->kind == SWEEP_FULL
			  ? far->seen == s->sweep && state != SN_DEAD &&
				    far->quarantine == NULL
			  : state == SN_READ;
	if (!answers) {
		keep_silent(s, n, port);
		return true;
	}
	builder_add_oddity(s->d,
		"the link at port %u of %s is up, but carries nothing: not "
		"used",
		port, builder_name(s->d, n, name));
	sweep_unplug(s, n, port);
	return true;
}

static void
judge_failed(struct sweep *s)
{
	struct sweep_ends again = {0};

	for (size_t i = 0; i < s->failed.n; i++) {
		struct sweep_end e = s->failed.end[i];

		if (s->d->node[e.node] != NULL &&
			e.port <= s->d->node[e.node]->nports &&
			!judge_silent(s, e.node, e.port))
			sweep_ends_add(&again, e.node, e.port);
	}
	free(s->failed.end);
	s->failed = again;
}

/* Probe: read SwitchInfo of the switches given to sweep_new once more. */
static void
ask_again(struct sweep *s)
{
	if (s->kind != SWEEP_PROBE)
		return;
	for (builder_id n = 0; n < s->d->nnodes; n++) {
		struct sweep_node *w = sweep_node(s, n);

		if (s->d->node[n] == NULL || !w->probed ||
			w->state != SN_READ || w->again == w->rounds)
			continue;
		w->again = w->rounds;
		sweep_queue(s, JOB_AGAIN, n, 0);
	}
}

/*
 * Ports of hosts that were read without modifier bit 31, and said then that
 * they know it: a Set with the bit echoes only what was read with it.
 */
static void
ask_second(struct sweep *s)
{
	for (builder_id n = 0; n < s->d->nnodes; n++) {
		const struct builder_node *node = s->d->node[n];

		if (node == NULL || node->type == TOPO_SWITCH)
			continue;
		for (unsigned i = 1; i <= node->nports; i++) {
			const struct builder_port *p = &node->port[i];

			if (p->read == s->sweep && (p->marks & DP_READ) &&
				builder_has_ext(p) &&
				(p->flags & TP_EXT_SPEED) == 0)
				sweep_queue(s, JOB_SECOND, n, (uint8_t)i);
		}
	}
}

/*
 * Nodes behind quarantined switches are kept as last known, with all their
 * links: they could not be asked, and data crosses them.
 */
static void
keep_behind(struct sweep *s)
{
	struct builder *d = s->d;
	builder_id *stack = mem_zalloc((size_t)d->nnodes + 1, sizeof(*stack));
	bool *kept = mem_zalloc((size_t)d->nnodes + 1, sizeof(*kept));
	size_t top = 0;

	for (builder_id n = 0; n < d->nnodes; n++) {
		if (d->node[n] != NULL && d->node[n]->seen == s->sweep &&
			d->node[n]->quarantine != NULL)
			stack[top++] = n;
	}
	while (top > 0) {
		struct builder_node *node = d->node[stack[--top]];

		if (node->type != TOPO_SWITCH)
			continue;
		for (unsigned i = 1; i <= node->nports; i++) {
			struct builder_port *p = &node->port[i];
			struct builder_node *far;

			if (p->peer == BUILDER_NONE || p->seen == s->sweep)
				continue;
			far = d->node[p->peer];
			if (far->seen == s->sweep && far->quarantine == NULL &&
				!kept[p->peer])
				continue; /* it was asked and did not report
					     this link */
			p->seen = s->sweep;
			far->port[p->peer_port].seen = s->sweep;
			if (far->seen != s->sweep) {
				kept[p->peer] = true;
				stack[top++] = p->peer;
			}
			far->seen = s->sweep;
		}
	}
	free(stack);
	free(kept);
}

static void
drop_node(struct sweep *s, builder_id n)
{
	struct builder_node *node = s->d->node[n];

	for (unsigned p = 0; p <= node->nports; p++)
		s->stats.gone_links += builder_unlink(s->d, n, (uint8_t)p);
	builder_node_drop(s->d, n);
	s->stats.gone_nodes++;
}

/* Full: remove the nodes and links that were not seen again. */
static void
drop_unseen(struct sweep *s)
{
	struct builder *d = s->d;

	keep_behind(s);
	for (builder_id n = 0; n < d->nnodes; n++) {
		if (d->node[n] == NULL)
			continue;
		if (d->node[n]->seen != s->sweep) {
			drop_node(s, n);
			continue;
		}
		for (unsigned p = 0; p <= d->node[n]->nports; p++) {
			if (d->node[n]->port[p].seen != s->sweep)
				s->stats.gone_links +=
					builder_unlink(d, n, (uint8_t)p);
		}
	}
}

/*
 * Probe: remove the nodes that are unreachable now; they are read as new later.
 */
static void
drop_unreached(struct sweep *s)
{
	builder_route(s->d);
	for (builder_id n = 0; n < s->d->nnodes; n++) {
		if (s->d->node[n] != NULL &&
			s->d->node[n]->reach == BUILDER_UNREACHED)
			drop_node(s, n);
	}
}

/* True if two hosts of one GUID have no linked port in common. */
static bool
have_no_common_port(const struct builder_node *a, const struct builder_node *b)
{
	if (a->type != b->type || a->nports != b->nports ||
		a->sysimg != b->sysimg)
		return false;
	for (unsigned p = 1; p <= a->nports; p++) {
		if (a->port[p].peer != BUILDER_NONE &&
			b->port[p].peer != BUILDER_NONE)
			return false;
	}
	return true;
}

/* Merge a host that was two nodes for a while (its ports moved one by one). */
static void
merge_hosts(struct builder *d, builder_id n)
{
	builder_id next;

	for (builder_id i = d->node[n]->next; i != BUILDER_NONE; i = next) {
		struct builder_node *other = d->node[i];

		next = other->next;
		if (i == d->self || !have_no_common_port(d->node[n], other))
			continue;
		for (unsigned p = 1; p <= other->nports; p++) {
			struct builder_port port = other->port[p];

			if (port.peer == BUILDER_NONE)
				continue;
			builder_link(
				d, n, (uint8_t)p, port.peer, port.peer_port);
			d->node[n]->port[p] = port;
		}
		builder_node_drop(d, i);
	}
}

/* Set TN_DUPLICATE anew: duplicates may have come or gone. */
static void
flag_duplicates(struct builder *d)
{
	for (builder_id n = 0; n < d->nnodes; n++) {
		if (d->node[n] != NULL && d->node[n]->type != TOPO_SWITCH &&
			d->node[n]->next != BUILDER_NONE)
			merge_hosts(d, n);
	}
	for (builder_id n = 0; n < d->nnodes; n++) {
		struct builder_node *node = d->node[n];
		builder_id first;

		if (node == NULL || !builder_find(d, node->guid, &first))
			continue;
		node->flags &= (uint8_t)~TN_DUPLICATE;
		if (first != n || node->next != BUILDER_NONE)
			node->flags |= TN_DUPLICATE;
	}
}

static void
finish_sweep(struct sweep *s)
{
	s->stage = STAGE_DONE;
	if (s->failure.text[0] != '\0' || s->d->self == BUILDER_NONE)
		return;
	if (s->kind == SWEEP_FULL)
		drop_unseen(s);
	if (s->kind == SWEEP_PROBE)
		drop_unreached(s);
	if (s->kind == SWEEP_FULL || s->kind == SWEEP_PROBE)
		flag_duplicates(s->d);
}

/* Queue the next of the work that can be pending while the fabric is read. */
static void
queue_pending_work(struct sweep *s)
{
	if (s->rewired && s->kind == SWEEP_PROBE) {
		builder_route(s->d);
		s->rewired = false;
	}
	read_stale(s);
	if (s->kind == SWEEP_PROBE && !has_queued_jobs(s))
		start_waiting(s);
	if (!has_queued_jobs(s) && s->nready > 0)
		sweep_next_level(s);
	if (!has_queued_jobs(s) && s->others.n > 0)
		ask_others(s);
	if (!has_queued_jobs(s) && s->claims.n > 0)
		ask_claims(s);
	if (!has_queued_jobs(s) && s->failed.n > 0)
		judge_failed(s);
}

bool
sweep_advance(struct sweep *s)
{
	if (s->stage == STAGE_DONE)
		return false;
	queue_pending_work(s);
	if (has_queued_jobs(s) || s->nready > 0 || s->others.n > 0 ||
		s->claims.n > 0)
		return true;
	if (s->stage == STAGE_RUN) {
		s->stage = STAGE_AGAIN;
		ask_again(s);
	} else if (s->stage == STAGE_AGAIN) {
		/*
		 * got_again would have gone back for another round: none is
		 * due.
		 */
		s->stage = STAGE_SECOND;
		ask_second(s);
	} else {
		finish_sweep(s);
	}
	return true;
}
