/*
 * daemon_run: heddled from its start to its end.
 *
 * There may be no port: its driver is not loaded yet, or the adapter is reset.
 * Then there is no core either; the control socket answers, with an alarm, and
 * the port is tried again and again. A port that is lost ends everything but
 * the process, and all begins anew with the saved state, as after a restart:
 * what another manager did meanwhile is found in the same way.
 */
#ifndef HEDDLE_SM_DAEMON_RUN_H
#define HEDDLE_SM_DAEMON_RUN_H

#include "config/config.h"
#include "sm/options.h"

/* Manage the fabric by the configuration c, a reference of which is taken over,
 * until a signal ends it; with --once until the fabric is up. The exit code of
 * heddled. */
int daemon_run(const struct options *opt, struct config *c);

#endif
