/* Sweeps against the simulated fabric, on its clock. */
#ifndef HEDDLE_TESTS_UNIT_DISCOVERY_SWEEP_SWEEP_FIXTURE_H
#define HEDDLE_TESTS_UNIT_DISCOVERY_SWEEP_SWEEP_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "discovery/builder/builder_priv.h"
#include "discovery/sweep/sweep.h"
#include "sm/base/rng.h"
#include "tests/sim/model/sim.h"
#include "tests/topo/fabric.h"
#include "tests/topo/gen.h"
#include "tests/topo/shape.h"
#include "tests/unit/suite.h"

/* A simulated fabric, the manager's port on it, and what sweeps have found. */
struct bench {
	struct fabric *f;
	struct sim *sim;
	struct sim_endpoint *end;
	struct xact *x;
	struct builder *d;
	struct rng rng;
	bool may_fail;
	bool told;    /* probes have no reason but traps */
	bool no_news; /* the last sweep found no change */
	uint32_t traps;
	struct sweep_stats stats; /* of the last sweep */
	uint64_t suspect[64];
	size_t nsuspect;
};

static inline void
bench_receive(void *cookie, const struct transport_msg *m, struct mono now)
{
	struct bench *b = cookie;
	struct smp smp;

	if (smp_decode(m->mad, m->len, &smp, NULL) != 0)
		return;
	if (!xact_input(b->x, m, &smp, now))
		b->traps++;
}

static inline void
bench_on(struct bench *b, struct fabric *f, const struct sim_options *o)
{
	struct xact_options xo = {.timeout = mono_ms(50),
		.retries = 3,
		.window_start = 16,
		.window_max = 64,
		.target_max = 4};

	ck_assert_ptr_nonnull(f);
	*b = (struct bench){.f = f};
	b->sim = sim_new(f, o);
	b->end = sim_attach(b->sim, fabric_first_host(f), 1, bench_receive, b);
	b->x = xact_new(&xo, sim_transport(b->end));
	b->d = builder_new();
}

static inline void
bench_start(struct bench *b, struct fabric *f)
{
	struct sim_options o = sim_defaults();

	bench_on(b, f, &o);
}

static inline void
bench_set_retries(struct bench *b, unsigned retries)
{
	struct xact_options xo = {.timeout = mono_ms(50),
		.retries = retries,
		.window_start = 16,
		.window_max = 64,
		.target_max = 4};

	xact_configure(b->x, &xo);
}

static inline void
bench_end(struct bench *b)
{
	xact_free(b->x);
	sim_free(b->sim);
	fabric_free(b->f);
	builder_free(b->d);
}
AUTO_VALUE(bench, struct bench, bench_end)

/* Run a sweep to its end on the virtual clock. */
static inline void
bench_sweep(
	struct bench *b, enum sweep_kind kind, const uint64_t *guid, size_t n)
{
	struct sweep *s = sweep_new(kind, b->d, b->x, guid, n);
	const uint64_t *suspect;
	unsigned steps = 0;

	for (size_t i = 0; b->told && i < n; i++)
		sweep_add_trap_source(s, guid[i]);
	sweep_feed(s, sim_now(b->sim));
	while (!sweep_done(s)) {
		struct mono t = mono_min(sim_next(b->sim), xact_next(b->x));

		ck_assert_int_lt(t.ns, MONO_NEVER.ns);
		ck_assert_uint_lt(++steps, 400000);
		sim_run_until(b->sim, t);
		xact_tick(b->x, t);
		sweep_feed(s, t);
	}
	if (!b->may_fail)
		ck_assert_ptr_null(sweep_failed(s));
	b->stats = *sweep_stats(s);
	b->no_news = sweep_found_no_change(s);
	suspect = sweep_suspects(s, &b->nsuspect);
	ck_assert_uint_le(b->nsuspect, 64);
	if (b->nsuspect > 0)
		memcpy(b->suspect, suspect, b->nsuspect * sizeof(*suspect));
	sweep_free(s);
}

