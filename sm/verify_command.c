#include "sm/verify_command.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/file.h"
#include "sm/base/mem.h"
#include "sm/cabling/cabling_read.h"
#include "sm/report/json_util.h"
#include "sm/report/verify_json.h"
#include "sm/what_if/snapshot_read.h"

enum { EXIT_DEVIATIONS = 1, EXIT_WRONG = 2 };

static json_t *
ask_daemon(const struct verify_command *c, json_t *request, int *code)
{
	json_t *result = c->ask(c->cookie, request, code);

	json_decref(request);
	/* to this command, what the daemon could not do is an error */
	if (result == NULL && *code == EXIT_DEVIATIONS)
		*code = EXIT_WRONG;
	return result;
}

/* ---- with a plan in a file ---- */

static void
mark_drained(struct deviations *d, const struct state_file *state)
{
	struct drains all = {
		.list = mem_zalloc(state->ndrain + 1, sizeof(*all.list)),
		.n = state->ndrain};

	for (size_t i = 0; i < all.n; i++) {
		const struct state_file_drain *x = &state->drain[i];

		all.list[i].guid = x->guid;
		all.list[i].port = x->port;
		(void)strncpy(all.list[i].name, x->name,
			sizeof(all.list[i].name) - 1);
	}
	deviations_mark_drained(d, &all);
	free(all.list);
}

static struct deviations *
compare_daemon(const struct verify_command *c, const struct cabling *plan,
	int *code, struct reason *why)
{
	json_t *snapshot = ask_daemon(c,
		json_pack("{s:s, s:b}", "cmd", "snapshot", "tables", 0), code);
	struct deviations *d = NULL;
	struct snapshot given;
	struct cabling *is;

	if (snapshot == NULL)
		return NULL;
	if (snapshot_read_fabric(snapshot, &given, why) == 0) {
		is = cabling_of_topo(given.topo, "the fabric");
		d = deviations_find(plan, is, why);
		if (d != NULL)
			mark_drained(d, &given.state);
		cabling_free(is);
		snapshot_read_free(&given);
	}
	json_decref(snapshot);
	return d;
}

static struct deviations *
compare_file(const char *file, const struct cabling *plan, struct reason *why)
{
	struct cabling *is = cabling_read_file(file, why);
	struct deviations *d =
		is != NULL ? deviations_find(plan, is, why) : NULL;

	cabling_free(is);
	return d;
}

static json_t *
compare_plan(const struct verify_command *c, int *code, struct reason *why)
{
	struct cabling *plan = cabling_read_file(c->plan, why);
	struct deviations *d = NULL;
	json_t *result = NULL;

	if (plan != NULL)
		d = c->topology != NULL ? compare_file(c->topology, plan, why)
					: compare_daemon(c, plan, code, why);
	if (d != NULL)
		result = verify_json(d, SIZE_MAX);
	deviations_free(d);
	cabling_free(plan);
	return result;
}

/* ---- a plan of the fabric as it is ---- */

/* A plan that does not say what the fabric is, as where two nodes have one
 * GUID, is not written. */
static json_t *
write_plan(const char *file, const char *text, struct reason *why)
{
	struct buf all = {.text = NULL};
	struct cabling *plan, *again = NULL;
	json_t *result = NULL;
	struct deviations *d = NULL;

	plan = cabling_read(text, strlen(text), "the fabric as it is", why);
	buf_printf(&all, "%s", text);
	if (plan != NULL && file_replace(file, &all, why) == 0)
		again = cabling_read_file(file, why);
	if (again != NULL)
		d = deviations_find(again, plan, why);
	if (d != NULL && d->n == 0)
		result = json_pack("{s:s, s:o, s:o}", "written", file, "nodes",
			json_util_u64(plan->nnodes), "links",
			json_util_u64(plan->nlinks));
	else if (d != NULL)
		(void)reason_set(why,
			"%s: what is read back is not what was written", file);
	buf_free(&all);
	deviations_free(d);
	cabling_free(plan);
	cabling_free(again);
	return result;
}

static json_t *
write_fabric(const struct verify_command *c, int *code, struct reason *why)
{
	json_t *answer = ask_daemon(c,
		json_pack("{s:s, s:s}", "cmd", "topology", "format",
			"ibnetdiscover"),
		code);
	json_t *result = answer != NULL
				 ? write_plan(c->write,
					   json_util_text(answer, "text"), why)
				 : NULL;

	json_decref(answer);
	return result;
}

/* ---- the command ---- */

json_t *
verify_command_run(
	const struct verify_command *c, int *code, struct reason *why)
{
	json_t *result;

	*code = EXIT_WRONG;
	why->text[0] = '\0';
	if (c->write != NULL && (c->plan != NULL || c->topology != NULL)) {
		(void)reason_set(why, "--write goes with no other file");
		return NULL;
	}
	if (c->topology != NULL && c->plan == NULL) {
		(void)reason_set(why, "--topology needs the file of a plan");
		return NULL;
	}
	if (c->write != NULL)
		result = write_fabric(c, code, why);
	else if (c->plan != NULL)
		result = compare_plan(c, code, why);
	else
		result = ask_daemon(
			c, json_pack("{s:s}", "cmd", "verify"), code);
	if (result != NULL)
		*code = json_util_num(result, "deviations") > 0
				? EXIT_DEVIATIONS
				: 0;
	else if (*code == 0) /* the daemon was asked, and then */
		*code = EXIT_WRONG;
	return result;
}
