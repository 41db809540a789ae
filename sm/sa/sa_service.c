/*
 * ServiceRecord (IBA 15.2.5.14): the services that ports offer. A record is
 * identified by service, GID and partition; it lives as long as its lease and
 * its port. Only its own port can change it, and only with its ServiceKey if it
 * has one.
 */
#include <stdlib.h>
#include <string.h>

#include "sm/base/be.h"
#include "sm/base/mem.h"
#include "sm/sa/sa_priv.h"

#define FOR_EVER 0xffffffffU

enum { AT_PKEY = 24, AT_LEASE = 28, AT_KEY = 32, KEY = 16 };
enum { HAS_ID, HAS_GID, HAS_PKEY, HAS_LEASE = 4 };

struct entry {
	uint64_t owner; /* port GUID */
	struct mono end;
	size_t at;	    /* in sa_services.entry */
	struct entry *next; /* next of the same owner */
	uint8_t rec[MAD_SA_SERVICE];
};

struct sa_services {
	struct entry **entry;
	size_t n, cap;
	struct map first; /* of an owner: place in entry */
};

#define WORD(number, at, width)                                                \
	{                                                                      \
		number, (at)*8, width                                          \
	}
#define FOUR(number, at, width)                                                \
	WORD(number, at, width),                                               \
		WORD((number) + 1, (at) + (width) / 8, width),                 \
		WORD((number) + 2, (at) + (width) / 4, width),                 \
		WORD((number) + 3, (at) + 3 * (width) / 8, width)

static const struct sa_part parts[] = {
	WORD(0, 0, 64),	  /* ServiceID */
	WORD(1, 8, 128),  /* ServiceGID */
	WORD(2, 24, 16),  /* ServiceP_Key */
	WORD(4, 28, 32),  /* ServiceLease */
	WORD(5, 32, 128), /* ServiceKey */
	WORD(6, 48, 512), /* ServiceName */
	FOUR(7, 112, 8),  /* ServiceData8.1 to .16 */
	FOUR(11, 116, 8),
	FOUR(15, 120, 8),
	FOUR(19, 124, 8),
	FOUR(23, 128, 16), /* ServiceData16.1 to .8 */
	FOUR(27, 136, 16),
	FOUR(31, 144, 32), /* ServiceData32.1 to .4 */
	WORD(35, 160, 64), /* ServiceData64.1, .2 */
	WORD(36, 168, 64),
};

struct sa_services *
sa_services_new(void)
{
	return mem_zalloc(1, sizeof(struct sa_services));
}

void
sa_services_free(struct sa_services *s)
{
	if (s == NULL)
		return;
	for (size_t i = 0; i < s->n; i++)
		free(s->entry[i]);
	map_free(&s->first);
	free(s->entry);
	free(s);
}

uint32_t
sa_services_count(const struct sa *sa)
{
	return (uint32_t)sa->services->n;
}

static struct entry *
first_of(const struct sa_services *s, uint64_t owner)
{
	uint32_t i;

	return map_get(&s->first, owner, &i) ? s->entry[i] : NULL;
}

static struct entry *
add_service(struct sa_services *s, uint64_t owner)
{
	struct entry *e = mem_zalloc(1, sizeof(*e));

	e->owner = owner;
	e->next = first_of(s, owner);
	e->at = s->n;
	s->entry = mem_grow(s->entry, s->n, &s->cap, sizeof(struct entry *));
	s->entry[s->n++] = e;
	map_put(&s->first, owner, (uint32_t)e->at);
	return e;
}

/* Take an entry out of the list of its owner. */
static void
unlink_entry(struct sa_services *s, const struct entry *e)
{
	struct entry *before = first_of(s, e->owner);

	if (before == e && e->next == NULL) {
		(void)map_del(&s->first, e->owner);
	} else if (before == e) {
		map_put(&s->first, e->owner, (uint32_t)e->next->at);
	} else {
		while (before->next != e)
			before = before->next;
		before->next = e->next;
	}
}

static void
drop_service(struct sa *sa, size_t i)
{
	struct sa_services *s = sa->services;
	struct entry *e = s->entry[i], *last = s->entry[s->n - 1];

	unlink_entry(s, e);
	if (last != e) {
		if (first_of(s, last->owner) == last)
			map_put(&s->first, last->owner, (uint32_t)i);
		last->at = i;
		s->entry[i] = last;
	}
	s->n--;
	free(e);
	sa->changed = true;
}

