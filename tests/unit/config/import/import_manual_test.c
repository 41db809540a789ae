/*
 * The list of OpenSM's options in heddle-migration(7): complete, each with a
 * reason, and what the tables say. With HEDDLE_UPDATE=1 it is rewritten instead
 * of compared.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/import/import_priv.h"
#include "routing/driver/registry.h"
#include "tests/unit/suite.h"

enum { OPTIONS = 162 };

static char *
read_page(const char *path)
{
	struct buf b = {0};
	FILE *f = fopen(path, "r");
	char chunk[4096];
	size_t n;

	ck_assert_msg(f != NULL, "%s", path);
	while ((n = fread(chunk, 1, sizeof(chunk), f)) > 0)
		buf_put(&b, chunk, n);
	ck_assert_int_eq(fclose(f), 0);
	return b.text;
}

START_TEST(test_page)
{
	static const char begin[] = ".\\\" BEGIN OPTIONS\n",
			  end[] = ".\\\" END OPTIONS";
	const char *top = getenv("HEDDLE_SOURCE");
	struct buf path = {0}, want = {0};
	char *page, *from, *to;
	FILE *f;

	buf_printf(&path, "%s/man/heddle-migration.7", top != NULL ? top : ".");
	page = read_page(path.text);
	from = strstr(page, begin);
	to = strstr(page, end);
	ck_assert(from != NULL && to != NULL && from < to);
	from += strlen(begin);
	import_mdoc(registry_modules(), &want);
	if (getenv("HEDDLE_UPDATE") != NULL) {
		f = fopen(path.text, "w");
		ck_assert_ptr_nonnull(f);
		(void)fprintf(
			f, "%.*s%s%s", (int)(from - page), page, want.text, to);
		ck_assert_int_eq(fclose(f), 0);
	} else {
		ck_assert_msg((size_t)(to - from) == want.n &&
				      memcmp(from, want.text, want.n) == 0,
			"%s is not what the tables say: run this test with "
			"HEDDLE_UPDATE=1",
			path.text);
	}
	buf_free(&path);
	buf_free(&want);
	free(page);
}
END_TEST

/* None is passed over, listed twice, or without a key of Heddle or a reason. */
START_TEST(test_reasons)
{
	struct buf out = {0};
	char *line, *save = NULL, last[64] = "";
	unsigned n = 0;

	import_mdoc(registry_modules(), &out);
	for (line = strtok_r(out.text, "\n", &save); line != NULL;
		line = strtok_r(NULL, "\n", &save)) {
		if (strncmp(line, ".It Ic ", 7) == 0) {
			ck_assert_int_gt(strcmp(line + 7, last), 0);
			(void)snprintf(last, sizeof(last), "%s", line + 7);
			n++;
		}
		ck_assert_msg(strcmp(line, "no counterpart.") != 0 &&
				      strncmp(line, "not ", 4) != 0 &&
				      strcmp(line, "by default .") != 0,
			"%s: %s", last, line);
	}
	ck_assert_uint_eq(n, OPTIONS);
	buf_free(&out);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("import_manual");
	TCase *t = tcase_create("import_manual");

	tcase_add_test(t, test_page);
	tcase_add_test(t, test_reasons);
	suite_add_tcase(s, t);
	return suite_run(s);
}
