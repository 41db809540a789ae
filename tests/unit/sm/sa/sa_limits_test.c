/*
 * What hosts may see, and how much load one host may cause: events by
 * partition, forged requests and traps, thousands of subscriptions, answers
 * that fill the memory.
 */
#include "routing/driver/registry.h"
#include "tests/topo/shape.h"
#include "tests/unit/sm/sa/sa_registrations_fixture.h"
#include "tests/unit/suite.h"

static struct fixture
small_fixture(const char *yaml)
{
	return fixture_with(shape_of("mesh:2:2"), yaml);
}

/* ---- events ---- */

static uint16_t
send_member(struct host *o, uint8_t method, const struct mad_gid *mgid,
	uint64_t owner, uint16_t pkey)
{
	const struct mad_sa_member m = {.mgid = *mgid,
		.gid = {PREFIX, owner},
		.qkey = 0xb1b,
		.pkey = pkey,
		.state = MAD_SA_JOIN_FULL};
	uint8_t rec[MAD_SA_MEMBER_REC];
	const struct ask a = {.mask = MAD_SA_MEMBER_MGID | MAD_SA_MEMBER_GID |
				      MAD_SA_MEMBER_STATE | MAD_SA_MEMBER_QKEY |
				      MAD_SA_MEMBER_TCLASS |
				      MAD_SA_MEMBER_PKEY | MAD_SA_MEMBER_FLOW |
				      MAD_SA_MEMBER_SL,
		.rec = rec,
		.len = sizeof(rec)};

	mad_sa_member_encode(&m, rec);
	return host_ask(o, method, MAD_SA_MEMBER, &a);
}

static const char *const tenants =
	"sa: {trust_key: 0x5ec2e7}\n"
	"partitions:\n"
	"  a: {pkey: 0x1, members: {h2: full, h3: full, switches: full}}\n"
	"  b: {pkey: 0x2, members: {h4: full}}\n";

/* h2 shares a partition with the source of the events, h4 does not; h1, where
 * the SM is, cannot send requests; h4 with the trust key gets all events. */
TEST(events_by_partition)
{
	static const struct mad_gid mgid = {UINT64_C(0xff12401b80010000), 0x99};
	AUTO(fixture) struct fixture x = small_fixture(tenants);
	AUTO(host)
	struct host *o = host_on(x.w, "h2"), *o3 = host_on(x.w, "h3");
	AUTO(host) struct host *other = host_on(x.w, "h4");
	const struct sim_bad_key pkey = {.slid = 1, .dlid = 2, .key = 9},
				 qkey = {.qkey = true, .slid = 1, .dlid = 2};
	static const uint16_t traps[] = {64, 65, 66, 67, 128, 144};

	for (unsigned trusted = 0; trusted < 2; trusted++) {
		ck_assert_uint_eq(send_inform(o, &everything, 0), 0);
		ck_assert_uint_eq(
			send_inform(other, &everything, trusted ? SA_KEY : 0),
			0);
		o->reports = other->reports = 0;
		ck_assert_uint_eq(
			send_member(o3, MAD_SET, &mgid, o3->guid, 0x8001), 0);
		ck_assert_uint_eq(
			send_member(o3, MAD_SA_DELETE, &mgid, o3->guid, 0x8001),
			0);
		sim_fault_rename(
			x.w->sim, o3->node, trusted ? "h3 two" : "h3 one");
		world_run(x.w, mono_ms(1000));
		set_present(&x, o3->node, false);
		set_present(&x, o3->node, true);
		world_run(x.w, mono_ms(1000));
		for (size_t i = 0; i < sizeof(traps) / sizeof(traps[0]); i++) {
			ck_assert_msg(count_reports(o, traps[i]) > 0,
				"trap %u not heard", traps[i]);
			ck_assert_msg(
				(count_reports(other, traps[i]) > 0) == trusted,
				"trap %u heard by others", traps[i]);
		}
		sim_bad_key(x.w->sim, o3->node, 1, &pkey);
		world_run(x.w, mono_ms(1000));
		sim_bad_key(x.w->sim, o3->node, 1, &qkey);
		world_run(x.w, mono_ms(1000));
		ck_assert_uint_eq(
			count_reports(o, 257) + count_reports(o, 258), 0);
		ck_assert_uint_eq(count_reports(other, 257), trusted);
		ck_assert_uint_eq(count_reports(other, 258), trusted);
	}
}

