#include "sm/view/view.h"

#include <stdlib.h>

#include "sm/base/mem.h"
#include "sm/policy/pkeys.h"
#include "sm/policy/qos.h"
#include "sm/view/view_redundancy.h"

void
view_change_own(struct view_change *c)
{
	c->phase = mem_dup(c->phase, c->nphases * sizeof(*c->phase));
	c->dep = mem_dup(c->dep, c->ndeps * sizeof(*c->dep));
	c->expected = loss_estimate_ref(c->expected);
}

void
view_change_free(struct view_change *c)
{
	free(c->phase);
	free(c->dep);
	loss_estimate_unref(c->expected);
	*c = (struct view_change){0};
}

const struct loss_estimate *
view_expected(const struct view *v)
{
	static const struct loss_estimate nothing = {0};

	if (v->change.expected == NULL)
		return &nothing;
	return loss_estimate_cost(v->change.expected, v->routes);
}

static const char *
find_why(const struct view *v, const struct view_quarantine *all, size_t n,
	sw_ix s)
{
	for (size_t i = 0; i < n; i++)
		if (all[i].node == v->topo->sw[s].node)
			return all[i].why;
	return NULL;
}

const char *
view_adaptive_why(const struct view *v, sw_ix s)
{
	return find_why(v, v->adaptive, v->nadaptive, s);
}

const char *
view_fixed_why(const struct view *v, sw_ix s)
{
	return find_why(v, v->fixed, v->nfixed, s);
}

struct view *
view_ref(struct view *v)
{
	if (v != NULL)
		v->refs++;
	return v;
}

void
view_unref(struct view *v)
{
	if (v == NULL || --v->refs > 0)
		return;
	routes_unref(v->routes);
	topo_unref(v->topo);
	pkeys_unref(v->pkeys);
	qos_unref(v->qos);
	view_redundancy_unref(v->redundancy);
	free(v->quarantine);
	free(v->adaptive);
	free(v->fixed);
	view_change_free(&v->change);
	free(v);
}

void
view_count_ports(const struct topo *t, struct view_counts *c)
{
	for (port_ix p = 0; p < t->nports; p++) {
		if (t->port[p].peer == TOPO_NONE)
			continue;
		c->ports_linked++;
		c->ports_active += t->port[p].state == PORT_ACTIVE;
	}
}
