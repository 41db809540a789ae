/*
 * ring: messages from one thread to one other, without a lock. The producer
 * fills a slot in place and commits it; the consumer copies it out. A wake-up
 * is owed exactly when the consumer may have seen the ring empty: both sides
 * write their own index and then read the other's, sequentially consistent, so
 * at least one of them notices. An empty ring begins at its first slot again:
 * it touches as much memory as messages ever waited, not its whole capacity.
 */
#ifndef HEDDLE_SM_TRANSPORT_RING_H
#define HEDDLE_SM_TRANSPORT_RING_H

#include <stdbool.h>
#include <stddef.h>

#include "sm/transport/transport.h"

struct ring;

/* A ring of cap messages; cap is a power of two. */
struct ring *ring_new(size_t cap);

/* Free a ring that both threads are done with. NULL allowed. */
void ring_free(struct ring *r);

/* Producer: the slot to fill next; NULL when the ring is full. */
struct transport_msg *ring_slot(struct ring *r);

/* Producer: hand over the slot; true when the consumer must be woken. */
bool ring_commit(struct ring *r);

/* Consumer: the oldest message into *m; false when there is none. */
bool ring_take(struct ring *r, struct transport_msg *m);

#endif
