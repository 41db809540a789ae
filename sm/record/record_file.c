#include "sm/record/record_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "sm/base/be.h"
#include "sm/base/buf.h"
#include "sm/base/file.h"
#include "sm/base/hash.h"
#include "sm/base/mem.h"
#include "sm/base/version.h"

/* The room is for so many segments, of a size between these. */
enum { SEGMENTS = 16, SEGMENT_MIN = 64 << 10, SEGMENT_MAX = 64 << 20 };

/* A daemon that is started again and again leaves no more than these. */
enum { FILES_MAX = 1000 };

/* A level where answers that repeat cost little; the window stays in the cache,
 * and is no smaller than a batch: much repeats from one device to the next. */
enum { LEVEL = -1, WINDOW_LOG = 17 };

#define NAME_FORMAT "record-%016" PRIx64 "-%06" PRIu64

struct record_file {
	char *dir;
	uint64_t room, segment_most;
	uint64_t recording, number; /* number: of the next segment */
	uint64_t bytes;		    /* of all segments of this recording */
	uint64_t size;		    /* of the open one */
	int fd;			    /* -1: none is open */
	ZSTD_CCtx *zstd;
	struct buf frame;
};

/* ---- segments in a directory ---- */

void
record_file_name(
	const struct record_file_segment *s, char name[RECORD_FILE_NAME])
{
	(void)snprintf(
		name, RECORD_FILE_NAME, NAME_FORMAT, s->recording, s->number);
}

/* False: not the name of a segment. */
static bool
read_name(const char *name, struct record_file_segment *out)
{
	char again[RECORD_FILE_NAME];

	/* NOLINTNEXTLINE(cert-err34-c): the name is made again, and compared */
	if (sscanf(name, "record-%16" SCNx64 "-%20" SCNu64, &out->recording,
		    &out->number) != 2)
		return false;
	record_file_name(out, again);
	return strcmp(name, again) == 0;
}

