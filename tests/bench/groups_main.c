/*
 * usage: groups FABRIC join|leave HOSTS GROUPS [WINDOW]
 *
 * A program of the kind that hosts run: through libibumad it asks any subnet
 * administrator to let HOSTS hosts of the fabric into IPoIB's broadcast group
 * and GROUPS others, or out of them. It asks for all of them (a proxy, with
 * SM_Key 1), group by group, with WINDOW requests open, by default one per
 * host; requests without an answer, or answered with BUSY, are repeated. On
 * stdout: requests answered, refused, repeated, and seconds.
 */
#include <errno.h>
#include <infiniband/umad.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/be.h"
#include "sm/base/mem.h"
#include "sm/mad/mad_sa.h"
#include "tests/bench/bench_clock.h"
#include "tests/topo/ibnet.h"

enum { WAIT_MS = 4000, TRIES = 50 };

struct joiner {
	int fd, agent;
	uint16_t sm_lid;
	uint8_t *umad;
	uint8_t method;
	uint64_t *guid;
	uint32_t hosts, groups;
	uint32_t next, open, answered, refused, again;
	uint8_t *tries; /* by request */
};

/* Send request number i: of a group and a host. */
static int
send_request(struct joiner *j, uint32_t i)
{
	const struct mad_sa h = {.base_version = 1,
		.class_version = MAD_SA_VERSION,
		.method = j->method,
		.tid = i + 1,
		.attr = MAD_SA_MEMBER,
		.sm_key = 1,
		.mask = MAD_SA_MEMBER_MGID | MAD_SA_MEMBER_GID |
			MAD_SA_MEMBER_STATE | MAD_SA_MEMBER_QKEY |
			MAD_SA_MEMBER_TCLASS | MAD_SA_MEMBER_PKEY |
			MAD_SA_MEMBER_FLOW | MAD_SA_MEMBER_SL |
			MAD_SA_MEMBER_MTU_SEL | MAD_SA_MEMBER_MTU |
			MAD_SA_MEMBER_RATE_SEL | MAD_SA_MEMBER_RATE};
	const uint32_t group = i / j->hosts;
	const struct mad_sa_member rec = {
		.mgid = {UINT64_C(0xff12401bffff0000),
			group == 0 ? 0xffffffff : group},
		.gid = {UINT64_C(0xfe80000000000000), j->guid[i % j->hosts]},
		.qkey = 0xb1b,
		.pkey = 0xffff,
		.mtu_sel = MAD_SA_EXACTLY,
		.mtu = 4,
		.rate_sel = MAD_SA_EXACTLY,
		.rate = 3,
		.state = MAD_SA_JOIN_FULL,
	};
	uint8_t *m = umad_get_mad(j->umad);

	memset(m, 0, MAD_SIZE);
	mad_sa_encode(&h, m);
	mad_sa_member_encode(&rec, m + MAD_SA_HEADER);
	(void)umad_set_addr(j->umad, j->sm_lid, 1, 0, (int)0x80010000);
	return umad_send(j->fd, j->agent, j->umad, MAD_SIZE, WAIT_MS, 0);
}

/* Receive an answer or a time-out. -1: nothing comes, or too many tries. */
static int
receive_answer(struct joiner *j)
{
	int len = MAD_SIZE, got = umad_recv(j->fd, j->umad, &len, 3 * WAIT_MS);
	const uint8_t *m = umad_get_mad(j->umad);
	uint32_t i;

	if (got < 0)
		return -1;
	i = be_get32(m + 12) - 1;
	if (i >= j->next)
		return 0; /* another program's */
	if (umad_status(j->umad) != 0 || be_get16(m + 4) == MAD_STATUS_BUSY) {
		j->again++;
		return ++j->tries[i] < TRIES ? send_request(j, i) : -1;
	}
	j->open--;
	j->answered++;
	j->refused += be_get16(m + 4) != 0;
	return 0;
}

static int
run_requests(struct joiner *j, uint32_t window)
{
	uint32_t n = j->hosts * (j->groups + 1);

	while (j->answered < n) {
		while (j->next < n && j->open < window) {
			if (send_request(j, j->next) != 0)
				return -1;
			j->next++;
			j->open++;
		}
		if (receive_answer(j) != 0)
			return -1;
	}
	return 0;
}

static int
open_port(struct joiner *j)
{
	umad_port_t port;

	if (umad_init() < 0 || (j->fd = umad_open_port(NULL, 0)) < 0 ||
		umad_get_port(NULL, 0, &port) < 0)
		return -1;
	j->sm_lid = (uint16_t)port.sm_lid;
	(void)umad_release_port(&port);
	j->agent = umad_register(j->fd, MAD_SA, MAD_SA_VERSION, 0, NULL);
	j->umad = mem_zalloc(1, umad_size() + MAD_SIZE);
	return j->agent < 0 ? -1 : 0;
}

int
main(int argc, char **argv)
{
	struct reason why = {""};
	struct fabric *f = argc > 4 ? ibnet_load(argv[1], NULL, &why) : NULL;
	struct joiner j = {0};
	double began;

	if (f == NULL) {
		fprintf(stderr, "groups: %s\n", why.text);
		return EXIT_FAILURE;
	}
	j.method = strcmp(argv[2], "leave") == 0 ? MAD_SA_DELETE : MAD_SET;
	j.groups = (uint32_t)strtoul(argv[4], NULL, 10);
	j.guid = mem_zalloc(f->nnodes, sizeof(*j.guid));
	for (uint32_t n = 0; n < f->nnodes; n++)
		if (f->node[n].type == FABRIC_CA &&
			j.hosts < strtoul(argv[3], NULL, 10))
			j.guid[j.hosts++] = fabric_port(f, n, 1)->guid;
	j.tries = mem_zalloc((size_t)j.hosts * (j.groups + 1), 1);
	began = clock_ms() / 1e3;
	if (open_port(&j) != 0 ||
		run_requests(&j, argc > 5 ? (uint32_t)strtoul(argv[5], NULL, 10)
					  : j.hosts) != 0) {
		fprintf(stderr, "groups: %u answered: %s\n", j.answered,
			strerror(errno));
		return EXIT_FAILURE;
	}
	printf("%u %u %u %.2f\n", j.answered, j.refused, j.again,
		clock_ms() / 1e3 - began);
	free(j.umad);
	free(j.tries);
	free(j.guid);
	fabric_free(f);
	return EXIT_SUCCESS;
}
