/* The server's protocol over raw sockets, with hostile clients, too. */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sm/base/be.h"
#include "sm/base/rng.h"
#include "tests/sim/serve/ibsimwire.h"
#include "tests/sim/serve/serve.h"
#include "tests/topo/gen.h"
#include "tests/unit/suite.h"

enum {
	TID_LOW = 0x1234567,
	AT_METHOD = 3,
	AT_TID = 8,
	MSG_STATUS = 16, /* in a message's envelope */
	MSG_MAD = 32,
	SEED = 4711,
};

/* Two leaves, two spines, two hosts a leaf: h1 is at port 1 of leaf1. */
struct rig {
	struct fabric *f;
	struct serve *s;
	char name[64];
};

struct client {
	struct rig *r;
	int ctl, data;
	uint32_t id; /* the process id that it claims */
	uint32_t number;
	char nodeid[IBSIMWIRE_NODEID];
};

static struct rig
rig_new(bool ibsim)
{
	static unsigned n;
	struct gen_fattree2 p = {.spines = 2,
		.leaves = 2,
		.parallel = 1,
		.hosts_even = 2,
		.hosts_odd = 2};
	struct serve_options o = serve_defaults();
	struct reason why = {{0}};
	struct rig r = {.f = gen_tree_two(&p, &why)};

	(void)snprintf(
		r.name, sizeof(r.name), "serve-test-%d-%u", getpid(), n++);
	o.name = r.name;
	o.timeout = mono_ms(5);
	o.sim.ibsim = ibsim;
	r.s = serve_new(r.f, &o, &why);
	ck_assert_msg(r.s != NULL, "%s", why.text);
	return r;
}

static void
rig_free(struct rig *r)
{
	serve_free(r->s);
	fabric_free(r->f);
}
AUTO_VALUE(rig, struct rig, rig_free)

static int
bind_socket(const struct rig *r, const char *what, uint32_t id)
{
	struct sockaddr_un a;
	char text[32];
	socklen_t n;
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);

	(void)snprintf(text, sizeof(text), "%s%u", what, id);
	n = ibsimwire_address(r->name, text, &a);
	ck_assert_int_eq(bind(fd, (const struct sockaddr *)&a, n), 0);
	return fd;
}

static void
connect_socket(const struct rig *r, int fd, const char *what)
{
	struct sockaddr_un a;
	socklen_t n = ibsimwire_address(r->name, what, &a);

	ck_assert_int_eq(connect(fd, (const struct sockaddr *)&a, n), 0);
}

static struct client
client_new(struct rig *r)
{
	static uint32_t id = 1000;
	struct client c = {.r = r, .id = ++id};

	c.ctl = bind_socket(r, "ctl", c.id);
	connect_socket(r, c.ctl, "ctl");
	c.data = bind_socket(r, "in", c.id);
	return c;
}

/* Sends a request on the control socket and runs the server until it
 * answers. */
static bool
ask_control(struct client *c, uint32_t type, uint8_t data[IBSIMWIRE_DATA])
{
	struct ibsimwire_ctl q = {.client = c->number, .type = type};
	uint8_t b[IBSIMWIRE_CTL + 1];
	ssize_t n;

	memcpy(q.data, data, IBSIMWIRE_DATA);
	ibsimwire_ctl_encode(&q, b);
	ck_assert_int_eq(send(c->ctl, b, IBSIMWIRE_CTL, 0), IBSIMWIRE_CTL);
	while ((n = recv(c->ctl, b, sizeof(b), 0)) < 0)
		serve_once(c->r->s);
	ck_assert_int_eq(ibsimwire_ctl_decode(b, (size_t)n, &q), 0);
	memcpy(data, q.data, IBSIMWIRE_DATA);
	return q.type == type;
}

static bool
client_connect(struct client *c, const char *host, bool issm)
{
	struct ibsimwire_connect info = {.id = c->id, .issm = issm};
	uint8_t d[IBSIMWIRE_DATA];
	char what[16];

	(void)snprintf(info.nodeid, sizeof(info.nodeid), "%s", host);
	ibsimwire_connect_encode(&info, d);
	if (!ask_control(c, IBSIMWIRE_CONNECT, d))
		return false;
	ibsimwire_connect_decode(d, &info);
	c->number = info.id;
	(void)snprintf(c->nodeid, sizeof(c->nodeid), "%s", info.nodeid);
	(void)snprintf(what, sizeof(what), "out%u", info.id);
	connect_socket(c->r, c->data, what);
	return true;
}

