#include "distribution/mft.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "distribution/push_request.h"
#include "sm/base/be.h"
#include "sm/base/map.h"
#include "sm/base/mem.h"
#include "sm/mad/mad.h"

enum {
	GROUPS = 32, /* of a cell */
	PORTS = 16,
	ALL_POSITIONS = 16,
	POSITION_SHIFT = 28,
	NO_MLID = 0xbfff, /* MulticastFDBTop: no entry is used */
};

/* What a cycle does next. */
enum stage { AT_REST, TOPS, BREAK, MAKE };

struct cell {
	bool known; /* have is what the switch acknowledged last */
	uint16_t want[GROUPS], have[GROUPS];
};

struct table {
	uint64_t guid;
	sw_ix sw;      /* in the topology, or TOPO_NONE */
	unsigned npos; /* positions that its ports need */
	unsigned nblocks;
	bool low;     /* its MulticastFDBTop hides entries */
	bool refuses; /* said no: it is left alone until it is another */
	uint16_t cable[ALL_POSITIONS];
	struct cell *cell; /* [mft.nblocks * npos] */
};

struct mft {
	struct mft_job job;
	struct topo *topo;
	struct table *table;
	size_t n, cap;
	struct map by_guid;
	size_t *of; /* [topo.nsw] table of a switch, SIZE_MAX: none */
	unsigned nblocks;
	bool *stale;   /* [nblocks] may differ from what is wanted */
	uint32_t *cut; /* [nblocks] groups whose trees move, as bits */
	uint32_t *add, *drop;

	enum stage stage;
	size_t at; /* table and cell that are looked at next */
	unsigned cell_at;
	bool wrote, broke;
	bool incomplete; /* something was not acknowledged */
	unsigned inflight;
	struct mft_failure *failure;
	size_t nfailures, capfailures;
	struct mft_counts counts;
};

struct mft *
mft_new(const struct mft_job *job)
{
	struct mft *m = mem_zalloc(1, sizeof(*m));

	m->job = *job;
	return m;
}

void
mft_free(struct mft *m)
{
	if (m == NULL)
		return;
	assert(m->inflight == 0);
	for (size_t i = 0; i < m->n; i++)
		free(m->table[i].cell);
	free(m->table);
	free(m->of);
	free(m->stale);
	free(m->cut);
	free(m->add);
	free(m->drop);
	free(m->failure);
	map_free(&m->by_guid);
	topo_unref(m->topo);
	free(m);
}

const struct mft_counts *
mft_counts(const struct mft *m)
{
	return &m->counts;
}

unsigned
mft_blocks(const struct mft *m)
{
	return m->nblocks;
}

bool
mft_running(const struct mft *m)
{
	return m->stage != AT_REST;
}

bool
mft_quiet(const struct mft *m)
{
	return m->inflight == 0;
}

const struct mft_failure *
mft_failures(const struct mft *m, size_t *n)
{
	*n = m->nfailures;
	return m->failure;
}

bool
mft_complete(const struct mft *m)
{
	return !m->incomplete;
}

static struct table *
find(const struct mft *m, uint64_t guid)
{
	uint32_t i;

	return map_get(&m->by_guid, guid, &i) ? &m->table[i] : NULL;
}

static void
all_stale(struct mft *m)
{
	for (unsigned b = 0; b < m->nblocks; b++)
		m->stale[b] = true;
}

static void
lose(struct mft *m, struct table *s)
{
	for (unsigned c = 0; c < m->nblocks * s->npos; c++)
		s->cell[c].known = false;
	s->refuses = false;
	all_stale(m);
}

void
mft_forget(struct mft *m, uint64_t guid)
{
	struct table *s = find(m, guid);

	if (s != NULL)
		lose(m, s);
}

/* ---- the fabric ---- */

/* Cells for more blocks, everything in them unknown and nothing wanted. */
static void
grow_table(struct table *s, unsigned was, unsigned is)
{
	s->cell = mem_resize(s->cell, (size_t)is * s->npos, sizeof(*s->cell));
	memset(s->cell + (size_t)was * s->npos, 0,
		(size_t)(is - was) * s->npos * sizeof(*s->cell));
}

