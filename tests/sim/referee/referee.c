#include "tests/sim/referee/referee.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "tests/sim/referee/referee_int.h"

/* Kinds of faults, for referee_say. */
enum { F_LINK = 1, F_LID = 2, F_HOLE = 4, F_LOOP = 8 };

void
referee_say(struct referee *j, unsigned kind, const char *fmt, ...)
{
	char text[300];
	va_list ap;

	if (j->said & kind)
		return;
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	reason_add(j->why, "%s%s", j->said ? "; " : "", text);
	j->said |= kind;
}

static bool
is_switch(const struct referee *j, uint32_t node)
{
	return j->s->node[node].type == FABRIC_SWITCH;
}

/* The node at the other end of a link that is up, or FABRIC_NONE. */
static uint32_t
link_peer(const struct referee *j, uint32_t node, unsigned port)
{
	const struct sim_port *p = sim_int_port(j->s, node, port);

	return port && p->up ? p->peer : FABRIC_NONE;
}

/*
 * Everything that the SM can reach from its port (a host's port 1). Hosts pass
 * nothing on, not from one of their ports to another either.
 */
static void
find_scope(struct referee *j, uint32_t sm)
{
	j->order[j->norder++] = sm;
	j->scope[sm] = true;
	for (uint32_t i = 0; i < j->norder; i++) {
		uint32_t n = j->order[i];

		if (i > 0 && !is_switch(j, n))
			continue;
		for (unsigned p = 1; p <= j->s->node[n].nports; p++) {
			uint32_t m = link_peer(j, n, p);

			if (p > 1 && !is_switch(j, n))
				break;
			if (m == FABRIC_NONE || j->scope[m] ||
				!sim_int_alive(&j->s->node[m]))
				continue;
			j->scope[m] = true;
			j->order[j->norder++] = m;
		}
	}
}

static void
referee_links(struct referee *j)
{
	for (uint32_t i = 0; i < j->norder; i++) {
		uint32_t n = j->order[i];

		for (unsigned p = 1; p <= j->s->node[n].nports; p++) {
			const struct sim_port *q = sim_int_port(j->s, n, p);

			if (!q->up || !j->scope[q->peer])
				continue;
			j->r->linked++;
			if (q->pi.state == PORT_ACTIVE)
				continue;
			j->r->not_active++;
			referee_say(j, F_LINK,
				"port %u of \"%s\" has a link and is in "
				"state %u",
				p, j->s->node[n].name, q->pi.state);
		}
	}
}

static void
add_lids(struct referee *j, uint32_t node, unsigned port)
{
	const struct mad_port_info *pi = &sim_int_port(j->s, node, port)->pi;

	j->r->end_ports++;
	if (pi->lid == 0 || pi->lid + (1U << pi->lmc) > MAD_LID_END) {
		j->r->bad_lids++;
		referee_say(j, F_LID, "port %u of \"%s\" has LID %u", port,
			j->s->node[node].name, pi->lid);
		return;
	}
	for (unsigned i = 0; i < 1U << pi->lmc; i++) {
		j->lid =
			mem_grow(j->lid, j->nlid, &j->lid_cap, sizeof(*j->lid));
		j->lid[j->nlid++] = (struct referee_lid){
			node, (uint16_t)(pi->lid + i), (uint8_t)port, i == 0};
	}
}

/* Collect the end ports in scope and their LIDs. */
static void
find_lids(struct referee *j, bool judged)
{
	for (uint32_t i = 0; i < j->norder; i++) {
		uint32_t n = j->order[i];
		const struct sim_node *node = &j->s->node[n];

		if (is_switch(j, n)) {
			j->r->switches++;
			add_lids(j, n, 0);
			continue;
		}
		for (unsigned p = 1; p <= node->nports; p++) {
			uint32_t m = link_peer(j, n, p);

			if (m != FABRIC_NONE && j->scope[m] &&
				(is_switch(j, m) || j->norder <= 2))
				add_lids(j, n, p);
		}
	}
	if (!judged)
		j->r->bad_lids = 0;
	j->r->lids = (unsigned)j->nlid;
}

static void
referee_lids(struct referee *j)
{
	uint32_t *owner = mem_zalloc(MAD_LID_END, sizeof(*owner));

	for (size_t i = 0; i < j->nlid; i++) {
		const struct referee_lid *l = &j->lid[i];
		uint32_t *o = &owner[l->lid];

		if (*o) {
			j->r->bad_lids++;
			referee_say(j, F_LID, "LID %u is \"%s\"'s and \"%s\"'s",
				l->lid, j->s->node[*o - 1].name,
				j->s->node[l->node].name);
		}
		*o = l->node + 1;
	}
	free(owner);
}

