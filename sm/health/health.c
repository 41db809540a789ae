#include "sm/health/health.h"

#include <stdlib.h>
#include <string.h>

#include "sm/base/map.h"
#include "sm/base/mem.h"
#include "sm/health/port_fec.h"
#include "sm/mad/mad_sa.h"

enum {
	BATCH = 8,    /* requests in a row, then a pause */
	SILENT = 2,   /* requests without an answer: a node is asked seldom, */
	SELDOM = 16,  /* in one pass of so many */
	CATCH_UP = 3, /* batches that may follow at once */
	BATCH_US = BATCH * 1000000 / HEALTH_RATE,
	FEC_SHARE = 4, /* of the time of a pass, for FEC counters at least */
};

enum agent { AGENT_UNKNOWN, AGENT_KNOWN, AGENT_NONE };

/* A node, by its GUID. */
struct health_node {
	uint64_t guid;
	enum agent agent;
	uint16_t capmask;
	uint32_t capmask2;
	uint64_t fec_refused_in; /* the pass in or after which it refused the
				    counters of FEC; 0: it never did */
	uint32_t silent;   /* requests without an answer since the last one */
	uint64_t heard_in; /* number of the pass of the last answer */
	uint64_t asked_in; /* ... of the last request */
	unsigned nports;
	struct port_health **port; /* [nports + 1]; NULL: not read yet */
};

/* A request in flight, or the next one for a port. */
struct health_slot {
	bool used, sent;
	uint64_t guid;
	uint8_t num;
	uint16_t attr;
	uint16_t lid;
	uint32_t tid;
	struct mono due;		    /* when the answer is given up */
	struct port_health_reading reading; /* so far */
};

/* What is asked for now: nothing, the counters of a pass, or those of FEC. */
enum stage { STAGE_REST, STAGE_COUNTERS, STAGE_FEC };

/* The port that is asked next: number, node. */
struct cursor {
	unsigned num;
	node_ix at;
};

struct health {
	struct transport *t;
	struct health_ops ops;
	struct health_options o;
	struct map by_guid; /* -> index into node */
	struct health_node *node;
	size_t nnodes, capnodes;
	struct health_slot slot[HEALTH_WINDOW];
	unsigned used;
	uint32_t tid;
	enum stage stage;
	/* the pass */
	uint64_t pass;
	struct cursor next;
	struct mono began, next_pass, next_send;
	uint32_t ports, read;
	uint32_t generation; /* of the topology when it began */
	/* the round of FEC counters, which passes interrupt */
	struct cursor next_fec;
	struct mono fec_began, fec_until;
	uint32_t fec_read;
	struct health_stats stats;
};

struct health *
health_new(struct transport *t, const struct health_ops *ops)
{
	struct health *h = mem_zalloc(1, sizeof(*h));

	h->t = t;
	h->ops = *ops;
	h->tid = t->tid_start;
	h->next_fec = (struct cursor){1, 0};
	return h;
}

static void
free_node(struct health_node *n)
{
	for (unsigned i = 0; i <= n->nports; i++) {
		if (n->port[i] != NULL)
			free(n->port[i]->fec);
		free(n->port[i]);
	}
	free(n->port);
}

static void
forget_all(struct health *h)
{
	for (size_t i = 0; i < h->nnodes; i++)
		free_node(&h->node[i]);
	free(h->node);
	map_free(&h->by_guid);
	h->node = NULL;
	h->nnodes = h->capnodes = 0;
	memset(h->slot, 0, sizeof(h->slot));
	h->used = 0;
	h->stage = STAGE_REST;
	h->next_fec = (struct cursor){1, 0};
}

void
health_free(struct health *h)
{
	if (h == NULL)
		return;
	forget_all(h);
	free(h);
}

void
health_configure(
	struct health *h, const struct health_options *o, struct mono now)
{
	if (h->o.enabled && !o->enabled) {
		forget_all(h);
		h->stats = (struct health_stats){0};
	}
	if (!h->o.enabled && o->enabled)
		h->next_pass = now;
	else if (h->o.interval.ns != o->interval.ns)
		h->next_pass =
			mono_min(h->next_pass, mono_add(h->began, o->interval));
	h->o = *o;
}

