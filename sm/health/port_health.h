/*
 * port_health: the error counters of a port over time. The counters of a port
 * are read again and again; what they gained is added up, and samples of the
 * sums say how much that was in the last minute, ten minutes, hour and day.
 *
 * A counter tells less than it seems: a short one stops at the highest value
 * of its field, one that runs backwards was reset by a tool or started anew
 * with its device, and whatever it counted before the first reading was not
 * counted in our time. So the first reading only gives a base, and a counter
 * that ran backwards gained what it shows now, at least.
 *
 * Folder sm/health: counters of ports -> what they gained, by time -> which
 * links are bad. port_health follows one port, health asks all ports,
 * link_verdict judges links. Callers: sm/core drives it, sm/report tells it.
 * Read next: sm/health/health.h.
 */
#ifndef HEDDLE_SM_HEALTH_PORT_HEALTH_H
#define HEDDLE_SM_HEALTH_PORT_HEALTH_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/base/clock.h"
#include "sm/mad/mad_perf.h"

/* The counters that are followed over time. */
enum port_health_kind {
	PORT_HEALTH_SYMBOL_ERRORS,
	PORT_HEALTH_RECOVERED,
	PORT_HEALTH_DOWNED,
	PORT_HEALTH_RCV_ERRORS,
	PORT_HEALTH_DISCARDS,
	PORT_HEALTH_WAIT, /* ticks of the port's own */
	PORT_HEALTH_KINDS
};

enum port_health_window {
	PORT_HEALTH_MINUTE,
	PORT_HEALTH_TEN_MINUTES,
	PORT_HEALTH_HOUR,
	PORT_HEALTH_DAY,
	PORT_HEALTH_WINDOWS
};

/* A window has samples that are at least a third of it apart. */
enum { PORT_HEALTH_SAMPLES = 4 };

/* When something was read: last, and in each window when sample i was taken. */
struct port_health_times {
	struct mono now;
	struct mono at[PORT_HEALTH_WINDOWS][PORT_HEALTH_SAMPLES];
	uint8_t n[PORT_HEALTH_WINDOWS], last[PORT_HEALTH_WINDOWS];
};

/* It is read now. Bit w is set in the result if the sums of window w are to be
 * stored, as sample t->last[w]. */
unsigned port_health_times_put(struct port_health_times *t, struct mono now);

/* The sample that window w begins with, PORT_HEALTH_SAMPLES: none; and how long
 * before the last reading that was. */
unsigned port_health_times_base(const struct port_health_times *t,
	enum port_health_window w, struct mono *span);

/* The sums at one time; of errors modulo 2^32: only differences count. */
struct port_health_sums {
	uint64_t wait;
	uint32_t sum[PORT_HEALTH_WAIT];
};

struct port_fec;

struct port_health {
	/* The last reading: bit k of known says that the port has counter k,
	 * bit k of wide that it has it in 64 bits. 0: not read yet. */
	uint32_t known, wide;
	struct mono read;
	uint64_t count[MAD_PERF_KINDS];
	uint32_t resets; /* readings in which a counter ran backwards */
	struct port_health_times times;
	struct port_health_sums now;
	struct port_health_sums ring[PORT_HEALTH_WINDOWS][PORT_HEALTH_SAMPLES];
	struct port_fec *fec; /* NULL: not read, as where there is no FEC */
	/* as the end of its link that keeps what was said of the link */
	bool bad;
	struct mono well_since; /* while bad: MONO_NEVER while it is so */
};

/* What was read of a port at one time. */
struct port_health_reading {
	uint32_t known, wide;
	uint64_t count[MAD_PERF_KINDS];
};

/* Take a reading; the first one of a port that is all zeroes is its base. */
void port_health_take(struct port_health *h,
	const struct port_health_reading *r, struct mono now);

/*
 * What a counter gained in the window that ended with the last reading. *span:
 * the time in which it did, which is shorter than the window while the port has
 * not been read for as long, and longer where it is read more seldom. 0 and a
 * span of 0: it was read at most once.
 */
uint64_t port_health_gained(const struct port_health *h,
	enum port_health_window w, enum port_health_kind k, struct mono *span);

/* How long a window is. */
struct mono port_health_length(enum port_health_window w);

/* True if the port counts this no more: a short counter is at its limit. */
bool port_health_is_full(const struct port_health *h, enum port_health_kind k);

#endif
