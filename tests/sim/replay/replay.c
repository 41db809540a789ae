#include "tests/sim/replay/replay.h"

#include <stdlib.h>
#include <string.h>

#include "routing/driver/registry.h"
#include "sm/base/mem.h"
#include "sm/record/record_tap.h"
#include "tests/sim/replay/entry_show.h"
#include "tests/sim/replay/replay_input.h"

/* Requests that are shown where others were recorded; a byte of a MAD. */
enum { SHOWN = 16, AT_METHOD = 3 };

struct replay {
	struct transport transport; /* first: the tap holds this */
	struct replay_source source;
	struct replay_listener listener;
	/* the next entry of the recording, not yet met */
	uint8_t *next;
	size_t nnext;
	bool has_next;
	struct record_entry entry; /* the same, read */
	struct record_image last;  /* of the ANSWERs that were read */
	uint64_t number;	   /* of that entry, from 1 */

	struct buf event; /* bytes of the event that is acted on */
	struct record_entry acted;

	struct transport_msg *asked; /* sent and not yet compared */
	size_t nasked, asked_cap;
	struct record_tap *tap;
	struct sm_ops ops;
	struct sm *sm;
	struct sm_work *work;
	uint64_t told;	 /* events of the core */
	struct mono now; /* of the event that is acted on */
	struct {
		struct mono now;
		uint64_t wall;
	} clock;
	struct replay_report report;
};

/* ---- how it ends ---- */

static bool
has_ended(const struct replay *r)
{
	return r->report.end != REPLAY_SAME;
}

static void
end_broken(struct replay *r, const char *why)
{
	if (has_ended(r))
		return;
	r->report.end = REPLAY_BROKEN;
	buf_printf(&r->report.why, "%s", why);
}

/* The core gave these bytes (NULL: nothing), where the recording has the next
 * entry. */
static void
end_different(struct replay *r, const uint8_t *is, size_t n)
{
	if (has_ended(r))
		return;
	r->report.end = REPLAY_DIFFERS;
	buf_printf(&r->report.why, "entry %llu differs",
		(unsigned long long)r->number);
	entry_show_difference(
		r->has_next ? &r->entry : NULL, is, n, &r->report.why);
}

/* The digest in the next entry is that of other requests than the core sent. */
static void
end_other_requests(struct replay *r)
{
	if (has_ended(r))
		return;
	r->report.end = REPLAY_DIFFERS;
	buf_printf(&r->report.why,
		"entry %llu differs in the requests before it\n  recorded: ",
		(unsigned long long)r->number);
	entry_show_line(&r->entry, &r->report.why);
	for (size_t i = 0; i < r->nasked && i < SHOWN; i++) {
		buf_printf(&r->report.why, "\n  replayed: ");
		entry_show_sent(&r->asked[i], &r->report.why);
	}
	if (r->nasked == 0 || r->nasked > SHOWN)
		buf_printf(&r->report.why, "\n  replayed: %zu requests",
			r->nasked);
}

/* ---- the recording ---- */

/* Have the next entry that is not only for readers. */
static bool
peek_entry(struct replay *r)
{
	struct reason why;
	int rc;

	while (!r->has_next && !has_ended(r)) {
		rc = r->source.next(
			r->source.cookie, &r->next, &r->nnext, &why);
		if (rc == 0)
			return false;
		r->number++;
		if (rc < 0 || record_entry_read(r->next, r->nnext, &r->last,
				      &r->entry, &why) != 0) {
			end_broken(r, why.text);
			return false;
		}
		r->has_next = r->entry.kind != RECORD_CLOCK;
		if (!r->has_next) {
			r->clock.now = r->entry.is.clock.now;
			r->clock.wall = r->entry.is.clock.wall;
		}
	}
	return r->has_next;
}

/* The requests so far were compared, by their digest. */
static void
count_requests(struct replay *r)
{
	for (size_t i = 0; i < r->nasked; i++)
		r->report.sets += r->asked[i].mad[AT_METHOD] == MAD_SET;
	r->report.sent += r->nasked;
	r->nasked = 0;
}

/*
 * The core gave an entry: it must be the next one. Behind the last one there is
 * nothing to compare it with: entries are written as they come, so a recording
 * that goes on while it is saved, or a daemon that is killed, can end between
 * an event and what it led to.
 */
static void
compare_entry(void *cookie, const uint8_t *entry, size_t n)
{
	struct replay *r = cookie;

	if (!peek_entry(r) && !has_ended(r))
		return;
	if (!r->has_next || n != r->nnext || memcmp(entry, r->next, n) != 0) {
		end_different(r, entry, n);
		return;
	}
	r->has_next = false;
	if (r->entry.kind == RECORD_INPUT || r->entry.kind == RECORD_ASKED)
		count_requests(r);
	if (r->entry.kind == RECORD_SENT) {
		r->report.sent++;
		r->nasked -= !r->entry.is.sent.failed;
	}
}

