#include "sm/ctl/expected.h"

#include <stdio.h>

#include "distribution/expect.h"
#include "sm/ctl/member.h"

/* Packets of each cause, beside their sum. */
static void
put_causes(json_t *o, const struct expect *e, const double *lost, double rate)
{
	member_put(o, "packets",
		json_real(expect_packets(e, expect_sum(lost), rate)));
	for (unsigned c = 0; c < EXPECT_CAUSES; c++)
		member_put(o, expect_cause_name((enum expect_cause)c),
			json_real(expect_packets(e, lost[c], rate)));
}

static json_t *
phase_json(const struct expect *e, const struct expect_phase *p, double rate)
{
	json_t *o = json_object();

	member_put(o, "what", json_string(expect_kind_name(p->kind)));
	member_put(o, "stage", member_u64(p->stage));
	member_put(o, "smps", member_u64(p->smps));
	member_put(o, "seconds", json_real(mono_seconds(p->time)));
	member_put(o, "drain", json_real(mono_seconds(p->drain)));
	put_causes(o, e, p->lost, rate);
	return o;
}

json_t *
expected_json(const struct expect *e, double rate)
{
	json_t *o = json_object(), *list = json_array();

	for (size_t i = 0; i < e->nphases; i++)
		(void)json_array_append_new(
			list, phase_json(e, &e->phase[i], rate));
	member_put(o, "rate", json_real(rate));
	member_put(o, "hosts", member_u64(e->hosts));
	member_put(o, "answer", json_real(mono_seconds(e->answer)));
	member_put(o, "pairs_without_way", json_real(e->now));
	member_put(o, "without_way_per_ms",
		json_real(expect_packets(e, e->now / 1e3, rate)));
	member_put(o, "seconds", json_real(mono_seconds(e->time)));
	put_causes(o, e, e->lost, rate);
	member_put(o, "phases", list);
	return o;
}

/* "; 12 broken, 3 closed", or nothing. */
static void
show_causes(const json_t *o, struct buf *out)
{
	const char *between = ": ";

	for (unsigned c = 0; c < EXPECT_CAUSES; c++) {
		const char *name = expect_cause_name((enum expect_cause)c);
		double n = member_real(o, name);

		if (n < 0.5)
			continue;
		buf_printf(out, "%s%.0f %s", between, n, name);
		between = ", ";
	}
	buf_printf(out, "\n");
}

static void
show_phase(const json_t *p, struct buf *out)
{
	char what[32];

	(void)snprintf(what, sizeof(what),
		member_num(p, "stage") > 1 ? "%s %lld" : "%s",
		member_text(p, "what"), member_num(p, "stage"));
	buf_printf(out, "            %-14s %9.3f ms %8.0f packets", what,
		member_real(p, "seconds") * 1e3, member_real(p, "packets"));
	show_causes(p, out);
}

void
expected_show(const json_t *o, struct buf *out)
{
	const json_t *p;
	size_t i;

	if (member_num(o, "hosts") < 2)
		return;
	buf_printf(out, "  expected  %.0f packets lost",
		member_real(o, "packets"));
	show_causes(o, out);
	buf_printf(out,
		"            if each of %lld hosts sends %.0f a second, evenly "
		"to "
		"all others,\n"
		"            and an SMP is answered after %.0f us\n",
		member_num(o, "hosts"), member_real(o, "rate"),
		member_real(o, "answer") * 1e6);
	if (member_real(o, "pairs_without_way") > 0)
		buf_printf(out,
			"            %.0f pairs of hosts have no way until the "
			"first write: %.0f packets a ms\n",
			member_real(o, "pairs_without_way"),
			member_real(o, "without_way_per_ms"));
	json_array_foreach(json_object_get(o, "phases"), i, p)
		show_phase(p, out);
}
