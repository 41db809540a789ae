/*
 * expect_priv: the schedule, shared by expect.c (what is lost at a moment) and
 * expect_when.c (which moments there are). Nobody else includes this.
 */
#ifndef HEDDLE_DISTRIBUTION_EXPECT_PRIV_H
#define HEDDLE_DISTRIBUTION_EXPECT_PRIV_H

#include "distribution/expect.h"
#include "distribution/safe.h"
#include "routing/routes.h"

/* Which turns are closed at a moment. */
enum { EXPECT_STAYING = 1, EXPECT_PASSING = 2 };

/* A state of the fabric that stands for so many seconds of a phase. */
struct expect_moment {
	size_t phase;
	double seconds;
	size_t written;	 /* write[0 .. written) of the transition are there */
	unsigned closed; /* EXPECT_STAYING, EXPECT_PASSING */
	bool down;	 /* the ports that the method takes */
};

struct expect_moments {
	struct expect_moment *m;
	size_t n, cap;
};

/*
 * Both ends of what the transition takes down, [nports of to->topo], or NULL.
 */
bool *expect_when_downed(const struct expect_job *job);

/*
 * Fills out->phase with kinds, times and SMPs, and lists the moments in the
 * order in which they come. The first one is the state before all writes, with
 * the time that was waited, which may be none.
 */
void expect_when(const struct expect_job *job, const bool *downed,
	struct expect *out, struct expect_moments *m);

#endif
