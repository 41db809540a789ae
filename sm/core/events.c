#include "sm/core/events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "sm/core/sm_priv.h"

static void
tell_rest(struct sm *sm, struct mono now)
{
	struct event e;

	while (event_log_rest(sm->events.log, &e, now))
		sm->ops->event(sm->ops->cookie, &e);
}

/* Tell an event that is counted, as far as the budget of its kind goes: its
 * number, or 0. */
static uint64_t
tell_counted(struct sm *sm, const struct event *e, struct mono now)
{
	if (!event_log_allows(sm->events.log, e->kind, now))
		return 0;
	return sm->ops->event(sm->ops->cookie, e);
}

static void
tell_one(struct sm *sm, const struct event *e, struct mono now)
{
	event_log_add(sm->events.log, e->kind);
	(void)tell_counted(sm, e, now);
}

static void
add_answer(struct event *e, const struct events_answer *a, double took)
{
	event_seconds(e, "took", took);
	event_text(e, "transition", a->transition);
	event_number(e, "blocks", a->blocks);
	event_number(e, "interrupted", a->interrupted);
	event_number(e, "cut_off", a->cut_off);
	event_number(e, "generation", a->generation);
}

/* An event of the fabric, which the run that led to the present view, or to the
 * one that is about to be, answered. */
static void
tell_answered(struct sm *sm, const struct topo_event *found, struct mono now)
{
	struct events_answer *a = &sm->events.answer;
	struct event e = topo_event_value(found);
	uint64_t told;

	if (a->generation != 0 && a->told != 0)
		event_number(&e, "with", a->told);
	else if (a->generation != 0)
		add_answer(&e, a, a->took);
	told = tell_counted(sm, &e, now);
	if (a->told == 0)
		a->told = told;
}

static void
tell_found(struct sm *sm, const struct topo_event *found, struct mono now)
{
	event_log_note(sm->events.log, found, now);
	if (found->unseen)
		return;
	event_log_add(sm->events.log, found->kind);
	if (!found->folded)
		tell_answered(sm, found, now);
}

static void
tell_manager(struct sm *sm, const struct topo_event *found, struct mono now)
{
	struct event e = topo_event_value(found);

	tell_one(sm, &e, now);
}

void
events_tell(struct sm *sm, const struct event *e, struct mono now)
{
	tell_one(sm, e, now);
	tell_rest(sm, now);
}

/* ---- what is missing, over a restart ---- */

enum { MISSING_SAVED = 8192, NS = 1000000000 };

static struct event_end
end_from_saved(const struct state_file_end *e)
{
	struct event_end end = {.guid = e->guid,
		.port = e->port,
		.is = (uint8_t)event_node_of(e->is)};

	if (e->guid != 0)
		(void)snprintf(end.name, sizeof(end.name), "%s", e->name);
	return end;
}

/* Age goes on: until events_start, since is counted back from 0. */
void
events_load(struct sm *sm, const struct state_file *s)
{
	for (size_t i = 0; i < s->nmissing; i++) {
		const struct state_file_missing *x = &s->missing[i];
		uint64_t age = x->age + s->away;
		struct event_missing m = {.is_node = x->is_node,
			.a = end_from_saved(&x->a),
			.b = end_from_saved(&x->b),
			.since = {-(int64_t)(age < UINT32_MAX ? age
							      : UINT32_MAX) *
				  NS}};

		event_log_restore(sm->events.log, &m);
	}
	sm->events.missing_saved = event_log_stamp(sm->events.log);
}

void
events_start(struct sm *sm, struct mono now)
{
	event_log_shift(sm->events.log, now);
}

static struct state_file_end
end_to_save(const struct event_end *e)
{
	return (struct state_file_end){
		e->guid, e->port, e->name, event_node_name(e->is)};
}

struct state_file_missing *
events_gather(const struct sm *sm, struct state_file *s)
{
	size_t n;
	const struct event_missing *m = event_log_missing(sm->events.log, &n);
	struct state_file_missing *out;

	n = n < MISSING_SAVED ? n : MISSING_SAVED;
	out = mem_zalloc(n, sizeof(*out));
	for (size_t i = 0; i < n; i++) {
		int64_t ns = mono_sub(sm->now, m[i].since).ns;

		out[i] = (struct state_file_missing){m[i].is_node,
			end_to_save(&m[i].a), end_to_save(&m[i].b),
			ns > 0 ? (uint64_t)ns / NS : 0};
	}
	s->missing = out;
	s->nmissing = n;
	return out;
}

