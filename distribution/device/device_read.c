#include "distribution/device/device_read.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "distribution/device/device_request.h"
#include "distribution/device/device_write.h"
#include "sm/base/mem.h"
#include "sm/mad/mad.h"

struct device_read {
	struct device_reading in;
	struct device_job *job;
	size_t n, cap, next, added;
	uint8_t *misses; /* [nports] jobs in a row without an answer */
	unsigned inflight;
	bool stopped;
	bool over; /* there was no more */
};

struct device_read *
device_read_new(const struct device_reading *in)
{
	struct device_read *r = mem_zalloc(1, sizeof(*r));

	r->in = *in;
	(void)topo_ref(in->topo);
	r->misses = mem_zalloc(in->topo->nports, sizeof(*r->misses));
	return r;
}

void
device_read_free(struct device_read *r)
{
	if (r == NULL)
		return;
	assert(r->inflight == 0);
	topo_unref(r->in.topo);
	free(r->job);
	free(r->misses);
	free(r);
}

void
device_read_add(struct device_read *r, const struct device_job *job)
{
	if (r->next == r->n)
		r->next = r->n = 0;
	r->job = mem_grow(r->job, r->n, &r->cap, sizeof(*r->job));
	r->job[r->n++] = *job;
	r->added++;
}

bool
device_read_idle(const struct device_read *r)
{
	return r->inflight == 0;
}

bool
device_read_done(const struct device_read *r)
{
	return r->inflight == 0 && r->next == r->n &&
	       (r->stopped || r->in.more == NULL || r->over);
}

void
device_read_stop(struct device_read *r, struct mono now)
{
	r->next = r->n;
	r->stopped = true;
	xact_cancel(r->in.x, r, now);
}

size_t
device_read_added(const struct device_read *r)
{
	return r->added;
}

/* A job as the tag of its request, and back. */
static uint64_t
tag_of_job(const struct device_job *j)
{
	return (uint64_t)(j->port & 0xffffff) << 40 | (uint64_t)j->attr << 36 |
	       (uint64_t)j->mode << 34 | (uint64_t)(j->why & 15) << 30 |
	       (j->block & 0x3fffffff);
}

static struct device_job
job_of_tag(uint64_t tag)
{
	return (struct device_job){.port = (port_ix)(tag >> 40),
		.attr = (enum device_attr)(tag >> 36 & 15),
		.mode = (enum device_read_mode)(tag >> 34 & 3),
		.why = (uint8_t)(tag >> 30 & 15),
		.block = tag & 0x3fffffff};
}

struct device_at
device_read_at(const struct device_read *r, const struct device_job *job)
{
	const struct topo_port *p = &r->in.topo->port[job->port];

	return (struct device_at){
		r->in.topo->node[p->node].guid, job->attr, p->num, job->block};
}

static bool
is_recorded(const struct device_job *j)
{
	return j->mode != DEVICE_READ_LOOK &&
	       device_attribute[j->attr].bytes > 0;
}

static enum device_verdict
record_answer(
	struct device_read *r, const struct device_job *j, const uint8_t *data)
{
	struct device_at at = device_read_at(r, j);
	const struct topo *t = r->in.topo;
	enum device_verdict v = DEVICE_NEWS;
	const uint8_t *known;

	if (!is_recorded(j))
		return v;
	known = device_bytes(r->in.hw, at);
	if (known != NULL)
		v = device_attribute_lacks(
			    j->attr, t, j->port, j->block, data, known) == 0
			    ? DEVICE_SAME
			    : DEVICE_DIFFERS;
	if (j->mode != DEVICE_READ_COMPARE || v == DEVICE_DIFFERS)
		device_record(r->in.hw, t, j->port, at, data);
	return v;
}

/* How many answers in a row are missing; of a switch where it is asked as a
 * whole. */
static uint8_t *
misses_of(const struct device_read *r, const struct device_job *j)
{
	const struct topo *t = r->in.topo;

	return &r->misses[device_attribute[j->attr].by_port0
				  ? t->node[t->port[j->port].node].first_port
				  : j->port];
}

static uint8_t
misses_allowed(const struct device_read *r, const struct device_job *j)
{
	return r->in.misses != 0 ? r->in.misses
				 : device_attribute[j->attr].misses;
}

static void
take_answer(void *cookie, uint64_t tag, const struct xact_result *res)
{
	struct device_read *r = cookie;
	struct device_job j = job_of_tag(tag);
	const struct device_attribute *a = &device_attribute[j.attr];
	enum device_verdict v = DEVICE_NO_ANSWER;
	uint8_t *misses = misses_of(r, &j);

	r->inflight--;
	if (res->outcome == XACT_CANCELLED) {
		v = DEVICE_CANCELLED;
	} else if (res->outcome == XACT_OK) {
		*misses = 0;
		v = record_answer(r, &j, res->data);
	} else if (res->outcome == XACT_TIMEOUT || a->refusal_ends) {
		*misses =
			(uint8_t)(*misses + (*misses < misses_allowed(r, &j)));
	}
	if (r->in.taken != NULL)
		r->in.taken(r->in.self, &j, v, res);
}

/* Whether the job is to be asked for still. */
static bool
is_wanted(const struct device_read *r, const struct device_job *j)
{
	uint8_t most = misses_allowed(r, j);

	if (j->mode == DEVICE_READ_COMPARE)
		return true;
	return (most == 0 || *misses_of(r, j) < most) &&
	       (j->mode != DEVICE_READ_UNKNOWN ||
		       device_bytes(r->in.hw, device_read_at(r, j)) == NULL);
}

void
device_read_feed(struct device_read *r, struct mono now)
{
	while (!r->stopped && xact_room(r->in.x)) {
		struct xact_request q;
		struct device_job j;

		if (r->next == r->n) {
			r->over = r->in.more == NULL ||
				  !r->in.more(r->in.self, r);
			if (r->over)
				return;
			continue;
		}
		j = r->job[r->next++];
		if (!is_wanted(r, &j) ||
			device_request_block(
				r->in.topo, j.port, j.attr, j.block, &q) != 0)
			continue;
		q.method = MAD_GET;
		if (is_recorded(&j))
			device_expect(r->in.hw, device_read_at(r, &j));
		r->inflight++;
		xact_submit(r->in.x, &q, now, take_answer, r, tag_of_job(&j));
	}
}
