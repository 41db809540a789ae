#include "distribution/tables/adaptive_groups.h"

#include <stdlib.h>
#include <string.h>

#include "sm/base/bitset.h"
#include "sm/base/hash.h"
#include "sm/base/map.h"
#include "sm/base/mem.h"

enum { NO_SLOT = UINT16_MAX };

#define NO_GROUP UINT32_MAX
#define NO_VOTE UINT32_MAX

/* Ports of both sub-groups. */
struct ports {
	uint64_t of[ROUTE_SET_WORDS];
};

/* A group that LIDs want. */
struct wanted {
	struct mad_ar_group group;
	struct ports all;
	uint32_t lids;
	uint16_t slot; /* or NO_SLOT */
	uint32_t vote; /* the last one counted, or NO_VOTE */
	bool dropped;  /* for want of slots */
};

/* How many LIDs that want a group name a slot now. */
struct vote {
	uint32_t group;
	uint16_t slot;
	uint32_t lids;
};

/* The last group of a default port. */
struct recent {
	uint16_t set; /* 0: none yet */
	uint32_t group;
};

/* How a set is used. */
struct use {
	uint32_t lids;
	struct ports defaults;
};

struct maker {
	const struct adaptive_groups_job *job;
	struct adaptive_groups *out;
	uint32_t *want; /* [nlids] index in wanted, or NO_GROUP */
	struct wanted *wanted;
	size_t nwanted, capwanted;
	struct map by_key; /* (set, port) -> index in wanted */
	bool *is_rare;	   /* [nsets] its groups have no default of their own */
	struct recent recent[256];
	struct map by_content; /* hash -> index in wanted */
	struct vote *vote;
	size_t nvotes, capvotes;
	uint16_t cap; /* slots that matter: held, or for a group that is wanted
		       */
	uint32_t *owner; /* [cap] index in wanted, or NO_GROUP */
	bool *used;	 /* [cap] an entry in force names it */
	bool *entered;	 /* [cap] an entry will name it */
};

/* ---- ports ---- */

static struct ports
ports_of_group(const struct mad_ar_group *g)
{
	struct ports p;

	for (unsigned w = 0; w < ROUTE_SET_WORDS; w++)
		p.of[w] = g->port[0][w] | g->port[1][w];
	return p;
}

static struct ports
ports_and(struct ports a, struct ports b)
{
	for (unsigned w = 0; w < ROUTE_SET_WORDS; w++)
		a.of[w] &= b.of[w];
	return a;
}

static void
ports_add(struct ports *p, uint8_t port)
{
	if (port != 0xff)
		bitset_add(p->of, port);
}

static bool
ports_include(struct ports all, struct ports some)
{
	for (unsigned w = 0; w < ROUTE_SET_WORDS; w++)
		if ((some.of[w] & ~all.of[w]) != 0)
			return false;
	return true;
}

static unsigned
ports_count(struct ports p)
{
	unsigned n = 0;

	for (unsigned w = 0; w < ROUTE_SET_WORDS; w++)
		n += bitset_count64(p.of[w]);
	return n;
}

/* The ports of g that are in p; the primary sub-group is not empty unless the
 * group is. */
static struct mad_ar_group
restrict_group(const struct mad_ar_group *g, struct ports p)
{
	struct mad_ar_group out;
	uint64_t any = 0;

	for (unsigned w = 0; w < ROUTE_SET_WORDS; w++) {
		out.port[0][w] = g->port[0][w] & p.of[w];
		out.port[1][w] = g->port[1][w] & p.of[w];
		any |= out.port[0][w];
	}
	if (any == 0) {
		memcpy(out.port[0], out.port[1], sizeof(out.port[0]));
		memset(out.port[1], 0, sizeof(out.port[1]));
	}
	return out;
}

