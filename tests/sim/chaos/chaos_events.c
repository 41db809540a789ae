/*
 * The events of a run, replayed: whoever has read them all knows what the
 * status says: what is drained, which nodes and links are missing, and which
 * alarms are on. Where events were suppressed, the rest is counted and not
 * told, and only drains are compared.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/hash.h"
#include "sm/base/map.h"
#include "sm/event/alarm_kind.h"
#include "sm/view/drains.h"
#include "sm/view/event_log.h"
#include "tests/sim/chaos/chaos_int.h"
#include "tests/sim/model/world.h"

/* One number for a node, or for a link by either of its ends. */
static uint64_t
key_of(const struct fabric *f, uint64_t guid, unsigned port)
{
	uint64_t key = hash_mix(guid, port), other;
	uint32_t n = 0, peer;
	unsigned at;

	while (n < f->nnodes && f->node[n].guid != guid)
		n++;
	if (n == f->nnodes || port == 0 || !fabric_peer(f, n, port, &peer, &at))
		return key;
	other = hash_mix(f->node[peer].guid, at);
	return other < key ? other : key;
}

static uint64_t
key_of_event(const struct fabric *f, const struct world_event *e)
{
	return key_of(f, e->guid, e->port);
}

/* What the events leave: drained, or, if there are all of them, missing and
 * on. */
struct left {
	struct map drained, missing, links;
	uint32_t alarms;
	bool suppressed;
	bool started; /* again: what was not saved is not missing any more */
};

/* The alarm that such an event is about, as a bit. */
static uint32_t
alarm_of_event(const struct world_event *e)
{
	char name[32] = "";

	(void)sscanf(e->text, "alarm: %*s %31[^:,]", name);
	for (unsigned i = 0; i < ALARM_KINDS; i++)
		if (strcmp(alarm_kind_row((enum alarm_kind)i)->name, name) == 0)
			return 1U << i;
	return 0;
}

static void
replay_events(const struct world *w, struct left *l)
{
	for (size_t i = 0; i < w->nevents; i++) {
		const struct world_event *e = &w->event[i];

		if (e->kind == EVENT_DRAINED)
			map_put(&l->drained, key_of_event(w->fabric, e), 0);
		else if (e->kind == EVENT_UNDRAINED)
			(void)map_del(&l->drained, key_of_event(w->fabric, e));
		else if (e->kind == EVENT_NODE_GONE)
			map_put(&l->missing, e->guid, 0);
		else if (e->kind == EVENT_NODE_NEW)
			(void)map_del(&l->missing, e->guid);
		else if (e->kind == EVENT_LINK_DOWN)
			map_put(&l->links, key_of_event(w->fabric, e), 0);
		else if (e->kind == EVENT_LINK_UP)
			(void)map_del(&l->links, key_of_event(w->fabric, e));
		else if (e->kind == EVENT_ALARM_ON)
			l->alarms |= alarm_of_event(e);
		else if (e->kind == EVENT_ALARM_OFF)
			l->alarms &= ~alarm_of_event(e);
		else if (e->kind == EVENT_SUPPRESSED)
			l->suppressed = true;
	}
}

static int
compare_drains(const struct world *w, struct left *l, struct reason *why)
{
	const struct drains *d = sm_drains(w->sm);

	for (size_t i = 0; i < d->n; i++)
		if (!map_get(&l->drained,
			    key_of(w->fabric, d->list[i].guid, d->list[i].port),
			    NULL))
			return reason_set(why,
				"no event says that \"%s\" port %u is drained",
				d->list[i].name, d->list[i].port);
	if (l->drained.n != d->n)
		return reason_set(why,
			"by the events %zu are drained, by the status %zu",
			l->drained.n, d->n);
	return 0;
}

static int
compare_missing(const struct world *w, struct left *l, struct reason *why)
{
	size_t n, nodes = 0;
	const struct event_missing *m = event_log_missing(sm_events(w->sm), &n);

	for (size_t i = 0; i < n; i++) {
		if (!m[i].is_node)
			continue;
		nodes++;
		if (!map_get(&l->missing, m[i].a.guid, NULL))
			return reason_set(why,
				"no event says that \"%s\" is missing",
				m[i].a.name);
	}
	if (l->missing.n != nodes && !l->started)
		return reason_set(why,
			"by the events %zu nodes are missing, by the status "
			"%zu",
			l->missing.n, nodes);
	return 0;
}

/* A link that is back with its node has no event of its own: what is missing
 * was told, and not the other way round. */
static int
compare_links(const struct world *w, struct left *l, struct reason *why)
{
	size_t n;
	const struct event_missing *m = event_log_missing(sm_events(w->sm), &n);

	for (size_t i = 0; i < n; i++)
		if (!m[i].is_node &&
			event_log_is_told(&m[i], sm_view(w->sm)->topo) &&
			!map_get(&l->links,
				key_of(w->fabric, m[i].a.guid, m[i].a.port),
				NULL))
			return reason_set(why,
				"no event says that the link of \"%s\" port %u "
				"is missing",
				m[i].a.name, m[i].a.port);
	return 0;
}

static int
compare_alarms(const struct world *w, struct left *l, struct reason *why)
{
	struct sm_status s;

	sm_status(w->sm, &s);
	if (l->alarms != s.alarms && !l->started)
		return reason_set(why,
			"by the events the alarms %#x are on, by the status "
			"%#x",
			l->alarms, s.alarms);
	return 0;
}

int
chaos_events_judge(const struct world *w, bool started, struct reason *why)
{
	struct left l = {.started = started};
	int rc;

	replay_events(w, &l);
	rc = compare_drains(w, &l, why);
	if (rc == 0 && !l.suppressed)
		rc = compare_missing(w, &l, why) || compare_links(w, &l, why) ||
				     compare_alarms(w, &l, why)
			     ? -1
			     : 0;
	map_free(&l.drained);
	map_free(&l.missing);
	map_free(&l.links);
	return rc;
}
