#include "sm/daemon_control.h"

#include <jansson.h>
#include <stdio.h>

#include "sm/base/log.h"
#include "sm/core/snapshot_state.h"
#include "sm/report/config_json.h"
#include "sm/report/drains_json.h"
#include "sm/report/events_json.h"
#include "sm/report/groups_json.h"
#include "sm/report/json_util.h"
#include "sm/report/links_json.h"
#include "sm/report/names_json.h"
#include "sm/report/port_find.h"

/* Longest text of who asked for what. */
enum { CAUSE = 64 };

static struct view *
ctl_wants_view(void *cookie)
{
	struct daemon *d = cookie;

	return d->sm != NULL ? sm_view(d->sm) : NULL;
}

static json_t *
ctl_wants_status(void *cookie)
{
	struct daemon *d = cookie;
	struct status_facts f;
	struct sm_status sm;

	daemon_gather_status(d, &sm, &f);
	return status_json(&f);
}

static json_t *
ctl_wants_groups(void *cookie, const char *which, struct reason *why)
{
	const struct daemon *d = cookie;
	const struct groups_facts f = {
		.sa = sm_sa(d->sm),
		.topo = sm_view(d->sm)->topo,
		.tree = run_mcast_trees(d->sm),
	};

	return groups_json(&f, which, why);
}

static json_t *
ctl_wants_events(void *cookie, uint64_t since)
{
	const struct daemon *d = cookie;

	return event_store_json(d->events, since, daemon_wall_time());
}

static uint64_t
ctl_wants_last_event(void *cookie)
{
	const struct daemon *d = cookie;

	return event_store_last(d->events);
}

static struct links_facts
ctl_wants_link_facts(void *cookie)
{
	const struct daemon *d = cookie;

	return (struct links_facts){
		.t = sm_view(d->sm)->topo,
		.health = sm_health(d->sm),
		.watches = sm_link_watches(d->sm),
		.limits = sm_link_limits(d->sm),
		.log = sm_events(d->sm),
		.reads_names = sm_reads_names(d->sm),
		.now = loop_now(),
	};
}

static json_t *
ctl_wants_links(
	void *cookie, uid_t uid, const struct links_ask *ask, bool accept)
{
	struct daemon *d = cookie;
	const struct links_facts f = ctl_wants_link_facts(d);
	const struct topo *t = f.t;
	json_t *o;

	if (accept) {
		daemon_events_command(
			d->own, "links accept", uid, NULL, loop_now());
		sm_missing_accept(d->sm, loop_now());
		daemon_arm_timer(d);
	}
	if (ask->bad || ask->slow || ask->errors)
		o = links_json(&f, ask);
	else
		o = json_util_object(
			M("missing", events_missing_json(sm_events(d->sm), t,
					     SIZE_MAX, loop_now())),
			M("degraded", links_degraded_json(t, SIZE_MAX)));
	(void)json_object_set_new(o, "health", links_health_json(&f));
	return o;
}

/* "sweep requested by root (uid 0)": the cause of what a user asked for. */
static void
requested_by(const char *what, uid_t uid, char cause[CAUSE])
{
	char user[DAEMON_EVENTS_USER];

	(void)snprintf(
		cause, CAUSE, "%s by %s", what, daemon_events_user(uid, user));
}

static void
tell_command(struct daemon *d, const char *command, uid_t uid, int rc,
	const struct reason *why)
{
	daemon_events_command(
		d->own, command, uid, rc != 0 ? why->text : NULL, loop_now());
}

static json_t *
ctl_wants_names(void *cookie, uid_t uid, bool accept)
{
	struct daemon *d = cookie;
	char cause[CAUSE];

	if (accept) {
		daemon_events_command(
			d->own, "partitions accept", uid, NULL, loop_now());
		requested_by("names accepted", uid, cause);
		sm_names_accept(d->sm, loop_now(), cause);
		daemon_arm_timer(d);
	}
	return names_json(sm_names(d->sm), sm_view(d->sm)->topo);
}

