#include "sm/report/fabric_dot.h"

#include <inttypes.h>
#include <string.h>

#include "sm/report/fabric_areas.h"
#include "sm/report/names.h"

/* How a switch or link looks that is not as it should be. */
static const char *const state_style[] = {
	[FABRIC_GRAPH_OK] = "",
	[FABRIC_GRAPH_MISSING] = ", style=\"filled,dashed\", color=red",
	[FABRIC_GRAPH_QUARANTINED] = ", color=purple, penwidth=2",
	[FABRIC_GRAPH_DRAINED] = ", color=orange, penwidth=2",
};

/* A text of a quoted string. */
static void
put_quoted(const char *s, struct buf *out)
{
	for (; *s != '\0'; s++) {
		if (*s == '"' || *s == '\\')
			buf_put(out, "\\", 1);
		buf_put(out, s, 1);
	}
}

static void
put_switch(const struct fabric_graph_switch *s, const char *indent,
	struct buf *out)
{
	buf_printf(out, "%s\"0x%016" PRIx64 "\" [label=\"", indent, s->guid);
	put_quoted(fabric_short_name(s).s, out);
	if (s->hosts > 0)
		buf_printf(out, "\\n%" PRIu32 " host port%s", s->hosts,
			names_plural(s->hosts));
	if (s->missing > 0)
		buf_printf(out, ", %" PRIu32 " missing", s->missing);
	if (s->state != FABRIC_GRAPH_OK)
		buf_printf(out, "\\n%s", fabric_graph_state_name(s->state));
	buf_printf(out, "\"%s];\n", state_style[s->state]);
}

/* Edges that are not seen keep a tier in the order of names. */
static void
put_order(const struct fabric_graph *g, const uint32_t *order, uint32_t tier,
	struct buf *out)
{
	const char *between = "    ";

	for (uint32_t i = 0; i < g->nsw; i++) {
		if (g->sw[order[i]].tier != tier)
			continue;
		buf_printf(out, "%s\"0x%016" PRIx64 "\"", between,
			g->sw[order[i]].guid);
		between = " -- ";
	}
	buf_printf(out, " [style=invis];\n");
}

/* The switches of a tier on one rank. */
static void
put_tiers(const struct fabric_graph *g, const uint32_t *order, struct buf *out)
{
	for (uint32_t tier = 0; tier < g->ntiers; tier++) {
		buf_printf(out, "  { rank=same; // tier %" PRIu32 "\n", tier);
		for (uint32_t i = 0; i < g->nsw; i++)
			if (g->sw[order[i]].tier == tier)
				put_switch(&g->sw[order[i]], "    ", out);
		put_order(g, order, tier, out);
		buf_printf(out, "  }\n");
	}
	for (uint32_t i = 0; i < g->nsw; i++)
		if (g->sw[order[i]].tier == FABRIC_GRAPH_NONE)
			put_switch(&g->sw[order[i]], "  ", out);
}

/* The switches of an area, in a cluster if it has a frame. */
static void
put_area(const struct fabric_graph *g, const struct fabric_areas *x, uint32_t i,
	struct buf *out)
{
	bool framed = x->area[i].framed;

	if (framed) {
		buf_printf(out,
			"  subgraph \"cluster_%" PRIu32 "\" {\n"
			"    label=\"",
			i);
		put_quoted(x->area[i].title, out);
		buf_printf(out, "\";\n");
	}
	for (uint32_t k = 0; k < g->nsw; k++)
		if (x->of[x->order[k]] == i)
			put_switch(&g->sw[x->order[k]], framed ? "    " : "  ",
				out);
	if (framed)
		buf_printf(out, "  }\n");
}

/* How many links most pairs of linked switches have: these are not told at
 * each edge, where numbers would need most of the room. */
static uint32_t
usual_links(const struct fabric_graph *g, struct arena *a)
{
	enum { MOST = 256 };
	uint32_t *n = arena_array(a, MOST, sizeof(*n)), best = 1;

	for (uint32_t i = 0; i < g->nlinks; i++)
		if (g->link[i].n < MOST)
			n[g->link[i].n]++;
	for (uint32_t i = 1; i < MOST; i++)
		if (n[i] > n[best])
			best = i;
	return best;
}

