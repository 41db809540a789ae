#include "sm/ctl/client.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "sm/base/buf.h"
#include "sm/base/loop.h"

enum { READ_CHUNK = 64 * 1024 };

static int
set_fault(enum client_fault *fault, enum client_fault is)
{
	*fault = is;
	return -1;
}

int
client_connect(const char *path, enum client_fault *fault, struct reason *why)
{
	struct sockaddr_un sun = {.sun_family = AF_UNIX};
	size_t n = strlen(path);
	int fd;

	if (n == 0 || n >= sizeof(sun.sun_path)) {
		(void)reason_set(why, "%s: not a usable socket path", path);
		return set_fault(fault, CLIENT_UNREACHABLE);
	}
	memcpy(sun.sun_path, path, n);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 &&
		connect(fd, (const struct sockaddr *)&sun, sizeof(sun)) == 0)
		return fd;
	if (errno == EACCES || errno == EPERM) {
		(void)reason_set(why,
			"%s: permission denied: run as root or join group "
			"heddle",
			path);
		(void)set_fault(fault, CLIENT_FORBIDDEN);
	} else {
		(void)reason_set(why,
			"%s: heddled is not running, or uses another socket: "
			"%s",
			path, strerror(errno));
		(void)set_fault(fault, CLIENT_UNREACHABLE);
	}
	if (fd >= 0)
		(void)close(fd);
	return -1;
}

/* Wait for events on fd; -1 when `until` has passed. */
static int
wait_for(int fd, short events, struct mono until, enum client_fault *fault,
	struct reason *why)
{
	struct pollfd p = {.fd = fd, .events = events};
	struct mono left = mono_sub(until, loop_now());
	int64_t ms = left.ns / 1000000 + 1;
	int n;

	if (left.ns <= 0)
		ms = 0;
	n = poll(&p, 1, ms > INT_MAX ? INT_MAX : (int)ms);
	if (n > 0 || (n < 0 && errno == EINTR))
		return 0;
	(void)reason_set(why, "timed out waiting for heddled");
	return set_fault(fault, CLIENT_TIMEOUT);
}

static int
hung_up(enum client_fault *fault, struct reason *why, ssize_t n)
{
	(void)reason_set(why, "heddled closed the connection%s%s",
		n < 0 ? ": " : "", n < 0 ? strerror(errno) : "");
	return set_fault(fault, CLIENT_BROKEN);
}

static int
send_line(int fd, struct buf *line, struct mono until, enum client_fault *fault,
	struct reason *why)
{
	ssize_t n;

	while (line->n > 0) {
		if (wait_for(fd, POLLOUT, until, fault, why) != 0)
			return -1;
		n = send(fd, line->text, line->n, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (n < 0)
			return hung_up(fault, why, n);
		buf_drop(line, (size_t)n);
	}
	return 0;
}

static int
receive_line(int fd, struct buf *line, struct mono until,
	enum client_fault *fault, struct reason *why)
{
	char chunk[READ_CHUNK];
	bool whole = false;
	ssize_t n;

	while (!whole) {
		if (wait_for(fd, POLLIN, until, fault, why) != 0)
			return -1;
		n = recv(fd, chunk, sizeof(chunk), MSG_DONTWAIT);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (n <= 0)
			return hung_up(fault, why, n);
		whole = memchr(chunk, '\n', (size_t)n) != NULL;
		buf_put(line, chunk, (size_t)n);
	}
	return 0;
}

json_t *
client_ask(int fd, const json_t *request, struct mono until,
	enum client_fault *fault, struct reason *why)
{
	char *text = json_dumps(request, JSON_COMPACT);
	struct buf line = {0};
	json_t *reply = NULL;
	json_error_t err;

	buf_printf(&line, "%s\n", text);
	free(text);
	if (send_line(fd, &line, until, fault, why) == 0 &&
		receive_line(fd, &line, until, fault, why) == 0) {
		reply = json_loadb(
			line.text, line.n, JSON_DISABLE_EOF_CHECK, &err);
		if (!json_is_object(reply)) {
			json_decref(reply);
			reply = NULL;
			(void)reason_set(why, "heddled sent an invalid reply");
			(void)set_fault(fault, CLIENT_BROKEN);
		}
	}
	buf_free(&line);
	return reply;
}
