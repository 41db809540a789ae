/*
 * irregularity: what contradicts the tree, listed in the order of switch GUIDs,
 * and the text of it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "routing/graph/multi_port_node.h"
#include "routing/tiers/tree_priv.h"
#include "sm/base/hash.h"

enum { LISTED = 4096 };

struct listing {
	const struct tree_work *w;
	struct tree *t;
	size_t cap;
	const sw_ix *seq; /* live switches by GUID */
	uint32_t n;
	struct links *of; /* [nsw] */
	uint32_t *usual;  /* [ntiers] links up that most have */
};

/* The links of a switch, by direction. */
struct links {
	uint32_t up, down; /* to the tiers above, below */
	uint32_t weakest;  /* the group up with the fewest; UINT32_MAX: all are
			      equal */
	bool odd;	   /* some do not lead to the next tier */
};

static void
add_irregularity(struct listing *l, const struct irregularity_kind *o)
{
	struct tree *t = l->t;

	t->count[o->what]++;
	if (t->nodd == LISTED)
		return;
	if (t->nodd == l->cap) {
		struct irregularity_kind *more;

		l->cap = l->cap * 2 + 64;
		more = arena_array(l->w->g.a, l->cap, sizeof(*more));
		if (t->nodd > 0)
			memcpy(more, t->odd, t->nodd * sizeof(*more));
		t->odd = more;
	}
	t->odd[t->nodd++] = *o;
}

static bool
is_tree(const struct listing *l, sw_ix s)
{
	return !l->w->none[l->w->g.comp[s]];
}

/* ---- order ---- */

struct entry {
	uint64_t guid;
	sw_ix sw;
};

static int
by_guid(const void *pa, const void *pb)
{
	const struct entry *a = pa, *b = pb;

	if (a->guid != b->guid)
		return a->guid < b->guid ? -1 : 1;
	return a->sw < b->sw ? -1 : a->sw > b->sw;
}

/* The live switches by GUID. */
static void
sort_switches(struct listing *l, struct arena *a)
{
	const struct swgraph *g = &l->w->g;
	struct entry *e = arena_array(a, g->nsw, sizeof(*e));
	sw_ix *seq = arena_array(a, g->nsw, sizeof(*seq));

	for (sw_ix s = 0; s < g->nsw; s++)
		if (g->live[s])
			e[l->n++] = (struct entry){tree_guid(l->w, s), s};
	if (l->n > 0)
		qsort(e, l->n, sizeof(*e), by_guid);
	for (uint32_t i = 0; i < l->n; i++)
		seq[i] = e[i].sw;
	l->seq = seq;
}

/* True if s is drained: what is left of its links is no part of the tree. */
static bool
is_drained(const struct topo *t, sw_ix s)
{
	return (t->port[t->node[t->sw[s].node].first_port].flags &
		       TP_DRAINED) != 0;
}

/* ---- links ---- */

static bool
comes_first(const struct listing *l, sw_ix s, sw_ix peer)
{
	uint64_t mine = tree_guid(l->w, s), other = tree_guid(l->w, peer);

	return mine < other || (mine == other && s < peer);
}

/*
 * A link is listed by one of its ends: the one in the lower tier, else the one
 * with the smaller GUID.
 */
static void
list_link(struct listing *l, sw_ix s, const struct topo_adj *a)
{
	const struct tree *t = l->t;
	uint32_t mine = t->tier[s], other = t->tier[a->peer];
	struct irregularity_kind o = {.sw = s,
		.other = a->peer,
		.port = a->out,
		.other_port = a->peer_port,
		.n = 1};

	if (mine < other || mine == other + 1 || !l->w->g.live[a->peer] ||
		is_drained(l->w->g.t, a->peer) ||
		(mine == other && !comes_first(l, s, a->peer)))
		return;
	o.what = mine != other			  ? TREE_SKIP_LINK
		 : t->leaf[s] && t->leaf[a->peer] ? TREE_LEAVES_LINKED
						  : TREE_LEVEL_LINK;
	add_irregularity(l, &o);
}

