/* What the error correction of a port did, over time. */
#include "sm/health/port_fec.h"

#include "tests/unit/suite.h"

static void
read_at(struct port_fec *f, int64_t s, uint32_t symbols, uint32_t blocks)
{
	const struct mad_perf_fec r = {.corrected_symbols = symbols,
		.corrected_blocks = symbols / 2,
		.uncorrectable_blocks = blocks};

	port_fec_take(f, &r, mono_ms(s * 1000));
}

static void
expect_gain(const struct port_fec *f, enum port_health_window w,
	uint64_t errors, int64_t seconds)
{
	struct mono span;
	uint64_t n;

	ck_assert(port_fec_gained(f, w, &n, &span));
	ck_assert_uint_eq(n, errors);
	ck_assert_int_eq(span.ns, mono_ms(seconds * 1000).ns);
}

static void
expect_unknown(const struct port_fec *f)
{
	struct mono span;
	uint64_t n;

	for (unsigned w = 0; w < PORT_HEALTH_WINDOWS; w++)
		ck_assert(!port_fec_gained(
			f, (enum port_health_window)w, &n, &span));
}

TEST(the_first_reading_is_a_base)
{
	struct port_fec f = {0};

	expect_unknown(&f);
	read_at(&f, 100, 5000, 7);
	expect_unknown(&f);
	read_at(&f, 130, 5600, 7);
	expect_gain(&f, PORT_HEALTH_MINUTE, 600, 30);
	expect_gain(&f, PORT_HEALTH_DAY, 600, 30);
	read_at(&f, 190, 5601, 9);
	expect_gain(&f, PORT_HEALTH_MINUTE, 3, 60);
	expect_gain(&f, PORT_HEALTH_HOUR, 603, 90);
}

/* A device that answers zeroes does not count. */
TEST(zeroes_are_not_known)
{
	struct port_fec f = {0};

	for (int64_t s = 0; s < 600; s += 30)
		read_at(&f, s, 0, 0);
	expect_unknown(&f);
	read_at(&f, 600, 3, 0);
	expect_gain(&f, PORT_HEALTH_MINUTE, 3, 60);
	/* and when another tool has cleared them, it still does */
	read_at(&f, 660, 0, 0);
	expect_gain(&f, PORT_HEALTH_MINUTE, 0, 60);
}

TEST(a_reset_is_no_error)
{
	struct port_fec f = {0};

	read_at(&f, 0, 4000000000, 100);
	read_at(&f, 60, 5, 0);
	expect_gain(&f, PORT_HEALTH_MINUTE, 5, 60);
}

/* At its limit a counter tells nothing, until it is cleared. */
TEST(a_full_counter)
{
	struct port_fec f = {0};

	read_at(&f, 0, UINT32_MAX - 10, 0);
	read_at(&f, 60, UINT32_MAX, 0);
	expect_unknown(&f);
	read_at(&f, 120, UINT32_MAX, 0);
	expect_unknown(&f);
	read_at(&f, 180, 8, 0);
	expect_gain(&f, PORT_HEALTH_MINUTE, 8, 60);
}

/* Of lanes: what was corrected or not, or what was detected if that is more. */
TEST(counters_of_lanes)
{
	struct port_fec f = {0};
	struct mad_perf_fec r = {.lane_corrected = {10}, .detected = {5}};

	port_fec_take(&f, &r, mono_ms(0));
	r.lane_corrected[0] += 20;
	r.lane_corrected[3] = 4;
	r.lane_uncorrectable[11] = 1;
	r.detected[11] = 9;
	port_fec_take(&f, &r, mono_ms(60000));
	expect_gain(&f, PORT_HEALTH_MINUTE, 25, 60);
	r.detected[0] = 26 + 35 - 9;
	port_fec_take(&f, &r, mono_ms(120000));
	expect_gain(&f, PORT_HEALTH_MINUTE, 26, 60);
	r.detected[1] = UINT16_MAX;
	port_fec_take(&f, &r, mono_ms(180000));
	expect_unknown(&f);
}

/* With RS-FEC lanes have their shares of the symbols of the port. */
TEST(lanes_of_a_total)
{
	struct port_fec f = {0};
	struct mad_perf_fec r = {.corrected_symbols = 3,
		.corrected_blocks = 3,
		.lane_corrected = {1, 2}};

	port_fec_take(&f, &r, mono_ms(0));
	r.corrected_symbols = 8;
	r.lane_corrected[0] = 6;
	port_fec_take(&f, &r, mono_ms(60000));
	expect_gain(&f, PORT_HEALTH_MINUTE, 5, 60);
}