bool
health_is_enabled(const struct health *h)
{
	return h->o.enabled;
}

/* ---- nodes ---- */

static struct health_node *
find_node(const struct health *h, uint64_t guid)
{
	uint32_t i;

	return map_get(&h->by_guid, guid, &i) ? &h->node[i] : NULL;
}

static struct health_node *
make_node(struct health *h, const struct topo_node *of)
{
	struct health_node *n = find_node(h, of->guid);

	if (n != NULL && n->nports == of->nports)
		return n;
	if (n != NULL) {
		free_node(n); /* another device with its GUID */
	} else {
		h->node = mem_grow(
			h->node, h->nnodes, &h->capnodes, sizeof(*h->node));
		map_put(&h->by_guid, of->guid, (uint32_t)h->nnodes);
		n = &h->node[h->nnodes++];
	}
	*n = (struct health_node){.guid = of->guid, .nports = of->nports};
	n->port = mem_zalloc(n->nports + 1U, sizeof(struct port_health *));
	return n;
}

/* Forget the nodes that are not in t. */
static void
drop_nodes(struct health *h, const struct topo *t)
{
	size_t n = 0;

	for (size_t i = 0; i < h->nnodes; i++) {
		if (topo_by_node_guid(t, h->node[i].guid) == TOPO_NONE) {
			(void)map_del(&h->by_guid, h->node[i].guid);
			free_node(&h->node[i]);
			continue;
		}
		if (n != i) {
			h->node[n] = h->node[i];
			map_put(&h->by_guid, h->node[n].guid, (uint32_t)n);
		}
		n++;
	}
	h->nnodes = n;
}

struct port_health *
health_port(const struct health *h, uint64_t guid, unsigned num)
{
	const struct health_node *n = find_node(h, guid);

	return n != NULL && num <= n->nports ? n->port[num] : NULL;
}

/* A node that did not answer lately is left alone in most passes; in the others
 * it gets one request, and more once it has answered that. */
static bool
is_worth_asking(const struct health *h, const struct health_node *n)
{
	return n->silent < SILENT || h->pass - n->asked_in >= SELDOM;
}

static void
note_silence(struct health *h, struct health_node *n)
{
	if (n->heard_in != h->pass && n->silent < UINT32_MAX)
		n->silent++;
}

static void
note_answer(struct health *h, struct health_node *n)
{
	n->heard_in = h->pass;
	n->silent = 0;
}

/* ---- asking ---- */

static bool
has_extended(const struct health_node *n)
{
	return (n->capmask & (MAD_PERF_CAP_EXT | MAD_PERF_CAP_EXT_NO_IETF)) !=
	       0;
}

static bool
has_wide_errors(const struct health_node *n)
{
	return has_extended(n) && (n->capmask2 & MAD_PERF_CAP2_EXT_ERRORS) != 0;
}

static uint16_t
first_attr(const struct health_node *n)
{
	return n->agent == AGENT_UNKNOWN ? MAD_PERF_CLASS_INFO
	       : has_wide_errors(n)	 ? MAD_PERF_COUNTERS_EXT
					 : MAD_PERF_COUNTERS;
}

static void
close_slot(struct health *h, struct health_slot *s)
{
	s->used = false;
	h->used--;
}

static void
send_slot(struct health *h, const struct topo *t, port_ix p,
	struct health_slot *s, struct mono now)
{
	struct transport_msg m = {.addr = {.lid = s->lid, .qpn = MAD_SA_QP},
		.timeout_ms = HEALTH_ANSWER_MS,
		.len = MAD_SIZE};
	struct mad_perf_head head = {.method = MAD_GET, .attr = s->attr};

	s->tid = ++h->tid;
	s->sent = true;
	s->due = mono_add(now, mono_ms(HEALTH_ANSWER_MS));
	head.tid = s->tid;
	mad_perf_head_encode(&head, m.mad);
	if (s->attr != MAD_PERF_CLASS_INFO)
		m.mad[MAD_PERF_AT + 1] = s->num; /* PortSelect of either */
	m.addr.sl = h->ops.sl(h->ops.cookie, t, p);
	(void)h->t->send(h->t, &m);
	h->stats.asked++;
}

