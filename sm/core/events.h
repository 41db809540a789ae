/*
 * events: what happened to the fabric: each new view is compared with the one
 * before, and what an administrator should hear of is counted, and told by the
 * op `event`.
 *
 * A node that has just come has no name yet, so events that name it wait for
 * the names to be read, or for the next run.
 */
#ifndef HEDDLE_SM_CORE_EVENTS_H
#define HEDDLE_SM_CORE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/base/clock.h"
#include "sm/state/state_file.h"
#include "sm/view/topo_events.h"

struct sm;
struct sm_peer;
struct view;
struct topo;
struct event_log;

/*
 * How a run answered the events that led to it. The first of them that is told
 * has it as its fields, so that a link that is cut is one event with what
 * followed; the others name that one.
 */
struct events_answer {
	uint32_t generation; /* 0: none */
	uint64_t told;	     /* the number of the event that has it; 0: none */
	double took;	     /* since the first of them was heard of */
	const char *transition; /* static string */
	uint64_t blocks, interrupted, cut_off;
};

/* events.c */
struct events {
	struct event_log *log;
	uint64_t missing_saved;	 /* event_log_stamp of what is saved */
	struct topo *seen;	 /* before our own link went down, or NULL */
	struct topo_event *held; /* they wait for names */
	size_t nheld, cap_held;
	struct events_answer answer; /* of the present view */
};

/* What led from sm->view to the view that replaces it: events of the fabric;
 * where there are none, that tables were written, or that nothing had to be. */
void events_note(struct sm *sm, const struct view *is, struct mono now);
/* A run is over without a new view. */
void events_swept(struct sm *sm, struct mono now);
/* Names were read: the events that waited for them. */
void events_release(struct sm *sm, struct mono now);
/* Of those the managers that were seen: the ones that t (or NULL) names, and
 * the one with this GUID, named or not. */
void events_release_managers(
	struct sm *sm, const struct topo *t, uint64_t guid, struct mono now);
/* What is missing, over a restart. */
void events_load(struct sm *sm, const struct state_file *s);
/* Ages of what is missing, counted back from 0 so far, count from now. */
void events_start(struct sm *sm, struct mono now);
/* The caller frees the result. */
struct state_file_missing *events_gather(
	const struct sm *sm, struct state_file *s);
void events_free(struct sm *sm);
/* An administrator accepts that nothing is missing. */
void events_accept(struct sm *sm, struct mono now);
/* An event that no comparison of topologies finds: counted, and told as far as
 * the budget of its kind goes. What it points to is used during the call. */
void events_tell(struct sm *sm, const struct event *e, struct mono now);
/* Another manager came, or left. */
void events_manager(
	struct sm *sm, const struct sm_peer *p, bool seen, struct mono now);
/* t with the port states and names known by now, or NULL. */
struct topo *commit_refresh(struct sm *sm, const struct topo *t);

#endif
