/*
 * Traffic of hosts while a subnet manager is at work: the command `traffic`.
 * Every end port sends to all others at random, to the LIDs that they had when
 * the traffic began, as applications do that have asked for a path. So a packet
 * is lost when an entry on its way is missing or a loop, when a link on it is
 * not Active, and when its destination has got another LID.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "sm/base/mem.h"
#include "tests/sim/data/data.h"
#include "tests/sim/data/data_report.h"
#include "tests/sim/data/data_traffic.h"
#include "tests/sim/serve/serve_int.h"

enum { BYTES = 2048, RATE_MAX = 100000, CHECK_MS = 10 };

/* Bytes a second of 4x HDR. Hosts with another link send in proportion. */
static const double link_rate = 25e9;

struct serve_traffic {
	struct data *d;
	uint16_t *lid; /* of each end, when the traffic began */
};

static uint16_t
first_lid(void *cookie, uint32_t src, uint32_t dst)
{
	const struct serve_traffic *t = cookie;

	(void)src;
	return t->lid[dst];
}

/* Note the LID of every end. */
static int
note_lids(struct serve *s, struct serve_traffic *t, struct reason *why)
{
	uint32_t n = data_ends(t->d);

	t->lid = mem_zalloc(n + 1, sizeof(*t->lid));
	for (uint32_t i = 0; i < n; i++) {
		uint32_t node = data_end_node(t->d, i);

		t->lid[i] = sim_port_info(s->sim, node, data_end_port(t->d, i))
				    ->lid;
		if (t->lid[i] == 0)
			return reason_set(why,
				"%s has no LID: a subnet manager comes first",
				s->f->node[node].name);
	}
	return 0;
}

int
serve_traffic_start(struct serve *s, unsigned rate, struct reason *why)
{
	struct data_options o = data_defaults();
	struct data_traffic t = data_traffic_defaults();

	if (rate == 0 || rate > RATE_MAX)
		return reason_set(why,
			"%u packets a second: 1 to %u of each host", rate,
			(unsigned)RATE_MAX);
	serve_traffic_free(s);
	s->traffic = mem_zalloc(1, sizeof(*s->traffic));
	o.check = mono_ms(CHECK_MS);
	o.order = true;
	s->traffic->d = data_new(s->sim, &o);
	if (note_lids(s, s->traffic, why)) {
		serve_traffic_free(s);
		return -1;
	}
	t.pattern = DATA_UNIFORM;
	t.packet = BYTES;
	t.load = (double)rate * BYTES / link_rate;
	t.lose = true;
	t.dlid = first_lid;
	t.cookie = s->traffic;
	data_traffic_start(s->traffic->d, &t);
	return 0;
}

int
serve_traffic_show(struct serve *s, struct buf *out, struct reason *why)
{
	struct data_report r;
	uint64_t lost;

	if (s->traffic == NULL)
		return reason_set(why, "there is no traffic");
	data_report_get(s->traffic->d, &r);
	lost = r.dropped + r.refused;
	buf_printf(out,
		"%" PRIu64 " packets, %" PRIu64 " arrived, %" PRIu64
		" under way, %" PRIu64 " lost",
		r.injected + r.refused, r.delivered, r.in_flight, lost);
	for (int i = 0; i < DATA_DROPS; i++)
		if (r.drop[i] > 0)
			buf_printf(out, "; %" PRIu64 " %s", r.drop[i],
				data_drop_name((enum data_drop)i));
	if (r.refused > 0)
		buf_printf(out, "; %" PRIu64 " at ports that are not Active",
			r.refused);
	if (r.reordered > 0)
		buf_printf(out, "; %" PRIu64 " out of order", r.reordered);
	if (r.deadlock)
		buf_printf(out, "; DEADLOCK of %u buffers", r.dead_buffers);
	buf_printf(out, "\n");
	return 0;
}

void
serve_traffic_free(struct serve *s)
{
	if (s->traffic == NULL)
		return;
	data_free(s->traffic->d);
	free(s->traffic->lid);
	free(s->traffic);
	s->traffic = NULL;
}
