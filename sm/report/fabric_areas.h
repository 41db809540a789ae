/*
 * fabric_areas: which switches stand together in a picture of the fabric, and
 * in which order: the parts of a tree that only the tiers above connect, the
 * groups of a dragonfly, the planes of a torus. Nothing here has coordinates in
 * a picture: fabric_map gives them.
 */
#ifndef HEDDLE_SM_REPORT_FABRIC_AREAS_H
#define HEDDLE_SM_REPORT_FABRIC_AREAS_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/base/arena.h"
#include "sm/report/fabric_graph.h"

enum fabric_layout {
	FABRIC_LAYOUT_TIERS,  /* bands, the top above */
	FABRIC_LAYOUT_GROUPS, /* areas in a ring, or in lines */
	FABRIC_LAYOUT_GRID,   /* switches at their coordinates */
	FABRIC_LAYOUT_CIRCLE, /* switches in a ring */
};

/* "tiers", "groups", "grid", "circle". */
const char *fabric_layout_name(enum fabric_layout layout);

enum { FABRIC_AREA_TITLE = 80, FABRIC_AREA_NAME = 72 };

struct fabric_area {
	uint32_t band; /* bands are below each other, from 0 */
	char title[FABRIC_AREA_TITLE];
	char detail[FABRIC_AREA_TITLE];
	uint32_t switches, hosts;
	bool framed;
};

struct fabric_areas {
	enum fabric_layout layout;
	bool named; /* there is room for a name at each switch */
	uint32_t n, nbands;
	struct fabric_area *area;
	uint32_t *of;	 /* [nsw] the area of a switch */
	uint32_t *row;	 /* [nsw] rows of an area are below each other */
	uint32_t *col;	 /* [nsw] of a grid; else 0 */
	uint32_t *order; /* [nsw] switches as they are placed in rows */
};

/* The areas of g; everything is in arena a. */
struct fabric_areas *fabric_areas_find(
	const struct fabric_graph *g, struct arena *a);

/*
 * What people call a switch: of "MF0;leaf1:MQM8700/U1", which managed switches
 * call themselves, leaf1; of a part of a chassis leaf1/L2/U1; of one without a
 * name its GUID.
 */
struct fabric_short_name {
	char s[FABRIC_AREA_NAME];
};
struct fabric_short_name fabric_short_name(const struct fabric_graph_switch *s);

#endif
