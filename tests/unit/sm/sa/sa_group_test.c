/*
 * Multicast groups: the record's bytes, joins and their refusals, and delivery,
 * judged by forwarding packets through the tables that the simulated switches
 * hold.
 */
#include "tests/unit/sm/sa/sa_fixture.h"

#include "sm/base/rng.h"
#include "tests/topo/shape.h"
#include "tests/unit/suite.h"

enum { REC = MAD_SA_MEMBER_REC, RECORD = 56, BROADCAST = 0xc000 };
enum {
	JOIN = MAD_SA_MEMBER_MGID | MAD_SA_MEMBER_GID | MAD_SA_MEMBER_STATE,
	MAKE = JOIN | MAD_SA_MEMBER_QKEY | MAD_SA_MEMBER_TCLASS |
	       MAD_SA_MEMBER_PKEY | MAD_SA_MEMBER_FLOW | MAD_SA_MEMBER_SL,
	MTU = MAD_SA_MEMBER_MTU_SEL | MAD_SA_MEMBER_MTU,
	RATE = MAD_SA_MEMBER_RATE_SEL | MAD_SA_MEMBER_RATE,
};

static const struct mad_gid ipoib = {UINT64_C(0xff12401bffff0000), 0xffffffff};

static struct fixture
small_fixture(const char *yaml)
{
	return fixture_with(shape_of("mesh:2:2"), yaml);
}

static struct mad_sa_member
make_join(const struct host *o, const struct mad_gid *mgid, uint8_t state)
{
	return (struct mad_sa_member){
		.mgid = *mgid,
		.gid = {PREFIX, o->guid},
		.qkey = 0xb1b,
		.pkey = 0xffff,
		.state = state,
	};
}

static uint16_t
member_key(struct host *o, uint8_t method, const struct mad_sa_member *m,
	uint64_t mask, uint64_t key)
{
	uint8_t rec[REC];
	const struct ask a = {
		.mask = mask, .rec = rec, .len = sizeof(rec), .key = key};

	mad_sa_member_encode(m, rec);
	return host_ask(o, method, MAD_SA_MEMBER, &a);
}

static uint16_t
send_member(struct host *o, uint8_t method, const struct mad_sa_member *m,
	uint64_t mask)
{
	return member_key(o, method, m, mask, 0);
}

static struct mad_sa_member
answered_member(const struct host *o)
{
	struct mad_sa_member m;

	mad_sa_member_decode(o->data, &m);
	return m;
}

/* The number of records in the answer. */
static size_t
count_groups(struct host *o, uint64_t key)
{
	const struct ask a = {.key = key};

	ck_assert_uint_eq(host_ask(o, MAD_SA_GET_TABLE, MAD_SA_MEMBER, &a), 0);
	return host_records(o, RECORD);
}

/* ---- the record ---- */

TEST(bytes_of_the_broadcast_group)
{
	static const uint8_t want[REC] = {0xff, 0x12, 0x40, 0x1b, 0xff, 0xff, 0,
		0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, [16] = 0xfe,
		0x80, [34] = 0x0b, 0x1b, 0xc0, 0x00, 0x84, 0, 0xff, 0xff, 0x83,
		/* life */ 0x80 | 18, 0, 0, 0, 0, 0x21};
	AUTO(fixture) struct fixture x = small_fixture("");
	AUTO(host) struct host *o = host_on(x.w, "h2");
	struct mad_sa_member m = make_join(o, &ipoib, MAD_SA_JOIN_FULL);
	uint8_t is[REC];

	/* it exists before any join, as IPoIB joins it */
	ck_assert_uint_eq(count_groups(o, 0), 1);
	ck_assert_uint_eq(
		send_member(o, MAD_SET, &m, JOIN | MAD_SA_MEMBER_PKEY), 0);
	ck_assert_uint_eq(o->h.method, MAD_GET_RESP);
	memcpy(is, o->data, REC);
	ck_assert_uint_eq(be_get64(is + 24), o->guid);
	memset(is + 24, 0, 8);
	ck_assert_mem_eq(is, want, REC);
	/* requests without the trust key get the group, but not its members */
	ck_assert_uint_eq(count_groups(o, 0), 1);
	ck_assert_uint_eq(answered_member(o).gid.guid, 0);
	ck_assert_uint_eq(answered_member(o).state, 0);
}

