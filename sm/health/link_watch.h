/*
 * link_watch: the links that are bad, or were, for as long as that matters to
 * whether they carry routes. A link is known by both its ends.
 *
 *	     bad, and no limit forbids it
 *	USED -----------------------------> DRAINED
 *	 ^ ^                                 |   |
 *	 | +--- nothing wrong for `quiet` ---+   | taken back by an
 *	 |                                       v administrator
 *	 +------------ `quiet` is over ------ SPARED
 *
 * The quiet time begins with a first value and doubles each time that the link
 * is drained again, up to a bound. It passes only while the link is read, its
 * counters count, and nothing is wrong with it: each time that something is, it
 * begins anew. A link
 * in use that was well for as long as the bound is forgotten, and with it how
 * often it was drained.
 *
 * No clock runs here: the caller says how much time has passed, so that what is
 * left is a number that survives a restart.
 */
#ifndef HEDDLE_SM_HEALTH_LINK_WATCH_H
#define HEDDLE_SM_HEALTH_LINK_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sm/base/clock.h"

enum link_watch_state {
	LINK_WATCH_USED,
	LINK_WATCH_DRAINED,
	LINK_WATCH_SPARED
};

enum { LINK_WATCH_WHY = 160 };

struct link_watch_end {
	uint64_t guid; /* of the node */
	uint8_t port;
};

struct link_watch {
	struct link_watch_end a, b; /* a: of the lower GUID, then port */
	enum link_watch_state state;
	bool bad;  /* when it was read last */
	bool read; /* since time passed last */
	bool full; /* its counters are at their limit: they tell nothing new */
	uint32_t drained;	   /* how often, since it was forgotten last */
	struct mono quiet;	   /* of the last drain */
	struct mono left;	   /* of the time that ends the state */
	char why[LINK_WATCH_WHY];  /* it was bad when it was so last */
	char kept[LINK_WATCH_WHY]; /* why it is not drained, though it is bad;
				      or "" */
	unsigned limit;	 /* the caller's number of that reason; 0: none */
	uint64_t needed; /* the caller's number of the links and drains with
			    which it had no other path beside it; 0: none */
	uint64_t weight; /* the worst of several is drained first */
};

struct link_watches {
	struct link_watch *list; /* by the ends */
	size_t n, cap;
	struct mono first, bound; /* of the quiet time; bound >= first */
};

/* The record of this link, or NULL; the ends in any order. */
struct link_watch *link_watch_find(const struct link_watches *w,
	const struct link_watch_end *x, const struct link_watch_end *y);

/* The same; it is made if there is none. Pointers to others are void then. */
struct link_watch *link_watch_get(struct link_watches *w,
	const struct link_watch_end *x, const struct link_watch_end *y);

/* A reading found the link bad, with a reason, or well ("" for why). */
void link_watch_note(struct link_watches *w, struct link_watch *l, bool bad,
	const char *why);

/* It is drained; or its drain ends, and an administrator wants it used. */
void link_watch_drain(struct link_watches *w, struct link_watch *l);
void link_watch_use(struct link_watches *w, struct link_watch *l);
void link_watch_spare(struct link_watches *w, struct link_watch *l);

/* Time has passed. Of a link in use or spared it always counts if it is well;
 * of a drained one only if it was read. */
void link_watch_pass(struct link_watch *l, struct mono time);

/* Whether the time that ends the state is over. */
bool link_watch_is_over(const struct link_watch *l);

/* Drop the links in use that are over. */
void link_watch_forget(struct link_watches *w);

void link_watch_free(struct link_watches *w);

#endif
