/*
 * The VLs that packets are on. If hosts use several, a cycle of channels with
 * all VLs as one is only a suspicion: then every packet that hosts may send is
 * followed, by the tables and the rows of SL2VL as they are at that moment, and
 * the channels that it waits for are separate per VL.
 *
 * Hosts send with the SLs that path records gave them since both their ports
 * came up, whatever the records say today; a switch's own packets bear the SLs
 * of the view in force. While no records are given, a port that comes up has
 * none, and a switch sends to no other.
 */
#include <stdlib.h>
#include <string.h>

#include "sm/base/buf.h"
#include "sm/base/mem.h"
#include "tests/sim/referee/watch_int.h"

enum { VLS = 16, SLS = 16, DISCARD = 15, NAMED = 8 };

/* An end port, and the SLs that it may send to others with. */
struct end {
	uint32_t node, rec;
	uint32_t sw; /* switch that its packets enter */
	uint8_t port, in;
	uint16_t *now, *ever; /* [nends]: SLs of the view in force; SLs of all
				 views since both came up */
	bool up;
};

/* Channels that packets wait for: record that they leave by * VLS + VL. */
struct watch_vls {
	struct end *end;
	uint32_t nends;
	uint32_t *by_rec;	     /* [nports]: end + 1 */
	uint16_t used;		     /* SLs that any host ever had */
	uint16_t groups;	     /* SLs of groups */
	bool (*given)(void *cookie); /* whether path records are given now;
					NULL: always */
	void *cookie;
	bool suspect;	       /* with all VLs as one there is a cycle */
	bool closed;	       /* and on separate VLs, when last judged */
	uint16_t (**dep)[VLS]; /* [nports]: by arriving record, then out-port:
				    from each VL the mask of VLs */
	uint16_t *on;	       /* [nports * VLS]: SLs there */
	uint32_t *list;	       /* [nports * VLS * SLS] */
	uint8_t *state;	       /* [nports * VLS]: of the search */
	uint32_t *trail;       /* [nports * VLS] */
};

static uint32_t
channel_index(uint32_t rec, unsigned vl)
{
	return rec * VLS + vl;
}

/* ---- the SLs of senders ---- */

static void
add_end(struct watch *w, uint32_t node, unsigned port)
{
	struct watch_vls *l = w->vls;
	const struct sim_port *p = sim_int_port(w->s, node, port);
	struct end *e = &l->end[l->nends];

	*e = (struct end){.node = node,
		.port = (uint8_t)port,
		.sw = port ? p->peer : node,
		.in = port ? p->peer_port : 0,
		.rec = watch_record(w, node, port)};
	if (!watch_is_switch(w, e->sw))
		return;
	l->by_rec[e->rec] = ++l->nends;
}

static void
find_ends(struct watch *w)
{
	struct watch_vls *l = w->vls;

	l->end = mem_zalloc(w->s->nports, sizeof(*l->end));
	l->by_rec = mem_zalloc(w->s->nports, sizeof(*l->by_rec));
	for (uint32_t n = 0; n < w->s->nnodes; n++) {
		if (watch_is_switch(w, n)) {
			add_end(w, n, 0);
			continue;
		}
		for (unsigned p = 1; p <= w->s->node[n].nports; p++)
			add_end(w, n, p);
	}
	for (uint32_t i = 0; i < l->nends; i++) {
		l->end[i].now = mem_zalloc(l->nends, sizeof(*l->end[i].now));
		l->end[i].ever = mem_zalloc(l->nends, sizeof(*l->end[i].ever));
	}
}

static bool
is_up(const struct watch *w, const struct end *e)
{
	const struct sim_port *p = &w->s->port[e->rec];

	return e->port == 0 || (p->up && p->pi.state == PORT_ACTIVE);
}

static bool
are_paths_given(const struct watch_vls *l)
{
	return l->given == NULL || l->given(l->cookie);
}

/* The SLs that packets of e to end `to` may have. Those between switches have
 * none while no records are given: no port of theirs shows that they end. */
static uint16_t
sls_of(const struct watch_vls *l, const struct end *e, uint32_t to)
{
	if (e->port == 0 && l->end[to].port == 0 && !are_paths_given(l))
		return 0;
	return e->ever[to];
}

void
watch_vl_port(struct watch *w, uint32_t node, unsigned port)
{
	struct watch_vls *l = w->vls;
	uint32_t i = l != NULL ? l->by_rec[watch_record(w, node, port)] : 0;
	bool given = l != NULL && are_paths_given(l);

	if (i == 0 || l->end[i - 1].up == is_up(w, &l->end[i - 1]))
		return;
	l->end[i - 1].up = !l->end[i - 1].up;
	/* connections end with either port; new ones have the present SLs */
	for (uint32_t k = 0; k < l->nends; k++) {
		l->end[i - 1].ever[k] = given ? l->end[i - 1].now[k] : 0;
		l->end[k].ever[i - 1] = given ? l->end[k].now[i - 1] : 0;
	}
}

