/*
 * Which M_Key a try of a request bears: on a scripted wire whose one SMA hides
 * its key, answers a wrong one by silence, or takes another one.
 */
#include "sm/transport/keyring.h"

#include <string.h>

#include "sm/base/be.h"
#include "tests/unit/sm/transport/xact_fixture.h"

#define A UINT64_C(0xa)
#define B UINT64_C(0xb)
#define C UINT64_C(0xc)

enum { SMA = 77, PROT_AT = 34 };

/* ---- the keyring alone ---- */

TEST(keys_are_tried_in_order)
{
	static const uint64_t known[] = {B, C, B, 0};
	struct keyring *k = keyring_new();

	ck_assert_uint_eq(keyring_choices(k, SMA), 1);
	ck_assert_uint_eq(keyring_find(k, SMA, 0), 0);
	keyring_configure(k, A, known, 4);
	ck_assert_uint_eq(keyring_choices(k, SMA), 3);
	ck_assert_uint_eq(keyring_find(k, SMA, 0), A);
	ck_assert_uint_eq(keyring_find(k, SMA, 1), B);
	ck_assert_uint_eq(keyring_find(k, SMA, 2), C);
	ck_assert_uint_eq(keyring_find(k, SMA, 3), A);
	keyring_accepted(k, SMA, C);
	ck_assert_uint_eq(keyring_choices(k, SMA), 1);
	ck_assert_uint_eq(keyring_find(k, SMA, 1), C);
	/* others may well have the same one */
	ck_assert_uint_eq(keyring_find(k, SMA + 1, 0), C);
	ck_assert_uint_eq(keyring_find(k, SMA + 1, 1), A);
	ck_assert_uint_eq(keyring_find(k, SMA + 1, 2), B);
	/* it may be gone, or have another one: the others follow */
	keyring_silent(k, SMA, false);
	ck_assert_uint_eq(keyring_choices(k, SMA), 3);
	ck_assert_uint_eq(keyring_find(k, SMA, 0), C);
	keyring_free(k);
	keyring_free(NULL);
}

TEST(a_key_that_is_replaced_stays)
{
	struct keyring *k = keyring_new();

	keyring_configure(k, A, NULL, 0);
	keyring_configure(k, B, NULL, 0);
	ck_assert_uint_eq(keyring_find(k, SMA, 0), B);
	ck_assert_uint_eq(keyring_find(k, SMA, 1), A);
	keyring_configure(k, 0, NULL, 0);
	ck_assert_uint_eq(keyring_find(k, SMA, 0), B);
	ck_assert_uint_eq(keyring_find(k, SMA, 1), A);
	for (uint64_t i = 1; i <= 20; i++)
		keyring_configure(k, 0x100 + i, NULL, 0);
	ck_assert_uint_eq(keyring_choices(k, SMA), KEYRING_MAX);
	ck_assert_uint_eq(keyring_find(k, SMA, 1), 0x113);
	keyring_free(k);
}

/* A late answer to a request with the old key does not bring it back. */
TEST(old_answers_prove_nothing)
{
	struct keyring *k = keyring_new();

	keyring_configure(k, B, NULL, 0);
	keyring_accepted(k, SMA, A);
	keyring_changing(k, SMA, B);
	ck_assert_uint_eq(keyring_choices(k, SMA), 2);
	ck_assert_uint_eq(keyring_find(k, SMA, 0), A);
	ck_assert_uint_eq(keyring_find(k, SMA, 1), B);
	keyring_changed(k, SMA, B);
	keyring_accepted(k, SMA, A);
	ck_assert_uint_eq(keyring_choices(k, SMA), 1);
	ck_assert_uint_eq(keyring_find(k, SMA, 0), B);
	keyring_free(k);
}

