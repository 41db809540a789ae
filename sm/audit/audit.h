/*
 * audit: reads and judges the tables of a fabric that another subnet manager
 * runs. Nothing is written: the transport is wrapped by one that sends only Get
 * (and subnet administration's GetTable), IsSM stays clear, and no trap is
 * answered.
 *
 *	sweep (reading only) -> names -> forwarding tables
 *		-> what forwards beside them
 *		-> subnet administration: groups -> multicast tables
 *		-> SL to VL tables -> subnet administration: SLs of paths
 *		-> judge, compare (audit_json.h)
 *
 * A switch that cannot be read is put in quarantine with everything behind it,
 * and named in the report; the rest of the fabric is judged.
 *
 * A machine without I/O, like the core: messages and time go in, requests come
 * out.
 *
 * Folder sm/audit: a fabric of another manager -> its tables -> findings ->
 * verdict. Callers: sm/main.c through auditor.h. Read next:
 * sm/audit/audit_json.h, then sm/audit/findings.h.
 */
#ifndef HEDDLE_SM_AUDIT_AUDIT_H
#define HEDDLE_SM_AUDIT_AUDIT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "sm/audit/audit_verdict.h"
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

/* True when reading has ended: *why is "" if everything was read, else the
 * reason for the failure. */
bool audit_done(const struct audit *a, const char **why);

/* What the audit is doing, in words for a user who waits. */
const char *audit_doing(const struct audit *a);

/*
 * Judge what was read, and the routes that Heddle would make with the same
 * LIDs. The report, and its verdict in *v. To be called once.
 */
json_t *audit_report(struct audit *a, enum audit_verdict *v);

#endif