/* ---- what the core asks for ---- */

static int
answer_send(struct transport *t, const struct transport_msg *m)
{
	struct replay *r = (struct replay *)t;
	const struct transport_msg *was = &r->entry.is.sent.message;

	/* what could not be sent is the next entry, whole */
	if (peek_entry(r) && r->entry.kind == RECORD_SENT &&
		r->entry.is.sent.failed &&
		memcmp(was->mad, m->mad, MAD_SIZE) == 0)
		return -1;
	r->asked =
		mem_grow(r->asked, r->nasked, &r->asked_cap, sizeof(*r->asked));
	r->asked[r->nasked] = *m;
	r->asked[r->nasked++].body = NULL;
	return 0;
}

static uint64_t
answer_seconds(void *cookie)
{
	struct replay *r = cookie;
	uint64_t seconds = 0;

	if (peek_entry(r) && r->entry.kind == RECORD_SECONDS)
		seconds = r->entry.is.seconds;
	record_tap_seconds(r->tap, seconds);
	return seconds;
}

static void
on_input(void *cookie, const struct sm_input *in)
{
	struct replay *r = cookie;

	record_tap_input(r->tap, in);
}

static void
on_route(void *cookie, struct sm_work *w)
{
	struct replay *r = cookie;

	r->work = w;
}

static uint64_t
on_event(void *cookie, const struct event *e)
{
	struct replay *r = cookie;

	if (r->listener.event != NULL)
		r->listener.event(r->listener.cookie, e, r->now);
	return ++r->told;
}

static void
on_committed(void *cookie, struct view *v)
{
	struct replay *r = cookie;

	if (r->listener.committed != NULL)
		r->listener.committed(r->listener.cookie, v, r->now);
}

static void
ignore_state(void *cookie, const struct state_file *s, bool at_once)
{
	(void)cookie;
	(void)s;
	(void)at_once;
}

static void
ignore_switch(void *cookie, bool on)
{
	(void)cookie;
	(void)on;
}

static void
ignore_text(void *cookie, const char *why)
{
	(void)cookie;
	(void)why;
}

static void
ignore_config(void *cookie, struct config *c, const char *why)
{
	(void)cookie;
	(void)c;
	(void)why;
}

static void
ignore_view(void *cookie, struct view *v)
{
	(void)cookie;
	(void)v;
}

static void
ignore_run(void *cookie, bool ok, const char *why)
{
	(void)cookie;
	(void)ok;
	(void)why;
}

/* ---- cores ---- */

static void
free_core(struct replay *r)
{
	r->work = NULL; /* sm_free frees it */
	sm_free(r->sm);
	r->sm = NULL;
	record_tap_free(r->tap);
	r->tap = NULL;
}

static struct config *
read_config(struct replay *r, const char *yaml)
{
	struct diag_list bad = {0};
	struct config *c = config_parse(
		"recording", yaml, strlen(yaml), registry_modules(), &bad);
	struct buf text = {0};

	if (c == NULL) {
		diag_text(&bad, &text);
		end_broken(r, text.text);
		buf_free(&text);
	}
	diag_free(&bad);
	return c;
}

static void
make_core(struct replay *r, const struct record_begin *b, struct config *c,
	const struct state_file *state)
{
	static const struct record_mask none;

	free_core(r);
	r->report.beyond += r->nasked;
	r->nasked = 0;
	r->tap = record_tap_new(&none, compare_entry, r);
	r->transport.tid_start = b->tid_start;
	r->clock.now = b->now;
	r->clock.wall = b->wall;
	r->now = b->now;
	r->report.begins++;
	if (r->listener.begins != NULL)
		r->listener.begins(r->listener.cookie, b->now);
	r->sm = sm_new(c, state, record_tap_transport(r->tap, &r->transport),
		&r->ops, b->port_guid);
}

/* Have the next entry in r->acted, which lasts. */
static void
read_again(struct replay *r)
{
	r->event.n = 0;
	buf_put(&r->event, r->next, r->nnext);
	(void)record_entry_read(
		(uint8_t *)r->event.text, r->event.n, NULL, &r->acted, NULL);
}

static void
begin_core(struct replay *r)
{
	const struct record_begin *b;
	struct state_file state = {0};
	struct config *c;
	struct reason why;

	read_again(r);
	r->has_next = false;
	b = &r->acted.is.begin;
	c = read_config(r, b->config);
	if (c == NULL)
		return;
	if (state_file_parse(b->state, strlen(b->state), "recorded state",
		    &state, &why) != 0) {
		end_broken(r, why.text);
	} else {
		state.writing = b->writing;
		state.unsaved = b->unsaved;
		state.away = b->away;
		make_core(r, b, c, &state);
		state_file_free(&state);
	}
	config_unref(c);
}