static void
client_free(struct client *c)
{
	(void)close(c->ctl);
	(void)close(c->data);
}
AUTO_VALUE(client, struct client, client_free)

static struct client
client_at(struct rig *r, const char *host, bool issm)
{
	struct client c = client_new(r);

	ck_assert(client_connect(&c, host, issm));
	return c;
}

static struct smp
make_directed(const char *path, uint8_t method, uint16_t attr, uint32_t mod)
{
	struct smp m = {
		.mgmt_class = MAD_SUBN_DR,
		.method = method,
		.tid = TID_LOW,
		.attr = attr,
		.mod = mod,
		.dr_slid = 0xffff,
		.dr_dlid = 0xffff,
		.hop_cnt = (uint8_t)strlen(path),
	};

	memcpy(m.path + 1, path, strlen(path));
	return m;
}

static void
send_smp(struct client *c, const struct smp *m)
{
	struct transport_msg t = {.addr.lid = 0xffff, .len = MAD_SIZE};
	uint8_t b[IBSIMWIRE_MSG];

	smp_encode(m, t.mad);
	ibsimwire_msg_encode(&t, 0xffff, b);
	ck_assert_int_eq(send(c->data, b, sizeof(b), 0), sizeof(b));
}

/* Runs the server until there is a message: its error, its SMP. */
static uint32_t
receive_smp(struct client *c, struct smp *m)
{
	uint8_t b[IBSIMWIRE_MSG + 1];
	struct reason why;
	ssize_t n;

	while ((n = recv(c->data, b, sizeof(b), 0)) < 0)
		serve_once(c->r->s);
	ck_assert_int_eq(n, IBSIMWIRE_MSG);
	ck_assert_msg(smp_decode(b + MSG_MAD, MAD_SIZE, m, &why) == 0, "%s",
		why.text);
	return be_get32(b + MSG_STATUS);
}

static uint32_t
exchange_smp(struct client *c, const char *path, uint8_t method, uint16_t attr,
	uint32_t mod, struct smp *m)
{
	*m = make_directed(path, method, attr, mod);
	send_smp(c, m);
	return receive_smp(c, m);
}

/* Sends a line to the control socket; out: the last line of the answer. */
static void
run_command(struct rig *r, const char *line, char *out, size_t size)
{
	struct sockaddr_un a;
	socklen_t n = ibsimwire_address(r->name, "control", &a);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	size_t got = 0;
	char *last = out;

	ck_assert_int_eq(connect(fd, (const struct sockaddr *)&a, n), 0);
	ck_assert_int_eq(
		send(fd, line, strlen(line), 0), (ssize_t)strlen(line));
	ck_assert_int_eq(send(fd, "\n", 1, 0), 1);
	for (;;) {
		ssize_t k = recv(fd, out + got, size - 1 - got, 0);

		got += k > 0 ? (size_t)k : 0;
		out[got] = '\0';
		for (char *p = out; *p; p++) {
			if (*p == '\n' && p[1])
				last = p + 1;
		}
		if (k == 0 || (got && out[got - 1] == '\n' && *last != ' '))
			break;
		serve_once(r->s);
	}
	memmove(out, last, strlen(last) + 1);
	(void)close(fd);
}

TEST(clients_name_their_node)
{
	AUTO(rig) struct rig r = rig_new(false);
	char id[32], guid[32];
	const struct {
		const char *host, *is; /* NULL: refused */
	} row[] = {
		{"", "S-"},
		{"h1", id},
		{id, id},
		{guid, id},
		{"h1/1", id},
		{"h1[1]", id},
		{"leaf1", "S-"},
		{"h1/2", NULL},
		{"h1/", NULL},
		{"nobody", NULL},
		{"0x", NULL},
		{"S-00000000000000ff", NULL},
	};

	(void)snprintf(id, sizeof(id), "H-%016lx",
		(unsigned long)r.f->node[fabric_find(r.f, "h1")].guid);
	(void)snprintf(guid, sizeof(guid), "0x%s", id + 2);
	for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		AUTO(client) struct client c = client_new(&r);
		bool ok = client_connect(&c, row[i].host, false);

		ck_assert_msg(ok == (row[i].is != NULL), "%s", row[i].host);
		if (ok)
			ck_assert_msg(strncmp(c.nodeid, row[i].is,
					      strlen(row[i].is)) == 0,
				"%s: %s", row[i].host, c.nodeid);
	}
}

