/*
 * Losses are undone: no link is reversed, entries of switches that were there
 * all the time change only to shorter paths, and nothing is blocked meanwhile.
 * A loss reverses few more links than any order with one root would, as a
 * search over all orders tells.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "distribution/transition/transition.h"
#include "routing/driver/compute.h"
#include "routing/updown/updown_state.h"
#include "routing/verify/verify.h"
#include "sm/base/mem.h"
#include "sm/base/rng.h"
#include "tests/topo/frozen.h"
#include "tests/topo/shape.h"
#include "tests/unit/distribution/transition/transition_world.h"
#include "tests/unit/suite.h"

enum {
	ANY = 1000000, /* load limit: whatever can be kept is kept */
	SMALL = 16,    /* switches, for a search over all orders */
	DAYS = 20,
	MOST = 3,  /* losses at once */
	AGAIN = 6, /* links lost one by one after that */
	MORE = 2,  /* times the necessary number of reversed links */
};

static struct fabric *
some_tree(uint64_t seed)
{
	switch (seed % 5) {
	case 0:
		return shape_of("three:4");
	case 1:
		return shape_of("two:4:8:6:3:2");
	case 2:
		return shape_of("three:6");
	case 3:
		return shape_of("two:4:8:4:2");
	default:
		return shape_of("kary:3:3");
	}
}

struct day {
	uint64_t seed;
	struct rng g;
	struct fabric *f;
	struct lft_pool *pool;
	struct topo *t, *left;
	struct routes *before, *lost, *back;
};

static struct routes *
compute_checked(const struct day *d, struct topo *t, const struct routes *prev)
{
	static const struct engine_options plain = {0};
	static const char *const engine[] = {"ftree", "updn"};
	struct route_job job = {.topo = t,
		.pool = d->pool,
		.prev = prev,
		.options = &plain,
		.load_limit = ANY,
		.seed = 1,
		.threads = 1};
	struct verify_report report;
	struct route_account story;
	struct verify_tables in;
	struct reason why = {""};
	struct routes *r;

	world_capable(t, true);
	r = compute_routes(&job, engine, 2, &story, &why);
	ck_assert_msg(r != NULL, "seed %llu: %s", (unsigned long long)d->seed,
		why.text);
	in = (struct verify_tables){t, d->pool, r->row, r->nblocks, NULL, NULL};
	ck_assert_msg(verify_tables(&in, &report, &why) == 0, "seed %llu: %s",
		(unsigned long long)d->seed, why.text);
	return r;
}

static uint32_t
some_cable(const struct fabric *f, struct rng *g)
{
	const struct fabric_cable *c;
	uint32_t i;

	do {
		i = (uint32_t)rng_below(g, f->ncables);
		c = &f->cable[i];
	} while (f->node[c->node[0]].type != FABRIC_SWITCH ||
		 f->node[c->node[1]].type != FABRIC_SWITCH);
	return i;
}

/* n links or switches are lost; NULL: the rest is disconnected. */
static struct fabric *
damage_fabric(const struct fabric *f, unsigned n, struct rng *g)
{
	bool *cable = mem_zalloc(f->ncables, sizeof(*cable));
	bool *node = mem_zalloc(f->nnodes, sizeof(*node));
	struct fabric_edit edit = {
		.drop_cable = cable, .drop_node = node, .drop_orphans = true};
	uint32_t self = fabric_first_host(f), its;
	struct fabric *left;
	unsigned port;

	(void)fabric_peer(f, self, 1, &its, &port);
	while (n-- > 0) {
		uint32_t c = some_cable(f, g);
		uint32_t x = f->cable[c].node[rng_below(g, 2)];

		if (n > 0 && x != its)
			node[x] = true;
		else
			cable[c] = true;
	}
	left = fabric_rebuild(f, &edit);
	free(cable);
	free(node);
	if (fabric_connected(left, FABRIC_NONE, FABRIC_NONE))
		return left;
	fabric_free(left);
	return NULL;
}

