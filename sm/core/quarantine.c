#include "sm/core/quarantine.h"

#include <stdio.h>

#include "sm/base/mem.h"
#include "sm/core/sm_priv.h"

enum {
	BAN_SECONDS = 30,
	BAN_MAX_SECONDS = 3600,
	MAX_FALSE_ACKS = 3,
	FALSE_ACKS_MS = 3600000 /* older counts are forgotten */
};

struct sm_quarantined *
quarantine_find(struct sm *sm, uint64_t guid)
{
	size_t i;

	for (i = 0; i < sm->quarantine.n; i++)
		if (sm->quarantine.list[i].guid == guid)
			return &sm->quarantine.list[i];
	return NULL;
}

static bool
is_locked(const struct sm *sm, uint64_t sma)
{
	return keyring_is_locked(xact_keys(sm->x), sma);
}

void
quarantine_unlock(struct sm *sm, struct mono now)
{
	size_t i;

	for (i = 0; i < sm->quarantine.n; i++) {
		struct sm_quarantined *b = &sm->quarantine.list[i];

		if (!b->locked || is_locked(sm, b->guid))
			continue;
		b->locked = false;
		b->until = now;
		dirty_mark(sm, b->guid, now, DIRTY_UNLOCKED, NULL);
	}
}

/* Switches in quarantine stay out of the topology until their time is over;
 * those that refuse rows of SL2VL stay in it as such that cannot map SLs. */
void
quarantine_apply(struct sm *sm, struct mono now)
{
	size_t i;

	for (i = 0; i < sm->quarantine.n; i++) {
		const struct sm_quarantined *b = &sm->quarantine.list[i];

		if (mono_before(now, b->until))
			builder_quarantine(sm->builder, b->guid, b->why);
		if (b->keeps_rows)
			builder_keeps_rows(sm->builder, b->guid);
	}
}

static struct sm_quarantined *
quarantine_entry(struct sm *sm, uint64_t guid)
{
	struct sm_quarantined *b = quarantine_find(sm, guid);

	if (b != NULL)
		return b;
	sm->quarantine.list = mem_grow(sm->quarantine.list, sm->quarantine.n,
		&sm->quarantine.cap, sizeof(*sm->quarantine.list));
	b = &sm->quarantine.list[sm->quarantine.n++];
	*b = (struct sm_quarantined){.guid = guid};
	return b;
}

static void
quarantine_switch(
	struct sm *sm, uint64_t guid, const char *why, struct mono now)
{
	struct sm_quarantined *b = quarantine_entry(sm, guid);

	if (b->wait.ns == 0)
		b->wait = mono_ms(BAN_SECONDS * 1000L);
	else if (b->wait.ns < mono_ms(BAN_MAX_SECONDS * 1000L).ns)
		b->wait.ns *= 2;
	b->until = mono_add(now, b->wait);
	(void)snprintf(b->why, sizeof(b->why), "%.90s; retried after %u s", why,
		(unsigned)(b->wait.ns / 1000000000));
	builder_quarantine(sm->builder, guid, b->why);
}

/*
 * A switch that hides an M_Key that is not known cannot be written: it stays in
 * quarantine until its key is known.
 */
static enum sm_verdict
quarantine_locked(struct sm *sm, uint64_t guid)
{
	static const char why[] = "its M_Key is not known";
	struct sm_quarantined *b = quarantine_entry(sm, guid);

	log_error("push: quarantined guid=0x%016llx: %s",
		(unsigned long long)guid, why);
	b->locked = true;
	b->until = MONO_NEVER;
	(void)snprintf(b->why, sizeof(b->why), "%s", why);
	builder_quarantine(sm->builder, guid, b->why);
	return SM_PLAN_AGAIN;
}

/*
 * A switch that fell silent may only be behind one that is gone: the fabric is
 * swept before a switch is quarantined for silence. One that answers questions
 * and does not answer writes a second time is quarantined.
 */
static enum sm_verdict
judge_silent(struct sm *sm, const struct push_failure *f, struct mono now)
{
	uint64_t guid = sm->run.topo->node[f->node].guid;
	struct sm_quarantined *b = quarantine_entry(sm, guid);

	if (is_locked(sm, guid))
		return quarantine_locked(sm, guid);
	if (++b->silent < 2)
		return SM_SWEEP_AGAIN;
	b->silent = 0;
	log_error("push: quarantined guid=0x%016llx: %s",
		(unsigned long long)guid, f->why);
	quarantine_switch(sm, guid, f->why, now);
	return SM_PLAN_AGAIN;
}

/* A switch that refuses to write many rows at once may take them one by one. */
static void
judge_rows(struct sm *sm, const struct push_failure *f)
{
	uint64_t guid = sm->run.topo->node[f->node].guid;
	bool keeps = device_marked(
		sm->hw, device_at_switch(guid, DEVICE_SL2VL), DEVICE_REFUSES);

	log_warn("push: guid=0x%016llx \"%s\" %s; first: %s",
		(unsigned long long)guid, topo_desc(sm->run.topo, f->node),
		keeps ? "does not keep SL2VL rows: it is routed as a switch "
			"that cannot map SLs to VLs"
		      : "does not take SL2VL rows together: they are written "
			"one by one",
		f->why);
	quarantine_entry(sm, guid)->keeps_rows |= keeps;
}

