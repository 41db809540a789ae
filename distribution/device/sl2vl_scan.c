#include "distribution/device/sl2vl_scan.h"

#include <stdlib.h>
#include <string.h>

#include "distribution/device/device_read.h"
#include "sm/base/map.h"
#include "sm/base/mem.h"
#include "sm/mad/mad.h"

enum {
	TICK_MS = 100,
	HALF_A_DAY = 12 * 3600 * 10, /* in ticks: all rows within this time */
	HURRY = 200,		     /* rows a tick at most, if it is urgent */
	WAIT_MS = 60000,	     /* other work comes first after a start */
	HURRY_WAIT_MS = 1000,
	WAIT_MAX_MS = 3600000,
	MISSES_MAX = 3, /* rows in a row without an answer: another lap */
};

struct sl2vl_scan {
	struct topo *topo;
	struct map trusted;
	node_ix *todo; /* switches to read, nearest first */
	size_t ntodo, next;
	unsigned in, out; /* of todo[next], the next row to read */
	unsigned misses;
	bool missed; /* a row of todo[next] was not answered */
	bool hurry;
	uint64_t total;	   /* rows of all in todo */
	struct mono pause; /* before the next lap; longer after each one */
	struct mono due;
	struct device_read *read; /* of this topology, or NULL */
	struct mono now;	  /* of the last feed */
	uint16_t sls;
	struct sl2vl_scan_row *found, *told;
	size_t nfound, capfound, captold;
	struct sl2vl_scan_counts counts;
};

struct sl2vl_scan *
sl2vl_scan_new(void)
{
	struct sl2vl_scan *s = mem_zalloc(1, sizeof(*s));

	s->due = MONO_NEVER;
	s->pause = mono_ms(WAIT_MS);
	return s;
}

void
sl2vl_scan_free(struct sl2vl_scan *s)
{
	if (s == NULL)
		return;
	device_read_free(s->read);
	topo_unref(s->topo);
	map_free(&s->trusted);
	free(s->todo);
	free(s->found);
	free(s->told);
	free(s);
}

/* Answers that are still to come say nothing. */
static void
drop_reading(struct sl2vl_scan *s)
{
	if (s->read != NULL)
		device_read_stop(s->read, s->now);
	device_read_free(s->read);
	s->read = NULL;
}

void
sl2vl_scan_mark_own(struct sl2vl_scan *s, uint64_t guid)
{
	map_put(&s->trusted, guid, 0);
}

void
sl2vl_scan_doubt(struct sl2vl_scan *s, bool hurry)
{
	map_free(&s->trusted);
	s->hurry |= hurry;
	s->pause = mono_ms(s->hurry ? HURRY_WAIT_MS : WAIT_MS);
	drop_reading(s);
	s->ntodo = s->next = 0;
	s->counts.left = 0;
	s->due = MONO_NEVER;
}

void
sl2vl_scan_discard(struct sl2vl_scan *s)
{
	s->missed |= s->nfound > 0;
	s->nfound = 0;
	drop_reading(s);
}

static uint64_t
rows_of(const struct topo *t, node_ix n)
{
	return (uint64_t)t->node[n].nports * t->node[n].nports;
}

/* Whether the switch has rows that can discard, and they are unknown. */
static bool
needs_reading(const struct sl2vl_scan *s, node_ix n)
{
	const struct topo *t = s->topo;
	const struct topo_node *node = &t->node[n];

	return node->type == TOPO_SWITCH &&
	       (node->flags & TN_QUARANTINED) == 0 &&
	       (t->port[node->first_port].capmask & MAD_CAP_SL_MAPPING) != 0 &&
	       !map_get(&s->trusted, node->guid, NULL);
}

/* Rows of the current switch that were asked for so far. */
static uint64_t
rows_asked(const struct sl2vl_scan *s)
{
	unsigned nports = s->topo->node[s->todo[s->next]].nports;

	if (s->out > nports)
		return (uint64_t)nports * nports;
	return (uint64_t)(s->out - 1) * nports + s->in - (s->in > s->out);
}

/* List the switches to read; the one that is being read goes on where it is. */
static void
list_todo(struct sl2vl_scan *s, uint64_t current)
{
	const struct topo *t = s->topo;
	unsigned in = s->in, out = s->out;

	free(s->todo);
	s->todo = mem_alloc(t->nsw * sizeof(*s->todo));
	s->ntodo = s->next = 0;
	s->in = 0;
	s->out = 1;
	s->total = s->counts.left = 0;
	for (sw_ix i = 0; i < t->nsw; i++) {
		node_ix n = t->sw[i].node;

		if (!needs_reading(s, n))
			continue;
		s->todo[s->ntodo++] = n;
		s->total += rows_of(t, n);
		if (t->node[n].guid != current || s->ntodo == 1)
			continue;
		s->todo[s->ntodo - 1] = s->todo[0];
		s->todo[0] = n;
	}
	s->counts.left = s->total;
	if (s->ntodo == 0 || t->node[s->todo[0]].guid != current) {
		s->missed = false;
		s->misses = 0;
		return;
	}
	s->in = in;
	s->out = out;
	s->counts.left -= rows_asked(s);
}

/* The next lap begins after a pause, each pause is longer than the last. */
static void
pause_lap(struct sl2vl_scan *s, struct mono now)
{
	s->due = mono_add(now, s->pause);
	s->pause.ns *= 2;
	if (s->pause.ns > mono_ms(WAIT_MAX_MS).ns)
		s->pause = mono_ms(WAIT_MAX_MS);
}

