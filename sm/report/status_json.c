#include "sm/report/status_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sm/base/file.h"
#include "sm/base/mem.h"
#include "sm/base/version.h"
#include "sm/mad/mad.h"
#include "sm/policy/qos.h"
#include "sm/report/adaptive_json.h"
#include "sm/report/change_json.h"
#include "sm/report/drains_json.h"
#include "sm/report/events_json.h"
#include "sm/report/fabric_counts.h"
#include "sm/report/json_util.h"
#include "sm/report/links_json.h"
#include "sm/report/names.h"
#include "sm/report/page.h"
#include "sm/report/partition_json.h"
#include "sm/report/qos_json.h"
#include "sm/report/redundancy_json.h"
#include "sm/report/standby_json.h"
#include "sm/report/tree_json.h"
#include "sm/report/verify_json.h"

/* Unreachable ports listed in a status; the count is always complete. */
enum { UNREACHABLE_LISTED = 100 };

/* Missing and degraded links in a status; the command links lists all. */
enum { LINKS_LISTED = 5 };

/* ---- counts of a view ---- */

/* Ports with LIDs that SMPs and SA packets of this port cannot reach without
 * passing a quarantined switch: their number, and the first ones appended to
 * list. */
static unsigned
count_unreachable(const struct topo *t, json_t *list)
{
	sw_ix *piece = mem_alloc((t->nsw + 1U) * sizeof(*piece));
	sw_ix own = topo_switch_of(t, t->sm_port);
	unsigned n = 0;

	(void)topo_pieces(t, piece);
	own = own != TOPO_NONE ? piece[own] : TOPO_NONE;
	for (port_ix p = 0; p < t->nports && t->nsw > 0; p++) {
		sw_ix s;

		if (!topo_has_lid(t, p))
			continue;
		s = topo_switch_of(t, p);
		if (p == t->sm_port ||
			(s != TOPO_NONE && own != TOPO_NONE && piece[s] == own))
			continue;
		if (n++ >= UNREACHABLE_LISTED || list == NULL)
			continue;
		(void)json_array_append_new(list,
			json_pack("{s:o, s:i, s:i, s:o}", "guid",
				names_guid(t->port[p].guid), "port",
				t->port[p].num, "lid", t->port[p].lid, "name",
				names_node_desc(t, t->port[p].node)));
	}
	free(piece);
	return n;
}

/* ---- JSON ---- */

static json_t *
lids_json(const struct status_facts *f)
{
	const struct config_lids *range = &f->config->fabric.lids;
	const struct view *v = f->view;
	struct fabric_counts c = fabric_counts_of(v->topo);
	int room = (int)(range->last - range->first + 1);

	return json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:o}",
		"first", (int)range->first, "last", (int)range->last, "ports",
		(int)c.owners, "used", (int)c.lids, "free", room - (int)c.lids,
		"highest", v->topo->max_lid, "new", (int)v->counts.lids_new,
		"moved", (int)v->counts.lids_moved, "conflict",
		names_text(v->lid_conflict));
}

/* The verdict on the routes, and how many switches may not forward by them. */
static json_t *
verified_json(const struct view *v)
{
	const struct verify_report *r = &v->routes->report;
	json_t *o = json_object();

	json_util_put(o, "ok", json_boolean(r->ok));
	json_util_put(o, "pairs", json_util_u64(r->pairs));
	json_util_put(o, "unreachable", json_util_u64(r->unreachable));
	json_util_put(o, "loops", json_util_u64(r->loops));
	json_util_put(o, "cut_off", json_util_u64(r->cut_off));
	json_util_put(o, "cyclic_channels", json_util_u64(r->cyclic_channels));
	json_util_put(o, "layers", json_util_u64(r->layers));
	json_util_put(o, "vls", json_util_u64(r->vls));
	json_util_put(o, "load_max", json_util_u64(r->load_max));
	json_util_put(o, "load_mean", json_real(r->load_mean));
	json_util_put(o, "hops_max", json_util_u64(r->hops_max));
	json_util_put(o, "hops_mean", json_real(r->hops_mean));
	json_util_put(o, "except", json_util_u64(v->nadaptive));
	return o;
}

