#include "routing/driver/compute.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/core/layer_links.h"
#include "routing/core/link_load.h"
#include "routing/driver/beside_tables.h"
#include "routing/driver/registry.h"
#include "routing/graph/multi_port_node.h"
#include "routing/improve/disjoint.h"
#include "routing/improve/load_bound.h"
#include "routing/improve/rebalance.h"
#include "routing/measure/bandwidth.h"
#include "routing/tiers/topo_class.h"
#include "routing/tiers/tree.h"
#include "routing/verify/verify.h"
#include "sm/base/mem.h"

enum { SETTLE = 8 };	 /* rounds until stable; two nearly always suffice */
enum { ATTEMPTS = 64 };	 /* more than any engine has: a bound for mistakes */
enum { FEW = 256 };	 /* changing 1/FEW of all entries is cheap */
enum { ALIKE = 32 };	 /* 1/ALIKE changed is quick to judge incrementally */
enum { SLACK = 8 };	 /* 1/SLACK of the load is not worth changes */
enum { ALIKE_LOAD = 8 }; /* loads that differ by less say nothing */

/* For a third digit, and as many as a plan shows. */
enum { BISECTIONS = 200 };

/* How much work to spend on rebalancing: some milliseconds for fresh tables,
 * tens of milliseconds for kept ones, where success saves that all tables are
 * replaced. */
enum { WORK_FRESH = 1 << 20, WORK_KEPT = 1 << 23 };

struct run {
	const struct route_job *job;
	bool multi_port; /* there are multi-port nodes */
	struct route_account *story;
};

struct trial {
	const struct engine *engine;
	unsigned attempt;
	bool keep;
};

static void __attribute__((format(printf, 2, 3)))
append_account(struct run *run, const char *fmt, ...)
{
	char *text = run->story->tried;
	size_t n = strlen(text), room = sizeof(run->story->tried) - n;
	va_list ap;

	if (n > 0 && room > 3) {
		(void)snprintf(text + n, room, "; ");
		n += 2;
		room -= 2;
	}
	va_start(ap, fmt);
	(void)vsnprintf(text + n, room, fmt, ap);
	va_end(ap);
}

static bool
is_cancelled(const struct run *run)
{
	return run->job->cancel != NULL && *run->job->cancel;
}

/* The ranks of links by the port that they leave by, one more than they are; 0:
 * no link between live switches. To be freed. */
static uint64_t *
ranks_by_port(const struct routes *r)
{
	const struct topo *t = r->topo;
	uint64_t *rank = mem_zalloc(t->nports, sizeof(*rank));

	for (sw_ix s = 0; s < t->nsw; s++)
		for (uint32_t i = t->sw[s].adj;
			i < t->sw[s].adj + t->sw[s].nadj; i++)
			if (topo_sw_live(t, s) &&
				topo_sw_live(t, t->adj[i].peer))
				rank[topo_port_of(
					t, t->sw[s].node, t->adj[i].out)] =
					(uint64_t)r->link_ranks->of[i] + 1;
	return rank;
}

/* The port by which switch s sends a LID, or TOPO_NONE. */
static port_ix
out_port(const struct routes *r, sw_ix s, uint16_t lid)
{
	const struct topo_node *n = &r->topo->node[r->topo->sw[s].node];
	uint8_t out = routes_port(r, s, lid);

	return out > n->nports ? TOPO_NONE : n->first_port + out;
}

/* True if the engine gives no ranks, or every path climbs them. Ranks by group
 * of VLs are the verifier's to compare: where they did not prove the tables,
 * paths do not climb them. */
static bool
climbs_ranks(const struct routes *r)
{
	const struct topo *t = r->topo;
	uint64_t *rank;
	bool climbs = true;

	if (r->link_ranks == NULL)
		return true;
	if (r->link_ranks->groups > 1)
		return false;
	rank = ranks_by_port(r);
	for (sw_ix s = 0; s < t->nsw && climbs; s++)
		for (uint32_t lid = 1; lid <= r->top; lid++) {
			port_ix p = out_port(r, s, (uint16_t)lid), in, q;

			if (p == TOPO_NONE || rank[p] == 0)
				continue;
			in = t->port[p].peer;
			q = out_port(
				r, t->node[t->port[in].node].sw, (uint16_t)lid);
			climbs &= q == TOPO_NONE || q == in || rank[q] == 0 ||
				  rank[q] > rank[p];
		}
	free(rank);
	return climbs;
}

