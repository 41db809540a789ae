#include "sm/audit/findings.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "sm/base/buf.h"
#include "sm/base/mem.h"
#include "sm/report/json_util.h"
#include "sm/report/names.h"

enum { HOPS_SHOWN = 12, LIST_SHOWN = 10, HOSTS_SHOWN = 6 };

/* In the order of severity, which is the order of the list. */
enum severity { FAULT, RISK, UNREAD, NOTE, SEVERITIES };

static const char *const severity_words[SEVERITIES] = {
	"fault", "risk", "unknown", "note"};

struct list {
	const struct audit_judged *j;
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
	json_util_put(o, M("severity", severity_words[s]), M("kind", kind),
		M("text", names_text(text)), M("lines", lines));
	json_util_add(l->of[s], o);
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
	json_util_add(lines, names_text(text));
}

static struct topo_name
switch_name(const struct list *l, sw_ix s)
{
	const struct topo *t = l->j->read->topo;

	return topo_name(t, t->sw[s].node);
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
	const struct topo *t = l->j->read->topo;

	if (lid > TOPO_LID_MAX)
		buf_printf(b, "group 0x%04x", lid);
	else if (lid == 0 || lid > t->max_lid || t->by_lid[lid] == TOPO_NONE)
		buf_printf(b, "LID %u (no port has it)", lid);
	else
		buf_printf(b, "LID %u (%s)", lid,
			topo_name(t, t->port[t->by_lid[lid]].node).s);
}

