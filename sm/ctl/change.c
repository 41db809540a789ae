#include "sm/ctl/change.h"

#include <string.h>

#include "sm/ctl/words.h"

static void
put(json_t *o, const char *key, json_t *v)
{
	(void)json_object_set_new(o, key, v);
}

static json_t *
u64(uint64_t v)
{
	return json_integer((json_int_t)v);
}

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
change_json(const struct view *v)
{
	const struct view_change *c = &v->change;
	json_t *o = json_object();

	put(o, "method", words_text(c->method));
	put(o, "way", words_text(c->way));
	put(o, "cause", words_text(c->cause));
	put(o, "stages", u64(c->stages));
	put(o, "entries", u64(c->entries));
	put(o, "blocks", u64(c->blocks));
	put(o, "kept", u64(c->kept));
	put(o, "smps", u64(c->smps));
	put(o, "dependencies", u64(c->mixed_edges));
	put(o, "cyclic", u64(c->cyclic));
	put(o, "unread", u64(c->unread));
	put(o, "pairs_cut", u64(c->pairs));
	put(o, "pairs_cut_paper", u64(c->paper_pairs));
	put(o, "mismatched_ports", u64(c->mismatched_ports));
	put(o, "phases", phases_json(c));
	put(o, "blocked", turns_json(v));
	return o;
}

struct answer *
change_answer(json_t *request, const struct view *v)
{
	const char *cmd, *what;
	json_error_t err;
	json_t *o;

	if (json_unpack_ex(request, &err, 0, "{s:s, s:s !}", "cmd", &cmd,
		    "what", &what) != 0)
		return answer_error("bad-argument", err.text);
	if (strcmp(what, "change") != 0)
		return answer_error(
			"bad-argument", "there is only a change to explain");
	o = change_json(v);
	put(o, "generation", u64(v->generation));
	put(o, "because", words_text(v->cause));
	put(o, "push", json_real(mono_seconds(v->times.push)));
	return answer_result(o);
}
