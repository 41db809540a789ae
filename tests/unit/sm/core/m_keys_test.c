/*
 * M_Keys of ports: they are written with protection and lease, changed without
 * a switch or a table entry lost, taken over from another manager where the key
 * is known, and named where it is not; leases are kept, and looked at again
 * when they run out. What counts is what the simulated devices hold: they hide
 * their keys, answer a wrong one by silence, and count it.
 */
#include <stdio.h>
#include <string.h>

#include "sm/base/be.h"
#include "tests/sim/referee/watch.h"
#include "tests/topo/gen.h"
#include "tests/topo/shape.h"
#include "tests/unit/core_fixture.h"

#define OLD UINT64_C(0x1111)
#define NEW UINT64_C(0x2222)
#define FOREIGN UINT64_C(0xf0f0)

static bool
is_host(const struct world *w, uint32_t node)
{
	return w->fabric->node[node].type != FABRIC_SWITCH;
}

/* Calls fn for every port that has an M_Key. */
static void
each_port(struct world *w,
	void (*fn)(struct world *, uint32_t, unsigned, void *), void *arg)
{
	for (uint32_t i = 0; i < w->fabric->nnodes; i++) {
		if (!is_host(w, i))
			fn(w, i, 0, arg);
		for (unsigned p = 1;
			is_host(w, i) && p <= w->fabric->node[i].nports; p++)
			fn(w, i, p, arg);
	}
}

struct key {
	uint64_t key;
	uint8_t prot;
	uint16_t lease;
	unsigned half; /* 1: only every second port */
	unsigned n;
};

static void
hand_key(struct world *w, uint32_t node, unsigned port, void *arg)
{
	struct key *k = arg;
	struct mad_port_info pi = *sim_port_info(w->sim, node, port);

	if (k->n++ % 2 < k->half || node == w->host)
		return;
	pi.mkey = k->key;
	pi.mkey_prot = k->prot;
	pi.mkey_lease = k->lease;
	sim_hand_port(w->sim, node, port, &pi);
}

static void
expect_key(struct world *w, uint32_t node, unsigned port, void *arg)
{
	const struct key *k = arg;
	const struct mad_port_info *pi = sim_port_info(w->sim, node, port);

	ck_assert_msg(pi->mkey == k->key && pi->mkey_prot == k->prot &&
			      pi->mkey_lease == k->lease,
		"%s port %u: key 0x%llx protection %u lease %u",
		w->fabric->node[node].name, port, (unsigned long long)pi->mkey,
		pi->mkey_prot, pi->mkey_lease);
}

static void
count_violations(struct world *w, uint32_t node, unsigned port, void *arg)
{
	*(unsigned *)arg += sim_port_info(w->sim, node, port)->mkey_viol;
}

static unsigned
sum_violations(struct world *w)
{
	unsigned n = 0;

	each_port(w, count_violations, &n);
	return n;
}

static void
expect_keys(struct world *w, uint64_t key, uint8_t prot, uint16_t lease)
{
	struct key k = {.key = key, .prot = prot, .lease = lease};

	each_port(w, expect_key, &k);
}

static struct world *
start_keyed(const struct fabric *f, const char *yaml, struct key *k)
{
	struct sim_options o = sim_defaults();
	struct world *w = world_new(f, &o, yaml);

	each_port(w, hand_key, k);
	world_start(w);
	return w;
}

static void
expect_no_alarm(const struct world *w)
{
	struct sm_status s;

	sm_status(w->sm, &s);
	ck_assert_str_eq(s.alarm, "");
	ck_assert_uint_eq(sm_view(w->sm)->nquarantine, 0);
}

/* ---- keys of the configuration ---- */

TEST(keys_protection_and_lease_are_written)
{
	struct fabric *f = core_tree();
	struct world *w = core_start(f, "fabric: {m_key: 0x1111}\n");

	core_expect_order(w, "bring-up");
	expect_keys(w, OLD, 1, 60);
	ck_assert_uint_eq(sum_violations(w), 0);
	/* nothing differs: nothing is written again */
	sim_clear_stats(w->sim);
	sm_resweep(w->sm, sim_now(w->sim), "test");
	core_expect_order(w, "again");
	ck_assert_uint_eq(sim_stats(w->sim)->port_sets, 0);
	world_reload(w, "fabric: {m_key: 0x1111, m_key_protection: 3, "
			"m_key_lease: 0}\n");
	core_expect_order(w, "level 3");
	expect_keys(w, OLD, 3, 0);
	world_reload(w, "");
	core_expect_order(w, "no key");
	expect_keys(w, 0, 0, 0);
	ck_assert_uint_eq(sum_violations(w), 0);
	core_end(w, f);
}

