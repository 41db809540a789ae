/*
 * The judge of the end-to-end tests on fabrics small enough to judge by hand: a
 * line, a ring of three switches, and faults of their tables.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/judge.h"
#include "tests/e2e/tracks.h"
#include "tests/unit/suite.h"

/*
 * A triangle of switches a, b, c (port 1: host, 2: next, 3: previous), hosts
 * with LIDs 1 to 3, switches 4 to 6.
 */
static const char ring[] =
	"some time-out line before the header\n"
	"#\n# Topology file: generated\n#\n"
	"Switch\t3 \"S-000000000000000a\"\t# \"a\" base port 0 lid 4 lmc 0\n"
	"[1]\t\"H-0000000000000001\"[1](11) \t# \"h1\" lid 1 4xSDR\n"
	"[2]\t\"S-000000000000000b\"[3]\t# \"b\" lid 5 4xSDR\n"
	"[3]\t\"S-000000000000000c\"[2]\t# \"c\" lid 6 4xSDR\n\n"
	"Switch\t3 \"S-000000000000000b\"\t# \"b\" base port 0 lid 5 lmc 0\n"
	"[1]\t\"H-0000000000000002\"[1](12) \t# \"h2\" lid 2 4xSDR\n"
	"[2]\t\"S-000000000000000c\"[3]\t# \"c\" lid 6 4xSDR\n"
	"[3]\t\"S-000000000000000a\"[2]\t# \"a\" lid 4 4xSDR\n\n"
	"Switch\t3 \"S-000000000000000c\"\t# \"c \"x\"\" base port 0 lid 6 "
	"lmc 0\n"
	"[1]\t\"H-0000000000000003\"[1](13) \t# \"h3\" lid 3 4xSDR\n"
	"[2]\t\"S-000000000000000a\"[3]\t# \"a\" lid 4 4xSDR\n"
	"[3]\t\"S-000000000000000b\"[2]\t# \"b\" lid 5 4xSDR\n\n"
	"Ca\t1 \"H-0000000000000001\"\t# \"h1\"\n"
	"[1](11) \t\"S-000000000000000a\"[1]\t# lid 1 lmc 0 \"a\" lid 4\n"
	"Ca\t1 \"H-0000000000000002\"\t# \"h2\"\n"
	"[1](12) \t\"S-000000000000000b\"[1]\t# lid 2 lmc 0 \"b\" lid 5\n"
	"Ca\t1 \"H-0000000000000003\"\t# \"h3\"\n"
	"[1](13) \t\"S-000000000000000c\"[1]\t# lid 3 lmc 0 \"c\" lid 6\n";

static const char *const names[] = {"a", "b", "c"};

/* The tables of a, b, c: entries for LIDs 1..6, 255 for none. */
struct tables {
	unsigned out[3][6];
};

static const struct tables shortest = {
	{{1, 2, 3, 0, 2, 3}, {3, 1, 2, 3, 0, 2}, {2, 3, 1, 2, 3, 0}}};

/* All packets go clockwise: two hops in each direction make the ring wait. */
static const struct tables clockwise = {
	{{1, 2, 2, 0, 2, 2}, {2, 1, 2, 2, 0, 2}, {2, 2, 1, 2, 2, 0}}};

static FILE *
text_file(const char *s)
{
	FILE *f = tmpfile();

	ck_assert_ptr_nonnull(f);
	fputs(s, f);
	rewind(f);
	return f;
}

static struct ndtext *
read_net(const char *s)
{
	struct reason why = {{0}};
	FILE *f = text_file(s);
	struct ndtext *t = ndtext_read(f, "net", &why);

	fclose(f);
	ck_assert_msg(t != NULL, "%s", why.text);
	return t;
}