/* Links that lead back to their own switch carry no traffic. */
static void
list_self_links(struct listing *l, sw_ix s)
{
	const struct topo *t = l->w->g.t;
	node_ix n = t->sw[s].node;

	for (unsigned i = 1; i <= t->node[n].nports; i++) {
		port_ix p = topo_port_of(t, n, i), q = t->port[p].peer;
		struct irregularity_kind o = {.what = TREE_SELF_LINK,
			.sw = s,
			.other = s,
			.port = (uint8_t)i,
			.n = 1};

		if (q == TOPO_NONE || q < p || t->port[q].node != n)
			continue;
		o.other_port = t->port[q].num;
		add_irregularity(l, &o);
	}
}

static void
list_links(struct listing *l)
{
	const struct topo *t = l->w->g.t;

	for (uint32_t k = 0; k < l->n; k++) {
		const struct topo_switch *sw = &t->sw[l->seq[k]];

		if (sw->nself > 0)
			list_self_links(l, l->seq[k]);
		if (!l->of[l->seq[k]].odd || !is_tree(l, l->seq[k]) ||
			is_drained(t, l->seq[k]))
			continue;
		for (uint32_t i = sw->adj; i < sw->adj + sw->nadj; i++)
			list_link(l, l->seq[k], &t->adj[i]);
	}
}

/* ---- switches ---- */

static struct links
count_links(const struct listing *l, sw_ix s)
{
	const struct swgraph *g = &l->w->g;
	const uint32_t *tiers = l->t->tier;
	uint32_t tier = tiers[s], least = UINT32_MAX, most = 0;
	struct links c = {.weakest = UINT32_MAX};

	for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++) {
		uint32_t other = tiers[g->group[i].peer], n = g->group[i].n;

		if (is_drained(g->t, g->group[i].peer))
			continue;
		c.odd |= other + 1 != tier && other != tier + 1;
		c.down += other > tier ? n : 0;
		if (other >= tier)
			continue;
		c.up += n;
		most = n > most ? n : most;
		if (n < least) {
			least = n;
			c.weakest = i;
		}
	}
	if (most <= least)
		c.weakest = UINT32_MAX;
	return c;
}

static void
count_all_links(struct listing *l, struct arena *a)
{
	const struct swgraph *g = &l->w->g;
	uint32_t *seen =
		arena_array(a, (size_t)l->t->ntiers * 256, sizeof(*seen));

	l->of = arena_array(a, g->nsw, sizeof(*l->of));
	l->usual = arena_array(a, l->t->ntiers, sizeof(*l->usual));
	for (sw_ix s = 0; s < g->nsw; s++) {
		l->of[s] = count_links(l, s);
		if (g->live[s] && is_tree(l, s) && !is_drained(g->t, s))
			seen[l->t->tier[s] * 256 + (l->of[s].up & 255)]++;
	}
	for (uint32_t i = 0; i < l->t->ntiers; i++)
		for (uint32_t k = 0; k < 256; k++)
			if (seen[i * 256 + k] >= seen[i * 256 + l->usual[i]])
				l->usual[i] = k;
}

/* The port of the first compute host of s. */
static uint8_t
host_port(const struct topo *t, sw_ix s)
{
	const struct topo_switch *sw = &t->sw[s];

	for (uint32_t i = sw->end; i < sw->end + sw->nend; i++)
		if (t->end[i].host)
			return t->end[i].out;
	return 0;
}

static void
list_hosts(struct listing *l, sw_ix s)
{
	const struct swgraph *g = &l->w->g;
	uint32_t hosts = g->hosts[g->comp[s]] > 0 ? g->weight[s] : 0;
	struct irregularity_kind o = {.sw = s, .other = TOPO_NONE, .n = hosts};

	if (l->t->leaf[s] != (hosts == 0))
		return;
	o.what = hosts == 0	? TREE_BARE_LEAF
		 : l->t->top[s] ? TREE_ROOT_HOSTS
				: TREE_SPINE_HOSTS;
	o.port = host_port(g->t, s);
	add_irregularity(l, &o);
}

