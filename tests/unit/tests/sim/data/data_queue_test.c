/* The data plane's event queue against a plain list. */
#include <check.h>
#include <stdlib.h>

#include "sm/base/rng.h"
#include "tests/sim/data/data_int.h"
#include "tests/unit/suite.h"

struct entry {
	int64_t t;
	uint32_t id;
};

struct list {
	struct entry e[4096];
	uint32_t n;
};

/* Takes the earliest entry before t, of equal ones the first pushed. */
static bool
take_earliest(struct list *l, int64_t t, struct entry *out)
{
	uint32_t best = UINT32_MAX;

	for (uint32_t i = 0; i < l->n; i++) {
		if (l->e[i].t < t &&
			(best == UINT32_MAX || l->e[i].t < l->e[best].t))
			best = i;
	}
	if (best == UINT32_MAX)
		return false;
	*out = l->e[best];
	l->n--;
	for (uint32_t i = best; i < l->n; i++)
		l->e[i] = l->e[i + 1];
	return true;
}

/* Distances of very different kinds, from now to far beyond the wheel. */
static int64_t
random_distance(struct rng *r, unsigned shift)
{
	int64_t wheel = (int64_t)1 << (14 + shift);

	switch (rng_below(r, 6)) {
	case 0:
		return 0;
	case 1:
		return rng_below(r, 5);
	case 2:
		return (int64_t)rng_below(r, 40) << shift;
	case 3:
		return wheel - 3 + rng_below(r, 6);
	case 4:
		return wheel * rng_below(r, 9) + rng_below(r, 3);
	default:
		return (int64_t)(rng_next(r) % (uint64_t)wheel);
	}
}

static void
one_run(uint64_t seed, unsigned shift)
{
	static struct list l;
	struct rng r = {seed};
	struct data_queue q;
	int64_t now = 0;
	uint32_t id = 0;

	l.n = 0;
	data_queue_init(&q, shift);
	for (unsigned i = 0; i < 3000; i++) {
		unsigned burst = rng_below(&r, 40) ? 2 : 300;
		int64_t until = now + random_distance(&r, shift) + 1;
		struct data_event e;
		struct entry want;

		while (burst-- && l.n < 4000) {
			int64_t t = now + random_distance(&r, shift);

			data_queue_push(&q, (struct data_event){
						    .t = t,
						    .a = id,
					    });
			l.e[l.n++] = (struct entry){t, id++};
		}
		for (unsigned k = 0; k < 5 && take_earliest(&l, until, &want);
			k++) {
			ck_assert(data_queue_pop(&q, until, &e));
			ck_assert_msg(e.t == want.t && e.a == want.id,
				"seed %llu: %lld/%u instead of %lld/%u",
				(unsigned long long)seed, (long long)e.t, e.a,
				(long long)want.t, want.id);
			now = e.t;
		}
	}
	ck_assert_uint_gt(q.done, 1000);
	data_queue_free(&q);
}

TEST(it_is_in_order)
{
	for (uint64_t seed = 1; seed <= 12; seed++)
		one_run(seed, (unsigned)seed % 4 * 3);
}

TEST(it_waits_for_its_time)
{
	struct data_queue q;
	struct data_event e;

	data_queue_init(&q, 4);
	ck_assert(!data_queue_pop(&q, INT64_MAX, &e));
	data_queue_push(&q, (struct data_event){.t = 1000000000, .a = 1});
	ck_assert(!data_queue_pop(&q, 1000000000, &e));
	/* earlier than an event that was examined already */
	data_queue_push(&q, (struct data_event){.t = 5, .a = 2});
	ck_assert(data_queue_pop(&q, 1000000001, &e));
	ck_assert_uint_eq(e.a, 2);
	ck_assert(data_queue_pop(&q, 1000000001, &e));
	ck_assert_uint_eq(e.a, 1);
	ck_assert(!data_queue_pop(&q, INT64_MAX, &e));
	data_queue_free(&q);
}
