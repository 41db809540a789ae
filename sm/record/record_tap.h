/*
 * record_tap: listens at a core. Its owner makes the core with the transport of
 * the tap, and passes on what sm_ops.input and sm_ops.seconds are called with;
 * the tap makes entries of that (record_entry.h) and hands them to a sink: the
 * recorder of the daemon, or a replay that compares them with others.
 *
 *	messages, timers, commands --> core --> transport of the tap --> port
 *	                                 |                |
 *	                       sm_ops.input, seconds      |
 *	                                 v                v
 *	                                 tap --> entries --> sink
 */
#ifndef HEDDLE_SM_RECORD_RECORD_TAP_H
#define HEDDLE_SM_RECORD_RECORD_TAP_H

#include "sm/record/record_entry.h"
#include "sm/state/state_file.h"

struct record_tap;

/* Takes an entry of n bytes, lent for the call. */
typedef void record_sink(void *cookie, const uint8_t *entry, size_t n);

/* A tap that gives its entries to sink; mask is copied. */
struct record_tap *record_tap_new(
	const struct record_mask *mask, record_sink *sink, void *cookie);
void record_tap_free(struct record_tap *tap); /* NULL allowed */

/* The transport that a core is to be made with: it sends through t, which is
 * borrowed. */
struct transport *record_tap_transport(
	struct record_tap *tap, struct transport *t);

/*
 * A core is about to be made of these, at now; wall: nanoseconds since 1970, or
 * 0. 0, or -1 and why: its configuration cannot be masked, and nothing is
 * recorded.
 */
int record_tap_begin(struct record_tap *tap, const struct config *c,
	const struct state_file *state, uint64_t port_guid, struct mono now,
	uint64_t wall, struct reason *why);

/* What sm_ops.input was called with. */
void record_tap_input(struct record_tap *tap, const struct sm_input *in);

/* The requests so far are all that there will be for a while: have their digest
 * recorded, which otherwise comes with a later event. */
void record_tap_asked(struct record_tap *tap);

/* The requests that the core sent, for a replay that reads their answers. */
struct record_requests *record_tap_requests(struct record_tap *tap);

/* What sm_ops.seconds is about to return. */
void record_tap_seconds(struct record_tap *tap, uint64_t seconds);

/* What the time of day is at now. */
void record_tap_clock(struct record_tap *tap, struct mono now, uint64_t wall);

#endif
