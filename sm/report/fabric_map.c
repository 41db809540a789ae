#include "sm/report/fabric_map.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/report/json_util.h"
#include "sm/report/names.h"
#include "sm/report/terminal.h"

/* Lengths in pixels. WIDTH is what a map is made for: one that needs more room
 * gets it. */
enum {
	WIDTH = 1640,
	MARGIN = 24,
	NAMED_W = 106,
	NAMED_H = 36,
	NAMED_GAP = 14,
	CELL = 14,
	CELL_GAP = 5,
	HEAD = 38,	/* above the boxes of an area: title and detail */
	PAD = 10,	/* around the boxes of a framed area */
	LINES_GAP = 46, /* between lines of areas */
	BANDS_GAP = 110,
	AREA_GAP = 34,
	ELBOW = 18,
	TITLE_CHAR = 8, /* of a title in bold, at most */
	DETAIL_CHAR = 7,
};

static const double TAU = 6.283185307179586;

struct work {
	const struct fabric_graph *g;
	const struct fabric_areas *x;
	struct fabric_map *m;
	struct arena *a;
	int box_w, box_h, gap; /* of boxes */
	uint32_t *cols;	       /* [areas] boxes that stand beside each other */
};

/* ---- inside an area ---- */

static int
larger_of(int a, int b)
{
	return a > b ? a : b;
}

/* So many boxes beside each other, with gaps between them. */
static int
span_of(uint32_t n, int size, int gap)
{
	return n > 0 ? (int)n * (size + gap) - gap : 0;
}

/* How many boxes stand in each row of an area at most, before it is broken into
 * lines; of a grid, how many columns and rows there are. */
static uint32_t
widest_row(const struct work *w, uint32_t area)
{
	uint32_t *n = arena_array(w->a, w->g->nsw + 1, sizeof(*n)), most = 0;

	for (uint32_t s = 0; s < w->g->nsw; s++) {
		uint32_t k = w->x->of[s] != area ? 0
			     : w->x->layout == FABRIC_LAYOUT_GRID
				     ? w->x->col[s] + 1
				     : ++n[w->x->row[s] % w->g->nsw];

		most = k > most ? k : most;
	}
	return most;
}

/* Columns for n things of which `fit` stand beside each other: as few lines as
 * possible, of about equal length. At least 1. */
static uint32_t
even_columns(uint32_t n, uint32_t fit)
{
	uint32_t lines;

	fit = fit > 0 ? fit : 1;
	lines = (n + fit - 1) / fit;
	return lines > 0 ? (n + lines - 1) / lines : 1;
}

/* An area alone in its band may take all the width. */
static void
choose_columns(struct work *w, uint32_t area)
{
	uint32_t most = widest_row(w, area), in_band = 0, fit;
	int width = WIDTH - 2 * MARGIN - 2 * PAD;

	for (uint32_t i = 0; i < w->x->n; i++)
		in_band += w->x->area[i].band == w->x->area[area].band;
	fit = (uint32_t)((width - w->box_w / 2) / (w->box_w + w->gap));
	if (w->x->layout == FABRIC_LAYOUT_GRID)
		fit = most;
	else if (w->x->layout == FABRIC_LAYOUT_GROUPS && w->x->named)
		fit = (uint32_t)ceil(sqrt(most));
	else if (in_band > 1)
		fit = (uint32_t)larger_of(
			4, (int)ceil(sqrt((w->x->named ? 1.3 : 2.6) * most)));
	w->cols[area] = even_columns(most, fit);
}

/* Put the switches of a row of an area in lines that begin at line `line`;
 * returns the line below them. Every other line of many is moved by half a box,
 * so that lines to it are seen between the boxes above. */
