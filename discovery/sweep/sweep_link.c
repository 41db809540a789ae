#include <stdlib.h>
#include <string.h>

#include "discovery/sweep/sweep_priv.h"
#include "sm/base/mem.h"

/* A fabric has a few duplicate GUIDs. More would come from a link that gives
 * false answers, and from the fabric being seen through it once more. */
enum { DUPLICATES_MAX = 256 };

/*
 * The NodeInfo that came through a port, with the number of the port that
 * answered.
 */
struct answer {
	struct mad_node_info ni;
	builder_id from; /* asked through this node ... */
	uint8_t port;	 /* ... and this port of it */
	uint64_t key;	 /* with this M_Key */
};

/* Start the record of a node anew: it became another one. */
static void
renew_record(struct sweep *s, builder_id n)
{
	struct sweep_node *w = sweep_node(s, n);

	free(w->heard);
	*w = (struct sweep_node){.gen = (uint16_t)(w->gen + 1)};
}

static bool
same_kind(const struct builder_node *n, const struct mad_node_info *ni)
{
	return n->type == ni->type && n->nports == ni->nports &&
	       n->sysimg == ni->sysimg;
}

/* What NodeInfo says about the node itself and the port that answered. */
static void
set_node_info(struct builder *d, builder_id n, const struct mad_node_info *ni)
{
	struct builder_node *node = d->node[n];
	unsigned port = ni->type == TOPO_SWITCH ? 0 : ni->local_port;

	node->sysimg = ni->sysimg;
	node->vendor = ni->vendor;
	node->device = ni->device;
	node->revision = ni->revision;
	node->partition_cap = ni->partition_cap;
	node->port[port].guid = ni->port_guid;
}

static bool
leads_to(const struct builder_port *p, builder_id n, uint8_t port)
{
	return p->peer == n && p->peer_port == port;
}

/* True if this port was read in this sweep and found down. */
static bool
known_down(const struct sweep *s, builder_id n, uint8_t port)
{
	const struct builder_node *node = s->d->node[n];
	const struct builder_port *p = &node->port[port];

	return node->type == TOPO_SWITCH && p->read == s->sweep &&
	       (p->marks & DP_READ) && !builder_up(p);
}

/*
 * True if a link can end here without contradicting what this sweep has seen.
 */
static bool
is_free(const struct sweep *s, builder_id n, uint8_t port)
{
	const struct builder_port *p = &s->d->node[n]->port[port];

	if (known_down(s, n, port))
		return false;
	return p->peer == BUILDER_NONE ||
	       (s->kind == SWEEP_FULL && p->seen != s->sweep);
}

/*
 * True for a node that nothing in this sweep has confirmed: it may turn out to
 * be another one, a switch that was exchanged or got new firmware with more
 * ports.
 */
static bool
is_stale(struct sweep *s, builder_id n)
{
	if (n == s->d->self)
		return false;
	if (s->kind == SWEEP_FULL)
		return s->d->node[n]->seen != s->sweep;
	return s->d->node[n]->reach == BUILDER_UNREACHED &&
	       sweep_node(s, n)->state == SN_NONE;
}

/*
 * The node of the builder that has answered; BUILDER_NONE: none that is known.
 * *contested: so far, its port that answered is known to have another link.
 */
static builder_id
match_node(struct sweep *s, const struct answer *a, bool *contested)
{
	const struct builder *d = s->d;
	uint8_t port = a->ni.local_port;
	builder_id first, n;
	builder_id candidate = BUILDER_NONE;

	*contested = false;
	if (!builder_find(d, a->ni.guid, &first))
		return BUILDER_NONE;
	for (n = first; n != BUILDER_NONE; n = d->node[n]->next) {
		if (!same_kind(d->node[n], &a->ni) || sweep_node(s, n)->gone)
			continue;
		if (leads_to(&d->node[n]->port[port], a->from, a->port) &&
			!known_down(s, n, port))
			return n;
		if (candidate == BUILDER_NONE ||
			(!is_free(s, candidate, port) && is_free(s, n, port)))
			candidate = n;
	}
	if (candidate != BUILDER_NONE) {
		*contested = !is_free(s, candidate, port);
		return candidate;
	}
	for (n = first; n != BUILDER_NONE; n = d->node[n]->next) {
		if (!is_stale(s, n))
			continue;
		builder_node_reset(s->d, n, a->ni.type, a->ni.nports);
		renew_record(s, n);
		s->rewired = true;
		return n;
	}
	return BUILDER_NONE;
}

