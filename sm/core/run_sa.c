#include "sm/core/run_sa.h"

#include <stdlib.h>
#include <string.h>

#include "distribution/device/device_request.h"
#include "distribution/tables/guid_table.h"
#include "distribution/tables/port_settings.h"
#include "sm/base/be.h"
#include "sm/base/mem.h"
#include "sm/core/sm_priv.h"

static struct sa_params
params_of(const struct sm *sm)
{
	const struct config *c = sm->cfg;

	return (struct sa_params){
		.prefix = c->fabric.subnet_prefix,
		.sa_key = c->sa.key,
		.packet_life = (uint8_t)c->link.subnet_timeout,
		.rate = c->sa.requests_per_second,
		.burst = c->sa.request_burst,
		.services = c->sa.services_per_port,
		.subscribers = c->sa.subscriptions_per_port,
		.groups = c->sa.groups_per_port,
		.table_mib = c->sa.table_mib,
	};
}

/* The worker owns the pool of tables while it runs: views wait for its end. */
static void
release_view(void *cookie, struct view *v)
{
	struct sm *sm = cookie;

	if (sm->worker.work == NULL) {
		view_unref(v);
		return;
	}
	sm->worker.pending = mem_grow(sm->worker.pending, sm->worker.npending,
		&sm->worker.cap, sizeof(*sm->worker.pending));
	sm->worker.pending[sm->worker.npending++].view = v;
}

void
run_sa_release_views(struct sm *sm)
{
	while (sm->worker.npending > 0)
		view_unref(sm->worker.pending[--sm->worker.npending].view);
}

static bool
manager_info(void *cookie, size_t n, struct sa_manager *out)
{
	const struct sm *sm = cookie;
	const struct topo *t;
	const struct sm_peer *p;

	if (phase_view(sm) == NULL || n > sm->peers.n)
		return false;
	t = phase_view(sm)->topo;
	if (n == 0) {
		*out = (struct sa_manager){
			.port = t->sm_port,
			.info = {.guid = sm->port_guid,
				.act_count = (uint32_t)(sm->now.ns / 1000000),
				.priority = (uint8_t)sm->cfg->fabric.priority,
				.state = SMI_MASTER},
		};
		return true;
	}
	p = &sm->peers.list[n - 1];
	*out = (struct sa_manager){
		.port = p->id.answers ? topo_by_port_guid(t, p->id.guid)
				      : TOPO_NONE,
		.info = {.guid = p->id.guid,
			.act_count = p->act_count,
			.priority = p->id.priority,
			.state = p->id.state},
	};
	return true;
}

static void
aliases_changed(void *cookie)
{
	struct sm *sm = cookie;

	dirty_mark_replan(sm, sm->now, DIRTY_GUIDS, NULL);
}

/* Blocks without an alias are left alone, but where one was written before. */
struct plan_block *
run_sa_blocks(const struct sm *sm, const struct topo *t, size_t *n)
{
	struct sa_alias_block *a;
	size_t most = sa_aliases(sm->hosts.sa, t, &a);
	struct plan_block *out = mem_zalloc(most, sizeof(*out));

	*n = 0;
	for (size_t i = 0; i < most; i++) {
		const struct topo_port *p = &t->port[a[i].port];
		uint64_t any = 0;

		for (size_t k = a[i].block == 0; k < GUID_TABLE_BLOCK; k++)
			any |= a[i].guid[k];
		if (any == 0 && device_bytes(sm->hw,
					device_at_guids(t->node[p->node].guid,
						p->num, a[i].block)) == NULL)
			continue;
		out[*n] = (struct plan_block){
			a[i].port, DEVICE_GUIDS, a[i].block, {0}};
		guid_table_lay(a[i].guid, out[(*n)++].want);
	}
	free(a);
	return out;
}

static void
regroup_mlid(void *cookie, uint16_t mlid)
{
	struct sm *sm = cookie;

	run_mcast_regroup(sm, mlid, sm->now);
}

