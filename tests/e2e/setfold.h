/*
 * setfold: what the Sets of one manager amount to.
 *
 * All Sets of one unit - the PortInfo of a port, a block of a P_Key table, a
 * row of SL2VL - become one record: the value that was sent last, the value
 * that the device held before, the states that a port was sent through. A Set
 * of many rows of SL2VL counts as a Set of each. Forwarding tables are kept
 * whole, per switch, because they are compared by kind and not by entry.
 */
#ifndef HEDDLE_TESTS_E2E_SETFOLD_H
#define HEDDLE_TESTS_E2E_SETFOLD_H

#include "tests/e2e/setlog.h"

enum {
	SETFOLD_LIDS = 0xc000,
	SETFOLD_MLIDS = 0x4000,
	SETFOLD_WAY = 64, /* text of a sequence of states */
};

/*
 * unit: PortInfo, SL2VL of a host: port. P_KeyTable: port << 16 | block. SL2VL
 * of a switch: in << 8 | out. VLArb: port << 16 | part. SwitchInfo: 0. Others:
 * the modifier.
 */
struct setfold_unit {
	uint32_t node;
	uint16_t attr;
	uint32_t unit;
	unsigned sets; /* that were accepted */
	bool has_held;
	uint8_t held[SETLOG_DATA];   /* before the first Set */
	uint8_t before[SETLOG_DATA]; /* before the last one */
	uint8_t value[SETLOG_DATA];  /* of the last one; held, if refused */
	uint8_t ever[SETLOG_DATA];   /* every bit that was set in any */
	int refusal;		     /* the last status that is not 0 */
	uint64_t mkey;		     /* of the last request */
	bool high_bit;		     /* of its modifier */
	char state[SETFOLD_WAY], phys[SETFOLD_WAY]; /* PortInfo: "0 3 4" */
};

/* The tables of a switch. */
struct setfold_tables {
	bool *known;	   /* [SETFOLD_LIDS], by Sets */
	uint8_t *lft;	   /* [SETFOLD_LIDS] */
	uint16_t top_mlid; /* highest MLID with a port, or 0 */
	unsigned lft_sets, mft_sets;
};

struct setfold {
	const struct setlog *log;
	struct setfold_unit *unit;
	size_t n, cap;
	struct map by_key;
	struct setfold_tables *tables; /* [nnodes] */
};

/*
 * Fold a log, which must live as long. In PortInfo a field of 0 means no change
 * where it can: the value is then that of an earlier Set, or the one held.
 */
struct setfold *setfold_new(const struct setlog *l);
void setfold_free(struct setfold *f); /* NULL allowed */

/* The record of a unit in this fold, or NULL. */
const struct setfold_unit *setfold_find(
	const struct setfold *f, uint32_t node, uint16_t attr, uint32_t unit);

/* Whether 0 in a Set of this PortInfo field (libibmad's number) is no change.
 */
bool setfold_keeps(int field);

#endif
