/* hello: the first frame of a program to the server of libheddle-umad.so. */
#ifndef HEDDLE_TESTS_UNIT_TESTS_SIM_SERVE_HELLO_H
#define HEDDLE_TESTS_UNIT_TESTS_SIM_SERVE_HELLO_H

#include <stdio.h>

#include "tests/sim/preload/proto.h"

static inline struct proto_hello
make_hello(uint16_t want, const char *host)
{
	struct proto_hello h = {
		.head = {PROTO_HELLO, sizeof(h)},
		.magic = PROTO_MAGIC,
		.version = PROTO_VERSION,
		.want = want,
	};

	(void)snprintf(h.host, sizeof(h.host), "%s", host);
	return h;
}

#endif
