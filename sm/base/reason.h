/*
 * reason: why something was refused, in words for a person. Library code never
 * logs: it returns -1 and fills a reason; the caller decides.
 */
#ifndef HEDDLE_SM_BASE_REASON_H
#define HEDDLE_SM_BASE_REASON_H

struct reason {
	char text[512];
};

/*
 * Format why (NULL allowed) like printf, cut at its size. Always returns -1,
 * so that a failing function can end with `return reason_set(why, ...)`.
 */
int reason_set(struct reason *why, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Append to the text of why. Always returns -1. */
int reason_add(struct reason *why, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
