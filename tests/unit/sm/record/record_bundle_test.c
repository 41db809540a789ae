/*
 * Segments and bundles: what was appended is read back; whatever is cut,
 * changed, missing or of another version is seen to be.
 */
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sm/base/be.h"
#include "sm/base/buf.h"
#include "sm/base/mem.h"
#include "sm/base/rng.h"
#include "sm/record/record_bundle.h"
#include "sm/record/record_entry.h"
#include "sm/record/record_file.h"
#include "tests/unit/scratch.h"

enum { ID = 0x1234, ROOM = 8 << 20 };

/* An entry of n bytes that is told by its number. */
static void
put_entry(struct buf *out, uint32_t number, uint32_t n)
{
	struct rng r = {number};
	uint8_t b[8];

	be_put32(b, n);
	be_put32(b + 4, number);
	buf_put(out, b, 8);
	for (uint32_t i = 4; i < n; i++) {
		uint8_t x = (uint8_t)rng_next(&r);

		buf_put(out, &x, 1);
	}
}

static int
append_entries(struct record_file *f, uint32_t first, uint32_t n, uint32_t size,
	struct reason *why)
{
	AUTO(buf) struct buf b = {0};
	int rc;

	for (uint32_t i = 0; i < n; i++)
		put_entry(&b, first + i, size);
	rc = record_file_append(f, (const uint8_t *)b.text, b.n, why);
	return rc;
}

static void
append_good(struct record_file *f, uint32_t first, uint32_t n, uint32_t size)
{
	struct reason why;

	ck_assert_msg(
		append_entries(f, first, n, size, &why) == 0, "%s", why.text);
}

static char *
path_of(const char *name)
{
	static char path[2][128];
	static int k;

	k = !k;
	(void)snprintf(path[k], sizeof(path[k]), "%s/%s", scratch_dir, name);
	return path[k];
}

/* What a bundle has. */
struct found {
	uint32_t entries, gaps, first, last;
	int rc;
	struct reason why;
};

static struct found
read_bundle(void)
{
	struct found x = {.rc = -2};
	struct record_reader *r = record_reader_open(path_of("b"), &x.why);
	uint8_t *p;
	size_t n;

	if (r == NULL)
		return x;
	while ((x.rc = record_reader_next(r, &p, &n, &x.why)) == 1) {
		if (*p == RECORD_GAP && n == 9) {
			x.gaps++;
			continue;
		}
		x.last = be_get32(p);
		if (x.entries++ == 0)
			x.first = x.last;
	}
	record_reader_free(r);
	return x;
}

static struct found
save_and_read(void)
{
	uint64_t segments, bytes;
	struct reason why;

	ck_assert_msg(record_bundle_save(scratch_dir, path_of("b"), &segments,
			      &bytes, &why) == 0,
		"%s", why.text);
	return read_bundle();
}

static struct buf
read_whole(const char *path)
{
	FILE *f = fopen(path, "r");
	struct buf b = {0};
	char chunk[4096];
	size_t n;

	while ((n = fread(chunk, 1, sizeof(chunk), f)) > 0)
		buf_put(&b, chunk, n);
	(void)fclose(f);
	return b;
}

static void
write_whole(const char *path, const void *p, size_t n)
{
	FILE *f = fopen(path, "w");

	ck_assert_uint_eq(fwrite(p, 1, n, f), n);
	(void)fclose(f);
}

TEST(what_was_appended)
{
	struct record_file *f = record_file_new(scratch_dir, ROOM, ID);
	struct found x;

	append_good(f, 1000, 1, 100);
	append_good(f, 1001, 200, 300);
	append_good(f, 1201, 1, 1 << 20);
	x = save_and_read();
	ck_assert_msg(x.rc == 0, "%s", x.why.text);
	ck_assert_uint_eq(x.entries, 202);
	ck_assert_uint_eq(x.first, 1000);
	ck_assert_uint_eq(x.last, 1201);
	ck_assert_uint_eq(x.gaps, 0);
	record_file_free(f);
	/* the next start */
	f = record_file_new(scratch_dir, ROOM, ID + 1);
	append_good(f, 2000, 5, 100);
	record_file_free(f);
	x = save_and_read();
	ck_assert_uint_eq(x.entries, 207);
	ck_assert_uint_eq(x.last, 2004);
	ck_assert_uint_eq(x.gaps, 0);
}

