#include "sm/base/reason.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int
reason_set(struct reason *why, const char *fmt, ...)
{
	va_list ap;

	if (why == NULL)
		return -1;
	va_start(ap, fmt);
	(void)vsnprintf(why->text, sizeof(why->text), fmt, ap);
	va_end(ap);
	return -1;
}

int
reason_add(struct reason *why, const char *fmt, ...)
{
	va_list ap;
	size_t n;

	if (why == NULL)
		return -1;
	n = strnlen(why->text, sizeof(why->text) - 1);
	va_start(ap, fmt);
	(void)vsnprintf(why->text + n, sizeof(why->text) - n, fmt, ap);
	va_end(ap);
	return -1;
}
