#include "sm/report/fabric_svg.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sm/base/utf8.h"
#include "sm/report/names.h"

/* Above and below the map, in pixels. LISTED things that are wrong are named.
 */
enum { TOP = 70, BOTTOM = 56, LINE = 17, LISTED = 20, LEAST_WIDTH = 760 };

static const char style[] =
	"<style>"
	".heddle-map{font-family:'DejaVu Sans','Liberation Sans',Arial,"
	"sans-serif;background:#fff}"
	".heddle-map text{fill:#1f2933}"
	".heddle-map .h{font-size:20px;font-weight:bold}"
	".heddle-map .d{font-size:12px;fill:#52606d}"
	".heddle-map .t{font-size:12px;font-weight:bold}"
	".heddle-map .n{font-size:10.5px;text-anchor:middle}"
	".heddle-map .m{font-size:9.5px;text-anchor:middle;fill:#52606d}"
	".heddle-map .c{font-size:10px;fill:#52606d}"
	".heddle-map .c,.heddle-map .t,.heddle-map .d{paint-order:stroke;"
	"stroke:#fff;stroke-width:3px;stroke-linejoin:round}"
	".heddle-map .w{font-size:12px;fill:#b42318}"
	".heddle-map .a{fill:#f5f7fa;stroke:#9aa5b1}"
	".heddle-map .l{fill:none;stroke:#7b8794;stroke-opacity:.55}"
	".heddle-map .lm{fill:none;stroke:#d92d20;stroke-dasharray:7 4}"
	".heddle-map .ld{fill:none;stroke:#dc6803;stroke-dasharray:2 4}"
	".heddle-map .s{stroke:#334e68;fill:#d9e8f6}"
	".heddle-map .sl{stroke:#276749;fill:#d8f3dc}"
	".heddle-map .sw{stroke:#b42318;fill:#fecdca;stroke-width:2}"
	".heddle-map .sm{stroke:#b42318;fill:#fff;stroke-dasharray:4 3;"
	"stroke-width:2}"
	".heddle-map .sq{stroke:#5b21b6;fill:#ddd6fe;stroke-width:2}"
	".heddle-map .sd{stroke:#b54708;fill:#fedf89;stroke-width:2}"
	"</style>\n";

/* How a switch looks, and what that means. */
enum look { SPINE, LEAF, WRONG, MISSING, QUARANTINED, DRAINED, LOOKS };

static const struct {
	const char *class, *means;
} looks[LOOKS] = {
	[SPINE] = {"s", "switch"},
	[LEAF] = {"sl", "switch with hosts"},
	[WRONG] = {"sw", "links or hosts missing"},
	[MISSING] = {"sm", "missing"},
	[QUARANTINED] = {"sq", "in quarantine"},
	[DRAINED] = {"sd", "drained"},
};

static enum look
look_of(const struct fabric_graph_switch *s)
{
	switch (s->state) {
	case FABRIC_GRAPH_MISSING:
		return MISSING;
	case FABRIC_GRAPH_QUARANTINED:
		return QUARANTINED;
	case FABRIC_GRAPH_DRAINED:
		return DRAINED;
	case FABRIC_GRAPH_OK:
	default:
		if (s->missing + s->broken > 0)
			return WRONG;
		return s->hosts > 0 ? LEAF : SPINE;
	}
}

/* Text for XML: what has a meaning there is escaped. */
static void
put_escaped(const char *s, struct buf *out)
{
	size_t left = strlen(s);
	uint32_t c;

	while (left > 0) {
		unsigned n = utf8_decode((const unsigned char *)s, left, &c);

		if (n == 0 || !utf8_printable(c))
			buf_put(out, "?", 1);
		else if (c == '<')
			buf_printf(out, "&lt;");
		else if (c == '>')
			buf_printf(out, "&gt;");
		else if (c == '&')
			buf_printf(out, "&amp;");
		else if (c == '"')
			buf_printf(out, "&quot;");
		else
			buf_put(out, s, n);
		n = n == 0 ? 1 : n;
		s += n;
		left -= n;
	}
}

static void
put_text(int x, int y, const char *class, const char *s, struct buf *out)
{
	buf_printf(out, "<text class=\"%s\" x=\"%d\" y=\"%d\">", class, x, y);
	put_escaped(s, out);
	buf_printf(out, "</text>\n");
}

/* ---- lines ---- */

/* "leaf1" of a switch, or the title of an area. */
static void
put_end(const struct fabric_map *m, bool area, uint32_t i, struct buf *out)
{
	const char *title = area ? m->areas->area[i].title : "";

	if (!area)
		put_escaped(fabric_short_name(&m->graph->sw[i]).s, out);
	else
		put_escaped(*title != '\0' ? title : "all", out);
}

