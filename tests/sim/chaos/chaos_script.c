#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "tests/sim/chaos/chaos_int.h"
#include "tests/topo/gen.h"

enum { MAX_EVENTS = 14, STRAY_TIMEOUTS = 8 };

struct plan_maker {
	struct chaos_script *s;
	struct rng rng;
	unsigned budget; /* hosts */
	char what[160];	 /* the fabric in words */
};

static unsigned
draw_below(struct plan_maker *m, unsigned n)
{
	return rng_below(&m->rng, n);
}

/* From a to b, both included. */
static unsigned
draw_between(struct plan_maker *m, unsigned a, unsigned b)
{
	return b <= a ? a : a + draw_below(m, b - a + 1);
}

static bool
draw_percent(struct plan_maker *m, unsigned percent)
{
	return draw_below(m, 100) < percent;
}

/* ---- fabrics ---- */

static struct fabric *
make_two_level(struct plan_maker *m)
{
	unsigned hosts = draw_between(m, 1, 18), leaves;
	struct gen_fattree2 p;

	leaves = m->budget / hosts;
	leaves = draw_between(m, 2, leaves > 40 ? 40 : leaves);
	p = (struct gen_fattree2){draw_between(m, 1, 6), leaves,
		draw_between(m, 1, 3), hosts,
		draw_percent(m, 70) ? hosts : draw_below(m, hosts + 1)};
	(void)snprintf(m->what, sizeof(m->what),
		"two-level tree, %u spines, %u leaves, %u parallel, %u/%u "
		"hosts",
		p.spines, p.leaves, p.parallel, p.hosts_even, p.hosts_odd);
	return gen_tree_two(&p, NULL);
}

static struct fabric *
make_three_level(struct plan_maker *m)
{
	unsigned k = 4;

	while ((k + 2) * (k + 2) * (k + 2) / 4 <= m->budget &&
		draw_percent(m, 60))
		k += 2;
	(void)snprintf(m->what, sizeof(m->what), "three-level tree of %u", k);
	return gen_tree_three(k, NULL);
}

static struct fabric *
make_xgft(struct plan_maker *m)
{
	unsigned mm[3] = {draw_between(m, 1, 8), draw_between(m, 2, 6),
		draw_between(m, 1, 4)};
	unsigned w[3] = {1, draw_between(m, 1, 4), draw_between(m, 1, 4)};
	unsigned p[3] = {1, draw_between(m, 1, 2), draw_between(m, 1, 2)};
	unsigned h = mm[2] > 1 ? 3 : 2;

	(void)snprintf(m->what, sizeof(m->what),
		"PGFT(%u; %u,%u,%u; 1,%u,%u; 1,%u,%u)", h, mm[0], mm[1], mm[2],
		w[1], w[2], p[1], p[2]);
	return gen_tree_pgft(h, mm, w, p, NULL);
}

static struct fabric *
make_grid(struct plan_maker *m)
{
	unsigned dim[3] = {1, 1, 1}, n = 1;
	unsigned nd = draw_between(m, 1, 3), hosts = draw_between(m, 1, 4);
	bool wrap = draw_percent(m, 60);

	for (unsigned i = 0; i < nd; i++) {
		unsigned room = m->budget / hosts / n;

		dim[i] = draw_between(m, 2, room > 9 ? 9 : room);
		n *= dim[i];
	}
	(void)snprintf(m->what, sizeof(m->what), "%s of %ux%ux%u, %u hosts",
		wrap ? "torus" : "mesh", dim[0], nd > 1 ? dim[1] : 1,
		nd > 2 ? dim[2] : 1, hosts);
	return gen_grid(dim, nd, wrap, hosts, NULL);
}

static struct fabric *
make_hypercube(struct plan_maker *m)
{
	unsigned dim[6], nd = 1, hosts = draw_between(m, 1, 4);

	while (nd < 6 && hosts << (nd + 1) <= m->budget && draw_percent(m, 70))
		nd++;
	for (unsigned i = 0; i < nd; i++)
		dim[i] = 2;
	(void)snprintf(m->what, sizeof(m->what),
		"hypercube of %u dimensions, %u hosts", nd, hosts);
	return gen_grid(dim, nd, false, hosts, NULL);
}

