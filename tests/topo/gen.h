/*
 * gen: generators of fabrics. gen_* make direct networks, gen_tree_* trees,
 * gen_paper_* the fabrics of one thesis, gen_edit_* change an existing fabric.
 * The same arguments give the same fabric on every machine: random choices come
 * from the seed.
 *
 * Names: switches are named after their place ("leaf3", "sw1.0.2"), hosts "h1",
 * "h2", ... in the order in which they are made. Leaves come before their
 * hosts, so a subnet manager cannot rely on node order to find tiers.
 *
 * Every maker returns NULL and a reason if the numbers are impossible (a switch
 * of more than 254 ports, an odd number of stubs in a regular graph).
 */
#ifndef HEDDLE_TESTS_TOPO_GEN_H
#define HEDDLE_TESTS_TOPO_GEN_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/topo/fabric.h"

enum { GEN_MAX_DIMS = 16 };

/* Two hosts on one link, no switch. */
struct fabric *gen_pair(void);

/*
 * An n-dimensional grid of dim[0] x dim[1] x ..., hosts at every switch. wrap
 * joins the ends of each dimension that is longer than 2 (a torus); a line, a
 * ring, one lone switch and a hypercube are grids too.
 */
struct fabric *gen_grid(const unsigned *dim, unsigned ndims, bool wrap,
	unsigned hosts, struct reason *why);

/* HyperX: all pairs of switches that differ in one coordinate have a link. */
struct fabric *gen_hyperx(const unsigned *dim, unsigned ndims, unsigned hosts,
	struct reason *why);

/*
 * The balanced dragonfly: groups of a switches, fully linked inside, p hosts
 * and h global links at every switch, a * h + 1 groups, one link between any
 * two.
 */
struct fabric *gen_dragonfly(
	unsigned a, unsigned p, unsigned h, struct reason *why);

/*
 * Slim Fly: two squares of q by q switches, q a prime and 1 more than a
 * multiple of 4; no two of the 2 q^2 are farther apart than two links (Besta
 * and Hoefler 2014).
 */
struct fabric *gen_slimfly(unsigned q, unsigned hosts, struct reason *why);

/*
 * The generalized Petersen graph GP(n, k), 0 < k < n / 2: a ring of n switches,
 * each with a spoke to one of n inner switches, which are linked to those k
 * steps on; hosts at each.
 */
struct fabric *gen_petersen(
	unsigned n, unsigned k, unsigned hosts, struct reason *why);

/* A connected random graph of n switches of degree d, hosts at each. */
struct fabric *gen_random(unsigned n, unsigned d, unsigned hosts, uint64_t seed,
	struct reason *why);

/*
 * Two-level fat tree: `parallel` links between every leaf and every spine,
 * hosts_even hosts at leaves 0, 2, ... and hosts_odd at the others.
 */
struct gen_fattree2 {
	unsigned spines, leaves, parallel, hosts_even, hosts_odd;
};
struct fabric *gen_tree_two(const struct gen_fattree2 *p, struct reason *why);

/*
 * Three-level fat tree of k-port switches: k pods of k/2 leaves and k/2 middle
 * switches, k*k/4 top switches, k*k*k/4 hosts. k = 24: 720 switches, 3456
 * hosts.
 */
struct fabric *gen_tree_three(unsigned k, struct reason *why);

/*
 * Parallel-port generalized fat tree PGFT(h; m[0..]; w[0..]; p[0..]): level 0
 * are hosts, a node of level i has w[i] parents (p[i] links to each) and one of
 * level i + 1 has m[i] children. w[0] > 1 makes planes that meet in the hosts
 * alone (several subnets; for multi-port nodes in one subnet see
 * gen_edit_rails). With p = NULL an XGFT.
 */
struct fabric *gen_tree_pgft(unsigned h, const unsigned *m, const unsigned *w,
	const unsigned *p, struct reason *why);

/* k-ary n-tree: n levels of k-up k-down switches, k^n hosts. */
struct fabric *gen_tree_kary(unsigned k, unsigned n, struct reason *why);

/*
 * Chassis of 648 ports (18 top switches, 36 leaves of 36 ports) above racks:
 * two switches of 36 ports joined by 12 links, each with at most 12 hosts and
 * three links to each of four leaves of the chassis. Racks 0, 2, ... have
 * `even` hosts, the others `odd`, half of them on either switch. With 1 chassis
 * both switches of a rack share the four leaves: the three-stage fabric of 648
 * ports in Bogdanski, Optimized Routing for Fat-Tree Topologies (2014), Papers
 * I, III, IV and VI. With 8, a rack's first switch is under the first four
 * chassis and the second under the others, which makes 5184 hosts and 864
 * switches, as many as in the JuRoPA-like fabric there.
 */
struct fabric *gen_paper_racks(
	unsigned boxes, unsigned even, unsigned odd, struct reason *why);

/*
 * One chassis with a third of its racks and inner switches, two thirds, or all:
 * the fabrics of 216 and 432 ports in Paper VI. Each inner switch is linked to
 * all of the 18 top switches.
 */
struct fabric *gen_paper_thirds(
	unsigned thirds, unsigned hosts, struct reason *why);

/*
 * The same idea, small: planes, which are trees of two tiers with `spines`
 * spines each, are joined inside racks only. A rack has one leaf of every
 * plane, with `across` links between any two of them, and `hosts` hosts on each
 * leaf.
 */
struct gen_planes {
	unsigned planes, racks, spines, hosts, across;
};
struct fabric *gen_paper_planes(const struct gen_planes *p);

/*
 * Two trees of 3456 ports (gen_tree_three(24), without its hosts) above 288
 * rack switches of 24 ports, which have six links into each, to six leaves, and
 * `even` or `odd` hosts, at most 12: like Ranger in Paper I, as far as it is
 * described there.
 */
struct fabric *gen_paper_dual(unsigned even, unsigned odd, struct reason *why);

/*
 * Remove n random links between switches, or n random switches with the hosts
 * that have links to nothing else. keep: the rest stays connected. f is freed.
 * NULL and a reason if fewer can be removed.
 */
struct fabric *gen_edit_fail_links(struct fabric *f, unsigned n, uint64_t seed,
	bool keep, struct reason *why);
struct fabric *gen_edit_fail_switches(struct fabric *f, unsigned n,
	uint64_t seed, bool keep, struct reason *why);

/*
 * Leave only the first `even` hosts at the 1st, 3rd, ... switch that has hosts
 * and the first `odd` at the others. f is freed.
 */
struct fabric *gen_edit_populate(struct fabric *f, unsigned even, unsigned odd);

/*
 * Add a SHARP aggregation node (a CA, vendor 0x2c9, device 0xcf09) on a new
 * port behind the last one of every switch. f is freed.
 */
struct fabric *gen_edit_aggregation(struct fabric *f, struct reason *why);

/*
 * Give every host `rails` ports, the additional ones linked to the switches
 * that follow its own among those with hosts. separate: one HCA per rail under
 * one system image instead of one HCA with more ports. f is freed.
 */
struct fabric *gen_edit_rails(
	struct fabric *f, unsigned rails, bool separate, struct reason *why);

/* Link the first n switches to themselves, by two new ports. f is freed. */
struct fabric *gen_edit_self_loops(
	struct fabric *f, unsigned n, struct reason *why);

/*
 * Give every switch nports ports; high moves its links up, so that the last
 * port is in use. f is freed.
 */
struct fabric *gen_edit_ports(
	struct fabric *f, unsigned nports, bool high, struct reason *why);

#endif
