/* Files: read whole, and taken apart line by line. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/import/import_priv.h"
#include "sm/base/file.h"

enum { MAX_FILE = 4 << 20 };

/* 0 if the text is one; else -1 and why. */
static int
check_text(const char *name, const char *text, size_t len, struct reason *why)
{
	const char *nul = memchr(text, '\0', len);
	unsigned line = 1;

	if (nul == NULL)
		return 0;
	for (const char *c = text; c < nul; c++)
		line += *c == '\n';
	errno = EINVAL;
	return reason_set(
		why, "%.200s:%u: a NUL byte: this is no text file", name, line);
}

/* Read an open file into *out. */
static int
read_open(int fd, const char *name, struct import_file *out, struct reason *why)
{
	/* one byte more than is allowed tells that it is too large */
	ssize_t n = file_read_regular(fd, MAX_FILE + 1, &out->text);

	if (n < 0)
		return reason_set(why, "%.200s: %s", name,
			errno == EISDIR || errno == EINVAL
				? "not a regular file"
				: strerror(errno));
	if (n > MAX_FILE) {
		errno = EFBIG;
		return reason_set(why, "%.200s: larger than 4 MiB", name);
	}
	out->len = (size_t)n;
	return check_text(name, out->text, out->len, why);
}

int
import_read(const char *name, struct import_file *out, struct reason *why)
{
	/* O_NONBLOCK: a FIFO must not hang */
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int rc, error;

	*out = (struct import_file){.name = name};
	if (fd < 0)
		return reason_set(why, "%.200s: %s", name, strerror(errno));
	rc = read_open(fd, name, out, why);
	error = errno;
	(void)close(fd);
	if (rc != 0) {
		free(out->text);
		out->text = NULL;
	}
	errno = error;
	return rc;
}

static void
cut_line(struct import_line *line)
{
	static const char blank[] = " \t\r\f\v";
	size_t n;

	line->text[strcspn(line->text, "#")] = '\0';
	line->key = line->text + strspn(line->text, blank);
	line->rest = line->key + strcspn(line->key, blank);
	if (*line->rest != '\0')
		*line->rest++ = '\0';
	line->rest += strspn(line->rest, blank);
	n = strlen(line->rest);
	while (n > 0 && strchr(blank, line->rest[n - 1]) != NULL)
		line->rest[--n] = '\0';
}

bool
import_next_line(const struct import_file *f, size_t *at,
	struct import_line *line, struct import_notes *notes)
{
	if (*at == 0)
		line->number = 0;
	while (*at < f->len) {
		const char *from = f->text + *at;
		size_t n = strcspn(from, "\n");

		line->number++;
		*at += n + 1;
		if (n >= sizeof(line->text)) {
			import_lost(notes, f, line->number, "line too long");
			continue;
		}
		memcpy(line->text, from, n);
		line->text[n] = '\0';
		cut_line(line);
		if (*line->key != '\0')
			return true;
	}
	return false;
}
