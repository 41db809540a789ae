/* Transactions against a scripted wire on a virtual clock. */
#include "tests/unit/sm/transport/xact_fixture.h"

#include <string.h>

#include "sm/base/be.h"
#include "sm/base/rng.h"
#include "tests/unit/suite.h"

enum { SEED = 8086 };

#define KEY UINT64_C(0x1122334455667788)

TEST(request_on_the_wire)
{
	AUTO(env) struct env *e = env_new(8, 8, 8);
	struct xact_request r = {.method = MAD_SET,
		.attr = MAD_LFT,
		.mod = 17,
		.target = 1,
		.lid = 99,
		.data = {1, 2, 3}};
	struct smp s;

	keyring_configure(xact_keys(e->x), KEY, NULL, 0);
	submit_get(e, 4, 0);
	xact_submit(e->x, &r, e->now, on_done, e, 1);
	ck_assert_uint_eq(e->n, 2);
	ck_assert_uint_eq(e->sent[0].addr.lid, 0xffff);
	ck_assert_uint_eq(e->sent[0].addr.qpn, 0);
	ck_assert_uint_eq(e->sent[0].len, MAD_SIZE);
	ck_assert_uint_eq(e->sent[0].timeout_ms, 2 * TIMEOUT_MS);
	s = sent_smp(e, 0);
	ck_assert_uint_eq(s.mgmt_class, MAD_SUBN_DR);
	ck_assert_uint_eq(s.hop_cnt, 2);
	ck_assert_uint_eq(s.hop_ptr, 0);
	ck_assert_uint_eq(s.dr_slid, 0xffff);
	ck_assert_uint_eq(s.dr_dlid, 0xffff);
	ck_assert_uint_eq(s.path[1], 3);
	ck_assert_uint_eq(s.path[2], 4);
	ck_assert_uint_eq(s.tid >> 32, 0);
	ck_assert_uint_eq(e->sent[1].addr.lid, 99);
	s = sent_smp(e, 1);
	ck_assert_uint_eq(s.mgmt_class, MAD_SUBN_LID);
	ck_assert_uint_eq(s.method, MAD_SET);
	ck_assert_uint_eq(s.mod, 17);
	ck_assert_uint_eq(s.mkey, KEY);
	ck_assert_uint_eq(s.data[2], 3);
	send_answer(e, 1);
	ck_assert_uint_eq(xact_stats(e->x)->by_attr[MAD_LFT][1], 1);
}

TEST(answered)
{
	AUTO(env) struct env *e = env_new(4, 4, 4);

	submit_get(e, 1, 7);
	ck_assert_uint_eq(e->done, 0); /* never from inside submit */
	ck_assert_int_eq(xact_next(e->x).ns, mono_ms(1000 + TIMEOUT_MS).ns);
	e->now = mono_ms(1003);
	send_answer(e, 0);
	ck_assert_uint_eq(e->calls[7], 1);
	ck_assert_int_eq(e->last.outcome, XACT_OK);
	ck_assert_uint_eq(e->last_data, 1);
	ck_assert_uint_eq(e->last.tries, 1);
	ck_assert_int_eq(e->last.rtt.ns, mono_ms(3).ns);
	ck_assert_int_eq(xact_next(e->x).ns, MONO_NEVER.ns);
	ck_assert_uint_eq(xact_pending(e->x), 0);
}

TEST(status)
{
	AUTO(env) struct env *e = env_new(4, 4, 4);

	submit_get(e, 1, 7);
	answer_status(e, 0, MAD_STATUS_METHOD_ATTR);
	ck_assert_int_eq(e->last.outcome, XACT_STATUS);
	ck_assert_uint_eq(e->last.status, MAD_STATUS_METHOD_ATTR);
}

static void
put_by_lid(struct env *e, uint64_t tag)
{
	struct xact_request r = {.method = MAD_SET,
		.attr = MAD_LFT,
		.target = 1,
		.lid = 99,
		.hops = 2,
		.path = {0, 3, 4}};

	xact_submit(e->x, &r, e->now, on_done, e, tag);
}

