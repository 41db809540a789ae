/*
 * routes_remap: tables in force, mapped to another topology than the one they
 * were made for: that of a file, or what is left after a failure while no
 * manager writes.
 */
#ifndef HEDDLE_SM_WHAT_IF_ROUTES_REMAP_H
#define HEDDLE_SM_WHAT_IF_ROUTES_REMAP_H

#include "routing/core/routes.h"
#include "routing/text/fts.h"

/*
 * New routes of t with the tables, switch order and layers that its switches
 * (by GUID) have in r. *misfit (NULL allowed): what differs.
 */
struct routes *routes_remap(
	const struct routes *r, struct topo *t, struct fts_misfit *misfit);

#endif
