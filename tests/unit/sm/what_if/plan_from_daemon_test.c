/*
 * A plan from the running daemon predicts what the daemon does: on realistic
 * trees, after failures that changed ranks and subtree roots, each next failure
 * is planned from a snapshot, then happens, and the tables in the switches are
 * those of the plan, entry for entry; so are the entries and blocks that the
 * daemon counts.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/driver/registry.h"
#include "sm/base/log.h"
#include "sm/base/mem.h"
#include "sm/base/rng.h"
#include "sm/core/snapshot_state.h"
#include "sm/mad/mad_role.h"
#include "sm/policy/qos.h"
#include "sm/report/json_util.h"
#include "sm/report/snapshot_json.h"
#include "sm/what_if/loss_preview.h"
#include "sm/what_if/routes_diff.h"
#include "sm/what_if/transition_preview.h"
#include "sm/what_if/what_if.h"
#include "tests/topo/gen.h"
#include "tests/topo/shape.h"
#include "tests/unit/adaptive_fixture.h"
#include "tests/unit/suite.h"

/* ---- the daemon's side ---- */

/* The answer as sent over the socket. */
static json_t *
take_snapshot(struct world *w, bool tables, size_t *bytes)
{
	struct answer *a =
		snapshot_answer(snapshot_state_json(w->sm, w->config, tables),
			sm_view(w->sm), tables);
	struct buf out = {0};
	json_t *reply, *result;

	while (answer_more(a, 4096, &out))
		continue;
	view_unref(answer_free(a));
	reply = json_loadb(out.text, out.n, 0, NULL);
	*bytes = out.n;
	buf_free(&out);
	ck_assert_ptr_nonnull(reply);
	result = json_incref(json_object_get(reply, "result"));
	json_decref(reply);
	return result;
}

/* ---- the plan's side ---- */

struct plan {
	struct lft_pool *pool;
	struct forecast_job job;
	struct inputs in;
	struct what_if out;
	struct routes_diff impact;
	json_t *change; /* how the tables would be written */
};

static void
plan_make(struct plan *p, struct world *w, const struct failure *f, size_t n)
{
	size_t bytes;
	struct inputs_wanted ask = {
		.from = "live", .snapshot = take_snapshot(w, true, &bytes)};
	struct transition_preview_ask change = {
		.pace = loss_estimate_pace_defaults()};
	struct reason why = {""};

	*p = (struct plan){.pool = lft_pool_new()};
	p->job.pool = p->pool;
	ck_assert_msg(
		inputs_read(&p->in, &ask, &p->job, &why) == 0, "%s", why.text);
	json_decref(ask.snapshot);
	ck_assert(p->in.same == !sm_view(w->sm)->read_only);
	ck_assert_msg(what_if_now(&p->in, &p->job, &p->out, &why) == 0, "%s",
		why.text);
	ck_assert_msg(what_if_after(&p->in, &p->job, f, n, &p->out, &why) == 0,
		"%s", why.text);
	ck_assert_ptr_nonnull(p->out.then.routes);
	routes_diff_of(p->out.now.routes, p->out.then.routes, &p->impact);
	change.given = &p->in.given;
	change.was = p->out.now.routes;
	change.is = p->out.then.routes;
	change.max_stages = p->in.cfg->distribution.max_stages;
	change.levels = qos_levels_want(p->in.cfg);
	change.max_vls = qos_vls_code(p->in.cfg);
	p->change = transition_preview_report(&change);
}

static void
plan_free(struct plan *p)
{
	json_decref(p->change);
	routes_diff_free(&p->impact);
	what_if_free(&p->out);
	inputs_free(&p->in);
	lft_pool_free(p->pool);
}
AUTO_VALUE(plan, struct plan, plan_free)

/* ---- fabrics ---- */

struct scene {
	const char *name, *yaml;
	struct fabric *(*make)(void);
	const char *sick; /* a switch that refuses its tables, or NULL */
};

static struct fabric *
make_plain(void)
{
	return shape_of("two:4:8:4");
}

static struct fabric *
make_multi_port(void)
{
	struct fabric *f = shape_of("two:3:7:3:5:2");

	f = gen_edit_rails(f, 2, true, NULL);
	return gen_edit_fail_links(f, 5, 11, true, NULL);
}

