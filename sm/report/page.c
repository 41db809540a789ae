#include "sm/report/page.h"

#include "sm/report/json_util.h"

const char *
page_text(const json_t *o, const char *key)
{
	return json_util_has_text(o, key) ? json_util_text(o, key) : "-";
}

void
page_line(const char *head, const json_t *o, const char *key, struct buf *out)
{
	if (json_util_has_text(o, key))
		buf_printf(out, "%s%s\n", head, json_util_text(o, key));
}
