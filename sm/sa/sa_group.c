/*
 * Multicast groups: their members, their MLIDs, and the joins that wait until
 * the switches are written. sa_member.c checks the requests.
 *
 * A group lives as long as it has a full member, a configured (standing) group
 * always. An MLID belongs to one group as long as there are unused MLIDs; when
 * they run out, groups share an MLID if they are alike in everything that a
 * packet in transit depends on, and every member of one receives the packets of
 * the other (IBA 10.5.1 lets channel adapters drop them by MGID).
 */
#include <stdlib.h>
#include <string.h>

#include "sm/base/be.h"
#include "sm/base/hash.h"
#include "sm/base/mem.h"
#include "sm/sa/sa_priv.h"

enum {
	FIRST = LID_MULTICAST_MIN,
	MLIDS = LID_MULTICAST_COUNT,
	CELL = 32, /* MLIDs per block */
	GROUPS = 65536,
	WAITING = 65536,
	NO_SWITCH = 1024, /* MLIDs if no switch reports its capacity */
	KEEPS = MAD_SA_JOIN_FULL | MAD_SA_JOIN_SEND_FULL,
	HEARS = MAD_SA_JOIN_FULL | MAD_SA_JOIN_NON,
};

/* A join that is answered when the switches are written. */
struct waiting {
	struct sa_query *q;
	uint64_t stamp;
};

struct sa_groups {
	struct sa_group **group;
	size_t n, cap;
	struct map by_mgid; /* hashed; of colliding MGIDs the last */
	struct sa_group *of[MLIDS];
	struct map joins; /* of a port, by GUID */
	struct sa_configured_group *standing;
	size_t nstanding;
	uint32_t members;
	uint64_t stamp, written;
	uint32_t serial; /* of MGIDs made here */
	struct sa_place place;
	struct waiting *waiting;
	size_t nwaiting, capwaiting;
};

struct sa_groups *
sa_groups_new(void)
{
	return mem_zalloc(1, sizeof(struct sa_groups));
}

static void
free_group(struct sa_group *g)
{
	map_free(&g->by_guid);
	free(g->member);
	free(g);
}

void
sa_groups_free(struct sa_groups *s)
{
	if (s == NULL)
		return;
	for (size_t i = 0; i < s->n; i++)
		free_group(s->group[i]);
	map_free(&s->by_mgid);
	map_free(&s->joins);
	free(s->group);
	free(s->standing);
	free(s->waiting);
	free(s);
}

/* ---- finding ---- */

static uint64_t
hash_mgid(const struct mad_gid *g)
{
	return hash_mix(g->prefix, g->guid);
}

static bool
same_gid(const struct mad_gid *a, const struct mad_gid *b)
{
	return a->prefix == b->prefix && a->guid == b->guid;
}

struct sa_group *
sa_groups_find(const struct sa *sa, const struct mad_gid *mgid)
{
	const struct sa_groups *s = sa->groups;
	uint32_t i;

	if (!map_get(&s->by_mgid, hash_mgid(mgid), &i))
		return NULL;
	if (same_gid(&s->group[i]->is.mgid, mgid))
		return s->group[i];
	for (size_t k = 0; k < s->n; k++)
		if (same_gid(&s->group[k]->is.mgid, mgid))
			return s->group[k];
	return NULL;
}

size_t
sa_groups_count(const struct sa *sa)
{
	return sa->groups->n;
}

void
sa_groups_stats(const struct sa *sa, struct sa_stats *out)
{
	out->groups = (uint32_t)sa->groups->n;
	out->members = sa->groups->members;
}

struct sa_group *
sa_groups_at(const struct sa *sa, size_t i)
{
	return sa->groups->group[i];
}

struct sa_joined *
sa_groups_member(const struct sa_group *g, uint64_t guid)
{
	uint32_t i;

	return map_get(&g->by_guid, guid, &i) ? &g->member[i] : NULL;
}

uint32_t
sa_groups_of(const struct sa *sa, uint64_t owner)
{
	uint32_t n = 0;

	(void)map_get(&sa->groups->joins, owner, &n);
	return n;
}

struct sa_place *
sa_groups_place(struct sa *sa)
{
	return &sa->groups->place;
}

unsigned
sa_groups_blocks(const struct sa *sa)
{
	unsigned blocks = 0;

	for (unsigned i = 0; i < MLIDS; i++)
		if (sa->groups->of[i] != NULL)
			blocks = i / CELL + 1;
	return blocks;
}

/* ---- MLIDs ---- */