/* True if the engine gives each layer a VL of its own, whatever it proves to
 * need: so VLs and SLs stay when the tables change. */
static bool
has_own_vls(const struct routes *r)
{
	const struct engine *e = registry_find(r->engine);

	return e != NULL && (e->caps & ENGINE_OWN_VLS) != 0;
}

/*
 * Judge r: incrementally, if there is a judgement of routes before. The
 * verdict, its state and the dependencies are stored in r. 0, or -1 and why: a
 * fault, or a link has too few VLs for the layers.
 */
static int
verify_routes(const struct route_job *job, const struct routes *before,
	struct routes *r, struct reason *why)
{
	struct verify_before was = {0};
	struct verify_tables in;
	struct link_ranks *ranks;
	int rc;

	if (vl_map_check(r->layers.map, r->topo, r->layers.n, why) != 0)
		return -1;
	in = beside_tables_ranked(r, &ranks);
	if (before != NULL) {
		was.state = before->verified;
		was.in = beside_tables_as_judged(before);
	}
	rc = verify_incremental(
		&was, &in, job->threads, &r->report, &r->verified, why);
	link_ranks_drop(ranks);
	if (rc != 0)
		return -1;
	if (!r->report.by_rank && !climbs_ranks(r))
		return reason_set(why,
			"the ranks of links that %s gives are "
			"not those that its paths climb",
			r->engine);
	if (r->layers.n == 1)
		r->deps = verify_state_dependencies(
			r->verified, r->topo, UINT16_MAX);
	r->layers.plain =
		r->report.plain && (r->layers.n < 2 || !has_own_vls(r));
	return layer_links_fit(r, job->options, why);
}

/* True if an older topology has the same link, in use there. */
static bool
had_link(const struct topo *was, const struct topo *t, sw_ix s,
	const struct topo_adj *a)
{
	uint64_t peer_guid = t->node[t->sw[a->peer].node].guid;
	const struct topo_node *peer;
	node_ix n;
	port_ix p;

	s = topo_switch_in(was, t, s);
	n = s == TOPO_NONE ? TOPO_NONE : was->sw[s].node;
	if (n == TOPO_NONE || a->out > was->node[n].nports)
		return false;
	p = was->port[topo_port_of(was, n, a->out)].peer;
	if (p == TOPO_NONE || (was->port[p].flags & TP_IDLE) != 0 ||
		was->port[p].num != a->peer_port)
		return false;
	peer = &was->node[was->port[p].node];
	return peer->guid == peer_guid && peer->sw != TOPO_NONE &&
	       !((peer->flags | was->node[n].flags) & TN_QUARANTINED);
}

/* True if t has a link in use that `was` does not have. */
static bool
has_new_link(const struct topo *was, const struct topo *t)
{
	bool same = topo_same_switches(was, t);

	for (sw_ix s = 0; s < t->nsw; s++)
		for (uint32_t i = 0; i < t->sw[s].nadj; i++) {
			const struct topo_adj *a = &t->adj[t->sw[s].adj + i];

			if (i == 0 && same && topo_same_links(was, t, s))
				break;
			if (topo_sw_live(t, s) && topo_sw_live(t, a->peer) &&
				!had_link(was, t, s, a))
				return true;
		}
	return false;
}

/*
 * Make paths to the ports of one node disjoint: returns r, which is verified,
 * or a changed copy, which is verified too; then r is dropped. Only nodes are
 * looked at for which something has changed since the given routes, all for
 * NULL. Tables that are not plain, or obey no order of switches, are left
 * alone.
 */