/* The port of a slot in t, or TOPO_NONE where it has no link any more. */
static port_ix
port_of_slot(const struct topo *t, const struct health_slot *s)
{
	node_ix n = topo_by_node_guid(t, s->guid);
	port_ix p;

	if (n == TOPO_NONE || s->num > t->node[n].nports)
		return TOPO_NONE;
	p = topo_port_of(t, n, s->num);
	return t->port[p].peer != TOPO_NONE ? p : TOPO_NONE;
}

/* The LID at which the agent for a port answers; 0: it has none. */
static uint16_t
agent_lid(const struct topo *t, port_ix p)
{
	const struct topo_node *n = &t->node[t->port[p].node];

	return t->port[n->type == TOPO_SWITCH ? n->first_port : p].lid;
}

/* Move a cursor to its next port with a link: that, or TOPO_NONE: there is no
 * further one. */
static port_ix
next_port(struct cursor *c, const struct topo *t)
{
	for (; c->num <= MAD_PORT_MAX; c->num++, c->at = 0) {
		while (c->at < t->nnodes) {
			node_ix n = c->at++;
			port_ix p;

			if (c->num > t->node[n].nports)
				continue;
			p = topo_port_of(t, n, c->num);
			if (t->port[p].peer != TOPO_NONE)
				return p;
		}
	}
	return TOPO_NONE;
}

static struct health_slot *
free_slot(struct health *h)
{
	struct health_slot *s = h->slot;

	while (s->used)
		s++;
	return s;
}

static void
open_slot(struct health *h, const struct topo *t, port_ix p,
	const struct health_node *n, uint16_t attr, struct mono now)
{
	struct health_slot *s = free_slot(h);

	*s = (struct health_slot){.used = true,
		.guid = n->guid,
		.num = t->port[p].num,
		.attr = attr,
		.lid = agent_lid(t, p)};
	h->used++;
	send_slot(h, t, p, s, now);
}

static bool
is_being_asked(const struct health *h, uint64_t guid)
{
	const struct health_slot *s = h->slot, *end = s + HEALTH_WINDOW;

	while (s < end && !(s->used && s->guid == guid))
		s++;
	return s < end;
}

/*
 * Ask for the next port of the pass that is to be asked; false: there is none,
 * or its agent has a request already. Agents have room for a few requests: of
 * several that come at once the last would be lost, those of the same ports in
 * every pass.
 */
static bool
ask_next(struct health *h, const struct topo *t, struct mono now)
{
	struct cursor here = h->next;
	port_ix p;

	for (; (p = next_port(&h->next, t)) != TOPO_NONE; here = h->next) {
		const struct topo_node *of = &t->node[t->port[p].node];
		struct health_node *n;

		if (is_being_asked(h, of->guid)) {
			h->next = here;
			return false;
		}
		h->ports++;
		if (agent_lid(t, p) == 0 || (of->flags & TN_DUPLICATE) != 0)
			continue;
		n = make_node(h, of);
		if (!is_worth_asking(h, n))
			continue;
		n->asked_in = h->pass;
		if (n->agent == AGENT_NONE)
			n->agent = AGENT_UNKNOWN; /* it may have got one */
		open_slot(h, t, p, n, first_attr(n), now);
		return true;
	}
	return false;
}

static bool
refuses_fec(const struct health *h, const struct health_node *n)
{
	return n->fec_refused_in != 0 && h->pass - n->fec_refused_in < SELDOM;
}

/* Whether the agent of a port, that of node n, may have counters of FEC for its
 * link. */
static bool
has_fec(const struct health *h, const struct health_node *n,
	const struct topo *t, port_ix p)
{
	const struct topo_port *port = &t->port[p];

	if (n == NULL || n->agent != AGENT_KNOWN || n->silent >= SILENT ||
		refuses_fec(h, n) || port->num > n->nports ||
		n->port[port->num] == NULL || agent_lid(t, p) == 0)
		return false;
	return port->speed_ext < PORT_HDR
		       ? port->speed_ext != 0
		       : (n->capmask & MAD_PERF_CAP_RS_FEC) != 0;
}

