/*
 * engine_cache_io: the cache of routes (struct route_cache) as text, for
 * another process. Entries are kept with or without it; but where several ports
 * are equally good, a repair takes the one that the cache leads to. A process
 * that computes the next routes elsewhere and wants the same ones therefore
 * needs the cache. Most of it follows from topology, order and options, and is
 * computed again. The text holds the down paths of LIDs, which depend on the
 * history of the fabric.
 *
 * The text is a list of numbers: version, LIDs, switches, depth, split LIDs;
 * the class of each switch; of each LID, in the order of the table, the LID,
 * the index of the next LID of the same node, and the down path (length,
 * switches); of each split LID its index and its down paths.
 */
#ifndef HEDDLE_ROUTING_UPDOWN_ENGINE_CACHE_IO_H
#define HEDDLE_ROUTING_UPDOWN_ENGINE_CACHE_IO_H

#include "routing/core/engine.h"
#include "sm/base/buf.h"

/* Append the cache of r as text; nothing if it has none. */
void engine_cache_print(const struct routes *r, struct buf *out);

/*
 * Give r, which has an order and a topology class but no cache, the cache that
 * text describes; "": none. e: the engine that made r; options: as they were
 * when r was made. Returns 0, or -1 and why: then r has no cache and is valid
 * all the same.
 */
int engine_cache_parse(struct routes *r, const struct engine *e,
	const struct engine_options *options, const char *text,
	struct reason *why);

#endif
