#include "sm/report/loss_json.h"

#include <stdio.h>

#include "distribution/transition/loss_estimate.h"
#include "sm/report/json_util.h"
#include "sm/report/page.h"

/* Packets of each cause, beside their sum. */
static void
put_causes(json_t *o, const struct loss_estimate *e, const double *lost,
	double rate)
{
	json_util_put(o, M("packets", loss_estimate_packets(e,
					      loss_estimate_sum(lost), rate)));
	for (unsigned c = 0; c < LOSS_ESTIMATE_CAUSES; c++)
		json_util_put(o,
			M(loss_estimate_cause_name((enum loss_estimate_cause)c),
				loss_estimate_packets(e, lost[c], rate)));
}

static json_t *
phase_json(const struct loss_estimate *e, const struct loss_estimate_phase *p,
	double rate)
{
	json_t *o = json_object();

	json_util_put(o, M("what", loss_estimate_kind_name(p->kind)),
		M("stage", p->stage), M("smps", p->smps),
		M("seconds", mono_seconds(p->time)),
		M("drain", mono_seconds(p->drain)));
	put_causes(o, e, p->lost, rate);
	return o;
}

json_t *
loss_json(const struct loss_estimate *e, double rate)
{
	json_t *o = json_object(), *list = json_array();

	for (size_t i = 0; i < e->nphases; i++)
		json_util_add(list, phase_json(e, &e->phase[i], rate));
	json_util_put(o, M("rate", rate), M("hosts", e->hosts),
		M("answer", mono_seconds(e->answer)),
		M("pairs_without_way", e->now),
		M("without_way_per_ms",
			loss_estimate_packets(e, e->now / 1e3, rate)),
		M("seconds", mono_seconds(e->time)));
	put_causes(o, e, e->lost, rate);
	json_util_put(o, M("phases", list));
	return o;
}

uint64_t
loss_by_blocking(const struct loss_estimate *e, double rate)
{
	double lost =
		e->lost[LOSS_ESTIMATE_CLOSED] + e->lost[LOSS_ESTIMATE_DOWN];

	return (uint64_t)(loss_estimate_packets(e, lost, rate) + 0.5);
}

void
loss_count_text(double n, char out[16])
{
	(void)snprintf(out, 16, n < 1e8 ? "%.0f" : "%.2e", n);
}

/* ": 12 broken, 3 closed", or nothing. */
static void
show_causes(const json_t *o, struct buf *out)
{
	const char *between = ": ";

	for (unsigned c = 0; c < LOSS_ESTIMATE_CAUSES; c++) {
		const char *name =
			loss_estimate_cause_name((enum loss_estimate_cause)c);
		double n = json_util_real(o, name);
		char count[16];

		if (n < 0.5)
			continue;
		loss_count_text(n, count);
		buf_printf(out, "%s%s %s", between, count, name);
		between = ", ";
	}
	buf_printf(out, "\n");
}

static void
show_phase(const json_t *p, struct buf *out)
{
	char what[32], count[16];

	(void)snprintf(what, sizeof(what),
		json_util_num(p, "stage") > 1 ? "%s %lld" : "%s",
		json_util_text(p, "what"), json_util_num(p, "stage"));
	loss_count_text(json_util_real(p, "packets"), count);
	buf_printf(out, "            %-13s %9.3f ms %8s packets", what,
		json_util_real(p, "seconds") * 1e3, count);
	show_causes(p, out);
}

void
loss_show(const json_t *o, struct buf *out)
{
	const json_t *p;
	char count[16];
	size_t i;

	if (json_util_num(o, "hosts") < 2)
		return;
	loss_count_text(json_util_real(o, "packets"), count);
	buf_printf(out, "  expected  %s packets lost", count);
	show_causes(o, out);
	page_print(out, o,
		"            if each of %(hosts)d hosts sends %(rate).0f "
		"packets/s, evenly to all others,\n");
	buf_printf(out, "            and an SMP is answered after %.0f us\n",
		json_util_real(o, "answer") * 1e6);
	loss_count_text(json_util_real(o, "without_way_per_ms"), count);
	if (json_util_real(o, "pairs_without_way") > 0) {
		page_print(out, o,
			"            %(pairs_without_way).0f pairs of hosts "
			"have no path until the first write:\n");
		buf_printf(out, "            %s packets per ms\n", count);
	}
	page_print(out, o,
		"%(down)?{            ports that were taken down are assumed "
		"to "
		"come up at once;\n"
		"            links that take long to train lose more\n}");
	json_array_foreach(json_object_get(o, "phases"), i, p)
		show_phase(p, out);
}
