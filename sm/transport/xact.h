/*
 * xact: transactions. Every SMP that expects an answer is one transaction: it
 * gets a TID, a place in the window, a deadline on the core's clock, retries
 * with back-off, and exactly one completion. Late, repeated, forged and alien
 * answers are counted and ignored.
 *
 * The window (how many may be in flight at once) adapts: one more per window
 * of answers, halved at a time-out (AIMD), never above window_max, nor below 8
 * where that is more. A target (one SMA) has at most target_max in flight; what
 * exceeds it waits without holding up others: targets that have something to
 * send take turns. A target that dropped some has a shorter queue than that: it
 * gets half as many at each time-out, and one more after a number of answers. A
 * target that left a try unanswered is silent until it
 * answers: it has one request in flight, which holds no place in the window and
 * shrinks it no further, so that many dead targets cost the living ones
 * nothing; window_max bounds how many of these fly at once. A status of BUSY
 * counts as a time-out that came early.
 *
 * Where most likely nothing answers, the owner of a request says so
 * (xact_doubt), and one try is enough. Retries are there for losses: once many
 * requests were given up in a row, and no repeated try was answered, silence
 * means death, and strangers get one try as well.
 *
 * Of the TID's 32 bits that are ours 28 are a serial number, given at the first
 * try and counted from where the transport says (at random, so that a forger
 * cannot guess what is open), and 4 the number of the try: the answer to any
 * try completes the transaction, and the round-trip time of that very try is
 * known. When a deadline has passed the next try is sent as soon as the
 * (halved) window allows it, with twice the time. After an answer of BUSY, or a
 * request that the wire sent back with an error (ibsim does so, at once, for
 * attributes that it does not know), the next try waits an eighth of the
 * deadline of the failed one, outside the window.
 *
 * SMPs routed by LID are forwarded by switches as data is, not by the processor
 * of each; they are lost where tables, or ports that are not Active, lead them
 * astray. Hence the owner of a request has to prove the path, only the first
 * try is routed by LID, and all tries after it are directed.
 *
 * A request may ask for a single try with a deadline of its own: a poll, whose
 * repetition is the next poll.
 *
 * An answer is late long before its deadline passes: the limit follows from the
 * times that answers took lately. Lateness changes nothing here; it is reported
 * to the function set by xact_on_late, because one request to the near end of
 * the path may save all the time-outs: see discovery/sweep/path_probe.h.
 * Requests that are then known to lead over a link that is down are given up by
 * xact_cut.
 *
 * Each try bears an M_Key of keyring.h, which learns from the answers. Where a
 * target may have one of several keys, there is one more try for each further
 * one, with the deadline of the first; and an answer to Get(PortInfo) that
 * hides the target's key is followed by a try with the next key at once. To a
 * target with a key that is known to be unknown a Set has fewer tries.
 *
 * The owner drives it: xact_input for everything received, xact_tick when
 * xact_next is due. It has no clock, and no I/O but transport.send.
 */
#ifndef HEDDLE_SM_TRANSPORT_XACT_H
#define HEDDLE_SM_TRANSPORT_XACT_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/base/clock.h"
#include "sm/mad/mad.h"
#include "sm/transport/keyring.h"
#include "sm/transport/transport.h"

struct xact;

struct xact_options {
	struct mono timeout; /* of the first try; doubles with every retry */
	unsigned retries;    /* further tries after the first, at most 15 */
	unsigned window_start, window_max;
	unsigned target_max; /* in flight per target */
};

/* Whether an answer is expected. */
enum xact_doubt {
	XACT_EXPECTED,
	XACT_STRANGER, /* nothing is known of the target yet */
	XACT_SILENT,   /* it was silent before, and is asked again later: one
			  try, outside the window */
};

/* A request; copied by xact_submit. */
struct xact_request {
	uint8_t method; /* MAD_GET or MAD_SET */
	uint16_t attr;
	uint32_t mod;
	uint64_t target; /* identity of the SMA for target_max: node GUID, or a
			    hash of the path while it is unknown; not 0 */
	uint64_t sma;	 /* whose M_Key it needs; 0: that of target */
	bool own_port;	 /* PortInfo of the port that holds that M_Key */
	uint16_t lid; /* the first try is routed to this LID, in addition to the
			 directed ones; 0: no try is */
	uint8_t hops; /* directed: path[1..hops] are out-ports */
	uint8_t path[64];
	uint8_t data[MAD_DATA]; /* of a Set; zero for a Get, but of SMInfo */
	struct mono once; /* a single try, given up after this; 0: tries and
			     time-outs as the options say */
	enum xact_doubt doubt;
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
	uint64_t key;	 /* the M_Key that this try bore */
	unsigned tries;
	bool cut;     /* of XACT_TIMEOUT: by xact_cut */
	bool by_lid;  /* the try that was routed by LID was answered */
	bool strayed; /* it was not, and directed tries followed */
};

