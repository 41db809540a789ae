/*
 * import: OpenSM's configuration as Heddle's.
 *
 * Reads opensm.conf (a key and a value a line), partitions.conf (NAME=KEY,
 * flags : members ;) and the other files that opensm.conf names or that OpenSM
 * looks for in its directory, and writes the YAML that does the same. What is
 * lost on the way is listed, each with file and line, at the beginning of the
 * result and for the caller; remarks about the rest follow. The result is
 * judged like any configuration before it is given out; a value that Heddle
 * would refuse is listed with the refusal. Text of the files reaches the output
 * only as checked values or inside comments. A file in which nothing is
 * understood is refused: it is another file than was meant.
 *
 * OpenSM's doc/partition-config.txt, opensm(8).
 *
 * Folder config/import: opensm.conf and the files that it names -> YAML with
 * remarks. Callers: sm/heddlectl.c (import). Read next: import_priv.h;
 * config/import/import_default.c for options without a counterpart.
 */
#ifndef HEDDLE_CONFIG_IMPORT_IMPORT_H
#define HEDDLE_CONFIG_IMPORT_IMPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "config/schema.h"
#include "sm/base/buf.h"
#include "sm/base/reason.h"

/* Where OpenSM looks for files that its options do not name. */
#define IMPORT_OPENSM_DIR "/etc/opensm"

/* Start as {0}; free with import_free. */
struct import_result {
	struct buf yaml;
	struct buf lost;  /* what was not carried over, a line each */
	size_t nlost;	  /* how many */
	bool has_secrets; /* the YAML has keys that protect the fabric */
};

void import_free(struct import_result *r);

/*
 * Import these files, each of which may be NULL and has at most 4 MiB.
 * partitions: instead of the file that options names. dir: where files are
 * that options does not name, IMPORT_OPENSM_DIR; only with options. A file of
 * the same name beside options comes before either. modules:
 * the routing engines that there are, NULL-terminated. 0 and *out,
 * or -1 and a reason: a file cannot be read, or nothing in it is understood.
 */
int import_files(const char *options, const char *partitions, const char *dir,
	const struct schema_module *const *modules, struct import_result *out,
	struct reason *why);

#endif
