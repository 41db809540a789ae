/* data_report: measurements of the traffic. */
#ifndef HEDDLE_TESTS_SIM_DATA_DATA_REPORT_H
#define HEDDLE_TESTS_SIM_DATA_DATA_REPORT_H

#include "tests/sim/data/data.h"

/* In picoseconds; p50 and p99 to 1.6 %, the others exact. */
struct data_latency {
	uint64_t n;
	int64_t min, mean, p50, p99, max;
};

struct data_report {
	/* since data_new */
	uint64_t injected, delivered, dropped, in_flight; /* packets */
	uint64_t drop[DATA_DROPS];
	uint64_t refused; /* messages held back at their source */
	uint64_t hops;	  /* through switches */
	uint64_t events;  /* of the data plane */
	/* if options.order: packets that one sent later in their flow (source,
	 * destination, SL, DLID) overtook; flows with such packets; and of the
	 * packets those of flows for which no switch had several ports */
	uint64_t reordered, reordered_flows, reordered_fixed;
	uint64_t flows;

	/* since data_report_mark, or data_new; offered and accepted as
	 * fractions of the summed link rates of all end ports */
	struct mono from, to;
	double offered, accepted;
	uint64_t packets, bytes, lost; /* delivered, dropped */
	struct data_latency whole;     /* from the time of the message */
	struct data_latency network;   /* from the first bit on the link */

	/* the first deadlock seen */
	bool deadlock;		 /* one was seen */
	bool deadlock_now;	 /* at the last search */
	struct mono deadlock_at; /* when it was found */
	unsigned cycle_length;	 /* buffers */
	unsigned dead_buffers;	 /* that no packet will ever leave */
	const char *cycle;	 /* in words, or ""; valid as long as d */
};

/* Start measuring here: the transient is over. */
void data_report_mark(struct data *d);

void data_report_get(const struct data *d, struct data_report *out);

/* One flow since data_new; all 0 if nothing was sent, or without order. */
struct data_flow_report {
	uint64_t sent, arrived, reordered;
	bool chose; /* some switch had several ports for a packet of it */
};
void data_report_flow(const struct data *d, uint32_t src, uint32_t dst,
	uint16_t dlid, uint8_t sl, struct data_flow_report *out);

/* One end port since the mark, as fractions of its link's rate. */
struct data_end_report {
	double offered, accepted;
	uint64_t sent, received; /* bytes */
};
void data_report_end(
	const struct data *d, uint32_t end, struct data_end_report *out);

/* Append the report in words. */
void data_report_print(const struct data *d, struct buf *out);

/* The time series since data_new, in bins of options.bin; NULL if none. */
struct data_bin {
	uint64_t bytes, packets;  /* delivered */
	uint64_t injected, drops; /* packets */
};
const struct data_bin *data_report_series(const struct data *d, uint32_t *n);

#endif
