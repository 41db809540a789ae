#include "sm/core/in_force.h"

#include <stdlib.h>
#include <string.h>

#include "routing/driver/registry.h"
#include "sm/base/mem.h"
#include "sm/core/sm_priv.h"
#include "sm/policy/config_loss.h"
#include "sm/policy/jobs.h"

void
in_force_take(struct sm *sm, struct config *c)
{
	config_unref(sm->cfg);
	sm->cfg = config_ref(c);
	wire_configure(sm);
	run_sa_configure(sm);
}

int
in_force_judge(const struct sm *sm, struct config *was, struct config *is,
	struct topo *t, struct reason *why)
{
	const struct config_loss_ask ask = {.was = was,
		.is = is,
		.topo = t,
		.pins = sm->names.pins,
		.record = sm->kept.record,
		.nrecord = sm->kept.nrecord};
	struct config_loss loss;
	struct buf text = {0};
	bool refused;

	if (config_loss_judge(&ask, &loss, why) != 0)
		return -1;
	if (loss.affected == 0)
		return 0;
	config_loss_text(&loss, is, t, "; ", &text);
	refused = config_loss_refused(&loss, is);
	if (refused)
		(void)reason_set(why,
			"%s. fabric.accept_loss is %u: %u or more accepts that",
			text.text, is->fabric.accept_loss, loss.affected);
	else
		log_warn(
			"config: %s, as fabric.accept_loss permits", text.text);
	buf_free(&text);
	return refused ? -1 : 0;
}

/* ---- over a restart ---- */

void
in_force_forget(struct sm *sm)
{
	config_unref(sm->in_force.was);
	buf_free(&sm->in_force.text);
	sm->in_force = (struct in_force){0};
}

void
in_force_load(struct sm *sm, const struct state_file *s)
{
	struct in_force *f = &sm->in_force;
	struct diag_list bad;
	struct buf said = {0};

	if (s->config == NULL)
		return;
	f->was = config_parse("the configuration in the state file", s->config,
		strlen(s->config), registry_modules(), &bad);
	if (f->was != NULL) {
		buf_printf(&f->text, "%s", s->config);
	} else {
		diag_text(&bad, &said);
		log_warn("config: what was in force before the start is not "
			 "understood, and what this configuration takes from "
			 "ports is not judged: %.*s",
			(int)strcspn(said.text, "\n"), said.text);
		buf_free(&said);
	}
	diag_free(&bad);
}

const char *
in_force_text(struct sm *sm)
{
	struct in_force *f = &sm->in_force;

	if (f->was == NULL && f->of != sm->cfg) {
		buf_free(&f->text);
		config_publish(sm->cfg, &f->text);
		f->of = sm->cfg;
	}
	return f->text.text;
}

bool
in_force_by_name(const struct sm *sm)
{
	return sm->in_force.was != NULL && pkeys_by_name(sm->in_force.was);
}

/* True if more than secrets and live options differ. */
static bool
is_changed(const struct config *was, const struct config *is)
{
	struct config_changes ch;
	bool any = false;

	config_diff(was, is, &ch);
	for (size_t i = 0; i < ch.n; i++)
		any |= (ch.item[i].reload == SCHEMA_REROUTE ||
			       ch.item[i].reload == SCHEMA_RESWEEP) &&
		       !ch.item[i].secret;
	config_changes_free(&ch);
	return any;
}

static int
compare_records(const void *key, const void *item)
{
	uint64_t a = *(const uint64_t *)key,
		 b = ((const struct lid_record *)item)->guid;

	return a < b ? -1 : a > b;
}

/* The topology with the LIDs that ports have under was: none where a port
 * neither holds one nor is on record. NULL: not all can have one. */
static struct topo *
give_lids(const struct sm *sm, const struct config *was)
{
	const struct jobs_lid_records known = {
		sm->kept.record, sm->kept.nrecord, false};
	const struct topo *bare = sm->run.topo;
	struct lid_table l;
	struct reason why;
	struct topo *t;

	if (jobs_lids(was, bare, &known, &l, &why) != 0)
		return NULL;
	for (port_ix p = 0; p < bare->nports; p++)
		if (bare->port[p].found_lid == 0 &&
			bsearch(&bare->port[p].guid, sm->kept.record,
				sm->kept.nrecord, sizeof(*sm->kept.record),
				compare_records) == NULL)
			l.lid[p] = l.lmc[p] = 0;
	t = topo_with_lids(bare, &(struct topo_lids){l.lid, l.lmc});
	lid_table_free(&l);
	return t;
}

/* The new configuration takes too much: what was in force stays so. */
static void
keep_in_force(struct sm *sm, const struct config *was, const char *loss)
{
	struct reason why;
	struct config *c = config_keep(was, sm->cfg, &why);

	if (c == NULL) {
		log_error("config: %s. But what was in force before the start "
			  "cannot be kept: %s",
			loss, why.text);
		return;
	}
	log_error("config: the file is refused, what was in force before the "
		  "start stays in force: %s",
		loss);
	in_force_take(sm, c);
	sm->ops->kept(sm->ops->cookie, c, loss);
	config_unref(c);
}

void
in_force_settle(struct sm *sm, bool outdated)
{
	struct config *was = sm->in_force.was;
	struct reason why;
	struct topo *t;

	if (was == NULL)
		return;
	sm->in_force.was = NULL;
	t = is_changed(was, sm->cfg) ? give_lids(sm, was) : NULL;
	if (t != NULL && in_force_judge(sm, was, sm->cfg, t, &why) != 0) {
		if (outdated)
			log_warn("config: taken, since another manager has "
				 "reigned, but compared with what was in force "
				 "under this one: %s",
				why.text);
		else
			keep_in_force(sm, was, why.text);
	}
	topo_unref(t);
	config_unref(was);
}