static struct fabric *
make_hyperx(struct plan_maker *m)
{
	unsigned dim[2] = {draw_between(m, 2, 6), draw_between(m, 2, 6)};
	unsigned hosts = draw_between(m, 1, 4);

	(void)snprintf(m->what, sizeof(m->what), "hyperx %ux%u, %u hosts",
		dim[0], dim[1], hosts);
	return gen_hyperx(dim, 2, hosts, NULL);
}

static struct fabric *
make_dragonfly(struct plan_maker *m)
{
	unsigned a = draw_between(m, 2, 4), p = draw_between(m, 1, 3),
		 h = draw_between(m, 1, 2);

	(void)snprintf(
		m->what, sizeof(m->what), "dragonfly a=%u p=%u h=%u", a, p, h);
	return gen_dragonfly(a, p, h, NULL);
}

static struct fabric *
make_random(struct plan_maker *m)
{
	unsigned hosts = draw_between(m, 1, 6), room = m->budget / hosts;
	unsigned n = draw_between(m, 4, room > 60 ? 60 : room);
	unsigned d = draw_between(m, 2, n > 6 ? 6 : n - 1);

	n += n & d & 1; /* no odd number of stubs */
	(void)snprintf(m->what, sizeof(m->what),
		"random, %u switches of degree %u, %u hosts", n, d, hosts);
	return gen_random(n, d, hosts, rng_next(&m->rng), NULL);
}

/* A mesh, a hypercube or a HyperX. */
static struct fabric *
make_product(struct plan_maker *m)
{
	unsigned dim[3] = {1, 1, 1}, hosts = draw_between(m, 1, 3), n = 1;
	unsigned nd = draw_between(m, 1, 3);

	if (draw_percent(m, 25))
		return make_hypercube(m);
	if (draw_percent(m, 40))
		return make_hyperx(m);
	for (unsigned i = 0; i < nd; i++) {
		unsigned room = m->budget / hosts / n;

		dim[i] = draw_between(m, 2, room > 6 ? 6 : room > 2 ? room : 2);
		n *= dim[i];
	}
	(void)snprintf(m->what, sizeof(m->what), "mesh of %ux%ux%u, %u hosts",
		dim[0], dim[1], dim[2], hosts);
	return gen_grid(dim, nd, false, hosts, NULL);
}

/* A torus of two or three dimensions. */
static struct fabric *
make_torus(struct plan_maker *m)
{
	unsigned dim[3], hosts = draw_between(m, 1, 2), n = 1;
	unsigned nd = draw_between(m, 1, 100) > 30 ? 2 : 3;

	for (unsigned i = 0; i < nd; i++) {
		unsigned room = m->budget / hosts / n;

		dim[i] = draw_between(m, 3, room > 6 ? 6 : room > 3 ? room : 3);
		n *= dim[i];
	}
	(void)snprintf(m->what, sizeof(m->what), "torus of %ux%ux%u, %u hosts",
		dim[0], dim[1], nd > 2 ? dim[2] : 1, hosts);
	return gen_grid(dim, nd, true, hosts, NULL);
}

static struct fabric *
make_tiny(struct plan_maker *m)
{
	unsigned dim = 1, hosts = draw_between(m, 1, 8);

	if (draw_percent(m, 30)) {
		(void)snprintf(m->what, sizeof(m->what), "two hosts");
		return gen_pair();
	}
	(void)snprintf(m->what, sizeof(m->what), "one switch, %u hosts", hosts);
	return gen_grid(&dim, 1, false, hosts, NULL);
}

static struct fabric *(*const makers[])(struct plan_maker *) = {make_two_level,
	make_two_level, make_three_level, make_xgft, make_xgft, make_grid,
	make_grid, make_hypercube, make_hyperx, make_dragonfly, make_random,
	make_random, make_tiny};

enum { NMAKERS = sizeof(makers) / sizeof(makers[0]) };

/*
 * A fabric of about as many hosts as permitted, of a shape that can be large.
 */