static uint32_t
place_row(struct work *w, uint32_t area, uint32_t row, uint32_t line)
{
	uint32_t n = 0, all = 0, cols = w->cols[area];
	int step = w->box_w + w->gap;

	for (uint32_t s = 0; s < w->g->nsw; s++)
		all += w->x->of[s] == area && w->x->row[s] == row;
	for (uint32_t i = 0; i < w->g->nsw; i++) {
		uint32_t s = w->x->order[i], left = all - n / cols * cols;
		struct fabric_map_rect *at = &w->m->box[s].at;

		if (w->x->of[s] != area || w->x->row[s] != row)
			continue;
		at->x = (int)(n % cols) * step +
			(span_of(cols, w->box_w, w->gap) -
				span_of(left < cols ? left : cols, w->box_w,
					w->gap)) /
				2;
		if (w->x->named && !w->x->area[area].framed && all > cols &&
			left >= cols && n / cols % 2 == 1)
			at->x += step / 2;
		at->y = (int)(line + n / cols);
		n++;
	}
	return line + (n + cols - 1) / cols;
}

/* Boxes of an area that is not a grid, relative to the first of them. y is the
 * number of a line at first. */
static void
place_rows(struct work *w, uint32_t area)
{
	struct fabric_map_rect *r = &w->m->area[area];
	uint32_t line = 0, last = 0;
	bool framed = w->x->area[area].framed;
	int step = w->box_h + (w->x->named && !framed ? 30 : w->gap);
	int between = 0;

	for (uint32_t s = 0; s < w->g->nsw; s++)
		if (w->x->of[s] == area && w->x->row[s] > last)
			last = w->x->row[s];
	for (uint32_t row = 0; row <= last; row++) {
		uint32_t next = place_row(w, area, row, line);

		for (uint32_t s = 0; s < w->g->nsw; s++)
			if (w->x->of[s] == area && w->x->row[s] == row)
				w->m->box[s].at.y =
					w->m->box[s].at.y * step + between;
		/* tiers of one area keep away from each other */
		if (next > line && row < last)
			between += w->x->named ? 50 : 10;
		line = next;
	}
	for (uint32_t s = 0; s < w->g->nsw; s++)
		if (w->x->of[s] == area)
			r->w = larger_of(r->w, w->m->box[s].at.x + w->box_w);
	r->h = (int)line * step - (step - w->box_h) + between;
}

static void
place_grid(struct work *w, uint32_t area)
{
	struct fabric_map_rect *r = &w->m->area[area];
	int gap_x = w->x->named ? 26 : 10, gap_y = w->x->named ? 26 : 10;

	for (uint32_t s = 0; s < w->g->nsw; s++) {
		struct fabric_map_rect *at = &w->m->box[s].at;

		if (w->x->of[s] != area)
			continue;
		at->x = (int)w->x->col[s] * (w->box_w + gap_x) + gap_x;
		at->y = (int)w->x->row[s] * (w->box_h + gap_y) + gap_y;
		r->w = larger_of(r->w, at->x + w->box_w + gap_x);
		r->h = larger_of(r->h, at->y + w->box_h + gap_y);
	}
}

/* The switches of a circle, which needs room for their boxes beside each
 * other. */
static void
place_circle(struct work *w)
{
	uint32_t n = w->g->nsw;
	double ry = larger_of(200, (int)n * (w->box_h + 10) / 4);
	double rx = larger_of(300, (int)n * (w->box_w + 14) / 6);

	for (uint32_t i = 0; i < n; i++) {
		struct fabric_map_rect *at = &w->m->box[w->x->order[i]].at;
		double angle = TAU * i / n - TAU / 4;

		at->x = (int)(rx + rx * cos(angle));
		at->y = (int)(ry + ry * sin(angle));
	}
	w->m->area[0].w = (int)(2 * rx) + w->box_w;
	w->m->area[0].h = (int)(2 * ry) + w->box_h;
}