/* The room is kept; the first segment stays, and the gap behind it is told. */
TEST(bounded_room)
{
	enum { SMALL = 2 << 20 };
	struct record_file *f;
	struct record_file_list l;
	struct reason why;
	uint64_t all = 0;
	struct found x;

	for (uint64_t i = 0; i < 3; i++) { /* earlier ones go first */
		f = record_file_new(scratch_dir, SMALL, ID - 3 + i);
		append_good(f, 1, 10, 1000);
		record_file_free(f);
	}
	f = record_file_new(scratch_dir, SMALL, ID);
	for (uint32_t i = 0; i < 400; i++)
		append_good(f, 1 + i, 1, 16000);
	record_file_free(f);
	ck_assert_int_eq(record_file_list(scratch_dir, &l, &why), 0);
	for (size_t i = 0; i < l.n; i++) {
		all += l.segment[i].size;
		ck_assert_uint_eq(l.segment[i].recording, ID);
	}
	ck_assert_uint_le(all, SMALL + 20000);
	ck_assert_uint_gt(all, SMALL / 2);
	ck_assert_uint_eq(l.segment[0].number, 0);
	ck_assert_uint_gt(l.segment[1].number, 1);
	record_file_list_free(&l);
	x = save_and_read();
	ck_assert_int_eq(x.rc, 0);
	ck_assert_uint_eq(x.gaps, 1);
	ck_assert_uint_eq(x.first, 1);
	ck_assert_uint_eq(x.last, 400);
}

static struct buf
small_bundle(void)
{
	struct record_file *f = record_file_new(scratch_dir, ROOM, ID);

	append_good(f, 1, 3, 12);
	append_good(f, 4, 3, 12);
	record_file_free(f);
	f = record_file_new(scratch_dir, ROOM, ID + 1);
	append_good(f, 7, 3, 12);
	record_file_free(f);
	ck_assert_int_eq(save_and_read().rc, 0);
	return read_whole(path_of("b"));
}

TEST(a_cut_bundle)
{
	AUTO(buf) struct buf b = small_bundle();

	for (size_t n = 0; n < b.n; n++) {
		struct found x;

		write_whole(path_of("b"), b.text, n);
		x = read_bundle();
		ck_assert_msg(x.rc < 0, "cut at %zu of %zu", n, b.n);
		ck_assert_msg(
			strstr(x.why.text, "/b: ") != NULL, "%s", x.why.text);
	}
}

/* Any byte that is changed: it is refused, or there is a gap. */
TEST(a_corrupt_bundle)
{
	AUTO(buf) struct buf b = small_bundle();

	for (size_t i = 0; i < b.n; i++) {
		struct found x;

		b.text[i] ^= (char)(1 << i % 8);
		write_whole(path_of("b"), b.text, b.n);
		b.text[i] ^= (char)(1 << i % 8);
		x = read_bundle();
		/* but the name of a recording, which says nothing */
		ck_assert_msg(x.rc < 0 || x.gaps > 0 || x.entries == 9,
			"byte %zu: %u entries", i, x.entries);
	}
}

static void
replace_text(struct buf *b, const char *was, const char *is)
{
	char *at = memmem(b->text, b->n, was, strlen(was));

	ck_assert_ptr_nonnull(at);
	memcpy(at, is, strlen(is));
}

