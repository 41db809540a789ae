/*
 * Which packets of a buffer may leave: the first `lookahead`; in a switch of
 * kind escapes also the one at the second read point.
 */
#include "tests/sim/data/data_int.h"

bool
data_walk_split(const struct data *d, uint32_t port)
{
	const struct sim_node *n = &d->s->node[d->port[port].node];

	return (n->attrs.interleave != 0 || n->attrs.ar_late) &&
	       n->sw->ar->info.enabled;
}

struct data_walk
data_walk_start(const struct data *d, uint32_t port, unsigned vl)
{
	return (struct data_walk){
		.px = DATA_NONE,
		.prev = DATA_NONE,
		.next = data_int_in(d, port, vl)->head,
		.left = d->o.lookahead,
		.split = data_walk_split(d, port),
	};
}

/* Whether packet k, the next one behind the first, is at the second point. */
static bool
is_second(
	const struct data *d, struct data_walk *w, const struct data_packet *k)
{
	bool beyond = w->blocks > (uint32_t)d->cap / 2;

	if (!beyond && k->late)
		return false;
	w->done = true;
	return true;
}

bool
data_walk_next(const struct data *d, struct data_walk *w)
{
	while (w->next != DATA_NONE && !w->done) {
		const struct data_packet *k = &d->packet[w->next];

		w->prev = w->px;
		w->px = w->next;
		w->next = k->next;
		if (w->left) {
			w->left--;
			if (w->split) {
				w->blocks += k->blocks;
				w->ordered |= !k->late;
			}
			return true;
		}
		/* the first ordered packet goes before any behind it */
		if (!w->split || w->ordered)
			break;
		w->blocks += k->blocks;
		if (is_second(d, w, k))
			return true;
	}
	return false;
}
