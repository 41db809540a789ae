/*
 * Deadlocks are found and named where they must be, and nowhere else.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "tests/sim/data/field.h"
#include "tests/topo/shape.h"
#include "tests/unit/suite.h"

static void
expect_deadlock(struct field *x, unsigned n)
{
	uint64_t stuck;

	field_saturate(x);
	field_run(x, 1000000);
	ck_assert(x->r.deadlock && x->r.deadlock_now);
	ck_assert_uint_eq(x->r.cycle_length, n);
	ck_assert_msg(strstr(x->r.cycle, "wait for each other in a circle"),
		"%s", x->r.cycle);
	for (unsigned i = 0; i < n; i++) {
		char name[32];

		(void)snprintf(name, sizeof(name), "\"sw%u\" port", i);
		ck_assert_msg(strstr(x->r.cycle, name), "%s", x->r.cycle);
	}
	ck_assert_msg(strstr(x->r.cycle, "\" -> \"h"), "%s", x->r.cycle);
	/* it is a deadlock: nothing moves any more */
	stuck = x->r.in_flight;
	data_traffic_stop(x->d);
	field_run(x, 100000000);
	ck_assert(x->r.deadlock_now);
	ck_assert_uint_gt(x->r.in_flight, 0);
	ck_assert_uint_le(x->r.in_flight, stuck);
	ck_assert_uint_eq(x->r.dropped, 0);
}

TEST(a_clockwise_ring_deadlocks)
{
	for (unsigned n = 4; n <= 6; n++) {
		struct data_options fifo = data_fifo(), any = data_defaults();
		struct field x;

		x = field_new(shape_of("torus:%u", n), &fifo);
		field_route_clockwise(x.s, x.f);
		expect_deadlock(&x, n);
		if (n == 5)
			(void)printf("%s", x.r.cycle);
		field_free(&x);
		x = field_new(shape_of("torus:%u", n), &any);
		field_route_clockwise(x.s, x.f);
		expect_deadlock(&x, n);
		field_free(&x);
	}
}

TEST(a_cut_ring_does_not)
{
	struct data_options o = data_fifo();

	o.check = mono_us(1);
	for (unsigned n = 5; n <= 6; n++) {
		AUTO(field)
		struct field x = field_new(shape_of("torus:%u", n), &o);

		/* the link from the last switch to the first stays unused */
		field_route_shortest(&x, 2 * (n - 1));
		field_saturate(&x);
		field_run(&x, 1000000);
		ck_assert_msg(!x.r.deadlock, "%s", x.r.cycle);
		ck_assert_uint_gt(x.r.delivered, 10000);
		data_traffic_stop(x.d);
		field_run(&x, 1000000);
		ck_assert_uint_eq(x.r.in_flight, 0);
		ck_assert_uint_eq(x.r.dropped, 0);
	}
}

TEST(what_still_moves_is_no_deadlock)
{
	/* Cyclic tables, little traffic, little room: now and then a circle of
	 * buffers waits, but for credits under way. A reported deadlock must
	 * remain when the traffic has ended. */
	unsigned dead = 0;

	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct data_options o = data_fifo();
		struct data_traffic t = data_traffic_defaults();
		AUTO(field) struct field x;

		o.seed = seed;
		o.buffer = 4096;
		o.check = (struct mono){100};
		x = field_new(shape_of("torus:5"), &o);
		field_route_clockwise(x.s, x.f);
		t.load = 0.06 + 0.005 * (double)seed;
		data_traffic_start(x.d, &t);
		for (unsigned i = 0; i < 300 && !x.r.deadlock; i++)
			field_run(&x, 100);
		data_traffic_stop(x.d);
		field_run(&x, 1000000);
		ck_assert_msg(x.r.deadlock == (x.r.in_flight > 0),
			"seed %llu: %llu left\n%s", (unsigned long long)seed,
			(unsigned long long)x.r.in_flight, x.r.cycle);
		dead += x.r.deadlock;
	}
	/* both outcomes were seen */
	ck_assert_msg(dead > 0 && dead < 40, "%u of 40 dead", dead);
}

TEST(a_packet_on_its_way_out_is_hope)
{
	/*
	 * A ring of five, room for two packets in each buffer, and from every
	 * host two packets for the host after the next: all buffers are full
	 * and wait for each other. But the very first packet of host 0 is for
	 * its neighbour: while it leaves (250 to 332 ns), and its credit
	 * returns, all other packets wait, and yet there is no deadlock.
	 */
	for (uint32_t first = 1; first <= 2; first++) {
		struct data_options o = data_fifo();
		AUTO(field) struct field x;

		o.buffer = 4096;
		o.check = (struct mono){10};
		x = field_new(shape_of("torus:5"), &o);
		field_route_clockwise(x.s, x.f);
		for (uint32_t i = 0; i < 5; i++) {
			uint32_t to = (i + (i ? 2 : first)) % 5;

			data_traffic_one(x.d, i, to, 0, 0, 2048);
			data_traffic_one(x.d, i, (i + 2) % 5, 0, 0, 2048);
		}
		field_run(&x, 100000);
		ck_assert_msg(x.r.deadlock == (first == 2), "%s", x.r.cycle);
		ck_assert_uint_eq(x.r.delivered, first == 2 ? 0 : 10);
	}
}

TEST(the_manager_keeps_a_ring_alive)
{
	AUTO(fabric) struct fabric *f = shape_of("torus:6");
	AUTO(world) struct world *w = field_bring_up(f, "");
	struct data_options o = data_fifo();
	struct data_traffic t = data_traffic_defaults();
	struct data_report r;
	struct reason why;
	AUTO(data) struct data *d = NULL;

	o.check = mono_us(1);
	d = data_new(w->sim, &o);
	data_traffic_start(d, &t);
	world_run(w, mono_ms(2));
	data_report_get(d, &r);
	ck_assert_msg(!r.deadlock, "%s", r.cycle);
	ck_assert_uint_gt(r.delivered, 50000);
	ck_assert_uint_eq(r.dropped, 0);
	/* the same fabric under the same traffic with cyclic tables */
	field_route_clockwise(w->sim, f);
	world_run(w, mono_ms(2));
	data_report_get(d, &r);
	ck_assert(r.deadlock && r.deadlock_now);
	/* packets that the change sends back to their in-port are dropped, and
	 * no others: lifetimes are off */
	ck_assert_uint_eq(r.dropped, r.drop[DATA_DROP_SAME]);
	ck_assert_msg(data_check(d, &why) == 0, "%s", why.text);
}

TEST(lifetimes_end_a_deadlock)
{
	struct data_options o = data_fifo();
	AUTO(field) struct field x;

	o.lifetimes = true;
	x = field_new(shape_of("torus:5"), &o);
	field_ports(x.s, x.f, 5, 4, 3); /* 32.768 us */
	field_route_clockwise(x.s, x.f);
	field_saturate(&x);
	field_run(&x, 2000000);
	ck_assert(x.r.deadlock);
	ck_assert_uint_gt(x.r.drop[DATA_DROP_HOQ], 0);
	data_traffic_stop(x.d);
	field_run(&x, 2000000);
	ck_assert_uint_eq(x.r.in_flight, 0);
	ck_assert(!x.r.deadlock_now);
}
