/*
 * Groups in the core: the SA says who is in them, the routing makes trees, the
 * distribution writes the switches' tables; then joins are answered.
 *
 * What changes is gathered for a moment and written in one cycle; what changes
 * meanwhile waits for the next. Tables of groups are written whenever no
 * unicast tables are: before a push what is in flight is waited for, and trees
 * that are against the order of the new routes are taken away, for together
 * with those they could deadlock; after it all trees are made again in that
 * order, keeping what stands.
 */
#include <stdlib.h>
#include <string.h>

#include "distribution/mft.h"
#include "routing/mcast.h"
#include "sm/base/mem.h"
#include "sm/sm_priv.h"

enum { GATHER_MS = 2, RETRY_MS = 1000 };

struct sm_mcast {
	struct mft *mft;
	struct topo *topo; /* of the trees, a reference */
	uint32_t *pos;
	uint8_t *plane; /* see routes_joined; or NULL */
	struct mcast *maker;
	struct mcast_tree *tree[MFT_GROUPS];
	bool dirty[MFT_GROUPS];
	struct mono due;
	uint64_t stamp; /* joins that the present cycle serves */
	bool clearing;	/* trees are taken away for a push */
	bool ahead;	/* the tables know the topology of that push already */
	struct log_limit noise;
};

static void
switch_written(void *cookie, uint64_t guid, const uint8_t info[MAD_DATA])
{
	struct sm *sm = cookie;

	draft_switch_written(sm->draft, guid, info);
}

void
sm_mcast_new(struct sm *sm)
{
	const struct mft_job job = {
		.x = sm->x, .switch_written = switch_written, .cookie = sm};

	sm->mcast = mem_zalloc(1, sizeof(*sm->mcast));
	sm->mcast->mft = mft_new(&job);
	sm->mcast->due = MONO_NEVER;
}

void
sm_mcast_free(struct sm *sm)
{
	struct sm_mcast *m = sm->mcast;

	for (unsigned i = 0; i < MFT_GROUPS; i++)
		mcast_tree_free(m->tree[i]);
	mcast_free(m->maker);
	mft_free(m->mft);
	free(m->pos);
	free(m->plane);
	topo_unref(m->topo);
	free(m);
}

static void
make_due(struct sm_mcast *m, struct mono when)
{
	m->due = mono_min(m->due, when);
}

void
sm_mcast_regroup(struct sm *sm, uint16_t mlid, struct mono now)
{
	sm->mcast->dirty[mlid - MFT_MLID] = true;
	make_due(sm->mcast, mono_add(now, mono_ms(GATHER_MS)));
}

bool
sm_mcast_cell(const struct sm *sm, uint64_t guid, unsigned block, unsigned pos,
	uint8_t out[MFT_CELL])
{
	return mft_cell(sm->mcast->mft, guid, block, pos, out);
}

/* The fabric is the view's: every tree is made again. */
void
sm_mcast_publish(struct sm *sm, struct mono now)
{
	struct sm_mcast *m = sm->mcast;
	const struct routes *r = sm->view->routes;
	struct topo *old = m->topo;
	uint16_t mlid = 0;

	mft_stop(m->mft);
	m->topo = topo_ref(sm->view->topo);
	mcast_free(m->maker);
	free(m->pos);
	free(m->plane);
	m->pos = mem_zalloc(m->topo->nsw, sizeof(*m->pos));
	routes_line(r, m->pos);
	m->plane = r->plane != NULL ? mem_dup(r->plane, m->topo->nsw) : NULL;
	m->maker = mcast_new(m->topo, m->pos, m->plane);
	mft_adopt(m->mft, m->topo);
	m->ahead = false;
	topo_unref(old);
	for (unsigned i = 0; i < MFT_GROUPS; i++)
		m->dirty[i] |= m->tree[i] != NULL;
	while ((mlid = sa_group_next(sm->sa, mlid)) != 0)
		m->dirty[mlid - MFT_MLID] = true;
	make_due(m, now);
}

