#include "sm/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sm/base/buf.h"
#include "sm/base/mem.h"

/* Read until the end or until max bytes are there: the count, or -1. */
static ssize_t
read_bytes(int fd, char *text, size_t max)
{
	size_t n = 0;

	while (n < max) {
		ssize_t got = read(fd, text + n, max - n);

		if (got == 0)
			break;
		if (got < 0 && errno != EINTR)
			return -1;
		if (got > 0)
			n += (size_t)got;
	}
	return (ssize_t)n;
}

ssize_t
file_read_regular(int fd, size_t most, char **text)
{
	struct stat st;
	ssize_t n;

	*text = NULL;
	if (fstat(fd, &st) < 0)
		return -1;
	if (!S_ISREG(st.st_mode)) {
		errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
		return -1;
	}
	/* files of /proc are regular and say that they are empty */
	if (st.st_size > 0 && (uintmax_t)st.st_size < most)
		most = (size_t)st.st_size;
	*text = mem_alloc(most + 1);
	n = read_bytes(fd, *text, most);
	if (n < 0) {
		int error = errno;

		free(*text);
		*text = NULL;
		errno = error;
		return -1;
	}
	(*text)[n] = '\0';
	return n;
}

ssize_t
file_read_text(int fd, char **text)
{
	struct buf b = {0};
	char part[65536];
	ssize_t got;
	int error;

	buf_put(&b, "", 0);
	while ((got = read_bytes(fd, part, sizeof(part))) > 0 &&
		memchr(part, '\0', (size_t)got) == NULL)
		buf_put(&b, part, (size_t)got);
	error = got > 0 ? EILSEQ : errno;
	*text = b.text;
	if (got == 0)
		return (ssize_t)b.n;
	*text = NULL;
	buf_free(&b);
	errno = error;
	return -1;
}

bool
file_read_line(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read_bytes(fd, text, size - 1);

	if (fd >= 0)
		(void)close(fd);
	text[n < 0 ? 0 : n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return text[0] != '\0';
}

int
file_replace(const char *file, const struct buf *text, struct reason *why)
{
	struct buf temp = {0};
	struct stat st;
	ssize_t put = -1;
	int fd, ret = 0;

	if (stat(file, &st) == 0 && !S_ISREG(st.st_mode))
		return reason_set(why, "%s: is not a regular file", file);
	/* of another ending: a collector that reads the directory ignores it */
	buf_printf(&temp, "%s.XXXXXX", file);
	fd = mkstemp(temp.text);
	if (fd >= 0)
		put = write(fd, text->text, text->n);
	if (put != (ssize_t)text->n || fchmod(fd, 0644) != 0 ||
		rename(temp.text, file) != 0)
		ret = reason_set(why, "%s: %s", file,
			put >= 0 && put != (ssize_t)text->n ? "disk full"
							    : strerror(errno));
	if (ret != 0 && fd >= 0)
		(void)unlink(temp.text);
	if (fd >= 0)
		(void)close(fd);
	buf_free(&temp);
	return ret;
}

static int
make_one(const char *dir, struct reason *why)
{
	struct stat st;

	if (mkdir(dir, 0755) == 0)
		return 0;
	if (errno == EEXIST && stat(dir, &st) == 0 && S_ISDIR(st.st_mode))
		return 0;
	return reason_set(why, "cannot make directory %s: %s", dir,
		strerror(errno == EEXIST ? ENOTDIR : errno));
}

int
file_make_dirs(const char *dir, struct reason *why)
{
	char *copy = mem_strdup(dir);
	int ret = 0;

	for (char *p = copy + 1; *copy != '\0' && *p != '\0' && ret == 0; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		ret = make_one(copy, why);
		*p = '/';
	}
	if (ret == 0 && *copy != '\0')
		ret = make_one(copy, why);
	free(copy);
	return ret;
}

int
file_make_parent(const char *file, struct reason *why)
{
	const char *slash = strrchr(file, '/');
	char *dir;
	int ret;

	if (slash == NULL || slash == file)
		return 0;
	dir = mem_dup(file, (size_t)(slash - file) + 1);
	dir[slash - file] = '\0';
	ret = file_make_dirs(dir, why);
	free(dir);
	return ret;
}
