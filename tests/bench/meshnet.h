/*
 * meshnet: the fabrics on which routing in layers is measured, by name.
 *
 *	torusAxBx...	   a torus, a host a switch
 *	meshAxB...	   the same without the links that close its rings
 *	hyperxAxB:P	   A x B switches of P hosts each
 *	dragonflyA:P:H	   groups of A switches, P hosts and H links to other
 *			   groups each
 *	slimflyQ:P	   two groups of Q x Q switches of P hosts each
 *	petersenN:K:P	   the generalized Petersen graph GP(N, K), P hosts each
 *	randomN:D:P	   N switches of degree D, at random, P hosts each
 */
#ifndef HEDDLE_TESTS_BENCH_MESHNET_H
#define HEDDLE_TESTS_BENCH_MESHNET_H

#include "tests/topo/fabric.h"

/* NULL and why if there is no fabric of this name, or it cannot be made. */
struct fabric *meshnet_make(const char *name, struct reason *why);

#endif
