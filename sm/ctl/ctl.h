/*
 * ctl: the commands of the control socket.
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
 * meanwhile. Connections, and clients that do not read, are server.h's.
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
#include "sm/ctl/server.h"
#include "sm/report/links_json.h"
#include "sm/report/sm_status.h"
#include "sm/view/view.h"

#define CTL_DEFAULT_SOCKET "/run/heddle/heddle.sock"

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
	/* How the fabric differs from its plan (sm/report/verify_json.h), as a
	 * new JSON object; NULL and why. */
	json_t *(*verify)(void *cookie, struct reason *why);
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
	/* What is being recorded (sm/daemon_record.h); it is being written when
	 * this returns. A new JSON object. */
	json_t *(*record)(void *cookie);
	/* The user at the other end of a connection; NULL: ask the kernel. */
	uid_t (*peer_uid)(void *cookie, int fd);
};

/*
 * Serve at path: missing directories of it are created; a socket left by a dead
 * daemon is replaced, one that is in use never. ops (copied) and the data of
 * its cookie stay valid until ctl_close; limits may be NULL. NULL and a reason
 * on failure.
 */
struct ctl *ctl_open(struct loop *l, const char *path,
	const struct ctl_ops *ops, const struct server_limits *limits,
	struct reason *why);

/* Disconnect the clients, and remove the socket if it is still this one. NULL
 * allowed. */
void ctl_close(struct ctl *c);

/* A view was committed, a run has ended, something happened or views may be
 * released: answer waiting clients, and release views. */
void ctl_changed(struct ctl *c, struct mono now);

const struct server_stats *ctl_stats(const struct ctl *c);

#endif
