/*
 * Events and the Reports about them (IBA 13.4.9, 14.2.5.1): an event is a
 * difference between two views, a group that was made or ended, or a trap of
 * the fabric.
 */
#include <stdlib.h>
#include <string.h>

#include "sm/base/be.h"
#include "sm/base/mem.h"
#include "sm/sa/sa_event.h"

enum {

	LAST_OURS = 69, /* 66, 67 of groups; 68, 69 of paths */
	BAD_MKEY = 256, /* violations of keys, up to BAD_PKEY_IN */
	BAD_PKEY_IN = 259,
	TRY_BITS = 4,
	LOOKS = 4096, /* comparisons of subscription and event in a turn */
	TYPE_SM = 3,
	TYPE_SECURITY = 2,
	PRODUCER_SM = 4,
	AT_DETAILS_GID = 16,
	AT_ISSUER_GID = 64,
	ALL_LIDS = 0xffff,
	ALL_PRODUCERS = 0xffffff,
};

struct sa_informs *
sa_informs_new(void)
{
	return mem_zalloc(1, sizeof(struct sa_informs));
}

void
sa_informs_free(struct sa_informs *s)
{
	if (s == NULL)
		return;
	for (size_t i = 0; i < s->n; i++)
		free(s->sub[i]);
	map_free(&s->by_id);
	map_free(&s->by_owner);
	map_free(&s->open_of);
	free(s->sub);
	free(s->ring);
	free(s);
}

uint32_t
sa_informs_count(const struct sa *sa)
{
	return (uint32_t)sa->informs->n;
}

static uint32_t
open_of(const struct sa_informs *s, uint64_t owner)
{
	uint32_t n = 0;

	(void)map_get(&s->open_of, owner, &n);
	return n;
}

static void
close_report(
	struct sa_informs *s, struct event_report *r, struct event_sub *sub)
{
	uint32_t n = open_of(s, sub->owner) - 1;

	r->sub = 0;
	s->open--;
	sub->open--;
	if (n > 0)
		map_put(&s->open_of, sub->owner, n);
	else
		(void)map_del(&s->open_of, sub->owner);
}

struct event_sub *
sa_informs_of(const struct sa_informs *s, uint64_t owner)
{
	uint32_t i;

	return map_get(&s->by_owner, owner, &i) ? s->sub[i] : NULL;
}

/* Take a subscription out of the list of its owner. */
static void
unlink_sub(struct sa_informs *s, const struct event_sub *sub)
{
	struct event_sub *before = sa_informs_of(s, sub->owner);

	if (before == sub && sub->mate == NULL) {
		(void)map_del(&s->by_owner, sub->owner);
	} else if (before == sub) {
		map_put(&s->by_owner, sub->owner, (uint32_t)sub->mate->at);
	} else {
		while (before->mate != sub)
			before = before->mate;
		before->mate = sub->mate;
	}
}

void
sa_informs_drop(struct sa *sa, struct event_sub *sub)
{
	struct sa_informs *s = sa->informs;
	struct event_sub *last = s->sub[s->n - 1];

	for (size_t k = 0; k < EVENT_WINDOW && sub->open > 0; k++)
		if (s->report[k].sub == sub->id)
			close_report(s, &s->report[k], sub);
	unlink_sub(s, sub);
	(void)map_del(&s->by_id, sub->id);
	if (last != sub) {
		if (sa_informs_of(s, last->owner) == last)
			map_put(&s->by_owner, last->owner, (uint32_t)sub->at);
		map_put(&s->by_id, last->id, (uint32_t)sub->at);
		last->at = sub->at;
		s->sub[last->at] = last;
	}
	s->n--;
	s->pending = true; /* the places of its reports are free */
	free(sub);
	sa->changed = true;
}

static struct event_sub *
sub_of(const struct sa_informs *s, uint32_t id)
{
	uint32_t i;

	return map_get(&s->by_id, id, &i) ? s->sub[i] : NULL;
}

/* ---- events ---- */

/* Add an event about port p of view v; the caller fills it. */
static struct event *
add_event(struct sa *sa, const struct view *v, port_ix p)
{
	struct sa_informs *s = sa->informs;
	const uint16_t *key;
	struct event *e;
	size_t n;

	if (s->ring == NULL)
		s->ring = mem_zalloc(EVENT_RING, sizeof(*s->ring));
	if (s->end - s->begin == EVENT_RING)
		s->begin++;
	e = &s->ring[s->end++ % EVENT_RING];
	memset(e, 0, sizeof(*e));
	e->lid = sa_scope_lid(v, p);
	n = view_partition_keys(v, p, &key);
	for (size_t i = 0; i < n && i < VIEW_PARTITION_BLOCK; i++)
		e->key[i] = key[i];
	s->pending = true;
	return e;
}

