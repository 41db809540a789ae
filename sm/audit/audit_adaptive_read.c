#include "sm/audit/audit_adaptive_read.h"

#include <stdlib.h>

#include "distribution/device/adaptive_seen.h"
#include "distribution/device/device_read.h"
#include "sm/base/bitset.h"
#include "sm/base/mem.h"

enum {
	MISSES = 1, /* one that owes an answer is asked no more */
};

/* What is read, of all switches at a time. */
enum step { READ_INFO, READ_ENTRIES, READ_GROUPS, READ_DONE };

struct audit_adaptive_read {
	struct device_read *read;
	const struct topo *t;		  /* of the reading */
	struct audit_adaptive_switch *sw; /* [nsw] */
	bool *told; /* [nsw] asked, and all of the steps before is answered */
	uint32_t *due; /* [nsw] answers that did not come yet, or never will */
	uint64_t (*named)[MAD_AR_GROUPS / 64]; /* [nsw] groups in use */
	enum step step;
	uint32_t next, end; /* blocks of the step that are still to be asked */
};

static bool
is_asked(const struct topo *t, const struct device_store *hw, sw_ix s)
{
	struct adaptive_seen seen =
		adaptive_seen_of(hw, t->node[t->sw[s].node].guid);

	return topo_sw_live(t, s) && seen.state == ADAPTIVE_LEFT &&
	       seen.kind == ADAPTIVE_REV1 &&
	       (seen.on & ~(unsigned)MAD_AR_ON_RECOVERY) == MAD_AR_ON_GROUPS;
}

/* ---- steps ---- */

/* Groups that packets to LIDs in use choose by. */
static void
find_named(struct audit_adaptive_read *r, sw_ix s)
{
	struct audit_adaptive_switch *w = &r->sw[s];

	for (uint32_t lid = 1; lid < w->nlids; lid++) {
		const struct mad_ar_entry *e = &w->entry[lid];

		if (topo_by_lid(r->t, (uint16_t)lid, NULL) == TOPO_NONE ||
			e->state == MAD_AR_STATIC ||
			e->group >= w->info.group_cap)
			continue;
		bitset_add(r->named[s], e->group);
		if (e->group >= w->ngroups)
			w->ngroups = e->group + 1U;
	}
	w->group = mem_zalloc(w->ngroups, sizeof(*w->group));
	if (w->ngroups > r->end)
		r->end = w->ngroups;
}

/* All of a step is answered, or will not be: the next one. */
static void
begin_step(struct audit_adaptive_read *r)
{
	r->step++;
	r->next = r->end = 0;
	if (r->step == READ_ENTRIES)
		r->end = r->t->max_lid / MAD_AR_ENTRIES + 1U;
	for (sw_ix s = 0; s < r->t->nsw; s++) {
		struct audit_adaptive_switch *w = &r->sw[s];

		r->told[s] = r->told[s] && r->due[s] == 0;
		if (!r->told[s])
			continue;
		if (r->step == READ_ENTRIES) {
			w->nlids = r->end * MAD_AR_ENTRIES;
			w->entry = mem_zalloc(w->nlids, sizeof(*w->entry));
		} else if (r->step == READ_GROUPS) {
			find_named(r, s);
		} else {
			w->complete = true;
		}
	}
}

/* The next block of all switches, so that a list of them stays short. */
static bool
add_more(void *self, struct device_read *read)
{
	static const enum device_attr attr[] = {[READ_INFO] = DEVICE_AR_INFO,
		[READ_ENTRIES] = DEVICE_AR_LFT,
		[READ_GROUPS] = DEVICE_AR_GROUP};
	struct audit_adaptive_read *r = self;

	while (r->step != READ_DONE && r->next == r->end) {
		if (!device_read_idle(read))
			return false;
		begin_step(r);
	}
	if (r->step == READ_DONE)
		return false;
	for (sw_ix s = 0; s < r->t->nsw; s++) {
		if (!r->told[s] || (r->step == READ_GROUPS &&
					   !bitset_has(r->named[s], r->next)))
			continue;
		r->due[s]++;
		device_read_add(read,
			&(struct device_job){
				.port = r->t->node[r->t->sw[s].node].first_port,
				.attr = attr[r->step],
				.block = r->next,
				.mode = DEVICE_READ_LOOK});
	}
	r->next++;
	return true;
}

/* ---- answers ---- */

static bool
take_block(struct audit_adaptive_switch *w, enum step step, uint32_t block,
	const uint8_t *data)
{
	if (step == READ_INFO)
		return mad_ar_info_decode(data, &w->info, NULL) == 0;
	if (step == READ_ENTRIES)
		mad_ar_lft_decode(
			data, w->entry + (size_t)block * MAD_AR_ENTRIES);
	else if (block < w->ngroups)
		mad_ar_group_decode(data, &w->group[block]);
	return true;
}

static void
take_answer(void *self, const struct device_job *job, enum device_verdict v,
	const struct xact_result *res)
{
	struct audit_adaptive_read *r = self;
	sw_ix s = topo_switch_of(r->t, job->port);

	if (v == DEVICE_NEWS &&
		take_block(&r->sw[s], r->step, job->block, res->data))
		r->due[s]--;
}

/* ---- the whole ---- */

struct audit_adaptive_read *
audit_adaptive_read_new(
	struct topo *t, const struct device_store *hw, struct xact *x)
{
	struct audit_adaptive_read *r = mem_zalloc(1, sizeof(*r));

	r->t = t;
	r->sw = mem_zalloc(t->nsw, sizeof(*r->sw));
	r->told = mem_zalloc(t->nsw, sizeof(*r->told));
	r->due = mem_zalloc(t->nsw, sizeof(*r->due));
	r->named = mem_zalloc(t->nsw, sizeof(*r->named));
	r->end = 1;
	r->read = device_read_new(&(struct device_reading){.topo = t,
		.x = x,
		.more = add_more,
		.taken = take_answer,
		.self = r,
		.misses = MISSES});
	for (sw_ix s = 0; s < t->nsw; s++)
		r->told[s] = r->sw[s].asked = is_asked(t, hw, s);
	return r;
}

void
audit_adaptive_read_free(struct audit_adaptive_read *r)
{
	if (r == NULL)
		return;
	for (sw_ix s = 0; s < r->t->nsw; s++) {
		free(r->sw[s].entry);
		free(r->sw[s].group);
	}
	free(r->sw);
	free(r->told);
	free(r->due);
	free(r->named);
	device_read_free(r->read);
	free(r);
}

void
audit_adaptive_read_feed(struct audit_adaptive_read *r, struct mono now)
{
	device_read_feed(r->read, now);
}

bool
audit_adaptive_read_done(const struct audit_adaptive_read *r)
{
	return device_read_done(r->read);
}

const struct audit_adaptive_switch *
audit_adaptive_read_switch(const struct audit_adaptive_read *r, sw_ix s)
{
	return &r->sw[s];
}
