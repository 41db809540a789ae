#include "sm/what_if/planner.h"
#include "config/qos_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "routing/driver/registry.h"
#include "routing/text/fts.h"
#include "sm/base/argument.h"
#include "sm/base/mem.h"
#include "sm/policy/qos.h"
#include "sm/report/fabric_counts.h"
#include "sm/report/json_util.h"
#include "sm/report/names.h"
#include "sm/report/problem.h"
#include "sm/report/qos_json.h"
#include "sm/report/standby_json.h"
#include "sm/view/view_slvl.h"
#include "sm/what_if/comparison.h"
#include "sm/what_if/failure.h"
#include "sm/what_if/inputs.h"
#include "sm/what_if/loss_preview.h"
#include "sm/what_if/plan_json.h"
#include "sm/what_if/plan_page.h"
#include "sm/what_if/plan_verdict.h"
#include "sm/what_if/transition_preview.h"
#include "sm/what_if/what_if.h"

/* The VLs of a link by the code of VLCap; a topology file does not tell them.
 */
static const unsigned vls[] = {0, 1, 2, 4, 8, 15};

enum { VL_CODES = sizeof(vls) / sizeof(vls[0]), VL_CODE_ASSUMED = 3 };

struct list {
	const char **item;
	size_t n, cap;
};

/* What the command line says; texts point into argv. */
struct ask {
	const char *topology, *config, *from, *dump, *socket;
	const char *engine, *method, *packets, *vls;
	double rate;	/* packets as a number */
	uint8_t vl_cap; /* vls as a code */
	struct list set, fail, drain;
	bool json, rebalance, verbose, compare;
};

struct plan {
	struct ask ask;
	struct lft_pool *pool;
	struct forecast_job job;
	struct inputs in;
	struct failure *fail; /* [nfail] failures, then drains */
	size_t nfail;
	struct loss_estimate_pace pace;
	struct what_if out;
	json_t *report;
	bool progress; /* standard error is a terminal */
};

enum kind {
	ONE,  /* the last one counts */
	MANY, /* each counts */
	FLAG
};

static const struct option_row {
	struct argument is;
	enum kind kind;
	size_t at; /* in struct ask */
	const char *help;
} rows[] = {
	{{"--topology", NULL, "FILE"}, ONE, offsetof(struct ask, topology),
		"the fabric: ibnetdiscover's output or a net file"},
	{{"--vls", NULL, "N"}, ONE, offsetof(struct ask, vls),
		"VLs of its links: 1, 2, 4, 8 or 15, else 4"},
	{{"--engine", NULL, "NAME"}, ONE, offsetof(struct ask, engine),
		"route by this engine"},
	{{"--compare", NULL, NULL}, FLAG, offsetof(struct ask, compare),
		"every engine, in a table"},
	{{"--config", NULL, "FILE"}, ONE, offsetof(struct ask, config),
		"start from this configuration, not defaults"},
	{{"--set", NULL, "KEY=VALUE"}, MANY, offsetof(struct ask, set),
		"change one setting of it; repeatable"},
	{{"--fail", NULL, "NODE[/PORT]"}, MANY, offsetof(struct ask, fail),
		"what if this fails; repeatable"},
	{{"--drain", NULL, "NODE[/PORT]"}, MANY, offsetof(struct ask, drain),
		"what if this is drained; repeatable"},
	{{"--from", NULL, "FILE|live"}, ONE, offsetof(struct ask, from),
		"tables in force (dump_fts)"},
	{{"--rebalance", NULL, NULL}, FLAG, offsetof(struct ask, rebalance),
		"fresh tables in place of those"},
	{{"--method", NULL, "NAME|all"}, ONE, offsetof(struct ask, method),
		"how tables change under traffic"},
	{{"--rate", NULL, "N"}, ONE, offsetof(struct ask, packets),
		"packets a second of each host, for losses"},
	{{"--dump-fts", NULL, "FILE"}, ONE, offsetof(struct ask, dump),
		"write the tables like dump_fts"},
	{{"--verbose", NULL, NULL}, FLAG, offsetof(struct ask, verbose),
		"the whole page, not ten lines"},
	{{"--json", NULL, NULL}, FLAG, offsetof(struct ask, json),
		"the report as JSON"},
};