static struct routes *
make_paths_disjoint(
	const struct run *run, struct routes *r, const struct routes *since)
{
	struct reason why = {""};
	struct routes *separated;

	if (!r->layers.plain || r->order == ROUTE_NO_ORDER)
		return r;
	separated = disjoint_routes(r, run->job, since);
	if (separated == NULL)
		return r;
	if (verify_routes(run->job, r, separated, &why) == 0) {
		routes_unref(r);
		return separated;
	}
	routes_unref(separated);
	return r;
}

/* True if the links in use are the same in both. */
static bool
has_same_links(const struct topo *was, const struct topo *t)
{
	return !has_new_link(was, t) && !has_new_link(t, was);
}

/*
 * The routes since which nodes have to be looked at again. In kept tables the
 * previous ones; but with other links any node may be helped that could not be
 * helped before: by a new link, or because a path over a link that is gone was
 * tried instead of one that helps.
 */
static const struct routes *
routes_looked_at(const struct run *run, const struct routes *r, bool keep)
{
	const struct routes *prev = run->job->prev;

	if (!keep || prev == NULL ||
		(prev->lost_disjoint && !has_same_links(prev->topo, r->topo)))
		return NULL;
	return prev;
}

/* What an engine makes, not judged yet; NULL: nothing, *result says why. */
static struct routes *
run_engine(
	struct run *run, const struct trial *trial, enum engine_result *result)
{
	struct arena *scratch = arena_new();
	struct reason why = {""};
	struct routes *r = NULL;

	*result = trial->engine->route(
		run->job, trial->keep, trial->attempt, scratch, &r, &why);
	arena_free(scratch);
	if (*result == ENGINE_REFUSED)
		append_account(run, "%s refused: %s",
			trial->engine->module.name, why.text);
	if (*result != ENGINE_OK)
		return NULL;
	r->multi_port = run->multi_port;
	return r;
}

/*
 * Judge r, and make it disjoint if it verifies; else it is dropped, the account
 * gets the reason, and NULL is returned. NULL stays NULL.
 */
static struct routes *
verify_or_drop(struct run *run, const struct trial *trial, struct routes *r)
{
	struct reason why = {""};

	if (r == NULL)
		return NULL;
	run->story->attempts++;
	if (verify_routes(run->job, run->job->prev, r, &why) == 0)
		return make_paths_disjoint(
			run, r, routes_looked_at(run, r, trial->keep));
	append_account(run, "%s attempt %u%s: %s", trial->engine->module.name,
		trial->attempt, trial->keep ? " keeping entries" : "",
		why.text);
	routes_unref(r);
	return NULL;
}

/* Compute hosts on live switches. */
static uint64_t
count_hosts(const struct topo *t)
{
	uint64_t n = 0;

	for (sw_ix s = 0; s < t->nsw; s++)
		n += topo_sw_live(t, s) ? t->sw[s].nhost : 0;
	return n;
}

/*
 * Move entries off the busiest links of r: returns r, or a changed copy that
 * verifies and has a lower load; then r is dropped. A node that one switch
 * still cuts off from some leaf may have disjoint paths by the changed entries:
 * it gets them, or a restart, which looks at all nodes, would write them.
 * Tables that are not plain, or obey no order of switches, are left alone.
 */
static struct routes *
rebalance_busiest_links(const struct run *run, struct routes *r,
	const struct rebalance_opts *wish)
{
	struct reason why = {""};
	struct routes *even;

	if (r->report.load_max <= wish->goal || !r->layers.plain ||
		r->order == ROUTE_NO_ORDER)
		return r;
	even = rebalance_routes(r, wish);
	if (even == NULL)
		return r;
	if (verify_routes(run->job, r, even, &why) == 0 &&
		even->report.load_max < r->report.load_max) {
		if (r->lost_disjoint)
			even = make_paths_disjoint(run, even, r);
		routes_unref(r);
		return even;
	}
	routes_unref(even);
	return r;
}

/* True if the load of r is within the limit of a fresh load. */
static bool
is_within_load_limit(
	const struct run *run, const struct routes *r, uint64_t fresh)
{
	return r->report.load_max * 1000 <= fresh * run->job->load_limit;
}