static struct fabric *
make_large(struct plan_maker *m)
{
	unsigned n = 2, dim[3];
	struct gen_fattree2 two;

	switch (draw_below(m, 5)) {
	case 0:
		while ((n + 2) * (n + 2) * (n + 2) / 4 <= m->budget)
			n += 2;
		(void)snprintf(
			m->what, sizeof(m->what), "three-level tree of %u", n);
		return gen_tree_three(n, NULL);
	case 1:
		two = (struct gen_fattree2){18, m->budget / 18, 1, 18, 18};
		if (two.leaves > 200)
			two.leaves = 200;
		(void)snprintf(m->what, sizeof(m->what),
			"two-level tree, 18 spines, %u leaves, 18 hosts",
			two.leaves);
		return gen_tree_two(&two, NULL);
	case 2:
		while ((n + 1) * (n + 1) * (n + 1) * 4 <= m->budget)
			n++;
		dim[0] = dim[1] = dim[2] = n;
		(void)snprintf(m->what, sizeof(m->what),
			"torus of %ux%ux%u, 4 hosts", n, n, n);
		return gen_grid(dim, 3, true, 4, NULL);
	case 3: /* a = 2p = 2h */
		while (2 * (n + 1) * (n + 1) * (2 * (n + 1) * (n + 1) + 1) <=
			m->budget)
			n++;
		(void)snprintf(m->what, sizeof(m->what),
			"dragonfly a=%u p=%u h=%u", 2 * n, n, n);
		return gen_dragonfly(2 * n, n, n, NULL);
	default:
		n = m->budget / 8;
		(void)snprintf(m->what, sizeof(m->what),
			"random, %u switches of degree 8, 8 hosts", n);
		return gen_random(n, 8, 8, rng_next(&m->rng), NULL);
	}
}

/* A fabric of the kind that the engine is for, or of any. */
static struct fabric *
draw_fabric(struct plan_maker *m, const struct chaos_limits *l)
{
	const char *engine = l->engine != NULL ? l->engine : "";

	if (strcmp(engine, "dor") == 0)
		return make_product(m);
	if (strcmp(engine, "torus") == 0)
		return make_torus(m);
	if (strcmp(engine, "dragonfly") == 0)
		return make_dragonfly(m);
	if (l->min_hosts > 0)
		return make_large(m);
	return makers[draw_below(m, NMAKERS)](m);
}

static void
append_what(struct plan_maker *m, const char *what)
{
	size_t n = strlen(m->what);

	(void)snprintf(m->what + n, sizeof(m->what) - n, "%s", what);
}

/* Changes that fabrics undergo: links missing, more nodes, two rails. */
static struct fabric *
age_fabric(struct plan_maker *m, struct fabric *f)
{
	struct fabric *g;

	if (draw_percent(m, 20) && f->nswitches > 3) {
		unsigned n = draw_between(m, 1, 1 + f->ncables / 20);

		for (g = NULL; n > 0 && g == NULL; n--) {
			struct fabric_edit none = {0};
			struct fabric *copy = fabric_rebuild(f, &none);

			g = gen_edit_fail_links(
				copy, n, rng_next(&m->rng), true, NULL);
		}
		if (g != NULL) {
			fabric_free(f);
			f = g;
			append_what(m, ", cables missing");
		}
	}
	if (draw_percent(m, 10)) {
		f = gen_edit_aggregation(f, NULL);
		append_what(m, ", aggregation nodes");
	}
	if (draw_percent(m, 10) && f->nswitches > 1) {
		f = gen_edit_rails(f, 2, draw_percent(m, 50), NULL);
		append_what(m, ", two rails");
	}
	return f;
}

static struct fabric *
make_fabric(struct plan_maker *m, const struct chaos_limits *l)
{
	struct fabric *f;

	/* small fabrics are quick and find as many faults */
	m->budget =
		draw_between(m, l->min_hosts ? l->min_hosts : 8, l->max_hosts);
	if (!l->min_hosts && draw_percent(m, 60) && m->budget > 100)
		m->budget = draw_between(m, 8, 100);
	do {
		f = draw_fabric(m, l);
	} while (f == NULL || fabric_first_host(f) == FABRIC_NONE);
	f = age_fabric(m, f);
	assert(f != NULL);
	if (draw_percent(m, 10)) {
		for (uint32_t i = 0; i < f->nnodes; i++)
			f->node[i].enhanced_p0 =
				f->node[i].type == FABRIC_SWITCH;
		append_what(m, ", enhanced ports 0");
	}
	return f;
}

