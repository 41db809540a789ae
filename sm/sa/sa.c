/*
 * The entry points of the SA: messages and time. Checks the header, the
 * requester and its tokens, and serves or queues the query.
 */
#include "sm/sa/sa.h"

#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "sm/sa/sa_priv.h"

enum { PARKED_STEP = 16 }; /* parked requests answered in a step */

struct sa *
sa_new(struct transport *t, const struct sa_ops *ops, const struct sa_params *p)
{
	struct sa *sa = mem_zalloc(1, sizeof(*sa));

	sa->t = t;
	sa->ops = ops;
	sa->par = *p;
	sa->bucket = mem_zalloc(MAD_LID_END, sizeof(*sa->bucket));
	sa->last_job = &sa->job;
	sa->parked = sa_parked_new();
	sa->services = sa_services_new();
	sa->guids = sa_guids_new();
	sa->informs = sa_informs_new();
	sa->groups = sa_groups_new();
	return sa;
}

static void
drop_jobs(struct sa *sa, bool answer)
{
	while (sa->job != NULL) {
		struct sa_query *q = sa->job;

		sa->job = q->next;
		if (answer)
			sa_query_answer(q, MAD_STATUS_BUSY);
		else
			sa_query_free(q);
	}
	sa->last_job = &sa->job;
}

static void
set_view(struct sa *sa, struct view *v)
{
	if (sa->view != NULL)
		sa->ops->release(sa->ops->cookie, sa->view);
	sa->view = view_ref(v);
	map_free(&sa->by_guid);
	/* backwards: of duplicate GUIDs the first one stays */
	for (uint32_t i = v != NULL ? v->topo->nguid : 0; i-- > 0;) {
		port_ix p = v->topo->by_pguid[i];

		map_put(&sa->by_guid, v->topo->port[p].guid, p);
	}
}

void
sa_free(struct sa *sa)
{
	if (sa == NULL)
		return;
	drop_jobs(sa, false);
	sa_parked_free(sa->parked);
	sa_groups_drop_waiting(sa, false);
	set_view(sa, NULL);
	sa_services_free(sa->services);
	sa_guids_free(sa->guids);
	sa_informs_free(sa->informs);
	sa_groups_free(sa->groups);
	free(sa->far);
	free(sa->bucket);
	free(sa);
}

void
sa_configure(struct sa *sa, const struct sa_params *p)
{
	if (p->sa_key != sa->par.sa_key)
		sa_informs_distrust(sa);
	sa->par = *p;
}

void
sa_prefix_routes(struct sa *sa, const struct sa_far *f, size_t n)
{
	free(sa->far);
	sa->far = n > 0 ? mem_dup(f, n * sizeof(*f)) : NULL;
	sa->nfar = n;
}

/* Take one token of the requester; false when it has none left. */
static bool
take_token(struct sa *sa, uint16_t lid, struct mono now)
{
	struct sa_bucket *b = &sa->bucket[lid];
	const struct mono second = mono_ms(1000);
	int64_t since, most;

	if (sa->par.rate == 0)
		return true;
	if (b->earned.ns == 0) {
		b->tokens = sa->par.burst;
		b->earned = now;
	}
	since = mono_sub(now, b->earned).ns;
	most = second.ns * ((int64_t)sa->par.burst / sa->par.rate + 1);
	if (since >= most) {
		b->tokens = sa->par.burst;
		b->earned = now;
	} else if (since * sa->par.rate >= second.ns) {
		uint64_t n =
			(uint64_t)since * sa->par.rate / (uint64_t)second.ns;

		b->earned.ns +=
			(int64_t)(n * (uint64_t)second.ns / sa->par.rate);
		b->tokens = n >= sa->par.burst - (uint64_t)b->tokens
				    ? sa->par.burst
				    : b->tokens + (uint32_t)n;
	}
	if (b->tokens == 0)
		return false;
	b->tokens--;
	return true;
}

static struct sa_query *
query_new(struct sa *sa, const struct transport_msg *m, const struct mad_sa *h)
{
	struct sa_query *q = mem_zalloc(1, sizeof(*q));
	const uint8_t *whole = m->len > MAD_SIZE ? m->body : m->mad;

	q->sa = sa;
	q->view = view_ref(sa->view);
	q->h = *h;
	q->addr = m->addr;
	q->from = q->view != NULL
			  ? topo_by_lid(q->view->topo, m->addr.lid, NULL)
			  : TOPO_NONE;
	q->data = whole + MAD_SA_HEADER;
	q->len = m->len - MAD_SA_HEADER;
	memcpy(q->want, q->data, q->len < MAD_SA_DATA ? q->len : MAD_SA_DATA);
	q->trusted = sa->par.sa_key != 0 && h->sm_key == sa->par.sa_key;
	return q;
}

