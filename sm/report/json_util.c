#include "sm/report/json_util.h"

#include <stdarg.h>

json_t *
json_util_members(json_t *o, ...)
{
	const char *key;
	va_list ap;

	va_start(ap, o);
	while ((key = va_arg(ap, const char *)) != NULL)
		(void)json_object_set_new(o, key, va_arg(ap, json_t *));
	va_end(ap);
	return o;
}
