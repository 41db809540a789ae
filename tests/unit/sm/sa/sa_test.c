/*
 * Subnet administration as hosts see it: every record, selectors and statuses,
 * from the SM core on a simulated fabric.
 */
#include "tests/topo/shape.h"
#include "tests/unit/sm/sa/sa_fixture.h"
#include "tests/unit/suite.h"

enum { NODES = 6, HOSTS = 4, SWITCHES = 2 };

/* Two leaves, two hosts each. */
static struct fixture
small_fixture(const char *yaml)
{
	return fixture_with(shape_of("mesh:2:2"), yaml);
}

static struct host *
second_host(struct fixture *x)
{
	return host_on(x->w, "h2");
}

/* The number of records of a whole table. */
static size_t
get_table(struct host *o, uint16_t attr, size_t size, uint64_t key)
{
	const struct ask all = {.key = key};

	ck_assert_uint_eq(host_ask(o, MAD_SA_GET_TABLE, attr, &all), 0);
	ck_assert_uint_eq(o->h.method, MAD_SA_GET_TABLE | MAD_SA_RESPONSE);
	ck_assert(o->h.rmpp);
	return host_records(o, size);
}

TEST(tables_have_all_there_is)
{
	static const struct {
		uint16_t attr;
		size_t size, n;
	} rows[] = {
		{MAD_SA_NODE, 108, NODES},
		{MAD_SA_PORT, 68, HOSTS + SWITCHES * 1 + 2 * 3},
		{MAD_SA_SWITCH, 24, SWITCHES},
		{MAD_SA_LFT, 72, SWITCHES},
		{MAD_SA_MFT, 72, SWITCHES}, /* read, and empty */
		{MAD_SA_SL2VL, 16, 0},
		{MAD_SA_VLARB, 72, 0},
		{MAD_SA_PKEY, 72, NODES},
		{MAD_SA_SM, 25, 1},
		{MAD_SA_LINK, 8, 2 * (HOSTS + 1)},
		{MAD_SA_GUID, 72, NODES}, /* 8 GUIDs each */
		{MAD_SA_SERVICE_REC, 176, 0},
		{MAD_SA_INFORM_REC, 60, 0},
		{MAD_SA_PATH_REC, 64, NODES * NODES},
	};
	struct fixture x = small_fixture("sa: {trust_key: 0x5ec2e7}");
	struct host *o = second_host(&x);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t n = get_table(o, rows[i].attr, rows[i].size, SA_KEY);

		ck_assert_msg(n == rows[i].n,
			"attribute 0x%x: %zu records, not %zu", rows[i].attr, n,
			rows[i].n);
	}
	host_free(o);
	fixture_free(&x);
}

