/*
 * The list of OpenSM's options in heddle-migration(7): complete, each with a
 * reason, and what the tables say. With HEDDLE_UPDATE=1 it is rewritten instead
 * of compared.
 */
#include <stdio.h>
#include <string.h>

#include "config/import/import_priv.h"
#include "routing/driver/registry.h"
#include "tests/unit/manual.h"
#include "tests/unit/suite.h"

enum { OPTIONS = 162 };

TEST(test_page)
{
	AUTO(buf) struct buf want = {0};

	import_mdoc(registry_modules(), &want);
	manual_expect("man/heddle-migration.7", "OPTIONS", &want);
}

/* None is passed over, listed twice, or without a key of Heddle or a reason. */
TEST(test_reasons)
{
	AUTO(buf) struct buf out = {0};
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
}
