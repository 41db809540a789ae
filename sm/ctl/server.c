#include "sm/ctl/server.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "sm/base/buf.h"
#include "sm/base/file.h"
#include "sm/base/mem.h"

enum { READ_CHUNK = 16 * 1024, BACKLOG = 16 };

struct client {
	struct server *server;
	struct client *prev, *next;
	int fd;
	uid_t uid;
	struct loop_fd *watch;
	struct buf in;
	struct buf out;
	struct answer *answer;	 /* being produced */
	bool eof;		 /* the client has closed its sending side */
	bool last;		 /* close when everything is written */
	struct server_wait wait; /* what its last request waits for */
	struct mono progress;	 /* when something was last written */
	struct mono asked; /* when it connected or last sent a whole line */
};

struct server {
	struct loop *loop;
	char *path;
	struct stat id; /* identity of the socket file */
	int fd;
	struct loop_fd *watch;
	struct loop_timer *stalls;
	bool ticking; /* the timer stalls is set */
	struct loop_wake *again;
	struct server_handler handler;
	struct server_limits limits;
	struct server_stats stats;
	struct client *clients;
	struct view **shed; /* to be released when the pool is free */
	size_t nshed, capshed;
};

/* ---- connecting and disconnecting ---- */

static void
release_later(struct server *s, struct view *v)
{
	if (v == NULL)
		return;
	s->shed = mem_grow(s->shed, s->nshed, &s->capshed, sizeof(*s->shed));
	s->shed[s->nshed++] = v;
}

static void
shed_views(struct server *s)
{
	while (s->nshed > 0 && s->handler.may_release(s->handler.cookie))
		view_unref(s->shed[--s->nshed]);
}

static void
client_free(struct client *k)
{
	struct server *s = k->server;

	if (k->prev != NULL)
		k->prev->next = k->next;
	else
		s->clients = k->next;
	if (k->next != NULL)
		k->next->prev = k->prev;
	s->stats.clients--;
	release_later(s, answer_free(k->answer));
	loop_fd_free(k->watch);
	(void)close(k->fd);
	buf_free(&k->in);
	buf_free(&k->out);
	free(k);
	loop_fd_set(s->watch, LOOP_READ);
}

/* ---- requests ---- */

static struct answer *
answer_malformed(struct client *k, const char *text)
{
	k->server->stats.malformed++;
	return answer_error("bad-request", text);
}

/* Execute a decoded request. */
static void
run_request(struct client *k, json_t *request)
{
	const char *name = json_string_value(json_object_get(request, "cmd"));

	if (name == NULL) {
		k->answer = answer_malformed(k,
			"a request is an object with \"cmd\", "
			"such as {\"cmd\":\"status\"}");
		return;
	}
	k->answer = k->server->handler.run(
		k->server->handler.cookie, k->uid, name, request, &k->wait);
	if (k->answer != NULL && answer_failed(k->answer))
		k->server->stats.refused++;
}

/* Execute the request in the first n bytes of k->in, a line. */
static void
take_line(struct client *k, size_t n, struct mono now)
{
	json_error_t err;
	json_t *request;
	struct reason why;

	request = json_loadb(k->in.text, n, JSON_REJECT_DUPLICATES, &err);
	if (request == NULL) {
		(void)reason_set(&why, "not a line of JSON: column %d: %s",
			err.column, err.text);
		k->answer = answer_malformed(k, why.text);
	} else {
		run_request(k, request);
		json_decref(request);
	}
	k->server->stats.requests++;
	k->asked = now;
	buf_drop(&k->in, n + 1);
}

static bool
is_blank(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (s[i] != ' ' && s[i] != '\t' && s[i] != '\r')
			return false;
	return true;
}

/*
 * Start the answer to the next request, if there is one that can be answered
 * now; true if there is an answer.
 */
