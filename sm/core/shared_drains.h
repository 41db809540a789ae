/*
 * shared_drains: a standby has the drains of the master it stands by for, so
 * that what is drained stays so when it takes over. With them go the bad links
 * that are drained for their health, and how often.
 *
 *	master: drains --> lines as in the state file --> pages of SMInfo
 *	standby: each answered poll, a hand-over, and word of the master
 *		--> page 0 --another text--> all pages --> the drains
 *
 * The lines are printed anew when what they say has changed, and each page
 * tells how old they are: the times in them go on, and the text stays the same.
 *
 * The standby asks the master that it polls, by the same directed route, and
 * shows and compares the same SM_Key. What it is told counts only as a whole
 * that has its hash and that the state file could have; it then replaces what
 * the standby had, which takes no drains of its own while it is told. A master
 * of another kind tells nothing: then a standby keeps what was asked of it.
 */
#ifndef HEDDLE_SM_CORE_SHARED_DRAINS_H
#define HEDDLE_SM_CORE_SHARED_DRAINS_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/base/buf.h"
#include "sm/base/clock.h"
#include "sm/base/reason.h"
#include "sm/mad/mad.h"

struct sm;

struct shared_drains {
	/* as a master: what is told, and what it was made of */
	struct buf text;
	uint64_t print;
	uint32_t hash;
	struct mono made;
	/* as a standby: the manager that tells, or 0, and its text */
	uint64_t teller;
	uint32_t known, refused; /* hashes; 0: none */
	unsigned skip;		 /* polls after which it is asked again */
	bool taken;		 /* what is drained is what a master told */
	struct {
		bool open;
		uint32_t round; /* in the tags of its questions */
		uint32_t hash, size, age, next;
		unsigned inflight;
		uint8_t *text;
	} reading;
};

/* Another manager asks for a page: d has our SMInfo. */
void shared_drains_say(
	struct sm *sm, uint32_t mod, struct mono now, uint8_t d[MAD_DATA]);

/* A standby asks its master, unless it does so already: a hand-over is word of
 * it, too. */
void shared_drains_ask(struct sm *sm, struct mono now);
/* True while that is not answered: the fabric is not taken before. */
bool shared_drains_is_reading(const struct sm *sm);

/* -1 and why if a standby's drains are those that its master tells. */
int shared_drains_allow(const struct sm *sm, struct reason *why);

/* Standing by begins, or is over. */
void shared_drains_reset(struct sm *sm);
void shared_drains_free(struct sm *sm);

#endif
