#include "routing/core/vl_map.h"

#include <string.h>

#include "sm/base/mem.h"

struct vl_map *
vl_map_new(const struct topo *t)
{
	struct vl_map *m = mem_zalloc(1, sizeof(*m) + t->nports);

	m->refs = 1;
	m->groups = m->in = m->out = 1;
	m->nports = t->nports;
	return m;
}

/* Whether layer 0 has group 0 for itself, but for first links of others. */
static bool
is_group_of_layer(
	const struct vl_map *m, unsigned layer, unsigned in, unsigned out)
{
	unsigned group = m->group[layer][in][out];

	return layer == 0 ? group == 0 : group != 0 || in == 0;
}

static int
check_groups(const struct vl_map *m, unsigned n, struct reason *why)
{
	for (unsigned l = 0; l < n; l++)
		for (unsigned i = 0; i < m->in; i++)
			for (unsigned o = 0; o < m->out; o++) {
				if (m->group[l][i][o] >= m->groups)
					return reason_set(why,
						"layer %u has VL group %u of "
						"%u",
						l, m->group[l][i][o],
						m->groups);
				if (!is_group_of_layer(m, l, i, o))
					return reason_set(why,
						"layer %u: VL group 0 is that "
						"of layer 0",
						l);
			}
	return 0;
}

/* A link between switches has a class: what comes over it did not start there.
 */
static int
check_links(const struct vl_map *m, const struct topo *t, struct reason *why)
{
	for (sw_ix s = 0; s < t->nsw; s++)
		for (uint32_t i = 0; i < t->sw[s].nadj; i++) {
			unsigned out = t->adj[t->sw[s].adj + i].out;

			if (vl_map_in(m, topo_port_of(t, t->sw[s].node, out)) ==
				0)
				return reason_set(why,
					"the VL map has no class for port %u "
					"of %s",
					out, topo_name(t, t->sw[s].node).s);
		}
	return 0;
}

int
vl_map_check(const struct vl_map *m, const struct topo *t, unsigned n,
	struct reason *why)
{
	if (m == NULL)
		return 0;
	if (m->nports != t->nports)
		return reason_set(why, "a VL map for other ports");
	if (m->in < 1 || m->in > VL_MAP_IN || m->out < 1 ||
		m->out > VL_MAP_OUT || n * m->in > VL_MAP_PLANES ||
		n > VL_MAP_LAYERS || m->groups < 1 || m->groups > 15)
		return reason_set(why,
			"a VL map of %u layers, %u classes in, %u classes out "
			"and %u VL groups is too large",
			n, m->in, m->out, m->groups);
	for (port_ix p = 0; p < m->nports; p++)
		if (vl_map_in(m, p) >= m->in || vl_map_out(m, p) >= m->out)
			return reason_set(why,
				"port %u has a class that the VL map lacks",
				t->port[p].num);
	if (check_links(m, t, why) != 0)
		return -1;
	return check_groups(m, n, why);
}

bool
vl_map_same(const struct vl_map *a, const struct vl_map *b)
{
	if (a == b)
		return true;
	return a != NULL && b != NULL && a->groups == b->groups &&
	       a->in == b->in && a->out == b->out &&
	       memcmp(a->group, b->group, sizeof(a->group)) == 0 &&
	       a->nports == b->nports &&
	       memcmp(a->port, b->port, a->nports) == 0;
}

struct vl_map *
vl_map_for(
	const struct vl_map *m, const struct topo *from, const struct topo *to)
{
	struct vl_map *c;

	if (m == NULL)
		return NULL;
	c = vl_map_new(to);
	c->groups = m->groups;
	c->in = m->in;
	c->out = m->out;
	memcpy(c->group, m->group, sizeof(c->group));
	for (sw_ix s = 0; s < to->nsw; s++) {
		const struct topo_node *n = &to->node[to->sw[s].node];
		node_ix was = topo_by_node_guid(from, n->guid);

		for (unsigned p = 1; was != TOPO_NONE && p <= n->nports &&
				     p <= from->node[was].nports;
			p++)
			c->port[n->first_port + p] =
				m->port[from->node[was].first_port + p];
	}
	return c;
}
