#include "sm/core/health_drain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/tiers/tree.h"
#include "sm/base/hash.h"
#include "sm/base/mem.h"
#include "sm/core/sm_priv.h"
#include "sm/policy/jobs.h"
#include "sm/view/drain_limits.h"

enum { SECOND_NS = 1000000000 };

/* ---- links and their records ---- */

static struct link_watch_end
end_of(const struct topo *t, port_ix p)
{
	return (struct link_watch_end){
		t->node[t->port[p].node].guid, t->port[p].num};
}

static port_ix
port_at(const struct topo *t, const struct link_watch_end *e)
{
	node_ix n = topo_by_node_guid(t, e->guid);

	return n != TOPO_NONE && e->port <= t->node[n].nports
		       ? topo_port_of(t, n, e->port)
		       : TOPO_NONE;
}

/* One end of the link in t; TOPO_NONE: it is not there. */
static port_ix
find_link(const struct topo *t, const struct link_watch *l)
{
	port_ix a = port_at(t, &l->a), b = port_at(t, &l->b);

	return a != TOPO_NONE && b != TOPO_NONE && t->port[a].peer == b
		       ? a
		       : TOPO_NONE;
}

/* The drain of this link by either end, or NULL. */
static struct drain *
find_drain(const struct sm *sm, const struct link_watch *l)
{
	struct drain *d = drains_find(&sm->maintenance, l->a.guid, l->a.port);

	return d != NULL ? d
			 : drains_find(&sm->maintenance, l->b.guid, l->b.port);
}

static struct drain *
find_own_drain(const struct sm *sm, const struct link_watch *l)
{
	struct drain *d = find_drain(sm, l);

	return d != NULL && drains_is_of_health(d) ? d : NULL;
}

static bool
is_drained_with_switch(const struct sm *sm, const struct link_watch *l)
{
	return drains_find(&sm->maintenance, l->a.guid, 0) != NULL ||
	       drains_find(&sm->maintenance, l->b.guid, 0) != NULL;
}

static bool
is_enabled(const struct sm *sm)
{
	return sm->cfg->health.enabled &&
	       sm->cfg->health.action == CONFIG_HEALTH_DRAIN;
}

void
health_drain_note(struct sm *sm, const struct topo *t, port_ix p,
	const struct link_verdict *v)
{
	struct link_watches *w = &sm->health_drains.links;
	struct link_watch_end a = end_of(t, p), b = end_of(t, t->port[p].peer);
	struct link_watch *l;
	char why[LINK_WATCH_WHY];

	if (!is_enabled(sm))
		return;
	l = v->reasons != 0 ? link_watch_get(w, &a, &b)
			    : link_watch_find(w, &a, &b);
	if (l == NULL)
		return;
	link_verdict_text(v, why, sizeof(why));
	link_watch_note(w, l, v->reasons != 0, why);
	l->full = v->full;
	l->weight = v->flaps << 32 |
		    (v->errors < UINT32_MAX ? v->errors : UINT32_MAX);
}

/* ---- a link that is needed ---- */

static uint64_t
hash_port(uint64_t guid, unsigned port)
{
	return fnv_more(
		fnv_more(FNV_START, &guid, sizeof(guid)), &port, sizeof(port));
}

static uint64_t
hash_end(const struct topo *t, port_ix p)
{
	return hash_port(t->node[t->port[p].node].guid, t->port[p].num);
}

/* A number of all links and drains there are, in any order; never 0. */
static uint64_t
number_links(const struct sm *sm)
{
	const struct topo *t = sm->view->topo;
	uint64_t sum = 0;

	for (port_ix p = 0; p < t->nports; p++)
		if (t->port[p].peer != TOPO_NONE && t->port[p].peer > p)
			sum += hash_end(t, p) * hash_end(t, t->port[p].peer);
	for (size_t k = 0; k < sm->maintenance.n; k++)
		sum += hash_port(sm->maintenance.list[k].guid,
			sm->maintenance.list[k].port);
	return sum | 1;
}

