#include "sm/report/path_json.h"

#include <stdio.h>

#include "discovery/link_rate.h"
#include "sm/base/buf.h"
#include "sm/report/adaptive_json.h"
#include "sm/report/hop_choice.h"
#include "sm/report/hop_json.h"
#include "sm/report/json_util.h"
#include "sm/report/names.h"
#include "sm/report/port_find.h"
#include "sm/report/routes_json.h"
#include "sm/report/standby_json.h"
#include "sm/view/view_slvl.h"

enum {
	LINKS = HOP_JSON_STEPS + 1, /* that of the source comes first */
	PHRASE = 160,
	BUSY = 2, /* times the mean load */
};

/* One direction. */
struct direction {
	port_ix from, to;
	uint16_t lid; /* of to */
	struct route_step step[HOP_JSON_STEPS];
	int n; /* steps; links: one more */
	uint8_t sl;
};

/* The worst link so far, and what can be said of all. */
struct worst {
	double score; /* 0: nothing is wrong */
	struct buf text;
	struct {
		port_ix low; /* the lower end of the link */
		bool flawed;
	} seen[2 * LINKS];
	unsigned links;
	double slowest, busiest; /* Gb/s; times the mean load */
};

struct report {
	const struct view *v;
	const struct links_facts *f;
	struct worst worst;
};

/* ---- what is wrong with a link ---- */

/* Phrases about one link, joined as a sentence wants them. */
struct phrases {
	char text[6][PHRASE];
	unsigned n;
	double score;
};

static char *
add_phrase(struct phrases *p, double score)
{
	p->score += score;
	return p->text[p->n++];
}

/* It is narrower or slower than both its ends can be. */
static void
say_pace(struct phrases *p, const struct topo *t, port_ix port)
{
	const struct topo_port *a = &t->port[port];
	struct links_pace is = {a->width, a->speed, a->speed_ext};
	struct links_pace best = links_best_pace(t, port);
	double at_1x = link_rate_of(0, is.speed, is.speed_ext) / 10.0;
	double could = link_rate_of(0, best.speed, best.speed_ext) / 10.0;

	if (could > at_1x)
		(void)snprintf(add_phrase(p, 10 * could / at_1x), PHRASE,
			"runs at %g instead of %g Gb/s a lane", at_1x, could);
	if (link_rate_of(best.width, 1, 0) > link_rate_of(is.width, 1, 0))
		(void)snprintf(add_phrase(p, 10), PHRASE,
			"is %s instead of %s wide", names_width(is.width),
			names_width(best.width));
}

static uint8_t
smaller_code(uint8_t a, uint8_t b)
{
	return a < b ? a : b;
}

/* Packets are smaller than both ends could take. */
static void
say_mtu(struct phrases *p, const struct topo *t, port_ix port)
{
	const struct topo_port *a = &t->port[port], *b = &t->port[a->peer];
	uint8_t is = smaller_code(a->mtu, b->mtu);
	uint8_t could = smaller_code(a->mtu_cap, b->mtu_cap);

	if (is != 0 && is < could)
		(void)snprintf(add_phrase(p, 2), PHRASE,
			"has an MTU of %d instead of %d bytes", 128 << is,
			128 << could);
}

static uint64_t
counted_in_hour(
	const struct links_facts *f, port_ix port, enum port_health_kind k)
{
	const struct port_health *h = links_record(f, port);
	struct mono span;

	return h != NULL ? port_health_gained(h, PORT_HEALTH_HOUR, k, &span)
			 : 0;
}

/* What its ends counted: it is bad, or at least not clean. Packets of this
 * direction are received by the far end, and discarded by the near one. */
static void
say_counters(struct phrases *p, const struct links_facts *f, port_ix port)
{
	port_ix peer = f->t->port[port].peer;
	uint64_t errors, discards;
	struct link_verdict v;

	if (f->health == NULL)
		return;
	link_verdict_of(f->health, f->t, port, &f->limits, &v);
	errors = counted_in_hour(f, peer, PORT_HEALTH_SYMBOL_ERRORS) +
		 counted_in_hour(f, peer, PORT_HEALTH_RCV_ERRORS);
	discards = counted_in_hour(f, port, PORT_HEALTH_DISCARDS);
	if (v.reasons != 0) {
		char *why = add_phrase(p, 100);

		(void)snprintf(why, PHRASE, "is bad: ");
		link_verdict_text(&v, why + 8, PHRASE - 8);
	} else if (errors > 0) {
		(void)snprintf(add_phrase(p, 1), PHRASE,
			"counted %llu error%s in an hour",
			(unsigned long long)errors,
			names_plural((long long)errors));
	}
	if (discards > 0)
		(void)snprintf(add_phrase(p, 3), PHRASE,
			"discarded %llu packet%s in an hour",
			(unsigned long long)discards,
			names_plural((long long)discards));
}

