#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "sm/base/be.h"
#include "sm/base/mem.h"
#include "tests/sim/model/sim_rmpp.h"
#include "tests/sim/serve/umadserve_int.h"

/* Byte positions in a MAD and its RMPP header (IBA 13.4.3, 13.6.2.1). */
enum {
	AT_CLASS = 1,
	AT_VERSION = 2,
	AT_METHOD = 3,
	AT_STATUS = 4,
	AT_TID = 8,
	AT_RMPP_FLAGS = 26,
	AT_OUI = 37,
};
enum {
	RESPONSE = 0x80,
	DIRECTION = 0x80, /* in the first byte of a directed SMP's status */
	BM = 0x05, /* baseboard management: responses are marked in their */
	AT_BM_RESPONSE = 23, /* attribute modifier */
	RMPP_ACTIVE = 1,
	LID_PERMISSIVE = 0xffff,
	PARKED_MS = 10000,    /* no message is in flight for longer */
	RETRIES = 1000,	      /* more would take years */
	TIMEOUT_MS = 1 << 30, /* the same */
};

/* True for an answer, by the kernel's rules. */
static bool
is_response(const uint8_t *mad)
{
	return (mad[AT_METHOD] & RESPONSE) ||
	       mad[AT_METHOD] == MAD_TRAP_REPRESS ||
	       (mad[AT_CLASS] == BM && (mad[AT_BM_RESPONSE] & 1));
}

static bool
speaks_rmpp(const struct umadserve_agent *a, const uint8_t *mad)
{
	return a->what.rmpp && sim_rmpp_data(mad[AT_CLASS]) &&
	       (mad[AT_RMPP_FLAGS] & RMPP_ACTIVE);
}

static void
unpark_body(struct umadserve *u, struct umadserve_parked *p)
{
	umadserve_unref(p->body);
	p->body = NULL;
	u->nparked--;
}

static void
park_body(struct umadserve *u, const uint8_t *mad, size_t len,
	struct umadserve_body *body)
{
	struct umadserve_parked *p =
		&u->parked[u->next_parked++ % UMADSERVE_PARKED];

	if (p->body)
		unpark_body(u, p);
	u->nparked++;
	*p = (struct umadserve_parked){
		.body = umadserve_ref(body),
		.since = u->now,
		.tid = be_get64(mad + AT_TID),
		.len = len,
		.mgmt_class = mad[AT_CLASS],
		.method = mad[AT_METHOD],
	};
}

/* The youngest long message with this header, or NULL. */
static struct umadserve_parked *
find_parked(struct umadserve *u, const uint8_t *mad)
{
	for (unsigned i = 1; i <= UMADSERVE_PARKED; i++) {
		struct umadserve_parked *p =
			&u->parked[(u->next_parked - i) % UMADSERVE_PARKED];

		if (p->body && p->tid == be_get64(mad + AT_TID) &&
			p->mgmt_class == mad[AT_CLASS] &&
			p->method == mad[AT_METHOD])
			return p;
	}
	return NULL;
}

/* Free long messages after the loss of their first bytes. */
static void
clear_parking(struct umadserve *u)
{
	for (unsigned i = 0; u->nparked && i < UMADSERVE_PARKED; i++) {
		struct umadserve_parked *p = &u->parked[i];

		if (p->body &&
			mono_before(
				mono_add(p->since, mono_ms(PARKED_MS)), u->now))
			unpark_body(u, p);
	}
}

static void
put_on_wire(struct umadserve *u, struct sim_endpoint *e,
	const struct proto_mad *f, size_t len, struct umadserve_body *body)
{
	struct transport_msg m = {
		.addr.lid = ntohs(f->umad.lid_be),
		.addr.qpn = ntohl(f->umad.qpn_be),
		.addr.sl = f->umad.sl,
		.addr.pkey_index = f->umad.pkey_index,
		.len = MAD_SIZE,
	};

	if (f->umad.grh) {
		m.addr.grh.present = true;
		m.addr.grh.gid_index = f->umad.gid_index;
		m.addr.grh.hop_limit = f->umad.hop_limit;
		m.addr.grh.traffic_class = f->umad.traffic_class;
		m.addr.grh.flow_label = ntohl(f->umad.flow_label_be);
		memcpy(m.addr.grh.gid, f->umad.gid, sizeof(f->umad.gid));
	}
	memcpy(m.mad, f->mad, MAD_SIZE);
	if (body)
		park_body(u, m.mad, len, body);
	u->stats.sent++;
	sim_send(e, &m);
}

