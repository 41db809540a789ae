#include "sm/core/m_keys.h"

#include <stdio.h>
#include <string.h>

#include "distribution/device/device_request.h"
#include "sm/base/hash.h"
#include "sm/core/sm_priv.h"

enum {
	RENEWALS = 3,
	TICK_MS = 100,
	PENDING_MAX = 256, /* requests without an answer yet */
	POLL_MS = 10000,   /* locked ports, where no lease is to be kept */
	POLL_MORE_MS = 1000,
};

/* ---- requests ---- */

static bool
is_same_key(const struct mad_port_info *a, const struct mad_port_info *b)
{
	return a->mkey == b->mkey && a->mkey_prot == b->mkey_prot &&
	       a->mkey_lease == b->mkey_lease;
}

/* True while the view's PortInfo is what ports hold. */
static bool
is_settled(const struct sm *sm)
{
	return sm->phase == SM_IDLE || sm->phase == SM_NAMES ||
	       sm->phase == SM_CHECK;
}

static void
take_renewal(void *cookie, uint64_t tag, const struct xact_result *res)
{
	struct sm *sm = cookie;
	const struct topo *t;
	struct mad_port_info is, was;
	const struct topo_node *n;
	port_ix p = (uint32_t)tag;

	sm->leases.pending--;
	if (res->outcome != XACT_OK || sm->view == NULL ||
		tag >> 32 != sm->view->topo->generation || !is_settled(sm))
		return;
	t = sm->view->topo;
	if (p >= t->nports || mad_port_info_decode(res->data, &is, NULL) != 0 ||
		mad_port_info_settings(topo_info(t, p), &was) != 0)
		return;
	quarantine_unlock(sm, res->now);
	n = &t->node[t->port[p].node];
	if (!is_same_key(&is, &was))
		dirty_mark(sm, n->guid, res->now, DIRTY_M_KEY, NULL);
}

static void
ask_port(struct sm *sm, port_ix p, struct mono now)
{
	const struct topo *t = sm->view->topo;
	struct xact_request r;

	if (device_request_block(t, p, DEVICE_PORT_INFO, 0, &r) != 0)
		return;
	r.method = MAD_GET;
	sm->leases.pending++;
	xact_submit(sm->x, &r, now, take_renewal, sm,
		(uint64_t)t->generation << 32 | p);
}

/* ---- when ---- */

static bool
keeps_leases(const struct sm *sm)
{
	return sm->cfg->fabric.m_key != 0 && sm->cfg->fabric.m_key_lease.ns > 0;
}

static bool
has_work(const struct sm *sm)
{
	return sm->role == SM_MASTER && sm->view != NULL &&
	       sm->reign.tables != TABLES_ELECTED &&
	       (keeps_leases(sm) || keyring_locked(xact_keys(sm->x)) > 0);
}

struct mono
m_keys_next(const struct sm *sm)
{
	return has_work(sm) ? timer_due(&sm->timers, TIMER_LEASE) : MONO_NEVER;
}

static bool
is_keyed(const struct topo *t, port_ix p)
{
	return topo_has_lid(t, p) &&
	       (t->port[p].flags & (TP_ABSENT | TP_UNREAD)) == 0 &&
	       (t->port[p].peer != TOPO_NONE || p == t->sm_port ||
		       t->node[t->port[p].node].type == TOPO_SWITCH);
}

/* In turn, where there are more than may wait for an answer at once. */
static void
poll_locked(struct sm *sm, struct mono now)
{
	const struct topo *t = sm->view->topo;
	struct leases *l = &sm->leases;
	port_ix left = t->nports;

	for (; left > 0 && l->pending < PENDING_MAX; left--) {
		port_ix p = l->next < t->nports ? l->next : 0;

		l->next = p + 1;
		if (is_keyed(t, p) && keyring_is_locked(xact_keys(sm->x),
					      topo_sma_guid(t, p)))
			ask_port(sm, p, now);
	}
	timer_set(&sm->timers, TIMER_LEASE,
		mono_add(now, mono_ms(left > 0 ? POLL_MORE_MS : POLL_MS)));
}