static bool
mft_cell_of(void *cookie, uint64_t guid, unsigned block, unsigned pos,
	uint8_t out[64])
{
	return run_mcast_cell(cookie, guid, block, pos, out);
}

static void
give_prefix_routes(struct sm *sm)
{
	const struct schema_records *all = &sm->cfg->sa.prefix_routes;
	const struct config_prefix_route *r = all->record;
	size_t n = 0;
	struct sa_far *f;

	for (size_t i = 0; i < all->n; i++)
		n += r[i].routers.n;
	f = mem_zalloc(n, sizeof(*f));
	n = 0;
	for (size_t i = 0; i < all->n; i++)
		for (size_t k = 0; k < r[i].routers.n; k++)
			f[n++] = (struct sa_far){
				r[i].prefix, r[i].routers.guid[k]};
	sa_prefix_routes(sm->hosts.sa, f, n);
	free(f);
}

void
run_sa_new(struct sm *sm)
{
	const struct sa_params p = params_of(sm);

	sm->hosts.ops = (struct sa_ops){
		.cookie = sm,
		.release = release_view,
		.manager = manager_info,
		.aliases_changed = aliases_changed,
		.regroup = regroup_mlid,
		.mft = mft_cell_of,
	};
	sm->hosts.sa = sa_new(sm->t, &sm->hosts.ops, &p);
	give_prefix_routes(sm);
}

void
run_sa_load(struct sm *sm, const struct state_file *s)
{
	sm->hosts.kept = s->sa != NULL ? mem_strdup(s->sa) : NULL;
	sm->hosts.away = s->away;
}

void
run_sa_start(struct sm *sm, struct mono now)
{
	size_t bad =
		sa_restore(sm->hosts.sa, sm->hosts.kept, sm->hosts.away, now);

	if (bad > 0)
		log_warn("sa: invalid registrations in the state file, ignored "
			 "n=%zu",
			bad);
	free(sm->hosts.kept);
	sm->hosts.kept = NULL;
	sm->now = now;
}

void
run_sa_free(struct sm *sm)
{
	sa_free(sm->hosts.sa);
	free(sm->hosts.kept);
	run_sa_release_views(sm);
	map_free(&sm->hosts.rereg);
	free(sm->worker.pending);
}

void
run_sa_configure(struct sm *sm)
{
	const struct sa_params p = params_of(sm);

	sa_configure(sm->hosts.sa, &p);
	give_prefix_routes(sm);
	group_keep_configure(sm);
}

/*
 * Only the master answers (IBA C15-0.1.3). A status would be final for a host;
 * after silence it asks again, and its port may know the master's LID by then.
 */
void
run_sa_message(struct sm *sm, const struct transport_msg *m, struct mono now)
{
	sm->now = now;
	if (sm->role == SM_MASTER)
		sa_receive(sm->hosts.sa, m, now);
	else
		sa_ignore(sm->hosts.sa, m);
}

struct mono
run_sa_next(const struct sm *sm)
{
	return sa_next(sm->hosts.sa);
}

void
run_sa_publish(struct sm *sm, struct mono now)
{
	sm->now = now;
	if (sm->hosts.view != sm->view || sa_is_paused(sm->hosts.sa)) {
		sa_commit(sm->hosts.sa, sm->view);
		run_mcast_publish(sm, now);
	}
	sm->hosts.view = sm->view;
}

void
run_sa_serve(struct sm *sm, struct view *v, struct mono now)
{
	sm->now = now;
	sa_commit(sm->hosts.sa, v);
	sm->hosts.view = v;
}

/* ---- hosts that must register anew ---- */

/* A port that is up answered with other settings than the view has: the request
 * to register repeated old ones after others were written, or it lost them. */
static void
compare_settings(struct sm *sm, uint64_t guid, const struct xact_result *res)
{
	struct mad_port_info is, was;
	port_ix p;

	if (sm->view == NULL || sm->role != SM_MASTER)
		return;
	p = topo_by_port_guid(sm->view->topo, guid);
	if (p == TOPO_NONE || mad_port_info_decode(res->data, &is, NULL) != 0 ||
		mad_port_info_decode(
			topo_info(sm->view->topo, p), &was, NULL) != 0 ||
		is.state < PORT_ARMED || was.state < PORT_ARMED)
		return;
	if (port_settings_needed(port_settings_lacks(sm->view->topo, p, 0,
		    res->data, topo_info(sm->view->topo, p))) != 0)
		drift_port_disobeys(sm, p, DEVICE_PORT_INFO, res->now);
}