TEST(bad_control_datagrams_get_no_answer)
{
	AUTO(rig) struct rig r = rig_new(false);
	AUTO(client) struct client c = client_new(&r);
	uint8_t b[200] = {0}, d[IBSIMWIRE_DATA] = {0};
	struct ibsimwire_ctl q = {.type = IBSIMWIRE_CONNECT};

	ibsimwire_ctl_encode(&q, b);
	ck_assert_int_eq(send(c.ctl, b, 0, 0), 0);
	ck_assert_int_eq(send(c.ctl, b, 1, 0), 1);
	ck_assert_int_eq(send(c.ctl, b, 79, 0), 79);
	ck_assert_int_eq(send(c.ctl, b, 81, 0), 81);
	ck_assert_int_eq(send(c.ctl, b, sizeof(b), 0), sizeof(b));
	b[0] ^= 1; /* the magic number */
	ck_assert_int_eq(send(c.ctl, b, 80, 0), 80);
	/* the first answer is that to the first valid request */
	ck_assert(client_connect(&c, "h1", false));
	ck_assert(!ask_control(&c, 99, d));
	c.number = 7;
	ck_assert(!ask_control(&c, IBSIMWIRE_GET_PORT, d));
	c.number = 0xffffffff;
	ck_assert(!ask_control(&c, IBSIMWIRE_GET_PORT, d));
}

TEST(no_client_speaks_for_another)
{
	AUTO(rig) struct rig r = rig_new(false);
	AUTO(client) struct client a = client_at(&r, "h1", false);
	AUTO(client) struct client b = client_at(&r, "h2", false);
	uint8_t d[IBSIMWIRE_DATA] = {0};
	struct smp m;
	uint32_t own = b.number;

	b.number = a.number;
	ck_assert(!ask_control(&b, IBSIMWIRE_DISCONNECT, d));
	b.number = own;
	ck_assert(ask_control(&b, IBSIMWIRE_GET_PORT, d));
	ck_assert_uint_eq(
		exchange_smp(&a, "", MAD_GET, MAD_NODE_INFO, 0, &m), 0);
}

TEST(places_are_limited_and_given_again)
{
	AUTO(rig) struct rig r = rig_new(false);
	struct client c[SERVE_CLIENTS + 1];
	uint8_t d[IBSIMWIRE_DATA] = {0};
	struct smp m;

	for (int i = 0; i < SERVE_CLIENTS; i++)
		c[i] = client_at(&r, "h1", false);
	c[SERVE_CLIENTS] = client_new(&r);
	ck_assert(!client_connect(&c[SERVE_CLIENTS], "h1", false));
	/* one that disconnects, one that just dies */
	ck_assert(ask_control(&c[3], IBSIMWIRE_DISCONNECT, d));
	ck_assert(!ask_control(&c[3], IBSIMWIRE_GET_PORT, d));
	ck_assert(client_connect(&c[SERVE_CLIENTS], "h2", false));
	ck_assert_uint_eq(c[SERVE_CLIENTS].number, 3);
	client_free(&c[5]);
	c[5] = client_at(&r, "h1", false);
	ck_assert_uint_eq(c[5].number, 5);
	ck_assert_uint_eq(
		exchange_smp(&c[5], "\1", MAD_GET, MAD_NODE_INFO, 0, &m), 0);
	for (int i = 0; i <= SERVE_CLIENTS; i++)
		client_free(&c[i]);
}

static uint32_t
get_capmask(struct client *c)
{
	uint8_t d[IBSIMWIRE_DATA] = {0};
	struct mad_port_info pi;

	ck_assert(ask_control(c, IBSIMWIRE_GET_PORTINFO, d));
	ck_assert_int_eq(mad_port_info_decode(d, &pi, NULL), 0);
	return pi.capmask;
}

