#include <inttypes.h>

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

static void
print_name(const struct event_end *e, struct buf *out)
{
	if (e->name[0] != '\0')
		buf_printf(out, "\"%s\"", e->name);
	else
		buf_printf(out, "0x%016" PRIx64, e->guid);
}

static void
print_port(const struct event_end *e, struct buf *out)
{
	print_name(e, out);
	buf_printf(out, " port %u", e->port);
}

static void
print_link(
	const struct event_end *a, const struct event_end *b, struct buf *out)
{
	print_port(a, out);
	buf_printf(out, " - ");
	print_port(b, out);
}

/* Its name and its GUID, as far as it has them. */
static void
print_identity(const struct event_end *e, struct buf *out)
{
	print_name(e, out);
	if (e->name[0] != '\0' && e->guid != 0)
		buf_printf(out, " (0x%016" PRIx64 ")", e->guid);
}

/* ---- nodes ---- */

static void
print_behind(const struct deviation *x, struct buf *out)
{
	if (x->with > 0)
		buf_printf(out, ", and %" PRIu32 " node%s behind it", x->with,
			x->with == 1 ? "" : "s");
}

static void
print_missing_node(const struct deviation *x, struct buf *out)
{
	buf_printf(out, "missing %s ", deviation_class_name(x->of));
	print_name(&x->node, out);
	buf_printf(out, " with its %" PRIu32 " link%s", x->links,
		x->links == 1 ? "" : "s");
	print_behind(x, out);
}

static void
print_extra_node(const struct deviation *x, struct buf *out)
{
	buf_printf(out, "extra %s ", deviation_class_name(x->of));
	print_identity(&x->node, out);
	if (x->links > 0) {
		buf_printf(out, " at ");
		print_port(&x->other, out);
	}
	if (x->links > 1)
		buf_printf(out, " and by %" PRIu32 " more", x->links - 1);
	print_behind(x, out);
}

static void
print_replaced(const struct deviation *x, struct buf *out)
{
	buf_printf(out, "replaced %s ", deviation_class_name(x->of));
	print_identity(&x->node, out);
	buf_printf(out, ": ");
	print_identity(&x->other, out);
	buf_printf(out, " is in its place");
}

static void
print_ambiguous(const struct deviation *x, struct buf *out)
{
	buf_printf(out, "ambiguous %s ", deviation_class_name(x->of));
	print_name(&x->node, out);
	buf_printf(out, ": several nodes have this name");
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

	buf_printf(out, "swapped ");
	print_port(&e[i], out);
	buf_printf(out, " and ");
	print_port(&e[i + 2], out);
	buf_printf(out, ": planned to lead to ");
	print_port(&e[first], out);
	buf_printf(out, " and ");
	print_port(&e[second], out);
}

/* The edges of one kind: every other one, from edge i on. */
static void
print_edges(const struct deviation *x, uint32_t i, struct buf *out)
{
	uint32_t edges = x->ring ? x->n : x->n - 1, shown = 0;

	for (; i < edges && shown < LINKS_SHOWN; i += 2, shown++) {
		if (shown > 0)
			buf_printf(out, ", ");
		print_link(edge_end(x, i, 0), edge_end(x, i, 1), out);
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

	buf_printf(out, "moved ");
	print_port(&e[1], out);
	buf_printf(out, ": leads to ");
	print_port(&e[x->starts_there ? 0 : 2], out);
	buf_printf(out, ", planned to ");
	print_port(&e[x->starts_there ? 2 : 0], out);
}

static void
print_rate(const struct cabling_link *l, struct buf *out)
{
	const char *width = port_width_name(l->width);
	const char *speed = port_speed_name(l->speed, l->speed_ext);

	buf_printf(out, "%s %s, %g Gb/s", width != NULL ? width : "?",
		speed != NULL ? speed : "?", cabling_rate(l) / 10.0);
}

static void
print_slow(const struct deviation *x, struct buf *out)
{
	buf_printf(out, "slow link ");
	print_link(&x->end[0], &x->end[1], out);
	buf_printf(out, ": ");
	print_rate(&x->is, out);
	buf_printf(out, "; planned ");
	print_rate(&x->planned, out);
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
		buf_printf(out, "%s link ", kind_names[x->kind]);
		print_link(&x->end[0], &x->end[1], out);
		break;
	case DEVIATION_SLOW:
		print_slow(x, out);
		break;
	case DEVIATION_MISSING_NODE:
		print_missing_node(x, out);
		break;
	case DEVIATION_EXTRA_NODE:
		print_extra_node(x, out);
		break;
	case DEVIATION_REPLACED:
		print_replaced(x, out);
		break;
	case DEVIATION_AMBIGUOUS:
	case DEVIATION_KINDS:
	default:
		print_ambiguous(x, out);
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