/* The same for the counters of FEC. */
static bool
ask_next_fec(struct health *h, const struct topo *t, struct mono now)
{
	struct cursor here = h->next_fec;
	port_ix p;

	for (; (p = next_port(&h->next_fec, t)) != TOPO_NONE;
		here = h->next_fec) {
		const struct health_node *n =
			find_node(h, t->node[t->port[p].node].guid);

		if (!has_fec(h, n, t, p))
			continue;
		if (is_being_asked(h, n->guid)) {
			h->next_fec = here;
			return false;
		}
		open_slot(h, t, p, n, MAD_PERF_FEC_COUNTERS, now);
		return true;
	}
	return false;
}

/* Send a further request for a port that needs one; false: none does. */
static bool
ask_further(struct health *h, const struct topo *t, struct mono now)
{
	for (struct health_slot *s = h->slot; s < h->slot + HEALTH_WINDOW;
		s++) {
		port_ix p;

		if (!s->used || s->sent)
			continue;
		p = port_of_slot(t, s);
		if (p == TOPO_NONE) {
			close_slot(h, s);
			continue;
		}
		send_slot(h, t, p, s, now);
		return true;
	}
	return false;
}

/* ---- the pass ---- */

static void
begin_pass(struct health *h, const struct topo *t, struct mono now)
{
	/* what was silent may have been cut off */
	for (size_t i = 0; i < h->nnodes && t->generation != h->generation; i++)
		if (h->node[i].agent != AGENT_NONE)
			h->node[i].silent = 0;
	h->generation = t->generation;
	h->stage = STAGE_COUNTERS;
	h->pass++;
	h->next = (struct cursor){1, 0};
	h->ports = h->read = 0;
	h->began = now;
	h->next_send = now;
}

static void
end_pass(struct health *h, const struct topo *t, struct mono now)
{
	struct mono fec = mono_sub(now, h->began);

	fec.ns /= FEC_SHARE;
	h->stage = STAGE_FEC;
	h->next_pass = mono_add(h->began, h->o.interval);
	h->fec_until = mono_add(now, fec);
	if (mono_before(h->fec_until, h->next_pass))
		h->fec_until = h->next_pass;
	if (h->next_fec.num == 1 && h->next_fec.at == 0)
		h->fec_began = now;
	h->stats.passes++;
	h->stats.took = mono_sub(now, h->began);
	h->stats.ports = h->ports;
	h->stats.read = h->read;
	drop_nodes(h, t);
	h->ops.passed(h->ops.cookie, now);
}

/* A round of FEC counters is over, and the next one begins after a pass. */
static void
end_round(struct health *h, struct mono now)
{
	h->stage = STAGE_REST;
	h->next_fec = (struct cursor){1, 0};
	h->stats.fec_read = h->fec_read;
	h->stats.fec_took = mono_sub(now, h->fec_began);
	h->fec_read = 0;
}

static void
expire_slots(struct health *h, struct mono now)
{
	for (struct health_slot *s = h->slot; s < h->slot + HEALTH_WINDOW;
		s++) {
		struct health_node *n;

		if (!s->used || !s->sent || mono_before(now, s->due))
			continue;
		h->stats.unanswered++;
		n = find_node(h, s->guid);
		if (n != NULL)
			note_silence(h, n);
		close_slot(h, s);
	}
}

/* The next batch, a fixed time after this one was due: a process that is woken
 * late makes up for it, as far as a few batches go. */
static void
schedule_batch(struct health *h, struct mono now)
{
	struct mono least =
		mono_sub(now, mono_us((int64_t)CATCH_UP * BATCH_US));

	if (mono_before(h->next_send, least))
		h->next_send = least;
	h->next_send = mono_add(h->next_send, mono_us(BATCH_US));
}

void
health_step(
	struct health *h, const struct topo *t, bool may_ask, struct mono now)
{
	if (h->used > 0)
		expire_slots(h, now);
	if (!may_ask || !h->o.enabled)
		return;
	if (h->stage == STAGE_FEC && !mono_before(now, h->fec_until))
		h->stage = STAGE_REST;
	if (h->stage == STAGE_REST && !mono_before(now, h->next_pass))
		begin_pass(h, t, now);
	if (h->stage == STAGE_REST || mono_before(now, h->next_send))
		return;
	for (unsigned i = 0; i < BATCH; i++) {
		if (ask_further(h, t, now))
			continue;
		if (h->used == HEALTH_WINDOW)
			break;
		if (h->stage == STAGE_FEC ? ask_next_fec(h, t, now)
					  : ask_next(h, t, now))
			continue;
		if (h->used == 0 && h->stage == STAGE_FEC)
			end_round(h, now);
		else if (h->used == 0)
			end_pass(h, t, now);
		break;
	}
	schedule_batch(h, now);
}

