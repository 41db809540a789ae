#include "sm/view/event_log.h"

#include <stdlib.h>

#include "discovery/port_key.h"
#include "sm/base/hash.h"
#include "sm/base/log.h"
#include "sm/base/map.h"
#include "sm/base/mem.h"

struct event_log {
	uint64_t count[EVENT_KINDS];
	struct log_limit budget[EVENT_KINDS];
	unsigned more[EVENT_KINDS]; /* beyond it, in this batch */
	struct event_missing *missing;
	size_t nmissing, capmissing;
	uint64_t stamp; /* changes of missing */
	/* when a link came up, in units of 0.1 s, by its ends */
	struct map up;
};

struct event_log *
event_log_new(void)
{
	return mem_zalloc(1, sizeof(struct event_log));
}

void
event_log_free(struct event_log *l)
{
	if (l == NULL)
		return;
	free(l->missing);
	map_free(&l->up);
	free(l);
}

void
event_log_restore(struct event_log *l, const struct event_missing *m)
{
	l->missing = mem_grow(
		l->missing, l->nmissing, &l->capmissing, sizeof(*l->missing));
	l->missing[l->nmissing++] = *m;
	l->stamp++;
}

void
event_log_shift(struct event_log *l, struct mono zero)
{
	for (size_t i = 0; i < l->nmissing; i++)
		l->missing[i].since = mono_add(zero, l->missing[i].since);
}

/* A link by its ends, in either order. */
static uint64_t
link_key(const struct topo_event *e)
{
	return hash_spread(port_key(e->a.guid, e->a.port)) +
	       hash_spread(port_key(e->b.guid, e->b.port));
}

static bool
is_end(const struct event_end *a, const struct event_end *b)
{
	return a->guid == b->guid && a->port == b->port;
}

static bool
is_about(const struct event_missing *m, const struct topo_event *e)
{
	if (m->is_node || e->kind == EVENT_NODE_NEW)
		return m->is_node && e->kind == EVENT_NODE_NEW &&
		       m->a.guid == e->a.guid;
	return (is_end(&m->a, &e->a) && is_end(&m->b, &e->b)) ||
	       (is_end(&m->a, &e->b) && is_end(&m->b, &e->a));
}

double
event_log_lasted(
	const struct event_log *l, const struct topo_event *e, struct mono now)
{
	uint32_t since;

	if (e->kind == EVENT_LINK_DOWN || e->kind == EVENT_LINK_RESET)
		return map_get(&l->up, link_key(e), &since)
			       ? mono_seconds(now) - since / 10.0
			       : 0;
	if (e->kind != EVENT_LINK_UP && e->kind != EVENT_NODE_NEW)
		return 0;
	for (size_t i = 0; i < l->nmissing; i++)
		if (is_about(&l->missing[i], e))
			return mono_seconds(mono_sub(now, l->missing[i].since));
	return 0;
}

void
event_log_note(struct event_log *l, const struct topo_event *e, struct mono now)
{
	const struct event_missing m = {.is_node = e->kind == EVENT_NODE_GONE,
		.a = e->a,
		.b = e->b,
		.since = now};

	if (m.is_node || e->kind == EVENT_LINK_DOWN)
		event_log_restore(l, &m);
	if (e->kind == EVENT_LINK_UP || e->kind == EVENT_LINK_RESET)
		map_put(&l->up, link_key(e),
			(uint32_t)(mono_seconds(now) * 10));
}

void
event_log_add(struct event_log *l, enum event_kind kind)
{
	l->count[kind]++;
}

/* A budget of the log earns a line a second: this clock is slower. */
static bool
has_budget(struct event_log *l, enum event_kind kind, struct mono now)
{
	const struct mono slow = {now.ns / EVENT_LOG_SECONDS};

	return log_allowed(&l->budget[kind], EVENT_LOG_BURST, slow, NULL);
}

bool
event_log_allows(struct event_log *l, enum event_kind kind, struct mono now)
{
	if (has_budget(l, kind, now))
		return true;
	l->more[kind]++;
	return false;
}

bool
event_log_take(struct event_log *l, enum event_kind kind, struct mono now)
{
	event_log_add(l, kind);
	return event_log_allows(l, kind, now);
}