/* False: the rest is disconnected. */
static bool
begin_day(struct day *d, uint64_t seed)
{
	struct fabric *left;

	*d = (struct day){.seed = seed,
		.g = {seed},
		.f = some_tree(seed),
		.pool = lft_pool_new()};
	left = damage_fabric(d->f, 1 + (unsigned)rng_below(&d->g, MOST), &d->g);
	if (left != NULL) {
		d->t = frozen_topo(d->f, NULL);
		d->left = frozen_again(left, d->t, 0);
		d->before = compute_checked(d, d->t, NULL);
		d->lost = compute_checked(d, d->left, d->before);
		d->back = compute_checked(d, d->t, d->lost);
		fabric_free(left);
	}
	return d->t != NULL;
}

static void
end_day(struct day *d)
{
	routes_unref(d->before);
	routes_unref(d->lost);
	routes_unref(d->back);
	topo_unref(d->t);
	topo_unref(d->left);
	fabric_free(d->f);
	ck_assert_uint_eq(d->pool->live, 0);
	lft_pool_free(d->pool);
}
AUTO_VALUE(day, struct day, end_day)

/* The number of links of s to switches of a set that an order had below s. */
static uint32_t
count_reversed(
	const struct topo *t, const uint32_t *line, sw_ix s, uint32_t set)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->sw[s].nadj; i++) {
		sw_ix peer = t->adj[t->sw[s].adj + i].peer;

		n += (set >> peer & 1) && line[s] != UINT32_MAX &&
		     line[peer] != UINT32_MAX && line[s] < line[peer];
	}
	return n;
}

static uint32_t
neighbour_set(const struct topo *t, sw_ix s)
{
	uint32_t set = 0;

	for (uint32_t i = 0; i < t->sw[s].nadj; i++)
		set |= UINT32_C(1) << t->adj[t->sw[s].adj + i].peer;
	return set;
}

/*
 * The fewest links reversed from the order of r to any order of t with one
 * root: by the sets of switches that are above all others.
 */
static uint32_t
fewest_reversed(const struct routes *r, const struct topo *t)
{
	uint32_t n = t->nsw, all = (UINT32_C(1) << n) - 1, *least, result;
	AUTO(mem) uint32_t *line = mem_alloc(n * sizeof(*line));

	least = mem_alloc(((size_t)all + 1) * sizeof(*least));
	memset(least, 0xff, ((size_t)all + 1) * sizeof(*least));
	routes_order_in(r, t, line);
	least[0] = 0;
	for (uint32_t set = 0; set < all; set++)
		for (sw_ix s = 0; least[set] != UINT32_MAX && s < n; s++) {
			uint32_t with = set | UINT32_C(1) << s, is;

			if (with == set ||
				(set != 0 && !(neighbour_set(t, s) & set)))
				continue;
			is = least[set] + count_reversed(t, line, s, set);
			least[with] = is < least[with] ? is : least[with];
		}
	result = least[all];
	free(least);
	return result;
}

/* Hops from s to the switch of the LID by the tables. */
static unsigned
count_hops(const struct routes *r, sw_ix s, uint16_t lid)
{
	const struct topo *t = r->topo;
	unsigned n = 0;

	for (; s != TOPO_NONE && n <= t->nsw; n++) {
		uint8_t out = routes_port(r, s, lid);
		port_ix p;

		if (out == 0 || out == LFT_DROP)
			break;
		p = t->port[topo_port_of(t, t->sw[s].node, out)].peer;
		s = t->node[t->port[p].node].sw;
	}
	return n;
}

/* For switches and LIDs that were there all the time: an entry that changed has
 * a shorter path now. */
