#include "sm/core/drift.h"

#include <stdio.h>
#include <string.h>

#include "discovery/port_key.h"
#include "sm/base/mem.h"
#include "sm/core/sm_priv.h"
#include "sm/mad/mad_ar.h"

enum {
	ROUND_SWEEPS = 32, /* light sweeps until all are sampled */
	PATIENCE = 3,	   /* repairs that are made at once */
	WAIT_MS = 10000,   /* then a repair waits, doubled each time */
	WAIT_MAX_MS = 900000,
	QUIET_MS = 900000, /* an alarm outlives its cause by this */
	FLAWS = 3,	   /* failures of a port before it is an alarm */
	AGAIN_MS = 80000,  /* then it is written again after this */
	NOTED = 5,	   /* log lines per check */
};

void
drift_sample(struct sm *sm, const struct device_check_item *i)
{
	sm->check.sample = mem_grow(sm->check.sample, sm->check.nsample,
		&sm->check.capsample, sizeof(*sm->check.sample));
	sm->check.sample[sm->check.nsample++] = *i;
}

/* A block that has entries, another one each round; UINT32_MAX: none. */
static uint32_t
block_with_entries(const struct sm *sm, uint64_t guid)
{
	uint32_t n, i;
	bool plain;
	const lft_ref *row = device_row(sm->hw, guid, &n, &plain);

	for (i = 0; i < n; i++) {
		uint32_t b = (i + sm->drift.round) % n;

		if (row[b] != DEVICE_UNKNOWN && row[b] != LFT_EMPTY)
			return b;
	}
	return UINT32_MAX;
}

static void
sample_block(struct sm *sm, struct device_at at)
{
	drift_sample(sm, &(struct device_check_item){
				 .at = at, .why = DEVICE_CHECK_ROUND});
}

/* A block that is known of adaptive routing, another one each round. */
static void
sample_known(struct sm *sm, uint64_t guid, enum device_attr attr)
{
	struct device_at at = device_at_switch(guid, attr);
	uint32_t n;
	const lft_ref *block = device_blocks(sm->hw, at, &n);

	for (uint32_t i = 0; i < n; i++) {
		at.block = (i + sm->drift.round) % n;
		if (block[at.block] == DEVICE_UNKNOWN)
			continue;
		sample_block(sm, at);
		return;
	}
}

/* Where a switch chooses among ports: whether it does, and by what. */
static void
sample_adaptive(struct sm *sm, uint64_t guid)
{
	const uint8_t *info =
		device_bytes(sm->hw, device_at_switch(guid, DEVICE_AR_INFO));

	if (info == NULL || mad_ar_info_on(info) == 0)
		return;
	sample_known(sm, guid, DEVICE_AR_INFO);
	sample_known(sm, guid, DEVICE_AR_GROUP);
	sample_known(sm, guid, DEVICE_AR_LFT);
}

static void
sample_switch(struct sm *sm, const struct topo *t, sw_ix s)
{
	uint64_t guid = t->node[t->sw[s].node].guid;
	uint32_t b = block_with_entries(sm, guid);

	run_mcast_sample(sm, guid, sm->drift.round);
	if (b == UINT32_MAX)
		return;
	sample_block(sm, device_at_lft(guid, b));
	sample_block(sm, device_at_port(guid, 0));
	sample_adaptive(sm, guid);
}

/* PortInfo of a host's port that is up. */
static void
sample_host_port(struct sm *sm, const struct topo *t, port_ix p)
{
	const struct topo_port *port = &t->port[p];
	const struct topo_node *n = &t->node[port->node];

	if (n->type != TOPO_SWITCH && port->peer != TOPO_NONE &&
		(n->flags & TN_DUPLICATE) == 0)
		sample_block(sm, device_at_port(n->guid, port->num));
}

/* Ours, and some others in rotation: all of them in ROUND_SWEEPS light sweeps.
 */
static void
sample_ports(struct sm *sm, const struct topo *t)
{
	uint32_t left = t->nguid / ROUND_SWEEPS + 1;

	sample_host_port(sm, t, t->sm_port);
	for (; left > 0; left--) {
		port_ix p = t->by_pguid[sm->drift.next_port++ % t->nguid];

		if (p != t->sm_port)
			sample_host_port(sm, t, p);
	}
	sm->drift.next_port %= t->nguid;
}