/* The first try is LID routed and additional; the others are directed. An
 * answer must come by the route of its try. */
TEST(by_lid)
{
	AUTO(env) struct env *e = env_new(8, 8, 8);
	struct smp s;

	put_by_lid(e, 0);
	send_answer(e, 0);
	ck_assert(e->last.by_lid && !e->last.strayed);
	put_by_lid(e, 1);
	tick_at(e, 1080);
	ck_assert_uint_eq(sent_smp(e, 2).mgmt_class, MAD_SUBN_DR);
	ck_assert_uint_eq(e->sent[2].addr.lid, 0xffff);
	ck_assert_uint_eq(sent_smp(e, 2).hop_cnt, 2);
	s = answer_to(e, 2);
	s.mgmt_class = MAD_SUBN_LID;
	ck_assert(deliver_smp(e, &s, 0));
	ck_assert_uint_eq(e->done, 1);
	ck_assert_uint_eq(xact_stats(e->x)->mismatched, 1);
	send_answer(e, 2);
	ck_assert(!e->last.by_lid && e->last.strayed);
	put_by_lid(e, 2);
	tick_at(e, 1160);
	send_answer(e, 3); /* late, but it answers that try */
	ck_assert(e->last.by_lid && !e->last.strayed);
	put_by_lid(e, 3);
	for (int64_t t = 1160; e->done < 4; t++)
		tick_at(e, t);
	ck_assert_int_eq(e->last.outcome, XACT_TIMEOUT);
	ck_assert_uint_eq(e->last.tries, 4);
	ck_assert(e->last.strayed && !e->last.by_lid);
	ck_assert_uint_eq(xact_stats(e->x)->by_lid, 4);
	ck_assert_uint_eq(xact_stats(e->x)->strayed, 3);
}

/* Tries at 0, 80 and 80 + 160 ms; it times out 320 ms after the last. */
TEST(timeout)
{
	AUTO(env) struct env *e = env_new(4, 4, 4);

	submit_get(e, 1, 7);
	tick_at(e, 1079);
	ck_assert_uint_eq(e->n, 1);
	tick_at(e, 1080);
	ck_assert_uint_eq(e->n, 2);
	tick_at(e, 1239);
	ck_assert_uint_eq(e->n, 2);
	tick_at(e, 1240);
	ck_assert_uint_eq(e->n, 3);
	tick_at(e, 1559);
	ck_assert_uint_eq(e->done, 0);
	tick_at(e, 1560);
	ck_assert_uint_eq(e->n, 3);
	ck_assert_int_eq(e->last.outcome, XACT_TIMEOUT);
	ck_assert_uint_eq(e->last.tries, 3);
	ck_assert_uint_eq(xact_stats(e->x)->retried, 2);
	ck_assert_uint_eq(xact_stats(e->x)->timeouts, 1);
	ck_assert_int_eq(xact_next(e->x).ns, MONO_NEVER.ns);
}

/* A request with a deadline of its own is sent once. */
TEST(a_single_try)
{
	AUTO(env) struct env *e = env_new(4, 4, 4);
	struct xact_request r = {.method = MAD_GET,
		.attr = MAD_SM_INFO,
		.target = 1,
		.once = mono_ms(30)};

	xact_submit(e->x, &r, e->now, on_done, e, 7);
	tick_at(e, 1029);
	ck_assert_uint_eq(e->done, 0);
	tick_at(e, 1030);
	ck_assert_uint_eq(e->done, 1);
	ck_assert_uint_eq(e->n, 1);
	ck_assert_int_eq(e->last.outcome, XACT_TIMEOUT);
	/* longer than all tries of others, too */
	r.once = mono_ms(1000);
	xact_submit(e->x, &r, e->now, on_done, e, 8);
	tick_at(e, 2029);
	ck_assert_uint_eq(e->done, 1);
	tick_at(e, 2030);
	ck_assert_uint_eq(e->done, 2);
	ck_assert_uint_eq(e->n, 2);
}

