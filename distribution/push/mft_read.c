/*
 * mft_read: reading what the tables of switches hold: cells that are unknown,
 * that may be gone, that a copy of an old SMP may have overwritten, samples of
 * what was acknowledged, and some in rotation.
 */
#include <assert.h>

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
			if (l->why == MFT_ROUND)
				return;
			m->later[i].due = l->due;
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
	struct mono t = m->stage == MFT_WRITE ? push_next(m->push) : MONO_NEVER;
	size_t n;
	const struct device_doubt *d = device_doubts(m->job.hw, &n);

	for (size_t i = 0; i < m->nlater && m->stage != MFT_WRITE; i++)
		t = mono_min(t, m->later[i].due);
	for (size_t i = 0; i < n && m->stage != MFT_WRITE; i++)
		if (d[i].at.attr == DEVICE_MFT)
			t = mono_min(t, d[i].until);
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

/* What is known of a position of a switch. */
struct known {
	const lft_ref *block;
	uint32_t n;
};

static struct known
known_of(const struct mft *m, const struct mft_table *s, unsigned pos)
{
	struct known k;

	k.block =
		device_blocks(m->job.hw, device_at_cell(s->guid, pos, 0), &k.n);
	return k;
}

static bool
is_known(const struct known *k, unsigned block)
{
	return block < k->n && k->block[block] != DEVICE_UNKNOWN;
}

/* Blocks that are in use, of those that the switch has. */
static unsigned
blocks_used(const struct mft *m, const struct mft_table *s)
{
	return m->nblocks < s->nblocks ? m->nblocks : s->nblocks;
}

static bool
has_known_cell(const struct mft *m, const struct mft_table *s)
{
	for (unsigned pos = 0; pos < s->npos; pos++) {
		struct known k = known_of(m, s, pos);

		for (unsigned b = 0; b < m->nblocks; b++)
			if (is_known(&k, b))
				return true;
	}
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
		if (n > most && mft_writable(m, s, 0) && !has_known_cell(m, s))
			most = n;
	}
	mft_grow(m, most);
}

/* Cells that are unknown; and one of a suspect that is not empty. */
static void
ask_table(struct mft *m, size_t at)
{
	struct mft_table *s = &m->table[at];
	bool asks = !s->fresh && mft_writable(m, s, 0);

	for (unsigned pos = 0; asks && pos < s->npos; pos++) {
		struct known k = known_of(m, s, pos);

		for (unsigned b = 0; b < blocks_used(m, s); b++) {
			uint32_t c = b * s->npos + pos;

			if (!is_known(&k, b) && !s->cell[c].asked)
				add_look(m, at, c, MFT_UNKNOWN);
			if (!s->suspect || !is_known(&k, b) || !s->cell[c].used)
				continue;
			add_look(m, at, c, MFT_SUSPECT);
			s->suspect = false;
		}
	}
	s->suspect = false;
}

/* A cell in doubt, when no copy of a Set can arrive any more. */
static void
ask_doubted(struct mft *m, struct device_at at)
{
	const struct mft_table *s;
	uint32_t i;

	if (!map_get(&m->by_guid, at.guid, &i)) {
		device_settle(m->job.hw, at);
		return;
	}
	s = &m->table[i];
	if (mft_writable(m, s, at.block) && at.block < m->nblocks &&
		at.port < s->npos)
		add_look(m, i, at.block * s->npos + at.port, MFT_STRAY);
	else
		device_settle(m->job.hw, at);
}