/* Write the notice of an event of the SM itself. */
static void
own_notice(const struct sa *sa, struct event *e, uint16_t trap)
{
	const struct topo *t = sa->view->topo;
	const struct topo_port *us = &t->port[t->sm_port];
	const struct mad_gid issuer = {sa->par.prefix, us->guid};
	const struct mad_notice n = {
		.generic = true,
		.type = TYPE_SM,
		.producer = PRODUCER_SM,
		.trap = trap,
		.issuer_lid = us->lid,
	};
	uint8_t d[MAD_DATA];

	mad_notice_encode(&n, d);
	memcpy(e->notice, d, sizeof(d));
	mad_sa_gid_encode(&e->about, e->notice + AT_DETAILS_GID);
	mad_sa_gid_encode(&issuer, e->notice + AT_ISSUER_GID);
}

static void
gid_event(struct sa *sa, const struct view *v, port_ix p, uint16_t trap)
{
	struct event *e;

	if (sa->informs->n == 0)
		return; /* no subscriber */
	e = add_event(sa, v, p);
	e->about = (struct mad_gid){sa->par.prefix, v->topo->port[p].guid};
	own_notice(sa, e, trap);
}

/* Ports in the group's partition may get the report. */
void
sa_informs_group(
	struct sa *sa, const struct mad_gid *mgid, uint16_t pkey, uint16_t trap)
{
	struct event *e;

	if (sa->view == NULL || sa->informs->n == 0)
		return;
	e = add_event(sa, sa->view, sa->view->topo->sm_port);
	memset(e->key, 0, sizeof(e->key));
	e->key[0] = pkey;
	e->about = *mgid;
	own_notice(sa, e, trap);
}

/* True if the port is a destination. */
static bool
in_service(const struct topo *t, port_ix p)
{
	return topo_has_lid(t, p) && t->port[p].lid != 0;
}

/* Add an event for each port that only one of the two views has in service;
 * both topologies list their ports by GUID. */
static void
compare_views(struct sa *sa, const struct view *old)
{
	const struct topo *a = old->topo, *b = sa->view->topo;
	uint32_t i = 0, k = 0;

	while (i < a->nguid || k < b->nguid) {
		port_ix p = i < a->nguid ? a->by_pguid[i] : TOPO_NONE;
		port_ix q = k < b->nguid ? b->by_pguid[k] : TOPO_NONE;
		uint64_t x = p == TOPO_NONE ? UINT64_MAX : a->port[p].guid;
		uint64_t y = q == TOPO_NONE ? UINT64_MAX : b->port[q].guid;
		bool was = x <= y && p != TOPO_NONE && in_service(a, p);
		bool is = y <= x && q != TOPO_NONE && in_service(b, q);

		if (was && !is)
			gid_event(sa, old, p, MAD_TRAP_PORT_GONE);
		if (is && !was)
			gid_event(sa, sa->view, q, MAD_TRAP_PORT_CAME);
		i += x <= y;
		k += y <= x;
	}
}

void
sa_informs_commit(struct sa *sa, const struct view *old)
{
	struct sa_informs *s = sa->informs;

	for (size_t i = s->n; i-- > 0;) {
		port_ix p = topo_by_port_guid(sa->view->topo, s->sub[i]->owner);

		if (p == TOPO_NONE || !in_service(sa->view->topo, p))
			sa_informs_drop(sa, s->sub[i]);
	}
	if (old != NULL)
		compare_views(sa, old);
}

void
sa_trap(struct sa *sa, uint16_t lid, const uint8_t notice[MAD_DATA])
{
	enum { AT_ISSUER_LID = 6 };
	struct mad_gid issuer;
	struct mad_notice n;
	struct event *e;
	port_ix p;

	if (sa->view == NULL || sa->informs->n == 0)
		return;
	p = lid == 0 ? sa->view->topo->sm_port
		     : topo_by_lid(sa->view->topo, lid, NULL);
	mad_notice_decode(notice, &n);
	/* traps that only a subnet manager sends are not forwarded */
	if (p == TOPO_NONE || n.producer == PRODUCER_SM ||
		(n.generic && n.trap >= MAD_TRAP_PORT_CAME &&
			n.trap <= LAST_OURS))
		return;
	e = add_event(sa, sa->view, p);
	e->security =
		n.type == TYPE_SECURITY ||
		(n.generic && n.trap >= BAD_MKEY && n.trap <= BAD_PKEY_IN);
	memcpy(e->notice, notice, MAD_DATA);
	be_put16(e->notice + AT_ISSUER_LID, sa->view->topo->port[p].lid);
	issuer = (struct mad_gid){sa->par.prefix, sa->view->topo->port[p].guid};
	mad_sa_gid_encode(&issuer, e->notice + AT_ISSUER_GID);
}

