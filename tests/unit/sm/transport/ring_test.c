/* The ring between two threads: order, fullness, no lost wake-up. */
#include "sm/transport/ring.h"
#include "tests/unit/suite.h"

#include <check.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

TEST(fills_and_drains)
{
	struct ring *r = ring_new(4);
	struct transport_msg m;

	ck_assert(!ring_take(r, &m));
	for (uint16_t round = 0; round < 10; round++) {
		for (uint16_t i = 0; i < 4; i++) {
			ring_slot(r)->addr.lid = i;
			ck_assert(ring_commit(r) == (i == 0));
		}
		ck_assert_ptr_null(ring_slot(r));
		for (uint16_t i = 0; i < 4; i++) {
			ck_assert(ring_take(r, &m));
			ck_assert_uint_eq(m.addr.lid, i);
		}
		ck_assert(!ring_take(r, &m));
	}
	ring_free(r);
	ring_free(NULL);
}

/* An empty ring starts at the first slot again, whatever it held before. */
TEST(touches_few)
{
	struct ring *r = ring_new(8);
	const struct transport_msg *first = ring_slot(r);
	struct transport_msg m;

	for (uint16_t i = 0; i < 100; i++) {
		ck_assert_ptr_eq(ring_slot(r), first);
		for (uint16_t k = 0; k < i % 8; k++) {
			ring_slot(r)->addr.lid = k;
			(void)ring_commit(r);
		}
		for (uint16_t k = 0; k < i % 8; k++) {
			ck_assert(ring_take(r, &m));
			ck_assert_uint_eq(m.addr.lid, k);
		}
	}
	ring_free(r);
}

enum { MESSAGES = 200000 };

struct pair {
	struct ring *ring;
	sem_t wake;
};

static void *
produce_messages(void *arg)
{
	struct pair *p = arg;

	for (uint32_t i = 0; i < MESSAGES;) {
		struct transport_msg *m = ring_slot(p->ring);

		if (m == NULL)
			continue;
		m->addr.qpn = i++;
		if (ring_commit(p->ring))
			(void)sem_post(&p->wake);
	}
	return NULL;
}

/* The consumer sleeps whenever it finds nothing: a lost wake-up would hang. */
TEST(two_threads)
{
	struct pair p = {.ring = ring_new(64)};
	struct transport_msg m;
	pthread_t t;
	uint32_t next = 0;

	ck_assert_int_eq(sem_init(&p.wake, 0, 0), 0);
	ck_assert_int_eq(pthread_create(&t, NULL, produce_messages, &p), 0);
	while (next < MESSAGES) {
		(void)sem_wait(&p.wake);
		while (ring_take(p.ring, &m))
			ck_assert_uint_eq(m.addr.qpn, next++);
	}
	(void)pthread_join(t, NULL);
	(void)sem_destroy(&p.wake);
	ring_free(p.ring);
}
