#include "sm/health/port_health.h"

#include <string.h>

enum { SECOND_MS = 1000 };

static const enum mad_perf_kind counters[PORT_HEALTH_KINDS] = {
	[PORT_HEALTH_SYMBOL_ERRORS] = MAD_PERF_SYMBOL_ERRORS,
	[PORT_HEALTH_RECOVERED] = MAD_PERF_LINK_RECOVERED,
	[PORT_HEALTH_DOWNED] = MAD_PERF_LINK_DOWNED,
	[PORT_HEALTH_RCV_ERRORS] = MAD_PERF_RCV_ERRORS,
	[PORT_HEALTH_DISCARDS] = MAD_PERF_XMIT_DISCARDS,
	[PORT_HEALTH_WAIT] = MAD_PERF_XMIT_WAIT,
};

struct mono
port_health_length(enum port_health_window w)
{
	static const int seconds[PORT_HEALTH_WINDOWS] = {
		[PORT_HEALTH_MINUTE] = 60,
		[PORT_HEALTH_TEN_MINUTES] = 600,
		[PORT_HEALTH_HOUR] = 3600,
		[PORT_HEALTH_DAY] = 86400,
	};

	return mono_ms((int64_t)seconds[w] * SECOND_MS);
}

/*
 * Of a wait of 32 bits, which some devices wrap and others stop, a step back
 * from its upper half is taken for a wrap. Every other step back is a reset.
 */
static uint64_t
gain_of(enum mad_perf_kind k, bool wide, uint64_t was, uint64_t is)
{
	uint64_t limit = mad_perf_limit(k);

	if (is >= was)
		return is - was;
	if (k == MAD_PERF_XMIT_WAIT && !wide && was > limit / 2)
		return is + (limit - was) + 1;
	return is;
}

static void
add_gains(struct port_health *h, const struct port_health_reading *r)
{
	bool reset = false;

	for (unsigned k = 0; k < PORT_HEALTH_KINDS; k++) {
		enum mad_perf_kind c = counters[k];
		uint32_t bit = UINT32_C(1) << c;
		uint64_t gain;

		/* a counter that is new, or of another width, gets a base */
		if ((h->known & r->known & bit) == 0 ||
			((h->wide ^ r->wide) & bit) != 0)
			continue;
		gain = gain_of(
			c, (r->wide & bit) != 0, h->count[c], r->count[c]);
		reset |= k != PORT_HEALTH_WAIT && r->count[c] < h->count[c];
		if (k == PORT_HEALTH_WAIT)
			h->now.wait += gain;
		else
			h->now.sum[k] += (uint32_t)gain;
	}
	h->resets += reset;
}

/* Put the sums into the ring of a window, a third of it after the last. */
static void
put_sample(struct port_health *h, enum port_health_window w)
{
	struct mono gap = port_health_length(w);
	const struct port_health_sample *last = &h->ring[w][h->last[w]];

	gap.ns /= PORT_HEALTH_SAMPLES - 1;
	if (h->nring[w] > 0 && mono_before(h->now.at, mono_add(last->at, gap)))
		return;
	if (h->nring[w] > 0)
		h->last[w] = (uint8_t)((h->last[w] + 1) % PORT_HEALTH_SAMPLES);
	if (h->nring[w] < PORT_HEALTH_SAMPLES)
		h->nring[w]++;
	h->ring[w][h->last[w]] = h->now;
}

void
port_health_take(struct port_health *h, const struct port_health_reading *r,
	struct mono now)
{
	add_gains(h, r);
	h->now.at = now;
	h->read = now;
	h->known = r->known;
	h->wide = r->wide;
	memcpy(h->count, r->count, sizeof(h->count));
	for (unsigned w = 0; w < PORT_HEALTH_WINDOWS; w++)
		put_sample(h, (enum port_health_window)w);
}

/* The oldest sample that is no older than the window, or else the youngest that
 * is; NULL: there is none before the last reading. */
static const struct port_health_sample *
base_of(const struct port_health *h, enum port_health_window w)
{
	struct mono from = mono_sub(h->now.at, port_health_length(w));
	const struct port_health_sample *best = NULL;

	for (unsigned i = 0; i < h->nring[w]; i++) {
		/* from the youngest on */
		unsigned at = (h->last[w] + PORT_HEALTH_SAMPLES - i) %
			      PORT_HEALTH_SAMPLES;
		const struct port_health_sample *s = &h->ring[w][at];

		if (best != NULL && mono_before(s->at, from))
			break;
		if (mono_before(s->at, h->now.at))
			best = s;
	}
	return best;
}

uint64_t
port_health_gained(const struct port_health *h, enum port_health_window w,
	enum port_health_kind k, struct mono *span)
{
	const struct port_health_sample *base = base_of(h, w);

	*span = (struct mono){0};
	if (base == NULL)
		return 0;
	*span = mono_sub(h->now.at, base->at);
	return k == PORT_HEALTH_WAIT ? h->now.wait - base->wait
				     : h->now.sum[k] - base->sum[k];
}

bool
port_health_is_full(const struct port_health *h, enum port_health_kind k)
{
	uint32_t bit = UINT32_C(1) << counters[k];

	return (h->known & bit) != 0 && (h->wide & bit) == 0 &&
	       h->count[counters[k]] >= mad_perf_limit(counters[k]);
}
