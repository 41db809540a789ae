/*
 * ctl: the server of the control socket.
 *
 * A unix stream socket, mode 0660. A request is one line of JSON, an object
 * with "cmd"; the reply is one line of JSON; replies come in the order of the
 * requests:
 *
 *	{"cmd":"status"}
 *	{"ok":true,"result":{...}}
 *	{"cmd":"stauts"}
 *	{"ok":false,"code":"unknown-command","error":"..."}
 *
 * Requests are answered from the committed view. A reply holds a reference to
 * its view while it is being written, so it is consistent whatever is committed
 * meanwhile. No client can block the loop: sockets do not block, a request is
 * at most 64 KiB, a large reply is produced in slices as the client reads it,
 * the next request is not read before that, and a client that stops reading or
 * sends no whole line for some time is disconnected. One user has a part of the
 * places only, and root and the daemon's own user have a place each that no
 * other user can take. Bytes that are not a request get an error that says so
 * and are counted.
 *
 * A status request with "wait_generation" or "wait_sweep" is answered when that
 * number is reached, an events request with "wait" when there is an event, or
 * by an error after limits.wait.
 *
 * Folder sm/ctl: requests on the socket -> replies of sm/report; client.h is
 * the other end, metrics.h turns a status into figures for Prometheus. Callers:
 * sm/daemon_control.c (server), sm/heddlectl.c and sm/what_if (client). Read
 * next: sm/report/answer.h.
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
#include "sm/report/links_json.h"
#include "sm/report/sm_status.h"
#include "sm/view/view.h"

#define CTL_DEFAULT_SOCKET "/run/heddle/heddle.sock"

enum { CTL_REQUEST_MAX = 64 * 1024 };

struct ctl;

/* A request to drain something, or to take that back. */
struct ctl_drain {
	const char *node;   /* NODE or NODE/PORT, as given */
	const char *reason; /* as given, or NULL */
	uint64_t seconds;   /* 0: without end */
	bool force, back;
};

/* What the server needs from the daemon. */
struct ctl_ops {
	void *cookie;
	/* The committed view or NULL; the server takes a reference. */
	struct view *(*view)(void *cookie);
	/* The status of the daemon, as a new JSON object. */
	json_t *(*status)(void *cookie);
	/* Full sweeps that have ended, successfully or not. */
	uint64_t (*sweeps)(void *cookie);
	/*
	 * True if views may be released now: not while a routing job owns the
	 * pool that holds their tables; the server then waits for ctl_changed.
	 * Views may be read at any time: blocks that a view refers to neither
	 * move nor change.
	 */
	bool (*may_release)(void *cookie);
	/*
	 * Sweep the fabric because user uid asked for it. 0, and in *sweeps
	 * what sweeps() returns when that sweep has ended, or -1 and why not.
	 */
	int (*sweep)(
		void *cookie, uid_t uid, uint64_t *sweeps, struct reason *why);
	/*
	 * Compute and write fresh tables because user uid asked for it. 0, or
	 * -1 and why not.
	 */
	int (*rebalance)(void *cookie, uid_t uid, struct reason *why);
	/*
	 * Hand the fabric over because user uid asked for it. 0, and in *to the
	 * standby that gets it, or -1 and why not.
	 */
	int (*hand_over)(void *cookie, uid_t uid, struct sm_other *to,
		struct reason *why);
	/* All multicast groups, or the one that `which` names
	 * (sm/report/groups_json.h), as a new JSON object; NULL and why. */
	json_t *(*groups)(void *cookie, const char *which, struct reason *why);
	/* The events above this number (sm/event_store.h), as a new JSON
	 * object; and the number of the newest. */
	json_t *(*events)(void *cookie, uint64_t since);
	uint64_t (*last_event)(void *cookie);
	/* The links asked for (sm/report/links_json.h), or, where none are,
	 * what is missing, and degraded; accept: what is missing now is
	 * forgotten first, by user uid. A new JSON object. */
	json_t *(*links)(void *cookie, uid_t uid, const struct links_ask *ask,
		bool accept);
	/* The configuration in force, or where each value of it comes from
	 * (sm/report/config_json.h), as a new JSON object. */
	json_t *(*config)(void *cookie, bool origin);
	/* What path_answer (sm/report/path_json.h) and counters_answer
	 * (sm/report/counters_json.h) are to know of links. */
	struct links_facts (*link_facts)(void *cookie);
	/* Names of members that wait; accept: they are accepted first, by user
	 * uid. A new JSON object. */
	json_t *(*names)(void *cookie, uid_t uid, bool accept);
	/*
	 * Drain what it names, or take that back, because user uid asked for
	 * it: a new JSON object with the drain, and the generation to wait for,
	 * if there is one; NULL and why not.
	 */
	json_t *(*drain)(void *cookie, uid_t uid, const struct ctl_drain *ask,
		struct reason *why);
	/* What is drained (sm/report/drains_json.h): all, or what `node` names
	 * (not NULL). A new JSON object; NULL and why. */
	json_t *(*drains)(void *cookie, const char *node, struct reason *why);
	/* The part of a snapshot, with tables or without, that is not in the
	 * view (sm/report/snapshot_json.h), as a new JSON object. */
	json_t *(*memory)(void *cookie, bool tables);
	/* The user at the other end of a connection; NULL: ask the kernel. */
	uid_t (*peer_uid)(void *cookie, int fd);
};

/* Bounds; a zero takes the default. */
struct ctl_limits {
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

struct ctl_stats {
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
 * daemon is replaced, one that is in use never. ops (copied) and the data of
 * its cookie stay valid until ctl_close; limits may be NULL. NULL and a reason
 * on failure.
 */
struct ctl *ctl_open(struct loop *l, const char *path,
	const struct ctl_ops *ops, const struct ctl_limits *limits,
	struct reason *why);

/* Disconnect the clients, and remove the socket if it is still this one. NULL
 * allowed. */
void ctl_close(struct ctl *c);

/* A view was committed, a run has ended, something happened or views may be
 * released: answer waiting clients, and release views. */
void ctl_changed(struct ctl *c, struct mono now);

const struct ctl_stats *ctl_stats(const struct ctl *c);

/* 1 if a process listens at path, 0 if not. */
int ctl_live(const char *path);

#endif
