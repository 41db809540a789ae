/*
 * The server of libheddle-umad.so as the kernel's MAD layer, with well behaved
 * programs and others. The test sets the time.
 */
#include "tests/sim/serve/umadserve.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sm/base/mem.h"
#include "sm/base/rng.h"
#include "tests/unit/suite.h"
#include "tests/unit/tests/sim/serve/umadserve_fixture.h"

/* Refused: the connection has ended, and the server has closed it. */
static void
check_refused(struct setup *s, int fd, uint64_t before)
{
	char b[8];

	setup_run(s);
	ck_assert_int_eq(recv(fd, b, sizeof(b), 0), 0);
	ck_assert_uint_eq(umadserve_stats(s->u)->refused, before + 1);
	(void)close(fd);
}

/* Sends a frame with a descriptor. */
static void
send_with(int fd, const void *frame, size_t n, int passed)
{
	union {
		struct cmsghdr h;
		char room[CMSG_SPACE(sizeof(int))];
	} c;
	uint8_t copy[512];
	struct iovec iov = {copy, n};
	struct msghdr m = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &c,
		.msg_controllen = sizeof(c),
	};

	memcpy(copy, frame, n);
	memset(&c, 0, sizeof(c));
	c.h.cmsg_level = SOL_SOCKET;
	c.h.cmsg_type = SCM_RIGHTS;
	c.h.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&c.h), &passed, sizeof(passed));
	ck_assert_int_eq(sendmsg(fd, &m, 0), (ssize_t)n);
}

