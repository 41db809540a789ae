/*
 * text: UTF-8, strictly, and what of it may reach a terminal or a file that
 * is to be read again.
 */
#ifndef HEDDLE_CONFIG_TEXT_H
#define HEDDLE_CONFIG_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Decode the character at p, of which left > 0 bytes are there. Its length, or
 * 0 when the bytes are none: overlong forms, surrogates and everything above
 * U+10FFFF are none.
 */
unsigned text_decode(const unsigned char *p, size_t left, uint32_t *c);

/*
 * True for characters that YAML lets stand in a file, except tabs and all line
 * breaks: no control characters, no byte order mark, no U+FFFE, U+FFFF.
 */
bool text_printable(uint32_t c);

/* True when s is UTF-8 and all of it printable. */
bool text_clean(const char *s);

/*
 * Put a '?' for what must not be shown: control characters, and all bytes
 * above 0x7f when s is not clean.
 */
void text_tame(char *s);

#endif
