#include "sm/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sm/base/mem.h"
#include "sm/store_text.h"

enum { ASIDE_MAX = 9999 };

#define TEMPORARY STORE_FILE ".new"

static int
fail(struct reason *why, const char *path, const char *what)
{
	return reason_set(why, "%s: %s: %s", path, what, strerror(errno));
}

/* Read a whole file of at most STORE_MAX_BYTES; *text is to be freed. */
static int
slurp(int fd, const char *path, char **text, size_t *n, struct reason *why)
{
	struct stat st;
	ssize_t got;

	*n = 0;
	if (fstat(fd, &st) < 0)
		return fail(why, path, "cannot be read");
	if (!S_ISREG(st.st_mode))
		return reason_set(why, "%s: not a regular file", path);
	if (st.st_size > (off_t)STORE_MAX_BYTES)
		return reason_set(why, "%s: larger than %u MiB", path,
			STORE_MAX_BYTES >> 20);
	*text = mem_alloc((size_t)st.st_size + 1);
	while (*n < (size_t)st.st_size) {
		got = read(fd, *text + *n, (size_t)st.st_size - *n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return fail(why, path, "cannot be read");
		if (got == 0)
			break;
		*n += (size_t)got;
	}
	(*text)[*n] = '\0';
	return *n > 0 ? 0 : reason_set(why, "%s: the file is empty", path);
}

/* Rename the file out of the way and say so. */
static void
set_aside(int dir, struct reason *why)
{
	char name[sizeof(STORE_FILE) + 32];
	unsigned i;

	for (i = 1; i <= ASIDE_MAX; i++) {
		(void)snprintf(name, sizeof(name), STORE_FILE ".corrupt-%u", i);
		if (faccessat(dir, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
			continue;
		if (errno == ENOENT &&
			renameat(dir, STORE_FILE, dir, name) == 0) {
			(void)fsync(dir);
			(void)reason_add(why, "; set aside as %s", name);
			return;
		}
		break;
	}
	(void)reason_add(why, "; it could not be set aside: %s",
		i > ASIDE_MAX ? "too many are" : strerror(errno));
}

/* Read the file in dir (open); as store_load, but sets nothing aside. */
static int
load_at(int dir, const char *path, struct store_state *s, struct reason *why)
{
	int fd = openat(dir, STORE_FILE,
		O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	char *text = NULL;
	size_t n;
	int rc;

	if (fd < 0 && errno == ENOENT)
		return 1;
	if (fd < 0)
		return fail(why, path, "cannot be opened");
	rc = slurp(fd, path, &text, &n, why);
	(void)close(fd);
	s->arena = arena_new();
	if (rc == 0)
		rc = store_text_read(path, text, n, s, why);
	free(text);
	if (rc < 0)
		store_free(s);
	return rc;
}

int
store_load(const char *dir, struct store_state *s, struct reason *why)
{
	struct buf path = {0};
	int fd, rc;

	*s = (struct store_state){0};
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 1 : fail(why, dir, "cannot be opened");
	buf_printf(&path, "%s/" STORE_FILE, dir);
	rc = load_at(fd, path.text, s, why);
	if (rc < 0)
		set_aside(fd, why);
	buf_free(&path);
	(void)close(fd);
	return rc;
}

void
store_free(struct store_state *s)
{
	arena_free(s->arena);
	*s = (struct store_state){0};
}

void
store_print(const struct store_state *s, struct buf *out)
{
	store_text_print(s, out);
}

/* Would store_load believe it? Asked of what is about to be written. */
static int
check_print(const struct buf *text, const char *path, struct reason *why)
{
	struct store_state s = {.arena = arena_new()};
	char *copy;
	int rc;

	if (text->n > STORE_MAX_BYTES) {
		store_free(&s);
		return reason_set(why, "%s: would be larger than %u MiB", path,
			STORE_MAX_BYTES >> 20);
	}
	copy = mem_dup(text->text, text->n);
	rc = store_text_read(path, copy, text->n, &s, why);
	free(copy);
	store_free(&s);
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

/* Write beside, then rename over: readers see the old or the new, whole. */
static int
replace(int dir, const char *path, const struct buf *text, struct reason *why)
{
	int fd, rc;

	/* a leftover of a crash, or something put there */
	(void)unlinkat(dir, TEMPORARY, 0);
	fd = openat(
		dir, TEMPORARY, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
	if (fd < 0)
		return fail(why, path, "cannot be written");
	rc = write_all(fd, text->text, text->n);
	if (rc < 0)
		rc = fail(why, path, "cannot be written");
	if (close(fd) < 0 && rc == 0)
		rc = fail(why, path, "cannot be written");
	if (rc == 0 && renameat(dir, TEMPORARY, dir, STORE_FILE) < 0)
		rc = fail(why, path, "cannot be replaced");
	if (rc < 0)
		(void)unlinkat(dir, TEMPORARY, 0);
	else if (fsync(dir) < 0)
		rc = fail(why, path, "cannot be made to last");
	return rc;
}

int
store_put(const char *dir, const struct buf *text, struct reason *why)
{
	struct buf path = {0};
	int fd = -1, rc;

	buf_printf(&path, "%s/" STORE_FILE, dir);
	rc = check_print(text, path.text, why);
	if (rc < 0)
		goto out;
	if (mkdir(dir, 0750) < 0 && errno != EEXIST) {
		rc = fail(why, dir, "cannot be made");
		goto out;
	}
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	rc = fd < 0 ? fail(why, dir, "cannot be opened")
		    : replace(fd, path.text, text, why);
out:
	if (fd >= 0)
		(void)close(fd);
	buf_free(&path);
	return rc;
}

int
store_save(const char *dir, const struct store_state *s, struct reason *why)
{
	struct buf text = {0};
	int rc;

	store_print(s, &text);
	rc = store_put(dir, &text, why);
	buf_free(&text);
	return rc;
}
