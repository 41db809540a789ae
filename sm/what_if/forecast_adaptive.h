/*
 * forecast_adaptive: what adaptive routing of our own comes to in routes that
 * were computed in advance: which switches choose, among how many ports, how
 * much of their room the groups take, and what links carry then
 * (routing/measure/even_split.h).
 *
 * The sets themselves are made and judged with the routes, by the driver.
 */
#ifndef HEDDLE_SM_WHAT_IF_FORECAST_ADAPTIVE_H
#define HEDDLE_SM_WHAT_IF_FORECAST_ADAPTIVE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "routing/core/routes.h"
#include "routing/measure/even_split.h"
#include "sm/base/buf.h"
#include "sm/what_if/choices.h"

struct forecast_adaptive {
	bool enabled;		  /* else nothing of this counts */
	uint32_t switches;	  /* all */
	uint32_t choosing;	  /* with options for some destination */
	uint32_t cannot, assumed; /* as in choices.h */
	char first[200];
	uint64_t choices; /* pairs of a switch and a destination switch with
			     options */
	uint64_t ports;	  /* of them all */
	uint64_t no_room; /* pairs whose set has no room in the switch */
	sw_ix fullest;	  /* the switch with the least room left, or TOPO_NONE
			   */
	uint32_t groups, room; /* that it uses, and has */
	char why[160];	       /* why no switch chooses; "": some do */
	struct even_split_load load;
	struct even_split_bisection bisection; /* trials 0: not measured */
};

/* Of routes that were computed with these choices; r->sets may be NULL. With
 * bisections if trials is not 0. */
void forecast_adaptive_measure(const struct routes *r,
	const struct choices *choices, unsigned trials, uint64_t seed,
	struct forecast_adaptive *out);

/* A new object; its saturation is bandwidth_saturation of t with `hosts` hosts.
 */
json_t *forecast_adaptive_json(const struct forecast_adaptive *a,
	const struct topo *t, uint32_t hosts);

/* Lines of the page and of its short form, from the forecast's JSON; nothing
 * where adaptive routing is off. */
void forecast_adaptive_page(const json_t *forecast, struct buf *out);
void forecast_adaptive_short(const json_t *forecast, struct buf *out);

#endif
