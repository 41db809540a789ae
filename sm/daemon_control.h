/*
 * daemon_control: what the control socket asks the daemon for, by struct
 * ctl_ops: the view, the status, what is drained, a sweep. Answers are made by
 * sm/report from what the core knows; what changes the fabric goes to the core
 * with the name of the user who asked, and is told as an event, refused or not.
 */
#ifndef HEDDLE_SM_DAEMON_CONTROL_H
#define HEDDLE_SM_DAEMON_CONTROL_H

#include "sm/daemon.h"

/* Open the control socket, d->ctl; not with --once. Without one heddled goes
 * on, and says so. */
void daemon_control_open(struct daemon *d);

#endif
