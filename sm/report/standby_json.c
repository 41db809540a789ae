#include "sm/report/standby_json.h"

#include "sm/report/json_util.h"

void
standby_json_put(json_t *o, const struct view *v)
{
	if (v->read_only)
		json_util_put(o, "standby",
			json_pack("{s:o, s:o}", "read",
				json_util_u64(v->read_at), "tables",
				json_util_u64(v->tables_at)));
}

static long long
age_of(long long then, uint64_t now)
{
	return (long long)now > then ? (long long)now - then : 0;
}

void
standby_json_line(const json_t *r, uint64_t now, struct buf *out)
{
	const json_t *s = json_object_get(r, "standby");

	if (!json_is_object(s))
		return;
	buf_printf(out,
		"standby     as this standby read the fabric %lld s ago, "
		"forwarding tables up to %lld s ago\n",
		age_of(json_util_num(s, "read"), now),
		age_of(json_util_num(s, "tables"), now));
}
