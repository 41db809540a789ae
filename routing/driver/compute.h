/*
 * compute: from a job to verified routes.
 *
 * The configured engines are tried in order. The verifier judges each result
 * (routing/verify/verify.h). A result that fails leads to the engine's next
 * attempt; an engine that refuses, or has no further attempt, to the next
 * engine. The last one is always up/down over the kept order, which routes any
 * connected fabric on one layer. struct route_account tells what was tried and
 * why it was rejected.
 *
 * An attempt may make two sets of tables: kept tables, in which every entry of
 * the previous routes stays that is still legal, and fresh tables. Kept tables
 * are preferred while their busiest link carries at most job->load_limit (per
 * mille) of what the busiest link of fresh tables carries. The comparison is
 * never with the previous routes, so that loads cannot grow step by step over
 * many changes. A load is that of the busiest of all links, those of hosts
 * included: all other hosts send over a host's own link, whatever the tables,
 * and a link between switches that carries no more than that delays no traffic.
 * Loads are weighed by the rates of links (routing/core/link_load.h), so when a
 * link becomes slower its load grows, and entries are moved off it.
 *
 * That the limit is observed is proven for every result, at the smallest cost
 * that will do. routes.fresh_load is the load that a result was accepted
 * against. The steps of an attempt:
 *
 *   1. Kept tables are computed and verified. Without previous routes, or if
 *      job->rebalance is set, or if they fail, step 4 follows without them.
 *   2. Kept tables are accepted if they are within the limit of a load bound,
 *      which the busiest link of any tables carries at the least
 *      (load_bound_switches, load_bound_tree), or of the fresh_load of the
 *      previous routes if the fabric is the same; or, for tables that obey no
 *      order of switches, if it has no more links than the fabric of that load,
 *      as when it has lost links, or lost some and got them back. This is
 *      nearly always enough and takes no time.
 *   3. Else a few entries are moved off their busiest links (rebalance.h), and
 *      they are accepted if they are within the limit of the load bound then.
 *      This often helps after a repair, which adds all that went over a lost
 *      link to one other link, as fresh tables do not. It is tried only if the
 *      fresh_load of the previous routes was not far above the load bound.
 *   4. Else fresh tables are computed. If their load, which is counted without
 *      a judgement, allows the kept tables, these are accepted.
 *   5. Else fresh tables are verified. Their busiest links are rebalanced where
 *      they carry clearly more than they must.
 *   6. Kept tables that are above the limit of the fresh load are rebalanced
 *      against it. They are given up for fresh ones if they stay above the
 *      limit, or if the fresh ones change hardly more entries.
 *   7. With job->rebalance, the previous tables stay if their busiest link
 *      carries less than that of the fresh ones, the fabric is the same and is
 *      read alike, and no multi-port node loses by it.
 *
 * So most failures do not wait for a fresh computation. Step 3 may change an
 * entry that could have stayed, where fresh tables would have been as busy.
 *
 * Fresh tables still use the order and the reading of the fabric in force. To
 * read the fabric anew, which may lead to another engine, takes job->rebalance,
 * whatever the load.
 *
 * In all verified tables, kept or fresh, the paths to the ports of one node are
 * made disjoint (disjoint.h): redundancy is worth entries, and comes before
 * load.
 *
 * Tables that obey no order of switches, or that need their layers, are neither
 * made disjoint nor rebalanced: both move entries by the order. Instead, beside
 * tables without an order room is found for multicast (mcast_order.h); where
 * there is none the next attempt follows.
 *
 * Folder routing/driver: a job -> engines in turn -> the verifier ->
 * improvements -> routes, or reasons why not. Callers: sm/core in the worker,
 * sm/what_if, sm/view and sm/daemon_config.c for names of engines. Read next:
 * routing/core/engine.h, then compute.c.
 */
#ifndef HEDDLE_ROUTING_DRIVER_COMPUTE_H
#define HEDDLE_ROUTING_DRIVER_COMPUTE_H

#include <stdbool.h>
#include <stddef.h>

#include "routing/core/engine.h"

/*
 * The engine "auto" is the best of all others: the one in force, as long as it
 * routes the fabric and no rebalance is asked for; else a tree's, where one
 * makes tables by tiers whose busiest link carries at most half as much again
 * as it must (load_bound.h); else the one whose busiest link, hosts' own
 * included, carries the least, and of those that differ by less than an
 * eighth the one with the most effective bisection bandwidth.
 */

/* What happened meanwhile, for the log, status and explain. */
struct route_account {
	char engine[16];   /* that made the result */
	bool fallback;	   /* it was not the first configured one */
	bool rebalanced;   /* fresh tables although there were previous ones */
	unsigned attempts; /* results judged */
	char tried[512];   /* "NAME attempt 0: cycle S1/3 ...; ..." */
};

/*
 * Compute verified routes. engines: names in order of preference;
 * n may be 0. Returns the routes (report.ok is true), or NULL and a reason
 * when nothing verifies: then nothing may be distributed.
 */
struct routes *compute_routes(const struct route_job *job,
	const char *const *engines, size_t n, struct route_account *story,
	struct reason *why);

/*
 * The same by one engine that makes tables, and by no other one after it; NULL:
 * story->tried says why it refuses the fabric, or failed.
 */
struct routes *compute_by_engine(const struct route_job *job,
	const struct engine *e, struct route_account *story,
	struct reason *why);

/* Whether the engine "auto" prefers verified routes a to b. */
bool compute_is_better(const struct routes *a, const struct routes *b);

/* Judge tables that were found in switches, and read the fabric for them: what
 * is in every result of compute_routes. r->report.ok: they are legal. */
void compute_found(const struct route_job *job, struct routes *r);

#endif
