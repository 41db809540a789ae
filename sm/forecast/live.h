/*
 * live: topology and tables in force, from the running daemon by its control
 * socket.
 */
#ifndef HEDDLE_FORECAST_LIVE_H
#define HEDDLE_FORECAST_LIVE_H

#include <stddef.h>

#include "distribution/expect.h"
#include "routing/routes.h"
#include "sm/base/reason.h"

struct live;

/* Connect; NULL, why and the exit code in *code. Close with live_close. */
struct live *live_open(const char *socket, int *code, struct reason *why);

void live_close(struct live *l); /* NULL allowed */

/* The fabric as ibnetdiscover prints it, *n bytes to be freed; NULL: why. */
char *live_topology(struct live *l, size_t *n, struct reason *why);

/* What answers take there, as measured; nothing changes where it says nothing.
 */
void live_pace(struct live *l, struct expect_pace *pace);

/* The tables as routes of t, order included. NULL and why. */
struct routes *live_routes(struct live *l, struct topo *t,
	struct lft_pool *pool, struct reason *why);

#endif
