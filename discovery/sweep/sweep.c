#include "discovery/sweep/sweep.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "discovery/sweep/sweep_priv.h"
#include "sm/base/hash.h"
#include "sm/base/mem.h"
#include "sm/mad/mad_role.h"

/* How many stragglers a level may leave behind when requests are being
 * repeated: one dead node must not hold up a whole level. */
enum { STRAGGLERS = 8 };

/* How many links to a node are tried at a time that may be silent. */
enum { LINKS_TRIED = 2 };

struct sweep_node *
sweep_node(struct sweep *s, builder_id n)
{
	if (n >= s->nnode) {
		size_t want = s->d->nnodes > n ? s->d->nnodes : (size_t)n + 1;

		want += want / 2 + 16;
		s->node = mem_resize(s->node, want, sizeof(*s->node));
		memset(s->node + s->nnode, 0,
			(want - s->nnode) * sizeof(*s->node));
		s->nnode = want;
	}
	return &s->node[n];
}

static void
queue_put(struct sweep_queue *q, const struct sweep_job *job)
{
	if (q->head > 0 && q->head == q->n)
		q->head = q->n = 0;
	q->job = mem_grow(q->job, q->n, &q->cap, sizeof(*q->job));
	q->job[q->n++] = *job;
}

static bool
queue_take(struct sweep_queue *q, struct sweep_job *job)
{
	if (q->head == q->n)
		return false;
	*job = q->job[q->head++];
	return true;
}

void
sweep_queue_job(struct sweep *s, const struct sweep_job *job)
{
	struct sweep_job j = *job;

	j.gen = sweep_node(s, j.node)->gen;
	queue_put(j.kind == JOB_ASK ? &s->ask : &s->odd, &j);
}

void
sweep_queue(
	struct sweep *s, enum sweep_job_kind kind, builder_id n, uint8_t port)
{
	struct sweep_job job = {.node = n, .port = port, .kind = (uint8_t)kind};

	sweep_queue_job(s, &job);
}

void
sweep_ask_again(struct sweep *s, builder_id n, uint8_t port)
{
	struct sweep_job job = {
		.node = n, .port = port, .kind = JOB_ASK, .force = true};

	sweep_queue_job(s, &job);
}

void
sweep_ends_add(struct sweep_ends *l, builder_id n, uint8_t port)
{
	l->end = mem_grow(l->end, l->n, &l->cap, sizeof(*l->end));
	l->end[l->n++] = (struct sweep_end){n, port};
}

/* A switch that is to be probed may have lost the very link by which we reach
 * it: one Get at the near end saves a time-out. */
static void
refresh_near_ends(struct sweep *s)
{
	const struct builder *d = s->d;

	for (builder_id n = 0; n < d->nnodes; n++) {
		builder_id via;

		if (d->node[n] == NULL || sweep_node(s, n)->state != SN_WAIT)
			continue;
		via = d->node[n]->via;
		if (via != BUILDER_NONE && d->node[via]->type == TOPO_SWITCH &&
			sweep_node(s, via)->state == SN_NONE)
			sweep_refresh(s, via, d->node[n]->via_port);
	}
}

/* A switch given to sweep_new waits until its route is read. */
static void
start_probe(struct sweep *s, const uint64_t *guid, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		builder_id id;

		if (!builder_find(s->d, guid[i], &id))
			continue;
		for (; id != BUILDER_NONE; id = s->d->node[id]->next) {
			struct builder_node *node = s->d->node[id];

			s->named++;
			if (node->type == TOPO_SWITCH) {
				sweep_node(s, id)->state = SN_WAIT;
				sweep_node(s, id)->probed = true;
				continue;
			}
			for (unsigned p = 1; p <= node->nports; p++) {
				if (node->port[p].peer != BUILDER_NONE &&
					node->reach != BUILDER_CUT_OFF)
					sweep_queue(
						s, JOB_PORT, id, (uint8_t)p);
			}
		}
	}
	refresh_near_ends(s);
}

/*
 * Light: SwitchInfo of a switch, and what no switch reports. Our own port is
 * read, because no trap tells a CA that its link went down; and a node that was
 * silent is asked again, because one that hung does not report that it has
 * recovered.
 */