/* "the link "leaf3" port 5 - "spine1" port 3 (back) carries .. and runs .." */
static void
keep_worst(struct worst *w, const struct topo *t, port_ix port, bool back,
	const struct phrases *p)
{
	const struct topo_port *a = &t->port[port], *b = &t->port[a->peer];

	if (p->n == 0 || p->score <= w->score)
		return;
	w->score = p->score;
	buf_free(&w->text);
	buf_printf(&w->text, "the link \"%s\" port %u - \"%s\" port %u%s ",
		topo_desc(t, a->node), a->num, topo_desc(t, b->node), b->num,
		back ? ", on the way back," : "");
	for (unsigned i = 0; i < p->n; i++)
		buf_printf(&w->text, "%s%s",
			i == 0		? ""
			: i + 1 == p->n ? " and "
					: ", ",
			p->text[i]);
}

/* Each link counts once, whether the way back takes it again or not. */
static void
note_link(struct worst *w, const struct topo *t, port_ix port, bool flawed)
{
	port_ix peer = t->port[port].peer, low = port < peer ? port : peer;
	unsigned i = 0;

	while (i < w->links && w->seen[i].low != low)
		i++;
	if (i == w->links)
		w->seen[w->links++].low = low;
	w->seen[i].flawed |= flawed;
}

static void
judge_link(struct report *r, port_ix port, double ratio, bool back)
{
	const struct topo *t = r->v->topo;
	double gbps = link_rate_active(&t->port[port]) / 10.0;
	struct worst *w = &r->worst;
	struct phrases p = {.n = 0};

	if (ratio >= BUSY)
		(void)snprintf(add_phrase(&p, ratio), PHRASE,
			"carries %.1f times the mean load", ratio);
	say_pace(&p, t, port);
	say_mtu(&p, t, port);
	say_counters(&p, r->f, port);
	keep_worst(w, t, port, back, &p);
	note_link(w, t, port, p.n > 0);
	if (w->slowest == 0 || gbps < w->slowest)
		w->slowest = gbps;
	w->busiest = ratio > w->busiest ? ratio : w->busiest;
}

static void
say_well(const struct worst *w, struct buf *b)
{
	buf_printf(b, "nothing is known to be wrong with ");
	if (w->links == 1)
		buf_printf(b, "this link: it");
	else
		buf_printf(b, "these %u links: the slowest", w->links);
	buf_printf(b, " runs at %g Gb/s", w->slowest);
	if (w->busiest > 0) /* not known of links to hosts */
		buf_printf(b, "%s carries %.1f times the mean load",
			w->links == 1 ? ", and" : ", the busiest", w->busiest);
}

static json_t *
verdict_json(const struct report *r)
{
	const struct worst *w = &r->worst;
	bool read = r->f->health != NULL && health_is_enabled(r->f->health);
	unsigned flawed = 0;
	struct buf b = {0};
	json_t *text;

	for (unsigned i = 0; i < w->links; i++)
		flawed += w->seen[i].flawed;
	if (w->score > 0)
		buf_printf(&b, "%s", w->text.text);
	else
		say_well(w, &b);
	if (flawed > 1)
		buf_printf(&b, "; %u more link%s not well", flawed - 1,
			flawed == 2 ? " is" : "s are");
	if (!read)
		buf_printf(&b, "; errors are not counted (health.enabled)");
	text = names_text(b.text);
	buf_free(&b);
	return text;
}

/* ---- links as JSON ---- */

/* The link by which packets leave through a port of a host or switch. */
static json_t *
link_json(const struct report *r, port_ix port)
{
	const struct topo *t = r->v->topo;
	const struct topo_port *a = &t->port[port], *b = &t->port[a->peer];
	json_t *o = links_link_json(t, port), *ends = json_array();

	json_util_add(ends, links_counters_json(r->f, port));
	json_util_add(ends, links_counters_json(r->f, a->peer));
	json_util_put(o, M("mtu", 128 << smaller_code(a->mtu, b->mtu)),
		M("counters", ends));
	return o;
}

/* Put why the step takes this link, and what it carries. Returns that in terms
 * of the mean, 0 where it is not known. */
