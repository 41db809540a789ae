/*
 * Packets with more than one port: which ports can be used, which one a switch
 * that commits takes, and the ports that a packet keeps in one of kind escapes.
 */
#include <string.h>

#include "sm/base/mem.h"
#include "tests/sim/data/data_int.h"

enum { PS = 1000, US = 1000000 };

static uint32_t
first_port(const struct data *d, const struct data_packet *k)
{
	return k->at - d->port[k->at].num;
}

/* Whether k could be sent by a port of its switch at all. */
static bool
is_usable(const struct data *d, const struct data_packet *k, unsigned port)
{
	const struct data_port *in = &d->port[k->at];
	const struct data_port *out = &d->port[first_port(d, k) + port];

	if (port == 0 || port > d->s->node[in->node].nports || !out->live)
		return false;
	if (port == in->num && !d->o.turn_back)
		return false;
	return k->bytes <= out->mtu &&
	       data_switch_vl(d, k->at, first_port(d, k) + port, k->sl) <
		       out->vls;
}

static bool
is_empty(const uint64_t ports[SIM_HOP_WORDS])
{
	return !(ports[0] | ports[1] | ports[2] | ports[3]);
}

void
data_adaptive_hops(
	const struct data *d, const struct data_packet *k, struct sim_hops *h)
{
	const struct data_port *p = &d->port[k->at];
	struct data_choice c = {p->node, p->num, k->dlid, k->sl};

	sim_hops(d->s, p->node, k->dlid, k->sl, h);
	if (d->o.hops)
		d->o.hops(d->o.cookie, &c, h);
	if (h->kind == SIM_FIXED)
		return;
	for (unsigned t = 0; t < SIM_TIERS; t++) {
		for (unsigned i = 0; sim_hops_next(h->tier[t], &i); i++) {
			if (!is_usable(d, k, i))
				sim_hops_remove(h->tier[t], i);
		}
	}
	if (is_empty(h->tier[0]) && is_empty(h->tier[1]))
		h->kind = SIM_FIXED;
	else if (h->kind == SIM_ESCAPES && !is_usable(d, k, h->port))
		h->port = SIM_NO_PORT;
}

/* ---- a switch that commits ---- */

/* The port of a mask with the least to wait for; *waiting: blocks there. */
static unsigned
least_queued(struct data *d, const struct data_packet *k,
	const uint64_t ports[SIM_HOP_WORDS], uint32_t *waiting)
{
	uint32_t first = first_port(d, k), equal = 0;
	int32_t credit = 0;
	unsigned best = 0;

	*waiting = UINT32_MAX;
	for (unsigned i = 0; sim_hops_next(ports, &i); i++) {
		unsigned vl = data_switch_vl(d, k->at, first + i, k->sl);
		const struct data_out *o = data_int_out(d, first + i, vl);

		if (o->queued < *waiting ||
			(o->queued == *waiting && o->credit > credit))
			equal = 0;
		else if (o->queued > *waiting || o->credit < credit)
			continue;
		/* each of n equal ones with a chance of 1 / n */
		if (equal++ && rng_below(&d->tie, equal) != 0)
			continue;
		*waiting = o->queued;
		credit = o->credit;
		best = i;
	}
	return best;
}

static unsigned
pick_port(struct data *d, const struct data_packet *k, const struct sim_hops *h)
{
	uint32_t waiting, other;
	unsigned best = least_queued(d, k, h->tier[0], &waiting), second;

	if (best && waiting < d->o.congested)
		return best;
	second = least_queued(d, k, h->tier[1], &other);
	return second && (!best || other < waiting) ? second : best;
}

/* Where the last packet of k's flow went from here; NULL: not known. */
static struct data_bound *
find_bound(struct data *d, const struct data_packet *k, bool make)
{
	uint64_t key = (uint64_t)d->port[k->at].node << 40 |
		       (uint64_t)k->src << 20 | (uint64_t)k->dlid << 4 | k->sl;
	uint32_t ix;

	if (!map_get(&d->bounds, key, &ix)) {
		if (!make)
			return NULL;
		d->bound = mem_grow(
			d->bound, d->nbound, &d->bound_cap, sizeof(*d->bound));
		ix = (uint32_t)d->nbound++;
		map_put(&d->bounds, key, ix);
	}
	return &d->bound[ix];
}

