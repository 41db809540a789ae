/*
 * memoir: the memory of routes (struct route_cache), told and taken up again
 * in another process. What is kept is kept by it, but of several ports that are
 * as good a repair takes the one that it leads to: who computes the next routes
 * elsewhere, and wants the same ones, needs it. Most of a memory follows from
 * topology, order and options, and is worked out again; told are the ways that
 * were designated for LIDs, which depend on all that was lived through.
 *
 * A text of numbers: version, LIDs, switches, depth, LIDs split; the class of
 * each switch; of each LID, in the order in which they are gone through, LID,
 * next of the same node, and the way (length, switches); and of those that are
 * split the LID's number and its ways.
 */
#ifndef HEDDLE_ROUTING_UPDOWN_ENGINE_CACHE_IO_H
#define HEDDLE_ROUTING_UPDOWN_ENGINE_CACHE_IO_H

#include "routing/core/engine.h"
#include "sm/base/buf.h"

/* Append what there is to tell of r's memory: nothing where it has none. */
void engine_cache_print(const struct routes *r, struct buf *out);

/*
 * Give r, which has none and whose order and reading are known, the memory that
 * text tells of; "": none. e: the engine that made r. options as they were
 * when r was made. 0, or -1 and why: then r has none, and is good all the same.
 */
int engine_cache_parse(struct routes *r, const struct engine *e,
	const struct engine_options *options, const char *text,
	struct reason *why);

#endif
