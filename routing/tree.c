#include "routing/tree.h"

#include "routing/updn.h"

struct tree *
tree_read(const struct route_job *job, struct arena *a)
{
	struct tree *t = arena_alloc(a, sizeof(*t));
	struct updn u = {.job = job, .t = job->topo, .a = a};
	bool kept;

	updn_graph(&u);
	kept = updn_sticky(&u);
	if (!kept)
		updn_order_fresh(&u, false);
	t->tier = u.rank;
	t->origin = arena_array(a, u.nsw, sizeof(*t->origin));
	for (sw_ix s = 0; s < u.nsw; s++) {
		bool odd = u.live[s] && u.rank[s] == UINT32_MAX;

		t->origin[s] = kept ? TREE_REMEMBERED : TREE_LINKS;
		if (u.live[s] && u.rank[s] != UINT32_MAX &&
			u.rank[s] >= t->ntiers)
			t->ntiers = u.rank[s] + 1;
		t->count[TREE_NO_TREE] += odd;
	}
	return t;
}
