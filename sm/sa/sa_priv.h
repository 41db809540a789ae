/*
 * The inside of the SA, shared by the files of sm/sa; no other file includes
 * this header.
 */
#ifndef HEDDLE_SM_SA_SA_PRIV_H
#define HEDDLE_SM_SA_SA_PRIV_H

#include <stddef.h>

#include "sm/base/buf.h"
#include "sm/base/map.h"
#include "sm/mad/mad_sa.h"
#include "sm/sa/sa.h"
#include "sm/view/view_partition.h"

/* Status of a handler: the answer is sent later. */
#define SA_LATER 0xffff

enum {
	SA_STEP = 4096,	    /* candidates examined in a step */
	SA_JOBS = 256,	    /* queries in progress */
	SA_JOBS_PORT = 4,   /* of one requester */
	SA_STEPS = 128,	    /* switches on the longest path */
	SA_ENTRIES = 65536, /* services, and subscriptions, in all */
};

struct sa_query;

/*
 * A component of a record: its number in the component mask, and its place, in
 * bits from the beginning.
 */
struct sa_part {
	uint8_t number;
	uint16_t at, width;
};

/* What a kind of record has candidates of. Where a query names a LID, which is
 * component 0 and at byte 0, they are of what has it alone. */
enum sa_over {
	SA_OWN,	     /* its begin sets the range of them */
	SA_NUMBERS,  /* `per` of them, whatever the fabric has */
	SA_LIDS,     /* ports: the one that has the LID */
	SA_PORTS,    /* ports: all of the node that has the LID */
	SA_SWITCHES, /* switches */
};

/* A kind of record: a row of the dispatch table. A method that it lacks is
 * NULL. */
struct sa_kind {
	uint16_t attr;
	uint16_t size; /* of a record: a multiple of 8, at most 200 */
	const struct sa_part *part;
	size_t nparts;
	enum sa_over over;
	uint32_t per; /* candidates of each; 0: one */
	/*
	 * Get and GetTable: set the range of candidates (at, end), or judge the
	 * request; a status other than 0 ends the query. NULL: as over says.
	 */
	uint16_t (*begin)(struct sa_query *q);
	/*
	 * Write candidate ix as a record (zeroed before). False: there is none,
	 * or the requester may not see it.
	 */
	bool (*record)(const struct sa_query *q, uint64_t ix, uint8_t *rec);
	/* Set and Delete: the answer's record is in q->want. */
	uint16_t (*set)(struct sa_query *q);
	uint16_t (*del)(struct sa_query *q);
	/* Get gives the first of several instead of TOO_MANY. */
	bool any;
	bool single; /* has no GetTable */
	bool whole;  /* run in one turn: the numbers of its candidates change */
	/* Another method, which answers with a table of records of kind as, and
	 * its begin. */
	uint8_t method;
	const struct sa_kind *as;
	uint16_t (*begin_method)(struct sa_query *q);
};

/* One end of a path. */
struct sa_end {
	port_ix port;
	uint16_t lid;  /* 0: any LID of the port */
	uint64_t guid; /* as it was asked for: the port's own, an alias, or one
			  of another subnet */
	uint64_t prefix; /* as it was asked for; 0: ours */
};

struct sa_end_list {
	struct sa_end *end;
	size_t n, cap;
};

/* The ends of the paths of a query, and the properties asked for. */
struct sa_ends {
	struct sa_end_list src, dst;
	struct mad_sa_path want;
	uint64_t mask;	 /* of a PathRecord */
	unsigned npaths; /* of one pair, at most */
	/* disjoint paths: the candidates picked, in order */
	uint64_t *pick; /* [npick], or NULL: all candidates */
	size_t npick;
	bool multicast; /* the destination is this group */
	struct mad_sa_member group;
	bool dlid; /* the destination's LID is given */
	/* TraceRecord: the path */
	struct route_step *step; /* [SA_STEPS] */
	unsigned nsteps;
};

struct sa_query {
	struct sa *sa;
	struct view *view; /* pinned */
	const struct sa_kind *kind;
	struct mad_sa h;
	struct transport_addr addr; /* to answer to */
	port_ix from;		    /* the requester */
	bool trusted;
	size_t len;		   /* bytes of data in the request */
	const uint8_t *data;	   /* all of it; only while it is begun */
	uint8_t want[MAD_SA_DATA]; /* the request's record */
	uint8_t care[MAD_SA_DATA]; /* bits that must be equal */
	struct sa_ends *ends;	   /* owned */
	uint64_t at, end;	   /* candidates */
	uint8_t *out;		   /* header, then records */
	size_t most;		   /* records; 0: all */
	uint32_t per;		   /* candidates per switch */
	size_t nrecords, cap;	   /* cap in bytes */
	struct sa_query *next;	   /* job */
};

