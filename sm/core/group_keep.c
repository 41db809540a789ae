#include "sm/core/group_keep.h"

#include <stdlib.h>

#include "config/partition_options.h"
#include "sm/base/mem.h"
#include "sm/core/sm_priv.h"
#include "sm/policy/qos.h"

/* Members that are saved. With more, the file would exceed the size that is
 * accepted on reading, and LIDs are worth more. */
enum { SAVED_MEMBERS = 400000 };

/* ---- IPoIB's broadcast groups, made before any host asks ---- */

static struct sa_configured_group
broadcast_group(
	const struct config *c, uint16_t pkey, const struct partition_ipoib *o)
{
	uint8_t mtu = 1;

	while (mtu < 5 && 128U << mtu < o->mtu)
		mtu++;
	return (struct sa_configured_group){
		.mgid = {(uint64_t)(0xff10 | o->scope) << 48 |
				 UINT64_C(0x401b) << 32 | (uint64_t)pkey << 16,
			0xffffffff},
		.qkey = (uint32_t)o->qkey,
		.pkey = pkey,
		.mtu = mtu,
		.rate = partition_rate_code(o->rate),
		.sl = qos_group_sl(c, pkey, (uint8_t)o->sl),
		.scope = (uint8_t)o->scope,
	};
}

/* Without partitions, the broadcast group of the default partition: hosts count
 * on it. */
void
group_keep_configure(struct sm *sm)
{
	static const struct partition_ipoib usual = {
		true, 2048, 2, 0, 2, 0xb1b};
	const struct schema_records *all = &sm->cfg->partitions;
	const struct partition_options *p = all->record;
	struct sa_configured_group *g = mem_zalloc(all->n + 1, sizeof(*g));
	size_t n = 0;

	if (all->n == 0)
		g[n++] = broadcast_group(
			sm->cfg, PKEYS_FULL | PARTITION_DEFAULT_KEY, &usual);
	for (size_t i = 0; i < all->n; i++)
		if (p[i].ipoib.enabled)
			g[n++] = broadcast_group(sm->cfg,
				(uint16_t)(PKEYS_FULL | p[i].pkey),
				&p[i].ipoib);
	sa_configured_group(sm->hosts.sa, g, n);
	free(g);
}

/* ---- over a restart ---- */

void
group_keep_load(struct sm *sm, const struct state_file *s)
{
	for (size_t i = 0; i < s->ngroup; i++) {
		const struct state_file_group *g = &s->group[i];
		struct sa_kept_group k = {.n = g->n};

		k.is = (struct mad_sa_member){
			.mgid = {g->mgid[0], g->mgid[1]},
			.qkey = g->qkey,
			.mlid = g->mlid,
			.pkey = g->pkey,
			.mtu = g->mtu,
			.rate = g->rate,
			.life = g->life,
			.tclass = g->tclass,
			.sl = g->sl,
			.flow_label = g->flow,
			.hop_limit = g->hops,
			.scope = g->mgid[0] >> 48 & 0xf,
		};
		k.member = mem_zalloc(g->n + 1, sizeof(*k.member));
		for (size_t m = 0; m < g->n; m++) {
			const struct state_file_member *w =
				&s->member[g->first + m];

			k.member[m] = (struct sa_kept_member){
				w->guid, w->owner, w->state, w->proxy};
		}
		sa_group_restore(sm->hosts.sa, &k);
		free(k.member);
	}
}

static struct state_file_group
group_record(const struct mad_sa_member *is)
{
	return (struct state_file_group){
		.mgid = {is->mgid.prefix, is->mgid.guid},
		.qkey = is->qkey,
		.flow = is->flow_label,
		.mlid = is->mlid,
		.pkey = is->pkey,
		.mtu = is->mtu,
		.rate = is->rate,
		.life = is->life,
		.sl = is->sl,
		.tclass = is->tclass,
		.hops = is->hop_limit,
	};
}

void
group_keep_save(const struct sm *sm, struct group_keep_saved *out)
{
	struct sa_stats n;
	struct sa_kept_group k;

	sa_stats(sm->hosts.sa, &n);
	*out = (struct group_keep_saved){0};
	out->group = mem_zalloc(n.groups + 1U, sizeof(*out->group));
	out->member = mem_zalloc(n.members + 1U, sizeof(*out->member));
	for (uint32_t i = 0; i < n.groups; i++) {
		struct state_file_group *g = &out->group[out->ngroup];

		sa_group_keep(sm->hosts.sa, i, &k);
		*g = group_record(&k.is);
		g->first = out->nmember;
		g->n = out->nmember + k.n <= SAVED_MEMBERS ? k.n : 0;
		for (size_t m = 0; m < g->n; m++)
			out->member[out->nmember++] =
				(struct state_file_member){k.member[m].guid,
					k.member[m].owner, k.member[m].state,
					k.member[m].proxy};
		out->ngroup++;
		free(k.member);
	}
}

void
group_keep_saved_free(struct group_keep_saved *s)
{
	free(s->group);
	free(s->member);
}
