#include "sm/audit/vl_read.h"

#include <stdlib.h>
#include <string.h>

#include "distribution/device/device_read.h"
#include "sm/base/mem.h"

enum { ROW = 8, UNREAD = 0, ROWS_MAX = UINT16_MAX };

/* A table, and how many pairs of ports have it. */
struct row {
	uint8_t vl[ROW];
	uint32_t n;
};

struct audit_vls {
	struct audit_vl_read_job job;
	struct audit_vl_row *want; /* to be read; one of each link first */
	size_t n, cap, first, next, end;
	struct device_read *read_rows;
	uint16_t **id; /* [nsw] by in * width + out: index in row, or UNREAD */
	struct row *row;
	size_t nrows, caprows;
	uint8_t **guess; /* [nsw] by in * width + out: the row is another's */
	size_t common;	 /* the row that most pairs have, or UNREAD */
	uint64_t read, refused;
	uint16_t vls;
	uint16_t discards;
};

static unsigned
table_width(const struct topo *t, sw_ix s)
{
	return t->node[t->sw[s].node].nports + 1U;
}

static bool
to_switch(const struct topo *t, const struct topo_port *p)
{
	return p->peer != TOPO_NONE &&
	       t->node[t->port[p->peer].node].type == TOPO_SWITCH;
}

/* ---- what to read ---- */

static void
want_row(struct audit_vls *l, sw_ix s, unsigned in, unsigned out)
{
	unsigned w = table_width(l->job.t, s);

	l->want = mem_grow(l->want, l->n, &l->cap, sizeof(*l->want));
	l->want[l->n++] = (struct audit_vl_row){s, (uint8_t)in, (uint8_t)out};
	if (l->id[s] == NULL) {
		l->id[s] = mem_zalloc((size_t)w * w, sizeof(**l->id));
		l->guess[s] = mem_zalloc((size_t)w * w, 1);
	}
}

/* The first host port of the switch; 0: it has none. */
static unsigned
host_port(const struct topo *t, sw_ix s)
{
	const struct topo_switch *sw = &t->sw[s];

	return sw->nend > 1 ? t->end[sw->end + 1].out : 0;
}

/* A host port other than the first one of the switch. */
static bool
is_other_host(const struct topo *t, sw_ix s, unsigned in)
{
	const struct topo_port *p =
		&t->port[topo_port_of(t, t->sw[s].node, in)];

	return in != host_port(t, s) && p->peer != TOPO_NONE &&
	       !to_switch(t, p);
}

/* True if packets that leave by the link may arrive at this port. Packets of
 * the switch itself arrive at port 0; of the host ports only the first
 * counts. */
static bool
comes_in(const struct audit_vls *l, sw_ix s, unsigned in, unsigned out)
{
	const struct topo *t = l->job.t;

	if (in == out)
		return false;
	return in == 0 || in == host_port(t, s) ||
	       to_switch(t, &t->port[topo_port_of(t, t->sw[s].node, in)]);
}

/*
 * The in-ports of a link out of s: a sample of one; all others but the further
 * hosts; these. The sample is a host port at some links and the port of another
 * link at others, but not port 0, of which few subnet managers know.
 */
enum part { PART_SAMPLE, PART_REST, PART_HOSTS };

static void
want_link(struct audit_vls *l, sw_ix s, unsigned out, enum part part)
{
	unsigned w = table_width(l->job.t, s), n = 0, sample = 0;

	for (unsigned in = 1; in < w; in++)
		n += comes_in(l, s, in, out);
	for (unsigned in = 1, k = 0; in < w && n > 0; in++)
		if (comes_in(l, s, in, out) && k++ == out % n)
			sample = in;
	if (part == PART_SAMPLE)
		want_row(l, s, sample, out);
	for (unsigned in = 0; in < w && part == PART_REST; in++)
		if (in != sample && comes_in(l, s, in, out))
			want_row(l, s, in, out);
	for (unsigned in = 1; in < w && part == PART_HOSTS; in++)
		if (is_other_host(l->job.t, s, in))
			want_row(l, s, in, out);
}

