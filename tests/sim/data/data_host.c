#include <assert.h>
#include <string.h>

#include "tests/sim/data/data_int.h"

/* Whether the end may take up one more message. */
static bool
has_room(const struct data *d, const struct data_end *e)
{
	return e->n < (d->t.refuse ? DATA_MAX_AHEAD : d->t.ahead);
}

/*
 * Whether the flow of this message holds back because of waiting ones of its
 * SL.
 */
static bool
holds_back(const struct data *d, const struct data_end *e,
	const struct data_message *m)
{
	unsigned same = 0;

	for (unsigned i = 0; i < e->n; i++)
		same += e->slot[i].sl == m->sl;
	return d->t.refuse && same >= d->t.ahead;
}

/* Draw the message that is due; false: nothing more is due now. */
static bool
take_up(struct data *d, uint32_t ix)
{
	struct data_end *e = &d->end[ix];
	struct data_message m;

	if (!data_traffic_next(d, ix, &m)) {
		e->due = INT64_MAX;
		return false;
	}
	m.born = e->mean ? e->due : d->now;
	e->made += m.left;
	data_traffic_pace(d, ix);
	if (!holds_back(d, e, &m)) {
		e->slot[e->n++] = m;
		return true;
	}
	e->refused++;
	return e->mean > 0; /* saturated: tried again when a packet has gone */
}

/* Take up the messages that are due, and set the event for the next one. */
static void
take_due_messages(struct data *d, uint32_t ix)
{
	struct data_end *e = &d->end[ix];

	while (d->sending && has_room(d, e) && e->due <= d->now) {
		if (!take_up(d, ix))
			return;
	}
	if (d->sending && has_room(d, e) && e->due < e->armed) {
		e->armed = e->due;
		data_int_at(d, e->due, DATA_EV_MESSAGE, ix);
	}
}

/* The VL that an end port sends an SL on: its own SL2VL, one row. */
static unsigned
own_vl(const struct data *d, uint32_t port, unsigned sl)
{
	const uint8_t *t = d->s->port[port].vlarb;
	uint8_t two = t && d->s->port[port].pi.vl_cap > 1
			      ? t[4 * MAD_DATA + sl / 2]
			      : 0;

	return sl & 1 ? two & 15 : two >> 4;
}

/*
 * Cut the next packet of the message in slot i, which is emptied by the last.
 */
static uint32_t
cut_packet(struct data *d, struct data_end *e, unsigned i)
{
	struct data_message *m = &e->slot[i];
	uint32_t px = data_net_packet(d);
	struct data_packet *k = &d->packet[px];

	k->bytes = m->left < m->packet ? (uint16_t)m->left : m->packet;
	k->blocks = (uint16_t)((k->bytes + DATA_BLOCK - 1U) / DATA_BLOCK);
	k->born = m->born;
	k->sent = d->now;
	k->src = (uint32_t)(e - d->end);
	k->dst = m->dst;
	k->dlid = m->dlid;
	k->sl = m->sl;
	data_flow_sent(d, k);
	e->sent += k->bytes;
	m->left -= k->bytes;
	if (m->left == 0) {
		e->n--;
		memmove(m, m + 1, (e->n - i) * sizeof(*m));
	}
	return px;
}

/* What can be sent: the oldest message of each VL with enough credits. */
struct ready {
	unsigned vls;
	uint16_t blocks[16];
	uint8_t slot[16];
	int bad; /* a message that cannot be sent (why), or -1 */
	enum data_drop why;
};

static void
find_ready(const struct data *d, uint32_t port, const struct data_end *e,
	struct ready *r)
{
	unsigned seen = 0;

	r->vls = 0;
	r->bad = -1;
	for (unsigned i = 0; i < e->n; i++) {
		const struct data_message *m = &e->slot[i];
		unsigned vl = own_vl(d, port, m->sl);
		uint32_t bytes = m->left < m->packet ? m->left : m->packet;

		if (vl >= d->port[port].vls || bytes > d->port[port].mtu) {
			r->bad = (int)i;
			r->why = bytes > d->port[port].mtu ? DATA_DROP_MTU
				 : vl == 15		   ? DATA_DROP_VL15
							   : DATA_DROP_VL;
			return;
		}
		if (seen >> vl & 1)
			continue;
		seen |= 1U << vl;
		r->blocks[vl] =
			(uint16_t)((bytes + DATA_BLOCK - 1) / DATA_BLOCK);
		r->slot[vl] = (uint8_t)i;
		if (data_int_out(d, port, vl)->credit >= r->blocks[vl])
			r->vls |= 1U << vl;
	}
}

/* Send one packet; false: none can go before a credit comes. */
static bool
send_one(struct data *d, uint32_t port, struct data_end *e)
{
	struct data_port *p = &d->port[port];
	struct ready r;
	uint32_t px;
	unsigned vl;

	find_ready(d, port, e, &r);
	if (r.bad >= 0) {
		/* a packet that cannot be sent takes its time all the same */
		px = cut_packet(d, e, (unsigned)r.bad);
		p->busy = d->now + data_net_time(p, d->packet[px].bytes);
		data_net_drop(d, px, r.why);
		return true;
	}
	if (!r.vls)
		return false;
	vl = data_arb_pick(d, port, r.vls, r.blocks);
	px = cut_packet(d, e, r.slot[vl]);
	data_net_send(d, port, vl, px);
	return true;
}

/* Drop the messages of a port that is not Active, if they do not wait. */
static void
drop_unsent(struct data *d, uint32_t end)
{
	struct data_end *e = &d->end[end];

	while (d->sending && d->t.lose && e->n > 0) {
		data_net_drop(d, cut_packet(d, e, 0), DATA_DROP_DEAD);
		take_due_messages(d, end);
	}
}

void
data_host_output(struct data *d, uint32_t port)
{
	struct data_port *p = &d->port[port];
	struct data_end *e = &d->end[p->end];

	take_due_messages(d, p->end);
	if (!p->live)
		drop_unsent(d, p->end);
	if (!p->live || e->n == 0)
		return;
	if (p->busy > d->now) {
		data_net_arm(d, port);
		return;
	}
	if (!send_one(d, port, e))
		return;
	take_due_messages(d, p->end);
	if (e->n || (d->sending && e->due <= p->busy))
		data_net_arm(d, port);
}

void
data_host_due(struct data *d, uint32_t end)
{
	struct data_end *e = &d->end[end];

	if (e->armed <= d->now)
		e->armed = INT64_MAX;
	data_host_output(d, e->port);
}
