/*
 * auditor: `heddled --audit`: an audit (audit.h) on a real port, from the first
 * Get to the printed report.
 */
#ifndef HEDDLE_SM_AUDIT_AUDITOR_H
#define HEDDLE_SM_AUDIT_AUDITOR_H

#include <stdbool.h>

#include "config/config.h"

/* The exit code: 0 no findings, 1 findings, 2 the fabric could not be read. */
int auditor_run(const struct config *c, bool json);

#endif
