/*
 * event_journal: an event as fields for journald(8): its text as MESSAGE, the
 * MESSAGE_ID of its kind, PRIORITY, HEDDLE_EVENT (the kind), HEDDLE_SEQ (its
 * number), and HEDDLE_NAME for each field NAME that has a value; an end has
 * _GUID, _NAME and _PORT behind that.
 */
#ifndef HEDDLE_SM_EVENT_EVENT_JOURNAL_H
#define HEDDLE_SM_EVENT_EVENT_JOURNAL_H

#include <stddef.h>
#include <stdint.h>

#include "sm/base/buf.h"
#include "sm/event/event.h"

/* Append the fields, "KEY=value" with a zero byte behind each; their number. */
size_t event_journal_fields(
	const struct event *e, uint64_t seq, struct buf *out);

#endif
