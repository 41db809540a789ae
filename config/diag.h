/*
 * diag: the mistakes in a configuration, described so that they can be
 * corrected.
 *
 * Reading a configuration goes on after the first mistake; every part of it
 * (the YAML reader, the schema, the rules between keys) adds to one list. An
 * entry names file, line and column (from 1, columns count characters), the key
 * path, a stable code for tools and a sentence, and keeps the source line so
 * that it can be printed with a caret after the text is gone. The list is
 * ordered by place and bounded: a broken file gives a page, not a flood.
 */
#ifndef HEDDLE_CONFIG_DIAG_H
#define HEDDLE_CONFIG_DIAG_H

#include <stdbool.h>
#include <stddef.h>

#include "sm/base/arena.h"
#include "sm/base/buf.h"

#define DIAG_MAX 20

/* A place in the file, from 1; line 0 means "no place". */
struct diag_place {
	unsigned line;
	unsigned col;
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

struct diag_list {
	struct arena *arena;
	const char *file; /* as the user named it */
	const char *text; /* borrowed while the file is being read */
	size_t len;
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

/* Forget the text; what was found stays printable. */
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
 * Append a JSON object {"file", "ok", "errors": [{"line", "col", "path",
 * "code", "message", "note", "note_line", "note_col"}], "dropped"}.
 */
void diag_json(const struct diag_list *d, struct buf *out);

#endif
