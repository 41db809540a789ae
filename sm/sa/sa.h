/*
 * sa: subnet administration. It answers queries for paths and for the nodes,
 * ports and tables of the fabric, reports changes to subscribers, and keeps the
 * registry of services and multicast groups.
 *
 *	message --> header checked, requester known, tokens left
 *	        --> table {attribute, methods, record, decode, handler}
 *	        --> a query: candidates by number, a budget of them per turn
 *	        --> answer: one MAD, or one long message that RMPP cuts up
 *
 * Everything is answered from the committed view, which a query pins until it
 * is over: it never waits for routing and never sees two states of the fabric.
 * The candidates of a query are numbered (ports, switches, pairs of ends);
 * those that the component mask does not rule out are turned into the bytes of
 * a record and compared under a mask of bits, one comparison for all kinds of
 * records. A query that takes longer than one turn waits in a list of jobs;
 * sa_next is then now, so that other messages are served in between.
 *
 * Bounded: requests per port (tokens), jobs per port and in all, services and
 * subscriptions per port, bytes of a table. A requester that exceeds a bound is
 * told so: BUSY or no resources, never silence. Silence is for moments in which
 * an answer would be wrong a moment later: before the first view and to a
 * requester that the view does not have, or while ports are down for a change
 * (sa_pause), requests are parked until the next commit (sa_parked.c); while
 * this manager is not the master they are ignored.
 *
 * No I/O but the transport's send; time is an argument. IBA volume 1, 15.
 *
 * Folder sm/sa: a message to QP1 -> one answer, from the committed view.
 * Callers: sm/core passes messages, views and traps on; sm/report reads its
 * counters. Read next: sm/sa/sa_priv.h (kinds and queries), then
 * sm/sa/sa_record_node.c, the shortest record.
 */
#ifndef HEDDLE_SM_SA_SA_H
#define HEDDLE_SM_SA_SA_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/base/buf.h"
#include "sm/base/clock.h"
#include "sm/mad/mad.h"
#include "sm/mad/mad_sa.h"
#include "sm/transport/transport.h"
#include "sm/view/view.h"

struct sa;

/* A subnet manager of this fabric, for SMInfoRecords. */
struct sa_manager {
	port_ix port; /* TOPO_NONE: not in the view */
	struct mad_sm_info info;
};

/* What the SA needs of the core. */
struct sa_ops {
	void *cookie;
	/* Release a view: now, or when no worker uses its tables. */
	void (*release)(void *cookie, struct view *v);
	/* The nth subnet manager, this one first; false: there are fewer. */
	bool (*manager)(void *cookie, size_t n, struct sa_manager *out);
	/* A port was assigned other alias GUIDs: see sa_aliases. */
	void (*aliases_changed)(void *cookie);
	/*
	 * A port joined or left a group of this MLID: write the switches, and
	 * then call sa_group_written.
	 */
	void (*regroup)(void *cookie, uint16_t mlid);
	/* What a switch acknowledged of its multicast table; false: nothing. */
	bool (*mft)(void *cookie, uint64_t guid, unsigned block, unsigned pos,
		uint8_t out[64]);
};

/* A group of the configuration: it exists before any port joins and after all
 * have left. */
struct sa_configured_group {
	struct mad_gid mgid;
	uint32_t qkey;
	uint16_t pkey;
	uint8_t mtu, rate, sl, scope; /* codes */
};

/* A group and its members, to be kept over a restart. */
struct sa_kept_member {
	uint64_t guid;	/* of the GID that it joined with */
	uint64_t owner; /* of its port */
	uint8_t state;
	bool proxy;
};

struct sa_kept_group {
	struct mad_sa_member is; /* properties of the group, MLID too */
	struct sa_kept_member *member;
	size_t n;
};

/* A port that a group's tree has to reach, or be reached from. */
struct sa_member {
	port_ix port;
	bool receives; /* false: it only sends */
};

/* A router to another subnet, by its port on this one. */
struct sa_far {
	uint64_t prefix; /* 0: any that has no entry of its own */
	uint64_t router; /* port GUID */
};

struct sa_params {
	uint64_t prefix;     /* of the subnet */
	uint64_t sa_key;     /* trusted requests carry it; 0: none is trusted */
	uint8_t packet_life; /* of paths: 4.096 us x 2^n */
	uint32_t rate, burst; /* requests of one port: a second, at once */
	uint32_t services;    /* of one port */
	uint32_t subscribers; /* subscriptions of one port */
	uint32_t groups;      /* that one port may be in */
	uint32_t table_mib;   /* longest answer */
};

