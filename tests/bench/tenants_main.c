/*
 * The cost of partitions: hosts of a three-level fat tree divided among
 * tenants, by GUID, by name or by pattern. usage: tenants [K [TENANTS]]
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distribution/device/device_keys.h"
#include "distribution/device/device_store.h"
#include "routing/driver/registry.h"
#include "sm/base/be.h"
#include "sm/base/buf.h"
#include "sm/base/mem.h"
#include "sm/mad/mad.h"
#include "sm/policy/pkeys.h"
#include "tests/bench/args.h"
#include "tests/bench/bench_clock.h"
#include "tests/topo/frozen.h"
#include "tests/topo/gen.h"

enum { GUIDS, NAMES, PATTERNS, WAYS };

static double
heap_bytes(void)
{
	struct mallinfo2 m = mallinfo2();

	return (double)(m.uordblks + m.hblkhd);
}

/* Each host in one partition, and some in two. */
static void
print_config(const struct topo *t, unsigned tenants, int way, struct buf *out)
{
	buf_printf(out, "partitions:\n");
	for (unsigned i = 0; i < tenants; i++) {
		buf_printf(out, "  t%u:\n    pkey: 0x%x\n    members:\n", i,
			i + 1);
		if (way == PATTERNS)
			buf_printf(out, "      \"h*%u\": full\n", i % 10);
		for (node_ix n = 0; way != PATTERNS && n < t->nnodes; n++) {
			if (t->node[n].type == TOPO_SWITCH ||
				(n % tenants != i && n % 7 != i))
				continue;
			if (way == GUIDS)
				buf_printf(out, "      0x%016llx: full\n",
					(unsigned long long)t->node[n].guid);
			else
				buf_printf(out, "      \"%s\": full\n",
					topo_desc(t, n));
		}
	}
}

/* Fill the tables as a push would: every port has its wanted keys. */
static void
fill_tables(struct device_store *tables, const struct pkeys *k)
{
	const struct topo *t = k->topo;

	for (port_ix p = 0; p < t->nports; p++) {
		uint8_t block[MAD_DATA] = {0};
		const uint16_t *key;
		size_t n = pkeys_of(k, p, &key);

		if (!topo_has_lid(t, p) || n == 0)
			continue;
		device_keys_presume(tables, t, p, pkey_table_cap(t, p), false);
		for (size_t i = 0; i < n && i < PKEY_TABLE_BLOCK; i++)
			be_put16(block + 2 * i, key[i]);
		device_put(tables,
			device_at_keys(t->node[t->port[p].node].guid,
				t->port[p].num, 0),
			block);
	}
}

static void
measure_members(struct topo *t, unsigned tenants, int way)
{
	static const char *const word[] = {"GUIDs", "names", "patterns"};
	struct device_store *tables = device_new(NULL);
	struct buf yaml = {0};
	struct diag_list d;
	struct config *c;
	struct pkeys *k;
	double t0, t1, t2, t3, m0, m1, m2;
	unsigned ends = 0;

	for (port_ix p = 0; p < t->nports; p++)
		ends += topo_has_lid(t, p);
	print_config(t, tenants, way, &yaml);
	t0 = clock_ms();
	c = config_parse("bench", yaml.text, yaml.n, registry_modules(), &d);
	if (c == NULL) {
		(void)fprintf(stderr, "%s\n", d.item[0].message);
		exit(1);
	}
	diag_free(&d);
	m0 = heap_bytes();
	t1 = clock_ms();
	k = pkeys_make(c, t, NULL);
	t2 = clock_ms();
	m1 = heap_bytes();
	fill_tables(tables, k);
	m2 = heap_bytes();
	t3 = clock_ms();
	pkeys_settle(k, tables);
	printf("%u ports, %u tenants by %s (%zu KiB): parse %.0f ms, who is in "
	       "what %.0f ms, settle %.0f ms; bytes a port: %.0f wanted, "
	       "%.0f tables, %.0f settled\n",
		ends, tenants, word[way], yaml.n / 1024, t1 - t0, t2 - t1,
		clock_ms() - t3, (m1 - m0) / ends, (m2 - m1) / ends,
		(heap_bytes() - m2) / ends);
	pkeys_unref(k);
	config_unref(c);
	device_free(tables);
	buf_free(&yaml);
}

int
main(int argc, char **argv)
{
	unsigned k = args_number(argc, argv, 1, 54);
	unsigned tenants = args_number(argc, argv, 2, 10);
	struct reason why;
	struct fabric *f = gen_tree_three(k, &why);
	struct topo *t = frozen_topo(f, NULL);

	for (int way = 0; way < WAYS; way++)
		measure_members(t, tenants, way);
	topo_unref(t);
	fabric_free(f);
	return 0;
}
