#include "sm/core/commit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/tiers/tree.h"
#include "sm/base/mem.h"
#include "sm/core/sm_priv.h"

enum {
	NAMES_MS = 200,
	NOTED = 5, /* log lines of a kind */
};

/* True if port p should be Active, or read, and is not. */
static bool
is_port_unfinished(const struct topo *t, port_ix p)
{
	const struct topo_port *port = &t->port[p];

	if ((t->node[port->node].flags & TN_QUARANTINED) != 0)
		return false;
	return (port->flags & TP_UNREAD) != 0 ||
	       (port->peer != TOPO_NONE && port->state != PORT_ACTIVE);
}

/* Hosts behind a switch in quarantine count as unreachable, like those behind
 * one that answers: they are not listed one by one. */
static bool
is_listed(const struct sm *sm, const struct topo_node *n)
{
	return (n->flags & TN_QUARANTINED) != 0 &&
	       (n->type == TOPO_SWITCH ||
		       !builder_is_cut_off(sm->builder, n->guid));
}

static void
list_quarantine(const struct sm *sm, struct view *v)
{
	const struct topo *t = v->topo;
	node_ix n;

	for (n = 0; n < t->nnodes; n++)
		v->nquarantine += is_listed(sm, &t->node[n]);
	v->quarantine = mem_zalloc(v->nquarantine, sizeof(*v->quarantine));
	v->nquarantine = 0;
	for (n = 0; n < t->nnodes; n++) {
		struct view_quarantine *q = &v->quarantine[v->nquarantine];

		if (!is_listed(sm, &t->node[n]))
			continue;
		q->guid = t->node[n].guid;
		q->node = n;
		(void)snprintf(q->why, sizeof(q->why), "%s",
			builder_quarantine_why(sm->builder, q->guid));
		v->nquarantine++;
	}
}

/*
 * t with what acknowledgements and late answers have added since (port states,
 * names): frozen again with the LIDs that it has. NULL where nothing was added,
 * as after a link that was lost, and where the numbering would differ: only a
 * change in the fabric brings that, and that change is dirty already.
 */
struct topo *
commit_refresh(struct sm *sm, const struct topo *t)
{
	struct topo *raw, *fresh = NULL;
	struct reason why;
	uint16_t *lid;
	uint8_t *lmc;
	port_ix p;

	if (!builder_touched(sm->builder))
		return NULL;
	raw = builder_freeze(sm->builder, t->generation, &why);
	if (raw == NULL || raw->nports != t->nports) {
		topo_unref(raw);
		return NULL;
	}
	lid = mem_zalloc(t->nports, sizeof(*lid));
	lmc = mem_zalloc(t->nports, sizeof(*lmc));
	for (p = 0; p < t->nports; p++) {
		lid[p] = t->port[p].lid;
		lmc[p] = t->port[p].lmc;
	}
	fresh = topo_give_lids(raw, &(struct topo_lids){lid, lmc});
	free(lid);
	free(lmc);
	if (fresh->hash == t->hash)
		return fresh;
	topo_unref(fresh);
	return NULL;
}

/*
 * Both ends of a link come up together. Where one end was in Init when the
 * other was said to be up, the other went down after it was asked, and this run
 * believed its old state. That switch is asked at once; the next time it waits
 * like others.
 */
static void
list_half_up_links(struct sm *sm, const struct topo *t, struct mono now)
{
	for (port_ix p = 0; p < t->nports; p++) {
		port_ix peer = t->port[p].peer;
		uint64_t guid;
		uint32_t last;

		if (t->port[p].state != PORT_INIT || peer == TOPO_NONE ||
			t->port[peer].state <= PORT_INIT)
			continue;
		guid = t->node[t->port[peer].node].guid;
		if (!map_get(&sm->retry.listed, guid, &last) ||
			last + 1 < sm->retry.number)
			dirty_mark(sm, guid, now, DIRTY_HALF_DOWN, NULL);
		retry_port(sm, t, peer);
	}
}

