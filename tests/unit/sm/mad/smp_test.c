/* The SMP envelope: positions, both classes, refusals. */
#include <check.h>
#include <string.h>

#include "sm/base/be.h"
#include "sm/base/rng.h"
#include "sm/mad/mad.h"
#include "tests/unit/suite.h"

enum { SEED = 4711, ROUNDS = 20000 };

static struct smp
make_sample(uint8_t mgmt_class)
{
	struct smp s = {.mgmt_class = mgmt_class,
		.method = MAD_GET_RESP,
		.response = true,
		.status = 0x001c,
		.tid = 0x0102030405060708,
		.attr = MAD_PORT_INFO,
		.mod = 0x80000011,
		.mkey = 0x1112131415161718};

	for (unsigned i = 0; i < MAD_DATA; i++)
		s.data[i] = (uint8_t)(i + 1);
	if (mgmt_class == MAD_SUBN_DR) {
		s.hop_ptr = 3;
		s.hop_cnt = 4;
		s.dr_slid = 0xffff;
		s.dr_dlid = 0x1234;
		memset(s.path + 1, 7, 4);
		memset(s.ret_path + 1, 9, 4);
	}
	return s;
}

TEST(positions)
{
	struct smp s = make_sample(MAD_SUBN_DR);
	uint8_t b[MAD_SIZE];

	smp_encode(&s, b);
	ck_assert_uint_eq(be_get32(b), 0x01810181);
	ck_assert_uint_eq(be_get16(b + 4), 0x801c);
	ck_assert_uint_eq(b[6], 3);
	ck_assert_uint_eq(b[7], 4);
	ck_assert_uint_eq(be_get64(b + 8), s.tid);
	ck_assert_uint_eq(be_get16(b + 16), MAD_PORT_INFO);
	ck_assert_uint_eq(be_get16(b + 18), 0);
	ck_assert_uint_eq(be_get32(b + 20), s.mod);
	ck_assert_uint_eq(be_get64(b + 24), s.mkey);
	ck_assert_uint_eq(be_get32(b + 32), 0xffff1234);
	ck_assert_uint_eq(b[64], 1);
	ck_assert_uint_eq(b[127], 64);
	ck_assert_uint_eq(b[128], 0);
	ck_assert_uint_eq(b[129], 7);
	ck_assert_uint_eq(b[193], 9);
}

TEST(lid_class_has_no_route)
{
	struct smp s = make_sample(MAD_SUBN_DR), out;
	uint8_t b[MAD_SIZE], zero[MAD_SIZE] = {0};

	s.mgmt_class = MAD_SUBN_LID;
	smp_encode(&s, b);
	ck_assert_uint_eq(be_get16(b + 4), 0x001c);
	ck_assert_mem_eq(b + 6, zero, 2);
	ck_assert_mem_eq(b + 32, zero, 32);
	ck_assert_mem_eq(b + 128, zero, 128);
	memset(b + 128, 0xee, 128);
	b[6] = b[7] = 200; /* reserved in this class: ignored */
	ck_assert_int_eq(smp_decode(b, sizeof(b), &out, NULL), 0);
	ck_assert(out.response);
	ck_assert_uint_eq(out.hop_cnt, 0);
	ck_assert_mem_eq(out.path, zero, 64);
	b[3] = MAD_TRAP_REPRESS;
	ck_assert_int_eq(smp_decode(b, sizeof(b), &out, NULL), 0);
	ck_assert(!out.response);
}

/* Random bytes that are accepted are encoded as they were, reserved ones as
 * 0. */
TEST(round_trip)
{
	struct rng rng = {SEED};
	uint8_t in[MAD_SIZE], got[MAD_SIZE];
	struct smp s;

	for (int k = 0; k < ROUNDS; k++) {
		for (size_t i = 0; i < MAD_SIZE; i++)
			in[i] = (uint8_t)rng_next(&rng);
		in[0] = in[2] = 1;
		in[1] = MAD_SUBN_DR;
		in[6] &= 63;
		in[7] &= 63;
		memset(in + 18, 0, 2);
		memset(in + 36, 0, 28);
		ck_assert_int_eq(smp_decode(in, sizeof(in), &s, NULL), 0);
		smp_encode(&s, got);
		if (memcmp(in, got, sizeof(in)) != 0)
			ck_abort_msg("seed %d round %d", SEED, k);
	}
}

static const struct {
	size_t at;
	uint8_t value;
	const char *says;
} bad[] = {
	{0, 2, "base version 2"},
	{0, 0, "base version 0"},
	{1, 0x03, "class 0x03"},
	{1, 0x00, "class 0x00"},
	{2, 2, "class version 2"},
	{6, 64, "hop pointer 64"},
	{7, 64, "hop count 64"},
	{7, 255, "hop count 255"},
};

LOOP_TEST(refused, 0, LEN(bad))
{
	struct smp s = make_sample(MAD_SUBN_DR), out;
	struct reason why = {""};
	uint8_t b[MAD_SIZE];

	smp_encode(&s, b);
	b[bad[_i].at] = bad[_i].value;
	ck_assert_int_eq(smp_decode(b, sizeof(b), &out, &why), -1);
	ck_assert_msg(strstr(why.text, bad[_i].says) != NULL, "%s", why.text);
}

TEST(wrong_size)
{
	struct smp s = make_sample(MAD_SUBN_DR), out;
	struct reason why = {""};
	uint8_t b[MAD_SIZE + 1] = {0};

	smp_encode(&s, b);
	ck_assert_int_eq(smp_decode(b, MAD_SIZE, &out, &why), 0);
	for (size_t n = 0; n < MAD_SIZE; n++)
		ck_assert_int_eq(smp_decode(b, n, &out, &why), -1);
	ck_assert_int_eq(smp_decode(b, MAD_SIZE + 1, &out, &why), -1);
	ck_assert_ptr_nonnull(strstr(why.text, "257 bytes"));
}