static void
grow(struct mft *m, unsigned nblocks)
{
	unsigned was = m->nblocks;

	if (nblocks <= was)
		return;
	m->stale = mem_resize(m->stale, nblocks, sizeof(*m->stale));
	m->cut = mem_resize(m->cut, nblocks, sizeof(*m->cut));
	m->add = mem_resize(m->add, nblocks, sizeof(*m->add));
	m->drop = mem_resize(m->drop, nblocks, sizeof(*m->drop));
	for (unsigned b = was; b < nblocks; b++)
		m->stale[b] = true;
	for (size_t i = 0; i < m->n; i++)
		grow_table(&m->table[i], was, nblocks);
	m->nblocks = nblocks;
}

/* Ports that lead to other switches. */
static void
find_cables(struct table *s, const struct topo *t)
{
	const struct topo_switch *w = &t->sw[s->sw];

	memset(s->cable, 0, sizeof(s->cable));
	for (uint32_t i = 0; i < w->nadj; i++) {
		uint8_t out = t->adj[w->adj + i].out;

		s->cable[out / PORTS] |= (uint16_t)(1U << out % PORTS);
	}
}

static struct table *
add_table(struct mft *m, uint64_t guid, unsigned npos)
{
	struct table *s = find(m, guid);

	if (s == NULL) {
		m->table = mem_grow(m->table, m->n, &m->cap, sizeof(*s));
		s = &m->table[m->n];
		map_put(&m->by_guid, guid, (uint32_t)m->n++);
		*s = (struct table){.guid = guid, .sw = TOPO_NONE};
	}
	if (s->npos != npos) { /* another switch with its GUID */
		free(s->cell);
		s->cell = NULL;
		s->npos = npos;
		grow_table(s, 0, m->nblocks);
	}
	return s;
}

static void
adopt_switch(struct mft *m, sw_ix sw)
{
	const struct topo *t = m->topo;
	const struct topo_node *n = &t->node[t->sw[sw].node];
	struct mad_switch_info i;
	struct table *s;

	if ((n->flags & TN_QUARANTINED) != 0 || t->sw[sw].mft_cap == 0 ||
		mad_switch_info_decode(t->sinfo[sw], &i, NULL) != 0)
		return;
	s = add_table(m, n->guid, n->nports / PORTS + 1U);
	if (s->sw != TOPO_NONE)
		return; /* the second one of this GUID */
	s->sw = sw;
	s->nblocks = (t->sw[sw].mft_cap + GROUPS - 1U) / GROUPS;
	s->low = i.mft_top != 0 && i.mft_top < NO_MLID + t->sw[sw].mft_cap;
	find_cables(s, t);
	m->of[sw] = (size_t)(s - m->table);
}

void
mft_adopt(struct mft *m, struct topo *t)
{
	struct topo *old = m->topo;

	m->topo = topo_ref(t);
	topo_unref(old);
	m->of = mem_resize(m->of, t->nsw, sizeof(*m->of));
	for (size_t i = 0; i < m->n; i++)
		m->table[i].sw = TOPO_NONE;
	for (sw_ix s = 0; s < t->nsw; s++) {
		m->of[s] = SIZE_MAX;
		adopt_switch(m, s);
	}
	for (size_t i = 0; i < m->n; i++)
		if (m->table[i].sw == TOPO_NONE)
			lose(m, &m->table[i]);
	all_stale(m);
}

/* ---- what is wanted ---- */

static void
want_branch(struct mft *m, unsigned group, const struct mcast_branch *b)
{
	struct table *s;

	if (m->of[b->sw] == SIZE_MAX)
		return;
	s = &m->table[m->of[b->sw]];
	for (unsigned pos = 0; pos < s->npos; pos++)
		s->cell[group / GROUPS * s->npos + pos].want[group % GROUPS] =
			(uint16_t)(b->mask[pos / 4] >> pos % 4 * PORTS);
}

void
mft_want(struct mft *m, unsigned group, const struct mcast_tree *tree)
{
	assert(m->stage == AT_REST && group < MFT_GROUPS);
	grow(m, group / GROUPS + 1);
	m->stale[group / GROUPS] = true;
	for (size_t i = 0; i < m->n; i++) {
		struct table *s = &m->table[i];

		for (unsigned pos = 0; pos < s->npos; pos++)
			s->cell[group / GROUPS * s->npos + pos]
				.want[group % GROUPS] = 0;
	}
	for (size_t i = 0; tree != NULL && i < tree->n; i++)
		want_branch(m, group, &tree->branch[i]);
}

/* ---- a cycle ---- */

static bool
writable(const struct table *s, unsigned block)
{
	return s->sw != TOPO_NONE && !s->refuses && block < s->nblocks;
}

