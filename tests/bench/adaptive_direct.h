/*
 * adaptive_direct: larger fabrics of adaptive switches, for `adaptive`. Links
 * of 4x HDR, packets of 2 KiB, buffers of 16 KiB a VL, one VL.
 *
 * Direct networks are of switches of kind escapes, under IBA's rule that no
 * packet leaves by its in-port. Escapes are the entries of the subnet manager;
 * a packet waits 10 us before it takes one, since they are few and soon full,
 * and 0.1 us before a detour, which packets of hosts may make at their first
 * switch. Trees are of switches that commit, with tables and groups by the
 * subnet manager, as routing.adaptive.prefer has them: flat, or the default
 * port first.
 */
#ifndef HEDDLE_TESTS_BENCH_ADAPTIVE_DIRECT_H
#define HEDDLE_TESTS_BENCH_ADAPTIVE_DIRECT_H

/* Print the rows of dragonfly, torus and HyperX, and of trees. */
void adaptive_direct(void);
void adaptive_direct_trees(void);
void adaptive_direct_declared(void);

#endif