static int
open_fds(void)
{
	int n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

TEST(garbage)
{
	static uint8_t junk[4096];
	struct proto_hello h = make_hello(PROTO_WANT_FILE, "left");
	AUTO(setup) struct setup s;
	struct rng r = {.state = 2};
	uint64_t n = 0, key;
	int fd, fds;

	setup_begin(&s, NULL);
	fds = open_fds();
	for (size_t len = 1; len < sizeof(junk); len += 97) {
		for (size_t i = 0; i < len; i++)
			junk[i] = (uint8_t)rng_next(&r);
		fd = connect_server(&s);
		ck_assert_int_eq(send(fd, junk, len, 0), (ssize_t)len);
		check_refused(&s, fd, n++);
	}
	/* a descriptor where none belongs; one of no file; a short one */
	fd = connect_server(&s);
	send_with(fd, &h, sizeof(h), STDIN_FILENO);
	check_refused(&s, fd, n++);
	for (int i = 0; i < 3; i++) {
		struct proto_mad f = make_mad(0, RIGHT_LID, MAD_SA, GET_TABLE);
		int p[2], file = memfd_create("t", MFD_CLOEXEC);

		ck_assert_int_eq(pipe(p), 0);
		fd = open_umad(&s, "left", &key);
		f.head = (struct proto_head){PROTO_BIG, 10000};
		if (i == 0)
			send_with(fd, &f, sizeof(f), p[0]);
		else if (i == 1)
			send_with(fd, &f, sizeof(f), file);
		else /* no descriptor */
			ck_assert_int_gt(send(fd, &f, sizeof(f), 0), 0);
		check_refused(&s, fd, n++);
		(void)close(p[0]);
		(void)close(p[1]);
		(void)close(file);
	}
	/* MADs on a connection for something else */
	h.want = PROTO_WANT_ISSM;
	{
		struct proto_answer a;

		fd = ask_server(&s, &h, &a, NULL);
		ck_assert_uint_eq(a.error, 0);
	}
	ck_assert_int_gt(send(fd, &h, sizeof(h), 0), 0);
	check_refused(&s, fd, n++);
	ck_assert(!(sim_port_info(s.sim, LEFT, 1)->capmask & MAD_CAP_IS_SM));
	ck_assert_int_eq(open_fds(), fds);
	(void)close(open_umad(&s, "right", &key));
}

TEST(registration)
{
	struct proto_agent get = {
		.mgmt_class = MAD_SA, .version = 2, .qpn = 1, .methods = {6}};
	struct proto_agent set = get, bad = get;
	uint64_t left, right;
	AUTO(setup) struct setup s;
	uint32_t id;
	int fd;

	setup_begin(&s, NULL);
	fd = open_umad(&s, "left", &left);
	(void)open_umad(&s, "right", &right);
	ck_assert_uint_eq(register_agent(&s, left + 1, &get, &id), EINVAL);
	ck_assert_uint_eq(register_agent(&s, left, &get, &id), 0);
	ck_assert_uint_eq(id, 0);
	ck_assert_uint_eq(register_agent(&s, left, &get, &id), EINVAL);
	set.methods[0] = 8;
	ck_assert_uint_eq(register_agent(&s, left, &set, &id), 0);
	ck_assert_uint_eq(id, 1);
	ck_assert_uint_eq(register_agent(&s, right, &get, &id), 0);
	bad.qpn = 2;
	ck_assert_uint_eq(register_agent(&s, left, &bad, &id), EINVAL);
	memset(get.methods, 0, sizeof(get.methods));
	for (uint32_t i = 2; i < PROTO_AGENTS; i++) {
		ck_assert_uint_eq(register_agent(&s, left, &get, &id), 0);
		ck_assert_uint_eq(id, i);
	}
	ck_assert_uint_eq(register_agent(&s, left, &get, &id), ENOMEM);
	/* a program that ends takes its agents along */
	(void)close(fd);
	setup_run(&s);
	ck_assert_uint_eq(register_agent(&s, left, &get, &id), EINVAL);
	(void)open_umad(&s, "left", &left);
	ck_assert_uint_eq(register_agent(&s, left, &set, &id), 0);
}

/* An answer arrives with the whole TID, at the program that asked. */
TEST(round_trip)
{
	struct proto_agent who = {
		.mgmt_class = MAD_SUBN_LID, .version = 1, .methods = {0}};
	struct proto_mad f, g;
	uint64_t key, other_key;
	AUTO(setup) struct setup s;
	uint32_t id, other;
	int fd, fd2;

	setup_begin(&s, NULL);
	fd = open_umad(&s, "left", &key);
	fd2 = open_umad(&s, "left", &other_key);
	ck_assert_uint_eq(register_agent(&s, key, &who, &id), 0);
	ck_assert_uint_eq(register_agent(&s, other_key, &who, &other), 0);
	f = make_mad(id, SWITCH_LID, MAD_SUBN_LID, MAD_GET);
	be_put16(f.mad + 16, MAD_NODE_INFO);
	f.umad.timeout_ms = 100;
	send_mad(&s, fd, &f);
	ck_assert_uint_eq(get_frame(fd2, &g), 0);
	ck_assert_uint_eq(get_frame(fd, &g), PROTO_PLAIN);
	ck_assert_uint_eq(g.umad.agent, id);
	ck_assert_uint_eq(g.umad.status, 0);
	ck_assert_uint_eq(ntohs(g.umad.lid_be), SWITCH_LID);
	ck_assert_uint_eq(g.umad.length, PROTO_UMAD + 256);
	ck_assert_uint_eq(be_get32(g.mad + 12), 42);
	/* the same low TID from both: each gets its own answer */
	ck_assert_int_gt(send(fd, &f, sizeof(f), 0), 0);
	f.umad.agent = other;
	send_mad(&s, fd2, &f);
	ck_assert_uint_eq(get_frame(fd, &g), PROTO_PLAIN);
	ck_assert_uint_eq(get_frame(fd2, &g), PROTO_PLAIN);
	ck_assert_uint_eq(get_frame(fd, &g) | get_frame(fd2, &g), 0);
	/* without a timeout no answer is expected, as in the kernel */
	f.umad.timeout_ms = 0;
	send_mad(&s, fd2, &f);
	ck_assert_uint_eq(get_frame(fd2, &g), 0);
	ck_assert_uint_eq(umadserve_stats(s.u)->late, 1);
	/* an agent that does not exist */
	f.umad.agent = 31;
	send_mad(&s, fd2, &f);
	f.umad.agent = UINT32_MAX;
	send_mad(&s, fd2, &f);
	ck_assert_uint_eq(umadserve_stats(s.u)->dropped, 2);
}

/*
 * The kernel's rule for answers: with a GRH where the request had one, to the
 * GID that it came from; else the request times out.
 */
TEST(answers_need_the_grh)
{
	static const struct {
		bool asked, answered;
		uint8_t index;
		uint64_t to; /* the GUID in the answer's GRH; 0: the sender's */
		uint32_t status;
	} rows[] = {
		{false, false, 0, 0, 0}, {false, true, 0, 0, ETIMEDOUT},
		{true, false, 0, 0, ETIMEDOUT}, {true, true, 0, 0, 0},
		{true, true, 3, 0, 0},		    /* by an alias */
		{true, true, 3, 0x4444, ETIMEDOUT}, /* another alias */
		{true, true, 0, 0x9999, ETIMEDOUT}, /* of no port there */
	};
	const uint64_t prefix = 0xfe80000000000000;
	const uint64_t aliases[8] = {0, 0, 0, 0x3333, 0x4444};
	struct proto_agent client = {
		.mgmt_class = MAD_SA, .version = 2, .qpn = 1};
	struct proto_agent sa = client;
	uint64_t key, sa_key, left;
	AUTO(setup) struct setup s;
	uint32_t id, sa_id;
	int fd, sa_fd;

	setup_begin(&s, NULL);
	left = fabric_port(s.f, LEFT, 1)->guid;
	sim_hand_guids(s.sim, LEFT, 1, 0, aliases);
	fd = open_umad(&s, "left", &key);
	sa_fd = open_umad(&s, "right", &sa_key);
	sa.methods[0] = 1U << GET_TABLE;
	ck_assert_uint_eq(register_agent(&s, key, &client, &id), 0);
	ck_assert_uint_eq(register_agent(&s, sa_key, &sa, &sa_id), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct proto_mad f = make_mad(id, RIGHT_LID, MAD_SA, GET_TABLE);
		uint64_t from = rows[i].index != 0 ? 0x3333 : left;
		struct proto_mad g;

		f.umad.timeout_ms = 100;
		f.umad.grh = rows[i].asked;
		f.umad.gid_index = rows[i].index;
		be_put64(f.umad.gid, prefix);
		be_put64(f.umad.gid + 8, fabric_port(s.f, RIGHT, 1)->guid);
		send_mad(&s, fd, &f);
		ck_assert_uint_eq(get_frame(sa_fd, &g), PROTO_PLAIN);
		ck_assert_uint_eq(g.umad.grh, rows[i].asked);
		if (rows[i].asked)
			ck_assert_uint_eq(be_get64(g.umad.gid + 8), from);
		ck_assert_uint_eq(g.umad.gid_index, 0);
		g.umad.agent = sa_id;
		g.umad.grh = rows[i].answered;
		be_put64(g.umad.gid, prefix);
		be_put64(g.umad.gid + 8, rows[i].to != 0 ? rows[i].to : from);
		g.mad[3] = GET_TABLE_RESP;
		send_mad(&s, sa_fd, &g);
		setup_pass(&s, 101);
		ck_assert_uint_eq(get_frame(fd, &g), PROTO_PLAIN);
		ck_assert_msg(g.umad.status == rows[i].status,
			"row %zu: status %u", i, g.umad.status);
	}
}

TEST(time_out)
{
	struct sim_behaviour hung = {.hung = true};
	struct proto_agent who = {
		.mgmt_class = MAD_SUBN_LID, .version = 1, .methods = {0}};
	struct proto_mad f, g;
	AUTO(setup) struct setup s;
	uint64_t key;
	uint32_t id;
	int fd;

	setup_begin(&s, NULL);
	sim_fault_behave(s.sim, SWITCH, &hung);
	fd = open_umad(&s, "left", &key);
	ck_assert_uint_eq(register_agent(&s, key, &who, &id), 0);
	f = make_mad(id, SWITCH_LID, MAD_SUBN_LID, MAD_GET);
	be_put16(f.mad + 16, MAD_NODE_INFO);
	f.umad.timeout_ms = 100;
	f.umad.retries = 2;
	send_mad(&s, fd, &f);
	ck_assert_uint_eq(umadserve_stats(s.u)->sent, 1);
	setup_pass(&s, 101);
	ck_assert_uint_eq(umadserve_stats(s.u)->sent, 2);
	setup_pass(&s, 101);
	ck_assert_uint_eq(umadserve_stats(s.u)->sent, 3);
	ck_assert_uint_eq(get_frame(fd, &g), 0);
	setup_pass(&s, 101);
	ck_assert_uint_eq(get_frame(fd, &g), PROTO_PLAIN);
	ck_assert_uint_eq(g.umad.status, ETIMEDOUT);
	ck_assert_uint_eq(g.head.size, PROTO_MAD_AT + 24);
	ck_assert_uint_eq(be_get32(g.mad + 12), 42);
	ck_assert_uint_eq(umadserve_stats(s.u)->sent, 3);
	ck_assert_int_eq(umadserve_next(s.u).ns, MONO_NEVER.ns);
	/* a late answer is dropped: the node recovers after the last try */
	send_mad(&s, fd, &f);
	hung.hung = false;
	sim_fault_behave(s.sim, SWITCH, &hung);
	setup_pass(&s, 101);
	ck_assert_uint_eq(get_frame(fd, &g), PROTO_PLAIN);
	ck_assert_uint_eq(g.umad.status, 0);
	/* and a request of a closed program does not come back as a timeout */
	hung.hung = true;
	sim_fault_behave(s.sim, SWITCH, &hung);
	send_mad(&s, fd, &f);
	(void)close(fd);
	setup_pass(&s, 1000);
	ck_assert_int_eq(umadserve_next(s.u).ns, MONO_NEVER.ns);
}

/* An answer with the right TID at the wrong port is dropped. */
TEST(stray)
{
	struct proto_agent who = {
		.mgmt_class = MAD_SA, .version = 2, .qpn = 1, .methods = {2}};
	struct proto_mad f, q, g;
	uint64_t left, right;
	AUTO(setup) struct setup s;
	uint32_t id, id2;
	int fd, fd2;

	setup_begin(&s, NULL);
	fd = open_umad(&s, "left", &left);
	fd2 = open_umad(&s, "right", &right);
	ck_assert_uint_eq(register_agent(&s, left, &who, &id), 0);
	ck_assert_uint_eq(register_agent(&s, right, &who, &id2), 0);
	f = make_mad(id, RIGHT_LID, MAD_SA, MAD_GET);
	f.umad.timeout_ms = 1000;
	send_mad(&s, fd, &f);
	ck_assert_uint_eq(get_frame(fd2, &q), PROTO_PLAIN);
	f = make_mad(id2, RIGHT_LID, MAD_SA, MAD_GET_RESP); /* to itself */
	memcpy(f.mad + 8, q.mad + 8, 8);
	send_mad(&s, fd2, &f);
	ck_assert_uint_eq(get_frame(fd, &g) | get_frame(fd2, &g), 0);
	f.umad.lid_be = htons(LEFT_LID);
	f.mad[1] = 4; /* of another class */
	send_mad(&s, fd2, &f);
	ck_assert_uint_eq(get_frame(fd, &g) | get_frame(fd2, &g), 0);
	ck_assert_uint_eq(umadserve_stats(s.u)->late, 2);
	f.mad[1] = MAD_SA;
	send_mad(&s, fd2, &f);
	ck_assert_uint_eq(get_frame(fd, &g), PROTO_PLAIN);
}

/* A Get of a class without an agent is refused; a Trap is dropped. */
TEST(unregistered_classes)
{
	struct proto_agent who = {
		.mgmt_class = MAD_SA, .version = 2, .qpn = 1, .rmpp = 1};
	struct proto_mad f, g;
	uint64_t key, key2;
	AUTO(setup) struct setup s;
	uint32_t id;
	int fd;

	setup_begin(&s, NULL);
	fd = open_umad(&s, "left", &key);
	(void)open_umad(&s, "right", &key2);
	ck_assert_uint_eq(register_agent(&s, key, &who, &id), 0);
	f = make_mad(id, RIGHT_LID, MAD_SA, MAD_GET);
	f.umad.timeout_ms = 100;
	send_mad(&s, fd, &f);
	ck_assert_uint_eq(get_frame(fd, &g), PROTO_PLAIN);
	ck_assert_uint_eq(be_get16(g.mad + 4), MAD_STATUS_METHOD_ATTR);
	ck_assert_uint_eq(g.mad[3], MAD_GET_RESP);
	f = make_mad(id, RIGHT_LID, MAD_SA, MAD_TRAP);
	f.umad.timeout_ms = 100;
	send_mad(&s, fd, &f);
	ck_assert_uint_eq(get_frame(fd, &g), 0);
	ck_assert_uint_eq(umadserve_stats(s.u)->unmatched, 2);
}

/* Receives the frame that follows a BIG; returns the file in it. */
static int
get_body(int fd)
{
	union {
		struct cmsghdr h;
		char room[CMSG_SPACE(sizeof(int))];
	} c;
	struct proto_head head;
	struct iovec iov = {&head, sizeof(head)};
	struct msghdr m = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &c,
		.msg_controllen = sizeof(c),
	};
	int body;

	ck_assert_int_eq(recvmsg(fd, &m, 0), sizeof(head));
	ck_assert_uint_eq(head.kind, PROTO_BODY);
	ck_assert_ptr_nonnull(CMSG_FIRSTHDR(&m));
	memcpy(&body, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(body));
	return body;
}

