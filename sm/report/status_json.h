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

#include "sm/base/buf.h"
#include "sm/base/clock.h"
#include "sm/core/sm.h"
#include "sm/ctl/ctl.h"
#include "sm/transport/umad.h"

/* Facts and counters that main.c keeps. */
struct status_daemon {
	struct umad_port_name port;
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
	char state_lost[1280]; /* why the state file was not used, or "" */
};

/* All sources of the status; read only. */
struct status_facts {
	const struct status_daemon *daemon;
	const struct config *config;
	const struct sm_status *sm;
	const struct xact_stats *wire;
	const struct view *view;     /* NULL before the first */
	const struct ctl_stats *ctl; /* NULL without a control socket */
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
