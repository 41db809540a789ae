/*
 * switch_settings: the fields of a SwitchInfo that a Set changes, and what an
 * answer lacks of them.
 *
 * A switch with a LinearFDBTop below the one that it was sent drops packets to
 * the LIDs above; without a LifeTimeValue it forwards, by its own; one without
 * a MulticastFDBTop has no such bound.
 *
 * IBA volume 1: SwitchInfo 14.2.5.4.
 */
#ifndef HEDDLE_DISTRIBUTION_TABLES_SWITCH_SETTINGS_H
#define HEDDLE_DISTRIBUTION_TABLES_SWITCH_SETTINGS_H

#include <stdint.h>

#include "discovery/topo.h"

enum {
	SWITCH_LACKS_TOP = 1 << 0, /* LinearFDBTop is lower */
	SWITCH_LACKS_LIFE = 1 << 1,
	SWITCH_LACKS_MCAST_TOP = 1 << 2, /* MulticastFDBTop is lower */
};

/* The fields of `want` that the switch, which is t's, answered without: 64
 * bytes of SwitchInfo each. As the attribute's `lacks`. */
uint32_t switch_settings_lacks(const struct topo *t, port_ix p, uint32_t block,
	const uint8_t *is, const uint8_t *want);

#endif