/* The status for a bad header, or 0. */
static uint16_t
judge_header(const struct sa_query *q)
{
	const struct mad_sa *h = &q->h;

	if (h->base_version != 1 || h->class_version != MAD_SA_VERSION)
		return MAD_STATUS_VERSION;
	switch (h->method) {
	case MAD_GET:
	case MAD_SET:
	case MAD_SA_GET_TABLE:
	case MAD_SA_DELETE:
	case MAD_SA_GET_TRACE:
	case MAD_SA_GET_MULTI:
		break;
	default:
		return MAD_STATUS_METHOD;
	}
	if (h->rmpp && (h->rmpp_type != 1 || h->rmpp_status != 0))
		return MAD_SA_REQ_INVALID;
	/* only a MultiPathRecord can be longer than one MAD */
	if (q->len > MAD_SA_DATA && h->method != MAD_SA_GET_MULTI)
		return MAD_SA_REQ_INVALID;
	if (h->sm_key != 0 && !q->trusted)
		return MAD_SA_DENIED;
	return 0;
}

/* 0 if this kind of record has the query's method, else a status. */
static uint16_t
judge_method(const struct sa_kind *k, const struct sa_query *q)
{
	uint8_t method = q->h.method;
	bool has = k != NULL && (k->over != SA_OWN || k->begin != NULL);

	if (k == NULL)
		return MAD_STATUS_METHOD_ATTR;
	if (method == MAD_SA_GET_TABLE)
		has = has && !k->single;
	else if (method == MAD_SET)
		has = k->set != NULL;
	else if (method == MAD_SA_DELETE)
		has = k->del != NULL;
	else if (method != MAD_GET)
		has = k->method == method;
	return has ? 0 : MAD_STATUS_METHOD_ATTR;
}

static void
queue_job(struct sa_query *q)
{
	struct sa *sa = q->sa;
	struct sa_bucket *b = &sa->bucket[q->addr.lid];

	if (sa->stats.jobs >= SA_JOBS || b->jobs >= SA_JOBS_PORT) {
		sa_query_answer(q, MAD_STATUS_BUSY);
		return;
	}
	sa->stats.jobs++;
	b->jobs++;
	*sa->last_job = q;
	sa->last_job = &q->next;
}

static void
serve_query(struct sa_query *q)
{
	const struct sa_kind *k = q->kind;
	uint16_t status;

	if (q->h.method == MAD_SET || q->h.method == MAD_SA_DELETE) {
		status = q->h.method == MAD_SET ? k->set(q) : k->del(q);
		if (status != SA_LATER)
			sa_query_answer(q, status);
		return;
	}
	status = sa_query_begin(q, q->h.method == k->method);
	q->data = NULL;
	if (status != 0)
		sa_query_answer(q, status);
	else if (!sa_query_run(q, q->kind->whole ? UINT64_MAX : SA_STEP))
		queue_job(q);
}

/* True for requests only: answering a response could go on for ever. */
static bool
is_request(const struct transport_msg *m, const struct mad_sa *h)
{
	return m->error == 0 && (h->method & MAD_SA_RESPONSE) == 0 &&
	       h->method != MAD_TRAP && h->method != MAD_TRAP_REPRESS &&
	       h->method != MAD_SA_REPORT && h->method != 0 &&
	       m->addr.lid != 0 && m->addr.lid < MAD_LID_END;
}

static int
decode_header(const struct transport_msg *m, struct mad_sa *h)
{
	if (m->len > MAD_SIZE && m->body == NULL)
		return -1;
	return mad_sa_decode(
		m->len > MAD_SIZE ? m->body : m->mad, m->len, h, NULL);
}

/* The status with which a request is refused at once, or 0. */
static uint16_t
judge_request(struct sa_query *q, struct mono now)
{
	uint16_t status = judge_header(q);

	if (status == 0)
		status = judge_method(q->kind, q);
	if (status == 0 && !take_token(q->sa, q->addr.lid, now))
		status = MAD_STATUS_BUSY;
	return status;
}

void
sa_receive(struct sa *sa, const struct transport_msg *m, struct mono now)
{
	struct sa_query *q;
	struct mad_sa h;
	uint16_t status;

	if (decode_header(m, &h) != 0) {
		sa->stats.dropped++;
		return;
	}
	if (h.method == (MAD_SA_REPORT | MAD_SA_RESPONSE) && m->error == 0) {
		sa_informs_response(sa, m->addr.lid, h.tid, now);
		return;
	}
	if (!is_request(m, &h)) {
		sa->stats.dropped++;
		return;
	}
	sa->now = now;
	sa->stats.requests++;
	q = query_new(sa, m, &h);
	q->kind = sa_records_find(h.attr);
	status = judge_request(q, now);
	if (q->from == TOPO_NONE || sa->paused) {
		/* no status: hosts take any as final, and the next view may
		 * have the requester */
		if (status == 0)
			sa_parked_add(sa, m, now);
		else
			sa->stats.unanswered++;
		sa_query_free(q);
	} else if (status != 0) {
		sa_query_answer(q, status);
	} else {
		serve_query(q);
	}
}

