#include "sm/core/state_keep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/driver/registry.h"
#include "routing/tiers/topo_class.h"
#include "sm/base/be.h"
#include "sm/base/mem.h"
#include "sm/core/sm_priv.h"

/* ---- the start ---- */

static enum route_order
order_from_word(const char *word)
{
	if (strcmp(word, "single") == 0)
		return ROUTE_SINGLE;
	if (strcmp(word, "none") == 0)
		return ROUTE_NO_ORDER;
	return strcmp(word, "roots") == 0 ? ROUTE_ROOTS : ROUTE_TIERS;
}

/* SLs from a state file; where they are not recorded, those without levels. */
static struct sl_history_sls
recorded_sls(const struct state_file *s)
{
	struct sl_history_sls out = {0};

	for (unsigned sl = 0; sl < SLVL_SLS && s->layers > 0; sl++) {
		bool none =
			s->sls[0] == '\0' ? sl >= s->layers : s->sls[sl] == '.';

		if (none)
			continue;
		out.given |= (uint16_t)(1U << sl);
		out.layer[sl] = (uint8_t)sl;
		if (s->sls[0] != '\0')
			out.layer[sl] = (uint8_t)strtoul(
				(char[]){s->sls[sl], '\0'}, NULL, 16);
	}
	return out;
}

/* SLs that connections may still use, from the previous run. */
static void
load_sl_history(struct sm *sm, const struct state_file *s)
{
	const struct sl_history_sls sls = recorded_sls(s);
	struct sl_history *history = sm->sl_history;
	size_t i;

	sl_history_load(history, s->layers, &sls);
	for (i = 0; i < s->nleaf; i++)
		sl_history_load_leaf(history, s->leaf[i].guid, s->leaf[i].any);
	for (i = 0; i < s->nleaf; i++)
		sl_history_load_row(history, (uint32_t)i, s->leaf[i].mask);
	/* that none was given out is not known to be the last word */
	if (s->unsaved && s->layers == 0)
		sl_history_assume_any(history);
}

void
state_keep_load(struct sm *sm, const struct state_file *s)
{
	size_t i;

	sm->kept.record = mem_zalloc(s->nlid, sizeof(*sm->kept.record));
	for (i = 0; i < s->nlid; i++)
		sm->kept.record[i] = (struct lid_record){
			s->lid[i].guid, s->lid[i].lid, s->lid[i].lmc};
	sm->kept.nrecord = s->nlid;
	sm->kept.rank = mem_zalloc(s->nrank, sizeof(*sm->kept.rank));
	for (i = 0; i < s->nrank; i++)
		sm->kept.rank[i] = s->rank[i];
	sm->kept.nrank = s->nrank;
	load_sl_history(sm, s);
	blocked_load(sm, s);
	run_pkeys_load(sm, s);
	name_accept_load(sm, s);
	group_keep_load(sm, s);
	group_keep_configure(sm);
	sm->kept.remembered =
		s->remembered != NULL ? mem_strdup(s->remembered) : NULL;
	sm->kept.pairs = pair_layers_load(s);
	sm->kept.routed = s->routed;
	sm->kept.load = s->load;
	sm->kept.rank_known = s->order[0] != '\0';
	sm->kept.rank_order = order_from_word(s->order);
	sm->kept.reading = (struct topo_class){
		registry_name_of(s->engine), s->options, s->read};
}

/*
 * A state of another fabric is set aside and not used: its LIDs would move
 * every port of this one, and blocked pairs of it would be searched for without
 * end. Our own node proves nothing: it may have been moved here with its disk.
 */
void
state_keep_check(struct sm *sm)
{
	const struct topo *t = sm->run.topo;
	size_t others = 0;
	char why[128];

	for (size_t i = 0; i < sm->kept.nrecord; i++) {
		port_ix p = topo_by_port_guid(t, sm->kept.record[i].guid);

		if (p != TOPO_NONE && t->port[p].node != 0)
			return;
		others += p == TOPO_NONE;
	}
	/* alone with a new adapter and no link, nothing is found either */
	if (others == 0 || t->nsw == 0)
		return;
	(void)snprintf(why, sizeof(why),
		"none of the %zu ports in the state file is here: it belongs "
		"to another fabric",
		others);
	sm->ops->set_aside(sm->ops->cookie, why);
	sm->kept.nrecord = sm->kept.nrank = 0;
	sm->kept.routed = sm->kept.load = 0;
	sm->kept.rank_known = false;
	free(sm->kept.remembered);
	sm->kept.remembered = NULL;
	layer_memory_unref(sm->kept.pairs);
	sm->kept.pairs = NULL;
	sm->kept.reading = (struct topo_class){0};
	sl_history_free(sm->sl_history);
	sm->sl_history = sl_history_new();
	name_pins_unref(sm->names.pins); /* they mean nodes of that fabric */
	sm->names.pins = NULL;
	in_force_forget(sm);
	event_log_accept(sm->events.log);
	if (!sm->shared.taken) { /* else they are of this fabric's master */
		sm->maintenance.n = 0;
		health_drain_forget(sm);
	}
	device_blocked(sm->hw)->n = 0;
	drift_sl2vl_forget(sm, true);
}

