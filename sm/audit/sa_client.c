#include "sm/audit/sa_client.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/be.h"
#include "sm/base/mem.h"

enum {
	WINDOW = 2,
	TRIES = 3,
	VAIN = 3,	 /* consecutive sources without an answer */
	FIRST_MS = 1000, /* time for a first answer */
	TABLE_MS = 8000, /* time for a table */
	PATHS_MAX = 127, /* the most that can be requested between two ports */
	NO_SOURCE = -1,
};

enum stage { STAGE_INFO, STAGE_GROUPS, STAGE_PATHS, STAGE_DONE };

/* The attribute that is requested in each stage. */
static const uint16_t attr[] = {
	[STAGE_INFO] = MAD_SA_CLASS_PORT_INFO,
	[STAGE_GROUPS] = MAD_SA_MEMBER,
	[STAGE_PATHS] = MAD_SA_PATH_REC,
	[STAGE_DONE] = 0,
};

struct question {
	bool open;
	uint32_t tid;
	unsigned tries;
	struct mono due;
	size_t source;
};

/* A source LID of requested paths. */
struct source {
	port_ix port;
	uint16_t lid;
};

struct audit_sa {
	const struct topo *t;
	struct transport *wire;
	enum stage stage;
	uint16_t lid;
	uint8_t sl;
	uint64_t prefix;
	uint32_t tid;
	struct question q[WINDOW];
	struct source *source;
	size_t nsources, capsources, at;
	uint8_t npaths; /* requested to each port: all of its LIDs */
	unsigned vain;
	/* [max_lid + 1] of a source LID: SLs by LID; NULL: not requested, no
	 * answer */
	uint16_t **sls;
	struct audit_sa_client_group *group;
	size_t capgroups;
	struct audit_sa_client_facts facts;
};

struct audit_sa *
audit_sa_client_new(const struct topo *t, struct transport *wire)
{
	struct audit_sa *a = mem_zalloc(1, sizeof(*a));

	a->t = t;
	a->wire = wire;
	a->sls = mem_zalloc(t->max_lid + 1U, sizeof(*a->sls));
	return a;
}

void
audit_sa_client_free(struct audit_sa *a)
{
	if (a == NULL)
		return;
	for (uint32_t lid = 0; lid <= a->t->max_lid; lid++)
		free(a->sls[lid]);
	free(a->sls);
	free(a->source);
	free(a->group);
	free(a);
}

/* ---- choosing the sources ---- */

bool
audit_sa_client_sends(const struct topo *t, port_ix p)
{
	return t->port[p].lid != 0 && t->port[p].state == PORT_ACTIVE;
}

/* The number of LIDs of a port; take: add them to the sources. */
static uint32_t
add_lids(struct audit_sa *a, port_ix port, bool take)
{
	const struct topo_port *p = &a->t->port[port];
	uint32_t n = p->lid != 0 ? 1U << p->lmc : 0;

	for (uint32_t i = 0; take && i < n; i++) {
		a->source = mem_grow(a->source, a->nsources, &a->capsources,
			sizeof(*a->source));
		a->source[a->nsources++] =
			(struct source){port, (uint16_t)(p->lid + i)};
	}
	return n;
}

/*
 * The LIDs of a switch's own port 0 and of its hosts, or of the first of these.
 */
static uint32_t
lids_on(struct audit_sa *a, sw_ix s, bool every, bool take)
{
	const struct topo_switch *sw = &a->t->sw[s];
	uint32_t n;

	if (a->t->node[sw->node].flags & TN_QUARANTINED)
		return 0;
	n = add_lids(a, a->t->node[sw->node].first_port, take);
	for (uint32_t i = 1; i < sw->nend; i++) {
		port_ix p = a->t->end[sw->end + i].port;

		if (!audit_sa_client_sends(a->t, p))
			continue;
		n += add_lids(a, p, take);
		if (!every)
			break;
	}
	return n;
}

/* Choose as many sources as the limit allows: all, one host of each switch, or
 * one host of every step-th switch. */
