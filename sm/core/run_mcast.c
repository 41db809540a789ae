#include "sm/core/run_mcast.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distribution/push/mft.h"
#include "routing/mcast/mcast.h"
#include "sm/base/mem.h"
#include "sm/core/sm_priv.h"

enum {
	GATHER_MS = 2,
	GATHER_MAX_MS = 50,
	JOINS_PER_MS = 8,
	RETRY_MS = 1000,
};

struct sm_mcast {
	struct mft *mft;
	struct topo *topo;	  /* of the trees, a reference */
	struct route_mcast order; /* that they obey */
	struct mcast *maker;
	struct mcast_tree *tree[MFT_GROUPS];
	bool dirty[MFT_GROUPS];
	uint64_t stamp; /* count of joins that the present cycle serves */
	struct mono gather;
	struct mono rest; /* nothing is written before */
	bool finding;	  /* switches may hold trees of another run or SM */
	enum {
		MCAST_WRITES,
		MCAST_LOOKS,  /* unread tables are to be read before routes */
		MCAST_JUDGES, /* before a push: which trees may stay? */
		MCAST_CLEARS  /* trees are taken away for a push */
	} step;
	bool stuck;	/* ... and a switch did not answer */
	bool ahead;	/* mft has the topology of that push already */
	bool unsettled; /* a push that changes the switch order is not over */
	bool moved;	/* ... and it wrote unicast tables */
	bool outdated;	/* trees of an earlier switch order are in the switches:
			   they were not all made again since it changed */
	struct log_limit noise;
	char alarm[192];
	uint64_t disobedient; /* the switch of the alarm */
	char treeless[192];   /* groups with SLs that have no trees */
};

void
run_mcast_new(struct sm *sm)
{
	const struct mft_job job = {.x = sm->x,
		.hw = sm->hw,
		.switch_written = in_flight_switch_written,
		.cookie = sm};

	sm->mcast = mem_zalloc(1, sizeof(*sm->mcast));
	sm->mcast->mft = mft_new(&job);
	timer_stop(&sm->timers, TIMER_MCAST);
	sm->mcast->gather = mono_ms(GATHER_MS);
	sm->mcast->finding = true;
}

void
run_mcast_free(struct sm *sm)
{
	struct sm_mcast *m = sm->mcast;

	for (unsigned i = 0; i < MFT_GROUPS; i++)
		mcast_tree_free(m->tree[i]);
	mcast_free(m->maker);
	mft_free(m->mft);
	routes_mcast_free(&m->order);
	topo_unref(m->topo);
	free(m);
}

void
run_mcast_regroup(struct sm *sm, uint16_t mlid, struct mono now)
{
	sm->mcast->dirty[mlid - MFT_MLID] = true;
	timer_sooner(
		&sm->timers, TIMER_MCAST, mono_add(now, sm->mcast->gather));
	timer_sooner(&sm->timers, TIMER_SAVE, mono_add(now, mono_ms(SAVE_MS)));
}

bool
run_mcast_cell(const struct sm *sm, uint64_t guid, unsigned block, unsigned pos,
	uint8_t out[MFT_CELL])
{
	return mft_cell(sm->mcast->mft, guid, block, pos, out);
}

const struct mcast_tree *const *
run_mcast_trees(const struct sm *sm)
{
	return (const struct mcast_tree *const *)sm->mcast->tree;
}

/* The view has another topology or other routes: every tree is made again. */
void
run_mcast_publish(struct sm *sm, struct mono now)
{
	struct sm_mcast *m = sm->mcast;
	const struct routes *r = sm->view->routes;
	struct topo *old = m->topo;
	uint16_t mlid = 0;

	mft_stop(m->mft);
	m->topo = topo_ref(sm->view->topo);
	mcast_free(m->maker);
	routes_mcast_free(&m->order);
	routes_mcast(r, &m->order);
	m->maker = mcast_new(m->topo, &m->order);
	mft_adopt(m->mft, m->topo);
	if (m->moved)
		m->rest = mono_add(now, in_flight_drain(sm));
	m->outdated |= m->moved;
	m->ahead = m->unsettled = m->moved = false;
	if (m->step != MCAST_CLEARS)
		m->step = MCAST_WRITES;
	topo_unref(old);
	for (unsigned i = 0; i < MFT_GROUPS; i++)
		m->dirty[i] |= m->tree[i] != NULL;
	while ((mlid = sa_group_next(sm->hosts.sa, mlid)) != 0)
		m->dirty[mlid - MFT_MLID] = true;
	timer_sooner(&sm->timers, TIMER_MCAST, now);
}

