#include <inttypes.h>
#include <string.h>

#include "sm/base/buf.h"
#include "sm/cabling/deviation.h"
#include "sm/mad/port_values.h"

enum { LINKS_SHOWN = 4 };

static const char *const kind_names[DEVIATION_KINDS] = {
	[DEVIATION_MISSING_NODE] = "missing-node",
	[DEVIATION_EXTRA_NODE] = "extra-node",
	[DEVIATION_REPLACED] = "replaced",
	[DEVIATION_AMBIGUOUS] = "ambiguous",
	[DEVIATION_SWAPPED] = "swapped",
	[DEVIATION_MOVED] = "moved",
	[DEVIATION_MISSING] = "missing",
	[DEVIATION_EXTRA] = "extra",
	[DEVIATION_SLOW] = "slow",
};

const char *
deviation_kind_name(enum deviation_kind kind)
{
	return kind_names[kind];
}

const char *
deviation_class_name(enum deviation_class of)
{
	static const char *const name[DEVIATION_CLASSES] = {
		[DEVIATION_NODE] = "node",
		[DEVIATION_HOST] = "host",
		[DEVIATION_SWITCH] = "switch",
		[DEVIATION_ROUTER] = "router",
		[DEVIATION_AGGREGATION] = "aggregation node",
	};

	return name[of];
}

/*
 * Append a text in which %n is the name of an end, %i its name and GUID, as far
 * as it has them, and %p its name and port: the ends in that order.
 */
static void
print_ends(struct buf *out, const char *text, const struct event_end *const *e)
{
	for (;; text += 2, e++) {
		size_t n = strcspn(text, "%");

		buf_put(out, text, n);
		text += n;
		if (*text == '\0')
			return;
		if ((*e)->name[0] != '\0')
			buf_printf(out, "\"%s\"", (*e)->name);
		else
			buf_printf(out, "0x%016" PRIx64, (*e)->guid);
		if (text[1] == 'p')
			buf_printf(out, " port %u", (*e)->port);
		else if (text[1] == 'i' && (*e)->name[0] != '\0' &&
			 (*e)->guid != 0)
			buf_printf(out, " (0x%016" PRIx64 ")", (*e)->guid);
	}
}

#define ENDS(...) ((const struct event_end *const[]){__VA_ARGS__})

/* ---- nodes ---- */

static void
print_node(const struct deviation *x, struct buf *out)
{
	const char *class = deviation_class_name(x->of);

	buf_printf(out, "%s %s ",
		x->kind == DEVIATION_MISSING_NODE ? "missing"
		: x->kind == DEVIATION_EXTRA_NODE ? "extra"
						  : kind_names[x->kind],
		class);
	print_ends(out,
		x->kind == DEVIATION_MISSING_NODE ? "%n"
		: x->kind == DEVIATION_REPLACED	  ? "%i: %i is in its place"
		: x->kind == DEVIATION_AMBIGUOUS
			? "%n: several nodes have this name"
		: x->links > 0 ? "%i at %p"
			       : "%i",
		ENDS(&x->node, &x->other));
	if (x->kind == DEVIATION_MISSING_NODE)
		buf_printf(out, " with its %" PRIu32 " link%s", x->links,
			x->links == 1 ? "" : "s");
	else if (x->kind == DEVIATION_EXTRA_NODE && x->links > 1)
		buf_printf(out, " and by %" PRIu32 " more", x->links - 1);
	if (x->with > 0)
		buf_printf(out, ", and %" PRIu32 " node%s behind it", x->with,
			x->with == 1 ? "" : "s");
}

/* ---- links ---- */

/* Edge i of a chain is the one from end i. */
static const struct event_end *
edge_end(const struct deviation *x, uint32_t i, unsigned which)
{
	return &x->end[(i + which) % x->n];
}

static bool
is_at_one_node(const struct event_end *a, const struct event_end *b)
{
	return a->guid == b->guid;
}

/* Two links, a ring that starts with a planned one: named are two ends at one
 * node, if there are such, as that is where they were confused. */
