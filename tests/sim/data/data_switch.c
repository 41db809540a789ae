/*
 * A switch: packets are routed once, wait in the buffer of the port and VL they
 * came in by, and are pulled by their output when it is idle and the next
 * buffer has room. An output marks the inputs with packets for it by a bit per
 * VL and input port; the packet is looked up in the input's buffers when the
 * input is served. A bit is set exactly when an offered packet exists: offered
 * are those of data_walk.c, of a buffer that is read by fewer outputs than it
 * can feed. In a switch of kind escapes a packet may be offered to several
 * outputs, to some of them after a wait only (DATA_EV_WAIT); what an output
 * finds there may lack credits, and then the next input has its turn.
 */
#include <assert.h>
#include <string.h>

#include "tests/sim/data/data_int.h"

enum { PS = 1000 };

/* Outputs that packets were offered to. */
struct outs {
	uint64_t fixed[DATA_WORDS]; /* ordered, or an escape */
	uint64_t others[DATA_WORDS];
};

/* A packet in a buffer, and the one before it. */
struct pick {
	uint32_t px, prev, in;
	uint8_t vl; /* of the buffer */
};

static bool
is_readable(const struct data *d, const struct data_in *l)
{
	return d->o.reads == 0 || l->reads < d->o.reads;
}

/*
 * The first offered packet of one buffer for (out, vl). A packet that chooses
 * late counts if that credit suffices for it, any other one always.
 */
static bool
find_in_buffer(const struct data *d, unsigned out, unsigned vl, int32_t credit,
	struct pick *at)
{
	struct data_walk w = data_walk_start(d, at->in, at->vl);

	if (!is_readable(d, data_int_in(d, at->in, at->vl)))
		return false;
	while (data_walk_next(d, &w)) {
		const struct data_packet *k = &d->packet[w.px];

		if (k->late ? data_adaptive_may(d, k, out, vl, credit)
			    : k->out == out && k->out_vl == vl) {
			at->px = w.px;
			at->prev = w.prev;
			return true;
		}
	}
	return false;
}

/*
 * The same over all VLs of an input port: the packet that has waited longest.
 */
static bool
find_offered(const struct data *d, uint32_t in, unsigned out, unsigned vl,
	int32_t credit, struct pick *best)
{
	bool found = false;

	for (unsigned m = d->port[in].in; m; m &= m - 1) {
		unsigned v = (unsigned)__builtin_ctz(m);
		struct pick at = {.in = in, .vl = (uint8_t)v};

		if (!find_in_buffer(d, out, vl, credit, &at))
			continue;
		if (!found || d->packet[at.px].head < d->packet[best->px].head)
			*best = at;
		found = true;
	}
	return found;
}

static uint32_t
first_port(const struct data *d, uint32_t port)
{
	return port - d->port[port].num;
}

/* When the lifetime of an offered packet ends, or INT64_MAX. */
static int64_t
packet_deadline(const struct data *d, const struct data_packet *k)
{
	enum { NEVER = 20, UNIT = 4096000 };
	const struct sim_switch *sw = d->s->node[d->port[k->at].node].sw;
	uint32_t out = first_port(d, k->at) + k->out;
	unsigned hoq = d->s->port[out].pi.hoq_life, life = sw->si.life;
	int64_t t = INT64_MAX;

	if (hoq < NEVER)
		t = k->head + ((int64_t)UNIT << hoq);
	if (life < NEVER && k->routed + ((int64_t)UNIT << life) < t)
		t = k->routed + ((int64_t)UNIT << life);
	return t;
}

static void
arm_life(struct data *d, uint32_t port, unsigned vl, int64_t t)
{
	struct data_in *l = data_int_in(d, port, vl);

	if (t == INT64_MAX || (l->life && l->life <= t))
		return;
	if (t <= d->now)
		t = d->now + 1;
	l->life = t;
	data_queue_push(&d->q, (struct data_event){
				       .t = t,
				       .kind = DATA_EV_LIFE,
				       .a = port,
				       .vl = (uint8_t)vl,
			       });
}