void
run_mcast_forget(struct sm *sm, bool all)
{
	const struct topo *t = sm->run.topo;

	for (sw_ix s = 0; s < t->nsw; s++) {
		uint64_t guid = t->node[t->sw[s].node].guid;

		if (all || !device_knows(sm->hw, guid))
			mft_forget(sm->mcast->mft, guid);
		else if (sm->run.kind == SWEEP_FULL ||
			 map_get(&sm->run.probed, guid, NULL))
			mft_suspect(sm->mcast->mft, guid);
	}
	sm->mcast->finding |= all;
}

void
run_mcast_sample(struct sm *sm, uint64_t guid, uint32_t round)
{
	mft_sample(sm->mcast->mft, guid, round, sm->now);
}

void
run_mcast_lost(struct sm *sm)
{
	struct sm_mcast *m = sm->mcast;

	mft_stop(m->mft);
	timer_stop(&sm->timers, TIMER_MCAST);
	m->finding = true;
	memset(m->dirty, 0, sizeof(m->dirty));
	for (unsigned i = 0; i < MFT_GROUPS; i++) {
		mcast_tree_free(m->tree[i]);
		m->tree[i] = NULL;
	}
}

/* ---- a cycle ---- */

/* A row of the table of a switch, for a group. */
struct row {
	const struct sm_mcast *m;
	unsigned group;
};

static bool
row_of(void *cookie, sw_ix s, uint64_t out[MCAST_WORDS])
{
	const struct row *r = cookie;
	const struct topo *t = r->m->topo;

	return mft_row(r->m->mft, t->node[t->sw[s].node].guid, r->group, out);
}

/* Whether the SL of the groups with this MLID is of a layer that has trees. */
static bool
has_layer(const struct sm *sm, const struct qos *q, const struct routes *r,
	unsigned group)
{
	return q == NULL ||
	       qos_has_trees(q, &r->layers,
		       sa_group_sl(sm->hosts.sa, (uint16_t)(MFT_MLID + group)));
}

static void
make_tree(struct sm *sm, unsigned group)
{
	struct sm_mcast *m = sm->mcast;
	struct row row = {m, group};
	uint16_t mlid = (uint16_t)(MFT_MLID + group);
	struct sa_member *found;
	size_t n = sa_group_members(sm->hosts.sa, mlid, &found);
	struct mcast_member *member = mem_zalloc(n + 1, sizeof(*member));
	struct mcast_tree *prev = m->tree[group], *tree = NULL;

	for (size_t i = 0; i < n; i++)
		member[i] =
			(struct mcast_member){found[i].port, found[i].receives};
	if (!has_layer(sm, sm->view->qos, sm->view->routes, group))
		n = 0;
	if (n > 0 && prev == NULL && m->finding)
		prev = mcast_found(m->maker, row_of, &row);
	if (n > 0)
		tree = mcast_tree(m->maker, member, n, prev, group);
	mft_want(m->mft, group, tree);
	mcast_tree_free(prev);
	m->tree[group] = tree;
	if (tree != NULL)
		maintenance_review_tree(sm, tree, sm->now);
	free(member);
	free(found);
}

/* How long the next joins are gathered, by how many there were. */
static struct mono
gather_time(uint64_t joins)
{
	uint64_t ms = GATHER_MS + joins / JOINS_PER_MS;

	return mono_ms((int64_t)(ms < GATHER_MAX_MS ? ms : GATHER_MAX_MS));
}

/* Note which groups get no tree because of their SL. */
static void
review_sls(struct sm *sm)
{
	struct sm_mcast *m = sm->mcast;
	unsigned n = 0, first = 0;
	uint16_t mlid = 0;
	char text[sizeof(m->treeless)] = "";

	while ((mlid = sa_group_next(sm->hosts.sa, mlid)) != 0) {
		if (has_layer(sm, sm->view->qos, sm->view->routes,
			    mlid - (unsigned)MFT_MLID))
			continue;
		first = n++ == 0 ? mlid : first;
	}
	if (n > 0)
		(void)snprintf(text, sizeof(text),
			"multicast groups without a tree=%u: their SLs belong "
			"to routing layers that carry no multicast, the first "
			"is MLID 0x%04x with SL %u",
			n, first, sa_group_sl(sm->hosts.sa, (uint16_t)first));
	if (n > 0 && strcmp(text, m->treeless) != 0)
		log_error("mcast: %s", text);
	memcpy(m->treeless, text, sizeof(text));
}

