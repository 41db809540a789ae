/*
 * Random days of faults for the daemon, each from a seed
 * (tests/sim/chaos/chaos.h). heddle-soak runs one alone. The daemon's log is
 * shown for a day that failed.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/sim/chaos/chaos.h"
#include "tests/unit/suite.h"
#include "tests/unit/tally.h"

/* Sanitizers check the code, not the fabric: some of the days are enough. */
#ifdef __SANITIZE_ADDRESS__
enum {
	SEEDS = 60,
	TENANT_SEEDS = 20,
	DOR_SEEDS = 10,
	NUE_SEEDS = 4,
	ADAPTIVE_SEEDS = 12,
	DRAIN_SEEDS = 20,
	HEALTH_SEEDS = 5
};
#else
enum {
	SEEDS = 500,
	TENANT_SEEDS = 200,
	DOR_SEEDS = 90,
	NUE_SEEDS = 24,
	ADAPTIVE_SEEDS = 40,
	DRAIN_SEEDS = 300,
	HEALTH_SEEDS = 20
};
#endif
enum {
	MAX_HOSTS = 800,
	FEW_HOSTS = 200,
	LANES_HOSTS = 150,
	DRAIN_HOSTS = 150,
	SOAK_HOSTS = 600, /* heddle-soak's default */
	TAIL = 4000
};

/* Sends stderr to a file without a name; returns the old descriptor. */
static int
redirect_stderr(FILE **log)
{
	int old = dup(STDERR_FILENO);

	*log = tmpfile();
	ck_assert(old >= 0 && *log != NULL);
	ck_assert(dup2(fileno(*log), STDERR_FILENO) >= 0);
	return old;
}

/* Restores stderr; tell: prints the end of the file. */
static void
restore_stderr(FILE *log, int old, bool tell)
{
	char text[TAIL];
	long n;
	size_t got;

	(void)fflush(stderr);
	(void)dup2(old, STDERR_FILENO);
	(void)close(old);
	(void)fseek(log, 0, SEEK_END);
	n = ftell(log);
	(void)fseek(log, n > TAIL ? n - TAIL : 0, SEEK_SET);
	got = fread(text, 1, sizeof(text), log);
	if (tell)
		(void)fwrite(text, 1, got, stderr);
	(void)fclose(log);
}

/* Of all days; shared with the processes that run them. */
static struct tally {
	uint64_t changes, checks, struck[CHAOS_PHASES];
} * tally;

static void
add_report(const struct chaos_report *r)
{
	tally->changes += r->changes;
	tally->checks += r->checks;
	for (unsigned i = 0; i < CHAOS_PHASES; i++)
		tally->struck[i] += r->struck[i];
}

static void
print_tally(void)
{
	(void)printf("steps judged: %llu entries changed, %llu dependencies "
		     "and ways followed\nstruck in:",
		(unsigned long long)tally->changes,
		(unsigned long long)tally->checks);
	for (unsigned i = 0; i < CHAOS_PHASES; i++)
		(void)printf("%s %s %llu", i > 0 ? "," : "",
			sm_phase_name((enum sm_phase)i),
			(unsigned long long)tally->struck[i]);
	(void)printf("\n");
}

static void
run_day(uint64_t seed, struct chaos_limits l)
{
	struct chaos_report r;
	FILE *log;
	int old = redirect_stderr(&log), rc;

	l.judge = CHAOS_MEMORY | CHAOS_LOOPS | CHAOS_CYCLES | CHAOS_COPIES;
	rc = chaos_run(seed, &l, &r);

	restore_stderr(log, old, rc != 0);
	add_report(&r);
	ck_assert_msg(rc == 0, "seed %llu: %s\n%s", (unsigned long long)seed,
		r.why.text, r.script.text);
	chaos_report_free(&r);
}

LOOP_TEST(a_bad_day, 1, SEEDS + 1)
{
	run_day((unsigned)_i, (struct chaos_limits){.max_hosts = MAX_HOSTS});
}

LOOP_TEST(a_bad_day_for_tenants, 1, TENANT_SEEDS + 1)
{
	run_day((unsigned)_i,
		(struct chaos_limits){.max_hosts = FEW_HOSTS, .tenants = true});
}

/* Blocks above a LinearFDBTop that came down after dependencies were unblocked.
 */
