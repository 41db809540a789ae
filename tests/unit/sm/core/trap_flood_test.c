/*
 * Traps about links: what each costs, which switch is probed, and that endless
 * traps delay nothing else.
 */
#include <check.h>
#include <malloc.h>
#include <string.h>
#include <time.h>

#include "sm/base/log.h"
#include "tests/unit/core_fixture.h"
#include "tests/unit/suite.h"

/* Traps from lid about a LID, each with another TID: none is a repetition. */
static void
inject_traps_about(
	struct world *w, uint16_t lid, uint16_t about, int from_ms, int to_ms)
{
	static uint64_t tid;
	struct mad_notice n = {
		.generic = true,
		.type = 1,
		.producer = 2,
		.trap = 128,
		.issuer_lid = lid,
		.data_lid = about,
	};
	struct smp m = {.mgmt_class = MAD_SUBN_LID,
		.method = MAD_TRAP,
		.attr = MAD_NOTICE};
	struct transport_msg msg = {.len = MAD_SIZE, .addr.lid = lid};

	mad_notice_encode(&n, m.data);
	for (int ms = from_ms; ms < to_ms; ms += 400) {
		m.tid = ++tid;
		smp_encode(&m, msg.mad);
		sim_inject(w->ep, &msg, mono_ms(ms));
	}
}

static void
inject_traps(struct world *w, uint16_t lid, int from_ms, int to_ms)
{
	inject_traps_about(w, lid, lid, from_ms, to_ms);
}

/* A source of endless traps delays neither light sweeps nor retries. */
TEST(endless_traps_delay_nothing)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = core_start(f, "sweep:\n  interval: 2s\n");
	uint32_t leaf = fabric_find(f, "leaf1");
	uint16_t lid;
	struct sm_status before, after;

	core_expect_order(w, "bring-up");
	lid = sim_port_info(w->sim, fabric_find(f, "leaf5"), 0)->lid;
	sm_status(w->sm, &before);
	inject_traps(w, lid, 1, 60000);
	world_run(w, mono_ms(1000));
	sim_fault_reboot(w->sim, leaf); /* the manager's leaf: no trap */
	world_run(w, mono_ms(30000));
	sm_status(w->sm, &after);
	ck_assert_uint_ge(after.sweeps_light, before.sweeps_light + 5);
	ck_assert_uint_eq(sm_view(w->sm)->counts.ports_active,
		sm_view(w->sm)->counts.ports_linked);
	ck_assert_uint_ne(sim_lft(w->sim, leaf, lid), 255);
	world_run(w, mono_ms(30000));
	core_expect_order(w, "after the traps");
}

/* Loses the first Set(SwitchInfo) of a switch, and traps. */
struct losses {
	uint32_t sw;
	unsigned sets;
	bool traps;
};

static enum sim_verdict
lose_messages(void *cookie, struct sim_msg *m)
{
	struct losses *l = cookie;
	const uint8_t *mad = m->m.mad;

	if (mad[3] == MAD_TRAP)
		return l->traps ? SIM_DROP : SIM_PASS;
	if (m->where == SIM_AT_SMA && m->node == l->sw && mad[3] == MAD_SET &&
		mad[16] == 0 && mad[17] == MAD_SWITCH_INFO && l->sets++ == 0)
		return SIM_DROP;
	return SIM_PASS;
}

/*
 * The first Set that clears PortStateChange is late, and repeated. It arrives
 * after a link has come up, whose trap is lost: nothing reports that link.
 */
TEST(a_late_clear_hides_a_change)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = core_start(f, "sweep:\n  interval: 1s\n");
	struct losses l = {.sw = fabric_find(f, "leaf5")};

	core_expect_order(w, "bring-up");
	world_run(w, mono_ms(5000));
	sim_set_hook(w->sim, lose_messages, &l);
	sim_fault_link(w->sim, l.sw, 1, false);
	world_run(w, mono_ms(2000));
	ck_assert_uint_ge(l.sets, 2);
	l.traps = true;
	sim_fault_link(w->sim, l.sw, 1, true);
	sim_hand_change_bit(w->sim, l.sw, false);
	world_run(w, mono_ms(5000));
	ck_assert_uint_eq(sim_port_info(w->sim, l.sw, 1)->state, 2);
	world_run(w, mono_ms(15000));
	core_expect_order(w, "read again");
}

