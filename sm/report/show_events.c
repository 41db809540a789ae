#include <string.h>
#include <time.h>

#include "sm/event/event_time.h"
#include "sm/report/json_util.h"
#include "sm/report/page.h"
#include "sm/report/show.h"

static void
put_clock(time_t when, struct buf *out)
{
	char text[32];
	struct tm tm;

	if (localtime_r(&when, &tm) == NULL ||
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm) == 0)
		text[0] = '\0';
	buf_printf(out, "%s", text);
}

/* Local time of something that is age seconds old. */
static void
put_time(double age, struct buf *out)
{
	put_clock(time(NULL) - (time_t)(age + 0.5), out);
}

enum { GUID_TEXT = sizeof(" (0x0123456789abcdef)") - 1 };

/* A text without the GUIDs that stand behind a name. */
static void
put_named(const char *text, struct buf *out)
{
	while (*text != '\0') {
		size_t n = strcspn(text, "\"");

		buf_put(out, text, n);
		text += n;
		if (*text == '\0')
			break;
		buf_put(out, text++, 1);
		if (strncmp(text, " (0x", 4) == 0 &&
			strnlen(text, GUID_TEXT) == GUID_TEXT &&
			text[GUID_TEXT - 1] == ')')
			text += GUID_TEXT;
	}
}

void
show_events(const json_t *r, struct buf *out)
{
	const json_t *e;
	size_t i;

	json_array_foreach(json_object_get(r, "events"), i, e)
	{
		const char *when = json_util_text(e, "time");
		double seconds = 0;

		(void)event_time_read(when, strlen(when), &seconds);
		put_clock((time_t)seconds, out);
		buf_printf(out, "  %6lld  ", json_util_num(e, "seq"));
		put_named(json_util_text(e, "text"), out);
		buf_printf(out, "\n");
	}
	if (json_array_size(json_object_get(r, "events")) == 0)
		buf_printf(out, "no events\n");
}

/* "leaf1" (0x0002c90200000001) port 5 */
static void
put_end(const json_t *end, struct buf *out)
{
	page_print(out, end,
		json_util_has_text(end, "name") ? "\"%(name)s\" (%(guid)s)"
						: "%(guid)s");
	page_if(out, end, "port", " port %(port)d");
}

void
show_ends(const json_t *o, const char *between, struct buf *out)
{
	const json_t *ends = json_object_get(o, "ends");

	put_end(json_array_get(ends, 0), out);
	if (json_array_size(ends) < 2)
		return;
	buf_printf(out, "%s", between);
	put_end(json_array_get(ends, 1), out);
}

void
show_missing(const json_t *missing, struct buf *out)
{
	const json_t *m;
	size_t i;

	json_array_foreach(json_object_get(missing, "list"), i, m)
	{
		bool node = json_util_text(m, "kind")[0] == 'n';

		buf_printf(out, "  %s ", json_util_text(m, "kind"));
		show_ends(m, node ? " at " : " - ", out);
		buf_printf(out, ", since ");
		put_time(json_util_real(m, "age"), out);
		buf_printf(out, "\n");
	}
}

void
show_names(const json_t *r, struct buf *out)
{
	const json_t *list = json_object_get(r, "waiting");

	if (!json_util_yes(r, "pinned"))
		buf_printf(out, "no names are pinned\n");
	else if (json_array_size(list) == 0)
		buf_printf(out, "no name waits to be accepted\n");
	page_each(out, list,
		"waits  %(guid)s \"%(name)s\" would %(joins)[join as|leave] "
		"\"%(member)s\"\n");
}
