/*
 * auditor: `heddled --audit`: an audit (audit.h) on a real port, from the first
 * Get to the printed report.
 */
#ifndef HEDDLE_SM_AUDIT_AUDITOR_H
#define HEDDLE_SM_AUDIT_AUDITOR_H

#include <stdbool.h>

#include "config/config.h"

/* The exit code is the verdict (audit_verdict.h); a fabric that could not be
 * read at all is unknown. */
int auditor_run(const struct config *c, bool json);

#endif
