#include "tests/e2e/judge.h"

#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"

enum { SHOWN = 5, ROW = 256 / 64, CYCLE_STARTS = 64 };

/* State of a switch for the current LID; 0 and above: depth. */
enum { NEW = -1, LOST = -2, LOOP = -3, WALKING = -4 };

struct judge {
	const struct ndtext *t;
	struct judge_report *r;
	uint32_t *owner;    /* [stride] port record, or NDTEXT_NONE */
	uint32_t *on;	    /* [nsw] host ports, as sources of pairs */
	uint32_t *senders;  /* [nsw] of these, ports with traffic that loads
			       links */
	uint32_t *dep_base; /* [nsw] first row of the switch in dep */
	uint64_t *dep;	    /* rows of ROW words: in-port -> out-ports */
	uint64_t *load;	    /* [nports], by out-port */
	/* for the current LID */
	int32_t *depth;	 /* [nsw] links left to go, or a state */
	uint32_t *next;	 /* [nsw] next switch, or NDTEXT_NONE */
	uint32_t *out;	 /* [nsw] port record, or NDTEXT_NONE */
	uint32_t *stack; /* [nsw] */
	uint32_t *count; /* [nsw] senders of packets that pass it */
	uint32_t *head;	 /* [nsw + 1] start of each depth in order[] */
	uint32_t *order; /* [nsw] switches by depth */
	unsigned shown_lost;
};

static const struct ndtext_node *
node_of(const struct ndtext *t, uint32_t port)
{
	return &t->node[t->port[port].node];
}

static const char *
switch_name(const struct ndtext *t, uint32_t sw)
{
	return t->node[t->sw[sw]].name;
}

/* The switch that a CA's port is linked to, or NDTEXT_NONE. */
static uint32_t
leaf_of(const struct ndtext *t, uint32_t port)
{
	uint32_t peer = t->port[port].peer;

	return peer == NDTEXT_NONE ? NDTEXT_NONE : node_of(t, peer)->sw;
}

static void
claim_lids(struct judge *j, uint32_t port)
{
	const struct ndtext_port *p = &j->t->port[port];
	const struct ndtext_node *n = node_of(j->t, port);
	struct judge_report *r = j->r;

	if (p->lid == 0) {
		if (r->bad_lids++ < SHOWN)
			buf_printf(&r->problems, "%s port %u has no LID\n",
				n->name, p->num);
		return;
	}
	for (uint32_t l = p->lid; l < p->lid + (1U << p->lmc); l++) {
		if (l < j->t->stride && j->owner[l] == NDTEXT_NONE) {
			j->owner[l] = port;
			r->lids++;
		} else if (r->bad_lids++ < SHOWN) {
			buf_printf(&r->problems,
				"%s port %u: LID %u is out of range or has"
				" two owners\n",
				n->name, p->num, l);
		}
	}
}

/* Find the sources, and the destinations with their LIDs. */
static void
find_ends(struct judge *j)
{
	const struct ndtext *t = j->t;

	for (uint32_t l = 0; l < t->stride; l++)
		j->owner[l] = NDTEXT_NONE;
	for (uint32_t p = 0; p < t->nports; p++) {
		const struct ndtext_node *n = node_of(t, p);

		if (n->sw != NDTEXT_NONE) {
			if (t->port[p].num == 0)
				claim_lids(j, p);
			continue;
		}
		if (t->port[p].peer == NDTEXT_NONE)
			continue;
		claim_lids(j, p);
		j->r->hosts++;
		j->r->aggregation += n->aggregation;
		if (leaf_of(t, p) == NDTEXT_NONE)
			continue;
		j->on[leaf_of(t, p)]++;
		if (!n->aggregation)
			j->senders[leaf_of(t, p)]++;
	}
	for (uint32_t s = 0; s < t->nsw; s++)
		if (!t->has_table[s] && j->r->no_table++ < SHOWN)
			buf_printf(&j->r->problems, "%s: no table was read\n",
				switch_name(t, s));
}

