/*
 * manual: the part of a manual page that is made from a table. With
 * HEDDLE_UPDATE in the environment it is rewritten instead of compared.
 */
#ifndef HEDDLE_TESTS_UNIT_MANUAL_H
#define HEDDLE_TESTS_UNIT_MANUAL_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/buf.h"
#include "tests/unit/owned.h"

/* The path of a file of the source tree, until the next call: tests run at its
 * top, or the environment variable HEDDLE_SOURCE names it. */
static inline const char *
source_path(const char *name)
{
	static char path[512];
	const char *top = getenv("HEDDLE_SOURCE");

	(void)snprintf(
		path, sizeof(path), "%s/%s", top != NULL ? top : ".", name);
	return path;
}

static inline struct buf
read_file(const char *path)
{
	struct buf b = {0};
	FILE *f = fopen(path, "r");
	char chunk[4096];
	size_t n;

	ck_assert_msg(f != NULL, "%s", path);
	while ((n = fread(chunk, 1, sizeof(chunk), f)) > 0)
		buf_put(&b, chunk, n);
	ck_assert_int_eq(fclose(f), 0);
	return b;
}

static inline void
write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	ck_assert_ptr_nonnull(f);
	(void)fputs(text, f);
	ck_assert_int_eq(fclose(f), 0);
}

/* What stands between the comments "BEGIN part" and "END part" of a page, as
 * man/heddled.8, is exactly `want`. */
static inline void
manual_expect(const char *name, const char *part, const struct buf *want)
{
	const char *path = source_path(name);
	struct buf page = read_file(path), mark = {0};
	char *from, *to;

	buf_printf(&mark, ".\\\" BEGIN %s", part);
	from = strstr(page.text, mark.text);
	buf_free(&mark);
	buf_printf(&mark, ".\\\" END %s", part);
	to = strstr(page.text, mark.text);
	buf_free(&mark);
	ck_assert(from != NULL && to != NULL && from < to);
	from = strchr(from, '\n') + 1;
	if (getenv("HEDDLE_UPDATE") != NULL) {
		AUTO(buf) struct buf new = {0};

		buf_printf(&new, "%.*s%s%s", (int)(from - page.text), page.text,
			want->text, to);
		write_file(path, new.text);
	} else {
		ck_assert_msg((size_t)(to - from) == want->n &&
				      memcmp(from, want->text, want->n) == 0,
			"%s is not what the tables say: run this test with "
			"HEDDLE_UPDATE=1",
			path);
	}
	buf_free(&page);
}

#endif
