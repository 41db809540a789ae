/*
 * fabric_map: a picture of the fabric as boxes and lines with coordinates, in
 * pixels from the upper left corner: a box for each switch, areas of switches
 * that belong together, and the links between them, folded. Fabrics of up to 96
 * switches show each link between two switches as a line, and a name at each
 * switch; larger ones have small boxes, and lines between areas.
 *
 *	fabric_graph -> fabric_areas: what stands together
 *		     -> fabric_map: where -> fabric_svg: drawn
 *					  -> JSON, for other pages
 *
 * Nothing overlaps: boxes are in their area, areas beside each other, and texts
 * are cut to the room that there is. Lines are to be drawn first: what lies
 * over them hides them.
 */
#ifndef HEDDLE_SM_REPORT_FABRIC_MAP_H
#define HEDDLE_SM_REPORT_FABRIC_MAP_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "sm/base/arena.h"
#include "sm/report/fabric_areas.h"
#include "sm/report/fabric_graph.h"

/* A name at a box has at most so many characters. */
enum { FABRIC_MAP_LABEL = 15, FABRIC_MAP_POINTS = 6 };

struct fabric_map_rect {
	int x, y, w, h;
};

/* A switch, by its number in the graph. */
struct fabric_map_box {
	struct fabric_map_rect at;
	char label[FABRIC_AREA_NAME + 4]; /* "": no room for it */
};

/* The links between two switches, or between the switches of two areas, or of
 * one; a polyline. */
struct fabric_map_link {
	bool areas; /* a and b are areas; else switches */
	uint32_t a, b;
	uint32_t n, missing, drained; /* as in struct fabric_graph_link */
	unsigned points;	      /* 0: it is not drawn, being inside an
				     area */
	int x[FABRIC_MAP_POINTS], y[FABRIC_MAP_POINTS];
};

struct fabric_map {
	const struct fabric_graph *graph;
	const struct fabric_areas *areas;
	int width, height;
	struct fabric_map_box *box;   /* [graph->nsw] */
	struct fabric_map_rect *area; /* [areas->n] */
	struct fabric_map_link *link;
	uint32_t nlinks;
};

/* The map of g, which is lent; in arena a. O(switches squared) at most. */
struct fabric_map *fabric_map_make(
	const struct fabric_graph *g, struct arena *a);

/*
 * A map as a new JSON object, all coordinates in pixels:
 *
 *	{"layout": "tiers" | "groups" | "grid" | "circle", "width", "height",
 *	 "areas": [{"title", "detail", "framed", "switches", "hosts",
 *	   "x", "y", "w", "h"}],
 *	 "switches": [{"guid", "name", "label", "area", "tier", "hosts",
 *	   "missing_hosts", "links", "missing_links", "state", "x", "y", "w",
 *	   "h"}],
 *	 "links": [{"between": "switches" | "areas", "a", "b", "links",
 *	   "missing", "drained", "points": [[x, y], ..]}]}
 *
 * "state" is "ok", "missing", "quarantined" or "drained"; "tier" null where
 * there is none; "a", "b" and "area" count in the lists from 0; "points" is
 * empty for links inside an area that are not drawn.
 */
json_t *fabric_map_json(const struct fabric_map *m);

#endif
