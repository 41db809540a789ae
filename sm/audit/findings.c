#include "sm/audit/findings.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "routing/verify/cdg.h"
#include "sm/base/buf.h"
#include "sm/report/json_util.h"
#include "sm/report/names.h"

enum { HOPS_SHOWN = 12, APART_SHOWN = 10 };

/* In the order of severity, which is the order of the list. */
enum severity { FAULT, RISK, UNJUDGED, NOTE, SEVERITIES };

static const char *const severity_words[SEVERITIES] = {
	"fault", "risk", "unjudged", "note"};

struct list {
	const struct audit_findings_in *in;
	json_t *of[SEVERITIES];
};

static json_t *add_finding(struct list *l, enum severity s, const char *kind,
	const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Add a finding; returns its list of lines, to be appended to. */
static json_t *
add_finding(
	struct list *l, enum severity s, const char *kind, const char *fmt, ...)
{
	json_t *o = json_object(), *lines = json_array();
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	json_util_put(o, "severity", json_string(severity_words[s]));
	json_util_put(o, "kind", json_string(kind));
	json_util_put(o, "text", names_text(text));
	json_util_put(o, "lines", lines);
	(void)json_array_append_new(l->of[s], o);
	return lines;
}

static void add_line(json_t *lines, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void
add_line(json_t *lines, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	(void)json_array_append_new(lines, names_text(text));
}

static struct verify_name
switch_name(const struct list *l, sw_ix s)
{
	const struct topo *t = l->in->read->topo;

	return cdg_name(t, t->sw[s].node);
}

/* ---- cycles ---- */

/* A LID with packets that go from this link into the next one. */
static uint16_t
find_witness_lid(const struct routes *r, const struct audit_dependencies_hop *a,
	const struct audit_dependencies_hop *b)
{
	for (uint32_t lid = 1; lid <= r->topo->max_lid; lid++)
		if (routes_port(r, a->from, (uint16_t)lid) == a->out &&
			routes_port(r, a->to, (uint16_t)lid) == b->out)
			return (uint16_t)lid;
	return 0;
}

static void
put_cause(const struct list *l, uint16_t lid, struct buf *b)
{
	const struct topo *t = l->in->read->topo;

	if (lid > TOPO_LID_MAX)
		buf_printf(b, "group 0x%04x", lid);
	else if (lid == 0 || lid > t->max_lid || t->by_lid[lid] == TOPO_NONE)
		buf_printf(b, "LID %u (no port has it)", lid);
	else
		buf_printf(b, "LID %u (%s)", lid,
			cdg_name(t, t->port[t->by_lid[lid]].node).s);
}

static void
add_cycle_lines(const struct list *l,
	const struct audit_dependencies_verdict *v, json_t *lines)
{
	bool many = l->in->lanes;

	for (uint32_t i = 0; i < v->len && i < HOPS_SHOWN; i++) {
		const struct audit_dependencies_hop *h = &v->cycle[i];
		struct buf b = {0};
		uint16_t lid = h->why.lid;
		char lane[16] = "";

		if (many)
			(void)snprintf(lane, sizeof(lane), "VL %u: ", h->vl);
		if (lid == 0)
			lid = find_witness_lid(l->in->read->routes, h,
				&v->cycle[(i + 1) % v->len]);
		put_cause(l, lid, &b);
		if (many)
			buf_printf(&b, " with SL %u%s", h->why.sl,
				h->why.own ? ", from switches alone" : "");
		add_line(lines, "%s port %u -> %s port %u, %s%s",
			switch_name(l, h->from).s, h->out,
			switch_name(l, h->to).s, h->in, lane, b.text);
		buf_free(&b);
	}
	if (v->len > HOPS_SHOWN)
		add_line(lines, "and %u more links, back to the first",
			v->len - HOPS_SHOWN);
}

/* True if the packets of a group close the cycle. */
static bool
is_closed_by_group(const struct audit_dependencies_verdict *v)
{
	for (uint32_t i = 0; i < v->len; i++)
		if (v->cycle[i].why.lid > TOPO_LID_MAX)
			return true;
	return false;
}

/* True if only packets that switches send themselves close the cycle. */
static bool
is_closed_by_switches(const struct audit_dependencies_verdict *v)
{
	bool own = false;

	for (uint32_t i = 0; i < v->len; i++) {
		if (!v->cycle[i].why.sure && !v->cycle[i].why.own)
			return false;
		own |= v->cycle[i].why.own;
	}
	return own;
}

static void
find_cycles(struct list *l)
{
	const struct audit_dependencies_verdict *v = l->in->sure;
	bool sure = v->cyclic > 0, by_own;
	json_t *lines;

	if (!sure)
		v = l->in->all;
	if (v->cyclic == 0)
		return;
	by_own = !sure && is_closed_by_switches(v);
	lines = add_finding(l, sure ? FAULT : RISK, "deadlock",
		"Credit loop of %u links%s: their buffers can wait for each "
		"other forever, and all traffic behind them stops. %u link "
		"directions are part of such loops%s. One loop, with a "
		"destination whose packets wait on each link for the next:",
		v->len,
		is_closed_by_group(v) ? ", closed by a multicast group's tree"
				      : "",
		v->cables,
		sure	 ? ""
		: by_own ? ", if packets that switches send themselves fill "
			   "buffers: management answers are usually too few"
			 : ", if packets use SLs that subnet administration "
			   "did not report: whether they do is unknown");
	if (!sure && !by_own)
		add_line(lines,
			"it is real if all paths have the same SL, as they "
			"do unless an engine or QoS levels that need more "
			"are configured");
	add_cycle_lines(l, v, lines);
}

/* ---- unicast ---- */

/* Whether hosts lose packets, or only switches' own ports. */
static void
add_lost_line(const struct list *l, json_t *lines)
{
	uint64_t hosts = l->in->apart->hosts;

	if (hosts > 0)
		add_line(lines,
			"%" PRIu64 " of all pairs that do not arrive are from "
			"a switch with hosts to a host",
			hosts);
	else
		add_line(lines, "no packets between hosts are lost: these are "
				"paths from or to switches' own ports");
}

static void
find_paths(struct list *l)
{
	const struct verify_report *q = &l->in->found->report;
	const struct audit_path_facts *p = l->in->paths;
	json_t *lines;

	if (q->unreachable > 0) {
		lines = add_finding(l, FAULT, "unreachable",
			"%" PRIu64 " of %" PRIu64
			" pairs (switch, LID) do not arrive.",
			q->unreachable, q->pairs);
		if (q->loops == 0)
			add_line(lines, "%s", q->first);
		add_lost_line(l, lines);
	}
	if (q->loops > 0) {
		lines = add_finding(l, FAULT, "loop",
			"Packets of %" PRIu64
			" pairs (switch, LID) loop until their lifetime ends.",
			q->loops);
		add_line(lines, "%s", q->first);
		if (q->unreachable == 0)
			add_lost_line(l, lines);
	}
	if (p->discarded > 0) {
		lines = add_finding(l, FAULT, "discarded",
			"%" PRIu64
			" in-port to out-port pairs discard packets with an SL "
			"that subnet administration gave out.",
			p->discarded);
		add_line(lines, "%s", p->first);
	}
	if (l->in->read->bad_lid > 0)
		(void)add_finding(l, FAULT, "lid",
			"%u port%s %s a LID that another port has or that is "
			"not a unicast LID.",
			l->in->read->bad_lid,
			names_plural(l->in->read->bad_lid),
			l->in->read->bad_lid == 1 ? "has" : "have");
	if (l->in->read->no_lid > 0)
		(void)add_finding(l, UNJUDGED, "lid",
			"%u port%s %s no LID: nothing can be sent to %s.",
			l->in->read->no_lid, names_plural(l->in->read->no_lid),
			l->in->read->no_lid == 1 ? "has" : "have",
			l->in->read->no_lid == 1 ? "it" : "them");
}

/* ---- groups ---- */

static void
find_group(struct list *l, enum severity s, const struct audit_mcast_fault *f,
	const char *what)
{
	if (f->n > 0)
		add_line(add_finding(l, s, "group", "Multicast %s: %u.", what,
				 f->n),
			"%s", f->first);
}

static void
find_groups(struct list *l)
{
	const struct audit_mcast_facts *g = l->in->groups;

	find_group(l, FAULT, &g->loops, "trees in which a packet never stops");
	find_group(l, FAULT, &g->parted,
		"groups whose members do not all reach each other");
	find_group(l, FAULT, &g->copies,
		"trees that deliver a packet more than once");
	find_group(l, NOTE, &g->none,
		"groups without a tree (a single member needs none)");
	find_group(
		l, NOTE, &g->dead, "entries that name a port without a link");
	find_group(l, NOTE, &g->nobody, "trees left over from deleted groups");
}

/* ---- what was not read ---- */

static void
find_unjudged(struct list *l)
{
	const struct topo *t = l->in->read->topo;
	const struct audit_unreachable_facts *a = l->in->apart;
	uint32_t partial = 0;
	json_t *lines;

	for (node_ix n = 0; n < t->nnodes; n++)
		partial += (t->node[n].flags & TN_PARTIAL) != 0 &&
			   !(t->node[n].flags & TN_QUARANTINED);
	if (partial > 0)
		(void)add_finding(l, UNJUDGED, "partial",
			"%u node%s did not answer all requests.", partial,
			names_plural(partial));
	if (a->nodes == 0)
		return;
	lines = add_finding(l, UNJUDGED, "apart",
		"%u node%s could not be judged, nor what is behind %s; %" PRIu64
		" pairs (switch, LID) of other nodes have paths through %s.",
		a->nodes, names_plural(a->nodes), a->nodes == 1 ? "it" : "them",
		a->unseen, a->nodes == 1 ? "it" : "them");
	for (node_ix n = 0; n < t->nnodes; n++)
		if (t->node[n].flags & TN_QUARANTINED &&
			json_array_size(lines) < APART_SHOWN)
			add_line(lines, "%s: %s", cdg_name(t, n).s,
				builder_quarantine_why(
					l->in->read->draft, t->node[n].guid));
}

/* True if switch s forwards otherwise than by the tables that were judged; or,
 * untold, if it does not say whether it does. */
static bool
is_adaptive(const struct list *l, sw_ix s, bool untold)
{
	const struct audit_input *in = l->in->read;
	struct adaptive_seen seen = adaptive_cache_get(
		in->adaptive, in->topo->node[in->topo->sw[s].node].guid);

	return adaptive_is_on(seen) &&
	       (seen.state == ADAPTIVE_UNTOLD) == untold;
}

static void
find_adaptive(struct list *l, bool untold)
{
	const struct topo *t = l->in->read->topo;
	uint32_t n = 0;
	json_t *lines;
	char text[160];

	for (sw_ix s = 0; s < t->nsw; s++)
		n += is_adaptive(l, s, untold);
	if (n == 0)
		return;
	lines = add_finding(l, untold ? UNJUDGED : RISK, "adaptive",
		"%u switch%s %s by more than %s forwarding table%s, which "
		"alone %s judged here.",
		n, n == 1 ? "" : "es",
		untold	 ? "may forward"
		: n == 1 ? "forwards"
			 : "forward",
		n == 1 ? "its" : "their", n == 1 ? "" : "s",
		n == 1 ? "was" : "were");
	for (sw_ix s = 0; s < t->nsw; s++) {
		node_ix node = t->sw[s].node;

		if (!is_adaptive(l, s, untold) ||
			json_array_size(lines) >= APART_SHOWN)
			continue;
		adaptive_seen_text(adaptive_cache_get(l->in->read->adaptive,
					   t->node[node].guid),
			text, sizeof(text));
		add_line(lines, "%s %s", cdg_name(t, node).s, text);
	}
}

static void
find_sls(struct list *l)
{
	const struct audit_vl_read_facts v =
		audit_vl_read_facts(l->in->read->lanes);
	const struct audit_sa_client_facts *sa =
		audit_sa_client_facts(l->in->read->sa);
	const struct audit_path_facts *p = l->in->paths;
	json_t *lines;

	if (!sa->answers) {
		lines = add_finding(l, NOTE, "sa",
			"Subnet administration did not answer: groups are "
			"known only from multicast tables%s.",
			l->in->lanes ? ", and every SL is assumed to be in use"
				     : "");
		add_line(lines, "%s", sa->why);
	} else if (sa->why[0] != '\0') {
		add_line(add_finding(l, NOTE, "sa",
				 "Subnet administration did not answer all "
				 "requests."),
			"%s", sa->why);
	}
	if (l->in->lanes && p->assumed > 0)
		(void)add_finding(l, NOTE, "sl",
			"SLs of %" PRIu64
			" pairs (switch, LID) are those that subnet "
			"administration reported, those of %" PRIu64
			" are assumed: any SL that %s.",
			p->told, p->assumed,
			sa->sls != 0 ? "was reported for others" : "exists");
	if (l->in->lanes && v.read < v.tables)
		(void)add_finding(l, NOTE, "sl2vl",
			"%" PRIu64 " of %" PRIu64
			" SL to VL tables were read, of %u kind%s; the others "
			"are assumed to be %s.",
			v.read, v.tables, v.kinds, names_plural(v.kinds),
			v.kinds == 1 ? "the same"
				     : "like the most frequent one");
}

json_t *
audit_findings(const struct audit_findings_in *in, size_t *grave)
{
	struct list l = {.in = in};
	json_t *all = json_array();

	for (size_t s = 0; s < SEVERITIES; s++)
		l.of[s] = json_array();
	find_paths(&l);
	find_cycles(&l);
	find_groups(&l);
	find_unjudged(&l);
	find_adaptive(&l, false);
	find_adaptive(&l, true);
	find_sls(&l);
	for (size_t s = 0; s < SEVERITIES; s++) {
		if (s == NOTE)
			*grave = json_array_size(all);
		(void)json_array_extend(all, l.of[s]);
		json_decref(l.of[s]);
	}
	return all;
}

/* ---- compared with Heddle's routes ---- */

static void
better_deadlock(const struct list *l, json_t *out)
{
	const struct forecast *ours = l->in->ours;
	const struct verify_report *q = &l->in->found->report;

	if (l->in->sure->cyclic + l->in->all->cyclic > 0)
		add_line(out,
			"no deadlock is possible: Heddle's routes (%s, %u "
			"layer%s) have no credit loop, including multicast and "
			"packets that switches send.",
			ours->routes->engine, ours->report.vls,
			names_plural(ours->report.vls));
	if (q->unreachable + q->loops > 0)
		add_line(out,
			"all %" PRIu64
			" pairs that have a physical path arrive.",
			ours->report.pairs);
}

static void
put_busiest_link(const struct list *l, const struct forecast *f, struct buf *b)
{
	const struct topo *t = f->topo;
	const struct topo_port *p, *far;

	if (f->report.load_sw == TOPO_NONE)
		return;
	p = &t->port[topo_port_of(
		t, t->sw[f->report.load_sw].node, f->report.load_port)];
	far = &t->port[p->peer];
	buf_printf(b, " (%s port %u -> %s port %u)",
		switch_name(l, f->report.load_sw).s, p->num,
		cdg_name(t, far->node).s, far->num);
}

static void
better_load(const struct list *l, json_t *out)
{
	const struct forecast *a = l->in->found, *b = l->in->ours;
	double was = (double)a->report.load_max,
	       is = (double)b->report.load_max;
	struct buf where = {0};

	if (was == 0 || (is < was * 1.02 && is > was * 0.98))
		return;
	put_busiest_link(l, is < was ? a : b, &where);
	if (is < was)
		add_line(out,
			"the busiest link%s carries %.0f pairs of hosts; with "
			"Heddle's routes the busiest one carries %.0f (%.0f%% "
			"less).",
			where.text != NULL ? where.text : "", was, is,
			(1 - is / was) * 100);
	else
		add_line(out,
			"not better: Heddle's busiest link%s would carry %.0f "
			"pairs of hosts instead of %.0f.",
			where.text != NULL ? where.text : "", is, was);
	buf_free(&where);
}

/* A share of 0 to 1; higher is better. */
static void
better_share(json_t *out, const char *what, double was, double is)
{
	if (is < was + 0.01 && is > was - 0.01)
		return;
	add_line(out, "%s%s: %.1f%% of the full bandwidth instead of %.1f%%.",
		is < was ? "not better: " : "", what, is * 100, was * 100);
}

static void
better_hops(const struct list *l, json_t *out)
{
	double was = l->in->found->report.hops_mean;
	double is = l->in->ours->report.hops_mean;

	if (is < was - 0.005)
		add_line(out,
			"paths pass %.2f links between switches on average "
			"instead of %.2f.",
			is, was);
	else if (is > was + 0.005)
		add_line(out,
			"not better: paths would pass %.2f links between "
			"switches on average instead of %.2f.",
			is, was);
}

json_t *
audit_findings_better(const struct audit_findings_in *in)
{
	struct list l = {.in = in};
	json_t *out = json_array();

	if (in->ours->routes == NULL) {
		add_line(out, "Heddle finds no routes for this fabric: %s",
			in->ours->why);
		return out;
	}
	better_deadlock(&l, out);
	better_load(&l, out);
	better_share(out, "random bisections", in->found->ebb.mean,
		in->ours->ebb.mean);
	better_share(out, "shift permutations", in->found->shift.mean,
		in->ours->shift.mean);
	better_hops(&l, out);
	return out;
}
