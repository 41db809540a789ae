/*
 * field: a fabric and its data plane for tests, without a subnet manager: LID =
 * node + 1, every port Active, MTU 4096, 8 VLs, tables made by hand. Or with
 * the SM core, if it is to make the tables (field_bring_up). A step that fails
 * ends the test.
 */
#ifndef HEDDLE_TESTS_SIM_DATA_FIELD_H
#define HEDDLE_TESTS_SIM_DATA_FIELD_H

#include "tests/scope.h"
#include "tests/sim/data/data.h"
#include "tests/sim/data/data_report.h"
#include "tests/sim/data/data_traffic.h"
#include "tests/sim/model/world.h"

struct field {
	struct fabric *f;
	struct sim *s;
	struct data *d;
	struct data_report r; /* after the last field_run */
	struct reason why;
};

/* Take over f and put a data plane on it; no tables yet. */
struct field field_new(struct fabric *f, const struct data_options *o);
void field_free(struct field *x);
AUTO_VALUE(field, struct field, field_free)

uint16_t field_lid(uint32_t node);

/*
 * Let ns nanoseconds pass, check the invariants (data_check), get the report.
 */
void field_run(struct field *x, int64_t ns);

/* Uniform traffic as fast as the links take it. */
void field_saturate(struct field *x);

/* Before field_new: every link at 4x SDR, 1 ns per byte. */
void field_slow(struct fabric *f);

/* Set all ports: codes of MTU and VLs, head-of-queue lifetime. */
void field_ports(struct sim *s, const struct fabric *f, uint8_t mtu,
	uint8_t vls, uint8_t hoq);

/*
 * Shortest paths, breadth first; links between nodes with numbers that differ
 * by gap stay unused (0: all are used).
 */
void field_route_shortest(struct field *x, uint32_t gap);

/* All paths along one tree from node 0, a switch: never a cycle. */
void field_route_tree(struct field *x);

/* Every LID clockwise round a ring of shape.h with one host a switch. */
void field_route_clockwise(struct sim *s, const struct fabric *f);

/* The fabric as the SM core brings it up, settled. */
struct world *field_bring_up(const struct fabric *f, const char *yaml);

#endif
