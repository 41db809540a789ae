/*
 * What hosts registered outlives the daemon: services with the rest of their
 * leases, subscriptions, alias GUIDs; and which lines of a state file are
 * refused.
 */
#include <stdio.h>

#include "sm/base/rng.h"
#include "tests/topo/shape.h"
#include "tests/unit/sm/sa/sa_registrations_fixture.h"
#include "tests/unit/suite.h"

static struct fixture
small_fixture(const char *yaml)
{
	return fixture_with(shape_of("mesh:2:2"), yaml);
}

/* The daemon is killed and started again after `away` seconds. */
static void
restart_daemon(struct fixture *x, uint64_t away)
{
	world_run(x->w, mono_ms(3000)); /* saved by then */
	world_kill(x->w);
	x->w->saved.away = away;
	world_start(x->w);
	ck_assert(world_settle(x->w, mono_ms(60000)));
}

TEST(services_survive)
{
	AUTO(fixture) struct fixture x = small_fixture("");
	struct host *o = host_on(x.w, "h2"), *o3 = host_on(x.w, "h3");
	struct service s = service_of(o, 7, 600), e = service_of(o3, 8, 0),
		       brief = service_of(o, 9, 100);

	s.rec[32] = 0x55;
	ck_assert_uint_eq(
		change_service(o, MAD_SET, &s, ID | GID | LEASE | KEY), 0);
	ck_assert_uint_eq(
		change_service(o, MAD_SET, &brief, ID | GID | LEASE), 0);
	ck_assert_uint_eq(change_service(o3, MAD_SET, &e, ID | GID), 0);
	restart_daemon(&x, 100);
	ck_assert_uint_eq(count_services(o), 2);
	for (size_t i = 0; i < 2; i++) {
		const uint8_t *rec = host_record(o, i);

		if (rec[7] == 7) {
			ck_assert_uint_lt(be_get32(rec + 28), 504);
			ck_assert_uint_gt(be_get32(rec + 28), 490);
			ck_assert_uint_eq(rec[32], 0x55);
			ck_assert_str_eq((const char *)rec + 48, "storage");
		} else {
			ck_assert_uint_eq(rec[7], 8);
			ck_assert_uint_eq(be_get32(rec + 28), 0xffffffff);
		}
	}
	/* it still has its key, and registering it again makes no second one */
	memset(s.rec + 32, 0, 16);
	ck_assert_uint_eq(change_service(o, MAD_SET, &s, ID | GID | LEASE),
		MAD_SA_DENIED);
	s.rec[32] = 0x55;
	ck_assert_uint_eq(
		change_service(o, MAD_SET, &s, ID | GID | LEASE | KEY), 0);
	ck_assert_uint_eq(count_services(o), 2);
	/* the services of an absent port are dropped */
	world_run(x.w, mono_ms(3000));
	world_kill(x.w);
	sim_fault_node(x.w->sim, o3->node, false);
	world_start(x.w);
	ck_assert(world_settle(x.w, mono_ms(60000)));
	ck_assert_uint_eq(count_services(o), 1);
	host_free(o3);
	host_free(o);
}