/* How many ports a round has, which may change while it goes on. */
static void
count_keyed(struct sm *sm)
{
	const struct topo *t = sm->view->topo;
	struct leases *l = &sm->leases;

	if (l->generation == t->generation)
		return;
	l->generation = t->generation;
	l->ports = 0;
	for (port_ix p = 0; p < t->nports; p++)
		l->ports += is_keyed(t, p);
}

/* A round begins, now that the last one is over. */
static void
begin_round(struct sm *sm, struct mono now)
{
	struct leases *l = &sm->leases;
	bool late = l->began.ns > 0 &&
		    mono_before(mono_add(l->began, sm->cfg->fabric.m_key_lease),
			    now);

	if (late && !l->late)
		log_error("sm: renewing the leases of all M_Keys took %.1f s",
			mono_seconds(mono_sub(now, l->began)));
	l->late = late;
	l->began = now;
	l->next = 0;
}

/*
 * Ask as many ports as are due: one for each pause since the last of them. What
 * finds no room stays due, up to a round.
 */
static void
renew_some(struct sm *sm, struct mono now)
{
	struct leases *l = &sm->leases;
	const struct topo *t = sm->view->topo;
	int64_t round = sm->cfg->fabric.m_key_lease.ns / RENEWALS;
	int64_t pause;

	count_keyed(sm);
	if (l->next >= t->nports || l->began.ns == 0)
		begin_round(sm, now);
	pause = round / (l->ports > 0 ? l->ports : 1);
	if (pause < 1)
		pause = 1;
	if (now.ns - l->asked.ns > round)
		l->asked = now;
	for (; l->next < t->nports && l->pending < PENDING_MAX &&
		now.ns - l->asked.ns >= pause;
		l->next++)
		if (is_keyed(t, l->next)) {
			ask_port(sm, l->next, now);
			l->asked.ns += pause;
		}
	timer_set(
		&sm->timers, TIMER_LEASE, mono_add(now, (struct mono){pause}));
	if (pause < mono_ms(TICK_MS).ns)
		timer_set(&sm->timers, TIMER_LEASE,
			mono_add(now, mono_ms(TICK_MS)));
}

void
m_keys_step(struct sm *sm, struct mono now)
{
	if (!has_work(sm) ||
		mono_before(now, timer_due(&sm->timers, TIMER_LEASE)))
		return;
	if (keeps_leases(sm))
		renew_some(sm, now);
	else
		poll_locked(sm, now);
}

/* ---- ports that cannot be written ---- */

/*
 * True if port p of a switch is up and leads to a node that does not answer,
 * while M_Keys are in use.
 */
bool
m_keys_is_silent(const struct sm *sm, const struct topo *t, port_ix p)
{
	const struct topo_port *port = &t->port[p];
	const struct topo_node *n = &t->node[port->node];

	return n->type == TOPO_SWITCH && port->num > 0 &&
	       port->peer == TOPO_NONE && port->state >= PORT_INIT &&
	       (n->flags & TN_QUARANTINED) == 0 &&
	       (sm->cfg->fabric.m_key != 0 ||
		       sm->cfg->fabric.m_keys_known.n > 0);
}

static void
add_port(const struct topo *t, port_ix p, bool silent, struct sm_m_keys *k)
{
	uint64_t guid = t->node[t->port[p].node].guid;
	uint8_t num = t->port[p].num;

	if (k->nports < SM_M_KEY_PORTS)
		k->port[k->nports++] = (struct sm_m_key_port){
			.guid = guid, .port = num, .silent = silent};
	k->print = fnv_more(fnv_more(k->print, &guid, sizeof(guid)), &num, 1);
	if (silent)
		k->silent++;
	else
		k->unknown++;
}

