#include "sm/report/status_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sm/base/file.h"
#include "sm/base/mem.h"
#include "sm/base/version.h"
#include "sm/event/alarm_kind.h"
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
		json_util_append(list, M("guid", names_guid(t->port[p].guid)),
			M("port", t->port[p].num), M("lid", t->port[p].lid),
			M("name", names_node_desc(t, t->port[p].node)));
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

	return json_util_object(M("first", range->first),
		M("last", range->last), M("ports", c.owners), M("used", c.lids),
		M("free", room - (int)c.lids), M("highest", v->topo->max_lid),
		M("new", v->counts.lids_new), M("moved", v->counts.lids_moved),
		M("conflict", names_text(v->lid_conflict)));
}

/* The verdict on the routes, and how many switches may not forward by them. */
static json_t *
verified_json(const struct view *v)
{
	const struct verify_report *r = &v->routes->report;

	return json_util_object(M("ok", r->ok), M("pairs", r->pairs),
		M("unreachable", r->unreachable), M("loops", r->loops),
		M("cut_off", r->cut_off),
		M("cyclic_channels", r->cyclic_channels),
		M("layers", r->layers), M("vls", r->vls),
		M("load_max", r->load_max), M("load_mean", r->load_mean),
		M("hops_max", r->hops_max), M("hops_mean", r->hops_mean),
		M("except", v->nadaptive));
}

static json_t *
counts_json(const struct view_counts *c)
{

	return json_util_object(M("smps", c->smps),
		M("lft_blocks", c->lft_blocks), M("lft_reads", c->lft_reads),
		M("other_sets", c->other_sets),
		M("failed_sets", c->failed_sets),
		M("ports_active", c->ports_active),
		M("ports_linked", c->ports_linked));
}

static json_t *
health_json(const struct status_facts *f)
{
	const struct links_facts links = {.t = f->view->topo,
		.health = f->health,
		.watches = f->watches,
		.now = f->now};
	json_t *o = links_health_json(&links);

	json_util_put(o, M("port_metrics",
				 json_boolean(f->config->health.enabled &&
					      f->config->health.port_metrics)));
	return o;
}

static void
add_view(json_t *o, const struct status_facts *f)
{
	const struct view *v = f->view;
	const struct view_times *t = &v->times;
	json_t *list = json_array();

	json_util_put(o, M("generation", v->generation));
	standby_json_put(o, v);
	json_util_put(o, M("cause", names_text(v->cause)),
		M("age", mono_seconds(mono_sub(f->now, v->when))),
		M("engine", names_text(v->story.engine)),
		M("fallback", v->story.fallback),
		M("rebalanced", v->story.rebalanced),
		M("attempts", v->story.attempts),
		M("tried", names_text(v->story.tried)),
		M("order", standby_json_order(v)),
		M("fabric", fabric_counts_json(v->topo)),
		M("missing", events_missing_json(
				     f->events, v->topo, LINKS_LISTED, f->now)),
		M("degraded", links_degraded_json(v->topo, LINKS_LISTED)),
		M("health", health_json(f)), M("lids", lids_json(f)),
		M("tree", tree_json(v, TREE_JSON_FIRST)),
		M("multi_port", redundancy_json_all(v)),
		M("verified", verified_json(v)));
	qos_json_layers(o, v->qos != NULL ? v->qos->cfg : NULL, v->routes);
	json_util_put(o,
		M("times", json_util_object(
				   M("discover", mono_seconds(t->discover)),
				   M("readback", mono_seconds(t->readback)),
				   M("route", mono_seconds(t->route)),
				   M("push", mono_seconds(t->push)),
				   M("total", mono_seconds(t->total)))),
		M("counts", counts_json(&v->counts)),
		M("change", change_json(v, LOSS_ESTIMATE_RATE)),
		M("partitions", partition_json(v, f->sm->keys)),
		M("qos", qos_json(v)),
		M("quarantined", adaptive_json_troubled(
					 v, v->quarantine, v->nquarantine)),
		M("foreign_adaptive",
			adaptive_json_troubled(v, v->adaptive, v->nadaptive)),
		M("adaptive", adaptive_json(v, f->sm)),
		M("unreachable", count_unreachable(v->topo, list)),
		M("unreachable_ports", list));
}

static json_t *
by_attr_json(const struct xact_stats *x)
{
	json_t *o = json_object();

	for (unsigned i = 0; i < 64; i++) {
		if (x->by_attr[i][0] == 0 && x->by_attr[i][1] == 0)
			continue;
		json_util_put(
			o, M(i > 0 ? mad_attr_name((uint16_t)i) : "vendor",
				   json_util_object(M("get", x->by_attr[i][0]),
					   M("set", x->by_attr[i][1]))));
	}
	return o;
}

