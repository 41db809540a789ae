/*
 * sftree_extend: a subtree that is turned over, and has lost some of its
 * cables, made whole. Private to sftree_root.c.
 *
 * When the leaf of the turns loses the way up to a top, or to a whole plane of
 * them, another leaf may still have all. But to turn the subtree above another
 * leaf over moves all turns between tops: nearly all entries for switches
 * change. Instead, a joiner is sought: a switch J that has a way up into the
 * subtree, and cables up to what was lost, as high as there is one. In the line
 * it is put behind the subtree, and what is above it and lost behind itself:
 *
 *   the subtree  J  what is above J and lost, upside down  the rest
 *
 * What is turned over stays so, joiners too when all that they joined is back:
 * of two sets of tables that obey one line no mixture needs turns closed, and
 * to turn cables back does. So with entries to keep, what is turned over in the
 * line in force is taken over as it stands, but for switches that nothing of it
 * is left to hang under. Switches that are new and belong above the leaf stand
 * where they would in its subtree, before what is above them: they have no
 * cables that could turn over. What is still lost gets joiners as before. The
 * price is small: ways inside tiers are what they were, so only joiners and
 * what is above them have other turns than a fresh line would give them. It is
 * paid until tables are made afresh, because the load asks for it or somebody
 * does, or more joiners would be needed than are allowed; then all begins with
 * the subtree above the leaf again. Where the line in force is not known, or
 * is that of tiers, there is nothing to take over.
 *
 * Only cables from J upwards to what was lost are turned over. The leaf remains
 * the only top of the line, so all pairs have a path.
 *
 * Yet J has ways down now, through what was lost, to nearly everybody, and by
 * the down-first rule would have to send all its packets there, as nobody tells
 * apart who came from above. So nobody above sends J what is not meant for the
 * lost or for those below J in tiers: the destinations that J serves
 * (updn.serves). For all others no packet comes to J from above, and J may send
 * it up or down, whatever is shortest: a path that begins, or came from below,
 * obeys the order either way. So ordinary traffic goes as it went.
 */
#ifndef HEDDLE_ROUTING_UPDOWN_SFTREE_EXTEND_H
#define HEDDLE_ROUTING_UPDOWN_SFTREE_EXTEND_H

#include "routing/updown/updown.h"

enum { UPDN_JOINERS = 8 };

/*
 * The subtree above leaf (u->tier_set and u->tier_above are there), or keep:
 * what is turned over in the line in force, leaf on top; made whole by joiners
 * where it has to be: the set of its switches into tree, those in the order of
 * the line into seq (u->graph.nsw at most), what joiners serve into u->serves.
 * How many; 0: it cannot be done, or there is nothing to keep.
 */
uint32_t sftree_extend(
	struct updown *u, sw_ix leaf, bool keep, uint64_t *tree, sw_ix *seq);

#endif
