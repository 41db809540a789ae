/*
 * The order of packets. A flow is what goes from one end port to another with
 * one DLID and one SL; a packet is out of order if one that was sent after it
 * arrived before it (RFC 4737, 3.3).
 */
#include <stdlib.h>

#include "sm/base/mem.h"
#include "tests/sim/data/data_int.h"

static uint64_t
flow_key(uint32_t src, uint32_t dst, uint16_t dlid, uint8_t sl)
{
	return (uint64_t)src << 40 | (uint64_t)dst << 20 | (uint64_t)dlid << 4 |
	       sl;
}

const struct data_flow *
data_flow_find(const struct data *d, uint32_t src, uint32_t dst, uint16_t dlid,
	uint8_t sl)
{
	uint32_t ix;

	return map_get(&d->flows, flow_key(src, dst, dlid, sl), &ix)
		       ? &d->flow[ix]
		       : NULL;
}

void
data_flow_sent(struct data *d, struct data_packet *k)
{
	uint64_t key = flow_key(k->src, k->dst, k->dlid, k->sl);

	if (!d->o.order)
		return;
	if (!map_get(&d->flows, key, &k->flow)) {
		d->flow = mem_grow(
			d->flow, d->nflow, &d->flow_cap, sizeof(*d->flow));
		k->flow = (uint32_t)d->nflow++;
		d->flow[k->flow] = (struct data_flow){0};
		map_put(&d->flows, key, k->flow);
	}
	k->seq = ++d->flow[k->flow].sent;
}

void
data_flow_arrived(struct data *d, const struct data_packet *k)
{
	struct data_flow *f;

	if (!d->o.order)
		return;
	f = &d->flow[k->flow];
	f->arrived++;
	f->chose |= k->chose;
	if (k->seq < f->last)
		f->reordered++;
	else
		f->last = k->seq;
}

void
data_flow_free(struct data *d)
{
	map_free(&d->flows);
	map_free(&d->bounds);
	free(d->flow);
	free(d->bound);
}
