#include "routing/memoir.h"

#include <stdlib.h>
#include <string.h>

#include "routing/updn.h"

enum { VERSION = 1 };

/* ---- telling ---- */

static void
print_chain(const struct updn_chain *c, struct buf *out)
{
	buf_printf(out, " %u", c->len);
	for (unsigned i = 0; i < c->len; i++)
		buf_printf(out, " %u", c->sw[i]);
}

void
memoir_print(const struct routes *r, struct buf *out)
{
	const struct updn_past *past;
	const struct updn_dests *d;

	if (r->memory == NULL || r->memory->what == NULL)
		return;
	past = r->memory->what;
	d = &past->dests;
	buf_printf(out, "%d %u %u %u %u", VERSION, d->n, r->topo->nsw,
		past->depth, d->nsplit);
	for (sw_ix s = 0; s < r->topo->nsw; s++)
		buf_printf(out, " %u", d->class[s]);
	for (uint32_t i = 0; i < d->n; i++)
		print_chain(&d->chain[i], out);
	for (uint32_t k = 0; k < d->nsplit; k++) {
		buf_printf(out, " %u", d->split[k]);
		for (unsigned h = 0; h < UPDN_SHARES; h++)
			print_chain(&d->share[k * UPDN_SHARES + h], out);
	}
}

/* ---- taking up ---- */

struct reader {
	const char *at;
	bool bad;
};

/* The next number, from 0 to max; 0 and bad when it is not there. */
static uint32_t
next(struct reader *in, uint32_t max)
{
	char *end;
	unsigned long v = strtoul(in->at, &end, 10);

	in->bad |= end == in->at || v > max;
	in->at = end;
	return in->bad ? 0 : (uint32_t)v;
}

static void
read_chain(struct reader *in, uint32_t nsw, struct updn_chain *c)
{
	*c = (struct updn_chain){.len = (uint16_t)next(in, UPDN_CHAIN)};
	for (unsigned i = 0; i < c->len; i++)
		c->sw[i] = (uint16_t)next(in, nsw - 1);
}

static void
read_split(struct reader *in, uint32_t nsw, struct updn_dests *d, uint32_t k)
{
	d->split[k] = next(in, d->n - 1);
	d->share_of[d->split[k]] = k + 1;
	for (unsigned h = 0; h < UPDN_SHARES; h++)
		read_chain(in, nsw, &d->share[k * UPDN_SHARES + h]);
}

/* What was told, over what was worked out. */
static bool
read_all(struct reader *in, const struct topo *t, struct route_memory *m)
{
	struct arena *a = m->own;
	struct updn_past *past = arena_alloc(a, sizeof(*past));
	struct updn_dests *d = &past->dests;
	uint32_t nsplit;

	memcpy(past, m->what, sizeof(*past));
	if (next(in, VERSION) != VERSION || next(in, UINT16_MAX) != d->n ||
		next(in, UINT16_MAX) != t->nsw)
		return false;
	past->depth = next(in, UINT16_MAX);
	nsplit = next(in, d->n);
	for (sw_ix s = 0; s < t->nsw; s++)
		d->class[s] = (uint8_t)next(in, UPDN_SHARES - 1);
	for (uint32_t i = 0; i < d->n; i++)
		read_chain(in, t->nsw, &d->chain[i]);
	memset(d->share_of, 0, d->n * sizeof(*d->share_of));
	d->nsplit = d->room = nsplit;
	d->split = arena_array(a, nsplit, sizeof(*d->split));
	d->share =
		arena_array(a, (size_t)nsplit * UPDN_SHARES, sizeof(*d->share));
	for (uint32_t k = 0; k < nsplit && !in->bad; k++)
		read_split(in, t->nsw, d, k);
	m->what = past;
	return !in->bad && *in->at == '\0';
}

static bool
same_order(const struct routes *a, const struct routes *b)
{
	uint32_t nsw = a->topo->nsw;

	return a->turn_leaf == b->turn_leaf && a->line != NULL &&
	       b->line != NULL &&
	       memcmp(a->line, b->line, nsw * sizeof(*a->line)) == 0 &&
	       memcmp(a->rank, b->rank, nsw * sizeof(*a->rank)) == 0;
}

/* r once more: the order stands, and all that may stay does. */
static struct routes *
once_more(struct routes *r, const struct engine_options *options,
	struct reason *why)
{
	const struct engine *e = r->reading.engine == engine_updn.name
					 ? &engine_updn
					 : &engine_ftree;
	const struct route_job job = {.topo = r->topo,
		.pool = r->pool,
		.prev = r,
		.options = options,
		.threads = 1};
	struct arena *scratch = arena_new();
	struct routes *again = NULL;

	r->stands = true;
	if (e->route(&job, true, 0, scratch, &again, why) != ENGINE_OK)
		again = NULL;
	r->stands = false;
	arena_free(scratch);
	return again;
}

int
memoir_take(struct routes *r, const struct engine_options *options,
	const char *text, struct reason *why)
{
	struct reader in = {.at = text};
	struct route_memory *m;
	struct routes *again;

	if (*text == '\0')
		return 0;
	again = once_more(r, options, why);
	if (again == NULL)
		return -1;
	m = routes_memory_ref(again->memory);
	if (!same_order(r, again) || m == NULL)
		(void)reason_set(why, "the order in force is not found again");
	else if (read_all(&in, r->topo, m))
		r->memory = m;
	else
		(void)reason_set(why, "what is remembered is of other routes");
	if (r->memory == NULL)
		routes_memory_unref(m);
	routes_unref(again);
	return r->memory != NULL ? 0 : -1;
}