static void
choose_sources(struct audit_sa *a, uint32_t records)
{
	uint64_t lids = 0, every = 0, one = 0, step = 1;
	uint8_t lmc = 0;

	assert(records > 0);
	for (port_ix p = 0; p < a->t->nports; p++) {
		lids += add_lids(a, p, false);
		if (a->t->port[p].lid != 0 && a->t->port[p].lmc > lmc)
			lmc = a->t->port[p].lmc;
	}
	for (sw_ix s = 0; s < a->t->nsw; s++) {
		every += lids_on(a, s, true, false);
		one += lids_on(a, s, false, false);
	}
	a->npaths = (uint8_t)(lmc < 7 ? 1U << lmc : PATHS_MAX);
	a->facts.extent = AUDIT_SA_CLIENT_SWITCH;
	if (every * lids <= records) {
		a->facts.extent = AUDIT_SA_CLIENT_EVERY;
	} else if (one * lids > records) {
		a->facts.extent = AUDIT_SA_CLIENT_SOME;
		step = (one * lids + records - 1) / records;
	}
	for (sw_ix s = 0; s < a->t->nsw; s++)
		if (s % step == 0)
			(void)lids_on(a, s,
				a->facts.extent == AUDIT_SA_CLIENT_EVERY, true);
	a->facts.sources = (uint32_t)a->nsources;
}

/* ---- requests ---- */

static void
send_question(struct audit_sa *a, struct question *q, struct mono now)
{
	struct mad_sa h = {.base_version = 1,
		.class_version = MAD_SA_VERSION,
		.method = MAD_SA_GET_TABLE};
	struct transport_msg m = {.addr.lid = a->lid,
		.addr.qpn = MAD_SA_QP,
		.addr.sl = a->sl,
		.len = MAD_SIZE};
	struct mono wait = mono_ms(TABLE_MS);

	h.attr = attr[a->stage];
	if (a->stage == STAGE_INFO) {
		h.method = MAD_GET;
		wait = mono_ms(FIRST_MS);
	} else if (a->stage == STAGE_PATHS) {
		const struct source *from = &a->source[q->source];
		const struct mad_sa_path p = {
			.sgid = {a->prefix, a->t->port[from->port].guid},
			.slid = from->lid,
			.reversible = true,
			.npaths = a->npaths,
		};

		h.mask = MAD_SA_PATH_SGID | MAD_SA_PATH_SLID |
			 MAD_SA_PATH_NPATHS;
		mad_sa_path_encode(&p, m.mad + MAD_SA_HEADER);
	}
	h.tid = q->tid = ++a->tid;
	mad_sa_encode(&h, m.mad);
	q->open = true;
	q->tries++;
	q->due = mono_add(now, wait);
	a->facts.questions++;
	(void)a->wire->send(a->wire, &m);
}

static void
start_question(struct audit_sa *a, size_t source, struct mono now)
{
	for (size_t i = 0; i < WINDOW; i++)
		if (!a->q[i].open) {
			a->q[i] = (struct question){.source = source};
			send_question(a, &a->q[i], now);
			return;
		}
}

static unsigned
count_open(const struct audit_sa *a)
{
	unsigned n = 0;

	for (size_t i = 0; i < WINDOW; i++)
		n += a->q[i].open;
	return n;
}

static void
advance_stage(struct audit_sa *a, struct mono now)
{
	while (a->stage == STAGE_PATHS && a->at < a->nsources &&
		a->vain < VAIN && count_open(a) < WINDOW)
		start_question(a, a->at++, now);
	if (count_open(a) > 0)
		return;
	if (a->stage == STAGE_INFO && a->facts.answers) {
		a->stage = STAGE_GROUPS;
		start_question(a, 0, now);
	} else {
		a->stage = STAGE_DONE;
	}
}

void
audit_sa_client_paths(struct audit_sa *a, uint32_t records, struct mono now)
{
	if (!a->facts.answers)
		return;
	a->stage = STAGE_PATHS;
	choose_sources(a, records);
	advance_stage(a, now);
}

void
audit_sa_client_start(struct audit_sa *a, struct mono now)
{
	struct mad_port_info i;

	a->stage = STAGE_DONE;
	if (a->t->sm_port == TOPO_NONE ||
		mad_port_info_decode(
			topo_info(a->t, a->t->sm_port), &i, NULL) != 0 ||
		i.lid == 0 || i.sm_lid == 0 || i.sm_lid > TOPO_LID_MAX ||
		i.state < PORT_ACTIVE) {
		(void)snprintf(a->facts.why, sizeof(a->facts.why),
			"this port is not Active, or has no LID of the subnet "
			"manager");
		return;
	}
	a->lid = i.sm_lid;
	a->sl = i.sm_sl;
	a->prefix = i.gid_prefix;
	a->stage = STAGE_INFO;
	start_question(a, 0, now);
}

