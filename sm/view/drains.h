/*
 * drains: what is drained for maintenance, switches and links between switches:
 * no route shall lead over them, so that they can be pulled without a packet
 * lost. The list is the core's (sm/core/maintenance.h); here are questions
 * about it that a topology and tables answer. Pure.
 *
 * What a drain means for routes is the topology's: TP_DRAINED and TP_IDLE in
 * discovery/topo.h.
 */
#ifndef HEDDLE_SM_VIEW_DRAINS_H
#define HEDDLE_SM_VIEW_DRAINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "sm/base/clock.h"
#include "sm/base/reason.h"

struct routes;
struct mcast_tree;

enum {
	DRAIN_NAME = 65,
	DRAIN_BY = 64,
	DRAIN_REASON = 201,
	DRAINS_MAX = 1024,
	DRAIN_PORTS = 254, /* of a switch, at most */
};

/* Who drains links that are bad; no user is called so: their numbers follow. */
#define DRAIN_BY_HEALTH "health"

struct drain {
	uint64_t guid; /* of the switch */
	uint8_t port;  /* the link at this port; 0: the whole switch */
	bool forced;   /* although it cuts hosts off when it is pulled */
	bool narrow;   /* a switch with hosts, which keeps one neighbour: other
			  traffic passed it while it had several */
	struct mono since, until; /* until: MONO_NEVER, or when it ends */
	uint32_t generation;   /* the first view in which it can be in force */
	char name[DRAIN_NAME]; /* of the switch, when it was drained */
	char by[DRAIN_BY];     /* who asked for it: "root (uid 0)", or
				  DRAIN_BY_HEALTH */
	char reason[DRAIN_REASON]; /* as given, or "" */
};

struct drains {
	struct drain *list; /* in the order in which they were asked for */
	size_t n, cap;
};

/* The drain of exactly this switch or port, or NULL. */
struct drain *drains_find(const struct drains *d, uint64_t guid, unsigned port);

/* Whether the manager drained it itself, because it is bad. */
bool drains_is_of_health(const struct drain *d);

/* The drain of this link by either end, or NULL; not that of its switches. */
struct drain *drains_find_link(
	const struct drains *d, const struct topo *t, port_ix p);

/*
 * The ports of hosts that lose their connection to our own port if all n of
 * `list` are pulled at once: cut[p] is set for each, and never cleared
 * ([t->nports]). Returns how many it has set anew.
 */
uint32_t drains_cut_off(
	const struct topo *t, const struct drain *list, size_t n, bool *cut);

/* Whether our own port is at this switch, or is of it. */
bool drains_is_own(const struct topo *t, uint64_t guid);

/* What still leads over what is drained, by tables and trees. */
struct drain_use {
	bool there;	  /* the switch and port are in the topology */
	bool linked;	  /* it has a link between switches */
	uint64_t entries; /* of tables, for LIDs that are in use */
	uint32_t trees;	  /* of multicast groups */
	uint16_t lid;	  /* of the first such entry, ... */
	uint64_t from;	  /* ... and its switch; 0: none */
};

/*
 * r: the tables in force; tree: by MLID from 0xc000, DRAIN_TREES of them, or
 * NULL. Over a switch go the entries of its neighbours for what is neither the
 * switch itself nor linked to it. O(neighbours * LIDs).
 */
void drains_use(const struct drain *d, const struct routes *r,
	const struct mcast_tree *const *tree, size_t ntrees,
	struct drain_use *out);

/* Whether the tree leads over the link, or through the switch: to one that has
 * end ports a tree may come by one link, for these. */
bool drains_in_tree(const struct drain *d, const struct mcast_tree *tree);

#endif
