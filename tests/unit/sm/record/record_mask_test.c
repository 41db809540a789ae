/* Keys are replaced wherever they are, the same by the same, and nothing else
 * is. */
#include <stdio.h>
#include <string.h>

#include "routing/driver/registry.h"
#include "sm/base/be.h"
#include "sm/mad/mad.h"
#include "sm/mad/mad_sa.h"
#include "sm/mad/mad_violation.h"
#include "sm/record/record_mask.h"
#include "tests/unit/suite.h"

#define KEY UINT64_C(0x1122334455667788)

enum { AT_SMP_KEY = 24, AT_SA_KEY = 36 };

/* Mask a message that has KEY at one place, or at two: it is changed there, and
 * nowhere else. */
static void
check_masked(const struct record_mask *m, const uint8_t *mad, size_t n,
	size_t at, size_t also)
{
	uint8_t is[1024];

	ck_assert_uint_le(n, sizeof(is));
	memcpy(is, mad, n);
	record_mask_message(m, is, n);
	ck_assert_uint_ne(be_get64(is + at), KEY);
	ck_assert_uint_eq(be_get64(is + at), be_get64(is + also));
	be_put64(is + at, KEY);
	be_put64(is + also, KEY);
	ck_assert_mem_eq(is, mad, n);
}

static struct smp
begin_smp(uint16_t attr)
{
	return (struct smp){.mgmt_class = MAD_SUBN_DR,
		.method = MAD_SET,
		.attr = attr,
		.mkey = KEY,
		.data = {9, 8, 7}};
}

TEST(smps)
{
	struct record_mask m = record_mask_new();
	const struct mad_violation v = {.mkey = KEY};
	struct smp s = begin_smp(MAD_LFT);
	uint8_t mad[MAD_SIZE];

	smp_encode(&s, mad);
	check_masked(&m, mad, MAD_SIZE, AT_SMP_KEY, AT_SMP_KEY);
	s = begin_smp(MAD_PORT_INFO);
	be_put64(s.data, KEY);
	smp_encode(&s, mad);
	check_masked(&m, mad, MAD_SIZE, AT_SMP_KEY, 64);
	s = begin_smp(MAD_SM_INFO);
	be_put64(s.data + 8, KEY);
	smp_encode(&s, mad);
	check_masked(&m, mad, MAD_SIZE, AT_SMP_KEY, 72);
	s = begin_smp(MAD_NOTICE);
	memset(s.data, 0, sizeof(s.data));
	mad_notice_encode(
		&(struct mad_notice){.trap = MAD_VIOLATION_M_KEY}, s.data);
	mad_violation_encode(&v, MAD_VIOLATION_M_KEY, s.data);
	smp_encode(&s, mad);
	check_masked(&m, mad, MAD_SIZE, AT_SMP_KEY, 64 + 24);
}

TEST(subnet_administration)
{
	static const struct {
		uint16_t attr;
		size_t at;
	} record[] = {{MAD_SA_PORT, 4}, {MAD_SA_SM, 12},
		{MAD_SA_SERVICE_REC, 32}, {MAD_SA_SERVICE_REC, 40},
		{MAD_SA_PATH_REC, 0}};
	struct record_mask m = record_mask_new();

	for (size_t i = 0; i < sizeof(record) / sizeof(record[0]); i++) {
		struct mad_sa h = {.base_version = 1,
			.class_version = MAD_SA_VERSION,
			.method = MAD_GET,
			.attr = record[i].attr,
			.sm_key = KEY};
		uint8_t mad[MAD_SIZE] = {0};
		size_t at = MAD_SA_HEADER + record[i].at;

		mad_sa_encode(&h, mad);
		if (record[i].attr == MAD_SA_PATH_REC)
			at = AT_SA_KEY;
		be_put64(mad + at, KEY);
		check_masked(&m, mad, MAD_SIZE, AT_SA_KEY, at);
	}
}

/* In each record of a table. */
TEST(a_table)
{
	enum { STEP = 72, RECORDS = 4, SIZE = MAD_SA_HEADER + RECORDS * STEP };
	struct record_mask m = record_mask_new();
	const struct mad_sa h = {.base_version = 1,
		.class_version = MAD_SA_VERSION,
		.method = MAD_SA_GET_TABLE | MAD_SA_RESPONSE,
		.attr = MAD_SA_PORT,
		.offset = STEP / 8};
	uint8_t table[SIZE] = {0};

	mad_sa_encode(&h, table);
	for (size_t i = 0; i < RECORDS; i++)
		be_put64(table + MAD_SA_HEADER + i * STEP + 4, KEY);
	record_mask_message(&m, table, sizeof(table));
	for (size_t i = 0; i < RECORDS; i++)
		ck_assert_uint_ne(
			be_get64(table + MAD_SA_HEADER + i * STEP + 4), KEY);
	/* of any length */
	for (size_t n = 0; n < sizeof(table); n++)
		record_mask_message(&m, table, n);
}

