/*
 * What hosts register with subnet administration: services, alias GUIDs,
 * subscriptions; reports to subscribers; and limits.
 */
#include "tests/topo/shape.h"
#include "tests/unit/sm/sa/sa_registrations_fixture.h"
#include "tests/unit/suite.h"

static struct fixture
small_fixture(const char *yaml)
{
	return fixture_with(shape_of("mesh:2:2"), yaml);
}

TEST(services_have_leases)
{
	AUTO(fixture) struct fixture x = small_fixture("");
	struct host *o = host_on(x.w, "h2"), *o3 = host_on(x.w, "h3");
	struct service s = service_of(o, 7, 5), e = service_of(o3, 7, 0);
	struct mad_sa_path p;
	uint8_t rec[MAD_SA_PATH] = {[7] = 7};
	struct ask by_service = {.mask = 3, .rec = rec, .len = sizeof(rec)};

	ck_assert_uint_eq(
		change_service(o, MAD_SET, &s, ID | GID | PKEY | LEASE), 0);
	ck_assert_uint_eq(o->h.method, MAD_GET_RESP);
	ck_assert_uint_eq(change_service(o3, MAD_SET, &e, ID | GID | LEASE),
		MAD_SA_REQ_INVALID);
	ck_assert_uint_eq(change_service(o3, MAD_SET, &e, ID | GID), 0);
	ck_assert_uint_eq(count_services(o), 2);
	ck_assert_uint_eq(be_get32(host_record(o, 1) + 28), 0xffffffff);
	/* paths to the host that offers the service */
	ck_assert_uint_eq(
		host_ask(o, MAD_SA_GET_TABLE, MAD_SA_PATH_REC, &by_service), 0);
	ck_assert_uint_eq(host_records(o, 64), 2 * 6);
	mad_sa_path_decode(o->data, &p);
	ck_assert(p.dlid == o->lid || p.dlid == o3->lid);
	/* the rest of the lease, until it ends */
	world_run(x.w, mono_ms(2500));
	ck_assert_uint_eq(count_services(o), 2);
	ck_assert_uint_eq(be_get32(host_record(o, 0) + 28), 2);
	ck_assert_uint_eq(change_service(o, MAD_SET, &s, ID | GID | LEASE), 0);
	world_run(x.w, mono_ms(4000));
	ck_assert_uint_eq(count_services(o), 2);
	world_run(x.w, mono_ms(2500));
	ck_assert_uint_eq(count_services(o), 1);
	/* without a limit, but not longer than its port */
	set_present(&x, o3->node, false);
	ck_assert_uint_eq(count_services(o), 0);
	host_free(o3);
	host_free(o);
}

TEST(services_have_owners_and_keys)
{
	struct fixture x = small_fixture("sa: {services_per_port: 3}");
	struct host *o = host_on(x.w, "h2"), *o3 = host_on(x.w, "h3");
	struct service s = service_of(o, 7, 0), other = s;

	s.rec[32] = 0x55;
	ck_assert_uint_eq(
		change_service(o3, MAD_SET, &s, ID | GID), MAD_SA_DENIED);
	ck_assert_uint_eq(
		change_service(o, MAD_SET, &s, ID), MAD_SA_INSUF_COMPS);
	ck_assert_uint_eq(change_service(o, MAD_SET, &s, ID | GID | KEY), 0);
	ck_assert_uint_eq(count_services(o3), 1);
	ck_assert_uint_eq(host_record(o3, 0)[32], 0); /* not for others */
	ck_assert_uint_eq(count_services(o), 1);
	ck_assert_uint_eq(host_record(o, 0)[32], 0x55);
	ck_assert_uint_eq(
		change_service(o, MAD_SET, &other, ID | GID), MAD_SA_DENIED);
	ck_assert_uint_eq(
		change_service(o3, MAD_SA_DELETE, &s, ID | GID), MAD_SA_DENIED);
	ck_assert_uint_eq(change_service(o, MAD_SA_DELETE, &other, ID | GID),
		MAD_SA_DENIED);
	be_put16(other.rec + 24, 0x1234);
	ck_assert_uint_eq(change_service(o, MAD_SET, &other, ID | GID | PKEY),
		MAD_SA_REQ_INVALID);
	for (uint64_t id = 8; id < 12; id++) {
		other = service_of(o, id, 0);
		ck_assert_uint_eq(change_service(o, MAD_SET, &other, ID | GID),
			id < 10 ? 0 : MAD_SA_NO_RESOURCES);
	}
	ck_assert_uint_eq(change_service(o, MAD_SA_DELETE, &s, ID | GID), 0);
	ck_assert_uint_eq(o->h.method, MAD_SA_DELETE | MAD_SA_RESPONSE);
	ck_assert_uint_eq(count_services(o), 2);
	ck_assert_uint_eq(change_service(o, MAD_SA_DELETE, &s, ID | GID),
		MAD_SA_NO_RECORDS);
	host_free(o3);
	host_free(o);
	fixture_free(&x);
}

