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
#include "sm/base/file.h"
#include "sm/base/mem.h"
#include "sm/base/thread.h"
#include "sm/mad/mad_perf.h"
#include "sm/mad/mad_sa.h"
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
	PORTS_MAX = 64,
	AGENTS = 4,
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
	{MAD_PERF, MAD_PERF_VERSION, 0, 0},
};

/* An open umad device, with the thread that receives from it. */
struct umad_device {
	struct umad *u;
	char name[UMAD_CA_NAME_LEN];
	int port;
	int fd; /* -1: not open */
	struct ring *ring;
	pthread_t thread;
	bool started;
	atomic_int lost; /* the errno of reads that fail for good; 0: none */
};

/*
 * Which device has which queue pair: where the port is in one device, that has
 * both.
 */
enum { QP0, QP1, DEVICES };

struct umad {
	struct transport transport; /* first member: a pointer to it is one to
				       the umad */
	struct umad_device device[DEVICES];
	int ndevices;
	int next_device; /* the device whose messages are next */
	int issm;	 /* -1: not open */
	int agent[AGENTS];
	void *out; /* one message being sent */
	void (*wake)(void *);
	void *cookie;
	bool serve;
	atomic_bool stop;
	_Atomic uint64_t dropped;
};

/* The device through which MADs of a class go. */
static struct umad_device *
device_for(struct umad *u, int mgmt_class)
{
	bool gsi = mgmt_class == MAD_SA || mgmt_class == MAD_PERF;

	return &u->device[gsi ? u->ndevices - 1 : QP0];
}

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
	enum { FLAGS = 26, RMPP_ACTIVE = 1 };

	return m->len > MAD_SIZE ||
	       (m->mad[1] == MAD_SA && (m->mad[FLAGS] & RMPP_ACTIVE) != 0);
}

