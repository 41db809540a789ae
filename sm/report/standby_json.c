#include "sm/report/standby_json.h"

#include "sm/report/json_util.h"
#include "sm/report/names.h"
#include "sm/report/page.h"

void
standby_json_put(json_t *o, const struct view *v)
{
	json_t *s;

	if (!v->read_only)
		return;
	s = json_util_object(M("read", v->read_at), M("tables", v->tables_at),
		M("unread", v->unread));
	if (v->unread > 0)
		json_util_put(s, M("unread_first", names_guid(v->unread_guid)));
	json_util_put(o, M("standby", s));
}

json_t *
standby_json_order(const struct view *v)
{
	return v->read_only ? json_null()
			    : json_string(names_order(v->routes->order));
}

/* Seconds from then to now; 0 where the clock was set back. */
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
	page_print(out, s,
		"%(unread)?{            without the tables of %(unread)d "
		"switch%(unread)[|es] that did not tell, first "
		"%(unread_first)s\n}");
}