static json_t *
counts_json(const struct view_counts *c)
{
	json_t *o = json_object();

	json_util_put(o, "smps", json_util_u64(c->smps));
	json_util_put(o, "lft_blocks", json_util_u64(c->lft_blocks));
	json_util_put(o, "lft_reads", json_util_u64(c->lft_reads));
	json_util_put(o, "other_sets", json_util_u64(c->other_sets));
	json_util_put(o, "failed_sets", json_util_u64(c->failed_sets));
	json_util_put(o, "ports_active", json_util_u64(c->ports_active));
	json_util_put(o, "ports_linked", json_util_u64(c->ports_linked));
	return o;
}

static json_t *
health_json(const struct status_facts *f)
{
	const struct links_facts links = {.t = f->view->topo,
		.health = f->health,
		.watches = f->watches,
		.now = f->now};
	json_t *o = links_health_json(&links);

	json_util_put(o, "port_metrics",
		json_boolean(f->config->health.enabled &&
			     f->config->health.port_metrics));
	return o;
}

static void
add_view(json_t *o, const struct status_facts *f)
{
	const struct view *v = f->view;
	const struct view_times *t = &v->times;
	json_t *list = json_array();

	json_util_put(o, "generation", json_util_u64(v->generation));
	standby_json_put(o, v);
	json_util_put(o, "cause", names_text(v->cause));
	json_util_put(
		o, "age", json_real(mono_seconds(mono_sub(f->now, v->when))));
	json_util_put(o, "engine", names_text(v->story.engine));
	json_util_put(o, "fallback", json_boolean(v->story.fallback));
	json_util_put(o, "rebalanced", json_boolean(v->story.rebalanced));
	json_util_put(o, "attempts", json_util_u64(v->story.attempts));
	json_util_put(o, "tried", names_text(v->story.tried));
	json_util_put(o, "order", standby_json_order(v));
	json_util_put(o, "fabric", fabric_counts_json(v->topo));
	json_util_put(o, "missing",
		events_missing_json(f->events, v->topo, LINKS_LISTED, f->now));
	json_util_put(
		o, "degraded", links_degraded_json(v->topo, LINKS_LISTED));
	json_util_put(o, "health", health_json(f));
	json_util_put(o, "lids", lids_json(f));
	json_util_put(o, "tree", tree_json(v, TREE_JSON_FIRST));
	json_util_put(o, "multi_port", redundancy_json_all(v));
	json_util_put(o, "verified", verified_json(v));
	qos_json_layers(o, v->qos != NULL ? v->qos->cfg : NULL, v->routes);
	json_util_put(o, "times",
		json_pack("{s:f, s:f, s:f, s:f, s:f}", "discover",
			mono_seconds(t->discover), "readback",
			mono_seconds(t->readback), "route",
			mono_seconds(t->route), "push", mono_seconds(t->push),
			"total", mono_seconds(t->total)));
	json_util_put(o, "counts", counts_json(&v->counts));
	json_util_put(o, "change", change_json(v, LOSS_ESTIMATE_RATE));
	json_util_put(o, "partitions", partition_json(v, f->sm->keys));
	json_util_put(o, "qos", qos_json(v));
	json_util_put(o, "quarantined",
		adaptive_json_troubled(v, v->quarantine, v->nquarantine));
	json_util_put(o, "foreign_adaptive",
		adaptive_json_troubled(v, v->adaptive, v->nadaptive));
	json_util_put(o, "adaptive", adaptive_json(v, f->sm));
	json_util_put(o, "unreachable",
		json_util_u64(count_unreachable(v->topo, list)));
	json_util_put(o, "unreachable_ports", list);
}

static json_t *
by_attr_json(const struct xact_stats *x)
{
	json_t *o = json_object();

	for (unsigned i = 0; i < 64; i++) {
		if (x->by_attr[i][0] == 0 && x->by_attr[i][1] == 0)
			continue;
		json_util_put(o, i > 0 ? mad_attr_name((uint16_t)i) : "vendor",
			json_pack("{s:o, s:o}", "get",
				json_util_u64(x->by_attr[i][0]), "set",
				json_util_u64(x->by_attr[i][1])));
	}
	return o;
}

