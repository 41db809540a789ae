/* Which M_Key a request bears: known keys, candidates, a change of key. */
#include "sm/transport/keyring.h"

#include <check.h>
#include <string.h>

#include "sm/base/be.h"
#include "tests/unit/suite.h"

enum { SMA = 7, OTHER = 8, AT_PROTECT = 34 };

/* PortInfo of a port that shows this key, with these protection bits. */
static const uint8_t *
port_info(uint64_t shown, unsigned protect)
{
	static uint8_t d[MAD_DATA];

	memset(d, 0, sizeof(d));
	be_put64(d, shown);
	d[AT_PROTECT] = (uint8_t)(protect << 6);
	return d;
}

static uint64_t
key_at(const struct keyring *k, uint64_t sma, unsigned try, uint64_t gives)
{
	return keyring_key(k, &(struct keyring_request){sma, try, gives});
}

static enum keyring_verdict
see_port(struct keyring *k, unsigned try, uint64_t shown, unsigned protect)
{
	return keyring_seen(k, &(struct keyring_request){SMA, try, 0},
		port_info(shown, protect));
}

static struct keyring *
with_keys(uint64_t first, uint64_t second)
{
	const uint64_t keys[] = {first, second};
	struct keyring *k = keyring_new();

	keyring_configure(k, keys, 2);
	return k;
}

START_TEST(candidates)
{
	struct keyring *k = with_keys(0xa, 0xb);
	const uint64_t later = 0xc;

	ck_assert_uint_eq(keyring_candidates(k, SMA), 2);
	ck_assert_uint_eq(key_at(k, SMA, 0, 0), 0xa);
	ck_assert_uint_eq(key_at(k, SMA, 1, 0), 0xb);
	/* the second was right: it comes first at all others */
	ck_assert_int_eq(see_port(k, 1, 0xb, 1), KEYRING_FINE);
	ck_assert_uint_eq(key_at(k, SMA, 0, 0), 0xb);
	ck_assert_uint_eq(keyring_candidates(k, SMA), 1);
	ck_assert_uint_eq(key_at(k, OTHER, 0, 0), 0xb);
	ck_assert_uint_eq(key_at(k, OTHER, 1, 0), 0xa);
	/* those of before a reload stay behind those of now */
	keyring_configure(k, &later, 1);
	ck_assert_uint_eq(keyring_candidates(k, OTHER), 3);
	ck_assert_uint_eq(key_at(k, OTHER, 0, 0), 0xc);
	ck_assert_uint_eq(key_at(k, OTHER, 1, 0), 0xa);
	ck_assert_uint_eq(key_at(k, SMA, 0, 0), 0xb);
	keyring_free(k);
}
END_TEST

START_TEST(hidden)
{
	struct keyring *k = with_keys(0xa, 0xb);

	ck_assert_int_eq(see_port(k, 0, 0, 1), KEYRING_TRY_NEXT);
	ck_assert_int_eq(see_port(k, 1, 0, 1), KEYRING_TRY_NEXT);
	ck_assert_int_eq(see_port(k, 2, 0, 1), KEYRING_FINE);
	/* a port without a key hides nothing */
	ck_assert_int_eq(see_port(k, 0, 0, 0), KEYRING_FINE);
	/* one that is not protected shows any key, which is known then */
	ck_assert_int_eq(see_port(k, 0, 0xf00, 0), KEYRING_FINE);
	ck_assert_uint_eq(key_at(k, SMA, 0, 0), 0xf00);
	/* it has been changed since */
	ck_assert_int_eq(see_port(k, 0, 0, 1), KEYRING_TRY_NEXT);
	ck_assert_uint_eq(key_at(k, SMA, 1, 0), 0xb);
	ck_assert_uint_eq(key_at(k, SMA, 2, 0), 0xa);
	keyring_free(k);
}
END_TEST

START_TEST(change)
{
	struct keyring *k = with_keys(0xb, 0);

	ck_assert_uint_eq(keyring_candidates(k, SMA), 1);
	ck_assert_int_eq(see_port(k, 0, 0xa, 1), KEYRING_FINE);
	/* the port may have taken the new one although no answer came */
	ck_assert_uint_eq(key_at(k, SMA, 0, 0xb), 0xa);
	ck_assert_uint_eq(key_at(k, SMA, 1, 0xb), 0xb);
	ck_assert_uint_eq(key_at(k, SMA, 2, 0xb), 0xa);
	keyring_given(k, SMA, 0xb);
	ck_assert_uint_eq(key_at(k, SMA, 0, 0), 0xb);
	/* what does not answer may have lost it */
	(void)see_port(k, 0, 0xa, 1);
	keyring_forget(k, SMA);
	ck_assert_uint_eq(key_at(k, SMA, 0, 0), 0xb);
	keyring_free(k);
}
END_TEST

START_TEST(no_key)
{
	struct keyring *k = keyring_new();

	ck_assert_uint_eq(key_at(k, SMA, 0, 0), 0);
	ck_assert_uint_eq(keyring_candidates(k, SMA), 1);
	ck_assert_int_eq(see_port(k, 0, 0, 1), KEYRING_FINE);
	ck_assert(keyring_is_hidden(port_info(0, 2)));
	ck_assert(!keyring_is_hidden(port_info(1, 2)));
	ck_assert(!keyring_is_hidden(port_info(0, 0)));
	keyring_free(k);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("keyring");
	TCase *t = tcase_create("keyring");

	tcase_add_test(t, candidates);
	tcase_add_test(t, hidden);
	tcase_add_test(t, change);
	tcase_add_test(t, no_key);
	suite_add_tcase(s, t);
	return suite_run(s);
}