/* The answer to an earlier try counts, with that try's own time. */
TEST(answer_to_first_try)
{
	AUTO(env) struct env *e = env_new(4, 4, 4);

	submit_get(e, 1, 7);
	tick_at(e, 1080);
	ck_assert_uint_ne(sent_smp(e, 0).tid, sent_smp(e, 1).tid);
	e->now = mono_ms(1100);
	send_answer(e, 0);
	ck_assert_int_eq(e->last.outcome, XACT_OK);
	ck_assert_int_eq(e->last.rtt.ns, mono_ms(100).ns);
	ck_assert_uint_eq(e->last.tries, 2);
	send_answer(e, 1);
	ck_assert_uint_eq(e->done, 1);
	ck_assert_uint_eq(xact_stats(e->x)->late, 1);
}

TEST(duplicates_and_unknown_tids)
{
	AUTO(env) struct env *e = env_new(4, 4, 4);
	struct smp s;

	submit_get(e, 1, 0);
	send_answer(e, 0);
	send_answer(e, 0);
	ck_assert_uint_eq(xact_stats(e->x)->late, 1);
	submit_get(e, 1, 1);
	s = answer_to(e, 1);
	s.tid ^= 0x7770; /* a serial number never used */
	ck_assert(deliver_smp(e, &s, 0));
	s = answer_to(e, 1);
	s.tid |= 5; /* a try never made */
	ck_assert(deliver_smp(e, &s, 0));
	s.tid = 0;
	ck_assert(deliver_smp(e, &s, 0));
	ck_assert_uint_eq(xact_stats(e->x)->alien, 3);
	ck_assert_uint_eq(e->done, 1);
	send_answer(e, 1);
	ck_assert_uint_eq(e->done, 2);
	/* Requests and traps are not for transactions. */
	s.method = MAD_TRAP;
	s.response = false;
	ck_assert(!deliver_smp(e, &s, 0));
	s.method = MAD_GET;
	ck_assert(!deliver_smp(e, &s, 0));
}

/* The serial numbers begin where the transport says, and pass the end. */
TEST(serials_begin_anywhere)
{
	AUTO(env) struct env *e = env_new(4, 4, 4);
	const struct xact_options o = {.timeout = mono_ms(TIMEOUT_MS),
		.retries = 2,
		.window_start = 4,
		.window_max = 4,
		.target_max = 4};

	xact_free(e->x);
	e->t.tid_start = 0xfffffffe;
	e->x = xact_new(&o, &e->t);
	for (unsigned i = 0; i < 5; i++) {
		submit_get(e, 1, i);
		send_answer(e, i);
		send_answer(e, i);
		ck_assert_uint_eq(e->calls[i], 1);
		ck_assert_uint_eq(xact_stats(e->x)->late, i + 1);
	}
	ck_assert_uint_eq(sent_smp(e, 0).tid, 0xffffffff << 4 & 0xffffffff);
}

/* An answer that guessed its TID, but came another way or from elsewhere. */
TEST(forged_answers)
{
	AUTO(env) struct env *e = env_new(8, 8, 8);
	struct smp s;

	put_by_lid(e, 0);
	s = answer_to(e, 0);
	ck_assert(deliver_from(e, 0x777, &s, 0));
	tick_at(e, 1080); /* the next try is directed */
	s = answer_to(e, 1);
	s.path[2]++;
	ck_assert(deliver_smp(e, &s, 0));
	s = answer_to(e, 1);
	s.hop_cnt--;
	ck_assert(deliver_smp(e, &s, 0));
	ck_assert_uint_eq(xact_stats(e->x)->mismatched, 3);
	ck_assert_uint_eq(e->done, 0);
	send_answer(e, 1);
	ck_assert_int_eq(e->last.outcome, XACT_OK);
}

