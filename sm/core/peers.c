#include "sm/core/peers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "sm/core/sm_priv.h"

/* OpenSM's key unless it is configured; it treats 0 as no key. */
enum { KEY_OPEN_MAX = 1 };

/* Managers that are added to the list between two runs; any host can call
 * itself one. */
enum { ADDED_MAX = 64 };

/* One manager is not asked out of turn more often than this. */
enum { LOOK_MS = 200 };

static bool
is_open_key(uint64_t key)
{
	return key <= KEY_OPEN_MAX;
}

/* ---- SMInfo: what is said, and what is heard ---- */

static uint8_t
our_state(const struct sm *sm)
{
	return sm->role == SM_MASTER	    ? SMI_MASTER
	       : sm->role == SM_STANDING_BY ? SMI_STANDBY
					    : SMI_DISCOVERING;
}

void
peers_say(const struct sm *sm, bool show_key, struct mono now,
	struct mad_sm_info *out)
{
	uint64_t key = sm->cfg->fabric.sm_key;

	*out = (struct mad_sm_info){
		.guid = sm->port_guid,
		.key = show_key || is_open_key(key) ? key : 0,
		.act_count = (uint32_t)(now.ns / 1000000),
		.priority = (uint8_t)sm->cfg->fabric.priority,
		.state = our_state(sm),
	};
}

bool
peers_key_fits(const struct sm *sm, uint64_t key)
{
	uint64_t ours = sm->cfg->fabric.sm_key;

	return is_open_key(ours) ? is_open_key(key) : key == ours;
}

/* What the key in an answer says; showed: the question had our own. */
static enum sm_peer_key
judge_key(const struct sm *sm, uint64_t key, bool showed)
{
	if (peers_key_fits(sm, key))
		return SM_KEY_SHARED;
	return key == 0 && !showed ? SM_KEY_UNSEEN : SM_KEY_OTHER;
}

/* True if our key is shown to p although it has not shown it yet: it is the
 * master that we stand by for. */
static bool
is_first_to_show(const struct sm *sm, const struct sm_peer *p)
{
	return sm->role == SM_STANDING_BY && p == &sm->mastership.master &&
	       p->id.state == SMI_MASTER;
}

bool
peers_may_see_key(const struct sm *sm, const struct sm_peer *p)
{
	return is_open_key(sm->cfg->fabric.sm_key) ||
	       map_get(&sm->peers.key_shown, p->id.guid, NULL) ||
	       is_first_to_show(sm, p);
}

void
peers_note_key(struct sm *sm, uint64_t guid, uint64_t key)
{
	if (!is_open_key(key) && key == sm->cfg->fabric.sm_key)
		map_put(&sm->peers.key_shown, guid, 0);
}

void
peers_forget_keys(struct sm *sm)
{
	map_free(&sm->peers.key_shown);
	for (size_t i = 0; i < sm->peers.n; i++)
		sm->peers.list[i].key = SM_KEY_UNSEEN;
	sm->mastership.master.key = SM_KEY_UNSEEN;
}

void
peers_take(struct sm *sm, struct sm_peer *p, const struct xact_result *res)
{
	struct mad_sm_info i;

	p->id.answers = res->outcome == XACT_OK;
	p->silent = res->outcome == XACT_TIMEOUT;
	if (!p->id.answers)
		return;
	mad_sm_info_decode(res->data, &i);
	if (i.guid != p->id.guid) {
		p->id.answers = false;
		if (p->alias != i.guid)
			log_warn("sm: SMInfo of port 0x%016llx \"%s\" ignored: "
				 "it names the GUID 0x%016llx",
				(unsigned long long)p->id.guid, p->id.name,
				(unsigned long long)i.guid);
		p->alias = i.guid;
		return;
	}
	p->id.priority = i.priority;
	p->id.state = i.state;
	p->act_count = i.act_count;
	p->key = judge_key(sm, i.key, p->showed);
	peers_note_key(sm, p->id.guid, i.key);
}

/* ---- asking ---- */

void
peers_request(const struct sm *sm, const struct sm_peer *p, bool show_key,
	struct mono now, struct xact_request *r)
{
	struct mad_sm_info i;

	memset(r, 0, sizeof(*r));
	r->method = MAD_GET;
	r->attr = MAD_SM_INFO;
	r->target = p->sma;
	r->hops = p->hops;
	memcpy(r->path, p->path, sizeof(r->path));
	peers_say(sm, show_key, now, &i);
	mad_sm_info_encode(&i, r->data);
}

