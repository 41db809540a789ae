/*
 * Adaptive routing by LID: packets to odd offsets of a host's LIDs may choose,
 * others stay in order. Judged by what simulated switches hold, what path
 * queries are told, and the order in which packets arrive.
 */
#include "sm/report/adaptive_json.h"
#include "sm/report/path_json.h"
#include "tests/sim/data/data.h"
#include "tests/sim/data/data_report.h"
#include "tests/sim/data/data_traffic.h"
#include "tests/sim/model/sim_hops.h"
#include "tests/unit/adaptive_fixture.h"
#include "tests/unit/sm/sa/sa_fixture.h"

enum { GIDS = MAD_SA_PATH_DGID | MAD_SA_PATH_SGID };

#define LEVELS                                                                 \
	"qos:\n  levels: {bulk: {sl: 3, adaptive: true}, storage: {sl: 5}}\n"  \
	"  rules:\n    a: {level: bulk, services: [tcp:7]}\n"                  \
	"    b: {level: storage, services: [tcp:8]}\n"

enum { BULK = 0x01060007, STORAGE = 0x01060008 };

#define BY(what, lmc)                                                          \
	"fabric: {lmc: {hosts: " #lmc "}}\n"                                   \
	"routing: {adaptive: {enabled: true, by: " #what "}}\n"

static void
expect_settled(struct world *w, const char *when)
{
	ck_assert_uint_eq(adaptive_settled(w, when).adaptive_use.on, 8);
}

/* Whether packets of an SL to a LID may choose in some switch. */
static bool
may_choose(const struct world *w, uint16_t lid, uint8_t sl)
{
	bool any = false;

	for (uint32_t i = 0; i < w->fabric->nnodes; i++) {
		struct sim_hops is;

		if (w->fabric->node[i].type != FABRIC_SWITCH)
			continue;
		sim_hops(w->sim, i, lid, sl, &is);
		any |= is.kind != SIM_FIXED;
	}
	return any;
}

/* Every LID in use: hosts' odd offsets alone may choose, whatever the SL. */
static void
expect_odd(const struct world *w)
{
	const struct topo *t = sm_view(w->sm)->topo;
	unsigned odd = 0;

	for (uint16_t l = 1; l <= t->max_lid; l++) {
		port_ix p = t->by_lid[l];
		bool host = p != TOPO_NONE && p != t->sm_port &&
			    t->node[t->port[p].node].type == TOPO_CA;
		bool may = host && (l - t->port[p].lid) % 2 != 0;

		odd += may;
		for (uint8_t sl = 0; sl < 15; sl++)
			ck_assert_msg(may_choose(w, l, sl) == may,
				"LID %u, SL %u: %d", l, sl, !may);
	}
	/* all hosts but the first, where the manager is */
	ck_assert_uint_eq(odd, 31U << (t->port[t->sm_port].lmc - 1));
}

LOOP_TEST(odd_lids_choose, 0, 3)
{
	static const char *const yaml[] = {
		BY(lid, 1), BY(lid, 2), BY(lid, 1) LEVELS};
	AUTO(fabric) struct fabric *f = adaptive_tree();
	AUTO(world) struct world *w = NULL;

	/* no switch has to tell SLs apart */
	for (uint32_t i = 0; i < f->nnodes; i += 2)
		f->node[i].attrs.ar_all_sls = true;
	w = core_start(f, yaml[_i]);
	expect_settled(w, "bring-up");
	expect_odd(w);
}

/* ---- path records ---- */

struct query {
	uint64_t service; /* 0: none */
	uint8_t method, npaths;
	uint16_t slid, dlid; /* offset + 1; 0: not named */
};

/* The offsets of an answer, a bit each; both ends have the same. */
static unsigned
offsets_of(struct host *from, struct host *to, const struct query *q)
{
	struct mad_sa_path p = {.sgid = {0xfe80000000000000, from->guid},
		.dgid = {0xfe80000000000000, to->guid},
		.service = q->service,
		.npaths = q->npaths,
		.slid = (uint16_t)(from->lid + q->slid - 1),
		.dlid = (uint16_t)(to->lid + q->dlid - 1)};
	uint8_t rec[MAD_SA_PATH];
	struct ask a = {.mask = GIDS, .rec = rec, .len = sizeof(rec)};
	unsigned bits = 0;
	size_t n = 1;

	a.mask |= q->service != 0 ? MAD_SA_PATH_SERVICE : 0;
	a.mask |= q->npaths != 0 ? MAD_SA_PATH_NPATHS : 0;
	a.mask |= q->slid != 0 ? MAD_SA_PATH_SLID : 0;
	a.mask |= q->dlid != 0 ? MAD_SA_PATH_DLID : 0;
	mad_sa_path_encode(&p, rec);
	ck_assert_uint_eq(host_ask(from, q->method, MAD_SA_PATH_REC, &a), 0);
	if (q->method != MAD_GET)
		n = host_records(from, MAD_SA_PATH);
	for (size_t i = 0; i < n; i++) {
		mad_sa_path_decode(host_record(from, i), &p);
		ck_assert_uint_eq(p.dlid - to->lid, p.slid - from->lid);
		ck_assert(p.reversible);
		bits |= 1U << (p.dlid - to->lid);
	}
	return bits;
}

