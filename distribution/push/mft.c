#include "distribution/push/mft.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "distribution/device/device_request.h"
#include "distribution/push/mft_priv.h"
#include "sm/base/mem.h"
#include "sm/mad/mad.h"

/*
 * SAMPLED: of a switch's cells the first that is written is read again, then
 * one in SAMPLED.
 */
enum { NO_PORT = 255, SAMPLED = 16 };

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
	free(m->look);
	free(m->later);
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
mft_asking(const struct mft *m)
{
	return m->stage == MFT_ASK;
}

bool
mft_running(const struct mft *m)
{
	return m->stage != MFT_REST;
}

bool
mft_is_idle(const struct mft *m)
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

static struct mft_table *
find_table(const struct mft *m, uint64_t guid)
{
	uint32_t i;

	return map_get(&m->by_guid, guid, &i) ? &m->table[i] : NULL;
}

static void
mark_all_stale(struct mft *m)
{
	for (unsigned b = 0; b < m->nblocks; b++)
		m->stale[b] = true;
}

void
mft_forget_row(struct mft *m, struct mft_table *s)
{
	for (unsigned c = 0; c < m->nblocks * s->npos; c++)
		s->cell[c].known = s->cell[c].asked = false;
	s->refuses = s->suspect = false;
	s->silent = s->unheld = 0;
	mark_all_stale(m);
}

void
mft_forget(struct mft *m, uint64_t guid)
{
	struct mft_table *s = find_table(m, guid);

	if (s != NULL)
		mft_forget_row(m, s);
}

bool
mft_refused(const struct mft *m, uint64_t guid)
{
	uint32_t i;

	return map_get(&m->by_guid, guid, &i) && m->table[i].sw != TOPO_NONE &&
	       m->table[i].refuses;
}

void
mft_suspect(struct mft *m, uint64_t guid)
{
	struct mft_table *s = find_table(m, guid);

	if (s != NULL)
		s->suspect = true;
}

/* ---- the fabric ---- */

/* Make cells for more blocks, unknown and with nothing wanted. */
static void
grow_table(struct mft_table *s, unsigned was, unsigned is)
{
	s->cell = mem_resize(s->cell, (size_t)is * s->npos, sizeof(*s->cell));
	memset(s->cell + (size_t)was * s->npos, 0,
		(size_t)(is - was) * s->npos * sizeof(*s->cell));
}

void
mft_grow(struct mft *m, unsigned nblocks)
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

/*
 * Find the ports that lead to other switches, or to something that does not
 * answer: all that do not lead to a host.
 */
static void
find_switch_ports(struct mft_table *s, const struct topo *t)
{
	const struct topo_node *n = &t->node[t->sw[s->sw].node];

	memset(s->is_link, 0, sizeof(s->is_link));
	for (unsigned p = 1; p <= n->nports; p++) {
		port_ix peer = t->port[n->first_port + p].peer;

		if (peer == TOPO_NONE ||
			t->node[t->port[peer].node].type == TOPO_SWITCH)
			s->is_link[p / MFT_PORTS] |=
				(uint16_t)(1U << p % MFT_PORTS);
	}
}

static struct mft_table *
add_table(struct mft *m, uint64_t guid, unsigned npos)
{
	struct mft_table *s = find_table(m, guid);

	if (s == NULL) {
		m->table = mem_grow(m->table, m->n, &m->cap, sizeof(*s));
		s = &m->table[m->n];
		map_put(&m->by_guid, guid, (uint32_t)m->n++);
		*s = (struct mft_table){.guid = guid, .sw = TOPO_NONE};
	}
	if (s->npos != npos) { /* another switch with this GUID */
		free(s->cell);
		s->cell = NULL;
		s->npos = npos;
		grow_table(s, 0, m->nblocks);
	}
	return s;
}

/* Whether a default port leads out of the switch; 0 is the switch itself. */
static bool
is_external_port(uint8_t port)
{
	return port != 0 && port != NO_PORT;
}

