/*
 * import: OpenSM's configuration as Heddle's.
 *
 * Reads opensm.conf (a key and a value a line) and partitions.conf (NAME=KEY,
 * flags : members ;) and writes the YAML that does the same, with a comment for
 * everything that has no counterpart, naming file and line. The result is
 * judged like any configuration before it is given out; a value that Heddle
 * would refuse becomes a comment with the refusal. Text of the files reaches
 * the output only as checked values or inside comments.
 *
 * OpenSM's doc/partition-config.txt, opensm(8).
 */
#ifndef HEDDLE_CONFIG_IMPORT_IMPORT_H
#define HEDDLE_CONFIG_IMPORT_IMPORT_H

#include <stddef.h>

#include "sm/base/buf.h"
#include "sm/base/reason.h"

/* A file that was read; text NULL: there is none. */
struct import_file {
	const char *name; /* for messages */
	const char *text;
	size_t len;
};

/* 0 and the YAML appended to out; or -1 and a reason. */
int import_text(const struct import_file *options,
	const struct import_file *partitions, struct buf *out,
	struct reason *why);

/* The same from files, each of which may be NULL, at most 4 MiB. */
int import_files(const char *options, const char *partitions, struct buf *out,
	struct reason *why);

#endif
