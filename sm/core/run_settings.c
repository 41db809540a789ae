/*
 * Ports that keep settings of their own: what the plan knows of and what its
 * push found, in words. Where a port lacks something that traffic needs
 * (distribution/tables/port_settings.h) that is an alarm as long as it lacks
 * it; time-outs, lifetimes and thresholds are counted and shown.
 */
#include <stdio.h>
#include <string.h>

#include "discovery/port_key.h"
#include "distribution/tables/port_settings.h"
#include "sm/base/hash.h"
#include "sm/core/sm_priv.h"

/* A review in progress. */
struct review {
	const struct sm *sm;
	struct map seen; /* ports, and switches: by plan_kept */
	uint32_t ports, lacking;
	char first[SM_SETTINGS]; /* that keeps its own */
	char alarm[SM_SETTINGS]; /* the first that lacks what it needs ... */
	uint64_t which;		 /* ... and what that is; 0: none */
};

static void
port_text(
	const struct topo *t, port_ix p, const char *what, char *out, size_t n)
{
	const struct topo_port *port = &t->port[p];
	const struct topo_node *node = &t->node[port->node];

	(void)snprintf(out, n,
		"port %u of 0x%016llx \"%.64s\" does not take all settings: "
		"%s",
		port->num, (unsigned long long)node->guid,
		topo_desc(t, port->node), what);
}

static void
review_life(struct review *r, port_ix p)
{
	const struct topo *t = r->sm->topo;
	char what[64];

	(void)snprintf(what, sizeof(what), "LifeTimeValue %u instead of %u",
		t->sw[t->node[t->port[p].node].sw].life,
		(unsigned)r->sm->cfg->link.packet_lifetime);
	if (r->ports++ == 0)
		port_text(t, p, what, r->first, sizeof(r->first));
}

/* What the link of a port without its MTU can carry. */
static void
add_link_mtu(const struct topo *t, port_ix p, const struct device_kept *k,
	char *out, size_t n)
{
	uint8_t mtu = k->held.mtu;

	if (t->port[p].peer != TOPO_NONE && k->want.mtu < mtu)
		mtu = k->want.mtu;
	if (k->held.mtu != k->want.mtu)
		(void)snprintf(out + strlen(out), n - strlen(out),
			"; paths over its link have MTU %u",
			port_settings_mtu(mtu));
}

static void
review_port(struct review *r, port_ix p)
{
	const struct topo *t = r->sm->topo;
	const struct device_kept *k = device_kept(
		r->sm->hw, t->node[t->port[p].node].guid, t->port[p].num);
	uint32_t fields;
	char what[160];

	if (k == NULL)
		return;
	fields = port_settings_differ(t, p, &k->held, &k->want);
	port_settings_text(fields, &k->held, &k->want, what, sizeof(what));
	if (r->ports++ == 0)
		port_text(t, p, what, r->first, sizeof(r->first));
	fields = port_settings_needed(fields);
	if (fields == 0 || r->lacking++ > 0)
		return;
	port_settings_text(fields, &k->held, &k->want, what, sizeof(what));
	r->which = fnv_more(port_key(k->guid, k->port), what, strlen(what));
	port_text(t, p, what, r->alarm, sizeof(r->alarm));
	if (port_settings_link(fields) != 0)
		add_link_mtu(t, p, k, r->alarm, sizeof(r->alarm));
}

static void
review_list(struct review *r, const struct plan_kept *kept, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t key = (uint64_t)kept[i].port << 1 | kept[i].life;

		if (map_get(&r->seen, key, NULL))
			continue;
		map_put(&r->seen, key, 0);
		if (kept[i].life)
			review_life(r, kept[i].port);
		else
			review_port(r, kept[i].port);
	}
}

static void
add_count(char *text, uint32_t n)
{
	size_t at = strlen(text);

	if (n > 1)
		(void)snprintf(
			text + at, SM_SETTINGS - at, " (%u such ports)", n);
}

void
run_settings_review(struct sm *sm)
{
	struct review r = {.sm = sm};
	const struct plan_kept *found;
	size_t n;

	found = push_kept(sm->push, &n);
	review_list(&r, sm->plan->kept, sm->plan->nkept);
	review_list(&r, found, n);
	map_free(&r.seen);
	add_count(r.alarm, r.lacking);
	/* not once more when its name is read */
	if (r.which != 0 && r.which != sm->settings_logged)
		log_error("push: %s", r.alarm);
	else if (r.ports > sm->stat.settings_kept)
		log_warn("push: ports keep settings of their own ports=%u "
			 "first=\"%s\"",
			r.ports, r.first);
	sm->settings_logged = r.which;
	sm->stat.settings_kept = r.ports;
	memcpy(sm->stat.settings_first, r.first, sizeof(r.first));
	memcpy(sm->stat.settings, r.alarm, sizeof(r.alarm));
}

void
run_settings_reset(struct sm *sm)
{
	sm->settings_logged = 0;
	sm->stat.settings_kept = 0;
	sm->stat.settings_first[0] = sm->stat.settings[0] = '\0';
}
