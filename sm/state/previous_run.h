/*
 * previous_run: what the daemon knows of its previous run when it starts.
 *
 * The state file, unless it is of another fabric; how long the daemon was away,
 * by the machine's uptime where that is possible, because clocks can be set;
 * and whether it ended while tables were being written. That is a mark of its
 * own beside the state file: it is there from before the first Set leaves until
 * no Set can be under way any more. It is not synced: if the machine goes down
 * with the daemon, nothing is under way when it is up again.
 *
 * Another mark is there while the state file is not the newest state, because
 * that could not be saved. A full disk has room for a mark. Which pairs such a
 * run blocked meanwhile can only be found in the fabric.
 */
#ifndef HEDDLE_SM_STATE_PREVIOUS_RUN_H
#define HEDDLE_SM_STATE_PREVIOUS_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/state/state_file.h"

#define PREVIOUS_RUN_MARK "fabric.writing"
#define PREVIOUS_RUN_UNSAVED "fabric.unsaved"

/*
 * Read dir (made where it is missing) into *s (state_file_free). A state with
 * another prefix is of another fabric: its file is set aside, not used and not
 * overwritten. What is wrong is logged, and why nothing is remembered is in
 * *lost ("": nothing is lost). False: nothing can be saved there.
 */
bool previous_run_load(const char *dir, uint64_t prefix, struct state_file *s,
	struct reason *lost);

/* Now, by the clocks of this machine. */
struct state_file_stamp previous_run_now(void);

/* Seconds from one stamp to another: by uptime where it is the same boot, else
 * by the clock; 0 where that went back or one is not recorded. */
uint64_t previous_run_seconds_between(
	const struct state_file_stamp *from, const struct state_file_stamp *to);

/* Set a mark, or remove it. False: that failed. */
bool previous_run_writing(const char *dir, bool on);
bool previous_run_unsaved(const char *dir, bool on);

#endif
