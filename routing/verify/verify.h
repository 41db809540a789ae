/*
 * verify: the judge. From tables alone, without a line of the engines' code: it
 * checks that every pair that has a physical path reaches, that nothing loops,
 * that the channel dependency graph of every layer has no cycle, and that the
 * packets of a pair of switches travel in the same layer both ways.
 *
 *   cdg                 the graph: live switches by number, channels, layers
 *   verify              a judgement in full, by several threads
 *   certificate         a quick proof of tables whose paths climb given ranks;
 *                       the walk is left out where it succeeds
 *   dep_count           dependencies of layers, counted so that paths can be
 *                       taken out; proven where they climb given ranks
 *   verify_walk         every LID from every switch
 *   verify_cycle        cycles of dependencies
 *   dep_graph, dep_cycle, dynamic_order   of channels in any form: the frame, a
 *                       search for cycles, an order that is kept
 *   verify_incremental  a judgement from the previous one
 *   verify_state        what a judgement found out, kept
 *   verify_text         a pair that does not arrive, in words
 *
 * Every switch is a source (its own management traffic counts as traffic);
 * every LID is a destination. Quarantined switches (TN_QUARANTINED) and what
 * hangs on them are outside: pairs are counted between what is connected
 * without them. A dependency is a triple (switch, in-port, out-port), so the
 * graph is one bit matrix per switch. A packet that would leave by the port it
 * came in by is discarded by hardware: such an entry counts as unreachable, not
 * as a dependency. Loads count host-to-host pairs (CA and router ports that are
 * not aggregation nodes) per directed link between live switches, for base
 * LIDs, weighed by the rate of the link (routing/core/link_load.h); pairs that
 * do not arrive load nothing.
 *
 * LIDs that live switches cannot reach at all (other component, behind a
 * quarantined switch, on no switch) count as cut off, not as unreachable.
 * Entries for them, and for LIDs that no port owns, may end anywhere; but if
 * they lead round in a loop it is counted, and their dependencies count too.
 *
 * Source: Dally and Seitz, Deadlock-free message routing in multiprocessor
 * interconnection networks (IEEE Transactions on Computers, 1987).
 *
 * Folder routing/verify: tables -> what they reach, their loads, their channel
 * dependency graph -> a verdict, in full or for a change. Callers:
 * routing/driver for every result of an engine, routing/improve, sm/what_if;
 * sm/audit and distribution/transition use its search (dep_cycle.h). Read next:
 * routing/core/verdict.h (the values), then routing/verify/cdg.h.
 */
#ifndef HEDDLE_ROUTING_VERIFY_VERIFY_H
#define HEDDLE_ROUTING_VERIFY_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "routing/core/verdict.h"
#include "sm/base/reason.h"

/*
 * Judge. 0 when everything holds, else -1 with why (NULL allowed) set to the
 * first fault; *out is filled in both cases. Pure; its scratch is freed.
 */
int verify_tables(const struct verify_tables *in, struct verify_report *out,
	struct reason *why);

/*
 * The load of the busiest link, as in the report, without a judgement: cycles,
 * and packets to LIDs that are not hosts', are not looked at. False: some pair
 * does not arrive at a host. threads: see verify_keep.
 */
bool verify_load(
	const struct verify_tables *in, unsigned threads, uint64_t *load);

/*
 * verify_tables that keeps what it found out in *keep, for the functions below;
 * NULL only when there was nothing to judge. threads: 0 and 1 mean the calling
 * one alone; the verdict does not depend on it.
 */
int verify_keep(const struct verify_tables *in, unsigned threads,
	struct verify_report *out, struct verify_state **keep,
	struct reason *why);

/* A judgement and the tables that it was about, their blocks still held. */
struct verify_before {
	const struct verify_state *state;
	struct verify_tables in;
};

/*
 * verify_keep, but looking only at what differs from the tables judged before:
 * entries, links, destinations, layers of pairs. The verdict and every figure
 * are those of verify_keep. Tables with a fault, and tables that differ in too
 * much (other switches, another number of layers, another pool, a large part of
 * the entries), and tables that ranks did not prove before or do not prove now,
 * are left to verify_keep: so this is never wrong, and slow only where it must
 * be. was (or its state) may be NULL.
 *
 * Dependencies of one layer that are no longer made stay until one of them does
 * not climb; then verify_keep decides. Of several layers nothing stays. Tables
 * that were not plain are taken for what they were: plain says less than it
 * could.
 */
int verify_incremental(const struct verify_before *was,
	const struct verify_tables *in, unsigned threads,
	struct verify_report *out, struct verify_state **keep,
	struct reason *why);

/*
 * Host pairs that leave switch s (of the topology) by this port, and the load
 * of its link by them; 0 if the port does not lead to a live switch.
 */
uint64_t verify_state_pairs(
	const struct verify_state *v, sw_ix s, unsigned port);
uint64_t verify_state_load(
	const struct verify_state *v, sw_ix s, unsigned port);

/*
 * Host pairs by the links between switches on their path: element h counts the
 * pairs with h links. Returns the number of elements.
 */
size_t verify_state_hops(const struct verify_state *v, const uint64_t **pairs);

/*
 * The dependencies (to be freed) of some layers, a bit each, by t's numbers, t
 * being the topology that was judged; other layers have none. Unless the
 * report says `exact` there may be some that are no longer made.
 */
struct verify_dependencies *verify_state_dependencies(
	const struct verify_state *v, const struct topo *t, uint16_t layers);

/*
 * verify_tables; *deps (to be freed) are the dependencies. For callers that
 * compare tables afterwards.
 */
int verify_tables_dependencies(const struct verify_tables *in,
	struct verify_report *out, struct verify_dependencies **deps,
	struct reason *why);

#endif
