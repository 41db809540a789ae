/*
 * updn_join: a subtree that is turned over, and has lost some of its cables,
 * made whole. Private to updn_turn.c and updn_repair.c.
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
 * Joiners in force stay as long as they join anything, so that few cables are
 * turned over once more.
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
#ifndef HEDDLE_ROUTING_UPDN_JOIN_H
#define HEDDLE_ROUTING_UPDN_JOIN_H

#include "routing/updn.h"

enum { UPDN_JOINERS = 8 };

/*
 * The subtree above leaf (u->tier_set and u->tier_above are there), made whole
 * by joiners where it has to be: the set of its switches into tree, those in
 * the order of the line into seq (u->nsw at most), what joiners serve into
 * u->serves. How many; 0: it cannot be done.
 */
uint32_t updn_join(struct updn *u, sw_ix leaf, uint64_t *tree, sw_ix *seq);

/*
 * What the joiner s of u->line serves: who is below it in tiers, and who has no
 * way up to what the line has before it. In the arena.
 */
uint64_t *updn_join_serves(const struct updn *u, sw_ix s);

#endif
