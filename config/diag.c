#include "config/diag.h"

#include <jansson.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/utf8.h"

enum { WINDOW = 76, MESSAGE_MAX = 400, PATH_SHOWN = 200 };

void
diag_begin(struct diag_list *d, const char *file, const char *text, size_t len)
{
	*d = (struct diag_list){.arena = arena_new()};
	diag_next(d, file, text, len);
}

void
diag_next(struct diag_list *d, const char *file, const char *text, size_t len)
{
	struct diag_source *all =
		arena_array(d->arena, d->sources + 1, sizeof(*all));

	if (d->sources > 0)
		memcpy(all, d->source, d->sources * sizeof(*all));
	all[d->sources++] =
		(struct diag_source){arena_strdup(d->arena, file), text, len};
	d->source = all;
}

unsigned
diag_source_now(const struct diag_list *d)
{
	return (unsigned)d->sources - 1;
}

void
diag_end(struct diag_list *d)
{
	for (size_t i = 0; i < d->sources; i++) {
		d->source[i].text = NULL;
		d->source[i].len = 0;
	}
}

void
diag_free(struct diag_list *d)
{
	arena_free(d->arena);
	*d = (struct diag_list){0};
}

/* Point *line at the text of line number n. Returns its length. */
static size_t
line_find(const struct diag_source *s, unsigned n, const char **line)
{
	const char *p = s->text, *end = s->text + s->len;
	unsigned i = 1;

	for (; i < n && p < end; p++) {
		if (*p == '\n' ||
			(*p == '\r' && (p + 1 == end || p[1] != '\n')))
			i++;
	}
	*line = p;
	while (p < end && *p != '\n' && *p != '\r')
		p++;
	return (size_t)(p - *line);
}