/* The number of links from s to switches with hosts. */
static uint32_t
count_links_to_hosts(const struct listing *l, sw_ix s)
{
	const struct swgraph *g = &l->w->g;
	uint32_t n = 0;

	for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++)
		n += g->weight[g->group[i].peer] > 0 ? g->group[i].n : 0;
	return n;
}

/*
 * A role that the place of the switch contradicts: a spine with no switch above
 * it; a root with switches above it; a leaf without hosts that only joins
 * switches with hosts.
 */
static void
list_misplaced_role(struct listing *l, sw_ix s)
{
	struct irregularity_kind o = {.what = TREE_ROLE_PLACE,
		.sw = s,
		.other = TOPO_NONE,
		.of = l->w->role[s],
		.above = l->w->said[s]};
	uint32_t up = l->of[s].up;
	bool odd = false;

	if (o.of == ROUTE_ROLE_SPINE) {
		odd = up == 0;
	} else if (o.of == ROUTE_ROLE_ROOT) {
		o.n = up;
		odd = up > 0;
	} else if (o.of == ROUTE_ROLE_LEAF && l->w->g.weight[s] == 0) {
		o.n = count_links_to_hosts(l, s);
		odd = o.n > 1 && up == 0;
	}
	if (odd)
		add_irregularity(l, &o);
}

static void
list_switch(struct listing *l, sw_ix s)
{
	const struct swgraph *g = &l->w->g;
	struct irregularity_kind o = {.sw = s, .other = TOPO_NONE};
	const struct links *c = &l->of[s];

	o.n = c->up;
	o.of = l->usual[l->t->tier[s]];
	if (c->up == 0 && !l->t->top[s]) {
		o.what = TREE_NO_UPLINK;
		add_irregularity(l, &o);
	} else if (c->up > 0 && (c->weakest != UINT32_MAX || c->up != o.of)) {
		o.what = TREE_UNEQUAL;
		if (c->weakest != UINT32_MAX) {
			const struct topo_adj *a =
				&g->t->adj[g->group[c->weakest].adj];

			o.other = a->peer;
			o.port = a->out;
			o.other_port = a->peer_port;
		}
		add_irregularity(l, &o);
	}
	if (c->down == 0 && !l->t->leaf[s]) {
		o = (struct irregularity_kind){
			.what = TREE_NO_DOWNLINK, .sw = s, .other = TOPO_NONE};
		add_irregularity(l, &o);
	}
}

/* ---- configuration ---- */

static void
list_roles(struct listing *l)
{
	const struct engine_options *op = l->w->job->options;
	const struct topo *t = l->w->g.t;

	for (size_t i = 0; op != NULL && i < op->nroles; i++) {
		const struct route_role_of *r = &op->role[i];
		node_ix n = topo_by_node_guid(t, r->guid);
		sw_ix s = n == TOPO_NONE ? TOPO_NONE : t->node[n].sw;
		struct irregularity_kind o = {.what = TREE_ROLE_UNKNOWN,
			.sw = s,
			.other = TOPO_NONE,
			.guid = r->guid,
			.entry = r->entry};

		if (s == TOPO_NONE && !r->told)
			add_irregularity(l, &o);
		if (s != TOPO_NONE && r->torn != NULL) {
			o.what = TREE_ROLE_AMBIGUOUS;
			o.entry = r->torn;
			add_irregularity(l, &o);
			o.entry = NULL;
		}
		if (s == TOPO_NONE || !r->told || i == 0 ||
			r[-1].guid != r->guid || r[-1].role == r->role ||
			r->role == ROUTE_ROLE_NONE)
			continue;
		o.what = TREE_ROLE_CONFLICT;
		o.n = r->role;
		o.of = r[-1].role;
		add_irregularity(l, &o);
	}
}

