#include "sm/record/record_bundle.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "sm/base/be.h"
#include "sm/base/buf.h"
#include "sm/base/file.h"
#include "sm/base/mem.h"
#include "sm/base/version.h"
#include "sm/record/record_entry.h"
#include "sm/record/record_file.h"

enum { CHUNK = 1 << 16, LINE = 128, LENGTH = 4, SIZE = 8 };

/* A segment has at most so many bytes. */
enum { SEGMENT_LIMIT = 1 << 30 };

#define NO_MORE UINT64_MAX

/* ---- making one ---- */

static int
put_number(FILE *out, uint64_t x)
{
	uint8_t b[SIZE];

	be_put64(b, x);
	return fwrite(b, 1, sizeof(b), out) == sizeof(b) ? 0 : -1;
}

/* Bytes of a segment up to the last frame that is whole. */
static size_t
find_whole(const char *text, size_t n)
{
	const char *line = memchr(text, '\n', n);
	size_t at = line != NULL ? (size_t)(line - text) + 1 : n, step;

	while (n - at >= RECORD_FILE_FRAME) {
		step = RECORD_FILE_FRAME + be_get32((const uint8_t *)text + at);
		if (step > n - at)
			break;
		at += step;
	}
	return at;
}

/* Copy a segment; of the one that is being written, what is whole. 1: it has
 * gone meanwhile. */
static int
copy_segment(const char *path, bool newest, FILE *out, uint64_t *bytes,
	struct reason *why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	char *text = NULL;
	ssize_t n = -1;

	if (fd < 0 && errno == ENOENT)
		return 1;
	if (fd >= 0)
		n = file_read_regular(fd, SEGMENT_LIMIT, &text);
	if (n < 0)
		(void)reason_set(
			why, "%s: cannot be read: %s", path, strerror(errno));
	if (fd >= 0)
		(void)close(fd);
	if (n < 0)
		return -1;
	if (newest)
		n = (ssize_t)find_whole(text, (size_t)n);
	*bytes += (uint64_t)n;
	(void)put_number(out, (uint64_t)n);
	(void)fwrite(text, 1, (size_t)n, out);
	free(text);
	return 0;
}