/* The SMPs that n traps of a switch cost; commits: runs that changed a view. */
static uint64_t
cost_of_traps(struct world *w, uint16_t lid, int n, unsigned *commits)
{
	unsigned before = w->commits;

	sim_clear_stats(w->sim);
	inject_traps(w, lid, 1, 1 + 400 * n);
	world_run(w, mono_ms(400 * n + 3000));
	*commits = w->commits - before;
	return sim_stats(w->sim)->smps;
}

/*
 * A trap about a change that is known costs one read of PortStateChange, and
 * one path probe; no port is read and nothing is computed.
 */
TEST(old_news_cost_nothing)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = core_start(f, "sweep:\n  interval: 0\n");
	uint32_t leaf = fabric_find(f, "leaf5");
	uint16_t lid;
	unsigned commits;

	core_expect_order(w, "bring-up");
	world_run(w, mono_ms(5000));
	lid = sim_port_info(w->sim, leaf, 0)->lid;
	/* each is repressed, too */
	ck_assert_uint_le(cost_of_traps(w, lid, 5, &commits), 5 * 3);
	ck_assert_uint_eq(commits, 0);
	/* but an unreported change of that switch is found */
	sim_fault_link(w->sim, leaf, 1, false);
	world_run(w, mono_ms(5000));
	sim_fault_link(w->sim, leaf, 1, true);
	ck_assert_uint_gt(
		cost_of_traps(w, lid, 1, &commits), f->node[leaf].nports);
	ck_assert_uint_gt(commits, 0);
	core_expect_order(w, "after the traps");
}

/*
 * The source of a trap is named in the cause: by its GUID before names are
 * read, or else only by its LID; a stranger causes no full sweep.
 */
TEST(source_is_named)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = core_start(f, "sweep:\n  interval: 0\n");
	struct sm_status st;

	while (sm_view(w->sm) == NULL)
		world_run(w, mono_us(20));
	sim_fault_link(w->sim, fabric_find(f, "leaf5"), 8, false);
	core_expect_order(w, "a cable pulled early");
	ck_assert_msg(
		strstr(sm_view(w->sm)->cause, "trap 128 from 0x0002c9") != NULL,
		"%s", sm_view(w->sm)->cause);
	sm_status(w->sm, &st);
	ck_assert_uint_eq(st.sweeps_full, 1);
	inject_traps(w, 999, 1, 2);
	core_expect_order(w, "a stranger");
	world_run(w, mono_ms(2000));
	sm_status(w->sm, &st);
	ck_assert_uint_eq(st.sweeps_full, 1);
}

/*
 * Traps about a LID that no port has, from a host and, in the second case, from
 * that LID, and in the third traps from a host about a switch that is not next
 * to it: light sweeps, or a probe of the host's switch, one in five seconds.
 */
LOOP_TEST(strangers_are_limited_in_sum, 0, 3)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = core_start(f, "sweep:\n  interval: 0\n");
	uint32_t leaf = fabric_find(f, "leaf5");
	uint16_t lid = 999, about = 999;
	struct sm_status was, is;
	unsigned commits;

	core_expect_order(w, "bring-up");
	world_run(w, mono_ms(10000));
	if (_i != 1)
		lid = sim_port_info(w->sim, fabric_find(f, "h20"), 1)->lid;
	commits = w->commits;
	sm_status(w->sm, &was);
	if (_i == 2)
		about = sim_port_info(w->sim, fabric_find(f, "leaf1"), 0)->lid;
	inject_traps_about(w, lid, about, 1, 20000);
	inject_traps_about(w, 998, 997, 100, 20000);
	world_run(w, mono_ms(25000));
	sm_status(w->sm, &is);
	ck_assert_uint_eq(is.sweeps_full, was.sweeps_full);
	ck_assert_uint_ge(
		is.sweeps_light + is.probes, was.sweeps_light + was.probes + 4);
	ck_assert_uint_le(
		is.sweeps_light + is.probes, was.sweeps_light + was.probes + 6);
	ck_assert_uint_eq(w->commits, commits);
	/* what changed unnoticed is found, if not at once */
	sim_fault_link(w->sim, leaf, 1, false);
	inject_traps_about(w, 998, 999, 0, 1);
	world_run(w, mono_ms(6000));
	core_expect_order(w, "after the strangers");
}

/* Hands the core so many traps, each with its own TID, about LIDs that no port
 * has; from one host, or from as many LIDs as there are. */
