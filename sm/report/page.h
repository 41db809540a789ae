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
 *	%(why)?{: %(why)s}	the text in braces if the member is there and is
 *			neither 0, false nor empty
 *	%(why)!{...}	the same if it is not
 *	%(rank)&{...}	the same if it is there and not null; and
 *	%(rank)~{...}	if it is not there or null
 *	%(ports)*{ %()d}	the text for each element of a list, which is o
 *			in it; %(ports)*3{...}: for the first three of them
 *	%(order=none)!{...}	of a member that is this word
 *	%%		a per cent sign
 *
 * A dot leads into an object, or with a number into an array; %()s is o itself,
 * %(#)d its number in a list, from 1, and %(#)?{, } is for all but the first. A
 * width and a precision may precede
 * the letter, as in printf.
 */
void page_print(struct buf *out, const json_t *o, const char *text);

/* A member's text, "-" if it is missing or empty. */
const char *page_text(const json_t *o, const char *key);

/* " over tiers": the order of switches that tables obey, by the member "order";
 * nothing where that is "none" or not known. */
#define PAGE_ORDER "%(order)?{%(order=none)!{ over %(order)s}}"

/* "9 layers on 3 VLs", "1 layer": of an object with the members layers and vls.
 */
struct page_layers {
	char s[64];
};
struct page_layers page_layers(const json_t *o);

#endif
