#include "sm/core/standby.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distribution/plan/tables_found.h"
#include "sm/base/mem.h"
#include "sm/core/sm_priv.h"

enum {
	REST_TIMES = 9, /* a rest is as many times longer than a reading */
};

/* ---- the LIDs that ports hold ---- */

static void
take_lid(const struct topo *t, port_ix p, uint8_t *used, uint16_t *lid,
	uint8_t *lmc)
{
	uint32_t at = t->port[p].found_lid, n;
	struct mad_port_info i;

	if (!topo_has_lid(t, p) || at == 0 ||
		mad_port_info_decode(topo_info(t, p), &i, NULL) != 0)
		return;
	n = 1U << i.lmc;
	if (at % n != 0 || at + n - 1 > TOPO_LID_MAX)
		return;
	for (uint32_t k = at; k < at + n; k++)
		if (used[k])
			return;
	memset(used + at, 1, n);
	lid[p] = (uint16_t)at;
	lmc[p] = i.lmc;
}

/* t with these LIDs; a LID that two ports hold is the first one's. */
static struct topo *
with_held_lids(struct topo *t)
{
	uint16_t *lid = mem_zalloc(t->nports, sizeof(*lid));
	uint8_t *lmc = mem_zalloc(t->nports, sizeof(*lmc));
	uint8_t *used = mem_zalloc(TOPO_LID_MAX + 1, sizeof(*used));

	for (port_ix p = 0; p < t->nports; p++)
		take_lid(t, p, used, lid, lmc);
	t = topo_give_lids(t, &(struct topo_lids){lid, lmc});
	free(used);
	free(lmc);
	free(lid);
	return t;
}

/* ---- one reading ---- */

/* A reading in progress, or that ended just now, is followed by a rest. */
static void
rest_till_due(struct sm *sm, struct mono now)
{
	struct standby_state *s = &sm->standby;
	struct mono wait = {REST_TIMES * mono_sub(now, s->began).ns};

	if (mono_before(wait, sm->cfg->standby.refresh))
		wait = sm->cfg->standby.refresh;
	s->step = STANDBY_RESTS;
	timer_set(&sm->timers, TIMER_READ, mono_add(now, wait));
	builder_free(s->builder);
	s->builder = NULL;
	topo_unref(s->topo);
	s->topo = NULL;
	pkeys_unref(s->pkeys);
	s->pkeys = NULL;
}

static void
start_sweep(struct sm *sm, struct mono now)
{
	struct standby_state *s = &sm->standby;

	s->began = now;
	s->sent_before = xact_stats(sm->x)->sent;
	s->builder = builder_new();
	s->sweep = sweep_new(SWEEP_FULL, s->builder, sm->x, NULL, 0);
	sweep_read_only(s->sweep);
	s->step = STANDBY_SWEEPS;
}

static bool
is_same_topology(const struct standby_state *s)
{
	const struct topo *was = s->view != NULL ? s->view->topo : NULL;

	return was != NULL && was->hash == s->topo->hash &&
	       was->max_lid == s->topo->max_lid;
}

static void
read_tables(struct sm *sm, bool all)
{
	struct standby_state *s = &sm->standby;
	const struct topo *t = s->topo;
	struct map others = {0};
	const struct lft_read_job job = {
		.hw = s->hw, .x = sm->x, .suspects = &others};

	s->all = all;
	for (sw_ix i = 0; i < t->nsw; i++) {
		uint64_t guid = t->node[t->sw[i].node].guid;

		if (all || i % STANDBY_ROUND == s->part ||
			lft_read_lacks(t, s->hw, i))
			device_forget_node(s->hw, guid);
		else
			map_put(&others, guid, 0);
	}
	for (unsigned i = 0; i < STANDBY_ROUND; i++)
		if (all || i == s->part)
			s->read_at[i] = s->began;
	s->lft = lft_read_new(s->topo, &job);
	map_free(&others);
	s->step = STANDBY_READS;
}

static void
read_keys(struct sm *sm)
{
	struct standby_state *s = &sm->standby;
	const struct topo *t = s->topo;
	uint8_t *ask = mem_zalloc(t->nports, sizeof(*ask));

	device_forget_attribute(s->hw, DEVICE_PKEY);
	s->pkeys = pkeys_make(sm->cfg, s->topo, sm->names.pins);
	for (port_ix p = 0; p < t->nports; p++)
		if (t->port[p].lid != 0)
			ask[p] = PKEY_TABLE_ASK_ALL;
	s->keys = pkey_read_new(s->topo, s->hw, ask, sm->x);
	free(ask);
}

