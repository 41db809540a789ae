#include "sm/report/page.h"

#include <stdio.h>
#include <string.h>

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

struct page_order
page_order(const json_t *o)
{
	const char *order = page_text(o, "order");
	struct page_order x = {""};

	if (strcmp(order, "none") != 0)
		(void)snprintf(x.s, sizeof(x.s), " over %s", order);
	return x;
}
