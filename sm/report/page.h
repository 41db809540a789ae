/*
 * page: what pages for people, made of JSON, have in common: the status and the
 * tables of heddlectl (show), its plans (sm/what_if/plan_page) and audits
 * (sm/audit/audit_page). A page is lines of a label, padded to the same column,
 * and a text; a line that has nothing to say is left out.
 */
#ifndef HEDDLE_SM_REPORT_PAGE_H
#define HEDDLE_SM_REPORT_PAGE_H

#include <jansson.h>

#include "sm/base/buf.h"

/*
 * Append text, in which members of o are named as in Python's %:
 *
 *	%(lids.used)d	an integer, 0 where it is missing
 *	%(name)s	a text, "-" where it is missing or empty
 *	%(age).1f	a number; e and g as well
 *	%(pkey)x	an integer as 0x and four digits
 *	%(blocked)n	the length of an array
 *	%(links)[|s]	what is before the bar if the integer is 1, if the
 *			boolean is true or the text is not empty, else what is
 *			behind it
 *	%%		a per cent sign
 *
 * A dot leads into an object, or with a number into an array; %()s is o itself.
 * A width and a precision may precede the letter, as in printf.
 */
void page_print(struct buf *out, const json_t *o, const char *text);

/* The same if the member is there and is neither 0, false nor empty. */
void page_if(
	struct buf *out, const json_t *o, const char *key, const char *text);

/* The same for each element of a list, o in the text. */
void page_each(struct buf *out, const json_t *list, const char *text);

/* A member's text, "-" if it is missing or empty. */
const char *page_text(const json_t *o, const char *key);

/* Append a line: head (its label and blanks, or words), and the text of the
 * member. Nothing where that is missing or empty. */
void page_line(
	const char *head, const json_t *o, const char *key, struct buf *out);

/* " over tiers": the order of switches that tables obey, by the member "order";
 * "" where that is "none". */
struct page_order {
	char s[32];
};
struct page_order page_order(const json_t *o);

/* "9 layers on 3 VLs", "1 layer": of an object with the members layers and vls.
 */
struct page_layers {
	char s[64];
};
struct page_layers page_layers(const json_t *o);

#endif