static uint32_t
pick_node(struct plan_maker *m, enum fabric_type type)
{
	const struct fabric *f = m->s->f;
	uint32_t n = draw_below(m, f->nnodes);

	for (uint32_t i = 0; i < f->nnodes; i++, n = (n + 1) % f->nnodes) {
		if (f->node[n].type == type && n != fabric_first_host(f))
			return n;
	}
	return FABRIC_NONE;
}

/* ---- settings ---- */

static void
set_up_devices(struct plan_maker *m)
{
	struct sim_options *o = &m->s->sim;

	*o = sim_defaults();
	o->seed = rng_next(&m->rng);
	o->hop = mono_us(draw_between(m, 0, 3));
	o->service = mono_us(draw_percent(m, 80) ? draw_between(m, 1, 10)
						 : draw_between(m, 50, 400));
	if (draw_percent(m, 30))
		o->sma_queue = draw_between(m, 1, 16);
	o->trap_interval = mono_ms(draw_between(m, 50, 1000));
	o->opt_sl2vl = draw_percent(m, 50);
	o->vl_cap = (uint8_t)draw_between(m, 1, 5);
	o->mtu_cap = (uint8_t)draw_between(m, 3, 5);
	if (draw_percent(m, 10)) {
		o->faults.loss = draw_between(m, 100, 20000);
		o->faults.dup = draw_between(m, 0, 10000);
		o->faults.busy = draw_between(m, 0, 5000);
		o->faults.delay = draw_between(m, 0, 20000);
		o->faults.delay_max = mono_ms(draw_between(m, 1, 300));
	}
	if (draw_percent(m, 20))
		o->faults.reorder = draw_between(m, 1000, 500000);
	if (draw_percent(m, 20))
		o->enf_cap = 0;
	m->s->other_sm = FABRIC_NONE;
	if (draw_percent(m, 10))
		m->s->other_sm = pick_node(m, FABRIC_CA);
}

/* Make some devices unlike the others. */
static void
set_up_nodes(struct plan_maker *m)
{
	struct fabric *f = m->s->f;

	if (!draw_percent(m, 20))
		return;
	for (uint32_t i = 0; i < f->nnodes; i++) {
		if (draw_percent(m, 20))
			f->node[i].attrs.service_ns =
				1000 * draw_between(m, 1, 1000);
		if (draw_percent(m, 20))
			f->node[i].attrs.hop_ns =
				1000 * draw_between(m, 1, 100);
		if (draw_percent(m, 20))
			f->node[i].attrs.queue =
				(uint16_t)draw_between(m, 1, 8);
	}
	append_what(m, ", unequal devices");
}

/* Whether links that are drained for their health are used again that day. */
static const char *const health_yaml[] = {
	"health: {enabled: true, interval: 1s, action: drain, flap_limit: 2,"
	" quiet_time: 6h}\n",
	"health: {enabled: true, interval: 5s, action: drain, flap_limit: 2,"
	" quiet_time: 20s, quiet_time_max: 80s}\n"};

/*
 * A copy of an SMP arrives within STRAY_TIMEOUTS time-outs: the manager waits
 * so long for copies (sm/core/in_flight.c). What older ones do to tables cannot
 * be foreseen, and is found by samples.
 */
static void
limit_delays(struct plan_maker *m, unsigned timeout)
{
	struct sim_faults *x = &m->s->sim.faults;

	x->delay_max =
		mono_min(x->delay_max, mono_ms(STRAY_TIMEOUTS * timeout));
}

/* One day in four counters of ports are read, too; the script is the same. */
static void
set_up_daemon(struct plan_maker *m, const struct chaos_limits *l, uint64_t seed)
{
	unsigned timeout;

	(void)snprintf(m->s->yaml, sizeof(m->s->yaml),
		"%sfabric:\n  priority: 3\n  m_key: 0x%x\n"
		"  accept_loss: 1000000\n"
		"  lmc:\n    hosts: %u\n    switches: %u\n"
		"sweep:\n  interval: %us\n  hold_down: %ums\n"
		"smp:\n  timeout: %ums\n  retries: %u\n  window_max: %u\n"
		"  target_max: %u\n"
		"sa:\n  trust_key: 0x5ec2e7\n  requests_per_second: 0\n"
		"routing:\n  load_limit: %u.%u\n",
		l->health	? health_yaml[seed % 2]
		: seed % 4 == 0 ? "health: {enabled: true, interval: 1s}\n"
				: "",
		draw_percent(m, 20) ? draw_between(m, 1, 1000) : 0,
		draw_percent(m, 20) ? draw_between(m, 1, 3) : 0,
		draw_percent(m, 10) ? draw_between(m, 1, 2) : 0,
		draw_between(m, 2, 15),
		draw_percent(m, 30) ? 0 : draw_between(m, 1, 100),
		(timeout = draw_between(m, 10, 200)), draw_between(m, 2, 6),
		draw_percent(m, 30) ? draw_between(m, 1, 16) : 256,
		draw_between(m, 1, 8), draw_between(m, 1, 2),
		draw_between(m, 0, 9));
	limit_delays(m, timeout);
	if (draw_percent(m, 40))
		m->s->route_delay = mono_ms(draw_between(m, 1, 300));
}

