/*
 * xact_try: one try of a request as it is on the wire, and what is an answer to
 * it. Shared by nobody but xact.c. IBA volume 1, 13.4.3 and 14.2.1.
 */
#ifndef HEDDLE_SM_TRANSPORT_XACT_TRY_H
#define HEDDLE_SM_TRANSPORT_XACT_TRY_H

#include "sm/transport/xact.h"

/* Is the try (0: the first) of this request routed by LID? */
bool xact_try_by_lid(const struct xact_request *r, unsigned try);

/* The message; tid: the half of the TID that is ours. */
void xact_try_encode(const struct xact_request *r, unsigned try, uint32_t tid,
	struct transport_msg *m);

/* Does an answer, or our own request that came back, fit the try? */
bool xact_try_fits(const struct xact_request *r, unsigned try,
	const struct smp *s, bool returned);

#endif
