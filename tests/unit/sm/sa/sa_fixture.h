/*
 * Shared by the tests of subnet administration: a world (the SM core and a
 * simulated fabric on one clock), hosts in it that send requests, and their
 * answers.
 */
#ifndef HEDDLE_TESTS_UNIT_SM_SA_SA_FIXTURE_H
#define HEDDLE_TESTS_UNIT_SM_SA_SA_FIXTURE_H

#include <stdlib.h>
#include <string.h>

#include "sm/base/be.h"
#include "sm/base/mem.h"
#include "sm/mad/mad_sa.h"
#include "tests/sim/model/world.h"
#include "tests/topo/gen.h"
#include "tests/unit/suite.h"

#define SA_KEY 0x5ec2e7
#define PREFIX UINT64_C(0xfe80000000000000)

/* A host that sends requests, and its last answer. */
struct host {
	struct world *w;
	uint32_t node;
	struct sim_endpoint *ep;
	uint16_t lid;
	uint64_t guid; /* of its port */
	uint32_t tid;
	unsigned answers;	    /* to the last request */
	struct mad_sa h;	    /* header of the last */
	uint8_t *data;		    /* its records, owned */
	size_t len;		    /* bytes of them */
	unsigned reports;	    /* received */
	bool mute;		    /* does not acknowledge reports */
	struct transport_addr from; /* GRH and P_Key index of its requests */
	uint8_t notice[MAD_SA_NOTICE];
	uint8_t notices[64][MAD_SA_NOTICE];
};

static inline void
answer_report(struct host *o, const struct transport_msg *m)
{
	struct transport_msg out = *m;

	memcpy(o->notice, m->mad + MAD_SA_HEADER, sizeof(o->notice));
	if (o->reports < 64)
		memcpy(o->notices[o->reports], o->notice, sizeof(o->notice));
	o->reports++;
	if (o->mute)
		return;
	out.mad[3] = MAD_SA_REPORT | MAD_SA_RESPONSE;
	sim_transport(o->ep)->send(sim_transport(o->ep), &out);
}

/*
 * What the kernel asks of an answer before it gives it to who asked, and of a
 * Report: a GRH from the manager's GID where requests have one, none else; and
 * the same P_Key.
 */
static inline bool
fits_sender(const struct host *o, const struct transport_addr *a)
{
	const struct topo *t = sm_view(o->w->sm)->topo;
	uint64_t guid = t->port[t->sm_port].guid;

	return a->grh.present == o->from.grh.present &&
	       a->pkey_index == o->from.pkey_index &&
	       (!a->grh.present ||
		       (be_get64(a->grh.gid + 8) == guid &&
			       a->grh.gid_index == o->from.grh.gid_index &&
			       a->grh.flow_label == o->from.grh.flow_label));
}

static inline void
on_host(void *cookie, const struct transport_msg *m, struct mono now)
{
	struct host *o = cookie;
	const uint8_t *whole = m->len > MAD_SIZE ? m->body : m->mad;
	struct mad_sa h;

	(void)now;
	if (!fits_sender(o, &m->addr))
		return;
	if (m->mad[1] != MAD_SA || mad_sa_decode(whole, m->len, &h, NULL) != 0)
		return;
	if (h.method == MAD_SA_REPORT) {
		answer_report(o, m);
		return;
	}
	if ((uint32_t)h.tid != o->tid)
		return;
	o->answers++;
	o->h = h;
	free(o->data);
	o->len = m->len - MAD_SA_HEADER;
	o->data = mem_dup(whole + MAD_SA_HEADER, o->len);
}

/* A host of the fabric (not the first, where the SM is). */
static inline struct host *
host_on(struct world *w, const char *name)
{
	struct host *o = mem_zalloc(1, sizeof(*o));
	uint32_t n = 0;

	while (strcmp(sim_name(w->sim, n), name) != 0)
		n++;
	o->w = w;
	o->node = n;
	o->ep = sim_attach(w->sim, n, 1, on_host, o);
	o->lid = sim_port_info(w->sim, n, 1)->lid;
	o->guid = fabric_port(w->fabric, n, 1)->guid;
	return o;
}

static inline void
host_free(struct host *o)
{
	free(o->data);
	free(o);
}
AUTO_POINTER(host, struct host, host_free)

/* The parts of a request besides method and attribute. */
struct ask {
	uint64_t mask;
	uint32_t mod;
	uint64_t key;
	const void *rec; /* or NULL */
	size_t len;	 /* of rec */
	uint8_t version; /* 0: the right one */
	bool more;	 /* keep the last answer's data */
};

