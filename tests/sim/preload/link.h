/*
 * link: a connection of this program to the simulator, and the one question
 * that begins it. Which simulator: $IBSIM_SOCKNAME; on which of its nodes this
 * program runs: $SIM_HOST (the names that ibsim and its clients use).
 */
#ifndef HEDDLE_TESTS_SIM_PRELOAD_LINK_H
#define HEDDLE_TESTS_SIM_PRELOAD_LINK_H

#include "tests/sim/preload/proto.h"

/*
 * Connect and ask: want and its parameters of h are the caller's, the rest is
 * filled in here. text: PROTO_TEXT bytes, or NULL. The connection (close it
 * with link_close), or -1 with errno: the server's, or ENXIO when there is no
 * simulator that understands us, of which stderr has been told once.
 */
int link_ask(struct proto_hello *h, struct proto_answer *a, char *text);

/* The same when the answer is all that is wanted: 0 or -1. */
int link_query(struct proto_hello *h, struct proto_answer *a, char *text);

/* Close a descriptor and keep errno. */
void link_close(int fd);

#endif
