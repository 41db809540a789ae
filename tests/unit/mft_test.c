/*
 * Delivery to groups, judged by the tables that simulated switches hold: every
 * receiver gets what any member sends exactly once, nobody else anything; and
 * at every moment of a change nobody gets anything twice.
 */
#include "tests/unit/sa_fixture.h"

#include <stdio.h>

#include "distribution/mft.h"
#include "routing/mcast.h"
#include "routing/route.h"
#include "sm/base/rng.h"

enum { REC = MAD_SA_MEMBER_REC, HOSTS = 200, GROUPS = 6, MLID = 0xc000 };
enum {
	JOIN = MAD_SA_MEMBER_MGID | MAD_SA_MEMBER_GID | MAD_SA_MEMBER_STATE,
	MAKE = JOIN | MAD_SA_MEMBER_QKEY | MAD_SA_MEMBER_TCLASS |
	       MAD_SA_MEMBER_PKEY | MAD_SA_MEMBER_FLOW | MAD_SA_MEMBER_SL,
};

/* A world whose hosts' joins come from one endpoint that is trusted. */
struct play {
	struct fixture x;
	struct host *speaker;
	uint32_t host[HOSTS + 1]; /* nodes */
	uint32_t nhosts;
	uint8_t state[GROUPS][HOSTS + 1]; /* as asked for */
	uint32_t *got;			  /* by node: copies */
	uint8_t *passed;		  /* by node: switches */
	bool loops, twice;
	uint64_t writes; /* Set(MFT) that arrived */
	bool watching;
	uint16_t order[4096]; /* attributes of tables written */
	unsigned norder;
	struct rng rng;
};

static struct mad_gid
mgid_of(unsigned group)
{
	return (struct mad_gid){
		UINT64_C(0xff12401bffff0000), group == 0 ? 0xffffffff : group};
}

/* A packet for mlid goes into a switch by port in. */
static void
carry(struct play *p, uint32_t node, unsigned in, uint16_t mlid)
{
	uint64_t ports[4];

	if (p->passed[node]++ > 0) {
		p->twice = true;
		p->loops |= p->passed[node] > 4;
		return;
	}
	sim_mft(p->x.w->sim, node, mlid, ports);
	for (unsigned out = 1; out <= p->x.f->node[node].nports; out++) {
		uint32_t peer;
		unsigned peer_port;

		if ((ports[out / 64] >> out % 64 & 1) == 0 || out == in ||
			!fabric_peer(p->x.f, node, out, &peer, &peer_port) ||
			sim_port_info(p->x.w->sim, node, out)->state != 4)
			continue;
		if (p->x.f->node[peer].type == FABRIC_SWITCH)
			carry(p, peer, peer_port, mlid);
		else
			p->got[peer]++;
	}
}

/* What a host sends to a group. */
static void
sends(struct play *p, uint32_t host, uint16_t mlid)
{
	uint32_t peer;
	unsigned peer_port;

	memset(p->got, 0, sim_nodes(p->x.w->sim) * sizeof(*p->got));
	memset(p->passed, 0, sim_nodes(p->x.w->sim));
	if (fabric_peer(p->x.f, host, 1, &peer, &peer_port))
		carry(p, peer, peer_port, mlid);
}

/* No copy too many, whoever sends: at any moment. */
static void
judge_moment(struct play *p)
{
	for (unsigned g = 0; g < GROUPS; g++)
		for (unsigned k = 0; k < 8; k++) {
			uint32_t h = p->host[rng_below(&p->rng, p->nhosts)];

			sends(p, h, (uint16_t)(MLID + g));
			ck_assert_msg(!p->twice, "group %u: a switch twice", g);
			for (uint32_t i = 0; i < p->nhosts; i++)
				ck_assert_uint_le(p->got[p->host[i]], 1);
		}
}

static enum sim_verdict
hook(void *cookie, struct sim_msg *m)
{
	struct play *p = cookie;
	struct smp s;
	struct reason why;

	if (m->where != SIM_AT_SMA ||
		smp_decode(m->m.mad, m->m.len, &s, &why) != 0 ||
		s.attr != MAD_MFT || s.method != MAD_SET)
		return SIM_PASS;
	p->writes++;
	if (p->watching && p->writes % 3 == 0)
		judge_moment(p);
	return SIM_PASS;
}

