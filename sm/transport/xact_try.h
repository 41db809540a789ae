/*
 * xact_try: one try of a request on the wire: its message, and whether an
 * answer belongs to it (IBA volume 1, 13.4.3, 14.2.1). The first try is routed
 * by LID where the request has one, all others are directed. An answer that has
 * the TID of a try but not its class, attribute, modifier or path is not its
 * answer: the right one may still come.
 */
#ifndef HEDDLE_SM_TRANSPORT_XACT_TRY_H
#define HEDDLE_SM_TRANSPORT_XACT_TRY_H

#include "sm/transport/xact.h"

/* True if the try (0: the first) of this request is routed by LID. */
bool xact_try_is_by_lid(const struct xact_request *r, unsigned try);

/* The message of a try; tid: the half of the TID that is ours. */
void xact_try_encode(const struct xact_request *r, unsigned try, uint32_t tid,
	uint64_t key, struct transport_msg *m);

/* True if an answer, or our own request that came back, fits the try; s is the
 * decoded SMP of m. */
bool xact_try_fits(const struct xact_request *r, unsigned try,
	const struct transport_msg *m, const struct smp *s);

#endif