/* Whether it is as it was when the link was needed. */
static bool
is_still_needed(const struct sm *sm, const struct link_watch *l)
{
	return l->needed != 0 && l->needed == number_links(sm);
}

/* ---- a bad link is drained, or kept ---- */

static void
tell_kept(struct sm *sm, const struct topo *t, port_ix p,
	const struct link_watch *l, struct mono now)
{
	struct event e = {.kind = EVENT_LINK_KEPT};
	struct event_end a, b;

	topo_event_end_of(t, t->port[p].node, t->port[p].num, &a);
	p = t->port[p].peer;
	topo_event_end_of(t, t->port[p].node, t->port[p].num, &b);
	event_end(&e, "a", &a);
	event_end(&e, "b", &b);
	event_text(&e, "why", l->kept);
	events_tell(sm, &e, now);
}

static void
drain_link(struct sm *sm, const struct drain_limits *limits,
	struct link_watch *l, struct mono now)
{
	const struct topo *t = limits->t;
	port_ix p = find_link(t, l);
	const struct sm_drain ask = {.guid = l->a.guid,
		.port = l->a.port,
		.duration = MONO_NEVER,
		.by = DRAIN_BY_HEALTH,
		.reason = l->why};
	struct reason why = {0};
	unsigned limit = drain_limits_judge(limits, p, &why);

	if (limit == DRAIN_LIMIT_NONE) {
		if (maintenance_add(sm, &ask, now, &why) == 0) {
			link_watch_drain(&sm->health_drains.links, l);
			return;
		}
		limit = DRAIN_LIMIT_OTHER;
	}
	(void)snprintf(
		l->kept, sizeof(l->kept), "%.*s", LINK_WATCH_WHY - 1, why.text);
	if (l->limit != limit) {
		l->limit = limit;
		tell_kept(sm, t, p, l, now);
	}
}