/*
 * The number of host ports that belong to one node with p, itself included; 0
 * if p is not one of them.
 */
static size_t
count_node_ports(const struct listing *l,
	const struct multi_port_node_ports *ports, port_ix p)
{
	size_t i, n;

	if (p == TOPO_NONE)
		return 0;
	i = multi_port_node_find(
		ports, multi_port_node_key(l->w->g.t, l->w->job->options, p));
	n = i < ports->n ? multi_port_node_size(ports, i) : 0;
	for (size_t k = i; k < i + n; k++)
		if (ports->member[k].port == p)
			return n;
	return 0;
}

/*
 * List ports configured as passive or as of a group that are not present, or
 * have no other port to stand in for.
 */
static void
list_node_ports(struct listing *l)
{
	const struct engine_options *op = l->w->job->options;
	const struct topo *t = l->w->g.t;
	struct multi_port_node_ports ports;

	if (op == NULL || op->nmulti_port == 0)
		return;
	ports = multi_port_node_ports(t, op);
	for (size_t i = 0; i < op->nmulti_port; i++) {
		const struct route_multi_port *h = &op->multi_port[i];
		port_ix p = topo_by_port_guid(t, h->guid);
		size_t n = count_node_ports(l, &ports, p);
		struct irregularity_kind o = {
			.what = n == 0 ? TREE_MULTI_PORT_UNKNOWN
				       : TREE_MULTI_PORT_ALONE,
			.sw = n == 0 ? TOPO_NONE : topo_switch_of(t, p),
			.other = TOPO_NONE,
			.of = h->group,
			.guid = h->guid};

		if (n < 2)
			add_irregularity(l, &o);
	}
	multi_port_node_ports_free(&ports);
}

/*
 * List the component that o is about if it keeps its class although inference
 * sees the other one.
 */
static void
list_kept_class(struct listing *l, struct irregularity_kind o)
{
	uint32_t c = l->w->g.comp[o.sw];
	const struct tree_kept *stays = &l->w->stays[c];

	if (!stays->is)
		return;
	o.what = l->w->none[c] ? TREE_STAYS_MESH : TREE_STAYS_TREE;
	o.of = stays->level;
	o.above = stays->misplaced;
	add_irregularity(l, &o);
}

/*
 * List by their first switch the components beside the largest one, those that
 * are meshes, and those that keep their class against inference.
 */
static void
list_pieces(struct listing *l, struct arena *a)
{
	const struct swgraph *g = &l->w->g;
	uint32_t *size = arena_array(a, g->ncomp, sizeof(*size));
	uint32_t *roles = arena_array(a, g->ncomp, sizeof(*roles));
	bool *seen = arena_array(a, g->ncomp, sizeof(*seen));
	uint32_t main = UINT32_MAX;

	for (uint32_t k = 0; k < l->n; k++) {
		sw_ix s = l->seq[k];

		size[g->comp[s]]++;
		roles[g->comp[s]] += l->w->role[s] != ROUTE_ROLE_NONE;
	}
	for (uint32_t k = 0; k < l->n; k++) {
		uint32_t c = g->comp[l->seq[k]];

		if (main == UINT32_MAX || size[c] > size[main])
			main = c;
	}
	for (uint32_t k = 0; k < l->n; k++) {
		sw_ix s = l->seq[k];
		struct irregularity_kind o = {.what = TREE_PIECES,
			.sw = s,
			.other = TOPO_NONE,
			.n = size[g->comp[s]],
			.of = roles[g->comp[s]]};

		if (seen[g->comp[s]])
			continue;
		seen[g->comp[s]] = true;
		if (g->comp[s] != main)
			add_irregularity(l, &o);
		o.what = TREE_NO_TREE;
		if (!is_tree(l, s))
			add_irregularity(l, &o);
		list_kept_class(l, o);
	}
}

/* ---- regular ---- */

/*
 * A hash of the switches below each switch, and of the numbers of links to
 * them.
 */
