#include "sm/audit/audit.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "discovery/builder/builder.h"
#include "discovery/sweep/sweep.h"
#include "distribution/device/device_store.h"
#include "distribution/device/foreign_adaptive.h"
#include "distribution/device/lft_read.h"
#include "routing/verify/verify.h"
#include "sm/audit/audit_json.h"
#include "sm/base/map.h"
#include "sm/base/mem.h"
#include "sm/policy/jobs.h"

enum phase {
	PHASE_SWEEP,
	PHASE_NAMES,
	PHASE_TABLES,
	PHASE_ADAPTIVE,
	PHASE_CHOICES,
	PHASE_SA,
	PHASE_GROUPS,
	PHASE_VLS,
	PHASE_PATHS,
	PHASE_DONE
};

/* A transport that sends requests for reading only. */
struct guard {
	struct transport transport; /* first: the transport is the guard */
	struct transport *inner;
	uint64_t held; /* messages that were not sent */
};

struct audit {
	const struct config *cfg;
	struct guard guard;
	enum phase phase;
	struct xact *x;
	struct builder *builder;
	struct sweep *sweep;
	struct lft_pool *pool;
	struct device_store *hw;
	struct lft_read *readback;
	struct foreign_adaptive *adaptive;
	struct mft *mft;
	unsigned mft_blocks; /* requested so far */
	struct audit_input found;
	char why[512];
};

static int
guarded_send(struct transport *t, const struct transport_msg *m)
{
	struct guard *g = (struct guard *)(void *)t;
	bool asks = m->mad[3] == MAD_GET ||
		    (m->mad[1] == MAD_SA && m->mad[3] == MAD_SA_GET_TABLE);

	g->held += !asks;
	assert(asks);
	return asks ? g->inner->send(g->inner, m) : -1;
}

struct audit *
audit_new(const struct config *c, struct transport *t)
{
	const struct xact_options o = {
		.timeout = c->smp.timeout,
		.retries = c->smp.retries,
		.window_start = c->smp.window_max < 32 ? c->smp.window_max : 32,
		.window_max = c->smp.window_max,
		.target_max = c->smp.target_max,
	};
	struct audit *a = mem_zalloc(1, sizeof(*a));

	a->cfg = c;
	a->guard.transport.send = guarded_send;
	a->guard.transport.tid_start = t->tid_start;
	a->guard.inner = t;
	a->x = xact_new(&o, &a->guard.transport);
	keyring_configure(xact_keys(a->x), c->fabric.m_key,
		c->fabric.m_keys_known.guid, c->fabric.m_keys_known.n);
	a->builder = builder_new();
	a->pool = lft_pool_new();
	a->hw = device_new(a->pool);
	a->mft = mft_new(&(struct mft_job){.x = a->x, .hw = a->hw});
	a->found.cfg = c;
	a->found.pool = a->pool;
	a->found.hw = a->hw;
	a->found.mft = a->mft;
	a->found.wire = xact_stats(a->x);
	return a;
}

void
audit_free(struct audit *a)
{
	if (a == NULL)
		return;
	xact_cancel_all(a->x, (struct mono){0});
	sweep_free(a->sweep);
	lft_read_free(a->readback);
	foreign_adaptive_free(a->adaptive);
	mft_free(a->mft);
	audit_adaptive_read_free(a->found.choices);
	audit_vl_read_free(a->found.vls);
	audit_sa_client_free(a->found.sa);
	xact_free(a->x);
	free(a->found.deps);
	routes_unref(a->found.routes);
	topo_unref(a->found.topo);
	device_free(a->hw);
	lft_pool_free(a->pool);
	builder_free(a->builder);
	free(a);
}

static void
start_sweep(struct audit *a, enum sweep_kind kind)
{
	a->sweep = sweep_new(kind, a->builder, a->x, NULL, 0);
	sweep_read_only(a->sweep);
}

/* ---- LIDs as they are ---- */

/* The LMC in the port's PortInfo; 0 if it is invalid. */
static uint8_t
lmc_of(const struct topo *t, port_ix p)
{
	struct mad_port_info i;

	if (mad_port_info_decode(topo_info(t, p), &i, NULL) != 0)
		return 0;
	return i.lmc > 7 ? 0 : i.lmc;
}

/* Reserve the port's whole range of LIDs; false if it is not a free unicast
 * range. */
static bool
claim_lid_range(bool *used, uint32_t lid, uint8_t lmc)
{
	uint32_t n = 1U << lmc;

	if (lid + n - 1 > TOPO_LID_MAX)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (used[lid + i])
			return false;
	memset(used + lid, true, n);
	return true;
}

