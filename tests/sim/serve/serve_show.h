/* serve_show: the state of the server and its fabric as text. */
#ifndef HEDDLE_TESTS_SIM_SERVE_SERVE_SHOW_H
#define HEDDLE_TESTS_SIM_SERVE_SERVE_SHOW_H

#include "tests/sim/serve/serve_int.h"

/* A node: its ports, LIDs, forwarding table. */
void serve_show_node(const struct serve *s, uint32_t node, struct buf *out);

/* SMPs by attribute and method, then losses by cause. */
void serve_show_stats(const struct serve *s, struct buf *out);

/* The clients: their ports and traffic. */
void serve_show_clients(const struct serve *s, struct buf *out);

#endif
