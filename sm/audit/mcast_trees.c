#include "sm/audit/mcast_trees.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/core/slvl.h"
#include "routing/verify/dep_cycle.h"
#include "sm/base/buf.h"
#include "sm/base/mem.h"
#include "sm/base/union_find.h"

enum { SENDERS = 256, SHOWN = 6 };

/* A switch in a group's tree. */
struct knot {
	sw_ix sw;
	uint64_t row[MCAST_WORDS];
	bool members; /* has host ports, or its own port 0, in its entry */
};

struct tree {
	const struct audit_mcast_job *job;
	const struct topo *t;
	struct audit_mcast_facts *out;
	uint16_t mlid;
	uint16_t sls;
	bool told;	 /* the SLs were reported */
	bool has_unread; /* a port leads to a switch that was not read */
	bool *unread;	 /* [nsw] the multicast tables were not */
	struct knot *knot;
	uint32_t n;
	uint32_t *ix;	   /* [nsw] index in knot, or TOPO_NONE */
	uint32_t *piece;   /* [n] */
	uint32_t *queue;   /* [n] */
	uint32_t *arrived; /* [n] */
	uint8_t *by;	   /* [n] port at which a packet arrived */
};

static void note_fault(struct audit_mcast_fault *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void
note_fault(struct audit_mcast_fault *f, const char *fmt, ...)
{
	va_list ap;

	if (f->n++ > 0)
		return;
	va_start(ap, fmt);
	(void)vsnprintf(f->first, sizeof(f->first), fmt, ap);
	va_end(ap);
}

static struct topo_name
name_of(const struct tree *g, uint32_t k)
{
	return topo_name(g->t, g->t->sw[g->knot[k].sw].node);
}

static unsigned
port_count(const struct tree *g, uint32_t k)
{
	return g->t->node[g->t->sw[g->knot[k].sw].node].nports;
}

static const struct topo_port *
port_of(const struct tree *g, uint32_t k, unsigned num)
{
	const struct topo *t = g->t;

	return &t->port[topo_port_of(t, t->sw[g->knot[k].sw].node, num)];
}

/* The other end of a link. */
struct end {
	uint32_t knot; /* TOPO_NONE: a switch that is not in the tree */
	unsigned port;
};

/* True if the link at a port leads to a switch: its other end in *far. */
static bool
leads_to_switch(const struct tree *g, uint32_t k, unsigned num, struct end *far)
{
	port_ix peer = topo_port_behind(g->t, g->knot[k].sw, num);
	sw_ix s = topo_port_switch(g->t, peer);

	if (s == TOPO_NONE)
		return false;
	*far = (struct end){g->ix[s], g->t->port[peer].num};
	return true;
}

static bool
has_port(const struct tree *g, uint32_t k, unsigned port)
{
	return mcast_bit(g->knot[k].row, port);
}

/* ---- entries ---- */

static void
check_entry(struct tree *g, uint32_t k)
{
	struct knot *x = &g->knot[k];
	const struct topo *t = g->t;
	struct end far;
	node_ix n;

	x->members = has_port(g, k, 0);
	for (unsigned p = 1; p < 256; p++) {
		if (!has_port(g, k, p))
			continue;
		if (p > port_count(g, k) ||
			port_of(g, k, p)->peer == TOPO_NONE ||
			port_of(g, k, p)->state != PORT_ACTIVE) {
			note_fault(&g->out->dead,
				"MLID 0x%04x: %s sends to port %u, which is %s",
				g->mlid, name_of(g, k).s, p,
				p > port_count(g, k) ? "none of its ports"
						     : "no link that is up");
			continue;
		}
		if (leads_to_switch(g, k, p, &far)) {
			n = t->port[port_of(g, k, p)->peer].node;
			g->has_unread |=
				(t->node[n].flags & TN_QUARANTINED) != 0 ||
				g->unread[t->node[n].sw];
			continue;
		}
		x->members = true;
		g->out->ports++;
	}
}

/*
 * Join switches that are linked within the tree; true if a link closes a ring.
 */
static bool
has_ring(struct tree *g)
{
	bool ring = false;

	for (uint32_t k = 0; k < g->n; k++)
		g->piece[k] = k;
	for (uint32_t k = 0; k < g->n; k++)
		for (unsigned p = 1; p <= port_count(g, k); p++) {
			struct end far;
			uint32_t a, b;

			if (!has_port(g, k, p) ||
				!leads_to_switch(g, k, p, &far) ||
				far.knot == TOPO_NONE)
				continue;
			if (has_port(g, far.knot, far.port) &&
				(far.knot < k ||
					(far.knot == k && far.port <= p)))
				continue; /* seen from the other end */
			a = union_find_of(g->piece, k);
			b = union_find_of(g->piece, far.knot);
			ring |= a == b;
			g->piece[a] = b;
		}
	return ring;
}

/* ---- where packets go ---- */

/*
 * Follow all copies of a packet that a host at switch `from` sends. arrived
 * counts the copies that each switch gets; only the first is followed further.
 * True if no switch gets two.
 */
static bool
flood_packet(struct tree *g, uint32_t from)
{
	uint32_t head = 0, tail = 0;
	bool once = true;

	memset(g->arrived, 0, g->n * sizeof(*g->arrived));
	g->arrived[from] = 1;
	g->by[from] = 0;
	g->queue[tail++] = from;
	while (head < tail) {
		uint32_t k = g->queue[head++];

		for (unsigned p = 1; p <= port_count(g, k); p++) {
			struct end far;

			if (p == g->by[k] || !has_port(g, k, p) ||
				!leads_to_switch(g, k, p, &far) ||
				far.knot == TOPO_NONE)
				continue;
			if (g->arrived[far.knot]++ > 0) {
				once = false;
				continue;
			}
			g->by[far.knot] = (uint8_t)far.port;
			g->queue[tail++] = far.knot;
		}
	}
	return once;
}

/* The number of switches with members that the packet does not reach. */
static uint32_t
count_unreached(const struct tree *g, uint32_t *first)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < g->n; k++)
		if (g->knot[k].members && g->arrived[k] == 0 && n++ == 0)
			*first = k;
	return n;
}

