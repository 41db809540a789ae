#include <assert.h>
#include <string.h>

#include "routing/graph/switch_rows.h"
#include "routing/updown/down_path_priv.h"
#include "routing/updown/keep_priv.h"
#include "routing/updown/row_priv.h"

static uint32_t
groups_of(const struct row_job *f, sw_ix s)
{
	return f->u->graph.first[s + 1] - f->u->graph.first[s];
}

static bool
is_above(const struct row_job *f, sw_ix a, sw_ix b)
{
	return f->u->tier.pos[a] < f->u->tier.pos[b];
}

/* near[s]: destinations that have a switch above them in common with s which is
 * no top. For all others only the path top matters. */
static const uint64_t **
find_near(struct row_job *f)
{
	const struct updown *u = f->u;
	const struct nbr_class *classes = &u->tier_class;
	const uint64_t **near = arena_array(f->a, u->graph.nsw, sizeof(*near));
	const uint64_t **last = arena_array(f->a, u->graph.nsw, sizeof(*last));
	struct nbr_class_union sum = nbr_class_unions(&u->graph, classes, true);
	struct switch_rows rows = switch_rows_begin(f->a, u->graph.words);
	const uint64_t *none = switch_rows_take(&rows, NULL, 0);

	for (uint32_t i = 0; i < u->graph.nsw; i++) {
		sw_ix s = u->tier.seq[i], class = classes->up.first[s];
		const uint64_t *like[] = {u->tier_set.dn[s], last[class]};

		near[s] = none;
		if (classes->mid[s] == u->graph.first[s])
			continue;
		memcpy(rows.own, nbr_class_union(&sum, s, near),
			u->graph.words * sizeof(*rows.own));
		bitset_or(rows.own, u->tier_set.dn[s], u->graph.words);
		near[s] = last[class] = switch_rows_take(&rows, like, 2);
	}
	return near;
}

/* lead[x] for the neighbours x below s: the groups of links to x; on: set them,
 * otherwise clear them. */
static inline void
lead_down(struct row_job *f, sw_ix s, bool on, const uint32_t W)
{
	const struct updown *u = f->u;

	for (uint32_t i = 0; i < groups_of(f, s); i++) {
		sw_ix peer = u->graph.group[u->graph.first[s] + i].peer;
		uint64_t *lead = f->lead + (size_t)peer * W;

		if (is_above(f, peer, s))
			continue;
		if (on)
			bitset_add(lead, i);
		else
			memset(lead, 0, W * sizeof(*lead));
	}
}

static inline void
lead_up(struct row_job *f, sw_ix s, const uint32_t W)
{
	const struct updown *u = f->u;

	for (uint32_t i = 0; i < groups_of(f, s); i++) {
		sw_ix peer = u->graph.group[u->graph.first[s] + i].peer;
		const uint64_t *up = f->above[peer];

		if (!is_above(f, peer, s))
			continue;
		for (uint32_t w = 0; w < u->graph.words; w++)
			for (uint64_t x = up[w]; x != 0; x &= x - 1)
				bitset_add(
					f->lead + (size_t)(w * 64 +
							   bitset_lowest64(x)) *
							  W,
					i);
	}
}

/* lead[x]: the groups by which s goes up towards x, or which are links to x. A
 * switch with the same groups up as the last one reuses those that lead up. */
static inline void
find_lead(struct row_job *f, sw_ix s, const uint32_t W)
{
	sw_ix last = f->lead_of;

	if (last != TOPO_NONE && row_template_same_links(f->u, s, last))
		return;
	if (last != TOPO_NONE && row_template_same_uplinks(f->u, s, last)) {
		lead_down(f, last, false, W);
	} else {
		memset(f->lead, 0,
			(size_t)f->u->graph.nsw * W * sizeof(*f->lead));
		lead_up(f, s, W);
	}
	lead_down(f, s, true, W);
	f->lead_of = s;
}