/* The owner's entry with the record's service, GID and, if keyed, partition. */
static struct entry *
find_service(const struct sa_services *s, uint64_t owner, const uint8_t *rec,
	bool keyed)
{
	struct entry *e = first_of(s, owner);

	while (e != NULL &&
		(memcmp(e->rec, rec, AT_PKEY) != 0 ||
			(keyed && ((be_get16(e->rec + AT_PKEY) ^
					   be_get16(rec + AT_PKEY)) &
					  PKEY_NUMBER) != 0)))
		e = e->next;
	return e;
}

/* The port that the record is about, if the requester may register for it; 0 or
 * a status. */
static uint16_t
check_request(struct sa_query *q, port_ix *owner)
{
	struct mad_sa_service s;
	struct sa_end end;
	uint16_t status;

	if (!sa_query_has(q, HAS_ID) || !sa_query_has(q, HAS_GID))
		return MAD_SA_INSUF_COMPS;
	mad_sa_service_decode(q->want, &s);
	status = sa_ends_by_gid(q, &s.gid, &end);
	if (status != 0)
		return status;
	if (end.port != q->from && !q->trusted)
		return MAD_SA_DENIED;
	if (sa_query_has(q, HAS_PKEY) &&
		view_partition_has(q->view, end.port, end.port, s.pkey) == 0)
		return MAD_SA_REQ_INVALID;
	*owner = end.port;
	return 0;
}

/* True if the requester may change the entry: it has no key, or the request
 * shows it. */
static bool
knows_key(const struct sa_query *q, const struct entry *e)
{
	static const uint8_t none[KEY];

	return q->trusted || memcmp(e->rec + AT_KEY, none, KEY) == 0 ||
	       memcmp(e->rec + AT_KEY, q->want + AT_KEY, KEY) == 0;
}

static size_t
count_of(const struct sa_services *s, uint64_t owner)
{
	size_t n = 0;

	for (const struct entry *e = first_of(s, owner); e != NULL; e = e->next)
		n++;
	return n;
}

static uint16_t
service_set(struct sa_query *q)
{
	struct sa_services *s = q->sa->services;
	struct entry *e;
	uint32_t lease;
	port_ix owner;
	uint16_t status = check_request(q, &owner);
	uint64_t guid;

	if (status != 0)
		return status;
	guid = q->view->topo->port[owner].guid;
	if (!sa_query_has(q, HAS_PKEY))
		be_put16(q->want + AT_PKEY,
			view_partition_shared(q->view, owner, owner));
	if (!sa_query_has(q, HAS_LEASE))
		be_put32(q->want + AT_LEASE, FOR_EVER);
	lease = be_get32(q->want + AT_LEASE);
	if (lease == 0)
		return MAD_SA_REQ_INVALID;
	e = find_service(s, guid, q->want, true);
	if (e != NULL && !knows_key(q, e))
		return MAD_SA_DENIED;
	if (e == NULL) {
		if (s->n >= SA_ENTRIES ||
			count_of(s, guid) >= q->sa->par.services)
			return MAD_SA_NO_RESOURCES;
		e = add_service(s, guid);
	}
	q->sa->changed = true;
	memcpy(e->rec, q->want, sizeof(e->rec));
	e->end = lease == FOR_EVER
			 ? MONO_NEVER
			 : mono_add(q->sa->now, mono_ms((int64_t)lease * 1000));
	return 0;
}

static uint16_t
service_delete(struct sa_query *q)
{
	struct entry *e;
	port_ix owner;
	uint16_t status = check_request(q, &owner);

	if (status != 0)
		return status;
	e = find_service(q->sa->services, q->view->topo->port[owner].guid,
		q->want, sa_query_has(q, HAS_PKEY));
	if (e == NULL)
		return MAD_SA_NO_RECORDS;
	if (!knows_key(q, e))
		return MAD_SA_DENIED;
	memcpy(q->want, e->rec, sizeof(e->rec));
	drop_service(q->sa, e->at);
	return 0;
}

static uint16_t
service_begin(struct sa_query *q)
{
	q->end = q->sa->services->n;
	return 0;
}

/* The lease in the record is the time left; only the owner and trusted
 * requesters see the key. */
