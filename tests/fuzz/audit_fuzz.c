/*
 * audit_fuzz: subnet administration that gives the audit any answers. The input
 * is a program: an answer to an open question (any status, offset, length and
 * records, with a body or without), any bytes as a message, time. The audit
 * must send only questions to the SM's LID, and a limited number; at the end,
 * when no answers come any more, it must finish, and its facts can be read.
 */
#include <stdlib.h>
#include <string.h>

#include "sm/audit/sa_client.h"
#include "sm/base/be.h"
#include "tests/fuzz/small.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SM_LID = 8, OPEN = 64, QUESTIONS = 4096, AT_RECORDS = 12 };

struct wire {
	struct transport t;
	struct audit_sa *sa;
	struct mono now;
	struct transport_msg open[OPEN]; /* the last ones sent */
	unsigned n;			 /* number sent */
	bool paths;			 /* paths were asked for */
};

static int
wire_send(struct transport *t, const struct transport_msg *m)
{
	struct wire *w = (struct wire *)(void *)t;
	struct mad_sa h;

	if (m->len != MAD_SIZE || m->addr.lid != SM_LID || m->body != NULL ||
		mad_sa_decode(m->mad, m->len, &h, NULL) != 0 ||
		(h.method != MAD_GET && h.method != MAD_SA_GET_TABLE) ||
		w->n == QUESTIONS)
		abort();
	w->open[w->n++ % OPEN] = *m;
	return 0;
}

static void
give_msg(struct wire *w, struct transport_msg *m, size_t body)
{
	if (m->len > MAD_SIZE && body != 0) {
		m->body = mem_zalloc(1, m->len);
		memcpy(m->body, m->mad, MAD_SIZE);
		for (size_t i = MAD_SIZE; i < m->len; i++)
			m->body[i] = m->mad[MAD_SA_HEADER + i % body];
	}
	(void)audit_sa_client_receive(w->sa, m, w->now);
	free(m->body);
}

/* The RMPP header of a whole message, as a kernel delivers it. */
static void
begin_rmpp(struct transport_msg *m)
{
	enum { FLAGS = 26, SEGMENT = 28, PAYLOAD = 32, CLASS_HEADER = 20 };
	size_t data = m->len > MAD_SA_HEADER ? m->len - MAD_SA_HEADER : 0;
	size_t n = data > 0 ? (data + MAD_SA_DATA - 1) / MAD_SA_DATA : 1;

	m->mad[FLAGS] |= n == 1 ? 6 : 2;
	be_put32(m->mad + SEGMENT, 1);
	be_put32(m->mad + PAYLOAD, (uint32_t)(data + n * CLASS_HEADER));
}

/* which how status(2) offset(2) length(2) ... then the bytes of the records */
static size_t
answer_question(struct wire *w, const uint8_t *in, size_t n)
{
	struct transport_msg m;
	struct mad_sa h;
	size_t take;

	if (n < AT_RECORDS || w->n == 0)
		return n;
	m = w->open[(w->n - 1 - in[0] % (w->n < 4 ? w->n : 4)) % OPEN];
	if (mad_sa_decode(m.mad, MAD_SIZE, &h, NULL) != 0)
		abort();
	h.method |= MAD_SA_RESPONSE;
	h.status = in[1] & 1 ? be_get16(in + 2) : 0;
	h.offset = in[1] & 2 ? be_get16(in + 4) : 8;
	h.attr ^= in[1] & 4 ? in[8] : 0;
	h.rmpp = (in[1] & 8) != 0;
	h.rmpp_type = 1;
	m.error = (in[1] & 48) == 48;
	m.addr.lid = (in[1] & 192) == 192 ? in[9] : m.addr.lid;
	m.len = be_get16(in + 6);
	mad_sa_encode(&h, m.mad);
	if (h.rmpp && !(in[8] & 1))
		begin_rmpp(&m);
	take = n - AT_RECORDS < in[10] ? n - AT_RECORDS : in[10];
	take = take < MAD_SA_DATA ? take : MAD_SA_DATA;
	memcpy(m.mad + MAD_SA_HEADER, in + AT_RECORDS, take);
	give_msg(w, &m, in[11] % MAD_SA_DATA);
	return AT_RECORDS + take;
}

static size_t
give_noise(struct wire *w, const uint8_t *in, size_t n)
{
	struct transport_msg m = {.addr.lid = SM_LID, .addr.qpn = 1};
	size_t take = n < MAD_SIZE ? n : MAD_SIZE;

	memcpy(m.mad, in, take);
	m.len = take;
	give_msg(w, &m, 0);
	return take;
}

static void
go_on(struct wire *w, uint32_t records)
{
	audit_sa_client_tick(w->sa, w->now);
	if (!audit_sa_client_done(w->sa) || w->paths)
		return;
	w->paths = true;
	audit_sa_client_paths(w->sa, records, w->now);
}

/* Without any more answers the audit must finish within a few time-outs. */
static void
check_end(struct wire *w, const struct topo *t)
{
	const struct audit_sa_client_facts *f = audit_sa_client_facts(w->sa);

	for (unsigned i = 0;
		i < 64 && !(w->paths && audit_sa_client_done(w->sa)); i++) {
		struct mono next = audit_sa_client_next(w->sa);

		if (next.ns != MONO_NEVER.ns && mono_before(w->now, next))
			w->now = next;
		go_on(w, 100);
	}
	if (!audit_sa_client_done(w->sa) ||
		audit_sa_client_next(w->sa).ns != MONO_NEVER.ns ||
		f->answered > f->sources)
		abort();
	for (size_t i = 0; i < f->ngroups; i++)
		if (f->group[i].mlid <= TOPO_LID_MAX ||
			(i > 0 && f->group[i].mlid < f->group[i - 1].mlid))
			abort();
	for (uint32_t lid = 0; lid <= UINT16_MAX; lid += 1 + lid / 40)
		for (port_ix p = 0; p < t->nports; p++) {
			uint16_t sls;

			if (audit_sa_client_sls(
				    w->sa, p, (uint16_t)lid, &sls) &&
				sls == 0)
				abort();
		}
}

static struct topo *
topo_up(void)
{
	struct topo *t = small_topo(SMALL_HOSTS, 1);
	struct mad_port_info i = {.lid = SM_LID + 8,
		.sm_lid = SM_LID,
		.state = PORT_ACTIVE,
		.gid_prefix = UINT64_C(0xfe80000000000000)};

	mad_port_info_encode(&i, t->info[t->sm_port]);
	for (port_ix p = 0; p < t->nports; p++)
		t->port[p].state = PORT_ACTIVE;
	return t;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct topo *t = topo_up();
	struct wire w = {.t.send = wire_send, .now = mono_ms(1)};
	uint32_t records = size > 0 ? (uint32_t)data[0] * 8 + 1 : 1;
	size_t at = 1;

	w.sa = audit_sa_client_new(t, &w.t);
	audit_sa_client_start(w.sa, w.now);
	while (at < size) {
		uint8_t op = data[at++];

		if (op % 8 < 5)
			at += answer_question(&w, data + at, size - at);
		else if (op % 8 == 5)
			at += give_noise(&w, data + at, size - at);
		else
			w.now = mono_add(w.now, mono_ms((int64_t)op * 40));
		go_on(&w, records);
	}
	check_end(&w, t);
	audit_sa_client_free(w.sa);
	topo_unref(t);
	return 0;
}
