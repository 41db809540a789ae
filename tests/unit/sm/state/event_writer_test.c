/* Events are written in a thread: in order, and again when that failed. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sm/base/buf.h"
#include "sm/state/event_file.h"
#include "sm/state/event_writer.h"
#include "tests/unit/scratch.h"

struct heard {
	unsigned good, bad;
	uint64_t lost;
	char why[512];
};

static void
on_told(void *cookie, const char *why, uint64_t lost)
{
	struct heard *h = cookie;

	h->lost += lost;
	if (why == NULL) {
		h->good++;
		return;
	}
	h->bad++;
	(void)snprintf(h->why, sizeof(h->why), "%s", why);
}

static struct event_writer *
start_writer(struct loop *l, const char *dir, struct heard *h)
{
	struct reason why;
	struct event_writer *w = event_writer_new(l,
		&(struct event_writer_job){.dir = dir,
			.most = 16 << 20,
			.again = mono_ms(1),
			.told = on_told,
			.cookie = h},
		&why);

	ck_assert_msg(w != NULL, "%s", why.text);
	return w;
}

static void
submit_line(struct event_writer *w, uint64_t seq)
{
	AUTO(buf) struct buf line = {0};

	buf_printf(&line,
		"{\"seq\":%llu,\"time\":\"2025-11-21T10:55:11.250000Z\","
		"\"kind\":\"link-up\"}\n",
		(unsigned long long)seq);
	event_writer_submit(w, line.text, line.n);
}

static void
count_line(void *cookie, const struct event_file_line *l)
{
	uint64_t *n = cookie;

	ck_assert_uint_eq(l->seq, ++*n);
}

/* How many events are in the file; they are 1, 2, 3 ... */
static uint64_t
count_written(const char *dir)
{
	struct event_file_faults faults;
	char path[128];
	struct reason why;
	uint64_t n = 0;

	(void)snprintf(path, sizeof(path), "%s/events", dir);
	ck_assert_int_eq(
		event_file_read(path, count_line, &n, &faults, &why), 0);
	ck_assert_uint_eq(faults.bad, 0);
	return n;
}

TEST(all_are_written)
{
	AUTO(loop) struct loop *l = loop_new();
	struct heard h = {0};
	struct event_writer *w = start_writer(l, scratch_dir, &h);

	for (uint64_t i = 1; i <= 5000; i++)
		submit_line(w, i);
	event_writer_free(w);
	ck_assert_uint_eq(count_written(scratch_dir), 5000);
	ck_assert_uint_eq(h.good + h.bad, 0);
	event_writer_free(NULL);
}

/* Where no directory can be made events wait; it is told once that they do, and
 * once that it is over. */
TEST(it_is_tried_again)
{
	AUTO(loop) struct loop *l = loop_new();
	struct heard h = {0};
	struct event_writer *w;
	char blocked[96], dir[100];
	FILE *f;

	(void)snprintf(blocked, sizeof(blocked), "%s/a", scratch_dir);
	(void)snprintf(dir, sizeof(dir), "%s/b", blocked);
	f = fopen(blocked, "w");
	ck_assert_ptr_nonnull(f);
	(void)fclose(f);
	w = start_writer(l, dir, &h);
	submit_line(w, 1);
	while (h.bad == 0)
		loop_once(l);
	ck_assert_ptr_nonnull(strstr(h.why, "cannot make directory"));
	for (uint64_t i = 2; i <= 100; i++)
		submit_line(w, i);
	ck_assert_int_eq(unlink(blocked), 0);
	while (h.good == 0)
		loop_once(l);
	ck_assert_uint_eq(h.lost, 0);
	submit_line(w, 101);
	event_writer_free(w);
	ck_assert_uint_eq(count_written(dir), 101);
	ck_assert_uint_eq(h.bad, 1);
	ck_assert_uint_eq(h.good, 1);
}

/* What waits is bounded: the oldest stay, the others are counted. */
TEST(memory_is_bounded)
{
	enum { LINE = 1000, LINES = 3 * EVENT_WRITER_WAITING / LINE };
	AUTO(loop) struct loop *l = loop_new();
	struct heard h = {0};
	struct event_writer *w;
	char line[LINE], blocked[96];
	FILE *f;

	(void)snprintf(blocked, sizeof(blocked), "%s/a", scratch_dir);
	f = fopen(blocked, "w");
	ck_assert_ptr_nonnull(f);
	(void)fclose(f);
	w = start_writer(l, blocked, &h);
	memset(line, 'x', sizeof(line));
	line[LINE - 1] = '\n';
	event_writer_submit(w, line, LINE);
	while (h.bad == 0)
		loop_once(l);
	for (unsigned i = 0; i < LINES; i++)
		event_writer_submit(w, line, LINE);
	ck_assert_int_eq(unlink(blocked), 0);
	while (h.good == 0)
		loop_once(l);
	ck_assert_uint_ge(h.lost, LINES / 2);
	ck_assert_uint_lt(h.lost, LINES);
	event_writer_free(w);
}

const struct suite_around suite_around = {
	.before = scratch_make, .after = scratch_remove};
