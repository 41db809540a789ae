#include "sm/what_if/inputs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "discovery/text/topo_text.h"
#include "routing/driver/registry.h"
#include "sm/base/file.h"
#include "sm/base/loop.h"
#include "sm/base/mem.h"
#include "sm/base/version.h"
#include "sm/ctl/client.h"
#include "sm/report/json_util.h"
#include "sm/report/problem.h"
#include "sm/what_if/routes_remap.h"

enum { PATIENCE_S = 60 };

/* ---- the daemon ---- */

static int
code_of(enum client_fault fault)
{
	return fault == CLIENT_UNREACHABLE ? EXIT_UNREACHABLE
	       : fault == CLIENT_FORBIDDEN ? EXIT_REFUSED
					   : EXIT_PROBLEM;
}

/* Say why the daemon refused. */
static void
explain_refusal(const json_t *reply, struct reason *why)
{
	if (strcmp(json_util_text(reply, "code"), "unknown-command") == 0)
		(void)reason_set(why,
			"the running heddled is older than this heddlectl %s "
			"and cannot give a snapshot; restart it after the "
			"upgrade, or plan from files",
			VERSION_TEXT);
	else
		(void)reason_set(
			why, "heddled: %s", json_util_text(reply, "error"));
}

json_t *
inputs_ask_daemon(
	const char *socket, bool tables, int *code, struct reason *why)
{
	struct mono until =
		mono_add(loop_now(), mono_ms((int64_t)PATIENCE_S * 1000));
	json_t *request, *reply, *result;
	enum client_fault fault;
	int fd = client_connect(socket, &fault, why);

	if (fd < 0) {
		*code = code_of(fault);
		return NULL;
	}
	request = json_util_object(M("cmd", "snapshot"), M("tables", tables));
	reply = client_ask(fd, request, until, &fault, why);
	json_decref(request);
	(void)close(fd);
	if (reply == NULL) {
		*code = code_of(fault);
		return NULL;
	}
	result = json_incref(json_object_get(reply, "result"));
	if (!json_is_object(result)) {
		*code = EXIT_USAGE;
		explain_refusal(reply, why);
		json_decref(result);
		result = NULL;
	}
	json_decref(reply);
	return result;
}

/* ---- the configuration ---- */

static int
take_config(
	struct inputs *in, const struct inputs_wanted *ask, struct reason *why)
{
	const char **set = mem_zalloc(ask->nset + 1, sizeof(*set));
	struct config *base;
	char engine[128];
	size_t n = 0;

	base = ask->base != NULL ? config_ref(ask->base)
	       : in->live	 ? config_ref(in->given.cfg)
				 : config_default(registry_modules());
	if (ask->engine != NULL) {
		(void)snprintf(engine, sizeof(engine), "routing.engines=[%s]",
			ask->engine);
		set[n++] = engine;
	}
	for (size_t i = 0; i < ask->nset; i++)
		set[n++] = ask->set[i];
	in->cfg = config_with(base, set, n, why);
	config_unref(base);
	free(set);
	return in->cfg != NULL ? 0 : -1;
}

/* ---- the fabric ---- */

/* Read all of a text file, "-" being standard input; the caller frees it. NULL
 * and why. */
static char *
read_text(const char *name, size_t *n, struct reason *why)
{
	bool in = strcmp(name, "-") == 0;
	int fd = in ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
	char *text = NULL;
	ssize_t got = fd < 0 ? -1 : file_read_text(fd, &text);

	if (got < 0 && errno == EILSEQ)
		(void)reason_set(why, "%s: is not text", name);
	else if (got < 0)
		(void)reason_set(
			why, "%s: cannot be read: %s", name, strerror(errno));
	if (fd >= 0 && !in)
		(void)close(fd);
	if (got == 0) {
		(void)reason_set(why, "%s: is empty", name);
		free(text);
		text = NULL;
	}
	*n = got > 0 ? (size_t)got : 0;
	return text;
}

/* The fabric, from a file or from the daemon, without LIDs yet. */
static int
read_topology(
	struct inputs *in, const struct inputs_wanted *ask, struct reason *why)
{
	char *text;
	size_t n;
	int rc;

	if (ask->topology == NULL) {
		in->bare = (struct builder_components){
			.topo = mem_zalloc(1, sizeof(struct topo *)), .n = 1};
		in->bare.topo[0] = topo_ref(in->given.topo);
		return 0;
	}
	text = read_text(ask->topology, &n, why);
	if (text == NULL)
		return -1;
	rc = topo_text_parse_pieces(
		text, n, ask->topology, ask->vl_cap, &in->bare, why);
	free(text);
	return rc;
}