/* Which groups get cables in this cell, and which lose some. */
static void
compare(struct mft *m, unsigned b, const struct cell *c, uint16_t cable)
{
	for (unsigned g = 0; g < GROUPS; g++) {
		unsigned want = c->want[g] & (unsigned)cable;
		unsigned have = c->have[g] & (unsigned)cable;

		if (!c->known || (want & ~have) != 0)
			m->add[b] |= (uint32_t)(want != 0) << g;
		if (!c->known || (have & ~want) != 0)
			m->drop[b] |= (uint32_t)1 << g;
	}
}

static void
find_moves(struct mft *m)
{
	memset(m->add, 0, m->nblocks * sizeof(*m->add));
	memset(m->drop, 0, m->nblocks * sizeof(*m->drop));
	for (size_t i = 0; i < m->n; i++) {
		const struct table *s = &m->table[i];

		for (unsigned c = 0; c < m->nblocks * s->npos; c++)
			if (m->stale[c / s->npos] && writable(s, c / s->npos))
				compare(m, c / s->npos, &s->cell[c],
					s->cable[c % s->npos]);
	}
	for (unsigned b = 0; b < m->nblocks; b++)
		m->cut[b] = m->add[b] & m->drop[b];
}

/* What a cell shall hold after this stage. */
static void
goal_of(const struct mft *m, const struct table *s, unsigned c,
	uint16_t goal[GROUPS])
{
	const struct cell *cell = &s->cell[c];
	uint16_t cable = s->cable[c % s->npos];
	uint32_t cut = m->stage == BREAK ? m->cut[c / s->npos] : 0;

	for (unsigned g = 0; g < GROUPS; g++) {
		unsigned keep = cell->known ? cell->have[g] : 0U;

		goal[g] = cell->want[g];
		if ((cut >> g & 1) != 0)
			goal[g] &= (uint16_t)(keep | (uint16_t)~cable);
	}
}

static bool
differs(const struct mft *m, const struct table *s, unsigned c,
	uint16_t goal[GROUPS])
{
	const struct cell *cell = &s->cell[c];

	if (!m->stale[c / s->npos] || !writable(s, c / s->npos))
		return false;
	goal_of(m, s, c, goal);
	return !cell->known || memcmp(cell->have, goal, MFT_CELL) != 0;
}

bool
mft_begin(struct mft *m)
{
	bool moves = false, any = false;

	assert(m->stage == AT_REST && m->inflight == 0);
	m->nfailures = 0;
	m->incomplete = false;
	if (m->topo == NULL)
		return false;
	for (unsigned b = 0; b < m->nblocks; b++)
		any |= m->stale[b];
	if (!any)
		return false;
	find_moves(m);
	for (unsigned b = 0; b < m->nblocks; b++)
		moves |= m->cut[b] != 0;
	m->stage = TOPS;
	m->broke = moves;
	m->wrote = false;
	m->at = 0;
	m->cell_at = 0;
	return true;
}

static void
fail(struct mft *m, struct table *s, const struct xact_result *res)
{
	uint16_t status = res->outcome == XACT_STATUS ? res->status : 0;

	m->incomplete = true;
	if (res->outcome == XACT_CANCELLED)
		return;
	m->counts.failed++;
	s->refuses |= res->outcome == XACT_STATUS;
	for (size_t i = 0; i < m->nfailures; i++)
		if (m->failure[i].guid == s->guid)
			return;
	m->failure = mem_grow(
		m->failure, m->nfailures, &m->capfailures, sizeof(*m->failure));
	m->failure[m->nfailures++] = (struct mft_failure){s->guid, status};
}

/* tag: table, then cell; what the switch says is what it has. */
static void
cell_done(void *cookie, uint64_t tag, const struct xact_result *res)
{
	struct mft *m = cookie;
	struct table *s = &m->table[tag >> 32];
	uint32_t c = (uint32_t)tag;

	m->inflight--;
	if (c >= m->nblocks * s->npos)
		return; /* it is another switch meanwhile */
	if (res->outcome != XACT_OK) {
		fail(m, s, res);
		return;
	}
	m->counts.cells++;
	for (unsigned g = 0; g < GROUPS; g++)
		s->cell[c].have[g] = be_get16(res->data + (size_t)2 * g);
	s->cell[c].known = true;
}

