/* The state is saved in a thread: always the newest, acknowledged, never
 * lost. */
#include "sm/state/previous_run.h"
#include "sm/state/saver.h"
#include "tests/unit/heard.h"
#include "tests/unit/scratch.h"
#include "tests/unit/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STATES = 50 };

/* A state with one port, which its LID tells apart. */
static void
submit_state(struct saver *s, uint16_t lid)
{
	const struct state_file_lid rec = {.guid = 0x99, .lid = lid};
	const struct state_file state = {.lid = &rec, .nlid = 1};

	saver_submit(s, &state);
}

static uint16_t
load_saved_lid(void)
{
	struct state_file back;
	struct reason why = {""};
	uint16_t lid;

	ck_assert_msg(
		state_file_load(scratch_dir, &back, &why) == 0, "%s", why.text);
	ck_assert_uint_eq(back.nlid, 1);
	lid = back.lid[0].lid;
	state_file_free(&back);
	return lid;
}

TEST(the_last_one_is_on_disk)
{
	AUTO(loop) struct loop *l = loop_new();
	struct heard h = {0};
	struct reason why;
	struct saver *s =
		saver_new(l, scratch_dir, mono_ms(60000), heard_told, &h, &why);

	ck_assert_ptr_nonnull(s);
	for (uint16_t i = 1; i <= STATES; i++)
		submit_state(s, i);
	saver_free(s); /* without a turn of the loop */
	ck_assert_uint_eq(load_saved_lid(), STATES);
	ck_assert_uint_eq(h.good, 1);
	ck_assert_uint_eq(h.bad, 0);
}

TEST(the_loop_is_told)
{
	AUTO(loop) struct loop *l = loop_new();
	struct heard h = {0};
	struct reason why;
	struct saver *s =
		saver_new(l, scratch_dir, mono_ms(60000), heard_told, &h, &why);

	for (uint16_t i = 1; i <= 3; i++) {
		submit_state(s, i);
		while (h.good < i)
			loop_once(l);
		ck_assert_uint_eq(load_saved_lid(), i);
	}
	saver_free(s);
	ck_assert_uint_eq(h.good, 3); /* not twice */
}

TEST(why_it_failed)
{
	AUTO(loop) struct loop *l = loop_new();
	struct heard h = {0};
	struct reason why;
	char nowhere[80];
	struct saver *s;

	(void)snprintf(nowhere, sizeof(nowhere), "%s/a/b", scratch_dir);
	s = saver_new(l, nowhere, mono_ms(60000), heard_told, &h, &why);
	submit_state(s, 1);
	while (h.bad == 0)
		loop_once(l);
	ck_assert_ptr_nonnull(strstr(h.why, "No such file"));
	saver_free(s);
	ck_assert_uint_eq(h.bad, 1);
	saver_free(NULL);
}

static bool
has_mark(void)
{
	char mark[80];

	(void)snprintf(
		mark, sizeof(mark), "%s/" PREVIOUS_RUN_UNSAVED, scratch_dir);
	return access(mark, F_OK) == 0;
}

/* A mark tells the next run that the state is old, until a newer one is
 * saved. */
TEST(what_is_not_saved_leaves_a_mark)
{
	AUTO(loop) struct loop *l = loop_new();
	struct heard h = {0};
	struct reason why;
	char in_the_way[80];
	struct saver *s;

	(void)snprintf(in_the_way, sizeof(in_the_way), "%s/" STATE_FILE_FILE,
		scratch_dir);
	ck_assert_int_eq(mkdir(in_the_way, 0700), 0);
	s = saver_new(l, scratch_dir, mono_ms(60000), heard_told, &h, &why);
	submit_state(s, 1);
	saver_wait(s);
	ck_assert(has_mark());
	ck_assert_int_eq(rmdir(in_the_way), 0);
	submit_state(s, 2);
	saver_wait(s);
	ck_assert(!has_mark());
	saver_free(s);
	/* the mark of an earlier run, too */
	ck_assert(previous_run_unsaved(scratch_dir, true));
	s = saver_new(l, scratch_dir, mono_ms(60000), heard_told, &h, &why);
	submit_state(s, 3);
	saver_wait(s);
	ck_assert(!has_mark());
	saver_free(s);
}

/* As soon as there is room, although nothing else happens in the fabric. */
TEST(what_is_not_saved_is_tried_again)
{
	AUTO(loop) struct loop *l = loop_new();
	struct heard h = {0};
	struct reason why;
	char in_the_way[80];
	struct saver *s;

	(void)snprintf(in_the_way, sizeof(in_the_way), "%s/" STATE_FILE_FILE,
		scratch_dir);
	ck_assert_int_eq(mkdir(in_the_way, 0700), 0);
	s = saver_new(l, scratch_dir, mono_ms(20), heard_told, &h, &why);
	submit_state(s, 7);
	while (h.bad < 2)
		loop_once(l);
	ck_assert_int_eq(rmdir(in_the_way), 0);
	while (h.good == 0)
		loop_once(l);
	ck_assert_uint_eq(load_saved_lid(), 7);
	ck_assert(!has_mark());
	saver_free(s);
}

const struct suite_around suite_around = {
	.before = scratch_make, .after = scratch_remove};
