/*
 * The invariants: every block of every buffer is counted once, as a credit, as
 * in motion, or as in use in the buffer; every packet is in exactly one place.
 */
#include <stdlib.h>

#include "sm/base/mem.h"
#include "tests/sim/data/data_int.h"

static int
report_mismatch(const struct data *d, uint32_t channel, const char *what,
	uint32_t is, uint32_t should, struct reason *why)
{
	const struct data_port *p = &d->port[channel / d->vls];

	return reason_set(why, "\"%s\" port %u VL %u: %s is %u, should be %u",
		d->s->node[p->node].name, p->num, channel % d->vls, what, is,
		should);
}

/* One buffer: its list, length, blocks and credits. */
static int
check_channel(const struct data *d, uint32_t channel, uint32_t wire,
	uint64_t *queued, struct reason *why)
{
	const struct data_in *l = &d->in[channel];
	uint32_t peer = d->port[channel / d->vls].peer;
	uint32_t n = 0, blocks = 0, last = DATA_NONE, sum;
	int32_t credit = d->cap;

	for (uint32_t x = l->head; x != DATA_NONE; x = d->packet[x].next) {
		const struct data_packet *k = &d->packet[x];

		if (k->state != DATA_QUEUED ||
			k->at * d->vls + k->vl != channel)
			return report_mismatch(d, channel, "packet's place",
				k->at * d->vls + k->vl, channel, why);
		n++;
		blocks += k->blocks;
		last = x;
	}
	*queued += n;
	if (n != l->n || (n && last != l->tail))
		return report_mismatch(
			d, channel, "length of list", l->n, n, why);
	if (l->fly != wire)
		return report_mismatch(
			d, channel, "blocks on the way", l->fly, wire, why);
	if (l->occ < blocks)
		return report_mismatch(
			d, channel, "blocks held", l->occ, blocks, why);
	if (peer != DATA_NONE)
		credit = data_int_out(d, peer, channel % d->vls)->credit;
	sum = (uint32_t)credit + l->fly + l->occ;
	if (credit < 0 || sum != (uint32_t)d->cap)
		return report_mismatch(d, channel, "sum of blocks", sum,
			(uint32_t)d->cap, why);
	return 0;
}

int
data_check(const struct data *d, struct reason *why)
{
	size_t channels = (size_t)d->s->nports * d->vls;
	uint32_t *wire = mem_zalloc(channels, sizeof(*wire));
	uint64_t queued = 0, moving = 0, in_lists = 0, found;
	int rc = 0;

	for (size_t i = 0; i < d->npacket; i++) {
		const struct data_packet *k = &d->packet[i];

		queued += k->state == DATA_QUEUED;
		moving += k->state == DATA_WIRE || k->state == DATA_SINK;
		if (k->state == DATA_WIRE)
			wire[k->at * d->vls + k->vl] += k->blocks;
	}
	for (uint32_t i = 0; i < channels && !rc; i++)
		rc = check_channel(d, i, wire[i], &in_lists, why);
	free(wire);
	if (rc)
		return rc;
	if (queued != in_lists)
		return reason_set(why, "%llu packets queued, %llu in lists",
			(unsigned long long)queued,
			(unsigned long long)in_lists);
	found = queued + moving;
	if (found != d->in_flight ||
		d->injected != d->delivered + d->dropped + d->in_flight)
		return reason_set(why,
			"injected %llu, delivered %llu, dropped %llu, in"
			" flight %llu, found %llu",
			(unsigned long long)d->injected,
			(unsigned long long)d->delivered,
			(unsigned long long)d->dropped,
			(unsigned long long)d->in_flight,
			(unsigned long long)found);
	return 0;
}