/* The groups by which paths may lead up from s. */
static struct row_mask
find_up_groups(const struct row_job *f, sw_ix s)
{
	const struct updown *u = f->u;
	struct row_mask up = {{0}};

	for (uint32_t i = 0; i < groups_of(f, s); i++)
		if (sw_has_uplink(
			    u, s, u->graph.group[u->graph.first[s] + i].peer))
			bitset_add(up.w, i);
	return up;
}

/* far, in word w: destinations for which each of the groups up is a candidate,
 * and neither links within the tier nor reversed links are. */
static void
find_far(struct row_job *f, sw_ix s, uint32_t w)
{
	const struct updown *u = f->u;
	uint64_t far = ~f->near[s][w];
	bool any = false;

	for (uint32_t i = 0; i < groups_of(f, s); i++) {
		uint64_t c = f->cand[(size_t)i * u->graph.words + w];
		sw_ix peer = u->graph.group[u->graph.first[s] + i].peer;

		if (!is_above(f, peer, s)) {
			far &= u->sw_order.pos[peer] < u->sw_order.pos[s] ? ~c
									  : far;
			continue;
		}
		far &= sw_has_uplink(u, s, peer) ? c : ~c;
		any |= sw_has_uplink(u, s, peer);
	}
	f->far[w] = any ? far : 0;
}

/* Candidates by destination, for those of word w that are in which; far
 * destinations get none. */
static inline void
find_masks(struct row_job *f, sw_ix s, uint32_t w, uint64_t which,
	const uint32_t W)
{
	const struct updown *u = f->u;
	uint32_t last = w * 64 + 64 < u->graph.nsw ? w * 64 + 64 : u->graph.nsw;

	if (last > w * 64)
		memset(f->mask + (size_t)w * 64 * W, 0,
			(size_t)(last - w * 64) * W * sizeof(*f->mask));
	for (uint32_t i = 0; i < groups_of(f, s); i++) {
		uint64_t x = f->cand[(size_t)i * u->graph.words + w];

		for (x &= which & ~f->far[w]; x != 0; x &= x - 1)
			bitset_add(f->mask + (size_t)(w * 64 +
						      bitset_lowest64(x)) *
						     W,
				i);
	}
}

/* Ports of the links of the groups in m, one of each group after the other, so
 * that neighbours in the list are of different groups. Returns how many. */
static inline uint32_t
links_of(const struct row_job *f, sw_ix s, const struct row_mask *m,
	uint8_t *out, const uint32_t W)
{
	const struct link_group *group =
		f->u->graph.group + f->u->graph.first[s];
	const struct topo_adj *adj = f->u->graph.t->adj;
	uint32_t n = 0, more = 1;

	for (uint32_t c = 0; more > 0; c++) {
		more = 0;
		for (uint32_t w = 0; w < W; w++)
			for (uint64_t b = m->w[w]; b != 0; b &= b - 1) {
				const struct link_group *g =
					&group[w * 64 + bitset_lowest64(b)];

				if (c < g->n)
					out[n++] = adj[g->adj + c].out;
				more += c + 1 < g->n;
			}
	}
	return n;
}

/* n links that lead to m path tops. */
struct rotation {
	const uint8_t *link;
	uint32_t n, m, period;
};

/*
 * Ports by spread index for path top number k of these. The links rotate over
 * all path tops, so consecutive LIDs go by consecutive links, which suits a
 * shift permutation. One link is left out after each period, so that links and
 * path tops do not pair up alike for ever.
 */
static void
rotate_ports(const struct dest_table *d, const struct rotation *t, uint32_t k,
	uint8_t *port)
{
	for (uint32_t q = 0; q < d->spread; q++) {
		uint32_t i = q * t->m + k;

		port[q] = t->link[(i + i / t->period) % t->n];
	}
}