static json_t *
wire_json(const struct status_facts *f)
{
	const struct xact_stats *x = f->wire;
	json_t *o = json_object();

	json_util_put(o, "window", json_util_u64(x->window));
	json_util_put(o, "window_peak", json_util_u64(x->window_peak));
	json_util_put(o, "answer", json_real(mono_seconds(x->answer)));
	json_util_put(o, "in_flight", json_util_u64(x->inflight));
	json_util_put(o, "sent", json_util_u64(x->sent));
	json_util_put(o, "completed", json_util_u64(x->completed));
	json_util_put(o, "retried", json_util_u64(x->retried));
	json_util_put(o, "timeouts", json_util_u64(x->timeouts));
	json_util_put(o, "by_lid", json_util_u64(x->by_lid));
	json_util_put(o, "strayed", json_util_u64(x->strayed));
	json_util_put(o, "directed_only", json_boolean(f->sm->directed_only));
	json_util_put(o, "late", json_util_u64(x->late));
	json_util_put(o, "alien", json_util_u64(x->alien));
	json_util_put(o, "mismatched", json_util_u64(x->mismatched));
	json_util_put(o, "busy", json_util_u64(x->busy));
	json_util_put(o, "malformed", json_util_u64(f->sm->malformed));
	json_util_put(
		o, "requests_refused", json_util_u64(f->sm->requests_refused));
	json_util_put(o, "ring_dropped", json_util_u64(f->ring_dropped));
	json_util_put(o, "by_attribute", by_attr_json(x));
	return o;
}

static json_t *
sa_json(const struct sa_stats *s)
{
	json_t *o = json_object();

	json_util_put(o, "requests", json_util_u64(s->requests));
	json_util_put(o, "answers", json_util_u64(s->answers));
	json_util_put(o, "records", json_util_u64(s->records));
	json_util_put(o, "busy", json_util_u64(s->busy));
	json_util_put(o, "refused", json_util_u64(s->refused));
	json_util_put(o, "dropped", json_util_u64(s->dropped));
	json_util_put(o, "parked", json_util_u64(s->parked));
	json_util_put(o, "unanswered", json_util_u64(s->unanswered));
	json_util_put(o, "tables_in_progress", json_util_u64(s->jobs));
	json_util_put(o, "services", json_util_u64(s->services));
	json_util_put(o, "subscriptions", json_util_u64(s->subscriptions));
	json_util_put(o, "groups", json_util_u64(s->groups));
	json_util_put(o, "group_members", json_util_u64(s->members));
	json_util_put(o, "reports", json_util_u64(s->reports));
	json_util_put(o, "reports_given_up", json_util_u64(s->unreported));
	return o;
}

static json_t *
sweeps_json(const struct status_facts *f)
{
	const struct status_daemon *d = f->daemon;
	size_t n;
	const struct sm_status_counter *c = sm_status_counters(&n);
	json_t *o = json_object();

	for (size_t i = 0; i < n; i++)
		json_util_put(o, c[i].name,
			json_util_u64(sm_status_count(f->sm, &c[i])));
	json_util_put(o, "full_done", json_util_u64(d->sweeps_done));
	json_util_put(o, "runs", json_util_u64(d->runs));
	json_util_put(o, "runs_failed", json_util_u64(d->runs_failed));
	json_util_put(o, "rows_read", json_util_u64(f->sm->scan.read));
	json_util_put(o, "rows_left", json_util_u64(f->sm->scan.left));
	json_util_put(o, "last_ok", json_boolean(d->last_ok));
	json_util_put(o, "last_why", names_text(d->last_why));
	return o;
}

static json_t *
control_json(const struct status_control *c)
{
	json_t *o = json_object();

	json_util_put(o, "clients", json_util_u64(c->clients));
	json_util_put(o, "accepted", json_util_u64(c->accepted));
	json_util_put(o, "requests", json_util_u64(c->requests));
	json_util_put(o, "malformed", json_util_u64(c->malformed));
	json_util_put(o, "refused", json_util_u64(c->refused));
	json_util_put(o, "dropped", json_util_u64(c->dropped));
	return o;
}

static json_t *
other_json(const struct sm_other *m)
{
	if (m->guid == 0)
		return json_null();
	return json_pack("{s:o, s:o, s:i, s:i, s:b}", "guid",
		names_guid(m->guid), "name", names_text(m->name), "priority",
		m->priority, "state", m->state, "answers", m->answers);
}

/* Dependencies that are blocked now. */
static json_t *
blocked_json(const struct status_facts *f)
{
	const struct sm_status *s = f->sm;
	json_t *o = json_object();

	json_util_put(o, "dependencies", json_util_u64(s->held));
	json_util_put(o, "pairs", json_util_u64(s->held_pairs));
	json_util_put(o, "left",
		s->held_until.ns == MONO_NEVER.ns
			? json_null()
			: json_real(mono_seconds(
				  mono_sub(s->held_until, f->now))));
	return o;
}

