/*
 * Paths beyond one port pair of one subnet: through routers, to groups, and
 * several independent ones.
 */
#include <stdio.h>
#include <string.h>

#include "tests/unit/sm/sa/sa_fixture.h"
#include "tests/unit/suite.h"

#define FAR UINT64_C(0xfec0000000000001)
#define ELSEWHERE UINT64_C(0xfec0000000000002)

enum { GIDS = MAD_SA_PATH_DGID | MAD_SA_PATH_SGID };

/* Two leaves under two spines, two hosts at each leaf, and routers in turn. */
static struct fabric *
fabric_with_routers(unsigned routers)
{
	struct fabric *f = fabric_new();
	uint32_t leaf[2], spine[2], end;

	for (unsigned i = 0; i < 2; i++) {
		leaf[i] = fabric_addf(f, FABRIC_SWITCH, 16, "leaf%u", i);
		spine[i] = fabric_addf(f, FABRIC_SWITCH, 8, "spine%u", i);
	}
	for (unsigned i = 0; i < 4; i++)
		fabric_connect(f, leaf[i / 2], 1 + i % 2, spine[i % 2],
			1 + i / 2, NULL);
	for (unsigned i = 0; i < 4; i++) {
		end = fabric_addf(f, FABRIC_CA, 1, "h%u", i + 1);
		fabric_connect(f, leaf[i / 2], 4 + i % 2, end, 1, NULL);
	}
	for (unsigned i = 0; i < routers; i++) {
		end = fabric_addf(f, FABRIC_ROUTER, 1, "router%u", i);
		fabric_connect(f, leaf[i % 2], 7 + i / 2, end, 1, NULL);
	}
	return f;
}

static uint64_t
router_guid(const struct fabric *f, unsigned i)
{
	char name[16];

	(void)snprintf(name, sizeof(name), "router%u", i);
	return fabric_port(f, fabric_find(f, name), 1)->guid;
}

/* A world with its subnet FAR behind both routers, all others behind the
 * second. */
static struct fixture
with_routers(const char *more)
{
	struct fabric *f = fabric_with_routers(2);
	char yaml[512];

	(void)snprintf(yaml, sizeof(yaml),
		"sa:\n  prefix_routes:\n"
		"    b: {prefix: 0x%llx, routers: [0x%llx, 0x%llx]}\n"
		"    rest: {routers: [0x%llx]}\n%s",
		(unsigned long long)FAR, (unsigned long long)router_guid(f, 0),
		(unsigned long long)router_guid(f, 1),
		(unsigned long long)router_guid(f, 1), more);
	return fixture_with(f, yaml);
}

static struct mad_sa_path
path_between(const struct host *o, uint64_t prefix, uint64_t guid)
{
	return (struct mad_sa_path){
		.sgid = {PREFIX, o->guid}, .dgid = {prefix, guid}};
}

TEST(another_subnet)
{
	AUTO(fixture) struct fixture x = with_routers("");
	struct host *o = host_on(x.w, "h2"), *far = host_on(x.w, "router1");
	struct host *r0 = host_on(x.w, "router0");
	struct mad_sa_path p, w = path_between(o, FAR, 0x1234);
	unsigned first = 0;
	uint16_t lid;

	/* the router's LID, the destination's GID, 255 hops */
	for (uint64_t guid = 1; guid <= 64; guid++) {
		w.dgid.guid = guid;
		ck_assert_uint_eq(host_path(o, &w, GIDS, &p), 0);
		ck_assert(p.dlid == far->lid || p.dlid == r0->lid);
		ck_assert_uint_eq(p.dgid.prefix, FAR);
		ck_assert_uint_eq(p.dgid.guid, guid);
		ck_assert_uint_eq(p.hop_limit, 0xff);
		ck_assert_uint_eq(p.slid, o->lid);
		ck_assert_uint_eq(p.pkey, 0xffff);
		first += p.dlid == r0->lid;
	}
	/* spread over the routers, and always the same for one destination */
	ck_assert_uint_gt(first, 16);
	ck_assert_uint_lt(first, 48);
	lid = p.dlid;
	ck_assert_uint_eq(host_path(o, &w, GIDS, &p), 0);
	ck_assert_uint_eq(p.dlid, lid);
	/* subnets without an entry of their own */
	w.dgid.prefix = ELSEWHERE;
	for (w.dgid.guid = 1; w.dgid.guid < 16; w.dgid.guid++) {
		ck_assert_uint_eq(host_path(o, &w, GIDS, &p), 0);
		ck_assert_uint_eq(p.dlid, far->lid);
	}
	/* the router itself is a neighbour like any other */
	w.dgid = (struct mad_gid){PREFIX, far->guid};
	ck_assert_uint_eq(host_path(o, &w, GIDS, &p), 0);
	ck_assert_uint_eq(p.hop_limit, 0);
	/* no host may be source or register with a GID of another subnet */
	w = path_between(o, FAR, 5);
	w.sgid.prefix = FAR;
	ck_assert_uint_eq(host_path(o, &w, GIDS, &p), MAD_SA_INVALID_GID);
	w = path_between(o, FAR, 0);
	ck_assert_uint_eq(host_path(o, &w, GIDS, &p), MAD_SA_INVALID_GID);
	/* a router that is down is not used; without a router there is no
	 * path */
	sim_fault_node(x.w->sim, far->node, false);
	ck_assert(world_settle(x.w, mono_ms(60000)));
	for (uint64_t guid = 1; guid <= 16; guid++) {
		w = path_between(o, FAR, guid);
		ck_assert_uint_eq(host_path(o, &w, GIDS, &p), 0);
		ck_assert_uint_eq(p.dlid, r0->lid);
	}
	w = path_between(o, ELSEWHERE, 1);
	ck_assert_uint_eq(host_path(o, &w, GIDS, &p), MAD_SA_INVALID_GID);
	host_free(r0);
	host_free(far);
	host_free(o);
}

