/*
 * events_asking: the daemon as the source of heddlectl events. While events are
 * followed, a daemon that is restarted is waited for, and asked again from the
 * last event on.
 */
#ifndef HEDDLE_SM_EVENTS_ASKING_H
#define HEDDLE_SM_EVENTS_ASKING_H

#include <jansson.h>
#include <stdbool.h>

#include "sm/base/clock.h"

/* A source of events; closed by events_asking_close. */
struct events_asking {
	const char *socket;
	struct mono patience; /* how long an answer may take */
	bool json;	      /* print errors as JSON, too */
	int fd;		      /* -1: not connected */
};

/* Ask for events, as `ask` of struct events_command does. */
json_t *events_asking_reply(
	struct events_asking *q, const json_t *request, bool again, int *code);

void events_asking_close(struct events_asking *q);

#endif
