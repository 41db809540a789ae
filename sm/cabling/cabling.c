#include "sm/cabling/cabling.h"

#include <stdlib.h>
#include <string.h>

#include "discovery/link_rate.h"
#include "sm/base/mem.h"

struct cabling *
cabling_new(const char *source)
{
	struct cabling *c = mem_zalloc(1, sizeof(*c));

	c->arena = arena_new();
	c->source = arena_strdup(c->arena, source);
	return c;
}

void
cabling_free(struct cabling *c)
{
	if (c == NULL)
		return;
	arena_free(c->arena);
	free(c->node);
	free(c->link);
	free(c->at);
	free(c);
}

/* Some hosts write a blank behind their names, which no plan has. */
static char *
copy_name(struct arena *a, const char *name)
{
	char *copy = arena_strdup(a, name);
	size_t n = strlen(copy);

	while (n > 0 && copy[n - 1] == ' ')
		copy[--n] = '\0';
	return copy;
}

uint32_t
cabling_add_node(struct cabling *c, const struct cabling_node *n)
{
	c->node = mem_grow(c->node, c->nnodes, &c->node_cap, sizeof(*c->node));
	c->node[c->nnodes] = *n;
	c->node[c->nnodes].name = copy_name(c->arena, n->name);
	return (uint32_t)c->nnodes++;
}

void
cabling_add_link(struct cabling *c, const struct cabling_link *l)
{
	for (unsigned i = 0; i < 2; i++) {
		struct cabling_node *n = &c->node[l->end[i].node];

		if (n->nports < l->end[i].port)
			n->nports = l->end[i].port;
	}
	c->link = mem_grow(c->link, c->nlinks, &c->link_cap, sizeof(*c->link));
	c->link[c->nlinks++] = *l;
}

static bool
is_silent(const struct topo_node *n)
{
	return (n->flags & (TN_QUARANTINED | TN_PARTIAL)) != 0;
}

/* Whether a port tells its width and speed. */
static bool
is_told(const struct topo_port *p)
{
	return p->width != 0 && (p->speed != 0 || p->speed_ext != 0);
}

/* The end that tells how fast a link is: the slower one of those that do. */
static const struct topo_port *
telling_end(const struct topo_port *p, const struct topo_port *q)
{
	if (!is_told(p) ||
		(is_told(q) && link_rate_active(q) < link_rate_active(p)))
		return q;
	return p;
}

/* Each link once, by the end of the lower index; one from a port to itself, as
 * of a test plug, is none between two ports. */
static void
add_links(struct cabling *c, const struct topo *t, uint32_t base)
{
	for (port_ix x = 0; x < t->nports; x++) {
		const struct topo_port *p = &t->port[x], *q, *pace;
		struct cabling_link l;

		if (p->peer == TOPO_NONE || p->peer <= x)
			continue;
		q = &t->port[p->peer];
		pace = telling_end(p, q);
		l = (struct cabling_link){.end = {{base + p->node, p->num},
						  {base + q->node, q->num}}};
		if (is_told(pace)) {
			l.width = pace->width;
			l.speed = pace->speed;
			l.speed_ext = pace->speed_ext;
		}
		cabling_add_link(c, &l);
	}
}

void
cabling_add_topo(struct cabling *c, const struct topo *t)
{
	uint32_t base = (uint32_t)c->nnodes;

	for (node_ix i = 0; i < t->nnodes; i++) {
		const struct topo_node *n = &t->node[i];

		(void)cabling_add_node(c,
			&(struct cabling_node){.guid = n->guid,
				.name = topo_desc(t, i),
				.type = n->type,
				.nports = n->nports,
				.aggregation = (n->flags & TN_AGGREGATION) != 0,
				.silent = is_silent(n)});
	}
	add_links(c, t, base);
}

static void
place_ports(struct cabling *c)
{
	c->nports = 0;
	for (size_t i = 0; i < c->nnodes; i++) {
		c->node[i].first = (uint32_t)c->nports;
		c->nports += c->node[i].nports + 1U;
	}
	c->at = mem_alloc((c->nports + 1) * sizeof(*c->at));
	memset(c->at, 0xff, (c->nports + 1) * sizeof(*c->at));
}

uint32_t
cabling_seal(struct cabling *c)
{
	place_ports(c);
	for (uint32_t l = 0; l < c->nlinks; l++) {
		for (unsigned i = 0; i < 2; i++) {
			const struct cabling_end *e = &c->link[l].end[i];
			uint32_t *at = &c->at[c->node[e->node].first + e->port];

			if (*at != CABLING_NONE)
				return l;
			*at = l;
		}
	}
	return CABLING_NONE;
}

uint32_t
cabling_link_at(const struct cabling *c, uint32_t node, unsigned port)
{
	return port <= c->node[node].nports ? c->at[c->node[node].first + port]
					    : CABLING_NONE;
}

const struct cabling_end *
cabling_far_end(const struct cabling *c, uint32_t l, struct cabling_end near)
{
	const struct cabling_end *e = c->link[l].end;

	return &e[e[0].node == near.node && e[0].port == near.port];
}

uint32_t
cabling_rate(const struct cabling_link *l)
{
	const struct topo_port p = {.width = l->width,
		.speed = l->speed,
		.speed_ext = l->speed_ext};

	return l->width != 0 ? link_rate_active(&p) : 0;
}

/* Ports of a topology have one link each. */
struct cabling *
cabling_of_topo(const struct topo *t, const char *source)
{
	struct cabling *c = cabling_new(source);

	cabling_add_topo(c, t);
	(void)cabling_seal(c);
	return c;
}