/* Check that each member reaches all others; true if no packet arrives twice.
 * With many senders a sample of them is followed. */
static bool
check_delivery(struct tree *g)
{
	uint32_t senders = 0, step, seen = 0, lost = 0, n;
	bool once = true, all = true;

	for (uint32_t k = 0; k < g->n; k++)
		senders += g->knot[k].members;
	step = senders / SENDERS + 1;
	for (uint32_t k = 0; k < g->n; k++) {
		if (!g->knot[k].members || seen++ % step != 0)
			continue;
		once &= flood_packet(g, k);
		n = all && !g->has_unread ? count_unreached(g, &lost) : 0;
		if (n == 0)
			continue;
		all = false;
		note_fault(&g->out->disconnected,
			"MLID 0x%04x: packets sent at %s do not reach %s%s",
			g->mlid, name_of(g, k).s, name_of(g, lost).s,
			n > 1 ? " and others" : "");
	}
	return once;
}

/* ---- loops ---- */

/* A channel is a link of the tree, from a port of a switch: packed. True if
 * there is one, its other end in *far. */
static bool
is_channel(const struct tree *g, uint32_t k, unsigned p, struct end *far)
{
	return has_port(g, k, p) && leads_to_switch(g, k, p, far) &&
	       far->knot != TOPO_NONE;
}

static uint32_t
next_channel(const void *of, uint32_t c, unsigned *at)
{
	const struct tree *g = of;
	struct end far = {0, 0}, next;

	(void)leads_to_switch(g, c >> 8, c & 255, &far);
	while (++*at <= port_count(g, far.knot))
		if (*at != far.port && is_channel(g, far.knot, *at, &next))
			return far.knot << 8 | *at;
	return TOPO_NONE;
}

static uint32_t
prev_channel(const void *of, uint32_t c, unsigned *at)
{
	const struct tree *g = of;
	struct end from, k;

	while (++*at <= port_count(g, c >> 8))
		if (*at != (c & 255) &&
			leads_to_switch(g, c >> 8, *at, &from) &&
			from.knot != TOPO_NONE &&
			is_channel(g, from.knot, from.port, &k))
			return from.knot << 8 | from.port;
	return TOPO_NONE;
}

static void
note_cycle(struct tree *g, const uint32_t *path, uint32_t n)
{
	struct buf b = {0};

	for (uint32_t i = 0; i < n && i < SHOWN; i++)
		buf_printf(&b, "%s port %u -> ", name_of(g, path[i] >> 8).s,
			path[i] & 255U);
	if (n > SHOWN)
		buf_printf(&b, "... %u more -> ", n - SHOWN);
	buf_printf(&b, "%s", name_of(g, path[0] >> 8).s);
	note_fault(&g->out->loops, "MLID 0x%04x: %s", g->mlid, b.text);
	buf_free(&b);
}