static bool
next_request(struct client *k, struct mono now)
{
	char *end;
	size_t n;

	while (!k->last && !k->wait.waiting && k->answer == NULL &&
		k->in.n > 0) {
		end = memchr(k->in.text, '\n', k->in.n);
		n = end != NULL ? (size_t)(end - k->in.text) : k->in.n;
		if (n > SERVER_REQUEST_MAX) {
			k->answer = answer_malformed(
				k, "a request has at most 65536 bytes");
			k->last = true;
		} else if (end == NULL && k->eof) {
			k->answer = answer_malformed(
				k, "the request does not end with a newline");
			k->last = true;
		} else if (end == NULL) {
			break;
		} else if (is_blank(k->in.text, n)) {
			buf_drop(&k->in, n + 1);
		} else {
			take_line(k, n, now);
		}
	}
	return k->answer != NULL;
}

/* ---- serving a client ---- */

/* False if the connection is dead. */
static bool
receive_bytes(struct client *k)
{
	char chunk[READ_CHUNK];
	ssize_t n;

	n = recv(k->fd, chunk, sizeof(chunk), MSG_DONTWAIT);
	if (n > 0)
		buf_put(&k->in, chunk, (size_t)n);
	else if (n == 0)
		k->eof = true;
	else
		return errno == EAGAIN || errno == EINTR;
	return true;
}

static bool
send_bytes(struct client *k, struct mono now)
{
	ssize_t n;

	if (k->out.n == 0)
		return true;
	n = send(k->fd, k->out.text, k->out.n, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	if (n > 0)
		k->progress = now;
	buf_drop(&k->out, (size_t)n);
	return true;
}

/* Produce more of the answer while the client reads fast enough. */
static void
produce_answers(struct client *k, struct mono now)
{
	struct server *s = k->server;

	while (k->out.n < s->limits.slice && next_request(k, now)) {
		if (k->out.n == 0)
			k->progress = now;
		if (answer_more(k->answer, s->limits.slice - k->out.n, &k->out))
			return;
		release_later(s, answer_free(k->answer));
		k->answer = NULL;
	}
}

/* Without events the client waits for its answer; server_wake continues it. */
static void
rearm_events(struct client *k)
{
	unsigned events = 0;

	if (!k->eof && !k->last && k->in.n <= SERVER_REQUEST_MAX)
		events |= LOOP_READ;
	if (k->out.n > 0)
		events |= LOOP_WRITE;
	loop_fd_set(k->watch, events);
}

/* True if more can be done at once although no event will announce it. */
static bool
has_more_work(const struct client *k)
{
	if (k->out.n > 0)
		return false;
	if (k->answer != NULL)
		return true;
	return !k->wait.waiting && !k->last && k->in.n > 0 &&
	       (k->eof || memchr(k->in.text, '\n', k->in.n) != NULL);
}

static bool
is_finished(const struct client *k)
{
	if (k->out.n > 0 || k->answer != NULL)
		return false;
	/* a client that closes while waiting is gone */
	return k->last || (k->eof && (k->wait.waiting || k->in.n == 0));
}

static void
serve_client(struct client *k, unsigned events, struct mono now)
{
	struct server *s = k->server;
	bool alive = true;

	if ((events & LOOP_READ) != 0)
		alive = receive_bytes(k);
	if (alive && k->wait.waiting) {
		k->answer = s->handler.awaited(s->handler.cookie, &k->wait);
		k->wait.waiting = k->answer == NULL;
	}
	if (alive) {
		produce_answers(k, now);
		alive = send_bytes(k, now);
	}
	if (!alive || is_finished(k)) {
		client_free(k);
	} else {
		rearm_events(k);
		if (has_more_work(k))
			loop_wake_send(s->again);
	}
	shed_views(s);
}

static void
on_client(void *cookie, unsigned events, struct mono now)
{
	serve_client(cookie, events, now);
}

/* Runs from the loop: the caller of server_wake may be inside serve_client. */
static void
on_again(void *cookie, struct mono now)
{
	struct server *s = cookie;
	struct client *k, *next;

	for (k = s->clients; k != NULL; k = next) {
		next = k->next;
		serve_client(k, 0, now);
	}
	shed_views(s);
}

/* ---- clients that stop ---- */

static void
tick_later(struct server *s, struct mono now)
{
	int64_t least = s->limits.stall.ns;

	if (s->limits.idle.ns < least)
		least = s->limits.idle.ns;
	if (s->limits.wait.ns < least)
		least = s->limits.wait.ns;
	if (!s->ticking)
		loop_timer_set(
			s->stalls, mono_add(now, (struct mono){least / 4}));
	s->ticking = true;
}

static bool
has_passed(struct mono from, struct mono limit, struct mono now)
{
	return !mono_before(now, mono_add(from, limit));
}

/* True if the client does not read its reply, or asks nothing. */
static bool
has_stopped(const struct client *k, struct mono now)
{
	const struct server_limits *max = &k->server->limits;

	if (k->out.n > 0)
		return has_passed(k->progress, max->stall, now);
	return k->answer == NULL && !k->wait.waiting &&
	       has_passed(k->asked, max->idle, now) &&
	       has_passed(k->progress, max->idle, now);
}

/* Answer a client that has waited too long for a generation or a sweep. */
static void
end_wait(struct client *k, struct mono now)
{
	k->wait.waiting = false;
	k->server->stats.refused++;
	k->answer = answer_error("timeout",
		"what was waited for did not come in time: ask again");
	serve_client(k, 0, now);
}

static void
on_stalls(void *cookie, struct mono now)
{
	struct server *s = cookie;
	struct client *k, *next;

	s->ticking = false;
	for (k = s->clients; k != NULL; k = next) {
		next = k->next;
		if (has_stopped(k, now)) {
			s->stats.dropped++;
			client_free(k);
		} else if (k->wait.waiting &&
			   has_passed(k->asked, s->limits.wait, now)) {
			end_wait(k, now);
		}
	}
	shed_views(s);
	loop_fd_set(s->watch, LOOP_READ); /* if accept had failed */
	if (s->clients != NULL)
		tick_later(s, now);
}

/* ---- the listening socket ---- */

static uid_t
peer_uid(const struct server *s, int fd)
{
	struct ucred cred = {.uid = (uid_t)-1};
	socklen_t n = sizeof(cred);

	if (s->handler.peer_uid != NULL)
		return s->handler.peer_uid(s->handler.cookie, fd);
	(void)getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &n);
	return cred.uid;
}

