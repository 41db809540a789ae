/*
 * setlog: the file that heddle-sim's command `trace` writes, read back: a
 * fabric, and every Set that its devices dealt with.
 *
 * heddle-setdiff compares two of them. Nothing of the product's codec is used:
 * what a Set says is decided by libibmad.
 */
#ifndef HEDDLE_TESTS_E2E_SETLOG_H
#define HEDDLE_TESTS_E2E_SETLOG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "sm/base/map.h"
#include "sm/base/reason.h"

enum { SETLOG_DATA = 64, SETLOG_SILENT = -1, SETLOG_NAME = 65 };

/* Where a link leads; node 0 is a node too: linked says if there is one. */
struct setlog_port {
	bool linked;
	uint32_t peer; /* index of the node */
};

struct setlog_node {
	uint64_t guid;
	bool is_switch;
	unsigned nports;
	char name[SETLOG_NAME];
	struct setlog_port *port; /* [nports + 1] */
};

struct setlog_set {
	uint32_t node; /* index */
	unsigned arrived;
	uint16_t attr;
	uint32_t mod;
	uint64_t mkey;
	int status; /* or SETLOG_SILENT */
	bool has_before;
	uint8_t before[SETLOG_DATA], data[SETLOG_DATA];
};

struct setlog {
	struct setlog_node *node;
	size_t nnodes, node_cap;
	struct setlog_set *set;
	size_t nsets, set_cap;
	struct map by_guid;
};

/* Read a whole file. NULL and a reason with the line if it is not one. */
struct setlog *setlog_read(FILE *in, struct reason *why);
void setlog_free(struct setlog *l); /* NULL allowed */

/* The node of that name, or -1. */
int64_t setlog_find(const struct setlog *l, const char *name);

#endif