TEST(wrong_answers)
{
	AUTO(env) struct env *e = env_new(4, 4, 4);
	struct smp s;

	submit_get(e, 1, 0);
	for (int k = 0; k < 4; k++) {
		s = answer_to(e, 0);
		if (k == 0)
			s.attr = MAD_PORT_INFO;
		else if (k == 1)
			s.method = 0x86;
		else if (k == 2)
			s.mgmt_class = MAD_SUBN_LID;
		else
			s.mod = 1;
		ck_assert(deliver_smp(e, &s, 0));
		ck_assert_uint_eq(
			xact_stats(e->x)->mismatched, (unsigned)k + 1);
	}
	ck_assert_uint_eq(e->done, 0);
	send_answer(e, 0);
	ck_assert_int_eq(e->last.outcome, XACT_OK);
}

TEST(port_info_without_the_bit)
{
	AUTO(env) struct env *e = env_new(4, 4, 4);
	struct xact_request r = {.method = MAD_GET,
		.attr = MAD_PORT_INFO,
		.mod = MAD_PORT_INFO_EXT | 3,
		.target = 1};
	struct smp s;

	xact_submit(e->x, &r, e->now, on_done, e, 0);
	s = answer_to(e, 0);
	s.mod = 3;
	ck_assert(deliver_smp(e, &s, 0));
	ck_assert_uint_eq(e->done, 1);
}

/* Busy, or returned with an errno: retried after 1/8 of the timeout. */
LOOP_TEST(early_failures, 0, 2)
{
	AUTO(env) struct env *e = env_new(16, 16, 8);
	bool busy = _i == 0;
	const int64_t wait[] = {10, 20};

	submit_get(e, 1, 7);
	for (size_t k = 0; k < 2; k++) {
		int64_t ms = e->now.ns / 1000000;

		if (busy)
			answer_status(e, k, MAD_STATUS_BUSY);
		else
			give_back(e, k, 110);
		ck_assert_int_eq(xact_next(e->x).ns, mono_ms(ms + wait[k]).ns);
		ck_assert_uint_eq(xact_stats(e->x)->inflight, 0);
		tick_at(e, ms + wait[k]);
		ck_assert_uint_eq(e->n, k + 2);
	}
	if (busy)
		answer_status(e, 2, MAD_STATUS_BUSY);
	else
		give_back(e, 2, 110);
	ck_assert_int_eq(e->last.outcome, XACT_TIMEOUT);
	ck_assert_uint_eq(e->last.tries, 3);
	ck_assert_uint_eq(xact_stats(e->x)->busy, busy ? 3 : 0);
	ck_assert_uint_eq(xact_stats(e->x)->window, busy ? 8 : 16);
}

/* The failure of an earlier try must not fail the next one. */
TEST(stale_failures)
{
	AUTO(env) struct env *e = env_new(8, 8, 8);

	submit_get(e, 1, 7);
	tick_at(e, 1080);
	give_back(e, 0, 110);
	answer_status(e, 0, MAD_STATUS_BUSY);
	ck_assert_uint_eq(xact_stats(e->x)->late, 2);
	ck_assert_uint_eq(xact_stats(e->x)->inflight, 1);
	give_back(e, 1, 110);
	send_answer(e, 0); /* during the back-off */
	ck_assert_int_eq(e->last.outcome, XACT_OK);
	ck_assert_int_eq(xact_next(e->x).ns, MONO_NEVER.ns);
}

TEST(wire_refuses)
{
	AUTO(env) struct env *e = env_new(8, 8, 8);

	e->refuse = true;
	submit_get(e, 1, 7);
	ck_assert_uint_eq(xact_stats(e->x)->sent, 0);
	e->refuse = false;
	tick_at(e, 1080);
	ck_assert_uint_eq(e->n, 1);
	send_answer(e, 0);
	ck_assert_int_eq(e->last.outcome, XACT_OK);
}

