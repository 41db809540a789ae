#include "tests/sim/preload/link.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/sim/preload/real.h"

void
link_close(int fd)
{
	int keep = errno;

	(void)real_close(fd);
	errno = keep;
}

/* Once per process: a tool asks for dozens of files. */
static void
warn_once(const char *what)
{
	static atomic_flag said = ATOMIC_FLAG_INIT;
	const char *name = getenv("IBSIM_SOCKNAME");

	if (!atomic_flag_test_and_set(&said))
		(void)fprintf(stderr, "libheddle-umad: simulator \"%s\": %s\n",
			name != NULL && *name != '\0' ? name : "sim", what);
}

static int
connect_server(void)
{
	struct sockaddr_un addr;
	socklen_t n = proto_address(NULL, &addr);
	int fd, size = 4 << 20; /* as much of it as the kernel allows */

	if (n == 0) {
		warn_once("its name is too long");
		errno = ENXIO;
		return -1;
	}
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	if (connect(fd, (const struct sockaddr *)&addr, n) < 0) {
		warn_once(strerror(errno));
		link_close(fd);
		errno = ENXIO;
		return -1;
	}
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	return fd;
}

static int
exchange_frames(
	int fd, const struct proto_hello *h, struct proto_answer *a, char *text)
{
	char frame[sizeof(*a) + PROTO_TEXT];
	const char *why;
	ssize_t n;

	do {
		n = send(fd, h, sizeof(*h), MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	while (n >= 0) {
		n = recv(fd, frame, sizeof(frame), 0);
		if (n >= 0 || errno != EINTR)
			break;
		n = 0;
	}
	if (n <= 0) {
		warn_once(n < 0 ? strerror(errno) : "it hung up");
		errno = ENXIO;
		return -1;
	}
	if (proto_answer_decode(frame, (size_t)n, a, text, &why) < 0) {
		warn_once(why);
		errno = ENXIO;
		return -1;
	}
	errno = (int)a->error;
	return a->error == 0 ? 0 : -1;
}

int
link_ask(struct proto_hello *h, struct proto_answer *a, char *text)
{
	const char *host = getenv("SIM_HOST");
	int fd = connect_server();

	if (fd < 0)
		return -1;
	h->head = (struct proto_head){PROTO_HELLO, sizeof(*h)};
	h->magic = PROTO_MAGIC;
	h->version = PROTO_VERSION;
	h->pid = (uint32_t)getpid();
	(void)snprintf(
		h->host, sizeof(h->host), "%s", host != NULL ? host : "");
	if (exchange_frames(fd, h, a, text) < 0) {
		link_close(fd);
		return -1;
	}
	return fd;
}

int
link_query(struct proto_hello *h, struct proto_answer *a, char *text)
{
	int fd = link_ask(h, a, text);

	if (fd < 0)
		return -1;
	link_close(fd);
	return 0;
}
