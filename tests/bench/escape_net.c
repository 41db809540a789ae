#include "tests/bench/escape_net.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "tests/sim/data/field.h"

enum { FAR = 0x7fff, NO_PORT = 255, MOST = 256, VL0_ONLY = 1, MTU_4096 = 5 };

/* ---- the order of switches, and distances ---- */

static bool
is_switch(const struct escape_net *n, uint32_t node)
{
	return n->f->node[node].type == FABRIC_SWITCH;
}

/* The switch behind a port, by rank, or FABRIC_NONE. */
static uint32_t
peer_rank(const struct escape_net *n, uint32_t rank, unsigned port)
{
	uint32_t peer;
	unsigned there;

	if (!fabric_peer(n->f, n->sw[rank], port, &peer, &there) ||
		!is_switch(n, peer))
		return FABRIC_NONE;
	return n->rank[peer];
}

static unsigned
ports_of(const struct escape_net *n, uint32_t rank)
{
	return n->f->node[n->sw[rank]].nports;
}

static void
find_order(struct escape_net *n)
{
	uint32_t root = 0;

	while (!is_switch(n, root))
		root++;
	for (uint32_t i = 0; i < n->f->nnodes; i++)
		n->rank[i] = FABRIC_NONE;
	n->rank[root] = 0;
	n->sw[n->nsw++] = root;
	for (uint32_t i = 0; i < n->nsw; i++) {
		for (unsigned p = 1; p <= ports_of(n, i); p++) {
			uint32_t peer;
			unsigned there;

			if (!fabric_peer(n->f, n->sw[i], p, &peer, &there) ||
				n->rank[peer] != FABRIC_NONE)
				continue;
			n->rank[peer] = 0;
			if (!is_switch(n, peer))
				continue;
			n->rank[peer] = n->nsw;
			n->sw[n->nsw++] = peer;
		}
	}
}

static void
find_distances(struct escape_net *n)
{
	uint32_t *queue = mem_zalloc(n->nsw, sizeof(*queue));

	n->dist = mem_alloc((size_t)n->nsw * n->nsw * sizeof(*n->dist));
	for (size_t i = 0; i < (size_t)n->nsw * n->nsw; i++)
		n->dist[i] = FAR;
	for (uint32_t t = 0; t < n->nsw; t++) {
		uint16_t *to = n->dist + (size_t)t * n->nsw;
		uint32_t end = 1;

		queue[0] = t;
		to[t] = 0;
		for (uint32_t i = 0; i < end; i++) {
			uint32_t s = queue[i], v;

			for (unsigned p = 1; p <= ports_of(n, s); p++) {
				v = peer_rank(n, s, p);
				if (v == FABRIC_NONE || to[v] != FAR)
					continue;
				to[v] = (uint16_t)(to[s] + 1);
				queue[end++] = v;
			}
		}
	}
	free(queue);
}

/*
 * Links to switch t by up/down routing: all of them down, or FAR; and with some
 * up before that.
 */
static void
find_updown(
	const struct escape_net *n, uint32_t t, uint16_t *down, uint16_t *any)
{
	for (uint32_t s = 0; s < n->nsw; s++)
		down[s] = s == t ? 0 : FAR;
	for (uint32_t s = t; s-- > 0;) {
		for (unsigned p = 1; p <= ports_of(n, s); p++) {
			uint32_t v = peer_rank(n, s, p);

			if (v != FABRIC_NONE && v > s && down[v] + 1 < down[s])
				down[s] = (uint16_t)(down[v] + 1);
		}
	}
	for (uint32_t s = 0; s < n->nsw; s++) {
		any[s] = down[s];
		for (unsigned p = 1; down[s] == FAR && p <= ports_of(n, s);
			p++) {
			uint32_t v = peer_rank(n, s, p);

			if (v < s && any[v] + 1 < any[s])
				any[s] = (uint16_t)(any[v] + 1);
		}
	}
}

/* ---- tables ---- */

/* What leads from a switch to the destination switch t. */
struct ways {
	const struct escape_net *n;
	uint32_t t;
	uint16_t *down, *any; /* [nsw] */
	uint8_t *escape;      /* [nsw], of one host */
	bool *good; /* [nsw], of one host: alternatives lead there, to the end
		     */
	struct rng r;
};

/* Whether port p of s is a next hop of the up/down path. */
static bool
is_legal(const struct ways *w, uint32_t s, unsigned p)
{
	uint32_t v = peer_rank(w->n, s, p);

	if (v == FABRIC_NONE)
		return false;
	if (w->down[s] != FAR)
		return v > s && w->down[v] + 1 == w->down[s];
	return v < s && w->any[v] + 1 == w->any[s];
}