static void
place_inside(struct work *w, uint32_t area)
{
	const struct fabric_area *x = &w->x->area[area];
	struct fabric_map_rect *r = &w->m->area[area];
	int pad = x->framed ? PAD : 0, inner, shift, text;

	choose_columns(w, area);
	if (w->x->layout == FABRIC_LAYOUT_CIRCLE)
		place_circle(w);
	else if (w->x->layout == FABRIC_LAYOUT_GRID)
		place_grid(w, area);
	else
		place_rows(w, area);
	text = larger_of((int)terminal_columns(x->title) * TITLE_CHAR,
		(int)terminal_columns(x->detail) * DETAIL_CHAR);
	inner = larger_of(r->w, text);
	shift = pad + (inner - r->w) / 2;
	for (uint32_t s = 0; s < w->g->nsw; s++)
		if (w->x->of[s] == area) {
			w->m->box[s].at.x += shift;
			w->m->box[s].at.y += HEAD + pad;
			w->m->box[s].at.w = w->box_w;
			w->m->box[s].at.h = w->box_h;
		}
	r->w = inner + 2 * pad;
	r->h += HEAD + 2 * pad;
}

/* ---- areas ---- */

static void
move_area(struct work *w, uint32_t area, int x, int y)
{
	w->m->area[area].x = x;
	w->m->area[area].y = y;
	for (uint32_t s = 0; s < w->g->nsw; s++)
		if (w->x->of[s] == area) {
			w->m->box[s].at.x += x;
			w->m->box[s].at.y += y;
		}
	w->m->width = larger_of(w->m->width, x + w->m->area[area].w + MARGIN);
	w->m->height = larger_of(w->m->height, y + w->m->area[area].h + MARGIN);
}

/* The width and height of the largest area of a band, and how many areas it
 * has. */
static uint32_t
measure_band(const struct work *w, uint32_t band, int *width, int *height)
{
	uint32_t n = 0;

	*width = *height = 0;
	for (uint32_t i = 0; i < w->x->n; i++) {
		if (w->x->area[i].band != band)
			continue;
		*width = larger_of(*width, w->m->area[i].w);
		*height = larger_of(*height, w->m->area[i].h);
		n++;
	}
	return n;
}

/* How many columns of this width a band of n areas has. */
static uint32_t
band_columns(uint32_t n, int width)
{
	uint32_t fit = (uint32_t)((WIDTH - 2 * MARGIN) / (width + AREA_GAP));

	return even_columns(n, fit);
}

/* The areas of a band in lines from y on; returns where they end. */
static int
place_band(struct work *w, uint32_t band, int y, int full)
{
	int width, height, x0;
	uint32_t n = measure_band(w, band, &width, &height), k = 0;
	uint32_t cols = band_columns(n, width);

	/* lines to lower areas pass the first column on its left */
	x0 = MARGIN + (n > cols ? AREA_GAP : 0) +
	     larger_of(
		     0, (full - span_of(n < cols ? n : cols, width, AREA_GAP)) /
				2);
	for (uint32_t i = 0; i < w->x->n; i++) {
		if (w->x->area[i].band != band)
			continue;
		move_area(w, i,
			x0 + (int)(k % cols) * (width + AREA_GAP) +
				(width - w->m->area[i].w) / 2,
			y + (int)(k / cols) * (height + LINES_GAP));
		k++;
	}
	if (n == 0)
		return y;
	return y + (int)((n + cols - 1) / cols) * (height + LINES_GAP) -
	       LINES_GAP + BANDS_GAP;
}

/* All bands, centred on the widest. */
static void
place_bands(struct work *w)
{
	int y = MARGIN, full = 0, width, height;

	for (uint32_t band = 0; band < w->x->nbands; band++) {
		uint32_t n = measure_band(w, band, &width, &height);
		uint32_t cols = band_columns(n, width);

		full = larger_of(full, span_of(cols, width, AREA_GAP));
	}
	for (uint32_t band = 0; band < w->x->nbands; band++)
		y = place_band(w, band, y, full);
}

/* Groups in a ring, if it is not too wide; then lines between them cross no
 * other group. */
static bool
place_ring(struct work *w)
{
	int width, height, deep;
	uint32_t n = measure_band(w, 0, &width, &height);
	double rx, ry;

	if (n < 3 || w->x->nbands > 1)
		return false;
	rx = (int)n * (width + AREA_GAP) / 5.0;
	deep = larger_of((int)n * (height + AREA_GAP) / 5, height * 5 / 4);
	ry = deep;
	if (2 * rx + width > WIDTH * 1.25)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		double angle = TAU * i / n - TAU / 4;

		move_area(w, i,
			MARGIN + (int)(rx + rx * cos(angle)) +
				(width - w->m->area[i].w) / 2,
			MARGIN + (int)(ry + ry * sin(angle)));
	}
	return true;
}

