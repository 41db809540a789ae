/*
 * mad_role: the SwitchRole attribute, by which a switch reports its place in a
 * tree.
 *
 * Attribute 0xFFE0 of class Subn, Get and perhaps Set, port 0 of switches,
 * modifier 0. It is advice: routing checks it against the links. It is asked
 * for only where the administrator says that switches have it, and an answer
 * counts only with the signature, so that another vendor's use of the number
 * does no harm.
 */
#ifndef HEDDLE_SM_MAD_MAD_ROLE_H
#define HEDDLE_SM_MAD_MAD_ROLE_H

#include <stdint.h>

#include "sm/base/reason.h"
#include "sm/mad/mad.h"

enum { MAD_ROLE = 0xffe0, MAD_ROLE_SIGNATURE = 0x53574c52 };

enum mad_role_kind {
	MAD_ROLE_NONE,
	MAD_ROLE_LEAF,
	MAD_ROLE_ROOT,
	MAD_ROLE_INTERMEDIATE,
	MAD_ROLE_LEAF_ROOT, /* of a tree with one tier */
	MAD_ROLE_MANAGEMENT,
	MAD_ROLE_VIRTUAL,
	MAD_ROLE_IGNORE = 0xff, /* says nothing about tiers */
};

enum {
	MAD_ROLE_CAN_SET = 0x80,
	MAD_ROLE_NVRAM = 0x40,
	MAD_ROLE_LOCKED = 0x20,	  /* can be changed at the console only */
	MAD_ROLE_UP_VALID = 0x01, /* up[] is valid */
};

enum { MAD_ROLE_NO_LEVEL = 0xff, MAD_ROLE_NO_PLANE = 0xff };

struct mad_role {
	uint8_t version;     /* 1 */
	uint8_t role;	     /* enum mad_role_kind */
	uint8_t level;	     /* 0: leaves, counting up */
	uint8_t flags;	     /* MAD_ROLE_* */
	uint32_t generation; /* one higher with each change */
	uint16_t tree;
	uint8_t plane;
	uint32_t pod, index; /* UINT32_MAX: unknown */
	uint64_t owner;	     /* identifies the writer */
	uint64_t up[4]; /* ports to the tier above: bit n % 64 of word n / 64 */
};

/*
 * -1 and a reason: another signature, version 0, or a mask of upward ports that
 * has port 0 in it. An unknown role is read as none; a higher version only adds
 * fields after these.
 */
int mad_role_decode(
	const uint8_t d[MAD_DATA], struct mad_role *out, struct reason *why);
void mad_role_encode(const struct mad_role *in, uint8_t d[MAD_DATA]);

/* "leaf", "leaf-root"; "unknown" for what is no role. */
const char *mad_role_name(uint8_t role);

#endif