/* ---- events ---- */

static void
apply_input(struct replay *r, struct sm_input *in)
{
	struct sm_work *work = NULL;
	struct config *c = NULL;

	if (in->kind == SM_INPUT_RECONFIGURE) {
		c = read_config(r, r->acted.is.input.config);
		if (c == NULL)
			return;
		in->is.reconfigure.config = c;
	}
	if (in->kind == SM_INPUT_ROUTED) {
		if (r->work == NULL) {
			end_different(r, NULL, 0);
			return;
		}
		work = r->work;
		r->work = NULL;
		work_run(work);
	}
	replay_input(r->sm, in, work);
	config_unref(c);
}

/* There is a core, and it sent the requests of which the next entry has the
 * digest, if it has one. */
static bool
is_on_course(struct replay *r)
{
	if (r->sm == NULL)
		end_broken(r, "it does not begin with the start of a daemon");
	else if (r->entry.kind != RECORD_ANSWER &&
		 record_requests_digest(record_tap_requests(r->tap)) !=
			 r->entry.digest)
		end_other_requests(r);
	return !has_ended(r);
}

static void
act_on_input(struct replay *r)
{
	/* the entry is read over while the core acts on it */
	if (r->entry.kind == RECORD_ANSWER) {
		r->acted = r->entry;
		record_entry_answer(&r->acted, record_tap_requests(r->tap));
	} else {
		read_again(r);
	}
	if (r->acted.is.input.in.now.ns != 0)
		r->now = r->acted.is.input.in.now;
	r->report.inputs++;
	apply_input(r, &r->acted.is.input.in);
}

static void
act_on_entry(struct replay *r)
{
	struct buf why = {0};

	switch (r->entry.kind) {
	case RECORD_BEGIN:
		begin_core(r);
		break;
	case RECORD_INPUT:
	case RECORD_ANSWER:
		if (is_on_course(r))
			act_on_input(r);
		break;
	case RECORD_GAP:
		buf_printf(&why,
			"entries are missing: what follows can be listed, but "
			"not replayed");
		end_broken(r, why.text);
		buf_free(&why);
		break;
	case RECORD_ASKED:
		if (is_on_course(r))
			record_tap_asked(r->tap);
		break;
	case RECORD_SENT:
	case RECORD_SECONDS:
	case RECORD_CLOCK:
		end_different(r, NULL, 0);
		break;
	}
}

/* True if the next entry is an event after this time of day. */
static bool
is_after(const struct replay *r, uint64_t until)
{
	struct mono now = {0};

	if (r->entry.kind == RECORD_BEGIN)
		return r->entry.is.begin.wall > until;
	if (r->entry.kind == RECORD_INPUT || r->entry.kind == RECORD_ANSWER)
		now = r->entry.is.input.in.now;
	return now.ns != 0 && replay_wall(r, now) > until;
}

void
replay_run(struct replay *r, uint64_t until, struct replay_report *out)
{
	while (!has_ended(r) && peek_entry(r) && !is_after(r, until))
		act_on_entry(r);
	*out = r->report;
	if (!has_ended(r) && r->has_next)
		out->end = REPLAY_UNTIL;
	else
		out->beyond += r->nasked;
	out->now = r->now;
	out->wall = replay_wall(r, r->now);
	r->report.why = (struct buf){0};
}

uint64_t
replay_wall(const struct replay *r, struct mono now)
{
	return r->clock.wall == 0
		       ? 0
		       : r->clock.wall + (uint64_t)(now.ns - r->clock.now.ns);
}

struct replay *
replay_new(const struct replay_source *source,
	const struct replay_listener *listener)
{
	struct replay *r = mem_zalloc(1, sizeof(*r));

	r->source = *source;
	r->listener = *listener;
	r->transport.send = answer_send;
	r->ops = (struct sm_ops){
		.cookie = r,
		.input = on_input,
		.route = on_route,
		.save = ignore_state,
		.writing = ignore_switch,
		.set_aside = ignore_text,
		.kept = ignore_config,
		.committed = on_committed,
		.read = ignore_view,
		.finished = ignore_run,
		.stood_by = ignore_text,
		.seconds = answer_seconds,
		.event = on_event,
		.set_issm = ignore_switch,
	};
	return r;
}

void
replay_free(struct replay *r)
{
	if (r == NULL)
		return;
	free_core(r);
	free(r->asked);
	buf_free(&r->event);
	buf_free(&r->report.why);
	free(r);
}
