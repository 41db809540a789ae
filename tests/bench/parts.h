/*
 * parts: the parts of a fabric that are lost in measurements - the link, the
 * switch, the cards that most entries lead to - and the entries that any repair
 * then has to change.
 */
#ifndef HEDDLE_TESTS_BENCH_PARTS_H
#define HEDDLE_TESTS_BENCH_PARTS_H

#include "routing/core/routes.h"
#include "tests/topo/fabric.h"

/* A card: switches of one tier with the most common neighbours. */
enum { PARTS_CARD = 4 };

enum parts_what { PARTS_LINK, PARTS_SWITCH, PARTS_CORES, PARTS_LEAVES, PARTS };

struct parts {
	enum parts_what what;
	uint32_t node[PARTS_CARD]; /* of the fabric; of a link: one end */
	unsigned nnodes;	   /* 0: there is none */
	unsigned port;
};

/* Find a part, not one that the SM's host depends on. r: the routes of f. */
void parts_find(const struct fabric *f, const struct routes *r,
	enum parts_what what, struct parts *p);

/* "link of NAME", "core card of NAME and others". */
void parts_name(const struct fabric *f, const struct parts *p, char out[160]);

struct parts_sum {
	uint64_t entries, blocks;
};

/* Entries that changed; LIDs that no port has do not count. */
struct parts_sum parts_changed(
	const struct routes *was, const struct routes *is);

/*
 * The entries that any repair must change that keeps the switch order. Of
 * switches that were in the fabric before: entries for reachable LIDs that lead
 * into a link that is gone; or down to a switch that has no path down to the
 * LID any more; or up to one that has no path at all: the next switch could not
 * repair that. Of new switches: all entries.
 */
struct parts_sum parts_least(const struct routes *was, const struct routes *is);

#endif