static uint64_t
alias_of(struct fixture *x, const struct host *o, unsigned entry)
{
	uint8_t d[MAD_DATA];

	ck_assert_uint_eq(
		sim_read(x->w->sim, o->node, 1, MAD_GUID_INFO, 0, d), 0);
	return be_get64(d + (size_t)8 * entry);
}

/* An adapter that restarts has lost them, and is too fast to be missed. */
TEST(aliases_are_written_after_a_restart_of_the_adapter)
{
	AUTO(fixture) struct fixture x = small_fixture("");
	AUTO(host) struct host *o = host_on(x.w, "h2");
	const uint64_t want[8] = {0, 0x1111}, none[8] = {0, 0};

	ck_assert_uint_eq(
		change_aliases(o, MAD_SET, LID | BLOCK | GUID1, o->lid, want),
		0);
	world_run(x.w, mono_ms(1000));
	ck_assert_uint_eq(alias_of(&x, o, 1), 0x1111);
	sim_fault_node(x.w->sim, o->node, false);
	sim_fault_node(x.w->sim, o->node, true);
	ck_assert_uint_eq(alias_of(&x, o, 1), 0);
	ck_assert(world_settle(x.w, mono_ms(60000)));
	ck_assert_uint_eq(alias_of(&x, o, 1), 0x1111);
	/* and what was taken back stays away */
	ck_assert_uint_eq(change_aliases(o, MAD_SA_DELETE, LID | BLOCK | GUID1,
				  o->lid, none),
		0);
	world_run(x.w, mono_ms(1000));
	ck_assert_uint_eq(alias_of(&x, o, 1), 0);
}

