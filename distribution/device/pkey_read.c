#include "distribution/device/pkey_read.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "distribution/device/device_request.h"
#include "sm/base/mem.h"
#include "sm/mad/mad.h"

struct question {
	port_ix port;
	unsigned block;
};

struct pkey_read {
	struct topo *topo;
	struct device_store *hw;
	struct xact *x;
	struct question *todo;
	size_t n, cap, next;
	bool *silent; /* [nports] */
	bool *wrong;  /* [nports] */
	size_t nwrong;
	port_ix first_wrong;
	unsigned inflight;
};

static struct device_at
block_of(const struct topo *t, port_ix p, unsigned block)
{
	return device_at_keys(
		t->node[t->port[p].node].guid, t->port[p].num, block);
}

static void
list_port(struct pkey_read *r, port_ix p, bool all)
{
	const struct topo *t = r->topo;
	unsigned blocks = pkey_table_blocks(pkey_table_cap(t, p));

	for (unsigned b = 0; b < blocks; b++) {
		if (!all && device_bytes(r->hw, block_of(t, p, b)) != NULL)
			continue;
		r->todo = mem_grow(r->todo, r->n, &r->cap, sizeof(*r->todo));
		r->todo[r->n++] = (struct question){p, b};
	}
}

struct pkey_read *
pkey_read_new(struct topo *t, struct device_store *hw, const uint8_t *ask,
	struct xact *x)
{
	struct pkey_read *r = mem_zalloc(1, sizeof(*r));

	r->topo = topo_ref(t);
	r->hw = hw;
	r->x = x;
	r->silent = mem_zalloc(t->nports, sizeof(*r->silent));
	r->wrong = mem_zalloc(t->nports, sizeof(*r->wrong));
	for (port_ix p = 0; p < t->nports; p++)
		if (ask[p] != PKEY_TABLE_ASK_NOTHING)
			list_port(r, p, ask[p] == PKEY_TABLE_ASK_ALL);
	return r;
}

void
pkey_read_free(struct pkey_read *r)
{
	if (r == NULL)
		return;
	assert(r->inflight == 0);
	topo_unref(r->topo);
	free(r->todo);
	free(r->silent);
	free(r->wrong);
	free(r);
}

bool
pkey_read_done(const struct pkey_read *r)
{
	return r->inflight == 0 && r->next == r->n;
}

void
pkey_read_stop(struct pkey_read *r, struct mono now)
{
	r->next = r->n;
	xact_cancel(r->x, r, now);
}

size_t
pkey_read_wrong(const struct pkey_read *r, port_ix *first)
{
	*first = r->first_wrong;
	return r->nwrong;
}

size_t
pkey_read_count(const struct pkey_read *r)
{
	return r->n;
}

int
pkey_read_request(
	const struct topo *t, port_ix p, unsigned block, struct xact_request *r)
{
	uint32_t num = t->port[p].num;

	if (device_request_port(t, p, r) != 0)
		return -1;
	r->attr = MAD_PKEY_TABLE;
	r->mod = block;
	if (t->node[t->port[p].node].type == TOPO_SWITCH)
		r->mod |= num << 16;
	return 0;
}

static void
take_answer(void *cookie, uint64_t tag, const struct xact_result *res)
{
	struct pkey_read *r = cookie;
	const struct question *q = &r->todo[tag];
	struct device_at at = block_of(r->topo, q->port, q->block);
	const uint8_t *was = device_bytes(r->hw, at);

	r->inflight--;
	if (res->outcome == XACT_CANCELLED)
		return;
	if (res->outcome != XACT_OK) {
		r->silent[q->port] = true;
		return;
	}
	if (was != NULL && memcmp(was, res->data, MAD_DATA) != 0 &&
		!r->wrong[q->port]) {
		r->wrong[q->port] = true;
		r->first_wrong = r->nwrong++ == 0 ? q->port : r->first_wrong;
	}
	device_put(r->hw, at, res->data);
}

void
pkey_read_feed(struct pkey_read *r, struct mono now)
{
	while (r->next < r->n && xact_room(r->x)) {
		const struct question *q = &r->todo[r->next++];
		struct xact_request req;

		if (r->silent[q->port] || pkey_read_request(r->topo, q->port,
						  q->block, &req) != 0)
			continue;
		req.method = MAD_GET;
		r->inflight++;
		xact_submit(r->x, &req, now, take_answer, r, r->next - 1);
	}
}
