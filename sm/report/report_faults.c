#include "sm/report/report_faults.h"

#include "sm/report/json_util.h"

/* What both ends of a link counted in a window. */
static json_int_t
errors_in(const json_t *link, const char *window)
{
	static const char *const counted[] = {"symbol_errors", "recovered",
		"downed", "receive_errors", "discards"};
	const json_t *end;
	json_int_t sum = 0;
	size_t i;

	json_array_foreach(json_object_get(link, "counters"), i, end)
	{
		const json_t *o = json_object_get(end, window);

		for (size_t k = 0; k < sizeof(counted) / sizeof(counted[0]);
			k++)
			sum += json_util_num(o, counted[k]);
	}
	return sum;
}

static json_t *
link_row(const json_t *link)
{
	const json_t *ends = json_object_get(link, "ends"), *end;
	json_t *row = json_array();
	size_t i;

	json_array_foreach(ends, i, end)
	{
		(void)json_array_append(row, json_object_get(end, "guid"));
		(void)json_array_append(row, json_object_get(end, "port"));
	}
	(void)json_array_append(row, json_object_get(link, "bad"));
	(void)json_array_append(row, json_object_get(link, "slow"));
	(void)json_array_append(row, json_object_get(link, "why"));
	json_util_add(row, json_integer(errors_in(link, "hour")));
	json_util_add(row, json_integer(errors_in(link, "day")));
	return row;
}

json_t *
report_faults_json(const json_t *links)
{
	const json_t *health = json_object_get(links, "health"), *link;
	json_t *list = json_array();
	size_t i;

	json_array_foreach(json_object_get(links, "links"), i, link)
		json_util_add(list, link_row(link));
	return json_util_object(
		M("read", json_boolean(json_util_yes(health, "enabled"))),
		M("found", json_util_num(links, "found")), M("list", list));
}
