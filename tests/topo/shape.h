/*
 * shape: a fabric by the name of its shape, for tests and benchmarks.
 *
 *	two:S:L:H[:O[:C]]   S spines, L leaves of H hosts each, O on every
 *			    second one, C cables between a leaf and a spine
 *	648:X:Y		    two:18:36:X:Y
 *	three:K[:X:Y]	    three levels of K-port switches, all full or with X
 *			    hosts on even leaves and Y on odd ones
 *	3456:X:Y	    three:24:X:Y
 *	kary:K:N	    a K-ary N-tree
 *	racks:X:Y	    a 648-port chassis above racks of two switches, X
 *			    and Y hosts a rack
 *	thirds:N:X	    N thirds of that, X hosts a rack: 216, 432 ports
 *	juropa:X:Y	    eight of these above racks
 *	ranger:X:Y	    two 3456-port trees above rack switches
 *	planes:N:R:S:H:C    N planes of S spines, R racks with a leaf of H hosts
 *			    in each plane and C cables between any two of them
 *	mesh:AxB..[:H]	    a mesh, a hypercube (2x2x2), a line (5), H hosts at
 *			    each switch, 1 unless said
 *	torus:AxB..[:H]	    the same, closed to rings
 *	hyperx:AxB..[:H]    all pairs that differ in one coordinate are linked
 *	dragonfly:A:P:H	    groups of A switches, P hosts and H links to other
 *			    groups each
 *	slimfly:Q:H	    two groups of Q x Q switches of H hosts each
 *	petersen:N:K:H	    the generalized Petersen graph GP(N, K), H hosts
 *			    each
 *	random:N:D:H[:SEED] N switches of degree D, at random, H hosts each
 *
 * followed by any of these, which are applied in this order:
 *
 *	,rails		    every host has a second port on the next leaf
 *	,pairs		    hosts of neighbouring leaves are one node
 *	,sharp		    aggregation nodes everywhere
 *	,bare		    no aggregation nodes
 *	,fail=N		    N cables between switches fail, the rest stays
 *			    connected
 *	,cut=N		    the same, whatever stays connected
 *	,seed=S		    seed of their choice, 1 unless said
 */
#ifndef HEDDLE_TESTS_TOPO_SHAPE_H
#define HEDDLE_TESTS_TOPO_SHAPE_H

#include "tests/topo/fabric.h"

/* The name as by printf; the program ends with the reason if there is no such
 * fabric. */
struct fabric *shape_of(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/* NULL and why if there is no such fabric. */
struct fabric *shape_make(const char *name, struct reason *why);

/* The same, where a name that is no shape is a file NAME.ibnet of the folder.
 */
struct fabric *shape_load(
	const char *name, const char *folder, struct reason *why);

#endif