/* From random numbers of its own: the run is the same without the layers. */
static void
add_lanes(struct plan_maker *m, const struct chaos_limits *l, uint64_t seed)
{
	struct rng own = {seed};
	size_t n = strlen(m->s->yaml);
	bool levels;

	n += (size_t)snprintf(m->s->yaml + n, sizeof(m->s->yaml) - n,
		"  ftree: {layers: %u}\n", 2 + rng_below(&own, 7));
	levels = rng_below(&own, 2) == 0;
	if (levels)
		(void)snprintf(m->s->yaml + n, sizeof(m->s->yaml) - n,
			"qos:\n  levels: {default: {weight: 3}, "
			"fast: {weight: 8, sl: 3, adaptive: %s}}\n",
			l->adaptive ? "true" : "false");
	/* QoS levels that must share VLs raise an alarm; layers may share */
	if (!levels && rng_below(&own, 2) == 0)
		m->s->sim.vl_cap = (uint8_t)(2 + rng_below(&own, 2));
	else if (m->s->sim.vl_cap < 4)
		m->s->sim.vl_cap = 4;
	append_what(m, ", several lanes");
	if (rng_below(&own, 2) == 0)
		return;
	m->s->narrow = levels ? 2 : (uint8_t)(1 + rng_below(&own, 2));
	m->s->cables = own;
	append_what(m, ", some narrow cables");
}

/* ---- events ---- */

static struct chaos_step *
add_step(struct plan_maker *m, struct mono at, enum chaos_kind kind,
	uint32_t node, uint32_t port)
{
	struct chaos_script *s = m->s;
	size_t i = s->nsteps;

	s->step = mem_grow(s->step, i, &s->cap, sizeof(*s->step));
	s->nsteps++;
	while (i > 0 && mono_before(at, s->step[i - 1].at)) {
		s->step[i] = s->step[i - 1];
		i--;
	}
	s->step[i] = (struct chaos_step){at, kind, node, port, 0};
	return &s->step[i];
}

/* A time span of any magnitude up to some seconds. */
static struct mono
draw_span(struct plan_maker *m)
{
	static const unsigned most[] = {100, 2000, 30000, 300000, 4000000};

	return mono_us(draw_below(m, most[draw_below(m, 5)]));
}

/* The SM's host and its switch: the daemon needs the links to them. */
static bool
is_needed_by_sm(const struct plan_maker *m, uint32_t node)
{
	uint32_t host = fabric_first_host(m->s->f), peer = FABRIC_NONE;
	unsigned port;

	(void)fabric_peer(m->s->f, host, 1, &peer, &port);
	return node == host || node == peer;
}

static void
add_link(struct plan_maker *m, struct mono at)
{
	const struct fabric *f = m->s->f;
	const struct fabric_cable *c;
	uint32_t n, p;

	if (f->ncables == 0)
		return;
	c = &f->cable[draw_below(m, f->ncables)];
	n = c->node[0];
	p = c->port[0];
	if (draw_percent(m, 20)) {
		add_step(m, at, CHAOS_FLAP, n, p)->value =
			draw_between(m, 1, 6);
		return;
	}
	add_step(m, at, CHAOS_LINK_DOWN, n, p);
	at = mono_add(at, draw_span(m));
	if (draw_percent(m, 60) || is_needed_by_sm(m, n) ||
		is_needed_by_sm(m, c->node[1]))
		add_step(m, at, CHAOS_LINK_UP, n, p);
}

