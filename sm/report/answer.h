/*
 * answer: one reply to a client, produced in slices.
 *
 * A short reply is complete from the beginning. A long one is a head, a list
 * with elements that are produced one after the other as there is room for
 * them, and a tail; so a reply of many megabytes neither blocks the event loop
 * nor takes as much memory. The answer holds a reference to the view that it
 * describes.
 *
 * Folder sm/report: views and status -> JSON (*_json.h), and JSON -> pages for
 * people (show.h, terminal.h). Callers: sm/ctl for the socket; sm/what_if and
 * sm/audit for their pages; sm/heddlectl.c to show replies. Read next:
 * sm/report/status_json.h, then sm/report/show.h.
 */
#ifndef HEDDLE_SM_REPORT_ANSWER_H
#define HEDDLE_SM_REPORT_ANSWER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "sm/base/buf.h"
#include "sm/view/view.h"

struct answer;

/* The elements of a list. */
struct answer_list {
	const char *key; /* of the list in the result */
	size_t n;
	/* Element i as a new object; NULL leaves it out. */
	json_t *(*item)(const struct view *v, size_t i, const void *param);
};

/* {"ok":false,"code":code,"error":text}; text may contain any bytes. */
struct answer *answer_error(const char *code, const char *text);

/* {"ok":true,"result":result}; takes result over. */
struct answer *answer_result(json_t *result);

/*
 * answer_result with list as a further member of result (taken over). param
 * (size bytes, copied, may be NULL) is passed to item. The answer holds a
 * reference to the view.
 */
struct answer *answer_list(json_t *result, struct view *v,
	const struct answer_list *list, const void *param, size_t size);

/* answer_result with "text" as a further member: the contents of text, which is
 * emptied. */
struct answer *answer_text(json_t *result, struct view *v, struct buf *text);

/* True if a is an answer_error. */
bool answer_failed(const struct answer *a);

/* Append about room bytes of what is left; false if that was the end. */
bool answer_more(struct answer *a, size_t room, struct buf *out);

/*
 * Free a. Returns the view that it referenced (NULL if none), which the caller
 * releases when it may. NULL allowed.
 */
struct view *answer_free(struct answer *a);

#endif