static struct fabric *
make_three_tier(void)
{
	return shape_of("three:6,fail=9,seed=3");
}

static struct fabric *
make_planes(void)
{
	return shape_of("planes:2:5:3:3:2");
}

/* Tops report their role, and so does a leaf without hosts. */
static struct fabric *
make_reported_roles(void)
{
	struct fabric *f = gen_edit_fail_links(
		gen_edit_populate(shape_of("two:4:9:4:2"), 4, 0), 4, 5, true,
		NULL);

	for (uint32_t n = 0; n < f->nnodes; n++) {
		if (f->node[n].type != FABRIC_SWITCH)
			continue;
		f->node[n].attrs.has_role = true;
		f->node[n].attrs.role = strncmp(f->node[n].name, "leaf", 4) == 0
						? MAD_ROLE_LEAF
						: MAD_ROLE_ROOT;
	}
	return f;
}

static struct fabric *
make_mesh(void)
{
	return shape_of("random:14:3:2:7");
}

static const struct scene scenes[] = {
	{"plain", "", make_plain, NULL},
	{"homes, lanes", "routing:\n  ftree:\n    layers: 4\n", make_multi_port,
		NULL},
	{"three tiers, LMC", "fabric:\n  lmc:\n    hosts: 1\n", make_three_tier,
		NULL},
	{"planes", "routing:\n  load_limit: 1.1\n", make_planes, NULL},
	{"told, quarantine",
		"discovery:\n  role_attribute: [0x2c9]\n"
		"routing:\n  roles:\n    spine: []\n",
		make_reported_roles, "spine2"},
	{"mesh, updn", "routing:\n  engines: [updn]\n", make_mesh, NULL},
};

enum { SCENES = sizeof(scenes) / sizeof(scenes[0]), DAYS = FEWER(3), SEED = 1 };

/* ---- events ---- */

struct story {
	const struct scene *scene;
	struct fabric *f;
	struct world *w;
	struct rng rng;
	bool *down;			/* by link */
	bool *gone;			/* by node */
	uint64_t entries, blocks, smps; /* of the views since the last plan */
	unsigned views;
};

static void
note_view(void *cookie, const struct view *v)
{
	struct story *s = cookie;

	s->entries += v->change.entries;
	s->blocks += v->change.blocks;
	s->smps += v->change.smps;
	s->views++;
	/* rows of SL2VL that are unknown yet: a plan cannot predict their
	 * reads */
	for (size_t i = 0; i < v->change.nphases; i++)
		if (strcmp(v->change.phase[i].what, "read SL2VL") == 0)
			s->smps -= v->change.phase[i].smps;
}

static void
settle_world(struct story *s)
{
	ck_assert_msg(world_settle(s->w, mono_ms(600000)), "%s: %s",
		s->scene->name, s->w->last_why);
}

static void
begin_story(struct story *s, const struct scene *scene, uint64_t seed)
{
	struct sim_behaviour sick = {.refuse = UINT64_C(1) << MAD_LFT};

	*s = (struct story){.scene = scene, .f = scene->make(), .rng = {seed}};
	ck_assert_ptr_nonnull(s->f);
	s->down = mem_zalloc(s->f->ncables, sizeof(*s->down));
	s->w = core_start(s->f, scene->yaml);
	s->w->told = note_view;
	s->w->told_cookie = s;
	if (scene->sick != NULL)
		sim_fault_behave(
			s->w->sim, fabric_find(s->f, scene->sick), &sick);
	settle_world(s);
	ck_assert_uint_eq(sm_view(s->w->sm)->nquarantine, scene->sick != NULL);
}

static void
end_story(struct story *s)
{
	free(s->down);
	core_end(s->w, s->f);
}
AUTO_VALUE(story, struct story, end_story)

/* The switch of the manager. */
static uint32_t
own_leaf(const struct story *s)
{
	uint32_t node;
	unsigned port;

	(void)fabric_peer(s->f, s->w->host, 1, &node, &port);
	return node;
}

/* True if the node is in the manager's component of the fabric. */
static bool
is_seen(const struct story *s, uint32_t node)
{
	return topo_by_node_guid(sm_view(s->w->sm)->topo,
		       s->f->node[node].guid) != TOPO_NONE;
}