/* Counters since sa_new. */
struct sa_stats {
	uint64_t requests, answers, records;
	uint64_t busy;	     /* of requests: answered BUSY */
	uint64_t refused;    /* answered with another status than 0 */
	uint64_t dropped;    /* not an SA request at all */
	uint64_t parked;     /* kept until the next commit */
	uint64_t unanswered; /* dropped: not master, or the requester was in no
				view */
	uint64_t reports;    /* sent, repetitions included */
	uint64_t unreported; /* given up, or missed by a slow subscriber */
	uint32_t jobs, services, subscriptions;
	uint32_t groups, members;
};

/* ops and t are borrowed. Requests that arrive before the first view are
 * answered after it, or dropped. */
struct sa *sa_new(struct transport *t, const struct sa_ops *ops,
	const struct sa_params *p);
void sa_free(struct sa *sa); /* NULL allowed; releases its views */

void sa_configure(struct sa *sa, const struct sa_params *p);

/*
 * A message of class 0x03 arrived. Called on the master only: see sa_suspend.
 * m lives as long as the call.
 */
void sa_receive(struct sa *sa, const struct transport_msg *m, struct mono now);

/* The same while this manager is not the master: no answer, it is counted. */
void sa_ignore(struct sa *sa, const struct transport_msg *m);

/*
 * A view was committed (a reference is taken). Subscribers get reports of the
 * GIDs that came and went; services, subscriptions, alias GUIDs and memberships
 * of ports that left end. sa_tick is due at once if requests were parked.
 */
void sa_commit(struct sa *sa, struct view *v);

/*
 * All ports go down for a change: what the view says of paths ends, and holds
 * for no connection that is made from now on. Requests are parked until the
 * next commit.
 */
void sa_pause(struct sa *sa);
bool sa_is_paused(const struct sa *sa);

/* A block of the GUIDs that a port shall hold: its own in entry 0 of block 0,
 * else aliases, 0: none. */
struct sa_alias_block {
	port_ix port;
	uint32_t block;
	uint64_t guid[8];
};

/* All blocks, as far as they have entries, of ports of t that were ever
 * assigned an alias, but for aliases that are GUIDs of ports of t; *out is the
 * caller's to free. Returns how many. */
size_t sa_aliases(
	const struct sa *sa, const struct topo *t, struct sa_alias_block **out);

/*
 * Mastership is lost: queries in progress end with BUSY; parked requests and
 * the view are dropped. Services, subscriptions and memberships stay for the
 * next time as master, when those of ports that left end with the first view.
 * Alias GUIDs are dropped: the new master may give one to another port.
 */
void sa_suspend(struct sa *sa, struct mono now);

/*
 * sa_save appends the state that has to survive a restart to out, as lines (see
 * sa_state.c); sa_changed: it has changed since the last sa_save. sa_restore
 * takes it back, before the first commit, away seconds after it was saved; it
 * returns the number of lines that were rejected.
 */
void sa_save(struct sa *sa, struct mono now, struct buf *out);
bool sa_changed(const struct sa *sa);
size_t sa_restore(
	struct sa *sa, const char *text, uint64_t away, struct mono now);

/* A trap from the port with this LID: report it to subscribers. */
void sa_trap(struct sa *sa, uint16_t lid, const uint8_t notice[MAD_DATA]);

/* Set the groups of the configuration (copied). */
void sa_configured_group(
	struct sa *sa, const struct sa_configured_group *g, size_t n);

/* Set the routers to other subnets (copied). */
void sa_prefix_routes(struct sa *sa, const struct sa_far *f, size_t n);

/*
 * sa_group_keep: group number i (below the number of groups of sa_stats);
 * out->member is the caller's to free. sa_group_restore: a group of the
 * previous run; to be called before the first view, which removes the members
 * that have left, and before sa_configured_group. A group that cannot be
 * restored (its MGID exists, its MLID is invalid, too many groups) is left out.
 */
void sa_group_keep(const struct sa *sa, size_t i, struct sa_kept_group *out);
void sa_group_restore(struct sa *sa, const struct sa_kept_group *g);

/*
 * The members of the groups of this MLID, by ports of the view, a port perhaps
 * more than once; *out is the caller's to free. Without a view there are none.
 */
size_t sa_group_members(
	const struct sa *sa, uint16_t mlid, struct sa_member **out);

/* The SL of the groups with this MLID, which it has. */
uint8_t sa_group_sl(const struct sa *sa, uint16_t mlid);

/* The next MLID after mlid that has groups; 0: there is none. */
uint16_t sa_group_next(const struct sa *sa, uint16_t mlid);

/*
 * sa_group_stamp: a number that grows with every join and leave that switches
 * must know. sa_group_written: the switches hold the members as of this stamp;
 * joins that waited for it are answered.
 */
uint64_t sa_group_stamp(const struct sa *sa);
void sa_group_written(struct sa *sa, uint64_t stamp);

/* When sa_tick wants to be called next (MONO_NEVER: not at all). */
struct mono sa_next(const struct sa *sa);
void sa_tick(struct sa *sa, struct mono now);

void sa_stats(const struct sa *sa, struct sa_stats *out);

#endif
