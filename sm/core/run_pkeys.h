/*
 * run_pkeys: P_Keys on their way from the configuration to the view: made when
 * a topology has its LIDs, settled when the push is over.
 *
 * Which tables are read: a port that came up fresh holds the default key and is
 * not asked. Without partitions a table that held nothing else when it was last
 * read, by this daemon or a previous run (the state file says so), is not asked
 * for either: a fabric without partitions costs not one SMP. Tables that
 * another SM wrote, and tables of partitions that are no longer configured, are
 * read and put in order.
 */
#ifndef HEDDLE_SM_CORE_RUN_PKEYS_H
#define HEDDLE_SM_CORE_RUN_PKEYS_H

#include <stdbool.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "sm/base/clock.h"
#include "sm/state/state_file.h"

struct sm;
struct topo;

/* What the state file says of P_Key tables. */
void run_pkeys_load(struct sm *sm, const struct state_file *s);
/* We became master: ports of another SM may hold anything. */
void run_pkeys_distrust(struct sm *sm);
void run_pkeys_make(struct sm *sm); /* for sm->topo */
/* Begin to read the tables that are relevant and not known. */
void run_pkeys_read(struct sm *sm);
/* enum state_file_pkeys of a port, for the state file. */
uint8_t run_pkeys_saved(const struct sm *sm, uint64_t guid);
/* Begin to read tables that are in doubt, and some others in rotation
 * (sm->pkey_read); then act on those that differ. */
void run_pkeys_check(struct sm *sm);
void run_pkeys_checked(struct sm *sm, struct mono now);
/* The check gives way to a change: the same tables are read next time. */
void run_pkeys_stop_check(struct sm *sm, struct mono now);
/* A light sweep is over: have some tables read. */
void run_pkeys_light(struct sm *sm, struct mono now);
/* Tables that could not be read, or are too small: asked again; an alarm. */
void run_pkeys_review(struct sm *sm);
/* The push is over: enter what the ports hold; true: the view differs. */
bool run_pkeys_settle(struct sm *sm);
/* Names were read: true if a port is another member by its name. */
bool run_pkeys_renamed(const struct sm *sm, struct topo *fresh);

#endif