/* A link that is up and not the manager's; between: of two switches. */
static uint32_t
pick_cable(struct story *s, bool between)
{
	for (;;) {
		uint32_t c = rng_below(&s->rng, s->f->ncables);
		const struct fabric_cable *k = &s->f->cable[c];

		if (!s->down[c] && is_seen(s, k->node[0]) &&
			is_seen(s, k->node[1]) && k->node[0] != s->w->host &&
			k->node[1] != s->w->host &&
			(!between ||
				(s->f->node[k->node[0]].type == FABRIC_SWITCH &&
					s->f->node[k->node[1]].type ==
						FABRIC_SWITCH)))
			return c;
	}
}

static void
set_cable(struct story *s, uint32_t c, bool up)
{
	sim_fault_link(
		s->w->sim, s->f->cable[c].node[0], s->f->cable[c].port[0], up);
	s->down[c] = !up;
}

/* Links and a switch fail and come back, some do not. */
static void
apply_random_failures(struct story *s, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		uint32_t c = pick_cable(s, true);

		set_cable(s, c, false);
		settle_world(s);
		if (i % 2 == 0) {
			set_cable(s, c, true);
			settle_world(s);
		}
	}
}

/* A host in the manager's component that is not the manager's. */
static uint32_t
other_host(const struct story *s)
{
	uint32_t n = s->f->nnodes - 1;

	while (s->f->node[n].type == FABRIC_SWITCH || n == s->w->host ||
		!is_seen(s, n))
		n--;
	return n;
}

/* ---- the comparison ---- */

/* The simulator's index of a switch. */
static uint32_t
at_of(const struct story *s, const struct topo *t, sw_ix w)
{
	uint64_t guid = t->node[t->sw[w].node].guid;
	uint32_t n = 0;

	while (n < s->f->nnodes && s->f->node[n].guid != guid)
		n++;
	ck_assert_uint_lt(n, s->f->nnodes);
	return n;
}

static uint64_t
expect_tables(const struct story *s, const struct routes *r, const char *what)
{
	const struct topo *t = r->topo;
	uint64_t n = 0;

	for (sw_ix w = 0; w < t->nsw; w++) {
		const struct topo_node *node = &t->node[t->sw[w].node];
		uint32_t at = at_of(s, t, w);

		if (node->flags & TN_QUARANTINED)
			continue;
		for (uint16_t lid = 1; lid <= t->max_lid; lid++, n++)
			ck_assert_msg(sim_lft(s->w->sim, at, lid) ==
					      routes_port(r, w, lid),
				"%s, %s: %s LID %u: %u, planned %u",
				s->scene->name, what,
				topo_desc(t, t->sw[w].node), lid,
				sim_lft(s->w->sim, at, lid),
				routes_port(r, w, lid));
	}
	return n;
}

static bool
same_note(const struct route_rank *a, const struct route_rank *b)
{
	return a->guid == b->guid && a->rank == b->rank &&
	       a->place == b->place && a->read == b->read;
}

static bool
same_layers(const struct routes *a, const struct routes *b)
{
	for (sw_ix s = 0; s < a->topo->nsw; s++)
		for (sw_ix d = 0; d < a->topo->nsw; d++)
			if (routes_layer(&a->layers, s, d) !=
				routes_layer(&b->layers, s, d))
				return false;
	return a->layers.n == b->layers.n;
}

static bool
same_state(const struct routes *a, const struct routes *b)
{
	AUTO(buf) struct buf x = {0}, y = {0};
	bool same;

	registry_print_state(a, &x);
	registry_print_state(b, &y);
	same = x.n == y.n && (x.n == 0 || strcmp(x.text, y.text) == 0);
	return same;
}

static bool
same_whole(const struct routes *a, const struct routes *b)
{
	return a->topo->hash == b->topo->hash &&
	       a->topo->max_lid == b->topo->max_lid && a->order == b->order &&
	       strcmp(a->engine, b->engine) == 0 && same_state(a, b) &&
	       a->fresh_load == b->fresh_load && same_layers(a, b);
}

