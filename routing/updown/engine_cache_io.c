#include "routing/updown/engine_cache_io.h"

#include <stdlib.h>
#include <string.h>

#include "routing/updown/updown.h"
#include "sm/base/mem.h"

enum { VERSION = 1 };

/* ---- print ---- */

static void
print_path(const struct down_path *c, struct buf *out)
{
	buf_printf(out, " %u", c->len);
	for (unsigned i = 0; i < c->len; i++)
		buf_printf(out, " %u", c->sw[i]);
}

void
engine_cache_print(const struct routes *r, struct buf *out)
{
	const struct engine_cache *cache;
	const struct dest_table *d;

	if (r->cache == NULL || r->cache->what == NULL)
		return;
	cache = r->cache->what;
	d = &cache->dests;
	buf_printf(out, "%d %u %u %u %u", VERSION, d->n, r->topo->nsw,
		cache->depth, d->nsplit);
	for (sw_ix s = 0; s < r->topo->nsw; s++)
		buf_printf(out, " %u", d->class[s]);
	for (uint32_t i = 0; i < d->n; i++) {
		buf_printf(out, " %u %u", d->lid[i], d->next_port[i]);
		print_path(&d->path[i], out);
	}
	for (uint32_t k = 0; k < d->nsplit; k++) {
		buf_printf(out, " %u", d->split[k]);
		for (unsigned h = 0; h < UPDN_SHARES; h++)
			print_path(&d->share[k * UPDN_SHARES + h], out);
	}
}

/* ---- parse ---- */

struct reader {
	const char *at;
	bool bad;
};

/* The next number, from 0 to max; 0, and bad set, if there is none. */
static uint32_t
read_number(struct reader *in, uint32_t max)
{
	char *end;
	unsigned long v = strtoul(in->at, &end, 10);

	in->bad |= end == in->at || v > max;
	in->at = end;
	return in->bad ? 0 : (uint32_t)v;
}

static void
read_path(struct reader *in, uint32_t nsw, struct down_path *c)
{
	*c = (struct down_path){
		.len = (uint16_t)read_number(in, UPDN_PATH_MAX)};
	for (unsigned i = 0; i < c->len; i++)
		c->sw[i] = (uint16_t)read_number(in, nsw - 1);
}

static void
read_split(struct reader *in, uint32_t nsw, struct dest_table *d, uint32_t k)
{
	d->split[k] = read_number(in, d->n - 1);
	d->share_of[d->split[k]] = k + 1;
	for (unsigned h = 0; h < UPDN_SHARES; h++)
		read_path(in, nsw, &d->share[k * UPDN_SHARES + h]);
}

/* LIDs as computed again, and as the text lists them. */
struct lid_map {
	const struct dest_table *was;
	uint32_t *at;  /* by LID: its index in was, + 1; 0: taken, or none */
	bool *pointed; /* by index: it is the next LID of another one */
};

/* Read LID number i. */
static void
read_lid(struct reader *in, uint32_t nsw, struct lid_map *o,
	struct dest_table *d, uint32_t i)
{
	uint32_t lid = read_number(in, UINT16_MAX), k = o->at[lid];

	o->at[lid] = 0;
	in->bad |= k == 0;
	d->next_port[i] = read_number(in, d->n - 1);
	in->bad |= o->pointed[d->next_port[i]];
	o->pointed[d->next_port[i]] = true;
	if (in->bad)
		return;
	d->lid[i] = (uint16_t)lid;
	d->dest[i] = o->was->dest[k - 1];
	d->out[i] = o->was->out[k - 1];
	d->other[i] = o->was->other[k - 1];
	read_path(in, nsw, &d->path[i]);
}

/* The range of each switch's LIDs; false: they are not together. */
static bool
find_switch_ranges(const struct topo *t, const struct dest_table *was,
	struct dest_table *d)
{
	uint32_t end;

	for (uint32_t i = 0; i < d->n; i = end) {
		sw_ix s = d->dest[i];

		for (end = i; end < d->n && d->dest[end] == s;)
			end++;
		d->at[s] = i;
		d->end[s] = end;
	}
	for (sw_ix s = 0; s < t->nsw; s++)
		if (d->end[s] - d->at[s] != was->end[s] - was->at[s])
			return false;
	return true;
}