/* ---- answers ---- */

static void
note_failure(struct audit_sa *a, const struct question *q, const char *how)
{
	static const char *const what[] = {
		[STAGE_INFO] = "for its capabilities",
		[STAGE_GROUPS] = "for its groups",
		[STAGE_PATHS] = "for paths",
		[STAGE_DONE] = "",
	};

	if (a->stage == STAGE_PATHS)
		a->vain++;
	if (a->facts.why[0] == '\0')
		(void)snprintf(a->facts.why, sizeof(a->facts.why),
			"LID %u, asked %s %u time%s, %s", a->lid,
			what[a->stage], q->tries, q->tries == 1 ? "" : "s",
			how);
}

static int
by_mlid(const void *x, const void *y)
{
	const struct audit_sa_client_group *a = x, *b = y;

	return a->mlid < b->mlid ? -1 : a->mlid > b->mlid;
}

static void
take_groups(struct audit_sa *a, const uint8_t *rec, size_t n, size_t stride)
{
	struct audit_sa_client_facts *f = &a->facts;

	f->groups_known = true;
	for (size_t i = 0; i < n; i++) {
		struct mad_sa_member m;

		mad_sa_member_decode(rec + i * stride, &m);
		if (m.mlid <= TOPO_LID_MAX)
			continue;
		a->group = mem_grow(
			a->group, f->ngroups, &a->capgroups, sizeof(*a->group));
		a->group[f->ngroups++] = (struct audit_sa_client_group){
			m.mgid, m.mlid, m.pkey, m.sl};
	}
	if (f->ngroups > 1)
		qsort(a->group, f->ngroups, sizeof(*a->group), by_mlid);
	f->group = a->group;
}

static void
take_paths(struct audit_sa *a, const struct question *q, const uint8_t *rec,
	size_t n, size_t stride)
{
	const struct topo *t = a->t;
	const struct source *from = &a->source[q->source];
	uint16_t **sls = &a->sls[from->lid];

	a->vain = 0;
	if (n == 0)
		return; /* perhaps they are withheld */
	a->facts.answered++;
	a->facts.records += n;
	if (*sls == NULL)
		*sls = mem_zalloc(t->max_lid + 1U, sizeof(**sls));
	for (size_t i = 0; i < n; i++) {
		struct mad_sa_path p;

		mad_sa_path_decode(rec + i * stride, &p);
		if (p.slid != from->lid || p.dlid == 0 || p.dlid > t->max_lid)
			continue;
		(*sls)[p.dlid] |= (uint16_t)(1U << p.sl);
		a->facts.sls |= (uint16_t)(1U << p.sl);
	}
}

/* The PayloadLength of a first segment: the kernel counts the class header once
 * in each segment. */
static size_t
payload_of(size_t len)
{
	enum { CLASS_HEADER = 20 };
	size_t data = len - MAD_SA_HEADER;
	size_t segments = data > 0 ? (data + MAD_SA_DATA - 1) / MAD_SA_DATA : 1;

	return data + segments * CLASS_HEADER;
}

/*
 * Whether an answer is a whole table: its number of records in *n, or why it is
 * not. Only the first segment's header is left of a message that the kernel put
 * together; Last is then set if it was the only one.
 */
static const char *
check_table(const struct mad_sa *h, size_t len, size_t least, size_t *n)
{
	size_t stride = (size_t)h->offset * 8, bytes = len - MAD_SA_HEADER;
	bool one = len <= MAD_SIZE;

	*n = 0;
	if (!h->rmpp || h->rmpp_version != 1)
		return "answered without RMPP";
	if (h->rmpp_type != 1 || h->rmpp_status != 0)
		return "answered RMPP that is no data";
	if (!h->rmpp_first || h->rmpp_segment != 1 || h->rmpp_last != one)
		return "sent an answer that was cut off on its way: its RMPP "
		       "flags are not those of a whole message";
	if (h->rmpp_payload != payload_of(len) && (one || h->rmpp_payload != 0))
		return "sent an answer of another length than its RMPP header "
		       "says";
	if (bytes == 0)
		return NULL;
	if (stride < least || bytes % stride != 0)
		return "sent records of a wrong size";
	*n = bytes / stride;
	return NULL;
}