/* ---- the switch order of the routes in force ---- */

static int
rank_by_guid(const void *a, const void *b)
{
	const struct route_rank *x = a, *y = b;

	return x->guid < y->guid ? -1 : x->guid > y->guid;
}

static void
keep_engine_state(struct sm *sm, const struct routes *r)
{
	struct buf text = {0};

	registry_remember_state(r, sm->kept.remembered, &text);
	free(sm->kept.remembered);
	sm->kept.remembered = text.text;
}

void
state_keep_routes(struct sm *sm, const struct routes *r)
{
	const struct topo *t = r->topo;
	struct map seen = {0};
	size_t n = 0, i, old = sm->kept.nrank;
	struct route_rank *rank = mem_zalloc(t->nsw + old, sizeof(*rank));
	sw_ix s;

	for (s = 0; s < t->nsw; s++) {
		uint64_t guid = t->node[t->sw[s].node].guid;

		if (map_get(&seen, guid, NULL))
			continue;
		map_put(&seen, guid, 0);
		rank[n++] = routes_note(r, s);
	}
	/* switches that are away keep their ranks: they may come back */
	for (i = 0; i < old; i++)
		if (!map_get(&seen, sm->kept.rank[i].guid, NULL))
			rank[n++] = sm->kept.rank[i];
	map_free(&seen);
	free(sm->kept.rank);
	sm->kept.rank = rank;
	sm->kept.nrank = n;
	sm->kept.rank_order = r->order;
	keep_engine_state(sm, r);
	sm->kept.rank_known = true;
	sm->kept.order_outdated = false;
	sm->kept.reading = *topo_class_kept(r);
	sm->kept.routed = t->hash;
	sm->kept.load = r->fresh_load;
	qsort(sm->kept.rank, sm->kept.nrank, sizeof(*sm->kept.rank),
		rank_by_guid);
}

/* ---- saving ---- */

static struct state_file_sl_history *
list_leaves(const struct sm *sm, struct state_file *s)
{
	const struct sl_history *history = sm->sl_history;
	const struct sl_history_sls *sls = sl_history_sls(history);
	uint32_t n = sl_history_count(history);
	struct state_file_sl_history *leaf = mem_zalloc(n, sizeof(*leaf));

	for (uint32_t i = 0; i < n; i++) {
		bool any = sl_history_any(history, i);

		leaf[i] = (struct state_file_sl_history){
			sl_history_guid(history, i), any,
			any ? NULL : sl_history_row(history, i)};
	}
	s->layers = sl_history_layers(history);
	memset(s->sls, '.', SLVL_SLS);
	for (unsigned sl = 0; sl < SLVL_SLS; sl++)
		if ((sls->given >> sl & 1) != 0)
			s->sls[sl] = "0123456789abcdef"[sls->layer[sl]];
	s->leaf = leaf;
	s->nleaf = n;
	return leaf;
}

/* A state to be saved, and the arrays that it points to. */
struct gathered {
	struct state_file s;
	struct state_file_lid *lid;
	struct state_file_sl_history *leaf;
	struct state_file_blocked *block;
	struct state_file_pin *pin;
	struct state_file_drain *drain;
	struct state_file_watch *watch;
	struct arena *arena; /* of pairs */
};

static void
gather_blocks(const struct sm *sm, struct gathered *g)
{
	const struct blocked_rows *b = device_blocked(sm->hw);

	g->block = mem_zalloc(b->n, sizeof(*g->block));
	for (size_t i = 0; i < b->n; i++) {
		const struct blocked_row *r = &b->row[i];

		g->block[i] = (struct state_file_blocked){r->guid, r->in,
			r->out, be_get64(r->before), r->pairs,
			blocked_age(sm, r), r->stays, r->settled};
	}
	g->s.block = g->block;
	g->s.nblock = b->n;
}