/* Resident bytes; 0 if /proc is not readable. */
static uint64_t
resident_bytes(void)
{
	char line[128], *end;

	if (!file_read_line("/proc/self/statm", line, sizeof(line)))
		return 0;
	(void)strtoull(line, &end, 10);
	return strtoull(end, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}

static json_t *
memory_json(void)
{
	struct rusage use = {0};
	uint64_t now = resident_bytes(), peak;

	(void)getrusage(RUSAGE_SELF, &use);
	peak = (uint64_t)use.ru_maxrss * 1024;
	/* the kernel brings its peak up to date later than the figure of now */
	return json_pack("{s:o, s:o}", "resident", json_util_u64(now), "peak",
		json_util_u64(peak > now ? peak : now));
}

/* Quarantined nodes, by the first of them. */
static void
add_quarantine_alarm(const struct view *v, struct buf *out)
{
	const struct view_quarantine *q;

	if (v == NULL || v->nquarantine == 0)
		return;
	q = &v->quarantine[0];
	buf_printf(out, "; %zu quarantined node%s, first 0x%016llx \"%s\": %s",
		v->nquarantine, names_plural((long long)v->nquarantine),
		(unsigned long long)q->guid,
		q->node != TOPO_NONE ? topo_desc(v->topo, q->node) : "",
		q->why);
}

/*
 * Everything that an administrator should act on, or "": the one source of the
 * alarm in the status, of heddlectl's exit status and of heddle_alarm.
 */
static json_t *
alarm_json(const struct status_facts *f)
{
	struct buf out = {0};
	json_t *text;

	if (f->sm->alarm[0] != '\0')
		buf_printf(&out, "; %s", f->sm->alarm);
	add_quarantine_alarm(f->view, &out);
	if (f->daemon->refused[0] != '\0')
		buf_printf(&out, "; the configuration was refused: %s",
			f->daemon->refused);
	if (f->cabling.wanted && f->cabling.unused[0] != '\0')
		buf_printf(&out,
			"; the cabling is not compared with its plan: "
			"%s",
			f->cabling.unused);
	if (!f->daemon->state_writable)
		buf_printf(&out, "; the state file cannot be written: LIDs may "
				 "change at the next restart");
	text = names_text(out.n > 0 ? out.text + 2 : "");
	buf_free(&out);
	return text;
}

/* Faults that traps reported, by kind, and the last one in words. */
static json_t *
faults_json(const struct sm_status *s)
{
	static const char *const kind[SM_FAULTS] = {"link_errors",
		"buffer_overruns", "flow_control", "m_key", "p_key", "q_key",
		"switch_p_key"};
	json_t *o = json_object();

	for (unsigned i = 0; i < SM_FAULTS; i++)
		json_util_put(o, kind[i], json_util_u64(s->faults[i]));
	json_util_put(o, "last", names_text(s->fault));
	return o;
}

/* Ports with an M_Key that is not known. */
static json_t *
m_keys_json(const struct sm_m_keys *k)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < k->nports; i++) {
		const struct sm_m_key_port *p = &k->port[i];

		(void)json_array_append_new(list,
			json_pack("{s:o, s:i, s:o, s:b}", "guid",
				names_guid(p->guid), "port", p->port, "name",
				names_text(p->name), "silent", p->silent));
	}
	return json_pack("{s:i, s:i, s:o}", "unknown", (int)k->unknown,
		"silent", (int)k->silent, "ports", list);
}

/* Whether each role is the one of the daemon. */
static json_t *
roles_json(enum sm_role role)
{
	static const enum sm_role all[] = {
		SM_DISCOVERING, SM_STANDING_BY, SM_MASTER};
	json_t *o = json_object();

	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		json_util_put(
			o, sm_role_name(all[i]), json_boolean(role == all[i]));
	return o;
}

static json_t *
expected_json(const struct status_cabling *c)
{
	json_t *o;

	if (!c->wanted)
		return json_null();
	o = json_pack("{s:o, s:o, s:b}", "file", names_text(c->file), "unused",
		names_text(c->unused), "compared", c->found != NULL);
	if (c->found == NULL)
		return o;
	json_util_put(o, "deviations", json_util_u64(c->found->n));
	json_util_put(o, "drained", json_util_u64(c->found->drained));
	json_util_put(o, "kinds", verify_json_kinds(c->found));
	json_util_put(o, "generation", json_util_u64(c->generation));
	return o;
}

