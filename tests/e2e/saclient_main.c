/*
 * heddle-saclient: sends subnet administration the requests that programs of
 * hosts send, with the same methods, attributes and component masks in the same
 * order, through libibumad. Run under libheddle-umad.so on a heddle-sim server.
 *
 *	ipoib PEER	the kernel's IPoIB: class port info, the broadcast
 *			group, another group, a send-only join, a path, leaving
 *	cm PEER		rdma_cm: routes as the kernel asks for them for
 *			librdmacm, a group of its own
 *	acm PEER	ibacm: its group, paths by GID and by LID
 *	srp PEER	srp_daemon: targets by capability, node, path in each
 *			partition, traps 64 and 144
 *	multi PEER	a MultiPathRecord longer than a MAD
 *	register	a service, found by number and by name; an alias GUID,
 *			a subscription; they stay
 *	listen N	subscribes to all of the SM's events and answers N
 *			reports, after a line "listening"; one that comes again
 *			because the answer was late does not count
 *
 * With the word grh before these, requests have a GRH to the SA's well-known
 * GID, as the kernel's have where virtual ports share a LID; answers and
 * Reports must have one too.
 *
 * Prints "SEQUENCE.STEP FIELD VALUE", a LID as the description of its node, so
 * that the answers of two subnet managers can be compared.
 */
#include <errno.h>
#include <infiniband/umad.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/be.h"
#include "sm/base/mem.h"
#include "sm/mad/mad_sa.h"

enum { DEVICE_MANAGEMENT = 1 << 19 }; /* a bit of CapabilityMask */
enum { WAIT_MS = 20000, QP1 = 1, NODE_SIZE = 112, MULTI = 20 };
#define QKEY 0x80010000U
#define SA_GUID UINT64_C(0x0200000000000002)
#define SERVED UINT64_C(0x1000000000000042)
#define SERVICE UINT64_C(0x0000000001060000) /* rdma_cm: TCP port 0 */

struct client {
	int fd, agent;
	uint32_t tid;
	bool grh;
	uint16_t lid, sm_lid, pkey;
	struct mad_gid gid, peer;
	uint16_t peer_lid;
	uint8_t *nodes; /* NodeRecords */
	size_t nnodes;
	const char *sequence;
	/* the last answer */
	uint8_t *umad;
	int len;
	struct mad_sa h;
	const uint8_t *data;
};

static void exit_error(const char *fmt, ...)
	__attribute__((format(printf, 1, 2), noreturn));

static void
exit_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vfprintf(stderr, fmt, ap);
	va_end(ap);
	(void)fputc('\n', stderr);
	exit(1);
}

/* ---- asking ---- */

struct question {
	uint8_t method;
	uint16_t attr;
	uint32_t mod;
	uint64_t mask;
	const uint8_t *rec; /* or NULL */
	size_t len;
};

/* The address of the SA, in a message that is sent. */
static void
set_address(const struct client *c, uint8_t *umad)
{
	ib_mad_addr_t to = {.hop_limit = 64};

	be_put64(to.gid, c->gid.prefix);
	be_put64(to.gid + 8, SA_GUID);
	(void)umad_set_addr(umad, c->sm_lid, QP1, 0, (int)QKEY);
	(void)umad_set_grh(umad, c->grh ? &to : NULL);
}

static void
send_question(struct client *c, const struct question *q)
{
	size_t len = q->len > MAD_SA_DATA ? MAD_SA_HEADER + q->len : MAD_SIZE;
	uint8_t *umad = mem_zalloc(1, umad_size() + len);
	uint8_t *m = umad_get_mad(umad);
	struct mad_sa h = {
		.base_version = 1,
		.class_version = MAD_SA_VERSION,
		.method = q->method,
		.tid = ++c->tid,
		.attr = q->attr,
		.mod = q->mod,
		.mask = q->mask,
		.rmpp = q->len > MAD_SA_DATA,
		.rmpp_type = q->len > MAD_SA_DATA,
	};

	mad_sa_encode(&h, m);
	if (q->rec != NULL)
		memcpy(m + MAD_SA_HEADER, q->rec, q->len);
	set_address(c, umad);
	if (umad_send(c->fd, c->agent, umad, (int)len, WAIT_MS, 0) != 0)
		exit_error("send: %s", strerror(errno));
	free(umad);
}

