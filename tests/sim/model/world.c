#include "tests/sim/model/world.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "routing/driver/registry.h"
#include "sm/base/log.h"
#include "sm/base/mem.h"
#include "sm/report/status_json.h"

static void
on_route(void *cookie, struct sm_work *work)
{
	struct world *w = cookie;

	assert(w->work == NULL);
	w->work = work;
	w->work_due = mono_add(sim_now(w->sim), w->route_delay);
}

void
world_forget(struct world *w)
{
	state_file_free(&w->saved);
}

/* The virtual clock starts in November 2025. */
#define BEGIN_SECONDS UINT64_C(1763722111)

static uint64_t
on_seconds(void *cookie)
{
	const struct world *w = cookie;
	uint64_t seconds =
		BEGIN_SECONDS + (uint64_t)mono_seconds(sim_now(w->sim));

	if (w->tap != NULL)
		record_tap_seconds(w->tap, seconds);
	return seconds;
}

static void
on_input(void *cookie, const struct sm_input *in)
{
	const struct world *w = cookie;

	if (w->tap != NULL)
		record_tap_input(w->tap, in);
}

/* What a file would keep of it: as text, and read again. */
static void
on_save(void *cookie, const struct state_file *s, bool at_once)
{
	struct world *w = cookie;
	bool writing = w->saved.writing;
	struct reason why = {""};
	struct buf text = {0};

	(void)at_once;
	world_forget(w);
	state_file_print(s, &text);
	if (state_file_parse(text.text, text.n, "state", &w->saved, &why) != 0)
		log_error("world: %s", why.text);
	assert(why.text[0] == '\0');
	w->saved.writing = writing;
	buf_free(&text);
}

static void
on_aside(void *cookie, const char *why)
{
	(void)why;
	world_forget(cookie);
}

static void
on_kept(void *cookie, struct config *c, const char *why)
{
	struct world *w = cookie;

	config_unref(w->config);
	w->config = config_ref(c);
	w->kept++;
	(void)snprintf(w->last_why, sizeof(w->last_why), "%s", why);
}

static void
on_writing(void *cookie, bool on)
{
	struct world *w = cookie;

	w->saved.writing = on;
}

static void
on_read(void *cookie, struct view *v)
{
	struct world *w = cookie;

	(void)v;
	w->reads++;
}

static void
on_committed(void *cookie, struct view *v)
{
	struct world *w = cookie;
	struct buf line = {0};

	status_line(v, &line);
	log_debug(
		"world: now=%.6f %s", mono_seconds(sim_now(w->sim)), line.text);
	buf_free(&line);
	w->commits++;
	if (w->told != NULL)
		w->told(w->told_cookie, v);
}

static void
on_finished(void *cookie, bool ok, const char *why)
{
	struct world *w = cookie;

	w->runs++;
	w->runs_failed += ok ? 0 : 1;
	log_debug("world: now=%.6f finished %s", mono_seconds(sim_now(w->sim)),
		ok ? "well" : why);
	(void)snprintf(w->last_why, sizeof(w->last_why), "%s", why);
}

static void
on_stood_by(void *cookie, const char *why)
{
	struct world *w = cookie;

	w->runs++;
	w->stood_by++;
	log_debug("world: now=%.6f %s", mono_seconds(sim_now(w->sim)), why);
	(void)snprintf(w->last_why, sizeof(w->last_why), "%s", why);
}

static void
note_end(const struct event *e, struct world_event *out)
{
	const struct event_field *field = event_kind_row(e->kind)->field;

	for (size_t i = 0; i < EVENT_FIELDS && field[i].name != NULL; i++)
		if (field[i].type == EVENT_END && e->value[i].is_set) {
			out->guid = e->value[i].is.end->guid;
			out->port = e->value[i].is.end->port;
			return;
		}
}

