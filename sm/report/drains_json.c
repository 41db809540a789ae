#include "sm/report/drains_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "sm/mad/port_values.h"
#include "sm/report/json_util.h"
#include "sm/report/names.h"
#include "sm/report/page.h"
#include "sm/report/port_find.h"
#include "sm/report/show.h"
#include "sm/report/standby_json.h"
#include "sm/report/watch_json.h"

/* ---- one drain ---- */

enum state { PENDING, CLEAR, USED, ABSENT, STATES };

static const char *const state_names[STATES] = {
	"pending", "clear", "used", "absent"};

static enum state
state_of(const struct drains_facts *f, const struct drain *d,
	struct drain_use *use)
{
	drains_use(d, f->view->routes, f->tree, LID_MULTICAST_COUNT, use);
	if (f->view->read_only || f->view->generation < d->generation)
		return PENDING;
	if (!use->there || !use->linked)
		return ABSENT;
	return use->entries > 0 || use->trees > 0 ? USED : CLEAR;
}

/* The other end of a drained link, or null. */
static json_t *
peer_json(const struct topo *t, const struct drain *d)
{
	node_ix n = topo_by_node_guid(t, d->guid);
	const struct topo_port *peer;

	if (d->port == 0 || n == TOPO_NONE || d->port > t->node[n].nports ||
		t->port[topo_port_of(t, n, d->port)].peer == TOPO_NONE)
		return json_null();
	peer = &t->port[t->port[topo_port_of(t, n, d->port)].peer];
	return json_util_object(M("guid", names_guid(t->node[peer->node].guid)),
		M("name", names_node_desc(t, peer->node)),
		M("port", peer->num));
}

/* What is known of a link that is drained for its health, or null. */
static json_t *
watch_of(const struct drains_facts *f, const struct drain *d)
{
	const struct topo *t = f->view->topo;
	node_ix n = topo_by_node_guid(t, d->guid);
	port_ix p;

	if (!drains_is_of_health(d) || n == TOPO_NONE ||
		d->port > t->node[n].nports)
		return json_null();
	p = topo_port_of(t, n, d->port);
	return t->port[p].peer == TOPO_NONE
		       ? json_null()
		       : watch_json(watch_json_find(f->watches, t, p));
}

/* Host ports that are cut off when it is pulled; there are some only where it
 * was forced. */
static uint32_t
cut_off_by(const struct topo *t, const struct drain *d)
{
	bool *cut;
	uint32_t n;

	if (!d->forced)
		return 0;
	cut = mem_zalloc(t->nports, sizeof(*cut));
	n = drains_cut_off(t, d, 1, cut);
	free(cut);
	return n;
}

json_t *
drains_json_one(const struct drains_facts *f, const struct drain *d)
{
	const struct topo *t = f->view->topo;
	node_ix n = topo_by_node_guid(t, d->guid), from;
	struct drain_use use;
	enum state state = state_of(f, d, &use);
	json_t *o = json_util_object(M("guid", names_guid(d->guid)),
		M("name", n != TOPO_NONE ? names_node_desc(t, n)
					 : names_text(d->name)),
		M("port", d->port), M("peer", peer_json(t, d)),
		M("state", state_names[state]), M("entries", use.entries),
		M("trees", use.trees));

	from = topo_by_node_guid(t, use.from);
	if (use.entries > 0 && from != TOPO_NONE)
		json_util_put(o, M("from", names_node_desc(t, from)),
			M("lid", use.lid));
	json_util_put(o, M("by", names_text(d->by)),
		M("reason", names_text(d->reason)), M("forced", d->forced),
		M("cut_off", cut_off_by(t, d)), M("generation", d->generation),
		M("age", mono_seconds(mono_sub(f->now, d->since))),
		M("left", d->until.ns == MONO_NEVER.ns
				  ? json_null()
				  : json_real(mono_seconds(
					    mono_sub(d->until, f->now)))),
		M("watch", watch_of(f, d)));
	return o;
}

/* ---- all of them ---- */

json_t *
drains_json(const struct drains_facts *f)
{
	json_t *list = json_array(), *o;

	for (size_t i = 0; i < f->drains->n; i++)
		json_util_add(list, drains_json_one(f, &f->drains->list[i]));
	o = json_util_object(M("drains", list),
		M("kept", watch_json_kept(f->watches, f->view->topo)));
	standby_json_put(o, f->view);
	return o;
}

