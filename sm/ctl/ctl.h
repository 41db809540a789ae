/*
 * ctl: the control socket.
 *
 * A unix stream socket, mode 0660. A request is one line of JSON, an object
 * with "cmd"; the reply is one line of JSON, in the order of the requests:
 *
 *	{"cmd":"status"}
 *	{"ok":true,"result":{...}}
 *	{"cmd":"stauts"}
 *	{"ok":false,"code":"unknown-command","error":"..."}
 *
 * Questions are answered from the committed view, which a reply pins while it
 * is being written, so a reply is of one piece whatever happens meanwhile.
 * Nothing a client does may hold the loop: sockets do not block, a request is
 * at most 64 KiB, a large reply is produced in slices as the client reads it,
 * the next request is not looked at before, and a client that stops reading is
 * dropped. What is not a request gets an error that says so, and is counted.
 *
 * A status request with "wait_generation" or "wait_sweep" is answered when that
 * number is reached.
 */
#ifndef HEDDLE_SM_CTL_CTL_H
#define HEDDLE_SM_CTL_CTL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sm/base/clock.h"
#include "sm/base/loop.h"
#include "sm/base/reason.h"
#include "sm/view/view.h"

#define CTL_DEFAULT_SOCKET "/run/heddle/heddle.sock"

enum { CTL_REQUEST_MAX = 64 * 1024 };

struct ctl;

/* What the server needs of the daemon. */
struct ctl_ops {
	void *cookie;
	/* The committed view or NULL; the server pins it. */
	struct view *(*view)(void *cookie);
	/* Everything about the daemon, as a new JSON object. */
	json_t *(*status)(void *cookie);
	/* Full sweeps that are over, whatever became of them. */
	uint64_t (*sweeps)(void *cookie);
	/*
	 * May views be let go now? Not while a routing job owns the pool their
	 * tables are in: the server waits for ctl_changed. Reading them is
	 * never a question: blocks that a view holds neither move nor change.
	 */
	bool (*may_release)(void *cookie);
	/*
	 * Have the fabric swept because user uid asked for it. 0 and in
	 * *sweeps what sweeps() says when that one is over, or -1 and why not.
	 */
	int (*sweep)(
		void *cookie, uid_t uid, uint64_t *sweeps, struct reason *why);
	/*
	 * Have fresh tables computed and written because user uid asked for
	 * it. 0, or -1 and why not.
	 */
	int (*rebalance)(void *cookie, uid_t uid, struct reason *why);
	/* Multicast groups, or the one that is named (groups.h), as a new
	 * JSON object; NULL and why. */
	json_t *(*groups)(void *cookie, const char *which, struct reason *why);
	/* What a snapshot holds beside the view (snapshot_json.h), as a new
	 * JSON object. */
	json_t *(*memory)(void *cookie);
};

/* Bounds; a zero takes the default. */
struct ctl_limits {
	unsigned clients;  /* at once; default 64 */
	struct mono stall; /* a reply may rest so long unread; default 30 s */
	size_t slice;	   /* bytes of a reply per turn; default 64 KiB */
};

struct ctl_stats {
	uint64_t accepted, requests;
	uint64_t malformed; /* requests that are none: garbage, half a line */
	uint64_t refused;   /* well-formed, answered by an error */
	uint64_t dropped;   /* clients that did not read, or were too many */
	unsigned clients;   /* connected now */
};

/*
 * Serve at path: what is missing of its directory is made, a socket left by a
 * dead daemon is replaced, a live one never. ops (copied) and what its cookie
 * points to stay valid until ctl_close; limits may be NULL. NULL and a reason
 * on failure.
 */
struct ctl *ctl_open(struct loop *l, const char *path,
	const struct ctl_ops *ops, const struct ctl_limits *limits,
	struct reason *why);

/* Drop the clients, remove the socket if it is still ours. NULL allowed. */
void ctl_close(struct ctl *c);

/* A view was committed, a run is over or views may be let go: answer who waits,
 * and let go. */
void ctl_changed(struct ctl *c, struct mono now);

const struct ctl_stats *ctl_stats(const struct ctl *c);

/* 1 when somebody listens at path, 0 when not. */
int ctl_live(const char *path);

#endif
