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

/* Everything that is judged, before it becomes JSON. */
struct judged {
	const struct audit_input *read;
	struct forecast found, ours;
	struct audit_deps *deps;
	struct audit_path_facts paths;
	struct audit_mcast_facts groups;
	struct audit_dependencies_verdict sure, all;
	struct audit_unreachable_facts unreachable;
	struct audit_adaptive_facts choices;
	bool by_vl; /* whether there is a credit loop depends on VLs */
};

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
judge_dependencies(struct judged *j)
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
correct_report(struct judged *j)
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
find_more_cycles(const struct judged *j, const struct audit_deps *d, bool sure,
	struct audit_adaptive_facts *c)
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
judge_choices(struct judged *j)
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
judge_fabric(struct judged *j)
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
			(void)json_array_append_new(list,
				json_pack("{s:o, s:o}", "guid",
					names_guid(t->port[p].guid), "name",
					names_node_desc(t, t->port[p].node)));
	return list;
}

static json_t *
sl2vl_json(const struct audit_input *f)
{
	const struct audit_vl_read_facts l = audit_vl_read_facts(f->vls);
	json_t *o = json_object();

	json_util_put(o, "tables", json_util_u64(l.tables));
	json_util_put(o, "maps_read", json_util_u64(l.read));
	json_util_put(o, "maps_refused", json_util_u64(l.refused));
	json_util_put(o, "kinds", json_util_u64(l.kinds));
	json_util_put(o, "vls", json_util_u64(l.vls));
	json_util_put(o, "discarding", json_boolean(l.discards != 0));
	return o;
}

static json_t *
sa_json(const struct judged *j)
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
			(void)json_array_append_new(sls, json_util_u64(sl));
	json_util_put(o, "answers", json_boolean(sa->answers));
	json_util_put(o, "questions", json_util_u64(sa->questions));
	json_util_put(o, "groups", json_util_u64(sa->ngroups));
	json_util_put(o, "asked", json_string(extent[sa->extent]));
	json_util_put(o, "sources", json_util_u64(sa->sources));
	json_util_put(o, "sources_answered", json_util_u64(sa->answered));
	json_util_put(o, "paths", json_util_u64(sa->records));
	json_util_put(o, "sls", sls);
	json_util_put(o, "pairs_told", json_util_u64(j->paths.told));
	json_util_put(o, "pairs_assumed", json_util_u64(j->paths.assumed));
	json_util_put(o, "why", names_text(sa->why));
	return o;
}

static json_t *
groups_json(const struct audit_mcast_facts *g)
{
	json_t *o = json_object();

	json_util_put(o, "trees", json_util_u64(g->trees));
	json_util_put(o, "ports", json_util_u64(g->ports));
	json_util_put(o, "loops", json_util_u64(g->loops.n));
	json_util_put(o, "parted", json_util_u64(g->disconnected.n));
	json_util_put(o, "copies", json_util_u64(g->copies.n));
	json_util_put(o, "without_tree", json_util_u64(g->none.n));
	json_util_put(o, "dead_entries", json_util_u64(g->dead.n));
	json_util_put(o, "left_over", json_util_u64(g->unowned.n));
	return o;
}

static json_t *
choices_json(const struct audit_adaptive_facts *c)
{
	json_t *o = json_object();

	json_util_put(o, "switches", json_util_u64(c->switches));
	json_util_put(o, "unread", json_util_u64(c->unread));
	json_util_put(o, "entries", json_util_u64(c->choices));
	json_util_put(o, "pairs", json_util_u64(c->judged.choices));
	json_util_put(o, "ports", json_util_u64(c->judged.options));
	json_util_put(o, "ok", json_boolean(audit_adaptive_is_safe(c)));
	json_util_put(o, "why", names_text(audit_adaptive_why(c)));
	json_util_put(o, "cyclic", json_util_u64(c->cyclic));
	json_util_put(o, "mixed", json_boolean(c->mixed));
	json_util_put(o, "no_group", json_util_u64(c->no_group.n));
	json_util_put(o, "no_link", json_util_u64(c->no_link.n));
	json_util_put(o, "away", json_util_u64(c->away.n));
	json_util_put(o, "other_default", json_util_u64(c->other_default.n));
	return o;
}