TEST(window_grows)
{
	struct env *e = env_new(2, 4, 100);
	size_t k = 0;

	for (unsigned i = 0; i < 40; i++)
		submit_get(e, i + 1, i);
	ck_assert_uint_eq(e->n, 2);
	while (k < e->n)
		send_answer(e, k++);
	ck_assert_uint_eq(e->done, 40);
	ck_assert_uint_eq(xact_stats(e->x)->window, 4);
	ck_assert_uint_eq(xact_stats(e->x)->window_peak, 4);
	/* One at a time never fills the window, so it proves nothing. */
	env_free(e);
	e = env_new(2, 4, 100);
	for (unsigned i = 0; i < 40; i++) {
		submit_get(e, 1, i);
		send_answer(e, i);
	}
	ck_assert_uint_eq(xact_stats(e->x)->window, 2);
	env_free(e);
}

/*
 * A burst that is lost halves the window once, not once a message, and never
 * below 8. The retries to targets that are silent now hold no place in it.
 */
TEST(window_halves)
{
	AUTO(env) struct env *e = env_new(32, 32, 100);

	for (unsigned i = 0; i < 64; i++)
		submit_get(e, i + 1, i);
	ck_assert_uint_eq(e->n, 32);
	tick_at(e, 1080);
	ck_assert_uint_eq(xact_stats(e->x)->window, 16);
	ck_assert_uint_eq(e->n, 32 + 16 + 32);
	ck_assert_uint_eq(xact_stats(e->x)->inflight, 16 + 32);
	tick_at(e, 1160); /* the new ones are lost, too */
	ck_assert_uint_eq(xact_stats(e->x)->window, 8);
	tick_at(e, 1240);
	ck_assert_uint_eq(xact_stats(e->x)->window, 8);
}

/* Forty dead targets: one that lives is served as if it were alone. */
TEST(silent_targets_hold_no_place)
{
	AUTO(env) struct env *e = env_new(16, 64, 4);
	const size_t dead = 40;

	for (size_t i = 0; i < dead; i++)
		submit_get(e, i + 1, i);
	for (int64_t ms = 1080; ms <= 1400; ms += 80)
		tick_at(e, ms); /* all have been tried, burst by burst */
	for (unsigned i = 0; i < 20; i++) {
		size_t before = e->n;

		submit_get(e, 1000, dead + i);
		ck_assert_uint_eq(e->n, before + 1);
		send_answer(e, before);
		ck_assert_uint_eq(e->calls[dead + i], 1);
	}
	/* the dead ones take their tries side by side: 80 + 160 + 320 ms */
	for (int64_t ms = 1420; ms <= 2000; ms += 20)
		tick_at(e, ms);
	ck_assert_uint_eq(xact_stats(e->x)->timeouts, dead);
}

static void
submit_doubted(
	struct env *e, uint64_t target, uint64_t tag, enum xact_doubt doubt)
{
	struct xact_request r = {.method = MAD_GET,
		.attr = MAD_NODE_INFO,
		.target = target,
		.hops = 1,
		.path = {0, 3},
		.doubt = doubt};

	xact_submit(e->x, &r, e->now, on_done, e, tag);
}

/* What was silent before gets one try, beside the window, and shrinks it no
 * more; it is a target like all others once it answers. */
TEST(silent_before)
{
	AUTO(env) struct env *e = env_new(16, 64, 4);

	for (unsigned i = 0; i < 40; i++)
		submit_doubted(e, i + 1, i, XACT_SILENT);
	ck_assert_uint_eq(e->n, 40);
	ck_assert(xact_only_silent(e->x));
	submit_get(e, 1000, 50);
	ck_assert_uint_eq(e->n, 41);
	ck_assert(!xact_only_silent(e->x));
	send_answer(e, 40);
	send_answer(e, 7);
	ck_assert_uint_eq(e->calls[7], 1);
	tick_at(e, 1080);
	ck_assert_uint_eq(e->n, 41);
	ck_assert_uint_eq(xact_stats(e->x)->timeouts, 39);
	ck_assert_uint_eq(xact_stats(e->x)->window, 16);
	ck_assert_uint_eq(xact_pending(e->x), 0);
}

