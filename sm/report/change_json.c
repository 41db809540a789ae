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
dependencies_json(const struct view *v)
{
	const struct view_change *c = &v->change;
	json_t *list = json_array();

	for (size_t i = 0; i < c->ndeps; i++) {
		const struct view_dependency *u = &c->dep[i];
		node_ix n = topo_by_node_guid(v->topo, u->guid);

		(void)json_array_append_new(list,
			json_pack("{s:o, s:o, s:i, s:i, s:b, s:I}", "switch",
				names_guid(u->guid), "name",
				n != TOPO_NONE ? names_node_desc(v->topo, n)
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
	const struct loss_estimate *e = view_expected(v);
	json_t *o = json_object();

	json_util_put(o, "method", names_text(c->method));
	json_util_put(o, "kind", names_text(c->kind));
	json_util_put(o, "cause", names_text(c->cause));
	json_util_put(o, "ports_down",
		names_text(c->ports_down != NULL ? c->ports_down : ""));
	json_util_put(o, "stale", names_text(c->stale));
	json_util_put(o, "stay_blocked", json_util_u64(c->nstays));
	json_util_put(o, "stages", json_util_u64(c->stages));
	json_util_put(o, "entries", json_util_u64(c->entries));
	json_util_put(o, "blocks", json_util_u64(c->blocks));
	json_util_put(o, "kept", json_util_u64(c->kept));
	json_util_put(o, "smps", json_util_u64(c->smps));
	json_util_put(o, "dependencies", json_util_u64(c->mixed_edges));
	json_util_put(o, "cyclic", json_util_u64(c->cyclic));
	json_util_put(o, "unread", json_util_u64(c->unread));
	json_util_put(o, "pairs_cut", json_util_u64(c->pairs));
	json_util_put(
		o, "packets_cut", json_util_u64(loss_by_blocking(e, rate)));
	json_util_put(o, "pairs_cut_paper", json_util_u64(c->paper_pairs));
	json_util_put(
		o, "mismatched_ports", json_util_u64(c->mismatched_ports));
	json_util_put(o, "phases", phases_json(c));
	json_util_put(o, "blocked", dependencies_json(v));
	json_util_put(o, "expected", loss_json(e, rate));
	return o;
}

struct answer *
change_answer(json_t *request, const struct view *v)
{
	const char *cmd, *what;
	double rate = LOSS_ESTIMATE_RATE;
	json_error_t err;
	json_t *o;

	if (json_unpack_ex(request, &err, 0, "{s:s, s:s, s?F !}", "cmd", &cmd,
		    "what", &what, "rate", &rate) != 0)
		return answer_error("bad-argument", err.text);
	if (strcmp(what, "change") != 0)
		return answer_error("bad-argument",
			"explain: 'what' is 'change' or 'partitions'");
	if (v->read_only)
		return answer_error(
			"refused", "standing by: a standby changes nothing");
	o = change_json(v, rate);
	json_util_put(o, "generation", json_util_u64(v->generation));
	json_util_put(o, "because", names_text(v->cause));
	json_util_put(o, "push", json_real(mono_seconds(v->times.push)));
	return answer_result(o);
}
