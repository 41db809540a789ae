#include "distribution/push/mft.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "distribution/push/mft_priv.h"
#include "sm/base/be.h"
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

/* What is left of the last cycle. */
static void
free_cycle(struct mft *m)
{
	push_free(m->push);
	plan_free(m->plan);
	m->push = NULL;
	m->plan = NULL;
}

void
mft_free(struct mft *m)
{
	if (m == NULL)
		return;
	free_cycle(m);
	for (size_t i = 0; i < m->n; i++)
		free(m->table[i].cell);
	free(m->table);
	free(m->of);
	free(m->stale);
	free(m->failure);
	device_read_free(m->read);
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
	return (m->push == NULL || push_is_idle(m->push)) &&
	       (m->read == NULL || device_read_idle(m->read));
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
	device_forget_tables(m->job.hw, s->guid, DEVICE_MFT);
	for (unsigned c = 0; c < m->nblocks * s->npos; c++)
		s->cell[c].asked = false;
	s->suspect = false;
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
	       device_marked(m->job.hw, device_at_switch(guid, DEVICE_MFT),
		       DEVICE_REFUSES);
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
	for (unsigned b = was; b < nblocks; b++)
		m->stale[b] = true;
	for (size_t i = 0; i < m->n; i++)
		grow_table(&m->table[i], was, nblocks);
	m->nblocks = nblocks;
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
		device_forget_tables(m->job.hw, guid, DEVICE_MFT);
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
	for (unsigned pos = 0; pos < MFT_POSITIONS; pos++)
		s->is_link[pos] = mft_cell_links(t, t->sw[sw].node, pos);
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

/* Ports of a position that a group's packets leave by; none if unknown. */
static uint16_t
mask_of(const struct mft *m, const struct mft_table *s, unsigned pos,
	unsigned group)
{
	const uint8_t *is = device_bytes(
		m->job.hw, device_at_cell(s->guid, pos, group / MFT_COLUMNS));

	return is == NULL ? 0
			  : be_get16(is + (size_t)2 * (group % MFT_COLUMNS));
}

void
mft_keep(struct mft *m, unsigned group)
{
	unsigned b = group / MFT_COLUMNS, g = group % MFT_COLUMNS;

	assert(m->stage == MFT_REST && b < m->nblocks);
	m->stale[b] = true;
	for (size_t i = 0; i < m->n; i++) {
		struct mft_table *s = &m->table[i];

		for (unsigned pos = 0; pos < s->npos; pos++)
			s->cell[b * s->npos + pos].want[g] =
				mask_of(m, s, pos, group);
	}
}

/* ---- a cycle ---- */

bool
mft_writable(const struct mft *m, const struct mft_table *s, unsigned block)
{
	return s->sw != TOPO_NONE && block < s->nblocks &&
	       !device_marked(m->job.hw, device_at_switch(s->guid, DEVICE_MFT),
		       DEVICE_REFUSES);
}

void
mft_take_cell(struct mft_table *s, uint32_t cell, const uint8_t data[MFT_CELL])
{
	s->cell[cell].used = !mft_cell_is_empty(data);
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

/* What a plan is made of. */
struct wants {
	struct plan_cell *cell;
	struct plan_mcast_top *top;
	size_t ncells, capcells, ntops, captops;
};

/* The cells of a switch that do not hold what is wanted. */
static void
list_cells(const struct mft *m, const struct mft_table *s, struct wants *w)
{
	unsigned end = m->nblocks < s->nblocks ? m->nblocks : s->nblocks;

	for (uint32_t c = 0; c < end * s->npos; c++) {
		uint8_t want[MFT_CELL];
		const uint8_t *is;

		if (!m->stale[c / s->npos])
			continue;
		is = device_bytes(m->job.hw,
			device_at_cell(s->guid, c % s->npos, c / s->npos));
		mft_cell_encode(s->cell[c].want, want);
		if (is != NULL && memcmp(is, want, sizeof(want)) == 0)
			continue;
		w->cell = mem_grow(
			w->cell, w->ncells, &w->capcells, sizeof(*w->cell));
		w->cell[w->ncells++] =
			(struct plan_cell){.port = mft_port(m, s, c),
				.block = c / s->npos,
				.want = s->cell[c].want,
				.links = s->is_link[c % s->npos]};
	}
}

static void
list_top(const struct mft *m, const struct mft_table *s, struct wants *w)
{
	if (needed_top(m, s) == s->top && !s->stray)
		return;
	w->top = mem_grow(w->top, w->ntops, &w->captops, sizeof(*w->top));
	w->top[w->ntops++] =
		(struct plan_mcast_top){s->sw, needed_top(m, s), s->stray};
}

static struct plan *
make_plan(const struct mft *m)
{
	struct wants w = {0};
	struct plan *p;

	for (size_t i = 0; i < m->n; i++)
		if (mft_writable(m, &m->table[i], 0)) {
			list_cells(m, &m->table[i], &w);
			list_top(m, &m->table[i], &w);
		}
	p = plan_mcast(&(struct plan_mcast_job){.topo = m->topo,
		.hw = m->job.hw,
		.cell = w.cell,
		.ncells = w.ncells,
		.top = w.top,
		.ntops = w.ntops});
	free(w.cell);
	free(w.top);
	return p;
}

/* Whether a switch sends groups that are in no table to a default port. */
static bool
has_default_ports(const struct mft *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->table[i].stray && mft_writable(m, &m->table[i], 0))
			return true;
	return false;
}

static bool
has_stale_blocks(const struct mft *m)
{
	for (unsigned b = 0; b < m->nblocks; b++)
		if (m->stale[b])
			return true;
	return false;
}

/* ---- answers ---- */

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
fail_table(
	struct mft *m, const struct mft_table *s, const struct xact_result *res)
{
	m->incomplete = true;
	if (res->outcome == XACT_CANCELLED)
		return;
	m->counts.failed++;
	mft_mark_refusing(m, s, res->outcome == XACT_STATUS ? res->status : 0);
}

/* Of the written cells a sample is read once more. */
static void
sample_written(struct mft *m, struct mft_table *s, uint32_t cell,
	const struct xact_result *res)
{
	if (res->outcome == XACT_OK && s->written++ % SAMPLED == 0)
		mft_read_later(
			m, &(struct mft_look){.table = (size_t)(s - m->table),
				   .cell = cell,
				   .why = MFT_SAMPLE,
				   .due = mono_add(res->now, m->stray)});
}

/* A cell was sent; what the switch answers is what it holds. */
static void
take_cell_answer(struct mft *m, struct mft_table *s, struct device_at at,
	const struct xact_result *res)
{
	uint32_t c = at.block * s->npos + at.port;

	if (at.port >= s->npos || at.block >= m->nblocks)
		return; /* it is another switch by now */
	s->cell[c].asked = false;
	sample_written(m, s, c, res);
	if (res->outcome != XACT_OK) {
		fail_table(m, s, res);
		return;
	}
	m->counts.cells++;
	mft_take_cell(s, c, res->data);
}

static void
take_top_answer(
	struct mft *m, struct mft_table *s, const struct xact_result *res)
{
	struct mad_switch_info i;

	if (res->outcome != XACT_OK && res->outcome != XACT_STATUS) {
		fail_table(m, s, res);
		return;
	}
	s->stray = false;
	if (res->outcome == XACT_STATUS) {
		s->has_top = false; /* it has no such field */
		return;
	}
	(void)mad_switch_info_decode(res->data, &i, NULL);
	s->top = i.mft_top;
	s->has_top = s->sw != TOPO_NONE && s->top == needed_top(m, s);
}

static void
take_answer(void *cookie, const struct plan_step *step,
	const struct xact_result *res)
{
	struct mft *m = cookie;
	const struct topo *t = m->plan->topo;
	const struct topo_port *p = &t->port[step->port];
	struct mft_table *s = find_table(m, t->node[p->node].guid);

	m->wrote = true;
	m->counts.sets++;
	if (step->attr == DEVICE_MFT)
		take_cell_answer(m, s,
			device_at_cell(s->guid, p->num, step->block), res);
	else
		take_top_answer(m, s, res);
}

static void
switch_written(void *cookie, uint64_t guid, const uint8_t info[MAD_DATA])
{
	const struct mft *m = cookie;

	m->job.switch_written(m->job.cookie, guid, info);
}

/* A switch may hold what it is sent long before that is acknowledged. */
static void
mark_used_cells(struct mft *m)
{
	for (size_t i = 0; i < m->plan->nsteps; i++) {
		const struct plan_step *step = &m->plan->step[i];
		const struct topo_port *p = &m->topo->port[step->port];
		struct mft_table *s;

		if (step->attr != DEVICE_MFT ||
			mft_cell_is_empty(m->plan->payload[step->payload]))
			continue;
		s = find_table(m, m->topo->node[p->node].guid);
		s->cell[step->block * s->npos + p->num].used = true;
	}
}

bool
mft_begin(struct mft *m, struct mono stray)
{
	assert(m->stage == MFT_REST && mft_is_idle(m));
	m->nfailures = 0;
	m->incomplete = false;
	if (m->topo == NULL || (!has_stale_blocks(m) && !has_default_ports(m)))
		return false;
	free_cycle(m);
	m->plan = make_plan(m);
	mark_used_cells(m);
	m->push = push_new(&(struct push_job){.plan = m->plan,
		.hw = m->job.hw,
		.x = m->job.x,
		.stray = stray,
		.switch_written = switch_written,
		.answered = take_answer,
		.cookie = m});
	m->stray = stray;
	m->stage = MFT_WRITE;
	m->wrote = false;
	return true;
}

/* The cycle is over, or no more of it is sent. */
static void
end_cycle(struct mft *m)
{
	m->stage = MFT_REST;
	m->counts.cycles += m->wrote;
	m->counts.broken +=
		m->wrote && m->plan->nphases > 1 &&
		m->plan->phase[m->plan->nphases - 2].kind == PLAN_MCAST_BREAK;
}

void
mft_feed(struct mft *m, struct mono now)
{
	if (m->stage == MFT_ASK) {
		device_read_feed(m->read, now);
		if (device_read_done(m->read))
			m->stage = MFT_REST;
	}
	if (m->stage != MFT_WRITE)
		return;
	push_feed(m->push, now);
	if (!push_done(m->push))
		return;
	m->incomplete |= !push_complete(m->push);
	for (unsigned b = 0; b < m->nblocks && !m->incomplete; b++)
		m->stale[b] = false;
	end_cycle(m);
	free_cycle(m);
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
	const uint8_t *is;

	if (s == NULL || s->sw == TOPO_NONE || pos >= s->npos ||
		block >= m->nblocks || block >= s->nblocks)
		return false;
	is = device_bytes(m->job.hw, device_at_cell(guid, pos, block));
	if (is != NULL)
		memcpy(out, is, MFT_CELL);
	return is != NULL;
}

bool
mft_row(const struct mft *m, uint64_t guid, unsigned group,
	uint64_t out[MCAST_WORDS])
{
	const struct mft_table *s = find_table(m, guid);
	unsigned any = 0;

	memset(out, 0, MCAST_WORDS * sizeof(*out));
	if (s == NULL || s->sw == TOPO_NONE ||
		group / MFT_COLUMNS >= m->nblocks)
		return false;
	for (unsigned pos = 0; pos < s->npos; pos++) {
		unsigned mask = mask_of(m, s, pos, group);

		out[pos / 4] |= (uint64_t)mask << pos % 4 * MFT_PORTS;
		any |= mask;
	}
	return any != 0;
}