/* LMC 2: offsets 0 to 3. */
TEST(levels_get_their_lids)
{
	static const struct {
		struct query q;
		unsigned bits;
	} row[] = {
		{{.method = MAD_GET}, 1},
		{{.method = MAD_GET, .service = STORAGE}, 1},
		{{.method = MAD_GET, .service = BULK}, 2},
		{{.method = MAD_SA_GET_TABLE}, 5},
		{{.method = MAD_SA_GET_TABLE, .service = STORAGE}, 5},
		{{.method = MAD_SA_GET_TABLE, .service = BULK}, 10},
		{{.method = MAD_SA_GET_TABLE, .service = BULK, .npaths = 1}, 2},
		{{.method = MAD_SA_GET_TABLE, .npaths = 1}, 1},
		{{.method = MAD_SA_GET_TABLE, .npaths = 2}, 5},
		/* named LIDs are answered, and the other end is alike */
		{{.method = MAD_GET, .dlid = 4}, 8},
		{{.method = MAD_GET, .slid = 2, .dlid = 2}, 2},
		{{.method = MAD_GET, .service = BULK, .dlid = 1}, 1},
		{{.method = MAD_GET, .slid = 2}, 2},
		{{.method = MAD_GET, .service = BULK, .slid = 1}, 1},
	};
	AUTO(fabric) struct fabric *f = adaptive_tree();
	AUTO(world) struct world *w = core_start(f, BY(lid, 2) LEVELS);
	AUTO(host) struct host *a = NULL, *b = NULL;

	expect_settled(w, "bring-up");
	a = host_on(w, "h5");
	b = host_on(w, "h9");
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		unsigned there = offsets_of(a, b, &row[i].q);

		ck_assert_msg(there == row[i].bits, "row %zu: %x", i, there);
		ck_assert_uint_eq(offsets_of(b, a, &row[i].q), there);
	}
}

/* By SL every LID is alike, and a query gets the base LID. */
TEST(by_sl_lids_are_alike)
{
	const struct query get = {.method = MAD_GET, .service = BULK};
	const struct query all = {.method = MAD_SA_GET_TABLE, .service = BULK};
	AUTO(fabric) struct fabric *f = adaptive_tree();
	AUTO(world) struct world *w = core_start(f, BY(sl, 1) LEVELS);
	AUTO(host) struct host *a = NULL, *b = NULL;

	expect_settled(w, "bring-up");
	a = host_on(w, "h5");
	b = host_on(w, "h9");
	ck_assert_uint_eq(offsets_of(a, b, &get), 1);
	ck_assert_uint_eq(offsets_of(a, b, &all), 3);
}

/* ---- the command path ---- */

/* The part "there" of a path to a host, as it is shown; the caller's. */
static char *
shown_path(const struct world *w, const char *to)
{
	const struct links_facts facts = {
		.t = sm_view(w->sm)->topo,
		.health = sm_health(w->sm),
		.limits = sm_link_limits(w->sm),
		.now = sim_now(w->sim),
	};
	AUTO(json)
	json_t *request = json_pack(
		"{s:s, s:s, s:s}", "cmd", "path", "from", "h5", "to", to);
	struct answer *a = path_answer(request, sm_view(w->sm), &facts);
	struct buf text = {0}, out = {0};
	AUTO(json) json_t *reply = NULL;

	while (answer_more(a, SIZE_MAX, &text))
		;
	(void)answer_free(a);
	reply = json_loads(text.text, 0, NULL);
	ck_assert_ptr_nonnull(reply);
	adaptive_json_show_path(
		json_object_get(json_object_get(reply, "result"), "there"),
		&out);
	buf_free(&text);
	return out.text;
}

static void
expect_path(const struct world *w, const char *to, const char *says)
{
	AUTO(mem) char *text = shown_path(w, to);

	ck_assert_msg(says == NULL ? text == NULL
				   : text != NULL && strstr(text, says) != NULL,
		"%s: %s", to, text);
}

