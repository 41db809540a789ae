/*
 * True deadlock: buffers that no packet will ever leave. A buffer is alive if
 * one of its packets may go on: because credits are there, or because the
 * buffer that it waits for is alive, or has blocks in motion (a packet
 * arriving, one leaving, credits returning: their effect is not known yet, and
 * the next search will see it). When no further buffer can be found alive, the
 * rest is dead: every packet in it waits for room in a dead buffer, by whatever
 * port it might leave. Following any one of them leads into a cycle.
 */
#include <stdlib.h>

#include "sm/base/mem.h"
#include "tests/sim/data/data_int.h"

struct search {
	const struct data *d;
	bool *stuck;	   /* [nports * vls] not known to be alive */
	uint32_t *channel; /* buffers that are stuck */
	uint32_t n;
};

/* The buffer behind a port of the switch where packet k waits. */
static uint32_t
buffer_behind(const struct data *d, const struct data_packet *k, unsigned port)
{
	uint32_t out = k->at - d->port[k->at].num + port;
	unsigned vl =
		k->late ? data_switch_vl(d, k->at, out, k->sl) : k->out_vl;

	return d->port[out].peer * d->vls + vl;
}

/* The buffer that a waiting packet goes to next, one of them at least. */
static uint32_t
wanted_buffer(const struct data *d, const struct data_packet *k)
{
	return buffer_behind(d, k, k->out);
}

/* Whether packet k could be sent by a port, as far as credits are concerned. */
static bool
has_credit(const struct data *d, const struct data_packet *k, unsigned port)
{
	uint32_t out = k->at - d->port[k->at].num + port;
	unsigned vl = buffer_behind(d, k, port) % d->vls;
	int32_t credit = data_int_out(d, out, vl)->credit;

	return k->late ? data_adaptive_may(d, k, port, vl, credit)
		       : credit >= k->blocks;
}

/* Blocks of the packets that rest in the buffer. */
static uint32_t
resting_blocks(const struct data *d, const struct data_in *l)
{
	uint32_t n = 0;

	for (uint32_t x = l->head; x != DATA_NONE; x = d->packet[x].next)
		n += d->packet[x].blocks;
	return n;
}

/* Alive by itself: blocks are in motion. */
static bool
is_moving(const struct data *d, uint32_t channel)
{
	const struct data_in *l = &d->in[channel];

	return l->fly || l->occ != resting_blocks(d, l);
}

/* Whether a packet of this buffer can go on, as far as is known. */
static bool
can_go(const struct search *s, uint32_t channel)
{
	const struct data *d = s->d;
	struct data_walk w =
		data_walk_start(d, channel / d->vls, channel % d->vls);

	while (data_walk_next(d, &w)) {
		const struct data_packet *k = &d->packet[w.px];
		uint64_t ports[SIM_HOP_WORDS];

		data_adaptive_ports(d, k, ports);
		for (unsigned p = 0; sim_hops_next(ports, &p); p++) {
			if (has_credit(d, k, p) ||
				!s->stuck[buffer_behind(d, k, p)])
				return true;
		}
	}
	return false;
}

static void
add_suspect(struct search *s, uint32_t channel)
{
	if (is_moving(s->d, channel))
		return;
	s->stuck[channel] = true;
	s->channel[s->n++] = channel;
}

/* Remove buffers found alive until no more are found. */
static void
remove_live(struct search *s)
{
	uint32_t before;

	do {
		uint32_t n = 0;

		before = s->n;
		for (uint32_t i = 0; i < before; i++) {
			if (can_go(s, s->channel[i]))
				s->stuck[s->channel[i]] = false;
			else
				s->channel[n++] = s->channel[i];
		}
		s->n = n;
	} while (s->n < before);
}

static void
name_channel(const struct data *d, uint32_t channel, struct buf *out)
{
	const struct data_port *p = &d->port[channel / d->vls];
	const struct data_in *l = &d->in[channel];
	const struct data_packet *k = &d->packet[l->head];
	const char *src = d->s->node[d->port[d->end[k->src].port].node].name;
	const char *dst = d->s->node[d->port[d->end[k->dst].port].node].name;

	buf_printf(out,
		"  \"%s\" port %u VL %u holds %u packets, the first \"%s\" ->"
		" \"%s\" (LID %u) waits for port %u VL %u, credits %d of %u\n",
		d->s->node[p->node].name, p->num, channel % d->vls, l->n, src,
		dst, k->dlid, k->out, k->out_vl,
		data_int_out(d, channel / d->vls - p->num + k->out, k->out_vl)
			->credit,
		k->blocks);
}

/* Follow dead buffers until one repeats, and print the cycle from there. */
static void
print_cycle(struct data *d, uint32_t channel)
{
	bool *seen = mem_zalloc((size_t)d->s->nports * d->vls, sizeof(*seen));
	uint32_t from;

	while (!seen[channel]) {
		seen[channel] = true;
		channel = wanted_buffer(d, &d->packet[d->in[channel].head]);
	}
	free(seen);
	from = channel;
	d->cycle_length = 0;
	buf_free(&d->cycle);
	do {
		d->cycle_length++;
		name_channel(d, channel, &d->cycle);
		channel = wanted_buffer(d, &d->packet[d->in[channel].head]);
	} while (channel != from);
	buf_printf(&d->cycle,
		"deadlock at %.3f us: these %u buffers wait for each other in a"
		" circle; %u buffers are dead in all\n",
		(double)d->now / 1e6, d->cycle_length, d->dead_buffers);
}

void
data_deadlock_look(struct data *d)
{
	size_t channels = (size_t)d->s->nports * d->vls;
	struct search s = {.d = d};
	uint32_t ndead;

	if (d->in_flight == 0) {
		d->deadlock_now = false;
		return;
	}
	s.stuck = mem_zalloc(channels, sizeof(*s.stuck));
	s.channel = mem_alloc(channels * sizeof(*s.channel));
	for (uint32_t i = 0; i < d->s->nports; i++) {
		for (unsigned m = d->port[i].in; m; m &= m - 1)
			add_suspect(
				&s, i * d->vls + (unsigned)__builtin_ctz(m));
	}
	remove_live(&s);
	ndead = s.n;
	d->deadlock_now = ndead > 0;
	if (ndead && !d->deadlock) {
		d->deadlock = true;
		d->deadlock_at = d->now;
		d->dead_buffers = ndead;
		print_cycle(d, s.channel[0]);
	}
	free(s.stuck);
	free(s.channel);
}