TEST(subscriptions_survive)
{
	struct fixture x = small_fixture("sa: {trust_key: 0x5ec2e7}");
	struct host *o = host_on(x.w, "h2"), *o3 = host_on(x.w, "h3"),
		    *h4 = host_on(x.w, "h4");
	const struct sim_bad_key bad = {.slid = 1, .dlid = 2, .key = 9};
	struct mad_sa_inform i = everything;

	i.trap = 65;
	ck_assert_uint_eq(send_inform(o, &i, 0), 0);
	ck_assert_uint_eq(send_inform(o3, &everything, SA_KEY), 0);
	restart_daemon(&x, 0);
	ck_assert_uint_eq(count_subscriptions(o), 2);
	/* a restart causes no report */
	ck_assert_uint_eq(count_reports(o, 65) + count_reports(o3, 64) +
				  count_reports(o3, 65),
		0);
	set_present(&x, h4->node, false);
	ck_assert_uint_eq(count_reports(o, 65), 1);
	/* trust has to be shown again */
	sim_bad_key(x.w->sim, o->node, 1, &bad);
	world_run(x.w, mono_ms(2000));
	ck_assert_uint_eq(count_reports(o3, 257), 0);
	ck_assert_uint_eq(send_inform(o3, &everything, SA_KEY), 0);
	ck_assert_uint_eq(send_inform(o, &i, 0), 0);
	ck_assert_uint_eq(count_subscriptions(o), 2);
	sim_bad_key(x.w->sim, o->node, 1, &bad);
	world_run(x.w, mono_ms(2000));
	ck_assert_uint_eq(count_reports(o3, 257), 1);
	/* a cancelled subscription stays cancelled */
	i.subscribe = false;
	i.qpn = 1;
	ck_assert_uint_eq(send_inform(o, &i, 0), 0);
	restart_daemon(&x, 0);
	ck_assert_uint_eq(count_subscriptions(o), 1);
	host_free(h4);
	host_free(o3);
	host_free(o);
	fixture_free(&x);
}

/*
 * A host with a GRH in its requests, as hypervisors' virtual ports send them:
 * answers have one, Reports have one, also those after a restart.
 */
TEST(grh_survives)
{
	AUTO(fixture) struct fixture x = small_fixture("");
	struct host *o = host_on(x.w, "h2"), *h4 = host_on(x.w, "h4");
	const uint64_t aliases[8] = {0, 0x1111, 0x2222};
	struct mad_sa_inform i = everything;

	sim_hand_guids(x.w->sim, o->node, 1, 0, aliases);
	o->from.pkey_index = 3;
	o->from.grh.present = true;
	o->from.grh.gid_index = 2;
	be_put64(o->from.grh.gid, PREFIX);
	be_put64(o->from.grh.gid + 8, UINT64_C(0x0200000000000002));
	o->from.grh.flow_label = 0xabcde;
	i.trap = 65;
	ck_assert_uint_eq(send_inform(o, &i, 0), 0);
	ck_assert_uint_eq(count_subscriptions(o), 1);
	restart_daemon(&x, 0);
	ck_assert_uint_eq(count_subscriptions(o), 1);
	set_present(&x, h4->node, false);
	ck_assert_uint_eq(count_reports(o, 65), 1);
	host_free(h4);
	host_free(o);
}

TEST(aliases_survive)
{
	AUTO(fixture) struct fixture x = small_fixture("");
	struct host *o = host_on(x.w, "h2"), *o3 = host_on(x.w, "h3");
	const uint64_t want[8] = {0, 0x1111, 0x2222};
	uint8_t d[MAD_DATA], rec[MAD_SA_PATH];
	struct mad_sa_path p = {.dgid = {PREFIX, 0x2222}};
	const struct ask a = {
		.mask = MAD_SA_PATH_DGID, .rec = rec, .len = sizeof(rec)};

	ck_assert_uint_eq(change_aliases(o, MAD_SET,
				  LID | BLOCK | GUID1 | GUID2, o->lid, want),
		0);
	world_run(x.w, mono_ms(3000));
	world_kill(x.w);
	/* the port loses them meanwhile */
	sim_fault_node(x.w->sim, o->node, false);
	sim_fault_node(x.w->sim, o->node, true);
	world_start(x.w);
	ck_assert(world_settle(x.w, mono_ms(60000)));
	world_run(x.w, mono_ms(1000));
	mad_sa_path_encode(&p, rec);
	ck_assert_uint_eq(host_ask(o3, MAD_GET, MAD_SA_PATH_REC, &a), 0);
	mad_sa_path_decode(o3->data, &p);
	ck_assert_uint_eq(p.dlid, sim_port_info(x.w->sim, o->node, 1)->lid);
	ck_assert_uint_eq(
		sim_read(x.w->sim, o->node, 1, MAD_GUID_INFO, 0, d), 0);
	ck_assert_uint_eq(be_get64(d + 8), 0x1111);
	ck_assert_uint_eq(be_get64(d + 16), 0x2222);
	host_free(o3);
	host_free(o);
}

