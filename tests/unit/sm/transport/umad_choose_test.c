/* Which local port is chosen, and the reason if there is none. */
#include "sm/transport/umad_choose.h"
#include "tests/unit/suite.h"

#include <check.h>
#include <string.h>

static const struct umad_choose_port ports[] = {
	{"mlx5_0", 1, 0x11, 4, false, false},
	{"mlx5_1", 1, 0, 4, true, false},
	{"mlx5_2", 1, 0x22, 1, true, false},
	{"mlx5_2", 2, 0x23, 2, true, false},
	{"mlx5_3", 1, 0x33, 4, true, false},
};

static const struct {
	const char *spec;
	size_t n; /* of the ports above, from the first */
	int index;
	const char *says;
} cases[] = {
	{"auto", 5, 3, NULL}, /* any other state before down */
	{"auto", 3, 2, NULL}, /* a port that is down is better than none */
	{"auto", 2, -1,
		"no InfiniBand port with a GUID and QP0; ports here: mlx5_0/1"},
	{"auto", 0, -1, "ports here: none"},
	{"mlx5_3/1", 5, 4, NULL},
	{"mlx5_2/1", 5, 2, NULL},
	{"mlx5_0/1", 5, -1, "mlx5_0/1: an Ethernet port"},
	{"mlx5_1/1", 5, -1, "no GUID"},
	{"mlx5_9/1", 5, -1, "mlx5_9/1: no such port; ports here:"},
	{"mlx5_3", 5, -1, "no such port"},
	{"mlx5_3/", 5, -1, "no such port"},
	{"0x33", 5, 4, NULL},
	{"0x0000000000000023", 5, 3, NULL},
	{"0x11", 5, -1, "an Ethernet port"},
	{"0x44", 5, -1, "0x44: no such port"},
	{"0x", 5, -1, "not a port GUID"},
	{"0x0", 5, -1, "not a port GUID"},
	{"0xzz", 5, -1, "not a port GUID"},
	{"0x11223344556677889", 5, -1, "not a port GUID"},
	{"", 5, -1, "no such port"},
};

/* A planarized adapter: two planes with QP0, one port with QP1; and a port
 * whose QP0 no device has. */
static const struct umad_choose_port planes[] = {
	{"mlx5_0", 1, 0x55, 4, true, true},
	{"smi0", 1, 0x55, 1, true, false},
	{"smi0", 2, 0x55, 4, true, false},
	{"mlx5_1", 1, 0x66, 4, true, true},
};

LOOP_TEST(two_devices, 0, 7)
{
	static const struct {
		const char *spec;
		int smi, gsi;
		const char *says;
	} by[] = {
		{"auto", 2, 0, NULL},
		{"0x55", 2, 0, NULL},
		{"mlx5_0/1", 2, 0, NULL},
		{"smi0/2", 2, 0, NULL},
		{"smi0/1", 1, 0, NULL},
		{"mlx5_1/1", -1, 0, "no QP0 (IsSMDisabled)"},
		{"0x66", -1, 0, "no QP0"},
	};
	struct reason why = {""};
	int smi = umad_choose(planes, 4, by[_i].spec, &why);

	ck_assert_int_eq(smi, by[_i].smi);
	if (smi >= 0)
		ck_assert_int_eq(umad_choose_gsi(planes, 4, smi), by[_i].gsi);
	else
		ck_assert_msg(
			strstr(why.text, by[_i].says) != NULL, "%s", why.text);
	/* one device for both */
	ck_assert_int_eq(umad_choose_gsi(ports, 5, 4), 4);
}

LOOP_TEST(choose, 0, LEN(cases))
{
	struct reason why = {""};

	ck_assert_int_eq(umad_choose(ports, cases[_i].n, cases[_i].spec, &why),
		cases[_i].index);
	if (cases[_i].says != NULL)
		ck_assert_msg(strstr(why.text, cases[_i].says) != NULL, "%s",
			why.text);
}