enum { NROWS = sizeof(rows) / sizeof(rows[0]) };

void
planner_help(struct buf *out)
{
	buf_printf(out, "  plan --topology FILE\n"
			"      routes without a fabric, and what failures "
			"change\n");
	for (size_t i = 0; i < NROWS; i++)
		argument_help(out, &rows[i].is, 6, rows[i].help);
}

const char *
planner_option(size_t i, const char **arg)
{
	*arg = i < NROWS ? rows[i].is.arg : NULL;
	return i < NROWS ? rows[i].is.word : NULL;
}

static int
fail_plan(const char *why)
{
	problem_print("bad-argument", "plan: %s", why);
	return EXIT_USAGE;
}

static int
fail_usage(const char *what, const char *which)
{
	struct reason why;

	(void)reason_set(&why, "%s%s%.300s%s", what, which != NULL ? " '" : "",
		which != NULL ? which : "", which != NULL ? "'" : "");
	return problem_option("plan", &why);
}

/* ---- the command line ---- */

static void
add_text(struct list *l, const char *text)
{
	l->item = mem_grow(l->item, l->n, &l->cap, sizeof(*l->item));
	l->item[l->n++] = text;
}

static void
set_option(struct ask *a, const struct option_row *r, const char *value)
{
	void *member = (char *)a + r->at;

	if (r->kind == MANY)
		add_text(member, value);
	else if (r->kind == ONE)
		*(const char **)member = value;
	else
		*(bool *)member = true;
}

static bool
to_stdout(const char *name)
{
	return name != NULL && strcmp(name, "-") == 0;
}

static bool
known_method(const char *name)
{
	enum transition_method_kind m;

	return name == NULL || strcmp(name, "all") == 0 ||
	       transition_preview_method(name, &m);
}

/* Read the rate as a number; false: it is none. */
static bool
known_rate(struct ask *a)
{
	char *end;

	a->rate = LOSS_ESTIMATE_RATE;
	if (a->packets == NULL)
		return true;
	a->rate = strtod(a->packets, &end);
	return end != a->packets && *end == '\0' && a->rate >= 0 &&
	       a->rate <= 1e12;
}

/* Whether there are tables before and after. */
static bool
has_change(const struct ask *a)
{
	return a->from != NULL || a->fail.n > 0 || a->drain.n > 0;
}

/* Read the number of VLs as a code; false: it is none. */
static bool
known_vls(struct ask *a)
{
	char text[8];

	a->vl_cap = VL_CODE_ASSUMED;
	if (a->vls == NULL)
		return true;
	for (a->vl_cap = 1; a->vl_cap < VL_CODES; a->vl_cap++) {
		(void)snprintf(text, sizeof(text), "%u", vls[a->vl_cap]);
		if (strcmp(text, a->vls) == 0)
			return true;
	}
	return false;
}

/* Check that the arguments go together; EXIT_OK or a usage error. */
static int
judge_ask(struct ask *a)
{
	if (!known_method(a->method))
		return fail_usage("unknown method", a->method);
	if (!known_rate(a))
		return fail_usage("not a packet rate:", a->packets);
	if (a->topology == NULL &&
		(a->from == NULL || strcmp(a->from, "live") != 0))
		return fail_usage("--topology FILE is missing", NULL);
	if (!known_vls(a))
		return fail_usage("not 1, 2, 4, 8 or 15, as VLs are:", a->vls);
	if (a->vls != NULL && a->topology == NULL)
		return fail_usage("--vls needs --topology", NULL);
	if (a->compare &&
		(a->engine != NULL || has_change(a) || a->dump != NULL))
		return fail_usage(
			"--compare goes with --topology, --vls, --config and "
			"--set only",
			NULL);
	if (a->engine != NULL && *a->engine == '\0')
		return fail_usage("a name is missing after", "--engine");
	if (a->rebalance && !has_change(a))
		return fail_usage(
			"--rebalance needs --from, --fail or --drain", NULL);
	if ((a->method != NULL || a->packets != NULL) && !has_change(a))
		return fail_usage(
			"--method and --rate need --fail, --drain or --from",
			NULL);
	if (a->json && to_stdout(a->dump))
		return fail_usage(
			"--json and --dump-fts cannot both use standard output",
			NULL);
	return EXIT_OK;
}

