/*
 * Shared by the tests of partitions: a line of three leaves with three hosts
 * each, and the contents of the simulated tables.
 */
#ifndef HEDDLE_TESTS_UNIT_SM_POLICY_PARTITION_FIXTURE_H
#define HEDDLE_TESTS_UNIT_SM_POLICY_PARTITION_FIXTURE_H

#include <stdio.h>

#include "routing/driver/registry.h"
#include "tests/topo/shape.h"
#include "tests/unit/sm/sa/sa_fixture.h"

enum { LEAVES = 3, PER_LEAF = 3, HOSTS = LEAVES * PER_LEAF, BLOCK = 32 };

static inline struct fixture
fixture_new(const char *yaml, const struct sim_options *o)
{
	struct fixture x = {
		.f = shape_of("mesh:%u:%u", LEAVES, PER_LEAF),
	};

	x.w = world_new(x.f, o, yaml);
	world_start(x.w);
	ck_assert(world_settle(x.w, mono_ms(30000)));
	return x;
}

static inline uint32_t
node_of(const struct fixture *x, const char *name)
{
	uint32_t n = 0;

	while (strcmp(sim_name(x->w->sim, n), name) != 0)
		n++;
	return n;
}

/* The switch and its port to which a host is linked. */
static inline void
switch_port_of(
	const struct fixture *x, uint32_t host, uint32_t *sw, unsigned *port)
{
	const struct fabric *f = x->f;

	for (uint32_t c = 0; c < f->ncables; c++)
		for (unsigned e = 0; e < 2; e++)
			if (f->cable[c].node[e] == host) {
				*sw = f->cable[c].node[1 - e];
				*port = f->cable[c].port[1 - e];
				return;
			}
	ck_abort();
}

/* The first keys of a table, as text. */
static inline const char *
pkey_table_text(
	const struct fixture *x, uint32_t node, unsigned port, unsigned mod)
{
	static char text[128];
	uint8_t d[MAD_DATA];
	size_t at = 0;
	unsigned n = BLOCK;

	ck_assert_uint_eq(
		sim_read(x->w->sim, node, port, MAD_PKEY_TABLE, mod, d), 0);
	while (n > 0 && be_get16(d + 2 * (n - 1)) == 0)
		n--;
	text[0] = '\0';
	for (unsigned i = 0; i < n && i < 20; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%04x",
			i > 0 ? " " : "", be_get16(d + 2 * i));
	return text;
}

static inline const char *
host_table(const struct fixture *x, const char *name)
{
	return pkey_table_text(x, node_of(x, name), 1, 0);
}

static inline const char *
guard_table(const struct fixture *x, const char *host)
{
	unsigned port = 0;
	uint32_t sw = 0;

	switch_port_of(x, node_of(x, host), &sw, &port);
	return pkey_table_text(x, sw, 0, port << 16);
}

static inline bool
is_guarded(const struct fixture *x, const char *host)
{
	const struct mad_port_info *i;
	unsigned port = 0;
	uint32_t sw = 0;

	switch_port_of(x, node_of(x, host), &sw, &port);
	i = sim_port_info(x->w->sim, sw, port);
	ck_assert(i->enf_in == i->enf_out);
	return i->enf_in;
}

/* Links between switches never enforce. */
static inline void
check_links(const struct fixture *x)
{
	const struct fabric *f = x->f;

	for (uint32_t c = 0; c < f->ncables; c++)
		for (unsigned e = 0; e < 2; e++) {
			const struct fabric_cable *k = &f->cable[c];

			if (f->node[k->node[0]].type != FABRIC_SWITCH ||
				f->node[k->node[1]].type != FABRIC_SWITCH)
				continue;
			ck_assert(!sim_port_info(
				x->w->sim, k->node[e], k->port[e])
					   ->enf_in);
		}
}

static inline void
reload_config(struct fixture *x, const char *yaml)
{
	struct diag_list d;
	struct config *c =
		config_parse("t", yaml, strlen(yaml), registry_modules(), &d);

	ck_assert(c != NULL);
	diag_free(&d);
	sim_clear_stats(x->w->sim);
	world_take_config(x->w, c);
	config_unref(c);
	ck_assert(world_settle(x->w, mono_ms(30000)));
}

/* P_Key blocks and PortInfos written since the statistics were cleared. */
static inline uint64_t
count_written(const struct fixture *x)
{
	const struct sim_stats *s = sim_stats(x->w->sim);

	return s->by[sim_attr_row(MAD_PKEY_TABLE)][MAD_SET] + s->port_sets -
	       s->client_rereg;
}

#define TWO_TENANTS                                                            \
	"partitions: {a: {pkey: 0x5, members: {h2: full, h3: full}}, "         \
	"b: {pkey: 0x6, members: {h4: full, h5: limited}}}"

#endif
