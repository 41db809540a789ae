#include "sm/view/event_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/log.h"
#include "sm/base/mem.h"

struct event_log {
	struct event_entry *ring; /* of seq s at s % EVENT_LOG_KEPT */
	uint64_t last;		  /* seq of the newest */
	uint64_t count[TOPO_EVENT_KINDS];
	struct log_limit budget[TOPO_EVENT_KINDS];
	unsigned more[TOPO_EVENT_KINDS]; /* beyond it, in this batch */
	struct event_missing *missing;
	size_t nmissing, capmissing;
	uint64_t stamp; /* changes of missing */
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
	free(l->ring);
	free(l->missing);
	free(l);
}

static struct event_entry *
new_entry(struct event_log *l, enum topo_event_kind kind, struct mono now)
{
	struct event_entry *e;

	if (l->ring == NULL)
		l->ring = mem_zalloc(EVENT_LOG_KEPT, sizeof(*l->ring));
	e = &l->ring[++l->last % EVENT_LOG_KEPT];
	*e = (struct event_entry){.seq = l->last, .when = now, .kind = kind};
	return e;
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

static void
note_missing(struct event_log *l, const struct topo_event *e, struct mono now)
{
	const struct event_missing m = {.is_node = e->kind == TOPO_NODE_GONE,
		.a = e->a,
		.b = e->b,
		.since = now};

	if (m.is_node || e->kind == TOPO_LINK_DOWN)
		event_log_restore(l, &m);
}

const struct event_entry *
event_log_add(struct event_log *l, const struct topo_event *e, struct mono now)
{
	struct event_entry *entry;

	note_missing(l, e, now);
	if (e->unseen)
		return NULL;
	l->count[e->kind]++;
	if (!log_allowed(&l->budget[e->kind], EVENT_LOG_BURST, now, NULL)) {
		l->more[e->kind]++;
		return NULL;
	}
	entry = new_entry(l, e->kind, now);
	entry->a = e->a;
	entry->b = e->b;
	topo_event_text(e, entry->text, sizeof(entry->text));
	return entry;
}

const struct event_entry *
event_log_rest(struct event_log *l, struct mono now)
{
	for (unsigned k = 0; k < TOPO_EVENT_KINDS; k++) {
		struct event_entry *e;

		if (l->more[k] == 0)
			continue;
		e = new_entry(l, (enum topo_event_kind)k, now);
		(void)snprintf(e->text, sizeof(e->text),
			"events: %u more of kind %s", l->more[k],
			topo_event_class((enum topo_event_kind)k)->name);
		l->more[k] = 0;
		return e;
	}
	return NULL;
}

/* The port of an end, or TOPO_NONE. */
/* True if t has this port, and a link there. */
static bool
is_linked(const struct topo *t, const struct topo_event_end *end)
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
event_log_count(const struct event_log *l, enum topo_event_kind kind)
{
	return l->count[kind];
}

const struct event_entry *
event_log_after(const struct event_log *l, uint64_t seq)
{
	uint64_t oldest =
		l->last > EVENT_LOG_KEPT ? l->last - EVENT_LOG_KEPT + 1 : 1;

	if (seq >= l->last)
		return NULL;
	seq = seq + 1 > oldest ? seq + 1 : oldest;
	return &l->ring[seq % EVENT_LOG_KEPT];
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