/* The trust key changes: no host has shown the new one yet. */
TEST(trust_ends_with_its_key)
{
	struct fixture x = small_fixture("sa: {trust_key: 0x5ec2e7}\n");
	struct host *o = host_on(x.w, "h2");
	const struct sim_bad_key bad = {.slid = 1, .dlid = 2, .key = 9};
	const char *set = "sa.trust_key=0x99";
	struct config *c = config_with(x.w->config, &set, 1, NULL);

	ck_assert_ptr_nonnull(c);
	ck_assert_uint_eq(send_inform(o, &everything, SA_KEY), 0);
	world_take_config(x.w, c);
	config_unref(c);
	world_run(x.w, mono_ms(1000));
	sim_bad_key(x.w->sim, o->node, 1, &bad);
	world_run(x.w, mono_ms(2000));
	ck_assert_uint_eq(count_reports(o, 257), 0);
	ck_assert_uint_eq(send_inform(o, &everything, SA_KEY), MAD_SA_DENIED);
	ck_assert_uint_eq(send_inform(o, &everything, 0x99), 0);
	sim_bad_key(x.w->sim, o->node, 1, &bad);
	world_run(x.w, mono_ms(2000));
	ck_assert_uint_eq(count_reports(o, 257), 1);
	host_free(o);
	fixture_free(&x);
}

/* A host that poses as a subnet manager, or hides a violation. */
TEST(forged_traps)
{
	static const struct mad_notice says[] = {
		{.generic = true, .type = 3, .producer = 4, .trap = 65},
		{.generic = true, .type = 3, .producer = 1, .trap = 64},
		{.generic = true, .type = 4, .producer = 4, .trap = 144},
		{.generic = true, .type = 4, .producer = 1, .trap = 257},
	};
	AUTO(fixture) struct fixture x = small_fixture("");
	struct host *o = host_on(x.w, "h2"), *o3 = host_on(x.w, "h3");

	ck_assert_uint_eq(send_inform(o, &everything, 0), 0);
	for (size_t i = 0; i < sizeof(says) / sizeof(says[0]); i++) {
		struct transport_msg m = {.len = MAD_SIZE};
		struct smp s = {.mgmt_class = MAD_SUBN_LID,
			.method = MAD_TRAP,
			.attr = MAD_NOTICE,
			.tid = 100 + i};

		m.addr.lid = sim_port_info(x.w->sim, o3->node, 1)->sm_lid;
		mad_notice_encode(&says[i], s.data);
		smp_encode(&s, m.mad);
		sim_transport(o3->ep)->send(sim_transport(o3->ep), &m);
		world_run(x.w, mono_ms(2000));
		ck_assert_msg(o->reports == 0, "row %zu", i);
	}
	host_free(o3);
	host_free(o);
}

/* ---- requests with false contents ---- */

/* Hands the SM a request as if from this LID; returns whether it was answered,
 * refused, dropped or parked. */
static struct sa_stats
as_from(struct fixture *x, const struct transport_msg *m)
{
	struct sm_status before, after;
	struct sa_stats d;

	sm_status(x->w->sm, &before);
	sm_receive(x->w->sm, m, sim_now(x->w->sim));
	sm_status(x->w->sm, &after);
	d.answers = after.sa.answers - before.sa.answers;
	d.refused = after.sa.refused - before.sa.refused;
	d.dropped = after.sa.dropped - before.sa.dropped;
	d.parked = after.sa.parked - before.sa.parked;
	return d;
}

TEST(forged_lids)
{
	static const struct {
		uint16_t lid;
		bool dropped;
	} rows[] = {{0, true}, {0xbfff, false}, {999, false}, {0xc000, true},
		{0xffff, true}};
	AUTO(fixture) struct fixture x = small_fixture("");
	const struct mad_sa h = {.base_version = 1,
		.class_version = MAD_SA_VERSION,
		.method = MAD_SA_GET_TABLE,
		.attr = MAD_SA_NODE,
		.tid = 1};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct transport_msg m = {.addr.lid = rows[i].lid,
			.addr.qpn = 1,
			.len = MAD_SIZE};
		struct sa_stats d;

		mad_sa_encode(&h, m.mad);
		d = as_from(&x, &m);
		ck_assert_msg(d.dropped == rows[i].dropped &&
				      d.parked == !rows[i].dropped &&
				      d.answers == 0,
			"LID %u", rows[i].lid);
	}
}

