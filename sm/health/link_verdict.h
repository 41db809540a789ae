/*
 * link_verdict: which links are bad, and why, by the counters of both their
 * ends.
 *
 * A link is bad while it went down too often in ten minutes, or one of its ends
 * counted too many errors or recoveries in an hour. The bit error ratio is that
 * of symbol errors, which count what the error correction of the link left, to
 * the bits that the link carries, idle or not; it is judged against the bits of
 * a whole hour, however short the time is for which it has been known.
 */
#ifndef HEDDLE_SM_HEALTH_LINK_VERDICT_H
#define HEDDLE_SM_HEALTH_LINK_VERDICT_H

#include "sm/health/health.h"

enum {
	LINK_VERDICT_FLAPS = 1 << 0,
	LINK_VERDICT_ERRORS = 1 << 1,
	LINK_VERDICT_RECOVERS = 1 << 2,
};

struct link_limits {
	unsigned ber;	     /* 10^-ber, symbol errors per bit */
	unsigned flaps;	     /* in ten minutes; 0: no limit */
	unsigned recoveries; /* in an hour; 0: no limit */
};

struct link_verdict {
	unsigned reasons; /* LINK_VERDICT_* */
	/* what was counted at the end that counted most */
	uint64_t flaps, errors, recovered;
	double ber; /* of these errors in the time that they are known for */
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

/* The symbol errors per bit of port p of t in a window, 0 if none is known. */
double link_verdict_ber(const struct port_health *h, const struct topo *t,
	port_ix p, enum port_health_window w);

/* Why a link is bad, in words: "went down 4 times in 10 minutes; ..."; "" where
 * it is not. */
void link_verdict_text(const struct link_verdict *v, char *out, size_t size);

#endif
