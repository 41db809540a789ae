/*
 * name_match: nodes of a topology by the names that an administrator gives
 * them: a pattern, or, as in most lists, the name itself, found without looking
 * at every node. Hosts write their device behind their name ("node07 mlx5_0"),
 * so a name may mean the whole description or its first word. Members of
 * partitions and of rules are such names, GUIDs, or classes of nodes.
 */
#ifndef HEDDLE_SM_POLICY_NAME_MATCH_H
#define HEDDLE_SM_POLICY_NAME_MATCH_H

#include "config/partition_options.h"
#include "discovery/topo.h"
#include "sm/policy/name_pins.h"

struct name_match;

/* Both are borrowed. pins: what names mean; NULL: what the nodes call
 * themselves. */
struct name_match *name_match_new(
	const struct topo *t, const struct name_pins *pins);
void name_match_free(struct name_match *n); /* NULL allowed */

/*
 * Call fn for each port that a member of the configuration means, perhaps
 * twice, port 0 of switches included. A GUID is that of a port; where no port
 * has it, of a node. Returns how the text was read.
 */
enum partition_member name_match_ports(struct name_match *n, const char *member,
	void (*fn)(void *cookie, port_ix p), void *cookie);

#endif