TEST(statuses)
{
	static const uint8_t nobody[MAD_SA_DATA] = {0x0f, 0xff};
	static const struct {
		uint8_t method;
		uint16_t attr, status;
		struct ask ask;
	} rows[] = {
		{MAD_GET, MAD_SA_CLASS_PORT_INFO, 0, {0}},
		{MAD_SA_GET_TABLE, MAD_SA_CLASS_PORT_INFO,
			MAD_STATUS_METHOD_ATTR, {0}},
		{MAD_GET, MAD_SA_NODE, MAD_SA_TOO_MANY, {0}},
		{MAD_GET, MAD_SA_NODE, MAD_SA_NO_RECORDS,
			{.mask = 1, .rec = nobody, .len = 64}},
		{MAD_SA_GET_TABLE, MAD_SA_NODE, 0,
			{.mask = 1, .rec = nobody, .len = 64}},
		{MAD_SET, MAD_SA_NODE, MAD_STATUS_METHOD_ATTR, {0}},
		{MAD_SA_DELETE, MAD_SA_PATH_REC, MAD_STATUS_METHOD_ATTR, {0}},
		{MAD_GET, 0x99, MAD_STATUS_METHOD_ATTR, {0}},
		{0x33, MAD_SA_NODE, MAD_STATUS_METHOD, {0}},
		{MAD_GET, MAD_SA_NODE, MAD_STATUS_VERSION, {.version = 1}},
		{MAD_SA_GET_TABLE, MAD_SA_NODE, MAD_SA_DENIED, {.key = 1}},
		{MAD_SA_GET_TABLE, MAD_SA_NODE, MAD_SA_REQ_INVALID,
			{.rec = NULL, .len = 300}},
		{MAD_GET, MAD_SA_PATH_REC, MAD_SA_INSUF_COMPS, {0}},
		{MAD_SA_GET_MULTI, MAD_SA_MULTI_PATH, MAD_SA_INSUF_COMPS, {0}},
		{MAD_SA_GET_MULTI, MAD_SA_MULTI_PATH, MAD_SA_REQ_INVALID,
			{.mask = MAD_SA_MULTI_NSGID | MAD_SA_MULTI_NDGID}},
		{MAD_SA_GET_TRACE, MAD_SA_TRACE_REC, MAD_SA_INSUF_COMPS, {0}},
		{MAD_GET, MAD_SA_TRACE_REC, MAD_STATUS_METHOD_ATTR, {0}},
		{MAD_SET, MAD_SA_MEMBER, MAD_SA_INSUF_COMPS, {0}},
		{MAD_SET, MAD_SA_SERVICE_REC, MAD_SA_INSUF_COMPS, {0}},
		{MAD_SET, MAD_SA_GUID, MAD_SA_INSUF_COMPS, {0}},
	};
	struct fixture x = small_fixture("sa: {trust_key: 0x5ec2e7}");
	struct host *o = second_host(&x);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint16_t got =
			host_ask(o, rows[i].method, rows[i].attr, &rows[i].ask);

		ck_assert_msg(got == rows[i].status,
			"row %zu: status 0x%04x, not 0x%04x", i, got,
			rows[i].status);
	}
	host_free(o);
	fixture_free(&x);
}

TEST(records_by_component)
{
	AUTO(fixture) struct fixture x = small_fixture("");
	AUTO(host) struct host *o = second_host(&x);
	uint8_t rec[MAD_SA_DATA] = {0};
	struct ask a = {.rec = rec, .len = sizeof(rec)};

	/* by LID */
	be_put16(rec, o->lid);
	a.mask = 1;
	ck_assert_uint_eq(host_ask(o, MAD_GET, MAD_SA_NODE, &a), 0);
	ck_assert_uint_eq(be_get64(o->data + 4 + 20), o->guid);
	ck_assert_str_eq((const char *)o->data + 44, "h2");
	/* by port GUID, then by name, then by type */
	memset(rec, 0, sizeof(rec));
	be_put64(rec + 24, o->guid);
	a.mask = 1 << 8;
	ck_assert_uint_eq(host_ask(o, MAD_GET, MAD_SA_NODE, &a), 0);
	ck_assert_uint_eq(be_get16(o->data), o->lid);
	memcpy(rec + 44, "h3", 2);
	a.mask = 1 << 14;
	ck_assert_uint_eq(host_ask(o, MAD_GET, MAD_SA_NODE, &a), 0);
	rec[6] = 2;
	a.mask = 1 << 4;
	ck_assert_uint_eq(host_ask(o, MAD_SA_GET_TABLE, MAD_SA_NODE, &a), 0);
	ck_assert_uint_eq(host_records(o, 108), SWITCHES);
	/* every port of a switch by its LID; one of them */
	be_put16(rec, be_get16(host_record(o, 0)));
	a.mask = 1;
	ck_assert_uint_eq(host_ask(o, MAD_SA_GET_TABLE, MAD_SA_PORT, &a), 0);
	ck_assert_uint_eq(host_records(o, 68), 4);
	rec[2] = 1;
	a.mask = 3;
	ck_assert_uint_eq(host_ask(o, MAD_GET, MAD_SA_PORT, &a), 0);
	ck_assert_uint_eq(o->data[4 + 36] >> 4, 5); /* MTU 4096 */
}

/*
 * An adapter's port has no base speed beside its extended one; a requester that
 * does not say that it knows extended speeds sees QDR.
 */