TEST(one_manager_a_node)
{
	AUTO(rig) struct rig r = rig_new(false);
	AUTO(client) struct client a = client_at(&r, "h1", true);
	struct client b = client_at(&r, "h1", false);
	AUTO(client) struct client c = client_new(&r);
	uint8_t on[IBSIMWIRE_DATA] = {1}, off[IBSIMWIRE_DATA] = {0};

	ck_assert(get_capmask(&b) & MAD_CAP_IS_SM);
	ck_assert(!client_connect(&c, "h1", true));
	ck_assert(!ask_control(&b, IBSIMWIRE_SET_ISSM, on));
	ck_assert(ask_control(&a, IBSIMWIRE_SET_ISSM, off));
	ck_assert(!(get_capmask(&b) & MAD_CAP_IS_SM));
	on[0] = 1;
	ck_assert(ask_control(&b, IBSIMWIRE_SET_ISSM, on));
	ck_assert(get_capmask(&a) & MAD_CAP_IS_SM);
	client_free(&b); /* dies with IsSM raised */
	ck_assert(client_connect(&c, "h1", true));
}

TEST(answers_come_back)
{
	AUTO(rig) struct rig r = rig_new(false);
	AUTO(client) struct client b = client_at(&r, "leaf1", false);
	AUTO(client) struct client a = client_at(&r, "h1", false);
	struct mad_node_info ni;
	struct smp m;

	ck_assert_uint_eq(
		exchange_smp(&a, "\1", MAD_GET, MAD_NODE_INFO, 0, &m), 0);
	ck_assert(m.response);
	ck_assert_uint_eq(m.status, 0);
	ck_assert_uint_eq(a.number, 1);
	ck_assert_uint_eq(m.tid, TID_LOW | (uint64_t)a.number << 48);
	ck_assert_int_eq(mad_node_info_decode(m.data, &ni, NULL), 0);
	ck_assert_uint_eq(ni.type, FABRIC_SWITCH);
	/* from a switch: to itself, and to a neighbour */
	ck_assert_uint_eq(
		exchange_smp(&b, "", MAD_GET, MAD_NODE_INFO, 0, &m), 0);
	ck_assert_int_eq(mad_node_info_decode(m.data, &ni, NULL), 0);
	ck_assert_uint_eq(ni.type, FABRIC_SWITCH);
	ck_assert_uint_eq(
		exchange_smp(&b, "\1", MAD_GET, MAD_NODE_INFO, 0, &m), 0);
	ck_assert_int_eq(mad_node_info_decode(m.data, &ni, NULL), 0);
	ck_assert_uint_eq(ni.type, FABRIC_CA);
}

TEST(unknown_attributes)
{
	AUTO(rig) struct rig full = rig_new(false), ibsim = rig_new(true);
	AUTO(client) struct client a = client_at(&full, "h1", false);
	AUTO(client) struct client b = client_at(&ibsim, "h1", false);
	struct smp m;

	ck_assert_uint_eq(exchange_smp(&a, "\1", MAD_GET, 0xff7a, 0, &m), 0);
	ck_assert_uint_eq(m.status, MAD_STATUS_METHOD_ATTR);
	/* ibsim returns the request */
	ck_assert_uint_eq(
		exchange_smp(&b, "\1", MAD_GET, 0xff7a, 0, &m), ETIMEDOUT);
	ck_assert(!m.response);
}

TEST(what_is_lost_comes_back)
{
	AUTO(rig) struct rig r = rig_new(false);
	AUTO(client) struct client a = client_at(&r, "h1", false);
	char text[4096];
	struct smp m;

	run_command(&r, "hang leaf1 on", text, sizeof(text));
	ck_assert_str_eq(text, "ok\n");
	ck_assert_uint_eq(exchange_smp(&a, "\1", MAD_GET, MAD_NODE_INFO, 0, &m),
		ETIMEDOUT);
	ck_assert(!m.response);
	ck_assert_uint_eq((uint32_t)m.tid, TID_LOW);
	ck_assert_uint_eq(m.attr, MAD_NODE_INFO);
	run_command(&r, "hang leaf1 off", text, sizeof(text));
	ck_assert_uint_eq(
		exchange_smp(&a, "\1", MAD_GET, MAD_NODE_INFO, 0, &m), 0);
}

