/*
 * The words of a line of the state file: cut off, read as numbers and GUIDs,
 * and what is wrong with them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sm/state/state_file_priv.h"

int
state_words_complain(struct state_file_reader *r, unsigned line,
	const char *field, const char *what)
{
	return reason_set(r->why, "%s:%u: %s: %s", r->path, line, field, what);
}

char *
state_words_next(char **s)
{
	char *w = *s, *end;

	if (w == NULL || *w == '\0')
		return NULL;
	end = strchr(w, ' ');
	if (end != NULL)
		*end++ = '\0';
	*s = end;
	return w;
}

bool
state_words_number(const char *s, int base, uint64_t max, uint64_t *v)
{
	static const char digits[] = "0123456789abcdef";
	size_t n;

	if (s == NULL)
		return false;
	if (base == 16 && strncmp(s, "0x", 2) != 0)
		return false;
	s += base == 16 ? 2 : 0;
	n = strlen(s);
	if (n == 0 || n > 20 || strspn(s, digits) != n ||
		(base == 10 && strspn(s, "0123456789") != n) ||
		(base == 16 && n > 16))
		return false;
	errno = 0;
	*v = strtoull(s, NULL, base);
	return errno == 0 && *v <= max;
}

int
state_words_guid(struct state_file_reader *r, char **s, uint64_t *guid)
{
	if (!state_words_number(state_words_next(s), 16, UINT64_MAX, guid) ||
		*guid == 0)
		return state_words_complain(r, r->line, "GUID",
			"not 0x and hexadecimal digits, or 0");
	return 0;
}

uint8_t
state_words_one_of(const char *const *word, uint8_t n, char **s)
{
	for (uint8_t i = 1; *s != NULL && i < n; i++) {
		size_t len = strlen(word[i]);

		if (strncmp(*s, word[i], len) == 0 &&
			((*s)[len] == ' ' || (*s)[len] == '\0')) {
			(void)state_words_next(s);
			return i;
		}
	}
	return 0;
}

/* A node's own description, without what could break the line. */
void
state_words_print_name(const char *name, struct buf *out)
{
	size_t i;

	buf_put(out, " \"", 2);
	for (i = 0; name[i] != '\0' && i < STATE_FILE_NAME; i++) {
		char c = name[i];

		if (c < 0x20 || c > 0x7e || c == '"')
			c = '?';
		buf_put(out, &c, 1);
	}
	buf_put(out, "\"", 1);
}

void
state_words_print_lines(const char *record, const char *text, struct buf *out)
{
	while (text != NULL && *text != '\0') {
		size_t n = strcspn(text, "\n");

		buf_printf(out, "%s ", record);
		buf_put(out, text, n);
		buf_put(out, "\n", 1);
		text += n + (text[n] == '\n');
	}
}