/* ---- which subscriptions match ---- */

static bool
shares_partition(const struct sa *sa, port_ix p, const struct event *e)
{
	const uint16_t *key;
	size_t n = view_partition_keys(sa->view, p, &key);

	for (size_t i = 0; i < n; i++)
		for (unsigned k = 0; k < VIEW_PARTITION_BLOCK; k++)
			if (((key[i] ^ e->key[k]) & PKEY_NUMBER) == 0 &&
				((key[i] | e->key[k]) & PKEY_FULL) != 0)
				return true;
	return false;
}

static bool
matches_source(const struct mad_sa_inform *i, const struct event *e)
{
	struct mad_gid issuer = mad_sa_gid_decode(e->notice + AT_ISSUER_GID);

	if (i->gid.prefix != 0 || i->gid.guid != 0)
		return i->gid.guid == issuer.guid ||
		       i->gid.guid == e->about.guid;
	return i->lid_first == ALL_LIDS ||
	       (e->lid >= i->lid_first && e->lid <= i->lid_last);
}

static bool
wants_event(const struct sa *sa, const struct event_sub *sub, port_ix p,
	const struct event *e)
{
	const struct mad_sa_inform *i = &sub->inform;
	struct mad_notice n;

	mad_notice_decode(e->notice, &n);
	if (i->generic != n.generic ||
		(i->type != EVENT_ANY && i->type != n.type) ||
		(i->trap != EVENT_ANY && i->trap != n.trap) ||
		(i->producer != ALL_PRODUCERS && i->producer != n.producer) ||
		!matches_source(i, e))
		return false;
	return sub->trusted || (!e->security && shares_partition(sa, p, e));
}

/* ---- reports ---- */

static void
send_report(struct sa *sa, struct event_report *r, struct mono now)
{
	struct transport_msg m = {.addr = r->addr,
		.timeout_ms = (unsigned)EVENT_MS << r->tries,
		.len = MAD_SIZE};
	const struct mad_sa h = {
		.base_version = 1,
		.class_version = MAD_SA_VERSION,
		.method = MAD_SA_REPORT,
		.tid = (uint64_t)r->tid << TRY_BITS | r->tries,
		.attr = MAD_SA_NOTICE_ATTR,
	};

	mad_sa_encode(&h, m.mad);
	memcpy(m.mad + MAD_SA_HEADER, r->notice, sizeof(r->notice));
	(void)sa->t->send(sa->t, &m);
	sa->stats.reports++;
	r->due = mono_add(now, mono_ms((int64_t)EVENT_MS << r->tries));
	r->tries++;
}

static void
open_report(struct sa *sa, struct event_sub *sub, port_ix p,
	const struct event *e, struct mono now)
{
	struct sa_informs *s = sa->informs;
	const struct topo *t = sa->view->topo;
	struct event_report *r = s->report;

	while (r->sub != 0)
		r++;
	*r = (struct event_report){
		.sub = sub->id,
		.tid = ++s->tid & (UINT32_MAX >> TRY_BITS),
		.addr = sub->addr,
	};
	r->addr.lid = t->port[p].lid;
	memcpy(r->notice, e->notice, sizeof(r->notice));
	s->open++;
	sub->open++;
	map_put(&s->open_of, sub->owner, open_of(s, sub->owner) + 1);
	send_report(sa, r, now);
}

/* True if one more report to this subscription may be sent. */
static bool
has_room(const struct sa_informs *s, const struct event_sub *sub)
{
	unsigned most = sub->unanswered > 0 ? 1 : EVENT_OWN;

	return sub->open < most && s->open < EVENT_WINDOW &&
	       open_of(s, sub->owner) < EVENT_PORT;
}

/*
 * Compare one subscription with the events that it has not examined; returns
 * the number of comparisons. A subscription at its limit of unanswered reports
 * goes on when they are closed.
 */
static unsigned
feed_subscription(
	struct sa *sa, struct event_sub *sub, unsigned looks, struct mono now)
{
	struct sa_informs *s = sa->informs;
	unsigned n = 0;
	port_ix p;

