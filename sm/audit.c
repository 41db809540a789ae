#include "sm/audit.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "discovery/draft.h"
#include "discovery/sweep.h"
#include "distribution/hwstate.h"
#include "distribution/readback.h"
#include "sm/base/map.h"
#include "sm/base/mem.h"
#include "sm/ctl/member.h"
#include "sm/ctl/words.h"
#include "sm/forecast/report.h"

enum { LANES_MAX = 20000 }; /* SL2VL tables that are asked for */

enum phase { PHASE_SWEEP, PHASE_NAMES, PHASE_TABLES, PHASE_LANES, PHASE_DONE };

/* Only Gets leave. */
struct guard {
	struct transport transport; /* first: the transport is the guard */
	struct transport *inner;
};

/* One port pair of a switch whose SL2VL is read. */
struct pair {
	sw_ix sw;
	uint8_t in, out;
};

struct audit {
	const struct config *cfg;
	struct guard guard;
	enum phase phase;
	struct xact *x;
	struct draft *draft;
	struct sweep *sweep;
	struct lft_pool *pool;
	struct hwstate *hw;
	struct readback *readback;
	struct topo *topo; /* LIDs as found */
	uint32_t no_lid, bad_lid;
	struct pair *pair;
	size_t npairs, cappairs, next_pair;
	unsigned inflight;
	uint64_t maps_read, maps_refused, maps_discard;
	uint16_t vls;	 /* bit v: some SL leads to VL v */
	uint32_t unread; /* blocks that should be there */
	char why[512];
};

static int
guarded_send(struct transport *t, const struct transport_msg *m)
{
	struct guard *g = (struct guard *)(void *)t;

	assert(m->mad[3] == MAD_GET);
	return m->mad[3] == MAD_GET ? g->inner->send(g->inner, m) : -1;
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
	a->guard.inner = t;
	a->x = xact_new(&o, &a->guard.transport);
	a->draft = draft_new();
	a->pool = lft_pool_new();
	a->hw = hw_new(a->pool);
	return a;
}

void
audit_free(struct audit *a)
{
	if (a == NULL)
		return;
	xact_cancel_all(a->x, (struct mono){0});
	sweep_free(a->sweep);
	readback_free(a->readback);
	xact_free(a->x);
	topo_unref(a->topo);
	hw_free(a->hw);
	lft_pool_free(a->pool);
	draft_free(a->draft);
	free(a->pair);
	free(a);
}

static void
start_sweep(struct audit *a, enum sweep_kind kind)
{
	a->sweep =
		sweep_new(kind, a->draft, a->x, a->cfg->fabric.m_key, NULL, 0);
	sweep_read_only(a->sweep);
}

/* ---- LIDs as they are ---- */

/* LMC as the port says. */
static uint8_t
lmc_of(const struct topo *t, port_ix p)
{
	struct mad_port_info i;

	if (mad_port_info_decode(t->info[p], &i, NULL) != 0)
		return 0;
	return i.lmc > 7 ? 0 : i.lmc;
}

/* The port's whole range, if it is a unicast range that nobody has. */
static bool
claim(bool *used, uint32_t lid, uint8_t lmc)
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
			a->no_lid++;
		} else if (claim(used, bare->port[p].found_lid,
				   lmc_of(bare, p))) {
			lid[p] = bare->port[p].found_lid;
			lmc[p] = lmc_of(bare, p);
		} else {
			a->bad_lid++;
		}
	}
	a->topo = topo_with_lids(bare, &(struct topo_lids){lid, lmc});
	free(used);
	free(lid);
	free(lmc);
}

/* ---- SL2VL ---- */

static void
add_pair(struct audit *a, sw_ix s, unsigned in, unsigned out)
{
	a->pair = mem_grow(a->pair, a->npairs, &a->cappairs, sizeof(*a->pair));
	a->pair[a->npairs++] = (struct pair){s, (uint8_t)in, (uint8_t)out};
}

/*
 * For each cable from switch to switch one in-port, as far as the limit goes:
 * all of them would be a million questions on a large fabric.
 */
static void
list_pairs(struct audit *a)
{
	const struct topo *t = a->topo;
	uint32_t each = t->nadj > LANES_MAX ? 1 : UINT32_MAX;

	for (sw_ix s = 0; s < t->nsw; s++) {
		const struct topo_switch *sw = &t->sw[s];
		const struct topo_adj *adj = &t->adj[sw->adj];

		if (t->node[sw->node].flags & TN_QUARANTINED)
			continue;
		for (uint32_t i = 0; i < sw->nadj && i < each; i++) {
			port_ix p = topo_port_of(t, sw->node, adj[i].out);

			if (t->port[p].op_vls > 1)
				add_pair(a, s, adj[(i + 1) % sw->nadj].out,
					adj[i].out);
		}
	}
}

