/*
 * transition_world: transitions carried out in memory, judged by brute force.
 *
 * A world holds, for every (switch, LID), the set of ports that packets may
 * have met since the last drain. Its dependency graph is built from that alone,
 * with nothing of distribution/transition/ or of routing/verify/dep_graph.h.
 * With several layers packets are followed from link to link, each in its
 * layer, and what waits for what are pairs of a channel and a group of VLs.
 */
#ifndef HEDDLE_TESTS_UNIT_DISTRIBUTION_TRANSITION_TRANSITION_WORLD_H
#define HEDDLE_TESTS_UNIT_DISTRIBUTION_TRANSITION_TRANSITION_WORLD_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distribution/transition/transition.h"
#include "routing/core/engine.h"
#include "routing/core/slvl.h"
#include "routing/driver/registry.h"
#include "routing/engines/updn/updn.h"
#include "routing/verify/verify.h"
#include "sm/base/mem.h"
#include "sm/base/rng.h"
#include "tests/topo/frozen.h"
#include "tests/topo/gen.h"
#include "tests/topo/shape.h"
#include "tests/unit/owned.h"

enum {
	WORLD_CAN_MAP = 0x40,
	WORLD_CLASSES = 8, /* of links over which packets came */
	WORLD_PLANES = 64, /* class + layer * WORLD_CLASSES */
	WORLD_GROUPS = 16, /* of VLs */
};

struct world {
	const struct topo *t;
	uint32_t nlids;
	uint32_t *off, nch; /* channels: off[switch] + in-port */
	uint64_t *met, *is; /* [nsw * nlids] port sets: met, in force */
	bool *dep;	    /* [nch * nch] */
	bool *guest;	    /* [nch * nch] of multicast trees */
	bool *gone;	    /* [nch] */
	bool *idle;	    /* [nch] links that carry nothing yet */
	const struct transition_dependency *blocked; /* blocked dependencies */
	size_t ndeps;
	size_t skip; /* index of one that is not blocked, SIZE_MAX: none */
	/* Layers, where there are several: packets of a pair are in the one
	 * that either gives. */
	const struct routes *from, *to;
	unsigned layers;
	const struct vl_map *map; /* of t, or NULL */
	uint64_t *turn; /* [nch * WORLD_PLANES] next out-ports of packets by
			   channel and plane */
	uint64_t *at;	/* [nsw] planes of packets there */
};

/* A bit per port up to 62; any other port leads nowhere. */
static inline uint64_t
world_bit(uint8_t port)
{
	return UINT64_C(1) << (port < 63 ? port : 63);
}

static inline void
world_new(struct world *w, const struct topo *t, uint32_t nlids)
{
	*w = (struct world){.t = t, .nlids = nlids, .skip = SIZE_MAX};
	w->off = mem_zalloc(t->nsw + 1U, sizeof(*w->off));
	for (sw_ix s = 0; s < t->nsw; s++)
		w->off[s + 1] = w->off[s] + t->node[t->sw[s].node].nports + 1U;
	w->nch = w->off[t->nsw];
	w->met = mem_zalloc((size_t)t->nsw * nlids, sizeof(*w->met));
	w->is = mem_zalloc((size_t)t->nsw * nlids, sizeof(*w->is));
	w->dep = mem_alloc((size_t)w->nch * w->nch);
	w->guest = mem_zalloc(w->nch, w->nch);
	w->gone = mem_zalloc(w->nch, sizeof(*w->gone));
	w->idle = mem_zalloc(w->nch, sizeof(*w->idle));
	w->turn = mem_zalloc(w->nch, WORLD_PLANES * sizeof(*w->turn));
	w->at = mem_zalloc(t->nsw, sizeof(*w->at));
}

static inline void
world_free(struct world *w)
{
	free(w->off);
	free(w->met);
	free(w->is);
	free(w->dep);
	free(w->guest);
	free(w->gone);
	free(w->idle);
	free(w->turn);
	free(w->at);
}

