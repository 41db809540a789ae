/*
 * The busiest link of new tables: no engine of layers leaves it busier than
 * these figures, by a load that is counted from the tables alone, and what was
 * moved to lower it still arrives, in layers that are alike both ways and
 * without a cycle.
 */
#include <check.h>

#include "routing/engines/dragonfly/dragonfly.h"
#include "routing/engines/nue/nue.h"
#include "routing/engines/torus/torus.h"
#include "tests/topo/gen.h"
#include "tests/topo/shape.h"
#include "tests/unit/routing/engine_rig.h"
#include "tests/unit/suite.h"

/* Load of the busiest link, with so many links or switches out. Without the
 * search for paths round the busiest links: 139, 63, 74, 88, 580, 135, 223. */
static const struct shape {
	const char *name;
	const struct engine *e;
	const char *fabric;
	unsigned links, switches;
	uint64_t load;
} shapes[] = {
	{"torus 6x5x4, 11 links out", &engine_torus, "torus:6x5x4", 11, 0, 119},
	{"torus 8x6, 2 switches out", &engine_torus, "torus:8x6", 0, 2, 59},
	{"dragonfly 4,2,2", &engine_dragonfly, "dragonfly:4:2:2", 0, 0, 71},
	{"dragonfly 4,2,2, 2 links out", &engine_dragonfly, "dragonfly:4:2:2",
		2, 0, 81},
	{"random", &engine_nue, "random:64:6:4", 0, 0, 525},
	{"Petersen graph", &engine_nue, "petersen:8:3:3", 0, 0, 125},
	/* and 200 where pairs without a common layer went up/down */
	{"hypercube", &engine_nue, "mesh:2x2x2x2x2x2x2", 0, 0, 185},
};

LOOP_TEST(busiest_link, 0, LEN(shapes))
{
	const struct shape *s = &shapes[_i];
	struct reason why = {""};
	struct fabric *f = shape_of("%s", s->fabric);
	AUTO(engine_rig) struct engine_rig g;
	AUTO(routes) struct routes *r = NULL;

	f = rig_fail_links(f, s->links, 1, &why);
	if (f != NULL && s->switches > 0)
		f = gen_edit_fail_switches(f, s->switches, 2, true, &why);
	rig_open(&g, s->e, f, &why);
	r = rig_route(&g, g.t, NULL, NULL, &why);
	ck_assert_msg(r != NULL, "%s: %s", s->name, why.text);
	(void)rig_check(r);
	ck_assert_msg(rig_load(r) <= s->load, "%s: load %llu", s->name,
		(unsigned long long)rig_load(r));
}
