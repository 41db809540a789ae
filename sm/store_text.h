/*
 * store_text: the text of the state file (store.h says what is in it), read
 * and printed; no file is touched here.
 */
#ifndef HEDDLE_SM_STORE_TEXT_H
#define HEDDLE_SM_STORE_TEXT_H

#include "sm/store.h"

/*
 * Read n bytes of text, which is cut up, into
 * *s, whose arena is there. -1 with path, line, field and what is wrong.
 */
int store_text_read(const char *path, char *text, size_t n,
	struct store_state *s, struct reason *why);

/* Append what the file shall hold. */
void store_text_print(const struct store_state *s, struct buf *out);

#endif
