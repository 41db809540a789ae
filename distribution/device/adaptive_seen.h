/*
 * adaptive_seen: whether a switch forwards by its forwarding table (LFT)
 * alone, as far as it was asked.
 *
 * Filled by foreign_adaptive.h, an attribute in the device store like others: a
 * switch that lost its memory is asked again.
 */
#ifndef HEDDLE_DISTRIBUTION_DEVICE_ADAPTIVE_SEEN_H
#define HEDDLE_DISTRIBUTION_DEVICE_ADAPTIVE_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "distribution/device/device_store.h"

enum adaptive_state {
	ADAPTIVE_UNREAD,  /* not asked yet */
	ADAPTIVE_OFF,	  /* the LFT alone decides, or groups of our own beside
			     it: adaptive_can.h */
	ADAPTIVE_LEFT,	  /* on, and not to be switched off */
	ADAPTIVE_UNTOLD,  /* the switch does not say whether it is on */
	ADAPTIVE_SILENT,  /* on; the Set that switches it off has no answer */
	ADAPTIVE_REFUSED, /* on; the Set is refused */
	ADAPTIVE_KEPT,	  /* on; the Set is acknowledged */
};

/* What a switch has of adaptive routing, as it says itself. */
enum adaptive_kind {
	ADAPTIVE_NONE,
	ADAPTIVE_OLDER, /* with tables that sm/mad does not know */
	ADAPTIVE_REV1,	/* mad_ar.h; its ARInfo is in the store if it answers */
};

struct adaptive_seen {
	enum adaptive_state state;
	unsigned on; /* enum mad_ar_on bits; 0 where the state says so */
	enum adaptive_kind kind;
};

struct adaptive_seen adaptive_seen_of(
	const struct device_store *h, uint64_t guid);
void adaptive_seen_put(
	struct device_store *h, uint64_t guid, struct adaptive_seen seen);

/* True unless the LFT alone decides, or nothing is known yet. */
static inline bool
adaptive_is_on(struct adaptive_seen s)
{
	return s.state > ADAPTIVE_OFF;
}

/* What is on, of enum mad_ar_on: "adaptive routing, private LFTs". */
void adaptive_on_text(unsigned on, char *out, size_t size);

/* What is wrong with such a switch, as the rest of a sentence about it:
 * "refuses to switch off adaptive routing, private LFTs". */
void adaptive_seen_text(struct adaptive_seen s, char *out, size_t size);

#endif
