#include "sm/metrics_command.h"

#include <stdbool.h>
#include <stdio.h>

#include "sm/base/buf.h"
#include "sm/base/file.h"
#include "sm/base/reason.h"
#include "sm/ctl/metrics.h"
#include "sm/ctl/port_metrics.h"
#include "sm/report/json_util.h"
#include "sm/report/problem.h"

/* All nodes of the command "counters", page by page, as far as they come, in a
 * new array. */
static json_t *
ask_counters(const struct asking *q, int *code)
{
	json_t *request = json_util_object(M("cmd", "counters"));
	json_t *nodes = json_array();
	bool more = true;

	while (more) {
		json_t *reply = asking_reply(q, request, code);
		const json_t *page = json_object_get(reply, "result");
		json_t *next = json_object_get(page, "next");

		more = json_is_string(next);
		if (more)
			(void)json_object_set(request, "after", next);
		(void)json_array_extend(nodes, json_object_get(page, "nodes"));
		json_decref(reply);
	}
	json_decref(request);
	return nodes;
}

int
metrics_command_print(const struct asking *q, const json_t *status,
	const char *output, int code)
{
	const json_t *health = json_object_get(status, "health");
	json_t *nodes = NULL;
	struct buf out = {0};
	struct reason why;

	metrics_text(status, &out);
	if (json_util_yes(health, "port_metrics"))
		nodes = ask_counters(q, &code);
	port_metrics_text(nodes, &out);
	json_decref(nodes);
	if (output == NULL)
		(void)fputs(out.text, stdout);
	else if (file_replace(output, &out, &why) != 0) {
		(void)fprintf(stderr, "heddlectl: %s\n", why.text);
		code = EXIT_PROBLEM;
	}
	buf_free(&out);
	return code;
}
