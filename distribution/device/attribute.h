/*
 * attribute: what the device store needs to know of each attribute that
 * devices hold: one row of a table for each.
 *
 * A device holds an attribute in blocks; a block is what one SMP carries. It
 * belongs to a port, or to a switch as a whole, which is its port 0. A further
 * attribute is one more row here, and one file of wanted values in
 * distribution/tables.
 */
#ifndef HEDDLE_DISTRIBUTION_DEVICE_ATTRIBUTE_H
#define HEDDLE_DISTRIBUTION_DEVICE_ATTRIBUTE_H

#include <stdbool.h>
#include <stdint.h>

#include "discovery/topo.h"

enum device_attr {
	DEVICE_LFT,	  /* of a switch; block: 64 LIDs */
	DEVICE_SL2VL,	  /* of an out-port; block: the row from an in-port */
	DEVICE_VLARB,	  /* of a port; block: part 1 .. 4 */
	DEVICE_PKEY,	  /* of a port; block: 32 keys */
	DEVICE_GUIDS,	  /* of a port; block: 8 GUIDs */
	DEVICE_MFT,	  /* of a switch; port: a position, 16 ports; block: 32
			     groups */
	DEVICE_PORT_INFO, /* of a port; held by discovery's builder */
	DEVICE_SWITCH_INFO, /* of a switch; held there too */
	DEVICE_ADAPTIVE,    /* of a switch: how it forwards beside its LFT, as
			       adaptive_seen.h puts it together */
	DEVICE_AR_INFO,	    /* of a switch: adaptive routing as a whole */
	DEVICE_AR_GROUP,    /* of a switch; block: an adaptive group */
	DEVICE_AR_LFT,	    /* of a switch; block: 16 LIDs */
	DEVICE_ATTRS,
};

/* What makes the blocks of a port unknown. */
enum device_loss {
	DEVICE_LOST_FRESH = 1 << 0, /* the switch came up fresh */
	DEVICE_LOST_DOWN = 1 << 1,  /* the end port is not up */
	DEVICE_LOST_RIVAL = 1 << 2, /* another subnet manager had the fabric */
	/* the device is forgotten; MFT is not lost then, but by its owner,
	   which samples switches that may have lost theirs */
	DEVICE_LOST_NODE = 1 << 3,
};

/* What reads the blocks of an attribute that are in doubt, and when. */
enum device_doubt_reader {
	DEVICE_CHECKS, /* device_check, when no copy can arrive any more */
	DEVICE_OWNER_CHECKS, /* ... its owner, at that time */
	DEVICE_OWNER_ENDS,   /* its owner, in its own time: the doubt lasts
				until then */
};

struct device_attribute {
	uint16_t attr; /* AttributeID */
	/* of a block that are compared, the rest is zero; 0: no block of it is
	   in the store */
	uint8_t bytes;
	bool doubted;	    /* where a Set was repeated: by its block 0 */
	bool block_doubted; /* ... or by the block itself */
	bool forwards;	    /* a switch forwards by it: what is in doubt is
			       waited for before a stage */
	enum device_doubt_reader doubts;
	uint8_t misses;	   /* answers in a row that a port, or a switch that is
			      asked as a whole, may owe before it is asked for
			      no more; 0: any number */
	bool refusal_ends; /* a status is no answer either */
	bool by_port0;	   /* a switch is asked as a whole */
	uint32_t blocks;   /* of one port, at most */
	unsigned lost;	   /* enum device_loss bits */
	/* AttributeModifier of a block of this port */
	uint32_t (*modifier)(const struct topo *t, port_ix p, uint32_t block);
	/* how many of the bytes the port has; NULL: all */
	unsigned (*size)(const struct topo *t, port_ix p, uint32_t block);
	/*
	 * What a device lacks that holds `is` and shall hold `want`: bits that
	 * the attribute's file in distribution/tables names, 0: nothing. NULL:
	 * it lacks something if any byte differs.
	 */
	uint32_t (*lacks)(const struct topo *t, port_ix p, uint32_t block,
		const uint8_t *is, const uint8_t *want);
};

extern const struct device_attribute device_attribute[DEVICE_ATTRS];

/* Bytes of a block that the port has; what it lacks of `want`. */
unsigned device_attribute_size(
	enum device_attr attr, const struct topo *t, port_ix p, uint32_t block);
uint32_t device_attribute_lacks(enum device_attr attr, const struct topo *t,
	port_ix p, uint32_t block, const uint8_t *is, const uint8_t *want);

/* The address of a block: keyed by GUID, it outlives topologies. */
struct device_at {
	uint64_t guid; /* of the node */
	enum device_attr attr;
	uint8_t port;
	uint32_t block;
};

/* A block of a forwarding table. */
static inline struct device_at
device_at_lft(uint64_t guid, uint32_t block)
{
	return (struct device_at){guid, DEVICE_LFT, 0, block};
}

/* The row of SL2VL from one port of a node to another. */
static inline struct device_at
device_at_row(uint64_t guid, unsigned in, unsigned out)
{
	return (struct device_at){guid, DEVICE_SL2VL, (uint8_t)out, in};
}

/* Part 1 .. 4 of the arbitration table of a port. */
static inline struct device_at
device_at_part(uint64_t guid, unsigned port, unsigned part)
{
	return (struct device_at){guid, DEVICE_VLARB, (uint8_t)port, part};
}

/* A block of the P_Key table of a port. */
static inline struct device_at
device_at_keys(uint64_t guid, unsigned port, unsigned block)
{
	return (struct device_at){guid, DEVICE_PKEY, (uint8_t)port, block};
}

/* A block of the GUIDs of a port. */
static inline struct device_at
device_at_guids(uint64_t guid, unsigned port, unsigned block)
{
	return (struct device_at){guid, DEVICE_GUIDS, (uint8_t)port, block};
}

/* A cell of a multicast forwarding table: a position of 16 ports, and a block
 * of 32 groups. */
static inline struct device_at
device_at_cell(uint64_t guid, unsigned pos, unsigned block)
{
	return (struct device_at){guid, DEVICE_MFT, (uint8_t)pos, block};
}

/* What a port as a whole is set to; of a switch's port, its own part. */
static inline struct device_at
device_at_port(uint64_t guid, unsigned port)
{
	return (struct device_at){guid, DEVICE_PORT_INFO, (uint8_t)port, 0};
}

static inline bool
device_at_equal(struct device_at a, struct device_at b)
{
	return a.guid == b.guid && a.attr == b.attr && a.port == b.port &&
	       a.block == b.block;
}

/* An attribute of a switch as a whole. */
static inline struct device_at
device_at_switch(uint64_t guid, enum device_attr attr)
{
	return (struct device_at){guid, attr, 0, 0};
}

#endif
