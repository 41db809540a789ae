#include "tests/sim/data/data.h"

#include <assert.h>
#include <stdlib.h>

#include "sm/base/mem.h"
#include "tests/sim/data/data_int.h"

enum { PS = 1000 };

struct data_options
data_defaults(void)
{
	return (struct data_options){
		.seed = 1,
		.delay = {25},
		.route = {100},
		.buffer = 16384,
		.lookahead = UINT32_MAX,
		.check = mono_us(20),
		.congested = 64,
	};
}

struct data_options
data_fifo(void)
{
	struct data_options o = data_defaults();

	o.lookahead = 1;
	o.reads = 1;
	return o;
}

static void
make_ports(struct data *d)
{
	const struct sim *s = d->s;

	for (uint32_t n = 0; n < s->nnodes; n++) {
		for (unsigned i = 0; i <= s->node[n].nports; i++) {
			uint32_t ix = s->node[n].first + i;
			const struct sim_port *q = &s->port[ix];
			struct data_port *p = &d->port[ix];

			p->node = n;
			p->num = (uint8_t)i;
			p->end = p->peer = DATA_NONE;
			p->is_switch = s->node[n].type == FABRIC_SWITCH;
			p->fs = 1000000;
			if (i == 0 || q->peer == FABRIC_NONE)
				continue;
			p->peer = s->node[q->peer].first + q->peer_port;
			if (!p->is_switch)
				p->end = d->nends++;
		}
	}
}

static void
make_ends(struct data *d)
{
	struct rng seed = {d->o.seed};

	d->end = mem_zalloc(d->nends, sizeof(*d->end));
	d->live = mem_zalloc(d->nends, sizeof(*d->live));
	d->slots = mem_zalloc(
		(size_t)d->nends * DATA_MAX_AHEAD, sizeof(*d->slots));
	for (uint32_t i = 0; i < d->s->nports; i++) {
		uint32_t e = d->port[i].end;

		if (e == DATA_NONE)
			continue;
		d->end[e].port = i;
		d->end[e].slot = d->slots + (size_t)e * DATA_MAX_AHEAD;
		d->end[e].rng.state = rng_next(&seed);
		d->end[e].due = d->end[e].armed = INT64_MAX;
	}
}

static void
make_channels(struct data *d)
{
	size_t channels = (size_t)d->s->nports * d->vls;

	d->in = mem_zalloc(channels, sizeof(*d->in));
	d->out = mem_zalloc(channels, sizeof(*d->out));
	for (size_t i = 0; i < channels; i++) {
		d->in[i].head = d->in[i].tail = DATA_NONE;
		d->out[i].credit = d->cap;
	}
}

/* The most VLs that a port can have. */
static unsigned
most_vls(const struct sim *s)
{
	static const uint8_t n[] = {1, 1, 2, 4, 8, 15};
	unsigned most = 1;

	for (uint32_t i = 0; i < s->nports; i++) {
		unsigned code = s->port[i].pi.vl_cap;

		if (code < sizeof(n) && n[code] > most)
			most = n[code];
	}
	return most;
}

/*
 * Width of a slot of the queue: room for some six events if every link is full
 * of packets of 2 KiB at three events each.
 */
static unsigned
slot_shift(const struct data *d)
{
	double rate = 0, width = 1 << 14;
	unsigned shift = 0;

	for (uint32_t i = 0; i < d->s->nports; i++) {
		if (d->port[i].peer != DATA_NONE)
			rate += 3.0 / (2.048 * d->port[i].fs);
	}
	if (rate * width > 6)
		width = 6 / rate;
	while (shift < 14 && 1U << (shift + 1) <= width)
		shift++;
	return shift;
}

static void
run_event(struct data *d, const struct data_event *e)
{
	switch ((enum data_kind)e->kind) {
	case DATA_EV_ROUTE:
		data_switch_route(d, e->a);
		break;
	case DATA_EV_DELIVER:
		data_net_deliver(d, e->a);
		break;
	case DATA_EV_OUT:
		d->port[e->a].armed = false;
		if (d->port[e->a].is_switch)
			data_switch_output(d, e->a);
		else
			data_host_output(d, e->a);
		break;
	case DATA_EV_CREDIT:
		data_net_credit(d, e);
		break;
	case DATA_EV_READ:
		data_switch_read(d, e->a, e->vl);
		break;
	case DATA_EV_WAIT:
		data_switch_waited(d, e->a, e->vl);
		break;
	case DATA_EV_LIFE:
		data_switch_life(d, e->a, e->vl);
		break;
	case DATA_EV_MESSAGE:
		data_host_due(d, e->a);
		break;
	case DATA_EV_CHECK:
		data_deadlock_look(d);
		data_int_at(d, d->now + d->o.check.ns * PS, DATA_EV_CHECK, 0);
		break;
	}
}

