/* Remarks: what is lost, and what is worth knowing, a line each. */
#include <stdarg.h>
#include <stdio.h>

#include "config/import/import_priv.h"

enum { MAX_TEXT = 200 };

static void add_line(struct buf *out, const struct import_file *f,
	unsigned line, const char *fmt, va_list ap)
	__attribute__((format(printf, 4, 0)));

static void
add_line(struct buf *out, const struct import_file *f, unsigned line,
	const char *fmt, va_list ap)
{
	char text[2 * MAX_TEXT], where[MAX_TEXT + 16];

	(void)vsnprintf(text, sizeof(text), fmt, ap);
	if (line > 0)
		(void)snprintf(where, sizeof(where), "%.*s:%u", MAX_TEXT,
			f->name, line);
	else
		(void)snprintf(where, sizeof(where), "%.*s", MAX_TEXT, f->name);
	for (char *c = text; *c != '\0'; c++)
		if ((unsigned char)*c < 0x20 || (unsigned char)*c > 0x7e)
			*c = '?';
	for (char *c = where; *c != '\0'; c++)
		if ((unsigned char)*c < 0x20 || (unsigned char)*c > 0x7e)
			*c = '?';
	buf_printf(out, "%s: %s\n", where, text);
}

void
import_lost(struct import_notes *n, const struct import_file *f, unsigned line,
	const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_line(&n->lost, f, line, fmt, ap);
	va_end(ap);
	n->nlost++;
}

void
import_note(struct import_notes *n, const struct import_file *f, unsigned line,
	const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_line(&n->info, f, line, fmt, ap);
	va_end(ap);
}
