#include "sm/report/json_util.h"
#include "sm/report/show.h"
#include "sm/report/terminal.h"

/* Columns that are kept for values; longer ones move what is behind them. */
enum { VALUE_WIDTH = 24 };

static size_t
widest_key(const json_t *keys)
{
	size_t i, most = 0;
	const json_t *k;

	json_array_foreach(keys, i, k)
	{
		size_t n = terminal_columns(json_util_text(k, "key"));

		if (n > most)
			most = n;
	}
	return most;
}

void
show_config(const json_t *r, struct buf *out)
{
	const json_t *keys = json_object_get(r, "keys"), *k;
	size_t i, width = widest_key(keys);

	json_array_foreach(keys, i, k)
	{
		terminal_put_padded(json_util_text(k, "key"), width, out);
		buf_printf(out, "  ");
		terminal_put_padded(
			json_util_text(k, "value"), VALUE_WIDTH, out);
		if (json_util_has_text(k, "file"))
			buf_printf(out, "  %s:%lld", json_util_text(k, "file"),
				json_util_num(k, "line"));
		else
			buf_printf(out, "  default");
		if (json_util_has_text(k, "in_force"))
			buf_printf(out, ", but %s until a restart",
				json_util_text(k, "in_force"));
		buf_printf(out, "\n");
	}
}
