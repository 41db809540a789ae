#include "sm/report/packed_json.h"

#include <stdlib.h>
#include <zlib.h>

#include "sm/base/mem.h"
#include "sm/report/json_util.h"

/* The base64 of n bytes, in memory to be freed; *size is its length. */
static char *
base64_of(const uint8_t *bytes, size_t n, size_t *size)
{
	static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "abcdefghijklmnopqrstuvwxyz0123456789+/";
	char *text = mem_alloc((n + 2) / 3 * 4 + 1), *at = text;

	for (size_t i = 0; i < n; i += 3) {
		uint32_t three = (uint32_t)bytes[i] << 16;

		if (i + 1 < n)
			three |= (uint32_t)bytes[i + 1] << 8;
		if (i + 2 < n)
			three |= bytes[i + 2];
		*at++ = digit[three >> 18];
		*at++ = digit[three >> 12 & 63];
		*at++ = digit[three >> 6 & 63];
		*at++ = digit[three & 63];
	}
	for (size_t i = 1; n % 3 != 0 && i <= 3 - n % 3; i++)
		at[-(ptrdiff_t)i] = '=';
	*size = (size_t)(at - text);
	return text;
}

json_t *
packed_json(const uint8_t *bytes, size_t n)
{
	uLongf room = compressBound((uLong)n);
	uint8_t *small = mem_alloc(room);
	json_t *o = NULL;
	size_t size;
	char *text;

	/* with this much room it fails for want of memory alone */
	if (compress2(small, &room, bytes, (uLong)n, Z_BEST_COMPRESSION) !=
		Z_OK)
		abort();
	text = base64_of(small, room, &size);
	free(small);
	o = json_util_object(M("coding", "deflate"), M("bytes", n),
		M("base64", json_stringn_nocheck(text, size)));
	free(text);
	return o;
}