TEST(aliases_are_written_and_found)
{
	AUTO(fixture) struct fixture x = small_fixture("");
	struct host *o = host_on(x.w, "h2"), *o3 = host_on(x.w, "h3");
	const uint64_t want[8] = {0, 0x1111, 0}, taken[8] = {0, o3->guid};
	uint8_t d[MAD_DATA], rec[MAD_SA_PATH];
	struct mad_sa_path p = {.dgid = {PREFIX, 0x1111}};
	const struct ask a = {
		.mask = MAD_SA_PATH_DGID, .rec = rec, .len = sizeof(rec)};
	uint64_t made;

	ck_assert_uint_eq(change_aliases(o, MAD_SET,
				  LID | BLOCK | GUID1 | GUID2, o->lid, want),
		0);
	ck_assert_uint_eq(be_get64(o->data + 8), o->guid);
	ck_assert_uint_eq(be_get64(o->data + 16), 0x1111);
	made = be_get64(o->data + 24);
	ck_assert_uint_eq(made >> 56, 2);
	/* an alias of the SM's choice is always the same */
	ck_assert_uint_eq(
		change_aliases(o, MAD_SET, LID | BLOCK | GUID2, o->lid, want),
		0);
	ck_assert_uint_eq(be_get64(o->data + 24), made);
	/* the port has them */
	world_run(x.w, mono_ms(1000));
	ck_assert_uint_eq(
		sim_read(x.w->sim, o->node, 1, MAD_GUID_INFO, 0, d), 0);
	ck_assert_uint_eq(be_get64(d + 8), 0x1111);
	ck_assert_uint_eq(be_get64(d + 16), made);
	/* a path to it carries the requested GID */
	mad_sa_path_encode(&p, rec);
	ck_assert_uint_eq(host_ask(o3, MAD_GET, MAD_SA_PATH_REC, &a), 0);
	mad_sa_path_decode(o3->data, &p);
	ck_assert_uint_eq(p.dgid.guid, 0x1111);
	ck_assert_uint_eq(p.dlid, o->lid);
	/* refused requests */
	ck_assert_uint_eq(
		change_aliases(o, MAD_SET, LID | BLOCK | GUID0, o->lid, want),
		MAD_SA_REQ_INVALID);
	ck_assert_uint_eq(
		change_aliases(o3, MAD_SET, LID | BLOCK | GUID1, o->lid, want),
		MAD_SA_DENIED);
	ck_assert_uint_eq(
		change_aliases(o3, MAD_SET, LID | BLOCK | GUID1, o3->lid, want),
		MAD_SA_INVALID_GID);
	ck_assert_uint_eq(
		change_aliases(o, MAD_SET, LID | BLOCK | GUID1, o->lid, taken),
		MAD_SA_INVALID_GID);
	ck_assert_uint_eq(change_aliases(o, MAD_SET, LID | GUID1, o->lid, want),
		MAD_SA_INSUF_COMPS);
	/* and removed again */
	ck_assert_uint_eq(change_aliases(o, MAD_SA_DELETE, LID | BLOCK | GUID1,
				  o->lid, NULL),
		0);
	ck_assert_uint_eq(
		host_ask(o3, MAD_GET, MAD_SA_PATH_REC, &a), MAD_SA_INVALID_GID);
	ck_assert_uint_eq(
		change_aliases(o3, MAD_SET, LID | BLOCK | GUID1, o3->lid, want),
		0);
	host_free(o3);
	host_free(o);
}

TEST(gids_come_and_go)
{
	AUTO(fixture) struct fixture x = small_fixture("");
	struct host *o = host_on(x.w, "h2"), *o3 = host_on(x.w, "h3");
	struct mad_sa_inform i = everything, out = everything;

	i.trap = 64;
	out.trap = 65;
	ck_assert_uint_eq(send_inform(o, &i, 0), 0);
	ck_assert_uint_eq(send_inform(o, &out, 0), 0);
	ck_assert_uint_eq(send_inform(o, &out, 0), 0); /* twice is the same */
	ck_assert_uint_eq(count_subscriptions(o3), 2);
	ck_assert_uint_eq(be_get64(o3->data + 8), o->guid);
	ck_assert_uint_eq(be_get16(o3->data + 24 + 26), 64);
	set_present(&x, o3->node, false);
	ck_assert_uint_eq(o->reports, 1);
	ck_assert_uint_eq(trap_of(o->notice), 65);
	ck_assert_uint_eq(o->notice[0], 0x83); /* generic, SM */
	ck_assert_uint_eq(be_get32(o->notice) & 0xffffff, 4);
	ck_assert_uint_eq(be_get64(o->notice + 16), PREFIX);
	ck_assert_uint_eq(be_get64(o->notice + 24), o3->guid);
	ck_assert_uint_eq(be_get64(o->notice + 64), PREFIX);
	set_present(&x, o3->node, true);
	ck_assert_uint_eq(o->reports, 2);
	ck_assert_uint_eq(trap_of(o->notice), 64);
	/* cancelled: by the queue pair that the SA returned */
	i.subscribe = out.subscribe = false;
	ck_assert_uint_eq(send_inform(o, &out, 0), MAD_SA_REQ_INVALID);
	i.qpn = out.qpn = 1;
	ck_assert_uint_eq(send_inform(o, &out, 0), 0);
	set_present(&x, o3->node, false);
	ck_assert_uint_eq(o->reports, 2);
	ck_assert_uint_eq(send_inform(o, &i, 0), 0);
	ck_assert_uint_eq(count_subscriptions(o), 0);
	host_free(o3);
	host_free(o);
}

