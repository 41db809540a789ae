#include "sm/mad/fields.h"

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

void
fields_decode(
	const struct fields_row *row, size_t n, const uint8_t *d, void *out)
{
	uint8_t buf[MAD_DATA]; /* libibmad wants a mutable buffer */
	uint8_t *base = out;

	memcpy(buf, d, sizeof(buf));
	for (size_t i = 0; i < n; i++) {
		uint64_t v = row[i].size == 8
				     ? mad_get_field64(buf, 0, row[i].id)
				     : mad_get_field(buf, 0, row[i].id);

		store_member(base + row[i].offset, row[i].size, v);
	}
}

void
fields_encode(
	const struct fields_row *row, size_t n, const void *in, uint8_t *d)
{
	const uint8_t *base = in;

	memset(d, 0, MAD_DATA);
	for (size_t i = 0; i < n; i++) {
		uint64_t v = load_member(base + row[i].offset, row[i].size);

		if (row[i].size == 8)
			mad_set_field64(d, 0, row[i].id, v);
		else
			mad_set_field(d, 0, row[i].id, (uint32_t)v);
	}
}
