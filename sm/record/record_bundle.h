/*
 * record_bundle: recordings in one file that can be sent elsewhere, and
 * their reader. A bundle begins with a line,
 *
 *	heddle-bundle 1 0.1.0
 *
 * (version of the format and of the program that made it). Then come segments
 * as they are (record_file.h), oldest first, each behind its length (8 bytes,
 * big-endian), a length of all ones, and how many segments there were: a bundle
 * that was cut is seen to be.
 *
 * A recording holds its configuration and state in its first entry. A bundle of
 * another version is refused, since the same program decides otherwise.
 */
#ifndef HEDDLE_SM_RECORD_RECORD_BUNDLE_H
#define HEDDLE_SM_RECORD_RECORD_BUNDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sm/base/reason.h"

#define RECORD_BUNDLE_WORD "heddle-bundle"
enum { RECORD_BUNDLE_FORMAT = 1 };

/*
 * Make a bundle of all segments in dir, over a file that is there; only its
 * owner may read it. 0 and how many segments and bytes, or -1 and why, and then
 * there is no file.
 */
int record_bundle_save(const char *dir, const char *file, uint64_t *segments,
	uint64_t *bytes, struct reason *why);

struct record_reader;

/* Open a bundle. NULL and why: it cannot be read, is none, or of another
 * version. */
struct record_reader *record_reader_open(const char *file, struct reason *why);
void record_reader_free(struct record_reader *r); /* NULL allowed */

/*
 * The next entry, valid until the next call: 1; 0: the end; -1 and why: what
 * follows is corrupt or cut. reader is a struct record_reader. Where segments
 * are missing there is an entry that says so (RECORD_GAP).
 */
int record_reader_next(
	void *reader, uint8_t **entry, size_t *n, struct reason *why);

#endif
