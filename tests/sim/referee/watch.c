#include "tests/sim/referee/watch.h"

#include <stdlib.h>
#include <string.h>

#include "sm/base/buf.h"
#include "sm/base/mem.h"
#include "tests/sim/referee/watch_int.h"

enum { NLIDS = MAD_LID_END, BLOCK = 64, NAMED = 8, DISCARD = 15 };

static bool
carries_data(const struct sim_port *p)
{
	return p->up && p->pi.state >= PORT_ARMED;
}

/* True if a packet would cross the link at this port. */
static bool
link_alive(const struct watch *w, uint32_t node, unsigned port)
{
	const struct sim_port *p = sim_int_port(w->s, node, port);

	return p->peer != FABRIC_NONE && carries_data(p) &&
	       carries_data(sim_int_port(w->s, p->peer, p->peer_port));
}

bool
watch_dependency_open(
	const struct watch *w, uint32_t sw, unsigned in, unsigned out)
{
	uint16_t sls = watch_vl_used(w);

	for (unsigned sl = 0; in != out && sls >> sl != 0; sl++)
		if ((sls >> sl & 1) != 0 &&
			sim_vl(w->s, sw, in, out, sl) != DISCARD)
			return true;
	return false;
}

/* ---- loops ---- */

/*
 * The next node for packets to a LID that came in by *in (0: from anywhere),
 * over a live link, or FABRIC_NONE; *in becomes the port of arrival.
 */
static uint32_t
next_hop(const struct watch *w, uint32_t sw, unsigned lid, unsigned *in)
{
	unsigned out = w->table[sw][lid];
	const struct sim_port *p;

	if (out == 0 || out > w->s->node[sw].nports ||
		!w->live[watch_record(w, sw, out)] ||
		(*in && !watch_dependency_open(w, sw, *in, out)))
		return FABRIC_NONE;
	p = sim_int_port(w->s, sw, out);
	*in = p->peer_port;
	return p->peer;
}

/* The same of alternatives, backwards from the record that they come in by. */
static void
tell_set_loop(struct watch *w, uint32_t sw, unsigned lid, uint32_t from)
{
	struct buf b = {0};

	if (w->r.loops++ > 0)
		return;
	w->r.first_loop = sim_now(w->s);
	for (unsigned i = 0; i < NAMED; i++) {
		buf_printf(&b, " <- \"%s\"",
			w->s->node[w->s->port[from].peer].name);
		if (w->s->port[from].peer == sw)
			break;
		from = w->before[from];
	}
	reason_set(&w->r.loop, "LID %u can go round by alternatives: \"%s\"%s",
		lid, w->s->node[sw].name, b.text);
	buf_free(&b);
}

static void
tell_loop(struct watch *w, uint32_t sw, unsigned lid)
{
	struct buf b = {0};
	uint32_t at = sw;
	unsigned in = 0;

	if (w->r.loops++ > 0)
		return;
	w->r.first_loop = sim_now(w->s);
	for (unsigned i = 0; i < NAMED; i++) {
		buf_printf(&b, "\"%s\"[%u] -> ", w->s->node[at].name,
			w->table[at][lid]);
		at = next_hop(w, at, lid, &in);
		if (at == sw)
			break;
	}
	reason_set(&w->r.loop, "LID %u goes round: %s\"%s\"", lid, b.text,
		w->s->node[at].name);
	buf_free(&b);
}

/* Report a loop if the path of a LID from a switch leads back to it. */
static void
check_loop(struct watch *w, uint32_t sw, unsigned lid)
{
	uint32_t at = sw;
	unsigned in = 0;

	w->r.checks++;
	if (w->any_sets) {
		uint32_t from;

		if (watch_sets_loop(w, sw, lid, &from) &&
			(w->vls == NULL || watch_vl_loops(w, lid)))
			tell_set_loop(w, sw, lid, from);
		return;
	}
	for (uint32_t hops = 0; hops <= w->s->nnodes; hops++) {
		at = next_hop(w, at, lid, &in);
		if (!watch_is_switch(w, at))
			return;
		if (at == sw &&
			watch_dependency_open(w, sw, in, w->table[sw][lid])) {
			if (w->vls == NULL || watch_vl_loops(w, lid))
				tell_loop(w, sw, lid);
			return;
		}
	}
}