TEST(paths_say_what_may_choose)
{
	AUTO(fabric) struct fabric *f = adaptive_tree();
	AUTO(world) struct world *w = core_start(f, BY(lid, 2) LEVELS);
	AUTO(host) struct host *b = NULL;
	char says[128];

	expect_settled(w, "bring-up");
	b = host_on(w, "h9");
	(void)snprintf(says, sizeof(says),
		"packets to LID %u, %u may choose among ports in 1 of 3 "
		"switches",
		b->lid + 1U, b->lid + 3U);
	expect_path(w, "h9", says);
	/* the manager's own, and a switch */
	expect_path(w, "h1", "in order: no packet");
	expect_path(w, "leaf3", "in order: no packet");
	world_reload(w, "fabric: {lmc: {hosts: 2}}\n"
			"routing: {adaptive: {enabled: true, by: lid, "
			"sls: 6}}\n");
	expect_settled(w, "some SLs");
	ck_assert(
		may_choose(w, b->lid + 1, 2) && !may_choose(w, b->lid + 1, 3));
	(void)snprintf(says, sizeof(says), "to LID %u, %u of SL 1, 2 may",
		b->lid + 1U, b->lid + 3U);
	expect_path(w, "h9", says);
	world_reload(w, BY(sl, 2) LEVELS);
	expect_settled(w, "by SL");
	expect_path(
		w, "h9", "packets of SL 3 may choose among ports in 1 of 3");
	world_reload(w, "fabric: {lmc: {hosts: 2}}\n");
	core_expect_order(w, "off");
	expect_path(w, "h9", NULL);
}

/* ---- a reload from one to the other ---- */

static uint64_t
count_sets(const struct world *w, uint16_t attr)
{
	return sim_stats(w->sim)->by[sim_attr_row(attr)][MAD_SET & 7];
}

/* Until it has settled: packets that stay in order before and after may not
 * choose in between. */
static void
settle_in_order(struct world *w, uint16_t lid, uint8_t sl, const char *when)
{
	struct mono end = mono_add(sim_now(w->sim), mono_ms(1000));

	while (mono_before(sim_now(w->sim), end)) {
		world_run(w, mono_us(10));
		ck_assert_msg(!may_choose(w, lid, sl), "%s: LID %u SL %u", when,
			lid, sl);
	}
	expect_settled(w, when);
}

TEST(reloads)
{
	AUTO(fabric) struct fabric *f = adaptive_tree();
	AUTO(world) struct world *w = core_start(f, BY(sl, 1) LEVELS);
	uint64_t lfts, infos;
	AUTO(host) struct host *b = NULL;

	expect_settled(w, "bring-up");
	b = host_on(w, "h9");
	ck_assert(may_choose(w, b->lid, 3) && !may_choose(w, b->lid, 5));
	for (unsigned i = 0; i < 2; i++) {
		lfts = count_sets(w, MAD_LFT);
		infos = count_sets(w, MAD_AR_INFO);
		world_reload(w, BY(lid, 1) LEVELS);
		settle_in_order(w, b->lid, 5, "by LID");
		expect_odd(w);
		world_reload(w, BY(sl, 1) LEVELS);
		settle_in_order(w, b->lid, 5, "by SL");
		ck_assert(may_choose(w, b->lid, 3) &&
			  may_choose(w, b->lid + 1, 3));
		ck_assert(!may_choose(w, b->lid + 1, 5));
		/* no table; the SLs of each switch once each time */
		ck_assert_uint_eq(count_sets(w, MAD_LFT), lfts);
		ck_assert_uint_eq(count_sets(w, MAD_AR_INFO), infos + 2 * 8);
	}
}

/* ---- packets ---- */

struct flows {
	struct data *d;
	const struct world *w;
};

/* Half of the pairs of ends go to the odd LID. */
static uint16_t
pick_lid(void *cookie, uint32_t src, uint32_t dst)
{
	const struct flows *x = cookie;
	uint32_t node = data_end_node(x->d, dst);

	return (uint16_t)(sim_port_info(x->w->sim, node, 1)->lid +
			  (src + dst) % 2);
}

/* Flows to base LIDs that arrived, all in order. */
static unsigned
count_ordered(struct flows *x)
{
	uint32_t ends = data_ends(x->d);
	unsigned n = 0;

	for (uint32_t i = 0; i < ends * ends; i++) {
		uint32_t src = i / ends, dst = i % ends;
		struct data_flow_report flow;

		if (src == dst || (src + dst) % 2 != 0)
			continue;
		data_report_flow(
			x->d, src, dst, pick_lid(x, src, dst), 0, &flow);
		ck_assert_uint_eq(flow.reordered, 0);
		n += flow.arrived > 1;
	}
	return n;
}

TEST(ordered_packets_stay_in_order)
{
	AUTO(fabric) struct fabric *f = adaptive_tree();
	AUTO(world) struct world *w = core_start(f, BY(lid, 1));
	struct data_options o = data_defaults();
	struct data_traffic t = data_traffic_defaults();
	struct data_report r;
	struct flows x = {.w = w};

	expect_settled(w, "bring-up");
	o.order = true;
	x.d = data_new(w->sim, &o);
	t.dlid = pick_lid;
	t.cookie = &x;
	data_traffic_start(x.d, &t);
	world_run(w, mono_us(100));
	data_report_get(x.d, &r);
	ck_assert_uint_gt(r.reordered, 100);
	ck_assert_uint_gt(count_ordered(&x), 400);
	ck_assert_uint_eq(r.dropped, 0);
	data_free(x.d);
}
