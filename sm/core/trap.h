/*
 * trap: notices from the fabric, validated before they have an effect.
 *
 * A trap is answered with TrapRepress (same TID, attribute and data), or its
 * sender repeats it for ever. Repetitions and duplicates are counted and not
 * acted on again; a source that sends too many is answered but ignored (token
 * bucket). What remains is a hint about one node: the core marks it dirty and
 * asks the fabric; nothing in a trap is believed as such.
 *
 * This header is the filter; trap.c also has what a trap marks dirty
 * (trap_receive in sm_priv.h).
 *
 * IBA volume 1: traps 14.2.5.1, 14.3; TrapRepress 13.4.9.
 */
#ifndef HEDDLE_SM_CORE_TRAP_H
#define HEDDLE_SM_CORE_TRAP_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/base/clock.h"
#include "sm/mad/mad.h"
#include "sm/transport/transport.h"

struct trap_filter;

enum trap_verdict {
	TRAP_ACT,    /* new: act on it */
	TRAP_AGAIN,  /* seen, but long ago: act on it, without a log line */
	TRAP_REPEAT, /* seen already: only repress */
	TRAP_FLOOD,  /* its source sends too many: only repress */
};

struct trap_filter *traps_new(void);
void traps_free(struct trap_filter *t); /* NULL allowed */

/*
 * Judge notice n of an SMP from source LID lid (0: our own port).
 */
enum trap_verdict trap_is_new(struct trap_filter *t, uint16_t lid,
	const struct smp *s, const struct mad_notice *n, struct mono now);

/* The TrapRepress that answers m, whose decoded SMP is s, with the M_Key of its
 * source. */
void trap_repress(const struct transport_msg *m, const struct smp *s,
	uint64_t key, struct transport_msg *out);

#endif
