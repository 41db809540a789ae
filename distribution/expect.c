#include "distribution/expect.h"

#include <stdlib.h>
#include <string.h>

#include "distribution/expect_priv.h"
#include "sm/base/mem.h"

enum { STEPS = 4000000, HOPS = 4, ARMED = 3 };

/* What becomes of a packet: a cause of loss, or one of these. */
enum fate { ARRIVES = EXPECT_CAUSES, ON_THE_WAY, UNKNOWN };

struct play {
	const struct expect_job *job;
	const struct topo *t;
	struct expect *out;
	struct expect_moments moments;
	bool *downed;	 /* [nports] or NULL */
	uint32_t *hosts; /* [nsw] */
	uint32_t *dark;	 /* [moments][nsw] hosts whose own port is down then */
	bool *turns;	 /* [nsw] some row is closed here */
	const uint8_t **line;	 /* [nsw] the block in hand, now */
	uint32_t *order, *first; /* writes by block: order[first[b]] ... */
	uint32_t nblocks;
	uint8_t *fate; /* [nsw] */
	sw_ix *path;   /* [nsw] */
	unsigned lane, lanes;
	uint32_t each, seen; /* every so many LIDs is looked at */
};

const char *
expect_cause_name(enum expect_cause c)
{
	static const char *const name[] = {
		"broken", "turned", "closed", "down", "flight"};

	return (size_t)c < sizeof(name) / sizeof(*name) ? name[c] : "?";
}

const char *
expect_kind_name(enum expect_kind k)
{
	static const char *const name[] = {"before", "walls", "turns closed",
		"ports down", "new ports", "tables", "turns opened",
		"ports up"};

	return (size_t)k < sizeof(name) / sizeof(*name) ? name[k] : "?";
}

struct expect_pace
expect_pace_defaults(void)
{
	return (struct expect_pace){
		.answer = mono_us(100),
		.window = 64,
		.target = 4,
		.drain = mono_ms(50),
		.hop = mono_us(1),
	};
}

double
expect_sum(const double lost[EXPECT_CAUSES])
{
	double sum = 0;

	for (unsigned c = 0; c < EXPECT_CAUSES; c++)
		sum += lost[c];
	return sum;
}

double
expect_packets(const struct expect *e, double lost, double rate)
{
	return e->hosts > 1 ? lost * rate / (e->hosts - 1) : 0;
}

void
expect_clear(struct expect *e)
{
	free(e->phase);
	*e = (struct expect){0};
}

/* ---- hosts ---- */

static bool
is_host(const struct topo *t, port_ix p)
{
	const struct topo_node *n = &t->node[t->port[p].node];

	return n->type != TOPO_SWITCH && (n->flags & TN_AGGREGATION) == 0 &&
	       t->port[p].lid != 0 && t->port[p].state >= ARMED;
}

static bool
is_fresh(const struct topo *t, sw_ix s)
{
	return (t->node[t->sw[s].node].flags & TN_FRESH) != 0;
}

static void
count_hosts(struct play *w)
{
	const struct topo *t = w->t;

	for (sw_ix s = 0; s < t->nsw; s++)
		for (uint32_t i = 0; i < t->sw[s].nend && !is_fresh(t, s);
			i++) {
			port_ix p = t->end[t->sw[s].end + i].port;

			if (!is_host(t, p))
				continue;
			w->hosts[s]++;
			w->out->hosts++;
		}
}

/* Which hosts cannot send, at each moment. */
static void
find_dark(struct play *w)
{
	const struct topo *t = w->t;

	w->dark = mem_zalloc((size_t)w->moments.n * t->nsw, sizeof(*w->dark));
	for (size_t k = 0; w->downed != NULL && k < w->moments.n; k++)
		for (port_ix p = 0; p < t->nports; p++)
			if (w->downed[p] && is_host(t, p) &&
				!is_fresh(t, topo_switch_of(t, p)) &&
				expect_is_down(t, p, &w->moments.m[k]))
				w->dark[k * t->nsw + topo_switch_of(t, p)]++;
}