/* Blocks of the tables up to the last group's. */
static unsigned
blocks_in_use(const struct sm *sm)
{
	uint16_t mlid = 0, last = 0;

	while ((mlid = sa_group_next(sm->hosts.sa, mlid)) != 0)
		last = mlid;
	return last == 0 ? 0 : ((unsigned)last - MFT_MLID) / MFT_BLOCK + 1;
}

static bool
begin_cycle(struct sm *sm)
{
	struct sm_mcast *m = sm->mcast;
	uint64_t stamp = sa_group_stamp(sm->hosts.sa);

	timer_stop(&sm->timers, TIMER_MCAST);
	m->gather = gather_time(stamp - m->stamp);
	m->stamp = stamp;
	if (m->ahead) /* that push did not end in a view */
		mft_adopt(m->mft, m->topo);
	m->ahead = false;
	for (unsigned i = 0; i < MFT_GROUPS; i++) {
		if (!m->dirty[i])
			continue;
		m->dirty[i] = false;
		make_tree(sm, i);
	}
	m->finding = false;
	review_sls(sm);
	if (!mft_begin(m->mft, in_flight_stray(sm)))
		return false;
	in_flight_writing(sm);
	return true;
}

static void
alarm_disobedient(struct sm *sm, uint64_t guid)
{
	struct sm_mcast *m = sm->mcast;
	node_ix n = topo_by_node_guid(m->topo, guid);

	m->disobedient = guid;
	(void)snprintf(m->alarm, sizeof(m->alarm),
		"switch 0x%016llx \"%s\" acknowledges multicast tables that "
		"it does not hold: they are not written again until it "
		"restarts",
		(unsigned long long)guid,
		n == TOPO_NONE ? "" : topo_desc(m->topo, n));
	log_error("mcast: %s", m->alarm);
}

const char *
run_mcast_alarm(const struct sm *sm)
{
	const struct sm_mcast *m = sm->mcast;

	if (sm->role != SM_MASTER)
		return "";
	return m->disobedient != 0 && mft_refused(m->mft, m->disobedient)
		       ? m->alarm
		       : m->treeless;
}

/* A switch that did not answer is probed. One that acknowledges and does not
 * hold its table is written no more. */
static void
judge_failures(struct sm *sm, struct mono now)
{
	struct sm_mcast *m = sm->mcast;
	const struct mft_failure *f;
	size_t n, i;
	unsigned swallowed;

	f = mft_failures(m->mft, &n);
	for (i = 0; i < n; i++) {
		if (f[i].disobedient)
			alarm_disobedient(sm, f[i].guid);
		else if (log_allowed(&m->noise, 5, now, &swallowed))
			log_warn("mcast: table not written guid=0x%016llx "
				 "status=0x%04x",
				(unsigned long long)f[i].guid, f[i].status);
		if (f[i].status == 0 && !f[i].disobedient)
			dirty_mark(sm, f[i].guid, now, DIRTY_MCAST, NULL);
	}
}

/* A switch has other entries than it was given: its table is read again, and
 * written where it differs. */
static void
report_drifted(struct sm *sm, uint64_t guid, struct mono now)
{
	node_ix n = topo_by_node_guid(sm->mcast->topo, guid);
	unsigned swallowed;

	if (guid == 0)
		return;
	sm->stat.drifted++;
	if (log_allowed(&sm->mcast->noise, 5, now, &swallowed))
		log_warn("mcast: table modified by something other than this "
			 "daemon, written again guid=0x%016llx \"%s\"",
			(unsigned long long)guid,
			n == TOPO_NONE ? "" : topo_desc(sm->mcast->topo, n));
}

/* The cycle is over. Hosts that wait are answered even if a switch failed: it
 * is being probed, and the group is as good as it can be without it. */