static void
take_lids(struct audit *a, struct topo *bare)
{
	bool *used = mem_zalloc(TOPO_LID_MAX + 1U, sizeof(*used));
	uint16_t *lid = mem_zalloc(bare->nports, sizeof(*lid));
	uint8_t *lmc = mem_zalloc(bare->nports, sizeof(*lmc));

	for (port_ix p = 0; p < bare->nports; p++) {
		if (!topo_has_lid(bare, p))
			continue;
		if (bare->port[p].found_lid == 0) {
			a->found.no_lid++;
		} else if (claim_lid_range(used, bare->port[p].found_lid,
				   lmc_of(bare, p))) {
			lid[p] = bare->port[p].found_lid;
			lmc[p] = lmc_of(bare, p);
		} else {
			a->found.bad_lid++;
		}
	}
	a->found.topo = topo_with_lids(bare, &(struct topo_lids){lid, lmc});
	free(used);
	free(lid);
	free(lmc);
}

/* ---- phases ---- */

static void
fail_audit(struct audit *a, const char *why)
{
	(void)snprintf(a->why, sizeof(a->why), "%s", why);
	a->phase = PHASE_DONE;
}

/* Each step returns true when its phase is over. */
static bool
step_sweep(struct audit *a, struct mono now)
{
	const char *failed;

	sweep_feed(a->sweep, now);
	if (!sweep_done(a->sweep))
		return false;
	failed = sweep_failed(a->sweep);
	if (failed != NULL) {
		fail_audit(a, failed);
		return false;
	}
	sweep_free(a->sweep);
	start_sweep(a, SWEEP_NAMES);
	a->phase = PHASE_NAMES;
	return true;
}

/* Make the topology of what is known now, with the LIDs that ports hold. */
static bool
freeze_topology(struct audit *a)
{
	struct reason why;
	struct topo *bare = builder_freeze(a->builder, 1, &why);

	if (bare == NULL) {
		fail_audit(a, why.text);
		return false;
	}
	topo_unref(a->found.topo);
	a->found.no_lid = a->found.bad_lid = 0;
	take_lids(a, bare);
	topo_unref(bare);
	return true;
}

static bool
step_names(struct audit *a, struct mono now)
{
	struct map none = {0};
	struct lft_read_job job = {.hw = a->hw, .x = a->x, .suspects = &none};

	sweep_feed(a->sweep, now);
	if (!sweep_done(a->sweep))
		return false;
	sweep_free(a->sweep);
	a->sweep = NULL;
	if (!freeze_topology(a))
		return false;
	a->readback = lft_read_new(a->found.topo, &job);
	a->phase = PHASE_TABLES;
	return true;
}

/*
 * Forget the entries for ports that carry no data: those of a link with an end
 * that is not Active, or not Armed where packets arrive. Ends whose state was
 * not read count as Active.
 */
static void
drop_idle_ports(const struct topo *t, sw_ix s, uint8_t *row, size_t bytes)
{
	const struct topo_node *n = &t->node[t->sw[s].node];
	bool idle[256] = {0};

	for (unsigned p = 1; p <= n->nports && p < LFT_DROP; p++) {
		const struct topo_port *out = &t->port[n->first_port + p];
		uint8_t far = out->peer == TOPO_NONE ? PORT_ACTIVE
						     : t->port[out->peer].state;

		idle[p] = (out->state != 0 && out->state < PORT_ACTIVE) ||
			  (far != 0 && far < PORT_ARMED);
	}
	for (size_t lid = 0; lid < bytes; lid++)
		if (idle[row[lid]])
			row[lid] = LFT_DROP;
}

/* Beyond LinearFDBTop a switch drops packets, whatever its table holds. */
static void
take_row(struct audit *a, struct routes *r, sw_ix s, uint8_t *row)
{
	const struct topo *t = r->topo;
	size_t bytes = (size_t)r->nblocks * LFT_BLOCK;
	uint32_t top = t->sw[s].lft_top;

	memset(row, LFT_DROP, bytes);
	for (uint32_t b = 0; b < r->nblocks && b * LFT_BLOCK <= top; b++) {
		lft_ref ref =
			device_block(a->hw, t->node[t->sw[s].node].guid, b);

		if (ref != DEVICE_UNKNOWN)
			memcpy(row + (size_t)b * LFT_BLOCK,
				lft_bytes(a->pool, ref), LFT_BLOCK);
	}
	if (top + 1U < bytes)
		memset(row + top + 1, LFT_DROP, bytes - top - 1);
	drop_idle_ports(t, s, row, bytes);
	routes_put_row(r, s, row, NULL, TOPO_NONE);
}

