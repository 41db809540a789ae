#include "sm/daemon_record.h"

#include <stdlib.h>
#include <time.h>

#include "sm/base/mem.h"
#include "sm/record/record_tap.h"
#include "sm/record/recorder.h"
#include "sm/report/json_util.h"

/* The time of day is noted so often, and after a failure to write it is tried
 * again. */
enum { CLOCK_MS = 60000, AGAIN_MS = 10000 };

struct daemon_record {
	struct record_tap *tap; /* NULL: the core cannot be recorded */
	struct recorder *recorder;
	char *dir;
	uint32_t size; /* MiB */
	double began;
	struct mono clock; /* when it was noted last */
	daemon_record_told *told;
	void *cookie;
};

static uint64_t
wall_now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

struct daemon_record *
daemon_record_new(struct loop *l, const struct config *c,
	daemon_record_told *told, void *cookie, struct reason *why)
{
	struct daemon_record *r;
	struct record_mask mask = record_mask_new();

	why->text[0] = '\0';
	if (c->record.dir[0] == '\0')
		return NULL;
	r = mem_zalloc(1, sizeof(*r));
	r->told = told;
	r->cookie = cookie;
	r->recorder = recorder_new(l,
		&(struct recorder_job){.dir = c->record.dir,
			.room = (uint64_t)c->record.size << 20,
			.recording = wall_now(),
			.again = mono_ms(AGAIN_MS),
			.told = told,
			.cookie = cookie},
		why);
	if (r->recorder == NULL) {
		free(r);
		return NULL;
	}
	r->dir = mem_strdup(c->record.dir);
	r->size = c->record.size;
	r->tap = record_tap_new(&mask, recorder_put, r->recorder);
	return r;
}

struct transport *
daemon_record_begin(struct daemon_record *r, const struct config *c,
	const struct state_file *state, struct transport *t, uint64_t port_guid)
{
	uint64_t wall = wall_now();
	struct transport *through;
	struct reason why;

	if (r == NULL)
		return t;
	r->began = (double)wall / 1e9;
	r->clock = loop_now();
	through = record_tap_transport(r->tap, t);
	if (record_tap_begin(
		    r->tap, c, state, port_guid, r->clock, wall, &why) == 0)
		return through;
	r->told(r->cookie, why.text);
	record_tap_free(r->tap);
	r->tap = NULL;
	return t;
}

void
daemon_record_input(struct daemon_record *r, const struct sm_input *in)
{
	if (r == NULL || r->tap == NULL)
		return;
	if (mono_before(mono_add(r->clock, mono_ms(CLOCK_MS)), in->now)) {
		r->clock = in->now;
		record_tap_clock(r->tap, in->now, wall_now());
	}
	record_tap_input(r->tap, in);
}

void
daemon_record_seconds(struct daemon_record *r, uint64_t seconds)
{
	if (r != NULL && r->tap != NULL)
		record_tap_seconds(r->tap, seconds);
}

json_t *
daemon_record_json(struct daemon_record *r)
{
	struct recorder_status is;

	if (r == NULL)
		return json_pack("{s:n}", "dir");
	if (r->tap != NULL)
		record_tap_asked(r->tap);
	recorder_flush(r->recorder, &is);
	return json_util_object(M("dir", r->dir), M("size", r->size),
		M("began", r->began), M("put", is.entries),
		M("written", is.written), M("missing", is.lost),
		M("bytes", is.bytes), M("segments", is.segments),
		M("trouble", is.why));
}

void
daemon_record_free(struct daemon_record *r)
{
	if (r == NULL)
		return;
	record_tap_free(r->tap);
	recorder_free(r->recorder);
	free(r->dir);
	free(r);
}
