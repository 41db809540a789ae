#include "sm/forecast/planner.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "discovery/text.h"
#include "routing/fts.h"
#include "sm/base/mem.h"
#include "sm/ctl/census.h"
#include "sm/ctl/member.h"
#include "sm/ctl/words.h"
#include "sm/forecast/failure.h"
#include "sm/forecast/live.h"
#include "sm/forecast/page.h"
#include "sm/forecast/report.h"
#include "sm/forecast/transition.h"

enum { EXIT_OK = 0, EXIT_VERDICT = 1, EXIT_USAGE = 2 };
enum { VLS_ASSUMED = 4 }; /* of a link in a file, which does not tell */

struct list {
	const char **item;
	size_t n, cap;
};

/* What the command line says; texts point into argv. */
struct ask {
	const char *topology, *config, *from, *dump, *socket;
	const char *engine, *method, *packets;
	double rate; /* the same as a number */
	struct list set, fail;
	bool json;
};

/* Pieces of the fabric that nothing joins to ours: a subnet each. */
struct others {
	struct forecast *piece;
	size_t n, loose;
};

struct plan {
	struct ask ask;
	struct config *cfg;
	struct lft_pool *pool;
	struct forecast_job job;
	struct topo *topo; /* with LIDs */
	struct lid_table lids;
	struct routes *found;	  /* --from, or NULL */
	struct fts_misfit misfit; /* of a file of them and the topology */
	struct failure *fail;
	struct expect_pace pace;
	struct forecast now, then;
	struct draft_pieces bare;    /* as read, without LIDs; ours first */
	struct others beside, after; /* of now and then */
	json_t *report;
	bool progress; /* somebody watches */
};

static const struct option_row {
	const char *word, *arg, *help;
} rows[] = {
	{"--topology", "FILE",
		"the fabric: ibnetdiscover's output or a simulator's net file"},
	{"--engine", "NAME", "route by this engine (as routing.engines)"},
	{"--config", "FILE", "start from this configuration, not defaults"},
	{"--set", "KEY=VALUE", "change one setting; may be repeated"},
	{"--fail", "NODE[/PORT]",
		"what fails, and what that changes; may be repeated"},
	{"--from", "FILE", "tables in force: dump_fts's output, or live"},
	{"--method", "NAME",
		"of changing tables, instead of distribution.method; all "
		"compares"},
	{"--rate", "N", "packets a second that each host sends, for losses"},
	{"--dump-fts", "FILE", "write the tables as dump_fts prints them"},
	{"--json", NULL, "the report as JSON"},
};

enum { NROWS = sizeof(rows) / sizeof(rows[0]) };

const char *
planner_help(void)
{
	return "plan --topology FILE\n"
	       "      routes without a fabric, and what failures change\n"
	       "      --engine NAME         route by this engine\n"
	       "      --config FILE         start from this configuration\n"
	       "      --set KEY=VALUE       change one setting of it\n"
	       "      --fail NODE[/PORT]    what if this fails; repeatable\n"
	       "      --from FILE|live      tables in force (dump_fts)\n"
	       "      --method NAME|all     how tables change under traffic\n"
	       "      --rate N              packets a second of each host\n"
	       "      --dump-fts FILE       write the tables like dump_fts\n";
}

static int
usage(const char *what, const char *which)
{
	(void)fprintf(stderr,
		"heddlectl: plan: %s%s%s%s\nTry heddlectl --help.\n", what,
		which != NULL ? " '" : "", which != NULL ? which : "",
		which != NULL ? "'" : "");
	return EXIT_USAGE;
}

static int
complain(const char *why)
{
	(void)fprintf(stderr, "heddlectl: plan: %s\n", why);
	return EXIT_USAGE;
}

/* ---- the command line ---- */

static void
add(struct list *l, const char *text)
{
	l->item = mem_grow(l->item, l->n, &l->cap, sizeof(*l->item));
	l->item[l->n++] = text;
}