/* Every switch holds the rows of SL2VL that the layers of these routes want. */
static inline void
world_rows(struct device_store *hw, const struct routes *r)
{
	const struct slvl_want alike = {0};
	const struct topo *t = r->topo;
	uint8_t row[SLVL_ROW];
	struct slvl l;

	slvl_of_layers(&alike, &r->layers, &l);
	for (sw_ix s = 0; s < t->nsw; s++) {
		const struct topo_node *n = &t->node[t->sw[s].node];

		for (unsigned out = 1; out <= n->nports; out++) {
			port_ix p = topo_port_of(t, t->sw[s].node, out);

			for (unsigned in = 0; in <= n->nports; in++) {
				slvl_row(&l,
					slvl_hop_at(&l, t,
						vl_map_in(l.map,
							n->first_port + in),
						p, slvl_link(t, p, 0)),
					row);
				device_put(hw, device_at_row(n->guid, in, out),
					row);
			}
		}
	}
}

/* Behind port p of switch s: the peer's channel, or nch. */
static inline uint32_t
world_behind(const struct world *w, sw_ix s, unsigned p, sw_ix *peer)
{
	const struct topo_switch *sw = &w->t->sw[s];

	for (uint32_t i = sw->adj; i < sw->adj + sw->nadj; i++)
		if (w->t->adj[i].out == p) {
			*peer = w->t->adj[i].peer;
			return w->off[*peer] + w->t->adj[i].peer_port;
		}
	return w->nch;
}

/* Whether the dependency is blocked in a layer. */
static inline bool
world_blocked(const struct world *w, unsigned layer, sw_ix s, unsigned in,
	unsigned out)
{
	for (size_t i = 0; i < w->ndeps; i++) {
		const struct transition_dependency *b = &w->blocked[i];
		uint32_t far;
		sw_ix peer = 0;

		if (i == w->skip)
			continue;
		if (!b->by_port && !(b->layers >> layer & 1))
			continue;
		if (!b->by_port) {
			if (b->sw == s && b->in == in && b->out == out)
				return true;
			continue;
		}
		/* the link is down, in both directions */
		if (b->sw == s && (b->in == in || b->in == out))
			return true;
		far = world_behind(w, b->sw, b->in, &peer);
		if (far != w->nch && peer == s &&
			(far == w->off[s] + in || far == w->off[s] + out))
			return true;
	}
	return false;
}

/* Dependencies of one LID at the end of the link from port p of u. */
static inline void
world_dependencies(
	struct world *w, sw_ix u, unsigned p, const uint64_t *set, uint32_t lid)
{
	sw_ix s = 0, next = 0;
	uint32_t c = world_behind(w, u, p, &s);

	if (c == w->nch || w->idle[c])
		return;
	for (unsigned q = 1; q < 63; q++) {
		uint32_t d;

		if (!(set[(size_t)s * w->nlids + lid] >> q & 1) ||
			c == w->off[s] + q)
			continue;
		d = world_behind(w, s, q, &next);
		if (d != w->nch && !w->idle[d] &&
			!world_blocked(w, 0, s, c - w->off[s], q))
			w->dep[(size_t)c * w->nch + d] = true;
	}
}

/* Builds the graph of a set of ports; returns its number of edges. */
static inline uint64_t
world_graph_one(struct world *w, const uint64_t *set)
{
	uint64_t n = 0;

	memset(w->dep, 0, (size_t)w->nch * w->nch);
	for (sw_ix u = 0; u < w->t->nsw; u++)
		for (uint32_t lid = 0; lid < w->nlids; lid++)
			for (unsigned p = 1; p < 63; p++)
				if (set[(size_t)u * w->nlids + lid] >> p & 1)
					world_dependencies(w, u, p, set, lid);
	for (size_t i = 0; i < (size_t)w->nch * w->nch; i++)
		n += w->dep[i];
	return n;
}

/* Removes channels to which no remaining channel leads, until none is left or a
 * cycle is. */
static inline bool
world_cyclic_one(struct world *w, const uint64_t *set)
{
	uint32_t left = w->nch, before = 0;

	(void)world_graph_one(w, set);
	for (size_t i = 0; i < (size_t)w->nch * w->nch; i++)
		w->dep[i] |= w->guest[i];
	memset(w->gone, 0, w->nch);
	while (left != before) {
		before = left;
		for (uint32_t c = 0; c < w->nch; c++) {
			bool led = w->gone[c];

			for (uint32_t d = 0; d < w->nch && !led; d++)
				led = !w->gone[d] &&
				      w->dep[(size_t)d * w->nch + c];
			if (led)
				continue;
			w->gone[c] = true;
			left--;
		}
	}
	return left > 0;
}

