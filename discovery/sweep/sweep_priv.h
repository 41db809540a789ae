/*
 * The inside of sweep. One machine for all kinds of sweep:
 *
 *   sweep.c       the public functions, the queues, sending and completing
 *   sweep_node.c  reading one node: SwitchInfo, PortInfo, role
 *   sweep_link.c  asking through a port which node is there; disagreements
 *   sweep_level.c what happens whenever everything asked is answered
 *
 * A job is one request. Its completion changes the builder and queues further
 * jobs, never sends. When nothing is queued nor open, sweep_advance decides
 * what comes next: that is the barrier between breadth-first levels.
 *
 *   SN_NONE -> SN_HEAD ----------> SN_PORTS ----> SN_READ   a switch
 *     |          SwitchInfo,         PortInfo        |
 *     |          clear, port 0       1..N            v
 *     |            |                   |           asks
 *     v            v                   v
 *   SN_WAIT      SN_DEAD  <------------+    does not answer: quarantined
 *   (probe: its route leads through a switch that is not read yet)
 */
#ifndef HEDDLE_DISCOVERY_SWEEP_SWEEP_PRIV_H
#define HEDDLE_DISCOVERY_SWEEP_SWEEP_PRIV_H

#include "discovery/builder/builder_priv.h"
#include "discovery/sweep/sweep.h"

enum sweep_job_kind {
	JOB_SELF,     /* NodeInfo of our own node */
	JOB_ASK,      /* NodeInfo of the node behind a port */
	JOB_SWITCH,   /* Get SwitchInfo */
	JOB_CLEAR,    /* Set SwitchInfo: PortStateChange */
	JOB_AGAIN,    /* Get SwitchInfo after the ports were read */
	JOB_PORT,     /* PortInfo, as part of reading a node */
	JOB_REFRESH,  /* PortInfo of one switch port, by itself */
	JOB_SECOND,   /* PortInfo of a CA port with modifier bit 31 */
	JOB_DESC,     /* NodeDescription */
	JOB_IDENTITY, /* NodeInfo of the node that gave a NodeDescription */
	JOB_ROLE,     /* SwitchRole */
};

struct sweep_job {
	builder_id node;
	uint16_t gen; /* of the node's record: stale jobs are ignored */
	uint8_t port;
	uint8_t kind;
	bool ext;   /* PortInfo: was sent with modifier bit 31 */
	bool force; /* JOB_ASK: although its link is known */
};

enum sweep_state { SN_NONE, SN_WAIT, SN_HEAD, SN_PORTS, SN_READ, SN_DEAD };

/* One end of a link. */
struct sweep_end {
	builder_id node;
	uint8_t port;
};

/* What the sweep keeps per node of the builder. */
struct sweep_node {
	uint16_t gen;
	uint16_t next_port; /* the next to read */
	uint16_t open;	    /* PortInfos being read */
	uint8_t state;
	uint8_t head;	 /* requests of SN_HEAD being answered */
	uint8_t misses;	 /* time-outs in a row */
	uint8_t rounds;	 /* probe: how often its ports were read */
	uint8_t again;	 /* the round after which SwitchInfo was read again */
	uint8_t vias;	 /* probe: searches for another path to it */
	uint8_t silent;	 /* known links to it that did not answer */
	uint16_t asking; /* known links to it that are being asked through */
	bool probed;	 /* given to sweep_new */
	bool told;	 /* probed because of a trap alone */
	bool whole;	 /* all of it had been read before */
	bool full;	 /* ask through every port that is up */
	bool gone;	 /* a shadow: another node's record under its GUID */
	bool role;	 /* asked for its role */
	bool fault;	 /* something of SN_HEAD failed */
	uint32_t ask[8]; /* ports to ask through */
	uint32_t reasked[8];  /* ports asked again after a disagreement */
	uint32_t claimed[8];  /* ports given to sweep_ask_later */
	uint32_t banned[8];   /* ports with a one-sided link */
	struct sweep_end met; /* where it was first met in this sweep */
	uint64_t failed;      /* vias: the path by which it did not answer */
	char *heard; /* its NodeDescription, until JOB_IDENTITY; or NULL */
};

/* A growing first-in first-out queue. */
struct sweep_queue {
	struct sweep_job *job;
	size_t head, n, cap;
};

struct sweep_ends {
	struct sweep_end *end;
	size_t n, cap;
};

enum sweep_stage { STAGE_RUN, STAGE_AGAIN, STAGE_SECOND, STAGE_DONE };

