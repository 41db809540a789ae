/* Traps are repressed as they came; repetitions and floods cause nothing. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sm/core/trap_filter.h"
#include "tests/unit/suite.h"

static void
make_trap(struct smp *s, struct mad_notice *n, uint64_t tid, uint16_t lid)
{
	memset(s, 0, sizeof(*s));
	memset(n, 0, sizeof(*n));
	n->generic = true;
	n->type = 1;
	n->producer = 2;
	n->trap = 128;
	n->issuer_lid = lid;
	n->data_lid = lid;
	s->mgmt_class = MAD_SUBN_LID;
	s->method = MAD_TRAP;
	s->attr = MAD_NOTICE;
	s->tid = tid;
	mad_notice_encode(n, s->data);
}

TEST(repetitions_are_not_acted_on)
{
	struct trap_filter *t = trap_filter_new();
	struct mad_notice n;
	struct smp s;

	make_trap(&s, &n, 1, 5);
	ck_assert_int_eq(trap_filter_judge(t, 5, &s, &n, mono_ms(1)), TRAP_ACT);
	ck_assert_int_eq(
		trap_filter_judge(t, 5, &s, &n, mono_ms(500)), TRAP_REPEAT);
	/* the same notice from another source is new */
	ck_assert_int_eq(
		trap_filter_judge(t, 6, &s, &n, mono_ms(500)), TRAP_ACT);
	/* and so is a new notice of the same source */
	make_trap(&s, &n, 2, 5);
	ck_assert_int_eq(
		trap_filter_judge(t, 5, &s, &n, mono_ms(600)), TRAP_ACT);
	/* which may have been in vain, if it still comes */
	ck_assert_int_eq(
		trap_filter_judge(t, 5, &s, &n, mono_ms(2000)), TRAP_AGAIN);
	trap_filter_free(t);
}

TEST(a_flood_is_ignored_and_forgiven)
{
	struct trap_filter *t = trap_filter_new();
	struct mad_notice n;
	struct smp s;
	unsigned acted = 0;
	uint64_t i;

	for (i = 0; i < 1000; i++) {
		make_trap(&s, &n, i, 5);
		if (trap_filter_judge(t, 5, &s, &n, mono_us((int64_t)i)) ==
			TRAP_ACT)
			acted++;
	}
	ck_assert_uint_le(acted, 20);
	make_trap(&s, &n, 5000, 6);
	ck_assert_int_eq(trap_filter_judge(t, 6, &s, &n, mono_ms(2)), TRAP_ACT);
	make_trap(&s, &n, 5001, 5);
	ck_assert_int_eq(
		trap_filter_judge(t, 5, &s, &n, mono_ms(60000)), TRAP_ACT);
	trap_filter_free(t);
}

TEST(repress_repeats_the_notice)
{
	struct transport_msg m, out;
	struct mad_notice n, back;
	struct smp s, r;

	make_trap(&s, &n, 0x1234567800000009U, 5);
	memset(&m, 0, sizeof(m));
	m.addr.lid = 5;
	m.len = MAD_SIZE;
	smp_encode(&s, m.mad);
	trap_filter_repress(&m, &s, 0x77, &out);
	ck_assert_uint_eq(out.addr.lid, 5);
	ck_assert_int_eq(smp_decode(out.mad, out.len, &r, NULL), 0);
	ck_assert_uint_eq(r.method, MAD_TRAP_REPRESS);
	ck_assert_uint_eq(r.attr, MAD_NOTICE);
	ck_assert_uint_eq(r.tid, s.tid);
	ck_assert_uint_eq(r.mkey, 0x77); /* a port checks it */
	mad_notice_decode(r.data, &back);
	ck_assert_uint_eq(back.trap, 128);
	ck_assert_uint_eq(back.data_lid, 5);
}
