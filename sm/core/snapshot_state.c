#include "sm/core/snapshot_state.h"

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
	struct buf config = {0}, state = {0};
	json_t *o;

	config_publish(c, &config);
	state_keep_print(sm, &state);
	o = json_pack("{s:o, s:o, s:b, s:f}", "config", text_of(&config),
		"state", text_of(&state), "tables", tables, "answer",
		(double)sm_xact_stats(sm)->answer.ns / 1e9);
	buf_free(&config);
	buf_free(&state);
	return o;
}
