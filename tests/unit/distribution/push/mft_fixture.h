/*
 * Shared by the tests of multicast forwarding tables: a world with hosts that
 * join and leave, packets forwarded by the tables that simulated switches hold,
 * and a writer of such tables without a subnet manager around it.
 */
#ifndef HEDDLE_TESTS_UNIT_DISTRIBUTION_PUSH_MFT_FIXTURE_H
#define HEDDLE_TESTS_UNIT_DISTRIBUTION_PUSH_MFT_FIXTURE_H

#include "tests/unit/sm/sa/sa_fixture.h"

#include <stdio.h>

#include "distribution/device/device_request.h"
#include "distribution/device/device_store.h"
#include "distribution/push/mft.h"
#include "routing/driver/compute.h"
#include "routing/mcast/mcast.h"
#include "sm/base/rng.h"
#include "tests/unit/routing/mcast/branch_of.h"

enum { REC = MAD_SA_MEMBER_REC, HOSTS = 200, GROUPS = 6, MLID = 0xc000 };
enum {
	JOIN = MAD_SA_MEMBER_MGID | MAD_SA_MEMBER_GID | MAD_SA_MEMBER_STATE,
	MAKE = JOIN | MAD_SA_MEMBER_QKEY | MAD_SA_MEMBER_TCLASS |
	       MAD_SA_MEMBER_PKEY | MAD_SA_MEMBER_FLOW | MAD_SA_MEMBER_SL,
};

/* A world with joins of hosts from one endpoint that is trusted. */
struct play {
	struct fixture x;
	struct host *speaker;
	uint32_t host[HOSTS + 1]; /* nodes */
	uint32_t nhosts;
	uint8_t state[GROUPS][HOSTS + 1]; /* member state as requested */
	uint32_t *got;			  /* by node: copies received */
	uint8_t *passed; /* by node: how often a switch forwarded */
	bool loops, twice;
	uint64_t writes; /* Set(MFT) that arrived */
	bool watching;
	uint16_t order[4096]; /* attributes of tables written */
	unsigned norder;
	struct rng rng;
};

static inline struct mad_gid
mgid_of(unsigned group)
{
	return (struct mad_gid){
		UINT64_C(0xff12401bffff0000), group == 0 ? 0xffffffff : group};
}

/* Forwards a packet for mlid that enters a switch by port in. */
static inline void
forward_packet(struct play *p, uint32_t node, unsigned in, uint16_t mlid)
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
			sim_port_info(p->x.w->sim, node, out)->state !=
				PORT_ACTIVE)
			continue;
		if (p->x.f->node[peer].type == FABRIC_SWITCH)
			forward_packet(p, peer, peer_port, mlid);
		else
			p->got[peer]++;
	}
}

/* Sends a packet from a host to a group. */
static inline void
send_packet(struct play *p, uint32_t host, uint16_t mlid)
{
	uint32_t peer;
	unsigned peer_port;

	memset(p->got, 0, sim_nodes(p->x.w->sim) * sizeof(*p->got));
	memset(p->passed, 0, sim_nodes(p->x.w->sim));
	if (fabric_peer(p->x.f, host, 1, &peer, &peer_port))
		forward_packet(p, peer, peer_port, mlid);
}

/* Fails if any sender's packet reaches a host or a switch twice; holds at any
 * moment. */
static inline void
judge_moment(struct play *p)
{
	for (unsigned g = 0; g < GROUPS; g++)
		for (unsigned k = 0; k < 8; k++) {
			uint32_t h = p->host[rng_below(&p->rng, p->nhosts)];

			send_packet(p, h, (uint16_t)(MLID + g));
			ck_assert_msg(!p->twice, "group %u: a switch twice", g);
			for (uint32_t i = 0; i < p->nhosts; i++)
				ck_assert_uint_le(p->got[p->host[i]], 1);
		}
}

static inline enum sim_verdict
on_sma_message(void *cookie, struct sim_msg *m)
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

