#include "sm/audit/dependencies.h"

#include <stdlib.h>
#include <string.h>

#include "sm/base/map.h"
#include "sm/base/mem.h"

enum { STARTS = 64 }; /* searches for a short cycle */

/* A channel, identified by the switch and port where it ends. */
struct channel {
	sw_ix sw;
	uint8_t in, vl;
};

struct edge {
	uint32_t from, to;
	struct audit_dependencies_cause why;
};

struct audit_deps {
	const struct topo *t;
	struct map by_channel, by_edge;
	struct channel *channel;
	size_t n, cap;
	struct edge *edge;
	size_t nedges, capedges;
};

struct audit_deps *
audit_dependencies_new(const struct topo *t)
{
	struct audit_deps *d = mem_zalloc(1, sizeof(*d));

	d->t = t;
	return d;
}

void
audit_dependencies_free(struct audit_deps *d)
{
	if (d == NULL)
		return;
	map_free(&d->by_channel);
	map_free(&d->by_edge);
	free(d->channel);
	free(d->edge);
	free(d);
}

/* The switch port at the other end of this port's link, or NULL. */
static const struct topo_port *
peer_switch_port(const struct topo *t, sw_ix s, unsigned port)
{
	const struct topo_node *n = &t->node[t->sw[s].node];
	const struct topo_port *p;

	if (port == 0 || port > n->nports)
		return NULL;
	p = &t->port[n->first_port + port];
	if (p->peer == TOPO_NONE)
		return NULL;
	p = &t->port[p->peer];
	return t->node[p->node].sw == TOPO_NONE ? NULL : p;
}

static uint64_t
channel_key(sw_ix sw, uint8_t in, uint8_t vl)
{
	return (uint64_t)sw << 16 | (uint64_t)in << 8 | vl;
}

static uint32_t
channel_of(struct audit_deps *d, sw_ix sw, uint8_t in, uint8_t vl)
{
	uint64_t key = channel_key(sw, in, vl);
	uint32_t i;

	if (map_get(&d->by_channel, key, &i))
		return i;
	d->channel = mem_grow(d->channel, d->n, &d->cap, sizeof(*d->channel));
	d->channel[d->n] = (struct channel){sw, in, vl};
	map_put(&d->by_channel, key, (uint32_t)d->n);
	return (uint32_t)d->n++;
}

/* Of two causes of a dependency the one of greater weight is kept. */
static unsigned
cause_weight(const struct audit_dependencies_cause *c)
{
	return c->sure ? 2 : !c->own;
}

void
audit_dependencies_add(struct audit_deps *d, const struct audit_dependency *dep,
	const struct audit_dependencies_cause *why)
{
	const struct topo_port *far = peer_switch_port(d->t, dep->sw, dep->out);
	uint32_t from, to, i;
	uint64_t key;

	if (far == NULL || peer_switch_port(d->t, dep->sw, dep->in) == NULL)
		return;
	from = channel_of(d, dep->sw, dep->in, dep->in_vl);
	to = channel_of(d, d->t->node[far->node].sw, far->num, dep->out_vl);
	key = (uint64_t)from << 32 | to;
	if (map_get(&d->by_edge, key, &i)) {
		if (cause_weight(why) > cause_weight(&d->edge[i].why))
			d->edge[i].why = *why;
		return;
	}
	d->edge = mem_grow(d->edge, d->nedges, &d->capedges, sizeof(*d->edge));
	d->edge[d->nedges] = (struct edge){from, to, *why};
	map_put(&d->by_edge, key, (uint32_t)d->nedges++);
}

/* ---- looking for cycles ---- */

/*
 * Edges by the channel that they come from, or, if reversed, that they lead to.
 */
struct lists {
	uint32_t *at; /* [n + 1] */
	uint32_t *edge;
};

struct search {
	const struct audit_deps *d;
	bool sure;
	bool *left;
	uint32_t *queue, *from; /* [n] */
};

static bool
is_edge_used(const struct search *s, const struct edge *e)
{
	return e->why.sure || !s->sure;
}

static struct lists
lists_new(const struct search *s, bool reversed)
{
	const struct audit_deps *d = s->d;
	struct lists l = {mem_zalloc(d->n + 2, sizeof(*l.at)),
		mem_zalloc(d->nedges + 1, sizeof(*l.edge))};

	for (size_t i = 0; i < d->nedges; i++)
		if (is_edge_used(s, &d->edge[i]))
			l.at[(reversed ? d->edge[i].to : d->edge[i].from) +
				2]++;
	for (size_t c = 2; c < d->n + 2; c++)
		l.at[c] += l.at[c - 1];
	for (size_t i = 0; i < d->nedges; i++)
		if (is_edge_used(s, &d->edge[i])) {
			uint32_t c = reversed ? d->edge[i].to : d->edge[i].from;

			l.edge[l.at[c + 1]++] = (uint32_t)i;
		}
	return l;
}

static void
lists_free(struct lists *l)
{
	free(l->at);
	free(l->edge);
}

static uint32_t
other_end(const struct audit_deps *d, uint32_t edge, bool reversed)
{
	return reversed ? d->edge[edge].from : d->edge[edge].to;
}

