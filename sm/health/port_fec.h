/*
 * port_fec: the errors of a port before error correction, over time, by
 * PortExtendedSpeedsCounters (sm/mad/mad_perf.h).
 *
 * Three counts tell of the same errors, and what a device fills of them depends
 * on its link: of RS-FEC the symbols that it corrected, and blocks that it
 * could not; of a correction by lane the blocks that it corrected and could
 * not; and the errors that were detected. Each counts one error where several
 * bits in a row may have been wrong, so the highest of the three is what was
 * wrong at least.
 *
 * The counters have 32 bits and stop at the highest value: a link at 400 Gb/s
 * with one error in 10^7 bits counts so far in a day; those of detected errors
 * have 16 bits. Then nothing is known until another tool clears them. Each step
 * back is a reset, as in port_health; of a device that wraps instead, the
 * errors in that step are lost. A device that never told anything but zeroes
 * does not count, as far as we know: a link with error correction has something
 * to correct.
 */
#ifndef HEDDLE_SM_HEALTH_PORT_FEC_H
#define HEDDLE_SM_HEALTH_PORT_FEC_H

#include <stdbool.h>

#include "sm/health/port_health.h"

struct port_fec {
	bool counts; /* it told something else than zeroes */
	bool full;   /* in the last reading a counter was at its limit */
	struct mad_perf_fec last;
	struct port_health_times times;
	uint64_t now; /* errors */
	uint64_t ring[PORT_HEALTH_WINDOWS][PORT_HEALTH_SAMPLES];
};

/* Take a reading; the first one is a base. */
void port_fec_take(
	struct port_fec *f, const struct mad_perf_fec *r, struct mono now);

/*
 * The errors in a window, as port_health_gained. False: they are not known: it
 * was read at most once, or does not count, or no more.
 */
bool port_fec_gained(const struct port_fec *f, enum port_health_window w,
	uint64_t *errors, struct mono *span);

/* Of all lanes: blocks that were corrected, blocks that could not be, and
 * errors that were detected. */
struct port_fec_lanes {
	uint64_t corrected, uncorrectable, detected;
};

struct port_fec_lanes port_fec_lanes(const struct mad_perf_fec *r);

#endif