TEST(speeds_by_requester)
{
	enum { LID = 1, OPTIONS = 4, KNOWS = 0x80 };
	static const struct {
		uint64_t mask;
		uint8_t options, active, supported, enabled;
	} rows[] = {
		{LID, 0, 4, 5, 5},
		{LID, KNOWS, 4, 5, 5}, /* not among the components */
		{LID | OPTIONS, 0, 4, 5, 5},
		{LID | OPTIONS, KNOWS, 0, 1, 1},
	};
	AUTO(fixture) struct fixture x = small_fixture("");
	AUTO(host) struct host *o = second_host(&x);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t rec[MAD_SA_DATA] = {0};
		struct ask a = {
			.mask = rows[i].mask, .rec = rec, .len = sizeof(rec)};
		const uint8_t *info;

		be_put16(rec, o->lid);
		rec[3] = rows[i].options;
		ck_assert_uint_eq(host_ask(o, MAD_GET, MAD_SA_PORT, &a), 0);
		info = o->data + 4;
		ck_assert_uint_eq(info[35] >> 4, rows[i].active);
		ck_assert_uint_eq(info[32] >> 4, rows[i].supported);
		ck_assert_uint_eq(info[35] & 15, rows[i].enabled);
		ck_assert_uint_eq(info[62] >> 4, 4); /* HDR, to both */
	}
}

/* Ports with IsSM, as srp_daemon asks for ports with a device manager. */
TEST(capabilities_match_by_bits)
{
	enum { NO_PORT_HAS = 0x10 }; /* IsResetSupported */
	AUTO(fixture) struct fixture x = small_fixture("");
	AUTO(host) struct host *o = second_host(&x);
	uint8_t rec[MAD_SA_DATA] = {0};
	struct ask a = {.mask = 1 << 7, .rec = rec, .len = sizeof(rec)};

	be_put32(rec + 4 + 20, MAD_CAP_IS_SM);
	ck_assert_uint_eq(host_ask(o, MAD_SA_GET_TABLE, MAD_SA_PORT, &a), 0);
	ck_assert_uint_eq(host_records(o, 68), 0);
	a.mod = 1U << 31;
	ck_assert_uint_eq(host_ask(o, MAD_SA_GET_TABLE, MAD_SA_PORT, &a), 0);
	ck_assert_uint_eq(host_records(o, 68), 1);
	/* all of the requested bits */
	be_put32(rec + 4 + 20, MAD_CAP_IS_SM | NO_PORT_HAS);
	ck_assert_uint_eq(host_ask(o, MAD_SA_GET_TABLE, MAD_SA_PORT, &a), 0);
	ck_assert_uint_eq(host_records(o, 68), 0);
}

TEST(keys_are_for_the_trusted)
{
	struct fixture x = small_fixture("sa: {trust_key: 0x5ec2e7}\n"
					 "fabric: {m_key: 0x77}\n");
	struct host *o = second_host(&x);
	uint8_t rec[MAD_SA_DATA] = {0};
	struct ask a = {.mask = 1, .rec = rec, .len = sizeof(rec)};

	be_put16(rec, o->lid);
	ck_assert_uint_eq(host_ask(o, MAD_GET, MAD_SA_PORT, &a), 0);
	ck_assert_uint_eq(be_get64(o->data + 4), 0);
	a.key = SA_KEY;
	ck_assert_uint_eq(host_ask(o, MAD_GET, MAD_SA_PORT, &a), 0);
	ck_assert_uint_eq(be_get64(o->data + 4), 0x77);
	/* the host's own P_Key table, or all */
	ck_assert_uint_eq(get_table(o, MAD_SA_PKEY, 72, 0), 1);
	ck_assert_uint_eq(be_get16(o->data), o->lid);
	ck_assert_uint_eq(be_get16(o->data + 8), 0xffff);
	ck_assert_uint_eq(get_table(o, MAD_SA_PKEY, 72, SA_KEY), NODES);
	host_free(o);
	fixture_free(&x);
}

/* ---- paths ---- */

static void
path_of(const struct host *o, size_t i, struct mad_sa_path *p)
{
	mad_sa_path_decode(host_record(o, i), p);
}