static void
only_shorter(const struct day *d)
{
	const struct topo *t = d->t, *u = d->left;

	for (sw_ix s = 0; s < u->nsw; s++) {
		node_ix n = topo_by_node_guid(t, u->node[u->sw[s].node].guid);

		for (uint16_t lid = 1; lid <= u->max_lid; lid++) {
			sw_ix now = t->node[n].sw;

			if (topo_by_lid(u, lid, NULL) == TOPO_NONE ||
				routes_port(d->lost, s, lid) ==
					routes_port(d->back, now, lid))
				continue;
			ck_assert_msg(count_hops(d->back, now, lid) <
					      count_hops(d->lost, s, lid),
				"seed %llu: switch %u, LID %u",
				(unsigned long long)d->seed, s, lid);
		}
	}
}

static void
expect_no_blocks(const struct day *d)
{
	struct device_store *hw = device_new(d->pool);
	struct transition_job job = {
		.from = d->lost, .to = d->back, .hw = hw, .max_stages = 8};
	struct transition_result *x;

	world_known(hw, d->lost);
	x = transition_find(&job);
	ck_assert_msg(x->ndeps == 0, "seed %llu: %zu turns",
		(unsigned long long)d->seed, x->ndeps);
	transition_free(x);
	device_free(hw);
}

LOOP_TEST(returns, 0, 4)
{
	unsigned turned_over = 0;

	for (uint64_t seed = 0; seed < DAYS; seed++) {
		AUTO(day) struct day d;

		/* a switch that changed its tier may change it back */
		if (begin_day(&d, (uint64_t)_i * DAYS + seed) &&
			updown_state_of(d.lost)->moved == 0) {
			turned_over += world_reversed(d.before, d.lost) > 0;
			ck_assert_msg(world_reversed(d.lost, d.back) == 0,
				"seed %llu", (unsigned long long)d.seed);
			only_shorter(&d);
			expect_no_blocks(&d);
		}
	}
	ck_assert_uint_gt(turned_over, 0);
}

/* Another switch, with more links, may take the place of a lost one. */
LOOP_TEST(losses, 0, 4)
{
	for (uint64_t seed = 0; seed < DAYS; seed++) {
		AUTO(day) struct day d;

		if (begin_day(&d, (uint64_t)_i * DAYS + seed) &&
			d.left->nsw <= SMALL) {
			uint64_t did = world_reversed(d.before, d.lost);
			uint64_t least = fewest_reversed(d.before, d.left);

			ck_assert_msg(least <= did && did <= MORE * least,
				"seed %llu: %llu turned over, %llu at least",
				(unsigned long long)d.seed,
				(unsigned long long)did,
				(unsigned long long)least);
		}
	}
}

/* Whether the engine made the previous tables, and looks only at what differs,
 * or they were found in the switches: routes after another loss are the same.
 */
static void
lose_more(struct day *d)
{
	AUTO(routes)
	struct routes *bare = routes_for(d->back, d->t), *is = NULL,
		      *other = NULL;
	struct fabric *left = damage_fabric(d->f, 1, &d->g);
	AUTO(topo) struct topo *t = NULL;

	bare->engine = "found";
	t = left != NULL ? frozen_again(left, d->t, 0) : topo_ref(d->t);
	fabric_free(left);
	is = compute_checked(d, t, d->back);
	other = compute_checked(d, t, bare);
	ck_assert_mem_eq(
		is->sw_order, other->sw_order, t->nsw * sizeof(*is->sw_order));
	for (sw_ix s = 0; s < t->nsw; s++)
		for (uint16_t lid = 1; lid <= t->max_lid; lid++)
			ck_assert_msg(routes_port(is, s, lid) ==
					      routes_port(other, s, lid),
				"seed %llu: switch %u, LID %u",
				(unsigned long long)d->seed, s, lid);
}

LOOP_TEST(losses_after_returns, 0, 4)
{
	for (uint64_t seed = 0; seed < DAYS; seed++) {
		AUTO(day) struct day d;

		if (begin_day(&d, (uint64_t)_i * DAYS + seed))
			for (unsigned i = 0; i < AGAIN; i++)
				lose_more(&d);
	}
}
