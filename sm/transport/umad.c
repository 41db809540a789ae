#include "sm/transport/umad.h"

#include <errno.h>
#include <fcntl.h>
#include <infiniband/umad.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "sm/base/be.h"
#include "sm/base/mem.h"
#include "sm/base/thread.h"
#include "sm/transport/ring.h"
#include "sm/transport/umad_choose.h"

enum {
	RING = 4096,
	POLL_MS = 200, /* the longest that a stop may take */
	DRAIN_MS = 20, /* silence after which no message is on its way to us */
	DRAINS_MAX = 50,
	ERROR_MS = 50,	     /* pause after a failed read, not to spin */
	ERRORS_MAX = 20,     /* failed reads in a row: the device is lost */
	MATCH_MS = 4000,     /* how long the kernel matches an answer */
	SEGMENT_RETRIES = 3, /* as OpenSM has it */
	QKEY = (int)0x80010000,
	PORTS_MAX = 64,
	AGENTS = 3,
};

/*
 * The agents to register. The kernel delivers the answers to our requests
 * anyway; the methods are those of requests that others may send to us.
 */
static const struct agent {
	int mgmt_class, version;
	uint8_t rmpp;
	uint32_t methods; /* bit m: method m */
} agents[AGENTS] = {
	/* Get, Set, Trap, TrapRepress */
	{MAD_SUBN_LID, 1, 0, 1U << 1 | 1U << 2 | 1U << 5 | 1U << 7},
	{MAD_SUBN_DR, 1, 0, 1U << 1 | 1U << 2 | 1U << 5 | 1U << 7},
	/* and Report, GetTable, GetTraceTable, GetMulti, Delete */
	{MAD_SA, 2, 1,
		1U << 1 | 1U << 2 | 1U << 5 | 1U << 6 | 1U << 7 | 1U << 0x12 |
			1U << 0x13 | 1U << 0x14 | 1U << 0x15},
};

struct umad {
	struct transport transport; /* first member: a pointer to it is one to
				       the umad */
	int fd, issm;		    /* -1: not open */
	int agent[AGENTS];
	char device[UMAD_CA_NAME_LEN];
	int port;
	void *out; /* one message being sent */
	struct ring *ring;
	void (*wake)(void *);
	void *cookie;
	pthread_t thread;
	bool started, serve;
	atomic_bool stop;
	atomic_int lost; /* the errno of reads that fail for good; 0: none */
	_Atomic uint64_t dropped;
};

static int
agent_of(const struct umad *u, uint8_t mgmt_class)
{
	for (int i = 0; i < AGENTS; i++)
		if (agents[i].mgmt_class == mgmt_class)
			return u->agent[i];
	return -1;
}

/* True if RMPP below us needs the length of this message. */
static bool
is_rmpp(const struct transport_msg *m)
{
	enum { FLAGS = 26, ACTIVE = 1 };

	return m->len > MAD_SIZE ||
	       (m->mad[1] == MAD_SA && (m->mad[FLAGS] & ACTIVE) != 0);
}

/* The address of a message that is sent, in the kernel's header. */
static void
set_address(void *umad, const struct transport_addr *a)
{
	ib_mad_addr_t *to = umad_get_mad_addr(umad);

	(void)umad_set_addr(
		umad, a->lid, (int)a->qpn, a->sl, a->qpn != 0 ? QKEY : 0);
	(void)umad_set_pkey(umad, a->pkey_index);
	if (!a->grh.present)
		return;
	to->grh_present = 1;
	to->gid_index = a->grh.gid_index;
	to->hop_limit = a->grh.hop_limit;
	to->traffic_class = a->grh.traffic_class;
	to->flow_label = htonl(a->grh.flow_label);
	memcpy(to->gid, a->grh.gid, sizeof(to->gid));
}