/* Set the bit of packet k's buffer at an output of its switch. */
static void
mark_output(
	struct data *d, const struct data_packet *k, unsigned port, unsigned vl)
{
	uint32_t out = first_port(d, k->at) + port;
	unsigned in = d->port[k->at].num;

	data_int_out(d, out, vl)->want[in / 64] |= 1ULL << (in % 64);
	d->port[out].want |= (uint16_t)(1U << vl);
}

/* The VL of a port that packet k may take. */
static unsigned
vl_towards(const struct data *d, const struct data_packet *k, unsigned port)
{
	return k->late ? data_switch_vl(
				 d, k->at, first_port(d, k->at) + port, k->sl)
		       : k->out_vl;
}

/* Wake the buffer when a packet that was just offered has waited so long. */
static void
arm_wait(struct data *d, const struct data_packet *k, struct mono wait)
{
	if (wait.ns > 0 && k->head == d->now)
		data_queue_push(&d->q, (struct data_event){
					       .t = d->now + wait.ns * PS,
					       .kind = DATA_EV_WAIT,
					       .a = k->at,
					       .vl = k->vl,
				       });
}

/*
 * Packet x of a buffer may leave from now on: set the bits at its outputs, and
 * note these.
 */
static void
offer_packet(struct data *d, uint32_t x, struct outs *to)
{
	struct data_packet *k = &d->packet[x];
	uint64_t ports[DATA_WORDS];

	if (!k->head)
		k->head = d->now;
	if (d->o.lifetimes)
		arm_life(d, k->at, k->vl, packet_deadline(d, k));
	if (!k->late) {
		mark_output(d, k, k->out, k->out_vl);
		sim_hops_add(to->fixed, k->out);
		return;
	}
	data_adaptive_ports(d, k, ports);
	for (unsigned p = 0; sim_hops_next(ports, &p); p++) {
		unsigned vl = vl_towards(d, k, p);

		if (data_adaptive_may(d, k, p, vl, INT32_MAX)) {
			mark_output(d, k, p, vl);
			sim_hops_add(p == k->out ? to->fixed : to->others, p);
		}
	}
	arm_wait(d, k, d->o.second_wait);
	arm_wait(d, k, d->o.escape_wait);
}

/* Clear the bit of input port in at (out, vl), if no offered packet is left. */
static void
withdraw_offer(struct data *d, uint32_t in, unsigned out, unsigned vl)
{
	uint32_t port = first_port(d, in) + out;
	struct data_out *o = data_int_out(d, port, vl);
	unsigned num = d->port[in].num;
	struct pick at;

	if (find_offered(d, in, out, vl, INT32_MAX, &at))
		return;
	o->want[num / 64] &= ~(1ULL << (num % 64));
	for (unsigned i = 0; i < DATA_WORDS; i++) {
		if (o->want[i])
			return;
	}
	d->port[port].want &= (uint16_t) ~(1U << vl);
}

/* The same at all outputs of packet k, which is or was in that buffer. */
static void
withdraw_packet(struct data *d, uint32_t in, const struct data_packet *k)
{
	uint64_t ports[DATA_WORDS];

	if (!k->late) {
		withdraw_offer(d, in, k->out, k->out_vl);
		return;
	}
	data_adaptive_ports(d, k, ports);
	for (unsigned p = 0; sim_hops_next(ports, &p); p++)
		withdraw_offer(d, in, p, vl_towards(d, k, p));
}

/*
 * The offers of a buffer that are none any more. Where there are two read
 * points, any of its packets may have been at one of them.
 */
static void
withdraw_all(struct data *d, uint32_t in, unsigned vl)
{
	uint32_t left = data_walk_split(d, in) ? UINT32_MAX : d->o.lookahead;

	for (uint32_t x = data_int_in(d, in, vl)->head; x != DATA_NONE && left;
		x = d->packet[x].next, left--)
		withdraw_packet(d, in, &d->packet[x]);
}