/* Add a node that was not met before; a duplicate when its GUID is not new. */
static builder_id
add_new_node(struct sweep *s, const struct answer *a)
{
	char name[96];
	builder_id known, n;
	bool known_guid = builder_find(s->d, a->ni.guid, &known);

	if (known_guid && ++s->stats.duplicates > DUPLICATES_MAX) {
		builder_add_oddity(
			s->d, "too many duplicate GUIDs: the rest is ignored");
		return BUILDER_NONE;
	}
	n = builder_node_new(s->d, a->ni.guid, a->ni.type, a->ni.nports);
	if (n == BUILDER_NONE) {
		builder_add_oddity(s->d,
			"more than %u nodes: the rest is ignored",
			BUILDER_MAX_NODES);
		return n;
	}
	renew_record(s, n);
	s->stats.new_nodes++;
	if (known_guid) {
		builder_add_oddity(s->d,
			"duplicate GUID 0x%016llx: another node behind port %u "
			"of %s has it",
			(unsigned long long)a->ni.guid, a->port,
			builder_name(s->d, a->from, name));
		s->d->node[n]->flags |= TN_DUPLICATE;
		s->d->node[known]->flags |= TN_DUPLICATE;
	}
	return n;
}

/* Route to n through from's port, unless that makes a loop. */
static void
set_via(struct builder *d, builder_id n, builder_id from, uint8_t port)
{
	unsigned hops = 0;

	for (builder_id i = from; i != d->self; i = d->node[i]->via) {
		if (i == n || i == BUILDER_NONE || ++hops > TOPO_MAX_HOPS)
			return;
	}
	if (n == d->self)
		return;
	d->routed = false;
	d->node[n]->via = from;
	d->node[n]->via_port = port;
	d->node[n]->hops = (uint16_t)(d->node[from]->hops + 1);
}

/* Node n answers: read it unless that is being done already. */
static void
confirm_node(struct sweep *s, builder_id n, const struct answer *a)
{
	struct builder_node *node = s->d->node[n];
	struct sweep_node *w = sweep_node(s, n);
	bool first;

	if (s->kind == SWEEP_FULL)
		first = node->seen != s->sweep;
	else
		first = node->reach != BUILDER_CLEAN || node->was_cut ||
			node->quarantine != NULL;
	node->seen = s->sweep;
	if (!first || w->state == SN_DEAD || w->state == SN_READ)
		return;
	s->d->routed &= node->reach == BUILDER_CLEAN;
	node->reach = BUILDER_CLEAN;
	w->met = (struct sweep_end){a->from, a->port};
	if (s->kind == SWEEP_FULL || node->via == BUILDER_NONE ||
		w->state == SN_NONE)
		set_via(s->d, n, a->from, a->port);
	if (node->type != TOPO_SWITCH) {
		node->flags &= (uint8_t)~TN_PARTIAL;
		return;
	}
	w->full = true;
	if (w->state == SN_NONE)
		sweep_read(s, n, true);
}

/*
 * Both ends of a link are known: read the port of n if needed. A near end in
 * Init says that the link went down and up: an answer of this sweep in which
 * the far end is beyond Init is older than that, and a host does not report it.
 */
static void
follow_up(struct sweep *s, const struct answer *a, builder_id n, bool known)
{
	const struct builder_node *node = s->d->node[n];
	const struct builder_port *near = &s->d->node[a->from]->port[a->port];
	uint8_t port = a->ni.local_port;
	const struct builder_port *p = &node->port[port];
	bool overtaken = near->state == PORT_INIT && p->state > PORT_INIT;

	if (known && p->read == s->sweep && (p->marks & DP_READ) && !overtaken)
		return;
	if (node->type != TOPO_SWITCH)
		sweep_queue(s, JOB_PORT, n, port);
	else
		sweep_refresh(s, n, port);
}

/* Record that from's port is linked to the port of n that answered. */
static void
connect_link_end(struct sweep *s, const struct answer *a, builder_id n)
{
	struct builder *d = s->d;
	uint8_t port = a->ni.local_port;
	bool known = leads_to(&d->node[a->from]->port[a->port], n, port);
	const struct builder_node *via;

	if (!known) {
		sweep_unplug(s, a->from, a->port);
		sweep_unplug(s, n, port);
		builder_link(d, a->from, a->port, n, port);
		s->stats.new_links++;
		s->rewired = true;
	}
	set_node_info(d, n, &a->ni);
	keyring_suppose(xact_keys(s->x), sweep_sma(d, n, port), a->key);
	d->node[a->from]->port[a->port].seen = s->sweep;
	d->node[n]->port[port].seen = s->sweep;
	confirm_node(s, n, a);
	via = d->node[n]->via == BUILDER_NONE ? NULL : d->node[d->node[n]->via];
	if (via != NULL && via->port[d->node[n]->via_port].peer != n)
		set_via(d, n, a->from, a->port);
	follow_up(s, a, n, known);
}