static int
parse_arguments(struct ask *a, int argc, char *const *argv)
{
	struct argument_line l;
	enum argument_kind kind;

	argument_begin(&l, argc, argv);
	for (size_t i = 0; i < NROWS; i++)
		argument_know(&l, &rows[i].is);
	while ((kind = argument_next(&l)) == ARGUMENT_OPTION)
		set_option(a, &rows[l.ix], l.value);
	if (kind == ARGUMENT_WRONG)
		return fail_usage(l.why.text, NULL);
	if (kind == ARGUMENT_OPERAND)
		return fail_usage("unexpected argument", l.value);
	return judge_ask(a);
}

/* ---- progress ---- */

static void
show_progress(void *cookie, const char *doing)
{
	const struct plan *p = cookie;

	if (p->progress)
		(void)fprintf(stderr, "\r\033[K%s ...", doing);
}

static void
clear_progress(const struct plan *p)
{
	if (p->progress)
		(void)fprintf(stderr, "\r\033[K");
}

/* ---- inputs ---- */

struct config *
planner_read_config(const char *file)
{
	struct diag_list bad = {0};
	struct buf text = {0};
	struct config *c = config_load(file, true, registry_modules(), &bad);

	if (c == NULL) {
		diag_text(&bad, &text);
		(void)fprintf(stderr, "%s", text.text);
		problem_json("bad-configuration", text.text);
		buf_free(&text);
	}
	diag_free(&bad);
	return c;
}

/* Read all inputs that the arguments name; EXIT_OK, or an error is printed. */
static int
read_all(struct plan *p)
{
	struct inputs_wanted ask = {.topology = p->ask.topology,
		.from = p->ask.from,
		.engine = p->ask.engine,
		.set = p->ask.set.item,
		.nset = p->ask.set.n,
		.vl_cap = p->ask.vl_cap};
	bool live = p->ask.from != NULL && strcmp(p->ask.from, "live") == 0;
	struct reason why = {""};
	int ret = EXIT_OK;

	if (p->ask.config != NULL) {
		ask.base = planner_read_config(p->ask.config);
		if (ask.base == NULL)
			return EXIT_USAGE;
	}
	if (live) {
		show_progress(p, "asking heddled");
		ask.snapshot =
			inputs_ask_daemon(p->ask.socket, true, &ret, &why);
	}
	if (ret == EXIT_OK && inputs_read(&p->in, &ask, &p->job, &why) != 0)
		ret = EXIT_USAGE;
	json_decref(ask.snapshot);
	config_unref(ask.base);
	clear_progress(p);
	if (ret != EXIT_OK)
		(void)fail_plan(why.text);
	return ret;
}

/* Say so if a node that was not found is in another component. */
static void
look_beside(const struct plan *p, const char *what, struct reason *why)
{
	struct failure ignored;
	struct reason none;

	for (size_t i = 1; i < p->in.bare.n; i++)
		if (failure_find(p->in.bare.topo[i], what, &ignored, &none) ==
			0)
			(void)reason_set(why,
				"it is in another piece of the fabric, "
				"which no link joins to this one");
}

/* What is drained has to be a switch, or a link of one to another. */
static int
judge_drain(const struct topo *t, const struct failure *f, struct reason *why)
{
	port_ix peer =
		f->port == 0 ? TOPO_NONE
			     : t->port[topo_port_of(t, f->node, f->port)].peer;

	if (t->node[f->node].sw != TOPO_NONE &&
		(f->port == 0 || topo_port_switch(t, peer) != TOPO_NONE))
		return 0;
	return reason_set(why, "only switches and links between them are "
			       "drained");
}

