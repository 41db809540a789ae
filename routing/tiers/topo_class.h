/*
 * topo_class: whether each part of the fabric is read as a tree or as a mesh,
 * and whether that is kept.
 *
 * A mesh with some tiers lies on the border: with one link more or less
 * inference sees a tree where it saw a mesh, or a mesh where it saw a tree.
 * Another engine would then route it, in another switch order, and to change
 * the order costs stages and blocked dependencies. So the class in force is
 * kept: the one stored with the routes in memory, else the one that the state
 * file keeps of them, since a restarted daemon must read the fabric as the
 * previous run did. It is given up when it cannot be true any more or is
 * clearly wrong (tree.c says when), when the administrator asks for fresh
 * tables, and when the options about reading change.
 *
 * Pure: everything is in the job and the routes.
 */
#ifndef HEDDLE_ROUTING_TIERS_TOPO_CLASS_H
#define HEDDLE_ROUTING_TIERS_TOPO_CLASS_H

#include "routing/core/engine.h"

/*
 * The class that this job has to keep: that of job->prev, else job->reading.
 * NULL: there is none, or the fabric is to be read anew.
 */
const struct topo_class *topo_class_previous(const struct route_job *job);

/* The class of switch s of job->topo in it. */
enum route_read topo_class_of(const struct route_job *job, sw_ix s);

/*
 * Store with r the class of each switch, from the tree that tree_keep has
 * stored. The time of the class in force is kept while the class is the same.
 */
void topo_class_describe(const struct route_job *job, struct routes *r);

/* Store what is remembered of routes: the class, and that of the switches in
 * rank[n], sorted by GUID. */
void topo_class_restore(struct routes *r, const struct topo_class *class,
	const struct route_rank *rank, size_t n);

/* What is stored with r: the class, where its engine is NULL if none is noted,
 * and that of switch s. */
const struct topo_class *topo_class_kept(const struct routes *r);
enum route_read topo_class_of_switch(const struct routes *r, sw_ix s);

#endif
