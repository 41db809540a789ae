#include "sm/core/take_over.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distribution/device/device_request.h"
#include "sm/base/mem.h"
#include "sm/core/sm_priv.h"

/* A port with a LID, and its PortInfo as it answered. */
struct take_over_port {
	port_ix port;
	uint8_t info[MAD_DATA];
};

struct take_over {
	struct sm *sm;
	struct view *view; /* a reference */
	struct mono began;
	struct take_over_port *port;
	size_t nports, next_port;
	sw_ix next_switch;
	size_t next_set;
	unsigned inflight;
	bool writing; /* elected: the SM LID is being written */
	char differs[128];
};

/* ---- what is asked ---- */

static void
note_difference(struct take_over *o, const char *what, uint64_t guid)
{
	if (o->differs[0] == '\0')
		(void)snprintf(o->differs, sizeof(o->differs), "%s 0x%016llx",
			what, (unsigned long long)guid);
}

static void
switch_answered(void *cookie, uint64_t tag, const struct xact_result *res)
{
	struct take_over *o = cookie;
	const struct topo *t = o->view->topo;
	uint64_t guid = t->node[t->sw[tag].node].guid;
	struct mad_switch_info i;

	o->inflight--;
	if (res->outcome != XACT_OK)
		note_difference(o, "no answer from switch", guid);
	else if (mad_switch_info_decode(res->data, &i, NULL) != 0 ||
		 i.state_change)
		note_difference(o, "a port changed at switch", guid);
}

/* True if port p answers as it did when the view was read. */
static bool
is_port_alike(const struct topo *t, port_ix p, const uint8_t data[MAD_DATA])
{
	struct mad_port_info was, is;

	return mad_port_info_decode(topo_info(t, p), &was, NULL) == 0 &&
	       mad_port_info_decode(data, &is, NULL) == 0 &&
	       is.lid == was.lid && is.lmc == was.lmc && is.sm_sl == 0 &&
	       is.state == was.state && is.width_active == was.width_active &&
	       is.speed_active == was.speed_active && is.mtu == was.mtu;
}

static void
port_answered(void *cookie, uint64_t tag, const struct xact_result *res)
{
	struct take_over *o = cookie;
	struct take_over_port *p = &o->port[tag];
	const struct topo *t = o->view->topo;

	o->inflight--;
	if (res->outcome != XACT_OK) {
		note_difference(
			o, "no answer from port", t->port[p->port].guid);
		return;
	}
	memcpy(p->info, res->data, MAD_DATA);
	if (!is_port_alike(t, p->port, p->info))
		note_difference(
			o, "another state of port", t->port[p->port].guid);
}

static void
ask_switch(struct take_over *o, sw_ix s, struct mono now)
{
	const struct topo *t = o->view->topo;
	struct xact_request r;

	if (device_request_block(t, t->node[t->sw[s].node].first_port,
		    DEVICE_SWITCH_INFO, 0, &r) != 0)
		return;
	r.method = MAD_GET;
	r.once = o->sm->cfg->smp.timeout;
	o->inflight++;
	xact_submit(o->sm->x, &r, now, switch_answered, o, s);
}

/* Get, or Set with these data. */
static void
ask_port(struct take_over *o, size_t i, const uint8_t *data, struct mono now,
	xact_done *done)
{
	const struct topo *t = o->view->topo;
	struct xact_request r;

	if (device_request_block(t, o->port[i].port, DEVICE_PORT_INFO, 0, &r) !=
		0)
		return;
	r.method = data != NULL ? MAD_SET : MAD_GET;
	r.once = o->sm->cfg->smp.timeout;
	if (data != NULL)
		memcpy(r.data, data, MAD_DATA);
	o->inflight++;
	xact_submit(o->sm->x, &r, now, done, o, i);
}

static void
feed_questions(struct take_over *o, struct mono now)
{
	const struct topo *t = o->view->topo;

	while (o->next_switch < t->nsw && xact_room(o->sm->x))
		ask_switch(o, o->next_switch++, now);
	while (o->next_port < o->nports && xact_room(o->sm->x))
		ask_port(o, o->next_port++, NULL, now, port_answered);
}

/* ---- the SM LID ---- */

/* A port that did not take it is written by the run. */
static void
port_told(void *cookie, uint64_t tag, const struct xact_result *res)
{
	struct take_over *o = cookie;

	(void)tag;
	(void)res;
	o->inflight--;
}

