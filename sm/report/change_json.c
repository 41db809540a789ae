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
		json_util_append(list, M("what", c->phase[i].what),
			M("stage", c->phase[i].stage),
			M("smps", c->phase[i].smps),
			M("drain", c->phase[i].drain));
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

		json_util_append(list, M("switch", names_guid(u->guid)),
			M("name", n != TOPO_NONE ? names_node_desc(v->topo, n)
						 : json_string("")),
			M("in", u->in), M("out", u->out), M("port", u->by_port),
			M("pairs", u->pairs));
	}
	return list;
}

json_t *
change_json(const struct view *v, double rate)
{
	const struct view_change *c = &v->change;
	const struct loss_estimate *e = view_expected(v);

	return json_util_object(M("method", names_text(c->method)),
		M("kind", names_text(c->kind)),
		M("cause", names_text(c->cause)),
		M("ports_down",
			names_text(c->ports_down != NULL ? c->ports_down : "")),
		M("stale", names_text(c->stale)), M("stay_blocked", c->nstays),
		M("stages", c->stages), M("entries", c->entries),
		M("blocks", c->blocks), M("kept", c->kept), M("smps", c->smps),
		M("dependencies", c->mixed_edges), M("cyclic", c->cyclic),
		M("unread", c->unread), M("pairs_cut", c->pairs),
		M("packets_cut", loss_by_blocking(e, rate)),
		M("pairs_cut_paper", c->paper_pairs),
		M("mismatched_ports", c->mismatched_ports),
		M("phases", phases_json(c)), M("blocked", dependencies_json(v)),
		M("expected", loss_json(e, rate)));
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
	json_util_put(o, M("generation", v->generation),
		M("because", names_text(v->cause)),
		M("push", mono_seconds(v->times.push)));
	return answer_result(o);
}