static void
take(struct ask *a, const char *word, const char *value)
{
	if (strcmp(word, "--topology") == 0)
		a->topology = value;
	else if (strcmp(word, "--engine") == 0)
		a->engine = value;
	else if (strcmp(word, "--config") == 0)
		a->config = value;
	else if (strcmp(word, "--from") == 0)
		a->from = value;
	else if (strcmp(word, "--method") == 0)
		a->method = value;
	else if (strcmp(word, "--rate") == 0)
		a->packets = value;
	else if (strcmp(word, "--dump-fts") == 0)
		a->dump = value;
	else if (strcmp(word, "--set") == 0)
		add(&a->set, value);
	else if (strcmp(word, "--fail") == 0)
		add(&a->fail, value);
	else
		a->json = true;
}

static bool
to_stdout(const char *name)
{
	return name != NULL && strcmp(name, "-") == 0;
}

static bool
known_method(const char *name)
{
	enum safe_method m;

	return name == NULL || strcmp(name, "all") == 0 ||
	       transition_method(name, &m);
}

/* The rate as a number; false: it is none. */
static bool
known_rate(struct ask *a)
{
	char *end;

	a->rate = EXPECT_RATE;
	if (a->packets == NULL)
		return true;
	a->rate = strtod(a->packets, &end);
	return end != a->packets && *end == '\0' && a->rate >= 0 &&
	       a->rate <= 1e12;
}

/* Do the arguments go together? */
static int
judge_ask(struct ask *a)
{
	if (!known_method(a->method))
		return usage("unknown method", a->method);
	if (!known_rate(a))
		return usage("not a number of packets:", a->packets);
	if (a->topology == NULL &&
		(a->from == NULL || strcmp(a->from, "live") != 0))
		return usage("--topology FILE says what fabric", NULL);
	if ((a->method != NULL || a->packets != NULL) && a->fail.n == 0 &&
		a->from == NULL)
		return usage("nothing changes without --fail or --from, which "
			     "is what --method and --rate are about",
			NULL);
	if (a->json && to_stdout(a->dump))
		return usage("--json and --dump-fts both want standard output",
			NULL);
	return EXIT_OK;
}

static int
parse(struct ask *a, int argc, char *const *argv)
{
	for (int i = 0; i < argc; i++) {
		size_t n = strcspn(argv[i], "=");
		const char *value = NULL;
		size_t k = 0;

		while (k < NROWS &&
			(strlen(rows[k].word) != n ||
				strncmp(rows[k].word, argv[i], n) != 0))
			k++;
		if (k == NROWS)
			return usage("unknown argument", argv[i]);
		if (argv[i][n] == '=')
			value = argv[i] + n + 1;
		if (rows[k].arg == NULL && value != NULL)
			return usage("it takes no value:", rows[k].word);
		if (rows[k].arg != NULL && value == NULL) {
			if (++i >= argc)
				return usage("it wants a value:", rows[k].word);
			value = argv[i];
		}
		take(a, rows[k].word, value);
	}
	return judge_ask(a);
}

/* ---- progress ---- */

static void
told(void *cookie, const char *doing)
{
	const struct plan *p = cookie;

	if (p->progress)
		(void)fprintf(stderr, "\r\033[K%s ...", doing);
}

static void
quiet(const struct plan *p)
{
	if (p->progress)
		(void)fprintf(stderr, "\r\033[K");
}

/* ---- what is given ---- */

/* All of a file, "-" being stdin; free it. NULL and why. */
static char *
slurp(const char *name, size_t *n, struct reason *why)
{
	bool in = strcmp(name, "-") == 0;
	FILE *f = in ? stdin : fopen(name, "re");
	struct buf b = {0};
	char part[65536];
	size_t got;
	int error = errno;

	while (f != NULL && (got = fread(part, 1, sizeof(part), f)) > 0)
		buf_put(&b, part, got);
	if (f == NULL || ferror(f)) {
		(void)reason_set(why, "%s: cannot be read: %s", name,
			strerror(f == NULL ? error : errno));
		buf_free(&b);
	} else if (b.text == NULL) {
		(void)reason_set(why, "%s: there is nothing in it", name);
	}
	if (f != NULL && !in)
		(void)fclose(f);
	*n = b.n;
	return b.text;
}

