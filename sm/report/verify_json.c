#include "sm/report/verify_json.h"

#include "sm/report/events_json.h"
#include "sm/report/json_util.h"
#include "sm/report/names.h"

json_t *
verify_json_kinds(const struct deviations *d)
{
	json_t *o = json_object();

	for (unsigned k = 0; k < DEVIATION_KINDS; k++)
		json_util_put(o, deviation_kind_name((enum deviation_kind)k),
			json_util_u64(d->count[k]));
	return o;
}

static json_t *
left_out_json(const struct deviations *d)
{
	json_t *o = json_object();

	for (unsigned k = 0; k < DEVIATION_CLASSES; k++)
		if (d->left_out[k] > 0)
			json_util_put(o,
				deviation_class_name((enum deviation_class)k),
				json_util_u64(d->left_out[k]));
	return o;
}

/* The links of one kind in a chain: every other edge, from edge i on. */
static json_t *
edges_json(const struct deviation *x, uint32_t i)
{
	json_t *list = json_array();
	uint32_t edges = x->ring ? x->n : x->n - 1;

	for (; i < edges; i += 2)
		(void)json_array_append_new(list,
			events_ends_json(&x->end[i], &x->end[(i + 1) % x->n]));
	return list;
}

static json_t *
pace_json(const struct cabling_link *l)
{
	const char *width = port_width_name(l->width);
	const char *speed = port_speed_name(l->speed, l->speed_ext);

	return json_pack("{s:s, s:s, s:f}", "width", width != NULL ? width : "",
		"speed", speed != NULL ? speed : "", "gbps",
		cabling_rate(l) / 10.0);
}

static void
put_links(json_t *o, const struct deviation *x)
{
	json_util_put(o, "planned", edges_json(x, x->starts_there));
	if (x->kind != DEVIATION_SLOW) {
		json_util_put(o, "there", edges_json(x, !x->starts_there));
		return;
	}
	json_util_put(o, "there", edges_json(x, 0));
	json_util_put(o, "pace_planned", pace_json(&x->planned));
	json_util_put(o, "pace", pace_json(&x->is));
}

static json_t *
deviation_json(const struct deviation *x)
{
	struct buf text = {0};
	json_t *o = json_object();

	deviation_print(x, &text);
	json_util_put(o, "kind", json_string(deviation_kind_name(x->kind)));
	json_util_put(o, "text", names_text(text.text));
	json_util_put(o, "drained", json_boolean(x->drained));
	buf_free(&text);
	if (x->n > 0) {
		put_links(o, x);
		return o;
	}
	json_util_put(o, "type", json_string(deviation_class_name(x->of)));
	json_util_put(o, "name", names_text(x->node.name));
	json_util_put(o, "ends", events_ends_json(&x->node, &x->other));
	json_util_put(o, "links", json_util_u64(x->links));
	json_util_put(o, "behind", json_util_u64(x->with));
	return o;
}

json_t *
verify_json(const struct deviations *d, size_t most)
{
	json_t *list = json_array(), *o = json_object();

	for (size_t i = 0; i < d->n && i < most; i++)
		(void)json_array_append_new(list, deviation_json(&d->list[i]));
	json_util_put(o, "plan", names_text(d->source));
	json_util_put(o, "as_planned", json_boolean(d->n == 0));
	json_util_put(o, "deviations", json_util_u64(d->n));
	json_util_put(o, "drained", json_util_u64(d->drained));
	json_util_put(o, "kinds", verify_json_kinds(d));
	json_util_put(o, "nodes",
		json_pack("{s:o, s:o, s:o}", "planned", json_util_u64(d->nodes),
			"matched", json_util_u64(d->matched), "unnamed",
			json_util_u64(d->unnamed)));
	json_util_put(o, "links",
		json_pack("{s:o, s:o, s:o}", "planned", json_util_u64(d->links),
			"there", json_util_u64(d->right), "unknown",
			json_util_u64(d->unknown)));
	json_util_put(o, "unread", json_util_u64(d->unread));
	json_util_put(o, "left_out", left_out_json(d));
	json_util_put(o, "list", list);
	return o;
}