static void
save_missing(struct sm *sm, struct mono now)
{
	uint64_t stamp = event_log_stamp(sm->events.log);

	if (stamp != sm->events.missing_saved)
		timer_sooner(&sm->timers, TIMER_SAVE,
			mono_add(now, mono_ms(SAVE_MS)));
	sm->events.missing_saved = stamp;
}

void
events_accept(struct sm *sm, struct mono now)
{
	event_log_accept(sm->events.log);
	save_missing(sm, now);
}

/* ---- events that wait for names ---- */

static bool
lacks_name(const struct event_end *end)
{
	return end->guid != 0 && end->name[0] == '\0';
}

static void
hold_event(struct sm *sm, const struct topo_event *e)
{
	sm->events.held = mem_grow(sm->events.held, sm->events.nheld,
		&sm->events.cap_held, sizeof(*sm->events.held));
	sm->events.held[sm->events.nheld++] = *e;
}

static void
name_end(const struct topo *t, struct event_end *end)
{
	node_ix n = topo_by_node_guid(t, end->guid);
	port_ix p = topo_by_port_guid(t, end->guid);

	if (!lacks_name(end))
		return;
	if (n == TOPO_NONE && p != TOPO_NONE)
		n = t->port[p].node;
	if (n != TOPO_NONE)
		(void)snprintf(
			end->name, sizeof(end->name), "%s", topo_desc(t, n));
}

void
events_release(struct sm *sm, struct mono now)
{
	for (size_t i = 0; i < sm->events.nheld; i++) {
		struct topo_event *e = &sm->events.held[i];

		name_end(sm->view->topo, &e->a);
		name_end(sm->view->topo, &e->b);
		if (e->kind == EVENT_MANAGER_SEEN)
			tell_manager(sm, e, now);
		else
			tell_found(sm, e, now);
	}
	free(sm->events.held);
	sm->events.held = NULL;
	sm->events.nheld = sm->events.cap_held = 0;
	tell_rest(sm, now);
	save_missing(sm, now);
}

void
events_release_managers(
	struct sm *sm, const struct topo *t, uint64_t guid, struct mono now)
{
	size_t n = 0;

	for (size_t i = 0; i < sm->events.nheld; i++) {
		struct topo_event *e = &sm->events.held[i];
		bool manager = e->kind == EVENT_MANAGER_SEEN;

		if (manager && t != NULL)
			name_end(t, &e->a);
		if (manager && (e->a.guid == guid || !lacks_name(&e->a)))
			tell_manager(sm, e, now);
		else
			sm->events.held[n++] = *e;
	}
	sm->events.nheld = n;
}

/* ---- the changes of a run ---- */

struct events_batch {
	struct sm *sm;
	const struct view *is;
	struct mono now;
};

static const char *
find_quarantine_why(const struct view *v, uint64_t guid)
{
	for (size_t i = 0; i < v->nquarantine; i++)
		if (v->quarantine[i].guid == guid)
			return v->quarantine[i].why;
	return NULL;
}

static void
take_event(void *cookie, const struct topo_event *found)
{
	const struct events_batch *b = cookie;
	struct topo_event e = *found;

	if (!e.folded)
		e.lasted = event_log_lasted(b->sm->events.log, &e, b->now);
	if (e.kind == EVENT_QUARANTINED)
		e.why = find_quarantine_why(b->is, e.a.guid);
	if (e.why == NULL && (lacks_name(&e.a) || lacks_name(&e.b)))
		hold_event(b->sm, &e);
	else
		tell_found(b->sm, &e, b->now);
}

/* It is counted, and among what is missing, already. */
static void
take_left_link(void *cookie, const struct topo_event *found)
{
	const struct events_batch *b = cookie;

	tell_answered(b->sm, found, b->now);
}

/* ---- what a run has done ---- */

static void
take_answer(struct sm *sm, const struct view *is, struct mono now)
{
	sm->events.answer = (struct events_answer){
		.generation = is->generation,
		.took = mono_seconds(mono_sub(now, sm->run.first_heard)),
		.transition =
			is->counts.lft_blocks > 0 ? is->change.kind : NULL,
		.blocks = is->counts.lft_blocks,
		.interrupted = is->change.pairs,
		.cut_off = is->routes->report.cut_off,
	};
}

