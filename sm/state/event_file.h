/*
 * event_file: events on disk, bounded, a line of JSON each, which a person or
 * any tool can read:
 *
 *	heddle-events 1
 *	{"seq":17,"time":"2026-11-26T14:40:19.512330Z","kind":"change",...}
 *
 * Two segments in state.dir: `events`, to which is appended, and `events.1`,
 * which it becomes when it has half of the room. A line that was written is
 * there whatever ends the daemon, since it is handed to the kernel at once. A
 * segment that was cut in the middle, by a machine that lost power, is read up
 * to the cut, and what follows a cut is read as well. What is not an event is
 * skipped and counted. A segment of another version is neither read nor
 * extended: it is set aside as `events.other`, over one that is there already.
 */
#ifndef HEDDLE_SM_STATE_EVENT_FILE_H
#define HEDDLE_SM_STATE_EVENT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sm/base/reason.h"

#define EVENT_FILE_NAME "events"
#define EVENT_FILE_FORMER "events.1"
#define EVENT_FILE_OTHER "events.other"

/* ---- writing ---- */

struct event_file;

/*
 * For segments in dir (copied), which is made where it is missing, of together
 * at most this many bytes. The disk is not touched before the first event.
 */
struct event_file *event_file_new(const char *dir, uint64_t most);
void event_file_free(struct event_file *f); /* NULL allowed */

/*
 * Append lines (n bytes, each with its newline). 0, or -1 and why: then none of
 * them is in the file, and they may be appended later. Lines of more than half
 * the room are refused.
 */
int event_file_append(
	struct event_file *f, const char *text, size_t n, struct reason *why);

/* Have all that was appended on the disk itself. 0, or -1 and why. */
int event_file_sync(struct event_file *f, struct reason *why);

/* ---- reading ---- */

/* A line that is an event. */
struct event_file_line {
	uint64_t seq;
	double time;
	const char *text; /* n bytes, without the newline */
	size_t n;
};
typedef void event_file_sink(void *cookie, const struct event_file_line *l);

/* What a segment has beside events. */
struct event_file_faults {
	size_t bad;   /* lines that are no events */
	size_t first; /* number of the first of them */
	bool cut;     /* the last line has no end */
};

/*
 * Tell sink the events of a segment, oldest first. 0, also if there is no file;
 * -1 and why if it cannot be read, or is of another version.
 */
int event_file_read(const char *path, event_file_sink *sink, void *cookie,
	struct event_file_faults *faults, struct reason *why);

#endif
