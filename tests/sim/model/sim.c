#include "tests/sim/model/sim.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/be.h"
#include "sm/base/mem.h"
#include "tests/sim/model/sim_device.h"
#include "tests/sim/model/sim_ibsim.h"
#include "tests/sim/model/sim_int.h"
#include "tests/sim/model/sim_rmpp.h"

/* Byte positions in a MAD (IBA 13.4.3, 14.2.1). */
enum {
	AT_CLASS = 1,
	AT_METHOD = 3,
	AT_STATUS = 4,
	AT_TID = 8,
	AT_ATTR = 16,
	AT_RMPP_FLAGS = 26,
	AT_RET = 192,
	RESPONSE = 0x80,
	LID_PERMISSIVE = 0xffff,
};

struct sim_options
sim_defaults(void)
{
	return (struct sim_options){
		.seed = 1,
		.hop = mono_us(1),
		.service = mono_us(2),
		.trap_interval = mono_ms(200),
		.lft_cap = sim_device_switch()->lft_cap,
		.mft_cap = sim_device_switch()->mft_cap,
		.enf_cap = sim_device_switch()->enf_cap,
		.pkeys = SIM_PKEYS,
		.capmask2 = UINT16_MAX,
		.opt_sl2vl = true,
		.vl_cap = 4,
		.mtu_cap = 5,
	};
}

/* Take the peer of a port from the fabric. */
static void
set_peer(struct sim *s, const struct fabric *f, uint32_t node, unsigned port)
{
	struct sim_port *q = sim_int_port(s, node, port);
	unsigned pp = 0;

	if (!port || !fabric_peer(f, node, port, &q->peer, &pp))
		return;
	q->rate = f->cable[fabric_port(f, node, port)->cable].rate;
	q->peer_port = q->to_port = (uint8_t)pp;
	q->to = q->peer;
}

static void
add_node(struct sim *s, const struct fabric *f, uint32_t ix)
{
	const struct fabric_node *n = &f->node[ix];
	struct sim_node *out = &s->node[ix];

	out->guid = n->guid;
	out->sysimg = n->sysimg;
	out->name = mem_strdup(n->name);
	memcpy(out->desc, n->name, strnlen(n->name, sizeof(out->desc)));
	out->first = n->first;
	out->vendor = n->vendor;
	out->device = n->device;
	out->type = n->type;
	out->nports = n->nports;
	out->enhanced_p0 = n->enhanced_p0;
	out->attrs = n->attrs;
	out->present = true;
	out->endpoint = -1;
	if (n->type == FABRIC_SWITCH)
		out->sw = mem_zalloc(1, sizeof(*out->sw));
	for (unsigned p = 0; p <= n->nports; p++) {
		struct sim_port *q = &s->port[n->first + p];

		q->guid = fabric_port(f, ix, p)->guid;
		q->peer = q->to = FABRIC_NONE;
		q->rate = (struct fabric_rate){2, 4, 0, false};
		set_peer(s, f, ix, p);
	}
}

static void
boot_node(struct sim *s, const struct fabric *f, uint32_t ix)
{
	const struct sim_node *n = &s->node[ix];

	sim_table_boot(s, ix);
	sim_vendor_boot(s, ix);
	for (unsigned p = 0; p <= n->nports; p++) {
		sim_port_boot(s, ix, p);
		if (s->o.keep_lids) {
			sim_int_port(s, ix, p)->pi.lid =
				fabric_port(f, ix, p)->lid;
			sim_int_port(s, ix, p)->pi.lmc =
				fabric_port(f, ix, p)->lmc;
		}
	}
}

struct sim *
sim_new(const struct fabric *f, const struct sim_options *o)
{
	struct sim *s = mem_zalloc(1, sizeof(*s));

	s->o = *o;
	s->rng.state = o->seed;
	s->nnodes = f->nnodes;
	s->nports = f->nports;
	s->node = mem_zalloc(f->nnodes, sizeof(*s->node));
	s->port = mem_zalloc(f->nports, sizeof(*s->port));
	s->free_flight = s->free_call = FABRIC_NONE;
	for (uint32_t i = 0; i < f->nnodes; i++)
		add_node(s, f, i);
	for (uint32_t i = 0; i < f->nnodes; i++)
		boot_node(s, f, i);
	for (uint32_t i = 0; i < f->nnodes; i++) {
		for (unsigned p = 1; p <= s->node[i].nports; p++)
			sim_port_refresh(s, i, p);
	}
	return s;
}