/*
 * True if there is a place for one more client of this user. Other users share
 * limits.clients; beyond these root and the daemon's own user have a place
 * each, and root may use both.
 */
static bool
has_place(const struct server *s, uid_t uid)
{
	const uid_t own = geteuid();
	unsigned places = s->limits.clients, same = 0;

	if (uid == own || uid == 0)
		places++;
	if (uid == 0 && own != 0)
		places++;
	for (const struct client *k = s->clients; k != NULL; k = k->next)
		same += k->uid == uid;
	return s->stats.clients < places &&
	       (uid == own || uid == 0 || same < s->limits.per_user);
}

static void
add_client(struct server *s, int fd, struct mono now)
{
	struct client *k = mem_zalloc(1, sizeof(*k));
	const uid_t uid = peer_uid(s, fd);
	const bool place = has_place(s, uid);

	k->server = s;
	k->fd = fd;
	k->uid = uid;
	k->progress = k->asked = now;
	k->next = s->clients;
	if (k->next != NULL)
		k->next->prev = k;
	s->clients = k;
	s->stats.clients++;
	k->watch = loop_fd_new(s->loop, fd, LOOP_READ, on_client, k);
	if (!place) {
		s->stats.dropped++;
		k->answer = answer_error("busy", "too many clients");
		k->last = true;
		serve_client(k, 0, now);
	}
}

static void
on_listen(void *cookie, unsigned events, struct mono now)
{
	struct server *s = cookie;
	int fd;

	(void)events;
	fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd >= 0) {
		s->stats.accepted++;
		add_client(s, fd, now);
	} else if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) {
		loop_fd_set(s->watch, 0); /* no descriptors: retry later */
	}
	tick_later(s, now);
}

static void
set_limits(struct server_limits *l)
{
	if (l->clients == 0)
		l->clients = 64;
	if (l->per_user == 0)
		l->per_user = (l->clients + 3) / 4;
	if (l->slice == 0)
		l->slice = 65536;
	if (l->stall.ns == 0)
		l->stall = mono_ms(30000);
	if (l->idle.ns == 0)
		l->idle = mono_ms(120000);
	if (l->wait.ns == 0)
		l->wait = mono_ms(3600000);
}

