#include "routing/climb/dimension_orders.h"

#include <string.h>

enum { ORDER, UP_DOWN, REVERSED };

static uint32_t
coordinate_of(const struct dimensions *m, sw_ix s, unsigned dim)
{
	return m->at[(size_t)s * m->n + dim];
}

/* What all dimensions before one take of the ranks; reversed: all behind it. */
static uint32_t
ranks_before(const struct dimensions *m, unsigned dim, bool reversed)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i < m->n; i++)
		if (reversed ? i > dim : i < dim)
			sum += 2 * m->dim[i].size;
	return sum;
}

/* The rank of a link; one of no dimension is the last of a path. */
static int32_t
rank_of(const struct directions *d, const struct dimensions *m, uint32_t c,
	bool reversed)
{
	unsigned dim = m->of[c];
	uint32_t n, a, b;

	if (dim == DIMENSIONS_NONE)
		return (int32_t)ranks_before(m, m->n, false);
	n = m->dim[dim].size;
	a = coordinate_of(m, d->from[c], dim);
	b = coordinate_of(m, d->g->group[c].peer, dim);
	if (reversed) {
		a = n - 1 - a;
		b = n - 1 - b;
	}
	return (int32_t)(ranks_before(m, dim, reversed) +
			 (b < a ? n - 1 - a : n + b));
}

void
dimension_orders_make(const struct directions *d, const struct dimensions *m,
	const struct layer_orders *first, unsigned n, struct layer_orders *out)
{
	layer_orders_room(d, n, out);
	out->nseq = first->nseq;
	memcpy(out->pos, first->pos, d->g->nsw * sizeof(*out->pos));
	memcpy(out->seq, first->seq, first->nseq * sizeof(*out->seq));
	out->escape = UP_DOWN; /* n, if there is only one layer */
	out->first = 1U << ORDER;
	out->structure = out->first | (n > REVERSED ? 1U << REVERSED : 0);
	for (uint32_t c = 0; c < d->n; c++) {
		out->rank[c] = rank_of(d, m, c, false);
		if (n > UP_DOWN)
			out->rank[(size_t)UP_DOWN * d->n + c] = first->rank[c];
		if (n > REVERSED)
			out->rank[(size_t)REVERSED * d->n + c] =
				rank_of(d, m, c, true);
	}
}
