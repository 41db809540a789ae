#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sm/base/mem.h"
#include "tests/sim/serve/serve_int.h"

static void
hang_up(struct serve_control *c)
{
	loop_fd_free(c->watch);
	(void)close(c->fd);
	buf_free(&c->in);
	buf_free(&c->out);
	c->watch = NULL;
	c->fd = -1;
	c->closing = false;
}

/* Write what is queued; the rest waits. */
static void
write_out(struct serve_control *c)
{
	ssize_t n = 1;

	while (c->out.n > 0 && n > 0) {
		n = send(c->fd, c->out.text, c->out.n,
			MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n > 0)
			buf_drop(&c->out, (size_t)n);
	}
	if ((n < 0 && errno != EAGAIN && errno != EINTR) ||
		(c->closing && c->out.n == 0))
		hang_up(c);
	else
		loop_fd_set(c->watch, c->out.n ? LOOP_WRITE : LOOP_READ);
}

/*
 * The answer to a line: its text with a blank before every line, then a line
 * "ok" or "error: why".
 */
static void
answer_line(struct serve_control *c, const char *line)
{
	struct reason why = {{0}};
	struct buf text = {0};
	int rc = serve_cmd(c->s, line, &text, &why);
	const char *at = text.text;

	while (at && *at) {
		size_t n = strcspn(at, "\n");

		buf_printf(&c->out, " %.*s\n", (int)n, at);
		at += n + (at[n] == '\n');
	}
	if (rc)
		buf_printf(&c->out, "error: %s\n", why.text);
	else
		buf_printf(&c->out, "ok\n");
	buf_free(&text);
}

static void
take_lines(struct serve_control *c)
{
	char line[SERVE_LINE_MAX];

	while (c->in.n > 0 && !c->s->quit) {
		const char *end = memchr(c->in.text, '\n', c->in.n);
		size_t n = end ? (size_t)(end - c->in.text) : c->in.n;

		if (n >= sizeof(line)) {
			buf_printf(&c->out, "error: the line is too long\n");
			c->closing = true;
			return;
		}
		if (!end)
			return;
		memcpy(line, c->in.text, n);
		line[n] = '\0';
		buf_drop(&c->in, n + 1);
		if (strlen(line) != n)
			buf_printf(&c->out, "error: a zero byte\n");
		else
			answer_line(c, line);
	}
}

static void
on_control(void *cookie, unsigned events, struct mono now)
{
	struct serve_control *c = cookie;
	struct serve *s = c->s;
	char b[SERVE_LINE_MAX];
	ssize_t n;

	(void)now;
	if (events & LOOP_READ) {
		n = recv(c->fd, b, sizeof(b), MSG_DONTWAIT);
		if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
			hang_up(c);
			return;
		}
		if (n > 0)
			buf_put(&c->in, b, (size_t)n);
		sim_run_until(s->sim, serve_now(s));
		take_lines(c);
	}
	write_out(c);
	serve_settle(s);
	if (s->quit)
		loop_stop(s->loop);
}

/* Only the owner of this process, or root, may send commands. */
static bool
is_permitted(int fd)
{
	struct ucred u;
	socklen_t n = sizeof(u);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &u, &n) == 0 &&
	       (u.uid == 0 || u.uid == geteuid());
}

static void
on_listen(void *cookie, unsigned events, struct mono now)
{
	struct serve *s = cookie;

	(void)events;
	(void)now;
	for (int i = 0; i < 2; i++) {
		int fd = s->listen_fd[i] < 0
				 ? -1
				 : accept4(s->listen_fd[i], NULL, NULL,
					   SOCK_NONBLOCK | SOCK_CLOEXEC);
		int k = 0;

		if (fd < 0)
			continue;
		while (k < SERVE_CONTROLS && s->control[k].fd >= 0)
			k++;
		if (k == SERVE_CONTROLS || !is_permitted(fd)) {
			(void)close(fd);
			continue;
		}
		s->control[k] = (struct serve_control){.s = s, .fd = fd};
		s->control[k].watch = loop_fd_new(
			s->loop, fd, LOOP_READ, on_control, &s->control[k]);
	}
}

static int
listen_at(struct serve *s, int i, const struct sockaddr_un *a, socklen_t n,
	struct reason *why)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	mode_t mask;
	int rc;

	if (fd < 0)
		return reason_set(why, "no socket: %s", strerror(errno));
	s->listen_fd[i] = fd;
	mask = umask(077);
	rc = bind(fd, (const struct sockaddr *)a, n);
	(void)umask(mask);
	if (rc || listen(fd, SERVE_CONTROLS))
		return reason_set(why, "control socket: %s", strerror(errno));
	s->listen_watch[i] = loop_fd_new(s->loop, fd, LOOP_READ, on_listen, s);
	return 0;
}

/* Remove a socket on which no process listens any more. */
static void
clear_path(const struct sockaddr_un *a)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct stat st;

	if (fd >= 0 && stat(a->sun_path, &st) == 0 && S_ISSOCK(st.st_mode) &&
		connect(fd, (const struct sockaddr *)a, sizeof(*a)) < 0 &&
		errno == ECONNREFUSED)
		(void)unlink(a->sun_path);
	if (fd >= 0)
		(void)close(fd);
}

int
serve_control_open(struct serve *s, struct reason *why)
{
	struct sockaddr_un a;
	socklen_t n = ibsimwire_address(s->name, "control", &a);

	if (n == 0)
		return reason_set(why, "the name \"%s\" is too long", s->name);
	if (listen_at(s, 0, &a, n, why))
		return -1;
	if (!s->o.ctl)
		return 0;
	a = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (strlen(s->o.ctl) >= sizeof(a.sun_path))
		return reason_set(why, "%s: the path is too long", s->o.ctl);
	memcpy(a.sun_path, s->o.ctl, strlen(s->o.ctl));
	clear_path(&a);
	if (listen_at(s, 1, &a, sizeof(a), why))
		return reason_add(why, ": %s", s->o.ctl);
	s->ctl_path = mem_strdup(s->o.ctl);
	return 0;
}

void
serve_control_close(struct serve *s)
{
	for (int i = 0; i < SERVE_CONTROLS; i++) {
		if (s->control[i].fd >= 0)
			hang_up(&s->control[i]);
	}
	for (int i = 0; i < 2; i++) {
		loop_fd_free(s->listen_watch[i]);
		if (s->listen_fd[i] >= 0)
			(void)close(s->listen_fd[i]);
	}
	if (s->ctl_path)
		(void)unlink(s->ctl_path);
	free(s->ctl_path);
}
