/*
 * Switches with several out-ports for a LID: every one counts, at every moment,
 * whatever a packet chooses.
 */
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "tests/sim/referee/watch_int.h"

enum { STEP = 1024 };

static bool
is_empty(const uint64_t ports[WATCH_WORDS])
{
	return !(ports[0] | ports[1] | ports[2] | ports[3]);
}

void
watch_hops(const struct watch *w, uint32_t sw, unsigned lid,
	uint64_t ports[WATCH_WORDS])
{
	const struct watch_sets *x = &w->sets[sw];
	unsigned port = w->table[sw][lid];

	memset(ports, 0, WATCH_WORDS * sizeof(*ports));
	if (lid < x->n && !is_empty(x->of[lid]))
		memcpy(ports, x->of[lid], WATCH_WORDS * sizeof(*ports));
	else if (port > 0 && port <= w->s->node[sw].nports)
		sim_hops_add(ports, port);
}

bool
watch_leads(const struct watch *w, uint32_t sw, unsigned lid, unsigned port)
{
	const struct watch_sets *x = &w->sets[sw];

	if (lid < x->n && !is_empty(x->of[lid]))
		return sim_hops_has(x->of[lid], port);
	return w->table[sw][lid] == port;
}

/* The ports of a switch that routes adaptively now; false: it does not. */
static bool
read_set(const struct watch *w, uint32_t sw, unsigned lid,
	uint64_t ports[WATCH_WORDS])
{
	memset(ports, 0, WATCH_WORDS * sizeof(*ports));
	if (!sim_hops_adaptive(w->s, sw))
		return false;
	sim_hops_any(w->s, sw, (uint16_t)lid, ports);
	return true;
}

bool
watch_sets_differ(const struct watch *w, uint32_t sw, unsigned lid)
{
	static const uint64_t none[WATCH_WORDS];
	const struct watch_sets *x = &w->sets[sw];
	uint64_t now[WATCH_WORDS];

	if (!read_set(w, sw, lid, now) && x->n == 0)
		return false;
	return memcmp(lid < x->n ? x->of[lid] : none, now, sizeof(now)) != 0;
}

void
watch_sets_take(struct watch *w, uint32_t sw, unsigned lid)
{
	struct watch_sets *x = &w->sets[sw];
	uint64_t now[WATCH_WORDS];

	if (!read_set(w, sw, lid, now) && x->n == 0)
		return;
	if (lid >= x->n) {
		uint32_t n = (lid / STEP + 1) * STEP;

		x->of = mem_resize(x->of, n, sizeof(*x->of));
		memset(x->of[x->n], 0, (n - x->n) * sizeof(*x->of));
		x->n = n;
	}
	memcpy(x->of[lid], now, sizeof(now));
	w->any_sets = true;
}

/* Follow packets to a LID out of a switch; queue what they newly come in by. */
static uint32_t
follow_out(struct watch *w, uint32_t sw, unsigned in, unsigned lid, uint32_t n)
{
	uint64_t ports[WATCH_WORDS];

	watch_hops(w, sw, lid, ports);
	for (unsigned out = 0; sim_hops_next(ports, &out); out++) {
		const struct sim_port *p = sim_int_port(w->s, sw, out);
		uint32_t rec;

		if (!w->live[watch_record(w, sw, out)] ||
			!watch_is_switch(w, p->peer) ||
			(in && !watch_dependency_open(w, sw, in, out)))
			continue;
		rec = watch_record(w, p->peer, p->peer_port);
		if (w->seen[rec] == w->stamp)
			continue;
		w->seen[rec] = w->stamp;
		w->before[rec] = watch_record(w, sw, in);
		w->queue[n++] = rec;
	}
	return n;
}

bool
watch_sets_loop(struct watch *w, uint32_t sw, unsigned lid, uint32_t *from)
{
	uint32_t n;

	w->stamp++;
	n = follow_out(w, sw, 0, lid, 0);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = w->owner[w->queue[i]];
		unsigned in = w->queue[i] - w->s->node[at].first;
		uint64_t ports[WATCH_WORDS];

		if (at != sw) {
			n = follow_out(w, at, in, lid, n);
			continue;
		}
		watch_hops(w, sw, lid, ports);
		for (unsigned out = 0; sim_hops_next(ports, &out); out++) {
			if (!watch_dependency_open(w, sw, in, out))
				continue;
			*from = w->queue[i];
			return true;
		}
	}
	return false;
}