/* Everybody who receives gets it once, and nobody else. */
static void
judge_delivery(struct play *p)
{
	for (unsigned g = 0; g < GROUPS; g++)
		for (uint32_t i = 0; i < p->nhosts; i++) {
			if (p->state[g][i] == 0 ||
				!sim_present(p->x.w->sim, p->host[i]))
				continue;
			sends(p, p->host[i], (uint16_t)(MLID + g));
			ck_assert(!p->twice);
			for (uint32_t k = 0; k < p->nhosts; k++) {
				bool hears =
					k != i && (p->state[g][k] & 3) != 0 &&
					sim_present(p->x.w->sim, p->host[k]);

				ck_assert_msg(p->got[p->host[k]] == hears,
					"group %u: from %s to %s: %u copies", g,
					sim_name(p->x.w->sim, p->host[i]),
					sim_name(p->x.w->sim, p->host[k]),
					p->got[p->host[k]]);
			}
		}
}

/* A message of the speaker about the membership of a host; does not wait. */
static void
say(struct play *p, unsigned g, uint32_t i, uint8_t method, uint8_t state)
{
	const struct mad_sa_member m = {
		.mgid = mgid_of(g),
		.gid = {PREFIX, fabric_port(p->x.f, p->host[i], 1)->guid},
		.qkey = 0xb1b,
		.pkey = 0xffff,
		.state = state,
	};
	uint8_t rec[REC];
	const struct ask a = {.mask = method == MAD_SET ? MAKE : JOIN,
		.rec = rec,
		.len = sizeof(rec),
		.key = SA_KEY};

	mad_sa_member_encode(&m, rec);
	host_send(p->speaker, method, MAD_SA_MEMBER, &a);
	if (method == MAD_SET)
		p->state[g][i] |= state;
	else
		p->state[g][i] &= (uint8_t)~state;
}

static void
settle(struct play *p)
{
	for (int i = 0; i < 1000 && p->speaker->answers == 0; i++)
		world_run(p->x.w, mono_ms(1));
	ck_assert_uint_eq(p->speaker->answers, 1);
	ck_assert_uint_eq(p->speaker->h.status, 0);
	world_run(p->x.w, mono_ms(20));
}

static struct play *
play_new(struct fabric *f, uint64_t seed)
{
	struct play *p = mem_zalloc(1, sizeof(*p));

	ck_assert(f != NULL);
	p->rng = (struct rng){seed};
	p->x = fixture_with(f, "sa: {trust_key: 0x5ec2e7}");
	for (uint32_t n = 0; n < f->nnodes && p->nhosts < HOSTS + 1; n++)
		if (f->node[n].type == FABRIC_CA && n != fabric_first_host(f))
			p->host[p->nhosts++] = n;
	p->speaker = host_on(p->x.w, f->node[p->host[p->nhosts - 1]].name);
	p->got = mem_zalloc(f->nnodes, sizeof(*p->got));
	p->passed = mem_zalloc(f->nnodes, 1);
	sim_set_hook(p->x.w->sim, hook, p);
	/* the first host stays in all groups, which get their MLIDs in turn */
	for (unsigned g = 0; g < GROUPS; g++) {
		say(p, g, 0, MAD_SET, 1);
		settle(p);
	}
	p->writes = 0;
	return p;
}

static void
play_free(struct play *p)
{
	host_free(p->speaker);
	fixture_free(&p->x);
	free(p->got);
	free(p->passed);
	free(p);
}

START_TEST(hosts_come_leave_and_return)
{
	struct reason why;
	struct play *p = play_new(gen_tree_three(10, &why), 1);
	uint32_t sw = 0;
	uint64_t first;

	for (uint32_t n = 0; n < p->x.f->nnodes; n++)
		sw += p->x.f->node[n].type == FABRIC_SWITCH;
	for (uint32_t i = 0; i < p->nhosts; i++)
		for (unsigned g = 0; g < GROUPS; g++)
			if (g == 0 || (i + g) % 3 == 0)
				say(p, g, i, MAD_SET, 1);
	settle(p);
	judge_delivery(p);
	first = p->writes;
	/* gathered: not a write per join, hardly one per switch and cycle */
	ck_assert_uint_le(first, 6U * sw);
	/* what is there already writes nothing */
	say(p, 0, 3, MAD_SET, 1);
	settle(p);
	ck_assert_uint_eq(p->writes, first);
	for (uint32_t i = 2; i < p->nhosts; i += 2)
		for (unsigned g = 0; g < GROUPS; g++)
			if (p->state[g][i] != 0 && i + 1 < p->nhosts)
				say(p, g, i, MAD_SA_DELETE, 1);
	settle(p);
	judge_delivery(p);
	for (uint32_t i = 0; i < p->nhosts; i += 2)
		say(p, 0, i, MAD_SET, i % 4 == 0 ? 1 : 4);
	settle(p);
	judge_delivery(p);
	play_free(p);
}
END_TEST