/* Every block that is known, of every switch. */
static void
sample_all_blocks(struct sm *sm, const struct topo *t)
{
	for (sw_ix s = 0; s < t->nsw; s++) {
		uint64_t guid = t->node[t->sw[s].node].guid;
		uint32_t n;
		bool plain;
		const lft_ref *row = device_row(sm->hw, guid, &n, &plain);

		for (uint32_t b = 0; b < n; b++)
			if (row[b] != DEVICE_UNKNOWN)
				sample_block(sm, device_at_lft(guid, b));
		sample_block(sm, device_at_port(guid, 0));
	}
}

void
drift_sample_all(struct sm *sm, const struct topo *t)
{
	if (sm->drift.all)
		for (sw_ix s = 0; s < t->nsw; s++)
			sample_switch(sm, t, s);
	sm->drift.all = false;
}

static struct mono
quiet_time(const struct sm *sm)
{
	struct mono round = {sm->cfg->sweep.interval.ns * 2 * ROUND_SWEEPS};

	return round.ns > mono_ms(QUIET_MS).ns ? round : mono_ms(QUIET_MS);
}

static bool
is_quiet_since(const struct sm *sm, struct mono when, struct mono now)
{
	return mono_before(mono_add(when, quiet_time(sm)), now);
}

static void
expire_alarms(struct sm *sm, struct mono now)
{
	struct drift_state *u = &sm->drift;

	if (sm->stat.rival[0] != '\0' &&
		is_quiet_since(sm, u->last_found, now)) {
		sm->stat.rival[0] = '\0';
		u->times = u->switches = 0;
	}
	if (sm->stat.flaw[0] != '\0' && is_quiet_since(sm, u->flawed, now)) {
		sm->stat.flaw[0] = '\0';
		map_free(&u->flaws);
	}
}

void
drift_light(struct sm *sm, struct mono now)
{
	struct drift_state *u = &sm->drift;
	const struct topo *t = sm->view->topo;
	uint32_t left = t->nsw / ROUND_SWEEPS + 1;

	expire_alarms(sm, now);
	if (mono_before(now, u->wait_until) || t->nsw == 0)
		return;
	if (u->left_so) { /* the repair that waited is made now */
		u->left_so = false;
		dirty_mark_replan(sm, now, DIRTY_TABLES, NULL);
		sm->dirty.full |= u->left_ports;
		u->left_ports = false;
		return;
	}
	if (u->flaw.at.guid != 0 && u->flaw.at.attr == DEVICE_PORT_INFO)
		drift_sample(sm, &u->flaw);
	if (u->again)
		sample_all_blocks(sm, t);
	for (; left > 0 && !u->again; left--) {
		if (u->next_switch >= t->nsw) {
			u->next_switch = 0;
			u->round++;
		}
		sample_switch(sm, t, u->next_switch++);
	}
	u->again = false;
	sample_ports(sm, t);
	/* not before Sets under way have arrived: see run_push_finish */
	if (!timer_is_set(&sm->timers, TIMER_CHECK))
		timer_set(&sm->timers, TIMER_CHECK, now);
}

/* ---- what was found ---- */

/* The other subnet managers: one of them may have written. */
static void
list_other_managers(const struct sm *sm, struct buf *out)
{
	static const char *const state[] = {
		"not active", "discovering", "standby", "master"};

	for (size_t i = 0; i < sm->peers.n; i++) {
		const struct sm_other *o = &sm->peers.list[i].id;

		buf_printf(out, "%s0x%016llx \"%s\"", i > 0 ? ", " : "",
			(unsigned long long)o->guid, o->name);
		if (o->answers && o->state < 4)
			buf_printf(out, " priority %u, %s", o->priority,
				state[o->state]);
	}
	if (sm->peers.n == 0)
		buf_printf(out, "none seen");
}

static bool
is_of_host(const struct topo *t, uint64_t guid)
{
	node_ix n = topo_by_node_guid(t, guid);

	return n != TOPO_NONE && t->node[n].type != TOPO_SWITCH;
}