static int
by_age(const void *a, const void *b)
{
	const struct record_file_segment *x = a, *y = b;

	if (x->recording != y->recording)
		return x->recording < y->recording ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

int
record_file_list(
	const char *dir, struct record_file_list *out, struct reason *why)
{
	DIR *d = opendir(dir);
	size_t cap = 0;
	struct dirent *e;

	*out = (struct record_file_list){0};
	if (d == NULL)
		return reason_set(
			why, "%s: cannot be read: %s", dir, strerror(errno));
	while ((e = readdir(d)) != NULL) {
		struct record_file_segment s;
		struct stat st;

		if (!read_name(e->d_name, &s) ||
			fstatat(dirfd(d), e->d_name, &st,
				AT_SYMLINK_NOFOLLOW) != 0 ||
			!S_ISREG(st.st_mode))
			continue;
		s.size = (uint64_t)st.st_size;
		out->segment = mem_grow(
			out->segment, out->n, &cap, sizeof(*out->segment));
		out->segment[out->n++] = s;
	}
	(void)closedir(d);
	if (out->n > 0)
		qsort(out->segment, out->n, sizeof(*out->segment), by_age);
	return 0;
}

void
record_file_list_free(struct record_file_list *l)
{
	free(l->segment);
	*l = (struct record_file_list){0};
}

uint64_t
record_file_checksum(const uint8_t *content, size_t n)
{
	uint64_t h = hash_mix(FNV_START, n);
	size_t i = 0;

	for (; i + 8 <= n; i += 8)
		h = hash_mix(h, be_get64(content + i));
	return hash_spread(fnv_more(h, content + i, n - i));
}

/* ---- writing ---- */

struct record_file *
record_file_new(const char *dir, uint64_t room, uint64_t recording)
{
	struct record_file *f = mem_zalloc(1, sizeof(*f));

	f->dir = mem_strdup(dir);
	f->room = room;
	f->segment_most = room / SEGMENTS;
	if (f->segment_most < SEGMENT_MIN)
		f->segment_most = SEGMENT_MIN;
	if (f->segment_most > SEGMENT_MAX)
		f->segment_most = SEGMENT_MAX;
	f->recording = recording;
	f->fd = -1;
	f->zstd = ZSTD_createCCtx();
	(void)ZSTD_CCtx_setParameter(f->zstd, ZSTD_c_compressionLevel, LEVEL);
	(void)ZSTD_CCtx_setParameter(f->zstd, ZSTD_c_windowLog, WINDOW_LOG);
	return f;
}

static void
close_segment(struct record_file *f)
{
	if (f->fd >= 0)
		(void)close(f->fd);
	f->fd = -1;
	(void)ZSTD_CCtx_reset(f->zstd, ZSTD_reset_session_only);
}

void
record_file_free(struct record_file *f)
{
	if (f == NULL)
		return;
	close_segment(f);
	(void)ZSTD_freeCCtx(f->zstd);
	buf_free(&f->frame);
	free(f->dir);
	free(f);
}

/* Remove the oldest segments until there is room for one more. */
static int
make_room(struct record_file *f, struct reason *why)
{
	struct record_file_list l;
	uint64_t all = f->segment_most;
	char path[4096];

	if (record_file_list(f->dir, &l, why) != 0)
		return -1;
	for (size_t i = 0; i < l.n; i++)
		all += l.segment[i].size;
	for (size_t i = 0; i < l.n && (all > f->room || l.n - i >= FILES_MAX);
		i++) {
		char name[RECORD_FILE_NAME];

		if (l.segment[i].recording == f->recording &&
			l.segment[i].number == 0)
			continue;
		record_file_name(&l.segment[i], name);
		(void)snprintf(path, sizeof(path), "%s/%s", f->dir, name);
		if (unlink(path) == 0)
			all -= l.segment[i].size;
	}
	record_file_list_free(&l);
	return 0;
}

/* All n bytes, or none: 0, or -1 and errno. */
static int
write_whole(struct record_file *f, const void *bytes, size_t n)
{
	size_t done = 0;

	while (done < n) {
		ssize_t put =
			write(f->fd, (const char *)bytes + done, n - done);
		int error = errno;

		if (put < 0 && error == EINTR)
			continue;
		if (put <= 0) {
			/* what is left is read as a segment that was cut */
			(void)!ftruncate(f->fd, (off_t)f->size);
			errno = put == 0 ? EIO : error;
			return -1;
		}
		done += (size_t)put;
	}
	f->size += n;
	f->bytes += n;
	return 0;
}

static int
open_segment(struct record_file *f, struct reason *why)
{
	struct record_file_segment s = {
		.recording = f->recording, .number = f->number};
	char name[RECORD_FILE_NAME], path[4096];
	struct buf line = {0};
	int rc;

	if (file_make_dirs(f->dir, why) != 0 || make_room(f, why) != 0)
		return -1;
	record_file_name(&s, name);
	(void)snprintf(path, sizeof(path), "%s/%s", f->dir, name);
	f->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (f->fd < 0)
		return reason_set(
			why, "%s: cannot be made: %s", path, strerror(errno));
	f->number++;
	f->size = 0;
	buf_printf(&line,
		RECORD_FILE_WORD " %d " VERSION_TEXT " %016" PRIx64 " %" PRIu64
				 "\n",
		RECORD_FILE_FORMAT, s.recording, s.number);
	rc = write_whole(f, line.text, line.n);
	buf_free(&line);
	if (rc != 0) {
		(void)reason_set(why, "%s: cannot be written: %s", path,
			strerror(errno));
		close_segment(f);
	}
	return rc;
}

/* Make the frame of these entries. */
static void
fill_frame(struct record_file *f, const uint8_t *entries, size_t n)
{
	size_t most = ZSTD_compressBound(n) + ZSTD_CStreamOutSize(), left;
	ZSTD_inBuffer in = {entries, n, 0};
	ZSTD_outBuffer out;
	uint8_t *head;

	if (f->frame.cap < RECORD_FILE_FRAME + most) {
		f->frame.cap = RECORD_FILE_FRAME + most;
		f->frame.text = mem_resize(f->frame.text, f->frame.cap, 1);
	}
	head = (uint8_t *)f->frame.text;
	out = (ZSTD_outBuffer){head + RECORD_FILE_FRAME, most, 0};
	do
		left = ZSTD_compressStream2(f->zstd, &out, &in, ZSTD_e_flush);
	while (left != 0 && !ZSTD_isError(left));
	be_put32(head, (uint32_t)out.pos);
	be_put64(head + 4,
		record_file_checksum(head + RECORD_FILE_FRAME, out.pos));
	f->frame.n = RECORD_FILE_FRAME + out.pos;
}

int
record_file_append(struct record_file *f, const uint8_t *entries, size_t n,
	struct reason *why)
{
	if (f->fd >= 0 && f->size >= f->segment_most)
		close_segment(f);
	if (f->fd < 0 && open_segment(f, why) != 0)
		return -1;
	fill_frame(f, entries, n);
	if (write_whole(f, f->frame.text, f->frame.n) == 0)
		return 0;
	(void)reason_set(
		why, "%s: cannot be written: %s", f->dir, strerror(errno));
	close_segment(f);
	return -1;
}

uint64_t
record_file_bytes(const struct record_file *f)
{
	return f->bytes;
}

uint64_t
record_file_segments(const struct record_file *f)
{
	return f->number;
}