/* The SA's answer of len bytes to request q. */
static void
answer_table(struct setup *s, int fd, const struct proto_mad *q, size_t len)
{
	struct proto_mad f = *q;
	int file = memfd_create("t", MFD_CLOEXEC);
	uint8_t *whole = mem_zalloc(1, len);

	f.umad.timeout_ms = 0;
	f.mad[3] = GET_TABLE_RESP;
	f.mad[24] = 1;
	f.mad[26] = 1; /* active */
	memset(f.mad + 36, 0x11, PROTO_MAD - 36);
	memset(whole, 0x11, len);
	memcpy(whole, f.mad, 36);
	ck_assert_int_eq(write(file, whole, len), (ssize_t)len);
	free(whole);
	if (len > PROTO_MAD) {
		f.head = (struct proto_head){
			PROTO_BIG, (uint32_t)(PROTO_MAD_AT + len)};
		send_with(fd, &f, sizeof(f), file);
	} else {
		f.head.size = (uint32_t)(PROTO_MAD_AT + len);
		ck_assert_int_eq(send(fd, &f, f.head.size, 0), f.head.size);
	}
	(void)close(file);
	setup_run(s);
}

/* Tables of any length, with the header of a first segment. */
TEST(tables)
{
	static const struct {
		size_t len;
		uint8_t flags;
		uint32_t payload;
	} t[] = {
		{56, 7, 20},
		{56 + 200, 7, 220},
		{56 + 120, 7, 140},
		{56 + 201, 3, 201 + 2 * 20},
		{56 + 400, 3, 440},
		{56 + 112 * 702, 3, 112 * 702 + 394 * 20},
	};
	struct proto_agent client = {
		.mgmt_class = MAD_SA, .version = 2, .qpn = 1, .rmpp = 1};
	struct proto_agent sa = client;
	uint64_t key, sa_key;
	AUTO(setup) struct setup s;
	uint32_t id, sa_id;
	int fd, sa_fd, fds;

	setup_begin(&s, NULL);
	fd = open_umad(&s, "left", &key);
	sa_fd = open_umad(&s, "right", &sa_key);
	sa.methods[0] = 1U << GET_TABLE;
	ck_assert_uint_eq(register_agent(&s, key, &client, &id), 0);
	ck_assert_uint_eq(register_agent(&s, sa_key, &sa, &sa_id), 0);
	setup_run(&s); /* closes the server's ends */
	fds = open_fds();
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct proto_mad f = make_mad(id, RIGHT_LID, MAD_SA, GET_TABLE),
				 g;
		bool big = t[i].len > PROTO_MAD;
		struct stat st;
		int body;

		f.umad.timeout_ms = 1000;
		send_mad(&s, fd, &f);
		ck_assert_uint_eq(get_frame(sa_fd, &g), PROTO_PLAIN);
		ck_assert_uint_eq(g.umad.agent, sa_id);
		ck_assert_uint_eq(ntohs(g.umad.lid_be), LEFT_LID);
		answer_table(&s, sa_fd, &g, t[i].len);
		ck_assert_uint_eq(
			get_frame(fd, &g), big ? PROTO_BIG : PROTO_PLAIN);
		ck_assert_uint_eq(g.head.size, PROTO_MAD_AT + t[i].len);
		ck_assert_uint_eq(g.umad.length, PROTO_UMAD + t[i].len);
		ck_assert_uint_eq(g.mad[25], 1);
		ck_assert_uint_eq(g.mad[26], t[i].flags);
		ck_assert_uint_eq(be_get32(g.mad + 28), 1);
		ck_assert_uint_eq(be_get32(g.mad + 32), t[i].payload);
		if (!big)
			continue;
		body = get_body(fd);
		ck_assert_int_eq(fstat(body, &st), 0);
		ck_assert_int_eq(st.st_size, (off_t)t[i].len);
		(void)close(body);
	}
	ck_assert_int_eq(open_fds(), fds);
	/* lost on the wire: the request times out */
	{
		struct proto_mad f = make_mad(id, RIGHT_LID, MAD_SA, GET_TABLE),
				 g;

		f.umad.timeout_ms = 1000;
		send_mad(&s, fd, &f);
		ck_assert_uint_eq(get_frame(sa_fd, &g), PROTO_PLAIN);
		sim_fault_link(s.sim, LEFT, 1, false);
		answer_table(&s, sa_fd, &g, 9999);
		ck_assert_uint_eq(get_frame(fd, &g), 0);
		ck_assert_int_eq(open_fds(), fds + 1);
		setup_pass(&s, 20000);
		ck_assert_uint_eq(get_frame(fd, &g), PROTO_PLAIN);
		ck_assert_uint_eq(g.umad.status, ETIMEDOUT);
		ck_assert_int_eq(open_fds(), fds);
	}
}