/* The host that has this LID, as it counts; or TOPO_NONE. */
static port_ix
owner_of(const struct topo *t, uint32_t lid)
{
	port_ix p = topo_by_lid(t, (uint16_t)lid, NULL);
	sw_ix s = p != TOPO_NONE ? topo_switch_of(t, p) : TOPO_NONE;

	return s != TOPO_NONE && is_host(t, p) && !is_fresh(t, s) ? p
								  : TOPO_NONE;
}

/* LIDs of a port share what is sent to it. */
static double
share_of(const struct topo *t, port_ix p)
{
	return 1.0 / (double)(1U << t->port[p].lmc);
}

/* ---- a packet's way at a moment ---- */

static uint64_t
place(sw_ix s, unsigned in, unsigned out)
{
	return (uint64_t)s << 16 | in << 8 | out;
}

/* The turn of the transition, which are sorted; or NULL. */
static const struct safe_turn *
find_turn(const struct safe_transition *x, sw_ix s, unsigned in, unsigned out)
{
	size_t from = 0, to = x->nturns;

	while (from < to) {
		size_t at = from + (to - from) / 2;
		const struct safe_turn *u = &x->turn[at];

		if (place(u->sw, u->in, u->out) == place(s, in, out))
			return u;
		if (place(u->sw, u->in, u->out) < place(s, in, out))
			from = at + 1;
		else
			to = at;
	}
	return NULL;
}

static bool
closed(const struct play *w, sw_ix s, unsigned in, unsigned out, unsigned which)
{
	const struct safe_turn *u;

	if (which == 0 || !w->turns[s])
		return false;
	u = find_turn(w->job->change, s, in, out);
	return u != NULL && !u->by_port && (u->lanes >> w->lane & 1) != 0 &&
	       (which & (u->stays ? EXPECT_STAYING : EXPECT_PASSING)) != 0;
}

/* One step of a packet for LID number i of the block from switch s: its fate,
 * or UNKNOWN and the next switch. */
static unsigned
step(const struct play *w, sw_ix *s, unsigned i, port_ix owner,
	const struct expect_moment *m)
{
	const struct topo *t = w->t;
	node_ix node = t->sw[*s].node;
	uint8_t out = w->line[*s][i], on;
	port_ix p, peer = TOPO_NONE;
	sw_ix next;

	if (out != 0 && out <= t->node[node].nports)
		peer = t->port[topo_port_of(t, node, out)].peer;
	if (peer == TOPO_NONE)
		return EXPECT_BROKEN;
	p = topo_port_of(t, node, out);
	if (w->downed != NULL && w->downed[p] && expect_is_down(t, p, m))
		return EXPECT_DOWN;
	next = t->node[t->port[peer].node].sw;
	if (next == TOPO_NONE)
		return peer == owner ? ARRIVES : EXPECT_BROKEN;
	if ((t->node[t->port[peer].node].flags & TN_QUARANTINED) != 0)
		return EXPECT_BROKEN;
	on = w->line[next][i];
	if (on == t->port[peer].num)
		return EXPECT_TURNED;
	if (closed(w, next, t->port[peer].num, on, m->closed))
		return EXPECT_CLOSED;
	*s = next;
	return UNKNOWN;
}

/* Follow it to the end; what is met shares its fate. */
static void
follow(struct play *w, sw_ix s, unsigned i, port_ix owner,
	const struct expect_moment *m)
{
	unsigned end = UNKNOWN;
	uint32_t k = 0;

	while (end == UNKNOWN) {
		if (w->fate[s] != UNKNOWN) {
			end = w->fate[s] == ON_THE_WAY ? EXPECT_TURNED
						       : w->fate[s];
			break;
		}
		w->fate[s] = ON_THE_WAY;
		w->path[k++] = s;
		end = step(w, &s, i, owner, m);
	}
	while (k-- > 0)
		w->fate[w->path[k]] = (uint8_t)end;
}

/* Hosts of switch s that send to owner on the lane in hand. */
static uint32_t
senders(const struct play *w, sw_ix s, sw_ix home)
{
	if (w->hosts[s] == 0 || (w->lanes > 1 && routes_lane(&w->job->to->lanes,
							 s, home) != w->lane))
		return 0;
	return w->hosts[s] - (s == home);
}

