#include "sm/report/links_json.h"

#include <stdlib.h>

#include "discovery/link_rate.h"
#include "sm/base/mem.h"
#include "sm/mad/mad.h"
#include "sm/report/events_json.h"
#include "sm/report/json_util.h"
#include "sm/report/names.h"
#include "sm/report/watch_json.h"
#include "sm/view/topo_events.h"

/* ---- what a link could do ---- */

/* What a port supports; false: its PortInfo was not read. */
static bool
read_supported(const struct topo *t, port_ix p, struct mad_port_info *out)
{
	const struct topo_port *port = &t->port[p];
	const struct topo_node *n = &t->node[port->node];
	const struct topo_port *cap =
		n->type == TOPO_SWITCH ? &t->port[n->first_port] : port;
	struct reason why;

	if ((port->flags & TP_UNREAD) != 0 || port->width == 0 ||
		mad_port_info_decode(topo_info(t, p), out, &why) != 0)
		return false;
	if ((cap->capmask & MAD_CAP_CAPMASK2) != 0 &&
		(cap->capmask2 & MAD_CAP2_EXT_SPEEDS2) != 0 &&
		(out->speed_ext2_supported & 1) != 0)
		out->speed_ext_supported |= 16;
	return true;
}

/* The widest bit of widths, and the fastest of speeds. */
static struct links_pace
fastest_of(uint8_t widths, uint8_t speeds, uint8_t speeds_ext)
{
	struct links_pace best = {0};
	uint32_t rate = 0;

	for (unsigned i = 0; i < 8; i++) {
		uint8_t bit = (uint8_t)(widths & 1U << i);

		if (bit != 0 && link_rate_of(bit, 1, 0) > rate) {
			rate = link_rate_of(bit, 1, 0);
			best.width = bit;
		}
		if ((speeds_ext >> i & 1) != 0)
			best.speed_ext = (uint8_t)(1U << i);
		if ((speeds >> i & 1) != 0)
			best.speed = (uint8_t)(1U << i);
	}
	return best;
}

struct links_pace
links_best_pace(const struct topo *t, port_ix p)
{
	const struct topo_port *port = &t->port[p];
	struct links_pace is = {port->width, port->speed, port->speed_ext},
			  best;
	struct mad_port_info a, b;

	if (!read_supported(t, p, &a) || !read_supported(t, port->peer, &b))
		return is;
	best = fastest_of(a.width_supported & b.width_supported,
		a.speed_supported & b.speed_supported,
		a.speed_ext_supported & b.speed_ext_supported);
	return link_rate_of(best.width, best.speed, best.speed_ext) >
			       link_rate_active(port)
		       ? best
		       : is;
}

static uint32_t
rate_of(struct links_pace p)
{
	return link_rate_of(p.width, p.speed, p.speed_ext);
}

static bool
is_slow(const struct topo *t, port_ix p)
{
	return rate_of(links_best_pace(t, p)) != link_rate_active(&t->port[p]);
}

json_t *
links_link_json(const struct topo *t, port_ix p)
{
	const struct topo_port *a = &t->port[p], *b = &t->port[a->peer];
	struct links_pace best = links_best_pace(t, p);
	const struct topo_port could = {
		.speed = best.speed, .speed_ext = best.speed_ext};
	struct event_end from, to;

	topo_event_end_of(t, a->node, a->num, &from);
	topo_event_end_of(t, b->node, b->num, &to);
	return json_util_object(M("ends", events_ends_json(&from, &to)),
		M("width", names_width(a->width)), M("speed", names_speed(a)),
		M("gbps", link_rate_active(a) / 10.0),
		M("best", rate_of(best) / 10.0),
		M("best_width", names_width(best.width)),
		M("best_speed", names_speed(&could)));
}

/* Each link once, by its lower end. */
static bool
is_lower_end(const struct topo *t, port_ix p)
{
	return t->port[p].peer != TOPO_NONE && t->port[p].peer >= p;
}

