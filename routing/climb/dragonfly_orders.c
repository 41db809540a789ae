#include "routing/climb/dragonfly_orders.h"

enum vl_group { FIRST, RISING, FALLING, GROUPS };

/* Classes of links, by which packets arrive and by which they leave; up and
 * down are those of layer 0. */
enum in_class { IN_HOST, IN_LOCAL, IN_RISING, IN_FALLING, INS };
enum out_class { OUT_UP, OUT_DOWN, OUT_RISING, OUT_FALLING, OUTS };

/* The VL group of the layer by the classes of links. */
static const uint8_t vl_group[INS][OUTS] = {
	[IN_LOCAL] = {FALLING, RISING, RISING, FALLING},
	[IN_RISING] = {RISING, RISING, RISING, FALLING},
	[IN_FALLING] = {FALLING, FALLING, RISING, FALLING},
};

static void
classify_link(const struct directions *d, const struct switch_groups *m,
	uint32_t c, struct layer_orders *o)
{
	sw_ix a = d->from[c], b = d->g->group[c].peer;

	if (m->of[a] == m->of[b]) {
		o->in[c] = IN_LOCAL;
		o->out[c] = o->pos[b] < o->pos[a] ? OUT_UP : OUT_DOWN;
	} else {
		o->in[c] = m->of[b] > m->of[a] ? IN_RISING : IN_FALLING;
		o->out[c] = m->of[b] > m->of[a] ? OUT_RISING : OUT_FALLING;
	}
}

/* Ranks of a link on both VL groups: by the number of its group of switches,
 * links between groups behind those inside, then as in layer 0. */
static void
rank_link(const struct directions *d, const struct switch_groups *m, uint32_t c,
	struct layer_orders *o)
{
	int32_t n = (int32_t)d->n, stride = 2 * n + 1;
	int32_t from = (int32_t)m->of[d->from[c]], most = (int32_t)m->n;
	int32_t global = o->in[c] != IN_LOCAL, order = o->rank[c] + n;
	int32_t falling = 2 * (most - 1 - from) + global;
	int32_t rising = 2 * (most + from) + global;

	o->rank[(size_t)FALLING * d->n + c] = stride * (1 + falling) + order;
	o->rank[(size_t)RISING * d->n + c] = stride * (1 + rising) + order;
}

void
dragonfly_orders_make(const struct directions *d, const struct switch_groups *m,
	struct layer_orders *out)
{
	layer_orders_map_room(d, 2, GROUPS, INS, out);
	layer_orders_by_center(d, out);
	for (unsigned i = IN_LOCAL; i < INS; i++)
		for (unsigned o = 0; o < OUTS; o++)
			out->map->group[1][i][o] = vl_group[i][o];
	for (uint32_t c = 0; c < d->n; c++) {
		classify_link(d, m, c, out);
		rank_link(d, m, c, out);
	}
	layer_orders_put_classes(d, out);
}
