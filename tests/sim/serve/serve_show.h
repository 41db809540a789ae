/*
 * serve_show: what the server tells about itself and its fabric, as text.
 */
#ifndef HEDDLE_TESTS_SIM_SERVE_SERVE_SHOW_H
#define HEDDLE_TESTS_SIM_SERVE_SERVE_SHOW_H

#include "tests/sim/serve/serve_int.h"

/* A node: its ports, its LIDs, its forwarding table. */
void serve_show_node(const struct serve *s, uint32_t node, struct buf *out);

/* SMPs by attribute and method, then what was lost and why. */
void serve_show_stats(const struct serve *s, struct buf *out);

/* Who is connected, where, with what traffic. */
void serve_show_clients(const struct serve *s, struct buf *out);

#endif