static void
ask_what_is_due(struct mft *m, struct mono now)
{
	size_t n, doubts;
	const struct device_doubt *d = device_doubts(m->job.hw, &doubts);

	for (n = doubts; n-- > 0;) /* a settled one is replaced by the last */
		if (d[n].at.attr == DEVICE_MFT && !mono_before(now, d[n].until))
			ask_doubted(m, d[n].at);
	n = 0;
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
knows_switch(const struct mft *m, const struct topo *t, sw_ix sw)
{
	const struct topo_node *n = &t->node[t->sw[sw].node];
	const struct mft_table *s;
	uint32_t i;

	if ((n->flags & TN_QUARANTINED) != 0 || t->sw[sw].mft_cap == 0)
		return true;
	if (!map_get(&m->by_guid, n->guid, &i) || m->table[i].sw == TOPO_NONE)
		return false;
	s = &m->table[i];
	for (unsigned pos = 0; mft_writable(m, s, 0) && pos < s->npos; pos++) {
		struct known k = known_of(m, s, pos);

		for (unsigned b = 0; b < blocks_used(m, s); b++)
			if (!s->cell[b * s->npos + pos].asked &&
				!is_known(&k, b))
				return false;
	}
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

void
mft_sample(struct mft *m, uint64_t guid, uint32_t round, struct mono now)
{
	uint32_t at, n = 0;
	const struct mft_table *s;

	if (!map_get(&m->by_guid, guid, &at))
		return;
	s = &m->table[at];
	if (mft_writable(m, s, 0) && !s->fresh)
		n = blocks_used(m, s) * s->npos;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t c = (round + i) % n;
		struct known k = known_of(m, s, c % s->npos);

		if (!is_known(&k, c / s->npos))
			continue;
		mft_read_later(m, &(struct mft_look){at, c, MFT_ROUND, now});
		return;
	}
}

uint64_t
mft_drifted(const struct mft *m)
{
	return m->drifted;
}

/* ---- asking ---- */

/* The switch holds something else than it acknowledged. */
static void
note_mismatch(
	struct mft *m, struct mft_table *s, unsigned block, enum mft_why why)
{
	m->counts.drifted++;
	m->stale[block] = true;
	if (why == MFT_SUSPECT || why == MFT_ROUND) {
		mft_forget_row(m, s);
	} else if (why == MFT_SAMPLE && ++s->unheld >= MFT_FALSE_ANSWERS) {
		device_mark(m->job.hw, device_at_switch(s->guid, DEVICE_MFT),
			DEVICE_REFUSES);
		mft_mark_refusing(m, s, 0);
	}
}

static void
take_answer(void *self, const struct device_job *job, enum device_verdict v,
	const struct xact_result *res)
{
	struct mft *m = self;
	struct device_at at = device_read_at(m->read, job);
	struct mft_table *s;
	uint32_t i, cell;

	if (!map_get(&m->by_guid, at.guid, &i))
		return;
	s = &m->table[i];
	cell = at.block * s->npos + at.port;
	if (at.port >= s->npos || at.block >= m->nblocks)
		return; /* it is another switch by now */
	if (v == DEVICE_CANCELLED)
		s->cell[cell].asked = false;
	else if (job->why == MFT_STRAY)
		device_settle(m->job.hw, at);
	if (v == DEVICE_NO_ANSWER)
		s->silent++;
	if (v == DEVICE_CANCELLED || v == DEVICE_NO_ANSWER)
		return;
	s->silent = 0;
	mft_take_cell(s, cell, res->data);
	if (v != DEVICE_DIFFERS || job->why == MFT_UNKNOWN)
		return;
	note_mismatch(m, s, at.block, job->why);
	/* an empty cell may be that of a switch that has restarted */
	if (job->why == MFT_ROUND && s->cell[cell].used)
		m->drifted = s->guid;
}

/* The next cell to ask for, when there is room for its Get: a switch that is
 * silent by then is asked no more. */
static bool
add_next(void *self, struct device_read *read)
{
	struct mft *m = self;
	const struct mft_look *l = &m->look[m->at];
	struct mft_table *s;

	if (m->at == m->nlooks)
		return false;
	m->at++;
	s = &m->table[l->table];
	if (l->cell >= m->nblocks * s->npos ||
		!mft_writable(m, s, l->cell / s->npos))
		return true;
	s->cell[l->cell].asked = true;
	if (s->silent >= SILENT) {
		if (l->why == MFT_STRAY)
			device_settle(m->job.hw,
				device_at_cell(s->guid, l->cell % s->npos,
					l->cell / s->npos));
		return true;
	}
	m->counts.reads++;
	device_read_add(
		read, &(struct device_job){.port = mft_port(m, s, l->cell),
			      .attr = DEVICE_MFT,
			      .block = l->cell / s->npos,
			      .mode = DEVICE_READ_ALL,
			      .why = (uint8_t)l->why});
	return true;
}

bool
mft_ask(struct mft *m, unsigned nblocks, struct mono now)
{
	assert(m->stage == MFT_REST && mft_is_idle(m));
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
	device_read_free(m->read);
	m->read = device_read_new(&(struct device_reading){.topo = m->topo,
		.hw = m->job.hw,
		.x = m->job.x,
		.more = add_next,
		.taken = take_answer,
		.self = m});
	m->nfailures = 0;
	m->drifted = 0;
	m->stage = MFT_ASK;
	m->at = 0;
	return true;
}

/* ---- dependencies of groups ---- */

/* Whether a cell of the switch is not empty, or was written to be so: also one
 * that a late copy of a Set has filled again. */
static bool
has_entry(const struct mft *m, const struct mft_table *s)
{
	for (unsigned pos = 0; pos < s->npos; pos++) {
		struct known k = known_of(m, s, pos);

		for (unsigned b = 0; b < m->nblocks; b++)
			if (s->cell[b * s->npos + pos].used ||
				(is_known(&k, b) &&
					!mft_cell_is_empty(device_value(
						m->job.hw, DEVICE_MFT,
						k.block[b]))))
				return true;
	}
	return false;
}

/* Whether a late copy of a Set may bring a cell that is not empty. */
static bool
has_doubted_cell(const struct mft *m)
{
	size_t n;
	const struct device_doubt *d = device_doubts(m->job.hw, &n);

	while (n-- > 0)
		if (d[n].at.attr == DEVICE_MFT &&
			(d[n].any || !mft_cell_is_empty(d[n].copy)))
			return true;
	return false;
}

bool
mft_any(const struct mft *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->table[i].sw != TOPO_NONE && has_entry(m, &m->table[i]))
			return true;
	return has_doubted_cell(m);
}

/* Whether the switch at the other end sends into the link of a port. */
static bool
is_fed(const struct mft *m, sw_ix s, unsigned port, unsigned group)
{
	const struct topo *t = m->topo;
	port_ix peer = topo_port_behind(t, s, port);
	uint64_t row[MCAST_WORDS];

	/* not by topo.adj: trees of before lead over links that are idle now */
	return peer != TOPO_NONE && topo_port_switch(t, peer) != TOPO_NONE &&
	       mft_row(m, t->node[t->port[peer].node].guid, group, row) &&
	       mcast_bit(row, t->port[peer].num);
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