/* ---- links ---- */

static void
add_point(struct fabric_map_link *l, int x, int y)
{
	l->x[l->points] = x;
	l->y[l->points++] = y;
}

static int
middle_x(const struct fabric_map_rect *r)
{
	return r->x + r->w / 2;
}

static int
middle_y(const struct fabric_map_rect *r)
{
	return r->y + r->h / 2;
}

/* x, or the nearest place inside the rectangle. */
static int
clamp_x(const struct fabric_map_rect *r, int x)
{
	int left = r->x + 8, right = r->x + r->w - 8;

	if (left > right)
		return middle_x(r);
	return x < left ? left : x > right ? right : x;
}

/* A line between two boxes: from the lower edge of the upper one where one is
 * above the other, else from the middle. */
static void
draw_straight(struct fabric_map_link *l, const struct fabric_map_rect *a,
	const struct fabric_map_rect *b)
{
	if (a->y + a->h <= b->y) {
		add_point(l, middle_x(a), a->y + a->h);
		add_point(l, middle_x(b), b->y);
	} else if (b->y + b->h <= a->y) {
		add_point(l, middle_x(b), b->y + b->h);
		add_point(l, middle_x(a), a->y);
	} else {
		add_point(l, middle_x(a), middle_y(a));
		add_point(l, middle_x(b), middle_y(b));
	}
}

/* Whether another area of b's band stands above it. */
static bool
is_hidden(const struct work *w, uint32_t b)
{
	const struct fabric_map_rect *r = &w->m->area[b], *o;

	for (uint32_t i = 0; i < w->x->n; i++) {
		o = &w->m->area[i];
		if (i != b && w->x->area[i].band == w->x->area[b].band &&
			o->y < r->y && o->x < r->x + r->w && r->x < o->x + o->w)
			return true;
	}
	return false;
}

/* From an area to one of a lower band: through the gap beside the areas above
 * it, if there are such. */
static void
draw_down(struct work *w, struct fabric_map_link *l, uint32_t up, uint32_t down)
{
	const struct fabric_map_rect *a = &w->m->area[up];
	const struct fabric_map_rect *b = &w->m->area[down];
	int x = middle_x(b), gap = x, edge = a->y + a->h, width, height, line;

	if (is_hidden(w, down)) {
		(void)measure_band(w, w->x->area[down].band, &width, &height);
		line = (b->y - edge) / (height + LINES_GAP);
		gap = x - width / 2 - 4 - (line - 1) % 5 * 6;
	}
	if (clamp_x(a, gap) != gap) {
		add_point(l, clamp_x(a, gap), edge);
		add_point(l, clamp_x(a, gap), edge + ELBOW);
		add_point(l, gap, edge + ELBOW);
	} else {
		add_point(l, gap, edge);
	}
	if (gap != x) {
		add_point(l, gap, b->y - LINES_GAP / 2);
		add_point(l, x, b->y - LINES_GAP / 2);
	}
	add_point(l, x, b->y);
}

static void
draw_areas(struct work *w, struct fabric_map_link *l)
{
	uint32_t a = l->a, b = l->b;
	uint32_t band_a = w->x->area[a].band, band_b = w->x->area[b].band;

	if (a == b)
		return;
	if (w->x->layout != FABRIC_LAYOUT_TIERS || band_a == band_b) {
		add_point(
			l, middle_x(&w->m->area[a]), middle_y(&w->m->area[a]));
		add_point(
			l, middle_x(&w->m->area[b]), middle_y(&w->m->area[b]));
	} else if (band_a < band_b) {
		draw_down(w, l, a, b);
	} else {
		draw_down(w, l, b, a);
	}
}

