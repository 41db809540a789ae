/*
 * tracks: the path of a packet by the tables, for comparison with the one that
 * ibtracert finds by asking the switches one after the other.
 */
#ifndef HEDDLE_TESTS_E2E_TRACKS_H
#define HEDDLE_TESTS_E2E_TRACKS_H

#include <stdint.h>
#include <stdio.h>

#include "tests/e2e/ndtext.h"

/*
 * Print n random tracks from host ports to any LIDs, a line each:
 *
 *	SLID DLID [1]{0xguid}[3] [7]{0xguid}[1] ...
 *
 * (out of port 1 into port 3 of the switch with that GUID, and so on; a host
 * has its port's GUID, as in ibtracert). A tool at host port LID `tool` must be
 * able to reach every node on the path, and back, over at most `far` links,
 * because ibsim gives up after 16. Returns the number printed: fewer if there
 * are not enough.
 */
unsigned tracks_print(const struct ndtext *t, FILE *out, unsigned n,
	uint64_t seed, uint32_t tool, uint32_t far);

#endif
