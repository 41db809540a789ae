#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "tests/sim/referee/referee_int.h"

/*
 * Dependencies between channels, VL by VL. The paths to a LID are a tree of
 * switches; its traffic is followed from the farthest switch to the nearest, as
 * the set of SLs on each VL of a link. The VL of a packet on the next link is
 * in SL2VL, so both ends of a dependency are known.
 */
enum { SLS = 16, NO_VL = 15, F_BLOCKED = 32 };

static const uint16_t all_sls = 0xffff;

/* The operational VLs of a port. */
static unsigned
vls_of(const struct sim_port *p)
{
	static const uint8_t n[] = {1, 1, 2, 4, 8, 15};

	return p->pi.op_vls < sizeof(n) ? n[p->pi.op_vls] : 15;
}

static const uint8_t *
sl2vl_row(const struct sim_node *n, unsigned in, unsigned out)
{
	return n->sw->sl2vl[in * (n->nports + 1U) + out];
}

/* True if all switches map all SLs alike, for all pairs of ports. */
static bool
is_sl2vl_uniform(const struct referee *j)
{
	const uint8_t *first = NULL;
	bool untouched = false;

	for (uint32_t i = 0; i < j->norder; i++) {
		const struct sim_node *n = &j->s->node[j->order[i]];

		if (!n->sw)
			continue;
		untouched = untouched || !n->sw->sl2vl;
		for (unsigned k = 0; n->sw->sl2vl && k < n->nports * n->nports;
			k++) {
			const uint8_t *r = sl2vl_row(
				n, k / n->nports + 1, k % n->nports + 1);

			first = first ? first : r;
			if (memcmp(r, first, SLS / 2) != 0)
				return false;
		}
	}
	return !first || !untouched;
}

void
referee_vl_begin(struct referee *j)
{
	unsigned most = 1;

	for (uint32_t i = 0; i < j->norder; i++) {
		const struct sim_node *n = &j->s->node[j->order[i]];

		for (unsigned p = 1; n->sw && p <= n->nports; p++) {
			const struct sim_port *q =
				sim_int_port(j->s, j->order[i], p);

			if (q->up && vls_of(q) > most)
				most = vls_of(q);
		}
	}
	/* the same maps everywhere and all SLs in use: all VLs are alike */
	j->vls = !j->sls && is_sl2vl_uniform(j) ? 1 : most;
	j->dep = mem_zalloc(j->s->nports, sizeof(*j->dep));
	if (j->vls > 1)
		j->on = mem_zalloc(
			(size_t)j->s->nports * j->vls, sizeof(*j->on));
}

void
referee_vl_end(struct referee *j)
{
	for (uint32_t p = 0; p < j->s->nports; p++)
		free(j->dep[p]);
	free(j->dep);
	free(j->on);
}

/* From VL a of the link into a port to VL b of the link out of another. */
static void
add_dependency(struct referee *j, uint32_t sw, unsigned in, unsigned a,
	unsigned out, unsigned b)
{
	uint64_t(**dep)[4] = &j->dep[j->s->node[sw].first + in];

	if (!*dep)
		*dep = mem_zalloc((size_t)j->vls * j->vls, sizeof(**dep));
	(*dep)[a * j->vls + b][out / 64] |= 1ULL << out % 64;
}

void
referee_vl_pair(struct referee *j, uint32_t sw, unsigned in, unsigned out)
{
	unsigned vls = vls_of(sim_int_port(j->s, sw, out));

	if (j->vls == 1) {
		add_dependency(j, sw, in, 0, out, 0);
		return;
	}
	/* a switch may map any VL of the in-port to it: the SL alone decides */
	for (unsigned sl = 0; sl < SLS; sl++) {
		unsigned b = sim_vl(j->s, sw, in, out, sl);

		for (unsigned a = 0; b != NO_VL && b < vls && a < j->vls; a++)
			add_dependency(j, sw, in, a, out, b);
	}
}

/* One VL stands for all: the dependencies of all paths to one LID. */
static void
add_plain(struct referee *j)
{
	for (uint32_t i = 0; i < j->norder; i++) {
		uint32_t sw = j->order[i], m = j->next[sw];

		if (!referee_arrives(j, sw) || m >= REFEREE_LOST ||
			j->next[m] >= REFEREE_LOST)
			continue;
		add_dependency(j, m,
			sim_int_port(j->s, sw, j->out[sw])->peer_port, 0,
			j->out[m], 0);
	}
}