static enum sm_verdict
judge_failure(struct sm *sm, const struct push_failure *f, struct mono now)
{
	const struct topo_node *node = &sm->run.topo->node[f->node];

	if (f->cause == PUSH_ABOVE_TOP) {
		log_info("push: %s: its LinearFDBTop is raised first", f->why);
		return SM_PLAN_AGAIN;
	}
	if (f->cause == PUSH_GONE) {
		log_info("push: %s", f->why);
		return SM_SWEEP_AGAIN;
	}
	if (f->cause == PUSH_NO_SL2VL) {
		judge_rows(sm, f);
		return SM_WRITTEN;
	}
	if (f->cause == PUSH_NO_WEIGHTS) {
		log_warn("push: %s: it keeps its own VL arbitration", f->why);
		return SM_WRITTEN;
	}
	if (f->cause == PUSH_NO_GUIDS) {
		log_warn("push: alias GUIDs not written: %s", f->why);
		return SM_WRITTEN;
	}
	if (f->cause == PUSH_NO_ADAPTIVE) {
		log_warn("push: %s: it forwards by its table alone", f->why);
		dirty_mark(sm, node->guid, now, DIRTY_ADAPTIVE, NULL);
		return SM_WRITTEN;
	}
	if (f->cause == PUSH_NO_KEYS) {
		log_warn("push: P_Keys not written: %s", f->why);
		retry_port(sm, sm->run.topo, f->port);
		return SM_WRITTEN;
	}
	if (!f->condemned) {
		/* of locked ports an alarm tells, once */
		if (!is_locked(sm, topo_sma_guid(sm->run.topo, f->port)))
			log_warn("push: port not brought up: %s", f->why);
		retry_port(sm, sm->run.topo, f->port);
		return SM_WRITTEN;
	}
	if (f->cause == PUSH_CUT) { /* the path probe has marked the link */
		log_info("push: %s", f->why);
		return timer_is_set(&sm->timers, TIMER_RUN) ? SM_PROBE_FIRST
							    : SM_SWEEP_AGAIN;
	}
	if (f->cause == PUSH_SILENT)
		return judge_silent(sm, f, now);
	log_error("push: quarantined guid=0x%016llx: %s",
		(unsigned long long)node->guid, f->why);
	quarantine_switch(sm, node->guid, f->why, now);
	return SM_PLAN_AGAIN;
}

static bool
is_repeated(const struct push_failure *f, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (f[i].cause == PUSH_NO_SL2VL && f[k].cause == f[i].cause &&
			f[k].node == f[i].node)
			return true;
	return false;
}

/* Switches that could not be written are quarantined, and the pipeline has to
 * run again without them (or with their LinearFDBTop raised first). */
enum sm_verdict
quarantine_failures(struct sm *sm, struct mono now)
{
	const struct push_failure *f;
	enum sm_verdict worst = SM_WRITTEN, v;
	size_t n, i;

	f = push_failures(sm->run.push, &n);
	for (i = 0; i < n; i++) {
		if (is_repeated(f, i)) /* the same failure in another row */
			continue;
		v = judge_failure(sm, &f[i], now);
		worst = v > worst ? v : worst;
	}
	return worst;
}

void
quarantine_release(struct sm *sm)
{
	size_t i;

	for (i = 0; i < sm->quarantine.n; i++)
		sm->quarantine.list[i].silent = 0;
}

/*
 * Once may be a link error; several times within FALSE_ACKS_MS is the switch.
 */
void
quarantine_for_disobedience(
	struct sm *sm, const struct device_check_item *i, struct mono now)
{
	struct sm_quarantined *s = quarantine_entry(sm, i->at.guid);
	const struct topo *t = sm->view->topo;
	node_ix n = topo_by_node_guid(t, i->at.guid);
	const char *name = n == TOPO_NONE ? "" : topo_desc(t, n);
	char what[64];

	device_check_item_text(i, what, sizeof(what));
	log_warn("push: guid=0x%016llx \"%s\" does not hold what it "
		 "acknowledged: %s",
		(unsigned long long)i->at.guid, name, what);
	if (mono_before(
		    mono_add(s->last_false_ack, mono_ms(FALSE_ACKS_MS)), now))
		s->false_acks = 0;
	s->last_false_ack = now;
	if (++s->false_acks < MAX_FALSE_ACKS ||
		(n != TOPO_NONE && t->node[n].type != TOPO_SWITCH))
		return;
	s->false_acks = 0;
	log_error("push: quarantined guid=0x%016llx \"%s\": acknowledges what "
		  "it does not hold: %s",
		(unsigned long long)i->at.guid, name, what);
	quarantine_switch(sm, i->at.guid,
		"acknowledges tables that it does not hold", now);
}
