/* SwitchInfo: LinearFDBTop, LifeTimeValue and PortStateChange. */
#include "distribution/plan/plan_priv.h"
#include "sm/mad/mad.h"

static const struct topo_node *
node_of(const struct topo *t, sw_ix s)
{
	return &t->node[t->sw[s].node];
}

static bool
is_fresh(const struct topo *t, sw_ix s)
{
	return (node_of(t, s)->flags & TN_FRESH) != 0;
}

static enum plan_kind
top_kind(const struct plan_maker *m, sw_ix s)
{
	bool lower = m->p->routes->top < m->t->sw[s].lft_top;

	if (!lower &&
		device_marked(m->hw,
			device_at_switch(node_of(m->t, s)->guid, DEVICE_LFT),
			DEVICE_REFUSES))
		return PLAN_TOP;
	/* what a fresh switch has above is garbage: not when links are up */
	return lower && !is_fresh(m->t, s) ? PLAN_LOWER : PLAN_RAISE;
}

/*
 * SwitchInfo as every Set of this plan begins it: what was read, with the
 * configured LifeTimeValue unless the switch keeps its own. False: it cannot
 * be set.
 */
static bool
fill_switch_info(const struct plan_maker *m, sw_ix s, struct mad_switch_info *i)
{
	const struct topo_node *n = node_of(m->t, s);

	if ((n->flags & TN_QUARANTINED) != 0 ||
		mad_switch_info_decode(m->t->sinfo[s], i, NULL) != 0)
		return false;
	if (!device_keeps_life(m->hw, n->guid, m->params->packet_life))
		i->life = m->params->packet_life;
	i->state_change = false; /* writing 1 would clear it */
	return true;
}

static void
add_switch_set(
	struct plan_maker *m, sw_ix s, const struct mad_switch_info *want)
{
	uint32_t pay;

	mad_switch_info_encode(want, plan_add_payload(m, &pay));
	plan_add_step(
		m, node_of(m->t, s)->first_port, DEVICE_SWITCH_INFO, 0, pay);
}

void
plan_switchinfo_lifetimes(struct plan_maker *m)
{
	struct mad_switch_info was, want;
	sw_ix s;

	for (s = 0; s < m->t->nsw; s++) {
		const struct topo_node *n = node_of(m->t, s);

		if (!fill_switch_info(m, s, &want) ||
			mad_switch_info_decode(m->t->sinfo[s], &was, NULL) != 0)
			continue;
		if (was.life != m->params->packet_life &&
			device_keeps_life(
				m->hw, n->guid, m->params->packet_life))
			plan_note_kept(m, n->first_port, PLAN_KEEPS_LIFE);
		if (m->p->routes->top == m->t->sw[s].lft_top &&
			was.life != want.life)
			add_switch_set(m, s, &want);
	}
}

void
plan_switchinfo_tops(struct plan_maker *m, enum plan_kind kind, bool fresh)
{
	const struct topo *t = m->t;
	struct mad_switch_info i;
	sw_ix s;

	plan_begin(m, kind);
	m->now->fresh = fresh;
	for (s = 0; s < t->nsw; s++) {
		if (m->p->routes->top == t->sw[s].lft_top ||
			top_kind(m, s) != kind ||
			(kind == PLAN_RAISE && is_fresh(t, s) != fresh) ||
			!fill_switch_info(m, s, &i))
			continue;
		i.lft_top = m->p->routes->top;
		add_switch_set(m, s, &i);
	}
	(void)plan_end(m);
}

static bool
has_downed_port(const struct plan_maker *m, sw_ix s)
{
	const struct topo_node *n = node_of(m->t, s);
	unsigned p;

	for (p = 1; p <= n->nports; p++)
		if (m->p->downed[n->first_port + p])
			return true;
	return false;
}

void
plan_switchinfo_clears(struct plan_maker *m)
{
	struct mad_switch_info i;
	sw_ix s;

	plan_begin(m, PLAN_CLEAR);
	for (s = 0; s < m->t->nsw; s++) {
		if (!has_downed_port(m, s) || !fill_switch_info(m, s, &i))
			continue;
		if (m->p->routes->top > i.lft_top && is_fresh(m->t, s))
			i.lft_top = m->p->routes->top;
		i.state_change = true;
		add_switch_set(m, s, &i);
	}
	(void)plan_end(m);
}

void
plan_switchinfo_verifies(struct plan_maker *m)
{
	const struct topo *t = m->t;
	sw_ix s;
	unsigned p;

	plan_begin(m, PLAN_VERIFY);
	for (s = 0; s < t->nsw; s++) {
		const struct topo_node *n = node_of(t, s);

		if (!has_downed_port(m, s))
			continue;
		/* those without a link, too: one may have come meanwhile */
		for (p = 0; p <= n->nports; p++)
			if ((t->port[n->first_port + p].flags &
				    (TP_ABSENT | TP_UNREAD)) == 0)
				plan_add_step(m, n->first_port + p,
					DEVICE_PORT_INFO, 0, 0);
	}
	(void)plan_end(m);
}