/* A longer copy, the new part zero; the old one is freed. */
static void *
grow_zeroed(void *old, size_t n, size_t to, size_t size)
{
	void *p = mem_zalloc(to, size);

	memcpy(p, old, n * size);
	free(old);
	return p;
}

void
sim_grow(struct sim *s, const struct fabric *f)
{
	uint32_t n = s->nnodes;

	assert(!s->watch && !s->plane.run && f->nnodes >= n);
	s->node = grow_zeroed(s->node, n, f->nnodes, sizeof(*s->node));
	s->port = grow_zeroed(s->port, s->nports, f->nports, sizeof(*s->port));
	s->nnodes = f->nnodes;
	s->nports = f->nports;
	for (uint32_t i = n; i < s->nnodes; i++) {
		add_node(s, f, i);
		boot_node(s, f, i);
	}
	for (uint32_t i = 0; i < s->nnodes; i++) {
		for (unsigned p = 1; p <= s->node[i].nports; p++) {
			if (sim_int_port(s, i, p)->peer == FABRIC_NONE)
				set_peer(s, f, i, p);
		}
	}
	for (uint32_t i = n; i < s->nnodes; i++) {
		for (unsigned p = 1; p <= s->node[i].nports; p++)
			sim_port_refresh(s, i, p);
	}
}

void
sim_free(struct sim *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->nnodes; i++) {
		sim_table_free(s, i);
		sim_vendor_free(s, i);
		free(s->node[i].sw);
		free(s->node[i].name);
	}
	sim_queue_free(s);
	free(s->node);
	free(s->port);
	free(s);
}

/* The endpoint on this port, or -1. */
static int
endpoint_at(const struct sim *s, uint32_t node, unsigned port)
{
	if (s->node[node].endpoint < 0)
		return -1;
	for (int i = 0; i < s->nendpoints; i++) {
		if (s->endpoint[i].recv && s->endpoint[i].node == node &&
			(s->endpoint[i].port == port ||
				s->node[node].type == FABRIC_SWITCH))
			return i;
	}
	return -1;
}

static bool
find_path(struct sim *s, const struct sim_endpoint *e, struct transport_msg *m,
	struct sim_way *w)
{
	if (m->mad[AT_CLASS] == MAD_SUBN_DR) {
		if (m->mad[AT_STATUS] & 0x80) /* the D bit */
			return sim_route_return(s, e->node, m->mad, w);
		return sim_route_directed(
			s, e->node, e->port, m->mad, m->mad + AT_RET, w);
	}
	return sim_route_lid(s, e->node, e->port, m->addr.lid,
		m->mad[AT_CLASS] != MAD_SUBN_LID, w);
}

/* One MAD; or a message of RMPP, which travels as one piece here. */
static bool
well_sized(const struct transport_msg *m)
{
	if (m->mad[AT_CLASS] != MAD_SA || !(m->mad[AT_RMPP_FLAGS] & 1))
		return m->len == MAD_SIZE;
	return m->len > AT_RMPP_FLAGS && (m->len <= MAD_SIZE || m->body);
}

void
sim_send(struct sim_endpoint *e, const struct transport_msg *m)
{
	struct sim *s = e->s;
	const struct mad_port_info *pi = &sim_int_port(s, e->node, e->port)->pi;
	struct sim_msg msg = {.from = e->node, .m = *m};
	struct sim_way w;

	s->stats.sent++;
	if (!well_sized(m) || !s->node[e->node].present) {
		s->stats.lost_silent++;
		return;
	}
	if (!find_path(s, e, &msg.m, &w))
		return;
	msg.m.addr.lid =
		m->mad[AT_CLASS] == MAD_SUBN_DR ? LID_PERMISSIVE : pi->lid;
	if (!sim_gid_pass(s, e->node, e->port, &w, &msg.m.addr)) {
		s->stats.lost_nobody++;
		return;
	}
	msg.m.error = 0;
	msg.node = w.node;
	msg.port = w.port;
	sim_queue_send(s, &msg, (int)(e - s->endpoint), EV_ARRIVE, w.time);
}