static bool
is_shortest(const struct ways *w, uint32_t s, unsigned p)
{
	const uint16_t *to = w->n->dist + (size_t)w->t * w->n->nsw;
	uint32_t v = peer_rank(w->n, s, p);

	return v != FABRIC_NONE && to[v] + 1 == to[s];
}

/*
 * How good port p of s is as an escape by the order, less is better; FAR: not
 * at all. A strict escape prefers not to lead away from the destination, since
 * alternatives to s from where it leads would be cut then.
 */
static unsigned
rate_escape(const struct ways *w, uint32_t s, unsigned p)
{
	const uint16_t *to = w->n->dist + (size_t)w->t * w->n->nsw;
	uint32_t v = peer_rank(w->n, s, p);
	bool goes_down = w->down[s] != FAR;
	unsigned links;

	if (v == FABRIC_NONE || (v > s) != goes_down)
		return FAR;
	links = goes_down ? w->down[v] : w->any[v];
	if (!w->n->o.strict)
		return is_legal(w, s, p) ? 0 : FAR;
	return links == FAR ? FAR : links + (to[v] > to[s] ? w->n->nsw : 0);
}

static uint8_t
draw_escape(struct ways *w, uint32_t s)
{
	unsigned seen = 0, least = FAR;
	uint8_t best = NO_PORT;

	for (unsigned p = 1; p <= ports_of(w->n, s); p++) {
		unsigned rate = rate_escape(w, s, p);

		if (rate < least) {
			least = rate;
			seen = 0;
		}
		if (rate != FAR && rate == least &&
			rng_below(&w->r, ++seen) == 0)
			best = (uint8_t)p;
	}
	return best;
}

/* Whether the escape behind port p of s leads back over its link. */
static bool
leads_back(const struct ways *w, uint32_t s, unsigned p)
{
	uint32_t peer;
	unsigned there;

	return fabric_peer(w->n->f, w->n->sw[s], p, &peer, &there) &&
	       w->escape[w->n->rank[peer]] == there;
}

/* Whether port p of s is an alternative. */
static bool
is_alternative(const struct ways *w, uint32_t s, unsigned p)
{
	const struct escape_net_options *o = &w->n->o;

	if (!(o->legal ? is_legal(w, s, p) : is_shortest(w, s, p)))
		return false;
	return !o->strict ||
	       (w->good[peer_rank(w->n, s, p)] && !leads_back(w, s, p));
}

/* Whether packets at s can come nearer, by a switch where that is so again. */
static bool
is_good(const struct ways *w, uint32_t s)
{
	unsigned p = 1, end = ports_of(w->n, s) + 1;

	if (s == w->t)
		return true;
	if (!w->n->f->node[w->n->sw[s]].attrs.ar) {
		p = w->escape[s];
		end = p + 1;
	}
	for (; p < end; p++) {
		if (is_shortest(w, s, p) && w->good[peer_rank(w->n, s, p)] &&
			!leads_back(w, s, p))
			return true;
	}
	return false;
}

/*
 * An alternative into a switch that has none to go on by, because they are cut,
 * can be a loop that even an empty network does not leave: the escape there
 * leads away, and from there the shortest path back.
 */
static void
find_good(struct ways *w)
{
	const uint16_t *to = w->n->dist + (size_t)w->t * w->n->nsw;
	bool more = true;

	memset(w->good, 0, w->n->nsw * sizeof(*w->good));
	for (uint16_t far = 0; more; far++) {
		more = false;
		for (uint32_t s = 0; s < w->n->nsw; s++) {
			if (to[s] == far)
				w->good[s] = is_good(w, s);
			more |= to[s] > far && to[s] != FAR;
		}
	}
}

/* The alternatives at s, shuffled, the escape last; how many. */
static unsigned
draw_alternatives(struct ways *w, uint32_t s, uint8_t out[MOST])
{
	unsigned k = 0;
	bool escape = false;

	for (unsigned p = 1; p <= ports_of(w->n, s); p++) {
		if (!is_alternative(w, s, p))
			continue;
		if (p == w->escape[s]) {
			escape = true;
			continue;
		}
		out[k] = (uint8_t)p;
		for (unsigned j = rng_below(&w->r, ++k); j < k - 1; j = k - 1) {
			out[k - 1] = out[j];
			out[j] = (uint8_t)p;
		}
	}
	if (escape || k == 0)
		out[k++] = w->escape[s];
	return k;
}

