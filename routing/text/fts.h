/*
 * fts: forwarding tables as text, in the format of infiniband-diags' dump_fts,
 * which every site's scripts read: printed for plans, read back as tables in
 * force. A table is identified by its switch's GUID.
 *
 *	Unicast lids [0x0-0x2c] of switch DR path slid 0; dlid 0; 0,1,5 guid
 *	0x0002c90200001f00 (leaf7):            (one line)
 *	  Lid  Out   Destination
 *	       Port     Info
 *	0x0001 005 : (Channel Adapter portguid 0x0002c90300000201: 'h1')
 *	...
 *	44 valid lids dumped
 *
 * Folder routing/text: text <-> forwarding tables. Callers: sm/what_if. Read
 * next: routing/core/routes.h.
 */
#ifndef HEDDLE_ROUTING_TEXT_FTS_H
#define HEDDLE_ROUTING_TEXT_FTS_H

#include <stddef.h>
#include <stdint.h>

#include "routing/core/routes.h"
#include "routing/core/verdict.h"
#include "sm/base/buf.h"
#include "sm/base/reason.h"

/* Append the tables of every switch, nearest to us first. */
void fts_print(const struct verify_tables *in, struct buf *out);

/* One switch's table: entry[lid], LFT_DROP where the text says nothing. */
struct fts_table {
	uint64_t guid;
	uint8_t *entry;
	uint32_t nlid; /* number of entries */
};

/* The port that owns a LID, as far as the text says. */
struct fts_owner {
	uint64_t port_guid;
	uint16_t lid; /* the lowest that the text has for this port */
};

struct fts {
	struct fts_table *table;
	size_t ntables;
	struct fts_owner *owner; /* sorted by port GUID, none twice */
	size_t nowners;
};

/*
 * Read n bytes; name is for messages. Free with fts_free. NULL and
 * "name:line:col: ..." when it is not such a text.
 */
struct fts *fts_parse(
	const char *text, size_t n, const char *name, struct reason *why);

void fts_free(struct fts *f); /* NULL allowed */

/* Differences between tables and a topology. */
struct fts_misfit {
	size_t missing; /* switches of the topology without a table */
	size_t strange; /* tables of switches that it does not have */
	size_t moved;	/* ports with another LID in the tables */
};

/*
 * The tables as routes of topology t; they must use its LIDs. Ranks are all 0.
 * Tables of switches that t does not have are left out, switches without a
 * table drop everything; *misfit counts both, and ports with another LID.
 */
struct routes *fts_routes(const struct fts *f, struct topo *t,
	struct lft_pool *pool, struct fts_misfit *misfit);

#endif
