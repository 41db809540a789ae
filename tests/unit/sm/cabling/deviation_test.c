/*
 * Plans and fabrics as lists of links, "l1/3-s1/1" from port 3 of l1 to port 1
 * of s1, and what is said of them. Nodes are switches by l or s, hosts by h;
 * h2!new is called h2 and has another GUID, l1? does not answer, and a link
 * that ends in *2 is half as fast as others.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sm/cabling/deviation.h"
#include "tests/topo/frozen.h"
#include "tests/topo/shape.h"
#include "tests/unit/suite.h"

/* The node that a word names; made when it is new. */
static uint32_t
node_of(struct cabling *c, const char *word, bool guids)
{
	char name[64];
	struct cabling_node n = {.name = name};

	(void)snprintf(
		name, sizeof(name), "%.*s", (int)strcspn(word, "!?"), word);
	for (const char *p = word; *p != '\0' && *p != '?'; p++)
		n.guid = n.guid << 8 | (unsigned char)*p;
	n.type = strchr("ls", *word) != NULL ? TOPO_SWITCH : TOPO_CA;
	n.silent = strchr(word, '?') != NULL;
	for (uint32_t i = 0; i < c->nnodes; i++)
		if (guids ? c->node[i].guid == n.guid
			  : strcmp(c->node[i].name, name) == 0)
			return i;
	if (!guids)
		n.guid = n.type = 0;
	return cabling_add_node(c, &n);
}

static struct cabling *
cabling_of(const char *spec, bool guids)
{
	struct cabling *c = cabling_new("plan");
	char a[32], b[32];
	unsigned pa, pb;
	int n;

	for (; sscanf(spec, " %31[^/]/%u-%31[^/]/%u%n", a, &pa, b, &pb, &n) ==
		4;
		spec += n) {
		struct cabling_link l = {
			.end = {{node_of(c, a, guids), (uint8_t)pa},
				{node_of(c, b, guids), (uint8_t)pb}},
			.width = PORT_WIDTH_4X,
			.speed = PORT_QDR,
			.speed_ext = PORT_HDR};

		if (strncmp(spec + n, "*2", 2) == 0) {
			l.speed_ext = PORT_EDR;
			n += 2;
		}
		cabling_add_link(c, &l);
	}
	ck_assert_uint_eq(cabling_seal(c), CABLING_NONE);
	return c;
}

static void
print_all(const struct deviations *d, struct buf *out)
{
	for (size_t i = 0; i < d->n; i++) {
		deviation_print(&d->list[i], out);
		buf_printf(out, "\n");
	}
}

#define HOSTS "l1/1-h1/1 l1/2-h2/1 l2/1-h3/1 l2/2-h4/1 "
#define UPLINKS "l1/3-s1/1 l1/4-s2/1 l2/3-s1/2 l2/4-s2/2 "
#define TREE HOSTS UPLINKS

struct said_case {
	const char *plan;
	bool guids; /* of the plan, and types */
	const char *is, *said;
};

static void
check_said(const struct said_case *k, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct cabling *plan = cabling_of(k[i].plan, k[i].guids);
		struct cabling *is = cabling_of(k[i].is, true);
		AUTO(buf) struct buf said = {0};
		struct reason why = {""};
		struct deviations *d = deviations_find(plan, is, &why);

		if (d != NULL)
			print_all(d, &said);
		else
			buf_printf(&said, "%s\n", why.text);
		buf_put(&said, "", 0);
		ck_assert_msg(strcmp(said.text, k[i].said) == 0,
			"case %zu:\n%swanted:\n%s", i, said.text, k[i].said);
		deviations_free(d);
		cabling_free(plan);
		cabling_free(is);
	}
}

TEST(links)
{
	static const struct said_case cases[] = {
		{TREE, true, TREE, ""},
		{TREE, false, TREE, ""},
		{TREE, true, HOSTS "l1/3-s1/1 l1/4-s2/1 l2/3-s1/2",
			"missing link \"l2\" port 4 - \"s2\" port 2\n"},
		{TREE, true, TREE "l1/9-l2/9",
			"extra link \"l1\" port 9 - \"l2\" port 9\n"},
		{TREE, true, HOSTS "l1/3-s1/1*2 l1/4-s2/1 l2/3-s1/2 l2/4-s2/2",
			"slow link \"l1\" port 3 - \"s1\" port 1: 4x EDR, 100 "
			"Gb/s; planned 4x HDR, 200 Gb/s\n"},
		/* faster is no deviation */
		{HOSTS "l1/3-s1/1*2 l1/4-s2/1 l2/3-s1/2 l2/4-s2/2", true, TREE,
			""},
		/* a switch has fewer ports than were planned */
		{TREE "l1/77-s2/3", true, TREE,
			"missing link \"l1\" port 77 - \"s2\" port 3\n"},
	};

	check_said(cases, sizeof(cases) / sizeof(cases[0]));
}