struct sweep {
	enum sweep_kind kind;
	bool read_only; /* nothing is Set */
	enum sweep_stage stage;
	struct builder *d;
	struct xact *x;
	uint32_t sweep; /* number: what "seen" and "read" are compared to */
	unsigned pending;
	bool cancelled;
	bool rewired;	  /* probe: links changed, routes are out of date */
	uint64_t retried; /* the transport's count at the last level */
	struct sweep_node *node; /* by builder_id */
	size_t nnode;
	struct sweep_queue odd, ask; /* single jobs; asks of this level */
	builder_id *ring; /* switches with ports being read, in turn */
	size_t nring, ring_cap, ring_at;
	builder_id *ready; /* switches read, to be asked through */
	size_t nready, ready_cap;
	builder_id *level; /* switches being asked through, and how far */
	size_t nlevel, level_cap, level_at;
	unsigned asks;		  /* open */
	struct sweep_ends stale;  /* ports with a changed other end */
	struct sweep_ends claims; /* asked again when nothing is pending */
	struct sweep_ends others; /* further links to nodes that are late */
	struct sweep_ends failed; /* links that are up, known, and silent */
	bool self_changed;	  /* light: our own port is not as it was */
	bool told;		  /* light: a switch reported a change */
	uint32_t named;		  /* probe: nodes given to sweep_new ... */
	uint32_t unchanged;	  /* ... of which nothing was read */
	uint64_t *suspect;
	size_t nsuspect, suspect_cap;
	uint64_t *cleared; /* by a Set that was repeated */
	size_t ncleared, cleared_cap;
	struct sweep_stats stats;
	struct reason failure; /* text empty: none */
};

static inline bool
sweep_bit(const uint32_t mask[8], uint8_t port)
{
	return (mask[port >> 5] >> (port & 31) & 1) != 0;
}

static inline void
sweep_bit_set(uint32_t mask[8], uint8_t port)
{
	mask[port >> 5] |= 1U << (port & 31);
}

/* The record of node n; the pointer is valid until a node is made. */
struct sweep_node *sweep_node(struct sweep *s, builder_id n);

/* Queue a job. */
void sweep_queue(
	struct sweep *s, enum sweep_job_kind kind, builder_id n, uint8_t port);
void sweep_queue_job(struct sweep *s, const struct sweep_job *job);

/* Ask through a port again although something is known about it. */
void sweep_ask_again(struct sweep *s, builder_id n, uint8_t port);

/* The SMA of a port, as topo_sma_guid names it. */
uint64_t sweep_sma(const struct builder *d, builder_id n, unsigned port);

/* Add to a list of link ends. */
void sweep_ends_add(struct sweep_ends *l, builder_id n, uint8_t port);

/*
 * Nothing is queued and nothing open: start what comes next. False when all is
 * done.
 */
bool sweep_advance(struct sweep *s);

/* Start the next breadth-first level: ask through all switches read. */
void sweep_next_level(struct sweep *s);

/* Queue asks of the level, as many as may go at once; false: none is left. */
bool sweep_ask_group(struct sweep *s);

/* Read a switch from its start; full: ask through all ports that are up. */
void sweep_read(struct sweep *s, builder_id n, bool full);

/* Give a switch up that does not answer, or not as it should. */
void sweep_give_up(struct sweep *s, builder_id n, const char *why);

/* Whether a directed route is long enough for a job. */
bool sweep_is_in_reach(const struct sweep *s, const struct sweep_job *job);

/* The present directed route to n as a number; never 0. */
uint64_t sweep_path_hash(const struct sweep *s, builder_id n);

/*
 * Read one port again, when nothing is pending, because its other end changed.
 */
void sweep_refresh(struct sweep *s, builder_id n, uint8_t port);

/* Remove the link of a port, count it, and refresh its other end. */
void sweep_unplug(struct sweep *s, builder_id n, uint8_t port);

/*
 * Ask through this port of n once more, when nothing else is pending: its link
 * is in doubt.
 */
void sweep_ask_later(struct sweep *s, builder_id n, uint8_t port);

void sweep_role_got(
	struct sweep *s, builder_id n, const struct xact_result *res);

/* The answers. res->data is NULL without one. */
void sweep_got_self(struct sweep *s, const struct xact_result *res);
void sweep_got_ask(struct sweep *s, const struct sweep_job *job,
	const struct xact_result *res);
void sweep_got_switch(struct sweep *s, const struct sweep_job *job,
	const struct xact_result *res);
void sweep_got_port(struct sweep *s, const struct sweep_job *job,
	const struct xact_result *res);

#endif
