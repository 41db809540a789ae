/*
 * peers: the other subnet managers: the ports with IsSM, what each answered
 * when it was asked for its SMInfo, and whether it shares our SM_Key.
 *
 * The SM_Key is sent in clear. 0, and 1, the default of OpenSM, are no secrets:
 * they are shown in every SMInfo, and a manager that shows one of them is as
 * good as another. Any other key is shown only to a manager that has shown it
 * before. A standby shows it first, to the master that it found by its own
 * directed route; the master compares, and shows its own in the answer. A
 * manager that shows another key is not obeyed, and not handed over to.
 *
 * A manager is known by the GUID of the port behind the path, not by what it
 * says: an answer with another GUID is no answer.
 */
#ifndef HEDDLE_SM_CORE_PEERS_H
#define HEDDLE_SM_CORE_PEERS_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/base/clock.h"
#include "sm/base/map.h"
#include "sm/mad/mad.h"
#include "sm/report/sm_status.h"
#include "sm/transport/xact.h"

struct sm;
struct transport_msg;
struct smp;
struct mad_sm_info;
struct sm_other;

/* SMInfo: states, and the orders of a Set. */
enum { SMI_NOT_ACTIVE, SMI_DISCOVERING, SMI_STANDBY, SMI_MASTER };
enum { SMI_HANDOVER = 1, SMI_ACKNOWLEDGE = 2 };

/* Whether another SM shows our SM_Key; UNSEEN: it shows none, and was not shown
 * ours. */
enum sm_peer_key { SM_KEY_UNSEEN, SM_KEY_SHARED, SM_KEY_OTHER };

/* Another SM: what it answered, and its path. */
struct sm_peer {
	struct sm_other id;
	uint64_t node_guid;
	uint64_t sma;	/* topo_sma_guid of its port */
	uint64_t alias; /* a GUID that is not the port's, in its answer */
	enum sm_peer_key key;
	bool showed; /* our SM_Key was in the question */
	bool silent; /* the last question was not answered */
	bool met;    /* it was master, and so were we */
	bool noted;  /* logged: it is not handed over to */
	uint32_t act_count;
	struct mono looked;	 /* when it was asked out of turn */
	struct mono offer_after; /* no hand-over to it before ... */
	struct mono back_after;	 /* ... nor without need: it handed over */
	uint8_t hops;
	uint8_t path[64];
};

/* peers.c */
struct peers {
	struct sm_peer *list;
	size_t n, cap;
	unsigned asked; /* SMInfo questions without an answer yet */
	uint32_t round;
	struct map key_shown;	/* port GUIDs that have shown our SM_Key */
	struct map once_master; /* port GUIDs of managers stood by for */
};

void peers_free(struct sm *sm);
/* The managers in sm->run.topo. */
void peers_list(struct sm *sm, struct mono now);
struct sm_peer *peers_find(struct sm *sm, uint64_t guid); /* or NULL */
struct sm_peer *peers_add(
	struct sm *sm, uint64_t guid, struct mono now); /* of the view */
void peers_name(struct sm *sm);
/* The port GUID of the sender of a request, by its path or LID; or 0. */
uint64_t peers_sender(const struct sm *sm, const struct transport_msg *m,
	const struct smp *s);
/* Ask for SMInfo. once: one packet, with the deadline of a poll. */
void peers_ask(struct sm *sm, struct sm_peer *p, bool once, struct mono now,
	xact_done *done, uint64_t tag);
/* All of them, and one out of turn; done calls peers_answered. */
void peers_ask_all(struct sm *sm, struct mono now, xact_done *done);
/* Ask p out of turn, unless it was asked just now. */
void peers_look(
	struct sm *sm, struct sm_peer *p, struct mono now, xact_done *done);
/* The manager that this answers for, or NULL: the list is another one. */
struct sm_peer *peers_answered(
	struct sm *sm, uint64_t tag, const struct xact_result *res);
/* Enter its answer, or that there was none. */
void peers_take(
	struct sm *sm, struct sm_peer *p, const struct xact_result *res);
/* A Get(SMInfo) to p with our own SMInfo. */
void peers_request(const struct sm *sm, const struct sm_peer *p, bool show_key,
	struct mono now, struct xact_request *r);
/* Our SMInfo. */
void peers_say(const struct sm *sm, bool show_key, struct mono now,
	struct mad_sm_info *out);
/* True if that key is ours, or neither is a secret. */
bool peers_key_fits(const struct sm *sm, uint64_t key);
/* True if p is shown our SM_Key. */
bool peers_may_see_key(const struct sm *sm, const struct sm_peer *p);
/* The manager at this port has shown a key. */
void peers_note_key(struct sm *sm, uint64_t guid, uint64_t key);
void peers_forget_keys(struct sm *sm); /* ours is another one */
bool peers_outranks(const struct sm_peer *a, const struct sm_peer *b);

#endif