/* Receive the next message, whole. */
static void
receive_msg(struct client *c)
{
	int len = MAD_SIZE;

	free(c->umad);
	c->umad = mem_zalloc(1, umad_size() + MAD_SIZE);
	if (umad_recv(c->fd, c->umad, &len, WAIT_MS) < 0) {
		if (errno != ENOSPC)
			exit_error("no answer: %s", strerror(errno));
		c->umad = mem_resize(c->umad, 1, umad_size() + (size_t)len);
		if (umad_recv(c->fd, c->umad, &len, WAIT_MS) < 0)
			exit_error("no answer: %s", strerror(errno));
	}
	if (umad_status(c->umad) != 0)
		exit_error("no answer: status %d", umad_status(c->umad));
	if ((umad_get_mad_addr(c->umad)->grh_present != 0) != c->grh)
		exit_error("a message %s a GRH", c->grh ? "without" : "with");
	c->len = len;
	c->data = (const uint8_t *)umad_get_mad(c->umad) + MAD_SA_HEADER;
	if (mad_sa_decode(umad_get_mad(c->umad), (size_t)len, &c->h, NULL) != 0)
		exit_error("not an answer of the SA");
}

static size_t
count_records(const struct client *c)
{
	return c->h.offset == 0 ? 0
				: (size_t)(c->len - MAD_SA_HEADER) /
					  ((size_t)c->h.offset * 8);
}

static const char *
name_of(const struct client *c, uint16_t lid)
{
	static char unknown[16];

	for (size_t i = 0; i < c->nnodes; i++)
		if (be_get16(c->nodes + i * NODE_SIZE) == lid)
			return (const char *)c->nodes + i * NODE_SIZE + 44;
	(void)snprintf(unknown, sizeof(unknown), "0x%04x", lid);
	return unknown;
}

static void print_line(const struct client *c, const char *step,
	const char *fmt, ...) __attribute__((format(printf, 3, 4)));

static void
print_line(const struct client *c, const char *step, const char *fmt, ...)
{
	va_list ap;

	(void)printf("%s.%s ", c->sequence, step);
	va_start(ap, fmt);
	(void)vprintf(fmt, ap);
	va_end(ap);
	(void)putchar('\n');
}

/* Ask and print the status; true: there is a record. */
static bool
ask_sa(struct client *c, const char *step, const struct question *q)
{
	send_question(c, q);
	do
		receive_msg(c);
	while ((uint32_t)c->h.tid != c->tid);
	print_line(c, step, "status 0x%04x", c->h.status);
	return c->h.status == 0 && ((c->h.method & 0x7f) < MAD_SA_GET_TABLE ||
					   count_records(c) > 0);
}

/* ---- printing answers ---- */

static void
say_path(const struct client *c, const char *step, const uint8_t *rec)
{
	struct mad_sa_path p;

	mad_sa_path_decode(rec, &p);
	print_line(c, step, "dgid %016" PRIx64 ":%016" PRIx64, p.dgid.prefix,
		p.dgid.guid);
	print_line(c, step, "sgid %016" PRIx64 ":%016" PRIx64, p.sgid.prefix,
		p.sgid.guid);
	print_line(c, step, "dlid %s", name_of(c, p.dlid));
	print_line(c, step, "slid %s", name_of(c, p.slid));
	print_line(c, step, "service %016" PRIx64, p.service);
	print_line(c, step, "hop_limit %u", p.hop_limit);
	print_line(c, step, "flow_label %u", p.flow_label);
	print_line(c, step, "tclass %u", p.tclass);
	print_line(c, step, "reversible %d", p.reversible);
	print_line(c, step, "pkey 0x%04x", p.pkey);
	print_line(c, step, "sl %u", p.sl);
	print_line(c, step, "mtu %u:%u", p.mtu_sel, p.mtu);
	print_line(c, step, "rate %u:%u", p.rate_sel, p.rate);
	print_line(c, step, "life %u:%u", p.life_sel, p.life);
}

