/*
 * What heddlectl config show says: text that is a configuration again, rows
 * with their places, no secrets, and what waits for a restart.
 */
#include "sm/report/config_json.h"

#include <string.h>

#include "routing/driver/registry.h"
#include "sm/report/json_util.h"
#include "sm/report/show.h"
#include "tests/unit/suite.h"

static struct config *
parse_text(const char *text)
{
	AUTO(diag_list) struct diag_list d;
	struct config *c = config_parse(
		"h.yaml", text, strlen(text), registry_modules(), &d);

	ck_assert_ptr_nonnull(c);
	return c;
}

static const char first[] = "state: {dir: /old}\n";
static const char second[] = "state: {dir: /new}\n"
			     "fabric:\n"
			     "  m_key: 0x5eed\n"
			     "  priority: 5\n";

TEST(test_text)
{
	struct config *boot = parse_text(first), *c = parse_text(second);
	AUTO(json) json_t *j = config_json(c, boot, false);
	const char *text = json_util_text(j, "text");
	AUTO(config) struct config *again = parse_text(text);

	ck_assert_uint_eq(again->fabric.priority, 5);
	ck_assert_ptr_null(strstr(text, "5eed"));
	ck_assert_ptr_nonnull(
		strstr(text, "\n# until a restart: state.dir is /old\n"));
	ck_assert_uint_eq(json_array_size(json_object_get(j, "files")), 1);
	config_unref(boot);
	config_unref(c);
}

TEST(test_rows)
{
	struct config *boot = parse_text(first), *c = parse_text(second);
	AUTO(json) json_t *j = config_json(c, boot, true);
	AUTO(buf) struct buf out = {0};

	show_config(j, &out);
	ck_assert_ptr_null(strstr(out.text, "5eed"));
	ck_assert_ptr_nonnull(strstr(out.text,
		"fabric.priority                5                         "
		"h.yaml:4\n"));
	ck_assert_ptr_nonnull(strstr(out.text,
		"fabric.m_key                   (secret)                  "
		"h.yaml:3\n"));
	ck_assert_ptr_nonnull(strstr(out.text,
		"sweep.interval                 10s                       "
		"default\n"));
	ck_assert_ptr_nonnull(strstr(out.text,
		"state.dir                      /new                      "
		"h.yaml:1, but /old until a restart\n"));
	config_unref(boot);
	config_unref(c);
}