static struct drains_facts
drains_facts(const struct daemon *d)
{
	return (struct drains_facts){.drains = sm_drains(d->sm),
		.view = sm_view(d->sm),
		.tree = run_mcast_trees(d->sm),
		.watches = sm_link_watches(d->sm),
		.now = loop_now()};
}

static int
begin_drain(struct daemon *d, const char *by, const struct ctl_drain *ask,
	uint32_t *generation, struct reason *why)
{
	const struct topo *t = sm_view(d->sm)->topo;
	struct sm_drain want = {.duration = MONO_NEVER,
		.force = ask->force,
		.by = by,
		.reason = ask->reason != NULL ? ask->reason : ""};
	node_ix n;

	if (port_find_end(t, ask->node, &n, &want.port, why) != 0)
		return -1;
	want.guid = t->node[n].guid;
	if (ask->seconds > 0)
		want.duration = mono_ms((int64_t)ask->seconds * 1000);
	return sm_drain(d->sm, &want, loop_now(), generation, why);
}

static int
end_drain(struct daemon *d, const char *by, const char *node,
	uint32_t *generation, struct reason *why)
{
	const struct drain *x =
		drains_named(sm_drains(d->sm), sm_view(d->sm)->topo, node, why);

	if (x == NULL)
		return -1;
	return sm_undrain(d->sm, &(struct sm_undrain){x->guid, x->port, by},
		loop_now(), generation, why);
}

static json_t *
ctl_wants_drain(void *cookie, uid_t uid, const struct ctl_drain *ask,
	struct reason *why)
{
	struct daemon *d = cookie;
	uint32_t generation;
	char user[DAEMON_EVENTS_USER];
	const char *by = daemon_events_user(uid, user);
	json_t *o;

	if ((ask->back ? end_drain(d, by, ask->node, &generation, why)
		       : begin_drain(d, by, ask, &generation, why)) != 0)
		return NULL;
	daemon_arm_timer(d);
	o = json_util_object(M("back", ask->back));
	if (generation > 0)
		(void)json_object_set_new(o, "wait_generation",
			json_integer((json_int_t)generation));
	return o;
}

static json_t *
ctl_wants_drains(void *cookie, const char *node, struct reason *why)
{
	const struct daemon *d = cookie;
	const struct drains_facts f = drains_facts(d);
	const struct drain *x;

	if (node == NULL)
		return drains_json(&f);
	x = drains_named(f.drains, f.view->topo, node, why);
	return x == NULL
		       ? NULL
		       : json_pack("{s:[o]}", "drains", drains_json_one(&f, x));
}

static json_t *
ctl_wants_config(void *cookie, bool origin)
{
	const struct daemon *d = cookie;

	return config_json(d->config, d->boot, origin);
}

static json_t *
ctl_wants_verify(void *cookie, struct reason *why)
{
	const struct daemon *d = cookie;

	return cabling_watch_json(d->cabling, why);
}

static json_t *
ctl_wants_record(void *cookie)
{
	const struct daemon *d = cookie;

	return daemon_record_json(d->record);
}

static json_t *
ctl_wants_memory(void *cookie, bool tables)
{
	const struct daemon *d = cookie;

	return snapshot_state_json(d->sm, d->config, tables);
}

static uint64_t
ctl_wants_sweeps(void *cookie)
{
	struct daemon *d = cookie;

	return d->facts.sweeps_done;
}

/* Refused: what the master alone does. */
static int
refuse_standby(const struct sm_status *s, struct reason *why)
{
	return reason_set(why,
		"standing by: ask the master 0x%016llx \"%s\", priority %u",
		(unsigned long long)s->master.guid, s->master.name,
		s->master.priority);
}

/* The sweep asked for is the next one: a full sweep in progress began before
 * the request. */
