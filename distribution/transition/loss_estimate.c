#include "distribution/transition/loss_estimate.h"

#include <stdlib.h>
#include <string.h>

#include "distribution/transition/loss_estimate_priv.h"
#include "routing/core/path_fate.h"
#include "sm/base/mem.h"

/*
 * With more writes than this the cost is computed at once, and they are not
 * kept.
 */
enum { KEPT_WRITES = 16384 };

/* What becomes of a packet: a cause of loss, or one of these. */
enum { ARRIVES = LOSS_ESTIMATE_CAUSES };

/* A write of the transition; both references are ours. */
struct written {
	sw_ix sw;
	uint32_t block;
	lft_ref image, was;
};

/*
 * What is known of the fabric before anything was written, and the transition
 * as far as it is needed: all that a cost can be computed from later on.
 */
struct expectation {
	unsigned refs;
	bool done;
	struct loss_estimate cost;
	struct lft_pool *pool;
	uint64_t steps;
	struct loss_estimate_moments moments;
	bool *downed;	 /* [nports] or NULL */
	uint32_t *hosts; /* [nsw] */
	uint32_t *dark;	 /* [moments][nsw] hosts with their own port down then,
			    or NULL: none */
	bool *has_blocked; /* [nsw] some dependency is blocked here */
	bool *out;	   /* [nsw] quarantined */
	uint64_t *counts;  /* bits: LIDs of hosts */
	uint32_t nlids;
	struct written *write;
	size_t nwrites;
	struct transition_dependency *dep;
	size_t ndeps;
};

struct play {
	struct expectation *x;
	const struct routes *to;
	const struct topo *t;
	const uint8_t **line;	 /* [nsw] the current block, now */
	uint32_t *order, *first; /* writes by block: order[first[b]] ... */
	uint32_t nblocks;
	struct path_fate fate; /* a cause of a loss, or ARRIVES */
	unsigned i;	       /* at hand: the LID in the block, */
	port_ix owner;	       /* its port, */
	const struct loss_estimate_moment *m; /* the moment */
	unsigned layer, layers;
	uint32_t each, seen; /* every each-th LID is looked at */
};

const char *
loss_estimate_cause_name(enum loss_estimate_cause c)
{
	static const char *const name[] = {
		"broken", "turned", "closed", "down", "flight"};

	return (size_t)c < sizeof(name) / sizeof(*name) ? name[c] : "?";
}

const char *
loss_estimate_kind_name(enum loss_estimate_kind k)
{
	static const char *const name[] = {"before", "discard", "block",
		"ports down", "new ports", "tables", "unblock", "ports up"};

	return (size_t)k < sizeof(name) / sizeof(*name) ? name[k] : "?";
}

struct loss_estimate_pace
loss_estimate_pace_defaults(void)
{
	return (struct loss_estimate_pace){
		.answer = mono_us(100),
		.window = 64,
		.target = 4,
		.drain = mono_ms(50),
		.hop = mono_us(1),
	};
}

double
loss_estimate_sum(const double lost[LOSS_ESTIMATE_CAUSES])
{
	double sum = 0;

	for (unsigned c = 0; c < LOSS_ESTIMATE_CAUSES; c++)
		sum += lost[c];
	return sum;
}

double
loss_estimate_packets(const struct loss_estimate *e, double lost, double rate)
{
	return e->hosts > 1 ? lost * rate / (e->hosts - 1) : 0;
}

void
loss_estimate_clear(struct loss_estimate *e)
{
	free(e->phase);
	*e = (struct loss_estimate){0};
}

/* ---- as the fabric is when it begins ---- */

static bool
is_fresh(const struct topo *t, sw_ix s)
{
	return (t->node[t->sw[s].node].flags & TN_FRESH) != 0;
}