TEST(links_elsewhere)
{
	static const struct said_case cases[] = {
		{TREE, true, HOSTS "l1/3-s2/1 l1/4-s1/1 l2/3-s1/2 l2/4-s2/2",
			"swapped \"l1\" port 3 and \"l1\" port 4: planned to "
			"lead to \"s1\" port 1 and \"s2\" port 1\n"},
		{TREE, false,
			"l1/1-h2/1 l1/2-h1/1 l2/1-h3/1 l2/2-h4/1 " UPLINKS,
			"swapped \"l1\" port 1 and \"l1\" port 2: planned to "
			"lead to \"h1\" port 1 and \"h2\" port 1\n"},
		/* the ends that were confused are at a spine */
		{TREE, true, HOSTS "l1/3-s1/2 l1/4-s2/1 l2/3-s1/1 l2/4-s2/2",
			"swapped \"s1\" port 1 and \"s1\" port 2: planned to "
			"lead to \"l1\" port 3 and \"l2\" port 3\n"},
		{TREE, true, HOSTS "l1/3-s2/1 l1/4-s1/2 l2/3-s1/1 l2/4-s2/2",
			"swapped 3 links: planned \"l1\" port 3 - \"s1\" port "
			"1, \"l2\" port 3 - \"s1\" port 2, \"l1\" port 4 - "
			"\"s2\" port 1; there \"s1\" port 1 - \"l2\" port 3, "
			"\"s1\" port 2 - \"l1\" port 4, \"s2\" port 1 - "
			"\"l1\" port 3\n"},
		{TREE, true, "l1/1-h1/1 l2/7-h2/1 l2/1-h3/1 l2/2-h4/1 " UPLINKS,
			"moved \"h2\" port 1: leads to \"l2\" port 7, planned "
			"to \"l1\" port 2\n"},
		/* all of them are one port off */
		{TREE, true, HOSTS "l1/4-s1/1 l1/5-s2/1 l2/3-s1/2 l2/4-s2/2",
			"moved 2 links: planned \"l1\" port 3 - \"s1\" port 1, "
			"\"l1\" port 4 - \"s2\" port 1; there \"s1\" port 1 - "
			"\"l1\" port 4, \"s2\" port 1 - \"l1\" port 5\n"},
	};

	check_said(cases, sizeof(cases) / sizeof(cases[0]));
}

TEST(nodes)
{
	static const struct said_case cases[] = {
		{TREE, true, "l1/1-h1/1 l2/1-h3/1 l2/2-h4/1 " UPLINKS,
			"missing host \"h2\" with its 1 link\n"},
		{TREE, true, HOSTS "l1/3-s1/1 l2/3-s1/2",
			"missing switch \"s2\" with its 2 links\n"},
		{TREE, true, "l1/1-h1/1 l1/2-h2/1 l1/3-s1/1 l1/4-s2/1",
			"missing switch \"l2\" with its 4 links, and 2 nodes "
			"behind it\n"},
		{TREE, false, "l1/1-h1/1 l1/2-h2/1 l1/3-s1/1 l1/4-s2/1",
			"missing node \"l2\" with its 4 links, and 2 nodes "
			"behind it\n"},
		{TREE, true, TREE "l1/8-h8/1",
			"extra host \"h8\" (0x0000000000006838) at \"l1\" port "
			"8\n"},
		{TREE, true, TREE "s1/8-l8/1 s2/8-l8/2 l8/3-h8/1 l8/4-h9/1",
			"extra switch \"l8\" (0x0000000000006c38) at \"s1\" "
			"port 8 and by 3 more, and 2 nodes behind it\n"},
		/* a plan of switches says nothing of hosts */
		{UPLINKS, true, TREE, ""},
		{UPLINKS, false, TREE, ""},
	};

	check_said(cases, sizeof(cases) / sizeof(cases[0]));
}

