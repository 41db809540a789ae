/*
 * A switch: packets are routed once, wait in the buffer of the port and VL they
 * came in by, and are pulled by their output when it is idle and the next
 * buffer has room. An output marks the inputs with packets for it by a bit per
 * VL and input port; the packet is looked up in the input's buffers when the
 * input is served. A bit is set exactly when an offered packet exists: offered
 * are the first `lookahead` packets of a buffer that is read by fewer outputs
 * than it can feed.
 */
#include <assert.h>
#include <string.h>

#include "tests/sim/data/data_int.h"

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

/* The first offered packet of one buffer for (out, vl). */
static bool
find_in_buffer(const struct data *d, const struct data_in *l, unsigned out,
	unsigned vl, struct pick *at)
{
	uint32_t prev = DATA_NONE, left = d->o.lookahead;

	if (!is_readable(d, l))
		return false;
	for (uint32_t x = l->head; x != DATA_NONE && left; left--) {
		const struct data_packet *k = &d->packet[x];

		if (k->out == out && k->out_vl == vl) {
			at->px = x;
			at->prev = prev;
			return true;
		}
		prev = x;
		x = k->next;
	}
	return false;
}

/*
 * The same over all VLs of an input port: the packet that has waited longest.
 */
static bool
find_offered(const struct data *d, uint32_t in, unsigned out, unsigned vl,
	struct pick *best)
{
	bool found = false;

