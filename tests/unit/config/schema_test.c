/* The types of options: what each accepts, refuses and prints. */
#include "config/schema.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "config/value.h"
#include "sm/base/clock.h"
#include "tests/unit/suite.h"

static const char *const words[] = {"error", "warn", "info", NULL};
static const char *const counts[] = {"1", "2", "4", "8", "15", NULL};

static const char *const forms[] = {"line", "ring", NULL};

/* A field of any type. */
union field {
	bool b;
	uint32_t u;
	uint64_t x;
	struct mono d;
	const char *s;
	struct schema_names names;
	struct schema_guids guids;
	struct schema_guid_ints ints;
	struct schema_shapes shapes;
};

static const struct schema_option
	flag = {.type = SCHEMA_BOOL},
	lmc = {.type = SCHEMA_INT, .max = 7},
	lid = {.type = SCHEMA_INT, .min = 1, .max = 0xbfff},
	wide = {.type = SCHEMA_INT, .max = UINT32_MAX},
	vls = {.type = SCHEMA_INT, .choices = counts},
	prefix = {.type = SCHEMA_HEX},
	key = {.type = SCHEMA_HEX, .secret = true},
	timeout = {.type = SCHEMA_DURATION,
		.min = 1000000,
		.max = UINT64_C(60000000000)},
	interval = {.type = SCHEMA_DURATION,
		.min = 1000000000,
		.max = INT64_MAX,
		.zero_off = true},
	limit = {.type = SCHEMA_FACTOR, .min = 1000, .max = 100000},
	string = {.type = SCHEMA_STRING, .max = 10},
	path = {.type = SCHEMA_PATH, .max = 10},
	level = {.type = SCHEMA_ENUM, .choices = words},
	guid = {.type = SCHEMA_GUID}, port = {.type = SCHEMA_PORT},
	names = {.type = SCHEMA_NAMES}, guids = {.type = SCHEMA_GUIDS},
	ints = {.type = SCHEMA_GUID_INTS, .max = 7},
	sw = {.type = SCHEMA_SWITCH, .max = 10},
	switches = {.type = SCHEMA_SWITCHES, .max = 10},
	device = {.type = SCHEMA_DEVICE}, devices = {.type = SCHEMA_DEVICES},
	shapes = {.type = SCHEMA_SHAPES, .choices = forms, .min = 2, .max = 99};

static const struct good {
	const struct schema_option *o;
	const char *text;
	const char *prints; /* NULL: as text */
} good[] = {
	{&flag, "true", NULL},
	{&flag, "false", NULL},
	{&lmc, "0", NULL},
	{&lmc, "7", NULL},
	{&lid, "0xbfff", "49151"},
	{&wide, "4294967295", NULL},
	{&vls, "15", NULL},
	{&prefix, "0xfe80000000000000", NULL},
	{&prefix, "0x0", "0x0000000000000000"},
	{&timeout, "1ms", NULL},
	{&timeout, "60s", "1m"},
	{&timeout, "1500ms", NULL},
	{&timeout, "2000ms", "2s"},
	{&interval, "0", "0s"},
	{&interval, "0s", NULL},
	{&interval, "0ms", "0s"},
	{&interval, "90s", NULL},
	{&interval, "120m", "2h"},
	{&limit, "1", "1.0"},
	{&limit, "1.0", NULL},
	{&limit, "1.25", NULL},
	{&limit, "1.050", "1.05"},
	{&limit, "2.003", NULL},
	{&limit, "100", "100.0"},
	{&string, "plain", NULL},
	{&sw, "0x1", "0x0000000000000001"},
	{&sw, "SW-L*", "\"SW-L*\""},
	{&switches, "[]", NULL},
	{&switches, "[b, 0x1, a]", "[b, 0x0000000000000001, a]"},
	{&device, "0x2c9", "0x0002c9"},
	{&device, "0x2c9:0xd2f0", "0x0002c9:0xd2f0"},
	{&devices, "[]", NULL},
	{&devices, "[0x1, 0x1:0x2]", "[0x000001, 0x000001:0x0002]"},
	{&string, "two words", "\"two words\""},
	{&string, "\"\\", "\"\\\"\\\\\""},
	{&string, "-", "\"-\""},
	{&path, "/var/lib", NULL},
	{&path, "/a b", "\"/a b\""},
	{&level, "warn", NULL},
	{&guid, "0x1", "0x0000000000000001"},
	{&guid, "0002c90300a1b2c3", "0x0002c90300a1b2c3"},
	{&guid, "0002:c903:00a1:B2C3", "0x0002c90300a1b2c3"},
	{&port, "auto", NULL},
	{&port, "mlx5_0/1", NULL},
	{&port, "0X0002C90300A1B2C3", "0x0002c90300a1b2c3"},
	{&names, "[]", NULL},
	{&names, "[a, b]", NULL},
	{&guids, "[]", NULL},
	{&guids, "[0x2, 0x1, 0x2]", "[0x0000000000000001, 0x0000000000000002]"},
	{&ints, "{}", NULL},
	{&shapes, "[]", NULL},
	{&shapes, "[ring 8, line 2, ring 8]", NULL},
};

