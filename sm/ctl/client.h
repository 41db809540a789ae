/* client: the client's end of the control socket: one request, one reply. */
#ifndef HEDDLE_SM_CTL_CLIENT_H
#define HEDDLE_SM_CTL_CLIENT_H

#include <jansson.h>

#include "sm/base/clock.h"
#include "sm/base/reason.h"

enum client_fault {
	CLIENT_UNREACHABLE, /* nothing listens on the socket */
	CLIENT_FORBIDDEN,   /* no permission for the socket */
	CLIENT_TIMEOUT,
	CLIENT_BROKEN, /* the connection was closed, or the reply is invalid */
};

/* Connect to the socket at path. A descriptor to close, or -1. */
int client_connect(
	const char *path, enum client_fault *fault, struct reason *why);

/*
 * Send request and wait until `until` for the reply, which is returned whole
 * (the caller drops the reference); NULL and a fault if there is none.
 */
json_t *client_ask(int fd, const json_t *request, struct mono until,
	enum client_fault *fault, struct reason *why);

#endif