TEST(a_path_by_gid)
{
	AUTO(fixture) struct fixture x = small_fixture("");
	AUTO(host) struct host *o = second_host(&x), *to = host_on(x.w, "h4");
	struct mad_sa_path p, w = {
				      .dgid = {PREFIX, to->guid},
				      .sgid = {PREFIX, o->guid},
				      .reversible = true,
				      .npaths = 1,
				      .pkey = 0x7fff,
				      .service = 0x1000,
				      .tclass = 3,
			      };

	ck_assert_uint_eq(
		host_path(o, &w,
			MAD_SA_PATH_DGID | MAD_SA_PATH_SGID |
				MAD_SA_PATH_REVERSIBLE | MAD_SA_PATH_NPATHS |
				MAD_SA_PATH_PKEY | MAD_SA_PATH_SERVICE |
				MAD_SA_PATH_TCLASS,
			&p),
		0);
	ck_assert_uint_eq(p.dlid, to->lid);
	ck_assert_uint_eq(p.slid, o->lid);
	ck_assert_uint_eq(p.dgid.guid, to->guid);
	ck_assert_uint_eq(p.sgid.prefix, PREFIX);
	ck_assert(p.reversible && !p.raw);
	ck_assert_uint_eq(p.pkey, 0xffff);
	ck_assert_uint_eq(p.sl, 0);
	ck_assert_uint_eq((unsigned)(p.mtu_sel << 6 | p.mtu), 0x85);
	ck_assert_uint_eq(
		(unsigned)(p.rate_sel << 6 | p.rate), 0x91); /* 200 Gb/s */
	ck_assert_uint_eq((unsigned)(p.life_sel << 6 | p.life), 0x92);
	ck_assert_uint_eq(p.service, 0x1000);
	ck_assert_uint_eq(p.tclass, 3);
	ck_assert_uint_eq(p.hop_limit, 0);
	/* to the host itself, without delay */
	w.dgid.guid = o->guid;
	ck_assert_uint_eq(
		host_path(o, &w, MAD_SA_PATH_DGID | MAD_SA_PATH_SGID, &p), 0);
	ck_assert_uint_eq(p.life, 0);
	/* without a source it is the requester's */
	w = (struct mad_sa_path){.dlid = to->lid};
	ck_assert_uint_eq(host_path(o, &w, MAD_SA_PATH_DLID, &p), 0);
	ck_assert_uint_eq(p.slid, o->lid);
	ck_assert_uint_eq(p.dgid.guid, to->guid);
}

TEST(paths_that_are_none)
{
	AUTO(fixture) struct fixture x = small_fixture("");
	AUTO(host) struct host *o = second_host(&x);
	struct mad_sa_path p, w = {.dgid = {PREFIX, 0xdead}};
	const uint64_t lids = MAD_SA_PATH_DLID | MAD_SA_PATH_SLID;

	ck_assert_uint_eq(
		host_path(o, &w, MAD_SA_PATH_DGID, &p), MAD_SA_INVALID_GID);
	w.dgid = (struct mad_gid){UINT64_C(0xfec0) << 48, o->guid};
	ck_assert_uint_eq(
		host_path(o, &w, MAD_SA_PATH_DGID, &p), MAD_SA_INVALID_GID);
	w.dgid.prefix = PREFIX;
	w.dlid = 1; /* another port's */
	ck_assert_uint_eq(
		host_path(o, &w, MAD_SA_PATH_DGID | MAD_SA_PATH_DLID, &p),
		MAD_SA_NO_RECORDS);
	w.dlid = 999;
	ck_assert_uint_eq(
		host_path(o, &w, MAD_SA_PATH_DLID, &p), MAD_SA_NO_RECORDS);
	w.dlid = w.slid = 1;
	w.pkey = 0x1234;
	ck_assert_uint_eq(host_path(o, &w, lids | MAD_SA_PATH_PKEY, &p),
		MAD_SA_NO_RECORDS);
	w.sl = 3;
	ck_assert_uint_eq(
		host_path(o, &w, lids | MAD_SA_PATH_SL, &p), MAD_SA_NO_RECORDS);
	w.raw = true;
	ck_assert_uint_eq(host_path(o, &w, lids | MAD_SA_PATH_RAW, &p),
		MAD_SA_REQ_INVALID);
	w.npaths = 0;
	ck_assert_uint_eq(host_path(o, &w, lids | MAD_SA_PATH_NPATHS, &p),
		MAD_SA_REQ_INVALID);
}

