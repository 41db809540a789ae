#include "sm/core/run_pkeys.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distribution/device/device_keys.h"
#include "sm/base/mem.h"
#include "sm/core/sm_priv.h"

enum { ROUND_SWEEPS = 32 };

void
run_pkeys_load(struct sm *sm, const struct state_file *s)
{
	for (size_t i = 0; i < s->nlid; i++)
		if (s->lid[i].held != STATE_FILE_UNKNOWN)
			map_put(&sm->kept.saved_pkeys, s->lid[i].guid,
				s->lid[i].held);
}

uint8_t
run_pkeys_saved(const struct sm *sm, uint64_t guid)
{
	uint32_t held = STATE_FILE_UNKNOWN;

	(void)map_get(&sm->kept.saved_pkeys, guid, &held);
	return (uint8_t)held;
}

/* True if the port's master SM was another than ours, or is unknown. */
static bool
had_other_manager(const struct topo *t, port_ix p)
{
	struct mad_port_info i;

	return mad_port_info_decode(topo_info(t, p), &i, NULL) != 0 ||
	       i.sm_lid != t->port[t->sm_port].lid;
}

void
run_pkeys_distrust(struct sm *sm)
{
	const struct topo *t = sm->run.topo;

	device_forget_attribute(sm->hw, DEVICE_PKEY);
	for (port_ix p = 0; p < t->nports; p++)
		if (topo_has_lid(t, p) && !pkey_table_is_fresh(t, p) &&
			had_other_manager(t, p))
			(void)map_del(&sm->kept.saved_pkeys, t->port[p].guid);
}

static bool
is_plain(const uint16_t *key, size_t n)
{
	return n == 1 && key[0] == (PKEY_TABLE_FULL | PKEY_TABLE_BASE);
}

/*
 * Fresh ports are not asked. Two kinds are presumed to hold anything: ports
 * that a previous run may have given keys before they got a LID, and switch
 * ports that enforce partitions.
 */
static void
presume_fresh_ports(struct sm *sm)
{
	const struct pkey_table_want want = pkeys_wanted(sm->run.pkeys);
	const struct topo *t = sm->run.topo;

	for (port_ix p = 0; p < t->nports; p++) {
		const struct topo_port *port = &t->port[p];
		bool guard = pkey_table_guards(t, &want, p);

		if ((guard || topo_has_lid(t, p)) && pkey_table_is_fresh(t, p))
			device_keys_presume(sm->hw, t, p, pkey_table_cap(t, p),
				guard || run_pkeys_saved(sm, port->guid) ==
						 STATE_FILE_KEYS);
	}
}

/* Ports that shall have more than the default key are saved as such before they
 * are written. */
static void
save_wanted_keys(struct sm *sm)
{
	const struct topo *t = sm->run.topo;
	bool any = false;

	for (port_ix p = 0; p < t->nports; p++) {
		const uint16_t *key;
		size_t n;

		if (!topo_has_lid(t, p))
			continue;
		n = pkeys_of(sm->run.pkeys, p, &key);
		if (is_plain(key, n) ||
			run_pkeys_saved(sm, t->port[p].guid) == STATE_FILE_KEYS)
			continue;
		map_put(&sm->kept.saved_pkeys, t->port[p].guid,
			STATE_FILE_KEYS);
		any = true;
	}
	if (any)
		timer_sooner(&sm->timers, TIMER_SAVE, sm->now);
}

void
run_pkeys_make(struct sm *sm)
{
	pkeys_unref(sm->run.pkeys);
	sm->run.pkeys = pkeys_make(sm->cfg, sm->run.topo, sm->names.pins);
	presume_fresh_ports(sm);
	save_wanted_keys(sm);
}

/* True if it matters what the port's table holds. */
static bool
is_table_relevant(
	const struct sm *sm, const struct pkey_table_want *want, port_ix p)
{
	const struct topo *t = sm->run.topo;

	if (!topo_has_lid(t, p))
		return pkey_table_guards(t, want, p);
	return sm->cfg->partitions.n > 0 ||
	       run_pkeys_saved(sm, t->port[p].guid) != STATE_FILE_PLAIN;
}