static void
add_node(struct plan_maker *m, struct mono at, enum fabric_type type)
{
	uint32_t n = pick_node(m, type);

	if (n == FABRIC_NONE)
		return;
	if (type == FABRIC_SWITCH && draw_percent(m, 50)) {
		add_step(m, at, CHAOS_REBOOT, n, 0);
		return;
	}
	add_step(m, at, CHAOS_NODE_OUT, n, 0);
	if (draw_percent(m, 60) || is_needed_by_sm(m, n))
		add_step(m, mono_add(at, draw_span(m)), CHAOS_NODE_IN, n, 0);
}

static void
add_trouble(struct plan_maker *m, struct mono at)
{
	uint32_t n;

	switch (draw_below(m, 10)) {
	case 0:
	case 1:
	case 2:
		add_link(m, at);
		break;
	case 3:
	case 4:
		add_node(m, at, FABRIC_SWITCH);
		break;
	case 5:
		add_node(m, at, FABRIC_CA);
		break;
	case 6:
		n = pick_node(
			m, draw_percent(m, 70) ? FABRIC_SWITCH : FABRIC_CA);
		if (n == FABRIC_NONE)
			break;
		if (draw_percent(m, 30))
			add_step(m, at, CHAOS_SLOW, n, 0)->value =
				draw_between(m, 1000, 50000);
		else
			add_step(m, at, CHAOS_HANG, n, 0);
		add_step(m, mono_add(at, draw_span(m)), CHAOS_WAKE, n, 0);
		break;
	case 7:
		add_step(m, at, CHAOS_LOSS, 0, 0)->value =
			draw_between(m, 1000, 300000);
		add_step(m, mono_add(at, draw_span(m)), CHAOS_NO_LOSS, 0, 0);
		break;
	case 8:
		add_step(m, at, CHAOS_KILL, 0, 0);
		add_step(m, mono_add(at, draw_span(m)), CHAOS_START, 0, 0);
		break;
	default:
		n = pick_node(
			m, draw_percent(m, 50) ? FABRIC_SWITCH : FABRIC_CA);
		if (n != FABRIC_NONE && draw_percent(m, 50))
			add_step(m, at, CHAOS_RENAME, n, 0);
		else
			add_step(m, at, CHAOS_RESWEEP, 0, 0);
		break;
	}
}

static void
write_script(struct plan_maker *m)
{
	unsigned n = draw_between(m, 1, MAX_EVENTS);
	struct mono at = {0};

	/* some runs begin with faults */
	if (draw_percent(m, 75))
		at = mono_ms(draw_between(m, 2000, 4000));
	while (n-- > 0) {
		at = mono_add(at, draw_span(m));
		add_trouble(m, at);
	}
	m->s->end = m->s->nsteps ? m->s->step[m->s->nsteps - 1].at : at;
	m->s->end = mono_add(m->s->end, mono_ms(1));
}

/* From random numbers of its own: the rest of the run is as without them. */
static void
add_tenants(struct plan_maker *m, uint64_t seed)
{
	struct chaos_script *s = m->s;
	unsigned most = (unsigned)(s->end.ns / 1000000) + 2000;
	unsigned node, port;

	m->rng.state = ~seed;
	s->sim.pkeys = (uint16_t)draw_between(m, TENANTS_KEYS, 100);
	if (s->sim.enf_cap > 0)
		s->sim.enf_cap = (uint16_t)draw_between(m, TENANTS_KEYS, 100);
	s->tenants = tenants_new(&m->rng, s->f);
	for (unsigned n = draw_between(m, 0, 4); n > 0; n--)
		add_step(m, mono_ms(draw_between(m, 0, most)), CHAOS_RELOAD, 0,
			0)
			->value = draw_below(m, TENANTS_VARIANTS);
	for (unsigned n = draw_between(m, 0, 3); n > 0; n--) {
		node = draw_below(m, s->f->nnodes);
		port = draw_between(m, s->f->node[node].type != FABRIC_SWITCH,
			s->f->node[node].nports);
		add_step(m, mono_ms(draw_between(m, 0, most)), CHAOS_TAMPER,
			node, port)
			->value = 1 + draw_below(m, 0xfffe);
	}
	if (s->nsteps > 0)
		s->end = mono_add(s->step[s->nsteps - 1].at, mono_ms(1));
	append_what(m, ", partitions");
}