/* At all levels: one Set for each port, no wrong key, no table touched. */
LOOP_TEST(a_change_of_key_loses_nothing, 0, 4)
{
	AUTO(fabric) struct fabric *f = core_tree();
	char yaml[100];
	AUTO(world) struct world *w = NULL;
	struct watch *watch;
	unsigned ports = 0;
	uint64_t changes;

	(void)snprintf(yaml, sizeof(yaml),
		"fabric: {m_key: 0x1111, m_key_protection: %d}\n", _i);
	w = core_start(f, yaml);
	core_expect_order(w, "bring-up");
	sim_clear_stats(w->sim);
	watch = watch_new(w->sim);
	changes = watch_report(watch)->changes;
	(void)snprintf(yaml, sizeof(yaml),
		"fabric: {m_key: 0x2222, m_key_protection: %d}\n", _i);
	world_reload(w, yaml);
	core_expect_order(w, "changed");
	expect_keys(w, NEW, (uint8_t)_i, 60);
	expect_no_alarm(w);
	for (uint32_t i = 0; i < f->nnodes; i++)
		ports += is_host(w, i) ? f->node[i].nports : 1;
	ck_assert_uint_eq(sim_stats(w->sim)->port_sets, ports);
	ck_assert_uint_eq(sim_stats(w->sim)->lft_sets, 0);
	ck_assert_uint_eq(watch_report(watch)->changes, changes);
	ck_assert_uint_eq(sum_violations(w), 0);
	ck_assert_uint_eq(w->runs_failed, 0);
	watch_free(watch);
}

/* The first answer of each node that no longer shows the old key is lost. */
struct losses {
	bool done[64];
	unsigned lost;
};

static enum sim_verdict
lose_answers(void *cookie, struct sim_msg *m)
{
	struct losses *l = cookie;
	struct smp s;

	if (m->where != SIM_AT_ENDPOINT ||
		smp_decode(m->m.mad, m->m.len, &s, NULL) != 0 ||
		s.method != MAD_GET_RESP || s.attr != MAD_PORT_INFO ||
		be_get64(s.data) == OLD || l->done[m->from])
		return SIM_PASS;
	l->done[m->from] = true;
	l->lost++;
	return SIM_DROP;
}

TEST(a_change_of_key_survives_lost_answers)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world)
	struct world *w =
		core_start(f, "fabric: {m_key: 0x1111, m_key_protection: 2}\n");
	struct losses l = {.lost = 0};

	core_expect_order(w, "bring-up");
	sim_set_hook(w->sim, lose_answers, &l);
	world_reload(w, "fabric: {m_key: 0x2222, m_key_protection: 2}\n");
	core_expect_order(w, "changed");
	sim_set_hook(w->sim, NULL, NULL);
	ck_assert_uint_eq(l.lost, f->nnodes);
	expect_keys(w, NEW, 2, 60);
	expect_no_alarm(w);
}

/* Some devices hide the new key from the Set that wrote it. */
static enum sim_verdict
hide_from_sets(void *cookie, struct sim_msg *m)
{
	struct smp s;

	if (m->where == SIM_AT_ENDPOINT &&
		smp_decode(m->m.mad, m->m.len, &s, NULL) == 0 &&
		s.method == MAD_GET_RESP && s.attr == MAD_PORT_INFO &&
		be_get64(s.data) == NEW && s.mkey != NEW) {
		be_put64(s.data, 0);
		smp_encode(&s, m->m.mad);
		++*(unsigned *)cookie;
	}
	return SIM_PASS;
}

TEST(a_change_of_key_to_devices_that_hide_it)
{
	struct fabric *f = core_tree();
	struct world *w = core_start(f, "fabric: {m_key: 0x1111}\n");
	unsigned hidden = 0;

	core_expect_order(w, "bring-up");
	sim_clear_stats(w->sim);
	sim_set_hook(w->sim, hide_from_sets, &hidden);
	world_reload(w, "fabric: {m_key: 0x2222}\n");
	core_expect_order(w, "changed");
	ck_assert_uint_ge(hidden, f->nnodes);
	expect_keys(w, NEW, 1, 60);
	world_run(w, mono_ms(30000)); /* a round of renewals */
	ck_assert_uint_eq(sim_stats(w->sim)->port_sets, f->nnodes);
	expect_no_alarm(w);
	core_end(w, f);
}