static bool
are_adjacent(const struct work *w, uint32_t s, uint32_t t)
{
	uint32_t dx = w->x->col[s] > w->x->col[t] ? w->x->col[s] - w->x->col[t]
						  : w->x->col[t] - w->x->col[s];
	uint32_t dy = w->x->row[s] > w->x->row[t] ? w->x->row[s] - w->x->row[t]
						  : w->x->row[t] - w->x->row[s];

	return dx + dy == 1;
}

static bool
is_framed(const struct work *w, uint32_t s)
{
	return w->x->area[w->x->of[s]].framed;
}

/* Whether the links between two switches are drawn as a line of their own. */
static bool
is_own_line(const struct work *w, uint32_t s, uint32_t t)
{
	bool same = w->x->of[s] == w->x->of[t];

	switch (w->x->layout) {
	case FABRIC_LAYOUT_GRID:
		return same;
	case FABRIC_LAYOUT_GROUPS:
		return false;
	case FABRIC_LAYOUT_CIRCLE:
		return true;
	case FABRIC_LAYOUT_TIERS:
	default:
		return w->x->named &&
		       (same || (!is_framed(w, s) && !is_framed(w, t)));
	}
}

/* A link of a ring that closes it, and one that passes other switches of its
 * row, are drawn as stubs beside both ends: from a, to the edge. */
static void
draw_in_grid(struct work *w, struct fabric_map_link *l)
{
	const struct fabric_map_rect *a = &w->m->box[l->a].at;
	const struct fabric_map_rect *b = &w->m->box[l->b].at;
	int bow = w->x->named ? 13 : 5;
	bool separate = !are_adjacent(w, l->a, l->b);

	if (separate && w->x->row[l->a] == w->x->row[l->b]) {
		add_point(l, middle_x(a), a->y);
		add_point(l, middle_x(a), a->y - bow);
		add_point(l, middle_x(b), b->y - bow);
		add_point(l, middle_x(b), b->y);
	} else if (separate && w->x->col[l->a] == w->x->col[l->b]) {
		add_point(l, a->x, middle_y(a));
		add_point(l, a->x - bow, middle_y(a));
		add_point(l, b->x - bow, middle_y(b));
		add_point(l, b->x, middle_y(b));
	} else {
		draw_straight(l, a, b);
	}
}

static void
draw_switches(struct work *w, struct fabric_map_link *l)
{
	if (w->x->layout == FABRIC_LAYOUT_GRID)
		draw_in_grid(w, l);
	else
		draw_straight(l, &w->m->box[l->a].at, &w->m->box[l->b].at);
}

static void
add_counts(struct fabric_map_link *to, const struct fabric_graph_link *l)
{
	to->n += l->n;
	to->missing += l->missing;
	to->drained += l->drained;
}

/* Lines of their own first, then those between areas, by both areas. */
static void
place_links(struct work *w)
{
	const struct fabric_graph *g = w->g;
	uint32_t n = w->x->n,
		 *at = arena_array(w->a, (size_t)n * n, sizeof(*at));
	struct fabric_map_link *l;

	w->m->link = arena_array(w->a, g->nlinks, sizeof(*l));
	for (uint32_t i = 0; i < g->nlinks; i++) {
		const struct fabric_graph_link *from = &g->link[i];
		uint32_t x = w->x->of[from->a], y = w->x->of[from->b];
		uint32_t *slot = x < y ? &at[x * n + y] : &at[y * n + x];
		bool own = is_own_line(w, from->a, from->b);

		if (!own && *slot != 0) {
			add_counts(&w->m->link[*slot - 1], from);
			continue;
		}
		l = &w->m->link[w->m->nlinks++];
		l->areas = !own;
		l->a = own ? from->a : (x < y ? x : y);
		l->b = own ? from->b : (x < y ? y : x);
		add_counts(l, from);
		if (!own)
			*slot = w->m->nlinks;
	}
	for (uint32_t i = 0; i < w->m->nlinks; i++)
		if (w->m->link[i].areas)
			draw_areas(w, &w->m->link[i]);
		else
			draw_switches(w, &w->m->link[i]);
}

/* ---- labels ---- */

/* The last characters of a name are those that differ: names that are too long
 * lose their beginning. */