TEST(locked_until_something_is_learned)
{
	struct keyring *k = keyring_new();
	static const uint64_t known[] = {C};

	keyring_configure(k, A, NULL, 0);
	ck_assert(keyring_shown(k, SMA, 0, 1));
	ck_assert(!keyring_is_hidden(k, SMA));
	keyring_hidden(k, SMA);
	ck_assert(keyring_is_hidden(k, SMA));
	keyring_silent(k, SMA, false); /* a Get proves nothing */
	ck_assert(!keyring_is_locked(k, SMA));
	keyring_silent(k, SMA, true);
	ck_assert(keyring_is_locked(k, SMA));
	ck_assert_uint_eq(keyring_locked(k), 1);
	keyring_configure(k, A, NULL, 0); /* nothing new */
	ck_assert(keyring_is_locked(k, SMA));
	keyring_configure(k, A, known, 1);
	ck_assert(!keyring_is_locked(k, SMA));
	ck_assert_uint_eq(keyring_locked(k), 0);
	keyring_hidden(k, SMA);
	keyring_silent(k, SMA, true);
	/* its lease has run out: the key is shown */
	ck_assert(!keyring_shown(k, SMA, 0xf0, 0));
	ck_assert(!keyring_is_locked(k, SMA));
	ck_assert_uint_eq(keyring_find(k, SMA, 0), 0xf0);
	ck_assert_uint_eq(keyring_choices(k, SMA), 1);
	keyring_free(k);
}

/* ---- on the wire ---- */

/* An SMA with a key. */
struct device {
	uint64_t key;
	uint8_t prot;
	unsigned wrong; /* requests that it did not answer */
	unsigned lose;	/* answers yet to be lost */
	size_t seen;
};

/* Answers what was sent since the last call. */
static void
serve_device(struct env *e, struct device *d)
{
	for (; d->seen < e->n; d->seen++) {
		struct smp q = sent_smp(e, d->seen), a = answer_to(e, d->seen);
		bool right = d->key == 0 || q.mkey == d->key;

		if (!right && (q.method == MAD_SET || d->prot > 1)) {
			d->wrong++;
			continue;
		}
		memset(a.data, 0, sizeof(a.data));
		if (q.method == MAD_SET && q.attr == MAD_PORT_INFO)
			d->key = be_get64(q.data);
		a.data[PROT_AT] = (uint8_t)(d->prot << 6);
		if (q.method == MAD_GET && (right || d->prot == 0))
			be_put64(a.data, d->key);
		if (d->lose > 0) {
			d->lose--;
			continue;
		}
		ck_assert(deliver_from(e, e->sent[d->seen].addr.lid, &a, 0));
	}
}

/* Runs until the request is completed; returns the milliseconds. */
static int64_t
run_request(struct env *e, struct device *d, uint8_t method, uint16_t attr,
	uint64_t payload)
{
	struct xact_request r = {.method = method,
		.attr = attr,
		.target = SMA,
		.own_port = true,
		.hops = 1,
		.path = {0, 1}};
	struct mono began = e->now;
	unsigned done = e->done;

	be_put64(r.data, payload);
	xact_submit(e->x, &r, e->now, on_done, e, e->done);
	for (;;) {
		serve_device(e, d);
		if (e->done > done)
			break;
		e->now = xact_next(e->x);
		xact_tick(e->x, e->now);
	}
	return mono_sub(e->now, began).ns / 1000000;
}

static struct env *
env_with_keys(void)
{
	static const uint64_t known[] = {B, C};
	struct env *e = env_new(8, 8, 8);

	keyring_configure(xact_keys(e->x), A, known, 2);
	return e;
}

/* At level 1 the key is found by Gets, without a wrong Set or a time-out. */
TEST(a_hidden_key_is_found_at_once)
{
	AUTO(env) struct env *e = env_with_keys();
	struct device d = {.key = C, .prot = 1};

	ck_assert_int_eq(run_request(e, &d, MAD_GET, MAD_PORT_INFO, 0), 0);
	ck_assert_int_eq(e->last.outcome, XACT_OK);
	ck_assert_uint_eq(e->last.key, C);
	ck_assert_uint_eq(e->n, 3);
	ck_assert_int_eq(run_request(e, &d, MAD_SET, MAD_LFT, 0), 0);
	ck_assert_uint_eq(e->n, 4);
	ck_assert_uint_eq(d.wrong, 0);
}