/* The previous key is in no file: the configuration lists it. */
TEST(a_change_of_key_over_a_restart)
{
	struct fabric *f = core_tree();
	struct world *w = core_start(f, "fabric: {m_key: 0x1111}\n");

	core_expect_order(w, "bring-up");
	world_kill(w);
	world_reload(w, "fabric: {m_key: 0x2222, m_keys_known: [0x1111]}\n");
	world_start(w);
	core_expect_order(w, "restarted");
	expect_keys(w, NEW, 1, 60);
	expect_no_alarm(w);
	core_end(w, f);
}

/* ---- keys of another manager ---- */

/* Listed as the last of several, or readable, at every level. */
LOOP_TEST(a_fabric_with_a_known_key_is_taken_over, 0, 4)
{
	AUTO(fabric) struct fabric *f = core_tree();
	struct key k = {.key = FOREIGN, .prot = (uint8_t)_i, .lease = 60};
	AUTO(world)
	struct world *w = start_keyed(f,
		_i == 0 ? "fabric: {m_key: 0x2222}\n"
			: "fabric: {m_key: 0x2222, m_keys_known: "
			  "[0x1, 0x2, 0x3, 0xf0f0]}\n",
		&k);

	core_expect_order(w, "taken over");
	expect_keys(w, NEW, 1, 60);
	expect_no_alarm(w);
}

/*
 * 648 hosts that answer nobody who does not bear the key: that all have it is
 * found out at the first of them. _i 1: half of them have ours.
 */
LOOP_TEST(a_guarded_fabric_is_taken_over_soon, 0, 2)
{
	AUTO(fabric) struct fabric *f = shape_of("two:18:36:18");
	struct sim_options o = sim_defaults();
	struct key ours = {.key = NEW, .prot = 2, .lease = 60},
		   theirs = {.key = FOREIGN,
			   .prot = 2,
			   .lease = 60,
			   .half = (unsigned)_i};
	AUTO(world)
	struct world *w = world_new(
		f, &o, "fabric: {m_key: 0x2222, m_keys_known: [0xf0f0]}\n");

	each_port(w, hand_key, &ours);
	each_port(w, hand_key, &theirs);
	world_start(w);
	core_expect_order(w, "taken over");
	printf("648 guarded hosts%s: in order after %lld ms\n",
		_i == 1 ? ", half with our key" : "",
		(long long)sm_view(w->sm)->times.total.ns / 1000000);
	ck_assert_int_lt(sm_view(w->sm)->times.total.ns,
		mono_ms(_i == 1 ? 5000 : 3000).ns);
	expect_keys(w, NEW, 1, 60);
	expect_no_alarm(w);
}

TEST(a_known_key_is_removed)
{
	AUTO(fabric) struct fabric *f = core_tree();
	struct key k = {.key = FOREIGN, .prot = 1, .lease = 60};
	AUTO(world)
	struct world *w =
		start_keyed(f, "fabric: {m_keys_known: [0xf0f0]}\n", &k);

	core_expect_order(w, "taken over");
	expect_keys(w, 0, 0, 0);
}

/* The ports of a host have SMAs, and keys, of their own. */
static void
hand_rail_key(struct world *w, uint32_t node, unsigned port, void *arg)
{
	struct mad_port_info pi = *sim_port_info(w->sim, node, port);

	(void)arg;
	pi.mkey = 0x100 + port;
	pi.mkey_prot = 2;
	sim_hand_port(w->sim, node, port, &pi);
}

TEST(each_port_of_a_host_has_its_key)
{
	struct fabric *f = gen_edit_rails(core_tree(), 2, false, NULL);
	struct sim_options o = sim_defaults();
	struct world *w = world_new(f, &o,
		"fabric: {m_key: 0x2222, m_keys_known: "
		"[0x100, 0x101, 0x102]}\n");

	each_port(w, hand_rail_key, NULL);
	world_start(w);
	core_expect_order(w, "taken over");
	expect_keys(w, NEW, 1, 60);
	expect_no_alarm(w);
	core_end(w, f);
}

/* ---- keys that are not known ---- */

