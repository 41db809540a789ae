/*
 * levels: the one place that gives out SLs and VLs.
 *
 * Two parties want them. Routing wants lanes: packets of one pair of switches
 * stay on one lane all the way, and the dependencies of each lane are without
 * a cycle. The administrator wants levels of service: traffic that shares
 * links by weights. A packet belongs to a level and to a lane, and its SL says
 * which: SL = (level, lane). Numbers that the administrator gave to levels are
 * their first lanes'; the rest are given out lane by lane, so that a number
 * keeps its meaning when the number of lanes changes.
 *
 * A link with v VLs has v / lanes slots for levels; VL = lane * slots + slot.
 * The default level has the first slot; levels without one of their own on
 * some link share, there alone, that of the level they name. So a VL of a link
 * is never in two lanes: whatever the levels are, and whatever they were a
 * moment ago, every channel belongs to one lane, every dependency stays in its
 * lane, and what was without a cycle is without one. A link with an end port is
 * the first or the last of any way and in no cycle: lanes may be one there.
 *
 * Where the verifier found the tables without a cycle on a single lane (they
 * are plain) lanes may be one anywhere: a link that has fewer VLs than there
 * are lanes has lane i fold onto VL i mod v, and that is a matter of the rows
 * of the two that send into it, of no SL and no entry. Why it is sound: let a
 * packet hold VL x of link a and wait for VL y of link b. Forget x and y, and
 * what is left is the turn from a to b, which the tables make. So a cycle of
 * (link, VL) would be a closed walk of turns, and there is none. Nothing in
 * that asks which VL a row gives to which SL, so it holds for any rows at all:
 * other ones at every link, old and new ones side by side, those of a switch
 * that takes none, those for SLs of old connections, and while a link comes up
 * with other VLs than it had. Of a mixture of old and new tables the same is
 * true when its turns, of all lanes together, have no cycle (vl_graphs.c).
 * Tables that are not plain need a VL for each lane on every link, or they are
 * refused (ftree_layers_fit).
 *
 * Connections keep an SL for ever, also when levels change. Where the tables
 * are not plain, every lane has a band of SLs that are its own whatever the
 * levels are, so that such a connection stays in its lane as well; an
 * administrator's number counts if it lies in the band of the first lane.
 *
 * IBA volume 1: SL and VL 7.6, SLtoVLMappingTable 14.2.5.8.
 */
#ifndef HEDDLE_ROUTING_CORE_SLVL_H
#define HEDDLE_ROUTING_CORE_SLVL_H

#include <stdbool.h>
#include <stdint.h>

#include "discovery/topo.h"

enum {
	SLVL_MAX = 15,
	SLVL_LANES = 8, /* of routing */
	SLVL_SLS = 16,
	SLVL_DROP = 15, /* the VL that discards */
	SLVL_ROW = 8,	/* bytes of a row: SL 0 in the high nibble */
	SLVL_ANY = 16,	/* no SL in particular */
};

/* What is asked for. Level 0 is the default one. */
struct slvl_want {
	unsigned n; /* 0: no levels, all traffic is alike */
	struct {
		uint8_t sl;   /* of its first lane, or SLVL_ANY */
		uint8_t with; /* whose slot it shares where slots are few */
	} level[SLVL_MAX];
	bool drop; /* SLs of no level are discarded; else: the default */
};

/* What is given. */
struct slvl {
	unsigned n;	/* levels, at least 1 */
	unsigned apart; /* of these, have SLs of their own */
	unsigned lanes; /* of routing, at least 1 */
	bool wanted;	/* levels were asked for */
	bool plain;	/* lanes may be one: the tables have no cycle at all */
	bool together;	/* all levels share one slot, everywhere */
	uint8_t with[SLVL_MAX];
	uint8_t sl[SLVL_MAX][SLVL_LANES];
	uint8_t level[SLVL_SLS], lane[SLVL_SLS]; /* by SL */
	bool drop[SLVL_SLS];
};

/*
 * Give out SLs. Where lanes and levels together are more than there are SLs,
 * the last levels get those of the level they share with (apart < n).
 */
void slvl_allocate(const struct slvl_want *w, unsigned lanes, bool plain,
	struct slvl *out);

/*
 * Levels that a link with so many VLs tells apart, at most l->n; end: it leads
 * to an end port, or from one. There, and in plain tables, levels come first
 * and lanes share what they leave.
 */
unsigned slvl_slots(const struct slvl *l, unsigned vls, bool end);

/* Lanes that a link between switches with so many VLs keeps apart. */
unsigned slvl_separate_layers(const struct slvl *l, unsigned vls);

/* The slot of a level among that many. */
unsigned slvl_slot(const struct slvl *l, unsigned level, unsigned slots);

/* The VL of an SL on such a link; SLVL_DROP where there is none for it. */
uint8_t slvl_vl(const struct slvl *l, unsigned sl, unsigned vls, bool end);

/* A row of SLtoVLMappingTable for such a link. */
void slvl_row(
	const struct slvl *l, unsigned vls, bool end, uint8_t row[SLVL_ROW]);

/* The SLs of some routing lanes, a bit each. */
uint16_t slvl_sls(const struct slvl *l, uint16_t lanes);

/* Data VLs by a code of VLCap or OperationalVLs. */
unsigned slvl_vls(uint8_t code);

/*
 * Data VLs of the link at port p: those it works with, or, while it is not up,
 * those that both ends have and max (a code as in PortInfo, 0: any) allows. 0:
 * there is no link.
 */
unsigned slvl_link(const struct topo *t, port_ix p, uint8_t max);

/*
 * The same as a code of OperationalVLs: what a port with a cable that comes up
 * has to be told. One end may have come up before the other; what that end
 * works with counts, and what the other one had when its link came up does not.
 */
uint8_t slvl_link_code(const struct topo *t, port_ix p, uint8_t max);

/* Can the node of port p map SLs to VLs at all? */
bool slvl_maps(const struct topo *t, port_ix p);

/* Does the link at port p have an end port at one of its ends? */
bool slvl_end(const struct topo *t, port_ix p);

#endif