/* A program that does not read loses messages, and no other program does. */
TEST(a_program_that_does_not_read)
{
	struct proto_agent who = {
		.mgmt_class = MAD_SUBN_LID, .version = 1, .methods = {0}};
	struct proto_mad f, g;
	AUTO(setup) struct setup s;
	uint64_t key;
	uint32_t id;
	unsigned got = 0;
	int fd;

	setup_begin(&s, NULL);
	fd = open_umad(&s, "left", &key);
	ck_assert_uint_eq(register_agent(&s, key, &who, &id), 0);
	f = make_mad(id, SWITCH_LID, MAD_SUBN_LID, MAD_GET);
	be_put16(f.mad + 16, MAD_NODE_INFO);
	f.umad.timeout_ms = 100;
	for (uint32_t i = 0; i < 100000; i++) {
		be_put32(f.mad + 12, i);
		ck_assert_int_gt(send(fd, &f, sizeof(f), 0), 0);
		if (i % 16 == 15)
			setup_run(&s);
	}
	ck_assert_uint_gt(umadserve_stats(s.u)->dropped, 0);
	/* all kept messages come, in order */
	for (int idle = 0; idle < 2;) {
		while (get_frame(fd, &g)) {
			ck_assert_uint_eq(be_get32(g.mad + 12), got);
			got++;
			idle = 0;
		}
		setup_run(&s);
		idle++;
	}
	ck_assert_uint_gt(got, 60000);
}

