#include "sm/report/hostlist.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 9 }; /* of a number that is folded, at most */

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool
hostlist_is_name(const char *name)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789-_.";

	return *name != '\0' && *name != '-' && *name != '.' &&
	       name[strspn(name, allowed)] == '\0';
}

/* Where the number at the end of a name begins; its end if there is none. */
static size_t
number_at(const char *name)
{
	size_t n = strlen(name), at = n;

	while (at > 0 && n - at < DIGITS && is_digit(name[at - 1]))
		at--;
	return at;
}

/* How many of the names, from the first on, are first, first + 1, ... */
static size_t
count_range(const char *const *name, size_t n)
{
	size_t at = number_at(name[0]);
	int width = (int)strlen(name[0] + at);
	unsigned long first = strtoul(name[0] + at, NULL, 10);
	char number[32];

	for (size_t i = 1; i < n; i++) {
		(void)snprintf(
			number, sizeof(number), "%0*lu", width, first + i);
		if (strncmp(name[0], name[i], at) != 0 ||
			strcmp(name[i] + at, number) != 0)
			return i;
	}
	return n;
}

/* How many of the names are the same but for the number at the end. */
static size_t
count_alike(const char *const *name, size_t n)
{
	size_t at = number_at(name[0]), i = 1;

	if (name[0][at] == '\0')
		return 1;
	while (i < n && number_at(name[i]) == at &&
		strncmp(name[0], name[i], at) == 0 && name[i][at] != '\0')
		i++;
	return i;
}

/* Names that are the same but for the number at the end. */
static void
print_alike(const char *const *name, size_t n, struct buf *out)
{
	size_t at = number_at(name[0]);

	buf_printf(out, "%.*s[", (int)at, name[0]);
	for (size_t i = 0, k; i < n; i += k) {
		k = count_range(name + i, n - i);
		buf_printf(out, "%s%s", i > 0 ? "," : "", name[i] + at);
		if (k > 1)
			buf_printf(out, "-%s", name[i + k - 1] + at);
	}
	buf_put(out, "]", 1);
}

void
hostlist_print(const char *const *name, size_t n, struct buf *out)
{
	for (size_t i = 0, k; i < n; i += k) {
		k = count_alike(name + i, n - i);
		if (i > 0)
			buf_put(out, ",", 1);
		if (k == 1)
			buf_printf(out, "%s", name[i]);
		else
			print_alike(name + i, k, out);
	}
}
