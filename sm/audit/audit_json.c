#include "sm/audit/audit_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/audit/findings.h"
#include "sm/policy/jobs.h"
#include "sm/report/fabric_counts.h"
#include "sm/report/hop_json.h"
#include "sm/report/json_util.h"
#include "sm/report/names.h"
#include "sm/what_if/plan_json.h"

/* ---- judging ---- */

/* The dependencies of tables and groups as if there were one VL. */
static struct audit_deps *
one_vl_dependencies(const struct audit_input *f, bool sure)
{
	const struct audit_mcast_job groups = {.t = f->topo,
		.mft = f->mft,
		.sa = audit_sa_client_facts(f->sa)};
	struct audit_deps *d = audit_dependencies_new(f->topo);
	struct audit_mcast_facts unused;

	audit_path_one_layer(f->topo, f->deps, sure, d);
	audit_mcast_judge(&groups, d, &unused);
	return d;
}

static uint32_t
count_cyclic(const struct audit_deps *d)
{
	struct audit_dependencies_verdict v;
	uint32_t cyclic;

	audit_dependencies_judge(d, false, &v);
	cyclic = v.cyclic;
	audit_dependencies_verdict_free(&v);
	return cyclic;
}

void
audit_json_one_vl(struct audit_input *f)
{
	struct audit_deps *d = one_vl_dependencies(f, true);

	f->one_vl = count_cyclic(d);
	audit_adaptive_sets_add(f->choices, f->routes, true, d);
	f->one_vl_choices = count_cyclic(d);
	audit_dependencies_free(d);
}

/* The same with what switches choose, VL by VL where that matters. */
static struct audit_deps *
choice_dependencies(const struct audit_input *f)
{
	const struct audit_path_job paths = {.r = f->routes,
		.vls = f->vls,
		.sa = f->sa,
		.choices = f->choices};
	const struct audit_mcast_job groups = {.t = f->topo,
		.mft = f->mft,
		.vls = f->vls,
		.sa = audit_sa_client_facts(f->sa)};
	const struct audit_vl_read_facts l = audit_vl_read_facts(f->vls);
	struct audit_mcast_facts unused_trees;
	struct audit_path_facts unused;
	struct audit_deps *d;

	if (l.vls <= 1) {
		bool sure = l.read > 0 || l.tables == 0;

		d = one_vl_dependencies(f, sure);
		audit_adaptive_sets_add(f->choices, f->routes, sure, d);
		return d;
	}
	d = audit_dependencies_new(f->topo);
	audit_path_walk(&paths, d, &unused);
	audit_mcast_judge(&groups, d, &unused_trees);
	return d;
}

static void
judge_dependencies(struct audit_judged *j)
{
	const struct audit_input *f = j->read;
	const struct audit_vl_read_facts l = audit_vl_read_facts(f->vls);
	const struct audit_sa_client_facts *sa = audit_sa_client_facts(f->sa);
	const struct audit_path_job paths = {
		.r = f->routes, .vls = f->vls, .sa = f->sa};
	const struct audit_mcast_job groups = {.t = f->topo,
		.mft = f->mft,
		.vls = j->by_vl ? f->vls : NULL,
		.sa = sa};

	j->deps = audit_dependencies_new(f->topo);
	if (l.vls > 1 || l.discards != 0)
		audit_path_walk(&paths, j->deps, &j->paths);
	if (!j->by_vl) {
		audit_dependencies_free(j->deps);
		j->deps = audit_dependencies_new(f->topo);
		audit_path_one_layer(
			f->topo, f->deps, l.read > 0 || l.tables == 0, j->deps);
	}
	audit_mcast_judge(&groups, j->deps, &j->groups);
	audit_dependencies_judge(j->deps, true, &j->sure);
	audit_dependencies_judge(j->deps, false, &j->all);
}

/* A cycle in words; "": there is none. */
static void
put_cycle_text(const struct topo *t, const struct audit_dependencies_verdict *v,
	char *out, size_t size)
{
	size_t n = 0;

	out[0] = '\0';
	for (uint32_t i = 0; i < v->len && n < size; i++) {
		const struct audit_dependencies_hop *h = &v->cycle[i];

		n += (size_t)snprintf(out + n, size - n, "%s%s port %u",
			i == 0 ? "" : " -> ",
			topo_name(t, t->sw[h->from].node).s, h->out);
	}
}

/*
 * The verifier assumes one VL, knows of no groups, and takes a path through a
 * switch that was not read for one that ends there: these parts of its report
 * are replaced by what holds for this fabric.
 */
