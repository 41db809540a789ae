/*
 * audit_adaptive_read: groups of ports by which switches choose among ports, as
 * any manager left them: ARInfo, ARLFT for every LID in use, and the groups
 * that it names (sm/mad/mad_ar.h).
 *
 * Asked are switches on which adaptive routing is on and neither hashes nor
 * private tables are, of which groups say too little. With fast recovery on
 * they say what holds while no port is down. One that owes an answer is not
 * complete, and says nothing: part of its groups would be no proof.
 */
#ifndef HEDDLE_SM_AUDIT_AUDIT_ADAPTIVE_READ_H
#define HEDDLE_SM_AUDIT_AUDIT_ADAPTIVE_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "distribution/device/device_store.h"
#include "sm/base/clock.h"
#include "sm/mad/mad_ar.h"
#include "sm/transport/xact.h"

/* What was read of a switch. */
struct audit_adaptive_switch {
	bool asked;
	bool complete; /* everything was answered */
	struct mad_ar_info info;
	struct mad_ar_entry *entry; /* [nlids] */
	uint32_t nlids;
	struct mad_ar_group *group; /* [ngroups] those that no entry names are
				       empty */
	uint32_t ngroups;
};

struct audit_adaptive_read;

/* Start on the switches of t of which hw says what is on (adaptive_seen.h).
 * Takes a reference to t; the rest is borrowed. */
struct audit_adaptive_read *audit_adaptive_read_new(
	struct topo *t, const struct device_store *hw, struct xact *x);
/* Only when done, or after xact_cancel_all. NULL allowed. */
void audit_adaptive_read_free(struct audit_adaptive_read *r);

void audit_adaptive_read_feed(struct audit_adaptive_read *r, struct mono now);
bool audit_adaptive_read_done(const struct audit_adaptive_read *r);

const struct audit_adaptive_switch *audit_adaptive_read_switch(
	const struct audit_adaptive_read *r, sw_ix s);

#endif