static int
read_config(struct plan *p)
{
	const char *const *engines = route_engine_names();
	struct config *base = NULL;
	struct diag_list bad = {0};
	struct buf text = {0};
	struct reason why;
	struct list set = {0};
	char engine[128];

	if (p->ask.config != NULL)
		base = config_load(p->ask.config, engines, &bad);
	else
		base = config_default();
	if (base == NULL) {
		diag_text(&bad, &text);
		(void)fprintf(stderr, "%s", text.text);
		buf_free(&text);
		diag_free(&bad);
		return EXIT_USAGE;
	}
	diag_free(&bad);
	if (p->ask.engine != NULL) {
		(void)snprintf(engine, sizeof(engine), "routing.engines=[%s]",
			p->ask.engine);
		add(&set, engine);
	}
	for (size_t i = 0; i < p->ask.set.n; i++)
		add(&set, p->ask.set.item[i]);
	p->cfg = config_with(base, set.item, set.n, engines, &why);
	free(set.item);
	config_unref(base);
	return p->cfg != NULL ? EXIT_OK : complain(why.text);
}

/* The fabric, from a file or from the daemon, without LIDs yet. */
static int
read_topology(struct plan *p, struct live *live, struct reason *why)
{
	const char *name = p->ask.topology;
	char *text;
	int rc = -1;
	size_t n;

	told(p, "reading the topology");
	if (name == NULL) {
		name = "live";
		text = live_topology(live, &n, why);
	} else {
		text = slurp(name, &n, why);
	}
	if (text != NULL)
		rc = text_parse_pieces(text, n, name, &p->bare, why);
	free(text);
	return rc;
}

/* LIDs as the tables in force have them, where the topology has none. */
static struct lid_record *
records(const struct topo *t, const struct fts *f, size_t *n)
{
	struct lid_record *r;

	*n = 0;
	for (port_ix p = 0; p < t->nports; p++)
		if (t->port[p].found_lid != 0)
			return NULL;
	r = mem_zalloc(f->nowners, sizeof(*r));
	for (size_t i = 0; i < f->nowners; i++)
		r[(*n)++] = (struct lid_record){
			.guid = f->owner[i].port_guid, .lid = f->owner[i].lid};
	return r;
}

/*
 * Tables in a file say nothing of the order they were made in: the one that
 * these switches would be given now is the best guess.
 */
static void
guess_order(struct plan *p)
{
	struct forecast fresh;

	told(p, "routing afresh, for the order");
	forecast_route(&p->job, p->topo, NULL, &fresh);
	if (fresh.routes != NULL) {
		p->found->order = fresh.routes->order;
		memcpy(p->found->rank, fresh.routes->rank,
			p->topo->nsw * sizeof(*p->found->rank));
	}
	forecast_free(&fresh);
}

static int
read_tables(struct plan *p, struct fts **out, struct reason *why)
{
	char *text;
	size_t n;

	if (p->ask.from == NULL || strcmp(p->ask.from, "live") == 0)
		return 0;
	told(p, "reading the tables in force");
	text = slurp(p->ask.from, &n, why);
	if (text == NULL)
		return -1;
	*out = fts_parse(text, n, p->ask.from, why);
	free(text);
	return *out != NULL ? 0 : -1;
}

static int
give_lids(struct plan *p, struct topo *bare, const struct fts *fts,
	struct reason *why)
{
	struct lid_record *r = NULL;
	size_t n = 0;

	if (fts != NULL)
		r = records(bare, fts, &n);
	p->topo = forecast_lids(&p->job, bare, r, n, &p->lids, why);
	free(r);
	return p->topo != NULL ? 0 : -1;
}

