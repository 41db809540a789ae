/*
 * Path queries to any subnet administration, as fast as it answers: through
 * libibumad, with a window of them open. Run under libheddle-umad.so on a
 * heddle-sim server (see sa.sh): the result includes the simulator's time,
 * which is the same for every subnet manager.
 *
 * usage: sapound SECONDS WINDOW
 * Prints: seconds answers busy other lost median_us p99_us max_ms
 */
#include <errno.h>
#include <infiniband/umad.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sm/base/be.h"
#include "sm/base/mem.h"
#include "sm/base/rng.h"
#include "sm/mad/mad_sa.h"
#include "tests/bench/args.h"
#include "tests/bench/bench_clock.h"

enum { MOST = 1024, NODE_SIZE = 112, WAIT_MS = 60000, SAMPLES = 1 << 22 };
#define QKEY 0x80010000U

struct pound {
	int fd, agent;
	uint16_t sm_lid;
	struct mad_gid gid;
	uint64_t *guid; /* of ports to query paths to */
	uint32_t nguid;
	struct rng rng;
	int64_t sent[MOST]; /* by TID */
	uint32_t *us;	    /* samples */
	size_t n;
	uint64_t busy, other, lost;
	uint8_t umad[512];
};

static void
exit_errno(const char *what)
{
	(void)fprintf(stderr, "sapound: %s: %s\n", what, strerror(errno));
	exit(EXIT_FAILURE);
}

static void
open_port(struct pound *p)
{
	umad_port_t port;

	if (umad_init() < 0 || umad_get_port(NULL, 0, &port) < 0)
		exit_errno("no port");
	p->sm_lid = (uint16_t)port.sm_lid;
	p->gid = (struct mad_gid){
		be64toh(port.gid_prefix), be64toh(port.port_guid)};
	p->fd = umad_open_port(NULL, 0);
	p->agent = umad_register(p->fd, MAD_SA, MAD_SA_VERSION, 1, NULL);
	if (p->fd < 0 || p->agent < 0)
		exit_errno("no agent");
	(void)umad_release_port(&port);
}

static void
send_query(struct pound *p, uint8_t *umad, const struct mad_sa *h)
{
	mad_sa_encode(h, umad_get_mad(umad));
	(void)umad_set_addr(umad, p->sm_lid, 1, 0, (int)QKEY);
	if (umad_send(p->fd, p->agent, umad, MAD_SIZE, WAIT_MS, 0) != 0)
		exit_errno("send");
}

/* Read the GUIDs of all nodes from the SA. */
static void
read_ports(struct pound *p)
{
	const struct mad_sa h = {.base_version = 1,
		.class_version = MAD_SA_VERSION,
		.method = MAD_SA_GET_TABLE,
		.tid = 1,
		.attr = MAD_SA_NODE};
	uint8_t *umad = mem_zalloc(1, umad_size() + MAD_SIZE);
	const uint8_t *rec;
	int len = MAD_SIZE;

	send_query(p, umad, &h);
	while (umad_recv(p->fd, umad, &len, WAIT_MS) < 0) {
		if (errno != ENOSPC)
			exit_errno("no nodes");
		umad = mem_resize(umad, 1, umad_size() + (size_t)len);
	}
	rec = (const uint8_t *)umad_get_mad(umad) + MAD_SA_HEADER;
	free(p->guid);
	p->guid = mem_zalloc((size_t)len / NODE_SIZE + 1, sizeof(*p->guid));
	for (; len >= MAD_SA_HEADER + NODE_SIZE; len -= NODE_SIZE) {
		if (rec[6] == 1) /* a channel adapter */
			p->guid[p->nguid++] = be_get64(rec + 24);
		rec += NODE_SIZE;
	}
	free(umad);
}

static void
ask_path(struct pound *p, uint32_t slot)
{
	const struct mad_sa h = {.base_version = 1,
		.class_version = MAD_SA_VERSION,
		.method = MAD_GET,
		.tid = slot,
		.attr = MAD_SA_PATH_REC,
		.mask = MAD_SA_PATH_DGID | MAD_SA_PATH_SGID |
			MAD_SA_PATH_REVERSIBLE | MAD_SA_PATH_NPATHS};
	const struct mad_sa_path path = {.sgid = p->gid,
		.dgid = {p->gid.prefix, p->guid[rng_below(&p->rng, p->nguid)]},
		.reversible = true,
		.npaths = 1};

	memset(p->umad, 0, sizeof(p->umad));
	mad_sa_path_encode(
		&path, (uint8_t *)umad_get_mad(p->umad) + MAD_SA_HEADER);
	p->sent[slot] = clock_ns(CLOCK_MONOTONIC);
	send_query(p, p->umad, &h);
}

/* Receive an answer and count it; returns its slot in the window. */
static uint32_t
take_answer(struct pound *p)
{
	int len = MAD_SIZE;
	const uint8_t *m = umad_get_mad(p->umad);
	struct mad_sa h;
	uint32_t slot;
	int64_t took;

	if (umad_recv(p->fd, p->umad, &len, WAIT_MS) < 0)
		exit_errno("no answer");
	slot = be_get32(m + 12) % MOST; /* the TID's lower half */
	took = clock_ns(CLOCK_MONOTONIC) - p->sent[slot];
	if (umad_status(p->umad) != 0 ||
		mad_sa_decode(m, (size_t)len, &h, NULL) != 0)
		p->lost++;
	else if (h.status == MAD_STATUS_BUSY)
		p->busy++;
	else if (h.status != 0)
		p->other++;
	if (p->n < SAMPLES)
		p->us[p->n++] = (uint32_t)(took / 1000);
	return slot;
}

static int
by_value(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

int
main(int argc, char **argv)
{
	struct pound p = {.rng = {1}};
	int64_t seconds = argc > 1 ? strtol(argv[1], NULL, 10) : 5, t0, end;
	uint32_t window = args_number(argc, argv, 2, 16);

	if (window < 1 || window > MOST)
		window = MOST;
	open_port(&p);
	/* an SM that has just started may still be busy */
	for (int tries = 0; tries < 60 && p.nguid == 0; tries++) {
		read_ports(&p);
		if (p.nguid == 0)
			(void)sleep(1);
	}
	if (p.nguid == 0)
		exit_errno("nobody to ask for");
	p.us = mem_zalloc(SAMPLES, sizeof(*p.us));
	t0 = clock_ns(CLOCK_MONOTONIC);
	end = t0 + seconds * 1000000000;
	for (uint32_t i = 0; i < window; i++)
		ask_path(&p, i);
	while (clock_ns(CLOCK_MONOTONIC) < end)
		ask_path(&p, take_answer(&p));
	for (uint32_t i = 0; i < window; i++)
		(void)take_answer(&p);
	end = clock_ns(CLOCK_MONOTONIC);
	qsort(p.us, p.n, sizeof(*p.us), by_value);
	(void)printf("%.2f %zu %llu %llu %llu %u %u %.1f\n",
		(double)(end - t0) / 1e9, p.n, (unsigned long long)p.busy,
		(unsigned long long)p.other, (unsigned long long)p.lost,
		p.us[p.n / 2], p.us[p.n - p.n / 100 - 1],
		p.us[p.n - 1] / 1000.0);
	free(p.us);
	free(p.guid);
	return EXIT_SUCCESS;
}