static int
read_list(struct plan *p, const struct list *l, const char *word, bool drained)
{
	struct reason why;

	for (size_t i = 0; i < l->n; i++) {
		struct failure *f = &p->fail[p->nfail++];
		char text[700];
		int rc = failure_find(p->in.topo, l->item[i], f, &why);

		if (rc != 0)
			look_beside(p, l->item[i], &why);
		else if (drained)
			rc = judge_drain(p->in.topo, f, &why);
		f->drained = drained;
		if (rc == 0)
			continue;
		(void)snprintf(text, sizeof(text), "%s %s: %s", word,
			l->item[i], why.text);
		return fail_plan(text);
	}
	return EXIT_OK;
}

static int
read_failures(struct plan *p)
{
	const struct ask *a = &p->ask;
	int ret;

	p->fail = mem_zalloc(a->fail.n + a->drain.n, sizeof(*p->fail));
	ret = read_list(p, &a->fail, "--fail", false);
	return ret != EXIT_OK ? ret : read_list(p, &a->drain, "--drain", true);
}

/* ---- the plan ---- */

/* How the tables would change from now to then. */
static json_t *
transition_json(const struct plan *p)
{
	const struct config_distribution *d = &p->in.cfg->distribution;
	struct transition_preview_ask ask = {.was = p->out.now.routes,
		.is = p->out.then.routes,
		.by_lid = qos_adaptive_by_lid(p->in.cfg),
		.given = p->in.live ? &p->in.given : NULL,
		.method = (enum transition_method_kind)d->method,
		.max_stages = d->max_stages,
		.levels = qos_levels_want(p->in.cfg),
		.max_vls = qos_vls_code(p->in.cfg),
		.lists = qos_lists(p->in.cfg),
		.pace = p->pace,
		.rate = p->ask.rate};

	ask.all = p->ask.method != NULL && strcmp(p->ask.method, "all") == 0;
	if (p->ask.method != NULL && !ask.all)
		(void)transition_preview_method(p->ask.method, &ask.method);
	return transition_preview_report(&ask);
}

static json_t *
others_json(const struct what_if_others *o)
{
	json_t *list = json_array();

	for (size_t i = 0; i < o->n; i++)
		json_util_append(list,
			M("fabric", fabric_counts_json(o->piece[i].topo)),
			M("now", plan_json_forecast(&o->piece[i])));
	return list;
}

/* Ordered pairs of hosts that end up in different components. */
static uint64_t
count_disconnected(const struct plan *p)
{
	uint64_t all = fabric_counts_of(p->out.then.topo).hosts,
		 same = all * all;

	for (size_t i = 0; i < p->out.after.n; i++) {
		uint64_t n = fabric_counts_of(p->out.after.piece[i].topo).hosts;

		all += n;
		same += n * n;
	}
	return all * all - same;
}

/* The text as it was given, if JSON can hold it. */
static json_t *
as_given(const char *text)
{
	json_t *s = json_string(text);

	return s != NULL ? s : names_text(text);
}

static json_t *
texts_json(const struct list *l)
{
	json_t *list = json_array();

	for (size_t i = 0; i < l->n; i++)
		json_util_add(list, as_given(l->item[i]));
	return list;
}

/* The changes between the tables in force and those afterwards. */
static void
put_impact(struct plan *p, json_t *o)
{
	json_t *impact;

	if (p->out.then.routes == NULL || p->out.now.routes == NULL)
		return;
	show_progress(p, "comparing");
	impact = plan_json_impact(&p->out.now, &p->out.then);
	json_util_put(impact, M("pairs_parted", count_disconnected(p)));
	json_util_put(o, M("impact", impact));
	show_progress(p, "planning the transition");
	json_util_put(o, M("transition", transition_json(p)));
}

/* What the configuration of the plan takes from ports of the daemon's
 * fabric. */