/*
 * The next hop of switch s for lid. Fills out and next; returns 0 if the packet
 * reaches the owner by it, LOST if it is dropped here, NEW if it goes on.
 */
static int32_t
next_hop(struct judge *j, uint32_t s, uint32_t lid)
{
	const struct ndtext *t = j->t;
	uint32_t out = ndtext_out(t, s, lid), peer;

	j->out[s] = out;
	j->next[s] = NDTEXT_NONE;
	if (out == NDTEXT_NONE)
		return LOST;
	if (t->port[out].num == 0)
		return j->owner[lid] == out ? 0 : LOST;
	peer = t->port[out].peer;
	if (peer == NDTEXT_NONE)
		return LOST;
	j->next[s] = node_of(t, peer)->sw;
	if (j->next[s] != NDTEXT_NONE)
		return NEW;
	return j->owner[lid] == peer ? 0 : LOST;
}

/* Walk from s to a switch with known state; set the state of all passed. */
static void
follow_lid(struct judge *j, uint32_t s, uint32_t lid)
{
	uint32_t n = 0;
	int32_t end;

	while (j->depth[s] == NEW) {
		end = next_hop(j, s, lid);
		j->depth[s] = end == NEW ? WALKING : end;
		if (end != NEW)
			break;
		j->stack[n++] = s;
		s = j->next[s];
	}
	end = j->depth[s] == WALKING ? LOOP : j->depth[s];
	while (n > 0) {
		if (end >= 0)
			end++;
		j->depth[j->stack[--n]] = end;
	}
}

/* Add the dependency of lid's traffic at the switch after s. */
static void
add_dependency(struct judge *j, uint32_t s)
{
	const struct ndtext *t = j->t;
	uint32_t v = j->next[s], in, out;

	if (v == NDTEXT_NONE || j->out[v] == NDTEXT_NONE)
		return;
	in = t->port[t->port[j->out[s]].peer].num;
	out = t->port[j->out[v]].num;
	if (out == 0 || t->port[j->out[v]].peer == NDTEXT_NONE)
		return;
	j->dep[(size_t)(j->dep_base[v] + in) * ROW + out / 64] |= (uint64_t)1
								  << (out % 64);
}

static void
tell_lost(struct judge *j, uint32_t s, uint32_t lid)
{
	const struct ndtext_node *to = node_of(j->t, j->owner[lid]);

	if (j->shown_lost++ >= SHOWN)
		return;
	buf_printf(&j->r->problems, "%s does not reach %s (LID %u): %s\n",
		switch_name(j->t, s), to->name, lid,
		j->depth[s] == LOOP ? "loop" : "dead end");
}

/* Count pairs towards lid, and add the dependencies of its traffic. */
static void
judge_lid(struct judge *j, uint32_t lid)
{
	const struct ndtext *t = j->t;
	struct judge_report *r = j->r;
	uint32_t dest = j->owner[lid], at = leaf_of(t, dest);
	uint32_t self = node_of(t, dest)->sw;

	for (uint32_t s = 0; s < t->nsw; s++)
		j->depth[s] = NEW;
	for (uint32_t s = 0; s < t->nsw; s++)
		follow_lid(j, s, lid);
	for (uint32_t s = 0; s < t->nsw; s++) {
		uint32_t hosts = j->on[s] - (s == at && self == NDTEXT_NONE);

		add_dependency(j, s);
		r->pairs += hosts + (s != self);
		r->sw_pairs += s != self;
		if (j->depth[s] >= 0) {
			if ((uint32_t)j->depth[s] > r->max_hops)
				r->max_hops = (uint32_t)j->depth[s];
			continue;
		}
		/* The switch itself counts as lost too. */
		r->unreachable += hosts + 1;
		r->sw_unreachable++;
		r->loops += j->depth[s] == LOOP;
		tell_lost(j, s, lid);
	}
}

