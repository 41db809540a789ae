/*
 * mft_read: reading what the tables of switches hold: cells that are unknown,
 * that may be gone, that a copy of an old SMP may have overwritten, and samples
 * of what was acknowledged.
 */
#include <assert.h>

#include "distribution/device/device_request.h"
#include "distribution/push/mft_priv.h"
#include "sm/base/mem.h"
#include "sm/mad/mad.h"

enum {
	SILENT = 2,    /* cells without an answer: the rest is not read */
	LATER = 65536, /* cells that wait until they are due */
};

static void
add_look(struct mft *m, size_t table, uint32_t cell, enum mft_why why)
{
	m->look = mem_grow(m->look, m->nlooks, &m->caplooks, sizeof(*m->look));
	m->look[m->nlooks++] = (struct mft_look){table, cell, why, MONO_NEVER};
}

void
mft_read_later(struct mft *m, const struct mft_look *l)
{
	for (size_t i = 0; i < m->nlater; i++)
		if (m->later[i].table == l->table &&
			m->later[i].cell == l->cell) {
			m->later[i].due = l->due;
			if (l->why == MFT_STRAY)
				m->later[i].why = MFT_STRAY;
			return;
		}
	if (m->nlater >= LATER)
		return;
	m->later =
		mem_grow(m->later, m->nlater, &m->caplater, sizeof(*m->later));
	m->later[m->nlater++] = *l;
}

struct mono
mft_next(const struct mft *m)
{
	struct mono t = MONO_NEVER;

	for (size_t i = 0; i < m->nlater; i++)
		t = mono_min(t, m->later[i].due);
	return t;
}

/* ---- what to read ---- */

/* Blocks that a switch may use, by its top. */
static unsigned
below_top(const struct mft_table *s)
{
	if (!s->has_top || s->top < MFT_MLID)
		return 0;
	return ((unsigned)s->top - MFT_NONE + MFT_COLUMNS - 1) / MFT_COLUMNS;
}

static bool
has_known_cell(const struct mft *m, const struct mft_table *s)
{
	for (uint32_t c = 0; c < m->nblocks * s->npos; c++)
		if (s->cell[c].known)
			return true;
	return false;
}

/*
 * Blocks below tops of unknown switches: another manager may have written
 * there.
 */
static void
grow_to_tops(struct mft *m)
{
	unsigned most = m->nblocks;

	for (size_t i = 0; i < m->n; i++) {
		const struct mft_table *s = &m->table[i];
		unsigned n = below_top(s);

		if (n > s->nblocks)
			n = s->nblocks;
		if (n > most && mft_writable(s, 0) && !has_known_cell(m, s))
			most = n;
	}
	mft_grow(m, most);
}

static void
ask_table(struct mft *m, size_t at)
{
	struct mft_table *s = &m->table[at];

	for (uint32_t c = 0; c < m->nblocks * s->npos; c++) {
		const struct mft_cell *cell = &s->cell[c];

		if (!mft_writable(s, c / s->npos) || s->fresh)
			continue;
		if (!cell->known && !cell->asked)
			add_look(m, at, c, MFT_UNKNOWN);
		if (!s->suspect || !cell->known || mft_cell_is_empty(cell))
			continue;
		add_look(m, at, c, MFT_SUSPECT);
		s->suspect = false;
	}
	s->suspect = false;
}

static void
ask_what_is_due(struct mft *m, struct mono now)
{
	size_t n = 0;

	for (size_t i = 0; i < m->nlater; i++) {
		const struct mft_look *l = &m->later[i];

		if (mono_before(now, l->due))
			m->later[n++] = *l;
		else
			add_look(m, l->table, l->cell, l->why);
	}
	m->nlater = n;
}

static bool
is_fresh(const struct topo *t, sw_ix s)
{
	return (t->node[t->sw[s].node].flags & TN_FRESH) != 0;
}

static bool
knows_switch(const struct mft *m, const struct topo *t, sw_ix s)
{
	const struct topo_node *n = &t->node[t->sw[s].node];
	const struct mft_table *k;
	uint32_t i;

	if ((n->flags & TN_QUARANTINED) != 0 || t->sw[s].mft_cap == 0)
		return true;
	if (!map_get(&m->by_guid, n->guid, &i) || m->table[i].sw == TOPO_NONE)
		return false;
	k = &m->table[i];
	for (uint32_t c = 0; c < m->nblocks * k->npos; c++)
		if (!k->cell[c].known && !k->cell[c].asked &&
			mft_writable(k, c / k->npos))
			return false;
	return true;
}

bool
mft_knows(const struct mft *m, const struct topo *t, unsigned nblocks)
{
	if (m->topo == NULL || m->nblocks < nblocks)
		return false;
	for (sw_ix s = 0; s < t->nsw; s++)
		if (!is_fresh(t, s) && !knows_switch(m, t, s))
			return false;
	return true;
}

bool
mft_has_unknown_switches(const struct mft *m, const struct topo *t)
{
	bool any = false, all = true;

	for (sw_ix s = 0; s < t->nsw && m->nblocks > 0; s++) {
		all &= is_fresh(t, s);
		any |= is_fresh(t, s) && !knows_switch(m, t, s);
	}
	return any && !all;
}