static struct mono
peers_deadline(const struct sm *sm)
{
	return mono_min(sm->cfg->smp.timeout, sm->cfg->standby.poll_interval);
}

void
peers_ask(struct sm *sm, struct sm_peer *p, bool once, struct mono now,
	xact_done *done, uint64_t tag)
{
	struct xact_request r;

	p->showed = peers_may_see_key(sm, p);
	peers_request(sm, p, p->showed, now, &r);
	if (once)
		r.once = peers_deadline(sm);
	xact_submit(sm->x, &r, now, done, sm, tag);
}

/* In the tag of a question: nothing waits for the answer. The rest is the
 * number of the manager, and above it that of the round. */
#define NOT_AWAITED (1U << 31)

/* A manager that has handed over may have ended; its answer decides nothing. */
static bool
has_handed_over(const struct sm *sm, const struct sm_peer *p)
{
	return sm->hand_over.taking == TAKES_CONFIRMED &&
	       p->id.guid == sm->mastership.master.id.guid;
}

void
peers_ask_all(struct sm *sm, struct mono now, xact_done *done)
{
	bool elected = sm->reign.elected;

	sm->reign.elected = false;
	sm->peers.round++;
	for (size_t i = 0; i < sm->peers.n; i++) {
		struct sm_peer *p = &sm->peers.list[i];
		uint64_t tag = (uint64_t)sm->peers.round << 32 | i;

		if (has_handed_over(sm, p) || (elected && p->silent))
			tag |= NOT_AWAITED;
		else
			sm->peers.asked++;
		peers_ask(sm, p, p->silent, now, done, tag);
	}
}

void
peers_look(struct sm *sm, struct sm_peer *p, struct mono now, xact_done *done)
{
	if (p->looked.ns != 0 &&
		mono_before(now, mono_add(p->looked, mono_ms(LOOK_MS))))
		return;
	p->looked = now;
	sm->peers.asked++;
	peers_ask(sm, p, false, now, done,
		(uint64_t)sm->peers.round << 32 |
			(uint64_t)(p - sm->peers.list));
}

struct sm_peer *
peers_answered(struct sm *sm, uint64_t tag, const struct xact_result *res)
{
	struct sm_peer *p;

	if (!(tag & NOT_AWAITED))
		sm->peers.asked--;
	if (tag >> 32 != sm->peers.round)
		return NULL;
	p = &sm->peers.list[(uint32_t)tag & ~NOT_AWAITED];
	peers_take(sm, p, res);
	return p;
}

/* ---- the list ---- */

bool
peers_outranks(const struct sm_peer *a, const struct sm_peer *b)
{
	return a->id.priority > b->id.priority ||
	       (a->id.priority == b->id.priority && a->id.guid < b->id.guid);
}

struct sm_peer *
peers_find(struct sm *sm, uint64_t guid)
{
	for (size_t i = 0; i < sm->peers.n; i++)
		if (sm->peers.list[i].id.guid == guid)
			return &sm->peers.list[i];
	return NULL;
}

/* The manager at a port; false: no path leads there. */
static bool
make_peer(const struct topo *t, port_ix p, struct sm_peer *out)
{
	int hops = topo_route_port(t, p, out->path);

	if (hops < 0)
		return false;
	out->hops = (uint8_t)hops;
	out->node_guid = t->node[t->port[p].node].guid;
	out->sma = topo_sma_guid(t, p);
	out->id.guid = t->port[p].guid;
	(void)snprintf(out->id.name, sizeof(out->id.name), "%s",
		topo_desc(t, t->port[p].node));
	return true;
}

static void
append_peer(struct sm *sm, const struct sm_peer *p)
{
	sm->peers.list = mem_grow(sm->peers.list, sm->peers.n, &sm->peers.cap,
		sizeof(*sm->peers.list));
	sm->peers.list[sm->peers.n++] = *p;
}

/* What is known of the same manager, from the list before. */
static void
inherit_peer(struct sm_peer *p, const struct sm_peer *old, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (old[i].id.guid == p->id.guid) {
			p->key = old[i].key;
			p->silent = old[i].silent;
			p->alias = old[i].alias;
			p->looked = old[i].looked;
			p->offer_after = old[i].offer_after;
			p->back_after = old[i].back_after;
			p->noted = old[i].noted;
			p->met = old[i].met;
		}
}

