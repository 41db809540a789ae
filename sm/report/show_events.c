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

void
show_missing(const json_t *missing, struct buf *out)
{
	const json_t *m;
	size_t i;

	json_array_foreach(json_object_get(missing, "list"), i, m)
	{
		page_print(out, m,
			strcmp(json_util_text(m, "kind"), "node") == 0
				? "  node " SHOW_ENDS(" at ")
				: "  %(kind)s " SHOW_ENDS(" - "));
		buf_printf(out, ", since ");
		put_clock(time(NULL) - (time_t)(json_util_real(m, "age") + 0.5),
			out);
		buf_printf(out, "\n");
	}
}

void
show_names(const json_t *r, struct buf *out)
{
	page_print(out, r,
		"%(pinned)!{no names are pinned\n}"
		"%(pinned)?{%(waiting)!{no name waits to be accepted\n}}"
		"%(waiting)*{waits  %(guid)s \"%(name)s\" would "
		"%(joins)[join as|leave] \"%(member)s\"\n}");
}