static int
endpoint_send(struct transport *t, const struct transport_msg *m)
{
	struct sim_endpoint *e = (struct sim_endpoint *)(void *)t;
	uint8_t method = m->mad[AT_METHOD];
	struct transport_msg own = *m;

	/* like the kernel: the upper half of a request's TID is not the
	 * caller's, nor is the RMPP header */
	if (!(method & RESPONSE) && method != MAD_TRAP_REPRESS)
		be_put32(own.mad + AT_TID,
			0x5eed0000U | (uint32_t)(e - e->s->endpoint));
	if (m->mad[AT_CLASS] == MAD_SA && (m->mad[AT_RMPP_FLAGS] & 1))
		sim_rmpp_begin(own.mad, m->len);
	sim_send(e, &own);
	return 0;
}

/* A record for an endpoint: a detached one, or a new one. */
static struct sim_endpoint *
free_endpoint(struct sim *s)
{
	for (int i = 0; i < s->nendpoints; i++) {
		if (!s->endpoint[i].recv)
			return &s->endpoint[i];
	}
	assert(s->nendpoints < SIM_MAX_ENDPOINTS);
	return &s->endpoint[s->nendpoints++];
}

struct sim_endpoint *
sim_attach(struct sim *s, uint32_t node, unsigned port, sim_recv *recv,
	void *cookie)
{
	struct sim_endpoint *e;

	assert(recv);
	assert(node < s->nnodes && port <= s->node[node].nports);
	assert((s->node[node].type == FABRIC_SWITCH) == (port == 0));
	assert(endpoint_at(s, node, port) < 0);
	e = free_endpoint(s);
	*e = (struct sim_endpoint){
		.transport = {.send = endpoint_send},
		.s = s,
		.node = node,
		.port = (uint8_t)port,
		.recv = recv,
		.cookie = cookie,
	};
	s->node[node].endpoint = (int8_t)(e - s->endpoint);
	return e;
}

void
sim_detach(struct sim_endpoint *e)
{
	struct sim *s = e->s;

	e->recv = NULL;
	s->node[e->node].endpoint = -1;
	for (int i = 0; i < s->nendpoints; i++) {
		if (s->endpoint[i].recv && s->endpoint[i].node == e->node)
			s->node[e->node].endpoint = (int8_t)i;
	}
}

struct transport *
sim_transport(struct sim_endpoint *e)
{
	return &e->transport;
}

void
sim_set_issm(struct sim_endpoint *e, bool on)
{
	uint32_t cap = sim_int_port(e->s, e->node, e->port)->pi.capmask;

	cap = on ? cap | MAD_CAP_IS_SM : cap & ~(uint32_t)MAD_CAP_IS_SM;
	sim_fault_capmask(e->s, e->node, e->port, cap);
}

void
sim_inject(struct sim_endpoint *e, const struct transport_msg *m,
	struct mono delay)
{
	struct sim *s = e->s;
	uint32_t ix;
	struct sim_flight *f = sim_queue_flight(s, &ix);

	f->origin = -1;
	f->msg = (struct sim_msg){
		.where = SIM_AT_ENDPOINT,
		.node = e->node,
		.port = e->port,
		.from = e->node,
		.m = *m,
	};
	sim_queue_hold(&f->msg.m);
	sim_queue_event(s, mono_add(s->now, delay), EV_DELIVER, ix, 0);
}

struct mono
sim_now(const struct sim *s)
{
	return s->now;
}

struct mono
sim_next(const struct sim *s)
{
	return s->nheap ? (struct mono){s->heap[0].ns} : MONO_NEVER;
}

/* Ask the hook about a message; false: it is dropped. */
static bool
hook_passes(struct sim *s, struct sim_msg *msg)
{
	msg->now = s->now;
	if (!s->hook || s->hook(s->hook_cookie, msg) == SIM_PASS)
		return true;
	s->stats.lost_fault++;
	return false;
}

static void
deliver_to_endpoint(struct sim *s, struct sim_msg *msg)
{
	int e = endpoint_at(s, msg->node, msg->port);

	msg->where = SIM_AT_ENDPOINT;
	if (e < 0 || !s->node[msg->node].present) {
		s->stats.lost_nobody++;
		return;
	}
	if (!hook_passes(s, msg))
		return;
	s->stats.delivered++;
	s->endpoint[e].recv(s->endpoint[e].cookie, &msg->m, s->now);
}

