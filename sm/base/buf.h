/*
 * buf: a growing text buffer, for replies, reports and canonical prints.
 */
#ifndef HEDDLE_SM_BASE_BUF_H
#define HEDDLE_SM_BASE_BUF_H

#include <stddef.h>
#include <stdint.h>

/* text is always terminated when n > 0; an empty buf is {0} with text NULL. */
struct buf {
	char *text;
	size_t n;
	size_t cap;
};

/* Append formatted text. */
void buf_printf(struct buf *b, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Append n bytes, which the caller is to write at the place returned. */
void *buf_add(struct buf *b, size_t n);

/* Append n bytes. */
void buf_put(struct buf *b, const void *p, size_t n);
/* Append n bytes as two lower-case digits each. */
void buf_hex(struct buf *b, const uint8_t *p, size_t n);

/* Remove the first n bytes. */
void buf_drop(struct buf *b, size_t n);

/* Free what b owns and make it empty. */
void buf_free(struct buf *b);

#endif
