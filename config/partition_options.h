/*
 * partition_options: which ports may talk to each other, as the administrator
 * configures it. The rows of one entry of `partitions`, and the rules that no
 * single row can judge. sm/view/view_partition.h applies them to the ports of a
 * fabric.
 *
 * IBA volume 1: partitioning 10.9, P_Key 10.9.1.
 */
#ifndef HEDDLE_CONFIG_PARTITION_OPTIONS_H
#define HEDDLE_CONFIG_PARTITION_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "config/diag.h"
#include "config/schema.h"
#include "sm/mad/port_values.h"

enum { PARTITION_DEFAULT_KEY = PKEY_NUMBER };

/* Membership of a member. */
enum partition_membership {
	PARTITION_AS_LIMITED, /* talks to full members only */
	PARTITION_AS_FULL,
	PARTITION_AS_BOTH, /* has both keys */
};

/* What the text of a member names. */
enum partition_member {
	PARTITION_ALL,
	PARTITION_HOSTS, /* ports of channel adapters */
	PARTITION_SWITCHES,
	PARTITION_ROUTERS,
	PARTITION_SM,	/* the port that the subnet manager sends from */
	PARTITION_GUID, /* a port GUID, or a node GUID: all ports of it */
	PARTITION_NAME, /* a shell pattern on the node's description, or
			   on the first word of it */
};

/* IPoIB's broadcast group, made before any port asks to join it. */
struct partition_ipoib {
	bool enabled;
	uint32_t mtu;  /* bytes */
	uint32_t rate; /* index into partition_rates */
	uint32_t sl;
	uint32_t scope; /* 2 link, 5 site, 8 organization, 14 global */
	uint64_t qkey;
};

struct partition_options {
	uint64_t pkey; /* without the membership bit */
	struct schema_words members;
	struct partition_ipoib ipoib;
};

/* The row of the section partitions. */
extern const struct schema partitions_schema;

/* Gb/s in words, as in the file: "2.5", "10" ... NULL-terminated. */
extern const char *const partition_rates[];

/* IBA's code of partition_rates[rate]. */
uint8_t partition_rate_code(uint32_t rate);

/* What the text names; *guid is set for PARTITION_GUID. */
enum partition_member partition_member(const char *text, uint64_t *guid);

/*
 * Judge all partitions: each has a P_Key, no P_Key is given twice, GUIDs are
 * well formed.
 */
void partition_check(const struct schema_records *all, struct diag_list *d);

#endif
