/*
 * Further tables of ports in a plan: blocks that no path depends on, so that
 * they come when all is up, and a port that refuses them stays as it is.
 */
#include <string.h>

#include "distribution/plan/plan_priv.h"

static bool
is_in_place(const struct plan_maker *m, const struct plan_block *b)
{
	const struct topo_port *p = &m->t->port[b->port];
	const struct topo_node *n = &m->t->node[p->node];
	struct device_at at = {n->guid, b->attr, p->num, b->block};
	const uint8_t *is = device_bytes(m->hw, at);

	return (n->flags & TN_QUARANTINED) != 0 ||
	       device_marked(m->hw, at, DEVICE_REFUSES) ||
	       (is != NULL && device_attribute_lacks(b->attr, m->t, b->port,
				      b->block, is, b->want) == 0);
}

void
plan_tables_add(struct plan_maker *m, const struct plan_block *block, size_t n)
{
	uint32_t pay;

	plan_begin(m, PLAN_TABLES);
	for (size_t i = 0; i < n; i++) {
		const struct plan_block *b = &block[i];

		if (is_in_place(m, b))
			continue;
		memcpy(plan_add_payload(m, &pay), b->want, sizeof(b->want));
		plan_add_step(m, b->port, b->attr, b->block, pay);
	}
	(void)plan_end(m);
}
