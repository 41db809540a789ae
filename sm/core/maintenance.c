#include "sm/core/maintenance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "sm/core/sm_priv.h"

enum {
	SECOND_NS = 1000000000,
	NAMED = 12, /* of the hosts that a refusal names */
};

/* ---- what happened, in the event log ---- */

/* What is drained: a switch, or both ends of a link. */
struct drain_ends {
	struct event_end a, b;
};

static struct drain_ends
ends_of(const struct sm *sm, const struct drain *d)
{
	const struct view *v = phase_view(sm);
	struct drain_ends ends = {.a = {.guid = d->guid, .port = d->port}};
	node_ix n = v != NULL ? topo_by_node_guid(v->topo, d->guid) : TOPO_NONE;
	port_ix peer = TOPO_NONE;

	(void)snprintf(ends.a.name, sizeof(ends.a.name), "%s", d->name);
	if (n != TOPO_NONE && d->port != 0 &&
		d->port <= v->topo->node[n].nports)
		peer = v->topo->port[topo_port_of(v->topo, n, d->port)].peer;
	if (peer != TOPO_NONE)
		topo_event_end_of(v->topo, v->topo->port[peer].node,
			v->topo->port[peer].num, &ends.b);
	return ends;
}

static void
tell_begin(struct sm *sm, const struct drain *d, struct mono now)
{
	const struct drain_ends ends = ends_of(sm, d);
	struct event e = {.kind = EVENT_DRAINED};

	event_end(&e, "a", &ends.a);
	event_end(&e, "b", &ends.b);
	event_text(&e, "by", d->by);
	if (d->until.ns != MONO_NEVER.ns)
		event_seconds(&e, "for", mono_seconds(mono_sub(d->until, now)));
	event_text(&e, "forced", d->forced ? "forced" : "");
	event_text(&e, "reason", d->reason);
	events_tell(sm, &e, now);
}

static void
tell_end(struct sm *sm, const struct drain *d, const char *why, struct mono now)
{
	const struct drain_ends ends = ends_of(sm, d);
	struct event e = {.kind = EVENT_UNDRAINED};

	event_end(&e, "a", &ends.a);
	event_end(&e, "b", &ends.b);
	event_text(&e, "why", why);
	events_tell(sm, &e, now);
}

/* ---- asking ---- */

static int
refuse_cut(
	const struct topo *t, const bool *cut, uint32_t n, struct reason *why)
{
	unsigned named = 0;

	(void)reason_set(why, "would cut %u host port%s off when pulled:", n,
		n == 1 ? "" : "s");
	for (port_ix p = 0; p < t->nports && named < NAMED; p++)
		if (cut[p])
			(void)reason_add(why, "%s %s", named++ > 0 ? "," : "",
				topo_name(t, t->port[p].node).s);
	if (n > named)
		(void)reason_add(why, " and %u more", n - named);
	return reason_add(why, "; to drain it all the same: --force");
}

/* -1 and why if hosts lose their connection by this drain, and did not by those
 * before. */
static int
check_cut(const struct sm *sm, const struct topo *t, const struct drain *d,
	struct reason *why)
{
	bool *before = mem_zalloc(t->nports, sizeof(*before)), *cut;
	struct drain *all = mem_zalloc(sm->maintenance.n + 1, sizeof(*all));
	uint32_t n;
	int rc = 0;

	for (size_t i = 0; i < sm->maintenance.n; i++)
		all[i] = sm->maintenance.list[i];
	all[sm->maintenance.n] = *d;
	(void)drains_cut_off(t, all, sm->maintenance.n, before);
	cut = mem_dup(before, t->nports * sizeof(*cut));
	n = drains_cut_off(t, all, sm->maintenance.n + 1, cut);
	for (port_ix p = 0; p < t->nports; p++)
		cut[p] &= !before[p];
	if (n > 0)
		rc = refuse_cut(t, cut, n, why);
	free(all);
	free(cut);
	free(before);
	return rc;
}

