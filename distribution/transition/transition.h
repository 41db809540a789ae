/*
 * transition: a change of forwarding tables that cannot deadlock and cannot
 * loop, as pure data. Nothing is sent here.
 *
 * While blocks are being written every switch holds, for every LID, one of the
 * values that it may hold: what it acknowledged, what was sent to it and not
 * acknowledged, what is about to be sent. The mixture graph M has one vertex
 * for each (link direction, layer) that can carry data and an edge, a
 * dependency, wherever a packet can wait: for every LID, from each port by
 * which a packet of some source may leave switch u to each port by which the
 * switch behind it may send that LID on. Old to new and new to old are edges
 * too: the union of the two routings' graphs has neither, and is not enough.
 * Discarding is not waiting: 255, dead ports, VL 15 and the link that the
 * packet came by are no edges.
 *
 * M acyclic: blocks may be written in any order, nothing loops, nothing
 * deadlocks (TRANSITION_DIRECT). Else the changed entries are admitted to
 * stages, each with an acyclic mixture of its own (TRANSITION_STAGED). What
 * packets in flight may hold (every value since the last drain) stays in the
 * graph, so a stage takes all that fits without a drain; the next one begins
 * when all its writes are acknowledged and what was in flight has drained
 * (device_drained). Stages are sought first in which no packet that arrives now
 * is sent back by the link it came by, which is no deadlock but loses it, for
 * as long as a stage lasts; where links are drained for maintenance, nothing is
 * urgent, and such stages are taken although M is acyclic. Where there are
 * none, or no further entry can be admitted, the fewest dependencies, weighted
 * by the pairs that use them, are blocked through SL2VL before the last stage
 * (TRANSITION_BLOCKED), none of them a dependency of the new routing (for
 * packets that came by the same links, where it has a map of VLs). Of the
 * possible choices the one that loses least is taken, but nothing is blocked
 * where the order of switches is kept and stages are enough. Entries that
 * packets which are lost now need are written in a stage of their own before
 * anything is blocked, as far as the mixture of that stage has no cycle.
 *
 * With several layers the packets of a pair may be in every layer that was
 * given out since its ports came up (sl_history.h). Where the SLs of old
 * connections would close a cycle even with the new tables alone, the
 * dependencies that break it stay blocked in those layers until the connections
 * are gone (stays); no path that is given out now uses them.
 *
 * Layers have graphs of their own only where their VLs cannot become each
 * other's (vl_graphs.c). Else M has one layer, which holds for any rows at all,
 * old, new or unknown. If the new tables need their layers, rows are written
 * before them, beside old tables that have no cycle as one layer (rows_first);
 * where these need layers on other VLs, or where the SLs that connections hold
 * would mean other layers, all ports go down for the change (ports_down).
 *
 * Where the layers have a map of VLs, a vertex is a channel, a layer and the
 * class of the link by which packets come to the switch where the channel
 * begins; vertices of a channel on the same VLs are one node (dep_graph.h), and
 * a cycle is one of nodes.
 *
 * Unknown tables are in no mixture: they are quenched, that is, set to 255
 * before all this. Where they cannot be written (a switch that does not answer,
 * a port that carries data to a neighbour that is not in the topology), the
 * entries that lead to them are quenched (unknown_lft.c). So are entries that
 * lead to a switch that does not answer, where a dependency would have to be
 * blocked at it, or where it chooses among ports that are in no mixture and the
 * order of switches does not cover them.
 *
 * Sources: Dally and Seitz 1987; Bermudez, Casado and Quiles 2003 (methods 2 to
 * 4 below); Pearce and Kelly 2006 (incremental order).
 *
 * Folder distribution/transition: old and new tables and what is known of
 * devices -> an order of writes that cannot deadlock. Callers: sm/core before
 * every push, sm/what_if for a preview; distribution/plan takes the result.
 * Read next: transition_priv.h, which names the steps in their order.
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
	TRANSITION_BREAK_DEPENDENCIES, /* all forbidden there to VL 15 */
	TRANSITION_DYNAMIC,	       /* deltas in any order: unsafe */
};

/* What the transition takes. */
enum transition_kind {
	TRANSITION_NOTHING, /* no block differs */
	TRANSITION_DIRECT,  /* any order */
	TRANSITION_STAGED,  /* acknowledged stage by stage */
	TRANSITION_BLOCKED, /* dependencies to VL 15, or ports to Init */
};

struct transition_job {
	const struct routes *to; /* verified; to->topo is the topology */
	/* The routing in force, for layers and names only: the tables come from
	 * hw. NULL at first bring-up. */
	const struct routes *from;
	const struct device_store *hw;
	const struct sl_history *history; /* NULL: no SL was ever given out */
	enum transition_method_kind method;
	unsigned max_stages; /* prefer stages to blocking up to this many */
	uint32_t bulk; /* channels on cycles above which entries are not tried
			  one by one; 0: as many as that takes a second */
	struct slvl_want levels; /* QoS levels, for the rows of SL2VL */
	uint8_t max_vls;	 /* as in vlarb.h */
	enum slvl_lists lists;	 /* that the levels need */
	bool guests;		 /* there are multicast trees */
	bool unsettled; /* ... and tables of more than `from` in the switches:
			   the order of `from` does not cover them */
};

