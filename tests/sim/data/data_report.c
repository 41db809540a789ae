#include "tests/sim/data/data_report.h"

#include <string.h>

#include "sm/base/mem.h"
#include "tests/sim/data/data_int.h"

static unsigned
bucket_of(int64_t v)
{
	unsigned e, i;

	if (v < 64)
		return v < 0 ? 0 : (unsigned)v;
	e = 63 - (unsigned)__builtin_clzll((uint64_t)v);
	i = (e - 5) * 64 + (unsigned)(v >> (e - 6) & 63);
	return i < DATA_HIST ? i : DATA_HIST - 1;
}

/* The middle of a bucket. */
static int64_t
bucket_value(unsigned i)
{
	unsigned e;

	if (i < 64)
		return i;
	e = i / 64 + 5;
	return ((64LL + i % 64) << (e - 6)) + (1LL << (e - 6)) / 2;
}

static void
add_sample(struct data_hist *h, int64_t v)
{
	h->bucket[bucket_of(v)]++;
	if (h->n == 0 || v < h->min)
		h->min = v;
	if (h->n == 0 || v > h->max)
		h->max = v;
	h->n++;
	h->sum += (uint64_t)v;
}

/* The smallest value that `part` of 100 samples do not exceed. */
static int64_t
find_quantile(const struct data_hist *h, unsigned part)
{
	uint64_t want = (h->n * part + 99) / 100, seen = 0;

	for (unsigned i = 0; i < DATA_HIST; i++) {
		seen += h->bucket[i];
		if (h->n && seen >= want) {
			int64_t v = bucket_value(i);

			return v < h->min ? h->min : v > h->max ? h->max : v;
		}
	}
	return 0;
}

static struct data_latency
summarize_hist(const struct data_hist *h)
{
	return (struct data_latency){
		.n = h->n,
		.min = h->min,
		.mean = h->n ? (int64_t)(h->sum / h->n) : 0,
		.p50 = find_quantile(h, 50),
		.p99 = find_quantile(h, 99),
		.max = h->max,
	};
}

struct data_bin *
data_report_bin(struct data *d, int64_t t)
{
	size_t i = (size_t)(t / d->bin_ps);

	while (d->nbin <= i) {
		d->bin =
			mem_grow(d->bin, d->nbin, &d->bin_cap, sizeof(*d->bin));
		d->bin[d->nbin++] = (struct data_bin){0};
	}
	return &d->bin[i];
}

void
data_report_count(struct data *d, const struct data_packet *k)
{
	uint32_t end = d->port[k->at].end;

	d->bytes += k->bytes;
	if (end != DATA_NONE)
		d->end[end].received += k->bytes;
	add_sample(&d->whole, d->now - k->born);
	add_sample(&d->network, d->now - k->sent);
	if (d->bin_ps) {
		struct data_bin *b = data_report_bin(d, d->now);

		b->bytes += k->bytes;
		b->packets++;
	}
}

/* Bytes that an end port was to send, also those it has had no time for yet. */
static uint64_t
offered_bytes(const struct data *d, const struct data_end *e)
{
	uint64_t late = 0;

	if (d->sending && e->mean && e->due < d->now)
		late = (uint64_t)((d->now - e->due) / e->mean) * d->t.message;
	return e->made + late;
}

void
data_report_mark(struct data *d)
{
	d->mark = d->now;
	d->delivered_0 = d->delivered;
	d->dropped_0 = d->dropped;
	d->bytes_0 = d->bytes;
	memset(&d->whole, 0, sizeof(d->whole));
	memset(&d->network, 0, sizeof(d->network));
	for (uint32_t i = 0; i < d->nends; i++) {
		struct data_end *e = &d->end[i];

		e->made_0 = offered_bytes(d, e);
		e->sent_0 = e->sent;
		e->received_0 = e->received;
	}
}

/* Bytes that the end's link could carry since the mark. */
static double
link_capacity(const struct data *d, const struct data_end *e)
{
	return (double)(d->now - d->mark) * 1000 / d->port[e->port].fs;
}

static double
fraction_of(double a, double b)
{
	return b > 0 ? a / b : 0;
}

void
data_report_end(const struct data *d, uint32_t end, struct data_end_report *out)
{
	const struct data_end *e = &d->end[end];
	double all = link_capacity(d, e);

	*out = (struct data_end_report){
		.sent = e->sent - e->sent_0,
		.received = e->received - e->received_0,
	};
	out->offered =
		fraction_of((double)(offered_bytes(d, e) - e->made_0), all);
	out->accepted = fraction_of((double)out->received, all);
}