static void
top_done(void *cookie, uint64_t tag, const struct xact_result *res)
{
	struct mft *m = cookie;
	struct table *s = &m->table[tag];

	m->inflight--;
	if (res->outcome != XACT_OK && res->outcome != XACT_STATUS) {
		fail(m, s, res);
		return;
	}
	s->low = false; /* or it does not know the top at all */
	if (res->outcome == XACT_OK)
		m->job.switch_written(m->job.cookie, s->guid, res->data);
}

static void
send(struct mft *m, struct xact_request *r, xact_done *done, uint64_t tag,
	struct mono now)
{
	r->method = MAD_SET;
	m->inflight++;
	m->wrote = true;
	m->counts.sets++;
	xact_submit(m->job.x, r, now, done, m, tag);
}

/* Its own SwitchInfo, with the top where its table ends. */
static void
send_top(struct mft *m, size_t at, uint64_t mkey, struct mono now)
{
	const struct table *s = &m->table[at];
	struct mad_switch_info i;
	struct xact_request r;

	if (!s->low || !writable(s, 0) ||
		mad_switch_info_decode(m->topo->sinfo[s->sw], &i, NULL) != 0 ||
		push_request(m->topo, m->topo->sw[s->sw].node, mkey, &r) != 0)
		return;
	i.mft_top = (uint16_t)(NO_MLID + i.mft_cap);
	i.state_change = false;
	r.attr = MAD_SWITCH_INFO;
	mad_switch_info_encode(&i, r.data);
	send(m, &r, top_done, at, now);
}

static void
send_cell(struct mft *m, size_t at, unsigned c, uint64_t mkey, struct mono now)
{
	struct table *s = &m->table[at];
	uint16_t goal[GROUPS];
	struct xact_request r;

	if (!differs(m, s, c, goal) ||
		push_request(m->topo, m->topo->sw[s->sw].node, mkey, &r) != 0)
		return;
	s->cell[c].known = false; /* until it is acknowledged */
	r.attr = MAD_MFT;
	r.mod = (uint32_t)(c % s->npos) << POSITION_SHIFT | c / s->npos;
	for (unsigned g = 0; g < GROUPS; g++)
		be_put16(r.data + (size_t)2 * g, goal[g]);
	send(m, &r, cell_done, (uint64_t)at << 32 | c, now);
}

/* One step of the present stage; false: it has none left. */
static bool
step(struct mft *m, uint64_t mkey, struct mono now)
{
	if (m->at == m->n)
		return false;
	if (m->stage == TOPS)
		send_top(m, m->at, mkey, now);
	else if (m->cell_at < m->nblocks * m->table[m->at].npos)
		send_cell(m, m->at, m->cell_at++, mkey, now);
	if (m->stage == TOPS ||
		m->cell_at == m->nblocks * m->table[m->at].npos) {
		m->at++;
		m->cell_at = 0;
	}
	return true;
}

static void
end_cycle(struct mft *m)
{
	m->stage = AT_REST;
	m->counts.cycles += m->wrote;
	m->counts.broken += m->wrote && m->broke;
}

/* A stage has been acknowledged. */
static void
next_stage(struct mft *m)
{
	m->at = 0;
	m->cell_at = 0;
	if (m->stage == TOPS) {
		m->stage = m->broke ? BREAK : MAKE;
		return;
	}
	if (m->stage == BREAK && !m->incomplete) {
		m->stage = MAKE;
		return;
	}
	for (unsigned b = 0; b < m->nblocks && !m->incomplete; b++)
		m->stale[b] = false;
	end_cycle(m);
}

void
mft_feed(struct mft *m, uint64_t mkey, struct mono now)
{
	while (m->stage != AT_REST) {
		if (m->at < m->n && !xact_room(m->job.x))
			return;
		if (step(m, mkey, now))
			continue;
		if (m->inflight > 0)
			return;
		next_stage(m);
	}
}

void
mft_stop(struct mft *m)
{
	if (m->stage != AT_REST)
		end_cycle(m);
}

bool
mft_cell(const struct mft *m, uint64_t guid, unsigned block, unsigned pos,
	uint8_t out[MFT_CELL])
{
	const struct table *s = find(m, guid);
	const struct cell *c;

	if (s == NULL || s->sw == TOPO_NONE || pos >= s->npos ||
		block >= m->nblocks || block >= s->nblocks)
		return false;
	c = &s->cell[block * s->npos + pos];
	for (unsigned g = 0; g < GROUPS; g++)
		be_put16(out + (size_t)2 * g, c->have[g]);
	return c->known;
}
