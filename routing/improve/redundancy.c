#include "routing/improve/redundancy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/improve/shared_switch.h"
#include "sm/base/mem.h"

enum {
	STEPS = 64,
	PATHS = 4, /* paths that are kept; of a node with more ports each step
		     is looked up anew */
};

/* What follows a switch on the path to a port, where it is no switch. */
enum { ARRIVES = UINT32_MAX, NOWHERE = UINT32_MAX - 1 };

struct step {
	sw_ix sw;
	uint8_t out;
};

/* The paths to a port, as far as they were looked up. */
struct path {
	port_ix port;
	uint32_t *next; /* [nsw] what follows; valid where read is nth */
	uint32_t *read; /* [nsw] */
	uint32_t nth;	/* of the ports looked up in this struct */
};

struct find {
	const struct verify_tables *in;
	struct multi_port_node_ports ports;
	struct path path[PATHS];
	struct shared_switch shared;
	uint32_t *of_sw, *of_port; /* leaves that each would cut off */
	struct step *seen;	   /* those that are not 0 */
	size_t nseen, cap;
};

/* The out-port of switch s for the LID of a port. */
static uint8_t
entry_for(const struct verify_tables *in, sw_ix s, port_ix p)
{
	return lft_row_entry(
		in->pool, in->row[s], in->nblocks, in->topo->port[p].lid);
}

/* The path from s to port p; returns its steps, or 0 if there is none. */
static unsigned
walk_path(const struct verify_tables *in, sw_ix s, port_ix p, struct step *step)
{
	const struct topo *t = in->topo;

	for (unsigned n = 0; n < STEPS && s != TOPO_NONE;) {
		uint8_t out = entry_for(in, s, p);
		port_ix peer = topo_port_behind(t, s, out);

		step[n++] = (struct step){s, out};
		if (peer == p)
			return n;
		s = topo_port_switch(t, peer);
	}
	return 0;
}

/* What follows s on the path. */
static uint32_t
next_of(const struct find *f, struct path *w, sw_ix s)
{
	const struct topo *t = f->in->topo;
	port_ix peer;
	sw_ix next;

	if (w->read[s] == w->nth)
		return w->next[s];
	peer = topo_port_behind(t, s, entry_for(f->in, s, w->port));
	next = topo_port_switch(t, peer);
	w->read[s] = w->nth;
	w->next[s] = peer == w->port	 ? ARRIVES
		     : next == TOPO_NONE ? NOWHERE
					 : next;
	return w->next[s];
}

/*
 * True if some switch behind leaf s is on the paths from there to all ports.
 * Mostly there is none, and then it need not be found which.
 */
static bool
has_shared_switch(struct find *f, sw_ix s, uint32_t npaths)
{
	shared_switch_begin(&f->shared);
	for (uint32_t k = 0; k < npaths && f->shared.any; k++) {
		uint32_t x = next_of(f, &f->path[k], s);

		shared_switch_next_path(&f->shared);
		for (unsigned n = 1; x != ARRIVES; n++) {
			if (x == NOWHERE || n == STEPS)
				return false;
			shared_switch_pass(&f->shared, x);
			x = next_of(f, &f->path[k], x);
		}
	}
	return f->shared.any;
}

/* Keep in `both`, in which out 0 is the switch alone, the steps that the other
 * path takes, too. */
static unsigned
keep_common_steps(
	struct step *both, unsigned n, const struct step *other, unsigned m)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < m; k++) {
			if (both[i].sw != other[k].sw ||
				(both[i].out != 0 &&
					both[i].out != other[k].out))
				continue;
			both[kept++] = both[i];
			break;
		}
	return kept;
}

static void
count_steps(struct find *f, const struct step *both, unsigned n)
{
	const struct topo *t = f->in->topo;

	for (unsigned i = 0; i < n; i++) {
		uint32_t *c =
			both[i].out == 0
				? &f->of_sw[both[i].sw]
				: &f->of_port[topo_port_of(t,
					  t->sw[both[i].sw].node, both[i].out)];

		if ((*c)++ > 0)
			continue;
		f->seen =
			mem_grow(f->seen, f->nseen, &f->cap, sizeof(*f->seen));
		f->seen[f->nseen++] = both[i];
	}
}

/*
 * Count what the paths from leaf s to all ports have in common: switches behind
 * s, and links. With a port that is not reached nothing is shared. True if
 * there is any.
 */
static bool
count_common_steps(struct find *f, sw_ix s,
	const struct multi_port_node_member *m, uint32_t nports)
{
	struct step both[2 * STEPS], other[STEPS];
	unsigned n = 0;

	for (uint32_t k = 0; k < nports; k++) {
		unsigned len = walk_path(f->in, s, m[k].port, other);

		if (k > 0) {
			n = keep_common_steps(both, n, other, len);
			continue;
		}
		for (unsigned i = 0; i < len; i++) {
			if (i > 0)
				both[n++] = (struct step){other[i].sw, 0};
			if (i + 1 < len)
				both[n++] = other[i];
		}
	}
	count_steps(f, both, n);
	return n > 0;
}