/* The number of LIDs after which n links and m path tops pair up as before. */
static uint32_t
rotation_period(uint32_t n, uint32_t m)
{
	uint32_t x = m, y = n;

	while (y != 0) {
		uint32_t c = x % y;

		x = y;
		y = c;
	}
	return m / x * n;
}

/* Count path tops by the first group that leads to them: for a switch below
 * several trees, the path tops of each tree. */
static inline void
count_path_tops(struct row_job *f, const struct row_mask *up, uint32_t *count,
	const uint32_t W)
{
	const struct dest_table *d = f->d;

	for (uint32_t k = 0; k < d->npath_tops; k++) {
		const uint64_t *lead = f->lead + (size_t)d->path_top[k] * W;
		uint32_t first = UINT32_MAX;

		for (uint32_t w = W; w-- > 0;)
			if ((lead[w] & up->w[w]) != 0)
				first = w * 64 +
					bitset_lowest64(lead[w] & up->w[w]);
		f->first_lead[k] = (uint16_t)first;
		if (first != UINT32_MAX)
			count[first] += k < d->nhost_tops || count[first] == 0;
	}
}

/* One candidate with one link: nothing to choose. */
static inline bool
has_one_link(const struct row_job *f, sw_ix s, const uint64_t *m,
	const uint32_t W, uint8_t *port)
{
	uint32_t i = 0;

	if (!row_is_one_group(m, W))
		return false;
	for (uint32_t w = 0; w < W; w++)
		if (m[w] != 0)
			i = w * 64 + bitset_lowest64(m[w]);
	if (f->u->graph.group[f->u->graph.first[s] + i].n != 1)
		return false;
	*port = row_port(f, s, i, 0);
	return true;
}

/* The pattern for path tops that a group leads to. Returns how many path tops
 * are out of reach. */
static inline uint32_t
make_reached(
	struct row_job *f, sw_ix s, const struct row_mask *up, const uint32_t W)
{
	const struct dest_table *d = f->d;
	uint32_t all[UPDN_MAX_GROUPS] = {0}, so_far[UPDN_MAX_GROUPS] = {0};
	uint32_t missing = 0;
	uint8_t link[UPDN_MAX_GROUPS];

	count_path_tops(f, up, all, W);
	for (uint32_t k = 0; k < d->npath_tops; k++) {
		const uint64_t *lead = f->lead + (size_t)d->path_top[k] * W;
		uint8_t *port = f->pattern + (size_t)k * d->spread;
		uint32_t first = f->first_lead[k], c;
		struct row_mask m;
		struct rotation rotation;

		missing += first == UINT16_MAX;
		if (first == UINT16_MAX)
			continue;
		for (uint32_t w = 0; w < W; w++)
			m.w[w] = lead[w] & up->w[w];
		if (has_one_link(f, s, m.w, W, port)) { /* as in most trees */
			memset(port, *port, d->spread);
			continue;
		}
		c = links_of(f, s, &m, link, W);
		rotation = (struct rotation){link, c, all[first],
			row_is_one_group(m.w, W)
				? UINT32_MAX
				: rotation_period(c, all[first])};
		rotate_ports(d, &rotation, so_far[first]++, port);
	}
	return missing;
}

/*
 * Few path tops out of reach: a link is missing here. They rotate over all
 * groups (see also fill_few()), and each switch begins at another group so that
 * the substitutes do not pile up.
 */
static void
make_few(struct row_job *f, sw_ix s, const struct row_mask *up, uint32_t W)
{
	const struct dest_table *d = f->d;
	uint32_t list[UPDN_MAX_GROUPS], n = 0, group = f->u->tier.pos[s];

	for (uint32_t w = 0; w < W; w++)
		for (uint64_t x = up->w[w]; x != 0; x &= x - 1)
			list[n++] = w * 64 + bitset_lowest64(x);
	assert(n > 0); /* most path tops are in reach */
	f->own |= group != 0;
	for (uint32_t k = 0; k < d->npath_tops; k++)
		for (uint32_t q = 0;
			f->first_lead[k] == UINT16_MAX && q < d->spread; q++)
			f->pattern[(size_t)k * d->spread + q] =
				row_port(f, s, list[group++ % n], q);
}

