/* serve_int: what the files of the server share. No other file includes it. */
#ifndef HEDDLE_TESTS_SIM_SERVE_SERVE_INT_H
#define HEDDLE_TESTS_SIM_SERVE_SERVE_INT_H

#include <stdio.h>

#include "sm/base/buf.h"
#include "sm/base/loop.h"
#include "sm/base/map.h"
#include "tests/sim/serve/ibsimwire.h"
#include "tests/sim/serve/serve.h"
#include "tests/sim/serve/umadserve.h"

enum {
	SERVE_PLACES = 64,	 /* the most endpoints of sim_attach */
	SERVE_BATCH = 64,	 /* messages per system call */
	SERVE_QUEUE_MAX = 65536, /* messages that wait for a client */
	SERVE_CONTROLS = 8,	 /* control connections open at a time */
	SERVE_LINE_MAX = 1024,	 /* bytes of a command */
	SERVE_NO_CLIENT = -1,
};

/* Byte positions in a MAD. */
enum {
	SERVE_AT_CLASS = 1,
	SERVE_AT_METHOD = 3,
	SERVE_AT_TID = 8,
	SERVE_AT_ATTR = 16,
};

/* A port with clients on it. */
struct serve_place {
	struct serve *s;
	struct sim_endpoint *e;
	uint32_t node;
	uint8_t port;
	unsigned users;	      /* 0: the record is free */
	umadserve_take *take; /* of programs with libheddle-umad, or NULL */
	void *take_cookie;
};

/* The client connected to one of the out sockets. */
struct serve_client {
	struct serve *s;
	int fd; /* bound to NAME:outI, never closed before the end */
	struct loop_fd *watch;
	bool used, issm;
	uint32_t pid;
	struct sockaddr_un from; /* its control socket */
	socklen_t from_len;
	struct serve_place *place;
	uint8_t (*out)[IBSIMWIRE_MSG]; /* [out_cap] to be written */
	size_t out_from, out_n, out_cap;
	uint64_t received, sent, dropped, garbage;
};

/* A request without an answer yet. */
struct serve_wait {
	uint64_t tid;
	struct mono due;
	uint32_t prev, next; /* in its list, or of the free records */
	unsigned tries;	     /* left */
	int8_t client;
	bool patient; /* which list it is in */
	uint8_t wire[IBSIMWIRE_MSG];
};

/* A list of requests with the same time-out: the first is due first. */
struct serve_line {
	uint32_t first, last;
};

struct serve_control {
	struct serve *s;
	int fd; /* -1: free */
	struct loop_fd *watch;
	struct buf in, out;
	bool closing;
};

struct serve {
	struct serve_options o;
	char *name;
	struct fabric *f; /* grows when hosts are added */
	struct sim *sim;
	struct loop *loop;
	struct mono base; /* when the simulated clock began */

	int ctl_fd;
	struct loop_fd *ctl_watch;
	int timer_fd;
	struct loop_fd *timer_watch;
	struct mono armed;
	struct loop_timer *pulse; /* checks whether clients live */
	struct loop_signal *sig[2];
	bool quit;

	struct serve_client client[SERVE_CLIENTS];
	unsigned next_client; /* where the search for a free one begins */
	struct serve_place place[SERVE_PLACES];

	struct umadserve *umad; /* for programs with libheddle-umad */
	struct umadserve_hub hub;
	struct loop_fd *umad_watch;

	/* the request being handled, for serve_data_arrival */
	uint64_t now_tid;
	bool now_valid, answered, forwarded;

	struct serve_wait *wait;
	size_t nwait, wait_cap;
	uint32_t free_wait;
	struct map by_tid; /* TID -> index of wait */
	struct serve_line line[2];

	int listen_fd[2]; /* of control sockets; -1: none */
	struct loop_fd *listen_watch[2];
	struct serve_control control[SERVE_CONTROLS];
	char *ctl_path; /* to be removed at the end */

	FILE *trace;		       /* NULL: none */
	struct serve_traffic *traffic; /* NULL: none */

	uint64_t returned; /* requests returned with ETIMEDOUT */
	uint64_t resent, late;
};

/* serve.c */
struct mono serve_now(const struct serve *s); /* on the simulated clock */
/* Run the fabric to the present, write what is queued, set the timer. */
void serve_settle(struct serve *s);

/* serve_node.c: nodes by their names. */
/*
 * By the id of the file, by S-, H- or R- and GUID, by 0xGUID (of the node or of
 * a port), by name. FABRIC_NONE if there is none or, by name, several.
 */
uint32_t serve_node_find(const struct serve *s, const char *text);
/* The same with /PORT or [PORT] appended; *port is 0 if neither is there. */
uint32_t serve_node_port(
	const struct serve *s, const char *text, unsigned *port);
/* The id of a node as in its file, or as ibnetdiscover would print it. */
void serve_node_id(const struct serve *s, uint32_t node, char *out, size_t n);

/* serve_client.c: the client table and the control datagrams. */
int serve_client_open(struct serve *s, struct reason *why);
void serve_client_close(struct serve *s);
void serve_client_drop(struct serve_client *c);
/* Drop clients without a socket any more. */
void serve_client_bury(struct serve *s);
struct serve_client *serve_client_sm(
	struct serve *s, const struct serve_place *p);

/* serve_place.c: ports with clients of either kind. */
int serve_place_open(struct serve *s, struct reason *why);
void serve_place_close(struct serve *s);
/* Attach to a port (NULL: no endpoint is left), and detach. */
struct serve_place *serve_place_get(
	struct serve *s, uint32_t node, unsigned port);
void serve_place_put(struct serve_place *p);

/* serve_data.c: messages. */
void serve_data_readable(void *cookie, unsigned events, struct mono now);
void serve_data_queue(struct serve_client *c, const uint8_t *wire);
void serve_data_flush(struct serve *s);
void serve_data_forget(struct serve_client *c);
/* True if one of our clients gets it, or has stopped waiting for it. */
bool serve_data_arrival(struct serve_place *p, const struct transport_msg *m);

/* serve_wait.c: requests that may be lost. */
void serve_wait_add(struct serve *s, uint64_t tid, int client, bool patient,
	const uint8_t *wire);
bool serve_wait_done(struct serve *s, uint64_t tid); /* true: it waited */
void serve_wait_forget(struct serve *s, int client);
struct mono serve_wait_next(const struct serve *s);
void serve_wait_tick(struct serve *s, struct mono now);
void serve_wait_free(struct serve *s);

/* serve_control.c: the control sockets. */
int serve_control_open(struct serve *s, struct reason *why);
void serve_control_close(struct serve *s);

/*
 * serve_trace.c: a file of all Sets. Opening one closes the one before; -1 and
 * a reason if it cannot be written.
 */
int serve_trace_open(struct serve *s, const char *path, struct reason *why);
/* 0, also if there is none; -1 and a reason if lines were lost. */
int serve_trace_close(struct serve *s, struct reason *why);

/*
 * serve_traffic.c: packets of hosts. Start: rate packets a second of each,
 * in place of any traffic before; show: what became of them since; -1 and why.
 */
int serve_traffic_start(struct serve *s, unsigned rate, struct reason *why);
int serve_traffic_show(struct serve *s, struct buf *out, struct reason *why);
void serve_traffic_free(struct serve *s);

/* serve_cmd.c: the commands of the control sockets. */
/* Run a line; the answer is appended to out. 0, or -1 and a reason. */
int serve_cmd(
	struct serve *s, const char *line, struct buf *out, struct reason *why);

#endif