static void
adopt_switch(struct mft *m, sw_ix sw)
{
	const struct topo *t = m->topo;
	const struct topo_node *n = &t->node[t->sw[sw].node];
	struct mad_switch_info i;
	struct mft_table *s;

	if ((n->flags & TN_QUARANTINED) != 0 || t->sw[sw].mft_cap == 0 ||
		mad_switch_info_decode(t->sinfo[sw], &i, NULL) != 0)
		return;
	s = add_table(m, n->guid, n->nports / MFT_PORTS + 1U);
	if (s->sw != TOPO_NONE)
		return; /* the second one of this GUID */
	s->sw = sw;
	s->nblocks = (t->sw[sw].mft_cap + MFT_COLUMNS - 1U) / MFT_COLUMNS;
	s->top = i.mft_top;
	s->has_top = i.mft_top != 0 ||
		     (t->port[n->first_port].capmask & MAD_CAP_MFT_TOP) != 0;
	s->stray = is_external_port(i.def_mcast_pri) ||
		   is_external_port(i.def_mcast_not);
	s->fresh = (n->flags & TN_FRESH) != 0;
	find_switch_ports(s, t);
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
			mft_forget_row(m, &m->table[i]);
	mark_all_stale(m);
}

/* ---- what is wanted ---- */

static void
want_branch(struct mft *m, unsigned group, const struct mcast_branch *b)
{
	struct mft_table *s;

	if (m->of[b->sw] == SIZE_MAX)
		return;
	s = &m->table[m->of[b->sw]];
	for (unsigned pos = 0; pos < s->npos; pos++)
		s->cell[group / MFT_COLUMNS * s->npos + pos]
			.want[group % MFT_COLUMNS] =
			mft_cell_ports(b->mask, pos);
}

void
mft_want(struct mft *m, unsigned group, const struct mcast_tree *tree)
{
	assert(m->stage == MFT_REST && group < MFT_GROUPS);
	mft_grow(m, group / MFT_COLUMNS + 1);
	m->stale[group / MFT_COLUMNS] = true;
	for (size_t i = 0; i < m->n; i++) {
		struct mft_table *s = &m->table[i];

		for (unsigned pos = 0; pos < s->npos; pos++)
			s->cell[group / MFT_COLUMNS * s->npos + pos]
				.want[group % MFT_COLUMNS] = 0;
	}
	for (size_t i = 0; tree != NULL && i < tree->n; i++)
		want_branch(m, group, &tree->branch[i]);
}

void
mft_keep(struct mft *m, unsigned group)
{
	unsigned b = group / MFT_COLUMNS, g = group % MFT_COLUMNS;

	assert(m->stage == MFT_REST && b < m->nblocks);
	m->stale[b] = true;
	for (size_t i = 0; i < m->n; i++) {
		struct mft_table *s = &m->table[i];

		for (unsigned c = b * s->npos; c < (b + 1) * s->npos; c++)
			s->cell[c].want[g] =
				s->cell[c].known ? s->cell[c].have[g] : 0;
	}
}

/* ---- a cycle ---- */

bool
mft_writable(const struct mft_table *s, unsigned block)
{
	return s->sw != TOPO_NONE && !s->refuses && block < s->nblocks;
}

static void
find_moves(struct mft *m)
{
	if (m->nblocks == 0) /* there is no group: nothing is allocated */
		return;
	memset(m->add, 0, m->nblocks * sizeof(*m->add));
	memset(m->drop, 0, m->nblocks * sizeof(*m->drop));
	for (size_t i = 0; i < m->n; i++) {
		const struct mft_table *s = &m->table[i];

		for (unsigned c = 0; c < m->nblocks * s->npos; c++)
			if (m->stale[c / s->npos] &&
				mft_writable(s, c / s->npos))
				mft_cell_compare(&s->cell[c],
					s->is_link[c % s->npos],
					&m->add[c / s->npos],
					&m->drop[c / s->npos]);
	}
	for (unsigned b = 0; b < m->nblocks; b++)
		m->cut[b] = m->add[b] & m->drop[b];
}

/* What a cell shall hold after this stage. */
static void
goal_of(const struct mft *m, const struct mft_table *s, unsigned c,
	uint16_t goal[MFT_COLUMNS])
{
	mft_cell_goal(&s->cell[c], s->is_link[c % s->npos],
		m->stage == MFT_BREAK ? m->cut[c / s->npos] : 0, goal);
}

static bool
cell_differs(const struct mft *m, const struct mft_table *s, unsigned c,
	uint16_t goal[MFT_COLUMNS])
{
	if (!m->stale[c / s->npos] || !mft_writable(s, c / s->npos))
		return false;
	goal_of(m, s, c, goal);
	return mft_cell_differs(&s->cell[c], goal);
}

/* Whether a switch sends groups that are in no table to a default port. */
static bool
has_default_ports(const struct mft *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->table[i].stray && mft_writable(&m->table[i], 0))
			return true;
	return false;
}

