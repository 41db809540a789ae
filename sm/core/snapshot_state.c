#include "sm/core/snapshot_state.h"

#include "routing/driver/registry.h"
#include "sm/base/buf.h"

/* Either text is UTF-8: a configuration was read as such, a state is ASCII. */
static json_t *
text_of(const struct buf *b)
{
	return json_stringn(b->text != NULL ? b->text : "", b->n);
}

json_t *
snapshot_state_json(const struct sm *sm, const struct config *c, bool tables)
{
	struct buf config = {0}, state = {0}, cache = {0};
	json_t *o;

	config_publish(c, &config);
	state_keep_print(sm, &state);
	o = json_pack("{s:o, s:o, s:f}", "config", text_of(&config), "state",
		text_of(&state), "answer",
		(double)sm_xact_stats(sm)->answer.ns / 1e9);
	if (tables) {
		registry_print_state(sm_view(sm)->routes, &cache);
		(void)json_object_set_new(o, "memoir", text_of(&cache));
	}
	buf_free(&config);
	buf_free(&state);
	buf_free(&cache);
	return o;
}