/* What the busiest link carries, those of hosts included. */
static uint64_t
busiest_link_load(const struct routes *r)
{
	uint64_t least = load_bound_switches(r->topo);

	return r->report.load_max < least ? least : r->report.load_max;
}

/* Link directions between live switches. */
static uint32_t
count_links(const struct topo *t)
{
	uint32_t n = 0;

	for (sw_ix s = 0; s < t->nsw; s++)
		for (uint32_t i = 0; i < t->sw[s].nadj; i++)
			n += topo_sw_live(t, s) &&
			     topo_sw_live(t, t->adj[t->sw[s].adj + i].peer);
	return n;
}

/* The load of fresh tables for the fabric of r. */
static void
note_fresh_load(struct routes *r, uint64_t load)
{
	r->fresh_load = load;
	r->fresh_links = count_links(r->topo);
}

/*
 * Whether the fresh_load of the previous routes says something of this fabric:
 * it is the same, or, where no bound is known but that, it has no more links
 * than the fabric of that load: as light as then fresh tables are not again.
 */
static bool
is_fresh_load_known(const struct routes *prev, const struct routes *kept)
{
	if (prev->topo->hash == kept->topo->hash)
		return true;
	return kept->order == ROUTE_NO_ORDER && prev->order == ROUTE_NO_ORDER &&
	       strcmp(prev->engine, kept->engine) == 0 &&
	       count_hosts(prev->topo) == count_hosts(kept->topo) &&
	       (prev->fresh_links == 0
			       ? !has_new_link(prev->topo, kept->topo)
			       : count_links(kept->topo) <= prev->fresh_links);
}

/*
 * True if kept tables are within the limit of a load that is known without a
 * fresh computation: a load bound, or the fresh_load of the previous routes.
 * The highest known load is noted in kept->fresh_load.
 */
static bool
known_load_allows_kept(const struct run *run, struct routes *kept)
{
	const struct routes *prev = run->job->prev;
	uint64_t least;

	note_fresh_load(kept, load_bound_switches(kept->topo));
	if (is_fresh_load_known(prev, kept) &&
		prev->fresh_load > kept->fresh_load) {
		kept->fresh_load = prev->fresh_load;
		kept->fresh_links = prev->fresh_links;
	}
	if (is_within_load_limit(run, kept, kept->fresh_load))
		return true;
	least = load_bound_tree(kept);
	if (least > kept->fresh_load)
		note_fresh_load(kept, least);
	return is_within_load_limit(run, kept, kept->fresh_load);
}

/* True if r changes no more than one entry in `many` of those in force. */
static bool
changes_one_in(const struct routes *r, uint64_t many)
{
	return r->entries_changed * many <=
	       r->entries_changed + r->entries_kept;
}

/*
 * True if fresh tables with this load need no rebalancing: it is not clearly
 * more than a host's own link carries, or than the load bound. *goal is set to
 * the load that rebalancing is to reach, if it is needed.
 */
static bool
is_near_load_bound(const struct topo *t, uint64_t load, uint64_t *goal)
{
	uint64_t own =
		link_load_of_pairs(count_hosts(t), t->rate_host, t->rate_max);
	uint64_t least;

	own += own / SLACK;
	if (load <= own)
		return true;
	least = load_bound_cut(t);
	*goal = least < own ? own : least;
	return load <= least + least / SLACK;
}

/* Rebalance fresh tables, which are verified, where they need it. NULL stays
 * NULL. */
static struct routes *
rebalance_fresh(const struct run *run, struct routes *r)
{
	struct rebalance_opts wish = {
		.job = run->job, .fresh = true, .work = WORK_FRESH};

	if (r != NULL && r->topo->rate_min < r->topo->rate_max)
		wish.work = WORK_KEPT;
	if (r == NULL ||
		is_near_load_bound(r->topo, r->report.load_max, &wish.goal))
		return r;
	return rebalance_busiest_links(run, r, &wish);
}

/* True if paths to the ports of one node may be made disjoint in r. */
static bool
may_be_separated(const struct routes *r)
{
	return r->multi_port && r->order != ROUTE_NO_ORDER;
}