static void
print_swapped(const struct deviation *x, struct buf *out)
{
	const struct event_end *e = x->end;
	unsigned i =
		!is_at_one_node(&e[0], &e[2]) && is_at_one_node(&e[1], &e[3]);
	/* what the ends i and i + 2 were planned to lead to */
	unsigned first = i == 0 ? 1 : 0, second = i == 0 ? 3 : 2;

	print_ends(out, "swapped %p and %p: planned to lead to %p and %p",
		ENDS(&e[i], &e[i + 2], &e[first], &e[second]));
}

/* The edges of one kind: every other one, from edge i on. */
static void
print_edges(const struct deviation *x, uint32_t i, struct buf *out)
{
	uint32_t edges = x->ring ? x->n : x->n - 1, shown = 0;

	for (; i < edges && shown < LINKS_SHOWN; i += 2, shown++) {
		print_ends(out, shown > 0 ? ", %p - %p" : "%p - %p",
			ENDS(edge_end(x, i, 0), edge_end(x, i, 1)));
	}
	if (i < edges)
		buf_printf(out, " and %" PRIu32 " more", (edges - i + 1) / 2);
}

static void
print_chain(const struct deviation *x, const char *what, struct buf *out)
{
	buf_printf(out, "%s %" PRIu32 " links: planned ", what, x->links);
	print_edges(x, x->starts_there, out);
	buf_printf(out, "; there ");
	print_edges(x, !x->starts_there, out);
}

/* Three ports: what was to be at the first is at the last, or the other way
 * round. */
static void
print_moved(const struct deviation *x, struct buf *out)
{
	const struct event_end *e = x->end;

	print_ends(out, "moved %p: leads to %p, planned to %p",
		ENDS(&e[1], &e[x->starts_there ? 0 : 2],
			&e[x->starts_there ? 2 : 0]));
}

static void
print_rate(const struct cabling_link *l, struct buf *out)
{
	const char *width = port_width_name(l->width);
	const char *speed = port_speed_name(l->speed, l->speed_ext);

	buf_printf(out, "%s %s, %g Gb/s", width != NULL ? width : "?",
		speed != NULL ? speed : "?", cabling_rate(l) / 10.0);
}

void
deviation_print(const struct deviation *x, struct buf *out)
{
	switch (x->kind) {
	case DEVIATION_SWAPPED:
		if (x->n == 4)
			print_swapped(x, out);
		else
			print_chain(x, "swapped", out);
		break;
	case DEVIATION_MOVED:
		if (x->n == 3)
			print_moved(x, out);
		else
			print_chain(x, "moved", out);
		break;
	case DEVIATION_MISSING:
	case DEVIATION_EXTRA:
	case DEVIATION_SLOW:
		buf_printf(out, "%s link ", kind_names[x->kind]);
		print_ends(out, "%p - %p", ENDS(&x->end[0], &x->end[1]));
		if (x->kind != DEVIATION_SLOW)
			break;
		buf_printf(out, ": ");
		print_rate(&x->is, out);
		buf_printf(out, "; planned ");
		print_rate(&x->planned, out);
		break;
	case DEVIATION_MISSING_NODE:
	case DEVIATION_EXTRA_NODE:
	case DEVIATION_REPLACED:
	case DEVIATION_AMBIGUOUS:
	case DEVIATION_KINDS:
	default:
		print_node(x, out);
	}
}

void
deviations_print_counts(const struct deviations *d, struct buf *out)
{
	const char *between = ": ";

	if (d->n == 0) {
		buf_printf(out, "as planned");
		return;
	}
	buf_printf(out, "%zu deviation%s", d->n, d->n == 1 ? "" : "s");
	for (unsigned k = 0; k < DEVIATION_KINDS; k++) {
		if (d->count[k] == 0)
			continue;
		buf_printf(out, "%s%" PRIu32 " %s", between, d->count[k],
			kind_names[k]);
		between = ", ";
	}
	if (d->drained > 0)
		buf_printf(out, "; %" PRIu32 " drained", d->drained);
}