/* The alarm about a difference; if it is told, also an event. */
static void
describe_drift(struct sm *sm, const struct device_check_item *i, bool told,
	struct mono now)
{
	struct event e = {.kind = EVENT_DRIFT};
	struct event_end node = {.guid = i->at.guid};
	struct buf managers = {0};
	const struct topo *t = sm->view->topo;
	node_ix n = topo_by_node_guid(t, i->at.guid);
	char what[64];
	struct buf b = {0};

	device_check_item_text(i, what, sizeof(what));
	buf_printf(&b,
		"modified by something other than this daemon: %s of %s "
		"0x%016llx \"%s\" (%u so far); run only one subnet manager. "
		"This one: 0x%016llx priority %u; others: ",
		what, is_of_host(t, i->at.guid) ? "host" : "switch",
		(unsigned long long)i->at.guid,
		n == TOPO_NONE ? "" : topo_desc(t, n), sm->drift.switches,
		(unsigned long long)sm->port_guid, sm->cfg->fabric.priority);
	list_other_managers(sm, &managers);
	buf_put(&b, managers.text, managers.n);
	(void)snprintf(sm->stat.rival, sizeof(sm->stat.rival), "%s", b.text);
	buf_free(&b);
	if (n != TOPO_NONE)
		topo_event_end_of(t, n, i->at.port, &node);
	event_end(&e, "node", &node);
	event_text(&e, "what", what);
	event_text(&e, "managers", managers.text);
	if (told)
		events_tell(sm, &e, now);
	buf_free(&managers);
}

/* A host's port went down, or lost its LID: the switch at its link has seen the
 * same, and its trap may have come before it was listened to. */
static void
suspect_link(struct sm *sm, struct device_at at, struct mono now)
{
	const struct topo *t = sm->view->topo;
	node_ix n = topo_by_node_guid(t, at.guid);
	sw_ix s;

	dirty_mark(sm, at.guid, now, DIRTY_LOST,
		"a host's port went down or lost its LID");
	if (n == TOPO_NONE || at.port > t->node[n].nports)
		return;
	s = topo_port_switch(t, t->port[topo_port_of(t, n, at.port)].peer);
	if (s != TOPO_NONE)
		dirty_mark(
			sm, t->node[t->sw[s].node].guid, now, DIRTY_LOST, NULL);
}

static void
take_drift(struct sm *sm, const struct device_check_item *i, bool blank,
	struct mono now)
{
	struct drift_state *u = &sm->drift;
	bool host = is_of_host(sm->view->topo, i->at.guid);

	if (!host)
		device_forget_node(sm->hw, i->at.guid);
	if (host && (blank || i->field == NULL)) {
		suspect_link(sm, i->at, now);
		return;
	}
	if (blank) {
		dirty_mark(sm, i->at.guid, now, DIRTY_LOST, NULL);
		return;
	}
	sm->stat.drifted++;
	u->found++;
	u->tables |= !host;
	u->switches++;
	describe_drift(sm, i, u->found <= NOTED, now);
	if (mono_before(now, u->wait_until)) {
		u->left_so = true;
		u->left_ports |= host;
		return;
	}
	if (i->at.attr == DEVICE_PORT_INFO)
		dirty_mark_full(sm, now, DIRTY_PORTS, NULL);
	if (!host)
		dirty_mark(sm, i->at.guid, now, DIRTY_TABLES, NULL);
}

/* Read the port and write what differs, ms milliseconds from now. */
static void
rewrite_port(struct sm *sm, port_ix p, int64_t ms, struct mono now)
{
	retry_port(sm, sm->view->topo, p);
	timer_sooner(&sm->timers, TIMER_RETRY, mono_add(now, mono_ms(ms)));
}

/* A port does not hold what it acknowledged: by itself, or because a copy of a
 * Set has arrived. */
static void
take_port_flaw(
	struct sm *sm, const struct device_check_item *i, struct mono now)
{
	const struct topo *t = sm->view->topo;
	node_ix n = topo_by_node_guid(t, i->at.guid);

	if (n == TOPO_NONE || i->at.port > t->node[n].nports)
		return;
	if (i->why == DEVICE_CHECK_DOUBT)
		rewrite_port(sm, topo_port_of(t, n, i->at.port), 0, now);
	else
		drift_port_disobeys(
			sm, topo_port_of(t, n, i->at.port), i->at.attr, now);
}