static bool
has_loop(struct tree *g)
{
	const struct dep_channels d = {
		g, g->n << 8, next_channel, prev_channel};
	bool *left = mem_zalloc(d.n, sizeof(*left)), found;
	struct end far;

	for (uint32_t k = 0; k < g->n; k++)
		for (unsigned p = 1; p <= port_count(g, k); p++)
			left[k << 8 | p] = is_channel(g, k, p, &far);
	found = dep_cycle_trim(&d, false, left) > 0;
	if (found) {
		uint32_t *path = mem_alloc(d.n * sizeof(*path));

		(void)dep_cycle_trim(&d, true, left);
		note_cycle(g, path, dep_cycle_shortest(&d, left, path));
		free(path);
	}
	free(left);
	return found;
}

/* ---- dependencies ---- */

static uint8_t
vl_of(const struct tree *g, uint32_t k, unsigned in, unsigned out, unsigned sl,
	bool *sure)
{
	const struct audit_vl_row dep = {
		g->knot[k].sw, (uint8_t)in, (uint8_t)out};

	return g->job->vls == NULL
		       ? 0
		       : audit_vl_read_vl(g->job->vls, &dep, sl, sure);
}

/* True if packets of the group may arrive at this port. Port 0: the switch
 * itself sends them if it is a member. */
static bool
comes_in(const struct tree *g, uint32_t k, unsigned in)
{
	struct end far;

	if (in == 0)
		return has_port(g, k, 0);
	if (port_of(g, k, in)->peer == TOPO_NONE)
		return false;
	return !leads_to_switch(g, k, in, &far) ||
	       (far.knot != TOPO_NONE && has_port(g, far.knot, far.port));
}

/* The VLs (a bit each) on which an SL leaves k by a port. */
static uint16_t
vls_out(const struct tree *g, uint32_t k, unsigned out, unsigned sl, bool *sure)
{
	uint16_t all = 0;

	for (unsigned in = 0; in <= port_count(g, k); in++)
		if (in != out && comes_in(g, k, in))
			all |= (uint16_t)(1U << vl_of(g, k, in, out, sl, sure));
	return all & (uint16_t) ~(1U << AUDIT_VL_READ_DISCARD);
}

/* Packets of a group: where they arrive, on which VLs (a bit each). */
struct arrival {
	uint32_t knot;
	unsigned in, sl;
	uint16_t vls;
	bool sure;
};

/* Add the dependencies of arriving packets to one port. */
static void
add_dependencies_to(const struct tree *g, const struct arrival *a, unsigned out,
	struct audit_deps *d)
{
	bool sure = a->sure;
	uint8_t vl = vl_of(g, a->knot, a->in, out, a->sl, &sure);

	for (unsigned v = 0; v < AUDIT_VL_READ_DISCARD; v++)
		if (a->vls >> v & 1 && vl != AUDIT_VL_READ_DISCARD)
			audit_dependencies_add(d,
				&(struct audit_dependency){g->knot[a->knot].sw,
					(uint8_t)a->in, (uint8_t)v,
					(uint8_t)out, vl},
				&(struct audit_dependencies_cause){
					g->mlid, (uint8_t)a->sl, sure, false});
}

/* Add the dependencies of one SL from an in-port to all other links of the
 * entry. */
static void
add_dependencies_from(struct tree *g, uint32_t k, unsigned in, unsigned sl,
	struct audit_deps *d)
{
	struct arrival a = {.knot = k, .in = in, .sl = sl, .sure = g->told};
	struct end from = {0, 0}, far;

	(void)leads_to_switch(g, k, in, &from);
	a.vls = vls_out(g, from.knot, from.port, sl, &a.sure);
	for (unsigned out = 1; out <= port_count(g, k); out++)
		if (out != in && has_port(g, k, out) &&
			leads_to_switch(g, k, out, &far))
			add_dependencies_to(g, &a, out, d);
}

static void
add_dependencies(struct tree *g, struct audit_deps *d)
{
	for (uint32_t k = 0; k < g->n; k++)
		for (unsigned in = 1; in <= port_count(g, k); in++) {
			struct end far;

			if (!comes_in(g, k, in) ||
				!leads_to_switch(g, k, in, &far))
				continue;
			for (unsigned sl = 0; sl < SLVL_SLS; sl++)
				if (g->sls >> sl & 1)
					add_dependencies_from(g, k, in, sl, d);
		}
}