static void
name_ports(struct sm_m_keys *k, const struct topo *t)
{
	for (unsigned i = 0; i < k->nports; i++) {
		node_ix n = topo_by_node_guid(t, k->port[i].guid);

		(void)snprintf(k->port[i].name, sizeof(k->port[i].name), "%s",
			n == TOPO_NONE ? "" : topo_desc(t, n));
	}
}

/* The first ports of k that are silent, or not, in words. */
static void
print_ports(const struct sm_m_keys *k, bool silent, char *out, size_t size)
{
	unsigned left = silent ? k->silent : k->unknown;
	size_t n = 0;

	out[0] = '\0';
	for (unsigned i = 0; i < k->nports && n < size; i++) {
		const struct sm_m_key_port *p = &k->port[i];

		if (p->silent != silent)
			continue;
		n += (size_t)snprintf(out + n, size - n,
			"%sport %u of 0x%016llx \"%s\"", n > 0 ? ", " : "",
			p->port, (unsigned long long)p->guid, p->name);
		left--;
	}
	if (left > 0 && n < size)
		(void)snprintf(out + n, size - n, " and %u more", left);
}

static void
print_first(const struct sm_m_keys *k, bool silent, char *out, size_t size)
{
	struct sm_m_keys one = {0};

	for (unsigned i = 0; i < k->nports && one.nports == 0; i++)
		if (k->port[i].silent == silent)
			one.port[one.nports++] = k->port[i];
	one.unknown = one.silent = one.nports;
	print_ports(&one, silent, out, size);
}

void
m_keys_review(struct sm *sm)
{
	const struct keyring *keys = xact_keys(sm->x);
	const struct topo *t = sm->run.topo;
	struct sm_m_keys k = {.print = FNV_START};
	char text[SM_M_KEY_PORTS * 128];
	port_ix p;

	if (t == NULL)
		return;
	for (p = 0; p < t->nports && keyring_locked(keys) > 0; p++)
		if (is_keyed(t, p) &&
			keyring_is_locked(keys, topo_sma_guid(t, p)))
			add_port(t, p, false, &k);
	for (p = 0; p < t->nports; p++)
		if (m_keys_is_silent(sm, t, p))
			add_port(t, p, true, &k);
	name_ports(&k, t);
	print_ports(&k, false, text, sizeof(text));
	if (k.unknown > 0 && k.print != sm->stat.m_keys.print)
		log_error("sm: M_Key not known ports=%u, which are not "
			  "written: %s; list the key in fabric.m_keys_known",
			k.unknown, text);
	if (k.unknown == 0 && sm->stat.m_keys.unknown > 0)
		log_info("sm: the M_Keys of all ports are known");
	sm->stat.m_keys = k;
}

void
m_keys_reset(struct sm *sm)
{
	sm->stat.m_keys = (struct sm_m_keys){0};
	sm->leases.asked = sm->leases.began = (struct mono){0};
	sm->leases.late = false;
}

void
m_keys_tell(const struct sm *sm, struct sm_status *out)
{
	struct sm_m_keys *k = &out->m_keys;
	char first[160];
	size_t n = 0, size = sizeof(k->alarm);

	if (sm->view != NULL)
		name_ports(k, sm->view->topo);
	k->alarm[0] = '\0';
	print_first(k, false, first, sizeof(first));
	if (k->unknown > 0)
		n = (size_t)snprintf(k->alarm, size,
			"M_Key not known: %u ports, first %s; list it in "
			"fabric.m_keys_known",
			k->unknown, first);
	print_first(k, true, first, sizeof(first));
	if (k->silent > 0 && n < size)
		(void)snprintf(k->alarm + n, size - n,
			"%s%u links lead to nodes that do not answer, first "
			"%s: they hang, or have an M_Key that is not known",
			n > 0 ? "; " : "", k->silent, first);
	n = strlen(k->alarm);
	if (sm->leases.late && n < size)
		(void)snprintf(k->alarm + n, size - n,
			"%sit takes longer than fabric.m_key_lease to ask all "
			"ports: leases of M_Keys can run out",
			n > 0 ? "; " : "");
}
