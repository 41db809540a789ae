/*
 * data_int: what the files of the data plane share. No file outside tests/sim
 * includes it but the unit test of the queue.
 *
 * Ports are numbered as in the sim: port n of a node is node.first + n.
 * Identifiers call one VL of one port a channel; (port, vl) has the index port
 * * vls + vl. Its output holds the credits for the buffer at the link's far
 * end, and the inputs with packets for it; its input is the buffer of the port.
 */
#ifndef HEDDLE_TESTS_SIM_DATA_DATA_INT_H
#define HEDDLE_TESTS_SIM_DATA_DATA_INT_H

#include "sm/base/map.h"
#include "sm/base/rng.h"
#include "tests/sim/data/data.h"
#include "tests/sim/data/data_report.h"
#include "tests/sim/data/data_traffic.h"
#include "tests/sim/model/sim_int.h"

enum { DATA_BLOCK = 64, DATA_WORDS = 4, DATA_NO_VL = 255 };

struct data_event {
	int64_t t; /* ps */
	uint32_t a;
	uint16_t b;
	uint8_t kind, vl;
};

enum data_kind {
	DATA_EV_ROUTE,	 /* packet a's head has passed the routing delay */
	DATA_EV_DELIVER, /* packet a's tail is at its end port */
	DATA_EV_OUT,	 /* port a may send again */
	DATA_EV_CREDIT,	 /* b credits for output (a, vl) */
	DATA_EV_READ,	 /* an output has read a packet of buffer (a, vl) */
	DATA_EV_WAIT, /* a packet of buffer (a, vl) may take more ports now */
	DATA_EV_LIFE, /* a lifetime in buffer (a, vl) may be over */
	DATA_EV_MESSAGE, /* the next message of end a is due */
	DATA_EV_CHECK,	 /* search for deadlocks */
};

/* An event in the list of a slot of the wheel. */
struct data_node {
	struct data_event e;
	uint32_t next;
};

/* An event beyond the wheel. */
struct data_far {
	struct data_event e;
	uint64_t seq;
};

/* data_queue.c: events in order of time, then of insertion. */
struct data_queue {
	unsigned shift;	  /* a slot is 1 << shift ps wide */
	int64_t base;	  /* slot number that cur was taken from */
	uint32_t *slot;	  /* heads of lists */
	uint64_t *filled; /* bits: slots with events */
	uint32_t waiting; /* events in slots */
	struct data_node *node;
	size_t nnode, node_cap;
	uint32_t free_node;
	struct data_event *cur, *tmp;
	size_t cur_i, cur_n, cur_cap, tmp_cap;
	struct data_far *far;
	size_t nfar, far_cap;
	uint64_t seq;
	uint64_t done;
};
void data_queue_init(struct data_queue *q, unsigned shift);
void data_queue_free(struct data_queue *q);
void data_queue_push(struct data_queue *q, struct data_event e);
/* The next event if it lies before t. */
bool data_queue_pop(struct data_queue *q, int64_t t, struct data_event *e);

enum data_state {
	DATA_FREE,
	DATA_WIRE,   /* on the link to `at`, or being routed there */
	DATA_QUEUED, /* in buffer (at, vl) */
	DATA_SINK,   /* being consumed by port 0 of a switch */
};

struct data_packet {
	int64_t born, sent; /* of the message; its first bit on a link */
	int64_t tail;	    /* when its last bit is (or was) at `at` */
	int64_t head;	    /* since then it may leave its buffer; 0: not yet */
	int64_t routed;	    /* when */
	uint32_t src, dst;  /* ends */
	uint32_t at;	    /* port */
	uint32_t next;	    /* in its buffer, or of the free packets */
	uint32_t late;	    /* it has not chosen yet: late[] + 1; 0: by out and
			       out_vl      alone */
	uint32_t flow, seq; /* options.order: index, number in its flow */
	uint16_t dlid, bytes, blocks, epoch;
	uint8_t sl, vl, out, out_vl, hops, state;
	bool chose; /* some switch had several ports for it */
};

/* The ports of a packet that chooses when it leaves. */
struct data_late {
	struct sim_hops h;
	bool only_escape; /* it does not wait for other ports */
	uint32_t next;	  /* of the free ones */
};

/* Packets from one end to another with one DLID and SL. */
struct data_flow {
	uint32_t sent, last; /* the highest number that arrived */
	uint32_t arrived, reordered;
	bool chose; /* a packet of it did */
};

/* Where a Bounded flow last left a switch. */
struct data_bound {
	int64_t last; /* ps */
	uint8_t port;
};

