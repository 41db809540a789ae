#include "tests/sim/preload/device.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <rdma/ib_user_mad.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/sim/preload/link.h"
#include "tests/sim/preload/real.h"

/* Byte positions in a MAD (IBA 13.4.3, 13.6.2.1). */
enum { AT_CLASS = 1, AT_RMPP_FLAGS = 26, RMPP_ACTIVE = 1 };

enum {
	TABLE = 65536,		/* descriptors from here on cannot be devices */
	ISSM_WAIT = 100 * 1000, /* microseconds between tries of a waiting
				   open of an issm device */
	GONE_WAIT = 200 * 1000, /* delay of the error that the server is gone */
};

struct device {
	atomic_bool live;
	pthread_mutex_t lock; /* for reading: a long message is two frames */
	bool issm, pkey;
	uint64_t key;
	_Atomic uint32_t agents, rmpp; /* bit: number of the agent */
	bool big; /* `first` has been read, its BODY has not */
	struct proto_mad first;
};

/*
 * Devices by descriptor, for the wrappers of libc: hence mutable and global. An
 * entry once used keeps its struct device.
 */
/* NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables) */
static _Atomic(struct device *) table[TABLE];

struct device *
device_at(int fd)
{
	struct device *d;

	if (fd < 0 || fd >= TABLE)
		return NULL;
	d = atomic_load_explicit(&table[fd], memory_order_acquire);
	return d != NULL && atomic_load_explicit(&d->live, memory_order_relaxed)
		       ? d
		       : NULL;
}

void
device_forget(int fd)
{
	struct device *d = device_at(fd);

	if (d != NULL)
		atomic_store(&d->live, false);
}

static int
add_device(int fd, bool issm, uint64_t key)
{
	struct device *d;

	if (fd >= TABLE) {
		errno = EMFILE;
		return -1;
	}
	d = atomic_load(&table[fd]);
	if (d == NULL) {
		d = calloc(1, sizeof(*d));
		if (d == NULL)
			return -1;
		(void)pthread_mutex_init(&d->lock, NULL);
	}
	d->issm = issm;
	d->pkey = d->big = false;
	d->key = key;
	atomic_store(&d->agents, 0);
	atomic_store(&d->rmpp, 0);
	atomic_store(&d->live, true);
	atomic_store_explicit(&table[fd], d, memory_order_release);
	return 0;
}

