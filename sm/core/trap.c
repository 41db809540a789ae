#include "sm/core/trap.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "sm/base/hash.h"
#include "sm/base/map.h"
#include "sm/base/mem.h"
#include "sm/core/sm_priv.h"

enum { TRAP_LINK_STATE = 128, TRAP_LOCAL_CHANGES = 144 };
enum { NEW_DESCRIPTION = 1 }; /* bit of trap 144's flags */

enum {
	BURST = 16,	     /* tokens that a source may have */
	REPEAT_MS = 1000,    /* the same notice within this is a repetition */
	EARN_MS = 250,	     /* a source earns a token in this time */
	MAX_SOURCES = 65536, /* LIDs */
};

struct source {
	struct mono last;   /* of the last trap acted on */
	struct mono earned; /* when tokens were last added */
	uint64_t print;	    /* fingerprint of that trap */
	unsigned tokens;
};

struct trap_filter {
	struct map by_lid;
	struct source *src;
	size_t n, cap;
};

struct trap_filter *
traps_new(void)
{
	return mem_zalloc(1, sizeof(struct trap_filter));
}

void
traps_free(struct trap_filter *t)
{
	if (t == NULL)
		return;
	map_free(&t->by_lid);
	free(t->src);
	free(t);
}

/* FNV-1a of the notice and its TID: repetitions carry both unchanged. */
static uint64_t
trap_print(const struct smp *s)
{
	return fnv_more(FNV_START ^ s->tid, s->data, sizeof(s->data));
}

static struct source *
source_of(struct trap_filter *t, uint16_t lid, struct mono now)
{
	uint32_t i;

	if (map_get(&t->by_lid, lid, &i))
		return &t->src[i];
	t->src = mem_grow(t->src, t->n, &t->cap, sizeof(*t->src));
	t->src[t->n] = (struct source){.tokens = BURST, .earned = now};
	map_put(&t->by_lid, lid, (uint32_t)t->n);
	return &t->src[t->n++];
}

static void
earn_tokens(struct source *s, struct mono now)
{
	int64_t n = mono_sub(now, s->earned).ns / mono_ms(EARN_MS).ns;

	if (n <= 0)
		return;
	s->tokens = n >= BURST - (int64_t)s->tokens ? BURST
						    : s->tokens + (unsigned)n;
	s->earned = now;
}

enum trap_verdict
trap_is_new(struct trap_filter *t, uint16_t lid, const struct smp *s,
	const struct mad_notice *n, struct mono now)
{
	struct source *src = source_of(t, lid, now);
	uint64_t print = trap_print(s) ^ n->trap;
	bool seen = src->print == print && src->last.ns != 0;

	if (seen && mono_before(now, mono_add(src->last, mono_ms(REPEAT_MS))))
		return TRAP_REPEAT;
	earn_tokens(src, now);
	if (src->tokens == 0)
		return TRAP_FLOOD;
	src->tokens--;
	src->print = print;
	src->last = now;
	return seen ? TRAP_AGAIN : TRAP_ACT;
}

void
trap_repress(const struct transport_msg *m, const struct smp *s, uint64_t key,
	struct transport_msg *out)
{
	struct smp r = *s;

	r.method = MAD_TRAP_REPRESS;
	r.mkey = key;
	r.status = 0;
	r.response = false;
	*out = *m;
	out->error = 0;
	out->len = MAD_SIZE;
	smp_encode(&r, out->mad);
}

/* ---- what a trap marks dirty ---- */

/*
 * The port that a trap is about, and in *t the topology that it is in: that of
 * the view, or of this run, in which a new switch may already report its links.
 * TOPO_NONE: no port has this LID.
 */
static port_ix
port_of_lid(const struct sm *sm, uint16_t lid, const struct topo **t)
{
	port_ix p = TOPO_NONE;

	if (sm->view == NULL)
		return TOPO_NONE;
	*t = sm->view->topo;
	if (lid == 0)
		return (*t)->sm_port;
	p = topo_by_lid(*t, lid, NULL);
	if (p != TOPO_NONE || sm->topo == NULL)
		return p;
	*t = sm->topo;
	return topo_by_lid(*t, lid, NULL);
}