/* Everything that the question names; EXIT_OK or complained. */
static int
read_all(struct plan *p)
{
	bool live = p->ask.from != NULL && strcmp(p->ask.from, "live") == 0;
	struct live *daemon = NULL;
	struct fts *fts = NULL;
	struct reason why = {""};
	int ret = EXIT_USAGE;

	if (live) {
		daemon = live_open(p->ask.socket, &ret, &why);
		if (daemon == NULL)
			goto end;
		live_pace(daemon, &p->pace);
	}
	if (read_tables(p, &fts, &why) != 0)
		goto end;
	if (read_topology(p, daemon, &why) != 0 ||
		give_lids(p, p->bare.topo[0], fts, &why) != 0)
		goto end;
	if (live) {
		told(p, "asking for the tables in force");
		p->found = live_routes(daemon, p->topo, p->pool, &why);
		if (p->found == NULL)
			goto end;
	} else if (fts != NULL) {
		p->found = fts_routes(fts, p->topo, p->pool, &p->misfit);
		guess_order(p);
	}
	ret = EXIT_OK;
end:
	fts_free(fts);
	live_close(daemon);
	quiet(p);
	if (ret != EXIT_OK)
		(void)complain(why.text);
	return ret;
}

/* What is not found may be where this plan does not look. */
static void
look_beside(const struct plan *p, const char *what, struct reason *why)
{
	struct failure ignored;
	struct reason none;

	for (size_t i = 1; i < p->bare.n; i++)
		if (failure_find(p->bare.topo[i], what, &ignored, &none) == 0)
			(void)reason_set(why,
				"it is in another piece of the fabric, which "
				"nothing joins to this one");
}

static int
read_failures(struct plan *p)
{
	const struct list *l = &p->ask.fail;
	struct reason why;

	p->fail = mem_zalloc(l->n, sizeof(*p->fail));
	for (size_t i = 0; i < l->n; i++)
		if (failure_find(p->topo, l->item[i], &p->fail[i], &why) != 0) {
			char text[700];

			look_beside(p, l->item[i], &why);
			(void)snprintf(text, sizeof(text), "--fail %s: %s",
				l->item[i], why.text);
			return complain(text);
		}
	return EXIT_OK;
}

/* ---- the plan ---- */

/* Route the pieces behind the first, each with LIDs of its own. */
static int
route_others(const struct plan *p, const struct draft_pieces *bare,
	struct others *out)
{
	struct reason why;

	out->loose = bare->loose;
	if (bare->n < 2)
		return EXIT_OK;
	told(p->job.cookie, "routing the other pieces");
	out->piece = mem_zalloc(bare->n - 1, sizeof(*out->piece));
	for (size_t i = 1; i < bare->n; i++) {
		struct topo *t = forecast_lids(
			&p->job, bare->topo[i], NULL, 0, NULL, &why);

		if (t == NULL)
			return complain(why.text);
		forecast_route(&p->job, t, NULL, &out->piece[out->n++]);
		topo_unref(t);
	}
	return EXIT_OK;
}

static void
others_free(struct others *o)
{
	for (size_t i = 0; i < o->n; i++)
		forecast_free(&o->piece[i]);
	free(o->piece);
}

/* What comes after: the fabric less what fails, or the same once more. */
static int
route_then(struct plan *p, const struct routes *base)
{
	struct draft_pieces less;
	struct topo *t;
	struct reason why;
	int ret;

	if (p->ask.fail.n == 0) {
		forecast_route(&p->job, p->topo, base, &p->then);
		return EXIT_OK;
	}
	told(p, "failing");
	if (failure_apply(p->topo, p->fail, p->ask.fail.n, &less, &why) != 0)
		return complain(why.text);
	t = forecast_lids(&p->job, less.topo[0], p->lids.record,
		p->lids.nrecord, NULL, &why);
	if (t != NULL)
		forecast_route(&p->job, t, base, &p->then);
	ret = t != NULL ? route_others(p, &less, &p->after)
			: complain(why.text);
	topo_unref(t);
	draft_pieces_free(&less);
	return ret;
}

