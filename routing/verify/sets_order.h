/*
 * sets_order: sets of ports beside tables (routing/core/route_sets.h), proven
 * by a local rule from the order of switches that both obey, for a whole fabric
 * or for what a change made of proven ones.
 *
 * The tables have been judged (verify.h) and everything arrives by them. Link
 * directions lead up or down in the order. The rule has four parts:
 *
 *   1. the tables never lead up what came from above (read from their
 *      dependencies);
 *   2. options lead to live switches, and beside them there is an entry;
 *   3. where some option of a switch for a destination switch leads up, all its
 *      entries for LIDs of hosts there do;
 *   4. where an option leads down to another switch than the destination, no
 *      option and no entry of that switch for the destination leads up.
 *
 * What arrives from above by an option does not go up again, by 4; what arrives
 * so by an entry finds entries down, by 1, and so no options up, by 3. So
 * whatever switches choose, when and however late, packets go up and then down:
 * no dependencies form a cycle, nothing leads round, and no entry leads back
 * over the link of an option. That is what verify_sets.h demands. The rule is
 * sufficient, not necessary, and has no words for faults: what it refuses is
 * left to that judge, which is its referee in tests.
 *
 * Parts 2 to 4 are about one switch, or two neighbours, and one destination.
 * After a change only those pairs of a switch and a destination are looked at
 * whose options, blocks of entries, or links (with their directions) are
 * others, and where these are neighbours; of a destination with other LIDs all
 * pairs. What is shared by reference is the
 * same without a look. Switches are known by their GUIDs, links by their ports
 * (discovery/topo_match.h): numbers may have changed.
 */
#ifndef HEDDLE_ROUTING_VERIFY_SETS_ORDER_H
#define HEDDLE_ROUTING_VERIFY_SETS_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "routing/verify/verify_sets.h"

/* Judged tables with sets, and the places of switches in the order that both
 * are said to obey; borrowed. */
struct sets_order_claim {
	const struct topo *topo;
	const struct verify_sets_side *side; /* with sets */
	const uint32_t *pos;		     /* [nsw] smaller is above */
};

/*
 * True if the rule holds; then verify_sets finds no fault. deps: at least the
 * dependencies of the tables. was: a claim that was proven so, of the same
 * pool; NULL: none. The verdict does not depend on it, nor on the number of
 * threads.
 */
bool sets_order_proves(const struct sets_order_claim *is,
	const struct verify_dependencies *deps,
	const struct sets_order_claim *was, unsigned threads);

#endif
