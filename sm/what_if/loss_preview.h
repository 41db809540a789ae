/*
 * loss_preview: what a configuration would take from the ports of the fabric of
 * a running daemon (sm/policy/config_loss.h), judged from the daemon's snapshot
 * as the daemon itself will judge it at the reload.
 */
#ifndef HEDDLE_SM_WHAT_IF_LOSS_PREVIEW_H
#define HEDDLE_SM_WHAT_IF_LOSS_PREVIEW_H

#include "sm/policy/config_loss.h"
#include "sm/what_if/snapshot_read.h"

/* As config_loss_judge; ports are those of g->topo. */
int loss_preview_judge(const struct snapshot *g, struct config *is,
	struct config_loss *out, struct reason *why);

/*
 * Ask the daemon at this socket and judge c. 1: the texts of its losses (up to
 * two lines) are appended to out, and *refused says whether a reload would be
 * refused; 0: no daemon answers, and *why says why; -1 and *why: it would be
 * refused for want of LIDs.
 */
int loss_preview_ask(const char *socket, struct config *c, bool *refused,
	struct buf *out, struct reason *why);

#endif
