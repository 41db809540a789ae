#include "sm/audit/audit_adaptive_read.h"

#include <assert.h>
#include <stdlib.h>

#include "distribution/device/adaptive_seen.h"
#include "distribution/device/device_request.h"
#include "sm/base/bitset.h"
#include "sm/base/mem.h"

enum step { READ_INFO, READ_ENTRIES, READ_GROUPS, READ_DONE };

/* Where the reading of a switch is: blocks of its step from next on are to be
 * asked. */
struct cursor {
	enum step step;
	uint32_t next, end, inflight;
	bool owes;	 /* an answer that did not come */
	uint64_t *named; /* a bit for each group that an entry names */
};

struct audit_adaptive_read {
	const struct topo *t;
	struct xact *x;
	struct audit_adaptive_switch *sw; /* [nsw] */
	struct cursor *at;		  /* [nsw] */
	uint32_t left;			  /* switches that are not done */
	sw_ix first;			  /* the first one of these */
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

struct audit_adaptive_read *
audit_adaptive_read_new(
	const struct topo *t, const struct device_store *hw, struct xact *x)
{
	struct audit_adaptive_read *r = mem_zalloc(1, sizeof(*r));

	r->t = t;
	r->x = x;
	r->sw = mem_zalloc(t->nsw, sizeof(*r->sw));
	r->at = mem_zalloc(t->nsw, sizeof(*r->at));
	for (sw_ix s = 0; s < t->nsw; s++) {
		r->at[s] = (struct cursor){.step = READ_DONE};
		if (!is_asked(t, hw, s))
			continue;
		r->at[s] = (struct cursor){.step = READ_INFO, .end = 1};
		r->sw[s].asked = true;
		r->left++;
	}
	return r;
}

void
audit_adaptive_read_free(struct audit_adaptive_read *r)
{
	if (r == NULL)
		return;
	for (sw_ix s = 0; s < r->t->nsw; s++) {
		assert(r->at[s].inflight == 0);
		free(r->at[s].named);
		free(r->sw[s].entry);
		free(r->sw[s].group);
	}
	free(r->sw);
	free(r->at);
	free(r);
}

bool
audit_adaptive_read_done(const struct audit_adaptive_read *r)
{
	return r->left == 0;
}

const struct audit_adaptive_switch *
audit_adaptive_read_switch(const struct audit_adaptive_read *r, sw_ix s)
{
	return &r->sw[s];
}

/* ---- answers ---- */

/* Groups that packets to LIDs in use choose by. */
static void
find_named(const struct topo *t, const struct audit_adaptive_switch *w,
	struct cursor *c)
{
	c->named = mem_zalloc(MAD_AR_GROUPS / 64, sizeof(*c->named));
	for (uint32_t lid = 1; lid < w->nlids; lid++) {
		const struct mad_ar_entry *e = &w->entry[lid];

		if (topo_by_lid(t, (uint16_t)lid, NULL) == TOPO_NONE ||
			e->state == MAD_AR_STATIC ||
			e->group >= w->info.group_cap)
			continue;
		bitset_add(c->named, e->group);
		if (e->group >= c->end)
			c->end = e->group + 1U;
	}
}

/* All of a step is answered, or will not be: the next one. */
static void
leave_step(struct audit_adaptive_read *r, sw_ix s)
{
	struct audit_adaptive_switch *w = &r->sw[s];
	struct cursor *c = &r->at[s];

	c->next = c->end = 0;
	c->step = c->owes ? READ_DONE : c->step + 1;
	if (c->step == READ_ENTRIES) {
		c->end = r->t->max_lid / MAD_AR_ENTRIES + 1U;
		w->nlids = c->end * MAD_AR_ENTRIES;
		w->entry = mem_zalloc(w->nlids, sizeof(*w->entry));
	} else if (c->step == READ_GROUPS) {
		find_named(r->t, w, c);
		w->ngroups = c->end;
		w->group = mem_zalloc(w->ngroups, sizeof(*w->group));
	}
	w->complete = c->step == READ_DONE && !c->owes;
	r->left -= c->step == READ_DONE;
}

static bool
take_answer(struct audit_adaptive_switch *w, enum step step, uint32_t block,
	const uint8_t *data)
{
	if (step == READ_INFO)
		return mad_ar_info_decode(data, &w->info, NULL) == 0;
	if (step == READ_ENTRIES)
		mad_ar_lft_decode(data, w->entry + block * MAD_AR_ENTRIES);
	else
		mad_ar_group_decode(data, &w->group[block]);
	return true;
}

static void
answer_done(void *cookie, uint64_t tag, const struct xact_result *res)
{
	struct audit_adaptive_read *r = cookie;
	sw_ix s = (sw_ix)(tag >> 32);
	struct cursor *c = &r->at[s];

	c->inflight--;
	if (res->outcome != XACT_OK ||
		!take_answer(&r->sw[s], c->step, (uint32_t)tag, res->data))
		c->owes = true;
}

/* ---- requests ---- */

static void
send_block(struct audit_adaptive_read *r, sw_ix s, struct mono now)
{
	static const enum device_attr attr[] = {[READ_INFO] = DEVICE_AR_INFO,
		[READ_ENTRIES] = DEVICE_AR_LFT,
		[READ_GROUPS] = DEVICE_AR_GROUP};
	struct cursor *c = &r->at[s];
	uint32_t block = c->next++;
	struct xact_request q;

	if (c->step == READ_GROUPS && !bitset_has(c->named, block))
		return;
	if (device_request_block(r->t, topo_port_of(r->t, r->t->sw[s].node, 0),
		    attr[c->step], block, &q) != 0) {
		c->owes = true;
		return;
	}
	q.method = MAD_GET;
	c->inflight++;
	xact_submit(r->x, &q, now, answer_done, r, (uint64_t)s << 32 | block);
}

void
audit_adaptive_read_feed(struct audit_adaptive_read *r, struct mono now)
{
	for (sw_ix s = r->first; s < r->t->nsw; s++) {
		struct cursor *c = &r->at[s];

		while (c->step != READ_DONE) {
			/* one that owes an answer is asked no more */
			while (c->next < c->end && !c->owes) {
				if (!xact_room(r->x))
					return;
				send_block(r, s, now);
			}
			if (c->inflight > 0)
				break;
			leave_step(r, s);
		}
		if (c->step == READ_DONE && s == r->first)
			r->first++;
	}
}
