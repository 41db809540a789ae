#include "sm/config_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/cabling/cabling_expected.h"
#include "sm/policy/pkeys.h"
#include "sm/policy/qos.h"
#include "sm/what_if/loss_preview.h"

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

/*
 * What a reload of c takes from ports of the fabric of the running daemon, in
 * lines; true if the daemon would refuse it. Without a daemon the fabric is not
 * known.
 */
static bool
check_losses(struct config *c, struct buf *out)
{
	bool refused = false;
	struct buf text = {0};
	struct reason why = {""};
	int rc = loss_preview_ask(c->control.socket, c, &refused, &text, &why);

	if (rc == 0)
		buf_printf(out,
			"fabric      not known, so that what ports would lose "
			"is not judged: %s\n",
			why.text);
	else if (rc < 0)
		buf_printf(out, "REFUSED     %s\n", why.text);
	else if (text.n > 0)
		buf_printf(out, "%s%s",
			refused ? "REFUSED     " : "LOSS        ", text.text);
	if (refused)
		buf_printf(out, "            a reload is refused unless "
				"fabric.accept_loss permits that\n");
	buf_free(&text);
	return rc < 0 || refused;
}

/* The losses as a mistake, for programs. */
static bool
check_losses_json(struct config *c, struct diag_list *bad)
{
	bool refused = false;
	struct buf text = {0};
	struct reason why = {""};
	int rc = loss_preview_ask(c->control.socket, c, &refused, &text, &why);

	if (rc < 0 || refused)
		(void)diag_add(bad, (struct diag_place){0}, "loss",
			"fabric.accept_loss", "%.*s",
			(int)(text.n > 0 ? text.n - 1 : strlen(why.text)),
			text.n > 0 ? text.text : why.text);
	buf_free(&text);
	return rc < 0 || refused;
}

/* Whether the plan of the fabric cannot be used: a reload would be refused. */
static bool
check_plan(const struct config *c, const char *own, struct reason *why)
{
	struct cabling *plan;
	bool bad = cabling_expected_read(c, own, &plan, why) != 0;

	cabling_free(plan);
	return bad;
}

static bool
check_text(struct config *c, const char *own, struct buf *out)
{
	bool refused;
	struct reason why;

	buf_printf(out, "OK\n");
	warn_trusted_names(c, out);
	config_budget(c, out);
	refused = check_losses(c, out);
	if (!check_plan(c, own, &why))
		return refused;
	buf_printf(out, "REFUSED     %s\n", why.text);
	return true;
}

static bool
check_json(struct config *c, const char *own, struct diag_list *bad)
{
	bool refused = check_losses_json(c, bad);
	struct reason why;

	if (!check_plan(c, own, &why))
		return refused;
	(void)diag_add(bad, (struct diag_place){0}, "plan", "fabric.expected",
		"%s", why.text);
	return true;
}

int
config_check_print(
	const struct options *opt, struct config *c, struct diag_list *bad)
{
	struct buf out = {0};
	bool refused = false;

	if (opt->mode == OPTIONS_PRINT) {
		config_show(c, &out);
	} else if (opt->json) {
		refused = check_json(c, opt->file, bad);
		diag_json(bad, &out);
	} else {
		refused = check_text(c, opt->file, &out);
	}
	if (out.n > 0)
		(void)fwrite(out.text, 1, out.n, stdout);
	if (out.n > 0 && out.text[out.n - 1] != '\n')
		(void)putchar('\n');
	buf_free(&out);
	return fflush(stdout) == 0 && !refused ? EXIT_SUCCESS : EXIT_FAILURE;
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