/* Strangers get all tries, until 32 requests were given up in a row; and again
 * as soon as a retry is answered: packets are lost, then. */
TEST(strangers_among_the_dead)
{
	AUTO(env) struct env *e = env_new(64, 64, 4);
	size_t at;

	for (unsigned i = 0; i < 32; i++)
		submit_doubted(e, i + 1, i, XACT_STRANGER);
	tick_at(e, 1080);
	ck_assert_uint_eq(e->n, 64);
	tick_at(e, 1240);
	tick_at(e, 1560);
	ck_assert_uint_eq(xact_stats(e->x)->timeouts, 32);
	at = e->n;
	submit_doubted(e, 100, 40, XACT_STRANGER);
	submit_get(e, 200, 41);
	tick_at(e, 1640);
	ck_assert_uint_eq(e->calls[40], 1);
	ck_assert_int_eq(e->last.outcome, XACT_TIMEOUT);
	ck_assert_uint_eq(e->n, at + 3); /* the expected one is tried again */
	send_answer(e, at + 2);
	ck_assert_uint_eq(e->calls[41], 1);
	submit_doubted(e, 100, 42, XACT_STRANGER);
	tick_at(e, 1720);
	ck_assert_uint_eq(e->calls[42], 0);
	ck_assert_uint_eq(e->n, at + 5);
}

/*
 * With two retries a request is given up after 1 + 2 + 4 time-outs; in that
 * time no target may have answered. A pause without requests does not count.
 */
TEST(nothing_answers)
{
	enum { LIFE = 7 * TIMEOUT_MS };
	AUTO(env) struct env *e = env_new(2, 2, 2);

	ck_assert(!xact_is_mute(e->x, mono_ms(1000 + LIFE)));
	e->now = mono_ms(5000);
	for (uint64_t t = 1; t <= 8; t++)
		submit_get(e, t, t);
	for (int64_t t = 5000; t < 5000 + LIFE; t += 10) {
		tick_at(e, t);
		ck_assert(!xact_is_mute(e->x, e->now));
	}
	ck_assert(xact_is_mute(e->x, mono_ms(5000 + LIFE)));
	send_answer(e, 0); /* late, to the first try of all */
	ck_assert(!xact_is_mute(e->x, mono_ms(5000 + LIFE)));
	put_by_lid(e, 9);
	xact_cut(e->x, (const uint8_t[64]){0}, 0, e->now);
	ck_assert_uint_eq(xact_pending(e->x), 0);
	ck_assert_int_eq(e->last.outcome, XACT_TIMEOUT);
	ck_assert(e->last.cut);
}

TEST(target_cap)
{
	AUTO(env) struct env *e = env_new(16, 16, 2);

	for (unsigned i = 0; i < 10; i++)
		submit_get(e, 1, i);
	ck_assert_uint_eq(e->n, 2);
	for (unsigned i = 10; i < 20; i++)
		submit_get(e, i, i);
	ck_assert_uint_eq(e->n, 12); /* no request to target 1 waits */
	send_answer(e, 0);
	ck_assert_uint_eq(e->n, 13);
	ck_assert_uint_eq(xact_stats(e->x)->inflight, 12);
	for (size_t k = 1; k < e->n; k++)
		send_answer(e, k);
	ck_assert_uint_eq(e->done, 20);
}

/* A target with a short queue gets one request at a time after it dropped some,
 * and two at a time when it has answered for a while. */