bool
mft_ask(struct mft *m, unsigned nblocks, struct mono now)
{
	assert(m->stage == MFT_REST && m->inflight == 0);
	if (m->topo == NULL)
		return false;
	m->nlooks = 0;
	mft_grow(m, nblocks);
	grow_to_tops(m);
	for (size_t i = 0; i < m->n; i++)
		ask_table(m, i);
	ask_what_is_due(m, now);
	if (m->nlooks == 0)
		return false;
	m->nfailures = 0;
	m->stage = MFT_ASK;
	m->at = 0;
	return true;
}

/* ---- answers ---- */

static void
take_cell(struct mft_cell *c, const uint8_t data[MFT_CELL])
{
	mft_cell_decode(data, c->have);
	c->known = true;
}

/* The switch holds something else than it acknowledged. */
static void
note_mismatch(struct mft *m, struct mft_table *s, const struct mft_look *l,
	const uint8_t *data)
{
	m->counts.drifted++;
	m->stale[l->cell / s->npos] = true;
	if (l->why == MFT_SUSPECT) {
		mft_forget_row(m, s);
		return;
	}
	take_cell(&s->cell[l->cell], data);
	if (l->why != MFT_SAMPLE || ++s->unheld < MFT_FALSE_ANSWERS)
		return;
	s->refuses = true;
	mft_mark_refusing(m, s, 0);
}

static void
take_answer(void *cookie, uint64_t tag, const struct xact_result *res)
{
	struct mft *m = cookie;
	const struct mft_look *l = &m->look[tag];
	struct mft_table *s = &m->table[l->table];
	struct mft_cell *c = &s->cell[l->cell];

	m->inflight--;
	if (l->cell >= m->nblocks * s->npos)
		return; /* it is another switch by now */
	if (res->outcome == XACT_CANCELLED) {
		c->asked = false;
		return;
	}
	if (res->outcome != XACT_OK) {
		s->silent++;
		return;
	}
	s->silent = 0;
	if (c->known && l->why != MFT_UNKNOWN) {
		if (!mft_cell_equals(c, res->data))
			note_mismatch(m, s, l, res->data);
	} else if (!c->known) {
		take_cell(c, res->data);
	}
}

static void
ask_cell(struct mft *m, struct mono now)
{
	const struct mft_look *l = &m->look[m->at];
	struct mft_table *s = &m->table[l->table];
	struct xact_request r;

	if (l->cell >= m->nblocks * s->npos ||
		!mft_writable(s, l->cell / s->npos))
		return;
	s->cell[l->cell].asked = true;
	if (s->silent >= SILENT ||
		device_request(m->topo, m->topo->sw[s->sw].node, &r) != 0)
		return;
	r.method = MAD_GET;
	r.attr = MAD_MFT;
	r.mod = mft_cell_modifier(l->cell % s->npos, l->cell / s->npos);
	m->inflight++;
	m->counts.reads++;
	xact_submit(m->job.x, &r, now, take_answer, m, m->at);
}

bool
mft_read_step(struct mft *m, struct mono now)
{
	if (m->at == m->nlooks)
		return false;
	ask_cell(m, now);
	m->at++;
	return true;
}

/* ---- dependencies of groups ---- */

bool
mft_any(const struct mft *m)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct mft_table *s = &m->table[i];

		for (uint32_t c = 0; c < m->nblocks * s->npos; c++)
			if (s->sw != TOPO_NONE &&
				!mft_cell_is_empty(&s->cell[c]))
				return true;
	}
	return false;
}

/* Whether the switch at the other end sends into the link of a port. */
static bool
is_fed(const struct mft *m, sw_ix s, unsigned port, unsigned group)
{
	const struct topo *t = m->topo;
	const struct topo_switch *w = &t->sw[s];
	uint64_t row[MCAST_WORDS];

	for (uint32_t i = 0; i < w->nadj; i++) {
		const struct topo_adj *a = &t->adj[w->adj + i];

		if (a->out == port)
			return mft_row(m, t->node[t->sw[a->peer].node].guid,
				       group, row) &&
			       mcast_bit(row, a->peer_port);
	}
	return false;
}

static bool
leads_to_switch(const struct mft *m, sw_ix s, unsigned port)
{
	const struct mft_table *t = &m->table[m->of[s]];

	return t->is_link[port / MFT_PORTS] >> port % MFT_PORTS & 1;
}

size_t
mft_dependencies(
	const struct mft *m, unsigned group, struct mft_dependency **out)
{
	const struct topo *t = m->topo;
	uint64_t row[MCAST_WORDS];
	size_t n = 0, cap = 0;

	*out = NULL;
	for (sw_ix s = 0; s < t->nsw; s++) {
		unsigned nports = t->node[t->sw[s].node].nports;

		if (m->of[s] == SIZE_MAX ||
			!mft_row(m, t->node[t->sw[s].node].guid, group, row))
			continue;
		for (unsigned in = 1; in <= nports; in++) {
			if (!leads_to_switch(m, s, in) ||
				!is_fed(m, s, in, group))
				continue;
			for (unsigned o = 1; o <= nports; o++) {
				if (o == in || !mcast_bit(row, o) ||
					!leads_to_switch(m, s, o))
					continue;
				*out = mem_grow(*out, n, &cap, sizeof(**out));
				(*out)[n++] = (struct mft_dependency){
					s, (uint8_t)in, (uint8_t)o};
			}
		}
	}
	return n;
}
