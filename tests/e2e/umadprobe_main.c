/*
 * umadprobe: tests what a umad device must do and libumad2sim.so's does not,
 * through libibumad as any program would. Run under libheddle-umad.so on a
 * heddle-sim server. Prints what is wrong and exits with 1.
 *
 *	many N		N descriptors, each with a request of its own, waited
 *			for with epoll and select
 *	lost PORT	no answer comes from behind this port: time-outs
 *	agents		what the kernel refuses
 *	table		a table from the SA, with a buffer too small at first
 *	issm		one at a time
 *	handover LID GUID KEY
 *			not a test: sends Set(SMInfo) HANDOVER in the name of
 *			the manager with this GUID, and prints the status
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/umad.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <unistd.h>

#include "sm/base/be.h"
#include "sm/base/mem.h"
#include "sm/mad/mad.h"

/* umad_size() changes when the first port is opened. */
enum {
	ROOM = sizeof(ib_user_mad_t) + MAD_SIZE,
	MAX = 512,
	WAIT_MS = 20000,
	SA_DATA = 56,
	NODE_RECORD = 0x11,
	RMPP_AT = 24,
	SMALL_MS = 50,
	RETRIES = 3,
};

static int print_error(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));

static int
print_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vfprintf(stderr, fmt, ap);
	va_end(ap);
	(void)fputc('\n', stderr);
	return 1;
}

/* A Get(NodeInfo) with this TID: of this node, or of the one behind a port. */
static void
make_get(void *umad, uint32_t tid, unsigned port)
{
	uint8_t *m = umad_get_mad(umad);
	struct smp s = {
		.mgmt_class = MAD_SUBN_DR,
		.method = MAD_GET,
		.attr = MAD_NODE_INFO,
		.tid = tid,
		.hop_cnt = port ? 1 : 0,
		.path = {0, (uint8_t)port},
		.dr_slid = 0xffff,
		.dr_dlid = 0xffff,
	};

	memset(umad, 0, ROOM);
	smp_encode(&s, m);
	(void)umad_set_addr(umad, 0xffff, 0, 0, 0);
}

static int
open_agent(int *agent)
{
	int fd = umad_open_port(NULL, 0);

	*agent = fd < 0 ? -1 : umad_register(fd, MAD_SUBN_DR, 1, 0, NULL);
	return fd;
}

/* Read the answer to TID from a descriptor that is readable. */
static int
read_answer(int fd, int agent, uint32_t tid)
{
	uint8_t *umad = mem_zalloc(1, ROOM);
	const uint8_t *mad = umad_get_mad(umad);
	int len = MAD_SIZE, got = umad_recv(fd, umad, &len, 0), rc = 0;

	if (got != agent || len != MAD_SIZE || umad_status(umad) != 0)
		rc = print_error(
			"descriptor %d: agent %d (%d), %d bytes, status %d", fd,
			got, agent, len, umad_status(umad));
	else if (be_get32(mad + 12) != tid || mad[3] != MAD_GET_RESP)
		rc = print_error("descriptor %d: TID %u, not %u", fd,
			be_get32(mad + 12), tid);
	free(umad);
	return rc;
}

static int
wait_epoll(const int *fd, int n, bool *ready)
{
	int ep = epoll_create1(EPOLL_CLOEXEC), left = n;

	for (int i = 0; i < n; i++) {
		struct epoll_event e = {
			.events = EPOLLIN | EPOLLET, .data = {.u32 = 0}};

		e.data.u32 = (uint32_t)i;
		(void)epoll_ctl(ep, EPOLL_CTL_ADD, fd[i], &e);
	}
	while (left > 0) {
		struct epoll_event e;

		if (epoll_wait(ep, &e, 1, WAIT_MS) != 1)
			break;
		left -= !ready[e.data.u32];
		ready[e.data.u32] = true;
	}
	(void)close(ep);
	return left ? print_error("epoll: %d of %d are not readable", left, n)
		    : 0;
}

static int
wait_select(const int *fd, int n)
{
	struct timeval now = {0, 0};
	fd_set set;
	int top = 0, got;

	FD_ZERO(&set);
	for (int i = 0; i < n; i++) {
		FD_SET(fd[i], &set);
		top = fd[i] > top ? fd[i] : top;
	}
	got = select(top + 1, &set, NULL, NULL, &now);
	return got == n ? 0
			: print_error("select: %d of %d are readable", got, n);
}

static int
probe_many(int n)
{
	int fd[MAX], agent[MAX], rc = 0;
	bool ready[MAX] = {false};
	void *umad = mem_zalloc(1, ROOM);

	if (n < 1 || n > MAX)
		n = MAX;
	for (int i = 0; i < n && rc == 0; i++) {
		fd[i] = open_agent(&agent[i]);
		if (fd[i] < 0 || agent[i] < 0)
			rc = print_error(
				"descriptor %d: %s", i, strerror(errno));
		make_get(umad, 1000 + (uint32_t)i, 0);
		if (rc == 0 && umad_send(fd[i], agent[i], umad, MAD_SIZE,
				       WAIT_MS, 0) != 0)
			rc = print_error("send %d: %s", i, strerror(errno));
	}
	if (rc == 0)
		rc = wait_epoll(fd, n, ready) || wait_select(fd, n);
	for (int i = 0; i < n && rc == 0; i++)
		rc = read_answer(fd[i], agent[i], 1000 + (uint32_t)i);
	if (rc == 0 && umad_poll(fd[0], 0) != -ETIMEDOUT)
		rc = print_error("readable without anything to read");
	free(umad);
	return rc;
}