static void
add_config_losses(const struct plan *p, json_t *verdict)
{
	static const char *const kinds[CONFIG_LOSS_KINDS] = {
		"partitions", "renumbered", "gids"};
	struct config_loss loss;
	struct reason why = {""};

	if (loss_preview_judge(&p->in.given, p->in.cfg, &loss, &why) != 0) {
		plan_verdict_add(verdict, "lids", 0, why.text, json_array());
		return;
	}
	for (unsigned k = 0; k < CONFIG_LOSS_KINDS; k++) {
		uint64_t n = config_loss_count(&loss, (enum config_loss_kind)k);
		struct buf text = {0};

		config_loss_kind_text(&loss, (enum config_loss_kind)k,
			p->in.cfg, p->in.given.topo, &text);
		if (n > 0)
			plan_verdict_add(
				verdict, kinds[k], n, text.text, json_array());
		buf_free(&text);
	}
}

static json_t *
verdict_json(const struct plan *p, const json_t *impact)
{
	json_t *v =
		plan_verdict_make(&(struct plan_verdict_ask){.what = &p->out,
			.fail = p->fail,
			.nfail = p->nfail,
			.topo = p->in.topo,
			.cut = (uint64_t)json_util_num(impact, "pairs_cut"),
			.disconnected = (uint64_t)json_util_num(
				impact, "pairs_parted")});

	if (p->in.live && !p->in.same)
		add_config_losses(p, v);
	return v;
}

static void
make_report(struct plan *p)
{
	const char *name = p->ask.topology != NULL ? p->ask.topology : "live";
	json_t *o = json_object();

	json_util_put(o, "verdict", json_null()); /* to be the first */
	json_util_put(o, M("topology", as_given(name)),
		M("fabric", fabric_counts_json(p->in.topo)),
		M("lids", plan_json_lids(p->in.topo, &p->in.lids)),
		M("layers_asked", qos_layers(p->in.cfg)));
	qos_json_layers(o, p->in.cfg, p->out.now.routes);
	if (p->ask.topology != NULL)
		json_util_put(o, M("vls_assumed", vls[p->ask.vl_cap]));
	json_util_put(o, M("rebalance", p->ask.rebalance),
		M("from_daemon", p->in.live), M("cut_off", p->out.cut_off));
	if (p->ask.from != NULL) {
		json_util_put(o, M("from", as_given(p->ask.from)),
			M("misfit",
				json_util_object(M("switches_missing",
							 p->in.misfit.missing),
					M("tables_strange",
						p->in.misfit.strange),
					M("lids_moved", p->in.misfit.moved))));
	}
	json_util_put(o, M("now", plan_json_forecast(&p->out.now)));
	if (p->in.given.standby != NULL)
		json_util_put(
			o, M("standby", json_incref(p->in.given.standby)));
	json_util_put(o, M("pieces", others_json(&p->out.beside)),
		M("loose", p->out.beside.loose),
		M("failures", texts_json(&p->ask.fail)),
		M("drains", texts_json(&p->ask.drain)));
	if (p->out.then.topo != NULL) {
		json_util_put(o, M("then", plan_json_forecast(&p->out.then)));
		json_util_put(o,
			M("fabric_then", fabric_counts_json(p->out.then.topo)),
			M("pieces_then", others_json(&p->out.after)),
			M("loose_then", p->out.after.loose));
	}
	put_impact(p, o);
	json_util_put(
		o, M("verdict", verdict_json(p, json_object_get(o, "impact"))));
	p->report = o;
}

/* Every engine, on the piece of the fabric that the manager would be in. */
static void
make_comparison(struct plan *p)
{
	const char *best;
	json_t *o = json_object();
	json_t *engines = comparison_json(&p->job, p->in.topo, &best);

	json_util_put(o, M("topology", as_given(p->ask.topology)),
		M("fabric", fabric_counts_json(p->in.topo)),
		M("pieces", p->in.bare.n - 1),
		M("vls_assumed", vls[p->ask.vl_cap]),
		M("best", names_text(best != NULL ? best : "")),
		M("engines", engines));
	p->report = o;
}

static int
compute_plan(struct plan *p)
{
	struct reason why = {""};

	if (p->ask.compare) {
		make_comparison(p);
		clear_progress(p);
		return EXIT_OK;
	}
	if (what_if_now(&p->in, &p->job, &p->out, &why) != 0)
		return fail_plan(why.text);
	if ((p->in.found != NULL || p->nfail > 0) &&
		what_if_after(
			&p->in, &p->job, p->fail, p->nfail, &p->out, &why) != 0)
		return fail_plan(why.text);
	make_report(p);
	clear_progress(p);
	return EXIT_OK;
}

