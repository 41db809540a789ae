/*
 * data: packets on the simulated fabric - its data plane.
 *
 * End ports inject packets, switches forward them by the tables that are
 * installed in the simulated switches at that moment, links carry them at their
 * rate, and buffers fill. Both planes share one virtual clock: a packet is
 * routed after everything that the management plane did before, so that traffic
 * meets a table update in flight. What a subnet manager believes has no part in
 * it: a deadlock here is a deadlock, a drop is a drop.
 *
 *	host --> link --> [input buffer per VL] --> crossbar --> link --> host
 *	 |       rate,     credits for a whole      VL weights,
 *	traffic  delay     packet beforehand        round robin
 *
 * The model. Virtual cut-through: a packet's head is routed (a fixed delay
 * after it arrived) and may leave before its tail has come; it leaves only when
 * the next buffer has room for all of it, in credits of 64 bytes (IBA volume 1,
 * 7.9), and credits come back one link delay after the tail has left. The
 * output port and VL are chosen once, when the packet is routed (LFT with
 * LinearFDBTop, SL2VL of the pair of ports: 18.2.4, 7.6.6); later writes to
 * tables do not affect it, but see below for the kind escapes. A packet that
 * cannot leave waits in its input buffer and blocks those behind it: how many
 * packets the switch considers is an option (lookahead), 1 being a plain FIFO.
 * An output serves VLs by the port's VLArb tables, and inputs round robin. Not
 * modelled: congestion control, static rate, partitions, multicast,
 * VLStallCount, crossed links (sim_fault_cross).
 *
 * Adaptive switches do what they hold (tests/sim/model/sim_hops.h). One that
 * commits takes, when a packet is routed, the usable port with the fewest
 * blocks of packets waiting for it, among equals that with the most credits;
 * secondary ports take part once the best preferred one has `congested` blocks
 * waiting. A port is usable if it is Active, SL2VL has a VL and it is not the
 * in-port. In a switch of kind escapes a packet keeps all its ports until one
 * of them takes it:
 *
 *	head                  half of the credits            tail
 *	[ 1 | 2 | 3 | ... | n | n+1 | ...                        ]
 *	  ^   adaptive half     ^    escape half
 *	  first read point      second: the first ordered packet of the adaptive
 *	                        half, if there is one, else the first packet
 *	                        that does not lie wholly in it
 *
 * An alternative is taken only if the next buffer has room for the packet and
 * for half a buffer more, the escape if it has room for the packet, in either
 * case after a wait that is an option. Hence what lies in the second half of a
 * buffer came by an escape, and can go on by one (Martinez et al. 2003, 4.4).
 *
 * The same seed and the same calls give the same run, whatever the steps by
 * which the clock is advanced. Internal times are in picoseconds: a byte at 4x
 * HDR takes 40.
 */
#ifndef HEDDLE_TESTS_SIM_DATA_DATA_H
#define HEDDLE_TESTS_SIM_DATA_DATA_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/base/buf.h"
#include "sm/base/clock.h"
#include "sm/base/reason.h"
#include "tests/scope.h"
#include "tests/sim/model/sim.h"
#include "tests/sim/model/sim_hops.h"

struct data;

#define DATA_NONE UINT32_MAX

/* A packet that a switch routes. */
struct data_choice {
	uint32_t node;
	uint8_t in; /* 0..nports */
	uint16_t dlid;
	uint8_t sl;
};

struct data_options {
	uint64_t seed;
	struct mono delay;  /* of a link */
	struct mono route;  /* from the head's arrival to its output port */
	uint32_t buffer;    /* bytes per input port and VL */
	uint32_t lookahead; /* packets of a buffer that may leave, in order of
			       arrival per output; 1: only the first */
	uint32_t reads; /* outputs reading a buffer at a time; 0: any number */
	bool lifetimes; /* HOQLife and SwitchInfo.LifeTimeValue drop packets */
	struct mono check; /* interval of the search for deadlocks; 0: never */
	struct mono bin;   /* of the time series; 0: none */
	bool order;	   /* count packets out of order, flow by flow */
	/* adaptive switches */
	uint32_t congested; /* blocks; from so many on secondary ports count */
	/* kind escapes: how long a packet waits at a read point before it may
	 * take a secondary port, and its escape */
	struct mono second_wait, escape_wait;
	bool turn_back; /* packets may leave by the port that they came in by,
			   which IBA forbids, and the paper needs */
	bool no_half;	/* kind escapes without the half of the buffer that is
			   kept: to see it deadlock */
	/* experiments: changes what sim_hops says of a packet; NULL: nothing */
	void (*hops)(
		void *cookie, const struct data_choice *c, struct sim_hops *h);
	void *cookie;
};

/*
 * A common switch: 25 ns per link (5 m), 100 ns per switch, 16 KiB per port and
 * VL, any packet of a buffer may leave, to any number of outputs at a time (a
 * shared buffer memory that keeps up with all ports); no lifetimes; a search
 * for deadlocks every 20 us, no time series. Uniform traffic reaches some 92 %
 * of the links' rate. data_fifo: the same with plain FIFOs, read by one output
 * at a time: some 55 %.
 */
struct data_options data_defaults(void);
struct data_options data_fifo(void);

/*
 * A data plane for s, which must outlive it; at most one. Its end ports are all
 * CA and router ports with a link, in node order. No traffic yet.
 */
struct data *data_new(struct sim *s, const struct data_options *o);
void data_free(struct data *d); /* NULL allowed */
AUTO_POINTER(data, struct data, data_free)

/*
 * Advance both planes to t; the same as sim_run_until, which runs the data
 * plane too. Packet events before t are done, those at t are not.
 */
void data_run_until(struct data *d, struct mono t);

/*
 * End ports: their number; node and port of one; the one at a port, or
 * DATA_NONE.
 */
uint32_t data_ends(const struct data *d);
uint32_t data_end_node(const struct data *d, uint32_t end);
unsigned data_end_port(const struct data *d, uint32_t end);
uint32_t data_end_at(const struct data *d, uint32_t node, unsigned port);

/* The credits (64 bytes) of an output. */
uint32_t data_credits(
	const struct data *d, uint32_t node, unsigned port, unsigned vl);

enum data_drop {
	DATA_DROP_255,	   /* no entry in the LFT */
	DATA_DROP_TOP,	   /* DLID beyond LinearFDBTop */
	DATA_DROP_NO_PORT, /* the entry names a port that does not exist */
	DATA_DROP_SAME,	   /* output port is input port */
	DATA_DROP_DEAD,	   /* output port not Active */
	DATA_DROP_LINK,	   /* link went down on the way, or far end not Armed */
	DATA_DROP_VL15,	   /* SL2VL says 15 */
	DATA_DROP_VL,	   /* SL2VL names a VL that is not operational */
	DATA_DROP_MTU,	   /* longer than the output port's MTU */
	DATA_DROP_STRANGER, /* arrived at an end port with another LID */
	DATA_DROP_HOQ,	    /* head-of-queue lifetime */
	DATA_DROP_LIFE,	    /* switch lifetime */
	DATA_DROP_NODE,	    /* was in a node that left or rebooted */
	DATA_DROPS,
};
const char *data_drop_name(enum data_drop why);

/*
 * Check the invariants of all buffers, credits and packets. 0, or -1 and why.
 */
int data_check(const struct data *d, struct reason *why);

#endif
