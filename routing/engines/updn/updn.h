/*
 * updn: up/down routing over an order of switches made from distances; updown.h
 * describes the routing. Shared by the files of this folder, no other folder
 * includes it.
 *
 * Folder routing/engines/updn: the engine for any connected fabric: roots ->
 * order of switches -> rows. Callers: routing/driver, by the row of the
 * registry. Read next: routing/updown/updown.h, then updn.c.
 */
#ifndef HEDDLE_ROUTING_ENGINES_UPDN_UPDN_H
#define HEDDLE_ROUTING_ENGINES_UPDN_UPDN_H

#include "routing/updown/updown.h"

/* The section routing.updn of the configuration. */
struct updn_options {
	struct schema_guids roots; /* switch GUIDs, sorted; empty: computed */
};

extern const struct engine engine_updn;

/*
 * updn_order_search.c: where there are no tiers, the one of several orders with
 * the least load of the most loaded link; complete, as after
 * sftree_root_choose.
 */
void updn_order_search(struct updown *u);

#endif