void
watch_paths(struct watch *w, const struct watch_sls *sls)
{
	struct watch_vls *l = w->vls;

	l->groups = sls->groups;
	l->used |= sls->groups;
	for (uint32_t a = 0; a < l->nends; a++)
		for (uint32_t b = 0; b < l->nends; b++) {
			const struct end *from = &l->end[a], *to = &l->end[b];
			uint16_t is =
				a == b ? 0
				       : sls->of(sls->cookie,
						 w->s->port[from->rec].guid,
						 w->s->port[to->rec].guid);

			from->now[b] = is;
			if (from->port == 0 || to->port == 0)
				from->ever[b] = is;
			else
				from->ever[b] |= is;
			l->used |= is;
		}
	l->suspect = true;
	watch_vl_judge(w);
}

uint16_t
watch_vl_used(const struct watch *w)
{
	return w->vls != NULL ? w->vls->used : 1;
}

bool
watch_vl_suspect(struct watch *w)
{
	if (w->vls == NULL)
		return false;
	w->vls->suspect = true;
	return true;
}

/* ---- dependencies ---- */

/* Whether packets can be put on a VL of an out-port. */
static bool
is_vl_usable(const struct sim_port *p, unsigned vl)
{
	static const uint8_t n[] = {1, 1, 2, 4, 8, 15};

	return vl != DISCARD &&
	       vl < (p->pi.op_vls < sizeof(n) ? n[p->pi.op_vls] : 15U);
}

/* Whether packets from in go on by out, over a live link to a switch. */
static bool
has_next_hop(const struct watch *w, uint32_t sw, unsigned in, unsigned out)
{
	return out != 0 && out <= w->s->node[sw].nports && out != in &&
	       w->live[watch_record(w, sw, out)] &&
	       watch_is_switch(w, sim_int_port(w->s, sw, out)->peer);
}

/* Packets: where they are, their VL (-1: none yet), their SLs. */
struct spot {
	uint32_t sw;
	unsigned in;
	int vl;
	uint16_t sls;
};

static void
add_dependency(
	struct watch *w, const struct spot *at, unsigned out, unsigned vl)
{
	uint16_t(**dep)[VLS] = &w->vls->dep[watch_record(w, at->sw, at->in)];

	if (*dep == NULL)
		*dep = mem_zalloc(
			w->s->node[at->sw].nports + 1U, sizeof(**dep));
	(*dep)[out][at->vl] |= (uint16_t)(1U << vl);
}

/* Move packets on by out; SLs new there are appended to the list of n. */
static uint32_t
follow_hop(struct watch *w, const struct spot *at, unsigned out, uint32_t n)
{
	uint32_t rec = watch_record(w, at->sw, out);
	const struct sim_port *p = &w->s->port[rec];
	struct watch_vls *l = w->vls;

	for (unsigned sls = at->sls; sls != 0; sls &= sls - 1) {
		unsigned sl = (unsigned)__builtin_ctz(sls);
		unsigned b = sim_vl(w->s, at->sw, at->in, out, sl);

		if (!is_vl_usable(p, b))
			continue;
		if (at->vl >= 0)
			add_dependency(w, at, out, b);
		if ((l->on[channel_index(rec, b)] >> sl & 1) != 0)
			continue;
		l->on[channel_index(rec, b)] |= (uint16_t)(1U << sl);
		l->list[n++] = channel_index(rec, b) * SLS + sl;
	}
	return n;
}

/* The index of the end port with a LID, or nends. */
static uint32_t
end_of(const struct watch *w, unsigned lid)
{
	const struct watch_vls *l = w->vls;
	uint32_t i = 0;

	for (; i < l->nends; i++) {
		const struct mad_port_info *pi = &w->s->port[l->end[i].rec].pi;

		if (pi->lid != 0 && lid >= pi->lid &&
			lid < pi->lid + (1U << pi->lmc))
			break;
	}
	return i;
}

/* Follow packets by all ports that they may leave by. */
static uint32_t
follow_hops(struct watch *w, const struct spot *at, unsigned lid, uint32_t n)
{
	uint64_t ports[WATCH_WORDS];

	watch_hops(w, at->sw, lid, ports);
	for (unsigned out = 0; sim_hops_next(ports, &out); out++) {
		if (has_next_hop(w, at->sw, at->in, out))
			n = follow_hop(w, at, out, n);
	}
	return n;
}