/* Send an SMA's answer back to where the request came from. */
static void
send_answer(struct sim *s, struct sim_msg *a, int origin, struct mono wait)
{
	/* a sender that is no endpoint (another SM) asks by LID alone */
	const struct sim_endpoint *e = &s->endpoint[origin < 0 ? 0 : origin];
	const struct sim_node *n = &s->node[a->node];
	unsigned own = n->type == FABRIC_SWITCH ? 0 : a->port;
	struct sim_way w;

	if (a->m.mad[AT_CLASS] == MAD_SUBN_DR) {
		/* the path of the request, if it still exists */
		if (!sim_route_directed(
			    s, e->node, e->port, a->m.mad, NULL, &w) ||
			w.node != a->node)
			return;
		w.node = e->node;
		w.port = e->port;
	} else if (!sim_route_lid(s, a->node, own, a->m.addr.lid,
			   a->m.mad[AT_CLASS] == MAD_PERF, &w)) {
		return;
	}
	if (!sim_gid_pass(s, a->node, own, &w, &a->m.addr))
		return;
	if (a->m.mad[AT_CLASS] != MAD_SUBN_DR)
		a->m.addr.lid = sim_int_port(s, a->node, own)->pi.lid;
	a->node = w.node;
	a->port = w.port;
	sim_queue_send(s, a, origin, EV_DELIVER, mono_add(wait, w.time));
}

/* Whether an arrived message is for the SMA, not for an endpoint. */
static bool
is_for_sma(const struct sim *s, const struct sim_msg *msg)
{
	uint8_t class = msg->m.mad[AT_CLASS], method = msg->m.mad[AT_METHOD];
	uint16_t attr = be_get16(msg->m.mad + AT_ATTR);

	if (method & RESPONSE || method == MAD_TRAP)
		return false;
	if (class == MAD_PERF)
		return true;
	if (class != MAD_SUBN_DR && class != MAD_SUBN_LID)
		return false;
	if (s->o.ibsim && method != MAD_TRAP_REPRESS)
		return sim_ibsim_knows(attr);
	return attr != MAD_SM_INFO || endpoint_at(s, msg->node, msg->port) < 0;
}

/* Time of an SMA per SMP: by script, by the fabric's file, or the default. */
static int64_t
service_of(const struct sim *s, const struct sim_node *n)
{
	if (n->how.service.ns > 0)
		return n->how.service.ns;
	return n->attrs.service_ns ? n->attrs.service_ns : s->o.service.ns;
}

static void
receive_msg(struct sim *s, struct sim_msg *msg, int origin)
{
	struct sim_node *n = &s->node[msg->node];
	int64_t wait = n->busy.ns > s->now.ns ? n->busy.ns - s->now.ns : 0;
	uint64_t acted = s->stats.smps;
	int64_t service = service_of(s, n);
	unsigned queue = n->attrs.queue ? n->attrs.queue : s->o.sma_queue;

	if (!is_for_sma(s, msg)) {
		deliver_to_endpoint(s, msg);
		return;
	}
	msg->where = SIM_AT_SMA;
	if (queue && wait > service * queue) {
		s->stats.lost_queue++;
		sim_perf_count(sim_int_port(s, msg->node, msg->port),
			MAD_PERF_VL15_DROPPED);
		return;
	}
	if (!hook_passes(s, msg))
		return;
	wait += service;
	n->busy.ns = s->now.ns + wait;
	if (msg->m.mad[AT_CLASS] == MAD_PERF ? sim_perf_act(s, msg)
					     : sim_trace_act(s, msg))
		send_answer(s, msg, origin, (struct mono){wait});
	else
		s->stats.lost_silent += acted == s->stats.smps;
}

/* Copy a message out of the pool: its consequences may move the pool. */
static struct sim_flight
take_flight(struct sim *s, uint32_t ix)
{
	struct sim_flight f = s->flight[ix];

	f.held = f.msg.m.body; /* freed even if the message changes */
	sim_queue_release(s, ix);
	return f;
}

static void
run_call(struct sim *s, uint32_t ix)
{
	struct sim_call c = s->call[ix];

	s->call[ix].next_free = s->free_call;
	s->free_call = ix;
	c.fn(c.cookie, s);
}