static struct ndtext *
read_ring(const struct tables *tab)
{
	struct ndtext *t = read_net(ring);
	struct reason why = {{0}};
	FILE *f = tmpfile();

	ck_assert_ptr_nonnull(f);
	for (unsigned s = 0; s < 3; s++) {
		fprintf(f,
			"Unicast lids [0x0-0x6] of switch DR path slid 0; "
			"dlid 0; 0,1 guid 0x000000000000000%s (x):\n"
			"  Lid  Out   Destination\n",
			names[s]);
		for (unsigned l = 0; l < 6; l++)
			if (tab->out[s][l] != 255)
				fprintf(f, "0x%04x %03u : (what)\n", l + 1,
					tab->out[s][l]);
		fprintf(f, "6 valid lids dumped \n");
	}
	rewind(f);
	ck_assert_msg(
		ndtext_read_tables(t, f, "fts", &why) == 0, "%s", why.text);
	fclose(f);
	return t;
}

static struct judge_report
judge_ring(const struct tables *tab)
{
	struct ndtext *t = read_ring(tab);
	struct judge_report r;

	judge_all(t, &r);
	ndtext_free(t);
	return r;
}

TEST(reads_the_fabric)
{
	struct ndtext *t = read_ring(&shortest);

	ck_assert_uint_eq(t->nsw, 3);
	ck_assert_uint_eq(t->nnodes, 6);
	ck_assert_uint_eq(t->nlinks, 6);
	ck_assert_uint_eq(t->linked, 12);
	ck_assert_uint_eq(t->one_way, 0);
	ck_assert_uint_eq(t->blocks, 3);
	ck_assert_uint_eq(t->entries, 18);
	ck_assert_str_eq(t->node[2].name, "c \"x\"");
	ck_assert_uint_eq(t->port[t->node[2].first].lid, 6);
	ck_assert_uint_eq(t->port[t->node[5].first + 1].lid, 3);
	ndtext_free(t);
}

TEST(shortest_is_good)
{
	struct judge_report r = judge_ring(&shortest);

	/* 3 hosts x 5 other LIDs, 3 switches x 5 other LIDs */
	ck_assert_uint_eq(r.pairs, 30);
	ck_assert_uint_eq(r.sw_pairs, 15);
	ck_assert_uint_eq(r.unreachable, 0);
	ck_assert_uint_eq(r.cyclic, 0);
	ck_assert_uint_eq(r.behind, 0);
	ck_assert_uint_eq(r.max_hops, 1);
	ck_assert_uint_eq(r.load_max, 1);
	ck_assert_double_eq_tol(r.load_mean, 1.0, 1e-9);
	ck_assert(judge_good(&r, false));
	judge_free(&r);
}

TEST(a_ring_waits_for_itself)
{
	struct judge_report r = judge_ring(&clockwise);

	ck_assert_uint_eq(r.unreachable, 0);
	ck_assert_uint_eq(r.max_hops, 2);
	ck_assert_uint_eq(r.cyclic, 3);
	ck_assert_uint_eq(r.behind, 3); /* the hosts' channels */
	ck_assert(strstr(r.problems.text, "cycle of 3 channels") != NULL);
	ck_assert(!judge_good(&r, false));
	ck_assert(judge_good(&r, true));
	judge_free(&r);
}

/* One changed entry, and the counts expected. */
static const struct {
	const char *what;
	unsigned sw, lid, out;
	unsigned unreachable, sw_unreachable, loops;
} broken[] = {
	/* a and h1 do not reach h3 */
	{"no entry", 0, 3, 255, 2, 1, 0},
	{"port that does not exist", 0, 3, 200, 2, 1, 0},
	{"own port 0", 0, 3, 0, 2, 1, 0},
	{"another host", 0, 3, 1, 2, 1, 0},
	/* b sends h1's packets to c, which sends them to a: longer, fine */
	{"detour", 1, 1, 2, 0, 0, 0},
	/* no switch reaches b: its own entry leads away, a loop for all */
	{"own LID leads away", 1, 5, 2, 6, 3, 3},
};

LOOP_TEST(finds_what_is_broken, 0, LEN(broken))
{
	struct tables tab = shortest;
	struct judge_report r;

	tab.out[broken[_i].sw][broken[_i].lid - 1] = broken[_i].out;
	r = judge_ring(&tab);
	ck_assert_msg(r.unreachable == broken[_i].unreachable,
		"%s: unreachable %lu", broken[_i].what,
		(unsigned long)r.unreachable);
	ck_assert_uint_eq(r.sw_unreachable, broken[_i].sw_unreachable);
	ck_assert_uint_eq(r.loops, broken[_i].loops);
	ck_assert(judge_good(&r, true) == (broken[_i].unreachable == 0));
	judge_free(&r);
}

