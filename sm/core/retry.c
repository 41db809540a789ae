#include "sm/core/retry.h"

#include <stdlib.h>

#include "sm/base/mem.h"
#include "sm/core/sm_priv.h"

enum { RETRY_MS = 10000, RETRY_MAX_MS = 320000 };

void
retry_node(struct sm *sm, uint64_t guid)
{
	uint32_t last;
	bool known = map_get(&sm->retry.listed, guid, &last);

	if (known && last == sm->retry.number)
		return;
	if (!known || last + 1 != sm->retry.number)
		sm->retry.fresh = true;
	map_put(&sm->retry.listed, guid, sm->retry.number);
	sm->retry.guid = mem_grow(sm->retry.guid, sm->retry.n, &sm->retry.cap,
		sizeof(*sm->retry.guid));
	sm->retry.guid[sm->retry.n++] = guid;
}

/* A host's port is asked directly as well: its switch, where all is well, has
 * no reason to look at what is connected there. */
void
retry_port(struct sm *sm, const struct topo *t, port_ix p)
{
	const struct topo_node *n = &t->node[t->port[p].node];
	sw_ix s = topo_switch_of(t, p);

	retry_node(sm, s != TOPO_NONE ? t->node[t->sw[s].node].guid : 0);
	if (n->type != TOPO_SWITCH)
		retry_node(sm, n->guid);
}

/*
 * A retry that is due already stays due: a source that never ends trapping must
 * not put off the retries. commit_schedule does the same for the light sweep,
 * which would find out why.
 */
void
retry_schedule(struct sm *sm, struct mono now)
{
	if (sm->retry.n == 0) {
		timer_stop(&sm->timers, TIMER_RETRY);
		sm->retry.wait = (struct mono){0};
		return;
	}
	/* nothing new, but a wait that ended meanwhile: after a stopped run */
	if (sm->retry.fresh || sm->retry.wait.ns == 0)
		sm->retry.wait = mono_ms(RETRY_MS);
	else if (timer_is_set(&sm->timers, TIMER_RETRY))
		return;
	else if (sm->retry.wait.ns < mono_ms(RETRY_MAX_MS).ns)
		sm->retry.wait.ns *= 2;
	timer_sooner(&sm->timers, TIMER_RETRY, mono_add(now, sm->retry.wait));
}

/* Ports that stayed down although they have a link are asked again, and what
 * else did not obey. */
void
retry_mark(struct sm *sm, struct mono now)
{
	size_t i;

	for (i = 0; i < sm->retry.n; i++)
		if (sm->retry.guid[i] != 0)
			dirty_mark(
				sm, sm->retry.guid[i], now, DIRTY_NOT_UP, NULL);
		else /* a link between two hosts: there is no switch to ask */
			dirty_mark_full(
				sm, now, DIRTY_NOT_UP, "ports not yet up");
	sm->retry.nrecheck = 0;
}

void
retry_begin(struct sm *sm)
{
	sm->retry.n = 0;
	sm->retry.fresh = false;
}

void
retry_free(struct sm *sm)
{
	map_free(&sm->retry.listed);
	free(sm->retry.guid);
	free(sm->retry.recheck);
}
