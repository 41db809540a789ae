#include "sm/event_store.h"

#include <stdlib.h>

#include "sm/base/mem.h"
#include "sm/report/events_json.h"
#include "sm/report/json_util.h"

struct event_store {
	char *ring[EVENT_STORE_KEPT]; /* JSON, of number n at n % KEPT */
	uint64_t last;		      /* number of the newest */
};

struct event_store *
event_store_new(uint64_t after)
{
	struct event_store *s = mem_zalloc(1, sizeof(*s));

	s->last = after;
	return s;
}

void
event_store_free(struct event_store *s)
{
	if (s == NULL)
		return;
	for (unsigned i = 0; i < EVENT_STORE_KEPT; i++)
		free(s->ring[i]);
	free(s);
}

uint64_t
event_store_add(struct event_store *s, const struct event *e, double time)
{
	json_t *o = events_json_one(e, ++s->last, time);
	char **place = &s->ring[s->last % EVENT_STORE_KEPT];

	free(*place);
	/* microseconds of these years have 16 digits */
	*place = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(16));
	json_decref(o);
	return s->last;
}

uint64_t
event_store_last(const struct event_store *s)
{
	return s->last;
}

json_t *
event_store_json(const struct event_store *s, uint64_t since, double time)
{
	json_t *list = json_array();

	if (since + EVENT_STORE_KEPT < s->last)
		since = s->last - EVENT_STORE_KEPT;
	for (uint64_t n = since + 1; n <= s->last; n++) {
		const char *text = s->ring[n % EVENT_STORE_KEPT];
		json_t *o = text != NULL ? json_loads(text, 0, NULL) : NULL;

		if (o == NULL)
			continue;
		json_util_put(
			o, "age", json_real(time - json_util_real(o, "time")));
		(void)json_array_append_new(list, o);
	}
	return json_pack(
		"{s:o, s:o}", "last", json_util_u64(s->last), "events", list);
}