/* The ring with one piece of its text replaced. */
static char *
edit_ring(const char *from, const char *to)
{
	const char *at = strstr(ring, from);
	size_t size = sizeof(ring) + strlen(to);
	char *s = malloc(size);

	ck_assert_ptr_nonnull(at);
	ck_assert_ptr_nonnull(s);
	(void)snprintf(s, size, "%.*s%s%s", (int)(at - ring), ring, to,
		at + strlen(from));
	return s;
}

LOOP_TEST(lids_twice_or_not_at_all, 0, 3)
{
	static const char *const lids[] = {"# lid 0 lmc 0 \"c\"",
		"# lid 1 lmc 0 \"c\"", "# lid 2 lmc 1 \"c\""};
	AUTO(mem) char *s = edit_ring("# lid 3 lmc 0 \"c\"", lids[_i]);
	struct ndtext *t = read_net(s);
	struct judge_report r;

	judge_all(t, &r);
	ck_assert_uint_eq(r.bad_lids, 1);
	ck_assert_uint_eq(r.no_table, 3);
	ck_assert(!judge_good(&r, true));
	judge_free(&r);
	ndtext_free(t);
}

LOOP_TEST(refuses_contradictions, 0, 5)
{
	static const struct {
		const char *from, *to, *why;
	} cases[] = {
		{"\"S-000000000000000b\"[3]", "\"S-00000000000000ff\"[3]",
			"net:7: link to a node that is not listed"},
		{"[2]\t\"S-000000000000000b\"[3]",
			"[9]\t\"S-000000000000000b\"[3]", "no such port"},
		{"Switch\t3 \"S-000000000000000b\"",
			"Switch\t3 \"S-000000000000000a\"",
			"node listed twice"},
		{"Switch\t3 \"S-000000000000000b\"",
			"Switch\t0 \"S-000000000000000b\"", "not a node"},
		{"[2]\t\"S-000000000000000b\"[3]", "[2]\tnonsense",
			"not a link"},
	};
	AUTO(mem) char *s = edit_ring(cases[_i].from, cases[_i].to);
	FILE *f = text_file(s);
	struct reason why = {{0}};

	ck_assert_ptr_null(ndtext_read(f, "net", &why));
	ck_assert_msg(strstr(why.text, cases[_i].why) != NULL, "%s", why.text);
	fclose(f);
}

TEST(counts_blocks_that_differ)
{
	struct tables other = shortest;
	struct ndtext *a = read_ring(&shortest), *b;

	other.out[0][0] = 2;
	other.out[0][4] = 3;
	other.out[2][1] = 255;
	b = read_ring(&other);
	ck_assert_uint_eq(ndtext_diff_blocks(a, b), 2);
	ck_assert_uint_eq(ndtext_diff_blocks(a, a), 0);
	ndtext_free(a);
	ndtext_free(b);
}

TEST(tracks_follow_the_tables)
{
	struct ndtext *t = read_ring(&clockwise);
	FILE *f = tmpfile();
	char line[256];
	unsigned n = 0, longest = 0;

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(tracks_print(t, f, 50, 1, 1, 12), 50);
	rewind(f);
	while (fgets(line, sizeof(line), f)) {
		n++;
		if (strcmp(line, "1 3 [1]{0x000000000000000a}[1] "
				 "[2]{0x000000000000000b}[3] "
				 "[2]{0x000000000000000c}[3] "
				 "[1]{0x0000000000000013}[1]\n") == 0)
			longest++;
	}
	ck_assert_uint_eq(n, 50);
	ck_assert_uint_gt(longest, 0);
	/* from h1 everything beyond its own switch is farther than the limit */
	rewind(f);
	ck_assert_uint_eq(tracks_print(t, f, 1, 1, 99, 12), 0);
	fclose(f);
	ndtext_free(t);
}
