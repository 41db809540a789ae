#include <assert.h>

#include "sm/base/mem.h"
#include "tests/sim/data/data_int.h"

uint32_t
data_net_packet(struct data *d)
{
	uint32_t px = d->free_packet;

	if (px != DATA_NONE) {
		d->free_packet = d->packet[px].next;
	} else {
		d->packet = mem_grow(d->packet, d->npacket, &d->packet_cap,
			sizeof(*d->packet));
		px = (uint32_t)d->npacket++;
	}
	d->packet[px] = (struct data_packet){.next = DATA_NONE};
	d->in_flight++;
	d->injected++;
	if (d->bin_ps)
		data_report_bin(d, d->now)->injected++;
	return px;
}

static void
release_packet(struct data *d, uint32_t px)
{
	data_adaptive_release(d, &d->packet[px]);
	d->packet[px].state = DATA_FREE;
	d->packet[px].next = d->free_packet;
	d->free_packet = px;
	d->in_flight--;
}

void
data_net_drop(struct data *d, uint32_t px, enum data_drop why)
{
	d->dropped++;
	d->drop[why]++;
	if (d->bin_ps)
		data_report_bin(d, d->now)->drops++;
	release_packet(d, px);
}

int64_t
data_net_time(const struct data_port *p, uint64_t bytes)
{
	return (int64_t)((bytes * p->fs + 999) / 1000);
}

void
data_net_arm(struct data *d, uint32_t port)
{
	struct data_port *p = &d->port[port];

	if (p->armed)
		return;
	p->armed = true;
	data_int_at(d, p->busy, DATA_EV_OUT, port);
}

void
data_net_send(struct data *d, uint32_t port, unsigned vl, uint32_t px)
{
	struct data_port *p = &d->port[port];
	struct data_packet *k = &d->packet[px];
	struct data_out *o = data_int_out(d, port, vl);
	int64_t end = d->now + data_net_time(p, k->bytes);

	if (end < k->tail)
		end = k->tail; /* the link it comes by is slower */
	p->busy = end;
	o->credit -= k->blocks;
	assert(o->credit >= 0);
	data_int_in(d, p->peer, vl)->fly += k->blocks;
	k->tail = end + d->delay;
	k->at = p->peer;
	k->vl = (uint8_t)vl;
	k->epoch = p->epoch;
	k->state = DATA_WIRE;
	if (d->port[p->peer].is_switch)
		data_int_at(d, d->now + d->delay + d->route, DATA_EV_ROUTE, px);
	else
		data_int_at(d, k->tail, DATA_EV_DELIVER, px);
}

void
data_net_free_later(
	struct data *d, uint32_t port, unsigned vl, uint32_t blocks, int64_t t)
{
	data_queue_push(&d->q, (struct data_event){
				       .t = t + d->delay,
				       .kind = DATA_EV_CREDIT,
				       .a = d->port[port].peer,
				       .vl = (uint8_t)vl,
				       .b = (uint16_t)blocks,
			       });
}

void
data_net_credit(struct data *d, const struct data_event *e)
{
	const struct data_port *p = &d->port[e->a];
	struct data_out *o = data_int_out(d, e->a, e->vl);
	struct data_in *i = data_int_in(d, p->peer, e->vl);

	assert(i->occ >= e->b);
	i->occ -= e->b;
	o->credit += e->b;
	assert(o->credit <= d->cap);
	if (!p->is_switch)
		data_host_output(d, e->a);
	else if (p->want >> e->vl & 1)
		data_switch_output(d, e->a);
}

/* True if the DLID of packet k is one of the end port's where it is. */
static bool
is_at_dest(const struct data *d, const struct data_packet *k)
{
	const struct mad_port_info *pi = &d->s->port[k->at].pi;

	return pi->lid && k->dlid >= pi->lid &&
	       k->dlid < pi->lid + (1U << pi->lmc);
}

void
data_net_deliver(struct data *d, uint32_t px)
{
	struct data_packet *k = &d->packet[px];
	const struct data_port *p = &d->port[k->at];

	if (k->state == DATA_WIRE) {
		struct data_in *i = data_int_in(d, k->at, k->vl);

		assert(i->fly >= k->blocks);
		i->fly -= k->blocks;
		i->occ += k->blocks;
		data_net_free_later(d, k->at, k->vl, k->blocks, d->now);
		if (k->epoch != d->port[p->peer].epoch || !p->open) {
			data_net_drop(d, px, DATA_DROP_LINK);
			return;
		}
		if (!is_at_dest(d, k)) {
			data_net_drop(d, px, DATA_DROP_STRANGER);
			return;
		}
	}
	d->delivered++;
	data_flow_arrived(d, k);
	data_report_count(d, k);
	release_packet(d, px);
}

/* Femtoseconds per byte of data at width 1x, without line coding. */
static uint32_t
fs_at_1x(const struct sim_port *q)
{
	switch (q->pi.speed_ext2_active != 0 ? 16 : q->pi.speed_ext_active) {
	case 1:
		return 586667; /* FDR: 14.0625 Gbit/s, 64/66 */
	case 2:
		return 320000; /* EDR */
	case 4:
		return 160000; /* HDR */
	case 8:
		return 80000; /* NDR */
	case 16:
		return 40000; /* XDR */
	default:
		break;
	}
	if (q->rate.fdr10)
		return 800000;
	return q->pi.speed_active == 4	 ? 1000000
	       : q->pi.speed_active == 2 ? 2000000
					 : 4000000;
}

static uint32_t
byte_fs(const struct sim_port *q)
{
	static const uint8_t width[] = {1, 4, 8, 12, 2};

	for (unsigned i = 0; i < sizeof(width); i++) {
		if (q->pi.width_active == 1U << i)
			return fs_at_1x(q) / width[i];
	}
	return fs_at_1x(q);
}

static uint8_t
count_vls(const struct data *d, unsigned code)
{
	static const uint8_t n[] = {1, 1, 2, 4, 8, 15};
	unsigned vls = code < sizeof(n) ? n[code] : 15;

	return (uint8_t)(vls < d->vls ? vls : d->vls);
}

void
data_net_refresh(struct data *d, uint32_t port)
{
	const struct sim_port *q = &d->s->port[port];
	struct data_port *p = &d->port[port];
	bool was_live = p->live, was_open = p->open;

	if (p->peer == DATA_NONE)
		return;
	p->fs = byte_fs(q);
	p->mtu = (uint16_t)(128U << (q->pi.mtu <= 5 ? q->pi.mtu : 5));
	p->vls = count_vls(d, q->pi.op_vls);
	p->open = q->up && q->pi.state >= PORT_ARMED;
	p->live = q->up && q->pi.state == PORT_ACTIVE;
	if (was_open && !p->open)
		p->epoch++;
	if (p->is_switch && !d->s->node[p->node].present)
		data_switch_flush(d, port);
	if (p->is_switch && was_live && !p->live)
		data_switch_output_died(d, port);
	if (!p->is_switch && p->live && !was_live)
		data_host_output(d, port);
}
