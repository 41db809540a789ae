/*
 * umadserve_fixture: a small fabric with a umadserve on it; the test acts as
 * its programs and sets the time.
 */
#ifndef HEDDLE_TESTS_UNIT_TESTS_SIM_SERVE_UMADSERVE_FIXTURE_H
#define HEDDLE_TESTS_UNIT_TESTS_SIM_SERVE_UMADSERVE_FIXTURE_H

#include <arpa/inet.h>
#include <stdio.h>
#include <unistd.h>

#include "sm/base/be.h"
#include "tests/sim/serve/umadserve.h"
#include "tests/topo/fabric.h"
#include "tests/unit/suite.h"
#include "tests/unit/tests/sim/serve/hello.h"

enum {
	LEFT,
	RIGHT,
	SWITCH, /* nodes of the test's fabric */
	LEFT_LID = 1,
	RIGHT_LID,
	SWITCH_LID,
	GET_TABLE = 0x12,
	GET_TABLE_RESP = 0x92,
};

/* A server on two hosts and a switch, all Active. */
struct setup {
	struct fabric *f;
	struct sim *sim;
	struct umadserve *u;
	char name[32];
	struct mono now;
};

static void
setup_begin(struct setup *s, const struct umadserve_hub *hub)
{
	struct sim_options so = sim_defaults();
	struct umadserve_options o = {.hub = hub, .name = s->name};
	struct reason why;

	*s = (struct setup){.f = fabric_new()};
	(void)snprintf(s->name, sizeof(s->name), "pt%d", (int)getpid());
	(void)fabric_add(s->f, FABRIC_CA, 2, "left");
	(void)fabric_add(s->f, FABRIC_CA, 1, "right");
	(void)fabric_add(s->f, FABRIC_SWITCH, 4, "switch");
	(void)fabric_connect(s->f, LEFT, 1, SWITCH, 1, NULL);
	(void)fabric_connect(s->f, RIGHT, 1, SWITCH, 2, NULL);
	s->sim = sim_new(s->f, &so);
	sim_set_lid(s->sim, LEFT, 1, LEFT_LID);
	sim_set_lid(s->sim, RIGHT, 1, RIGHT_LID);
	sim_set_lid(s->sim, SWITCH, 0, SWITCH_LID);
	sim_set_lft(s->sim, SWITCH, LEFT_LID, 1);
	sim_set_lft(s->sim, SWITCH, RIGHT_LID, 2);
	sim_set_lft(s->sim, SWITCH, SWITCH_LID, 0);
	sim_activate_all(s->sim);
	o.sim = s->sim;
	o.fabric = s->f;
	s->u = umadserve_new(&o, &why);
	ck_assert_msg(s->u != NULL, "%s", why.text);
}

static void
setup_end(struct setup *s)
{
	umadserve_free(s->u);
	sim_free(s->sim);
	fabric_free(s->f);
}
AUTO_VALUE(setup, struct setup, setup_end)

/* Runs everything that is due within a millisecond. */
static void
setup_run(struct setup *s)
{
	for (int i = 0; i < 4; i++) {
		umadserve_turn(s->u, s->now);
		s->now = mono_add(s->now, mono_us(250));
		sim_run_until(s->sim, s->now);
		umadserve_flush(s->u);
	}
}

static void
setup_pass(struct setup *s, int64_t ms)
{
	s->now = mono_add(s->now, mono_ms(ms));
	setup_run(s);
}

static int
connect_server(const struct setup *s)
{
	struct sockaddr_un addr;
	socklen_t n = proto_address(s->name, &addr);
	int fd = socket(
		AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	ck_assert_int_eq(connect(fd, (const struct sockaddr *)&addr, n), 0);
	return fd;
}

/* Sends a hello; returns the connection, and the answer in a. */
static int
ask_server(struct setup *s, const struct proto_hello *h, struct proto_answer *a,
	char *text)
{
	char frame[sizeof(*a) + PROTO_TEXT];
	int fd = connect_server(s);
	const char *why = "";
	ssize_t n;

	ck_assert_int_eq(send(fd, h, sizeof(*h), 0), sizeof(*h));
	setup_run(s);
	n = recv(fd, frame, sizeof(frame), 0);
	ck_assert_int_gt(n, 0);
	ck_assert_int_eq(
		proto_answer_decode(frame, (size_t)n, a, text, &why), 0);
	return fd;
}

static int
open_umad(struct setup *s, const char *host, uint64_t *key)
{
	struct proto_hello h = make_hello(PROTO_WANT_UMAD, host);
	struct proto_answer a;
	int fd = ask_server(s, &h, &a, NULL);

	ck_assert_uint_eq(a.error, 0);
	*key = a.key;
	return fd;
}

static uint32_t
register_agent(struct setup *s, uint64_t key, const struct proto_agent *what,
	uint32_t *id)
{
	struct proto_hello h = make_hello(PROTO_WANT_REGISTER, "");
	struct proto_answer a;

	h.key = key;
	h.agent = *what;
	(void)close(ask_server(s, &h, &a, NULL));
	*id = a.value;
	return a.error;
}

static struct proto_mad
make_mad(uint32_t agent, uint16_t lid, uint8_t mgmt_class, uint8_t method)
{
	struct proto_mad f = {
		.head = {PROTO_PLAIN, sizeof(f)},
		.umad = {.agent = agent, .lid_be = htons(lid)},
		.mad = {1, mgmt_class, mgmt_class == MAD_SA ? 2 : 1, method},
	};

	f.umad.qpn_be = htonl(mgmt_class == MAD_SA);
	be_put32(f.mad + 12, 42);
	return f;
}

static void
send_mad(struct setup *s, int fd, const struct proto_mad *f)
{
	ck_assert_int_eq(send(fd, f, f->head.size, 0), f->head.size);
	setup_run(s);
}

/* The next frame; its kind, 0 when there is none. */
static uint32_t
get_frame(int fd, struct proto_mad *f)
{
	ssize_t n = recv(fd, f, sizeof(*f), 0);

	return n < (ssize_t)sizeof(f->head) ? 0 : f->head.kind;
}

#endif