static void
got_map(void *cookie, uint64_t tag, const struct xact_result *res)
{
	struct audit *a = cookie;

	(void)tag;
	a->inflight--;
	if (res->outcome != XACT_OK) {
		a->maps_refused++;
		return;
	}
	a->maps_read++;
	for (unsigned sl = 0; sl < 16; sl++) {
		uint8_t both = res->data[sl / 2];
		unsigned vl = sl % 2 == 0 ? both >> 4 : both & 15;

		a->maps_discard += vl == 15;
		a->vls |= (uint16_t)(1U << vl);
	}
}

static void
ask_map(struct audit *a, const struct pair *p, struct mono now)
{
	node_ix node = a->topo->sw[p->sw].node;
	struct xact_request q;
	int hops;

	memset(&q, 0, sizeof(q));
	hops = topo_route(a->topo, node, q.path);
	if (hops < 0)
		return;
	q.hops = (uint8_t)hops;
	q.method = MAD_GET;
	q.attr = MAD_SL2VL;
	q.mod = (uint32_t)p->in << 8 | p->out;
	q.mkey = a->cfg->fabric.m_key;
	q.target = a->topo->node[node].guid;
	a->inflight++;
	xact_submit(a->x, &q, now, got_map, a, 0);
}

/* ---- phases ---- */

static void
fail(struct audit *a, const char *why)
{
	(void)snprintf(a->why, sizeof(a->why), "%s", why);
	a->phase = PHASE_DONE;
}

/* Each step is true when the phase is over. */
static bool
step_sweep(struct audit *a, struct mono now)
{
	const char *failed;

	sweep_feed(a->sweep, now);
	if (!sweep_done(a->sweep))
		return false;
	failed = sweep_failed(a->sweep);
	if (failed != NULL) {
		fail(a, failed);
		return false;
	}
	sweep_free(a->sweep);
	start_sweep(a, SWEEP_NAMES);
	a->phase = PHASE_NAMES;
	return true;
}

static bool
step_names(struct audit *a, struct mono now)
{
	struct map none = {0};
	struct readback_job job = {.hw = a->hw,
		.pool = a->pool,
		.x = a->x,
		.mkey = a->cfg->fabric.m_key,
		.suspects = &none};
	struct reason why;
	struct topo *bare;

	sweep_feed(a->sweep, now);
	if (!sweep_done(a->sweep))
		return false;
	sweep_free(a->sweep);
	a->sweep = NULL;
	bare = draft_freeze(a->draft, 1, &why);
	if (bare == NULL) {
		fail(a, why.text);
		return false;
	}
	take_lids(a, bare);
	topo_unref(bare);
	a->readback = readback_new(a->topo, &job);
	a->phase = PHASE_TABLES;
	return true;
}

static bool
step_tables(struct audit *a, struct mono now)
{
	readback_feed(a->readback, now);
	if (!readback_done(a->readback))
		return false;
	readback_free(a->readback);
	a->readback = NULL;
	list_pairs(a);
	a->phase = PHASE_LANES;
	return true;
}

static bool
step_lanes(struct audit *a, struct mono now)
{
	while (a->next_pair < a->npairs && xact_room(a->x))
		ask_map(a, &a->pair[a->next_pair++], now);
	if (a->next_pair < a->npairs || a->inflight > 0)
		return false;
	a->phase = PHASE_DONE;
	return true;
}

static bool
step_done(struct audit *a, struct mono now)
{
	(void)a;
	(void)now;
	return false;
}

static void
advance(struct audit *a, struct mono now)
{
	static bool (*const steps[])(struct audit *, struct mono) = {
		[PHASE_SWEEP] = step_sweep,
		[PHASE_NAMES] = step_names,
		[PHASE_TABLES] = step_tables,
		[PHASE_LANES] = step_lanes,
		[PHASE_DONE] = step_done,
	};

	while (steps[a->phase](a, now))
		;
}

void
audit_start(struct audit *a, struct mono now)
{
	start_sweep(a, SWEEP_FULL);
	advance(a, now);
}

void
audit_receive(struct audit *a, const struct transport_msg *m, struct mono now)
{
	struct smp s;

	/* whatever is no answer of ours is not for us */
	if (smp_decode(m->mad, m->len, &s, NULL) == 0)
		(void)xact_input(a->x, m, &s, now);
	advance(a, now);
}

struct mono
audit_next(const struct audit *a)
{
	return xact_next(a->x);
}