/* Pairs with this destination that lose packets at a moment, by cause. */
static void
count_lost(struct play *w, unsigned i, port_ix owner,
	const struct expect_moment *m, double lost[EXPECT_CAUSES])
{
	sw_ix home = topo_switch_of(w->t, owner);
	double share = share_of(w->t, owner);

	memset(w->fate, UNKNOWN, w->t->nsw);
	for (sw_ix s = 0; s < w->t->nsw; s++) {
		uint32_t n = senders(w, s, home), dark;

		if (n == 0)
			continue;
		dark = w->dark[(size_t)(m - w->moments.m) * w->t->nsw + s];
		if (dark > n)
			dark = n;
		follow(w, s, i, owner, m);
		lost[EXPECT_DOWN] += dark * share;
		if (w->fate[s] < EXPECT_CAUSES)
			lost[w->fate[s]] += (n - dark) * share;
	}
}

/* ---- all LIDs, block by block ---- */

static void
sort_writes(struct play *w)
{
	const struct safe_transition *x = w->job->change;
	uint32_t *at;

	w->nblocks = w->job->to->nblocks;
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

/* The tables' block b when the first n writes are there. */
static void
load(struct play *w, uint32_t b, size_t n)
{
	const struct routes *to = w->job->to;
	const struct safe_transition *x = w->job->change;

	for (sw_ix s = 0; s < w->t->nsw; s++)
		w->line[s] = b < to->nblocks ? routes_block(to, s, b)
					     : lft_bytes(to->pool, LFT_EMPTY);
	/* backwards: what was there before the first one that is to come */
	for (uint32_t k = w->first[b + 1]; k-- > w->first[b];) {
		const struct safe_write *u = &x->write[w->order[k]];

		if (w->order[k] >= n)
			w->line[u->sw] = lft_bytes(to->pool, u->was);
	}
	for (uint32_t k = w->first[b]; k < w->first[b + 1]; k++) {
		const struct safe_write *u = &x->write[w->order[k]];

		if (w->order[k] < n)
			w->line[u->sw] = lft_bytes(to->pool, u->image);
	}
}

/* Entries that some write of the block changes. */
static uint64_t
changing(const struct play *w, uint32_t b)
{
	const struct safe_transition *x = w->job->change;
	const struct lft_pool *pool = w->job->to->pool;
	uint64_t bits = 0;

	for (uint32_t k = w->first[b]; k < w->first[b + 1]; k++) {
		const struct safe_write *u = &x->write[w->order[k]];
		const uint8_t *was = lft_bytes(pool, u->was);
		const uint8_t *is = lft_bytes(pool, u->image);

		for (unsigned i = 0; i < LFT_BLOCK; i++)
			bits |= (uint64_t)(was[i] != is[i]) << i;
	}
	return bits;
}

/* Destinations in this block that may lose anything. */
static uint64_t
concerned(const struct play *w, uint32_t b)
{
	uint64_t bits =
		w->job->change->nturns > 0 ? UINT64_MAX : changing(w, b);

	for (unsigned i = 0; i < LFT_BLOCK && bits != 0; i++)
		if (owner_of(w->t, b * LFT_BLOCK + i) == TOPO_NONE)
			bits &= ~((uint64_t)1 << i);
	return bits;
}

static void
add_moment(struct play *w, uint32_t b, uint64_t bits,
	const struct expect_moment *m)
{
	double lost[EXPECT_CAUSES] = {0};

	load(w, b, m->written);
	for (; bits != 0; bits &= bits - 1) {
		unsigned i = (unsigned)__builtin_ctzll(bits);
		port_ix owner = owner_of(w->t, b * LFT_BLOCK + i);

		for (w->lane = 0; w->lane < w->lanes; w->lane++)
			count_lost(w, i, owner, m, lost);
	}
	if (m == w->moments.m)
		w->out->now += expect_sum(lost) * w->each;
	for (unsigned c = 0; c < EXPECT_CAUSES; c++)
		w->out->phase[m->phase].lost[c] +=
			lost[c] * m->seconds * w->each;
}

/* Of the LIDs in hand those whose turn it is. */
static uint64_t
sample(struct play *w, uint64_t bits)
{
	uint64_t some = 0;

	for (; bits != 0; bits &= bits - 1)
		if (w->seen++ % w->each == 0)
			some |= bits & -bits;
	return some;
}

static uint64_t
budget(const struct play *w)
{
	return w->job->steps > 0 ? w->job->steps : STEPS;
}

static void
choose_samples(struct play *w)
{
	uint64_t all = 0;

	for (uint32_t b = 0; b < w->nblocks; b++)
		all += (uint64_t)__builtin_popcountll(concerned(w, b));
	all *= w->t->nsw * w->moments.n * w->lanes;
	w->each = (uint32_t)(all / budget(w)) + 1;
}

static void
play_blocks(struct play *w)
{
	choose_samples(w);
	for (uint32_t b = 0; b < w->nblocks; b++) {
		uint64_t bits = sample(w, concerned(w, b));

		for (size_t k = 0; bits != 0 && k < w->moments.n; k++)
			add_moment(w, b, bits, &w->moments.m[k]);
	}
}

/* ---- what is under way when cables go ---- */

enum cable { STAYS, GONE, TAKEN, ANY };

/* What becomes of a cable of the old topology, by the port that it leaves; n is
 * its node now, or TOPO_NONE. */
static enum cable
cable_of(const struct play *w, const struct topo *was, port_ix old, node_ix n)
{
	const struct topo *t = w->t;
	const struct topo_port *p = &was->port[old], *q;
	port_ix is;

	if (n == TOPO_NONE || p->num > t->node[n].nports)
		return GONE;
	is = topo_port_of(t, n, p->num);
	if (t->port[is].peer == TOPO_NONE)
		return GONE;
	q = &was->port[p->peer];
	if (t->port[t->port[is].peer].num != q->num ||
		t->node[t->port[t->port[is].peer].node].guid !=
			was->node[q->node].guid)
		return GONE;
	return w->downed != NULL && w->downed[is] ? TAKEN : STAYS;
}

/* The fate of every port of the old topology; any: which there are. */
static uint8_t *
cables_of(const struct play *w, const struct topo *was, bool any[])
{
	uint8_t *fate = mem_zalloc(was->nports, 1);
	node_ix next = 0;

	for (node_ix n = 0; n < was->nnodes; n++) {
		uint64_t guid = was->node[n].guid;
		port_ix first = was->node[n].first_port;
		node_ix is = next;

		/* mostly they follow each other as they did */
		if (is >= w->t->nnodes || w->t->node[is].guid != guid)
			is = topo_by_node_guid(w->t, guid);
		if (is != TOPO_NONE)
			next = is + 1;
		for (port_ix p = first; p <= first + was->node[n].nports; p++)
			if (was->port[p].peer != TOPO_NONE) {
				fate[p] = (uint8_t)cable_of(w, was, p, is);
				any[fate[p]] = true;
			}
	}
	return fate;
}

/* Cables on the old way to a LID that go thus; all, where `how` is ANY. */
static uint32_t
hops_lost(const struct play *w, const uint8_t *fate, sw_ix s, uint16_t lid,
	enum cable how)
{
	const struct routes *from = w->job->from;
	const struct topo *was = from->topo;
	uint32_t hops = 0;

	for (uint32_t k = 0; k <= was->nsw; k++) {
		node_ix node = was->sw[s].node;
		uint8_t out = routes_port(from, s, lid);
		port_ix p, peer = TOPO_NONE;

		if (out != 0 && out <= was->node[node].nports)
			peer = was->port[topo_port_of(was, node, out)].peer;
		if (peer == TOPO_NONE)
			return 0;
		p = topo_port_of(was, node, out);
		hops += how == ANY || fate[p] == how;
		s = was->node[was->port[peer].node].sw;
		if (s == TOPO_NONE)
			return hops;
	}
	return 0;
}

static uint32_t
hosts_at(const struct topo *t, sw_ix s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->sw[s].nend; i++)
		n += is_host(t, t->end[t->sw[s].end + i].port);
	return n;
}

