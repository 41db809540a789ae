/*
 * device_priv: shared by device_cache.c (the cache of blocks), device_lft.c
 * (what blocks of forwarding tables may hold beside) and device_store.c (how
 * what is known gets lost), and included by no other file.
 */
#ifndef HEDDLE_DISTRIBUTION_DEVICE_DEVICE_PRIV_H
#define HEDDLE_DISTRIBUTION_DEVICE_DEVICE_PRIV_H

#include "distribution/device/device_store.h"
#include "sm/base/map.h"

/* A value that a block may hold, or held since the last drain. */
struct device_ghost {
	lft_ref ref;
	uint32_t next; /* index + 1 of the next value of this block, 0: none */
};

/* Blocks of one port. */
struct device_table {
	lft_ref *block; /* [n]; or DEVICE_UNKNOWN */
	uint32_t n;
	unsigned marks; /* enum device_mark bits */
};

/* Blocks of all ports of a node. */
struct device_ports {
	struct device_table *port; /* [n] */
	unsigned n;
};

struct device_node {
	uint64_t guid;
	struct device_ports of[DEVICE_ATTRS];
	/* of its forwarding table */
	uint32_t *haunt; /* [nhaunt] index + 1 of the first ghost, or NULL */
	uint32_t nhaunt;
	bool *wild; /* [nwild] packets may meet any value, or NULL */
	uint32_t nwild;
	struct device_ghost *ghost;
	size_t nghosts, capghosts;
	uint16_t top;
	bool known;
	uint8_t refused_life; /* LifeTimeValue + 1 that it does not take, or 0
			       */
};

/*
 * Recent values: many ports hold the same, and neighbouring switches have
 * nearly the same tables.
 */
enum { DEVICE_RECENT = 1 << 10 };

struct device_store {
	struct lft_pool *pool;		  /* of forwarding tables, borrowed */
	struct lft_pool *values;	  /* of everything else */
	lft_ref recent[2][DEVICE_RECENT]; /* of these, and of forwarding
					     tables; by hash, each counted */
	struct map by_guid;
	struct device_node *node;
	size_t n, cap;
	struct map keepers; /* port -> index in kept */
	struct device_kept *kept;
	size_t nkept, capkept;
	struct blocked_rows *blocked;
	bool undrained;
	uint64_t stamp[DEVICE_ATTRS];
	struct device_doubt *doubt;
	size_t ndoubts, capdoubts;
	struct map doubted; /* block -> index in doubt */
};

/* device_cache.c */
struct device_node *device_find_node(
	const struct device_store *h, uint64_t guid);
struct device_node *device_find_or_add_node(
	struct device_store *h, uint64_t guid);
/* The blocks of a port; NULL: none was ever known. */
struct device_table *device_find_table(
	const struct device_node *s, enum device_attr attr, unsigned port);
/* The place of a block, DEVICE_UNKNOWN if it is a new one. */
lft_ref *device_block_slot(struct device_store *h, const struct device_at *at);
/* All blocks of a port are unknown. */
void device_drop_table(
	struct device_store *h, enum device_attr attr, struct device_table *t);
/* A reference to the value, which is shared with the recent ones. */
lft_ref device_share_value(struct device_store *h, enum device_attr attr,
	const uint8_t bytes[LFT_BLOCK]);
/* device_put and device_lose of all but forwarding tables. */
void device_put_value(
	struct device_store *h, struct device_at at, const uint8_t *bytes);
void device_lose_value(struct device_store *h, struct device_at at);
/* Whether a copy of a Set may bring the block this value. */
bool device_may_return(const struct device_store *h, const struct device_at *at,
	const uint8_t value[LFT_BLOCK]);

/* device_lft.c: forget the other values of a switch's blocks. */
void device_drop_ghosts(struct device_store *h, struct device_node *s);
/* Only blocks that are unknown or in doubt keep their other values. */
void device_drain_switch(struct device_store *h, struct device_node *s);

#endif
