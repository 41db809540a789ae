#include "sm/cabling_watch.h"

#include <stdlib.h>
#include <string.h>

#include "sm/base/map.h"
#include "sm/base/mem.h"
#include "sm/cabling/cabling_expected.h"
#include "sm/cabling/deviation.h"
#include "sm/event/alarm_kind.h"
#include "sm/report/json_util.h"
#include "sm/report/verify_json.h"
#include "sm/view/event_log.h"
#include "sm/worker.h"

enum {
	TOLD_MOST = 16,	  /* events of one comparison */
	LISTED = 1000,	  /* deviations in an answer */
	NAMES_MS = 30000, /* how long names are waited for */
};

/* One comparison, in the thread. */
struct compare {
	struct topo *topo;    /* a reference */
	struct cabling *plan; /* the watch's, or its own if it is outdated */
	uint32_t generation;
	bool outdated; /* there is another plan by now */
	bool unnamed;  /* it needs names that are not read yet */
	struct deviations *found;
	struct reason why; /* why nothing was found */
};

struct cabling_watch {
	struct worker *worker;
	struct loop_timer *later; /* when names were waited for long enough */
	daemon_events_sink *sink;
	void *cookie;
	struct event_log *budget;
	bool wanted; /* a plan is configured */
	struct cabling *plan;
	struct topo *topo; /* of the last view, a reference; or NULL */
	uint32_t generation;
	const struct drains *drains; /* NULL before the first view */
	struct compare *now;	     /* in the thread */
	bool again;		  /* there is another view, or plan, by now */
	struct mono names_until;  /* names are waited for; 0: they are not */
	struct deviations *found; /* NULL: nothing was compared yet */
	uint32_t found_in;	  /* the generation of that view */
	char unused[512];	  /* why the plan is not used, or "" */
	struct mono unused_since;
};

/* ---- events ---- */

static void
tell_event(struct cabling_watch *w, const struct event *e, struct mono now)
{
	struct event rest;

	if (event_log_take(w->budget, e->kind, now))
		(void)w->sink(w->cookie, e);
	while (event_log_rest(w->budget, &rest, now))
		(void)w->sink(w->cookie, &rest);
}

static void
tell_deviation(struct cabling_watch *w, const struct deviation *x,
	enum event_kind kind, struct mono now)
{
	struct event e = {.kind = kind};
	struct buf what = {0};

	deviation_print(x, &what);
	event_text(&e, "what", what.text);
	event_text(&e, "of", deviation_kind_name(x->kind));
	event_end(&e, "a", x->n > 0 ? &x->end[0] : &x->node);
	event_end(&e, "b", x->n > 0 ? &x->end[1] : &x->other);
	if (kind == EVENT_DEVIATION)
		event_text(&e, "drained", x->drained ? "drained" : NULL);
	else
		event_seconds(
			&e, "lasted", mono_seconds(mono_sub(now, x->since)));
	tell_event(w, &e, now);
	buf_free(&what);
}

static void
tell_result(struct cabling_watch *w, uint32_t untold, struct mono now)
{
	struct event e = {.kind = EVENT_CABLING};
	struct buf result = {0};

	deviations_print_counts(w->found, &result);
	event_text(&e, "result", result.text);
	event_text(&e, "plan", w->found->source);
	event_number(&e, "deviations", w->found->n);
	event_number(&e, "untold", untold);
	tell_event(w, &e, now);
	buf_free(&result);
}

/* The alarm of status_json.h begins or ends. */
static void
set_unused(struct cabling_watch *w, const char *why, struct mono now)
{
	bool was = w->unused[0] != '\0', is = why[0] != '\0';
	struct event e = {.kind = is ? EVENT_ALARM_ON : EVENT_ALARM_OFF};

	(void)snprintf(w->unused, sizeof(w->unused), "%s", why);
	if (was == is)
		return;
	event_text(&e, "alarm", alarm_kind_row(ALARM_CABLING)->name);
	if (is)
		event_text(&e, "text", why);
	else
		event_seconds(&e, "lasted",
			mono_seconds(mono_sub(now, w->unused_since)));
	w->unused_since = now;
	tell_event(w, &e, now);
}