bool
sim_step(struct sim *s)
{
	struct sim_event e;
	struct sim_flight f;

	if (s->nheap && s->plane.run)
		s->plane.run(s->plane.cookie, sim_next(s));
	if (!sim_queue_pop(s, &e))
		return false;
	s->now.ns = e.ns;
	switch (e.kind) {
	case EV_ARRIVE:
		f = take_flight(s, e.ix);
		receive_msg(s, &f.msg, f.origin);
		free(f.held);
		break;
	case EV_DELIVER:
		f = take_flight(s, e.ix);
		deliver_to_endpoint(s, &f.msg);
		free(f.held);
		break;
	case EV_TRAP:
		sim_trap_due(s, e.ix >> 3, e.ix & 7, e.arg);
		break;
	case EV_CALL:
		run_call(s, e.ix);
		break;
	case EV_FLAP:
		sim_fault_flap_due(s, e.ix);
		break;
	}
	return true;
}

void
sim_run_until(struct sim *s, struct mono t)
{
	while (s->nheap && s->heap[0].ns <= t.ns)
		(void)sim_step(s);
	if (t.ns == MONO_NEVER.ns)
		return;
	if (s->plane.run)
		s->plane.run(s->plane.cookie, t);
	if (s->now.ns < t.ns)
		s->now = t;
}

void
sim_set_plane(struct sim *s, const struct sim_plane *plane)
{
	s->plane = plane ? *plane : (struct sim_plane){0};
}

void
sim_at(struct sim *s, struct mono t, void (*fn)(void *, struct sim *),
	void *cookie)
{
	uint32_t ix = s->free_call;

	if (ix != FABRIC_NONE) {
		s->free_call = s->call[ix].next_free;
	} else {
		s->call = mem_grow(
			s->call, s->ncall, &s->call_cap, sizeof(*s->call));
		ix = (uint32_t)s->ncall++;
	}
	s->call[ix] = (struct sim_call){.fn = fn, .cookie = cookie};
	sim_queue_event(s, t, EV_CALL, ix, 0);
}

void
sim_set_hook(struct sim *s, enum sim_verdict (*hook)(void *, struct sim_msg *),
	void *cookie)
{
	s->hook = hook;
	s->hook_cookie = cookie;
}

void
sim_watch(struct sim *s, void (*watch)(void *, const struct sim_change *),
	void *cookie)
{
	s->watch = watch;
	s->watch_cookie = cookie;
}

const struct sim_stats *
sim_stats(const struct sim *s)
{
	return &s->stats;
}

void
sim_clear_stats(struct sim *s)
{
	s->stats = (struct sim_stats){0};
}

uint32_t
sim_nodes(const struct sim *s)
{
	return s->nnodes;
}

const char *
sim_name(const struct sim *s, uint32_t node)
{
	return s->node[node].name;
}

bool
sim_present(const struct sim *s, uint32_t node)
{
	return s->node[node].present;
}

const struct mad_port_info *
sim_port_info(const struct sim *s, uint32_t node, unsigned port)
{
	return &sim_int_port(s, node, port)->pi;
}

uint8_t
sim_lft(const struct sim *s, uint32_t node, uint16_t lid)
{
	return sim_table_lft(s->node[node].sw, lid);
}

const struct mad_switch_info *
sim_switch_info(const struct sim *s, uint32_t node)
{
	return &s->node[node].sw->si;
}

void
sim_set_lft(struct sim *s, uint32_t node, uint16_t lid, uint8_t out)
{
	sim_table_write(s->node[node].sw, lid, out);
	sim_int_changed(s, SIM_TABLE, node, 0);
}

void
sim_set_lid(struct sim *s, uint32_t node, unsigned port, uint16_t lid)
{
	sim_int_port(s, node, port)->pi.lid = lid;
}

void
sim_activate_all(struct sim *s)
{
	for (uint32_t n = 0; n < s->nnodes; n++) {
		for (unsigned p = 1; p <= s->node[n].nports; p++) {
			if (!sim_int_port(s, n, p)->up)
				continue;
			sim_int_port(s, n, p)->pi.state = PORT_ACTIVE;
			sim_int_changed(s, SIM_PORT, n, p);
		}
	}
}
