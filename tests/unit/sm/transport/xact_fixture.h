/*
 * xact_fixture: transactions on a scripted wire and a virtual clock: what was
 * sent, what the test answers, and the result of each request.
 */
#ifndef HEDDLE_TESTS_UNIT_SM_TRANSPORT_XACT_FIXTURE_H
#define HEDDLE_TESTS_UNIT_SM_TRANSPORT_XACT_FIXTURE_H

#include <stdlib.h>

#include "sm/base/mem.h"
#include "sm/transport/xact.h"
#include "tests/unit/suite.h"

enum { TAGS = 110000, TIMEOUT_MS = 80 };

/* The result of each request, by tag, and the messages sent. */
struct env {
	struct transport t;
	struct transport_msg *sent;
	size_t n, cap;
	bool refuse;
	struct xact *x;
	struct mono now;
	uint8_t calls[TAGS];
	struct xact_result last;
	uint8_t last_data;
	uint64_t last_tag;
	unsigned done;
	void (*hook)(struct env *e);
	unsigned late; /* calls of on_late() */
	struct xact_request late_one;
};

static inline int
wire_send(struct transport *t, const struct transport_msg *m)
{
	struct env *e = (struct env *)(void *)t;

	if (e->refuse)
		return -1;
	e->sent = mem_grow(e->sent, e->n, &e->cap, sizeof(*e->sent));
	e->sent[e->n++] = *m;
	return 0;
}

static inline void
on_done(void *cookie, uint64_t tag, const struct xact_result *res)
{
	struct env *e = cookie;

	ck_assert_uint_lt(tag, TAGS);
	ck_assert_msg(e->calls[tag] == 0, "tag %lu completed twice",
		(unsigned long)tag);
	ck_assert((res->data != NULL) ==
		  (res->outcome == XACT_OK || res->outcome == XACT_STATUS));
	e->calls[tag]++;
	e->done++;
	e->last = *res;
	e->last.data = NULL;
	e->last_data = res->data != NULL ? res->data[0] : 0;
	e->last_tag = tag;
	if (e->hook != NULL)
		e->hook(e);
}

static inline struct env *
env_new(unsigned window, unsigned window_max, unsigned target_max)
{
	struct env *e = mem_zalloc(1, sizeof(*e));
	struct xact_options o = {.timeout = mono_ms(TIMEOUT_MS),
		.retries = 2,
		.window_start = window,
		.window_max = window_max,
		.target_max = target_max};

	e->t.send = wire_send;
	e->x = xact_new(&o, &e->t);
	e->now = mono_ms(1000);
	return e;
}

static inline void
env_free(struct env *e)
{
	xact_free(e->x);
	free(e->sent);
	free(e);
}
AUTO_POINTER(env, struct env, env_free)

static inline void
submit_get(struct env *e, uint64_t target, uint64_t tag)
{
	struct xact_request r = {.method = MAD_GET,
		.attr = MAD_NODE_INFO,
		.target = target,
		.hops = 2,
		.path = {0, 3, (uint8_t)target}};

	xact_submit(e->x, &r, e->now, on_done, e, tag);
}

static inline struct smp
sent_smp(const struct env *e, size_t k)
{
	struct smp s;

	ck_assert_uint_lt(k, e->n);
	ck_assert_int_eq(
		smp_decode(e->sent[k].mad, e->sent[k].len, &s, NULL), 0);
	return s;
}

/* The answer to the k-th MAD sent. */
static inline struct smp
answer_to(const struct env *e, size_t k)
{
	struct smp s = sent_smp(e, k);

	s.method = MAD_GET_RESP;
	s.response = true;
	s.tid |= UINT64_C(0xabcd) << 32; /* the half that belongs to the wire */
	s.data[0] = (uint8_t)(k + 1);
	return s;
}

static inline bool
deliver_from(struct env *e, uint16_t lid, const struct smp *s, int error)
{
	struct transport_msg m = {
		.addr.lid = lid, .len = MAD_SIZE, .error = error};

	smp_encode(s, m.mad);
	return xact_input(e->x, &m, s, e->now);
}

static inline bool
deliver_smp(struct env *e, const struct smp *s, int error)
{
	return deliver_from(e, 0xffff, s, error);
}

static inline void
send_answer(struct env *e, size_t k)
{
	struct smp s = answer_to(e, k);

	ck_assert(deliver_from(e, e->sent[k].addr.lid, &s, 0));
}

static inline void
answer_status(struct env *e, size_t k, uint16_t status)
{
	struct smp s = answer_to(e, k);

	s.status = status;
	ck_assert(deliver_smp(e, &s, 0));
}

static inline void
give_back(struct env *e, size_t k, int error)
{
	struct smp s = sent_smp(e, k);

	ck_assert(deliver_smp(e, &s, error));
}

static inline void
tick_at(struct env *e, int64_t ms)
{
	e->now = mono_ms(ms);
	xact_tick(e->x, e->now);
}

#endif