/* False: it is from nowhere, or no request. */
static bool
answer_parked(struct sa *sa, const struct transport_msg *m)
{
	struct sa_query *q;
	struct mad_sa h;

	if (decode_header(m, &h) != 0)
		return false;
	q = query_new(sa, m, &h);
	q->kind = sa_records_find(h.attr);
	if (q->from == TOPO_NONE) {
		sa_query_free(q);
		return false;
	}
	serve_query(q);
	return true;
}

/* Some at a time: messages that arrive meanwhile are not held up. */
static void
serve_parked(struct sa *sa, struct mono now)
{
	const struct transport_msg *m;
	bool ripe;

	for (unsigned i = 0; i < PARKED_STEP; i++) {
		m = sa_parked_due(sa, now, &ripe);
		if (m == NULL)
			return;
		if (!ripe || !answer_parked(sa, m))
			sa->stats.unanswered++;
		sa_parked_done(sa);
	}
}

void
sa_ignore(struct sa *sa, const struct transport_msg *m)
{
	struct mad_sa h;

	if (decode_header(m, &h) == 0 && is_request(m, &h))
		sa->stats.unanswered++;
}

/*
 * Run all jobs once, within one budget of candidates that they share: a query
 * for all records holds up neither the others nor messages that arrive
 * meanwhile.
 */
static void
run_jobs(struct sa *sa)
{
	struct sa_query *q = sa->job, *next;
	uint64_t share = sa->stats.jobs > 0 ? SA_STEP / sa->stats.jobs : 0;
	struct sa_query **link = &sa->job;

	for (; q != NULL; q = next) {
		uint16_t lid = q->addr.lid;

		next = q->next;
		if (!sa_query_run(q, share)) {
			link = &q->next;
			continue;
		}
		sa->stats.jobs--;
		sa->bucket[lid].jobs--;
		*link = next;
	}
	sa->last_job = link;
}

void
sa_commit(struct sa *sa, struct view *v)
{
	struct view *old = view_ref(sa->view);

	sa->paused = false;
	set_view(sa, v);
	sa_services_commit(sa);
	sa_guids_commit(sa);
	sa_informs_commit(sa, old);
	sa_groups_commit(sa);
	sa_parked_commit(sa);
	if (old != NULL)
		sa->ops->release(sa->ops->cookie, old);
}

void
sa_pause(struct sa *sa)
{
	sa->paused = true;
}

bool
sa_is_paused(const struct sa *sa)
{
	return sa->paused;
}

/* As text, since reports that are under way refer to subscriptions. */
static void
keep_registrations(struct sa *sa, struct mono now)
{
	struct buf kept = {0};

	sa_services_save(sa, now, &kept);
	sa_informs_save(sa, &kept);
	sa_services_free(sa->services);
	sa_guids_free(sa->guids);
	sa_informs_free(sa->informs);
	sa->services = sa_services_new();
	sa->guids = sa_guids_new();
	sa->informs = sa_informs_new();
	(void)sa_restore(sa, kept.text, 0, now);
	buf_free(&kept);
}

void
sa_suspend(struct sa *sa, struct mono now)
{
	uint32_t lid;

	sa->paused = false;
	drop_jobs(sa, true);
	sa_groups_drop_waiting(sa, true);
	sa_parked_drop(sa);
	for (lid = 0; lid < MAD_LID_END; lid++)
		sa->bucket[lid].jobs = 0;
	sa->stats.jobs = 0;
	set_view(sa, NULL);
	keep_registrations(sa, now);
	sa_groups_suspend(sa);
	sa->changed = true;
}

struct mono
sa_next(const struct sa *sa)
{
	if (sa->job != NULL)
		return (struct mono){0};
	return mono_min(sa_parked_next(sa),
		mono_min(sa_services_next(sa), sa_informs_next(sa)));
}

void
sa_tick(struct sa *sa, struct mono now)
{
	sa->now = now;
	run_jobs(sa);
	serve_parked(sa, now);
	sa_services_tick(sa, now);
	sa_informs_tick(sa, now);
}

void
sa_stats(const struct sa *sa, struct sa_stats *out)
{
	*out = sa->stats;
	out->services = sa_services_count(sa);
	out->subscriptions = sa_informs_count(sa);
	sa_groups_stats(sa, out);
}
