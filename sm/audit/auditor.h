/*
 * auditor: `heddled --audit`: an audit (audit.h) on a real port, from the first
 * Get to the printed page.
 */
#ifndef HEDDLE_SM_AUDIT_AUDITOR_H
#define HEDDLE_SM_AUDIT_AUDITOR_H

#include <stdbool.h>

#include "config/config.h"

/* The exit code: 0 nothing was found, 1 findings, 2 it could not be read. */
int auditor_run(const struct config *c, bool json);

#endif