bool
mft_begin(struct mft *m)
{
	bool moves = false, any = has_default_ports(m);

	assert(m->stage == MFT_REST && m->inflight == 0);
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
	m->stage = MFT_TOPS;
	m->broke = moves;
	m->wrote = false;
	m->at = 0;
	m->cell_at = 0;
	return true;
}

void
mft_mark_refusing(struct mft *m, const struct mft_table *s, uint16_t status)
{
	for (size_t i = 0; i < m->nfailures; i++)
		if (m->failure[i].guid == s->guid)
			return;
	m->failure = mem_grow(
		m->failure, m->nfailures, &m->capfailures, sizeof(*m->failure));
	m->failure[m->nfailures++] = (struct mft_failure){.guid = s->guid,
		.status = status,
		.disobedient = s->unheld >= MFT_FALSE_ANSWERS};
}

static void
fail_table(struct mft *m, struct mft_table *s, const struct xact_result *res)
{
	m->incomplete = true;
	if (res->outcome == XACT_CANCELLED)
		return;
	m->counts.failed++;
	s->refuses |= res->outcome == XACT_STATUS;
	mft_mark_refusing(m, s, res->outcome == XACT_STATUS ? res->status : 0);
}

/*
 * Note cells to read once more: a cell that a copy of an earlier SMP may
 * overwrite, and a sample of the written ones.
 */
static void
schedule_reread(
	struct mft *m, uint64_t tag, const struct xact_result *res, bool ok)
{
	struct mft_table *s = &m->table[tag >> 32];
	bool strays = res->outcome == XACT_TIMEOUT || res->tries > 1;

	if (strays || (ok && s->written++ % SAMPLED == 0))
		mft_read_later(
			m, &(struct mft_look){.table = tag >> 32,
				   .cell = (uint32_t)tag,
				   .why = strays ? MFT_STRAY : MFT_SAMPLE,
				   .due = mono_add(res->now, m->stray)});
}

/* tag: table, then cell. What the switch answers is what it holds. */
static void
cell_done(void *cookie, uint64_t tag, const struct xact_result *res)
{
	struct mft *m = cookie;
	struct mft_table *s = &m->table[tag >> 32];
	uint32_t c = (uint32_t)tag;

	m->inflight--;
	if (c >= m->nblocks * s->npos)
		return; /* it is another switch by now */
	schedule_reread(m, tag, res, res->outcome == XACT_OK);
	if (res->outcome != XACT_OK) {
		fail_table(m, s, res);
		return;
	}
	m->counts.cells++;
	mft_cell_decode(res->data, s->cell[c].have);
	s->cell[c].known = true;
}

/* The top that a switch needs; its own where that is enough. */
static uint16_t
needed_top(const struct mft *m, const struct mft_table *s)
{
	unsigned used = m->nblocks < s->nblocks ? m->nblocks : s->nblocks;
	unsigned last = used * MFT_COLUMNS;

	if (last > m->topo->sw[s->sw].mft_cap)
		last = m->topo->sw[s->sw].mft_cap;
	last += MFT_NONE;
	return (uint16_t)(s->has_top && s->top < last ? last : s->top);
}

static void
top_done(void *cookie, uint64_t tag, const struct xact_result *res)
{
	struct mft *m = cookie;
	struct mft_table *s = &m->table[tag];
	struct mad_switch_info i;

	m->inflight--;
	if (res->outcome != XACT_OK && res->outcome != XACT_STATUS) {
		fail_table(m, s, res);
		return;
	}
	s->stray = false;
	if (res->outcome == XACT_STATUS) {
		s->has_top = false; /* it has no such field */
		return;
	}
	m->job.switch_written(m->job.cookie, s->guid, res->data);
	if (mad_switch_info_decode(res->data, &i, NULL) == 0)
		s->top = i.mft_top;
	s->has_top = s->top == needed_top(m, s);
}

static void
send_set(struct mft *m, struct xact_request *r, xact_done *done, uint64_t tag,
	struct mono now)
{
	r->method = MAD_SET;
	m->inflight++;
	m->wrote = true;
	m->counts.sets++;
	xact_submit(m->job.x, r, now, done, m, tag);
}

/*
 * Set the switch's own SwitchInfo with a top above all blocks in use and
 * without default ports.
 */