/* Mark the LIDs of a port as LIDs of a host. */
static void
mark_lids(struct expectation *x, const struct topo *t, port_ix p)
{
	uint32_t first = t->port[p].lid;

	for (uint32_t l = first; l < first + (1U << t->port[p].lmc); l++)
		if (l < x->nlids)
			x->counts[l / 64] |= UINT64_C(1) << l % 64;
}

static void
count_hosts(struct expectation *x, const struct topo *t)
{
	x->nlids = t->max_lid + 1U;
	x->counts = mem_zalloc(x->nlids / 64 + 1, sizeof(*x->counts));
	x->hosts = mem_zalloc(t->nsw, sizeof(*x->hosts));
	x->out = mem_zalloc(t->nsw, sizeof(*x->out));
	for (sw_ix s = 0; s < t->nsw; s++) {
		x->out[s] = !topo_sw_live(t, s);
		for (uint32_t i = 0; i < t->sw[s].nend && !is_fresh(t, s);
			i++) {
			port_ix p = t->end[t->sw[s].end + i].port;

			if (!loss_estimate_is_host(t, p))
				continue;
			mark_lids(x, t, p);
			x->hosts[s]++;
			x->cost.hosts++;
		}
	}
}

/* Count the hosts that cannot send, at each moment. */
static void
count_dark_hosts(struct expectation *x, const struct topo *t)
{
	if (x->downed == NULL)
		return;
	x->dark = mem_zalloc((size_t)x->moments.n * t->nsw, sizeof(*x->dark));
	for (size_t k = 0; k < x->moments.n; k++)
		for (port_ix p = 0; p < t->nports; p++)
			if (x->downed[p] && loss_estimate_is_host(t, p) &&
				!is_fresh(t, topo_switch_of(t, p)) &&
				loss_estimate_is_down(t, p, &x->moments.m[k]))
				x->dark[k * t->nsw + topo_switch_of(t, p)]++;
}

static void
keep_writes(struct expectation *x, const struct transition_result *c)
{
	x->nwrites = c->nwrites;
	x->write = mem_alloc(c->nwrites * sizeof(*x->write));
	for (size_t i = 0; i < c->nwrites; i++)
		x->write[i] = (struct written){
			.sw = c->write[i].sw,
			.block = c->write[i].block,
			.image = lft_share(x->pool, c->write[i].image),
			.was = lft_share(x->pool, c->write[i].was),
		};
}

static void
keep_dependencies(
	struct expectation *x, const struct transition_result *c, uint32_t nsw)
{
	x->ndeps = c->ndeps;
	x->dep = mem_dup(c->dep, c->ndeps * sizeof(*x->dep));
	x->has_blocked = mem_zalloc(nsw, sizeof(*x->has_blocked));
	for (size_t i = 0; i < x->ndeps; i++)
		x->has_blocked[x->dep[i].sw] |= !x->dep[i].by_port;
}

/* The host with this LID, if it counts; or TOPO_NONE. */
static port_ix
owner_of(const struct play *w, uint32_t lid)
{
	const struct expectation *x = w->x;

	return lid < x->nlids && (x->counts[lid / 64] >> lid % 64 & 1) != 0
		       ? topo_by_lid(w->t, (uint16_t)lid, NULL)
		       : TOPO_NONE;
}

/* ---- a packet's path at a moment ---- */

static uint64_t
dependency_place(sw_ix s, unsigned in, unsigned out)
{
	return (uint64_t)s << 16 | in << 8 | out;
}

/* The dependency in the transition's list, which is sorted; or NULL. */
static const struct transition_dependency *
find_dependency(const struct expectation *x, sw_ix s, unsigned in, unsigned out)
{
	size_t from = 0, to = x->ndeps;

	while (from < to) {
		size_t at = from + (to - from) / 2;
		const struct transition_dependency *u = &x->dep[at];

		if (dependency_place(u->sw, u->in, u->out) ==
			dependency_place(s, in, out))
			return u;
		if (dependency_place(u->sw, u->in, u->out) <
			dependency_place(s, in, out))
			from = at + 1;
		else
			to = at;
	}
	return NULL;
}

