/*
 * foreign_adaptive: adaptive routing that another subnet manager left on.
 *
 * NVIDIA's switches can forward by more than the LFT: by groups of ports
 * (adaptive routing), by hashes of the packet, around ports that are down, by
 * private LFTs per in-port and SL. Their maker's manager switches these on. A
 * switch where one is on does not forward by the LFT that was read, verified
 * and acknowledged, and nothing that is known of LFTs holds for it: packets may
 * loop, and wait for each other in a circle.
 *
 * So each switch of a device that has them (mad_vendor_has_general) is asked
 * once, by its master alone, and again when it lost its memory or another
 * manager was master:
 *
 *	GeneralInfo -> none of them --------------------------------> off
 *	     |
 *	     v        none is on
 *	ARInfo, PrivateLFTInfo -------------------------------------> off
 *	     |        not to be switched off
 *	     +------------------------------------------------------> left
 *	     v
 *	Set(ARInfo) -> Get -> Set(PrivateLFTInfo) -> Get
 *	     none is on any more -----------------------------------> off
 *	     else ------------------------> silent, refused, kept: an alarm
 *
 * Two Gets for a switch where adaptive routing is off, three where it has
 * private LFTs too, one where it has neither; nothing for other devices. A Set
 * carries what was read with the bits that are on cleared. Its acknowledgement
 * is compared, and the Get after it decides: a switch may acknowledge and not
 * obey.
 *
 * What a switch can do is kept for adaptive routing of our own
 * (adaptive_can.h): the kind that it says it has, and the ARInfo that was read
 * last. While the store knows both, what is on there is our own doing and
 * nothing is asked; a Set of ours without an answer makes ARInfo unknown, and
 * the switch is asked again. After a restart nothing is known. A manager that
 * has switches choose itself leaves groups on where nothing else is on
 * (keep_groups) and marks them as found: adaptive_read.h reads them, and the
 * plan switches off what is not its own. That is safe at any time: each entry
 * of a group stands beside the port of the LFT.
 *
 * A refusal of GeneralInfo means that the switch has none of them. Silence does
 * not: a switch that answers everything else and not this one is named.
 *
 * Why no transition has to know of it. It is done before routes are planned, so
 * before the first forwarding block is written. A switch that obeys forwards by
 * its LFT from the acknowledgement on; that LFT was read back like any other,
 * and is what the mixed dependency graph starts from. Packets that a group sent
 * on before are in no LFT: the owner has them drain before the first stage. In
 * the other order each stage would have to count every port of every group as a
 * next hop, of groups that nothing here has read; no stage could be proven.
 *
 * While some switches obey already and others are still to come, packets take
 * next hops of the other manager alone, by its groups here and its LFTs there.
 * That its LFTs agree with its groups is its own duty: each entry of a group
 * names the port of the LFT beside it, for packets that must stay in order.
 * Nothing of this manager's is in force yet, so it adds no dependency.
 *
 * A switch that does not obey is as unknown to a transition as a table that was
 * not read. But such a table becomes known by writing it, and traffic into it
 * is discarded only until then (transition/unknown_lft.c). Here writing changes
 * nothing, and to discard for as long as the switch disobeys would cut off all
 * that is behind it. Its tables are written as if it obeyed, which is right
 * from the moment it does; until then it is an alarm, and the verdict on the
 * routes names it as an exception.
 */
#ifndef HEDDLE_DISTRIBUTION_DEVICE_FOREIGN_ADAPTIVE_H
#define HEDDLE_DISTRIBUTION_DEVICE_FOREIGN_ADAPTIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "distribution/device/adaptive_seen.h"
#include "sm/base/clock.h"
#include "sm/base/map.h"
#include "sm/transport/xact.h"

struct foreign_adaptive;

/* The inputs; everything is borrowed. */
struct foreign_adaptive_job {
	struct device_store *hw;
	struct xact *x;
	const struct map *suspects; /* GUIDs of switches that are asked again
				       although it is known to be on */
	bool switch_off;	    /* else nothing is Set */
	bool keep_groups; /* but where a switch that was not asked before has
			     groups on alone: it is marked DEVICE_FOUND */
};

/*
 * Start on the switches of t that were not asked yet, and on those where it is
 * on that are suspects, or were left so and are to be switched off. Quarantined
 * switches are left out. Takes a reference to t; suspects is not kept.
 */
struct foreign_adaptive *foreign_adaptive_new(
	struct topo *t, const struct foreign_adaptive_job *job);

/* Only when done, or after xact_cancel_all. NULL allowed. */
void foreign_adaptive_free(struct foreign_adaptive *f);

void foreign_adaptive_feed(struct foreign_adaptive *f, struct mono now);
bool foreign_adaptive_done(const struct foreign_adaptive *f);

/* Switches that it was switched off on; one of them, and what was on there:
 * enum mad_ar_on. */
uint32_t foreign_adaptive_switched(
	const struct foreign_adaptive *f, sw_ix *first, unsigned *on);

#endif
