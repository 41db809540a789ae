/*
 * A change of tables, by every method, disturbed at every moment: the daemon
 * killed and started again, a switch rebooted, a second cable pulled, answers
 * lost. At no moment may a LID go round or a ring of channels close, and in
 * the end everything works and no turn is left blocked.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/log.h"
#include "tests/sim/referee.h"
#include "tests/sim/watch.h"
#include "tests/sim/world.h"
#include "tests/topo/gen.h"

enum { MOMENTS = 12, DISCARD = 15 };

static const char *const methods[] = {
	"auto", "static", "break-ports", "break-dependencies"};

enum trouble { NOTHING, KILL, REBOOT, SECOND, LOSS, TROUBLES };

struct scene {
	struct fabric *f;
	struct world *w;
	struct watch *watch;
	uint32_t a, b; /* switches: one end of the cable, one to reboot */
	unsigned port;
	char what[96];
};

static void
scene_open(struct scene *s, const char *method, uint64_t seed)
{
	struct sim_options o = sim_defaults();
	char yaml[256];

	*s = (struct scene){.f = gen_random(10, 3, 2, seed, NULL)};
	ck_assert_ptr_nonnull(s->f);
	(void)snprintf(yaml, sizeof(yaml),
		"distribution:\n  method: %s\n  drain: 5ms\n"
		"smp:\n  timeout: 20ms\n",
		method);
	o.service = mono_us(50);
	o.seed = seed;
	s->w = world_new(s->f, &o, yaml);
	s->watch = watch_new(s->w->sim);
	world_start(s->w);
	ck_assert(world_settle(s->w, mono_ms(60000)));
}

static void
scene_close(struct scene *s)
{
	watch_free(s->watch);
	world_free(s->w);
	fabric_free(s->f);
}

/* The n-th cable between two switches. */
static void
find_cable(const struct scene *s, unsigned n, uint32_t *node, unsigned *port)
{
	uint32_t peer;
	unsigned q;

	for (*node = 0; *node < s->f->nnodes; (*node)++) {
		if (s->f->node[*node].type != FABRIC_SWITCH)
			continue;
		for (*port = 1; *port <= s->f->node[*node].nports; (*port)++)
			if (fabric_peer(s->f, *node, *port, &peer, &q) &&
				s->f->node[peer].type == FABRIC_SWITCH &&
				n-- == 0)
				return;
	}
	ck_abort_msg("no such cable");
}

static void
disturb(struct scene *s, enum trouble t)
{
	struct sim_faults loss = {.loss = 100000};
	uint32_t node;
	unsigned port;

	switch (t) {
	case KILL:
		world_kill(s->w);
		world_run(s->w, mono_ms(3));
		world_start(s->w);
		break;
	case REBOOT:
		find_cable(s, 11, &node, &port);
		sim_fault_reboot(s->w->sim, node);
		break;
	case SECOND:
		find_cable(s, 17, &node, &port);
		sim_fault_link(s->w->sim, node, port, false);
		break;
	case LOSS:
		sim_fault_chances(s->w->sim, &loss);
		break;
	case NOTHING:
	case TROUBLES:
		break;
	}
}

/* No row of SL2VL anywhere is closed. */
static void
nothing_blocked(const struct scene *s)
{
	struct sm_status st;

	sm_status(s->w->sm, &st);
	ck_assert_msg(st.held == 0, "%s: %zu turns held", s->what, st.held);
	for (uint32_t n = 0; n < s->f->nnodes; n++) {
		unsigned nports = s->f->node[n].nports;

		if (s->f->node[n].type != FABRIC_SWITCH)
			continue;
		for (unsigned in = 1; in <= nports; in++)
			for (unsigned out = 1; out <= nports; out++)
				ck_assert_msg(sim_vl(s->w->sim, n, in, out,
						      0) != DISCARD,
					"%s: \"%s\" blocks %u to %u", s->what,
					sim_name(s->w->sim, n), in, out);
	}
}

static void
judge(struct scene *s)
{
	const struct watch_report *r = watch_report(s->watch);
	struct sim_faults none = {0};
	struct referee_report rep;
	struct reason why = {0};
	int rc;

	sim_fault_chances(s->w->sim, &none);
	ck_assert_msg(
		world_settle(s->w, mono_ms(120000)), "%s: no rest", s->what);
	world_run(s->w, mono_ms(15000));
	rc = referee_fabric(s->w->sim, fabric_first_host(s->f),
		REFEREE_ALL & ~(unsigned)REFEREE_LOAD, &rep, &why);
	ck_assert_msg(rc == 0, "%s: %s", s->what, why.text);
	ck_assert_msg(r->loops == 0, "%s: %s", s->what, r->loop.text);
	ck_assert_msg(r->cycles == 0, "%s: %s", s->what, r->cycle.text);
	nothing_blocked(s);
}

static void
play(unsigned method, enum trouble t, unsigned moment)
{
	struct scene s;
	uint32_t node;
	unsigned port;

	scene_open(&s, methods[method], 3 + moment % 3);
	(void)snprintf(s.what, sizeof(s.what), "%s, trouble %d, moment %u",
		methods[method], (int)t, moment);
	find_cable(&s, 3 + moment, &node, &port);
	sim_fault_link(s.w->sim, node, port, false);
	world_run(s.w, mono_us(50000 + (int64_t)moment * 1700));
	disturb(&s, t);
	judge(&s);
	/* and back again */
	sim_fault_link(s.w->sim, node, port, true);
	world_run(s.w, mono_us(50000 + (int64_t)moment * 1700));
	disturb(&s, t == SECOND ? NOTHING : t);
	judge(&s);
	scene_close(&s);
}

START_TEST(every_method_at_every_moment)
{
	unsigned method = (unsigned)_i / (TROUBLES * MOMENTS);
	unsigned rest = (unsigned)_i % (TROUBLES * MOMENTS);

	play(method, (enum trouble)(rest / MOMENTS), rest % MOMENTS);
}
END_TEST

/* A port that our own plan took down is no reason to look again. */
START_TEST(own_traps_are_excused)
{
	struct scene s;
	struct sm_status before, after;
	uint32_t node;
	unsigned port;

	scene_open(&s, "static", 3);
	sm_status(s.w->sm, &before);
	find_cable(&s, 3, &node, &port);
	sim_fault_link(s.w->sim, node, port, false);
	ck_assert(world_settle(s.w, mono_ms(60000)));
	sm_status(s.w->sm, &after);
	ck_assert_uint_gt(after.traps_ours, 0);
	ck_assert_uint_eq(after.pushes_stopped, before.pushes_stopped);
	/* the trap's own probe, and the one of whoever is next to it */
	ck_assert_uint_le(after.probes - before.probes, 2);
	world_run(s.w, mono_ms(30000)); /* light sweeps find nothing */
	sm_status(s.w->sm, &before);
	ck_assert_uint_eq(before.probes, after.probes);
	scene_close(&s);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("change");
	TCase *tc = tcase_create("change");
	SRunner *r;
	int failed;

	log_set_level(LOG_LEVEL_ERROR);
	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, every_method_at_every_moment, 0,
		(int)(sizeof(methods) / sizeof(*methods)) * TROUBLES * MOMENTS);
	tcase_add_test(tc, own_traps_are_excused);
	suite_add_tcase(s, tc);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