/* Check a returned request: ETIMEDOUT, its header, its TID. */
static int
came_back(uint8_t *umad, int len, uint32_t tid)
{
	uint32_t got = be_get32((const uint8_t *)umad_get_mad(umad) + 12);

	if (umad_status(umad) != ETIMEDOUT || len != 24 || got != tid)
		return print_error("came back: status %d, %d bytes, TID %u",
			umad_status(umad), len, got);
	return 0;
}

/*
 * Two requests, one of which is lost: both return, as they should. The second
 * one first, unless the first one timed out before it was sent.
 */
static int
probe_lost(unsigned port)
{
	uint8_t *umad = mem_zalloc(1, ROOM);
	int agent, fd = open_agent(&agent), rc = 0;
	const uint8_t *mad = umad_get_mad(umad);
	unsigned seen = 0;

	make_get(umad, 1, port);
	if (umad_send(fd, agent, umad, MAD_SIZE, SMALL_MS, RETRIES) != 0)
		rc = print_error("send: %s", strerror(errno));
	make_get(umad, 2, 0);
	if (umad_send(fd, agent, umad, MAD_SIZE, WAIT_MS, 0) != 0)
		rc = print_error("send: %s", strerror(errno));
	for (int i = 0; i < 2 && rc == 0; i++) {
		int len = MAD_SIZE;

		memset(umad, 0, ROOM);
		if (umad_recv(fd, umad, &len, WAIT_MS) != agent)
			rc = print_error(
				"nothing came back: %s", strerror(errno));
		else if (umad_status(umad) != 0)
			rc = came_back(umad, len, 1);
		else if (be_get32(mad + 12) != 2 || mad[3] != MAD_GET_RESP)
			rc = print_error("TID %u, not 2", be_get32(mad + 12));
		seen |= 1U << be_get32(mad + 12) % 32;
	}
	if (rc == 0 && seen != (1U << 1 | 1U << 2))
		rc = print_error("not both came back");
	free(umad);
	return rc;
}

static int
probe_agents(void)
{
	long mask[16 / sizeof(long)] = {1L << MAD_TRAP};
	void *umad = mem_zalloc(1, ROOM);
	int a = umad_open_port(NULL, 0), b = umad_open_port(NULL, 0);
	int first = umad_register(a, MAD_SUBN_LID, 1, 0, mask), rc = 0;
	int ids[UMAD_CA_MAX_AGENTS + 1] = {0};

	if (first < 0)
		rc = print_error("register: %s", strerror(errno));
	if (umad_register(b, MAD_SUBN_LID, 1, 0, mask) >= 0)
		rc = print_error("two agents for one method of one port");
	(void)umad_unregister(a, first);
	if (umad_register(b, MAD_SUBN_LID, 1, 0, mask) < 0)
		rc = print_error("the method is not free again");
	make_get(umad, 1, 0);
	if (umad_send(a, first, umad, MAD_SIZE, 100, 0) == 0)
		rc = print_error("sent by an agent that is not registered");
	if (write(a, umad, umad_size() + 30) >= 0 || errno != EINVAL)
		rc = print_error("a MAD of 30 bytes was sent");
	for (int i = 0; i <= UMAD_CA_MAX_AGENTS; i++)
		ids[i] = umad_register(b, MAD_SUBN_DR, 1, 0, NULL);
	if (ids[UMAD_CA_MAX_AGENTS - 2] < 0 || ids[UMAD_CA_MAX_AGENTS] >= 0)
		rc = print_error(
			"not %d agents a descriptor", UMAD_CA_MAX_AGENTS);
	free(umad);
	return rc;
}

/* Ask the SA for all NodeRecords. */
static int
ask_table(int *agent, void *umad, unsigned sm_lid)
{
	int fd = umad_open_port(NULL, 0);
	uint8_t *m = umad_get_mad(umad);

	*agent = umad_register(fd, MAD_SA, 2, 1, NULL);
	m[0] = 1;
	m[1] = MAD_SA;
	m[2] = 2;
	m[3] = 0x12; /* GetTable */
	be_put32(m + 12, 77);
	be_put16(m + 16, NODE_RECORD);
	m[RMPP_AT] = 1;
	(void)umad_set_addr(umad, (int)sm_lid, 1, 0, (int)0x80010000);
	return umad_send(fd, *agent, umad, MAD_SIZE, WAIT_MS, 0) ? -1 : fd;
}

