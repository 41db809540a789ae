/*
 * Trust, and where it ends. After each light sweep some switches are looked at
 * in turn although nobody of us wrote there: one block and port 0. What is
 * different was done by another hand, most likely another subnet manager, or
 * the switch has lost its memory. Then the tables of all switches are read and
 * put in order like after a takeover, and an alarm names the switch and whoever
 * is known to be a subnet manager. Who wrote may have been in the middle of it:
 * after the next light sweep all blocks are looked at once more, and again
 * until nothing is found; turns that it closed are looked for. If it happens
 * again and again the next look comes later each time: two managers that undo
 * each other's work for ever are worse than one that wins.
 *
 * A switch that acknowledges and does not do is quarantine.c's business; a port
 * that does so is told of here.
 */
#include <stdio.h>
#include <string.h>

#include "discovery/port_key.h"
#include "sm/base/mem.h"
#include "sm/core/sm_priv.h"

enum {
	TURNS = 32,	 /* light sweeps in which every switch has its turn */
	PATIENCE = 3,	 /* times that are put in order at once */
	WAIT_MS = 10000, /* then, doubled each time */
	WAIT_MAX_MS = 900000,
	QUIET_MS = 900000, /* an alarm outlives what it is about by this */
	FLAWS = 3,	   /* of a port before it is an alarm */
	AGAIN_MS = 80000,  /* then it is told again */
	NOTED = 5,	   /* log lines of a check */
};

void
drift_sample(struct sm *sm, const struct device_check_item *i)
{
	sm->sample = mem_grow(
		sm->sample, sm->nsample, &sm->capsample, sizeof(*sm->sample));
	sm->sample[sm->nsample++] = *i;
}

/* A block that says something, another one each time; UINT32_MAX: none. */
static uint32_t
telling_block(const struct sm *sm, uint64_t guid)
{
	uint32_t n, i;
	bool plain;
	const lft_ref *row = device_row(sm->hw, guid, &n, &plain);

	for (i = 0; i < n; i++) {
		uint32_t b = (i + sm->trust.round) % n;

		if (row[b] != DEVICE_UNKNOWN && row[b] != LFT_EMPTY)
			return b;
	}
	return UINT32_MAX;
}

static void
look(struct sm *sm, uint64_t guid, uint16_t attr, uint32_t mod)
{
	drift_sample(sm, &(struct device_check_item){.guid = guid,
				 .attr = attr,
				 .mod = mod,
				 .why = DEVICE_CHECK_TURN});
}

static void
look_at(struct sm *sm, const struct topo *t, sw_ix s)
{
	uint64_t guid = t->node[t->sw[s].node].guid;
	uint32_t b = telling_block(sm, guid);

	if (b == UINT32_MAX)
		return;
	look(sm, guid, MAD_LFT, b);
	look(sm, guid, MAD_PORT_INFO, 0);
}

/* Every block that is known, of every switch. */
static void
look_at_all(struct sm *sm, const struct topo *t)
{
	for (sw_ix s = 0; s < t->nsw; s++) {
		uint64_t guid = t->node[t->sw[s].node].guid;
		uint32_t n;
		bool plain;
		const lft_ref *row = device_row(sm->hw, guid, &n, &plain);

		for (uint32_t b = 0; b < n; b++)
			if (row[b] != DEVICE_UNKNOWN)
				look(sm, guid, MAD_LFT, b);
		look(sm, guid, MAD_PORT_INFO, 0);
	}
}

void
drift_sample_all(struct sm *sm, const struct topo *t)
{
	if (sm->trust.all)
		for (sw_ix s = 0; s < t->nsw; s++)
			look_at(sm, t, s);
	sm->trust.all = false;
}

static struct mono
quiet_time(const struct sm *sm)
{
	struct mono round = {sm->cfg->sweep.interval.ns * 2 * TURNS};

	return round.ns > mono_ms(QUIET_MS).ns ? round : mono_ms(QUIET_MS);
}

static bool
long_ago(const struct sm *sm, struct mono when, struct mono now)
{
	return mono_before(mono_add(when, quiet_time(sm)), now);
}

