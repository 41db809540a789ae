#include "tests/sim/data/data_traffic.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "tests/sim/data/data_int.h"

struct data_traffic
data_traffic_defaults(void)
{
	return (struct data_traffic){.packet = 2048, .ahead = 1};
}

/* Uniform in [0, 1). */
static double
draw_fraction(struct rng *r)
{
	return (double)(rng_next(r) >> 11) * 0x1p-53;
}

/*
 * An exponential variate of mean 1, by von Neumann's method: comparisons only,
 * hence the same on every machine. Draws fall until one does not; a run of odd
 * length ends and gives its first draw, an even one adds 1 and starts again.
 */
static double
draw_exponential(struct rng *r)
{
	for (unsigned whole = 0;; whole++) {
		double first = draw_fraction(r), last = first;
		unsigned n = 1;

		for (;;) {
			double x = draw_fraction(r);

			if (x > last)
				break;
			last = x;
			n++;
		}
		if (n & 1)
			return whole + first;
	}
}

static uint32_t
bit_reverse(uint32_t x, uint32_t n)
{
	uint32_t r = 0;

	for (uint32_t bit = 1; bit < n; bit *= 2)
		r = r << 1 | ((x & bit) != 0);
	return r < n && r != x ? r : DATA_NONE;
}

/* A partner for every end, none its own (unless there is only one). */
static void
make_permutation(struct data *d, uint64_t seed)
{
	struct rng r = {seed ^ 0x9e2a7e5ULL};

	for (uint32_t i = 0; i < d->nends; i++)
		d->end[i].dst = i;
	/* Sattolo's shuffle: one cycle through all, no fixed point */
	for (uint32_t i = d->nends; i-- > 1;) {
		uint32_t j = rng_below(&r, i), x = d->end[i].dst;

		d->end[i].dst = d->end[j].dst;
		d->end[j].dst = x;
	}
}

static void
fix_partners(struct data *d, const struct data_traffic *t)
{
	uint32_t n = d->nends;

	if (t->pattern == DATA_PERMUTATION && !t->dst)
		make_permutation(d, d->o.seed);
	for (uint32_t i = 0; i < n; i++) {
		struct data_end *e = &d->end[i];

		if (t->pattern == DATA_PERMUTATION && t->dst)
			e->dst = t->dst[i];
		else if (t->pattern == DATA_SHIFT)
			e->dst = (i + t->shift) % n;
		else if (t->pattern == DATA_BIT_REVERSE)
			e->dst = bit_reverse(i, n);
		if (e->dst == i)
			e->dst = DATA_NONE;
	}
}

/* List the ends that have a LID: destinations. */
static void
find_live(struct data *d)
{
	d->nlive = 0;
	for (uint32_t i = 0; i < d->nends; i++) {
		if (d->s->port[d->end[i].port].pi.lid)
			d->live[d->nlive++] = i;
	}
}

static void
start_end(struct data *d, uint32_t ix)
{
	struct data_end *e = &d->end[ix];
	const struct data_traffic *t = &d->t;
	double time = (double)data_net_time(&d->port[e->port], t->message);

	e->mean = t->load > 0 ? (int64_t)(time / t->load) : 0;
	e->n = 0;
	e->turn = 0;
	e->due = d->now;
	if (e->mean)
		data_traffic_pace(d, ix);
	/* not sent from here: hosts start in the order of the clock */
	if (e->due < e->armed) {
		e->armed = e->due;
		data_int_at(d, e->due, DATA_EV_MESSAGE, ix);
	}
}

void
data_traffic_start(struct data *d, const struct data_traffic *t)
{
	assert(t->packet > 0 && t->packet <= (uint32_t)d->cap * DATA_BLOCK);
	assert(t->packet <= UINT16_MAX && t->ahead <= DATA_MAX_AHEAD);
	assert(t->pattern != DATA_HOTSPOT || t->ntargets > 0);
	assert(!t->lose || t->load > 0);
	d->t = *t;
	if (!d->t.ahead)
		d->t.ahead = 1;
	if (!d->t.message)
		d->t.message = t->packet;
	d->sending = true;
	find_live(d);
	fix_partners(d, t);
	d->t.dst = NULL;
	for (uint32_t i = 0; i < d->nends; i++)
		start_end(d, i);
}

void
data_traffic_stop(struct data *d)
{
	d->sending = false;
	for (uint32_t i = 0; i < d->nends; i++)
		d->end[i].n = 0;
}

static uint32_t
random_dest(struct data *d, uint32_t ix)
{
	struct data_end *e = &d->end[ix];
	uint32_t n = d->nlive, at;

	if (n == 0 || (n == 1 && d->live[0] == ix))
		return DATA_NONE;
	do
		at = d->live[rng_below(&e->rng, n)];
	while (at == ix);
	return at;
}

static uint32_t
choose_dest(struct data *d, uint32_t ix)
{
	struct data_end *e = &d->end[ix];
	const struct data_traffic *t = &d->t;
	uint32_t n = d->nends, to;

	switch (t->pattern) {
	case DATA_UNIFORM:
		return random_dest(d, ix);
	case DATA_HOTSPOT:
		if (draw_fraction(&e->rng) < t->hot) {
			do
				to = t->target[rng_below(&e->rng, t->ntargets)];
			while (to == ix && t->ntargets > 1);
			if (to != ix)
				return to;
		}
		return random_dest(d, ix);
	case DATA_RING:
		if (n == 1)
			return DATA_NONE;
		return (e->turn & 1 ? ix + n - 1 : ix + 1) % n;
	case DATA_BIT_REVERSE:
	case DATA_SHIFT:
	case DATA_PERMUTATION:
		break;
	}
	return e->dst;
}

bool
data_traffic_next(struct data *d, uint32_t end, struct data_message *m)
{
	const struct data_traffic *t = &d->t;
	uint32_t to =
		t->silent && t->silent[end] ? DATA_NONE : choose_dest(d, end);

	if (to == DATA_NONE)
		return false;
	d->end[end].turn++;
	*m = (struct data_message){
		.dst = to,
		.left = t->message,
		.packet = (uint16_t)t->packet,
		.dlid = t->dlid ? t->dlid(t->cookie, end, to)
				: d->s->port[d->end[to].port].pi.lid,
		.sl = t->sl ? t->sl(t->cookie, end, to) & 15 : 0,
	};
	return true;
}

void
data_traffic_pace(struct data *d, uint32_t end)
{
	struct data_end *e = &d->end[end];

	if (e->mean)
		e->due +=
			(int64_t)((double)e->mean * draw_exponential(&e->rng));
}

void
data_traffic_one(struct data *d, uint32_t src, uint32_t dst, uint16_t dlid,
	uint8_t sl, uint32_t bytes)
{
	struct data_end *e = &d->end[src];

	assert(e->n < DATA_MAX_AHEAD && bytes <= UINT16_MAX);
	assert(bytes <= (uint32_t)d->cap * DATA_BLOCK);
	e->slot[e->n++] = (struct data_message){
		.born = d->now,
		.dst = dst,
		.left = bytes,
		.packet = (uint16_t)bytes,
		.dlid = dlid ? dlid : d->s->port[d->end[dst].port].pi.lid,
		.sl = sl,
	};
	e->made += bytes;
	data_host_output(d, e->port);
}