/*
 * The port keeps all else that it answered just now. One that hides its M_Key
 * is left to the run: the key would be taken from it.
 */
static void
tell_port(struct take_over *o, size_t k, struct mono now)
{
	const struct topo *t = o->view->topo;
	struct mad_port_info i;
	uint8_t data[MAD_DATA];

	if (mad_port_info_decode(o->port[k].info, &i, NULL) != 0 ||
		(i.mkey == 0 && i.mkey_prot != 0))
		return;
	plan_no_change(&i);
	i.sm_lid = t->port[t->sm_port].lid;
	memcpy(data, o->port[k].info, sizeof(data));
	mad_port_info_encode(&i, data);
	ask_port(o, k, data, now, port_told);
}

static void
feed_sets(struct take_over *o, struct mono now)
{
	while (o->next_set < o->nports && xact_room(o->sm->x))
		tell_port(o, o->next_set++, now);
}

/* ---- the phase ---- */

static bool
may_serve(const struct sm *sm, struct mono now)
{
	const struct view *v = sm->standby.view;

	return v != NULL && v->unread == 0 && v->routes->report.ok &&
	       v->routes->layers.n == 1 && sm->cfg->qos.levels.n == 0 &&
	       v->topo->port[v->topo->sm_port].lid != 0 &&
	       !in_flight_expects_sets(sm, now);
}

bool
take_over_begin(struct sm *sm, struct mono now)
{
	struct view *v = sm->standby.view;
	struct take_over *o;

	if (!may_serve(sm, now))
		return false;
	o = mem_zalloc(1, sizeof(*o));
	o->sm = sm;
	o->view = view_ref(v);
	o->began = now;
	o->port = mem_zalloc(v->topo->nports, sizeof(*o->port));
	for (port_ix p = 0; p < v->topo->nports; p++)
		if (v->topo->port[p].lid != 0)
			o->port[o->nports++].port = p;
	sm->standby.take_over = o;
	topo_unref(sm->run.topo);
	sm->run.topo = topo_ref(v->topo);
	(void)master_begin(sm, now);
	phase_enter(sm, SM_CONFIRM, now);
	return true;
}

void
take_over_free(struct sm *sm)
{
	struct take_over *o = sm->standby.take_over;

	if (o == NULL)
		return;
	view_unref(o->view);
	free(o->port);
	free(o);
	sm->standby.take_over = NULL;
}

/* The fabric is read anew, whoever is master then. */
static void
read_anew(struct sm *sm, struct mono now)
{
	if (sm->standby.take_over != NULL)
		xact_cancel(sm->x, sm->standby.take_over, now);
	take_over_free(sm);
	topo_unref(sm->run.topo);
	sm->run.topo = NULL;
	timer_set(&sm->timers, TIMER_RUN, now);
	phase_enter(sm, SM_IDLE, now);
}

static void
serve_hosts(struct sm *sm, struct mono now)
{
	struct take_over *o = sm->standby.take_over;

	master_become(sm, now);
	sm->reign.elected = true;
	/* timers of a former reign */
	timer_stop(&sm->timers, TIMER_LIGHT);
	timer_stop(&sm->timers, TIMER_NAMES);
	timer_stop(&sm->timers, TIMER_CHECK);
	timer_stop(&sm->timers, TIMER_RETRY);
	run_sa_serve(sm, o->view, now);
	log_info("sm: hosts are served by what was read as a standby "
		 "ports=%zu ms=%.1f",
		o->nports, mono_seconds(mono_sub(now, o->began)) * 1e3);
	o->writing = true;
}

bool
take_over_step(struct sm *sm, struct mono now)
{
	struct take_over *o = sm->standby.take_over;

	if (!o->writing) {
		feed_questions(o, now);
		if (o->differs[0] != '\0') {
			log_info("sm: the fabric differs from what was read as "
				 "a standby: %s",
				o->differs);
			read_anew(sm, now);
			return true;
		}
		if (o->inflight > 0 || !master_elect(sm, now))
			return false;
		if (sm->role == SM_STANDING_BY) { /* outranked */
			take_over_free(sm);
			return true;
		}
		serve_hosts(sm, now);
	}
	feed_sets(o, now);
	if (o->inflight > 0)
		return false;
	read_anew(sm, now);
	return true;
}