static void
forget(struct sm *sm, struct mono now)
{
	struct drift_state *u = &sm->trust;

	if (sm->stat.rival[0] != '\0' && long_ago(sm, u->altered, now)) {
		sm->stat.rival[0] = '\0';
		u->times = u->switches = 0;
	}
	if (sm->stat.flaw[0] != '\0' && long_ago(sm, u->flawed, now)) {
		sm->stat.flaw[0] = '\0';
		map_free(&u->flaws);
	}
}

void
drift_light(struct sm *sm, struct mono now)
{
	struct drift_state *u = &sm->trust;
	const struct topo *t = sm->view->topo;
	uint32_t left = t->nsw / TURNS + 1;

	forget(sm, now);
	if (mono_before(now, u->wait_until) || t->nsw == 0)
		return;
	if (u->left_so) { /* what waited is put in order now */
		u->left_so = false;
		dirty_mark_replan(sm, now,
			"tables were modified by something other than this "
			"daemon");
		return;
	}
	if (u->flaw.guid != 0 && u->flaw.attr == MAD_PORT_INFO)
		drift_sample(sm, &u->flaw);
	if (u->again)
		look_at_all(sm, t);
	for (; left > 0 && !u->again; left--) {
		if (u->turn >= t->nsw) {
			u->turn = 0;
			u->round++;
		}
		look_at(sm, t, u->turn++);
	}
	u->again = false;
	/* not before what was sent has had its time: see run_push_finish */
	if (sm->check_due.ns == MONO_NEVER.ns)
		sm->check_due = now;
}

/* ---- what was found ---- */

/* Who else may it be? */
static void
name_others(const struct sm *sm, struct buf *out)
{
	static const char *const state[] = {
		"not active", "discovering", "standby", "master"};

	for (size_t i = 0; i < sm->npeers; i++) {
		const struct sm_other *o = &sm->peer[i].id;

		buf_printf(out, "%s0x%016llx \"%s\"", i > 0 ? ", " : "",
			(unsigned long long)o->guid, o->name);
		if (o->answers && o->state < 4)
			buf_printf(out, " priority %u, %s", o->priority,
				state[o->state]);
	}
	if (sm->npeers == 0)
		buf_printf(out, "none seen");
}

static void
log_drift(struct sm *sm, const struct device_check_item *i)
{
	const struct topo *t = sm->view->topo;
	node_ix n = topo_by_node_guid(t, i->guid);
	char what[64];
	struct buf b = {0};

	device_check_item_text(i, what, sizeof(what));
	buf_printf(&b,
		"modified by something other than this daemon: %s of switch "
		"0x%016llx \"%s\" (%u so far); run only one subnet manager. "
		"This one: 0x%016llx priority %u; others: ",
		what, (unsigned long long)i->guid,
		n == TOPO_NONE ? "" : topo_desc(t, n), sm->trust.switches,
		(unsigned long long)sm->port_guid, sm->cfg->fabric.priority);
	name_others(sm, &b);
	(void)snprintf(sm->stat.rival, sizeof(sm->stat.rival), "%s", b.text);
	buf_free(&b);
}

static void
altered(struct sm *sm, const struct device_check_item *i, bool blank,
	struct mono now)
{
	struct drift_state *u = &sm->trust;

	device_forget_node(sm->hw, i->guid);
	if (blank) {
		dirty_mark(sm, i->guid, now, "a switch lost its tables");
		return;
	}
	sm->stat.altered++;
	u->found++;
	u->switches++;
	log_drift(sm, i);
	if (u->found <= NOTED)
		log_warn("sm: %s", sm->stat.rival);
	if (mono_before(now, u->wait_until)) {
		u->left_so = true;
		return;
	}
	if (i->attr == MAD_PORT_INFO)
		dirty_mark_full(sm, now,
			"ports were modified by something other than this "
			"daemon");
	dirty_mark(sm, i->guid, now,
		"tables were modified by something other than this daemon");
}

/* A port is not what it said it would be. */
static void
flawed(struct sm *sm, const struct device_check_item *i, struct mono now)
{
	const struct topo *t = sm->view->topo;
	node_ix n = topo_by_node_guid(t, i->guid);

	if (n != TOPO_NONE && i->mod <= t->node[n].nports)
		drift_port_disobeys(
			sm, topo_port_of(t, n, i->mod), i->attr, now);
}

