/*
 * adaptive_fixture: the tree of core_fixture.h with adaptive routing in every
 * switch, and what holds of it when nothing is left to be done.
 */
#ifndef HEDDLE_TESTS_UNIT_ADAPTIVE_FIXTURE_H
#define HEDDLE_TESTS_UNIT_ADAPTIVE_FIXTURE_H

#include "tests/unit/core_fixture.h"

enum { ADAPTIVE_GROUPS = 64, ADAPTIVE_SUB_GROUPS = 2 };

/* Every switch of f, which is returned, has it. */
static inline struct fabric *
adaptive_give(struct fabric *f)
{
	for (uint32_t i = 0; i < f->nnodes; i++) {
		if (f->node[i].type != FABRIC_SWITCH)
			continue;
		f->node[i].attrs.ar = true;
		f->node[i].attrs.groups = ADAPTIVE_GROUPS;
		f->node[i].attrs.sub_groups = ADAPTIVE_SUB_GROUPS;
	}
	return f;
}

static inline struct fabric *
adaptive_tree(void)
{
	return adaptive_give(core_tree());
}

/* In order, no alarm, and nothing left. */
static inline struct sm_status
adaptive_settled(struct world *w, const char *when)
{
	struct sm_status s;

	core_expect_order(w, when);
	sm_status(w->sm, &s);
	ck_assert_msg(s.alarm[0] == '\0', "%s: alarm: %s", when, s.alarm);
	ck_assert_msg(!s.adaptive_use.left, "%s: something is left", when);
	return s;
}

#endif