/* ---- cycles ---- */

static void
tell_cycle(struct watch *w, uint32_t last, uint32_t first)
{
	struct buf b = {0};
	unsigned n = 0;

	if (watch_vl_suspect(w) || w->r.cycles++ > 0)
		return;
	w->r.first_cycle = sim_now(w->s);
	/* backwards from the last channel to the first */
	for (uint32_t c = last; n < NAMED; n++, c = w->before[c]) {
		uint32_t node = w->owner[c];

		buf_printf(&b, "%s\"%s\"[%u]", n ? " <- " : "",
			w->s->node[node].name, c - w->s->node[node].first);
		if (c == first && (n > 0 || last != first))
			break;
	}
	reason_set(&w->r.cycle, "channels wait in a ring: %s%s", b.text,
		n == NAMED ? " <- ..." : "");
	buf_free(&b);
}

bool
watch_next_bit(const uint64_t any[4], unsigned *bit)
{
	for (unsigned i = *bit / 64; i < 4; i++) {
		uint64_t v = any[i];

		if (i == *bit / 64)
			v &= ~0ULL << *bit % 64;
		if (v) {
			*bit = i * 64 + (unsigned)__builtin_ctzll(v);
			return true;
		}
	}
	return false;
}

/* The next channel that ch waits for, by its port at or after *out. */
static uint32_t
waited_for(const struct watch *w, uint32_t ch, unsigned *out)
{
	const struct sim_port *p = &w->s->port[ch];
	const struct watch_row *r =
		&w->row[watch_record(w, p->peer, p->peer_port)];

	for (; *out < 256 && watch_next_bit(r->any, out); ++*out)
		if (watch_dependency_open(w, p->peer, p->peer_port, *out))
			return watch_record(w, p->peer, *out);
	return UINT32_MAX;
}

void
watch_check_cycle(struct watch *w, uint32_t from, uint32_t to)
{
	uint32_t n = 0, next;

	w->r.checks++;
	if (!w->live[from] || !w->live[to])
		return;
	w->stamp++;
	w->queue[n++] = from;
	w->seen[from] = w->stamp;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t ch = w->queue[i];
		unsigned b = 0;

		for (; (next = waited_for(w, ch, &b)) != UINT32_MAX; b++) {
			if (next == to) {
				w->before[to] = ch;
				tell_cycle(w, to, from);
				return;
			}
			if (!w->live[next] || w->seen[next] == w->stamp)
				continue;
			w->seen[next] = w->stamp;
			w->before[next] = ch;
			w->queue[n++] = next;
		}
	}
}

/* Remove channels that no channel waits for until there are none. */
bool
watch_cyclic(struct watch *w)
{
	uint32_t *waits = mem_zalloc(w->s->nports, sizeof(*waits));
	uint32_t n = 0, all = 0, next;
	unsigned b;

	for (uint32_t ch = 0; ch < w->s->nports; ch++) {
		all += w->live[ch];
		for (b = 0; w->live[ch] &&
			    (next = waited_for(w, ch, &b)) != UINT32_MAX;
			b++)
			waits[next]++;
	}
	for (uint32_t ch = 0; ch < w->s->nports; ch++)
		if (w->live[ch] && waits[ch] == 0)
			w->queue[n++] = ch;
	for (uint32_t i = 0; i < n; i++)
		for (b = 0;
			(next = waited_for(w, w->queue[i], &b)) != UINT32_MAX;
			b++)
			if (--waits[next] == 0 && w->live[next])
				w->queue[n++] = next;
	free(waits);
	return n < all;
}

bool
watch_count_dependency(
	struct watch *w, uint32_t sw, unsigned in, unsigned out, int by)
{
	const struct sim_node *n = &w->s->node[sw];
	struct watch_row *r = &w->row[watch_record(w, sw, in)];

	if (out == 0 || out > n->nports)
		return false;
	if (!r->users)
		r->users = mem_zalloc(n->nports + 1U, sizeof(*r->users));
	r->users[out] += (uint32_t)by;
	if (r->users[out] == 0)
		r->any[out / 64] &= ~(1ULL << out % 64);
	else
		r->any[out / 64] |= 1ULL << out % 64;
	return by > 0 && r->users[out] == 1 &&
	       watch_dependency_open(w, sw, in, out);
}

