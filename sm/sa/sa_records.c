/* The dispatch table: attribute, methods, record, handlers. */
#include "sm/sa/sa_priv.h"

#define SA_ENTRY(kind) &(kind),
static const struct sa_kind *const kinds[] = {SA_KINDS(SA_ENTRY)};

const struct sa_kind *
sa_records_find(uint16_t attr)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i]->attr == attr)
			return kinds[i];
	return NULL;
}