static void
start_listening(struct sweep *s, builder_id id)
{
	const struct builder_node *node = s->d->node[id];

	bool self = id == s->d->self, sw = node->type == TOPO_SWITCH;

	if (sw)
		sweep_queue(s, JOB_SWITCH, id, 0);
	else if (self)
		sweep_queue(s, JOB_PORT, id, (uint8_t)s->d->self_port);
	for (unsigned p = 1; p <= node->nports; p++) {
		bool cabled = node->port[p].peer != BUILDER_NONE;

		if (!sw && !self && cabled && node->quarantine != NULL)
			sweep_queue(s, JOB_PORT, id, (uint8_t)p);
		if ((sw || (self && p == s->d->self_port)) && !cabled &&
			node->quarantine == NULL && builder_up(&node->port[p]))
			sweep_queue(s, JOB_ASK, id, (uint8_t)p);
	}
}

/* One job for every node that is reached and that the sweep wants. */
static void
start_survey(struct sweep *s)
{
	for (size_t i = 0; i < s->d->norder; i++) {
		builder_id id = s->d->order[i];
		const struct builder_node *node = s->d->node[id];

		if (node->reach == BUILDER_CUT_OFF)
			continue; /* until what it is behind answers */
		if (s->kind == SWEEP_LIGHT)
			start_listening(s, id);
		if ((s->kind == SWEEP_NAMES ||
			    (s->kind == SWEEP_SWITCH_NAMES &&
				    node->type == TOPO_SWITCH)) &&
			node->desc == NULL && node->quarantine == NULL)
			sweep_queue(s, JOB_DESC, id, 0);
	}
}

struct sweep *
sweep_new(enum sweep_kind kind, struct builder *d, struct xact *x,
	const uint64_t *guid, size_t n)
{
	struct sweep *s = mem_zalloc(1, sizeof(*s));

	s->kind = kind;
	s->d = d;
	s->x = x;
	if (kind == SWEEP_FULL || kind == SWEEP_PROBE)
		d->sweep++;
	s->sweep = d->sweep;
	d->touched = true;
	s->retried = xact_stats(x)->retried;
	if (kind == SWEEP_FULL) {
		struct sweep_job job = {.kind = JOB_SELF};

		sweep_queue_job(s, &job);
		return s;
	}
	builder_route(d);
	if (kind == SWEEP_PROBE)
		start_probe(s, guid, n);
	else
		start_survey(s);
	return s;
}

void
sweep_add_trap_source(struct sweep *s, uint64_t guid)
{
	builder_id id;

	if (!builder_find(s->d, guid, &id))
		return;
	for (; id != BUILDER_NONE; id = s->d->node[id]->next)
		sweep_node(s, id)->told = true;
}

bool
sweep_found_no_change(const struct sweep *s)
{
	const struct sweep_stats *c = &s->stats;

	return s->kind == SWEEP_PROBE && s->stage == STAGE_DONE &&
	       s->named > 0 && s->unchanged == s->named && c->timeouts == 0 &&
	       c->new_nodes + c->gone_nodes + c->new_links + c->gone_links +
			       c->changed_ports ==
		       0;
}

void
sweep_read_only(struct sweep *s)
{
	s->read_only = true;
}

void
sweep_free(struct sweep *s)
{
	if (s == NULL)
		return;
	assert(s->pending == 0);
	for (size_t i = 0; i < s->nnode; i++)
		free(s->node[i].heard);
	free(s->node);
	free(s->odd.job);
	free(s->ask.job);
	free(s->ring);
	free(s->ready);
	free(s->level);
	free(s->stale.end);
	free(s->claims.end);
	free(s->others.end);
	free(s->failed.end);
	free(s->suspect);
	free(s->cleared);
	free(s);
}

/* The directed route to node n. -1: none, or longer than 63 hops. */
static int
path_to(const struct builder *d, builder_id n, uint8_t path[64])
{
	uint8_t back[64];
	int hops = 0;

	for (; n != d->self; n = d->node[n]->via) {
		if (d->node[n]->via == BUILDER_NONE || hops >= TOPO_MAX_HOPS)
			return -1;
		back[hops++] = d->node[n]->via_port;
	}
	path[0] = 0;
	for (int i = 0; i < hops; i++)
		path[i + 1] = back[hops - 1 - i];
	return hops;
}