/* True if a request could be sent now, or the stage could end, were it not for
 * the pace. */
static bool
has_work(const struct health *h)
{
	const struct cursor *c =
		h->stage == STAGE_FEC ? &h->next_fec : &h->next;

	if (h->used == 0)
		return true;
	for (const struct health_slot *s = h->slot; s < h->slot + HEALTH_WINDOW;
		s++)
		if (s->used && !s->sent)
			return true;
	return h->used < HEALTH_WINDOW && c->num <= MAD_PORT_MAX;
}

struct mono
health_next(const struct health *h, bool may_ask)
{
	struct mono t = MONO_NEVER;

	for (const struct health_slot *s = h->slot;
		h->used > 0 && s < h->slot + HEALTH_WINDOW; s++)
		if (s->used && s->sent)
			t = mono_min(t, s->due);
	if (!may_ask || !h->o.enabled)
		return t;
	if (h->stage == STAGE_REST)
		return mono_min(t, h->next_pass);
	if (h->stage == STAGE_FEC)
		t = mono_min(t, h->fec_until);
	return has_work(h) ? mono_min(t, h->next_send) : t;
}

/* ---- answers ---- */

static struct health_slot *
slot_of(struct health *h, const struct transport_msg *m,
	const struct mad_perf_head *head)
{
	for (struct health_slot *s = h->slot; s < h->slot + HEALTH_WINDOW; s++)
		if (s->used && s->sent && s->tid == (uint32_t)head->tid &&
			s->attr == head->attr && s->lid == m->addr.lid)
			return s;
	return NULL;
}

/* Bits of mad_perf_kind. */
static const uint32_t flows = (UINT32_C(1) << MAD_PERF_FLOWS) - 1;
static const uint32_t all = (UINT32_C(1) << MAD_PERF_KINDS) - 1;

/* Counters in an answer of an attribute, by what the agent knows. */
static uint32_t
counters_in(const struct health_node *n, uint16_t attr)
{
	const uint32_t few = UINT32_C(1) << MAD_PERF_XMIT_DATA |
			     UINT32_C(1) << MAD_PERF_RCV_DATA |
			     UINT32_C(1) << MAD_PERF_XMIT_PACKETS |
			     UINT32_C(1) << MAD_PERF_RCV_PACKETS;
	const uint32_t wait = UINT32_C(1) << MAD_PERF_XMIT_WAIT;
	uint32_t in = few | (all & ~flows);

	if (attr == MAD_PERF_COUNTERS_EXT) {
		in = (n->capmask & MAD_PERF_CAP_EXT) != 0 ? flows : few;
		if (has_wide_errors(n))
			return in | (all & ~flows);
		return in;
	}
	return (n->capmask & MAD_PERF_CAP_XMIT_WAIT) != 0 ? in : in & ~wait;
}

/* Add what an answer tells to the reading; wider counters replace others. */
static void
add_reading(struct health_slot *s, const struct health_node *n,
	const struct mad_perf_counters *c)
{
	uint32_t in = counters_in(n, s->attr);

	for (unsigned k = 0; k < MAD_PERF_KINDS; k++)
		if ((in >> k & 1) != 0)
			s->reading.count[k] = c->count[k];
	s->reading.known |= in;
	if (s->attr == MAD_PERF_COUNTERS_EXT)
		s->reading.wide |= in;
}

/* The port is read: take it. */
static void
finish_reading(struct health *h, struct health_node *n, struct health_slot *s,
	const struct topo *t, struct mono now)
{
	port_ix p = t != NULL ? port_of_slot(t, s) : TOPO_NONE;

	if (n->port[s->num] == NULL)
		n->port[s->num] = mem_zalloc(1, sizeof(struct port_health));
	port_health_take(n->port[s->num], &s->reading, now);
	close_slot(h, s);
	h->read++;
	if (p != TOPO_NONE)
		h->ops.read(h->ops.cookie, t, p, now);
}