json_t *
links_degraded_json(const struct topo *t, size_t most)
{
	json_t *list = json_array();
	json_int_t n = 0;

	for (port_ix p = 0; p < t->nports; p++)
		if (is_lower_end(t, p) && is_slow(t, p) &&
			n++ < (json_int_t)most)
			json_util_add(list, links_link_json(t, p));
	return json_util_object(M("links", n), M("list", list));
}

/* ---- counters ---- */

static const struct {
	const char *name;
	enum port_health_window window;
} windows[] = {
	{"minute", PORT_HEALTH_MINUTE},
	{"hour", PORT_HEALTH_HOUR},
	{"day", PORT_HEALTH_DAY},
};

static const char *const counters[PORT_HEALTH_KINDS] = {
	[PORT_HEALTH_SYMBOL_ERRORS] = "symbol_errors",
	[PORT_HEALTH_RECOVERED] = "recovered",
	[PORT_HEALTH_DOWNED] = "downed",
	[PORT_HEALTH_RCV_ERRORS] = "receive_errors",
	[PORT_HEALTH_DISCARDS] = "discards",
	[PORT_HEALTH_WAIT] = "wait",
};

const struct port_health *
links_record(const struct links_facts *f, port_ix p)
{
	const struct topo_port *port = &f->t->port[p];

	return f->health == NULL
		       ? NULL
		       : health_port(f->health, f->t->node[port->node].guid,
				 port->num);
}

/* What was counted in a window, and in how many seconds. */
static json_t *
window_json(const struct links_facts *f, const struct port_health *h, port_ix p,
	enum port_health_window w)
{
	json_t *o = json_object();
	struct mono span = {0};
	double ber;
	bool known;

	for (unsigned k = 0; k < PORT_HEALTH_KINDS; k++)
		json_util_put(
			o, M(counters[k],
				   port_health_gained(h, w,
					   (enum port_health_kind)k, &span)));
	known = link_verdict_ber(h, f->t, p, w, &ber);
	json_util_put(o, M("ber", ber),
		M("effective_ber", known ? json_real(ber) : json_null()));
	known = link_verdict_raw_ber(h, f->t, p, w, &ber);
	json_util_put(o, M("raw_ber", known ? json_real(ber) : json_null()),
		M("seconds", mono_seconds(span)));
	return o;
}

json_t *
links_counters_json(const struct links_facts *f, port_ix p)
{
	const struct port_health *h = links_record(f, p);
	json_t *o, *full;

	if (h == NULL)
		return json_null();
	o = json_object();
	full = json_array();
	json_util_put(o, M("age", mono_seconds(mono_sub(f->now, h->read))),
		M("resets", h->resets));
	for (unsigned k = 0; k < PORT_HEALTH_KINDS; k++)
		if (port_health_is_full(h, (enum port_health_kind)k))
			json_util_add(full, json_string(counters[k]));
	json_util_put(o, M("full", full));
	for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++)
		json_util_put(
			o, M(windows[i].name,
				   window_json(f, h, p, windows[i].window)));
	return o;
}

/* ---- lists ---- */

/* A link that is listed, and how bad it is. */
struct found {
	port_ix p;
	bool slow, bad;
	uint64_t weight;
	const struct link_watch *watch; /* or NULL */
	struct link_verdict verdict;
};

/* Errors of a link in a window, waiting apart. */
static uint64_t
errors_of(const struct links_facts *f, port_ix p, enum port_health_window w)
{
	const struct port_health *h = links_record(f, p);
	uint64_t n = 0;
	struct mono span;

	for (unsigned k = 0; h != NULL && k < PORT_HEALTH_WAIT; k++)
		n += port_health_gained(h, w, (enum port_health_kind)k, &span);
	return n;
}

static uint64_t
errors_of_link(
	const struct links_facts *f, port_ix p, enum port_health_window w)
{
	return errors_of(f, p, w) + errors_of(f, f->t->port[p].peer, w);
}

/* Whether a link is asked for; then *out. */
static bool
is_wanted(const struct links_facts *f, port_ix p, const struct links_ask *ask,
	struct found *out)
{
	bool read = f->health != NULL && health_is_enabled(f->health);
	bool acted;
	uint64_t day = read ? errors_of_link(f, p, PORT_HEALTH_DAY) : 0;