static void
add_cycle_lines(const struct list *l,
	const struct audit_dependencies_verdict *v, json_t *lines)
{
	bool many = l->j->by_vl;

	for (uint32_t i = 0; i < v->len && i < HOPS_SHOWN; i++) {
		const struct audit_dependencies_hop *h = &v->cycle[i];
		struct buf b = {0};
		uint16_t lid = h->why.lid;
		char vl_text[16] = "";

		if (many)
			(void)snprintf(
				vl_text, sizeof(vl_text), "VL %u: ", h->vl);
		if (lid == 0)
			lid = find_witness_lid(l->j->read->routes, h,
				&v->cycle[(i + 1) % v->len]);
		put_cause(l, lid, &b);
		if (many)
			buf_printf(&b, " with SL %u%s", h->why.sl,
				h->why.own ? ", from switches alone" : "");
		add_line(lines, "%s port %u -> %s port %u, %s%s",
			switch_name(l, h->from).s, h->out,
			switch_name(l, h->to).s, h->in, vl_text, b.text);
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

/* The ports of links that are part of credit loops, at the sending side:
 * [nports]. */
static bool *
mark_loop_ports(
	const struct topo *t, const struct audit_dependencies_verdict *v)
{
	bool *on = mem_zalloc(t->nports, sizeof(*on));

	for (uint32_t i = 0; i < v->links; i++) {
		port_ix p = topo_port_of(
			t, t->sw[v->link[i].to].node, v->link[i].in);

		if (t->port[p].peer != TOPO_NONE)
			on[t->port[p].peer] = true;
	}
	return on;
}

/* True if packets to a LID leave some switch by one of these ports. */
static bool
crosses_ports(const struct routes *r, const bool *on, uint16_t lid)
{
	const struct topo *t = r->topo;

	for (sw_ix s = 0; s < t->nsw; s++) {
		const struct topo_node *n = &t->node[t->sw[s].node];
		unsigned out = routes_port(r, s, lid);

		if (out != 0 && out <= n->nports && on[n->first_port + out])
			return true;
	}
	return false;
}

/* The hosts that lose packets if the loop closes. */
static void
add_loop_victims(const struct list *l,
	const struct audit_dependencies_verdict *v, json_t *lines)
{
	const struct routes *r = l->j->read->routes;
	const struct topo *t = r->topo;
	bool *on = mark_loop_ports(t, v);
	uint32_t hosts = 0, hit = 0;
	struct buf names = {0};

	for (uint32_t i = 0; i < t->nend; i++) {
		const struct topo_port *p = &t->port[t->end[i].port];

		if (!t->end[i].host || p->lid == 0)
			continue;
		hosts++;
		if (!crosses_ports(r, on, p->lid))
			continue;
		if (hit++ < HOSTS_SHOWN)
			buf_printf(&names, "%s%s", hit > 1 ? ", " : "",
				topo_name(t, p->node).s);
	}
	if (hit > 0)
		add_line(lines,
			"affected: packets to %" PRIu32 " of %" PRIu32
			" host ports cross links of such loops: %s%s",
			hit, hosts, names.text,
			hit > HOSTS_SHOWN ? ", ..." : "");
	buf_free(&names);
	free(on);
}

static void
find_cycles(struct list *l)
{
	const struct audit_dependencies_verdict *v = &l->j->sure;
	bool sure = v->cyclic > 0, by_own;
	json_t *lines;

	if (!sure)
		v = &l->j->all;
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
		v->links,
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
	add_loop_victims(l, v, lines);
	add_cycle_lines(l, v, lines);
}

/* ---- unicast ---- */

/* Which hosts do not get packets, or that only switches' own ports do not. */
static void
add_lost_lines(const struct list *l, json_t *lines)
{
	const struct audit_unreachable_facts *f = &l->j->unreachable;
	const struct topo *t = l->j->read->topo;

	if (f->hosts == 0) {
		add_line(lines, "no packets between hosts are lost: these are "
				"paths from or to switches' own ports");
		return;
	}
	add_line(lines,
		"affected: %" PRIu32 " host port%s; %" PRIu64
		" of all pairs that do not arrive are from a switch with "
		"hosts to a host",
		f->nvictims, names_plural(f->nvictims), f->hosts);
	for (uint32_t i = 0; i < f->nvictims && i < AUDIT_UNREACHABLE_SHOWN;
		i++) {
		const struct audit_unreachable_victim *v = &f->victim[i];

		add_line(lines,
			"LID %u (%s) gets nothing from hosts of %" PRIu32
			" switch%s: %s%s",
			v->lid, topo_name(t, t->port[t->by_lid[v->lid]].node).s,
			v->switches, names_plural_es(v->switches),
			switch_name(l, v->first).s,
			v->switches > 1 ? ", ..." : "");
	}
	if (f->nvictims > AUDIT_UNREACHABLE_SHOWN)
		add_line(lines, "and %" PRIu32 " more",
			f->nvictims - AUDIT_UNREACHABLE_SHOWN);
}

static void
find_paths(struct list *l)
{
	const struct verify_report *q = &l->j->found.report;
	const struct audit_path_facts *p = &l->j->paths;
	json_t *lines;

	if (q->unreachable > 0) {
		lines = add_finding(l,
			l->j->unreachable.hosts > 0 ? FAULT : RISK,
			"unreachable",
			"%" PRIu64 " of %" PRIu64
			" pairs (switch, LID) do not arrive.",
			q->unreachable, q->pairs);
		if (q->loops == 0)
			add_line(lines, "%s", q->first);
		add_lost_lines(l, lines);
	}
	if (q->loops > 0) {
		lines = add_finding(l, FAULT, "loop",
			"Packets of %" PRIu64
			" pairs (switch, LID) loop until their lifetime ends.",
			q->loops);
		add_line(lines, "%s", q->first);
		if (q->unreachable == 0)
			add_lost_lines(l, lines);
	}
	if (p->discarded > 0) {
		lines = add_finding(l, FAULT, "discarded",
			"%" PRIu64
			" in-port to out-port pairs discard packets with an SL "
			"that subnet administration gave out, or with any SL.",
			p->discarded);
		add_line(lines, "%s", p->first);
	}
	if (l->j->read->bad_lid > 0)
		(void)add_finding(l, FAULT, "lid",
			"%u port%s %s a LID that another port has or that is "
			"not a unicast LID.",
			l->j->read->bad_lid, names_plural(l->j->read->bad_lid),
			l->j->read->bad_lid == 1 ? "has" : "have");
	if (l->j->read->no_lid > 0)
		(void)add_finding(l, UNREAD, "lid",
			"%u port%s %s no LID: nothing can be sent to %s.",
			l->j->read->no_lid, names_plural(l->j->read->no_lid),
			l->j->read->no_lid == 1 ? "has" : "have",
			l->j->read->no_lid == 1 ? "it" : "them");
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
	const struct audit_mcast_facts *g = &l->j->groups;

	find_group(l, FAULT, &g->loops, "trees in which a packet never stops");
	find_group(l, FAULT, &g->disconnected,
		"groups whose members do not all reach each other");
	find_group(l, FAULT, &g->copies,
		"trees that deliver a packet more than once");
	find_group(l, NOTE, &g->none,
		"groups without a tree (a single member needs none)");
	find_group(
		l, NOTE, &g->dead, "entries that name a port without a link");
	find_group(l, NOTE, &g->unowned, "trees left over from deleted groups");
}

/* ---- what was not read ---- */

static void
find_unjudged(struct list *l)
{
	const struct topo *t = l->j->read->topo;
	const struct audit_unreachable_facts *a = &l->j->unreachable;
	uint32_t partial = 0;
	json_t *lines;

	for (node_ix n = 0; n < t->nnodes; n++)
		partial += (t->node[n].flags & TN_PARTIAL) != 0 &&
			   !(t->node[n].flags & TN_QUARANTINED);
	if (partial > 0)
		(void)add_finding(l, UNREAD, "partial",
			"%u node%s did not answer all requests.", partial,
			names_plural(partial));
	if (a->nodes == 0)
		return;
	lines = add_finding(l, UNREAD, "apart",
		"%u node%s could not be judged, nor what is behind %s; %" PRIu64
		" pairs (switch, LID) of other nodes have paths through %s.",
		a->nodes, names_plural(a->nodes), a->nodes == 1 ? "it" : "them",
		a->unseen, a->nodes == 1 ? "it" : "them");
	for (node_ix n = 0; n < t->nnodes; n++)
		if (t->node[n].flags & TN_QUARANTINED &&
			json_array_size(lines) < LIST_SHOWN)
			add_line(lines, "%s: %s", topo_name(t, n).s,
				builder_quarantine_why(
					l->j->read->builder, t->node[n].guid));
}

/* True if switch s forwards by more than what was read and judged; or, untold,
 * if it does not say whether it does. */
static bool
is_adaptive(const struct list *l, sw_ix s, bool untold)
{
	const struct audit_input *in = l->j->read;
	struct adaptive_seen seen = adaptive_seen_of(
		in->hw, in->topo->node[in->topo->sw[s].node].guid);

	return adaptive_is_on(seen) &&
	       (seen.on != MAD_AR_ON_GROUPS ||
		       !audit_adaptive_read_switch(in->choices, s)->complete) &&
	       (seen.state == ADAPTIVE_UNTOLD) == untold;
}

static void
find_adaptive(struct list *l, bool untold)
{
	const struct topo *t = l->j->read->topo;
	uint32_t n = 0;
	json_t *lines;
	char text[160];

	for (sw_ix s = 0; s < t->nsw; s++)
		n += is_adaptive(l, s, untold);
	if (n == 0)
		return;
	lines = add_finding(l, untold ? UNREAD : RISK, "adaptive",
		"%u switch%s %s by more than forwarding tables and adaptive "
		"groups, which alone are judged here.",
		n, names_plural_es(n),
		untold	 ? "may forward"
		: n == 1 ? "forwards"
			 : "forward");
	for (sw_ix s = 0; s < t->nsw; s++) {
		node_ix node = t->sw[s].node;

		if (!is_adaptive(l, s, untold) ||
			json_array_size(lines) >= LIST_SHOWN)
			continue;
		adaptive_seen_text(
			adaptive_seen_of(l->j->read->hw, t->node[node].guid),
			text, sizeof(text));
		add_line(lines, "%s %s", topo_name(t, node).s, text);
	}
}

/* Something wrong with groups, in words, if there is anything: text is about so
 * many things. */
static void
find_choice_fault(
	struct list *l, const struct audit_adaptive_fault *f, const char *what)
{
	if (f->n > 0)
		add_line(add_finding(l, RISK, "choice", "%s: %" PRIu64 ".",
				 what, f->n),
			"%s", f->first);
}

/* What is found of all choices of switches. */
static void
find_choice_verdict(struct list *l)
{
	const struct audit_adaptive_facts *c = &l->j->choices;
	bool cyclic = c->cyclic > 0, sure = cyclic ? c->sure > 0 : !c->mixed;

	if (!audit_adaptive_is_safe(c)) {
		add_line(add_finding(l, sure ? FAULT : RISK,
				 cyclic ? "deadlock" : "choice",
				 cyclic ? "Packets for which switches choose "
					  "among ports %s wait for each other "
					  "in a circle."
					: "Packets for which switches choose "
					  "among ports %s lost or loop.",
				 sure	  ? (cyclic ? "can" : "may be")
				 : cyclic ? "may"
					  : "might be"),
			"%s", audit_adaptive_why(c));
		return;
	}
	(void)add_finding(l, NOTE, "choice",
		"%u switch%s %s among ports by adaptive groups, which were "
		"read: whatever %s, no packet waits in a circle, loops, or "
		"ends where no entry goes on.",
		c->switches, names_plural_es(c->switches),
		c->switches == 1 ? "chooses" : "choose",
		c->switches == 1 ? "it chooses" : "they choose");
}

/* Adaptive groups that were read. */
static void
find_choices(struct list *l)
{
	const struct audit_adaptive_facts *c = &l->j->choices;

	find_choice_fault(l, &c->no_group,
		"LIDs whose adaptive group has no ports, or is beyond those in "
		"use");
	find_choice_fault(l, &c->no_link,
		"Ports of adaptive groups that lead to no switch");
	find_choice_fault(l, &c->away,
		"Ports of adaptive groups that lead away from a host that is "
		"at the switch");
	find_choice_fault(l, &c->other_default,
		"LIDs whose port for packets in order, beside the adaptive "
		"group, is not that of the forwarding table");
	if (c->unread > 0)
		add_line(add_finding(l, UNREAD, "choice",
				 "%u switch%s did not give all adaptive "
				 "groups.",
				 c->unread, names_plural_es(c->unread)),
			"%s", c->unread_first);
	if (c->switches > 0)
		find_choice_verdict(l);
}

/* What subnet administration did not tell. */
static void
find_sa(struct list *l)
{
	const struct audit_sa_client_facts *sa =
		audit_sa_client_facts(l->j->read->sa);
	json_t *lines;

	if (!sa->answers) {
		lines = add_finding(l, UNREAD, "sa",
			"Subnet administration did not answer: groups are "
			"known only from multicast tables%s.",
			l->j->by_vl ? ", and packets may have every SL" : "");
		add_line(lines, "%s", sa->why);
	} else if (sa->why[0] != '\0') {
		add_line(add_finding(l, UNREAD, "sa",
				 "Subnet administration did not answer all "
				 "requests as it should."),
			"%s", sa->why);
	}
	if (sa->answered < sa->sources)
		(void)add_finding(l, NOTE, "sa",
			"Subnet administration gave paths from %" PRIu32
			" of %" PRIu32 " LIDs.",
			sa->answered, sa->sources);
}

/* Which packets were judged with every SL, and whether some SLs are lost. */
static void
find_sls(struct list *l)
{
	const struct audit_vl_read_facts v =
		audit_vl_read_facts(l->j->read->vls);
	const struct audit_sa_client_facts *sa =
		audit_sa_client_facts(l->j->read->sa);
	const struct audit_path_facts *p = &l->j->paths;

	if (l->j->by_vl && p->assumed > 0)
		(void)add_finding(l, NOTE, "sl",
			"SLs of %" PRIu64
			" pairs (port, LID) are those that subnet "
			"administration reported; packets of the %" PRIu64
			" others were judged with every SL.",
			p->told, p->assumed);
	else if (v.discards != 0 && p->assumed > 0)
		(void)add_finding(l, sa->sls != 0 ? NOTE : UNREAD, "sl",
			"Some SL to VL tables discard some SLs%s. SLs of "
			"%" PRIu64 " pairs (port, LID) are unknown.",
			sa->sls != 0 ? ", none of them one that subnet "
				       "administration gave out where it was "
				       "asked"
				     : "",
			p->assumed);
}

static void
find_tables(struct list *l)
{
	const struct audit_vl_read_facts v =
		audit_vl_read_facts(l->j->read->vls);
	const struct topo *t = l->j->read->topo;
	const struct mft_failure *failed;
	json_t *lines;
	size_t n;

	if (v.read < v.tables && (l->j->by_vl || v.discards != 0))
		(void)add_finding(l,
			l->j->by_vl || v.refused > 0 ? UNREAD : NOTE, "sl2vl",
			"%" PRIu64 " of %" PRIu64
			" SL to VL tables were read, of %u kind%s; the others "
			"may be different.",
			v.read, v.tables, v.kinds, names_plural(v.kinds));
	failed = mft_failures(l->j->read->mft, &n);
	if (n == 0 && mft_complete(l->j->read->mft))
		return;
	lines = add_finding(l, UNREAD, "mft",
		"Multicast tables of %zu switch%s could not be read "
		"completely.",
		n, names_plural_es((long long)n));
	for (size_t i = 0; i < n && i < LIST_SHOWN; i++)
		for (sw_ix s = 0; s < t->nsw; s++)
			if (t->node[t->sw[s].node].guid == failed[i].guid)
				add_line(lines, "%s", switch_name(l, s).s);
}

json_t *
audit_findings(const struct audit_judged *j)
{
	struct list l = {.j = j};
	json_t *all = json_array();

	for (size_t s = 0; s < SEVERITIES; s++)
		l.of[s] = json_array();
	find_paths(&l);
	find_cycles(&l);
	find_groups(&l);
	find_unjudged(&l);
	find_adaptive(&l, false);
	find_adaptive(&l, true);
	find_choices(&l);
	find_sa(&l);
	find_sls(&l);
	find_tables(&l);
	for (size_t s = 0; s < SEVERITIES; s++) {
		(void)json_array_extend(all, l.of[s]);
		json_decref(l.of[s]);
	}
	return all;
}

/* ---- compared with Heddle's routes ---- */

static void
better_deadlock(const struct list *l, json_t *out)
{
	const struct forecast *ours = &l->j->ours;
	const struct verify_report *q = &l->j->found.report;

	if (l->j->sure.cyclic + l->j->all.cyclic > 0)
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
		topo_name(t, far->node).s, far->num);
}

static void
better_load(const struct list *l, json_t *out)
{
	const struct forecast *a = &l->j->found, *b = &l->j->ours;
	double was = (double)a->report.load_max,
	       is = (double)b->report.load_max;
	const char *unit = b->topo->rate_min < b->topo->rate_max
				   ? "pairs of hosts by rate"
				   : "pairs of hosts";
	struct buf where = {0};

	if (was == 0 || (is < was * 1.02 && is > was * 0.98))
		return;
	put_busiest_link(l, is < was ? a : b, &where);
	if (is < was)
		add_line(out,
			"the busiest link%s carries %.0f %s; with Heddle's "
			"routes the busiest one carries %.0f (%.0f%% less).",
			where.text != NULL ? where.text : "", was, unit, is,
			(1 - is / was) * 100);
	else
		add_line(out,
			"not better: Heddle's busiest link%s would carry %.0f "
			"%s instead of %.0f.",
			where.text != NULL ? where.text : "", is, unit, was);
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
	double was = l->j->found.report.hops_mean;
	double is = l->j->ours.report.hops_mean;

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
audit_findings_better(const struct audit_judged *j)
{
	struct list l = {.j = j};
	json_t *out = json_array();

	if (j->ours.routes == NULL) {
		add_line(out, "Heddle finds no routes for this fabric: %s",
			j->ours.why);
		return out;
	}
	better_deadlock(&l, out);
	better_load(&l, out);
	better_share(
		out, "random bisections", j->found.ebb.mean, j->ours.ebb.mean);
	better_share(out, "shift permutations", j->found.shift.mean,
		j->ours.shift.mean);
	better_hops(&l, out);
	return out;
}
