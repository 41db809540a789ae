#include "sm/report/watch_json.h"

#include <string.h>

#include "sm/event/event.h"
#include "sm/report/events_json.h"
#include "sm/report/json_util.h"
#include "sm/report/names.h"
#include "sm/view/topo_events.h"

static const char *const states[] = {
	[LINK_WATCH_USED] = "used",
	[LINK_WATCH_DRAINED] = "drained",
	[LINK_WATCH_SPARED] = "spared",
};

static bool
is_kept(const struct link_watch *l)
{
	return l->state == LINK_WATCH_USED && l->bad && l->kept[0] != '\0';
}

static struct link_watch_end
end_of(const struct topo *t, port_ix p)
{
	return (struct link_watch_end){
		t->node[t->port[p].node].guid, t->port[p].num};
}

const struct link_watch *
watch_json_find(const struct link_watches *w, const struct topo *t, port_ix p)
{
	struct link_watch_end a = end_of(t, p), b = end_of(t, t->port[p].peer);

	return w != NULL ? link_watch_find(w, &a, &b) : NULL;
}

json_t *
watch_json(const struct link_watch *l)
{
	if (l == NULL)
		return json_null();
	return json_util_object(M("state", states[l->state]),
		M("times", l->drained), M("quiet", mono_seconds(l->quiet)),
		M("left", mono_seconds(l->left)), M("full", l->full),
		M("kept", names_text(is_kept(l) ? l->kept : "")));
}

void
watch_json_show(const json_t *watch, const char *indent, struct buf *out)
{
	const char *state = json_util_text(watch, "state");
	long long times = json_util_num(watch, "times");

	if (json_util_has_text(watch, "kept")) {
		buf_printf(out, "%snot drained: %s\n", indent,
			json_util_text(watch, "kept"));
	} else if (strcmp(state, "spared") == 0) {
		buf_printf(out,
			"%snot drained again for now, since its drain was "
			"taken back: ",
			indent);
		event_print_seconds(json_util_real(watch, "left"), out);
		buf_printf(out, " left\n");
	} else if (strcmp(state, "drained") == 0) {
		buf_printf(out, "%s", indent);
		if (times > 1)
			buf_printf(out, "drained %lld times lately; ", times);
		buf_printf(out, "used again once nothing was wrong for ");
		event_print_seconds(json_util_real(watch, "quiet"), out);
		buf_printf(out, ", of which ");
		event_print_seconds(json_util_real(watch, "left"), out);
		buf_printf(out, " are left%s\n",
			json_util_yes(watch, "full")
				? "; no time passes until its counters, which "
				  "count no further, are cleared"
				: "");
	}
}

json_t *
watch_json_counts(const struct link_watches *w)
{
	json_int_t drained = 0, kept = 0;

	for (size_t i = 0; w != NULL && i < w->n; i++) {
		drained += w->list[i].state == LINK_WATCH_DRAINED;
		kept += is_kept(&w->list[i]);
	}
	return json_util_object(M("drained", drained), M("kept", kept));
}

static void
find_end(const struct topo *t, const struct link_watch_end *e,
	struct event_end *out)
{
	node_ix n = topo_by_node_guid(t, e->guid);

	if (n != TOPO_NONE && e->port <= t->node[n].nports)
		topo_event_end_of(t, n, e->port, out);
	else
		*out = (struct event_end){.guid = e->guid, .port = e->port};
}

json_t *
watch_json_kept(const struct link_watches *w, const struct topo *t)
{
	json_t *list = json_array();
	struct event_end a, b;

	for (size_t i = 0; w != NULL && i < w->n; i++) {
		const struct link_watch *l = &w->list[i];

		if (!is_kept(l))
			continue;
		find_end(t, &l->a, &a);
		find_end(t, &l->b, &b);
		json_util_append(list, M("ends", events_ends_json(&a, &b)),
			M("why", names_text(l->why)),
			M("kept", names_text(l->kept)));
	}
	return list;
}
