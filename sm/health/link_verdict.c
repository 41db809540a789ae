#include "sm/health/link_verdict.h"

#include <stdio.h>

#include "discovery/link_rate.h"
#include "sm/health/port_fec.h"

enum {
	BITS_PER_RATE = 100000000, /* a second: rates are in 100 Mb/s */
	ERRORS_LEAST = 10,	   /* fewer in an hour are no ratio */
	WELL_MS = 10 * 60 * 1000,
};

static struct port_health *
end_of(const struct health *h, const struct topo *t, port_ix p)
{
	const struct topo_port *port = &t->port[p];

	return health_port(h, t->node[port->node].guid, port->num);
}

static double
bits_per_second(const struct topo *t, port_ix p)
{
	return (double)link_rate_active(&t->port[p]) * BITS_PER_RATE;
}

static bool
ratio_of(double errors, struct mono span, const struct topo *t, port_ix p,
	double *ber)
{
	double bits = mono_seconds(span) * bits_per_second(t, p);

	*ber = bits > 0 ? errors / bits : 0;
	return bits > 0;
}

bool
link_verdict_ber(const struct port_health *h, const struct topo *t, port_ix p,
	enum port_health_window w, double *ber)
{
	struct mono span;
	uint64_t n = port_health_gained(h, w, PORT_HEALTH_SYMBOL_ERRORS, &span);

	return ratio_of((double)n, span, t, p, ber);
}

/* Errors before correction in a window; false: they are not known. */
static bool
raw_errors(const struct port_health *h, const struct topo *t, port_ix p,
	enum port_health_window w, double *errors, struct mono *span)
{
	uint64_t n;

	*errors = 0;
	*span = (struct mono){0};
	if (t->port[p].speed_ext == 0) {
		*errors = (double)port_health_gained(
			h, w, PORT_HEALTH_SYMBOL_ERRORS, span);
		return true;
	}
	if (h->fec == NULL || !port_fec_gained(h->fec, w, &n, span))
		return false;
	*errors = (double)n;
	return true;
}

bool
link_verdict_raw_ber(const struct port_health *h, const struct topo *t,
	port_ix p, enum port_health_window w, double *ber)
{
	struct mono span;
	double errors;

	*ber = 0;
	return raw_errors(h, t, p, w, &errors, &span) &&
	       ratio_of(errors, span, t, p, ber);
}

/* Errors in an hour that are too many. */
static double
most_errors(const struct topo *t, port_ix p, unsigned ber)
{
	struct mono hour = port_health_length(PORT_HEALTH_HOUR);
	double n = mono_seconds(hour) * bits_per_second(t, p);

	for (unsigned i = 0; i < ber; i++)
		n /= 10;
	return n > ERRORS_LEAST ? n : ERRORS_LEAST;
}

static void
judge_raw(const struct port_health *e, const struct topo *t, port_ix p,
	const struct link_limits *limits, struct link_verdict *v)
{
	struct mono span;
	double errors, ber;

	if (limits->raw_ber > 0 &&
		raw_errors(e, t, p, PORT_HEALTH_HOUR, &errors, &span) &&
		errors > most_errors(t, p, limits->raw_ber))
		v->reasons |= LINK_VERDICT_RAW;
	if (link_verdict_raw_ber(e, t, p, PORT_HEALTH_HOUR, &ber) &&
		ber > v->raw_ber)
		v->raw_ber = ber;
}

static void
judge_end(const struct health *h, const struct topo *t, port_ix p,
	const struct link_limits *limits, struct link_verdict *v)
{
	const struct port_health *e = end_of(h, t, p);
	uint64_t flaps, errors, recovered;
	struct mono span;

	if (e == NULL)
		return;
	flaps = port_health_gained(
		e, PORT_HEALTH_TEN_MINUTES, PORT_HEALTH_DOWNED, &span);
	errors = port_health_gained(
		e, PORT_HEALTH_HOUR, PORT_HEALTH_SYMBOL_ERRORS, &span);
	recovered = port_health_gained(
		e, PORT_HEALTH_HOUR, PORT_HEALTH_RECOVERED, &span);
	if (limits->flaps > 0 && flaps >= limits->flaps)
		v->reasons |= LINK_VERDICT_FLAPS;
	if ((double)errors > most_errors(t, p, limits->ber))
		v->reasons |= LINK_VERDICT_ERRORS;
	if (limits->recoveries > 0 && recovered >= limits->recoveries)
		v->reasons |= LINK_VERDICT_RECOVERS;
	v->flaps = flaps > v->flaps ? flaps : v->flaps;
	v->recovered = recovered > v->recovered ? recovered : v->recovered;
	if (errors > v->errors) {
		v->errors = errors;
		(void)link_verdict_ber(e, t, p, PORT_HEALTH_HOUR, &v->ber);
	}
	judge_raw(e, t, p, limits, v);
}