/* The number of MLIDs that every switch can hold. */
static unsigned
mlid_limit(const struct sa *sa)
{
	const struct topo *t = sa->view != NULL ? sa->view->topo : NULL;
	unsigned limit = MLIDS + 1;

	for (sw_ix s = 0; t != NULL && s < t->nsw; s++)
		if (topo_sw_live(t, s) && t->sw[s].mft_cap != 0 &&
			t->sw[s].mft_cap < limit)
			limit = t->sw[s].mft_cap;
	if (limit > MLIDS)
		limit = t != NULL && t->nsw > 0 ? MLIDS : NO_SWITCH;
	return limit;
}

static bool
may_share(const struct mad_sa_member *a, const struct mad_sa_member *b)
{
	return a->pkey == b->pkey && a->mtu == b->mtu && a->rate == b->rate &&
	       a->sl == b->sl;
}

static size_t
members_of_mlid(const struct sa_group *g)
{
	size_t n = 0;

	for (; g != NULL; g = g->mate)
		n += g->n;
	return n;
}

/*
 * An unused MLID, or the one with the fewest members of those that can be
 * shared; never that of a standing group, since its packets go to nearly all
 * ports already.
 */
static uint16_t
choose_mlid(const struct sa *sa, const struct mad_sa_member *is)
{
	const struct sa_groups *s = sa->groups;
	unsigned limit = mlid_limit(sa);
	size_t fewest = SIZE_MAX;
	uint16_t best = 0;

	for (unsigned i = 0; i < limit; i++)
		if (s->of[i] == NULL)
			return (uint16_t)(FIRST + i);
	for (unsigned i = 0; i < limit; i++) {
		size_t n = members_of_mlid(s->of[i]);

		if (s->of[i]->standing || n >= fewest ||
			!may_share(&s->of[i]->is, is))
			continue;
		fewest = n;
		best = (uint16_t)(FIRST + i);
	}
	return best;
}

/* ---- making and ending ---- */

/* Add a group; its MLID is set. */
static struct sa_group *
put_group(struct sa_groups *s, const struct mad_sa_member *is)
{
	struct sa_group *g = mem_zalloc(1, sizeof(*g));

	g->is = *is;
	g->mate = s->of[is->mlid - FIRST];
	s->of[is->mlid - FIRST] = g;
	s->group = mem_grow(s->group, s->n, &s->cap, sizeof(struct sa_group *));
	g->at = s->n;
	s->group[s->n++] = g;
	map_put(&s->by_mgid, hash_mgid(&is->mgid), (uint32_t)g->at);
	return g;
}

struct sa_group *
sa_groups_add(struct sa *sa, const struct mad_sa_member *is)
{
	struct sa_groups *s = sa->groups;
	struct mad_sa_member has = *is;

	has.mlid = s->n < GROUPS ? choose_mlid(sa, is) : 0;
	if (has.mlid == 0)
		return NULL;
	sa_informs_group(sa, &is->mgid, is->pkey, MAD_TRAP_GROUP_CREATED);
	return put_group(s, &has);
}

/* Take a group out of the hash; a group that collided with it takes its
 * place. */
static void
remove_from_hash(struct sa_groups *s, const struct sa_group *gone)
{
	uint64_t h = hash_mgid(&gone->is.mgid);

	(void)map_del(&s->by_mgid, h);
	for (size_t i = 0; i < s->n; i++)
		if (s->group[i] != gone &&
			hash_mgid(&s->group[i]->is.mgid) == h)
			map_put(&s->by_mgid, h, (uint32_t)i);
}

static void
count_join(struct sa_groups *s, uint64_t owner, int by)
{
	uint32_t n = 0;

	(void)map_get(&s->joins, owner, &n);
	n = (uint32_t)((int64_t)n + by);
	if (n > 0)
		map_put(&s->joins, owner, n);
	else
		(void)map_del(&s->joins, owner);
	s->members = (uint32_t)((int64_t)s->members + by);
}

static void
end_group(struct sa *sa, struct sa_group *g)
{
	struct sa_groups *s = sa->groups;
	struct sa_group **link = &s->of[g->is.mlid - FIRST];
	uint16_t mlid = g->is.mlid;

	for (size_t i = 0; i < g->n; i++)
		count_join(s, g->member[i].owner, -1);
	remove_from_hash(s, g);
	while (*link != g)
		link = &(*link)->mate;
	*link = g->mate;
	s->group[g->at] = s->group[--s->n];
	if (g->at < s->n) {
		s->group[g->at]->at = g->at;
		map_put(&s->by_mgid, hash_mgid(&s->group[g->at]->is.mgid),
			(uint32_t)g->at);
	}
	sa_informs_group(sa, &g->is.mgid, g->is.pkey, MAD_TRAP_GROUP_DELETED);
	free_group(g);
	sa->ops->regroup(sa->ops->cookie, mlid);
}

/* True if the tables of switches are the same with either join state. */
static bool
is_same_to_switches(uint8_t was, uint8_t is)
{
	return (was == 0) == (is == 0) &&
	       ((was & HEARS) == 0) == ((is & HEARS) == 0);
}