static int
begin_sweep(struct daemon *d, uid_t uid, uint64_t *sweeps, struct reason *why)
{
	struct sm_status s;
	char cause[CAUSE];

	if (d->sm == NULL)
		return reason_set(why, "no port: %s", d->facts.no_port);
	sm_status(d->sm, &s);
	if (s.role == SM_STANDING_BY)
		return refuse_standby(&s, why);
	*sweeps = s.sweeps_full + 1;
	requested_by("sweep requested", uid, cause);
	sm_resweep(d->sm, loop_now(), cause);
	daemon_arm_timer(d);
	return 0;
}

static int
ctl_wants_sweep(void *cookie, uid_t uid, uint64_t *sweeps, struct reason *why)
{
	struct daemon *d = cookie;
	int rc = begin_sweep(d, uid, sweeps, why);

	tell_command(d, "sweep", uid, rc, why);
	return rc;
}

static int
begin_rebalance(struct daemon *d, uid_t uid, struct reason *why)
{
	struct sm_status s;
	char cause[CAUSE];

	if (d->sm == NULL)
		return reason_set(why, "no port: %s", d->facts.no_port);
	sm_status(d->sm, &s);
	if (s.role == SM_STANDING_BY)
		return refuse_standby(&s, why);
	if (s.role != SM_MASTER)
		return reason_set(
			why, "not the master of this fabric so far: try again");
	requested_by("rebalance requested", uid, cause);
	sm_rebalance(d->sm, loop_now(), cause);
	daemon_arm_timer(d);
	return 0;
}

static int
ctl_wants_rebalance(void *cookie, uid_t uid, struct reason *why)
{
	struct daemon *d = cookie;
	int rc = begin_rebalance(d, uid, why);

	tell_command(d, "rebalance", uid, rc, why);
	return rc;
}

/* A hand-over changes who answers for the whole fabric: members of the socket's
 * group may not ask for it. */
static int
begin_hand_over(
	struct daemon *d, uid_t uid, struct sm_other *to, struct reason *why)
{
	struct sm_status s;
	char cause[CAUSE];

	if (uid != 0)
		return reason_set(why, "only root may hand the fabric over");
	if (d->sm == NULL)
		return reason_set(why, "no port: %s", d->facts.no_port);
	sm_status(d->sm, &s);
	if (s.role == SM_STANDING_BY)
		return refuse_standby(&s, why);
	requested_by("as requested", uid, cause);
	if (sm_hand_over(d->sm, cause, loop_now(), to, why) != 0)
		return -1;
	daemon_arm_timer(d);
	return 0;
}

static int
ctl_wants_hand_over(
	void *cookie, uid_t uid, struct sm_other *to, struct reason *why)
{
	struct daemon *d = cookie;
	int rc = begin_hand_over(d, uid, to, why);

	tell_command(d, "handover", uid, rc, why);
	return rc;
}

void
daemon_control_open(struct daemon *d)
{
	const char *path = d->boot->control.socket;
	const struct ctl_ops ops = {
		.cookie = d,
		.view = ctl_wants_view,
		.status = ctl_wants_status,
		.sweeps = ctl_wants_sweeps,
		.may_release = daemon_may_release,
		.sweep = ctl_wants_sweep,
		.rebalance = ctl_wants_rebalance,
		.hand_over = ctl_wants_hand_over,
		.groups = ctl_wants_groups,
		.events = ctl_wants_events,
		.last_event = ctl_wants_last_event,
		.links = ctl_wants_links,
		.link_facts = ctl_wants_link_facts,
		.names = ctl_wants_names,
		.drain = ctl_wants_drain,
		.drains = ctl_wants_drains,
		.config = ctl_wants_config,
		.memory = ctl_wants_memory,
		.record = ctl_wants_record,
		.verify = ctl_wants_verify,
	};
	struct reason why;

	if (d->opt->once)
		return;
	d->ctl = ctl_open(d->loop, path, &ops, NULL, &why);
	if (d->ctl == NULL)
		log_error("control: continuing WITHOUT control socket: %s",
			why.text);
}