/* Many path tops out of reach: they belong to another tree, to which all links
 * may lead. */
static inline void
make_many(struct row_job *f, sw_ix s, const struct row_mask *up,
	uint32_t missing, const uint32_t W)
{
	const struct dest_table *d = f->d;
	uint8_t link[UPDN_MAX_GROUPS];
	uint32_t n = links_of(f, s, up, link, W), i = 0;
	const struct rotation rotation = {link, n, missing, n};

	for (uint32_t k = 0; k < d->npath_tops; k++)
		if (f->first_lead[k] == UINT16_MAX)
			rotate_ports(d, &rotation, i++,
				f->pattern + (size_t)k * d->spread);
}

/* The port by spread index for far destinations: the links that lead to the
 * path top rotate. True: few path tops are out of reach. */
static inline bool
make_pattern(
	struct row_job *f, sw_ix s, const struct row_mask *up, const uint32_t W)
{
	const struct dest_table *d = f->d;
	uint32_t missing = make_reached(f, s, up, W);
	bool few = missing * 2 < d->npath_tops && missing > 0;

	if (few)
		make_few(f, s, up, W);
	else if (missing > 0)
		make_many(f, s, up, missing, W);
	for (uint32_t k = 0; k < d->npath_tops * d->spread; k++)
		f->sum[0][f->pattern[k]] += d->spread_count[k];
	return few;
}

/* to[lid[i]] = port[key[i]]: most entries of most rows. */
static void
scatter_ports(uint8_t *restrict to, const uint16_t *restrict lid,
	const uint8_t *restrict port, const uint16_t *restrict key, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		to[lid[i]] = port[key[i]];
}

/*
 * All LIDs by the pattern; equal patterns (of a pod's leaves) share the work.
 */
static void
fill_far(struct row_job *f)
{
	const struct dest_table *d = f->d;
	size_t n = (size_t)d->npath_tops * d->spread;

	if (!f->far_valid || memcmp(f->pattern, f->pattern_last, n) != 0) {
		scatter_ports(
			f->far_row, d->lid, f->pattern, d->spread_index, d->n);
		memcpy(f->pattern_last, f->pattern, n);
		f->far_valid = true;
	}
	memcpy(f->row, f->far_row, f->bytes);
}

/* For path tops out of reach the LIDs rotate one by one: by the pattern all
 * LIDs of one would go up by one link. */
static void
fill_few(struct row_job *f, sw_ix s, const struct row_mask *up, uint32_t W)
{
	const struct dest_table *d = f->d;
	uint8_t link[UPDN_MAX_GROUPS];
	uint32_t n = links_of(f, s, up, link, W), group[2];

	assert(n > 0);
	group[0] = group[1] = f->u->tier.pos[s];
	for (uint32_t i = 0; i < d->n; i++)
		if (f->first_lead[d->spread_index[i] / d->spread] ==
				UINT16_MAX &&
			bitset_has(f->far, d->dest[i]))
			f->row[d->lid[i]] = link[group[d->other[i]]++ % n];
}

static void
fill_dest(struct row_job *f, sw_ix dest, uint8_t port)
{
	const struct dest_table *d = f->d;
	const uint16_t *lid = d->lid;
	uint8_t *row = f->row;
	uint32_t i = d->at[dest], end = d->end[dest];

	if (d->run[dest] > 1) {
		memset(row + lid[i], port, d->run[dest]);
		i += d->run[dest];
	}
	for (; i < end; i++)
		row[lid[i]] = port;
}

/*
 * Several candidates. The port of the pattern serves where it is one of them
 * and no switch nearer than the path top matters; where one does, the pattern
 * still decides among the links to it.
 */