TEST(other_nodes)
{
	static const struct said_case cases[] = {
		/* by name, by links, and both are in their places */
		{TREE, true,
			"l1/1-h1/1 l1/2-h2!n/1 l2/1-h3/1 l2/2-h4/1 " UPLINKS,
			"replaced host \"h2\" (0x0000000000006832): \"h2\" "
			"(0x000000006832216e) is in its place\n"},
		{TREE, true, "l1/1-h1/1 l1/2-h9/1 l2/1-h3/1 l2/2-h4/1 " UPLINKS,
			"replaced host \"h2\" (0x0000000000006832): \"h9\" "
			"(0x0000000000006839) is in its place\n"},
		{TREE, false,
			"l1/1-h1/1 l1/2-h9/1 l2/1-h3/1 l2/2-h4/1 " UPLINKS,
			"replaced host \"h2\": \"h9\" (0x0000000000006839) is "
			"in its place\n"},
		{TREE, true, HOSTS "l1/3-s9/1 l1/4-s2/1 l2/3-s9/2 l2/4-s2/2",
			"replaced switch \"s1\" (0x0000000000007331): \"s9\" "
			"(0x0000000000007339) is in its place\n"},
		/* only one of two links is in its place */
		{TREE, true, HOSTS "l1/3-s9/1 l1/4-s2/1 l2/4-s2/2",
			"missing switch \"s1\" with its 2 links\n"
			"extra switch \"s9\" (0x0000000000007339) at \"l1\" "
			"port 3\n"},
		/* which of the two is told by its links */
		{TREE, false,
			"l1/1-h1/1 l1/2-h2/1 l2/1-h3/1 l2/2-h4/1 "
			"l2/5-h2!n/1 " UPLINKS,
			"extra host \"h2\" (0x000000006832216e) at \"l2\" port "
			"5\n"},
		{TREE, false,
			"l1/1-h1/1 l1/8-h2/1 l2/1-h3/1 l2/2-h4/1 "
			"l2/5-h2!n/1 " UPLINKS,
			"extra host \"h2\" (0x0000000000006832) at \"l1\" port "
			"8\n"
			"extra host \"h2\" (0x000000006832216e) at \"l2\" port "
			"5\n"
			"ambiguous node \"h2\": several nodes have this "
			"name\n"},
	};

	check_said(cases, sizeof(cases) / sizeof(cases[0]));
}

TEST(what_is_not_known)
{
	static const struct said_case cases[] = {
		/* l1 may have the link, but s2 says that it has not */
		{TREE, true,
			"l1?/1-h1/1 l1?/2-h2/1 l2/1-h3/1 l2/2-h4/1 "
			"l1?/3-s1/1 l2/3-s1/2 l2/4-s2/2",
			"missing link \"s2\" port 1 - \"l1\" port 4\n"},
		{TREE, true,
			"l1?/1-h1/1 l1?/2-h2/1 l2/1-h3/1 l2/2-h4/1 "
			"l1?/3-s1/1 l2/3-s1/2 l2/4-s2?/2",
			""},
		{TREE, true, "l7/1-h6/1 l7/3-s1/1 l8/3-s1/2 l8/4-s3/2",
			"plan: this is the plan of another fabric: of its 8 "
			"nodes, 1 are among the 5 of this one, by GUID or "
			"name\n"},
		/* half of the fabric is off */
		{TREE, true, "l1/1-h1/1",
			"missing host \"h2\" with its 1 link\n"
			"missing switch \"l2\" with its 4 links, and 2 nodes "
			"behind it\n"
			"missing switch \"s1\" with its 2 links\n"
			"missing switch \"s2\" with its 2 links\n"},
	};

	check_said(cases, sizeof(cases) / sizeof(cases[0]));
}

/* The links of t, but for some rings of `of` links each, in which each leads to
 * where the next one should. */
static struct cabling *
confuse_links(const struct topo *t, unsigned rings, unsigned of)
{
	struct cabling *c = cabling_new("fabric");
	size_t step;

	cabling_add_topo(c, t);
	step = c->nlinks / (rings * of);
	for (unsigned i = 0; i < rings; i++) {
		struct cabling_link *l = &c->link[i * of * step];
		struct cabling_end first = l->end[1];

		for (unsigned k = 0; k + 1 < of; k++)
			l[k * step].end[1] = l[(k + 1) * step].end[1];
		l[(of - 1) * step].end[1] = first;
	}
	ck_assert_uint_eq(cabling_seal(c), CABLING_NONE);
	return c;
}

/* The 43,904 hosts of a tree of three tiers. Limits are far above what it
 * takes: they are for a search that is not linear. */
TEST(a_large_fabric)
{
	static const unsigned of[] = {2, 3, 5};
	AUTO(fabric) struct fabric *f = shape_of("three:56");
	AUTO(topo) struct topo *t = frozen_topo(f, &(struct frozen_lids){0});
	struct cabling *plan = cabling_of_topo(t, "plan");
	struct reason why;

	for (unsigned i = 0; i < 3; i++) {
		struct cabling *is = confuse_links(t, 1000, of[i]);
		clock_t began = clock();
		struct deviations *d = deviations_find(plan, is, &why);
		double took = (double)(clock() - began) / CLOCKS_PER_SEC;

		ck_assert_ptr_nonnull(d);
		ck_assert_uint_eq(d->n, 1000);
		ck_assert_uint_eq(d->count[DEVIATION_SWAPPED], 1000);
		ck_assert_uint_eq(d->right, plan->nlinks - 1000 * of[i]);
		ck_assert_uint_eq(d->list[0].n, 2 * of[i]);
		ck_assert_uint_eq(d->list[0].links, of[i]);
		ck_assert_double_le(took, 2.0);
		deviations_free(d);
		cabling_free(is);
	}
	cabling_free(plan);
}
