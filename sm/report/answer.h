/*
 * answer: one reply on its way to a client, made in slices.
 *
 * A short reply is complete from the beginning. A long one is a head, a list
 * whose elements are made one after the other when there is room for them, and
 * a tail; so neither the loop nor memory is held by a reply of many megabytes.
 * The answer pins the view it was begun with.
 */
#ifndef HEDDLE_SM_REPORT_ANSWER_H
#define HEDDLE_SM_REPORT_ANSWER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "sm/base/buf.h"
#include "sm/view/view.h"

struct answer;

/* What a list is made of. */
struct answer_list {
	const char *key; /* of the list in the result */
	size_t n;
	/* Element i as a new object; NULL leaves it out. */
	json_t *(*item)(const struct view *v, size_t i, const void *param);
};

/* {"ok":false,"code":code,"error":text}; text may be anything. */
struct answer *answer_error(const char *code, const char *text);

/* {"ok":true,"result":result}; takes result over. */
struct answer *answer_result(json_t *result);

/*
 * The same with list as a further member of result (taken over). param (size
 * bytes, copied, may be NULL) is handed to item. The view is pinned.
 */
struct answer *answer_list(json_t *result, struct view *v,
	const struct answer_list *list, const void *param, size_t size);

/* The same with "text" as a further member: all of text, which is emptied. */
struct answer *answer_text(json_t *result, struct view *v, struct buf *text);

/* Is it an answer_error? */
bool answer_failed(const struct answer *a);

/* Append about room bytes of what is left; false when that was the end. */
bool answer_more(struct answer *a, size_t room, struct buf *out);

/*
 * Free a. Returns the view it pinned (NULL if none), for the caller to let go
 * when it may. NULL allowed.
 */
struct view *answer_free(struct answer *a);

#endif
