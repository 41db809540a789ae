#include "sm/transport/xact.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/be.h"
#include "sm/base/map.h"
#include "sm/base/mem.h"
#include "sm/transport/deadlines.h"
#include "sm/transport/serials.h"
#include "sm/transport/xact_try.h"

enum {
	NIL = 0, /* no slot, no target: both arrays start at 1 */
	TRIES_MAX = 1 << TRANSPORT_TRY_BITS,
	BACKOFF_PART = 8,   /* the wait after a failed try: its time-out / 8 */
	WINDOW_LEAST = 8,   /* the window shrinks no further */
	TARGET_GROWTH = 32, /* answers, then one more in flight to a target */
	ROOM_QUEUED = 4096,
	ROOM_READY = 16,
	LATE_MS = 10,	    /* the least time after which an answer is late */
	MUTE_TIMEOUTS = 32, /* without an answer of any target, at most */
	VAIN_MANY = 32, /* requests given up in a row: no losses, but death */
	LATE_SPREAD = 8 /* times the spread of the round-trip times */
};

/*
 *              submit          send_ready
 *   SLOT_FREE --------> QUEUED --------> FLYING ---- answer ----> SLOT_FREE
 *                         ^               |   |  (also from QUEUED, BACKOFF)
 *                         |<-- deadline --+   |
 *                         |                   | busy, error
 *                         +---- BACKOFF <-----+
 *
 * When no tries are left the slot becomes SLOT_FREE instead. To cancel or cut,
 * all slots concerned become DOOMED, and from there one by one SLOT_FREE.
 */
enum slot_state { SLOT_FREE, QUEUED, FLYING, BACKOFF, DOOMED };

struct slot {
	struct xact_request req;
	xact_done *done;
	void *cookie;
	uint64_t tag;
	enum slot_state state;
	uint32_t target;
	uint32_t next, prev; /* in the target's queue, or a list of slots */
	uint32_t serial;     /* in the TID; 0: never sent */
	unsigned tries;	     /* begun so far */
	uint8_t keys;	     /* that its target may have */
	uint8_t hidden;	     /* answers that hid the target's key */
	bool late;	     /* its answer takes longer than others did */
	bool outside;	     /* FLYING outside the window, to a silent target */
	bool cut;	     /* DOOMED: by xact_cut */
	struct mono sent[TRIES_MAX];
	uint64_t key[TRIES_MAX];
};

/* One SMA; it lives while a slot refers to it. */
struct target {
	uint64_t id;
	uint32_t head, tail; /* queue of slots */
	uint32_t next, prev; /* in the list of ready targets, or of free ones */
	unsigned refs, inflight;
	unsigned limit;	  /* in flight at most, and at most target_max */
	unsigned answers; /* since limit changed */
	bool ready;	  /* has a request to send and may send it */
	bool silent; /* its last try went unanswered: one request at a time */
	bool dead;   /* a request was given up: the others get one try each */
};

/* Targets with something to send that they may send now, by turns. */
struct ready {
	uint32_t head, tail;
};

struct xact {
	struct xact_options opt;
	struct transport *transport;
	struct keyring *keys;
	struct xact_stats stats;
	struct slot *slot;
	size_t nslots, slot_cap;
	uint32_t free_slot, doomed, doomed_tail;
	struct target *target;
	size_t ntargets, target_cap;
	uint32_t free_target;
	struct ready ready[2]; /* those that answer; [1]: silent ones */
	unsigned nready;
	unsigned outside; /* in flight to silent targets, outside the window */
	unsigned unheard; /* requests to silent targets */
	unsigned vain;	  /* requests given up with all tries since a repeated
			     try was answered */
	struct map by_id; /* target id -> target */
	struct deadlines deadlines;
	struct serials serials; /* of the slots that were sent */
	unsigned pending, queued, acked;
	bool limited;	    /* the window was full since it last grew */
	struct mono shrunk; /* when the window was last halved */
	struct mono spread; /* smoothed deviation from stats.answer */
	struct mono heard;  /* the last answer, or, later, when requests were
			       open again */
	xact_late *late;    /* NULL: late requests are not reported */
	void *late_cookie;
};

static unsigned
at_least_one(unsigned n)
{
	return n > 0 ? n : 1;
}

