/*
 * adaptive_info: the settings of adaptive routing of a switch as a whole:
 * ARInfo as it shall be, from ARInfo as it was read. What is not ours to set
 * goes back as it came, but what would forward beside the groups, fast recovery
 * and hashes, is off.
 *
 * sm/mad/mad_ar.h has the attribute and its source.
 */
#ifndef HEDDLE_DISTRIBUTION_TABLES_ADAPTIVE_INFO_H
#define HEDDLE_DISTRIBUTION_TABLES_ADAPTIVE_INFO_H

#include <stdbool.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "sm/mad/mad.h"

/* What the configuration says of every switch. */
struct adaptive_settings {
	uint32_t ageing_us; /* a flow that paused so long may take another port;
			       0: every packet may */
	uint16_t sls;	    /* SLs whose packets may choose, a bit each */
};

/* What one switch shall have. */
struct adaptive_info_want {
	bool enabled;
	uint8_t sub_groups; /* in use */
	uint16_t top;	    /* GroupTop */
};

/*
 * ARInfo for a Set. A switch that does not tell SLs apart (BySLCap) lets
 * packets of every SL choose.
 */
void adaptive_info_make(const uint8_t is[MAD_DATA],
	const struct adaptive_settings *s, const struct adaptive_info_want *w,
	uint8_t out[MAD_DATA]);

/* 0 if what a Set(ARInfo) writes is in place. As the attribute's `lacks`. */
uint32_t adaptive_info_lacks(const struct topo *t, port_ix p, uint32_t block,
	const uint8_t *is, const uint8_t *want);

#endif
