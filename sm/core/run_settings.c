#include "sm/core/run_settings.h"

#include <stdio.h>
#include <string.h>

#include "distribution/tables/port_settings.h"
#include "sm/core/sm_priv.h"

/* A review in progress. */
struct review {
	const struct sm *sm;
	struct map told; /* of what was kept: (port, what) */
	struct map seen; /* ports */
	struct sm_settings own, lacking;
};

static void
note_first(struct sm_settings *s, const struct topo *t, port_ix p,
	const char *what)
{
	if (s->ports++ > 0)
		return;
	s->guid = t->node[t->port[p].node].guid;
	s->port = t->port[p].num;
	(void)snprintf(s->what, sizeof(s->what), "%s", what);
}

static void
note_kept(struct review *r, port_ix p, const char *what)
{
	if (map_get(&r->seen, p, NULL))
		return;
	map_put(&r->seen, p, 0);
	note_first(&r->own, r->sm->run.topo, p, what);
}

static void
review_life(struct review *r, port_ix p)
{
	const struct topo *t = r->sm->run.topo;
	char what[64];

	(void)snprintf(what, sizeof(what), "LifeTimeValue %u instead of %u",
		t->sw[t->node[t->port[p].node].sw].life,
		(unsigned)r->sm->cfg->link.packet_lifetime);
	note_kept(r, p, what);
}

static void
review_enforcement(struct review *r, port_ix p)
{
	static const char what[] = "partition enforcement off instead of on";

	note_kept(r, p, what);
	note_first(&r->lacking, r->sm->run.topo, p, what);
}

/* What the link of a port without its MTU can carry. */
static void
add_link_mtu(const struct device_kept *k, char *out, size_t n)
{
	uint8_t mtu = k->held.mtu < k->want.mtu ? k->held.mtu : k->want.mtu;
	size_t at = strlen(out);

	if (k->held.mtu != k->want.mtu)
		(void)snprintf(out + at, n - at,
			"; paths over its link have MTU %u",
			port_settings_mtu(mtu));
}

static void
review_port(struct review *r, port_ix p)
{
	const struct topo *t = r->sm->run.topo;
	const struct device_kept *k = device_kept(
		r->sm->hw, t->node[t->port[p].node].guid, t->port[p].num);
	uint32_t fields;
	char what[sizeof(r->own.what)];

	if (k == NULL)
		return;
	fields = port_settings_differ(t, p, &k->held, &k->want);
	port_settings_text(fields, &k->held, &k->want, what, sizeof(what));
	note_kept(r, p, what);
	fields = port_settings_needed(fields);
	if (fields == 0)
		return;
	port_settings_text(fields, &k->held, &k->want, what, sizeof(what));
	if (port_settings_link(fields) != 0)
		add_link_mtu(k, what, sizeof(what));
	note_first(&r->lacking, t, p, what);
}

static void
review_list(struct review *r, const struct plan_kept *kept, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t key = (uint64_t)kept[i].port << 2 | kept[i].what;

		if (map_get(&r->told, key, NULL))
			continue;
		map_put(&r->told, key, 0);
		switch (kept[i].what) {
		case PLAN_KEEPS_SETTINGS:
			review_port(r, kept[i].port);
			break;
		case PLAN_KEEPS_LIFE:
			review_life(r, kept[i].port);
			break;
		case PLAN_KEEPS_ENFORCEMENT:
			review_enforcement(r, kept[i].port);
			break;
		}
	}
}

/* "": there is no such port. */
static void
print_settings(const struct sm_settings *s, const struct topo *t, char *out,
	size_t size)
{
	node_ix n = topo_by_node_guid(t, s->guid);
	char more[32] = "";

	out[0] = '\0';
	if (s->ports > 1)
		(void)snprintf(
			more, sizeof(more), " (%u such ports)", s->ports);
	if (s->ports > 0)
		(void)snprintf(out, size,
			"port %u of 0x%016llx \"%.64s\" does not take all "
			"settings: %s%s",
			s->port, (unsigned long long)s->guid,
			n == TOPO_NONE ? "" : topo_desc(t, n), s->what, more);
}

static bool
is_same(const struct sm_settings *a, const struct sm_settings *b)
{
	return a->ports == b->ports && a->guid == b->guid &&
	       a->port == b->port && strcmp(a->what, b->what) == 0;
}

void
run_settings_review(struct sm *sm)
{
	struct review r = {.sm = sm};
	const struct plan_kept *found;
	char text[SM_SETTINGS];
	size_t n;

	found = push_kept(sm->run.push, &n);
	review_list(&r, sm->run.plan->kept, sm->run.plan->nkept);
	review_list(&r, found, n);
	map_free(&r.told);
	map_free(&r.seen);
	if (r.lacking.ports > 0 && !is_same(&r.lacking, &sm->logged.lacking)) {
		print_settings(&r.lacking, sm->run.topo, text, sizeof(text));
		log_error("push: %s", text);
	} else if (r.own.ports > sm->logged.own.ports) {
		print_settings(&r.own, sm->run.topo, text, sizeof(text));
		log_warn("push: %s", text);
	}
	sm->logged.lacking = r.lacking;
	sm->logged.own = r.own;
}

void
run_settings_tell(const struct sm *sm, struct sm_status *out)
{
	out->settings_kept = 0;
	out->settings[0] = out->settings_first[0] = '\0';
	if (sm->view == NULL)
		return;
	out->settings_kept = sm->logged.own.ports;
	print_settings(&sm->logged.own, sm->view->topo, out->settings_first,
		sizeof(out->settings_first));
	print_settings(&sm->logged.lacking, sm->view->topo, out->settings,
		sizeof(out->settings));
}

void
run_settings_reset(struct sm *sm)
{
	sm->logged.own = sm->logged.lacking = (struct sm_settings){0};
}