void
sm_mcast_forget(struct sm *sm, bool all)
{
	const struct topo *t = sm->topo;

	for (sw_ix s = 0; s < t->nsw; s++) {
		uint64_t guid = t->node[t->sw[s].node].guid;

		if (all || !hw_knows(sm->hw, guid))
			mft_forget(sm->mcast->mft, guid);
	}
}

void
sm_mcast_lost(struct sm *sm)
{
	struct sm_mcast *m = sm->mcast;

	mft_stop(m->mft);
	m->due = MONO_NEVER;
	memset(m->dirty, 0, sizeof(m->dirty));
	for (unsigned i = 0; i < MFT_GROUPS; i++) {
		mcast_tree_free(m->tree[i]);
		m->tree[i] = NULL;
	}
}

/* ---- a cycle ---- */

static void
make_tree(struct sm *sm, unsigned group)
{
	struct sm_mcast *m = sm->mcast;
	uint16_t mlid = (uint16_t)(MFT_MLID + group);
	struct sa_member *who;
	size_t n = sa_group_members(sm->sa, mlid, &who);
	struct mcast_member *member = mem_zalloc(n + 1, sizeof(*member));
	struct mcast_tree *prev = m->tree[group], *tree = NULL;

	for (size_t i = 0; i < n; i++)
		member[i] = (struct mcast_member){who[i].port, who[i].receives};
	if (n > 0)
		tree = mcast_tree(m->maker, member, n, prev, group);
	if (tree != NULL || prev != NULL)
		mft_want(m->mft, group, tree);
	mcast_tree_free(prev);
	m->tree[group] = tree;
	free(member);
	free(who);
}

static bool
begin(struct sm *sm)
{
	struct sm_mcast *m = sm->mcast;

	m->due = MONO_NEVER;
	m->stamp = sa_group_stamp(sm->sa);
	if (m->ahead) /* that push came to nothing */
		mft_adopt(m->mft, m->topo);
	m->ahead = false;
	for (unsigned i = 0; i < MFT_GROUPS; i++) {
		if (!m->dirty[i])
			continue;
		m->dirty[i] = false;
		make_tree(sm, i);
	}
	return mft_begin(m->mft);
}

/* A switch that does not take its table: is it still there? */
static void
blame(struct sm *sm, struct mono now)
{
	struct sm_mcast *m = sm->mcast;
	const struct mft_failure *f;
	size_t n, i;
	unsigned swallowed;

	f = mft_failures(m->mft, &n);
	for (i = 0; i < n; i++) {
		if (log_allowed(&m->noise, 5, now, &swallowed))
			log_warn("mcast: table not taken guid=0x%016llx "
				 "status=0x%04x",
				(unsigned long long)f[i].guid, f[i].status);
		if (f[i].status == 0)
			sm_mark(sm, f[i].guid, now, "multicast table");
	}
}

/* The cycle is over. Who waits is answered even if a switch failed: it is being
 * asked for, and the group is as good as it can be without. */
static void
end(struct sm *sm, struct mono now)
{
	struct sm_mcast *m = sm->mcast;
	size_t n;

	blame(sm, now);
	(void)mft_failures(m->mft, &n);
	if (n > 0)
		make_due(m, mono_add(now, mono_ms(RETRY_MS)));
	else if (!mft_complete(m->mft))
		make_due(m, mono_add(now, mono_ms(GATHER_MS)));
	if (n > 0 || mft_complete(m->mft))
		sa_group_written(sm->sa, m->stamp);
}

static bool
may_write(const struct sm *sm)
{
	return sm->phase != SM_PUSH && sm->role == SM_MASTER &&
	       sm->mcast->topo != NULL && sm->view != NULL;
}

struct mono
sm_mcast_next(const struct sm *sm)
{
	const struct sm_mcast *m = sm->mcast;

	return may_write(sm) && !mft_running(m->mft) && mft_quiet(m->mft)
		       ? m->due
		       : MONO_NEVER;
}