/* Fails unless the routes are equal, with the notes of each switch. */
static void
expect_same_routes(const struct story *s, const struct routes *is,
	const struct routes *planned, const char *what)
{
	const struct topo *t = is->topo;

	ck_assert_msg(same_whole(is, planned), "%s, %s", s->scene->name, what);
	for (sw_ix w = 0; w < t->nsw; w++) {
		const struct route_rank a = routes_note(is, w),
					b = routes_note(planned, w);

		ck_assert_msg(same_note(&a, &b), "%s, %s: %s", s->scene->name,
			what, topo_desc(t, t->sw[w].node));
	}
}

/* Plans the failure, lets it happen, and compares. */
static void
expect_as_planned(struct story *s, const struct failure *f,
	void (*happen)(struct story *, uint32_t), uint32_t which,
	const char *what)
{
	AUTO(plan) struct plan p;
	const struct view *v;
	const json_t *c;

	plan_make(&p, s->w, f, 1);
	ck_assert(!p.out.cut_off);
	s->entries = s->blocks = s->smps = s->views = 0;
	happen(s, which);
	settle_world(s);
	v = sm_view(s->w->sm);
	c = json_array_get(p.change, 0);
	ck_assert_uint_eq(s->entries, p.impact.entries);
	ck_assert_uint_eq(s->blocks, p.impact.blocks);
	ck_assert_msg(s->smps == (uint64_t)json_util_num(c, "smps"),
		"%s, %s: %llu SMPs, planned %lld of which %lld tops, first %s "
		"last %s %zu",
		s->scene->name, what, (unsigned long long)s->smps,
		json_util_num(c, "smps"), json_util_num(c, "tops"),
		v->change.phase[0].what,
		v->change.phase[v->change.nphases - 1].what,
		v->change.phase[v->change.nphases - 1].smps);
	if (s->views == 1)
		ck_assert_str_eq(v->change.kind, json_util_text(c, "kind"));
	expect_same_routes(s, v->routes, p.out.then.routes, what);
	(void)expect_tables(s, p.out.then.routes, what);
}

static void
cut_cable(struct story *s, uint32_t c)
{
	set_cable(s, c, false);
}

static void
remove_node(struct story *s, uint32_t n)
{
	sim_fault_node(s->w->sim, n, false);
}

/* The plan's name of that node, and of a port of it. */
static struct failure
failure_of(const struct story *s, uint32_t node, unsigned port)
{
	const struct topo *t = sm_view(s->w->sm)->topo;
	node_ix n = topo_by_node_guid(t, s->f->node[node].guid);

	ck_assert_uint_ne(n, TOPO_NONE);
	return (struct failure){.node = n, .port = port};
}

static void
expect_link_as_planned(struct story *s, bool between)
{
	uint32_t c = pick_cable(s, between);
	const struct fabric_cable *k = &s->f->cable[c];
	struct failure f = failure_of(s, k->node[1], k->port[1]);

	expect_as_planned(s, &f, cut_cable, c, between ? "cable" : "any");
}

static void
expect_switch_as_planned(struct story *s)
{
	uint32_t n, own = own_leaf(s);
	struct failure f;

	do
		n = rng_below(&s->rng, s->f->nnodes);
	while (s->f->node[n].type != FABRIC_SWITCH || n == own ||
		!is_seen(s, n) ||
		(s->scene->sick != NULL &&
			strcmp(s->f->node[n].name, s->scene->sick) == 0));
	f = failure_of(s, n, 0);
	expect_as_planned(s, &f, remove_node, n, "switch");
}

LOOP_TEST(as_planned, 0, DAYS *SCENES)
{
	AUTO(story) struct story s;

	begin_story(&s, &scenes[_i % SCENES],
		(uint64_t)SEED + (uint64_t)_i / SCENES);
	apply_random_failures(&s, 4);
	expect_link_as_planned(&s, true);
	expect_link_as_planned(&s, true);
	expect_link_as_planned(&s, false);
	expect_switch_as_planned(&s);
	expect_link_as_planned(&s, true);
}