static uint64_t *
hash_below(const struct listing *l)
{
	const struct swgraph *g = &l->w->g;
	uint64_t *hash = arena_array(g->a, g->nsw, sizeof(*hash));

	for (sw_ix s = 0; s < g->nsw; s++)
		for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++)
			if (l->t->tier[g->group[i].peer] > l->t->tier[s])
				hash[s] = hash_mix(hash[s],
					(uint64_t)g->group[i].peer << 8 |
						g->group[i].n);
	return hash;
}

/* True if all switches above s have the same links down: none is missing. */
static bool
is_complete(const struct listing *l, const uint64_t *hash, sw_ix s)
{
	const struct swgraph *g = &l->w->g;
	sw_ix first = TOPO_NONE;

	for (uint32_t i = g->first[s]; i < g->first[s + 1]; i++) {
		sw_ix peer = g->group[i].peer;

		if (l->t->tier[peer] >= l->t->tier[s])
			continue;
		if (first == TOPO_NONE)
			first = peer;
		if (hash[first] != hash[peer])
			return false;
	}
	return true;
}

static bool
is_regular(const struct listing *l)
{
	static const enum irregularity bad[] = {TREE_LEVEL_LINK, TREE_SKIP_LINK,
		TREE_LEAVES_LINKED, TREE_NO_UPLINK, TREE_NO_DOWNLINK,
		TREE_UNEQUAL, TREE_PIECES, TREE_NO_TREE};
	const uint64_t *hash;
	uint32_t *down = arena_array(l->w->g.a, l->t->ntiers, sizeof(*down));

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (l->t->count[bad[i]] > 0)
			return false;
	hash = hash_below(l);
	for (uint32_t k = 0; k < l->n; k++) {
		sw_ix s = l->seq[k];
		uint32_t *d = &down[l->t->tier[s]];

		if (!is_complete(l, hash, s) ||
			(*d != 0 && *d != l->of[s].down))
			return false;
		*d = l->of[s].down;
	}
	return true;
}

/* ---- all together ---- */

void
irregularity_list(const struct tree_work *w, struct arena *a)
{
	struct listing l = {.w = w, .t = w->out};

	sort_switches(&l, a);
	count_all_links(&l, a);
	list_pieces(&l, a);
	list_roles(&l);
	list_node_ports(&l);
	for (uint32_t k = 0; k < l.n; k++)
		if (is_tree(&l, l.seq[k]) && !is_drained(l.w->g.t, l.seq[k])) {
			list_hosts(&l, l.seq[k]);
			list_switch(&l, l.seq[k]);
			list_misplaced_role(&l, l.seq[k]);
		}
	list_links(&l);
	l.t->regular = is_regular(&l);
}

/* ---- as text ---- */

const char *
irregularity_name(enum irregularity what)
{
	static const char *const name[] = {
		[TREE_LEVEL_LINK] = "level-link",
		[TREE_SKIP_LINK] = "skip-link",
		[TREE_LEAVES_LINKED] = "leaves-linked",
		[TREE_SELF_LINK] = "self-link",
		[TREE_ROOT_HOSTS] = "root-hosts",
		[TREE_SPINE_HOSTS] = "spine-hosts",
		[TREE_BARE_LEAF] = "bare-leaf",
		[TREE_NO_UPLINK] = "no-uplink",
		[TREE_NO_DOWNLINK] = "no-downlink",
		[TREE_UNEQUAL] = "unequal",
		[TREE_ROLE_CONFLICT] = "role-conflict",
		[TREE_ROLE_UNKNOWN] = "role-unknown",
		[TREE_ROLE_AMBIGUOUS] = "role-ambiguous",
		[TREE_ROLE_PLACE] = "role-place",
		[TREE_MULTI_PORT_UNKNOWN] = "multi-port-unknown",
		[TREE_MULTI_PORT_ALONE] = "multi-port-alone",
		[TREE_PIECES] = "pieces",
		[TREE_NO_TREE] = "no-tree",
		[TREE_STAYS_TREE] = "stays-tree",
		[TREE_STAYS_MESH] = "stays-mesh",
		[TREE_ODDITIES] = "none",
	};

	return name[what];
}