static void
hand_host_key(struct world *w, uint32_t node, uint8_t prot)
{
	struct mad_port_info pi = *sim_port_info(w->sim, node, 1);

	pi.mkey = FOREIGN;
	pi.mkey_prot = prot;
	pi.mkey_lease = 0;
	sim_hand_port(w->sim, node, 1, &pi);
}

static unsigned
count_active(const struct world *w)
{
	return sm_view(w->sm)->counts.ports_active;
}

static unsigned
count_keyed(struct world *w, uint64_t key)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < w->fabric->nnodes; i++)
		n += sim_port_info(w->sim, i, is_host(w, i))->mkey == key;
	return n;
}

/*
 * Half of the ports hide, or guard, a key that is not known: the others are in
 * order soon, the half is named, and taken when its leases have run out, or
 * when the configuration has its key.
 */
static void
half_unknown(uint8_t prot, uint16_t lease, const char *later)
{
	struct fabric *f = core_tree();
	struct key k = {
		.key = FOREIGN, .prot = prot, .lease = lease, .half = 1};
	struct world *w = start_keyed(f, "fabric: {m_key: 0x2222}\n", &k);
	unsigned foreign = count_keyed(w, FOREIGN);
	struct sm_status s;

	ck_assert_uint_gt(foreign, 15);
	ck_assert(world_settle(w, mono_ms(30000)));
	printf("level %u: %u of %u nodes with an unknown key: in order after "
	       "%lld ms\n",
		prot, foreign, f->nnodes,
		(long long)sm_view(w->sm)->times.total.ns / 1000000);
	ck_assert_int_lt(sm_view(w->sm)->times.total.ns, mono_ms(12000).ns);
	ck_assert_uint_gt(count_active(w), 0);
	ck_assert_uint_eq(count_keyed(w, FOREIGN), foreign);
	ck_assert_uint_gt(count_keyed(w, NEW), 0);
	sm_status(w->sm, &s);
	if (prot == 1) {
		ck_assert_uint_eq(count_keyed(w, NEW), f->nnodes - foreign);
		ck_assert_msg(strstr(s.alarm, "M_Key not known: ") != NULL,
			"alarm: %s", s.alarm);
		ck_assert_uint_eq(s.m_keys.unknown, foreign);
		ck_assert_uint_eq(s.m_keys.silent, 0);
		ck_assert_uint_eq(s.m_keys.nports, SM_M_KEY_PORTS);
	} else {
		ck_assert_msg(strstr(s.alarm, "do not answer") != NULL,
			"alarm: %s", s.alarm);
		ck_assert_uint_gt(s.m_keys.silent, 0);
	}
	if (later != NULL)
		world_reload(w, later);
	else
		world_run(w, mono_ms((lease + 60) * 1000L));
	core_expect_order(w, "recovered");
	expect_keys(w, NEW, 1, 60);
	expect_no_alarm(w);
	core_end(w, f);
}

TEST(unknown_keys_until_leases_run_out)
{
	half_unknown(1, 30, NULL);
}

LOOP_TEST(unknown_keys_until_they_are_configured, 1, 4)
{
	half_unknown((uint8_t)_i, 0,
		"fabric: {m_key: 0x2222, m_keys_known: [0xf0f0]}\n");
}

TEST(unknown_guarded_keys_until_leases_run_out)
{
	half_unknown(2, 30, NULL);
}

/* Hundreds of locked ports are polled in turn, where no lease is to be kept. */
TEST(many_unknown_keys_without_leases)
{
	AUTO(fabric) struct fabric *f = shape_of("two:18:36:18");
	struct sim_options o = sim_defaults();
	AUTO(world)
	struct world *w = world_new(f, &o,
		"fabric: {m_key: 0x2222, m_key_lease: 0}\n"
		"sweep: {interval: 0}\n");
	struct sm_status s;
	uint32_t i, opened = 0;

	for (i = 0; i < f->nnodes; i++)
		if (is_host(w, i) && i != w->host)
			hand_host_key(w, i, 1);
	world_start(w);
	/* between two retries, which would find out as well */
	world_run(w, mono_ms(200000));
	sm_status(w->sm, &s);
	ck_assert_uint_eq(s.m_keys.unknown, 647);
	for (i = f->nnodes; i-- > 0 && opened < 50;)
		if (is_host(w, i) && i != w->host) {
			hand_host_key(w, i, 0); /* shown from now on */
			opened++;
		}
	world_run(w, mono_ms(15000));
	sm_status(w->sm, &s);
	ck_assert_uint_eq(s.m_keys.unknown, 647 - opened);
}

