#include "sm/base/utf8.h"

#include <string.h>

unsigned
utf8_decode(const unsigned char *p, size_t left, uint32_t *c)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned n, i;

	if (p[0] < 0x80) {
		*c = p[0];
		return 1;
	}
	n = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
	if (p[0] < 0xc2 || p[0] > 0xf4 || n > left)
		return 0;
	*c = p[0] & (0xffu >> (n + 1));
	for (i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		*c = *c << 6 | (p[i] & 0x3fu);
	}
	if (*c < least[n] || *c > 0x10ffff || (*c >= 0xd800 && *c < 0xe000))
		return 0;
	return n;
}

/* Characters that take no place, or turn the direction of others: two names
 * that differ in them look alike. Those of Unicode's property
 * Default_Ignorable_Code_Point, and annotations. */
static bool
is_invisible(uint32_t c)
{
	static const struct {
		uint32_t first, last;
	} range[] = {{0xad, 0xad}, {0x34f, 0x34f}, {0x61c, 0x61c},
		{0x115f, 0x1160}, {0x17b4, 0x17b5}, {0x180b, 0x180f},
		{0x200b, 0x200f}, {0x202a, 0x202e}, {0x2060, 0x206f},
		{0x3164, 0x3164}, {0xfe00, 0xfe0f}, {0xffa0, 0xffa0},
		{0xfff0, 0xfffb}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a},
		{0xe0000, 0xe0fff}};

	for (unsigned i = 0; i < sizeof(range) / sizeof(range[0]); i++)
		if (c >= range[i].first && c <= range[i].last)
			return true;
	return false;
}

bool
utf8_printable(uint32_t c)
{
	if (c < 0x80)
		return c >= 0x20 && c != 0x7f;
	if (c < 0xa0 || c == 0x2028 || c == 0x2029 || c == 0xfeff)
		return false;
	return c != 0xfffe && c != 0xffff && !is_invisible(c);
}

bool
utf8_clean(const char *s)
{
	const unsigned char *p = (const unsigned char *)s;
	size_t left = strlen(s);
	uint32_t c = 0;
	unsigned n;

	for (; left > 0; p += n, left -= n) {
		n = utf8_decode(p, left, &c);
		if (n == 0 || !utf8_printable(c))
			return false;
	}
	return true;
}

void
utf8_tame(char *s)
{
	size_t left = strlen(s);
	uint32_t c = 0;

	while (left > 0) {
		unsigned n = utf8_decode((const unsigned char *)s, left, &c);
		bool good = n > 0 && utf8_printable(c);

		n = n > 0 ? n : 1;
		if (!good)
			memset(s, '?', n);
		s += n;
		left -= n;
	}
}