/* The path has MTU 5 (4096), rate 17 (200 Gb/s) and lifetime 18. */
TEST(selectors)
{
	enum { GT = 0, LT = 1, EQ = 2, BEST = 3, NONE = 0xff, BAD = 0xfe };
	static const struct {
		uint8_t what; /* 0 MTU, 1 rate, 2 lifetime */
		uint8_t sel, want, got;
	} rows[] = {
		{0, GT, 4, 5},
		{0, GT, 5, NONE},
		{0, LT, 5, 4},
		{0, LT, 1, NONE},
		{0, EQ, 4, 4},
		{0, EQ, 5, 5},
		{0, BEST, 0, 5},
		{0, EQ, 6, BAD},
		{0, EQ, 0, BAD},
		{1, GT, 16, 17},
		{1, GT, 17, NONE},
		{1, GT, 10, 17},
		{1, LT, 17, 14},
		{1, LT, 3, 5},
		{1, LT, 2, NONE},
		{1, EQ, 7, 7},
		{1, EQ, 18, NONE},
		{1, EQ, 21, NONE},
		{1, BEST, 0, 17},
		{1, EQ, 1, BAD},
		{1, GT, 4, 17},
		{1, GT, 5, 17},
		{1, LT, 5, 2},
		{1, LT, 21, 17},
		{2, GT, 17, 18},
		{2, GT, 18, NONE},
		{2, LT, 19, 18},
		{2, LT, 18, NONE},
		{2, EQ, 18, 18},
		{2, EQ, 17, NONE},
		{2, BEST, 0, 18},
	};
	AUTO(fixture) struct fixture x = small_fixture("");
	AUTO(host) struct host *o = second_host(&x);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct mad_sa_path p, w = {.dlid = 1, .slid = o->lid};
		uint64_t mask = MAD_SA_PATH_DLID | MAD_SA_PATH_SLID;
		uint8_t *sel[] = {&w.mtu_sel, &w.rate_sel, &w.life_sel};
		uint8_t *val[] = {&w.mtu, &w.rate, &w.life};
		uint8_t *is[] = {&p.mtu, &p.rate, &p.life};
		uint16_t want = rows[i].got == NONE  ? MAD_SA_NO_RECORDS
				: rows[i].got == BAD ? MAD_SA_REQ_INVALID
						     : 0;
		uint16_t got;

		*sel[rows[i].what] = rows[i].sel;
		*val[rows[i].what] = rows[i].want;
		mask |= UINT64_C(3) << (16 + 2 * rows[i].what);
		got = host_path(o, &w, mask, &p);
		ck_assert_msg(got == want, "row %zu: status 0x%04x", i, got);
		if (got == 0)
			ck_assert_msg(*is[rows[i].what] == rows[i].got,
				"row %zu: %u", i, *is[rows[i].what]);
	}
}

/* LMC 2 at the hosts: four LIDs each, the same offset at both ends. */
TEST(paths_of_many_lids)
{
	struct fixture x = small_fixture("fabric: {lmc: {hosts: 2}}");
	struct host *o = second_host(&x), *to = host_on(x.w, "h4");
	struct mad_sa_path w = {.dgid = {PREFIX, to->guid},
				   .sgid = {PREFIX, o->guid},
				   .npaths = 3},
			   p;
	uint8_t rec[MAD_SA_PATH];
	struct ask a = {.mask = MAD_SA_PATH_DGID | MAD_SA_PATH_SGID,
		.rec = rec,
		.len = sizeof(rec)};

	mad_sa_path_encode(&w, rec);
	ck_assert_uint_eq(
		host_ask(o, MAD_SA_GET_TABLE, MAD_SA_PATH_REC, &a), 0);
	ck_assert_uint_eq(host_records(o, 64), 4);
	for (unsigned i = 0; i < 4; i++) {
		path_of(o, i, &p);
		ck_assert_uint_eq(p.dlid, to->lid + i);
		ck_assert_uint_eq(p.slid, o->lid + i);
	}
	a.mask |= MAD_SA_PATH_NPATHS;
	ck_assert_uint_eq(
		host_ask(o, MAD_SA_GET_TABLE, MAD_SA_PATH_REC, &a), 0);
	ck_assert_uint_eq(host_records(o, 64), 3);
	/* one of them by its LID */
	w.dlid = (uint16_t)(to->lid + 3);
	ck_assert_uint_eq(
		host_path(o, &w, MAD_SA_PATH_DLID | MAD_SA_PATH_SGID, &p), 0);
	ck_assert_uint_eq(p.dlid, to->lid + 3);
	ck_assert_uint_eq(p.slid, o->lid + 3);
	host_free(to);
	host_free(o);
	fixture_free(&x);
}

