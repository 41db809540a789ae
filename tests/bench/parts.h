/*
 * parts: what of a fabric is lost in measurements - the cable, the switch, the
 * cards that most entries lead to - and what any repair then has to change.
 */
#ifndef HEDDLE_TESTS_BENCH_PARTS_H
#define HEDDLE_TESTS_BENCH_PARTS_H

#include "routing/core/routes.h"
#include "tests/topo/fabric.h"

/* A card: switches of one level, those with the most neighbours in common. */
enum { PARTS_CARD = 4 };

enum parts_what { PARTS_LINK, PARTS_SWITCH, PARTS_CORES, PARTS_LEAVES, PARTS };

struct parts {
	enum parts_what what;
	uint32_t node[PARTS_CARD]; /* of the fabric; the cable's end */
	unsigned nnodes;	   /* 0: there is nothing like it */
	unsigned port;
};

/* Nothing that our own host hangs on. r: what f is routed by. */
void parts_find(const struct fabric *f, const struct routes *r,
	enum parts_what what, struct parts *p);

/* "link of NAME", "core card of NAME and others". */
void parts_name(const struct fabric *f, const struct parts *p, char out[160]);

struct parts_sum {
	uint64_t entries, blocks;
};

/* What became something else; LIDs that nobody has do not count. */
struct parts_sum parts_changed(
	const struct routes *was, const struct routes *is);

/*
 * What any repair that keeps the order of switches has to change. Of switches
 * that were there already: entries for somebody who can be reached that lead
 * into a cable that is gone; or down to a switch that has no way down to him
 * any more; or up to one that has no way at all: the next switch could not
 * mend that. Of switches that are new: all entries.
 */
struct parts_sum parts_least(const struct routes *was, const struct routes *is);

#endif
