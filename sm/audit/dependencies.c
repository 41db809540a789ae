#include "sm/audit/dependencies.h"

#include <stdlib.h>

#include "routing/verify/dep_cycle.h"
#include "sm/base/map.h"
#include "sm/base/mem.h"

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
	port_ix p = topo_port_behind(t, s, port);

	return topo_port_switch(t, p) == TOPO_NONE ? NULL : &t->port[p];
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

/* The neighbours of each channel along edges in use, or against them. */
struct lists {
	uint32_t *at; /* [n + 2] */
	uint32_t *channel;
};

struct search {
	const struct audit_deps *d;
	bool sure;
	bool *left;
	struct lists on, back;
};

static struct lists
lists_new(const struct search *s, bool reversed)
{
	const struct audit_deps *d = s->d;
	struct lists l = {mem_zalloc(d->n + 2, sizeof(*l.at)),
		mem_zalloc(d->nedges + 1, sizeof(*l.channel))};

	for (size_t i = 0; i < d->nedges; i++) {
		const struct edge *e = &d->edge[i];

		if (e->why.sure || !s->sure)
			l.at[(reversed ? e->to : e->from) + 2]++;
	}
	for (size_t c = 2; c < d->n + 2; c++)
		l.at[c] += l.at[c - 1];
	for (size_t i = 0; i < d->nedges; i++) {
		const struct edge *e = &d->edge[i];

		if (e->why.sure || !s->sure)
			l.channel[l.at[(reversed ? e->to : e->from) + 1]++] =
				reversed ? e->from : e->to;
	}
	return l;
}

static void
lists_free(struct lists *l)
{
	free(l->at);
	free(l->channel);
}

static uint32_t
next_in_list(const struct lists *l, uint32_t c, unsigned *at)
{
	return *at < l->at[c + 1] - l->at[c] ? l->channel[l->at[c] + (*at)++]
					     : TOPO_NONE;
}

static uint32_t
next_channel(const void *of, uint32_t c, unsigned *at)
{
	return next_in_list(&((const struct search *)of)->on, c, at);
}

static uint32_t
prev_channel(const void *of, uint32_t c, unsigned *at)
{
	return next_in_list(&((const struct search *)of)->back, c, at);
}

static struct audit_dependencies_hop
hop_of(const struct audit_deps *d, uint32_t from, uint32_t to)
{
	const struct channel *c = &d->channel[from];
	const struct topo_port *far = peer_switch_port(d->t, c->sw, c->in);
	uint32_t edge = 0;

	(void)map_get(&d->by_edge, (uint64_t)from << 32 | to, &edge);
	return (struct audit_dependencies_hop){.from = d->t->node[far->node].sw,
		.out = far->num,
		.to = c->sw,
		.in = c->in,
		.vl = c->vl,
		.why = d->edge[edge].why};
}

/* Find a short cycle among the remaining channels. */
static void
find_short_cycle(const struct search *s, const struct dep_channels *channels,
	struct audit_dependencies_verdict *out)
{
	uint32_t *path = mem_alloc(channels->n * sizeof(*path));

	out->len = dep_cycle_shortest(channels, s->left, path);
	out->cycle = mem_zalloc(out->len, sizeof(*out->cycle));
	for (uint32_t i = 0; i < out->len; i++)
		out->cycle[i] = hop_of(s->d, path[i], path[(i + 1) % out->len]);
	free(path);
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
		.left = mem_alloc(d->n * sizeof(*s.left))};
	const struct dep_channels channels = {
		&s, (uint32_t)d->n, next_channel, prev_channel};

	*out = (struct audit_dependencies_verdict){0};
	s.on = lists_new(&s, false);
	s.back = lists_new(&s, true);
	for (uint32_t c = 0; c < d->n; c++) {
		s.left[c] = s.on.at[c] < s.on.at[c + 1] ||
			    s.back.at[c] < s.back.at[c + 1];
		out->channels += s.left[c];
	}
	out->deps = s.on.at[d->n];
	(void)dep_cycle_trim(&channels, false, s.left);
	out->cyclic = dep_cycle_trim(&channels, true, s.left);
	out->link = mem_zalloc(d->n + 1, sizeof(*out->link));
	for (uint32_t c = 0; c < d->n; c++)
		if (s.left[c] && is_lowest_vl(&s, c))
			out->link[out->links++] =
				(struct audit_dependencies_link){
					d->channel[c].sw, d->channel[c].in};
	if (out->cyclic > 0)
		find_short_cycle(&s, &channels, out);
	lists_free(&s.on);
	lists_free(&s.back);
	free(s.left);
}

void
audit_dependencies_verdict_free(struct audit_dependencies_verdict *v)
{
	free(v->cycle);
	free(v->link);
	*v = (struct audit_dependencies_verdict){0};
}