static bool
is_blocked(const struct play *w, sw_ix s, unsigned in, unsigned out,
	unsigned which)
{
	const struct transition_dependency *u;

	if (which == 0 || !w->x->has_blocked[s])
		return false;
	u = find_dependency(w->x, s, in, out);
	return u != NULL && !u->by_port && (u->layers >> w->layer & 1) != 0 &&
	       (which & ((u->stays >> w->layer & 1) != 0
					? LOSS_ESTIMATE_STAYING
					: LOSS_ESTIMATE_PASSING)) != 0;
}

/* One step of a packet for the LID at hand from switch *s. */
static uint8_t
packet_step(void *arg, sw_ix *s)
{
	const struct play *w = arg;
	const struct topo *t = w->t;
	const struct loss_estimate_moment *m = w->m;
	port_ix peer = topo_port_behind(t, *s, w->line[*s][w->i]), p;
	sw_ix next = topo_port_switch(t, peer);
	uint8_t on;

	if (peer == TOPO_NONE)
		return LOSS_ESTIMATE_BROKEN;
	p = t->port[peer].peer;
	if (w->x->downed != NULL && w->x->downed[p] &&
		loss_estimate_is_down(t, p, m))
		return LOSS_ESTIMATE_DOWN;
	if (next == TOPO_NONE)
		return peer == w->owner ? ARRIVES : LOSS_ESTIMATE_BROKEN;
	if (w->x->out[next])
		return LOSS_ESTIMATE_BROKEN;
	on = w->line[next][w->i];
	if (on == t->port[peer].num)
		return LOSS_ESTIMATE_LOOPED;
	if (is_blocked(w, next, t->port[peer].num, on, m->closed))
		return LOSS_ESTIMATE_CLOSED;
	*s = next;
	return PATH_FATE_OPEN;
}

/* Hosts of switch s that send to owner in the current layer. */
static uint32_t
count_senders(const struct play *w, sw_ix s, sw_ix dest)
{
	if (w->x->hosts[s] == 0 ||
		(w->layers > 1 &&
			routes_layer(&w->to->layers, s, dest) != w->layer))
		return 0;
	return w->x->hosts[s] - (s == dest);
}

/* Pairs with this destination that lose packets at a moment, by cause. */
static void
count_lost(struct play *w, unsigned i, port_ix owner,
	const struct loss_estimate_moment *m, double lost[LOSS_ESTIMATE_CAUSES])
{
	sw_ix dest = topo_switch_of(w->t, owner);
	size_t at = (size_t)(m - w->x->moments.m) * w->t->nsw;
	double share = loss_estimate_share(w->t, owner);

	w->i = i;
	w->owner = owner;
	w->m = m;
	path_fate_reset(&w->fate);
	for (sw_ix s = 0; s < w->t->nsw; s++) {
		uint32_t n = count_senders(w, s, dest), dark;
		uint8_t end;

		if (n == 0)
			continue;
		dark = w->x->dark != NULL ? w->x->dark[at + s] : 0;
		if (dark > n)
			dark = n;
		end = path_fate_follow(&w->fate, s, LOSS_ESTIMATE_LOOPED,
			packet_step, NULL, w);
		lost[LOSS_ESTIMATE_DOWN] += dark * share;
		if (end < LOSS_ESTIMATE_CAUSES)
			lost[end] += (n - dark) * share;
	}
}

/* ---- all LIDs, block by block ---- */

