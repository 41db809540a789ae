/*
 * keyring: the M_Key that a request has to bear (IBA volume 1, 14.2.4), found
 * by the SMA that it is addressed to. Requests have no key of their own: the
 * layer of transactions asks here for every try, so that one place knows which
 * port holds which key.
 *
 * An SMA is named by the target of its requests: topo_sma_guid, the GUID of a
 * host's port or of a switch. What a port holds need not be the key of the
 * configuration: that may have changed a moment ago, and another manager may
 * have written the port. Three things tell:
 *
 * - PortInfo shows the key to a request that bears it, and to every request
 *   where M_KeyProtectBits are 0, as they are after a lease has run out; it
 *   shows 0 otherwise: the key is hidden.
 * - A Set that is answered bore the right key, and one that writes PortInfo
 *   leaves the key that it wrote. While its answer is missing the port may
 *   hold either key.
 * - Silence is the answer to a wrong key of a Set, and of a Get where the
 *   protection is 2 or 3.
 *
 * Where a port's key is not proven, the keys that may be it are tried one after
 * another: the one that was right last, so that only the first contacts with a
 * fabric of another manager cost time-outs, the configured one, those that were
 * configured before, and those that the configuration lists as known. A port
 * that hides its key from all of them and does not answer a Set is locked. A
 * port without a key takes any.
 */
#ifndef HEDDLE_SM_TRANSPORT_KEYRING_H
#define HEDDLE_SM_TRANSPORT_KEYRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KEYRING_MAX = 9 }; /* keys that are tried */

struct keyring;

struct keyring *keyring_new(void);
void keyring_free(struct keyring *k); /* NULL allowed */

/*
 * The M_Key that every port of the fabric shall have (0: none), and further
 * keys that ports may have. The key before this one stays among those that are
 * tried. More than KEYRING_MAX: the last are left out. Ports that were locked
 * are tried again.
 */
void keyring_configure(
	struct keyring *k, uint64_t m_key, const uint64_t *known, size_t n);

/* How many keys an SMA may have, as far as is known: at least 1. */
unsigned keyring_choices(const struct keyring *k, uint64_t sma);

/* The key for the try (0: the first) of a request to this SMA. */
uint64_t keyring_find(const struct keyring *k, uint64_t sma, unsigned try);

/* A Set is on its way that leaves the SMA with m_key. */
void keyring_changing(struct keyring *k, uint64_t sma, uint64_t m_key);

/* The SMA answered a Set that bore this key. */
void keyring_accepted(struct keyring *k, uint64_t sma, uint64_t used);

/*
 * A Get that bore this key was answered by the SMA before it was identified: if
 * nothing is known of it, this is the first key to try.
 */
void keyring_suppose(struct keyring *k, uint64_t sma, uint64_t used);

/* The SMA acknowledged a Set that leaves it with m_key. */
void keyring_changed(struct keyring *k, uint64_t sma, uint64_t m_key);

/*
 * The SMA answered a request with PortInfo that shows this key and protection.
 * True: it hides its key. Once all keys were tried, keyring_hidden says so.
 */
bool keyring_shown(
	struct keyring *k, uint64_t sma, uint64_t shown, uint8_t protect);
void keyring_hidden(struct keyring *k, uint64_t sma);

/* The SMA left a request unanswered, all tries of it. */
void keyring_silent(struct keyring *k, uint64_t sma, bool set);

/* True if all keys are hidden from us: one of them was shown to be wrong. */
bool keyring_is_hidden(const struct keyring *k, uint64_t sma);

/* True if it has an M_Key that is not known: nothing can be written to it. */
bool keyring_is_locked(const struct keyring *k, uint64_t sma);

/* How many SMAs are locked. */
size_t keyring_locked(const struct keyring *k);

#endif
