/*
 * Any bytes as a file of events, as a crash, a full disk or another program may
 * leave it: what is told of it are whole lines in it; then an event is
 * appended, and is the last one that is read.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sm/state/event_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
require_true(bool ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "events_fuzz: %s\n", what);
		abort();
	}
}

/* What a reader has told. */
struct told {
	size_t n, bytes;
	uint64_t last;
};

static void
take_line(void *cookie, const struct event_file_line *l)
{
	struct told *t = cookie;

	require_true(memchr(l->text, '\n', l->n) == NULL, "two lines in one");
	require_true(memchr(l->text, '\0', l->n) == NULL, "bytes of zero");
	t->n++;
	t->bytes += l->n;
	t->last = l->seq;
}

static const char *
make_dir(void)
{
	static char dir[] = "/tmp/heddle-fuzz-XXXXXX";
	static bool made;

	if (!made)
		require_true(mkdtemp(dir) != NULL, "a directory");
	made = true;
	return dir;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char line[] =
		"{\"seq\":7,\"time\":\"2026-11-26T14:40:19.511337Z\","
		"\"kind\":\"stop\"}\n";
	struct event_file_faults faults;
	struct told before = {0}, after = {0};
	struct event_file *f;
	struct reason why;
	char path[64];
	int fd;

	(void)snprintf(path, sizeof(path), "%s/events", make_dir());
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	require_true(
		fd >= 0 && write(fd, data, size) == (ssize_t)size, "the file");
	(void)close(fd);
	(void)event_file_read(path, take_line, &before, &faults, &why);
	require_true(before.bytes + before.n <= size + 1, "more than is there");
	f = event_file_new(make_dir(), 1 << 24);
	require_true(event_file_append(f, line, sizeof(line) - 1, &why) == 0,
		"an event cannot be appended");
	event_file_free(f);
	require_true(
		event_file_read(path, take_line, &after, &faults, &why) == 0,
		"what was appended cannot be read");
	require_true(after.n >= 1 && after.last == 7 && !faults.cut,
		"the event is not there");
	return 0;
}