LOOP_TEST(another_version, 0, 4)
{
	static const struct {
		const char *was, *is, *ours, *its;
	} line[] = {
		{"heddle-bundle 1 0.1.0", "heddle-bundle 1 0.9.7",
			"0.1.0 (format 1)", "0.9.7 (format 1)"},
		{"heddle-record 5 0.1.0", "heddle-record 5 0.9.7",
			"0.1.0 (format 5)", "0.9.7 (format 5)"},
		{"heddle-bundle 1", "heddle-bundle 7", "0.1.0 (format 1)",
			"0.1.0 (format 7)"},
		{"heddle-record 5", "heddle-record 7", "0.1.0 (format 5)",
			"0.1.0 (format 7)"},
	};
	AUTO(buf) struct buf b = small_bundle();
	struct found x;

	replace_text(&b, line[_i].was, line[_i].is);
	write_whole(path_of("b"), b.text, b.n);
	x = read_bundle();
	ck_assert_int_lt(x.rc, 0);
	ck_assert_uint_eq(x.entries, 0);
	ck_assert_ptr_nonnull(strstr(x.why.text, line[_i].ours));
	ck_assert_ptr_nonnull(strstr(x.why.text, line[_i].its));
}

TEST(no_bundle)
{
	struct reason why;
	uint64_t n;

	write_whole(path_of("b"), "hello\n", 6);
	ck_assert_int_lt(read_bundle().rc, 0);
	write_whole(path_of("b"), "", 0);
	ck_assert_int_lt(read_bundle().rc, 0);
	(void)unlink(path_of("b"));
	ck_assert_int_lt(read_bundle().rc, 0);
	ck_assert_int_eq(
		record_bundle_save(scratch_dir, path_of("b"), &n, &n, &why),
		-1);
	ck_assert_ptr_nonnull(strstr(why.text, "there is no recording"));
	ck_assert_int_eq(
		record_bundle_save("/nowhere", path_of("b"), &n, &n, &why), -1);
	ck_assert_ptr_nonnull(strstr(why.text, "/nowhere"));
	ck_assert_int_ne(access(path_of("b"), F_OK), 0);
}

/* What the daemon was writing when it was killed is missing, in the last
 * segment of an earlier start; of the newest it is left out. */
TEST(a_cut_segment)
{
	const struct record_file_segment s = {.recording = ID};
	char name[RECORD_FILE_NAME];
	AUTO(buf) struct buf b = small_bundle(), first;
	struct found x;

	record_file_name(&s, name);
	first = read_whole(path_of(name));
	ck_assert_int_eq(truncate(path_of(name), (off_t)first.n - 5), 0);
	x = save_and_read();
	ck_assert_int_eq(x.rc, 0);
	ck_assert_uint_eq(x.entries, 6);
	ck_assert_uint_eq(x.gaps, 1);
	(void)snprintf(name, sizeof(name), "record-%016x-%06d", ID + 1, 0);
	(void)unlink(path_of(name));
	x = save_and_read();
	ck_assert_int_eq(x.rc, 0);
	ck_assert_uint_eq(x.entries, 3);
	ck_assert_uint_eq(x.gaps, 0);
}

/* A limit of the file's size is a disk that is full: nothing of what did not
 * fit is there, and writing goes on in another segment. */
TEST(a_full_disk)
{
	struct record_file *f = record_file_new(scratch_dir, ROOM, ID);
	const struct rlimit full = {5000, RLIM_INFINITY},
			    room = {RLIM_INFINITY, RLIM_INFINITY};
	struct reason why = {""};
	uint32_t n = 0;
	struct found x;

	(void)signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &full), 0);
	while (append_entries(f, n, 1, 1000, &why) == 0)
		n++;
	ck_assert_uint_ge(n, 3);
	ck_assert_ptr_nonnull(strstr(why.text, "cannot be written: "));
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &room), 0);
	append_good(f, n + 1, 2, 1000);
	ck_assert_uint_eq(record_file_segments(f), 2);
	record_file_free(f);
	x = save_and_read();
	ck_assert_msg(x.rc == 0, "%s", x.why.text);
	ck_assert_uint_eq(x.entries, n + 2);
	ck_assert_uint_eq(x.last, n + 2);
}

const struct suite_around suite_around = {
	.before = scratch_make, .after = scratch_remove};
