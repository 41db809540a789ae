#include "sm/health/port_fec.h"

struct port_fec_lanes
port_fec_lanes(const struct mad_perf_fec *r)
{
	struct port_fec_lanes n = {0};

	for (unsigned i = 0; i < MAD_PERF_LANES; i++) {
		n.corrected += r->lane_corrected[i];
		n.uncorrectable += r->lane_uncorrectable[i];
		n.detected += r->detected[i];
	}
	return n;
}

/* The errors that a reading tells of, at least. */
static uint64_t
errors_of(const struct mad_perf_fec *r)
{
	const struct port_fec_lanes lanes = port_fec_lanes(r);
	const uint64_t of_port =
		(uint64_t)r->corrected_symbols + r->uncorrectable_blocks;
	const uint64_t of_lanes = lanes.corrected + lanes.uncorrectable;
	const uint64_t most = of_port > of_lanes ? of_port : of_lanes;

	return most > lanes.detected ? most : lanes.detected;
}

static bool
is_full(const struct mad_perf_fec *r)
{
	bool full = r->corrected_symbols == UINT32_MAX ||
		    r->uncorrectable_blocks == UINT32_MAX;

	for (unsigned i = 0; i < MAD_PERF_LANES; i++)
		full |= r->lane_corrected[i] == UINT32_MAX ||
			r->lane_uncorrectable[i] == UINT32_MAX ||
			r->detected[i] == UINT16_MAX;
	return full;
}

void
port_fec_take(struct port_fec *f, const struct mad_perf_fec *r, struct mono now)
{
	const uint64_t was = errors_of(&f->last), is = errors_of(r);
	unsigned put;

	if (f->times.n[0] > 0)
		f->now += is >= was ? is - was : is;
	f->counts |= is != 0 || r->corrected_blocks != 0;
	f->full = is_full(r);
	f->last = *r;
	put = port_health_times_put(&f->times, now);
	for (unsigned w = 0; w < PORT_HEALTH_WINDOWS; w++)
		if ((put >> w & 1) != 0)
			f->ring[w][f->times.last[w]] = f->now;
}

bool
port_fec_gained(const struct port_fec *f, enum port_health_window w,
	uint64_t *errors, struct mono *span)
{
	unsigned at = port_health_times_base(&f->times, w, span);

	*errors = 0;
	if (at == PORT_HEALTH_SAMPLES || !f->counts || f->full)
		return false;
	*errors = f->now - f->ring[w][at];
	return true;
}