/* One join is one cell where the switch has others, and is there in time. */
START_TEST(a_join_is_answered_when_it_is_written)
{
	static const struct gen_fattree2 two = {4, 8, 2, 6, 3};
	struct reason why;
	struct play *p = play_new(gen_tree_two(&two, &why), 1);

	for (uint32_t i = 0; i + 1 < p->nhosts; i++)
		say(p, 0, i, MAD_SET, 1);
	settle(p);
	p->writes = 0;
	say(p, 0, p->nhosts - 1, MAD_SET, 1);
	while (p->speaker->answers == 0)
		world_run(p->x.w, mono_us(10));
	judge_delivery(p); /* at that very moment */
	ck_assert_uint_le(p->writes, 1);
	play_free(p);
}
END_TEST

/* Cables break, switches reboot: trees move, and no moment has two copies. */
START_TEST(changes_have_no_bad_moment)
{
	uint64_t seed = (uint64_t)_i + 1;
	static const unsigned torus[] = {3, 3, 3};
	static const struct gen_fattree2 two = {6, 8, 3, 6, 2};
	struct reason why;
	struct fabric *f = seed % 2 == 0 ? gen_grid(torus, 3, true, 1, &why)
					 : gen_tree_two(&two, &why);
	struct play *p = play_new(f, seed);

	for (unsigned round = 0; round < 5; round++) {
		uint32_t n, peer;
		unsigned port, peer_port;

		for (unsigned k = 0; k < 30; k++) {
			uint32_t i = (uint32_t)rng_below(&p->rng, p->nhosts);
			unsigned g = (unsigned)rng_below(&p->rng, GROUPS);
			uint8_t state = rng_below(&p->rng, 4) == 0 ? 8 : 1;

			if ((p->state[g][i] & state) == 0)
				say(p, g, i, MAD_SET, state);
		}
		p->watching = true;
		settle(p);
		p->watching = false;
		judge_delivery(p);
		do {
			n = (uint32_t)rng_below(&p->rng, f->nnodes);
			port = 1 +
			       (unsigned)rng_below(&p->rng, f->node[n].nports);
		} while (f->node[n].type != FABRIC_SWITCH ||
			 !fabric_peer(f, n, port, &peer, &peer_port) ||
			 f->node[peer].type != FABRIC_SWITCH);
		p->watching = true;
		if (round % 2 == 0)
			sim_fault_link(p->x.w->sim, n, port, false);
		else if (round == 1)
			sim_fault_reboot(p->x.w->sim, n);
		ck_assert(world_settle(p->x.w, mono_ms(60000)));
		p->watching = false;
		judge_delivery(p);
		if (round % 2 == 0)
			sim_fault_link(p->x.w->sim, n, port, true);
		ck_assert(world_settle(p->x.w, mono_ms(60000)));
		judge_delivery(p);
	}
	play_free(p);
}
END_TEST

/* The order of switches is turned over: trees against it are gone before the
 * first unicast table of it is written, and back afterwards. */
static enum sim_verdict
strict(void *cookie, struct sim_msg *m)
{
	struct play *p = cookie;
	struct reason why;
	struct smp s;

	if (m->where != SIM_AT_SMA ||
		smp_decode(m->m.mad, m->m.len, &s, &why) != 0 ||
		s.method != MAD_SET)
		return SIM_PASS;
	if (s.attr == MAD_MFT)
		judge_moment(p);
	if (s.attr == MAD_MFT || s.attr == MAD_LFT)
		p->order[p->norder < 4096 ? p->norder++ : 0] = s.attr;
	return SIM_PASS;
}

