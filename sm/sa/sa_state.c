/*
 * The state that only the SA has, as text that survives a restart: a line for
 * every service, subscription and port with alias GUIDs.
 *
 *	service 0x<port GUID> <seconds left> <record>
 *	inform 0x<port GUID> <service level> <InformInfo, GRH if it has one>
 *	alias 0x<port GUID> <entries> <GUIDs>
 *
 * The last word is the bytes as hexadecimal digits. A line is accepted when it
 * could have been a request; other lines are counted and left out, since each
 * concerns one host only. State of ports that are not in the fabric any more is
 * dropped when the first view is committed.
 */
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "sm/sa/sa_priv.h"

enum { WORDS = 4 };

static int
hex_digit(char c)
{
	static const char digit[] = "0123456789abcdef";
	const char *p = c != '\0' ? strchr(digit, c) : NULL;

	return p != NULL ? (int)(p - digit) : -1;
}

/* Digits only, of base 10 or, with 0x before them, 16. */
static bool
read_number(const char *s, size_t n, uint64_t *out)
{
	unsigned base = n > 2 && s[0] == '0' && s[1] == 'x' ? 16 : 10;
	size_t i = base == 16 ? 2 : 0;

	*out = 0;
	if (n == 0 || n - i > (base == 16 ? 16 : 18))
		return false;
	for (; i < n; i++) {
		int d = hex_digit(s[i]);

		if (d < 0 || (unsigned)d >= base)
			return false;
		*out = *out * base + (unsigned)d;
	}
	return true;
}

static bool
read_bytes(const char *s, size_t n, uint8_t *byte, size_t *nbytes)
{
	if (n % 2 != 0 || n / 2 > SA_KEPT)
		return false;
	for (size_t i = 0; i < n; i += 2) {
		int hi = hex_digit(s[i]), lo = hex_digit(s[i + 1]);

		if (hi < 0 || lo < 0)
			return false;
		byte[i / 2] = (uint8_t)(hi << 4 | lo);
	}
	*nbytes = n / 2;
	return true;
}

/* Exactly four words. */
static bool
split_words(const char *s, size_t n, const char *word[WORDS], size_t len[WORDS])
{
	const char *end = s + n;

	for (int i = 0; i < WORDS; i++) {
		const char *stop = memchr(s, ' ', (size_t)(end - s));

		if ((stop == NULL) != (i == WORDS - 1))
			return false;
		word[i] = s;
		len[i] = (size_t)((stop != NULL ? stop : end) - s);
		s = stop != NULL ? stop + 1 : end;
	}
	return true;
}

static bool
restore_line(struct sa *sa, const char *s, size_t n, struct sa_saved *k)
{
	static const struct {
		const char *name;
		bool (*restore)(struct sa *sa, const struct sa_saved *k);
	} kind[] = {
		{"service", sa_services_restore},
		{"inform", sa_informs_restore},
		{"alias", sa_guids_restore},
	};
	const char *word[WORDS];
	size_t len[WORDS];

	if (!split_words(s, n, word, len) ||
		!read_number(word[1], len[1], &k->owner) || k->owner == 0 ||
		!read_number(word[2], len[2], &k->number) ||
		!read_bytes(word[3], len[3], k->byte, &k->nbytes))
		return false;
	for (size_t i = 0; i < sizeof(kind) / sizeof(kind[0]); i++)
		if (strlen(kind[i].name) == len[0] &&
			memcmp(kind[i].name, word[0], len[0]) == 0)
			return kind[i].restore(sa, k);
	return false;
}

size_t
sa_restore(struct sa *sa, const char *text, uint64_t away, struct mono now)
{
	size_t bad = 0;

	for (const char *s = text; s != NULL && *s != '\0';) {
		const char *end = strchrnul(s, '\n');
		struct sa_saved k = {.away = away, .now = now};

		bad += !restore_line(sa, s, (size_t)(end - s), &k);
		s = *end == '\n' ? end + 1 : end;
	}
	sa->changed = bad > 0;
	return bad;
}

void
sa_save(struct sa *sa, struct mono now, struct buf *out)
{
	sa_services_save(sa, now, out);
	sa_informs_save(sa, out);
	sa_guids_save(sa, out);
	sa->changed = false;
}

bool
sa_changed(const struct sa *sa)
{
	return sa->changed;
}
