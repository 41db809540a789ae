/*
 * record_mask: keys in a recording are replaced by others, the same key always
 * by the same: M_Keys, SM_Keys, the key of subnet administration, and the keys
 * of services, in MADs, in the configuration and in the state. The subnet
 * manager compares keys and counts with none, so that it decides with masked
 * ones as it did with the real ones. The values that mean something stay: 0 (no
 * key) and the SM_Keys that every OpenSM has.
 *
 * The secret of a mask is made at random, and is nowhere in the recording.
 */
#ifndef HEDDLE_SM_RECORD_RECORD_MASK_H
#define HEDDLE_SM_RECORD_RECORD_MASK_H

#include <stddef.h>
#include <stdint.h>

#include "config/config.h"
#include "sm/base/reason.h"

struct record_mask {
	uint64_t secret[3]; /* all 0: keys stay as they are */
};

/* A mask with a new secret. */
struct record_mask record_mask_new(void);

/* Mask the keys in a message of n bytes, a MAD or what RMPP put together. */
void record_mask_message(const struct record_mask *m, uint8_t *bytes, size_t n);

/* A copy of a configuration, masked; NULL and why if that is none. */
struct config *record_mask_config(const struct record_mask *m,
	const struct config *c, struct reason *why);

/* A copy of lines of subnet administration as in the state file, masked; to be
 * freed. NULL: none. */
char *record_mask_state(const struct record_mask *m, const char *lines);

#endif
