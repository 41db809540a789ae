#include "sm/health/port_fec.h"

/* From one reading of a counter to the next. */
static uint32_t
gain_of(uint32_t was, uint32_t is)
{
	return is >= was ? is - was : is;
}

void
port_fec_take(struct port_fec *f, const struct mad_perf_fec *r, struct mono now)
{
	unsigned put;

	if (f->times.n[0] > 0) {
		f->now.corrected += gain_of(
			f->last.corrected_symbols, r->corrected_symbols);
		f->now.uncorrectable += gain_of(
			f->last.uncorrectable_blocks, r->uncorrectable_blocks);
	}
	f->counts |= (r->corrected_symbols | r->corrected_blocks |
			     r->uncorrectable_blocks) != 0;
	f->last = *r;
	put = port_health_times_put(&f->times, now);
	for (unsigned w = 0; w < PORT_HEALTH_WINDOWS; w++)
		if ((put >> w & 1) != 0)
			f->ring[w][f->times.last[w]] = f->now;
}

bool
port_fec_gained(const struct port_fec *f, enum port_health_window w,
	struct port_fec_sums *gained, struct mono *span)
{
	unsigned at = port_health_times_base(&f->times, w, span);

	*gained = (struct port_fec_sums){0};
	if (at == PORT_HEALTH_SAMPLES || !f->counts ||
		f->last.corrected_symbols == UINT32_MAX)
		return false;
	gained->corrected = f->now.corrected - f->ring[w][at].corrected;
	gained->uncorrectable =
		f->now.uncorrectable - f->ring[w][at].uncorrectable;
	return true;
}