uint64_t
sweep_path_hash(const struct sweep *s, builder_id n)
{
	uint8_t path[64];
	int hops = path_to(s->d, n, path);

	return fnv_more(FNV_START, path, hops < 0 ? 0 : (size_t)hops + 1) | 1;
}

/* The route over a given port of n: one hop more. */
static int
path_over(const struct builder *d, builder_id n, uint8_t port, uint8_t path[64])
{
	int hops = path_to(d, n, path);

	if (hops < 0 || hops >= TOPO_MAX_HOPS)
		return -1;
	path[hops + 1] = port;
	return hops + 1;
}

/*
 * True if the job is about a port of a CA or router, each of which has an SMA
 * of its own and is asked over its own link: the rule of topo_route_port.
 */
static bool
asks_host_port(const struct builder_node *n, const struct sweep_job *job)
{
	return n->type != TOPO_SWITCH && job->kind != JOB_ASK &&
	       job->kind != JOB_DESC && job->kind != JOB_IDENTITY;
}

static int
job_path(const struct sweep *s, const struct sweep_job *job, uint8_t path[64])
{
	const struct builder *d = s->d;
	const struct builder_node *n;
	const struct builder_port *p;

	if (job->kind == JOB_SELF)
		return 0;
	n = d->node[job->node];
	if (job->kind == JOB_ASK)
		return path_over(d, job->node, job->port, path);
	if (!asks_host_port(n, job) ||
		(job->node == d->self && job->port == d->self_port))
		return path_to(d, job->node, path);
	p = &n->port[job->port];
	if (p->peer == BUILDER_NONE ||
		(d->node[p->peer]->type != TOPO_SWITCH &&
			(p->peer != d->self || p->peer_port != d->self_port)))
		return -1;
	return path_over(d, p->peer, p->peer_port, path);
}

bool
sweep_is_in_reach(const struct sweep *s, const struct sweep_job *job)
{
	uint8_t path[64];

	return job_path(s, job, path) >= 0;
}

uint64_t
sweep_sma(const struct builder *d, builder_id n, unsigned port)
{
	const struct builder_node *node = d->node[n];

	if (node->type == TOPO_SWITCH || node->port[port].guid == 0)
		return node->guid;
	return node->port[port].guid;
}

/* The SMA that the cap per target is to protect. */
static uint64_t
job_target(const struct sweep *s, const struct sweep_job *job)
{
	const struct builder_node *n;
	uint64_t salt = job->kind == JOB_ASK ? job->port + 1U : 0;
	uint64_t guid = 0;

	if (job->kind == JOB_SELF)
		return 1;
	n = s->d->node[job->node];
	if (asks_host_port(n, job))
		guid = n->port[job->port].guid;
	if (n->flags & TN_DUPLICATE)
		salt += (uint64_t)job->node << 8;
	guid = guid != 0 ? guid : n->guid;
	return (guid + salt * 0x9e3779b97f4a7c15U) | (guid == 0);
}

/* The port of node n that directed requests to it arrive at. */
static unsigned
arrival_port(const struct builder *d, builder_id n)
{
	const struct builder_node *node = d->node[n];
	const struct builder_port *via;

	if (n == d->self)
		return d->self_port;
	if (node->via == BUILDER_NONE)
		return 0;
	via = &d->node[node->via]->port[node->via_port];
	return via->peer == n ? via->peer_port : 0;
}

/*
 * Whose M_Key a job needs, where that is not its target: our own port's; asked
 * through a port is what is known to be there; a description of a host, and
 * whose it is, come from one of its ports. 0: it is the target's.
 */
