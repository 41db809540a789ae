/*
 * run_sa: subnet administration in the core: while we are master it is given
 * the committed views and the messages that arrive for it; hosts are asked to
 * register anew. Without being master it is silent.
 */
#ifndef HEDDLE_SM_CORE_RUN_SA_H
#define HEDDLE_SM_CORE_RUN_SA_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/base/map.h"
#include "sm/sa/sa.h"
#include "sm/state/state_file.h"
#include "sm/transport/transport.h"

struct sm;
struct view;
struct transport_msg;

/* The request to a host to register anew: sent, or to be sent. */
enum sm_rereg { SM_TOLD, SM_TO_TELL };

/* Subnet administration in the core; run_sa.c. */
struct hosts {
	struct sa *sa;
	struct sa_ops ops; /* lent to the SA */
	struct view *view; /* that the SA has; only compared */
	char *kept;	   /* records of the previous run, until the start */
	uint64_t away;
	struct map rereg;   /* hosts to register anew, by GUID: enum sm_rereg */
	port_ix rereg_next; /* the port of the view that is asked next */
};

void run_sa_new(struct sm *sm);
void run_sa_free(struct sm *sm);
/* Options of the SA, prefix routes and configured groups are new. */
void run_sa_configure(struct sm *sm);
/* A message of class SA; answered by the master alone. */
void run_sa_message(
	struct sm *sm, const struct transport_msg *m, struct mono now);
struct mono run_sa_next(const struct sm *sm);
/* The alias GUIDs that ports of t shall hold, [*n], the caller's to free. */
struct plan_block *run_sa_blocks(
	const struct sm *sm, const struct topo *t, size_t *n);
/* Its records of the previous run. */
void run_sa_load(struct sm *sm, const struct state_file *s);
/* Give the SA what hosts had registered before the restart. */
void run_sa_start(struct sm *sm, struct mono now);
/* It is to answer from the view in force. */
void run_sa_publish(struct sm *sm, struct mono now);
/* It is to answer from what a standby read; groups are left as they are. */
void run_sa_serve(struct sm *sm, struct view *v, struct mono now);
/* New hosts are asked to register anew; there is a view. */
void run_sa_reregister(struct sm *sm, struct mono now);
/* Ask further hosts, as transactions have room; timers of the SA. */
void run_sa_step(struct sm *sm, struct mono now);
/* Another SM is master. */
void run_sa_lost(struct sm *sm, struct mono now);
/* The worker has ended: release views that waited for it. */
void run_sa_release_views(struct sm *sm);

#endif
