/*
 * InformInfo and InformInfoRecord (IBA 13.4.8.3, 15.2.5.12): who wants to hear
 * of what. A subscription belongs to a port and a queue pair of it, and dies
 * with the port.
 */
#include <stdlib.h>
#include <string.h>

#include "sm/base/be.h"
#include "sm/base/mem.h"
#include "sm/sa/sa_event.h"

enum { SIZE = 40, REC_SIZE = 64, AT_ENUM = 16, AT_INFORM = 24 };
enum { ALL_LIDS = 0xffff };

static uint16_t
inform_type_valid(const struct mad_sa_inform *i)
{
	return i->type == EVENT_ANY || i->type <= 4;
}

static bool
same_filter(const struct mad_sa_inform *a, const struct mad_sa_inform *b)
{
	return a->gid.prefix == b->gid.prefix && a->gid.guid == b->gid.guid &&
	       a->lid_first == b->lid_first && a->lid_last == b->lid_last &&
	       a->generic == b->generic && a->type == b->type &&
	       a->trap == b->trap && a->producer == b->producer;
}

static struct event_sub *
find(struct sa_informs *s, uint64_t owner, uint32_t qpn,
	const struct mad_sa_inform *i)
{
	for (size_t k = 0; k < s->n; k++) {
		struct event_sub *sub = &s->sub[k];

		if (sub->owner == owner && sub->inform.qpn == qpn &&
			same_filter(&sub->inform, i))
			return sub;
	}
	return NULL;
}

static size_t
count_of(const struct sa_informs *s, uint64_t owner)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += s->sub[i].owner == owner;
	return n;
}

static uint16_t
subscribe(struct sa_query *q, struct mad_sa_inform *i)
{
	struct sa_informs *s = q->sa->informs;
	uint64_t owner = q->view->topo->port[q->from].guid;

	i->qpn = q->qpn; /* reports go where the request came from */
	if (find(s, owner, i->qpn, i) != NULL)
		return 0;
	if (s->n >= SA_ENTRIES || count_of(s, owner) >= q->sa->par.subscribers)
		return MAD_SA_NO_RESOURCES;
	s->sub = mem_grow(s->sub, s->n, &s->cap, sizeof(*s->sub));
	s->sub[s->n++] = (struct event_sub){
		.id = ++s->last_id,
		.owner = owner,
		.inform = *i,
		.sl = q->sl,
		.trusted = q->trusted,
		.next = s->end,
	};
	return 0;
}

static uint16_t
inform_set(struct sa_query *q, struct mono now)
{
	struct sa_informs *s = q->sa->informs;
	struct mad_sa_inform i;
	struct event_sub *sub;
	uint16_t status = 0;

	(void)now;
	mad_sa_inform_decode(q->want, &i);
	if (!inform_type_valid(&i) || q->view->topo->port[q->from].guid == 0)
		return MAD_SA_REQ_INVALID;
	if (i.gid.prefix == 0 && i.gid.guid == 0 && i.lid_first != ALL_LIDS &&
		(i.lid_first == 0 || i.lid_last < i.lid_first))
		return MAD_SA_REQ_INVALID;
	if (i.subscribe) {
		status = subscribe(q, &i);
	} else {
		sub = find(s, q->view->topo->port[q->from].guid, i.qpn, &i);
		if (sub == NULL)
			return MAD_SA_REQ_INVALID;
		sa_informs_drop(s, (size_t)(sub - s->sub));
	}
	mad_sa_inform_encode(&i, q->want);
	return status;
}

const struct sa_kind sa_inform = {
	.attr = MAD_SA_INFORM_INFO,
	.size = SIZE,
	.set = inform_set,
};

/* ---- the records of subscriptions ---- */

/* A component at a place of the InformInfo. */
#define IN_INFORM(number, at, width)                                           \
	{                                                                      \
		number, (AT_INFORM + (at)) * 8, width                          \
	}

static const struct sa_part parts[] = {
	{0, 0, 128},			   /* SubscriberGID */
	{1, 128, 16},			   /* Enum */
	IN_INFORM(3, 0, 128),		   /* GID */
	IN_INFORM(4, 16, 16),		   /* LIDRangeBegin */
	IN_INFORM(5, 18, 16),		   /* LIDRangeEnd */
	IN_INFORM(7, 22, 8),		   /* IsGeneric */
	IN_INFORM(8, 23, 8),		   /* Subscribe */
	IN_INFORM(9, 24, 16),		   /* Type */
	IN_INFORM(10, 26, 16),		   /* TrapNumber, DeviceID */
	IN_INFORM(11, 28, 24),		   /* QPN */
	{13, (AT_INFORM + 31) * 8 + 3, 5}, /* RespTimeValue */
	IN_INFORM(15, 33, 24)		   /* ProducerType, VendorID */
};

static uint16_t
rec_begin(struct sa_query *q)
{
	q->end = q->sa->informs->n;
	return 0;
}

static bool
rec_record(const struct sa_query *q, uint64_t ix, uint8_t *rec)
{
	const struct event_sub *sub = &q->sa->informs->sub[ix];
	struct mad_gid gid = {q->sa->par.prefix, sub->owner};
	port_ix p = topo_by_port_guid(q->view->topo, sub->owner);

	if (p == TOPO_NONE || !sa_query_sees(q, p))
		return false;
	mad_sa_gid_encode(&gid, rec);
	be_put16(rec + AT_ENUM, (uint16_t)sub->id);
	mad_sa_inform_encode(&sub->inform, rec + AT_INFORM);
	return true;
}

const struct sa_kind sa_inform_rec = {
	.attr = MAD_SA_INFORM_REC,
	.size = REC_SIZE,
	.part = parts,
	.nparts = sizeof(parts) / sizeof(parts[0]),
	.begin = rec_begin,
	.record = rec_record,
	.whole = true,
};