/* Pairs times hops that are lost on the way to one LID. */
static double
flight_to(const struct play *w, const uint32_t *hosts, const uint8_t *fate,
	uint16_t lid, enum cable how)
{
	const struct topo *was = w->job->from->topo;
	port_ix owner = topo_by_lid(was, lid, NULL);
	uint64_t sum = 0;

	/* who is gone gets nothing of all that is on its way */
	if (how == GONE &&
		topo_by_port_guid(w->t, was->port[owner].guid) == TOPO_NONE)
		how = ANY;
	for (sw_ix s = 0; s < was->nsw; s++)
		if (hosts[s] > 0)
			sum += (uint64_t)hosts[s] *
			       hops_lost(w, fate, s, lid, how);
	return (double)sum * share_of(was, owner);
}

/* To all, of whom every so many are looked at. */
static double
flight(const struct play *w, const uint8_t *fate, enum cable how)
{
	const struct topo *was = w->job->from->topo;
	uint32_t *hosts = mem_alloc(was->nsw * sizeof(*hosts));
	uint32_t all = 0, each, seen = 0;
	double sum = 0;

	for (sw_ix s = 0; s < was->nsw; s++) {
		hosts[s] = hosts_at(was, s);
		all += hosts[s];
	}
	each = (uint32_t)((uint64_t)all * was->nsw * HOPS / budget(w)) + 1;
	for (uint32_t lid = 1; lid <= was->max_lid; lid++) {
		port_ix owner = topo_by_lid(was, (uint16_t)lid, NULL);

		if (owner != TOPO_NONE && is_host(was, owner) &&
			seen++ % each == 0)
			sum += flight_to(w, hosts, fate, (uint16_t)lid, how);
	}
	free(hosts);
	return sum * each;
}