/* Room for the destinations that the text describes. */
static void
make_room(struct arena *a, uint32_t nsw, struct dest_table *d)
{
	d->at = arena_array(a, nsw, sizeof(*d->at));
	d->end = arena_array(a, nsw, sizeof(*d->end));
	d->class = arena_array(a, nsw, sizeof(*d->class));
	d->lid = arena_array(a, d->n, sizeof(*d->lid));
	d->dest = arena_array(a, d->n, sizeof(*d->dest));
	d->out = arena_array(a, d->n, sizeof(*d->out));
	d->other = arena_array(a, d->n, sizeof(*d->other));
	d->next_port = arena_array(a, d->n, sizeof(*d->next_port));
	d->path = arena_array(a, d->n, sizeof(*d->path));
	d->share_of = arena_array(a, d->n, sizeof(*d->share_of));
	d->split = arena_array(a, d->nsplit, sizeof(*d->split));
	d->share = arena_array(
		a, (size_t)d->nsplit * UPDN_SHARES, sizeof(*d->share));
}

static bool
read_lids(struct reader *in, const struct topo *t, const struct dest_table *was,
	struct dest_table *d)
{
	struct lid_map o = {.was = was,
		.at = mem_zalloc(UINT16_MAX + 1, sizeof(*o.at)),
		.pointed = mem_zalloc(d->n + 1U, sizeof(*o.pointed))};

	for (uint32_t i = 0; i < was->n; i++)
		o.at[was->lid[i]] = i + 1;
	for (uint32_t i = 0; i < d->n && !in->bad; i++)
		read_lid(in, t->nsw, &o, d, i);
	free(o.at);
	free(o.pointed);
	return !in->bad && find_switch_ranges(t, was, d);
}

/* Replace what was computed again by what the text says. */
static bool
read_cache(struct reader *in, const struct topo *t, struct route_cache *m)
{
	struct engine_cache *cache = arena_alloc(m->own, sizeof(*cache));
	struct dest_table *d = &cache->dests;
	struct dest_table was;

	memcpy(cache, m->what, sizeof(*cache));
	was = *d;
	if (read_number(in, VERSION) != VERSION ||
		read_number(in, UINT16_MAX) != d->n ||
		read_number(in, UINT16_MAX) != t->nsw)
		return false;
	cache->depth = read_number(in, UINT16_MAX);
	d->nsplit = d->room = read_number(in, d->n);
	make_room(m->own, t->nsw, d);
	for (sw_ix s = 0; s < t->nsw; s++)
		d->class[s] = (uint8_t)read_number(in, UPDN_SHARES - 1);
	if (!read_lids(in, t, &was, d))
		return false;
	for (uint32_t k = 0; k < d->nsplit && !in->bad; k++)
		read_split(in, t->nsw, d, k);
	m->what = cache;
	return !in->bad && *in->at == '\0';
}

static bool
same_order(const struct routes *a, const struct routes *b)
{
	uint32_t nsw = a->topo->nsw;

	return a->sftree_root == b->sftree_root && a->sw_order != NULL &&
	       b->sw_order != NULL &&
	       memcmp(a->sw_order, b->sw_order, nsw * sizeof(*a->sw_order)) ==
		       0 &&
	       memcmp(a->rank, b->rank, nsw * sizeof(*a->rank)) == 0;
}

/* Compute r again, with its order restored and all entries kept that may be. */
static struct routes *
recompute_routes(struct routes *r, const struct engine *e,
	const struct engine_options *options, struct reason *why)
{
	const struct route_job job = {.topo = r->topo,
		.pool = r->pool,
		.prev = r,
		.options = options,
		.threads = 1};
	struct arena *scratch = arena_new();
	struct routes *again = NULL;

	r->order_restored = true;
	if (e->route(&job, true, 0, scratch, &again, why) != ENGINE_OK)
		again = NULL;
	r->order_restored = false;
	arena_free(scratch);
	return again;
}

int
engine_cache_parse(struct routes *r, const struct engine *e,
	const struct engine_options *options, const char *text,
	struct reason *why)
{
	struct reader in = {.at = text};
	struct route_cache *m;
	struct routes *again;

	if (*text == '\0')
		return 0;
	again = recompute_routes(r, e, options, why);
	if (again == NULL)
		return -1;
	m = routes_cache_ref(again->cache);
	if (!same_order(r, again) || m == NULL)
		(void)reason_set(
			why, "the switch order in force cannot be rebuilt");
	else if (read_cache(&in, r->topo, m))
		r->cache = m;
	else
		(void)reason_set(
			why, "the cached data belongs to other routes");
	if (r->cache == NULL)
		routes_cache_unref(m);
	routes_unref(again);
	return r->cache != NULL ? 0 : -1;
}
