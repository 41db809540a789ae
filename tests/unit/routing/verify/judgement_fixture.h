/*
 * Two judgements of the same tables, one of them incremental: every figure is
 * the same, and no dependency is missing. `what` names the case.
 */
#ifndef HEDDLE_TESTS_UNIT_ROUTING_VERIFY_JUDGEMENT_FIXTURE_H
#define HEDDLE_TESTS_UNIT_ROUTING_VERIFY_JUDGEMENT_FIXTURE_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "routing/verify/verify.h"

static inline void
judgement_same_report(const char *what, const struct verify_report *a,
	const struct verify_report *b)
{
	ck_assert_msg(a->ok == b->ok && a->pairs == b->pairs &&
			      a->unreachable == b->unreachable &&
			      a->loops == b->loops && a->cut_off == b->cut_off,
		"%s: pairs", what);
	ck_assert_msg(
		a->cyclic_channels == b->cyclic_channels && a->vls == b->vls,
		"%s: %u not %u cyclic", what, a->cyclic_channels,
		b->cyclic_channels);
	/* a judgement of a change says less than it could */
	ck_assert_msg(a->plain == b->plain || (a->by_change && !a->plain),
		"%s: plain", what);
	ck_assert_msg(a->load_max == b->load_max && a->load_sw == b->load_sw &&
			      a->load_port == b->load_port &&
			      a->load_min == b->load_min,
		"%s: load %lu at %u/%u not %lu at %u/%u", what, a->load_max,
		a->load_sw, a->load_port, b->load_max, b->load_sw,
		b->load_port);
	ck_assert_msg(a->hops_max == b->hops_max, "%s: hops", what);
	ck_assert_double_eq(a->load_mean, b->load_mean);
	ck_assert_double_eq(a->hops_mean, b->hops_mean);
	ck_assert_str_eq(a->first, b->first);
}

static inline void
judgement_same_loads(const char *what, const struct topo *t,
	const struct verify_state *a, const struct verify_state *b)
{
	const uint64_t *x, *y;
	size_t n = verify_state_hops(a, &x);

	ck_assert_msg(n == verify_state_hops(b, &y) &&
			      memcmp(x, y, n * sizeof(*x)) == 0,
		"%s: hops", what);
	for (sw_ix i = 0; i < t->nsw; i++)
		for (unsigned p = 0; p <= t->node[t->sw[i].node].nports; p++)
			if (verify_state_load(a, i, p) !=
				verify_state_load(b, i, p))
				ck_abort_msg("%s: load of %u/%u", what, i, p);
}

/* True if part lacks a dependency on a port with a switch behind it. */
static inline bool
judgement_lacks(const struct topo *t, node_ix n, unsigned out, uint64_t part,
	uint64_t full)
{
	port_ix peer = t->port[topo_port_of(t, n, out)].peer;

	return (full & ~part & (uint64_t)1 << out % 64) != 0 &&
	       peer != TOPO_NONE && t->node[t->port[peer].node].sw != TOPO_NONE;
}

/* No dependency of layer l is missing. */
static inline void
judgement_all_of_layer(const char *what, const struct topo *t, unsigned l,
	const struct verify_dependencies *a,
	const struct verify_dependencies *b)
{
	uint32_t rec = l * a->nrec;

	for (sw_ix i = 0; i < t->nsw; i++) {
		node_ix n = t->sw[i].node;
		uint32_t end = rec + t->node[n].nports + 1U;

		for (; rec < end; rec++)
			for (unsigned out = 1; out <= t->node[n].nports; out++)
				if (judgement_lacks(t, n, out,
					    a->row[((size_t)rec << a->shift) +
						    out / 64],
					    b->row[((size_t)rec << b->shift) +
						    out / 64]))
					ck_abort_msg("%s: %s out %u, layer %u",
						what, topo_desc(t, n), out, l);
	}
}

/* The first layer alone has the dependencies that it has among all, and others
 * have none. */
static inline void
judgement_first_alone(const struct topo *t, const struct verify_state *v,
	const struct verify_dependencies *all)
{
	struct verify_dependencies *first = verify_state_dependencies(v, t, 1);
	size_t words = (size_t)all->nrec << all->shift;
	uint64_t others = 0;

	ck_assert_uint_eq(first->layers, all->layers);
	ck_assert_mem_eq(first->row, all->row, words * sizeof(all->row[0]));
	for (size_t i = words; i < words * first->layers; i++)
		others |= first->row[i];
	ck_assert(others == 0);
	free(first);
}

/* No dependency is missing: part may have more, of previous tables. One of them
 * may have been judged as one layer. */
static inline void
judgement_all_dependencies(const char *what, const struct topo *t,
	const struct verify_state *part, const struct verify_state *full)
{
	struct verify_dependencies *a =
		verify_state_dependencies(part, t, UINT16_MAX);
	struct verify_dependencies *b =
		verify_state_dependencies(full, t, UINT16_MAX);

	for (unsigned l = 0; l < a->layers && l < b->layers; l++)
		judgement_all_of_layer(what, t, l, a, b);
	judgement_first_alone(t, part, a);
	free(a);
	free(b);
}

#endif