static void
say_member(const struct client *c, const char *step)
{
	struct mad_sa_member m;

	mad_sa_member_decode(c->data, &m);
	print_line(c, step, "mgid %016" PRIx64 ":%016" PRIx64, m.mgid.prefix,
		m.mgid.guid);
	print_line(c, step, "gid %016" PRIx64 ":%016" PRIx64, m.gid.prefix,
		m.gid.guid);
	print_line(c, step, "qkey 0x%x", m.qkey);
	print_line(c, step, "mlid %s", m.mlid >= 0xc000 ? "multicast" : "none");
	print_line(c, step, "pkey 0x%04x", m.pkey);
	print_line(c, step, "mtu %u:%u", m.mtu_sel, m.mtu);
	print_line(c, step, "rate %u:%u", m.rate_sel, m.rate);
	print_line(c, step, "life %u:%u", m.life_sel, m.life);
	print_line(c, step, "sl %u", m.sl);
	print_line(c, step, "tclass %u", m.tclass);
	print_line(c, step, "flow_label %u", m.flow_label);
	print_line(c, step, "hop_limit %u", m.hop_limit);
	print_line(c, step, "scope %u", m.scope);
	print_line(c, step, "state %u", m.state);
}

static void
ask_path(struct client *c, const char *step, const struct mad_sa_path *p,
	uint64_t mask)
{
	uint8_t rec[MAD_SA_PATH];
	const struct question q = {.method = MAD_GET,
		.attr = MAD_SA_PATH_REC,
		.mask = mask,
		.rec = rec,
		.len = sizeof(rec)};

	mad_sa_path_encode(p, rec);
	if (ask_sa(c, step, &q))
		say_path(c, step, c->data);
}

static bool
ask_member(struct client *c, const char *step, uint8_t method,
	const struct mad_sa_member *m, uint64_t mask)
{
	uint8_t rec[MAD_SA_MEMBER_REC];
	const struct question q = {.method = method,
		.attr = MAD_SA_MEMBER,
		.mask = mask,
		.rec = rec,
		.len = sizeof(rec)};
	bool ok;

	mad_sa_member_encode(m, rec);
	ok = ask_sa(c, step, &q);
	if (ok)
		say_member(c, step);
	return ok;
}

static void
ask_info(struct client *c, const char *step)
{
	const struct question q = {
		.method = MAD_GET, .attr = MAD_SA_CLASS_PORT_INFO};

	if (!ask_sa(c, step, &q))
		return;
	print_line(c, step, "versions %u %u", c->data[0], c->data[1]);
	print_line(c, step, "cap_mask_match %d",
		(be_get16(c->data + 2) >> 13) & 1);
	print_line(c, step, "send_only_full %d",
		(be_get32(c->data + 4) >> 5 >> 12) & 1);
}

static struct mad_sa_path
path_to(const struct client *c)
{
	return (struct mad_sa_path){.dgid = c->peer,
		.sgid = c->gid,
		.npaths = 1,
		.reversible = true,
		.pkey = c->pkey,
		.service = SERVICE};
}

/* ---- the programs ---- */

enum {
	JOIN = MAD_SA_MEMBER_MGID | MAD_SA_MEMBER_GID | MAD_SA_MEMBER_STATE,
	LIKE = JOIN | MAD_SA_MEMBER_PKEY | MAD_SA_MEMBER_QKEY |
	       MAD_SA_MEMBER_MTU_SEL | MAD_SA_MEMBER_MTU |
	       MAD_SA_MEMBER_TCLASS | MAD_SA_MEMBER_RATE_SEL |
	       MAD_SA_MEMBER_RATE | MAD_SA_MEMBER_SL | MAD_SA_MEMBER_FLOW |
	       MAD_SA_MEMBER_HOPS,
};

