#include "routing/improve/link_map.h"

#include <string.h>

#include "routing/verify/verify.h"

void
link_map_new(struct link_map *m, const struct topo *t, struct arena *a)
{
	m->t = t;
	m->by_port = arena_array(a, t->nports, sizeof(*m->by_port));
	m->tail = arena_array(a, t->nadj, sizeof(*m->tail));
	m->head = arena_array(a, t->nadj, sizeof(*m->head));
	m->sw = arena_array(a, t->nsw, sizeof(*m->sw));
	memset(m->by_port, 0xff, t->nports * sizeof(*m->by_port));
	for (sw_ix s = 0; s < t->nsw; s++) {
		const struct topo_node *n = &t->node[t->sw[s].node];

		m->sw[s] = (struct link_map_switch){n->first_port, n->nports};
		for (uint32_t i = 0; i < t->sw[s].nadj; i++) {
			uint32_t c = t->sw[s].adj + i;
			const struct topo_adj *adj = &t->adj[c];

			m->tail[c] = TOPO_NONE;
			m->head[c] = adj->peer;
			if (!topo_sw_live(t, s) || !topo_sw_live(t, adj->peer))
				continue;
			m->tail[c] = s;
			m->by_port[n->first_port + adj->out] = c;
		}
	}
}

uint32_t *
link_map_pairs(
	const struct link_map *m, const struct verify_state *v, struct arena *a)
{
	uint32_t *pairs = arena_array(a, m->t->nadj, sizeof(*pairs));

	for (uint32_t c = 0; c < m->t->nadj; c++)
		if (m->tail[c] != TOPO_NONE)
			pairs[c] = (uint32_t)verify_state_pairs(
				v, m->tail[c], m->t->adj[c].out);
	return pairs;
}
