/*
 * named: nodes of a topology by the names that an administrator gives them: a
 * pattern, or as it is in most lists the name itself, found without looking at
 * every node. Hosts write their device behind their name ("node07 mlx5_0"), so
 * that a name may mean the whole description or its first word.
 */
#ifndef HEDDLE_SM_NAMED_H
#define HEDDLE_SM_NAMED_H

#include <stdbool.h>

#include "discovery/topo.h"

struct named;

/* t is borrowed. */
struct named *named_new(const struct topo *t);
void named_free(struct named *n); /* NULL allowed */

/* Call fn for each node that is meant, perhaps twice; false: there is none. */
bool named_each(struct named *n, const char *pattern,
	void (*fn)(void *cookie, node_ix node), void *cookie);

/* Does the pattern mean who describes itself so? */
bool named_matches(const char *desc, const char *pattern);

#endif