/* The names are read: what was found becomes a topology. */
static void
freeze_builder(struct sm *sm, struct mono now)
{
	struct standby_state *s = &sm->standby;
	struct reason why;

	s->topo = builder_freeze(s->builder, ++sm->generation, &why);
	if (s->topo == NULL) {
		log_debug("standby: the fabric was not read: %s", why.text);
		rest_till_due(sm, now);
		return;
	}
	s->topo = with_held_lids(s->topo);
	s->swept = now;
	if (!is_same_topology(s) || s->hw == NULL) {
		device_free(s->hw);
		s->hw = device_new(sm->pool);
		read_tables(sm, true);
	} else {
		s->part = (s->part + 1) % STANDBY_ROUND;
		read_tables(sm, false);
	}
	read_keys(sm);
}

/* The sweep, or the reading of names, goes on; true: names are to be asked for
 * now. */
static bool
step_sweep(struct sm *sm, struct mono now)
{
	struct standby_state *s = &sm->standby;
	const char *failed;

	sweep_feed(s->sweep, now);
	if (!sweep_done(s->sweep))
		return false;
	failed = sweep_failed(s->sweep);
	if (failed != NULL)
		log_debug("standby: the fabric was not read: %s", failed);
	sweep_free(s->sweep);
	s->sweep = NULL;
	if (failed != NULL) {
		rest_till_due(sm, now);
	} else if (s->step == STANDBY_SWEEPS) {
		s->sweep = sweep_new(SWEEP_NAMES, s->builder, sm->x, NULL, 0);
		s->step = STANDBY_NAMES;
		return true;
	} else {
		freeze_builder(sm, now);
	}
	return false;
}

/* True if a block differs from what was read before. */
static bool
have_tables_changed(const struct routes *was, const struct routes *is)
{
	for (sw_ix i = 0; i < is->topo->nsw; i++)
		for (uint32_t b = 0; b < is->nblocks; b++)
			if (memcmp(routes_block(was, i, b),
				    routes_block(is, i, b), LFT_BLOCK) != 0)
				return true;
	return false;
}

/* True: more tables are to be asked for now. */
static bool
step_reading(struct sm *sm, struct mono now)
{
	struct standby_state *s = &sm->standby;
	struct routes *r;

	lft_read_feed(s->lft, now);
	pkey_read_feed(s->keys, now);
	if (!lft_read_done(s->lft) || !pkey_read_done(s->keys))
		return false;
	s->reads += lft_read_count(s->lft);
	lft_read_free(s->lft);
	s->lft = NULL;
	r = tables_found(s->hw, s->topo, sm->pool);
	if (!s->all && have_tables_changed(s->view->routes, r)) {
		routes_unref(r);
		read_tables(sm, true);
		return true;
	}
	pkey_read_free(s->keys);
	s->keys = NULL;
	s->step = STANDBY_JUDGES;
	s->tables = now;
	work_judge(sm, r);
	return false;
}

/* ---- the view ---- */

static void
count_unread(const struct standby_state *s, struct view *v)
{
	const struct topo *t = s->topo;

	for (sw_ix i = t->nsw; i-- > 0;)
		if (lft_read_lacks(t, s->hw, i)) {
			v->unread++;
			v->unread_guid = t->node[t->sw[i].node].guid;
		}
}

static struct mono
oldest_table(const struct standby_state *s)
{
	struct mono t = s->began;

	for (unsigned i = 0; i < STANDBY_ROUND; i++)
		t = mono_min(t, s->read_at[i]);
	return t;
}

/* Seconds since 1970 at the time `then`. */
static uint64_t
wall_time(const struct sm *sm, struct mono then, struct mono now)
{
	uint64_t age = (uint64_t)mono_seconds(mono_sub(now, then));

	return sm->ops->seconds != NULL
		       ? sm->ops->seconds(sm->ops->cookie) - age
		       : 0;
}

