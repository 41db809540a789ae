/* Names of nodes: which of them a text stands for, and what is said where it
 * stands for none or several. */
#include "sm/report/port_find.h"

#include <stdio.h>
#include <string.h>

#include "tests/topo/frozen.h"
#include "tests/topo/gen.h"
#include "tests/unit/suite.h"

/* A switch with hosts of these names. */
static struct topo *
named_hosts(const char *const *name, size_t n)
{
	AUTO(fabric) struct fabric *f = fabric_new();
	uint32_t s = fabric_add(f, FABRIC_SWITCH, 36, "leaf one");
	struct topo *t;

	for (size_t i = 0; i < n; i++)
		(void)fabric_connect(f, s, (unsigned)i + 1,
			fabric_add(f, FABRIC_CA, 1, name[i]), 1, NULL);
	t = frozen_topo(f, &(struct frozen_lids){0});
	return t;
}

static const char *const names[] = {"luna-0001 mlx5_0", "luna-0001 mlx5_1",
	"luna-00010 mlx5_0", "luna-0002", "luna-0002 mlx5_1", "swift HCA-1"};

static const struct {
	const char *what, *name, *says;
	unsigned port;
} cases[] = {
	/* all of a name, then its words, then a part of it */
	{"luna-0002", "luna-0002", NULL, 0},
	{"luna-00010", "luna-00010 mlx5_0", NULL, 0},
	{"luna-0001 mlx5_1", "luna-0001 mlx5_1", NULL, 0},
	{"swif", "swift HCA-1", NULL, 0},
	{"luna-0001", NULL,
		"'luna-0001' is in the name of 2 nodes: use a GUID, a LID or "
		"more of the name: 0x",
		0},
	{"luna-0001", NULL, "\"luna-0001 mlx5_0\", 0x", 0},
	{"luna-0001", NULL, "\"luna-0001 mlx5_1\"", 0},
	{"luna", NULL, "'luna' is in the name of 5 nodes", 0},
	{"luan-0002", NULL,
		"no node is called 'luan-0002'; did you mean 'luna-0002'?", 0},
	{"swivt", NULL, "did you mean 'swift'?", 0},
	{"nowhere", NULL, "no node is called 'nowhere'", 0},
	{"", NULL, "the name is empty", 0},
	{"leaf one/36", "leaf one", NULL, 36},
	{"leaf/07", "leaf one", NULL, 7},
	{"leaf/37", NULL, "'leaf one' has no port 37: 1 to 36", 0},
	{"leaf/0", NULL, "'leaf one' has no port 0: 1 to 36", 0},
	{"leaf/x", NULL, "no node is called 'leaf/x'", 0},
	{"leaf/1234", NULL, "no node is called 'leaf/1234'", 0},
	{"luna/1", NULL, "'luna' is in the name of 5 nodes", 0},
};

TEST(names_of_nodes)
{
	struct topo *t = named_hosts(names, sizeof(names) / sizeof(names[0]));

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct reason why = {""};
		unsigned port = 0;
		node_ix n;
		int rc = port_find_end(t, cases[i].what, &n, &port, &why);

		if (cases[i].name != NULL) {
			ck_assert_msg(rc == 0, "%s", why.text);
			ck_assert_str_eq(topo_desc(t, n), cases[i].name);
			ck_assert_uint_eq(port, cases[i].port);
			continue;
		}
		ck_assert_int_eq(rc, -1);
		ck_assert_msg(strstr(why.text, cases[i].says) != NULL, "%s: %s",
			cases[i].what, why.text);
	}
	topo_unref(t);
}

/* Names are read last after a start: nothing is said that is not known. */
TEST(nodes_without_a_name_so_far)
{
	static const char *const some[] = {"node01", "", ""};
	struct reason why = {""};
	AUTO(topo) struct topo *t = named_hosts(some, 3);
	unsigned port;
	node_ix n;

	ck_assert_int_eq(port_find_end(t, "node02", &n, &port, &why), -1);
	ck_assert_str_eq(why.text,
		"no node is called 'node02'; did you mean 'node01'?; 2 have "
		"told no name so far: try again, or use a GUID or a LID");
	ck_assert_uint_eq(port_find_switch(t, "node02", &why), TOPO_NONE);
	ck_assert_str_eq(why.text, "no switch is called 'node02'");
}

/* More candidates than there is room for are counted. */
TEST(many_candidates)
{
	char text[35][16];
	const char *name[35];
	struct reason why = {""};
	AUTO(topo) struct topo *t = NULL;
	unsigned port;
	node_ix n;

	for (unsigned i = 0; i < 35; i++) {
		(void)snprintf(text[i], sizeof(text[i]), "rack host %u", i);
		name[i] = text[i];
	}
	t = named_hosts(name, 35);
	ck_assert_int_eq(port_find_end(t, "rack", &n, &port, &why), -1);
	ck_assert_msg(strstr(why.text, "of 35 nodes") != NULL &&
			      strstr(why.text, " more") != NULL,
		"%s", why.text);
	ck_assert_uint_eq(port_find_switch(t, "leaf", &why), 0);
	ck_assert_uint_eq(port_find_switch(t, "rack", &why), TOPO_NONE);
	ck_assert_str_eq(why.text, "no switch is called 'rack'");
}