/* ---- several layers ---- */

/* The switch of a LID in a topology, or TOPO_NONE. */
static inline sw_ix
world_home(const struct topo *t, uint32_t lid)
{
	port_ix p = topo_by_lid(t, (uint16_t)lid, NULL);

	return p == TOPO_NONE ? TOPO_NONE : topo_switch_of(t, p);
}

/* True if s sends to the LID in a layer. */
static inline bool
world_sends(const struct world *w, unsigned layer, sw_ix s, uint32_t lid)
{
	sw_ix is = world_home(w->to->topo, lid);
	sw_ix old = world_home(w->from->topo, lid);
	sw_ix was = topo_switch_in(w->from->topo, w->t, s);

	if (is == TOPO_NONE && old == TOPO_NONE)
		return true;
	return (is != TOPO_NONE &&
		       routes_layer(&w->to->layers, s, is) == layer) ||
	       (old != TOPO_NONE && was != TOPO_NONE &&
		       routes_layer(&w->from->layers, was, old) == layer);
}

/* The class of packets that arrive by channel c, at switch s. */
static inline unsigned
world_class(const struct world *w, sw_ix s, uint32_t c)
{
	return vl_map_in(
		w->map, topo_port_of(w->t, w->t->sw[s].node, c - w->off[s]));
}

/* The group of VLs of packets in a plane that leave s by port p. */
static inline unsigned
world_group(const struct world *w, unsigned plane, sw_ix s, unsigned p)
{
	return vl_map_group(w->map, plane / WORLD_CLASSES,
		plane % WORLD_CLASSES,
		vl_map_out(w->map, topo_port_of(w->t, w->t->sw[s].node, p)));
}

/* The planes at the next switch of packets in these planes. */
static inline uint64_t
world_planes_behind(uint64_t planes, unsigned class)
{
	uint64_t next = 0;

	for (unsigned l = 0; l < WORLD_PLANES; l += WORLD_CLASSES)
		if ((planes >> l & 0xff) != 0)
			next |= UINT64_C(1) << (l + class);
	return next;
}

/* Follow the packets for a LID from their sources into w->at. */
static inline void
world_follow(struct world *w, const uint64_t *set, uint32_t lid)
{
	bool more = true;

	memset(w->at, 0, w->t->nsw * sizeof(*w->at));
	for (unsigned l = 0; l < w->layers; l++)
		for (sw_ix s = 0; s < w->t->nsw; s++)
			if (world_sends(w, l, s, lid))
				w->at[s] |= UINT64_C(1) << l * WORLD_CLASSES;
	while (more) {
		more = false;
		for (sw_ix s = 0; s < w->t->nsw; s++)
			for (uint64_t x = set[(size_t)s * w->nlids + lid];
				x != 0; x &= x - 1) {
				unsigned p = (unsigned)__builtin_ctzll(x);
				sw_ix peer = 0;
				uint32_t c = world_behind(w, s, p, &peer);
				uint64_t next;

				if (c == w->nch)
					continue;
				next = world_planes_behind(
					w->at[s], world_class(w, peer, c));
				more |= (next & ~w->at[peer]) != 0;
				w->at[peer] |= next;
			}
	}
}

/* What packets for the LID that leave u by port p may wait for next. */
static inline void
world_turn(
	struct world *w, sw_ix u, unsigned p, const uint64_t *set, uint32_t lid)
{
	sw_ix s = 0, next = 0;
	uint32_t c = world_behind(w, u, p, &s), d;

	if (c == w->nch || w->idle[c])
		return;
	for (unsigned q = 1; q < 63; q++) {
		if (!(set[(size_t)s * w->nlids + lid] >> q & 1) ||
			c == w->off[s] + q)
			continue;
		d = world_behind(w, s, q, &next);
		if (d == w->nch || w->idle[d])
			continue;
		for (uint64_t x = w->at[u]; x != 0; x &= x - 1) {
			unsigned plane = (unsigned)__builtin_ctzll(x);

			if (!world_blocked(w, plane / WORLD_CLASSES, s,
				    c - w->off[s], q))
				w->turn[(size_t)c * WORLD_PLANES + plane] |=
					UINT64_C(1) << q;
		}
	}
}

