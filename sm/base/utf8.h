/*
 * utf8: UTF-8, strictly, and what of it may reach a terminal or a file that
 * is to be read again. Names of nodes and texts of a configuration are tamed
 * where they come in, so that whoever shows them needs not ask.
 */
#ifndef HEDDLE_SM_BASE_UTF8_H
#define HEDDLE_SM_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Decode the character at p, of which left > 0 bytes are there. Its length, or
 * 0 when the bytes are none: overlong forms, surrogates and everything above
 * U+10FFFF are none.
 */
unsigned utf8_decode(const unsigned char *p, size_t left, uint32_t *c);

/*
 * True for characters that YAML lets stand in a file, except tabs and all line
 * breaks: no control characters, no byte order mark, no U+FFFE, U+FFFF.
 */
bool utf8_printable(uint32_t c);

/* True when s is UTF-8 and all of it printable. */
bool utf8_clean(const char *s);

/*
 * Put a '?' for every byte that must not be shown: of characters that are not
 * printable, and those that belong to none.
 */
void utf8_tame(char *s);

#endif
