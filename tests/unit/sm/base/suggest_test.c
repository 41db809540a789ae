/* The nearest known word to a wrong one. */
#include <check.h>
#include <stdint.h>
#include <string.h>

#include "sm/base/suggest.h"
#include "tests/unit/suite.h"

TEST(distances)
{
	static const struct {
		const char *a, *b;
		size_t d;
	} t[] = {
		{"", "", 0}, {"a", "", 1}, {"routeing", "routing", 1},
		{"ruoting", "routing", 1}, {"kitten", "sitting", 3},
		{"ca", "abc", 3}, /* swapped letters are not edited again */
	};
	char longer[64];
	size_t i;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		ck_assert_uint_eq(suggest_distance(t[i].a, t[i].b), t[i].d);
		ck_assert_uint_eq(suggest_distance(t[i].b, t[i].a), t[i].d);
	}
	memset(longer, 'x', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	ck_assert_uint_eq(suggest_distance(longer, "x"), SIZE_MAX);
}

TEST(nearest_word)
{
	static const char *const known[] = {
		"routing", "standby", "smp", "sweep", "log", NULL};
	static const struct {
		const char *word, *best;
	} t[] = {
		{"routeing", "routing"},
		{"rout", "routing"},
		{"ro", NULL},
		{"stand", "standby"},
		{"spm", "smp"},
		{"foo", NULL},
		{"zzz", NULL},
		{"Log", "log"},
		{"", NULL},
	};
	size_t i, j;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct suggest s = suggest_for(t[i].word);

		for (j = 0; known[j] != NULL; j++)
			suggest_offer(&s, known[j]);
		if (t[i].best == NULL)
			ck_assert_msg(
				s.best == NULL, "%s: %s", t[i].word, s.best);
		else
			ck_assert_str_eq(s.best, t[i].best);
	}
}
