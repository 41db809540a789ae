#include "sm/core/drift_sl2vl.h"

#include <string.h>

#include "sm/core/sm_priv.h"

enum {
	NOTED = 5, /* log lines per plan */
	GATHER_MS = 1000,
};

void
drift_sl2vl_forget(struct sm *sm, bool hurry)
{
	sl2vl_scan_doubt(sm->foreign.scan, hurry);
	sm->foreign.nleft_closed = 0;
	timer_stop(&sm->timers, TIMER_UNBLOCK);
}

void
drift_sl2vl_publish(struct sm *sm, struct mono now)
{
	const struct topo *t = sm->run.topo;

	for (sw_ix s = 0; s < t->nsw; s++)
		if ((t->node[t->sw[s].node].flags & TN_FRESH) != 0)
			sl2vl_scan_mark_own(
				sm->foreign.scan, t->node[t->sw[s].node].guid);
	drift_sl2vl_renew(sm, now);
}

void
drift_sl2vl_renew(struct sm *sm, struct mono now)
{
	if (sm->view->routes->layers.n == 1)
		sl2vl_scan_adopt(sm->foreign.scan, sm->view->topo, now);
}

static void
log_foreign_block(const struct sm *sm, const struct sl2vl_scan_row *f)
{
	const struct topo *t = sm->view->topo;
	node_ix n = topo_by_node_guid(t, f->guid);

	log_warn("scan: switch 0x%016llx %s discards packets from port %u to "
		 "port %u: blocked by another subnet manager, to be unblocked",
		(unsigned long long)f->guid,
		n == TOPO_NONE ? "" : topo_desc(t, n), f->in, f->out);
}

static void
take_found_rows(struct sm *sm, struct mono now)
{
	struct blocked_rows *b = device_blocked(sm->hw);
	const struct sl2vl_scan_row *f;
	size_t n, i;

	f = sl2vl_scan_found(sm->foreign.scan, &n);
	for (i = 0; i < n; i++) {
		struct blocked_row h = {.guid = f[i].guid,
			.in = f[i].in,
			.out = f[i].out,
			.since = now};

		if (blocked_rows_find(b, h.guid, h.in, h.out) != NULL)
			continue;
		memcpy(h.before, f[i].row, sizeof(h.before));
		device_lose(sm->hw, device_at_row(h.guid, h.in, h.out));
		blocked_rows_add(b, &h);
		if (sm->foreign.nleft_closed++ < NOTED)
			log_foreign_block(sm, &f[i]);
		sm->stat.rows_freed++;
	}
	if (sm->foreign.nleft_closed > 0 &&
		!timer_is_set(&sm->timers, TIMER_UNBLOCK))
		timer_set(&sm->timers, TIMER_UNBLOCK,
			mono_add(now, mono_ms(GATHER_MS)));
}

static void
plan_when_due(struct sm *sm, struct mono now)
{
	if (mono_before(now, timer_due(&sm->timers, TIMER_UNBLOCK)))
		return;
	log_warn("scan: dependencies left blocked by another subnet "
		 "manager=%zu, unblocked by the next plan",
		sm->foreign.nleft_closed);
	sm->foreign.nleft_closed = 0;
	timer_stop(&sm->timers, TIMER_UNBLOCK);
	dirty_mark_replan(sm, now, DIRTY_LEFT_BLOCKED, NULL);
}

static bool
may_ask(const struct sm *sm)
{
	return sm->role == SM_MASTER && sm->reign.tables != TABLES_ELECTED &&
	       sm->view != NULL && sm->phase == SM_IDLE &&
	       sm->view->routes->layers.n == 1;
}

struct mono
drift_sl2vl_next(const struct sm *sm)
{
	return may_ask(sm) ? mono_min(sl2vl_scan_next(sm->foreign.scan),
				     timer_due(&sm->timers, TIMER_UNBLOCK))
			   : MONO_NEVER;
}

void
drift_sl2vl_step(struct sm *sm, struct mono now)
{
	if (!may_ask(sm))
		return;
	/* one layer uses SL 0 */
	sl2vl_scan_feed(sm->foreign.scan, sm->x, 1, now);
	take_found_rows(sm, now);
	plan_when_due(sm, now);
}