static uint64_t
job_sma(const struct sweep *s, const struct sweep_job *job)
{
	const struct builder *d = s->d;
	const struct builder_port *p;

	if (job->kind == JOB_SELF)
		return d->self == BUILDER_NONE
			       ? 0
			       : sweep_sma(d, d->self, d->self_port);
	if ((job->kind == JOB_DESC || job->kind == JOB_IDENTITY) &&
		d->node[job->node]->type != TOPO_SWITCH)
		return sweep_sma(d, job->node, arrival_port(d, job->node));
	if (job->kind != JOB_ASK)
		return 0;
	p = &d->node[job->node]->port[job->port];
	return p->peer == BUILDER_NONE ? 0
				       : sweep_sma(d, p->peer, p->peer_port);
}

static const struct {
	uint8_t method;
	uint16_t attr;
} wire[] = {
	[JOB_SELF] = {MAD_GET, MAD_NODE_INFO},
	[JOB_ASK] = {MAD_GET, MAD_NODE_INFO},
	[JOB_SWITCH] = {MAD_GET, MAD_SWITCH_INFO},
	[JOB_CLEAR] = {MAD_SET, MAD_SWITCH_INFO},
	[JOB_AGAIN] = {MAD_GET, MAD_SWITCH_INFO},
	[JOB_PORT] = {MAD_GET, MAD_PORT_INFO},
	[JOB_REFRESH] = {MAD_GET, MAD_PORT_INFO},
	[JOB_SECOND] = {MAD_GET, MAD_PORT_INFO},
	[JOB_DESC] = {MAD_GET, MAD_NODE_DESC},
	[JOB_IDENTITY] = {MAD_GET, MAD_NODE_INFO},
	[JOB_ROLE] = {MAD_GET, MAD_ROLE},
};

/* A job in the 64 bits of a tag: node 32, gen 16, port 8, kind 4, flags 2. */
static uint64_t
tag_of(const struct sweep_job *j)
{
	return (uint64_t)j->node << 32 | (uint64_t)j->gen << 16 |
	       (uint64_t)j->port << 8 | (uint64_t)j->kind << 2 |
	       (uint64_t)j->ext << 1 | j->force;
}

static struct sweep_job
job_of(uint64_t tag)
{
	return (struct sweep_job){
		.node = (builder_id)(tag >> 32),
		.gen = (uint16_t)(tag >> 16),
		.port = (uint8_t)(tag >> 8),
		.kind = (uint8_t)(tag >> 2 & 63),
		.ext = (tag & 2) != 0,
		.force = (tag & 1) != 0,
	};
}

static void
add_suspect(struct sweep *s, builder_id n)
{
	s->suspect = mem_grow(
		s->suspect, s->nsuspect, &s->suspect_cap, sizeof(*s->suspect));
	s->suspect[s->nsuspect++] = s->d->node[n]->guid;
}

/* Light: note whether our own port came up, went down or is in Init anew, or
 * answers although it did not when it was swept: then everything behind it is
 * to be found. */
static void
got_light_self(struct sweep *s, const struct xact_result *res)
{
	const struct builder_port *p =
		&s->d->node[s->d->self]->port[s->d->self_port];
	struct builder_port is = *p;
	struct mad_port_info pi;

	if (res->outcome != XACT_OK ||
		mad_port_info_decode(res->data, &pi, NULL) != 0)
		return;
	is.state = pi.state;
	is.phys = pi.phys_state;
	if (s->d->node[s->d->self]->quarantine == NULL &&
		builder_up(&is) == builder_up(p) &&
		(is.state != PORT_INIT || p->state == PORT_INIT))
		return;
	s->self_changed = true;
	s->odd.head = s->odd.n; /* no other node can be asked, or all will be */
}

/* Light: any answer but the expected one is a reason to probe the switch. */
static void
got_light(struct sweep *s, builder_id n, const struct xact_result *res)
{
	const struct builder_node *node = s->d->node[n];
	struct mad_switch_info si;
	bool answered = res->outcome == XACT_OK &&
			mad_switch_info_decode(res->data, &si, NULL) == 0;

	if (node->quarantine != NULL) {
		if (answered)
			add_suspect(s, n);
		return;
	}
	if (answered && !si.state_change && si.lft_top == node->lft_top)
		return;
	s->told |= answered;
	add_suspect(s, n);
}