/* Add (1) or remove (-1) the dependencies on an out-port of a switch. */
static void
count_before(struct watch *w, uint32_t sw, unsigned lid, unsigned out, int by)
{
	const struct sim_node *n = &w->s->node[sw];

	for (unsigned in = 1; in <= n->nports; in++) {
		const struct sim_port *p = sim_int_port(w->s, sw, in);

		if (!watch_is_switch(w, p->peer) || p->peer == sw ||
			!watch_leads(w, p->peer, lid, p->peer_port))
			continue;
		if (watch_count_dependency(w, sw, in, out, by))
			watch_check_cycle(w, watch_record(w, sw, out),
				watch_record(w, p->peer, p->peer_port));
	}
}

/* The same of the next switch, on what comes in there. */
static void
count_behind(struct watch *w, uint32_t sw, unsigned lid, unsigned out, int by)
{
	const struct sim_port *p = sim_int_port(w->s, sw, out);
	uint64_t next[WATCH_WORDS];

	if (!watch_is_switch(w, p->peer))
		return;
	watch_hops(w, p->peer, lid, next);
	for (unsigned then = 0; sim_hops_next(next, &then); then++) {
		if (watch_count_dependency(w, p->peer, p->peer_port, then, by))
			watch_check_cycle(w, watch_record(w, p->peer, then),
				watch_record(w, sw, out));
	}
}

/*
 * Add (1) or remove (-1) all dependencies that a switch's entry is part of; new
 * ones are checked for cycles.
 */
static void
count_entry(struct watch *w, uint32_t sw, unsigned lid, int by)
{
	uint64_t ports[WATCH_WORDS];

	watch_hops(w, sw, lid, ports);
	for (unsigned out = 0; sim_hops_next(ports, &out); out++) {
		count_before(w, sw, lid, out, by);
		count_behind(w, sw, lid, out, by);
	}
}

static void
change_entry(struct watch *w, uint32_t sw, unsigned lid, uint8_t out)
{
	if (w->table[sw][lid] == out && !watch_sets_differ(w, sw, lid))
		return;
	w->r.changes++;
	count_entry(w, sw, lid, -1);
	w->table[sw][lid] = out;
	watch_sets_take(w, sw, lid);
	count_entry(w, sw, lid, 1);
	check_loop(w, sw, lid);
}

/* ---- changes in the simulation ---- */

static void
look_at_table(struct watch *w, uint32_t sw, uint32_t from, uint32_t to)
{
	const struct sim_switch *t = w->s->node[sw].sw;
	uint32_t end = to < NLIDS ? to : NLIDS;

	for (uint32_t lid = from; lid < end; lid++)
		change_entry(w, sw, lid, sim_table_lft(t, (uint16_t)lid));
}

/* Compare all entries up to the old or new LinearFDBTop. */
static void
look_at_all(struct watch *w, uint32_t sw)
{
	uint32_t top = w->s->node[sw].sw->si.lft_top + 1U;
	uint32_t most = top > w->top[sw] ? top : w->top[sw];

	w->top[sw] = top;
	look_at_table(w, sw, 0, most);
}

/* A link came up: check for loops and cycles over it. */
static void
check_link(struct watch *w, uint32_t node, unsigned port)
{
	uint32_t ch = watch_record(w, node, port);

	for (uint32_t lid = 0; lid < w->top[node]; lid++) {
		if (watch_leads(w, node, lid, port))
			check_loop(w, node, lid);
	}
	watch_check_cycle(w, ch, ch);
}

static void
look_at_port(struct watch *w, uint32_t node, unsigned port)
{
	const struct sim_port *p = sim_int_port(w->s, node, port);
	bool live = port && link_alive(w, node, port), was;
	uint32_t ch = watch_record(w, node, port), back;

	watch_vl_port(w, node, port);
	if (!port || p->peer == FABRIC_NONE)
		return;
	back = watch_record(w, p->peer, p->peer_port);
	was = w->live[ch];
	w->live[ch] = w->live[back] = live;
	if (!live || was)
		return;
	if (watch_is_switch(w, node) && watch_is_switch(w, p->peer)) {
		check_link(w, node, port);
		check_link(w, p->peer, p->peer_port);
		watch_group_link(w, node, port);
	}
}