static void
set_state(struct sa *sa, struct sa_group *g, struct sa_joined *m, uint8_t state)
{
	uint8_t was = m->state;

	g->full -= (was & KEEPS) != 0;
	g->full += (state & KEEPS) != 0;
	m->state = state;
	if (is_same_to_switches(was, state))
		return;
	m->stamp = ++sa->groups->stamp;
	sa->ops->regroup(sa->ops->cookie, g->is.mlid);
}

struct sa_joined *
sa_groups_join(struct sa *sa, struct sa_group *g, const struct sa_joined *want)
{
	struct sa_joined *m = sa_groups_member(g, want->gid.guid);

	if (m == NULL) {
		g->member = mem_grow(g->member, g->n, &g->cap, sizeof(*m));
		m = &g->member[g->n];
		*m = *want;
		m->state = 0;
		map_put(&g->by_guid, m->gid.guid, (uint32_t)g->n++);
		count_join(sa->groups, m->owner, 1);
	}
	m->proxy |= want->proxy;
	set_state(sa, g, m, m->state | want->state);
	return m;
}

static void
remove_member(struct sa *sa, struct sa_group *g, struct sa_joined *m)
{
	size_t i = (size_t)(m - g->member);

	set_state(sa, g, m, 0);
	count_join(sa->groups, m->owner, -1);
	(void)map_del(&g->by_guid, m->gid.guid);
	g->member[i] = g->member[--g->n];
	if (i < g->n)
		map_put(&g->by_guid, g->member[i].gid.guid, (uint32_t)i);
}

void
sa_groups_leave(
	struct sa *sa, struct sa_group *g, struct sa_joined *m, uint8_t state)
{
	if ((m->state & (unsigned)~state) != 0)
		set_state(sa, g, m, m->state & (uint8_t)~state);
	else
		remove_member(sa, g, m);
	if (g->full == 0 && !g->standing)
		end_group(sa, g);
}

struct mad_gid
sa_groups_mgid(struct sa *sa, uint8_t scope)
{
	struct sa_groups *s = sa->groups;
	struct mad_gid g;
	uint8_t d[16] = {0xff, (uint8_t)(0x10 | scope), 0xa0, 0x1b};

	do {
		be_put64(d + 4, sa->par.prefix);
		be_put32(d + 12, ++s->serial);
		g = mad_sa_gid_decode(d);
	} while (sa_groups_find(sa, &g) != NULL);
	return g;
}

/* ---- groups of the previous run ---- */

void
sa_group_keep(const struct sa *sa, size_t i, struct sa_kept_group *out)
{
	const struct sa_group *g = sa->groups->group[i];

	*out = (struct sa_kept_group){.is = g->is, .n = g->n};
	out->member = mem_zalloc(g->n + 1, sizeof(*out->member));
	for (size_t k = 0; k < g->n; k++) {
		const struct sa_joined *m = &g->member[k];

		out->member[k] = (struct sa_kept_member){
			m->gid.guid, m->owner, m->state, m->proxy};
	}
}

void
sa_group_restore(struct sa *sa, const struct sa_kept_group *k)
{
	struct sa_groups *s = sa->groups;
	struct sa_group *g;

	if (s->n >= GROUPS || k->is.mlid < FIRST ||
		k->is.mlid >= FIRST + MLIDS ||
		sa_groups_find(sa, &k->is.mgid) != NULL)
		return;
	g = put_group(s, &k->is);
	/* the switches hold these members already: only later joins wait */
	for (size_t i = 0; i < k->n; i++) {
		const struct sa_kept_member *m = &k->member[i];
		const struct sa_joined join = {
			.gid = {sa->par.prefix, m->guid},
			.owner = m->owner,
			.state = m->state,
			.proxy = m->proxy,
		};

		(void)sa_groups_join(sa, g, &join);
	}
	s->written = s->stamp;
}

/* ---- configured groups ---- */

static bool
is_standing(const struct sa_groups *s, const struct mad_gid *mgid)
{
	for (size_t i = 0; i < s->nstanding; i++)
		if (same_gid(&s->standing[i].mgid, mgid))
			return true;
	return false;
}

static void
make_standing(struct sa *sa)
{
	struct sa_groups *s = sa->groups;

	for (size_t i = 0; i < s->nstanding; i++) {
		const struct sa_configured_group *w = &s->standing[i];
		struct sa_group *g = sa_groups_find(sa, &w->mgid);
		struct mad_sa_member is = {
			.mgid = w->mgid,
			.qkey = w->qkey,
			.pkey = w->pkey,
			.mtu = w->mtu,
			.rate = w->rate,
			.life = sa->par.packet_life,
			.sl = w->sl,
			.scope = w->scope,
			.hop_limit = w->scope == 2 ? 0 : 0xff,
		};

		if (g == NULL)
			g = sa_groups_add(sa, &is);
		if (g == NULL)
			continue; /* no MLID is left */
		is.mlid = g->is.mlid;
		g->is = is;
		g->standing = true;
	}
}