static uint64_t
mask_number(const struct record_mask *m, uint64_t key)
{
	struct smp s = {.mgmt_class = MAD_SUBN_DR, .mkey = key};
	uint8_t mad[MAD_SIZE];

	smp_encode(&s, mad);
	record_mask_message(m, mad, sizeof(mad));
	return be_get64(mad + AT_SMP_KEY);
}

/* Not those that mean something; one to one; by another secret, others. */
TEST(numbers)
{
	static const uint64_t open[] = {0, 1, UINT64_C(1) << 56};
	struct record_mask m = record_mask_new(), other = record_mask_new();
	const struct record_mask none = {{0, 0, 0}};

	for (size_t i = 0; i < sizeof(open) / sizeof(open[0]); i++)
		ck_assert_uint_eq(mask_number(&m, open[i]), open[i]);
	for (uint64_t a = 2; a < 40; a++) {
		ck_assert_uint_ne(mask_number(&m, a), a);
		ck_assert_uint_ne(mask_number(&m, a), mask_number(&other, a));
		ck_assert_uint_eq(mask_number(&none, a), a);
		for (uint64_t b = 0; b < a; b++)
			ck_assert_uint_ne(
				mask_number(&m, a), mask_number(&m, b));
	}
}

TEST(a_configuration)
{
	static const char yaml[] =
		"fabric: {m_key: 0x1122334455667788, sm_key: 0x99, "
		"m_keys_known: [0x77, 0x1122334455667799, 0x3]}\n"
		"sa: {trust_key: 0x1122334455667788}\n";
	struct record_mask m = record_mask_new();
	AUTO(diag_list) struct diag_list bad = {0};
	AUTO(config) struct config *c = NULL, *is = NULL;
	struct config_changes ch;
	struct reason why;

	c = config_parse("test", yaml, strlen(yaml), registry_modules(), &bad);
	ck_assert_ptr_nonnull(c);
	is = record_mask_config(&m, c, &why);
	ck_assert_msg(is != NULL, "%s", why.text);
	config_diff(c, is, &ch);
	ck_assert_uint_eq(ch.n, 4);
	for (size_t i = 0; i < ch.n; i++)
		ck_assert(ch.item[i].secret);
	ck_assert_uint_eq(is->fabric.m_key, mask_number(&m, KEY));
	ck_assert_uint_eq(is->sa.key, is->fabric.m_key);
	ck_assert_uint_eq(is->fabric.m_keys_known.n, 3);
	for (size_t i = 0; i < 3; i++)
		ck_assert_uint_eq(is->fabric.m_keys_known.guid[i],
			mask_number(&m, c->fabric.m_keys_known.guid[i]));
	config_changes_free(&ch);
}

TEST(a_state)
{
	struct record_mask m = record_mask_new();
	char text[512], key[17], *is;
	const char *at;

	/* 32 bytes, the key twice, 8 bytes more */
	(void)snprintf(text, sizeof(text),
		"inform 0x5 0 1122334455667788\nservice 0x5 9 %064d%llx%llx"
		"1122334455667788\nalias 0x5 1 1122334455667788\n",
		0, (unsigned long long)KEY, (unsigned long long)KEY);
	is = record_mask_state(&m, text);
	ck_assert_uint_eq(strlen(is), strlen(text));
	(void)snprintf(key, sizeof(key), "%016llx",
		(unsigned long long)mask_number(&m, KEY));
	at = strstr(is, key);
	ck_assert_ptr_nonnull(at);
	ck_assert(strncmp(at + 16, key, 16) == 0);
	ck_assert_int_eq(at - is, strstr(text, "service") - text + 14 + 64);
	ck_assert(strncmp(is, text, (size_t)(at - is)) == 0);
	ck_assert_str_eq(at + 32, text + (at - is) + 32);
	free(is);
	ck_assert_ptr_null(record_mask_state(&m, NULL));
	/* lines that are none */
	free(record_mask_state(&m, "service \nservice 0x1 2 abc\nservice"));
}
