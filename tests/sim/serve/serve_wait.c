#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "tests/sim/serve/serve_int.h"

static void
unlink_wait(struct serve *s, uint32_t ix)
{
	struct serve_wait *w = &s->wait[ix];
	struct serve_line *l = &s->line[w->patient];

	if (w->prev == FABRIC_NONE)
		l->first = w->next;
	else
		s->wait[w->prev].next = w->next;
	if (w->next == FABRIC_NONE)
		l->last = w->prev;
	else
		s->wait[w->next].prev = w->prev;
}

/* Append to the list, with the whole time-out to go. */
static void
link_wait(struct serve *s, uint32_t ix)
{
	struct serve_wait *w = &s->wait[ix];
	struct serve_line *l = &s->line[w->patient];

	w->due = mono_add(
		serve_now(s), w->patient ? s->o.patience : s->o.timeout);
	w->prev = l->last;
	w->next = FABRIC_NONE;
	if (l->last == FABRIC_NONE)
		l->first = ix;
	else
		s->wait[l->last].next = ix;
	l->last = ix;
}

static void
remove_wait(struct serve *s, uint32_t ix)
{
	unlink_wait(s, ix);
	(void)map_del(&s->by_tid, s->wait[ix].tid);
	s->wait[ix].next = s->free_wait;
	s->free_wait = ix;
}

void
serve_wait_add(struct serve *s, uint64_t tid, int client, bool patient,
	const uint8_t *wire)
{
	uint32_t ix;
	struct serve_wait *w;

	(void)serve_wait_done(s, tid);
	ix = s->free_wait;
	if (ix != FABRIC_NONE) {
		s->free_wait = s->wait[ix].next;
	} else {
		s->wait = mem_grow(
			s->wait, s->nwait, &s->wait_cap, sizeof(*s->wait));
		ix = (uint32_t)s->nwait++;
	}
	w = &s->wait[ix];
	w->tid = tid;
	w->client = (int8_t)client;
	w->patient = patient;
	w->tries = patient ? 0 : s->o.retries;
	memcpy(w->wire, wire, IBSIMWIRE_MSG);
	link_wait(s, ix);
	map_put(&s->by_tid, tid, ix);
}

bool
serve_wait_done(struct serve *s, uint64_t tid)
{
	uint32_t ix;

	if (!map_get(&s->by_tid, tid, &ix))
		return false;
	remove_wait(s, ix);
	return true;
}

void
serve_wait_forget(struct serve *s, int client)
{
	for (int l = 0; l < 2; l++) {
		uint32_t ix = s->line[l].first;

		while (ix != FABRIC_NONE) {
			uint32_t next = s->wait[ix].next;

			if (s->wait[ix].client == client)
				remove_wait(s, ix);
			ix = next;
		}
	}
}

struct mono
serve_wait_next(const struct serve *s)
{
	struct mono t = MONO_NEVER;

	for (int l = 0; l < 2; l++) {
		if (s->line[l].first != FABRIC_NONE)
			t = mono_min(t, s->wait[s->line[l].first].due);
	}
	return t;
}

/* A request timed out: send it again, or return it to its client. */
static void
expire_wait(struct serve *s, uint32_t ix)
{
	struct serve_wait *w = &s->wait[ix];
	struct serve_client *c = &s->client[w->client];
	struct transport_msg m;

	if (w->tries > 0) {
		w->tries--;
		s->resent++;
		unlink_wait(s, ix);
		link_wait(s, ix);
		(void)ibsimwire_msg_decode(w->wire, IBSIMWIRE_MSG, &m);
		sim_send(c->place->e, &m);
		return;
	}
	s->returned++;
	ibsimwire_msg_fail(w->wire, ETIMEDOUT);
	serve_data_queue(c, w->wire);
	remove_wait(s, ix);
}

void
serve_wait_tick(struct serve *s, struct mono now)
{
	for (int l = 0; l < 2; l++) {
		uint32_t ix;

		while ((ix = s->line[l].first) != FABRIC_NONE &&
			!mono_before(now, s->wait[ix].due))
			expire_wait(s, ix);
	}
}

void
serve_wait_free(struct serve *s)
{
	free(s->wait);
	map_free(&s->by_tid);
}