static void
label_box(struct work *w, uint32_t s)
{
	struct fabric_short_name name = fabric_short_name(&w->g->sw[s]);
	struct fabric_map_box *box = &w->m->box[s];
	const char *at = name.s;

	if (!w->x->named)
		return;
	while (terminal_columns(at) > FABRIC_MAP_LABEL - (at != name.s))
		do
			at++;
		while (((unsigned char)*at & 0xc0) == 0x80);
	(void)snprintf(box->label, sizeof(box->label), "%s%s",
		at == name.s ? "" : "\u2026", at);
}

struct fabric_map *
fabric_map_make(const struct fabric_graph *g, struct arena *a)
{
	struct fabric_map *m = arena_alloc(a, sizeof(*m));
	struct work w = {.g = g, .m = m, .a = a};

	m->graph = g;
	w.x = m->areas = fabric_areas_find(g, a);
	m->box = arena_array(a, g->nsw, sizeof(*m->box));
	m->area = arena_array(a, w.x->n, sizeof(*m->area));
	w.cols = arena_array(a, w.x->n, sizeof(*w.cols));
	w.box_w = w.x->named ? NAMED_W : CELL;
	w.box_h = w.x->named ? NAMED_H : CELL;
	w.gap = w.x->named ? NAMED_GAP : CELL_GAP;
	for (uint32_t i = 0; i < w.x->n; i++)
		place_inside(&w, i);
	if (w.x->layout != FABRIC_LAYOUT_GROUPS || !place_ring(&w))
		place_bands(&w);
	place_links(&w);
	for (uint32_t s = 0; s < g->nsw; s++)
		label_box(&w, s);
	return m;
}

/* ---- JSON ---- */

static void
put_rect(json_t *o, const struct fabric_map_rect *r)
{
	json_util_put(
		o, M("x", r->x), M("y", r->y), M("w", r->w), M("h", r->h));
}

static json_t *
area_json(const struct fabric_map *m, uint32_t i)
{
	const struct fabric_area *x = &m->areas->area[i];
	json_t *o = json_util_object(M("title", names_text(x->title)),
		M("detail", x->detail), M("framed", x->framed),
		M("switches", x->switches), M("hosts", x->hosts));

	put_rect(o, &m->area[i]);
	return o;
}

static json_t *
switch_json(const struct fabric_map *m, uint32_t s)
{
	const struct fabric_graph_switch *x = &m->graph->sw[s];
	json_t *o = json_util_object(M("guid", names_guid(x->guid)),
		M("name", names_text(x->name)),
		M("label", names_text(m->box[s].label)),
		M("area", m->areas->of[s]), M("hosts", x->hosts),
		M("missing_hosts", x->missing), M("links", x->links),
		M("missing_links", x->down),
		M("state", fabric_graph_state_name(x->state)));

	json_util_put(o,
		M("tier", x->tier != FABRIC_GRAPH_NONE ? json_integer(x->tier)
						       : json_null()));
	put_rect(o, &m->box[s].at);
	return o;
}

static json_t *
link_json(const struct fabric_map_link *l)
{
	json_t *points = json_array();

	for (unsigned i = 0; i < l->points; i++)
		json_util_add(points, json_pack("[i, i]", l->x[i], l->y[i]));
	return json_util_object(M("between", l->areas ? "areas" : "switches"),
		M("a", l->a), M("b", l->b), M("links", l->n),
		M("missing", l->missing), M("drained", l->drained),
		M("points", points));
}

json_t *
fabric_map_json(const struct fabric_map *m)
{
	json_t *areas = json_array(), *switches = json_array();
	json_t *links = json_array();

	for (uint32_t i = 0; i < m->areas->n; i++)
		json_util_add(areas, area_json(m, i));
	for (uint32_t s = 0; s < m->graph->nsw; s++)
		json_util_add(switches, switch_json(m, s));
	for (uint32_t i = 0; i < m->nlinks; i++)
		json_util_add(links, link_json(&m->link[i]));
	return json_util_object(
		M("layout", fabric_layout_name(m->areas->layout)),
		M("width", m->width), M("height", m->height), M("areas", areas),
		M("switches", switches), M("links", links));
}
