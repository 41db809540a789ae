#include "sm/core/snapshot_state.h"

#include "distribution/device/adaptive_can.h"
#include "sm/base/buf.h"
#include "sm/core/sm_priv.h"

/* Either text is UTF-8: a configuration was read as such, a state is ASCII. */
static json_t *
text_of(const struct buf *b)
{
	return json_stringn(b->text != NULL ? b->text : "", b->n);
}

/* The groups that a switch holds, in use or not: the words of their ports, one
 * group after the other. */
static json_t *
slots_json(const struct sm *sm, uint64_t guid)
{
	uint32_t n;
	const lft_ref *block = device_blocks(
		sm->hw, device_at_switch(guid, DEVICE_AR_GROUP), &n);
	json_t *list = json_array();

	for (uint32_t i = 0; i < n; i++) {
		struct mad_ar_group g;

		if (block[i] == DEVICE_UNKNOWN)
			continue;
		mad_ar_group_decode(
			device_value(sm->hw, DEVICE_AR_GROUP, block[i]), &g);
		for (unsigned k = 0; k < MAD_AR_SUB_GROUPS * ROUTE_SET_WORDS;
			k++)
			(void)json_array_append_new(list,
				json_integer(
					(json_int_t)
						g.port[k / ROUTE_SET_WORDS]
						      [k % ROUTE_SET_WORDS]));
	}
	return list;
}

/* What each switch of the view can do, whatever is configured. */
static json_t *
choices_json(const struct sm *sm)
{
	const struct topo *t = sm_view(sm)->topo;
	json_t *list = json_array();
	struct adaptive_can can;

	for (sw_ix s = 0; s < t->nsw; s++) {
		adaptive_can_of(sm->hw, t, s, false, &can);
		(void)json_array_append_new(list,
			json_pack("{s:i, s:i, s:b, s:s, s:o}", "kind",
				can.choice.kind, "groups", can.choice.groups,
				"by_sl", can.by_sl, "why", can.why, "slots",
				slots_json(sm, t->node[t->sw[s].node].guid)));
	}
	return list;
}

json_t *
snapshot_state_json(const struct sm *sm, const struct config *c, bool tables)
{
	struct buf config = {0}, state = {0};
	json_t *o;

	config_publish(c, &config);
	state_keep_print(sm, &state);
	o = json_pack("{s:o, s:o, s:b, s:f}", "config", text_of(&config),
		"state", text_of(&state), "tables", tables, "answer",
		(double)sm_xact_stats(sm)->answer.ns / 1e9);
	if (tables)
		(void)json_object_set_new(o, "choices", choices_json(sm));
	buf_free(&config);
	buf_free(&state);
	return o;
}
