/*
 * safe: a transition between two sets of tables that cannot deadlock and cannot
 * loop, as pure data. Nothing is sent here.
 *
 * While blocks are being written every switch holds, for every LID, one of the
 * values that it may hold: what it acknowledged, what was sent to it and not
 * acknowledged, what is about to be sent. The mixture graph M has one vertex
 * for each (cable direction, lane) that can carry data and an edge wherever a
 * packet can wait: for every LID, from each port by which some source's packet
 * may leave switch u to each port by which the switch behind it may send that
 * LID on. Old to new and new to old are edges too: the union of the two
 * routings' graphs has neither, and is not enough. Discarding is not waiting:
 * 255, dead ports, lane 15 and the cable that the packet came by are no edges.
 *
 * M acyclic: blocks may be written in any order, nothing loops, nothing
 * deadlocks, nothing is dropped (TRANSITION_DIRECT). Else the changed entries
 * are admitted to stages, each with an acyclic mixture of its own
 * (TRANSITION_STAGED). What packets still under way may hold (every value since
 * the last drain) stays in the graph, so a stage takes all that fits without a
 * drain; the next one begins when all its writes are acknowledged and what was
 * under way has drained (device_drained). Stages are sought first by which no
 * packet that arrives now is sent back by the cable it came by, which is no
 * deadlock but loses it, for as long as a stage lasts. Where there are none, or
 * no further entry can be admitted, the fewest turns, weighted by the pairs
 * that use them, are blocked through SL2VL before the last stage
 * (TRANSITION_BLOCKED), all of them turns that the new routing does not make;
 * of what is possible the way that loses least is taken, but nothing is blocked
 * where the order of switches is kept and stages do. Where packets are lost as
 * it is, what they need is written in a stage of its own before the turns are
 * blocked, as far as its mixture has no cycle.
 *
 * With several lanes a pair's packets may be on every lane that was given out
 * since its ports came up (sl_history.h). Where the SLs that connections of old
 * still use would close a cycle even with the new tables alone, the turns that
 * break it stay closed on those lanes until the connections are gone (stays);
 * no path that is given out today goes there. A change of the number of lanes
 * remaps SLs on the way: it is judged as if all lanes were one, which holds
 * whatever the rows of SL2VL are meanwhile.
 *
 * Lanes are told apart only where their VLs cannot become each other's
 * (vl_graphs.c). Else M has one lane, which holds for any rows at all, old, new
 * or unknown; if the tables need their lanes, their VLs are theirs for good
 * (routing/core/slvl.h).
 *
 * Tables that nobody knows are in no mixture: they become 255 before all this,
 * and what leads to them where they cannot be written (a switch that does not
 * answer, a port that carries data to nobody that is known): walls.
 *
 * Sources: Dally and Seitz 1987; Bermudez, Casado and Quiles 2003 (methods 2
 * to 4 below); Pearce and Kelly 2006 (incremental order).
 */
#ifndef HEDDLE_DISTRIBUTION_TRANSITION_TRANSITION_H
#define HEDDLE_DISTRIBUTION_TRANSITION_TRANSITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "distribution/device/device_store.h"
#include "distribution/transition/sl_history.h"
#include "routing/core/routes.h"
#include "routing/core/slvl.h"

/* What the administrator chose; distribution.method. */
enum transition_method_kind {
	TRANSITION_AUTO,
	TRANSITION_STATIC,	/* all ports to Init, tables, all Active */
	TRANSITION_BREAK_PORTS, /* up-ports but one of new break nodes Init */
	TRANSITION_BREAK_DEPENDENCIES, /* all forbidden turns there to lane 15
					*/
	TRANSITION_DYNAMIC,	       /* deltas in any order: unsafe */
};

/* What the transition needs. */
enum transition_kind {
	TRANSITION_NOTHING, /* no block differs */
	TRANSITION_DIRECT,  /* any order */
	TRANSITION_STAGED,  /* acknowledged stage by stage */
	TRANSITION_BLOCKED, /* turns to lane 15 (or ports to Init), then stages
			     */
};

