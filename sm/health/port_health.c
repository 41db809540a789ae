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

unsigned
port_health_times_put(struct port_health_times *t, struct mono now)
{
	unsigned put = 0;

	t->now = now;
	for (unsigned w = 0; w < PORT_HEALTH_WINDOWS; w++) {
		struct mono gap =
			port_health_length((enum port_health_window)w);

		gap.ns /= PORT_HEALTH_SAMPLES - 1;
		if (t->n[w] > 0 &&
			mono_before(now, mono_add(t->at[w][t->last[w]], gap)))
			continue;
		if (t->n[w] > 0)
			t->last[w] = (uint8_t)((t->last[w] + 1) %
					       PORT_HEALTH_SAMPLES);
		if (t->n[w] < PORT_HEALTH_SAMPLES)
			t->n[w]++;
		t->at[w][t->last[w]] = now;
		put |= 1U << w;
	}
	return put;
}

/* The oldest sample that is no older than the window, or else the youngest that
 * is. */
unsigned
port_health_times_base(const struct port_health_times *t,
	enum port_health_window w, struct mono *span)
{
	struct mono from = mono_sub(t->now, port_health_length(w));
	unsigned best = PORT_HEALTH_SAMPLES;

	*span = (struct mono){0};
	for (unsigned i = 0; i < t->n[w]; i++) {
		/* from the youngest on */
		unsigned at = (t->last[w] + PORT_HEALTH_SAMPLES - i) %
			      PORT_HEALTH_SAMPLES;

		if (best < PORT_HEALTH_SAMPLES &&
			mono_before(t->at[w][at], from))
			break;
		if (mono_before(t->at[w][at], t->now))
			best = at;
	}
	if (best < PORT_HEALTH_SAMPLES)
		*span = mono_sub(t->now, t->at[w][best]);
	return best;
}

void
port_health_take(struct port_health *h, const struct port_health_reading *r,
	struct mono now)
{
	unsigned put;

	add_gains(h, r);
	h->read = now;
	h->known = r->known;
	h->wide = r->wide;
	memcpy(h->count, r->count, sizeof(h->count));
	put = port_health_times_put(&h->times, now);
	for (unsigned w = 0; w < PORT_HEALTH_WINDOWS; w++)
		if ((put >> w & 1) != 0)
			h->ring[w][h->times.last[w]] = h->now;
}

uint64_t
port_health_gained(const struct port_health *h, enum port_health_window w,
	enum port_health_kind k, struct mono *span)
{
	unsigned at = port_health_times_base(&h->times, w, span);
	const struct port_health_sums *base;

	if (at == PORT_HEALTH_SAMPLES)
		return 0;
	base = &h->ring[w][at];
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