static const struct forecast *
last_forecast(const struct plan *p)
{
	return p->out.then.topo != NULL ? &p->out.then : &p->out.now;
}

static bool
is_safe(const struct plan *p)
{
	if (p->ask.compare)
		return json_util_has_text(p->report, "best");
	return json_util_yes(json_object_get(p->report, "verdict"), "safe");
}

static int
dump_tables(const struct plan *p)
{
	const struct routes *r = last_forecast(p)->routes;
	const char *name = p->ask.dump;
	struct verify_tables in;
	struct buf out = {0};
	bool ok;
	FILE *f;

	if (name == NULL || r == NULL)
		return EXIT_OK;
	in = (struct verify_tables){
		r->topo, r->pool, r->row, r->nblocks, &r->layers, NULL};
	fts_print(&in, &out);
	f = to_stdout(name) ? stdout : fopen(name, "we");
	ok = f != NULL && fwrite(out.text, 1, out.n, f) == out.n &&
	     (f == stdout ? fflush(f) : fclose(f)) == 0;
	buf_free(&out);
	if (ok)
		return EXIT_OK;
	(void)fprintf(stderr, "heddlectl: plan: cannot write %s: %s\n", name,
		strerror(errno));
	return EXIT_USAGE;
}

static int
print_report(const struct plan *p)
{
	struct buf out = {0};

	if (p->ask.json) {
		(void)json_dumpf(p->report, stdout,
			JSON_COMPACT | JSON_REAL_PRECISION(9));
		(void)putchar('\n');
	} else if (!to_stdout(p->ask.dump)) { /* else: tables */
		if (p->ask.compare)
			comparison_page(p->report, p->ask.verbose, &out);
		else if (p->ask.verbose)
			plan_page(p->report, &out);
		else
			plan_page_short(p->report, &out);
		standby_json_line(p->report, (uint64_t)time(NULL), &out);
		(void)fputs(out.text, stdout);
		buf_free(&out);
	}
	return fflush(stdout) == 0 && !ferror(stdout) ? EXIT_OK : EXIT_USAGE;
}

static void
plan_free(struct plan *p)
{
	json_decref(p->report);
	what_if_free(&p->out);
	inputs_free(&p->in);
	lft_pool_free(p->pool);
	free(p->fail);
	free(p->ask.set.item);
	free(p->ask.fail.item);
	free(p->ask.drain.item);
}

/* The pace of writing: as configured; only a daemon has measured the time of
 * answers. */
static void
set_pace(struct plan *p)
{
	double answer = p->in.given.answer;

	p->pace = loss_estimate_pace_defaults();
	if (answer > 0 && answer < 60)
		p->pace.answer = (struct mono){(int64_t)(answer * 1e9)};
	p->pace.window = (unsigned)p->in.cfg->smp.window_max;
	p->pace.target = (unsigned)p->in.cfg->smp.target_max;
	p->pace.drain = p->in.cfg->distribution.drain;
}

int
planner_run(int argc, char *const *argv, const char *socket, bool json)
{
	struct plan p = {
		.ask = {.socket = socket, .json = json},
		.pool = lft_pool_new(),
		.progress = isatty(STDERR_FILENO) != 0,
	};
	int ret = parse_arguments(&p.ask, argc, argv);

	p.job = (struct forecast_job){.pool = p.pool,
		.rebalance = p.ask.rebalance,
		.told = show_progress,
		.cookie = &p};
	if (ret == EXIT_OK)
		ret = read_all(&p);
	if (ret == EXIT_OK)
		ret = read_failures(&p);
	if (ret == EXIT_OK)
		set_pace(&p);
	if (ret == EXIT_OK)
		ret = compute_plan(&p);
	if (ret == EXIT_OK)
		ret = print_report(&p);
	if (ret == EXIT_OK)
		ret = dump_tables(&p);
	if (ret == EXIT_OK && !is_safe(&p))
		ret = EXIT_PROBLEM;
	plan_free(&p);
	return ret;
}