static uint32_t
new_xact(struct umadserve *u)
{
	uint32_t ix = u->free_xact;

	if (ix != UINT32_MAX) {
		u->free_xact = u->xact[ix].next_free;
		return ix;
	}
	u->xact = mem_grow(u->xact, u->nxacts, &u->xact_cap, sizeof(*u->xact));
	return (uint32_t)u->nxacts++;
}

static void
free_xact(struct umadserve *u, uint32_t ix)
{
	struct umadserve_xact *x = &u->xact[ix];
	uint64_t tid = be_get64(x->f.mad + AT_TID);
	uint32_t other;

	/* a second request with the same TID may have replaced it in the map */
	if (map_get(&u->by_tid, tid, &other) && other == ix)
		(void)map_del(&u->by_tid, tid);
	deadlines_clear(&u->due, ix);
	umadserve_unref(x->body);
	x->agent->conn->waiting--;
	x->agent = NULL;
	x->next_free = u->free_xact;
	u->free_xact = ix;
}

/* Wait for the answer to a request that is being sent. */
static void
add_xact(struct umadserve *u, struct umadserve_agent *a,
	const struct proto_mad *f, size_t len, struct umadserve_body *body)
{
	uint32_t ix = new_xact(u), ms = f->umad.timeout_ms;
	struct umadserve_xact *x = &u->xact[ix];

	*x = (struct umadserve_xact){
		.agent = a,
		.tries = f->umad.retries < RETRIES ? f->umad.retries : RETRIES,
		.timeout = mono_ms(ms < TIMEOUT_MS ? ms : TIMEOUT_MS),
		.f = *f,
		.len = len,
		.body = umadserve_ref(body),
	};
	a->conn->waiting++;
	map_put(&u->by_tid, be_get64(f->mad + AT_TID), ix);
	deadlines_set(&u->due, ix, mono_add(u->now, x->timeout));
}

void
umadserve_mad_send(struct umadserve *u, struct umadserve_conn *c,
	struct proto_mad *f, size_t len, struct umadserve_body *body)
{
	struct umadserve_agent *a =
		f->umad.agent < PROTO_AGENTS ? &c->agent[f->umad.agent] : NULL;
	bool response = is_response(f->mad);

	/* the library has refused these already, with an errno */
	if (!a || !a->used || len < PROTO_MAD_LEAST ||
		(body && !speaks_rmpp(a, f->mad))) {
		u->stats.dropped++;
		return;
	}
	if (!response)
		be_put32(f->mad + AT_TID, a->hi);
	if (speaks_rmpp(a, f->mad))
		sim_rmpp_begin(f->mad, len);
	if (!response && f->umad.timeout_ms && c->waiting < UMADSERVE_WAITING)
		add_xact(u, a, f, len, body);
	put_on_wire(u, c->port->e, f, len, body);
}

/* Give a MAD that has arrived to an agent. */
static void
deliver_to_agent(struct umadserve *u, struct umadserve_agent *a,
	const struct transport_msg *m)
{
	struct proto_mad f = {
		.head = {PROTO_PLAIN, sizeof(f)},
		.umad =
			{
				.agent = a->what.id,
				.length = PROTO_UMAD + MAD_SIZE,
				.qpn_be = htonl(m->addr.qpn),
				.lid_be = htons(m->addr.lid),
				.sl = m->addr.sl,
				.pkey_index = m->addr.pkey_index,
				.grh = m->addr.grh.present,
				.gid_index = m->addr.grh.gid_index,
				.hop_limit = m->addr.grh.hop_limit,
				.traffic_class = m->addr.grh.traffic_class,
				.flow_label_be = htonl(m->addr.grh.flow_label),
			},
	};
	struct umadserve_parked *p = NULL;
	size_t len = m->len;

	if (len < PROTO_MAD_LEAST) { /* truncated by a fault */
		u->stats.dropped++;
		return;
	}
	len = len > MAD_SIZE ? MAD_SIZE : len;
	memcpy(f.umad.gid, m->addr.grh.gid, sizeof(f.umad.gid));
	memcpy(f.mad, m->mad, len);
	if (speaks_rmpp(a, f.mad)) {
		size_t whole = sim_rmpp_length(f.mad);

		if (whole > MAD_SIZE)
			p = find_parked(u, f.mad);
		if (p ? p->len == whole
		      : whole >= PROTO_MAD_LEAST && whole < len)
			len = whole;
		f.umad.length = (uint32_t)(PROTO_UMAD + len);
	}
	f.head.size = (uint32_t)(PROTO_MAD_AT + len);
	if (len <= MAD_SIZE) {
		umadserve_give(a, &f, f.head.size, NULL);
		return;
	}
	assert(p != NULL); /* only what is parked is longer */
	f.head.kind = PROTO_BIG;
	umadserve_give(a, &f, sizeof(f), p->body);
	unpark_body(u, p);
}