void
run_pkeys_read(struct sm *sm)
{
	const struct pkey_table_want want = pkeys_wanted(sm->run.pkeys);
	const struct topo *t = sm->run.topo;
	uint8_t *ask = mem_zalloc(t->nports, sizeof(*ask));

	for (port_ix p = 0; p < t->nports; p++)
		if (is_table_relevant(sm, &want, p))
			ask[p] = PKEY_TABLE_ASK_UNKNOWN;
	sm->run.pkey_read = pkey_read_new(sm->run.topo, sm->hw, ask, sm->x);
	free(ask);
}

/* ---- checks after a push and after a light sweep ---- */

/* The port of t with the P_Key table at this place; TOPO_NONE: it is another
 * table, or the port is gone. */
static port_ix
port_of_keys(const struct topo *t, const struct device_at *at)
{
	node_ix n = topo_by_node_guid(t, at->guid);

	return at->attr == DEVICE_PKEY && n != TOPO_NONE &&
			       at->port <= t->node[n].nports
		       ? topo_port_of(t, n, at->port)
		       : TOPO_NONE;
}

/* Some tables in rotation: all of them in ROUND_SWEEPS light sweeps. */
static void
ask_some_in_rotation(struct sm *sm, const struct topo *t, uint8_t *ask)
{
	const struct pkey_table_want want = pkeys_wanted(sm->view->pkeys);
	uint32_t left = t->nports / ROUND_SWEEPS + 1;

	assert(t->nports > 0); /* our own port is one */
	for (uint32_t i = 0; i < t->nports && left > 0; i++) {
		port_ix p = sm->check.pkey_next++ % t->nports;

		if (!topo_has_lid(t, p) && !pkey_table_guards(t, &want, p))
			continue;
		if (device_keys_known(sm->hw, t, p))
			ask[p] = PKEY_TABLE_ASK_ALL;
		left--;
	}
	sm->check.pkey_next %= t->nports;
}

/* Tables that the last push wrote, as far as they were sampled. */
static void
ask_written(const struct sm *sm, const struct topo *t, uint8_t *ask)
{
	for (size_t i = 0; i < sm->check.nsample; i++) {
		port_ix p = port_of_keys(t, &sm->check.sample[i].at);

		if (p != TOPO_NONE)
			ask[p] = PKEY_TABLE_ASK_ALL;
	}
}

void
run_pkeys_check(struct sm *sm)
{
	struct topo *t = sm->view->topo;
	uint8_t *ask = mem_zalloc(t->nports, sizeof(*ask));
	const struct device_doubt *d;
	size_t n, i;

	if (sm->check.keys_due)
		ask_some_in_rotation(sm, t, ask);
	sm->check.keys_due = false;
	ask_written(sm, t, ask);
	d = device_doubts(sm->hw, &n);
	for (i = 0; i < n; i++) {
		port_ix p = port_of_keys(t, &d[i].at);

		if (p != TOPO_NONE)
			ask[p] = PKEY_TABLE_ASK_ALL;
	}
	sm->run.pkey_read = pkey_read_new(t, sm->hw, ask, sm->x);
	free(ask);
}

void
run_pkeys_stop_check(struct sm *sm, struct mono now)
{
	pkey_read_stop(sm->run.pkey_read, now);
	pkey_read_free(sm->run.pkey_read);
	sm->run.pkey_read = NULL;
	sm->check.keys_due = true;
}

void
run_pkeys_checked(struct sm *sm, struct mono now)
{
	const struct topo *t = sm->view->topo;
	port_ix p;
	size_t n = pkey_read_wrong(sm->run.pkey_read, &p);

	sm->stat.keys_checked += pkey_read_count(sm->run.pkey_read);
	sm->stat.keys_drifted += n;
	pkey_read_free(sm->run.pkey_read);
	sm->run.pkey_read = NULL;
	if (n == 0)
		return;
	log_warn("partitions: P_Key tables were modified by something other "
		 "than this daemon ports=%zu first=port %u of 0x%016llx %s",
		n, t->port[p].num,
		(unsigned long long)t->node[t->port[p].node].guid,
		topo_desc(t, t->port[p].node));
	drift_port_disobeys(sm, p, DEVICE_PKEY, now);
	if (n > 1)
		dirty_mark_replan(sm, now, DIRTY_PKEYS, NULL);
}