/* Requests that cannot be answered yet: sa_parked.c. */
struct sa_parked;

/* Services: sa_service.c. Alias GUIDs: sa_guid.c. */
struct sa_services;
struct sa_guids;
/* Multicast groups and their members: sa_group.c. */
struct sa_groups;
/* Subscriptions and unanswered reports: sa_inform.c, sa_report.c. */
struct sa_informs;

struct sa_bucket {
	struct mono earned;
	uint32_t tokens;
	uint32_t jobs;
};

struct sa {
	struct transport *t;
	const struct sa_ops *ops;
	struct sa_params par;
	struct sa_far *far; /* other subnets */
	size_t nfar;
	struct view *view;
	struct map by_guid;	  /* of the view's ports */
	struct sa_bucket *bucket; /* by LID, MAD_LID_END of them */
	struct mono now;	  /* of the event being handled */
	struct mono lease_due;
	bool paused;  /* requests wait for the next view */
	bool changed; /* what sa_save saves has changed since the last call */
	size_t held;  /* bytes of the answers in progress */
	struct sa_query *job, **last_job;
	struct sa_parked *parked;
	struct sa_services *services;
	struct sa_guids *guids;
	struct sa_informs *informs;
	struct sa_groups *groups;
	struct sa_stats stats;
};

/*
 * sa.c: answer a request which was parked, or begin to; its header and its
 * tokens were checked when it arrived. False: the view does not have its
 * requester.
 */

/* sa_parked.c: requests that wait for the next view. */
struct sa_parked *sa_parked_new(void);
void sa_parked_free(struct sa_parked *s);
/* Park a request (copied), which takes the place of one that it repeats. */
void sa_parked_add(
	struct sa *sa, const struct transport_msg *m, struct mono now);
/* A view was committed: what is parked now can be answered. */
void sa_parked_commit(struct sa *sa);
void sa_parked_drop(struct sa *sa); /* drop all, without an answer */
struct mono sa_parked_next(const struct sa *sa);
/* The next one whose wait is over, NULL: none; *ripe: it can be answered. It
 * stays until sa_parked_done. */
const struct transport_msg *sa_parked_due(
	const struct sa *sa, struct mono now, bool *ripe);
void sa_parked_done(struct sa *sa);

/* sa_query.c: run a query's candidates, at most budget; true when the query is
 * over and has been answered and freed. */
bool sa_query_run(struct sa_query *q, uint64_t budget);
/* Begin: ask the kind for candidates, compile the component mask. */
uint16_t sa_query_begin(struct sa_query *q, bool method);
/* Answer a Set or Delete, or anything with a status; frees the query. */
void sa_query_answer(struct sa_query *q, uint16_t status);
void sa_query_free(struct sa_query *q);
/* True if component n is in the mask. */
static inline bool
sa_query_has(const struct sa_query *q, unsigned n)
{
	return (q->h.mask >> n & 1) != 0;
}

/* sa_scope.c */
/* True if the requester may see port p: they share a partition, or it is
 * trusted. */
bool sa_scope_sees(const struct sa_query *q, port_ix p);
/* The LID of the port that p is reached by: its own, or its switch's. */
uint16_t sa_scope_lid(const struct view *v, port_ix p);
/* Set the range of candidates to `per` for each thing of `over`; empty where no
 * port has the LID that the query names. */
void sa_scope_number(struct sa_query *q, enum sa_over over, uint32_t per);
/* The end that a LID names; false: none. */
bool sa_scope_by_lid(
	const struct sa_query *q, uint16_t lid, struct sa_end *out);

/* sa_records.c: the table. NULL: no such attribute. */
const struct sa_kind *sa_records_find(uint16_t attr);

/* The kinds of records: a new one is a name in this list, and a file. */
#define SA_KINDS(KIND)                                                         \
	KIND(sa_class_port_info)                                               \
	KIND(sa_node)                                                          \
	KIND(sa_port)                                                          \
	KIND(sa_switch)                                                        \
	KIND(sa_lft)                                                           \
	KIND(sa_mft)                                                           \
	KIND(sa_sl2vl)                                                         \
	KIND(sa_vlarb)                                                         \
	KIND(sa_pkey)                                                          \
	KIND(sa_manager_kind)                                                  \
	KIND(sa_link)                                                          \
	KIND(sa_guid)                                                          \
	KIND(sa_service)                                                       \
	KIND(sa_path)                                                          \
	KIND(sa_multi)                                                         \
	KIND(sa_trace)                                                         \
	KIND(sa_member_kind)                                                   \
	KIND(sa_inform)                                                        \
	KIND(sa_inform_rec)