/* Whether this manager is among n others. */
static bool
is_listed(const struct sm_peer *p, const struct sm_peer *in, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (in[i].id.guid == p->id.guid)
			return true;
	return false;
}

/* Managers that came or left since there were n others. */
static void
tell_changes(
	struct sm *sm, const struct sm_peer *old, size_t n, struct mono now)
{
	for (size_t i = 0; i < n; i++)
		if (!is_listed(&old[i], sm->peers.list, sm->peers.n))
			events_manager(sm, &old[i], false, now);
	for (size_t i = 0; i < sm->peers.n; i++)
		if (!is_listed(&sm->peers.list[i], old, n))
			events_manager(sm, &sm->peers.list[i], true, now);
}

void
peers_list(struct sm *sm, struct mono now)
{
	const struct topo *t = sm->run.topo;
	struct sm_peer *old =
		mem_dup(sm->peers.list, sm->peers.n * sizeof(*old));
	size_t n = sm->peers.n;

	sm->peers.n = 0;
	for (port_ix p = 0; p < t->nports; p++) {
		struct sm_peer peer = {0};

		if ((t->port[p].flags & TP_IS_SM) == 0 || p == t->sm_port ||
			!make_peer(t, p, &peer))
			continue;
		inherit_peer(&peer, old, n);
		if (sm->mastership.master.id.guid == peer.id.guid)
			peer.silent |= sm->mastership.missed > 0;
		append_peer(sm, &peer);
	}
	tell_changes(sm, old, n, now);
	free(old);
}

struct sm_peer *
peers_add(struct sm *sm, uint64_t guid, struct mono now)
{
	const struct topo *t =
		phase_view(sm) != NULL ? phase_view(sm)->topo : NULL;
	port_ix p = t != NULL ? topo_by_port_guid(t, guid) : TOPO_NONE;
	struct sm_peer peer = {0};

	if (p == TOPO_NONE || p == t->sm_port || sm->peers.n >= ADDED_MAX ||
		!make_peer(t, p, &peer))
		return NULL;
	append_peer(sm, &peer);
	events_manager(sm, &peer, true, now);
	return &sm->peers.list[sm->peers.n - 1];
}

/* Names are read later than managers are found. */
void
peers_name(struct sm *sm)
{
	const struct topo *t =
		phase_view(sm) != NULL ? phase_view(sm)->topo : NULL;

	for (size_t i = 0; i < sm->peers.n && t != NULL; i++) {
		struct sm_peer *p = &sm->peers.list[i];
		node_ix n = topo_by_node_guid(t, p->node_guid);

		if (n != TOPO_NONE && p->id.name[0] == '\0')
			(void)snprintf(p->id.name, sizeof(p->id.name), "%s",
				topo_desc(t, n));
		if (p->id.guid == sm->mastership.master.id.guid)
			sm->mastership.master.id = p->id;
	}
}

/* ---- which manager a request is from ---- */

/* Back along the return path of a directed request: the port that it left. */
static port_ix
walk_back(const struct topo *t, const struct smp *s)
{
	port_ix at = t->sm_port;

	if (s->dr_slid != 0xffff || s->dr_dlid != 0xffff || s->hop_cnt == 0)
		return TOPO_NONE;
	for (unsigned i = s->hop_cnt; i > 0; i--) {
		node_ix n = t->port[at].node;

		if (s->ret_path[i] > t->node[n].nports)
			return TOPO_NONE;
		at = t->port[topo_port_of(t, n, s->ret_path[i])].peer;
		if (at == TOPO_NONE)
			return TOPO_NONE;
	}
	if (t->node[t->port[at].node].type == TOPO_SWITCH)
		at = topo_port_of(t, t->port[at].node, 0);
	return at;
}

uint64_t
peers_sender(
	const struct sm *sm, const struct transport_msg *m, const struct smp *s)
{
	const struct topo *t =
		phase_view(sm) != NULL ? phase_view(sm)->topo : sm->run.topo;
	port_ix p;

	if (t == NULL)
		return 0;
	p = s->mgmt_class == MAD_SUBN_DR ? walk_back(t, s)
					 : topo_by_lid(t, m->addr.lid, NULL);
	return p != TOPO_NONE ? t->port[p].guid : 0;
}

void
peers_free(struct sm *sm)
{
	map_free(&sm->peers.key_shown);
	map_free(&sm->peers.once_master);
	free(sm->peers.list);
}