static bool
group_equal(const struct mad_ar_group *a, const struct mad_ar_group *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

/* ---- what is wanted ---- */

/* The group of a set with this default port; false: there is no choice. */
static bool
make_group(const struct maker *m, uint16_t number, uint8_t port,
	struct mad_ar_group *out)
{
	const struct adaptive_groups_job *job = m->job;
	const struct route_set *set = &job->sets[number];
	bool default_first = job->default_first && !m->is_rare[number];
	struct ports all = {{0}};

	memset(out, 0, sizeof(*out));
	if (!job->escapes)
		ports_add(&all, port);
	for (unsigned w = 0; w < ROUTE_SET_WORDS; w++)
		all.of[w] = (all.of[w] | set->port[w]) & job->linked[w];
	if (port == 0xff || !bitset_has(job->linked, port) ||
		ports_count(all) < 1U + bitset_has(all.of, port))
		return false;
	memcpy(out->port[default_first], all.of, sizeof(all.of));
	if (default_first) {
		out->port[1][port / 64] &= ~(UINT64_C(1) << port % 64);
		bitset_add(out->port[0], port);
	}
	return true;
}

static uint32_t
find_or_add_wanted(struct maker *m, const struct mad_ar_group *g)
{
	uint64_t hash = fnv_more(FNV_START, g, sizeof(*g));
	uint32_t i;

	/* another group with this hash: the next key */
	for (; map_get(&m->by_content, hash, &i); hash++)
		if (group_equal(&m->wanted[i].group, g))
			return i;
	m->wanted = mem_grow(
		m->wanted, m->nwanted, &m->capwanted, sizeof(*m->wanted));
	i = (uint32_t)m->nwanted++;
	m->wanted[i] = (struct wanted){.group = *g,
		.all = ports_of_group(g),
		.slot = NO_SLOT,
		.vote = NO_VOTE};
	map_put(&m->by_content, hash, i);
	return i;
}

static uint32_t
want_of_key(struct maker *m, uint16_t set, uint8_t port)
{
	uint64_t key = (uint64_t)set << 8 | port;
	struct mad_ar_group g;
	uint32_t i = NO_GROUP;

	if (map_get(&m->by_key, key, &i))
		return i;
	if (make_group(m, set, port, &g))
		i = find_or_add_wanted(m, &g);
	map_put(&m->by_key, key, i);
	return i;
}

/* LIDs by the same port are likely to have the same set. */
static uint32_t
want_of_lid(struct maker *m, uint32_t lid)
{
	uint16_t set = m->job->set[lid];
	uint8_t port = m->job->port[lid];
	struct recent *r = &m->recent[port];

	if (set == 0)
		return NO_GROUP;
	if (r->set != set)
		*r = (struct recent){set, want_of_key(m, set, port)};
	return r->group;
}

static bool
names_slot(const struct adaptive_groups_job *job, const struct mad_ar_entry *e)
{
	return (e->state == MAD_AR_FREE || e->state == MAD_AR_BOUNDED) &&
	       e->group < job->nslots;
}

static void
count_vote(struct maker *m, struct map *at, uint32_t group, uint16_t slot)
{
	uint64_t key = (uint64_t)group << 16 | slot;
	uint32_t i = m->wanted[group].vote;

	if (i != NO_VOTE && m->vote[i].slot == slot) {
		m->vote[i].lids++;
		return;
	}
	if (!map_get(at, key, &i)) {
		m->vote = mem_grow(
			m->vote, m->nvotes, &m->capvotes, sizeof(*m->vote));
		i = (uint32_t)m->nvotes++;
		m->vote[i] = (struct vote){group, slot, 0};
		map_put(at, key, i);
	}
	m->vote[i].lids++;
	m->wanted[group].vote = i;
}

/* Whether all ports of a set, and not all of the other's, are in both. */
static bool
is_part_of(const struct route_set *set, const struct route_set *all)
{
	uint64_t more = 0;

	for (unsigned w = 0; w < ROUTE_SET_WORDS; w++) {
		if ((set->port[w] & ~all->port[w]) != 0)
			return false;
		more |= all->port[w] & ~set->port[w];
	}
	return more != 0;
}

/* Sets with less than two LIDs a default, and parts of the set that most LIDs
 * have. */
static void
find_rare(struct maker *m)
{
	const struct adaptive_groups_job *job = m->job;
	struct use *use = mem_zalloc(job->nsets, sizeof(*use));
	unsigned most = 0;

	m->is_rare = mem_zalloc(job->nsets, sizeof(*m->is_rare));
	for (uint32_t l = 0; l < job->nlids; l++) {
		if (job->set[l] == 0)
			continue;
		use[job->set[l]].lids++;
		ports_add(&use[job->set[l]].defaults, job->port[l]);
	}
	for (unsigned k = 1; k < job->nsets; k++)
		if (most == 0 || use[k].lids > use[most].lids)
			most = k;
	for (unsigned k = 1; k < job->nsets; k++)
		m->is_rare[k] =
			use[k].lids < 2 * ports_count(use[k].defaults) ||
			is_part_of(&job->sets[k], &job->sets[most]);
	free(use);
}

static void
collect_wanted(struct maker *m)
{
	const struct adaptive_groups_job *job = m->job;
	struct map votes = {0};

	for (uint32_t l = 0; l < job->nlids; l++) {
		const struct mad_ar_entry *e = &job->held[l];

		m->want[l] = want_of_lid(m, l);
		if (names_slot(job, e))
			m->used[e->group] = job->in_force;
		if (m->want[l] == NO_GROUP)
			continue;
		m->wanted[m->want[l]].lids++;
		if (names_slot(job, e))
			count_vote(m, &votes, m->want[l], e->group);
	}
	map_free(&votes);
}

/* ---- which slot ---- */

static int
compare_votes(const void *a, const void *b)
{
	const struct vote *x = a, *y = b;

	if (x->lids != y->lids)
		return x->lids < y->lids ? 1 : -1;
	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return x->slot < y->slot ? -1 : x->slot > y->slot;
}

static int
compare_lids(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? 1 : *x > *y ? -1 : 0;
}

/* Groups beyond the number of slots, the rarest, get none. */
static void
drop_rarest(struct maker *m)
{
	uint64_t *by = mem_alloc((m->nwanted + 1) * sizeof(*by));

	for (size_t i = 0; i < m->nwanted; i++)
		by[i] = (uint64_t)m->wanted[i].lids << 32 | (UINT32_MAX - i);
	qsort(by, m->nwanted, sizeof(*by), compare_lids);
	for (size_t i = m->cap; i < m->nwanted; i++) {
		struct wanted *w =
			&m->wanted[UINT32_MAX - (uint32_t)(by[i] & UINT32_MAX)];

		w->dropped = true;
		m->out->no_room += w->lids;
	}
	free(by);
}

static void
give_slot(struct maker *m, uint32_t group, uint16_t slot)
{
	m->wanted[group].slot = slot;
	m->owner[slot] = group;
}

/* Whether the group can be made from what is in the slot, without a moment in
 * which it is empty. */
static bool
fits_in_place(const struct maker *m, uint32_t group, uint16_t slot)
{
	return !m->used[slot] ||
	       ports_count(ports_and(m->wanted[group].all,
		       ports_of_group(&m->job->slot[slot]))) > 0;
}

/* A slot of no group that holds this one, or else the first that is free; or
 * NO_SLOT. */
static uint16_t
find_slot(const struct maker *m, const struct mad_ar_group *g, uint16_t *first)
{
	for (uint16_t k = 0; k < m->job->nslots; k++)
		if (m->owner[k] == NO_GROUP && group_equal(&m->job->slot[k], g))
			return k;
	while (*first < m->cap &&
		(m->owner[*first] != NO_GROUP || m->used[*first]))
		++*first;
	return *first < m->cap ? *first : (uint16_t)NO_SLOT;
}

static void
assign_slots(struct maker *m)
{
	uint16_t first = 0;

	drop_rarest(m);
	if (m->nvotes > 0)
		qsort(m->vote, m->nvotes, sizeof(*m->vote), compare_votes);
	for (size_t i = 0; i < m->nvotes; i++) {
		const struct vote *v = &m->vote[i];

		if (!m->wanted[v->group].dropped &&
			m->wanted[v->group].slot == NO_SLOT &&
			m->owner[v->slot] == NO_GROUP &&
			fits_in_place(m, v->group, v->slot))
			give_slot(m, v->group, v->slot);
	}
	for (uint32_t i = 0; i < m->nwanted; i++) {
		struct wanted *w = &m->wanted[i];
		uint16_t k;

		if (w->dropped || w->slot != NO_SLOT)
			continue;
		k = find_slot(m, &w->group, &first);
		if (k != NO_SLOT)
			give_slot(m, i, k);
	}
}

/* ---- steps ---- */

static struct mad_ar_group *
slot_at(const struct maker *m, enum adaptive_step step, unsigned k)
{
	return &m->out->slot[step][k];
}

/* What all LIDs of a slot that is given up, and that want a group, may use. */
static struct ports *
ports_in_common(const struct maker *m)
{
	const struct adaptive_groups_job *job = m->job;
	struct ports *all = mem_alloc((m->cap + 1U) * sizeof(*all));

	memset(all, 0xff, m->cap * sizeof(*all));
	for (uint32_t l = 0; l < job->nlids; l++) {
		const struct mad_ar_entry *e = &job->held[l];

		if (names_slot(job, e) && m->want[l] != NO_GROUP)
			all[e->group] = ports_and(
				all[e->group], m->wanted[m->want[l]].all);
	}
	return all;
}

static void
shrink_slots(struct maker *m)
{
	struct ports *common = ports_in_common(m);

	for (unsigned k = 0; k < m->cap; k++) {
		const struct mad_ar_group *held = slot_at(m, ADAPTIVE_HELD, k);
		struct ports is = ports_of_group(held);
		struct mad_ar_group g = *held;

		if (m->used[k] && m->owner[k] == NO_GROUP)
			g = restrict_group(held, common[k]);
		else if (m->used[k] &&
			 !ports_include(m->wanted[m->owner[k]].all, is))
			g = restrict_group(&m->wanted[m->owner[k]].group, is);
		if (ports_count(ports_of_group(&g)) == 0)
			g = *held;
		*slot_at(m, ADAPTIVE_SHRINK, k) = g;
	}
	free(common);
}

/* What a LID may use before and after: its new group and both defaults. */
static struct ports
allowed_ports(const struct maker *m, uint32_t lid)
{
	struct ports p = {{0}};

	if (m->want[lid] != NO_GROUP)
		p = m->wanted[m->want[lid]].all;
	ports_add(&p, m->job->held[lid].port);
	ports_add(&p, m->job->port[lid]);
	return p;
}

static bool
stays_in_slot(const struct maker *m, uint32_t lid)
{
	const struct mad_ar_entry *e = &m->job->held[lid];

	return m->want[lid] != NO_GROUP && names_slot(m->job, e) &&
	       m->owner[e->group] == m->want[lid];
}

/* Whether the LID may name the slot of its group before forwarding tables
 * change: that is filled by then, or stays as it is, and has no port that the
 * LID did not have. */
static bool
may_move_early(const struct maker *m, uint32_t lid)
{
	const struct mad_ar_entry *e = &m->job->held[lid];
	const struct wanted *w =
		m->want[lid] == NO_GROUP ? NULL : &m->wanted[m->want[lid]];

	return w != NULL && w->slot != NO_SLOT &&
	       (!m->used[w->slot] ||
		       group_equal(slot_at(m, ADAPTIVE_HELD, w->slot),
			       &w->group)) &&
	       ports_include(
		       ports_of_group(slot_at(m, ADAPTIVE_HELD, e->group)),
		       w->all);
}

/* Whether a LID, which shall not use some of these ports, may until its table
 * changes: they lead up, and it goes on leading up. */
static bool
may_leave_late(const struct maker *m, uint32_t lid, struct ports is)
{
	struct ports up, own = allowed_ports(m, lid);

	memcpy(up.of, m->job->up, sizeof(up.of));
	for (unsigned w = 0; w < ROUTE_SET_WORDS; w++)
		is.of[w] &= ~own.of[w];
	return m->want[lid] != NO_GROUP && ports_include(up, is) &&
	       ports_include(up, m->wanted[m->want[lid]].all);
}

/* LIDs that leave a slot which still has a port that they shall not use. */
static void
leave_early(struct maker *m)
{
	const struct adaptive_groups_job *job = m->job;

	for (uint32_t l = 0; l < job->nlids; l++) {
		const struct mad_ar_entry *e = &job->held[l];
		struct ports is;

		m->out->early[l] = *e;
		if (!job->in_force || !names_slot(job, e) ||
			stays_in_slot(m, l))
			continue;
		is = ports_of_group(slot_at(m, ADAPTIVE_SHRINK, e->group));
		if (ports_include(allowed_ports(m, l), is) ||
			may_leave_late(m, l, is))
			continue;
		m->out->early[l] = (struct mad_ar_entry){
			.state = MAD_AR_STATIC, .port = e->port};
		if (may_move_early(m, l)) {
			m->out->early[l].state = job->state;
			m->out->early[l].group = m->wanted[m->want[l]].slot;
			m->entered[m->out->early[l].group] = true;
		}
	}
}

/* What is in a slot when entries are moved to it. */
static const struct mad_ar_group *
slot_when_moved(const struct maker *m, unsigned k)
{
	return m->used[k] ? slot_at(m, ADAPTIVE_SHRINK, k)
			  : &m->wanted[m->owner[k]].group;
}

/* Whether the LID may name the slot of its group after this plan. */
static bool
may_move(const struct maker *m, uint32_t lid, unsigned slot)
{
	const struct mad_ar_entry *e = &m->job->held[lid];
	struct ports own = {{0}};

	if (!m->job->careful || stays_in_slot(m, lid))
		return true;
	if (names_slot(m->job, e))
		own = ports_of_group(slot_at(m, ADAPTIVE_HELD, e->group));
	ports_add(&own, e->port);
	ports_add(&own, m->job->port[lid]);
	return ports_include(own, ports_of_group(slot_when_moved(m, slot)));
}

/* Whether the LID, which may not move yet, may go on with the slot that it
 * names: that does not grow in this plan, and has no port but its own. */
static bool
may_stay(const struct maker *m, uint32_t lid)
{
	const struct mad_ar_entry *e = &m->out->early[lid];
	struct ports own = m->wanted[m->want[lid]].all;

	ports_add(&own, m->job->port[lid]);
	return m->job->careful && names_slot(m->job, e) && m->used[e->group] &&
	       ports_include(own,
		       ports_of_group(slot_at(m, ADAPTIVE_SHRINK, e->group)));
}

static void
move_entries(struct maker *m)
{
	const struct adaptive_groups_job *job = m->job;

	for (uint32_t l = 0; l < job->nlids; l++) {
		struct mad_ar_entry *e = &m->out->entry[l];
		const struct wanted *w =
			m->want[l] == NO_GROUP ? NULL : &m->wanted[m->want[l]];

		*e = (struct mad_ar_entry){
			.state = MAD_AR_STATIC, .port = job->port[l]};
		if (w == NULL || w->dropped)
			continue;
		if (w->slot == NO_SLOT || !may_move(m, l, w->slot)) {
			m->out->complete = false;
			if (may_stay(m, l)) {
				e->state = job->state;
				e->group = m->out->early[l].group;
			}
			continue;
		}
		e->state = job->state;
		e->group = w->slot;
		m->entered[w->slot] = true;
		m->out->chosen++;
	}
}

/* What slots hold after each step; used ones are shrunk already. */
static void
fill_and_grow(struct maker *m)
{
	for (unsigned k = 0; k < m->cap; k++) {
		struct mad_ar_group *fill = slot_at(m, ADAPTIVE_FILL, k),
				    *shrink = slot_at(m, ADAPTIVE_SHRINK, k),
				    *grow = slot_at(m, ADAPTIVE_GROW, k);
		const struct mad_ar_group *want;

		*fill = *slot_at(m, ADAPTIVE_HELD, k);
		*grow = *shrink;
		if (m->owner[k] == NO_GROUP || !m->entered[k])
			continue;
		want = &m->wanted[m->owner[k]].group;
		if (!m->used[k])
			*fill = *shrink = *grow = *want;
		else if (!m->job->careful)
			*grow = *want;
		m->out->complete &= group_equal(grow, want);
	}
}

static void
find_top(struct maker *m)
{
	for (unsigned k = 0; k < m->cap; k++)
		if (m->used[k] || m->entered[k])
			m->out->top = (uint16_t)k;
}

/* Room for the slots that are held, and one for each wanted group. */
static void
make_room(struct maker *m)
{
	const struct adaptive_groups_job *job = m->job;
	size_t most = job->nslots + m->nwanted;

	m->cap = most < job->cap ? (uint16_t)most : job->cap;
	m->out->nslots = m->cap;
	for (unsigned i = 0; i < ADAPTIVE_STEPS; i++)
		m->out->slot[i] =
			mem_zalloc(m->cap + 1U, sizeof(struct mad_ar_group));
	for (unsigned k = 0; k < job->nslots; k++)
		m->out->slot[ADAPTIVE_HELD][k] = job->slot[k];
	m->owner = mem_alloc((m->cap + 1U) * sizeof(*m->owner));
	memset(m->owner, 0xff, m->cap * sizeof(*m->owner)); /* NO_GROUP */
	m->entered = mem_zalloc(m->cap + 1U, sizeof(*m->entered));
	m->used = mem_resize(m->used, m->cap + 1U, sizeof(*m->used));
	for (unsigned k = job->nslots; k < m->cap; k++)
		m->used[k] = false;
}

void
adaptive_groups_make(
	const struct adaptive_groups_job *job, struct adaptive_groups *out)
{
	struct maker m = {.job = job, .out = out};

	*out = (struct adaptive_groups){.complete = true};
	out->early = mem_alloc((job->nlids + 1) * sizeof(*out->early));
	out->entry = mem_alloc((job->nlids + 1) * sizeof(*out->entry));
	m.want = mem_alloc((job->nlids + 1) * sizeof(*m.want));
	m.used = mem_zalloc(job->nslots + 1U, sizeof(*m.used));
	find_rare(&m);
	collect_wanted(&m);
	make_room(&m);
	assign_slots(&m);
	shrink_slots(&m);
	leave_early(&m);
	move_entries(&m);
	fill_and_grow(&m);
	find_top(&m);
	map_free(&m.by_key);
	map_free(&m.by_content);
	free(m.is_rare);
	free(m.want);
	free(m.wanted);
	free(m.vote);
	free(m.owner);
	free(m.used);
	free(m.entered);
}

void
adaptive_groups_free(struct adaptive_groups *g)
{
	for (unsigned i = 0; i < ADAPTIVE_STEPS; i++)
		free(g->slot[i]);
	free(g->early);
	free(g->entry);
	*g = (struct adaptive_groups){0};
}
