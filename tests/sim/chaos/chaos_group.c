/*
 * Multicast groups in a chaos run: one trusted host joins and leaves for all
 * members, and at the end packets are followed by the tables in the switches.
 */
#include <stdlib.h>
#include <string.h>

#include "sm/base/be.h"
#include "sm/base/map.h"
#include "sm/base/mem.h"
#include "sm/core/sm.h"
#include "sm/mad/mad_sa.h"
#include "tests/sim/chaos/chaos_int.h"

#define KEY 0x5ec2e7

static void
on_sa_answer(void *cookie, const struct transport_msg *m, struct mono now)
{
	struct chaos_group *g = cookie;

	(void)now;
	g->answers += be_get16(m->mad + 4) == 0;
}

void
chaos_group_begin(struct chaos_group *g, uint32_t speaker)
{
	g->node = speaker;
	if (speaker != FABRIC_NONE)
		g->ep = sim_attach(g->s, speaker, 1, on_sa_answer, g);
}

void
chaos_group_say(struct chaos_group *g, const struct chaos_step *e)
{
	struct transport_msg m = {.addr.qpn = 1, .len = MAD_SIZE};
	const struct mad_sa h = {.base_version = 1,
		.class_version = MAD_SA_VERSION,
		.method = e->kind == CHAOS_JOIN ? MAD_SET : MAD_SA_DELETE,
		.tid = 1,
		.attr = MAD_SA_MEMBER,
		.sm_key = KEY,
		.mask = MAD_SA_MEMBER_MGID | MAD_SA_MEMBER_GID |
			MAD_SA_MEMBER_STATE | MAD_SA_MEMBER_QKEY |
			MAD_SA_MEMBER_TCLASS | MAD_SA_MEMBER_PKEY |
			MAD_SA_MEMBER_FLOW | MAD_SA_MEMBER_SL};
	const struct mad_sa_member rec = {
		.mgid = {UINT64_C(0xff12401bffff0000),
			e->value == 0 ? 0xffffffff : e->value},
		.gid = {UINT64_C(0xfe80000000000000),
			fabric_port(g->f, e->node, 1)->guid},
		.qkey = 0xb1b,
		.pkey = 0xffff,
		/* some members only send */
		.state = e->node % 5 == 0 ? MAD_SA_JOIN_SEND_FULL
					  : MAD_SA_JOIN_FULL,
	};

	m.addr.lid = sim_port_info(g->s, g->node, 1)->sm_lid;
	if (g->ep == NULL || m.addr.lid == 0)
		return;
	mad_sa_encode(&h, m.mad);
	mad_sa_member_encode(&rec, m.mad + MAD_SA_HEADER);
	(void)sim_transport(g->ep)->send(sim_transport(g->ep), &m);
}

/* ---- the judgement at the end ---- */

/* A packet that is followed through the tables. */
struct post {
	const struct chaos_group *g;
	uint16_t mlid;
	uint32_t *copies; /* by node */
	struct hop {
		uint32_t node;
		unsigned in;
	} * hop;
};

/* Count the copies of a packet at all nodes; -1: a second copy at one. */
static int
carry_packet(struct post *p, uint32_t host)
{
	const struct fabric *f = p->g->f;
	uint32_t nodes = sim_nodes(p->g->s), n = 0, i;
	unsigned port;

	memset(p->copies, 0, nodes * sizeof(*p->copies));
	if (fabric_peer(f, host, 1, &p->hop[0].node, &port)) {
		p->hop[0].in = port;
		n = 1;
	}
	for (i = 0; i < n; i++) {
		const struct hop *h = &p->hop[i];
		uint64_t ports[4];

		if (f->node[h->node].type != FABRIC_SWITCH)
			continue;
		sim_mft(p->g->s, h->node, p->mlid, ports);
		for (unsigned out = 1; out <= f->node[h->node].nports; out++) {
			uint32_t to;

			if ((ports[out / 64] >> out % 64 & 1) == 0 ||
				out == h->in ||
				sim_port_info(p->g->s, h->node, out)->state !=
					4 ||
				!fabric_peer(f, h->node, out, &to, &port))
				continue;
			if (p->copies[to]++ > 0)
				return -1;
			p->hop[n++] = (struct hop){to, port};
		}
	}
	return 0;
}

/* By node: 0: no member, 1: a member that only sends, 2: one that receives. */
static void
fill_seats(const struct chaos_group *g, const struct sm *sm, uint16_t mlid,
	uint8_t *seats, const struct map *nodes)
{
	const struct topo *t = sm_view(sm)->topo;
	struct sa_member *who;
	size_t n = sa_group_members(sm_sa(sm), mlid, &who);

	memset(seats, 0, sim_nodes(g->s));
	for (size_t i = 0; i < n; i++) {
		uint32_t node;

		if (!map_get(nodes, t->node[t->port[who[i].port].node].guid,
			    &node))
			continue;
		seats[node] |= who[i].receives ? 2 : 1;
	}
	free(who);
}

static int
judge_group(struct post *p, const uint8_t *seats, struct reason *why)
{
	uint32_t nodes = sim_nodes(p->g->s);

	for (uint32_t from = 0; from < nodes; from++) {
		if (seats[from] == 0)
			continue;
		if (carry_packet(p, from) != 0)
			return reason_set(why,
				"MLID 0x%x: a packet of \"%s\" goes two ways",
				p->mlid, sim_name(p->g->s, from));
		for (uint32_t to = 0; to < nodes; to++) {
			bool hears = to != from && seats[to] >= 2;

			if (p->g->f->node[to].type == FABRIC_SWITCH ||
				(p->copies[to] != 0) == hears)
				continue;
			return reason_set(why,
				"MLID 0x%x: a packet of \"%s\" comes to \"%s\" "
				"%u times",
				p->mlid, sim_name(p->g->s, from),
				sim_name(p->g->s, to), p->copies[to]);
		}
	}
	return 0;
}

int
chaos_group_judge(
	const struct chaos_group *g, const struct sm *sm, struct reason *why)
{
	struct post p = {.g = g};
	uint8_t *seats = mem_zalloc(g->f->nnodes, 1);
	struct map nodes = {0};
	uint16_t mlid = 0;
	int rc = 0;

	p.copies = mem_zalloc(g->f->nnodes, sizeof(*p.copies));
	p.hop = mem_zalloc(g->f->nnodes + 1U, sizeof(*p.hop));
	for (uint32_t n = 0; n < g->f->nnodes; n++)
		map_put(&nodes, g->f->node[n].guid, n);
	while (rc == 0 && (mlid = sa_group_next(sm_sa(sm), mlid)) != 0) {
		p.mlid = mlid;
		fill_seats(g, sm, mlid, seats, &nodes);
		rc = judge_group(&p, seats, why);
	}
	map_free(&nodes);
	free(p.copies);
	free(p.hop);
	free(seats);
	return rc;
}
