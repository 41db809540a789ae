/*
 * Silence. An answer that is late may never come, because a link on its way is
 * down whose trap has not arrived, or cannot: the scout looks. A port that it
 * finds down is one that changed: a probe that is under way looks at it at
 * once, otherwise its switch is probed next. Whatever was on its way beyond is
 * given up by then.
 */
#include <stdio.h>

#include "sm/sm_priv.h"

static void
found(void *cookie, const uint8_t path[64], unsigned hops, struct mono now)
{
	struct sm *sm = cookie;
	uint8_t port = path[hops + 1];
	char cause[96];
	draft_id n;

	sm->stat.ways_lost++;
	if (!draft_along(sm->draft, path, hops, &n))
		return; /* no way of ours any more */
	if (sm->phase == SM_DISCOVER && sweep_hint(sm->sweep, n, port))
		return;
	if (sm->role != SM_MASTER)
		return;
	(void)snprintf(cause, sizeof(cause),
		"silence behind port %u of 0x%016llx", port,
		(unsigned long long)draft_guid(sm->draft, n));
	sm_mark(sm, draft_guid(sm->draft, n), now, cause);
}

static void
late(void *cookie, const void *owner, const struct xact_request *r,
	struct mono now)
{
	struct sm *sm = cookie;

	/* whether our own cable is there is asked by light sweeps */
	scout_late(sm->scout, owner, r, draft_self_is_switch(sm->draft) ? 0 : 1,
		now);
}

void
sm_scout_new(struct sm *sm)
{
	sm->scout = scout_new(sm->x, found, sm);
	xact_on_late(sm->x, late, sm);
}

void
sm_scout_free(struct sm *sm)
{
	scout_free(sm->scout);
}
