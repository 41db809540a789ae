/* The loop hands entries over and never waits; what is missing is said to be.
 */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sm/base/be.h"
#include "sm/base/mem.h"
#include "sm/record/record_bundle.h"
#include "sm/record/record_entry.h"
#include "sm/record/recorder.h"
#include "tests/unit/heard.h"
#include "tests/unit/scratch.h"

static struct recorder *
start_recorder(struct loop *l, const char *dir, int64_t again, struct heard *h)
{
	struct reason why;
	struct recorder *r = recorder_new(l,
		&(struct recorder_job){.dir = dir,
			.room = 64 << 20,
			.recording = 77,
			.again = mono_ms(again),
			.told = heard_told,
			.cookie = h},
		&why);

	ck_assert_msg(r != NULL, "%s", why.text);
	return r;
}

/* Entries that are told by their numbers. */
static void
put_entries(struct recorder *r, uint32_t first, uint32_t n, size_t size)
{
	AUTO(mem) uint8_t *b = mem_zalloc(1, size);

	for (uint32_t i = 0; i < n; i++) {
		be_put32(b, first + i);
		recorder_put(r, b, size);
	}
}

/* The entries on disk, in order, and the numbers that gaps tell. */
struct found {
	uint32_t entries, last;
	uint64_t lost;
	bool gap_first;
};

static struct found
read_all(const char *dir)
{
	struct found x = {0};
	char file[128];
	struct record_reader *r;
	struct reason why;
	uint64_t segments, bytes;
	uint8_t *p;
	size_t n;
	int rc;

	(void)snprintf(file, sizeof(file), "%s/b", scratch_dir);
	ck_assert_msg(
		record_bundle_save(dir, file, &segments, &bytes, &why) == 0,
		"%s", why.text);
	r = record_reader_open(file, &why);
	while ((rc = record_reader_next(r, &p, &n, &why)) == 1) {
		if (n == 9 && *p == RECORD_GAP) {
			x.gap_first |= x.entries == 0;
			x.lost += be_get64(p + 1);
			continue;
		}
		ck_assert_uint_gt(be_get32(p), x.last);
		x.last = be_get32(p);
		x.entries++;
	}
	ck_assert_msg(rc == 0, "%s", why.text);
	record_reader_free(r);
	return x;
}

static void
wait_until_written(struct recorder *r, uint64_t n)
{
	struct recorder_status is;

	do {
		(void)usleep(1000);
		recorder_flush(r, &is);
	} while (is.written < n);
}

TEST(all_are_written)
{
	AUTO(loop) struct loop *l = loop_new();
	struct recorder_status is;
	struct heard h = {0};
	struct recorder *r = start_recorder(l, scratch_dir, 1, &h);
	struct found x;

	put_entries(r, 1, 1000, 100);
	wait_until_written(r, 1000); /* on disk before it ends */
	ck_assert_uint_eq(read_all(scratch_dir).entries, 1000);
	put_entries(r, 1001, 2, 1000);
	recorder_flush(r, &is);
	ck_assert_uint_eq(is.entries, 1002);
	ck_assert_uint_eq(is.lost, 0);
	ck_assert_str_eq(is.why, "");
	recorder_free(r);
	x = read_all(scratch_dir);
	ck_assert_uint_eq(x.entries, 1002);
	ck_assert_uint_eq(x.lost, 0);
	ck_assert_uint_eq(h.good + h.bad, 0);
}

/* Where nothing can be written: a file is where the directory should be. */
static const char *
bar_directory(void)
{
	static char dir[128];
	FILE *f;

	(void)snprintf(dir, sizeof(dir), "%s/rec", scratch_dir);
	f = fopen(dir, "w");
	ck_assert_ptr_nonnull(f);
	(void)fclose(f);
	return dir;
}

/* A file where the directory should be, then none: what came meanwhile is
 * missing, and a gap is where it was. */
TEST(a_gap)
{
	AUTO(loop) struct loop *l = loop_new();
	struct recorder_status is;
	struct heard h = {0};
	const char *dir = bar_directory();
	struct recorder *r = start_recorder(l, dir, 1, &h);
	struct found x;

	put_entries(r, 1, 10, 100);
	wait_until_written(r, 10);
	recorder_flush(r, &is);
	ck_assert_uint_eq(is.lost, 10);
	ck_assert_str_ne(is.why, "");
	loop_once(l);
	ck_assert_uint_eq(h.bad, 1);
	ck_assert_str_eq(h.why, is.why);
	(void)unlink(dir);
	put_entries(r, 11, 10, 100);
	wait_until_written(r, 20);
	loop_once(l);
	ck_assert_uint_eq(h.good, 1);
	recorder_free(r);
	x = read_all(dir);
	ck_assert_uint_eq(x.entries + x.lost, 20);
	ck_assert(x.gap_first);
	ck_assert_uint_eq(x.last, 20);
}

/* Nothing can be written for long: memory is bounded, and putting entries takes
 * no time. */
TEST(memory_is_bounded)
{
	enum { SIZE = 1 << 16, ENTRIES = 3 * RECORDER_WAITING / SIZE };
	AUTO(loop) struct loop *l = loop_new();
	struct recorder_status is;
	struct heard h = {0};
	const char *dir = bar_directory();
	struct recorder *r = start_recorder(l, dir, 600000, &h);
	struct found x;

	put_entries(r, 1, 1, 100);
	wait_until_written(r, 1); /* in vain: the next attempt is far away */
	put_entries(r, 2, ENTRIES, SIZE);
	recorder_flush(r, &is);
	ck_assert_uint_gt(is.lost, (uint64_t)ENTRIES / 2);
	ck_assert_uint_eq(is.entries, ENTRIES + 1);
	(void)unlink(dir);
	recorder_free(r);
	x = read_all(dir);
	ck_assert_uint_ge(x.entries, RECORDER_WAITING / SIZE - 2);
	ck_assert_uint_le(x.entries, RECORDER_WAITING / SIZE);
	ck_assert(x.gap_first);
}

const struct suite_around suite_around = {
	.before = scratch_make, .after = scratch_remove};