static void
put_label(const struct fabric_graph_link *l, uint32_t usual, struct buf *out)
{
	if (l->n > 1 && l->missing > 0)
		buf_printf(out,
			", label=\"%" PRIu32 " of %" PRIu32 " missing\"",
			l->missing, l->n);
	else if (l->n > 1 && l->drained > 0)
		buf_printf(out,
			", label=\"%" PRIu32 " of %" PRIu32 " drained\"",
			l->drained, l->n);
	else if (l->n != usual)
		buf_printf(out, ", label=\"%" PRIu32 "\"", l->n);
}

/* The upper switch first: dot ranks by it. */
static void
put_link(const struct fabric_graph *g, const struct fabric_graph_link *l,
	uint32_t usual, struct buf *out)
{
	bool swap = g->sw[l->b].tier < g->sw[l->a].tier;
	uint32_t a = swap ? l->b : l->a, b = swap ? l->a : l->b;

	buf_printf(out,
		"  \"0x%016" PRIx64 "\" -- \"0x%016" PRIx64
		"\" [weight=%" PRIu32,
		g->sw[a].guid, g->sw[b].guid, l->n);
	put_label(l, usual, out);
	if (l->missing > 0)
		buf_printf(out, ", style=dashed, color=red");
	else if (l->drained > 0)
		buf_printf(out, ", style=dotted, color=orange");
	buf_printf(out, "];\n");
}

/* A host is a node of its own once, with an edge for each of its ports. */
static void
put_hosts(const struct fabric_graph *g, const char *hosts, struct buf *out)
{
	for (uint32_t i = 0; i < g->nhosts; i++) {
		const struct fabric_graph_host *h = &g->host[i];
		const char *look =
			h->missing ? ", style=dashed, color=red" : "";

		if (!fabric_graph_matches(h, hosts))
			continue;
		buf_printf(out,
			"  \"0x%016" PRIx64 "\" [shape=ellipse, label=\"",
			h->guid);
		put_quoted(h->name, out);
		buf_printf(out,
			"\"%s];\n  \"0x%016" PRIx64 "\" -- \"0x%016" PRIx64
			"\" [label=\"port %u\"%s];\n",
			look, g->sw[h->sw].guid, h->guid, h->port, look);
	}
}

/* Tiers are the farther from each other, in inches, the more switches stand
 * beside each other: else edges are nearly level. */
static uint32_t
tier_distance(const struct fabric_graph *g, struct arena *a)
{
	uint32_t *n = arena_array(a, g->ntiers + 1, sizeof(*n)), most = 0;

	for (uint32_t s = 0; s < g->nsw; s++)
		if (g->sw[s].tier < g->ntiers && ++n[g->sw[s].tier] > most)
			most = n[g->sw[s].tier];
	return 1 + most / 8;
}

static void
put_head(enum fabric_layout layout, uint32_t usual, uint32_t distance,
	struct buf *out)
{
	static const char *const how[] = {
		[FABRIC_LAYOUT_TIERS] = "rankdir=TB; nodesep=0.1;",
		[FABRIC_LAYOUT_GROUPS] = "layout=fdp; K=1;",
		[FABRIC_LAYOUT_GRID] = "layout=fdp; K=1;",
		[FABRIC_LAYOUT_CIRCLE] = "layout=circo;",
	};

	buf_printf(out,
		"graph \"InfiniBand\" {\n"
		"  // by heddlectl topology --format dot; dot -Tsvg draws it\n"
		"  %s ranksep=%" PRIu32
		"; splines=line; outputorder=edgesfirst;\n"
		"  label=\"an edge without a number: %" PRIu32 " link%s\";\n"
		"  node [shape=box, style=filled, fillcolor=white, "
		"fontsize=11];\n"
		"  edge [fontsize=9];\n",
		how[layout], distance, usual, names_plural(usual));
}

void
fabric_dot_print(
	const struct fabric_graph *g, const char *hosts, struct buf *out)
{
	struct arena *a = arena_new();
	const struct fabric_areas *x = fabric_areas_find(g, a);
	uint32_t usual = usual_links(g, a);

	put_head(x->layout, usual, tier_distance(g, a), out);
	if (x->layout == FABRIC_LAYOUT_TIERS)
		put_tiers(g, x->order, out);
	else
		for (uint32_t i = 0; i < x->n; i++)
			put_area(g, x, i, out);
	for (uint32_t i = 0; i < g->nlinks; i++)
		put_link(g, &g->link[i], usual, out);
	if (hosts != NULL)
		put_hosts(g, hosts, out);
	buf_printf(out, "}\n");
	arena_free(a);
}
