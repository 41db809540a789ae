/*
 * sa_fuzz: hosts that send subnet administration any requests. The input is a
 * program: a request (kind and method from a list, or any bytes), time, a view
 * that lost or regained a host, a trap, an answer to a report, a restart. Every
 * request must be answered exactly once, with records of the length that it
 * says, and nothing else may be answered. The last host is in a partition of
 * its own: its GUID must not be in answers to the others without the key,
 * unless their request had it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "distribution/device/device_store.h"
#include "routing/driver/registry.h"
#include "sm/base/be.h"
#include "sm/base/mem.h"
#include "sm/mad/mad_sa.h"
#include "sm/policy/pkeys.h"
#include "sm/sa/sa.h"
#include "tests/fuzz/small.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PREFIX UINT64_C(0xfe80000000000000)
#define HIDDEN UINT64_C(0x220)

enum { HOSTS = SMALL_HOSTS, AT_METHOD = 3, AT_CLASS = 1, KEY = 7 };
enum { SM_LID = 8, HIDDEN_LID = 24 };

struct wire {
	struct transport t;
	struct sa *sa;
	struct view *view[2]; /* with and without the last host */
	unsigned now;	      /* the present one */
	struct mono clock;
	uint64_t asked, answered;
	uint32_t report; /* TID of the last report */
	const struct transport_msg *question;
	struct sa_ops ops;
	struct sa_params par;
	struct sa_far far;
	bool lazy; /* groups reach the switches later */
};

/* ---- a small fabric, by hand: two switches, three hosts ---- */

/* Two hosts in one partition, the third in another. */
static struct pkeys *
make_pkeys(struct topo *t)
{
	static const char text[] =
		"partitions:\n"
		"  a: {pkey: 0x1, members: {0x200: full, 0x210: both}}\n"
		"  b: {pkey: 0x2, members: {0x220: full}}\n";
	struct diag_list d;
	struct config *c = config_parse(
		"fuzz", text, sizeof(text) - 1, registry_modules(), &d);
	struct device_store *none = device_new(NULL);
	struct pkeys *k;

	diag_free(&d);
	if (c == NULL)
		abort();
	k = pkeys_make(c, t, NULL);
	pkeys_settle(k, none);
	device_free(none);
	config_unref(c);
	return k;
}

static struct view *
make_view(struct lft_pool *pool, unsigned hosts, uint32_t generation)
{
	struct view *v = mem_zalloc(1, sizeof(*v));
	uint8_t row[LFT_BLOCK];

	v->refs = 1;
	v->topo = small_topo(hosts, generation);
	v->pkeys = make_pkeys(v->topo);
	v->routes = routes_new(v->topo, pool);
	for (sw_ix s = 0; s < SMALL_LEAVES; s++) {
		unsigned me =
			(unsigned)(v->topo->node[v->topo->sw[s].node].guid -
				   0x100);

		memset(row, LFT_DROP, sizeof(row));
		row[1 + me] = 0;
		row[2 - me] = 4;
		for (unsigned i = 0; i < hosts; i++)
			memset(row + 8 + (size_t)8 * i,
				i % 2 == me ? (int)(1 + i / 2) : 4, 4);
		routes_put_row(v->routes, s, row, NULL, TOPO_NONE);
	}
	return v;
}

/* ---- the SA's other side ---- */

static bool
names_hidden(const uint8_t *p, size_t n)
{
	uint8_t guid[8];

	be_put64(guid, HIDDEN);
	return memmem(p, n, guid, sizeof(guid)) != NULL;
}

/* Whether the records of an answer name the hidden host. Of a subscription the
 * subscriber counts alone: the rest is what it sent itself. */
static bool
records_name_hidden(const uint8_t *m, size_t len, const struct mad_sa *h)
{
	enum { SUBSCRIBER = 16 };
	size_t size = h->offset != 0 ? (size_t)h->offset * 8 : len;

	if (h->attr != MAD_SA_INFORM_REC)
		return names_hidden(m + MAD_SA_HEADER, len - MAD_SA_HEADER);
	for (size_t at = MAD_SA_HEADER; at + SUBSCRIBER <= len; at += size)
		if (names_hidden(m + at, SUBSCRIBER))
			return true;
	return false;
}