/*
 * Unanswered rows are read again in another lap; the hurry ends after a while.
 */
static void
end_lap(struct sl2vl_scan *s, struct mono now)
{
	list_todo(s, 0);
	if (s->ntodo == 0 || s->pause.ns > mono_ms(WAIT_MS).ns)
		s->hurry = false;
	if (s->ntodo > 0) {
		pause_lap(s, now);
		return;
	}
	s->pause = mono_ms(WAIT_MS);
	s->due = MONO_NEVER;
}

void
sl2vl_scan_adopt(struct sl2vl_scan *s, struct topo *t, struct mono now)
{
	struct topo *old = s->topo;
	uint64_t current = 0;

	if (old != NULL && s->next < s->ntodo)
		current = old->node[s->todo[s->next]].guid;
	drop_reading(s);
	s->topo = topo_ref(t);
	list_todo(s, current);
	topo_unref(old);
	if (s->ntodo == 0)
		s->due = MONO_NEVER;
	else if (s->due.ns == MONO_NEVER.ns)
		pause_lap(s, now);
}

/* The row with VL 0 where it discards an SL; false: it discards none of sls. */
static bool
row_discards_sls(const uint8_t *data, uint16_t sls, uint8_t row[SL2VL_ROW])
{
	bool any = false;

	memcpy(row, data, SL2VL_ROW);
	for (unsigned sl = 0; sl < 16; sl++) {
		unsigned shift = sl % 2 ? 0 : 4;

		if ((row[sl / 2] >> shift & 15) != 15)
			continue;
		any |= (sls >> sl & 1) != 0;
		row[sl / 2] &= (uint8_t) ~(15U << shift);
	}
	return any;
}

static void
take_answer(void *self, const struct device_job *job, enum device_verdict v,
	const struct xact_result *res)
{
	struct sl2vl_scan *s = self;
	struct sl2vl_scan_row *f;
	struct device_at at = device_read_at(s->read, job);
	uint8_t row[SL2VL_ROW];

	s->missed |=
		res->outcome == XACT_TIMEOUT || res->outcome == XACT_CANCELLED;
	s->misses = res->outcome == XACT_TIMEOUT ? s->misses + 1 : 0;
	if (v != DEVICE_NEWS)
		return;
	s->counts.read++;
	if (!row_discards_sls(res->data, s->sls, row))
		return;
	s->counts.found++;
	s->found =
		mem_grow(s->found, s->nfound, &s->capfound, sizeof(*s->found));
	f = &s->found[s->nfound++];
	f->guid = at.guid;
	f->in = (uint8_t)at.block;
	f->out = at.port;
	memcpy(f->row, row, sizeof(f->row));
}

static void
ask_row(struct sl2vl_scan *s, struct xact *x, struct mono now)
{
	if (s->read == NULL)
		s->read = device_read_new(
			&(struct device_reading){.topo = s->topo,
				.x = x,
				.taken = take_answer,
				.self = s});
	device_read_add(s->read,
		&(struct device_job){
			.port = topo_port_of(s->topo, s->todo[s->next], s->out),
			.attr = DEVICE_SL2VL,
			.block = s->in,
			.mode = DEVICE_READ_LOOK});
	device_read_feed(s->read, now);
}

/* Go to the next row; false: the last row of the switch was read. */
static bool
advance_row(struct sl2vl_scan *s)
{
	unsigned nports = s->topo->node[s->todo[s->next]].nports;

	s->counts.left -= s->counts.left > 0;
	do {
		if (++s->in > nports) {
			s->in = 0;
			s->out++;
		}
	} while (s->in == s->out && s->out <= nports);
	return s->out <= nports;
}

/* All rows of the switch are asked for; it is trusted if all were answered. */
static void
next_switch(struct sl2vl_scan *s)
{
	if (!s->missed)
		sl2vl_scan_mark_own(s, s->topo->node[s->todo[s->next]].guid);
	s->missed = false;
	s->misses = 0;
	s->next++;
	s->in = 0;
	s->out = 1;
}

void
sl2vl_scan_feed(
	struct sl2vl_scan *s, struct xact *x, uint16_t sls, struct mono now)
{
	uint64_t many = s->hurry ? HURRY : s->total / HALF_A_DAY + 1;

	s->now = now;
	if (mono_before(now, s->due))
		return;
	s->sls = sls;
	while (many-- > 0 && s->next < s->ntodo && xact_room(x)) {
		if (s->out <= s->topo->node[s->todo[s->next]].nports) {
			ask_row(s, x, now);
			if (advance_row(s) && s->misses < MISSES_MAX)
				continue;
		}
		s->out = UINT8_MAX;
		if (s->read != NULL && !device_read_done(s->read))
			break; /* wait for its last answers */
		next_switch(s);
	}
	if (s->next < s->ntodo)
		s->due = mono_add(now, mono_ms(TICK_MS));
	else
		end_lap(s, now);
}

struct mono
sl2vl_scan_next(const struct sl2vl_scan *s)
{
	return s->due;
}

const struct sl2vl_scan_row *
sl2vl_scan_found(struct sl2vl_scan *s, size_t *n)
{
	struct sl2vl_scan_row *list = s->told;
	size_t cap = s->captold;

	*n = s->nfound;
	s->told = s->found;
	s->captold = s->capfound;
	s->found = list;
	s->capfound = cap;
	s->nfound = 0;
	return s->told;
}

struct sl2vl_scan_counts
sl2vl_scan_counts(const struct sl2vl_scan *s)
{
	return s->counts;
}