/*
 * A NodeDescription does not say whose it is. Cables may have been moved since
 * the path was found: what is at its end now is asked for its GUID, too.
 */
static void
got_desc(struct sweep *s, builder_id n, const struct xact_result *res)
{
	struct sweep_node *w = sweep_node(s, n);
	char text[MAD_DATA + 1];

	if (res->outcome != XACT_OK)
		return;
	mad_node_desc_decode(res->data, text);
	free(w->heard);
	w->heard = mem_strdup(text);
	sweep_queue(s, JOB_IDENTITY, n, 0);
}

/* Another node, or none, has answered: the name stays unknown, and is read when
 * the move has been found. */
static void
got_identity(struct sweep *s, builder_id n, const struct xact_result *res)
{
	struct sweep_node *w = sweep_node(s, n);
	struct mad_node_info ni;

	if (res->outcome == XACT_OK &&
		mad_node_info_decode(res->data, &ni, NULL) == 0 &&
		ni.guid == s->d->node[n]->guid) {
		free(s->d->node[n]->desc);
		s->d->node[n]->desc = w->heard;
		w->heard = NULL;
	}
}

/* True if the job's node is still the one that it was made for. */
static bool
is_current(struct sweep *s, const struct sweep_job *job)
{
	return job->kind == JOB_SELF ||
	       (s->d->node[job->node] != NULL &&
		       sweep_node(s, job->node)->gen == job->gen);
}

static void
dispatch_light(struct sweep *s, const struct sweep_job *job,
	const struct xact_result *res)
{
	if (job->kind == JOB_SWITCH)
		got_light(s, job->node, res);
	else if (job->node == s->d->self && job->kind == JOB_PORT)
		got_light_self(s, res);
	else if (job->node == s->d->self && res->outcome == XACT_OK)
		s->self_changed = true;
	else if (res->outcome == XACT_OK)
		add_suspect(s, job->node);
}

/* Pass an answer, or its absence, to the function for its kind. */
static void
dispatch_answer(struct sweep *s, const struct sweep_job *job,
	const struct xact_result *res)
{
	if (job->kind == JOB_SELF) {
		sweep_got_self(s, res);
		return;
	}
	if (!is_current(s, job))
		return;
	if (s->kind == SWEEP_LIGHT) {
		dispatch_light(s, job, res);
		return;
	}
	switch ((enum sweep_job_kind)job->kind) {
	case JOB_ASK:
		sweep_got_ask(s, job, res);
		break;
	case JOB_SWITCH:
	case JOB_CLEAR:
	case JOB_AGAIN:
		sweep_got_switch(s, job, res);
		break;
	case JOB_DESC:
		got_desc(s, job->node, res);
		break;
	case JOB_IDENTITY:
		got_identity(s, job->node, res);
		break;
	case JOB_ROLE:
		sweep_role_got(s, job->node, res);
		break;
	case JOB_SELF:
		break;
	case JOB_PORT:
	case JOB_REFRESH:
	case JOB_SECOND:
		sweep_got_port(s, job, res);
		break;
	}
}

static bool
queues_empty(const struct sweep *s)
{
	return s->odd.head == s->odd.n && s->ask.head == s->ask.n &&
	       s->nring == 0 && s->level_at == s->nlevel;
}

/* The node that is known to be behind the port of a JOB_ASK, or BUILDER_NONE.
 */
static builder_id
asked_node(const struct sweep *s, const struct sweep_job *job)
{
	const struct builder_node *n = s->d->node[job->node];

	return job->kind == JOB_ASK && n != NULL && job->port <= n->nports
		       ? n->port[job->port].peer
		       : BUILDER_NONE;
}

static void
count_ask(struct sweep *s, const struct sweep_job *job, bool open)
{
	builder_id far = asked_node(s, job);
	struct sweep_node *w;

	s->asks = open ? s->asks + 1 : s->asks - 1;
	if (far == BUILDER_NONE)
		return;
	w = sweep_node(s, far);
	if (open)
		w->asking++;
	else if (w->asking > 0) /* 0: the link has become known meanwhile */
		w->asking--;
}