/* Check that an answer does not reveal the hidden host. */
static void
judge_secrecy(const struct wire *w, const uint8_t *m, size_t len,
	const struct mad_sa *h, uint16_t to)
{
	const struct transport_msg *q = w->question;

	/* an answer to InformInfo repeats the request, its reserved bits clear
	 */
	if (h->attr == MAD_SA_INFORM_INFO)
		return;
	/* the SM's own port may talk to all */
	if (q == NULL || h->status != 0 || (to & ~3U) == HIDDEN_LID ||
		(to & ~3U) == SM_LID)
		return;
	if (be_get64(q->mad + 36) == KEY || names_hidden(q->mad, MAD_SIZE) ||
		(q->body != NULL && names_hidden(q->body, q->len)))
		return;
	if (!records_name_hidden(m, len, h))
		return;
	(void)fprintf(stderr,
		"LID %u is told of the hidden host: method "
		"0x%02x attribute 0x%04x\n",
		to, h->method, h->attr);
	abort();
}

static int
wire_send(struct transport *t, const struct transport_msg *m)
{
	struct wire *w = (struct wire *)(void *)t;
	const uint8_t *whole = m->len > MAD_SIZE ? m->body : m->mad;
	struct mad_sa h;

	if (mad_sa_decode(whole, m->len, &h, NULL) != 0 || whole == NULL)
		abort();
	if (h.method == MAD_SA_REPORT) {
		w->report = (uint32_t)h.tid;
		return 0;
	}
	if ((h.method & MAD_SA_RESPONSE) == 0)
		abort();
	if (h.rmpp && h.offset != 0 &&
		(m->len - MAD_SA_HEADER) % ((size_t)h.offset * 8) != 0)
		abort();
	if (!h.rmpp && m->len != MAD_SIZE)
		abort();
	judge_secrecy(w, whole, m->len, &h, m->addr.lid);
	w->answered++;
	return 0;
}

static void
release_view(void *cookie, struct view *v)
{
	(void)cookie;
	view_unref(v);
}

static bool
get_manager(void *cookie, size_t n, struct sa_manager *out)
{
	const struct wire *w = cookie;

	*out = (struct sa_manager){.port = w->view[w->now]->topo->sm_port};
	return n == 0;
}

static void
on_group_change(void *cookie, uint16_t mlid)
{
	struct wire *w = cookie;

	(void)mlid;
	if (!w->lazy && w->sa != NULL)
		sa_group_written(w->sa, sa_group_stamp(w->sa));
}

static bool
read_mft(void *cookie, uint64_t guid, unsigned block, unsigned pos,
	uint8_t out[64])
{
	(void)cookie;
	(void)guid;
	memset(out, 0, 64);
	return block == 0 && pos == 0;
}

static void
aliases_changed(void *cookie)
{
	(void)cookie;
}

/* ---- the program ---- */

/* True for a message that must be answered. */
static bool
is_request(const struct transport_msg *m)
{
	uint8_t method = m->mad[AT_METHOD];

	return m->len >= MAD_SA_HEADER && m->mad[AT_CLASS] == MAD_SA &&
	       (method & MAD_SA_RESPONSE) == 0 && method != MAD_TRAP &&
	       method != MAD_TRAP_REPRESS && method != MAD_SA_REPORT &&
	       method != 0 && m->addr.lid != 0 && m->addr.lid < MAD_LID_END;
}

static void
give_request(struct wire *w, struct transport_msg *m)
{
	if (m->len > MAD_SIZE) {
		m->body = mem_zalloc(1, m->len);
		memcpy(m->body, m->mad, MAD_SIZE);
		memset(m->body + MAD_SIZE, 0xfe, m->len - MAD_SIZE);
	}
	w->asked += is_request(m);
	w->question = m;
	sa_receive(w->sa, m, w->clock);
	w->question = NULL;
	free(m->body);
}

