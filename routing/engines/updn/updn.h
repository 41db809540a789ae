/*
 * The files of the engine updn: shared by them, nobody else includes it.
 */
#ifndef HEDDLE_ROUTING_ENGINES_UPDN_UPDN_H
#define HEDDLE_ROUTING_ENGINES_UPDN_UPDN_H

#include "routing/updown/updown.h"

/*
 * updn_order_search.c: where there are no tiers, the best of some orders by the
 * worst load that they would lead to; complete, as after sftree_root_choose.
 */
void updn_order_search(struct updown *u);

#endif