unsigned
data_adaptive_commit(
	struct data *d, const struct data_packet *k, const struct sim_hops *h)
{
	struct data_bound *b;
	unsigned port;

	if (!h->bounded)
		return pick_port(d, k, h);
	b = find_bound(d, k, false);
	if (b && d->now - b->last < (int64_t)h->ageing_us * US &&
		(sim_hops_has(h->tier[0], b->port) ||
			sim_hops_has(h->tier[1], b->port)))
		port = b->port;
	else
		port = pick_port(d, k, h);
	b = find_bound(d, k, true);
	*b = (struct data_bound){d->now, (uint8_t)port};
	return port;
}

/* ---- a switch of kind escapes ---- */

void
data_adaptive_keep(
	struct data *d, struct data_packet *k, const struct sim_hops *h)
{
	uint32_t ix = d->free_late;
	struct sim_hops rest = *h;

	if (ix != DATA_NONE) {
		d->free_late = d->late[ix].next;
	} else {
		d->late = mem_grow(
			d->late, d->nlate, &d->late_cap, sizeof(*d->late));
		ix = (uint32_t)d->nlate++;
	}
	k->late = ix + 1;
	for (unsigned t = 0; t < SIM_TIERS && h->port != SIM_NO_PORT; t++)
		sim_hops_remove(rest.tier[t], h->port);
	d->late[ix] = (struct data_late){
		.h = *h,
		.only_escape = is_empty(rest.tier[0]) && is_empty(rest.tier[1]),
	};
}

void
data_adaptive_release(struct data *d, struct data_packet *k)
{
	if (!k->late)
		return;
	d->late[k->late - 1].next = d->free_late;
	d->free_late = k->late - 1;
	k->late = 0;
}

bool
data_adaptive_may(const struct data *d, const struct data_packet *k,
	unsigned out, unsigned vl, int32_t credit)
{
	const struct data_late *l = &d->late[k->late - 1];
	int64_t waited = d->now - k->head;
	int32_t kept = d->o.no_half ? 0 : d->cap / 2;

	if (data_switch_vl(d, k->at, first_port(d, k) + out, k->sl) != vl)
		return false;
	if (out == l->h.port && credit >= k->blocks &&
		(l->only_escape || waited >= d->o.escape_wait.ns * PS))
		return true;
	if (credit < k->blocks + kept)
		return false;
	return sim_hops_has(l->h.tier[0], out) ||
	       (sim_hops_has(l->h.tier[1], out) &&
		       waited >= d->o.second_wait.ns * PS);
}

void
data_adaptive_ports(const struct data *d, const struct data_packet *k,
	uint64_t ports[SIM_HOP_WORDS])
{
	const struct sim_hops *h = k->late ? &d->late[k->late - 1].h : NULL;

	memset(ports, 0, SIM_HOP_WORDS * sizeof(*ports));
	for (unsigned i = 0; h && i < SIM_HOP_WORDS; i++)
		ports[i] = h->tier[0][i] | h->tier[1][i];
	if (!h)
		sim_hops_add(ports, k->out);
	else if (h->port != SIM_NO_PORT)
		sim_hops_add(ports, h->port);
}

bool
data_adaptive_lose(struct data *d, struct data_packet *k, unsigned port)
{
	uint64_t left[SIM_HOP_WORDS];
	struct sim_hops *h;
	unsigned out = 0;

	if (!k->late)
		return k->out != port;
	h = &d->late[k->late - 1].h;
	sim_hops_remove(h->tier[0], port);
	sim_hops_remove(h->tier[1], port);
	if (h->port == port)
		h->port = SIM_NO_PORT;
	data_adaptive_ports(d, k, left);
	if (!sim_hops_next(left, &out))
		return false;
	if (k->out == port) {
		k->out = (uint8_t)out;
		k->out_vl = (uint8_t)data_switch_vl(
			d, k->at, first_port(d, k) + out, k->sl);
	}
	return true;
}
