/*
 * core_fixture: a small tree, the core on it from power on, and a check that
 * the switches are in order after each change.
 */
#ifndef HEDDLE_TESTS_UNIT_CORE_FIXTURE_H
#define HEDDLE_TESTS_UNIT_CORE_FIXTURE_H

#include "tests/sim/model/world.h"
#include "tests/sim/referee/referee.h"
#include "tests/topo/shape.h"
#include "tests/unit/suite.h"

/* Eight leaves of four hosts, four tops. */
static inline struct fabric *
core_tree(void)
{
	return shape_of("two:4:8:4");
}

/* Starts the core on a borrowed fabric; not settled yet. */
static inline struct world *
core_start(const struct fabric *f, const char *yaml)
{
	struct sim_options o = sim_defaults();
	struct world *w = world_new(f, &o, yaml);

	world_start(w);
	return w;
}

/* Settles, then checks the switches for what `judged` names (REFEREE_*). */
static inline void
core_expect(struct world *w, unsigned judged, const char *when)
{
	struct referee_report r;
	struct reason why;

	ck_assert_msg(world_settle(w, mono_ms(120000)), "%s: never settled: %s",
		when, w->last_why);
	ck_assert_msg(referee_fabric(w->sim, fabric_first_host(w->fabric),
			      judged, &r, &why) == 0,
		"%s: %s", when, why.text);
}

static inline void
core_expect_order(struct world *w, const char *when)
{
	core_expect(w, REFEREE_ALL, when);
}

/* The port of switch a with a link to switch b. */
static inline unsigned
core_port_between(const struct fabric *f, uint32_t a, uint32_t b)
{
	unsigned p, q;
	uint32_t peer;

	for (p = 1; p <= f->node[a].nports; p++)
		if (fabric_peer(f, a, p, &peer, &q) && peer == b)
			return p;
	return 0;
}

/* Frees both. */
/* The text of the newest event of this kind that was told, or "". */
static inline const char *
core_event(const struct world *w, enum event_kind kind)
{
	for (size_t i = w->nevents; i > 0; i--)
		if (w->event[i - 1].kind == kind)
			return w->event[i - 1].text;
	return "";
}

static inline void
core_end(struct world *w, struct fabric *f)
{
	world_free(w);
	fabric_free(f);
}

#endif
