/*
 * usage: mcast [HOSTS [GROUPS]]: HOSTS hosts of a fat tree join IPoIB's
 * broadcast group and GROUPS others, leave them, and return; the blocks of
 * multicast tables that were written, against those that changed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sm/base/be.h"
#include "sm/base/log.h"
#include "sm/base/mem.h"
#include "sm/mad/mad_sa.h"
#include "tests/bench/args.h"
#include "tests/sim/model/world.h"
#include "tests/topo/shape.h"

#define KEY 0x5ec2e7

enum { RADIX = 16, CELL = 64, POSITIONS = 2, GROUPS_MAX = 500, FIRST = 0xc000 };

struct bench {
	struct fabric *f;
	struct world *w;
	struct sim_endpoint *ep;
	uint32_t node; /* that asks for all hosts */
	uint32_t tid, answers, refused;
	uint64_t writes;
	uint8_t *was; /* tables at the last count */
};

static void
on_answer(void *cookie, const struct transport_msg *m, struct mono now)
{
	struct bench *b = cookie;

	(void)now;
	b->answers++;
	b->refused += be_get16(m->mad + 4) != 0;
}

static enum sim_verdict
on_message(void *cookie, struct sim_msg *m)
{
	struct bench *b = cookie;
	struct reason why;
	struct smp s;

	if (m->where == SIM_AT_SMA &&
		smp_decode(m->m.mad, m->m.len, &s, &why) == 0)
		b->writes += s.attr == MAD_MFT && s.method == MAD_SET;
	return SIM_PASS;
}

static void
send_request(struct bench *b, uint32_t host, unsigned group, uint8_t method)
{
	struct transport_msg m = {.addr.qpn = 1, .len = MAD_SIZE};
	const struct mad_sa h = {.base_version = 1,
		.class_version = MAD_SA_VERSION,
		.method = method,
		.tid = ++b->tid,
		.attr = MAD_SA_MEMBER,
		.sm_key = KEY,
		.mask = 0x130c7 | MAD_SA_MEMBER_FLOW};
	const struct mad_sa_member rec = {
		.mgid = {UINT64_C(0xff12401bffff0000),
			group == 0 ? 0xffffffff : group},
		.gid = {UINT64_C(0xfe80000000000000),
			fabric_port(b->f, host, 1)->guid},
		.qkey = 0xb1b,
		.pkey = 0xffff,
		.state = MAD_SA_JOIN_FULL,
	};

	m.addr.lid = sim_port_info(b->w->sim, b->node, 1)->sm_lid;
	mad_sa_encode(&h, m.mad);
	mad_sa_member_encode(&rec, m.mad + MAD_SA_HEADER);
	(void)sim_transport(b->ep)->send(sim_transport(b->ep), &m);
}

/* Count table blocks that changed since the last call. */
static uint64_t
count_changed(struct bench *b, unsigned groups)
{
	unsigned blocks = groups / 32 + 1;
	uint64_t n = 0;

	for (uint32_t i = 0; i < b->f->nnodes; i++)
		for (unsigned c = 0; c < blocks * POSITIONS &&
				     b->f->node[i].type == FABRIC_SWITCH;
			c++) {
			uint8_t *was =
				b->was +
				((size_t)i * blocks * POSITIONS + c) * CELL;
			uint8_t is[MAD_DATA] = {0};

			(void)sim_read(b->w->sim, i, 0, MAD_MFT,
				c % POSITIONS << 28 | c / POSITIONS, is);
			n += memcmp(was, is, CELL) != 0;
			memcpy(was, is, CELL);
		}
	return n;
}

static void
round_of(struct bench *b, const char *what, uint8_t method, unsigned hosts,
	unsigned groups)
{
	clock_t began = clock();
	struct mono t0 = sim_now(b->w->sim);
	uint32_t seen = 0, asked = 0;

	b->writes = 0;
	b->answers = b->refused = 0;
	for (uint32_t n = 0; n < b->f->nnodes && seen < hosts; n++) {
		if (b->f->node[n].type != FABRIC_CA)
			continue;
		seen++;
		for (unsigned g = 0; g <= groups; g++, asked++)
			send_request(b, n, g, method);
		world_run(
			b->w, mono_us(200)); /* hosts ask one after the other */
	}
	while (b->answers < asked)
		world_run(b->w, mono_ms(1));
	t0 = mono_sub(sim_now(b->w->sim), t0);
	world_run(b->w, mono_ms(50));
	printf("%-7s %u requests, %u refused, %.3f s of the fabric's time, "
	       "%.3f s of ours: %llu blocks written, %llu different\n",
		what, asked, b->refused, mono_seconds(t0),
		(double)(clock() - began) / CLOCKS_PER_SEC,
		(unsigned long long)b->writes,
		(unsigned long long)count_changed(b, groups));
}

int
main(int argc, char **argv)
{
	unsigned hosts = args_number(argc, argv, 1, 1000);
	unsigned groups = args_number(argc, argv, 2, 50);
	struct sim_options o = sim_defaults();
	struct bench b = {.f = shape_of("three:%u", RADIX)};

	if (groups > GROUPS_MAX)
		return EXIT_FAILURE;
	b.w = world_new(
		b.f, &o, "sa: {trust_key: 0x5ec2e7, requests_per_second: 0}");
	world_start(b.w);
	if (!world_settle(b.w, mono_ms(60000)))
		return EXIT_FAILURE;
	b.node = fabric_first_host(b.f);
	while (b.f->node[++b.node].type != FABRIC_CA)
		;
	b.ep = sim_attach(b.w->sim, b.node, 1, on_answer, &b);
	b.was = mem_zalloc((size_t)b.f->nnodes,
		((size_t)groups / 32 + 1) * POSITIONS * CELL);
	sim_set_hook(b.w->sim, on_message, &b);
	round_of(&b, "join", MAD_SET, hosts, groups);
	round_of(&b, "again", MAD_SET, hosts, groups);
	round_of(&b, "leave", MAD_SA_DELETE, hosts, groups);
	round_of(&b, "return", MAD_SET, hosts, groups);
	world_free(b.w);
	fabric_free(b.f);
	free(b.was);
	return EXIT_SUCCESS;
}