static inline struct topo *
bench_freeze(struct bench *b)
{
	struct reason why;
	struct topo *t = builder_freeze(b->d, 1, &why);

	ck_assert_msg(t != NULL, "%s", why.text);
	return t;
}

static inline size_t
expect_oddities(struct bench *b, const char *expect)
{
	AUTO(buf) struct buf text = {0};
	size_t n = builder_oddities(b->d, &text);

	if (expect == NULL)
		ck_assert_msg(n == 0, "%s", text.text);
	else
		ck_assert_msg(n > 0 && strstr(text.text, expect) != NULL,
			"'%s' not in: %s", expect, n ? text.text : "");
	return n;
}

/* Fails unless the topology is exactly the fabric. */
static inline void
expect_topo_is_fabric(const struct bench *b, const struct topo *t)
{
	const struct fabric *f = b->f;

	ck_assert_uint_eq(t->nnodes, f->nnodes);
	for (uint32_t i = 0; i < f->nnodes; i++) {
		const struct fabric_node *n = &f->node[i];
		node_ix ix = topo_by_node_guid(t, n->guid);

		ck_assert_uint_ne(ix, TOPO_NONE);
		ck_assert_uint_eq(t->node[ix].type, n->type);
		ck_assert_uint_eq(t->node[ix].nports, n->nports);
		for (unsigned p = 1; p <= n->nports; p++) {
			port_ix port = topo_port_of(t, ix, p);
			port_ix peer = t->port[port].peer;
			uint32_t far;
			unsigned far_port;

			if (!fabric_peer(f, i, p, &far, &far_port)) {
				ck_assert_uint_eq(peer, TOPO_NONE);
				continue;
			}
			ck_assert_uint_ne(peer, TOPO_NONE);
			ck_assert_uint_eq(t->port[peer].num, far_port);
			ck_assert_uint_eq(t->node[t->port[peer].node].guid,
				f->node[far].guid);
			ck_assert_uint_eq(t->port[peer].peer, port);
			ck_assert_uint_eq(t->port[port].phys, 5);
			ck_assert_uint_eq(t->port[port].flags & TP_UNREAD, 0);
		}
	}
}

/* The fewest SMPs with which a full sweep can read f, given the Sets that were
 * needed. */
static inline uint64_t
floor_smps(const struct fabric *f, const struct sim *s)
{
	/* the manager's own NodeInfo; its port is read again with modifier
	 * bit 31, since the speed of its link is not known before */
	uint64_t n = 1 + 1;

	for (uint32_t i = 0; i < f->nnodes; i++) {
		const struct fabric_node *node = &f->node[i];

		if (node->type == FABRIC_SWITCH)
			/* SwitchInfo, port 0 and all ports */
			n += 2 + node->nports;
		else
			n += fabric_degree(f, i);
	}
	return n + f->ncables + sim_stats(s)->switch_sets;
}

static inline struct fabric *
two_tier_tree(
	unsigned spines, unsigned leaves, unsigned parallel, unsigned hosts)
{
	return shape_of(
		"two:%u:%u:%u:%u:%u", spines, leaves, hosts, hosts, parallel);
}

static inline struct fabric *
make_shape(int i)
{
	struct reason why;

	switch (i) {
	case 0:
		return gen_pair();
	case 1:
		return two_tier_tree(1, 1, 1, 2);
	case 2:
		return two_tier_tree(4, 8, 2, 6);
	case 3:
		return shape_of("torus:4x4x4:2");
	case 4:
		return shape_of("torus:5x3");
	case 5:
		return gen_edit_rails(
			two_tier_tree(4, 8, 1, 6), 2, false, &why);
	case 6:
		return gen_edit_self_loops(two_tier_tree(3, 6, 1, 3), 5, &why);
	case 7:
		return gen_edit_aggregation(two_tier_tree(3, 6, 1, 3), &why);
	case 8:
		return gen_edit_ports(
			two_tier_tree(2, 3, 1, 2), 254, true, &why);
	case 9:
		return shape_of("three:8");
	case 10:
		return shape_of("random:40:5:2:11");
	default:
		return shape_of("dragonfly:4:2:2");
	}
}

#endif
