/*
 * keyring: which M_Key a request bears. An SMA takes a Set, and from protection
 * level 2 on a Get, only with the key that its port holds; anything else it
 * drops without an answer (IBA volume 1, 14.2.4). So the key in the header of
 * a request is the one that the port holds now, whatever it shall hold: the key
 * that it shall hold is in the payload of a Set(PortInfo) (plan_portinfo.c).
 *
 * Known keys come from answers: PortInfo shows the key to a request that bears
 * it, and to every request where the port is not protected; an acknowledged
 * Set(PortInfo) gives the port the one in its payload. Of an SMA without a
 * known key the tries of a request go through the candidates: the keys of the
 * configuration, those that it had before a reload among them. The candidate
 * that was right last comes first, so that only the first contacts with a
 * fabric that has another of the keys pay for it.
 *
 * While a Set(PortInfo) changes the key and its acknowledgement is missing, the
 * port may hold either: the tries of that Set alternate.
 *
 * xact.c asks it for the key of each try and shows it each answer of PortInfo.
 */
#ifndef HEDDLE_SM_TRANSPORT_KEYRING_H
#define HEDDLE_SM_TRANSPORT_KEYRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sm/mad/mad.h"

enum { KEYRING_CANDIDATES = 8 }; /* at most */

struct keyring;

/* One try of a request to an SMA. */
struct keyring_request {
	uint64_t sma;	/* xact_request.target */
	unsigned try;	/* from 0 */
	uint64_t gives; /* of a Set(PortInfo): the key in its payload; or 0 */
};

enum keyring_verdict {
	KEYRING_FINE,	  /* nothing is hidden, or no further key is there */
	KEYRING_TRY_NEXT, /* the key is hidden: the next try has another one */
};

struct keyring *keyring_new(void);
void keyring_free(struct keyring *k); /* NULL allowed */

/*
 * The keys of the configuration: first the one that ports shall have, then
 * others that they may have. Keys given before stay candidates behind them, as
 * far as there is room; a key of 0 is none.
 */
void keyring_configure(struct keyring *k, const uint64_t *key, size_t n);

/* The key for this try; 0: none. */
uint64_t keyring_key(const struct keyring *k, const struct keyring_request *q);

/* How many tries it takes to use every candidate at this SMA: 1 where its key
 * is known. */
unsigned keyring_candidates(const struct keyring *k, uint64_t sma);

/* A Get of PortInfo was answered with d. */
enum keyring_verdict keyring_seen(struct keyring *k,
	const struct keyring_request *q, const uint8_t d[MAD_DATA]);

/* A Set(PortInfo) with this key in its payload was acknowledged. */
void keyring_given(struct keyring *k, uint64_t sma, uint64_t key);

/* The SMA does not answer: the key known of it may be another by now. */
void keyring_forget(struct keyring *k, uint64_t sma);

/* True if PortInfo d belongs to a port that hid its key from the request. */
bool keyring_is_hidden(const uint8_t d[MAD_DATA]);

#endif
