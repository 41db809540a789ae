#include "sm/state/state_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sm/base/buf.h"
#include "sm/base/file.h"
#include "sm/base/hash.h"
#include "sm/base/mem.h"
#include "sm/state/state_file_priv.h"

enum { VERSION = 1, ASIDE_MAX = 9999 };

#define TEMPORARY STATE_FILE_FILE ".new"

#define HEADER "heddle-state "

/* Check header and checksum: both must hold before a record is read. *body to
 * *end is what lies between them. */
static int
read_frame(struct state_file_reader *r, char *text, size_t n, char **body,
	char **end)
{
	const char *eol = memchr(text, '\n', n);
	uint64_t version, sum;
	char *s, *last;

	r->line = 1;
	if (eol == NULL || strncmp(text, HEADER, strlen(HEADER)) != 0)
		return state_words_complain(
			r, 1, "header", "not a heddle-state file");
	*body = text + (eol - text) + 1;
	(*body)[-1] = '\0';
	if (!state_words_number(
		    text + strlen(HEADER), 10, UINT32_MAX, &version))
		return state_words_complain(r, 1, "header", "no version");
	if (version != VERSION)
		return reason_set(r->why,
			"%s:1: header: version %" PRIu64
			" is not supported (this program reads %d)",
			r->path, version, VERSION);
	(*body)[-1] = '\n';
	if (memchr(text, '\0', n) != NULL)
		return state_words_complain(r, 1, "file", "has bytes of zero");
	last = memrchr(text, '\n', n - 1);
	s = last == NULL ? text : last + 1;
	if (text[n - 1] != '\n' || strncmp(s, "checksum ", 9) != 0 || s < *body)
		return reason_set(r->why,
			"%s: checksum: not at the end; the file is truncated",
			r->path);
	text[n - 1] = '\0';
	if (!state_words_number(s + 9, 16, UINT64_MAX, &sum) ||
		sum != fnv_more(FNV_START, text, (size_t)(s - text)))
		return reason_set(r->why,
			"%s: checksum: does not match the content", r->path);
	*end = s;
	return 0;
}

static int
read_text(struct state_file_reader *r, char *text, size_t n)
{
	char *s = text, *end = text, *eol;
	int rc = read_frame(r, text, n, &s, &end);

	for (r->line = 2; rc == 0 && s < end; s = eol + 1, r->line++) {
		eol = memchr(s, '\n', (size_t)(end - s));
		*eol = '\0'; /* end follows a newline */
		rc = state_records_read(r, s);
	}
	if (rc == 0)
		rc = state_records_check(r);
	if (rc == 0)
		state_records_keep(r);
	state_records_free(r);
	return rc;
}

static int
fail_errno(struct reason *why, const char *path, const char *what)
{
	return reason_set(why, "%s: %s: %s", path, what, strerror(errno));
}

/* Read a whole file of at most STATE_FILE_MAX_BYTES; *text is to be freed. */
static int
read_whole(int fd, const char *path, char **text, size_t *n, struct reason *why)
{
	ssize_t got = file_read_regular(fd, STATE_FILE_MAX_BYTES + 1, text);

	if (got < 0 && (errno == EISDIR || errno == EINVAL))
		return reason_set(why, "%s: not a regular file", path);
	if (got < 0)
		return fail_errno(why, path, "cannot be read");
	*n = (size_t)got;
	if (*n > STATE_FILE_MAX_BYTES)
		return reason_set(why, "%s: larger than %zu MiB", path,
			STATE_FILE_MAX_BYTES >> 20);
	return *n > 0 ? 0 : reason_set(why, "%s: the file is empty", path);
}