static bool
service_record(const struct sa_query *q, uint64_t ix, uint8_t *rec)
{
	const struct entry *e = q->sa->services->entry[ix];
	const struct topo *t = q->view->topo;
	port_ix p = topo_by_port_guid(t, e->owner);

	if (p == TOPO_NONE ||
		(!q->trusted && view_partition_has(q->view, q->from, p,
					be_get16(e->rec + AT_PKEY)) == 0))
		return false;
	memcpy(rec, e->rec, sizeof(e->rec));
	if (e->end.ns != MONO_NEVER.ns)
		be_put32(rec + AT_LEASE,
			(uint32_t)(mono_sub(e->end, q->sa->now).ns /
				   mono_ms(1000).ns));
	if (!q->trusted && p != q->from)
		memset(rec + AT_KEY, 0, KEY);
	return true;
}

void
sa_services_ends(const struct sa_query *q, uint64_t id, struct sa_end_list *l)
{
	const struct sa_services *s = q->sa->services;

	for (size_t i = 0; i < s->n; i++) {
		const struct entry *e = s->entry[i];
		port_ix p = topo_by_port_guid(q->view->topo, e->owner);

		if (be_get64(e->rec) == id && p != TOPO_NONE &&
			(q->trusted ||
				view_partition_has(q->view, q->from, p,
					be_get16(e->rec + AT_PKEY)) != 0))
			sa_ends_add(l, &(struct sa_end){
					       p, 0, be_get64(e->rec + 16), 0});
	}
}

void
sa_services_commit(struct sa *sa)
{
	struct sa_services *s = sa->services;

	for (size_t i = s->n; i-- > 0;) {
		port_ix p =
			topo_by_port_guid(sa->view->topo, s->entry[i]->owner);

		if (p == TOPO_NONE || sa->view->topo->port[p].lid == 0)
			drop_service(sa, i);
	}
}

struct mono
sa_services_next(const struct sa *sa)
{
	return sa->services->n > 0 ? sa->lease_due : MONO_NEVER;
}

/* Leases are counted in seconds: one check a second is enough. */
void
sa_services_tick(struct sa *sa, struct mono now)
{
	struct sa_services *s = sa->services;

	if (mono_before(now, sa->lease_due))
		return;
	sa->lease_due = mono_add(now, mono_ms(1000));
	for (size_t i = s->n; i-- > 0;)
		if (!mono_before(now, s->entry[i]->end))
			drop_service(sa, i);
}

/* ---- over a restart ---- */

void
sa_services_save(const struct sa *sa, struct mono now, struct buf *out)
{
	const struct sa_services *s = sa->services;

	for (size_t i = 0; i < s->n; i++) {
		const struct entry *e = s->entry[i];
		int64_t left = mono_sub(e->end, now).ns / mono_ms(1000).ns;

		if (e->end.ns == MONO_NEVER.ns)
			left = FOR_EVER;
		else if (left <= 0)
			continue;
		buf_printf(out, "service 0x%016llx %lld ",
			(unsigned long long)e->owner, (long long)left);
		buf_hex(out, e->rec, sizeof(e->rec));
		buf_put(out, "\n", 1);
	}
}

bool
sa_services_restore(struct sa *sa, const struct sa_saved *k)
{
	struct sa_services *s = sa->services;
	uint32_t left;
	struct entry *e;

	if (k->nbytes != MAD_SA_SERVICE || k->number == 0 ||
		k->number > FOR_EVER || s->n >= SA_ENTRIES ||
		find_service(s, k->owner, k->byte, true) != NULL ||
		count_of(s, k->owner) >= sa->par.services)
		return false;
	left = (uint32_t)k->number;
	if (left != FOR_EVER && left <= k->away)
		return true; /* the lease ended meanwhile */
	e = add_service(s, k->owner);
	memcpy(e->rec, k->byte, sizeof(e->rec));
	e->end = left == FOR_EVER
			 ? MONO_NEVER
			 : mono_add(k->now,
				   mono_ms((int64_t)(left - k->away) * 1000));
	return true;
}

const struct sa_kind sa_service = {
	.attr = MAD_SA_SERVICE_REC,
	.size = MAD_SA_SERVICE,
	.part = parts,
	.nparts = sizeof(parts) / sizeof(parts[0]),
	.begin = service_begin,
	.record = service_record,
	.set = service_set,
	.del = service_delete,
	.whole = true,
};