/* A router without a common partition is not used. */
TEST(routers_of_others)
{
	AUTO(fixture)
	struct fixture x = with_routers(
		"partitions:\n"
		"  a: {pkey: 0x1, members: {h2: full, router0: full}}\n"
		"  b: {pkey: 0x2, members: {h3: full, router1: full}}\n");
	struct host *o = host_on(x.w, "h2"), *r0 = host_on(x.w, "router0");
	struct mad_sa_path p, w;

	for (uint64_t guid = 1; guid <= 16; guid++) {
		w = path_between(o, FAR, guid);
		ck_assert_uint_eq(host_path(o, &w, GIDS, &p), 0);
		ck_assert_uint_eq(p.dlid, r0->lid);
		ck_assert_uint_eq(p.pkey, 0x8001);
	}
	w = path_between(o, ELSEWHERE, 1);
	ck_assert_uint_eq(host_path(o, &w, GIDS, &p), MAD_SA_INVALID_GID);
	host_free(r0);
	host_free(o);
}

/*
 * Six routers, one of them lost and back: none but its own destinations move,
 * and they return.
 */
TEST(a_lost_router)
{
	enum { ROUTERS = 6, DESTINATIONS = 648 };
	struct fabric *f = fabric_with_routers(ROUTERS);
	char yaml[512] = "sa: {prefix_routes: {b: {prefix: 0xfec0000000000001, "
			 "routers: [";
	uint16_t before[DESTINATIONS], lost;
	unsigned served = 0;
	struct mad_sa_path p, w;
	AUTO(fixture) struct fixture x;
	AUTO(host) struct host *o = NULL, *gone = NULL;

	for (unsigned i = 0; i < ROUTERS; i++) {
		size_t n = strlen(yaml);

		(void)snprintf(yaml + n, sizeof(yaml) - n, "%s0x%llx",
			i > 0 ? ", " : "",
			(unsigned long long)router_guid(f, i));
	}
	(void)snprintf(
		yaml + strlen(yaml), sizeof(yaml) - strlen(yaml), "]}}}\n");
	x = fixture_with(f, yaml);
	o = host_on(x.w, "h2");
	gone = host_on(x.w, "router5");
	lost = gone->lid;
	for (unsigned i = 0; i < DESTINATIONS; i++) {
		w = path_between(o, FAR, i + 1);
		ck_assert_uint_eq(host_path(o, &w, GIDS, &p), 0);
		before[i] = p.dlid;
		served += p.dlid == lost;
	}
	/* a sixth is 108 */
	ck_assert_uint_gt(served, 60);
	ck_assert_uint_lt(served, 160);
	for (unsigned up = 0; up < 2; up++) {
		sim_fault_node(x.w->sim, gone->node, up == 1);
		ck_assert(world_settle(x.w, mono_ms(60000)));
		for (unsigned i = 0; i < DESTINATIONS; i++) {
			w = path_between(o, FAR, i + 1);
			ck_assert_uint_eq(host_path(o, &w, GIDS, &p), 0);
			ck_assert(up == 1 || p.dlid != lost);
			ck_assert(p.dlid == before[i] ||
				  (up == 0 && before[i] == lost));
		}
	}
}

/* A subnet with its own prefix: hosts that do not know it send requests with
 * fe80::, and get answers with the same. */
