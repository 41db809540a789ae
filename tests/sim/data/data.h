/*
 * data: packets on the simulated fabric - its data plane.
 *
 * End ports inject packets, switches forward them by the tables that are
 * installed in the simulated switches at that moment, links carry them at
 * their rate, and buffers fill. Both planes share one virtual clock: a packet
 * is routed after everything that the management plane did before, so that
 * traffic meets a table update in flight. What a subnet manager believes is
 * not looked at: a deadlock here is a deadlock, a drop is a drop.
 *
 *	host --> link --> [input buffer per VL] --> crossbar --> link --> host
 *	 |       rate,     credits for a whole      VL weights,
 *	traffic  delay     packet beforehand        round robin
 *
 * The model. Virtual cut-through: a packet's head is routed (a fixed delay
 * after it arrived) and may leave before its tail has come; it leaves only
 * when the next buffer has room for all of it, in credits of 64 bytes (IBA
 * volume 1, 7.9), and credits come back, one cable's delay after the tail has
 * left. The output port and VL are chosen once, when the packet is routed
 * (LFT with LinearFDBTop, SL2VL of the pair of ports: 18.2.4, 7.6.6); what is
 * written to tables later does not reach it. A packet that cannot leave waits
 * in its input buffer and keeps those behind it waiting: how far the switch
 * looks past the first one is an option, 1 being a plain FIFO. The order on an
 * output is: VL by the port's VLArb tables, then inputs in turn. Not modelled:
 * congestion control, static rate, partitions, multicast, VLStallCount, what
 * sim_fault_cross does.
 *
 * The same seed and the same calls give the same run, in however many pieces
 * the clock is advanced. Times inside are in picoseconds: a byte at 4x HDR
 * takes 40 of them.
 */
#ifndef HEDDLE_TESTS_SIM_DATA_DATA_H
#define HEDDLE_TESTS_SIM_DATA_DATA_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/base/buf.h"
#include "sm/base/clock.h"
#include "sm/base/reason.h"
#include "tests/sim/model/sim.h"

struct data;

#define DATA_NONE UINT32_MAX

/* What an adaptive switch knows when it routes a packet. */
struct data_choice {
	struct data *d;
	uint32_t node;
	uint8_t in;  /* 0..nports */
	uint8_t out; /* what the LFT says */
	uint16_t dlid;
	uint8_t sl;
};

struct data_options {
	uint64_t seed;
	struct mono delay;  /* of a cable */
	struct mono route;  /* from the head's arrival to its output port */
	uint32_t buffer;    /* bytes per input port and VL */
	uint32_t lookahead; /* packets of a buffer that may leave, in order of
			       arrival per output; 1: only the first */
	uint32_t reads;	    /* outputs that a buffer feeds at a time; 0: any
			       number */
	bool lifetimes; /* HOQLife and SwitchInfo.LifeTimeValue drop packets */
	struct mono check; /* how often to look for deadlock; 0: never */
	struct mono bin;   /* of the time series; 0: none is kept */
	/* adaptive routing: the port to take instead of c->out, or c->out */
	unsigned (*choose)(void *cookie, const struct data_choice *c);
	void *cookie;
};

/*
 * A switch as they are sold: 25 ns a cable (5 m), 100 ns a switch, 16 KiB per
 * port and VL, any packet of a buffer may leave, to any number of outputs at a
 * time (a shared buffer memory that keeps up with all ports); no lifetimes;
 * deadlock looked for every 20 us, no time series. Under uniform traffic it
 * takes some 92 % of the links' rate. data_fifo: the same with plain FIFOs,
 * read by one output at a time: some 55 %.
 */
struct data_options data_defaults(void);
struct data_options data_fifo(void);

/*
 * A data plane for s, which must outlive it; at most one. Its end ports are
 * all CA and router ports that have a cable, in node order. No traffic yet.
 */
struct data *data_new(struct sim *s, const struct data_options *o);
void data_free(struct data *d); /* NULL allowed */

/*
 * Advance both planes to t. The same as sim_run_until: whoever runs the sim,
 * runs the data plane. Everything before t is done, what lies at t is not.
 */
void data_run_until(struct data *d, struct mono t);

/* End ports: how many, where, and which one this is (or DATA_NONE). */
uint32_t data_ends(const struct data *d);
uint32_t data_end_node(const struct data *d, uint32_t end);
unsigned data_end_port(const struct data *d, uint32_t end);
uint32_t data_end_at(const struct data *d, uint32_t node, unsigned port);

/* For choose: credits (64 bytes) behind an output, and is it sending? */
uint32_t data_credits(
	const struct data *d, uint32_t node, unsigned port, unsigned vl);
bool data_busy(const struct data *d, uint32_t node, unsigned port);

enum data_drop {
	DATA_DROP_255,	    /* no entry in the LFT */
	DATA_DROP_TOP,	    /* DLID beyond LinearFDBTop */
	DATA_DROP_NO_PORT,  /* the entry names a port that is not there */
	DATA_DROP_SAME,	    /* output port is input port */
	DATA_DROP_DEAD,	    /* output port not Active */
	DATA_DROP_LINK,	    /* cable went down under it, or far end not Armed */
	DATA_DROP_VL15,	    /* SL2VL says 15 */
	DATA_DROP_VL,	    /* SL2VL names a VL that is not operational */
	DATA_DROP_MTU,	    /* longer than the output port's MTU */
	DATA_DROP_STRANGER, /* arrived at an end port that has another LID */
	DATA_DROP_HOQ,	    /* head-of-queue lifetime */
	DATA_DROP_LIFE,	    /* switch lifetime */
	DATA_DROP_NODE,	    /* was in a node that went away or rebooted */
	DATA_DROPS,
};
const char *data_drop_name(enum data_drop why);

/* Everything that every buffer, credit and packet must obey; -1 and why. */
int data_check(const struct data *d, struct reason *why);

#endif