/* The text for a trap: its source by name where names have been read. */
static void
describe_trap(const struct topo *t, port_ix p, unsigned trap, uint16_t lid,
	char out[128])
{
	const char *name = p != TOPO_NONE ? topo_desc(t, t->port[p].node) : "";

	if (p == TOPO_NONE)
		(void)snprintf(out, 128,
			"trap %u from lid %u, which no port here has", trap,
			lid);
	else if (*name == '\0')
		(void)snprintf(out, 128, "trap %u from 0x%016" PRIx64 " lid %u",
			trap, t->node[t->port[p].node].guid, lid);
	else
		(void)snprintf(
			out, 128, "trap %u from %.64s lid %u", trap, name, lid);
}

/*
 * The node to ask because of a trap about port p: of a link that changed the
 * switch, the port's own or the one that it is connected to; of a change in a
 * host, such as an SM that began there, the host. 0: there is no switch.
 */
static uint64_t
guid_to_probe(const struct topo *t, port_ix p, unsigned trap)
{
	const struct topo_node *n = &t->node[t->port[p].node];
	sw_ix s = topo_switch_of(t, p);

	if (trap == TRAP_LOCAL_CHANGES && n->type != TOPO_SWITCH)
		return n->guid;
	return s == TOPO_NONE ? 0 : t->node[t->sw[s].node].guid;
}

/*
 * True if this run's topology differs at that switch from the one in force.
 * Then a trap of a link most likely reports just that: every switch that lost a
 * neighbour sends one, and many can arrive only when the tables are being
 * repaired.
 */
static bool
is_change_known(const struct sm *sm, uint64_t guid)
{
	const struct topo *was = sm->view->topo, *is = sm->topo;
	node_ix o, n;
	unsigned p;

	if (sm->phase != SM_READBACK && sm->phase != SM_ROUTE &&
		sm->phase != SM_PUSH && sm->phase != SM_COMMIT)
		return false;
	o = topo_by_node_guid(was, guid);
	n = is != NULL ? topo_by_node_guid(is, guid) : TOPO_NONE;
	if (o == TOPO_NONE || n == TOPO_NONE ||
		was->node[o].nports != is->node[n].nports)
		return false;
	for (p = 1; p <= is->node[n].nports; p++)
		if ((was->port[was->node[o].first_port + p].peer ==
			    TOPO_NONE) !=
			(is->port[is->node[n].first_port + p].peer ==
				TOPO_NONE))
			return true;
	return false;
}

/*
 * True if port p of t, that a trap is about, is of the node that sent it, or of
 * the switch next to its port: no other node's ports are its business.
 */
static bool
is_of_sender(const struct sm *sm, uint16_t lid, const struct topo *t, port_ix p)
{
	uint64_t guid = t->node[t->port[p].node].guid;
	const struct topo *from = NULL;
	port_ix q = port_of_lid(sm, lid, &from);
	sw_ix s;

	if (q == TOPO_NONE)
		return false;
	s = topo_switch_of(from, q);
	return from->node[from->port[q].node].guid == guid ||
	       (s != TOPO_NONE && from->node[from->sw[s].node].guid == guid);
}

/*
 * A trap about a LID that no port has, or that is no business of its sender,
 * which may be next to what changed: that switch is asked whether anything did.
 * An unknown sender, or one too many such traps, costs a light sweep, which
 * finds a change at any switch; it comes later, not never. A full sweep, or a
 * probe for each, would let one host occupy the manager.
 */
static void
act_on_stranger(struct sm *sm, uint16_t lid, struct mono now, const char *cause)
{
	const struct topo *t = NULL;
	port_ix p = port_of_lid(sm, lid, &t);
	uint64_t guid =
		p != TOPO_NONE ? guid_to_probe(t, p, TRAP_LINK_STATE) : 0;
	struct mono due =
		mono_before(now, sm->stranger_next) ? sm->stranger_next : now;

	if (guid != 0 && due.ns == now.ns) {
		sm->stranger_next = mono_add(now, mono_ms(STRANGER_MS));
		dirty_mark_reported(sm, guid, now, cause);
		return;
	}
	if (due.ns < timer_due(&sm->timers, TIMER_LIGHT).ns)
		log_info("trap: light sweep cause=\"%s\"", cause);
	timer_sooner(&sm->timers, TIMER_LIGHT, due);
}

