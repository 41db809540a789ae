#include "sm/what_if/plan_verdict.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "sm/base/buf.h"
#include "sm/base/mem.h"
#include "sm/report/fabric_counts.h"
#include "sm/report/json_util.h"
#include "sm/report/names.h"
#include "sm/view/drains.h"

enum { LISTED = 50, NAMED = 5 };

void
plan_verdict_add(json_t *verdict, const char *kind, uint64_t count,
	const char *text, json_t *list)
{
	json_t *o = json_object(), *losses = json_object_get(verdict, "losses");
	struct buf all = {0}, line = {0};
	const json_t *e;
	size_t i;

	buf_printf(&all, "%s", text);
	json_array_foreach(list, i, e)
	{
		if (i < NAMED)
			buf_printf(&all, "%s%s", i == 0 ? ": " : ", ",
				json_string_value(e));
	}
	if (json_array_size(list) > 0 && count > NAMED)
		buf_printf(&all, ", ...");
	json_util_put(o, M("kind", kind), M("count", count),
		M("text", names_text(all.text)), M("list", list));
	if (json_array_size(losses) == 0) {
		buf_printf(&line, "UNSAFE: %s", all.text);
		json_util_put(verdict, M("safe", json_false()),
			M("text", names_text(line.text)));
	}
	json_util_add(losses, o);
	buf_free(&all);
	buf_free(&line);
}

/* ---- routes ---- */

/* The routes of a component that do not verify. */
static void
judge_routes(json_t *v, const struct forecast *f)
{
	const struct verify_report *r = &f->report;
	char text[640];

	if (r->ok)
		return;
	if (f->routes == NULL)
		(void)snprintf(text, sizeof(text), "no routes: %s", f->why);
	else
		(void)snprintf(text, sizeof(text),
			"routes fail verification: %" PRIu64
			" pairs (switch, LID) do not arrive, %" PRIu64
			" loop, %" PRIu32 " cyclic channel%s",
			r->unreachable, r->loops, r->cyclic_channels,
			names_plural(r->cyclic_channels));
	plan_verdict_add(
		v, "routes", r->unreachable + r->loops, text, json_array());
}

/* ---- hosts that are apart afterwards ---- */

/* The component with the most hosts afterwards; of equals the daemon's. */
static const struct topo *
largest_piece(const struct what_if *w)
{
	const struct topo *best = w->then.topo;
	uint64_t most = fabric_counts_of(best).hosts;

	for (size_t i = 0; i < w->after.n; i++) {
		uint64_t n = fabric_counts_of(w->after.piece[i].topo).hosts;

		if (n > most) {
			most = n;
			best = w->after.piece[i].topo;
		}
	}
	return best;
}

/* Hosts that are left, but not with most of the others. */
static void
judge_hosts(json_t *v, const struct plan_verdict_ask *ask)
{
	const struct topo *was = ask->topo, *is = largest_piece(ask->what);
	bool *gone = mem_zalloc(was->nnodes, sizeof(*gone));
	json_t *list = json_array();
	uint64_t n = 0;
	char text[96];

	for (size_t i = 0; i < ask->nfail; i++)
		gone[ask->fail[i].node] |=
			ask->fail[i].port == 0 && !ask->fail[i].drained;
	for (node_ix i = 0; i < was->nnodes; i++)
		if (fabric_counts_is_host(was, i) && !gone[i] &&
			topo_by_node_guid(is, was->node[i].guid) == TOPO_NONE &&
			n++ < LISTED)
			json_util_add(list, names_node_desc(was, i));
	free(gone);
	(void)snprintf(text, sizeof(text), "%" PRIu64 " host%s the fabric", n,
		n == 1 ? " loses" : "s lose");
	if (n > 0)
		plan_verdict_add(v, "hosts", n, text, list);
	else
		json_decref(list);
}

static void
judge_pairs(json_t *v, const struct plan_verdict_ask *ask)
{
	char text[128];

	if (ask->cut > 0) {
		(void)snprintf(text, sizeof(text),
			"%" PRIu64 " pairs of hosts have no path any more",
			ask->cut);
		plan_verdict_add(v, "cut", ask->cut, text, json_array());
	}
	if (ask->disconnected > 0) {
		(void)snprintf(text, sizeof(text),
			"%" PRIu64 " pairs of hosts are in different pieces "
			"afterwards",
			ask->disconnected);
		plan_verdict_add(
			v, "parted", ask->disconnected, text, json_array());
	}
}

/* The hosts that are cut off when all that is drained is pulled. */
static void
judge_pulled(json_t *v, const struct topo *t, const struct drain *d, size_t n)
{
	bool *cut = mem_zalloc(t->nports, sizeof(*cut));
	uint32_t ports = drains_cut_off(t, d, n, cut);
	json_t *list = json_array();
	char text[96];

	for (port_ix p = 0; p < t->nports; p++)
		if (cut[p] && json_array_size(list) < LISTED)
			json_util_add(
				list, names_node_desc(t, t->port[p].node));
	free(cut);
	(void)snprintf(text, sizeof(text),
		"%u host port%s cut off when what is drained is pulled", ports,
		ports == 1 ? " is" : "s are");
	if (ports > 0)
		plan_verdict_add(v, "pulled", ports, text, list);
	else
		json_decref(list);
}

/* What is drained and has routes nevertheless, since nothing else connects. */
static void
judge_used(
	json_t *v, const struct forecast *then, const struct drain *d, size_t n)
{
	json_t *list = json_array();
	struct drain_use use;
	uint64_t used = 0;

	for (size_t i = 0; i < n && then->routes != NULL; i++) {
		node_ix node = topo_by_node_guid(then->topo, d[i].guid);

		drains_use(&d[i], then->routes, NULL, 0, &use);
		if (use.entries > 0 && used++ < LISTED)
			json_util_add(list, names_node_desc(then->topo, node));
	}
	if (used > 0)
		plan_verdict_add(v, "drains", used,
			"what is drained is used, since nothing else connects",
			list);
	else
		json_decref(list);
}

static void
judge_drains(json_t *v, const struct plan_verdict_ask *ask)
{
	const struct topo *t = ask->topo;
	struct drain *d = mem_zalloc(ask->nfail, sizeof(*d));
	size_t n = 0;

	for (size_t i = 0; i < ask->nfail; i++)
		if (ask->fail[i].drained)
			d[n++] = (struct drain){
				.guid = t->node[ask->fail[i].node].guid,
				.port = (uint8_t)ask->fail[i].port};
	if (n > 0) {
		judge_pulled(v, t, d, n);
		judge_used(v, &ask->what->then, d, n);
	}
	free(d);
}

json_t *
plan_verdict_make(const struct plan_verdict_ask *ask)
{
	const struct what_if *w = ask->what;
	bool then = w->then.topo != NULL;
	const struct what_if_others *o =
		then && ask->nfail > 0 ? &w->after : &w->beside;
	json_t *v = json_object();

	json_util_put(v, M("safe", json_true()),
		M("text", then ? "SAFE: no host loses anything"
			       : "SAFE: the routes verify"),
		M("losses", json_array()));
	if (then && ask->nfail > 0)
		judge_hosts(v, ask);
	if (then)
		judge_drains(v, ask);
	if (w->cut_off)
		plan_verdict_add(v, "manager", 1,
			"heddled's own port is cut off, and the fabric has no "
			"manager",
			json_array());
	if (then)
		judge_pairs(v, ask);
	judge_routes(v, then ? &w->then : &w->now);
	for (size_t i = 0; i < o->n; i++)
		judge_routes(v, &o->piece[i]);
	return v;
}
