/*
 * config_loss: what another configuration takes from the ports of a fabric:
 * ports that may talk to each other now and then may not, because of their
 * P_Keys, ports that lose a LID that they hold, to which other hosts have
 * connections, and ports that lose their GIDs to another subnet prefix. Pure:
 * from a topology with the LIDs in force.
 *
 * Ports that talk are those of hosts, routers and aggregation nodes. Those of
 * the same keys before and after are judged together, since most partitions
 * have many.
 */
#ifndef HEDDLE_SM_POLICY_CONFIG_LOSS_H
#define HEDDLE_SM_POLICY_CONFIG_LOSS_H

#include <stdint.h>

#include "config/config.h"
#include "discovery/topo.h"
#include "routing/core/lid.h"
#include "sm/base/buf.h"
#include "sm/policy/name_pins.h"

struct config_loss_ask {
	struct config *was, *is;
	struct topo *topo;		 /* with the LIDs in force */
	struct name_pins *pins;		 /* of was, or NULL */
	const struct lid_record *record; /* sorted by GUID */
	size_t nrecord;
};

enum config_loss_kind {
	CONFIG_LOSS_PAIRS, /* of ports that may not talk any more */
	CONFIG_LOSS_LIDS,
	CONFIG_LOSS_GIDS,
	CONFIG_LOSS_KINDS
};

struct config_loss {
	uint32_t affected;     /* ports that lose a port, a LID or GIDs */
	uint64_t pairs;	       /* of ports that may not talk any more */
	uint32_t ports;	       /* in these */
	uint32_t limited;      /* of all: full members of the default partition
				  that become limited ones */
	port_ix pair[2];       /* the first of pairs */
	uint32_t renumbered;   /* ports that lose a LID */
	port_ix moved;	       /* the first of these */
	uint16_t lid, new_lid; /* its base LIDs */
	uint32_t readdressed;  /* ports that lose their GIDs: all, or none */
};

/* 0, or -1 and why: there are not enough LIDs for the new configuration. */
int config_loss_judge(const struct config_loss_ask *ask,
	struct config_loss *out, struct reason *why);

/* True if more ports lose something than the new configuration accepts. */
bool config_loss_refused(const struct config_loss *l, const struct config *is);

/* How many are lost of a kind: pairs, or ports. */
uint64_t config_loss_count(
	const struct config_loss *l, enum config_loss_kind kind);

/* Append what is lost of a kind, in a sentence; nothing where none is. */
void config_loss_kind_text(const struct config_loss *l,
	enum config_loss_kind kind, const struct config *is,
	const struct topo *t, struct buf *out);

/* Append all of them, with this text between each two. */
void config_loss_text(const struct config_loss *l, const struct config *is,
	const struct topo *t, const char *between, struct buf *out);

#endif