static json_t *
cycle_json(const struct topo *t, const struct audit_dependencies_verdict *v)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < v->len; i++) {
		const struct audit_dependencies_hop *h = &v->cycle[i];
		json_t *o = json_object();

		hop_json_switch(o, t, h->from);
		json_util_put(o, "port", json_util_u64(h->out));
		json_util_put(o, "peer", names_node_desc(t, t->sw[h->to].node));
		json_util_put(o, "peer_port", json_util_u64(h->in));
		json_util_put(o, "vl", json_util_u64(h->vl));
		json_util_put(o, "sl", json_util_u64(h->why.sl));
		json_util_put(o, "lid", json_util_u64(h->why.lid));
		(void)json_array_append_new(list, o);
	}
	return list;
}

static json_t *
dependencies_json(const struct judged *j)
{
	json_t *o = json_object();

	json_util_put(o, "channels", json_util_u64(j->all.channels));
	json_util_put(o, "count", json_util_u64(j->all.deps));
	json_util_put(o, "count_sure", json_util_u64(j->sure.deps));
	json_util_put(o, "cyclic", json_util_u64(j->all.cyclic));
	json_util_put(o, "cyclic_sure", json_util_u64(j->sure.cyclic));
	json_util_put(o, "cyclic_on_one_vl", json_util_u64(j->read->one_vl));
	json_util_put(o, "cycle",
		cycle_json(j->read->topo,
			j->sure.cyclic > 0 ? &j->sure : &j->all));
	return o;
}

static json_t *
lids_json(const struct audit_input *f)
{
	json_t *o = json_object();

	json_util_put(o, "highest", json_util_u64(f->topo->max_lid));
	json_util_put(o, "missing", json_util_u64(f->no_lid));
	json_util_put(o, "bad", json_util_u64(f->bad_lid));
	return o;
}

/* Sets are counted where they would be sent; the guard sends none. */
static json_t *
wire_json(const struct judged *j)
{
	const struct xact_stats *x = j->read->wire;
	uint64_t n = j->read->held;

	for (size_t i = 0; i < 64; i++)
		n += x->by_attr[i][1];
	return json_pack("{s:o, s:o, s:o, s:o}", "sent", json_util_u64(x->sent),
		"unanswered", json_util_u64(x->timeouts), "to_sa",
		json_util_u64(audit_sa_client_facts(j->read->sa)->questions),
		"sets", json_util_u64(n));
}

static void
put_verdict(json_t *o, enum audit_verdict v, const char *what)
{
	struct buf text = {0};

	buf_printf(&text, "%s: %s", audit_verdict_word(v), what);
	json_util_put(o, "verdict", json_string(audit_verdict_word(v)));
	json_util_put(o, "text", names_text(text.text));
	buf_free(&text);
}

static enum audit_verdict
put_findings(struct judged *j, json_t *o)
{
	const struct audit_findings_in in = {.read = j->read,
		.found = &j->found,
		.ours = &j->ours,
		.paths = &j->paths,
		.groups = &j->groups,
		.unreachable = &j->unreachable,
		.choices = &j->choices,
		.sure = &j->sure,
		.all = &j->all,
		.by_vl = j->by_vl};
	json_t *list = audit_findings(&in);
	struct buf what = {0};
	enum audit_verdict v = audit_verdict_of(&in, list, &what);

	put_verdict(o, v, what.text);
	buf_free(&what);
	json_util_put(o, "findings", list);
	json_util_put(o, "better", audit_findings_better(&in));
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
	struct judged j = {.read = f};
	json_t *o = json_object();

	judge_fabric(&j);
	*v = put_findings(&j, o);
	json_util_put(o, "fabric", fabric_counts_json(f->topo));
	json_util_put(o, "managers", managers_json(f->topo));
	json_util_put(o, "lids", lids_json(f));
	json_util_put(o, "blocks_unread", json_util_u64(f->unread));
	json_util_put(o, "sl2vl", sl2vl_json(f));
	json_util_put(o, "sa", sa_json(&j));
	json_util_put(o, "groups", groups_json(&j.groups));
	json_util_put(o, "dependencies", dependencies_json(&j));
	json_util_put(o, "choices", choices_json(&j.choices));
	json_util_put(o, "found", plan_json_forecast(&j.found));
	json_util_put(o, "heddle", plan_json_forecast(&j.ours));
	json_util_put(o, "wire", wire_json(&j));
	audit_dependencies_verdict_free(&j.sure);
	audit_dependencies_verdict_free(&j.all);
	audit_dependencies_free(j.deps);
	forecast_free(&j.ours);
	forecast_free(&j.found);
	return o;
}