/*
 * A manager that became a standby keeps its registrations until it is master
 * again, also over a restart, but not alias GUIDs; then hosts are asked to
 * register anew.
 */
LOOP_TEST(a_standby_keeps_registrations, 0, 2)
{
	const uint64_t alias[8] = {0, 0x1111};
	AUTO(fixture) struct fixture x = small_fixture("");
	AUTO(host) struct host *o = host_on(x.w, "h2");
	const struct mad_sm_info other = {.priority = 15, .state = 3};
	struct service s = service_of(o, 7, 0);
	struct sm_status st;

	ck_assert_uint_eq(change_service(o, MAD_SET, &s, ID | GID), 0);
	ck_assert_uint_eq(send_inform(o, &everything, 0), 0);
	ck_assert_uint_eq(
		change_aliases(o, MAD_SET, LID | BLOCK | GUID1, o->lid, alias),
		0);
	world_run(x.w, mono_ms(3000));
	ck_assert_ptr_nonnull(strstr(x.w->saved.sa, "service 0x"));
	ck_assert_ptr_nonnull(strstr(x.w->saved.sa, "inform 0x"));
	ck_assert_ptr_nonnull(strstr(x.w->saved.sa, "alias 0x"));
	sim_fault_other_sm(x.w->sim, fabric_find(x.f, "h4"), 1, &other);
	sm_resweep(x.w->sm, sim_now(x.w->sim), "test");
	world_run(x.w, mono_ms(5000));
	ck_assert_ptr_nonnull(strstr(x.w->saved.sa, "service 0x"));
	ck_assert_ptr_nonnull(strstr(x.w->saved.sa, "inform 0x"));
	ck_assert_ptr_null(strstr(x.w->saved.sa, "alias 0x"));
	if (_i == 1) { /* a standby from the start */
		world_kill(x.w);
		world_start(x.w);
		world_run(x.w, mono_ms(5000));
	}
	sim_clear_stats(x.w->sim);
	sim_fault_node(x.w->sim, fabric_find(x.f, "h4"), false);
	world_run(x.w, mono_ms(10000));
	sm_status(x.w->sm, &st);
	ck_assert_int_eq(st.role, SM_MASTER);
	ck_assert_uint_eq(st.sa.services, 1);
	ck_assert_uint_eq(st.sa.subscriptions, 1);
	ck_assert_uint_gt(sim_stats(x.w->sim)->client_rereg, 0);
}

/* ---- refused lines ---- */

struct lonely {
	struct transport t;
	struct sa *sa;
	struct sa_ops ops;
};

static int
no_send(struct transport *t, const struct transport_msg *m)
{
	(void)t;
	(void)m;
	return 0;
}

static void
ignore_group(void *cookie, uint16_t mlid)
{
	(void)cookie;
	(void)mlid;
}

static void
lonely_new(struct lonely *l)
{
	static const struct sa_params p = {.prefix = PREFIX,
		.services = 2,
		.subscribers = 2,
		.groups = 1,
		.table_mib = 1};

	*l = (struct lonely){.t.send = no_send, .ops.regroup = ignore_group};
	l->sa = sa_new(&l->t, &l->ops, &p);
}

/* A line with the record of service id of GUID 0x11, `less` digits too
 * short. */
static void
service_line(struct buf *b, unsigned id, const char *left, size_t less)
{
	buf_printf(b, "service 0x11 %s ", left);
	for (size_t i = 0; i < 2 * (size_t)MAD_SA_SERVICE - less; i++)
		buf_printf(b, "%x", i == 15 ? id : 0);
	buf_printf(b, "\n");
}

