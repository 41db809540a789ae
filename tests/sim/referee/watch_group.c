/*
 * Multicast tables at every moment: a packet that takes two paths to one switch
 * is a copy too many or in a loop, whichever host sent it; and where it waits,
 * unicast packets on the same VL wait too.
 *
 * A packet comes in by a link if the switch at its far end has that link in its
 * mask; it leaves by all other ports of the mask.
 *
 * A switch that does not answer keeps what its table says, and the manager
 * joins the rest of a tree without it: what comes out of that switch, or of
 * what is behind it, by two links comes to the rest twice. The manager cannot
 * prevent that but by cutting links, or by leaving the rest in pieces, which
 * would be joined by nothing if the switch does not forward either. So a second
 * copy is excused if each of the two ways leads, from where they part, through
 * a switch that does not answer; a loop never is.
 */
#include <stdlib.h>
#include <string.h>

#include "sm/base/buf.h"
#include "sm/base/mem.h"
#include "tests/sim/referee/watch_int.h"

enum { MLID = 0xc000 };

static bool
is_port_set(const uint64_t mask[WATCH_WORDS], unsigned port)
{
	return mask[port / 64] >> port % 64 & 1;
}

/* The switch at the far end of a link, or FABRIC_NONE. */
static uint32_t
peer_switch(const struct watch *w, uint32_t sw, unsigned port, unsigned *theirs)
{
	const struct sim_port *p;

	if (port == 0 || port > w->s->node[sw].nports)
		return FABRIC_NONE;
	p = sim_int_port(w->s, sw, port);
	if (!watch_is_switch(w, p->peer) || p->peer == sw)
		return FABRIC_NONE;
	*theirs = p->peer_port;
	return p->peer;
}

/* ---- dependencies ---- */

static void
count_dependency(
	struct watch *w, uint32_t sw, unsigned in, unsigned out, int by)
{
	unsigned p = 0;
	uint32_t from = peer_switch(w, sw, in, &p);

	if (in == out || peer_switch(w, sw, out, &(unsigned){0}) == FABRIC_NONE)
		return; /* no packet waits for a host */
	if (watch_count_dependency(w, sw, in, out, by))
		watch_check_cycle(
			w, watch_record(w, sw, out), watch_record(w, from, p));
}

/* All dependencies that the row of a switch is part of. */
static void
count_row(struct watch *w, uint32_t sw, unsigned g, int by)
{
	const uint64_t *mask = w->group[sw]->of[g];

	for (unsigned port = 1; port <= w->s->node[sw].nports; port++) {
		unsigned theirs = 0;
		uint32_t peer = peer_switch(w, sw, port, &theirs);

		if (peer == FABRIC_NONE)
			continue;
		for (unsigned b = 1;
			is_port_set(w->group[peer]->of[g], theirs) && b < 256 &&
			watch_next_bit(mask, &b);
			b++)
			count_dependency(w, sw, port, b, by);
		for (unsigned b = 1; is_port_set(mask, port) && b < 256 &&
				     watch_next_bit(w->group[peer]->of[g], &b);
			b++)
			count_dependency(w, peer, theirs, b, by);
	}
}

/* ---- copies ---- */

static void
tell_copy(struct watch *w, uint32_t from, uint32_t sw, unsigned g)
{
	if (w->r.copies++ > 0)
		return;
	w->r.first_copy = sim_now(w->s);
	reason_set(&w->r.copy,
		"what a host at \"%s\" sends to MLID 0x%x comes to \"%s\" "
		"twice",
		w->s->node[from].name, MLID + g, w->s->node[sw].name);
}

/* The next switch over a live link, or FABRIC_NONE. */
static uint32_t
live_peer(const struct watch *w, uint32_t sw, unsigned in, unsigned out,
	unsigned *theirs)
{
	uint32_t peer = peer_switch(w, sw, out, theirs);

	if (peer == FABRIC_NONE || !w->live[watch_record(w, sw, out)] ||
		(in != 0 && !watch_dependency_open(w, sw, in, out)))
		return FABRIC_NONE;
	return peer;
}

void
watch_excuse(struct watch *w, uint32_t node, bool excused)
{
	if (w->group[node] != NULL)
		w->group[node]->excused = excused;
}

/* The switch that sent the packet that is followed to this one, or
 * FABRIC_NONE. */
static uint32_t
came_from(const struct watch *w, uint32_t sw)
{
	return peer_switch(w, sw, w->before[sw], &(unsigned){0});
}