/* The IPv4 group of our partition with these low GID bits. */
static struct mad_sa_member
ipoib_group(const struct client *c, uint64_t low)
{
	return (struct mad_sa_member){
		.mgid = {UINT64_C(0xff12401b00000000) |
				 (uint64_t)(c->pkey | 0x8000U) << 16,
			low},
		.gid = c->gid,
		.pkey = c->pkey,
		.state = MAD_SA_JOIN_FULL,
	};
}

static void
run_ipoib(struct client *c)
{
	struct mad_sa_member all = ipoib_group(c, 0xffffffff), m;
	struct mad_sa_path p = path_to(c);

	ask_info(c, "info");
	if (!ask_member(
		    c, "broadcast", MAD_SET, &all, JOIN | MAD_SA_MEMBER_PKEY))
		return;
	mad_sa_member_decode(c->data, &m);
	m.mtu_sel = m.rate_sel = MAD_SA_EXACTLY;
	m.mgid.guid = 0x1; /* 224.0.0.1 */
	m.state = MAD_SA_JOIN_FULL;
	(void)ask_member(c, "all-hosts", MAD_SET, &m, LIKE);
	m.mgid.guid = 0x16; /* 224.0.0.22, to send to only */
	m.state = MAD_SA_JOIN_SEND_FULL;
	(void)ask_member(c, "send-only", MAD_SET, &m, LIKE);
	m.mgid.guid = 0x17;
	m.state = MAD_SA_JOIN_SEND;
	(void)ask_member(c, "send-nobody", MAD_SET, &m, LIKE);
	p.tclass = 0;
	ask_path(c, "path", &p,
		MAD_SA_PATH_DGID | MAD_SA_PATH_SGID | MAD_SA_PATH_NPATHS |
			MAD_SA_PATH_TCLASS | MAD_SA_PATH_PKEY);
	m.mgid.guid = 0x16;
	m.state = MAD_SA_JOIN_SEND_FULL;
	(void)ask_member(c, "leave", MAD_SA_DELETE, &m, JOIN);
	(void)ask_member(c, "leave-again", MAD_SA_DELETE, &m, JOIN);
}

static void
run_cm(struct client *c)
{
	const uint64_t route = MAD_SA_PATH_DGID | MAD_SA_PATH_SGID |
			       MAD_SA_PATH_PKEY | MAD_SA_PATH_NPATHS |
			       MAD_SA_PATH_REVERSIBLE | MAD_SA_PATH_SERVICE;
	struct mad_sa_path p = path_to(c);
	struct mad_sa_member m = ipoib_group(c, 0xe0000105);

	ask_path(c, "route4", &p, route | MAD_SA_PATH_QOS);
	p.tclass = 0x20;
	ask_path(c, "route6", &p, route | MAD_SA_PATH_TCLASS);
	p.dgid = c->gid;
	ask_path(c, "itself", &p, route | MAD_SA_PATH_QOS);
	p.dgid.guid = 0xdead;
	ask_path(c, "nobody", &p, route | MAD_SA_PATH_QOS);
	m.mgid.prefix = UINT64_C(0xff124001ffff0000); /* its own signature */
	m.qkey = 0x01234567;
	(void)ask_member(c, "group", MAD_SET, &m,
		JOIN | MAD_SA_MEMBER_PKEY | MAD_SA_MEMBER_QKEY |
			MAD_SA_MEMBER_SL | MAD_SA_MEMBER_FLOW |
			MAD_SA_MEMBER_TCLASS);
	(void)ask_member(c, "leave", MAD_SA_DELETE, &m, JOIN);
}