static void
write_row(struct ways *w, uint32_t s, uint16_t lid)
{
	const struct escape_net *n = w->n;
	bool fixed = !n->f->node[n->sw[s]].attrs.ar;
	uint8_t port[MOST];
	unsigned k = draw_alternatives(w, s, port);

	if (k > n->o.entries - 1)
		k = n->o.entries - 1;
	fixed = fixed || k == 0;
	sim_set_lft(n->s, n->sw[s], lid, w->escape[s]);
	for (unsigned i = 1; i < n->row; i++)
		sim_set_lft(n->s, n->sw[s], (uint16_t)(lid + i),
			fixed ? w->escape[s] : port[(i - 1) % k]);
}

static void
route_host(struct ways *w, uint32_t node, unsigned port)
{
	const struct escape_net *n = w->n;
	uint16_t lid = escape_net_lid(n, node, false);

	for (uint32_t s = 0; s < n->nsw; s++)
		w->escape[s] = n->w	   ? sim_lft(n->s, n->sw[s], lid)
			       : s == w->t ? (uint8_t)port
					   : draw_escape(w, s);
	if (n->o.strict)
		find_good(w);
	for (uint32_t s = 0; s < n->nsw; s++) {
		if (s != w->t)
			write_row(w, s, lid);
	}
	for (unsigned i = 0; i < n->row; i++)
		sim_set_lft(
			n->s, n->sw[w->t], (uint16_t)(lid + i), (uint8_t)port);
}

static void
route_all(struct escape_net *n)
{
	struct ways w = {.n = n, .r = {n->o.seed}};

	w.down = mem_zalloc(n->nsw, sizeof(*w.down));
	w.any = mem_zalloc(n->nsw, sizeof(*w.any));
	w.escape = mem_zalloc(n->nsw, 1);
	w.good = mem_zalloc(n->nsw, sizeof(*w.good));
	for (w.t = 0; w.t < n->nsw; w.t++) {
		find_updown(n, w.t, w.down, w.any);
		for (unsigned p = 1; p <= ports_of(n, w.t); p++) {
			uint32_t peer;
			unsigned there;

			if (fabric_peer(n->f, n->sw[w.t], p, &peer, &there) &&
				!is_switch(n, peer))
				route_host(&w, peer, p);
		}
	}
	free(w.down);
	free(w.any);
	free(w.escape);
	free(w.good);
}

/* ---- making ---- */

/* Draw the kinds of the switches, and let those that can choose. */
static void
draw_kinds(struct escape_net *n)
{
	struct rng r = {n->o.seed ^ 0xf1f0};
	uint32_t fixed = (uint32_t)(n->o.fixed * n->nsw + 0.5), left = n->nsw;

	for (uint32_t i = 0; i < n->nsw; i++, left--) {
		struct fabric_attrs *a = &n->f->node[n->sw[i]].attrs;

		a->ar = rng_below(&r, left) >= fixed;
		a->interleave = (uint8_t)(a->ar ? n->row : 0);
		fixed -= !a->ar;
	}
}

static void
number_hosts(struct escape_net *n)
{
	for (uint32_t i = 0; i < n->f->nnodes; i++) {
		if (!is_switch(n, i))
			n->host[i] = n->nhosts++;
	}
}

static void
set_ports(struct escape_net *n, uint8_t lmc)
{
	for (uint32_t i = 0; i < n->f->nnodes; i++) {
		for (unsigned p = 1; p <= n->f->node[i].nports; p++) {
			struct mad_port_info pi = *sim_port_info(n->s, i, p);

			pi.mtu = MTU_4096;
			pi.op_vls = VL0_ONLY;
			pi.hoq_life = 20;
			if (!is_switch(n, i)) {
				pi.lid = escape_net_lid(n, i, false);
				pi.lmc = lmc;
			}
			sim_hand_port(n->s, i, p, &pi);
		}
	}
}

/* A fabric without a manager. */
static void
start_alone(struct escape_net *n, uint8_t lmc)
{
	struct sim_options so = sim_defaults();

	assert((n->nhosts + 1) * n->row < MAD_LID_END);
	so.vl_cap = VL0_ONLY;
	n->s = sim_new(n->f, &so);
	sim_activate_all(n->s);
	set_ports(n, lmc);
}

