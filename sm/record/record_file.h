/*
 * record_file: a recording on disk: segments in one directory, of bounded room.
 *
 *	record-18a7c0de12345678-000000
 *	       recording        segment
 *
 * Each core that begins makes a recording of its own, named for the time of
 * day. A segment begins with a line,
 *
 *	heddle-record 5 0.1.0 18a7c0de12345678 0
 *
 * (version of the format, of the program, recording, number of the segment) and
 * goes on with frames: length and checksum (big-endian, 4 and 8 bytes), and
 * that many bytes of a zstd stream, which is flushed at the end of each frame,
 * so that all frames that were written can be read, whatever ends the daemon.
 * The stream holds entries (record_entry.h), each behind its length (4 bytes);
 * no entry is in two segments.
 *
 * Where the room is used up the oldest segments go. A core cannot be made from
 * the middle of its life, so that the first segment of the present recording
 * stays; behind it there is a gap then, and what follows can be listed, but not
 * replayed. A restart of the daemon begins a new recording.
 *
 * Folder sm/record: what comes into a core, and what it sends -> entries ->
 * segments -> bundles, from which tests/sim/replay lives it again. Callers:
 * sm/main.c records; heddlectl record makes bundles. Read next:
 * sm/record/record_tap.h, then sm/record/recorder.h.
 */
#ifndef HEDDLE_SM_RECORD_RECORD_FILE_H
#define HEDDLE_SM_RECORD_RECORD_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "sm/base/reason.h"

#define RECORD_FILE_WORD "heddle-record"
enum { RECORD_FILE_FORMAT = 5 };

/* Bytes of a frame before its content, and of its content at most. */
enum { RECORD_FILE_FRAME = 12, RECORD_FILE_CONTENT_MAX = 512 << 20 };

/* What the name of a segment says. */
struct record_file_segment {
	uint64_t recording, number;
	uint64_t size; /* bytes */
};

struct record_file_list {
	struct record_file_segment *segment; /* oldest first */
	size_t n;
};

/* The segments in dir; free with record_file_list_free. 0, or -1 and why. */
int record_file_list(
	const char *dir, struct record_file_list *out, struct reason *why);
void record_file_list_free(struct record_file_list *l);

/* The name of a segment in its directory. */
enum { RECORD_FILE_NAME = 48 };
void record_file_name(
	const struct record_file_segment *s, char name[RECORD_FILE_NAME]);

/* The checksum of a frame's content. */
uint64_t record_file_checksum(const uint8_t *content, size_t n);

struct record_file;

/* A new recording, named for this time of day (nanoseconds since 1970), in dir
 * (copied), whose segments shall take together at most `room` bytes. The disk
 * is not touched yet. */
struct record_file *record_file_new(
	const char *dir, uint64_t room, uint64_t recording);
void record_file_free(struct record_file *f); /* NULL allowed */

/*
 * Append entries, each behind its length, n bytes, as one frame. 0, or -1 and
 * why: then none of them is there, and the next ones go to another segment.
 */
int record_file_append(struct record_file *f, const uint8_t *entries, size_t n,
	struct reason *why);

/* Bytes written to this recording, and its segments so far. */
uint64_t record_file_bytes(const struct record_file *f);
uint64_t record_file_segments(const struct record_file *f);

#endif