/* Whether errors at either end would not be counted, or times down at none:
 * both ends count these. */
static bool
is_full(const struct health *h, const struct topo *t, port_ix p)
{
	const struct port_health *end[] = {
		end_of(h, t, p), end_of(h, t, t->port[p].peer)};
	bool errors = false, downs = true;

	for (unsigned i = 0; i < 2; i++) {
		if (end[i] == NULL)
			continue;
		errors |=
			port_health_is_full(end[i], PORT_HEALTH_SYMBOL_ERRORS);
		downs &= port_health_is_full(end[i], PORT_HEALTH_DOWNED);
	}
	return errors || downs;
}

void
link_verdict_of(const struct health *h, const struct topo *t, port_ix p,
	const struct link_limits *limits, struct link_verdict *out)
{
	*out = (struct link_verdict){0};
	judge_end(h, t, p, limits, out);
	judge_end(h, t, t->port[p].peer, limits, out);
	out->full = is_full(h, t, p);
}

bool
link_verdict_is_bad(const struct health *h, const struct topo *t, port_ix p)
{
	const struct port_health *a = end_of(h, t, p);
	const struct port_health *b = end_of(h, t, t->port[p].peer);

	return (a != NULL && a->bad) || (b != NULL && b->bad);
}

/* Both ends keep it: one of them may not be readable, or get another cable. */
static void
keep_at(struct port_health *end, bool bad, struct mono well_since)
{
	if (end == NULL)
		return;
	end->bad = bad;
	end->well_since = well_since;
}

enum link_verdict_change
link_verdict_update(struct health *h, const struct topo *t, port_ix p,
	const struct link_limits *limits, struct mono now,
	struct link_verdict *out)
{
	struct port_health *a = end_of(h, t, p);
	struct port_health *b = end_of(h, t, t->port[p].peer);
	bool was = link_verdict_is_bad(h, t, p), is = was;
	struct mono since = MONO_NEVER;

	link_verdict_of(h, t, p, limits, out);
	if (out->reasons != 0) {
		is = true;
	} else if (was) {
		since = a != NULL && a->bad ? a->well_since : b->well_since;
		since = mono_min(since, now);
		is = mono_before(now, mono_add(since, mono_ms(WELL_MS)));
	}
	keep_at(a, is, since);
	keep_at(b, is, since);
	return is == was ? LINK_VERDICT_SAME
	       : is	 ? LINK_VERDICT_NOW_BAD
			 : LINK_VERDICT_NOW_GOOD;
}

void
link_verdict_text(const struct link_verdict *v, char *out, size_t size)
{
	const char *between = "";
	size_t n = 0;

	out[0] = '\0';
	if ((v->reasons & LINK_VERDICT_FLAPS) != 0) {
		n += (size_t)snprintf(out, size,
			"went down %llu times in 10 minutes",
			(unsigned long long)v->flaps);
		between = "; ";
	}
	if ((v->reasons & LINK_VERDICT_ERRORS) != 0 && n < size) {
		n += (size_t)snprintf(out + n, size - n,
			"%s%llu symbol errors in an hour, %.1e per bit",
			between, (unsigned long long)v->errors, v->ber);
		between = "; ";
	}
	if ((v->reasons & LINK_VERDICT_RECOVERS) != 0 && n < size) {
		n += (size_t)snprintf(out + n, size - n,
			"%srecovered %llu times in an hour", between,
			(unsigned long long)v->recovered);
		between = "; ";
	}
	if ((v->reasons & LINK_VERDICT_RAW) != 0 && n < size)
		(void)snprintf(out + n, size - n,
			"%s%.1e errors per bit before correction", between,
			v->raw_ber);
}
