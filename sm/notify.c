#include "sm/notify.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* The variable is inherited by what writes elsewhere: compare. */
bool
notify_journal(void)
{
	const char *s = getenv("JOURNAL_STREAM");
	unsigned long long dev;
	struct stat st;
	char *end;

	if (s == NULL || fstat(STDERR_FILENO, &st) != 0)
		return false;
	dev = strtoull(s, &end, 10);
	return *end == ':' && st.st_dev == dev &&
	       st.st_ino == strtoull(end + 1, NULL, 10);
}

/* One datagram to the socket that systemd named; "@" begins an abstract one. */
static void
tell(const char *text)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	size_t n = path != NULL ? strlen(path) : 0;
	int fd;

	if (n < 2 || n >= sizeof(to.sun_path) ||
		(path[0] != '/' && path[0] != '@'))
		return;
	memcpy(to.sun_path, path, n);
	if (path[0] == '@')
		to.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	(void)sendto(fd, text, strlen(text), MSG_NOSIGNAL,
		(const struct sockaddr *)&to,
		(socklen_t)(offsetof(struct sockaddr_un, sun_path) + n));
	(void)close(fd);
}

static void __attribute__((format(printf, 1, 2))) tellf(const char *fmt, ...)
{
	char line[640];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	tell(line);
}

void
notify_ready(void)
{
	tell("READY=1");
}

void
notify_reloading(struct mono now)
{
	tellf("RELOADING=1\nMONOTONIC_USEC=%lld", (long long)(now.ns / 1000));
}

void
notify_stopping(void)
{
	tell("STOPPING=1");
}

void
notify_status(const char *fmt, ...)
{
	char line[512];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	tellf("STATUS=%s", line);
}

/* A number in the environment; false: none. */
static bool
number(const char *name, uint64_t *out)
{
	const char *s = getenv(name);
	char *end;

	if (s == NULL || *s < '0' || *s > '9')
		return false;
	errno = 0;
	*out = strtoull(s, &end, 10);
	return errno == 0 && *end == '\0';
}

struct mono
notify_watchdog(void)
{
	uint64_t us, pid;

	/* the variables are inherited, too: is it us who are meant? */
	if (getenv("WATCHDOG_PID") != NULL &&
		(!number("WATCHDOG_PID", &pid) || pid != (uint64_t)getpid()))
		return MONO_NEVER;
	if (!number("WATCHDOG_USEC", &us) || us == 0 || us > INT64_MAX / 1000)
		return MONO_NEVER;
	return mono_us((int64_t)us);
}

void
notify_alive(void)
{
	tell("WATCHDOG=1");
}
