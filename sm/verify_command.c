#include "sm/verify_command.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/file.h"
#include "sm/base/mem.h"
#include "sm/cabling/cabling_read.h"
#include "sm/report/json_util.h"
#include "sm/report/verify_json.h"

enum { EXIT_DEVIATIONS = 1, EXIT_WRONG = 2 };

/* Where the lines are that a mistake in the text of the daemon's fabric is in.
 */
#define FABRIC "the fabric (heddlectl topology --format ibnetdiscover)"

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

/* ---- the fabric of the daemon ---- */

static uint64_t
guid_of(const json_t *o)
{
	return strtoull(json_util_text(o, "guid"), NULL, 16);
}

/* Nodes in quarantine do not answer, which the text does not tell. */
static void
mark_silent(struct cabling *c, const json_t *status)
{
	const json_t *q;
	size_t i;

	json_array_foreach(json_object_get(status, "quarantined"), i, q)
	{
		for (size_t n = 0; n < c->nnodes; n++)
			c->node[n].silent |= c->node[n].guid == guid_of(q);
	}
}

static void
mark_drained(struct deviations *d, const json_t *answer)
{
	const json_t *list = json_object_get(answer, "drains"), *x;
	struct drains all = {.list = mem_zalloc(json_array_size(list) + 1,
				     sizeof(*all.list))};
	size_t i;

	json_array_foreach(list, i, x)
	{
		struct drain *to = &all.list[all.n++];

		to->guid = guid_of(x);
		to->port = (uint8_t)json_util_num(x, "port");
		(void)snprintf(to->name, sizeof(to->name), "%s",
			json_util_text(x, "name"));
	}
	deviations_mark_drained(d, &all);
	free(all.list);
}

static json_t *
ask_text(const struct verify_command *c, int *code)
{
	return ask_daemon(c,
		json_util_object(
			M("cmd", "topology"), M("format", "ibnetdiscover")),
		code);
}

/* ---- with a plan in a file ---- */

static struct deviations *
compare_daemon(const struct verify_command *c, const struct cabling *plan,
	int *code, struct reason *why)
{
	json_t *text = ask_text(c, code), *status = NULL, *drains = NULL;
	const char *s = json_util_text(text, "text");
	struct deviations *d = NULL;
	struct cabling *is = NULL;

	if (text != NULL)
		status = ask_daemon(
			c, json_util_object(M("cmd", "status")), code);
	if (status != NULL)
		drains = ask_daemon(
			c, json_util_object(M("cmd", "drains")), code);
	if (drains != NULL)
		is = cabling_read(s, strlen(s), FABRIC, why);
	if (is != NULL) {
		mark_silent(is, status);
		d = deviations_find(plan, is, why);
	}
	if (d != NULL)
		mark_drained(d, drains);
	cabling_free(is);
	json_decref(text);
	json_decref(status);
	json_decref(drains);
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

	plan = cabling_read(text, strlen(text), FABRIC, why);
	buf_printf(&all, "%s", text);
	if (plan != NULL && file_replace(file, &all, why) == 0)
		again = cabling_read_file(file, why);
	if (again != NULL)
		d = deviations_find(again, plan, why);
	if (d != NULL && d->n == 0)
		result = json_util_object(M("written", file),
			M("nodes", plan->nnodes), M("links", plan->nlinks));
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
	json_t *answer = ask_text(c, code);
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
			c, json_util_object(M("cmd", "verify")), code);
	if (result != NULL)
		*code = json_util_num(result, "deviations") > 0
				? EXIT_DEVIATIONS
				: 0;
	else if (*code == 0) /* the daemon was asked, and then */
		*code = EXIT_WRONG;
	return result;
}
