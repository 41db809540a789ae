/*
 * The trace of Sets: what was held, what was sent, what was answered; silence,
 * and requests that are no Sets.
 */
#include <check.h>
#include <string.h>

#include "sm/base/be.h"
#include "tests/sim/model/smp_bench.h"
#include "tests/unit/suite.h"

enum { KEY = 0x1234 };

struct seen {
	unsigned n;
	struct sim_set last;
};

static void
take_set(void *cookie, const struct sim_set *t)
{
	struct seen *seen = cookie;

	seen->n++;
	seen->last = *t;
}

static struct bench
traced_bench(struct seen *seen)
{
	struct bench b = smp_bench_new(smp_bench_line(), NULL);

	*seen = (struct seen){0};
	sim_trace(b.s, take_set, seen);
	return b;
}

TEST(sets_are_told)
{
	struct seen seen;
	AUTO(smp_bench) struct bench b = traced_bench(&seen);
	struct mad_port_info pi;

	smp_bench_attach(&b);
	pi = smp_bench_port_info(&b, "\1", 1);
	ck_assert_uint_eq(seen.n, 0);
	ck_assert_uint_eq(pi.hoq_life, 0);
	pi.state = pi.phys_state = 0;
	pi.hoq_life = 16;
	mad_port_info_encode(&pi, b.last.data);
	ck_assert(smp_bench_ask(&b, "\1", MAD_SET, MAD_PORT_INFO, 1));
	ck_assert_uint_eq(seen.n, 1);
	ck_assert_uint_eq(seen.last.node, fabric_find(b.f, "sw0"));
	ck_assert_uint_eq(seen.last.attr, MAD_PORT_INFO);
	ck_assert_uint_eq(seen.last.mod, 1);
	ck_assert_uint_eq(seen.last.port, 1);
	ck_assert(seen.last.answered && seen.last.has_before);
	ck_assert_uint_eq(seen.last.status, 0);
	mad_port_info_decode(seen.last.before, &pi, NULL);
	ck_assert_uint_eq(pi.hoq_life, 0);
	mad_port_info_decode(seen.last.data, &pi, NULL);
	ck_assert_uint_eq(pi.hoq_life, 16);
	/* one that is refused, and none after the end */
	ck_assert(smp_bench_ask(&b, "\1", MAD_SET, MAD_LFT, 0xffff));
	ck_assert_uint_eq(seen.n, 2);
	ck_assert_uint_eq(seen.last.status, MAD_STATUS_FIELD);
	ck_assert(!seen.last.has_before);
	sim_trace(b.s, NULL, NULL);
	ck_assert(smp_bench_ask(&b, "\1", MAD_SET, MAD_LFT, 0));
	ck_assert_uint_eq(seen.n, 2);
}

TEST(silence_is_told)
{
	struct seen seen;
	AUTO(smp_bench) struct bench b = traced_bench(&seen);
	struct mad_port_info pi;

	smp_bench_attach(&b);
	pi = smp_bench_port_info(&b, "\1", 0);
	pi.lid = 2;
	pi.sm_lid = 1;
	pi.mkey = KEY;
	pi.mkey_prot = 1;
	pi.state = pi.phys_state = 0;
	mad_port_info_encode(&pi, b.last.data);
	ck_assert(smp_bench_ask(&b, "\1", MAD_SET, MAD_PORT_INFO, 0));
	ck_assert(seen.last.answered);
	b.last.mkey = KEY + 1;
	ck_assert(!smp_bench_ask(&b, "\1", MAD_SET, MAD_LFT, 0));
	ck_assert_uint_eq(seen.n, 2);
	ck_assert(!seen.last.answered && seen.last.has_before);
	ck_assert_uint_eq(seen.last.mkey, KEY + 1);
}
