/* What a daemon knows of its previous run: the time since, and how it ended. */
#include "sm/state/previous_run.h"

#include <check.h>
#include <string.h>

#include "tests/unit/scratch.h"
#include "tests/unit/sm/state/save_state.h"
#include "tests/unit/suite.h"

enum { PREFIX = 7, OTHER = 8, AWAY = 100 };

static const struct {
	const char *what;
	struct state_file_stamp from, to;
	uint64_t seconds;
} cases[] = {
	{"nothing recorded", {0, 1, 5}, {1000, 1, 9}, 0},
	{"the same boot", {1000, 1, 5}, {1004, 1, 9}, 4},
	{"its clock was set forward", {1000, 1, 5}, {900000, 1, 9}, 4},
	{"its clock was set back", {1000, 1, 5}, {10, 1, 9}, 4},
	{"another boot", {1000, 1, 500}, {1090, 2, 20}, 90},
	{"another boot, later", {1000, 1, 5}, {1090, 2, 20}, 90},
	{"another boot, the clock went back", {1000, 1, 5}, {10, 2, 20}, 0},
	{"boots unknown", {1000, 0, 5}, {1090, 0, 20}, 90},
	{"boot no longer known", {1000, 1, 5}, {1090, 0, 20}, 90},
	{"time of a boot that ran back", {1000, 1, 50}, {1003, 1, 20}, 3},
};

LOOP_TEST(time_between, 0, LEN(cases))
{
	ck_assert_msg(previous_run_seconds_between(&cases[_i].from,
			      &cases[_i].to) == cases[_i].seconds,
		"%s: %llu", cases[_i].what,
		(unsigned long long)previous_run_seconds_between(
			&cases[_i].from, &cases[_i].to));
}

TEST(this_machine)
{
	struct state_file_stamp a = previous_run_now(), b = previous_run_now();

	ck_assert_uint_gt(a.when, 0);
	ck_assert_uint_eq(a.boot, b.boot);
	ck_assert_uint_le(a.up, b.up);
	ck_assert_uint_le(previous_run_seconds_between(&a, &b), 1);
}

TEST(how_it_ended)
{
	struct state_file_stamp then = previous_run_now();
	struct state_file s = {.prefix = PREFIX}, back;
	struct reason why;

	ck_assert(previous_run_load(scratch_dir, PREFIX, &back, &why));
	ck_assert(!back.writing);
	ck_assert_uint_eq(back.away, 0);
	state_file_free(&back);
	then.when -= AWAY;
	then.boot = 0;
	s.saved = then;
	ck_assert_int_eq(save_state(scratch_dir, &s, &why), 0);
	ck_assert(previous_run_writing(scratch_dir, true));
	ck_assert(previous_run_writing(scratch_dir, true));
	ck_assert(previous_run_load(scratch_dir, PREFIX, &back, &why));
	ck_assert(back.writing);
	ck_assert_uint_ge(back.away, AWAY);
	ck_assert_uint_le(back.away, AWAY + 1);
	state_file_free(&back);
	ck_assert(previous_run_writing(scratch_dir, false));
	ck_assert(previous_run_writing(
		scratch_dir, false)); /* no state: no previous run */
	ck_assert(previous_run_load(scratch_dir, PREFIX, &back, &why));
	ck_assert(!back.writing);
	ck_assert(!back.unsaved);
	ck_assert_str_eq(why.text, "");
	ck_assert_uint_eq(back.prefix, PREFIX);
	state_file_free(&back);
	ck_assert(previous_run_unsaved(scratch_dir, true));
	ck_assert(previous_run_load(scratch_dir, PREFIX, &back, &why));
	ck_assert(back.unsaved);
	ck_assert(!back.writing);
	state_file_free(&back);
	/* another fabric: nothing is loaded, and the file is kept */
	ck_assert(previous_run_load(scratch_dir, OTHER, &back, &why));
	ck_assert_ptr_nonnull(strstr(why.text, "another fabric"));
	ck_assert_uint_eq(back.prefix, 0);
	ck_assert_uint_eq(back.away, 0);
	state_file_free(&back);
	ck_assert_int_eq(state_file_load(scratch_dir, &back, &why), 1);
	state_file_free(&back);
}

TEST(nowhere_to_save)
{
	struct state_file s;
	struct reason lost;

	ck_assert(!previous_run_load("/proc/heddle", PREFIX, &s, &lost));
	ck_assert_uint_eq(s.nlid, 0);
	ck_assert(s.unsaved);
	ck_assert(!previous_run_writing("/proc/heddle", true));
	state_file_free(&s);
}

const struct suite_around suite_around = {
	.before = scratch_make, .after = scratch_remove};