TEST(traps_are_forwarded)
{
	struct fixture x = small_fixture("sa: {trust_key: 0x5ec2e7}");
	struct host *o = host_on(x.w, "h2"), *o3 = host_on(x.w, "h3"),
		    *h4 = host_on(x.w, "h4");
	struct mad_sa_inform i = everything;
	const struct sim_bad_key bad = {.slid = 1, .dlid = 2, .key = 9};

	ck_assert_uint_eq(send_inform(o, &i, 0), 0);
	ck_assert_uint_eq(send_inform(o3, &i, SA_KEY), 0);
	sim_fault_link(x.w->sim, o->node, 1, true); /* nothing new */
	sim_fault_rename(x.w->sim, h4->node, "new name");
	world_run(x.w, mono_ms(2000));
	ck_assert_uint_eq(count_reports(o, 144), 1);
	ck_assert_uint_ne(be_get64(o->notice + 72), 0); /* GUID of the issuer */
	sim_fault_link(x.w->sim, h4->node, 1, false);
	ck_assert(world_settle(x.w, mono_ms(60000)));
	ck_assert_uint_ge(count_reports(o, 128), 1);
	ck_assert_uint_eq(count_reports(o, 65), 1);
	/* key violations are reported only to hosts with the trust key */
	sim_bad_key(x.w->sim, o->node, 1, &bad);
	world_run(x.w, mono_ms(2000));
	ck_assert_uint_eq(count_reports(o, 257), 0);
	ck_assert_uint_eq(count_reports(o3, 257), 1);
	host_free(h4);
	host_free(o3);
	host_free(o);
	fixture_free(&x);
}

TEST(reports_are_repeated)
{
	AUTO(fixture) struct fixture x = small_fixture("");
	struct host *o = host_on(x.w, "h2"), *o3 = host_on(x.w, "h3");

	ck_assert_uint_eq(send_inform(o, &everything, 0), 0);
	o->mute = true;
	sim_fault_node(x.w->sim, o3->node, false);
	world_run(x.w, mono_ms(4000));
	ck_assert_uint_ge(o->reports, 3);
	o->mute = false;
	world_run(x.w, mono_ms(60000));
	o->reports = 0;
	world_run(x.w, mono_ms(60000));
	ck_assert_uint_eq(o->reports, 0); /* answered */
	/* a host that never acknowledges loses its subscription in the end, an
	 * absent one at once */
	ck_assert_uint_eq(count_subscriptions(o), 1);
	o->mute = true;
	for (int i = 0; i < 4; i++) {
		set_present(&x, o3->node, i % 2 == 0);
		world_run(x.w, mono_ms(60000));
	}
	ck_assert_uint_eq(count_subscriptions(o), 0);
	set_present(&x, o3->node, true);
	ck_assert_uint_eq(send_inform(o3, &everything, 0), 0);
	set_present(&x, o3->node, false);
	ck_assert_uint_eq(count_subscriptions(o), 0);
	host_free(o3);
	host_free(o);
}

TEST(subscriptions_are_bounded)
{
	struct fixture x = small_fixture("sa: {subscriptions_per_port: 5}");
	struct host *o = host_on(x.w, "h2");
	struct mad_sa_inform i = everything;

	for (uint16_t n = 0; n < 8; n++) {
		i.trap = (uint16_t)(100 + n);
		ck_assert_uint_eq(
			send_inform(o, &i, 0), n < 5 ? 0 : MAD_SA_NO_RESOURCES);
	}
	i.type = 9;
	ck_assert_uint_eq(send_inform(o, &i, 0), MAD_SA_REQ_INVALID);
	i.type = 3;
	i.lid_first = 9;
	i.lid_last = 8;
	ck_assert_uint_eq(send_inform(o, &i, 0), MAD_SA_REQ_INVALID);
	host_free(o);
	fixture_free(&x);
}

/* A host is asked once to register again: all hosts by a new SM, a new host by
 * the running one. */