static void
send_top(struct mft *m, size_t at, struct mono now)
{
	const struct mft_table *s = &m->table[at];
	struct mad_switch_info i;
	struct xact_request r;

	if (!mft_writable(s, 0) || (needed_top(m, s) == s->top && !s->stray) ||
		mad_switch_info_decode(m->topo->sinfo[s->sw], &i, NULL) != 0 ||
		device_request(m->topo, m->topo->sw[s->sw].node, &r) != 0)
		return;
	i.mft_top = needed_top(m, s);
	if (s->stray)
		i.def_mcast_pri = i.def_mcast_not = NO_PORT;
	i.state_change = false;
	r.attr = MAD_SWITCH_INFO;
	mad_switch_info_encode(&i, r.data);
	send_set(m, &r, top_done, at, now);
}

static void
send_cell(struct mft *m, size_t at, unsigned c, struct mono now)
{
	struct mft_table *s = &m->table[at];
	uint16_t goal[MFT_COLUMNS];
	struct xact_request r;

	if (!cell_differs(m, s, c, goal) ||
		device_request(m->topo, m->topo->sw[s->sw].node, &r) != 0)
		return;
	/* until it is acknowledged */
	s->cell[c].known = s->cell[c].asked = false;
	r.attr = MAD_MFT;
	r.mod = mft_cell_modifier(c % s->npos, c / s->npos);
	mft_cell_encode(goal, r.data);
	send_set(m, &r, cell_done, (uint64_t)at << 32 | c, now);
}

/* One step of the present stage; false: it has none left. */
static bool
stage_step(struct mft *m, struct mono now)
{
	if (m->stage == MFT_ASK)
		return mft_read_step(m, now);
	if (m->at == m->n)
		return false;
	if (m->stage == MFT_TOPS)
		send_top(m, m->at, now);
	else if (m->cell_at < m->nblocks * m->table[m->at].npos)
		send_cell(m, m->at, m->cell_at++, now);
	if (m->stage == MFT_TOPS ||
		m->cell_at == m->nblocks * m->table[m->at].npos) {
		m->at++;
		m->cell_at = 0;
	}
	return true;
}

static void
end_cycle(struct mft *m)
{
	m->stage = MFT_REST;
	m->counts.cycles += m->wrote;
	m->counts.broken += m->wrote && m->broke;
}

/* A stage has been acknowledged. */
static void
next_stage(struct mft *m)
{
	m->at = 0;
	m->cell_at = 0;
	if (m->stage == MFT_ASK) {
		m->stage = MFT_REST;
		return;
	}
	if (m->stage == MFT_TOPS) {
		m->stage = m->broke ? MFT_BREAK : MFT_MAKE;
		return;
	}
	if (m->stage == MFT_BREAK && !m->incomplete) {
		m->stage = MFT_MAKE;
		return;
	}
	for (unsigned b = 0; b < m->nblocks && !m->incomplete; b++)
		m->stale[b] = false;
	end_cycle(m);
}

void
mft_feed(struct mft *m, struct mono stray, struct mono now)
{
	m->stray = stray;
	while (m->stage != MFT_REST) {
		if (!xact_room(m->job.x))
			return;
		if (stage_step(m, now))
			continue;
		if (m->inflight > 0)
			return;
		next_stage(m);
	}
}

void
mft_stop(struct mft *m)
{
	if (m->stage == MFT_ASK)
		m->stage = MFT_REST;
	else if (m->stage != MFT_REST)
		end_cycle(m);
}

bool
mft_cell(const struct mft *m, uint64_t guid, unsigned block, unsigned pos,
	uint8_t out[MFT_CELL])
{
	const struct mft_table *s = find_table(m, guid);
	const struct mft_cell *c;

	if (s == NULL || s->sw == TOPO_NONE || pos >= s->npos ||
		block >= m->nblocks || block >= s->nblocks)
		return false;
	c = &s->cell[block * s->npos + pos];
	mft_cell_encode(c->have, out);
	return c->known;
}

bool
mft_row(const struct mft *m, uint64_t guid, unsigned group,
	uint64_t out[MCAST_WORDS])
{
	const struct mft_table *s = find_table(m, guid);
	unsigned b = group / MFT_COLUMNS, any = 0;

	memset(out, 0, MCAST_WORDS * sizeof(*out));
	if (s == NULL || s->sw == TOPO_NONE || b >= m->nblocks)
		return false;
	for (unsigned pos = 0; pos < s->npos; pos++) {
		const struct mft_cell *c = &s->cell[b * s->npos + pos];
		unsigned mask = c->known ? c->have[group % MFT_COLUMNS] : 0U;

		out[pos / 4] |= (uint64_t)mask << pos % 4 * MFT_PORTS;
		any |= mask;
	}
	return any != 0;
}
