#include "sm/report/change_json.h"

#include <string.h>

#include "sm/report/json_util.h"
#include "sm/report/loss_json.h"
#include "sm/report/names.h"

static json_t *
phases_json(const struct view_change *c)
{
	json_t *list = json_array();

	for (size_t i = 0; i < c->nphases; i++)
		(void)json_array_append_new(
			list, json_pack("{s:s, s:i, s:I, s:b}", "what",
				      c->phase[i].what, "stage",
				      (int)c->phase[i].stage, "smps",
				      (json_int_t)c->phase[i].smps, "drain",
				      c->phase[i].drain));
	return list;
}

static json_t *
turns_json(const struct view *v)
{
	const struct view_change *c = &v->change;
	json_t *list = json_array();

	for (size_t i = 0; i < c->nturns; i++) {
		const struct view_turn *u = &c->turn[i];
		node_ix n = topo_by_node_guid(v->topo, u->guid);

		(void)json_array_append_new(list,
			json_pack("{s:o, s:o, s:i, s:i, s:b, s:I}", "switch",
				words_guid(u->guid), "name",
				n != TOPO_NONE ? words_name(v->topo, n)
					       : json_string(""),
				"in", u->in, "out", u->out, "port", u->by_port,
				"pairs", (json_int_t)u->pairs));
	}
	return list;
}

json_t *
change_json(const struct view *v, double rate)
{
	const struct view_change *c = &v->change;
	const struct expect *e = view_expected(v);
	json_t *o = json_object();

	member_put(o, "method", words_text(c->method));
	member_put(o, "way", words_text(c->way));
	member_put(o, "cause", words_text(c->cause));
	member_put(o, "stale", words_text(c->stale));
	member_put(o, "stay_closed", member_u64(c->nstays));
	member_put(o, "stages", member_u64(c->stages));
	member_put(o, "entries", member_u64(c->entries));
	member_put(o, "blocks", member_u64(c->blocks));
	member_put(o, "kept", member_u64(c->kept));
	member_put(o, "smps", member_u64(c->smps));
	member_put(o, "dependencies", member_u64(c->mixed_edges));
	member_put(o, "cyclic", member_u64(c->cyclic));
	member_put(o, "unread", member_u64(c->unread));
	member_put(o, "pairs_cut", member_u64(c->pairs));
	member_put(o, "packets_cut", member_u64(expected_cut(e, rate)));
	member_put(o, "pairs_cut_paper", member_u64(c->paper_pairs));
	member_put(o, "mismatched_ports", member_u64(c->mismatched_ports));
	member_put(o, "phases", phases_json(c));
	member_put(o, "blocked", turns_json(v));
	member_put(o, "expected", expected_json(e, rate));
	return o;
}

struct answer *
change_answer(json_t *request, const struct view *v)
{
	const char *cmd, *what;
	double rate = EXPECT_RATE;
	json_error_t err;
	json_t *o;

	if (json_unpack_ex(request, &err, 0, "{s:s, s:s, s?F !}", "cmd", &cmd,
		    "what", &what, "rate", &rate) != 0)
		return answer_error("bad-argument", err.text);
	if (strcmp(what, "change") != 0)
		return answer_error(
			"bad-argument", "there is only a change to explain");
	o = change_json(v, rate);
	member_put(o, "generation", member_u64(v->generation));
	member_put(o, "because", words_text(v->cause));
	member_put(o, "push", json_real(mono_seconds(v->times.push)));
	return answer_result(o);
}