/* ---- group by group ---- */

/* Collect the switches with an entry for the group; false if there is none. */
static bool
gather_entries(struct tree *g)
{
	const struct topo *t = g->t;

	g->n = 0;
	g->has_unread = false;
	for (sw_ix s = 0; s < t->nsw; s++) {
		g->ix[s] = TOPO_NONE;
		if (!mft_row(g->job->mft, t->node[t->sw[s].node].guid,
			    g->mlid - (unsigned)MFT_MLID, g->knot[g->n].row))
			continue;
		g->knot[g->n].sw = s;
		g->ix[s] = g->n++;
	}
	for (uint32_t k = 0; k < g->n; k++)
		check_entry(g, k);
	return g->n > 0;
}

/* Take the SLs of the groups that have this MLID; true if there is one. Groups
 * are sorted by MLID; *at moves on. */
static bool
take_owner_sls(struct tree *g, size_t *at)
{
	const struct audit_sa_client_facts *sa = g->job->sa;
	bool any = false;

	g->sls = 0;
	for (; *at < sa->ngroups && sa->group[*at].mlid <= g->mlid; ++*at) {
		if (sa->group[*at].mlid < g->mlid)
			continue;
		any = true;
		g->sls |= (uint16_t)(1U << sa->group[*at].sl);
	}
	g->told = any || g->job->vls == NULL;
	if (!any)
		g->sls = UINT16_MAX;
	if (g->job->vls == NULL)
		g->sls = 1;
	return any;
}

static void
judge_tree(struct tree *g, struct audit_deps *d)
{
	bool ring = has_ring(g);

	g->out->trees++;
	if (ring && has_loop(g))
		return; /* the other checks mean nothing in a loop, and its
			   dependencies are a cycle of their own */
	if (!check_delivery(g) && ring)
		note_fault(&g->out->copies,
			"MLID 0x%04x: a packet arrives more than once",
			g->mlid);
	add_dependencies(g, d);
}

static void
tree_new(struct tree *g, const struct audit_mcast_job *job,
	struct audit_mcast_facts *out)
{
	uint32_t n = job->t->nsw;
	const struct mft_failure *failed;
	size_t nfailed;

	*g = (struct tree){.job = job, .t = job->t, .out = out};
	g->knot = mem_zalloc(n + 1U, sizeof(*g->knot));
	g->ix = mem_zalloc(n + 1U, sizeof(*g->ix));
	g->piece = mem_zalloc(n + 1U, sizeof(*g->piece));
	g->queue = mem_zalloc(n + 1U, sizeof(*g->queue));
	g->arrived = mem_zalloc(n + 1U, sizeof(*g->arrived));
	g->by = mem_zalloc(n + 1U, 1);
	g->unread = mem_zalloc(n + 1U, sizeof(*g->unread));
	failed = mft_failures(job->mft, &nfailed);
	for (size_t i = 0; i < nfailed; i++)
		for (sw_ix s = 0; s < n; s++)
			g->unread[s] |= g->t->node[g->t->sw[s].node].guid ==
					failed[i].guid;
}

void
audit_mcast_judge(const struct audit_mcast_job *job, struct audit_deps *d,
	struct audit_mcast_facts *out)
{
	unsigned most = mft_blocks(job->mft) * MFT_BLOCK;
	struct tree g;
	size_t at = 0;

	*out = (struct audit_mcast_facts){0};
	tree_new(&g, job, out);
	for (unsigned group = 0; group < most && group < MFT_GROUPS; group++) {
		bool owned;

		g.mlid = (uint16_t)(MFT_MLID + group);
		owned = take_owner_sls(&g, &at);
		if (gather_entries(&g)) {
			judge_tree(&g, d);
			if (!owned && job->sa->groups_known)
				note_fault(&out->unowned,
					"MLID 0x%04x has entries in %u "
					"switches but belongs to no group",
					g.mlid, g.n);
		} else if (owned) {
			note_fault(&out->none,
				"MLID 0x%04x belongs to a group, but no switch "
				"has an entry for it",
				g.mlid);
		}
	}
	free(g.knot);
	free(g.ix);
	free(g.piece);
	free(g.queue);
	free(g.arrived);
	free(g.by);
	free(g.unread);
}
