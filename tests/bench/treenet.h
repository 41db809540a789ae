/*
 * treenet: the fabrics on which routing of trees is measured, by name.
 *
 *	648:X:Y     two levels of 36-port switches, X hosts on even leaves and
 *	            Y on odd ones
 *	3456:X:Y    three levels of 24-port switches
 *	racks:X:Y   a 648-port chassis above racks of two switches, X and Y
 *	            hosts a rack
 *	thirds:N:X  N thirds of that, X hosts a rack: 216, 432 ports
 *	juropa:X:Y  eight of these above racks
 *	ranger:X:Y  two 3456-port trees above rack switches
 *	two:S:L:H   S spines, L leaves of H hosts
 *	three:K     three levels of K-port switches, all full
 *	three:K:X:Y with X hosts on even leaves and Y on odd ones
 *	dfly:A:P:H  a dragonfly: groups of A switches, P hosts and H links to
 *	            other groups each; 8:4:4 (1056 hosts) unless said
 *	torus:N:D:P N^D switches of P hosts each; 8:3:1 unless said
 *	hyperx:A:B:P  A x B switches of P hosts each
 *	petersen:N:K:P  the generalized Petersen graph GP(N, K), P hosts each
 *	irr64       irr:64:6:4
 *	irr:N:D:P   N switches of degree D, at random, P hosts each
 *	NAME        an ibnetdiscover file of the fixtures, less ".ibnet"
 *
 * followed by any of these, which are applied in this order:
 *
 *	,rails      every host has a second port on the next leaf
 *	,pairs      hosts of neighbouring leaves are one node
 *	,sharp      aggregation nodes everywhere
 *	,bare       no aggregation nodes
 *	,fail=N     N cables between switches fail, the rest stays connected
 *	,seed=S     seed of their choice
 */
#ifndef HEDDLE_TESTS_BENCH_TREENET_H
#define HEDDLE_TESTS_BENCH_TREENET_H

#include "tests/topo/fabric.h"

/* NULL and why if it cannot be made. */
struct fabric *treenet_make(
	const char *name, const char *fixtures, struct reason *why);

#endif
