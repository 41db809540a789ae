/*
 * daemon_config: the configuration of the daemon: read at the start, and again
 * when a signal says so. A file with mistakes, or one that the core refuses,
 * changes nothing: it is logged, told as an event, and shown by the status
 * until a reload succeeds. What changed is logged key by key, with what waits
 * for a restart.
 */
#ifndef HEDDLE_SM_DAEMON_CONFIG_H
#define HEDDLE_SM_DAEMON_CONFIG_H

#include "config/config.h"
#include "config/diag.h"
#include "sm/base/clock.h"
#include "sm/daemon.h"
#include "sm/options.h"

/* The configuration, or NULL with the mistakes in *bad; to be freed either
 * way. */
struct config *daemon_config_read(
	const struct options *opt, struct diag_list *bad);

/* Log the names of the drop-ins that c was read from. */
void daemon_config_log_files(const struct config *c);

/* Read the configuration again, and put it in force. */
void daemon_config_reload(struct daemon *d, struct mono now);

#endif
