#include "sm/what_if/forecast_adaptive.h"

#include <stdio.h>

#include "routing/driver/beside_tables.h"
#include "routing/measure/bandwidth.h"
#include "sm/report/json_util.h"
#include "sm/report/names.h"
#include "sm/report/page.h"

/* ---- figures ---- */

/* The groups that the sets of a row take at most: one for each port that may be
 * the default, where that comes first. */
static uint32_t
count_groups(const struct route_sets *sets, const struct route_set_row *row)
{
	uint32_t n = 0;

	for (uint16_t k = 1; k < row->n; k++)
		n += sets->default_first ? route_set_count(&row->set[k]) : 1;
	return n;
}

static void
add_row(const struct route_sets *sets, sw_ix s, struct forecast_adaptive *out)
{
	const struct route_set_row *row = sets->row[s];
	uint32_t n, room = sets->can[s].groups;

	if (row == NULL)
		return;
	out->choosing++;
	for (sw_ix t = 0; t < sets->nsw; t++) {
		const struct route_set *set = route_sets_get(sets, s, t);

		out->choices += set != NULL;
		out->ports += set != NULL ? route_set_count(set) : 0;
	}
	n = count_groups(sets, row);
	if (n > room) /* those of sets that were dropped are not used */
		n = room;
	if (out->fullest != TOPO_NONE && room - n >= out->room - out->groups)
		return;
	out->fullest = s;
	out->groups = n;
	out->room = room;
}

void
forecast_adaptive_measure(const struct routes *r, const struct choices *choices,
	unsigned trials, uint64_t seed, struct forecast_adaptive *out)
{
	const struct verify_tables in = beside_tables_as_judged(r);

	*out = (struct forecast_adaptive){.enabled = true,
		.switches = r->topo->nsw,
		.cannot = choices->cannot,
		.assumed = choices->assumed,
		.fullest = TOPO_NONE};
	(void)snprintf(out->first, sizeof(out->first), "%s", choices->first);
	if (r->sets == NULL)
		return;
	out->no_room = r->sets->dropped;
	(void)snprintf(out->why, sizeof(out->why), "%s", r->sets->why);
	if (out->why[0] != '\0')
		return;
	for (sw_ix s = 0; s < r->topo->nsw; s++)
		add_row(r->sets, s, out);
	even_split_uniform(&in, r->sets, &out->load);
	if (trials > 0)
		even_split_bisections(
			&in, r->sets, trials, seed, &out->bisection);
}

/* ---- JSON ---- */

static json_t *
load_json(
	const struct forecast_adaptive *a, const struct topo *t, uint32_t hosts)
{
	const struct even_split_load *l = &a->load;
	const struct verify_report as = {.load_max = (uint64_t)(l->max + 0.5)};
	json_t *o = json_util_object(M("max", l->max), M("mean", l->mean),
		M("saturation", bandwidth_saturation(&as, t, hosts)));

	if (l->sw == TOPO_NONE)
		return o;
	json_util_put(o, M("switch", names_node_desc(t, t->sw[l->sw].node)),
		M("port", l->port));
	return o;
}

json_t *
forecast_adaptive_json(
	const struct forecast_adaptive *a, const struct topo *t, uint32_t hosts)
{
	const struct even_split_bisection *b = &a->bisection;
	double ports =
		a->choices > 0 ? (double)a->ports / (double)a->choices : 0;
	json_t *o = json_util_object(M("switches", a->switches),
		M("choosing", a->choosing), M("cannot", a->cannot),
		M("first", names_text(a->first)), M("assumed", a->assumed),
		M("choices", a->choices), M("ports_mean", ports),
		M("no_room", a->no_room), M("why", names_text(a->why)));

	if (a->fullest != TOPO_NONE)
		json_util_put(o,
			M("fullest", json_util_object(
					     M("name", names_node_desc(t,
							       t->sw[a->fullest]
								       .node)),
					     M("groups", a->groups),
					     M("room", a->room))));
	if (a->why[0] == '\0')
		json_util_put(o, M("load", load_json(a, t, hosts)));
	if (b->trials > 0)
		json_util_put(
			o, M("ebb", json_util_object(M("trials", b->trials),
					    M("mean", b->mean),
					    M("lowest", b->lowest),
					    M("lost", b->lost))));
	return o;
}

/* ---- pages ---- */

/* "12 of 16 switches choose among ports". */
#define CHOOSING                                                               \
	"adaptive    %(choosing)d of %(switches)d switches choose among "      \
	"ports%(why)?{: %(why)s}%(why)!{, %(ports_mean).1f on average}"

void
forecast_adaptive_page(const json_t *forecast, struct buf *out)
{
	const json_t *a = json_object_get(forecast, "adaptive");

	if (a == NULL)
		return;
	page_print(out, a,
		CHOOSING
		"%(fullest)?{; at most %(fullest.groups)d of %(fullest.room)d "
		"groups, in %(fullest.name)s}\n"
		"%(cannot)?{            %(cannot)d cannot%(cannot)[:|, the "
		"first:] %(first)s\n}"
		"%(no_room)?{            %(no_room)d times a destination has "
		"no "
		"group in a switch, for want of room\n}");
	if (json_util_num(a, "assumed") > 0) {
		page_print(out, a,
			"            %(assumed)d switch%(assumed)[ was|es "
			"were] not asked: adaptive routing ");
		buf_printf(out, "with %d groups is assumed\n", CHOICES_GROUPS);
	}
	/* the even split beside the figures of packets in order */
	page_print(out, forecast,
		"%(adaptive.load)?{  evenly    split over these ports: load at "
		"most %(adaptive.load.max).1f instead of %(load.max)d; "
		"saturation %(adaptive.load.saturation).3f instead of "
		"%(load.saturation).3f\n"
		"%(adaptive.ebb)?{            bisection "
		"%(adaptive.ebb.mean).3f "
		"instead of %(ebb.mean).3f, worst flow "
		"%(adaptive.ebb.lowest).3f instead of %(ebb.lowest).3f "
		"(%(adaptive.ebb.trials)d random "
		"one%(adaptive.ebb.trials)[|s])\n}}");
}

void
forecast_adaptive_short(const json_t *forecast, struct buf *out)
{
	const json_t *a = json_object_get(forecast, "adaptive");

	if (a != NULL)
		page_print(out, a,
			CHOOSING
			"%(load)?{; evenly split at most %(load.max).1f "
			"pairs on a link}\n");
}
