#include "tests/sim/serve/umadserve.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "sm/base/mem.h"
#include "tests/sim/serve/umadserve_int.h"

enum {
	EVENTS = 64,
	FRAMES = 32,	  /* read from a connection before the next one */
	FRAME_ROOM = 512, /* no frame from a program is longer */
	SOCKET_ROOM = 4 << 20,
	BACKLOG = 64,
};

_Static_assert(sizeof(struct proto_hello) < FRAME_ROOM, "room for any frame");

/* Buffers for frames, many of which are read by one system call. */
struct umadserve_inbox {
	union {
		struct cmsghdr h;
		char room[CMSG_SPACE(sizeof(int))];
	} control[FRAMES];
	uint8_t room[FRAMES][FRAME_ROOM];
	struct iovec iov[FRAMES];
	struct mmsghdr m[FRAMES];
};

static int
epoll_set(struct umadserve *u, int fd, void *what, int op, uint32_t events)
{
	struct epoll_event e = {.events = events, .data = {.ptr = what}};

	return epoll_ctl(u->epfd, op, fd, &e);
}

static struct umadserve_inbox *
new_inbox(void)
{
	struct umadserve_inbox *in = mem_zalloc(1, sizeof(*in));

	for (int i = 0; i < FRAMES; i++) {
		in->iov[i] = (struct iovec){in->room[i], FRAME_ROOM};
		in->m[i].msg_hdr = (struct msghdr){
			.msg_iov = &in->iov[i],
			.msg_iovlen = 1,
			.msg_control = &in->control[i],
		};
	}
	return in;
}

