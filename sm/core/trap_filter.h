/*
 * trap_filter: notices from the fabric, validated before they have an effect.
 *
 * A trap is answered with TrapRepress (same TID, attribute and data), or its
 * sender repeats it for ever. Repetitions and duplicates are counted and not
 * acted on again; a source that sends too many is answered but ignored (token
 * bucket). What remains is acted on by trap.c.
 *
 * IBA volume 1: traps 14.2.5.1, 14.3; TrapRepress 13.4.9.
 */
#ifndef HEDDLE_SM_CORE_TRAP_FILTER_H
#define HEDDLE_SM_CORE_TRAP_FILTER_H

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

struct trap_filter *trap_filter_new(void);
void trap_filter_free(struct trap_filter *t); /* NULL allowed */

/*
 * Judge notice n of an SMP from source LID lid (0: our own port).
 */
enum trap_verdict trap_filter_judge(struct trap_filter *t, uint16_t lid,
	const struct smp *s, const struct mad_notice *n, struct mono now);

/* The TrapRepress that answers m, whose decoded SMP is s, with the M_Key of its
 * source. */
void trap_filter_repress(const struct transport_msg *m, const struct smp *s,
	uint64_t key, struct transport_msg *out);

#endif