/* At level 2 each wrong key costs the time-out of a first try, once. */
TEST(a_guarded_key_is_found_by_silence)
{
	AUTO(env) struct env *e = env_with_keys();
	struct device d = {.key = C, .prot = 2};

	ck_assert_int_eq(
		run_request(e, &d, MAD_GET, MAD_PORT_INFO, 0), 2 * TIMEOUT_MS);
	ck_assert_int_eq(run_request(e, &d, MAD_GET, MAD_PORT_INFO, 0), 0);
	ck_assert_int_eq(run_request(e, &d, MAD_SET, MAD_LFT, 0), 0);
	ck_assert_uint_eq(d.wrong, 2);
}

/* Silence is bounded: a try for each key, and the retries. */
TEST(an_unknown_guarded_key)
{
	AUTO(env) struct env *e = env_with_keys();
	struct device d = {.key = 0xf0, .prot = 3};

	ck_assert_int_eq(run_request(e, &d, MAD_GET, MAD_PORT_INFO, 0),
		(3 + 2 + 4) * TIMEOUT_MS);
	ck_assert_int_eq(e->last.outcome, XACT_TIMEOUT);
	ck_assert_uint_eq(e->n, 5);
}

/* All keys are shown to be wrong: few Sets are tried, then one at a time. */
TEST(an_unknown_hidden_key)
{
	AUTO(env) struct env *e = env_with_keys();
	struct device d = {.key = 0xf0, .prot = 1};
	struct keyring *k = xact_keys(e->x);

	ck_assert_int_eq(run_request(e, &d, MAD_GET, MAD_PORT_INFO, 0), 0);
	ck_assert_int_eq(e->last.outcome, XACT_OK);
	ck_assert(keyring_is_hidden(k, SMA));
	ck_assert_int_eq(
		run_request(e, &d, MAD_SET, MAD_LFT, 0), 2 * TIMEOUT_MS);
	ck_assert(keyring_is_locked(k, SMA));
	ck_assert_int_eq(run_request(e, &d, MAD_SET, MAD_LFT, 0), TIMEOUT_MS);
	d.prot = 0; /* its lease has run out */
	(void)run_request(e, &d, MAD_GET, MAD_PORT_INFO, 0);
	ck_assert(!keyring_is_locked(k, SMA));
	(void)run_request(e, &d, MAD_SET, MAD_LFT, 0);
	ck_assert_int_eq(e->last.outcome, XACT_OK);
}

/* No key, whatever the protection says: any key is taken. */
TEST(a_port_without_a_key)
{
	AUTO(env) struct env *e = env_with_keys();
	struct device d = {.key = 0, .prot = 1};

	(void)run_request(e, &d, MAD_GET, MAD_PORT_INFO, 0);
	ck_assert_int_eq(run_request(e, &d, MAD_SET, MAD_PORT_INFO, A), 0);
	ck_assert_uint_eq(d.key, A);
	ck_assert(!keyring_is_hidden(xact_keys(e->x), SMA));
}

/* The port has the new key, and the answer that says so is lost. */
TEST(a_lost_answer_to_a_change)
{
	AUTO(env) struct env *e = env_with_keys();
	struct device d = {.key = B, .prot = 2};

	(void)run_request(e, &d, MAD_GET, MAD_PORT_INFO, 0);
	d.wrong = 0;
	d.lose = 1;
	ck_assert_int_eq(
		run_request(e, &d, MAD_SET, MAD_PORT_INFO, A), TIMEOUT_MS);
	ck_assert_int_eq(e->last.outcome, XACT_OK);
	ck_assert_uint_eq(e->last.tries, 2);
	ck_assert_uint_eq(e->last.key, A);
	ck_assert_uint_eq(d.wrong, 0);
	ck_assert_int_eq(run_request(e, &d, MAD_SET, MAD_LFT, 0), 0);
	ck_assert_uint_eq(d.wrong, 0);
}

/* Without keys nothing differs: one try and its retries. */
TEST(silence_without_keys)
{
	AUTO(env) struct env *e = env_new(8, 8, 8);
	struct device d = {.key = 0xf0, .prot = 3};

	ck_assert_int_eq(run_request(e, &d, MAD_GET, MAD_PORT_INFO, 0),
		(1 + 2 + 4) * TIMEOUT_MS);
	ck_assert_uint_eq(e->n, 3);
}
