/* The requests of the audit to the subnet administration of another manager,
 * and what it concludes from the answers. */
#include <string.h>

#include "sm/audit/sa_client.h"
#include "sm/base/be.h"
#include "sm/base/mem.h"
#include "tests/sim/model/sim_rmpp.h"
#include "tests/topo/frozen.h"
#include "tests/topo/shape.h"
#include "tests/unit/suite.h"

enum { RING = 5, HOSTS = 2, ASKED = 64, SLS = 4 };

/* How the subnet administration answers. */
enum manner {
	HONEST,
	SILENT,
	STRANGER, /* from another LID */
	BESIDE,	  /* another attribute */
	REFUSES,
	NOTHING,     /* no records */
	CUT,	     /* the first 256 bytes, as without RMPP in the transport */
	CUT_SEGMENT, /* the first segment as it travels */
	TYPELESS,
	ABORTED,   /* RMPP that is an ABORT */
	LONGER,	   /* than its header says */
	RAGGED,	   /* a rest behind the last record */
	ANOTHER,   /* paths from another LID than the requested one */
	SPARSE,	   /* paths to odd LIDs only */
	OLD_CLASS, /* another class version */
	UNTOLD,	   /* PayloadLength 0, as a sender may say that begins before it
		      knows */
};

/* A subnet administration, and its client. */
struct rig {
	struct transport t;
	struct fabric *f;
	struct topo *topo;
	struct audit_sa *sa;
	struct mono now;
	struct transport_msg asked[ASKED];
	size_t n, answered;
	enum manner paths; /* how it answers PathRecord requests */
};

static int
record_request(struct transport *t, const struct transport_msg *m)
{
	struct rig *r = (struct rig *)(void *)t;

	ck_assert_uint_lt(r->n, ASKED);
	ck_assert(m->mad[3] == MAD_GET || m->mad[3] == MAD_SA_GET_TABLE);
	r->asked[r->n++] = *m;
	return 0;
}

static void
rig_new(struct rig *r, unsigned lmc)
{
	struct mad_port_info i = {.lid = 1, .sm_lid = 1, .state = PORT_ACTIVE};

	*r = (struct rig){.t.send = record_request, .now = mono_ms(1)};
	r->f = shape_of("torus:%u:%u", RING, HOSTS);
	r->topo = frozen_topo(r->f, &(struct frozen_lids){.lmc = lmc});
	i.lid = r->topo->port[r->topo->sm_port].lid;
	mad_port_info_encode(&i, r->topo->info[r->topo->sm_port]);
	for (port_ix p = 0; p < r->topo->nports; p++)
		r->topo->port[p].state = PORT_ACTIVE;
	r->sa = audit_sa_client_new(r->topo, &r->t);
}

static void
rig_free(struct rig *r)
{
	audit_sa_client_free(r->sa);
	topo_unref(r->topo);
	fabric_free(r->f);
}
AUTO_VALUE(rig, struct rig, rig_free)

/* The SL that it assigns. */
static unsigned
sl_of(uint16_t from, uint16_t to)
{
	return (from + to) % SLS;
}

/* Writes paths to all LIDs, up to the requested number per port pair; returns
 * their bytes. */
static size_t
write_paths(const struct rig *r, const uint8_t *question, uint8_t *rec)
{
	const struct topo *t = r->topo;
	struct mad_sa_path p;
	uint16_t asked;
	size_t n = 0;

	mad_sa_path_decode(question, &p);
	ck_assert_uint_eq(topo_by_port_guid(t, p.sgid.guid), t->by_lid[p.slid]);
	asked = p.slid;
	for (uint32_t lid = 1; lid <= t->max_lid; lid++) {
		port_ix owner = t->by_lid[lid];

		if (owner == TOPO_NONE || lid >= t->port[owner].lid + p.npaths)
			continue;
		if (r->paths == SPARSE && lid % 2 == 0)
			continue;
		p.dlid = (uint16_t)lid;
		p.sl = (uint8_t)sl_of(asked, p.dlid);
		p.slid = (uint16_t)(asked + (r->paths == ANOTHER));
		mad_sa_path_encode(&p, rec + n);
		n += MAD_SA_PATH;
	}
	return n;
}