/*
 * Put packets that come in by a port on VL a (-1: from a host) onto the VLs of
 * the out-port. Returns the SLs that the switch drops.
 */
static uint16_t
map_sls(struct referee *j, uint32_t sw, unsigned in, int a, uint16_t sls,
	uint16_t *onto)
{
	unsigned out = j->out[sw];
	unsigned vls = vls_of(sim_int_port(j->s, sw, out));
	uint16_t lost = 0;

	for (unsigned sl = 0; sl < SLS; sl++) {
		unsigned b;

		if (!(sls >> sl & 1))
			continue;
		b = sim_vl(j->s, sw, in, out, sl);
		if (b == NO_VL || b >= vls) {
			lost |= (uint16_t)(1U << sl);
			continue;
		}
		onto[b] |= (uint16_t)(1U << sl);
		if (a >= 0 && j->next[sw] < REFEREE_LOST)
			add_dependency(j, sw, in, (unsigned)a, out, b);
	}
	return lost;
}

/*
 * Report dropped SLs: any if the SLs in use are known, all of them otherwise.
 */
static void
judge_lost(struct referee *j, uint32_t sw, unsigned in,
	const struct referee_lid *l, uint16_t sls, uint16_t lost)
{
	if (!lost || (!j->sls && lost != sls))
		return;
	j->r->blocked++;
	referee_say(j, F_BLOCKED,
		"\"%s\" drops what comes by port %u for LID %u (\"%s\"): "
		"SLs 0x%04x have no VL on port %u",
		j->s->node[sw].name, in, l->lid, j->s->node[l->node].name, lost,
		j->out[sw]);
}

/* The SLs of packets that start at a port of a switch: its own, or a host's. */
static uint16_t
starting_sls(const struct referee *j, uint32_t sw, unsigned port,
	const struct referee_lid *l)
{
	const struct sim_port *p = sim_int_port(j->s, sw, port), *q = p;

	if (port) {
		if (!p->up || p->peer == FABRIC_NONE || !j->scope[p->peer] ||
			j->s->node[p->peer].sw)
			return 0;
		q = sim_int_port(j->s, p->peer, p->peer_port);
	}
	if (q->pi.lid == 0 || (q->pi.lid == l->lid && l->base))
		return 0;
	return j->sls ? j->sls->of(j->sls->cookie, q->pi.lid, l->lid) : all_sls;
}

/*
 * Move a switch's packets for a LID, from all its ports, on to the next switch.
 */
static void
add_switch(struct referee *j, uint32_t sw, const struct referee_lid *l)
{
	const struct sim_node *n = &j->s->node[sw];
	const struct sim_port *out = sim_int_port(j->s, sw, j->out[sw]);
	uint16_t onto[SLS] = {0};

	for (unsigned in = 0; in <= n->nports; in++) {
		uint16_t *on = &j->on[(size_t)(n->first + in) * j->vls];
		uint16_t sls = starting_sls(j, sw, in, l), lost = 0, all = sls;

		if (sls && j->out[sw])
			lost = map_sls(j, sw, in, -1, sls, onto);
		for (unsigned a = 0; a < j->vls; a++) {
			if (on[a] && j->out[sw])
				lost |= map_sls(j, sw, in, (int)a, on[a], onto);
			all |= on[a];
			on[a] = 0;
		}
		judge_lost(j, sw, in, l, all, lost);
	}
	if (j->next[sw] < REFEREE_LOST)
		memcpy(&j->on[(size_t)(j->s->node[out->peer].first +
				       out->peer_port) *
			       j->vls],
			onto, j->vls * sizeof(*onto));
}

void
referee_vl_add(struct referee *j, const struct referee_lid *l,
	const uint32_t *by_depth)
{
	if (j->vls == 1) {
		add_plain(j);
		return;
	}
	for (uint32_t i = 0; i < j->r->switches; i++) {
		if (referee_arrives(j, by_depth[i]))
			add_switch(j, by_depth[i], l);
	}
}