/* The next node from a switch towards a LID. */
static uint32_t
next_node(struct referee *j, uint32_t sw, const struct referee_lid *l)
{
	const struct sim_node *n = &j->s->node[sw];
	unsigned out = sim_table_lft(n->sw, l->lid);
	uint32_t m;

	j->out[sw] = (uint8_t)out;
	if (out == 0)
		return sw == l->node ? REFEREE_END : REFEREE_LOST;
	m = out <= n->nports ? link_peer(j, sw, out) : FABRIC_NONE;
	if (m == FABRIC_NONE || !j->scope[m])
		return REFEREE_LOST;
	if (is_switch(j, m))
		return m;
	return m == l->node && sim_int_port(j->s, sw, out)->peer_port == l->port
		       ? REFEREE_END
		       : REFEREE_LOST;
}

enum {
	D_UNKNOWN = 0,
	D_LOST = UINT32_MAX,
	D_LOOP = UINT32_MAX - 1,
	D_WALKING = UINT32_MAX - 2
};

static bool
is_depth(uint32_t d)
{
	return d != D_UNKNOWN && d < D_WALKING;
}

bool
referee_arrives(const struct referee *j, uint32_t sw)
{
	return is_depth(j->depth[sw]);
}

/* Follow a LID from a switch until a switch with a known depth. */
static void
follow_lid(struct referee *j, uint32_t sw, const struct referee_lid *l)
{
	uint32_t n = 0, at = sw, d;

	while (j->depth[at] == D_UNKNOWN) {
		j->depth[at] = D_WALKING;
		j->stack[n++] = at;
		j->next[at] = next_node(j, at, l);
		if (j->next[at] >= REFEREE_LOST)
			break;
		at = j->next[at];
	}
	if (j->next[at] == REFEREE_END && j->depth[at] == D_WALKING)
		d = 0;
	else if (j->next[at] == REFEREE_LOST)
		d = D_LOST;
	else
		d = j->depth[at] == D_WALKING ? D_LOOP : j->depth[at];
	while (n > 0) {
		if (d == 0 || is_depth(d))
			d++;
		j->depth[j->stack[--n]] = d;
	}
}

static void
report_lost(struct referee *j, uint32_t sw, const struct referee_lid *l)
{
	const char *to = j->s->node[l->node].name;

	if (j->depth[sw] == D_LOOP) {
		j->r->loops++;
		referee_say(j, F_LOOP,
			"LID %u (\"%s\") goes round from \"%s\" port %u",
			l->lid, to, j->s->node[sw].name, j->out[sw]);
		return;
	}
	j->r->holes++;
	if (j->next[sw] == REFEREE_LOST)
		referee_say(j, F_HOLE,
			"\"%s\" sends LID %u (\"%s\") to port %u: no way there",
			j->s->node[sw].name, l->lid, to, j->out[sw]);
}

/* Add the hosts' traffic to one LID, the farthest switches first. */
static void
add_load(struct referee *j, const struct referee_lid *l,
	const uint32_t *by_depth)
{
	uint32_t at = l->node;

	for (uint32_t i = 0; i < j->norder; i++)
		j->flow[j->order[i]] = j->hosts[j->order[i]];
	/* none from the destination to itself */
	if (link_peer(j, at, l->port) != FABRIC_NONE)
		j->flow[link_peer(j, at, l->port)]--;
	for (uint32_t i = 0; i < j->r->switches; i++) {
		uint32_t sw = by_depth[i];

		if (!is_depth(j->depth[sw]) || j->next[sw] >= REFEREE_LOST)
			continue;
		j->load[j->s->node[sw].first + j->out[sw]] += j->flow[sw];
		j->flow[j->next[sw]] += j->flow[sw];
	}
}

/* Switches in scope by falling depth (counting sort). */
static void
sort_by_depth(struct referee *j, uint32_t *by_depth)
{
	uint32_t most = j->r->switches + 2;
	uint32_t *count = mem_zalloc(most + 1, sizeof(*count));
	uint32_t sum = 0;

	for (uint32_t i = 0; i < j->norder; i++) {
		uint32_t n = j->order[i], d = j->depth[n];

		if (is_switch(j, n))
			count[is_depth(d) ? most - d : most]++;
	}
	for (uint32_t i = 0; i <= most; i++) {
		uint32_t c = count[i];

		count[i] = sum;
		sum += c;
	}
	for (uint32_t i = 0; i < j->norder; i++) {
		uint32_t n = j->order[i], d = j->depth[n];

		if (is_switch(j, n))
			by_depth[count[is_depth(d) ? most - d : most]++] = n;
	}
	free(count);
}

static bool
is_host(const struct referee *j, uint32_t n)
{
	return j->s->node[n].type == FABRIC_CA &&
	       j->s->node[n].device != 0xcf09;
}