/* Write GIDs and LIDs of real hosts, which random bytes would hardly hit. */
static void
plant_ids(uint8_t *rec, uint16_t attr, unsigned which)
{
	static const struct {
		uint16_t attr;
		uint8_t gid[2], lid; /* offsets; 0xff: none */
	} at[] = {{0x35, {8, 24}, 40}, {0x39, {8, 24}, 40},
		{0x38, {16, 16}, 0xff}, {0x31, {8, 8}, 0xff},
		{0x30, {0xff, 0xff}, 0}, {0x3a, {24, 40}, 0xff},
		{0x11, {0xff, 0xff}, 0}, {0x12, {0xff, 0xff}, 0},
		{0x33, {0xff, 0xff}, 0}};

	for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		if (at[i].attr != attr)
			continue;
		for (unsigned k = 0; k < 2 && at[i].gid[k] != 0xff; k++) {
			unsigned host = (which >> k) % HOSTS;

			be_put64(rec + at[i].gid[k], PREFIX);
			be_put64(rec + at[i].gid[k] + 8,
				0x200 + (uint64_t)16 * host);
		}
		if (at[i].lid != 0xff)
			be_put16(rec + at[i].lid,
				(uint16_t)(8 + 8 * (which % HOSTS)));
		if (attr == 0x3a)
			rec[15] = rec[16] = 1;
	}
}

/* kind method lid mask(8) length, then the bytes of the record */
static size_t
send_request(struct wire *w, const uint8_t *in, size_t n)
{
	static const uint16_t attrs[] = {0x01, 0x02, 0x03, 0x11, 0x12, 0x13,
		0x14, 0x15, 0x17, 0x18, 0x20, 0x30, 0x31, 0x33, 0x35, 0x35,
		0x36, 0x38, 0x39, 0x3a, 0xf3};
	static const uint8_t methods[] = {
		1, 2, 0x12, 0x13, 0x14, 0x15, 1, 0x12};
	static const uint16_t lids[] = {1, 2, 8, 9, 16, 24, 27, 99};
	struct transport_msg m = {.addr.qpn = 1, .len = MAD_SIZE};
	struct mad_sa h = {.base_version = 1, .class_version = MAD_SA_VERSION};
	size_t take;

	if (n < 12)
		return n;
	h.attr = attrs[in[0] % (sizeof(attrs) / sizeof(attrs[0]))];
	h.method = methods[in[1] % sizeof(methods)];
	h.mod = (uint32_t)(in[1] & 0x80) << 24;
	h.sm_key = (in[2] & 0x40) != 0 ? KEY : 0;
	m.addr.lid = lids[in[2] % 8];
	h.mask = be_get64(in + 3);
	if ((in[2] & 0x80) != 0) {
		h.rmpp = true;
		h.rmpp_type = 1;
		m.len = MAD_SA_HEADER + (size_t)in[11] * 8;
	}
	mad_sa_encode(&h, m.mad);
	take = n - 12 < (size_t)in[11] ? n - 12 : in[11];
	take = take < MAD_SA_DATA ? take : MAD_SA_DATA;
	memcpy(m.mad + MAD_SA_HEADER, in + 12, take);
	if ((in[2] & 0x20) != 0)
		plant_ids(m.mad + MAD_SA_HEADER, h.attr, in[11]);
	give_request(w, &m);
	return 12 + take;
}

/* Any bytes as a message. */
static size_t
send_noise(struct wire *w, const uint8_t *in, size_t n)
{
	struct transport_msg m = {.addr.qpn = 1};
	size_t take;

	if (n < 3)
		return n;
	m.addr.lid = in[0];
	m.error = in[1] & 0x80 ? 110 : 0;
	take = n - 2 < MAD_SIZE ? n - 2 : MAD_SIZE;
	m.len = take;
	memcpy(m.mad, in + 2, take);
	m.mad[AT_CLASS] = MAD_SA;
	if (m.error != 0)
		w->asked -= is_request(&m);
	give_request(w, &m);
	return 2 + take;
}

