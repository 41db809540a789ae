/*
 * record_requests: the requests that a core sent, as far as its recording needs
 * them. A recording holds no request: a replay makes each of them again. It
 * holds a digest of all requests so far, once for several (record_entry.h), so
 * that another request is noticed soon; and an answer as what differs from its
 * request, which is little: an answer repeats the path and what a Set wrote.
 * For that the latest requests are kept, by the serial in their TIDs.
 *
 * An answer to a request that is no longer kept, or that went elsewhere, is
 * recorded whole, and so is a request that is repeated or could not be sent:
 * these are few, and tell a reader what was not answered.
 */
#ifndef HEDDLE_SM_RECORD_RECORD_REQUESTS_H
#define HEDDLE_SM_RECORD_RECORD_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sm/record/record_mask.h"
#include "sm/transport/transport.h"

/* More than are in flight at once by default; how far one is before the latest
 * is a byte. */
enum { RECORD_REQUESTS = 256 };

/* Requests without a digest, before an answer: a digest, which nothing can
 * compress, takes as much room as some answers. */
enum { RECORD_REQUESTS_DIGEST = 16 };

struct record_request {
	uint8_t mad[MAD_SIZE]; /* masked */
	uint32_t qpn;
	uint16_t lid, pkey_index;
	uint8_t sl;
	bool open; /* it is not answered yet */
};

/* All zero: none was sent. */
struct record_requests {
	uint64_t sum[4];
	unsigned fresh; /* since their digest was recorded */
	unsigned last;	/* place of the latest one */
	struct record_request place[RECORD_REQUESTS];
};

/* Bytes of a request, or of its answer, that are recorded, a multiple of 32: an
 * SMP up to the end of its path. Behind that a request is empty, and the return
 * path of an answer is not used. */
size_t record_requests_length(const uint8_t *mad);

/*
 * The core sent m. True: a request that is sent for the first time; it counts
 * in the digest and may be answered. False: m is to be recorded whole.
 */
bool record_requests_add(struct record_requests *r,
	const struct transport_msg *m, const struct record_mask *mask);

/* Of all requests so far, with their addresses. */
uint16_t record_requests_digest(const struct record_requests *r);

/* Which request m answers, from its address and TID: how many places it is
 * before the latest one; -1: none. No other message answers it then. */
int record_requests_answer(
	struct record_requests *r, const struct transport_msg *m);

/* That request, open or not; before: any number. Lent. */
const struct record_request *record_requests_at(
	const struct record_requests *r, unsigned before);

#endif