/* The tables were written for another reason than an event of the fabric. */
static void
tell_change(struct sm *sm, const struct view *is, struct mono now)
{
	struct event e = {.kind = EVENT_CHANGE};

	event_text(&e, "cause", is->cause);
	event_number(&e, "settings", is->counts.other_sets);
	event_text(&e, "engine", is->story.engine);
	add_answer(&e, &sm->events.answer, mono_seconds(is->times.total));
	events_tell(sm, &e, now);
}

void
events_swept(struct sm *sm, struct mono now)
{
	struct event e = {.kind = EVENT_SWEEP};

	if (sm->run.kind != SWEEP_FULL)
		return;
	event_text(&e, "cause", sm->run.cause_text);
	event_number(&e, "nodes", sm->run.topo->nnodes);
	event_number(&e, "smps", xact_stats(sm->x)->sent - sm->run.sent_before);
	event_seconds(&e, "took", mono_seconds(mono_sub(now, sm->run.began)));
	events_tell(sm, &e, now);
}

/* The engine of the routes, where it is another one than before, or not the
 * preferred one any more. */
static void
tell_engine(struct sm *sm, const struct view *is, struct mono now)
{
	const struct route_account *s = &is->story;
	const struct route_account *was =
		sm->view != NULL ? &sm->view->story : NULL;
	struct event e = {.kind = EVENT_ENGINE};

	if (s->fallback && (was == NULL || !was->fallback)) {
		e.kind = EVENT_FALLBACK;
		event_text(&e, "tried", s->tried);
	} else if (was == NULL || was->engine[0] == '\0' ||
		   strcmp(was->engine, s->engine) == 0) {
		return;
	} else {
		event_text(&e, "was", was->engine);
	}
	event_text(&e, "engine", s->engine);
	events_tell(sm, &e, now);
}

/* Whether an event of the fabric waits for a name: it will tell the answer. */
static bool
holds_found(const struct sm *sm)
{
	for (size_t i = 0; i < sm->events.nheld; i++)
		if (sm->events.held[i].kind != EVENT_MANAGER_SEEN)
			return true;
	return false;
}

/* What the run did, unless an event of the fabric tells that. */
static void
tell_run(struct sm *sm, const struct view *is, struct mono now)
{
	const struct view_counts *n = &is->counts;

	if (sm->events.answer.told == 0 && !holds_found(sm)) {
		if (n->lft_blocks + n->other_sets > 0)
			tell_change(sm, is, now);
		else
			events_swept(sm, now);
	}
	tell_engine(sm, is, now);
}

/*
 * While our own port has no link nothing is known of the fabric: what it was is
 * kept, to be compared with what it is when the link is back.
 */
void
events_note(struct sm *sm, const struct view *is, struct mono now)
{
	struct events_batch b = {sm, is, now};
	bool cut_off = sm->run.topo->nnodes == 1;

	if (sm->view != NULL)
		events_release(sm, now);
	if (cut_off && sm->events.seen == NULL && sm->view != NULL)
		sm->events.seen = topo_ref(sm->view->topo);
	if (cut_off)
		return;
	take_answer(sm, is, now);
	if (sm->view != NULL)
		topo_events(sm->events.seen != NULL ? sm->events.seen
						    : sm->view->topo,
			sm->run.topo, take_event, &b);
	else
		event_log_back(sm->events.log, sm->run.topo, take_event, &b);
	topo_unref(sm->events.seen);
	sm->events.seen = NULL;
	event_log_left(sm->events.log, sm->run.topo, take_left_link, &b);
	event_log_settle(sm->events.log, sm->run.topo);
	tell_run(sm, is, now);
	tell_rest(sm, now);
}

void
events_manager(
	struct sm *sm, const struct sm_peer *p, bool seen, struct mono now)
{
	struct topo_event e = {
		.kind = seen ? EVENT_MANAGER_SEEN : EVENT_MANAGER_GONE};

	e.a.guid = p->id.guid;
	memcpy(e.a.name, p->id.name, sizeof(e.a.name));
	if (!seen)
		events_release_managers(sm, NULL, e.a.guid, now);
	if (seen && lacks_name(&e.a))
		hold_event(sm, &e);
	else
		tell_manager(sm, &e, now);
}

void
events_free(struct sm *sm)
{
	event_log_free(sm->events.log);
	free(sm->events.held);
	topo_unref(sm->events.seen);
}