int
device_open(bool issm, uint32_t number, int flags)
{
	struct proto_hello h = {
		.want = issm ? PROTO_WANT_ISSM : PROTO_WANT_UMAD,
		.device = number,
	};
	struct proto_answer a;
	int fd;

	while ((fd = link_ask(&h, &a, NULL)) < 0 && issm && errno == EBUSY) {
		if (flags & O_NONBLOCK) {
			errno = EAGAIN;
			return -1;
		}
		(void)usleep(ISSM_WAIT);
	}
	if (fd < 0)
		return -1;
	if ((flags & O_CLOEXEC) == 0)
		(void)fcntl(fd, F_SETFD, 0);
	if (flags & O_NONBLOCK)
		(void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	if (add_device(fd, issm, a.key) < 0) {
		link_close(fd);
		return -1;
	}
	return fd;
}

static size_t
header_size(const struct device *d)
{
	return d->pkey ? PROTO_UMAD : PROTO_UMAD_OLD;
}

static ssize_t
fail_errno(int error)
{
	errno = error;
	return -1;
}

/* The server is gone, or breaks the protocol: like a device pulled out. */
static ssize_t
lost_server(ssize_t n)
{
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return -1;
	return fail_errno(EIO);
}

static void
wait_for(int fd, short events)
{
	struct pollfd p = {.fd = fd, .events = events};

	(void)poll(&p, 1, -1);
}

/* The descriptor in a BODY frame, or -1. */
static int
receive_body(int fd)
{
	union {
		struct cmsghdr h;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct proto_head head;
	struct iovec iov = {&head, sizeof(head)};
	struct msghdr m = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	const struct cmsghdr *c;
	ssize_t n;
	int body;

	while ((n = recvmsg(fd, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC)) < 0 &&
		(errno == EAGAIN || errno == EINTR))
		wait_for(fd, POLLIN); /* it follows its BIG at once */
	c = n == (ssize_t)sizeof(head) ? CMSG_FIRSTHDR(&m) : NULL;
	if (c == NULL || c->cmsg_type != SCM_RIGHTS)
		return -1;
	memcpy(&body, CMSG_DATA(c), sizeof(body));
	if (head.kind == PROTO_BODY)
		return body;
	(void)real_close(body);
	return -1;
}

/* Read a body into buf; not mapped, as its sender could still truncate it. */
static int
read_body(int body, uint8_t *buf, size_t len)
{
	size_t at = 0;

	while (at < len) {
		ssize_t n = pread(body, buf + at, len - at, (off_t)at);

		if (n <= 0)
			return -1;
		at += (size_t)n;
	}
	return 0;
}

/* Return the long message of the first frame read, if it fits. */
static ssize_t
finish_big(struct device *d, int fd, uint8_t *buf, size_t room)
{
	size_t hdr = header_size(d), len = d->first.head.size - PROTO_MAD_AT;
	int body, rc;

	if (room < hdr + PROTO_MAD)
		return fail_errno(EINVAL);
	d->first.umad.length = (uint32_t)(hdr + len);
	memcpy(buf, &d->first.umad, hdr);
	memcpy(buf + hdr, d->first.mad, PROTO_MAD);
	if (room < hdr + len)
		return fail_errno(ENOSPC);
	d->big = false;
	body = receive_body(fd);
	if (body < 0)
		return fail_errno(EIO);
	rc = read_body(body, buf + hdr, len);
	(void)real_close(body);
	/* the headers are those that came through the fabric */
	memcpy(buf + hdr, d->first.mad, PROTO_MAD);
	return rc < 0 ? fail_errno(EIO) : (ssize_t)(hdr + len);
}

static ssize_t
read_locked(struct device *d, int fd, uint8_t *buf, size_t room)
{
	size_t hdr = header_size(d), len;
	/* a message that may not fit must stay in the socket */
	int peek = room < hdr + PROTO_MAD ? MSG_PEEK : 0;
	struct proto_mad f;
	const char *why;
	ssize_t n;

	if (d->big)
		return finish_big(d, fd, buf, room);
	n = recv(fd, &f, sizeof(f), MSG_DONTWAIT | peek);
	if (n <= 0)
		return lost_server(n);
	if (proto_mad_decode(&f, (size_t)n, &f, &len, &why) < 0)
		return fail_errno(EIO);
	if (peek) {
		if (f.head.kind == PROTO_BIG || room < hdr + len)
			return fail_errno(EINVAL);
		(void)recv(fd, &f, sizeof(f), MSG_DONTWAIT);
	}
	if (f.head.kind == PROTO_BIG) {
		d->big = true;
		d->first = f;
		return finish_big(d, fd, buf, room);
	}
	memcpy(buf, &f.umad, hdr);
	memcpy(buf + hdr, f.mad, len);
	return (ssize_t)(hdr + len);
}

/*
 * opensm reads on after an error, and logs each: it would fill a disk, and be
 * cancelled at its end while it holds the lock of its log. While it sleeps here
 * it can be cancelled safely.
 */
static void
hold_up(void)
{
	(void)usleep(GONE_WAIT);
	errno = EIO;
}

ssize_t
device_read(struct device *d, int fd, void *buf, size_t n)
{
	ssize_t rc;
	int cancel;

	if (d->issm || n < header_size(d))
		return fail_errno(EINVAL);
	for (;;) {
		/* a thread cancelled in here would keep the lock for ever */
		(void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
		(void)pthread_mutex_lock(&d->lock);
		rc = read_locked(d, fd, buf, n);
		(void)pthread_mutex_unlock(&d->lock);
		(void)pthread_setcancelstate(cancel, NULL);
		if (rc < 0 && errno == EIO)
			hold_up();
		if (rc >= 0 || errno != EAGAIN ||
			(fcntl(fd, F_GETFL) & O_NONBLOCK) != 0)
			return rc;
		wait_for(fd, POLLIN);
	}
}

/* Send a frame, with a descriptor unless body is -1. */
static int
send_frame(int fd, const struct proto_mad *f, size_t n, int body)
{
	union {
		struct cmsghdr h;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	union {
		const void *from;
		void *base;
	} frame = {f};
	struct iovec iov = {frame.base, n};
	struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1};

	if (body >= 0) {
		memset(&control, 0, sizeof(control));
		control.h.cmsg_level = SOL_SOCKET;
		control.h.cmsg_type = SCM_RIGHTS;
		control.h.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.h), &body, sizeof(body));
		m.msg_control = &control;
		m.msg_controllen = sizeof(control);
	}
	while (sendmsg(fd, &m, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
		if (errno == EAGAIN) /* the kernel's queue has no end: wait */
			wait_for(fd, POLLOUT);
		else if (errno != EINTR)
			return (int)fail_errno(EIO);
	}
	return 0;
}

static int
send_big(int fd, struct proto_mad *f, const uint8_t *mad, size_t len)
{
	int body = memfd_create("heddle-umad", MFD_CLOEXEC), rc = -1;
	size_t at = 0;

	if (body < 0)
		return (int)fail_errno(ENOMEM);
	while (at < len) {
		ssize_t n = real_write(body, mad + at, len - at);

		if (n <= 0) {
			(void)fail_errno(ENOMEM);
			goto out;
		}
		at += (size_t)n;
	}
	f->head =
		(struct proto_head){PROTO_BIG, (uint32_t)(PROTO_MAD_AT + len)};
	rc = send_frame(fd, f, sizeof(*f), body);
out:
	link_close(body);
	return rc;
}

/* True if the kernel would take a MAD of this length from this agent. */
static bool
is_acceptable(
	const struct device *d, uint32_t agent, const uint8_t *mad, size_t len)
{
	uint32_t bit;

	if (agent >= PROTO_AGENTS || len > PROTO_MESSAGE - PROTO_MAD_AT)
		return false;
	bit = 1U << agent;
	if ((atomic_load(&d->agents) & bit) == 0)
		return false;
	return len <= PROTO_MAD || ((atomic_load(&d->rmpp) & bit) != 0 &&
					   (mad[AT_RMPP_FLAGS] & RMPP_ACTIVE));
}

ssize_t
device_write(struct device *d, int fd, const void *buf, size_t n)
{
	size_t hdr = header_size(d), len = n - hdr;
	const uint8_t *mad = (const uint8_t *)buf + hdr;
	struct proto_mad f;
	int rc;

	if (d->issm || n < hdr + PROTO_MAD_LEAST)
		return fail_errno(EINVAL);
	memset(&f.umad, 0, sizeof(f.umad));
	memcpy(&f.umad, buf, hdr);
	if (!is_acceptable(d, f.umad.agent, mad, len))
		return fail_errno(EINVAL);
	memcpy(f.mad, mad, len < PROTO_MAD ? len : PROTO_MAD);
	if (len > PROTO_MAD) {
		rc = send_big(fd, &f, mad, len);
	} else {
		f.head = (struct proto_head){
			PROTO_PLAIN, (uint32_t)(PROTO_MAD_AT + len)};
		rc = send_frame(fd, &f, f.head.size, -1);
	}
	return rc < 0 ? -1 : (ssize_t)n;
}

static int
register_agent(struct device *d, const struct proto_agent *agent, uint32_t *id)
{
	struct proto_hello h = {
		.want = PROTO_WANT_REGISTER, .key = d->key, .agent = *agent};
	struct proto_answer a;

	if (link_query(&h, &a, NULL) < 0)
		return -1;
	if (a.value >= PROTO_AGENTS)
		return (int)fail_errno(EIO);
	if (agent->rmpp)
		atomic_fetch_or(&d->rmpp, 1U << a.value);
	else
		atomic_fetch_and(&d->rmpp, ~(1U << a.value));
	atomic_fetch_or(&d->agents, 1U << a.value);
	*id = a.value;
	return 0;
}

static int
register_old(struct device *d, void *arg)
{
	struct ib_user_mad_reg_req r;
	struct proto_agent agent = {0};

	memcpy(&r, arg, sizeof(r));
	agent.qpn = r.qpn;
	agent.mgmt_class = r.mgmt_class;
	agent.version = r.mgmt_class_version;
	agent.rmpp = r.rmpp_version;
	agent.oui =
		(uint32_t)r.oui[0] << 16 | (uint32_t)r.oui[1] << 8 | r.oui[2];
	memcpy(agent.methods, r.method_mask, sizeof(agent.methods));
	if (register_agent(d, &agent, &r.id) < 0)
		return -1;
	memcpy(arg, &r, sizeof(r));
	return 0;
}

static int
register_new(struct device *d, void *arg)
{
	struct ib_user_mad_reg_req2 r;
	struct proto_agent agent = {0};

	memcpy(&r, arg, sizeof(r));
	if (r.flags != 0 || r.qpn > 1) /* no RMPP in user space */
		return (int)fail_errno(EINVAL);
	agent.qpn = (uint8_t)r.qpn;
	agent.mgmt_class = r.mgmt_class;
	agent.version = r.mgmt_class_version;
	agent.rmpp = r.rmpp_version;
	agent.oui = r.oui & 0xffffff;
	memcpy(agent.methods, r.method_mask, sizeof(agent.methods));
	if (register_agent(d, &agent, &r.id) < 0)
		return -1;
	memcpy(arg, &r, sizeof(r));
	return 0;
}

static int
unregister_agent(struct device *d, const void *arg)
{
	struct proto_hello h = {.want = PROTO_WANT_UNREGISTER, .key = d->key};
	struct proto_answer a;

	memcpy(&h.agent.id, arg, sizeof(h.agent.id));
	if (h.agent.id >= PROTO_AGENTS)
		return (int)fail_errno(EINVAL);
	atomic_fetch_and(&d->agents, ~(1U << h.agent.id));
	return link_query(&h, &a, NULL);
}

int
device_ioctl(struct device *d, unsigned long request, void *arg, bool *done)
{
	*done = !d->issm;
	if (*done && request == IB_USER_MAD_ENABLE_PKEY) {
		if (atomic_load(&d->agents) != 0)
			return (int)fail_errno(EINVAL);
		d->pkey = true;
		return 0;
	}
	*done = *done && arg != NULL;
	if (*done && request == IB_USER_MAD_REGISTER_AGENT)
		return register_old(d, arg);
	if (*done && request == IB_USER_MAD_REGISTER_AGENT2)
		return register_new(d, arg);
	if (*done && request == IB_USER_MAD_UNREGISTER_AGENT)
		return unregister_agent(d, arg);
	*done = false;
	return 0;
}