static void
act_on_trap(struct sm *sm, uint16_t lid, const struct mad_notice *n,
	struct mono now)
{
	uint16_t about = n->data_lid ? n->data_lid : lid;
	const struct topo *t = NULL;
	port_ix p = port_of_lid(sm, about, &t);
	uint64_t guid = 0;
	char cause[128];

	if (n->trap != TRAP_LINK_STATE && n->trap != TRAP_LOCAL_CHANGES)
		return;
	if (p != TOPO_NONE && !is_of_sender(sm, lid, t, p)) {
		(void)snprintf(cause, sizeof(cause),
			"trap %u from lid %u about lid %u, of another node",
			n->trap, lid, about);
		act_on_stranger(sm, lid, now, cause);
		return;
	}
	if (p != TOPO_NONE) {
		if (n->trap == TRAP_LOCAL_CHANGES)
			master_look(sm, t->port[p].guid, now);
		guid = guid_to_probe(t, p, n->trap);
		if (n->trap == TRAP_LOCAL_CHANGES &&
			(n->change_flags & NEW_DESCRIPTION) != 0)
			builder_renamed(
				sm->draft, t->node[t->port[p].node].guid);
	}
	if (n->trap == TRAP_LINK_STATE && run_push_caused(sm, guid))
		return;
	describe_trap(t, p, n->trap, about, cause);
	if (guid != 0 && n->trap == TRAP_LINK_STATE &&
		is_change_known(sm, guid))
		dirty_mark_known(sm, guid, now, cause);
	else if (guid != 0 && n->trap == TRAP_LINK_STATE)
		dirty_mark_reported(sm, guid, now, cause);
	else if (guid != 0)
		dirty_mark(sm, guid, now, DIRTY_TRAP, cause);
	else if (p == TOPO_NONE && sm->view != NULL)
		act_on_stranger(sm, lid, now, cause);
	else
		dirty_mark_full(sm, now, DIRTY_TRAP, cause);
}

/*
 * The M_Key that the port of a LID takes: TrapRepress needs it, too. None is
 * sent to a LID that is not known to be that of a port with this key.
 */
static uint64_t
key_of_source(const struct sm *sm, uint16_t lid)
{
	const struct topo *t = NULL;
	port_ix p = port_of_lid(sm, lid, &t);

	return p == TOPO_NONE
		       ? 0
		       : keyring_find(xact_keys(sm->x), topo_sma_guid(t, p), 0);
}

void
trap_receive(struct sm *sm, const struct transport_msg *m, const struct smp *s,
	struct mono now)
{
	struct transport_msg answer;
	struct mad_notice n;
	enum trap_verdict verdict;
	unsigned swallowed;

	trap_repress(m, s, key_of_source(sm, m->addr.lid), &answer);
	(void)sm->t->send(sm->t, &answer);
	mad_notice_decode(s->data, &n);
	sm->stat.traps++;
	if (sm->role != SM_MASTER || !n.generic)
		return;
	verdict = trap_is_new(sm->traps, m->addr.lid, s, &n, now);
	switch (verdict) {
	case TRAP_ACT:
	case TRAP_AGAIN:
		sa_trap(sm->sa, m->addr.lid, s->data, now);
		act_on_trap(sm, m->addr.lid, &n, now);
		trap_fault_report(
			sm, m->addr.lid, &n, s->data, verdict == TRAP_ACT, now);
		break;
	case TRAP_REPEAT:
		sm->stat.traps_repeated++;
		break;
	case TRAP_FLOOD:
		sm->stat.traps_refused++;
		if (log_allowed(&sm->noise, 5, now, &swallowed))
			log_warn("trap: too many from lid=%u trap=%u, ignored",
				m->addr.lid, n.trap);
		break;
	}
}