void
drift_port_disobeys(struct sm *sm, port_ix p, uint16_t attr, struct mono now)
{
	const struct topo *t = sm->view->topo;
	const struct topo_port *port = &t->port[p];
	uint64_t guid = t->node[port->node].guid;
	uint64_t key = port_key(guid, port->num);
	uint32_t n = 0;
	char text[sizeof(sm->stat.flaw)];

	(void)map_get(&sm->trust.flaws, key, &n);
	map_put(&sm->trust.flaws, key, ++n);
	sm->trust.flawed = now;
	(void)snprintf(text, sizeof(text),
		"port %u of 0x%016llx \"%s\" acknowledged and did not keep %s, "
		"%u times",
		port->num, (unsigned long long)guid, topo_desc(t, port->node),
		attr == MAD_PKEY_TABLE ? "its P_Keys" : "its settings", n);
	log_warn("push: %s", text);
	if (n >= FLAWS) {
		memcpy(sm->stat.flaw, text, sizeof(text));
		sm->trust.flaw = (struct device_check_item){.guid = guid,
			.attr = attr,
			.mod = port->num,
			.why = DEVICE_CHECK_ACKED};
	}
	/* asked again and told again: at once, and later not so soon */
	commit_retry(sm, t, p);
	sm->retry_due = mono_min(sm->retry_due,
		mono_add(now, mono_ms(n < FLAWS ? 0 : AGAIN_MS)));
}

/*
 * What was acknowledged is not so. A switch that lost its memory since looks
 * the same, so it is asked anew, and lies once in a check at most.
 */
static void
broken(struct sm *sm, const struct device_check_item *wrong, size_t i,
	struct mono now)
{
	const struct device_check_item *w = &wrong[i];
	bool port = w->attr == MAD_PORT_INFO;
	size_t k = 0;

	sm->stat.untrue++;
	if (port && !w->empty)
		flawed(sm, w, now);
	else if (w->why == DEVICE_CHECK_DOUBT)
		dirty_mark_replan(
			sm, now, "a delayed copy of an old table arrived");
	else
		dirty_mark(sm, w->guid, now, "tables are not as acknowledged");
	if (w->why != DEVICE_CHECK_ACKED || (port && w->mod != 0))
		return;
	while (k < i && (wrong[k].guid != w->guid || wrong[k].why != w->why))
		k++;
	if (k == i)
		quarantine_for_disobedience(sm, w, now);
	if (w->empty || w->attr != MAD_LFT)
		device_forget_node(sm->hw, w->guid);
}

/*
 * Is there nothing at all in something of the node's? Then it started anew, and
 * whatever else is different there it made itself.
 */
static bool
started_anew(const struct device_check_item *wrong, size_t n, uint64_t guid)
{
	for (size_t i = 0; i < n; i++)
		if (wrong[i].guid == guid && wrong[i].empty)
			return true;
	return false;
}

/* Did another hand write, or did a switch lie? Liars do not come in crowds. */
static bool
blames_rival(const struct device_check_item *wrong, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (wrong[i].attr != MAD_PORT_INFO &&
			wrong[0].guid != wrong[i].guid)
			return true;
	return false;
}

static bool
holds(const struct device_check_item *list, size_t n,
	const struct device_check_item *i)
{
	for (size_t k = 0; k < n; k++)
		if (list[k].guid == i->guid && list[k].attr == i->attr &&
			list[k].mod == i->mod)
			return true;
	return false;
}

/* The port of the alarm was looked at, or written, and is as it should be. */
static void
mended(struct sm *sm, const struct device_check_item *wrong, size_t n,
	struct mono now)
{
	struct drift_state *u = &sm->trust;

	/* of P_Keys somebody else has said so just now */
	if (u->flaw.guid == 0 || !holds(sm->sample, sm->nsample, &u->flaw) ||
		holds(wrong, n, &u->flaw) ||
		(u->flaw.attr == MAD_PKEY_TABLE && u->flawed.ns == now.ns))
		return;
	u->flaw.guid = 0;
	sm->stat.flaw[0] = '\0';
	map_free(&u->flaws);
}