void
data_report_flow(const struct data *d, uint32_t src, uint32_t dst,
	uint16_t dlid, uint8_t sl, struct data_flow_report *out)
{
	const struct data_flow *f = data_flow_find(d, src, dst, dlid, sl);

	*out = (struct data_flow_report){0};
	if (f)
		*out = (struct data_flow_report){
			f->sent, f->arrived, f->reordered, f->chose};
}

static void
sum_flows(const struct data *d, struct data_report *out)
{
	for (size_t i = 0; i < d->nflow; i++) {
		const struct data_flow *f = &d->flow[i];

		out->reordered += f->reordered;
		out->reordered_flows += f->reordered > 0;
		out->reordered_fixed += f->chose ? 0 : f->reordered;
	}
	out->flows = d->nflow;
}

void
data_report_get(const struct data *d, struct data_report *out)
{
	uint64_t refused = 0;
	double all = 0, want = 0;

	for (uint32_t i = 0; i < d->nends; i++) {
		all += link_capacity(d, &d->end[i]);
		refused += d->end[i].refused;
		want += (double)(offered_bytes(d, &d->end[i]) -
				 d->end[i].made_0);
	}
	*out = (struct data_report){
		.injected = d->injected,
		.delivered = d->delivered,
		.dropped = d->dropped,
		.in_flight = d->in_flight,
		.hops = d->hops,
		.refused = refused,
		.events = d->q.done,
		.from = {d->mark / 1000},
		.to = {d->now / 1000},
		.offered = fraction_of(want, all),
		.accepted = fraction_of((double)(d->bytes - d->bytes_0), all),
		.packets = d->delivered - d->delivered_0,
		.bytes = d->bytes - d->bytes_0,
		.lost = d->dropped - d->dropped_0,
		.whole = summarize_hist(&d->whole),
		.network = summarize_hist(&d->network),
		.deadlock = d->deadlock,
		.deadlock_now = d->deadlock_now,
		.deadlock_at = {d->deadlock_at / 1000},
		.cycle_length = d->cycle_length,
		.dead_buffers = d->dead_buffers,
		.cycle = d->cycle.n ? d->cycle.text : "",
	};
	memcpy(out->drop, d->drop, sizeof(out->drop));
	sum_flows(d, out);
}

static void
print_latency(struct buf *out, const char *what, const struct data_latency *l)
{
	buf_printf(out,
		"%s latency ns: min %.1f mean %.1f p50 %.1f p99 %.1f"
		" max %.1f\n",
		what, (double)l->min / 1e3, (double)l->mean / 1e3,
		(double)l->p50 / 1e3, (double)l->p99 / 1e3,
		(double)l->max / 1e3);
}

void
data_report_print(const struct data *d, struct buf *out)
{
	struct data_report r;

	data_report_get(d, &r);
	buf_printf(out,
		"from %.3f us to %.3f us: offered %.4f accepted %.4f of the"
		" links of %u end ports\n",
		(double)r.from.ns / 1e3, (double)r.to.ns / 1e3, r.offered,
		r.accepted, d->nends);
	buf_printf(out,
		"packets: injected %llu delivered %llu dropped %llu in flight"
		" %llu\n",
		(unsigned long long)r.injected, (unsigned long long)r.delivered,
		(unsigned long long)r.dropped, (unsigned long long)r.in_flight);
	for (unsigned i = 0; i < DATA_DROPS; i++) {
		if (r.drop[i])
			buf_printf(out, "dropped, %s: %llu\n",
				data_drop_name((enum data_drop)i),
				(unsigned long long)r.drop[i]);
	}
	if (r.flows)
		buf_printf(out,
			"out of order: %llu packets of %llu in %llu flows, %llu"
			" where no switch chose\n",
			(unsigned long long)r.reordered,
			(unsigned long long)r.reordered_flows,
			(unsigned long long)r.flows,
			(unsigned long long)r.reordered_fixed);
	print_latency(out, "message", &r.whole);
	print_latency(out, "network", &r.network);
	if (r.deadlock)
		buf_printf(out, "%s", r.cycle);
}

const struct data_bin *
data_report_series(const struct data *d, uint32_t *n)
{
	*n = (uint32_t)d->nbin;
	return d->bin;
}
