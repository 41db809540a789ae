/*
 * server: connections to the control socket: requests in, answers out.
 *
 * A unix stream socket, mode 0660; a request is one line of JSON, an object
 * with "cmd", and so is a reply; replies come in the order of the requests.
 * What a request means, the handler knows (ctl.h).
 *
 * No client can block the loop: sockets do not block, a request is at most
 * 64 KiB, a large reply is produced in slices as the client reads it, the next
 * request is not read before that, and a client that stops reading or sends no
 * whole line for some time is disconnected. One user has a part of the places
 * only, and root and the daemon's own user have a place each that no other user
 * can take. Bytes that are not a request get an error that says so and are
 * counted.
 *
 * An answer may refer to a view, which is not released before the handler says
 * that it may be.
 */
#ifndef HEDDLE_SM_CTL_SERVER_H
#define HEDDLE_SM_CTL_SERVER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sm/base/clock.h"
#include "sm/base/loop.h"
#include "sm/base/reason.h"
#include "sm/report/answer.h"

enum { SERVER_REQUEST_MAX = 64 * 1024 };

struct server;

/* What a client waits for, by the request that it sent last. */
struct server_wait {
	bool waiting; /* the answer is not there yet */
	bool follows; /* for an event after since; else for a status with */
	uint64_t generation, sweep; /* at least these */
	uint64_t since;
};

/* Who answers. */
struct server_handler {
	void *cookie;
	/* The answer to a request of user uid, an object with "cmd": cmd, which
	 * is lent; or NULL, and in *wait what it waits for. */
	struct answer *(*run)(void *cookie, uid_t uid, const char *cmd,
		json_t *request, struct server_wait *wait);
	/* The answer to a client that waits; NULL: not yet. */
	struct answer *(*awaited)(void *cookie, const struct server_wait *wait);
	/* True if views may be released now; else server_wake follows. */
	bool (*may_release)(void *cookie);
	/* The user at the other end of a connection; NULL: ask the kernel. */
	uid_t (*peer_uid)(void *cookie, int fd);
};

/* Bounds; a zero takes the default. */
struct server_limits {
	unsigned clients;  /* connected at once, without the places of root and
			      of the daemon's own user; default 64 */
	unsigned per_user; /* of any other user; default: a quarter of clients
			    */
	struct mono stall; /* how long a reply may stay unread; default 30 s */
	struct mono idle;  /* how long a client may send no whole line;
			      default 2 min */
	struct mono wait;  /* how long a request may wait for a generation or
			      a sweep; default 1 h */
	size_t slice; /* bytes of a reply produced at a time; default 64 KiB */
};

struct server_stats {
	uint64_t accepted, requests;
	uint64_t malformed; /* invalid requests: not JSON, without "cmd",
			       incomplete */
	uint64_t refused; /* well-formed requests that were answered by an error
			   */
	uint64_t dropped; /* clients that did not read, did not ask, or found
			     no place */
	unsigned clients; /* connected now */
};

/*
 * Serve at path: missing directories of it are created; a socket left by a dead
 * process is replaced, one that is in use never. handler (copied) and its
 * cookie stay valid until server_close; limits may be NULL. NULL and a reason
 * on failure.
 */
struct server *server_open(struct loop *l, const char *path,
	const struct server_handler *handler,
	const struct server_limits *limits, struct reason *why);

/* Disconnect the clients, and remove the socket if it is still this one. NULL
 * allowed. */
void server_close(struct server *s);

/* What clients wait for may be there, or views may be released: look, from the
 * loop. */
void server_wake(struct server *s);

const struct server_stats *server_stats(const struct server *s);

/* 1 if a process listens at path, 0 if not. */
int server_live(const char *path);

#endif