static void
play_flight(struct play *w)
{
	const struct routes *from = w->job->from;
	double hop = mono_seconds(w->job->pace.hop);
	bool any[TAKEN + 1] = {false};
	uint8_t *fate;

	if (from == NULL)
		return;
	fate = cables_of(w, from->topo, any);
	for (size_t k = 0; k < w->out->nphases; k++) {
		struct expect_phase *f = &w->out->phase[k];
		enum cable how = f->kind == EXPECT_FALL ? TAKEN : GONE;

		if ((f->kind == EXPECT_BEFORE || f->kind == EXPECT_FALL) &&
			any[how])
			f->lost[EXPECT_FLIGHT] = flight(w, fate, how) * hop;
	}
	free(fate);
}

/* ---- the whole ---- */

static void
sum_up(struct expect *e)
{
	for (size_t k = 0; k < e->nphases; k++) {
		for (unsigned c = 0; c < EXPECT_CAUSES; c++)
			e->lost[c] += e->phase[k].lost[c];
		e->time = mono_add(e->time, e->phase[k].time);
	}
}

void
expect_make(const struct expect_job *job, struct expect *out)
{
	const struct topo *t = job->to->topo;
	const struct safe_transition *x = job->change;
	struct play w = {.job = job, .t = t, .out = out, .lanes = 1};

	*out = (struct expect){.answer = job->pace.answer};
	w.hosts = mem_zalloc(t->nsw, sizeof(*w.hosts));
	w.turns = mem_zalloc(t->nsw, sizeof(*w.turns));
	w.line = mem_zalloc(t->nsw, sizeof(*w.line));
	w.fate = mem_alloc(t->nsw);
	w.path = mem_alloc(t->nsw * sizeof(*w.path));
	w.downed = expect_when_downed(job);
	for (size_t i = 0; i < x->nturns; i++)
		w.turns[x->turn[i].sw] |= !x->turn[i].by_port;
	if (x->nturns > 0)
		w.lanes = job->to->lanes.n;
	count_hosts(&w);
	expect_when(job, w.downed, out, &w.moments);
	find_dark(&w);
	sort_writes(&w);
	play_blocks(&w);
	play_flight(&w);
	sum_up(out);
	free(w.hosts);
	free(w.dark);
	free(w.turns);
	free((void *)w.line);
	free(w.fate);
	free(w.path);
	free(w.downed);
	free(w.order);
	free(w.first);
	free(w.moments.m);
}