static const char *
name_of(const struct topo *t, sw_ix s, char buf[32])
{
	node_ix n = s == TOPO_NONE ? TOPO_NONE : t->sw[s].node;

	if (n == TOPO_NONE)
		return "?";
	if (*topo_desc(t, n) != '\0')
		return topo_desc(t, n);
	(void)snprintf(buf, 32, "0x%016" PRIx64, t->node[n].guid);
	return buf;
}

static const char *
role_name(uint32_t role)
{
	return role == ROUTE_ROLE_LEAF	  ? "leaf"
	       : role == ROUTE_ROLE_SPINE ? "spine"
	       : role == ROUTE_ROLE_ROOT  ? "root"
					  : "nothing";
}

/* The text about a configured role of a switch. */
static void
role_text(const char *a, const struct irregularity_kind *o, char *out, size_t n)
{
	if (o->what == TREE_ROLE_CONFLICT)
		(void)snprintf(out, n,
			"%s: configured as %s, but the switch reports that it "
			"is %s",
			a, role_name(o->of), role_name(o->n));
	else if (o->what == TREE_ROLE_AMBIGUOUS)
		(void)snprintf(out, n,
			"%s: the pattern \"%s\" gives it another role than a "
			"pattern of the same length",
			a, o->entry);
	else if (o->entry != NULL)
		(void)snprintf(out, n,
			"\"%s\": has a configured role, but no switch has this "
			"name",
			o->entry);
	else
		(void)snprintf(out, n,
			"0x%016" PRIx64
			": has a configured role, but no switch has this GUID",
			o->guid);
}

/* The text about a role that the place contradicts. */
static void
place_text(
	const char *a, const struct irregularity_kind *o, char *out, size_t n)
{
	const char *says = o->above == TREE_TOLD ? "reports that it is"
						 : "is configured as";

	if (o->of == ROUTE_ROLE_SPINE)
		(void)snprintf(out, n,
			"%s: %s spine, but no switch is above it: it should be "
			"root",
			a, says);
	else if (o->of == ROUTE_ROLE_ROOT)
		(void)snprintf(out, n,
			"%s: %s root, but %u link%s lead%s to switches above "
			"it",
			a, says, o->n, o->n == 1 ? "" : "s",
			o->n == 1 ? "s" : "");
	else
		(void)snprintf(out, n,
			"%s: %s leaf, but has no hosts and %u links to "
			"switches with hosts",
			a, says, o->n);
}

/* The text about ports that are configured to stand in for each other. */
static void
node_port_text(const struct topo *t, const struct irregularity_kind *o,
	char *out, size_t n)
{
	port_ix p = topo_by_port_guid(t, o->guid);
	const char *name = p == TOPO_NONE ? "" : topo_desc(t, t->port[p].node);
	char said[24] = "passive";

	if (o->of != ROUTE_MULTI_PORT_NODE)
		(void)snprintf(said, sizeof(said), "in group %u", o->of);
	(void)snprintf(out, n, "0x%016" PRIx64 "%s%s%s: configured to be %s%s",
		o->guid, *name != '\0' ? " (" : "", name,
		*name != '\0' ? ")" : "", said,
		o->what == TREE_MULTI_PORT_UNKNOWN
			? ", but no host port has this GUID"
			: ", but no other port of its node or group is here");
}

/* The text about what the configuration says. */
static void
config_text(const struct topo *t, const struct irregularity_kind *o, char *out,
	size_t n)
{
	if (o->what == TREE_MULTI_PORT_UNKNOWN ||
		o->what == TREE_MULTI_PORT_ALONE) {
		node_port_text(t, o, out, n);
	} else {
		char buf[32];

		role_text(name_of(t, o->sw, buf), o, out, n);
	}
}

/*
 * The text about a switch with fewer links up than others. to: the name of the
 * switch above with the fewest, or NULL.
 */
