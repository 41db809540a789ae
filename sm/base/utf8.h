/*
 * utf8: strict UTF-8, and the characters that may reach a terminal or a file
 * that is read again. Names of nodes and texts of a configuration are made
 * printable where they come in, so that code that shows them need not check
 * them.
 */
#ifndef HEDDLE_SM_BASE_UTF8_H
#define HEDDLE_SM_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Decode the character at p, where left > 0 bytes can be read. Its length, or 0
 * when the bytes are no character: overlong forms, surrogates and code points
 * above U+10FFFF are none.
 */
unsigned utf8_decode(const unsigned char *p, size_t left, uint32_t *c);

/*
 * True for characters that YAML allows in a file, except tabs and all line
 * breaks: no control characters, no byte order mark, no U+FFFE, U+FFFF; and
 * that can be seen: none of zero width, none that changes the direction.
 */
bool utf8_printable(uint32_t c);

/* True when s is UTF-8 and all of it printable. */
bool utf8_clean(const char *s);

/*
 * Put a '?' for every byte that must not be shown: bytes of characters that are
 * not printable, and bytes that belong to no character.
 */
void utf8_tame(char *s);

#endif