static bool
is_utf8_continuation(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* Bytes before the character at 0-based position col. */
static size_t
byte_of(const char *line, size_t len, size_t col)
{
	size_t i = 0;

	while (i < len && col > 0) {
		i++;
		while (i < len && is_utf8_continuation(line[i]))
			i++;
		col--;
	}
	return i;
}

static bool
in_word(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
	       (c >= 'a' && c <= 'z');
}

/* True if the line has the word, by itself ("key" is not in "pkey"). */
static bool
has_word(const char *line, size_t len, const char *word)
{
	const char *at = line, *end = line + len;
	size_t n = strlen(word);

	while ((at = memmem(at, (size_t)(end - at), word, n)) != NULL) {
		if ((at == line || !in_word(at[-1])) &&
			(at + n == end || !in_word(at[n])))
			return true;
		at++;
	}
	return false;
}

static bool
is_secret(const struct diag_list *d, const char *line, size_t len)
{
	const char *const *s;

	for (s = d->secret; s != NULL && *s != NULL; s++)
		if (has_word(line, len, *s))
			return true;
	return false;
}

/*
 * The part of a line around a column, safe to print: one character a column,
 * so that the caret stands where it should.
 */
static const char *
make_excerpt(struct diag_list *d, struct diag_place at, unsigned *caret)
{
	size_t len, from, to, i, n = 0, col = at.col > 0 ? at.col - 1 : 0;
	size_t skip = col > WINDOW * 2 / 3 ? col - WINDOW / 2 : 0;
	const struct diag_source *s = &d->source[at.file];
	const char *line;
	char *out;

	*caret = (unsigned)(col - skip);
	if (at.line == 0 || s->text == NULL)
		return NULL;
	len = line_find(s, at.line, &line);
	if (len == 0 || is_secret(d, line, len))
		return NULL;
	from = byte_of(line, len, skip);
	to = from + byte_of(line + from, len - from, WINDOW);
	out = arena_alloc(d->arena, to - from + 1);
	for (i = from; i < to; i++)
		out[n++] = (char)(line[i] == '\t' || line[i] == '\0' ? ' '
								     : line[i]);
	utf8_tame(out);
	return out;
}

/* Messages quote the file: no control sequence of it may reach a terminal. */
static char *
copy_printable(struct arena *a, const char *s, size_t max)
{
	size_t n = strnlen(s, max);
	char *out = arena_alloc(a, n + 1);

	memcpy(out, s, n);
	utf8_tame(out);
	return out;
}

bool
diag_before(struct diag_place a, struct diag_place b)
{
	if (a.file != b.file)
		return a.file < b.file;
	return a.line != b.line ? a.line < b.line : a.col < b.col;
}

struct diag *
diag_add(struct diag_list *d, struct diag_place at, const char *code,
	const char *path, const char *fmt, ...)
{
	char message[MESSAGE_MAX];
	va_list ap;
	size_t i;

	if (d->n == DIAG_MAX) {
		d->dropped++;
		return NULL;
	}
	va_start(ap, fmt);
	(void)vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	for (i = d->n++; i > 0 && diag_before(at, d->item[i - 1].at); i--)
		d->item[i] = d->item[i - 1];
	d->item[i] = (struct diag){.at = at,
		.code = code,
		.path = copy_printable(d->arena, path, PATH_SHOWN),
		.message = copy_printable(d->arena, message, sizeof(message))};
	d->item[i].excerpt = make_excerpt(d, at, &d->item[i].caret);
	return &d->item[i];
}

void
diag_note(struct diag_list *d, struct diag *e, struct diag_place other,
	const char *note)
{
	if (e == NULL)
		return;
	e->other = other;
	e->note = arena_strdup(d->arena, note);
	e->other_excerpt = make_excerpt(d, other, &e->other_caret);
}

void
diag_hide(struct diag *e)
{
	if (e == NULL)
		return;
	e->excerpt = NULL;
	e->other_excerpt = NULL;
}

size_t
diag_count(const struct diag_list *d)
{
	return d->n + d->dropped;
}

static void
place_print(const struct diag_list *d, struct diag_place at, struct buf *out)
{
	const char *name = d->source[at.file].name;

	if (at.line > 0)
		buf_printf(out, "%s:%u:%u: ", name, at.line, at.col);
	else
		buf_printf(out, "%s: ", name);
}

static void
excerpt_print(const char *line, unsigned caret, struct buf *out)
{
	if (line != NULL)
		buf_printf(out, "  %s\n  %*s^\n", line, (int)caret, "");
}

void
diag_text(const struct diag_list *d, struct buf *out)
{
	const struct diag *e;

	for (e = d->item; e < d->item + d->n; e++) {
		place_print(d, e->at, out);
		buf_printf(out, "error: %s\n", e->message);
		excerpt_print(e->excerpt, e->caret, out);
		if (e->note == NULL)
			continue;
		place_print(d, e->other, out);
		buf_printf(out, "note: %s\n", e->note);
		excerpt_print(e->other_excerpt, e->other_caret, out);
	}
	if (d->dropped > 0)
		buf_printf(out, "%s: %zu more errors\n", d->source[0].name,
			d->dropped);
}

static json_t *
file_json(const struct diag_list *d, unsigned file)
{
	return json_string(
		copy_printable(d->arena, d->source[file].name, PATH_MAX));
}

static json_t *
entry_json(const struct diag_list *d, const struct diag *e)
{
	json_t *j = json_object();

	json_object_set_new(j, "file", file_json(d, e->at.file));
	json_object_set_new(j, "line", json_integer(e->at.line));
	json_object_set_new(j, "col", json_integer(e->at.col));
	json_object_set_new(j, "path", json_string(e->path));
	json_object_set_new(j, "code", json_string(e->code));
	json_object_set_new(j, "message", json_string(e->message));
	if (e->note != NULL) {
		json_object_set_new(j, "note", json_string(e->note));
		json_object_set_new(
			j, "note_file", file_json(d, e->other.file));
		json_object_set_new(
			j, "note_line", json_integer(e->other.line));
		json_object_set_new(j, "note_col", json_integer(e->other.col));
	}
	return j;
}

void
diag_json(const struct diag_list *d, struct buf *out)
{
	json_t *root = json_object(), *errors = json_array();
	char *text;
	size_t i;

	for (i = 0; i < d->n; i++)
		json_array_append_new(errors, entry_json(d, &d->item[i]));
	json_object_set_new(root, "file", file_json(d, 0));
	json_object_set_new(root, "ok", json_boolean(diag_count(d) == 0));
	json_object_set_new(root, "errors", errors);
	json_object_set_new(
		root, "dropped", json_integer((json_int_t)d->dropped));
	text = json_dumps(root, JSON_INDENT(2));
	json_decref(root);
	if (text != NULL)
		buf_printf(out, "%s\n", text);
	free(text);
}
