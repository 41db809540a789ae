/*
 * heddled: what its options ask for. To manage a fabric is daemon_run; to judge
 * the tables of another manager, sm/audit; to check a configuration,
 * config_check.
 *
 * Folder sm: the programs. main.c and the files daemon* are the daemon,
 * heddlectl.c with the files *_command.c its client; worker.c and
 * redundancy_worker.c are the threads beside the loop, config_check.c is
 * --check-config. Callers: nothing: here everything meets. Read next:
 * sm/daemon.h for the parts of the daemon, sm/core/sm.h for what its loop
 * drives, sm/ctl/ctl.h for what it answers.
 */
#include <stdio.h>
#include <stdlib.h>

#include "config/config_describe.h"
#include "routing/driver/registry.h"
#include "sm/audit/auditor.h"
#include "sm/base/buf.h"
#include "sm/base/mem.h"
#include "sm/base/version.h"
#include "sm/config_check.h"
#include "sm/daemon_config.h"
#include "sm/daemon_run.h"
#include "sm/options.h"

enum { EXIT_USAGE = 2 };

static int
with_config(const struct options *opt)
{
	struct diag_list bad;
	struct config *c = daemon_config_read(opt, &bad);
	int ret;

	if (c == NULL) {
		ret = config_check_refuse(opt, &bad);
		diag_free(&bad);
		return ret;
	}
	if (opt->mode == OPTIONS_RUN) {
		diag_free(&bad);
		return daemon_run(opt, c);
	}
	if (opt->mode == OPTIONS_AUDIT) {
		diag_free(&bad);
		ret = auditor_run(c, opt->json);
		config_unref(c);
		return ret;
	}
	ret = config_check_print(opt, c, &bad);
	diag_free(&bad);
	config_unref(c);
	return ret;
}

int
main(int argc, char **argv)
{
	struct buf out = {0};
	struct options opt;
	struct reason why;

	mem_frugal();
	if (options_parse(argc, argv, &opt, &why) != 0) {
		(void)fprintf(
			stderr, "heddled: %s\nTry heddled --help.\n", why.text);
		return EXIT_USAGE;
	}
	switch (opt.mode) {
	case OPTIONS_HELP:
		options_help(&out);
		break;
	case OPTIONS_VERSION:
		buf_printf(&out, "heddled %s\n", VERSION_TEXT);
		break;
	case OPTIONS_SCHEMA:
		config_json_schema(registry_modules(), &out);
		break;
	case OPTIONS_RUN:
	case OPTIONS_AUDIT:
	case OPTIONS_CHECK:
	case OPTIONS_PRINT:
	default:
		return with_config(&opt);
	}
	(void)fputs(out.text, stdout);
	buf_free(&out);
	return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