/*
 * Called exactly once per submitted request, never from inside xact_submit.
 * It may submit again, and may call xact_cancel_all.
 */
typedef void xact_done(
	void *cookie, uint64_t tag, const struct xact_result *res);

/* Called when request r of an owner (its cookie) is late, or a try of it timed
 * out. It may submit, but not cancel. */
typedef void xact_late(void *cookie, const void *owner,
	const struct xact_request *r, struct mono now);

struct xact_stats {
	uint64_t sent;	     /* MADs handed to the wire, retries included */
	uint64_t completed;  /* requests, with whatever outcome */
	uint64_t retried;    /* tries after the first */
	uint64_t timeouts;   /* requests completed with XACT_TIMEOUT */
	uint64_t cut;	     /* of timeouts: by xact_cut */
	uint64_t late;	     /* answers to transactions already over */
	uint64_t alien;	     /* answers that match no transaction of ours */
	uint64_t mismatched; /* right TID, wrong attribute, modifier, method,
				class, path or source: ignored, the real one
				may come */
	uint64_t busy;
	uint64_t by_lid;  /* of sent: routed by LID */
	uint64_t strayed; /* of by_lid: followed by a directed try */
	unsigned inflight, window, window_peak;
	struct mono answer;	 /* round-trip time, smoothed */
	uint64_t by_attr[64][2]; /* requests completed: [attr][set?];
				    vendor attributes together under 0 */
};

struct xact *xact_new(const struct xact_options *o, struct transport *t);
void xact_free(struct xact *x); /* no completions are called; NULL allowed */

/* The keys that requests bear, by their target; owned by x. */
struct keyring *xact_keys(struct xact *x);

/* Change options; requests in flight keep their deadlines. */
void xact_configure(struct xact *x, const struct xact_options *o);

/* Have late called for every request that is late from now on. */
void xact_on_late(struct xact *x, xact_late *late, void *cookie);

/*
 * True while a further request would be sent at once or wait in a short queue.
 * Submitters with many requests stop when it is false, and go on when called
 * again after a completion. Submitting anyway is allowed (small odd jobs).
 */
bool xact_room(const struct xact *x);

/* Submit a request; done(cookie, tag, result) follows exactly once. */
void xact_submit(struct xact *x, const struct xact_request *r, struct mono now,
	xact_done *done, void *cookie, uint64_t tag);

/*
 * Take a received message. True when it was an answer (ours, late or alien) and
 * is consumed; false when it is a request or a trap, which the caller handles.
 * s is the decoded SMP of m.
 */
bool xact_input(struct xact *x, const struct transport_msg *m,
	const struct smp *s, struct mono now);

/* When xact_tick wants to be called next; MONO_NEVER when nothing is open. */
struct mono xact_next(const struct xact *x);

/* Expire deadlines: resend or complete with XACT_TIMEOUT. */
void xact_tick(struct xact *x, struct mono now);

/*
 * Complete with XACT_CANCELLED all requests submitted so far, or all those of
 * one owner (cookie); requests that the completions submit stay.
 */
void xact_cancel_all(struct xact *x, struct mono now);
void xact_cancel(struct xact *x, const void *owner, struct mono now);

/*
 * The directed path path[1..hops] is broken: complete all requests with this
 * beginning of their path, with XACT_TIMEOUT and cut set. hops 0: all
 * requests, those routed by LID too.
 */
void xact_cut(
	struct xact *x, const uint8_t path[64], unsigned hops, struct mono now);

/* True if all open requests of this owner are late; one that waits after a
 * failed try counts as late, and so does every request to a silent target. */
bool xact_only_late(const struct xact *x, const void *owner);

/* True if all open requests, of any owner, are to silent targets. */
bool xact_only_silent(const struct xact *x);

/*
 * True if requests are open, and for the time in which one of them is given up
 * (at most 32 time-outs) no target has answered any.
 */
bool xact_is_mute(const struct xact *x, struct mono now);

/* Requests submitted and not yet completed. */
unsigned xact_pending(const struct xact *x);

const struct xact_stats *xact_stats(const struct xact *x);

#endif
