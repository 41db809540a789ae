/*
 * onto: tables in force, seen on another topology than the one they were made
 * for: of a file, or of what is left after a failure while nobody writes.
 */
#ifndef HEDDLE_SM_WHAT_IF_ROUTES_REMAP_H
#define HEDDLE_SM_WHAT_IF_ROUTES_REMAP_H

#include "routing/core/routes.h"
#include "routing/text/fts.h"

/*
 * New routes of t with the tables, order and lanes that its switches (by GUID)
 * have in r. *misfit (NULL allowed): what is not the same.
 */
struct routes *routes_remap(
	const struct routes *r, struct topo *t, struct fts_misfit *misfit);

#endif