/* Check the RMPP header of a first segment of that many bytes. */
static int
check_rmpp(const uint8_t *m, int len)
{
	uint32_t data = (uint32_t)len - SA_DATA, segments = (data + 199) / 200;
	unsigned flags = segments > 1 ? 3 : 7;

	if (m[RMPP_AT] != 1 || m[RMPP_AT + 1] != 1 ||
		(m[RMPP_AT + 2] & 7) != flags || m[RMPP_AT + 3] != 0 ||
		be_get32(m + RMPP_AT + 4) != 1 ||
		be_get32(m + RMPP_AT + 8) != data + 20 * segments)
		return print_error(
			"RMPP header %02x %02x %02x %02x %08x %08x of a "
			"message of %d bytes",
			m[RMPP_AT], m[RMPP_AT + 1], m[RMPP_AT + 2],
			m[RMPP_AT + 3], be_get32(m + RMPP_AT + 4),
			be_get32(m + RMPP_AT + 8), len);
	return 0;
}

static int
probe_table(void)
{
	uint8_t *umad = mem_zalloc(1, ROOM), *m;
	umad_port_t port;
	int agent, fd, len = MAD_SIZE, n;

	if (umad_get_port(NULL, 0, &port) < 0)
		return print_error("no port");
	fd = ask_table(&agent, umad, port.sm_lid);
	if (fd < 0)
		return print_error("cannot ask the SA: %s", strerror(errno));
	if (umad_recv(fd, umad, &len, WAIT_MS) >= 0 || errno != ENOSPC)
		return print_error(
			"%d bytes of a table: %s", len, strerror(errno));
	umad = mem_resize(umad, 1, umad_size() + (size_t)len);
	n = len;
	if (umad_recv(fd, umad, &len, WAIT_MS) != agent || len != n)
		return print_error(
			"%d bytes of %d: %s", len, n, strerror(errno));
	m = umad_get_mad(umad);
	n = be_get16(m + 44) * 8; /* AttributeOffset */
	if (check_rmpp(m, len))
		return 1;
	if (n == 0 || (len - SA_DATA) % n)
		return print_error(
			"%d bytes of records of %d", len - SA_DATA, n);
	printf("%d\n", (len - SA_DATA) / n);
	free(umad);
	(void)umad_release_port(&port);
	return 0;
}

static int
probe_issm(void)
{
	char path[256];
	int a, b;

	if (umad_get_issm_path(NULL, 0, path, sizeof(path)) < 0)
		return print_error("no issm device");
	a = open(path, O_RDONLY | O_NONBLOCK);
	b = open(path, O_RDONLY | O_NONBLOCK);
	if (a < 0 || b >= 0 || errno != EAGAIN)
		return print_error(
			"%s: %d, then %d: %s", path, a, b, strerror(errno));
	(void)close(a);
	a = open(path, O_RDONLY); /* waits if necessary */
	return a < 0 ? print_error("%s: not free again", path) : 0;
}

/* Any host can send this. */
static int
send_handover(uint16_t lid, uint64_t guid, uint64_t key)
{
	const struct mad_sm_info i = {
		.guid = guid, .key = key, .priority = 15, .state = 3};
	struct smp s = {.mgmt_class = MAD_SUBN_LID,
		.method = MAD_SET,
		.attr = MAD_SM_INFO,
		.mod = 1,
		.tid = 77};
	uint8_t *umad = mem_zalloc(1, ROOM);
	int fd = umad_open_port(NULL, 0), len = MAD_SIZE, rc = 0;
	int agent = fd < 0 ? -1 : umad_register(fd, MAD_SUBN_LID, 1, 0, NULL);

	mad_sm_info_encode(&i, s.data);
	smp_encode(&s, umad_get_mad(umad));
	(void)umad_set_addr(umad, lid, 0, 0, 0);
	if (agent < 0 ||
		umad_send(fd, agent, umad, MAD_SIZE, SMALL_MS, RETRIES) < 0 ||
		umad_recv(fd, umad, &len, WAIT_MS) != agent ||
		umad_status(umad) != 0 ||
		smp_decode(umad_get_mad(umad), MAD_SIZE, &s, NULL) != 0)
		rc = print_error("no answer from LID %u", lid);
	else
		(void)printf("status 0x%x\n", s.status);
	free(umad);
	return rc;
}

int
main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	int arg = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 0;

	if (umad_init() < 0)
		return print_error("no umad");
	if (strcmp(mode, "many") == 0)
		return probe_many(arg);
	if (strcmp(mode, "lost") == 0)
		return probe_lost((unsigned)arg);
	if (strcmp(mode, "agents") == 0)
		return probe_agents();
	if (strcmp(mode, "table") == 0)
		return probe_table();
	if (strcmp(mode, "issm") == 0)
		return probe_issm();
	if (strcmp(mode, "handover") == 0 && argc == 5)
		return send_handover((uint16_t)arg, strtoull(argv[3], NULL, 16),
			strtoull(argv[4], NULL, 16));
	(void)fputs("usage: umadprobe many N | lost PORT | agents | table | "
		    "issm | handover LID GUID KEY\n",
		stderr);
	return 2;
}