static unsigned
at_most(unsigned n, unsigned most)
{
	return n < most ? n : most;
}

static struct xact_options
limit_options(const struct xact_options *o)
{
	struct xact_options s = *o;

	if (s.timeout.ns < mono_ms(1).ns)
		s.timeout = mono_ms(1);
	if (s.retries > TRIES_MAX - 1)
		s.retries = TRIES_MAX - 1;
	s.window_max = at_least_one(s.window_max);
	s.window_start = at_least_one(s.window_start);
	if (s.window_start > s.window_max)
		s.window_start = s.window_max;
	s.target_max = at_least_one(s.target_max);
	return s;
}

struct xact *
xact_new(const struct xact_options *o, struct transport *t)
{
	struct xact *x = mem_zalloc(1, sizeof(*x));

	x->opt = limit_options(o);
	x->transport = t;
	x->keys = keyring_new();
	x->nslots = x->ntargets = 1;
	serials_init(&x->serials, t->tid_start, 32 - TRANSPORT_TRY_BITS);
	x->stats.window = x->stats.window_peak = x->opt.window_start;
	x->shrunk.ns = INT64_MIN;
	return x;
}

void
xact_free(struct xact *x)
{
	if (x == NULL)
		return;
	keyring_free(x->keys);
	free(x->slot);
	free(x->target);
	serials_free(&x->serials);
	map_free(&x->by_id);
	deadlines_free(&x->deadlines);
	free(x);
}

struct keyring *
xact_keys(struct xact *x)
{
	return x->keys;
}

/* ---- targets ---- */

static void
ready_append(struct xact *x, uint32_t t)
{
	struct target *g = &x->target[t];
	struct ready *list = &x->ready[g->silent];

	g->next = NIL;
	g->prev = list->tail;
	if (g->prev != NIL)
		x->target[g->prev].next = t;
	else
		list->head = t;
	list->tail = t;
}

static void
ready_remove(struct xact *x, uint32_t t)
{
	struct target *g = &x->target[t];
	struct ready *list = &x->ready[g->silent];

	if (g->next != NIL)
		x->target[g->next].prev = g->prev;
	else
		list->tail = g->prev;
	if (g->prev != NIL)
		x->target[g->prev].next = g->next;
	else
		list->head = g->next;
}

/* Put target t into the list of ready targets, or take it out, as its state
 * requires. */
static void
update_ready(struct xact *x, uint32_t t)
{
	struct target *g = &x->target[t];
	unsigned most = g->silent ? 1 : at_most(g->limit, x->opt.target_max);
	bool ready = g->head != NIL && g->inflight < most;

	if (ready == g->ready)
		return;
	g->ready = ready;
	if (ready) {
		ready_append(x, t);
		x->nready++;
	} else {
		ready_remove(x, t);
		x->nready--;
	}
}

/*
 * A node whose queue is shorter than target_max drops what exceeds it. The
 * limit finds the room that there is, and seldom tries for more.
 */
static void
lower_limit(const struct xact *x, struct target *g)
{
	unsigned most = at_most(g->limit, x->opt.target_max);

	g->limit = at_least_one(most / 2);
	g->answers = 0;
}

static void
raise_limit(const struct xact *x, struct target *g)
{
	if (g->limit >= x->opt.target_max || ++g->answers < TARGET_GROWTH)
		return;
	g->limit++;
	g->answers = 0;
}

/* Target t fell silent, or is heard again. */
static void
set_silent(struct xact *x, uint32_t t, bool silent)
{
	struct target *g = &x->target[t];

	if (g->silent == silent)
		return;
	if (g->ready)
		ready_remove(x, t);
	g->silent = silent;
	x->unheard += silent ? g->refs : -g->refs;
	if (g->ready)
		ready_append(x, t);
	update_ready(x, t);
}

static uint32_t
target_ref(struct xact *x, uint64_t id)
{
	uint32_t t;

	if (!map_get(&x->by_id, id, &t)) {
		t = x->free_target;
		if (t != NIL) {
			x->free_target = x->target[t].next;
		} else {
			x->target = mem_grow(x->target, x->ntargets,
				&x->target_cap, sizeof(*x->target));
			t = (uint32_t)x->ntargets++;
		}
		x->target[t] = (struct target){.id = id, .limit = UINT_MAX};
		map_put(&x->by_id, id, t);
	}
	x->target[t].refs++;
	x->unheard += x->target[t].silent;
	return t;
}

