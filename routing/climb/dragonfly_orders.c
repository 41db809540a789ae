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

struct dragonfly {
	const struct directions *d;
	const struct switch_groups *m;
	uint32_t *place; /* [nsw] switches by their GUIDs, which no failure
			    changes */
};

static bool
leads_up(const struct dragonfly *x, uint32_t c)
{
	return x->place[x->d->g->group[c].peer] < x->place[x->d->from[c]];
}

static void
classify_link(const struct dragonfly *x, uint32_t c, struct layer_orders *o)
{
	uint32_t from = x->m->of[x->d->from[c]];
	uint32_t to = x->m->of[x->d->g->group[c].peer];

	if (from == to) {
		o->in[c] = IN_LOCAL;
		o->out[c] = leads_up(x, c) ? OUT_UP : OUT_DOWN;
	} else {
		o->in[c] = to > from ? IN_RISING : IN_FALLING;
		o->out[c] = to > from ? OUT_RISING : OUT_FALLING;
	}
}

/* The place of a link inside its group, 0 of one that leaves it: up, then
 * down. */
static uint32_t
place_inside(const struct dragonfly *x, uint32_t c)
{
	uint32_t n = x->d->g->nsw, from = x->d->from[c];

	return leads_up(x, c) ? n - x->place[from]
			      : n + 1 + x->place[x->d->g->group[c].peer];
}

/* Ranks of a link on both VL groups: by the number of its group of switches,
 * links that leave it behind those inside. */
static void
rank_link(const struct dragonfly *x, uint32_t c, struct layer_orders *o)
{
	int32_t stride = 2 * (int32_t)x->d->g->nsw + 2;
	int32_t from = (int32_t)x->m->of[x->d->from[c]], n = (int32_t)x->m->n;
	int32_t leaves = o->in[c] != IN_LOCAL;
	int32_t inside = leaves ? 0 : (int32_t)place_inside(x, c);
	int32_t base = (int32_t)x->d->n;

	o->rank[(size_t)FALLING * x->d->n + c] =
		base + stride * (2 * (n - 1 - from) + leaves) + inside;
	o->rank[(size_t)RISING * x->d->n + c] =
		base + stride * (2 * (n + from) + leaves) + inside;
}

struct layer_map_size
dragonfly_orders_size(void)
{
	return (struct layer_map_size){2, GROUPS, INS};
}

void
dragonfly_orders_make(const struct directions *d, const struct switch_groups *m,
	const struct layer_orders *first, struct layer_orders *out)
{
	const struct layer_map_size size = dragonfly_orders_size();
	const struct dragonfly x = {d, m, swgraph_by_guid(d->g)};

	layer_orders_map_room(d, first, &size, out);
	for (unsigned i = IN_LOCAL; i < INS; i++)
		for (unsigned o = 0; o < OUTS; o++)
			out->map->group[1][i][o] = vl_group[i][o];
	for (uint32_t c = 0; c < d->n; c++) {
		classify_link(&x, c, out);
		rank_link(&x, c, out);
	}
	layer_orders_put_classes(d, out);
}
