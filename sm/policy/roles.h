/*
 * roles: the places of switches in a tree. Entries of the configuration (GUIDs,
 * names, patterns) become roles of switches, beside the roles that switches
 * report. The daemon and the plan command both ask here.
 */
#ifndef HEDDLE_SM_POLICY_ROLES_H
#define HEDDLE_SM_POLICY_ROLES_H

#include <stdbool.h>
#include <stddef.h>

#include "config/config.h"
#include "routing/core/engine.h"

/* True if the configuration gives switches by name. */
bool roles_by_name(const struct config *c);

/* Roles of the switches of t, sorted by (guid, told), and the entries of the
 * configuration that match no switch. The caller frees; texts point into c. */
struct route_role_of *roles_of(
	const struct config *c, const struct topo *t, size_t *n);

#endif
