#include "tests/topo/frozen.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "discovery/builder/builder.h"
#include "sm/base/mem.h"
#include "sm/base/rng.h"

static void
add_nodes(struct builder *d, const struct fabric *f, builder_id *id)
{
	for (uint32_t i = 0; i < f->nnodes; i++) {
		const struct fabric_node *n = &f->node[i];

		id[i] = builder_add_node(d, (enum topo_type)n->type, n->guid,
			n->nports, n->name);
		builder_set_ids(d, id[i], n->sysimg, n->vendor, n->device);
		for (unsigned p = 0; p <= n->nports; p++) {
			const struct fabric_port *r = fabric_port(f, i, p);

			if (r->guid != 0)
				builder_set_port_guid(d, id[i], p, r->guid);
			if (r->lid != 0)
				builder_set_found_lid(d, id[i], p, r->lid);
		}
	}
}

static void
add_cable(struct builder *d, const struct fabric_cable *c, const builder_id *id)
{
	builder_add_link(
		d, id[c->node[0]], c->port[0], id[c->node[1]], c->port[1]);
	for (unsigned i = 0; i < 2; i++)
		builder_set_port_speed(d, id[c->node[i]], c->port[i],
			c->rate.width, c->rate.speed, c->rate.speed_ext);
}

/* A topology without LIDs, as seen from node self, or FABRIC_NONE. */
static struct topo *
freeze_fabric(const struct fabric *f, uint64_t quarantine, uint32_t self)
{
	struct builder *d = builder_new();
	builder_id *id = mem_zalloc(f->nnodes, sizeof(*id));
	struct reason why = {""};
	struct topo *t;

	add_nodes(d, f, id);
	for (uint32_t c = 0; c < f->ncables; c++)
		add_cable(d, &f->cable[c], id);
	if (self == FABRIC_NONE) {
		builder_set_self(d, id[0], 0);
	} else {
		unsigned p = 1;
		uint32_t peer;
		unsigned peer_port;

		while (p < f->node[self].nports &&
			!fabric_peer(f, self, p, &peer, &peer_port))
			p++;
		builder_set_self(d, id[self], p);
	}
	if (quarantine != 0)
		builder_quarantine(d, quarantine, "test");
	t = builder_freeze(d, 1, &why);
	assert(t != NULL);
	free(id);
	builder_free(d);
	return t;
}

/*
 * List the ports in the order in which they get LIDs: hosts by switch, then
 * switches; ports without a switch (back to back) first.
 */
static uint32_t
list_ports(const struct topo *t, port_ix *list)
{
	uint32_t n = 0;

	for (port_ix p = 0; p < t->nports; p++)
		if (topo_has_lid(t, p) && topo_switch_of(t, p) == TOPO_NONE)
			list[n++] = p;
	for (unsigned own = 0; own < 2; own++)
		for (sw_ix s = 0; s < t->nsw; s++)
			for (uint32_t i = t->sw[s].end;
				i < t->sw[s].end + t->sw[s].nend; i++)
				if ((t->end[i].out == 0) == (own == 1))
					list[n++] = t->end[i].port;
	return n;
}

static void
shuffle_ports(port_ix *list, uint32_t n, uint64_t seed)
{
	struct rng r = {seed};

	for (uint32_t i = n; i > 1; i--) {
		uint32_t j = rng_below(&r, i);
		port_ix x = list[i - 1];

		list[i - 1] = list[j];
		list[j] = x;
	}
}

struct give {
	uint16_t *lid;
	uint8_t *lmc;
	bool used[TOPO_LID_MAX + 1];
	uint32_t next;
};

static void
give_at(struct give *g, port_ix p, uint32_t lid, unsigned lmc)
{
	g->lid[p] = (uint16_t)lid;
	g->lmc[p] = (uint8_t)lmc;
	for (uint32_t i = 0; i < 1U << lmc; i++)
		g->used[lid + i] = true;
}

static void
give_next(struct give *g, port_ix p, unsigned lmc)
{
	uint32_t n = 1U << lmc;

	for (;; g->next++) {
		bool taken = g->next % n != 0;

		assert(g->next + n <= TOPO_LID_MAX);
		for (uint32_t i = 0; i < n && !taken; i++)
			taken = g->used[g->next + i];
		if (!taken)
			break;
	}
	give_at(g, p, g->next, lmc);
}

static struct topo *
finish_lids(struct topo *t, struct give *g)
{
	struct topo_lids lids = {g->lid, g->lmc};
	struct topo *r = topo_with_lids(t, &lids);

	topo_unref(t);
	free(g->lid);
	free(g->lmc);
	free(g);
	return r;
}

static struct give *
give_new(const struct topo *t)
{
	struct give *g = mem_zalloc(1, sizeof(*g));

	g->lid = mem_zalloc(t->nports, sizeof(*g->lid));
	g->lmc = mem_zalloc(t->nports, sizeof(*g->lmc));
	g->next = 1;
	return g;
}

struct topo *
frozen_topo(const struct fabric *f, const struct frozen_lids *l)
{
	static const struct frozen_lids plain;
	struct topo *t =
		freeze_fabric(f, l ? l->quarantine : 0, fabric_first_host(f));
	port_ix *list = mem_zalloc(t->nports, sizeof(*list));
	uint32_t n = list_ports(t, list);
	struct give *g = give_new(t);

	l = l ? l : &plain;
	if (l->shuffle != 0)
		shuffle_ports(list, n, l->shuffle);
	for (uint32_t i = 0; l->found && i < n; i++) {
		uint16_t lid = t->port[list[i]].found_lid;

		if (lid != 0 && lid <= TOPO_LID_MAX && !g->used[lid])
			give_at(g, list[i], lid, 0);
	}
	for (uint32_t i = 0; i < n; i++)
		if (g->lid[list[i]] == 0)
			give_next(
				g, list[i], t->port[list[i]].num ? l->lmc : 0);
	free(list);
	return finish_lids(t, g);
}

/* Give t the LIDs of old, and new ports free ones. */
static struct topo *
give_old_lids(struct topo *t, const struct topo *old)
{
	port_ix *list = mem_zalloc(t->nports, sizeof(*list));
	uint32_t n = list_ports(t, list);
	struct give *g = give_new(t);

	for (uint32_t i = 0; i < n; i++) {
		port_ix was = topo_by_port_guid(old, t->port[list[i]].guid);

		if (was != TOPO_NONE && old->port[was].lid != 0)
			give_at(g, list[i], old->port[was].lid,
				old->port[was].lmc);
	}
	for (uint32_t i = 0; i < n; i++)
		if (g->lid[list[i]] == 0)
			give_next(g, list[i], 0);
	free(list);
	return finish_lids(t, g);
}

struct topo *
frozen_again(
	const struct fabric *f, const struct topo *old, uint64_t quarantine)
{
	return give_old_lids(
		freeze_fabric(f, quarantine, fabric_first_host(f)), old);
}

struct topo *
frozen_less(const struct fabric *f, const bool *drop, const struct topo *old)
{
	return frozen_less_from(f, drop, old, 0);
}

struct topo *
frozen_less_from(const struct fabric *f, const bool *drop,
	const struct topo *old, uint64_t host)
{
	const struct fabric_edit edit = {
		.drop_cable = drop, .drop_orphans = true};
	struct fabric *g = fabric_rebuild(f, &edit);
	uint32_t self = fabric_first_host(g);
	struct topo *t;

	for (uint32_t n = 0; n < g->nnodes; n++)
		if (g->node[n].guid == host)
			self = n;
	t = give_old_lids(freeze_fabric(g, 0, self), old);
	fabric_free(g);
	return t;
}