static json_t *
wire_json(const struct status_facts *f)
{
	const struct xact_stats *x = f->wire;

	return json_util_object(M("window", x->window),
		M("window_peak", x->window_peak),
		M("answer", mono_seconds(x->answer)),
		M("in_flight", x->inflight), M("sent", x->sent),
		M("completed", x->completed), M("retried", x->retried),
		M("timeouts", x->timeouts), M("by_lid", x->by_lid),
		M("strayed", x->strayed),
		M("directed_only", f->sm->directed_only), M("late", x->late),
		M("alien", x->alien), M("mismatched", x->mismatched),
		M("busy", x->busy), M("malformed", f->sm->malformed),
		M("requests_refused", f->sm->requests_refused),
		M("ring_dropped", f->ring_dropped),
		M("by_attribute", by_attr_json(x)));
}

static json_t *
sa_json(const struct sa_stats *s)
{

	return json_util_object(M("requests", s->requests),
		M("answers", s->answers), M("records", s->records),
		M("busy", s->busy), M("refused", s->refused),
		M("dropped", s->dropped), M("parked", s->parked),
		M("unanswered", s->unanswered),
		M("tables_in_progress", s->jobs), M("services", s->services),
		M("subscriptions", s->subscriptions), M("groups", s->groups),
		M("group_members", s->members), M("reports", s->reports),
		M("reports_given_up", s->unreported));
}

static json_t *
sweeps_json(const struct status_facts *f)
{
	const struct status_daemon *d = f->daemon;
	size_t n;
	const struct sm_status_counter *c = sm_status_counters(&n);
	json_t *o = json_object();

	for (size_t i = 0; i < n; i++)
		json_util_put(o, M(c[i].name, sm_status_count(f->sm, &c[i])));
	json_util_put(o, M("full_done", d->sweeps_done), M("runs", d->runs),
		M("runs_failed", d->runs_failed),
		M("rows_read", f->sm->scan.read),
		M("rows_left", f->sm->scan.left), M("last_ok", d->last_ok),
		M("last_why", names_text(d->last_why)));
	return o;
}

static json_t *
control_json(const struct status_control *c)
{

	return json_util_object(M("clients", c->clients),
		M("accepted", c->accepted), M("requests", c->requests),
		M("malformed", c->malformed), M("refused", c->refused),
		M("dropped", c->dropped));
}

static json_t *
other_json(const struct sm_other *m)
{
	if (m->guid == 0)
		return json_null();
	return json_util_object(M("guid", names_guid(m->guid)),
		M("name", names_text(m->name)), M("priority", m->priority),
		M("state", m->state), M("answers", m->answers));
}

/* Dependencies that are blocked now. */
static json_t *
blocked_json(const struct status_facts *f)
{
	const struct sm_status *s = f->sm;

	return json_util_object(M("dependencies", s->held),
		M("pairs", s->held_pairs),
		M("left", s->held_until.ns == MONO_NEVER.ns
				  ? json_null()
				  : json_real(mono_seconds(
					    mono_sub(s->held_until, f->now)))));
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
	return json_util_object(
		M("resident", now), M("peak", peak > now ? peak : now));
}

/* Quarantined nodes, by the first of them. */
static void
add_quarantine_alarm(const struct view *v, struct buf *out)
{
	const struct view_quarantine *q = &v->quarantine[0];

	buf_printf(out, "; %zu quarantined node%s, first 0x%016llx \"%s\": %s",
		v->nquarantine, names_plural((long long)v->nquarantine),
		(unsigned long long)q->guid,
		q->node != TOPO_NONE ? topo_desc(v->topo, q->node) : "",
		q->why);
}

/* The kinds of alarms that are on, as bits. */
static uint32_t
alarms_on(const struct status_facts *f)
{
	const bool on[ALARM_KINDS] = {
		[ALARM_QUARANTINE] =
			f->view != NULL && f->view->nquarantine > 0,
		[ALARM_CONFIGURATION] = f->daemon->refused[0] != '\0',
		[ALARM_CABLING] =
			f->cabling.wanted && f->cabling.unused[0] != '\0',
		[ALARM_STATE] = !f->daemon->state_writable,
	};
	uint32_t alarms = f->sm->alarms;

	for (unsigned k = 0; k < ALARM_KINDS; k++)
		if (on[k])
			alarms |= 1U << k;
	return alarms;
}

static bool
is_on(uint32_t alarms, unsigned kind)
{
	return (alarms >> kind & 1) != 0;
}

static json_t *
alarms_json(const struct status_facts *f)
{
	uint32_t alarms = alarms_on(f);
	json_t *list = json_array();

	for (unsigned k = 0; k < ALARM_KINDS; k++)
		json_util_add(list,
			json_util_object(
				M("name", alarm_kind_row((enum alarm_kind)k)
						  ->name),
				M("on", json_boolean(is_on(alarms, k)))));
	return list;
}

/*
 * Everything that an administrator should act on, or "": the one source of the
 * alarm in the status, of heddlectl's exit status and of heddle_alarm.
 */