static void
correct_report(struct audit_judged *j)
{
	struct verify_report *q = &j->found.report;
	const struct audit_dependencies_verdict *v =
		j->sure.cyclic > 0 ? &j->sure : &j->all;

	audit_unreachable_judge(j->read->routes, q->unreachable + q->loops > 0,
		&j->unreachable);
	if (j->unreachable.unseen > 0) {
		q->unreachable -= j->unreachable.unseen < q->unreachable
					  ? j->unreachable.unseen
					  : q->unreachable;
		(void)snprintf(
			q->first, sizeof(q->first), "%s", j->unreachable.lost);
	}
	q->vls = audit_vl_read_facts(j->read->vls).vls;
	q->cyclic_channels = v->cyclic;
	q->ok = q->unreachable == 0 && q->loops == 0 && v->cyclic == 0;
	if (q->unreachable + q->loops == 0)
		q->first[0] = '\0';
	put_cycle_text(j->read->topo, v, q->cycle, sizeof(q->cycle));
}

/* Channels on cycles beyond those of tables and groups of hosts; their cycle,
 * if there are any. */
static uint32_t
find_more_cycles(const struct audit_judged *j, const struct audit_deps *d,
	bool sure, struct audit_adaptive_facts *c)
{
	uint32_t known = sure ? j->sure.cyclic : j->all.cyclic, more;
	struct audit_dependencies_verdict v;

	audit_dependencies_judge(d, sure, &v);
	more = v.cyclic > known ? v.cyclic - known : 0;
	if (more > 0)
		put_cycle_text(j->read->topo, &v, c->cycle, sizeof(c->cycle));
	audit_dependencies_verdict_free(&v);
	return more;
}

/* Adaptive groups, beside the tables and beside multicast. */
static void
judge_choices(struct audit_judged *j)
{
	const struct audit_input *f = j->read;
	struct audit_adaptive_facts *c = &j->choices;
	struct audit_deps *d;

	audit_adaptive_sets_judge(
		f->choices, f->routes, f->deps, jobs_threads(f->cfg), c);
	/* without a cycle on one VL there is none on several */
	if (c->switches == 0 || f->one_vl_choices == 0)
		return;
	d = choice_dependencies(f);
	c->cyclic = find_more_cycles(j, d, false, c);
	c->sure = find_more_cycles(j, d, true, c);
	audit_dependencies_free(d);
}

static void
judge_fabric(struct audit_judged *j)
{
	const struct audit_input *f = j->read;
	const struct forecast_job job = {.cfg = f->cfg, .pool = f->pool};

	forecast_route(&job, f->topo, NULL, &j->ours);
	/* loads are by rank, and the other manager gives none */
	if (j->ours.routes != NULL)
		memcpy(f->routes->rank, j->ours.routes->rank,
			f->topo->nsw * sizeof(*f->routes->rank));
	forecast_judge(&job, f->routes, &j->found);
	j->by_vl = audit_vl_read_facts(f->vls).vls > 1 && f->one_vl > 0;
	judge_dependencies(j);
	correct_report(j);
	judge_choices(j);
}

/* ---- as JSON ---- */

/* The ports with IsSM set. */
static json_t *
managers_json(const struct topo *t)
{
	json_t *list = json_array();

	for (port_ix p = 0; p < t->nports; p++)
		if (t->port[p].flags & TP_IS_SM)
			json_util_append(list,
				M("guid", names_guid(t->port[p].guid)),
				M("name", names_node_desc(t, t->port[p].node)));
	return list;
}

static json_t *
sl2vl_json(const struct audit_input *f)
{
	const struct audit_vl_read_facts l = audit_vl_read_facts(f->vls);

	return json_util_object(M("tables", l.tables), M("maps_read", l.read),
		M("maps_refused", l.refused), M("kinds", l.kinds),
		M("vls", l.vls),
		M("discarding", json_boolean(l.discards != 0)));
}

static json_t *
sa_json(const struct audit_judged *j)
{
	static const char *const extent[] = {[AUDIT_SA_CLIENT_NONE] = "none",
		[AUDIT_SA_CLIENT_EVERY] = "every host",
		[AUDIT_SA_CLIENT_SWITCH] = "one host on every switch",
		[AUDIT_SA_CLIENT_SOME] = "one host on some switches"};
	const struct audit_sa_client_facts *sa =
		audit_sa_client_facts(j->read->sa);
	json_t *o = json_object(), *sls = json_array();

	for (unsigned sl = 0; sl < 16; sl++)
		if (sa->sls >> sl & 1)
			json_util_add(sls, json_util_u64(sl));
	json_util_put(o, M("answers", sa->answers),
		M("questions", sa->questions), M("groups", sa->ngroups),
		M("asked", extent[sa->extent]), M("sources", sa->sources),
		M("sources_answered", sa->answered), M("paths", sa->records),
		M("sls", sls), M("pairs_told", j->paths.told),
		M("pairs_assumed", j->paths.assumed),
		M("why", names_text(sa->why)));
	return o;
}