TEST(prefixes)
{
	AUTO(fixture)
	struct fixture x =
		with_routers("fabric: {subnet_prefix: 0xfec000000000000a}\n");
	struct host *o = host_on(x.w, "h2"), *to = host_on(x.w, "h4");
	const uint64_t ours = UINT64_C(0xfec000000000000a);
	struct mad_sa_path p, w = path_between(o, ours, to->guid);

	w.sgid.prefix = ours;
	ck_assert_uint_eq(host_path(o, &w, GIDS, &p), 0);
	ck_assert_uint_eq(p.dgid.prefix, ours);
	ck_assert_uint_eq(p.sgid.prefix, ours);
	ck_assert_uint_eq(p.hop_limit, 0);
	w = path_between(o, PREFIX, to->guid);
	ck_assert_uint_eq(host_path(o, &w, GIDS, &p), 0);
	ck_assert_uint_eq(p.dgid.prefix, PREFIX);
	ck_assert_uint_eq(p.hop_limit, 0);
	ck_assert_uint_eq(host_path(o, &w, MAD_SA_PATH_DGID, &p), 0);
	ck_assert_uint_eq(p.sgid.prefix, ours);
	host_free(to);
	host_free(o);
}

/* ---- to a group ---- */

TEST(to_a_group)
{
	AUTO(fixture) struct fixture x = with_routers("");
	AUTO(host) struct host *o = host_on(x.w, "h2");
	struct mad_sa_path p,
		w = path_between(o, UINT64_C(0xff12401bffff0000), 0xffffffff);

	ck_assert_uint_eq(host_path(o, &w, GIDS, &p), 0);
	ck_assert_uint_eq(p.dlid, 0xc000);
	ck_assert_uint_eq(p.slid, o->lid);
	ck_assert_uint_eq((unsigned)(p.mtu_sel << 6 | p.mtu), 0x84);
	ck_assert_uint_eq((unsigned)(p.rate_sel << 6 | p.rate), 0x83);
	ck_assert_uint_eq(p.pkey, 0xffff);
	ck_assert_uint_eq(host_path(o, &w, MAD_SA_PATH_DGID, &p), 0);
	ck_assert_uint_eq(p.sgid.guid, o->guid);
	w.pkey = 0x1234;
	ck_assert_uint_eq(host_path(o, &w, GIDS | MAD_SA_PATH_PKEY, &p),
		MAD_SA_NO_RECORDS);
	w.mtu_sel = MAD_SA_GREATER;
	w.mtu = 4;
	ck_assert_uint_eq(
		host_path(o, &w, GIDS | MAD_SA_PATH_MTU_SEL | MAD_SA_PATH_MTU,
			&p),
		MAD_SA_NO_RECORDS);
	w.dgid.guid = 1;
	ck_assert_uint_eq(host_path(o, &w, GIDS, &p), MAD_SA_INVALID_GID);
}

/* ---- several at once ---- */

struct multi {
	uint8_t rec[MAD_SA_MULTI + 16 * 66];
	struct ask a;
};

static void
multi_of(struct multi *m, const struct mad_gid *from, uint8_t nfrom,
	const struct mad_gid *to, uint8_t nto)
{
	memset(m, 0, sizeof(*m));
	m->a = (struct ask){.mask = MAD_SA_MULTI_NSGID | MAD_SA_MULTI_NDGID,
		.rec = m->rec,
		.len = MAD_SA_MULTI + 16 * ((size_t)nfrom + nto)};
	m->rec[15] = nfrom;
	m->rec[16] = nto;
	for (size_t i = 0; i < nfrom; i++)
		mad_sa_gid_encode(&from[i], m->rec + 24 + 16 * i);
	for (size_t i = 0; i < nto; i++)
		mad_sa_gid_encode(&to[i], m->rec + 24 + 16 * (nfrom + i));
}

static size_t
multi_ask(struct host *o, const struct multi *m)
{
	ck_assert_uint_eq(
		host_ask(o, MAD_SA_GET_MULTI, MAD_SA_MULTI_PATH, &m->a), 0);
	return host_records(o, 64);
}

/* The number of links between switches on both paths. */
static unsigned
count_shared_links(const struct view *v, const struct mad_sa_path *a,
	const struct mad_sa_path *b)
{
	struct route_step s[2][16];
	const struct mad_sa_path *p[2] = {a, b};
	int n[2];
	unsigned both = 0;

	for (int i = 0; i < 2; i++)
		n[i] = routes_trace(v->routes,
			topo_by_lid(v->topo, p[i]->slid, NULL), p[i]->dlid,
			s[i], 16, NULL);
	for (int i = 0; i < n[0] - 1; i++)
		for (int k = 0; k < n[1] - 1; k++)
			both += s[0][i].sw == s[1][k].sw &&
				s[0][i].out == s[1][k].out;
	return both;
}

