#include "sm/core/run_health.h"

#include "sm/core/sm_priv.h"

static bool
may_ask(const struct sm *sm)
{
	return sm->role == SM_MASTER && sm->phase == SM_IDLE &&
	       sm->view != NULL && !sm->mastership.paused &&
	       !sm->hand_over.resigning;
}

/* The default SL of the layer of paths from us to port p of the view. */
static uint8_t
sl_to_port(void *cookie, const struct topo *t, port_ix p)
{
	const struct sm *sm = cookie;
	sw_ix from = topo_switch_of(t, t->sm_port), to = topo_switch_of(t, p);
	unsigned layer = 0;
	uint8_t sl = 0;

	if (from != TOPO_NONE && to != TOPO_NONE)
		layer = routes_layer(&sm->view->routes->layers, from, to);
	(void)view_slvl_sl(sm->view, 0, layer, &sl);
	return sl;
}

/* Tell that a link turned bad, or good again. */
static void
judge_link(void *cookie, const struct topo *t, port_ix p, struct mono now)
{
	struct sm *sm = cookie;
	/* a link is told by its lower end, whichever end was read */
	port_ix low = p < t->port[p].peer ? p : t->port[p].peer;
	const struct topo_port *a = &t->port[low], *b = &t->port[a->peer];
	const struct link_limits limits = run_health_limits(sm->cfg);
	struct link_verdict v;
	struct event e = {.kind = EVENT_LINK_GOOD};
	struct event_end from, to;
	char why[160] = "";

	enum link_verdict_change change =
		link_verdict_update(sm->health, t, p, &limits, now, &v);

	health_drain_note(sm, t, p, &v);
	switch (change) {
	case LINK_VERDICT_NOW_BAD:
		e.kind = EVENT_LINK_BAD;
		link_verdict_text(&v, why, sizeof(why));
		break;
	case LINK_VERDICT_NOW_GOOD:
		break;
	case LINK_VERDICT_SAME:
	default:
		return;
	}
	if (sm->cfg->health.action == CONFIG_HEALTH_NONE)
		return;
	topo_event_end_of(t, a->node, a->num, &from);
	topo_event_end_of(t, b->node, b->num, &to);
	event_end(&e, "a", &from);
	event_end(&e, "b", &to);
	if (e.kind == EVENT_LINK_BAD)
		event_text(&e, "why", why);
	events_tell(sm, &e, now);
}

static void
end_pass(void *cookie, struct mono now)
{
	health_drain_review(cookie, now);
}

struct link_limits
run_health_limits(const struct config *c)
{
	return (struct link_limits){
		.ber = c->health.ber_limit,
		.raw_ber = c->health.raw_ber_limit,
		.flaps = c->health.flap_limit,
		.recoveries = c->health.recovery_limit,
	};
}

void
run_health_new(struct sm *sm)
{
	const struct health_ops ops = {
		.cookie = sm,
		.sl = sl_to_port,
		.read = judge_link,
		.passed = end_pass,
	};

	sm->health = health_new(sm->t, &ops);
}

void
run_health_configure(struct sm *sm, struct mono now)
{
	const struct health_options o = {
		.enabled = sm->cfg->health.enabled,
		.interval = sm->cfg->health.interval,
		.data = sm->cfg->health.port_metrics,
	};

	health_configure(sm->health, &o, now);
}

static const struct topo *
topo_of(const struct sm *sm)
{
	return sm->view != NULL ? sm->view->topo : NULL;
}

void
run_health_message(
	struct sm *sm, const struct transport_msg *m, struct mono now)
{
	health_receive(sm->health, m, topo_of(sm), now);
}

struct mono
run_health_next(const struct sm *sm)
{
	return health_next(sm->health, may_ask(sm));
}

void
run_health_step(struct sm *sm, struct mono now)
{
	health_step(sm->health, topo_of(sm), may_ask(sm), now);
}
