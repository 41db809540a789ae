/*
 * sm_roles: who is what in a tree: what the configuration says by GUID, name or
 * pattern becomes roles of switches, beside what the switches told. The daemon
 * and the plan both ask here.
 */
#ifndef HEDDLE_SM_POLICY_ROLES_H
#define HEDDLE_SM_POLICY_ROLES_H

#include <stdbool.h>
#include <stddef.h>

#include "config/config.h"
#include "routing/core/engine.h"

/* Does the configuration speak of switches by name? */
bool roles_by_name(const struct config *c);

/*
 * Roles of the switches of t, sorted by (guid, told), and what the
 * configuration says of switches that are not there. The caller frees; texts
 * point into c.
 */
struct route_role_of *roles_of(
	const struct config *c, const struct topo *t, size_t *n);

#endif
