/*
 * watch_int: what the judges of unicast tables (watch.c), of multicast tables
 * (watch_group.c) and of VLs (watch_vl.c) share: the dependencies that packets
 * make, each from an in-port to an out-port of a switch.
 */
#ifndef HEDDLE_TESTS_SIM_REFEREE_WATCH_INT_H
#define HEDDLE_TESTS_SIM_REFEREE_WATCH_INT_H

#include "tests/sim/model/sim_hops.h"
#include "tests/sim/model/sim_int.h"
#include "tests/sim/referee/watch.h"

enum { WATCH_GROUPS = 32, WATCH_WORDS = 4 };

/*
 * A channel is the port record that it leaves by. Its dependents are in the row
 * of the port record that it comes in by: the out-ports that packets take.
 */
struct watch_row {
	uint64_t any[WATCH_WORDS]; /* out-ports with a count */
	uint32_t *users; /* [nports + 1]: LIDs and groups by out-port; NULL:
			      none */
};

/* A switch's ports of the first groups. */
struct watch_masks {
	uint64_t of[WATCH_GROUPS][WATCH_WORDS];
	bool excused; /* it did not answer, and was not written since */
};

/* The out-ports of a switch that has, or had, several for some LID. */
struct watch_sets {
	uint64_t (*of)[WATCH_WORDS]; /* [n] by LID; empty: the table's port */
	uint32_t n;
};

struct watch {
	struct sim *s;
	uint8_t **table;	    /* [nnodes]: a port by LID, of switches */
	struct watch_sets *sets;    /* [nnodes] */
	bool any_sets;		    /* one of them is not empty */
	struct watch_masks **group; /* [nnodes]: of switches */
	uint32_t *top;	       /* [nnodes]: entries above are all SIM_NO_PORT */
	uint32_t *owner;       /* [nports]: node of the port record */
	struct watch_row *row; /* [nports]: by in-port */
	bool *live;	       /* [nports]: by out-port */
	uint32_t *seen; /* [nports]: stamp of the last search that came here */
	uint32_t *before; /* [nports]: previous channel of the search */
	uint32_t *queue;
	uint32_t stamp;
	struct watch_report r;
	struct watch_vls *vls; /* or NULL: VLs are not separate */
};

static inline bool
watch_is_switch(const struct watch *w, uint32_t node)
{
	return node != FABRIC_NONE && w->s->node[node].type == FABRIC_SWITCH;
}

/* Index of the port record. */
static inline uint32_t
watch_record(const struct watch *w, uint32_t node, unsigned port)
{
	return w->s->node[node].first + port;
}

/* All out-ports that packets to a LID may leave by. */
void watch_hops(const struct watch *w, uint32_t sw, unsigned lid,
	uint64_t ports[WATCH_WORDS]);
/* Whether port is one of them. */
bool watch_leads(
	const struct watch *w, uint32_t sw, unsigned lid, unsigned port);
/*
 * Whether packets that come in by one port can leave by another: not by the
 * same port, nor where all SLs in use are mapped to VL 15.
 */
bool watch_dependency_open(
	const struct watch *w, uint32_t sw, unsigned in, unsigned out);
/* The next set bit at or after *bit; false if none. */
bool watch_next_bit(const uint64_t any[WATCH_WORDS], unsigned *bit);
/* Report a cycle if live channels lead from `from` to `to`. */
void watch_check_cycle(struct watch *w, uint32_t from, uint32_t to);
/* Count by (1, -1) the uses of in to out at a switch; true: the first use. */
bool watch_count_dependency(
	struct watch *w, uint32_t sw, unsigned in, unsigned out, int by);

/* True if there is a cycle at this moment with all VLs as one. */
bool watch_cyclic(struct watch *w);

/* watch_sets.c: a switch's alternatives for a LID; true: they changed. */
bool watch_sets_differ(const struct watch *w, uint32_t sw, unsigned lid);
/* Take the present ones over. */
void watch_sets_take(struct watch *w, uint32_t sw, unsigned lid);
/*
 * Whether packets to a LID that leave a switch may come back to it; *from: the
 * record by which they come in.
 */
bool watch_sets_loop(
	struct watch *w, uint32_t sw, unsigned lid, uint32_t *from);

/* watch_vl.c: SLs of packets. */
uint16_t watch_vl_used(const struct watch *w);
/*
 * A cycle exists with all VLs as one. False: VLs are not separate, so it
 * counts.
 */
bool watch_vl_suspect(struct watch *w);
/* After a change: judge the VLs, if a cycle is suspected. */
void watch_vl_judge(struct watch *w);
/* True if packets that hosts send to a LID are in a loop. */
bool watch_vl_loops(const struct watch *w, unsigned lid);
/* The state of a port may have changed. */
void watch_vl_port(struct watch *w, uint32_t node, unsigned port);
void watch_vls_free(struct watch *w);

/* watch_group.c: a switch's multicast table may have changed. */
void watch_group_look(struct watch *w, uint32_t sw);
/* A link between switches came up. */
void watch_group_link(struct watch *w, uint32_t sw, unsigned port);

#endif
