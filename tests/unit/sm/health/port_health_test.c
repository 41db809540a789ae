/* What the counters of a port gained, over time. */
#include "sm/health/port_health.h"

#include "tests/unit/suite.h"

static const uint32_t all = (UINT32_C(1) << MAD_PERF_KINDS) - 1;

static struct mono
at_seconds(int64_t s)
{
	return mono_ms(s * 1000);
}

/* Reads the port at this second with so many symbol errors. */
static void
read_at(struct port_health *h, int64_t s, uint64_t errors)
{
	struct port_health_reading r = {.known = all};

	r.count[MAD_PERF_SYMBOL_ERRORS] = errors;
	port_health_take(h, &r, at_seconds(s));
}

static void
expect_gain(const struct port_health *h, enum port_health_window w,
	uint64_t gained, int64_t seconds)
{
	struct mono span;

	ck_assert_uint_eq(
		port_health_gained(h, w, PORT_HEALTH_SYMBOL_ERRORS, &span),
		gained);
	ck_assert_int_eq(span.ns, at_seconds(seconds).ns);
}

TEST(the_first_reading_is_a_base)
{
	struct port_health h = {0};

	read_at(&h, 100, 5000);
	expect_gain(&h, PORT_HEALTH_MINUTE, 0, 0);
	expect_gain(&h, PORT_HEALTH_DAY, 0, 0);
	read_at(&h, 130, 5003);
	expect_gain(&h, PORT_HEALTH_MINUTE, 3, 30);
	expect_gain(&h, PORT_HEALTH_DAY, 3, 30);
	ck_assert_uint_eq(h.resets, 0);
}

/* One error every ten seconds for two days, read every ten seconds. */
TEST(windows_are_as_long_as_they_say)
{
	struct port_health h = {0};
	static const int64_t length[] = {60, 600, 3600, 86400};

	for (int64_t s = 0; s <= 2 * 86400; s += 10)
		read_at(&h, s, (uint64_t)s / 10);
	for (unsigned w = 0; w < PORT_HEALTH_WINDOWS; w++) {
		struct mono span;
		uint64_t n = port_health_gained(&h, (enum port_health_window)w,
			PORT_HEALTH_SYMBOL_ERRORS, &span);

		/* the base is at most a third of the window too young */
		ck_assert(span.ns <= at_seconds(length[w]).ns);
		ck_assert(span.ns >= at_seconds(length[w] * 2 / 3).ns);
		ck_assert_uint_eq(n, (uint64_t)(mono_seconds(span) / 10 + .5));
	}
}

TEST(what_is_long_ago_does_not_count)
{
	struct port_health h = {0};
	struct mono span;

	read_at(&h, 0, 0);
	read_at(&h, 10, 900);
	for (int64_t s = 20; s <= 7200; s += 10)
		read_at(&h, s, 900);
	expect_gain(&h, PORT_HEALTH_MINUTE, 0, 60);
	ck_assert_uint_eq(port_health_gained(&h, PORT_HEALTH_HOUR,
				  PORT_HEALTH_SYMBOL_ERRORS, &span),
		0);
	ck_assert_uint_eq(port_health_gained(&h, PORT_HEALTH_DAY,
				  PORT_HEALTH_SYMBOL_ERRORS, &span),
		900);
}

/* Ports that are read less often than a window is long. */
TEST(readings_are_far_apart)
{
	struct port_health h = {0};

	read_at(&h, 0, 0);
	read_at(&h, 300, 30);
	read_at(&h, 600, 90);
	expect_gain(&h, PORT_HEALTH_MINUTE, 60, 300);
	expect_gain(&h, PORT_HEALTH_TEN_MINUTES, 90, 600);
}

TEST(a_reset_is_no_error)
{
	struct port_health h = {0};

	read_at(&h, 0, 60000);
	read_at(&h, 10, 60001);
	read_at(&h, 20, 0);
	expect_gain(&h, PORT_HEALTH_MINUTE, 1, 20);
	ck_assert_uint_eq(h.resets, 1);
	/* what it shows after the reset, it gained since */
	read_at(&h, 30, 7);
	read_at(&h, 40, 3);
	expect_gain(&h, PORT_HEALTH_MINUTE, 11, 40);
	ck_assert_uint_eq(h.resets, 2);
}

TEST(a_short_counter_stops)
{
	struct port_health h = {0};

	read_at(&h, 0, 65000);
	ck_assert(!port_health_is_full(&h, PORT_HEALTH_SYMBOL_ERRORS));
	read_at(&h, 10, 65535);
	ck_assert(port_health_is_full(&h, PORT_HEALTH_SYMBOL_ERRORS));
	read_at(&h, 20, 65535);
	expect_gain(&h, PORT_HEALTH_MINUTE, 535, 20);
	ck_assert(!port_health_is_full(&h, PORT_HEALTH_WAIT));
}

static void
read_wait(struct port_health *h, int64_t s, uint64_t ticks, bool wide)
{
	struct port_health_reading r = {.known = all, .wide = wide ? all : 0};

	r.count[MAD_PERF_XMIT_WAIT] = ticks;
	port_health_take(h, &r, at_seconds(s));
}

TEST(a_wait_that_wraps)
{
	struct port_health h = {0}, wide = {0};
	struct mono span;

	read_wait(&h, 0, UINT32_MAX - 5, false);
	read_wait(&h, 10, 4, false);
	ck_assert_uint_eq(port_health_gained(&h, PORT_HEALTH_MINUTE,
				  PORT_HEALTH_WAIT, &span),
		10);
	ck_assert_uint_eq(h.resets, 0);
	read_wait(&h, 20, 1000, false);
	read_wait(&h, 30, 10, false); /* from the lower half: a reset */
	ck_assert_uint_eq(port_health_gained(&h, PORT_HEALTH_MINUTE,
				  PORT_HEALTH_WAIT, &span),
		10 + 996 + 10);
	/* one of 64 bits does not wrap */
	read_wait(&wide, 0, UINT64_MAX / 2 + 7, true);
	read_wait(&wide, 10, 4, true);
	ck_assert_uint_eq(port_health_gained(&wide, PORT_HEALTH_MINUTE,
				  PORT_HEALTH_WAIT, &span),
		4);
}

/* An agent that shows another width, or a counter that it did not show. */
TEST(another_width_is_a_new_base)
{
	struct port_health h = {0};
	struct mono span;

	read_wait(&h, 0, 10, false);
	read_wait(&h, 10, 90000000000, true);
	read_wait(&h, 20, 90000000005, true);
	ck_assert_uint_eq(port_health_gained(&h, PORT_HEALTH_MINUTE,
				  PORT_HEALTH_WAIT, &span),
		5);
}