static void
run_events_before(void *cookie, struct mono t)
{
	struct data *d = cookie;
	int64_t end = t.ns < INT64_MAX / PS ? t.ns * PS : INT64_MAX;
	struct data_event e;

	while (data_queue_pop(&d->q, end, &e)) {
		assert(e.t >= d->now);
		d->now = e.t;
		run_event(d, &e);
	}
	if (d->now < end)
		d->now = end;
}

static void
on_port_changed(void *cookie, uint32_t node, unsigned port)
{
	struct data *d = cookie;

	data_net_refresh(d, d->s->node[node].first + port);
}

struct data *
data_new(struct sim *s, const struct data_options *o)
{
	struct data *d = mem_zalloc(1, sizeof(*d));
	struct sim_plane plane = {d, run_events_before, on_port_changed};

	assert(!s->plane.run);
	assert(o->lookahead > 0);
	d->s = s;
	d->o = *o;
	d->now = d->mark = s->now.ns * PS;
	d->delay = o->delay.ns * PS;
	d->route = o->route.ns * PS;
	d->bin_ps = o->bin.ns * PS;
	d->vls = most_vls(s);
	d->cap = (int32_t)(o->buffer / DATA_BLOCK);
	d->free_packet = d->free_late = DATA_NONE;
	d->tie = (struct rng){o->seed ^ 0x7e11e5ULL};
	d->port = mem_zalloc(s->nports, sizeof(*d->port));
	d->t = data_traffic_defaults();
	make_ports(d);
	make_ends(d);
	make_channels(d);
	for (uint32_t i = 0; i < s->nports; i++)
		data_net_refresh(d, i);
	data_queue_init(&d->q, slot_shift(d));
	if (o->check.ns > 0)
		data_int_at(d, d->now + o->check.ns * PS, DATA_EV_CHECK, 0);
	sim_set_plane(s, &plane);
	return d;
}

void
data_free(struct data *d)
{
	if (!d)
		return;
	sim_set_plane(d->s, NULL);
	data_queue_free(&d->q);
	free(d->port);
	free(d->in);
	free(d->out);
	free(d->packet);
	free(d->late);
	data_flow_free(d);
	free(d->end);
	free(d->slots);
	free(d->live);
	free(d->bin);
	buf_free(&d->cycle);
	free(d);
}

void
data_run_until(struct data *d, struct mono t)
{
	sim_run_until(d->s, t);
}

uint32_t
data_ends(const struct data *d)
{
	return d->nends;
}

uint32_t
data_end_node(const struct data *d, uint32_t end)
{
	return d->port[d->end[end].port].node;
}

unsigned
data_end_port(const struct data *d, uint32_t end)
{
	return d->port[d->end[end].port].num;
}

uint32_t
data_end_at(const struct data *d, uint32_t node, unsigned port)
{
	return d->port[d->s->node[node].first + port].end;
}

uint32_t
data_credits(const struct data *d, uint32_t node, unsigned port, unsigned vl)
{
	uint32_t ix = d->s->node[node].first + port;

	return (uint32_t)data_int_out(d, ix, vl)->credit;
}

const char *
data_drop_name(enum data_drop why)
{
	static const char *const name[DATA_DROPS] = {
		[DATA_DROP_255] = "no entry",
		[DATA_DROP_TOP] = "beyond LinearFDBTop",
		[DATA_DROP_NO_PORT] = "no such port",
		[DATA_DROP_SAME] = "output port is input port",
		[DATA_DROP_DEAD] = "output port not Active",
		[DATA_DROP_LINK] = "cable down",
		[DATA_DROP_VL15] = "mapped to VL15",
		[DATA_DROP_VL] = "VL not operational",
		[DATA_DROP_MTU] = "longer than MTU",
		[DATA_DROP_STRANGER] = "not the LID of the port",
		[DATA_DROP_HOQ] = "head-of-queue lifetime",
		[DATA_DROP_LIFE] = "switch lifetime",
		[DATA_DROP_NODE] = "switch gone",
	};

	return name[why];
}