/* Many GIDs: the request is longer than a MAD. */
TEST(paths_between_sets)
{
	AUTO(fixture) struct fixture x = small_fixture("");
	AUTO(host) struct host *o = second_host(&x);
	struct host *h3 = host_on(x.w, "h3"), *h4 = host_on(x.w, "h4");
	uint8_t rec[MAD_SA_MULTI + 16 * 20] = {0};
	struct mad_gid from = {PREFIX, o->guid},
		       to[2] = {{PREFIX, h3->guid}, {PREFIX, h4->guid}};
	struct ask a = {.mask = MAD_SA_MULTI_NSGID | MAD_SA_MULTI_NDGID,
		.rec = rec,
		.len = MAD_SA_MULTI + 48};
	struct mad_sa_path p;

	rec[15] = 1;
	rec[16] = 2;
	mad_sa_gid_encode(&from, rec + 24);
	mad_sa_gid_encode(&to[0], rec + 40);
	mad_sa_gid_encode(&to[1], rec + 56);
	ck_assert_uint_eq(
		host_ask(o, MAD_SA_GET_MULTI, MAD_SA_MULTI_PATH, &a), 0);
	ck_assert_uint_eq(host_records(o, 64), 2);
	path_of(o, 1, &p);
	ck_assert_uint_eq(p.dlid, h4->lid);
	/* nineteen sources */
	rec[15] = 19;
	rec[16] = 1;
	a.len = sizeof(rec);
	for (unsigned i = 0; i < 20; i++)
		mad_sa_gid_encode(i % 2 ? &to[0] : &from, rec + 24 + 16 * i);
	ck_assert_uint_eq(
		host_ask(o, MAD_SA_GET_MULTI, MAD_SA_MULTI_PATH, &a), 0);
	ck_assert_uint_eq(host_records(o, 64), 19);
	/* seven paths in all */
	rec[5] = 7;
	a.mask |= 1 << 6;
	ck_assert_uint_eq(
		host_ask(o, MAD_SA_GET_MULTI, MAD_SA_MULTI_PATH, &a), 0);
	ck_assert_uint_eq(host_records(o, 64), 7);
	/* more GIDs announced than present */
	rec[16] = 2;
	ck_assert_uint_eq(host_ask(o, MAD_SA_GET_MULTI, MAD_SA_MULTI_PATH, &a),
		MAD_SA_REQ_INVALID);
	host_free(h4);
	host_free(h3);
}

TEST(a_trace)
{
	AUTO(fixture) struct fixture x = small_fixture("");
	AUTO(host) struct host *o = second_host(&x), *to = host_on(x.w, "h4");
	uint8_t rec[MAD_SA_PATH];
	const struct mad_sa_path w = {.slid = o->lid, .dlid = to->lid};
	const struct ask a = {.mask = MAD_SA_PATH_SLID | MAD_SA_PATH_DLID,
		.rec = rec,
		.len = sizeof(rec)};

	mad_sa_path_encode(&w, rec);
	ck_assert_uint_eq(
		host_ask(o, MAD_SA_GET_TRACE, MAD_SA_TRACE_REC, &a), 0);
	ck_assert_uint_eq(host_records(o, 48), 4);
	ck_assert_uint_eq(host_record(o, 0)[11], 1);
	ck_assert_uint_eq(host_record(o, 1)[11], 2);
	ck_assert_uint_eq(be_get64(host_record(o, 0) + 36), o->guid);
	ck_assert_uint_eq(be_get64(host_record(o, 3) + 28), to->guid);
	ck_assert_uint_ne(host_record(o, 1)[45], 0);
}
