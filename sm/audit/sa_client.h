/*
 * audit_sa: what a fabric's subnet administration says of itself: the groups
 * there are, and the service levels that paths have. Tables in switches cannot
 * tell the latter: which lane a packet takes is decided by the SL that its
 * sender was given.
 *
 *	class port info -> groups (GetTable MCMemberRecord)
 *			-> paths (GetTable PathRecord from a LID at a time, to
 *			   all LIDs of everybody)
 *
 * Nothing but Get and GetTable leaves. It is another's server: at most two
 * questions are open at once, so many records are asked for at most (those of
 * one source more), and after some questions in vain no more are. Where all
 * paths of all hosts and of all switches' own ports 0 would be too many, port 0
 * and one host of each switch are asked about, and the others on it are taken
 * to be alike; where that would be too many too, those of some switches.
 *
 * Without its key, subnet administration tells of groups, not of members.
 *
 * IBA volume 1, 15.2.5.16 (PathRecord), 15.2.5.17 (MCMemberRecord), 15.4.
 */
#ifndef HEDDLE_SM_AUDIT_SA_CLIENT_H
#define HEDDLE_SM_AUDIT_SA_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "sm/base/clock.h"
#include "sm/mad/mad_sa.h"
#include "sm/transport/transport.h"

/* Paths that are asked for, at most: where lanes matter, or just to see. */
enum { AUDIT_SA_CLIENT_RECORDS = 262144, AUDIT_SA_CLIENT_FEW = 16384 };

struct audit_sa;

/* Everything is borrowed. */
struct audit_sa *audit_sa_client_new(
	const struct topo *t, struct transport *wire);
void audit_sa_client_free(struct audit_sa *a); /* NULL allowed */

/* Ask for groups. When that is done: for paths, of so many records at most. */
void audit_sa_client_start(struct audit_sa *a, struct mono now);
void audit_sa_client_paths(
	struct audit_sa *a, uint32_t records, struct mono now);
/* True when it was an answer to us. */
bool audit_sa_client_receive(
	struct audit_sa *a, const struct transport_msg *m, struct mono now);
struct mono audit_sa_client_next(const struct audit_sa *a);
void audit_sa_client_tick(struct audit_sa *a, struct mono now);
bool audit_sa_client_done(const struct audit_sa *a);

/* Whose paths were asked for. */
enum audit_sa_client_extent {
	AUDIT_SA_CLIENT_NONE,
	AUDIT_SA_CLIENT_EVERY,	/* every host's, and every switch's own */
	AUDIT_SA_CLIENT_SWITCH, /* one host's on every switch, and its own */
	AUDIT_SA_CLIENT_SOME,	/* the same of some switches */
};

struct audit_sa_client_group {
	struct mad_gid mgid;
	uint16_t mlid, pkey;
	uint8_t sl;
};

struct audit_sa_client_facts {
	bool answers;
	bool groups_known;
	const struct audit_sa_client_group *group; /* sorted by MLID */
	size_t ngroups;
	enum audit_sa_client_extent extent;
	uint32_t sources,
		answered; /* LIDs, the paths from which we asked for */
	uint64_t records, questions;
	uint16_t sls;  /* bit s: a path has SL s */
	char why[160]; /* what did not work, in words, or "" */
};
const struct audit_sa_client_facts *audit_sa_client_facts(
	const struct audit_sa *a);

/* Who sends: hosts of a switch, or its own port 0. */
struct audit_sa_client_from {
	sw_ix sw;
	bool port0;
};

/*
 * SLs (a bit each) of paths from there to a LID. 0: there are none. False:
 * nobody knows.
 */
bool audit_sa_client_sls(const struct audit_sa *a,
	const struct audit_sa_client_from *from, uint16_t lid, uint16_t *out);

#endif