static int
worse_first(const void *x, const void *y)
{
	const struct link_watch *a = *(struct link_watch *const *)x;
	const struct link_watch *b = *(struct link_watch *const *)y;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* The bad links in use that could be drained, the worst first; to be freed. One
 * without which there was no path is not among them while nothing has changed.
 */
static struct link_watch **
find_bad(struct sm *sm, const struct topo *t, size_t *n)
{
	struct link_watches *w = &sm->health_drains.links;
	struct link_watch **bad = mem_zalloc(w->n, sizeof(struct link_watch *));

	*n = 0;
	for (size_t i = 0; i < w->n; i++) {
		struct link_watch *l = &w->list[i];

		if (l->state == LINK_WATCH_USED && l->bad &&
			find_link(t, l) != TOPO_NONE &&
			find_drain(sm, l) == NULL &&
			!is_drained_with_switch(sm, l) &&
			!is_still_needed(sm, l))
			bad[(*n)++] = l;
	}
	if (*n > 1)
		qsort(bad, *n, sizeof(struct link_watch *), worse_first);
	return bad;
}

/* Whether a link is to be judged that was not yet, or all of them again,
 * because something has changed. */
static bool
is_due(const struct sm *sm, struct link_watch *const *bad, size_t n)
{
	const struct health_drains *h = &sm->health_drains;

	if (n > 0 && (h->judged != sm->view->generation ||
			     h->judged_drains != sm->maintenance.n))
		return true;
	for (size_t i = 0; i < n; i++)
		if (bad[i]->limit == DRAIN_LIMIT_NONE)
			return true;
	return false;
}

/* By switch the tier, UINT32_MAX where there is none; NULL: there are no tiers.
 * To be freed. */
static uint32_t *
find_tiers(const struct view *v)
{
	const struct tree *tree = tree_kept(v->routes);
	uint32_t *tier;

	if (tree == NULL || v->routes->topo->nsw != v->topo->nsw)
		return NULL;
	tier = mem_dup(tree->tier, v->topo->nsw * sizeof(*tier));
	for (sw_ix s = 0; s < v->topo->nsw; s++)
		if (tree->treeless[s])
			tier[s] = UINT32_MAX;
	return tier;
}

static void
drain_bad(struct sm *sm, struct mono now)
{
	const struct topo *t = sm->view->topo;
	struct drain_limits limits = {.t = t, .drains = &sm->maintenance};
	struct jobs_options options;
	uint32_t *tier;
	size_t n;
	struct link_watch **bad = find_bad(sm, t, &n);

	if (is_due(sm, bad, n)) {
		jobs_options(sm->cfg, t, &options);
		tier = find_tiers(sm->view);
		limits.options = &options.engine;
		limits.tier = tier;
		for (size_t i = 0; i < n; i++)
			drain_link(sm, &limits, bad[i], now);
		free(tier);
		jobs_options_free(&options);
		sm->health_drains.judged = sm->view->generation;
		sm->health_drains.judged_drains = sm->maintenance.n;
	}
	free(bad);
}

/* ---- and used again ---- */

static void
use_again(struct sm *sm, struct link_watch *l, const char *why, struct mono now)
{
	struct drain *d = find_own_drain(sm, l);

	if (d != NULL)
		maintenance_end(sm, d, why, now);
	link_watch_use(&sm->health_drains.links, l);
}

/* Time has passed for a link: its state may be over. */
static void
review_link(struct sm *sm, struct link_watch *l, struct mono now)
{
	struct buf why = {0};

	if (l->state == LINK_WATCH_DRAINED && find_own_drain(sm, l) == NULL)
		link_watch_use(&sm->health_drains.links, l);
	if (find_link(sm->view->topo, l) == TOPO_NONE)
		l->bad = false; /* nothing is known of it now */
	if (l->state == LINK_WATCH_USED || !link_watch_is_over(l))
		return;
	buf_printf(&why, "nothing was wrong with it for ");
	event_print_seconds(mono_seconds(l->quiet), &why);
	use_again(sm, l, why.text, now);
	buf_free(&why);
}

/* A drain of ours without a record: it came from another manager's list, or the
 * state file was of a former version. */
static void
adopt_drains(struct sm *sm)
{
	struct link_watches *w = &sm->health_drains.links;
	const struct topo *t = sm->view->topo;

	for (size_t i = 0; i < sm->maintenance.n; i++) {
		const struct drain *d = &sm->maintenance.list[i];
		struct link_watch_end a = {d->guid, d->port}, b;
		struct link_watch *l;
		port_ix p = port_at(t, &a);

		if (!drains_is_of_health(d) || p == TOPO_NONE ||
			t->port[p].peer == TOPO_NONE)
			continue;
		b = end_of(t, t->port[p].peer);
		l = link_watch_get(w, &a, &b);
		if (l->state != LINK_WATCH_DRAINED)
			link_watch_drain(w, l);
	}
}

/* Of the time that ends the state: each is saved when it is over, so that a
 * restart costs no more than one. */
static unsigned
quarters_left(const struct link_watch *l)
{
	return l->state == LINK_WATCH_USED || l->quiet.ns < 4
		       ? 0
		       : (unsigned)(l->left.ns / (l->quiet.ns / 4));
}

void
health_drain_review(struct sm *sm, struct mono now)
{
	struct health_drains *h = &sm->health_drains;
	struct mono time = {0};

	if (!is_enabled(sm))
		return;
	if (h->passed.ns != MONO_NEVER.ns)
		time = mono_sub(now, h->passed);
	h->passed = now;
	adopt_drains(sm);
	for (size_t i = 0; i < h->links.n; i++) {
		struct link_watch *l = &h->links.list[i];
		unsigned was = quarters_left(l);

		link_watch_pass(l, time);
		if (quarters_left(l) != was)
			timer_sooner(&sm->timers, TIMER_SAVE, now);
		review_link(sm, l, now);
	}
	drain_bad(sm, now);
	link_watch_forget(&h->links);
}

void
health_drain_commit(struct sm *sm, struct mono now)
{
	static const char why[] = "no other path is left";
	struct link_watches *w = &sm->health_drains.links;
	bool *needed = mem_zalloc(w->n, sizeof(*needed));
	struct drain_use use;

	for (size_t i = 0; i < w->n; i++) {
		const struct drain *d = find_own_drain(sm, &w->list[i]);

		if (d == NULL || sm->view->generation < d->generation)
			continue;
		drains_use(d, sm->view->routes, NULL, 0, &use);
		needed[i] = use.entries > 0;
		if (needed[i])
			use_again(sm, &w->list[i], why, now);
	}
	for (size_t i = 0; i < w->n; i++) {
		struct link_watch *l = &w->list[i];
		port_ix p = find_link(sm->view->topo, l);

		if (!needed[i] || p == TOPO_NONE)
			continue;
		l->needed = number_links(sm);
		l->limit = DRAIN_LIMIT_OTHER;
		(void)snprintf(l->kept, sizeof(l->kept), "%s", why);
		tell_kept(sm, sm->view->topo, p, l, now);
	}
	free(needed);
}

void
health_drain_spare(struct sm *sm, uint64_t guid, unsigned port)
{
	struct link_watches *w = &sm->health_drains.links;

	for (size_t i = 0; i < w->n; i++) {
		struct link_watch *l = &w->list[i];

		if (l->state == LINK_WATCH_DRAINED &&
			((l->a.guid == guid && l->a.port == port) ||
				(l->b.guid == guid && l->b.port == port)))
			link_watch_spare(w, l);
	}
}

/* ---- configuration ---- */

void
health_drain_configure(struct sm *sm, struct mono now)
{
	const struct config_health *c = &sm->cfg->health;
	struct link_watches *w = &sm->health_drains.links;

	w->first = c->quiet_time;
	w->bound = mono_before(c->quiet_time, c->quiet_time_max)
			   ? c->quiet_time_max
			   : c->quiet_time;
	if (is_enabled(sm))
		return;
	for (size_t i = sm->maintenance.n; i > 0; i--)
		if (drains_is_of_health(&sm->maintenance.list[i - 1]))
			maintenance_end(sm, &sm->maintenance.list[i - 1],
				"health.action is not drain any more", now);
	w->n = 0;
}

void
health_drain_lost(struct sm *sm)
{
	sm->health_drains.passed = MONO_NEVER;
}

/* ---- over a restart ---- */

void
health_drain_load(struct sm *sm, const struct state_file *s)
{
	struct link_watches *w = &sm->health_drains.links;

	sm->health_drains.passed = MONO_NEVER;
	for (size_t i = 0; i < s->nwatch; i++) {
		const struct state_file_watch *x = &s->watch[i];
		const struct link_watch_end a = {
			x->end[0].guid, x->end[0].port};
		const struct link_watch_end b = {
			x->end[1].guid, x->end[1].port};
		struct link_watch *l = link_watch_get(w, &a, &b);

		l->state = (enum link_watch_state)x->state;
		l->drained = x->drained;
		l->quiet.ns = (int64_t)x->quiet * SECOND_NS;
		l->left.ns = (int64_t)x->left * SECOND_NS;
		(void)snprintf(l->why, sizeof(l->why), "%s", x->why);
	}
}

struct state_file_watch *
health_drain_gather(const struct sm *sm, struct state_file *s)
{
	const struct link_watches *w = &sm->health_drains.links;
	struct state_file_watch *out = mem_zalloc(w->n, sizeof(*out));

	s->watch = out;
	for (size_t i = 0; i < w->n; i++) {
		const struct link_watch *l = &w->list[i];

		if (l->drained == 0)
			continue;
		out[s->nwatch++] = (struct state_file_watch){
			.end = {{l->a.guid, l->a.port}, {l->b.guid, l->b.port}},
			.state = (uint8_t)l->state,
			.drained = l->drained,
			.quiet = (uint64_t)(l->quiet.ns / SECOND_NS),
			.left = (uint64_t)(l->left.ns / SECOND_NS),
			.why = l->why};
	}
	return out;
}

void
health_drain_forget(struct sm *sm)
{
	sm->health_drains.links.n = 0;
}