TEST(files)
{
	static const struct {
		const char *path, *text; /* NULL: no such file */
	} t[] = {
		{"/sys/class/infiniband_mad/abi_version", "5\n"},
		{"/sys/class/infiniband_mad/umad1//port", "2\n"},
		{"/sys/class/infiniband_mad/umad2/port", NULL},
		{"/sys/class/infiniband_mad/issm0/ibdev", "heddle0\n"},
		{"/sys/class/infiniband/heddle0/node_type", "1: CA\n"},
		{"/sys/class/infiniband/heddle0/node_desc", "left\n"},
		{"/sys/class/infiniband/heddle0/ports/1/lid", "0x1\n"},
		{"/sys/class/infiniband/heddle0/ports/1/state", "4: ACTIVE\n"},
		{"/sys/class/infiniband/heddle0/ports/2/state", "1: DOWN\n"},
		{"/sys/class/infiniband/heddle0/ports/1/rate",
			"200 Gb/sec (4X HDR)\n"},
		{"/sys/class/infiniband/heddle0/ports/1/pkeys/0", "0xffff\n"},
		{"/sys/class/infiniband/heddle0/ports/1/pkeys/32", NULL},
		{"/sys/class/infiniband/heddle0/ports/3/state", NULL},
		{"/sys/class/infiniband/heddle0/ports/1x/state", NULL},
		{"/sys/class/infiniband/heddle0/ports/1/state/x", NULL},
		{"/sys/class/infiniband/mlx5_0/node_type", NULL},
		{"/sys/class/infiniband/heddle0/../heddle0/node_type", NULL},
		{"/a/b/c/d/e/f/g/h/i/j/k/l/m/n", NULL},
		{"", NULL},
	};
	char text[PROTO_TEXT];
	AUTO(setup) struct setup s;

	setup_begin(&s, NULL);
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct proto_hello h = make_hello(PROTO_WANT_FILE, "left");
		struct proto_answer a;

		memcpy(h.path, t[i].path, strlen(t[i].path));
		(void)close(ask_server(&s, &h, &a, text));
		ck_assert_msg(
			(a.error == 0) == (t[i].text != NULL), "%s", t[i].path);
		if (t[i].text == NULL)
			continue;
		ck_assert_uint_eq(a.value, PROTO_FILE_TEXT);
		ck_assert_msg(a.bytes == strlen(t[i].text) &&
				      memcmp(text, t[i].text, a.bytes) == 0,
			"%s: %.*s", t[i].path, (int)a.bytes, text);
	}
}