bool
event_log_rest(struct event_log *l, struct event *out, struct mono now)
{
	for (unsigned k = 0; k < EVENT_KINDS; k++) {
		if (l->more[k] == 0)
			continue;
		if (!has_budget(l, EVENT_SUPPRESSED, now))
			return false;
		*out = (struct event){.kind = EVENT_SUPPRESSED};
		event_text(out, "of", event_kind_row((enum event_kind)k)->name);
		event_number(out, "more", l->more[k]);
		l->more[k] = 0;
		return true;
	}
	return false;
}

/* True if t has this port, and a link there. */
static bool
is_linked(const struct topo *t, const struct event_end *end)
{
	node_ix n =
		end->guid != 0 ? topo_by_node_guid(t, end->guid) : TOPO_NONE;

	return n != TOPO_NONE && end->port <= t->node[n].nports &&
	       t->port[topo_port_of(t, n, end->port)].peer != TOPO_NONE;
}

static bool
is_back(const struct topo *t, const struct event_missing *m)
{
	if (m->is_node)
		return topo_by_node_guid(t, m->a.guid) != TOPO_NONE;
	return is_linked(t, &m->a) || is_linked(t, &m->b);
}

/* True if t has this link. */
static bool
is_link_of(const struct topo *t, const struct event_end *a,
	const struct event_end *b)
{
	port_ix peer;

	if (!is_linked(t, a))
		return false;
	peer = t->port[topo_port_of(t, topo_by_node_guid(t, a->guid), a->port)]
		       .peer;
	return t->node[t->port[peer].node].guid == b->guid &&
	       t->port[peer].num == b->port;
}

/* A node of this link is missing, too: the link is told with it. */
static bool
is_of_missing_node(const struct event_log *l, const struct event_missing *m)
{
	for (size_t i = 0; i < l->nmissing; i++)
		if (l->missing[i].is_node &&
			(l->missing[i].a.guid == m->a.guid ||
				l->missing[i].a.guid == m->b.guid))
			return true;
	return false;
}

void
event_log_back(const struct event_log *l, const struct topo *t,
	topo_event_sink *sink, void *cookie)
{
	for (size_t i = 0; i < l->nmissing; i++) {
		const struct event_missing *m = &l->missing[i];
		const struct topo_event e = {
			.kind = m->is_node ? EVENT_NODE_NEW : EVENT_LINK_UP,
			.a = m->a,
			.b = m->b};

		if (m->is_node ? is_back(t, m)
			       : is_link_of(t, &m->a, &m->b) &&
					 !is_of_missing_node(l, m))
			sink(cookie, &e);
	}
}

void
event_log_left(const struct event_log *l, const struct topo *t,
	topo_event_sink *sink, void *cookie)
{
	for (size_t i = 0; i < l->nmissing; i++) {
		const struct event_missing *m = &l->missing[i];
		const struct topo_event e = {
			.kind = EVENT_LINK_DOWN, .a = m->a, .b = m->b};

		if (!m->is_node && event_log_is_told(m, t) && !is_back(t, m) &&
			is_of_missing_node(l, m))
			sink(cookie, &e);
	}
}

void
event_log_settle(struct event_log *l, const struct topo *t)
{
	size_t n = 0;

	for (size_t i = 0; i < l->nmissing; i++)
		if (!is_back(t, &l->missing[i]))
			l->missing[n++] = l->missing[i];
	l->stamp += l->nmissing - n;
	l->nmissing = n;
	if (n > 0)
		return;
	free(l->missing);
	l->missing = NULL;
	l->capmissing = 0;
}

void
event_log_accept(struct event_log *l)
{
	l->stamp += l->nmissing;
	l->nmissing = 0;
}

uint64_t
event_log_stamp(const struct event_log *l)
{
	return l->stamp;
}

uint64_t
event_log_count(const struct event_log *l, enum event_kind kind)
{
	return l->count[kind];
}

const struct event_missing *
event_log_missing(const struct event_log *l, size_t *n)
{
	*n = l->nmissing;
	return l->missing;
}

bool
event_log_is_told(const struct event_missing *m, const struct topo *t)
{
	return m->is_node ||
	       (topo_by_node_guid(t, m->a.guid) != TOPO_NONE &&
		       topo_by_node_guid(t, m->b.guid) != TOPO_NONE);
}