TEST(target_with_a_short_queue)
{
	AUTO(env) struct env *e = env_new(16, 16, 4);
	size_t k;

	for (unsigned i = 0; i < 60; i++)
		submit_get(e, 1, i);
	ck_assert_uint_eq(e->n, 4);
	tick_at(e, 1080); /* all four are tried again, one by one */
	for (k = 4; k < 4 + 31; k++) {
		ck_assert_uint_eq(e->n, k + 1);
		send_answer(e, k);
	}
	ck_assert_uint_eq(e->n, k + 1);
	send_answer(e, k++);
	ck_assert_uint_eq(e->n, k + 2);
	while (k < e->n)
		send_answer(e, k++);
	ck_assert_uint_eq(e->done, 60);
	ck_assert_uint_eq(xact_stats(e->x)->timeouts, 0);
}

/* With a window of one, targets take turns. */
TEST(round_robin)
{
	AUTO(env) struct env *e = env_new(1, 1, 4);
	const unsigned want[] = {0, 1, 4, 6, 2, 5, 7, 3};

	for (unsigned i = 0; i < 4; i++)
		submit_get(e, 1, i);
	for (unsigned i = 4; i < 6; i++)
		submit_get(e, 2, i);
	for (unsigned i = 6; i < 8; i++)
		submit_get(e, 3, i);
	for (size_t k = 0; k < 8; k++) {
		send_answer(e, k);
		ck_assert_uint_eq(e->last_tag, want[k]);
	}
}

TEST(room)
{
	AUTO(env) struct env *e = env_new(4, 4, 1);
	unsigned n = 0;

	while (xact_room(e->x) && n < TAGS) {
		submit_get(e, n + 1, n);
		n++;
	}
	ck_assert_uint_ge(n, 5);
	ck_assert_uint_lt(n, 100);
	for (size_t k = 0; k < n; k++)
		send_answer(e, k);
	ck_assert(xact_room(e->x));
	/* One slow target does not take the room from others, up to a limit. */
	for (n = 200; n < 1200; n++)
		submit_get(e, 1, n);
	ck_assert(xact_room(e->x));
	for (; n < 9000; n++)
		submit_get(e, 1, n);
	ck_assert(!xact_room(e->x));
}

static void
resubmit_once(struct env *e)
{
	if (e->done <= 3)
		submit_get(e, 50 + e->done, 100 + e->done);
}

TEST(cancel)
{
	AUTO(env) struct env *e = env_new(2, 2, 1);

	for (unsigned i = 0; i < 6; i++)
		submit_get(e, i / 2 + 1, i);
	answer_status(e, 1, MAD_STATUS_BUSY); /* one in back-off */
	e->hook = resubmit_once;
	xact_cancel_all(e->x, e->now);
	ck_assert_uint_eq(e->done, 6);
	ck_assert_int_eq(e->last.outcome, XACT_CANCELLED);
	ck_assert_uint_eq(xact_pending(e->x), 3);
	send_answer(e, 0);
	ck_assert_uint_eq(xact_stats(e->x)->late, 1);
	for (size_t k = 0; k < e->n; k++)
		send_answer(e, k);
	ck_assert_uint_eq(xact_pending(e->x), 0);
	for (unsigned i = 101; i <= 103; i++)
		ck_assert_uint_eq(e->calls[i], 1);
}

static void
cancel_inside(struct env *e)
{
	xact_cancel_all(e->x, e->now);
}

LOOP_TEST(cancel_inside_done, 0, 2)
{
	AUTO(env) struct env *e = env_new(4, 4, 2);

	for (unsigned i = 0; i < 10; i++)
		submit_get(e, i / 3 + 1, i);
	e->hook = cancel_inside;
	if (_i == 0)
		send_answer(e, 0);
	else
		for (int64_t ms = 1080; e->done == 0; ms += 80)
			tick_at(e, ms);
	ck_assert_uint_eq(e->done, 10);
	ck_assert_uint_eq(xact_pending(e->x), 0);
	ck_assert_uint_eq(xact_stats(e->x)->inflight, 0);
	ck_assert_int_eq(xact_next(e->x).ns, MONO_NEVER.ns);
}