/*
 * True if kept tables are within the limit of the load of fresh ones, which are
 * not judged. A judgement is not needed: if they failed it, the kept tables
 * would be used as well. The load is the final one only if the fresh tables
 * would neither be made disjoint nor rebalanced; otherwise false. Also false
 * if they are nearly the tables in force: then the incremental judgement is
 * quicker than counting loads.
 */
static bool
fresh_load_allows_kept(
	const struct run *run, const struct routes *fresh, struct routes *kept)
{
	uint64_t load, goal;
	struct verify_tables in;
	struct link_ranks *ranks;
	bool arrives;

	if (may_be_separated(fresh) || changes_one_in(fresh, ALIKE))
		return false;
	in = beside_tables_ranked(fresh, &ranks);
	arrives = verify_load(&in, run->job->threads, &load);
	link_ranks_drop(ranks);
	if (!arrives || !is_within_load_limit(run, kept, load) ||
		!is_near_load_bound(fresh->topo, load, &goal))
		return false;
	note_fresh_load(kept, load);
	return true;
}

/*
 * Options for rerouting a few entries of kept tables. The goal is halfway
 * between the fresh load and the limit, so that the limit is not reached again
 * with the next change.
 */
static struct rebalance_opts
small_rebalance_opts(const struct run *run, uint64_t fresh)
{
	return (struct rebalance_opts){.job = run->job,
		.goal = fresh * (run->job->load_limit + 1000) / 2000,
		.work = WORK_KEPT};
}

/*
 * Step 3: rebalance kept tables against the load bound in kept->fresh_load.
 * Returns changed tables if they are within its limit, else kept as it was.
 * This is quicker than fresh tables to compare with. It is most likely hopeless
 * where the load that the previous routes were accepted against is already
 * above that limit.
 */
static struct routes *
rebalance_kept_by_bound(const struct run *run, struct routes *kept)
{
	uint64_t least = kept->fresh_load, was = run->job->prev->fresh_load;
	struct rebalance_opts wish = small_rebalance_opts(run, least);
	struct routes *light;

	if (was * 1000 > least * run->job->load_limit)
		return kept;
	light = rebalance_busiest_links(run, routes_ref(kept), &wish);
	if (is_within_load_limit(run, light, least)) {
		routes_unref(kept);
		note_fresh_load(light, least);
		return light;
	}
	routes_unref(light);
	return kept;
}

/*
 * Step 6: rebalance kept tables against the load of fresh ones, until they are
 * within its limit: first by few entries, well below the limit; if that fails,
 * by any entries; then by taking over all entries of single LIDs from the fresh
 * tables. Each call returns at once if its goal is reached.
 */
static struct routes *
rebalance_kept_by_fresh(
	const struct run *run, struct routes *kept, const struct routes *fresh)
{
	uint64_t load = fresh->fresh_load;
	struct rebalance_opts wish = small_rebalance_opts(run, load);

	if (is_within_load_limit(run, kept, load))
		return kept;
	kept = rebalance_busiest_links(run, kept, &wish);
	wish.goal = load * run->job->load_limit / 1000;
	wish.fresh = true;
	kept = rebalance_busiest_links(run, kept, &wish);
	wish.from = fresh;
	return rebalance_busiest_links(run, kept, &wish);
}

/* True if fresh tables are nearly those in force, and change at most twice as
 * many entries as the kept ones. */
static bool
changes_few(const struct routes *fresh, const struct routes *kept)
{
	return changes_one_in(fresh, FEW) &&
	       fresh->entries_changed <= 2 * kept->entries_changed;
}

/*
 * Step 6: choose between kept and fresh tables, both verified; the other one is
 * dropped. Either may be NULL. Kept tables win if they are, or can be
 * rebalanced to be, within the limit of the fresh load.
 */
