/* A query, from its component mask to the bytes of its answer. */
#include <stdlib.h>
#include <string.h>

#include "sm/base/be.h"
#include "sm/base/mem.h"
#include "sm/sa/sa_priv.h"

uint16_t
sa_query_begin(struct sa_query *q, bool method)
{
	const struct sa_kind *k = q->kind;

	if (method) {
		q->kind = k->as;
		return k->begin_method(q);
	}
	for (size_t i = 0; i < k->nparts; i++) {
		const struct sa_part *p = &k->part[i];
		unsigned end = (unsigned)p->at + p->width;

		if (!sa_query_has(q, p->number))
			continue;
		for (unsigned bit = p->at; bit < end; bit++)
			q->care[bit / 8] |= (uint8_t)(0x80U >> bit % 8);
	}
	if (k->over != SA_OWN)
		sa_scope_number(q, k->over, k->per > 0 ? k->per : 1);
	return k->begin != NULL ? k->begin(q) : 0;
}

/*
 * Make room for one more record. BUSY when the answers in progress hold as many
 * bytes as two of the longest: their number is not bounded otherwise.
 */
static uint16_t
make_room(struct sa_query *q)
{
	size_t most = (size_t)q->sa->par.table_mib << 20;
	size_t need = MAD_SA_HEADER + (q->nrecords + 1) * q->kind->size;
	size_t cap = q->cap == 0 ? MAD_SIZE : q->cap * 2;

	if (need > most)
		return MAD_SA_NO_RESOURCES;
	if (need <= q->cap)
		return 0;
	if (cap > most)
		cap = most;
	if (q->sa->held + cap - q->cap > 2 * most)
		return MAD_STATUS_BUSY;
	q->sa->held += cap - q->cap;
	q->cap = cap;
	q->out = mem_resize(q->out, q->cap, 1);
	return 0;
}

static bool
matches_request(const struct sa_query *q, const uint8_t *rec)
{
	unsigned differs = 0;

	for (size_t i = 0; i < q->kind->size; i++)
		differs |= (unsigned)(rec[i] ^ q->want[i]) & q->care[i];
	return differs == 0;
}

void
sa_query_free(struct sa_query *q)
{
	if (q->view != NULL)
		q->sa->ops->release(q->sa->ops->cookie, q->view);
	sa_ends_free(q->ends);
	q->sa->held -= q->cap;
	free(q->out);
	free(q);
}

/* Send the header and the nrecords records of q->out. */
static void
send_answer(struct sa_query *q, uint16_t status)
{
	uint8_t method = q->h.method;
	struct transport_msg m = {.addr = q->addr, .len = MAD_SIZE};
	struct mad_sa h = q->h;
	size_t len = MAD_SA_HEADER + q->nrecords * q->kind->size;
	bool table = method == MAD_SA_GET_TABLE || method == MAD_SA_GET_TRACE ||
		     method == MAD_SA_GET_MULTI;

	h.class_version = MAD_SA_VERSION;
	h.base_version = 1;
	h.method = method == MAD_SET ? MAD_GET_RESP
				     : (uint8_t)(method | MAD_SA_RESPONSE);
	h.status = status;
	h.sm_key = 0;
	h.offset = q->nrecords > 0 ? q->kind->size / 8 : 0;
	h.rmpp = table && status == 0;
	h.rmpp_type = h.rmpp ? 1 : 0;
	h.rmpp_status = 0;
	mad_sa_encode(&h, q->out);
	if (table && status == 0)
		m.len = len;
	if (len > MAD_SIZE)
		m.body = q->out;
	memcpy(m.mad, q->out, len < MAD_SIZE ? len : MAD_SIZE);
	if (q->sa->t->send(q->sa->t, &m) == 0)
		q->sa->stats.answers++;
}

void
sa_query_answer(struct sa_query *q, uint16_t status)
{
	struct sa *sa = q->sa;
	static const struct sa_kind none = {.size = MAD_SA_DATA};
	size_t size;

	if (q->kind == NULL)
		q->kind = &none;
	size = q->kind->size < MAD_SA_DATA ? q->kind->size : MAD_SA_DATA;
	if (q->cap < MAD_SIZE) {
		sa->held += MAD_SIZE - q->cap;
		q->cap = MAD_SIZE;
		q->out = mem_resize(q->out, MAD_SIZE, 1);
	}
	if (status == MAD_STATUS_BUSY)
		sa->stats.busy++;
	else if (status != 0)
		sa->stats.refused++;
	/* a refusal returns the request's record, a Set or Delete the result */
	if (status != 0 || q->h.method == MAD_SET ||
		q->h.method == MAD_SA_DELETE) {
		memset(q->out, 0, MAD_SIZE);
		memcpy(q->out + MAD_SA_HEADER, q->want, size);
		q->nrecords = status == 0 ? 1 : 0;
	}
	sa->stats.records += q->nrecords;
	send_answer(q, status);
	sa_query_free(q);
}

bool
sa_query_run(struct sa_query *q, uint64_t budget)
{
	const struct sa_kind *k = q->kind;
	size_t enough = q->h.method == MAD_GET ? (k->any ? 1 : 2)
			: q->most > 0	       ? q->most
					       : SIZE_MAX;
	uint64_t stop = q->end - q->at < budget ? q->end : q->at + budget;
	uint16_t status = 0;

	while (q->at < stop && q->nrecords < enough) {
		uint8_t *rec;

		status = make_room(q);
		if (status != 0) {
			q->nrecords = 0;
			sa_query_answer(q, status);
			return true;
		}
		rec = q->out + MAD_SA_HEADER + q->nrecords * k->size;
		memset(rec, 0, k->size);
		q->nrecords +=
			k->record(q, q->at++, rec) && matches_request(q, rec);
	}
	if (q->at < q->end && q->nrecords < enough)
		return false;
	if (q->h.method == MAD_GET && q->nrecords != 1)
		status = q->nrecords == 0 ? MAD_SA_NO_RECORDS : MAD_SA_TOO_MANY;
	sa_query_answer(q, status);
	return true;
}