static void
fill_chosen(struct row_job *f, sw_ix s, sw_ix x, const uint64_t *m, bool templ)
{
	const struct dest_table *d = f->d;
	bool near = bitset_has(f->near[s], x);

	if (templ && !near)
		next_hop_allow_ports(f, s, m);
	for (uint32_t i = d->at[x]; i < d->end[x]; i++) {
		uint8_t p = templ ? f->pattern[d->spread_index[i]] : LFT_DROP;
		bool as;

		if (d->share_of[i] != 0)
			continue; /* fill_splits() */
		as = templ && (near ? next_hop_accept_port(f, s, i, m, p)
				    : f->allowed[p]);
		f->row[d->lid[i]] = as ? p : next_hop_choose(f, s, i, m, false);
	}
}

/* Entries for all LIDs at x, by the mask m. */
static inline void
fill_one(struct row_job *f, sw_ix s, sw_ix x, bool templ, const uint32_t W)
{
	const uint64_t *m = f->mask + (size_t)x * W;
	uint8_t port;

	if (row_mask_is_empty(m, W))
		fill_dest(f, x, LFT_DROP);
	else if (has_one_link(f, s, m, W, &port))
		fill_dest(f, x, port);
	else
		fill_chosen(f, s, x, m, templ);
}

static inline void
fill_rest(struct row_job *f, sw_ix s, bool templ, const uint32_t W)
{
	for (sw_ix x = 0; x < f->u->graph.nsw; x++)
		if (!bitset_has(f->far, x) && x != s)
			fill_one(f, s, x, templ, W);
}

/*
 * Entries for split LIDs, after all others and counted by themselves: which
 * share a switch takes is its own matter, and a row template must not depend on
 * it. Where no share can be joined, a far LID keeps the port of the pattern.
 */
static void
fill_splits(struct row_job *f, sw_ix s, const struct row_mask *up)
{
	const struct dest_table *d = f->d;

	for (uint32_t k = 0; k < d->nsplit; k++) {
		uint32_t i = d->split[k];
		sw_ix x = d->dest[i];
		const uint64_t *m = row_mask_of(f, up, x);
		uint8_t port;

		if (x == s || row_mask_is_empty(m, f->W) ||
			has_one_link(f, s, m, f->W, &port))
			continue;
		if (!bitset_has(f->far, x))
			f->row[d->lid[i]] = next_hop_choose(f, s, i, m, false);
		else
			(void)next_hop_choose_share(f, s, i, m);
	}
}

/* Entries for the LIDs at s itself. */
static void
fill_own(struct row_job *f, sw_ix s)
{
	for (uint32_t i = f->d->at[s]; i < f->d->end[s]; i++)
		f->row[f->d->lid[i]] = f->d->out[i];
}

static inline void
fill_fresh(
	struct row_job *f, sw_ix s, const struct row_mask *up, const uint32_t W)
{
	uint64_t any = 0;

	for (uint32_t w = 0; w < f->u->graph.words; w++)
		any |= f->far[w];
	if (any != 0) {
		bool few = make_pattern(f, s, up, W);

		fill_far(f);
		if (few)
			fill_few(f, s, up, W);
	} else {
		memset(f->row, LFT_DROP, f->bytes);
	}
	fill_rest(f, s, any != 0, W);
}

/* Copy block b of the template. */
static inline void
copy_block(struct row_job *f, const struct row_template *t, uint32_t b)
{
	if (f->touched[b])
		return;
	f->touched[b] = true;
	f->list[f->nlist++] = b;
	memcpy(f->row + (size_t)b * LFT_BLOCK, t->row + (size_t)b * LFT_BLOCK,
		LFT_BLOCK);
}