/* A switch, or the link of one of its ports; drawn separately, too. Some drains
 * end by a command, some by their time, some stay. */
static void
add_drains(struct plan_maker *m, uint64_t seed)
{
	struct chaos_script *s = m->s;
	unsigned most = (unsigned)(s->end.ns / 1000000) + 2000;

	m->rng = (struct rng){seed ^ UINT64_C(0x647261696e)};
	for (unsigned n = draw_between(m, 1, 8); n > 0; n--) {
		struct mono at = mono_ms(draw_between(m, 0, most));
		uint32_t sw = pick_node(m, FABRIC_SWITCH);
		uint32_t port;

		if (sw == FABRIC_NONE)
			return;
		port = draw_percent(m, 50)
			       ? 0
			       : draw_between(m, 1, s->f->node[sw].nports);
		add_step(m, at, CHAOS_DRAIN, sw, port)->value =
			draw_percent(m, 30) ? draw_between(m, 1, 3000) : 0;
		if (draw_percent(m, 50))
			add_step(m, mono_add(at, draw_span(m)), CHAOS_UNDRAIN,
				sw, port);
	}
	s->end = mono_add(s->step[s->nsteps - 1].at, mono_ms(1));
	append_what(m, ", drains");
}

/* Some links between any nodes flap or err, again and again; drawn separately,
 * too. */
static void
add_bad_links(struct plan_maker *m, uint64_t seed)
{
	struct chaos_script *s = m->s;
	unsigned most = (unsigned)(s->end.ns / 1000000) + 20000;

	m->rng = (struct rng){seed ^ UINT64_C(0x6865616c7468)};
	for (unsigned n = draw_between(m, 1, 8); n > 0 && s->f->ncables > 0;
		n--) {
		const struct fabric_cable *c =
			&s->f->cable[draw_below(m, s->f->ncables)];
		bool errs = draw_percent(m, 50);

		for (unsigned k = draw_between(m, 1, 4); k > 0; k--) {
			struct mono at = mono_ms(draw_between(m, 3000, most));

			add_step(m, at, errs ? CHAOS_ERRORS : CHAOS_FLAP,
				c->node[0], c->port[0])
				->value = errs ? draw_between(m, 1, 15000)
					       : draw_between(m, 1, 6);
		}
	}
	s->end = mono_add(s->step[s->nsteps - 1].at, mono_ms(12000));
	s->health = true;
	s->back = seed % 2 == 1;
	append_what(m, ", bad links");
}

/* Hosts join and leave all the time; also drawn separately. */
static void
write_groups(struct plan_maker *m, uint64_t seed)
{
	struct chaos_script *s = m->s;
	unsigned n, ms, groups;

	m->rng = (struct rng){seed ^ UINT64_C(0x6d756c7469636173)};
	s->speaker = FABRIC_NONE;
	if (draw_percent(m, 40))
		return;
	s->speaker = pick_node(m, FABRIC_CA);
	if (s->speaker == s->other_sm || s->speaker == FABRIC_NONE ||
		s->speaker == fabric_first_host(s->f)) {
		s->speaker = FABRIC_NONE;
		return;
	}
	ms = (unsigned)(s->end.ns / 1000000) + 3000;
	groups = draw_between(m, 1, 12);
	for (n = draw_between(m, 5, 120); n > 0; n--) {
		uint32_t host = pick_node(m, FABRIC_CA);
		struct mono at = mono_ms(draw_between(m, 500, ms));

		if (host != FABRIC_NONE)
			add_step(m, at,
				draw_percent(m, 75) ? CHAOS_JOIN : CHAOS_LEAVE,
				host, 0)
				->value = draw_below(m, groups);
	}
	if (s->nsteps > 0)
		s->end = mono_add(s->step[s->nsteps - 1].at, mono_ms(1));
}

