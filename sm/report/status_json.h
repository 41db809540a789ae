/*
 * status: what the daemon knows about itself and its fabric, as one JSON
 * object for the control socket and as a page for people. Names of fields are
 * an interface: they are documented in heddlectl(8) and only ever added to.
 */
#ifndef HEDDLE_SM_REPORT_STATUS_JSON_H
#define HEDDLE_SM_REPORT_STATUS_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "sm/base/buf.h"
#include "sm/base/clock.h"
#include "sm/report/sm_status.h"
#include "sm/transport/xact.h"
#include "sm/view/view.h"

/* What main.c counts itself. */
struct status_daemon {
	char device[32]; /* of our port, and its number */
	int port;
	const char *config_file; /* "" when there is none */
	struct mono started;
	uint64_t runs;	      /* of the pipeline, ended */
	uint64_t runs_failed; /* of those */
	uint64_t sweeps_done; /* sweeps_full when the last one ended */
	bool last_ok;	      /* how the last one ended */
	char last_why[512];   /* and why, when it was not well */
	uint64_t reloads;     /* of the configuration */
	uint64_t bad_reloads; /* refused */
	char refused[512];    /* why the last one was, or "" */
	bool state_writable;
	char state_lost[1280]; /* why an earlier one was not used, or "" */
};

/* What the control socket counted; as struct ctl_stats. */
struct status_control {
	uint64_t accepted, requests;
	uint64_t malformed, refused, dropped;
	unsigned clients;
};

/* Everything there is to tell; read only. */
struct status_facts {
	const struct status_daemon *daemon;
	const struct config *config;
	const struct sm_status *sm;
	const struct xact_stats *wire;
	const struct view *view;	  /* NULL before the first */
	const struct status_control *ctl; /* NULL without a control socket */
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

/* Append the story of the run that made v, one line for the log. */
void status_line(const struct view *v, struct buf *out);

#endif