static struct view *
make_view(struct sm *sm, struct routes *r, struct mono now)
{
	struct standby_state *s = &sm->standby;
	struct view *v = mem_zalloc(1, sizeof(*v));

	v->refs = 1;
	v->topo = topo_ref(s->topo);
	v->routes = routes_ref(r);
	v->pkeys = s->pkeys;
	s->pkeys = NULL;
	pkeys_settle(v->pkeys, s->hw);
	v->generation = v->topo->generation;
	v->read_only = true;
	v->read_at = wall_time(sm, s->began, now);
	v->tables_at = wall_time(sm, oldest_table(s), now);
	(void)snprintf(
		v->story.engine, sizeof(v->story.engine), "%s", r->engine);
	(void)snprintf(v->cause, sizeof(v->cause), "read as a standby");
	v->change.method = v->change.kind = "";
	v->times = (struct view_times){
		.discover = mono_sub(s->swept, s->began),
		.readback = mono_sub(s->tables, s->swept),
		.route = mono_sub(now, s->tables),
		.total = mono_sub(now, s->began),
	};
	count_unread(s, v);
	v->counts.smps = xact_stats(sm->x)->sent - s->sent_before;
	v->counts.lft_reads = s->reads;
	view_count_ports(v->topo, &v->counts);
	v->when = s->began;
	s->reads = 0;
	return v;
}

void
standby_judged(struct sm *sm, struct routes *r, struct mono now)
{
	struct standby_state *s = &sm->standby;
	bool first = s->view == NULL;

	if (s->step != STANDBY_JUDGES)
		return; /* it left standby meanwhile */
	view_unref(s->view);
	s->view = make_view(sm, r, now);
	peers_name(sm);
	events_release_managers(sm, s->view->topo, 0, now);
	if (first)
		log_info("standby: the fabric is known nodes=%u switches=%u "
			 "ms=%.1f smps=%llu",
			s->view->topo->nnodes, s->view->topo->nsw,
			mono_seconds(s->view->times.total) * 1e3,
			(unsigned long long)s->view->counts.smps);
	rest_till_due(sm, now);
	sm->ops->read(sm->ops->cookie, s->view);
}

/* ---- events ---- */

void
standby_begin(struct sm *sm, struct mono now)
{
	timer_set(&sm->timers, TIMER_READ, now);
}

void
standby_step(struct sm *sm, struct mono now)
{
	struct standby_state *s = &sm->standby;

	if (s->step == STANDBY_RESTS &&
		timer_is_due(&sm->timers, TIMER_READ, now) &&
		sm->worker.work == NULL && sm->cfg->standby.refresh.ns > 0)
		start_sweep(sm, now);
	while ((s->step == STANDBY_SWEEPS || s->step == STANDBY_NAMES) &&
		step_sweep(sm, now))
		;
	while (s->step == STANDBY_READS && step_reading(sm, now))
		;
}

struct mono
standby_next(const struct sm *sm)
{
	const struct standby_state *s = &sm->standby;

	return s->step == STANDBY_RESTS && sm->worker.work == NULL &&
			       sm->cfg->standby.refresh.ns > 0
		       ? timer_due(&sm->timers, TIMER_READ)
		       : MONO_NEVER;
}

void
standby_end(struct sm *sm, struct mono now)
{
	struct standby_state *s = &sm->standby;

	if (s->sweep != NULL)
		sweep_stop(s->sweep, now);
	if (s->lft != NULL)
		lft_read_stop(s->lft, now);
	if (s->keys != NULL)
		pkey_read_stop(s->keys, now);
	sweep_free(s->sweep);
	lft_read_free(s->lft);
	pkey_read_free(s->keys);
	s->sweep = NULL;
	s->lft = NULL;
	s->keys = NULL;
	s->reads = 0;
	if (s->step == STANDBY_READS) { /* some are forgotten already */
		device_free(s->hw);
		s->hw = NULL;
	}
	rest_till_due(sm, now);
	timer_stop(&sm->timers, TIMER_READ);
}

void
standby_forget(struct sm *sm)
{
	struct standby_state *s = &sm->standby;

	view_unref(s->view);
	device_free(s->hw);
	s->view = NULL;
	s->hw = NULL;
}

void
standby_free(struct sm *sm)
{
	struct standby_state *s = &sm->standby;

	sweep_free(s->sweep);
	lft_read_free(s->lft);
	pkey_read_free(s->keys);
	builder_free(s->builder);
	topo_unref(s->topo);
	pkeys_unref(s->pkeys);
	standby_forget(sm);
}