#define SA_DECLARE(kind) extern const struct sa_kind kind;
SA_KINDS(SA_DECLARE)

/* sa_ends.c: the query's ends, empty; freed with it. */
struct sa_ends *sa_ends_new(struct sa_query *q);
void sa_ends_free(struct sa_ends *e); /* NULL allowed */
void sa_ends_add(struct sa_end_list *l, const struct sa_end *e);
/* True for a GID of this subnet. */
bool sa_ends_local(const struct sa *sa, const struct mad_gid *g);
/* The end that a GID names, lid 0. 0 or a status. */
uint16_t sa_ends_by_gid(
	const struct sa_query *q, const struct mad_gid *g, struct sa_end *out);
/* The port of the router for a GID of another subnet, lid 0. 0 or a status. */
uint16_t sa_ends_by_far_gid(
	const struct sa_query *q, const struct mad_gid *g, struct sa_end *out);
/* Add all ends that the requester may see, lid 0. */
void sa_ends_all(const struct sa_query *q, struct sa_end_list *l);
/* Replace each end with lid 0 by one end per LID of its port. */
void sa_ends_spread(const struct sa_query *q, struct sa_end_list *l);

/* sa_path.c: the properties of the path from one port to another. */
struct sa_path {
	uint8_t mtu, rate, life, sl;
	bool reversible;
	bool by_lid, adaptive; /* as of view_slvl_grant */
	uint16_t pkey;
};
/* The SL is the routing layer, and there is no P_Key yet. False: there is no
 * path. */
bool sa_path_find(const struct sa *sa, const struct view *v,
	const struct sa_end *from, const struct sa_end *to,
	struct sa_path *out);
/* Candidate ix of a query for paths: its ends and its path. False: it does not
 * meet the request. */
typedef bool sa_candidate(const struct sa_query *q, uint64_t ix,
	struct sa_end *from, struct sa_end *to, struct sa_path *out);

/* sa_disjoint.c: pick disjoint paths among the candidates, into ends->pick. 0,
 * or a status. */
uint16_t sa_disjoint_pick(struct sa_query *q, sa_candidate *candidate);

/* Compare two rates by speed, not by code: -1, 0, 1. */
int sa_path_rate_compare(uint8_t a, uint8_t b);
bool sa_path_rate_valid(uint8_t code);
/* Whether a value that compares so with the one given fits its selector. */
bool sa_path_fits(uint8_t sel, int compared);
/* The value to promise, as a selector and a valid value ask for it, where have
 * is the most; 0: there is none. */
uint8_t sa_path_select_mtu(uint8_t sel, uint8_t want, uint8_t have);
uint8_t sa_path_select_rate(uint8_t sel, uint8_t want, uint8_t have);
/* The largest MTU that the link of a port carries, as a code: the smaller one
 * of its ends; 0 where none is known. */
uint8_t sa_path_mtu_of(const struct topo *t, const struct topo_port *p);
/* The rate of a port's link as a code, rounded down. */
uint8_t sa_path_rate_of(const struct topo_port *p);
/* The fastest rate that the client knows and that is not above rate. */
uint8_t sa_path_rate_known(const struct topo_port *client, uint8_t rate);

/* sa_state.c: a line of the state, which was saved away seconds before now. */
enum { SA_KEPT = 2048 }; /* GUIDs of a port: 256 of 8 bytes */
struct sa_saved {
	uint64_t owner; /* port GUID */
	uint64_t number;
	uint8_t byte[SA_KEPT];
	size_t nbytes;
	uint64_t away;
	struct mono now;
};

/* sa_service.c: ServiceRecords, their leases. */
struct sa_services *sa_services_new(void);
void sa_services_free(struct sa_services *s);
void sa_services_commit(struct sa *sa);
struct mono sa_services_next(const struct sa *sa);
void sa_services_tick(struct sa *sa, struct mono now);
uint32_t sa_services_count(const struct sa *sa);
void sa_services_save(const struct sa *sa, struct mono now, struct buf *out);
/* False: the line is rejected. */
bool sa_services_restore(struct sa *sa, const struct sa_saved *k);
/* The ports that offer a service, as ends. */
void sa_services_ends(
	const struct sa_query *q, uint64_t id, struct sa_end_list *l);

