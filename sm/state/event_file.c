#include "sm/state/event_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sm/base/buf.h"
#include "sm/base/file.h"
#include "sm/base/mem.h"
#include "sm/event/event_time.h"

#define WORD "heddle-events "
#define HEADER WORD "1\n"

enum { HEADER_SIZE = sizeof(HEADER) - 1 };

/* Bytes read at once; and of the longest line that may be an event. */
enum { CHUNK = 65536, LINE_MAX_BYTES = 65536 };

struct event_file {
	char *dir;
	uint64_t most; /* of a segment */
	int fd;	       /* -1: not open */
	uint64_t size;
	bool cut; /* the last line has no end */
};

struct event_file *
event_file_new(const char *dir, uint64_t most)
{
	struct event_file *f = mem_zalloc(1, sizeof(*f));

	f->dir = mem_strdup(dir);
	f->most = most / 2;
	f->fd = -1;
	return f;
}

static void
close_segment(struct event_file *f)
{
	if (f->fd >= 0)
		(void)close(f->fd);
	f->fd = -1;
}

void
event_file_free(struct event_file *f)
{
	if (f == NULL)
		return;
	close_segment(f);
	free(f->dir);
	free(f);
}

static int
fail_errno(const struct event_file *f, struct reason *why, const char *what)
{
	return reason_set(why, "%s/" EVENT_FILE_NAME ": %s: %s", f->dir, what,
		strerror(errno));
}

/* Rename the segment that is being written; it is closed. */
static int
move_segment(struct event_file *f, const char *to, struct reason *why)
{
	struct buf from = {0}, target = {0};
	int rc;

	close_segment(f);
	buf_printf(&from, "%s/" EVENT_FILE_NAME, f->dir);
	buf_printf(&target, "%s/%s", f->dir, to);
	rc = rename(from.text, target.text);
	if (rc != 0)
		(void)fail_errno(f, why, "cannot be renamed");
	buf_free(&from);
	buf_free(&target);
	return rc;
}

/* All n bytes, or none: 0, or -1 and errno. */
static int
write_whole(struct event_file *f, const char *text, size_t n)
{
	size_t done = 0;

	while (done < n) {
		ssize_t put = write(f->fd, text + done, n - done);
		int error = errno;

		if (put < 0 && error == EINTR)
			continue;
		if (put <= 0) {
			if (ftruncate(f->fd, (off_t)f->size) != 0)
				f->cut = done > 0;
			errno = put == 0 ? EIO : error;
			return -1;
		}
		done += (size_t)put;
	}
	f->size += n;
	return 0;
}

/*
 * What a segment that was found begins and ends with. True: it may be extended;
 * *broken: its header was cut, and nothing else is in it.
 */
static bool
may_extend(struct event_file *f, bool *broken)
{
	char head[HEADER_SIZE], last = '\n';
	ssize_t n = pread(f->fd, head, sizeof(head), 0);

	if (n < 0 || memcmp(head, HEADER, (size_t)n) != 0)
		return false;
	*broken = n < HEADER_SIZE;
	f->cut =
		pread(f->fd, &last, 1, (off_t)f->size - 1) == 1 && last != '\n';
	return true;
}

/* Open `events`, or make it. 1: what is there must be set aside. */
static int
open_once(struct event_file *f, struct reason *why)
{
	struct buf path = {0};
	struct stat st;
	bool broken = false;

	buf_printf(&path, "%s/" EVENT_FILE_NAME, f->dir);
	f->fd = open(path.text,
		O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW |
			O_NONBLOCK,
		0640);
	buf_free(&path);
	if (f->fd < 0)
		return fail_errno(f, why, "cannot be opened");
	if (fstat(f->fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		close_segment(f);
		errno = EINVAL;
		return fail_errno(f, why, "not a regular file");
	}
	f->size = (uint64_t)st.st_size;
	f->cut = false;
	if (!may_extend(f, &broken))
		return 1;
	if (!broken)
		return 0;
	f->size = 0;
	f->cut = false;
	if (ftruncate(f->fd, 0) == 0 &&
		write_whole(f, HEADER, HEADER_SIZE) == 0)
		return 0;
	(void)fail_errno(f, why, "cannot be written");
	close_segment(f);
	return -1;
}

static int
open_segment(struct event_file *f, struct reason *why)
{
	int rc;

	if (file_make_dirs(f->dir, why) != 0)
		return -1;
	rc = open_once(f, why);
	if (rc != 1)
		return rc;
	rc = move_segment(f, EVENT_FILE_OTHER, why);
	return rc != 0 ? rc : open_once(f, why);
}

/* False if the open segment has been removed, or there is none. */
static bool
is_open(struct event_file *f)
{
	struct stat st;

	if (f->fd >= 0 && (fstat(f->fd, &st) != 0 || st.st_nlink == 0))
		close_segment(f);
	return f->fd >= 0;
}

int
event_file_append(
	struct event_file *f, const char *text, size_t n, struct reason *why)
{
	if (n + HEADER_SIZE + 1 > f->most)
		return reason_set(why,
			"%zu bytes of events are more than a segment takes", n);
	if (!is_open(f) && open_segment(f, why) != 0)
		return -1;
	if (f->size + n + 1 > f->most &&
		(move_segment(f, EVENT_FILE_FORMER, why) != 0 ||
			open_segment(f, why) != 0))
		return -1;
	if (f->cut && write_whole(f, "\n", 1) != 0)
		return fail_errno(f, why, "cannot be written");
	f->cut = false;
	if (write_whole(f, text, n) != 0)
		return fail_errno(f, why, "cannot be written");
	return 0;
}

int
event_file_sync(struct event_file *f, struct reason *why)
{
	if (f->fd < 0 || fdatasync(f->fd) == 0)
		return 0;
	return fail_errno(f, why, "cannot be written");
}

/* ---- reading ---- */

/* The digits at *s, which is moved behind them; false: there are none. */
static bool
take_digits(const char **s, const char *end, uint64_t *out)
{
	const char *begin = *s;

	*out = 0;
	while (*s < end && **s >= '0' && **s <= '9' && *s - begin < 19)
		*out = *out * 10 + (uint64_t)(*(*s)++ - '0');
	return *s > begin;
}

static bool
take_word(const char **s, const char *end, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(end - *s) < n || memcmp(*s, word, n) != 0)
		return false;
	*s += n;
	return true;
}