/* Also from random numbers of its own. */
static void
add_adaptive(struct plan_maker *m, uint64_t seed)
{
	struct rng own = {seed ^ UINT64_C(0x6164617074697665)};
	size_t n = strlen(m->s->yaml);

	(void)snprintf(m->s->yaml + n, sizeof(m->s->yaml) - n,
		"  adaptive: {enabled: true, prefer: %s, ageing: %u}\n",
		rng_below(&own, 3) == 0 ? "flat" : "default",
		rng_below(&own, 2) * 30);
	for (uint32_t i = 0; i < m->s->f->nnodes; i++) {
		struct fabric_attrs *a = &m->s->f->node[i].attrs;

		if (m->s->f->node[i].type != FABRIC_SWITCH ||
			rng_below(&own, 8) == 0)
			continue;
		a->ar = true;
		a->groups = rng_below(&own, 4) == 0
				    ? (uint16_t)(1 + rng_below(&own, 16))
				    : 2048;
		a->sub_groups = (uint8_t)(1 + rng_below(&own, 2));
		a->ar_lft_stops = rng_below(&own, 8) == 0;
	}
	append_what(m, ", adaptive routing");
}

static void
add_engine(struct plan_maker *m, const char *engine, uint64_t seed)
{
	struct chaos_script *s = m->s;
	size_t n = strlen(s->yaml);

	n += (size_t)snprintf(
		s->yaml + n, sizeof(s->yaml) - n, "  engines: [%s]\n", engine);
	if (strcmp(engine, "nue") == 0)
		(void)snprintf(s->yaml + n, sizeof(s->yaml) - n,
			"  nue: {layers: %u}\n", 1 + (unsigned)(seed % 8));
}

void
chaos_script_make(
	struct chaos_script *s, uint64_t seed, const struct chaos_limits *l)
{
	struct plan_maker m = {.s = s, .rng = {seed}};

	*s = (struct chaos_script){0};
	s->f = make_fabric(&m, l);
	set_up_devices(&m);
	set_up_nodes(&m);
	set_up_daemon(&m, l, seed);
	write_script(&m);
	write_groups(&m, seed);
	if (l->engine != NULL)
		add_engine(&m, l->engine, seed);
	if (l->adaptive)
		add_adaptive(&m, seed);
	if (l->tenants)
		add_tenants(&m, seed);
	if (l->lanes)
		add_lanes(&m, l, seed);
	if (l->drains)
		add_drains(&m, seed);
	if (l->health)
		add_bad_links(&m, seed);
	(void)snprintf(s->what, sizeof(s->what), "%s", m.what);
}

void
chaos_script_free(struct chaos_script *s)
{
	fabric_free(s->f);
	free(s->step);
	tenants_free(s->tenants);
}

void
chaos_script_print(const struct chaos_script *s, const struct chaos_step *step,
	struct buf *out)
{
	static const char *const word[CHAOS_KINDS] = {
		[CHAOS_LINK_DOWN] = "cable pulled",
		[CHAOS_LINK_UP] = "cable put back",
		[CHAOS_REBOOT] = "reboot",
		[CHAOS_NODE_OUT] = "taken away",
		[CHAOS_NODE_IN] = "put back",
		[CHAOS_HANG] = "hangs",
		[CHAOS_SLOW] = "is slow, us a SMP:",
		[CHAOS_FLAP] = "bad contact, times:",
		[CHAOS_WAKE] = "wakes up",
		[CHAOS_LOSS] = "loss begins, in millionths:",
		[CHAOS_NO_LOSS] = "loss ends",
		[CHAOS_RENAME] = "renamed",
		[CHAOS_RESWEEP] = "resweep",
		[CHAOS_KILL] = "daemon killed",
		[CHAOS_START] = "daemon started",
		[CHAOS_RELOAD] = "other partitions:",
		[CHAOS_TAMPER] = "another hand in the keys of",
		[CHAOS_JOIN] = "joins group",
		[CHAOS_LEAVE] = "leaves group",
		[CHAOS_DRAIN] = "drained, for ms:",
		[CHAOS_UNDRAIN] = "undrained",
		[CHAOS_ERRORS] = "symbol errors:",
	};

	buf_printf(out, "%12.6f  %s", mono_seconds(step->at), word[step->kind]);
	if (step->kind < CHAOS_LOSS || step->kind == CHAOS_RENAME ||
		step->kind == CHAOS_TAMPER || step->kind >= CHAOS_JOIN)
		buf_printf(out, " \"%s\"", s->f->node[step->node].name);
	if (step->port > 0)
		buf_printf(out, "[%u]", step->port);
	if (step->value > 0 || step->kind == CHAOS_RELOAD)
		buf_printf(out, " %u", step->value);
	buf_printf(out, "\n");
}