/* How the tables would get from now to then. */
static json_t *
transition(const struct plan *p)
{
	const struct config_distribution *d = &p->cfg->distribution;
	struct transition_ask ask = {.was = p->now.routes,
		.is = p->then.routes,
		.method = (enum safe_method)d->method,
		.max_stages = d->max_stages,
		.pace = p->pace,
		.rate = p->ask.rate};

	ask.all = p->ask.method != NULL && strcmp(p->ask.method, "all") == 0;
	if (p->ask.method != NULL && !ask.all)
		(void)transition_method(p->ask.method, &ask.method);
	return transition_report(&ask);
}

static json_t *
others_json(const struct others *o)
{
	json_t *list = json_array();

	for (size_t i = 0; i < o->n; i++)
		(void)json_array_append_new(
			list, json_pack("{s:o, s:o}", "fabric",
				      census_json(o->piece[i].topo), "now",
				      report_forecast(&o->piece[i])));
	return list;
}

static json_t *
misfit_json(const struct fts_misfit *m)
{
	return json_pack("{s:o, s:o, s:o}", "switches_missing",
		member_u64(m->missing), "tables_strange",
		member_u64(m->strange), "lids_moved", member_u64(m->moved));
}

/* Ordered pairs of hosts that live on in different pieces. */
static uint64_t
parted(const struct plan *p)
{
	uint64_t all = census_take(p->then.topo).hosts, same = all * all;

	for (size_t i = 0; i < p->after.n; i++) {
		uint64_t n = census_take(p->after.piece[i].topo).hosts;

		all += n;
		same += n * n;
	}
	return all * all - same;
}

/* As it was given, where JSON can hold it. */
static json_t *
as_given(const char *text)
{
	json_t *s = json_string(text);

	return s != NULL ? s : words_text(text);
}

static void
make_report(struct plan *p)
{
	const char *name = p->ask.topology != NULL ? p->ask.topology : "live";
	json_t *o = json_object(), *list = json_array();

	member_put(o, "topology", as_given(name));
	member_put(o, "fabric", census_json(p->topo));
	member_put(o, "lids", report_lids(p->topo, &p->lids));
	member_put(o, "lanes_asked", member_u64(p->cfg->routing.ftree.lanes));
	member_put(o, "vls_assumed", member_u64(VLS_ASSUMED));
	if (p->ask.from != NULL) {
		member_put(o, "from", as_given(p->ask.from));
		member_put(o, "misfit", misfit_json(&p->misfit));
	}
	member_put(o, "now", report_forecast(&p->now));
	member_put(o, "pieces", others_json(&p->beside));
	member_put(o, "loose", member_u64(p->beside.loose));
	for (size_t i = 0; i < p->ask.fail.n; i++)
		(void)json_array_append_new(
			list, as_given(p->ask.fail.item[i]));
	member_put(o, "failures", list);
	if (p->then.topo != NULL)
		member_put(o, "then", report_forecast(&p->then));
	if (p->then.topo != NULL) {
		member_put(o, "fabric_then", census_json(p->then.topo));
		member_put(o, "pieces_then", others_json(&p->after));
		member_put(o, "loose_then", member_u64(p->after.loose));
	}
	if (p->then.routes != NULL && p->now.routes != NULL) {
		told(p, "comparing");
		member_put(o, "impact", report_impact(&p->now, &p->then));
		member_put(json_object_get(o, "impact"), "pairs_parted",
			member_u64(parted(p)));
		told(p, "planning the transition");
		member_put(o, "transition", transition(p));
	}
	p->report = o;
}

static int
compute(struct plan *p)
{
	int ret;

	if (p->found != NULL)
		forecast_judge(&p->job, p->found, &p->now);
	else
		forecast_route(&p->job, p->topo, NULL, &p->now);
	ret = route_others(p, &p->bare, &p->beside);
	if (ret == EXIT_OK && (p->found != NULL || p->ask.fail.n > 0))
		ret = route_then(p, p->now.routes);
	if (ret != EXIT_OK)
		return ret;
	make_report(p);
	quiet(p);
	return EXIT_OK;
}

