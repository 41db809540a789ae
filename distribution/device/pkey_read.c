#include "distribution/device/pkey_read.h"

#include <stdlib.h>

#include "distribution/device/device_read.h"
#include "sm/base/mem.h"

struct pkey_read {
	struct device_read *read;
	bool *wrong; /* [nports] */
	size_t nwrong;
	port_ix first_wrong;
};

static void
take_answer(void *self, const struct device_job *job, enum device_verdict v,
	const struct xact_result *res)
{
	struct pkey_read *r = self;

	(void)res;
	if (v != DEVICE_DIFFERS || r->wrong[job->port])
		return;
	r->wrong[job->port] = true;
	if (r->nwrong++ == 0)
		r->first_wrong = job->port;
}

struct pkey_read *
pkey_read_new(struct topo *t, struct device_store *hw, const uint8_t *ask,
	struct xact *x)
{
	struct pkey_read *r = mem_zalloc(1, sizeof(*r));

	r->wrong = mem_zalloc(t->nports, sizeof(*r->wrong));
	r->read = device_read_new(&(struct device_reading){
		.topo = t, .hw = hw, .x = x, .taken = take_answer, .self = r});
	for (port_ix p = 0; p < t->nports; p++) {
		struct device_at at = device_at_keys(
			t->node[t->port[p].node].guid, t->port[p].num, 0);
		unsigned n = ask[p] == PKEY_TABLE_ASK_NOTHING
				     ? 0
				     : pkey_table_blocks(pkey_table_cap(t, p));

		for (; at.block < n; at.block++)
			if (ask[p] == PKEY_TABLE_ASK_ALL ||
				device_bytes(hw, at) == NULL)
				device_read_add(r->read,
					&(struct device_job){.port = p,
						.attr = DEVICE_PKEY,
						.block = at.block,
						.mode = DEVICE_READ_ALL});
	}
	return r;
}

void
pkey_read_free(struct pkey_read *r)
{
	if (r == NULL)
		return;
	device_read_free(r->read);
	free(r->wrong);
	free(r);
}

void
pkey_read_feed(struct pkey_read *r, struct mono now)
{
	device_read_feed(r->read, now);
}

bool
pkey_read_done(const struct pkey_read *r)
{
	return device_read_done(r->read);
}

void
pkey_read_stop(struct pkey_read *r, struct mono now)
{
	device_read_stop(r->read, now);
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
	return device_read_added(r->read);
}