/* Sends a request, does not wait. */
static inline void
host_send(struct host *o, uint8_t method, uint16_t attr, const struct ask *a)
{
	struct transport_msg m = {.addr = o->from, .len = MAD_SIZE};
	struct mad_sa h = {
		.base_version = 1,
		.class_version = a->version ? a->version : MAD_SA_VERSION,
		.method = method,
		.tid = ++o->tid,
		.attr = attr,
		.mod = a->mod,
		.sm_key = a->key,
		.mask = a->mask,
	};
	AUTO(mem) uint8_t *whole = mem_zalloc(1, MAD_SIZE + a->len);

	m.addr.qpn = 1;
	m.addr.lid = sim_port_info(o->w->sim, o->node, 1)->sm_lid;
	if (a->len > MAD_SA_DATA) {
		h.rmpp = true;
		h.rmpp_type = 1;
		m.len = MAD_SA_HEADER + a->len;
		m.body = whole;
	}
	mad_sa_encode(&h, whole);
	if (a->rec != NULL)
		memcpy(whole + MAD_SA_HEADER, a->rec, a->len);
	memcpy(m.mad, whole, MAD_SIZE);
	o->answers = 0;
	sim_transport(o->ep)->send(sim_transport(o->ep), &m);
}

/* Sends a request and waits; returns the status. Exactly one answer comes. */
static inline uint16_t
host_ask(struct host *o, uint8_t method, uint16_t attr, const struct ask *a)
{
	host_send(o, method, attr, a);
	for (int i = 0; i < 100 && o->answers == 0; i++)
		world_run(o->w, mono_ms(1));
	ck_assert_msg(o->answers == 1,
		"%u answers to method 0x%02x "
		"attribute 0x%02x",
		o->answers, method, attr);
	ck_assert_uint_eq(o->h.attr, attr);
	ck_assert_uint_eq(o->h.sm_key, 0);
	return o->h.status;
}

/* The number of records of this size in the last answer. */
static inline size_t
host_records(const struct host *o, size_t size)
{
	if (o->len == 0)
		return 0;
	ck_assert_uint_eq(o->h.offset * 8U, (size + 7) / 8 * 8);
	return o->len / (o->h.offset * 8U);
}

static inline const uint8_t *
host_record(const struct host *o, size_t i)
{
	return o->data + i * o->h.offset * 8U;
}

/* ---- a fabric with an SM ---- */

struct fixture {
	struct fabric *f;
	struct world *w;
};

static inline struct fixture
fixture_with(struct fabric *f, const char *yaml)
{
	struct sim_options o = sim_defaults();
	struct fixture x = {.f = f};

	x.w = world_new(f, &o, yaml);
	world_start(x.w);
	ck_assert(world_settle(x.w, mono_ms(20000)));
	return x;
}

static inline void
fixture_free(struct fixture *x)
{
	world_free(x->w);
	fabric_free(x->f);
}
AUTO_VALUE(fixture, struct fixture, fixture_free)

/* Takes a host away (or puts it back) and lets the SM notice. */
static inline void
set_present(struct fixture *x, uint32_t node, bool is)
{
	sim_fault_node(x->w->sim, node, is);
	ck_assert(world_settle(x->w, mono_ms(60000)));
}

/* ---- paths ---- */

/* The single path that is requested, if the status is 0. */
static inline uint16_t
host_path(struct host *o, const struct mad_sa_path *want, uint64_t mask,
	struct mad_sa_path *got)
{
	uint8_t rec[MAD_SA_PATH];
	const struct ask a = {.mask = mask, .rec = rec, .len = sizeof(rec)};
	uint16_t status;

	mad_sa_path_encode(want, rec);
	status = host_ask(o, MAD_GET, MAD_SA_PATH_REC, &a);
	if (status == 0)
		mad_sa_path_decode(o->data, got);
	return status;
}

/* ---- subscriptions ---- */

static const struct mad_sa_inform everything = {
	.lid_first = 0xffff,
	.lid_last = 0xffff,
	.generic = true,
	.subscribe = true,
	.type = 0xffff,
	.trap = 0xffff,
	.producer = 0xffffff,
};

static inline uint16_t
send_inform(struct host *o, const struct mad_sa_inform *i, uint64_t key)
{
	uint8_t rec[MAD_SA_INFORM];
	const struct ask a = {.rec = rec, .len = sizeof(rec), .key = key};

	mad_sa_inform_encode(i, rec);
	return host_ask(o, MAD_SET, MAD_SA_INFORM_INFO, &a);
}

#endif
