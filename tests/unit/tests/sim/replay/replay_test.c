/*
 * A recording is lived again with the same messages; what is changed in it is
 * noticed where it is, and keys are not in it.
 */
#include <stdio.h>
#include <string.h>

#include "sm/base/be.h"
#include "sm/base/log.h"
#include "sm/base/rng.h"
#include "sm/core/sm_input.h"
#include "sm/mad/mad.h"
#include "tests/sim/replay/entry_show.h"
#include "tests/sim/replay/memory_record.h"
#include "tests/unit/core_fixture.h"

#define KEY_A "0x1111aaaa2222bbbb"
#define KEY_B "0x3333cccc4444dddd"
#define KEY_C "0x5555eeee6666ffff"
static const uint64_t keys[] = {
	0x1111aaaa2222bbbb, 0x3333cccc4444dddd, 0x5555eeee6666ffff};

/* Before an entry in memory; a byte of ASKED. */
enum { LENGTH = 4, AT_DIGEST = 1 };

/* What happens on a small tree; everything that can come into a core. */
static void
live_day(struct world *w, const struct fabric *f)
{
	uint32_t leaf = fabric_find(f, "leaf1");
	uint64_t guid = f->node[leaf].guid;
	const struct sm_drain drain = {.guid = guid,
		.port = 6,
		.duration = MONO_NEVER,
		.force = true,
		.by = "root (uid 0)",
		.reason = "a test"};
	struct sm_other to;
	struct reason why;
	uint32_t generation;

	world_start(w);
	ck_assert(world_settle(w, mono_ms(120000)));
	sim_fault_link(w->sim, leaf, 5, false);
	world_run(w, mono_ms(2000));
	(void)sm_drain(w->sm, &drain, sim_now(w->sim), &generation, &why);
	world_run(w, mono_ms(2000));
	(void)sm_undrain(w->sm, &(struct sm_undrain){guid, 6, drain.by},
		sim_now(w->sim), &generation, &why);
	sm_resweep(w->sm, sim_now(w->sim), "a test");
	world_run(w, mono_ms(2000));
	sm_rebalance(w->sm, sim_now(w->sim), "a test");
	world_run(w, mono_ms(2000));
	sm_names_accept(w->sm, sim_now(w->sim), "a test");
	sm_missing_accept(w->sm, sim_now(w->sim));
	ck_assert_int_eq(
		sm_hand_over(w->sm, "a test", sim_now(w->sim), &to, &why), -1);
	sm_own_link(w->sm, false, sim_now(w->sim));
	world_run(w, mono_ms(500));
	sm_own_link(w->sm, true, sim_now(w->sim));
	world_reload(w, "fabric: {m_key: " KEY_B ", m_keys_known: [" KEY_C
			", " KEY_A "], sm_key: " KEY_A "}\n");
	ck_assert(world_settle(w, mono_ms(120000)));
	world_kill(w);
	world_start(w);
	ck_assert(world_settle(w, mono_ms(120000)));
	(void)sm_resign(w->sm, sim_now(w->sim));
	world_run(w, mono_ms(500));
	sm_save(w->sm);
}

/* A recording of that. */
static void
record_life(struct memory_record *m, bool mask)
{
	struct sim_options o = sim_defaults();
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world)
	struct world *w = world_new(f, &o,
		"fabric: {m_key: " KEY_A ", sm_key: " KEY_C "}\n"
		"sa: {trust_key: " KEY_B "}\n");

	log_set_level(LOG_LEVEL_ERROR);
	memory_record_begin(m, mask);
	world_record(w, m->tap);
	live_day(w, f);
	record_tap_asked(m->tap);
}

/* The n-th entry of a kind; its bytes. */
static uint8_t *
find_entry(const struct memory_record *m, enum record_kind kind, unsigned n,
	size_t *length)
{
	uint32_t k;

	for (size_t at = 0; at < m->n; at += LENGTH + k) {
		uint8_t *p = m->bytes + at + LENGTH;

		memcpy(&k, m->bytes + at, LENGTH);
		*length = k;
		if (*p == kind && n-- == 0)
			return p;
	}
	ck_abort_msg("there is no such entry");
	return NULL;
}

LOOP_TEST(the_same_life, 0, 2)
{
	struct replay_report report;
	struct memory_record m;
	struct reason why;

	record_life(&m, _i == 1);
	ck_assert_msg(memory_record_replay(&m, NULL, &report, &why) == 0, "%s",
		why.text);
	ck_assert_int_eq(report.end, REPLAY_SAME);
	ck_assert_uint_eq(report.begins, 2);
	ck_assert_uint_gt(report.sets, 500);
	ck_assert_uint_gt(report.sent, report.sets);
	memory_record_free(&m);
}