/* Copy the blocks that hold LIDs at x. */
static void
copy_blocks_of(struct row_job *f, const struct row_template *t, sw_ix x)
{
	const uint16_t *lid = f->d->lid;
	uint32_t i = f->d->at[x], run = f->d->run[x];

	if (run > 0) {
		uint32_t last = (lid[i] + run - 1) / LFT_BLOCK;

		for (uint32_t b = lid[i] / LFT_BLOCK; b <= last; b++)
			copy_block(f, t, b);
	}
	for (i += run; i < f->d->end[x]; i++)
		copy_block(f, t, lid[i] / LFT_BLOCK);
}

/* Replace what differs from the template. False: make the row anew. */
static inline bool
patch_row(struct row_job *f, sw_ix s, const struct row_template *t,
	const uint32_t W)
{
	const struct dest_table *d = f->d;
	uint8_t *templ = f->pattern;
	uint64_t any = 0;

	for (uint32_t w = 0; w < f->u->graph.words; w++)
		any |= f->far[w];
	while (f->nlist > 0)
		f->touched[f->list[--f->nlist]] = false;
	f->pattern = t->pattern;
	for (uint32_t i = 0; i < f->diff.n; i++) {
		uint32_t w = f->diff.word[i];

		for (uint64_t b = f->diff.set[w]; b != 0; b &= b - 1) {
			sw_ix x = w * 64 + bitset_lowest64(b);

			copy_blocks_of(f, t, x);
			if (!bitset_has(f->far, x)) {
				fill_one(f, s, x, any != 0, W);
				continue;
			}
			for (uint32_t l = d->at[x]; l < d->end[x]; l++)
				f->row[d->lid[l]] =
					f->pattern[d->spread_index[l]];
		}
	}
	f->pattern = templ;
	return !f->own;
}

/* No port is allowed yet. */
static void
forbid_ports(struct row_job *f)
{
	memset(f->allowed, 0, sizeof(f->allowed));
	f->allowed_for = (struct row_mask){{0}};
}

static void
begin_row(struct row_job *f)
{
	memset(f->meant, 0, sizeof(f->meant));
	memset(f->passing, 0, sizeof(f->passing));
	memset(f->sum, 0, sizeof(f->sum));
	forbid_ports(f);
	f->own = false;
}

/* The row of s from template t; false: make it anew. */
static inline bool
make_row_from_template(struct row_job *f, sw_ix s, const struct row_template *t,
	const uint32_t W)
{
	reach_candidates(f->u, f->r, s, &f->diff, f->cand);
	memcpy(f->far, t->far, f->u->graph.words * sizeof(*f->far));
	begin_row(f);
	for (uint32_t i = 0; i < f->diff.n; i++) {
		uint32_t w = f->diff.word[i];

		find_far(f, s, w);
		find_masks(f, s, w, f->diff.set[w], W);
	}
	return patch_row(f, s, t, W);
}

/* One row with W a constant. Returns the template that it was patched from, or
 * NULL. */
static inline __attribute__((always_inline)) const struct row_template *
make_row(struct row_job *f, sw_ix s, const uint32_t W)
{
	const struct row_template *t;
	struct row_mask up = find_up_groups(f, s);

	f->W = W;
	find_lead(f, s, W);
	t = f->u->graph.plane == NULL ? row_template_find(f, s) : NULL;
	if (t != NULL && make_row_from_template(f, s, t, W)) {
		memcpy(f->meant, t->meant, sizeof(f->meant));
		memcpy(f->sum, t->sum, sizeof(f->sum));
		fill_splits(f, s, &up);
		fill_own(f, s);
		return t;
	}
	reach_candidates(f->u, f->r, s, NULL, f->cand);
	begin_row(f);
	for (uint32_t w = 0; w < f->u->graph.words; w++) {
		find_far(f, s, w);
		find_masks(f, s, w, UINT64_MAX, W);
	}
	fill_fresh(f, s, &up, W);
	if (f->u->graph.plane == NULL && !f->own)
		row_template_add(f, s);
	fill_splits(f, s, &up);
	fill_own(f, s);
	if (f->u->graph.plane != NULL)
		multi_tree_fill_row(f, s);
	return NULL;
}

