/*
 * bench: a simulated fabric on a bench, poked with one raw SMP at a time. Its
 * own small fabric is h1(1) - sw0(2) - sw1(3) - h2(4), the LIDs in brackets;
 * port 1 of a switch leads to its host, port 2 to the other switch. A step that
 * fails ends the test.
 */
#ifndef HEDDLE_TESTS_SIM_MODEL_SMP_BENCH_H
#define HEDDLE_TESTS_SIM_MODEL_SMP_BENCH_H

#include "tests/scope.h"
#include "tests/sim/model/sim.h"
#include "tests/topo/fabric.h"

/*
 * A fabric with an endpoint on its first host, and the last messages received.
 */
struct bench {
	struct fabric *f;
	struct sim *s;
	struct sim_endpoint *e;
	uint32_t sm;
	unsigned got; /* messages received */
	unsigned traps;
	struct transport_msg raw;
	struct smp last; /* of the last message that was an SMP */
	struct smp trap; /* the last trap, and its source LID */
	uint16_t trap_lid;
	bool garbage; /* the last message was no SMP */
	uint32_t tid;
};

/* Two switches in a line and two hosts; nodes sw0, h1, sw1, h2. */
struct fabric *smp_bench_line(void);

/* A sim of f (taken over); o NULL: the defaults. The SM is the first host. */
struct bench smp_bench_new(struct fabric *f, const struct sim_options *o);
void smp_bench_free(struct bench *b);
AUTO_VALUE(smp_bench, struct bench, smp_bench_free)

/* Attach the endpoint; b must not move afterwards. */
void smp_bench_attach(struct bench *b);

/* The endpoint's callback; cookie is a bench. */
void smp_bench_on_recv(
	void *cookie, const struct transport_msg *m, struct mono now);

/* Send q to lid with a new TID, run 10 ms: true when an answer came. */
bool smp_bench_ask_smp(struct bench *b, struct smp *q, uint16_t lid);

/*
 * Directed by path, a string of port numbers ("\1\2"). A Set sends the data
 * and the M_Key that are in b->last.
 */
bool smp_bench_ask(struct bench *b, const char *path, uint8_t method,
	uint16_t attr, uint32_t mod);

/* Get by LID. */
bool smp_bench_ask_lid(struct bench *b, uint16_t lid, uint16_t attr);

/* Get PortInfo, which must succeed. */
struct mad_port_info smp_bench_port_info(
	struct bench *b, const char *path, uint32_t port);

/* Set a port's state, or its LID (and SM LID 1), the rest kept: the status. */
uint16_t smp_bench_set_state(
	struct bench *b, const char *path, uint32_t port, uint8_t state);
uint16_t smp_bench_set_lid(
	struct bench *b, const char *path, uint32_t port, uint16_t lid);

/* Write the first n entries of a switch's table and its top. */
void smp_bench_set_lft(struct bench *b, const char *path,
	const uint8_t *entries, size_t n, uint16_t top);

/* LIDs and tables of the line of two switches. */
void smp_bench_configure(struct bench *b);

/* Repress the last trap; sent to its source LID. */
void smp_bench_repress(struct bench *b);

#endif
