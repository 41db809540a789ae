/*
 * data_traffic: the traffic that end ports send: pattern, load, message sizes.
 *
 * Every end port draws messages one after the other: their times (Poisson, or
 * as fast as the link takes them), destinations (the pattern), and cuts them
 * into packets. A message that is due while the port is busy waits outside the
 * network and its latency counts; an end port that is not Active holds its
 * messages back, or drops them (lose), as a real port in Init does.
 */
#ifndef HEDDLE_TESTS_SIM_DATA_DATA_TRAFFIC_H
#define HEDDLE_TESTS_SIM_DATA_DATA_TRAFFIC_H

#include "tests/sim/data/data.h"

enum data_pattern {
	DATA_UNIFORM, /* any other end */
	DATA_HOTSPOT, /* the part `hot` of the messages to a target, the rest
			 uniform */
	DATA_BIT_REVERSE, /* bits of the end's number reversed; an end without a
			     partner, if the number of ends is no power of 2, is
			     silent */
	DATA_SHIFT,	  /* to end + k */
	DATA_RING,	  /* to the next and the previous one, alternately */
	DATA_PERMUTATION, /* to dst[end], or by a seeded permutation */
};

enum { DATA_MAX_AHEAD = 32 };

struct data_traffic {
	enum data_pattern pattern;
	double load;	  /* of the end port's link rate; 0: saturated */
	uint32_t message; /* bytes; 0: one packet */
	uint32_t packet;  /* bytes on the wire, headers included */
	uint32_t shift;
	double hot;
	const uint32_t *target; /* [ntargets] ends; read while it runs */
	uint32_t ntargets;
	const uint32_t *dst; /* [ends], DATA_NONE: silent; copied */
	unsigned ahead;	     /* messages an end port works on at a time, so that
				one VL does not hold up another; 0: 1 */
	bool refuse; /* ahead counts per SL, and a message with that many of its
			SL waiting is not sent at all: its flow holds back, the
			others go on */
	bool lose;   /* messages of an end port that is not Active are dropped;
			not for saturated sources */
	const bool *silent; /* [ends] true: sends nothing; read while it runs;
			       NULL: all send */
	/* NULL: SL 0, the first LID of the destination */
	uint8_t (*sl)(void *cookie, uint32_t src, uint32_t dst);
	uint16_t (*dlid)(void *cookie, uint32_t src, uint32_t dst);
	void *cookie;
};

/* Uniform, saturated, packets of 2048 bytes. */
struct data_traffic data_traffic_defaults(void);

/* Replace the traffic from now on. */
void data_traffic_start(struct data *d, const struct data_traffic *t);

/* Send nothing more; messages waiting outside the network are discarded. */
void data_traffic_stop(struct data *d);

/*
 * Queue one packet at its end port like any other (at most DATA_MAX_AHEAD at a
 * time); dlid 0: the destination's. For tests by hand.
 */
void data_traffic_one(struct data *d, uint32_t src, uint32_t dst, uint16_t dlid,
	uint8_t sl, uint32_t bytes);

#endif