static void
sort_writes(struct play *w)
{
	const struct expectation *x = w->x;
	uint32_t *at;

	w->nblocks = w->to->nblocks;
	for (size_t i = 0; i < x->nwrites; i++)
		if (x->write[i].block >= w->nblocks)
			w->nblocks = x->write[i].block + 1;
	w->first = mem_zalloc(w->nblocks + 1U, sizeof(*w->first));
	w->order = mem_alloc(x->nwrites * sizeof(*w->order));
	for (size_t i = 0; i < x->nwrites; i++)
		w->first[x->write[i].block + 1]++;
	for (uint32_t b = 0; b < w->nblocks; b++)
		w->first[b + 1] += w->first[b];
	at = mem_dup(w->first, w->nblocks * sizeof(*at));
	for (size_t i = 0; i < x->nwrites; i++)
		w->order[at[x->write[i].block]++] = (uint32_t)i;
	free(at);
}

/* Load block b of all tables as it is after the first n writes. */
static void
load_block(struct play *w, uint32_t b, size_t n)
{
	const struct routes *to = w->to;
	const struct expectation *x = w->x;

	for (sw_ix s = 0; s < w->t->nsw; s++)
		w->line[s] = b < to->nblocks ? routes_block(to, s, b)
					     : lft_bytes(to->pool, LFT_EMPTY);
	/* backwards: the value before the first write that is to come */
	for (uint32_t k = w->first[b + 1]; k-- > w->first[b];) {
		const struct written *u = &x->write[w->order[k]];

		if (w->order[k] >= n)
			w->line[u->sw] = lft_bytes(to->pool, u->was);
	}
	for (uint32_t k = w->first[b]; k < w->first[b + 1]; k++) {
		const struct written *u = &x->write[w->order[k]];

		if (w->order[k] < n)
			w->line[u->sw] = lft_bytes(to->pool, u->image);
	}
}

/* Destinations in this block that count. */
static uint64_t
counted_entries(const struct play *w, uint32_t b)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < LFT_BLOCK; i++)
		if (owner_of(w, b * LFT_BLOCK + i) != TOPO_NONE)
			bits |= (uint64_t)1 << i;
	return bits;
}

/* Of the entries `of`, the ones that some write of the block changes. */
static uint64_t
changing_entries(const struct play *w, uint32_t b, uint64_t of)
{
	const struct expectation *x = w->x;
	const struct lft_pool *pool = x->pool;
	uint64_t bits = 0;

	for (uint32_t k = w->first[b]; k < w->first[b + 1]; k++) {
		const struct written *u = &x->write[w->order[k]];
		const uint8_t *was = lft_bytes(pool, u->was);
		const uint8_t *is = lft_bytes(pool, u->image);

		for (unsigned i = 0; i < LFT_BLOCK; i++)
			bits |= (uint64_t)(was[i] != is[i]) << i;
	}
	return bits & of;
}

/* Destinations in this block that may lose anything. */
static uint64_t
concerned_entries(const struct play *w, uint32_t b)
{
	uint64_t bits = counted_entries(w, b);

	/* none, where all is new with the fabric */
	return bits == 0 || w->x->ndeps > 0 ? bits
					    : changing_entries(w, b, bits);
}

static void
add_moment(struct play *w, uint32_t b, uint64_t bits,
	const struct loss_estimate_moment *m)
{
	double lost[LOSS_ESTIMATE_CAUSES] = {0};

	load_block(w, b, m->written);
	for (; bits != 0; bits &= bits - 1) {
		unsigned i = (unsigned)__builtin_ctzll(bits);
		port_ix owner = owner_of(w, b * LFT_BLOCK + i);

		for (w->layer = 0; w->layer < w->layers; w->layer++)
			count_lost(w, i, owner, m, lost);
	}
	if (m == w->x->moments.m)
		w->x->cost.now += loss_estimate_sum(lost) * w->each;
	for (unsigned c = 0; c < LOSS_ESTIMATE_CAUSES; c++)
		w->x->cost.phase[m->phase].lost[c] +=
			lost[c] * m->seconds * w->each;
}

/* Of these LIDs the sampled ones: every each-th. */
static uint64_t
sample_entries(struct play *w, uint64_t bits)
{
	uint64_t some = 0;

	for (; bits != 0; bits &= bits - 1)
		if (w->seen++ % w->each == 0)
			some |= bits & -bits;
	return some;
}