TEST(record_goes_round)
{
	const struct mad_sa_member in = {
		.mgid = {UINT64_C(0xff12601bffff0000), 7},
		.gid = {PREFIX, 9},
		.qkey = 0x80010001,
		.mlid = 0xc123,
		.pkey = 0x8011,
		.mtu_sel = 2,
		.mtu = 5,
		.rate_sel = 1,
		.rate = 24,
		.life_sel = 3,
		.life = 0x3f,
		.tclass = 0xaa,
		.sl = 15,
		.flow_label = 0xfffff,
		.hop_limit = 0xff,
		.scope = 14,
		.state = 0xf,
		.proxy = true,
	};
	uint8_t d[REC], e[REC];
	struct mad_sa_member out;

	mad_sa_member_encode(&in, d);
	mad_sa_member_decode(d, &out);
	mad_sa_member_encode(&out, e);
	ck_assert_mem_eq(d, e, REC);
	ck_assert_uint_eq(be_get32(d + 44), 0xffffffff);
	ck_assert_uint_eq(d[48], 0xef);
	ck_assert_uint_eq(d[49], 0x80);
}

/* ---- joins ---- */

#define BAD(...)                                                               \
	{                                                                      \
		.mgid = {UINT64_C(0xff12401bffff0000), 0xffffffff},            \
		.state = 1, __VA_ARGS__                                        \
	}
#define NEW(...)                                                               \
	{                                                                      \
		.mgid = {UINT64_C(0xff12401bffff0000), 1}, .state = 1,         \
		.pkey = 0xffff, __VA_ARGS__                                    \
	}

/* Refused requests and their statuses. A GID of 0 is the requester's, of 1 its
 * neighbour's. */
static const struct {
	uint64_t mask;
	uint16_t status;
	struct mad_sa_member m;
} refused[] = {
	{MAD_SA_MEMBER_MGID, MAD_SA_INSUF_COMPS, BAD(.sl = 0)},
	{JOIN & ~MAD_SA_MEMBER_GID, MAD_SA_INSUF_COMPS, BAD(.sl = 0)},
	{JOIN, MAD_SA_REQ_INVALID,
		{.mgid = {UINT64_C(0xff12401bffff0000), 0xffffffff}}},
	{JOIN, MAD_SA_INVALID_GID, BAD(.gid = {PREFIX, 99})},
	{JOIN, MAD_SA_DENIED, BAD(.gid = {PREFIX, 1})},
	{JOIN | MAD_SA_MEMBER_QKEY, MAD_SA_REQ_INVALID, BAD(.qkey = 1)},
	{JOIN | MAD_SA_MEMBER_PKEY, MAD_SA_REQ_INVALID, BAD(.pkey = 0x8001)},
	{JOIN | MAD_SA_MEMBER_SCOPE, MAD_SA_REQ_INVALID, BAD(.scope = 5)},
	{JOIN | MAD_SA_MEMBER_MLID, MAD_SA_REQ_INVALID, BAD(.mlid = 0xc001)},
	/* greater than 2048, exactly 20 Gb/s */
	{JOIN | MTU, MAD_SA_REQ_INVALID, BAD(.mtu = 4)},
	{JOIN | RATE, MAD_SA_REQ_INVALID, BAD(.rate_sel = 2, .rate = 6)},
	/* no such group, and too few components to create one */
	{JOIN, MAD_SA_INSUF_COMPS, NEW(.sl = 0)},
	/* only a full member creates a group */
	{MAKE, MAD_SA_REQ_INVALID,
		{.mgid = {UINT64_C(0xff12401bffff0000), 1},
			.state = MAD_SA_JOIN_NON,
			.pkey = 0xffff}},
	/* a partition that the port is not in */
	{MAKE, MAD_SA_REQ_INVALID,
		{.mgid = {UINT64_C(0xff12401bffff0000), 1},
			.state = 1,
			.pkey = 0x8011}},
	/* not a multicast GID */
	{MAKE, MAD_SA_REQ_INVALID,
		{.mgid = {PREFIX, 1}, .state = 1, .pkey = 0xffff}},
	/* faster than the port */
	{MAKE | RATE, MAD_SA_REQ_INVALID, NEW(.rate_sel = 2, .rate = 24)},
};