/* Every receiver of a group gets a packet once, and no other host gets it. */
static inline void
judge_delivery(struct play *p)
{
	for (unsigned g = 0; g < GROUPS; g++)
		for (uint32_t i = 0; i < p->nhosts; i++) {
			if (p->state[g][i] == 0 ||
				!sim_present(p->x.w->sim, p->host[i]))
				continue;
			send_packet(p, p->host[i], (uint16_t)(MLID + g));
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

/* Sends the speaker's request about the membership of a host; does not wait. */
static inline void
send_membership(
	struct play *p, unsigned g, uint32_t i, uint8_t method, uint8_t state)
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

static inline void
settle_membership(struct play *p)
{
	for (int i = 0; i < 1000 && p->speaker->answers == 0; i++)
		world_run(p->x.w, mono_ms(1));
	ck_assert_uint_eq(p->speaker->answers, 1);
	ck_assert_uint_eq(p->speaker->h.status, 0);
	world_run(p->x.w, mono_ms(100));
}

static inline struct play *
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
	sim_set_hook(p->x.w->sim, on_sma_message, p);
	/* the first host stays in all groups, which get consecutive MLIDs */
	for (unsigned g = 0; g < GROUPS; g++) {
		send_membership(p, g, 0, MAD_SET, 1);
		settle_membership(p);
	}
	p->writes = 0;
	return p;
}

static inline void
play_free(struct play *p)
{
	host_free(p->speaker);
	fixture_free(&p->x);
	free(p->got);
	free(p->passed);
	free(p);
}
AUTO_POINTER(play, struct play, play_free)

/* ---- the writer alone: trees that move over links that carry data ---- */

struct writer {
	struct play *p;
	struct topo *t;
	struct xact *x;
	struct device_store *hw;
	struct mft *mft;
	uint32_t *pos;
	struct mcast_tree *tree[GROUPS];
	unsigned switches; /* Sets of SwitchInfo that were acknowledged */
};

/* Hands the answers meant for the subnet manager, which is gone, to the
 * writer. */
static inline enum sim_verdict
redirect_answers(void *cookie, struct sim_msg *m)
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

static inline void
heard_switch(void *cookie, uint64_t guid, const uint8_t info[MAD_DATA])
{
	struct writer *w = cookie;

	(void)guid;
	(void)info;
	w->switches++;
}

/* A writer that knows nothing of what the switches hold. */
static inline void
make_writer(struct writer *w)
{
	struct device_store *hw = device_new(NULL);

	mft_free(w->mft);
	device_free(w->hw);
	w->hw = hw;
	w->mft = mft_new(&(struct mft_job){.x = w->x,
		.hw = hw,
		.switch_written = heard_switch,
		.cookie = w});
	mft_adopt(w->mft, w->t);
}

static inline struct writer *
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

	w->p = play_new(f, seed);
	w->t = topo_ref(sm_view(w->p->x.w->sm)->topo);
	w->pos = mem_zalloc(w->t->nsw, sizeof(*w->pos));
	world_kill(w->p->x.w);
	w->x = xact_new(&o, sim_transport(w->p->x.w->ep));
	make_writer(w);
	sim_set_hook(w->p->x.w->sim, redirect_answers, w);
	return w;
}

static inline void
writer_free(struct writer *w)
{
	for (unsigned g = 0; g < GROUPS; g++)
		mcast_tree_free(w->tree[g]);
	mft_free(w->mft);
	device_free(w->hw);
	xact_free(w->x);
	free(w->pos);
	topo_unref(w->t);
	play_free(w->p);
	free(w);
}
AUTO_POINTER(writer, struct writer, writer_free)

/* Orders the switches by distance from a random one, which is the only root. */
static inline void
draw_order(struct writer *w)
{
	const struct topo *t = w->t;
	uint32_t head = 0, tail = 0;
	AUTO(mem) sw_ix *queue = mem_zalloc(t->nsw, sizeof(*queue));

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
}

/* The members of a group, as the tree maker takes them. */
static inline size_t
members_of(const struct writer *w, unsigned g, struct mcast_member *m)
{
	const struct play *p = w->p;
	size_t n = 0;

	for (uint32_t i = 0; i < p->nhosts; i++)
		if (p->state[g][i] != 0)
			m[n++] = (struct mcast_member){
				topo_by_port_guid(
					w->t, fabric_port(p->x.f, p->host[i], 1)
						      ->guid),
				true};
	return n;
}