static int
copy_segments(const char *dir, const struct record_file_list *l, FILE *out,
	uint64_t *segments, uint64_t *bytes, struct reason *why)
{
	char name[RECORD_FILE_NAME], path[4096];

	(void)fprintf(out, RECORD_BUNDLE_WORD " %d " VERSION_TEXT "\n",
		RECORD_BUNDLE_FORMAT);
	for (size_t i = 0; i < l->n && !ferror(out); i++) {
		int rc;

		record_file_name(&l->segment[i], name);
		(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
		rc = copy_segment(path, i + 1 == l->n, out, bytes, why);
		if (rc < 0)
			return -1;
		*segments += rc == 0;
	}
	(void)put_number(out, NO_MORE);
	(void)put_number(out, *segments);
	return 0;
}

int
record_bundle_save(const char *dir, const char *file, uint64_t *segments,
	uint64_t *bytes, struct reason *why)
{
	struct record_file_list l;
	FILE *out;
	int fd, rc;

	*segments = *bytes = 0;
	if (record_file_list(dir, &l, why) != 0)
		return -1;
	if (l.n == 0)
		return reason_set(why, "%s: there is no recording", dir);
	fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	out = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (out == NULL) {
		record_file_list_free(&l);
		return reason_set(
			why, "%s: cannot be made: %s", file, strerror(errno));
	}
	rc = copy_segments(dir, &l, out, segments, bytes, why);
	record_file_list_free(&l);
	if (ferror(out) && rc == 0)
		rc = reason_set(why, "%s: cannot be written", file);
	if (fclose(out) != 0 && rc == 0)
		rc = reason_set(why, "%s: cannot be written: %s", file,
			strerror(errno));
	if (rc != 0)
		(void)unlink(file);
	return rc;
}

/* ---- reading one ---- */

struct record_reader {
	FILE *in;
	char *file;
	uint64_t left; /* bytes of the segment */
	bool in_segment, ended;
	struct record_file_segment segment; /* the present one */
	uint64_t segments;
	ZSTD_DCtx *zstd;
	struct buf frame, text; /* text: entries that were decompressed */
	size_t at;		/* in text */
	struct buf gap;
	bool has_gap;
};

static int
refuse_bundle(
	const struct record_reader *r, struct reason *why, const char *what)
{
	return reason_set(why, "%s: byte %ld: %s", r->file, ftell(r->in), what);
}

/* All n bytes. */
static int
read_bytes(struct record_reader *r, void *to, size_t n, struct reason *why)
{
	if (fread(to, 1, n, r->in) == n)
		return 0;
	return ferror(r->in) ? reason_set(why, "%s: cannot be read: %s",
				       r->file, strerror(errno))
			     : refuse_bundle(r, why, "the bundle was cut here");
}

/* A line of at most `most` bytes, without its end. */
static int
read_line(struct record_reader *r, uint64_t most, char line[LINE])
{
	size_t n = 0;
	int c = 0;

	while (n < LINE - 1 && n < most && (c = getc(r->in)) != EOF &&
		c != '\n')
		line[n++] = (char)c;
	line[n] = '\0';
	return c == '\n' ? 0 : -1;
}

/* What a line says behind its word: formats and versions must be ours. */
static int
check_version(const struct record_reader *r, const char *line, const char *word,
	int ours, struct reason *why)
{
	char version[LINE];
	int format;

	if (strncmp(line, word, strlen(word)) != 0 ||
		sscanf(line + strlen(word), " %d %127s", &format, version) != 2)
		return refuse_bundle(r, why, "this is no bundle of recordings");
	if (format != ours || strcmp(version, VERSION_TEXT) != 0)
		return reason_set(why,
			"%s: recorded by heddled %s (format %d), and this is "
			"%s (format %d): only the same version takes the same "
			"decisions",
			r->file, version, format, VERSION_TEXT, ours);
	return 0;
}

struct record_reader *
record_reader_open(const char *file, struct reason *why)
{
	struct record_reader *r = mem_zalloc(1, sizeof(*r));
	char line[LINE];

	r->file = mem_strdup(file);
	r->zstd = ZSTD_createDCtx();
	r->in = fopen(file, "re");
	if (r->in == NULL) {
		(void)reason_set(
			why, "%s: cannot be read: %s", file, strerror(errno));
		record_reader_free(r);
		return NULL;
	}
	(void)read_line(r, LINE, line);
	if (check_version(r, line, RECORD_BUNDLE_WORD, RECORD_BUNDLE_FORMAT,
		    why) != 0) {
		record_reader_free(r);
		return NULL;
	}
	return r;
}

void
record_reader_free(struct record_reader *r)
{
	if (r == NULL)
		return;
	if (r->in != NULL)
		(void)fclose(r->in);
	(void)ZSTD_freeDCtx(r->zstd);
	buf_free(&r->frame);
	buf_free(&r->text);
	buf_free(&r->gap);
	free(r->file);
	free(r);
}

static void
add_gap(struct record_reader *r)
{
	record_put_gap(0, &r->gap);
	r->has_gap = true;
}

/* A segment follows another one, or begins its recording, or there is a gap. */
static void
note_order(struct record_reader *r, const struct record_file_segment *s)
{
	bool goes_on = r->segments > 1 &&
		       s->recording == r->segment.recording &&
		       s->number == r->segment.number + 1;

	if (!goes_on && s->number != 0)
		add_gap(r);
	r->segment = *s;
}

/* 1; 0: there is none; -1 and why. */
static int
open_segment(struct record_reader *r, struct reason *why)
{
	struct record_file_segment s = {0};
	uint8_t b[SIZE];
	char line[LINE];

	if (read_bytes(r, b, sizeof(b), why) != 0)
		return -1;
	r->left = be_get64(b);
	if (r->left == NO_MORE) {
		if (read_bytes(r, b, sizeof(b), why) != 0)
			return -1;
		if (be_get64(b) != r->segments)
			return refuse_bundle(
				r, why, "segments are missing from the bundle");
		r->ended = true;
		return 0;
	}
	r->segments++;
	r->text.n = r->at = 0;
	(void)ZSTD_DCtx_reset(r->zstd, ZSTD_reset_session_only);
	if (read_line(r, r->left, line) != 0)
		return refuse_bundle(r, why, "a segment has no head");
	if (check_version(r, line, RECORD_FILE_WORD, RECORD_FILE_FORMAT, why) !=
		0)
		return -1;
	if (sscanf(line, RECORD_FILE_WORD " %*d %*s %" SCNx64 " %" SCNu64,
		    &s.recording, &s.number) != 2)
		return refuse_bundle(r, why, "a segment has no number");
	r->left -= strlen(line) + 1;
	r->in_segment = true;
	note_order(r, &s);
	return 1;
}

/* Decompress a frame behind what is left of the text. */
static int
unpack_frame(struct record_reader *r, struct reason *why)
{
	ZSTD_inBuffer in = {r->frame.text, r->frame.n, 0};
	char chunk[CHUNK];

	buf_drop(&r->text, r->at);
	r->at = 0;
	for (;;) {
		ZSTD_outBuffer out = {chunk, sizeof(chunk), 0};
		size_t rc = ZSTD_decompressStream(r->zstd, &out, &in);

		if (ZSTD_isError(rc))
			return refuse_bundle(r, why, ZSTD_getErrorName(rc));
		buf_put(&r->text, chunk, out.pos);
		if (r->text.n > (size_t)RECORD_ENTRY_MAX * 2)
			return refuse_bundle(r, why, "a frame is too long");
		if (in.pos == in.size && out.pos < out.size)
			return 0;
	}
}

/* There is no further frame that is whole. What the daemon was writing when it
 * was killed is missing. */
static int
end_segment(struct record_reader *r, uint32_t n, struct reason *why)
{
	r->in_segment = false;
	if (r->left > 0 || n > 0)
		add_gap(r);
	return fseek(r->in, (long)r->left, SEEK_CUR) == 0
		       ? 0
		       : reason_set(why, "%s: cannot be read on: %s", r->file,
				 strerror(errno));
}

/* The next frame of the segment: 1; 0: it ends, in order or cut; -1 and why. */
static int
read_frame(struct record_reader *r, struct reason *why)
{
	uint8_t head[RECORD_FILE_FRAME];
	uint32_t n = 0;

	if (r->left >= sizeof(head)) {
		if (read_bytes(r, head, sizeof(head), why) != 0)
			return -1;
		r->left -= sizeof(head);
		n = be_get32(head);
	}
	if (n == 0 || n > r->left)
		return end_segment(r, n, why);
	r->frame.n = 0;
	for (size_t done = 0; done < n;) {
		char chunk[CHUNK];
		size_t k = n - done < CHUNK ? n - done : CHUNK;

		if (read_bytes(r, chunk, k, why) != 0)
			return -1;
		buf_put(&r->frame, chunk, k);
		done += k;
	}
	r->left -= n;
	if (record_file_checksum((const uint8_t *)r->frame.text, n) !=
		be_get64(head + LENGTH))
		return refuse_bundle(r, why, "the bytes before it are corrupt");
	return unpack_frame(r, why) == 0 ? 1 : -1;
}

/* Take a whole entry from the text, if there is one. */
static bool
take_entry(struct record_reader *r, uint8_t **entry, size_t *n)
{
	uint8_t *p = (uint8_t *)r->text.text + r->at;

	if (r->text.n - r->at < LENGTH ||
		r->text.n - r->at - LENGTH < be_get32(p))
		return false;
	*n = be_get32(p);
	*entry = p + LENGTH;
	r->at += LENGTH + *n;
	return true;
}

int
record_reader_next(void *reader, uint8_t **entry, size_t *n, struct reason *why)
{
	struct record_reader *r = reader;
	int rc;

	for (;;) {
		if (r->has_gap) {
			r->has_gap = false;
			*entry = (uint8_t *)r->gap.text;
			*n = r->gap.n;
			return 1;
		}
		if (r->in_segment && take_entry(r, entry, n))
			return 1;
		if (r->ended)
			return 0;
		rc = r->in_segment ? read_frame(r, why) : open_segment(r, why);
		if (rc < 0)
			return -1;
	}
}
