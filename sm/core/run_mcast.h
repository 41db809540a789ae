/*
 * run_mcast: multicast in the core: the SA says which ports are in a group,
 * the routing makes its tree, the distribution writes the switches' tables;
 * then joins are answered.
 *
 * Changes are gathered for a moment and written in one cycle; what changes
 * meanwhile waits for the next. The moment is short where joins come one by
 * one, and longer the more of them came in the last cycle: a thousand hosts
 * that come up together are written in some cycles, not in a hundred.
 *
 * A cycle begins by reading what is unknown of the switches' tables: after a
 * restart the trees that are there are found in the tables and kept, and with
 * the groups and members that were saved nothing is left to write.
 *
 * Multicast tables are written whenever no unicast tables are. While the switch
 * order stays, trees that obey it can do no harm, before a push, after it and
 * at any moment of it. When the order changes, the transition is asked for each
 * tree that the switches hold whether its dependencies can be admitted
 * (transition_mcast_admit). Where they cannot, the tree is taken away, and its
 * packets have drained, before the first unicast table is written; and until
 * all unicast tables are written, and what they replace has drained, no tree is
 * made. Then all trees are made again in the new order, keeping what obeys it;
 * until that is done every transition is asked, since a link that comes back
 * may be part of a tree of the order before.
 * A switch that has come back may have kept trees of the past: they are taken
 * away before its ports come up.
 */
#ifndef HEDDLE_SM_CORE_RUN_MCAST_H
#define HEDDLE_SM_CORE_RUN_MCAST_H

#include <stdbool.h>
#include <stdint.h>

#include "routing/mcast/mcast.h"
#include "sm/base/clock.h"

struct sm;
struct mcast_tree;

void run_mcast_new(struct sm *sm);
void run_mcast_free(struct sm *sm); /* nothing is in flight */
/* A port joined or left a group of this MLID. */
void run_mcast_regroup(struct sm *sm, uint16_t mlid, struct mono now);
/* The view in force has another topology, or routes. */
void run_mcast_publish(struct sm *sm, struct mono now);
/* Switches of sm->topo that have rebooted; all: no table is known. */
void run_mcast_forget(struct sm *sm, bool all);
/* A light sweep: read some of what this switch holds, another part each round.
 */
void run_mcast_sample(struct sm *sm, uint64_t guid, uint32_t round);
/* An alarm about a switch whose table is written no more, or "". */
const char *run_mcast_alarm(const struct sm *sm);
void run_mcast_lost(struct sm *sm); /* another SM is master */
struct mono run_mcast_next(const struct sm *sm);
/* A cycle begins when it is due, or goes on. */
void run_mcast_step(struct sm *sm, struct mono now);
/* Before routes are made: begin to read unread tables of switches; true when
 * all are known. */
void run_mcast_start_reading(struct sm *sm);
bool run_mcast_has_read(struct sm *sm, struct mono now);
void run_mcast_stop_reading(struct sm *sm); /* the run ends here */
/* True if there are trees that a transition has to count with. *unsettled: and
 * they are not known to obey the order of the view. */
bool run_mcast_dependencies(const struct sm *sm, bool *unsettled);
/* sm->plan is about to be written: trees that it cannot admit go first; then
 * run_mcast_ready is true, and nothing is in flight. */
void run_mcast_before_push(struct sm *sm, struct mono now);
bool run_mcast_ready(struct sm *sm, struct mono now);
/* True if trees had to go and switches did not answer: the push was stopped. */
bool run_mcast_is_stuck(const struct sm *sm);
/* True if tables are being written, or are to be read again. */
bool run_mcast_writing(const struct sm *sm);
/* True while a push waits for multicast tables: no other timer is due. */
bool run_mcast_busy(const struct sm *sm);
/* The push is over, and the switches hold the unicast tables of the view. */
void run_mcast_settle(struct sm *sm, struct mono now);
/* What a switch acknowledged; false: unknown. */
bool run_mcast_cell(const struct sm *sm, uint64_t guid, unsigned block,
	unsigned pos, uint8_t out[64]);

#endif