static void
on_request_done(void *cookie, uint64_t tag, const struct xact_result *res)
{
	struct sweep *s = cookie;
	struct sweep_job job = job_of(tag);

	s->pending--;
	if (job.kind == JOB_ASK)
		count_ask(s, &job, false);
	if (res->outcome == XACT_CANCELLED) {
		s->cancelled = true;
		return;
	}
	s->stats.smps++;
	s->stats.timeouts += res->outcome == XACT_TIMEOUT;
	dispatch_answer(s, &job, res);
	while (s->pending == 0 && queues_empty(s) && sweep_advance(s))
		;
}

/*
 * Whether PortInfo is asked for with modifier bit 31. A switch says at port 0
 * whether it has extended speeds; port 0 itself has no link. A host's port says
 * so for itself: it is asked with the bit once it has said so, or at once where
 * the other end of its link runs at an extended speed, so that most ports are
 * read once.
 */
static bool
reads_ext(const struct sweep *s, const struct sweep_job *job)
{
	const struct builder *d = s->d;
	const struct builder_node *n = d->node[job->node];
	const struct builder_port *p = &n->port[job->port];

	if (n->type == TOPO_SWITCH)
		return job->port > 0 && builder_has_ext(&n->port[0]);
	return builder_has_ext(p) ||
	       ((p->marks & DP_NOEXT) == 0 && p->peer != BUILDER_NONE &&
		       d->node[p->peer]->port[p->peer_port].speed_ext != 0);
}

/*
 * What is known of the node that is asked. A light sweep comes again: one that
 * was silent, or a link that led to nothing, is tried once in each.
 */
static enum xact_doubt
job_doubt(const struct sweep *s, const struct sweep_job *job)
{
	const struct builder_node *n;
	bool known;

	if (job->kind == JOB_SELF)
		return XACT_EXPECTED;
	n = s->d->node[job->node];
	known = job->kind != JOB_ASK || n->port[job->port].peer != BUILDER_NONE;
	if (s->kind == SWEEP_LIGHT && job->node != s->d->self &&
		(n->silent || !known))
		return XACT_SILENT;
	return known ? XACT_EXPECTED : XACT_STRANGER;
}

/* Send a job; false when there is no route to its target. */
static bool
submit_job(struct sweep *s, const struct sweep_job *job, struct mono now)
{
	struct xact_request r = {0};
	const struct builder *d = s->d;
	struct sweep_job as = *job;
	int hops = job_path(s, job, r.path);

	if (hops < 0)
		return false;
	r.hops = (uint8_t)hops;
	r.method = wire[job->kind].method;
	r.attr = wire[job->kind].attr;
	r.target = job_target(s, job);
	r.doubt = job_doubt(s, job);
	r.sma = job_sma(s, job);
	r.own_port =
		job->kind != JOB_SELF &&
		(d->node[job->node]->type != TOPO_SWITCH || job->port == 0);
	if (r.attr == MAD_PORT_INFO) {
		as.ext = reads_ext(s, job);
		r.mod = job->port | (as.ext ? MAD_PORT_INFO_EXT : 0);
	}
	if (job->kind == JOB_CLEAR) {
		/* As it was read, the bit that says "changed" included:
		 * writing a one is what clears it. */
		memcpy(r.data, s->d->node[job->node]->switch_info, MAD_DATA);
	}
	s->pending++;
	if (job->kind == JOB_ASK)
		count_ask(s, job, true);
	xact_submit(s->x, &r, now, on_request_done, s, tag_of(&as));
	return true;
}

/* The next port of the switches being read, one of each in turn. */
static bool
queue_next_port(struct sweep *s, struct sweep_job *job)
{
	while (s->nring > 0) {
		builder_id id;
		struct sweep_node *w;

		if (s->ring_at >= s->nring)
			s->ring_at = 0;
		id = s->ring[s->ring_at];
		w = sweep_node(s, id);
		if (w->state != SN_PORTS ||
			w->next_port > s->d->node[id]->nports) {
			s->ring[s->ring_at] = s->ring[--s->nring];
			continue;
		}
		s->ring_at++;
		*job = (struct sweep_job){
			.node = id,
			.gen = w->gen,
			.port = (uint8_t)w->next_port++,
			.kind = JOB_PORT,
		};
		w->open++;
		return true;
	}
	return false;
}

