#include "sm/state/previous_run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sm/base/file.h"
#include "sm/base/log.h"

/* The first 64 bits of the kernel's name for this boot; 0: it has none. */
static uint64_t
boot_id(void)
{
	char text[40], digits[17];
	size_t n = 0;

	if (!file_read_line(
		    "/proc/sys/kernel/random/boot_id", text, sizeof(text)))
		return 0;
	for (const char *c = text; *c != '\0' && n < 16; c++)
		if (*c != '-')
			digits[n++] = *c;
	digits[n] = '\0';
	return n == 16 ? strtoull(digits, NULL, 16) : 0;
}

struct state_file_stamp
previous_run_now(void)
{
	struct timespec up;

	(void)clock_gettime(CLOCK_BOOTTIME, &up);
	return (struct state_file_stamp){
		(uint64_t)time(NULL), boot_id(), (uint64_t)up.tv_sec};
}

uint64_t
previous_run_seconds_between(
	const struct state_file_stamp *from, const struct state_file_stamp *to)
{
	if (from->when == 0)
		return 0;
	if (from->boot != 0 && from->boot == to->boot && from->up <= to->up)
		return to->up - from->up;
	return to->when > from->when ? to->when - from->when : 0;
}

/* "dir/name", as a value. */
struct previous_run_path {
	char text[1024];
};

static struct previous_run_path
path_beside(const char *dir, const char *name)
{
	struct previous_run_path p;

	(void)snprintf(p.text, sizeof(p.text), "%s/%s", dir, name);
	return p;
}

static bool
put_mark(const char *dir, const char *name, bool on)
{
	const struct previous_run_path p = path_beside(dir, name);
	int fd;

	if (!on)
		return unlink(p.text) == 0 || errno == ENOENT;
	fd = open(p.text, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0640);
	return fd >= 0 && close(fd) == 0;
}

bool
previous_run_writing(const char *dir, bool on)
{
	return put_mark(dir, PREVIOUS_RUN_MARK, on);
}

bool
previous_run_unsaved(const char *dir, bool on)
{
	return put_mark(dir, PREVIOUS_RUN_UNSAVED, on);
}

/* Set the file of another fabric aside. */
static void
set_aside(const char *dir, uint64_t prefix, struct state_file *s,
	struct reason *why)
{
	const struct previous_run_path from = path_beside(dir, STATE_FILE_FILE);
	char to[1024];

	(void)snprintf(to, sizeof(to), "%s/" STATE_FILE_FILE ".0x%016" PRIx64,
		dir, s->prefix);
	(void)reason_set(why,
		"%s belongs to another fabric: prefix=0x%016" PRIx64
		", configured 0x%016" PRIx64 ": set aside as %s%s",
		from.text, s->prefix, prefix, to,
		rename(from.text, to) == 0 ? "" : " (that failed)");
	state_file_free(s);
}

bool
previous_run_load(const char *dir, uint64_t prefix, struct state_file *s,
	struct reason *lost)
{
	const struct previous_run_path mark =
		path_beside(dir, PREVIOUS_RUN_MARK);
	const struct previous_run_path unsaved =
		path_beside(dir, PREVIOUS_RUN_UNSAVED);
	struct state_file_stamp now = previous_run_now();
	struct reason why;
	bool writable = true;

	if (file_make_dirs(dir, &why) != 0 ||
		(access(dir, W_OK | X_OK) != 0 &&
			reason_set(&why, "%s", strerror(errno)) != 0)) {
		log_error("state: dir=%s CANNOT BE WRITTEN, LIDs may change at "
			  "the next restart: %s",
			dir, why.text);
		writable = false;
	}
	lost->text[0] = '\0';
	(void)state_file_load(dir, s, lost);
	s->away = previous_run_seconds_between(&s->saved, &now);
	if (s->prefix != 0 && s->prefix != prefix)
		set_aside(dir, prefix, s, lost);
	if (lost->text[0] != '\0')
		log_error("state: %s", lost->text);
	s->writing = access(mark.text, F_OK) == 0;
	s->unsaved = !writable || access(unsaved.text, F_OK) == 0;
	return writable;
}
