#include "sm/core/wire.h"

#include <stdio.h>

#include "sm/core/sm_priv.h"

/* ---- answers that are late ---- */

/*
 * An answer that is late may never come, because a link on its path is down and
 * the trap about it has not arrived, or cannot. The path probe looks for such a
 * link (discovery/sweep/path_probe.h). A port that it finds down is a port that
 * changed: a probe of its switch that is under way reads it at once, otherwise
 * the switch is marked dirty. SMPs under way beyond it are given up by then.
 */
static void
probe_finds_down(
	void *cookie, const uint8_t path[64], unsigned hops, struct mono now)
{
	struct sm *sm = cookie;
	uint8_t port = path[hops + 1];
	char cause[96];
	builder_id n;

	sm->stat.paths_lost++;
	if (!builder_node_at(sm->builder, path, hops, &n))
		return; /* the builder has no such path any more */
	if (sm->phase == SM_DISCOVER && sweep_hint(sm->run.sweep, n, port))
		return;
	if (sm->role != SM_MASTER)
		return;
	(void)snprintf(cause, sizeof(cause),
		"no answer from behind port %u of 0x%016llx", port,
		(unsigned long long)builder_guid(sm->builder, n));
	dirty_mark(
		sm, builder_guid(sm->builder, n), now, DIRTY_NO_ANSWER, cause);
}

static void
probe_late_answer(void *cookie, const void *owner, const struct xact_request *r,
	struct mono now)
{
	struct sm *sm = cookie;

	/* At the first bring-up answers are late because nodes are busy. */
	if (sm->view == NULL)
		return;
	/* whether our own link is up is found by light sweeps */
	path_probe_late(sm->scout, owner, r,
		builder_self_is_switch(sm->builder) ? 0 : 1, now);
}

/* ---- options ---- */

void
wire_configure(struct sm *sm)
{
	const struct config_smp *c = &sm->cfg->smp;
	unsigned most = c->window_max;
	struct xact_options o;

	if (sm->role == SM_STANDING_BY && most > STANDBY_WINDOW)
		most = STANDBY_WINDOW;
	o = (struct xact_options){
		.timeout = c->timeout,
		.retries = c->retries,
		.window_start = most < 32 ? most : 32,
		.window_max = most,
		.target_max = c->target_max,
	};

	if (sm->x == NULL)
		sm->x = xact_new(&o, sm->t);
	else
		xact_configure(sm->x, &o);
	keyring_configure(xact_keys(sm->x), sm->cfg->fabric.m_key,
		sm->cfg->fabric.m_keys_known.guid,
		sm->cfg->fabric.m_keys_known.n);
}

void
wire_new(struct sm *sm)
{
	wire_configure(sm);
	sm->scout = path_probe_new(sm->x, probe_finds_down, sm);
	xact_on_late(sm->x, probe_late_answer, sm);
}