static void
want_part(struct audit_vls *l, enum part part)
{
	const struct topo *t = l->job.t;

	for (sw_ix s = 0; s < t->nsw; s++) {
		const struct topo_switch *sw = &t->sw[s];

		for (uint32_t i = 0; i < sw->nadj; i++) {
			unsigned out = t->adj[sw->adj + i].out;
			port_ix p = topo_port_of(t, sw->node, out);

			if (t->port[p].vl_cap > 1 &&
				!(t->node[sw->node].flags & TN_QUARANTINED))
				want_link(l, s, out, part);
		}
	}
}

struct audit_vls *
audit_vl_read_new(const struct audit_vl_read_job *job)
{
	struct audit_vls *l = mem_zalloc(1, sizeof(*l));

	l->job = *job;
	l->id = mem_zalloc(job->t->nsw, sizeof(*l->id));
	l->guess = mem_zalloc(job->t->nsw, sizeof(*l->guess));
	l->row = mem_grow(l->row, 0, &l->caprows, sizeof(*l->row));
	l->row[l->nrows++] = (struct row){{0}, 0}; /* UNREAD */
	want_part(l, PART_SAMPLE);
	l->first = l->end = l->n;
	want_part(l, PART_REST);
	want_part(l, PART_HOSTS);
	return l;
}

void
audit_vl_read_free(struct audit_vls *l)
{
	if (l == NULL)
		return;
	for (sw_ix s = 0; s < l->job.t->nsw; s++) {
		free(l->id[s]);
		free(l->guess[s]);
	}
	device_read_free(l->read_rows);
	free(l->id);
	free(l->guess);
	free(l->want);
	free(l->row);
	free(l);
}

/* ---- answers ---- */

static unsigned
vl_in(const uint8_t row[ROW], unsigned sl)
{
	return sl & 1 ? row[sl / 2] & 15 : row[sl / 2] >> 4;
}

/* Operational VLs, by PortInfo's code. */
static unsigned
operational_vls(uint8_t code)
{
	static const uint8_t vls[] = {1, 1, 2, 4, 8, 15};

	return code < sizeof(vls) ? vls[code] : 1;
}

static uint16_t
row_id(struct audit_vls *l, const uint8_t *vl)
{
	size_t i = 1;

	while (i < l->nrows && memcmp(l->row[i].vl, vl, ROW) != 0)
		i++;
	if (i == ROWS_MAX)
		return UNREAD;
	if (i == l->nrows) {
		l->row = mem_grow(
			l->row, l->nrows, &l->caprows, sizeof(*l->row));
		l->row[l->nrows] = (struct row){.n = 0};
		memcpy(l->row[l->nrows++].vl, vl, ROW);
	}
	l->row[i].n++;
	if (l->common == UNREAD || l->row[i].n > l->row[l->common].n)
		l->common = i;
	return (uint16_t)i;
}

/* Store a row that was read; that of the first host port also for the other
 * host ports as long as theirs are not read. */
static void
store_row_id(struct audit_vls *l, const struct audit_vl_row *q, uint16_t id)
{
	const struct topo *t = l->job.t;
	const struct topo_switch *sw = &t->sw[q->sw];
	unsigned w = table_width(t, q->sw);

	l->id[q->sw][q->in * w + q->out] = id;
	l->guess[q->sw][q->in * w + q->out] = false;
	if (q->in != host_port(t, q->sw))
		return;
	for (uint32_t i = 2; i < sw->nend; i++) {
		size_t at = t->end[sw->end + i].out * w + q->out;

		if (l->id[q->sw][at] != UNREAD && !l->guess[q->sw][at])
			continue;
		l->id[q->sw][at] = id;
		l->guess[q->sw][at] = true;
	}
}

static void
take_row(void *self, const struct device_job *job, enum device_verdict v,
	const struct xact_result *res)
{
	struct audit_vls *l = self;
	const struct topo *t = l->job.t;
	const struct topo_port *p = &t->port[job->port];
	struct audit_vl_row q = {
		t->node[p->node].sw, (uint8_t)job->block, p->num};
	unsigned vls = operational_vls(p->op_vls);

	if (v != DEVICE_NEWS) {
		l->refused++;
		return;
	}
	l->read++;
	store_row_id(l, &q, row_id(l, res->data));
	for (unsigned sl = 0; sl < 16; sl++) {
		unsigned vl = vl_in(res->data, sl);

		if (vl < vls)
			l->vls |= (uint16_t)(1U << vl);
		else
			l->discards |= (uint16_t)(1U << sl);
	}
}