TEST(hosts)
{
	static const struct {
		const char *host, *desc; /* NULL: no such host */
	} t[] = {{"", "left\n"}, {"right", "right\n"}, {"switch", "switch\n"},
		{"nobody", NULL}, {"0x1", NULL}};
	AUTO(setup) struct setup s;
	char name[32], text[PROTO_TEXT];
	struct proto_answer a;

	setup_begin(&s, NULL);
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct proto_hello h = make_hello(PROTO_WANT_FILE, t[i].host);

		(void)snprintf(h.path, sizeof(h.path),
			"/sys/class/infiniband/heddle0/node_desc");
		(void)close(ask_server(&s, &h, &a, text));
		ck_assert_msg(
			(a.error == 0) == (t[i].desc != NULL), "%s", t[i].host);
		if (t[i].desc != NULL)
			ck_assert_int_eq(memcmp(text, t[i].desc, a.bytes), 0);
	}
	for (int i = 0; i < 2; i++) {
		struct proto_hello h;

		(void)snprintf(name, sizeof(name), i ? "H-%016llx" : "0x%llx",
			(unsigned long long)s.f->node[RIGHT].guid);
		h = make_hello(PROTO_WANT_UMAD, name);
		h.device = 1; /* it has one port only */
		(void)close(ask_server(&s, &h, &a, NULL));
		ck_assert_uint_eq(a.error, ENXIO);
		h.device = 0;
		(void)close(ask_server(&s, &h, &a, NULL));
		ck_assert_uint_eq(a.error, 0);
	}
}

