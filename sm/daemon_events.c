#include "sm/daemon_events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/buf.h"
#include "sm/base/mem.h"
#include "sm/base/version.h"
#include "sm/event/alarm_kind.h"
#include "sm/view/event_log.h"

/* Values of options that are told have at most so many bytes: a list of
 * partitions would fill a page. */
enum { SHORT = 40 };

struct daemon_events {
	daemon_events_sink *sink;
	void *cookie;
	struct event_log *budget;
	struct mono state_lost; /* since when */
};

struct daemon_events *
daemon_events_new(daemon_events_sink *sink, void *cookie)
{
	struct daemon_events *d = mem_zalloc(1, sizeof(*d));

	d->sink = sink;
	d->cookie = cookie;
	d->budget = event_log_new();
	return d;
}

void
daemon_events_free(struct daemon_events *d)
{
	if (d == NULL)
		return;
	event_log_free(d->budget);
	free(d);
}

static void
tell_event(struct daemon_events *d, const struct event *e, struct mono now)
{
	struct event rest;

	if (event_log_take(d->budget, e->kind, now))
		(void)d->sink(d->cookie, e);
	while (event_log_rest(d->budget, &rest, now))
		(void)d->sink(d->cookie, &rest);
}

void
daemon_events_start(struct daemon_events *d, bool killed, struct mono now)
{
	struct event e = {.kind = EVENT_START};

	event_text(&e, "version", VERSION_TEXT);
	if (killed)
		event_text(&e, "after",
			"a previous run that did not end in order");
	tell_event(d, &e, now);
}

void
daemon_events_stop(struct daemon_events *d, struct mono now)
{
	struct event e = {.kind = EVENT_STOP};

	tell_event(d, &e, now);
}

void
daemon_events_reload(struct daemon_events *d, const struct config_changes *c,
	struct mono now)
{
	struct event e = {.kind = EVENT_RELOAD};
	struct buf what = {0};

	for (size_t i = 0; i < c->n; i++) {
		const struct config_change *k = &c->item[i];

		buf_printf(&what, "%s%s", i > 0 ? ", " : "", k->key);
		if (strlen(k->was) <= SHORT && strlen(k->is) <= SHORT)
			buf_printf(&what, " was=%s is=%s", k->was, k->is);
		if (k->reload == SCHEMA_RESTART)
			buf_printf(&what, " after a restart");
	}
	event_number(&e, "changed", c->n);
	event_text(&e, "what", what.text);
	tell_event(d, &e, now);
	buf_free(&what);
}

void
daemon_events_refused(struct daemon_events *d, const char *why, struct mono now)
{
	struct event e = {.kind = EVENT_RELOAD_REFUSED};

	event_text(&e, "why", why);
	tell_event(d, &e, now);
}

const char *
daemon_events_user(uid_t uid, char out[DAEMON_EVENTS_USER])
{
	(void)snprintf(out, DAEMON_EVENTS_USER, "%suid %u%s",
		uid == 0 ? "root (" : "", uid, uid == 0 ? ")" : "");
	return out;
}

void
daemon_events_command(struct daemon_events *d, const char *command, uid_t uid,
	const char *refused, struct mono now)
{
	struct event e = {.kind = EVENT_COMMAND};
	char user[DAEMON_EVENTS_USER];

	event_text(&e, "command", command);
	event_text(&e, "user", daemon_events_user(uid, user));
	event_number(&e, "uid", uid);
	event_text(&e, "refused", refused);
	tell_event(d, &e, now);
}

void
daemon_events_own_link(struct daemon_events *d, bool up, struct mono now)
{
	struct event e = {.kind = EVENT_OWN_LINK};

	event_text(&e, "state", up ? "came up" : "went down");
	tell_event(d, &e, now);
}

void
daemon_events_port_lost(
	struct daemon_events *d, const char *why, struct mono now)
{
	struct event e = {.kind = EVENT_PORT_LOST};

	event_text(&e, "why", why);
	tell_event(d, &e, now);
}

void
daemon_events_state(struct daemon_events *d, const char *why, struct mono now)
{
	struct event e = {
		.kind = why != NULL ? EVENT_ALARM_ON : EVENT_ALARM_OFF};

	event_text(&e, "alarm", alarm_kind_row(ALARM_STATE)->name);
	if (why != NULL)
		event_text(&e, "text", why);
	else
		event_seconds(&e, "lasted",
			mono_seconds(mono_sub(now, d->state_lost)));
	d->state_lost = now;
	tell_event(d, &e, now);
}
