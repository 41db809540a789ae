#include "sm/audit/unreachable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/verify/cdg.h"
#include "sm/base/mem.h"
#include "sm/base/union_find.h"

/* How the packets of a LID end, from a switch. FOLLOWED: on the path being
 * followed. */
enum end { OPEN, FOLLOWED, ARRIVES, LOST, LOOPS, UNSEEN };

struct search {
	const struct routes *r;
	const struct topo *t;
	struct audit_unreachable_facts *out;
	uint32_t *piece; /* [nsw] connected piece of a switch that was read */
	uint8_t *end;	 /* [nsw] */
	sw_ix *stack;	 /* [nsw] */
	bool *hosts;	 /* [nsw] the switch has hosts */
	bool *host;	 /* [nports] the port is a host's */
	uint16_t last;	 /* the LID of the last victim; 0: none */
};

static void
join_pieces(struct search *a)
{
	const struct topo *t = a->t;

	for (sw_ix s = 0; s < t->nsw; s++)
		a->piece[s] = s;
	for (sw_ix s = 0; s < t->nsw; s++)
		for (uint32_t i = 0; i < t->sw[s].nadj; i++) {
			sw_ix o = t->adj[t->sw[s].adj + i].peer;

			if (topo_sw_live(t, s) && topo_sw_live(t, o))
				a->piece[union_find_of(a->piece, s)] =
					union_find_of(a->piece, o);
		}
}

/* The next switch on the path from switch s to a LID in *next, or how the path
 * ends. */
static enum end
next_switch(const struct search *a, sw_ix s, uint16_t lid, sw_ix *next)
{
	const struct topo *t = a->t;
	const struct topo_node *n = &t->node[t->sw[s].node];
	unsigned out = routes_port(a->r, s, lid);
	port_ix owner = t->by_lid[lid], far;

	if (out > n->nports)
		return LOST;
	if (n->first_port + out == owner)
		return ARRIVES;
	far = t->port[n->first_port + out].peer;
	if (far == TOPO_NONE)
		return LOST;
	if (far == owner)
		return ARRIVES;
	*next = t->node[t->port[far].node].sw;
	if (*next == TOPO_NONE)
		return LOST;
	return !topo_sw_live(t, *next) ? UNSEEN : OPEN;
}

/* Follow a LID from s and record how it ends for all switches on the path. */
static enum end
follow_lid(struct search *a, sw_ix s, uint16_t lid)
{
	enum end e = OPEN;
	uint32_t n = 0;

	while (e == OPEN) {
		sw_ix next = s;

		if (a->end[s] != OPEN) {
			e = a->end[s] == FOLLOWED ? LOOPS : (enum end)a->end[s];
			break;
		}
		a->end[s] = FOLLOWED;
		a->stack[n++] = s;
		e = next_switch(a, s, lid, &next);
		s = next;
	}
	while (n > 0)
		a->end[a->stack[--n]] = (uint8_t)e;
	return e;
}

/* Packets from hosts at s to a host do not arrive. LIDs come in ascending
 * order. */
static void
note_victim(struct search *a, sw_ix s, uint16_t lid)
{
	struct audit_unreachable_facts *f = a->out;

	f->hosts++;
	if (a->last != lid) {
		a->last = lid;
		if (f->nvictims++ < AUDIT_UNREACHABLE_SHOWN)
			f->victim[f->nvictims - 1] =
				(struct audit_unreachable_victim){lid, 0, s};
	}
	if (f->nvictims <= AUDIT_UNREACHABLE_SHOWN)
		f->victim[f->nvictims - 1].switches++;
}

static void
judge_lid(struct search *a, uint16_t lid)
{
	const struct topo *t = a->t;
	sw_ix root = topo_switch_of(t, t->by_lid[lid]);

	if (root == TOPO_NONE || !topo_sw_live(t, root))
		return;
	memset(a->end, OPEN, t->nsw);
	for (sw_ix s = 0; s < t->nsw; s++) {
		enum end e;

		if (!topo_sw_live(t, s) ||
			union_find_of(a->piece, s) !=
				union_find_of(a->piece, root))
			continue;
		e = follow_lid(a, s, lid);
		a->out->unseen += e == UNSEEN;
		if ((e == LOST || e == LOOPS) && a->hosts[s] &&
			a->host[t->by_lid[lid]])
			note_victim(a, s, lid);
		if (e == LOST && a->out->lost[0] == '\0')
			(void)snprintf(a->out->lost, sizeof(a->out->lost),
				"LID %u (%s) from switch %s", lid,
				cdg_name(t, t->port[t->by_lid[lid]].node).s,
				cdg_name(t, t->sw[s].node).s);
	}
}

static void
mark_hosts(struct search *a)
{
	const struct topo *t = a->t;

	for (sw_ix s = 0; s < t->nsw; s++)
		for (uint32_t i = 0; i < t->sw[s].nend; i++) {
			const struct topo_end *e = &t->end[t->sw[s].end + i];

			if (e->host)
				a->hosts[s] = a->host[e->port] = true;
		}
}

void
audit_unreachable_judge(
	const struct routes *r, bool lost, struct audit_unreachable_facts *out)
{
	const struct topo *t = r->topo;
	struct search a = {.r = r, .t = t, .out = out};

	*out = (struct audit_unreachable_facts){0};
	for (node_ix n = 0; n < t->nnodes; n++)
		out->nodes += (t->node[n].flags & TN_QUARANTINED) != 0;
	if (out->nodes == 0 && !lost)
		return;
	a.piece = mem_alloc(t->nsw * sizeof(*a.piece));
	a.end = mem_alloc(t->nsw);
	a.stack = mem_alloc(t->nsw * sizeof(*a.stack));
	a.hosts = mem_zalloc(t->nsw, sizeof(*a.hosts));
	a.host = mem_zalloc(t->nports, sizeof(*a.host));
	mark_hosts(&a);
	join_pieces(&a);
	for (uint32_t lid = 1; lid <= t->max_lid; lid++)
		if (t->by_lid[lid] != TOPO_NONE)
			judge_lid(&a, (uint16_t)lid);
	free(a.piece);
	free(a.end);
	free(a.stack);
	free(a.hosts);
	free(a.host);
}