static void
start_managed(struct escape_net *n, uint8_t lmc)
{
	char yaml[100];

	(void)snprintf(yaml, sizeof(yaml),
		"fabric: {lmc: {hosts: %u}}\nrouting: {engines: [updn]}\n",
		lmc);
	n->w = field_bring_up(n->f, yaml);
	n->s = n->w->sim;
}

struct escape_net *
escape_net_new(struct fabric *f, const struct escape_net_options *o)
{
	struct escape_net *n = mem_zalloc(1, sizeof(*n));
	uint8_t lmc = 1;

	n->o = *o;
	n->f = f;
	while (1U << lmc < o->entries)
		lmc++;
	n->row = 1U << lmc;
	n->sw = mem_zalloc(f->nnodes, sizeof(*n->sw));
	n->rank = mem_zalloc(f->nnodes, sizeof(*n->rank));
	n->host = mem_zalloc(f->nnodes, sizeof(*n->host));
	find_order(n);
	number_hosts(n);
	draw_kinds(n);
	if (o->by_manager)
		start_managed(n, lmc);
	else
		start_alone(n, lmc);
	for (uint32_t i = 0; i < n->nsw; i++) {
		if (f->node[n->sw[i]].attrs.ar)
			sim_hand_adaptive(
				n->s, n->sw[i], MAD_AR_ON_GROUPS, SIM_AR_OBEYS);
	}
	find_distances(n);
	route_all(n);
	return n;
}

void
escape_net_free(struct escape_net *n)
{
	if (!n)
		return;
	if (n->w)
		world_free(n->w);
	else
		sim_free(n->s);
	fabric_free(n->f);
	free(n->sw);
	free(n->rank);
	free(n->host);
	free(n->dist);
	free(n);
}

uint16_t
escape_net_lid(const struct escape_net *n, uint32_t node, bool adaptive)
{
	if (n->w)
		return (uint16_t)(sim_port_info(n->s, node, 1)->lid + adaptive);
	return (uint16_t)((n->host[node] + 1) * n->row + adaptive);
}

struct data_options
escape_net_switch(void)
{
	struct data_options o = data_fifo();

	o.delay = (struct mono){100};
	o.buffer = 1024;
	o.turn_back = true;
	return o;
}

void
escape_net_slow(struct fabric *f)
{
	for (uint32_t i = 0; i < f->ncables; i++)
		f->cable[i].rate = (struct fabric_rate){1, 1, 0, false};
}

/* ---- traffic ---- */

static uint16_t
draw_lid(void *cookie, uint32_t src, uint32_t dst)
{
	struct escape_net *n = cookie;

	(void)src;
	return escape_net_lid(n, data_end_node(n->mix.d, dst),
		rng_below(&n->mix.r, 1 << 16) < n->mix.adaptive);
}

struct data *
escape_net_run(struct escape_net *n, const struct data_options *o,
	const struct escape_net_load *l, struct data_report *out)
{
	struct data *d = data_new(n->s, o);
	struct data_traffic t = l->t;

	n->mix = (struct escape_net_mix){
		d, {n->o.seed}, (uint32_t)(l->adaptive * (1 << 16))};
	t.dlid = draw_lid;
	t.cookie = n;
	data_traffic_start(d, &t);
	data_run_until(d, mono_add(sim_now(n->s), l->warm));
	data_report_mark(d);
	data_run_until(d, mono_add(sim_now(n->s), l->span));
	data_report_get(d, out);
	return d;
}

/* The load accepted at an offered one, and whether it is too much. */
static bool
is_too_much(struct escape_net *n, const struct data_options *o,
	struct escape_net_load *l, struct mono limit, double *accepted)
{
	struct data_report r;

	data_free(escape_net_run(n, o, l, &r));
	*accepted = r.accepted;
	return r.packets == 0 || r.whole.mean > limit.ns * 1000;
}

double
escape_net_throughput(struct escape_net *n, const struct data_options *o,
	const struct escape_net_load *l, struct mono limit)
{
	struct escape_net_load at = *l;
	double low = 0, high = 1, below = 0, above = 1;

	for (unsigned i = 0; i < 12 && high - low > 0.01 * high; i++) {
		double accepted;

		/* most are far below 1 */
		at.t.load = high == 1 && low == 0 ? 0.25 : (low + high) / 2;
		if (is_too_much(n, o, &at, limit, &accepted)) {
			high = at.t.load;
			above = accepted;
		} else {
			low = at.t.load;
			below = accepted;
		}
	}
	return below > 0 ? (below + above) / 2 : above;
}