/* Whether a packet from an end port is in a loop. */
static bool
goes_round(
	const struct watch *w, const struct end *e, unsigned lid, unsigned sl)
{
	uint32_t sw = e->sw, hops = 0;
	unsigned in = e->in;

	for (; hops <= w->s->nnodes; hops++) {
		unsigned out = w->table[sw][lid];
		const struct sim_port *p;

		if (!has_next_hop(w, sw, in, out))
			return false;
		p = sim_int_port(w->s, sw, out);
		if (!is_vl_usable(p, sim_vl(w->s, sw, in, out, sl)))
			return false;
		sw = p->peer;
		in = p->peer_port;
	}
	return true;
}

bool
watch_vl_loops(const struct watch *w, unsigned lid)
{
	const struct watch_vls *l = w->vls;
	uint32_t to = end_of(w, lid);

	/* which port of a set a packet takes is not known: any may be in it */
	if (w->any_sets)
		return to < l->nends;
	for (uint32_t i = 0; to < l->nends && i < l->nends; i++)
		for (unsigned sl = 0; l->end[i].up && sl < SLS; sl++)
			if ((l->end[i].ever[to] >> sl & 1) != 0 &&
				goes_round(w, &l->end[i], lid, sl))
				return true;
	return false;
}

/* Follow the packets from all end ports to a LID. */
static void
follow_lid(struct watch *w, unsigned lid, uint32_t to)
{
	struct watch_vls *l = w->vls;
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->nends; i++) {
		const struct end *e = &l->end[i];
		const struct spot at = {e->sw, e->in, -1, sls_of(l, e, to)};

		if (e->up && at.sls != 0)
			n = follow_hops(w, &at, lid, n);
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t v = l->list[i] / SLS;
		const struct sim_port *p = &w->s->port[v / VLS];
		const struct spot at = {p->peer, p->peer_port, (int)(v % VLS),
			(uint16_t)(1U << l->list[i] % SLS)};

		n = follow_hops(w, &at, lid, n);
	}
	for (uint32_t i = 0; i < n; i++)
		l->on[l->list[i] / SLS] = 0;
}

static bool
in_group(const struct watch *w, uint32_t sw, unsigned g, unsigned port)
{
	return w->group[sw]->of[g][port / 64] >> port % 64 & 1;
}

/* Move packets to a group on by all ports of its mask. */
static uint32_t
fan_out(struct watch *w, const struct spot *at, unsigned g, uint32_t n)
{
	for (unsigned out = 1; out <= w->s->node[at->sw].nports; out++)
		if (in_group(w, at->sw, g, out) &&
			has_next_hop(w, at->sw, at->in, out))
			n = follow_hop(w, at, out, n);
	return n;
}

/* Follow the packets to a group that enter at any port of a switch. */
static void
follow_group(struct watch *w, uint32_t sw, unsigned g)
{
	const struct sim_node *node = &w->s->node[sw];
	uint32_t n = 0;

	for (unsigned in = 0; in <= node->nports; in++) {
		const struct sim_port *p = sim_int_port(w->s, sw, in);

		if (in > 0 && (!p->up || p->peer == FABRIC_NONE ||
				      (watch_is_switch(w, p->peer) &&
					      !in_group(w, p->peer, g,
						      p->peer_port))))
			continue;
		n = fan_out(
			w, &(struct spot){sw, in, -1, w->vls->groups}, g, n);
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t v = w->vls->list[i] / SLS;
		const struct sim_port *p = &w->s->port[v / VLS];
		const struct spot at = {p->peer, p->peer_port, (int)(v % VLS),
			(uint16_t)(1U << w->vls->list[i] % SLS)};

		n = fan_out(w, &at, g, n);
	}
	for (uint32_t i = 0; i < n; i++)
		w->vls->on[w->vls->list[i] / SLS] = 0;
}

static void
follow_all(struct watch *w)
{
	struct watch_vls *l = w->vls;

	for (uint32_t i = 0; i < w->s->nports; i++) {
		free(l->dep[i]);
		l->dep[i] = NULL;
	}
	for (uint32_t i = 0; i < l->nends; i++) {
		const struct mad_port_info *pi = &w->s->port[l->end[i].rec].pi;
		unsigned lid = pi->lid, end = lid + (1U << pi->lmc);

		for (; lid != 0 && lid < end && lid < MAD_LID_END; lid++)
			follow_lid(w, lid, i);
	}
	for (uint32_t n = 0; l->groups != 0 && n < w->s->nnodes; n++)
		for (unsigned g = 0; w->group[n] && g < WATCH_GROUPS; g++)
			follow_group(w, n, g);
}

/* ---- cycles ---- */

enum { NEW, OPEN, DONE };

