/*
 * A reload that meets something else in the hold-down: each option of the file
 * is changed together with each other cause of a run, and takes effect as its
 * reload class says. Routes that were computed anew have a verification of
 * their own; kept routes share that of the routes before.
 */
#include <stdio.h>
#include <string.h>

#include "config/option_table.h"
#include "sm/base/buf.h"
#include "tests/unit/core_fixture.h"

enum { SETTLE_MS = 120000 };

/* Options whose values the table does not tell: what the file says. */
static const char *const samples[][2] = {
	{"fabric.port", "fabric: {port: mlx5_7/1}\n"},
	{"fabric.expected", "fabric: {expected: plan.ndt}\n"},
	{"fabric.lmc_override", "fabric: {lmc_override: {0x77: 1}}\n"},
	{"fabric.lids.last", "fabric: {lids: {last: 4000}}\n"},
	{"fabric.m_keys_known", "fabric: {m_keys_known: [0x1234]}\n"},
	{"fabric.m_key_lease", "fabric: {m_key_lease: 30s}\n"},
	{"routing.engines", "routing: {engines: [updn]}\n"},
	{"routing.updn.roots", "routing: {updn: {roots: [0x77]}}\n"},
	{"routing.multi_port.groups",
		"routing: {multi_port: {groups: {0x77: 1}}}\n"},
	{"routing.multi_port.passive",
		"routing: {multi_port: {passive: [0x77]}}\n"},
	{"routing.roles.leaf", "routing: {roles: {leaf: [leaf1]}}\n"},
	{"routing.roles.spine", "routing: {roles: {spine: [spine1]}}\n"},
	{"routing.roles.root", "routing: {roles: {root: [spine1]}}\n"},
	{"routing.adaptive.escapes",
		"routing: {adaptive: {escapes: ['0x1234']}}\n"},
	{"discovery.role_attribute",
		"discovery: {role_attribute: ['0x1234']}\n"},
	{"smp.timeout", "smp: {timeout: 300ms}\n"},
	{"sa.prefix_routes", "sa: {prefix_routes: {away: {prefix: 0x1234, "
			     "routers: [0x77]}}}\n"},
	{"partitions", "partitions: {red: {pkey: 0x0001, members: "
		       "{'*': full}}}\n"},
	{"qos.levels", "qos: {levels: {default: {sl: 0}, low: {sl: 1}}}\n"},
	{"qos.rules", "qos: {levels: {default: {sl: 0}, low: {sl: 1}}, rules: "
		      "{first: {level: low, services: ['tcp:7']}}}\n"},
	{"state.dir", "state: {dir: /elsewhere}\n"},
	{"control.socket", "control: {socket: /elsewhere}\n"},
};

/* A text other than the default that the option takes. */
static void
print_other_value(const struct schema_option *o, struct buf *out)
{
	unsigned long n = strtoul(o->def, NULL, 0);
	unsigned i = 0;

	if (o->type == SCHEMA_BOOL) {
		buf_printf(out, "%s", o->def[0] == 't' ? "false" : "true");
	} else if (o->choices != NULL) {
		while (strcmp(o->choices[i], o->def) == 0)
			i++;
		buf_printf(out, "%s", o->choices[i]);
	} else if (o->type == SCHEMA_DURATION) {
		buf_printf(out, "2s");
	} else if (o->type == SCHEMA_FACTOR) {
		buf_printf(out, "1.5");
	} else if (o->type == SCHEMA_INT || o->type == SCHEMA_HEX) {
		bool down = o->type == SCHEMA_INT && n == o->max;

		buf_printf(out, o->type == SCHEMA_INT ? "%lu" : "0x%lx",
			down ? n - 1 : n + 1);
	} else {
		ck_abort_msg("%s: the test needs a sample of it", o->key);
	}
}

