/*
 * node_entry: nodes as a configuration names them: a GUID as 0x and 16 digits,
 * a name (NodeDescription), or a pattern of names with *, ? or [.
 */
#ifndef HEDDLE_SM_BASE_NODE_ENTRY_H
#define HEDDLE_SM_BASE_NODE_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether an entry is a GUID, into *guid. */
bool node_entry_is_guid(const char *entry, uint64_t *guid);

/* How closely an entry matches a node: a GUID most, then a name, then the
 * longest pattern; 0: it does not. */
size_t node_entry_weight(const char *entry, uint64_t guid, const char *name);

#endif