static struct routes *
choose_routes(struct run *run, struct routes *kept, struct routes *fresh)
{
	if (fresh == NULL)
		return kept;
	note_fresh_load(fresh, busiest_link_load(fresh));
	if (kept != NULL &&
		!is_within_load_limit(run, kept, fresh->fresh_load)) {
		kept = rebalance_kept_by_fresh(run, kept, fresh);
		if (changes_few(fresh, kept)) {
			routes_unref(kept);
			kept = NULL;
		}
	}
	if (kept != NULL &&
		is_within_load_limit(run, kept, fresh->fresh_load)) {
		note_fresh_load(kept, fresh->fresh_load);
		routes_unref(fresh);
		return kept;
	}
	routes_unref(kept);
	run->story->rebalanced = run->job->prev != NULL;
	return fresh;
}

/* True if both are of one fabric, read alike: tables by tiers are of the same
 * tiers. */
static bool
is_same_reading(const struct routes *a, const struct routes *b)
{
	if (a->topo->hash != b->topo->hash || a->order != b->order ||
		strcmp(a->engine, b->engine) != 0)
		return false;
	return a->order != ROUTE_TIERS ||
	       memcmp(a->rank, b->rank, a->topo->nsw * sizeof(*a->rank)) == 0;
}

/*
 * Step 7: fresh tables that were asked for, or the previous ones where their
 * busiest link carries less and nothing else speaks for fresh ones.
 */
static struct routes *
keep_better(
	struct run *run, const struct trial *fresh_trial, struct routes *fresh)
{
	const struct routes *prev = run->job->prev;
	struct trial trial = *fresh_trial;
	enum engine_result result;
	struct routes *kept;

	if (fresh == NULL || prev == NULL || !run->job->rebalance ||
		!is_same_reading(prev, fresh) ||
		prev->report.load_max >= fresh->report.load_max)
		return fresh;
	trial.keep = true;
	kept = verify_or_drop(run, &trial, run_engine(run, &trial, &result));
	if (kept == NULL || kept->report.load_max >= fresh->report.load_max ||
		kept->lost_disjoint > fresh->lost_disjoint) {
		routes_unref(kept);
		return fresh;
	}
	append_account(run,
		"fresh tables are no better: their busiest link carries %llu "
		"pairs, that of the tables in force %llu",
		(unsigned long long)fresh->report.load_max,
		(unsigned long long)kept->report.load_max);
	note_fresh_load(kept, fresh->fresh_load);
	run->story->rebalanced = false;
	routes_unref(fresh);
	return kept;
}

/* One attempt of one engine, in the steps of compute.h: verified routes or
 * NULL. */
static struct routes *
attempt_engine(struct run *run, const struct engine *e, unsigned n,
	enum engine_result *result)
{
	struct trial trial = {.engine = e, .attempt = n, .keep = true};
	struct routes *kept = NULL, *fresh;

	if (run->job->prev != NULL && !run->job->rebalance) {
		kept = verify_or_drop(
			run, &trial, run_engine(run, &trial, result));
		if (*result != ENGINE_OK)
			return NULL;
	}
	if (kept != NULL && !known_load_allows_kept(run, kept))
		kept = rebalance_kept_by_bound(run, kept);
	if (kept != NULL && is_within_load_limit(run, kept, kept->fresh_load))
		return kept;
	if (kept != NULL)
		mem_trim(); /* fresh tables need as much memory again */
	trial.keep = false;
	fresh = run_engine(run, &trial, result);
	if (kept != NULL && fresh != NULL &&
		fresh_load_allows_kept(run, fresh, kept)) {
		routes_unref(fresh);
		return kept;
	}
	fresh = choose_routes(run, kept,
		rebalance_fresh(run, verify_or_drop(run, &trial, fresh)));
	return keep_better(run, &trial, fresh);
}

/* True if both have the same places in the switch order, or both have none. */
static bool
has_same_places(const struct routes *a, const struct routes *b)
{
	size_t n = a->topo->nsw * sizeof(*a->sw_order);

	return a->sw_order == NULL || b->sw_order == NULL
		       ? a->sw_order == b->sw_order
		       : memcmp(a->sw_order, b->sw_order, n) == 0;
}