void
sweep_ask_later(struct sweep *s, builder_id n, uint8_t port)
{
	struct sweep_node *w = sweep_node(s, n);

	if (sweep_bit(w->claimed, port))
		return;
	sweep_bit_set(w->claimed, port);
	sweep_ends_add(&s->claims, n, port);
}

/* Read a port and ask through it, whatever is known already. */
static void
check_again(struct sweep *s, builder_id n, uint8_t port)
{
	if (s->d->node[n]->type != TOPO_SWITCH)
		return;
	sweep_queue(s, JOB_REFRESH, n, port);
	sweep_ask_again(s, n, port);
}

/*
 * Two links lead to the same port of the same GUID. The node moved, or there
 * are two of them: check both ends of the link that holder has; the port that
 * led here (a->port) is asked through again after that. If the answer is the
 * same then, there are two nodes. The link that this port had before is gone:
 * where several moved at once, it may be what the next answer contradicts.
 */
static void
recheck_holder(struct sweep *s, const struct answer *a, builder_id holder)
{
	const struct builder_port *p =
		&s->d->node[holder]->port[a->ni.local_port];

	if (s->d->node[a->from]->port[a->port].seen != s->sweep)
		sweep_unplug(s, a->from, a->port);
	sweep_ask_later(s, a->from, a->port);
	check_again(s, holder, a->ni.local_port);
	if (p->peer != BUILDER_NONE && p->peer != holder)
		check_again(s, p->peer, p->peer_port);
}

/* Of two nodes with one GUID, the one that was met later; never our own. */
static builder_id
later_of(const struct builder *d, builder_id a, builder_id b)
{
	builder_id n;

	if (a == d->self || b == d->self)
		return a == d->self ? b : a;
	for (n = d->node[a]->next; n != BUILDER_NONE && n != b;)
		n = d->node[n]->next;
	return n == b ? b : a;
}

/*
 * Nodes a and b have one GUID, and the same port of both leads to the same
 * port: they are one node, and the link by which the later one was met does not
 * end where it seems to. Forget the later one, the shadow, and that link.
 * Returns the node that was forgotten.
 */
static builder_id
forget_shadow(struct sweep *s, builder_id a, builder_id b)
{
	struct builder *d = s->d;
	builder_id n = later_of(d, a, b);
	struct sweep_end met = sweep_node(s, n)->met;
	char name[96];

	if (sweep_node(s, n)->state != SN_NONE) {
		sweep_bit_set(sweep_node(s, met.node)->banned, met.port);
		builder_add_oddity(d,
			"the link at port %u of %s leads to 0x%016llx, which "
			"does not point back: not used",
			met.port, builder_name(d, met.node, name),
			(unsigned long long)d->node[n]->guid);
	}
	for (unsigned p = 0; p <= d->node[n]->nports; p++)
		sweep_unplug(s, n, (uint8_t)p);
	renew_record(s, n);
	sweep_node(s, n)->state = SN_DEAD;
	sweep_node(s, n)->gone = true;
	d->node[n]->seen = s->sweep - 1;
	d->routed = false;
	d->node[n]->reach = BUILDER_UNREACHED;
	d->node[n]->via = BUILDER_NONE;
	return n;
}

/* True if the contested port of holder is linked to another record of the node
 * that was asked: the same GUID, the same port. */
static bool
is_shadow(const struct builder *d, const struct answer *a, builder_id holder)
{
	const struct builder_port *p = &d->node[holder]->port[a->ni.local_port];

	return p->peer != BUILDER_NONE && p->peer != a->from &&
	       p->peer_port == a->port &&
	       d->node[p->peer]->guid == d->node[a->from]->guid;
}

/* One end says that the link leads elsewhere than was confirmed before: ask
 * both once more; true when that was queued. */
static bool
recheck_both_ends(struct sweep *s, const struct answer *a, builder_id n)
{
	struct sweep_node *w = sweep_node(s, a->from);
	const struct builder_port *p = &s->d->node[a->from]->port[a->port];
	char name[96];

	if (p->peer == BUILDER_NONE || p->seen != s->sweep ||
		sweep_bit(w->reasked, a->port))
		return false;
	if (n != BUILDER_NONE && leads_to(p, n, a->ni.local_port))
		return false;
	sweep_bit_set(w->reasked, a->port);
	builder_add_oddity(s->d,
		"the two ends of the link at port %u of %s disagree", a->port,
		builder_name(s->d, a->from, name));
	sweep_ask_again(s, a->from, a->port);
	if (s->d->node[p->peer]->type == TOPO_SWITCH)
		sweep_ask_again(s, p->peer, p->peer_port);
	return true;
}