static void
unequal_text(const char *a, const char *to, const struct irregularity_kind *o,
	char *out, size_t n)
{
	(void)snprintf(out, n,
		"%s: %u uplink%s; most switches of this tier have %u%s%s%s", a,
		o->n, o->n == 1 ? "" : "s", o->of,
		to != NULL ? "; fewer to " : "", to != NULL ? to : "",
		to != NULL ? " than to others" : "");
}

/* The text about a class that is kept although inference sees the other one. */
static void
kept_class_text(
	const char *a, const struct irregularity_kind *o, char *out, size_t n)
{
	bool tree = o->what == TREE_STAYS_TREE;

	(void)snprintf(out, n,
		"%s: one of %u switches that are %s, because %u%% of the links "
		"are inside a tier and %u%% of the hosts above the leaves: "
		"\"heddlectl rebalance\" decides afresh",
		a, o->n,
		tree ? "still routed as a tree but would not be today"
		     : "still not routed as a tree but would be today",
		o->of, o->above);
}

void
irregularity_text(const struct topo *t, const struct irregularity_kind *o,
	char *out, size_t n)
{
	char buf[2][32];
	const char *a = name_of(t, o->sw, buf[0]);
	const char *b = name_of(t, o->other, buf[1]);

	switch (o->what) {
	case TREE_LEVEL_LINK:
		(void)snprintf(out, n, "%s/%u - %s/%u: a link inside a tier", a,
			o->port, b, o->other_port);
		break;
	case TREE_SKIP_LINK:
		(void)snprintf(out, n, "%s/%u - %s/%u: a link that skips tiers",
			a, o->port, b, o->other_port);
		break;
	case TREE_LEAVES_LINKED:
		(void)snprintf(out, n,
			"%s/%u - %s/%u: two leaf switches linked", a, o->port,
			b, o->other_port);
		break;
	case TREE_SELF_LINK:
		(void)snprintf(out, n,
			"%s/%u - %s/%u: a link from a switch to itself", a,
			o->port, b, o->other_port);
		break;
	case TREE_ROOT_HOSTS:
		(void)snprintf(out, n, "%s/%u: top switch with %u host%s", a,
			o->port, o->n, o->n == 1 ? "" : "s");
		break;
	case TREE_SPINE_HOSTS:
		(void)snprintf(out, n, "%s/%u: spine switch with %u host%s", a,
			o->port, o->n, o->n == 1 ? "" : "s");
		break;
	case TREE_BARE_LEAF:
		(void)snprintf(out, n, "%s: leaf switch without hosts", a);
		break;
	case TREE_NO_UPLINK:
		(void)snprintf(out, n, "%s: no link to the tiers above", a);
		break;
	case TREE_NO_DOWNLINK:
		(void)snprintf(out, n, "%s: no link to the tiers below", a);
		break;
	case TREE_UNEQUAL:
		unequal_text(a, o->other == TOPO_NONE ? NULL : b, o, out, n);
		break;
	case TREE_ROLE_CONFLICT:
	case TREE_ROLE_UNKNOWN:
	case TREE_ROLE_AMBIGUOUS:
	case TREE_MULTI_PORT_UNKNOWN:
	case TREE_MULTI_PORT_ALONE:
		config_text(t, o, out, n);
		break;
	case TREE_ROLE_PLACE:
		place_text(a, o, out, n);
		break;
	case TREE_PIECES:
		(void)snprintf(
			out, n, "%s: one of %u unreachable switches", a, o->n);
		break;
	case TREE_NO_TREE:
		(void)snprintf(out, n,
			"%s: one of %u switches that do not form a tree%s; "
			"ranks "
			"are distances",
			a, o->n, o->of > 0 ? " with the configured roles" : "");
		break;
	case TREE_STAYS_TREE:
	case TREE_STAYS_MESH:
		kept_class_text(a, o, out, n);
		break;
	case TREE_ODDITIES:
		(void)snprintf(out, n, "nothing");
		break;
	}
}