static const struct bad {
	const struct schema_option *o;
	const char *text;
	const char *why;
} bad[] = {
	{&flag, "yes", "'yes' is neither true nor false"},
	{&lmc, "8", "8 is out of range: 0 to 7"},
	{&lmc, "-1", "'-1' is not a whole number"},
	{&lmc, "07", "'07' is not a whole number"},
	{&lmc, "1.0", "'1.0' is not a whole number"},
	{&lmc, "0x", "'0x' is not a whole number"},
	{&lmc, "18446744073709551616",
		"'18446744073709551616' is not a whole number"},
	{&lid, "0", "0 is out of range: 1 to 49151"},
	{&lid, "0xc000", "0xc000 is out of range: 1 to 49151"},
	{&wide, "4294967296", "4294967296 is out of range: 0 to 4294967295"},
	{&vls, "3", "'3' is not 1, 2, 4, 8 or 15"},
	{&prefix, "12", "'12' is not 0x and 1 to 16 hexadecimal digits"},
	{&prefix, "0x10000000000000000",
		"'0x10000000000000000' is not 0x and 1 to 16 hexadecimal "
		"digits"},
	{&key, "12", "the value is not 0x and 1 to 16 hexadecimal digits"},
	{&timeout, "200", "'200' needs a unit: ms, s, m or h"},
	{&timeout, "200 ms", "'200 ms' is not a whole number of ms, s, m or h"},
	{&timeout, "2d", "'2d' is not a whole number of ms, s, m or h"},
	{&timeout, "1.5s", "'1.5s' is not a whole number of ms, s, m or h"},
	{&timeout, "soon", "'soon' is not a duration such as 200ms or 10s"},
	{&timeout, "-1s", "'-1s' is not a duration such as 200ms or 10s"},
	{&timeout, "0", "'0' needs a unit: ms, s, m or h"},
	{&timeout, "0ms", "0ms is out of range: 1ms to 1m"},
	{&timeout, "61s", "61s is out of range: 1ms to 1m"},
	{&timeout, "9999999999999999999h",
		"9999999999999999999h is out of range: 1ms to 1m"},
	{&interval, "999ms",
		"999ms is out of range: 0 (off) or 1s to 9223372036854ms"},
	{&limit, "0.999", "0.999 is out of range: 1.0 to 100.0"},
	{&limit, "100.001", "100.001 is out of range: 1.0 to 100.0"},
	{&limit, "99999999999", "99999999999 is out of range: 1.0 to 100.0"},
	{&limit, "1.2345",
		"'1.2345' is not a factor such as 1.25, with at most 3 "
		"decimals"},
	{&limit, "1.",
		"'1.' is not a factor such as 1.25, with at most 3 decimals"},
	{&limit, "1e3",
		"'1e3' is not a factor such as 1.25, with at most 3 "
		"decimals"},
	{&string, "", "must not be empty"},
	{&string, "0123456789a", "11 bytes are too long: at most 10"},
	{&string, "a\nb", "'a\nb' has characters that cannot be printed"},
	{&path, "var", "'var' is not an absolute path"},
	{&level, "wran", "'wran' is unknown; did you mean 'warn'?"},
	{&level, "loud", "'loud' is not error, warn or info"},
	{&guid, "0x0", "'0x0' is not a GUID such as 0x0002c90300a1b2c3"},
	{&guid, "0002c90300a1b2c",
		"'0002c90300a1b2c' is not a GUID such as 0x0002c90300a1b2c3"},
	{&guid, "0002:c90300a1b2c3",
		"'0002:c90300a1b2c3' is not a GUID such as "
		"0x0002c90300a1b2c3"},
	{&guid, "0002c903:00a1:b2c3",
		"'0002c903:00a1:b2c3' is not a GUID such as "
		"0x0002c90300a1b2c3"},
	{&port, "mlx5_0",
		"'mlx5_0' is not auto, DEVICE/PORT such as mlx5_0/1, or a "
		"port GUID"},
	{&port, "mlx5_0/0",
		"'mlx5_0/0' is not auto, DEVICE/PORT such as mlx5_0/1, or a "
		"port GUID"},
	{&port, "mlx5_0/255",
		"'mlx5_0/255' is not auto, DEVICE/PORT such as mlx5_0/1, or a "
		"port GUID"},
	{&port, "../x/1",
		"'../x/1' is not auto, DEVICE/PORT such as mlx5_0/1, or a "
		"port GUID"},
	{&names, "a", "'a' is not a list such as [a, b]"},
	{&guids, "[0x1, x]", "'x' is not a GUID such as 0x0002c90300a1b2c3"},
	{&ints, "{0x1: 1}", "'{0x1: 1}' is not {}"},
	{&shapes, "ring 8", "'ring 8' is not a list such as [a, b]"},
	{&shapes, "[ring 8, ring]",
		"'ring' is not a shape and a size, as in ring 8"},
	{&shapes, "[ring 8m]",
		"'ring 8m' is not a shape and a size, as in ring 8"},
	{&shapes, "[rung 8]", "'rung' is unknown; did you mean 'ring'?"},
	{&shapes, "[line 1]", "1 is out of range: line or ring, and 2 to 99"},
};