/* Unfinished, damaged or foreign RMPP messages that get here all the same. */
TEST(damaged_messages)
{
	AUTO(fixture) struct fixture x = small_fixture("");
	AUTO(host) struct host *o = host_on(x.w, "h2");
	struct mad_sa h = {.base_version = 1,
		.class_version = MAD_SA_VERSION,
		.method = MAD_SA_GET_MULTI,
		.attr = MAD_SA_MULTI_PATH,
		.mask = MAD_SA_MULTI_NSGID | MAD_SA_MULTI_NDGID,
		.rmpp = true};
	uint8_t body[600] = {0};
	struct transport_msg m = {.addr.lid = o->lid, .addr.qpn = 1};

	for (unsigned type = 0; type < 6; type++) {
		h.rmpp_type = (uint8_t)type; /* 1 data, ACK, STOP, ABORT */
		h.rmpp_status = type == 5 ? 100 : 0;
		if (type == 5)
			h.rmpp_type = 1;
		mad_sa_encode(&h, m.mad);
		m.len = MAD_SIZE;
		ck_assert_uint_eq(as_from(&x, &m).refused, 1);
	}
	/* a first segment without its GIDs; one GID too few */
	h.rmpp_type = 1;
	h.rmpp_status = 0;
	mad_sa_encode(&h, body);
	body[MAD_SA_HEADER + 15] = 10;
	body[MAD_SA_HEADER + 16] = 12;
	memcpy(m.mad, body, MAD_SIZE);
	ck_assert_uint_eq(as_from(&x, &m).refused, 1);
	m.body = body;
	m.len = MAD_SA_HEADER + MAD_SA_MULTI + 16 * 22 - 1;
	ck_assert_uint_eq(as_from(&x, &m).refused, 1);
	/* longer than a MAD, without a body; shorter than a header */
	m.body = NULL;
	ck_assert_uint_eq(as_from(&x, &m).dropped, 1);
	m.len = MAD_SA_HEADER - 1;
	ck_assert_uint_eq(as_from(&x, &m).dropped, 1);
	m.len = 2;
	ck_assert_uint_eq(as_from(&x, &m).dropped, 1);
	/* a message of this SM returned, an answer without a request */
	m.len = MAD_SIZE;
	m.error = 110;
	ck_assert_uint_eq(as_from(&x, &m).dropped, 1);
	m.error = 0;
	h.method = MAD_SA_GET_MULTI | MAD_SA_RESPONSE;
	mad_sa_encode(&h, m.mad);
	ck_assert_uint_eq(as_from(&x, &m).dropped, 1);
}

TEST(others_identities)
{
	static const struct mad_gid mgid = {UINT64_C(0xff12401bffff0000), 0x99};
	AUTO(fixture) struct fixture x = small_fixture("");
	struct host *o = host_on(x.w, "h2"), *o3 = host_on(x.w, "h3");
	const uint64_t want[8] = {0, 0x1111};
	struct service s = service_of(o3, 7, 60);

	ck_assert_uint_eq(change_service(o, MAD_SET, &s, ID | GID | LEASE),
		MAD_SA_DENIED);
	ck_assert_uint_eq(
		change_aliases(o, MAD_SET, LID | BLOCK | GUID1, o3->lid, want),
		MAD_SA_DENIED);
	ck_assert_uint_eq(send_member(o, MAD_SET, &mgid, o3->guid, 0xffff),
		MAD_SA_DENIED);
	ck_assert_uint_eq(send_member(o, MAD_SET, &mgid, 0xdead, 0xffff),
		MAD_SA_INVALID_GID);
	/* a partition without members */
	ck_assert_uint_eq(send_member(o, MAD_SET, &mgid, o->guid, 0x8123),
		MAD_SA_REQ_INVALID);
	s = service_of(o, 7, 60);
	be_put16(s.rec + 24, 0x8123);
	ck_assert_uint_eq(
		change_service(o, MAD_SET, &s, ID | GID | PKEY | LEASE),
		MAD_SA_REQ_INVALID);
	host_free(o3);
	host_free(o);
}

