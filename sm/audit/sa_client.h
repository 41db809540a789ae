/*
 * audit_sa_client: asks the subnet administration of a fabric for the multicast
 * groups, and for the service levels of paths. The tables of switches do not
 * contain the latter: the VL of a packet depends on the SL that its sender was
 * given.
 *
 *	class port info -> groups (GetTable MCMemberRecord)
 *			-> paths (GetTable PathRecord from one LID at a time to
 *			   all LIDs)
 *
 * Only Get and GetTable are sent. The server belongs to another subnet manager:
 * at most two requests are open at once, the number of records requested is
 * limited (the last source may exceed the limit), and after some requests
 * without a usable answer no more are sent. If the paths of all hosts and of
 * all switches' own ports 0 are too many, port 0 and one host of each switch
 * are asked about; if these are too many as well, only those of some switches.
 * What was not asked is not known: a host does not speak for another one.
 *
 * An answer counts only if it is whole: data of RMPP that begins with its first
 * segment, whose flags and PayloadLength agree with the length, and that is
 * divided into records without a rest. A transport without RMPP delivers the
 * beginning of an answer, which looks like a short one. What a whole answer
 * does not list is not known either: subnet administration may withhold paths,
 * and hosts may send without asking it.
 *
 * Without its key, subnet administration reports groups, but not members.
 *
 * IBA volume 1, 15.2.5.16 (PathRecord), 15.2.5.17 (MCMemberRecord), 15.4; RMPP
 * 13.6.2.1.
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

/* The most paths that are requested: where VLs matter, or for a sample. */
enum { AUDIT_SA_CLIENT_RECORDS = 262144, AUDIT_SA_CLIENT_FEW = 16384 };

struct audit_sa;

/* Both arguments are borrowed. */
struct audit_sa *audit_sa_client_new(
	const struct topo *t, struct transport *wire);
void audit_sa_client_free(struct audit_sa *a); /* NULL allowed */

/* Request the groups; when that is done, paths: at most this many records. */
void audit_sa_client_start(struct audit_sa *a, struct mono now);
void audit_sa_client_paths(
	struct audit_sa *a, uint32_t records, struct mono now);
/* True if the message was an answer to this client. */
bool audit_sa_client_receive(
	struct audit_sa *a, const struct transport_msg *m, struct mono now);
struct mono audit_sa_client_next(const struct audit_sa *a);
void audit_sa_client_tick(struct audit_sa *a, struct mono now);
bool audit_sa_client_done(const struct audit_sa *a);

/* The sources of the paths that were requested. */
enum audit_sa_client_extent {
	AUDIT_SA_CLIENT_NONE,
	AUDIT_SA_CLIENT_EVERY,	/* every host, and every switch's port 0 */
	AUDIT_SA_CLIENT_SWITCH, /* one host on every switch, and its port 0 */
	AUDIT_SA_CLIENT_SOME,	/* the same, on some switches */
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
	uint32_t sources, answered; /* source LIDs of the requested paths */
	uint64_t records, questions;
	uint16_t sls;  /* bit s: a path has SL s */
	char why[160]; /* the first failure in words, or "" */
};
const struct audit_sa_client_facts *audit_sa_client_facts(
	const struct audit_sa *a);

/* True if packets come from this port of a CA or router: it is Active and has a
 * LID. */
bool audit_sa_client_sends(const struct topo *t, port_ix p);

/*
 * The SLs (a bit each) of the paths from all LIDs of a port to a LID, as far as
 * they were reported. True if that is all: a path from each LID of the port was
 * reported.
 */
bool audit_sa_client_sls(
	const struct audit_sa *a, port_ix from, uint16_t lid, uint16_t *out);

#endif