static void
run_outputs(/* NOLINT(misc-no-recursion): see grant_packet */
	struct data *d, uint32_t first, uint64_t ports[DATA_WORDS])
{
	for (unsigned p = 0; sim_hops_next(ports, &p); p++)
		data_switch_output(d, first + p);
}

/*
 * Let the outputs choose: alternatives before escapes, beginning with any of
 * them.
 */
static void
try_outputs(/* NOLINT(misc-no-recursion): see grant_packet */
	struct data *d, uint32_t first, struct outs *to)
{
	unsigned from = 0, n = d->s->node[d->port[first].node].nports;

	if (sim_hops_next(to->others, &from)) {
		from = rng_below(&d->tie, n + 1U);
		for (unsigned p = from; sim_hops_next(to->others, &p); p++)
			data_switch_output(d, first + p);
		for (unsigned p = 0; sim_hops_next(to->others, &p) && p < from;
			p++)
			data_switch_output(d, first + p);
	}
	run_outputs(d, first, to->fixed);
}

/* Offer the packets that may leave a buffer, then let the outputs choose. */
static void
offer_all(/* NOLINT(misc-no-recursion): see grant_packet */
	struct data *d, uint32_t port, unsigned vl)
{
	struct data_walk w = data_walk_start(d, port, vl);
	struct outs to = {{0}, {0}};

	if (!is_readable(d, data_int_in(d, port, vl)))
		return;
	while (data_walk_next(d, &w))
		offer_packet(d, w.px, &to);
	try_outputs(d, first_port(d, port), &to);
}

/* Offer one packet more, and let its outputs choose. */
static void
offer_one(/* NOLINT(misc-no-recursion): see grant_packet */
	struct data *d, uint32_t px)
{
	uint32_t first = first_port(d, d->packet[px].at);
	struct outs to = {{0}, {0}};

	offer_packet(d, px, &to);
	try_outputs(d, first, &to);
}

static void
append_packet(struct data *d, uint32_t px)
{
	struct data_packet *k = &d->packet[px];
	struct data_in *l = data_int_in(d, k->at, k->vl);
	uint32_t out = first_port(d, k->at) + k->out;

	k->state = DATA_QUEUED;
	k->next = DATA_NONE;
	if (l->n++ == 0)
		l->head = px;
	else
		d->packet[l->tail].next = px;
	l->tail = px;
	d->port[k->at].in |= (uint16_t)(1U << k->vl);
	if (!k->late)
		data_int_out(d, out, k->out_vl)->queued += k->blocks;
	if (data_switch_offered(d, px))
		offer_one(d, px);
}

static void
unlink_packet(struct data *d, const struct pick *at)
{
	struct data_in *l = data_int_in(d, at->in, at->vl);
	const struct data_packet *k = &d->packet[at->px];
	uint32_t next = k->next, out = first_port(d, at->in) + k->out;

	if (!k->late)
		data_int_out(d, out, k->out_vl)->queued -= k->blocks;
	if (at->prev == DATA_NONE)
		l->head = next;
	else
		d->packet[at->prev].next = next;
	if (l->tail == at->px)
		l->tail = at->prev;
	if (--l->n == 0)
		d->port[at->in].in &= (uint16_t) ~(1U << at->vl);
}

/* Offer what a removal has moved up. */
static void
offer_next(/* NOLINT(misc-no-recursion): see grant_packet */
	struct data *d, uint32_t in, unsigned vl)
{
	const struct data_in *l = data_int_in(d, in, vl);
	uint32_t x = l->head;

	if (!is_readable(d, l))
		return;
	if (data_walk_split(d, in)) {
		offer_all(d, in, vl);
		return;
	}
	if (l->n < d->o.lookahead)
		return;
	for (uint32_t i = 1; i < d->o.lookahead; i++)
		x = d->packet[x].next;
	offer_one(d, x);
}

static void
grant_packet(/* NOLINT(misc-no-recursion): as deep as a packet's path */
	struct data *d, uint32_t port, unsigned vl, const struct pick *at)
{
	struct data_packet *k = &d->packet[at->px];
	struct data_in *l = data_int_in(d, at->in, at->vl);