struct umadserve *
umadserve_new(const struct umadserve_options *o, struct reason *why)
{
	struct umadserve *u = mem_zalloc(1, sizeof(*u));
	struct sockaddr_un addr;
	socklen_t n = proto_address(o->name, &addr);
	struct timespec ts;

	u->o = *o;
	u->sim = o->sim;
	u->free_xact = UINT32_MAX;
	u->hi = 0x48000000;
	u->inbox = new_inbox();
	(void)clock_gettime(CLOCK_REALTIME, &ts);
	u->keys.state = (uint64_t)ts.tv_nsec ^ (uint64_t)ts.tv_sec << 32 ^
			(uint64_t)getpid() << 16;
	u->epfd = epoll_create1(EPOLL_CLOEXEC);
	u->lfd = socket(
		AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (n == 0)
		errno = ENAMETOOLONG;
	if (n == 0 || u->epfd < 0 || u->lfd < 0 ||
		bind(u->lfd, (const struct sockaddr *)&addr, n) < 0 ||
		listen(u->lfd, BACKLOG) < 0 ||
		epoll_set(u, u->lfd, NULL, EPOLL_CTL_ADD, EPOLLIN) < 0) {
		(void)reason_set(why, "cannot listen at @%s: %s",
			n ? addr.sun_path + 1 : "", strerror(errno));
		umadserve_free(u);
		return NULL;
	}
	return u;
}

struct umadserve_body *
umadserve_ref(struct umadserve_body *b)
{
	if (b)
		b->refs++;
	return b;
}

void
umadserve_unref(struct umadserve_body *b)
{
	if (!b || --b->refs > 0)
		return;
	(void)close(b->fd);
	free(b);
}

/* Remove the first message from a connection's queue. */
static void
pop_out(struct umadserve *u, struct umadserve_conn *c)
{
	struct umadserve_out *o = c->first;

	c->first = o->next;
	if (!c->first)
		c->last = &c->first;
	c->queued--;
	c->bodies -= o->body != NULL;
	umadserve_unref(o->body);
	o->next = u->spare;
	u->spare = o;
}

/* End a connection; it remains only in the list of connections. */
static void
end_conn(struct umadserve *u, struct umadserve_conn *c)
{
	if (c->dead)
		return;
	c->dead = true;
	(void)close(c->fd);
	for (int i = 0; c->agent && i < PROTO_AGENTS; i++) {
		if (c->agent[i].used)
			umadserve_port_unregister(&c->agent[i]);
	}
	if (c->port && c->port->issm == c) {
		c->port->issm = NULL;
		sim_set_issm(c->port->e, false);
	}
	if (c->port)
		umadserve_port_put(c->port);
	while (c->first)
		pop_out(u, c);
}

static void
free_dead_conns(struct umadserve *u)
{
	struct umadserve_conn **at = &u->conns, *c;

	while ((c = *at) != NULL) {
		if (!c->dead || c->dirty) {
			at = &c->next;
			continue;
		}
		*at = c->next;
		u->nconns--;
		free(c->agent);
		free(c);
		if (u->full)
			u->full = epoll_set(u, u->lfd, NULL, EPOLL_CTL_MOD,
					  EPOLLIN) < 0;
	}
}

void
umadserve_free(struct umadserve *u)
{
	struct umadserve_out *o;

	if (!u)
		return;
	for (struct umadserve_conn *c = u->conns; c; c = c->next) {
		end_conn(u, c);
		c->dirty = false;
	}
	free_dead_conns(u);
	while ((o = u->spare) != NULL) {
		u->spare = o->next;
		free(o);
	}
	for (unsigned i = 0; i < UMADSERVE_PARKED; i++)
		umadserve_unref(u->parked[i].body);
	map_free(&u->by_tid);
	deadlines_free(&u->due);
	free(u->xact);
	free(u->inbox);
	if (u->lfd >= 0)
		(void)close(u->lfd);
	if (u->epfd >= 0)
		(void)close(u->epfd);
	free(u);
}

int
umadserve_fd(const struct umadserve *u)
{
	return u->epfd;
}

struct mono
umadserve_next(const struct umadserve *u)
{
	return deadlines_first(&u->due, NULL);
}

const struct umadserve_stats *
umadserve_stats(const struct umadserve *u)
{
	return &u->stats;
}

static void
accept_conns(struct umadserve *u)
{
	int size = SOCKET_ROOM, fd;
	struct umadserve_conn *c;

	errno = 0;
	while (u->nconns < UMADSERVE_CONNS &&
		(fd = accept4(u->lfd, NULL, NULL,
			 SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
		(void)setsockopt(
			fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
		c = mem_zalloc(1, sizeof(*c));
		c->fd = fd;
		c->last = &c->first;
		c->next = u->conns;
		u->conns = c;
		u->nconns++;
		u->stats.connections++;
		(void)epoll_set(u, fd, c, EPOLL_CTL_ADD, EPOLLIN);
	}
	/* no descriptors left: waiting programs must not keep us busy */
	if (u->nconns >= UMADSERVE_CONNS || errno == EMFILE || errno == ENFILE)
		u->full = epoll_set(u, u->lfd, NULL, EPOLL_CTL_MOD, 0) == 0;
}

/* True if it is a file of at least len bytes; nothing else is passed on. */
static bool
is_whole(const struct umadserve_body *body, size_t len)
{
	struct stat st;

	return fstat(body->fd, &st) == 0 && S_ISREG(st.st_mode) &&
	       st.st_size >= 0 && (size_t)st.st_size >= len;
}

/*
 * The descriptor that came with a frame, or NULL; NULL too if there are more.
 */
static struct umadserve_body *
body_of(struct msghdr *m)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(m);
	struct umadserve_body *b;
	int fd;

	if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS ||
		c->cmsg_len != CMSG_LEN(sizeof(fd)))
		return NULL;
	memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	b = mem_zalloc(1, sizeof(*b));
	*b = (struct umadserve_body){.fd = fd, .refs = 1};
	return b;
}

/* Handle a frame from a program; -1: the connection is to be ended. */
static int
take_frame(struct umadserve *u, struct umadserve_conn *c, const uint8_t *b,
	size_t n, struct umadserve_body *body)
{
	struct proto_hello h;
	struct proto_mad f;
	const char *why;
	size_t len;

	switch (c->state) {
	case UMADSERVE_FRESH:
		if (body || proto_hello_decode(b, n, &h, &why) < 0)
			return -1;
		umadserve_hello(u, c, &h);
		return 0;
	case UMADSERVE_UMAD:
		if (proto_mad_decode(b, n, &f, &len, &why) < 0 ||
			(body != NULL) != (f.head.kind == PROTO_BIG) ||
			(body && !is_whole(body, len)))
			return -1;
		umadserve_mad_send(u, c, &f, len, body);
		return 0;
	case UMADSERVE_OTHER:
		break;
	}
	return -1;
}

/* Read up to FRAMES frames from a program. */
static void
read_conn(struct umadserve *u, struct umadserve_conn *c)
{
	struct mmsghdr *m = u->inbox->m;
	int n;

	for (int i = 0; i < FRAMES; i++)
		m[i].msg_hdr.msg_controllen = sizeof(u->inbox->control[i]);
	n = recvmmsg(c->fd, m, FRAMES, MSG_DONTWAIT | MSG_CMSG_CLOEXEC, NULL);
	if (n < 0 && errno != EAGAIN && errno != EINTR)
		end_conn(u, c);
	for (int i = 0; i < n; i++) {
		struct umadserve_body *body = body_of(&m[i].msg_hdr);
		bool bad = (m[i].msg_hdr.msg_flags & MSG_TRUNC) != 0;

		/* an empty frame is the end of the connection */
		if (!c->dead && m[i].msg_len == 0)
			end_conn(u, c);
		if (!c->dead && (bad || take_frame(u, c, u->inbox->room[i],
						m[i].msg_len, body) < 0)) {
			u->stats.refused++;
			end_conn(u, c);
		}
		umadserve_unref(body);
	}
}

static void
mark_dirty(struct umadserve *u, struct umadserve_conn *c)
{
	if (c->dirty || c->dead)
		return;
	c->dirty = true;
	c->next_dirty = u->dirty;
	u->dirty = c;
}

void
umadserve_turn(struct umadserve *u, struct mono now)
{
	struct epoll_event e[EVENTS];
	int n = epoll_wait(u->epfd, e, EVENTS, 0);

	u->now = now;
	for (int i = 0; i < n; i++) {
		struct umadserve_conn *c = e[i].data.ptr;

		if (!c) {
			accept_conns(u);
			continue;
		}
		if (c->dead)
			continue;
		if (e[i].events & EPOLLOUT)
			mark_dirty(u, c);
		if (e[i].events & ~(uint32_t)EPOLLOUT)
			read_conn(u, c);
	}
	umadserve_mad_due(u);
	free_dead_conns(u);
}

void
umadserve_give(struct umadserve_agent *a, const struct proto_mad *f, size_t n,
	struct umadserve_body *body)
{
	struct umadserve_conn *c = a->conn;
	struct umadserve *u = c->port->u;
	struct umadserve_out *o = u->spare;

	if (c->queued >= UMADSERVE_QUEUE ||
		(body && c->bodies >= UMADSERVE_BODIES)) {
		u->stats.dropped++;
		return;
	}
	if (o)
		u->spare = o->next;
	else
		o = mem_zalloc(1, sizeof(*o));
	o->next = NULL;
	o->body = umadserve_ref(body);
	o->n = n;
	memcpy(&o->f, f, n);
	*c->last = o;
	c->last = &o->next;
	c->queued++;
	c->bodies += body != NULL;
	u->stats.delivered++;
	u->stats.big += body != NULL;
	mark_dirty(u, c);
}

/* Send the frame with the descriptor that follows a BIG. */
static int
send_body(const struct umadserve_conn *c, const struct umadserve_out *o)
{
	union {
		struct cmsghdr h;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct proto_head head = {PROTO_BODY, sizeof(head)};
	struct iovec iov = {&head, sizeof(head)};
	struct msghdr m = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};

	memset(&control, 0, sizeof(control));
	control.h.cmsg_level = SOL_SOCKET;
	control.h.cmsg_type = SCM_RIGHTS;
	control.h.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&control.h), &o->body->fd, sizeof(int));
	return sendmsg(c->fd, &m, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? -1 : 1;
}

/* Send some queued messages; the number of frames, or -1 and errno. */
static int
send_some(struct umadserve_conn *c)
{
	struct iovec iov[FRAMES];
	struct mmsghdr m[FRAMES];
	unsigned n = 0;

	if (c->half)
		return send_body(c, c->first);
	for (struct umadserve_out *o = c->first; o && n < FRAMES; o = o->next) {
		iov[n] = (struct iovec){&o->f, o->n};
		m[n] = (struct mmsghdr){
			.msg_hdr = {.msg_iov = &iov[n], .msg_iovlen = 1}};
		n++;
		if (o->body)
			break; /* its body comes next */
	}
	return sendmmsg(c->fd, m, n, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void
write_conn(struct umadserve *u, struct umadserve_conn *c)
{
	bool blocked = false;

	while (c->first && !blocked) {
		int n = send_some(c);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN && errno != ETOOMANYREFS) {
			end_conn(u, c);
			return;
		}
		blocked = n < 0;
		for (; n > 0; n--) {
			if (c->first->body && !c->half) {
				c->half = true;
				break;
			}
			c->half = false;
			pop_out(u, c);
		}
	}
	if (blocked != c->blocked)
		(void)epoll_set(u, c->fd, c, EPOLL_CTL_MOD,
			EPOLLIN | (blocked ? (uint32_t)EPOLLOUT : 0));
	c->blocked = blocked;
}

void
umadserve_flush(struct umadserve *u)
{
	struct umadserve_conn *c;

	while ((c = u->dirty) != NULL) {
		u->dirty = c->next_dirty;
		c->dirty = false;
		if (!c->dead)
			write_conn(u, c);
	}
	free_dead_conns(u);
}
