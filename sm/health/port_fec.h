/*
 * port_fec: what the forward error correction of a port did, over time: symbols
 * that it corrected, which tell of the bit errors of the link itself, and
 * blocks that it could not correct.
 *
 * The counters have 32 bits and stop at the highest value: a link at 400 Gb/s
 * with one error in 10^7 bits counts so far in a day. Then nothing is known
 * until another tool clears them. Each step back is a reset, as in port_health;
 * of a device that wraps instead, the errors in that step are lost. A device
 * that never told anything but zeroes does not count: a link with error
 * correction has something to correct.
 */
#ifndef HEDDLE_SM_HEALTH_PORT_FEC_H
#define HEDDLE_SM_HEALTH_PORT_FEC_H

#include <stdbool.h>

#include "sm/health/port_health.h"

struct port_fec_sums {
	uint64_t corrected;	/* symbols */
	uint32_t uncorrectable; /* blocks, modulo 2^32 */
};

struct port_fec {
	bool counts; /* it told something else than zeroes */
	struct mad_perf_fec last;
	struct port_health_times times;
	struct port_fec_sums now;
	struct port_fec_sums ring[PORT_HEALTH_WINDOWS][PORT_HEALTH_SAMPLES];
};

/* Take a reading; the first one is a base. */
void port_fec_take(
	struct port_fec *f, const struct mad_perf_fec *r, struct mono now);

/*
 * What was counted in a window, as port_health_gained. False: that is not
 * known: it was read at most once, or does not count, or no more.
 */
bool port_fec_gained(const struct port_fec *f, enum port_health_window w,
	struct port_fec_sums *gained, struct mono *span);

#endif
