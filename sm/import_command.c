#include "sm/import_command.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/import/import.h"
#include "routing/driver/registry.h"
#include "sm/base/argument.h"
#include "sm/base/reason.h"
#include "sm/report/problem.h"

static const struct argument import_output = {"--output", "-o", "FILE"};
static const char import_help[] =
	"  import [-o FILE] OPENSM.CONF [PARTITIONS.CONF]\n"
	"      print OpenSM's configuration as heddle.yaml (- for none)\n";

/* "-" stands for no file. */
static const char *
operand_or_null(const char *s)
{
	return s == NULL || strcmp(s, "-") == 0 ? NULL : s;
}

/* What the arguments of import say. */
struct import_args {
	const char *output; /* a file, or NULL */
	const char *file[2];
	unsigned n;
};

/* argv[0] is the word import. */
static int
parse_import(struct import_args *a, int argc, char **argv)
{
	struct argument_line l;
	enum argument_kind kind;

	argument_begin(&l, argc, argv);
	argument_know(&l, &import_output);
	while ((kind = argument_next(&l)) != ARGUMENT_END) {
		if (kind == ARGUMENT_WRONG)
			return problem_option("import", &l.why);
		if (kind == ARGUMENT_OPTION)
			a->output = l.value;
		else if (a->n == 2)
			return problem_usage("unexpected argument", l.value);
		else
			a->file[a->n++] = operand_or_null(l.value);
	}
	if (a->file[0] == NULL && a->file[1] == NULL)
		return problem_usage(
			"import: expected OPENSM.CONF [PARTITIONS.CONF]", NULL);
	return EXIT_OK;
}

/*
 * A new file that the daemon can read and other users cannot: of the group
 * heddle, where there is one and we may, else of our user alone. 0 or -1.
 */
static int
write_import(const char *file, const struct buf *yaml)
{
	const struct group *g = geteuid() == 0 ? getgrnam("heddle") : NULL;
	int fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
	bool ok = f != NULL;

	if (ok && g != NULL)
		ok = fchown(fd, (uid_t)-1, g->gr_gid) == 0 &&
		     fchmod(fd, 0640) == 0;
	ok = ok && fwrite(yaml->text, 1, yaml->n, f) == yaml->n;
	if (f != NULL && fclose(f) != 0)
		ok = false;
	if (!ok) {
		int error = errno;

		if (fd >= 0)
			(void)unlink(file);
		problem_print("failed", "%s: %s%s", file, strerror(error),
			error == EEXIST ? "; nothing was written" : "");
		return -1;
	}
	(void)fprintf(stderr, "heddlectl: wrote %s, which %s can read\n", file,
		g != NULL ? "root and the group heddle" : "only you");
	return 0;
}

/* Keys in a file that every user can read are refused by heddled. */
static void
warn_open_output(void)
{
	char name[4096] = "FILE";
	struct stat st;
	ssize_t n;

	if (fstat(STDOUT_FILENO, &st) != 0 || !S_ISREG(st.st_mode) ||
		(st.st_mode & S_IROTH) == 0)
		return;
	n = readlink("/proc/self/fd/1", name, sizeof(name) - 1);
	if (n > 0)
		name[n] = '\0';
	(void)fprintf(stderr,
		"heddlectl: the result has secret keys, and every user can "
		"read it; heddled will refuse it until: chmod o= %s\n",
		name);
}

/* What was not carried over, as far as it fits a screen. */
static void
print_lost(const struct import_result *r)
{
	enum { SHOWN = 20 };
	const char *at = r->lost.text;

	(void)fprintf(stderr, "heddlectl: %zu thing%s not carried over:\n",
		r->nlost, r->nlost == 1 ? " was" : "s were");
	for (size_t i = 0; i < r->nlost && i < SHOWN; i++) {
		size_t n = strcspn(at, "\n");

		(void)fprintf(stderr, "  %.*s\n", (int)n, at);
		at += n + 1;
	}
	if (r->nlost > SHOWN)
		(void)fprintf(stderr,
			"  and %zu more: see the comments of the result\n",
			r->nlost - SHOWN);
}

int
import_command_run(int argc, char **argv)
{
	struct import_args a = {0};
	struct import_result r = {0};
	struct reason why;
	int ret = parse_import(&a, argc, argv);

	if (ret != EXIT_OK)
		return ret;
	if (import_files(a.file[0], a.file[1], IMPORT_OPENSM_DIR,
		    registry_modules(), &r, &why) != 0) {
		problem_print("bad-argument", "%s", why.text);
		return EXIT_USAGE;
	}
	if (a.output == NULL)
		(void)fwrite(r.yaml.text, 1, r.yaml.n, stdout);
	else if (write_import(a.output, &r.yaml) != 0)
		ret = EXIT_USAGE;
	if (r.nlost > 0)
		print_lost(&r);
	if (a.output == NULL && r.has_secrets)
		warn_open_output();
	if (ret == EXIT_OK && r.nlost > 0)
		ret = EXIT_PROBLEM;
	import_free(&r);
	return ret;
}

void
import_command_help(struct buf *out)
{
	buf_printf(out, "%s", import_help);
	argument_help(
		out, &import_output, 6, "write a new FILE for heddled alone");
}

const char *
import_command_option(size_t i, const char **arg)
{
	*arg = i == 0 ? import_output.arg : NULL;
	return i == 0 ? import_output.word : NULL;
}