static bool
same_tables(const struct routes *a, const struct routes *b)
{
	if (!has_same_places(a, b) ||
		memcmp(a->rank, b->rank, a->topo->nsw * sizeof(*a->rank)) != 0)
		return false;
	for (sw_ix s = 0; s < a->topo->nsw; s++)
		for (uint32_t i = 0; a->row[s] != b->row[s] && i < a->nblocks;
			i++)
			if (memcmp(routes_block(a, s, i), routes_block(b, s, i),
				    LFT_BLOCK) != 0)
				return false;
	return true;
}

/* What the fabric looks like as a tree, part of every result: read here if the
 * engine has not read it. */
static void
read_tree(const struct route_job *job, struct routes *r)
{
	struct arena *scratch = arena_new();

	if (tree_kept(r) == NULL)
		tree_keep(tree_read(job, scratch), r);
	arena_free(scratch);
	topo_class_describe(job, r);
}

/*
 * Routes that are not settled have another order than the next computation
 * would begin with. So compute again from the result until nothing changes any
 * more: then neither the next sweep nor a restart rewrites tables for this
 * reason.
 */
static struct routes *
repeat_until_stable(
	const struct run *run, const struct engine *e, struct routes *r)
{
	bool settled = registry_is_settled(r);

	for (unsigned i = 0; i < SETTLE && !registry_is_settled(r); i++) {
		struct route_job job = *run->job;
		struct route_account story = {0};
		struct run again = {.job = &job,
			.multi_port = run->multi_port,
			.story = &story};
		enum engine_result result = ENGINE_OK;
		struct routes *next;
		bool same;

		read_tree(run->job, r);
		job.prev = r;
		job.restored = false;
		job.rebalance = false;
		next = attempt_engine(&again, e, 0, &result);
		if (next == NULL)
			break;
		same = same_tables(r, next);
		routes_unref(r);
		r = next;
		if (same)
			break;
	}
	if (!settled)
		routes_count_changes(r, run->job->prev);
	return r;
}

/* Room for multicast beside tables that obey no order of switches; false: there
 * is none, and these tables cannot be used. */
static bool
has_mcast_order(struct run *run, struct routes *r)
{
	bool found = beside_tables_mcast(run->job, r);

	if (!found)
		append_account(run,
			"%s: multicast trees find no room beside its tables",
			r->engine);
	return found;
}

static struct routes *
try_engine(struct run *run, const struct engine *e)
{
	enum engine_result result = ENGINE_OK;

	for (unsigned n = 0; n < ATTEMPTS && result == ENGINE_OK; n++) {
		struct routes *r = attempt_engine(run, e, n, &result);

		if (r != NULL && !has_mcast_order(run, r)) {
			routes_unref(r);
			r = NULL;
		}
		if (r == NULL)
			continue;
		(void)snprintf(run->story->engine, sizeof(run->story->engine),
			"%s", e->module.name);
		return repeat_until_stable(run, e, r);
	}
	return NULL;
}

/* ---- the best engine ---- */

static const struct engine *
engine_in_force(const struct route_job *job)
{
	const struct engine *e = NULL;

	if (job->rebalance)
		return NULL;
	if (job->prev == NULL)
		return registry_find(job->reading.engine);
	e = registry_find(job->prev->engine);
	return e != NULL ? e
			 : registry_find(topo_class_kept(job->prev)->engine);
}

/* The mean bandwidth of random bisections. */
static double
bisection_bandwidth(const struct routes *r)
{
	const struct verify_tables in = beside_tables_as_judged(r);
	struct bandwidth_ebb ebb;

	bandwidth_ebb(&in, BISECTIONS, 1, &ebb);
	return ebb.mean;
}

static bool
is_better(const struct routes *a, const struct routes *b)
{
	uint64_t x = busiest_link_load(a), y = busiest_link_load(b);

	if (x + x / ALIKE_LOAD < y || y + y / ALIKE_LOAD < x)
		return x < y;
	return bisection_bandwidth(a) > bisection_bandwidth(b);
}

/* Whether the busiest link carries far more than it must, as where what is no
 * tree, a grid that has lost links, can be read as one. */
