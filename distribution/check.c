#include "distribution/check.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "distribution/push_request.h"
#include "sm/base/mem.h"
#include "sm/mad/mad.h"

struct check {
	struct topo *topo;
	struct hwstate *hw;
	struct lft_pool *pool;
	struct xact *x;
	uint64_t mkey;
	struct check_block *todo;
	size_t ntodo, captodo, next;
	struct check_block *wrong;
	size_t nwrong, capwrong;
	unsigned inflight;
};

static void
add(struct check *c, const struct check_block *b)
{
	node_ix n = topo_by_node_guid(c->topo, b->guid);

	if (n == TOPO_NONE || (c->topo->node[n].flags & TN_QUARANTINED) != 0)
		return;
	c->todo = mem_grow(c->todo, c->ntodo, &c->captodo, sizeof(*c->todo));
	c->todo[c->ntodo++] = *b;
}

struct check *
check_new(struct topo *t, const struct check_job *job)
{
	struct check *c = mem_zalloc(1, sizeof(*c));
	const struct hw_doubt *d;
	size_t n, i;

	c->topo = topo_ref(t);
	c->hw = job->hw;
	c->pool = job->pool;
	c->x = job->x;
	c->mkey = job->mkey;
	d = hw_doubts(c->hw, &n);
	for (i = 0; i < n; i++)
		add(c, &(struct check_block){d[i].guid, d[i].block, true});
	for (i = 0; i < job->nsample; i++)
		add(c, &job->sample[i]);
	return c;
}

void
check_free(struct check *c)
{
	if (c == NULL)
		return;
	assert(c->inflight == 0);
	topo_unref(c->topo);
	free(c->todo);
	free(c->wrong);
	free(c);
}

void
check_stop(struct check *c, struct mono now)
{
	c->next = c->ntodo;
	xact_cancel(c->x, c, now);
}

bool
check_done(const struct check *c)
{
	return c->inflight == 0 && c->next == c->ntodo;
}

const struct check_block *
check_wrong(const struct check *c, size_t *n)
{
	*n = c->nwrong;
	return c->wrong;
}

static void
asked(void *cookie, uint64_t tag, const struct xact_result *res)
{
	struct check *c = cookie;
	const struct check_block *b = &c->todo[tag];
	lft_ref known = hw_block(c->hw, b->guid, b->block), is;

	c->inflight--;
	/* silence proves nothing; who does not answer is swept for */
	if (res->outcome != XACT_OK || known == HW_UNKNOWN ||
		memcmp(res->data, lft_bytes(c->pool, known), LFT_BLOCK) == 0)
		return;
	is = lft_add(c->pool, res->data);
	hw_set_block(c->hw, b->guid, b->block, is);
	lft_drop(c->pool, is);
	c->wrong =
		mem_grow(c->wrong, c->nwrong, &c->capwrong, sizeof(*c->wrong));
	c->wrong[c->nwrong++] = *b;
}

void
check_feed(struct check *c, struct mono now)
{
	while (c->next < c->ntodo && xact_room(c->x)) {
		const struct check_block *b = &c->todo[c->next];
		struct xact_request r;

		if (push_request(c->topo, topo_by_node_guid(c->topo, b->guid),
			    c->mkey, &r) == 0) {
			r.method = MAD_GET;
			r.attr = MAD_LFT;
			r.mod = b->block;
			c->inflight++;
			xact_submit(c->x, &r, now, asked, c, c->next);
		}
		c->next++;
	}
}
