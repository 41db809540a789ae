#include "sm/audit/unreachable.h"

#include <stdio.h>
#include <stdlib.h>

#include "routing/core/path_fate.h"
#include "sm/base/mem.h"

/* How the packets of a LID end, from a switch. */
enum end { ARRIVES, LOST, LOOPS, UNSEEN };

struct search {
	const struct routes *r;
	const struct topo *t;
	struct audit_unreachable_facts *out;
	sw_ix *piece; /* [nsw] connected piece of a switch that was read */
	struct path_fate end;
	uint16_t lid;  /* at hand */
	uint16_t last; /* the LID of the last victim; 0: none */
};

static uint8_t
next_switch(void *arg, sw_ix *s)
{
	const struct search *a = arg;
	const struct topo *t = a->t;
	unsigned out = routes_port(a->r, *s, a->lid);
	port_ix owner = t->by_lid[a->lid], far = topo_port_behind(t, *s, out);

	if (far == owner ||
		(out == 0 && t->node[t->sw[*s].node].first_port == owner))
		return ARRIVES;
	*s = topo_port_switch(t, far);
	if (*s == TOPO_NONE)
		return LOST;
	return !topo_sw_live(t, *s) ? UNSEEN : PATH_FATE_OPEN;
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
	a->lid = lid;
	path_fate_reset(&a->end);
	for (sw_ix s = 0; s < t->nsw; s++) {
		uint8_t e;

		if (a->piece[s] == TOPO_NONE || a->piece[s] != a->piece[root])
			continue;
		e = path_fate_follow(&a->end, s, LOOPS, next_switch, NULL, a);
		a->out->unseen += e == UNSEEN;
		if ((e == LOST || e == LOOPS) && t->sw[s].nhost > 0 &&
			topo_is_host(t, t->by_lid[lid]))
			note_victim(a, s, lid);
		if (e == LOST && a->out->lost[0] == '\0')
			(void)snprintf(a->out->lost, sizeof(a->out->lost),
				"LID %u (%s) from switch %s", lid,
				topo_name(t, t->port[t->by_lid[lid]].node).s,
				topo_name(t, t->sw[s].node).s);
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
	a.end = path_fate_new(t->nsw);
	(void)topo_pieces(t, a.piece);
	for (uint32_t lid = 1; lid <= t->max_lid; lid++)
		if (t->by_lid[lid] != TOPO_NONE)
			judge_lid(&a, (uint16_t)lid);
	free(a.piece);
	path_fate_free(&a.end);
}