/* LMC 1: two LIDs a host, one over each spine; which is up to the engine. */
TEST(independent_paths)
{
	struct fabric *f = fabric_with_routers(2);
	struct fixture x = fixture_with(f, "fabric: {lmc: {hosts: 2}}");
	struct host *o = host_on(x.w, "h2"), *h3 = host_on(x.w, "h3"),
		    *h4 = host_on(x.w, "h4");
	const struct mad_gid from = {PREFIX, o->guid},
			     to[2] = {{PREFIX, h3->guid}, {PREFIX, h4->guid}};
	const struct view *v = sm_view(x.w->sm);
	struct mad_sa_path a, b;
	struct multi m;

	multi_of(&m, &from, 1, &to[0], 1);
	ck_assert_uint_eq(multi_ask(o, &m), 4);
	/* two that share only the links of the hosts */
	m.rec[14] = 0x80;
	m.rec[5] = 2;
	m.a.mask |= MAD_SA_MULTI_DISJOINT | 1 << 6;
	ck_assert_uint_eq(multi_ask(o, &m), 2);
	mad_sa_path_decode(host_record(o, 0), &a);
	mad_sa_path_decode(host_record(o, 1), &b);
	ck_assert_uint_eq(count_shared_links(v, &a, &b), 0);
	/* there are only two */
	m.a.mask &= ~UINT64_C(0x40);
	ck_assert_uint_eq(multi_ask(o, &m), 2);
	/* with two destinations the second path goes to the other one */
	multi_of(&m, &from, 1, to, 2);
	m.rec[14] = 0x80;
	m.rec[5] = 2;
	m.a.mask |= MAD_SA_MULTI_DISJOINT | 1 << 6;
	ck_assert_uint_eq(multi_ask(o, &m), 2);
	mad_sa_path_decode(host_record(o, 0), &a);
	mad_sa_path_decode(host_record(o, 1), &b);
	ck_assert_uint_ne(a.dgid.guid, b.dgid.guid);
	ck_assert_uint_eq(count_shared_links(v, &a, &b), 0);
	/* the selector counts only with its component bit */
	m.a.mask &= ~(uint64_t)MAD_SA_MULTI_DISJOINT;
	m.rec[5] = 3;
	ck_assert_uint_eq(multi_ask(o, &m), 3);
	host_free(h4);
	host_free(h3);
	host_free(o);
	fixture_free(&x);
}

/* A path to the host itself, and more pairs than are examined. */
TEST(independence_has_ends)
{
	AUTO(fixture) struct fixture x = with_routers("");
	AUTO(host) struct host *o = host_on(x.w, "h2");
	const struct mad_gid me = {PREFIX, o->guid}, far = {FAR, 7};
	struct mad_gid many[64];
	struct mad_sa_path p;
	struct multi m;

	for (unsigned i = 0; i < 64; i++)
		many[i] = me;
	multi_of(&m, &me, 1, &me, 1);
	m.rec[14] = 0x80;
	m.a.mask |= MAD_SA_MULTI_DISJOINT;
	ck_assert_uint_eq(multi_ask(o, &m), 1);
	multi_of(&m, many, 32, many, 32);
	m.rec[14] = 0x80;
	m.a.mask |= MAD_SA_MULTI_DISJOINT;
	ck_assert_uint_eq(multi_ask(o, &m), 1);
	multi_of(&m, many, 33, many, 32);
	m.rec[14] = 0x80;
	m.a.mask |= MAD_SA_MULTI_DISJOINT;
	ck_assert_uint_eq(
		host_ask(o, MAD_SA_GET_MULTI, MAD_SA_MULTI_PATH, &m.a),
		MAD_SA_NO_RESOURCES);
	/* a destination in another subnet is allowed; a source is not */
	multi_of(&m, &me, 1, &far, 1);
	ck_assert_uint_eq(multi_ask(o, &m), 1);
	mad_sa_path_decode(host_record(o, 0), &p);
	ck_assert_uint_eq(p.hop_limit, 0xff);
	multi_of(&m, &far, 1, &me, 1);
	ck_assert_uint_eq(
		host_ask(o, MAD_SA_GET_MULTI, MAD_SA_MULTI_PATH, &m.a),
		MAD_SA_INVALID_GID);
}

/*
 * A link of XDR has no other active speed than that of the second set of
 * fields.
 */
LOOP_TEST(rates_of_xdr, 0, 4)
{
	static const struct {
		uint8_t width, code;
	} cases[] = {{1, 17}, {16, 21}, {2, 23}, {4, 25}};
	struct fabric *f = fabric_with_routers(0);
	AUTO(fixture) struct fixture x;
	struct mad_sa_path p, w;
	AUTO(host) struct host *o = NULL, *far = NULL;

	for (uint32_t i = 0; i < f->ncables; i++)
		f->cable[i].rate =
			(struct fabric_rate){cases[_i].width, 4, 16, false};
	x = fixture_with(f, "");
	o = host_on(x.w, "h2");
	far = host_on(x.w, "h4");
	w = path_between(o, PREFIX, far->guid);
	ck_assert_uint_eq(host_path(o, &w, GIDS, &p), 0);
	ck_assert_uint_eq(p.rate, cases[_i].code);
}