/* SL2VL may have opened a dependency: check it, as its uses are counted. */
static void
look_at_dependency(struct watch *w, uint32_t sw, unsigned in, unsigned out)
{
	const struct sim_port *p = sim_int_port(w->s, sw, in);
	const struct watch_row *r = &w->row[watch_record(w, sw, in)];

	if (in == 0 || !r->users || r->users[out] == 0 ||
		!watch_dependency_open(w, sw, in, out))
		return;
	watch_check_cycle(w, watch_record(w, sw, out),
		watch_record(w, p->peer, p->peer_port));
	for (uint32_t lid = 0; lid < w->top[sw]; lid++) {
		if (watch_leads(w, sw, lid, out) &&
			watch_leads(w, p->peer, lid, p->peer_port))
			check_loop(w, sw, lid);
	}
}

static void
on_change(void *cookie, const struct sim_change *c)
{
	struct watch *w = cookie;

	switch (c->what) {
	case SIM_BLOCK:
		if (w->s->node[c->node].sw->si.lft_top >= c->arg * BLOCK)
			look_at_table(w, c->node, c->arg * BLOCK,
				(c->arg + 1) * BLOCK);
		break;
	case SIM_TABLE:
		look_at_all(w, c->node);
		watch_group_look(w, c->node);
		break;
	case SIM_GROUPS:
		watch_group_look(w, c->node);
		break;
	case SIM_PORT:
		look_at_port(w, c->node, c->arg);
		break;
	case SIM_ADAPTIVE:
		look_at_all(w, c->node);
		break;
	case SIM_SL2VL:
		look_at_dependency(w, c->node, c->arg >> 8, c->arg & 0xff);
		break;
	}
	watch_vl_judge(w);
}

struct watch *
watch_new(struct sim *s)
{
	struct watch *w = mem_zalloc(1, sizeof(*w));

	w->s = s;
	w->table = mem_zalloc(s->nnodes, sizeof(*w->table));
	w->sets = mem_zalloc(s->nnodes, sizeof(*w->sets));
	w->top = mem_zalloc(s->nnodes, sizeof(*w->top));
	w->owner = mem_zalloc(s->nports, sizeof(*w->owner));
	w->row = mem_zalloc(s->nports, sizeof(*w->row));
	w->live = mem_zalloc(s->nports, sizeof(*w->live));
	w->seen = mem_zalloc(s->nports, sizeof(*w->seen));
	w->before = mem_zalloc(s->nports, sizeof(*w->before));
	w->queue = mem_zalloc(s->nports, sizeof(*w->queue));
	for (uint32_t n = 0; n < s->nnodes; n++) {
		for (unsigned p = 0; p <= s->node[n].nports; p++)
			w->owner[s->node[n].first + p] = n;
		if (!watch_is_switch(w, n))
			continue;
		w->table[n] = mem_alloc(NLIDS);
		memset(w->table[n], SIM_NO_PORT, NLIDS);
	}
	w->group = mem_zalloc(s->nnodes, sizeof(*w->group));
	for (uint32_t n = 0; n < s->nnodes; n++) {
		if (watch_is_switch(w, n))
			w->group[n] = mem_zalloc(1, sizeof(**w->group));
	}
	for (uint32_t n = 0; n < s->nnodes; n++) {
		if (watch_is_switch(w, n)) {
			look_at_all(w, n);
			watch_group_look(w, n);
		}
		for (unsigned p = 1; p <= s->node[n].nports; p++)
			look_at_port(w, n, p);
	}
	sim_watch(s, on_change, w);
	return w;
}

void
watch_free(struct watch *w)
{
	if (!w)
		return;
	sim_watch(w->s, NULL, NULL);
	for (uint32_t i = 0; i < w->s->nnodes; i++) {
		free(w->table[i]);
		free(w->sets[i].of);
		free(w->group[i]);
	}
	for (uint32_t i = 0; i < w->s->nports; i++)
		free(w->row[i].users);
	watch_vls_free(w);
	free(w->table);
	free(w->sets);
	free(w->group);
	free(w->top);
	free(w->owner);
	free(w->row);
	free(w->live);
	free(w->seen);
	free(w->before);
	free(w->queue);
	free(w);
}

const struct watch_report *
watch_report(const struct watch *w)
{
	return &w->r;
}
