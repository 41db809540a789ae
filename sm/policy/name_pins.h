/*
 * name_pins: which nodes the names in the configuration mean, as an
 * administrator last accepted it. A node names itself: whoever is root on a
 * host can call it "blue-99", and a name that decides which nodes a tenant has
 * must not be taken from it. So names and patterns of members of partitions and
 * of QoS rules are resolved to node GUIDs once, when a configuration that has
 * them is loaded, and the result is kept over restarts. What matches later, or
 * does not match any more, waits until an administrator accepts it.
 *
 * A node whose name had not been read when names were resolved is resolved when
 * it is, as it would have been then.
 *
 * A value: it does not change once it is made.
 */
#ifndef HEDDLE_SM_POLICY_NAME_PINS_H
#define HEDDLE_SM_POLICY_NAME_PINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/config.h"
#include "discovery/topo.h"

struct name_pin {
	const char *name; /* as in the configuration; perhaps a pattern */
	uint64_t guid;	  /* of a node; 0: the name is resolved */
};

struct name_pins {
	unsigned refs;
	struct arena *arena;
	struct name_pin *pin; /* sorted by name, then GUID; no pair twice, and
				 each name with GUID 0 */
	size_t n;
	uint64_t *unnamed; /* nodes to be resolved when their name is read */
	size_t nunnamed;
};

/* Pins as they were saved, in any order; the texts are copied. */
struct name_pins *name_pins_new(const struct name_pin *pin, size_t n,
	const uint64_t *unnamed, size_t nunnamed);

struct name_pins *name_pins_ref(struct name_pins *p); /* NULL allowed */
void name_pins_unref(struct name_pins *p);	      /* NULL allowed */

/* The index of the first pin of a name, or of the place where it would be. */
size_t name_pins_find(const struct name_pins *p, const char *name);
/* Whether there is a pin i, and it has this name. */
bool name_pins_has(const struct name_pins *p, size_t i, const char *name);
/* The order of pins, for qsort. */
int name_pins_compare(const void *a, const void *b);

/*
 * name_resolve.c: the pins of a configuration on a topology with names: what
 * was has is kept, other names are resolved. was: NULL where there were none.
 * Returns was, with a reference more, where nothing differs.
 */
struct name_pins *name_pins_update(
	struct name_pins *was, const struct config *c, const struct topo *t);

/* An administrator accepts what all names match now. Nodes that are absent, or
 * have no name at present, keep their pins. */
struct name_pins *name_pins_accept(
	struct name_pins *was, const struct config *c, const struct topo *t);

/* Call fn for each node of t that this name was resolved to. */
void name_pins_nodes(const struct name_pins *p, const struct topo *t,
	const char *name, void (*fn)(void *cookie, node_ix n), void *cookie);

/* A node that a name matches although it is not resolved to it, or the other
 * way round. */
struct name_wait {
	const char *name; /* of the pins */
	node_ix node;
	bool joins; /* else it would leave */
};

/* All that wait, by name; *out is the caller's to free. Their number. */
size_t name_pins_waiting(const struct name_pins *p, const struct topo *t,
	struct name_wait **out);

#endif
