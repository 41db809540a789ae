/*
 * audit: what is in force on a fabric that somebody else runs, read and judged.
 * Nothing is written: the transport given to it is wrapped by one that lets
 * nothing but Get (and subnet administration's GetTable) pass, IsSM stays
 * clear, no trap is answered.
 *
 *	sweep (reading only) -> names -> forwarding tables
 *		-> subnet administration: groups -> multicast tables
 *		-> SL to VL tables -> subnet administration: SLs of paths
 *		-> judge, compare (report.h)
 *
 * A switch that cannot be read is set apart, with all that hangs on it, and
 * named in the report; the rest of the fabric is judged.
 *
 * A machine without I/O, like the core: messages and time in, questions out.
 */
#ifndef HEDDLE_SM_AUDIT_AUDIT_H
#define HEDDLE_SM_AUDIT_AUDIT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "sm/base/clock.h"
#include "sm/transport/transport.h"
#include "sm/transport/xact.h"

struct audit;

/* c and t are borrowed. */
struct audit *audit_new(const struct config *c, struct transport *t);
void audit_free(struct audit *a); /* NULL allowed */

void audit_start(struct audit *a, struct mono now);
void audit_receive(
	struct audit *a, const struct transport_msg *m, struct mono now);
struct mono audit_next(const struct audit *a);
void audit_tick(struct audit *a, struct mono now);

/* Everything is read, or why it cannot be ("" otherwise). */
bool audit_done(const struct audit *a, const char **why);

/* What is being done, for a person who waits. */
const char *audit_doing(const struct audit *a);

/*
 * Judge what was read and what Heddle would do instead, with the same LIDs.
 * The report; *well: there is no finding. Once.
 */
json_t *audit_report(struct audit *a, bool *well);

#endif