/* What one switch holds was altered: who knows what the others hold? */
static void
doubt_all(struct sm *sm)
{
	const struct topo *t = sm->view->topo;

	for (sw_ix s = 0; s < t->nsw; s++)
		device_forget_node(sm->hw, t->node[t->sw[s].node].guid);
}

void
drift_checked(struct sm *sm, struct mono now)
{
	const struct device_check_item *wrong;
	struct drift_state *u = &sm->trust;
	size_t n, i;
	bool rival;

	wrong = device_check_wrong(sm->check, &n);
	mended(sm, wrong, n, now);
	rival = blames_rival(wrong, n);
	u->found = 0;
	for (i = 0; i < n; i++)
		if (wrong[i].why == DEVICE_CHECK_TURN ||
			(rival && wrong[i].why == DEVICE_CHECK_ACKED &&
				wrong[i].attr != MAD_PORT_INFO))
			altered(sm, &wrong[i],
				started_anew(wrong, n, wrong[i].guid), now);
		else
			broken(sm, wrong, i, now);
	if (u->found == 0)
		return;
	u->altered = now;
	u->again = true;
	drift_sl2vl_forget(sm, true);
	if (mono_before(now, u->wait_until))
		return;
	u->all = true;
	doubt_all(sm);
	if (++u->times < PATIENCE)
		return;
	u->wait.ns =
		u->times == PATIENCE ? mono_ms(WAIT_MS).ns : u->wait.ns * 2;
	if (u->wait.ns > mono_ms(WAIT_MAX_MS).ns)
		u->wait = mono_ms(WAIT_MAX_MS);
	u->wait_until = mono_add(now, u->wait);
}

/*
 * A state of another fabric: kept LIDs would move every port of this one, and
 * what it had closed would be looked for for ever. Our own node says nothing:
 * it may have come here with its disk.
 */
void
drift_check_state_file(struct sm *sm)
{
	const struct topo *t = sm->topo;
	size_t others = 0;
	char why[128];

	for (size_t i = 0; i < sm->nrecord; i++) {
		port_ix p = topo_by_port_guid(t, sm->record[i].guid);

		if (p != TOPO_NONE && t->port[p].node != 0)
			return;
		others += p == TOPO_NONE;
	}
	/* alone with a new adapter and no cable, one sees nobody either */
	if (others == 0 || t->nsw == 0)
		return;
	(void)snprintf(why, sizeof(why),
		"none of the %zu ports in the state file is here: it belongs "
		"to another fabric",
		others);
	sm->ops->set_aside(sm->ops->cookie, why);
	sm->nrecord = sm->nrank = 0;
	sm->routed = sm->load = sm->turn = 0;
	sm->rank_known = false;
	sm->reading = (struct topo_class){0};
	sl2vl_unblock_all(device_sl2vl(sm->hw));
	drift_sl2vl_forget(sm, true);
}

/* ---- another master ---- */

void
drift_review(struct sm *sm)
{
	if (!sm->trust.master_seen) {
		sm->trust.masters = 0;
		sm->stat.masters[0] = '\0';
	}
	sm->trust.master_seen = false;
}

void
drift_master(struct sm *sm, const struct sm_peer *p)
{
	bool news = sm->stat.masters[0] == '\0';

	sm->trust.master_seen = true;
	if (++sm->trust.masters < 2)
		return; /* it may be about to hand over */
	(void)snprintf(sm->stat.masters, sizeof(sm->stat.masters),
		"two masters: 0x%016llx \"%s\" priority %u is master as well; "
		"this one, 0x%016llx priority %u, outranks it and stays "
		"master: stop the other one",
		(unsigned long long)p->id.guid, p->id.name, p->id.priority,
		(unsigned long long)sm->port_guid, sm->cfg->fabric.priority);
	if (news)
		log_error("sm: %s", sm->stat.masters);
}

void
drift_end(struct sm *sm)
{
	map_free(&sm->trust.flaws);
	sm->trust = (struct drift_state){0};
	sm->stat.rival[0] = sm->stat.masters[0] = sm->stat.flaw[0] = '\0';
}