void
audit_tick(struct audit *a, struct mono now)
{
	xact_tick(a->x, now);
	advance(a, now);
}

bool
audit_done(const struct audit *a, const char **why)
{
	*why = a->why;
	return a->phase == PHASE_DONE;
}

const struct xact_stats *
audit_wire(const struct audit *a)
{
	return xact_stats(a->x);
}

/* ---- the report ---- */

/* Beyond LinearFDBTop a switch drops, whatever the table holds. */
static void
take_row(struct audit *a, struct routes *r, sw_ix s, uint8_t *row)
{
	const struct topo *t = a->topo;
	size_t bytes = (size_t)r->nblocks * LFT_BLOCK;
	uint32_t top = t->sw[s].lft_top;

	memset(row, LFT_DROP, bytes);
	for (uint32_t b = 0; b < r->nblocks && b * LFT_BLOCK <= top; b++) {
		lft_ref ref = hw_block(a->hw, t->node[t->sw[s].node].guid, b);

		if (ref != HW_UNKNOWN)
			memcpy(row + (size_t)b * LFT_BLOCK,
				lft_bytes(a->pool, ref), LFT_BLOCK);
		else
			a->unread++;
	}
	if (top + 1U < bytes)
		memset(row + top + 1, LFT_DROP, bytes - top - 1);
	routes_put_row(r, s, row, NULL, TOPO_NONE);
}

static struct routes *
found_routes(struct audit *a)
{
	struct routes *r = routes_new(a->topo, a->pool);
	uint8_t *row = mem_alloc((size_t)r->nblocks * LFT_BLOCK);

	r->engine = "found";
	for (sw_ix s = 0; s < a->topo->nsw; s++)
		take_row(a, r, s, row);
	free(row);
	return r;
}

/* Who says that an SM runs there. */
static json_t *
managers_json(const struct topo *t)
{
	json_t *list = json_array();

	for (port_ix p = 0; p < t->nports; p++)
		if (t->port[p].flags & TP_IS_SM)
			(void)json_array_append_new(list,
				json_pack("{s:o, s:o}", "guid",
					words_guid(t->port[p].guid), "name",
					words_name(t, t->port[p].node)));
	return list;
}

static unsigned
data_lanes(uint16_t vls)
{
	return (unsigned)__builtin_popcount(vls & 0x7fffU);
}

static json_t *
lanes_json(const struct audit *a)
{
	json_t *o = json_object();

	member_put(o, "maps_read", member_u64(a->maps_read));
	member_put(o, "maps_refused", member_u64(a->maps_refused));
	member_put(o, "lanes",
		member_u64(a->maps_read > 0 ? data_lanes(a->vls) : 1));
	member_put(o, "discarding", member_u64(a->maps_discard));
	return o;
}

static json_t *
lids_json(const struct audit *a)
{
	json_t *o = json_object();

	member_put(o, "highest", member_u64(a->topo->max_lid));
	member_put(o, "missing", member_u64(a->no_lid));
	member_put(o, "bad", member_u64(a->bad_lid));
	return o;
}

/* Counted where they would leave; the guard lets none pass. */
static json_t *
sets_json(const struct audit *a)
{
	const struct xact_stats *x = xact_stats(a->x);
	uint64_t n = 0;

	for (size_t i = 0; i < 64; i++)
		n += x->by_attr[i][1];
	return json_pack("{s:o, s:o}", "sent", member_u64(x->sent), "sets",
		member_u64(n));
}

json_t *
audit_report(struct audit *a, bool *well)
{
	const struct forecast_job job = {.cfg = a->cfg, .pool = a->pool};
	struct routes *r = found_routes(a);
	struct forecast ours, found;
	json_t *o = json_object();

	forecast_route(&job, a->topo, NULL, &ours);
	if (ours.routes != NULL) /* levels need an order; theirs is unknown */
		memcpy(r->rank, ours.routes->rank,
			a->topo->nsw * sizeof(*r->rank));
	forecast_judge(&job, r, &found);
	member_put(o, "fabric", report_fabric(a->topo));
	member_put(o, "managers", managers_json(a->topo));
	member_put(o, "lids", lids_json(a));
	member_put(o, "blocks_unread", member_u64(a->unread));
	member_put(o, "sl2vl", lanes_json(a));
	member_put(o, "found", report_forecast(&found));
	member_put(o, "heddle", report_forecast(&ours));
	*well = found.report.ok && a->bad_lid == 0;
	member_put(o, "well", json_boolean(*well));
	member_put(o, "wire", sets_json(a));
	forecast_free(&ours);
	forecast_free(&found);
	routes_unref(r);
	return o;
}
