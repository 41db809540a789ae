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

enum device_attr {
	DEVICE_LFT,	    /* of a switch; block: 64 LIDs */
	DEVICE_SL2VL,	    /* of an out-port; block: the row from an in-port */
	DEVICE_VLARB,	    /* of a port; block: part 1 .. 4 */
	DEVICE_PKEY,	    /* of a port; block: 32 keys */
	DEVICE_PORT_INFO,   /* of a port; held by discovery's builder */
	DEVICE_SWITCH_INFO, /* of a switch; held there too */
	DEVICE_ADAPTIVE,    /* of a switch: how it forwards beside its LFT, as
			       adaptive_seen.h puts it together */
	DEVICE_ATTRS,
};

/* What makes the blocks of a port unknown, beside the loss of the device. */
enum device_loss {
	DEVICE_LOST_FRESH = 1 << 0, /* the switch came up fresh */
	DEVICE_LOST_DOWN = 1 << 1,  /* the end port is not up */
	DEVICE_LOST_RIVAL = 1 << 2, /* another subnet manager had the fabric */
};

struct device_attribute {
	uint16_t attr; /* AttributeID */
	/* of a block that are compared, the rest is zero; 0: no block of it is
	   in the store */
	uint8_t bytes;
	uint8_t misses;	   /* answers in a row that a port may owe before it
			      is asked for no more; 0: any number */
	bool refusal_ends; /* a status is no answer either */
	bool by_port0;	   /* a switch is asked as a whole */
	uint32_t blocks;   /* of one port, at most */
	unsigned lost;	   /* enum device_loss bits */
	/* AttributeModifier of a block; of a switch's port, or of a host's */
	uint32_t (*modifier)(bool of_switch, unsigned port, uint32_t block);
};

extern const struct device_attribute device_attribute[DEVICE_ATTRS];

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

/* An attribute of a switch as a whole. */
static inline struct device_at
device_at_switch(uint64_t guid, enum device_attr attr)
{
	return (struct device_at){guid, attr, 0, 0};
}

#endif