static bool
is_on_way(const struct watch *w, uint32_t sw, uint32_t end)
{
	while (end != FABRIC_NONE && end != sw)
		end = came_from(w, end);
	return end == sw;
}

/* True if there is an excused switch between a switch on the way to sw and sw,
 * both included. */
static bool
leads_through_excused(const struct watch *w, uint32_t from, uint32_t sw)
{
	while (sw != from && !w->group[sw]->excused)
		sw = came_from(w, sw);
	return w->group[sw]->excused;
}

/* Whether a second copy, which sw sends to a switch, is excused. */
static bool
is_copy_excused(const struct watch *w, uint32_t sw, uint32_t to)
{
	uint32_t parting = sw;

	while (!is_on_way(w, parting, to))
		parting = came_from(w, parting);
	return parting != to && leads_through_excused(w, parting, sw) &&
	       leads_through_excused(w, parting, came_from(w, to));
}

/*
 * Follow a packet from a host at a switch to all places; report a second copy
 * that is not excused.
 */
static void
check_sender(struct watch *w, uint32_t from, unsigned g)
{
	uint32_t n = 0;

	w->r.checks++;
	w->stamp++;
	/* queue: switch; before: the port that it came in by */
	w->queue[n++] = from;
	w->seen[from] = w->stamp;
	w->before[from] = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t sw = w->queue[i];

		for (unsigned b = 1;
			b < 256 && watch_next_bit(w->group[sw]->of[g], &b);
			b++) {
			unsigned theirs = 0;
			uint32_t to =
				live_peer(w, sw, w->before[sw], b, &theirs);

			if (to == FABRIC_NONE)
				continue;
			if (w->seen[to] == w->stamp) {
				if (is_copy_excused(w, sw, to))
					continue;
				tell_copy(w, from, to, g);
				return;
			}
			w->seen[to] = w->stamp;
			w->before[to] = theirs;
			w->queue[n++] = to;
		}
	}
}

/* Check packets from all switches that send through this one. */
static void
check_copies(struct watch *w, uint32_t sw, unsigned g)
{
	uint32_t *list = mem_zalloc(w->s->nnodes, sizeof(*list)), n = 0;
	bool *there = mem_zalloc(w->s->nnodes, sizeof(*there));

	list[n++] = sw;
	there[sw] = true;
	for (uint32_t i = 0; i < n; i++)
		for (unsigned p = 1; p <= w->s->node[list[i]].nports; p++) {
			unsigned theirs = 0;
			uint32_t q = peer_switch(w, list[i], p, &theirs);

			if (q == FABRIC_NONE || there[q] ||
				!is_port_set(w->group[q]->of[g], theirs))
				continue;
			there[q] = true;
			list[n++] = q;
		}
	for (uint32_t i = 0; i < n; i++)
		check_sender(w, list[i], g);
	free(list);
	free(there);
}

static void
change_row(struct watch *w, uint32_t sw, unsigned g,
	const uint64_t is[WATCH_WORDS])
{
	uint64_t *mask = w->group[sw]->of[g];
	bool more = false;

	for (unsigned i = 0; i < WATCH_WORDS; i++)
		more |= (is[i] & ~mask[i]) != 0;
	w->r.changes++;
	w->group[sw]->excused = false;
	count_row(w, sw, g, -1);
	memcpy(mask, is, sizeof(w->group[sw]->of[g]));
	count_row(w, sw, g, 1);
	if (more)
		check_copies(w, sw, g);
}

void
watch_group_look(struct watch *w, uint32_t sw)
{
	uint64_t is[WATCH_WORDS];

	for (unsigned g = 0; g < WATCH_GROUPS; g++) {
		sim_mft(w->s, sw, (uint16_t)(MLID + g), is);
		if (memcmp(is, w->group[sw]->of[g], sizeof(is)) != 0)
			change_row(w, sw, g, is);
	}
}

void
watch_group_link(struct watch *w, uint32_t sw, unsigned port)
{
	unsigned theirs = 0;
	uint32_t peer = peer_switch(w, sw, port, &theirs);

	for (unsigned g = 0; peer != FABRIC_NONE && g < WATCH_GROUPS; g++) {
		if (is_port_set(w->group[sw]->of[g], port))
			check_copies(w, sw, g);
		if (is_port_set(w->group[peer]->of[g], theirs))
			check_copies(w, peer, g);
	}
}