static void
put_counts(uint32_t n, uint32_t missing, uint32_t drained, struct buf *out)
{
	buf_printf(out, "%" PRIu32 " link%s", n, names_plural(n));
	if (missing > 0)
		buf_printf(out, ", %" PRIu32 " missing", missing);
	if (drained > 0)
		buf_printf(out, ", %" PRIu32 " drained", drained);
}

static void
put_line(const struct fabric_map *m, const struct fabric_map_link *l,
	const char *class, uint32_t n, struct buf *out)
{
	/* more links are a thicker line, up to 7 pixels */
	double width = 0.8 + log2(n > 0 ? n : 1) * 0.6;

	buf_printf(out,
		"<polyline class=\"%s\" stroke-width=\"%.1f\" points=\"", class,
		width < 7 ? width : 7);
	for (unsigned i = 0; i < l->points; i++)
		buf_printf(out, "%s%d,%d", i > 0 ? " " : "", l->x[i],
			l->y[i] + TOP);
	buf_printf(out, "\"><title>");
	put_end(m, l->areas, l->a, out);
	buf_printf(out, " \u2013 ");
	put_end(m, l->areas, l->b, out);
	buf_printf(out, ": ");
	put_counts(l->n, l->missing, l->drained, out);
	buf_printf(out, "</title></polyline>\n");
}

/* What is missing or drained lies over what is there. */
static void
put_lines(const struct fabric_map *m, bool areas, struct buf *out)
{
	const struct fabric_map_link *l;

	for (uint32_t i = 0; i < m->nlinks; i++) {
		l = &m->link[i];
		if (l->points == 0 || l->areas != areas)
			continue;
		if (l->n > l->missing + l->drained)
			put_line(
				m, l, "l", l->n - l->missing - l->drained, out);
	}
	for (uint32_t i = 0; i < m->nlinks; i++) {
		l = &m->link[i];
		if (l->points == 0 || l->areas != areas)
			continue;
		if (l->drained > 0)
			put_line(m, l, "ld", l->drained + 1, out);
		if (l->missing > 0)
			put_line(m, l, "lm", l->missing + 1, out);
		if (areas && m->areas->layout == FABRIC_LAYOUT_TIERS)
			/* beside the lower end */
			buf_printf(out,
				"<text class=\"c\" x=\"%d\" y=\"%d\">%" PRIu32
				" link%s</text>\n",
				l->x[l->points - 1] + 7,
				l->y[l->points - 1] + TOP - 7, l->n,
				names_plural(l->n));
	}
}

/* ---- boxes ---- */

static void
put_frame(const struct fabric_map *m, uint32_t i, struct buf *out)
{
	const struct fabric_map_rect *r = &m->area[i];

	if (m->areas->area[i].framed)
		buf_printf(out,
			"<rect class=\"a\" x=\"%d\" y=\"%d\" width=\"%d\" "
			"height=\"%d\" rx=\"6\"/>\n",
			r->x, r->y + TOP, r->w, r->h);
}

static void
put_title(const struct fabric_map *m, uint32_t i, struct buf *out)
{
	const struct fabric_area *x = &m->areas->area[i];
	const struct fabric_map_rect *r = &m->area[i];
	int left = r->x + (x->framed ? 8 : 0);

	if (x->title[0] != '\0') {
		put_text(left, r->y + TOP + 17, "t", x->title, out);
		put_text(left, r->y + TOP + 32, "d", x->detail, out);
	}
}

static void
put_about(const struct fabric_graph_switch *s, struct buf *out)
{
	put_escaped(s->name, out);
	buf_printf(out, " 0x%016" PRIx64, s->guid);
	if (s->state != FABRIC_GRAPH_OK)
		buf_printf(out, ", %s", fabric_graph_state_name(s->state));
	if (s->tier != FABRIC_GRAPH_NONE)
		buf_printf(out, ", tier %" PRIu32, s->tier);
	buf_printf(out, "; %" PRIu32 " host port%s", s->hosts,
		names_plural(s->hosts));
	if (s->missing > 0)
		buf_printf(out, ", %" PRIu32 " missing", s->missing);
	buf_printf(out, "; ");
	put_counts(s->links, s->down, 0, out);
}

/* What stands below the name of a switch. */
static void
put_detail(const struct fabric_graph_switch *s, int x, int y, struct buf *out)
{
	char text[64];

	if (s->state != FABRIC_GRAPH_OK)
		(void)snprintf(text, sizeof(text), "%s",
			fabric_graph_state_name(s->state));
	else if (look_of(s) == WRONG)
		(void)snprintf(text, sizeof(text),
			"%" PRIu32 " of %" PRIu32 " missing",
			s->missing + s->broken, s->hosts + s->links);
	else if (s->hosts > 0)
		(void)snprintf(text, sizeof(text), "%" PRIu32 " host port%s",
			s->hosts, names_plural(s->hosts));
	else
		(void)snprintf(text, sizeof(text), "%" PRIu32 " link%s",
			s->links, names_plural(s->links));
	put_text(x, y, "m", text, out);
}