static int
set_address(const char *path, struct sockaddr_un *sun, struct reason *why)
{
	size_t n = strlen(path);

	*sun = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (n == 0 || n >= sizeof(sun->sun_path))
		return reason_set(why,
			"control socket %s: a path has 1 to %zu bytes", path,
			sizeof(sun->sun_path) - 1);
	memcpy(sun->sun_path, path, n);
	return 0;
}

int
server_live(const char *path)
{
	struct sockaddr_un sun;
	int fd, ok;

	if (set_address(path, &sun, NULL) != 0)
		return 0;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return 0;
	ok = connect(fd, (const struct sockaddr *)&sun, sizeof(sun)) == 0 ||
	     errno == EAGAIN || errno == EACCES;
	(void)close(fd);
	return ok;
}

/*
 * 0 if path is free, or was the socket of a dead daemon, which is then removed.
 */
static int
clear_path(const char *path, struct reason *why)
{
	struct stat st;

	if (lstat(path, &st) != 0) {
		if (errno == ENOENT)
			return 0;
		return reason_set(
			why, "control socket %s: %s", path, strerror(errno));
	}
	if (!S_ISSOCK(st.st_mode))
		return reason_set(why,
			"control socket %s: exists and is not a socket", path);
	if (server_live(path))
		return reason_set(why,
			"control socket %s: another process is listening on it",
			path);
	if (unlink(path) != 0 && errno != ENOENT)
		return reason_set(
			why, "control socket %s: %s", path, strerror(errno));
	return 0;
}

static int
listen_at(const char *path, struct stat *id, struct reason *why)
{
	struct sockaddr_un sun;
	mode_t mask;
	int fd, bound;

	if (set_address(path, &sun, why) != 0 ||
		file_make_parent(path, why) != 0 || clear_path(path, why) != 0)
		return -1;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return reason_set(why, "control socket: %s", strerror(errno));
	mask = umask(0117);
	bound = bind(fd, (const struct sockaddr *)&sun, sizeof(sun));
	(void)umask(mask);
	if (bound == 0 && listen(fd, BACKLOG) == 0 && lstat(path, id) == 0)
		return fd;
	(void)reason_set(why, "control socket %s: %s", path, strerror(errno));
	(void)close(fd);
	if (bound == 0)
		(void)unlink(path);
	return -1;
}

struct server *
server_open(struct loop *l, const char *path,
	const struct server_handler *handler,
	const struct server_limits *limits, struct reason *why)
{
	struct server *s;
	struct stat id;
	int fd = listen_at(path, &id, why);

	if (fd < 0)
		return NULL;
	s = mem_zalloc(1, sizeof(*s));
	s->loop = l;
	s->path = mem_strdup(path);
	s->id = id;
	s->fd = fd;
	s->handler = *handler;
	if (limits != NULL)
		s->limits = *limits;
	set_limits(&s->limits);
	s->watch = loop_fd_new(l, fd, LOOP_READ, on_listen, s);
	s->stalls = loop_timer_new(l, on_stalls, s);
	s->again = loop_wake_new(l, on_again, s);
	return s;
}

void
server_close(struct server *s)
{
	struct client *next;
	struct stat st;

	if (s == NULL)
		return;
	for (struct client *k = s->clients; k != NULL; k = next) {
		next = k->next;
		client_free(k);
	}
	while (s->nshed > 0)
		view_unref(s->shed[--s->nshed]);
	free(s->shed);
	loop_wake_free(s->again);
	loop_timer_free(s->stalls);
	loop_fd_free(s->watch);
	(void)close(s->fd);
	if (lstat(s->path, &st) == 0 && st.st_dev == s->id.st_dev &&
		st.st_ino == s->id.st_ino)
		(void)unlink(s->path);
	free(s->path);
	free(s);
}

void
server_wake(struct server *s)
{
	loop_wake_send(s->again);
}

const struct server_stats *
server_stats(const struct server *s)
{
	return &s->stats;
}
