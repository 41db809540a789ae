#include <check.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "sm/notify.h"
#include "tests/unit/suite.h"

/* A socket as systemd's, named in the environment; '@': an abstract one. */
static int
listen_as(char first)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	char name[sizeof(at.sun_path)];
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	size_t n;

	(void)snprintf(
		name, sizeof(name), "/tmp/heddle-notify.%d", (int)getpid());
	name[0] = first;
	n = strlen(name);
	memcpy(at.sun_path, name, n);
	if (first == '@')
		at.sun_path[0] = '\0';
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(
		bind(fd, (const struct sockaddr *)&at,
			(socklen_t)(offsetof(struct sockaddr_un, sun_path) +
				    n)),
		0);
	ck_assert_int_eq(setenv("NOTIFY_SOCKET", name, 1), 0);
	return fd;
}

static void
expect_message(int fd, const char *text)
{
	char got[1024];
	ssize_t n = recv(fd, got, sizeof(got) - 1, 0);

	ck_assert_int_ge(n, 0);
	got[n] = '\0';
	ck_assert_str_eq(got, text);
}

LOOP_TEST(sends_messages, 0, 2)
{
	int fd = listen_as(_i == 0 ? '/' : '@');

	notify_ready();
	expect_message(fd, "READY=1");
	notify_status("%s, %d runs", "master", 3);
	expect_message(fd, "STATUS=master, 3 runs");
	notify_reloading(mono_us(77));
	expect_message(fd, "RELOADING=1\nMONOTONIC_USEC=77");
	notify_alive();
	expect_message(fd, "WATCHDOG=1");
	notify_stopping();
	expect_message(fd, "STOPPING=1");
	(void)close(fd);
	if (_i == 0)
		ck_assert_int_eq(unlink(getenv("NOTIFY_SOCKET")), 0);
	/* no socket, or a wrong one: no error */
	notify_ready();
	ck_assert_int_eq(setenv("NOTIFY_SOCKET", "elsewhere", 1), 0);
	notify_ready();
	ck_assert_int_eq(unsetenv("NOTIFY_SOCKET"), 0);
	notify_ready();
}

TEST(watchdog)
{
	static const struct {
		const char *usec, *pid; /* "own": the pid of this process */
		int64_t ns;		/* 0: none */
	} row[] = {
		{"30000000", NULL, 30000000000},
		{"30000000", "own", 30000000000},
		{"30000000", "1", 0},
		{"30000000", "x", 0},
		{NULL, "own", 0},
		{"0", NULL, 0},
		{"-1", NULL, 0},
		{"5s", NULL, 0},
		{"99999999999999999999", NULL, 0},
		{"9223372036854775807", NULL, 0},
	};
	char pid[32];

	(void)snprintf(pid, sizeof(pid), "%d", (int)getpid());
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		const char *of = row[i].pid;

		(void)unsetenv("WATCHDOG_USEC");
		(void)unsetenv("WATCHDOG_PID");
		if (row[i].usec != NULL)
			(void)setenv("WATCHDOG_USEC", row[i].usec, 1);
		if (of != NULL)
			(void)setenv("WATCHDOG_PID",
				strcmp(of, "own") == 0 ? pid : of, 1);
		ck_assert_msg(
			notify_watchdog().ns ==
				(row[i].ns > 0 ? row[i].ns : MONO_NEVER.ns),
			"row %zu", i);
	}
}