struct data_in {
	uint32_t head, tail, n; /* packets */
	uint32_t reads;		/* outputs reading it now */
	uint32_t fly, occ; /* blocks on the link; in use (until the credit is
			      back at the sender) */
	int64_t life;	   /* when DATA_EV_LIFE is due, 0: not armed */
};

struct data_out {
	uint64_t want[DATA_WORDS]; /* input ports */
	int32_t credit;		   /* blocks */
	uint32_t queued; /* blocks of packets that wait for it and for no other
			    one */
	uint8_t last;	 /* input port that was served */
};

/* VL arbitration (IBA 7.6.9). */
struct data_arb {
	uint8_t hi, lo;		   /* entries */
	uint16_t hi_left, lo_left; /* weight left of the entry, in blocks */
	uint32_t spent; /* blocks of the high table since the last low one */
};

struct data_port {
	int64_t busy; /* sends until then */
	uint32_t peer, node, end;
	uint32_t fs;	/* per byte */
	uint16_t want;	/* VLs that some input has packets for */
	uint16_t in;	/* VLs with packets in their buffer */
	uint16_t epoch; /* counts how often the link went down */
	uint16_t mtu;
	uint8_t num, vls, last_vl;
	bool armed; /* a DATA_EV_OUT is due when busy is over */
	bool live;  /* Active: may send */
	bool open;  /* Armed or Active: may receive */
	bool is_switch;
	struct data_arb arb;
};

/* A message that an end port is working on. */
struct data_message {
	int64_t born;
	uint32_t dst, left; /* bytes */
	uint16_t dlid, packet;
	uint8_t sl;
};

struct data_end {
	uint32_t port;
	uint32_t dst;	  /* fixed patterns */
	struct rng rng;	  /* its own: its draws depend on no other end */
	int64_t due;	  /* next message, INT64_MAX: none */
	int64_t armed;	  /* DATA_EV_MESSAGE is due then, or INT64_MAX */
	int64_t mean;	  /* between messages; 0: saturated */
	uint32_t turn, n; /* messages made; in slots */
	uint64_t refused; /* messages */
	uint64_t made, sent, received;	     /* bytes, in all */
	uint64_t made_0, sent_0, received_0; /* at the mark */
	struct data_message *slot;	     /* [DATA_MAX_AHEAD], in order */
};

/* Latencies: 64 buckets for every power of two. */
enum { DATA_HIST = 64 * 44 };
struct data_hist {
	uint64_t n, bucket[DATA_HIST];
	int64_t min, max;
	uint64_t sum;
};

struct data {
	struct sim *s;
	struct data_options o;
	int64_t now, delay, route; /* ps */
	struct data_queue q;

	struct data_port *port; /* [s->nports] */
	struct data_in *in;	/* buffers, [nports * vls] */
	struct data_out *out;
	unsigned vls;
	int32_t cap; /* blocks of a buffer */

	struct data_packet *packet;
	size_t npacket, packet_cap;
	uint32_t free_packet;
	uint64_t in_flight;

	struct data_late *late;
	size_t nlate, late_cap;
	uint32_t free_late;
	struct rng tie;	   /* among equal ports */
	struct map bounds; /* flow at a switch -> bound[] */
	struct data_bound *bound;
	size_t nbound, bound_cap;
	struct map flows; /* key of a flow -> flow[] */
	struct data_flow *flow;
	size_t nflow, flow_cap;

	struct data_end *end;
	uint32_t nends;
	struct data_message *slots;
	uint32_t *live; /* [nends] ends with a LID, in order */
	uint32_t nlive;
	bool sending;
	struct data_traffic t;

	uint64_t injected, delivered, dropped, drop[DATA_DROPS], hops;
	int64_t mark;
	uint64_t delivered_0, dropped_0, bytes, bytes_0;
	struct data_hist whole, network;
	struct data_bin *bin;
	size_t nbin, bin_cap;
	int64_t bin_ps;

	bool deadlock, deadlock_now;
	int64_t deadlock_at;
	unsigned cycle_length, dead_buffers;
	struct buf cycle;
};

static inline struct data_in *
data_int_in(const struct data *d, uint32_t port, unsigned vl)
{
	return &d->in[(size_t)port * d->vls + vl];
}

static inline struct data_out *
data_int_out(const struct data *d, uint32_t port, unsigned vl)
{
	return &d->out[(size_t)port * d->vls + vl];
}

static inline void
data_int_at(struct data *d, int64_t t, enum data_kind kind, uint32_t a)
{
	data_queue_push(&d->q,
		(struct data_event){.t = t, .a = a, .kind = (uint8_t)kind});
}