struct transition_job {
	const struct routes *to;   /* verified; to->topo is the topology */
	const struct routes *from; /* the routing in force: for lanes and names
				      only, the tables come from hw; NULL at
				      first bring-up */
	const struct device_store *hw;
	const struct sl_history *history; /* NULL: no SL was ever given out */
	enum transition_method_kind method;
	unsigned max_stages; /* prefer stages to blocking up to this many */
	uint32_t bulk; /* channels on cycles above which entries are not tried
			  one by one; 0: as many as that takes a second */
	struct slvl_want levels; /* of service, for the rows of SL2VL */
	uint8_t max_vls;	 /* as in vlarb.h */
	bool guests;	/* there are turns of others: multicast trees */
	bool unsettled; /* ... and tables of more than `from` in the switches:
			   the order of `from` says nothing about them */
};

/* One Set(LinearForwardingTable). */
struct lft_write {
	sw_ix sw;
	uint32_t block;
	lft_ref image; /* a reference that the transition holds */
	lft_ref was;   /* likewise, what is there before all writes of the
			  block, as far as is known */
	uint16_t stage;
	bool urgent; /* repairs entries whose port is dead */
	bool last;   /* image is what the new routing wants */
	bool wall;   /* closes what nobody knows, before stage 0 */
	bool raised; /* a wall above the switch's top, which is raised for it */
};

/* A turn that must not be made while tables are written. */
struct transition_dependency {
	sw_ix sw;
	uint8_t in, out;
	bool by_port;	/* the switch cannot map (in, out) to lane 15, or the
			   method is one of ports: port `in` goes to Init
			   instead; out is 0 where no turn is meant */
	bool stays;	/* closed for good: connections of old would deadlock
			   there with the new tables; no new path is there */
	uint16_t lanes; /* whose SLs go to VL 15; all with one lane */
	uint64_t pairs; /* (switch, LID) that used it and lose packets */
};

/* A turn of a tree: in by one port of a switch, out by another. */
struct transition_mcast {
	sw_ix sw; /* of the new topology */
	uint8_t in, out;
};

struct transition_guests;

struct transition_result {
	struct transition_guests *guests; /* NULL: all are welcome */
	enum transition_method_kind method;
	enum transition_kind way;
	struct lft_write *write; /* walls, then by stage; urgent ones first in a
				    stage, then switches next to the change */
	size_t nwrites;
	size_t nwalls; /* of nwrites */
	unsigned nstages;
	struct transition_dependency *turn; /* sorted by switch, in, out */
	size_t nturns;
	struct lft_pool *pool;

	uint64_t entries;     /* (switch, LID) that change */
	uint64_t blocks;      /* (switch, block) that change */
	uint64_t kept;	      /* blocks that are in place */
	uint64_t mixed_edges; /* edges of M */
	uint32_t cyclic;      /* vertices on cycles of M: 0 is direct */
	uint64_t cut_pairs;   /* sum of pairs over turn[] */
	uint64_t paper_pairs; /* the same for TRANSITION_BREAK_DEPENDENCIES, for
				 comparison; 0 unless blocked */
	uint32_t unread;      /* live switches some of whose old tables nobody
				 knows: they are emptied first */
	size_t nstays;	      /* turns that stay closed */
	char cause[512]; /* the cycle that forbade a direct write, in names */
	char stale[512]; /* the cycle that connections of old would close */
};

/*
 * Plan. The result holds references into to->pool; free it in the thread that
 * owns the pool. Never NULL: what cannot be proven is said in it.
 */
struct transition_result *transition_find(const struct transition_job *job);

void transition_free(struct transition_result *t); /* NULL allowed */

/*
 * May the turns of one tree stay while the tables are written? Where the order
 * of the switches stays and no mixture breaks it, any tree that keeps it may
 * (transition_mcast_must_ask is false). Else each tree has to ask, one after
 * the other: true, and from now on it counts; false, then with it and those
 * before it the mixture could deadlock, or it breaks the new order and what is
 * made in that later could, or it leads where nobody knows the tables: it has
 * to go first, and to have drained. A staged or blocked transition takes none.
 */
bool transition_mcast_must_ask(const struct transition_result *t);
bool transition_mcast_admit(struct transition_result *t,
	const struct transition_mcast *turn, size_t n);

/* Names of enumerators: "auto", "break-ports"; "direct", "staged". */
const char *transition_method_name(enum transition_method_kind m);
const char *transition_kind_name(enum transition_kind w);

#endif