/* Add the load of all hosts' packets to lid, farthest switch first. */
static void
add_load(struct judge *j)
{
	uint32_t nsw = j->t->nsw, n = 0;

	memset(j->head, 0, (nsw + 1) * sizeof(*j->head));
	for (uint32_t s = 0; s < nsw; s++)
		if (j->depth[s] > 0)
			j->head[j->depth[s]]++;
	for (uint32_t d = nsw; d > 0; d--) {
		uint32_t here = j->head[d];

		j->head[d] = n;
		n += here;
	}
	for (uint32_t s = 0; s < nsw; s++)
		if (j->depth[s] > 0)
			j->order[j->head[j->depth[s]]++] = s;
	memcpy(j->count, j->senders, nsw * sizeof(*j->count));
	for (uint32_t i = 0; i < n; i++) {
		uint32_t s = j->order[i];

		j->load[j->out[s]] += j->count[s];
		j->count[j->next[s]] += j->count[s];
	}
}

static void
judge_lids(struct judge *j)
{
	const struct ndtext *t = j->t;

	for (uint32_t lid = 1; lid < t->stride; lid++) {
		const struct ndtext_node *n;
		uint32_t p = j->owner[lid];

		if (p == NDTEXT_NONE)
			continue;
		judge_lid(j, lid);
		n = node_of(t, p);
		if (n->sw == NDTEXT_NONE && !n->aggregation &&
			t->port[p].lid == lid)
			add_load(j);
	}
}

static bool
is_channel(const struct ndtext *t, uint32_t port)
{
	return t->port[port].peer != NDTEXT_NONE &&
	       node_of(t, port)->sw != NDTEXT_NONE;
}

static void
sum_load(struct judge *j)
{
	const struct ndtext *t = j->t;
	uint32_t n = 0;
	uint64_t sum = 0;

	for (uint32_t p = 0; p < t->nports; p++) {
		if (!is_channel(t, p))
			continue;
		j->r->channels++;
		if (leaf_of(t, p) == NDTEXT_NONE)
			continue;
		n++;
		sum += j->load[p];
		if (j->load[p] > j->r->load_max)
			j->r->load_max = j->load[p];
	}
	j->r->load_mean = n ? (double)sum / n : 0;
}

/* The channel after `after` that c waits for, or NDTEXT_NONE. */
static uint32_t
next_wait(const struct judge *j, uint32_t c, uint32_t after)
{
	const struct ndtext *t = j->t;
	uint32_t peer = t->port[c].peer, v = node_of(t, peer)->sw;
	uint32_t first, from;
	const uint64_t *row;

	if (v == NDTEXT_NONE)
		return NDTEXT_NONE;
	first = node_of(t, peer)->first;
	from = after == NDTEXT_NONE ? 0 : after - first + 1;
	row = &j->dep[(size_t)(j->dep_base[v] + t->port[peer].num) * ROW];
	for (uint32_t w = from / 64; w < ROW; w++) {
		uint64_t bits = row[w];

		if (w == from / 64)
			bits &= ~(uint64_t)0 << (from % 64);
		if (bits)
			return first + w * 64 + (uint32_t)__builtin_ctzll(bits);
	}
	return NDTEXT_NONE;
}

/* Arrays for peeling and searching the graph of channels. */
struct graph {
	uint32_t *in; /* [nports] channels that wait for this one, not peeled */
	uint32_t *queue;
	uint32_t *from;	 /* breadth-first parent */
	uint8_t *behind; /* cannot be peeled from the front: on or behind a
			    cycle */
	uint8_t *core;	 /* on a cycle */
};

/* Peel channels that no channel waits for; the rest is on or behind a cycle. */
static void
peel_front(struct judge *j, struct graph *g)
{
	const struct ndtext *t = j->t;
	uint32_t n = 0, c, d;

	for (c = 0; c < t->nports; c++) {
		if (!is_channel(t, c))
			continue;
		g->behind[c] = 1;
		for (d = next_wait(j, c, NDTEXT_NONE); d != NDTEXT_NONE;
			d = next_wait(j, c, d))
			g->in[d]++;
	}
	for (c = 0; c < t->nports; c++)
		if (g->behind[c] && !g->in[c])
			g->queue[n++] = c;
	for (uint32_t i = 0; i < n; i++) {
		c = g->queue[i];
		g->behind[c] = 0;
		for (d = next_wait(j, c, NDTEXT_NONE); d != NDTEXT_NONE;
			d = next_wait(j, c, d))
			if (--g->in[d] == 0)
				g->queue[n++] = d;
	}
}