static void
target_unref(struct xact *x, uint32_t t)
{
	update_ready(x, t);
	x->unheard -= x->target[t].silent;
	if (--x->target[t].refs > 0)
		return;
	(void)map_del(&x->by_id, x->target[t].id);
	x->target[t].next = x->free_target;
	x->free_target = t;
}

/* Put slot i into its target's queue; first: in front of it, for a retry. */
static void
queue_slot(struct xact *x, uint32_t i, bool first)
{
	struct slot *s = &x->slot[i];
	struct target *g = &x->target[s->target];

	s->state = QUEUED;
	s->prev = first ? NIL : g->tail;
	s->next = first ? g->head : NIL;
	if (s->prev != NIL)
		x->slot[s->prev].next = i;
	else
		g->head = i;
	if (s->next != NIL)
		x->slot[s->next].prev = i;
	else
		g->tail = i;
	x->queued++;
	update_ready(x, s->target);
}

static void
unqueue_slot(struct xact *x, uint32_t i)
{
	struct slot *s = &x->slot[i];
	struct target *g = &x->target[s->target];

	if (s->next != NIL)
		x->slot[s->next].prev = s->prev;
	else
		g->tail = s->prev;
	if (s->prev != NIL)
		x->slot[s->prev].next = s->next;
	else
		g->head = s->next;
	x->queued--;
	update_ready(x, s->target);
}

static void
end_flight(struct xact *x, uint32_t i)
{
	deadlines_clear(&x->deadlines, i);
	x->outside -= x->slot[i].outside;
	x->stats.inflight--;
	x->target[x->slot[i].target].inflight--;
	update_ready(x, x->slot[i].target);
}

/* The time-out of a try: it doubles, once each of the keys has had its try. */
static struct mono
try_timeout(const struct xact *x, const struct slot *s, unsigned try)
{
	int64_t ns = x->opt.timeout.ns;
	unsigned doubled = try < s->keys ? 0 : try - (s->keys - 1U);

	if (s->req.once.ns > 0)
		return s->req.once;
	return ns > INT64_MAX >> TRIES_MAX ? MONO_NEVER
					   : (struct mono){ns << doubled};
}

/* The time after which an answer to the request of s is late. */
static struct mono
late_after(const struct xact *x, const struct slot *s)
{
	int64_t most = try_timeout(x, s, 0).ns / 2;
	int64_t ns = x->stats.answer.ns + LATE_SPREAD * x->spread.ns;

	if (ns < mono_ms(LATE_MS).ns)
		ns = mono_ms(LATE_MS).ns;
	return (struct mono){ns < most ? ns : most};
}

/* Whether one more request may go to targets that answer, or to silent ones. */
static bool
has_room(const struct xact *x, bool silent)
{
	return silent ? x->outside < x->opt.window_max
		      : x->stats.inflight - x->outside < x->stats.window;
}

/*
 * How long the kernel should match an answer to a try, in ms: twice its own
 * deadline, since a late answer completes, too. Longer, and requests to targets
 * that are dead fill the kernel's bounded queue of requests without an answer.
 */
static unsigned
match_ms(const struct xact *x, const struct slot *s, unsigned try)
{
	const int64_t most = 60000;
	int64_t ms = try_timeout(x, s, try).ns / 1000000;

	return (unsigned)(ms < most / 2 ? 2 * ms : most);
}

/* ---- keys ---- */

static uint64_t
sma_of(const struct slot *s)
{
	return s->req.sma != 0 ? s->req.sma : s->req.target;
}

/* Whether the request is about the PortInfo that has the target's M_Key. */
static bool
is_about_key(const struct slot *s)
{
	return s->req.own_port && s->req.attr == MAD_PORT_INFO;
}

/* The M_Key for a try, which begins. The one routed by LID shares its key with
 * the directed one after it. */