/* A link of a switch to another switch. */
static int
check_link(const struct topo *t, node_ix n, unsigned port, struct reason *why)
{
	const struct topo_port *p = &t->port[topo_port_of(t, n, port)];
	node_ix peer;

	if (p->peer == TOPO_NONE)
		return reason_set(
			why, "%s port %u has no link", topo_name(t, n).s, port);
	peer = t->port[p->peer].node;
	if (peer == n)
		return reason_set(why,
			"%s port %u is linked to the same switch",
			topo_name(t, n).s, port);
	if (t->node[peer].sw != TOPO_NONE)
		return 0;
	return reason_set(why,
		"%s port %u is linked to the host %s, which no other path "
		"leads to: drain the host where its jobs are scheduled",
		topo_name(t, n).s, port, topo_name(t, peer).s);
}

static int
check_target(const struct topo *t, const struct sm_drain *ask, node_ix *n,
	struct reason *why)
{
	*n = topo_by_node_guid(t, ask->guid);
	if (*n == TOPO_NONE)
		return reason_set(why, "no node has GUID 0x%016llx",
			(unsigned long long)ask->guid);
	if (t->node[*n].sw == TOPO_NONE)
		return reason_set(why,
			"%s is a host, not a switch: drain it where its jobs "
			"are scheduled",
			topo_name(t, *n).s);
	if (ask->port > t->node[*n].nports)
		return reason_set(why, "%s has no port %u: 1 to %u",
			topo_name(t, *n).s, ask->port, t->node[*n].nports);
	if (ask->port != 0)
		return check_link(t, *n, ask->port, why);
	if (!drains_is_own(t, ask->guid))
		return 0;
	return reason_set(why,
		"this subnet manager is linked to %s and would lose the "
		"fabric: hand it over first (heddlectl handover)",
		topo_name(t, *n).s);
}

/* The drain of this switch or link that there is already, or NULL. */
static struct drain *
find_same(const struct sm *sm, const struct topo *t, node_ix n, unsigned port)
{
	return port == 0 ? drains_find(&sm->maintenance, t->node[n].guid, 0)
			 : drains_find_link(&sm->maintenance, t,
				   topo_port_of(t, n, port));
}

static int
check_new(const struct sm *sm, const struct drain *d, struct reason *why)
{
	if (d != NULL && !drains_is_of_health(d))
		return reason_set(why,
			"it is drained already, by %s%s%s: heddlectl drains",
			d->by, d->reason[0] != '\0' ? ": " : "", d->reason);
	if (sm->maintenance.n >= DRAINS_MAX)
		return reason_set(why, "%d drains are the most", DRAINS_MAX);
	return 0;
}

/* What is drained is another: a run follows, where this manager routes. */
static void
take_change(struct sm *sm, const char *cause, struct mono now)
{
	if (sm->view != NULL)
		timer_sooner(&sm->timers, TIMER_SAVE, now);
	if (sm->role != SM_STANDING_BY)
		dirty_mark_replan(sm, now, DIRTY_DRAIN, cause);
}

static void
add_drain(struct sm *sm, const struct drain *d, struct mono now)
{
	sm->maintenance.list = mem_grow(sm->maintenance.list, sm->maintenance.n,
		&sm->maintenance.cap, sizeof(*d));
	sm->maintenance.list[sm->maintenance.n++] = *d;
	take_change(sm, "drain", now);
}

/* An administrator drains a link that is drained for its health: no route
 * changes, but it ends when the administrator says so. */
static void
take_over_drain(struct sm *sm, struct drain *same, const struct drain *d,
	struct mono now)
{
	struct drain was = *same;

	*same = *d;
	same->guid = was.guid;
	same->port = was.port;
	same->generation = was.generation;
	memcpy(same->name, was.name, sizeof(same->name));
	timer_sooner(&sm->timers, TIMER_SAVE, now);
}

int
maintenance_add(struct sm *sm, const struct sm_drain *ask, struct mono now,
	struct reason *why)
{
	const struct view *v = phase_view(sm);
	const struct topo *t = v != NULL ? v->topo : NULL;
	struct drain *same = NULL,
		     d = {.guid = ask->guid,
			     .port = (uint8_t)ask->port,
			     .forced = ask->force,
			     .since = now,
			     .until = mono_add(now, ask->duration),
			     .generation = sm->generation + 1};
	node_ix n;