/* data_net.c: packets, links and credits. */
uint32_t data_net_packet(struct data *d); /* a new one, zeroed */
/* Send a packet that fits (credits) out of an idle port. */
void data_net_send(struct data *d, uint32_t port, unsigned vl, uint32_t px);
/* Blocks of buffer (port, vl) are free again at time t. */
void data_net_free_later(
	struct data *d, uint32_t port, unsigned vl, uint32_t blocks, int64_t t);
/* A port may have a packet to send: arm DATA_EV_OUT for when it is idle. */
void data_net_arm(struct data *d, uint32_t port);
void data_net_credit(struct data *d, const struct data_event *e);
/* A packet leaves the network, dropped or delivered. */
void data_net_drop(struct data *d, uint32_t px, enum data_drop why);
void data_net_deliver(struct data *d, uint32_t px);
/* Read a port's settings from the sim. */
void data_net_refresh(struct data *d, uint32_t port);
/* Time of bytes on a link, in ps. */
int64_t data_net_time(const struct data_port *p, uint64_t bytes);

/* data_arb.c: the ready VL to serve; blocks[vl]: size of its next packet. */
unsigned data_arb_pick(struct data *d, uint32_t port, unsigned ready,
	const uint16_t blocks[16]);

/* data_switch.c */
void data_switch_route(struct data *d, uint32_t px);
void data_switch_output(struct data *d, uint32_t port);
void data_switch_read(struct data *d, uint32_t port, unsigned vl);
void data_switch_waited(struct data *d, uint32_t port, unsigned vl);
void data_switch_life(struct data *d, uint32_t port, unsigned vl);
/* Drop the packets for an output that went down, or all in a buffer. */
void data_switch_output_died(struct data *d, uint32_t port);
void data_switch_flush(struct data *d, uint32_t port);
/* The VL for an SL from one port to another; 255: none. */
unsigned data_switch_vl(
	const struct data *d, uint32_t in, uint32_t out, unsigned sl);
/* Whether packet px may leave as far as its buffer is concerned. */
bool data_switch_offered(const struct data *d, uint32_t px);

/* data_walk.c: the packets of a buffer that may leave, oldest first. */
struct data_walk {
	uint32_t px, prev; /* the packet, and the one before it in the buffer */
	uint32_t next, left, blocks;
	bool split, ordered, done;
};
struct data_walk data_walk_start(
	const struct data *d, uint32_t port, unsigned vl);
bool data_walk_next(const struct data *d, struct data_walk *w);
/* Whether a switch of kind escapes; port: any of its ports. */
bool data_walk_split(const struct data *d, uint32_t port);

/* data_adaptive.c: a packet with more than one port. */
/* What the switch where k arrived says, usable ports only. */
void data_adaptive_hops(
	const struct data *d, const struct data_packet *k, struct sim_hops *h);
/* The port of a switch that commits, one of h's. */
unsigned data_adaptive_commit(
	struct data *d, const struct data_packet *k, const struct sim_hops *h);
/* k keeps the ports of h until it leaves or is dropped. */
void data_adaptive_keep(
	struct data *d, struct data_packet *k, const struct sim_hops *h);
void data_adaptive_release(struct data *d, struct data_packet *k);
/* Whether k may leave by (out, vl) now, if the next buffer has this credit. */
bool data_adaptive_may(const struct data *d, const struct data_packet *k,
	unsigned out, unsigned vl, int32_t credit);
/* All ports that k may ever leave by, as a mask. */
void data_adaptive_ports(const struct data *d, const struct data_packet *k,
	uint64_t ports[SIM_HOP_WORDS]);
/* A port of k's went down; false: it has no other one. */
bool data_adaptive_lose(struct data *d, struct data_packet *k, unsigned port);

/* data_flow.c: the order of packets; without options.order they do nothing. */
void data_flow_sent(struct data *d, struct data_packet *k);
void data_flow_arrived(struct data *d, const struct data_packet *k);
const struct data_flow *data_flow_find(const struct data *d, uint32_t src,
	uint32_t dst, uint16_t dlid, uint8_t sl); /* NULL: none */
void data_flow_free(struct data *d);

/* data_host.c */
void data_host_output(struct data *d, uint32_t port);
void data_host_due(struct data *d, uint32_t end);

/* data_traffic.c: the next message of an end; false: none. */
bool data_traffic_next(struct data *d, uint32_t end, struct data_message *m);
void data_traffic_pace(
	struct data *d, uint32_t end); /* set the time of the one after */

/* data_deadlock.c */
void data_deadlock_look(struct data *d);

/* data_report.c */
void data_report_count(struct data *d, const struct data_packet *k);
struct data_bin *data_report_bin(struct data *d, int64_t t);

#endif