static void
add_daemon(json_t *o, const struct status_facts *f)
{
	const struct status_daemon *d = f->daemon;
	json_t *others = json_array();

	for (unsigned i = 0; i < f->sm->nothers; i++)
		(void)json_array_append_new(
			others, other_json(&f->sm->other[i]));
	json_util_put(o, "version", json_string(VERSION_TEXT));
	json_util_put(o, "role", json_string(sm_role_name(f->sm->role)));
	json_util_put(o, "roles", roles_json(f->sm->role));
	json_util_put(o, "phase", json_string(sm_phase_name(f->sm->phase)));
	json_util_put(o, "writing", json_string(f->sm->writing));
	json_util_put(o, "dirty", json_boolean(f->sm->dirty));
	json_util_put(o, "alarm", alarm_json(f));
	json_util_put(o, "uptime",
		json_real(mono_seconds(mono_sub(f->now, d->started))));
	json_util_put(o, "port",
		json_pack("{s:o, s:i, s:o, s:i}", "device",
			names_text(d->device), "port", d->port, "guid",
			names_guid(f->sm->port_guid), "priority",
			f->sm->priority));
	json_util_put(o, "master", other_json(&f->sm->master));
	json_util_put(o, "others", others);
	json_util_put(o, "sweeps", sweeps_json(f));
	json_util_put(o, "traps",
		json_pack("{s:o, s:o, s:o, s:o}", "received",
			json_util_u64(f->sm->traps), "repeated",
			json_util_u64(f->sm->traps_repeated), "refused",
			json_util_u64(f->sm->traps_refused), "ours",
			json_util_u64(f->sm->traps_ours)));
	json_util_put(o, "faults", faults_json(f->sm));
	if (f->events != NULL)
		json_util_put(o, "events", events_counts_json(f->events));
	if (f->drains != NULL)
		json_util_put(o, "drains",
			drains_counts_json(
				&(struct drains_facts){.drains = f->drains,
					.view = f->view,
					.tree = f->tree,
					.now = f->now}));
	json_util_put(o, "expected", expected_json(&f->cabling));
	json_util_put(o, "m_keys", m_keys_json(&f->sm->m_keys));
	json_util_put(o, "config",
		json_pack("{s:o, s:o, s:o, s:o}", "file",
			names_text(d->config_file), "reloads",
			json_util_u64(d->reloads), "bad_reloads",
			json_util_u64(d->bad_reloads), "refused",
			names_text(d->refused)));
	json_util_put(o, "blocked", blocked_json(f));
	json_util_put(o, "settings",
		json_pack("{s:o, s:o}", "ports",
			json_util_u64(f->sm->settings_kept), "first",
			names_text(f->sm->settings_first)));
	json_util_put(o, "memory", memory_json());
	json_util_put(o, "state_writable", json_boolean(d->state_writable));
	json_util_put(o, "state_lost", names_text(d->state_lost));
	json_util_put(o, "events_unwritten", names_text(d->events_unwritten));
	json_util_put(o, "record_trouble", names_text(d->record_trouble));
	json_util_put(o, "wire", wire_json(f));
	json_util_put(o, "sa", sa_json(&f->sm->sa));
	if (f->ctl != NULL)
		json_util_put(o, "control", control_json(f->ctl));
}

json_t *
status_json(const struct status_facts *f)
{
	json_t *o = json_object();

	add_daemon(o, f);
	if (f->view != NULL)
		add_view(o, f);
	else
		json_util_put(o, "generation", json_integer(0));
	return o;
}

/* ---- the page of --once ---- */