static json_t *
alarm_json(const struct status_facts *f)
{
	uint32_t alarms = alarms_on(f);
	struct buf out = {0};
	json_t *text;

	if (f->sm->alarm[0] != '\0')
		buf_printf(&out, "; %s", f->sm->alarm);
	if (is_on(alarms, ALARM_QUARANTINE))
		add_quarantine_alarm(f->view, &out);
	if (is_on(alarms, ALARM_CONFIGURATION))
		buf_printf(&out, "; the configuration was refused: %s",
			f->daemon->refused);
	if (is_on(alarms, ALARM_CABLING))
		buf_printf(&out,
			"; the cabling is not compared with its plan: "
			"%s",
			f->cabling.unused);
	if (is_on(alarms, ALARM_STATE))
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
		json_util_put(o, M(kind[i], s->faults[i]));
	json_util_put(o, M("last", names_text(s->fault)));
	return o;
}

/* Ports with an M_Key that is not known. */
static json_t *
m_keys_json(const struct sm_m_keys *k)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < k->nports; i++) {
		const struct sm_m_key_port *p = &k->port[i];

		json_util_append(list, M("guid", names_guid(p->guid)),
			M("port", p->port), M("name", names_text(p->name)),
			M("silent", p->silent));
	}
	return json_util_object(M("unknown", k->unknown),
		M("silent", k->silent), M("ports", list));
}

/* Whether each role is the one of the daemon. */
static json_t *
roles_json(enum sm_role role)
{
	static const enum sm_role all[] = {
		SM_DISCOVERING, SM_STANDING_BY, SM_MASTER};
	json_t *o = json_object();

	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		json_util_put(o,
			M(sm_role_name(all[i]), json_boolean(role == all[i])));
	return o;
}

static json_t *
expected_json(const struct status_cabling *c)
{
	json_t *o;

	if (!c->wanted)
		return json_null();
	o = json_util_object(M("file", names_text(c->file)),
		M("unused", names_text(c->unused)),
		M("compared", json_boolean(c->found != NULL)));
	if (c->found == NULL)
		return o;
	json_util_put(o, M("deviations", c->found->n),
		M("drained", c->found->drained),
		M("kinds", verify_json_kinds(c->found)),
		M("generation", c->generation));
	return o;
}

static void
add_daemon(json_t *o, const struct status_facts *f)
{
	const struct status_daemon *d = f->daemon;
	json_t *others = json_array();

	for (unsigned i = 0; i < f->sm->nothers; i++)
		json_util_add(others, other_json(&f->sm->other[i]));
	json_util_put(o, M("version", VERSION_TEXT),
		M("role", sm_role_name(f->sm->role)),
		M("roles", roles_json(f->sm->role)),
		M("phase", sm_phase_name(f->sm->phase)),
		M("writing", f->sm->writing), M("dirty", f->sm->dirty),
		M("alarm", alarm_json(f)), M("alarms", alarms_json(f)),
		M("uptime", mono_seconds(mono_sub(f->now, d->started))),
		M("port", json_util_object(M("device", names_text(d->device)),
				  M("port", d->port),
				  M("guid", names_guid(f->sm->port_guid)),
				  M("priority", f->sm->priority))),
		M("master", other_json(&f->sm->master)), M("others", others),
		M("sweeps", sweeps_json(f)),
		M("traps", json_util_object(M("received", f->sm->traps),
				   M("repeated", f->sm->traps_repeated),
				   M("refused", f->sm->traps_refused),
				   M("ours", f->sm->traps_ours))),
		M("faults", faults_json(f->sm)));
	if (f->events != NULL)
		json_util_put(o, M("events", events_counts_json(f->events)));
	if (f->drains != NULL)
		json_util_put(o,
			M("drains", drains_counts_json(&(struct drains_facts){
					    .drains = f->drains,
					    .view = f->view,
					    .tree = f->tree,
					    .now = f->now})));
	json_util_put(o, M("expected", expected_json(&f->cabling)),
		M("m_keys", m_keys_json(&f->sm->m_keys)),
		M("config",
			json_util_object(M("file", names_text(d->config_file)),
				M("reloads", d->reloads),
				M("bad_reloads", d->bad_reloads),
				M("refused", names_text(d->refused)))),
		M("blocked", blocked_json(f)),
		M("settings",
			json_util_object(M("ports", f->sm->settings_kept),
				M("first", names_text(f->sm->settings_first)))),
		M("memory", memory_json()),
		M("state_writable", d->state_writable),
		M("state_lost", names_text(d->state_lost)),
		M("events_unwritten", names_text(d->events_unwritten)),
		M("record_trouble", names_text(d->record_trouble)),
		M("wire", wire_json(f)), M("sa", sa_json(&f->sm->sa)));
	if (f->ctl != NULL)
		json_util_put(o, M("control", control_json(f->ctl)));
}

json_t *
status_json(const struct status_facts *f)
{
	json_t *o = json_object();

	add_daemon(o, f);
	if (f->view != NULL)
		add_view(o, f);
	else
		json_util_put(o, M("generation", 0));
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