/* The head of a line, by which events are found; the rest is JSON for others.
 */
static bool
read_line(const char *text, size_t n, struct event_file_line *out)
{
	const char *s = text, *end = text + n, *quote;

	*out = (struct event_file_line){.text = text, .n = n};
	if (!take_word(&s, end, "{\"seq\":") ||
		!take_digits(&s, end, &out->seq) ||
		!take_word(&s, end, ",\"time\":\""))
		return false;
	quote = memchr(s, '"', (size_t)(end - s));
	if (quote == NULL ||
		!event_time_read(s, (size_t)(quote - s), &out->time))
		return false;
	s = quote;
	return take_word(&s, end, "\",\"kind\":\"") && text[n - 1] == '}' &&
	       memchr(text, '\0', n) == NULL;
}

/* A segment that is being read. */
struct reader {
	const char *path;
	event_file_sink *sink;
	void *cookie;
	struct event_file_faults *faults;
	struct buf line; /* what is known of the present line */
	size_t number;	 /* of that line, from 1 */
	bool too_long;	 /* it has no place, and is skipped */
};

static int
check_header(const struct reader *r, struct reason *why)
{
	const char *s = r->line.text != NULL ? r->line.text : "";
	const char *end = s + r->line.n;
	uint64_t version;

	if (!take_word(&s, end, WORD) || !take_digits(&s, end, &version))
		return reason_set(why, "%s: not a file of events", r->path);
	if (version != 1 || s != end)
		return reason_set(why,
			"%s: version %llu is not supported (this program reads "
			"1)",
			r->path, (unsigned long long)version);
	return 0;
}

/* A line is complete. */
static int
end_line(struct reader *r, struct reason *why)
{
	struct event_file_line l;

	if (r->number == 1 && !r->too_long)
		return check_header(r, why);
	if (!r->too_long && r->line.n > 0 &&
		read_line(r->line.text, r->line.n, &l)) {
		r->sink(r->cookie, &l);
		return 0;
	}
	if (r->number == 1)
		return reason_set(why, "%s: not a file of events", r->path);
	if (r->faults->bad++ == 0)
		r->faults->first = r->number;
	return 0;
}

static int
take_chunk(struct reader *r, const char *text, size_t n, struct reason *why)
{
	while (n > 0) {
		const char *eol = memchr(text, '\n', n);
		size_t part = eol != NULL ? (size_t)(eol - text) : n;

		r->too_long |= r->line.n + part > LINE_MAX_BYTES;
		if (!r->too_long)
			buf_put(&r->line, text, part);
		if (eol == NULL)
			return 0;
		if (end_line(r, why) != 0)
			return -1;
		r->line.n = 0;
		r->too_long = false;
		r->number++;
		text += part + 1;
		n -= part + 1;
	}
	return 0;
}

static int
read_segment(struct reader *r, int fd, struct reason *why)
{
	char *chunk = mem_alloc(CHUNK);
	ssize_t n;
	int rc = 0;

	while (rc == 0 && (n = read(fd, chunk, CHUNK)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		rc = n < 0 ? reason_set(why, "%s: cannot be read: %s", r->path,
				     strerror(errno))
			   : take_chunk(r, chunk, (size_t)n, why);
	}
	free(chunk);
	r->faults->cut = rc == 0 && (r->line.n > 0 || r->too_long);
	return rc;
}

int
event_file_read(const char *path, event_file_sink *sink, void *cookie,
	struct event_file_faults *faults, struct reason *why)
{
	struct reader r = {.path = path,
		.sink = sink,
		.cookie = cookie,
		.faults = faults,
		.number = 1};
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), rc;

	*faults = (struct event_file_faults){0};
	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0)
		return reason_set(
			why, "%s: cannot be opened: %s", path, strerror(errno));
	rc = read_segment(&r, fd, why);
	buf_free(&r.line);
	(void)close(fd);
	return rc;
}
