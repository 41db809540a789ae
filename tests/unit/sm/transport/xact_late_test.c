/* Requests that are late, cut or cancelled: a scripted wire, virtual time. */
#include "tests/unit/sm/transport/xact_fixture.h"
#include "tests/unit/suite.h"

static void
on_late(void *cookie, const void *owner, const struct xact_request *r,
	struct mono now)
{
	struct env *e = cookie;

	ck_assert_ptr_eq(owner, e);
	ck_assert_int_eq(now.ns, e->now.ns);
	e->late++;
	e->late_one = *r;
}

/* Reported after 10 ms, and at each deadline; nothing else changes. */
TEST(late)
{
	static const int64_t at[] = {1010, 1080, 1240, 1560};
	AUTO(env) struct env *e = env_new(4, 4, 4);

	xact_on_late(e->x, on_late, e);
	submit_get(e, 9, 7);
	ck_assert(!xact_only_late(e->x, e));
	for (unsigned i = 0; i < 4; i++) {
		tick_at(e, at[i] - 1);
		ck_assert_uint_eq(e->late, i);
		ck_assert_uint_eq(e->n, i < 3 ? (i < 2 ? 1 : i) : 3);
		tick_at(e, at[i]);
		ck_assert_uint_eq(e->late, i + 1);
		ck_assert(xact_only_late(e->x, e));
	}
	ck_assert_uint_eq(e->late_one.target, 9);
	ck_assert_int_eq(e->last.outcome, XACT_TIMEOUT);
	ck_assert(!e->last.cut);
}

/* Where answers take long, no request is reported late too early. */
TEST(patience)
{
	AUTO(env) struct env *e = env_new(4, 4, 4);
	int64_t t = 1000;

	xact_on_late(e->x, on_late, e);
	for (unsigned i = 0; i < 40; i++) {
		submit_get(e, 1, i);
		tick_at(e, t + 9);
		send_answer(e, i);
		t += 9;
	}
	for (unsigned i = 40; i < 80; i++) {
		submit_get(e, 1, i);
		t += i % 2 ? 18 : 26;
		tick_at(e, t);
		send_answer(e, i);
	}
	e->late = 0;
	submit_get(e, 1, 100);
	tick_at(e, t + 39);
	ck_assert_uint_eq(e->late, 0);
	tick_at(e, t + 40); /* half of the usual time at most */
	ck_assert_uint_eq(e->late, 1);
}

/* Requests with a path that begins with this one are ended, in any state. */
TEST(cut)
{
	const uint8_t way[64] = {0, 3, 8};
	AUTO(env) struct env *e = env_new(4, 4, 1);
	struct xact_request by_lid = {.method = MAD_GET,
		.attr = MAD_NODE_INFO,
		.target = 77,
		.lid = 7};

	submit_get(e, 8, 0);
	submit_get(e, 8, 1); /* waits for the first */
	submit_get(e, 9, 2);
	xact_submit(e->x, &by_lid, e->now, on_done, e, 3);
	xact_cut(e->x, way, 2, e->now);
	ck_assert_uint_eq(e->done, 2);
	ck_assert_uint_eq(e->calls[0] + e->calls[1], 2);
	ck_assert_int_eq(e->last.outcome, XACT_TIMEOUT);
	ck_assert(e->last.cut);
	ck_assert_uint_eq(xact_stats(e->x)->cut, 2);
	submit_get(e, 8, 4); /* a later one is sent like any other */
	ck_assert_uint_eq(e->n, 4);
	xact_cut(e->x, way, 1, e->now);
	ck_assert_uint_eq(e->done, 4);
	ck_assert_uint_eq(xact_pending(e->x), 1);
	send_answer(e, 0); /* too late */
	ck_assert_uint_eq(e->done, 4);
}

static void
count_other(void *cookie, uint64_t tag, const struct xact_result *res)
{
	(void)tag;
	ck_assert_int_eq(res->outcome, XACT_OK);
	++*(unsigned *)cookie;
}

/* The requests of one owner are cancelled, those of another take their
 * place. */
TEST(cancel_owner)
{
	AUTO(env) struct env *e = env_new(1, 1, 1);
	struct xact_request r = {.method = MAD_GET,
		.attr = MAD_NODE_INFO,
		.target = 3,
		.hops = 1,
		.path = {0, 3}};
	unsigned other = 0;

	submit_get(e, 1, 0);
	submit_get(e, 2, 1);
	xact_submit(e->x, &r, e->now, count_other, &other, 0);
	ck_assert_uint_eq(e->n, 1);
	xact_cancel(e->x, e, e->now);
	ck_assert_uint_eq(e->done, 2);
	ck_assert_int_eq(e->last.outcome, XACT_CANCELLED);
	ck_assert_uint_eq(e->n, 2);
	send_answer(e, 1);
	ck_assert_uint_eq(other, 1);
}