static void
take_routes(struct audit *a)
{
	const struct verify_tables *in;
	struct routes *r = routes_new(a->found.topo, a->pool);
	uint8_t *row = mem_alloc((size_t)r->nblocks * LFT_BLOCK);

	r->engine = "found";
	for (sw_ix s = 0; s < r->topo->nsw; s++)
		take_row(a, r, s, row);
	free(row);
	in = &(struct verify_tables){
		r->topo, r->pool, r->row, r->nblocks, &r->layers, NULL};
	(void)verify_keep(
		in, jobs_threads(a->cfg), &r->report, &r->verified, NULL);
	a->found.routes = r;
	if (r->verified != NULL)
		a->found.deps = verify_state_dependencies(
			r->verified, r->topo, UINT16_MAX);
}

/*
 * Put switches that cannot be judged in quarantine: a switch that did not give
 * all of its table, and one that carries no traffic because all its ports are
 * in Init. To treat their entries as drops would report faults that the other
 * subnet manager did not make. True if there are any.
 */
static bool
quarantine_unread(struct audit *a)
{
	const struct topo *t = a->found.topo;
	bool any = false;

	for (sw_ix s = 0; s < t->nsw; s++) {
		const struct topo_node *n = &t->node[t->sw[s].node];
		uint32_t top = t->sw[s].lft_top, missing = 0, most;

		if (n->flags & TN_QUARANTINED)
			continue;
		most = (top < t->max_lid ? top : t->max_lid) / LFT_BLOCK;
		for (uint32_t b = 0; b <= most; b++)
			missing += device_block(a->hw, n->guid, b) ==
				   DEVICE_UNKNOWN;
		if (missing == 0)
			continue;
		any = true;
		a->found.unread += missing;
		builder_quarantine(a->builder, n->guid,
			n->flags & TN_FRESH
				? "all its ports are in Init: it carries "
				  "nothing yet"
				: "its table could not be read completely");
	}
	return any;
}

static bool
step_tables(struct audit *a, struct mono now)
{
	const struct map none = {0};
	const struct foreign_adaptive_job job = {
		.hw = a->hw,
		.x = a->x,
		.suspects = &none,
	};

	lft_read_feed(a->readback, now);
	if (!lft_read_done(a->readback))
		return false;
	lft_read_free(a->readback);
	a->readback = NULL;
	if (quarantine_unread(a) && !freeze_topology(a))
		return false;
	a->found.builder = a->builder;
	take_routes(a);
	if (a->found.deps == NULL) {
		fail_audit(a, "there is nothing to judge");
		return false;
	}
	a->adaptive = foreign_adaptive_new(a->found.topo, &job);
	a->phase = PHASE_ADAPTIVE;
	return true;
}

static bool
step_adaptive(struct audit *a, struct mono now)
{
	foreign_adaptive_feed(a->adaptive, now);
	if (!foreign_adaptive_done(a->adaptive))
		return false;
	a->found.choices = audit_adaptive_read_new(a->found.topo, a->hw, a->x);
	a->phase = PHASE_CHOICES;
	return true;
}

static bool
step_choices(struct audit *a, struct mono now)
{
	audit_adaptive_read_feed(a->found.choices, now);
	if (!audit_adaptive_read_done(a->found.choices))
		return false;
	a->found.sa = audit_sa_client_new(a->found.topo, &a->guard.transport);
	audit_sa_client_start(a->found.sa, now);
	a->phase = PHASE_SA;
	return true;
}

/* True if a switch has an entry in the last block that was requested. */
static bool
last_block_used(const struct audit *a)
{
	const struct topo *t = a->found.topo;
	uint64_t row[MCAST_WORDS];

	for (sw_ix s = 0; s < t->nsw; s++)
		for (unsigned g = 0; g < MFT_BLOCK; g++)
			if (mft_row(a->mft, t->node[t->sw[s].node].guid,
				    (a->mft_blocks - 1) * MFT_BLOCK + g, row))
				return true;
	return false;
}

static bool
step_sa(struct audit *a, struct mono now)
{
	const struct audit_sa_client_facts *sa =
		audit_sa_client_facts(a->found.sa);

	if (!audit_sa_client_done(a->found.sa))
		return false;
	a->mft_blocks = 1;
	if (sa->ngroups > 0)
		a->mft_blocks =
			(sa->group[sa->ngroups - 1].mlid - (unsigned)MFT_MLID) /
				MFT_BLOCK +
			1;
	mft_adopt(a->mft, a->found.topo);
	(void)mft_ask(a->mft, a->mft_blocks, now);
	a->phase = PHASE_GROUPS;
	return true;
}