/* The address from which a message came. */
static void
get_address(const ib_mad_addr_t *from, struct transport_addr *a)
{
	*a = (struct transport_addr){.lid = ntohs(from->lid),
		.qpn = ntohl(from->qpn),
		.sl = from->sl,
		.pkey_index = from->pkey_index};
	if (from->grh_present == 0)
		return;
	a->grh.present = true;
	a->grh.gid_index = from->gid_index;
	a->grh.hop_limit = from->hop_limit;
	a->grh.traffic_class = from->traffic_class;
	a->grh.flow_label = ntohl(from->flow_label);
	memcpy(a->grh.gid, from->gid, sizeof(a->grh.gid));
}

static int
send_msg(struct transport *t, const struct transport_msg *m)
{
	struct umad *u = (struct umad *)(void *)t;
	uint8_t method = m->mad[3];
	bool answer = (method & 0x80) != 0 || method == MAD_TRAP_REPRESS;
	int agent = agent_of(u, m->mad[1]), rc;
	size_t len = is_rmpp(m) ? m->len : MAD_SIZE;
	void *out = u->out;

	if (agent < 0 || (m->len > MAD_SIZE && m->body == NULL))
		return -1;
	if (len > MAD_SIZE)
		out = mem_alloc(umad_size() + len);
	memset(out, 0, umad_size() + MAD_SIZE);
	if (len > MAD_SIZE)
		memcpy(umad_get_mad(out), m->body, len);
	else
		memcpy(umad_get_mad(out), m->mad, m->len);
	set_address(out, &m->addr);
	/* of an answer in many segments the kernel repeats the lost ones */
	rc = umad_send(u->fd, agent, out, (int)len,
		answer		    ? 0
		: m->timeout_ms > 0 ? (int)m->timeout_ms
				    : MATCH_MS,
		answer && is_rmpp(m) ? SEGMENT_RETRIES : 0);
	if (out != u->out)
		free(out);
	return rc == 0 ? 0 : -1;
}

static void
sleep_ms(long ms)
{
	struct timespec ts = {.tv_nsec = ms * 1000000};

	(void)nanosleep(&ts, NULL);
}

/* The buffer of the receiving thread; it grows for messages that RMPP put
 * together. */
struct inbox {
	void *umad;
	int room;
};

/*
 * Hand one message over through the ring. Of a request that timed out in the
 * kernel only the header comes back; the rest is zero then.
 */
static void
hand_over(struct umad *u, void *umad, size_t len)
{
	struct transport_msg *m = ring_slot(u->ring);
	int status = umad_status(umad);
	size_t begins;

	if (m == NULL) {
		atomic_fetch_add_explicit(&u->dropped, 1, memory_order_relaxed);
		return;
	}
	get_address(umad_get_mad_addr(umad), &m->addr);
	m->error = status;
	m->len = status != 0 ? MAD_SIZE : len;
	m->body = m->len > MAD_SIZE ? mem_dup(umad_get_mad(umad), len) : NULL;
	begins = len < MAD_SIZE ? len : MAD_SIZE;
	memcpy(m->mad, umad_get_mad(umad), begins);
	memset(m->mad + begins, 0, MAD_SIZE - begins);
	if (ring_commit(u->ring))
		u->wake(u->cookie);
}

/* Read one message if there is one: 1, 0 when there is none, -1 on errors. */
static int
receive_one(struct umad *u, struct inbox *in)
{
	int len = in->room;

	if (umad_recv(u->fd, in->umad, &len, 0) >= 0) {
		hand_over(u, in->umad, len > 0 ? (size_t)len : 0);
		return 1;
	}
	if (errno == EWOULDBLOCK || errno == EINTR)
		return 0;
	if (errno != ENOSPC || len <= in->room)
		return -1;
	in->room = len;
	in->umad = mem_resize(in->umad, 1, umad_size() + (size_t)len);
	return 1;
}

/*
 * A read failed for the errors-th time in a row. Whether the device is lost:
 * the kernel answers EIO for good once its agents are dead (the adapter was
 * reset, its driver removed), other errors may pass.
 */
static bool
is_lost(int error, unsigned errors)
{
	return error == EIO || error == ENODEV || error == EBADF ||
	       errors >= ERRORS_MAX;
}