/* When the manager's own switch fails it reaches no switch: tables stay. */
LOOP_TEST(cut_off, 0, SCENES)
{
	AUTO(story) struct story s;
	struct failure f;
	AUTO(plan) struct plan p;

	begin_story(&s, &scenes[_i % SCENES],
		(uint64_t)SEED + (uint64_t)_i / SCENES);
	apply_random_failures(&s, 2);
	f = failure_of(&s, own_leaf(&s), 0);
	plan_make(&p, s.w, &f, 1);
	ck_assert(p.out.cut_off);
	remove_node(&s, own_leaf(&s));
	world_run(s.w, mono_ms(60000));
	ck_assert_uint_gt(expect_tables(&s, p.out.then.routes, "own leaf"), 0);
}

/* All sets, which plans make anew, are those of the daemon. */
static void
expect_same_sets(const struct routes *is, const struct forecast *planned)
{
	const struct route_sets *a = is->sets, *b = planned->routes->sets;
	uint64_t choices = 0;

	ck_assert_ptr_nonnull(a);
	ck_assert_ptr_nonnull(b);
	ck_assert_str_eq(a->why, b->why);
	ck_assert_uint_eq(a->dropped, b->dropped);
	for (sw_ix s = 0; s < is->topo->nsw; s++)
		for (sw_ix t = 0; t < is->topo->nsw; t++) {
			const struct route_set *x = route_sets_get(a, s, t),
					       *y = route_sets_get(b, s, t);

			ck_assert((x == NULL) == (y == NULL));
			choices += x != NULL;
			ck_assert(x == NULL || memcmp(x, y, sizeof(*x)) == 0);
		}
	ck_assert_uint_eq(a->narrow, b->narrow);
	ck_assert_uint_gt(choices, 0);
	ck_assert_uint_eq(planned->adaptive.choices, choices);
	ck_assert_uint_eq(planned->adaptive.cannot, 1);
	ck_assert_uint_eq(planned->adaptive.assumed, 0);
	ck_assert_uint_eq(planned->adaptive.load.lost, 0);
}

static struct fabric *
make_adaptive(void)
{
	struct fabric *f = adaptive_give(make_plain());

	f->node[fabric_find(f, "leaf2")].attrs.ar = false;
	return f;
}

/* With so many ports in a set that it stays when one comes back. */
static struct fabric *
make_wide(void)
{
	const struct gen_fattree2 p = {6, 8, 1, 4, 4};
	struct fabric *f = adaptive_give(gen_tree_two(&p, NULL));

	f->node[fabric_find(f, "leaf2")].attrs.ar = false;
	return f;
}

/* Sets of adaptive groups that switches got. */
static uint64_t
count_group_sets(const struct world *w)
{
	static const uint16_t attr[] = {MAD_AR_INFO, MAD_AR_GROUP, MAD_AR_LFT};
	uint64_t n = 0;

	for (size_t i = 0; i < sizeof(attr) / sizeof(attr[0]); i++)
		n += sim_stats(w->sim)->by[sim_attr_row(attr[i])][MAD_SET];
	return n;
}

/* As the first method of the plan has it, which counts it among the SMPs. */
static uint64_t
planned_groups(const struct plan *p)
{
	const json_t *m = json_array_get(p->change, 0);

	ck_assert_int_eq(json_util_num(m, "smps"),
		json_util_num(m, "writes") + json_util_num(m, "groups") +
			2 * json_util_num(m, "dependencies_blocked") +
			json_util_num(m, "tops"));
	return (uint64_t)json_util_num(m, "groups");
}

/* What switches may choose is planned as it comes, and the Sets that it takes.
 */
LOOP_TEST(adaptive_as_planned, 0, 2 * DAYS)
{
	const struct scene scene = {"adaptive",
		"routing: {adaptive: {enabled: true}}\n",
		_i < DAYS ? make_adaptive : make_wide, NULL};
	AUTO(story) struct story s;
	struct failure f;
	struct plan p;
	uint64_t sets;
	uint32_t c;

	begin_story(&s, &scene, (uint64_t)(SEED + _i));
	apply_random_failures(&s, 2);
	ck_assert((sm_view(s.w->sm)->routes->sets->narrow > 0) == (_i >= DAYS));
	for (unsigned k = 0; k < 3; k++) {
		c = pick_cable(&s, true);
		f = failure_of(
			&s, s.f->cable[c].node[1], s.f->cable[c].port[1]);
		plan_make(&p, s.w, &f, 1);
		expect_same_sets(sm_view(s.w->sm)->routes, &p.out.now);
		sets = count_group_sets(s.w);
		cut_cable(&s, c);
		settle_world(&s);
		sets = count_group_sets(s.w) - sets;
		ck_assert_uint_eq(planned_groups(&p), sets);
		ck_assert_uint_gt(sets, 0);
		expect_same_sets(sm_view(s.w->sm)->routes, &p.out.then);
		plan_free(&p);
	}
}