static void
run_acm(struct client *c)
{
	struct mad_sa_path p = path_to(c);
	struct mad_sa_member m = {
		/* scope of the link, a signature, P_Key, rate; MTU */
		.mgid = {UINT64_C(0xff12400100000000) |
				 (uint64_t)(c->pkey | 0x8000U) << 16 | 6,
			UINT64_C(4) << 56},
		.gid = c->gid,
		.qkey = 0xac1,
		.pkey = c->pkey,
		.mtu_sel = MAD_SA_EXACTLY,
		.mtu = 4,
		.rate_sel = MAD_SA_EXACTLY,
		.rate = 3,
		.scope = 2,
		.state = MAD_SA_JOIN_FULL,
	};

	(void)ask_member(c, "group", MAD_SET, &m,
		(LIKE | MAD_SA_MEMBER_SCOPE) & ~(unsigned)MAD_SA_MEMBER_HOPS);
	ask_path(c, "by-gid", &p,
		MAD_SA_PATH_DGID | MAD_SA_PATH_SGID | MAD_SA_PATH_PKEY |
			MAD_SA_PATH_NPATHS | MAD_SA_PATH_REVERSIBLE);
	p.slid = c->lid;
	p.dlid = c->peer_lid;
	ask_path(c, "by-lid", &p,
		MAD_SA_PATH_DLID | MAD_SA_PATH_SLID | MAD_SA_PATH_NPATHS |
			MAD_SA_PATH_REVERSIBLE);
	(void)ask_member(c, "leave", MAD_SA_DELETE, &m, JOIN);
}

static void
ask_subscription(struct client *c, const char *step, uint16_t trap,
	uint16_t type, uint32_t producer)
{
	const struct mad_sa_inform i = {.lid_first = 0xffff,
		.lid_last = 0xffff,
		.generic = true,
		.subscribe = true,
		.type = type,
		.trap = trap,
		.qpn = QP1,
		.resp_time = 16,
		.producer = producer};
	uint8_t rec[MAD_SA_INFORM];
	const struct question q = {.method = MAD_SET,
		.attr = MAD_SA_INFORM_INFO,
		.rec = rec,
		.len = sizeof(rec)};
	struct mad_sa_inform got;

	mad_sa_inform_encode(&i, rec);
	if (!ask_sa(c, step, &q))
		return;
	mad_sa_inform_decode(c->data, &got);
	print_line(c, step, "subscribe %d", got.subscribe);
	print_line(c, step, "trap %u", got.trap);
	print_line(c, step, "type 0x%x", got.type);
	print_line(c, step, "producer 0x%x", got.producer);
}

/* Ask for ports with these capabilities. */
static void
ask_targets(struct client *c, const char *step, uint32_t caps)
{
	uint8_t rec[68] = {0};
	const struct question q = {.method = MAD_SA_GET_TABLE,
		.attr = MAD_SA_PORT,
		.mod = 1U << 31,
		.mask = 1 << 7,
		.rec = rec,
		.len = sizeof(rec)};

	be_put32(rec + 4 + 20, caps);
	(void)ask_sa(c, step, &q);
	print_line(c, step, "records %zu", count_records(c));
	for (size_t i = 0; i < count_records(c); i++)
		print_line(c, step, "lid %s",
			name_of(c, be_get16(c->data + i * c->h.offset * 8U)));
}

static void
run_srp(struct client *c)
{
	uint8_t rec[NODE_SIZE] = {0};
	const struct question node = {.method = MAD_GET,
		.attr = MAD_SA_NODE,
		.mask = 1,
		.rec = rec,
		.len = sizeof(rec)};
	struct mad_sa_path p = {.slid = c->lid,
		.dlid = c->peer_lid,
		.npaths = 1,
		.pkey = c->pkey};
	const uint64_t mask = MAD_SA_PATH_DLID | MAD_SA_PATH_SLID |
			      MAD_SA_PATH_NPATHS | MAD_SA_PATH_PKEY;

	ask_info(c, "info");
	ask_targets(c, "device-managers", DEVICE_MANAGEMENT);
	ask_targets(c, "managers", MAD_CAP_IS_SM);
	be_put16(rec, c->peer_lid);
	if (ask_sa(c, "node", &node)) {
		print_line(c, "node", "type %u", c->data[6]);
		print_line(
			c, "node", "guid %016" PRIx64, be_get64(c->data + 16));
		print_line(c, "node", "name %.64s", (const char *)c->data + 44);
	}
	ask_path(c, "path", &p, mask);
	p.pkey = 0x8123;
	ask_path(c, "other-partition", &p, mask);
	ask_subscription(c, "join", 64, 3, 4);
	ask_subscription(c, "change", 144, 4, 1);
}

