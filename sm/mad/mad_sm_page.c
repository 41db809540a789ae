#include "sm/mad/mad_sm_page.h"

#include <string.h>

#include "sm/base/be.h"

enum {
	AT_SIGNATURE = 24,
	AT_HASH = 28,
	AT_SIZE = 32,
	AT_AGE = 36,
	AT_TEXT = 40
};

bool
mad_sm_page_decode(const uint8_t d[MAD_DATA], struct mad_sm_page *out)
{
	if (be_get32(d + AT_SIGNATURE) != MAD_SM_PAGE_SIGNATURE)
		return false;
	out->hash = be_get32(d + AT_HASH);
	out->size = be_get32(d + AT_SIZE);
	out->age = be_get32(d + AT_AGE);
	memcpy(out->text, d + AT_TEXT, MAD_SM_PAGE_TEXT);
	return true;
}

void
mad_sm_page_encode(const struct mad_sm_page *in, uint8_t d[MAD_DATA])
{
	be_put32(d + AT_SIGNATURE, MAD_SM_PAGE_SIGNATURE);
	be_put32(d + AT_HASH, in->hash);
	be_put32(d + AT_SIZE, in->size);
	be_put32(d + AT_AGE, in->age);
	memcpy(d + AT_TEXT, in->text, MAD_SM_PAGE_TEXT);
}
