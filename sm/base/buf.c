#include "sm/base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"

/* Room that most prints fit in, so that they are formatted once. */
enum { LINE = 64 };

static void
buf_reserve(struct buf *b, size_t more)
{
	if (b->cap - b->n > more)
		return;
	while (b->cap - b->n <= more)
		b->cap = b->cap ? b->cap * 2 : 256;
	b->text = mem_resize(b->text, b->cap, 1);
}

void *
buf_add(struct buf *b, size_t n)
{
	buf_reserve(b, n);
	b->n += n;
	b->text[b->n] = '\0';
	return b->text + b->n - n;
}

void
buf_put(struct buf *b, const void *p, size_t n)
{
	void *place = buf_add(b, n);

	if (n > 0)
		memcpy(place, p, n);
}

void
buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap, again;
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	buf_reserve(b, LINE);
	n = vsnprintf(b->text + b->n, b->cap - b->n, fmt, ap);
	va_end(ap);
	if (n >= 0 && (size_t)n >= b->cap - b->n) {
		buf_reserve(b, (size_t)n);
		(void)vsnprintf(b->text + b->n, (size_t)n + 1, fmt, again);
	}
	va_end(again);
	b->n += n > 0 ? (size_t)n : 0;
	b->text[b->n] = '\0';
}

void
buf_drop(struct buf *b, size_t n)
{
	if (n >= b->n) {
		b->n = 0;
	} else {
		memmove(b->text, b->text + n, b->n - n);
		b->n -= n;
	}
	if (b->text != NULL)
		b->text[b->n] = '\0';
}

void
buf_free(struct buf *b)
{
	free(b->text);
	*b = (struct buf){0};
}

void
buf_hex(struct buf *b, const uint8_t *p, size_t n)
{
	static const char digit[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		const char two[2] = {digit[p[i] >> 4], digit[p[i] & 0xf]};

		buf_put(b, two, sizeof(two));
	}
}