static inline void
draw_trees(struct writer *w)
{
	struct play *p = w->p;
	struct mcast *maker =
		mcast_new(w->t, &(struct route_mcast){.pos = w->pos});

	for (unsigned g = 0; g < GROUPS; g++) {
		struct mcast_member m[HOSTS + 1];
		size_t n;

		for (uint32_t i = 0; i < p->nhosts; i++)
			p->state[g][i] = rng_below(&p->rng, 2) == 0;
		n = members_of(w, g, m);
		mcast_tree_free(w->tree[g]);
		w->tree[g] =
			mcast_tree(maker, m, n, NULL, rng_below(&p->rng, 1000));
		mft_want(w->mft, g, w->tree[g]);
	}
	mcast_free(maker);
}

/* How long copies of an SMP stay in flight. */
static const struct mono stray = {400000000};

/* Feeds the writer until its run is over. */
static inline void
feed_writer(struct writer *w)
{
	struct sim *sim = w->p->x.w->sim;
	struct mono due;

	while (mft_running(w->mft)) {
		mft_feed(w->mft, sim_now(sim));
		if (!mft_running(w->mft))
			break;
		due = mono_min(sim_next(sim), xact_next(w->x));
		sim_run_until(sim, mft_asking(w->mft)
					   ? due
					   : mono_min(due, mft_next(w->mft)));
		xact_tick(w->x, sim_now(sim));
	}
}

static inline void
write_all(struct writer *w)
{
	struct sim *sim = w->p->x.w->sim;

	for (;;) {
		while (mft_ask(w->mft, 0, sim_now(sim)))
			feed_writer(w);
		if (!mft_begin(w->mft, stray))
			break;
		feed_writer(w);
	}
}

/* Lets time pass; what is due meanwhile is read, but not written. */
static inline void
pass_time(struct writer *w, struct mono time)
{
	struct sim *sim = w->p->x.w->sim;
	struct mono end = mono_add(sim_now(sim), time);

	sim_run_until(sim, end);
	xact_tick(w->x, sim_now(sim));
	if (mft_ask(w->mft, 0, sim_now(sim)))
		feed_writer(w);
}

/* The node of the simulation that is this switch. */
static inline uint32_t
node_of(const struct writer *w, sw_ix s)
{
	uint32_t n = 0;

	while (w->p->x.f->node[n].guid != w->t->node[w->t->sw[s].node].guid)
		n++;
	return n;
}

/* True if a switch holds what the trees want of it. */
static inline bool
holds_wanted_mft(const struct writer *w, sw_ix s)
{
	for (unsigned g = 0; g < GROUPS; g++) {
		const struct mcast_branch *b = branch_of(w->tree[g], s);
		uint64_t ports[4];

		sim_mft(w->p->x.w->sim, node_of(w, s), (uint16_t)(MLID + g),
			ports);
		if ((b != NULL ? b->mask[0] : 0) != ports[0])
			return false;
	}
	return true;
}

/* Reads what a switch holds of a group, as far as the writer knows. */
struct found {
	const struct writer *w;
	unsigned group;
};

static inline bool
found_row(void *cookie, sw_ix s, uint64_t out[MCAST_WORDS])
{
	const struct found *f = cookie;
	const struct topo *t = f->w->t;

	return mft_row(f->w->mft, t->node[t->sw[s].node].guid, f->group, out);
}

/* A Set that bypasses the writer. */
struct smp_set {
	uint16_t attr;
	uint32_t mod;
	uint8_t data[MAD_DATA];
};

static inline void
set_done(void *cookie, uint64_t tag, const struct xact_result *res)
{
	(void)tag;
	*(bool *)cookie = true;
	ck_assert_int_eq(res->outcome, XACT_OK);
}

static inline void
set_behind(struct writer *w, uint64_t guid, const struct smp_set *set)
{
	struct sim *sim = w->p->x.w->sim;
	struct xact_request r;
	bool done = false;

	ck_assert_int_eq(
		device_request(w->t, topo_by_node_guid(w->t, guid), &r), 0);
	r.method = MAD_SET;
	r.attr = set->attr;
	r.mod = set->mod;
	memcpy(r.data, set->data, sizeof(r.data));
	xact_submit(w->x, &r, sim_now(sim), set_done, &done, 0);
	while (!done) {
		sim_run_until(sim, mono_min(sim_next(sim), xact_next(w->x)));
		xact_tick(w->x, sim_now(sim));
	}
}

#endif