/* How the events of one comparison are told. */
struct telling {
	struct cabling_watch *w;
	enum event_kind kind;
	struct mono now;
	uint32_t untold;
};

/* Tell what is in `is` and not in `was`. Where that is what is new, deviations
 * that are in both keep their ages. */
static void
tell_difference(
	struct telling *t, struct deviations *is, const struct deviations *was)
{
	struct map keys = {0};
	unsigned told = 0;
	uint32_t at;

	for (size_t i = 0; i < was->n; i++)
		map_put(&keys, was->list[i].key, (uint32_t)i);
	for (size_t i = 0; i < is->n; i++) {
		struct deviation *x = &is->list[i];

		if (map_get(&keys, x->key, &at)) {
			if (t->kind == EVENT_DEVIATION)
				x->since = was->list[at].since;
		} else if (told++ < TOLD_MOST) {
			tell_deviation(t->w, x, t->kind, t->now);
		} else {
			t->untold++;
		}
	}
	map_free(&keys);
}

/* ---- results ---- */

static void
tell_changes(struct cabling_watch *w, struct deviations *was, struct mono now)
{
	struct telling t = {w, EVENT_DEVIATION_OVER, now, 0};

	tell_difference(&t, was, w->found);
	t.kind = EVENT_DEVIATION;
	tell_difference(&t, w->found, was);
	if (t.untold > 0)
		tell_result(w, t.untold, now);
}

/* Take the result of a comparison in place of the one before. */
static void
adopt_result(struct cabling_watch *w, struct compare *k, struct mono now)
{
	struct deviations *was = w->found;

	w->found = k->found;
	w->found_in = k->generation;
	k->found = NULL;
	set_unused(w, w->found == NULL ? k->why.text : "", now);
	if (w->found != NULL) {
		deviations_mark_drained(w->found, w->drains);
		for (size_t i = 0; i < w->found->n; i++)
			w->found->list[i].since = now;
	}
	if (w->found != NULL && was != NULL)
		tell_changes(w, was, now);
	else if (w->found != NULL)
		tell_result(w, 0, now);
	deviations_free(was);
}

/* ---- comparisons ---- */

/* True if the plan goes by names, and nodes have none yet. */
static bool
lacks_names(const struct compare *k)
{
	bool by_name = false;

	for (size_t i = 0; i < k->plan->nnodes; i++)
		by_name |= k->plan->node[i].guid == 0;
	for (node_ix n = 0; by_name && n < k->topo->nnodes; n++)
		if (topo_desc(k->topo, n)[0] == '\0')
			return true;
	return false;
}

/* Called in the thread. */
static void
compare_topo(void *job)
{
	struct compare *k = job;
	struct cabling *is = cabling_of_topo(k->topo, "the fabric");

	k->unnamed = lacks_names(k);
	k->found = deviations_find(k->plan, is, &k->why);
	cabling_free(is);
}

static void
free_compare(struct compare *k)
{
	if (k == NULL)
		return;
	topo_unref(k->topo);
	if (k->outdated)
		cabling_free(k->plan);
	deviations_free(k->found);
	free(k);
}

/* While our own port has no link, nothing is known of the fabric. */
static void
start_compare(struct cabling_watch *w)
{
	w->again = w->now != NULL;
	if (w->now != NULL || w->plan == NULL || w->topo == NULL ||
		(w->topo->nnodes == 1 && w->plan->nnodes > 1))
		return;
	w->now = mem_zalloc(1, sizeof(*w->now));
	w->now->topo = topo_ref(w->topo);
	w->now->plan = w->plan;
	w->now->generation = w->generation;
	worker_submit(w->worker, w->now);
}