/* True if there still is a reason to ask through this port. */
static bool
ask_wanted(struct sweep *s, const struct sweep_job *job)
{
	const struct builder_port *p;

	if (!is_current(s, job) || sweep_node(s, job->node)->state == SN_DEAD)
		return false;
	p = &s->d->node[job->node]->port[job->port];
	if (!builder_up(p))
		return false;
	if (job->force)
		return true;
	if (p->peer != BUILDER_NONE && p->seen != s->sweep &&
		sweep_node(s, p->peer)->silent >= 2) {
		sweep_ends_add(&s->failed, job->node, job->port);
		return false;
	}
	if (p->peer != BUILDER_NONE && p->seen != s->sweep &&
		sweep_node(s, p->peer)->asking >= LINKS_TRIED &&
		xact_stats(s->x)->retried > s->retried) {
		sweep_ends_add(&s->others, job->node, job->port);
		return false;
	}
	return p->peer == BUILDER_NONE || p->seen != s->sweep;
}

/*
 * True if requests are being repeated and few are open, or none but those to
 * nodes that are silent: do not wait for them.
 */
static bool
only_stragglers(const struct sweep *s)
{
	return xact_stats(s->x)->retried > s->retried &&
	       (s->pending <= STRAGGLERS || xact_only_silent(s->x));
}

static bool
next_job(struct sweep *s, struct sweep_job *job)
{
	while (queue_take(&s->odd, job)) {
		if (is_current(s, job))
			return true;
	}
	do {
		while (queue_take(&s->ask, job)) {
			if (ask_wanted(s, job))
				return true;
		}
	} while ((s->asks == 0 || only_stragglers(s)) && sweep_ask_group(s));
	return queue_next_port(s, job);
}

void
sweep_feed(struct sweep *s, struct mono now)
{
	static const struct xact_result unsent = {.outcome = XACT_TIMEOUT};
	struct sweep_job job;

	while (s->stage != STAGE_DONE && !s->cancelled) {
		if (s->pending > 0 && !xact_room(s->x))
			return;
		if (next_job(s, &job)) {
			if (!submit_job(s, &job, now))
				dispatch_answer(s, &job, &unsent);
		} else if (s->pending == 0) {
			(void)sweep_advance(s);
		} else if (s->nready > 0 && only_stragglers(s)) {
			sweep_next_level(s);
		} else {
			return;
		}
	}
}

bool
sweep_hint(struct sweep *s, builder_id n, uint8_t port)
{
	const struct builder_port *p = &s->d->node[n]->port[port];

	if (s->kind != SWEEP_PROBE || s->stage == STAGE_DONE)
		return false;
	if (s->d->node[n]->type != TOPO_SWITCH ||
		(p->read == s->sweep && !builder_up(p)))
		return true;
	sweep_queue(s, JOB_REFRESH, n, port);
	return true;
}

void
sweep_stop(struct sweep *s, struct mono now)
{
	xact_cancel(s->x, s, now);
	s->cancelled = true;
}

bool
sweep_only_late(const struct sweep *s)
{
	return queues_empty(s) && xact_only_late(s->x, s);
}

bool
sweep_done(const struct sweep *s)
{
	return s->pending == 0 && (s->cancelled || s->stage == STAGE_DONE);
}

const char *
sweep_failed(const struct sweep *s)
{
	return s->failure.text[0] == '\0' ? NULL : s->failure.text;
}

const uint64_t *
sweep_suspects(const struct sweep *s, size_t *n)
{
	*n = s->nsuspect;
	return s->suspect;
}

const uint64_t *
sweep_repeated_clears(const struct sweep *s, size_t *n)
{
	*n = s->ncleared;
	return s->cleared;
}

bool
sweep_saw_change(const struct sweep *s)
{
	return s->told;
}

bool
sweep_self_changed(const struct sweep *s)
{
	return s->self_changed;
}

const struct sweep_stats *
sweep_stats(const struct sweep *s)
{
	return &s->stats;
}
