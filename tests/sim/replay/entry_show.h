/*
 * entry_show: entries of a recording in words, for a person who looks for what
 * happened, or for why a replay took another decision.
 */
#ifndef HEDDLE_TESTS_SIM_REPLAY_ENTRY_SHOW_H
#define HEDDLE_TESTS_SIM_REPLAY_ENTRY_SHOW_H

#include "sm/record/record_entry.h"

/* Append an entry as one line, without its end. */
void entry_show_line(const struct record_entry *e, struct buf *out);

/* Append what differs between an entry of a recording and what was done instead
 * of it (an entry of n bytes), in lines; NULL: nothing was recorded, or done.
 */
void entry_show_difference(const struct record_entry *was, const uint8_t *is,
	size_t n, struct buf *out);

/* Append what the core sent. */
void entry_show_sent(const struct transport_msg *m, struct buf *out);

#endif
