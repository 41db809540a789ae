/*
 * mft_cell: the MulticastForwardingTable, cell by cell.
 *
 * A cell is what one SMP carries: 32 groups and 16 ports of one switch, a mask
 * of ports for each group.
 *
 *	mask of a group, all ports --> wanted --+
 *	                                        +--> masks to be sent --> SMP
 *	SMP acknowledged or read ----> held ----+
 *
 * Pure: nothing here knows what a switch holds, or sends anything; push/mft.h
 * does.
 *
 * IBA volume 1: MulticastForwardingTable 14.2.5.12.
 */
#ifndef HEDDLE_DISTRIBUTION_TABLES_MFT_CELL_H
#define HEDDLE_DISTRIBUTION_TABLES_MFT_CELL_H

#include <stdbool.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "sm/mad/port_values.h"

enum {
	MFT_MLID = LID_MULTICAST_MIN,
	MFT_GROUPS = LID_MULTICAST_COUNT,
	MFT_CELL = 64,	/* bytes of a cell */
	MFT_BLOCK = 32, /* groups of a cell */
	MFT_COLUMNS = MFT_BLOCK,
	MFT_PORTS = 16,	    /* of a cell */
	MFT_POSITIONS = 16, /* cells of a block: 256 ports */
	MFT_WORDS = 4,	    /* 256 ports as bits */
};

struct mft_cell {
	bool asked; /* a Get was sent: without an answer not repeated */
	bool used;  /* the last that was known of it was not empty, or a cycle
		       since then has something for it */
	uint16_t want[MFT_COLUMNS];
};

/* The AttributeModifier of position pos of a block of groups. */
static inline uint32_t
mft_cell_modifier(uint32_t pos, uint32_t block)
{
	return pos << 28 | block;
}

/* The ports of position pos of a switch that lead to other switches, or to
 * nothing that answers: all that do not lead to a host. */
uint16_t mft_cell_links(const struct topo *t, node_ix n, unsigned pos);

/* The ports of position pos in a mask of all ports. */
static inline uint16_t
mft_cell_ports(const uint64_t mask[MFT_WORDS], unsigned pos)
{
	return (uint16_t)(mask[pos / 4] >> pos % 4 * MFT_PORTS);
}

/* Masks as an SMP carries them, and from one. */
void mft_cell_encode(const uint16_t mask[MFT_COLUMNS], uint8_t data[MFT_CELL]);
void mft_cell_decode(const uint8_t data[MFT_CELL], uint16_t mask[MFT_COLUMNS]);

/* Whether no mask has a port. */
bool mft_cell_is_empty(const uint8_t data[MFT_CELL]);

/* What a cell shall hold, and what it holds, as far as that is known. */
struct mft_cell_state {
	const uint16_t *want; /* [MFT_COLUMNS] */
	const uint16_t *have; /* [MFT_COLUMNS], or NULL: unknown */
	uint16_t links;	      /* ports that lead to other switches */
};

/*
 * Adds the groups (as bits) that gain links to other switches in this cell, and
 * those that lose some. An unknown cell may hold anything.
 */
void mft_cell_compare(
	const struct mft_cell_state *c, uint32_t *gains, uint32_t *loses);

/*
 * What the cell shall hold next: what is wanted; of links of the groups in
 * `moving` only those that it holds already.
 */
void mft_cell_goal(const struct mft_cell_state *c, uint32_t moving,
	uint16_t goal[MFT_COLUMNS]);

/* Whether a cell that holds `copy` has links in it that it has not with `is`:
 * any group's. */
bool mft_cell_adds(const uint8_t is[MFT_CELL], const uint8_t copy[MFT_CELL],
	uint16_t links);

/* Whether the cell does not hold this, or is unknown. */
bool mft_cell_differs(
	const struct mft_cell_state *c, const uint16_t goal[MFT_COLUMNS]);

#endif