static void
referee_lid(struct referee *j, const struct referee_lid *l, unsigned what,
	uint32_t *by_depth)
{
	for (uint32_t i = 0; i < j->norder; i++)
		j->depth[j->order[i]] = D_UNKNOWN;
	for (uint32_t i = 0; i < j->norder; i++) {
		uint32_t sw = j->order[i];

		if (!is_switch(j, sw))
			continue;
		j->r->pairs++;
		if (j->depth[sw] == D_UNKNOWN)
			follow_lid(j, sw, l);
		if (!is_depth(j->depth[sw]))
			report_lost(j, sw, l);
		else if (j->depth[sw] > j->r->max_hops)
			j->r->max_hops = j->depth[sw];
	}
	if (j->vls > 1 || what & REFEREE_LOAD)
		sort_by_depth(j, by_depth);
	if (what & REFEREE_CYCLES)
		referee_vl_add(j, l, by_depth);
	if (j->sets)
		referee_sets_add(j, l, what);
	if (what & REFEREE_LOAD && l->base && is_host(j, l->node))
		add_load(j, l, by_depth);
}

/* Count the host ports at each switch. */
static void
count_hosts(struct referee *j)
{
	for (size_t i = 0; i < j->nlid; i++) {
		const struct referee_lid *l = &j->lid[i];

		if (l->base && is_host(j, l->node))
			j->hosts[link_peer(j, l->node, l->port)]++;
	}
}

static void
sum_load(struct referee *j)
{
	uint64_t sum = 0, channels = 0;

	for (uint32_t i = 0; i < j->norder; i++) {
		uint32_t sw = j->order[i];

		for (unsigned p = 1;
			is_switch(j, sw) && p <= j->s->node[sw].nports; p++) {
			uint32_t m = link_peer(j, sw, p);
			uint64_t load = j->load[j->s->node[sw].first + p];

			if (m == FABRIC_NONE || !j->scope[m] ||
				!is_switch(j, m) || m == sw)
				continue;
			channels++;
			sum += load;
			if (load > j->r->max_load)
				j->r->max_load = load;
		}
	}
	if (channels)
		j->r->mean_load = (double)sum / (double)channels;
}

static void
referee_paths(struct referee *j, unsigned what)
{
	uint32_t n = j->s->nnodes;
	uint32_t *by_depth = mem_zalloc(n, sizeof(*by_depth));

	j->next = mem_zalloc(n, sizeof(*j->next));
	j->out = mem_zalloc(n, sizeof(*j->out));
	j->depth = mem_zalloc(n, sizeof(*j->depth));
	j->stack = mem_zalloc(n, sizeof(*j->stack));
	j->flow = mem_zalloc(n, sizeof(*j->flow));
	j->hosts = mem_zalloc(n, sizeof(*j->hosts));
	referee_vl_begin(j);
	j->sets = referee_sets_exist(j);
	j->r->vls = j->vls;
	j->load = mem_zalloc(j->s->nports, sizeof(*j->load));
	count_hosts(j);
	for (size_t i = 0; i < j->nlid; i++)
		referee_lid(j, &j->lid[i], what, by_depth);
	if (what & REFEREE_CYCLES)
		referee_cycle_find(j);
	if (what & REFEREE_LOAD)
		sum_load(j);
	free(by_depth);
	free(j->next);
	free(j->out);
	free(j->depth);
	free(j->stack);
	free(j->flow);
	free(j->hosts);
	referee_vl_end(j);
	free(j->load);
}

int
referee_fabric(const struct sim *s, uint32_t sm, unsigned what,
	struct referee_report *out, struct reason *why)
{
	return referee_with_sls(s, sm, what, NULL, out, why);
}

int
referee_with_sls(const struct sim *s, uint32_t sm, unsigned what,
	const struct referee_sls *sls, struct referee_report *out,
	struct reason *why)
{
	struct referee j = {.s = s, .r = out, .why = why, .sls = sls};

	*out = (struct referee_report){0};
	if (why)
		why->text[0] = '\0';
	j.scope = mem_zalloc(s->nnodes, sizeof(*j.scope));
	j.order = mem_zalloc(s->nnodes, sizeof(*j.order));
	find_scope(&j, sm);
	if (what & REFEREE_ACTIVE)
		referee_links(&j);
	if (!(what & REFEREE_LIDS))
		j.said |= F_LID;
	find_lids(&j, what & REFEREE_LIDS);
	if (what & REFEREE_LIDS)
		referee_lids(&j);
	if (what & REFEREE_WAYS)
		referee_paths(&j, what);
	free(j.scope);
	free(j.order);
	free(j.lid);
	return out->not_active || out->bad_lids || out->holes || out->loops ||
			       out->blocked || out->cyclic
		       ? -1
		       : 0;
}