/* Note the worst point that was counted in x; clear the counts. */
static void
take_worst(struct find *f, struct redundancy_node *x)
{
	const struct topo *t = f->in->topo;

	x->sw = TOPO_NONE;
	for (size_t i = 0; i < f->nseen; i++) {
		const struct step *p = &f->seen[i];
		uint32_t *c = p->out == 0 ? &f->of_sw[p->sw]
					  : &f->of_port[topo_port_of(t,
						    t->sw[p->sw].node, p->out)];

		/* A switch says more than the link that leads to it. */
		if (*c > x->worst ||
			(*c == x->worst && p->out == 0 && x->out != 0)) {
			x->worst = *c;
			x->sw = p->sw;
			x->out = p->out;
		}
		*c = 0;
	}
	f->nseen = 0;
}

/* True if a link is lost when the point x fails. */
static bool
is_removed_link(
	const struct redundancy_node *x, sw_ix s, const struct topo_adj *a)
{
	if (x->out == 0)
		return a->peer == x->sw || s == x->sw;
	return (s == x->sw && a->out == x->out) ||
	       (a->peer == x->sw && a->peer_port == x->out);
}

/*
 * True if without the point x some leaf gets to no port of the node, over any
 * links. Searched from the ports' switches outwards.
 */
static bool
is_only_path(const struct find *f, const struct multi_port_node_member *m,
	const struct redundancy_node *x)
{
	const struct topo *t = f->in->topo;
	sw_ix *queue = mem_alloc((t->nsw + 1U) * sizeof(*queue));
	bool *seen = mem_zalloc(t->nsw + 1U, sizeof(*seen));
	uint32_t head = 0, n = 0;
	bool lost = false;

	for (uint32_t k = 0; k < x->nports; k++) {
		sw_ix s = topo_switch_of(t, m[k].port);

		if (seen[s] || (s == x->sw && x->out == 0))
			continue;
		seen[s] = true;
		queue[n++] = s;
	}
	while (head < n) {
		sw_ix s = queue[head++];

		for (uint32_t i = 0; i < t->sw[s].nadj; i++) {
			const struct topo_adj *a = &t->adj[t->sw[s].adj + i];

			if (seen[a->peer] || !topo_sw_live(t, a->peer) ||
				is_removed_link(x, s, a))
				continue;
			seen[a->peer] = true;
			queue[n++] = a->peer;
		}
	}
	for (uint32_t i = 0; i < f->ports.nleaves; i++)
		lost |= !seen[f->ports.leaf[i]] &&
			(f->ports.leaf[i] != x->sw || x->out != 0);
	free(queue);
	free(seen);
	return lost;
}

/* True if all paths from leaf s have something in common. It is counted. */
static bool
count_from_leaf(struct find *f, sw_ix s, const struct multi_port_node_member *m,
	const struct redundancy_node *x)
{
	if (x->nports > PATHS)
		return count_common_steps(f, s, m, x->nports);
	if (!has_shared_switch(f, s, x->nports))
		return false;
	return x->one_switch || count_common_steps(f, s, m, x->nports);
}

static void
check_node(struct find *f, const struct multi_port_node_member *m,
	uint32_t nports, struct redundancy_node *x)
{
	const struct topo *t = f->in->topo;

	x->port = m->port;
	x->nports = nports;
	x->one_switch = true;
	for (uint32_t k = 1; k < nports; k++)
		x->one_switch &= topo_switch_of(t, m[k].port) ==
				 topo_switch_of(t, m->port);
	for (uint32_t k = 0; k < nports && k < PATHS; k++) {
		f->path[k].port = m[k].port;
		f->path[k].nth++;
	}
	for (uint32_t i = 0; i < f->ports.nleaves; i++) {
		x->leaves++;
		x->cut += count_from_leaf(f, f->ports.leaf[i], m, x);
	}
	take_worst(f, x);
	if (x->one_switch) { /* all of them go there */
		x->sw = x->cut > 0 ? topo_switch_of(t, m->port) : TOPO_NONE;
		x->out = 0;
		x->worst = x->cut;
	}
	x->only_path = x->cut > 0 && is_only_path(f, m, x);
}

static void
check_all_nodes(struct find *f, const atomic_bool *cancel,
	struct redundancy_report *out)
{
	size_t cap = 0;