static void
run_multi(struct client *c)
{
	uint8_t rec[MAD_SA_MULTI + 16 * (MULTI + 1)] = {0};
	const struct question q = {.method = MAD_SA_GET_MULTI,
		.attr = MAD_SA_MULTI_PATH,
		.mask = MAD_SA_MULTI_NSGID | MAD_SA_MULTI_NDGID,
		.rec = rec,
		.len = sizeof(rec)};
	unsigned n = 0;

	rec[15] = 1;
	mad_sa_gid_encode(&c->gid, rec + MAD_SA_MULTI);
	for (size_t i = 0; i < c->nnodes && n < MULTI; i++) {
		const uint8_t *r = c->nodes + i * NODE_SIZE;
		const struct mad_gid g = {c->gid.prefix, be_get64(r + 24)};

		if (r[6] == 1)
			mad_sa_gid_encode(
				&g, rec + MAD_SA_MULTI + 16 * (size_t)++n);
	}
	rec[16] = (uint8_t)n;
	(void)ask_sa(c, "paths", &q);
	print_line(c, "paths", "records %zu", count_records(c));
	for (size_t i = 0; i < count_records(c); i++)
		say_path(c, "path", c->data + i * c->h.offset * 8U);
}

/* Ask for a service as the kernel does, by number or by name. */
static void
ask_service(struct client *c, const char *step, uint64_t mask, bool wrong)
{
	uint8_t service[MAD_SA_SERVICE] = {0};
	const struct question q = {.method = MAD_SA_GET_TABLE,
		.attr = MAD_SA_SERVICE_REC,
		.mask = mask,
		.rec = service,
		.len = sizeof(service)};

	be_put64(service, SERVED);
	memcpy(service + 48, wrong ? "elsewhere" : "storage", wrong ? 9 : 7);
	if (!ask_sa(c, step, &q))
		return;
	print_line(c, step, "records %zu", count_records(c));
	print_line(c, step, "id %016" PRIx64, be_get64(c->data));
	print_line(c, step, "name %.64s", (const char *)c->data + 48);
}

static void
register_all(struct client *c)
{
	uint8_t service[MAD_SA_SERVICE] = {0}, guids[72] = {0};
	const struct question s = {.method = MAD_SET,
		.attr = MAD_SA_SERVICE_REC,
		.mask = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 4 | 1 << 6,
		.rec = service,
		.len = sizeof(service)};
	const struct question g = {.method = MAD_SET,
		.attr = MAD_SA_GUID,
		.mask = 1 << 0 | 1 << 1 | 1 << 5,
		.rec = guids,
		.len = sizeof(guids)};

	be_put64(service, SERVED);
	mad_sa_gid_encode(&c->gid, service + 8);
	be_put16(service + 24, c->pkey);
	be_put32(service + 28, 0xffffffff);
	memcpy(service + 48, "storage", sizeof("storage"));
	if (ask_sa(c, "service", &s))
		print_line(c, "service", "lease 0x%x", be_get32(c->data + 28));
	ask_service(c, "by-number", 1 << 0, false);
	ask_service(c, "by-name", 1 << 6, false);
	ask_service(c, "by-wrong-name", 1 << 0 | 1 << 6, true);
	be_put16(guids, c->lid);
	be_put64(guids + 16, 0x1111);
	if (ask_sa(c, "alias", &g))
		print_line(
			c, "alias", "guid %016" PRIx64, be_get64(c->data + 16));
	ask_subscription(c, "gone", 65, 3, 4);
}

