/*
 * mad_sm_page: what a manager tells a standby of its own kind beside its
 * SMInfo: a text, page by page.
 *
 * Get(SMInfo) with an attribute modifier of MAD_SM_PAGE and the number of a
 * page is answered as any Get(SMInfo), and in the bytes behind the 21 of
 * SMInfo, which IBA reserves, there is that page. SMInfo is the one attribute
 * that every device hands to its subnet manager, and by a directed route it
 * needs no LID and no tables. Other managers ignore the modifier of a Get, and
 * these bytes: an answer without the signature is of one that has no pages.
 */
#ifndef HEDDLE_SM_MAD_MAD_SM_PAGE_H
#define HEDDLE_SM_MAD_MAD_SM_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/mad/mad.h"

enum {
	MAD_SM_PAGE = 0x48440000, /* of a modifier, but ... */
	MAD_SM_PAGE_NUMBER = 0xffff,
	MAD_SM_PAGE_SIGNATURE = 0x48444c31,
	MAD_SM_PAGE_TEXT = 24, /* bytes of text in a page */
};

struct mad_sm_page {
	uint32_t hash; /* of the whole text */
	uint32_t size; /* of the whole text, bytes */
	uint32_t age;  /* of the text, seconds */
	uint8_t text[MAD_SM_PAGE_TEXT];
};

/* False: there is no page in this answer. */
bool mad_sm_page_decode(const uint8_t d[MAD_DATA], struct mad_sm_page *out);
/* Behind the SMInfo that is in d. */
void mad_sm_page_encode(const struct mad_sm_page *in, uint8_t d[MAD_DATA]);

#endif