/* The LIDs of the tables in force, if the topology has none. */
static struct lid_record *
lids_of_tables(const struct topo *t, const struct fts *f, size_t *n)
{
	struct lid_record *r;

	*n = 0;
	for (port_ix p = 0; p < t->nports; p++)
		if (t->port[p].found_lid != 0)
			return NULL;
	r = mem_zalloc(f->nowners, sizeof(*r));
	for (size_t i = 0; i < f->nowners; i++)
		r[(*n)++] = (struct lid_record){
			.guid = f->owner[i].port_guid, .lid = f->owner[i].lid};
	return r;
}

/*
 * Tables in a file do not tell the switch order that they were made in: the
 * order that these switches would be given now is the best guess.
 */
static void
guess_order(struct inputs *in, const struct forecast_job *job)
{
	struct forecast fresh;

	forecast_tell(job, "routing afresh, for the order");
	forecast_route(job, in->topo, NULL, &fresh);
	if (fresh.routes != NULL) {
		in->found->order = fresh.routes->order;
		memcpy(in->found->rank, fresh.routes->rank,
			in->topo->nsw * sizeof(*in->found->rank));
	}
	forecast_free(&fresh);
}

static int
read_tables(const struct inputs *in, const struct inputs_wanted *ask,
	struct fts **out, struct reason *why)
{
	char *text;
	size_t n;

	if (ask->from == NULL || in->live)
		return 0;
	text = read_text(ask->from, &n, why);
	if (text == NULL)
		return -1;
	*out = fts_parse(text, n, ask->from, why);
	free(text);
	return *out != NULL ? 0 : -1;
}

static int
give_lids(struct inputs *in, const struct forecast_job *job,
	const struct fts *fts, struct reason *why)
{
	struct lid_record *r = NULL;
	size_t n = 0;

	if (in->live)
		in->topo = forecast_lids(job, in->bare.topo[0], in->given.lid,
			in->given.state.nlid, &in->lids, why);
	else if (fts != NULL)
		r = lids_of_tables(in->bare.topo[0], fts, &n);
	if (!in->live)
		in->topo = forecast_lids(
			job, in->bare.topo[0], r, n, &in->lids, why);
	free(r);
	return in->topo != NULL ? 0 : -1;
}

/* The tables in force, on the topology of the plan. */
static void
take_tables(struct inputs *in, const struct forecast_job *job,
	const struct fts *fts)
{
	const struct routes *r = in->given.routes;

	if (in->live && in->topo->hash == r->topo->hash &&
		in->topo->max_lid == r->topo->max_lid) {
		in->found = routes_for(r, in->topo);
	} else if (in->live) {
		in->found = routes_remap(r, in->topo, &in->misfit);
		in->same = false;
	} else if (fts != NULL) {
		in->found = fts_routes(fts, in->topo, job->pool, &in->misfit);
		guess_order(in, job);
	}
	/* a take-over keeps entries by LID, not by port */
	in->prev = in->live && in->given.standby == NULL
			   ? routes_ref(in->given.routes)
			   : routes_ref(in->found);
}

static int
take_fabric(struct inputs *in, const struct inputs_wanted *ask,
	const struct forecast_job *job, struct reason *why)
{
	struct fts *fts = NULL;
	int rc;

	forecast_tell(job, "reading the fabric");
	rc = read_tables(in, ask, &fts, why);
	if (rc == 0)
		rc = read_topology(in, ask, why);
	if (rc == 0)
		rc = give_lids(in, job, fts, why);
	if (rc == 0)
		take_tables(in, job, fts);
	fts_free(fts);
	return rc;
}

int
inputs_read(struct inputs *in, const struct inputs_wanted *ask,
	struct forecast_job *job, struct reason *why)
{
	*in = (struct inputs){.live = ask->snapshot != NULL};
	in->same = in->live && ask->base == NULL && ask->engine == NULL &&
		   ask->nset == 0;
	if (in->live &&
		snapshot_read(ask->snapshot, job->pool, &in->given, why) != 0)
		return -1;
	/* a take-over routes anew: the tables are those of another manager */
	in->same &= in->given.standby == NULL;
	if (take_config(in, ask, why) != 0)
		return -1;
	job->cfg = in->cfg;
	job->given = in->live ? &in->given : NULL;
	return take_fabric(in, ask, job, why);
}

void
inputs_free(struct inputs *in)
{
	builder_components_free(&in->bare);
	routes_unref(in->found);
	routes_unref(in->prev);
	lid_table_free(&in->lids);
	topo_unref(in->topo);
	snapshot_read_free(&in->given);
	config_unref(in->cfg);
}