/* Answer the report that was just received. */
static void
answer_report(struct client *c)
{
	uint8_t *m = umad_get_mad(c->umad);

	m[3] = MAD_SA_REPORT | MAD_SA_RESPONSE;
	set_address(c, c->umad);
	if (umad_send(c->fd, c->agent, c->umad, MAD_SIZE, 0, 0) != 0)
		exit_error("ReportResp: %s", strerror(errno));
}

static void
listen_for(struct client *c, unsigned n)
{
	uint64_t about, last_about = 0;
	unsigned trap, last_trap = 0;

	ask_subscription(c, "all", 0xffff, 3, 4);
	print_line(c, "ready", "listening");
	(void)fflush(stdout);
	while (n > 0) {
		receive_msg(c);
		if (c->h.method != MAD_SA_REPORT)
			continue;
		trap = be_get16(c->data + 4);
		about = be_get64(c->data + 24);
		print_line(
			c, "report", "trap %u about %016" PRIx64, trap, about);
		(void)fflush(stdout);
		answer_report(c);
		n -= trap != last_trap || about != last_about;
		last_trap = trap;
		last_about = about;
	}
}

/* ---- our port, and the other nodes ---- */

static void
open_port(struct client *c)
{
	long mask[16 / sizeof(long)] = {1L << MAD_SA_REPORT};
	umad_port_t port;

	if (umad_init() < 0 || umad_get_port(NULL, 0, &port) < 0)
		exit_error("no port");
	c->lid = (uint16_t)port.base_lid;
	c->sm_lid = (uint16_t)port.sm_lid;
	c->gid = (struct mad_gid){
		be64toh(port.gid_prefix), be64toh(port.port_guid)};
	c->pkey = port.pkeys_size > 0 ? port.pkeys[0] : 0xffff;
	c->fd = umad_open_port(NULL, 0);
	c->agent = umad_register(c->fd, MAD_SA, MAD_SA_VERSION, 1, mask);
	if (c->fd < 0 || c->agent < 0)
		exit_error("no agent: %s", strerror(errno));
	(void)umad_release_port(&port);
}

static void
read_nodes(struct client *c)
{
	const struct question q = {
		.method = MAD_SA_GET_TABLE, .attr = MAD_SA_NODE};

	send_question(c, &q);
	receive_msg(c);
	if (c->h.status != 0 || c->h.offset * 8 != NODE_SIZE)
		exit_error("no nodes: status 0x%04x", c->h.status);
	c->nnodes = count_records(c);
	c->nodes = mem_dup(c->data, c->nnodes * NODE_SIZE);
}

static void
find_peer(struct client *c, const char *name)
{
	for (size_t i = 0; i < c->nnodes; i++) {
		const uint8_t *r = c->nodes + i * NODE_SIZE;

		if (strcmp((const char *)r + 44, name) != 0)
			continue;
		c->peer = (struct mad_gid){c->gid.prefix, be_get64(r + 24)};
		c->peer_lid = be_get16(r);
		return;
	}
	exit_error("no node %s", name);
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(struct client *c);
	} sequence[] = {{"ipoib", run_ipoib}, {"cm", run_cm}, {"acm", run_acm},
		{"srp", run_srp}, {"multi", run_multi},
		{"register", register_all}};
	bool grh = argc > 1 && strcmp(argv[1], "grh") == 0;
	const char *what = argc > 1 + grh ? argv[1 + grh] : "";
	struct client c = {.sequence = what, .grh = grh};

	argc -= grh;
	argv += grh;
	open_port(&c);
	read_nodes(&c);
	if (strcmp(what, "listen") == 0) {
		listen_for(&c,
			argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 1);
		return 0;
	}
	if (argc > 2)
		find_peer(&c, argv[2]);
	for (size_t i = 0; i < sizeof(sequence) / sizeof(sequence[0]); i++)
		if (strcmp(what, sequence[i].name) == 0) {
			sequence[i].run(&c);
			free(c.umad);
			free(c.nodes);
			return 0;
		}
	exit_error("usage: heddle-saclient [grh] ipoib|cm|acm|srp|multi PEER | "
		   "register | "
		   "listen N");
}