json_t *
drains_counts_json(const struct drains_facts *f)
{
	json_t *o = json_util_object(M("all", f->drains->n));
	uint64_t n[STATES] = {0};
	struct drain_use use;

	for (size_t i = 0; i < f->drains->n && f->view != NULL; i++)
		n[state_of(f, &f->drains->list[i], &use)]++;
	for (unsigned i = 0; i < STATES; i++)
		json_util_put(o, M(state_names[i], n[i]));
	return o;
}

/* Whether it is text, as it was written down. */
static bool
is_named(const struct drain *d, const char *text)
{
	char port[8] = "", name[DRAIN_NAME + 8], guid[32];

	if (d->port != 0)
		(void)snprintf(port, sizeof(port), "/%u", d->port);
	(void)snprintf(name, sizeof(name), "%s%s", d->name, port);
	(void)snprintf(guid, sizeof(guid), "0x%016llx%s",
		(unsigned long long)d->guid, port);
	return strcmp(text, name) == 0 || strcmp(text, guid) == 0;
}

const struct drain *
drains_named(const struct drains *d, const struct topo *t, const char *text,
	struct reason *why)
{
	const struct drain *found = NULL;
	unsigned port, n = 0;
	node_ix node;

	for (size_t i = 0; i < d->n; i++)
		if (is_named(&d->list[i], text)) {
			found = &d->list[i];
			n++;
		}
	if (n == 1)
		return found;
	if (port_find_end(t, text, &node, &port, why) != 0)
		return NULL;
	found = drains_find(d, t->node[node].guid, port);
	if (found == NULL && port != 0)
		found = drains_find_link(d, t, topo_port_of(t, node, port));
	if (found == NULL)
		(void)reason_set(
			why, "'%.100s' is not drained: heddlectl drains", text);
	return found;
}

/* ---- for people ---- */

static void
show_time(double s, struct buf *out)
{
	if (s >= 86400)
		buf_printf(out, "%.1f days", s / 86400);
	else if (s >= 3600)
		buf_printf(out, "%.1f h", s / 3600);
	else if (s >= 60)
		buf_printf(out, "%.0f min", s / 60);
	else
		buf_printf(out, "%.0f s", s);
}

static void
show_state(const json_t *d, bool standby, struct buf *out)
{
	const char *state = page_text(d, "state");

	if (strcmp(state, "clear") == 0)
		page_print(out, d,
			"%(cut_off)?{no other route leads over it; when it is "
			"pulled, %(cut_off)d host port%(cut_off)[|s] "
			"%(cut_off)[is|are] cut off}"
			"%(cut_off)!{no route leads over it: it may be "
			"pulled}");
	else if (strcmp(state, "absent") == 0)
		buf_printf(out, "not there now");
	else if (standby)
		buf_printf(out, "DO NOT PULL unless the master says so");
	else if (strcmp(state, "pending") == 0)
		buf_printf(out, "not in force yet: DO NOT PULL");
	else
		page_print(out, d,
			"STILL USED, DO NOT PULL: %(entries)d entries and "
			"%(trees)d multicast trees lead over it");
	page_print(out, d, "%(from)?{, first for LID %(lid)d at \"%(from)s\"}");
}

static void
show_one(const json_t *d, bool standby, struct buf *out)
{
	page_print(out, d,
		"%(name)s%(port)?{ port %(port)d}"
		"%(peer)?{ - %(peer.name)s port %(peer.port)d}  %(guid)s\n");
	buf_printf(out, "    ");
	show_state(d, standby, out);
	buf_printf(out, "\n    drained ");
	show_time(json_util_real(d, "age"), out);
	page_print(out, d, " ago by %(by)s%(forced)[, forced|]");
	if (json_is_number(json_object_get(d, "left"))) {
		buf_printf(out, ", ends in ");
		show_time(json_util_real(d, "left"), out);
	}
	page_print(out, d, "%(reason)?{: %(reason)s}\n");
	watch_json_show(json_object_get(d, "watch"), "    ", out);
}

void
drains_show(const json_t *result, struct buf *out)
{
	const json_t *list = json_object_get(result, "drains"), *d;
	size_t i;

	json_array_foreach(list, i, d)
	{
		show_one(d, json_object_get(result, "standby") != NULL, out);
	}
	page_print(out, result,
		"%(drains)!{Nothing is drained\n}"
		"%(kept)?{Bad, but not drained\n}"
		"%(kept)*{  " SHOW_ENDS(" - ") ": %(why)s\n"
					       "    %(kept)s\n}");
}