/* The sample of each link is read: read the rest as well if that tells more.
 * True if there is something to read. */
static bool
extend_to_rest(struct audit_vls *l)
{
	if (l->end > l->first || l->read == 0)
		return false;
	if ((l->vls & (l->vls - 1)) == 0 && l->discards == 0)
		return false;
	if (!l->job.matters && l->n > AUDIT_VL_READ_FEW)
		return false;
	l->end = l->n < AUDIT_VL_READ_MAX ? l->n : AUDIT_VL_READ_MAX;
	return l->end > l->first;
}

/* The next row that is wanted. */
static bool
add_next(void *self, struct device_read *read)
{
	struct audit_vls *l = self;
	const struct audit_vl_row *q;

	if (l->next == l->end &&
		(!device_read_idle(read) || !extend_to_rest(l)))
		return false;
	q = &l->want[l->next++];
	device_read_add(read,
		&(struct device_job){.port = topo_port_of(l->job.t,
					     l->job.t->sw[q->sw].node, q->out),
			.attr = DEVICE_SL2VL,
			.block = q->in,
			.mode = DEVICE_READ_LOOK});
	return true;
}

void
audit_vl_read_feed(struct audit_vls *l, struct mono now)
{
	if (l->read_rows == NULL)
		l->read_rows = device_read_new(
			&(struct device_reading){.topo = l->job.t,
				.x = l->job.x,
				.more = add_next,
				.taken = take_row,
				.self = l});
	device_read_feed(l->read_rows, now);
}

bool
audit_vl_read_done(const struct audit_vls *l)
{
	return l->read_rows != NULL && device_read_done(l->read_rows);
}

/* ---- what is known ---- */

struct audit_vl_read_facts
audit_vl_read_facts(const struct audit_vls *l)
{
	unsigned vls = (unsigned)__builtin_popcount(l->vls);

	return (struct audit_vl_read_facts){.tables = l->n,
		.read = l->read,
		.refused = l->refused,
		.kinds = (uint32_t)(l->nrows - 1),
		.vls = vls > 0 ? vls : 1,
		.discards = l->discards};
}

uint8_t
audit_vl_read_vl(const struct audit_vls *l, const struct audit_vl_row *dep,
	unsigned sl, bool *sure)
{
	const struct topo *t = l->job.t;
	const struct topo_port *p =
		&t->port[topo_port_of(t, t->sw[dep->sw].node, dep->out)];
	size_t id = UNREAD, at;
	unsigned vl;

	if (p->vl_cap < 2 || l->common == UNREAD)
		return 0;
	at = dep->in * table_width(t, dep->sw) + dep->out;
	if (l->id[dep->sw] != NULL) {
		id = l->id[dep->sw][at];
		*sure = *sure && !l->guess[dep->sw][at];
	}
	if (id == UNREAD) {
		id = l->common;
		*sure = false;
	}
	vl = vl_in(l->row[id].vl, sl);
	return vl < operational_vls(p->op_vls) ? (uint8_t)vl
					       : AUDIT_VL_READ_DISCARD;
}

bool
audit_vl_read_same(
	const struct audit_vls *l, sw_ix s, unsigned in, unsigned other)
{
	unsigned w = table_width(l->job.t, s);

	return l->id[s] == NULL ||
	       (memcmp(l->id[s] + (size_t)in * w, l->id[s] + (size_t)other * w,
			w * sizeof(**l->id)) == 0 &&
		       memcmp(l->guess[s] + (size_t)in * w,
			       l->guess[s] + (size_t)other * w, w) == 0);
}

void
audit_vl_read_alike(const struct audit_vls *l, uint8_t same[16])
{
	for (uint8_t sl = 0; sl < 16; sl++) {
		bool alike = false;

		same[sl] = sl;
		for (uint8_t o = 0; o < sl && !alike; o++) {
			alike = true;
			for (size_t i = 1; i < l->nrows && alike; i++)
				alike = vl_in(l->row[i].vl, sl) ==
					vl_in(l->row[i].vl, o);
			if (alike)
				same[sl] = o;
		}
	}
}
