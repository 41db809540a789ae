/* The path probe, which finds the down link behind requests that time out, on a
 * scripted path of four hops. */
#include "discovery/sweep/path_probe.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "tests/unit/suite.h"

enum { HOPS = 4 };

struct env {
	struct transport t;
	struct xact *x;
	struct path_probe *probe;
	struct mono now;
	unsigned silent_from; /* nodes this many hops away are silent */
	unsigned down; /* the port after this many hops is down; 99: none */
	struct transport_msg sent[64];
	size_t n;
	unsigned found, found_hops;
	unsigned outcome[8], done;
	bool cut;
};

static int
on_send(struct transport *t, const struct transport_msg *m)
{
	struct env *e = (struct env *)(void *)t;

	ck_assert_uint_lt(e->n, 64);
	e->sent[e->n++] = *m;
	return 0;
}

static void
on_found(void *cookie, const uint8_t path[64], unsigned hops, struct mono now)
{
	struct env *e = cookie;

	(void)now;
	e->found++;
	e->found_hops = hops;
	ck_assert_uint_eq(path[hops + 1], hops + 10);
	ck_assert_uint_eq(e->done, 0); /* on_found() comes first */
}

static void
on_done(void *cookie, uint64_t tag, const struct xact_result *res)
{
	struct env *e = cookie;

	e->outcome[tag] = res->outcome;
	e->cut = res->cut;
	e->done++;
}

static void
on_late(void *cookie, const void *owner, const struct xact_request *r,
	struct mono now)
{
	struct env *e = cookie;

	path_probe_late(e->probe, owner, r, 1, now);
}

/* Delivers the answers of all nodes that are not silent. */
static void
answer_pending(struct env *e)
{
	for (size_t k = 0; k < e->n; k++) {
		struct transport_msg m = e->sent[k];
		struct mad_port_info pi = {.state = 4, .phys_state = 5};
		struct smp s;

		ck_assert_int_eq(smp_decode(m.mad, m.len, &s, NULL), 0);
		if (s.hop_cnt >= e->silent_from)
			continue;
		ck_assert_uint_eq(s.attr, MAD_PORT_INFO);
		ck_assert_uint_eq(s.mod, s.hop_cnt + 10U);
		if (s.hop_cnt >= e->down) {
			pi.state = 1;
			pi.phys_state = 2;
		}
		mad_port_info_encode(&pi, s.data);
		s.method = MAD_GET_RESP;
		s.response = true;
		smp_encode(&s, m.mad);
		(void)xact_input(e->x, &m, &s, e->now);
	}
}

static struct env *
env_new(unsigned silent_from, unsigned down)
{
	const struct xact_options o = {.timeout = mono_ms(200),
		.retries = 3,
		.window_start = 32,
		.window_max = 32,
		.target_max = 4};
	struct env *e = mem_zalloc(1, sizeof(*e));

	e->t.send = on_send;
	e->x = xact_new(&o, &e->t);
	e->probe = path_probe_new(e->x, on_found, e);
	xact_on_late(e->x, on_late, e);
	e->now = mono_ms(1000);
	e->silent_from = silent_from;
	e->down = down;
	return e;
}

static void
env_free(struct env *e)
{
	xact_on_late(e->x, NULL, NULL);
	xact_cancel_all(e->x, e->now);
	path_probe_free(e->probe);
	xact_free(e->x);
	free(e);
}
AUTO_POINTER(env, struct env, env_free)

static void
submit_request(struct env *e, uint64_t tag)
{
	struct xact_request r = {.method = MAD_GET,
		.attr = MAD_NODE_INFO,
		.target = 5,
		.hops = HOPS,
		.path = {0, 10, 11, 12, 13}};

	xact_submit(e->x, &r, e->now, on_done, e, tag);
}

static void
tick_at(struct env *e, int64_t ms)
{
	e->now = mono_ms(ms);
	xact_tick(e->x, e->now);
}

/* At any position of the down link: requests beyond it end, and it is found. */
LOOP_TEST(finds, 1, HOPS)
{
	unsigned down = (unsigned)_i;
	AUTO(env) struct env *e = env_new(down + 1, down);

	submit_request(e, 0);
	submit_request(e, 1);
	tick_at(e, 1010);
	ck_assert_uint_eq(e->n, 2 + HOPS - 1);
	answer_pending(e);
	ck_assert_uint_eq(e->found, 1);
	ck_assert_uint_eq(e->found_hops, down);
	ck_assert_uint_eq(e->done, 2);
	ck_assert_uint_eq(e->outcome[0], XACT_TIMEOUT);
	ck_assert(e->cut);
	ck_assert_uint_eq(xact_pending(e->x), 0);
}

/* A silent node behind links that are up is asked with all its retries. */
TEST(hung)
{
	AUTO(env) struct env *e = env_new(HOPS, 99);
	int64_t t;

	submit_request(e, 0);
	for (t = 1010; t < 3999; t++) {
		tick_at(e, t);
		answer_pending(e);
		e->n = 0;
		ck_assert_uint_eq(e->done, 0);
	}
	tick_at(e, 4000);
	ck_assert_uint_eq(e->done, 1);
	ck_assert_uint_eq(e->found, 0);
	ck_assert(!e->cut);
}

/* The requests of the probe itself start no further probe, and a path is probed
 * once at a time. */
TEST(once)
{
	AUTO(env) struct env *e = env_new(1, 99);

	submit_request(e, 0);
	submit_request(e, 1);
	tick_at(e, 1010);
	tick_at(e, 1030);
	ck_assert_uint_eq(e->n, 2 + HOPS - 1);
}