/* Damage a message in the manner of the rig. */
static void
damage_answer(const struct rig *r, struct transport_msg *m)
{
	enum { TYPE = 25, FLAGS = 26, LENGTH = 32 };

	if (r->paths == CUT)
		m->mad[FLAGS] &= 0xf9;
	if (r->paths == CUT || r->paths == CUT_SEGMENT)
		m->len = MAD_SIZE;
	if (r->paths == TYPELESS)
		m->mad[FLAGS] = m->mad[TYPE] = 0;
	if (r->paths == ABORTED)
		m->mad[TYPE] = 4;
	if (r->paths == LONGER)
		be_put32(m->mad + LENGTH, be_get32(m->mad + LENGTH) - 64);
	if (r->paths == RAGGED) {
		m->len += 8;
		sim_rmpp_begin(m->mad, m->len);
	}
	if (r->paths == OLD_CLASS)
		m->mad[2] = 1;
	if (r->paths == UNTOLD)
		be_put32(m->mad + LENGTH, 0);
}

static void
answer_request(struct rig *r, const struct transport_msg *q)
{
	struct transport_msg m = *q;
	struct mad_sa h;
	uint8_t body[8192] = {0};
	bool paths;

	ck_assert_int_eq(mad_sa_decode(q->mad, MAD_SIZE, &h, NULL), 0);
	h.method |= MAD_SA_RESPONSE;
	h.status = h.attr == MAD_SA_MEMBER ? MAD_SA_NO_RECORDS : 0;
	paths = h.attr == MAD_SA_PATH_REC;
	if (paths) {
		if (r->paths == SILENT)
			return;
		m.addr.lid = r->paths == STRANGER ? 9 : m.addr.lid;
		h.status = r->paths == REFUSES ? MAD_SA_NO_RESOURCES : 0;
		h.offset = MAD_SA_PATH / 8;
		h.rmpp = true;
		h.rmpp_type = 1;
		m.len = MAD_SA_HEADER;
		if (r->paths != NOTHING)
			m.len += write_paths(r, q->mad + MAD_SA_HEADER,
				body + MAD_SA_HEADER);
		h.attr = r->paths == BESIDE ? MAD_SA_MEMBER : h.attr;
		memcpy(m.mad + MAD_SA_HEADER, body + MAD_SA_HEADER,
			MAD_SA_DATA);
		m.body = body;
	}
	mad_sa_encode(&h, m.mad);
	if (paths) {
		sim_rmpp_begin(m.mad, m.len);
		damage_answer(r, &m);
	}
	memcpy(body, m.mad, MAD_SA_HEADER);
	ck_assert(audit_sa_client_receive(r->sa, &m, r->now));
}

/* Runs the client to its end; no more than two requests are open. */
static const struct audit_sa_client_facts *
run_client(struct rig *r)
{
	while (!audit_sa_client_done(r->sa)) {
		size_t open = r->n - r->answered;

		ck_assert_uint_le(open, 2);
		while (open-- > 0)
			answer_request(r, &r->asked[r->answered++]);
		if (r->n > r->answered || audit_sa_client_done(r->sa))
			continue;
		r->now = audit_sa_client_next(r->sa);
		audit_sa_client_tick(r->sa, r->now);
	}
	return audit_sa_client_facts(r->sa);
}

/* Fails unless exactly what was answered is known; returns the number of ports
 * from which paths to all LIDs are known. */
static unsigned
count_known(const struct rig *r)
{
	const struct topo *t = r->topo;
	unsigned n = 0;

	for (port_ix p = 0; p < t->nports; p++) {
		const struct topo_port *port = &t->port[p];
		unsigned lids = 0, known = 0;

		for (uint32_t lid = 1; lid <= t->max_lid; lid++) {
			uint16_t sls, want = 0;
			bool all = audit_sa_client_sls(
				r->sa, p, (uint16_t)lid, &sls);

			lids += t->by_lid[lid] != TOPO_NONE;
			known += all;
			ck_assert(!all || t->by_lid[lid] != TOPO_NONE);
			for (unsigned i = 0; i < 1U << port->lmc; i++)
				want |= (uint16_t)(1U << sl_of(
							   (uint16_t)(port->lid +
								      i),
							   (uint16_t)lid));
			if (all)
				ck_assert_uint_eq(sls, want);
		}
		n += known == lids;
	}
	return n;
}

