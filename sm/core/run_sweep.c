#include "sm/core/run_sweep.h"

#include <stdlib.h>

#include "sm/base/mem.h"
#include "sm/core/sm_priv.h"

/*
 * A sweep of what to ask. Before the election, another manager may be master,
 * which looks for PortStateChange: nothing is written.
 */
static void
enter_discovery(struct sm *sm, struct mono now, enum sweep_kind kind,
	const uint64_t *guid, size_t n)
{
	sm->run.sweep = sweep_new(kind, sm->builder, sm->x, guid, n);
	if (sm->role != SM_MASTER)
		sweep_read_only(sm->run.sweep);
	phase_enter(sm, SM_DISCOVER, now);
}

void
run_sweep_start(struct sm *sm, struct mono now, enum sweep_kind kind)
{
	enter_discovery(sm, now, kind, NULL, 0);
}

void
run_sweep_probe(struct sm *sm, struct mono now, const uint64_t *guid, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		map_put(&sm->run.probed, guid[i], 0);
	enter_discovery(sm, now, SWEEP_PROBE, guid, n);
}

/* Switches that are marked. One that only a trap reports is read further only
 * if its PortStateChange bit is set. */
void
run_sweep_suspects(struct sm *sm, struct mono now)
{
	const struct sm_dirty *d = &sm->dirty;
	uint64_t *guid = mem_zalloc(d->n, sizeof(*guid));
	size_t i;

	for (i = 0; i < d->n; i++)
		guid[i] = d->suspect[i].guid;
	run_sweep_probe(sm, now, guid, d->n);
	for (i = 0; i < d->n; i++)
		if (d->suspect[i].told)
			sweep_add_trap_source(sm->run.sweep, guid[i]);
	free(guid);
}