static double
put_choice(json_t *o, const struct report *r, const struct direction *d, int i)
{
	const struct routes *routes = r->v->routes;
	double mean = routes->report.load_mean, ratio = 0;
	struct hop_choice c =
		hop_choice_of(routes, d->step, i, d->n, d->from, d->to, d->lid);

	json_util_put(o, M("reason", hop_reason_name(c.reason)),
		M("choices", c.links));
	if (c.reason == HOP_EXIT)
		return 0;
	if (c.drained > 0)
		json_util_put(o, M("drained", c.drained));
	if (mean > 0)
		ratio = (double)c.load / mean;
	json_util_put(o, M("load", c.load));
	if (c.links > 1)
		json_util_put(o, M("least", c.least));
	json_util_put(o, M("times_mean", ratio));
	return ratio;
}

static void
put_vl(json_t *o, const struct report *r, const struct direction *d, int i)
{
	const struct topo *t = r->v->topo;
	bool first = i < 0;
	node_ix n = first ? t->port[d->from].node : t->sw[d->step[i].sw].node;
	unsigned in = first ? 0 : d->step[i].in;
	unsigned out = first ? t->port[d->from].num : d->step[i].out;
	uint8_t vl;

	if (hop_json_vl(r->v, n, in, out, d->sl, &vl))
		json_util_put(o, M("vl", vl));
}

/* Link i of a direction, -1 the source's own; NULL: it ends in a switch. */
static json_t *
hop_json(struct report *r, const struct direction *d, int i, bool back)
{
	const struct topo *t = r->v->topo;
	port_ix port = i < 0 ? d->from
			     : topo_port_of(t, t->sw[d->step[i].sw].node,
				       d->step[i].out);
	double ratio = 0;
	json_t *o;

	if (t->port[port].peer == TOPO_NONE)
		return NULL;
	o = link_json(r, port);
	if (i >= 0)
		ratio = put_choice(o, r, d, i);
	put_vl(o, r, d, i);
	judge_link(r, port, ratio, back);
	return o;
}

static json_t *
direction_json(struct report *r, const struct direction *d, bool back)
{
	json_t *list = json_array(), *o;

	for (int i = -1; i < d->n; i++) {
		o = hop_json(r, d, i, back);
		if (o != NULL)
			json_util_add(list, o);
	}
	o = json_util_object(M("sl", d->sl), M("links", list));
	adaptive_json_put_path(o, r->v, d->step, d->n, d->to);
	return o;
}

/* ---- the command ---- */

static int
find_direction(const struct view *v, struct direction *d, struct reason *why)
{
	const struct topo *t = v->topo;
	sw_ix from = topo_switch_of(t, d->from), to = topo_switch_of(t, d->to);
	unsigned layer = 0;

	d->n = routes_trace(
		v->routes, d->from, d->lid, d->step, HOP_JSON_STEPS, why);
	if (d->n < 0)
		return -1;
	if (d->n > HOP_JSON_STEPS)
		d->n = HOP_JSON_STEPS;
	if (from != TOPO_NONE && to != TOPO_NONE)
		layer = routes_layer(&v->routes->layers, from, to);
	(void)view_slvl_sl(v, 0, layer, &d->sl);
	return 0;
}

static struct answer *
tell_path(const struct view *v, const struct links_facts *f,
	const struct direction *there, const struct direction *back)
{
	struct report r = {.v = v, .f = f};
	/* the links of both go into the verdict */
	json_t *forth = direction_json(&r, there, false);
	json_t *reverse = direction_json(&r, back, true);
	json_t *o = json_util_object(M("generation", v->generation));

	standby_json_put(o, v);
	json_util_put(o, M("engine", names_text(v->story.engine)),
		M("from", hop_json_port(v->topo, there->from, back->lid)),
		M("to", hop_json_port(v->topo, there->to, there->lid)),
		M("load_mean", v->routes->report.load_mean), M("there", forth),
		M("back", reverse), M("verdict", verdict_json(&r)));
	buf_free(&r.worst.text);
	return answer_result(o);
}

struct answer *
path_answer(json_t *request, struct view *v, const struct links_facts *f)
{
	struct direction there = {0}, back = {0};
	const char *cmd, *from, *to;
	struct reason why;
	json_error_t err;

	if (json_unpack_ex(request, &err, 0, "{s:s, s:s, s:s !}", "cmd", &cmd,
		    "from", &from, "to", &to) != 0)
		return answer_error("bad-argument", err.text);
	there.from = back.to = port_find(v->topo, from, &back.lid, &why);
	if (there.from == TOPO_NONE)
		return answer_error("not-found", why.text);
	there.to = back.from = port_find(v->topo, to, &there.lid, &why);
	if (there.to == TOPO_NONE)
		return answer_error("not-found", why.text);
	if (there.from == there.to)
		return answer_error("no-path",
			"from and to are the same port: no link is between");
	if (find_direction(v, &there, &why) != 0 ||
		find_direction(v, &back, &why) != 0)
		return answer_error("no-path", why.text);
	return tell_path(v, f, &there, &back);
}