/* The address of a message that is sent, in the kernel's header. */
static void
set_address(void *umad, const struct transport_addr *a)
{
	ib_mad_addr_t *to = umad_get_mad_addr(umad);

	(void)umad_set_addr(umad, a->lid, (int)a->qpn, a->sl,
		a->qpn != 0 ? (int)MAD_SA_QKEY : 0);
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
	rc = umad_send(device_for(u, m->mad[1])->fd, agent, out, (int)len,
		answer		    ? 0
		: m->timeout_ms > 0 ? (int)m->timeout_ms
				    : MATCH_MS,
		answer && is_rmpp(m) ? SEGMENT_RETRIES : 0);
	if (out != u->out)
		free(out);
	return rc == 0 ? 0 : -1;
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
hand_over(struct umad_device *d, void *umad, size_t len)
{
	struct transport_msg *m = ring_slot(d->ring);
	struct umad *u = d->u;
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
	if (ring_commit(d->ring))
		u->wake(u->cookie);
}

/* Read one message if there is one: 1, 0 when there is none, -1 on errors. */
static int
receive_one(struct umad_device *d, struct inbox *in)
{
	int len = in->room;

	if (umad_recv(d->fd, in->umad, &len, 0) >= 0) {
		hand_over(d, in->umad, len > 0 ? (size_t)len : 0);
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
receive_all(struct umad_device *d, struct inbox *in)
{
	const struct timespec pause = {.tv_nsec = ERROR_MS * 1000000L};
	struct umad *u = d->u;
	unsigned errors = 0;

	while (!atomic_load_explicit(&u->stop, memory_order_relaxed)) {
		int got = receive_one(d, in);

		if (got >= 0)
			errors = 0;
		if (got == 0) {
			(void)umad_poll(d->fd, POLL_MS);
		} else if (got < 0 && is_lost(errno, ++errors)) {
			atomic_store(&d->lost, errno != 0 ? errno : EIO);
			u->wake(u->cookie);
			return;
		} else if (got < 0) {
			(void)nanosleep(&pause, NULL);
		}
	}
}

static void *
run_receiver(void *arg)
{
	struct umad_device *d = arg;
	struct inbox in = {.umad = mem_zalloc(1, umad_size() + MAD_SIZE),
		.room = MAD_SIZE};

	receive_all(d, &in);
	/* libumad2sim.so does not survive a MAD for a descriptor just closed:
	 * wait until nothing more comes. */
	for (int i = 0; i < DRAINS_MAX && atomic_load(&d->lost) == 0; i++) {
		while (receive_one(d, &in) > 0)
			;
		if (umad_poll(d->fd, DRAIN_MS) == -ETIMEDOUT)
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
				.no_smi = (be32toh(port->capmask) &
						  MAD_CAP_SM_DISABLED) != 0,
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
		const struct umad_device *d;

		if (u->serve)
			mask[0] = (long)agents[i].methods;
		d = device_for(u, agents[i].mgmt_class);
		u->agent[i] = umad_register(d->fd, agents[i].mgmt_class,
			agents[i].version, agents[i].rmpp, mask);
		/* without counters of ports everything else works */
		if (u->agent[i] < 0 && agents[i].methods != 0)
			return reason_set(why,
				"%s/%d: cannot register management class "
				"0x%02x: %s (is another subnet manager "
				"running on this port?)",
				d->name, d->port, agents[i].mgmt_class,
				strerror(errno));
	}
	return 0;
}

/* One device more; false and a reason where it cannot be opened. */
static bool
add_device(struct umad *u, const struct umad_choose_port *p, struct reason *why)
{
	struct umad_device *d = &u->device[u->ndevices++];

	d->u = u;
	memcpy(d->name, p->device, sizeof(d->name));
	d->port = p->port;
	d->ring = ring_new(RING);
	d->fd = umad_open_port(d->name, d->port);
	if (d->fd < 0)
		(void)reason_set(why, "%s/%d: cannot open its umad device: %s",
			d->name, d->port, strerror(errno));
	return d->fd >= 0;
}

static bool
open_devices(struct umad *u, const struct umad_choose_port *ports, size_t n,
	int smi, struct reason *why)
{
	int gsi = umad_choose_gsi(ports, n, smi);

	if (!add_device(u, &ports[smi], why) ||
		(gsi != smi && !add_device(u, &ports[gsi], why)) ||
		register_agents(u, why) < 0)
		return false;
	/* umad_size is known once a device is open */
	u->out = mem_zalloc(1, umad_size() + MAD_SIZE);
	for (int i = 0; i < u->ndevices; i++) {
		struct umad_device *d = &u->device[i];
		int rc = thread_start(&d->thread, run_receiver, d);

		if (rc != 0) {
			(void)reason_set(
				why, "cannot start a thread: %s", strerror(rc));
			return false;
		}
		d->started = true;
	}
	return true;
}

struct umad *
umad_open(const char *spec, bool serve, void (*wake)(void *), void *cookie,
	struct umad_port_name *chosen, struct reason *why)
{
	struct umad_choose_port ports[PORTS_MAX];
	struct umad *u;
	size_t n;
	int k;

	if (umad_init() < 0) {
		(void)reason_set(
			why, "no access to InfiniBand: is ib_umad loaded?");
		return NULL;
	}
	n = find_ports(ports);
	k = umad_choose(ports, n, spec, why);
	if (k < 0)
		return NULL;
	memcpy(chosen->device, ports[k].device, sizeof(chosen->device));
	memcpy(chosen->sa_device, ports[umad_choose_gsi(ports, n, k)].device,
		sizeof(chosen->sa_device));
	chosen->port = ports[k].port;
	chosen->guid = ports[k].guid;
	u = mem_zalloc(1, sizeof(*u));
	u->transport.send = send_msg;
	(void)getrandom(
		&u->transport.tid_start, sizeof(u->transport.tid_start), 0);
	u->issm = -1;
	memset(u->agent, 0xff, sizeof(u->agent));
	u->serve = serve;
	u->wake = wake;
	u->cookie = cookie;
	if (!open_devices(u, ports, n, k, why)) {
		umad_shutdown(u);
		return NULL;
	}
	return u;
}

/*
 * The receiving threads sleep in poll. A request to our own port wakes that of
 * QP0 at once, by its answer; without an answer poll ends after POLL_MS.
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
	atomic_store(&u->stop, true);
	if (u->ndevices > 0 && u->device[QP0].started)
		wake_receiver(u);
	for (int i = 0; i < u->ndevices; i++)
		if (u->device[i].started)
			(void)pthread_join(u->device[i].thread, NULL);
	for (int i = 0; i < AGENTS; i++)
		if (u->agent[i] >= 0)
			(void)umad_unregister(
				device_for(u, agents[i].mgmt_class)->fd,
				u->agent[i]);
	for (int i = 0; i < u->ndevices; i++) {
		if (u->device[i].fd >= 0)
			(void)umad_close_port(u->device[i].fd);
		ring_free(u->device[i].ring);
	}
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
	for (int i = 0; i < u->ndevices; i++) {
		const struct umad_device *d = &u->device[u->next_device];

		u->next_device = (u->next_device + 1) % u->ndevices;
		if (ring_take(d->ring, m))
			return 1;
	}
	return 0;
}

int
umad_set_issm(struct umad *u, int on, struct reason *why)
{
	const struct umad_device *d = &u->device[QP0];
	char path[256];

	if (!on) {
		if (u->issm >= 0)
			(void)close(u->issm);
		u->issm = -1;
		return 0;
	}
	if (u->issm >= 0)
		return 0;
	if (umad_get_issm_path(d->name, d->port, path, sizeof(path)) < 0)
		return reason_set(
			why, "%s/%d: no issm device", d->name, d->port);
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
	for (int i = 0; i < u->ndevices; i++) {
		const struct umad_device *d = &u->device[i];
		int error = atomic_load(&d->lost);

		if (error == 0)
			continue;
		(void)reason_set(
			why, "%s/%d: %s", d->name, d->port, strerror(error));
		return true;
	}
	return false;
}

uint64_t
umad_dropped(const struct umad *u)
{
	return atomic_load_explicit(&u->dropped, memory_order_relaxed);
}

int
umad_link(const struct umad *u)
{
	const struct umad_device *d = &u->device[QP0];
	char path[128], text[32];

	(void)snprintf(path, sizeof(path),
		"/sys/class/infiniband/%s/ports/%d/phys_state", d->name,
		d->port);
	if (!file_read_line(path, text, sizeof(text)))
		return -1;
	/* "5: LinkUp" */
	return strncmp(text, "5:", 2) == 0;
}