/* A manager and another client on h1; h2 sends requests to the manager. */
TEST(requests_go_to_the_manager)
{
	struct rig r = rig_new(false);
	struct client other = client_at(&r, "h1", false);
	struct client sm = client_at(&r, "h1", true);
	struct client h2 = client_at(&r, "h2", false);
	struct smp m, back;
	uint8_t b[8];

	m = make_directed("\1\1", MAD_GET, MAD_SM_INFO, 0);
	send_smp(&h2, &m);
	ck_assert_uint_eq(receive_smp(&sm, &m), 0);
	ck_assert_uint_eq(m.method, MAD_GET);
	ck_assert_uint_eq(m.tid >> 48, h2.number);
	/* it has the return path */
	ck_assert_uint_eq(m.ret_path[1], 2);
	ck_assert_uint_eq(m.ret_path[2], 1);
	back = m;
	back.method = MAD_GET_RESP;
	back.response = true;
	back.ret_path[1] = 2;
	send_smp(&sm, &back);
	ck_assert_uint_eq(receive_smp(&h2, &m), 0);
	ck_assert(m.response);
	ck_assert_uint_eq((uint32_t)m.tid, TID_LOW);
	ck_assert_int_lt(recv(other.data, b, sizeof(b), 0), 0);
	/* a repeated answer is dropped: no request waits for it any more */
	send_smp(&sm, &back);
	ck_assert_uint_eq(
		exchange_smp(&h2, "", MAD_GET, MAD_NODE_INFO, 0, &m), 0);
	ck_assert_uint_eq(m.attr, MAD_NODE_INFO);
	client_free(&other);
	client_free(&sm);
	client_free(&h2);
	rig_free(&r);
}

LOOP_TEST(garbage_does_no_harm, 0, 2)
{
	AUTO(rig) struct rig r = rig_new(_i != 0);
	AUTO(client) struct client a = client_at(&r, "h1", true);
	struct rng rng = {SEED};
	uint8_t b[400];
	struct smp m;
	char text[4096];

	for (unsigned i = 0; i < 3000; i++) {
		size_t n = i % 3 ? IBSIMWIRE_MSG : rng_below(&rng, sizeof(b));

		for (size_t k = 0; k < n; k++)
			b[k] = (uint8_t)rng_next(&rng);
		if (n > MSG_MAD + 8 && i % 2) {
			/* similar to an SMP, to get further */
			b[MSG_MAD] = b[MSG_MAD + 2] = 1;
			b[MSG_MAD + 1] = i % 4 ? MAD_SUBN_DR : MAD_SUBN_LID;
			b[MSG_MAD + AT_METHOD] &= 0x87;
		}
		(void)send(a.data, b, n, 0);
		serve_once(r.s);
		while (recv(a.data, b, sizeof(b), 0) > 0)
			;
	}
	run_command(&r, "help", text, sizeof(text));
	ck_assert_str_eq(text, "ok\n");
	m = make_directed("", MAD_GET, MAD_NODE_DESC, 0);
	m.tid = 0x5a5a5a5a;
	send_smp(&a, &m);
	/* more of the garbage may come back before it */
	while (recv(a.data, b, sizeof(b), 0) != IBSIMWIRE_MSG ||
		be_get32(b + MSG_MAD + AT_TID + 4) != 0x5a5a5a5a)
		serve_once(r.s);
	ck_assert_uint_eq(b[MSG_MAD + AT_METHOD], MAD_GET_RESP);
}

TEST(slow_readers_lose_nothing)
{
	AUTO(rig) struct rig r = rig_new(false);
	AUTO(client) struct client a = client_at(&r, "h1", false);
	unsigned sent = 0, heard = 0;
	struct smp m;
	uint8_t b[IBSIMWIRE_MSG];

	/* more than any socket holds, and nothing is read meanwhile */
	while (sent < 20000) {
		m = make_directed("\1", MAD_GET, MAD_NODE_INFO, 0);
		m.tid = sent + 1;
		send_smp(&a, &m);
		if (++sent % 50 == 0)
			serve_once(r.s);
	}
	while (heard < sent) {
		if (recv(a.data, b, sizeof(b), 0) < 0) {
			serve_once(r.s);
			continue;
		}
		heard++;
		ck_assert_uint_eq(be_get32(b + MSG_MAD + AT_TID + 4), heard);
	}
}

