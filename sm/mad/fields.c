#include "sm/mad/fields.h"

#include <endian.h>
#include <string.h>

#include "sm/mad/mad.h"

static void
store_member(uint8_t *member, uint16_t size, uint64_t v)
{
	uint8_t v8 = (uint8_t)v;
	uint16_t v16 = (uint16_t)v;
	uint32_t v32 = (uint32_t)v;

	switch (size) {
	case 1:
		memcpy(member, &v8, 1);
		break;
	case 2:
		memcpy(member, &v16, 2);
		break;
	case 4:
		memcpy(member, &v32, 4);
		break;
	default:
		memcpy(member, &v, 8);
		break;
	}
}

static uint64_t
load_member(const uint8_t *member, uint16_t size)
{
	uint16_t v16;
	uint32_t v32;
	uint64_t v64;

	switch (size) {
	case 1:
		return *member;
	case 2:
		memcpy(&v16, member, 2);
		return v16;
	case 4:
		memcpy(&v32, member, 4);
		return v32;
	default:
		memcpy(&v64, member, 8);
		return v64;
	}
}

/* Eight bytes are read for a row, however few of them are its own. */
enum { WORD = 8, ROOM = MAD_DATA + WORD };

uint64_t
fields_get(const uint8_t *d, unsigned at, unsigned bits)
{
	uint64_t x;

	memcpy(&x, d + at / 8, WORD);
	return be64toh(x) << at % 8 >> (64 - bits);
}

void
fields_put(uint8_t *d, unsigned at, unsigned bits, uint64_t v)
{
	uint64_t x;

	memcpy(&x, d + at / 8, WORD);
	x |= htobe64(v << (64 - bits) >> at % 8);
	memcpy(d + at / 8, &x, WORD);
}

void
fields_decode(
	const struct fields_row *row, size_t n, const uint8_t *d, void *out)
{
	uint8_t buf[ROOM] = {0};
	uint8_t *base = out;

	memcpy(buf, d, MAD_DATA);
	for (const struct fields_row *r = row; r < row + n; r++)
		store_member(base + r->offset, r->size,
			fields_get(buf, r->at, r->bits));
}

void
fields_encode(
	const struct fields_row *row, size_t n, const void *in, uint8_t *d)
{
	uint8_t buf[ROOM] = {0};
	const uint8_t *base = in;

	for (const struct fields_row *r = row; r < row + n; r++)
		fields_put(buf, r->at, r->bits,
			load_member(base + r->offset, r->size));
	memcpy(d, buf, MAD_DATA);
}
