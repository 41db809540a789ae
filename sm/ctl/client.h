/*
 * client: the other end of the control socket: one question, one answer.
 */
#ifndef HEDDLE_SM_CTL_CLIENT_H
#define HEDDLE_SM_CTL_CLIENT_H

#include <jansson.h>

#include "sm/base/clock.h"
#include "sm/base/reason.h"

enum client_fault {
	CLIENT_UNREACHABLE, /* nobody serves the socket */
	CLIENT_FORBIDDEN,   /* we may not */
	CLIENT_TIMEOUT,
	CLIENT_BROKEN, /* it hung up, or what came is no answer */
};

/* Connect to the socket at path. A descriptor to close, or -1. */
int client_connect(
	const char *path, enum client_fault *fault, struct reason *why);

/*
 * Send request and wait until `until` for the reply, which is returned whole
 * (to be decref'ed); NULL when there is none.
 */
json_t *client_ask(int fd, const json_t *request, struct mono until,
	enum client_fault *fault, struct reason *why);

#endif