TEST(a_remembered_day_of_maintenance)
{
	run_day(21004894,
		(struct chaos_limits){.max_hosts = SOAK_HOSTS, .drains = true});
}

/* Keys that a late copy of a Set brought back, before a restart. */
TEST(a_remembered_day_for_tenants)
{
	run_day(620000977, (struct chaos_limits){
				   .max_hosts = LANES_HOSTS, .tenants = true});
}

/* 242: disjoint paths by a link that was drained; 859: a multicast tree over a
 * link that is drained by a push that changes the order of switches; 650002167:
 * a group that grew over a switch, after that was drained; 750001338: trees
 * that were under way when a push was planned. */
LOOP_TEST(a_day_of_maintenance, 0, DRAIN_SEEDS)
{
	static const uint64_t remembered_drains[] = {
		242, 859, 650002167, 750001338};
	const size_t n = sizeof(remembered_drains) / sizeof(*remembered_drains);
	run_day((size_t)_i < n ? remembered_drains[_i]
			       : 97510000 + (unsigned)_i,
		(struct chaos_limits){.max_hosts = DRAIN_HOSTS,
			.drains = true,
			.tenants = _i % 5 == 4,
			.lanes = _i % 4 == 3});
}

/* A link that was reset between the Sets of its VLs and of Armed, by a daemon
 * that was killed then: the shortage of VLs is true. */
TEST(a_remembered_day_of_maintenance_with_layers)
{
	run_day(750000183, (struct chaos_limits){.max_hosts = DRAIN_HOSTS,
				   .drains = true,
				   .lanes = true});
}

/* A link that was drained although it was needed, used again, and drained again
 * without end; and a port that an agent with a short queue never told of. */
LOOP_TEST(a_day_of_links_that_stay_bad, 0, 3)
{
	static const uint64_t days[] = {41001170, 41000350, 41000941};

	run_day(days[_i],
		(struct chaos_limits){
			.max_hosts = 300, .health = true, .drains = true});
}

/* Links that flap and err, which the manager drains. */
LOOP_TEST(a_day_of_bad_links, 0, HEALTH_SEEDS)
{
	run_day(1 + (unsigned)_i, (struct chaos_limits){.max_hosts = FEW_HOSTS,
					  .health = true,
					  .drains = _i % 4 == 2,
					  .lanes = _i % 4 == 3});
}

/* A late copy of a Set between two stages, of a table that was in place. */
TEST(a_remembered_day_of_bad_links)
{
	run_day(36000274, (struct chaos_limits){.max_hosts = FEW_HOSTS + 100,
				  .health = true,
				  .drains = true});
}

/* Most switches choose among ports. 1781: one that switches it off when its
 * table is written, and a push that stops before it is read; 5493: a switch
 * comes back whose links groups still have; 1585, 10368: one that does not
 * answer goes on choosing while the order of switches changes. */
LOOP_TEST(a_bad_day_with_adaptive_routing, 0, ADAPTIVE_SEEDS)
{
	static const struct {
		uint64_t seed;
		unsigned hosts;
	} days[] = {{1781, SOAK_HOSTS}, {5493, 300}, {1585, SOAK_HOSTS},
		{10368, SOAK_HOSTS}};
	const int n = sizeof(days) / sizeof(*days);

	run_day(_i < n ? days[_i].seed : (uint64_t)_i,
		(struct chaos_limits){.adaptive = true,
			.max_hosts = _i < n ? days[_i].hosts : FEW_HOSTS});
}

/* The same with drains. Links that are drained carry packets of old tables,
 * beside switches that choose, while the order of switches changes; 43003642: a
 * late copy of adaptive entries, between two stages; 93100010 to 93102433: a
 * restart beside sets that wait for a rebalance, where groups are scarce, or
 * where another port is the default; 93202290: our own switch dies while ports
 * come up, which was tried again without a pause. */
LOOP_TEST(a_day_of_maintenance_with_adaptive_routing, 0, ADAPTIVE_SEEDS)
{
	static const struct {
		uint64_t seed;
		unsigned hosts;
	} days[] = {{92000341, SOAK_HOSTS}, {92000357, SOAK_HOSTS},
		{43000079, DRAIN_HOSTS}, {43000259, DRAIN_HOSTS},
		{43003642, DRAIN_HOSTS}, {93100010, SOAK_HOSTS},
		{93101822, SOAK_HOSTS}, {93102433, SOAK_HOSTS},
		{93202290, SOAK_HOSTS}};
	const int n = sizeof(days) / sizeof(*days);

	run_day(_i < n ? days[_i].seed : (uint64_t)_i,
		(struct chaos_limits){.adaptive = true,
			.drains = true,
			.max_hosts = _i < n ? days[_i].hosts : DRAIN_HOSTS});
}

