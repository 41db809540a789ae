#include "sm/transport/ring.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "sm/base/mem.h"

enum { CACHE_LINE = 64 };

/*
 * Indexes only count up; each has a cache line of its own. The producer moves
 * begin only while the ring is empty, and the consumer reads it only while a
 * message waits: the indexes order the two.
 */
struct ring {
	struct transport_msg *msg;
	size_t mask;
	size_t begin; /* the index of the message in msg[0] */
	_Alignas(CACHE_LINE) _Atomic size_t head; /* the consumer's */
	_Alignas(CACHE_LINE) _Atomic size_t tail; /* the producer's */
};

struct ring *
ring_new(size_t cap)
{
	struct ring *r = aligned_alloc(CACHE_LINE, sizeof(*r));

	assert(cap > 0 && (cap & (cap - 1)) == 0);
	if (r == NULL)
		abort();
	r->msg = mem_zalloc(cap, sizeof(*r->msg));
	r->mask = cap - 1;
	r->begin = 0;
	atomic_init(&r->head, 0);
	atomic_init(&r->tail, 0);
	return r;
}

void
ring_free(struct ring *r)
{
	if (r == NULL)
		return;
	free(r->msg);
	free(r);
}

struct transport_msg *
ring_slot(struct ring *r)
{
	size_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
	size_t head = atomic_load_explicit(&r->head, memory_order_acquire);

	if (head == tail)
		r->begin = tail;
	return tail - head > r->mask ? NULL
				     : &r->msg[(tail - r->begin) & r->mask];
}

bool
ring_commit(struct ring *r)
{
	size_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);

	atomic_store(&r->tail, tail + 1);
	return atomic_load(&r->head) == tail;
}

bool
ring_take(struct ring *r, struct transport_msg *m)
{
	size_t head = atomic_load_explicit(&r->head, memory_order_relaxed);

	if (atomic_load(&r->tail) == head)
		return false;
	*m = r->msg[(head - r->begin) & r->mask];
	atomic_store(&r->head, head + 1);
	return true;
}