/* ---- leases ---- */

/* Another host tries a wrong key on every port by its LID, now and then. */
struct attacker {
	struct world *w;
	struct sim_endpoint *ep;
};

static void
send_attack(void *cookie, struct sim *s)
{
	struct attacker *a = cookie;
	const struct topo *t = sm_view(a->w->sm)->topo;
	struct smp q = {.mgmt_class = MAD_SUBN_LID,
		.method = MAD_SET,
		.attr = MAD_NODE_DESC,
		.mkey = 0xbad};
	struct transport_msg m = {.len = MAD_SIZE};

	for (port_ix p = 0; p < t->nports; p++)
		if (topo_has_lid(t, p) && t->port[p].lid != 0) {
			q.tid++;
			m.addr.lid = t->port[p].lid;
			smp_encode(&q, m.mad);
			sim_send(a->ep, &m);
		}
	sim_at(s, mono_add(sim_now(s), mono_ms(7000)), send_attack, a);
}

static void
ignore_message(void *cookie, const struct transport_msg *m, struct mono now)
{
	(void)cookie;
	(void)m;
	(void)now;
}

static struct attacker
attack_from(struct world *w, const char *host)
{
	struct attacker a = {w, sim_attach(w->sim, fabric_find(w->fabric, host),
					1, ignore_message, NULL)};

	return a;
}

static enum sim_verdict
lose_traps(void *cookie, struct sim_msg *m)
{
	struct smp s;

	(void)cookie;
	return m->where == SIM_AT_ENDPOINT &&
			       smp_decode(m->m.mad, m->m.len, &s, NULL) == 0 &&
			       s.method == MAD_TRAP
		       ? SIM_DROP
		       : SIM_PASS;
}

/* Whether traps arrive (_i 1) or not: they cause no request. */
LOOP_TEST(leases_are_kept, 0, 2)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world)
	struct world *w =
		core_start(f, "fabric: {m_key: 0x1111, m_key_lease: 20s}\n"
			      "sweep: {interval: 0}\n");
	struct attacker a;
	struct sm_status s;
	uint64_t asked;

	core_expect_order(w, "bring-up");
	if (_i == 0)
		sim_set_hook(w->sim, lose_traps, NULL);
	asked = sim_stats(w->sim)->by[MAD_PORT_INFO][MAD_GET];
	a = attack_from(w, "h9");
	send_attack(&a, w->sim);
	world_run(w, mono_ms(3 * 20000 + 5000));
	expect_keys(w, OLD, 1, 20);
	ck_assert_uint_gt(sum_violations(w), 5 * (f->nnodes - 1));
	sm_status(w->sm, &s);
	ck_assert_uint_eq(s.faults[SM_FAULT_M_KEY] > 5, _i == 1);
	asked = sim_stats(w->sim)->by[MAD_PORT_INFO][MAD_GET] - asked;
	ck_assert_uint_ge(asked, 9 * f->nnodes);
	ck_assert_uint_le(asked, 10 * f->nnodes);
}

/* TrapRepress is checked, too: a wrong key would be reported by a trap. */
TEST(traps_are_repressed_with_the_key)
{
	struct fabric *f = core_tree();
	struct world *w = core_start(f, "fabric: {m_key: 0x1111}\n");
	uint32_t leaf = fabric_find(f, "leaf3");

	core_expect_order(w, "bring-up");
	sim_fault_link(w->sim, leaf, 5, false);
	core_expect_order(w, "one link less");
	ck_assert_uint_gt(sim_stats(w->sim)->traps, 0);
	ck_assert_uint_eq(sum_violations(w), 0);
	core_end(w, f);
}

/* Without a manager the protection ends, and the next one restores it. */
TEST(a_lease_runs_out)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world)
	struct world *w =
		core_start(f, "fabric: {m_key: 0x1111, m_key_lease: 20s}\n");
	uint32_t h = fabric_find(f, "h9");
	struct mad_port_info pi;
	uint8_t d[MAD_DATA];

	core_expect_order(w, "bring-up");
	pi = *sim_port_info(w->sim, h, 1);
	pi.mkey_prot = 0; /* as if it had */
	sim_hand_port(w->sim, h, 1, &pi);
	ck_assert_uint_eq(sim_read(w->sim, h, 1, MAD_PORT_INFO, 1, d), 0);
	world_run(w, mono_ms(10000));
	expect_keys(w, OLD, 1, 20);
}

