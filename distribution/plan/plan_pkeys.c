/*
 * P_Keys in a plan: additions before anything else, removals at the end, and
 * then the switches that enforce. Tables that are not known get no step: they
 * are read before the next plan.
 */
#include <stdlib.h>
#include <string.h>

#include "distribution/device/device_keys.h"
#include "distribution/plan/plan_priv.h"
#include "sm/base/be.h"
#include "sm/base/mem.h"

/* One table and its two steps. */
struct change {
	port_ix port;
	unsigned cap;
	uint16_t *was, *grown, *out; /* [cap] */
};

/*
 * Each partition once, with full membership if any of its keys has it: a switch
 * looks at the partition number alone.
 */
static size_t
merge_memberships(const uint16_t *key, size_t n, uint16_t *out)
{
	size_t k = 0, i, m;

	for (i = 0; i < n; i++) {
		for (m = 0; m < k; m++)
			if (((out[m] ^ key[i]) & PKEY_NUMBER) == 0)
				break;
		if (m == k)
			out[k++] = key[i];
		else
			out[m] |= key[i] & PKEY_FULL;
	}
	return k;
}

static void
note_unfit_table(struct plan_maker *m, port_ix p, size_t n, unsigned cap)
{
	struct plan *plan = m->p;

	plan->unfit = mem_grow(
		plan->unfit, plan->nunfit, &m->capunfit, sizeof(*plan->unfit));
	plan->unfit[plan->nunfit++] = (struct plan_unfit){p, (uint32_t)n, cap};
}

/*
 * What port p's table shall become; false: it is unknown, or there is nothing
 * to do. A guard without room for all that its host may use lets everything
 * pass. While a port (of a switch: all of them) is in Init its keys are not
 * used: keys are removed at once.
 */
static bool
lay_table(struct plan_maker *m, port_ix p, struct change *c)
{
	const struct pkey_table_want *w = m->keys;
	bool guard = pkey_table_guards(m->t, w, p);
	port_ix of = guard ? m->t->port[p].peer : p;
	const uint16_t *key = &w->key[w->first[of]];
	size_t n = w->first[of + 1] - w->first[of];
	uint16_t *number = NULL;
	bool good;

	c->port = p;
	c->cap = pkey_table_cap(m->t, p);
	if (c->cap == 0 || (!guard && !topo_has_lid(m->t, p)))
		return false;
	c->was = mem_zalloc(c->cap, 3 * sizeof(*c->was));
	c->grown = c->was + c->cap;
	c->out = c->grown + c->cap;
	if (guard) {
		number = mem_zalloc(n, sizeof(*number));
		n = merge_memberships(key, n, number);
		key = number;
	}
	good = device_keys_table(m->hw, m->t, p, c->cap, c->was, NULL);
	if (guard && !good)
		m->guard[p] = GUARD_AS_IS;
	if (good &&
		pkey_table_lay(c->was, c->cap, key, n, c->grown, c->out) != 0) {
		note_unfit_table(m, p, n, c->cap);
		good = !guard;
	}
	if (good && w->keep[of])
		memcpy(c->out, c->grown, c->cap * sizeof(*c->out));
	else if (good && (m->t->port[p].state == PORT_INIT ||
				 pkey_table_is_fresh(m->t, p)))
		memcpy(c->grown, c->out, c->cap * sizeof(*c->out));
	free(number);
	if (!good)
		free(c->was);
	return good;
}

/* Steps for the blocks in which two images differ. */
static void
add_blocks(struct plan_maker *m, const struct change *c, const uint16_t *from,
	const uint16_t *to)
{
	unsigned i, at, end;
	uint8_t *data;
	uint32_t pay;

	for (at = 0; at < c->cap; at += PKEY_TABLE_BLOCK) {
		end = at + PKEY_TABLE_BLOCK < c->cap ? at + PKEY_TABLE_BLOCK
						     : c->cap;
		if (memcmp(from + at, to + at, (end - at) * sizeof(*to)) == 0)
			continue;
		data = plan_add_payload(m, &pay);
		for (i = at; i < end; i++)
			be_put16(data + (size_t)2 * (i - at), to[i]);
		plan_add_step(
			m, c->port, DEVICE_PKEY, at / PKEY_TABLE_BLOCK, pay);
	}
}

/* Note a port that loses keys; most do not, and need no second look. */
static void
drop_later(struct plan_maker *m, port_ix p)
{
	m->drop = mem_grow(m->drop, m->ndrop, &m->capdrop, sizeof(*m->drop));
	m->drop[m->ndrop++] = p;
}

void
plan_pkeys_add(struct plan_maker *m)
{
	struct change c;

	if (m->keys == NULL)
		return;
	m->guard = mem_zalloc(m->t->nports, sizeof(*m->guard));
	plan_begin(m, PLAN_KEYS);
	for (port_ix p = 0; p < m->t->nports; p++) {
		const struct topo_port *port = &m->t->port[p];

		if (!lay_table(m, p, &c))
			continue;
		if (pkey_table_guards(m->t, m->keys, p)) {
			if (device_marked(m->hw,
				    device_at_keys(m->t->node[port->node].guid,
					    port->num, 0),
				    DEVICE_REFUSES))
				plan_note_kept(m, p, PLAN_KEEPS_ENFORCEMENT);
			else
				m->guard[p] = GUARD_ON;
		}
		add_blocks(m, &c, c.was, c.grown);
		if (memcmp(c.grown, c.out, c.cap * sizeof(*c.out)) != 0)
			drop_later(m, p);
		free(c.was);
	}
	(void)plan_end(m);
}

/* Live ports begin to enforce when no key is missing behind them. */
static void
add_guards(struct plan_maker *m)
{
	plan_begin(m, PLAN_GUARD);
	for (port_ix p = 0; p < m->t->nports; p++)
		if (m->guard[p] == GUARD_ON)
			plan_portinfo_guard(m, p);
	(void)plan_end(m);
}

void
plan_pkeys_drop(struct plan_maker *m)
{
	size_t unfit = m->p->nunfit; /* noted once */
	struct change c;

	if (m->keys == NULL)
		return;
	plan_begin(m, PLAN_UNKEY);
	for (size_t i = 0; i < m->ndrop; i++) {
		if (!lay_table(m, m->drop[i], &c))
			continue;
		add_blocks(m, &c, c.grown, c.out);
		free(c.was);
	}
	(void)plan_end(m);
	m->p->nunfit = unfit;
	add_guards(m);
	free(m->guard);
	free(m->drop);
}
