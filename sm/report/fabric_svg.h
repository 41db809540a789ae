/*
 * fabric_svg: the map of a fabric (sm/report/fabric_map.h) drawn as an SVG
 * picture, in which a browser shows more of what the pointer rests on. It
 * refers to nothing outside of it, and can stand in an HTML page as it is.
 */
#ifndef HEDDLE_SM_REPORT_FABRIC_SVG_H
#define HEDDLE_SM_REPORT_FABRIC_SVG_H

#include "sm/base/buf.h"
#include "sm/report/fabric_map.h"

/* Append the picture: one element svg, without an XML declaration. */
void fabric_svg_print(const struct fabric_map *m, struct buf *out);

#endif
