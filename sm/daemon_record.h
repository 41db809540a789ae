/*
 * daemon_record: what record.dir asks the daemon for: a tap at its core
 * (sm/record/record_tap.h), and the thread that writes what it gives
 * (sm/record/recorder.h). Where nothing is to be recorded there is no such
 * thing, and all functions take NULL.
 */
#ifndef HEDDLE_SM_DAEMON_RECORD_H
#define HEDDLE_SM_DAEMON_RECORD_H

#include <jansson.h>

#include "config/config.h"
#include "sm/base/loop.h"
#include "sm/base/reason.h"
#include "sm/core/sm_input.h"
#include "sm/state/state_file.h"
#include "sm/transport/transport.h"

struct daemon_record;

/* Called when entries begin to be missing, and why; with why NULL when they are
 * recorded again. */
typedef void daemon_record_told(void *cookie, const char *why);

/*
 * Record as c says, from the core that daemon_record_begin is called for. NULL:
 * c asks for nothing (why is empty), or that failed, and why.
 */
struct daemon_record *daemon_record_new(struct loop *l, const struct config *c,
	daemon_record_told *told, void *cookie, struct reason *why);

/* A core is about to be made of these. The transport to make it with. */
struct transport *daemon_record_begin(struct daemon_record *r,
	const struct config *c, const struct state_file *state,
	struct transport *t, uint64_t port_guid);

/* For sm_ops.input, and before sm_ops.seconds returns. */
void daemon_record_input(struct daemon_record *r, const struct sm_input *in);
void daemon_record_seconds(struct daemon_record *r, uint64_t seconds);

/*
 * Have what is recorded written, and tell what there is: {"dir": PATH, "put":
 * N, "written": N, ..}; {"dir": null} where nothing is recorded. All that was
 * put when this was asked first is on disk once "written" is that number.
 */
json_t *daemon_record_json(struct daemon_record *r);

/* After the core. */
void daemon_record_free(struct daemon_record *r);

#endif