/* Tables that obey no order of switches, while links and switches are missing
 * in several layers, or in turns with those of updn. 24: trees whose order a
 * restart did not find again. */
LOOP_TEST(a_bad_day_for_dor, 1, DOR_SEEDS + 1)
{
	run_day(92000000 + (unsigned)_i,
		(struct chaos_limits){
			.max_hosts = FEW_HOSTS / 2, .engine = "dor"});
}

/* A day that failed once. */
struct day {
	uint64_t seed;
	unsigned max_hosts;
};

/* Unknown tables, multicast trees of a previous order beside those of the new
 * one, trees that lead to unknown switches, trees that a switch brought back,
 * and trees written while a plan was made without them; entries moved off busy
 * links that gave nodes disjoint paths, which only a restart noticed; a switch
 * that left, with half of the fabric behind it, while tables were read; a link
 * that came back into a tree of a previous order; silent switches, and others
 * behind them, that forward by trees of a previous run; an own node that did
 * not answer a sweep, with all of the fabric behind it; a host that lost its
 * LID, of which the port of the switch was not read again; a dependency to be
 * blocked at a switch that did not answer; a late copy of a multicast table;
 * entries moved off busy links to an extension switch, which a restart moved
 * back; entries for a switch that left, which stayed in one of which no port
 * was up yet.
 */
static const struct day remembered[] = {{7000068, FEW_HOSTS / 2},
	{7006273, FEW_HOSTS / 2}, {7008011, FEW_HOSTS / 2},
	{7004652, FEW_HOSTS / 2}, {7300943, FEW_HOSTS / 2},
	{51001092, SOAK_HOSTS}, {12010749, SOAK_HOSTS}, {12010044, SOAK_HOSTS},
	{51000576, SOAK_HOSTS}, {72004513, SOAK_HOSTS}, {97200318, SOAK_HOSTS},
	{9280, 600}, {20767, SOAK_HOSTS}, {17957263868, SOAK_HOSTS},
	{97500135, LANES_HOSTS}, {17957263040, SOAK_HOSTS}};

LOOP_TEST(a_remembered_day, 0, LEN(remembered))
{
	run_day(remembered[_i].seed,
		(struct chaos_limits){.max_hosts = remembered[_i].max_hosts});
}

/* With several layers: rows made for the layers of a link while its other end
 * was down, and sent to a host that rebooted before it was Armed; switches that
 * rebooted taken for drift; layers that close no cycle although all of them on
 * one VL would; rows and arbitration tables for more VLs than the other end of
 * a link has; entries that gave nodes disjoint paths, which only a restart
 * noticed, by entries moved or by a link that failed; thousands of rows for
 * switches with queues shorter than target_max; a late copy of a Set that armed
 * one end of a link with a single VL.
 */
static const struct day remembered_lanes[] = {{700000990, LANES_HOSTS},
	{700000560, LANES_HOSTS}, {700000785, LANES_HOSTS},
	{700001090, LANES_HOSTS}, {700000247, LANES_HOSTS},
	{700000934, LANES_HOSTS}, {700001133, LANES_HOSTS}, {31951, SOAK_HOSTS},
	{31985, SOAK_HOSTS}, {32075, SOAK_HOSTS}, {32799, SOAK_HOSTS},
	{33198, SOAK_HOSTS}, {33963, SOAK_HOSTS}, {920396, SOAK_HOSTS},
	{8100502, SOAK_HOSTS}, {8100687, SOAK_HOSTS}, {12350138, SOAK_HOSTS},
	{12360570, SOAK_HOSTS}, {62000076, SOAK_HOSTS}, {72004651, SOAK_HOSTS}};

LOOP_TEST(a_remembered_day_with_lanes, 0, LEN(remembered_lanes))
{
	run_day(remembered_lanes[_i].seed,
		(struct chaos_limits){
			.max_hosts = remembered_lanes[_i].max_hosts,
			.lanes = true});
}