static uint64_t
on_event(void *cookie, const struct event *e)
{
	struct world *w = cookie;
	struct buf text = {0};

	event_print(e, &text);
	log_debug(
		"world: now=%.6f %s", mono_seconds(sim_now(w->sim)), text.text);
	w->event = mem_grow(
		w->event, w->nevents, &w->cap_events, sizeof(*w->event));
	w->event[w->nevents] =
		(struct world_event){.kind = e->kind, .text = text.text};
	note_end(e, &w->event[w->nevents]);
	w->nevents++;
	if (w->heard != NULL)
		w->heard(w->heard_cookie, &w->event[w->nevents - 1]);
	return w->nevents;
}

static void
on_issm(void *cookie, bool on)
{
	struct world *w = cookie;

	sim_set_issm(w->ep, on);
}

static struct mono
cpu_now(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (struct mono){
		(int64_t)ts.tv_sec * 1000000000 + (int64_t)ts.tv_nsec};
}

/* Around each call into the core: CPU time at its begin, and its account. */
static struct mono
core_begin(const struct world *w)
{
	return w->timed ? cpu_now() : (struct mono){0};
}

static void
core_end(struct world *w, struct mono began)
{
	struct mono took = mono_sub(core_begin(w), began);
	struct sm_status s;

	if (!mono_before(w->longest, took))
		return;
	sm_status(w->sm, &s);
	w->longest = took;
	w->longest_to = s.phase;
}

static void
on_message(void *cookie, const struct transport_msg *m, struct mono now)
{
	struct world *w = cookie;
	struct mono began = core_begin(w);

	if (w->sm == NULL || w->stopped)
		return;
	sm_receive(w->sm, m, now);
	core_end(w, began);
}

static struct config *
read_config(const char *yaml)
{
	struct diag_list bad = {0};
	struct buf text = {0};
	struct config *c;

	c = config_parse(
		"world.yaml", yaml, strlen(yaml), registry_modules(), &bad);
	if (c == NULL) {
		diag_text(&bad, &text);
		(void)fprintf(stderr, "%s\n", text.text);
		abort();
	}
	diag_free(&bad);
	return c;
}

/* A daemon on this fabric, not started. */
static struct world *
make_world(
	const struct fabric *f, struct sim *s, uint32_t host, const char *yaml)
{
	struct world *w = mem_zalloc(1, sizeof(*w));

	w->fabric = f;
	w->sim = s;
	w->host = host;
	w->ep = sim_attach(w->sim, w->host, 1, on_message, w);
	w->config = read_config(yaml != NULL ? yaml : "");
	w->ops = (struct sm_ops){
		.cookie = w,
		.input = on_input,
		.route = on_route,
		.save = on_save,
		.writing = on_writing,
		.set_aside = on_aside,
		.kept = on_kept,
		.committed = on_committed,
		.read = on_read,
		.finished = on_finished,
		.stood_by = on_stood_by,
		.seconds = on_seconds,
		.event = on_event,
		.set_issm = on_issm,
	};
	return w;
}

struct world *
world_new(const struct fabric *f, const struct sim_options *o, const char *yaml)
{
	return make_world(f, sim_new(f, o), fabric_first_host(f), yaml);
}

struct world *
world_beside(struct world *w, uint32_t host, const char *yaml)
{
	assert(w->beside == NULL);
	w->beside = make_world(w->fabric, w->sim, host, yaml);
	return w->beside;
}

void
world_kill(struct world *w)
{
	w->work = NULL; /* sm_free frees it */
	sm_free(w->sm);
	w->sm = NULL;
}

static void
free_daemon(struct world *w)
{
	world_kill(w);
	config_unref(w->config);
	world_forget(w);
	for (size_t i = 0; i < w->nevents; i++)
		free(w->event[i].text);
	free(w->event);
	free(w);
}

void
world_free(struct world *w)
{
	struct sim *s;

	if (w == NULL)
		return;
	s = w->sim;
	world_kill(w);
	if (w->beside != NULL)
		free_daemon(w->beside);
	free_daemon(w);
	sim_free(s);
}