	*out = (struct found){.p = p,
		.slow = is_slow(f->t, p),
		.watch = watch_json_find(f->watches, f->t, p)};
	if (read) {
		link_verdict_of(f->health, f->t, p, &f->limits, &out->verdict);
		out->bad = out->verdict.reasons != 0 ||
			   link_verdict_is_bad(f->health, f->t, p);
		out->weight = errors_of_link(f, p, PORT_HEALTH_HOUR);
	}
	acted = out->watch != NULL && out->watch->state != LINK_WATCH_USED;
	return (ask->bad && (out->bad || acted || out->slow)) ||
	       (ask->slow && out->slow) || (ask->errors && day > 0);
}

static int
worse_first(const void *x, const void *y)
{
	const struct found *a = x, *b = y;

	if (a->bad != b->bad)
		return a->bad ? -1 : 1;
	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return a->p < b->p ? -1 : a->p > b->p;
}

static json_t *
found_json(const struct links_facts *f, const struct found *l)
{
	json_t *o = links_link_json(f->t, l->p), *ends = json_array();
	char why[160];

	link_verdict_text(&l->verdict, why, sizeof(why));
	json_util_put(o, M("slow", l->slow), M("bad", l->bad), M("why", why),
		M("watch", watch_json(l->watch)));
	json_util_add(ends, links_counters_json(f, l->p));
	json_util_add(ends, links_counters_json(f, f->t->port[l->p].peer));
	json_util_put(o, M("counters", ends));
	return o;
}

json_t *
links_json(const struct links_facts *f, const struct links_ask *ask)
{
	struct found *found = mem_zalloc(f->t->nports, sizeof(*found));
	json_t *list = json_array();
	size_t n = 0;
	json_int_t of = 0;

	for (port_ix p = 0; p < f->t->nports; p++) {
		if (!is_lower_end(f->t, p))
			continue;
		of++;
		n += is_wanted(f, p, ask, &found[n]);
	}
	qsort(found, n, sizeof(*found), worse_first);
	for (size_t i = 0; i < n && i < LINKS_JSON_MOST; i++)
		json_util_add(list, found_json(f, &found[i]));
	free(found);
	return json_util_object(M("of", of), M("found", n), M("links", list));
}

/* The highest bit error ratios of a port in an hour; null where none is known.
 */
static json_t *
worst_ber_json(const struct links_facts *f)
{
	double raw = -1, effective = -1, ber;

	for (port_ix p = 0; p < f->t->nports; p++) {
		const struct port_health *h = links_record(f, p);

		if (h == NULL)
			continue;
		if (link_verdict_raw_ber(h, f->t, p, PORT_HEALTH_HOUR, &ber) &&
			ber > raw)
			raw = ber;
		if (link_verdict_ber(h, f->t, p, PORT_HEALTH_HOUR, &ber) &&
			ber > effective)
			effective = ber;
	}
	return json_util_object(
		M("raw", raw >= 0 ? json_real(raw) : json_null()),
		M("effective",
			effective >= 0 ? json_real(effective) : json_null()));
}

json_t *
links_health_json(const struct links_facts *f)
{
	bool on = f->health != NULL && health_is_enabled(f->health);
	json_t *o = json_util_object(M("enabled", on));
	const struct health_stats *s;
	json_int_t bad = 0;

	if (!on)
		return o;
	s = health_stats(f->health);
	json_util_put(o, M("ber", worst_ber_json(f)));
	for (port_ix p = 0; p < f->t->nports; p++)
		bad += is_lower_end(f->t, p) &&
		       link_verdict_is_bad(f->health, f->t, p);
	json_util_put(o, M("passes", s->passes),
		M("pass_seconds", mono_seconds(s->took)), M("ports", s->ports),
		M("read", s->read), M("fec_read", s->fec_read),
		M("fec_seconds", mono_seconds(s->fec_took)),
		M("asked", s->asked), M("unanswered", s->unanswered),
		M("refused", s->refused), M("alien", s->alien), M("bad", bad));
	(void)json_object_update_new(o, watch_json_counts(f->watches));
	return o;
}
