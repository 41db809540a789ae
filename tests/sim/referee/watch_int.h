/*
 * watch_int: what the judge of unicast tables (watch.c) and that of multicast
 * tables (watch_group.c) share, and that of lanes (watch_lane.c): the turns
 * that packets take, whatever they are.
 */
#ifndef HEDDLE_TESTS_SIM_REFEREE_WATCH_INT_H
#define HEDDLE_TESTS_SIM_REFEREE_WATCH_INT_H

#include "tests/sim/model/sim_int.h"
#include "tests/sim/referee/watch.h"

enum { WATCH_GROUPS = 32, WATCH_WORDS = 4 };

/*
 * A channel is the port record that it leaves by. What depends on it is the
 * row of the port record that it comes in by: which out-ports packets take.
 */
struct watch_row {
	uint64_t any[WATCH_WORDS]; /* out-ports with a count */
	uint32_t *turning; /* [nports + 1]: LIDs and groups by out-port; NULL:
			      none */
};

/* Ports of the first groups, of a switch. */
struct watch_masks {
	uint64_t of[WATCH_GROUPS][WATCH_WORDS];
	bool wild; /* it did not answer, and was not written since */
};

struct watch {
	struct sim *s;
	uint8_t **table;	    /* [nnodes]: a port by LID, of switches */
	struct watch_masks **group; /* [nnodes]: of switches */
	uint32_t *top;	       /* [nnodes]: entries above are all SIM_NO_PORT */
	uint32_t *owner;       /* [nports]: node of a port record */
	struct watch_row *row; /* [nports]: by in-port */
	bool *live;	       /* [nports]: by out-port */
	uint32_t *seen;	  /* [nports]: stamp of the search that was there */
	uint32_t *before; /* [nports]: channel it came from */
	uint32_t *queue;
	uint32_t stamp;
	struct watch_report r;
	struct watch_lanes *lanes; /* or NULL: one for all */
};

bool watch_is_switch(const struct watch *w, uint32_t node);
/* The record of a port. */
uint32_t watch_record(const struct watch *w, uint32_t node, unsigned port);
/*
 * Does a packet that came in by one port leave by another? Not by the port that
 * it came in by, nor where the turn is mapped to the lane that discards.
 */
bool watch_turn_open(
	const struct watch *w, uint32_t sw, unsigned in, unsigned out);
/* The next set bit at or after *bit, false when there is none. */
bool watch_next_bit(const uint64_t any[WATCH_WORDS], unsigned *bit);
/* Is there a chain of live channels from one to another? */
void watch_check_cycle(struct watch *w, uint32_t from, uint32_t to);
/* One more or less turns from in to out at a switch; true: the first. */
bool watch_count_turn(
	struct watch *w, uint32_t sw, unsigned in, unsigned out, int by);

/* Are there cycles at this moment, if all lanes are one? */
bool watch_cyclic(struct watch *w);

/* watch_lane.c: SLs of packets. */
uint16_t watch_lane_used(const struct watch *w);
/* All lanes in one have a cycle: false, then lanes are not told apart. */
bool watch_lane_suspect(struct watch *w);
/* Something changed: what of it do the lanes have? */
void watch_lane_judge(struct watch *w);
/* Do packets that hosts send to a LID go round? */
bool watch_lane_loops(const struct watch *w, unsigned lid);
/* A port may have come up, or gone down. */
void watch_lane_port(struct watch *w, uint32_t node, unsigned port);
void watch_lanes_free(struct watch *w);

/* watch_group.c: a switch's multicast table may have changed. */
void watch_group_look(struct watch *w, uint32_t sw);
/* A cable between switches came to life. */
void watch_group_link(struct watch *w, uint32_t sw, unsigned port);

#endif