/* Without a MulticastFDBTop blocks are requested until one is empty in all
 * switches. */
static bool
step_groups(struct audit *a, struct mono now)
{
	mft_feed(a->mft, now);
	if (mft_asking(a->mft))
		return false;
	if (mft_blocks(a->mft) > a->mft_blocks)
		a->mft_blocks = mft_blocks(a->mft);
	if (a->mft_blocks < MFT_GROUPS / MFT_BLOCK && last_block_used(a) &&
		mft_ask(a->mft, ++a->mft_blocks, now))
		return true;
	audit_json_one_vl(&a->found);
	a->found.vls = audit_vl_read_new(
		&(struct audit_vl_read_job){.t = a->found.topo,
			.x = a->x,
			.matters = a->found.one_vl_choices > 0});
	a->phase = PHASE_VLS;
	return true;
}

/*
 * Without a cycle on one VL there is none on several. Then it only matters
 * whether an SL that subnet administration gave out is discarded somewhere,
 * which a few of its answers show.
 */
static bool
step_vls(struct audit *a, struct mono now)
{
	struct audit_vl_read_facts l;

	audit_vl_read_feed(a->found.vls, now);
	if (!audit_vl_read_done(a->found.vls))
		return false;
	l = audit_vl_read_facts(a->found.vls);
	if (l.vls > 1 && a->found.one_vl_choices > 0)
		audit_sa_client_paths(
			a->found.sa, AUDIT_SA_CLIENT_RECORDS, now);
	else if (l.discards != 0)
		audit_sa_client_paths(a->found.sa, AUDIT_SA_CLIENT_FEW, now);
	a->phase = PHASE_PATHS;
	return true;
}

static bool
step_paths(struct audit *a, struct mono now)
{
	(void)now;
	if (!audit_sa_client_done(a->found.sa))
		return false;
	a->phase = PHASE_DONE;
	return true;
}

static void
advance_phase(struct audit *a, struct mono now)
{
	static bool (*const steps[])(struct audit *, struct mono) = {
		[PHASE_SWEEP] = step_sweep,
		[PHASE_NAMES] = step_names,
		[PHASE_TABLES] = step_tables,
		[PHASE_ADAPTIVE] = step_adaptive,
		[PHASE_CHOICES] = step_choices,
		[PHASE_SA] = step_sa,
		[PHASE_GROUPS] = step_groups,
		[PHASE_VLS] = step_vls,
		[PHASE_PATHS] = step_paths,
	};

	while (a->phase != PHASE_DONE && steps[a->phase](a, now))
		;
}

void
audit_start(struct audit *a, struct mono now)
{
	start_sweep(a, SWEEP_FULL);
	advance_phase(a, now);
}

void
audit_receive(struct audit *a, const struct transport_msg *m, struct mono now)
{
	struct smp s;

	/* messages that answer no request of the audit are ignored */
	if (m->mad[1] == MAD_SA) {
		if (a->found.sa != NULL)
			(void)audit_sa_client_receive(a->found.sa, m, now);
	} else if (smp_decode(m->mad, m->len, &s, NULL) == 0) {
		(void)xact_input(a->x, m, &s, now);
	}
	advance_phase(a, now);
}

struct mono
audit_next(const struct audit *a)
{
	struct mono t = xact_next(a->x);

	return a->found.sa == NULL
		       ? t
		       : mono_min(t, audit_sa_client_next(a->found.sa));
}

void
audit_tick(struct audit *a, struct mono now)
{
	xact_tick(a->x, now);
	if (a->found.sa != NULL)
		audit_sa_client_tick(a->found.sa, now);
	advance_phase(a, now);
}

bool
audit_done(const struct audit *a, const char **why)
{
	*why = a->why;
	return a->phase == PHASE_DONE;
}

const char *
audit_doing(const struct audit *a)
{
	static const char *const words[] = {
		[PHASE_SWEEP] = "discovering nodes and links",
		[PHASE_NAMES] = "reading names",
		[PHASE_TABLES] = "reading forwarding tables",
		[PHASE_ADAPTIVE] = "asking for adaptive routing",
		[PHASE_CHOICES] = "reading adaptive groups",
		[PHASE_SA] = "asking subnet administration for groups",
		[PHASE_GROUPS] = "reading multicast tables",
		[PHASE_VLS] = "reading SL to VL tables",
		[PHASE_PATHS] = "asking subnet administration for paths",
		[PHASE_DONE] = "judging",
	};

	return words[a->phase];
}

json_t *
audit_report(struct audit *a, enum audit_verdict *v)
{
	a->found.held = a->guard.held;
	return audit_json_make(&a->found, v);
}