/* One Set(LinearForwardingTable). */
struct lft_write {
	sw_ix sw;
	uint32_t block;
	lft_ref image; /* a reference that the transition holds */
	lft_ref was;   /* a reference too: the value before all writes of the
			  block, as far as known */
	uint16_t stage;
	bool urgent; /* repairs entries with a dead port */
	bool last;   /* image is what the new routing wants */
	bool quench; /* quench: empties what is unknown, before stage 0 */
	bool raised; /* quench above the top, which is raised for it */
};

/* A dependency that must not occur while tables are written, whatever link its
 * packets came by before. */
struct transition_dependency {
	sw_ix sw;
	uint8_t in, out;
	bool by_port; /* the switch cannot map (in, out) to VL 15, or the method
			 is one of ports: port `in` goes to Init instead; out is
			 0 where no dependency is meant */
	uint16_t layers; /* layers of the SLs that go to VL 15; all with one
			   layer */
	uint16_t stays;	 /* of these, blocked for good: old connections would
			    deadlock there with the new tables; no new path
			    uses it */
	uint64_t pairs;	 /* (switch, LID) that used it and lose packets */
};

/*
 * A dependency of a multicast tree: in by one port of a switch, out by another.
 */
struct transition_mcast {
	sw_ix sw; /* of the new topology */
	uint8_t in, out;
};

struct transition_guests;

struct transition_result {
	struct transition_guests *guests; /* NULL: all trees may stay */
	bool trees_wait; /* trees of the order of `from`, or those of the new
			    one beside packets in flight, could deadlock with
			    the mixture: none is written until it is over */
	enum transition_method_kind method; /* job's; AUTO for those that need
					       an order of switches where the
					       new tables obey none; STATIC
					       where no other is safe */
	enum transition_kind kind;
	/* Quenches, then by stage: in a stage urgent ones first, then switches
	 * next to the change. */
	struct lft_write *write;
	size_t nwrites;
	size_t nquenches; /* of nwrites, quenches */
	unsigned nstages;
	struct transition_dependency *dep; /* sorted by switch, in, out */
	size_t ndeps;
	struct lft_pool *pool;
	/* [nstages] The mixture of each stage, which has no cycle, where guests
	 * must ask for it, it is one layer, and nothing is blocked; else NULL.
	 * Owned. */
	struct verify_dependencies **mixture;

	uint64_t entries;     /* (switch, LID) that change */
	uint64_t blocks;      /* (switch, block) that change */
	uint64_t kept;	      /* blocks that are in place */
	uint64_t mixed_edges; /* edges of M */
	uint32_t cyclic;      /* nodes on cycles of M: 0 is direct */
	uint64_t cut_pairs;   /* sum of pairs over dep[] */
	uint64_t paper_pairs; /* the same for TRANSITION_BREAK_DEPENDENCIES, for
				 comparison; 0 unless blocked */
	uint32_t unread; /* live switches with unknown old blocks, which are
			    emptied first */
	size_t nstays;	 /* dependencies that stay blocked */
	bool relayers;	 /* ... and some of them only until other layers are
			    given out for pairs of switches without hosts, which
			    have no history */
	bool rows_first; /* packets sent by old rows of SL2VL drain before the
			    first table is written */
	bool renumbers;	 /* SLs that were given out mean other layers now */
	const char *ports_down; /* why the method is TRANSITION_STATIC, whatever
				   was asked; NULL: it was asked, or is not */
	bool rows_unknown; /* ... unless rows that are unknown are what they
			      shall be: they are to be read first */
	char cause[512];   /* the cycle that forbade a direct write, in names */
	char stale[512];   /* the cycle that old connections would close */
};

/*
 * Plan the transition. The result holds references into to->pool; free it in
 * the thread that owns the pool. Never NULL: it says what could not be proven.
 */
struct transition_result *transition_find(const struct transition_job *job);

void transition_free(struct transition_result *t); /* NULL allowed */

/* Whether all ports go down for it: connections end, and what path records of
 * the routing in force say holds for none that begins afterwards. */
bool transition_ends_connections(const struct transition_result *t);

/*
 * Whether the dependencies of one multicast tree may stay while the tables are
 * written. Where the order of the switches stays and no mixture breaks it, any
 * tree that keeps it may (transition_mcast_must_ask is false). Else each tree
 * has to ask, one after the other. True: from now on the tree counts. False:
 * with it and the trees admitted before the mixture could deadlock, or it
 * breaks the new order and trees made in that order later could, or it leads
 * where tables are unknown: it has to go first, and to have drained. A staged
 * or blocked transition admits none.
 */
bool transition_mcast_must_ask(const struct transition_result *t);
bool transition_mcast_admit(struct transition_result *t,
	const struct transition_mcast *dep, size_t n);

/* Names of enumerators: "auto", "break-ports"; "direct", "staged". */
const char *transition_method_name(enum transition_method_kind m);
const char *transition_kind_name(enum transition_kind w);

#endif