static void
take_fec(struct health *h, struct health_node *n, struct health_slot *s,
	const uint8_t *payload, struct mono now)
{
	struct port_health *port = n->port[s->num];
	struct mad_perf_fec c;

	mad_perf_fec_decode(payload, &c);
	close_slot(h, s);
	if (c.port != s->num) {
		h->stats.alien++;
		return;
	}
	if (port == NULL)
		return; /* the device is another one by now */
	if (port->fec == NULL)
		port->fec = mem_zalloc(1, sizeof(*port->fec));
	port_fec_take(port->fec, &c, now);
	h->fec_read++;
}

/* The answer to a request for counters. */
static void
take_counters(struct health *h, struct health_node *n, struct health_slot *s,
	const uint8_t *payload, const struct topo *t, struct mono now)
{
	struct mad_perf_counters c;

	if (s->attr == MAD_PERF_COUNTERS_EXT)
		mad_perf_extended_decode(payload, &c);
	else
		mad_perf_counters_decode(payload, &c);
	if (c.port != s->num) {
		h->stats.alien++;
		close_slot(h, s);
		return;
	}
	add_reading(s, n, &c);
	if (s->attr == MAD_PERF_COUNTERS && h->o.data && has_extended(n)) {
		s->attr = MAD_PERF_COUNTERS_EXT;
		s->sent = false;
		return;
	}
	finish_reading(h, n, s, t, now);
}

static void
take_answer(struct health *h, struct health_node *n, struct health_slot *s,
	const uint8_t *payload, const struct topo *t, struct mono now)
{
	struct mad_perf_class_info info;

	if (s->attr == MAD_PERF_FEC_COUNTERS) {
		take_fec(h, n, s, payload, now);
		return;
	}
	if (s->attr != MAD_PERF_CLASS_INFO) {
		take_counters(h, n, s, payload, t, now);
		return;
	}
	mad_perf_class_info_decode(payload, &info);
	n->agent = AGENT_KNOWN;
	n->capmask = info.capmask;
	n->capmask2 = info.capmask2;
	s->attr = first_attr(n);
	s->sent = false;
}

/*
 * An agent that refuses the extended counters, or those of FEC, after it said
 * that it has them has the others; one that refuses anything else has nothing
 * for us.
 */
static void
take_refusal(struct health *h, struct health_node *n, struct health_slot *s,
	const struct topo *t, struct mono now)
{
	h->stats.refused++;
	if (s->attr == MAD_PERF_FEC_COUNTERS) {
		n->fec_refused_in = h->pass;
		close_slot(h, s);
		return;
	}
	if (s->attr != MAD_PERF_COUNTERS_EXT) {
		n->agent = AGENT_NONE;
		n->silent = SILENT;
		close_slot(h, s);
		return;
	}
	n->capmask &= (uint16_t) ~(MAD_PERF_CAP_EXT | MAD_PERF_CAP_EXT_NO_IETF);
	if (s->reading.known != 0) {
		finish_reading(h, n, s, t, now);
		return;
	}
	s->attr = first_attr(n);
	s->sent = false;
}

void
health_receive(struct health *h, const struct transport_msg *m,
	const struct topo *t, struct mono now)
{
	struct mad_perf_head head;
	struct health_slot *s = NULL;
	struct health_node *n = NULL;

	if (m->error != 0)
		return; /* our own request: the slot expires */
	if (mad_perf_head_decode(m->mad, m->len, &head) &&
		head.method == MAD_GET_RESP)
		s = slot_of(h, m, &head);
	if (s != NULL)
		n = find_node(h, s->guid);
	if (n == NULL || s->num > n->nports) {
		h->stats.alien++;
		return;
	}
	h->stats.answered++;
	note_answer(h, n);
	if (head.status == MAD_STATUS_BUSY)
		close_slot(h, s); /* the next pass asks again */
	else if (head.status != 0)
		take_refusal(h, n, s, t, now);
	else
		take_answer(h, n, s, m->mad + MAD_PERF_AT, t, now);
}

const struct health_stats *
health_stats(const struct health *h)
{
	return &h->stats;
}