TEST(hosts_register_anew)
{
	AUTO(fixture) struct fixture x = small_fixture("");
	const struct sim_stats *s = sim_stats(x.w->sim);

	world_run(x.w, mono_ms(30000));
	ck_assert_uint_eq(s->client_rereg, 4);
	set_present(&x, fabric_find(x.f, "h3"), false);
	set_present(&x, fabric_find(x.f, "h3"), true);
	world_run(x.w, mono_ms(30000));
	ck_assert_uint_eq(s->client_rereg, 5);
	world_kill(x.w);
	world_start(x.w);
	ck_assert(world_settle(x.w, mono_ms(60000)));
	world_run(x.w, mono_ms(30000));
	ck_assert_uint_eq(s->client_rereg, 9);
	/* no other attribute of the ports was written */
	for (uint32_t n = 0; n < sim_nodes(x.w->sim); n++)
		ck_assert_uint_eq(sim_port_info(x.w->sim, n, 1)->state, 4);
}

/* ---- limits ---- */

TEST(too_many_requests_are_refused)
{
	AUTO(fixture)
	struct fixture x = small_fixture(
		"sa: {requests_per_second: 10, request_burst: 4}");
	struct host *o = host_on(x.w, "h2"), *o3 = host_on(x.w, "h3");
	const struct ask a = {0};

	for (int i = 0; i < 6; i++)
		ck_assert_uint_eq(
			host_ask(o, MAD_GET, MAD_SA_CLASS_PORT_INFO, &a),
			i < 4 ? 0 : MAD_STATUS_BUSY);
	ck_assert_uint_eq(host_ask(o3, MAD_GET, MAD_SA_CLASS_PORT_INFO, &a), 0);
	world_run(x.w, mono_ms(150));
	ck_assert_uint_eq(host_ask(o, MAD_GET, MAD_SA_CLASS_PORT_INFO, &a), 0);
	ck_assert_uint_eq(host_ask(o, MAD_GET, MAD_SA_CLASS_PORT_INFO, &a),
		MAD_STATUS_BUSY);
	world_run(x.w, mono_ms(100000));
	for (int i = 0; i < 5; i++)
		ck_assert_uint_eq(
			host_ask(o, MAD_GET, MAD_SA_CLASS_PORT_INFO, &a),
			i < 4 ? 0 : MAD_STATUS_BUSY);
	host_free(o3);
	host_free(o);
}

/* 648 hosts: the 702 x 702 paths take many turns; a request in between does not
 * wait, and a fifth table at the same time is one too many. */
TEST(all_paths_of_a_large_fabric)
{
	struct fixture x = fixture_with(shape_of("two:18:36:18"), "");
	struct host *o = host_on(x.w, "h7");
	const struct ask a = {0};
	unsigned busy = 0;

	for (int i = 0; i < 6; i++) {
		host_send(o, MAD_SA_GET_TABLE, MAD_SA_PATH_REC, &a);
		sim_run_until(
			x.w->sim, mono_add(sim_now(x.w->sim), mono_ms(1)));
		if (o->answers > 0) {
			ck_assert_uint_eq(o->h.status, MAD_STATUS_BUSY);
			busy++;
		}
	}
	ck_assert_uint_eq(busy, 2);
	ck_assert_uint_eq(host_ask(o, MAD_GET, MAD_SA_CLASS_PORT_INFO, &a), 0);
	world_run(x.w, mono_ms(100));
	ck_assert_uint_eq(
		host_ask(o, MAD_SA_GET_TABLE, MAD_SA_PATH_REC, &a), 0);
	ck_assert_uint_eq(host_records(o, 64), 702 * 702);
	host_free(o);
	fixture_free(&x);
}

TEST(too_long_a_table)
{
	AUTO(fixture)
	struct fixture x =
		fixture_with(shape_of("two:4:32:4"), "sa: {table_mib: 1}");
	AUTO(host) struct host *o = host_on(x.w, "h7");
	const struct ask a = {0};

	ck_assert_uint_eq(host_ask(o, MAD_SA_GET_TABLE, MAD_SA_PATH_REC, &a),
		MAD_SA_NO_RESOURCES);
	ck_assert_uint_eq(host_ask(o, MAD_SA_GET_TABLE, MAD_SA_NODE, &a), 0);
}