/* On layers that need VLs of their own: pairs of a restart whose layers were
 * not known, kept paths without an end, a pair with a switch without hosts that
 * got another SL alone; with QoS levels or narrow cables: levels on more VLs
 * than arbitration has entries for, a cable with one VL that left one layer. */
static const struct {
	uint64_t seed;
	bool lanes;
} remembered_nue[] = {{7, false}, {20, false}, {45, false}, {52, false},
	{14, true}, {81, true}, {92, true}};

LOOP_TEST(a_remembered_day_with_nue, 0, LEN(remembered_nue))
{
	run_day(remembered_nue[_i].seed,
		(struct chaos_limits){.max_hosts = SOAK_HOSTS,
			.engine = "nue",
			.lanes = remembered_nue[_i].lanes});
}

LOOP_TEST(a_bad_day_for_nue, 1, NUE_SEEDS + 1)
{
	run_day(93000000 + (unsigned)_i,
		(struct chaos_limits){.max_hosts = FEW_HOSTS / 2,
			.engine = "nue",
			.lanes = _i % 2 == 0});
}

/* An alarm about VLs that layers share; SLs of the last view on new tables; a
 * detour that was kept in no layer, so that routing did not end; packets of a
 * silent switch in any layer; a host that came up while all ports were down for
 * a change; a kill in the first bring-up, after which rows and SLs were unknown
 * and traps about the manager's own changes stopped its pushes; pairs whose
 * layers a restart forgot when it was killed before its first view; old tables
 * with more layers than the new ones; a dependency that was blocked again after
 * a reboot, with its row of long ago for SLs that are not; a row with blocked
 * SLs that was made without the link that came back; rows of which some SLs are
 * blocked, with the VLs of old tables for the others while new ones were
 * written. */
static const struct {
	uint64_t seed;
	const char *engine;
	bool lanes;
} remembered_engines[] = {{96000019, "torus", false},
	{96000020, "dragonfly", false}, {96000025, "dragonfly", false},
	{96000064, "dragonfly", false}, {96000091, "dragonfly", false},
	{97000125, "dragonfly", false}, {98000287, "dragonfly", false},
	{98000158, "nue", false}, {98000030, "nue", true},
	{4, "dragonfly", false}, {820020, "dragonfly", true}};

LOOP_TEST(a_remembered_day_for_an_engine, 0, LEN(remembered_engines))
{
	run_day(remembered_engines[_i].seed,
		(struct chaos_limits){.max_hosts = FEW_HOSTS / 2,
			.engine = remembered_engines[_i].engine,
			.lanes = remembered_engines[_i].lanes});
}

static const char *const structured[] = {"torus", "dragonfly"};

LOOP_TEST(a_bad_day_for_a_structure, 1, NUE_SEEDS + 1)
{
	run_day(95000000 + (unsigned)_i,
		(struct chaos_limits){.max_hosts = FEW_HOSTS / 4,
			.engine = structured[_i % 2],
			.lanes = _i % 3 == 0});
}

/* What came into the core that day, and nothing else, decided what it sent. */
LOOP_TEST(a_day_lived_again, 0, 12)
{
	run_day(94000000 + (unsigned)_i,
		(struct chaos_limits){.max_hosts = FEW_HOSTS,
			.replay = true,
			.tenants = _i % 3 == 1,
			.drains = _i % 3 == 1,
			.lanes = _i % 3 == 2});
}

/* The same seed gives the same day. */
TEST(same_seed_same_day)
{
	const struct chaos_limits l = {.max_hosts = 60};
	struct chaos_report a, b;
	FILE *log;
	int old = redirect_stderr(&log);

	(void)chaos_run(42, &l, &a);
	(void)chaos_run(42, &l, &b);
	restore_stderr(log, old, false);
	ck_assert_str_eq(a.script.text, b.script.text);
	ck_assert_uint_gt(a.smps, 0);
	ck_assert_uint_eq(a.smps, b.smps);
	ck_assert_uint_eq(a.blocks, b.blocks);
	ck_assert_uint_eq(a.changes, b.changes);
	ck_assert_uint_eq(a.loops, b.loops);
	ck_assert_uint_eq(a.cycles, b.cycles);
	chaos_report_free(&a);
	chaos_report_free(&b);
}

static void
begin_tests(void)
{
	tally = tally_new(sizeof(*tally));
}

const struct suite_around suite_around = {
	.begin = begin_tests, .end = print_tally};