void
drift_port_disobeys(
	struct sm *sm, port_ix p, enum device_attr attr, struct mono now)
{
	const struct topo *t = sm->view->topo;
	const struct topo_port *port = &t->port[p];
	uint64_t guid = t->node[port->node].guid;
	uint64_t key = port_key(guid, port->num);
	uint32_t n = 0;
	char text[sizeof(sm->stat.flaw)];

	(void)map_get(&sm->drift.flaws, key, &n);
	map_put(&sm->drift.flaws, key, ++n);
	sm->drift.flawed = now;
	(void)snprintf(text, sizeof(text),
		"port %u of 0x%016llx \"%s\" acknowledged and did not keep %s, "
		"%u times",
		port->num, (unsigned long long)guid, topo_desc(t, port->node),
		attr == DEVICE_PKEY ? "its P_Keys" : "its settings", n);
	log_warn("push: %s", text);
	if (n >= FLAWS) {
		memcpy(sm->stat.flaw, text, sizeof(text));
		sm->drift.flaw = (struct device_check_item){
			.at = {guid, attr, port->num, 0},
			.why = DEVICE_CHECK_ACKED};
	}
	rewrite_port(sm, p, n < FLAWS ? 0 : AGAIN_MS, now);
}

/* True if something of the node is blank: then it has rebooted, and whatever
 * else differs there is its own doing. */
static bool
has_rebooted(const struct device_check_item *wrong, size_t n, uint64_t guid)
{
	for (size_t i = 0; i < n; i++)
		if (wrong[i].at.guid == guid && wrong[i].empty)
			return true;
	return false;
}

/*
 * A block is not as acknowledged. A switch that has rebooted since looks the
 * same, so it is asked anew, and this counts against it once per check at most.
 */
static void
take_not_as_acked(struct sm *sm, const struct device_check_item *wrong,
	size_t n, size_t i, struct mono now)
{
	const struct device_check_item *w = &wrong[i];
	bool port = w->at.attr == DEVICE_PORT_INFO;
	size_t k = 0;

	sm->stat.not_held++;
	if (adaptive_use_has(w->at.attr) && w->why == DEVICE_CHECK_ACKED &&
		!has_rebooted(wrong, n, w->at.guid)) {
		adaptive_use_disobeys(sm, w, now);
		return;
	}
	if (port && !w->empty)
		take_port_flaw(sm, w, now);
	else if (w->at.attr == DEVICE_SWITCH_INFO)
		dirty_mark(sm, w->at.guid, now, DIRTY_LATE_COPY, NULL);
	else if (w->why == DEVICE_CHECK_DOUBT)
		dirty_mark_replan(sm, now, DIRTY_LATE_COPY, NULL);
	else
		dirty_mark(sm, w->at.guid, now, DIRTY_NOT_HELD, NULL);
	if (w->why != DEVICE_CHECK_ACKED || (port && w->at.port != 0))
		return;
	while (k < i &&
		(wrong[k].at.guid != w->at.guid || wrong[k].why != w->why))
		k++;
	if (k == i)
		quarantine_for_disobedience(sm, w, now);
	if (w->empty || w->at.attr != DEVICE_LFT)
		device_forget_node(sm->hw, w->at.guid);
}

/* True if no device keeps a value of its own there, or gives it up. */
static bool
is_table(const struct device_check_item *i)
{
	return i->at.attr != DEVICE_PORT_INFO && !adaptive_use_has(i->at.attr);
}

/*
 * True if blocks of more than one switch differ: another writer, rather than a
 * switch that acknowledges and does not hold. Several of those at once are
 * unlikely.
 */
static bool
is_rival_likely(const struct device_check_item *wrong, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (is_table(&wrong[i]) && wrong[0].at.guid != wrong[i].at.guid)
			return true;
	return false;
}

static bool
list_has_item(const struct device_check_item *list, size_t n,
	const struct device_check_item *i)
{
	for (size_t k = 0; k < n; k++)
		if (device_at_equal(list[k].at, i->at))
			return true;
	return false;
}

