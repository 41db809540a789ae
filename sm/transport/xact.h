/*
 * xact: transactions. Every SMP that expects an answer is one transaction: it
 * gets a TID, a place in the window, a deadline on the core's clock, retries
 * with back-off, and exactly one completion. Late, repeated, forged and alien
 * answers are counted and ignored.
 *
 * The window (how many may be in flight at once) adapts: one more per window
 * of answers, halved at a time-out (AIMD), never above window_max. A target
 * (one SMA) has at most target_max in flight; what exceeds it waits without
 * holding up others: targets that have something to send take turns. A status
 * of BUSY counts as a time-out that came early.
 *
 * Of the TID's 32 bits that are ours 28 are a serial number, given at the first
 * try, and 4 the number of the try: the answer to any try completes, and it is
 * known how long that very try took. A deadline passed: the next try goes out
 * as soon as the (halved) window lets it, with twice the time. Answered BUSY,
 * or sent back by the wire with an error (ibsim does so, at once, for
 * attributes that it does not know): the next try waits an eighth of the
 * deadline of the failed one, outside the window.
 *
 * What is routed by LID is forwarded by switches as data is, not by the
 * processor of each; and lost where their tables, or ports that are not Active,
 * lead astray. Hence the way is the owner's to prove, only the first try goes
 * there, and whatever comes after it is directed.
 *
 * Long before a deadline passes an answer is late: by what answers took lately.
 * Lateness changes nothing here; it is told to whoever wants to know, because
 * one question at the near end of the way may save all the time-outs: see
 * discovery/sweep/path_probe.h. What is then known to be behind a link that is
 * down is given up by xact_cut.
 *
 * The owner drives it: xact_input for everything received, xact_tick when
 * xact_next is due. No clock, no I/O of its own but transport.send.
 */
#ifndef HEDDLE_SM_TRANSPORT_XACT_H
#define HEDDLE_SM_TRANSPORT_XACT_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/base/clock.h"
#include "sm/mad/mad.h"
#include "sm/transport/transport.h"

struct xact;

struct xact_options {
	struct mono timeout; /* of the first try; doubles with every retry */
	unsigned retries;    /* further tries after the first, at most 15 */
	unsigned window_start, window_max;
	unsigned target_max; /* in flight per target */
};

/* What a request asks; copied by xact_submit. */
struct xact_request {
	uint8_t method; /* MAD_GET or MAD_SET */
	uint16_t attr;
	uint32_t mod;
	uint64_t mkey;
	uint64_t target; /* identity of the SMA for the cap: node GUID, or a
			    hash of the route while it is unknown; not 0 */
	uint16_t lid;	 /* the first try is routed to this LID, and comes on
			    top of the others; 0: none is */
	uint8_t hops;	 /* directed: path[1..hops] are egress ports */
	uint8_t path[64];
	uint8_t data[MAD_DATA]; /* of a Set; zero for a Get */
};

enum xact_outcome {
	XACT_OK,	/* answered, status 0 */
	XACT_STATUS,	/* answered with another status (not BUSY) */
	XACT_TIMEOUT,	/* all tries unanswered, or cut */
	XACT_CANCELLED, /* xact_cancel, xact_cancel_all */
};

struct xact_result {
	enum xact_outcome outcome;
	uint16_t status;     /* of XACT_STATUS */
	const uint8_t *data; /* MAD_DATA bytes of the answer, during the call;
				NULL without an answer */
	struct mono now;
	struct mono rtt; /* of the try that was answered */
	unsigned tries;
	bool cut;     /* of XACT_TIMEOUT: there is no way any more */
	bool by_lid;  /* the try that was routed by LID is answered */
	bool strayed; /* it is not, and others followed */
};

/*
 * Called exactly once per submitted request, never from inside xact_submit.
 * It may submit again, and may call xact_cancel_all.
 */
typedef void xact_done(
	void *cookie, uint64_t tag, const struct xact_result *res);

/* Request r of an owner (its cookie) is late, or a try of it timed out. It may
 * submit, but not cancel. */
typedef void xact_late(void *cookie, const void *owner,
	const struct xact_request *r, struct mono now);

struct xact_stats {
	uint64_t sent;	     /* MADs handed to the wire, retries included */
	uint64_t completed;  /* requests, with whatever outcome */
	uint64_t retried;    /* tries after the first */
	uint64_t timeouts;   /* requests completed with XACT_TIMEOUT */
	uint64_t cut;	     /* of these: by xact_cut */
	uint64_t late;	     /* answers to transactions already over */
	uint64_t alien;	     /* answers that match no transaction of ours */
	uint64_t mismatched; /* right TID, wrong attribute, modifier, method
				or class: ignored, the real one may come */
	uint64_t busy;
	uint64_t by_lid;  /* of those sent: routed by LID */
	uint64_t strayed; /* of these: followed by a directed one */
	unsigned inflight, window, window_peak;
	struct mono answer;	 /* what answers take, smoothed */
	uint64_t by_attr[64][2]; /* requests completed: [attr][set?];
				    vendor attributes together under 0 */
};

struct xact *xact_new(const struct xact_options *o, struct transport *t);
void xact_free(struct xact *x); /* no completions are called; NULL allowed */

/* Change options; what is in flight keeps its deadlines. */
void xact_configure(struct xact *x, const struct xact_options *o);

/* Have late told what is late from now on. */
void xact_on_late(struct xact *x, xact_late *late, void *cookie);

/* True while a further request would be sent at once or wait in a short queue:
 * submitters with much to do stop when it is false, and go on when called
 * again after a completion. Submitting beyond is allowed (small odd jobs). */
bool xact_room(const struct xact *x);

/* Submit a request; done(cookie, tag, result) follows exactly once. */
void xact_submit(struct xact *x, const struct xact_request *r, struct mono now,
	xact_done *done, void *cookie, uint64_t tag);

/*
 * A received message. True when it was an answer (ours, late or alien) and is
 * consumed; false when it is a request or trap for somebody else to handle.
 * s is the decoded SMP of m.
 */
bool xact_input(struct xact *x, const struct transport_msg *m,
	const struct smp *s, struct mono now);

/* When xact_tick wants to be called next; MONO_NEVER when nothing is open. */
struct mono xact_next(const struct xact *x);

/* Expire deadlines: resend or complete with XACT_TIMEOUT. */
void xact_tick(struct xact *x, struct mono now);

/*
 * Complete with XACT_CANCELLED everything submitted so far, or all of one
 * owner (cookie); what is submitted by the completions themselves stays.
 */
void xact_cancel_all(struct xact *x, struct mono now);
void xact_cancel(struct xact *x, const void *owner, struct mono now);

/*
 * The directed way path[1..hops] leads nowhere: complete with XACT_TIMEOUT,
 * cut, whatever has it at its beginning.
 */
void xact_cut(
	struct xact *x, const uint8_t path[64], unsigned hops, struct mono now);

/* Is nothing of this owner open but what is late? */
bool xact_only_late(const struct xact *x, const void *owner);

/* Requests submitted and not yet completed. */
unsigned xact_pending(const struct xact *x);

const struct xact_stats *xact_stats(const struct xact *x);

#endif
