/*
 * link_verdict: which links are bad, and why, by the counters of both their
 * ends.
 *
 * A link is bad while it went down too often in ten minutes, or one of its ends
 * counted too many errors or recoveries in an hour. There are two bit error
 * ratios, both to the bits that the link carries, idle or not:
 *
 *	raw		what the cable does, before error correction: up to QDR,
 *			which has none, of symbol errors; of FDR and faster by
 *			sm/health/port_fec.h, a wrong bit at least for each
 *			error that was corrected or detected. Not known where
 *			the device does not count these.
 *	effective	what error correction left: of symbol errors
 *
 * Each is judged against the bits of a whole hour, however short the time is
 * for which it has been known.
 */
#ifndef HEDDLE_SM_HEALTH_LINK_VERDICT_H
#define HEDDLE_SM_HEALTH_LINK_VERDICT_H

#include "sm/health/health.h"

enum {
	LINK_VERDICT_FLAPS = 1 << 0,
	LINK_VERDICT_ERRORS = 1 << 1,
	LINK_VERDICT_RECOVERS = 1 << 2,
	LINK_VERDICT_RAW = 1 << 3,
};

struct link_limits {
	unsigned ber;	     /* 10^-ber, symbol errors per bit */
	unsigned raw_ber;    /* 10^-raw_ber, before correction; 0: no limit */
	unsigned flaps;	     /* in ten minutes; 0: no limit */
	unsigned recoveries; /* in an hour; 0: no limit */
};

struct link_verdict {
	unsigned reasons; /* LINK_VERDICT_* */
	/* what was counted at the end that counted most */
	uint64_t flaps, errors, recovered;
	double ber; /* of these errors in the time that they are known for */
	bool full;  /* a counter is at its limit: what is wrong may not show */
	double raw_ber; /* of the worse end in an hour; 0: not known */
};

/* Judge the link of port p of t, which has one. */
void link_verdict_of(const struct health *h, const struct topo *t, port_ix p,
	const struct link_limits *limits, struct link_verdict *out);

/* The same, and keep what the link was said to be: what changed. A link is good
 * again once nothing was wrong with it for ten minutes. */
enum link_verdict_change {
	LINK_VERDICT_SAME,
	LINK_VERDICT_NOW_BAD,
	LINK_VERDICT_NOW_GOOD,
};
enum link_verdict_change link_verdict_update(struct health *h,
	const struct topo *t, port_ix p, const struct link_limits *limits,
	struct mono now, struct link_verdict *out);

/* Whether the link of port p of t was said to be bad. */
bool link_verdict_is_bad(
	const struct health *h, const struct topo *t, port_ix p);

/* The errors per bit that port p of t received in a window, after correction
 * and before; false, and 0: not known. */
bool link_verdict_ber(const struct port_health *h, const struct topo *t,
	port_ix p, enum port_health_window w, double *ber);
bool link_verdict_raw_ber(const struct port_health *h, const struct topo *t,
	port_ix p, enum port_health_window w, double *ber);

/* Why a link is bad, in words: "went down 4 times in 10 minutes; ..."; "" where
 * it is not. */
void link_verdict_text(const struct link_verdict *v, char *out, size_t size);

#endif
