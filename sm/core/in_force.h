/*
 * in_force: the configuration in force. Another one may take from ports what
 * they have: other ports that they may talk to, or a LID. It is judged when
 * the file is loaded again, and after a restart: the state has the text of the
 * one in force. The fabric as it was found is judged before anything is
 * written to it; where too much would be lost, what was in force stays in
 * force.
 *
 * Where another manager has reigned since the state was saved, what is in force
 * is not known: then the loss is only logged.
 */
#ifndef HEDDLE_SM_CORE_IN_FORCE_H
#define HEDDLE_SM_CORE_IN_FORCE_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/base/buf.h"

struct sm;
struct state_file;
struct topo;
struct config;
struct reason;

/* The configuration in force; in_force.c. */
struct in_force {
	struct config *was;	 /* before the start, until it is settled */
	struct buf text;	 /* of it, or of ... */
	const struct config *of; /* ... the present one; NULL: to be printed */
};

/* c is the configuration from now on. */
void in_force_take(struct sm *sm, struct config *c);
/* Judge what a change of the configuration takes from the ports of t, which has
 * LIDs; 0, or -1 and why it is refused. */
int in_force_judge(const struct sm *sm, struct config *was, struct config *is,
	struct topo *t, struct reason *why);
/* What was in force before the start, from the state file. */
void in_force_load(struct sm *sm, const struct state_file *s);
/* What the state file shall say of it. */
const char *in_force_text(struct sm *sm);
/* True if names decide what was in force before the start, and it counts. */
bool in_force_by_name(const struct sm *sm);
/* The fabric is known, and nothing is written yet: what was in force before the
 * start is what the new one is judged against. outdated: another manager has
 * reigned since. */
void in_force_settle(struct sm *sm, bool outdated);
void in_force_forget(struct sm *sm); /* it is of another fabric */

#endif