	for (size_t i = 0, n; i < f->ports.n; i += n) {
		const struct multi_port_node_member *m = &f->ports.member[i];
		struct redundancy_node *x;

		n = multi_port_node_size(&f->ports, i);
		if (n < 2) {
			out->alone[out->nalone++] = m->key;
			continue;
		}
		if (cancel != NULL && atomic_load(cancel))
			return;
		out->node =
			mem_grow(out->node, out->n, &cap, sizeof(*out->node));
		x = &out->node[out->n++];
		*x = (struct redundancy_node){.key = m->key};
		check_node(f, m, (uint32_t)n, x);
		out->single += x->cut > 0;
	}
}

int
redundancy_find_unless(const struct verify_tables *in,
	const struct engine_options *options, const atomic_bool *cancel,
	struct redundancy_report *out)
{
	const struct topo *t = in->topo;
	struct find f = {.in = in};

	*out = (struct redundancy_report){0};
	f.ports = multi_port_node_ports(t, options);
	out->alone = mem_alloc((f.ports.n + 1) * sizeof(*out->alone));
	f.of_sw = mem_zalloc(t->nsw + 1U, sizeof(*f.of_sw));
	f.of_port = mem_zalloc(t->nports + 1U, sizeof(*f.of_port));
	f.shared.seen = mem_zalloc(t->nsw + 1U, sizeof(*f.shared.seen));
	for (unsigned k = 0; k < PATHS; k++) {
		f.path[k].next = mem_zalloc(t->nsw + 1U, sizeof(uint32_t));
		f.path[k].read = mem_zalloc(t->nsw + 1U, sizeof(uint32_t));
	}
	check_all_nodes(&f, cancel, out);
	for (unsigned k = 0; k < PATHS; k++) {
		free(f.path[k].next);
		free(f.path[k].read);
	}
	multi_port_node_ports_free(&f.ports);
	free(f.of_sw);
	free(f.of_port);
	free(f.shared.seen);
	free(f.seen);
	if (cancel == NULL || !atomic_load(cancel))
		return 0;
	redundancy_free(out);
	return -1;
}

void
redundancy_find(const struct verify_tables *in,
	const struct engine_options *options, struct redundancy_report *out)
{
	(void)redundancy_find_unless(in, options, NULL, out);
}

void
redundancy_free(struct redundancy_report *h)
{
	free(h->node);
	free(h->alone);
	*h = (struct redundancy_report){0};
}

static int
by_place(const void *pa, const void *pb)
{
	const struct redundancy_point *a = pa, *b = pb;

	if (a->sw != b->sw)
		return a->sw < b->sw ? -1 : 1;
	return a->out < b->out ? -1 : a->out > b->out;
}

static int
by_nodes(const void *pa, const void *pb)
{
	const struct redundancy_point *a = pa, *b = pb;

	if (a->nodes != b->nodes)
		return a->nodes > b->nodes ? -1 : 1;
	return by_place(a, b);
}

struct redundancy_point *
redundancy_points(const struct redundancy_report *h, size_t *n)
{
	struct redundancy_point *p = mem_zalloc(h->single + 1, sizeof(*p));
	size_t all = 0;

	*n = 0;
	for (size_t i = 0; i < h->n; i++)
		if (h->node[i].cut > 0)
			p[all++] = (struct redundancy_point){
				h->node[i].sw, h->node[i].out, 1};
	qsort(p, all, sizeof(*p), by_place);
	for (size_t i = 0; i < all; i++) {
		if (*n > 0 && by_place(&p[*n - 1], &p[i]) == 0)
			p[*n - 1].nodes++;
		else
			p[(*n)++] = p[i];
	}
	qsort(p, *n, sizeof(*p), by_nodes);
	return p;
}

static int
by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

bool
redundancy_is_single_port(const struct redundancy_report *h, uint64_t key)
{
	return bsearch(&key, h->alone, h->nalone, sizeof(key), by_value) !=
	       NULL;
}

void
redundancy_text(const struct topo *t, const struct redundancy_node *n,
	char *out, size_t room)
{
	const char *name = topo_desc(t, t->port[n->port].node);
	char port[16] = "", all[24] = "both";

	if (n->cut == 0) {
		(void)snprintf(out, room,
			"\"%s\": %u ports, no single point "
			"of failure",
			name, n->nports);
		return;
	}
	if (n->out != 0)
		(void)snprintf(port, sizeof(port), " port %u", n->out);
	if (n->nports != 2)
		(void)snprintf(all, sizeof(all), "all %u", n->nports);
	(void)snprintf(out, room,
		"\"%s\": \"%s\"%s cuts off %s ports from %u of %u leaves; %s",
		name, topo_desc(t, t->sw[n->sw].node), port, all, n->worst,
		n->leaves,
		n->one_switch  ? "they are all on one switch"
		: n->only_path ? "there is no other path"
			       : "other routes would avoid it");
}