/* A hub that gives one port only. */
struct hub {
	struct setup *s;
	umadserve_take *take;
	void *cookie;
	unsigned taken, left;
};

static void
hub_arrived(void *cookie, const struct transport_msg *m, struct mono now)
{
	struct hub *h = cookie;

	if (h->take(h->cookie, m, now))
		h->taken++;
	else
		h->left++;
}

static struct sim_endpoint *
hub_attach(void *cookie, uint32_t node, unsigned port, umadserve_take *take,
	void *take_cookie)
{
	struct hub *h = cookie;

	if (h->take)
		return NULL;
	h->take = take;
	h->cookie = take_cookie;
	return sim_attach(h->s->sim, node, port, hub_arrived, h);
}

static void
hub_detach(void *cookie, struct sim_endpoint *e)
{
	struct hub *h = cookie;

	h->take = NULL;
	sim_detach(e);
}

TEST(shared_ports)
{
	struct proto_agent who = {
		.mgmt_class = MAD_SUBN_LID, .version = 1, .methods = {0}};
	AUTO(setup) struct setup s;
	struct hub h = {.s = &s};
	const struct umadserve_hub hub = {hub_attach, hub_detach, &h};
	struct proto_hello again = make_hello(PROTO_WANT_UMAD, "right");
	struct proto_answer a;
	struct proto_mad f;
	uint64_t key;
	uint32_t id;
	int fd;

	setup_begin(&s, &hub);
	fd = open_umad(&s, "left", &key);
	(void)close(ask_server(&s, &again, &a, NULL));
	ck_assert_uint_eq(a.error, EUSERS);
	ck_assert_uint_eq(register_agent(&s, key, &who, &id), 0);
	f = make_mad(id, SWITCH_LID, MAD_SUBN_LID, MAD_GET);
	be_put16(f.mad + 16, MAD_NODE_INFO);
	f.umad.timeout_ms = 100;
	send_mad(&s, fd, &f);
	f.umad.timeout_ms = 0;
	send_mad(&s, fd, &f);
	ck_assert_uint_eq(h.taken, 1);
	ck_assert_uint_eq(h.left, 1);
	(void)close(fd);
	setup_run(&s);
	ck_assert(h.take == NULL);
}
