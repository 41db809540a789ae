#include <string.h>

#include "routing/updn_row.h"

/* A LID whose owner hangs on another switch than before starts anew. */
void
updn_keep_init(struct updn_row *f)
{
	const struct topo *t = f->u->t, *was = f->prev->topo;

	f->old = arena_alloc(f->u->a, f->bytes);
	f->bad = arena_array(f->u->a, f->d->n, sizeof(*f->bad));
	f->moved =
		arena_array(f->u->a, (size_t)t->max_lid + 1, sizeof(*f->moved));
	for (sw_ix x = 0; x < f->u->nsw; x++) {
		uint64_t guid = t->node[t->sw[x].node].guid;

		for (uint32_t i = f->d->at[x]; i < f->d->end[x]; i++) {
			uint16_t lid = f->d->lid[i];
			port_ix p = topo_by_lid(was, lid, NULL);
			sw_ix s = p == TOPO_NONE ? TOPO_NONE
						 : topo_switch_of(was, p);

			f->moved[lid] = s == TOPO_NONE ||
					was->node[was->sw[s].node].guid != guid;
		}
	}
}

static void
load_old(struct updn_row *f, sw_ix prev_sw)
{
	size_t blocks = f->bytes / LFT_BLOCK;

	for (size_t b = 0; b < blocks; b++) {
		uint8_t *at = f->old + b * LFT_BLOCK;

		if (b < f->prev->nblocks)
			memcpy(at, routes_block(f->prev, prev_sw, (uint32_t)b),
				LFT_BLOCK);
		else
			memset(at, LFT_DROP, LFT_BLOCK);
	}
}

/* Keep what leads through a candidate, note the rest. */
static void
keep(struct updn_row *f, sw_ix dest)
{
	const struct updn_dests *d = f->d;

	for (uint32_t i = d->at[dest]; i < d->end[dest]; i++) {
		uint16_t lid = d->lid[i];
		uint8_t p = f->old[lid];

		if (f->allowed[p] && !f->moved[lid]) {
			f->row[lid] = p;
			continue;
		}
		f->bad[f->nbad++] = i;
	}
}

/* What the kept entries put on each port: the base of new choices. */
static void
count_kept(struct updn_row *f)
{
	for (uint32_t i = 0; i < f->d->n; i++) {
		uint8_t p = f->row[f->d->lid[i]];

		f->meant[f->d->other[i]][p]++;
		f->sum[f->d->other[i]][p]++;
	}
}

void
updn_keep_row(
	struct updn_row *f, sw_ix s, sw_ix prev_sw, const struct updn_mask *up)
{
	load_old(f, prev_sw);
	memset(f->row, LFT_DROP, f->bytes);
	f->nbad = 0;
	for (sw_ix x = 0; x < f->u->nsw; x++) {
		if (x == s)
			continue;
		updn_choose_allow(f, s,
			updn_bit(f->far, x) ? up->w
					    : f->mask + (size_t)x * f->W);
		keep(f, x);
	}
	if (f->nbad == 0)
		return;
	count_kept(f);
	for (uint32_t k = 0; k < f->nbad; k++) {
		uint32_t i = f->bad[k];
		sw_ix x = f->d->dest[i];
		const uint64_t *m = updn_bit(f->far, x)
					    ? up->w
					    : f->mask + (size_t)x * f->W;

		f->row[f->d->lid[i]] = updn_choose(f, s, i, m);
	}
}