/* A file in which this option alone is not as by default. */
static void
print_file(const char *path, const struct schema_option *o, struct buf *out)
{
	char key[128];
	char *word, *save = NULL;
	int indent = 0;

	(void)snprintf(key, sizeof(key), "%s%s%s", path,
		path[0] != '\0' ? "." : "", o->key);
	for (unsigned i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
		if (strcmp(samples[i][0], key) == 0) {
			buf_printf(out, "%s", samples[i][1]);
			return;
		}
	for (word = strtok_r(key, ".", &save); word != NULL;
		word = strtok_r(NULL, ".", &save)) {
		buf_printf(out, "%s%*s%s:", indent > 0 ? "\n" : "", indent, "",
			word);
		indent += 2;
	}
	buf_printf(out, " ");
	print_other_value(o, out);
	buf_printf(out, "\n");
}

/* ---- the other causes ---- */

static void
cause_nothing(struct world *w)
{
	(void)w;
}

static void
cause_trap(struct world *w)
{
	static unsigned times;
	char name[32];

	(void)snprintf(name, sizeof(name), "renamed %u", ++times);
	sim_fault_rename(w->sim, fabric_find(w->fabric, "h9"), name);
}

static void
cause_sweep(struct world *w)
{
	sm_resweep(w->sm, sim_now(w->sim), "sweep requested");
}

/* Every request times out; the run that is made of the reload and of this sweep
 * fails, and the next one is a retry. */
static void
cause_failed_run(struct world *w)
{
	static const struct sim_behaviour mute = {.mute = UINT32_MAX};
	static const struct sim_behaviour sound = {0};
	unsigned failed = w->runs_failed;

	sim_fault_behave(w->sim, w->host, &mute);
	cause_sweep(w);
	world_run(w, mono_ms(30000));
	ck_assert_uint_gt(w->runs_failed, failed);
	sim_fault_behave(w->sim, w->host, &sound);
}

static const struct {
	const char *name;
	void (*happens)(struct world *w);
} causes[] = {{"nothing else", cause_nothing}, {"a trap", cause_trap},
	{"a sweep", cause_sweep}, {"a failed run", cause_failed_run}};

/* True if routes were computed since this view. */
static bool
is_rerouted(const struct world *w, const struct view *since)
{
	return sm_view(w->sm)->routes->verified != since->routes->verified;
}

/* Load a file together with a cause. */
static void
reload_with(struct world *w, const char *yaml, int cause, const char *key)
{
	world_reload(w, yaml);
	causes[cause].happens(w);
	ck_assert_msg(world_settle(w, mono_ms(SETTLE_MS)),
		"%s with %s: never settled: %s", key, causes[cause].name,
		w->last_why);
}

static void
check_option(struct world *w, const char *path, const struct schema_option *o,
	enum schema_reload reload, int cause)
{
	struct view *before = view_ref(sm_view(w->sm));
	AUTO(config) struct config *was = config_ref(w->config);
	struct config_changes ch;
	AUTO(buf) struct buf file = {0};

	print_file(path, o, &file);
	reload_with(w, file.text, cause, file.text);
	config_diff(was, w->config, &ch);
	ck_assert_uint_ge(ch.n, 1);
	ck_assert_uint_ge(ch.of[reload], 1);
	ck_assert_msg(
		is_rerouted(w, before) ==
			(reload == SCHEMA_REROUTE || reload == SCHEMA_RESWEEP),
		"with %s the routes %s: %s", causes[cause].name,
		reload == SCHEMA_REROUTE ? "stay" : "change", file.text);
	config_changes_free(&ch);
	view_unref(before);
	before = view_ref(sm_view(w->sm));
	reload_with(w, "", cause, file.text);
	ck_assert_msg(
		is_rerouted(w, before) ==
			(reload == SCHEMA_REROUTE || reload == SCHEMA_RESWEEP),
		"with %s the routes %s without %s", causes[cause].name,
		reload == SCHEMA_REROUTE ? "stay" : "change", file.text);
	view_unref(before);
}

LOOP_TEST(every_option_with_every_cause, 0, LEN(causes))
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = core_start(f, "");
	size_t nsections;
	const struct options_section *section = options_all(&nsections);

	core_expect_order(w, "bring-up");
	for (size_t i = 0; i < nsections; i++)
		for (size_t k = 0; k < section[i].schema->n; k++) {
			const struct schema_option *o =
				&section[i].schema->option[k];
			enum schema_reload reload =
				o->reload != SCHEMA_AS_OTHERS
					? o->reload
					: section[i].reload;

			/* the daemon hands these over as they were */
			if (reload != SCHEMA_RESTART)
				check_option(w, section[i].schema->path, o,
					reload, _i);
		}
	core_expect_order(w, "all options");
}

/* A reload while another manager is master takes effect when this one is. */
TEST(a_reload_of_a_standby)
{
	const struct mad_sm_info above = {.priority = 15, .state = 3};
	const struct mad_sm_info gone = {.priority = 15, .state = 0};
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = core_start(f, "");
	uint32_t host = fabric_find(f, "h7");
	struct view *before;
	struct sm_status s;

	core_expect_order(w, "bring-up");
	before = view_ref(sm_view(w->sm));
	world_reload(w, "routing: {roles: {root: [spine1]}}\n");
	sim_fault_other_sm(w->sim, host, 1, &above);
	sm_resweep(w->sm, sim_now(w->sim), "sweep requested");
	world_run(w, mono_ms(20000));
	sm_status(w->sm, &s);
	ck_assert_int_eq(s.role, SM_STANDING_BY);
	sim_fault_other_sm(w->sim, host, 1, &gone);
	world_run(w, mono_ms(20000));
	core_expect_order(w, "take-over");
	ck_assert(is_rerouted(w, before));
	view_unref(before);
}