static void
choose_key(struct xact *x, struct slot *s, unsigned try)
{
	uint64_t sma = sma_of(s);
	unsigned choices;

	if (s->req.method == MAD_SET && is_about_key(s))
		keyring_changing(x->keys, sma, be_get64(s->req.data));
	choices = keyring_choices(x->keys, sma);
	if (choices > s->keys)
		s->keys = (uint8_t)choices;
	s->key[try] = keyring_find(
		x->keys, sma, s->req.lid != 0 && try > 0 ? try - 1 : try);
}

/*
 * What an answer tells about the M_Key of its target. True: the target hides
 * its key, and there are others to try.
 */
static bool
learn_key(struct xact *x, struct slot *s, unsigned try, const struct smp *a)
{
	uint64_t shown = be_get64(a->data), sma = sma_of(s);
	struct mad_port_info pi;

	if (s->req.method == MAD_SET)
		keyring_accepted(x->keys, sma, s->key[try]);
	if (!is_about_key(s) || a->status != 0 ||
		mad_port_info_decode(a->data, &pi, NULL) != 0)
		return false;
	if (s->req.method == MAD_SET) {
		keyring_changed(x->keys, sma,
			shown != 0 ? shown : be_get64(s->req.data));
		return false;
	}
	if (!keyring_shown(x->keys, sma, shown, pi.mkey_prot))
		return false;
	if (++s->hidden < keyring_choices(x->keys, sma))
		return true;
	keyring_hidden(x->keys, sma);
	return false;
}

/* Send the next try of slot i. */
static void
send_try(struct xact *x, uint32_t i, struct mono now)
{
	struct slot *s = &x->slot[i];
	struct transport_msg m;
	unsigned try = s->tries++;

	if (s->serial == 0)
		s->serial = serials_give(&x->serials, i);
	s->state = FLYING;
	s->sent[try] = now;
	choose_key(x, s, try);
	x->target[s->target].inflight++;
	update_ready(x, s->target);
	s->outside = x->target[s->target].silent;
	x->outside += s->outside;
	x->stats.inflight++;
	if (!has_room(x, false))
		x->limited = true;
	deadlines_set(&x->deadlines, i,
		mono_add(now, s->late || x->late == NULL
				      ? try_timeout(x, s, try)
				      : late_after(x, s)));
	if (try > 0)
		x->stats.retried++;
	x->stats.by_lid += xact_try_is_by_lid(&s->req, try);
	x->stats.strayed += s->req.lid != 0 && try == 1;
	xact_try_encode(&s->req, try, s->serial << TRANSPORT_TRY_BITS | try,
		s->key[try], &m);
	m.timeout_ms = match_ms(x, s, try);
	if (x->transport->send(x->transport, &m) == 0)
		x->stats.sent++;
}

/* Send what the window allows, one request of each ready target in turn. */
static void
send_ready(struct xact *x, struct mono now)
{
	for (unsigned silent = 0; silent < 2; silent++)
		while (x->ready[silent].head != NIL && has_room(x, silent)) {
			uint32_t t = x->ready[silent].head;
			uint32_t i = x->target[t].head;

			ready_remove(x, t); /* served: to the end of the list */
			ready_append(x, t);
			unqueue_slot(x, i);
			send_try(x, i, now);
		}
}

/* Take slot i out of all queues, tables and counts; its state is stale then. */
static void
detach_slot(struct xact *x, uint32_t i)
{
	struct slot *s = &x->slot[i];

	if (s->state == QUEUED)
		unqueue_slot(x, i);
	else if (s->state == FLYING)
		end_flight(x, i);
	else if (s->state == BACKOFF)
		deadlines_clear(&x->deadlines, i);
	if (s->serial != 0)
		serials_drop(&x->serials, s->serial);
	target_unref(x, s->target);
}

/* Free the detached slot i and call its owner: the only place that does so. */
static void
complete_slot(struct xact *x, uint32_t i, const struct xact_result *res)
{
	struct slot *s = &x->slot[i];
	struct xact_result r = *res;
	xact_done *done = s->done;
	void *cookie = s->cookie;
	uint64_t tag = s->tag;

	r.tries = s->tries;
	if (r.outcome != XACT_CANCELLED)
		x->stats.by_attr[s->req.attr < 64 ? s->req.attr : 0]
				[s->req.method == MAD_SET]++;
	if (r.outcome == XACT_TIMEOUT)
		x->stats.timeouts++;
	x->stats.cut += r.cut;
	x->stats.completed++;
	x->pending--;
	s->state = SLOT_FREE;
	s->next = x->free_slot;
	x->free_slot = i;
	done(cookie, tag, &r);
}