/* Receive until the owner stops us or the device is lost. */
static void
receive_all(struct umad *u, struct inbox *in)
{
	unsigned errors = 0;

	while (!atomic_load_explicit(&u->stop, memory_order_relaxed)) {
		int got = receive_one(u, in);

		if (got >= 0)
			errors = 0;
		if (got == 0) {
			(void)umad_poll(u->fd, POLL_MS);
		} else if (got < 0 && is_lost(errno, ++errors)) {
			atomic_store(&u->lost, errno != 0 ? errno : EIO);
			u->wake(u->cookie);
			return;
		} else if (got < 0) {
			sleep_ms(ERROR_MS);
		}
	}
}

static void *
run_receiver(void *arg)
{
	struct umad *u = arg;
	struct inbox in = {.umad = mem_zalloc(1, umad_size() + MAD_SIZE),
		.room = MAD_SIZE};

	receive_all(u, &in);
	/* libumad2sim.so does not survive a MAD for a descriptor just closed:
	 * wait until nothing more comes. */
	for (int i = 0; i < DRAINS_MAX && atomic_load(&u->lost) == 0; i++) {
		while (receive_one(u, &in) > 0)
			;
		if (umad_poll(u->fd, DRAIN_MS) == -ETIMEDOUT)
			break;
	}
	free(in.umad);
	return NULL;
}

/* All local ports, up to PORTS_MAX; ports that cannot be read are left out. */
static size_t
find_ports(struct umad_choose_port *p)
{
	char names[UMAD_MAX_DEVICES][UMAD_CA_NAME_LEN];
	int ncas = umad_get_cas_names(names, UMAD_MAX_DEVICES);
	size_t n = 0;

	for (int i = 0; i < ncas; i++) {
		umad_ca_t ca;

		names[i][UMAD_CA_NAME_LEN - 1] = '\0';
		if (umad_get_ca(names[i], &ca) < 0)
			continue;
		for (int k = 0; k < UMAD_CA_MAX_PORTS && n < PORTS_MAX; k++) {
			const umad_port_t *port = ca.ports[k];

			if (port == NULL)
				continue;
			p[n] = (struct umad_choose_port){.port = k,
				.guid = be64toh(port->port_guid),
				.state = port->state,
				.infiniband =
					strcmp(port->link_layer, "IB") == 0 ||
					strcmp(port->link_layer,
						"InfiniBand") == 0};
			memcpy(p[n].device, names[i], UMAD_CA_NAME_LEN);
			n++;
		}
		(void)umad_release_ca(&ca);
	}
	return n;
}

static int
register_agents(struct umad *u, struct reason *why)
{
	for (int i = 0; i < AGENTS; i++) {
		long mask[16 / sizeof(long)] = {0};

		if (u->serve)
			mask[0] = (long)agents[i].methods;
		u->agent[i] = umad_register(u->fd, agents[i].mgmt_class,
			agents[i].version, agents[i].rmpp, mask);
		if (u->agent[i] < 0)
			return reason_set(why,
				"%s/%d: cannot register management class "
				"0x%02x: %s (is another subnet manager "
				"running on this port?)",
				u->device, u->port, agents[i].mgmt_class,
				strerror(errno));
	}
	return 0;
}

static int
start_thread(struct umad *u, struct reason *why)
{
	int rc = thread_start(&u->thread, run_receiver, u);

	if (rc != 0)
		return reason_set(
			why, "cannot start a thread: %s", strerror(rc));
	u->started = true;
	return 0;
}

static int
open_port(struct umad *u, struct reason *why)
{
	u->fd = umad_open_port(u->device, u->port);
	if (u->fd < 0)
		return reason_set(why, "%s/%d: cannot open its umad device: %s",
			u->device, u->port, strerror(errno));
	u->out = mem_zalloc(1, umad_size() + MAD_SIZE);
	return register_agents(u, why) < 0 ? -1 : start_thread(u, why);
}

struct umad *
umad_open(const char *spec, bool serve, void (*wake)(void *), void *cookie,
	struct umad_port_name *chosen, struct reason *why)
{
	struct umad_choose_port ports[PORTS_MAX];
	struct umad *u;
	int k;

