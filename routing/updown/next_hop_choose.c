#include <string.h>

#include "routing/updown/row_priv.h"

/* Of the groups in m, those that lead to the lowest possible switch of down
 * path c; false when none leads to any. */
static bool
follow_path(const struct row_job *f, const struct down_path *c,
	const uint64_t *m, uint64_t *out)
{
	for (uint32_t k = 1; k < c->len; k++) {
		const uint64_t *lead = f->lead + (size_t)c->sw[k] * f->W;
		uint64_t any = 0;

		for (uint32_t w = 0; w < f->W; w++)
			any |= out[w] = m[w] & lead[w];
		if (any != 0)
			return true;
	}
	return false;
}

static bool
path_passes(const struct down_path *c, sw_ix s)
{
	for (uint32_t k = 1; k < c->len; k++)
		if (c->sw[k] == s)
			return true;
	return false;
}

/*
 * The groups in m that lead to a down path of LID i. Of a split LID the path
 * for the class of s comes first; a switch on one of the paths must take any
 * that it can.
 */
static bool
follow_any(struct row_job *f, sw_ix s, uint32_t i, const uint64_t *m,
	uint64_t *out)
{
	const struct dest_table *d = f->d;
	const struct down_path *share;

	if (d->share_of[i] == 0)
		return follow_path(f, &d->path[i], m, out);
	share = d->share + (size_t)(d->share_of[i] - 1) * UPDN_SHARES;
	for (uint32_t k = 0; k < UPDN_SHARES; k++)
		if (follow_path(
			    f, &share[(d->class[s] + k) % UPDN_SHARES], m, out))
			return true;
	return false;
}

/* The least loaded port of the groups in m. */
static uint8_t
least_loaded_port(
	struct row_job *f, sw_ix s, const uint64_t *m, const uint32_t *used)
{
	const struct link_group *group =
		f->u->graph.group + f->u->graph.first[s];
	const struct topo_adj *adj = f->u->graph.t->adj;
	uint32_t load = UINT32_MAX, ports = 0;
	uint8_t best = LFT_DROP;

	for (uint32_t w = 0; w < f->W; w++)
		for (uint64_t x = m[w]; x != 0; x &= x - 1) {
			const struct link_group *g =
				&group[w * 64 + bitset_lowest64(x)];

			for (uint32_t q = 0; q < g->n; q++) {
				uint8_t p = adj[g->adj + q].out;

				ports++;
				if (used[p] >= load)
					continue;
				load = used[p];
				best = p;
			}
		}
	f->own |= ports > 1;
	return best;
}

bool
next_hop_choose_share(struct row_job *f, sw_ix s, uint32_t i, const uint64_t *m)
{
	uint32_t *meant = f->meant[f->d->other[i]];
	uint64_t sub[UPDN_MASK_WORDS];
	uint8_t p;

	if (!follow_any(f, s, i, m, sub))
		return false;
	p = least_loaded_port(f, s, sub, meant);
	meant[p]++;
	f->row[f->d->lid[i]] = p;
	return true;
}

/*
 * A LID with a down path that passes here or can be joined from here, or could
 * until now, is counted in meant: it carries load while nothing is broken.
 * Those that pass here are spread over parallel links for themselves: the
 * others are no load, and their turns would come as regularly as those of the
 * links. LIDs that are not counted take the port with the least sum.
 */
bool
next_hop_is_meant(
	struct row_job *f, sw_ix s, uint32_t i, const uint64_t *m, bool carries)
{
	uint64_t sub[UPDN_MASK_WORDS];

	return carries || path_passes(&f->d->path[i], s) ||
	       follow_any(f, s, i, m, sub);
}

uint8_t
next_hop_choose(
	struct row_job *f, sw_ix s, uint32_t i, const uint64_t *m, bool carries)
{
	uint32_t *meant = f->meant[f->d->other[i]];
	uint32_t *passing = f->passing[f->d->other[i]];
	uint32_t *sum = f->sum[f->d->other[i]];
	uint64_t sub[UPDN_MASK_WORDS];
	uint8_t p;

	if (follow_any(f, s, i, m, sub)) {
		bool passes = f->d->share_of[i] == 0 &&
			      path_passes(&f->d->path[i], s);

		p = least_loaded_port(f, s, sub, passes ? passing : meant);
		meant[p]++;
		passing[p] += passes;
	} else if (carries || path_passes(&f->d->path[i], s)) {
		p = least_loaded_port(f, s, m, meant);
		meant[p]++;
	} else {
		p = least_loaded_port(f, s, m, sum);
	}
	sum[p]++;
	return p;
}

bool
next_hop_accept_port(
	struct row_job *f, sw_ix s, uint32_t i, const uint64_t *m, uint8_t port)
{
	const struct down_path *c = &f->d->path[i];
	const uint64_t *lead = f->lead + (size_t)c->sw[c->len - 1] * f->W;
	const struct link_group *g = f->u->graph.group + f->u->graph.first[s];
	uint64_t by_path[UPDN_MASK_WORDS], at_lead[UPDN_MASK_WORDS];
	uint32_t q = 0;

	for (uint32_t w = 0; w < f->W; w++)
		at_lead[w] = m[w] & lead[w];
	if (!row_is_one_group(at_lead, f->W) ||
		!follow_path(f, c, m, by_path) ||
		memcmp(at_lead, by_path, f->W * sizeof(*by_path)) != 0)
		return false;
	for (uint32_t w = 0; w < f->W; w++)
		if (by_path[w] != 0)
			g += w * 64 + bitset_lowest64(by_path[w]);
	while (q < g->n && f->u->graph.t->adj[g->adj + q].out != port)
		q++;
	if (q == g->n)
		return false;
	f->meant[f->d->other[i]][port]++;
	f->sum[f->d->other[i]][port]++;
	return true;
}

bool
next_hop_only_choice(struct row_job *f, sw_ix s, uint32_t i, const uint64_t *m,
	uint8_t *port)
{
	uint64_t sub[UPDN_MASK_WORDS];

	if (!follow_any(f, s, i, m, sub))
		memcpy(sub, m, f->W * sizeof(*m));
	f->own = false;
	*port = least_loaded_port(f, s, sub, f->sum[0]);
	return !f->own;
}

/* Marks are taken back instead of clearing the table: masks change often, ports
 * are few. */
static void
mark_ports(struct row_job *f, sw_ix s, const uint64_t *m, uint8_t value)
{
	const struct link_group *group =
		f->u->graph.group + f->u->graph.first[s];

	for (uint32_t w = 0; w < f->W; w++)
		for (uint64_t x = m[w]; x != 0; x &= x - 1) {
			const struct link_group *g =
				&group[w * 64 + bitset_lowest64(x)];

			for (uint32_t q = 0; q < g->n; q++)
				f->allowed[f->u->graph.t->adj[g->adj + q].out] =
					value;
		}
}

void
next_hop_allow_ports(struct row_job *f, sw_ix s, const uint64_t *m)
{
	if (memcmp(m, f->allowed_for.w, f->W * sizeof(*m)) == 0)
		return;
	mark_ports(f, s, f->allowed_for.w, 0);
	mark_ports(f, s, m, 1);
	memcpy(f->allowed_for.w, m, f->W * sizeof(*m));
}
