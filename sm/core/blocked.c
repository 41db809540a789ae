#include "sm/core/blocked.h"

#include <stdio.h>

#include "sm/base/be.h"
#include "sm/core/sm_priv.h"

enum { HELD_RETRY_MS = 1000, SECOND_NS = 1000000000 };

/*
 * Pairs that the previous run blocked count as blocked until they are known not
 * to be. Their age goes on: until blocked_start, since is counted back from 0.
 */
void
blocked_load(struct sm *sm, const struct state_file *s)
{
	for (size_t i = 0; i < s->nblock; i++) {
		const struct state_file_blocked *b = &s->block[i];
		uint64_t age = b->age + s->away;
		struct sl2vl_block h = {
			.guid = b->guid,
			.in = b->in,
			.out = b->out,
			.pairs = b->pairs,
			.since = {-(int64_t)(age < UINT32_MAX ? age
							      : UINT32_MAX) *
				  SECOND_NS},
		};

		be_put64(h.before, b->row);
		sl2vl_block(device_sl2vl(sm->hw), &h);
	}
}

uint64_t
blocked_age(const struct sm *sm, const struct sl2vl_block *h)
{
	int64_t ns = mono_sub(sm->now, h->since).ns;

	return ns > 0 ? (uint64_t)ns / SECOND_NS : 0;
}

void
blocked_start(struct sm *sm, struct mono now)
{
	struct sl2vl_block *h;
	size_t n, i;

	h = sl2vl_blocked_list(device_sl2vl(sm->hw), &n);
	for (i = 0; i < n; i++)
		h[i].since = mono_add(now, h[i].since);
	blocked_watch(sm, now);
}

/* Set the alarm for h, with the switch's name if the view has it. */
static void
alarm_still_blocked(struct sm *sm, const struct sl2vl_block *h)
{
	const struct topo *t = sm->view != NULL ? sm->view->topo : NULL;
	node_ix n = t != NULL ? topo_by_node_guid(t, h->guid) : TOPO_NONE;

	(void)snprintf(sm->stat.blocked, sizeof(sm->stat.blocked),
		"switch 0x%016llx %s still blocks port %u to port %u; %llu "
		"pairs lose packets",
		(unsigned long long)h->guid,
		n == TOPO_NONE ? "(unreachable)" : topo_desc(t, n), h->in,
		h->out, (unsigned long long)h->pairs);
}

struct mono
blocked_next(const struct sm *sm)
{
	struct mono limit = sm->cfg->distribution.block_limit;
	struct mono t = MONO_NEVER;
	const struct sl2vl_block *h;
	size_t n, i;

	if (sm->role == SM_STANDING_BY)
		return t;
	h = sl2vl_blocked_list(device_sl2vl(sm->hw), &n);
	for (i = 0; i < n; i++)
		if (!h[i].told)
			t = mono_min(t, mono_add(h[i].since, limit));
	return t;
}

void
blocked_watch(struct sm *sm, struct mono now)
{
	struct mono limit = sm->cfg->distribution.block_limit;
	struct sl2vl_block *h;
	size_t n, i;

	if (mono_before(now, blocked_next(sm)))
		return;
	h = sl2vl_blocked_list(device_sl2vl(sm->hw), &n);
	for (i = 0; i < n; i++) {
		if (h[i].told || mono_before(now, mono_add(h[i].since, limit)))
			continue;
		h[i].told = true;
		alarm_still_blocked(sm, &h[i]);
		log_error("push: %s", sm->stat.blocked);
	}
}

static bool
within_reach(const struct topo *t, uint64_t guid)
{
	node_ix n = topo_by_node_guid(t, guid);

	return n != TOPO_NONE && (t->node[n].flags & TN_QUARANTINED) == 0;
}

void
blocked_review(struct sm *sm, struct mono now)
{
	const struct sl2vl_block *h;
	bool reached = false;
	size_t n, i;

	h = sl2vl_blocked_list(device_sl2vl(sm->hw), &n);
	for (i = 0; i < n; i++) {
		reached |= within_reach(sm->view->topo, h[i].guid);
		if (h[i].told)
			alarm_still_blocked(sm, &h[i]);
	}
	if (n == 0)
		sm->stat.blocked[0] = '\0';
	if (!reached)
		return; /* the plan after its return opens them */
	dirty_mark_replan(sm, now, DIRTY_BLOCKED, NULL);
	timer_set(
		&sm->timers, TIMER_RUN, mono_add(now, mono_ms(HELD_RETRY_MS)));
}