/*
 * Whether the kernel takes an answer for that to a request: both with a GRH or
 * both without, and one with a GRH goes to the GID that the request came from.
 */
static bool
has_same_gid(const struct proto_umad *request, const struct transport_addr *a)
{
	return (request->grh != 0) == a->grh.present &&
	       (!a->grh.present || request->gid_index == a->grh.gid_index);
}

static bool
take_response(struct umadserve_port *p, const struct transport_msg *m)
{
	struct umadserve *u = p->u;
	struct umadserve_agent *a;
	uint32_t ix;

	if (!map_get(&u->by_tid, be_get64(m->mad + AT_TID), &ix) ||
		u->xact[ix].agent->conn->port != p ||
		!has_same_gid(&u->xact[ix].f.umad, &m->addr) ||
		u->xact[ix].f.mad[AT_CLASS] != m->mad[AT_CLASS]) {
		u->stats.late++;
		return false;
	}
	a = u->xact[ix].agent;
	free_xact(u, ix);
	deliver_to_agent(u, a, m);
	return true;
}

/* True if this agent registered for such requests. */
static bool
wants_request(const struct umadserve_agent *a, const uint8_t *mad)
{
	uint8_t mgmt_class = mad[AT_CLASS], method = mad[AT_METHOD] & 0x7f;

	if (a->what.mgmt_class != mgmt_class ||
		a->what.version != mad[AT_VERSION] ||
		!(a->what.methods[method / 32] & 1U << method % 32))
		return false;
	return mgmt_class < 0x30 || mgmt_class > 0x4f ||
	       a->what.oui == ((uint32_t)mad[AT_OUI] << 16 |
				      (uint32_t)mad[AT_OUI + 1] << 8 |
				      mad[AT_OUI + 2]);
}

bool
umadserve_mad_take(struct umadserve_port *p, const struct transport_msg *m)
{
	if (is_response(m->mad))
		return take_response(p, m);
	for (struct umadserve_agent *a = p->agents; a; a = a->next) {
		if (wants_request(a, m->mad)) {
			deliver_to_agent(p->u, a, m);
			return true;
		}
	}
	return false;
}

void
umadserve_unmatched(struct sim_endpoint *e, const struct transport_msg *m)
{
	struct transport_msg r = *m;

	if (m->mad[AT_METHOD] != MAD_GET && m->mad[AT_METHOD] != MAD_SET)
		return;
	r.len = MAD_SIZE;
	r.mad[AT_METHOD] = MAD_GET_RESP;
	be_put16(r.mad + AT_STATUS, MAD_STATUS_METHOD_ATTR);
	if (r.mad[AT_CLASS] == MAD_SUBN_DR)
		r.mad[AT_STATUS] |= DIRECTION;
	sim_send(e, &r);
}

/* A request timed out: send it again, or return it to its agent. */
static void
expire_xact(struct umadserve *u, uint32_t ix)
{
	struct umadserve_xact *x = &u->xact[ix];
	struct umadserve_agent *a = x->agent;
	struct proto_mad f;

	if (x->tries > 0) {
		x->tries--;
		deadlines_set(&u->due, ix, mono_add(u->now, x->timeout));
		put_on_wire(u, a->conn->port->e, &x->f, x->len, x->body);
		return;
	}
	f = x->f;
	free_xact(u, ix);
	u->stats.timeouts++;
	f.umad.status = ETIMEDOUT;
	f.head = (struct proto_head){
		PROTO_PLAIN, PROTO_MAD_AT + PROTO_MAD_HEADER};
	umadserve_give(a, &f, f.head.size, NULL);
}

void
umadserve_mad_due(struct umadserve *u)
{
	uint32_t ix;

	while (!mono_before(u->now, deadlines_first(&u->due, &ix)))
		expire_xact(u, ix);
	clear_parking(u);
}

void
umadserve_mad_forget(struct umadserve *u, const struct umadserve_agent *a)
{
	for (uint32_t i = 0; i < u->nxacts; i++)
		if (u->xact[i].agent == a)
			free_xact(u, i);
}
