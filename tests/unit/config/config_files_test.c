/*
 * A configuration of several files: which ones are read, in what order, what
 * they are together, whose mistake is whose, and what comes from where.
 */
#include "config/config_files.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/config.h"
#include "routing/driver/registry.h"
#include "tests/unit/suite.h"

/* The directory of a test, and FILE in it. */
static char dir[64];
static char file[96];

static void
make_place(void)
{
	char path[128];

	(void)snprintf(dir, sizeof(dir), "/tmp/heddle-files-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	(void)snprintf(file, sizeof(file), "%s/h.yaml", dir);
	(void)snprintf(path, sizeof(path), "%s.d", file);
	ck_assert_int_eq(mkdir(path, 0700), 0);
}

static void
remove_place(void)
{
	char command[128];

	(void)snprintf(command, sizeof(command), "rm -r %s", dir);
	ck_assert_int_eq(system(command), 0);
}

/* Write a file beside FILE: "" for FILE itself, ".d/10.yaml". */
static void
put_file(const char *name, const char *text)
{
	char path[256];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s%s", file, name);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	(void)fputs(text, f);
	ck_assert_int_eq(fclose(f), 0);
	ck_assert_int_eq(chmod(path, 0640), 0);
}

static struct config *
load_files(void)
{
	AUTO(diag_list) struct diag_list d;
	struct buf says = {0};
	struct config *c = config_load(file, true, registry_modules(), &d);

	diag_text(&d, &says);
	ck_assert_msg(c != NULL, "%s", says.text);
	return c;
}

/* What is wrong, with the directory's name left out of it; free it. */
static char *
complaint_of(void)
{
	AUTO(diag_list) struct diag_list d;
	struct buf says = {0}, out = {0};
	struct config *c = config_load(file, true, registry_modules(), &d);
	char *at, *from;

	ck_assert_ptr_null(c);
	diag_text(&d, &says);
	for (from = says.text; (at = strstr(from, dir)) != NULL;
		from = at + strlen(dir) + 1)
		buf_put(&out, from, (size_t)(at - from));
	buf_printf(&out, "%s", from);
	buf_free(&says);
	return out.text;
}

static void
must_say(const char *want)
{
	AUTO(mem) char *says = complaint_of();

	ck_assert_str_eq(says, want);
}

TEST(test_names)
{
	struct config_files all;

	make_place();
	put_file("", "");
	put_file(".d/9.yaml", "");
	put_file(".d/10.yaml", "");
	put_file(".d/B.yaml", "");
	put_file(".d/a.yaml", "");
	put_file(".d/.hidden.yaml", "");
	put_file(".d/.yaml", "");
	put_file(".d/10.yaml.bak", "");
	put_file(".d/README", "");
	config_files_read(&all, file, true);
	ck_assert_uint_eq(all.n, 5);
	ck_assert_str_eq(all.item[0].name, file);
	ck_assert_str_eq(strrchr(all.item[1].name, '/'), "/10.yaml");
	ck_assert_str_eq(strrchr(all.item[2].name, '/'), "/9.yaml");
	ck_assert_str_eq(strrchr(all.item[3].name, '/'), "/B.yaml");
	ck_assert_str_eq(strrchr(all.item[4].name, '/'), "/a.yaml");
	config_files_free(&all);
	remove_place();
}

TEST(test_merge)
{
	struct config *c;

	make_place();
	put_file("", "fabric: {priority: 3, lmc: {hosts: 1}}\n"
		     "routing: {engines: [updn]}\n"
		     "partitions: {blue: {pkey: 0x1}, red: {pkey: 0x2}}\n");
	put_file(".d/10.yaml",
		"fabric: {priority: 5, lmc: {switches: 2}}\n"
		"routing: {engines: [ftree]}\n"
		"partitions: {red: {pkey: 0x3}, sand: {pkey: 0x4}}\n");
	put_file(".d/20.yaml", "fabric: {priority: 7}\nsweep:\n");
	c = load_files();
	ck_assert_uint_eq(c->fabric.priority, 7);
	ck_assert_uint_eq(c->fabric.lmc.hosts, 1);
	ck_assert_uint_eq(c->fabric.lmc.switches, 2);
	ck_assert_uint_eq(c->routing.engines.n, 1);
	ck_assert_str_eq(c->routing.engines.name[0], "ftree");
	ck_assert_uint_eq(c->partitions.n, 3);
	ck_assert_str_eq(c->partitions.name[2], "sand");
	ck_assert_uint_eq(c->nfiles, 3);
	config_unref(c);
	remove_place();
}

/* Each file is judged, whatever another one replaces, and then all of them. */
TEST(test_mistakes)
{
	make_place();
	put_file("", "fabric:\n  priority: 77\n");
	put_file(".d/10.yaml", "fabric:\n  priority: 7\n");
	must_say("h.yaml:2:13: error: fabric.priority: 77 is out of range: "
		 "0 to 15\n"
		 "    priority: 77\n"
		 "              ^\n");
	put_file("", "fabric:\n  priority: 7\n");
	put_file(".d/10.yaml", "fabric:\n  priority: 7\n  priority: 8\n");
	put_file(".d/20.yaml", "fabric:\n  prority: 7\n");
	must_say("h.yaml.d/10.yaml:3:3: error: duplicate key 'priority'\n"
		 "    priority: 8\n"
		 "    ^\n"
		 "h.yaml.d/10.yaml:2:3: note: given here before\n"
		 "    priority: 7\n"
		 "    ^\n"
		 "h.yaml.d/20.yaml:2:3: error: unknown key 'prority'; did you "
		 "mean 'priority'?\n"
		 "    prority: 7\n"
		 "    ^\n");
	put_file(".d/10.yaml", "smp: {timeout: 500ms}\n");
	put_file(".d/20.yaml", "standby: {poll_interval: 200ms}\n");
	must_say("h.yaml.d/20.yaml:1:26: error: standby.poll_interval (200 ms) "
		 "is below smp.timeout (500 ms): a poll would be over before "
		 "its answer is\n"
		 "  standby: {poll_interval: 200ms}\n"
		 "                           ^\n"
		 "h.yaml.d/10.yaml:1:16: note: smp.timeout is given here\n"
		 "  smp: {timeout: 500ms}\n"
		 "                 ^\n");
	remove_place();
}

TEST(test_unreadable)
{
	char path[256];

	make_place();
	put_file("", "");
	(void)snprintf(path, sizeof(path), "%s.d/a.yaml", file);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	must_say("h.yaml.d/a.yaml: error: cannot be read: Is a directory\n");
	ck_assert_int_eq(rmdir(path), 0);

	/* a key that every user can read, also if another file replaces it */
	put_file(".d/a.yaml", "fabric: {m_key: 0x5eed}\n");
	put_file(".d/b.yaml", "fabric: {m_key: 0x0}\n");
	config_unref(load_files());
	ck_assert_int_eq(chmod(path, 0644), 0);
	{
		AUTO(mem) char *says = complaint_of();

		ck_assert_ptr_nonnull(strstr(says,
			"h.yaml.d/a.yaml: error: every user can read this "
			"file, and fabric.m_key is secret"));
		ck_assert_ptr_null(strstr(says, "5eed"));
	}
	ck_assert_int_eq(chmod(path, 0640), 0);
	for (int i = 0; i < CONFIG_FILES_MAX; i++) {
		(void)snprintf(path, sizeof(path), ".d/%03d.yaml", i);
		put_file(path, "");
	}
	must_say("h.yaml.d: error: 102 files, more than 100\n");
	remove_place();
}

/* Drop-ins count without FILE where that may be missing. */
TEST(test_absent)
{
	struct diag_list d;
	struct config *c;

	make_place();
	must_say("h.yaml: error: cannot be read: No such file or directory\n");
	c = config_load(file, false, registry_modules(), &d);
	ck_assert_ptr_nonnull(c);
	ck_assert_uint_eq(c->nfiles, 0);
	config_unref(c);
	diag_free(&d);
	put_file(".d/10.yaml", "fabric: {priority: 9}\n");
	c = config_load(file, false, registry_modules(), &d);
	ck_assert_ptr_nonnull(c);
	ck_assert_uint_eq(c->fabric.priority, 9);
	ck_assert_uint_eq(c->nfiles, 2);
	config_unref(c);
	diag_free(&d);
	remove_place();
}

/* The row of this key must have this value, from that line of that file. */
static void
comes_from(const struct config *c, const char *key, const char *value,
	unsigned at_file, unsigned line)
{
	const struct config_origin *o = c->origins.item;
	size_t i = 0;

	while (i < c->origins.n && strcmp(o[i].key, key) != 0)
		i++;
	ck_assert_msg(i < c->origins.n, "no %s", key);
	ck_assert_str_eq(o[i].value, value);
	ck_assert_uint_eq(o[i].at.line, line);
	ck_assert_uint_eq(o[i].at.file, at_file);
}

TEST(test_origins)
{
	struct config *c;

	make_place();
	put_file("", "fabric:\n"
		     "  priority: 3\n"
		     "  m_key: 0x5eed\n"
		     "  lmc_override: {0x5: 1}\n"
		     "partitions:\n"
		     "  \"a b\": {pkey: 0x1}\n");
	put_file(".d/10.yaml", "partitions:\n"
			       "  \"a b\":\n"
			       "    members: {0x7: full}\n"
			       "fabric:\n"
			       "  priority: 5\n"
			       "  lmc_override: {0x6: 2}\n"
			       "routing: {engines: [updn, ftree]}\n");
	c = load_files();
	comes_from(c, "fabric.priority", "5", 1, 5);
	comes_from(c, "fabric.m_key", "(secret)", 0, 3);
	comes_from(c, "fabric.sm_key", "0x0000000000000001", 0, 0);
	comes_from(c, "fabric.lmc_override.0x5", "1", 0, 4);
	comes_from(c, "fabric.lmc_override.0x6", "2", 1, 6);
	comes_from(c, "partitions.\"a b\".pkey", "0x1", 0, 6);
	comes_from(c, "partitions.\"a b\".members.0x7", "full", 1, 3);
	comes_from(c, "routing.engines", "[updn, ftree]", 1, 7);
	comes_from(c, "sweep.interval", "10s", 0, 0);
	comes_from(c, "qos.levels", "{}", 0, 0);
	config_unref(c);
	remove_place();
}