static void
take_rereg_answer(void *cookie, uint64_t tag, const struct xact_result *res)
{
	struct sm *sm = cookie;

	/* asked again after the next run */
	if (res->outcome == XACT_TIMEOUT)
		(void)map_del(&sm->hosts.rereg, tag);
	else if (res->outcome == XACT_OK)
		compare_settings(sm, tag, res);
}

/* Set nothing but the request to register: all else as the port has it. */
static void
ask_reregister(struct sm *sm, port_ix port, struct mono now)
{
	const struct topo *t = sm->view->topo;
	const struct topo_port *p = &t->port[port];
	struct mad_port_info i;
	struct xact_request r;

	if (mad_port_info_decode(topo_info(t, port), &i, NULL) != 0 ||
		device_request_block(t, port, DEVICE_PORT_INFO, 0, &r) != 0)
		return;
	r.method = MAD_SET;
	plan_no_change(&i);
	i.mkey = sm->cfg->fabric.m_key;
	i.client_rereg = true;
	mad_port_info_encode(&i, r.data);
	xact_submit(sm->x, &r, now, take_rereg_answer, sm, p->guid);
}

/* True if an Active host port is there that can register anew. */
static bool
can_reregister(const struct topo *t, port_ix p)
{
	const struct topo_port *port = &t->port[p];

	return topo_has_lid(t, p) && port->lid != 0 &&
	       port->state == PORT_ACTIVE &&
	       t->node[port->node].type != TOPO_SWITCH &&
	       (port->capmask & MAD_CAP_CLIENT_REREG) != 0;
}

/* Ask further hosts, as transactions have room. */
static void
ask_further(struct sm *sm, struct mono now)
{
	const struct topo *t = sm->hosts.rereg.n > 0 ? sm->view->topo : NULL;

	while (t != NULL && sm->hosts.rereg_next < t->nports &&
		xact_room(sm->x)) {
		port_ix p = sm->hosts.rereg_next++;
		uint32_t state;

		if (!can_reregister(t, p) ||
			!map_get(&sm->hosts.rereg, t->port[p].guid, &state) ||
			state != SM_TO_TELL)
			continue;
		map_put(&sm->hosts.rereg, t->port[p].guid, SM_TOLD);
		ask_reregister(sm, p, now);
	}
}

/*
 * Services, subscriptions and memberships are known to the SA alone: a host
 * that is new, and every host when we became master, is asked to register them
 * anew (IBA 14.4.11). Once, and when the SA can answer; the window of
 * transactions paces it. A host that could not be asked before the view changed
 * is asked after the next run.
 */
void
run_sa_reregister(struct sm *sm, struct mono now)
{
	const struct topo *t = sm->view->topo;
	struct map told = {0};

	for (port_ix p = 0; p < t->nports; p++) {
		uint32_t state = SM_TO_TELL;

		if (!can_reregister(t, p))
			continue;
		(void)map_get(&sm->hosts.rereg, t->port[p].guid, &state);
		map_put(&told, t->port[p].guid, state);
	}
	map_free(&sm->hosts.rereg);
	sm->hosts.rereg = told;
	sm->hosts.rereg_next = 0;
	ask_further(sm, now);
}

void
run_sa_step(struct sm *sm, struct mono now)
{
	if (!mono_before(now, sa_next(sm->hosts.sa)))
		sa_tick(sm->hosts.sa, now);
	ask_further(sm, now);
}

void
run_sa_lost(struct sm *sm, struct mono now)
{
	sa_suspend(sm->hosts.sa, now);
	run_mcast_lost(sm);
	map_free(&sm->hosts.rereg);
	sm->hosts.view = NULL;
}
