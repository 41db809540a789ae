/*
 * recall: what the daemon knows of its last life when it starts.
 *
 * The state file, unless it is another fabric's; how long it was away, told by
 * the machine's uptime where that is possible, because clocks of the day are
 * set; and whether it died while tables were being written. That is a mark of
 * its own beside the state file: it is there from before the first Set leaves
 * until none can be under way any more. It is not synced: who dies with his
 * machine has nothing under way when that is up again.
 *
 * Another mark is there while the state file is not the newest state, because
 * that could not be saved. A full disk has room for it. What such a life had
 * closed meanwhile only the fabric knows.
 */
#ifndef HEDDLE_SM_STATE_PREVIOUS_RUN_H
#define HEDDLE_SM_STATE_PREVIOUS_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/state/state_file.h"

#define PREVIOUS_RUN_MARK "fabric.writing"
#define PREVIOUS_RUN_UNSAVED "fabric.unsaved"

/*
 * Read dir (made where it is missing) into *s (state_file_free); a fabric with
 * another prefix is another fabric: its file is put aside, not used and not
 * overwritten. What is wrong is logged, and why nothing is remembered is in
 * *lost ("": nothing is lost). False: nothing can be saved there.
 */
bool previous_run_load(const char *dir, uint64_t prefix, struct state_file *s,
	struct reason *lost);

/* Now, by the clocks of this machine. */
struct state_file_stamp previous_run_now(void);

/*
 * Seconds from one stamp to another: those of the machine where it was the
 * same boot, else of the clocks; 0 where they went back or say nothing.
 */
uint64_t previous_run_seconds_between(
	const struct state_file_stamp *from, const struct state_file_stamp *to);

/* Set a mark, or take it away. False: that failed. */
bool previous_run_writing(const char *dir, bool on);
bool previous_run_unsaved(const char *dir, bool on);

#endif