/* Remove repeatedly the channels that no remaining channel leads to. */
static void
prune_channels(struct search *s, const struct lists *l, bool reversed)
{
	const struct audit_deps *d = s->d;
	uint32_t *degree = mem_zalloc(d->n + 1, sizeof(*degree));
	uint32_t head = 0, tail = 0;

	for (uint32_t c = 0; c < d->n; c++)
		for (uint32_t i = l->at[c]; s->left[c] && i < l->at[c + 1]; i++)
			degree[other_end(d, l->edge[i], reversed)]++;
	for (uint32_t c = 0; c < d->n; c++)
		if (s->left[c] && degree[c] == 0)
			s->queue[tail++] = c;
	for (; head < tail; head++) {
		uint32_t c = s->queue[head];

		s->left[c] = false;
		for (uint32_t i = l->at[c]; i < l->at[c + 1]; i++) {
			uint32_t o = other_end(d, l->edge[i], reversed);

			if (s->left[o] && --degree[o] == 0)
				s->queue[tail++] = o;
		}
	}
	free(degree);
}

/*
 * The shortest path from a channel back to itself: edges into path, the last
 * one first. Its length, 0 if there is none of at most limit edges.
 */
static uint32_t
round_trip(struct search *s, const struct lists *l, uint32_t start,
	uint32_t *path, uint32_t limit)
{
	const struct audit_deps *d = s->d;
	uint32_t head = 0, tail = 0, n = 0, c = start;

	memset(s->from, 0xff, d->n * sizeof(*s->from));
	s->queue[tail++] = start;
	while (head < tail && s->from[start] == TOPO_NONE) {
		uint32_t at = s->queue[head++];

		for (uint32_t i = l->at[at]; i < l->at[at + 1]; i++) {
			uint32_t to = d->edge[l->edge[i]].to;

			if (!s->left[to] || s->from[to] != TOPO_NONE)
				continue;
			s->from[to] = l->edge[i];
			s->queue[tail++] = to;
		}
	}
	if (s->from[start] == TOPO_NONE)
		return 0;
	do {
		if (n == limit)
			return 0;
		path[n++] = s->from[c];
		c = d->edge[s->from[c]].from;
	} while (c != start);
	return n;
}

static struct audit_dependencies_hop
hop_of(const struct audit_deps *d, uint32_t edge)
{
	const struct edge *e = &d->edge[edge];
	const struct channel *c = &d->channel[e->from];
	const struct topo_port *far = peer_switch_port(d->t, c->sw, c->in);

	return (struct audit_dependencies_hop){.from = d->t->node[far->node].sw,
		.out = far->num,
		.to = c->sw,
		.in = c->in,
		.vl = c->vl,
		.why = e->why};
}

/* Find a short cycle among the remaining channels. */
static void
find_short_cycle(struct search *s, const struct lists *l,
	struct audit_dependencies_verdict *out)
{
	const struct audit_deps *d = s->d;
	uint32_t *path = mem_alloc(d->n * sizeof(*path));
	uint32_t *best = mem_alloc(d->n * sizeof(*best));
	uint32_t limit = (uint32_t)d->n, len = 0;
	unsigned tries = 0;

	for (uint32_t c = 0; c < d->n && tries < STARTS; c++) {
		uint32_t n = s->left[c] ? round_trip(s, l, c, path, limit) : 0;

		tries += s->left[c];
		if (n == 0)
			continue;
		len = n;
		limit = n - 1;
		memcpy(best, path, n * sizeof(*best));
		tries += STARTS / 16; /* the channel is on a cycle: few more
					 searches are needed */
	}
	out->cycle = mem_zalloc(len, sizeof(*out->cycle));
	out->len = len;
	for (uint32_t i = 0; i < len; i++)
		out->cycle[i] = hop_of(d, best[len - 1 - i]);
	free(path);
	free(best);
}

/* True if no lower VL of the same link direction remains, so that each link
 * direction counts once. */
static bool
is_lowest_vl(const struct search *s, uint32_t c)
{
	const struct channel *ch = &s->d->channel[c];
	uint32_t o;

	for (uint8_t vl = 0; vl < ch->vl; vl++)
		if (map_get(&s->d->by_channel, channel_key(ch->sw, ch->in, vl),
			    &o) &&
			s->left[o])
			return false;
	return true;
}

void
audit_dependencies_judge(const struct audit_deps *d, bool sure,
	struct audit_dependencies_verdict *out)
{
	struct search s = {.d = d,
		.sure = sure,
		.left = mem_alloc(d->n * sizeof(*s.left)),
		.queue = mem_alloc((d->n + 1) * sizeof(*s.queue)),
		.from = mem_alloc(d->n * sizeof(*s.from))};
	struct lists on = lists_new(&s, false), back = lists_new(&s, true);

	*out = (struct audit_dependencies_verdict){0};
	for (uint32_t c = 0; c < d->n; c++) {
		s.left[c] =
			on.at[c] < on.at[c + 1] || back.at[c] < back.at[c + 1];
		out->channels += s.left[c];
	}
	out->deps = on.at[d->n];
	prune_channels(&s, &on, false);
	prune_channels(&s, &back, true);
	out->link = mem_zalloc(d->n + 1, sizeof(*out->link));
	for (uint32_t c = 0; c < d->n; c++) {
		out->cyclic += s.left[c];
		if (s.left[c] && is_lowest_vl(&s, c))
			out->link[out->links++] =
				(struct audit_dependencies_link){
					d->channel[c].sw, d->channel[c].in};
	}
	if (out->cyclic > 0)
		find_short_cycle(&s, &on, out);
	lists_free(&on);
	lists_free(&back);
	free(s.left);
	free(s.queue);
	free(s.from);
}

void
audit_dependencies_verdict_free(struct audit_dependencies_verdict *v)
{
	free(v->cycle);
	free(v->link);
	*v = (struct audit_dependencies_verdict){0};
}
