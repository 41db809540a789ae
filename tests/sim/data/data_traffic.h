/*
 * data_traffic: what the end ports send, to whom, how much.
 *
 * Every end port draws messages one after the other: when (Poisson, or as fast
 * as the link takes them), to whom (the pattern), cut into packets. A message
 * whose time has come while the port is busy waits outside the network and its
 * latency counts; an end port that is not Active holds its messages back, or
 * loses them, which is what a port in Init does with what it is given.
 */
#ifndef HEDDLE_TESTS_SIM_DATA_DATA_TRAFFIC_H
#define HEDDLE_TESTS_SIM_DATA_DATA_TRAFFIC_H

#include "tests/sim/data/data.h"

enum data_pattern {
	DATA_UNIFORM,	  /* anybody else */
	DATA_HOTSPOT,	  /* `hot` of the messages to a target, rest uniform */
	DATA_BIT_REVERSE, /* bits of the end's number; who has no partner in a
			     number that is no power of 2, is silent */
	DATA_SHIFT,	  /* to end + k */
	DATA_RING,	  /* to the next and the previous one, in turn */
	DATA_PERMUTATION, /* to dst[end], or of a seeded permutation */
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
	bool refuse; /* ahead counts per SL, and a message whose SL has so many
			waiting is not sent at all: its flow holds back, the
			others go on */
	bool lose;   /* what an end port that is not Active is given, is
			dropped; not for saturated sources */
	const bool *silent; /* [ends] these send nothing; read while it runs;
			       NULL: all send */
	/* NULL: SL 0, the first LID of the destination */
	uint8_t (*sl)(void *cookie, uint32_t src, uint32_t dst);
	uint16_t (*dlid)(void *cookie, uint32_t src, uint32_t dst);
	void *cookie;
};

/* Uniform, saturated, packets of 2048 bytes. */
struct data_traffic data_traffic_defaults(void);

/* Send like this from now on, instead of what was sent before. */
void data_traffic_start(struct data *d, const struct data_traffic *t);

/* Send nothing more; what waits outside the network is forgotten. */
void data_traffic_stop(struct data *d);

/*
 * One packet, from now on waiting at its end port like any other (at most
 * DATA_MAX_AHEAD at a time); dlid 0: the destination's. For tests by hand.
 */
void data_traffic_one(struct data *d, uint32_t src, uint32_t dst, uint16_t dlid,
	uint8_t sl, uint32_t bytes);

#endif