static void
list_retries(struct sm *sm, const struct topo *t)
{
	port_ix p;

	for (p = 0; p < t->nports; p++)
		if (is_port_unfinished(t, p) || m_keys_is_silent(sm, t, p))
			retry_port(sm, t, p);
	run_adaptive_retry(sm, t);
	for (size_t i = 0; i < sm->retry.nrecheck; i++)
		retry_node(sm, sm->retry.recheck[i]);
	/* it may have been one node that moved while it was asked */
	if (sm->run.new_duplicates)
		retry_node(sm, 0);
}

void
commit_schedule(struct sm *sm, struct mono now)
{
	/* a run that changed nothing has a younger topology than the view */
	const struct topo *t =
		sm->run.topo != NULL && sm->view->topo->generation <
						sm->run.topo->generation
			? sm->run.topo
			: sm->view->topo;

	list_retries(sm, t);
	list_half_up_links(sm, t, now);
	retry_schedule(sm, now);
	if (sm->run.kind == SWEEP_FULL ||
		!timer_is_set(&sm->timers, TIMER_LIGHT))
		light_sweep_schedule(sm, now);
	/* names can wait until the fabric has settled */
	timer_sooner(
		&sm->timers, TIMER_NAMES, mono_add(now, mono_ms(NAMES_MS)));
}

static const struct tree *
tree_of(const struct view *v)
{
	return v != NULL ? tree_kept(v->routes) : NULL;
}

/* Log irregularities of this kind when their number has changed; key: the
 * configuration key that is concerned. */
static void
log_irregularities(const struct sm *sm, const struct view *is,
	enum irregularity what, const char *key)
{
	const struct tree *old = tree_of(sm->view), *t = tree_of(is);
	unsigned left = NOTED;
	char text[400];

	if (t == NULL || t->count[what] == 0 ||
		(old != NULL && old->count[what] == t->count[what]))
		return;
	for (size_t i = 0; i < t->nodd && left > 0; i++) {
		if (t->odd[i].what != what)
			continue;
		irregularity_text(is->topo, &t->odd[i], text, sizeof(text));
		log_warn("tree: %s (%s, %u such; %s)", text,
			irregularity_name(what), t->count[what], key);
		left--;
	}
}

/* Log what the configuration says wrongly about switches and ports. */
static void
log_role_mistakes(const struct sm *sm, const struct view *is)
{
	static const enum irregularity said[] = {TREE_ROLE_UNKNOWN,
		TREE_ROLE_AMBIGUOUS, TREE_ROLE_CONFLICT, TREE_ROLE_PLACE,
		TREE_NO_TREE};
	const struct config_roles *r = &sm->cfg->routing.roles;

	for (size_t k = 0; k < sizeof(said) / sizeof(*said) &&
			   r->leaf.n + r->spine.n + r->root.n > 0;
		k++)
		log_irregularities(sm, is, said[k], "routing.roles");
	log_irregularities(
		sm, is, TREE_MULTI_PORT_UNKNOWN, "routing.multi_port");
	log_irregularities(sm, is, TREE_MULTI_PORT_ALONE, "routing.multi_port");
}

/* Whether a path leads over a link between switches: else no SL means a layer,
 * as while the manager's own port is down, and connections have what they had.
 */
static bool
links_switches(const struct topo *t)
{
	for (sw_ix s = 0; s < t->nsw; s++)
		for (uint32_t i = 0; topo_sw_live(t, s) && i < t->sw[s].nadj;
			i++)
			if (topo_sw_live(t, t->adj[t->sw[s].adj + i].peer))
				return true;
	return false;
}

/* The layers of pairs are remembered beyond their paths. */
static void
keep_pairs(struct sm *sm)
{
	if (sm->run.pairs == NULL)
		return;
	layer_memory_unref(sm->kept.pairs);
	sm->kept.pairs = sm->run.pairs;
	sm->run.pairs = NULL;
}