/*
 * Breadth-first search from c back to c, in at most limit steps, among the
 * channels left. Returns the length of the cycle, or 0; from[] has its
 * channels.
 */
static uint32_t
cycle_through(struct judge *j, struct graph *g, uint32_t c, uint32_t limit)
{
	uint32_t n = 1, end = 1, steps = 1;

	memset(g->from, 0xff, j->t->nports * sizeof(*g->from));
	g->queue[0] = c;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = g->queue[i], d;

		if (i == end) {
			end = n;
			if (++steps > limit)
				return 0;
		}
		for (d = next_wait(j, at, NDTEXT_NONE); d != NDTEXT_NONE;
			d = next_wait(j, at, d)) {
			if (!g->behind[d] || g->from[d] != NDTEXT_NONE)
				continue;
			g->from[d] = at;
			if (d == c)
				return steps;
			g->queue[n++] = d;
		}
	}
	return 0;
}

static void
tell_cycle(struct judge *j, struct graph *g, uint32_t c, uint32_t len)
{
	const struct ndtext *t = j->t;
	uint32_t *way = mem_zalloc(len, sizeof(*way));
	uint32_t at = c;

	cycle_through(j, g, c, len);
	for (uint32_t i = len; i > 0; i--) {
		way[i - 1] = at;
		at = g->from[at];
	}
	buf_printf(&j->r->problems, "cycle of %u channels:", len);
	for (uint32_t i = 0; i < len; i++)
		buf_printf(&j->r->problems, " %s[%u]", node_of(t, way[i])->name,
			t->port[way[i]].num);
	buf_printf(&j->r->problems, "\n");
	free(way);
}

/* Tarjan's strongly connected components, without recursion. */
struct scc {
	uint32_t *index, *low, *edge, *call, *open;
	uint8_t *is_open;
	uint32_t next, ncall, nopen;
};

static void
scc_enter(struct scc *k, uint32_t c)
{
	k->index[c] = k->low[c] = ++k->next;
	k->edge[c] = NDTEXT_NONE;
	k->call[k->ncall++] = c;
	k->open[k->nopen++] = c;
	k->is_open[c] = 1;
}

/* c is finished: close its component if c is its root. */
static void
scc_leave(struct judge *j, struct scc *k, struct graph *g, uint32_t c)
{
	uint32_t size = 0, d;
	bool self = false;

	k->ncall--;
	if (k->ncall) {
		uint32_t up = k->call[k->ncall - 1];

		if (k->low[c] < k->low[up])
			k->low[up] = k->low[c];
	}
	if (k->low[c] != k->index[c])
		return;
	for (d = next_wait(j, c, NDTEXT_NONE); d != NDTEXT_NONE;
		d = next_wait(j, c, d))
		self |= d == c;
	do {
		d = k->open[--k->nopen];
		k->is_open[d] = 0;
		g->core[d] = 1;
		size++;
	} while (d != c);
	if (size > 1 || self)
		j->r->cyclic += size;
	else
		g->core[c] = 0;
}

static void
scc_run(struct judge *j, struct scc *k, struct graph *g, uint32_t root)
{
	scc_enter(k, root);
	while (k->ncall) {
		uint32_t c = k->call[k->ncall - 1];
		uint32_t d = next_wait(j, c, k->edge[c]);

		if (d == NDTEXT_NONE) {
			scc_leave(j, k, g, c);
			continue;
		}
		k->edge[c] = d;
		if (!k->index[d])
			scc_enter(k, d);
		else if (k->is_open[d] && k->index[d] < k->low[c])
			k->low[c] = k->index[d];
	}
}