TEST(what_contradicts_the_group_is_refused)
{
	struct fixture x = small_fixture("sa: {trust_key: 0x5ec2e7}");
	struct host *o = host_on(x.w, "h2"), *o3 = host_on(x.w, "h3");
	const struct mad_sa_member good =
		make_join(o, &ipoib, MAD_SA_JOIN_FULL);
	struct mad_sa_member m;

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		uint16_t status;

		m = refused[i].m;
		if (m.gid.guid < 2)
			m.gid = (struct mad_gid){
				PREFIX, m.gid.guid == 1 ? o3->guid : o->guid};
		status = send_member(o, MAD_SET, &m, refused[i].mask);
		ck_assert_msg(status == refused[i].status,
			"row %zu: status 0x%04x", i, status);
	}
	ck_assert_uint_eq(count_groups(o, 0), 1);
	/* leaving without being a member */
	ck_assert_uint_eq(
		send_member(o, MAD_SA_DELETE, &good, JOIN), MAD_SA_REQ_INVALID);
	/* a host with the trust key may join for others, and see them */
	m = make_join(o3, &ipoib, MAD_SA_JOIN_FULL);
	ck_assert_uint_eq(member_key(o, MAD_SET, &m, JOIN, SA_KEY), 0);
	ck_assert(answered_member(o).proxy);
	ck_assert_uint_eq(count_groups(o, SA_KEY), 1);
	ck_assert_uint_eq(answered_member(o).gid.guid, o3->guid);
	host_free(o3);
	host_free(o);
	fixture_free(&x);
}

TEST(states_are_added_and_taken_away)
{
	AUTO(fixture) struct fixture x = small_fixture("");
	AUTO(host) struct host *o = host_on(x.w, "h2");
	struct mad_sa_member m = make_join(o, &ipoib, MAD_SA_JOIN_FULL);

	ck_assert_uint_eq(send_member(o, MAD_SET, &m, JOIN), 0);
	m.state = MAD_SA_JOIN_SEND;
	ck_assert_uint_eq(send_member(o, MAD_SET, &m, JOIN), 0);
	ck_assert_uint_eq(
		answered_member(o).state, MAD_SA_JOIN_FULL | MAD_SA_JOIN_SEND);
	m.state = MAD_SA_JOIN_FULL;
	ck_assert_uint_eq(send_member(o, MAD_SA_DELETE, &m, JOIN), 0);
	ck_assert_uint_eq(o->h.method, MAD_SA_DELETE | MAD_SA_RESPONSE);
	ck_assert_uint_eq(answered_member(o).state, MAD_SA_JOIN_SEND);
	ck_assert_uint_eq(
		send_member(o, MAD_SA_DELETE, &m, JOIN), MAD_SA_REQ_INVALID);
	/* its own membership is visible */
	ck_assert_uint_eq(send_member(o, MAD_GET, &m,
				  MAD_SA_MEMBER_MGID | MAD_SA_MEMBER_GID),
		0);
	ck_assert_uint_eq(answered_member(o).state, MAD_SA_JOIN_SEND);
}

TEST(groups_are_made_and_end)
{
	struct fixture x = small_fixture("sa: {groups_per_port: 2}");
	struct host *o = host_on(x.w, "h2"), *o3 = host_on(x.w, "h3");
	struct mad_sa_member m =
		make_join(o, &(struct mad_gid){0}, MAD_SA_JOIN_FULL);
	struct mad_gid mgid;

	ck_assert_uint_eq(send_inform(o3, &everything, 0), 0);
	m.sl = 3;
	m.tclass = 5;
	ck_assert_uint_eq(send_member(o, MAD_SET, &m,
				  MAKE & ~(unsigned)MAD_SA_MEMBER_MGID),
		0);
	mgid = answered_member(o).mgid;
	ck_assert_uint_eq(mgid.prefix >> 32, 0xff12a01b);
	ck_assert_uint_eq(answered_member(o).mlid, BROADCAST + 1);
	ck_assert_uint_eq(answered_member(o).sl, 3);
	ck_assert_uint_eq(answered_member(o).tclass, 5);
	ck_assert_uint_eq(answered_member(o).mtu_sel, MAD_SA_EXACTLY);
	world_run(x.w, mono_ms(10));
	ck_assert_uint_eq(o3->reports, 1);
	ck_assert_uint_eq(be_get16(o3->notice + 4), 66);
	ck_assert_uint_eq(be_get64(o3->notice + 16), mgid.prefix);
	ck_assert_uint_eq(be_get64(o3->notice + 24), mgid.guid);
	/* another host joins; one too many is refused */
	m = make_join(o3, &mgid, MAD_SA_JOIN_NON);
	ck_assert_uint_eq(send_member(o3, MAD_SET, &m, JOIN), 0);
	m = make_join(o, &ipoib, MAD_SA_JOIN_FULL);
	ck_assert_uint_eq(send_member(o, MAD_SET, &m, JOIN), 0);
	m = make_join(o, &(struct mad_gid){ipoib.prefix, 1}, MAD_SA_JOIN_FULL);
	ck_assert_uint_eq(
		send_member(o, MAD_SET, &m, MAKE), MAD_SA_NO_RESOURCES);
	/* the last full member ends the group, also for the others */
	m = make_join(o, &mgid, MAD_SA_JOIN_FULL);
	ck_assert_uint_eq(send_member(o, MAD_SA_DELETE, &m, JOIN), 0);
	world_run(x.w, mono_ms(10));
	ck_assert_uint_eq(o3->reports, 2);
	ck_assert_uint_eq(be_get16(o3->notice + 4), 67);
	ck_assert_uint_eq(count_groups(o, 0), 1);
	/* the broadcast group stays without members, also when a port dies */
	sim_fault_node(x.w->sim, o->node, false);
	ck_assert(world_settle(x.w, mono_ms(60000)));
	ck_assert_uint_eq(count_groups(o3, 0), 1);
	ck_assert_uint_eq(answered_member(o3).mlid, BROADCAST);
	host_free(o3);
	host_free(o);
	fixture_free(&x);
}