	if (umad_init() < 0) {
		(void)reason_set(
			why, "no access to InfiniBand: is ib_umad loaded?");
		return NULL;
	}
	k = umad_choose(ports, find_ports(ports), spec, why);
	if (k < 0)
		return NULL;
	memcpy(chosen->device, ports[k].device, sizeof(chosen->device));
	chosen->port = ports[k].port;
	chosen->guid = ports[k].guid;
	u = mem_zalloc(1, sizeof(*u));
	u->transport.send = send_msg;
	(void)getrandom(
		&u->transport.tid_start, sizeof(u->transport.tid_start), 0);
	u->fd = u->issm = -1;
	memset(u->agent, 0xff, sizeof(u->agent));
	memcpy(u->device, ports[k].device, sizeof(u->device));
	u->port = ports[k].port;
	u->serve = serve;
	u->wake = wake;
	u->cookie = cookie;
	u->ring = ring_new(RING);
	if (open_port(u, why) < 0) {
		umad_shutdown(u);
		return NULL;
	}
	return u;
}

/*
 * The receiving thread sleeps in poll. A request to our own port wakes it at
 * once, by its answer; without an answer poll ends after POLL_MS.
 */
static void
wake_receiver(struct umad *u)
{
	const struct smp s = {.mgmt_class = MAD_SUBN_DR,
		.method = MAD_GET,
		.attr = MAD_NODE_INFO,
		.dr_slid = 0xffff,
		.dr_dlid = 0xffff};
	struct transport_msg m = {.addr.lid = 0xffff, .len = MAD_SIZE};

	smp_encode(&s, m.mad);
	(void)u->transport.send(&u->transport, &m);
}

void
umad_shutdown(struct umad *u)
{
	if (u == NULL)
		return;
	(void)umad_set_issm(u, 0, NULL);
	if (u->started) {
		atomic_store(&u->stop, true);
		wake_receiver(u);
		(void)pthread_join(u->thread, NULL);
	}
	for (int i = 0; i < AGENTS && u->fd >= 0; i++)
		if (u->agent[i] >= 0)
			(void)umad_unregister(u->fd, u->agent[i]);
	if (u->fd >= 0)
		(void)umad_close_port(u->fd);
	ring_free(u->ring);
	free(u->out);
	free(u);
}

struct transport *
umad_transport(struct umad *u)
{
	return &u->transport;
}

int
umad_next(struct umad *u, struct transport_msg *m)
{
	return ring_take(u->ring, m);
}

int
umad_set_issm(struct umad *u, int on, struct reason *why)
{
	char path[256];

	if (!on) {
		if (u->issm >= 0)
			(void)close(u->issm);
		u->issm = -1;
		return 0;
	}
	if (u->issm >= 0)
		return 0;
	if (umad_get_issm_path(u->device, u->port, path, sizeof(path)) < 0)
		return reason_set(
			why, "%s/%d: no issm device", u->device, u->port);
	u->issm = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (u->issm < 0)
		return reason_set(why, "%s: cannot set IsSM: %s%s", path,
			strerror(errno),
			errno == EAGAIN ? " (another subnet manager holds it)"
					: "");
	return 0;
}

bool
umad_lost(const struct umad *u, struct reason *why)
{
	int error = atomic_load(&u->lost);

	if (error != 0)
		(void)reason_set(
			why, "%s/%d: %s", u->device, u->port, strerror(error));
	return error != 0;
}

uint64_t
umad_dropped(const struct umad *u)
{
	return atomic_load_explicit(&u->dropped, memory_order_relaxed);
}

int
umad_link(const struct umad *u)
{
	char path[128], text[32] = "";
	ssize_t n;
	int fd;

	(void)snprintf(path, sizeof(path),
		"/sys/class/infiniband/%s/ports/%d/phys_state", u->device,
		u->port);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = read(fd, text, sizeof(text) - 1);
	(void)close(fd);
	/* "5: LinkUp" */
	return n <= 0 ? -1 : strncmp(text, "5:", 2) == 0;
}
