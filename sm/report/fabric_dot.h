/*
 * fabric_dot: the fabric as a graph for Graphviz, in the language DOT: switches
 * as boxes, those of a tier of a tree on one rank, those of a group of a
 * dragonfly or of a plane of a torus in a cluster; all links between two
 * switches as one edge.
 */
#ifndef HEDDLE_SM_REPORT_FABRIC_DOT_H
#define HEDDLE_SM_REPORT_FABRIC_DOT_H

#include "sm/base/buf.h"
#include "sm/report/fabric_graph.h"

/* Append the graph. hosts: those whose name, description or GUID it matches
 * (sm/base/node_entry.h) are drawn; NULL: how many there are is in the box of
 * their switch. */
void fabric_dot_print(
	const struct fabric_graph *g, const char *hosts, struct buf *out);

#endif