static void
grow_window(struct xact *x)
{
	if (++x->acked < x->stats.window)
		return;
	x->acked = 0;
	if (x->limited && x->stats.window < x->opt.window_max)
		x->stats.window++;
	if (x->stats.window > x->stats.window_peak)
		x->stats.window_peak = x->stats.window;
	x->limited = false;
}

/* Halve the window, unless the failed try was sent before the window was last
 * halved. */
static void
shrink_window(struct xact *x, struct mono sent, struct mono now)
{
	if (mono_before(sent, x->shrunk))
		return;
	x->shrunk = now;
	x->acked = 0;
	x->stats.window /= 2;
	if (x->stats.window < WINDOW_LEAST)
		x->stats.window = WINDOW_LEAST;
	if (x->stats.window > x->opt.window_max)
		x->stats.window = x->opt.window_max;
}

/* Whether one try of the request is enough: most likely nothing answers. */
static bool
is_doubtful(const struct xact *x, const struct xact_request *r)
{
	return r->doubt == XACT_SILENT ||
	       (r->doubt == XACT_STRANGER && x->vain >= VAIN_MANY);
}

static unsigned
tries_of(const struct xact *x, const struct slot *s)
{
	unsigned lid = s->req.lid != 0;
	unsigned n = s->keys + x->opt.retries + lid;

	if (s->req.once.ns > 0)
		return 1;
	if (is_doubtful(x, &s->req))
		n = s->keys;
	if (s->req.method == MAD_SET && keyring_is_hidden(x->keys, sma_of(s)))
		n = (keyring_is_locked(x->keys, sma_of(s)) ? 1 : 2) + lid;
	return n < TRIES_MAX ? n : TRIES_MAX;
}

/* The try of slot i that is in flight failed; wait before the next one. */
static void
fail_try(struct xact *x, uint32_t i, struct mono wait, struct mono now)
{
	struct slot *s = &x->slot[i];

	if (s->tries >= tries_of(x, s) || x->target[s->target].dead) {
		bool strayed = s->req.lid != 0;

		x->vain += s->tries > 1 && s->tries >= tries_of(x, s);
		x->target[s->target].dead = true;
		keyring_silent(x->keys, sma_of(s), s->req.method == MAD_SET);
		detach_slot(x, i);
		complete_slot(x, i,
			&(struct xact_result){.outcome = XACT_TIMEOUT,
				.now = now,
				.strayed = strayed});
		return;
	}
	end_flight(x, i);
	if (wait.ns == 0) {
		queue_slot(x, i, true);
		return;
	}
	s->state = BACKOFF;
	deadlines_set(&x->deadlines, i, mono_add(now, wait));
}

void
xact_configure(struct xact *x, const struct xact_options *o)
{
	x->opt = limit_options(o);
	if (x->stats.window > x->opt.window_max)
		x->stats.window = x->opt.window_max;
	for (uint32_t t = 1; t < x->ntargets; t++)
		if (x->target[t].refs > 0)
			update_ready(x, t);
}

bool
xact_room(const struct xact *x)
{
	return x->queued < ROOM_QUEUED && x->nready < ROOM_READY;
}

static uint32_t
new_slot(struct xact *x)
{
	uint32_t i = x->free_slot;

	if (i != NIL) {
		x->free_slot = x->slot[i].next;
		return i;
	}
	x->slot = mem_grow(x->slot, x->nslots, &x->slot_cap, sizeof(*x->slot));
	return (uint32_t)x->nslots++;
}

void
xact_submit(struct xact *x, const struct xact_request *r, struct mono now,
	xact_done *done, void *cookie, uint64_t tag)
{
	uint32_t i = new_slot(x);
	struct slot *s = &x->slot[i];

	assert(r->hops < sizeof(r->path) && r->target != 0);
	memset(s, 0, sizeof(*s));
	s->req = *r;
	s->done = done;
	s->cookie = cookie;
	s->tag = tag;
	s->target = target_ref(x, r->target);
	if (x->target[s->target].refs == 1 && is_doubtful(x, r))
		set_silent(x, s->target, true);
	s->keys = 1;
	if (x->pending++ == 0)
		x->heard = now;
	queue_slot(x, i, false);
	send_ready(x, now);
}