void
sm_mcast_step(struct sm *sm, struct mono now)
{
	struct sm_mcast *m = sm->mcast;

	while (may_write(sm)) {
		if (!mft_running(m->mft)) {
			if (mono_before(now, m->due) || !mft_quiet(m->mft))
				return;
			if (!begin(sm)) {
				sa_group_written(sm->sa, m->stamp);
				continue;
			}
		}
		mft_feed(m->mft, sm->cfg->fabric.m_key, now);
		if (mft_running(m->mft))
			return;
		end(sm, now);
	}
}

/* ---- before a push ---- */

/* Switches of the trees' topology in the new order. */
struct places {
	uint32_t *pos;
	uint8_t *plane; /* NULL: one */
};

static struct places
new_places(const struct sm_mcast *m, const struct routes *r)
{
	const struct topo *t = m->topo, *next = r->topo;
	uint32_t *line = mem_zalloc(next->nsw, sizeof(*line));
	uint32_t *pos = mem_zalloc(t->nsw, sizeof(*pos));
	uint8_t *plane = r->plane != NULL ? mem_zalloc(t->nsw, 1) : NULL;

	routes_line(r, line);
	for (sw_ix s = 0; s < t->nsw; s++) {
		node_ix n =
			topo_by_node_guid(next, t->node[t->sw[s].node].guid);
		sw_ix now = n != TOPO_NONE ? next->node[n].sw : TOPO_NONE;

		pos[s] = now != TOPO_NONE ? line[now] : UINT32_MAX;
		if (now != TOPO_NONE && plane != NULL)
			plane[s] = r->plane[now];
	}
	free(line);
	return (struct places){pos, plane};
}

/* Does the tree keep the order? Switches that are gone carry nothing. */
static bool
keeps_order(const struct sm_mcast *m, const struct mcast_tree *tree,
	const struct places *at)
{
	const uint32_t *pos = at->pos;

	if (tree->topo != m->topo)
		return false; /* not made again yet */
	for (size_t i = 0; i < tree->n; i++) {
		const struct mcast_branch *b = &tree->branch[i];

		if (b->parent == TOPO_NONE || pos[b->sw] == UINT32_MAX ||
			pos[b->parent] == UINT32_MAX)
			continue;
		if (pos[b->parent] > pos[b->sw] ||
			!routes_joined(at->plane, b->parent, b->sw))
			return false;
	}
	return true;
}

void
sm_mcast_before_push(struct sm *sm, struct mono now)
{
	struct sm_mcast *m = sm->mcast;
	struct places at;

	m->clearing = false;
	if (m->topo == NULL)
		return;
	if (mft_running(m->mft)) {
		mft_stop(m->mft);
		make_due(m, now);
	}
	at = new_places(m, sm->routes);
	for (unsigned i = 0; i < MFT_GROUPS; i++) {
		if (m->tree[i] == NULL || keeps_order(m, m->tree[i], &at))
			continue;
		mft_want(m->mft, i, NULL);
		m->dirty[i] = true;
		m->clearing = true;
		make_due(m, now);
	}
	free(at.pos);
	free(at.plane);
	if (m->clearing) /* the ways to switches are the new ones */
		mft_adopt(m->mft, sm->topo);
	m->ahead = m->clearing;
}

bool
sm_mcast_ready(struct sm *sm, struct mono now)
{
	struct sm_mcast *m = sm->mcast;

	if (!m->clearing)
		return mft_quiet(m->mft);
	if (!mft_running(m->mft)) {
		if (!mft_quiet(m->mft))
			return false;
		m->clearing = mft_begin(m->mft);
	}
	mft_feed(m->mft, sm->cfg->fabric.m_key, now);
	if (mft_running(m->mft))
		return false;
	/* who did not answer is asked for by the push itself */
	m->clearing = false;
	return true;
}
