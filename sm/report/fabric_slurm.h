/*
 * fabric_slurm: which hosts are near each other, for the plugin topology/tree
 * of Slurm: as topology.conf, or as topology.yaml of Slurm 25.05 and later.
 *
 * Slurm wants a tree in which every host is once, and looks at all pairs of
 * switches: so the file has the switches that hosts are at, and above them what
 * hangs together without the tiers above (fabric_graph_sets), not each spine.
 * What is no tree is one for Slurm by its groups (a dragonfly), or by its
 * coordinates (lines of the first dimension, planes of the first two, ...).
 *
 * A host is the first word of a node description ("node07 mlx5_0"). One with
 * several adapters stands at the switch of the first by name, whether that is
 * there or missing: so no lost link, switch or host changes a byte of the file
 * until the administrator accepts that it is gone (heddlectl links accept).
 */
#ifndef HEDDLE_SM_REPORT_FABRIC_SLURM_H
#define HEDDLE_SM_REPORT_FABRIC_SLURM_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/base/buf.h"
#include "sm/report/fabric_graph.h"

/*
 * Append the file; yaml: topology.yaml. hosts: only those whose name, node
 * description or GUID it matches (sm/base/node_entry.h); NULL: all. What cannot
 * be written is named in comments.
 */
void fabric_slurm_print(const struct fabric_graph *g, bool yaml,
	const char *hosts, struct buf *out);

#endif