static void
answer_report(struct wire *w, uint8_t lid)
{
	struct transport_msg m = {
		.addr.lid = lid, .addr.qpn = 1, .len = MAD_SIZE};
	const struct mad_sa h = {.base_version = 1,
		.class_version = MAD_SA_VERSION,
		.method = MAD_SA_REPORT | MAD_SA_RESPONSE,
		.tid = w->report,
		.attr = MAD_SA_NOTICE_ATTR};

	mad_sa_encode(&h, m.mad);
	give_request(w, &m);
}

static void
pass_time(struct wire *w, int64_t ms)
{
	sa_group_written(w->sa, sa_group_stamp(w->sa));
	w->clock = mono_add(w->clock, mono_ms(ms));
	for (int i = 0; i < 64 && !mono_before(w->clock, sa_next(w->sa)); i++)
		sa_tick(w->sa, w->clock);
}

static void
start_sa(struct wire *w)
{
	static const struct sa_configured_group all = {
		{UINT64_C(0xff12401b80010000), 0xffffffff}, 0xb1b, 0x8001, 4, 3,
		0, 2};

	w->sa = sa_new(&w->t, &w->ops, &w->par);
	sa_prefix_routes(w->sa, &w->far, 1);
	sa_configured_group(w->sa, &all, 1);
}

/* The restarted SA must accept its own saved state, whatever it is. */
static void
restart_sa(struct wire *w)
{
	struct buf b = {0};

	pass_time(w, 1);
	sa_save(w->sa, w->clock, &b);
	sa_free(w->sa);
	w->sa = NULL;
	start_sa(w);
	if (sa_restore(w->sa, b.text, 0, w->clock) != 0)
		abort();
	sa_commit(w->sa, w->view[w->now]);
	buf_free(&b);
}

static size_t
run_step(struct wire *w, const uint8_t *in, size_t n)
{
	uint8_t op = in[0] & 7;

	switch (op) {
	case 0:
	case 1:
	case 2:
		return 1 + send_request(w, in + 1, n - 1);
	case 3:
		return 1 + send_noise(w, in + 1, n - 1);
	case 4:
		pass_time(w, (int64_t)1 << (in[0] >> 4));
		return 1;
	case 5:
		if (in[0] >> 4 == 0xf) {
			restart_sa(w);
			return 1;
		}
		w->lazy = (in[0] & 0x10) != 0;
		w->now = !w->now;
		sa_commit(w->sa, w->view[w->now]);
		return 1;
	case 6:
		answer_report(w, (uint8_t)(8 + (in[0] >> 4)));
		return 1;
	default:
		if (n < 1 + MAD_DATA)
			return n;
		sa_trap(w->sa, in[0] >> 3, in + 1);
		return 1 + MAD_DATA;
	}
}

/* Made once for all inputs: it takes longer than most of them. */
static void
make_fabric(struct wire *w)
{
	static struct lft_pool *pool;
	static struct view *view[2];

	if (pool == NULL) {
		pool = lft_pool_new();
		view[0] = make_view(pool, HOSTS, 1);
		view[1] = make_view(pool, HOSTS - 1, 2);
	}
	w->view[0] = view[0];
	w->view[1] = view[1];
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wire w = {.t.send = wire_send, .clock = {1}};

	w.ops = (struct sa_ops){.cookie = &w,
		.release = release_view,
		.manager = get_manager,
		.aliases_changed = aliases_changed,
		.regroup = on_group_change,
		.mft = read_mft};
	w.par = (struct sa_params){
		.prefix = PREFIX,
		.sa_key = KEY,
		.packet_life = 18,
		.rate = 100,
		.burst = 200,
		.services = 4,
		.subscribers = 4,
		.groups = 4,
		.table_mib = 1,
	};
	w.far = (struct sa_far){0, 0x210};
	make_fabric(&w);
	start_sa(&w);
	while (size > 0) {
		size_t used = run_step(&w, data, size);

		data += used;
		size -= used;
	}
	pass_time(&w, 1);
	/* at most one answer each: silence is an answer, too (sa.h) */
	if (w.answered > w.asked)
		abort();
	sa_free(w.sa);
	for (unsigned i = 0; i < 2; i++)
		if (w.view[i]->refs != 1)
			abort(); /* a reference was kept */
	return 0;
}