/*
 * A link that is up, and through which no answer comes, or one without sense.
 */
static void
mark_link_silent(struct sweep *s, const struct sweep_job *job, const char *why)
{
	const struct builder_port *p = &s->d->node[job->node]->port[job->port];
	char name[96];

	if (p->peer == BUILDER_NONE) {
		builder_add_oddity(s->d,
			"port %u of %s is up, but the node behind it cannot be "
			"read: %s",
			job->port, builder_name(s->d, job->node, name), why);
		return;
	}
	if (p->seen == s->sweep)
		return; /* the other end has answered */
	if (sweep_node(s, p->peer)->silent < UINT8_MAX)
		sweep_node(s, p->peer)->silent++;
	sweep_ends_add(&s->failed, job->node, job->port);
}

void
sweep_got_ask(struct sweep *s, const struct sweep_job *job,
	const struct xact_result *res)
{
	struct answer a = {
		.from = job->node, .port = job->port, .key = res->key};
	struct reason why;
	bool contested;
	builder_id n;

	if (res->outcome != XACT_OK) {
		mark_link_silent(s, job,
			res->outcome == XACT_STATUS
				? mad_status_name(res->status)
			: !sweep_is_in_reach(s, job)
				? "a directed route has at most 63 hops"
				: "no answer; it hangs, or its M_Key is not "
				  "known");
		return;
	}
	if (mad_node_info_decode(res->data, &a.ni, &why) != 0) {
		mark_link_silent(s, job, why.text);
		return;
	}
	if (a.ni.local_port == 0) {
		mark_link_silent(s, job,
			"NodeInfo: it reports that it was asked through port "
			"0");
		return;
	}
	if (sweep_bit(sweep_node(s, a.from)->banned, a.port))
		return;
	n = match_node(s, &a, &contested);
	if (contested && is_shadow(s->d, &a, n)) {
		builder_id peer = s->d->node[n]->port[a.ni.local_port].peer;

		if (forget_shadow(s, a.from, peer) == a.from)
			return;
		contested = !is_free(s, n, a.ni.local_port);
	}
	if (recheck_both_ends(s, &a, n))
		return;
	if (contested && !sweep_bit(sweep_node(s, a.from)->claimed, a.port)) {
		recheck_holder(s, &a, n);
		return;
	}
	if (n == BUILDER_NONE || contested)
		n = add_new_node(s, &a);
	if (n != BUILDER_NONE)
		connect_link_end(s, &a, n);
}

void
sweep_got_self(struct sweep *s, const struct xact_result *res)
{
	struct builder *d = s->d;
	struct mad_node_info ni;
	struct reason why;
	builder_id n = BUILDER_NONE;

	if (res->outcome != XACT_OK) {
		reason_set(&s->failure, "our own port: NodeInfo: %s",
			res->outcome == XACT_STATUS
				? mad_status_name(res->status)
				: "timed out");
		return;
	}
	if (mad_node_info_decode(res->data, &ni, &why) != 0) {
		reason_set(&s->failure, "our own port: %s", why.text);
		return;
	}
	if (d->self != BUILDER_NONE && d->node[d->self]->guid == ni.guid)
		n = d->self;
	else
		(void)builder_find(d, ni.guid, &n);
	if (n == BUILDER_NONE) {
		n = builder_node_new(d, ni.guid, ni.type, ni.nports);
		if (n == BUILDER_NONE) {
			reason_set(&s->failure, "too many nodes");
			return;
		}
		s->stats.new_nodes++;
	} else if (!same_kind(d->node[n], &ni)) {
		builder_node_reset(d, n, ni.type, ni.nports);
	}
	renew_record(s, n);
	d->self = n;
	d->routed = false;
	d->self_port = ni.type == TOPO_SWITCH ? 0 : ni.local_port;
	set_node_info(d, n, &ni);
	keyring_suppose(
		xact_keys(s->x), sweep_sma(d, n, d->self_port), res->key);
	d->node[n]->seen = s->sweep;
	d->node[n]->via = BUILDER_NONE;
	d->node[n]->hops = 0;
	d->node[n]->flags &= (uint8_t)~TN_PARTIAL;
	if (ni.type == TOPO_SWITCH)
		sweep_read(s, n, true);
	else
		sweep_queue(s, JOB_PORT, n, ni.local_port);
}