/* An alias that is the GUID of an absent host goes back to that host. */
TEST(an_alias_goes_back_to_its_port)
{
	AUTO(fixture) struct fixture x = small_fixture("");
	struct host *o = host_on(x.w, "h2"), *o3 = host_on(x.w, "h3");
	const uint64_t want[8] = {0, o3->guid};
	uint8_t d[MAD_DATA];
	const struct ask a = {0};

	set_present(&x, o3->node, false);
	ck_assert_uint_eq(
		change_aliases(o, MAD_SET, LID | BLOCK | GUID1, o->lid, want),
		0);
	set_present(&x, o3->node, true);
	world_run(x.w, mono_ms(1000));
	ck_assert_uint_eq(
		sim_read(x.w->sim, o->node, 1, MAD_GUID_INFO, 0, d), 0);
	ck_assert_uint_eq(be_get64(d + 8), 0);
	ck_assert_uint_eq(host_ask(o, MAD_SA_GET_TABLE, MAD_SA_GUID, &a), 0);
	for (size_t i = 0; i < host_records(o, 72); i++)
		ck_assert_uint_eq(be_get64(host_record(o, i) + 16), 0);
	host_free(o3);
	host_free(o);
}

/* ---- the load of one host ---- */

/* Ten thousand subscriptions of one port, all for the same event, and one of
 * another port, which does not wait for them. */
TEST(ten_thousand_subscriptions)
{
	enum { MANY = 10000 };
	struct fixture x = small_fixture("sa: {subscriptions_per_port: 10000,\n"
					 "  requests_per_second: 0}\n");
	struct host *o = host_on(x.w, "h2"), *o3 = host_on(x.w, "h3");
	struct mad_sa_inform i = everything;
	struct sm_status st;

	i.trap = 65;
	i.lid_first = 1;
	for (unsigned n = 0; n < MANY; n++) {
		i.lid_last = (uint16_t)(100 + n);
		ck_assert_uint_eq(send_inform(o, &i, 0), 0);
	}
	i.lid_last++;
	ck_assert_uint_eq(send_inform(o, &i, 0), MAD_SA_NO_RESOURCES);
	ck_assert_uint_eq(send_inform(o3, &everything, 0), 0);
	o->mute = true; /* and does not acknowledge */
	sim_fault_node(x.w->sim, fabric_find(x.f, "h4"), false);
	world_run(x.w, mono_ms(5000));
	ck_assert_uint_eq(count_reports(o3, 65), 1);
	ck_assert_uint_lt(o->reports, 100);
	o->mute = false;
	world_run(x.w, mono_ms(60000));
	ck_assert_uint_ge(o->reports, MANY);
	/* cancelled one by one, in another order */
	i.subscribe = false;
	i.qpn = 1;
	for (unsigned n = 0; n < MANY; n++) {
		i.lid_last = (uint16_t)(100 + (n * 7919) % MANY);
		ck_assert_uint_eq(send_inform(o, &i, 0), 0);
	}
	sm_status(x.w->sm, &st);
	ck_assert_uint_eq(st.sa.subscriptions, 1);
	host_free(o3);
	host_free(o);
	fixture_free(&x);
}

/* Two of the longest answers at a time; other requests are busy until later. */
TEST(answers_fill_the_memory)
{
	AUTO(fixture)
	struct fixture x =
		fixture_with(shape_of("two:4:32:4"), "sa: {table_mib: 2}");
	static const char *const names[] = {"h7", "h8", "h9", "h10", "h11"};
	struct host *o[5];
	const struct ask a = {0};
	unsigned busy = 0, whole = 0;

	for (unsigned i = 0; i < 5; i++) {
		o[i] = host_on(x.w, names[i]);
		host_send(o[i], MAD_SA_GET_TABLE, MAD_SA_PATH_REC, &a);
	}
	world_run(x.w, mono_ms(1000));
	for (unsigned i = 0; i < 5; i++) {
		ck_assert_uint_eq(o[i]->answers, 1);
		busy += o[i]->h.status == MAD_STATUS_BUSY;
		whole += o[i]->h.status == 0 &&
			 host_records(o[i], 64) == 164 * 164;
	}
	ck_assert_uint_eq(whole, 2);
	ck_assert_uint_eq(busy, 3);
	/* and there is room again */
	ck_assert_uint_eq(
		host_ask(o[0], MAD_SA_GET_TABLE, MAD_SA_PATH_REC, &a), 0);
	for (unsigned i = 0; i < 5; i++)
		host_free(o[i]);
}