static bool
is_far_above_bound(const struct routes *r)
{
	uint64_t least = load_bound_switches(r->topo);
	uint64_t cut = load_bound_cut(r->topo);

	least = cut > least ? cut : least;
	return r->report.load_max > least + least / 2;
}

/* Whether tables are a tree's, which no other engine does better. */
static bool
are_of_tree(const struct routes *r)
{
	return r->order == ROUTE_TIERS &&
	       (registry_find(r->engine)->caps & ENGINE_ANY_FABRIC) == 0 &&
	       !is_far_above_bound(r);
}

bool
compute_is_better(const struct routes *a, const struct routes *b)
{
	return are_of_tree(a) || (!are_of_tree(b) && is_better(a, b));
}

/* The better of two, of which the other one is dropped; NULL allowed. */
static struct routes *
take_better(struct routes *best, struct routes *r)
{
	struct routes *worse = r;

	if (r != NULL && (best == NULL || compute_is_better(r, best))) {
		worse = best;
		best = r;
	}
	routes_unref(worse);
	return best;
}

/* Verified routes by the best engine; NULL: there are none. */
static struct routes *
try_best(struct run *run)
{
	const struct schema_module *const *m = registry_modules();
	const struct engine *e = engine_in_force(run->job);
	struct routes *best = e != NULL ? try_engine(run, e) : NULL;

	if (best != NULL)
		return best;
	for (; *m != NULL && (best == NULL || !are_of_tree(best)); m++) {
		e = registry_find((*m)->name);
		if ((e->caps & ENGINE_CHOOSES) == 0 && !is_cancelled(run))
			best = take_better(best, try_engine(run, e));
	}
	if (best != NULL)
		(void)snprintf(run->story->engine, sizeof(run->story->engine),
			"%s", best->engine);
	return best;
}

static struct run
begin_run(const struct route_job *job, struct route_account *story)
{
	*story = (struct route_account){0};
	return (struct run){.job = job,
		.multi_port = multi_port_node_exists(job->topo, job->options),
		.story = story};
}

/* Complete the result r; NULL: why there is none. */
static struct routes *
end_run(const struct run *run, struct routes *r, struct reason *why)
{
	if (is_cancelled(run)) {
		routes_unref(r);
		(void)reason_set(why, "cancelled");
		return NULL;
	}
	if (r != NULL) {
		read_tree(run->job, r);
		beside_tables_sets(run->job, r);
	} else
		(void)reason_set(why,
			"no engine made routes that pass verification: %s",
			run->story->tried);
	return r;
}

struct routes *
compute_routes(const struct route_job *job, const char *const *engines,
	size_t n, struct route_account *story, struct reason *why)
{
	struct run run = begin_run(job, story);
	const struct engine *last = registry_last();
	bool last_tried = false;
	struct routes *r = NULL;

	for (size_t i = 0; i < n && r == NULL && !is_cancelled(&run); i++) {
		const struct engine *e = registry_find(engines[i]);

		if (e == NULL) {
			append_account(
				&run, "no engine is called \"%s\"", engines[i]);
			continue;
		}
		last_tried |= e == last;
		r = (e->caps & ENGINE_CHOOSES) != 0 ? try_best(&run)
						    : try_engine(&run, e);
		story->fallback = i > 0;
	}
	if (r == NULL && !last_tried && !is_cancelled(&run)) {
		r = try_engine(&run, last);
		story->fallback = n > 0;
	}
	return end_run(&run, r, why);
}

struct routes *
compute_by_engine(const struct route_job *job, const struct engine *e,
	struct route_account *story, struct reason *why)
{
	struct run run = begin_run(job, story);

	return end_run(&run, try_engine(&run, e), why);
}

void
compute_found(const struct route_job *job, struct routes *r)
{
	const struct verify_tables in = {
		r->topo, r->pool, r->row, r->nblocks, &r->layers, NULL};

	(void)verify_keep(&in, job->threads, &r->report, &r->verified, NULL);
	read_tree(job, r);
}