	for (unsigned m = d->port[in].in; m; m &= m - 1) {
		unsigned v = (unsigned)__builtin_ctz(m);
		struct pick at = {.in = in, .vl = (uint8_t)v};

		if (!find_in_buffer(d, data_int_in(d, in, v), out, vl, &at))
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

/* Packet x of a buffer may leave from now on: set the bit at its output. */
static uint32_t
offer_packet(struct data *d, uint32_t x)
{
	struct data_packet *k = &d->packet[x];
	uint32_t out = first_port(d, k->at) + k->out;
	unsigned in = d->port[k->at].num;

	if (!k->head)
		k->head = d->now;
	data_int_out(d, out, k->out_vl)->want[in / 64] |= 1ULL << (in % 64);
	d->port[out].want |= (uint16_t)(1U << k->out_vl);
	if (d->o.lifetimes)
		arm_life(d, k->at, k->vl, packet_deadline(d, k));
	return out;
}

/* Clear the bit of input port in at (out, vl), if no offered packet is left. */
static void
withdraw_offer(struct data *d, uint32_t in, unsigned out, unsigned vl)
{
	uint32_t port = first_port(d, in) + out;
	struct data_out *o = data_int_out(d, port, vl);
	unsigned num = d->port[in].num;
	struct pick at;

	if (find_offered(d, in, out, vl, &at))
		return;
	o->want[num / 64] &= ~(1ULL << (num % 64));
	for (unsigned i = 0; i < DATA_WORDS; i++) {
		if (o->want[i])
			return;
	}
	d->port[port].want &= (uint16_t) ~(1U << vl);
}

static void
withdraw_all(struct data *d, uint32_t in, unsigned vl)
{
	uint32_t left = d->o.lookahead;

	for (uint32_t x = data_int_in(d, in, vl)->head; x != DATA_NONE && left;
		x = d->packet[x].next, left--)
		withdraw_offer(d, in, d->packet[x].out, d->packet[x].out_vl);
}

/* Offer the packets that may leave a buffer, then let the outputs choose. */
static void
offer_all(struct data *d, uint32_t port, unsigned vl)
{
	struct data_in *l = data_int_in(d, port, vl);
	uint64_t outs[DATA_WORDS] = {0};
	uint32_t left = d->o.lookahead, first = first_port(d, port);

	if (!is_readable(d, l))
		return;
	for (uint32_t x = l->head; x != DATA_NONE && left; left--) {
		unsigned o = d->packet[x].out;

		(void)offer_packet(d, x);
		outs[o / 64] |= 1ULL << (o % 64);
		x = d->packet[x].next;
	}
	for (unsigned i = 0; i < DATA_WORDS; i++) {
		for (; outs[i]; outs[i] &= outs[i] - 1)
			data_switch_output(
				d, first + i * 64 +
					   (unsigned)__builtin_ctzll(outs[i]));
	}
}

static void
append_packet(struct data *d, uint32_t px)
{
	struct data_packet *k = &d->packet[px];
	struct data_in *l = data_int_in(d, k->at, k->vl);

	k->state = DATA_QUEUED;
	k->next = DATA_NONE;
	if (l->n++ == 0)
		l->head = px;
	else
		d->packet[l->tail].next = px;
	l->tail = px;
	d->port[k->at].in |= (uint16_t)(1U << k->vl);
	if (l->n <= d->o.lookahead && is_readable(d, l))
		data_switch_output(d, offer_packet(d, px));
}

static void
unlink_packet(struct data *d, const struct pick *at)
{
	struct data_in *l = data_int_in(d, at->in, at->vl);
	uint32_t next = d->packet[at->px].next;

	if (at->prev == DATA_NONE)
		l->head = next;
	else
		d->packet[at->prev].next = next;
	if (l->tail == at->px)
		l->tail = at->prev;
	if (--l->n == 0)
		d->port[at->in].in &= (uint16_t) ~(1U << at->vl);
}

/* The packet that a removal has moved into the first `lookahead`. */
static uint32_t
moved_up(const struct data *d, const struct data_in *l)
{
	uint32_t x = l->head;

	if (l->n < d->o.lookahead)
		return DATA_NONE;
	for (uint32_t i = 1; i < d->o.lookahead; i++)
		x = d->packet[x].next;
	return x;
}

static void
grant_packet(/* NOLINT(misc-no-recursion): as deep as a packet's path */
	struct data *d, uint32_t port, const struct pick *at)
{
	struct data_packet *k = &d->packet[at->px];
	struct data_in *l = data_int_in(d, at->in, at->vl);
	unsigned out = k->out, vl = k->out_vl;
	uint32_t up;

	unlink_packet(d, at);
	l->reads++;
	withdraw_offer(d, at->in, out, vl);
	if (!is_readable(d, l))
		withdraw_all(d, at->in, at->vl);
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
	up = is_readable(d, l) ? moved_up(d, l) : DATA_NONE;
	if (up != DATA_NONE)
		data_switch_output(d, offer_packet(d, up));
}

static unsigned
next_input(const struct data_out *o)
{
	unsigned from = (o->last + 1U) & 255, w = from / 64;
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
		const struct data_out *o;
		bool found;

		vl = (unsigned)__builtin_ctz(m);
		o = data_int_out(d, port, vl);
		found = find_offered(d, first_port(d, port) + next_input(o),
			p->num, vl, &at[vl]);
		assert(found);
		blocks[vl] = d->packet[at[vl].px].blocks;
		if (found && o->credit >= blocks[vl])
			ready |= 1U << vl;
	}
	if (!ready)
		return;
	vl = data_arb_pick(d, port, ready, blocks);
	grant_packet(d, port, &at[vl]);
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

/* Drop a packet that waits in a buffer, without offering the next one. */
static void
discard_packet(struct data *d, const struct pick *at, enum data_drop why)
{
	struct data_packet *k = &d->packet[at->px];
	unsigned out = k->out, vl = k->out_vl;

	unlink_packet(d, at);
	withdraw_offer(d, at->in, out, vl);
	data_net_free_later(d, at->in, at->vl, k->blocks,
		k->tail > d->now ? k->tail : d->now);
	data_net_drop(d, at->px, why);
}

/* Drop the packets of a buffer that leave by port out (256: all). */
static void
discard_for(struct data *d, uint32_t in, unsigned vl, unsigned out,
	enum data_drop why)
{
	struct data_in *l = data_int_in(d, in, vl);
	struct pick at = {.prev = DATA_NONE, .in = in, .vl = (uint8_t)vl};
	uint32_t x = l->head, next;

	for (; x != DATA_NONE; x = next) {
		next = d->packet[x].next;
		if (out == 256 || d->packet[x].out == out) {
			at.px = x;
			discard_packet(d, &at, why);
		} else {
			at.prev = x;
		}
	}
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
	struct data_in *l = data_int_in(d, port, vl);
	struct pick at = {.prev = DATA_NONE, .in = port, .vl = (uint8_t)vl};
	uint32_t left = d->o.lookahead;

	for (at.px = l->head; at.px != DATA_NONE && left; left--) {
		const struct data_packet *k = &d->packet[at.px];
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
		at.prev = at.px;
		at.px = k->next;
	}
	return false;
}

void
data_switch_life(struct data *d, uint32_t port, unsigned vl)
{
	struct data_in *l = data_int_in(d, port, vl);
	uint32_t left = d->o.lookahead;
	int64_t t = INT64_MAX;

	if (l->life != d->now)
		return;
	l->life = 0;
	while (discard_old(d, port, vl))
		;
	for (uint32_t x = l->head; x != DATA_NONE && left; left--) {
		const struct data_packet *k = &d->packet[x];
		int64_t due = k->head ? packet_deadline(d, k) : INT64_MAX;

		t = due < t ? due : t;
		x = k->next;
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
	uint32_t left = d->o.lookahead;

	if (!is_readable(d, l))
		return false;
	for (uint32_t x = l->head; x != DATA_NONE && left; left--) {
		if (x == px)
			return true;
		x = d->packet[x].next;
	}
	return false;
}

/* The output port for a packet, or -1 and why not. */
static int
look_up(struct data *d, const struct data_packet *k, enum data_drop *why)
{
	const struct data_port *p = &d->port[k->at];
	const struct sim_node *n = &d->s->node[p->node];
	const struct sim_switch *sw = n->sw;
	struct data_choice c;
	unsigned out;

	*why = DATA_DROP_TOP;
	if (k->dlid > sw->si.lft_top)
		return -1;
	*why = DATA_DROP_255;
	out = k->dlid < sw->lft_n ? sw->lft[k->dlid] : SIM_NO_PORT;
	if (out == SIM_NO_PORT)
		return -1;
	if (d->o.choose && out) {
		c = (struct data_choice){
			d, p->node, p->num, (uint8_t)out, k->dlid, k->sl};
		out = d->o.choose(d->o.cookie, &c);
	}
	*why = DATA_DROP_NO_PORT;
	if (out > n->nports)
		return -1;
	*why = DATA_DROP_SAME;
	return out == p->num ? -1 : (int)out;
}

/* Choose its output port and VL; false and why there is none. */
static bool
choose_output(struct data *d, struct data_packet *k, enum data_drop *why)
{
	int out = look_up(d, k, why);
	uint32_t port;
	unsigned vl;

	if (out < 0)
		return false;
	k->out = (uint8_t)out;
	if (out == 0)
		return true;
	port = first_port(d, k->at) + (unsigned)out;
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