/* Rename the file to a free name and add that to why. */
static void
set_aside(int dir, const char *word, struct reason *why)
{
	char name[sizeof(STATE_FILE_FILE) + 32];
	unsigned i;

	for (i = 1; i <= ASIDE_MAX; i++) {
		(void)snprintf(
			name, sizeof(name), STATE_FILE_FILE ".%s-%u", word, i);
		if (faccessat(dir, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
			continue;
		if (errno == ENOENT &&
			renameat(dir, STATE_FILE_FILE, dir, name) == 0) {
			(void)fsync(dir);
			(void)reason_add(why, "; set aside as %s", name);
			return;
		}
		break;
	}
	(void)reason_add(why, "; it could not be set aside: %s",
		i > ASIDE_MAX ? "too many are" : strerror(errno));
}

int
state_file_parse(const char *text, size_t n, const char *name,
	struct state_file *s, struct reason *why)
{
	struct state_file_reader r = {.path = name, .s = s, .why = why};
	char *copy = mem_alloc(n + 1);
	int rc;

	*s = (struct state_file){.arena = arena_new()};
	memcpy(copy, text, n);
	copy[n] = '\0';
	rc = read_text(&r, copy, n);
	free(copy);
	if (rc < 0)
		state_file_free(s);
	return rc;
}

/* Read the file in dir (open); as state_file_load, but sets nothing aside. */
static int
load_at(int dir, const char *path, struct state_file *s, struct reason *why)
{
	struct state_file_reader r = {.path = path, .s = s, .why = why};
	int fd = openat(dir, STATE_FILE_FILE,
		O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	char *text = NULL;
	size_t n = 0;
	int rc;

	if (fd < 0 && errno == ENOENT)
		return 1;
	if (fd < 0)
		return fail_errno(why, path, "cannot be opened");
	rc = read_whole(fd, path, &text, &n, why);
	(void)close(fd);
	s->arena = arena_new();
	if (rc == 0)
		rc = read_text(&r, text, n);
	free(text);
	if (rc < 0)
		state_file_free(s);
	return rc;
}

int
state_file_load(const char *dir, struct state_file *s, struct reason *why)
{
	struct buf path = {0};
	int fd, rc;

	*s = (struct state_file){0};
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT
			       ? 1
			       : fail_errno(why, dir, "cannot be opened");
	buf_printf(&path, "%s/" STATE_FILE_FILE, dir);
	rc = load_at(fd, path.text, s, why);
	if (rc < 0)
		set_aside(fd, "corrupt", why);
	buf_free(&path);
	(void)close(fd);
	return rc;
}

void
state_file_set_aside(const char *dir, const char *word, struct reason *why)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0) {
		(void)reason_add(why, "; it could not be set aside: %s",
			strerror(errno));
		return;
	}
	set_aside(fd, word, why);
	(void)close(fd);
}

void
state_file_free(struct state_file *s)
{
	arena_free(s->arena);
	*s = (struct state_file){0};
}

void
state_file_print(const struct state_file *s, struct buf *out)
{
	buf_printf(out, HEADER "%d\n", VERSION);
	state_records_print(s, out);
	buf_printf(out, "checksum 0x%016" PRIx64 "\n",
		fnv_more(FNV_START, out->text, out->n));
}

/* 0 if state_file_load would accept what is about to be written. */
static int
check_print(const struct buf *text, const char *path, struct reason *why)
{
	struct state_file s = {.arena = arena_new()};
	struct state_file_reader r = {.path = path, .s = &s, .why = why};
	char *copy;
	int rc;

	if (text->n > STATE_FILE_MAX_BYTES) {
		state_file_free(&s);
		return reason_set(why, "%s: would be larger than %zu MiB", path,
			STATE_FILE_MAX_BYTES >> 20);
	}
	copy = mem_dup(text->text, text->n);
	rc = read_text(&r, copy, text->n);
	free(copy);
	state_file_free(&s);
	return rc;
}

static int
write_all(int fd, const char *p, size_t n)
{
	ssize_t done;

	for (; n > 0; p += done, n -= (size_t)done) {
		done = write(fd, p, n);
		if (done < 0 && errno == EINTR)
			done = 0;
		else if (done < 0)
			return -1;
	}
	return fsync(fd);
}

/* Write a second file, then rename it over the first: readers see the old or
 * the new, complete. */
static int
replace_file(
	int dir, const char *path, const struct buf *text, struct reason *why)
{
	int fd, rc;

	/* left by a crash, or made by another program */
	(void)unlinkat(dir, TEMPORARY, 0);
	fd = openat(
		dir, TEMPORARY, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
	if (fd < 0)
		return fail_errno(why, path, "cannot be written");
	rc = write_all(fd, text->text, text->n);
	if (rc < 0)
		rc = fail_errno(why, path, "cannot be written");
	if (close(fd) < 0 && rc == 0)
		rc = fail_errno(why, path, "cannot be written");
	if (rc == 0 && renameat(dir, TEMPORARY, dir, STATE_FILE_FILE) < 0)
		rc = fail_errno(why, path, "cannot be replaced");
	if (rc < 0)
		(void)unlinkat(dir, TEMPORARY, 0);
	else if (fsync(dir) < 0)
		rc = fail_errno(why, path, "cannot be made to last");
	return rc;
}

int
state_file_put(const char *dir, const struct buf *text, struct reason *why)
{
	struct buf path = {0};
	int fd = -1, rc;

	buf_printf(&path, "%s/" STATE_FILE_FILE, dir);
	rc = check_print(text, path.text, why);
	if (rc < 0)
		goto out;
	if (mkdir(dir, 0750) < 0 && errno != EEXIST) {
		rc = fail_errno(why, dir, "cannot be made");
		goto out;
	}
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	rc = fd < 0 ? fail_errno(why, dir, "cannot be opened")
		    : replace_file(fd, path.text, text, why);
out:
	if (fd >= 0)
		(void)close(fd);
	buf_free(&path);
	return rc;
}
