/*
 * umadserve_int: what the files of umadserve share. No other file includes it.
 */
#ifndef HEDDLE_TESTS_SIM_SERVE_UMADSERVE_INT_H
#define HEDDLE_TESTS_SIM_SERVE_UMADSERVE_INT_H

#include "sm/base/buf.h"
#include "sm/base/map.h"
#include "sm/transport/deadlines.h"
#include "tests/sim/model/sim_int.h"
#include "tests/sim/preload/proto.h"
#include "tests/sim/serve/umadserve.h"

enum {
	UMADSERVE_CONNS = 4096,
	UMADSERVE_QUEUE = 65536,   /* unread messages of a program, at most */
	UMADSERVE_WAITING = 65536, /* open requests of a program, at most */
	UMADSERVE_BODIES = 64,	/* unread long messages of a program, at most */
	UMADSERVE_PARKED = 256, /* long messages in flight, at most */
};

struct umadserve_conn;
struct umadserve_port;

/* All of a long message, in a memory file; reference-counted. */
struct umadserve_body {
	int fd;
	unsigned refs;
};

struct umadserve_agent {
	bool used;
	uint32_t hi; /* upper half of the TIDs of its requests */
	struct proto_agent what;
	struct umadserve_conn *conn;
	struct umadserve_agent *next; /* on the same port */
};

/* A message waiting for room in a program's socket. */
struct umadserve_out {
	struct umadserve_out *next;
	struct umadserve_body *body; /* then a BODY frame follows */
	size_t n;
	struct proto_mad f;
};

/* The queue pairs of a umad device. */
enum umadserve_side { UMADSERVE_BOTH, UMADSERVE_SMI, UMADSERVE_GSI };

enum umadserve_state { UMADSERVE_FRESH, UMADSERVE_UMAD, UMADSERVE_OTHER };

struct umadserve_conn {
	int fd;
	enum umadserve_state state;
	bool dead, dirty, blocked, half; /* half: BIG is out, BODY is not */
	uint64_t key;
	enum umadserve_side side;
	struct umadserve_port *port;
	struct umadserve_agent *agent; /* [PROTO_AGENTS] of a umad device */
	struct umadserve_out *first, **last;
	size_t queued, bodies, waiting;
	struct umadserve_conn *next, *next_dirty;
};

/* A port that a connection is attached to. */
struct umadserve_port {
	struct umadserve *u;
	struct umadserve_port *next;
	uint32_t node;
	uint8_t port;
	unsigned refs; /* connections */
	struct sim_endpoint *e;
	struct umadserve_agent *agents;
	struct umadserve_conn *issm;
};

/* A request that waits for its answer. */
struct umadserve_xact {
	struct umadserve_agent *agent; /* NULL: free */
	uint32_t next_free, tries;
	struct mono timeout;
	struct proto_mad f; /* as it was sent */
	size_t len;
	struct umadserve_body *body;
};

/* A long message; its first 256 bytes travel through the fabric. */
struct umadserve_parked {
	struct umadserve_body *body;
	struct mono since;
	uint64_t tid;
	size_t len;
	uint8_t mgmt_class, method;
};

struct umadserve {
	struct umadserve_options o;
	struct sim *sim;
	int epfd, lfd;
	bool full; /* no connection is accepted before one ends */
	struct mono now;
	struct rng keys;
	uint32_t hi;
	size_t nconns;
	struct umadserve_conn *conns, *dirty;
	struct umadserve_inbox *inbox; /* frames being read */
	struct umadserve_out *spare;
	struct umadserve_port *ports;
	struct umadserve_xact *xact;
	size_t nxacts, xact_cap;
	uint32_t free_xact;
	struct map by_tid;
	struct deadlines due;
	struct umadserve_parked parked[UMADSERVE_PARKED];
	unsigned next_parked, nparked;
	struct umadserve_stats stats;
};

/* umadserve.c: queue a message to the program behind an agent. */
void umadserve_give(struct umadserve_agent *a, const struct proto_mad *f,
	size_t n, struct umadserve_body *body);
struct umadserve_body *umadserve_ref(struct umadserve_body *b); /* NULL ok */
void umadserve_unref(struct umadserve_body *b);			/* NULL ok */

/* umadserve_hello.c: carry out a connection's first frame. */
void umadserve_hello(struct umadserve *u, struct umadserve_conn *c,
	const struct proto_hello *h);

/*
 * umadserve_port.c: attach to a port of the fabric; counts references. get:
 * NULL and errno.
 */
struct umadserve_port *umadserve_port_get(
	struct umadserve *u, uint32_t node, unsigned port);
void umadserve_port_put(struct umadserve_port *p);
/* 0, or an errno: EINVAL if a method has an agent already. */
int umadserve_port_register(struct umadserve_port *p, struct umadserve_conn *c,
	const struct proto_agent *what, uint32_t *id);
void umadserve_port_unregister(struct umadserve_agent *a);

/* umadserve_mad.c: MADs out and in. */
void umadserve_mad_send(struct umadserve *u, struct umadserve_conn *c,
	struct proto_mad *f, size_t len, struct umadserve_body *body);
bool umadserve_mad_take(
	struct umadserve_port *p, const struct transport_msg *m);
void umadserve_mad_due(struct umadserve *u);
void umadserve_mad_forget(struct umadserve *u, const struct umadserve_agent *a);

/*
 * umadserve_file.c: the content of a path for a program on this node. 0 and
 * *kind, or errno.
 */
int umadserve_file(struct umadserve *u, uint32_t node, const char *path,
	struct buf *out, uint32_t *kind);
/* The port of umad device number n, and what it has of it; false if there is
 * none. */
bool umadserve_file_device(const struct umadserve *u, uint32_t node, uint32_t n,
	unsigned *port, enum umadserve_side *side);

#endif