/* Every kind of event was in it: none is left out by a new one. */
TEST(all_events)
{
	unsigned seen[SM_INPUTS] = {0};
	struct memory_record m;
	AUTO(buf) struct buf line = {0};
	struct record_entry e;
	uint32_t k;

	record_life(&m, true);
	for (size_t at = 0; at < m.n; at += LENGTH + k) {
		memcpy(&k, m.bytes + at, LENGTH);
		ck_assert_int_eq(record_entry_read(m.bytes + at + LENGTH, k,
					 NULL, &e, NULL),
			0);
		entry_show_line(&e, &line);
		if (e.kind == RECORD_INPUT)
			seen[e.is.input.in.kind]++;
	}
	for (int i = 0; i < SM_INPUTS; i++)
		ck_assert_msg(seen[i] > 0, "no event of kind %d", i);
	memory_record_free(&m);
}

static bool
has_key(const struct memory_record *m, uint64_t key)
{
	char text[20];
	uint8_t bytes[8];

	be_put64(bytes, key);
	(void)snprintf(text, sizeof(text), "%llx", (unsigned long long)key);
	return memmem(m->bytes, m->n, bytes, sizeof(bytes)) != NULL ||
	       memmem(m->bytes, m->n, text, strlen(text)) != NULL;
}

LOOP_TEST(keys_are_not_in_it, 0, 2)
{
	struct memory_record m;

	record_life(&m, _i == 1);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		ck_assert_int_eq(has_key(&m, keys[i]), _i == 0);
	memory_record_free(&m);
}

TEST(another_decision)
{
	struct replay_report report;
	struct memory_record m;
	struct reason why;
	size_t n;

	record_life(&m, true);
	find_entry(&m, RECORD_ASKED, 30, &n)[AT_DIGEST]++;
	ck_assert_int_eq(memory_record_replay(&m, NULL, &report, &why), -1);
	ck_assert_int_eq(report.end, REPLAY_DIFFERS);
	ck_assert_ptr_nonnull(
		strstr(why.text, "differs in the requests before it"));
	ck_assert_ptr_nonnull(
		strstr(why.text, "recorded: digest of the requests"));
	ck_assert_msg(
		strstr(why.text, "replayed: sent ") != NULL, "%s", why.text);
	memory_record_free(&m);
}

/* An event that did not come, and one that came twice. */
LOOP_TEST(other_events, 0, 2)
{
	struct replay_report report;
	struct memory_record m;
	struct reason why;
	uint8_t *p;
	size_t n;

	record_life(&m, true);
	p = find_entry(&m, RECORD_ANSWER, 300, &n) - LENGTH;
	n += LENGTH;
	if (_i == 0) {
		memmove(p, p + n, m.n - (size_t)(p - m.bytes) - n);
		m.n -= n;
	} else {
		m.bytes = realloc(m.bytes, m.n + n);
		p = find_entry(&m, RECORD_ANSWER, 300, &n) - LENGTH;
		n += LENGTH;
		memmove(p + n, p, m.n - (size_t)(p - m.bytes));
		m.n += n;
	}
	ck_assert_int_eq(memory_record_replay(&m, NULL, &report, &why), -1);
	ck_assert_int_eq(report.end, REPLAY_DIFFERS);
	memory_record_free(&m);
}

/* A recording that ends between an event and what it led to: a daemon that was
 * killed, or goes on recording. */
TEST(cut_behind_an_event)
{
	struct replay_report report;
	struct memory_record m;
	struct reason why;
	size_t n;

	record_life(&m, true);
	m.n = (size_t)(find_entry(&m, RECORD_ANSWER, 300, &n) - LENGTH -
		       m.bytes);
	ck_assert_int_eq(memory_record_replay(&m, NULL, &report, &why), -1);
	ck_assert_int_eq(report.end, REPLAY_SAME);
	ck_assert_uint_gt(report.beyond, 0);
	memory_record_free(&m);
}

/* Bytes of a bundle are those of a stranger: nothing crashes. */
LOOP_TEST(any_bytes, 0, 20)
{
	struct replay_report report;
	struct memory_record m;
	struct rng rng = {(uint64_t)_i};
	struct reason why;
	uint32_t k;

	record_life(&m, true);
	for (size_t at = 0; at < m.n; at += LENGTH + k) {
		memcpy(&k, m.bytes + at, LENGTH);
		if (rng_below(&rng, 2000) == 0)
			m.bytes[at + LENGTH + rng_below(&rng, k)] ^=
				(uint8_t)(1U << rng_below(&rng, 8));
	}
	/* the same, where such a byte decides nothing */
	ck_assert_int_eq(memory_record_replay(&m, NULL, &report, &why) == 0,
		report.end == REPLAY_SAME && report.beyond == 0);
	memory_record_free(&m);
}

static int
no_entry(void *cookie, uint8_t **entry, size_t *n, struct reason *why)
{
	struct buf *gap = cookie;

	(void)why;
	record_put_gap(3, gap);
	*entry = (uint8_t *)gap->text;
	*n = gap->n;
	return 1;
}

TEST(a_gap)
{
	AUTO(buf) struct buf gap = {0};
	const struct replay_source source = {&gap, no_entry};
	const struct replay_listener none = {0};
	struct replay *r = replay_new(&source, &none);
	struct replay_report report;

	replay_run(r, UINT64_MAX, &report);
	ck_assert_int_eq(report.end, REPLAY_BROKEN);
	ck_assert_ptr_nonnull(strstr(report.why.text, "missing"));
	buf_free(&report.why);
	replay_free(r);
}
