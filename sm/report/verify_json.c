#include "sm/report/verify_json.h"

#include "sm/report/events_json.h"
#include "sm/report/json_util.h"
#include "sm/report/names.h"

json_t *
verify_json_kinds(const struct deviations *d)
{
	json_t *o = json_object();

	for (unsigned k = 0; k < DEVIATION_KINDS; k++)
		json_util_put(o, M(deviation_kind_name((enum deviation_kind)k),
					 d->count[k]));
	return o;
}

static json_t *
left_out_json(const struct deviations *d)
{
	json_t *o = json_object();

	for (unsigned k = 0; k < DEVIATION_CLASSES; k++)
		if (d->left_out[k] > 0)
			json_util_put(o,
				M(deviation_class_name((enum deviation_class)k),
					d->left_out[k]));
	return o;
}

/* The links of one kind in a chain: every other edge, from edge i on. */
static json_t *
edges_json(const struct deviation *x, uint32_t i)
{
	json_t *list = json_array();
	uint32_t edges = x->ring ? x->n : x->n - 1;

	for (; i < edges; i += 2)
		json_util_add(list,
			events_ends_json(&x->end[i], &x->end[(i + 1) % x->n]));
	return list;
}

static json_t *
pace_json(const struct cabling_link *l)
{
	const char *width = port_width_name(l->width);
	const char *speed = port_speed_name(l->speed, l->speed_ext);

	return json_util_object(M("width", width != NULL ? width : ""),
		M("speed", speed != NULL ? speed : ""),
		M("gbps", cabling_rate(l) / 10.0));
}

static void
put_links(json_t *o, const struct deviation *x)
{
	json_util_put(o, M("planned", edges_json(x, x->starts_there)));
	if (x->kind != DEVIATION_SLOW) {
		json_util_put(o, M("there", edges_json(x, !x->starts_there)));
		return;
	}
	json_util_put(o, M("there", edges_json(x, 0)),
		M("pace_planned", pace_json(&x->planned)),
		M("pace", pace_json(&x->is)));
}

static json_t *
deviation_json(const struct deviation *x)
{
	struct buf text = {0};
	json_t *o = json_object();

	deviation_print(x, &text);
	json_util_put(o, M("kind", deviation_kind_name(x->kind)),
		M("text", names_text(text.text)), M("drained", x->drained));
	buf_free(&text);
	if (x->n > 0) {
		put_links(o, x);
		return o;
	}
	json_util_put(o, M("type", deviation_class_name(x->of)),
		M("name", names_text(x->node.name)),
		M("ends", events_ends_json(&x->node, &x->other)),
		M("links", x->links), M("behind", x->with));
	return o;
}

json_t *
verify_json(const struct deviations *d, size_t most)
{
	json_t *list = json_array(), *o = json_object();

	for (size_t i = 0; i < d->n && i < most; i++)
		json_util_add(list, deviation_json(&d->list[i]));
	json_util_put(o, M("plan", names_text(d->source)),
		M("as_planned", json_boolean(d->n == 0)), M("deviations", d->n),
		M("drained", d->drained), M("kinds", verify_json_kinds(d)),
		M("nodes", json_util_object(M("planned", d->nodes),
				   M("matched", d->matched),
				   M("unnamed", d->unnamed))),
		M("links", json_util_object(M("planned", d->links),
				   M("there", d->right),
				   M("unknown", d->unknown))),
		M("unread", d->unread), M("left_out", left_out_json(d)),
		M("list", list));
	return o;
}