TEST(commands_are_judged)
{
	struct rig r = rig_new(false);
	char text[65536], line[2048];
	static const struct {
		const char *line, *answer;
	} row[] = {
		{"", "ok\n"},
		{"help", "ok\n"},
		{"stats", "ok\n"},
		{"stats clear", "ok\n"},
		{"stats all", "error: "},
		{"show h1", "ok\n"},
		{"show \"leaf1\"", "ok\n"},
		{"show \"leaf1", "error: a quote is missing"},
		{"show", "error: usage: show NODE"},
		{"show a b c d e f", "error: too many words"},
		{"show nobody", "error: no node"},
		{"link leaf1 down", "ok\n"},
		{"link leaf1/1 up", "ok\n"},
		{"link leaf1 sideways", "error: "},
		{"link h1/9 up", "error: no node"},
		{"remove spine1", "ok\n"},
		{"remove spine1", "error: "},
		{"reboot spine1", "error: "},
		{"return spine1", "ok\n"},
		{"return spine1", "error: "},
		{"reboot spine1", "ok\n"},
		{"loss 0.5", "ok\n"},
		{"loss 1001", "error: "},
		{"loss nan", "error: "},
		{"loss -1", "error: "},
		{"loss 0", "ok\n"},
		{"delay 100", "ok\n"},
		{"delay 1e99", "error: "},
		{"hang h2 maybe", "error: "},
		{"fault spine2 mute SwitchRole", "ok\n"},
		{"fault spine2 mute SwitchRules", "error: "},
		{"counter leaf1/2 SymbolErrorCounter 7", "ok\n"},
		{"counter leaf1/2 SymbolErrorCounter +70000", "ok\n"},
		{"counter leaf1/2 SymbolErrorCounter", "ok\n"},
		{"counter leaf1/2 SymbolErrors", "error: no counter"},
		{"counter leaf1/2 PortXmitWait many", "error: "},
		{"agent h1 wide", "ok\n"},
		{"agent h1 broad", "error: there is no agent"},
		{"guid h1 0x77", "ok\n"},
		{"guid h1 0", "error: "},
		{"guid h1 12zz", "error: "},
		{"key h1 0x77 2", "ok\n"},
		{"key h1 0x77 4", "error: "},
		{"key h1 12zz 1", "error: "},
		{"key h1 0 0", "ok\n"},
		{"rename h1 \"another name\"", "ok\n"},
		{"trace /dev/null", "ok\n"},
		{"trace /nowhere/x", "error: /nowhere/x: "},
		{"trace off", "ok\n"},
		{"trace", "error: usage: trace FILE|off"},
		{"traffic", "error: there is no traffic"},
		{"traffic off", "error: there is no traffic"},
		{"traffic many", "error: \"many\" is no number of packets"},
		{"traffic 0", "error: 0 packets a second: 1 to 100000"},
		{"traffic 9", "error: h1 has no LID: a subnet manager"},
		{"clients", "ok\n"},
		{"judge", "error: "}, /* nothing is configured */
		{"fly", "error: unknown command"},
	};

	for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		run_command(&r, row[i].line, text, sizeof(text));
		ck_assert_msg(strncmp(text, row[i].answer,
				      strlen(row[i].answer)) == 0,
			"\"%s\": %s", row[i].line, text);
	}
	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\0';
	run_command(&r, line, text, sizeof(text));
	ck_assert_str_eq(text, "error: the line is too long\n");
	rig_free(&r);
}

TEST(names_are_taken_once)
{
	AUTO(rig) struct rig r = rig_new(false);
	struct serve_options o = serve_defaults();
	struct reason why = {{0}};
	char longest[200];

	o.name = r.name;
	ck_assert(serve_new(r.f, &o, &why) == NULL);
	ck_assert(strstr(why.text, "another simulator") != NULL);
	memset(longest, 'n', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	o.name = longest;
	ck_assert(serve_new(r.f, &o, &why) == NULL);
	ck_assert(strstr(why.text, "too long") != NULL);
}

static void
begin_tests(void)
{
	(void)printf("seed %d\n", SEED);
}

const struct suite_around suite_around = {.begin = begin_tests};