/* Whether the result of k is to wait for names that come later. */
static bool
waits_for_names(
	struct cabling_watch *w, const struct compare *k, struct mono now)
{
	if (k->unnamed && w->names_until.ns == 0) {
		w->names_until = mono_add(now, mono_ms(NAMES_MS));
		loop_timer_set(w->later, w->names_until);
		return true;
	}
	if (k->unnamed && mono_before(now, w->names_until))
		return true;
	w->names_until = (struct mono){0};
	return false;
}

static void
on_compared(void *cookie, void *job, struct mono now)
{
	struct cabling_watch *w = cookie;
	struct compare *k = job;

	w->now = NULL;
	if (!k->outdated && !waits_for_names(w, k, now))
		adopt_result(w, k, now);
	free_compare(k);
	if (w->again)
		start_compare(w);
}

static void
on_later(void *cookie, struct mono now)
{
	struct cabling_watch *w = cookie;

	(void)now;
	if (w->names_until.ns != 0)
		start_compare(w);
}

/* ---- for the daemon ---- */

struct cabling_watch *
cabling_watch_new(struct loop *l, daemon_events_sink *sink, void *cookie,
	struct reason *why)
{
	struct cabling_watch *w = mem_zalloc(1, sizeof(*w));

	w->sink = sink;
	w->cookie = cookie;
	w->budget = event_log_new();
	w->later = loop_timer_new(l, on_later, w);
	w->worker = worker_new(l, compare_topo, on_compared, w, why);
	if (w->worker != NULL)
		return w;
	cabling_watch_free(w);
	return NULL;
}

void
cabling_watch_free(struct cabling_watch *w)
{
	if (w == NULL)
		return;
	worker_free(w->worker);
	free_compare(w->now);
	loop_timer_free(w->later);
	event_log_free(w->budget);
	cabling_free(w->plan);
	topo_unref(w->topo);
	deviations_free(w->found);
	free(w);
}

void
cabling_watch_set(struct cabling_watch *w, struct cabling *plan)
{
	if (w->now != NULL && !w->now->outdated)
		w->now->outdated = true; /* it frees the plan */
	else
		cabling_free(w->plan);
	w->plan = plan;
	w->wanted = plan != NULL;
	w->names_until = (struct mono){0};
	deviations_free(w->found);
	w->found = NULL;
	set_unused(w, "", loop_now());
	start_compare(w);
}

void
cabling_watch_load(
	struct cabling_watch *w, const struct config *c, const char *own)
{
	struct cabling *plan;
	struct reason why;

	if (cabling_expected_read(c, own, &plan, &why) == 0) {
		cabling_watch_set(w, plan);
		return;
	}
	cabling_watch_set(w, NULL);
	w->wanted = true;
	set_unused(w, why.text, loop_now());
}

void
cabling_watch_view(struct cabling_watch *w, const struct view *v,
	const struct drains *drains)
{
	topo_unref(w->topo);
	w->topo = topo_ref(v->topo);
	w->generation = v->generation;
	w->drains = drains;
	start_compare(w);
}

struct status_cabling
cabling_watch_status(struct cabling_watch *w)
{
	if (w->found != NULL)
		deviations_mark_drained(w->found, w->drains);
	return (struct status_cabling){.wanted = w->wanted,
		.file = w->plan != NULL ? w->plan->source : "",
		.unused = w->unused,
		.found = w->found,
		.generation = w->found_in};
}

json_t *
cabling_watch_json(struct cabling_watch *w, struct reason *why)
{
	json_t *o;

	if (!w->wanted)
		(void)reason_set(why,
			"fabric.expected is not set: name a plan, as in "
			"heddlectl verify FILE");
	else if (w->unused[0] != '\0')
		(void)reason_set(why, "%s", w->unused);
	else if (w->found == NULL)
		(void)reason_set(why,
			"%s: not compared yet with the fabric: see heddlectl "
			"status",
			w->plan->source);
	if (w->found == NULL)
		return NULL;
	deviations_mark_drained(w->found, w->drains);
	o = verify_json(w->found, LISTED);
	json_util_put(o, M("generation", w->found_in));
	return o;
}
