#include "sm/record/record_mask.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "sm/base/be.h"
#include "sm/base/hash.h"
#include "sm/base/mem.h"
#include "sm/mad/mad.h"
#include "sm/mad/mad_sa.h"
#include "sm/mad/mad_violation.h"

/* Bytes of a message at which there is a key, or something with keys. */
enum {
	AT_CLASS = 1,
	AT_ATTR = 16,
	AT_SMP_KEY = 24,
	AT_SMP_DATA = 64,
	AT_SA_KEY = 36,
	AT_SA_OFFSET = 44,
	NOTICE_KEY = 24, /* of a notice about a wrong M_Key */
	NOTICE_TRAP = 4,
	INFO_OF_RECORD =
		4,  /* PortInfo and SMInfo behind the head of a record */
	SM_KEY = 8, /* of SMInfo */
	SERVICE_KEY = 32,
};

struct record_mask
record_mask_new(void)
{
	struct record_mask m;

	do {
		memset(&m, 0, sizeof(m));
		(void)getrandom(m.secret, sizeof(m.secret), 0);
	} while (m.secret[0] == 0);
	return m;
}

/* Values that are no secret: none, and OpenSM's in either order of bytes. */
static bool
is_open(uint64_t key)
{
	return key <= 1 || key == UINT64_C(1) << 56;
}

/* Two rounds of a permutation between secrets. */
static uint64_t
permute_key(const struct record_mask *m, uint64_t key)
{
	key = hash_spread(key ^ m->secret[0]);
	key = hash_spread(key ^ m->secret[1]);
	return key ^ m->secret[2];
}

/* What is written for a key; one to one. */
static uint64_t
mask_key(const struct record_mask *m, uint64_t key)
{
	if (m->secret[0] == 0 || is_open(key))
		return key;
	do
		key = permute_key(m, key);
	while (is_open(key));
	return key;
}

static void
mask_field(const struct record_mask *m, uint8_t *field)
{
	be_put64(field, mask_key(m, be_get64(field)));
}

static inline void
mask_at(const struct record_mask *m, uint8_t *bytes, size_t n, size_t at)
{
	if (at + 8 <= n && be_get64(bytes + at) != 0) /* most are no key */
		mask_field(m, bytes + at);
}

/* The attribute of an SMP, or of a record of subnet administration; n bytes. */
static void
mask_notice(const struct record_mask *m, uint8_t *d, size_t n)
{
	if (n >= NOTICE_KEY + 8 &&
		be_get16(d + NOTICE_TRAP) == MAD_VIOLATION_M_KEY)
		mask_at(m, d, n, NOTICE_KEY);
}

static void
mask_smp(const struct record_mask *m, uint8_t *bytes, size_t n)
{
	uint16_t attr = be_get16(bytes + AT_ATTR);

	mask_at(m, bytes, n, AT_SMP_KEY);
	if (n < AT_SMP_DATA)
		return;
	if (attr == MAD_PORT_INFO)
		mask_at(m, bytes, n, AT_SMP_DATA);
	else if (attr == MAD_SM_INFO)
		mask_at(m, bytes, n, AT_SMP_DATA + SM_KEY);
	else if (attr == MAD_NOTICE)
		mask_notice(m, bytes + AT_SMP_DATA, n - AT_SMP_DATA);
}

static void
mask_record(const struct record_mask *m, uint16_t attr, uint8_t *d, size_t n)
{
	switch (attr) {
	case MAD_SA_NOTICE_ATTR:
		mask_notice(m, d, n);
		break;
	case MAD_SA_PORT:
		mask_at(m, d, n, INFO_OF_RECORD);
		break;
	case MAD_SA_SM:
		mask_at(m, d, n, INFO_OF_RECORD + SM_KEY);
		break;
	case MAD_SA_SERVICE_REC:
		mask_at(m, d, n, SERVICE_KEY);
		mask_at(m, d, n, SERVICE_KEY + 8);
		break;
	default:
		break;
	}
}

static void
mask_sa(const struct record_mask *m, uint8_t *bytes, size_t n)
{
	size_t step;

	mask_at(m, bytes, n, AT_SA_KEY);
	if (n <= MAD_SA_HEADER)
		return;
	step = (size_t)be_get16(bytes + AT_SA_OFFSET) * 8;
	if (step == 0)
		step = n;
	for (size_t at = MAD_SA_HEADER; at < n; at += step)
		mask_record(m, be_get16(bytes + AT_ATTR), bytes + at, n - at);
}

void
record_mask_message(const struct record_mask *m, uint8_t *bytes, size_t n)
{
	if (m->secret[0] == 0 || n < AT_SMP_KEY)
		return;
	if (bytes[AT_CLASS] == MAD_SUBN_LID || bytes[AT_CLASS] == MAD_SUBN_DR)
		mask_smp(m, bytes, n);
	else if (bytes[AT_CLASS] == MAD_SA)
		mask_sa(m, bytes, n);
}

/* ---- configuration and state ---- */

/* Append the text of a secret with each number 0x.. in it masked. */
static void
mask_numbers(void *cookie, const char *text, struct buf *out)
{
	const struct record_mask *m = cookie;

	for (const char *x; (x = strstr(text, "0x")) != NULL;) {
		char *end;
		uint64_t key = strtoull(x, &end, 16);

		buf_put(out, text, (size_t)(x - text));
		buf_printf(out, "0x%llx", (unsigned long long)mask_key(m, key));
		text = end;
	}
	buf_printf(out, "%s", text);
}

struct config *
record_mask_config(
	const struct record_mask *m, const struct config *c, struct reason *why)
{
	struct record_mask mask = *m;

	return config_mask(c, mask_numbers, &mask, why);
}

/* Mask 16 digits in place, if they are that. */
static void
mask_digits(const struct record_mask *m, char *at)
{
	static const char digit[] = "0123456789abcdef";
	char text[17] = "", *end;
	uint64_t key;

	memcpy(text, at, 16);
	key = strtoull(text, &end, 16);
	if (*end != '\0')
		return;
	key = mask_key(m, key);
	for (int i = 15; i >= 0; i--, key >>= 4)
		at[i] = digit[key & 15];
}

char *
record_mask_state(const struct record_mask *m, const char *lines)
{
	static const char service[] = "service ";
	char *copy = lines != NULL ? mem_strdup(lines) : NULL;

	for (char *s = copy; s != NULL && *s != '\0';) {
		char *end = strchrnul(s, '\n'), *record;

		record = memrchr(s, ' ', (size_t)(end - s));
		if (strncmp(s, service, sizeof(service) - 1) == 0 &&
			record != NULL &&
			end - record > 1 + 2 * (SERVICE_KEY + 16)) {
			mask_digits(m, record + 1 + 2 * SERVICE_KEY);
			mask_digits(m, record + 1 + 2 * (SERVICE_KEY + 8));
		}
		s = *end == '\n' ? end + 1 : end;
	}
	return copy;
}
