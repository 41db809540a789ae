/* Files of events: bounded, and read whatever happened to them. */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sm/base/buf.h"
#include "sm/state/event_file.h"
#include "tests/unit/scratch.h"

/* What was read: numbers, in order. */
struct heard {
	uint64_t first, last;
	size_t n;
	bool ordered;
	struct event_file_faults faults;
	struct reason why;
	int rc;
};

static const char *
path_of(const char *name)
{
	static char path[128];

	(void)snprintf(path, sizeof(path), "%s/%s", scratch_dir, name);
	return path;
}

static void
hear_line(void *cookie, const struct event_file_line *l)
{
	struct heard *h = cookie;

	if (h->n++ == 0)
		h->first = l->seq;
	else
		h->ordered &= l->seq > h->last;
	h->last = l->seq;
	ck_assert(l->time > 1.7e9 && l->time < 1.8e9);
}

static struct heard
read_segment(const char *name)
{
	struct heard h = {.ordered = true};

	h.rc = event_file_read(path_of(name), hear_line, &h, &h.faults, &h.why);
	return h;
}

static void
print_line(uint64_t seq, struct buf *out)
{
	buf_printf(out,
		"{\"seq\":%llu,\"time\":\"2025-11-21T10:55:11.250000Z\","
		"\"kind\":\"link-up\","
		"\"text\":\"link: up\"}\n",
		(unsigned long long)seq);
}

static int
append_line(struct event_file *f, uint64_t seq, struct reason *why)
{
	AUTO(buf) struct buf line = {0};
	int rc;

	print_line(seq, &line);
	rc = event_file_append(f, line.text, line.n, why);
	return rc;
}

static void
append_good(struct event_file *f, uint64_t from, uint64_t to)
{
	struct reason why = {""};

	for (; from <= to; from++)
		ck_assert_msg(append_line(f, from, &why) == 0, "%s", why.text);
}

static void
write_text(const char *name, const char *text, size_t n)
{
	int fd = open(path_of(name), O_WRONLY | O_CREAT | O_TRUNC, 0644);

	ck_assert_int_eq(write(fd, text, n), (ssize_t)n);
	(void)close(fd);
}

static off_t
size_of(const char *name)
{
	struct stat st;

	return stat(path_of(name), &st) == 0 ? st.st_size : -1;
}

TEST(nothing_there)
{
	struct heard h = read_segment("events");

	ck_assert_int_eq(h.rc, 0);
	ck_assert_uint_eq(h.n, 0);
	ck_assert(!h.faults.cut);
	event_file_free(NULL);
}

TEST(what_was_appended_is_read)
{
	struct event_file *f = event_file_new(scratch_dir, 1 << 20);
	struct reason why;
	struct heard h;

	append_good(f, 1, 3);
	event_file_free(f);
	f = event_file_new(scratch_dir, 1 << 20);
	append_good(f, 4, 5);
	ck_assert_int_eq(event_file_sync(f, &why), 0);
	h = read_segment("events");
	ck_assert_int_eq(h.rc, 0);
	ck_assert_uint_eq(h.n, 5);
	ck_assert(h.first == 1 && h.last == 5 && h.ordered);
	ck_assert_uint_eq(h.faults.bad, 0);
	/* an administrator deletes it: a new one is begun */
	ck_assert_int_eq(unlink(path_of("events")), 0);
	append_good(f, 6, 6);
	ck_assert_uint_eq(read_segment("events").n, 1);
	event_file_free(f);
}

/* Both segments stay within the room, and have the newest events. */
TEST(it_is_bounded)
{
	enum { MOST = 20000, EVENTS = 5000 };
	struct event_file *f = event_file_new(scratch_dir, MOST);
	struct reason why;
	struct heard former, h;

	for (uint64_t i = 1; i <= EVENTS; i++) {
		append_good(f, i, i);
		ck_assert_int_le(
			size_of("events") +
				(size_of("events.1") > 0 ? size_of("events.1")
							 : 0),
			MOST);
	}
	former = read_segment("events.1");
	h = read_segment("events");
	ck_assert_uint_eq(h.last, EVENTS);
	ck_assert_uint_eq(former.last + 1, h.first);
	ck_assert_uint_ge(former.n, MOST / 2 / 100);
	ck_assert(former.ordered && h.ordered);
	/* more than a segment takes */
	ck_assert_int_eq(event_file_append(f, scratch_dir, MOST, &why), -1);
	ck_assert_ptr_nonnull(strstr(why.text, "more than a segment takes"));
	event_file_free(f);
}

/* Cut at every byte: what is whole is read, and writing goes on. */
TEST(a_cut)
{
	AUTO(buf) struct buf text = {0};
	size_t head, whole;

	buf_printf(&text, "heddle-events 1\n");
	head = text.n;
	print_line(1, &text);
	whole = text.n;
	print_line(2, &text);
	for (size_t n = 0; n <= text.n; n++) {
		size_t lines = n == text.n ? 2 : n >= whole ? 1 : 0;
		struct event_file *f = event_file_new(scratch_dir, 1 << 20);
		struct heard h;

		write_text("events", text.text, n);
		h = read_segment("events");
		ck_assert_int_eq(h.rc, 0);
		ck_assert_uint_eq(h.n, lines);
		ck_assert(h.faults.cut ==
			  (n != 0 && n != head && n != whole && n != text.n));
		append_good(f, 7, 7);
		event_file_free(f);
		/* a line that lacks but its end gets that */
		lines += n == whole - 1 || n == text.n - 1;
		h = read_segment("events");
		ck_assert_int_eq(h.rc, 0);
		ck_assert_uint_eq(h.n, lines + 1);
		ck_assert_uint_eq(h.last, 7);
		ck_assert(!h.faults.cut);
		ck_assert_uint_eq(h.faults.bad, n > head && n < whole - 1 ? 1
						: n > whole && n < text.n - 1
							? 1
							: 0);
		ck_assert_int_eq(access(path_of("events.other"), F_OK), -1);
	}
}