static struct config *
rooted(uint64_t guid)
{
	struct diag_list bad = {0};
	char yaml[256];
	struct config *c;

	(void)snprintf(yaml, sizeof(yaml),
		"{sa: {trust_key: 0x5ec2e7}, routing: {engines: [updn], "
		"updn: {roots: [0x%016llx]}}}",
		(unsigned long long)guid);
	c = config_parse(
		"test.yaml", yaml, strlen(yaml), route_engine_names(), &bad);
	ck_assert_ptr_nonnull(c);
	diag_free(&bad);
	return c;
}

START_TEST(an_order_that_turns_over)
{
	static const unsigned line[] = {4, 4};
	struct reason why;
	struct fabric *f = gen_grid(line, 2, false, 1, &why);
	struct play *p = play_new(f, 1);
	uint32_t ends[2] = {UINT32_MAX, 0}, i;

	for (i = 0; i < f->nnodes; i++)
		if (f->node[i].type == FABRIC_SWITCH) {
			ends[0] = ends[0] == UINT32_MAX ? i : ends[0];
			ends[1] = i;
		}
	for (i = 0; i < p->nhosts; i++)
		say(p, 0, i, MAD_SET, 1);
	settle(p);
	sim_set_hook(p->x.w->sim, strict, p);
	for (unsigned k = 0; k < 4; k++) {
		struct config *c = rooted(f->node[ends[k % 2]].guid);
		unsigned lft;

		p->norder = 0;
		sm_reconfigure(p->x.w->sm, c, sim_now(p->x.w->sim));
		config_unref(c);
		ck_assert(world_settle(p->x.w, mono_ms(60000)));
		judge_delivery(p);
		for (lft = 0; lft < p->norder && p->order[lft] == MAD_MFT;)
			lft++;
		if (k == 0)
			continue; /* it may have been that order before */
		ck_assert_uint_gt(lft, 0);
		ck_assert_uint_lt(lft, p->norder);
		ck_assert_uint_eq(p->order[p->norder - 1], MAD_MFT);
	}
	play_free(p);
}
END_TEST

/* ---- the writer alone: trees that move over cables that live ---- */

struct writer {
	struct play *p;
	struct topo *t;
	struct xact *x;
	struct mft *mft;
	uint32_t *pos;
	struct mcast_tree *tree[GROUPS];
};

/* Answers to the SM that is no more are the writer's. */
static enum sim_verdict
overhear(void *cookie, struct sim_msg *m)
{
	struct writer *w = cookie;
	struct reason why;
	struct smp s;

	if (smp_decode(m->m.mad, m->m.len, &s, &why) != 0)
		return SIM_PASS;
	if (m->where == SIM_AT_ENDPOINT) {
		(void)xact_input(w->x, &m->m, &s, m->now);
		return SIM_DROP;
	}
	if (s.attr == MAD_MFT && w->p->watching)
		judge_moment(w->p);
	return SIM_PASS;
}

static void
no_switch(void *cookie, uint64_t guid, const uint8_t info[MAD_DATA])
{
	(void)cookie;
	(void)guid;
	(void)info;
	ck_abort_msg("nobody has a top");
}

static struct writer *
writer_new(struct fabric *f, uint64_t seed)
{
	static const struct xact_options o = {
		.timeout = {100000000},
		.retries = 3,
		.window_start = 8,
		.window_max = 8,
		.target_max = 2,
	};
	struct writer *w = mem_zalloc(1, sizeof(*w));
	struct mft_job job = {.switch_written = no_switch};

	w->p = play_new(f, seed);
	w->t = topo_ref(sm_view(w->p->x.w->sm)->topo);
	w->pos = mem_zalloc(w->t->nsw, sizeof(*w->pos));
	world_kill(w->p->x.w);
	w->x = xact_new(&o, sim_transport(w->p->x.w->ep));
	job.x = w->x;
	w->mft = mft_new(&job);
	mft_adopt(w->mft, w->t);
	sim_set_hook(w->p->x.w->sim, overhear, w);
	return w;
}

static void
writer_free(struct writer *w)
{
	for (unsigned g = 0; g < GROUPS; g++)
		mcast_tree_free(w->tree[g]);
	mft_free(w->mft);
	xact_free(w->x);
	free(w->pos);
	topo_unref(w->t);
	play_free(w->p);
	free(w);
}