static void
put_switch(const struct fabric_map *m, uint32_t s, struct buf *out)
{
	const struct fabric_graph_switch *x = &m->graph->sw[s];
	const struct fabric_map_box *box = &m->box[s];
	int middle = box->at.x + box->at.w / 2, y = box->at.y + TOP;

	buf_printf(out,
		"<g><rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" "
		"height=\"%d\" rx=\"%d\"/><title>",
		looks[look_of(x)].class, box->at.x, y, box->at.w, box->at.h,
		box->label[0] != '\0' ? 4 : 2);
	put_about(x, out);
	buf_printf(out, "</title>");
	if (box->label[0] != '\0') {
		put_text(middle, y + 15, "n", box->label, out);
		put_detail(x, middle, y + 29, out);
	}
	buf_printf(out, "</g>\n");
}

/* ---- around it ---- */

static void
put_head(const struct fabric_map *m, struct buf *out)
{
	const struct fabric_graph *g = m->graph;
	uint64_t links = 0, missing = 0, drained = 0;
	struct buf text = {0};

	for (uint32_t i = 0; i < g->nlinks; i++) {
		links += g->link[i].n;
		missing += g->link[i].missing;
		drained += g->link[i].drained;
	}
	buf_printf(&text,
		"%" PRIu32 " switch%s, %" PRIu32 " host port%s, %" PRIu64
		" link%s between switches",
		g->nsw, names_plural_es(g->nsw), g->nhosts,
		names_plural(g->nhosts), links, names_plural((long long)links));
	if (missing > 0)
		buf_printf(&text, ", %" PRIu64 " of them missing", missing);
	if (drained > 0)
		buf_printf(&text, ", %" PRIu64 " drained", drained);
	put_text(24, 34, "h", "InfiniBand fabric", out);
	put_text(24, 56, "d", text.text, out);
	buf_free(&text);
}

/* The looks that occur. */
static void
put_legend(const struct fabric_map *m, int y, struct buf *out)
{
	bool used[LOOKS] = {false};
	int x = 24;

	for (uint32_t s = 0; s < m->graph->nsw; s++)
		used[look_of(&m->graph->sw[s])] = true;
	for (unsigned i = 0; i < LOOKS; i++) {
		if (!used[i])
			continue;
		buf_printf(out,
			"<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"14\" "
			"height=\"14\" rx=\"2\"/>\n",
			looks[i].class, x, y);
		put_text(x + 20, y + 11, "d", looks[i].means, out);
		x += 40 + 7 * (int)strlen(looks[i].means);
	}
}

/* The switches that something is missing at, or that are missing. */
static uint32_t
count_wrong(const struct fabric_map *m)
{
	uint32_t n = 0;

	for (uint32_t s = 0; s < m->graph->nsw; s++)
		n += look_of(&m->graph->sw[s]) >= WRONG;
	return n;
}

static void
put_wrong(const struct fabric_map *m, int y, struct buf *out)
{
	uint32_t n = 0, all = count_wrong(m);

	for (uint32_t i = 0; i < m->graph->nsw; i++) {
		const struct fabric_graph_switch *s =
			&m->graph->sw[m->areas->order[i]];

		if (look_of(s) < WRONG)
			continue;
		if (n++ == LISTED)
			break;
		buf_printf(out, "<text class=\"w\" x=\"24\" y=\"%d\">",
			y + (int)n * LINE);
		put_about(s, out);
		buf_printf(out, "</text>\n");
	}
	if (all > LISTED)
		buf_printf(out,
			"<text class=\"w\" x=\"24\" y=\"%d\">and %" PRIu32
			" more: heddlectl links</text>\n",
			y + (LISTED + 1) * LINE, all - LISTED);
}

void
fabric_svg_print(const struct fabric_map *m, struct buf *out)
{
	uint32_t wrong = count_wrong(m);
	int lines = wrong > LISTED ? LISTED + 1 : (int)wrong;
	int width = m->width > LEAST_WIDTH ? m->width : LEAST_WIDTH;
	int height = TOP + m->height + BOTTOM + lines * LINE;

	buf_printf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" "
		"class=\"heddle-map\" width=\"%d\" height=\"%d\" "
		"viewBox=\"0 0 %d %d\">\n<title>InfiniBand fabric</title>\n%s"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
		width, height, width, height, style);
	put_head(m, out);
	/* a line between areas lies below their frames, one inside above */
	put_lines(m, true, out);
	for (uint32_t i = 0; i < m->areas->n; i++)
		put_frame(m, i, out);
	put_lines(m, false, out);
	for (uint32_t i = 0; i < m->areas->n; i++)
		put_title(m, i, out);
	for (uint32_t s = 0; s < m->graph->nsw; s++)
		put_switch(m, s, out);
	put_legend(m, TOP + m->height + 10, out);
	put_wrong(m, TOP + m->height + 30, out);
	buf_printf(out, "</svg>\n");
}
