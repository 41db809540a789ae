/*
 * mad_violation: the details of traps 256 to 259, by which a node reports a
 * wrong M_Key, P_Key or Q_Key (IBA volume 1, 14.2.5.1). mad_notice_decode reads
 * the head of the notice; these are the bytes after it.
 */
#ifndef HEDDLE_SM_MAD_MAD_VIOLATION_H
#define HEDDLE_SM_MAD_MAD_VIOLATION_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/mad/mad.h"

enum {
	MAD_VIOLATION_M_KEY = 256,
	MAD_VIOLATION_P_KEY = 257,
	MAD_VIOLATION_Q_KEY = 258,
	MAD_VIOLATION_SWITCH_P_KEY = 259,
};

enum { MAD_VIOLATION_HOPS = 30 };

struct mad_violation {
	uint16_t lid; /* 256: the requester; else: LID1, the packet's source */
	/* 256: the SMP */
	bool directed, truncated;
	uint16_t dr_slid;
	uint8_t method;
	uint16_t attr;
	uint32_t mod;
	uint64_t mkey;
	uint8_t hops;
	uint8_t ret_path[MAD_VIOLATION_HOPS];
	/* 257, 258, 259: the packet */
	uint16_t lid2; /* its destination */
	uint32_t key;  /* P_Key or Q_Key */
	uint8_t sl;
	uint32_t qp1, qp2;
	uint64_t gid1[2], gid2[2]; /* of these two LIDs, or 0 */
	/* 259: the switch that found it */
	uint16_t valid; /* which fields are valid */
	uint16_t switch_lid;
	uint8_t port;
};

/* Fields that trap number trap does not carry are 0. */
void mad_violation_decode(
	const uint8_t d[MAD_DATA], uint16_t trap, struct mad_violation *out);

/* Write the details into a notice made by mad_notice_encode. */
void mad_violation_encode(
	const struct mad_violation *in, uint16_t trap, uint8_t d[MAD_DATA]);

#endif