/* By distance from a random switch: one top. */
static void
draw_order(struct writer *w)
{
	const struct topo *t = w->t;
	uint32_t head = 0, tail = 0;
	sw_ix *queue = mem_zalloc(t->nsw, sizeof(*queue));

	for (sw_ix s = 0; s < t->nsw; s++)
		w->pos[s] = UINT32_MAX;
	queue[tail] = (sw_ix)rng_below(&w->p->rng, t->nsw);
	w->pos[queue[0]] = tail++;
	while (head < tail) {
		const struct topo_switch *s = &t->sw[queue[head++]];

		for (uint32_t i = 0; i < s->nadj; i++) {
			sw_ix to = t->adj[s->adj + i].peer;

			if (w->pos[to] != UINT32_MAX)
				continue;
			queue[tail] = to;
			w->pos[to] = tail++;
		}
	}
	free(queue);
}

static void
draw_trees(struct writer *w)
{
	struct play *p = w->p;
	struct mcast *maker = mcast_new(w->t, w->pos, NULL);

	for (unsigned g = 0; g < GROUPS; g++) {
		struct mcast_member m[HOSTS + 1];
		size_t n = 0;

		for (uint32_t i = 0; i < p->nhosts; i++) {
			p->state[g][i] = rng_below(&p->rng, 2) == 0;
			if (p->state[g][i] != 0)
				m[n++] = (struct mcast_member){
					topo_by_port_guid(
						w->t, fabric_port(p->x.f,
							      p->host[i], 1)
							      ->guid),
					true};
		}
		mcast_tree_free(w->tree[g]);
		w->tree[g] =
			mcast_tree(maker, m, n, NULL, rng_below(&p->rng, 1000));
		mft_want(w->mft, g, w->tree[g]);
	}
	mcast_free(maker);
}

static void
write_all(struct writer *w)
{
	struct sim *sim = w->p->x.w->sim;

	while (mft_begin(w->mft)) {
		while (mft_running(w->mft)) {
			mft_feed(w->mft, 0, sim_now(sim));
			if (!mft_running(w->mft))
				break;
			sim_run_until(
				sim, mono_min(sim_next(sim), xact_next(w->x)));
			xact_tick(w->x, sim_now(sim));
		}
	}
}

START_TEST(trees_that_move_are_broken_first)
{
	uint64_t seed = (uint64_t)_i + 1;
	static const unsigned torus[] = {3, 3, 2};
	struct sim_faults bad = {
		.delay = 300000, .loss = 20000, .delay_max = {1000000}};
	struct reason why;
	struct writer *w = writer_new(gen_grid(torus, 3, true, 1, &why), seed);
	const struct mft_counts *c = mft_counts(w->mft);
	uint64_t before;

	for (unsigned round = 0; round < 6; round++) {
		draw_order(w);
		draw_trees(w);
		/* switches disagree on when, and some orders are sent twice */
		sim_fault_chances(w->p->x.w->sim, &bad);
		w->p->watching = round > 0;
		write_all(w);
		w->p->watching = false;
		sim_fault_chances(w->p->x.w->sim, &(struct sim_faults){0});
		write_all(w);
		judge_delivery(w->p);
	}
	ck_assert_uint_gt(c->broken, 3);
	before = c->sets;
	draw_trees(w); /* others in the same order, then the same again */
	write_all(w);
	ck_assert_uint_gt(c->sets, before);
	before = c->sets;
	for (unsigned g = 0; g < GROUPS; g++)
		mft_want(w->mft, g, w->tree[g]);
	write_all(w);
	ck_assert_uint_eq(c->sets, before);
	writer_free(w);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("mft");
	TCase *c = tcase_create("world");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_set_timeout(c, 120);
	tcase_add_test(c, hosts_come_leave_and_return);
	tcase_add_test(c, a_join_is_answered_when_it_is_written);
	tcase_add_loop_test(c, changes_have_no_bad_moment, 0, 6);
	tcase_add_test(c, an_order_that_turns_over);
	tcase_add_loop_test(c, trees_that_move_are_broken_first, 0, 6);
	suite_add_tcase(s, c);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