	unlink_packet(d, at);
	l->reads++;
	withdraw_packet(d, at->in, k);
	if (!is_readable(d, l) || data_walk_split(d, at->in))
		withdraw_all(d, at->in, at->vl);
	data_adaptive_release(d, k);
	data_int_out(d, port, vl)->last = d->port[at->in].num;
	data_net_send(d, port, vl, at->px);
	data_net_free_later(d, at->in, at->vl, k->blocks, d->port[port].busy);
	if (d->o.reads == 0) {
		l->reads--;
	} else {
		data_queue_push(&d->q, (struct data_event){
					       .t = d->port[port].busy,
					       .kind = DATA_EV_READ,
					       .a = at->in,
					       .vl = at->vl,
				       });
	}
	offer_next(d, at->in, at->vl);
}

/* The input port whose turn it is after `last`; one wants the output. */
static unsigned
next_input(const struct data_out *o, unsigned last)
{
	unsigned from = (last + 1U) & 255, w = from / 64;
	uint64_t m = o->want[w] >> (from % 64);

	if (m)
		return from + (unsigned)__builtin_ctzll(m);
	for (unsigned i = 0; i < DATA_WORDS; i++) {
		w = (w + 1) % DATA_WORDS;
		if (o->want[w])
			return w * 64 + (unsigned)__builtin_ctzll(o->want[w]);
	}
	return DATA_NO_VL;
}

/*
 * The packet that an output serves next on a VL: of the next input in turn. An
 * input that has none but for want of credits gives way to the one after it.
 */
static bool
find_next(const struct data *d, uint32_t port, unsigned vl, struct pick *at)
{
	const struct data_out *o = data_int_out(d, port, vl);
	unsigned num = d->port[port].num, from = next_input(o, o->last);
	unsigned in = from;

	do {
		if (find_offered(d, first_port(d, port) + in, num, vl,
			    o->credit, at))
			return true;
		in = next_input(o, in);
	} while (in != from);
	return false;
}

void
data_switch_output(/* NOLINT(misc-no-recursion): see grant_packet */
	struct data *d, uint32_t port)
{
	struct data_port *p = &d->port[port];
	unsigned ready = 0, vl;
	struct pick at[16];
	uint16_t blocks[16];

	if (!p->want)
		return;
	if (p->busy > d->now) {
		data_net_arm(d, port);
		return;
	}
	for (unsigned m = p->want; m; m &= m - 1) {
		vl = (unsigned)__builtin_ctz(m);
		if (!find_next(d, port, vl, &at[vl]))
			continue;
		blocks[vl] = d->packet[at[vl].px].blocks;
		if (data_int_out(d, port, vl)->credit >= blocks[vl])
			ready |= 1U << vl;
	}
	if (!ready)
		return;
	vl = data_arb_pick(d, port, ready, blocks);
	grant_packet(d, port, vl, &at[vl]);
	if (p->want)
		data_net_arm(d, port);
}

void
data_switch_read(struct data *d, uint32_t port, unsigned vl)
{
	struct data_in *l = data_int_in(d, port, vl);

	assert(l->reads > 0);
	l->reads--;
	offer_all(d, port, vl);
}

void
data_switch_waited(struct data *d, uint32_t port, unsigned vl)
{
	offer_all(d, port, vl);
}

/* Drop a packet that waits in a buffer, without offering the next one. */
static void
discard_packet(struct data *d, const struct pick *at, enum data_drop why)
{
	struct data_packet *k = &d->packet[at->px];

	unlink_packet(d, at);
	withdraw_packet(d, at->in, k);
	data_net_free_later(d, at->in, at->vl, k->blocks,
		k->tail > d->now ? k->tail : d->now);
	data_net_drop(d, at->px, why);
}

/*
 * Drop the packets of a buffer that can leave by no other port than out (256:
 * all).
 */