	if (sub->next == s->end || !has_room(s, sub))
		return 0;
	p = topo_by_port_guid(sa->view->topo, sub->owner);
	if (sub->next < s->begin) {
		sa->stats.unreported += s->begin - sub->next;
		sub->next = s->begin;
	}
	while (n < looks && sub->next < s->end && has_room(s, sub)) {
		const struct event *e = &s->ring[sub->next++ % EVENT_RING];

		n++;
		if (wants_event(sa, sub, p, e))
			open_report(sa, sub, p, e, now);
	}
	return n;
}

/* Feed the subscriptions of a port after one of its reports is closed. */
static void
feed_owner(struct sa *sa, uint64_t owner, struct mono now)
{
	struct sa_informs *s = sa->informs;
	struct event_sub *sub = sa_informs_of(s, owner);
	unsigned looks = LOOKS;

	for (; sub != NULL && looks > 0; sub = sub->mate) {
		if (s->open >= EVENT_WINDOW || open_of(s, owner) >= EVENT_PORT)
			break;
		looks -= feed_subscription(sa, sub, looks, now);
	}
	s->pending |= looks == 0;
}

/*
 * Feed all subscriptions round robin, until the window is full or this turn's
 * comparisons are used up; the next call goes on where this one ended.
 */
static void
feed_all(struct sa *sa, struct mono now)
{
	struct sa_informs *s = sa->informs;
	unsigned looks = LOOKS;
	size_t i;

	if (!s->pending || s->open >= EVENT_WINDOW || sa->view == NULL)
		return;
	s->pending = false;
	for (i = 0; i < s->n; i++) {
		struct event_sub *sub = s->sub[(s->first + i) % s->n];

		looks -= feed_subscription(sa, sub, looks, now);
		if (looks == 0 || s->open >= EVENT_WINDOW)
			break;
	}
	if (i < s->n)
		s->pending = true;
	s->first = s->n > 0 ? (s->first + i) % s->n : 0;
}

static void
give_up(struct sa *sa, struct event_report *r)
{
	struct sa_informs *s = sa->informs;
	struct event_sub *sub = sub_of(s, r->sub);

	sa->stats.unreported++;
	close_report(s, r, sub);
	s->pending = true;
	if (++sub->unanswered >= EVENT_DEAD)
		sa_informs_drop(sa, sub);
}

void
sa_informs_response(struct sa *sa, uint16_t lid, uint64_t tid, struct mono now)
{
	struct sa_informs *s = sa->informs;
	uint32_t which = (uint32_t)tid >> TRY_BITS;

	for (struct event_report *r = s->report; r < s->report + EVENT_WINDOW;
		r++) {
		struct event_sub *sub;

		if (r->sub == 0 || r->tid != which || r->addr.lid != lid)
			continue;
		sub = sub_of(s, r->sub);
		close_report(s, r, sub);
		sub->unanswered = 0;
		if (!s->pending && sa->view != NULL) /* else feed_all does it */
			feed_owner(sa, sub->owner, now);
		break;
	}
	feed_all(sa, now);
}

/* Update the LID of a report: it may have changed between two tries. */
static void
follow_lid(const struct sa *sa, struct event_report *r)
{
	const struct event_sub *sub = sub_of(sa->informs, r->sub);
	uint32_t p;

	if (sub != NULL && map_get(&sa->by_guid, sub->owner, &p))
		r->addr.lid = sa->view->topo->port[p].lid;
}

struct mono
sa_informs_next(const struct sa *sa)
{
	const struct sa_informs *s = sa->informs;
	struct mono t = MONO_NEVER;

	if (s->pending && s->open < EVENT_WINDOW && s->n > 0)
		return (struct mono){0};
	for (size_t i = 0; i < EVENT_WINDOW && s->open > 0; i++)
		if (s->report[i].sub != 0)
			t = mono_min(t, s->report[i].due);
	return t;
}

void
sa_informs_tick(struct sa *sa, struct mono now)
{
	struct sa_informs *s = sa->informs;

	for (size_t i = 0; i < EVENT_WINDOW && s->open > 0; i++) {
		struct event_report *r = &s->report[i];

		if (r->sub == 0 || mono_before(now, r->due))
			continue;
		if (r->tries >= EVENT_TRIES) {
			give_up(sa, r);
		} else {
			follow_lid(sa, r);
			send_report(sa, r, now);
		}
	}
	feed_all(sa, now);
}
