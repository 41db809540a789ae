#include "sm/what_if/plan_verdict.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "sm/base/buf.h"
#include "sm/base/mem.h"
#include "sm/report/fabric_counts.h"
#include "sm/report/json_util.h"
#include "sm/report/names.h"

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
	json_util_put(o, "kind", json_string(kind));
	json_util_put(o, "count", json_util_u64(count));
	json_util_put(o, "text", names_text(all.text));
	json_util_put(o, "list", list);
	if (json_array_size(losses) == 0) {
		buf_printf(&line, "UNSAFE: %s", all.text);
		json_util_put(verdict, "safe", json_false());
		json_util_put(verdict, "text", names_text(line.text));
	}
	(void)json_array_append_new(losses, o);
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
		gone[ask->fail[i].node] |= ask->fail[i].port == 0;
	for (node_ix i = 0; i < was->nnodes; i++)
		if (fabric_counts_is_host(was, i) && !gone[i] &&
			topo_by_node_guid(is, was->node[i].guid) == TOPO_NONE &&
			n++ < LISTED)
			(void)json_array_append_new(
				list, names_node_desc(was, i));
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

json_t *
plan_verdict_make(const struct plan_verdict_ask *ask)
{
	const struct what_if *w = ask->what;
	bool then = w->then.topo != NULL;
	const struct what_if_others *o =
		then && ask->nfail > 0 ? &w->after : &w->beside;
	json_t *v = json_object();

	json_util_put(v, "safe", json_true());
	json_util_put(v, "text",
		json_string(then ? "SAFE: no host loses anything"
				 : "SAFE: the routes verify"));
	json_util_put(v, "losses", json_array());
	if (then && ask->nfail > 0)
		judge_hosts(v, ask);
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