TEST(as_many_paths_as_allowed)
{
	static const struct {
		unsigned lmc;
		uint32_t records;
		enum audit_sa_client_extent extent;
		unsigned sources, known;
	} cases[] = {
		/* 15 LIDs; one host and port 0 of each switch: 10. A host does
		 * not speak for the other one. */
		{0, 15 * 15, AUDIT_SA_CLIENT_EVERY, 15, 3 * RING},
		{0, 15 * 15 - 1, AUDIT_SA_CLIENT_SWITCH, 10, 2 * RING},
		{0, 10 * 15, AUDIT_SA_CLIENT_SWITCH, 10, 2 * RING},
		{0, 10 * 15 - 1, AUDIT_SA_CLIENT_SOME, 6, 6},
		{0, 1, AUDIT_SA_CLIENT_SOME, 2, 2},
		/* each host has two LIDs */
		{1, 25 * 25, AUDIT_SA_CLIENT_EVERY, 25, 3 * RING},
		{1, 15 * 25, AUDIT_SA_CLIENT_SWITCH, 15, 2 * RING},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct audit_sa_client_facts *f;
		AUTO(rig) struct rig r;

		rig_new(&r, cases[i].lmc);
		audit_sa_client_start(r.sa, r.now);
		f = run_client(&r);
		ck_assert(f->answers && f->groups_known);
		audit_sa_client_paths(r.sa, cases[i].records, r.now);
		f = run_client(&r);
		ck_assert_uint_eq(f->extent, cases[i].extent);
		ck_assert_uint_eq(f->sources, cases[i].sources);
		ck_assert_uint_eq(f->answered, cases[i].sources);
		ck_assert_uint_eq(f->sls, (1U << SLS) - 1);
		ck_assert_uint_eq(count_known(&r), cases[i].known);
		ck_assert_str_eq(f->why, "");
	}
}

TEST(an_unhelpful_sa)
{
	static const struct {
		enum manner how;
		size_t questions; /* at most, for paths */
		const char *why;
	} cases[] = {
		{SILENT, 8, "did not answer"},
		{STRANGER, 8, "did not answer"},
		{BESIDE, 4, "answered something else"},
		{REFUSES, 4, "answered status 0x0100"},
		{NOTHING, 15, ""},
		{CUT, 4, "cut off"},
		{CUT_SEGMENT, 4, "cut off"},
		{TYPELESS, 4, "without RMPP"},
		{ABORTED, 4, "no data"},
		{LONGER, 4, "another length"},
		{RAGGED, 4, "wrong size"},
		{OLD_CLASS, 4, "answered something else"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct audit_sa_client_facts *f;
		AUTO(rig) struct rig r;
		size_t before;

		rig_new(&r, 0);
		r.paths = cases[i].how;
		audit_sa_client_start(r.sa, r.now);
		(void)run_client(&r);
		before = r.n;
		audit_sa_client_paths(r.sa, AUDIT_SA_CLIENT_RECORDS, r.now);
		f = run_client(&r);
		ck_assert_msg(r.n - before <= cases[i].questions,
			"case %zu: %zu questions", i, r.n - before);
		ck_assert_uint_eq(f->answered, 0);
		ck_assert_uint_eq(count_known(&r), 0);
		ck_assert_msg(strstr(f->why, cases[i].why) != NULL,
			"case %zu: %s", i, f->why);
	}
}

/* Whole answers that do not list everything: the rest is unknown. */
TEST(what_is_not_listed_is_unknown)
{
	static const struct {
		enum manner how;
		unsigned known; /* ports with all paths */
		bool odd, even; /* known LIDs from another port */
	} cases[] = {
		{UNTOLD, 3 * RING, true, true},
		{SPARSE, 0, true, false},
		{ANOTHER, 0, false, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		AUTO(rig) struct rig r;
		uint16_t sls;
		port_ix p;

		rig_new(&r, 0);
		r.paths = cases[i].how;
		audit_sa_client_start(r.sa, r.now);
		(void)run_client(&r);
		audit_sa_client_paths(r.sa, AUDIT_SA_CLIENT_RECORDS, r.now);
		(void)run_client(&r);
		ck_assert_uint_eq(count_known(&r), cases[i].known);
		p = r.topo->by_lid[1];
		ck_assert_int_eq(
			audit_sa_client_sls(r.sa, p, 3, &sls), cases[i].odd);
		ck_assert_int_eq(
			audit_sa_client_sls(r.sa, p, 4, &sls), cases[i].even);
	}
}