static void
end_cycle(struct sm *sm, struct mono now)
{
	struct sm_mcast *m = sm->mcast;
	size_t n;

	judge_failures(sm, now);
	in_flight_read_doubts(sm, now);
	(void)mft_failures(m->mft, &n);
	if (n > 0)
		timer_sooner(&sm->timers, TIMER_MCAST,
			mono_add(now, mono_ms(RETRY_MS)));
	else if (!mft_complete(m->mft))
		timer_sooner(&sm->timers, TIMER_MCAST,
			mono_add(now, mono_ms(GATHER_MS)));
	if (n > 0 || mft_complete(m->mft))
		sa_group_written(sm->hosts.sa, m->stamp);
	m->outdated &= n > 0 || !mft_complete(m->mft);
}

/* Nothing is written while a plan is made either: the plan counts with the
 * trees that were there when it was asked for. */
static bool
may_write(const struct sm *sm)
{
	return sm->phase != SM_ROUTE && sm->phase != SM_PUSH &&
	       sm->phase != SM_COMMIT && sm->role == SM_MASTER &&
	       sm->reign.tables != TABLES_ELECTED && !sm->mcast->unsettled &&
	       sm->mcast->step != MCAST_LOOKS && sm->mcast->topo != NULL &&
	       sm->view != NULL;
}

struct mono
run_mcast_next(const struct sm *sm)
{
	const struct sm_mcast *m = sm->mcast;

	struct mono t = mft_next(m->mft);

	if (!may_write(sm) || mft_asking(m->mft))
		return MONO_NEVER;
	if (mft_running(m->mft))
		return t;
	if (!mft_is_idle(m->mft))
		return MONO_NEVER;
	t = mono_min(t, timer_due(&sm->timers, TIMER_MCAST));
	return mono_before(t, m->rest) ? m->rest : t;
}

/* First read what has to be known, then write. False: nothing to do. */
static bool
start_reading_or_cycle(struct sm *sm, struct mono now)
{
	struct sm_mcast *m = sm->mcast;

	if (mft_ask(m->mft, blocks_in_use(sm), now))
		return true;
	if (begin_cycle(sm))
		return true;
	m->outdated = false;
	sa_group_written(sm->hosts.sa, m->stamp);
	return false;
}

void
run_mcast_step(struct sm *sm, struct mono now)
{
	struct sm_mcast *m = sm->mcast;
	bool asking;

	while (may_write(sm)) {
		if (!mft_running(m->mft)) {
			if (!mft_is_idle(m->mft) ||
				mono_before(now, run_mcast_next(sm)))
				return;
			if (!start_reading_or_cycle(sm, now))
				continue;
		}
		asking = mft_asking(m->mft);
		mft_feed(m->mft, now);
		if (mft_running(m->mft))
			return;
		if (asking) {
			judge_failures(sm, now);
			report_drifted(sm, mft_drifted(m->mft), now);
			timer_sooner(&sm->timers, TIMER_MCAST, now);
		} else {
			end_cycle(sm, now);
		}
		in_flight_written(sm, run_mcast_writing(sm));
	}
}

/* ---- before a push ---- */

bool
run_mcast_dependencies(const struct sm *sm, bool *unsettled)
{
	const struct sm_mcast *m = sm->mcast;

	*unsettled = m->unsettled || m->outdated || m->topo == NULL;
	return mft_any(m->mft);
}

void
run_mcast_start_reading(struct sm *sm)
{
	struct sm_mcast *m = sm->mcast;

	if (mft_knows(m->mft, sm->run.topo, blocks_in_use(sm))) {
		m->step = MCAST_WRITES;
		return;
	}
	m->step = MCAST_LOOKS;
	if (mft_running(m->mft))
		mft_stop(m->mft);
}

bool
run_mcast_has_read(struct sm *sm, struct mono now)
{
	struct sm_mcast *m = sm->mcast;

	if (m->step != MCAST_LOOKS && !mft_asking(m->mft))
		return true;
	if (m->step == MCAST_LOOKS && !mft_is_idle(m->mft))
		return false;
	if (m->step == MCAST_LOOKS) {
		m->step = MCAST_WRITES;
		m->ahead = m->unsettled = true;
		mft_adopt(m->mft, sm->run.topo);
		(void)mft_ask(m->mft, blocks_in_use(sm), now);
	}
	mft_feed(m->mft, now);
	return !mft_asking(m->mft);
}