static void
discard_for(struct data *d, uint32_t in, unsigned vl, unsigned out,
	enum data_drop why)
{
	struct data_in *l = data_int_in(d, in, vl);
	struct pick at = {.prev = DATA_NONE, .in = in, .vl = (uint8_t)vl};
	uint32_t x = l->head, next;

	for (; x != DATA_NONE; x = next) {
		next = d->packet[x].next;
		if (out == 256 || !data_adaptive_lose(d, &d->packet[x], out)) {
			at.px = x;
			discard_packet(d, &at, why);
		} else {
			at.prev = x;
		}
	}
	for (unsigned v = 0; v < d->vls && out < 256; v++)
		withdraw_offer(d, in, out, v);
	offer_all(d, in, vl);
}

void
data_switch_output_died(struct data *d, uint32_t port)
{
	uint32_t first = first_port(d, port);
	unsigned n = d->s->node[d->port[port].node].nports;

	for (unsigned i = 0; i <= n; i++) {
		for (unsigned m = d->port[first + i].in; m; m &= m - 1)
			discard_for(d, first + i, (unsigned)__builtin_ctz(m),
				d->port[port].num, DATA_DROP_DEAD);
	}
}

void
data_switch_flush(struct data *d, uint32_t port)
{
	for (unsigned m = d->port[port].in; m; m &= m - 1)
		discard_for(d, port, (unsigned)__builtin_ctz(m), 256,
			DATA_DROP_NODE);
}

/* Drop one packet at the end of its lifetime; false: there is none. */
static bool
discard_old(struct data *d, uint32_t port, unsigned vl)
{
	struct data_walk w = data_walk_start(d, port, vl);

	while (data_walk_next(d, &w)) {
		const struct pick at = {w.px, w.prev, port, (uint8_t)vl};
		const struct data_packet *k = &d->packet[w.px];
		int64_t t = k->head ? packet_deadline(d, k) : INT64_MAX;

		if (t <= d->now) {
			unsigned hoq = d->s->port[first_port(d, port) + k->out]
					       .pi.hoq_life;
			bool head = hoq < 20 &&
				    k->head + (4096000LL << hoq) <= d->now;

			discard_packet(
				d, &at, head ? DATA_DROP_HOQ : DATA_DROP_LIFE);
			return true;
		}
	}
	return false;
}

void
data_switch_life(struct data *d, uint32_t port, unsigned vl)
{
	struct data_in *l = data_int_in(d, port, vl);
	struct data_walk w;
	int64_t t = INT64_MAX;

	if (l->life != d->now)
		return;
	l->life = 0;
	while (discard_old(d, port, vl))
		;
	for (w = data_walk_start(d, port, vl); data_walk_next(d, &w);) {
		const struct data_packet *k = &d->packet[w.px];
		int64_t due = k->head ? packet_deadline(d, k) : INT64_MAX;

		t = due < t ? due : t;
	}
	arm_life(d, port, vl, t);
	offer_all(d, port, vl);
}

unsigned
data_switch_vl(const struct data *d, uint32_t in, uint32_t out, unsigned sl)
{
	const struct sim_node *n = &d->s->node[d->port[out].node];
	const uint8_t *row;

	if (d->s->port[out].pi.vl_cap < 2)
		return 0; /* the only VL */
	if (!n->sw->sl2vl)
		return sl == 15 ? 7 : sl;
	row = n->sw->sl2vl[d->port[in].num * (n->nports + 1U) +
			   d->port[out].num];
	return sl & 1 ? row[sl / 2] & 15 : row[sl / 2] >> 4;
}

bool
data_switch_offered(const struct data *d, uint32_t px)
{
	const struct data_packet *k = &d->packet[px];
	const struct data_in *l = data_int_in(d, k->at, k->vl);
	struct data_walk w = data_walk_start(d, k->at, k->vl);

	if (!is_readable(d, l))
		return false;
	if (l->n <= d->o.lookahead)
		return true;
	while (data_walk_next(d, &w)) {
		if (w.px == px)
			return true;
	}
	return false;
}

