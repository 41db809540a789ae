#include "tests/bench/plot.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDE = 720, HIGH = 360, LEFT = 80, RIGHT = 180, TOP = 40, BOTTOM = 50 };

/* The visible range: from (x0, y0) to (x1, y1). */
struct frame {
	const struct plot *p;
	double x0, x1, y0, y1;
	int dy; /* vertical offset of this plot in the file */
};

static const char *const colour[] = {"#1b6ca8", "#c0392b", "#2e8b57", "#8e44ad",
	"#d68910", "#34495e", "#16a085", "#7f8c8d"};

static double
y_value(const struct plot *p, double y)
{
	return p->log_y ? log10(y < 1 ? 1 : y) : y;
}

static struct frame
frame_of(const struct plot *p, int dy)
{
	struct frame f = {p, 0, 0, 0, 0, dy};
	bool first = true;

	for (size_t c = 0; c < p->ncurves; c++)
		for (size_t i = 0; i < p->curve[c].n; i++) {
			double x = p->curve[c].x[i];
			double y = y_value(p, p->curve[c].y[i]);

			if (first || x < f.x0)
				f.x0 = x;
			if (first || x > f.x1)
				f.x1 = x;
			if (first || y > f.y1)
				f.y1 = y;
			first = false;
		}
	if (f.x1 <= f.x0)
		f.x1 = f.x0 + 1;
	f.y1 = p->log_y ? ceil(f.y1) : f.y1 * 1.05;
	if (f.y1 <= f.y0)
		f.y1 = f.y0 + 1;
	return f;
}

static double
at_x(const struct frame *f, double x)
{
	return LEFT + (x - f->x0) / (f->x1 - f->x0) * (WIDE - LEFT - RIGHT);
}

static double
at_y(const struct frame *f, double y)
{
	return f->dy + HIGH - BOTTOM -
	       (y_value(f->p, y) - f->y0) / (f->y1 - f->y0) *
		       (HIGH - TOP - BOTTOM);
}

/* A step of 1, 2 or 5 times a power of ten, about five to the span. */
static double
step_of(double span)
{
	double raw = span / 5, ten = pow(10, floor(log10(raw)));

	if (raw / ten < 1.5)
		return ten;
	return raw / ten < 3.5 ? 2 * ten : raw / ten < 7.5 ? 5 * ten : 10 * ten;
}

static void
write_text(FILE *out, double x, double y, const char *anchor, const char *s)
{
	(void)fprintf(out,
		"<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x,
		y, anchor, s);
}

static void
grid_x(FILE *out, const struct frame *f)
{
	double step = step_of(f->x1 - f->x0);
	char label[32];

	for (int i = 0; i < 12; i++) {
		double x = (ceil(f->x0 / step) + i) * step;

		if (x > f->x1 + step / 1e6)
			return;
		(void)snprintf(label, sizeof(label), "%g", x);
		write_text(out, at_x(f, x), f->dy + HIGH - BOTTOM + 18,
			"middle", label);
	}
}

static void
grid_y(FILE *out, const struct frame *f)
{
	double step = f->p->log_y ? 1 : step_of(f->y1 - f->y0);
	char label[32];

	for (int i = 0; i * step <= f->y1 + step / 1e6; i++) {
		double v = f->p->log_y ? pow(10, i) : i * step;
		double y = at_y(f, v);

		(void)fprintf(out,
			"<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" "
			"stroke=\"#ddd\"/>\n",
			LEFT, WIDE - RIGHT, y, y);
		(void)snprintf(label, sizeof(label), "%g", v);
		write_text(out, LEFT - 8, y + 4, "end", label);
	}
}

static void
draw_curve(FILE *out, const struct frame *f, size_t c)
{
	const struct plot_curve *k = &f->p->curve[c];
	const char *ink = colour[c % (sizeof(colour) / sizeof(colour[0]))];
	double y = f->dy + TOP + 14 + 20 * (double)c;

	(void)fprintf(out,
		"<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\" "
		"points=\"",
		ink);
	for (size_t i = 0; i < k->n; i++)
		(void)fprintf(
			out, "%.1f,%.1f ", at_x(f, k->x[i]), at_y(f, k->y[i]));
	(void)fprintf(out, "\"/>\n");
	for (size_t i = 0; f->p->marks && i < k->n; i++)
		(void)fprintf(out,
			"<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" "
			"fill=\"%s\"/>\n",
			at_x(f, k->x[i]), at_y(f, k->y[i]), ink);
	(void)fprintf(out,
		"<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" "
		"stroke=\"%s\" stroke-width=\"3\"/>\n",
		WIDE - RIGHT + 14, WIDE - RIGHT + 34, y - 4, y - 4, ink);
	write_text(out, WIDE - RIGHT + 40, y, "start", k->name);
}

static void
draw_plot(FILE *out, const struct plot *p, int dy)
{
	struct frame f = frame_of(p, dy);

	grid_y(out, &f);
	grid_x(out, &f);
	(void)fprintf(out,
		"<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" "
		"fill=\"none\" stroke=\"#444\"/>\n",
		LEFT, dy + TOP, WIDE - LEFT - RIGHT, HIGH - TOP - BOTTOM);
	write_text(
		out, (WIDE - RIGHT + LEFT) / 2.0, dy + 24, "middle", p->title);
	write_text(out, (WIDE - RIGHT + LEFT) / 2.0, dy + HIGH - 12, "middle",
		p->xlabel);
	(void)fprintf(out,
		"<text transform=\"translate(18 %d) rotate(-90)\" "
		"text-anchor=\"middle\">%s</text>\n",
		dy + (HIGH - BOTTOM + TOP) / 2, p->ylabel);
	for (size_t c = 0; c < p->ncurves; c++)
		draw_curve(out, &f, c);
}

int
plot_write(const char *path, const struct plot *p, size_t n, struct reason *why)
{
	FILE *out = fopen(path, "w");

	if (out == NULL)
		return reason_set(why, "%s: %s", path, strerror(errno));
	(void)fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
		"height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
		WIDE, HIGH * (int)n);
	for (size_t i = 0; i < n; i++)
		draw_plot(out, &p[i], (int)i * HIGH);
	(void)fprintf(out, "</svg>\n");
	if (fclose(out) != 0)
		return reason_set(why, "%s: %s", path, strerror(errno));
	return 0;
}