static void
receive_strangers(struct world *w, uint16_t from, unsigned n, uint32_t *seed)
{
	struct mad_notice notice = {
		.generic = true, .type = 1, .producer = 2, .trap = 128};
	struct smp m = {.mgmt_class = MAD_SUBN_LID,
		.method = MAD_TRAP,
		.attr = MAD_NOTICE};
	struct transport_msg msg = {.len = MAD_SIZE};

	while (n-- > 0) {
		*seed = *seed * 1664525 + 1013904223;
		msg.addr.lid = from != 0
				       ? from
				       : (uint16_t)(1 + (*seed >> 16) % 0xbffe);
		notice.issuer_lid = msg.addr.lid;
		notice.data_lid = (uint16_t)(1000 + (*seed >> 12) % 40000);
		mad_notice_encode(&notice, m.data);
		m.tid = *seed;
		smp_encode(&m, msg.mad);
		sm_receive(w->sm, &msg, sim_now(w->sim));
	}
}

static struct mono
cpu_now(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (struct mono){
		(int64_t)ts.tv_sec * 1000000000 + (int64_t)ts.tv_nsec};
}

/*
 * Ten thousand traps a second for twenty seconds about LIDs that no port has,
 * from one host or from all LIDs: few SMPs, little memory, no run that writes;
 * and a cable that is pulled meanwhile is acted on at once.
 */
LOOP_TEST(ten_thousand_a_second, 0, 2)
{
	enum { SECONDS = 20, RATE = 10000, STEPS = 100, PER_SECOND = 60 };
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = core_start(f, "sweep:\n  interval: 0\n");
	uint32_t seed = 1, leaf = fabric_find(f, "leaf5");
	struct mono cpu = {0};
	struct sm_status was, is;
	unsigned commits;
	uint64_t sent;
	size_t memory;
	uint16_t from;

	core_expect_order(w, "bring-up");
	world_run(w, mono_ms(10000));
	from = sim_port_info(w->sim, fabric_find(f, "h20"), 1)->lid;
	receive_strangers(w, _i == 0 ? from : 0, RATE, &seed);
	world_run(w, mono_ms(1000));
	commits = w->commits;
	sent = sm_xact_stats(w->sm)->sent;
	memory = mallinfo2().uordblks;
	sm_status(w->sm, &was);
	for (unsigned i = 0; i < SECONDS * STEPS; i++) {
		struct mono began = cpu_now();

		receive_strangers(w, _i == 0 ? from : 0, RATE / STEPS, &seed);
		cpu = mono_add(cpu, mono_sub(cpu_now(), began));
		world_run(w, mono_ms(1000 / STEPS));
	}
	sm_status(w->sm, &is);
	log_info("%.2f us of CPU time a trap",
		mono_seconds(cpu) * 1e6 / (SECONDS * RATE));
	ck_assert_uint_eq(is.traps - was.traps, SECONDS * RATE);
	ck_assert_uint_eq(w->commits, commits);
	ck_assert_uint_eq(is.sweeps_full, was.sweeps_full);
	ck_assert_uint_le(
		sm_xact_stats(w->sm)->sent - sent, SECONDS * PER_SECOND / 5);
	ck_assert_uint_le(mallinfo2().uordblks, memory + (4U << 20));
	sim_fault_link(w->sim, leaf, 1, false);
	for (unsigned i = 0; i < STEPS && w->commits == commits; i++) {
		receive_strangers(w, _i == 0 ? from : 0, RATE / STEPS, &seed);
		world_run(w, mono_ms(1000 / STEPS));
	}
	ck_assert_uint_gt(w->commits, commits);
	core_expect_order(w, "a cable pulled in the flood");
}

/* The trap of a new switch that is not in the view yet is not taken for one
 * from an unknown LID. */
TEST(new_switch_is_known)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = core_start(f, "sweep:\n  interval: 0\n");
	uint32_t spine = fabric_find(f, "spine2");
	struct sm_status st;
	uint16_t lid;

	core_expect_order(w, "bring-up");
	lid = sim_port_info(w->sim, spine, 0)->lid;
	sim_fault_node(w->sim, spine, false);
	core_expect_order(w, "a top without power");
	world_run(w, mono_ms(2000));
	ck_assert_uint_eq(
		topo_by_lid(sm_view(w->sm)->topo, lid, NULL), TOPO_NONE);
	sim_fault_node(w->sim, spine, true);
	do {
		world_run(w, mono_us(20));
		sm_status(w->sm, &st);
	} while (st.phase != SM_PUSH);
	if (topo_by_lid(sm_view(w->sm)->topo, lid, NULL) == TOPO_NONE)
		inject_traps(w, lid, 0, 1);
	core_expect_order(w, "it is back");
	world_run(w, mono_ms(2000));
	sm_status(w->sm, &st);
	ck_assert_uint_eq(st.sweeps_full, 1);
}
