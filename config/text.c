#include "config/text.h"

#include <string.h>

unsigned
text_decode(const unsigned char *p, size_t left, uint32_t *c)
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

bool
text_printable(uint32_t c)
{
	if (c < 0x80)
		return c >= 0x20 && c != 0x7f;
	if (c < 0xa0 || c == 0x2028 || c == 0x2029 || c == 0xfeff)
		return false;
	return c != 0xfffe && c != 0xffff;
}

bool
text_clean(const char *s)
{
	const unsigned char *p = (const unsigned char *)s;
	size_t left = strlen(s);
	uint32_t c = 0;
	unsigned n;

	for (; left > 0; p += n, left -= n) {
		n = text_decode(p, left, &c);
		if (n == 0 || !text_printable(c))
			return false;
	}
	return true;
}

void
text_tame(char *s)
{
	bool clean;

	for (char *p = s; *p != '\0'; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			*p = '?';
	clean = text_clean(s);
	for (; !clean && *s != '\0'; s++)
		if ((unsigned char)*s >= 0x80)
			*s = '?';
}
