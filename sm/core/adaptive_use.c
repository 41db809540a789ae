#include "sm/core/adaptive_use.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/qos_options.h"
#include "distribution/device/adaptive_can.h"
#include "sm/base/mem.h"
#include "sm/core/sm_priv.h"

static struct route_choice
choice_of(const struct sm *sm, const struct topo *t, sw_ix s)
{
	const struct topo_node *n = &t->node[t->sw[s].node];
	struct adaptive_can can;

	adaptive_can_of(sm->hw, t, s, qos_tells_adaptive(sm->cfg), &can);
	if (can.choice.kind != ROUTE_FIXED &&
		schema_devices_have(&sm->cfg->routing.adaptive.escapes,
			n->vendor, n->device))
		can.choice.kind = ROUTE_ESCAPES;
	return can.choice;
}

const struct route_adaptive *
adaptive_use_job(
	const struct sm *sm, const struct topo *t, struct route_adaptive *out)
{
	const struct config_adaptive_use *c = &sm->cfg->routing.adaptive;
	struct route_choice *can;

	if (!c->enabled)
		return NULL;
	can = mem_zalloc(t->nsw, sizeof(*can));
	for (sw_ix s = 0; s < t->nsw; s++)
		can[s] = choice_of(sm, t, s);
	*out = (struct route_adaptive){.can = can,
		.default_first = c->prefer == CONFIG_PREFER_DEFAULT};
	return out;
}

bool
adaptive_use_is_same(const struct sm *sm, const struct topo *t)
{
	const struct route_sets *was = sm->view->routes->sets;

	if (was == NULL || !sm->cfg->routing.adaptive.enabled)
		return (was == NULL) == !sm->cfg->routing.adaptive.enabled;
	for (sw_ix s = 0; s < t->nsw; s++) {
		struct route_choice is = choice_of(sm, t, s);

		if (is.kind != was->can[s].kind ||
			is.groups != was->can[s].groups)
			return false;
	}
	return true;
}

struct plan_adaptive
adaptive_use_plan(const struct sm *sm)
{
	const struct config_adaptive_use *a = &sm->cfg->routing.adaptive;
	struct mono moved = sm->in_flight.groups_moved_at;

	return (struct plan_adaptive){
		.enabled = a->enabled,
		.in_flight = moved.ns != MONO_NEVER.ns &&
			     mono_before(sm->now,
				     mono_add(moved, in_flight_drain(sm))),
		.by_sl = qos_tells_adaptive(sm->cfg),
		.by_lid = qos_adaptive_by_lid(sm->cfg),
		.settings = {.ageing_us = a->ageing_us},
	};
}

bool
adaptive_use_is_on(const struct sm *sm, const struct topo *t)
{
	struct adaptive_can can;

	for (sw_ix s = 0; s < t->nsw; s++) {
		adaptive_can_of(
			sm->hw, t, s, qos_tells_adaptive(sm->cfg), &can);
		if (can.is_on)
			return true;
	}
	return false;
}

bool
adaptive_use_has(enum device_attr attr)
{
	return attr == DEVICE_AR_INFO || attr == DEVICE_AR_GROUP ||
	       attr == DEVICE_AR_LFT;
}

void
adaptive_use_disobeys(
	struct sm *sm, const struct device_check_item *i, struct mono now)
{
	char what[64];

	device_check_item_text(i, what, sizeof(what));
	log_warn("adaptive: guid=0x%016llx does not hold what it acknowledged, "
		 "%s: it forwards by its table alone",
		(unsigned long long)i->at.guid, what);
	adaptive_can_not(sm->hw, i->at.guid);
	dirty_mark(sm, i->at.guid, now, DIRTY_ADAPTIVE, NULL);
}

void
adaptive_use_list(const struct sm *sm, struct view *v)
{
	const struct topo *t = v->topo;
	struct adaptive_can can;

	if (!sm->cfg->routing.adaptive.enabled)
		return;
	v->fixed = mem_zalloc(t->nsw, sizeof(*v->fixed));
	for (sw_ix s = 0; s < t->nsw; s++) {
		struct view_quarantine *f = &v->fixed[v->nfixed];

		adaptive_can_of(
			sm->hw, t, s, qos_tells_adaptive(sm->cfg), &can);
		if (can.choice.kind != ROUTE_FIXED)
			continue;
		f->node = t->sw[s].node;
		f->guid = t->node[f->node].guid;
		(void)snprintf(f->why, sizeof(f->why), "%s", can.why);
		v->nfixed++;
	}
	v->fixed = mem_resize(v->fixed, v->nfixed, sizeof(*v->fixed));
}

/* Which switches choose, and why the first of the others does not. */
static void
tell_switches(struct sm *sm, const struct topo *t)
{
	const struct route_sets *sets = sm->view->routes->sets;
	struct sm_adaptive *out = &sm->stat.adaptive_use;
	struct adaptive_can can;

	*out = (struct sm_adaptive){
		.enabled = sm->cfg->routing.adaptive.enabled,
		.left = sm->run.plan->adaptive.left,
		.switches = t->nsw,
		.no_room = sm->run.plan->adaptive.no_room +
			   (sets != NULL ? sets->dropped : 0),
		.narrow = sets != NULL ? sets->narrow : 0,
	};
	if (!out->enabled)
		return; /* nothing is shown of what switches could do */
	if (sets != NULL) {
		(void)snprintf(out->why, sizeof(out->why), "%s", sets->why);
		(void)snprintf(out->no_escape, sizeof(out->no_escape), "%s",
			sets->no_escape);
	}
	for (sw_ix s = 0; s < t->nsw; s++) {
		adaptive_can_of(
			sm->hw, t, s, qos_tells_adaptive(sm->cfg), &can);
		out->on += can.is_on;
		out->escape += can.is_on && sets != NULL &&
			       sets->can[s].kind == ROUTE_ESCAPES;
		if (can.choice.kind != ROUTE_FIXED || out->fixed++ > 0)
			continue;
		(void)snprintf(out->first, sizeof(out->first),
			"0x%016llx \"%s\" %s",
			(unsigned long long)t->node[t->sw[s].node].guid,
			topo_desc(t, t->sw[s].node), can.why);
	}
}

/* Logged when it is all written, and another number of switches chooses. */
static void
log_switches(struct sm *sm)
{
	const struct sm_adaptive *is = &sm->stat.adaptive_use;
	char text[sizeof(sm->logged.adaptive)];

	if (is->left)
		return;
	(void)snprintf(text, sizeof(text),
		"switches that choose among ports=%u of %u cannot=%u no_room="
		"%llu%s%s%s%s",
		is->on, is->switches, is->fixed,
		(unsigned long long)is->no_room,
		is->why[0] != '\0' ? " none do: " : "", is->why,
		is->no_escape[0] != '\0' ? " none escapes: " : "",
		is->no_escape);
	if (log_is_news(sm->logged.adaptive, sizeof(sm->logged.adaptive),
		    is->enabled ? text : ""))
		log_info("adaptive: %s%s%s", text,
			is->fixed > 0 ? " first: " : "", is->first);
}

void
adaptive_use_review(struct sm *sm, struct mono now)
{
	const struct plan_adaptive_counts *c = &sm->run.plan->adaptive;

	tell_switches(sm, sm->view->topo);
	log_switches(sm);
	/* a plan that found nothing to write would find nothing again */
	if (sm->stat.adaptive_use.enabled && c->left &&
		(c->steps > 0 || c->careful))
		dirty_mark_replan(sm, now, DIRTY_ADAPTIVE, NULL);
}