/* Fill w->turn; returns how many bits it has. */
static inline uint64_t
world_turns(struct world *w, const uint64_t *set)
{
	size_t n = (size_t)w->nch * WORLD_PLANES;
	uint64_t sum = 0;

	memset(w->turn, 0, n * sizeof(*w->turn));
	for (uint32_t lid = 0; lid < w->nlids; lid++) {
		world_follow(w, set, lid);
		for (sw_ix u = 0; u < w->t->nsw; u++)
			for (unsigned p = 1; p < 63; p++)
				if (set[(size_t)u * w->nlids + lid] >> p & 1)
					world_turn(w, u, p, set, lid);
	}
	for (size_t i = 0; i < n; i++)
		sum += (uint64_t)__builtin_popcountll(w->turn[i]);
	return sum;
}

/* Pairs of a channel and a group, of which one waits for the other. */
struct world_waits {
	struct world_wait {
		uint32_t from, to;
	} * of;
	size_t n, cap;
};

static inline void
world_add_wait(struct world_waits *x, uint32_t from, uint32_t to)
{
	x->of = mem_grow(x->of, x->n, &x->cap, sizeof(*x->of));
	x->of[x->n++] = (struct world_wait){from, to};
}

/* Those of packets in a plane that have left u by port p, from w->turn. */
static inline void
world_add_turns(const struct world *w, sw_ix u, unsigned p, unsigned plane,
	struct world_waits *waits)
{
	sw_ix s = 0, next = 0;
	uint32_t c = world_behind(w, u, p, &s);
	unsigned then;

	if (c == w->nch)
		return;
	then = plane / WORLD_CLASSES * WORLD_CLASSES + world_class(w, s, c);
	for (uint64_t x = w->turn[(size_t)c * WORLD_PLANES + plane]; x != 0;
		x &= x - 1) {
		unsigned q = (unsigned)__builtin_ctzll(x);

		world_add_wait(waits,
			c * WORLD_GROUPS + world_group(w, plane, u, p),
			world_behind(w, s, q, &next) * WORLD_GROUPS +
				world_group(w, then, s, q));
	}
}

/* All of them; trees are in the first layer, and group. */
static inline void
world_find_waits(const struct world *w, struct world_waits *waits)
{
	for (sw_ix u = 0; u < w->t->nsw; u++)
		for (unsigned p = 1; p < w->off[u + 1] - w->off[u]; p++)
			for (unsigned k = 0; k < w->layers * WORLD_CLASSES; k++)
				world_add_turns(w, u, p, k, waits);
	for (uint32_t c = 0; c < w->nch; c++)
		for (uint32_t d = 0; d < w->nch; d++)
			if (w->guest[(size_t)c * w->nch + d])
				world_add_wait(waits, c * WORLD_GROUPS,
					d * WORLD_GROUPS);
}

/* Drops what waits for one that waits for none, until nothing is left or a
 * cycle is. */
static inline bool
world_cyclic_groups(struct world *w, const uint64_t *set)
{
	size_t nv = (size_t)w->nch * WORLD_GROUPS, before;
	bool *waiting = mem_alloc(nv);
	struct world_waits x = {0};

	(void)world_turns(w, set);
	world_find_waits(w, &x);
	do {
		before = x.n;
		memset(waiting, 0, nv);
		for (size_t i = 0; i < before; i++)
			waiting[x.of[i].from] = true;
		x.n = 0;
		for (size_t i = 0; i < before; i++)
			if (waiting[x.of[i].to])
				x.of[x.n++] = x.of[i];
	} while (x.n < before);
	free(waiting);
	free(x.of);
	return x.n > 0;
}

/* The edges of the graph of what packets wait for, by the links that they came
 * over. */
static inline uint64_t
world_graph(struct world *w, const uint64_t *set)
{
	return w->layers < 2 ? world_graph_one(w, set) : world_turns(w, set);
}

static inline bool
world_cyclic(struct world *w, const uint64_t *set)
{
	return w->layers < 2 ? world_cyclic_one(w, set)
			     : world_cyclic_groups(w, set);
}