/* When MLIDs run out, groups share one if switches cannot tell them apart. */
TEST(mlids_are_shared_when_they_run_short)
{
	struct sim_options so = sim_defaults();
	struct fixture x = {.f = shape_of("mesh:2:2")};
	struct host *o;
	unsigned used[8] = {0};

	so.mft_cap = 4;
	x.w = world_new(x.f, &so, "");
	world_start(x.w);
	ck_assert(world_settle(x.w, mono_ms(20000)));
	o = host_on(x.w, "h2");
	for (uint64_t i = 1; i <= 9; i++) {
		const struct mad_gid mgid = {ipoib.prefix, i};
		struct mad_sa_member m = make_join(o, &mgid, MAD_SA_JOIN_FULL);

		ck_assert_uint_eq(send_member(o, MAD_SET, &m, MAKE), 0);
		ck_assert_uint_lt(answered_member(o).mlid, BROADCAST + 4);
		ck_assert_uint_gt(answered_member(o).mlid, BROADCAST);
		used[answered_member(o).mlid - BROADCAST]++;
	}
	ck_assert_uint_eq(used[1], 3);
	ck_assert_uint_eq(used[2], 3);
	ck_assert_uint_eq(used[3], 3);
	{ /* no group is like this one */
		const struct mad_gid mgid = {ipoib.prefix, 77};
		struct mad_sa_member m = make_join(o, &mgid, MAD_SA_JOIN_FULL);

		m.sl = 1;
		ck_assert_uint_eq(
			send_member(o, MAD_SET, &m, MAKE), MAD_SA_NO_RESOURCES);
	}
	host_free(o);
	fixture_free(&x);
}

TEST(partitions_have_their_own)
{
	AUTO(fixture)
	struct fixture x = small_fixture(
		"partitions:\n"
		"  d: {pkey: 0x7fff, members: {all: full},\n"
		"    ipoib: {enabled: true, mtu: 4096, rate: 20,\n"
		"      sl: 2, scope: 5, qkey: 0x123}}\n"
		"  s: {pkey: 0x11, members: {all: full},\n"
		"    ipoib: {enabled: true}}\n"
		"  q: {pkey: 0x12, members: {all: full}}\n");
	AUTO(host) struct host *o = host_on(x.w, "h2");
	struct mad_sa_member m;
	struct sm_status s;

	sm_status(x.w->sm, &s);
	ck_assert_uint_eq(s.sa.groups, 2);
	m = make_join(o,
		&(struct mad_gid){UINT64_C(0xff15401bffff0000), 0xffffffff},
		MAD_SA_JOIN_FULL);
	ck_assert_uint_eq(send_member(o, MAD_GET, &m, MAD_SA_MEMBER_MGID), 0);
	m = answered_member(o);
	ck_assert_uint_eq(m.qkey, 0x123);
	ck_assert_uint_eq(m.mtu, 5);
	ck_assert_uint_eq(m.rate, 6);
	ck_assert_uint_eq(m.sl, 2);
	ck_assert_uint_eq(m.scope, 5);
	ck_assert_uint_eq(m.hop_limit, 0xff);
}
