/*
 * status_json: the state of the daemon and of its fabric, as one JSON object
 * for the control socket and as a page for people. Names of members are an
 * interface: they are documented in heddlectl(8), and members are only ever
 * added.
 */
#ifndef HEDDLE_SM_REPORT_STATUS_JSON_H
#define HEDDLE_SM_REPORT_STATUS_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "sm/base/buf.h"
#include "sm/base/clock.h"
#include "sm/cabling/deviation.h"
#include "sm/health/health.h"
#include "sm/health/link_watch.h"
#include "sm/report/sm_status.h"
#include "sm/transport/xact.h"
#include "sm/view/event_log.h"
#include "sm/view/view.h"

/* Facts and counters that the daemon keeps. */
struct status_daemon {
	char device[32]; /* of our port, and its number */
	int port;
	char no_port[512];	 /* why there is none, or "" */
	const char *config_file; /* "" when there is none */
	struct mono started;
	uint64_t runs;	      /* of the pipeline that have ended */
	uint64_t runs_failed; /* of these */
	uint64_t sweeps_done; /* sweeps_full when the last one ended */
	bool last_ok;	      /* the last run succeeded */
	char last_why[512];   /* why the last run failed, or "" */
	uint64_t reloads;     /* of the configuration */
	uint64_t bad_reloads; /* refused */
	char refused[512];    /* why the last reload was refused, or "" */
	bool state_writable;
	char state_lost[1280];	    /* why the state file was not used, or "" */
	char events_unwritten[512]; /* why events are not written, or "" */
	char record_trouble[512];   /* why nothing is recorded that should be,
				       or "" */
};

/* What the control socket counted; as struct server_stats. */
struct status_control {
	uint64_t accepted, requests;
	uint64_t malformed, refused, dropped;
	unsigned clients;
};

/* How the fabric compares with the plan of fabric.expected. */
struct status_cabling {
	bool wanted;	    /* there is such a plan; or all is empty */
	const char *file;   /* "" if it was not read */
	const char *unused; /* why it is not compared with, or "" */
	const struct deviations *found; /* NULL: not compared yet */
	uint32_t generation;		/* of the view */
};

/* Everything there is to tell; read only. */
struct status_facts {
	const struct status_daemon *daemon;
	const struct config *config;
	const struct sm_status *sm;
	const struct xact_stats *wire;
	const struct view *view;	      /* NULL before the first */
	const struct event_log *events;	      /* NULL without a port */
	const struct drains *drains;	      /* the same, ... */
	const struct mcast_tree *const *tree; /* ... as in drains_json.h */
	const struct health *health;	      /* NULL without a port */
	const struct link_watches *watches;   /* NULL without a port */
	const struct status_control *ctl; /* NULL without a control socket */
	struct status_cabling cabling;
	uint64_t ring_dropped;
	struct mono now;
};

/* As a new JSON object. */
json_t *status_json(const struct status_facts *f);

/*
 * Append the page that --once prints. Figures are name=value, so that a
 * script finds them: smps=N, lft_blocks=N, total=N.NNNs, peak_kib=N.
 */
void status_page(const struct status_facts *f, struct buf *out);

/* Append the line of the log about the run that made v. */
void status_line(const struct view *v, struct buf *out);

#endif
