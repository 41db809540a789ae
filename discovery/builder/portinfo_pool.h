/*
 * portinfo_pool: PortInfos in wire bytes, each value once. Many ports of a
 * fabric have equal ones: ports of one switch differ by number and state, hosts
 * by LID. Each value counts its references and is freed with the last one;
 * memory grows with the number of values, not of ports.
 */
#ifndef HEDDLE_DISCOVERY_BUILDER_PORTINFO_POOL_H
#define HEDDLE_DISCOVERY_BUILDER_PORTINFO_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "sm/base/map.h"

enum { INFO_BYTES = 64 };

typedef uint32_t info_ref;
#define INFO_NONE 0U /* nothing was read: 64 zeroes, never counted */

struct portinfo_pool {
	uint8_t (*at)[INFO_BYTES];
	uint32_t *refs;	  /* of a free entry: the next free one */
	size_t cap;	  /* of both arrays */
	uint32_t n;	  /* values ever made; 0: not even INFO_NONE yet */
	info_ref free;	  /* 0: none */
	struct map known; /* hash -> value; of two with one hash the first */
};

/* An empty one needs no call: struct portinfo_pool x = {0}. Frees what x owns.
 */
void portinfo_pool_free(struct portinfo_pool *x);

/* Let *r, a reference or INFO_NONE, refer to these bytes from now on. */
void portinfo_pool_set(
	struct portinfo_pool *x, info_ref *r, const uint8_t bytes[INFO_BYTES]);

/* Let *r refer to nothing. */
void portinfo_pool_drop(struct portinfo_pool *x, info_ref *r);

#endif