/* The port of the alarm was looked at, or written, and is as it should be. */
static void
clear_port_flaw(struct sm *sm, const struct device_check_item *wrong, size_t n,
	struct mono now)
{
	struct drift_state *u = &sm->drift;

	/* P_Keys: run_pkeys_checked reported it again just now */
	if (u->flaw.at.guid == 0 ||
		!list_has_item(sm->check.sample, sm->check.nsample, &u->flaw) ||
		list_has_item(wrong, n, &u->flaw) ||
		(u->flaw.at.attr == DEVICE_PKEY && u->flawed.ns == now.ns))
		return;
	u->flaw.at.guid = 0;
	sm->stat.flaw[0] = '\0';
	map_free(&u->flaws);
}

/* One switch was altered by another writer, so any other may have been: what
 * all of them hold is unknown. */
static void
forget_all_switches(struct sm *sm)
{
	const struct topo *t = sm->view->topo;

	for (sw_ix s = 0; s < t->nsw; s++)
		device_forget_node(sm->hw, t->node[t->sw[s].node].guid);
}

/* One switch was altered: all blocks are read, and once more later. */
static void
suspect_tables(struct sm *sm)
{
	sm->drift.again = true;
	drift_sl2vl_forget(sm, true);
}

void
drift_checked(struct sm *sm, struct mono now)
{
	const struct device_check_item *wrong;
	struct drift_state *u = &sm->drift;
	size_t n, i;
	bool rival;

	wrong = device_check_wrong(sm->check.reading, &n);
	clear_port_flaw(sm, wrong, n, now);
	rival = is_rival_likely(wrong, n);
	u->found = 0;
	u->tables = false;
	for (i = 0; i < n; i++)
		if (wrong[i].why == DEVICE_CHECK_ROUND ||
			(rival && wrong[i].why == DEVICE_CHECK_ACKED &&
				is_table(&wrong[i])))
			take_drift(sm, &wrong[i],
				has_rebooted(wrong, n, wrong[i].at.guid), now);
		else
			take_not_as_acked(sm, wrong, n, i, now);
	if (u->found == 0)
		return;
	u->last_found = now;
	if (u->tables)
		suspect_tables(sm);
	if (mono_before(now, u->wait_until))
		return;
	if (u->tables) {
		u->all = true;
		forget_all_switches(sm);
	}
	if (++u->times < PATIENCE)
		return;
	u->wait.ns =
		u->times == PATIENCE ? mono_ms(WAIT_MS).ns : u->wait.ns * 2;
	if (u->wait.ns > mono_ms(WAIT_MAX_MS).ns)
		u->wait = mono_ms(WAIT_MAX_MS);
	u->wait_until = mono_add(now, u->wait);
}

/* ---- another master ---- */

/* So long it may be about to stand by, or to hand over. */
enum { HANDING_OVER_MS = 1000 };

void
drift_review(struct sm *sm)
{
	if (!sm->drift.master_seen) {
		sm->drift.master_since = (struct mono){0};
		sm->stat.masters[0] = '\0';
	}
	sm->drift.master_seen = false;
}

void
drift_other_master(struct sm *sm, const struct sm_peer *p, struct mono now)
{
	sm->drift.master_seen = true;
	if (sm->drift.master_since.ns == 0)
		sm->drift.master_since = now;
	if (mono_before(now,
		    mono_add(sm->drift.master_since, mono_ms(HANDING_OVER_MS))))
		return;
	(void)snprintf(sm->stat.masters, sizeof(sm->stat.masters),
		"two masters: 0x%016llx \"%s\" priority %u is master as well; "
		"this one, 0x%016llx priority %u, %s and stays master: stop "
		"the other one",
		(unsigned long long)p->id.guid, p->id.name, p->id.priority,
		(unsigned long long)sm->port_guid, sm->cfg->fabric.priority,
		p->key == SM_KEY_SHARED
			? "outranks it"
			: "is not shown its SM_Key (fabric.sm_key) by it");
}

void
drift_reset(struct sm *sm)
{
	map_free(&sm->drift.flaws);
	sm->drift = (struct drift_state){0};
	sm->stat.rival[0] = sm->stat.masters[0] = sm->stat.flaw[0] = '\0';
}
