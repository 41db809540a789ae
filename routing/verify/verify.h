/*
 * verify: the judge. From tables alone, without a line of the engines' code:
 * does every pair that has a physical path reach, does nothing loop, is the
 * channel dependency graph of every virtual lane free of cycles.
 *
 * Every switch is a source (its own management traffic counts as traffic);
 * every LID is a destination. Quarantined switches (TN_QUARANTINED) and what
 * hangs on them are outside: pairs are counted between what is connected
 * without them. A dependency is a turn (switch, in-port, out-port), so the
 * graph is one bit matrix per switch. A turn back into the cable it came from
 * is discarded by hardware: such an entry counts as unreachable, not as a
 * dependency. Loads count host-to-host pairs (CA and router ports that are
 * not aggregation nodes) per directed cable between live switches, for base
 * LIDs; pairs that do not arrive load nothing.
 *
 * LIDs that live switches cannot reach at all (other component, behind a
 * quarantined switch, on no switch) count as cut off, not as unreachable.
 * Entries for them, and for LIDs that nobody owns, may end anywhere; but what
 * they send in a circle is a loop, and their turns are dependencies.
 *
 * Sources: Dally and Seitz 1987; shared/routing.md section 5 method: 64 LIDs
 * at a time, depths by memoised pointer chase, counts from the deepest up.
 */
#ifndef HEDDLE_ROUTING_VERIFY_VERIFY_H
#define HEDDLE_ROUTING_VERIFY_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "routing/core/verdict.h"
#include "sm/base/reason.h"

/*
 * Judge. 0 when everything holds, -1 with why (NULL allowed) set to the first
 * fault otherwise; *out is filled either way. Pure; its scratch is freed.
 */
int verify_tables(const struct verify_tables *in, struct verify_report *out,
	struct reason *why);

/*
 * What the busiest cable carries, as the report would say, and no judgement: of
 * cycles, and of what is sent to others than hosts, nothing is known. False: to
 * a host not all arrives. threads: see verify_keep.
 */
bool verify_load(
	const struct verify_tables *in, unsigned threads, uint64_t *load);

/*
 * The same, keeping what was found out in *keep for the functions below; NULL
 * only when there was nothing to judge. threads: 0 and 1 mean this one alone;
 * the verdict does not depend on it.
 */
int verify_keep(const struct verify_tables *in, unsigned threads,
	struct verify_report *out, struct verify_state **keep,
	struct reason *why);

/* A good judgement and the tables it was about, blocks still held. */
struct verify_before {
	const struct verify_state *state;
	struct verify_tables in;
};

/*
 * verify_keep, looking only at what differs from before: entries, cables,
 * destinations. The verdict and every figure are those of verify_keep. What is
 * not well or not plain, and what differs in too much (other switches, other
 * lanes, another pool, a large part of the entries), is left to verify_keep, so
 * that this is never wrong and slow only where it must be. was (or its state)
 * may be NULL.
 *
 * Turns that are no longer made stay in the graph of dependencies until a
 * cycle needs one of them; then verify_keep decides.
 */
int verify_incremental(const struct verify_before *was,
	const struct verify_tables *in, unsigned threads,
	struct verify_report *out, struct verify_state **keep,
	struct reason *why);

/*
 * Host pairs that leave switch s (of the topology) by this port; 0 where it
 * does not lead to a live switch.
 */
uint64_t verify_state_load(
	const struct verify_state *v, sw_ix s, unsigned port);

/*
 * What the busiest cable of any tables for this fabric carries at the least,
 * those of hosts included: a host's own carries what all others send it, and
 * what a switch's hosts are sent comes over its cables. Of a good judgement.
 */
uint64_t verify_state_load_bound(const struct verify_state *v);

/*
 * Host pairs by cables between switches on their path: element h counts those
 * of h cables. Returns the number of elements.
 */
size_t verify_state_hops(const struct verify_state *v, const uint64_t **pairs);

/*
 * The turns (to be freed) by t's numbers, t being the topology that was judged;
 * NULL where tables have more than one lane. After verify_incremental there may
 * be some that are no longer made.
 */
struct verify_dependencies *verify_state_dependencies(
	const struct verify_state *v, const struct topo *t);

/*
 * verify_tables; *turns (to be freed) says what turns there are, NULL where
 * tables have more than one lane. Whoever compares routings need not look
 * again.
 */
int verify_tables_dependencies(const struct verify_tables *in,
	struct verify_report *out, struct verify_dependencies **turns,
	struct reason *why);

#endif
