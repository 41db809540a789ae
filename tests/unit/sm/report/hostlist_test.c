/* Names as Slurm folds them. scontrol reads what is printed here in
 * tests/e2e/pictures.sh. */
#include "sm/report/hostlist.h"
#include "tests/unit/suite.h"

enum { NAMES = 8 };

static const struct {
	const char *name[NAMES];
	const char *is;
} row[] = {
	{{"h1"}, "h1"},
	{{"login"}, "login"},
	{{"h1", "h2", "h3"}, "h[1-3]"},
	{{"h9", "h10", "h11"}, "h[9-11]"},
	{{"h1", "h3", "h4", "h10"}, "h[1,3-4,10]"},
	{{"n08", "n09", "n10", "n11"}, "n[08-11]"},
	{{"n001", "n01", "n1"}, "n[001,01,1]"},
	{{"n99", "n100"}, "n[99-100]"},
	{{"n09", "n010"}, "n[09,010]"},
	{{"a1", "a2", "b", "b1"}, "a[1-2],b,b1"},
	{{"r1n1", "r1n2", "r2n1"}, "r1n[1-2],r2n1"},
	{{"h1.x", "h2.x"}, "h1.x,h2.x"},
	{{"7", "8"}, "[7-8]"},
	{{"n1234567890", "n1234567891"}, "n1[234567890-234567891]"},
};

LOOP_TEST(names_are_folded, 0, LEN(row))
{
	AUTO(buf) struct buf out = {0};
	size_t n = 0;

	while (n < NAMES && row[_i].name[n] != NULL)
		n++;
	hostlist_print(row[_i].name, n, &out);
	ck_assert_str_eq(out.text, row[_i].is);
}

TEST(what_is_a_name)
{
	static const char *const good[] = {"h1", "a.b-c_D", "_x", "0"};
	static const char *const bad[] = {"", "a b", "a,b", "a[1]", "-a", ".a",
		"a\"", "a#", "b\u00f6", "a="};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		ck_assert_msg(hostlist_is_name(good[i]), "%s", good[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(!hostlist_is_name(bad[i]), "%s", bad[i]);
}