void
world_elsewhere(struct world *w, uint32_t host)
{
	assert(w->sm == NULL);
	world_forget(w);
	sim_detach(w->ep);
	w->host = host;
	w->ep = sim_attach(w->sim, host, 1, on_message, w);
}

void
world_record(struct world *w, struct record_tap *tap)
{
	w->tap = tap;
}

static struct transport *
begin_record(struct world *w, struct transport *t, uint64_t guid)
{
	struct mono now = sim_now(w->sim);
	struct reason why;

	t = record_tap_transport(w->tap, t);
	if (record_tap_begin(w->tap, w->config, &w->saved, guid, now,
		    BEGIN_SECONDS * 1000000000 + (uint64_t)now.ns, &why) != 0) {
		(void)fprintf(stderr, "%s\n", why.text);
		abort();
	}
	return t;
}

void
world_start(struct world *w)
{
	struct transport *t = sim_transport(w->ep);
	uint64_t guid = fabric_port(w->fabric, w->host, 1)->guid;

	if (w->tap != NULL)
		t = begin_record(w, t, guid);
	w->sm = sm_new(w->config, &w->saved, t, &w->ops, guid);
	sm_start(w->sm, sim_now(w->sim));
}

void
world_take_config(struct world *w, struct config *c)
{
	struct config_changes ch;

	config_diff(w->config, c, &ch);
	config_unref(w->config);
	w->config = config_ref(c);
	if (w->sm != NULL)
		sm_reconfigure(w->sm, c, &ch, sim_now(w->sim));
	config_changes_free(&ch);
}

void
world_reload(struct world *w, const char *yaml)
{
	struct config *c = read_config(yaml);

	world_take_config(w, c);
	config_unref(c);
}

/* The next event of a daemon: a timer, or its worker. */
static struct mono
next_of_daemon(const struct world *w)
{
	struct mono t = MONO_NEVER;

	if (w->sm != NULL && !w->stopped)
		t = mono_min(t, sm_next(w->sm));
	if (w->work != NULL && !w->stopped)
		t = mono_min(t, w->work_due);
	return t;
}

static struct mono
next_event(const struct world *w)
{
	struct mono t = sim_next(w->sim);

	for (; w != NULL; w = w->beside)
		t = mono_min(t, next_of_daemon(w));
	return t;
}

static void
run_daemon(struct world *w, struct mono t)
{
	struct sm_work *work = w->work;

	if (w->stopped)
		return;
	if (work != NULL && !mono_before(t, w->work_due)) {
		struct mono began = cpu_now();

		w->work = NULL;
		work_run(work);
		w->cpu = mono_add(w->cpu, mono_sub(cpu_now(), began));
		began = core_begin(w);
		sm_routed(w->sm, work, t);
		core_end(w, began);
	}
	if (w->sm != NULL && !mono_before(t, sm_next(w->sm))) {
		struct mono began = core_begin(w);

		sm_tick(w->sm, t);
		core_end(w, began);
	}
}

void
world_run(struct world *w, struct mono duration)
{
	struct mono end = mono_add(sim_now(w->sim), duration);
	struct mono t;

	for (;;) {
		t = next_event(w);
		if (mono_before(end, t))
			break;
		if (mono_before(t, sim_now(w->sim)))
			t = sim_now(w->sim);
		sim_run_until(w->sim, t);
		for (struct world *d = w; d != NULL; d = d->beside)
			run_daemon(d, t);
	}
	sim_run_until(w->sim, end);
}

static bool
is_settled(const struct world *w)
{
	struct sm_status s;

	if (w->sm == NULL)
		return true;
	sm_status(w->sm, &s);
	return (s.phase == SM_IDLE || s.phase == SM_STANDBY) && !s.dirty;
}

bool
world_settle(struct world *w, struct mono limit)
{
	struct mono end = mono_add(sim_now(w->sim), limit);
	struct mono calm = mono_ms(500);

	while (mono_before(sim_now(w->sim), end)) {
		unsigned runs = w->runs;

		world_run(w, calm);
		if (is_settled(w) && w->runs == runs && runs > 0)
			return true;
	}
	return false;
}
