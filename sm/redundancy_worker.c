#include "sm/redundancy_worker.h"

#include <stdio.h>
#include <stdlib.h>

#include "sm/base/log.h"
#include "sm/base/mem.h"
#include "sm/policy/jobs.h"
#include "sm/view/view_redundancy.h"
#include "sm/worker.h"

/* The job of counting one view. */
struct count {
	struct view *view;  /* a reference */
	struct config *cfg; /* a reference: the options point into it */
	struct jobs_options options;
	atomic_bool cancel;
	struct view_redundancy *result;
	struct count *next; /* next in shed */
};

struct redundancy_worker {
	struct worker *worker;
	struct count *now,
		*then; /* now: in the thread; then: the job after it */
	struct count *shed;
	redundancy_worker_may_release *may_release;
	void *cookie;
	size_t single; /* the number that was logged last */
};

static void
count_view(void *job)
{
	struct count *k = job;

	k->result =
		view_redundancy_count(k->view, &k->options.engine, &k->cancel);
}

static void
free_count(struct count *k)
{
	if (k == NULL)
		return;
	view_unref(k->view);
	jobs_options_free(&k->options);
	config_unref(k->cfg);
	view_redundancy_unref(k->result);
	free(k);
}

void
redundancy_worker_discard(struct redundancy_worker *c)
{
	while (c->shed != NULL && c->may_release(c->cookie)) {
		struct count *k = c->shed;

		c->shed = k->next;
		free_count(k);
	}
}

static void
let_go(struct redundancy_worker *c, struct count *k)
{
	k->next = c->shed;
	c->shed = k;
	redundancy_worker_discard(c);
}

static void
start_next(struct redundancy_worker *c)
{
	if (c->now != NULL || c->then == NULL)
		return;
	c->now = c->then;
	c->then = NULL;
	worker_submit(c->worker, c->now);
}

/* Log the number of nodes with a single point of failure if it changed, and, if
 * it grew, the switch or port on which most of them depend. */
static void
log_change(struct redundancy_worker *c, const struct view *v)
{
	const struct view_redundancy *h = v->redundancy;
	const struct redundancy_point *p = h->point;
	size_t was = c->single;
	char port[16] = "";

	c->single = h->nsingle;
	if (h->nsingle == was)
		return;
	if (h->nsingle == 0)
		log_info("redundancy: no multi-port node has a single point of "
			 "failure any more nodes=%zu",
			h->nodes);
	else if (h->nsingle < was)
		log_info("redundancy: fewer multi-port nodes have a single "
			 "point of failure nodes=%zu of=%zu was=%zu",
			h->nsingle, h->nodes, was);
	if (h->nsingle <= was)
		return;
	if (p->out > 0)
		(void)snprintf(port, sizeof(port), " port %u", p->out);
	log_warn("redundancy: multi-port nodes have a single point of failure "
		 "nodes=%zu of=%zu first=\"%s%s\" its=%u",
		h->nsingle, h->nodes,
		topo_desc(v->topo, v->topo->sw[p->sw].node), port, p->nodes);
}

static void
on_counted(void *cookie, void *job, struct mono now)
{
	struct redundancy_worker *c = cookie;
	struct count *k = job;

	(void)now;
	c->now = NULL;
	if (k->result != NULL && k->view->redundancy == NULL) {
		k->view->redundancy = k->result;
		k->result = NULL;
		log_change(c, k->view);
	}
	let_go(c, k);
	start_next(c);
}

struct redundancy_worker *
redundancy_worker_new(struct loop *l,
	redundancy_worker_may_release *may_release, void *cookie,
	struct reason *why)
{
	struct redundancy_worker *c = mem_zalloc(1, sizeof(*c));

	c->may_release = may_release;
	c->cookie = cookie;
	c->worker = worker_new(l, count_view, on_counted, c, why);
	if (c->worker != NULL)
		return c;
	free(c);
	return NULL;
}

void
redundancy_worker_count(
	struct redundancy_worker *c, struct view *v, struct config *cfg)
{
	struct count *k;

	if (c->then != NULL)
		let_go(c, c->then);
	c->then = NULL;
	if (c->now != NULL)
		atomic_store(&c->now->cancel, true);
	if (v->redundancy != NULL)
		return;
	k = mem_zalloc(1, sizeof(*k));
	k->view = view_ref(v);
	k->cfg = config_ref(cfg);
	jobs_options(k->cfg, v->topo, &k->options);
	c->then = k;
	start_next(c);
}

void
redundancy_worker_free(struct redundancy_worker *c)
{
	if (c == NULL)
		return;
	if (c->now != NULL)
		atomic_store(&c->now->cancel, true);
	worker_free(c->worker);
	free_count(c->now);
	free_count(c->then);
	for (struct count *k = c->shed, *next; k != NULL; k = next) {
		next = k->next;
		free_count(k);
	}
	free(c);
}
