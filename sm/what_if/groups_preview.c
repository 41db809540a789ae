#include "sm/what_if/groups_preview.h"

#include <string.h>

#include "distribution/device/adaptive_seen.h"
#include "distribution/plan/plan.h"
#include "sm/mad/mad_ar.h"
#include "sm/what_if/snapshot_read.h"

enum {
	PLANS = 8, /* for one change, at most: what one leaves to the next */
	ALL_SLS = 0xffff,
};

/* Each switch that can choose says so. */
static void
tell_choices(struct device_store *hw, const struct routes *r)
{
	const struct topo *t = r->topo;
	uint8_t data[MAD_DATA];

	for (sw_ix s = 0; r->sets != NULL && s < t->nsw; s++) {
		uint64_t guid = t->node[t->sw[s].node].guid;
		struct device_at at = device_at_switch(guid, DEVICE_AR_INFO);
		struct mad_ar_info info = {
			.group_cap = r->sets->can[s].groups,
			.sub_groups_sup = MAD_AR_SUB_GROUPS,
			.sub_groups_active = 1,
		};

		if (r->sets->can[s].kind == ROUTE_FIXED ||
			device_bytes(hw, at) != NULL)
			continue;
		mad_ar_info_encode(&info, data);
		device_put(hw, at, data);
		adaptive_seen_put(hw, guid,
			(struct adaptive_seen){
				.state = ADAPTIVE_OFF, .kind = ADAPTIVE_REV1});
	}
}

/* A switch is not sent what it has. */
static bool
has_it(const struct device_store *hw, struct device_at at, const uint8_t *data)
{
	const uint8_t *is = device_bytes(hw, at);

	return is != NULL && memcmp(is, data, MAD_DATA) == 0;
}

/* All steps of a plan are acknowledged; returns how many are Sets. */
static uint64_t
acknowledge_steps(struct device_store *hw, const struct plan *p)
{
	const struct topo *t = p->topo;
	uint64_t n = 0;

	for (size_t i = 0; i < p->nsteps; i++) {
		const struct plan_step *s = &p->step[i];
		struct device_at at =
			device_at_switch(t->node[t->port[s->port].node].guid,
				(enum device_attr)s->attr);

		if (plan_reads(s))
			continue;
		at.block = s->block;
		if (has_it(hw, at, p->payload[s->payload]))
			continue;
		device_put(hw, at, p->payload[s->payload]);
		n++;
	}
	return n;
}

/* ... and so are all writes of tables. */
static void
acknowledge_tables(struct device_store *hw, const struct topo *t,
	const struct transition_result *x)
{
	for (size_t i = 0; i < x->nwrites; i++)
		if (x->write[i].last)
			device_set_block(hw,
				t->node[t->sw[x->write[i].sw].node].guid,
				x->write[i].block, x->write[i].image);
	device_drained(hw);
}

/* The Sets that bring groups to those of r, beside this change of tables; one
 * that is NULL: nothing of them changes. */
static uint64_t
count_sets(const struct groups_preview_ask *ask, struct routes *r,
	const struct routes *from, struct transition_result *change)
{
	const struct transition_job still = {
		.to = r, .from = from, .hw = ask->hw, .max_stages = 1};
	const struct plan_adaptive want = {.enabled = r->sets != NULL,
		.by_lid = ask->by_lid,
		.settings = {.sls = ALL_SLS}};
	uint64_t n = 0;

	tell_choices(ask->hw, r);
	for (unsigned i = 0; i < PLANS; i++) {
		const struct plan_job job = {.routes = r,
			.change = change != NULL ? change
						 : transition_find(&still),
			.hw = ask->hw,
			.adaptive = &want};
		struct plan *p = plan_make_groups(&job);
		bool left = p->adaptive.left;

		n += acknowledge_steps(ask->hw, p);
		acknowledge_tables(ask->hw, r->topo, p->change);
		plan_free(p);
		change = NULL;
		if (!left)
			break;
	}
	return n;
}

static bool
holds_group(const struct device_store *hw, uint64_t guid, uint32_t n,
	const uint8_t *data)
{
	struct device_at at = device_at_switch(guid, DEVICE_AR_GROUP);

	for (at.block = 0; at.block < n; at.block++)
		if (has_it(hw, at, data))
			return true;
	return false;
}

/* A switch holds its groups of old, too, in slots that are not in use. */
static void
put_unused(
	struct device_store *hw, uint64_t guid, const struct snapshot_choice *c)
{
	struct device_at at = device_at_switch(guid, DEVICE_AR_GROUP);
	uint8_t data[MAD_DATA];
	uint32_t n;

	(void)device_blocks(hw, at, &n);
	for (size_t i = 0; i < c->nslots && n < c->can.groups; i++) {
		mad_ar_group_encode(&c->slot[i], data);
		at.block = n;
		if (holds_group(hw, guid, n, data))
			continue;
		device_put(hw, at, data);
		n++;
	}
}

void
groups_preview_before(const struct groups_preview_ask *ask)
{
	const struct snapshot *given = ask->given;

	if (ask->was->sets == NULL)
		return;
	(void)count_sets(ask, ask->was, ask->was, NULL);
	for (sw_ix s = 0; given != NULL && s < given->topo->nsw; s++)
		put_unused(ask->hw,
			given->topo->node[given->topo->sw[s].node].guid,
			&given->choice[s]);
}

uint64_t
groups_preview_count(
	const struct groups_preview_ask *ask, struct transition_result *change)
{
	return count_sets(ask, ask->is, ask->was, change);
}
