/*
 * The transport over a libibumad of this test's own: a port in two devices, of
 * which one is lost.
 */
#include <check.h>
#include <endian.h>
#include <errno.h>
#include <infiniband/umad.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sm/transport/umad.h"
#include "tests/unit/suite.h"

enum { FD_SMI = 100, FD_GSI, AGENT = 1, WAIT_US = 1000, WAITS = 5000 };

static atomic_int broken; /* the descriptor whose reads fail */

int
umad_init(void)
{
	return 0;
}

int
umad_get_cas_names(char names[][UMAD_CA_NAME_LEN], int max)
{
	ck_assert_int_ge(max, 2);
	(void)snprintf(names[0], UMAD_CA_NAME_LEN, "smi0");
	(void)snprintf(names[1], UMAD_CA_NAME_LEN, "gsi0");
	return 2;
}

int
umad_get_ca(const char *name, umad_ca_t *ca)
{
	static umad_port_t port[2];
	bool gsi = strcmp(name, "gsi0") == 0;
	umad_port_t *p = &port[gsi];

	memset(ca, 0, sizeof(*ca));
	p->port_guid = htobe64(0x77);
	p->state = 4;
	p->capmask = gsi ? htobe32(1U << 10) : 0; /* IsSMdisabled */
	(void)snprintf(p->link_layer, sizeof(p->link_layer), "IB");
	ca->ports[1] = p;
	return 0;
}

int
umad_release_ca(umad_ca_t *ca)
{
	(void)ca;
	return 0;
}

int
umad_open_port(const char *name, int port)
{
	(void)port;
	return strcmp(name, "gsi0") == 0 ? FD_GSI : FD_SMI;
}

int
umad_close_port(int fd)
{
	(void)fd;
	return 0;
}

int
umad_register(int fd, int class, int version, uint8_t rmpp,
	long mask[16 / sizeof(long)])
{
	(void)fd;
	(void)class;
	(void)version;
	(void)rmpp;
	(void)mask;
	return AGENT;
}

int
umad_unregister(int fd, int agent)
{
	(void)fd;
	(void)agent;
	return 0;
}

int
umad_poll(int fd, int ms)
{
	(void)fd;
	(void)ms;
	(void)usleep(WAIT_US);
	return -ETIMEDOUT;
}

int
umad_recv(int fd, void *umad, int *length, int ms)
{
	(void)umad;
	(void)length;
	(void)ms;
	errno = fd == atomic_load(&broken) ? EIO : EWOULDBLOCK;
	return -1;
}

int
umad_send(int fd, int agent, void *umad, int length, int ms, int retries)
{
	(void)fd;
	(void)agent;
	(void)umad;
	(void)length;
	(void)ms;
	(void)retries;
	return 0;
}

static void
count_wake(void *cookie)
{
	atomic_fetch_add((atomic_int *)cookie, 1);
}

/* The loss names the device that is lost, not the one that has QP0. */
LOOP_TEST(loss_names_its_device, 0, 2)
{
	static const struct {
		int fd;
		const char *text;
	} t[] = {{FD_SMI, "smi0/1: Input/output error"},
		{FD_GSI, "gsi0/1: Input/output error"}};
	struct umad_port_name name = {.port = 0};
	atomic_int woken = 0;
	struct reason why = {""};
	struct umad *u;

	atomic_store(&broken, 0);
	u = umad_open("auto", true, count_wake, &woken, &name, &why);
	ck_assert_msg(u != NULL, "%s", why.text);
	ck_assert_str_eq(name.device, "smi0");
	ck_assert_str_eq(name.sa_device, "gsi0");
	ck_assert(!umad_lost(u, &why));
	atomic_store(&broken, t[_i].fd);
	for (int i = 0; i < WAITS && atomic_load(&woken) == 0; i++)
		(void)usleep(WAIT_US);
	ck_assert(umad_lost(u, &why));
	ck_assert_str_eq(why.text, t[_i].text);
	umad_shutdown(u);
}
