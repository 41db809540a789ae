/*
 * The table of what can be asked for: attribute, methods, record, handlers.
 */
#include "sm/sa/sa_priv.h"

static const struct sa_kind *const kinds[] = {
	&sa_class_port_info,
	&sa_node,
	&sa_port,
	&sa_path,
};

const struct sa_kind *
sa_kinds_find(uint16_t attr)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i]->attr == attr)
			return kinds[i];
	return NULL;
}
