/*
 * tenants: partitions made at random, and a judge of them that shares nothing
 * with the subnet manager: it has its own model of the members, and reads the
 * simulated ports.
 *
 * There are a few variants of one set of partitions, for reloads; jobs rely on
 * the keys that all variants have in common. At every moment:
 *
 *   index    a key that all variants give a port is not moved in its table
 *            nor removed from it, unless the port is down
 *   guard    no port of a switch enforces with a table that lacks such a key
 *            of the host behind it
 *   pairs    (if asked for: not while parts of the fabric fail) two hosts that
 *            may talk to each other by every variant can, by whatever key,
 *            through their guards
 *
 * and at rest each port's table holds the keys of the variant in force and
 * nothing else, and switches guard hosts by them.
 */
#ifndef HEDDLE_TESTS_SIM_REFEREE_TENANTS_H
#define HEDDLE_TESTS_SIM_REFEREE_TENANTS_H

#include <stdbool.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "sm/base/buf.h"
#include "sm/base/reason.h"
#include "sm/base/rng.h"
#include "tests/sim/model/sim.h"

enum { TENANTS_VARIANTS = 3, TENANTS_KEYS = 16 /* of a port, at most */ };

struct tenants;

struct tenants *tenants_new(struct rng *rng, const struct fabric *f);
void tenants_free(struct tenants *t); /* NULL allowed */

/* The partitions of a variant as YAML, appended. */
void tenants_yaml(const struct tenants *t, unsigned variant, struct buf *out);

/* The keys that a port of the fabric is to have, and their number. */
unsigned tenants_want(const struct tenants *t, unsigned variant, uint32_t node,
	unsigned port, uint16_t key[TENANTS_KEYS]);

/* Check every message of s, as its hook; and pairs too. Free t after s. */
void tenants_watch(struct tenants *t, struct sim *s);
void tenants_watch_pairs(struct tenants *t);

/*
 * Write a key into a port's table as another tool could (drift); that table is
 * not judged at every moment any more.
 */
void tenants_spoil(
	struct tenants *t, uint32_t node, unsigned port, uint16_t key);

/*
 * The node loses its tables at any time; they are not judged at every moment
 * any more.
 */
void tenants_reset(struct tenants *t, uint32_t node);

/* The first fault at any moment; false: none. */
bool tenants_moment(const struct tenants *t, struct reason *why);

/* Judge the ports of topo, at rest, with a variant in force. */
int tenants_judge(const struct tenants *t, unsigned variant, struct sim *s,
	const struct topo *topo, struct reason *why);

#endif
