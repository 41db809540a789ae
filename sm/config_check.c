#include "sm/config_check.h"

#include <stdio.h>
#include <stdlib.h>

#include "sm/policy/pkeys.h"
#include "sm/policy/qos.h"

enum { EXIT_CONFIG = 78 };

static void
warn_trusted_names(const struct config *c, struct buf *out)
{
	if (c->fabric.names == CONFIG_NAMES_TRUSTED &&
		(pkeys_by_name(c) || qos_by_name(c)))
		buf_printf(out,
			"warning: fabric.names is trusted: root on any host "
			"can join every partition whose members are named, by "
			"changing the host's name\n");
}

int
config_check_print(const struct options *opt, const struct config *c,
	const struct diag_list *bad)
{
	struct buf out = {0};

	if (opt->mode == OPTIONS_PRINT)
		config_show(c, &out);
	else if (opt->json)
		diag_json(bad, &out);
	else {
		buf_printf(&out, "OK\n");
		warn_trusted_names(c, &out);
		config_budget(c, &out);
	}
	if (out.n > 0)
		(void)fwrite(out.text, 1, out.n, stdout);
	if (out.n > 0 && out.text[out.n - 1] != '\n')
		(void)putchar('\n');
	buf_free(&out);
	return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int
config_check_refuse(const struct options *opt, const struct diag_list *bad)
{
	struct buf out = {0};

	if (opt->json)
		diag_json(bad, &out);
	else
		diag_text(bad, &out);
	if (out.n > 0)
		(void)fprintf(opt->json ? stdout : stderr, "%s%s", out.text,
			out.text[out.n - 1] == '\n' ? "" : "\n");
	buf_free(&out);
	return EXIT_CONFIG;
}
