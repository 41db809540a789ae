/*
 * link: a connection of this program to the simulator, and the one request that
 * begins it. $IBSIM_SOCKNAME names the simulator, $SIM_HOST the node that this
 * program runs on (the names that ibsim and its clients use).
 */
#ifndef HEDDLE_TESTS_SIM_PRELOAD_LINK_H
#define HEDDLE_TESTS_SIM_PRELOAD_LINK_H

#include "tests/sim/preload/proto.h"

/*
 * Connect and ask: the caller sets want and its parameters in h, the rest is
 * filled in here. text: PROTO_TEXT bytes, or NULL. Returns the connection
 * (close it with link_close), or -1 with errno: the server's, or ENXIO if there
 * is no simulator that speaks the protocol, which is printed to stderr once.
 */
int link_ask(struct proto_hello *h, struct proto_answer *a, char *text);

/* The same if only the answer is needed: 0 or -1. */
int link_query(struct proto_hello *h, struct proto_answer *a, char *text);

/* Close a descriptor and keep errno. */
void link_close(int fd);

#endif