void
status_page(const struct status_facts *f, struct buf *out)
{
	json_t *s = status_json(f), *n;
	const char *attribute;

	page_print(out, s,
		"%(sweeps.last_ok)?{The fabric is up.\n}"
		"%(sweeps.last_ok)!{The fabric is NOT up: "
		"%(sweeps.runs)?{%(sweeps.last_why)s}"
		"%(sweeps.runs)!{ended before}\n}"
		"%(generation)?{"
		"fabric     switches=%(fabric.switches)d "
		"hosts=%(fabric.hosts)d "
		"routers=%(fabric.routers)d aggregation=%(fabric.aggregation)d "
		"links=%(fabric.links)d\n"
		"ports      active=%(counts.ports_active)d "
		"linked=%(counts.ports_linked)d unreachable=%(unreachable)d "
		"quarantined=%(quarantined)n\n"
		"lids       used=%(lids.used)d highest=%(lids.highest)d "
		"new=%(lids.new)d moved=%(lids.moved)d\n"
		"routes     engine=%(engine)s fallback=%(fallback)[yes|no] "
		"order=%(order)s layers=%(verified.layers)d "
		"attempts=%(attempts)d\n"
		"verified   pairs=%(verified.pairs)d "
		"missing=%(verified.unreachable)d loops=%(verified.loops)d "
		"cut_off=%(verified.cut_off)d "
		"cyclic_channels=%(verified.cyclic_channels)d\n"
		"%(verified.except)?{           except "
		"switches=%(verified.except)d, which may not forward by these "
		"routes\n}"
		"load       load_max=%(verified.load_max)d "
		"load_mean=%(verified.load_mean).1f "
		"hops_max=%(verified.hops_max)d "
		"hops_mean=%(verified.hops_mean).2f\n"
		"times      discover=%(times.discover).3fs "
		"readback=%(times.readback).3fs route=%(times.route).3fs "
		"push=%(times.push).3fs total=%(times.total).3fs\n"
		"writes     lft_blocks=%(counts.lft_blocks)d "
		"lft_reads=%(counts.lft_reads)d "
		"other_sets=%(counts.other_sets)d "
		"failed_sets=%(counts.failed_sets)d\n"
		"%(change.method)?{"
		"change     method=%(change.method)s kind=%(change.kind)s "
		"stages=%(change.stages)d blocked=%(change.blocked)n "
		"pairs_cut=%(change.pairs_cut)d entries=%(change.entries)d "
		"kept=%(change.kept)d "
		"mismatched_ports=%(change.mismatched_ports)d\n"
		"%(change.cause)?{           %(change.cause)s\n}}"
		"%(quarantined)*{quarantine guid=%(guid)s %(why)s\n}"
		"%(foreign_adaptive)*{unverified guid=%(guid)s %(why)s\n}}"
		"wire       smps=%(wire.sent)d by_lid=%(wire.by_lid)d "
		"retried=%(wire.retried)d timeouts=%(wire.timeouts)d "
		"late=%(wire.late)d window_peak=%(wire.window_peak)d\n");
	json_object_foreach(
		json_object_get(json_object_get(s, "wire"), "by_attribute"),
		attribute, n)
	{
		buf_printf(out, "smps       %s", attribute);
		page_print(out, n, " get=%(get)d set=%(set)d\n");
	}
	buf_printf(out, "memory     peak_kib=%lld\n",
		json_util_num(json_object_get(s, "memory"), "peak") / 1024);
	json_decref(s);
}

void
status_line(const struct view *v, struct buf *out)
{
	const struct verify_report *r = &v->routes->report;
	const struct view_counts *n = &v->counts;
	const struct view_times *t = &v->times;

	buf_printf(out,
		"generation=%u cause=\"%s\" ms=%.1f discover=%.1f "
		"readback=%.1f route=%.1f push=%.1f smps=%llu blocks=%llu "
		"sets=%llu failed=%llu",
		v->generation, v->cause, mono_seconds(t->total) * 1e3,
		mono_seconds(t->discover) * 1e3,
		mono_seconds(t->readback) * 1e3, mono_seconds(t->route) * 1e3,
		mono_seconds(t->push) * 1e3, (unsigned long long)n->smps,
		(unsigned long long)n->lft_blocks,
		(unsigned long long)n->other_sets,
		(unsigned long long)n->failed_sets);
	buf_printf(out,
		" engine=%s pairs=%llu cut_off=%llu load_max=%llu "
		"active=%u/%u unreachable=%u quarantined=%zu",
		v->story.engine, (unsigned long long)r->pairs,
		(unsigned long long)r->cut_off, (unsigned long long)r->load_max,
		n->ports_active, n->ports_linked,
		count_unreachable(v->topo, NULL), v->nquarantine);
	if (v->nadaptive > 0)
		buf_printf(out, " unverified_switches=%zu", v->nadaptive);
}
