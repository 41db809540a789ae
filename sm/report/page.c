#include "sm/report/page.h"

#include <stdio.h>
#include <string.h>

#include "sm/report/json_util.h"
#include "sm/report/names.h"

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

struct page_layers
page_layers(const json_t *o)
{
	long long layers = json_util_num(o, "layers");
	long long vls = json_util_num(o, "vls");
	struct page_layers x;
	int n = snprintf(
		x.s, sizeof(x.s), "%lld layer%s", layers, names_plural(layers));

	if (vls > 0 && vls != layers)
		(void)snprintf(x.s + n, sizeof(x.s) - (size_t)n,
			" on %lld VL%s", vls, names_plural(vls));
	return x;
}
