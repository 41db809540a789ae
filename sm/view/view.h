/*
 * view: the last state of the fabric that was computed, verified, written and
 * acknowledged; swapped by one assignment. Every reader (control socket, SA,
 * metrics) answers from a view and pins it while it does.
 *
 * Folder sm/view: what was committed -> answers to questions about paths,
 * partitions, SLs and events. Callers: sm/core makes views; sm/sa, sm/report,
 * sm/ctl and sm/what_if read them. Read next: sm/view/view_partition.h and
 * sm/view/view_slvl.h.
 */
#ifndef HEDDLE_SM_VIEW_VIEW_H
#define HEDDLE_SM_VIEW_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "distribution/transition/loss_estimate.h"
#include "routing/core/lid.h"
#include "routing/core/routes.h"
#include "routing/driver/compute.h"
#include "sm/base/clock.h"

/* A node in quarantine, and why; or a switch that may forward otherwise than by
 * its tables, and how. */
struct view_quarantine {
	uint64_t guid;
	node_ix node; /* in the view's topology, or TOPO_NONE */
	char why[128];
};

/* What the stages of one run took. */
struct view_times {
	struct mono discover, readback, route, push, total;
};

struct view_counts {
	uint64_t smps;	     /* sent in this run, retries included */
	uint64_t lft_blocks; /* Set(LFT) acknowledged */
	uint64_t lft_reads;  /* Get(LFT) for the read-back */
	uint64_t other_sets; /* Set(PortInfo), Set(SwitchInfo) acknowledged */
	uint64_t failed_sets;
	uint32_t ports_active; /* port ends in Active, both ends counted */
	uint32_t ports_linked; /* port ends with a link */
	uint32_t lids_new, lids_moved;
};

/* One phase of a push. */
struct view_phase {
	const char *what; /* static string: "tables" */
	unsigned stage;	  /* of a staged transition, from 1; else 0 */
	size_t smps;
	bool drain; /* it began after older packets had drained */
};

/* An (in-port, out-port) pair, or a port, that was blocked meanwhile. */
struct view_dependency {
	uint64_t guid;
	uint8_t in, out;
	bool by_port; /* port `in` was taken down instead */
	uint64_t pairs;
};

/* How the tables of a view came to the switches. */
struct view_change {
	const char *method, *kind; /* static strings */
	unsigned stages;
	size_t smps;
	struct view_phase *phase;
	size_t nphases;
	struct view_dependency *dep;
	size_t ndeps;
	uint64_t pairs; /* (switch, LID) that lost packets by it */
	struct expectation *expected; /* see view_expected */
	uint64_t paper_pairs;
	uint64_t entries, blocks, kept;
	uint64_t mixed_edges;
	uint32_t cyclic, unread;
	size_t mismatched_ports;
	size_t nstays; /* pairs that stay blocked for old connections */
	bool relayers; /* ... some only until this view is given out */
	const char *ports_down; /* why all ports had to go down, or NULL */
	char cause[512]; /* the cycle that forbade writing in any order */
	char stale[512]; /* the cycle that those connections would close */
};

struct pkeys;
struct qos;
struct view_redundancy;

struct view {
	unsigned refs;
	uint32_t generation; /* of its topology */
	struct topo *topo;
	struct routes *routes;
	struct pkeys
		*pkeys;	 /* settled; read through sm/view/view_partition.h */
	struct qos *qos; /* settled; through sm/view/view_slvl.h; or NULL */
	struct view_redundancy
		*redundancy; /* through sm/view/view_redundancy.h; NULL: not
			   counted yet (sm/redundancy_worker.h) */
	struct route_account story;
	struct view_times times;
	struct view_counts counts;
	struct view_change change;
	struct view_quarantine *quarantine;
	size_t nquarantine;
	struct view_quarantine *adaptive;
	size_t nadaptive;
	uint64_t adaptive_hash; /* of what was found of it */
	/* switches that cannot choose among ports, where they are to */
	struct view_quarantine *fixed;
	size_t nfixed;
	char cause[256]; /* "start", "trap 128 from S1 lid 4; ..." */
	char lid_conflict[256];
	struct mono when;
	/* of a standby: read, from `when` on, not written; in seconds since
	 * 1970 that, and when the oldest table was read */
	bool read_only;
	uint64_t read_at, tables_at;
	uint32_t unread;      /* switches that did not tell their tables, */
	uint64_t unread_guid; /* ... and the first of them */
};

/* Why switch s cannot choose among ports although it is to, or NULL. */
const char *view_fixed_why(const struct view *v, sw_ix s);

/* How switch s may forward otherwise than by its tables, or NULL. */
const char *view_adaptive_why(const struct view *v, sw_ix s);

/* The packet loss that the change was to cost hosts; computed when first asked
 * for. */
const struct loss_estimate *view_expected(const struct view *v);

/* Count the ends of links, and those that are Active. */
void view_count_ports(const struct topo *t, struct view_counts *c);

/* Give a copy lists of its own; and free them. */
void view_change_own(struct view_change *c);
void view_change_free(struct view_change *c);

struct view *view_ref(struct view *v);
void view_unref(struct view *v); /* NULL allowed */

#endif