static size_t
restore_sa(struct lonely *l, const struct buf *b, uint64_t away)
{
	return sa_restore(l->sa, b->text, away, (struct mono){1000000000});
}

TEST(lines_that_cannot_be)
{
	static const char *const bad[] = {"", " ", "service", "service 0x11",
		"service 0x11 5", "service 0x11 5 ", "service 0x0 5 00",
		"service 17 5 00", "inform 0x11 0 00", "inform 0x11 16 00",
		"alias 0x11 2 00", "alias 0x11 0 ", "alias 0x11 257 00",
		"alias 0x11 1 0000000000000001",
		"alias 0x11 1 000000000000000g", "tenant 0x11 5 00",
		"service 0x11 5 00 00", "service 0x11 0x 00",
		"service 11x 5 00", "inform 0x11111111111111111 0 00"};
	struct lonely l;
	struct sa_stats st;
	struct buf b = {0};

	lonely_new(&l);
	for (size_t i = 1; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ck_assert_msg(
			sa_restore(l.sa, bad[i], 0, (struct mono){1}) == 1,
			"'%s'", bad[i]);
		ck_assert(sa_changed(l.sa));
	}
	ck_assert_uint_eq(sa_restore(l.sa, "", 0, (struct mono){1}), 0);
	ck_assert_uint_eq(sa_restore(l.sa, NULL, 0, (struct mono){1}), 0);
	service_line(&b, 1, "5", 2); /* short */
	service_line(&b, 1, "5", 1);
	service_line(&b, 1, "0", 0); /* no lease */
	service_line(&b, 1, "4294967296", 0);
	service_line(&b, 1, "-1", 0);
	service_line(&b, 1, "5", 0);
	service_line(&b, 1, "6", 0); /* a duplicate */
	service_line(&b, 2, "4294967295", 0);
	service_line(&b, 3, "5", 0); /* more services than one port may have */
	ck_assert_uint_eq(restore_sa(&l, &b, 0), 7);
	sa_stats(l.sa, &st);
	ck_assert_uint_eq(st.services, 2);
	buf_free(&b);
	/* saved again: unchanged */
	sa_save(l.sa, (struct mono){1000000000}, &b);
	ck_assert(!sa_changed(l.sa));
	sa_free(l.sa);
	lonely_new(&l);
	ck_assert_uint_eq(restore_sa(&l, &b, 5), 0);
	sa_stats(l.sa, &st);
	ck_assert_uint_eq(st.services, 1); /* the other lease ended */
	buf_free(&b);
	sa_free(l.sa);
}

/* Bytes changed at random: nothing breaks, and what is restored can be saved
 * and restored again. */
TEST(damaged_lines)
{
	struct rng r = {7};
	struct lonely l;
	struct buf b = {0}, again = {0};

	for (int round = 0; round < 300; round++) {
		lonely_new(&l);
		service_line(&b, 1, "5", 0);
		service_line(&b, 2, "4294967295", 0);
		buf_printf(&b, "inform 0x11 3 ");
		for (int i = 0; i < 2 * MAD_SA_INFORM; i++)
			buf_printf(&b, "%c", i < 48 ? 'f' : '1');
		buf_printf(&b, "\nalias 0x11 2 0000000000000000"
			       "00000000000000aa\n");
		for (uint64_t n = rng_below(&r, 20); n > 0; n--)
			b.text[rng_below(&r, (uint32_t)b.n)] =
				(char)(1 + rng_below(&r, 126));
		(void)restore_sa(&l, &b, 0);
		sa_save(l.sa, (struct mono){1000000000}, &again);
		sa_free(l.sa);
		lonely_new(&l);
		ck_assert_uint_eq(restore_sa(&l, &again, 0), 0);
		sa_free(l.sa);
		buf_free(&b);
		buf_free(&again);
	}
}
