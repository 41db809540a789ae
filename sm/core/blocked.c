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
		struct blocked_row h = {
			.guid = b->guid,
			.in = b->in,
			.out = b->out,
			.pairs = b->pairs,
			.stays = b->stays,
			.settled = b->settled,
			.since = {-(int64_t)(age < UINT32_MAX ? age
							      : UINT32_MAX) *
				  SECOND_NS},
		};

		be_put64(h.before, b->row);
		blocked_rows_add(device_blocked(sm->hw), &h);
	}
}

uint64_t
blocked_age(const struct sm *sm, const struct blocked_row *h)
{
	int64_t ns = mono_sub(sm->now, h->since).ns;

	return ns > 0 ? (uint64_t)ns / SECOND_NS : 0;
}

void
blocked_start(struct sm *sm, struct mono now)
{
	const struct blocked_rows *b = device_blocked(sm->hw);

	for (size_t i = 0; i < b->n; i++)
		b->row[i].since = mono_add(now, b->row[i].since);
	blocked_watch(sm, now);
}

/*
 * Set the alarm for h, with the switch's name if the view has it. False: the
 * switch has left the fabric since. No route leads over it, so that none loses
 * packets there; that it is gone is an event, and its return opens it.
 */
static bool
alarm_still_blocked(struct sm *sm, const struct blocked_row *h)
{
	const struct topo *t = sm->view != NULL ? sm->view->topo : NULL;
	node_ix n = t != NULL ? topo_by_node_guid(t, h->guid) : TOPO_NONE;

	if (t != NULL && n == TOPO_NONE)
		return false;
	(void)snprintf(sm->stat.blocked, sizeof(sm->stat.blocked),
		"switch 0x%016llx %s still blocks port %u to port %u; %llu "
		"pairs lose packets",
		(unsigned long long)h->guid,
		n == TOPO_NONE ? "(unreachable)" : topo_desc(t, n), h->in,
		h->out, (unsigned long long)h->pairs);
	return true;
}

struct mono
blocked_next(const struct sm *sm)
{
	struct mono limit = sm->cfg->distribution.block_limit;
	struct mono t = MONO_NEVER;
	const struct blocked_rows *b = device_blocked(sm->hw);

	if (sm->role == SM_STANDING_BY)
		return t;
	for (size_t i = 0; i < b->n; i++)
		if (!b->row[i].told && !b->row[i].settled)
			t = mono_min(t, mono_add(b->row[i].since, limit));
	return t;
}

void
blocked_watch(struct sm *sm, struct mono now)
{
	struct mono limit = sm->cfg->distribution.block_limit;
	const struct blocked_rows *b = device_blocked(sm->hw);

	if (mono_before(now, blocked_next(sm)))
		return;
	for (size_t i = 0; i < b->n; i++) {
		if (b->row[i].told || b->row[i].settled ||
			mono_before(now, mono_add(b->row[i].since, limit)))
			continue;
		b->row[i].told = true;
		if (alarm_still_blocked(sm, &b->row[i]))
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
	const struct blocked_rows *b = device_blocked(sm->hw);
	bool reached = false;

	sm->stat.blocked[0] = '\0';
	for (size_t i = 0; i < b->n; i++) {
		if (b->row[i].settled)
			continue;
		reached |= within_reach(sm->view->topo, b->row[i].guid);
		if (b->row[i].told)
			(void)alarm_still_blocked(sm, &b->row[i]);
	}
	if (!reached)
		return; /* the plan after its return opens them */
	dirty_mark_replan(sm, now, DIRTY_BLOCKED, NULL);
	timer_set(
		&sm->timers, TIMER_RUN, mono_add(now, mono_ms(HELD_RETRY_MS)));
}