/* Paths by the view are given out from now on. */
static void
note_sls(struct sm *sm)
{
	const struct view *v = sm->view;
	bool first = sl_history_layers(sm->sl_history) == 0;

	if (links_switches(v->topo))
		sl_history_add_routes(sm->sl_history, v->routes,
			v->qos != NULL ? &v->qos->want.levels : NULL);
	/* the state may say that no SL was ever given out: no longer */
	if (first && v->routes->layers.n > 1)
		state_keep_save(sm, true);
}

/* Swap the view: the one assignment by which a run takes effect. */
void
commit_run(struct sm *sm, struct mono now)
{
	struct view *v = mem_zalloc(1, sizeof(*v));

	v->refs = 1;
	v->topo = topo_ref(sm->run.topo_written != NULL ? sm->run.topo_written
							: sm->run.topo);
	v->routes = routes_for(sm->run.routes, v->topo);
	v->pkeys = pkeys_ref(sm->run.pkeys);
	v->qos = qos_ref(sm->run.qos);
	/* nothing that stays keeps a second copy of the topology alive */
	pkeys_adopt(v->pkeys, v->topo);
	qos_adopt(v->qos, v->topo);
	v->generation = v->topo->generation;
	v->story = sm->run.story;
	sm->run.times.total = mono_sub(now, sm->run.began);
	v->times = sm->run.times;
	sm->run.counts.smps = xact_stats(sm->x)->sent - sm->run.sent_before;
	view_count_ports(v->topo, &sm->run.counts);
	v->counts = sm->run.counts;
	list_quarantine(sm, v);
	run_adaptive_list(sm, v);
	adaptive_use_list(sm, v);
	(void)snprintf(v->cause, sizeof(v->cause), "%s", sm->run.cause_text);
	(void)snprintf(v->lid_conflict, sizeof(v->lid_conflict), "%s",
		sm->logged.lid_conflict);
	v->when = now;
	log_role_mistakes(sm, v);
	v->change = sm->run.change;
	sm->run.change = (struct view_change){0};
	events_note(sm, v, now);
	view_unref(sm->view);
	sm->view = v;
	standby_forget(sm);
	state_keep_routes(sm, v->routes);
	keep_pairs(sm);
	note_sls(sm);
	if (v->change.nstays > 0 && v->change.relayers)
		dirty_mark_replan(sm, now, DIRTY_RELAYERED, NULL);
	timer_set(
		&sm->timers, TIMER_SAVE, now); /* saved in a tick of its own */
	sm->ops->committed(sm->ops->cookie, v);
}

void
commit_log_run(struct sm *sm)
{
	const struct view *v = sm->view;
	char why[256];

	if (v->topo->nnodes == 1 &&
		v->topo->port[v->topo->sm_port].state < PORT_INIT)
		(void)snprintf(why, sizeof(why),
			"port %u, which connects to the fabric, is down: no "
			"cable, or nothing at its other end",
			v->topo->port[v->topo->sm_port].num);
	else if (v->nquarantine > 0)
		(void)snprintf(why, sizeof(why),
			"%zu nodes are quarantined, first guid=0x%016llx "
			"\"%.40s\": %s",
			v->nquarantine,
			(unsigned long long)v->quarantine[0].guid,
			v->quarantine[0].node == TOPO_NONE
				? ""
				: topo_desc(v->topo, v->quarantine[0].node),
			v->quarantine[0].why);
	else if (v->counts.ports_active < v->counts.ports_linked)
		(void)snprintf(why, sizeof(why),
			"%u of %u linked ports are not Active",
			v->counts.ports_linked - v->counts.ports_active,
			v->counts.ports_linked);
	else
		why[0] = '\0';
	sm->ops->finished(sm->ops->cookie, why[0] == '\0', why);
}