static json_t *
groups_json(const struct audit_mcast_facts *g)
{

	return json_util_object(M("trees", g->trees), M("ports", g->ports),
		M("loops", g->loops.n), M("parted", g->disconnected.n),
		M("copies", g->copies.n), M("without_tree", g->none.n),
		M("dead_entries", g->dead.n), M("left_over", g->unowned.n));
}

static json_t *
choices_json(const struct audit_adaptive_facts *c)
{

	return json_util_object(M("switches", c->switches),
		M("unread", c->unread), M("entries", c->choices),
		M("pairs", c->judged.choices), M("ports", c->judged.options),
		M("ok", json_boolean(audit_adaptive_is_safe(c))),
		M("why", names_text(audit_adaptive_why(c))),
		M("cyclic", c->cyclic), M("mixed", c->mixed),
		M("no_group", c->no_group.n), M("no_link", c->no_link.n),
		M("away", c->away.n), M("other_default", c->other_default.n));
}

static json_t *
cycle_json(const struct topo *t, const struct audit_dependencies_verdict *v)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < v->len; i++) {
		const struct audit_dependencies_hop *h = &v->cycle[i];
		json_t *o = json_object();

		hop_json_switch(o, t, h->from);
		json_util_put(o, M("port", h->out),
			M("peer", names_node_desc(t, t->sw[h->to].node)),
			M("peer_port", h->in), M("vl", h->vl),
			M("sl", h->why.sl), M("lid", h->why.lid));
		json_util_add(list, o);
	}
	return list;
}

static json_t *
dependencies_json(const struct audit_judged *j)
{

	return json_util_object(M("channels", j->all.channels),
		M("count", j->all.deps), M("count_sure", j->sure.deps),
		M("cyclic", j->all.cyclic), M("cyclic_sure", j->sure.cyclic),
		M("cyclic_on_one_vl", j->read->one_vl),
		M("cycle", cycle_json(j->read->topo,
				   j->sure.cyclic > 0 ? &j->sure : &j->all)));
}

/* Sets are counted where they would be sent; the guard sends none. */
static json_t *
wire_json(const struct audit_judged *j)
{
	const struct xact_stats *x = j->read->wire;
	uint64_t n = j->read->held;

	for (size_t i = 0; i < 64; i++)
		n += x->by_attr[i][1];
	return json_util_object(M("sent", x->sent),
		M("unanswered", x->timeouts),
		M("to_sa", audit_sa_client_facts(j->read->sa)->questions),
		M("sets", n));
}

static void
put_verdict(json_t *o, enum audit_verdict v, const char *what)
{
	struct buf text = {0};

	buf_printf(&text, "%s: %s", audit_verdict_word(v), what);
	json_util_put(o, M("verdict", audit_verdict_word(v)),
		M("text", names_text(text.text)));
	buf_free(&text);
}

static enum audit_verdict
put_findings(struct audit_judged *j, json_t *o)
{
	json_t *list = audit_findings(j);
	struct buf what = {0};
	enum audit_verdict v = audit_verdict_of(j, list, &what);

	put_verdict(o, v, what.text);
	buf_free(&what);
	json_util_put(
		o, M("findings", list), M("better", audit_findings_better(j)));
	return v;
}

json_t *
audit_json_failed(const char *why)
{
	json_t *o = json_object();
	struct buf what = {0};

	buf_printf(&what, "the fabric could not be read: %s", why);
	put_verdict(o, AUDIT_VERDICT_UNKNOWN, what.text);
	buf_free(&what);
	return o;
}

json_t *
audit_json_make(const struct audit_input *f, enum audit_verdict *v)
{
	struct audit_judged j = {.read = f};
	json_t *o = json_object();

	judge_fabric(&j);
	*v = put_findings(&j, o);
	json_util_put(o, M("fabric", fabric_counts_json(f->topo)),
		M("managers", managers_json(f->topo)),
		M("lids",
			json_util_object(M("highest", f->topo->max_lid),
				M("missing", f->no_lid), M("bad", f->bad_lid))),
		M("blocks_unread", f->unread), M("sl2vl", sl2vl_json(f)),
		M("sa", sa_json(&j)), M("groups", groups_json(&j.groups)),
		M("dependencies", dependencies_json(&j)),
		M("choices", choices_json(&j.choices)),
		M("found", plan_json_forecast(&j.found)),
		M("heddle", plan_json_forecast(&j.ours)),
		M("wire", wire_json(&j)));
	audit_dependencies_verdict_free(&j.sure);
	audit_dependencies_verdict_free(&j.all);
	audit_dependencies_free(j.deps);
	forecast_free(&j.ours);
	forecast_free(&j.found);
	return o;
}