/* Update the smoothed round-trip time and its spread, as TCP does. */
static void
measure_answer(struct xact *x, struct mono rtt)
{
	int64_t off = rtt.ns - x->stats.answer.ns;

	x->stats.answer.ns += off / 8;
	x->spread.ns += ((off < 0 ? -off : off) - x->spread.ns) / 4;
}

/* Have slot i, which was answered, try another key. False: it has no tries. */
static bool
try_next_key(struct xact *x, uint32_t i)
{
	struct slot *s = &x->slot[i];

	if (s->state != FLYING) /* its next try waits to be sent */
		return true;
	if (s->tries >= tries_of(x, s))
		return false;
	end_flight(x, i);
	queue_slot(x, i, true);
	return true;
}

static void
take_answer(struct xact *x, uint32_t i, unsigned try, const struct smp *s,
	struct mono now)
{
	struct xact_result res = {
		.outcome = s->status == 0 ? XACT_OK : XACT_STATUS,
		.status = s->status,
		.data = s->data,
		.now = now,
		.rtt = mono_sub(now, x->slot[i].sent[try]),
		.key = x->slot[i].key[try],
		.by_lid = xact_try_is_by_lid(&x->slot[i].req, try),
		.strayed = x->slot[i].req.lid != 0 && try > 0};

	if (try > 0)
		x->vain = 0;
	raise_limit(x, &x->target[x->slot[i].target]);
	set_silent(x, x->slot[i].target, false);
	x->target[x->slot[i].target].dead = false;
	measure_answer(x, res.rtt);
	grow_window(x);
	if (learn_key(x, &x->slot[i], try, s) && try_next_key(x, i))
		return;
	detach_slot(x, i);
	complete_slot(x, i, &res);
}

bool
xact_input(struct xact *x, const struct transport_msg *m, const struct smp *s,
	struct mono now)
{
	uint32_t serial = (uint32_t)s->tid >> TRANSPORT_TRY_BITS;
	unsigned try = (unsigned)s->tid & (TRIES_MAX - 1);
	bool returned = m->error != 0;
	bool busy = !returned && (s->status & MAD_STATUS_BUSY) != 0;
	struct mono wait;
	uint32_t i;

	if (!returned && (s->method & 0x80) == 0)
		return false;
	i = serials_find(&x->serials, serial);
	if (i == NIL && serials_was_given(&x->serials, serial)) {
		x->stats.late++; /* it belongs to no open request */
		x->heard = now;
		return true;
	}
	if (i == NIL || try >= x->slot[i].tries) {
		x->stats.alien++;
		return true;
	}
	if (!xact_try_fits(&x->slot[i].req, try, m, s)) {
		x->stats.mismatched++;
		return true;
	}
	if (!returned)
		x->heard = now;
	if (!returned && !busy) {
		take_answer(x, i, try, s, now);
		send_ready(x, now);
		return true;
	}
	x->stats.busy += busy;
	if (x->slot[i].state != FLYING || try + 1 != x->slot[i].tries) {
		x->stats.late++; /* answers a try that is over already */
		return true;
	}
	if (busy)
		shrink_window(x, x->slot[i].sent[try], now);
	wait = try_timeout(x, &x->slot[i], try);
	wait.ns /= BACKOFF_PART;
	fail_try(x, i, wait, now);
	send_ready(x, now);
	return true;
}

struct mono
xact_next(const struct xact *x)
{
	return deadlines_first(&x->deadlines, NULL);
}

void
xact_on_late(struct xact *x, xact_late *late, void *cookie)
{
	x->late = late;
	x->late_cookie = cookie;
}

/* Slot i is late: report it, and go on waiting. */
static void
tell_late(struct xact *x, uint32_t i, struct mono now)
{
	struct slot *s = &x->slot[i];
	const struct xact_request r = s->req;

	if (!s->late)
		deadlines_set(&x->deadlines, i,
			mono_add(s->sent[s->tries - 1],
				try_timeout(x, s, s->tries - 1)));
	s->late = true;
	if (x->late != NULL)
		x->late(x->late_cookie, s->cookie, &r, now);
}