static const char *
take_table(struct audit_sa *a, const struct question *q, const struct mad_sa *h,
	const struct transport_msg *m)
{
	const uint8_t *rec = m->len > MAD_SIZE ? m->body : m->mad;
	size_t stride = (size_t)h->offset * 8, n = 0;
	bool groups = a->stage == STAGE_GROUPS;
	const char *wrong = NULL;

	if (h->status == MAD_SA_OK)
		wrong = check_table(h, m->len,
			groups ? MAD_SA_MEMBER_REC : MAD_SA_PATH, &n);
	if (wrong != NULL)
		return wrong;
	if (groups)
		take_groups(a, rec + MAD_SA_HEADER, n, stride);
	else
		take_paths(a, q, rec + MAD_SA_HEADER, n, stride);
	return NULL;
}

static void
take_answer(struct audit_sa *a, const struct question *q,
	const struct mad_sa *h, const struct transport_msg *m)
{
	const char *wrong = NULL;
	char how[48];

	if (h->attr != attr[a->stage] || h->class_version != MAD_SA_VERSION ||
		(m->len > MAD_SIZE && m->body == NULL)) {
		wrong = "answered something else";
	} else if (h->status != MAD_SA_OK && h->status != MAD_SA_NO_RECORDS) {
		(void)snprintf(
			how, sizeof(how), "answered status 0x%04x", h->status);
		wrong = how;
	} else if (a->stage == STAGE_INFO) {
		a->facts.answers = true;
	} else {
		wrong = take_table(a, q, h, m);
	}
	if (wrong != NULL)
		note_failure(a, q, wrong);
}

/* The request was not answered in time: send it again, or give up. */
static void
retry_or_give_up(struct audit_sa *a, struct question *q, struct mono now)
{
	if (q->tries < TRIES && (a->stage != STAGE_PATHS || a->vain == 0)) {
		send_question(a, q, now);
		return;
	}
	q->open = false;
	note_failure(a, q, "did not answer");
}

bool
audit_sa_client_receive(
	struct audit_sa *a, const struct transport_msg *m, struct mono now)
{
	struct question *q = NULL;
	struct mad_sa h;

	if (m->mad[1] != MAD_SA || m->len < MAD_SA_HEADER ||
		mad_sa_decode(m->mad, MAD_SIZE, &h, NULL) != 0)
		return false;
	for (size_t i = 0; i < WINDOW; i++)
		if (a->q[i].open && a->q[i].tid == (uint32_t)h.tid)
			q = &a->q[i];
	if (q == NULL)
		return true; /* late */
	if (m->error == 0 && m->addr.lid != a->lid)
		return true; /* not from the port that was asked */
	if (m->error != 0 || (h.status & 0xff) == MAD_STATUS_BUSY) {
		q->due = mono_min(q->due, mono_add(now, mono_ms(FIRST_MS)));
		return true;
	}
	if (!(h.method & MAD_SA_RESPONSE))
		return true;
	q->open = false;
	take_answer(a, q, &h, m);
	advance_stage(a, now);
	return true;
}

struct mono
audit_sa_client_next(const struct audit_sa *a)
{
	struct mono t = MONO_NEVER;

	for (size_t i = 0; i < WINDOW; i++)
		if (a->q[i].open)
			t = mono_min(t, a->q[i].due);
	return t;
}

void
audit_sa_client_tick(struct audit_sa *a, struct mono now)
{
	for (size_t i = 0; i < WINDOW; i++)
		if (a->q[i].open && !mono_before(now, a->q[i].due))
			retry_or_give_up(a, &a->q[i], now);
	advance_stage(a, now);
}

bool
audit_sa_client_done(const struct audit_sa *a)
{
	return a->stage == STAGE_DONE;
}

const struct audit_sa_client_facts *
audit_sa_client_facts(const struct audit_sa *a)
{
	return &a->facts;
}

bool
audit_sa_client_sls(
	const struct audit_sa *a, port_ix from, uint16_t lid, uint16_t *out)
{
	const struct topo_port *p = &a->t->port[from];
	bool all = p->lid != 0 && lid <= a->t->max_lid;

	*out = 0;
	for (uint32_t i = 0; lid <= a->t->max_lid && i < 1U << p->lmc; i++) {
		const uint16_t *sls = a->sls[p->lid + i];

		if (sls == NULL || sls[lid] == 0)
			all = false;
		else
			*out |= sls[lid];
	}
	return all;
}
