/*
 * InformInfo and InformInfoRecord (IBA 13.4.8.3, 15.2.5.12): subscriptions to
 * events. A subscription belongs to a port and a queue pair of it, and ends
 * when the port leaves.
 */
#include <stdlib.h>
#include <string.h>

#include "sm/base/be.h"
#include "sm/base/mem.h"
#include "sm/sa/sa_event.h"

enum { SIZE = 40, REC_SIZE = 64, AT_ENUM = 16, AT_INFORM = 24 };
enum { ALL_LIDS = 0xffff };

/* True if the filter can match an event. */
static bool
is_sensible(const struct mad_sa_inform *i)
{
	if (i->type != EVENT_ANY && i->type > 4)
		return false;
	return i->gid.prefix != 0 || i->gid.guid != 0 ||
	       i->lid_first == ALL_LIDS ||
	       (i->lid_first != 0 && i->lid_last >= i->lid_first);
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
find_subscription(const struct sa_informs *s, uint64_t owner, uint32_t qpn,
	const struct mad_sa_inform *i)
{
	struct event_sub *sub = sa_informs_of(s, owner);

	while (sub != NULL &&
		(sub->inform.qpn != qpn || !same_filter(&sub->inform, i)))
		sub = sub->mate;
	return sub;
}

static struct event_sub *
add_subscription(struct sa *sa, uint64_t owner, const struct mad_sa_inform *i)
{
	struct sa_informs *s = sa->informs;
	struct event_sub *sub = mem_zalloc(1, sizeof(*sub));

	*sub = (struct event_sub){
		.id = ++s->last_id,
		.at = s->n,
		.owner = owner,
		.mate = sa_informs_of(s, owner),
		.inform = *i,
		.next = s->end,
	};
	s->sub = mem_grow(s->sub, s->n, &s->cap, sizeof(struct event_sub *));
	s->sub[s->n++] = sub;
	map_put(&s->by_id, sub->id, (uint32_t)sub->at);
	map_put(&s->by_owner, owner, (uint32_t)sub->at);
	sa->changed = true;
	return sub;
}

/* True if this port may have one more subscription. */
static bool
has_room(const struct sa *sa, uint64_t owner)
{
	const struct event_sub *sub = sa_informs_of(sa->informs, owner);
	size_t n = 0;

	for (; sub != NULL; sub = sub->mate)
		n++;
	return sa->informs->n < SA_ENTRIES && n < sa->par.subscribers;
}

/* A subscription that is repeated with the SA key is trusted from then on. */
static uint16_t
subscribe_requester(struct sa_query *q, struct mad_sa_inform *i)
{
	uint64_t owner = q->view->topo->port[q->from].guid;
	struct event_sub *sub;

	i->qpn = q->addr.qpn; /* reports go where the request came from */
	sub = find_subscription(q->sa->informs, owner, i->qpn, i);
	if (sub == NULL && !has_room(q->sa, owner))
		return MAD_SA_NO_RESOURCES;
	if (sub == NULL)
		sub = add_subscription(q->sa, owner, i);
	sub->addr = q->addr;
	sub->trusted |= q->trusted;
	sub->unanswered = 0;
	return 0;
}

static uint16_t
inform_set(struct sa_query *q)
{
	struct sa_informs *s = q->sa->informs;
	struct mad_sa_inform i;
	struct event_sub *sub;
	uint16_t status = 0;

	mad_sa_inform_decode(q->want, &i);
	if (!is_sensible(&i) || q->view->topo->port[q->from].guid == 0)
		return MAD_SA_REQ_INVALID;
	if (i.subscribe) {
		status = subscribe_requester(q, &i);
	} else {
		sub = find_subscription(
			s, q->view->topo->port[q->from].guid, i.qpn, &i);
		if (sub == NULL)
			return MAD_SA_REQ_INVALID;
		sa_informs_drop(q->sa, sub);
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

/* A component, by its place in the InformInfo. */
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
	const struct event_sub *sub = q->sa->informs->sub[ix];
	struct mad_gid gid = {q->sa->par.prefix, sub->owner};
	port_ix p = topo_by_port_guid(q->view->topo, sub->owner);

	if (p == TOPO_NONE || !sa_scope_sees(q, p))
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

/* ---- over a restart ---- */

/*
 * What an address has beyond LID, QP and SL, as bytes: P_Key index, flow label,
 * traffic class, hop limit, our GID index, the subscriber's GID. None where all
 * of it is 0, which is the rule.
 */
enum { SAVED_GRH = 2 + 4 + 3 + 16 };

static size_t
encode_address(const struct transport_addr *a, uint8_t out[SAVED_GRH])
{
	if (!a->grh.present && a->pkey_index == 0)
		return 0;
	be_put16(out, a->pkey_index);
	be_put32(out + 2, a->grh.flow_label);
	out[6] = a->grh.traffic_class;
	out[7] = a->grh.hop_limit;
	out[8] = a->grh.gid_index;
	memcpy(out + 9, a->grh.gid, sizeof(a->grh.gid));
	return SAVED_GRH;
}

static void
decode_address(const uint8_t *in, struct transport_addr *a)
{
	static const uint8_t none[SAVED_GRH - 2];

	a->pkey_index = be_get16(in);
	a->grh.present = memcmp(in + 2, none, sizeof(none)) != 0;
	a->grh.flow_label = be_get32(in + 2);
	a->grh.traffic_class = in[6];
	a->grh.hop_limit = in[7];
	a->grh.gid_index = in[8];
	memcpy(a->grh.gid, in + 9, sizeof(a->grh.gid));
}

/* Trust is not saved: the subscriber has to show the SA key again. */
void
sa_informs_save(const struct sa *sa, struct buf *out)
{
	const struct sa_informs *s = sa->informs;
	uint8_t d[MAD_SA_INFORM + SAVED_GRH];

	for (size_t i = 0; i < s->n; i++) {
		const struct event_sub *sub = s->sub[i];

		buf_printf(out, "inform 0x%016llx %u ",
			(unsigned long long)sub->owner, sub->addr.sl);
		mad_sa_inform_encode(&sub->inform, d);
		buf_hex(out, d,
			MAD_SA_INFORM +
				encode_address(&sub->addr, d + MAD_SA_INFORM));
		buf_put(out, "\n", 1);
	}
}

void
sa_informs_distrust(struct sa *sa)
{
	for (size_t i = 0; i < sa->informs->n; i++)
		sa->informs->sub[i]->trusted = false;
}

bool
sa_informs_restore(struct sa *sa, const struct sa_saved *k)
{
	struct mad_sa_inform i;
	struct event_sub *sub;

	if ((k->nbytes != MAD_SA_INFORM &&
		    k->nbytes != MAD_SA_INFORM + SAVED_GRH) ||
		k->number > 15)
		return false;
	mad_sa_inform_decode(k->byte, &i);
	if (!is_sensible(&i) || !i.subscribe || !has_room(sa, k->owner) ||
		find_subscription(sa->informs, k->owner, i.qpn, &i) != NULL)
		return false;
	sub = add_subscription(sa, k->owner, &i);
	sub->addr.qpn = i.qpn;
	sub->addr.sl = (uint8_t)k->number;
	if (k->nbytes > MAD_SA_INFORM)
		decode_address(k->byte + MAD_SA_INFORM, &sub->addr);
	return true;
}
