#include "routing/graph/multi_port_node.h"

#include <stdlib.h>

#include "sm/base/hash.h"
#include "sm/base/mem.h"

const struct route_multi_port *
multi_port_node_option(const struct engine_options *o, uint64_t guid)
{
	size_t lo = 0, hi = o != NULL ? o->nmulti_port : 0;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (o->multi_port[mid].guid == guid)
			return &o->multi_port[mid];
		if (o->multi_port[mid].guid < guid)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

uint64_t
multi_port_node_key(
	const struct topo *t, const struct engine_options *o, port_ix p)
{
	const struct topo_node *n = &t->node[t->port[p].node];
	const struct route_multi_port *h =
		multi_port_node_option(o, t->port[p].guid);

	if (h != NULL && h->group != ROUTE_MULTI_PORT_NODE)
		return ~(uint64_t)h->group;
	return n->sysimg != 0 ? n->sysimg : n->guid;
}

/* Keys that were seen: open addressing, 0 is a free slot. */
struct seen {
	uint64_t *slot;
	uint32_t mask;
};

/* True if the key was seen before. */
static bool
see_key(struct seen *x, uint64_t key)
{
	uint32_t at = (uint32_t)hash_spread(key) & x->mask;

	while (x->slot[at] != 0 && x->slot[at] != key)
		at = (at + 1) & x->mask;
	if (x->slot[at] == key)
		return true;
	x->slot[at] = key;
	return false;
}

static bool
is_host_port(const struct topo *t, const struct topo_end *e)
{
	return e->host && t->port[e->port].lid != 0;
}

bool
multi_port_node_exists(const struct topo *t, const struct engine_options *o)
{
	struct seen x = {.mask = 1};
	bool found = false;

	while (x.mask < 2 * t->nend)
		x.mask = x.mask * 2 + 1;
	x.slot = mem_zalloc((size_t)x.mask + 1, sizeof(*x.slot));
	for (sw_ix s = 0; s < t->nsw && !found; s++)
		for (uint32_t i = 0;
			topo_sw_live(t, s) && i < t->sw[s].nend && !found;
			i++) {
			const struct topo_end *e = &t->end[t->sw[s].end + i];

			found = is_host_port(t, e) &&
				see_key(&x, multi_port_node_key(t, o, e->port));
		}
	free(x.slot);
	return found;
}

static int
by_key(const void *pa, const void *pb)
{
	const struct multi_port_node_member *a = pa, *b = pb;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->port < b->port ? -1 : a->port > b->port;
}

struct multi_port_node_ports
multi_port_node_ports(const struct topo *t, const struct engine_options *o)
{
	struct multi_port_node_ports p = {0};

	p.member = mem_alloc((t->nend + 1U) * sizeof(*p.member));
	p.leaf = mem_alloc((t->nsw + 1U) * sizeof(*p.leaf));
	for (sw_ix s = 0; s < t->nsw; s++) {
		size_t before = p.n;

		for (uint32_t i = 0; topo_sw_live(t, s) && i < t->sw[s].nend;
			i++) {
			const struct topo_end *e = &t->end[t->sw[s].end + i];

			if (is_host_port(t, e))
				p.member[p.n++] =
					(struct multi_port_node_member){
						multi_port_node_key(
							t, o, e->port),
						e->port};
		}
		if (p.n > before)
			p.leaf[p.nleaves++] = s;
	}
	qsort(p.member, p.n, sizeof(*p.member), by_key);
	return p;
}

void
multi_port_node_ports_free(struct multi_port_node_ports *p)
{
	free(p->member);
	free(p->leaf);
	*p = (struct multi_port_node_ports){0};
}

size_t
multi_port_node_size(const struct multi_port_node_ports *p, size_t i)
{
	size_t n = 1;

	while (i + n < p->n && p->member[i + n].key == p->member[i].key)
		n++;
	return n;
}

size_t
multi_port_node_find(const struct multi_port_node_ports *p, uint64_t key)
{
	size_t lo = 0, hi = p->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (p->member[mid].key < key)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < p->n && p->member[lo].key == key ? lo : p->n;
}