static const struct forecast *
last(const struct plan *p)
{
	return p->then.topo != NULL ? &p->then : &p->now;
}

/* Would all that is there in the end be well? */
static bool
all_well(const struct plan *p)
{
	const struct others *o = p->then.topo != NULL && p->ask.fail.n > 0
					 ? &p->after
					 : &p->beside;
	bool ok = last(p)->report.ok;

	for (size_t i = 0; i < o->n; i++)
		ok &= o->piece[i].report.ok;
	return ok;
}

static int
dump(const struct plan *p)
{
	const struct routes *r = last(p)->routes;
	const char *name = p->ask.dump;
	struct verify_tables in;
	struct buf out = {0};
	bool ok;
	FILE *f;

	if (name == NULL || r == NULL)
		return EXIT_OK;
	in = (struct verify_tables){
		r->topo, r->pool, r->row, r->nblocks, &r->lanes};
	fts_print(&in, &out);
	f = to_stdout(name) ? stdout : fopen(name, "we");
	ok = f != NULL && fwrite(out.text, 1, out.n, f) == out.n &&
	     (f == stdout ? fflush(f) : fclose(f)) == 0;
	buf_free(&out);
	if (ok)
		return EXIT_OK;
	(void)fprintf(stderr, "heddlectl: plan: %s: cannot be written: %s\n",
		name, strerror(errno));
	return EXIT_USAGE;
}

static int
print(const struct plan *p)
{
	struct buf out = {0};

	if (p->ask.json) {
		(void)json_dumpf(p->report, stdout,
			JSON_COMPACT | JSON_REAL_PRECISION(9));
		(void)putchar('\n');
	} else if (!to_stdout(p->ask.dump)) { /* else these are the answer */
		page_plan(p->report, &out);
		(void)fputs(out.text, stdout);
		buf_free(&out);
	}
	return fflush(stdout) == 0 && !ferror(stdout) ? EXIT_OK : EXIT_USAGE;
}

static void
plan_free(struct plan *p)
{
	json_decref(p->report);
	forecast_free(&p->now);
	forecast_free(&p->then);
	others_free(&p->beside);
	others_free(&p->after);
	draft_pieces_free(&p->bare);
	routes_unref(p->found);
	lid_table_free(&p->lids);
	topo_unref(p->topo);
	lft_pool_free(p->pool);
	config_unref(p->cfg);
	free(p->fail);
	free(p->ask.set.item);
	free(p->ask.fail.item);
}

/* As configured; what answers take nobody has measured. */
static void
set_pace(struct plan *p)
{
	p->pace = expect_pace_defaults();
	p->pace.window = (unsigned)p->cfg->smp.window_max;
	p->pace.target = (unsigned)p->cfg->smp.target_max;
	p->pace.drain = p->cfg->distribution.drain;
}

int
planner_run(int argc, char *const *argv, const char *socket, bool json)
{
	struct plan p = {
		.ask = {.socket = socket, .json = json},
		.pool = lft_pool_new(),
		.progress = isatty(STDERR_FILENO) != 0,
	};
	int ret = parse(&p.ask, argc, argv);

	if (ret == EXIT_OK)
		ret = read_config(&p);
	p.job = (struct forecast_job){
		.cfg = p.cfg, .pool = p.pool, .told = told, .cookie = &p};
	if (ret == EXIT_OK) {
		set_pace(&p);
		ret = read_all(&p);
	}
	if (ret == EXIT_OK)
		ret = read_failures(&p);
	if (ret == EXIT_OK)
		ret = compute(&p);
	if (ret == EXIT_OK)
		ret = print(&p);
	if (ret == EXIT_OK)
		ret = dump(&p);
	if (ret == EXIT_OK && !all_well(&p))
		ret = EXIT_VERDICT;
	plan_free(&p);
	return ret;
}