/* The switch may hold this image of the block from now on. */
static inline void
world_may(struct world *w, sw_ix s, uint32_t b, const uint8_t *line, bool now)
{
	for (uint32_t i = 0; i < LFT_BLOCK; i++) {
		uint32_t lid = b * LFT_BLOCK + i;

		if (lid >= w->nlids)
			return;
		w->met[(size_t)s * w->nlids + lid] |= world_bit(line[i]);
		if (now)
			w->is[(size_t)s * w->nlids + lid] = world_bit(line[i]);
	}
}

/* Packets that met old values have left: only what is in force is met. */
static inline void
world_drain(struct world *w)
{
	memcpy(w->met, w->is, (size_t)w->t->nsw * w->nlids * sizeof(*w->met));
}

/* Links that an older topology did not have come up now, or later. */
static inline void
world_rise(struct world *w, const struct world *old, bool now)
{
	const struct topo *t = w->t;

	for (sw_ix s = 0; s < t->nsw; s++) {
		const struct topo_switch *sw = &t->sw[s];

		for (uint32_t i = sw->adj; i < sw->adj + sw->nadj; i++) {
			const struct topo_adj *a = &t->adj[i];
			node_ix n = topo_by_node_guid(
				old->t, t->node[sw->node].guid);
			sw_ix peer = 0;
			uint32_t c =
				n == TOPO_NONE
					? old->nch
					: world_behind(old, old->t->node[n].sw,
						  a->out, &peer);

			w->idle[w->off[a->peer] + a->peer_port] =
				!now && (c == old->nch || old->idle[c]);
		}
	}
}

/* Copies the sets by GUID to another topology of the fabric. */
static inline void
world_move(struct world *to, const struct world *from)
{
	for (sw_ix s = 0; s < to->t->nsw; s++) {
		uint64_t guid = to->t->node[to->t->sw[s].node].guid;
		node_ix n = topo_by_node_guid(from->t, guid);

		for (uint32_t l = 0; l < to->nlids; l++) {
			size_t i = (size_t)s * to->nlids + l, k;

			to->met[i] = to->is[i] = world_bit(LFT_DROP);
			if (n == TOPO_NONE || l >= from->nlids)
				continue;
			k = (size_t)from->t->node[n].sw * from->nlids + l;
			to->met[i] = from->met[k];
			to->is[i] = from->is[k];
		}
	}
}

/* All switches hold what these routes want, and the store knows it. */
static inline void
world_known(struct device_store *hw, const struct routes *r)
{
	for (sw_ix s = 0; s < r->topo->nsw; s++)
		for (uint32_t b = 0; b < r->nblocks; b++)
			device_set_block(hw,
				r->topo->node[r->topo->sw[s].node].guid, b,
				routes_ref_of(r, s, b));
	device_drained(hw);
}

/* The same, and the world forwards by it. */
static inline void
world_install(struct world *w, struct device_store *hw, const struct routes *r)
{
	world_known(hw, r);
	for (sw_ix s = 0; s < r->topo->nsw; s++)
		for (uint32_t b = 0; b < r->nblocks; b++)
			world_may(w, s, b, routes_block(r, s, b), true);
	world_drain(w);
}

/* Makes every switch able (or not) to map dependencies to VL 15. */
static inline void
world_capable(struct topo *t, bool can)
{
	for (sw_ix s = 0; s < t->nsw; s++)
		t->port[t->node[t->sw[s].node].first_port].capmask =
			can ? WORLD_CAN_MAP : 0;
}

/* Verified up/down routes, with this switch as root (TOPO_NONE: any). */
static inline struct routes *
world_routes(struct topo *t, struct lft_pool *pool, const struct routes *prev,
	sw_ix root)
{
	uint64_t guid = root < t->nsw ? t->node[t->sw[root].node].guid : 0;
	const struct updn_options roots = {{&guid, root < t->nsw}};
	const struct schema_values own = {engine_updn.module.options, &roots};
	const struct engine_options options = {.own = &own, .nown = 1};
	struct route_job job = {
		.topo = t, .pool = pool, .prev = prev, .options = &options};
	struct reason why = {""};

	for (unsigned i = 0; i < 64; i++) {
		struct arena *a = arena_new();
		struct routes *r = NULL;
		enum engine_result res =
			engine_updn.route(&job, prev != NULL, i, a, &r, &why);
		struct verify_tables in;

		arena_free(a);
		if (res != ENGINE_OK)
			break;
		in = (struct verify_tables){
			t, pool, r->row, r->nblocks, &r->layers, NULL};
		if (verify_tables_dependencies(
			    &in, &r->report, &r->deps, &why) == 0)
			return r;
		routes_unref(r);
	}
	(void)fprintf(stderr, "no routes: %s\n", why.text);
	abort();
}