/* All of the state but the records of subnet administration and the
 * configuration. */
static void
gather_state(const struct sm *sm, struct gathered *g)
{
	static const char *const word[] = {
		[ROUTE_TIERS] = "tiers",
		[ROUTE_SINGLE] = "single",
		[ROUTE_ROOTS] = "roots",
		[ROUTE_NO_ORDER] = "none",
	};
	struct state_file *s = &g->s;

	*s = (struct state_file){
		.prefix = sm->cfg->fabric.subnet_prefix,
		.routed = sm->kept.routed,
		.load = sm->kept.load,
		.options = sm->kept.reading.options,
		.read = sm->kept.reading.when,
		.remembered = sm->kept.remembered,
		.rank = sm->kept.rank,
		.nrank = sm->kept.rank_known ? sm->kept.nrank : 0,
	};
	g->leaf = list_leaves(sm, s);
	gather_blocks(sm, g);
	g->pin = name_accept_gather(sm, s);
	g->drain = maintenance_gather(sm, s);
	g->watch = health_drain_gather(sm, s);
	g->arena = arena_new();
	if (sm->view != NULL)
		pair_layers_gather(sm->view->routes, s, g->arena);
	else
		pair_layers_gather_kept(sm->kept.pairs, s, g->arena);
	g->lid = mem_zalloc(sm->kept.nrecord, sizeof(*g->lid));
	for (size_t i = 0; i < sm->kept.nrecord; i++)
		g->lid[i] = (struct state_file_lid){sm->kept.record[i].guid,
			sm->kept.record[i].lid, sm->kept.record[i].lmc,
			run_pkeys_saved(sm, sm->kept.record[i].guid), NULL};
	s->lid = g->lid;
	s->nlid = sm->kept.nrecord;
	if (sm->kept.rank_known)
		(void)snprintf(s->order, sizeof(s->order), "%s",
			word[sm->kept.rank_order]);
	if (sm->kept.reading.engine != NULL)
		(void)snprintf(s->engine, sizeof(s->engine), "%s",
			sm->kept.reading.engine);
}

static void
gathered_free(struct gathered *g)
{
	free(g->lid);
	free(g->leaf);
	free(g->block);
	free(g->pin);
	free(g->drain);
	free(g->watch);
	arena_free(g->arena);
}

void
state_keep_save(struct sm *sm, bool at_once)
{
	struct group_keep_saved groups;
	struct state_file_missing *missing;
	struct gathered g;
	struct buf sa = {0};

	gather_state(sm, &g);
	sa_save(sm->hosts.sa, sm->now, &sa);
	g.s.sa = sa.text;
	g.s.config = in_force_text(sm);
	missing = events_gather(sm, &g.s);
	timer_stop(&sm->timers, TIMER_SAVE);
	group_keep_save(sm, &groups);
	g.s.group = groups.group;
	g.s.ngroup = groups.ngroup;
	g.s.member = groups.member;
	g.s.nmember = groups.nmember;
	sm->ops->save(sm->ops->cookie, &g.s, at_once);
	group_keep_saved_free(&groups);
	free(missing);
	buf_free(&sa);
	gathered_free(&g);
}

void
state_keep_print(const struct sm *sm, struct buf *out)
{
	struct gathered g;

	gather_state(sm, &g);
	state_file_print(&g.s, out);
	gathered_free(&g);
}

struct mono
state_keep_next(const struct sm *sm)
{
	if (sm->view == NULL)
		return MONO_NEVER;
	if (!timer_is_set(&sm->timers, TIMER_SAVE) && sa_changed(sm->hosts.sa))
		return (struct mono){0};
	return timer_due(&sm->timers, TIMER_SAVE);
}

void
state_keep_step(struct sm *sm, struct mono now)
{
	if (timer_is_set(&sm->timers, TIMER_STEP))
		return; /* saved in a tick of its own: it takes milliseconds */
	if (sa_changed(sm->hosts.sa))
		timer_sooner(&sm->timers, TIMER_SAVE,
			mono_add(now, mono_ms(SAVE_MS)));
	if (!mono_before(now, state_keep_next(sm)))
		state_keep_save(sm, false);
}

void
state_keep_free(struct sm *sm)
{
	sl_history_free(sm->sl_history);
	map_free(&sm->kept.saved_pkeys);
	free(sm->kept.record);
	free(sm->kept.remembered);
	free(sm->kept.rank);
	layer_memory_unref(sm->kept.pairs);
}