/* A plan without a failure changes nothing, after any history. */
LOOP_TEST(plan_without_failure, 0, SCENES)
{
	AUTO(story) struct story s;
	AUTO(plan) struct plan p;

	begin_story(&s, &scenes[_i % SCENES],
		(uint64_t)SEED + (uint64_t)_i / SCENES);
	apply_random_failures(&s, 3);
	plan_make(&p, s.w, NULL, 0);
	expect_same_routes(
		&s, sm_view(s.w->sm)->routes, p.out.now.routes, "now");
	ck_assert_uint_eq(p.impact.entries, 0);
}

/* What another configuration takes is judged without tables as with them, from
 * a fraction of the bytes. */
LOOP_TEST(loss_without_tables, 0, SCENES)
{
	static const char yaml[] =
		"fabric: {lmc: {hosts: 1}}\n"
		"partitions: {a: {pkey: 0x1, members: {\"*1*\": full}}}\n";
	struct config_loss loss[2];
	AUTO(diag_list) struct diag_list d;
	AUTO(config)
	struct config *is =
		config_parse("t", yaml, strlen(yaml), registry_modules(), &d);
	AUTO(story) struct story s;
	size_t bytes[2];

	begin_story(&s, &scenes[_i], (uint64_t)SEED);
	apply_random_failures(&s, 3);
	for (unsigned k = 0; k < 2; k++) {
		AUTO(json) json_t *j = take_snapshot(s.w, k == 0, &bytes[k]);
		struct reason why = {""};
		struct snapshot g;

		ck_assert_msg(
			snapshot_read_fabric(j, &g, &why) == 0, "%s", why.text);
		ck_assert_msg(loss_preview_judge(&g, is, &loss[k], &why) == 0,
			"%s", why.text);
		snapshot_read_free(&g);
	}
	ck_assert_uint_gt(loss[0].pairs, 0);
	ck_assert_uint_eq(loss[0].pairs, loss[1].pairs);
	ck_assert_uint_eq(loss[0].renumbered, loss[1].renumbered);
	ck_assert_uint_eq(loss[0].affected, loss[1].affected);
	ck_assert_uint_eq(loss[0].moved, loss[1].moved);
	ck_assert_uint_eq(loss[0].new_lid, loss[1].new_lid);
	ck_assert_uint_lt(bytes[1] * 3, bytes[0] * 2);
}

/* The plan of a standby is what its take-over writes, whatever its own
 * configuration wants and the master's did. */
LOOP_TEST(taken_over_as_planned, 0, DAYS *SCENES)
{
	const struct scene *scene = &scenes[_i % SCENES];
	struct scene of_master = {scene->name, "", scene->make, NULL};
	AUTO(story) struct story s;
	struct world *a, *b;
	struct plan p;

	begin_story(&s, &of_master, (uint64_t)SEED + (uint64_t)_i / SCENES);
	a = s.w;
	b = world_beside(s.w, other_host(&s), scene->yaml);
	world_start(b);
	apply_random_failures(&s, 3);
	world_run(s.w, mono_ms(130000));
	ck_assert_uint_ge(b->reads, 2);
	plan_make(&p, b, NULL, 0);
	world_kill(s.w);
	s.w = b;
	b->told = note_view;
	b->told_cookie = &s;
	s.entries = s.blocks = s.smps = s.views = 0;
	while (b->commits == 0)
		world_run(b, mono_ms(1));
	ck_assert_uint_eq(s.blocks, p.impact.blocks);
	settle_world(&s);
	(void)expect_tables(&s, p.out.then.routes, "taken over");
	plan_free(&p);
	s.w = a;
}