TEST(configure)
{
	AUTO(env) struct env *e = env_new(16, 16, 1);
	struct xact_options o = {.timeout = mono_ms(10),
		.window_start = 1,
		.window_max = 4,
		.target_max = 3};

	for (unsigned i = 0; i < 10; i++)
		submit_get(e, 1, i);
	ck_assert_uint_eq(e->n, 1);
	xact_configure(e->x, &o);
	ck_assert_uint_eq(xact_stats(e->x)->window, 4);
	ck_assert_int_eq(xact_next(e->x).ns, mono_ms(1080).ns);
	submit_get(e, 2, 10);
	ck_assert_uint_eq(e->n, 4);
	tick_at(e, 1010); /* no retries now */
	ck_assert_uint_eq(e->done, 3);
}

static uint32_t next_tag;

static void
keep_going(struct env *e)
{
	if (next_tag < 100000) {
		submit_get(e, next_tag % 500 + 1, next_tag);
		next_tag++;
	}
}

/* Every slot is used over and over: each request completes exactly once. */
TEST(many)
{
	AUTO(env) struct env *e = env_new(64, 64, 4);
	size_t k = 0;

	next_tag = 0;
	e->hook = keep_going;
	while (next_tag < 64)
		keep_going(e);
	while (k < e->n) {
		send_answer(e, k);
		if (k % 7 == 0)
			send_answer(e, k / 2); /* an old answer again */
		k++;
	}
	ck_assert_uint_eq(e->done, 100000);
	ck_assert_uint_eq(xact_stats(e->x)->completed, 100000);
	ck_assert_uint_eq(xact_stats(e->x)->late, (100000 + 6) / 7);
}

/* One random event that a wire may cause. */
static void
disturb_wire(struct env *e, struct rng *rng)
{
	size_t last = e->n - 1;
	size_t k = last - rng_below(rng, (uint32_t)(last < 99 ? e->n : 100));
	struct smp s = answer_to(e, k);

	switch (rng_below(rng, 8)) {
	case 0:
		s.tid ^= UINT64_C(1) << rng_below(rng, 32);
		break;
	case 1:
		s.status = (uint16_t)(rng_next(rng) & 0x1f);
		break;
	case 2:
		s.attr = (uint16_t)(rng_next(rng) & 0x1f);
		break;
	case 3:
		s.method = (uint8_t)rng_next(rng);
		break;
	case 4:
		give_back(e, k, 110);
		return;
	case 5:
		s.tid = rng_next(rng);
		break;
	default:
		break;
	}
	(void)deliver_smp(e, &s, 0);
}

/* However the wire behaves, nothing completes twice and nothing is lost. */
LOOP_TEST(exactly_once, 0, 20)
{
	AUTO(env) struct env *e = env_new(8, 32, 1 + (unsigned)_i % 3);
	struct rng rng = {(uint64_t)(SEED + _i)};
	unsigned tag = 0;

	for (int step = 0; step < 20000; step++) {
		uint32_t what = rng_below(&rng, 100);

		if (what < 30 && tag < TAGS)
			submit_get(e, rng_below(&rng, 20) + 1, tag++);
		else if (what < 80 && e->n > 0)
			disturb_wire(e, &rng);
		else if (what < 99)
			tick_at(e, e->now.ns / 1000000 + rng_below(&rng, 9));
		else if (rng_below(&rng, 100) == 0)
			xact_cancel_all(e->x, e->now);
		ck_assert_uint_eq(e->done + xact_pending(e->x), tag);
		ck_assert_uint_le(xact_stats(e->x)->inflight, 32);
	}
	for (int k = 0; xact_pending(e->x) > 0 && k < 100000; k++)
		tick_at(e, xact_next(e->x).ns / 1000000 + 1);
	ck_assert_msg(
		e->done == tag, "seed %d: %u of %u", SEED + _i, e->done, tag);
	ck_assert_uint_eq(xact_stats(e->x)->inflight, 0);
}