	if (t == NULL)
		return reason_set(why, "the fabric is not up yet");
	if (check_target(t, ask, &n, why) != 0)
		return -1;
	same = find_same(sm, t, n, ask->port);
	if (check_new(sm, same, why) != 0 ||
		(!ask->force && check_cut(sm, t, &d, why) != 0))
		return -1;
	(void)snprintf(d.name, sizeof(d.name), "%s", topo_desc(t, n));
	(void)snprintf(d.by, sizeof(d.by), "%s", ask->by);
	(void)snprintf(d.reason, sizeof(d.reason), "%s", ask->reason);
	tell_begin(sm, &d, now);
	if (same != NULL)
		take_over_drain(sm, same, &d, now);
	else
		add_drain(sm, &d, now);
	return 0;
}

void
maintenance_end(
	struct sm *sm, struct drain *d, const char *why, struct mono now)
{
	size_t i = (size_t)(d - sm->maintenance.list);

	tell_end(sm, d, why, now);
	sm->maintenance.n--;
	memmove(d, d + 1, (sm->maintenance.n - i) * sizeof(*d));
	take_change(sm, "undrain", now);
}

int
maintenance_remove(struct sm *sm, const struct sm_undrain *ask, struct mono now,
	struct reason *why)
{
	struct drain *d = drains_find(&sm->maintenance, ask->guid, ask->port);
	char text[DRAIN_BY + 8];

	if (d == NULL)
		return reason_set(why, "it is not drained: heddlectl drains");
	(void)snprintf(text, sizeof(text), "by %s", ask->by);
	maintenance_end(sm, d, text, now);
	return 0;
}

/* ---- what it means ---- */

void
maintenance_apply(struct sm *sm)
{
	const struct drains *d = &sm->maintenance;

	builder_drain_none(sm->builder);
	for (size_t i = 0; i < d->n; i++)
		builder_drain(sm->builder, d->list[i].guid, d->list[i].port,
			d->list[i].narrow);
}

bool
maintenance_is_pending(const struct sm *sm)
{
	const struct drains *d = &sm->maintenance;

	for (size_t i = 0; i < d->n; i++)
		if (d->list[i].generation <= sm->generation &&
			(sm->view == NULL ||
				d->list[i].generation > sm->view->generation))
			return true;
	return false;
}

/* True if a drained switch with hosts has several neighbours, and other traffic
 * passes it: it is given one. */
static bool
narrow_switch(struct sm *sm, struct drain *d, struct mono now)
{
	const struct topo *t = sm->view->topo;
	node_ix n = topo_by_node_guid(t, d->guid);

	if (d->port != 0 || d->narrow || t->sw[t->node[n].sw].nhost == 0)
		return false;
	d->narrow = true;
	d->generation = sm->generation + 1;
	dirty_mark_replan(sm, now, DIRTY_DRAIN, NULL);
	return true;
}

/* True if the drain is in force, in the view as well, and to be free of all
 * traffic. */
static bool
is_to_be_free(const struct sm *sm, const struct drain *d)
{
	return sm->view->generation >= d->generation && !drains_is_of_health(d);
}

void
maintenance_review_tree(
	struct sm *sm, const struct mcast_tree *tree, struct mono now)
{
	for (size_t i = 0; i < sm->maintenance.n; i++) {
		struct drain *d = &sm->maintenance.list[i];

		if (is_to_be_free(sm, d) && drains_in_tree(d, tree))
			(void)narrow_switch(sm, d, now);
	}
}

void
maintenance_review(struct sm *sm, struct mono now)
{
	const struct drains *d = &sm->maintenance;
	const struct drain *first = NULL;
	struct drain_use use, worst = {0};
	unsigned n = 0;

	for (size_t i = 0; i < d->n; i++) {
		if (!is_to_be_free(sm, &d->list[i]))
			continue;
		drains_use(&d->list[i], sm->view->routes, NULL, 0, &use);
		if (use.entries == 0 || narrow_switch(sm, &d->list[i], now))
			continue;
		if (n++ == 0) {
			first = &d->list[i];
			worst = use;
		}
	}
	sm->stat.drained[0] = '\0';
	if (n > 0)
		(void)snprintf(sm->stat.drained, sizeof(sm->stat.drained),
			"%u of what is drained still carr%s traffic, being "
			"the only path there is; first \"%s\"%s%.0u, %llu "
			"table entries: do not pull it; heddlectl drains",
			n, n == 1 ? "ies" : "y", first->name,
			first->port != 0 ? " port " : "", first->port,
			(unsigned long long)worst.entries);
}

