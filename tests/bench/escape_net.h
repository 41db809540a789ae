/*
 * escape_net: a fabric of switches of kind escapes (tests/sim/model/sim_hops.h)
 * with the tables of Martinez et al. (2003), made here and not by the subnet
 * manager, and traffic on it.
 *
 * Every host has a row of 2^LMC LIDs. The first entry of a row is the escape,
 * by up/down routing: the switches are ordered breadth first from switch 0, and
 * a packet goes down as soon as it can. The others are ports on shortest paths,
 * beginning with those that are not the escape, and repeated until the row is
 * full. Equal choices are drawn for each host. Or the subnet manager brings the
 * fabric up, and its entries are the escapes; alternatives are added to them.
 */
#ifndef HEDDLE_TESTS_BENCH_ESCAPE_NET_H
#define HEDDLE_TESTS_BENCH_ESCAPE_NET_H

#include "sm/base/rng.h"
#include "tests/sim/data/data.h"
#include "tests/sim/data/data_report.h"
#include "tests/sim/data/data_traffic.h"
#include "tests/sim/model/world.h"
#include "tests/topo/fabric.h"

struct escape_net_options {
	unsigned entries; /* different ones in a row, the escape included, 2 to
			     128 */
	double fixed;	  /* this part of the switches is of kind fixed */
	/* IBA's rule that no packet leaves by its in-port: no alternative leads
	 * to a switch whose escape leads back */
	bool strict;
	bool legal;	 /* alternatives by the order alone, as the escape */
	bool by_manager; /* LIDs and escapes by the subnet manager, with updn */
	uint64_t seed;
};

struct escape_net {
	struct escape_net_options o;
	struct fabric *f;
	struct sim *s;
	struct world *w; /* by_manager: owns s */
	uint32_t nsw, nhosts, row;
	uint32_t *sw;	/* [nsw] node of a switch, in the order */
	uint32_t *rank; /* [nnodes] its place there */
	uint32_t *host; /* [nnodes] number of a host */
	uint16_t *dist; /* [nsw * nsw] links between switches, by rank */
	struct escape_net_mix {
		const struct data *d;
		struct rng r;
		uint32_t adaptive; /* of 2^16 messages */
	} mix;			   /* of the traffic that runs */
};

/* Takes f, whose switches have one link at most to a host. */
struct escape_net *escape_net_new(
	struct fabric *f, const struct escape_net_options *o);
void escape_net_free(struct escape_net *n); /* NULL allowed */

/* The LID of a host (a node) for ordered packets, or for adaptive ones. */
uint16_t escape_net_lid(
	const struct escape_net *n, uint32_t node, bool adaptive);

/* The paper's switch: 1 KiB a VL, 100 ns to route, cables of 20 m. It has
 * another KiB behind the crossbar, at the outputs, which this one has not. */
struct data_options escape_net_switch(void);

/* The paper's link: 1x SDR, four nanoseconds a byte. */
void escape_net_slow(struct fabric *f);

struct escape_net_load {
	struct data_traffic t; /* its dlid is set here */
	double adaptive;       /* part of the messages */
	struct mono warm, span;
};

/*
 * Traffic on an empty network, measured after the transient. The data plane is
 * the caller's, with the traffic still on; n must outlive it.
 */
struct data *escape_net_run(struct escape_net *n, const struct data_options *o,
	const struct escape_net_load *l, struct data_report *out);

/*
 * The load that the hosts accept, of their links, when the mean latency of a
 * message reaches `limit`: by bisection, to 1 %. 1 if it never does.
 */
double escape_net_throughput(struct escape_net *n, const struct data_options *o,
	const struct escape_net_load *l, struct mono limit);

#endif