const struct row_template *
row_fill_row(struct row_job *f, sw_ix s)
{
	if (!f->u->graph.live[s]) {
		memset(f->row, LFT_DROP, f->bytes);
		return NULL;
	}
	if (groups_of(f, s) <= 64)
		return make_row(f, s, 1);
	if (groups_of(f, s) <= 128)
		return make_row(f, s, 2);
	return make_row(f, s, 4);
}

void
row_fill_begin_entries(struct row_job *f)
{
	const struct updown *u = f->u;
	struct arena *a = f->a;

	f->above = u->tier_above;
	f->cand = arena_array(a, (size_t)(UPDN_MAX_GROUPS + 1) * u->graph.words,
		sizeof(*f->cand));
	f->mask = arena_array(
		a, (size_t)u->graph.nsw * UPDN_MASK_WORDS, sizeof(*f->mask));
	f->lead = arena_array(
		a, (size_t)u->graph.nsw * UPDN_MASK_WORDS, sizeof(*f->lead));
	f->far = arena_array(a, u->graph.words, sizeof(*f->far));
	f->row = arena_alloc(a, f->bytes);
	f->lead_of = TOPO_NONE;
}

void
row_fill_begin_rows(struct row_job *f, const struct row_job *first)
{
	struct arena *a = f->a;

	row_fill_begin_entries(f);
	f->near = first != NULL ? first->near : find_near(f);
	f->far_row = arena_alloc(a, f->bytes);
	memset(f->far_row, LFT_DROP, f->bytes);
	f->pattern = arena_array(a, f->d->npath_tops, f->d->spread);
	f->pattern_last = arena_array(a, f->d->npath_tops, f->d->spread);
	row_template_init(f);
	f->first_lead =
		arena_array(a, f->d->npath_tops, sizeof(*f->first_lead));
}

void
row_fill_find_masks(struct row_job *f, sw_ix s, const struct sw_subset *among)
{
	const struct updown *u = f->u;
	uint32_t n = groups_of(f, s);

	f->W = row_mask_words(n);
	reach_block_candidates(f->block, s, among, &f->rest, f->cand);
	if (f->rest.n > 0)
		reach_candidates(u, f->r, s, &f->rest, f->cand);
	forbid_ports(f);
	for (uint32_t k = 0; k < among->n; k++) {
		uint32_t w = among->word[k], last = w * 64 + 64;

		if (last > u->graph.nsw)
			last = u->graph.nsw;
		memset(f->mask + (size_t)w * 64 * f->W, 0,
			(size_t)(last - w * 64) * f->W * sizeof(*f->mask));
	}
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < among->n; k++) {
			uint32_t w = among->word[k];
			uint64_t x = f->cand[(size_t)i * u->graph.words + w];

			for (x &= among->set[w]; x != 0; x &= x - 1)
				bitset_add(
					f->mask + (size_t)(w * 64 +
							   bitset_lowest64(x)) *
							  f->W,
					i);
		}
}

void
row_fill_find_lead(struct row_job *f, sw_ix s, sw_ix x, const uint64_t *m)
{
	const struct updown *u = f->u;
	const struct link_group *group = u->graph.group + u->graph.first[s];
	uint64_t *lead = f->lead + (size_t)x * f->W;

	memset(lead, 0, f->W * sizeof(*lead));
	if (!bitset_has(f->above[s], x)) {
		uint32_t i = down_path_find_group(u, s, x) - u->graph.first[s];

		if (i < groups_of(f, s) && bitset_has(m, i))
			bitset_add(lead, i);
		return;
	}
	for (uint32_t w = 0; w < f->W; w++)
		for (uint64_t b = m[w]; b != 0; b &= b - 1) {
			uint32_t i = w * 64 + bitset_lowest64(b);
			sw_ix peer = group[i].peer;

			if (bitset_has(f->above[peer], x) &&
				is_above(f, peer, s))
				bitset_add(lead, i);
		}
}