static void
choose_samples(struct play *w)
{
	uint64_t all = 0;

	for (uint32_t b = 0; b < w->nblocks; b++)
		all += (uint64_t)__builtin_popcountll(concerned_entries(w, b));
	all *= w->t->nsw * w->x->moments.n * w->layers;
	w->each = (uint32_t)(all / w->x->steps) + 1;
}

static void
play_blocks(struct play *w)
{
	choose_samples(w);
	for (uint32_t b = 0; b < w->nblocks; b++) {
		uint64_t bits = sample_entries(w, concerned_entries(w, b));

		for (size_t k = 0; bits != 0 && k < w->x->moments.n; k++)
			add_moment(w, b, bits, &w->x->moments.m[k]);
	}
}

/* ---- the whole ---- */

/* Free all but the cost itself. */
static void
forget_inputs(struct expectation *x)
{
	for (size_t i = 0; i < x->nwrites; i++) {
		lft_drop(x->pool, x->write[i].image);
		lft_drop(x->pool, x->write[i].was);
	}
	free(x->write);
	free(x->dep);
	free(x->moments.m);
	free(x->downed);
	free(x->hosts);
	free(x->dark);
	free(x->has_blocked);
	free(x->out);
	free(x->counts);
	*x = (struct expectation){
		.refs = x->refs, .done = x->done, .cost = x->cost};
}

struct expectation *
loss_estimate_begin(const struct loss_estimate_job *job)
{
	struct expectation *x = mem_zalloc(1, sizeof(*x));
	const struct topo *t = job->to->topo;

	x->refs = 1;
	x->pool = job->to->pool;
	x->steps = loss_estimate_steps(job);
	x->cost.answer = job->pace.answer;
	x->downed = loss_schedule_down(job);
	count_hosts(x, t);
	loss_schedule(job, x->downed, &x->cost, &x->moments);
	count_dark_hosts(x, t);
	keep_writes(x, job->change);
	keep_dependencies(x, job->change, t->nsw);
	loss_in_flight(job, x->downed, &x->cost);
	if (x->nwrites > KEPT_WRITES) {
		(void)loss_estimate_cost(x, job->to);
		forget_inputs(x);
	}
	return x;
}

const struct loss_estimate *
loss_estimate_cost(struct expectation *x, const struct routes *to)
{
	struct play w = {.x = x, .to = to, .layers = 1};
	uint32_t nsw;

	if (x->done)
		return &x->cost;
	w.t = to->topo;
	nsw = w.t->nsw;
	w.line = mem_zalloc(nsw, sizeof(*w.line));
	w.fate = path_fate_new(nsw);
	if (x->ndeps > 0)
		w.layers = to->layers.n;
	sort_writes(&w);
	play_blocks(&w);
	for (size_t k = 0; k < x->cost.nphases; k++) {
		for (unsigned c = 0; c < LOSS_ESTIMATE_CAUSES; c++)
			x->cost.lost[c] += x->cost.phase[k].lost[c];
		x->cost.time = mono_add(x->cost.time, x->cost.phase[k].time);
	}
	x->done = true;
	free((void *)w.line);
	path_fate_free(&w.fate);
	free(w.order);
	free(w.first);
	return &x->cost;
}

struct expectation *
loss_estimate_ref(struct expectation *x)
{
	if (x != NULL)
		x->refs++;
	return x;
}

void
loss_estimate_unref(struct expectation *x)
{
	if (x == NULL || --x->refs > 0)
		return;
	forget_inputs(x);
	free(x->cost.phase);
	free(x);
}

void
loss_estimate_compute(
	const struct loss_estimate_job *job, struct loss_estimate *out)
{
	struct expectation *x = loss_estimate_begin(job);

	*out = *loss_estimate_cost(x, job->to);
	x->cost.phase = NULL;
	loss_estimate_unref(x);
}