static void
find_components(struct judge *j, struct graph *g)
{
	uint32_t n = j->t->nports;
	struct scc k = {0};

	k.index = mem_zalloc(n, sizeof(*k.index));
	k.low = mem_zalloc(n, sizeof(*k.low));
	k.edge = mem_zalloc(n, sizeof(*k.edge));
	k.call = mem_zalloc(n, sizeof(*k.call));
	k.open = mem_zalloc(n, sizeof(*k.open));
	k.is_open = mem_zalloc(n, 1);
	for (uint32_t c = 0; c < n; c++)
		if (g->behind[c] && !k.index[c])
			scc_run(j, &k, g, c);
	free(k.index);
	free(k.low);
	free(k.edge);
	free(k.call);
	free(k.open);
	free(k.is_open);
}

/* The shortest cycle through one of the first few channels that have one. */
static void
show_cycle(struct judge *j, struct graph *g)
{
	uint32_t best = NDTEXT_NONE, best_len = j->t->nports, tried = 0;

	for (uint32_t c = 0; c < j->t->nports; c++) {
		uint32_t len;

		if (!g->core[c] || tried++ >= CYCLE_STARTS)
			continue;
		len = cycle_through(j, g, c, best_len);
		if (len && (best == NDTEXT_NONE || len < best_len)) {
			best = c;
			best_len = len;
		}
	}
	if (best != NDTEXT_NONE)
		tell_cycle(j, g, best, best_len);
}

static void
judge_cycles(struct judge *j)
{
	uint32_t n = j->t->nports;
	struct graph g = {0};

	g.in = mem_zalloc(n, sizeof(*g.in));
	g.queue = mem_zalloc(n, sizeof(*g.queue));
	g.from = mem_zalloc(n, sizeof(*g.from));
	g.behind = mem_zalloc(n, 1);
	g.core = mem_zalloc(n, 1);
	peel_front(j, &g);
	for (uint32_t c = 0; c < n; c++)
		j->r->behind += g.behind[c];
	if (j->r->behind) {
		find_components(j, &g);
		show_cycle(j, &g);
	}
	j->r->behind -= j->r->cyclic;
	free(g.in);
	free(g.queue);
	free(g.from);
	free(g.behind);
	free(g.core);
}

void
judge_all(const struct ndtext *t, struct judge_report *r)
{
	struct judge j = {.t = t, .r = r};
	struct arena *a = arena_new();
	uint32_t rows = 0;

	memset(r, 0, sizeof(*r));
	j.owner = arena_array(a, t->stride, sizeof(*j.owner));
	j.on = arena_array(a, t->nsw, sizeof(*j.on));
	j.senders = arena_array(a, t->nsw, sizeof(*j.senders));
	j.dep_base = arena_array(a, t->nsw, sizeof(*j.dep_base));
	j.load = arena_array(a, t->nports, sizeof(*j.load));
	j.depth = arena_array(a, t->nsw, sizeof(*j.depth));
	j.next = arena_array(a, t->nsw, sizeof(*j.next));
	j.out = arena_array(a, t->nsw, sizeof(*j.out));
	j.stack = arena_array(a, t->nsw, sizeof(*j.stack));
	j.count = arena_array(a, t->nsw, sizeof(*j.count));
	j.head = arena_array(a, (size_t)t->nsw + 1, sizeof(*j.head));
	j.order = arena_array(a, t->nsw, sizeof(*j.order));
	for (uint32_t s = 0; s < t->nsw; s++) {
		j.dep_base[s] = rows;
		rows += t->node[t->sw[s]].nports + 1U;
	}
	j.dep = arena_array(a, rows, ROW * sizeof(*j.dep));
	find_ends(&j);
	judge_lids(&j);
	sum_load(&j);
	judge_cycles(&j);
	arena_free(a);
}

bool
judge_good(const struct judge_report *r, bool cycles_allowed)
{
	return !r->bad_lids && !r->no_table && !r->unreachable &&
	       (cycles_allowed || !r->cyclic);
}

void
judge_free(struct judge_report *r)
{
	buf_free(&r->problems);
}
