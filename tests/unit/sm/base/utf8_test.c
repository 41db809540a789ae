/* Names of nodes as they may reach a terminal. */
#include "sm/base/utf8.h"

#include <string.h>

#include "tests/unit/suite.h"

static const struct name {
	const char *in, *out;
} names[] = {
	{"leaf01", "leaf01"},
	{"B\xc3\xbcro 7 \xe2\x86\x92 \xf0\x9f\x90\xb8",
		"B\xc3\xbcro 7 \xe2\x86\x92 \xf0\x9f\x90\xb8"},
	{"a\tb\nc\x1b[31m\x7f", "a?b?c?[31m?"},
	{"red\xe2\x80\xae", "red???"},			    /* U+202E */
	{"red\xe2\x80\x8b+1", "red???+1"},		    /* U+200B */
	{"\xef\xbb\xbfred", "???red"},			    /* U+FEFF */
	{"\xe2\x81\xa6red\xc2\xad", "???red??"},	    /* U+2066, U+00AD */
	{"red\xf3\xa0\x81\x81", "red????"},		    /* U+E0041 */
	{"red\xcd\x8f", "red??"},			    /* U+034F */
	{"red\xe3\x85\xa4", "red???"},			    /* U+3164 */
	{"red\xef\xb8\x8f", "red???"},			    /* U+FE0F */
	{"red\xef\xbe\xa0", "red???"},			    /* U+FFA0 */
	{"red\xf3\xa0\x84\x80", "red????"},		    /* U+E0100 */
	{"red\xc2\x85\xe2\x80\xa8", "red?????"},	    /* C1, U+2028 */
	{"\xc0\xaf\xed\xa0\x80\xf5z\xe2\x82", "??????z??"}, /* none */
};

LOOP_TEST(tamed, 0, LEN(names))
{
	const struct name *n = &names[_i];
	char text[64];

	strcpy(text, n->in);
	ck_assert_int_eq(utf8_clean(text), strcmp(n->in, n->out) == 0);
	utf8_tame(text);
	ck_assert_str_eq(text, n->out);
	ck_assert(utf8_clean(text));
}
