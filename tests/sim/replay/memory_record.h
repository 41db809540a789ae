/*
 * memory_record: a recording in memory, for tests that live something and live
 * it again in one process.
 */
#ifndef HEDDLE_TESTS_SIM_REPLAY_MEMORY_RECORD_H
#define HEDDLE_TESTS_SIM_REPLAY_MEMORY_RECORD_H

#include "sm/record/record_tap.h"
#include "tests/sim/replay/replay.h"

struct memory_record {
	struct record_tap *tap; /* for world_record */
	uint8_t *bytes;		/* each entry behind its length */
	size_t n, cap;
	size_t at; /* where it is read */
};

/* mask: whether keys are masked. The address is kept: m must not move. */
void memory_record_begin(struct memory_record *m, bool mask);
void memory_record_free(struct memory_record *m);

/* Replay all of it. 0: the same decisions, and all of them recorded; -1 and
 * why. out may be NULL. */
int memory_record_replay(struct memory_record *m,
	const struct replay_listener *listener, struct replay_report *out,
	struct reason *why);

#endif