/* The next channel that v waits for, at or after *at, or UINT32_MAX. */
static uint32_t
next_dependent(const struct watch *w, uint32_t v, uint32_t *at)
{
	const struct sim_port *p = &w->s->port[v / VLS];
	uint16_t(*dep)[VLS] =
		w->vls->dep[watch_record(w, p->peer, p->peer_port)];
	uint32_t end = (w->s->node[p->peer].nports + 1U) * VLS;

	while (dep != NULL && *at < end) {
		unsigned vls = (unsigned)dep[*at / VLS][v % VLS] >> *at % VLS;

		if (vls != 0) {
			*at += (uint32_t)__builtin_ctz(vls);
			return channel_index(
				watch_record(w, p->peer, *at / VLS), *at % VLS);
		}
		*at += VLS - *at % VLS;
	}
	return UINT32_MAX;
}

static void
report_cycle(
	struct watch *w, const uint32_t *trail, uint32_t from, uint32_t end)
{
	struct buf b = {0};

	w->r.first_cycle = sim_now(w->s);
	for (uint32_t i = from; i < end && i < from + NAMED; i++) {
		uint32_t rec = trail[i] / VLS, node = w->owner[rec];

		buf_printf(&b, "%s\"%s\"[%u] VL %u", i > from ? " -> " : "",
			w->s->node[node].name, rec - w->s->node[node].first,
			trail[i] % VLS);
	}
	reason_set(&w->r.cycle, "channels of %u wait in a ring: %s", end - from,
		b.text);
	buf_free(&b);
}

/* Depth-first search from v; at: position of each channel on the trail. */
static bool
find_cycle_from(struct watch *w, uint32_t v, uint32_t *at)
{
	struct watch_vls *l = w->vls;
	uint32_t n = 0;

	l->trail[n] = v;
	at[n++] = 0;
	l->state[v] = OPEN;
	while (n > 0) {
		uint32_t next = next_dependent(w, l->trail[n - 1], &at[n - 1]);

		at[n - 1]++;
		if (next == UINT32_MAX) {
			l->state[l->trail[--n]] = DONE;
		} else if (l->state[next] == OPEN) {
			uint32_t from = n - 1;

			while (l->trail[from] != next)
				from--;
			if (w->r.cycles == 0)
				report_cycle(w, l->trail, from, n);
			return true;
		} else if (l->state[next] == NEW) {
			l->state[next] = OPEN;
			l->trail[n] = next;
			at[n++] = 0;
		}
	}
	return false;
}

static bool
any_cycle(struct watch *w)
{
	uint32_t total = w->s->nports * VLS;
	uint32_t *at = w->vls->list; /* long enough, and unused now */
	bool found = false;

	memset(w->vls->state, NEW, total);
	for (uint32_t v = 0; v < total && !found; v++)
		if (w->live[v / VLS] && w->vls->state[v] == NEW)
			found = find_cycle_from(w, v, at);
	return found;
}

void
watch_vl_judge(struct watch *w)
{
	struct watch_vls *l = w->vls;
	bool found;

	if (l == NULL || !l->suspect)
		return;
	follow_all(w);
	found = any_cycle(w);
	w->r.cycles += found && !l->closed;
	l->closed = found;
	l->suspect = found || watch_cyclic(w);
}

/* ---- making and freeing ---- */

void
watch_vls(struct watch *w, bool (*given)(void *cookie), void *cookie)
{
	struct watch_vls *l = mem_zalloc(1, sizeof(*l));

	l->given = given;
	l->cookie = cookie;
	w->vls = l;
	l->used = 1;
	find_ends(w);
	l->dep = mem_zalloc(w->s->nports, sizeof(*l->dep));
	l->on = mem_zalloc((size_t)w->s->nports * VLS, sizeof(*l->on));
	l->list =
		mem_zalloc((size_t)w->s->nports * VLS * SLS, sizeof(*l->list));
	l->state = mem_zalloc((size_t)w->s->nports * VLS, 1);
	l->trail = mem_zalloc((size_t)w->s->nports * VLS, sizeof(*l->trail));
	for (uint32_t i = 0; i < l->nends; i++)
		l->end[i].up = is_up(w, &l->end[i]);
}

void
watch_vls_free(struct watch *w)
{
	struct watch_vls *l = w->vls;

	if (l == NULL)
		return;
	for (uint32_t i = 0; i < l->nends; i++) {
		free(l->end[i].now);
		free(l->end[i].ever);
	}
	for (uint32_t i = 0; i < w->s->nports; i++)
		free(l->dep[i]);
	free(l->end);
	free(l->by_rec);
	free(l->dep);
	free(l->on);
	free(l->list);
	free(l->state);
	free(l->trail);
	free(l);
	w->vls = NULL;
}