void
run_pkeys_light(struct sm *sm, struct mono now)
{
	if (sm->cfg->partitions.n == 0)
		return;
	sm->check.keys_due = true;
	/* not before Sets under way have arrived: see run_push_finish */
	if (!timer_is_set(&sm->timers, TIMER_CHECK))
		timer_set(&sm->timers, TIMER_CHECK, now);
}

/* ---- afterwards ---- */

void
run_pkeys_review(struct sm *sm)
{
	const struct pkey_table_want want = pkeys_wanted(sm->run.pkeys);
	const struct plan_unfit *u = sm->run.plan->unfit;
	const struct topo *t = sm->run.topo;
	char text[sizeof(sm->stat.keys)] = "";

	for (port_ix p = 0; p < t->nports; p++)
		if (is_table_relevant(sm, &want, p) &&
			!device_keys_known(sm->hw, t, p))
			retry_port(sm, t, p);
	if (sm->run.plan->nunfit > 0)
		(void)snprintf(text, sizeof(text),
			"port %u of 0x%016llx %s has room for %u P_Keys but "
			"needs %u (%zu such ports)",
			t->port[u->port].num,
			(unsigned long long)t->node[t->port[u->port].node].guid,
			topo_desc(t, t->port[u->port].node), u->cap, u->keys,
			sm->run.plan->nunfit);
	if (log_is_news(sm->stat.keys, sizeof(sm->stat.keys), text))
		log_error("partitions: %s", text);
}

/* A late copy of a Set may bring back what a table in doubt held: if this
 * daemon ends before the table is read once more, the next one has to. */
static void
remember_doubts(struct sm *sm)
{
	const struct topo *t = sm->run.topo;
	size_t n;
	const struct device_doubt *d = device_doubts(sm->hw, &n);

	for (size_t i = 0; i < n; i++) {
		port_ix p = port_of_keys(t, &d[i].at);

		if (p != TOPO_NONE && topo_has_lid(t, p))
			map_put(&sm->kept.saved_pkeys, t->port[p].guid,
				STATE_FILE_KEYS);
	}
}

/* What the state file shall say of tables that are known by now. */
static void
remember_tables(struct sm *sm)
{
	const struct topo *t = sm->run.topo;

	for (port_ix p = 0; p < t->nports; p++) {
		uint16_t is[PKEY_TABLE_BLOCKS * PKEY_TABLE_BLOCK];
		unsigned cap = pkey_table_cap(t, p), used, i, n = 0;

		if (!topo_has_lid(t, p) || cap == 0 ||
			!device_keys_table(sm->hw, t, p, cap, is, &used))
			continue;
		for (i = 0; i < used; i++)
			if (is[i] != 0)
				is[n++] = is[i];
		map_put(&sm->kept.saved_pkeys, t->port[p].guid,
			is_plain(is, n) ? STATE_FILE_PLAIN : STATE_FILE_KEYS);
	}
	remember_doubts(sm);
}

bool
run_pkeys_settle(struct sm *sm)
{
	uint64_t stamp = device_stamp(sm->hw, DEVICE_PKEY);

	/* most runs touch no table, and a fabric has many ports */
	if (sm->view != NULL && sm->view->pkeys != NULL &&
		sm->kept.keys_stamp == stamp &&
		pkeys_settle_like(sm->run.pkeys, sm->view->pkeys))
		return false;
	sm->kept.keys_stamp = stamp;
	remember_tables(sm);
	pkeys_settle(sm->run.pkeys, sm->hw);
	return sm->view == NULL || sm->view->pkeys == NULL ||
	       !pkeys_same(sm->view->pkeys, sm->run.pkeys);
}

bool
run_pkeys_renamed(const struct sm *sm, struct topo *fresh)
{
	struct pkeys *k;
	bool other;

	if (!pkeys_by_name(sm->cfg))
		return false;
	k = pkeys_make(sm->cfg, fresh, sm->names.pins);
	other = !pkeys_want_same(k, sm->view->pkeys);
	pkeys_unref(k);
	return other;
}