static inline struct fabric *
world_copy(const struct fabric *f)
{
	struct fabric_edit none = {0};

	return fabric_rebuild(f, &none);
}

/* A random fabric of the kind. */
static inline struct fabric *
world_fabric(unsigned kind, struct rng *r)
{
	unsigned ring[1] = {5 + rng_below(r, 6)};
	unsigned torus[2] = {3 + rng_below(r, 2), 3 + rng_below(r, 2)};
	struct gen_fattree2 tree = {2 + rng_below(r, 3), 3 + rng_below(r, 4),
		1 + rng_below(r, 2), 1 + rng_below(r, 2), 1};
	struct reason why = {""};
	struct fabric *f = NULL;

	switch (kind % 6) {
	case 0:
	case 1:
		f = gen_random(
			6 + 2 * rng_below(r, 6), 3, 1, rng_next(r), &why);
		break;
	case 2:
		f = gen_grid(ring, 1, true, 1, &why);
		break;
	case 3:
		f = gen_grid(torus, 2, true, 1, &why);
		break;
	case 4:
		f = gen_tree_two(&tree, &why);
		break;
	default:
		f = shape_of("dragonfly:3:1:1");
		break;
	}
	if (f == NULL)
		abort();
	return f;
}

/* A tree, a multi-tree with planes that meet in racks, or a torus. */
static inline struct fabric *
world_tiers(unsigned kind, struct rng *r)
{
	unsigned flat[2] = {3 + rng_below(r, 3), 4};
	struct gen_planes planes = {2, 3 + rng_below(r, 3), 2 + rng_below(r, 2),
		2, 1 + rng_below(r, 2)};
	struct reason why = {""};
	struct fabric *f = NULL;

	switch (kind % 6) {
	case 0:
		f = shape_of("three:4");
		break;
	case 1:
		f = shape_of("three:6");
		break;
	case 2:
		f = gen_tree_kary(2 + rng_below(r, 2), 3, &why);
		break;
	case 3:
		f = gen_paper_planes(&planes);
		break;
	case 4:
		f = gen_grid(flat, 2, true, 1, &why);
		break;
	default:
		f = shape_of("torus:3x3x2");
		break;
	}
	if (f == NULL)
		abort();
	return f;
}

/*
 * The number of links between kept switches that lead up where they led down in
 * the switch order that the tables obey; 0: the order is kept. Equal ranks are
 * not enough: where the sFtree subtree has lost a link, another switch joins it
 * for what it served, and reverses links.
 */
static inline uint64_t
world_reversed(const struct routes *from, const struct routes *to)
{
	const struct topo *t = to->topo;
	AUTO(mem) uint32_t *was = mem_alloc(t->nsw * sizeof(*was));
	AUTO(mem) uint32_t *now = mem_alloc(t->nsw * sizeof(*now));
	uint64_t n = 0;

	routes_order_in(from, t, was);
	routes_order(to, now);
	for (sw_ix s = 0; s < t->nsw; s++)
		for (uint32_t i = t->sw[s].adj;
			i < t->sw[s].adj + t->sw[s].nadj; i++) {
			sw_ix peer = t->adj[i].peer;

			n += s < peer && was[s] != UINT32_MAX &&
			     was[peer] != UINT32_MAX &&
			     (was[s] < was[peer]) != (now[s] < now[peer]);
		}
	return n;
}

/* A copy of f with one switch or up to two links failed; what failed in an
 * earlier copy is back. */
static inline struct fabric *
world_damage(const struct fabric *f, struct rng *r)
{
	struct reason why = {""};
	struct fabric *g;

	if (rng_below(r, 3) == 0)
		g = gen_edit_fail_switches(
			world_copy(f), 1, rng_next(r), true, &why);
	else
		g = gen_edit_fail_links(world_copy(f), 1 + rng_below(r, 2),
			rng_next(r), true, &why);
	return g != NULL ? g : world_copy(f);
}

#endif