TEST(garbage)
{
	static const char zero[] =
		"{\"seq\":3,\"time\":\"2025-11-21T10:55:11.250000Z\",\"kind\":"
		"\"\0\"}\n";
	struct event_file *f = event_file_new(scratch_dir, 1 << 20);
	AUTO(buf) struct buf text = {0};
	struct heard h;

	/* in the middle: skipped, and counted */
	buf_printf(&text, "heddle-events 1\n");
	print_line(1, &text);
	buf_printf(&text, "{\"seq\":2}\n\n[]\n");
	buf_put(&text, zero, sizeof(zero) - 1);
	for (unsigned i = 0; i < 200000; i++)
		buf_put(&text, &"\xff{\"s"[i % 4], 1);
	buf_printf(&text, "\n");
	print_line(9, &text);
	write_text("events", text.text, text.n);
	h = read_segment("events");
	ck_assert_int_eq(h.rc, 0);
	ck_assert_uint_eq(h.n, 2);
	ck_assert_uint_eq(h.faults.bad, 5);
	ck_assert_uint_eq(h.faults.first, 3);
	/* nothing else: refused, set aside, and a new one begun */
	write_text("events", "no events at all\n", 17);
	h = read_segment("events");
	ck_assert_int_eq(h.rc, -1);
	ck_assert_ptr_nonnull(strstr(h.why.text, "not a file of events"));
	append_good(f, 10, 10);
	ck_assert_uint_eq(read_segment("events").n, 1);
	ck_assert_int_eq(size_of("events.other"), 17);
	event_file_free(f);
}

TEST(a_later_version)
{
	static const char later[] = "heddle-events 2\n{\"number\":1}\n";
	struct event_file *f = event_file_new(scratch_dir, 1 << 20);
	struct heard h;

	write_text("events", later, sizeof(later) - 1);
	h = read_segment("events");
	ck_assert_int_eq(h.rc, -1);
	ck_assert_ptr_nonnull(strstr(h.why.text, "version 2 is not supported"));
	append_good(f, 1, 1);
	event_file_free(f);
	ck_assert_uint_eq(read_segment("events").n, 1);
	ck_assert_int_eq(size_of("events.other"), (off_t)sizeof(later) - 1);
}

/* A limit of the file's size is a disk that is full: half of a line stays
 * nowhere, and writing goes on when there is room. */
TEST(a_full_disk)
{
	struct event_file *f = event_file_new(scratch_dir, 1 << 20);
	const struct rlimit full = {1000, RLIM_INFINITY},
			    room = {RLIM_INFINITY, RLIM_INFINITY};
	struct reason why = {""};
	uint64_t seq = 1;
	struct heard h;

	(void)signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &full), 0);
	while (append_line(f, seq, &why) == 0)
		seq++;
	ck_assert_uint_gt(seq, 5);
	ck_assert_ptr_nonnull(strstr(why.text, "events: cannot be written: "));
	h = read_segment("events");
	ck_assert_uint_eq(h.last, seq - 1);
	ck_assert(!h.faults.cut);
	ck_assert_int_eq(append_line(f, seq, &why), -1);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &room), 0);
	append_good(f, seq, seq + 1);
	event_file_free(f);
	h = read_segment("events");
	ck_assert_uint_eq(h.n, seq + 1);
	ck_assert_uint_eq(h.faults.bad, 0);
}

/* What was appended is there, whatever ends the process. */
TEST(killed)
{
	struct heard h;
	int status, pipes[2];
	uint64_t done = 0;
	pid_t child;

	ck_assert_int_eq(pipe(pipes), 0);
	child = fork();
	if (child == 0) {
		struct event_file *f = event_file_new(scratch_dir, 1 << 24);

		for (uint64_t i = 1;; i++)
			if (append_line(f, i, NULL) != 0 ||
				write(pipes[1], &i, sizeof(i)) < 0)
				_exit(1);
	}
	(void)close(pipes[1]);
	while (done < 1000)
		ck_assert_int_eq(read(pipes[0], &done, sizeof(done)),
			(ssize_t)sizeof(done));
	ck_assert_int_eq(kill(child, SIGKILL), 0);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFSIGNALED(status));
	while (read(pipes[0], &done, sizeof(done)) == sizeof(done))
		continue;
	(void)close(pipes[0]);
	h = read_segment("events");
	ck_assert_int_eq(h.rc, 0);
	ck_assert_uint_ge(h.n, done);
	ck_assert_uint_eq(h.n, h.last);
	ck_assert_uint_eq(h.faults.bad, 0);
}

const struct suite_around suite_around = {
	.before = scratch_make, .after = scratch_remove};
