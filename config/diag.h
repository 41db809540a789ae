/*
 * diag: the mistakes in a configuration, described so that they can be
 * corrected.
 *
 * Reading a configuration goes on after the first mistake; every part of it
 * (the YAML reader, the schema, the rules between keys) adds to one list. An
 * entry names file, line and column (from 1, columns count characters), the key
 * path, a stable code for tools and a sentence, and keeps the source line so
 * that it can be printed with a caret after the text is gone. The list is
 * ordered by place and bounded: a broken file gives a page, not a flood. A
 * configuration of several files has one list; a place says which file it is
 * in.
 */
#ifndef HEDDLE_CONFIG_DIAG_H
#define HEDDLE_CONFIG_DIAG_H

#include <stdbool.h>
#include <stddef.h>

#include "sm/base/arena.h"
#include "sm/base/buf.h"

#define DIAG_MAX 20

/* A place in a file, from 1; line 0 means "no place in it". */
struct diag_place {
	unsigned line;
	unsigned col;
	unsigned file; /* index of diag_list.source */
};

struct diag {
	struct diag_place at;
	struct diag_place other; /* a second place that matters; line 0: none */
	const char *code;	 /* "unknown-key": stable, for tools */
	const char *path;	 /* key path, "" for the file as a whole */
	const char *message;
	const char *note;    /* what the second place is, or NULL */
	const char *excerpt; /* the source line, or NULL */
	const char *other_excerpt;
	unsigned caret; /* 0-based column in excerpt */
	unsigned other_caret;
};

struct diag_source {
	const char *name; /* as the user named it */
	const char *text; /* borrowed while the files are being read */
	size_t len;
};

struct diag_list {
	struct arena *arena;
	struct diag_source *source; /* the files, at least one */
	size_t sources;
	struct diag item[DIAG_MAX]; /* ordered by place */
	size_t n;
	size_t dropped;		   /* found beyond DIAG_MAX */
	const char *const *secret; /* keys, NULL-terminated, or NULL: a source
				      line that names one is never shown */
};

/*
 * Start an empty list about file (copied). text (len bytes, may be NULL) is
 * only borrowed, for excerpts, until diag_end.
 */
void diag_begin(
	struct diag_list *d, const char *file, const char *text, size_t len);

/* Go on with another file, in the same way; what it is now is
 * diag_source_now. */
void diag_next(
	struct diag_list *d, const char *file, const char *text, size_t len);

/* The index of the file that was begun last. */
unsigned diag_source_now(const struct diag_list *d);

/* Forget the texts; what was found stays printable. */
void diag_end(struct diag_list *d);

/* Free what the list owns and make it empty; an all-zero list is allowed. */
void diag_free(struct diag_list *d);

/*
 * Add a mistake at a place. code must be a string constant, path is copied.
 * Returns the entry, or NULL when the list was full (it is counted). The
 * pointer is good until the next call on this list.
 */
struct diag *diag_add(struct diag_list *d, struct diag_place at,
	const char *code, const char *path, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

/* True if a is in a file before that of b, or before b in the same file. */
bool diag_before(struct diag_place a, struct diag_place b);

/* Name a second place for e (NULL allowed), with what it is. */
void diag_note(struct diag_list *d, struct diag *e, struct diag_place other,
	const char *note);

/* Do not show source lines for e (NULL allowed): they hold a secret. */
void diag_hide(struct diag *e);

/* Number of mistakes found, including those that were dropped. */
size_t diag_count(const struct diag_list *d);

/*
 * Append all entries as text, several lines each:
 *	file:line:col: error: message
 *	  the source line
 *	  ^
 */
void diag_text(const struct diag_list *d, struct buf *out);

/*
 * Append a JSON object {"file", "ok", "errors": [{"file", "line", "col",
 * "path", "code", "message", "note", "note_file", "note_line", "note_col"}],
 * "dropped"}. The outer "file" is the first one.
 */
void diag_json(const struct diag_list *d, struct buf *out);

#endif
