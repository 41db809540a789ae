/*
 * reading: what the fabric was read as, tree or mesh, and whether that stays.
 *
 * A mesh with some levels lies on a border: one cable more or less, and a fresh
 * look sees a tree where it saw none, or none where it saw one. Another engine
 * would route it, in another total order, and to change the order costs stages
 * and blocked turns. So the reading in force stays: with the routes in memory,
 * or with what the state file keeps of them, for a second life must read as the
 * first one did. It is left when it cannot be true any more or is clearly not
 * (tree.c says when), when the administrator asks for fresh tables, and when he
 * says something else about how to read.
 *
 * Pure: everything is in the job.
 */
#ifndef HEDDLE_ROUTING_TIERS_TOPO_CLASS_H
#define HEDDLE_ROUTING_TIERS_TOPO_CLASS_H

#include "routing/core/engine.h"

/*
 * The reading that this job has to keep to: of job->prev, else job->reading.
 * NULL: there is none, or it is to be read afresh.
 */
const struct topo_class *topo_class_previous(const struct route_job *job);

/* What switch s of job->topo was read as in it. */
enum route_read topo_class_of(const struct route_job *job, sw_ix s);

/*
 * Note with r, whose tree was read (tree_keep), what it was read as. The time
 * of the reading in force stays while it is the same one.
 */
void topo_class_describe(const struct route_job *job, struct routes *r);

#endif