/* Slot i's deadline has passed. */
static void
expire_try(struct xact *x, uint32_t i, struct mono now)
{
	struct slot *s = &x->slot[i];

	/* a target that stays silent is dead, not congested */
	if (!x->target[s->target].silent)
		shrink_window(x, s->sent[s->tries - 1], now);
	lower_limit(x, &x->target[s->target]);
	set_silent(x, s->target, true);
	tell_late(x, i, now); /* may move the array of slots */
	fail_try(x, i, (struct mono){0}, now);
}

void
xact_tick(struct xact *x, struct mono now)
{
	uint32_t i;

	while (!mono_before(now, deadlines_first(&x->deadlines, &i))) {
		if (x->slot[i].state == BACKOFF) {
			deadlines_clear(&x->deadlines, i);
			queue_slot(x, i, true);
		} else if (!x->slot[i].late && x->late != NULL) {
			tell_late(x, i, now);
		} else {
			expire_try(x, i, now);
		}
	}
	send_ready(x, now);
}

/* Mark slot i: complete_doomed completes it. */
static void
doom_slot(struct xact *x, uint32_t i, bool cut)
{
	struct slot *s = &x->slot[i];

	detach_slot(x, i);
	s->state = DOOMED;
	s->cut = cut;
	s->next = NIL;
	if (x->doomed != NIL)
		x->slot[x->doomed_tail].next = i;
	else
		x->doomed = i;
	x->doomed_tail = i;
}

/* Complete the doomed slots. They were all detached before the first
 * completion, since owners may submit again from there. */
static void
complete_doomed(struct xact *x, struct mono now)
{
	while (x->doomed != NIL) {
		uint32_t i = x->doomed;
		bool cut = x->slot[i].cut;

		x->doomed = x->slot[i].next;
		complete_slot(x, i,
			&(struct xact_result){
				.outcome = cut ? XACT_TIMEOUT : XACT_CANCELLED,
				.cut = cut,
				.now = now});
	}
}

static inline bool
is_open(const struct slot *s)
{
	return s->state != SLOT_FREE && s->state != DOOMED;
}

void
xact_cancel_all(struct xact *x, struct mono now)
{
	for (uint32_t i = 1; i < x->nslots; i++)
		if (is_open(&x->slot[i]))
			doom_slot(x, i, false);
	complete_doomed(x, now);
}

void
xact_cancel(struct xact *x, const void *owner, struct mono now)
{
	for (uint32_t i = 1; i < x->nslots; i++)
		if (is_open(&x->slot[i]) && x->slot[i].cookie == owner)
			doom_slot(x, i, false);
	complete_doomed(x, now);
	send_ready(x, now);
}

void
xact_cut(struct xact *x, const uint8_t path[64], unsigned hops, struct mono now)
{
	for (uint32_t i = 1; i < x->nslots; i++) {
		const struct slot *s = &x->slot[i];

		/* a try routed by LID need not use the directed path */
		if (is_open(s) &&
			(hops == 0 || s->req.lid == 0 || s->tries > 1) &&
			s->req.hops >= hops &&
			memcmp(s->req.path + 1, path + 1, hops) == 0)
			doom_slot(x, i, true);
	}
	complete_doomed(x, now);
	send_ready(x, now);
}

bool
xact_only_late(const struct xact *x, const void *owner)
{
	for (uint32_t i = 1; i < x->nslots; i++)
		if (is_open(&x->slot[i]) && x->slot[i].cookie == owner &&
			!x->slot[i].late && x->slot[i].state != BACKOFF &&
			!x->target[x->slot[i].target].silent)
			return false;
	return true;
}

bool
xact_only_silent(const struct xact *x)
{
	return x->unheard == x->pending;
}

bool
xact_is_mute(const struct xact *x, struct mono now)
{
	unsigned n =
		x->opt.retries < 4 ? (2U << x->opt.retries) - 1 : MUTE_TIMEOUTS;
	struct mono limit = {x->opt.timeout.ns * n};

	return x->pending > 0 && !mono_before(now, mono_add(x->heard, limit));
}

unsigned
xact_pending(const struct xact *x)
{
	return x->pending;
}

const struct xact_stats *
xact_stats(const struct xact *x)
{
	return &x->stats;
}