/* 648 hosts: requests are spread over the lease, three to each port. */
TEST(renewals_are_spread)
{
	AUTO(fabric) struct fabric *f = shape_of("two:18:36:18");
	AUTO(world)
	struct world *w = core_start(
		f, "fabric: {m_key: 0x1111}\nsweep: {interval: 0}\n");
	uint64_t before, most = 0, total = 0;

	core_expect_order(w, "bring-up");
	world_run(w, mono_ms(20000));
	for (int i = 0; i < 60; i++) {
		before = sim_stats(w->sim)->by[MAD_PORT_INFO][MAD_GET];
		world_run(w, mono_ms(1000));
		before = sim_stats(w->sim)->by[MAD_PORT_INFO][MAD_GET] - before;
		total += before;
		most = before > most ? before : most;
	}
	printf("%u nodes: %llu requests in 60 s, at most %llu in one\n",
		f->nnodes, (unsigned long long)total, (unsigned long long)most);
	ck_assert_uint_ge(total, 3 * f->nnodes - f->nnodes / 10);
	ck_assert_uint_le(total, 3 * f->nnodes + f->nnodes / 10);
	ck_assert_uint_le(most, 2 * total / 60);
}

/* More is asked for than the hosts, which are slow, can answer: that is said.
 */
TEST(a_lease_that_cannot_be_kept)
{
	AUTO(fabric) struct fabric *f = shape_of("two:18:36:18");
	AUTO(world) struct world *w = NULL;
	struct sm_status s;

	for (uint32_t i = 0; i < f->nnodes; i++)
		if (f->node[i].type != FABRIC_SWITCH)
			f->node[i].attrs.service_ns = 300 * 1000000;
	w = core_start(f, "fabric: {m_key: 0x1111, m_key_lease: 3s}\n"
			  "smp: {window_max: 32, timeout: 1s}\n"
			  "sweep: {interval: 0}\n");
	world_run(w, mono_ms(120000));
	ck_assert_uint_eq(count_keyed(w, OLD), f->nnodes);
	sm_status(w->sm, &s);
	ck_assert_msg(strstr(s.alarm, "leases of M_Keys can run out") != NULL,
		"alarm: %s", s.alarm);
	world_reload(w, "fabric: {m_key: 0x1111, m_key_lease: 60s}\n"
			"smp: {window_max: 32, timeout: 1s}\n"
			"sweep: {interval: 0}\n");
	world_run(w, mono_ms(60000));
	expect_no_alarm(w);
}

/* The part of a fabric that comes later is in the same round. */
TEST(a_fabric_that_grows_keeps_its_leases)
{
	struct fabric *f = core_tree();
	struct sim_options o = sim_defaults();
	struct world *w = world_new(f, &o, "fabric: {m_key: 0x1111}\n");
	uint64_t asked;

	for (uint32_t c = 0; c < f->ncables; c++)
		if (f->cable[c].node[0] != w->host &&
			f->cable[c].node[1] != w->host)
			sim_fault_link(w->sim, f->cable[c].node[0],
				f->cable[c].port[0], false);
	world_start(w);
	ck_assert(world_settle(w, mono_ms(30000)));
	world_run(w, mono_ms(1000));
	for (uint32_t c = 0; c < f->ncables; c++)
		sim_fault_link(
			w->sim, f->cable[c].node[0], f->cable[c].port[0], true);
	core_expect_order(w, "grown");
	world_run(w, mono_ms(20000));
	asked = sim_stats(w->sim)->by[MAD_PORT_INFO][MAD_GET];
	world_run(w, mono_ms(20000));
	asked = sim_stats(w->sim)->by[MAD_PORT_INFO][MAD_GET] - asked;
	ck_assert_uint_ge(asked, f->nnodes);
	expect_no_alarm(w);
	core_end(w, f);
}

/* A host that was restarted has no key; it gets its own again. */
TEST(a_lost_key_is_written_again)
{
	struct fabric *f = core_tree();
	struct world *w = core_start(f, "fabric: {m_key: 0x1111}\n");
	uint32_t h = fabric_find(f, "h9");
	struct mad_port_info pi;

	core_expect_order(w, "bring-up");
	pi = *sim_port_info(w->sim, h, 1);
	pi.mkey = 0;
	pi.mkey_prot = 0;
	sim_hand_port(w->sim, h, 1, &pi);
	world_run(w, mono_ms(25000));
	expect_keys(w, OLD, 1, 60);
	core_end(w, f);
}
