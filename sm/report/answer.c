#include "sm/report/answer.h"

#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "sm/base/utf8.h"
#include "sm/report/json_util.h"
#include "sm/report/names.h"

struct answer {
	struct buf ready; /* not sent yet; list or text follow it */
	struct view *view;
	struct answer_list list;
	void *param;
	size_t next; /* element, or byte of text */
	bool first;  /* no element has been written */
	struct buf text;
	bool is_text;
	bool failed;
	const char *tail;
};

static int
to_buf(const char *p, size_t n, void *out)
{
	buf_put(out, p, n);
	return 0;
}

static void
dump_json(const json_t *j, struct buf *out)
{
	(void)json_dump_callback(
		j, to_buf, out, JSON_COMPACT | JSON_REAL_PRECISION(9));
}

static struct answer *
begin_answer(json_t *whole, const char *tail)
{
	struct answer *a = mem_zalloc(1, sizeof(*a));

	dump_json(whole, &a->ready);
	json_decref(whole);
	a->tail = tail;
	a->first = true;
	return a;
}

struct answer *
answer_error(const char *code, const char *text)
{
	struct answer *a = begin_answer(
		json_util_object(M("ok", json_false()), M("code", code),
			M("error", names_text(text))),
		"\n");

	a->failed = true;
	return a;
}

bool
answer_failed(const struct answer *a)
{
	return a->failed;
}

struct answer *
answer_result(json_t *result)
{
	return begin_answer(
		json_util_object(M("ok", json_true()), M("result", result)),
		"\n");
}

/* Reopen the result for a member that is written piece by piece. */
static struct answer *
open_result(json_t *result, struct view *v, const char *key, const char *tail)
{
	bool empty = json_object_size(result) == 0;
	struct answer *a;

	a = begin_answer(
		json_util_object(M("ok", json_true()), M("result", result)),
		tail);
	a->ready.n -= 2; /* the two closing braces */
	buf_printf(&a->ready, "%s\"%s\":", empty ? "" : ",", key);
	a->view = view_ref(v);
	return a;
}

struct answer *
answer_list(json_t *result, struct view *v, const struct answer_list *list,
	const void *param, size_t size)
{
	struct answer *a = open_result(result, v, list->key, "]}}\n");

	buf_put(&a->ready, "[", 1);
	a->list = *list;
	if (param != NULL)
		a->param = mem_dup(param, size);
	return a;
}

struct answer *
answer_text(json_t *result, struct view *v, struct buf *text)
{
	struct answer *a = open_result(result, v, "text", "\"}}\n");

	buf_put(&a->ready, "\"", 1);
	a->is_text = true;
	a->text = *text;
	*text = (struct buf){0};
	return a;
}

/*
 * Escape one character of the left bytes at s; returns how many bytes it took.
 * A byte that is not UTF-8 is taken as Latin-1, so that the result is JSON for
 * any bytes.
 */
static size_t
put_escaped_char(const char *s, size_t left, struct buf *out)
{
	unsigned char c = (unsigned char)*s;
	uint32_t decoded = 0;
	unsigned n = utf8_decode((const unsigned char *)s, left, &decoded);

	if (c == '\n')
		buf_put(out, "\\n", 2);
	else if (c == '"' || c == '\\')
		buf_printf(out, "\\%c", c);
	else if (n == 0 || c < 0x20 || c == 0x7f)
		buf_printf(out, "\\u%04x", c);
	else
		buf_put(out, s, n);
	return n > 0 ? n : 1;
}

static bool
more_text(struct answer *a, size_t end, struct buf *out)
{
	while (a->next < a->text.n && out->n < end)
		a->next += put_escaped_char(
			a->text.text + a->next, a->text.n - a->next, out);
	return a->next < a->text.n;
}

static bool
more_list(struct answer *a, size_t end, struct buf *out)
{
	json_t *j;

	while (a->next < a->list.n && out->n < end) {
		j = a->list.item(a->view, a->next++, a->param);
		if (j == NULL)
			continue;
		if (!a->first)
			buf_put(out, ",", 1);
		a->first = false;
		dump_json(j, out);
		json_decref(j);
	}
	return a->next < a->list.n;
}

bool
answer_more(struct answer *a, size_t room, struct buf *out)
{
	size_t end = out->n + room;

	if (a->ready.n > 0) {
		buf_put(out, a->ready.text, a->ready.n);
		buf_free(&a->ready);
	}
	if (a->is_text ? more_text(a, end, out) : more_list(a, end, out))
		return true;
	buf_put(out, a->tail, strlen(a->tail));
	return false;
}

struct view *
answer_free(struct answer *a)
{
	struct view *v;

	if (a == NULL)
		return NULL;
	v = a->view;
	buf_free(&a->ready);
	buf_free(&a->text);
	free(a->param);
	free(a);
	return v;
}
