/*
 * event_time: when an event happened, as it is written in JSON and in files:
 * UTC to the microsecond, as in "2026-11-26T14:40:19.512330Z".
 */
#ifndef HEDDLE_SM_EVENT_EVENT_TIME_H
#define HEDDLE_SM_EVENT_EVENT_TIME_H

#include <stdbool.h>
#include <stddef.h>

enum { EVENT_TIME_TEXT = 28 }; /* with its end */

/* Write a time in seconds since 1970, which is in the years 1970 to 9999. */
void event_time_print(double seconds, char out[EVENT_TIME_TEXT]);

/* Read such a text of n bytes; false: it is none. */
bool event_time_read(const char *text, size_t n, double *seconds);

#endif