/* Its ordered output port and VL; false and why there is none. */
static bool
fix_output(struct data *d, struct data_packet *k, unsigned out,
	enum data_drop *why)
{
	const struct data_port *p = &d->port[k->at];
	uint32_t port = first_port(d, k->at) + out;
	unsigned vl;

	k->out = (uint8_t)out;
	*why = DATA_DROP_255;
	if (out == SIM_NO_PORT)
		return false;
	*why = DATA_DROP_NO_PORT;
	if (out > d->s->node[p->node].nports)
		return false;
	*why = DATA_DROP_SAME;
	if (out == p->num && !(out && d->o.turn_back))
		return false;
	if (out == 0)
		return true;
	*why = DATA_DROP_DEAD;
	if (!d->port[port].live)
		return false;
	vl = data_switch_vl(d, k->at, port, k->sl);
	*why = vl == 15 ? DATA_DROP_VL15 : DATA_DROP_VL;
	if (vl >= d->port[port].vls)
		return false;
	k->out_vl = (uint8_t)vl;
	*why = DATA_DROP_MTU;
	return k->bytes <= d->port[port].mtu;
}

/* Choose its output port and VL, or keep its alternatives. */
static bool
choose_output(struct data *d, struct data_packet *k, enum data_drop *why)
{
	const struct sim_switch *sw = d->s->node[d->port[k->at].node].sw;
	struct sim_hops h;
	unsigned first = 0, out;

	*why = DATA_DROP_TOP;
	if (k->dlid > sw->si.lft_top)
		return false;
	data_adaptive_hops(d, k, &h);
	if (h.kind == SIM_FIXED)
		return fix_output(d, k, h.port, why);
	k->chose = true;
	if (h.kind == SIM_COMMITS)
		return fix_output(d, k, data_adaptive_commit(d, k, &h), why);
	data_adaptive_keep(d, k, &h);
	out = h.port;
	if (out == SIM_NO_PORT)
		out = sim_hops_next(h.tier[0], &first) ||
				      sim_hops_next(h.tier[1], &first)
			      ? first
			      : 0;
	return fix_output(d, k, out, why);
}

/* True if the DLID is one of port 0's, which takes the packet. */
static bool
is_ours(const struct data *d, const struct data_packet *k)
{
	const struct mad_port_info *pi = &d->s->port[first_port(d, k->at)].pi;

	return pi->lid && k->dlid >= pi->lid &&
	       k->dlid < pi->lid + (1U << pi->lmc);
}

/* Whether the packet arrived; the first one makes an Armed port Active. */
static bool
has_arrived(struct data *d, const struct data_packet *k)
{
	struct data_port *p = &d->port[k->at];

	if (k->epoch != d->port[p->peer].epoch || !p->open)
		return false;
	if (!p->live) {
		d->s->port[k->at].pi.state = PORT_ACTIVE;
		data_net_refresh(d, k->at);
	}
	return true;
}

void
data_switch_route(struct data *d, uint32_t px)
{
	struct data_packet *k = &d->packet[px];
	struct data_in *l = data_int_in(d, k->at, k->vl);
	int64_t end = k->tail > d->now ? k->tail : d->now;
	enum data_drop why = DATA_DROP_LINK;
	bool ok;

	assert(l->fly >= k->blocks);
	l->fly -= k->blocks;
	l->occ += k->blocks;
	assert(l->occ <= (uint32_t)d->cap);
	k->hops = (uint8_t)(k->hops < 255 ? k->hops + 1 : 255);
	d->hops++;
	k->head = 0;
	k->routed = d->now;
	ok = has_arrived(d, k) && choose_output(d, k, &why);
	if (ok && k->out) {
		append_packet(d, px);
		return;
	}
	data_net_free_later(d, k->at, k->vl, k->blocks, end);
	if (ok && is_ours(d, k)) {
		k->state = DATA_SINK;
		data_int_at(d, end, DATA_EV_DELIVER, px);
	} else {
		data_net_drop(d, px, ok ? DATA_DROP_STRANGER : why);
	}
}