void
sa_configured_group(
	struct sa *sa, const struct sa_configured_group *list, size_t n)
{
	struct sa_groups *s = sa->groups;

	free(s->standing);
	s->standing = n > 0 ? mem_dup(list, n * sizeof(*list)) : NULL;
	s->nstanding = n;
	for (size_t i = s->n; i-- > 0;) {
		struct sa_group *g = s->group[i];

		g->standing = is_standing(s, &g->is.mgid);
		if (!g->standing && g->full == 0)
			end_group(sa, g);
	}
	make_standing(sa);
}

void
sa_groups_suspend(struct sa *sa)
{
	sa->groups->written = sa->groups->stamp;
}

/* ---- a new view ---- */

static bool
can_stay_member(const struct sa *sa, const struct sa_group *g,
	const struct sa_joined *m)
{
	const struct view *v = sa->view;
	port_ix p = topo_by_port_guid(v->topo, m->owner);
	uint16_t mine;

	if (p == TOPO_NONE || v->topo->port[p].lid == 0)
		return false;
	mine = view_partition_has(v, p, p, g->is.pkey);
	return ((mine | g->is.pkey) & PKEY_FULL) != 0 && mine != 0;
}

void
sa_groups_commit(struct sa *sa)
{
	struct sa_groups *s = sa->groups;

	/* no switch in the view: our own link is down, no member has left */
	if (sa->view->topo->nsw == 0)
		return;
	for (size_t i = s->n; i-- > 0;) {
		struct sa_group *g = s->group[i];

		for (size_t k = g->n; k-- > 0;)
			if (!can_stay_member(sa, g, &g->member[k]))
				remove_member(sa, g, &g->member[k]);
		if (g->full == 0 && !g->standing)
			end_group(sa, g);
	}
}

/* ---- the switches ---- */

size_t
sa_group_members(const struct sa *sa, uint16_t mlid, struct sa_member **out)
{
	const struct sa_group *first = sa->groups->of[mlid - FIRST], *g;
	size_t n = 0;

	*out = NULL;
	if (sa->view == NULL || first == NULL)
		return 0;
	*out = mem_zalloc(members_of_mlid(first) + 1, sizeof(**out));
	for (g = first; g != NULL; g = g->mate)
		for (size_t i = 0; i < g->n; i++) {
			uint32_t p;

			if (map_get(&sa->by_guid, g->member[i].owner, &p))
				(*out)[n++] = (struct sa_member){
					p, (g->member[i].state & HEARS) != 0};
		}
	return n;
}

uint8_t
sa_group_sl(const struct sa *sa, uint16_t mlid)
{
	const struct sa_group *g = sa->groups->of[mlid - FIRST];

	return g != NULL ? g->is.sl : 0;
}

uint16_t
sa_group_next(const struct sa *sa, uint16_t mlid)
{
	unsigned i = mlid < FIRST ? 0 : mlid - FIRST + 1U;

	for (; i < MLIDS; i++)
		if (sa->groups->of[i] != NULL)
			return (uint16_t)(FIRST + i);
	return 0;
}

uint64_t
sa_group_stamp(const struct sa *sa)
{
	return sa->groups->stamp;
}

void
sa_group_written(struct sa *sa, uint64_t stamp)
{
	struct sa_groups *s = sa->groups;
	size_t n = 0;

	s->written = stamp;
	for (size_t i = 0; i < s->nwaiting; i++) {
		if (s->waiting[i].stamp <= stamp)
			sa_query_answer(s->waiting[i].q, 0);
		else
			s->waiting[n++] = s->waiting[i];
	}
	s->nwaiting = n;
}

bool
sa_groups_wait(struct sa_query *q, const struct sa_joined *m)
{
	struct sa_groups *s = q->sa->groups;

	if (m->stamp <= s->written || s->nwaiting >= WAITING)
		return false;
	s->waiting = mem_grow(
		s->waiting, s->nwaiting, &s->capwaiting, sizeof(*s->waiting));
	s->waiting[s->nwaiting++] = (struct waiting){q, m->stamp};
	return true;
}

void
sa_groups_drop_waiting(struct sa *sa, bool answer)
{
	struct sa_groups *s = sa->groups;

	for (size_t i = 0; i < s->nwaiting; i++) {
		if (answer)
			sa_query_answer(s->waiting[i].q, MAD_STATUS_BUSY);
		else
			sa_query_free(s->waiting[i].q);
	}
	s->nwaiting = 0;
}