LOOP_TEST(test_good, 0, LEN(good))
{
	const struct good *g = &good[_i];
	const char *want = g->prints != NULL ? g->prints : g->text;
	AUTO(arena) struct arena *a = arena_new();
	struct schema_env env = {a, NULL, NULL};
	struct reason why = {""};
	AUTO(buf) struct buf out = {0};
	union field f, again;

	memset(&f, 0xff, sizeof(f));
	memset(&again, 0xff, sizeof(again));
	ck_assert_msg(schema_set(g->o, g->text, &f, &env, &why) == 0, "%s: %s",
		g->text, why.text);
	schema_print(g->o, &f, -1, &out);
	ck_assert_str_eq(out.text, want);
	/* what is printed reads back as the same; quotes are YAML's matter */
	if (want[0] != '"') {
		ck_assert_int_eq(
			schema_set(g->o, out.text, &again, &env, &why), 0);
		ck_assert(schema_same(g->o, &f, &again));
	}
}

LOOP_TEST(test_bad, 0, LEN(bad))
{
	const struct bad *b = &bad[_i];
	AUTO(arena) struct arena *a = arena_new();
	struct schema_env env = {a, NULL, NULL};
	struct reason why = {""};
	union field f;

	memset(&f, 0, sizeof(f));
	ck_assert_msg(schema_set(b->o, b->text, &f, &env, &why) == -1,
		"'%s' was accepted", b->text);
	ck_assert_str_eq(why.text, b->why);
}

TEST(test_range)
{
	static const struct {
		const struct schema_option *o;
		const char *says;
	} t[] = {
		{&lmc, "0 to 7"},
		{&vls, "1, 2, 4, 8 or 15"},
		{&timeout, "1ms to 1m"},
		{&limit, "1.0 to 100.0"},
		{&path, "at most 10 bytes"},
		{&level, "error, warn or info"},
		{&port, "auto, DEVICE/PORT or a port GUID"},
		{&ints, "0 to 7"},
		{&shapes, "line or ring, and 2 to 99"},
		{&names, "minhop or updn"},
		{&guid, ""},
	};
	static const char *const engines[] = {"minhop", "updn", NULL};
	size_t i;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		AUTO(buf) struct buf out = {0};

		schema_range(t[i].o, engines, &out);
		ck_assert_str_eq(out.n > 0 ? out.text : "", t[i].says);
	}
}

/* A module's own table and struct, as routing would have it. */
TEST(test_module)
{
	struct own {
		uint32_t trees;
		struct mono pause;
	} o;
	static const struct schema_option rows[] = {
		{.key = "trees",
			.type = SCHEMA_INT,
			.offset = offsetof(struct own, trees),
			.max = 9,
			.def = "4"},
		{.key = "pause",
			.type = SCHEMA_DURATION,
			.offset = offsetof(struct own, pause),
			.max = 1000000000,
			.def = "3ms"},
	};
	static const struct schema s = {
		"routing.own", rows, 2, sizeof(struct own)};
	struct schema_env env = {arena_new(), NULL, NULL};

	memset(&o, 0xff, sizeof(o));
	schema_defaults(&s, &o, &env);
	ck_assert_uint_eq(o.trees, 4);
	ck_assert_int_eq(o.pause.ns, 3000000);
	arena_free(env.arena);
}
