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
			json_pack("{s:i, s:i, s:b, s:s}", "kind",
				can.choice.kind, "groups", can.choice.groups,
				"by_sl", can.by_sl, "why", can.why));
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