/* ---- its end ---- */

struct mono
maintenance_next(const struct sm *sm)
{
	struct mono t = MONO_NEVER;

	for (size_t i = 0; i < sm->maintenance.n; i++)
		t = mono_min(t, sm->maintenance.list[i].until);
	return t;
}

void
maintenance_step(struct sm *sm, struct mono now)
{
	for (size_t i = sm->maintenance.n; i > 0; i--)
		if (!mono_before(now, sm->maintenance.list[i - 1].until))
			maintenance_end(sm, &sm->maintenance.list[i - 1],
				"its time is over", now);
}

/* ---- over a restart ---- */

/* Age and time left go on: until maintenance_start, they are counted from 0. */
void
maintenance_load(struct sm *sm, const struct state_file *s)
{
	size_t n = s->ndrain < DRAINS_MAX ? s->ndrain : DRAINS_MAX;

	sm->maintenance.list = mem_zalloc(n, sizeof(*sm->maintenance.list));
	sm->maintenance.n = sm->maintenance.cap = n;
	for (size_t i = 0; i < n; i++) {
		const struct state_file_drain *x = &s->drain[i];
		struct drain *d = &sm->maintenance.list[i];
		uint64_t age = x->age + s->away;

		age = age < UINT32_MAX ? age : UINT32_MAX;
		d->guid = x->guid;
		d->port = x->port;
		d->forced = x->forced;
		d->narrow = x->narrow;
		d->since.ns = -(int64_t)age * SECOND_NS;
		d->until = MONO_NEVER;
		if (x->left != STATE_FILE_FOREVER)
			d->until.ns = x->left > s->away
					      ? (int64_t)(x->left - s->away) *
							SECOND_NS
					      : 0;
		(void)snprintf(d->name, sizeof(d->name), "%s", x->name);
		(void)snprintf(d->by, sizeof(d->by), "%s", x->by);
		(void)snprintf(d->reason, sizeof(d->reason), "%s", x->reason);
	}
}

void
maintenance_start(struct sm *sm, struct mono now)
{
	for (size_t i = 0; i < sm->maintenance.n; i++) {
		struct drain *d = &sm->maintenance.list[i];

		d->since = mono_add(now, d->since);
		if (d->until.ns != MONO_NEVER.ns)
			d->until = mono_add(now, d->until);
	}
}

/* Whether the same was asked for by the same. */
static bool
is_listed(const struct drains *list, const struct drain *d)
{
	const struct drain *x = drains_find(list, d->guid, d->port);

	return x != NULL && strcmp(x->by, d->by) == 0;
}

void
maintenance_adopt(struct sm *sm, const struct state_file *told, struct mono now)
{
	struct drains was = sm->maintenance;

	maintenance_load(sm, told);
	maintenance_start(sm, now);
	for (size_t i = 0; i < was.n; i++)
		if (!is_listed(&sm->maintenance, &was.list[i]))
			tell_end(sm, &was.list[i], "at the master", now);
	for (size_t i = 0; i < sm->maintenance.n; i++)
		if (!is_listed(&was, &sm->maintenance.list[i]))
			tell_begin(sm, &sm->maintenance.list[i], now);
	free(was.list);
}

struct state_file_drain *
maintenance_gather(const struct sm *sm, struct state_file *s)
{
	const struct drains *d = &sm->maintenance;
	struct state_file_drain *out = mem_zalloc(d->n, sizeof(*out));

	for (size_t i = 0; i < d->n; i++) {
		const struct drain *x = &d->list[i];
		int64_t age = mono_sub(sm->now, x->since).ns / SECOND_NS;
		int64_t left = mono_sub(x->until, sm->now).ns / SECOND_NS;

		out[i] = (struct state_file_drain){.guid = x->guid,
			.port = x->port,
			.forced = x->forced,
			.narrow = x->narrow,
			.age = age > 0 ? (uint64_t)age : 0,
			.left = x->until.ns == MONO_NEVER.ns
					? STATE_FILE_FOREVER
					: (uint64_t)(left > 0 ? left : 0),
			.name = x->name,
			.by = x->by,
			.reason = x->reason};
	}
	s->drain = out;
	s->ndrain = d->n;
	return out;
}