void
run_mcast_stop_reading(struct sm *sm)
{
	struct sm_mcast *m = sm->mcast;

	if (m->step == MCAST_LOOKS)
		m->step = MCAST_WRITES;
	if (mft_asking(m->mft))
		mft_stop(m->mft);
}

void
run_mcast_before_push(struct sm *sm, struct mono now)
{
	struct sm_mcast *m = sm->mcast;

	m->stuck = false;
	if (mft_running(m->mft)) {
		mft_stop(m->mft);
		timer_sooner(&sm->timers, TIMER_MCAST, now);
	}
	/* the first trees, too: the push may end halfway */
	m->moved |= sm->run.plan->change->trees_wait;
	m->unsettled |= sm->run.plan->change->trees_wait;
	if (!transition_mcast_must_ask(sm->run.plan->change) &&
		!mft_has_unknown_switches(m->mft, sm->run.topo)) {
		m->step = MCAST_WRITES;
		return;
	}
	/* a late copy of a Set must not bring other trees than are judged */
	push_settle_first(sm->run.push);
	m->step = MCAST_JUDGES;
	m->unsettled = true;
}

/* True if the tree of a group may stay during the push. */
static bool
is_tree_admitted(struct sm *sm, unsigned group)
{
	struct mft_dependency *dep;
	struct transition_mcast *guest;
	size_t n;
	bool yes;

	if (!transition_mcast_must_ask(sm->run.plan->change))
		return true;
	if (!has_layer(sm, sm->run.qos, sm->run.routes, group))
		return false;
	n = mft_dependencies(sm->mcast->mft, group, &dep);
	guest = mem_zalloc(n + 1, sizeof(*guest));
	for (size_t i = 0; i < n; i++)
		guest[i] = (struct transition_mcast){
			dep[i].sw, dep[i].in, dep[i].out};
	yes = transition_mcast_admit(sm->run.plan->change, guest, n);
	free(guest);
	free(dep);
	return yes;
}

/* Keep the trees that may stay, take away the others and rows of unknown
 * content. */
static void
judge_trees(struct sm *sm)
{
	struct sm_mcast *m = sm->mcast;
	unsigned n;

	m->ahead = true;
	mft_adopt(m->mft, sm->run.topo); /* directed routes are the new ones */
	n = mft_blocks(m->mft) * MFT_BLOCK;
	for (unsigned i = 0; i < n && i < MFT_GROUPS; i++) {
		if (is_tree_admitted(sm, i))
			mft_keep(m->mft, i);
		else
			mft_want(m->mft, i, NULL);
		m->dirty[i] = true;
	}
	m->step = mft_begin(m->mft, in_flight_stray(sm)) ? MCAST_CLEARS
							 : MCAST_WRITES;
}

bool
run_mcast_writing(const struct sm *sm)
{
	const struct mft *m = sm->mcast->mft;

	return mft_running(m) || !mft_is_idle(m) ||
	       mft_next(m).ns != MONO_NEVER.ns;
}

bool
run_mcast_busy(const struct sm *sm)
{
	const struct sm_mcast *m = sm->mcast;

	return m->step == MCAST_JUDGES || m->step == MCAST_CLEARS ||
	       !mft_is_idle(m->mft);
}

bool
run_mcast_ready(struct sm *sm, struct mono now)
{
	struct sm_mcast *m = sm->mcast;

	if (m->step != MCAST_CLEARS && !mft_is_idle(m->mft))
		return false;
	if (m->step == MCAST_JUDGES)
		judge_trees(sm);
	if (m->step != MCAST_CLEARS)
		return true;
	mft_feed(m->mft, now);
	if (mft_running(m->mft))
		return false;
	m->step = MCAST_WRITES;
	push_drain_first(sm->run.push);
	/*
	 * a dependency is gone when one of its switches has taken the tree
	 * away, so one silent switch does no harm; and a switch that is silent
	 * again after a new sweep is not waited for
	 */
	m->stuck = !mft_complete(m->mft) && sm->run.passes == 0;
	if (m->stuck)
		push_stop(sm->run.push);
	return true;
}

bool
run_mcast_is_stuck(const struct sm *sm)
{
	return sm->mcast->stuck;
}

void
run_mcast_settle(struct sm *sm, struct mono now)
{
	if (sm->mcast->unsettled)
		run_mcast_publish(sm, now);
}