/* sa_guid.c: alias GUIDs. */
struct sa_guids *sa_guids_new(void);
void sa_guids_free(struct sa_guids *g);
void sa_guids_commit(struct sa *sa); /* aliases of ports that left end */
void sa_guids_save(const struct sa *sa, struct buf *out);
bool sa_guids_restore(struct sa *sa, const struct sa_saved *k);
/* The port that has this alias, or TOPO_NONE. */
port_ix sa_guids_port(const struct sa *sa, const struct view *v, uint64_t guid);

/* sa_inform.c, sa_report.c: subscriptions, and reports to their owners. */
struct sa_informs *sa_informs_new(void);
void sa_informs_free(struct sa_informs *i);
void sa_informs_commit(struct sa *sa, const struct view *old);
void sa_informs_response(
	struct sa *sa, uint16_t lid, uint64_t tid, struct mono now);
struct mono sa_informs_next(const struct sa *sa);
void sa_informs_tick(struct sa *sa, struct mono now);
uint32_t sa_informs_count(const struct sa *sa);
void sa_informs_save(const struct sa *sa, struct buf *out);
bool sa_informs_restore(struct sa *sa, const struct sa_saved *k);
/* The SA key has changed: no subscription is trusted until it is renewed. */
void sa_informs_distrust(struct sa *sa);
/* A group was made (66) or ended (67). */
void sa_informs_group(struct sa *sa, const struct mad_gid *mgid, uint16_t pkey,
	uint16_t trap);

/* sa_group.c: groups, without any check of permissions. */
struct sa_joined {
	struct mad_gid gid; /* as it joined; may be an alias */
	uint64_t owner;	    /* GUID of its port */
	uint8_t state;
	bool proxy;
	uint64_t stamp; /* of its last change that switches must know */
};

struct sa_group {
	struct mad_sa_member is; /* the properties of the group */
	bool standing;
	struct sa_joined *member;
	size_t n, cap;
	uint32_t full;	       /* members that keep it alive */
	struct map by_guid;    /* by the GUID of the member's GID */
	struct sa_group *mate; /* next one with its MLID */
	size_t at;	       /* in sa_groups_at */
};

struct sa_groups *sa_groups_new(void);
void sa_groups_free(struct sa_groups *g); /* NULL allowed */
void sa_groups_commit(struct sa *sa);	  /* removes members that left */
void sa_groups_suspend(struct sa *sa);	  /* groups and members stay */
void sa_groups_drop_waiting(struct sa *sa, bool answer);
struct sa_group *sa_groups_find(const struct sa *sa, const struct mad_gid *g);
size_t sa_groups_count(const struct sa *sa);
void sa_groups_stats(const struct sa *sa, struct sa_stats *out);
struct sa_group *sa_groups_at(const struct sa *sa, size_t i);
/*
 * Make a group with these properties and an MLID of its own; NULL: no MLID is
 * left, or there are too many groups.
 */
struct sa_group *sa_groups_add(struct sa *sa, const struct mad_sa_member *is);
struct sa_joined *sa_groups_member(const struct sa_group *g, uint64_t guid);
/* The number of groups that a port is in. */
uint32_t sa_groups_of(const struct sa *sa, uint64_t owner);
/* Add join states to a member, or take them from it (with the last one it
 * leaves, and the group may end). */
struct sa_joined *sa_groups_join(
	struct sa *sa, struct sa_group *g, const struct sa_joined *m);
void sa_groups_leave(
	struct sa *sa, struct sa_group *g, struct sa_joined *m, uint8_t state);
/* Make q wait until the switches know of this join; true: q waits, SA_LATER.
 * False: they know of it already, or too many queries wait. */
bool sa_groups_wait(struct sa_query *q, const struct sa_joined *m);
/* Blocks of 32 MLIDs up to the highest that is in use. */
unsigned sa_groups_blocks(const struct sa *sa);
/* The position of a query among the groups and their members: it runs in one
 * turn, and the next query begins anew. */
struct sa_place {
	size_t group;
	uint64_t first; /* the number of the group's first candidate */
};
struct sa_place *sa_groups_place(struct sa *sa);
/* An unused MGID. */
struct mad_gid sa_groups_mgid(struct sa *sa, uint8_t scope);

#endif
